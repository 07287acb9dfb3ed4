/* A disk that does as it is told, put between the service and the C library (LD_PRELOAD). What it is told stands in the
 * file that DISK_ORDERS names, read at each call:
 *
 *   full          writing finds no room (ENOSPC)
 *   broken        syncing fails (EIO)
 *   full N, broken N, kill N
 *                 the N-th call of both kinds from now on finds no room, fails, or never returns (SIGKILL)
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

/* The error that this call is to meet; 0 is none. */
static int fault(int fd, int writes) {
    const char *orders = getenv("DISK_ORDERS");
    char now[64] = "", word[16] = "";
    long nth = 0;
    int error = 0;
    if (!orders || !concerns(fd)) return 0;
    int file = open(orders, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t length = read(file, now, sizeof now - 1);
    close(file);
    if (length < 0) return 0;
    pthread_mutex_lock(&one_at_a_time);
    if (strcmp(now, last)) {
        strcpy(last, now);
        calls = 0;
    }
    calls++;
    int words = sscanf(now, "%15s %ld", word, &nth);
    if (words == 2 ? calls == nth : words == 1) {
        if (!strcmp(word, "kill")) kill(getpid(), SIGKILL);
        if (!strcmp(word, "full") && (writes || words == 2)) error = ENOSPC;
        if (!strcmp(word, "broken") && (!writes || words == 2)) error = EIO;
    }
    pthread_mutex_unlock(&one_at_a_time);
    return error;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define PASS(name, writes, ...)                                                                                        \
    int error = fault(fd, writes);                                                                                     \
    if (error) {                                                                                                       \
        errno = error;                                                                                                 \
        return -1;                                                                                                     \
    }                                                                                                                  \
    return REAL(name)(__VA_ARGS__)

ssize_t write(int fd, const void *from, size_t size) { PASS(write, 1, fd, from, size); }
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { PASS(pwrite, 1, fd, from, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) { PASS(pwrite64, 1, fd, from, size, at); }
int fsync(int fd) { PASS(fsync, 0, fd); }
int fdatasync(int fd) { PASS(fdatasync, 0, fd); }
