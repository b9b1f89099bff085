//! What stands where in a text: its entities, the names that it defines and uses, and its comments.

mod align;
mod checker;
mod fault_line;
mod identifier;
mod indentation;
mod scope;
mod table;
mod walk;

use std::ops::Range;

pub use checker::{Checker, faults};

use crate::Language;
use fault_line::FaultFinder;
pub(crate) use table::OutlineTable;
use walk::Walk;

/// What stands where in a text. Lines are counted from 0, and a line ends after `\n`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Functions, classes, sections and the like, each before those in it.
    pub entities: Vec<Entity>,
    /// The names that are defined for other places: functions, types, macros, members, constants, variables outside of
    /// functions. What an import or a key of an object names is here *and* in `uses`, since it is defined elsewhere
    /// too.
    pub definitions: Vec<(String, u32)>,
    /// The names that are defined for a part of an entity: variables in functions, parameters, labels.
    pub locals: Vec<(String, u32)>,
    /// All other identifiers. A name is listed once for each line.
    pub uses: Vec<(String, u32)>,
    /// Where the comments are, in bytes.
    pub comments: Vec<Range<usize>>,
    /// The names of variables, functions and types that are used without a definition around, each with the first line that
    /// does so. Members of something and what a preprocessor asks for are not among them. A long text has none.
    pub open: Vec<(String, u32)>,
    /// The lines that make no sense, one for each fault.
    pub faults: Vec<u32>,
}

/// A part of a text that a person would call by a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// What it is called.
    pub name: String,
    /// What it is: a function, a class, a section.
    pub kind: &'static str,
    /// Its lines, with the comments and attributes that are written right before it.
    pub lines: Range<u32>,
    /// How many entities it is in.
    pub depth: usize,
}

impl Outline {
    /// The innermost entity that has all of these lines. No lines are a place before a line.
    pub fn entity_at(&self, lines: &Range<u32>) -> Option<usize> {
        let holds = |entity: &Entity| {
            if lines.is_empty() {
                // What stands before the first line or after the last one is beside it.
                entity.lines.start < lines.start && lines.start < entity.lines.end
            } else {
                entity.lines.start <= lines.start && lines.end <= entity.lines.end
            }
        };
        // Those in another come after it.
        self.entities.iter().rposition(holds)
    }
}

/// The outline of a text. A text in a language without names has few entities and fewer names. Any bytes have an outline,
/// unless the parser refuses them.
pub fn outline(language: &Language, content: &[u8]) -> Option<Outline> {
    let parser = language.parser();
    let parsed = parser.parse(content, None).ok()?;
    let table = OutlineTable::new(language.name, parser.language());
    let mut outline = Walk::new(&table, content, &parsed).outline();
    outline.faults = FaultFinder::new(language).lines(&parsed, content);
    Some(outline)
}
