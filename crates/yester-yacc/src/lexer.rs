use std::collections::HashMap;

use cfgrammar::Spanned as _;
use cfgrammar::header::GrmtoolsSectionParser;
use lrlex::{DefaultLexerTypes, LRNonStreamingLexerDef, LexerDef as _};
use lrpar::{LexError as _, Lexeme as _, Lexer as _};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::action::{ConditionChange, Returns};
use super::error::Misreading;
use super::flex::{self, Flex};
use super::pattern::{Regex, escaped};
use super::rules::Rules;

/// Cuts a text into tokens.
pub(super) struct Lexer {
    definition: LRNonStreamingLexerDef<DefaultLexerTypes<u32>>,
}

/// A token of a text, by its number in the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lexed {
    pub token: usize,
    pub start: usize,
    pub end: usize,
}

/// Notes about a text, each with its place.
pub(super) type Notes = Vec<(usize, String)>;

impl Lexer {
    /// Reads a lexer file in the syntax of flex or of lrlex.
    pub fn new(text: &str, rules: &Rules) -> Result<(Lexer, Notes), Misreading> {
        if is_native(text) {
            return Lexer::from_native(text, rules);
        }
        let flex = flex::read(text)?;
        let mut writer = Writer {
            rules,
            text: String::new(),
            tokens: HashMap::new(),
            places: Vec::new(),
            notes: flex.notes.clone(),
        };
        writer.write(&flex)?;
        let Writer {
            text,
            tokens,
            places,
            notes,
            ..
        } = writer;
        let mut definition = LRNonStreamingLexerDef::from_str(&text).map_err(|errors| {
            let at = errors[0].spans().first().map_or(0, |span| span.start());
            let line = text[..at].matches('\n').count();
            let at = places.get(line).copied().unwrap_or_default();
            Misreading::new(at, lowercase(&errors[0].to_string()))
        })?;
        set_tokens(&mut definition, &tokens);
        Ok((Lexer { definition }, notes))
    }

    fn from_native(text: &str, rules: &Rules) -> Result<(Lexer, Notes), Misreading> {
        // Places are counted from the end of the header.
        let header = GrmtoolsSectionParser::new(text, false)
            .parse()
            .map_or(0, |(_, length)| length);
        let mut definition = LRNonStreamingLexerDef::from_str(text).map_err(|errors| {
            let at = errors[0].spans().last().map_or(0, |span| span.start());
            let at = text.len().min(header + at);
            explain_native(text, at)
                .unwrap_or_else(|| Misreading::new(at, lowercase(&errors[0].to_string())))
        })?;
        let mut tokens = HashMap::new();
        let mut notes = Notes::new();
        for rule in definition.iter_rules() {
            let Some(name) = rule.name() else { continue };
            match rules.token(name) {
                Some(token) => {
                    tokens.insert(name.to_owned(), token as u32);
                }
                None => notes.push((
                    header + rule.name_span().start(),
                    format!("the grammar does not know the token `{name}`"),
                )),
            }
        }
        set_tokens(&mut definition, &tokens);
        Ok((Lexer { definition }, notes))
    }

    /// The tokens of a text, or the place where there is none.
    pub fn tokens(&self, text: &str) -> Result<Vec<Lexed>, usize> {
        self.definition
            .lexer(text)
            .iter()
            .map(|lexeme| match lexeme {
                Ok(lexeme) => Ok(Lexed {
                    token: lexeme.tok_id() as usize,
                    start: lexeme.span().start(),
                    end: lexeme.span().end(),
                }),
                Err(error) => Err(error.span().start()),
            })
            .collect()
    }

    /// What a token may look like, one expression for each rule that makes it.
    pub fn expressions(&self, token: usize) -> Vec<Hir> {
        self.definition
            .iter_rules()
            .filter(|rule| rule.name().is_some() && rule.tok_id() == Some(token as u32))
            .filter_map(|rule| parse(rule.re_str()).ok())
            .collect()
    }
}

fn set_tokens(
    definition: &mut LRNonStreamingLexerDef<DefaultLexerTypes<u32>>,
    tokens: &HashMap<String, u32>,
) {
    let tokens: HashMap<&str, u32> = tokens
        .iter()
        .map(|(name, token)| (name.as_str(), *token))
        .collect();
    // What the return value tells is found out and told elsewhere.
    let _ = definition.set_rule_ids_spanned(&tokens);
}

/// Whether the rules name tokens in quotes, as lrlex has it, and have no actions.
fn is_native(text: &str) -> bool {
    let names_token = |line: &str| {
        let word = line.split_whitespace().next_back().unwrap_or_default();
        let name = match word.strip_prefix('<') {
            Some(rest) => rest.split_once('>').map_or(word, |(_, name)| name),
            None => word,
        };
        let is_between =
            |quote: char| name.len() > 2 && name.starts_with(quote) && name.ends_with(quote);
        name.len() < line.len() && (is_between('"') || is_between('\'')) && !line.contains("return")
    };
    text.trim_start().starts_with("%grmtools")
        || text
            .lines()
            .skip_while(|line| !line.starts_with("%%"))
            .skip(1)
            .take_while(|line| !line.starts_with("%%"))
            .any(|line| !line.starts_with(char::is_whitespace) && names_token(line))
}

/// What is wrong with the regular expression of the rule at this place, if it is that.
fn explain_native(text: &str, at: usize) -> Option<Misreading> {
    let line = text[at..].lines().next()?.trim_end();
    let expression = line[..line.rfind(char::is_whitespace)?].trim_end();
    let prefix = match expression.strip_prefix('<') {
        Some(rest) => rest.find('>')? + 2,
        None => 0,
    };
    let (offset, message) = parse(&expression[prefix..]).err()?;
    Some(Misreading::new(at + prefix + offset, message))
}

