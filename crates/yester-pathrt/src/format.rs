//! The format of a recording on disk, which the runtime writes and `yester-path` reads.
//!
//! Every file is sparse, has its full capacity from the start, and is mapped shared, so that written data survives however the
//! program ends. The file `head`, a page of 64-bit words, says how much of each is used.

pub mod intervention;

/// The first word of `head`.
pub const MAGIC: u64 = 0x3152_5453_4559_0001;
/// How many bytes `head` has.
pub const HEAD_BYTES: usize = 4096;

/// The words of `head`, by index.
pub mod head {
    /// [`super::MAGIC`].
    pub const MAGIC: usize = 0;
    /// The process that was recorded.
    pub const PROCESS: usize = 1;
    /// Its parent, if that was recorded too, else 0.
    pub const PARENT: usize = 2;
    /// How many nodes, including node 0.
    pub const NODES: usize = 3;
    /// How many constraints.
    pub const CONSTRAINTS: usize = 4;
    /// How many symbolic input bytes.
    pub const INPUT: usize = 5;
    /// How many bytes of `sites`.
    pub const SITES: usize = 6;
    /// How many bytes of `lost`.
    pub const LOST: usize = 7;
    /// How many event streams.
    pub const STREAMS: usize = 8;
    /// `STREAM + k`: how many bytes of `events-k` are used. More events may be in `window-k`, see [`crate::pack`].
    pub const STREAM: usize = 9;
    /// 1 if a limit cut events off.
    pub const CUT: usize = 128;
    /// How many pieces of output.
    pub const OUTPUT: usize = 129;
    /// How many bytes of `written`.
    pub const WRITTEN: usize = 130;
    /// How many nodes of `written-nodes`.
    pub const WRITTEN_NODES: usize = 131;
    /// How many bytes of `targets`.
    pub const TARGETS: usize = 132;
    /// 1 if a limit cut values off.
    pub const VALUES_CUT: usize = 133;
    /// `VALUES + k`: how many records of `values-k` are used.
    pub const VALUES: usize = 192;
}

/// At most this many threads are recorded.
pub const MOST_STREAMS: usize = 64;

/// The first byte of an event. Bytes below [`event::WIDE`] are event codes themselves.
pub mod event {
    /// A code of 16 bits follows.
    pub const WIDE: u8 = 0xF0;
    /// A code of 32 bits follows.
    pub const WIDER: u8 = 0xF1;
    /// A function was entered; its number follows in 32 bits.
    pub const ENTER: u8 = 0xF8;
    /// The current function returned.
    pub const RETURN: u8 = 0xF9;
    /// An exception or longjmp can land in the current function; the serial number of its frame follows in 32 bits.
    pub const FRAME: u8 = 0xFA;
    /// Control landed in the frame with the serial number that follows in 32 bits.
    pub const LAND: u8 = 0xFB;
    /// The program ends; its status follows in 8 bits.
    pub const EXIT: u8 = 0xFC;
    /// The program aborts.
    pub const ABORT: u8 = 0xFD;
    /// The end mark after the last event. It is written together with each event, so that no counter is needed.
    pub const END: u8 = 0xFF;
}

/// The size of an event that starts with this byte; `None` if there is no such event.
#[must_use]
pub const fn event_bytes(first: u8) -> Option<usize> {
    match first {
        event::WIDE => Some(3),
        event::WIDER | event::ENTER | event::FRAME | event::LAND => Some(5),
        event::EXIT => Some(2),
        event::RETURN | event::ABORT => Some(1),
        code if code < event::WIDE => Some(1),
        _ => None,
    }
}

/// Where the events of a stream end, of which at least `known` bytes are used.
#[must_use]
pub fn end_of_events(stream: &[u8], known: usize) -> usize {
    let mut at = known.min(stream.len());
    while let Some(bytes) = stream.get(at).and_then(|first| event_bytes(*first)) {
        if at + bytes > stream.len() {
            break;
        }
        at += bytes;
    }
    at
}

/// Function numbers from here on are unknown functions: they ran before their module was registered.
pub const UNKNOWN_FUNCTION: u32 = 1 << 31;

