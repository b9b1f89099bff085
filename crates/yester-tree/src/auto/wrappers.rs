//! Types of C and C++ that only stand for another type: that other type can stand for them.

use super::batch::{Batch, Idea, Source, View};
use super::parts::pooled;
use crate::{Change, Document};

/// A structure with one member goes, its name becomes the member's type, and `a->member` becomes `*a`. A second name for a
/// type goes, and the first one stands in its place.
pub(super) fn wrappers(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let document = view.document;
    let tree = document.tree();
    let mut ideas = Vec::new();
    for node in 0..tree.len() {
        let found = match kind(document, node) {
            "struct_specifier" | "union_specifier" => Wrapper::structure(document, node),
            "type_definition" => Wrapper::alias(document, node),
            _ => None,
        };
        let Some(wrapper) = found else {
            continue;
        };
        let removal = match wrapper.declaration {
            Some(declaration) => view.removal(declaration),
            None => Some(Change::Put(
                tree.range(node),
                wrapper.content.as_slice().into(),
            )),
        };
        let Some(removal) = removal else {
            continue;
        };
        let mut changes = vec![removal];
        changes.extend(wrapper.uses(document));
        ideas.push(Idea {
            key: view.key(node),
            gain: tree.range(wrapper.declaration.unwrap_or(node)).len() as u64,
            changes,
        });
    }
    let mut batches = Vec::new();
    pooled(ideas, Source::Wrappers, false, &mut batches);
    batches
}

struct Wrapper<'a> {
    /// What goes, unless the type has no name and its content stands in its place right there.
    declaration: Option<usize>,
    name: Option<&'a [u8]>,
    member: Option<&'a [u8]>,
    /// What it stands for, such as `int*`.
    content: Vec<u8>,
}

impl<'a> Wrapper<'a> {
    /// `typedef struct {int member;} name;`, `struct name {int member;};`, or `struct {int member;}` without a name.
    fn structure(document: &'a Document, structure: usize) -> Option<Wrapper<'a>> {
        let tree = document.tree();
        let child = |node: usize, wanted: &str| {
            tree.children(node)
                .find(|child| kind(document, *child) == wanted)
        };
        let body = child(structure, "field_declaration_list")?;
        let mut members = tree
            .children(body)
            .filter(|child| kind(document, *child) == "field_declaration");
        let (member, None) = (members.next()?, members.next()) else {
            return None;
        };
        let in_member = |part: &usize| kind(document, *part) == "field_identifier";
        let member_name = tree.within(member).rfind(in_member)?;
        let parent = tree.parent(structure)?;
        let (declaration, name) = if kind(document, parent) == "type_definition" {
            (Some(parent), Some(child(parent, "type_identifier")?))
        } else {
            let name = child(structure, "type_identifier");
            (name.map(|_| structure), name)
        };
        Some(Wrapper {
            declaration,
            name: name.map(|name| document.slice(name)),
            member: Some(document.slice(member_name)),
            content: before(document, member, member_name),
        })
    }

    /// `typedef int name;`
    fn alias(document: &'a Document, definition: usize) -> Option<Wrapper<'a>> {
        let tree = document.tree();
        let is_name = |part: &usize| kind(document, *part) == "type_identifier";
        let name = tree.within(definition).rfind(is_name)?;
        let first = tree
            .children(definition)
            .find(|child| tree.node(*child).is_named)?;
        let is_plain = matches!(
            kind(document, first),
            "primitive_type" | "type_identifier" | "sized_type_specifier"
        );
        (is_plain && first < name).then(|| Wrapper {
            declaration: Some(definition),
            name: Some(document.slice(name)),
            member: None,
            content: before(document, first, name),
        })
    }

    fn uses(&self, document: &Document) -> Vec<Change> {
        let tree = document.tree();
        let mut changes = Vec::new();
        for node in 0..tree.len() {
            let range = tree.range(node);
            match kind(document, node) {
                "type_identifier" if Some(document.slice(node)) == self.name => {
                    let parent = tree.parent(node).unwrap_or(node);
                    let whole = match kind(document, parent) {
                        "struct_specifier" | "union_specifier" => tree.range(parent),
                        _ => range,
                    };
                    changes.push(Change::Put(whole, self.content.as_slice().into()));
                }
                "field_expression" => {
                    let mut children = tree.children(node);
                    let (Some(object), Some(operator), Some(member)) =
                        (children.next(), children.next(), children.next())
                    else {
                        continue;
                    };
                    if Some(document.slice(member)) != self.member {
                        continue;
                    }
                    let mut text = document.slice(object).to_vec();
                    if document.slice(operator) == b"->" {
                        match tree.parent(node).map(|parent| kind(document, parent)) {
                            // What follows binds more tightly than a star.
                            Some(
                                "subscript_expression" | "field_expression" | "call_expression",
                            ) => text.extend(b"[0]"),
                            _ => text.insert(0, b'*'),
                        }
                    }
                    changes.push(Change::Put(range, text.into()));
                }
                _ => {}
            }
        }
        changes
    }
}

/// The text from the start of a node to the start of a part of it.
fn before(document: &Document, node: usize, part: usize) -> Vec<u8> {
    let tree = document.tree();
    let range = tree.range(node).start..tree.range(part).start;
    // `name x` becomes `int x`, not `intx`.
    [document.text[range].trim_ascii(), b" "].concat()
}

fn kind(document: &Document, node: usize) -> &str {
    document.grammar.kind_name(document.tree().node(node).kind)
}
