//! Shutting a warden and all its trials in, as tightly as asked and as the machine allows.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::Orders;
use super::reaper::end_all;
use crate::{Containment, Sandbox, system};

/// What a trial in the full sandbox has for itself.
const PRIVATE: [&str; 4] = ["/tmp", "/dev", "/dev/shm", "/dev/pts"];

const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Enters the strongest containment that was asked for and is possible. Only the contained process returns, with the
/// directory that its trials run in.
pub(crate) fn enter(orders: &Orders) -> io::Result<(Containment, PathBuf)> {
    let inner = libc::CLONE_NEWPID | libc::CLONE_NEWNS;
    match orders.sandbox {
        Sandbox::None => group(orders),
        Sandbox::Auto if can_make(inner) => {
            namespaces(inner)?;
            shut_in(orders)
        }
        Sandbox::Auto => group(orders),
        Sandbox::Full => {
            namespaces(inner | libc::CLONE_NEWNET | libc::CLONE_NEWIPC)
                .map_err(|error| explain("make namespaces", error))?;
            shut_out(orders)
        }
    }
}

/// The worker's own directory.
fn own_directory(orders: &Orders) -> PathBuf {
    Path::new(&orders.scratch).join(orders.worker.to_string())
}

/// Where that is seen by contained trials: the same path for every worker, so that caches keyed by path hit.
fn common_directory(orders: &Orders) -> PathBuf {
    Path::new(&orders.scratch).join("work")
}

/// A process group and the adoption of orphans: what every machine has.
///
/// A test may kill its parent, which is the warden. So the warden has a guardian, which then ends what is left.
fn group(orders: &Orders) -> io::Result<(Containment, PathBuf)> {
    system::adopt_orphans()?;
    if let Some(warden) = system::fork()? {
        wait_for(warden);
        let _ = end_all(warden, Containment::ProcessGroup);
        system::exit_now(0);
    }
    system::die_with_parent()?;
    system::adopt_orphans()?;
    Ok((Containment::ProcessGroup, own_directory(orders)))
}

/// Waits until this child has ended, or there is none.
fn wait_for(child: i32) {
    while let Ok(ended) = system::reap(true) {
        if ended.is_some_and(|ended| ended.pid == child) {
            return;
        }
    }
}

/// Whether namespaces can be made. Tried in a process of its own, since one that fails half-way has lost its rights.
fn can_make(flags: i32) -> bool {
    match system::fork() {
        Ok(None) => system::exit_now(i32::from(separate(flags).is_err())),
        Ok(Some(_)) => {
            system::reap(true).is_ok_and(|ended| ended.is_some_and(|ended| ended.status == 0))
        }
        Err(_) => false,
    }
}

