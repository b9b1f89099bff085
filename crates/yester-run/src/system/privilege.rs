//! What a process may ask of the kernel: capabilities, and a filter of system calls.

use std::io;

use libc::{c_int, c_long, c_ulong, sock_filter, sock_fprog};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::check;

/// Takes from this process's children every capability that they could gain: the bounding, inheritable and ambient sets.
/// This process keeps those that it has.
pub(crate) fn drop_bounding_set() -> io::Result<()> {
    for bit in 0..u64::BITS {
        let capability = CapabilitySet::from_bits_retain(1 << bit);
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // The kernel knows no capability with this number.
            Err(Errno::INVAL) => break,
            other => other?,
        }
    }
    let sets = CapabilitySets {
        inheritable: CapabilitySet::empty(),
        ..rustix::thread::capabilities(None)?
    };
    rustix::thread::set_capabilities(None, sets)?;
    Ok(rustix::thread::clear_ambient_capability_set()?)
}

/// Gives up every capability. Only for the child of `spawn`, hence libc and no allocation.
pub(super) fn drop_all() -> io::Result<()> {
    // As the kernel lays them out: version and process, then the effective, permitted and inheritable sets.
    let mut this_process: [u32; 2] = [0x2008_0522, 0];
    let none = [[0_u32; 3]; 2];
    // SAFETY: both arrays live through the call and have the size that this version has.
    let result =
        unsafe { libc::syscall(libc::SYS_capset, this_process.as_mut_ptr(), none.as_ptr()) };
    check(result as c_int).map(drop)
}

/// A program for the kernel that refuses the system calls that a test in the full sandbox has no use for.
///
/// Namespaces and missing capabilities stop nearly all of them already. The filter is a second wall. It is the only one
/// against keys, sockets of other families, and files with set-user-id bits.
pub(crate) struct CallFilter(Vec<sock_filter>);

/// Refused whatever their arguments.
const REFUSED: &[c_long] = &[
    // Keys of the user.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Files by number instead of by path.
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Mounts and namespaces.
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_unshare,
    // The kernel itself.
    libc::SYS_acct,
    libc::SYS_bpf,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_perf_event_open,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
];

/// Reported as missing, so that programs do without them: they could do what is refused above where no filter looks.
const UNKNOWN: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    // The mode of a new file is behind a pointer there.
    libc::SYS_openat2,
];

