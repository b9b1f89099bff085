//! Operators that a program's operators are changed to.

use super::action::bits;

/// An operator and the form of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Which one.
    pub sign: Sign,
    /// What the operands are.
    pub class: OperandClass,
    /// How many bits each has.
    pub bits: u32,
    /// How much is added to the right one before.
    pub more: i64,
}

/// What operands are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandClass {
    /// Whole numbers with a sign.
    Signed,
    /// Whole numbers without one.
    Unsigned,
    /// Floating point numbers.
    Float,
}

impl OperandClass {
    /// In the order of their numbers.
    pub const ALL: [OperandClass; 3] = [
        OperandClass::Signed,
        OperandClass::Unsigned,
        OperandClass::Float,
    ];
}

/// Defines the operators in the order of their numbers, each with its sign.
macro_rules! signs {
    ($($name:ident $text:literal)+) => {
        /// What an operator does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Sign {
            $(#[doc = concat!("`", $text, "`")] $name,)+
        }

        impl Sign {
            /// In the order of their numbers.
            pub const ALL: &[Sign] = &[$(Sign::$name),+];

            /// As it is written in a program.
            #[must_use]
            pub fn text(self) -> &'static str {
                match self {
                    $(Sign::$name => $text,)+
                }
            }
        }
    };
}

signs! {
    Less "<"
    LessOrEqual "<="
    Greater ">"
    GreaterOrEqual ">="
    Equal "=="
    NotEqual "!="
    Add "+"
    Subtract "-"
    Multiply "*"
    Divide "/"
    Remainder "%"
    And "&"
    Or "|"
    Exclusive "^"
    ShiftLeft "<<"
    ShiftRight ">>"
}

impl Sign {
    /// The operator that is written so.
    #[must_use]
    pub fn parse(text: &str) -> Option<Sign> {
        let mut all = Sign::ALL.iter().copied();
        all.find(|sign| sign.text() == text)
    }
}

impl Operator {
    pub(super) fn encode(self) -> [u64; 4] {
        [
            self.sign as u64,
            self.class as u64,
            self.bits.into(),
            self.more.cast_unsigned(),
        ]
    }

    pub(super) fn decode([sign, class, width, more]: [u64; 4]) -> Option<Operator> {
        Some(Operator {
            sign: *Sign::ALL.get(sign as usize)?,
            class: *OperandClass::ALL.get(class as usize)?,
            bits: bits(width)?,
            more: more.cast_signed(),
        })
    }
}
