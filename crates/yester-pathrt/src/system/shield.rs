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

/// The calls that say whom the kernel signals when something happens to a descriptor.
const FCNTL: u32 = 72;
const IOCTL: u32 = 16;

/// `F_SETOWN`, `F_SETSIG` and `F_SETOWN_EX`.
const OWNING: [u32; 3] = [8, 10, 15];
/// `FIOSETOWN` and `SIOCSPGRP`.
const OWNING_REQUESTS: [u32; 2] = [0x8901, 0x8902];

/// `pidfd_send_signal` and `process_vm_writev`: whom they are about stands nowhere that a filter can look. `ptrace`: it takes hold of another
/// process, or makes the server take hold of this one, which then waits for it.
const REFUSED_CALLS: [u32; 3] = [424, 311, 101];

// Offsets in the kernel's `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIRST_ARGUMENT: u32 = 16;
const SECOND_ARGUMENT: u32 = 24;

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

/// More steps than there are.
const MOST_STEPS: usize = 128;

/// A program that grows.
struct Filter {
    steps: [Step; MOST_STEPS],
    length: usize,
}

impl Filter {
    fn add(&mut self, step: Step) {
        self.steps[self.length] = step;
        self.length += 1;
    }

    /// Refuses a call.
    fn refuse(&mut self, number: u32) {
        self.add(jump_if(number, 0, 1));
        self.add(answer(REFUSE));
    }

    /// Refuses a call if one of its arguments has one of these values.
    fn refuse_with(&mut self, number: u32, argument: u32, values: &[u32]) {
        let rest = 2 * values.len() + 2;
        self.add(jump_if(number, 0, rest as u8));
        self.add(load(argument));
        for value in values {
            self.refuse(*value);
        }
        self.add(load(NUMBER));
    }
}

/// From now on this process and what it starts cannot signal `server`, its group or everybody at once, have the kernel signal others, or
/// trace.
pub fn shield(server: u32) {
    // -1 is everybody, and 1 the first process of the namespace, which is there for the next run too.
    let spared = [server, server.wrapping_neg(), 1, u32::MAX];
    let mut filter = Filter {
        steps: [answer(ALLOW); MOST_STEPS],
        length: 0,
    };
    filter.add(load(ARCHITECTURE));
    filter.add(jump_if(X86_64, 1, 0));
    filter.add(answer(REFUSE));
    filter.add(load(NUMBER));
    for number in REFUSED_CALLS {
        filter.refuse(number);
    }
    for number in SIGNALLING {
        filter.refuse_with(number, FIRST_ARGUMENT, &spared);
    }
    filter.refuse_with(FCNTL, SECOND_ARGUMENT, &OWNING);
    filter.refuse_with(IOCTL, SECOND_ARGUMENT, &OWNING_REQUESTS);
    filter.add(answer(ALLOW));
    let program = Program {
        length: filter.length as u16,
        steps: filter.steps.as_ptr(),
    };
    set(NO_NEW_PRIVILEGES, 1, 0);
    // Where the kernel has no filters, only the time limit is left.
    set(SET_FILTER, FILTER_MODE, (&raw const program) as usize);
}

fn set(option: usize, value: usize, more: usize) -> SystemResult {
    call(SET_PROCESS, [option, value, more, 0, 0, 0])
}
