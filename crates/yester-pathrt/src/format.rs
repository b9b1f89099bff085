//! How a recording looks on disk: what the runtime writes and `yester-path` reads.
//!
//! Every file is made at its full capacity, with holes, and mapped shared, so that what was written is there however the
//! program ends. How much of it is used says `head`, a page of 64-bit words.

/// The first word of `head`.
pub const MAGIC: u64 = 0x3152_5453_4559_0001;
/// How many bytes `head` has.
pub const HEAD_BYTES: usize = 4096;

/// What stands at which word of `head`.
pub mod head {
    /// [`super::MAGIC`].
    pub const MAGIC: usize = 0;
    /// The process that was recorded.
    pub const PROCESS: usize = 1;
    /// Its parent, if that was recorded too, else 0.
    pub const PARENT: usize = 2;
    /// How many nodes there are, node 0 among them.
    pub const NODES: usize = 3;
    /// How many constraints.
    pub const CONSTRAINTS: usize = 4;
    /// How many symbolic bytes of input.
    pub const INPUT: usize = 5;
    /// How many bytes of `sites`.
    pub const SITES: usize = 6;
    /// How many bytes of `lost`.
    pub const LOST: usize = 7;
    /// How many event streams.
    pub const STREAMS: usize = 8;
    /// `STREAM + k` says how many bytes of `events-k` are used; the window comes behind them, see [`crate::pack`].
    pub const STREAM: usize = 9;
    /// 1 when events were left out because of a limit.
    pub const CUT: usize = 128;
}

/// How many threads are recorded at most.
pub const MOST_STREAMS: usize = 64;

/// The bytes of an event stream. Codes below [`event::WIDE`] stand for themselves.
pub mod event {
    /// A code of 16 bits follows.
    pub const WIDE: u8 = 0xF0;
    /// A code of 32 bits follows.
    pub const WIDER: u8 = 0xF1;
    /// A function was entered; its number follows in 32 bits.
    pub const ENTER: u8 = 0xF8;
    /// The current function returned.
    pub const RETURN: u8 = 0xF9;
    /// The current function can be landed in; the serial number of this frame follows in 32 bits.
    pub const FRAME: u8 = 0xFA;
    /// Control landed in the frame with the serial number that follows in 32 bits.
    pub const LAND: u8 = 0xFB;
    /// The program ends; its status follows in 8 bits.
    pub const EXIT: u8 = 0xFC;
    /// The program aborts.
    pub const ABORT: u8 = 0xFD;
    /// Behind the last event. It is written together with each event, so that no event has to count.
    pub const END: u8 = 0xFF;
}

/// How many bytes an event takes that begins with this byte; `None` if there is no such event.
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

/// Where the events of a stream end, if at least `known` bytes of it are used.
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

/// Function numbers from here on name no function: their module was not yet registered when they ran.
pub const UNKNOWN_FUNCTION: u32 = 1 << 31;

/// Operations of nodes, bit vectors of 1 to 64 bits with the meaning that SMT-LIB gives them.
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
}

impl Operation {
    /// All of them, in the order of their numbers, which begin with 1.
    pub const ALL: [Operation; 27] = [
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
    ];
}

/// One expression. Node 0 stands for what does not depend on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct Node {
    /// An [`Operation`].
    pub operation: u8,
    /// Always 0.
    pub reserved: u8,
    /// In bits.
    pub width: u16,
    /// The first operand: a node, or what the operation says.
    pub a: u32,
    /// The second one.
    pub b: u32,
    /// The third one.
    pub c: u32,
}

/// A condition that held in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Constraint {
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

/// The kind of a constraint that a branch made.
pub const BRANCH: u32 = 0;
/// The kind of a constraint that says that a value was as it was.
pub const CONCRETISED: u32 = 1;

/// One symbolic byte of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct InputByte {
    /// Where it stands in its source.
    pub offset: u64,
    /// Which line of `sources`.
    pub source: u32,
    /// What it was.
    pub value: u8,
    /// Always 0.
    pub reserved: [u8; 3],
}
