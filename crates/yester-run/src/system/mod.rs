//! The system calls that the standard library does not have.
//!
//! rustix makes them wherever it can do so safely. libc is left for what rustix lacks, and for the child that
//! [`spawn()`] starts. This is the only module of this crate with `unsafe` in it.

mod landlock;
mod mount;
mod privilege;
mod spawn;
mod write_watch;

use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use libc::{c_int, c_long};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{FlockOperation, IFlags, OFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal};
use rustix::thread::UnshareFlags;

pub(crate) use landlock::WriteFence;
pub(crate) use mount::{
    MountAccess, attach_mount, clone_mount, detach, move_mount, set_mount_access,
};
pub(crate) use privilege::{CallFilter, drop_bounding_set};
pub(crate) use spawn::{Launch, Privileges, spawn};
pub(crate) use write_watch::{AskedWrite, WriteCondition, WriteFilter, WriteListener};

fn check(result: c_int) -> io::Result<c_int> {
    if result == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Ends this process the moment its parent is gone, however the parent ended.
pub(crate) fn die_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(
        Signal::KILL,
    ))?)
}

/// Undoes [`die_with_parent`].
pub(crate) fn outlive_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(None)?)
}

/// Makes orphaned descendants children of this process.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    // The kernel takes any process id for "yes".
    Ok(rustix::process::set_child_subreaper(Some(
        rustix::process::getpid(),
    ))?)
}

/// Keeps other processes of the same user from tracing this one or opening its files.
pub(crate) fn forbid_tracing() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(
        DumpableBehavior::NotDumpable,
    )?)
}

pub(crate) fn new_session() {
    // It fails only for the leader of a process group, which has its own group already.
    let _ = rustix::process::setsid();
}

/// Leaves namespaces of this process for new ones.
pub(crate) fn unshare(namespaces: UnshareFlags) -> io::Result<()> {
    assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: the table of descriptors stays shared, so every descriptor stays valid in every thread.
    Ok(unsafe { rustix::thread::unshare_unsafe(namespaces) }?)
}

pub(crate) fn user_and_group() -> (u32, u32) {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    (user.as_raw(), group.as_raw())
}

