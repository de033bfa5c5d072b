// SPDX-License-Identifier: GPL-2.0
/*
 * machine.c - a library to preload, with which "stat" and "count" count what a test says, on a machine of tests/sysroot, and
 * commands that read rings find in them what it says (machine_rings.c).
 *
 *	MACHINE=DIR     what is read as /, and as /proc: DIR/proc
 *	COUNTS=TEXT     what events count, "EVENT[+IF][@PLACE]=VALUE[,VALUE...][/PERCENT]" with blanks or newlines between
 *	TRACE=1         print how counters are opened, enabled and disabled
 *
 * EVENT is a name below or TYPE:CONFIG in hexadecimal, or * for all; PLACE a CPU or a thread; IF says which of them: k count
 * the kernel too, p are precise, G leave guests out. The last that fits counts. The values come in turn, one for each time
 * that passes; "-": the counter was not running then, PERCENT: it was for so long. Instead of a value, ENUMBER is the errno
 * that it cannot be opened with, "none" as E2; it reads as nothing ("gone"), less than it should ("short") or a part of its
 * group ("torn"). "group=N": no more members. "files=N": no more counters, until the limit of files is raised, which without
 * it is 1024 and nobody's to raise. What is not named counts nothing.
 *
 * The clock moves only where they wait: by as long as it would; for a command's end by half a second, or, with
 * "time=NS[,NS...]" in COUNTS, by these. A command has used what "user=US[,US...]" and "rss=KB[,KB...]" say. TERMINAL=1: the
 * output is one, of the size that is not known; TERMINAL=LINES[,LINES...]x: of so many lines of 80 characters, in turn, one for
 * each time that passes.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMMAND_NS 500000000ull

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} names[] = {
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"stalled-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
};

struct counter counters[MAX_FD];
uint64_t now = 100 * NS_PER_S;
static uint32_t waits;
static int opened;
static rlim_t files = RLIM_INFINITY; /* that may be open */
static const char *machine, *counts;

__attribute__((constructor)) static void begin(void)
{
	machine = getenv("MACHINE");
	counts = getenv("COUNTS");
	counts = counts ? counts : "";
	if (strstr(counts, "files="))
		files = strtoul(strstr(counts, "files=") + strlen("files="), NULL, 10);
	unsetenv("LD_PRELOAD");
}

bool is_event(const char *text, size_t len, const struct perf_event_attr *attr)
{
	unsigned long long type, config;
	size_t i;

	if (*text == '*')
		return true;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == len && !strncmp(text, names[i].name, len))
			return names[i].type == attr->type && names[i].config == attr->config;
	return sscanf(text, "%llx:%llx", &type, &config) == 2 && type == attr->type &&
	       config == attr->config;
}

static bool is_so(char what, const struct perf_event_attr *attr)
{
	return what == 'k'   ? !attr->exclude_kernel
	       : what == 'p' ? attr->precise_ip
			     : attr->exclude_guest;
}

static const char *find_values(const struct perf_event_attr *attr, int pid, int cpu)
{
	const char *found = "0", *at, *value;
	size_t len;
	long place;

	for (at = counts; *at; at += strspn(at, " \n")) {
		len = strcspn(at, "+@= \n");
		value = at + strcspn(at, "= \n");
		place = value[0] && at + strcspn(at, "@") < value
				? strtol(strchr(at, '@') + 1, NULL, 10)
				: -1;
		if (*value == '=' && is_event(at, len, attr) &&
		    (at[len] != '+' || is_so(at[len + 1], attr)) &&
		    (place < 0 || place == cpu || place == pid))
			found = value + 1;
		at = value + strcspn(value, " \n");
	}
	return found;
}

