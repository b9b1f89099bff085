//! Which branch alone decides over a line, and which lines write the same variable, as the compiler described it.

use std::collections::BTreeSet;

use crate::relevance::Place;
use crate::site::{Function, Sites};

/// The branch that alone decides whether a line is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecidingBranch {
    /// Its line.
    pub line: u32,
    /// The outcome with which the line is executed; none if it has several, such as operands of `||`.
    pub outcome: Option<u32>,
}

impl Sites {
    /// The branch that alone decides whether a line of a function is executed. None if there is no such branch, if there are several in different
    /// lines, or if the program was built without `YESTER_CC_MODE=dependence`.
    pub fn deciding_branch(&self, file: &str, function: &str, line: u32) -> Option<DecidingBranch> {
        let function = self.function_named(file, function)?;
        let blocks = function.code.iter();
        let blocks = blocks.filter(|block| block.steps.iter().any(|step| step.line == line));
        let mut found: BTreeSet<(u32, u32)> = BTreeSet::new();
        for block in blocks {
            let class = usize::from(block.class).checked_sub(1)?;
            let class = function.classes.get(class)?;
            if class.is_empty() {
                return None;
            }
            for one in class {
                found.insert((function.sites[one.site as usize].line, one.outcome));
            }
        }
        let (deciding, outcome) = *found.first()?;
        let is_one_line = found.iter().all(|(other, _)| *other == deciding);
        (is_one_line && deciding != line).then_some(DecidingBranch {
            line: deciding,
            outcome: Some(outcome).filter(|_| found.len() == 1),
        })
    }

    /// Whether two lines of a function write the same variable. None if the program was built without `YESTER_CC_MODE=dependence`.
    pub fn write_the_same(&self, file: &str, function: &str, lines: [u32; 2]) -> Option<bool> {
        let function = self.function_named(file, function)?;
        let [one, other] = lines.map(|line| self.written_in(function, line));
        Some(one.intersection(&other).next().is_some())
    }

    /// The function of this name in a file, if there is only one and it was described.
    fn function_named(&self, file: &str, name: &str) -> Option<&Function> {
        let mut functions = self
            .functions()
            .iter()
            .filter(|function| function.file == file && function.name == name);
        let function = functions.next()?;
        (functions.next().is_none() && !function.code.is_empty()).then_some(function)
    }

    /// The variables that are assigned in a line. What is behind a pointer may be any of them.
    fn written_in(&self, function: &Function, line: u32) -> BTreeSet<Place> {
        let steps = function.code.iter().flat_map(|block| &block.steps);
        let steps = steps.filter(|step| step.line == line);
        let written = steps.flat_map(|step| step.kind.written());
        written
            .filter(|place| self.shared.is_variable(*place))
            .collect()
    }
}
