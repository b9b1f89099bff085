//! What every place of a run did: how often it was reached, with which values, in which order.
//!
//! A process writes three files into a directory of its own: `places`, the tables of its modules; `counts`, for each place how
//! often it was reached and, of a comparison, how its operands were related and which values the left one had; and `log`, a record for each time that a place other than an
//! operator was reached: the number of the place and the value.

use core::cmp::Ordering as Order;

use super::Report;
use crate::file::{SharedCell, TextWriter};
use crate::format::intervention::{
    COUNT_WORDS, LogRecord, MOST_LOGGED, MOST_OPERANDS, MOST_PLACES, relation,
};
use crate::system;

/// Where it goes. Only constructors change it.
struct Profile {
    places: i32,
    counts: *mut [u64; COUNT_WORDS],
    /// The first record has the number of records.
    log: *mut LogRecord,
}

static PROFILE: SharedCell<Profile> = SharedCell::new(Profile {
    places: -1,
    counts: core::ptr::null_mut(),
    log: core::ptr::null_mut(),
});

/// Makes the files of this process.
pub fn begin(directory: &[u8], process: u64) -> bool {
    let make = |name: &[u8]| -> Option<i32> {
        let mut path = [0; 4096];
        let mut writer = TextWriter {
            bytes: &mut path,
            used: 0,
        };
        writer.text(directory);
        writer.text(b"/");
        writer.number(process);
        if name.is_empty() {
            let made = system::make_directory(system::HERE, &path);
            return (made == 0).then_some(0);
        }
        writer.text(b"/");
        writer.text(name);
        let descriptor = system::make_file(system::HERE, &path);
        (descriptor >= 0).then_some(descriptor as i32)
    };
    let map = |name: &[u8], bytes: usize| -> Option<*mut u8> {
        let descriptor = make(name)?;
        let is_sized = system::set_size(descriptor, bytes) == 0;
        let place = is_sized
            .then(|| system::map(descriptor, bytes, core::ptr::null_mut()))
            .flatten();
        system::close(descriptor);
        place
    };
    let open = || -> Option<Profile> {
        make(b"")?;
        Some(Profile {
            places: system::move_up(make(b"places")?),
            counts: map(b"counts", MOST_PLACES * size_of::<[u64; COUNT_WORDS]>())?.cast(),
            log: map(b"log", (MOST_LOGGED + 1) * size_of::<LogRecord>())?.cast(),
        })
    };
    match open() {
        // SAFETY: this happens once, in the first constructor.
        Some(profile) => unsafe {
            *PROFILE.get() = profile;
            true
        },
        None => {
            system::complain(b"yester: cannot write down what the program does\n");
            false
        }
    }
}

/// Writes down the table of a module.
pub fn module(table: &[u8]) {
    // SAFETY: constructors run one after the other.
    let descriptor = unsafe { (*PROFILE.get()).places };
    if descriptor >= 0 {
        system::write_all(descriptor, table);
    }
}

/// A place was reached.
pub fn reached(number: u64, report: &Report) {
    // SAFETY: both files have room for so many places and records; counts of several threads may get lost.
    unsafe {
        let profile = &*PROFILE.get();
        if number as usize >= MOST_PLACES {
            return;
        }
        let counts = &mut *profile.counts.add(number as usize);
        counts[0] += 1;
        match report {
            Report::Operands(left, right) => {
                counts[1] |= relations(*left, *right);
                let known = counts[2] as usize;
                if known < MOST_OPERANDS && !counts[3..3 + known].contains(left) {
                    counts[3 + known] = *left;
                    counts[2] += 1;
                }
            }
            Report::Nothing => {}
            Report::Value(value) => {
                let head = &mut *profile.log;
                if head.value < MOST_LOGGED as u64 {
                    head.value += 1;
                    *profile.log.add(head.value as usize) = LogRecord {
                        place: number,
                        value: *value,
                    };
                }
            }
        }
    }
}

/// How two operands are related, whatever their type is.
fn relations(left: u64, right: u64) -> u64 {
    let of = |order: Option<Order>, shift: u32| match order {
        Some(Order::Less) => relation::LESS << shift,
        Some(Order::Equal) => relation::EQUAL << shift,
        Some(Order::Greater) => relation::GREATER << shift,
        None => relation::UNORDERED << shift,
    };
    let signed = |bits: u32| {
        let unused = 64 - bits;
        let [left, right] = [left, right].map(|one| (one << unused).cast_signed() >> unused);
        Some(left.cmp(&right))
    };
    let [left_f32, right_f32] = [left, right].map(|one| f32::from_bits(one as u32));
    let [left_f64, right_f64] = [left, right].map(f64::from_bits);
    of(Some(left.cmp(&right)), relation::UNSIGNED)
        | of(signed(8), relation::SIGNED_8)
        | of(signed(16), relation::SIGNED_16)
        | of(signed(32), relation::SIGNED_32)
        | of(signed(64), relation::SIGNED_64)
        | of(left_f32.partial_cmp(&right_f32), relation::FLOAT_32)
        | of(left_f64.partial_cmp(&right_f64), relation::FLOAT_64)
}
