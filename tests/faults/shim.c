/* Stands between a database and its system (LD_PRELOAD), so that a test can cut the power, fill the disk, set the clock.

   OVERSEER_SYNCED   a file: a line "device inode size" for each fsync and fdatasync that has returned
   OVERSEER_WEATHER  a file of two 64-bit numbers, mapped: microseconds to add to the time of day; bytes that still fit
                     on the disk (-1: any number) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *weather;
static int synced = -1;
static int (*real_fsync)(int), (*real_fdatasync)(int);
static int (*real_gettimeofday)(struct timeval *, void *), (*real_clock_gettime)(clockid_t, struct timespec *);
static ssize_t (*real_write)(int, const void *, size_t);

__attribute__((constructor)) static void begin(void) {
    real_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    real_gettimeofday = (int (*)(struct timeval *, void *))dlsym(RTLD_NEXT, "gettimeofday");
    real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    real_write = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    const char *path = getenv("OVERSEER_SYNCED");
    if (path) synced = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    path = getenv("OVERSEER_WEATHER");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd >= 0) {
        void *found = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (found != MAP_FAILED) weather = found;
        close(fd);
    }
}

static int64_t size_of(int fd, struct stat *found) {
    return fstat(fd, found) == 0 && S_ISREG(found->st_mode) ? (int64_t)found->st_size : -1;
}

/* What was written before the call began is safe when it returns; not what came while it ran. */
static int sync_with(int (*real)(int), int fd) {
    struct stat found;
    int64_t size = synced >= 0 ? size_of(fd, &found) : -1;
    int result = real(fd);
    if (result == 0 && size >= 0) {
        char line[96];
        int length = snprintf(line, sizeof line, "%llu %llu %lld\n", (unsigned long long)found.st_dev,
                              (unsigned long long)found.st_ino, (long long)size);
        if (real_write(synced, line, (size_t)length) != length) abort();
    }
    return result;
}

int fsync(int fd) { return sync_with(real_fsync, fd); }
int fdatasync(int fd) { return sync_with(real_fdatasync, fd); }

ssize_t write(int fd, const void *bytes, size_t count) {
    struct stat found;
    if (weather && weather[1] >= 0 && fd > 2 && fd != synced && size_of(fd, &found) >= 0) {
        int64_t room = weather[1];
        if (room == 0) {
            errno = ENOSPC;
            return -1;
        }
        if ((int64_t)count > room) count = (size_t)room;
        ssize_t written = real_write(fd, bytes, count);
        if (written > 0) weather[1] = room - written;
        return written;
    }
    return real_write(fd, bytes, count);
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int result = real_gettimeofday(now, zone);
    if (result == 0 && weather && weather[0]) {
        int64_t micros = (int64_t)now->tv_sec * 1000000 + now->tv_usec + weather[0];
        now->tv_sec = micros / 1000000;
        now->tv_usec = micros % 1000000;
    }
    return result;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = real_clock_gettime(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME && weather && weather[0]) {
        int64_t micros = (int64_t)now->tv_sec * 1000000 + now->tv_nsec / 1000 + weather[0];
        now->tv_sec = micros / 1000000;
        now->tv_nsec = (micros % 1000000) * 1000 + now->tv_nsec % 1000;
    }
    return result;
}