/// Operations on bit vectors of 1 to 64 bits, with the meaning that SMT-LIB gives them. Those on floating point numbers take their
/// bits, as IEEE 754 has them: 32 bits are a `float` and 64 a `double`. They round to nearest, ties to even. A result that is no
/// number has the bits of [`not_a_number`] in an evaluation, and any of those in a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Operation {
    /// `a` is the index of the input byte.
    Input = 1,
    /// `a` has the low, `b` the high 32 bits.
    Constant = 2,
    Not = 3,
    Negate = 4,
    Add = 5,
    Subtract = 6,
    Multiply = 7,
    DivideUnsigned = 8,
    DivideSigned = 9,
    RemainderUnsigned = 10,
    RemainderSigned = 11,
    And = 12,
    Or = 13,
    ExclusiveOr = 14,
    ShiftLeft = 15,
    ShiftRightLogical = 16,
    ShiftRightArithmetic = 17,
    Equal = 18,
    LessUnsigned = 19,
    LessOrEqualUnsigned = 20,
    LessSigned = 21,
    LessOrEqualSigned = 22,
    /// `a` has the high bits, `b` the low ones.
    Concatenate = 23,
    /// `b` is the lowest bit that is taken.
    Extract = 24,
    ZeroExtend = 25,
    SignExtend = 26,
    /// `a` is the condition.
    Choose = 27,
    FloatAdd = 28,
    FloatSubtract = 29,
    FloatMultiply = 30,
    FloatDivide = 31,
    /// False if an operand is no number, as for all comparisons.
    FloatEqual = 32,
    FloatLess = 33,
    FloatLessOrEqual = 34,
    FloatSquareRoot = 35,
    /// To an integral number; `b` is the [`Rounding`].
    FloatRound = 36,
    /// From one size to another.
    FloatConvert = 37,
    FloatFromSigned = 38,
    FloatFromUnsigned = 39,
    /// Toward zero. What does not fit becomes the smallest number, as x86 has it.
    FloatToSigned = 40,
}

/// How a floating point number is rounded to an integral one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Rounding {
    /// The even one of two that are equally near.
    NearestEven = 0,
    /// The one away from zero.
    NearestAway = 1,
    Up = 2,
    Down = 3,
    TowardZero = 4,
}

impl Rounding {
    /// All of them, in the order of their numbers.
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Up,
        Rounding::Down,
        Rounding::TowardZero,
    ];
}

/// What instrumented code asks of floating point numbers beside the [`Operation`]s.
pub mod float_kind {
    /// The other sign.
    pub const NEGATE: u8 = 128;
    /// No sign.
    pub const ABSOLUTE: u8 = 129;
    /// The smaller one; a number if one of both is none.
    pub const MINIMUM: u8 = 130;
    /// The greater one.
    pub const MAXIMUM: u8 = 131;
    /// The first with the sign of the second.
    pub const COPY_SIGN: u8 = 132;
    /// An integer without a sign.
    pub const TO_UNSIGNED: u8 = 133;
    /// Set in a conversion to an integer that LLVM may leave out together with one from an integer. What does not fit is then
    /// not what x86 makes of it.
    pub const FOLDED: u32 = 1 << 24;
    /// An integral number; plus a [`super::Rounding`].
    pub const ROUND: u8 = 144;
}

/// The bits of the result of an operation that gives no number, as x86 has them.
#[must_use]
pub const fn not_a_number(width: u32) -> u64 {
    if width == 32 {
        0xFFC0_0000
    } else {
        0xFFF8_0000_0000_0000
    }
}

