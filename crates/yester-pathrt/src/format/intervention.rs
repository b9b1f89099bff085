//! What programs that take interventions write: profiles, and the results of interventions.

/// So many places of a process are counted.
pub const MOST_PLACES: usize = 1 << 20;
/// So many values that the left side of a comparison had are written down, the first ones.
pub const MOST_OPERANDS: usize = 16;
/// So many words there are for each place: how often it was reached, how the operands of a comparison were related, how many values its left
/// side had, and these.
pub const COUNT_WORDS: usize = 3 + MOST_OPERANDS;
/// So many times that a place was reached are written down.
pub const MOST_LOGGED: usize = 4 << 20;

/// A place was reached. The first record of a log has no place; its value is the number of those behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct LogRecord {
    /// The number of the place among all places of the process, in the order of their tables.
    pub place: u64,
    /// What the place had: an outcome, a value.
    pub value: u64,
}

/// How the operands of an operator were related, as four bits for each way to read them.
pub mod relation {
    /// The left one was less.
    pub const LESS: u64 = 1;
    /// They were equal.
    pub const EQUAL: u64 = 2;
    /// The left one was greater.
    pub const GREATER: u64 = 4;
    /// One of them was no number.
    pub const UNORDERED: u64 = 8;
    /// Where the bits are for operands without a sign.
    pub const UNSIGNED: u32 = 0;
    /// For operands of 8 bits with a sign.
    pub const SIGNED_8: u32 = 4;
    /// Of 16 bits.
    pub const SIGNED_16: u32 = 8;
    /// Of 32 bits.
    pub const SIGNED_32: u32 = 12;
    /// Of 64 bits.
    pub const SIGNED_64: u32 = 16;
    /// For `float`.
    pub const FLOAT_32: u32 = 20;
    /// For `double`.
    pub const FLOAT_64: u32 = 24;
}

/// What happened in an intervention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct ResultRecord {
    /// The intervention, by its place in the plan.
    pub index: u64,
    /// As `wait` gives it.
    pub status: u64,
    /// See [`flag`].
    pub flags: u64,
    /// How often the intervention was applied.
    pub applied: u64,
    /// How many bytes went to standard output, and their hash.
    pub output_bytes: u64,
    /// See [`Fnv`].
    pub output: u64,
    /// The same for standard error.
    pub errors_bytes: u64,
    /// The same for standard error.
    pub errors: u64,
    /// How many bytes at the beginning of standard output are those that are expected, if something is.
    pub common: u64,
}

/// The bits of [`ResultRecord::flags`].
pub mod flag {
    /// The run took too long.
    pub const LATE: u64 = 1;
    /// The run took too many branches.
    pub const SPENT: u64 = 2;
    /// The system did not allow the run.
    pub const NOT_RUN: u64 = 4;
}

impl ResultRecord {
    /// How many bytes a record has.
    pub const BYTES: usize = size_of::<ResultRecord>();

    /// Its words.
    fn words(self) -> [u64; 9] {
        [
            self.index,
            self.status,
            self.flags,
            self.applied,
            self.output_bytes,
            self.output,
            self.errors_bytes,
            self.errors,
            self.common,
        ]
    }

    /// As it is written.
    #[must_use]
    pub fn bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(self.words()) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Reads what was written.
    #[must_use]
    pub fn read(bytes: &[u8; Self::BYTES]) -> ResultRecord {
        let word = |index: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * index..8 * index + 8]);
            u64::from_le_bytes(word)
        };
        ResultRecord {
            index: word(0),
            status: word(1),
            flags: word(2),
            applied: word(3),
            output_bytes: word(4),
            output: word(5),
            errors_bytes: word(6),
            errors: word(7),
            common: word(8),
        }
    }
}

/// The FNV-1a hash of some bytes. Whatever it says is confirmed by a run whose output is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(pub u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> u64 {
        let mut hash = Fnv::default();
        hash.add(bytes);
        hash.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let record = ResultRecord {
            index: 1,
            status: 256,
            flags: flag::SPENT,
            applied: 3,
            output_bytes: 4,
            output: Fnv::of(b"four"),
            errors_bytes: 0,
            errors: Fnv::of(b""),
            common: 2,
        };
        assert_eq!(ResultRecord::read(&record.bytes()), record);
    }
}
