use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

use super::{Body, Item, Name, Standing, number_of};
use crate::language::LanguageRoles;
use crate::outline::{OutlineTable, Role};
use crate::size::tokens;

/// Goes once through all nodes of a piece of text.
pub(super) struct Walk<'a, 'text> {
    table: &'a OutlineTable,
    roles: &'a LanguageRoles,
    text: &'text [u8],
    /// The numbers of all names so far.
    numbers: &'a mut HashMap<&'text [u8], Name>,
    items: Vec<Item>,
    /// The names that are mentioned outside of all items.
    loose: Vec<Name>,
    /// The items that are open.
    open: Vec<usize>,
    /// Where the body ends that is open.
    body_end: usize,
    /// The items that make no sense outside of their bodies.
    faulty: HashSet<usize>,
    /// Which names are declared that come later, by where they start: for everybody, or for the item they are in.
    declared: HashMap<usize, bool>,
    /// Whether the item that was opened last has declared something for itself, as a template does.
    has_parameters: bool,
    /// The place in which a mention is a condition.
    conditional: Range<usize>,
}

impl<'a, 'text> Walk<'a, 'text> {
    pub(super) fn new(
        table: &'a OutlineTable,
        roles: &'a LanguageRoles,
        text: &'text [u8],
        numbers: &'a mut HashMap<&'text [u8], Name>,
    ) -> Self {
        Walk {
            table,
            roles,
            text,
            numbers,
            items: Vec::new(),
            loose: Vec::new(),
            open: Vec::new(),
            body_end: 0,
            faulty: HashSet::new(),
            declared: HashMap::new(),
            has_parameters: false,
            conditional: 0..0,
        }
    }

