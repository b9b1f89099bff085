//! Carries out many interventions: each in a child that is forked where the program reaches its first place, so that starting it costs
//! next to nothing.
//!
//! A child reads standard input from where this process had it, and writes standard output and standard error into memory. How it
//! ended and what it wrote goes into the file of results, as a record.

use crate::file::SharedCell;
use crate::format::intervention::{ResultRecord, flag};
use crate::protocol::{Intervention, Limits, Plan};
use crate::system;

/// What a child may write to a file, in bytes, beside so many times what is expected.
const MOST_OUTPUT: u64 = 32 << 20;
const TIMES_EXPECTED: u64 = 16;
/// So often a child is tried to be made, each time after a longer wait: about two seconds in all.
const MOST_ATTEMPTS: usize = 64;

/// What the server has. Only one thread runs until the children do.
struct Server {
    results: i32,
    /// What standard output is compared with.
    expected: &'static [u8],
    /// In memory that children share: how often the intervention was applied, and whether the fuel ended.
    shared: *mut [u64; 2],
}

static SERVER: SharedCell<Server> = SharedCell::new(Server {
    results: -1,
    expected: &[],
    shared: core::ptr::null_mut(),
});

/// Opens the file of results, and the one with the expected output if there is one.
pub fn prepare(path: &[u8], expected: Option<&[u8]>) -> bool {
    let descriptor = system::open_for_appending(path);
    let Some(shared) = system::map_shared_memory(4096) else {
        return false;
    };
    // SAFETY: this happens once, in the first constructor.
    unsafe {
        *SERVER.get() = Server {
            results: system::move_up(descriptor as i32),
            expected: expected.and_then(system::content).unwrap_or_default(),
            shared: shared.cast(),
        };
    }
    descriptor >= 0
}

/// The intervention of a child was applied.
pub fn applied() {
    // SAFETY: the memory is shared as long as the process lives.
    unsafe {
        let server = &*SERVER.get();
        if !server.shared.is_null() {
            (*server.shared)[0] += 1;
        }
    }
}

/// A run has taken more branches than it may.
pub fn spent() -> ! {
    // SAFETY: as above.
    unsafe {
        let server = &*SERVER.get();
        if !server.shared.is_null() {
            (*server.shared)[1] = 1;
        }
    }
    system::end_by_signal(system::SIGNAL_LIMIT)
}

/// Carries out all interventions of a plan. Returns in each child with its intervention, and not at all in this process.
pub fn serve(plan: Plan<'_>) -> Intervention {
    // SAFETY: only this thread runs.
    let server = unsafe { &*SERVER.get() };
    let outputs = [system::memory_file(), system::memory_file()].map(system::move_up);
    let start = system::position(0);
    let process = system::process();
    system::adopt_orphans();
    for (index, intervention) in plan.interventions().enumerate() {
        for descriptor in outputs {
            system::set_size(descriptor, 0);
            system::seek(descriptor, 0);
        }
        if let Some(start) = start {
            system::seek(0, start);
        }
        // SAFETY: the memory is shared with children that have ended.
        unsafe { *server.shared = [0; 2] };
        let child = fork();
        if child == 0 {
            become_child(server, outputs, plan.limits);
            system::shield(process);
            return intervention;
        }
        let mut record = ResultRecord {
            index: index as u64,
            ..ResultRecord::default()
        };
        if child < 0 {
            record.flags = flag::NOT_RUN;
        } else {
            let (status, is_late) = system::wait_for(child as i32, plan.limits.milliseconds);
            // SAFETY: as above.
            let [applied, spent] = unsafe { *server.shared };
            record.status = status;
            record.flags = (u64::from(is_late) * flag::LATE) | (spent * flag::SPENT);
            record.applied = applied;
            let [output, errors] = outputs.map(|descriptor| hash(descriptor, server.expected));
            (record.output_bytes, record.output, record.common) = output;
            (record.errors_bytes, record.errors, _) = errors;
        }
        system::write_all(server.results, &record.bytes());
    }
    system::exit(0)
}

/// Makes a child. An intervention before may have left more processes than there may be, which are being ended.
fn fork() -> system::SystemResult {
    let mut attempts = 0;
    loop {
        system::reap_others(attempts);
        let child = system::fork();
        if child >= 0 || attempts == MOST_ATTEMPTS {
            return child;
        }
        attempts += 1;
    }
}

fn become_child(server: &Server, outputs: [i32; 2], limits: Limits) {
    system::lead_group();
    system::die_with_parent();
    let expected = server.expected.len() as u64;
    system::limit_files(MOST_OUTPUT + TIMES_EXPECTED * expected);
    for (descriptor, target) in outputs.into_iter().zip([1, 2]) {
        system::duplicate_to(descriptor, target);
        system::close(descriptor);
    }
    system::close(server.results);
    super::refuel(limits);
}

/// How many bytes a file has, their FNV-1a hash, and how many of the first ones are as expected.
fn hash(descriptor: i32, expected: &[u8]) -> (u64, u64, u64) {
    let mut hash = crate::format::intervention::Fnv::default();
    let mut buffer = [0; 4096];
    let (mut place, mut common) = (0, 0);
    loop {
        let read = system::read_at(descriptor, &mut buffer, place);
        if read == 0 {
            return (place, hash.0, common);
        }
        let bytes = &buffer[..read];
        hash.add(bytes);
        if common == place {
            let expected = expected.get(place as usize..).unwrap_or_default();
            let pairs = bytes.iter().zip(expected);
            common += pairs.take_while(|(one, other)| one == other).count() as u64;
        }
        place += read as u64;
    }
}
