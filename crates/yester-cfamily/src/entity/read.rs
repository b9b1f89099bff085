use std::ops::Range;

use super::declaration::{Declaration, Shape};
use super::lexeme::{Kind, Lexemes, directive};
use super::mention::{Mentioned, Mentions};
use super::{Body, Care, Standing};

/// Reads the declarations of a text, and the statements in them.
pub(super) struct Reader<'a, 'text> {
    lexemes: &'a Lexemes<'text>,
    items: Vec<Found>,
}

/// An item by its lexemes.
pub(super) struct Found {
    pub range: Range<usize>,
    pub parent: Option<usize>,
    pub standing: Standing,
    /// In order.
    pub names: Vec<usize>,
    pub conditions: Vec<Range<usize>>,
    /// Names that mean something else here: parameters, variables.
    pub local: Vec<usize>,
    /// What it is a member of, if that is declared elsewhere.
    pub outside: Option<usize>,
    pub operands: Option<(Range<usize>, Care)>,
    pub is_callable: bool,
    pub is_member: bool,
    pub is_friend: bool,
    pub is_alias: bool,
}

/// A list of items that is being read.
struct List {
    /// What it belongs to.
    item: Option<usize>,
    end: usize,
    /// Where the list around it goes on.
    resume: usize,
    kind: ListKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ListKind {
    Space,
    Class,
    Block,
}

impl<'a, 'text> Reader<'a, 'text> {
    /// The items of a text, each before those in it, and what they mention.
    pub fn items(lexemes: &'a Lexemes<'text>) -> Mentioned {
        let mut reader = Reader {
            lexemes,
            items: Vec::new(),
        };
        reader.read();
        Mentions::new(lexemes, reader.items).items()
    }

    fn read(&mut self) {
        let lexemes = self.lexemes;
        let mut lists = vec![List {
            item: None,
            end: lexemes.len(),
            resume: lexemes.len(),
            kind: ListKind::Space,
        }];
        let mut at = 0;
        while let Some(list) = lists.last() {
            if at >= list.end {
                at = list.resume;
                lists.pop();
                continue;
            }
            let (item, kind, end) = (list.item, list.kind, list.end);
            if lexemes.kind(at) == Some(Kind::Directive) {
                match directive(lexemes.bytes(at)) {
                    b"define" if kind != ListKind::Block => {
                        self.push(at..at + 1, item, Standing::Usual);
                    }
                    b"pragma" | b"ident" => {
                        self.push(at..at + 1, item, Standing::Marker);
                    }
                    _ => {}
                }
                at += 1;
                continue;
            }
            match lexemes.bytes(at) {
                // A semicolon by itself, or a brace too many.
                b";" | b"}" => {
                    at += 1;
                    continue;
                }
                b"public" | b"private" | b"protected" if kind == ListKind::Class => {
                    at += 1;
                    while at < end && !lexemes.is(at, ":") && !lexemes.is(at, ";") {
                        at += 1;
                    }
                    at += 1;
                    continue;
                }
                _ => {}
            }
            at = match kind {
                ListKind::Block => self.statement(at, end, item, &mut lists),
                _ => self.declaration(at, end, item, kind, &mut lists),
            };
        }
    }

    fn push(&mut self, range: Range<usize>, parent: Option<usize>, standing: Standing) -> usize {
        self.items.push(Found {
            range,
            parent,
            standing,
            names: Vec::new(),
            conditions: Vec::new(),
            local: Vec::new(),
            outside: None,
            operands: None,
            is_callable: false,
            is_member: false,
            is_friend: false,
            is_alias: false,
        });
        self.items.len() - 1
    }

