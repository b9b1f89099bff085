//! What is said about interventions.
//!
//! The planner (`yester-path`) writes a [`Plan`], which the runtime reads: the [`Limits`] of each run on the first line, an
//! [`Intervention`] on each other one. A line is whole numbers with a blank between them. At an exit the runtime answers the code that the
//! compiler (`yester-cc`) has made with an [`ExitWord`]. All three take the types and the layout from here.

mod action;
mod exit;
mod operator;
#[cfg(test)]
mod test;

use core::fmt;
use core::ops::Deref;

pub use self::action::{Action, Assignment, Call, CallArgument, Form, Variable};
pub use self::exit::{ExitAction, ExitForm, ExitWay, ExitWord, Field};
pub use self::operator::{OperandClass, Operator, Sign};

/// So many numbers are in a list: executions that an intervention is about, places that assign a variable.
pub const MOST_NUMBERS: usize = 12;
/// So many structures are in reach of a gap.
pub const MOST_STRUCTURES: usize = 6;
/// So many arguments a function may have that is called in a gap: they are all in registers.
pub const MOST_ARGUMENTS: usize = 6;

/// The most that a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Branches.
    pub branches: u64,
    /// Time.
    pub milliseconds: u64,
}

/// One change to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// What tells the module from others.
    pub module: u64,
    /// The place in the module.
    pub place: u64,
    /// The process of a test, counted from 1; 0 is all of them.
    pub process: u64,
    /// Which times the place is reached, from 1, in ascending order. None is every time.
    pub instances: Numbers,
    /// What is done there.
    pub action: Action,
}

/// A plan, as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Of each run.
    pub limits: Limits,
    lines: &'a [u8],
}

impl<'a> Plan<'a> {
    /// Reads the text of a plan.
    #[must_use]
    pub fn read(text: &'a [u8]) -> Option<Plan<'a>> {
        let end = text.iter().position(|byte| *byte == b'\n')?;
        Some(Plan {
            limits: Limits::decode(&text[..end])?,
            lines: &text[end + 1..],
        })
    }

    /// The interventions, in order. Lines that are none are left out.
    pub fn interventions(self) -> impl Iterator<Item = Intervention> + use<'a> {
        let lines = self.lines.split(|byte| *byte == b'\n');
        lines.filter_map(Intervention::decode)
    }
}

impl Limits {
    fn decode(line: &[u8]) -> Option<Limits> {
        decoded(line, |next| {
            Some(Limits {
                branches: next()?,
                milliseconds: next()?,
            })
        })
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.branches, self.milliseconds)
    }
}

impl Intervention {
    /// Reads a line of a plan.
    #[must_use]
    pub fn decode(line: &[u8]) -> Option<Intervention> {
        decoded(line, |next| {
            Some(Intervention {
                module: next()?,
                place: next()?,
                process: next()?,
                instances: Numbers::decode(next)?,
                action: Action::decode(next)?,
            })
        })
    }

    /// Whether it is about the time that the place is reached now.
    #[must_use]
    pub fn is_about(&self, time: u64) -> bool {
        self.instances.is_empty() || self.instances.contains(&time)
    }

    /// Whether it is about no later time.
    #[must_use]
    pub fn is_over(&self, time: u64) -> bool {
        self.instances.last().is_some_and(|last| *last <= time)
    }

    /// Whether a process has to carry it out.
    #[must_use]
    pub fn is_for(&self, process: u64) -> bool {
        self.process == 0 || self.process == process
    }
}

/// A line of a plan.
impl fmt::Display for Intervention {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.module, self.place, self.process)?;
        let mut result = Ok(());
        let mut put = |number: u64| {
            result = result.and_then(|()| write!(formatter, " {number}"));
        };
        self.instances.encode(&mut put);
        self.action.encode(&mut put);
        result
    }
}

/// Reads all numbers of a line.
fn decoded<T>(
    line: &[u8],
    read: impl FnOnce(&mut dyn FnMut() -> Option<u64>) -> Option<T>,
) -> Option<T> {
    let mut numbers = line.split(|byte| *byte == b' ').map(number);
    let read = read(&mut || numbers.next().flatten());
    read.filter(|_| numbers.next().is_none())
}

fn number(text: &[u8]) -> Option<u64> {
    core::str::from_utf8(text).ok()?.parse().ok()
}

/// A few numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    count: usize,
    /// Zero behind the last one.
    all: [u64; MOST_NUMBERS],
}

impl Numbers {
    fn encode(&self, put: &mut dyn FnMut(u64)) {
        put(self.count as u64);
        self.iter().copied().for_each(put);
    }

    fn decode(next: &mut dyn FnMut() -> Option<u64>) -> Option<Numbers> {
        let count = usize::try_from(next()?).ok()?;
        let mut numbers = Numbers {
            count,
            ..Numbers::default()
        };
        for number in numbers.all.get_mut(..count)? {
            *number = next()?;
        }
        Some(numbers)
    }
}

impl Deref for Numbers {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.all[..self.count]
    }
}

/// The first of them, as many as there is room for.
impl FromIterator<u64> for Numbers {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Numbers {
        let mut found = Numbers::default();
        for (place, number) in found.all.iter_mut().zip(numbers) {
            *place = number;
            found.count += 1;
        }
        found
    }
}
