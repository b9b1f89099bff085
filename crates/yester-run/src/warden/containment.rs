//! Contains a warden and all its trials, as tightly as the user asks and the machine allows.

use std::ffi::CStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::process::Resource;
use rustix::thread::UnshareFlags;

use super::reaper::end_all;
use super::{EXCHANGE, Orders};
use crate::root::Root;
use crate::system::{self, CallFilter, MountAccess, Privileges, WriteFence};
use crate::{Containment, Sandbox, scratch};

/// The directories that are private to the trials in the full sandbox.
const PRIVATE: [&str; 3] = ["/tmp", "/dev", "/run"];

/// Where the next private directory is made before it takes its place.
const NEXT: &str = "/dev/.next";

const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// The directory that trials run in, below the worker's own.
pub(super) const TREE: &str = "tree";

/// What is around the trials of a warden.
pub(crate) struct Enclosure {
    pub containment: Containment,
    /// The directory of the trials, as they see it.
    pub directory: PathBuf,
    /// The worker's own directory, which holds the one of the trials. In the full sandbox, trials cannot reach it.
    pub own: Root,
    /// The path of the worker's own directory, unless the full sandbox hides it.
    path: Option<PathBuf>,
    /// The mounts that trials see, where trials can make mounts.
    mounts: Option<Mounts>,
    filter: Option<CallFilter>,
    /// Keeps changes of files inside the places below, where the kernel can.
    fence: Option<WriteFence>,
    /// The directories that trials of the full sandbox can write to and that stay.
    writable: Vec<PathBuf>,
    /// What is mounted below private directories, and has to move when those are replaced.
    below_private: Vec<PathBuf>,
}

impl Enclosure {
    /// The mount namespace of the trials, where the warden has another one.
    pub(crate) fn mounts(&self) -> Option<BorrowedFd<'_>> {
        let mounts = self.mounts.as_ref()?;
        Some(mounts.namespace.as_fd())
    }

    pub(crate) fn privileges(&self) -> Privileges<'_> {
        match (&self.filter, self.containment) {
            (Some(filter), _) => Privileges::None(filter, self.fence.as_ref()),
            (None, Containment::ProcessGroup) => Privileges::Any,
            (None, _) => Privileges::Same,
        }
    }

    /// The path of the worker's own directory, unless the full sandbox hides it.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Whether another directory may take the place of the trials' one. In the full sandbox its mount is fixed.
    pub(crate) fn can_move_tree(&self) -> bool {
        self.path.is_some()
    }

    /// Makes the directory of the trials again after a test has deleted it.
    pub(crate) fn make_tree(&mut self) -> io::Result<()> {
        // Through the open directory and not its path: a test may have put a link or another directory in its place, and
        // later we delete everything in there.
        match self.own.place(Path::new(TREE))?.make_directory() {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let Some(path) = &self.path else {
            return Ok(());
        };
        let is_own = Root::open(path).is_ok_and(|found| system::is_same(found, &self.own));
        if !is_own {
            return Err(io::Error::other(
                "a test has moved or replaced the directory of its worker",
            ));
        }
        if self.directory != path.join(TREE) {
            fs::create_dir_all(&self.directory)?;
            bind(&path.join(TREE), &self.directory)?;
            self.mounts = Some(Mounts::leave()?);
        }
        Ok(())
    }

    /// Restores the surroundings for the next trial: the mounts, or in the full sandbox, where trials make none, the
    /// directories for temporary files.
    pub(crate) fn renew(&mut self) -> io::Result<()> {
        if let Some(mounts) = &self.mounts
            && system::has_changed(mounts.table.as_fd())?
        {
            self.mounts = Some(Mounts::leave()?);
        }
        if self.containment != Containment::Full {
            return Ok(());
        }
        for private in ["/tmp", "/dev/shm"] {
            // We build the new one elsewhere, so that what is mounted below the old one can move into it.
            temporary(NEXT, TEMPORARY)?;
            for path in &self.below_private {
                if let Ok(relative) = path.strip_prefix(private) {
                    let place = Path::new(NEXT).join(relative);
                    fs::create_dir_all(&place)?;
                    system::move_mount(path, &place)?;
                }
            }
            system::detach(Path::new(private))?;
            system::move_mount(Path::new(NEXT), Path::new(private))?;
        }
        system::detach(Path::new("/dev/pts"))?;
        own_terminals()?;
        self.fence = fence_around(&self.writable)?;
        Ok(())
    }
}

