// SPDX-License-Identifier: GPL-2.0
/*
 * late.c - for LD_PRELOAD: the recorder waits where a busy machine could let it wait. LATE_MS=N: so long before
 * the first event is enabled after it has asked for its priority, which is when a recording begins.
 */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int begins;

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	int (*next)(pid_t, int, const struct sched_param *) =
		dlsym(RTLD_NEXT, "sched_setscheduler");

	begins = 1;
	return next(pid, policy, param);
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
	const char *ms = getenv("LATE_MS");
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (begins && request == PERF_EVENT_IOC_ENABLE) {
		begins = 0;
		usleep(ms ? (useconds_t)atoi(ms) * 1000 : 0);
	}
	return next(fd, request, arg);
}
