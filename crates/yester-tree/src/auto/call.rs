//! Functions that go, with their bodies in the place of their calls.

use super::batch::{Batch, Idea, View};
use super::declaration::declared_by;
use super::name::list_after;
use crate::{CallRoles, Change, Document, FunctionRoles};

/// A function goes, and where it was called stands what it does: its statements before the statement with the call, its
/// value in the place of the call, and arguments in the place of parameters.
pub(super) fn calls(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    let tree = document.tree();
    let roles = document.grammar.roles();
    let (Some(functions), Some(calls)) = (&roles.functions, &roles.calls) else {
        return Vec::new();
    };
    if view.detail > 0 || document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    let mut ideas = Vec::new();
    for node in (0..tree.len()).filter(|node| functions.kinds.contains(&tree.node(*node).kind)) {
        let Some(function) = Function::new(document, functions, node) else {
            continue;
        };
        let mentions: Vec<usize> = tree
            .leaves()
            .filter(|leaf| {
                *leaf != function.name && document.slice(*leaf) == document.slice(function.name)
            })
            .collect();
        let is_recursive = mentions.iter().any(|leaf| tree.within(node).contains(leaf));
        if mentions.is_empty() || mentions.len() > view.tuning.few_mentions || is_recursive {
            continue;
        }
        let inlined = mentions.iter().map(|leaf| function.inlined(calls, *leaf));
        let inlined: Option<Vec<Vec<Change>>> = inlined.collect();
        let (Some(inlined), Some(removal)) = (inlined, view.removal(node)) else {
            continue;
        };
        ideas.push(Idea {
            key: view.key(node),
            gain: tree.range(node).len() as u64,
            changes: std::iter::once(removal)
                .chain(inlined.into_iter().flatten())
                .collect(),
        });
    }
    vec![view.batch(ideas)]
}

/// A function that returns at its end or nowhere.
struct Function<'a> {
    document: &'a Document,
    name: usize,
    parameters: Vec<&'a [u8]>,
    /// What it does before it returns.
    statements: Vec<usize>,
    /// What it returns.
    value: Option<usize>,
}

impl<'a> Function<'a> {
    fn new(document: &'a Document, roles: &FunctionRoles, node: usize) -> Option<Function<'a>> {
        let tree = document.tree();
        let name = *declared_by(document, node).first()?;
        let name = tree
            .within(node)
            .find(|part| tree.is_leaf(*part) && document.slice(*part) == name)?;
        let parameters = list_after(&document.text, tree, name)?;
        let parameters = (tree.children(parameters))
            .filter(|part| tree.node(*part).is_named)
            .map(|part| declared_by(document, part).first().copied());
        let bodies = &document.grammar.roles().bodies;
        let body = tree
            .children(node)
            .find(|part| bodies.contains(&tree.node(*part).kind))?;
        let is_statement = |part: &usize| tree.node(*part).is_named && !tree.node(*part).is_extra;
        let mut statements: Vec<usize> = tree.children(body).filter(is_statement).collect();
        let mut returns = tree
            .within(body)
            .filter(|part| roles.returns.contains(&tree.node(*part).kind));
        let last = *statements.last()?;
        let value = match (returns.next(), returns.next()) {
            (None, _) => {
                let is_value = roles.has_tail && !document.slice(last).ends_with(b";");
                is_value.then_some(last)
            }
            (Some(only), None) if tree.within(last).contains(&only) => {
                Some(tree.children(only).find(|part| tree.node(*part).is_named)?)
            }
            _ => return None,
        };
        if value.is_some() {
            statements.pop();
        }
        Some(Function {
            document,
            name,
            parameters: parameters.collect::<Option<_>>()?,
            statements,
            value,
        })
    }

    /// The changes where it is called.
    fn inlined(&self, roles: &CallRoles, mention: usize) -> Option<Vec<Change>> {
        let document = self.document;
        let tree = document.tree();
        let call = tree.parent(mention)?;
        if !roles.kinds.contains(&tree.node(call).kind) {
            return None;
        }
        let list = tree
            .children(call)
            .find(|part| tree.node(*part).field == roles.arguments)?;
        let arguments: Vec<usize> = (tree.children(list))
            .filter(|part| tree.node(*part).is_named)
            .collect();
        if arguments.len() != self.parameters.len() {
            return None;
        }
        let mut before = Vec::new();
        for statement in &self.statements {
            before.extend(self.with_arguments(*statement, &arguments));
            before.push(b' ');
        }
        let value = self
            .value
            .map(|value| self.with_arguments(value, &arguments));
        let bodies = &document.grammar.roles().bodies;
        let around = std::iter::successors(Some(call), |part| tree.parent(*part));
        let statement = around.take_while(|part| *part > 0).find(|part| {
            tree.parent(*part)
                .is_some_and(|parent| bodies.contains(&tree.node(parent).kind))
        });
        let range = tree.range(call);
        let is_alone = statement.is_some_and(|statement| {
            let rest = document.slice(statement).strip_prefix(document.slice(call));
            rest == Some(b";")
        });
        if is_alone {
            let gone = tree.range(statement?);
            let value = value.map(|value| [&value[..], b";"].concat());
            let with = [before, value.unwrap_or_default()].concat();
            return Some(vec![Change::Put(gone, with.into())]);
        }
        let mut value = in_place(document, call, value?);
        if before.is_empty() {
            return Some(vec![Change::Put(range, value.into())]);
        }
        let start = tree.range(statement?).start;
        if start == range.start {
            value.splice(..0, before);
            return Some(vec![Change::Put(range, value.into())]);
        }
        Some(vec![
            Change::Put(start..start, before.into()),
            Change::Put(range, value.into()),
        ])
    }

    /// The text of a part of its body, with arguments in the place of parameters.
    fn with_arguments(&self, part: usize, arguments: &[usize]) -> Vec<u8> {
        let document = self.document;
        let tree = document.tree();
        let range = tree.range(part);
        let mut text = Vec::new();
        let mut end = range.start;
        for leaf in tree.within(part).filter(|leaf| tree.is_leaf(*leaf)) {
            let parameter = (self.parameters.iter()).position(|name| *name == document.slice(leaf));
            if let Some(parameter) = parameter {
                let place = tree.range(leaf);
                text.extend(&document.text[end..place.start]);
                let argument = document.slice(arguments[parameter]).to_vec();
                text.extend(in_place(document, leaf, argument));
                end = place.end;
            }
        }
        text.extend(&document.text[end..range.end]);
        text
    }
}

/// A text that is to stand in the place of a node: in brackets where it would be part of a bigger expression.
pub(super) fn in_place(document: &Document, node: usize, text: Vec<u8>) -> Vec<u8> {
    let tree = document.tree();
    let is_part = tree.parent(node).is_some_and(|parent| {
        let kinds = [parent, node].map(|node| tree.node(node).kind);
        document.grammar.are_exchangeable(kinds[0], kinds[1])
    });
    let is_long = crate::size::tokens(&text).nth(1).is_some();
    if is_part && is_long {
        [&b"("[..], &text, b")"].concat()
    } else {
        text
    }
}
