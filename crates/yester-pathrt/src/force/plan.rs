//! Plans: what to do otherwise.
//!
//! A plan is text. Its first line has the most branches that a run may take and the most milliseconds; each other line is an
//! experiment: module, place, process, action, operand, and the executions that it is about, all of them numbers.

use super::operator::Operator;
use crate::{recording, system};

/// What to do otherwise at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The value is another.
    Set(u64),
    /// The value is greater by so much, as a number of 64 bits; so are the bits of a floating point number.
    Add(u64),
    /// The branch goes the other way.
    Flip,
    /// Nothing is assigned, or called.
    Skip,
    /// The operator is another.
    Operator(Operator),
}

/// One thing to do otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Experiment {
    pub module: u64,
    /// The place in the module.
    pub place: u64,
    /// The process of a test, counted from 1; 0 is all of them.
    process: u64,
    pub action: Action,
    /// Which times the place is reached, from 1, in ascending order, and 0 behind them. Only 0 is every time.
    instances: [u64; MOST_INSTANCES],
}

/// So many executions an experiment may be about.
pub const MOST_INSTANCES: usize = 12;

impl Experiment {
    fn parse(line: &[u8]) -> Option<Experiment> {
        let mut numbers = line.split(|byte| *byte == b' ').map(number);
        let mut next = || numbers.next().flatten();
        let (module, place, process) = (next()?, next()?, next()?);
        let (action, operand) = (next()?, next()?);
        let mut instances = [0; MOST_INSTANCES];
        for instance in &mut instances {
            *instance = next().unwrap_or(0);
        }
        Some(Experiment {
            module,
            place,
            process,
            instances,
            action: match action {
                0 => Action::Set(operand),
                1 => Action::Flip,
                2 => Action::Skip,
                3 => Action::Operator(Operator::new(operand)),
                4 => Action::Add(operand),
                _ => return None,
            },
        })
    }

    /// Whether it is about the time that the place is reached now.
    pub fn is_about(&self, time: u64) -> bool {
        self.instances[0] == 0 || self.instances.contains(&time)
    }

    /// Whether it is about no later time.
    pub fn is_over(&self, time: u64) -> bool {
        self.instances[0] != 0 && self.instances.iter().all(|instance| *instance <= time)
    }

    /// Whether a process has to carry it out.
    pub fn is_for(&self, process: u64) -> bool {
        self.process == 0 || self.process == process
    }
}

/// A plan, as it was read.
#[derive(Clone, Copy)]
pub struct Plan {
    /// How many branches a run may take.
    pub fuel: i64,
    /// How many milliseconds a run may take.
    pub patience: u64,
    lines: &'static [u8],
}

impl Plan {
    /// Reads a file.
    pub fn read(path: &[u8]) -> Option<Plan> {
        Plan::parse(system::content(path)?)
    }

    fn parse(text: &'static [u8]) -> Option<Plan> {
        let end = text.iter().position(|byte| *byte == b'\n')?;
        let mut limits = text[..end].split(|byte| *byte == b' ').map(number);
        let mut next = || limits.next().flatten();
        Some(Plan {
            fuel: i64::try_from(next()?).unwrap_or(i64::MAX),
            patience: next()?,
            lines: &text[end + 1..],
        })
    }

    /// The experiments, in order.
    pub fn experiments(self) -> impl Iterator<Item = Experiment> {
        let lines = self.lines.split(|byte| *byte == b'\n');
        lines.filter_map(Experiment::parse)
    }

    /// One of them.
    pub fn experiment(self, index: usize) -> Option<Experiment> {
        self.experiments().nth(index)
    }
}

/// Which process of a test this is, from 1. Each adds a byte to the file.
pub fn number_of_process(path: &[u8]) -> u64 {
    system::append_byte(path).unwrap_or(1)
}

fn number(text: &[u8]) -> Option<u64> {
    recording::number(text).filter(|_| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_has_limits_and_experiments() {
        let plan = Plan::parse(b"1000 50\n7 3 0 0 18446744073709551615 2 5\n7 4 1 1 0\n").unwrap();
        assert_eq!((plan.fuel, plan.patience), (1000, 50));
        let [first, second] = [0, 1].map(|index| plan.experiment(index).unwrap());
        assert_eq!((first.module, first.place), (7, 3));
        let times = [1, 2, 3, 5, 6].map(|time| first.is_about(time));
        assert_eq!(times, [false, true, false, true, false]);
        assert_eq!([2, 5].map(|time| first.is_over(time)), [false, true]);
        assert!(second.is_about(9) && !second.is_over(9));
        assert_eq!(first.action, Action::Set(u64::MAX));
        assert!(first.is_for(1) && first.is_for(5));
        assert_eq!(second.action, Action::Flip);
        assert!(second.is_for(1) && !second.is_for(2));
        assert_eq!(plan.experiment(2), None);
    }

    #[test]
    fn lines_that_are_no_experiments_are_left_out() {
        for line in ["", "1 2 3", "1 2 3 9 0 1", "x 2 0 0 0", "1 2 0 0 -1"] {
            assert_eq!(Experiment::parse(line.as_bytes()), None, "{line}");
        }
    }
}