static void trace_open(const struct perf_event_attr *attr, int pid, int cpu, int group)
{
	if (!getenv("TRACE"))
		return;
	dprintf(STDERR_FILENO, "#%d: %x:%llx", opened, attr->type,
		(unsigned long long)attr->config);
	if (pid >= 0)
		dprintf(STDERR_FILENO, " of a task");
	if (cpu >= 0)
		dprintf(STDERR_FILENO, " on CPU %d", cpu);
	if (group >= 0)
		dprintf(STDERR_FILENO, " with #%d", counters[group].number);
	dprintf(STDERR_FILENO, "%s%s%s%s", attr->disabled ? " disabled" : "",
		attr->enable_on_exec ? " exec" : "", attr->inherit ? " inherit" : "",
		attr->exclude_kernel ? " user" : "");
	if (attr->precise_ip || attr->sample_period || attr->sample_type)
		dprintf(STDERR_FILENO, " precise_ip=%u sample_period=%llu sample_type=%llx",
			attr->precise_ip, (unsigned long long)attr->sample_period,
			(unsigned long long)attr->sample_type);
	dprintf(STDERR_FILENO, "\n");
}

static int refusal(int group, const char *values)
{
	const char *most = strstr(counts, "group=");

	if ((rlim_t)opened >= files)
		return EMFILE;
	if (most && group >= 0 && counters[group].nr >= atoi(most + strlen("group=")))
		return EINVAL;
	return !strncmp(values, "none", 4) ? ENOENT : *values == 'E' ? atoi(values + 1) : 0;
}

static int open_counter(const struct perf_event_attr *attr, int pid, int cpu, int group)
{
	const char *values = find_values(attr, pid, cpu);
	int fd, code = refusal(group, values);

	if (code) {
		errno = code;
		return -1;
	}
	/* which epoll(7) takes, and of which it never tells anything */
	fd = eventfd(0, EFD_CLOEXEC);
	if (fd < 0 || fd >= MAX_FD)
		abort();
	opened++;
	trace_open(attr, pid, cpu, group);
	counters[fd] = (struct counter){.used = true,
					.values = values,
					.opened = now,
					.waits = waits,
					.grouped = attr->read_format & PERF_FORMAT_GROUP,
					.attr = *attr,
					.cpu = cpu,
					.output = fd,
					.number = opened};
	if (group >= 0)
		counters[group].members[counters[group].nr++] = fd;
	return fd;
}

/* The n-th of "VALUE,...", which begin again after the last. There may be millions of waits. */
static const char *nth_value(const char *values, uint32_t n)
{
	const char *at = values, *end = values + strspn(values, "-0123456789,");
	uint32_t nr = 1;

	for (at = values; at < end; at++)
		nr += *at == ',';
	for (at = values, n %= nr; n; n--)
		at += strcspn(at, ",") + 1;
	return at;
}

static uint64_t value_of(const struct counter *c)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = c->waits; i < waits; i++)
		sum += strtoull(nth_value(c->values, i), NULL, 10);
	return sum;
}

static ssize_t read_counter(int fd, uint64_t *v)
{
	const struct counter *c = &counters[fd];
	const char *percent = strchr(c->values, '/'), *end = c->values + strcspn(c->values, " \n");
	uint64_t enabled = now - c->opened, running = enabled, *at = v;
	int i;

	if (!strncmp(c->values, "gone", 4))
		return 0;
	if (!strncmp(c->values, "short", 5))
		return 3 * sizeof(*v) - 1;
	if (percent && percent < end)
		running = enabled * strtoul(percent + 1, NULL, 10) / 100;
	if (waits > c->waits && *nth_value(c->values, waits - 1) == '-')
		running = 0;
	if (c->grouped)
		*at++ = (uint64_t)c->nr + 1;
	else
		*at++ = value_of(c);
	*at++ = enabled;
	*at++ = running;
	for (i = -1; c->grouped && i < c->nr; i++) {
		*at++ = value_of(i < 0 ? c : &counters[c->members[i]]);
		*at++ = (uint64_t)(i < 0 ? fd : c->members[i]);
	}
	return !strncmp(c->values, "torn", 4) ? (ssize_t)(5 * sizeof(*v)) : (char *)at - (char *)v;
}

long syscall(long number, ...)
{
	long a[6], ret;
	va_list ap;
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open)
		return open_counter((const struct perf_event_attr *)a[0], (int)a[1], (int)a[2],
				    (int)a[3]);
	/* the running kernel is another one */
	if (number == SYS_bpf) {
		errno = EPERM;
		return -1;
	}
	ret = REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	/* threads that are there in DIR/proc alone live for ever */
	return number == SYS_pidfd_open && ret < 0 ? REAL(open)("/dev/null", O_RDONLY | O_CLOEXEC)
						   : ret;
}

