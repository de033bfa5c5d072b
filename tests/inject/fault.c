// SPDX-License-Identifier: GPL-2.0
/*
 * fault.c - a library to preload that makes one call of a process fail: tests/inject/faults.sh.
 *
 *	FAULT=CALL:K:ERRNO     the K-th call (from 1) of that function fails with that number; for
 *	                       write, ERRNO 0 is a short write. K 0: none, but they are counted
 *	FAULT_COUNT=FILE       where to write how many calls of CALL there were
 *
 * Children inherit neither, so that only this process is hurt, and what it forks without exec.
 * Functions that glibc knows under two names (open, open64) count as one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char name[32];
static long at, calls;
static int error;
static char count_path[256];
static pid_t self;

__attribute__((constructor)) static void begin(void)
{
	const char *fault = getenv("FAULT"), *count = getenv("FAULT_COUNT");

	self = getpid();
	if (count)
		snprintf(count_path, sizeof(count_path), "%s", count);
	if (!fault || sscanf(fault, "%31[^:]:%ld:%d", name, &at, &error) != 3)
		name[0] = 0;
	unsetenv("FAULT");
	unsetenv("FAULT_COUNT");
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
	FILE *f;

	if (!count_path[0] || getpid() != self)
		return;
	name[0] = 0;
	f = fopen(count_path, "w");
	if (f) {
		fprintf(f, "%ld\n", calls);
		fclose(f);
	}
}

/* Is this the call that fails? */
static int hit(const char *call)
{
	return name[0] && !strcmp(call, name) &&
	       __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) == at;
}

static int fails(const char *call)
{
	if (!hit(call))
		return 0;
	errno = error;
	return 1;
}

#define NEXT(ret, fn, ...) ((ret(*)(__VA_ARGS__))dlsym(RTLD_NEXT, fn))

#define OPEN(fn)                                                                                  \
	int fn(const char *path, int flags, ...)                                                  \
	{                                                                                         \
		va_list ap;                                                                       \
		int mode;                                                                         \
                                                                                                  \
		va_start(ap, flags);                                                              \
		mode = va_arg(ap, int);                                                           \
		va_end(ap);                                                                       \
		return fails("open") ? -1                                                         \
				     : NEXT(int, #fn, const char *, int, ...)(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(fn)                                                                               \
	int fn(int dir, const char *path, int flags, ...)                                        \
	{                                                                                        \
		va_list ap;                                                                      \
		int mode;                                                                        \
                                                                                                 \
		va_start(ap, flags);                                                             \
		mode = va_arg(ap, int);                                                          \
		va_end(ap);                                                                      \
		return fails("open") ? -1                                                        \
				     : NEXT(int, #fn, int, const char *, int, ...)(dir, path,    \
										   flags, mode); \
	}
OPENAT(openat)
OPENAT(openat64)

ssize_t read(int fd, void *buf, size_t n)
{
	return fails("read") ? -1 : NEXT(ssize_t, "read", int, void *, size_t)(fd, buf, n);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	if (fd > 2 && hit("write")) {
		if (!error && n > 1)
			return NEXT(ssize_t, "write", int, const void *, size_t)(fd, buf, n / 2);
		errno = error ? error : ENOSPC;
		return -1;
	}
	return NEXT(ssize_t, "write", int, const void *, size_t)(fd, buf, n);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	if (fd > 2 && hit("write")) {
		if (!error)
			return NEXT(ssize_t, "write", int, const void *, size_t)(fd, v[0].iov_base,
										 v[0].iov_len / 2);
		errno = error;
		return -1;
	}
	return NEXT(ssize_t, "writev", int, const struct iovec *, int)(fd, v, n);
}

#define PWRITE(fn)                                                                           \
	ssize_t fn(int fd, const void *buf, size_t n, off_t to)                              \
	{                                                                                    \
		if (hit("write")) {                                                          \
			if (!error && n > 1)                                                 \
				return NEXT(ssize_t, #fn, int, const void *, size_t,         \
					    off_t)(fd, buf, n / 2, to);                      \
			errno = error ? error : ENOSPC;                                      \
			return -1;                                                           \
		}                                                                            \
		return NEXT(ssize_t, #fn, int, const void *, size_t, off_t)(fd, buf, n, to); \
	}
PWRITE(pwrite)
PWRITE(pwrite64)

#define MMAP(fn)                                                                        \
	void *fn(void *p, size_t n, int prot, int flags, int fd, off_t off)             \
	{                                                                               \
		return fails("mmap") ? MAP_FAILED                                       \
				     : NEXT(void *, #fn, void *, size_t, int, int, int, \
					    off_t)(p, n, prot, flags, fd, off);         \
	}
MMAP(mmap)
MMAP(mmap64)

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fails("ioctl") ? -1 : NEXT(int, "ioctl", int, unsigned long, ...)(fd, request, arg);
}

long syscall(long number, ...)
{
	va_list ap;
	long a[6];
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open && fails("perf_event_open"))
		return -1;
	return NEXT(long, "syscall", long, ...)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int poll(struct pollfd *p, nfds_t n, int ms)
{
	return fails("poll") ? -1 : NEXT(int, "poll", struct pollfd *, nfds_t, int)(p, n, ms);
}

int epoll_wait(int fd, struct epoll_event *e, int n, int ms)
{
	return fails("poll")
		       ? -1
		       : NEXT(int, "epoll_wait", int, struct epoll_event *, int, int)(fd, e, n, ms);
}

int epoll_ctl(int fd, int op, int of, struct epoll_event *e)
{
	return fails("epoll_ctl")
		       ? -1
		       : NEXT(int, "epoll_ctl", int, int, int, struct epoll_event *)(fd, op, of, e);
}

#define FTRUNCATE(fn)                                                               \
	int fn(int fd, off_t n)                                                     \
	{                                                                           \
		return fails("ftruncate") ? -1 : NEXT(int, #fn, int, off_t)(fd, n); \
	}
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

#define FALLOCATE(fn)                                                                       \
	int fn(int fd, int mode, off_t from, off_t n)                                       \
	{                                                                                   \
		return fails("fallocate")                                                   \
			       ? -1                                                         \
			       : NEXT(int, #fn, int, int, off_t, off_t)(fd, mode, from, n); \
	}
FALLOCATE(fallocate)
FALLOCATE(fallocate64)

int rename(const char *from, const char *to)
{
	return fails("rename") ? -1 : NEXT(int, "rename", const char *, const char *)(from, to);
}

pid_t fork(void)
{
	return fails("fork") ? -1 : NEXT(pid_t, "fork", void)();
}

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *arg)
{
	if (hit("pthread_create"))
		return error;
	return NEXT(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *)(t, a, run, arg);
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
	return fails("malloc") ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails("malloc") ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails("malloc") ? NULL : __libc_realloc(p, n);
}
