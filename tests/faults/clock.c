/* A machine's clock that jumps, put between the service and the C library (LD_PRELOAD). The file that CLOCK_ORDERS names
 * holds two numbers of seconds, read at each look at the time: how far the wall clock is moved, and how far the clock that
 * counts from the machine's start (which is what a machine does that slept). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void moved(long *wall, long *boot) {
    char text[64] = "";
    const char *orders = getenv("CLOCK_ORDERS");
    int kept = errno, file = orders ? open(orders, O_RDONLY | O_CLOEXEC) : -1;
    *wall = *boot = 0;
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) > 0) sscanf(text, "%ld %ld", wall, boot);
        close(file);
    }
    errno = kept;
}

int clock_gettime(clockid_t id, struct timespec *at) {
    long wall, boot;
    /* Not by way of dlsym, which may ask for memory, and whoever gives memory out may ask for the time. */
    if (syscall(SYS_clock_gettime, id, at) != 0) return -1;
    if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE && id != CLOCK_BOOTTIME) return 0;
    moved(&wall, &boot);
    at->tv_sec += id == CLOCK_BOOTTIME ? boot : wall;
    return 0;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *at) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}