int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *rl)
{
	if (resource != RLIMIT_NOFILE)
		return REAL(getrlimit64)(resource, rl);
	*rl = (struct rlimit64){files, files};
	if (files == RLIM_INFINITY)
		*rl = (struct rlimit64){1024, 1024};
	return 0;
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *rl)
{
	if (resource != RLIMIT_NOFILE)
		return REAL(setrlimit64)(resource, rl);
	if (files == RLIM_INFINITY) {
		errno = EPERM;
		return -1;
	}
	files = rl->rlim_cur;
	return 0;
}

static bool terminal_lines(struct winsize *size)
{
	const char *lines = getenv("TERMINAL");

	if (!lines || !strchr(lines, 'x'))
		return false;
	*size = (struct winsize){
		.ws_row = (unsigned short)atoi(nth_value(lines, waits ? waits - 1 : 0)),
		.ws_col = 80};
	return true;
}

int ioctl(int fd, unsigned long request, ...)
{
	void *arg;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == TIOCGWINSZ && terminal_lines(arg))
		return 0;
	if (fd < 0 || fd >= MAX_FD || !counters[fd].used)
		return (int)REAL(syscall)(SYS_ioctl, fd, request, arg);
	if (getenv("TRACE") &&
	    (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE))
		dprintf(STDERR_FILENO, "%s #%d\n",
			request == PERF_EVENT_IOC_ENABLE ? "enable" : "disable",
			counters[fd].number);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)arg = (uint64_t)fd;
	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		counters[fd].output = (int)(intptr_t)arg;
	return 0;
}

ssize_t read(int fd, void *p, size_t size)
{
	return fd >= 0 && fd < MAX_FD && counters[fd].used ? read_counter(fd, p)
							   : REAL(read)(fd, p, size);
}

int close(int fd)
{
	if (fd >= 0 && fd < MAX_FD)
		counters[fd].used = false;
	return REAL(close)(fd);
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return openat64(AT_FDCWD, path, flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
	char name[4096];
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	if (machine && dir == AT_FDCWD && (!strcmp(path, "/") || !strcmp(path, "/proc"))) {
		snprintf(name, sizeof(name), "%s%s", machine, path);
		path = name;
	}
	return REAL(openat64)(dir, path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){(time_t)(now / NS_PER_S), (long)(now % NS_PER_S)};
	return 0;
}

/* What this run has. */
static uint64_t used(const char *what, uint64_t usual)
{
	const char *values = strstr(counts, what);

	return values ? strtoull(nth_value(values + strlen(what), waits - 1), NULL, 10) : usual;
}

int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *limit, const sigset_t *mask)
{
	nfds_t i;

	waits++;
	if (!limit) {
		now += used("time=", COMMAND_NS);
		return REAL(ppoll)(fds, nr, NULL, mask);
	}
	now += (uint64_t)limit->tv_sec * NS_PER_S + (uint64_t)limit->tv_nsec;
	for (i = 0; i < nr; i++)
		fds[i].revents = 0;
	return 0;
}

int epoll_wait(int epoll, struct epoll_event *events, int nr, int timeout)
{
	int got;

	if (timeout <= 0)
		return REAL(epoll_wait)(epoll, events, nr, 0);
	got = REAL(epoll_wait)(epoll, events, nr, 0);
	waits++;
	now += (uint64_t)timeout * NS_PER_MS;
	rings_fill();
	return got;
}

int isatty(int fd)
{
	return getenv("TERMINAL") || REAL(isatty)(fd);
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	pid_t got = REAL(wait4)(pid, status, options, usage);

	if (got > 0 && usage) {
		usage->ru_utime = (struct timeval){0, (suseconds_t)used("user=", 11225)};
		usage->ru_stime = (struct timeval){1, 0};
		usage->ru_maxrss = (long)used("rss=", 1234);
	}
	return got;
}
