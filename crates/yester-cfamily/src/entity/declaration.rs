use std::ops::Range;

use super::lexeme::{Kind, Lexemes};

/// One declaration, as far as its lexemes tell.
#[derive(Debug)]
pub(super) struct Declaration {
    /// The lexeme behind it.
    pub end: usize,
    pub shape: Shape,
    /// The names that it declares, each a lexeme.
    pub names: Vec<usize>,
    /// What its name is qualified and specialised with: lexemes.
    pub qualifiers: Vec<Range<usize>>,
    /// The parameters of its templates and of the function: lexemes.
    pub parameters: Vec<usize>,
    /// The parentheses of an operator.
    pub operands: Option<Range<usize>>,
    pub is_friend: bool,
    /// What it is a member of, if that is declared elsewhere: a lexeme.
    pub outside: Option<usize>,
    /// Whether it is a variable of its class.
    pub is_field: bool,
    /// Whether it is a function.
    pub is_callable: bool,
    /// Whether it is another name for a type.
    pub is_alias: bool,
}

/// What a declaration is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A function with a body.
    Function {
        /// From the initialisers of a constructor to the closing brace.
        body: Range<usize>,
        /// Whether it has to be defined before a constant needs it.
        is_constant: bool,
        /// Whether only the body tells what it returns.
        is_deduced: bool,
    },
    /// A class, with the braces around its members.
    Class(Range<usize>),
    /// A namespace or a linkage, with its braces.
    Space(Range<usize>),
    /// `using namespace`.
    Directive,
    /// Something that nothing needs.
    Idle,
    /// Something that may be needed, though nobody mentions it.
    Marker,
    /// Something that the compiler computes where it stands.
    Check,
    /// Anything else.
    Plain,
}

/// Words before parentheses that are not those of a function.
const MEASURES: &[&str] = &[
    "alignas",
    "_Alignas",
    "decltype",
    "__decltype",
    "explicit",
    "noexcept",
    "throw",
    "typeof",
    "__typeof",
    "__typeof__",
    "sizeof",
];

impl Lexemes<'_> {
    /// The declaration that begins here.
    pub fn declaration(&self, start: usize, limit: usize, is_member: bool) -> Declaration {
        let mut reading = Reading {
            lexemes: self,
            limit,
            first: start,
            chain: None,
            last: None,
            is_operator: false,
            has_parameters: false,
            is_assigned: false,
            declaration: Declaration {
                end: start,
                shape: Shape::Plain,
                names: Vec::new(),
                qualifiers: Vec::new(),
                parameters: Vec::new(),
                operands: None,
                is_friend: false,
                outside: None,
                is_field: false,
                is_callable: false,
                is_alias: false,
            },
        };
        let at = reading.header(start);
        reading.first = at;
        if !reading.special(at) {
            reading.usual(at, is_member);
        }
        let mut declaration = reading.declaration;
        declaration.end = declaration.end.clamp(start + 1, limit.max(start + 1));
        declaration
    }
}

/// A declaration while it is read.
struct Reading<'a, 'text> {
    lexemes: &'a Lexemes<'text>,
    limit: usize,
    /// The first lexeme behind template headers.
    first: usize,
    /// Where the qualified name began that was read last.
    chain: Option<usize>,
    /// The last word of that name, and what is behind it and its arguments.
    last: Option<(usize, usize)>,
    is_operator: bool,
    has_parameters: bool,
    /// Whether an initial value was met.
    is_assigned: bool,
    declaration: Declaration,
}

impl Reading<'_, '_> {
    /// Template headers and what they require.
    fn header(&mut self, mut at: usize) -> usize {
        let lexemes = self.lexemes;
        loop {
            if lexemes.is(at, "template")
                && lexemes.is(at + 1, "<")
                && let Some(behind) = lexemes.behind_arguments(at + 1, self.limit)
            {
                let parameters = lexemes.template_parameters(at + 1..behind - 1);
                self.declaration.parameters.extend(parameters);
                at = behind;
            } else if lexemes.is(at, "requires") {
                at = lexemes.behind_constraint(at + 1, self.limit);
            } else {
                return at;
            }
        }
    }

    fn behind_semicolon(&self, mut at: usize) -> usize {
        while at < self.limit && !self.lexemes.is(at, ";") {
            at = self.lexemes.behind(at);
        }
        (at + 1).min(self.limit)
    }

