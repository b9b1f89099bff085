use std::fmt::Write as _;

use cfgrammar::yacc::{YaccGrammar, YaccKind, YaccOriginalActionKind};
use cfgrammar::{PIdx, RIdx, TIdx};
use lrtable::{Action, Minimiser, StIdx, StateTable};

use super::error::Misreading;
use super::lexer::Lexed;
use super::rules::{Associativity, Rules, Symbol};

/// No text needs as many reductions before something is read or closed; rules that go in circles do.
const MOST_REDUCTIONS: usize = 1 << 16;

/// How many conflicts are named.
const NAMED: usize = 10;

/// The states of the parser.
pub(super) struct ParserTable {
    states: StateTable<u32>,
    /// For each production, the number of its rule and how many parts it has.
    productions: Vec<(usize, usize)>,
    tokens: usize,
}

/// What the parser does.
#[derive(Clone, Copy, Debug)]
pub(super) enum ParserStep {
    /// Takes the next token.
    Shift(Lexed),
    /// Makes a rule of this many of the last parts.
    Reduce { rule: usize, parts: usize },
}

/// Where a text stops to make sense: the number of the token, and the tokens that may stand there.
#[derive(Debug)]
pub(super) struct Surprise {
    pub at: usize,
    /// The number of tokens stands for the end.
    pub expected: Vec<usize>,
}

impl ParserTable {
    /// The table of a grammar, and its conflicts in words.
    pub fn new(rules: &Rules) -> Result<(ParserTable, Vec<String>), Misreading> {
        let start = rules.rules[rules.start].at;
        let kind = YaccKind::Original(YaccOriginalActionKind::NoAction);
        let grammar = YaccGrammar::<u32>::new(kind, &normal_form(rules)).map_err(|errors| {
            let message = errors.first().map_or_else(String::new, ToString::to_string);
            Misreading::new(start, format!("the grammar cannot be used: {message}"))
        })?;
        let (_, states) = lrtable::from_yacc(&grammar, Minimiser::Pager).map_err(|_| {
            let name = &rules.rules[rules.start].name;
            let message = format!("`{name}` can be made of `{name}` alone, without end");
            Misreading::new(start, message)
        })?;
        let notes = conflicts(rules, &states);
        let productions = rules
            .productions
            .iter()
            .map(|production| (production.rule, production.symbols.len()))
            .collect();
        let table = ParserTable {
            states,
            productions,
            tokens: rules.tokens.len(),
        };
        Ok((table, notes))
    }

    /// Parses tokens. Each step is told as it is done, so that no tree is needed where none is wanted.
    pub fn run(&self, lexed: &[Lexed], mut step: impl FnMut(ParserStep)) -> Result<(), Surprise> {
        let mut stack = vec![self.states.start_state()];
        let mut at = 0;
        let mut lowest = stack.len();
        let mut reductions = 0;
        loop {
            let state = *stack.last().expect("the start state is never popped");
            let token = lexed.get(at).map_or(self.tokens, |lexed| lexed.token);
            match self.states.action(state, TIdx(token as u32)) {
                Action::Shift(next) => {
                    step(ParserStep::Shift(lexed[at]));
                    stack.push(next);
                    at += 1;
                    lowest = stack.len();
                    reductions = 0;
                }
                Action::Reduce(PIdx(production)) if reductions < MOST_REDUCTIONS => {
                    let (rule, parts) = self.productions[production as usize];
                    step(ParserStep::Reduce { rule, parts });
                    stack.truncate(stack.len() - parts);
                    reductions += 1;
                    if stack.len() < lowest {
                        lowest = stack.len();
                        reductions = 0;
                    }
                    let below = *stack.last().expect("the start state is never popped");
                    // The rules come after the one that the table has for the whole text.
                    let next = self.states.goto(below, RIdx(rule as u32 + 1));
                    stack.push(next.expect("a reduced rule was expected"));
                }
                Action::Accept => return Ok(()),
                Action::Reduce(_) | Action::Error => {
                    let expected = self.expected(state);
                    return Err(Surprise { at, expected });
                }
            }
        }
    }

