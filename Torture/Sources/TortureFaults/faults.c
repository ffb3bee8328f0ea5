// Stands between a program and the system: counts its calls on files below one folder, lets one of
// them fail, and records what they did. Loaded with LD_PRELOAD, told by the environment:
//
//   TORTURE_PREFIX      Only files whose absolute path begins so are looked at.
//   TORTURE_OPERATION   Which calls are counted and may fail: write, sync, truncate, open, read,
//                       unlink, rename, map or lock. A list with commas is allowed.
//   TORTURE_CALL        The call that fails, counted from 1.
//   TORTURE_MODE        once: it fails; sticky: it and all later ones fail; short: a write stops half
//                       way; kill: the process dies before the call; stop: it is stopped before it.
//   TORTURE_ERROR       The number of the error.
//   TORTURE_RELEASE     A file; once it exists, nothing fails any more.
//   TORTURE_COUNT       A file for the number of calls, written at the end.
//   TORTURE_RECORD      A file for the records of PowerLoss/Recording.swift.
//
// Real calls go to the kernel directly, so nothing has to be looked up while the program starts.
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE

#if defined(__linux__) && __SIZEOF_LONG__ == 8

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// MARK: - What was asked for

enum { MODE_NONE, MODE_ONCE, MODE_STICKY, MODE_SHORT, MODE_KILL, MODE_STOP };
enum verdict { GO_ON, FAIL, CUT };

static char prefix[PATH_MAX], operations[256], release_path[PATH_MAX], count_path[PATH_MAX];
static size_t prefix_length;
static int mode = MODE_NONE, fault_error = EIO, record_file = -1;
static long fault_call;
static _Atomic long calls;

// Which descriptors lead to files that are looked at; for records, the file's inode.
enum { DESCRIPTORS = 4096 };
static _Atomic uint64_t watched[DESCRIPTORS];

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static void copy(char *to, size_t size, const char *from) {
    if (from) snprintf(to, size, "%s", from);
}

__attribute__((constructor)) static void read_settings(void) {
    copy(prefix, sizeof prefix, setting("TORTURE_PREFIX"));
    prefix_length = strlen(prefix);
    copy(release_path, sizeof release_path, setting("TORTURE_RELEASE"));
    copy(count_path, sizeof count_path, setting("TORTURE_COUNT"));
    const char *list = setting("TORTURE_OPERATION");
    if (list) snprintf(operations, sizeof operations, ",%s,", list);
    const char *number = setting("TORTURE_CALL");
    if (number) fault_call = atol(number);
    number = setting("TORTURE_ERROR");
    if (number) fault_error = atoi(number);
    const char *name = setting("TORTURE_MODE");
    static const char *const names[] = {"", "once", "sticky", "short", "kill", "stop"};
    for (int i = MODE_ONCE; name && i <= MODE_STOP; i++)
        if (strcmp(name, names[i]) == 0) mode = i;
    const char *record = setting("TORTURE_RECORD");
    if (record)
        record_file = (int)syscall(SYS_openat, AT_FDCWD, record,
                                   O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    // Only this process is meant, not those that it starts.
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void write_count(void) {
    if (!*count_path) return;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&calls));
    long file = syscall(SYS_openat, AT_FDCWD, count_path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (file < 0) return;
    syscall(SYS_write, file, text, (size_t)length);
    syscall(SYS_close, file);
}

// MARK: - Deciding

static int is_ours(const char *path) {
    return prefix_length && path && strncmp(path, prefix, prefix_length) == 0;
}

static uint64_t file_of(int descriptor) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return 0;
    return atomic_load(&watched[descriptor]);
}

static enum verdict decide(const char *operation) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, ",%s,", operation);
    if (!*operations || !strstr(operations, wanted)) return GO_ON;
    long call = atomic_fetch_add(&calls, 1) + 1;
    if (mode == MODE_NONE || fault_call < 1 || call < fault_call) return GO_ON;
    if (call > fault_call && mode != MODE_STICKY) return GO_ON;
    if (*release_path && syscall(SYS_faccessat, AT_FDCWD, release_path, F_OK) == 0) return GO_ON;
    if (mode == MODE_KILL) kill(getpid(), SIGKILL);
    if (mode == MODE_STOP) {
        // The signal goes to the whole process; this thread may get some way before it arrives, so
        // it waits here.
        kill(getpid(), SIGSTOP);
        return GO_ON;
    }
    if (mode == MODE_SHORT) return strcmp(operation, "write") == 0 ? CUT : GO_ON;
    errno = fault_error;
    return FAIL;
}