/// Lets this process wait for its children, even if whoever started yester had SIGCHLD ignored.
pub(crate) fn hear_of_children() -> io::Result<()> {
    // rustix sets no signal actions.
    // SAFETY: the default action runs no code of this process.
    if unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) } == libc::SIG_ERR {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Whether whoever started this process wants it to ignore a signal, as `nohup` does.
pub fn is_ignored(signal: i32) -> bool {
    // rustix reads no signal actions.
    // SAFETY: sigaction is plain data, for which zeroes are valid. With a null pointer for the new action, the call only
    // writes the old one to the live local.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Takes standard input away from this process and its children, and returns it under another descriptor.
pub(crate) fn take_standard_input() -> io::Result<OwnedFd> {
    let nothing = std::fs::File::open("/dev/null")?;
    let taken = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    rustix::stdio::dup2_stdin(nothing)?;
    Ok(taken)
}

/// Splits this process in two. Returns the child's process id in the parent, and nothing in the child.
///
/// Only a warden calls this, before it has a second thread.
pub(crate) fn fork() -> io::Result<Option<i32>> {
    // rustix does not fork.
    // SAFETY: a process with one thread holds no lock that the child could wait for, so the child may do anything.
    let pid = check(unsafe { libc::fork() })?;
    Ok((pid != 0).then_some(pid))
}

/// Ends this process at once, without running destructors or exit handlers.
pub(crate) fn exit_now(code: i32) -> ! {
    // rustix has this only for programs without a C library.
    // SAFETY: the call does not return and runs no code of this process.
    unsafe { libc::_exit(code) }
}

pub(crate) fn kill(process: i32, signal: Signal) -> io::Result<()> {
    Ok(rustix::process::kill_process(pid(process)?, signal)?)
}

pub(crate) fn kill_group(leader: i32, signal: Signal) -> io::Result<()> {
    Ok(rustix::process::kill_process_group(pid(leader)?, signal)?)
}

/// Kills every process that this one may signal, except itself: in a process namespace, all of its processes.
pub(crate) fn kill_all_others() -> io::Result<()> {
    // rustix has no name for "all".
    // SAFETY: the call takes two numbers and touches no memory.
    check(unsafe { libc::kill(-1, libc::SIGKILL) }).map(drop)
}

fn pid(process: i32) -> io::Result<Pid> {
    // What is not positive would stand for more than one process.
    let positive = Some(process).filter(|process| *process > 0);
    positive
        .and_then(Pid::from_raw)
        .ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

/// A child that has ended, or that was stopped where the caller asked for those.
pub(crate) struct Reaped {
    pub pid: i32,
    pub status: i32,
    pub cpu: Duration,
    /// The most memory that it has used, in bytes.
    pub memory: u64,
}

/// The next child that has ended. Without `block`, nothing if none has. Fails with `ECHILD` if there are no children.
pub(crate) fn reap(block: bool) -> io::Result<Option<Reaped>> {
    wait(-1, if block { 0 } else { libc::WNOHANG })
}

/// Waits until this child has ended.
pub(crate) fn reap_one(pid: i32) -> io::Result<()> {
    wait(pid, 0).map(drop)
}

/// Waits until this child has ended, and wakes every child that is stopped meanwhile.
pub(crate) fn reap_running(pid: i32) -> io::Result<()> {
    loop {
        match wait(-1, libc::WUNTRACED)? {
            Some(child) if libc::WIFSTOPPED(child.status) => {
                let _ = kill(child.pid, Signal::CONT);
            }
            Some(child) if child.pid == pid => return Ok(()),
            _ => {}
        }
    }
}

/// rustix's `wait` tells neither the time that a child took nor of children that were cloned.
fn wait(pid: i32, options: c_int) -> io::Result<Option<Reaped>> {
    let mut status = 0;
    // SAFETY: rusage is plain data, for which zeroes are valid.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    let options = libc::__WALL | options;
    loop {
        // SAFETY: both pointers are to live locals of the types that the call writes.
        match check(unsafe { libc::wait4(pid, &mut status, options, &mut usage) }) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
            Ok(0) => return Ok(None),
            Ok(pid) => {
                let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
                return Ok(Some(Reaped {
                    pid,
                    status,
                    cpu,
                    memory: u64::try_from(usage.ru_maxrss).unwrap_or_default() << 10,
                }));
            }
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

/// A file descriptor that becomes readable when the process ends.
pub(crate) fn process_descriptor(process: u32) -> io::Result<OwnedFd> {
    let pid = pid(process as i32)?;
    Ok(rustix::process::pidfd_open(pid, PidfdFlags::empty())?)
}

/// Waits until one of the descriptors is readable. Says for each whether it is; all false after the timeout or a signal.
pub(crate) fn poll<const N: usize>(
    descriptors: [Option<BorrowedFd<'_>>; N],
    timeout: Option<Duration>,
) -> io::Result<[bool; N]> {
    let ready = poll_all(&descriptors, timeout)?;
    Ok(std::array::from_fn(|index| ready[index]))
}

/// [`poll`] for any number of descriptors. Where there is none, nothing is ever ready.
pub(crate) fn poll_all(
    descriptors: &[Option<BorrowedFd<'_>>],
    timeout: Option<Duration>,
) -> io::Result<Vec<bool>> {
    const LONGEST: Duration = Duration::from_secs(i32::MAX as u64);
    let timeout = timeout.map(|timeout| {
        Timespec::try_from(timeout.min(LONGEST)).expect("the longest wait fits in a Timespec")
    });
    let mut entries: Vec<PollFd<'_>> = descriptors
        .iter()
        .flatten()
        .map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
        .collect();
    match rustix::event::poll(&mut entries, timeout.as_ref()) {
        Err(Errno::INTR) => return Ok(vec![false; descriptors.len()]),
        other => other?,
    };
    let mut entries = entries.iter();
    let is_ready = |descriptor: &Option<BorrowedFd<'_>>| {
        let entry = descriptor.and_then(|_| entries.next());
        entry.is_some_and(|entry| !entry.revents().is_empty())
    };
    Ok(descriptors.iter().map(is_ready).collect())
}

/// Whether the kernel reports a change of this file as an exception, as it does for a table of mounts.
pub(crate) fn has_changed(descriptor: BorrowedFd<'_>) -> io::Result<bool> {
    let mut entries = [PollFd::from_borrowed_fd(descriptor, PollFlags::PRI)];
    retry_on_intr(|| rustix::event::poll(&mut entries, Some(&Timespec::default())))?;
    Ok(!entries[0].revents().is_empty())
}

pub(crate) fn set_nonblocking(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    let flags = rustix::fs::fcntl_getfl(descriptor)?;
    Ok(rustix::fs::fcntl_setfl(
        descriptor,
        flags | OFlags::NONBLOCK,
    )?)
}

/// Closes every descriptor except the standard three: whoever started yester may have left some open.
pub(crate) fn close_inherited() {
    // rustix closes one descriptor at a time.
    // SAFETY: a warden calls this before anything else, so nothing in it owns one of these descriptors.
    unsafe { libc::syscall(libc::SYS_close_range, 3, c_long::from(u32::MAX), 0) };
}

/// Makes the kernel end this process first, and not yester, when memory runs out.
pub(crate) fn give_up_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// The permissions that new files of this process do not get. Only a warden asks, before it has a second thread.
pub(crate) fn file_mask() -> u32 {
    // The only way to learn it is to set another one.
    let mask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(mask);
    mask.bits()
}

/// Clears the flags that keep a file from being changed or deleted.
pub(crate) fn clear_flags(descriptor: BorrowedFd<'_>) {
    let protection = IFlags::IMMUTABLE | IFlags::APPEND;
    if let Ok(flags) = rustix::fs::ioctl_getflags(descriptor)
        && flags.intersects(protection)
    {
        let _ = rustix::fs::ioctl_setflags(descriptor, flags - protection);
    }
}

/// Gives the owner all rights on a directory that is open only as a path.
pub(crate) fn allow_owner(directory: BorrowedFd<'_>) -> io::Result<()> {
    // Nothing can be changed through such a descriptor. Its name in /proc leads to the same directory.
    let path = format!("/proc/self/fd/{}", directory.as_raw_fd());
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
}

/// Whether two descriptors are of the same file.
pub(crate) fn is_same(one: impl AsFd, other: impl AsFd) -> bool {
    match (rustix::fs::fstat(one), rustix::fs::fstat(other)) {
        (Ok(one), Ok(other)) => (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino),
        _ => false,
    }
}

/// The session of a process: of this one for 0.
pub(crate) fn session(process: i32) -> Option<i32> {
    // Inside a container, 0 is the session of whoever entered from outside. rustix cannot hold that number.
    // SAFETY: the call takes a number and touches no memory.
    check(unsafe { libc::getsid(process) }).ok()
}

/// Lowers the soft limit of a resource for this process and the children that it starts from now on.
pub(crate) fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let Rlimit { maximum, .. } = rustix::process::getrlimit(resource);
    let current = Some(most.min(maximum.unwrap_or(u64::MAX)));
    Ok(rustix::process::setrlimit(
        resource,
        Rlimit { current, maximum },
    )?)
}

/// Lowers both limits of a resource, so that no child can raise them again.
pub(crate) fn limit_for_good(resource: Resource, most: u64) -> io::Result<()> {
    let Rlimit { maximum, .. } = rustix::process::getrlimit(resource);
    let limit = Some(most.min(maximum.unwrap_or(u64::MAX)));
    let limits = Rlimit {
        current: limit,
        maximum: limit,
    };
    Ok(rustix::process::setrlimit(resource, limits)?)
}

/// Takes an exclusive lock on an open file. False when somebody else has it. The kernel releases it when the process ends.
pub(crate) fn lock(descriptor: BorrowedFd<'_>) -> io::Result<bool> {
    match rustix::fs::flock(descriptor, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Switches the loopback interface of this network namespace on.
pub(crate) fn loopback_up() -> io::Result<()> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    // rustix does not change network interfaces.
    // SAFETY: ifreq is plain data, for which zeroes are valid. The call only reads the live local, whose name ends
    // with a zero.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let socket = socket.as_raw_fd();
        check(libc::ioctl(socket, libc::SIOCSIFFLAGS, &request)).map(drop)
    }
}