/// What a regular expression means, or where it makes no sense and why.
pub(super) fn parse(expression: &str) -> Result<Hir, (usize, String)> {
    let parsed = ParserBuilder::new()
        .octal(true)
        .multi_line(true)
        .dot_matches_new_line(true)
        .build()
        .parse(expression);
    parsed.map_err(|error| match error {
        regex_syntax::Error::Parse(error) => (error.span().start.offset, error.kind().to_string()),
        regex_syntax::Error::Translate(error) => {
            (error.span().start.offset, error.kind().to_string())
        }
        other => (
            0,
            other
                .to_string()
                .lines()
                .last()
                .unwrap_or_default()
                .to_owned(),
        ),
    })
}

fn lowercase(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default().trim();
    let mut characters = line.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

/// Writes a flex file anew for lrlex, which has no definitions, no actions, and one rule for each name.
struct Writer<'a> {
    rules: &'a Rules,
    text: String,
    tokens: HashMap<String, u32>,
    /// For each line that is written, the place of its rule.
    places: Vec<usize>,
    notes: Notes,
}

impl Writer<'_> {
    fn write(&mut self, flex: &Flex) -> Result<(), Misreading> {
        let state_name = |name: &str| {
            let position = flex.states.iter().position(|(known, _)| known == name);
            position.map(|number| format!("S{number}"))
        };
        for (number, (_, is_exclusive)) in flex.states.iter().enumerate() {
            let sort = if *is_exclusive { 'x' } else { 's' };
            self.line(0, &format!("%{sort} S{number}"));
        }
        self.line(0, "%%");
        for rule in &flex.rules {
            let states: Vec<String> = rule
                .states
                .iter()
                .map(|name| state_name(name).unwrap_or_else(|| "INITIAL".to_owned()))
                .collect();
            let states = match states.len() {
                0 => String::new(),
                _ => format!("<{}>", states.join(",")),
            };
            let target = |name: &str| match name {
                "INITIAL" => Ok("INITIAL".to_owned()),
                _ => state_name(name).ok_or_else(|| {
                    Misreading::new(rule.at, format!("there is no start condition `{name}`"))
                }),
            };
            let change = match &rule.action.change {
                None => String::new(),
                Some(ConditionChange::To(name)) => format!("<{}>", target(name)?),
                Some(ConditionChange::Push(name)) => format!("<+{}>", target(name)?),
                Some(ConditionChange::Pop) => "<-INITIAL>".to_owned(),
            };
            let token = match &rule.action.returns {
                Returns::Name(name) => self.known(rule.at, name, self.rules.token(name)),
                Returns::Literal(text) => self.known(rule.at, text, self.rules.literal(text)),
                Returns::Nothing | Returns::Text => None,
            };
            for regex in &rule.alternatives {
                let expression = checked(regex)?;
                if rule.action.returns == Returns::Text {
                    for (character, token) in self.characters(&expression, rule.at)? {
                        let name = self.name(Some(token));
                        self.line(rule.at, &format!("{states}{character} {change}\"{name}\""));
                    }
                } else if rule.action.returns == Returns::Nothing {
                    self.line(rule.at, &format!("{states}{} {change};", regex.text));
                } else {
                    let name = self.name(token);
                    self.line(
                        rule.at,
                        &format!("{states}{} {change}\"{name}\"", regex.text),
                    );
                }
            }
        }
        Ok(())
    }

    fn line(&mut self, at: usize, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.places.push(at);
    }

    /// A new name for a rule that makes this token, or one that no text may contain.
    fn name(&mut self, token: Option<usize>) -> String {
        let name = format!("r{}", self.places.len());
        if let Some(token) = token {
            self.tokens.insert(name.clone(), token as u32);
        }
        name
    }

    fn known(&mut self, at: usize, name: &str, token: Option<usize>) -> Option<usize> {
        if token.is_none() {
            let message = format!(
                "the grammar does not know the token `{}`",
                name.escape_debug()
            );
            self.notes.push((at, message));
        }
        token
    }

    /// The tokens of one character that an expression matches, each with an expression of its own.
    fn characters(&self, hir: &Hir, at: usize) -> Result<Vec<(String, usize)>, Misreading> {
        let matches = |character: char| match hir.kind() {
            HirKind::Literal(literal) => {
                character.encode_utf8(&mut [0; 4]).as_bytes() == &*literal.0
            }
            HirKind::Class(Class::Unicode(class)) => class
                .ranges()
                .iter()
                .any(|range| (range.start()..=range.end()).contains(&character)),
            _ => false,
        };
        let is_character = match hir.kind() {
            HirKind::Literal(literal) => {
                std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().count() == 1)
            }
            kind => matches!(kind, HirKind::Class(Class::Unicode(_))),
        };
        if !is_character {
            let message = "this returns its first character but may match more than one";
            return Err(Misreading::new(at, message));
        }
        let tokens = self.rules.tokens.iter().enumerate();
        Ok(tokens
            .filter(|(_, token)| token.is_literal)
            .filter_map(|(number, token)| {
                let mut characters = token.name.chars();
                let character = characters.next().filter(|_| characters.next().is_none())?;
                matches(character).then(|| (escaped(character), number))
            })
            .collect())
    }
}

fn checked(regex: &Regex) -> Result<Hir, Misreading> {
    parse(&regex.text).map_err(|(offset, message)| {
        let last = regex.places.last().copied().unwrap_or_default();
        Misreading::new(regex.places.get(offset).copied().unwrap_or(last), message)
    })
}
