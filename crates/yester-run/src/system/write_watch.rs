//! Tells which files a command tries to change.
//!
//! The kernel asks us before each system call that changes files, and we let all of them go on: mounts decide what may be changed. So
//! this protects nothing. It is there to tell the user what was refused.

use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use libc::{c_int, c_long, c_uint, sock_filter, sock_fprog};
use rustix::event::{PollFd, PollFlags, Timespec};

use super::check;
use super::privilege::{ARCHITECTURE, ARCHITECTURE_OF_CALL, ARGUMENTS, NUMBER};
use super::privilege::{answer, jump, load, when};

/// A system call that changes files.
pub(crate) struct WritingCall {
    number: c_long,
    /// The argument with the directory that a relative path starts at, unless that is the current one.
    pub directory: Option<usize>,
    /// The argument with the path.
    pub path: usize,
    pub condition: WriteCondition,
}

/// When a call changes something, if it may.
#[derive(Clone, Copy)]
pub(crate) enum WriteCondition {
    /// Something is at the path.
    Existing,
    /// Nothing is at the path.
    New,
    /// A file is opened with the flags of this argument.
    Opened(usize),
    /// A file is made or emptied.
    Made,
}

use WriteCondition::{Existing, Made, New, Opened};

const fn at(
    number: c_long,
    directory: usize,
    path: usize,
    condition: WriteCondition,
) -> WritingCall {
    WritingCall {
        number,
        directory: Some(directory),
        path,
        condition,
    }
}

const fn here(number: c_long, path: usize, condition: WriteCondition) -> WritingCall {
    WritingCall {
        number,
        directory: None,
        path,
        condition,
    }
}

const CALLS: &[WritingCall] = &[
    at(libc::SYS_openat, 0, 1, Opened(2)),
    at(libc::SYS_unlinkat, 0, 1, Existing),
    at(libc::SYS_renameat2, 0, 1, Existing),
    at(libc::SYS_mkdirat, 0, 1, New),
    at(libc::SYS_mknodat, 0, 1, New),
    at(libc::SYS_symlinkat, 1, 2, New),
    at(libc::SYS_linkat, 2, 3, New),
    at(libc::SYS_fchmodat, 0, 1, Existing),
    at(libc::SYS_fchownat, 0, 1, Existing),
    at(libc::SYS_utimensat, 0, 1, Existing),
    here(libc::SYS_truncate, 0, Existing),
    here(libc::SYS_setxattr, 0, Existing),
    here(libc::SYS_lsetxattr, 0, Existing),
    here(libc::SYS_removexattr, 0, Existing),
    at(libc::SYS_renameat, 0, 1, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_open, 0, Opened(1)),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_creat, 0, Made),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_unlink, 0, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_rmdir, 0, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_rename, 0, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_mkdir, 0, New),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_mknod, 0, New),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_symlink, 1, New),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_link, 1, New),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_chmod, 0, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_chown, 0, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_lchown, 0, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_utime, 0, Existing),
    #[cfg(target_arch = "x86_64")]
    here(libc::SYS_utimes, 0, Existing),
];

/// The flags of a file that is opened to be changed.
const CHANGING: c_int = libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC;

/// A program for the kernel that makes it ask about calls that change files.
pub(crate) struct WriteFilter(Vec<sock_filter>);

impl WriteFilter {
    pub(crate) fn new() -> WriteFilter {
        let ask = answer(libc::SECCOMP_RET_USER_NOTIF);
        let allow = answer(libc::SECCOMP_RET_ALLOW);
        let mut program = vec![
            load(ARCHITECTURE_OF_CALL),
            jump(libc::BPF_JEQ, ARCHITECTURE, 1, 0),
            allow,
            load(NUMBER),
        ];
        for call in CALLS {
            match call.condition {
                Opened(flags) => when(
                    &mut program,
                    call.number,
                    &[
                        load(ARGUMENTS + 8 * flags as u32),
                        jump(libc::BPF_JSET, CHANGING as u32, 0, 1),
                        ask,
                    ],
                ),
                _ => program.extend([jump(libc::BPF_JEQ, call.number as u32, 0, 1), ask]),
            }
        }
        program.push(allow);
        WriteFilter(program)
    }

    /// Makes the kernel ask whoever has the other end of the socket. Where it cannot, nobody is asked. Only for the child of `spawn`,
    /// hence libc and no allocation.
    pub(super) fn install(&self, socket: RawFd) {
        let program = sock_fprog {
            len: self.0.len() as u16,
            filter: self.0.as_ptr().cast_mut(),
        };
        // SAFETY: the program lives through the call, its length is given, and the kernel checks it.
        let listener = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
                &raw const program,
            )
        };
        if listener >= 0 {
            send_descriptor(socket, listener as RawFd);
        }
    }
}

/// Room for a message of one byte with one descriptor, laid out as the kernel wants it.
#[repr(align(8))]
struct Control([u8; 64]);