    /// Namespaces, linkages, `using` and what nothing needs. False for other declarations.
    fn special(&mut self, at: usize) -> bool {
        let lexemes = self.lexemes;
        let space = match lexemes.bytes(at) {
            b"inline" if lexemes.is(at + 1, "namespace") => at + 2,
            b"namespace" => at + 1,
            b"extern" if lexemes.bytes(at + 1).starts_with(b"\"") && lexemes.is(at + 2, "{") => {
                at + 2
            }
            b"static_assert" | b"_Static_assert" => {
                self.declaration.shape = Shape::Check;
                self.declaration.end = self.behind_semicolon(at);
                return true;
            }
            b"template" => {
                self.declaration.shape = Shape::Idle;
                self.declaration.end = self.behind_semicolon(at);
                return true;
            }
            b"extern" if lexemes.is(at + 1, "template") => {
                self.declaration.shape = Shape::Idle;
                self.declaration.end = self.behind_semicolon(at);
                return true;
            }
            b"using" => {
                self.using(at + 1);
                return true;
            }
            _ => return false,
        };
        let mut open = space;
        while open < self.limit && !matches!(lexemes.bytes(open), b"{" | b"=" | b";") {
            open += 1;
        }
        if lexemes.is(open, "{") {
            let names = (space..open).filter(|at| lexemes.is_name(*at));
            self.declaration.names = names.collect();
            self.declaration.end = lexemes.behind(open);
            self.declaration.shape = Shape::Space(open..self.declaration.end);
        } else {
            self.declaration.names = vec![space];
            self.declaration.end = self.behind_semicolon(open);
        }
        true
    }

    fn using(&mut self, at: usize) {
        let lexemes = self.lexemes;
        self.declaration.end = self.behind_semicolon(at);
        let words = at..self.declaration.end;
        if lexemes.is(at, "namespace") {
            self.declaration.shape = Shape::Directive;
            self.declaration.names = words
                .rev()
                .find(|at| lexemes.is_name(*at))
                .into_iter()
                .collect();
        } else if lexemes.is(at + 1, "=") {
            self.declaration.names = vec![at];
            self.declaration.is_alias = true;
        } else {
            let is_last = |at: &usize| {
                lexemes.is_name(*at) && matches!(lexemes.bytes(at + 1), b";" | b"," | b".")
            };
            if words.clone().any(|at| lexemes.is(at, "operator")) {
                self.declaration.shape = Shape::Marker;
            }
            self.declaration.names = words.filter(is_last).collect();
        }
    }

    /// Notes that the name that was read last is declared.
    fn declare(&mut self) {
        if let Some((name, behind)) = self.last.take() {
            self.declaration.names.push(name);
            let start = self.chain.unwrap_or(name);
            if start < name {
                self.declaration.outside = self.last_of(start..name);
            }
            for range in [start..name, name + 1..behind] {
                // What is computed may be anything.
                let is_computed = |at: usize| {
                    matches!(
                        self.lexemes.bytes(at),
                        b"decltype" | b"typename" | b"(" | b"sizeof"
                    )
                };
                if !range.is_empty() && !range.clone().any(is_computed) {
                    self.declaration.qualifiers.push(range);
                }
            }
        }
    }

    /// The last name of a qualified one, without arguments.
    fn last_of(&self, chain: Range<usize>) -> Option<usize> {
        let mut last = None;
        let mut at = chain.start;
        while at < chain.end {
            if self.lexemes.is_name(at) {
                last = Some(at);
            }
            at = if self.lexemes.is(at, "<") {
                self.lexemes.behind_arguments(at, chain.end)?
            } else {
                at + 1
            };
        }
        last
    }

    fn is_behind_name(&self, at: usize) -> bool {
        self.last.is_some_and(|(_, behind)| behind == at)
    }