/// The mounts of the trials of `--sandbox auto`. Their warden has others, so that what a test mounts is not there when
/// the warden cleans up.
///
/// A namespace for each trial would cost a quarter of a millisecond, most of it spent waiting for the end of the old one.
/// So trials share one until a trial changes it.
struct Mounts {
    namespace: File,
    /// The kernel reports here that a mount was made or taken away.
    table: File,
}

impl Mounts {
    /// Leaves the warden's mounts to the next trials, and gives the warden a copy.
    fn leave() -> io::Result<Mounts> {
        let mounts = Mounts {
            namespace: File::open("/proc/self/ns/mnt")?,
            table: File::open("/proc/self/mountinfo")?,
        };
        system::unshare(UnshareFlags::NEWNS)?;
        Ok(mounts)
    }
}

/// Enters the strongest containment that was asked for and is possible. Only the contained process returns.
pub(crate) fn enter(orders: &Orders) -> io::Result<Enclosure> {
    let inner = UnshareFlags::NEWPID | UnshareFlags::NEWNS;
    fs::create_dir_all(own_directory(orders).join(TREE))?;
    match orders.sandbox {
        Sandbox::None => group(orders),
        Sandbox::Auto if can_make(inner) => {
            enter_new(inner, false)?;
            shut_in(orders)
        }
        Sandbox::Auto => group(orders),
        Sandbox::Full => {
            let others = UnshareFlags::NEWNET | UnshareFlags::NEWIPC | UnshareFlags::NEWUTS;
            enter_new(inner | others, true).map_err(|error| explain("make namespaces", error))?;
            shut_out(orders)
        }
    }
}

/// The worker's own directory.
fn own_directory(orders: &Orders) -> PathBuf {
    Path::new(&orders.scratch).join(orders.worker.to_string())
}

/// Where contained trials see their directory. The path is the same for every worker, so that caches keyed by path hit.
fn common_directory(orders: &Orders) -> PathBuf {
    Path::new(&orders.scratch).join(scratch::WORK)
}

/// Runs trials in the worker's own directory, at the path where everybody sees it.
fn in_plain_sight(orders: &Orders, containment: Containment) -> io::Result<Enclosure> {
    let path = own_directory(orders);
    Ok(Enclosure {
        containment,
        directory: path.join(TREE),
        own: Root::open(&path)?,
        path: Some(path),
        mounts: None,
        filter: None,
        fence: None,
        writable: Vec::new(),
        below_private: Vec::new(),
    })
}

/// Contains trials with a process group and by adopting orphans, which works on every machine.
///
/// A test may kill or stop its parent, the warden. So the warden has a guardian, which wakes it or ends what is left.
fn group(orders: &Orders) -> io::Result<Enclosure> {
    system::adopt_orphans()?;
    if let Some(warden) = system::fork()? {
        // When yester is gone, the warden notices and ends its trial. The guardian must live until then.
        system::outlive_parent()?;
        let _ = system::reap_running(warden);
        let _ = end_all(warden, Containment::ProcessGroup);
        system::exit_now(0);
    }
    system::die_with_parent()?;
    system::adopt_orphans()?;
    in_plain_sight(orders, Containment::ProcessGroup)
}

/// Whether this machine lets us make namespaces. A child tries it, since a process that fails half-way has lost its rights.
fn can_make(namespaces: UnshareFlags) -> bool {
    match system::fork() {
        Ok(None) => system::exit_now(i32::from(separate(namespaces, false).is_err())),
        Ok(Some(_)) => {
            system::reap(true).is_ok_and(|ended| ended.is_some_and(|ended| ended.status == 0))
        }
        Err(_) => false,
    }
}