struct MessageParts {
    byte: [u8; 1],
    control: Control,
    part: libc::iovec,
}

impl MessageParts {
    fn new() -> MessageParts {
        MessageParts {
            byte: [0],
            control: Control([0; 64]),
            part: libc::iovec {
                iov_base: std::ptr::null_mut(),
                iov_len: 0,
            },
        }
    }

    /// A message that points to these parts.
    fn message(&mut self) -> libc::msghdr {
        self.part = libc::iovec {
            iov_base: self.byte.as_mut_ptr().cast(),
            iov_len: self.byte.len(),
        };
        // SAFETY: zeroes are valid for it.
        let mut message: libc::msghdr = unsafe { zeroed() };
        message.msg_iov = &raw mut self.part;
        message.msg_iovlen = 1;
        message.msg_control = self.control.0.as_mut_ptr().cast();
        message.msg_controllen = self.control.0.len() as _;
        message
    }
}

fn send_descriptor(socket: RawFd, descriptor: RawFd) {
    let mut parts = MessageParts::new();
    // SAFETY: the message points to its parts, which live through the call, and the control message fits.
    unsafe {
        let mut message = parts.message();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as c_uint) as _;
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        (*header).cmsg_level = libc::SOL_SOCKET;
        (*header).cmsg_type = libc::SCM_RIGHTS;
        (*header).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as c_uint) as _;
        libc::CMSG_DATA(header)
            .cast::<RawFd>()
            .write_unaligned(descriptor);
        libc::sendmsg(socket, &raw const message, 0);
    }
}

/// Where the kernel asks.
pub(crate) struct WriteListener(OwnedFd);

impl AsFd for WriteListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A call that the kernel asks about. Its process waits.
pub(crate) struct AskedWrite {
    id: u64,
    pub process: u32,
    pub call: &'static WritingCall,
    pub arguments: [u64; 6],
}

impl WriteListener {
    /// The listener that a started command has sent. None if the kernel could not make one.
    pub(crate) fn receive(socket: &UnixStream) -> Option<WriteListener> {
        let mut parts = MessageParts::new();
        // SAFETY: as in `send_descriptor`. A descriptor that arrives is ours.
        unsafe {
            let mut message = parts.message();
            let flags = libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC;
            if libc::recvmsg(socket.as_raw_fd(), &raw mut message, flags) <= 0 {
                return None;
            }
            let header = libc::CMSG_FIRSTHDR(&raw const message);
            if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
                return None;
            }
            let descriptor = libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned();
            Some(WriteListener(OwnedFd::from_raw_fd(descriptor)))
        }
    }

    /// Whether nobody is left to ask about.
    pub(crate) fn is_over(&self) -> bool {
        !self.polled().contains(PollFlags::IN) && self.polled().contains(PollFlags::HUP)
    }

    fn polled(&self) -> PollFlags {
        let mut entry = [PollFd::new(&self.0, PollFlags::IN)];
        match rustix::event::poll(&mut entry, Some(&Timespec::default())) {
            Ok(_) => entry[0].revents(),
            Err(_) => PollFlags::empty(),
        }
    }

    /// The next call. None if there is none, or if its process has ended meanwhile.
    pub(crate) fn next(&self) -> Option<AskedWrite> {
        // Without a call, the kernel would let us wait for one.
        if !self.polled().contains(PollFlags::IN) {
            return None;
        }
        // SAFETY: zeroes are valid for it and wanted by the kernel, which fills it.
        let asked = unsafe {
            let mut asked: libc::seccomp_notif = zeroed();
            let request = libc::SECCOMP_IOCTL_NOTIF_RECV;
            check(libc::ioctl(self.0.as_raw_fd(), request, &raw mut asked)).ok()?;
            asked
        };
        let number = c_long::from(asked.data.nr);
        let call = CALLS.iter().find(|call| call.number == number)?;
        Some(AskedWrite {
            id: asked.id,
            process: asked.pid,
            call,
            arguments: asked.data.args,
        })
    }

    /// Lets the process go on with its call.
    pub(crate) fn go_on(&self, asked: &AskedWrite) {
        let answer = libc::seccomp_notif_resp {
            id: asked.id,
            val: 0,
            error: 0,
            flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
        };
        let request = libc::SECCOMP_IOCTL_NOTIF_SEND;
        // SAFETY: the answer lives through the call. A process that has ended needs none.
        let _ = unsafe { libc::ioctl(self.0.as_raw_fd(), request, &raw const answer) };
    }

    /// Whether the process still waits: if not, its number may be another's by now.
    pub(crate) fn is_waiting(&self, asked: &AskedWrite) -> bool {
        let request = libc::SECCOMP_IOCTL_NOTIF_ID_VALID;
        // SAFETY: the number lives through the call.
        unsafe { libc::ioctl(self.0.as_raw_fd(), request, &raw const asked.id) == 0 }
    }
}