    /// Classes, enumerations, functions, variables, types.
    fn usual(&mut self, mut at: usize, is_member: bool) {
        let lexemes = self.lexemes;
        // `class` or `enum`, while its name and its braces may still come.
        let mut key: Option<usize> = None;
        let mut has_bases = false;
        let mut is_shared = false;
        let mut is_constant = false;
        let mut is_deduced = false;
        let mut has_initialisers: Option<usize> = None;
        let mut is_behind_parameters = false;
        self.declaration.end = self.limit;
        while at < self.limit {
            let mut next = lexemes.behind(at);
            match lexemes.bytes(at) {
                b";" => {
                    if self.is_behind_name(at)
                        && !self.has_parameters
                        && !self.is_assigned
                        && !has_bases
                    {
                        self.declare();
                    }
                    self.declaration.end = at + 1;
                    break;
                }
                b"}" => {
                    self.declaration.end = at;
                    break;
                }
                b"{" if self.is_required(at) || self.is_assigned => {}
                b"{" if key.is_some() && !self.has_parameters => {
                    if !has_bases {
                        self.declare();
                    }
                    let open = key.take().expect("looked at");
                    if lexemes.is(open, "enum") {
                        self.enumerators(at + 1..next - 1);
                    } else {
                        self.declaration.shape = Shape::Class(at..next);
                    }
                    has_bases = false;
                    self.last = None;
                }
                b"{" if self.has_parameters || self.is_operator => {
                    let is_initialiser = has_initialisers.is_some()
                        && (lexemes.kind(at - 1) == Some(Kind::Word) || lexemes.is(at - 1, ">"));
                    if !is_initialiser {
                        while lexemes.is(next, "catch") {
                            next = lexemes.behind(lexemes.behind(next + 1));
                        }
                        // A friend may have default arguments and attributes only where it is defined.
                        let is_deduced = is_deduced || self.declaration.is_friend;
                        self.declaration.shape = Shape::Function {
                            body: has_initialisers.unwrap_or(at)..next,
                            is_constant,
                            is_deduced,
                        };
                        self.declaration.end = next;
                        break;
                    }
                }
                b"{" | b"[" | b"," => {
                    if self.is_behind_name(at)
                        && !self.has_parameters
                        && !self.is_assigned
                        && !has_bases
                    {
                        self.declare();
                    }
                    if lexemes.is(at, ",") && !has_bases && key.is_none() {
                        self.is_assigned = false;
                    }
                }
                b"(" if self.is_assigned || has_bases => {}
                b"(" if at > self.first && lexemes.is_one_of(at - 1, MEASURES) => {
                    is_deduced |= lexemes.is(at + 1, "auto");
                }
                b"(" => self.parentheses(at, is_behind_parameters),
                b"=" => {
                    if self.is_behind_name(at) && !self.has_parameters && !self.is_assigned {
                        self.declare();
                    }
                    self.is_assigned = true;
                }
                b":" if self.has_parameters && !is_behind_parameters => {
                    has_initialisers = has_initialisers.or(Some(at));
                    is_behind_parameters = true;
                }
                b":" if key.is_some() => {
                    self.declare();
                    has_bases = true;
                }
                b":" if self.is_assigned => {}
                b":" => {
                    if self.is_behind_name(at) {
                        self.declare();
                    }
                    self.is_assigned = true;
                }
                b"->" => {
                    is_behind_parameters = true;
                    is_deduced = false;
                }
                b"requires" if self.has_parameters => {
                    next = lexemes.behind_constraint(at + 1, self.limit);
                }
                b"try" if self.has_parameters => has_initialisers = has_initialisers.or(Some(at)),
                b"class" | b"struct" | b"union" | b"enum"
                    if !self.has_parameters && !self.is_assigned =>
                {
                    key = Some(at);
                    if lexemes.is(at, "enum") && matches!(lexemes.bytes(next), b"class" | b"struct")
                    {
                        next += 1;
                    }
                    self.last = None;
                }
                b"operator" => {
                    if let Some(chain) = self.chain
                        && lexemes.is(at - 1, "::")
                    {
                        self.declaration.qualifiers.push(chain..at);
                        self.declaration.outside = self.last_of(chain..at);
                    }
                    self.is_operator = true;
                    self.last = None;
                    next = self.behind_operator(at);
                    self.has_parameters = true;
                }
                b"friend" => self.declaration.is_friend = true,
                b"static" | b"extern" | b"inline" => is_shared = true,
                b"typedef" => {
                    is_shared = true;
                    self.declaration.is_alias = true;
                }
                b"constexpr" | b"consteval" => is_constant = true,
                b"auto" if !self.has_parameters => is_deduced = true,
                b"<" if self.is_behind_name(at) => {
                    if let Some(behind) = lexemes.behind_arguments(at, self.limit) {
                        self.last = self.last.map(|(name, _)| (name, behind));
                        next = behind;
                    }
                }
                _ if lexemes.is_name(at) && !self.is_operator => {
                    let before =
                        (at - self.first).min(1 + usize::from(at > 0 && lexemes.is(at - 1, "~")));
                    let is_qualified = lexemes.is(at - before, "::");
                    if !is_qualified || self.chain.is_none() {
                        self.chain = Some(at);
                    }
                    self.last = Some((at, at + 1));
                }
                b"::" | b"~" | b"final" => {}
                _ => {
                    if !self.has_parameters {
                        // A type or a declarator ends here.
                        self.chain = None;
                    }
                }
            }
            at = next;
        }
        self.declaration.is_callable = self.has_parameters || self.is_operator;
        let is_plain = !self.declaration.is_callable;
        // Macros for assertions become such things.
        let is_computed = self.declaration.shape == Shape::Plain
            && (self.declaration.is_alias || is_plain && lexemes.is(self.first, "enum"));
        let mut words = self.first..self.declaration.end.min(lexemes.len());
        if is_computed && words.any(|at| lexemes.is(at, "sizeof")) {
            self.declaration.shape = Shape::Check;
        }
        let is_variable = matches!(self.declaration.shape, Shape::Plain | Shape::Class(_));
        let has_value = self.declaration.names.len() > 1 || self.declaration.shape == Shape::Plain;
        let is_forward = key.is_some() && self.declaration.names.len() == 1 && self.is_forward();
        let is_nameless = self.declaration.names.is_empty();
        self.declaration.is_field = is_member
            && is_plain
            && is_variable
            && (has_value || is_nameless)
            && !is_shared
            && !is_forward
            && !self.declaration.is_friend
            && !lexemes.is(self.first, "enum");
    }

