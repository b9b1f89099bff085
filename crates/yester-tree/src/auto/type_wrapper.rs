//! Types that only wrap another type: the other type can stand in their place.

use super::batch::{Batch, Idea, View};
use crate::{Change, Document, Kind, TypeRoles};

/// A structure with one member goes, its name becomes the member's type, and `a->member` becomes `*a`. A second name for
/// a type goes, and the first one stands in its place.
pub(super) fn type_wrappers(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    let tree = document.tree();
    let Some(roles) = &document.grammar.roles().types else {
        return Vec::new();
    };
    if view.detail > 0 {
        return Vec::new();
    }
    let mut ideas = Vec::new();
    for node in 0..tree.len() {
        let kind = tree.node(node).kind;
        let found = if roles.structures.contains(&kind) {
            Wrapper::structure(document, roles, node)
        } else if roles.aliases.contains(&kind) {
            Wrapper::alias(document, roles, node)
        } else {
            None
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
        changes.extend(wrapper.uses(document, roles));
        ideas.push(Idea {
            key: view.key(node),
            gain: tree.range(wrapper.declaration.unwrap_or(node)).len() as u64,
            changes,
        });
    }
    vec![view.batch(ideas)]
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
    fn structure(document: &'a Document, roles: &TypeRoles, node: usize) -> Option<Wrapper<'a>> {
        let tree = document.tree();
        let child = |node: usize, kinds: &[Kind]| {
            tree.children(node)
                .find(|child| kinds.contains(&tree.node(*child).kind))
        };
        let list = child(node, &roles.member_lists)?;
        let mut members = tree
            .children(list)
            .filter(|child| roles.members.contains(&tree.node(*child).kind));
        let (member, None) = (members.next()?, members.next()) else {
            return None;
        };
        let is_member_name = |part: &usize| roles.member_names.contains(&tree.node(*part).kind);
        let member_name = tree.within(member).rfind(is_member_name)?;
        let parent = tree.parent(node)?;
        let (declaration, name) = if roles.aliases.contains(&tree.node(parent).kind) {
            (Some(parent), Some(child(parent, &roles.type_names)?))
        } else {
            let name = child(node, &roles.type_names);
            (name.map(|_| node), name)
        };
        Some(Wrapper {
            declaration,
            name: name.map(|name| document.slice(name)),
            member: Some(document.slice(member_name)),
            content: before(document, member, member_name),
        })
    }

    /// `typedef int name;`
    fn alias(document: &'a Document, roles: &TypeRoles, node: usize) -> Option<Wrapper<'a>> {
        let tree = document.tree();
        let is_name = |part: &usize| roles.type_names.contains(&tree.node(*part).kind);
        let name = tree.within(node).rfind(is_name)?;
        let first = tree
            .children(node)
            .find(|child| tree.node(*child).is_named)?;
        let is_plain = roles.plain_types.contains(&tree.node(first).kind);
        (is_plain && first < name).then(|| Wrapper {
            declaration: Some(node),
            name: Some(document.slice(name)),
            member: None,
            content: before(document, first, name),
        })
    }

    /// What becomes of its uses.
    fn uses(&self, document: &Document, roles: &TypeRoles) -> Vec<Change> {
        let tree = document.tree();
        let mut changes = Vec::new();
        for node in 0..tree.len() {
            let kind = tree.node(node).kind;
            if roles.type_names.contains(&kind) && Some(document.slice(node)) == self.name {
                // `struct name` is one type.
                let parent = tree.parent(node);
                let whole = parent
                    .filter(|parent| roles.structures.contains(&tree.node(*parent).kind))
                    .unwrap_or(node);
                changes.push(Change::Put(
                    tree.range(whole),
                    self.content.as_slice().into(),
                ));
            } else if roles.accesses.contains(&kind) {
                changes.extend(self.access(document, roles, node));
            }
        }
        changes
    }

    /// What stands in the place of an access to its member.
    fn access(&self, document: &Document, roles: &TypeRoles, node: usize) -> Option<Change> {
        let tree = document.tree();
        let mut children = tree.children(node);
        let (object, operator, member) = (children.next()?, children.next()?, children.next()?);
        if Some(document.slice(member)) != self.member {
            return None;
        }
        let mut text = document.slice(object).to_vec();
        if document.slice(operator) == roles.arrow.as_bytes() {
            let [before, after] = roles.dereference.map(str::as_bytes);
            let parent = tree.parent(node);
            let is_tight =
                parent.is_some_and(|parent| roles.tight.contains(&tree.node(parent).kind));
            text = if is_tight {
                [&text, after].concat()
            } else {
                [before, &text].concat()
            };
        }
        Some(Change::Put(tree.range(node), text.into()))
    }
}

/// The text from the start of a node to the start of a part of it.
fn before(document: &Document, node: usize, part: usize) -> Vec<u8> {
    let tree = document.tree();
    let range = tree.range(node).start..tree.range(part).start;
    // `name x` becomes `int x`, not `intx`.
    [document.text[range].trim_ascii(), b" "].concat()
}