static size_t cut(size_t count) { return count > 1 ? count / 2 : count; }

// MARK: - Recording

// A record is 32 bytes, then the first path or the bytes, then the second path. All numbers are in
// the machine's order.
struct record {
    uint8_t kind;
    uint8_t unused[3];
    uint32_t first_length;
    uint32_t second_length;
    uint32_t unused_too;
    uint64_t file;
    int64_t position;
};

static void record(char kind, uint64_t file, int64_t position, const void *first,
                   size_t first_length, const char *second) {
    if (record_file < 0) return;
    struct record head = {.kind = (uint8_t)kind, .file = file, .position = position,
                          .first_length = (uint32_t)first_length,
                          .second_length = second ? (uint32_t)strlen(second) : 0};
    struct iovec parts[3] = {{&head, sizeof head}, {(void *)first, first_length},
                             {(void *)second, head.second_length}};
    // One call with O_APPEND, so that records of two threads do not mix.
    syscall(SYS_writev, (long)record_file, parts, 3L);
}

static void record_path(char kind, uint64_t file, const char *first, const char *second) {
    record(kind, file, 0, first, first ? strlen(first) : 0, second);
}

static void record_written(int descriptor, uint64_t file, int64_t position, const void *bytes,
                           ssize_t count) {
    if (record_file < 0 || count <= 0) return;
    record('W', file, position, bytes, (size_t)count, NULL);
    long flags = syscall(SYS_fcntl, (long)descriptor, F_GETFL, 0L);
    if (flags >= 0 && flags & O_DSYNC) record('S', file, 0, NULL, 0, NULL);
}

// MARK: - Opening and closing

static int open_file(int folder, const char *path, int flags, mode_t permissions) {
    if (!is_ours(path)) return (int)syscall(SYS_openat, (long)folder, path, flags, permissions);
    if (decide("open") == FAIL) return -1;
    int is_new = flags & O_CREAT && syscall(SYS_faccessat, (long)folder, path, F_OK) != 0;
    int descriptor = (int)syscall(SYS_openat, (long)folder, path, flags, permissions);
    if (descriptor < 0) return descriptor;
    struct stat status;
    if (descriptor < DESCRIPTORS && fstat(descriptor, &status) == 0) {
        atomic_store(&watched[descriptor], (uint64_t)status.st_ino);
        if (is_new) record_path('C', status.st_ino, path, NULL);
        if (flags & O_TRUNC && !is_new) record('T', status.st_ino, 0, NULL, 0, NULL);
    }
    return descriptor;
}

#define OPTIONAL_PERMISSIONS(flags, last)                  \
    mode_t permissions = 0;                                \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                 \
        va_list rest;                                      \
        va_start(rest, last);                              \
        permissions = va_arg(rest, mode_t);                \
        va_end(rest);                                      \
    }

int open(const char *path, int flags, ...) {
    OPTIONAL_PERMISSIONS(flags, flags)
    return open_file(AT_FDCWD, path, flags, permissions);
}

int open64(const char *path, int flags, ...) {
    OPTIONAL_PERMISSIONS(flags, flags)
    return open_file(AT_FDCWD, path, flags, permissions);
}

int openat(int folder, const char *path, int flags, ...) {
    OPTIONAL_PERMISSIONS(flags, flags)
    return open_file(folder, path, flags, permissions);
}

int openat64(int folder, const char *path, int flags, ...) {
    OPTIONAL_PERMISSIONS(flags, flags)
    return open_file(folder, path, flags, permissions);
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) atomic_store(&watched[descriptor], 0);
    return (int)syscall(SYS_close, (long)descriptor);
}

// MARK: - Writing

