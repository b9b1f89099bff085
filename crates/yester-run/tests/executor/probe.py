"""Tries every known way out of the full sandbox, and prints those that are open."""
import ctypes
import os
import platform
import resource
import socket
import sys

libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {
    "x86_64": dict(add_key=248, keyctl=250, open_by_handle_at=304, mount=165, bpf=321, unshare=272,
                   ptrace=101, io_uring_setup=425, setns=308, perf_event_open=298, move_mount=429, openat2=437),
    "aarch64": dict(add_key=217, keyctl=219, open_by_handle_at=265, mount=40, bpf=280, unshare=97,
                    ptrace=117, io_uring_setup=425, setns=268, perf_event_open=241, move_mount=429, openat2=437),
}[platform.machine()]


def call(name, *arguments):
    if libc.syscall(NUMBERS[name], *arguments) == -1:
        raise OSError(ctypes.get_errno(), name)


def mode(path, bits):
    open(path, "w").close()
    os.chmod(path, bits)


def capabilities():
    lines = open("/proc/self/status").read().splitlines()
    sets = dict(line.split(":\t") for line in lines if line.startswith("Cap"))
    if len(sets) == 5 and all(int(value, 16) == 0 for value in sets.values()):
        raise OSError("none")


def write(path):
    open(path, "r+b" if os.path.exists(path) else "wb").write(b"1")


WAYS = {
    "a capability": capabilities,
    "a key of the user": lambda: call("add_key", b"user", b"yester", b"x", 1, -3),
    "the user's keyring": lambda: call("keyctl", 0, -3, 0),
    "a file by its handle": lambda: call("open_by_handle_at", -100, 0, 0),
    "a mount": lambda: call("mount", b"none", b"/mnt", b"tmpfs", 0, 0),
    "a moved mount": lambda: call("move_mount", -100, b"/dev", -100, b"/mnt", 0),
    "a user namespace": lambda: call("unshare", 0x10000000),
    "a mount namespace": lambda: call("unshare", 0x00020000),
    "another namespace": lambda: call("setns", os.open("/proc/self/ns/mnt", os.O_RDONLY), 0),
    "a program for the kernel": lambda: call("bpf", 0, 0, 0),
    "a counter of the kernel": lambda: call("perf_event_open", 0, 0, 0, 0, 0),
    "a ring of calls": lambda: call("io_uring_setup", 8, 0),
    "the warden's memory": lambda: open("/proc/1/mem", "rb"),
    "the warden's root": lambda: os.listdir("/proc/1/root"),
    "the warden as a debugger": lambda: call("ptrace", 16, 1, 0, 0),
    "a virtual socket": lambda: socket.socket(40, socket.SOCK_STREAM),
    "a raw socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "a packet socket": lambda: socket.socket(17, socket.SOCK_RAW),
    "interrupts": lambda: write("/proc/irq/default_smp_affinity"),
    "a setting of the kernel": lambda: write("/proc/sys/kernel/hostname"),
    "limits of the warden": lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (64, 64)),
    "the mode of a device": lambda: os.chmod("/dev/full", 0o640),
    "real-time priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "a higher priority": lambda: os.nice(-1),
    "a setuid file": lambda: mode("s1", 0o4755),
    "a setgid file": lambda: mode("s2", 0o2755),
    "a new setuid file": lambda: os.open("s3", os.O_CREAT | os.O_WRONLY, 0o4755),
    "a setuid file behind a pointer": lambda: call(
        "openat2", -100, b"s4", ctypes.byref((ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)), 24),
    "a device": lambda: os.mknod("device", 0o60666, os.makedev(7, 0)),
    "the root": lambda: write("/yester-was-here"),
    "the start directory": lambda: write(os.environ["YESTER_START"] + "/was-here"),
    "services of this machine": lambda: write("/run/was-here"),
    "control groups": lambda: os.mkdir("/sys/fs/cgroup/was-here"),
    "an immutable file": lambda: os.system("touch i; chattr +i i 2> /dev/null") and os.stat("/none"),
    "a descriptor of yester's parent": lambda: os.listdir("/proc/self/fd/%s" % sys.argv[1]),
}

for name, way in WAYS.items():
    try:
        way()
        print(name)
    except OSError:
        pass
print("tried", len(WAYS))
