/* Comes between yester and the C library, to make the n-th call of a kind fail, or to write down what is written.
 *
 * YESTER_FAULT="WHO KIND NTH ERROR MODE": in WHO (yester or warden), calls of KIND fail with the number ERROR, where 0
 * stands for doing only half of what was asked. MODE is once, on (from the NTH call on) or kill, which ends the process at
 * the NTH call as kill -9 does. YESTER_FAULT_REPORT is a file that is made when that happens. YESTER_FAULT_LOG gets every change of a file below YESTER_FAULT_ROOT, in order.
 *
 * Nobody but yester and its wardens sees these variables: what a test does is its own business.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))next(#name))
#define WARDEN "yester-warden"

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

static char kind_to_fail[16], report[PATH_MAX], root[PATH_MAX];
static long nth, count;
static int error_to_give, persistent, killing, active, logging = -1;
static char *for_wardens[4];

static void read_variables(int argc, char **argv, char **environment) {
    (void)argc, (void)environment;
    const char *fault = getenv("YESTER_FAULT"), *value;
    char who[16] = "", mode[16] = "";
    int is_warden = argv[0] && !strcmp(argv[0], WARDEN);
    if (fault && sscanf(fault, "%15s %15s %ld %d %15s", who, kind_to_fail, &nth, &error_to_give, mode) == 5) {
        active = !strcmp(who, is_warden ? "warden" : "yester");
        persistent = !strcmp(mode, "on");
        killing = !strcmp(mode, "kill");
    }
    if ((value = getenv("YESTER_FAULT_REPORT")))
        snprintf(report, sizeof report, "%s", value);
    if ((value = getenv("YESTER_FAULT_ROOT")))
        snprintf(root, sizeof root, "%s", value);
    if ((value = getenv("YESTER_FAULT_LOG")) && !is_warden)
        logging = open(value, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const char *names[] = {"LD_PRELOAD", "YESTER_FAULT", "YESTER_FAULT_REPORT"};
    for (int i = 0; i < 3; i++)
        if ((value = getenv(names[i])))
            asprintf(&for_wardens[i], "%s=%s", names[i], value);
    unsetenv("LD_PRELOAD"), unsetenv("YESTER_FAULT"), unsetenv("YESTER_FAULT_REPORT");
    unsetenv("YESTER_FAULT_ROOT"), unsetenv("YESTER_FAULT_LOG");
}
__attribute__((section(".init_array"), used)) static void (*start)(int, char **, char **) = read_variables;

/* Where a descriptor leads, or a path from a directory, as an absolute path. */
static void locate(int descriptor, const char *path, char *place) {
    char link[64];
    size_t length = 0;
    if (path && *path == '/') {
        snprintf(place, PATH_MAX, "%s", path);
        return;
    }
    if (descriptor == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t got = REAL(readlink)(link, place, PATH_MAX - 1);
    length = got > 0 ? (size_t)got : 0;
    place[length] = 0;
    if (path && length + 1 < PATH_MAX)
        snprintf(place + length, PATH_MAX - length, "/%s", path);
}

/* Whether this call is to fail. With a path, or the descriptor it is about, for the report. */
static int fails(const char *kind, int descriptor, const char *path) {
    if (!active || strcmp(kind, kind_to_fail))
        return 0;
    /* A full disk or a broken one is not the terminal's. */
    if (persistent && !path && descriptor >= 0 && descriptor <= 2)
        return 0;
    /* A pipe has no disk that could break or be full. */
    struct stat status;
    if (!path && (error_to_give == EIO || error_to_give == ENOSPC) && !fstat(descriptor, &status) &&
        (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)))
        return 0;
    long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (persistent ? number < nth : number != nth)
        return 0;
    int saved = errno;
    /* Another warden may have had its fault already. */
    int file = REAL(open)(report, O_WRONLY | O_CREAT | O_CLOEXEC | (persistent ? O_APPEND : O_EXCL), 0600);
    if (file < 0) {
        errno = saved;
        return persistent;
    }
    char place[PATH_MAX], line[PATH_MAX + 64];
    locate(descriptor, path, place);
    int length = snprintf(line, sizeof line, "%s %ld: descriptor %d, %s\n", kind, number, descriptor, place);
    REAL(write)(file, line, (size_t)length);
    REAL(close)(file);
    if (killing)
        kill(getpid(), SIGKILL);
    errno = saved;
    return 1;
}

