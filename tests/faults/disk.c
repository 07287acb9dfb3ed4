/* A disk that does as it is told, put between the service and the C library (LD_PRELOAD). What it is told stands in the
 * file that DISK_ORDERS names, read at each call:
 *
 *   full          writing finds no room (ENOSPC)
 *   broken        syncing fails (EIO)
 *   full N, broken N, kill N
 *                 the N-th call that writes or syncs from now on finds no room, fails, or never returns (SIGKILL)
 *   ERROR CALLS   all calls of a kind fail: ERROR is EIO, ENOSPC, EDQUOT, EFBIG, ENOMEM or EINTR; CALLS is read, write, sync or any
 *   ERROR CALLS N the N-th of them from now on fails
 *   hang CALLS    they do not return until it is told something else
 *
 * Only files whose names hold "world.db" are concerned, and of these not the index of the log, which is memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum kind { READS = 1, WRITES = 2, SYNCS = 4 };

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static char last[64];
static long calls;

static int concerns(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, "world.db") && !strstr(path, "-shm");
}

static int error_of(const char *word) {
    static const struct { const char *name; int error; } known[] = {
        {"full", ENOSPC}, {"broken", EIO}, {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT},
        {"EFBIG", EFBIG}, {"ENOMEM", ENOMEM}, {"EINTR", EINTR},
    };
    for (size_t at = 0; at < sizeof known / sizeof *known; at++) {
        if (!strcmp(known[at].name, word)) return known[at].error;
    }
    return 0;
}

/* The calls that an order is about. */
static int kinds_of(const char *word, const char *calls, int counted) {
    if (*calls) return !strcmp(calls, "read") ? READS : !strcmp(calls, "write") ? WRITES : !strcmp(calls, "sync") ? SYNCS : ~0;
    if (counted) return WRITES | SYNCS;
    return !strcmp(word, "full") ? WRITES : SYNCS;
}

static int read_orders(char now[64]) {
    const char *orders = getenv("DISK_ORDERS");
    memset(now, 0, 64);
    if (!orders) return 0;
    int file = open(orders, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = REAL(read)(file, now, 63);
    close(file);
    return length > 0;
}

/* The error that this call is to meet; 0 is none. */
static int fault(int fd, enum kind kind) {
    char now[64], word[16] = "", about[16] = "";
    long nth = 0;
    int error = 0, hangs = 0;
    if (!getenv("DISK_ORDERS") || !concerns(fd)) return 0;
    int kept = errno;
    if (!read_orders(now)) memset(now, 0, sizeof now);
    pthread_mutex_lock(&one_at_a_time);
    if (strcmp(now, last)) {
        strcpy(last, now);
        calls = 0;
    }
    if (sscanf(now, "%15s %ld", word, &nth) < 2) sscanf(now, "%15s %15s %ld", word, about, &nth);
    if (*word && (kinds_of(word, about, nth > 0) & kind)) {
        calls++;
        if (nth == 0 || calls == nth) {
            if (!strcmp(word, "kill")) kill(getpid(), SIGKILL);
            hangs = !strcmp(word, "hang");
            error = error_of(word);
        }
    }
    pthread_mutex_unlock(&one_at_a_time);
    while (hangs) {
        char later[64];
        usleep(20000);
        read_orders(later);
        hangs = !strcmp(later, now);
    }
    errno = kept;
    return error;
}

#define PASS(name, kind, ...)                                                                                          \
    int error = fault(fd, kind);                                                                                       \
    if (error) {                                                                                                       \
        errno = error;                                                                                                 \
        return -1;                                                                                                     \
    }                                                                                                                  \
    return REAL(name)(__VA_ARGS__)

ssize_t read(int fd, void *to, size_t size) { PASS(read, READS, fd, to, size); }
ssize_t pread(int fd, void *to, size_t size, off_t at) { PASS(pread, READS, fd, to, size, at); }
ssize_t pread64(int fd, void *to, size_t size, off64_t at) { PASS(pread64, READS, fd, to, size, at); }
ssize_t write(int fd, const void *from, size_t size) { PASS(write, WRITES, fd, from, size); }
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { PASS(pwrite, WRITES, fd, from, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) { PASS(pwrite64, WRITES, fd, from, size, at); }
int fsync(int fd) { PASS(fsync, SYNCS, fd); }
int fdatasync(int fd) { PASS(fdatasync, SYNCS, fd); }