impl Operation {
    /// All of them, in the order of their numbers, which begin with 1.
    pub const ALL: [Operation; 40] = [
        Operation::Input,
        Operation::Constant,
        Operation::Not,
        Operation::Negate,
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::DivideUnsigned,
        Operation::DivideSigned,
        Operation::RemainderUnsigned,
        Operation::RemainderSigned,
        Operation::And,
        Operation::Or,
        Operation::ExclusiveOr,
        Operation::ShiftLeft,
        Operation::ShiftRightLogical,
        Operation::ShiftRightArithmetic,
        Operation::Equal,
        Operation::LessUnsigned,
        Operation::LessOrEqualUnsigned,
        Operation::LessSigned,
        Operation::LessOrEqualSigned,
        Operation::Concatenate,
        Operation::Extract,
        Operation::ZeroExtend,
        Operation::SignExtend,
        Operation::Choose,
        Operation::FloatAdd,
        Operation::FloatSubtract,
        Operation::FloatMultiply,
        Operation::FloatDivide,
        Operation::FloatEqual,
        Operation::FloatLess,
        Operation::FloatLessOrEqual,
        Operation::FloatSquareRoot,
        Operation::FloatRound,
        Operation::FloatConvert,
        Operation::FloatFromSigned,
        Operation::FloatFromUnsigned,
        Operation::FloatToSigned,
    ];

    /// Whether it compares two values, so that its result has one bit.
    #[must_use]
    #[inline]
    pub const fn compares(self) -> bool {
        matches!(
            self,
            Operation::Equal
                | Operation::LessUnsigned
                | Operation::LessOrEqualUnsigned
                | Operation::LessSigned
                | Operation::LessOrEqualSigned
                | Operation::FloatEqual
                | Operation::FloatLess
                | Operation::FloatLessOrEqual
        )
    }

    /// Whether it works on floating point numbers.
    #[must_use]
    #[inline]
    pub const fn is_float(self) -> bool {
        self as u8 >= Operation::FloatAdd as u8
    }
}

/// One expression. Node 0 stands for values that do not depend on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct NodeRecord {
    /// An [`Operation`].
    pub operation: u8,
    /// Always 0.
    pub reserved: u8,
    /// In bits.
    pub width: u16,
    /// The first operand: a node, unless the operation says otherwise.
    pub a: u32,
    /// The second one.
    pub b: u32,
    /// The third one.
    pub c: u32,
}

impl NodeRecord {
    /// How many bytes a record takes.
    pub const BYTES: usize = size_of::<Self>();
}

/// Where a node was made first. `origins` has one for each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct OriginRecord {
    /// Where the next event was in the event stream.
    pub event: u64,
    /// The place in the source, see [`place`]. 0 if unknown.
    pub place: u32,
    /// The event stream; [`NO_STREAM`] if there is none.
    pub stream: u16,
    /// Which of the function's classes the place belongs to, counted from 1: what it is control dependent on. 0 if unknown.
    pub class: u16,
}

/// Stands for the event stream of a thread that has none.
pub const NO_STREAM: u16 = u16::MAX;

impl OriginRecord {
    /// How many bytes a record takes.
    pub const BYTES: usize = size_of::<Self>();
}

/// Whether a file is a header or a source of the system, by its absolute path.
#[must_use]
pub fn is_system_file(path: &str) -> bool {
    const SYSTEM: [&[&str]; 3] = [
        &["usr", "include"],
        &["usr", "lib"],
        &["usr", "local", "include"],
    ];
    if !path.starts_with('/') {
        return false;
    }
    // Compilers write paths with `..` in them. Three names are all that matter, unless something leads back from farther on.
    let mut names = [""; 16];
    let mut count = 0_usize;
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => count = count.saturating_sub(1),
            name => {
                if count < names.len() {
                    names[count] = name;
                }
                count += 1;
            }
        }
    }
    let names = &names[..count.min(names.len())];
    SYSTEM.iter().any(|start| names.starts_with(start))
}

/// A place in the source as one number: a line, and a column. What does not fit becomes 0.
#[must_use]
pub const fn place(line: u32, column: u32) -> u32 {
    if line >= 1 << (32 - COLUMN_BITS) {
        return 0;
    }
    let column = if column >= 1 << COLUMN_BITS {
        0
    } else {
        column
    };
    line << COLUMN_BITS | column
}

/// The line and the column of a [`place`].
#[must_use]
pub const fn line_and_column(place: u32) -> (u32, u32) {
    (place >> COLUMN_BITS, place & ((1 << COLUMN_BITS) - 1))
}

const COLUMN_BITS: u32 = 12;