/// Moves this process into new namespaces.
fn separate(namespaces: UnshareFlags, always_user: bool) -> io::Result<()> {
    let (user, group) = system::user_and_group();
    // Everybody but the superuser needs a user namespace to make the others. The superuser does without, to keep the
    // owners of its files, unless it must lose its power.
    if always_user || user != 0 || system::unshare(namespaces).is_err() {
        system::unshare(namespaces | UnshareFlags::NEWUSER)?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    Ok(())
}

/// Makes new namespaces and continues as their first process. The old process stays only to die with yester.
fn enter_new(namespaces: UnshareFlags, always_user: bool) -> io::Result<()> {
    separate(namespaces, always_user)?;
    if let Some(first) = system::fork()? {
        let _ = system::reap_running(first);
        system::exit_now(0);
    }
    system::die_with_parent()
}

/// The namespaces of `--sandbox auto`: the same machine as outside, except for what a trial could break.
///
/// What counts is that we can end all processes. Mounts are extras, which some machines forbid.
fn shut_in(orders: &Orders) -> io::Result<Enclosure> {
    system::forbid_tracing()?;
    let mut enclosure = in_plain_sight(orders, Containment::Namespaces)?;
    if keep_mounts_private().is_err() {
        return Ok(enclosure);
    }
    for device in DEVICES {
        // A mount point cannot be deleted, not even by a compiler that runs as root with `-o /dev/null`.
        let path = Path::new("/dev").join(device);
        if path.exists() {
            let _ = bind(&path, &path);
        }
    }
    own_processes(32_768);
    let common = common_directory(orders);
    if bind(&enclosure.directory, &common).is_ok() {
        enclosure.directory = common;
    }
    enclosure.mounts = Some(Mounts::leave()?);
    Ok(enclosure)
}

/// The namespaces of `--sandbox full`: nothing outside the directory of the trials can be changed or reached.
fn shut_out(orders: &Orders) -> io::Result<Enclosure> {
    keep_mounts_private()?;
    system::loopback_up().map_err(|error| explain("switch the loopback interface on", error))?;

    // We take hold of what the private directories will hide, and put it back in its place later.
    let mut hidden: Vec<(PathBuf, OwnedFd)> = Vec::new();
    for path in orders.visible.iter().map(PathBuf::from) {
        if !is_hidden(&path) {
            continue;
        }
        if is_private(&path) {
            let path = path.to_string_lossy();
            return Err(io::Error::other(format!(
                "cannot hide {path} from the test and show it at the same time"
            )));
        }
        let mount = system::clone_mount(&path)
            .map_err(|error| explain(&format!("keep {} visible", path.display()), error))?;
        hidden.push((path, mount));
    }
    let keep = |path: PathBuf| {
        system::clone_mount(&path).map_err(|error| explain("keep the worker's directory", error))
    };
    let own = keep(own_directory(orders))?;
    let tree = keep(own_directory(orders).join(TREE))?;
    let exchange = own_directory(orders).join(EXCHANGE);
    let exchange = (keep(exchange.clone())?, exchange);
    let mut given = Vec::new();
    for path in orders.writable.iter().map(PathBuf::from) {
        let mount = system::clone_mount(&path)
            .map_err(|error| explain(&format!("keep {} writable", path.display()), error))?;
        given.push((mount, path));
    }
    let devices: Vec<(PathBuf, OwnedFd)> = DEVICES
        .into_iter()
        .map(|device| Path::new("/dev").join(device))
        .filter_map(|path| Some((path.clone(), system::clone_mount(&path).ok()?)))
        .collect();

    system::set_mount_access(Path::new("/"), MountAccess::ReadOnly, true)
        .map_err(|error| explain("make the root read-only", error))?;
    temporary("/tmp", TEMPORARY)?;
    if Path::new("/run").is_dir() {
        temporary("/run", c"mode=0755,size=16m")?;
    }
    temporary("/dev", c"mode=0755,size=1m")?;
    fill_dev(&devices)?;
    let mut below_private = Vec::new();
    for (path, mount) in hidden {
        fs::create_dir_all(&path)?;
        system::attach_mount(mount.as_fd(), &path)?;
        system::set_mount_access(&path, MountAccess::ReadOnly, true)?;
        below_private.push(path);
    }
    let common = common_directory(orders);
    let mut writable = Vec::new();
    let places = [(tree, common.clone()), exchange].into_iter();
    for (mount, place) in places.chain(given) {
        fs::create_dir_all(&place)?;
        system::attach_mount(mount.as_fd(), &place)?;
        system::set_mount_access(&place, MountAccess::ReadWrite, true)?;
        writable.push(place.clone());
        // Below a directory that stays visible, it moves with that one.
        if !below_private.iter().any(|path| place.starts_with(path)) {
            below_private.push(place);
        }
    }
    for path in ["/dev", "/run"] {
        let _ = system::set_mount_access(Path::new(path), MountAccess::Devices, false);
    }

    own_processes(1024);
    system::set_mount_access(Path::new("/proc"), MountAccess::ReadOnly, true)
        .map_err(|error| explain("make /proc read-only", error))?;
    for resource in [Resource::Rtprio, Resource::Nice] {
        system::limit_for_good(resource, 0)?;
    }
    system::limit_for_good(Resource::Nproc, 1024)?;
    system::forbid_tracing()?;
    // The superuser of a user namespace could undo all of this.
    system::drop_bounding_set().map_err(|error| explain("give up capabilities", error))?;
    Ok(Enclosure {
        containment: Containment::Full,
        directory: common,
        own: Root::new(own),
        path: None,
        mounts: None,
        filter: Some(CallFilter::new(!orders.is_guarded)),
        fence: fence_around(&writable)?,
        writable,
        below_private,
    })
}

/// A fence around what trials of the full sandbox may change: their directories and what is private to them.
fn fence_around(writable: &[PathBuf]) -> io::Result<Option<WriteFence>> {
    let private = ["/tmp", "/dev/shm", "/dev/pts"].map(PathBuf::from);
    let devices = DEVICES.map(|device| Path::new("/dev").join(device));
    let places = private.iter().chain(&devices).chain(writable);
    let places = places.filter(|place| place.exists()).map(PathBuf::as_path);
    WriteFence::around(places).map_err(|error| explain("keep changes inside", error))
}

/// Whether a directory is one that the full sandbox replaces as a whole.
pub(crate) fn is_private(path: &Path) -> bool {
    let mut private = PRIVATE.iter().chain(&["/dev/shm"]);
    private.any(|private| path == Path::new(private))
}

/// Whether the full sandbox hides a path, unless it is told to keep it visible.
pub(crate) fn is_hidden(path: &Path) -> bool {
    PRIVATE.iter().any(|private| path.starts_with(private))
}

fn fill_dev(devices: &[(PathBuf, OwnedFd)]) -> io::Result<()> {
    for (path, mount) in devices {
        fs::write(path, "")?;
        system::attach_mount(mount.as_fd(), path)?;
        // A device still takes what is written to it, but nobody can change its mode.
        system::set_mount_access(path, MountAccess::Devices, false)?;
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
    fs::create_dir(NEXT)?;
    fs::create_dir("/dev/shm")?;
    temporary("/dev/shm", TEMPORARY)?;
    fs::create_dir("/dev/pts")?;
    own_terminals()
}

fn own_terminals() -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let options = c"newinstance,ptmxmode=0666";
    mount("devpts", "/dev/pts", "devpts", flags, options)
        .map_err(|error| explain("mount /dev/pts", error.into()))
}

fn explain(step: &str, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {step}: {error}"))
}

fn keep_mounts_private() -> io::Result<()> {
    let flags = MountPropagationFlags::REC | MountPropagationFlags::PRIVATE;
    mount_change("/", flags).map_err(|error| explain("keep mounts private", error.into()))
}

fn bind(source: &Path, target: &Path) -> io::Result<()> {
    system::attach_mount(system::clone_mount(source)?.as_fd(), target)
}

/// A private directory for temporary files is memory, so its size is bounded.
const TEMPORARY: &CStr = c"mode=1777,size=25%";

fn temporary(path: &str, options: &CStr) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", path, "tmpfs", flags, options)
        .map_err(|error| explain(&format!("make {path} private"), error.into()))
}

/// Gives the namespace its own view of processes, and bounds their number. Both are extras: a container may forbid the
/// first, and kernels before 6.14 have only one bound for the whole machine, which is not ours to change.
fn own_processes(most: usize) {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    if mount("proc", "/proc", "proc", flags, None).is_ok() && has_own_process_limit() {
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
