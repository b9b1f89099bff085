//! Keeps an intervention from ending or stopping the process that carries out interventions.
//!
//! An intervention may make an argument of `kill` -1, or a branch stop its parent. The kernel lets every process signal its parent,
//! so a filter refuses these calls.

use super::{SystemResult, call};

const SET_PROCESS: usize = 157;
const NO_NEW_PRIVILEGES: usize = 38;
const SET_FILTER: usize = 22;
const FILTER_MODE: usize = 2;

/// The calls that send a signal to a process, a thread or a group.
const SIGNALLING: [u32; 5] = [
    62,  // kill
    200, // tkill
    234, // tgkill
    129, // rt_sigqueueinfo
    297, // rt_tgsigqueueinfo
];

// Offsets in the kernel's `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;

/// `pidfd_send_signal` and `process_vm_writev`: whom they are about stands nowhere that a filter can look.
const REFUSED_CALLS: [u32; 2] = [424, 311];

/// `ptrace`, and its requests that take hold of another process.
const TRACE: u32 = 101;
const ATTACHING: [u32; 2] = [16, 0x4206];

const X86_64: u32 = 0xc000_003e;
const ALLOW: u32 = 0x7fff_0000;
/// `EPERM`.
const REFUSE: u32 = 0x0005_0001;

/// One step of a program for the kernel.
#[derive(Clone, Copy)]
#[repr(C)]
struct Step {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

#[repr(C)]
struct Program {
    length: u16,
    steps: *const Step,
}

const fn load(offset: u32) -> Step {
    step(0x20, offset, 0, 0)
}

/// Skips so many steps if the value is this one, or if it is not.
const fn jump_if(value: u32, if_true: u8, if_false: u8) -> Step {
    step(0x15, value, if_true, if_false)
}

const fn answer(value: u32) -> Step {
    step(0x06, value, 0, 0)
}

const fn step(code: u16, value: u32, if_true: u8, if_false: u8) -> Step {
    Step {
        code,
        if_true,
        if_false,
        value,
    }
}

/// From now on this process and what it starts cannot signal `server`, its group or everybody at once, and cannot trace others.
pub fn shield(server: u32) {
    // -1 is everybody, and 1 the first process of the namespace, which is there for the next run too.
    let spared = [server, server.wrapping_neg(), 1, u32::MAX];
    const CALLS: usize = SIGNALLING.len();
    const TARGETS: usize = 4;
    const REQUESTS: usize = ATTACHING.len();
    // The calls, then what is looked at for those that signal, then for those that trace, and the answers at the end.
    const SIGNAL: usize = 3 + CALLS + REFUSED_CALLS.len() + 2;
    const TRACED: usize = SIGNAL + 1 + TARGETS + 1;
    const REFUSED: usize = TRACED + 1 + REQUESTS + 1;
    let mut steps = [answer(ALLOW); REFUSED + 1];
    // Jumps skip what lies between.
    let past = |from: usize, to: usize| (to - from - 1) as u8;
    steps[0] = load(ARCHITECTURE);
    steps[1] = jump_if(X86_64, 0, past(1, REFUSED - 1));
    steps[2] = load(NUMBER);
    for (index, number) in SIGNALLING.into_iter().enumerate() {
        steps[3 + index] = jump_if(number, past(3 + index, SIGNAL), 0);
    }
    for (index, number) in REFUSED_CALLS.into_iter().enumerate() {
        let own = 3 + CALLS + index;
        steps[own] = jump_if(number, past(own, REFUSED), 0);
    }
    steps[SIGNAL - 2] = jump_if(TRACE, past(SIGNAL - 2, TRACED), 0);
    steps[SIGNAL] = load(FIRST_ARGUMENT);
    for (index, target) in spared.into_iter().enumerate() {
        let own = SIGNAL + 1 + index;
        steps[own] = jump_if(target, past(own, REFUSED), 0);
    }
    steps[TRACED] = load(FIRST_ARGUMENT);
    for (index, request) in ATTACHING.into_iter().enumerate() {
        let own = TRACED + 1 + index;
        steps[own] = jump_if(request, past(own, REFUSED), 0);
    }
    steps[REFUSED] = answer(REFUSE);
    let program = Program {
        length: steps.len() as u16,
        steps: steps.as_ptr(),
    };
    set(NO_NEW_PRIVILEGES, 1, 0);
    // Where the kernel has no filters, only the time limit is left.
    set(SET_FILTER, FILTER_MODE, (&raw const program) as usize);
}

fn set(option: usize, value: usize, more: usize) -> SystemResult {
    call(SET_PROCESS, [option, value, more, 0, 0, 0])
}