/// A piece of output that the program wrote at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct OutputRecord {
    /// Where the next event was in the event stream.
    pub event: u64,
    /// The offset of its first byte in `written`.
    pub bytes: u64,
    /// The index of the node of its first byte in `written-nodes`, plus 1; 0 if no byte depends on the input.
    pub nodes: u64,
    /// How many bytes it has.
    pub length: u32,
    /// Which line of `targets`.
    pub target: u32,
    /// The place in the source, see [`place`].
    pub place: u32,
    /// The event stream, as in an origin.
    pub stream: u16,
    /// The class, as in an origin.
    pub class: u16,
    /// A node that is 1 as long as the text has the same layout, as many digits for example; 0 if it always has.
    pub layout: u32,
    /// [`OUTPUT_CUT`] and [`OUTPUT_OUTER`].
    pub flags: u32,
}

/// More was written than is told.
pub const OUTPUT_CUT: u32 = 1;
/// The place is not in the function that wrote, which is one of a system header, but in the one that called into those.
pub const OUTPUT_OUTER: u32 = 2;

impl OutputRecord {
    /// How many bytes a record takes.
    pub const BYTES: usize = size_of::<Self>();
}

/// A value that the program assigned, passed or returned. `values-k` has those of a thread, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ValueRecord {
    /// Where the next event was in the event stream, and the function, see [`ValueRecord::moment`].
    pub moment: u64,
    /// Its bits: of an integer or floating point number; of a pointer whether it is not null.
    pub value: u64,
    /// The site of the function plus 1. 0 if the program was killed before the record was written.
    pub site: u32,
    /// The node of the value; 0 if it does not depend on the input.
    pub node: u32,
}

impl ValueRecord {
    /// How many bytes a record takes.
    pub const BYTES: usize = size_of::<Self>();
    const EVENT_BITS: u32 = 40;
    /// Stands for functions whose number does not fit, and for unknown ones.
    pub const NO_FUNCTION: u32 = (1 << (64 - Self::EVENT_BITS)) - 1;

    /// A moment of a run and a function as one number.
    #[must_use]
    pub const fn moment(event: u64, function: u32) -> u64 {
        let last = (1 << Self::EVENT_BITS) - 1;
        let event = if event > last { last } else { event };
        let function = if function > Self::NO_FUNCTION {
            Self::NO_FUNCTION
        } else {
            function
        };
        event | (function as u64) << Self::EVENT_BITS
    }

    /// The event and the function of a [`ValueRecord::moment`].
    #[must_use]
    pub const fn event_and_function(moment: u64) -> (u64, u32) {
        let event = moment & ((1 << Self::EVENT_BITS) - 1);
        (event, (moment >> Self::EVENT_BITS) as u32)
    }
}

/// A condition that held in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ConstraintRecord {
    /// Where its branch is in its event stream; for a concretisation, where the next event will be.
    pub event: u64,
    /// A node of one bit that is 1 in this run.
    pub node: u32,
    /// [`BRANCH`] or [`CONCRETISED`].
    pub kind: u32,
    /// The event stream.
    pub stream: u32,
    /// Always 0.
    pub reserved: u32,
}

impl ConstraintRecord {
    /// How many bytes a record takes.
    pub const BYTES: usize = size_of::<Self>();
}

/// The kind of a constraint from a branch.
pub const BRANCH: u32 = 0;
/// The kind of a constraint that fixes a value to what it was in this run.
pub const CONCRETISED: u32 = 1;

/// One symbolic byte of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct InputByteRecord {
    /// Its offset in its source.
    pub offset: u64,
    /// Which line of `sources`.
    pub source: u32,
    /// Its value.
    pub value: u8,
    /// Always 0.
    pub reserved: [u8; 3],
}

/// The bytes of input from this offset on, lowest first, are those of the length of the source.
pub const LENGTH_OFFSET: u64 = 1 << 62;
/// How many bytes the length of a source has.
pub const LENGTH_BYTES: u64 = 3;
/// The value that a byte behind the end of a source has as long as nobody asks for another.
pub const FILLER: u8 = b'0';

impl InputByteRecord {
    /// How many bytes a record takes.
    pub const BYTES: usize = size_of::<Self>();
}
