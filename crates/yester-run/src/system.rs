//! The system calls that the standard library does not have. The only file with `unsafe` in it.

use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use libc::{c_int, c_long, c_ulong};

fn check(result: c_int) -> io::Result<c_int> {
    if result == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

fn check_long(result: c_long) -> io::Result<c_long> {
    if result == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
}

/// Ends this process the moment its parent is gone, however the parent ended.
pub(crate) fn die_with_parent() -> io::Result<()> {
    // SAFETY: prctl with these arguments touches no memory of ours.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as c_ulong) }).map(drop)
}

/// Makes orphaned descendants children of this process.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    // SAFETY: as above.
    check(unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1 as c_ulong) }).map(drop)
}

/// Keeps other processes of the same user from tracing this one or opening its files.
pub(crate) fn forbid_tracing() -> io::Result<()> {
    // SAFETY: as above.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0 as c_ulong) }).map(drop)
}

pub(crate) fn new_session() {
    // SAFETY: no arguments. It can only fail for a process group leader, which is in a group of its own already.
    unsafe { libc::setsid() };
}

pub(crate) fn unshare(flags: c_int) -> io::Result<()> {
    // SAFETY: only called in a warden before it has any second thread.
    check(unsafe { libc::unshare(flags) }).map(drop)
}

pub(crate) fn user_and_group() -> (u32, u32) {
    // SAFETY: no arguments, cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Children that end are waited for, also when whoever started yester wanted to hear nothing of its own children.
pub(crate) fn hear_of_children() -> io::Result<()> {
    // SAFETY: the default action is no function of ours.
    if unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) } == libc::SIG_ERR {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Whether whoever started this process wants it to ignore a signal, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    // SAFETY: sigaction is plain data; asking changes nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Takes from this process's children what lets the superuser change the machine and not only files.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    // By number, from linux/capability.h: libc has no names for them.
    const NET_ADMIN: u8 = 12;
    const SYS_MODULE: u8 = 16;
    const SYS_RAWIO: u8 = 17;
    const SYS_PTRACE: u8 = 19;
    const SYS_PACCT: u8 = 20;
    const SYS_ADMIN: u8 = 21;
    const SYS_BOOT: u8 = 22;
    const SYS_TIME: u8 = 25;
    const MKNOD: u8 = 27;
    const MAC_ADMIN: u8 = 33;
    const SYSLOG: u8 = 34;
    const PERFMON: u8 = 38;
    const BPF: u8 = 39;
    for capability in [
        NET_ADMIN, SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_PACCT, SYS_ADMIN, SYS_BOOT, SYS_TIME,
        MKNOD, MAC_ADMIN, SYSLOG, PERFMON, BPF,
    ] {
        // SAFETY: plain numbers.
        match check(unsafe { libc::prctl(libc::PR_CAPBSET_DROP, c_ulong::from(capability)) }) {
            // A kernel that does not know it cannot grant it.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            // Without the right to drop them there is none to be dropped.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => {}
            other => drop(other?),
        }
    }
    Ok(())
}

/// Takes standard input away from this process and its children. A new descriptor for what it was.
pub(crate) fn take_standard_input() -> io::Result<OwnedFd> {
    let nothing = std::fs::File::open("/dev/null")?;
    // SAFETY: descriptor 0 is open; the new descriptor has no other owner.
    unsafe {
        let taken = OwnedFd::from_raw_fd(check(libc::fcntl(0, libc::F_DUPFD_CLOEXEC, 3))?);
        check(libc::dup2(nothing.as_raw_fd(), 0))?;
        Ok(taken)
    }
}

/// Splits a process that has one thread in two. Nothing in the parent, a process id otherwise.
pub(crate) fn fork() -> io::Result<Option<i32>> {
    // SAFETY: only called in a warden before it has any second thread, so the child may do anything.
    let pid = check(unsafe { libc::fork() })?;
    Ok((pid != 0).then_some(pid))
}

/// Ends this process at once, without running destructors or exit handlers.
pub(crate) fn exit_now(code: i32) -> ! {
    // SAFETY: does not return.
    unsafe { libc::_exit(code) }
}

pub(crate) fn kill(pid: i32, signal: i32) -> io::Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { libc::kill(pid, signal) }).map(drop)
}

/// A child that has ended.
pub(crate) struct Reaped {
    pub pid: i32,
    pub status: i32,
    pub cpu: Duration,
}

