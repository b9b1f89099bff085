//! What an intervention changes at a place.

use super::{ExitWord, MOST_ARGUMENTS, Numbers, Operator};

/// What to change at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The value is another.
    Set(u64),
    /// The branch goes the other way.
    Flip,
    /// Nothing is assigned, or called.
    Skip,
    /// The operator is another, or has another operand.
    Operator(Operator),
    /// The value is greater by so much, as a number of 64 bits; so are the bits of a floating point number.
    Add(u64),
    /// The value is the latest one of another variable.
    Latest(Variable),
    /// The comparison has the other outcome where its left side has this value.
    FlipWhere(u64),
    /// Something is assigned in a gap.
    Assign(Assignment),
    /// A function is called in a gap.
    Call(Call),
    /// An exit is answered.
    Exit(ExitWord),
}

/// An assignment to a part of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Which one of the structures that the gap knows.
    pub structure: u64,
    /// Where in it, in bytes.
    pub offset: u64,
    /// How many bytes, at most 8.
    pub bytes: usize,
    /// What is assigned.
    pub value: u64,
    /// Whether the value is added to what is there.
    pub is_added: bool,
}

/// A call of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number of the function in the module's table.
    pub function: u64,
    /// What it is given.
    pub arguments: [CallArgument; MOST_ARGUMENTS],
}

/// What a function is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallArgument {
    /// A variable in reach of the gap, by its number there.
    Variable(u64),
    /// This number.
    Number(u64),
}

/// A variable, by the places that assign it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// What its values look like.
    pub form: Form,
    /// The places of the module that assign it.
    pub places: Numbers,
}

/// What the bits of a number mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// How many bits it has, from 1 to 64.
    pub bits: u32,
    /// Whether the highest one is a sign.
    pub has_sign: bool,
}

impl Form {
    /// A number as 64 bits.
    #[must_use]
    pub fn extended(self, value: u64) -> u64 {
        let unused = 64 - self.bits;
        if self.has_sign {
            ((value << unused).cast_signed() >> unused).cast_unsigned()
        } else {
            value << unused >> unused
        }
    }
}

/// How many bits of a word, if it is as many as a word has at most.
pub(super) fn bits(number: u64) -> Option<u32> {
    (1..=64).contains(&number).then_some(number as u32)
}

fn truth(number: u64) -> Option<bool> {
    (number < 2).then_some(number == 1)
}

impl Action {
    pub(super) fn encode(&self, put: &mut dyn FnMut(u64)) {
        match self {
            Action::Set(value) => [0, *value].into_iter().for_each(put),
            Action::Flip => put(1),
            Action::Skip => put(2),
            Action::Operator(operator) => {
                put(3);
                operator.encode().into_iter().for_each(put);
            }
            Action::Add(more) => [4, *more].into_iter().for_each(put),
            Action::Latest(Variable { form, places }) => {
                put(5);
                put(form.bits.into());
                put(form.has_sign.into());
                places.encode(put);
            }
            Action::FlipWhere(value) => [6, *value].into_iter().for_each(put),
            Action::Assign(assignment) => {
                let Assignment {
                    structure,
                    offset,
                    bytes,
                    value,
                    is_added,
                } = *assignment;
                let numbers = [7, structure, offset, bytes as u64, value, is_added.into()];
                numbers.into_iter().for_each(put);
            }
            Action::Call(call) => {
                put(8);
                put(call.function);
                for argument in call.arguments {
                    let numbers = match argument {
                        CallArgument::Number(value) => [0, value],
                        CallArgument::Variable(number) => [1, number],
                    };
                    numbers.into_iter().for_each(&mut *put);
                }
            }
            Action::Exit(word) => [9, word.0].into_iter().for_each(put),
        }
    }

    pub(super) fn decode(next: &mut dyn FnMut() -> Option<u64>) -> Option<Action> {
        Some(match next()? {
            0 => Action::Set(next()?),
            1 => Action::Flip,
            2 => Action::Skip,
            3 => Action::Operator(Operator::decode([next()?, next()?, next()?, next()?])?),
            4 => Action::Add(next()?),
            5 => Action::Latest(Variable {
                form: Form {
                    bits: bits(next()?)?,
                    has_sign: truth(next()?)?,
                },
                places: Numbers::decode(next)?,
            }),
            6 => Action::FlipWhere(next()?),
            7 => Action::Assign(Assignment {
                structure: next()?,
                offset: next()?,
                bytes: usize::try_from(next()?).ok().filter(|bytes| *bytes <= 8)?,
                value: next()?,
                is_added: truth(next()?)?,
            }),
            8 => {
                let function = next()?;
                let mut arguments = [CallArgument::Number(0); MOST_ARGUMENTS];
                for argument in &mut arguments {
                    let of = if truth(next()?)? {
                        CallArgument::Variable
                    } else {
                        CallArgument::Number
                    };
                    *argument = of(next()?);
                }
                Action::Call(Call {
                    function,
                    arguments,
                })
            }
            9 => Action::Exit(ExitWord(next()?)),
            _ => return None,
        })
    }
}
