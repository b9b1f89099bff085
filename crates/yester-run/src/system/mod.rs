//! The system calls that the standard library does not have. The only module of this crate with `unsafe` in it.

mod mount;
mod privilege;
mod spawn;

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use libc::{c_int, c_long, c_ulong};

pub(crate) use mount::{
    Attributes, attach_mount, clone_mount, detach, mount, move_mount, set_attributes,
};
pub(crate) use privilege::{Filter, drop_bounding_set};
pub(crate) use spawn::{Launch, Privileges, spawn};

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

/// Takes that back.
pub(crate) fn outlive_parent() -> io::Result<()> {
    // SAFETY: as above.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, 0 as c_ulong) }).map(drop)
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

/// A child that has ended, or was stopped where that was asked for.
pub(crate) struct Reaped {
    pub pid: i32,
    pub status: i32,
    pub cpu: Duration,
}

/// The next ended child, or nothing when `block` is off and none has ended. `ECHILD` when there is no child at all.
pub(crate) fn reap(block: bool) -> io::Result<Option<Reaped>> {
    wait(-1, if block { 0 } else { libc::WNOHANG })
}

/// Waits until this child has ended.
pub(crate) fn reap_one(pid: i32) -> io::Result<()> {
    wait(pid, 0).map(drop)
}

/// Waits until this child has ended. One that is stopped meanwhile is told to go on.
pub(crate) fn reap_running(pid: i32) -> io::Result<()> {
    loop {
        match wait(-1, libc::WUNTRACED)? {
            Some(child) if libc::WIFSTOPPED(child.status) => {
                let _ = kill(child.pid, libc::SIGCONT);
            }
            Some(child) if child.pid == pid => return Ok(()),
            _ => {}
        }
    }
}

fn wait(pid: i32, options: c_int) -> io::Result<Option<Reaped>> {
    let mut status = 0;
    // SAFETY: rusage is plain data, for which all zeroes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let options = libc::__WALL | options;
    loop {
        // SAFETY: both pointers are to live locals.
        match check(unsafe { libc::wait4(pid, &mut status, options, &mut usage) }) {
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

/// Whether something has happened that a file tells as an exception, such as a change of a table of mounts.
pub(crate) fn has_changed(descriptor: BorrowedFd<'_>) -> io::Result<bool> {
    let mut entry = libc::pollfd {
        fd: descriptor.as_raw_fd(),
        events: libc::POLLPRI,
        revents: 0,
    };
    // SAFETY: the entry is a live local, and the only one.
    check(unsafe { libc::poll(&mut entry, 1, 0) })?;
    Ok(entry.revents != 0)
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

/// Closes every descriptor but the standard three: whoever started yester may have left some open.
pub(crate) fn close_inherited() {
    // SAFETY: only called first thing in a warden, which has no descriptors of its own yet.
    unsafe { libc::syscall(libc::SYS_close_range, 3, c_long::from(u32::MAX), 0) };
}

/// Makes the kernel look for memory here first when there is none left, and not at yester.
pub(crate) fn give_up_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Takes the flags from a file that keep it from being changed or deleted.
pub(crate) fn clear_flags(descriptor: BorrowedFd<'_>) {
    const IMMUTABLE: c_int = 0x10;
    const APPEND_ONLY: c_int = 0x20;
    let mut flags: c_int = 0;
    // SAFETY: the pointer is to a live local of the size that these calls take.
    unsafe {
        if libc::ioctl(descriptor.as_raw_fd(), libc::FS_IOC_GETFLAGS, &mut flags) == 0
            && flags & (IMMUTABLE | APPEND_ONLY) != 0
        {
            flags &= !(IMMUTABLE | APPEND_ONLY);
            libc::ioctl(descriptor.as_raw_fd(), libc::FS_IOC_SETFLAGS, &flags);
        }
    }
}

/// Gives the owner all rights on a directory that is open only as a path.
pub(crate) fn allow_owner(directory: BorrowedFd<'_>) -> io::Result<()> {
    // A descriptor of this kind has no rights itself. Its name in /proc leads to the very same directory.
    let path = format!("/proc/self/fd/{}", directory.as_raw_fd());
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

/// What is known about an open file.
pub(crate) fn stat(descriptor: BorrowedFd<'_>) -> io::Result<rustix::fs::Stat> {
    Ok(rustix::fs::fstat(descriptor)?)
}

/// Whether two descriptors are of the same file.
pub(crate) fn is_same(one: BorrowedFd<'_>, other: BorrowedFd<'_>) -> bool {
    match (stat(one), stat(other)) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    }
}

/// The session of a process: of this one for 0.
pub(crate) fn session(pid: i32) -> Option<i32> {
    // SAFETY: plain numbers.
    check(unsafe { libc::getsid(pid) }).ok()
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

/// Lowers both limits of a resource, so that no child can raise them again.
pub(crate) fn limit_for_good(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    limit(resource, Some(most))?;
    let mut limits = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointers are to a live local.
    unsafe {
        check(libc::getrlimit(resource, &mut limits))?;
        limits.rlim_max = limits.rlim_cur;
        check(libc::setrlimit(resource, &limits)).map(drop)
    }
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