#define FAIL(kind, descriptor, path, result)                                                                          \
    if (fails(kind, descriptor, path)) {                                                                              \
        errno = error_to_give;                                                                                        \
        return result;                                                                                                \
    }
/* The same where half of what was asked may be done. */
#define FAIL_OR_HALVE(kind, descriptor, length)                                                                       \
    if (fails(kind, descriptor, NULL)) {                                                                              \
        if (error_to_give) {                                                                                          \
            errno = error_to_give;                                                                                    \
            return -1;                                                                                                \
        }                                                                                                             \
        length = length > 1 ? length / 2 : length;                                                                    \
    }

/* One line and what was written: `write INODE OFFSET LENGTH PATH`, a line end, and the bytes. */
static void note(const char *what, int descriptor, const char *path, const char *numbers, const void *data,
                 size_t length) {
    char place[PATH_MAX], line[PATH_MAX + 128];
    struct stat status = {0};
    int saved = errno;
    if (logging < 0)
        return;
    locate(descriptor, path, place);
    if (strcmp(what, "announce") && strncmp(place, root, strlen(root)))
        goto end;
    if (path ? fstatat(descriptor, path, &status, AT_SYMLINK_NOFOLLOW) : fstat(descriptor, &status))
        status.st_ino = 0;
    int size = snprintf(line, sizeof line, "%s %lu %s %s\n", what, (unsigned long)status.st_ino, numbers, place);
    struct iovec parts[] = {{line, (size_t)size}, {(void *)data, length}};
    REAL(writev)(logging, parts, data ? 2 : 1);
end:
    errno = saved;
}

static void note_write(int descriptor, const void *data, ssize_t written) {
    char numbers[64];
    if (logging < 0 || written <= 0)
        return;
    if (descriptor == 1) {
        note("announce", descriptor, NULL, "0 0", NULL, 0);
        return;
    }
    int saved = errno;
    long end = REAL(lseek64)(descriptor, 0, SEEK_CUR);
    errno = saved;
    if (end < 0)
        return;
    snprintf(numbers, sizeof numbers, "%ld %ld", end - written, (long)written);
    note("write", descriptor, NULL, numbers, data, (size_t)written);
}

static int open_as(const char *name, int directory, const char *path, int flags, mode_t mode) {
    struct stat status;
    FAIL("open", directory, path, -1)
    int is_new = logging >= 0 && (flags & O_CREAT) && fstatat(directory, path, &status, 0);
    int descriptor = ((int (*)(int, const char *, int, mode_t))next(name))(directory, path, flags, mode);
    if (descriptor >= 0 && is_new)
        note("create", descriptor, NULL, "0 0", NULL, 0);
    else if (descriptor >= 0 && logging >= 0 && (flags & O_TRUNC))
        note("truncate", descriptor, NULL, "0 0", NULL, 0);
    return descriptor;
}

static mode_t mode_of(int flags, va_list rest) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                      \
        va_list rest;                                                                                                 \
        va_start(rest, flags);                                                                                        \
        return open_as("openat", AT_FDCWD, path, flags, mode_of(flags, rest));                                        \
    }