    fn expected(&self, state: StIdx<u32>) -> Vec<usize> {
        (0..=self.tokens)
            .filter(|token| {
                let action = self.states.action(state, TIdx(*token as u32));
                !matches!(action, Action::Error)
            })
            .collect()
    }
}

/// The grammar without everything that has no meaning here. Rules, tokens and productions keep their numbers.
fn normal_form(rules: &Rules) -> String {
    let mut text = format!("%start R{}\n", rules.start);
    for token in 0..rules.tokens.len() {
        let _ = writeln!(text, "%token T{token}");
    }
    let mut bound = vec![false; rules.tokens.len()];
    for (associativity, tokens) in &rules.levels {
        let fresh: Vec<usize> = tokens
            .iter()
            .copied()
            .filter(|token| !std::mem::replace(&mut bound[*token], true))
            .collect();
        if fresh.is_empty() {
            continue;
        }
        text.push_str(match associativity {
            Associativity::Left => "%left",
            Associativity::Right => "%right",
            Associativity::None => "%nonassoc",
        });
        for token in fresh {
            let _ = write!(text, " T{token}");
        }
        text.push('\n');
    }
    text.push_str("%%\n");
    for (number, _) in rules.rules.iter().enumerate() {
        let _ = write!(text, "R{number}");
        for (position, production) in rules.productions_of(number).iter().enumerate() {
            text.push_str(if position == 0 { ":" } else { "\n  |" });
            for symbol in &production.symbols {
                let _ = match symbol {
                    Symbol::Rule(rule) => write!(text, " R{rule}"),
                    Symbol::Token(token) => write!(text, " T{token}"),
                };
            }
            if let Some(token) = production.precedence.filter(|token| bound[*token]) {
                let _ = write!(text, " %prec T{token}");
            }
        }
        text.push_str(";\n");
    }
    text
}

fn conflicts(rules: &Rules, states: &StateTable<u32>) -> Vec<String> {
    let Some(conflicts) = states.conflicts() else {
        return Vec::new();
    };
    let token = |TIdx(token): TIdx<u32>| match rules.tokens.get(token as usize) {
        Some(token) => token.to_string(),
        None => "the end".to_owned(),
    };
    let production = |PIdx(number): PIdx<u32>| rules.production_name(number as usize);
    let mut shifts: Vec<_> = conflicts.sr_conflicts().collect();
    shifts.sort_by_key(|(before, ended, state)| (*ended, *before, *state));
    let shifts = shifts.iter().map(|(before, ended, _)| {
        format!(
            "`{}` does not end before {}",
            production(*ended),
            token(*before)
        )
    });
    let mut reductions: Vec<_> = conflicts.rr_conflicts().collect();
    reductions.sort_by_key(|(before, one, other, state)| (*one, *other, *before, *state));
    let reductions = reductions.iter().map(|(before, one, other, _)| {
        let (one, other) = (production(*one), production(*other));
        format!("`{one}` and not `{other}` before {}", token(*before))
    });
    let shifts = note("shift/reduce", "shifting", shifts.collect());
    let reductions = note("reduce/reduce", "the earlier rule", reductions.collect());
    shifts.into_iter().chain(reductions).collect()
}

fn note(sort: &str, solution: &str, conflicts: Vec<String>) -> Option<String> {
    let plural = match conflicts.len() {
        0 => return None,
        1 => "",
        _ => "s",
    };
    let mut note = format!(
        "{} {sort} conflict{plural}, resolved by {solution}: {}",
        conflicts.len(),
        conflicts[..conflicts.len().min(NAMED)].join("; ")
    );
    if conflicts.len() > NAMED {
        let _ = write!(note, "; and {} more", conflicts.len() - NAMED);
    }
    Some(note)
}