ssize_t write(int descriptor, const void *bytes, size_t count) {
    uint64_t file = file_of(descriptor);
    if (!file) {
        ssize_t written = syscall(SYS_write, (long)descriptor, bytes, count);
        // What a worker says on its output is placed between what it did to its files.
        if (descriptor == STDOUT_FILENO && written > 0)
            record('A', 0, 0, bytes, (size_t)written, NULL);
        return written;
    }
    enum verdict verdict = decide("write");
    if (verdict == FAIL) return -1;
    if (verdict == CUT) count = cut(count);
    int64_t position = syscall(SYS_lseek, (long)descriptor, 0L, SEEK_CUR);
    ssize_t written = syscall(SYS_write, (long)descriptor, bytes, count);
    record_written(descriptor, file, position, bytes, written);
    return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t position) {
    uint64_t file = file_of(descriptor);
    enum verdict verdict = file ? decide("write") : GO_ON;
    if (verdict == FAIL) return -1;
    if (verdict == CUT) count = cut(count);
    ssize_t written = syscall(SYS_pwrite64, (long)descriptor, bytes, count, position);
    if (file) record_written(descriptor, file, position, bytes, written);
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t position) {
    return pwrite64(descriptor, bytes, count, position);
}

static ssize_t write_vector(int descriptor, const struct iovec *parts, int count,
                            int64_t position, int has_position) {
    uint64_t file = file_of(descriptor);
    enum verdict verdict = file ? decide("write") : GO_ON;
    if (verdict == FAIL) return -1;
    struct iovec half;
    if (verdict == CUT && count > 0) {
        half = (struct iovec){parts[0].iov_base, cut(parts[0].iov_len)};
        parts = &half;
        count = 1;
    }
    if (!has_position) position = syscall(SYS_lseek, (long)descriptor, 0L, SEEK_CUR);
    ssize_t written = syscall(SYS_pwritev, (long)descriptor, parts, (long)count, position, 0L);
    if (written > 0 && !has_position)
        syscall(SYS_lseek, (long)descriptor, position + written, SEEK_SET);
    ssize_t rest = written;
    for (int i = 0; file && i < count && rest > 0; i++) {
        ssize_t length = (ssize_t)parts[i].iov_len < rest ? (ssize_t)parts[i].iov_len : rest;
        record_written(descriptor, file, position, parts[i].iov_base, length);
        position += length;
        rest -= length;
    }
    return written;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    // Pipes and terminals have no position.
    if (!file_of(descriptor)) return syscall(SYS_writev, (long)descriptor, parts, (long)count);
    return write_vector(descriptor, parts, count, 0, 0);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int count, off64_t position) {
    return write_vector(descriptor, parts, count, position, 1);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t position) {
    return write_vector(descriptor, parts, count, position, 1);
}

// MARK: - Reading

ssize_t read(int descriptor, void *bytes, size_t count) {
    if (file_of(descriptor) && decide("read") == FAIL) return -1;
    return syscall(SYS_read, (long)descriptor, bytes, count);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t position) {
    if (file_of(descriptor) && decide("read") == FAIL) return -1;
    return syscall(SYS_pread64, (long)descriptor, bytes, count, position);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t position) {
    return pread64(descriptor, bytes, count, position);
}

// What a compiler makes of a read into a buffer whose size it knows.
ssize_t __read_chk(int descriptor, void *bytes, size_t count, size_t size) {
    if (count > size) abort();
    return read(descriptor, bytes, count);
}

ssize_t __pread_chk(int descriptor, void *bytes, size_t count, off_t position, size_t size) {
    if (count > size) abort();
    return pread64(descriptor, bytes, count, position);
}

ssize_t __pread64_chk(int descriptor, void *bytes, size_t count, off64_t position, size_t size) {
    if (count > size) abort();
    return pread64(descriptor, bytes, count, position);
}

ssize_t preadv(int descriptor, const struct iovec *parts, int count, off_t position) {
    if (file_of(descriptor) && decide("read") == FAIL) return -1;
    return syscall(SYS_preadv, (long)descriptor, parts, (long)count, position, 0L);
}

ssize_t preadv64(int descriptor, const struct iovec *parts, int count, off64_t position) {
    return preadv(descriptor, parts, count, position);
}

// MARK: - Syncing and sizes