/// Leaves the namespaces of this machine.
fn separate(flags: i32) -> io::Result<()> {
    let (user, group) = system::user_and_group();
    // The superuser keeps its files' owners; everybody else needs a user namespace to make the others.
    if user != 0 || system::unshare(flags).is_err() {
        system::unshare(flags | libc::CLONE_NEWUSER)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    Ok(())
}

/// Makes new namespaces and goes on as their first process. The old process stays behind only to die with yester.
fn namespaces(flags: i32) -> io::Result<()> {
    separate(flags)?;
    if let Some(first) = system::fork()? {
        while !system::reap(true).is_ok_and(|ended| ended.is_some_and(|ended| ended.pid == first)) {
        }
        system::exit_now(0);
    }
    system::die_with_parent()
}

/// The namespaces of `--sandbox auto`: the same machine as before, but for what a trial could break.
///
/// That all processes can be ended is what counts. Mounts are extras, which some machines forbid.
fn shut_in(orders: &Orders) -> io::Result<(Containment, PathBuf)> {
    system::forbid_tracing()?;
    if keep_mounts_private().is_err() {
        return Ok((Containment::Namespaces, own_directory(orders)));
    }
    for device in DEVICES {
        // A mount point cannot be deleted, not even by a compiler that runs as root with `-o /dev/null`.
        let path = Path::new("/dev").join(device);
        if path.exists() {
            let _ = bind(&path, &path);
        }
    }
    own_processes(32_768);
    let (own, common) = (own_directory(orders), common_directory(orders));
    let directory = if bind(&own, &common).is_ok() {
        common
    } else {
        own
    };
    Ok((Containment::Namespaces, directory))
}

/// The namespaces of `--sandbox full`: nothing outside the worker's directory can be changed or reached.
fn shut_out(orders: &Orders) -> io::Result<(Containment, PathBuf)> {
    keep_mounts_private()?;
    system::loopback_up().map_err(|error| explain("switch the loopback interface on", error))?;

    // What the private directories would hide is taken hold of first and put back in its place later.
    let is_hidden = |path: &&OsString| {
        PRIVATE
            .iter()
            .any(|private| Path::new(path).starts_with(private))
    };
    let mut hidden: Vec<(&OsString, OwnedFd)> = Vec::new();
    for path in orders.visible.iter().filter(is_hidden) {
        if PRIVATE
            .iter()
            .any(|private| Path::new(path) == Path::new(private))
        {
            let path = path.to_string_lossy();
            return Err(io::Error::other(format!(
                "cannot hide {path} from the test and show it at the same time"
            )));
        }
        let mount = system::clone_mount(path)
            .map_err(|error| explain("keep the start directory visible", error))?;
        hidden.push((path, mount));
    }
    let own = system::clone_mount(own_directory(orders).as_os_str())
        .map_err(|error| explain("keep the worker's directory", error))?;
    let devices: Vec<(String, OwnedFd)> = DEVICES
        .into_iter()
        .map(|device| format!("/dev/{device}"))
        .filter_map(|path| Some((path.clone(), system::clone_mount(OsStr::new(&path)).ok()?)))
        .collect();

    system::set_read_only(OsStr::new("/"), true, true)
        .map_err(|error| explain("make the root read-only", error))?;
    temporary("/tmp", c"mode=1777")?;
    temporary("/dev", c"mode=0755")?;
    fill_dev(&devices)?;
    for (path, mount) in hidden {
        fs::create_dir_all(path)?;
        system::attach_mount(mount.as_fd(), path)?;
        system::set_read_only(path, true, true)?;
    }
    let common = common_directory(orders);
    fs::create_dir_all(&common)?;
    system::attach_mount(own.as_fd(), common.as_os_str())?;
    system::set_read_only(OsStr::new("/dev"), true, false)?;

    own_processes(1024);
    for path in ["/proc/sys", "/proc/sysrq-trigger"] {
        if bind(Path::new(path), Path::new(path)).is_ok() {
            system::set_read_only(OsStr::new(path), true, true)?;
        }
    }
    system::limit(libc::RLIMIT_NPROC, Some(1024))?;
    system::forbid_tracing()?;
    // The superuser could undo all of this.
    system::drop_capabilities()?;
    Ok((Containment::Full, common))
}

fn fill_dev(devices: &[(String, OwnedFd)]) -> io::Result<()> {
    for (path, mount) in devices {
        fs::write(path, "")?;
        system::attach_mount(mount.as_fd(), OsStr::new(path))?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "fd/0"),
        ("stdout", "fd/1"),
        ("stderr", "fd/2"),
        ("ptmx", "pts/ptmx"),
    ] {
        symlink(target, format!("/dev/{name}"))?;
    }
    fs::create_dir("/dev/shm")?;
    temporary("/dev/shm", c"mode=1777")?;
    fs::create_dir("/dev/pts")?;
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    system::mount(
        c"devpts",
        OsStr::new("/dev/pts"),
        c"devpts",
        flags,
        c"newinstance,ptmxmode=0666",
    )
    .map_err(|error| explain("mount /dev/pts", error))
}

fn explain(step: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {step}: {error}"))
}

fn keep_mounts_private() -> io::Result<()> {
    system::mount(
        c"none",
        OsStr::new("/"),
        c"",
        libc::MS_REC | libc::MS_PRIVATE,
        c"",
    )
    .map_err(|error| explain("keep mounts private", error))
}

fn bind(source: &Path, target: &Path) -> io::Result<()> {
    system::attach_mount(
        system::clone_mount(source.as_os_str())?.as_fd(),
        target.as_os_str(),
    )
}

fn temporary(path: &str, options: &std::ffi::CStr) -> io::Result<()> {
    system::mount(
        c"tmpfs",
        OsStr::new(path),
        c"tmpfs",
        libc::MS_NOSUID | libc::MS_NODEV,
        options,
    )
    .map_err(|error| explain(&format!("make {path} private"), error))
}

/// Gives the namespace its own view of processes and bounds their number. Both are extras: a container may forbid the
/// first, and kernels before 6.14 have the second only for the whole machine, where it is not ours to change.
fn own_processes(most: usize) {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    if system::mount(c"proc", OsStr::new("/proc"), c"proc", flags, c"").is_ok()
        && has_own_process_limit()
    {
        let _ = fs::write("/proc/sys/kernel/pid_max", most.to_string());
    }
}

fn has_own_process_limit() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = release
        .split(|character: char| !character.is_ascii_digit())
        .map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= (6, 14),
        _ => false,
    }
}