/// The system calls that set a mode, with the number of that argument.
const MODES: &[(c_long, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2),
    (libc::SYS_openat, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];

/// The same number on every architecture; libc has no name for it everywhere.
const FCHMODAT2: c_long = 452;

/// The first one is that of local services.
const FAMILIES: &[i32] = &[
    libc::AF_UNIX,
    libc::AF_INET,
    libc::AF_INET6,
    libc::AF_NETLINK,
];

#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_00b7;

// Offsets in the kernel's `struct seccomp_data`.
pub(super) const NUMBER: u32 = 0;
pub(super) const ARCHITECTURE_OF_CALL: u32 = 4;
pub(super) const ARGUMENTS: u32 = 16;

impl CallFilter {
    /// Local services have sockets that are files, which no mount protects. `with_local` lets trials connect to them.
    pub(crate) fn new(with_local: bool) -> CallFilter {
        let refuse = error(libc::EPERM);
        let unknown = error(libc::ENOSYS);
        let mut program = vec![
            load(ARCHITECTURE_OF_CALL),
            // Calls of another architecture have other numbers.
            jump(libc::BPF_JEQ, ARCHITECTURE, 1, 0),
            unknown,
            load(NUMBER),
        ];
        // The x32 calls have the same architecture and this bit.
        #[cfg(target_arch = "x86_64")]
        program.extend([jump(libc::BPF_JSET, 0x4000_0000, 0, 1), unknown]);
        for (calls, answer) in [(REFUSED, refuse), (UNKNOWN, unknown)] {
            for call in calls {
                program.extend([jump(libc::BPF_JEQ, *call as u32, 0, 1), answer]);
            }
        }
        let setuid = libc::S_ISUID | libc::S_ISGID;
        for (call, argument) in MODES {
            when(
                &mut program,
                *call,
                &[
                    load(ARGUMENTS + 8 * argument),
                    jump(libc::BPF_JSET, setuid, 0, 1),
                    refuse,
                ],
            );
        }
        let namespaces = libc::CLONE_NEWNS
            | libc::CLONE_NEWCGROUP
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUSER
            | libc::CLONE_NEWPID
            | libc::CLONE_NEWNET;
        when(
            &mut program,
            libc::SYS_clone,
            &[
                load(ARGUMENTS),
                jump(libc::BPF_JSET, namespaces as u32, 0, 1),
                refuse,
            ],
        );
        // Limits of other processes, such as the warden, which hands its limits down to the next trial.
        when(
            &mut program,
            libc::SYS_prlimit64,
            &[load(ARGUMENTS), jump(libc::BPF_JEQ, 0, 1, 0), refuse],
        );
        // Typing into the user's terminal.
        for request in [libc::TIOCSTI, libc::TIOCLINUX] {
            when(
                &mut program,
                libc::SYS_ioctl,
                &[
                    load(ARGUMENTS + 8),
                    jump(libc::BPF_JEQ, request as u32, 0, 1),
                    refuse,
                ],
            );
        }
        for call in [libc::SYS_socket, libc::SYS_socketpair] {
            // A pair leads nowhere else.
            let is_allowed = with_local || call == libc::SYS_socketpair;
            let first = usize::from(!is_allowed);
            let families = &FAMILIES[first..];
            let mut check = vec![load(ARGUMENTS)];
            for (index, family) in families.iter().enumerate() {
                let rest = (families.len() - index) as u8;
                check.push(jump(libc::BPF_JEQ, *family as u32, rest, 0));
            }
            check.push(error(libc::EAFNOSUPPORT));
            when(&mut program, call, &check);
        }
        if !with_local {
            // One of a pair of datagram sockets can send to any other, and the kernel makes such a pair of raw ones, too.
            when(
                &mut program,
                libc::SYS_socketpair,
                &[
                    load(ARGUMENTS + 8),
                    step(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, 0xf, 0, 0),
                    jump(libc::BPF_JEQ, libc::SOCK_STREAM as u32, 2, 0),
                    jump(libc::BPF_JEQ, libc::SOCK_SEQPACKET as u32, 1, 0),
                    refuse,
                ],
            );
        }
        program.push(answer(libc::SECCOMP_RET_ALLOW));
        CallFilter(program)
    }

    /// Filters the calls of this process for ever. Only for the child of `spawn`, hence libc and no allocation.
    pub(super) fn install(&self) -> io::Result<()> {
        let program = sock_fprog {
            len: self.0.len() as u16,
            filter: self.0.as_ptr().cast_mut(),
        };
        // SAFETY: the program lives through the call, its length is given, and the kernel checks it.
        check(unsafe {
            libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::SECCOMP_MODE_FILTER as c_ulong,
                &raw const program,
            )
        })
        .map(drop)
    }
}

/// Adds steps for one call only, and loads the number of the call again after them.
pub(super) fn when(program: &mut Vec<sock_filter>, call: c_long, steps: &[sock_filter]) {
    let past = steps.len() as u8 + 1;
    program.push(jump(libc::BPF_JEQ, call as u32, 0, past));
    program.extend_from_slice(steps);
    program.push(load(NUMBER));
}

pub(super) fn load(offset: u32) -> sock_filter {
    step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

pub(super) fn jump(test: u32, value: u32, then: u8, otherwise: u8) -> sock_filter {
    step(libc::BPF_JMP | test | libc::BPF_K, value, then, otherwise)
}

fn error(number: i32) -> sock_filter {
    answer(libc::SECCOMP_RET_ERRNO | number as u32)
}

pub(super) fn answer(value: u32) -> sock_filter {
    step(libc::BPF_RET | libc::BPF_K, value, 0, 0)
}

fn step(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    }
}