int fsync(int descriptor) {
    uint64_t file = file_of(descriptor);
    if (file && decide("sync") == FAIL) return -1;
    int result = (int)syscall(SYS_fsync, (long)descriptor);
    if (file && result == 0) record('S', file, 0, NULL, 0, NULL);
    return result;
}

int fdatasync(int descriptor) {
    uint64_t file = file_of(descriptor);
    if (file && decide("sync") == FAIL) return -1;
    int result = (int)syscall(SYS_fdatasync, (long)descriptor);
    if (file && result == 0) record('S', file, 0, NULL, 0, NULL);
    return result;
}

int msync(void *address, size_t count, int flags) {
    if (decide("sync") == FAIL) return -1;
    return (int)syscall(SYS_msync, address, count, (long)flags);
}

int ftruncate64(int descriptor, off64_t size) {
    uint64_t file = file_of(descriptor);
    if (file && decide("truncate") == FAIL) return -1;
    int result = (int)syscall(SYS_ftruncate, (long)descriptor, size);
    if (file && result == 0) record('T', file, size, NULL, 0, NULL);
    return result;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

int fallocate64(int descriptor, int flags, off64_t position, off64_t count) {
    uint64_t file = file_of(descriptor);
    if (file && decide("truncate") == FAIL) return -1;
    int result = (int)syscall(SYS_fallocate, (long)descriptor, (long)flags, position, count);
    struct stat status;
    if (file && result == 0 && fstat(descriptor, &status) == 0)
        record('T', file, status.st_size, NULL, 0, NULL);
    return result;
}

int fallocate(int descriptor, int flags, off_t position, off_t count) {
    return fallocate64(descriptor, flags, position, count);
}

// These return the number of the error.
int posix_fallocate64(int descriptor, off64_t position, off64_t count) {
    int before = errno;
    int result = fallocate64(descriptor, 0, position, count) == 0 ? 0 : errno;
    errno = before;
    return result;
}

int posix_fallocate(int descriptor, off_t position, off_t count) {
    return posix_fallocate64(descriptor, position, count);
}

// MARK: - Names

int unlink(const char *path) {
    if (is_ours(path) && decide("unlink") == FAIL) return -1;
    int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0L);
    if (is_ours(path) && result == 0) record_path('U', 0, path, NULL);
    return result;
}

int unlinkat(int folder, const char *path, int flags) {
    if (is_ours(path) && decide("unlink") == FAIL) return -1;
    int result = (int)syscall(SYS_unlinkat, (long)folder, path, (long)flags);
    if (is_ours(path) && result == 0) record_path('U', 0, path, NULL);
    return result;
}

int rename(const char *from, const char *to) {
    if (is_ours(from) && decide("rename") == FAIL) return -1;
    int result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0L);
    if (is_ours(from) && result == 0) record_path('R', 0, from, to);
    return result;
}

int mkdir(const char *path, mode_t permissions) {
    if (is_ours(path) && decide("open") == FAIL) return -1;
    int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, (long)permissions);
    if (is_ours(path) && result == 0) record_path('M', 0, path, NULL);
    return result;
}

// MARK: - Maps and locks

void *mmap64(void *address, size_t count, int protection, int flags, int descriptor,
             off64_t position) {
    if (descriptor >= 0 && file_of(descriptor) && decide("map") == FAIL) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, count, (long)protection, (long)flags,
                           (long)descriptor, position);
}

void *mmap(void *address, size_t count, int protection, int flags, int descriptor,
           off_t position) {
    return mmap64(address, count, protection, flags, descriptor, position);
}

static int control(int descriptor, int command, void *argument) {
    int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK
        || command == F_OFD_SETLKW;
    uint64_t file = file_of(descriptor);
    if (file && is_lock && decide("lock") == FAIL) return -1;
    int result = (int)syscall(SYS_fcntl, (long)descriptor, (long)command, argument);
    // A copy of a descriptor leads to the same file.
    if (result >= 0 && result < DESCRIPTORS && (command == F_DUPFD || command == F_DUPFD_CLOEXEC))
        atomic_store(&watched[result], file);
    return result;
}

int fcntl(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control(descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control(descriptor, command, argument);
}

#else

// Other systems load libraries by other means; the trials that need faults say so there.
typedef int duramen_torture_faults_are_for_linux;

#endif