#define OPENAT(name)                                                                                                  \
    int name(int directory, const char *path, int flags, ...) {                                                       \
        va_list rest;                                                                                                 \
        va_start(rest, flags);                                                                                        \
        return open_as("openat", directory, path, flags, mode_of(flags, rest));                                       \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t read(int descriptor, void *buffer, size_t length) {
    FAIL_OR_HALVE("read", descriptor, length)
    return REAL(read)(descriptor, buffer, length);
}
ssize_t write(int descriptor, const void *buffer, size_t length) {
    FAIL_OR_HALVE("write", descriptor, length)
    ssize_t written = REAL(write)(descriptor, buffer, length);
    note_write(descriptor, buffer, written);
    return written;
}
ssize_t writev(int descriptor, const struct iovec *parts, int number) {
    if (number == 0)
        return 0;
    struct iovec first = parts[0];
    if (fails("write", descriptor, NULL)) {
        if (error_to_give) {
            errno = error_to_give;
            return -1;
        }
        first.iov_len = first.iov_len > 1 ? first.iov_len / 2 : first.iov_len;
        parts = &first, number = 1;
    }
    /* Parts are written down one by one, so one call writes one. */
    if (logging >= 0)
        return write(descriptor, parts[0].iov_base, parts[0].iov_len);
    return REAL(writev)(descriptor, parts, number);
}
ssize_t send(int descriptor, const void *buffer, size_t length, int flags) {
    FAIL_OR_HALVE("send", descriptor, length)
    return REAL(send)(descriptor, buffer, length, flags);
}
ssize_t recv(int descriptor, void *buffer, size_t length, int flags) {
    FAIL_OR_HALVE("receive", descriptor, length)
    return REAL(recv)(descriptor, buffer, length, flags);
}
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
    FAIL_OR_HALVE("copy", to, length)
    if (logging >= 0) {
        errno = ENOSYS; /* Then it is copied by read and write. */
        return -1;
    }
    return REAL(copy_file_range)(from, from_offset, to, to_offset, length, flags);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
    char numbers[PATH_MAX + 32], place[PATH_MAX];
    FAIL("rename", from_directory, from, -1)
    locate(from_directory, from, place);
    int result = REAL(renameat)(from_directory, from, to_directory, to);
    if (!result && logging >= 0) {
        snprintf(numbers, sizeof numbers, "0 %zu", strlen(place));
        note("rename", to_directory, to, numbers, place, strlen(place));
    }
    return result;
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }
#define SYNC(name)                                                                                                    \
    int name(int descriptor) {                                                                                        \
        FAIL("sync", descriptor, NULL, -1)                                                                            \
        note("sync", descriptor, NULL, "0 0", NULL, 0);                                                               \
        return REAL(name)(descriptor);                                                                                \
    }
SYNC(fsync)
SYNC(fdatasync)

