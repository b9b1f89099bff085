use serde::Serialize;

use crate::sheet::Sheet;
use crate::{count, seconds};

/// A path condition. There may be more constraints than memory holds texts, so they are made when they are needed.
pub trait TraceConditions: Serialize {
    /// How many constraints there are.
    fn count(&self) -> usize;

    /// The condition of one as a C expression.
    fn text(&self, index: usize) -> Option<String>;
}

/// The path that one run of a program took. `B` holds its branches, of which there may be more than memory holds, `C` the path
/// condition.
#[derive(Clone, Debug, Serialize)]
pub struct TraceResult<B, C> {
    /// Every branch in order, thread by thread.
    pub branches: B,
    /// How many branches are not shown: those of system headers, or outside of `--only`.
    pub hidden: u64,
    /// The path condition.
    pub constraints: C,
    /// What was not modelled. Values that came of it do not count as depending on the input.
    pub lost: Vec<Lost>,
    /// How the program ended.
    pub ending: String,
    /// Whether branches are missing because there were too many.
    pub cut: bool,
    /// How many other processes of the program were recorded. They are not shown.
    pub other_processes: usize,
    /// The CPU time of the traced runs, in seconds.
    pub cpu_seconds: f64,
    /// With `--negate`: the input that goes the other way.
    pub negated: Option<Negated>,
}

/// A branch that was decided.
#[derive(Clone, Debug, Serialize)]
pub struct TraceBranch<'a> {
    /// Its function.
    pub function: &'a str,
    /// Its source file.
    pub file: &'a str,
    /// Its line.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// Whether the condition held; for a switch, whether a case was taken.
    pub taken: bool,
    /// For a switch the value of the case, if one was taken.
    pub case: Option<i64>,
    /// The condition of a predicate, which the compiler added to make values visible; other branches have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicate: Option<&'a str>,
    /// The index of its constraint, if it depends on the input.
    pub constraint: Option<usize>,
    /// How many functions are active, that of the branch included.
    pub depth: usize,
    /// The index of the branch that let this one happen, if one did.
    pub dependence: Option<u64>,
}

/// A condition on the input that held.
#[derive(Clone, Debug, Serialize)]
pub struct TraceConstraint {
    /// Its position in the path condition, from 0.
    pub index: usize,
    /// The index of its branch. For a concretisation it is the next branch that was decided, if one was. None also if that branch is
    /// not shown.
    pub branch: Option<u64>,
    /// `branch`, or `concretised` for a value that was assumed to stay as it was.
    pub kind: &'static str,
    /// The condition as a C expression.
    pub text: String,
}

/// Something that was not modelled.
#[derive(Clone, Debug, Serialize)]
pub struct Lost {
    /// What it was.
    pub what: String,
    /// Where.
    pub place: String,
}

/// An input that goes another way at one constraint.
#[derive(Clone, Debug, Serialize)]
pub struct Negated {
    /// The constraint.
    pub constraint: usize,
    /// Where each source of input that changed was written.
    pub files: Vec<NegatedSource>,
    /// How many bytes of the input changed.
    pub bytes: usize,
    /// How many branches before it were seen to go the same way.
    pub same_branches: u64,
}

/// Where the new content of a source was written.
#[derive(Clone, Debug, Serialize)]
pub struct NegatedSource {
    /// `stdin`, `file:PATH` or `arg:N`.
    pub source: String,
    /// The file.
    pub path: String,
}

impl<B, C: TraceConditions> TraceResult<B, C> {
    /// The text above the branches: how many there are, what is uncertain, what next.
    pub fn summary(&self, branches: u64, next: &str) -> String {
        let mut sheet = Sheet::default();
        sheet.line(format!(
            "traced   {}, {}, {}, {} of CPU time",
            count(branches, "branch").replace("branchs", "branches"),
            count(self.constraints.count() as u64, "constraint"),
            self.ending,
            seconds(self.cpu_seconds),
        ));
        if self.cut {
            sheet.line("cut      there were more branches than are recorded");
        }
        if self.hidden > 0 {
            let hidden = count(self.hidden, "branch").replace("branchs", "branches");
            sheet.line(format!("hidden   {hidden} elsewhere; --only / shows all"));
        }
        for lost in &self.lost {
            let place = match lost.place.as_str() {
                "" => String::new(),
                place => format!(" ({place})"),
            };
            sheet.line(format!("lost     {}{place}", lost.what));
        }
        if let Some(negated) = &self.negated {
            // With threads, two runs may number their constraints differently.
            let index = negated.constraint;
            if let Some(text) = self.constraints.text(index) {
                sheet.line(format!("negated  [{index}] {text}"));
            }
            for file in &negated.files {
                sheet.line(format!("result   {} ({})", file.path, file.source));
            }
            sheet.line(format!(
                "sure     was run: {} as before, then [{}] goes the other way",
                count(negated.same_branches, "branch").replace("branchs", "branches"),
                negated.constraint
            ));
        }
        if !next.is_empty() {
            sheet.line(format!("next     {next}"));
        }
        sheet.finish()
    }
}
