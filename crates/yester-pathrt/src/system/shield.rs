//! Keeps an experiment from ending or stopping the process that carries out experiments.
//!
//! A forced argument of `kill` may be -1, and a forced branch may stop its parent. The kernel lets every process signal its parent,
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

/// From now on this process and what it starts cannot signal `server`, its group, or everybody at once.
pub fn shield(server: u32) {
    // -1 is everybody, and 1 the first process of the namespace, which is there for the next run too.
    let spared = [server, server.wrapping_neg(), 1, u32::MAX];
    const TARGETS: usize = 4;
    const LENGTH: usize = 3 + SIGNALLING.len() + 2 + TARGETS + 2;
    let mut steps = [answer(ALLOW); LENGTH];
    steps[0] = load(ARCHITECTURE);
    steps[1] = jump_if(X86_64, 0, (LENGTH - 4) as u8);
    steps[2] = load(NUMBER);
    for (index, number) in SIGNALLING.into_iter().enumerate() {
        // Past the calls that follow, and the answer for those that signal nobody.
        let past = SIGNALLING.len() - index;
        steps[3 + index] = jump_if(number, past as u8, 0);
    }
    let targets = 3 + SIGNALLING.len() + 1;
    steps[targets] = load(FIRST_ARGUMENT);
    for (index, target) in spared.into_iter().enumerate() {
        let past = TARGETS - index;
        steps[targets + 1 + index] = jump_if(target, past as u8, 0);
    }
    steps[LENGTH - 1] = answer(REFUSE);
    let program = Program {
        length: LENGTH as u16,
        steps: steps.as_ptr(),
    };
    set(NO_NEW_PRIVILEGES, 1, 0);
    // Where the kernel has no filters, only the time limit is left.
    set(SET_FILTER, FILTER_MODE, (&raw const program) as usize);
}

fn set(option: usize, value: usize, more: usize) -> SystemResult {
    call(SET_PROCESS, [option, value, more, 0, 0, 0])
}
