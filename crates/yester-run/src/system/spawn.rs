//! Starting the user's command.
//!
//! The standard library starts a process either fast or with other namespaces and fewer rights. This module does both: the
//! child borrows this process's memory until it executes the command, as with `posix_spawn`, so that nothing is copied.
//!
//! Until then the child may neither allocate nor lock. It calls libc directly, because rustix does not promise that.

use std::ffi::{CString, OsStr, OsString, c_char, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;

use libc::{c_int, c_ulong};

use super::landlock::WriteFence;
use super::privilege::{self, CallFilter};
use super::write_watch::WriteFilter;
use super::{check, reap_one};

/// How a command is started.
pub(crate) struct Launch<'a> {
    /// The program, by its path.
    pub program: &'a OsStr,
    /// What follows its name.
    pub arguments: &'a [OsString],
    /// Its whole environment, as `NAME=VALUE`.
    pub environment: &'a [OsString],
    pub directory: &'a OsStr,
    /// Standard input, output and error.
    pub streams: [BorrowedFd<'a>; 3],
    /// How many bytes of data each of its processes may hold.
    pub memory: Option<u64>,
    /// The mount namespace that it gets, when it is another one.
    pub mounts: Option<BorrowedFd<'a>>,
    pub privileges: Privileges<'a>,
    /// What tells which files it tries to change, and where to send that.
    pub watch: Option<(&'a WriteFilter, BorrowedFd<'a>)>,
}

/// What rights the command has.
#[derive(Clone, Copy)]
pub(crate) enum Privileges<'a> {
    /// Those of this process, and what it can gain by executing files.
    Any,
    /// Those of this process. It cannot gain others.
    Same,
    /// None, only the system calls that the filter lets pass, and changes of files only inside the fence, where the kernel has one.
    None(&'a CallFilter, Option<&'a WriteFence>),
}

/// Everything that the child needs, made before there is a child: it must not allocate.
struct LaunchPlan<'a> {
    program: CString,
    arguments: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    directory: CString,
    mounts: Option<RawFd>,
    streams: [RawFd; 3],
    memory: Option<u64>,
    privileges: Privileges<'a>,
    watch: Option<(&'a WriteFilter, RawFd)>,
    /// What the child could not do.
    error: c_int,
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

/// Starts a command, the first of a new process group.
pub(crate) fn spawn(launch: &Launch<'_>) -> io::Result<i32> {
    let c_strings = |words: &[OsString]| -> io::Result<Vec<CString>> {
        words.iter().map(|word| c_string(word)).collect()
    };
    let program = c_string(launch.program)?;
    let arguments = c_strings(launch.arguments)?;
    let environment = c_strings(launch.environment)?;
    let pointers = |words: &[CString]| -> Vec<*const c_char> {
        let pointers = words.iter().map(|word| word.as_ptr());
        pointers.chain([std::ptr::null()]).collect()
    };
    let mut words = vec![program.as_ptr()];
    words.extend(pointers(&arguments));
    let mut plan = LaunchPlan {
        program,
        arguments: words,
        environment: pointers(&environment),
        directory: c_string(launch.directory)?,
        mounts: launch.mounts.map(|mounts| mounts.as_raw_fd()),
        streams: launch.streams.map(|stream| stream.as_raw_fd()),
        memory: launch.memory,
        privileges: launch.privileges,
        watch: launch
            .watch
            .map(|(filter, socket)| (filter, socket.as_raw_fd())),
        error: 0,
    };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let mut stack = vec![0_u128; STACK / size_of::<u128>()];
    // SAFETY: the child has its own stack. The stack, the plan and all that it points to outlive the child's use of them,
    // because this process sleeps until the child has executed the command or ended. The child neither allocates nor
    // panics.
    let pid = check(unsafe {
        let top = stack.as_mut_ptr().add(stack.len()).cast::<c_void>();
        libc::clone(child, top, flags, (&raw mut plan).cast())
    })?;
    if plan.error == 0 {
        return Ok(pid);
    }
    reap_one(pid)?;
    Err(io::Error::from_raw_os_error(plan.error))
}

const STACK: usize = 64 * 1024;

extern "C" fn child(plan: *mut c_void) -> c_int {
    // SAFETY: `spawn` passes a plan and sleeps until this process no longer uses its memory.
    let plan = unsafe { &mut *plan.cast::<LaunchPlan<'_>>() };
    if let Err(error) = become_command(plan) {
        plan.error = error.raw_os_error().unwrap_or(libc::EINVAL);
    }
    // SAFETY: the call does not return, and runs no code of the process whose memory this is.
    unsafe { libc::_exit(127) }
}

fn become_command(plan: &LaunchPlan<'_>) -> io::Result<()> {
    // SAFETY: the calls take numbers, strings of the plan that live on, and live locals, for which zeroes are valid.
    // Signal actions, mask and limits belong to this process: it shares only memory with its parent.
    unsafe {
        check(libc::setpgid(0, 0))?;
        for (stream, number) in plan.streams.into_iter().zip(0..) {
            check(libc::dup2(stream, number))?;
        }
        if let Some(mounts) = plan.mounts {
            check(libc::setns(mounts, libc::CLONE_NEWNS))?;
        }
        check(libc::chdir(plan.directory.as_ptr()))?;
        // Rust ignores this signal, and a command inherits what is ignored.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut no_signals = std::mem::zeroed();
        libc::sigemptyset(&mut no_signals);
        libc::sigprocmask(libc::SIG_SETMASK, &no_signals, std::ptr::null_mut());
        if let Some(memory) = plan.memory {
            let mut limit: libc::rlimit = std::mem::zeroed();
            check(libc::getrlimit(libc::RLIMIT_DATA, &mut limit))?;
            limit.rlim_max = memory.min(limit.rlim_max);
            limit.rlim_cur = limit.rlim_max;
            check(libc::setrlimit(libc::RLIMIT_DATA, &limit))?;
        }
        if !matches!(plan.privileges, Privileges::Any) {
            let (yes, unused) = (1 as c_ulong, 0 as c_ulong);
            check(libc::prctl(
                libc::PR_SET_NO_NEW_PRIVS,
                yes,
                unused,
                unused,
                unused,
            ))?;
        }
    }
    if let Privileges::None(filter, fence) = plan.privileges {
        privilege::drop_all()?;
        if let Some(fence) = fence {
            fence.enter()?;
        }
        filter.install()?;
    }
    if let Some((filter, socket)) = plan.watch {
        filter.install(socket);
    }
    // SAFETY: both arrays end with a null pointer, and all strings live on in the plan.
    unsafe {
        libc::execve(
            plan.program.as_ptr(),
            plan.arguments.as_ptr(),
            plan.environment.as_ptr(),
        );
    }
    Err(io::Error::last_os_error())
}
