/* A disk that fails on command, for `tests/faulty_disk.py`: loaded into every process of a command (LD_PRELOAD).
 *
 * Counts what changes files below FAULTY_FOLDER, over all processes, in the eight bytes of FAULTY_COUNTER, and lets the
 * FAULTY_AT-th such call go wrong in the way that FAULTY_KIND says:
 *   full       from there on nothing can be written or made (ENOSPC); what only renames or removes goes on
 *   read_only  from there on nothing can be changed (EROFS)
 *   io_error   that one call fails (EIO)
 *   torn       that call, or the next that writes, writes half and the process is killed
 *   kill       the process is killed before that call
 * With FAULTY_NO_LOCKS the disk has no locks (ENOLCK), as some network folders.
 * FAULTY_CLOCK_S is added to the system's clock, not to the monotonic one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, FULL, READ_ONLY, IO_ERROR, TORN, KILL };
enum call { WRITES, MAKES, FLUSHES, MOVES };

static const char *folder;
static size_t folder_length;
static uint64_t *counter, own_counter, fault_at;
static enum kind fault;
static long clock_s;

__attribute__((constructor)) static void read_settings(void) {
    const char *kinds[] = {"", "full", "read_only", "io_error", "torn", "kill"};
    const char *kind = getenv("FAULTY_KIND"), *at = getenv("FAULTY_AT"), *path = getenv("FAULTY_COUNTER");
    const char *seconds = getenv("FAULTY_CLOCK_S");
    if (seconds) clock_s = atol(seconds);
    counter = &own_counter;
    if (path) {
        int file = open(path, O_RDWR | O_CLOEXEC);
        if (file >= 0) {
            void *shared = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            if (shared != MAP_FAILED) counter = shared;
            close(file);
        }
    }
    for (int number = 1; kind && number < 6; number++)
        if (!strcmp(kind, kinds[number])) fault = number;
    fault_at = at ? strtoull(at, NULL, 10) : 0;
    if ((folder = getenv("FAULTY_FOLDER"))) folder_length = strlen(folder);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_below(const char *path) {
    return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

static int concerns(int at, const char *path) {
    char whole[PATH_MAX], link[64];
    if (!folder || !path) return 0;
    if (path[0] == '/') return is_below(path);
    if (at == AT_FDCWD) {
        if (!getcwd(whole, sizeof whole)) return 0;
        return is_below(whole);
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length < 0) return 0;
    whole[length] = 0;
    return is_below(whole);
}

static int file_concerns(int file) {
    char whole[PATH_MAX], link[64];
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length < 0) return 0;
    whole[length] = 0;
    return is_below(whole);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    pause();
}

/* Count a call; return what it fails with, 0 where it goes on, -1 where it is to write half and die. */
static int verdict(enum call call) {
    uint64_t number = __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
    if (!fault || number < fault_at) return 0;
    switch (fault) {
    case FULL: return call == WRITES || call == MAKES ? ENOSPC : 0;
    case READ_ONLY: return EROFS;
    case IO_ERROR: return number == fault_at ? EIO : 0;
    case TORN: return call == WRITES ? -1 : 0;
    case KILL:
        if (number == fault_at) die();
        return 0;
    default: return 0;
    }
}

#define FAIL_IF(concerned, call)                                                                                       \
    do {                                                                                                               \
        int saved = errno, failed = (concerned) ? verdict(call) : 0;                                                   \
        if (failed > 0) { errno = failed; return -1; }                                                                 \
        errno = saved;                                                                                                 \
    } while (0)

static int changes(int at, const char *path, int flags) {
    struct stat state;
    if ((flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC))) return 0;
    if (!concerns(at, path)) return 0;
    return (flags & O_CREAT) && fstatat(at, path, &state, 0) != 0 ? 2 : 1;
}

#define OPENS(at, path, flags)                                                                                         \
    do {                                                                                                               \
        int how = changes(at, path, flags);                                                                            \
        FAIL_IF(how, how == 2 ? MAKES : FLUSHES);                                                                      \
    } while (0)

#define MODE(flags) ({ mode_t mode = 0; if ((flags) & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags);    \
    mode = va_arg(more, mode_t); va_end(more); } mode; })

