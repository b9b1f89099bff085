//! What a program is told at an exit: a place between statements at which control can leave or a local variable be assigned.

/// What the runtime answers at an exit. 0 is to go on as written. Otherwise the lowest bits say what to do, those above them which
/// variable is assigned if one is, and the rest is the value that is returned or assigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExitWord(pub u64);

/// How control leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitWay {
    /// The function returns.
    Return = 1,
    /// The innermost loop begins its next turn.
    Next = 2,
    /// The innermost loop ends.
    Break = 3,
}

/// What is done at an exit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitAction {
    /// Control leaves.
    Leave(ExitWay),
    /// A variable is assigned.
    Assign {
        /// Its number at this exit.
        variable: u64,
        /// Whether the value is added to what is there.
        is_added: bool,
    },
}

/// How a value makes room for the bits below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitForm {
    /// A double gives up its lowest bits.
    Double,
    /// Other values are moved, and give up their highest bits.
    Moved,
}

/// Some bits of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// How many.
    pub bits: u32,
    /// How many are below.
    pub shift: u32,
}

impl Field {
    /// The bits themselves.
    #[must_use]
    pub const fn mask(self) -> u64 {
        ((1 << self.bits) - 1) << self.shift
    }

    const fn of(self, word: u64) -> u64 {
        (word & self.mask()) >> self.shift
    }
}

impl ExitWay {
    /// In the order of their numbers.
    pub const ALL: [ExitWay; 3] = [ExitWay::Return, ExitWay::Next, ExitWay::Break];

    /// As the table of places has it.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            ExitWay::Return => "return",
            ExitWay::Next => "next",
            ExitWay::Break => "break",
        }
    }

    /// The one that the table of places has.
    #[must_use]
    pub fn parse(text: &str) -> Option<ExitWay> {
        ExitWay::ALL.into_iter().find(|way| way.text() == text)
    }
}

const SET: u64 = 4;
const ADD: u64 = 5;

impl ExitAction {
    /// The number that says what to do.
    #[must_use]
    pub const fn number(self) -> u64 {
        match self {
            ExitAction::Leave(way) => way as u64,
            ExitAction::Assign {
                is_added: false, ..
            } => SET,
            ExitAction::Assign { is_added: true, .. } => ADD,
        }
    }

    /// How many bits are below the value.
    #[must_use]
    pub const fn bits_below(self) -> u32 {
        let last = match self {
            ExitAction::Leave(_) => ExitWord::ACTION,
            ExitAction::Assign { .. } => ExitWord::VARIABLE,
        };
        last.shift + last.bits
    }
}

impl ExitWord {
    /// What to do.
    pub const ACTION: Field = Field { bits: 3, shift: 0 };
    /// Which variable is assigned.
    pub const VARIABLE: Field = Field { bits: 3, shift: 3 };

    /// What to do, with the value that is returned or assigned.
    #[must_use]
    pub fn encode(action: ExitAction, value: u64, form: ExitForm) -> ExitWord {
        let below = action.bits_below();
        let value = match form {
            ExitForm::Double => value >> below << below,
            ExitForm::Moved => value << below,
        };
        let variable = match action {
            ExitAction::Leave(_) => 0,
            ExitAction::Assign { variable, .. } => variable << ExitWord::VARIABLE.shift,
        };
        ExitWord(value | variable & ExitWord::VARIABLE.mask() | action.number())
    }

    /// What to do, with the value. None to go on.
    #[must_use]
    pub fn decode(self, form: ExitForm) -> Option<(ExitAction, u64)> {
        let action = match ExitWord::ACTION.of(self.0) {
            number @ (SET | ADD) => ExitAction::Assign {
                variable: ExitWord::VARIABLE.of(self.0),
                is_added: number == ADD,
            },
            number => {
                let mut ways = ExitWay::ALL.into_iter();
                ExitAction::Leave(ways.find(|way| *way as u64 == number)?)
            }
        };
        let below = action.bits_below();
        let value = match form {
            ExitForm::Double => self.0 >> below << below,
            ExitForm::Moved => (self.0.cast_signed() >> below).cast_unsigned(),
        };
        Some((action, value))
    }
}
