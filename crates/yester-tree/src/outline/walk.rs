use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::identifier::identifiers;
use super::scope::Scopes;
use super::table::{NamePath, OutlineTable, Role};
use super::{Entity, Outline};

/// A longer name of an entity is cut.
const MOST_CHARACTERS: usize = 80;

/// How many names back a name is looked for that its line already has. A line of a megabyte must not take a minute.
const LOOK_BACK: usize = 32;

/// In a longer text, open names are not looked for: that takes longer than most tests.
const MOST_BYTES: usize = 1 << 20;

/// Goes once through all nodes of a tree.
pub(super) struct Walk<'tree> {
    table: &'tree OutlineTable,
    content: &'tree [u8],
    parsed: &'tree tree_sitter::Tree,
    /// For going from a node to its names.
    scout: TreeCursor<'tree>,
    /// Where the entities end that are open.
    entities: Vec<usize>,
    scopes: Scopes<'tree>,
    /// Where the part ends whose names need no definition.
    optional: usize,
    /// Where names start that are members of something.
    members: HashSet<usize>,
    /// What names are that come later, by where they start.
    bound: HashMap<usize, Role>,
    outline: Outline,
}

/// What is known of the parts of a node that were gone through already.
#[derive(Clone, Copy, Default)]
struct Level {
    /// The first and the last line of the comments and attributes right before.
    lead: Option<(u32, u32)>,
    /// The last line of the part before.
    before: Option<u32>,
    /// Where the next entity starts, when all this wraps it.
    start: Option<u32>,
}