    /// The items of the text, and the names that are mentioned between them: what is no item stays.
    pub(super) fn items(mut self, parsed: &Tree) -> (Vec<Item>, Vec<Name>) {
        let mut cursor = parsed.walk();
        let mut scout = parsed.walk();
        // The nodes around the one that is visited.
        let mut around: Vec<Node<'_>> = Vec::new();
        'nodes: loop {
            let node = cursor.node();
            self.visit(node, around.last().copied(), &mut scout);
            if cursor.goto_first_child() {
                around.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                around.pop();
                if !cursor.goto_parent() {
                    break 'nodes;
                }
            }
        }
        for (number, item) in self.items.iter_mut().enumerate() {
            let is_usual = item.standing == Standing::Usual;
            if is_usual && item.names.is_empty() && self.faulty.contains(&number) {
                item.names.extend(&item.uses);
            }
            let body = item.body.as_mut().map(|body| &mut body.uses);
            let lists = [&mut item.names, &mut item.uses, &mut item.conditions];
            for names in lists.into_iter().chain(body) {
                names.sort_unstable();
                names.dedup();
                names.shrink_to_fit();
            }
        }
        self.neighbours_of_unknown_stay();
        self.empty_spaces_stay();
        self.conditions_of_nameless();
        let spaces = (self.items.iter()).filter(|item| item.standing == Standing::Space);
        self.loose.extend(spaces.flat_map(|item| &item.uses));
        (self.items, self.loose)
    }

    /// What the parser makes no sense of may begin in the item before and end in the one behind.
    fn neighbours_of_unknown_stay(&mut self) {
        let mut siblings: HashMap<Option<usize>, usize> = HashMap::new();
        let mut found = Vec::new();
        for (number, item) in self.items.iter().enumerate() {
            let before = siblings.insert(item.parent, number);
            if let Some(before) = before {
                let is_unknown = |item: usize| self.items[item].standing == Standing::Unknown;
                match (is_unknown(before), is_unknown(number)) {
                    (true, false) => found.push(number),
                    (false, true) => found.push(before),
                    _ => {}
                }
            }
        }
        for number in found {
            if self.items[number].standing == Standing::Usual {
                self.items[number].standing = Standing::Unknown;
            }
        }
    }

    /// An empty namespace tells something about later ones of its name.
    fn empty_spaces_stay(&mut self) {
        let mut is_empty = vec![true; self.items.len()];
        for parent in self.items.iter().filter_map(|item| item.parent) {
            is_empty[parent] = false;
        }
        for (item, is_empty) in self.items.iter_mut().zip(is_empty) {
            if is_empty && item.standing == Standing::Space {
                item.standing = Standing::Unknown;
            }
        }
    }

    /// What declares no name outside of classes, such as an operator, is needed with all that it is about.
    fn conditions_of_nameless(&mut self) {
        for number in 0..self.items.len() {
            let mut around =
                std::iter::successors(self.items[number].parent, |item| self.items[*item].parent);
            let is_member = around.any(|item| self.items[item].standing != Standing::Space);
            let item = &mut self.items[number];
            if !is_member && item.names.is_empty() && item.standing == Standing::Usual {
                item.conditions = item.uses.clone();
            }
        }
    }

    fn visit<'tree>(
        &mut self,
        node: Node<'tree>,
        parent: Option<Node<'tree>>,
        scout: &mut TreeCursor<'tree>,
    ) {
        let range = node.byte_range();
        while (self.open.last()).is_some_and(|item| self.items[*item].range.end <= range.start) {
            self.open.pop();
        }
        let is_in_body = range.start < self.body_end;
        let table = self.table;
        let traits = table.traits(node.kind_id());
        if let Some(parent) = parent.filter(|_| !is_in_body) {
            let around = table.traits(parent.kind_id());
            // A semicolon by itself belongs to what is before it.
            let is_something = !range.is_empty() && self.text[range.clone()] != *b";";
            let is_item = node.is_error() || node.is_named() && !node.is_extra();
            if around.is_list && is_item && is_something {
                let standing = match traits {
                    traits if node.is_error() || traits.is_misread => Standing::Unknown,
                    traits if traits.is_space && self.has_list(node, scout) => Standing::Space,
                    traits if traits.is_directive && self.opens_a_space(&range) => {
                        Standing::Directive
                    }
                    traits if traits.is_idle => Standing::Idle,
                    traits if traits.is_fixed && !self.text[range.clone()].contains(&b'(') => {
                        Standing::Fixed
                    }
                    _ => Standing::Usual,
                };
                self.items.push(Item {
                    range: self.with_surroundings(&range),
                    parent: self.open.last().copied(),
                    standing,
                    ..Item::default()
                });
                self.open.push(self.items.len() - 1);
                self.has_parameters = false;
            }
            if traits.is_forward && (around.is_list || around.is_wrap) {
                let name = table.first_name(node, scout);
                self.declared
                    .extend(name.map(|name| (name.start_byte(), true)));
            }
            if traits.has_rules {
                self.apply(node, scout);
            }
            if around.is_body && self.roles.bodies.contains(&node.kind_id()) {
                self.body(range.clone());
            }
        }
        if node.is_error() || node.is_missing() {
            self.fault(is_in_body);
        } else if traits.is_name || traits.is_builtin {
            self.name(range);
        }
    }

    /// A place with the blanks before it, which may stand for noise, and with the semicolon behind it.
    fn with_surroundings(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.text[..range.start].trim_ascii_end().len();
        let rest = &self.text[range.end..];
        match rest.trim_ascii_start() {
            [b';', after @ ..] => start..range.end + rest.len() - after.len(),
            _ => start..range.end,
        }
    }

    fn opens_a_space(&self, range: &Range<usize>) -> bool {
        tokens(&self.text[range.clone()]).any(|word| word == b"namespace")
    }

    fn has_list<'tree>(&self, node: Node<'tree>, scout: &mut TreeCursor<'tree>) -> bool {
        let mut children = node.children(scout);
        children.any(|child| self.table.traits(child.kind_id()).is_list)
    }

    /// Notes the names that a node declares.
    fn apply<'tree>(&mut self, node: Node<'tree>, scout: &mut TreeCursor<'tree>) {
        let table = self.table;
        let traits = table.traits(node.kind_id());
        for rule in table.rules(node) {
            let is_for_all = match rule.role {
                Role::Entity | Role::Define | Role::Variable | Role::Bind => true,
                Role::Local => false,
                _ => continue,
            };
            for name in table.follow(node, &rule.path, false, scout) {
                let is_known = self.declared.entry(name.start_byte()).or_insert(is_for_all);
                *is_known |= is_for_all;
            }
            // The name of a specialisation, or of a member that is defined outside of its class.
            if is_for_all
                && let [whole, ..] = table.follow(node, &rule.path, true, scout)[..]
                && !table.traits(whole.kind_id()).is_name
                && !(rule.role == Role::Entity && traits.is_forward && self.has_parameters)
            {
                self.conditional = whole.byte_range();
            }
        }
    }

    fn body(&mut self, range: Range<usize>) {
        let Some(item) = self.open.last().map(|item| &mut self.items[*item]) else {
            return;
        };
        if item.body.is_none() {
            let before = &self.text[item.range.start..range.start];
            let decides = |word: &[u8]| {
                self.table
                    .deciding
                    .iter()
                    .any(|other| other.as_bytes() == word)
            };
            item.body = Some(Body {
                is_part_of_use: tokens(before).any(decides),
                uses: Vec::new(),
                range: range.clone(),
            });
            self.body_end = range.end;
        }
    }

    /// What an item declares that makes no sense cannot be told: it may be any of its names.
    fn fault(&mut self, is_in_body: bool) {
        if let Some(item) = self.open.last().filter(|_| !is_in_body) {
            self.faulty.insert(*item);
        }
    }

    fn name(&mut self, range: Range<usize>) {
        let name = number_of(&self.text[range.clone()], self.numbers);
        let Some(item) = self.open.last().map(|item| &mut self.items[*item]) else {
            self.loose.push(name);
            return;
        };
        if range.start < self.body_end {
            if let Some(body) = &mut item.body {
                body.uses.push(name);
            }
            return;
        }
        match self.declared.remove(&range.start) {
            Some(true) => item.names.push(name),
            Some(false) => self.has_parameters = true,
            None => {
                item.uses.push(name);
                if self.conditional.contains(&range.start) {
                    item.conditions.push(name);
                }
            }
        }
    }
}