    /// Whether only a class is named here.
    fn is_forward(&self) -> bool {
        let lexemes = self.lexemes;
        let name = self.declaration.names[0];
        let mut before = self.first..name;
        lexemes.is(self.declaration.end - 1, ";")
            && before.all(|at| !lexemes.is_name(at) && !lexemes.is(at, "*"))
    }

    /// Whether these are the braces of a `requires`.
    fn is_required(&self, at: usize) -> bool {
        let lexemes = self.lexemes;
        let Some(last) = at.checked_sub(1) else {
            return false;
        };
        let before = match lexemes.mate(last) {
            Some(open) if lexemes.is(last, ")") => open.saturating_sub(1),
            _ => last,
        };
        lexemes.is(before, "requires")
    }

    /// The names in the braces of an enumeration.
    fn enumerators(&mut self, inner: Range<usize>) {
        let lexemes = self.lexemes;
        let mut at = inner.start;
        while at < inner.end {
            let is_first = at == inner.start || lexemes.is(at - 1, ",");
            if is_first && lexemes.is_name(at) {
                self.declaration.names.push(at);
            }
            let arguments = lexemes.is(at, "<") && lexemes.is_name(at - 1);
            let behind = lexemes
                .behind_arguments(at, inner.end)
                .filter(|_| arguments);
            at = behind.unwrap_or_else(|| lexemes.behind(at));
        }
    }

    /// Behind the sign of an operator, where its parameters begin.
    fn behind_operator(&self, at: usize) -> usize {
        let lexemes = self.lexemes;
        let mut next = at + 1;
        if lexemes.is(next, "(") {
            return lexemes.behind(next);
        }
        while next < self.limit && !matches!(lexemes.bytes(next), b"(" | b";" | b"{") {
            next = match lexemes.bytes(next) {
                b"[" => lexemes.behind(next),
                _ => next + 1,
            };
        }
        next
    }

    /// The parameters of a function, or the brackets of a declarator.
    fn parentheses(&mut self, at: usize, is_behind_parameters: bool) {
        let lexemes = self.lexemes;
        if is_behind_parameters {
            return;
        }
        if self.is_operator || self.is_behind_name(at) {
            self.declaration.parameters.extend(lexemes.parameters(at));
        }
        if self.is_operator {
            self.declaration
                .operands
                .get_or_insert(at..lexemes.behind(at));
            return;
        }
        let close = lexemes.mate(at).filter(|close| *close > at).unwrap_or(at);
        let mut inner = at + 1..close;
        let mut pointer = at + 1;
        while lexemes.is_name(pointer) && lexemes.is(pointer + 1, "::") {
            pointer += 2;
        }
        let is_pointer = match lexemes.bytes(pointer) {
            b"*" => true,
            b"&" | b"^" => pointer == at + 1,
            _ => false,
        };
        let is_alone = close == at + 2 && lexemes.is_name(at + 1) && lexemes.is(close + 1, "(");
        if (is_pointer || is_alone) && !self.has_parameters {
            let name = inner.find(|at| lexemes.is_name(*at) && !lexemes.is(at + 1, "::"));
            self.declaration.names.extend(name);
            self.last = None;
            self.has_parameters = true;
        } else if self.is_behind_name(at) {
            self.declare();
            self.has_parameters = true;
        }
    }
}