impl<'tree> Walk<'tree> {
    pub(super) fn new(
        table: &'tree OutlineTable,
        content: &'tree [u8],
        parsed: &'tree tree_sitter::Tree,
    ) -> Walk<'tree> {
        Walk {
            table,
            content,
            parsed,
            scout: parsed.walk(),
            entities: Vec::new(),
            scopes: Scopes::new(),
            optional: 0,
            members: HashSet::new(),
            bound: HashMap::new(),
            outline: Outline::default(),
        }
    }

    pub(super) fn outline(mut self) -> Outline {
        let mut cursor = self.parsed.walk();
        let mut levels = vec![Level::default()];
        'nodes: loop {
            let inner = self.visit(cursor.node(), levels.last_mut().expect("the root's"));
            if cursor.goto_first_child() {
                levels.push(inner);
                continue;
            }
            while !cursor.goto_next_sibling() {
                levels.pop();
                if !cursor.goto_parent() {
                    break 'nodes;
                }
            }
        }
        // Names that are no tokens were found before those in front of them.
        self.outline.definitions.sort_by_key(|(_, line)| *line);
        self.outline.uses.sort_by_key(|(_, line)| *line);
        self.outline.open = self.scopes.left_open();
        self.outline
    }

    /// Takes in a node, and gives what is known at its first part.
    fn visit(&mut self, node: Node<'tree>, level: &mut Level) -> Level {
        let start = node.start_byte();
        let has_ended = |ends: &mut Vec<usize>| {
            while ends.last().is_some_and(|end| *end <= start) {
                ends.pop();
            }
        };
        has_ended(&mut self.entities);
        self.scopes.leave(start);
        let traits = self.table.traits(node.kind_id());
        let lines = self.lines(node);
        let wraps = |(_, last): &(u32, u32)| last + 1 >= lines.start;
        let first = level
            .start
            .or_else(|| level.lead.filter(wraps).map(|(first, _)| first))
            .unwrap_or(lines.start);
        if traits.has_rules {
            let is_entity = self.apply(node, first..lines.end);
            if is_entity {
                level.start = None;
            }
        }
        if traits.is_name {
            self.name(node);
        } else if traits.is_comment {
            self.outline.comments.push(node.byte_range());
        } else if traits.is_raw {
            self.raw(node);
        }
        if traits.is_body {
            self.scopes.enter(node.end_byte());
        }
        let last = lines.end.saturating_sub(1);
        level.lead = match level.lead {
            _ if !(traits.is_comment || traits.is_lead) => None,
            Some((first, before)) if before + 1 >= lines.start => Some((first, last)),
            // A comment behind something on its line is about that.
            _ => level
                .before
                .is_none_or(|before| before < lines.start)
                .then_some((lines.start, last)),
        };
        level.before = Some(last);
        Level {
            lead: None,
            before: Some(lines.start),
            start: traits.is_wrap.then_some(first),
        }
    }

    /// The lines of a node. Some grammars count the line breaks behind it.
    fn lines(&self, node: Node<'_>) -> Range<u32> {
        let (start, end) = (node.start_position(), node.end_position());
        let text = &self.content[node.byte_range()];
        let space = &text[text.trim_ascii_end().len()..];
        let breaks = space.iter().filter(|byte| **byte == b'\n').count();
        let last = (end.row - breaks.min(end.row - start.row)) as u32;
        start.row as u32..last + 1
    }

    /// Applies the rules for a node. True if it is an entity.
    fn apply(&mut self, node: Node<'tree>, lines: Range<u32>) -> bool {
        let table = self.table;
        let mut is_entity = false;
        let row = node.start_position().row as u32;
        for rule in table.rules(node) {
            let is_kept = match rule.role {
                Role::Entity => true,
                Role::Region => lines.end > row + 1 && !self.scopes.is_inside(),
                _ => false,
            };
            if is_kept
                && !is_entity
                && let Some(name) = self.label(node, &rule.path)
            {
                is_entity = true;
                self.outline.entities.push(Entity {
                    name,
                    kind: rule.word,
                    lines: lines.clone(),
                    depth: self.entities.len(),
                });
            }
            let role = match rule.role {
                Role::Region => continue,
                Role::Optional => {
                    let parts = table.follow(node, &rule.path, false, &mut self.scout);
                    let ends = parts.iter().map(|part| part.end_byte());
                    self.optional = ends.max().unwrap_or_default().max(self.optional);
                    continue;
                }
                Role::Member => {
                    let names = table.follow(node, &rule.path, false, &mut self.scout);
                    self.members
                        .extend(names.iter().map(|name| name.start_byte()));
                    continue;
                }
                Role::Entity => Role::Define,
                Role::Variable if !self.scopes.is_inside() => Role::Define,
                Role::Variable => Role::Local,
                role => role,
            };
            for name in table.follow(node, &rule.path, false, &mut self.scout) {
                let traits = table.traits(name.kind_id());
                if traits.is_name {
                    let before = self.bound.entry(name.start_byte()).or_insert(role);
                    if matches!(role, Role::Define | Role::Bind) {
                        *before = role;
                    }
                } else if traits.is_text {
                    self.text(name, role);
                }
            }
        }
        if is_entity {
            self.entities.push(node.end_byte());
        }
        is_entity
    }

    /// What an entity is called.
    fn label(&mut self, node: Node<'tree>, path: &NamePath) -> Option<String> {
        if path.is_none() {
            let text = &self.content[node.byte_range()];
            let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let line = line.trim_ascii_end();
            return Some(short(line.strip_suffix(b"{").unwrap_or(line)));
        }
        let table = self.table;
        let names = table.follow(node, path, true, &mut self.scout);
        let name = names.first()?;
        let text = &self.content[name.byte_range()];
        let label = if table.traits(name.kind_id()).is_text {
            short(unquoted(text))
        } else {
            short(text)
        };
        Some(label).filter(|label| table.is_possible(label.as_bytes()))
    }

    /// Takes in an identifier.
    fn name(&mut self, node: Node<'tree>) {
        if node.is_missing() {
            return;
        }
        let traits = self.table.traits(node.kind_id());
        let role = self.bound.remove(&node.start_byte()).unwrap_or(Role::Use);
        let role = match role {
            Role::Define if traits.is_both => Role::Bind,
            role => role,
        };
        let line = node.start_position().row as u32;
        let name = &self.content[node.byte_range()];
        if node.start_byte() < self.optional {
            return;
        }
        // An import defines the last part of a path.
        let is_member = self.members.remove(&node.start_byte()) && role != Role::Bind;
        if traits.is_open
            && !is_member
            && self.table.is_possible(name)
            && self.content.len() <= MOST_BYTES
        {
            match role {
                Role::Local => self.scopes.define_here(name),
                Role::Use => self.scopes.use_here(name, line),
                _ => self.scopes.define_everywhere(name),
            }
        }
        self.add(name, line, role);
    }

    /// Takes in a name that is no identifier.
    fn text(&mut self, node: Node<'tree>, role: Role) {
        let mut name = unquoted(&self.content[node.byte_range()]);
        if role == Role::Bind {
            // What is imported by its place is called as the place.
            name = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        }
        self.add(name, node.start_position().row as u32, role);
    }

    /// Takes in the identifiers of a text that the grammar left whole.
    fn raw(&mut self, node: Node<'tree>) {
        let text = &self.content[node.byte_range()];
        let mut line = node.start_position().row as u32;
        let mut counted = 0;
        for (name, at) in identifiers(text) {
            let breaks = text[counted..at].iter().filter(|byte| **byte == b'\n');
            line += breaks.count() as u32;
            counted = at;
            self.add(name, line, Role::Use);
        }
    }

    fn add(&mut self, name: &[u8], line: u32, role: Role) {
        if !self.table.is_possible(name) {
            return;
        }
        let name = String::from_utf8_lossy(name);
        let Outline {
            definitions,
            locals,
            uses,
            ..
        } = &mut self.outline;
        let add = |list: &mut Vec<(String, u32)>| {
            let mut near = list.iter().rev().take(LOOK_BACK);
            let is_known = near
                .by_ref()
                .take_while(|(_, other)| *other == line)
                .any(|(other, _)| **other == *name);
            if !is_known {
                list.push((name.clone().into_owned(), line));
            }
        };
        match role {
            Role::Local => add(locals),
            Role::Use => add(uses),
            Role::Bind => {
                add(definitions);
                add(uses);
            }
            _ => add(definitions),
        }
    }
}

/// A text on one line and not too long.
fn short(text: &[u8]) -> String {
    let start = &text[..text.len().min(4 * MOST_CHARACTERS)];
    let text = String::from_utf8_lossy(start);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(MOST_CHARACTERS).collect()
}

fn unquoted(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii();
    match text {
        [first @ (b'"' | b'\'' | b'`'), inner @ .., last] if first == last => inner,
        _ => text,
    }
}
