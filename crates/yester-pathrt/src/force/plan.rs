//! Plans: what to do otherwise.
//!
//! A plan is text. Its first line has the most branches that a run may take and the most milliseconds; each other line is an
//! experiment: module, place, process, action, operand, and the executions that it is about, all of them numbers. If the value is that of
//! another variable, there are the places of the module that assign that variable instead of executions. If something is assigned in a gap,
//! which one of the structures there, the offset in it and the number of bytes come before the executions. If a function is called in a gap,
//! the number of its arguments comes before the executions, and two numbers for each: whether it is one of the structures, and which one
//! or the value.

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
    /// The value is the latest one of another variable.
    Latest(Variable),
    /// The comparison has the other outcome where its left side has this value.
    FlipWhere(u64),
    /// Something is assigned in a gap.
    Assign(Assignment),
    /// A function is called in a gap.
    Call(Call),
}

/// A call, as a plan has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number of the function in the module's table.
    pub function: u64,
    pub arguments: [Argument; MOST_ARGUMENTS],
}

/// What a function is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Whether it is one of the structures that the gap knows, and the value tells which one.
    pub is_structure: bool,
    pub value: u64,
}

/// So many arguments a function may have.
pub const MOST_ARGUMENTS: usize = 6;

/// An assignment, as a plan has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Which one of the structures that the gap knows.
    pub structure: usize,
    /// Where in it, in bytes.
    pub offset: u64,
    /// How many bytes.
    pub bytes: usize,
    pub value: u64,
    /// Whether the value is added to what is there.
    pub is_added: bool,
}

/// A variable, as a plan has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// How many bits its values have.
    bits: u32,
    has_sign: bool,
    /// The places that assign it, and 0 behind them; each number is that of the place plus 1.
    places: [u64; MOST_INSTANCES],
}

impl Variable {
    /// From a number: the bits and whether there is a sign, a byte each.
    fn new(code: u64, places: [u64; MOST_INSTANCES]) -> Variable {
        Variable {
            bits: (code as u8).clamp(1, 64).into(),
            has_sign: code >> 8 & 1 == 1,
            places,
        }
    }

    /// The places of the module that assign it.
    pub fn places(&self) -> impl Iterator<Item = u64> {
        let places = self.places.into_iter();
        places
            .take_while(|place| *place != 0)
            .map(|place| place - 1)
    }

    /// One of its values as 64 bits.
    pub fn extended(&self, value: u64) -> u64 {
        let unused = 64 - self.bits;
        match self.has_sign {
            true => ((value << unused).cast_signed() >> unused).cast_unsigned(),
            false => value << unused >> unused,
        }
    }
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
        let assignment = match action {
            7 | 8 => Some(Assignment {
                structure: next()? as usize,
                offset: next()?,
                bytes: (next()? as usize).min(8),
                value: operand,
                is_added: action == 8,
            }),
            _ => None,
        };
        let mut arguments = [Argument::default(); MOST_ARGUMENTS];
        if action == 9 {
            let count = next()? as usize;
            for argument in arguments.get_mut(..count)? {
                *argument = Argument {
                    is_structure: next()? == 1,
                    value: next()?,
                };
            }
        }
        let mut rest = [0; MOST_INSTANCES];
        for number in &mut rest {
            *number = next().unwrap_or(0);
        }
        let instances = match action {
            5 => [0; MOST_INSTANCES],
            _ => rest,
        };
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
                5 => Action::Latest(Variable::new(operand, rest)),
                6 => Action::FlipWhere(operand),
                7 | 8 => Action::Assign(assignment?),
                9 => Action::Call(Call {
                    function: operand,
                    arguments,
                }),
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
    fn a_variable_has_places_and_values_with_a_sign() {
        let line = b"7 3 0 5 264 1 5";
        let experiment = Experiment::parse(line).unwrap();
        assert!(experiment.is_about(1) && experiment.is_about(9));
        let Action::Latest(variable) = experiment.action else {
            panic!("{experiment:?}");
        };
        assert!(variable.places().eq([0, 4]));
        assert_eq!(variable.extended(0xFF), u64::MAX);
        assert_eq!(variable.extended(0x17F), 0x7F);
    }

    #[test]
    fn an_assignment_comes_before_the_executions() {
        let experiment = Experiment::parse(b"7 3 0 8 1 2 16 4 5").unwrap();
        let assignment = Assignment {
            structure: 2,
            offset: 16,
            bytes: 4,
            value: 1,
            is_added: true,
        };
        assert_eq!(experiment.action, Action::Assign(assignment));
        assert!(experiment.is_about(5) && !experiment.is_about(4));
    }

    #[test]
    fn the_arguments_of_a_call_come_before_the_executions() {
        let experiment = Experiment::parse(b"7 3 0 9 4 2 1 0 0 44 5").unwrap();
        let mut arguments = [Argument::default(); MOST_ARGUMENTS];
        arguments[0].is_structure = true;
        arguments[1].value = 44;
        let call = Call {
            function: 4,
            arguments,
        };
        assert_eq!(experiment.action, Action::Call(call));
        assert!(experiment.is_about(5) && !experiment.is_about(4));
    }

    #[test]
    fn lines_that_are_no_experiments_are_left_out() {
        for line in [
            "",
            "1 2 3",
            "1 2 3 10 0 1",
            "1 2 3 9 0 7",
            "x 2 0 0 0",
            "1 2 0 0 -1",
        ] {
            assert_eq!(Experiment::parse(line.as_bytes()), None, "{line}");
        }
    }
}