int open(const char *path, int flags, ...) {
    mode_t mode = MODE(flags);
    OPENS(AT_FDCWD, path, flags);
    return REAL(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    mode_t mode = MODE(flags);
    OPENS(AT_FDCWD, path, flags);
    return REAL(open64)(path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    mode_t mode = MODE(flags);
    OPENS(at, path, flags);
    return REAL(openat)(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    mode_t mode = MODE(flags);
    OPENS(at, path, flags);
    return REAL(openat64)(at, path, flags, mode);
}

ssize_t write(int file, const void *bytes, size_t size) {
    if (file_concerns(file)) {
        int failed = verdict(WRITES);
        if (failed < 0) { REAL(write)(file, bytes, size / 2); die(); }
        if (failed) { errno = failed; return -1; }
    }
    return REAL(write)(file, bytes, size);
}
static ssize_t at_place(ssize_t (*real)(int, const void *, size_t, off_t), int file, const void *bytes, size_t size,
                        off_t place) {
    if (file_concerns(file)) {
        int failed = verdict(WRITES);
        if (failed < 0) { real(file, bytes, size / 2, place); die(); }
        if (failed) { errno = failed; return -1; }
    }
    return real(file, bytes, size, place);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t place) {
    return at_place(REAL(pwrite), file, bytes, size, place);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t place) {
    return at_place(REAL(pwrite64), file, bytes, size, place);
}
ssize_t writev(int file, const struct iovec *parts, int count) {
    FAIL_IF(file_concerns(file), WRITES);
    return REAL(writev)(file, parts, count);
}
ssize_t sendfile(int to, int from, off_t *place, size_t size) {
    FAIL_IF(file_concerns(to), WRITES);
    return ((ssize_t(*)(int, int, off_t *, size_t))dlsym(RTLD_NEXT, "sendfile"))(to, from, place, size);
}
ssize_t copy_file_range(int from, off_t *begin, int to, off_t *place, size_t size, unsigned flags) {
    FAIL_IF(file_concerns(to), WRITES);
    return REAL(copy_file_range)(from, begin, to, place, size, flags);
}
int ftruncate(int file, off_t size) {
    FAIL_IF(file_concerns(file), FLUSHES);
    return REAL(ftruncate)(file, size);
}
int ftruncate64(int file, off_t size) {
    FAIL_IF(file_concerns(file), FLUSHES);
    return REAL(ftruncate64)(file, size);
}
int fsync(int file) {
    FAIL_IF(file_concerns(file), FLUSHES);
    return REAL(fsync)(file);
}
int fdatasync(int file) {
    FAIL_IF(file_concerns(file), FLUSHES);
    return REAL(fdatasync)(file);
}
int rename(const char *from, const char *to) {
    FAIL_IF(concerns(AT_FDCWD, to), MOVES);
    return REAL(rename)(from, to);
}
int renameat(int at, const char *from, int there, const char *to) {
    FAIL_IF(concerns(there, to), MOVES);
    return REAL(renameat)(at, from, there, to);
}
int unlink(const char *path) {
    FAIL_IF(concerns(AT_FDCWD, path), MOVES);
    return REAL(unlink)(path);
}
int unlinkat(int at, const char *path, int flags) {
    FAIL_IF(concerns(at, path), MOVES);
    return REAL(unlinkat)(at, path, flags);
}
int mkdir(const char *path, mode_t mode) {
    struct stat state;
    FAIL_IF(concerns(AT_FDCWD, path) && stat(path, &state) != 0, MAKES);
    return REAL(mkdir)(path, mode);
}
int mkdirat(int at, const char *path, mode_t mode) {
    FAIL_IF(concerns(at, path), MAKES);
    return REAL(mkdirat)(at, path, mode);
}

static int has_no_locks(int file) { return getenv("FAULTY_NO_LOCKS") && file_concerns(file); }

int flock(int file, int how) {
    if (has_no_locks(file)) { errno = ENOLCK; return -1; }
    return REAL(flock)(file, how);
}
#define CONTROLS(name)                                                                                                 \
    int name(int file, int command, ...) {                                                                             \
        va_list more;                                                                                                  \
        va_start(more, command);                                                                                       \
        void *argument = va_arg(more, void *);                                                                         \
        va_end(more);                                                                                                  \
        if ((command == F_SETLK || command == F_SETLKW) && has_no_locks(file)) { errno = ENOLCK; return -1; }          \
        return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, #name))(file, command, argument);                            \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = REAL(clock_gettime)(which, now);
    if (!done && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += clock_s;
    return done;
}
time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}