    /// Reads a declaration. Returns where to go on.
    fn declaration(
        &mut self,
        at: usize,
        limit: usize,
        parent: Option<usize>,
        kind: ListKind,
        lists: &mut Vec<List>,
    ) -> usize {
        let is_member = kind == ListKind::Class;
        let Declaration {
            end,
            shape,
            names,
            qualifiers,
            parameters,
            operands,
            is_friend,
            outside,
            is_field,
            is_callable,
            is_alias,
        } = self.lexemes.declaration(at, limit, is_member);
        let standing = match shape {
            Shape::Space(_) => Standing::Space,
            Shape::Directive => Standing::Directive,
            Shape::Check if is_member => Standing::Check,
            Shape::Check if names.is_empty() => Standing::Idle,
            Shape::Idle => Standing::Idle,
            Shape::Marker if !is_member => Standing::Marker,
            _ if is_field => Standing::Fixed,
            _ => Standing::Usual,
        };
        let number = self.push(at..end, parent, standing);
        let is_operator = names.is_empty() && !is_member;
        let is_outside = outside.is_some() && !is_friend;
        let item = &mut self.items[number];
        item.names = names;
        item.names.sort_unstable();
        item.local = parameters;
        item.is_callable = is_callable;
        item.is_member = is_member || outside.is_some();
        item.is_friend = is_friend;
        item.is_alias = is_alias;
        item.outside = outside.filter(|_| !is_friend);
        item.conditions = qualifiers;
        // A friend that is defined here may be called by nobody's name.
        let is_mere_friend = is_friend && shape == Shape::Plain;
        if is_mere_friend || is_operator && standing == Standing::Usual {
            let head = match &shape {
                Shape::Function { body, .. } => at..body.start,
                _ => at..end,
            };
            item.conditions = vec![head];
            item.operands = operands.filter(|_| is_operator).map(|operands| {
                match self.lexemes.compared(operands.clone()) {
                    Some(first) => (first, Care::Usual),
                    None => (operands, Care::Most),
                }
            });
            // `friend class` declares nothing.
            let is_function = |name: &usize| self.lexemes.is(name + 1, "(");
            item.names
                .retain(|name| !is_mere_friend || is_function(name));
        }
        match shape {
            Shape::Function {
                body,
                is_constant,
                is_deduced,
            } => {
                let standing = Standing::Body(Body {
                    is_initialising: !self.lexemes.is(body.start, "{"),
                    is_constant,
                    is_deduced,
                    is_outside,
                });
                let inner = self.push(body.clone(), Some(number), standing);
                let open = self
                    .lexemes
                    .mate(body.end - 1)
                    .filter(|open| *open >= body.start);
                open.map_or(end, |open| self.open_block(open, end, inner, lists))
            }
            Shape::Class(braces) => {
                lists.push(List {
                    item: Some(number),
                    end: braces.end - 1,
                    resume: end,
                    kind: ListKind::Class,
                });
                braces.start + 1
            }
            Shape::Space(braces) => {
                lists.push(List {
                    item: Some(number),
                    end: braces.end - 1,
                    resume: end,
                    kind: ListKind::Space,
                });
                braces.start + 1
            }
            _ => end,
        }
    }

    /// Goes into braces that have statements in them. Returns where to go on.
    fn open_block(&self, open: usize, resume: usize, item: usize, lists: &mut Vec<List>) -> usize {
        lists.push(List {
            item: Some(item),
            end: self.lexemes.behind(open) - 1,
            resume,
            kind: ListKind::Block,
        });
        open + 1
    }

    fn statement(
        &mut self,
        at: usize,
        limit: usize,
        parent: Option<usize>,
        lists: &mut Vec<List>,
    ) -> usize {
        let end = self.lexemes.behind_statement(at, limit);
        let number = self.push(at..end, parent, Standing::Statement);
        self.items[number].names = self.lexemes.variables(at..end);
        // The blocks in it, the first one on top.
        let mut blocks = Vec::new();
        let mut inner = at;
        while inner < end {
            if self.lexemes.is(inner, "{") && self.has_statements(inner) {
                blocks.push(inner);
                inner = self.lexemes.behind(inner);
            } else {
                if self.lexemes.is_inner_variable(inner) {
                    self.items[number].local.push(inner);
                }
                inner += 1;
            }
        }
        let mut at = end;
        for open in blocks.into_iter().rev() {
            at = self.open_block(open, at, number, lists);
        }
        at
    }

    fn has_statements(&self, open: usize) -> bool {
        let Some(close) = self.lexemes.mate(open) else {
            return false;
        };
        let mut at = open + 1;
        while at < close {
            if self.lexemes.is(at, ";") {
                return true;
            }
            at = self.lexemes.behind(at);
        }
        false
    }
}