#define TRUNCATE(name, offset)                                                                                        \
    int name(int descriptor, offset length) {                                                                         \
        char numbers[64];                                                                                             \
        FAIL("truncate", descriptor, NULL, -1)                                                                        \
        int result = REAL(name)(descriptor, length);                                                                  \
        snprintf(numbers, sizeof numbers, "%ld 0", (long)length);                                                     \
        if (!result)                                                                                                  \
            note("truncate", descriptor, NULL, numbers, NULL, 0);                                                     \
        return result;                                                                                                \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int mkdirat(int directory, const char *path, mode_t mode) {
    FAIL("mkdir", directory, path, -1)
    int result = REAL(mkdirat)(directory, path, mode);
    if (!result)
        note("mkdir", directory, path, "0 0", NULL, 0);
    return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
int symlinkat(const char *target, int directory, const char *path) {
    char numbers[32];
    FAIL("symlink", directory, path, -1)
    int result = REAL(symlinkat)(target, directory, path);
    snprintf(numbers, sizeof numbers, "0 %zu", strlen(target));
    if (!result)
        note("symlink", directory, path, numbers, target, strlen(target));
    return result;
}
int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }
int unlinkat(int directory, const char *path, int flags) {
    FAIL("remove", directory, path, -1)
    int result = REAL(unlinkat)(directory, path, flags);
    if (!result)
        note("remove", directory, path, "0 0", NULL, 0);
    return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int chmod(const char *path, mode_t mode) {
    FAIL("chmod", AT_FDCWD, path, -1)
    return REAL(chmod)(path, mode);
}
int fchmod(int descriptor, mode_t mode) {
    FAIL("chmod", descriptor, NULL, -1)
    return REAL(fchmod)(descriptor, mode);
}
int statx(int directory, const char *restrict path, int flags, unsigned mask, struct statx *restrict status) {
    /* The standard library asks about nothing to see whether there is such a call. */
    const char *volatile given = path;
    if (given)
        FAIL("stat", directory, *given ? given : NULL, -1)
    return REAL(statx)(directory, path, flags, mask, status);
}
char *realpath(const char *restrict path, char *restrict place) {
    FAIL("stat", AT_FDCWD, path, NULL)
    return REAL(realpath)(path, place);
}
DIR *opendir(const char *path) {
    FAIL("list", AT_FDCWD, path, NULL)
    return REAL(opendir)(path);
}
struct dirent64 *readdir64(DIR *directory) {
    FAIL("list", dirfd(directory), NULL, NULL)
    return REAL(readdir64)(directory);
}
void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
    FAIL("mmap", AT_FDCWD, "memory", MAP_FAILED)
    return REAL(mmap64)(address, length, protection, flags, descriptor, offset);
}
int pipe2(int descriptors[2], int flags) {
    FAIL("pipe", AT_FDCWD, "pipe", -1)
    return REAL(pipe2)(descriptors, flags);
}
int socketpair(int domain, int type, int protocol, int descriptors[2]) {
    FAIL("pipe", AT_FDCWD, "sockets", -1)
    return REAL(socketpair)(domain, type, protocol, descriptors);
}
int poll(struct pollfd *entries, nfds_t number, int timeout) {
    FAIL("poll", AT_FDCWD, "poll", -1)
    return REAL(poll)(entries, number, timeout);
}
int ppoll(struct pollfd *entries, nfds_t number, const struct timespec *timeout, const sigset_t *mask) {
    FAIL("poll", AT_FDCWD, "ppoll", -1)
    return REAL(ppoll)(entries, number, timeout, mask);
}
pid_t waitpid(pid_t process, int *status, int options) {
    FAIL("wait", AT_FDCWD, "waitpid", -1)
    return REAL(waitpid)(process, status, options);
}
pid_t wait4(pid_t process, int *status, int options, struct rusage *usage) {
    FAIL("wait", AT_FDCWD, "wait4", -1)
    return REAL(wait4)(process, status, options, usage);
}
int flock(int descriptor, int operation) {
    FAIL("lock", descriptor, NULL, -1)
    return REAL(flock)(descriptor, operation);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (fails("thread", AT_FDCWD, "thread"))
        return error_to_give;
    return REAL(pthread_create)(thread, attributes, body, argument);
}
pid_t fork(void) {
    FAIL("spawn", AT_FDCWD, "fork", -1)
    return REAL(fork)();
}
int clone(int (*body)(void *), void *stack, int flags, void *argument, ...) {
    FAIL("spawn", AT_FDCWD, "clone", -1)
    return REAL(clone)(body, stack, flags, argument);
}

int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    if (fails("spawn", AT_FDCWD, file))
        return error_to_give;
    if (strcmp(arguments[0], WARDEN))
        return REAL(posix_spawnp)(process, file, actions, attributes, arguments, environment);
    size_t size = 0, own = 0;
    while (environment[size])
        size++;
    char **all = malloc((size + 4) * sizeof *all);
    memcpy(all, environment, size * sizeof *all);
    for (; own < 3 && for_wardens[own]; own++)
        all[size + own] = for_wardens[own];
    all[size + own] = NULL;
    int result = REAL(posix_spawnp)(process, file, actions, attributes, arguments, all);
    free(all);
    return result;
}

long syscall(long number, ...) {
    va_list rest;
    long argument[6];
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);
    if (number == SYS_openat2)
        FAIL("open", (int)argument[0], (const char *)argument[1], -1)
    if (number == SYS_pidfd_open)
        FAIL("descriptor", AT_FDCWD, "pidfd_open", -1)
    return REAL(syscall)(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