/// The next ended child, or nothing when `block` is off and none has ended. `ECHILD` when there is no child at all.
pub(crate) fn reap(block: bool) -> io::Result<Option<Reaped>> {
    let mut status = 0;
    // SAFETY: rusage is plain data, for which all zeroes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let options = libc::__WALL | if block { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: both pointers are to live locals.
        match check(unsafe { libc::wait4(-1, &mut status, options, &mut usage) }) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
            Ok(0) => return Ok(None),
            Ok(pid) => {
                let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
                return Ok(Some(Reaped { pid, status, cpu }));
            }
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

/// A file descriptor that becomes readable when the process ends.
pub(crate) fn process_descriptor(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: plain numbers; the result is a new descriptor that nobody else owns.
    unsafe {
        let descriptor = check_long(libc::syscall(libc::SYS_pidfd_open, pid as c_long, 0))?;
        Ok(OwnedFd::from_raw_fd(descriptor as RawFd))
    }
}

/// Waits until one of the descriptors can be read. Says for each whether it can; all false after the timeout.
pub(crate) fn poll<const N: usize>(
    descriptors: [Option<BorrowedFd<'_>>; N],
    timeout: Option<Duration>,
) -> io::Result<[bool; N]> {
    let raw =
        descriptors.map(|descriptor| descriptor.map_or(-1, |descriptor| descriptor.as_raw_fd()));
    let ready = poll_all(&raw, timeout)?;
    Ok(std::array::from_fn(|index| ready[index]))
}

/// The same for any number of descriptors; negative ones are never ready.
pub(crate) fn poll_all(descriptors: &[RawFd], timeout: Option<Duration>) -> io::Result<Vec<bool>> {
    let mut entries: Vec<libc::pollfd> = descriptors
        .iter()
        .map(|descriptor| libc::pollfd {
            fd: *descriptor,
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    let timeout = timeout.map(|timeout| libc::timespec {
        tv_sec: timeout.as_secs().min(i32::MAX as u64) as libc::time_t,
        tv_nsec: timeout.subsec_nanos().into(),
    });
    let timeout = timeout
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the array lives through the call and its length is given.
    let result = unsafe {
        libc::ppoll(
            entries.as_mut_ptr(),
            entries.len() as libc::nfds_t,
            timeout,
            std::ptr::null(),
        )
    };
    match check(result) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        Err(_) => Ok(vec![false; descriptors.len()]),
        Ok(_) => Ok(entries.iter().map(|entry| entry.revents != 0).collect()),
    }
}

pub(crate) fn set_nonblocking(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: plain numbers on a descriptor that is open.
    unsafe {
        let flags = check(libc::fcntl(descriptor.as_raw_fd(), libc::F_GETFL))?;
        check(libc::fcntl(
            descriptor.as_raw_fd(),
            libc::F_SETFL,
            flags | libc::O_NONBLOCK,
        ))
        .map(drop)
    }
}

/// Lowers or restores the soft limit of a resource for this process and the children that it starts from now on.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, soft: Option<u64>) -> io::Result<()> {
    let mut limits = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointer is to a live local.
    check(unsafe { libc::getrlimit(resource, &mut limits) })?;
    limits.rlim_cur = soft.map_or(limits.rlim_max, |soft| soft.min(limits.rlim_max));
    // SAFETY: as above.
    check(unsafe { libc::setrlimit(resource, &limits) }).map(drop)
}

/// Takes an exclusive lock on an open file, which the kernel gives back when the process ends. False when it is taken.
pub(crate) fn lock(descriptor: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: plain numbers on a descriptor that is open.
    match check(unsafe { libc::flock(descriptor.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) }) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

pub(crate) fn mount(
    source: &CStr,
    target: &OsStr,
    kind: &CStr,
    flags: c_ulong,
    options: &CStr,
) -> io::Result<()> {
    let target = c_string(target)?;
    // SAFETY: all pointers are to strings that live through the call.
    check(unsafe {
        libc::mount(
            source.as_ptr(),
            target.as_ptr(),
            kind.as_ptr(),
            flags,
            options.as_ptr().cast(),
        )
    })
    .map(drop)
}

/// A detached copy of the mount at a path, to be attached elsewhere or after the path was hidden.
pub(crate) fn clone_mount(path: &OsStr) -> io::Result<OwnedFd> {
    const OPEN_TREE_CLONE: c_long = 1;
    let path = c_string(path)?;
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC as c_long | libc::AT_RECURSIVE as c_long;
    // SAFETY: the string lives through the call; the result is a new descriptor that nobody else owns.
    unsafe {
        let descriptor = check_long(libc::syscall(
            libc::SYS_open_tree,
            libc::AT_FDCWD as c_long,
            path.as_ptr(),
            flags,
        ))?;
        Ok(OwnedFd::from_raw_fd(descriptor as RawFd))
    }
}

/// Attaches a detached mount at a path.
pub(crate) fn attach_mount(mount: BorrowedFd<'_>, target: &OsStr) -> io::Result<()> {
    const MOVE_MOUNT_F_EMPTY_PATH: c_long = 4;
    let target = c_string(target)?;
    // SAFETY: the strings live through the call.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount.as_raw_fd() as c_long,
            c"".as_ptr(),
            libc::AT_FDCWD as c_long,
            target.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })
    .map(drop)
}

/// Makes the mount at a path read-only or writable, with everything mounted below it if asked.
pub(crate) fn set_read_only(path: &OsStr, read_only: bool, recursive: bool) -> io::Result<()> {
    const MOUNT_ATTR_RDONLY: u64 = 1;
    let attributes = if read_only {
        [MOUNT_ATTR_RDONLY, 0, 0, 0]
    } else {
        [0, MOUNT_ATTR_RDONLY, 0, 0]
    };
    let path = c_string(path)?;
    let flags = if recursive {
        libc::AT_RECURSIVE as c_long
    } else {
        0
    };
    // SAFETY: the attributes are laid out as the kernel's `struct mount_attr`, and their size is given.
    check_long(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD as c_long,
            path.as_ptr(),
            flags,
            attributes.as_ptr(),
            size_of_val(&attributes),
        )
    })
    .map(drop)
}

/// Switches the loopback interface of this network namespace on.
pub(crate) fn loopback_up() -> io::Result<()> {
    // SAFETY: ifreq is plain data; the name fits; the descriptor is closed by OwnedFd.
    unsafe {
        let socket = OwnedFd::from_raw_fd(check(libc::socket(
            libc::AF_INET,
            libc::SOCK_DGRAM | libc::SOCK_CLOEXEC,
            0,
        ))?);
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        check(libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCSIFFLAGS,
            &request,
        ))
        .map(drop)
    }
}

/// Shares the blocks of one file with another where the file system can.
pub(crate) fn reflink(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: plain numbers on descriptors that are open.
    check(unsafe { libc::ioctl(to.as_raw_fd(), libc::FICLONE, from.as_raw_fd()) }).map(drop)
}
