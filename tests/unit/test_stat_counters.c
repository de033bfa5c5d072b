// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a kernel that the test makes up: every errno of perf_event_open(2) and of read(2),
 * groups, gates, PMUs that count for packages.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/event/ev_parse.h"
#include "util/stat/stat_counters.h"

#define FIRST_FD 1000
#define MAX_FDS  256

/* What is open in the made-up kernel. */
struct fake_fd {
	struct perf_event_attr attr;
	pid_t tid;
	int cpu, group;
	bool open, on;
	u64 value;
};

/* Refuse what this says; 0: it opens. */
typedef int (*refusal)(const struct perf_event_attr *attr, pid_t tid, int cpu, int group);

static struct fake {
	struct fake_fd fds[MAX_FDS];
	int nr, opens, enables;
	refusal refuse;
	int code; /* for a refusal that knows no more */
	int read_errno, read_len;
} fake;

static int fake_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group,
		     unsigned long flags)
{
	int code = fake.refuse ? fake.refuse(attr, tid, cpu, group) : 0;

	fake.opens++;
	assert_true(flags & PERF_FLAG_FD_CLOEXEC);
	if (!code && fake.nr == MAX_FDS)
		code = EMFILE;
	if (code) {
		errno = code;
		return -1;
	}
	fake.fds[fake.nr] = (struct fake_fd){*attr, tid, cpu, group, true, !attr->disabled, 0};
	fake.fds[fake.nr].value = 100 + (u64)fake.nr;
	return FIRST_FD + fake.nr++;
}

static struct fake_fd *fd_of(int fd)
{
	assert_in_range(fd, FIRST_FD, FIRST_FD + fake.nr - 1);
	return &fake.fds[fd - FIRST_FD];
}

/* Groups as the kernel has them: the leader, then its members in the order of opening. */
static size_t fake_read_group(int fd, u64 *v)
{
	size_t n = 3;
	int i;

	v[0] = 0;
	v[1] = 50;
	v[2] = 25;
	for (i = 0; i < fake.nr; i++)
		if (fake.fds[i].open && (FIRST_FD + i == fd || fake.fds[i].group == fd)) {
			v[n++] = fake.fds[i].value;
			v[n++] = 7000 + (u64)i;
			v[0]++;
		}
	return n * sizeof(*v);
}

static ssize_t fake_read(int fd, void *p, size_t len)
{
	struct fake_fd *f = fd_of(fd);
	u64 v[64] = {f->value, 50, 50};
	size_t size = 3 * sizeof(*v);

	if (fake.read_errno) {
		errno = fake.read_errno;
		return -1;
	}
	if (f->attr.read_format & PERF_FORMAT_GROUP)
		size = fake_read_group(fd, v);
	if (size > len) {
		errno = ENOSPC;
		return -1;
	}
	if (fake.read_len >= 0)
		size = MIN(size, (size_t)fake.read_len);
	memcpy(p, v, size);
	return (ssize_t)size;
}

static int fake_ioctl(int fd, unsigned long request, void *arg)
{
	struct fake_fd *f = fd_of(fd);
	u64 id = 7000 + (u64)(fd - FIRST_FD);

	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
		fake.enables++;
		f->on = true;
		return 0;
	case PERF_EVENT_IOC_DISABLE:
		f->on = false;
		return 0;
	case PERF_EVENT_IOC_ID:
		memcpy(arg, &id, sizeof(id));
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

static int fake_close(int fd)
{
	/* a cgroup's folder is a real one */
	if (fd < FIRST_FD)
		return close(fd);
	assert_true(fd_of(fd)->open);
	fd_of(fd)->open = false;
	return 0;
}

static const struct stat_calls calls = {fake_open, fake_read, fake_ioctl, fake_close};

static int nr_open(void)
{
	int i, nr = 0;

	for (i = 0; i < fake.nr; i++)
		nr += fake.fds[i].open;
	return nr;
}

/* --- what is counted --- */

struct fixture {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	struct stat_counters counters;
	struct stat_counters_options options;
	struct buf notes;
	struct err err;
};

static void begin(struct fixture *f, const char *root, const char *events)
{
	*f = (struct fixture){0};
	fake = (struct fake){.read_len = -1};
	assert_int_equal(sysroot_open(&f->root, root, &f->err), 0);
	f->env.root = &f->root;
	f->options = (struct stat_counters_options){.root = &f->root, .calls = &calls};
	if (ev_parse(&f->list, events, &f->env, &f->err))
		fail_msg("%s", f->err.msg);
}

static void end(struct fixture *f)
{
	stat_counters_free(&f->counters);
	assert_int_equal(nr_open(), 0);
	ev_list_free(&f->list);
	ev_env_close(&f->env);
	buf_free(&f->notes);
	sysroot_close(&f->root);
}

static const struct stat_place everybody = {.tid = -1};
static const u32 two_cpus[] = {0, 1};
static const struct stat_target command = {.command = 77};
static const struct stat_target on_two = {
	.cpus = two_cpus,
	.nr_cpus = 2,
	.threads = &everybody,
	.nr_threads = 1,
};

static int open_all(struct fixture *f, const struct stat_target *t)
{
	int ret = stat_counters_init(&f->counters, &f->list, &f->options, &f->notes, &f->err);

	return ret ? ret : stat_counters_open(&f->counters, t, &f->err);
}

static void read_all(struct fixture *f, struct stat_reading *r)
{
	assert_int_equal(stat_reading_init(r, &f->counters.shape, &f->err), 0);
	stat_counters_read(&f->counters, r);
}

static const struct stat_event *event(const struct fixture *f, u32 i)
{
	return &f->counters.shape.events[i];
}

/* --- errno --- */

static int refuse_all(const struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	(void)attr, (void)tid, (void)cpu, (void)group;
	return fake.code;
}

static int refuse_cycles(const struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	(void)tid, (void)cpu, (void)group;
	return attr->type == PERF_TYPE_HARDWARE ? fake.code : 0;
}

/* A machine on which this process may do all, or what everybody may. */
static void make_root(char folder[static 64], const char *capabilities, int paranoid)
{
	char path[160];
	FILE *out;

	made_folder(folder);
	snprintf(path, sizeof(path), "mkdir -p %s/proc/self %s/proc/sys/kernel", folder, folder);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/proc/self/status", folder);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "Name:\tx\nCapEff:\t%s\nSeccomp:\t0\n", capabilities);
	fclose(out);
	snprintf(path, sizeof(path), "%s/proc/sys/kernel/perf_event_paranoid", folder);
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out, "%d\n", paranoid);
	fclose(out);
}

#define ALL_CAPABILITIES "000001ffffffffff"
#define NO_CAPABILITIES  "0000000000000000"

/* Not here: cycles are not supported, cs is counted all the same. */
static void not_here(void **state)
{
	static const int codes[] = {ENOENT, ENODEV, ENXIO, EOPNOTSUPP, EINVAL};
	struct stat_reading r;
	struct fixture f;
	char root[64];
	size_t i;

	(void)state;
	make_root(root, ALL_CAPABILITIES, 2);
	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		begin(&f, root, "cycles,cs");
		fake.refuse = refuse_cycles;
		fake.code = codes[i];
		assert_int_equal(open_all(&f, &on_two), 0);
		assert_int_equal(event(&f, 0)->state, STAT_NOT_SUPPORTED);
		assert_int_equal(event(&f, 0)->code, codes[i]);
		assert_non_null(strstr(event(&f, 0)->reason, strerror(codes[i])));
		assert_int_equal(event(&f, 1)->state, STAT_COUNTED);
		assert_string_equal(event(&f, 1)->reason, "");
		read_all(&f, &r);
		assert_false(r.valid[0]);
		assert_int_equal(stat_reading_state(&r, 0, 1), STAT_NOT_SUPPORTED);
		assert_int_equal(stat_reading_state(&r, 1, 1), STAT_COUNTED);
		stat_reading_free(&r);
		end(&f);
	}
	made_folder_gone(root);
}

/* All other refusals end it, with a message that says what to do. */
static void forbidden(void **state)
{
	static const struct {
		int code;
		const char *capabilities, *events, *message, *hint;
	} cases[] = {
		{EACCES, ALL_CAPABILITIES, "cs", "Access to performance monitoring", "dmesg"},
		{EPERM, ALL_CAPABILITIES, "cs", "Access to performance monitoring", "dmesg"},
		{EACCES, NO_CAPABILITIES, "cs:u", "paranoid", "sudo"},
		{EPERM, NO_CAPABILITIES, "cs:k", "paranoid", "sudo"},
		{EMFILE, ALL_CAPABILITIES, "cs", "too many open files", "ulimit -n"},
		{ENFILE, ALL_CAPABILITIES, "cs", "too many open files", "fs.file-max"},
		{EBUSY, ALL_CAPABILITIES, "cs", "another program", "nmi_watchdog"},
		{ENOSPC, ALL_CAPABILITIES, "mem:4096:x", "no debug register", "fewer breakpoints"},
		{ENOSYS, ALL_CAPABILITIES, "cs", "CONFIG_PERF_EVENTS", "container"},
		{ENOMEM, ALL_CAPABILITIES, "cs", "memory", ""},
		{E2BIG, ALL_CAPABILITIES, "cs", "unexpected error", ""},
		{EFAULT, ALL_CAPABILITIES, "cs", "unexpected error", ""},
		{EIO, ALL_CAPABILITIES, "cs", "unexpected error", ""},
		{ESRCH, ALL_CAPABILITIES, "cs", "unexpected error", ""}, /* of everybody */
		{EOVERFLOW, ALL_CAPABILITIES, "cs", "unexpected error", ""},
	};
	struct fixture f;
	char root[64];
	size_t i;
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		make_root(root, cases[i].capabilities, 2);
		begin(&f, root, cases[i].events);
		fake.refuse = refuse_all;
		fake.code = cases[i].code;
		ret = open_all(&f, &on_two);
		if (ret != -cases[i].code || !strstr(f.err.msg, cases[i].message) ||
		    !strstr(f.err.hint, cases[i].hint))
			fail_msg("%d: %d, %s; hint: %s", cases[i].code, ret, f.err.msg, f.err.hint);
		end(&f);
		made_folder_gone(root);
	}
}

/* A signal in between is nothing; a thread that has ended is not counted. */
static int interrupted(const struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	(void)attr, (void)cpu, (void)group;
	return fake.opens % 2 == 0 ? EINTR : tid == 12 ? ESRCH : 0;
}

static void threads_that_end(void **state)
{
	static const struct stat_place threads[] = {{.tid = 11}, {.tid = 12}};
	const struct stat_target t = {.threads = threads, .nr_threads = 2};
	struct stat_reading r;
	struct fixture f;

	(void)state;
	begin(&f, "/", "cs");
	fake.refuse = interrupted;
	assert_int_equal(open_all(&f, &t), 0);
	assert_int_equal(f.counters.gone, 1);
	read_all(&f, &r);
	assert_true(r.valid[0]);
	assert_int_equal(r.counts[0].value, 100);
	assert_int_equal(stat_reading_state(&r, 0, 1), STAT_NOT_COUNTED);
	stat_reading_free(&r);
	end(&f);

	begin(&f, "/", "cs");
	fake.refuse = refuse_all;
	fake.code = ESRCH;
	assert_int_equal(open_all(&f, &t), 0);
	assert_int_equal(event(&f, 0)->state, STAT_NOT_COUNTED);
	assert_non_null(strstr(event(&f, 0)->reason, "ended"));
	end(&f);
}

static int refuse_kernel(const struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	(void)tid, (void)cpu, (void)group;
	return attr->exclude_kernel ? 0 : EACCES;
}

/* What everybody may count is counted, and named so. */
static void user_only(void **state)
{
	struct fixture f;
	char root[64];

	(void)state;
	make_root(root, NO_CAPABILITIES, 2);
	begin(&f, root, "cycles,branches:G,cs:u");
	fake.refuse = refuse_kernel;
	assert_int_equal(open_all(&f, &command), 0);
	assert_string_equal(event(&f, 0)->name, "cycles:u");
	assert_true(event(&f, 0)->attr.exclude_kernel && event(&f, 0)->attr.exclude_hv);
	assert_string_equal(event(&f, 1)->name, "branches:Gu");
	assert_string_equal(event(&f, 2)->name, "cs:u");
	assert_non_null(strstr(buf_str(&f.notes), "counting user code only"));
	assert_null(strstr(buf_str(&f.notes), "cs"));
	end(&f);
	made_folder_gone(root);
}

static int refuse_precise(const struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	(void)tid, (void)cpu, (void)group;
	return attr->precise_ip || attr->exclude_guest ? EINVAL : 0;
}

static void given_up(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "/", "cycles:pp");
	fake.refuse = refuse_precise;
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(event(&f, 0)->attr.precise_ip, 0);
	assert_int_equal(fake.opens, 4);
	end(&f);

	/* guests were named: then it is not opened for the host as well */
	begin(&f, "/", "cycles:H");
	fake.refuse = refuse_precise;
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(event(&f, 0)->state, STAT_NOT_SUPPORTED);
	end(&f);
}

/* --- attrs --- */

static void attrs(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "/", "cs,cycles/period=1000/");
	f.options.inherit = f.options.enable_on_exec = f.options.all_user = true;
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(fake.fds[0].tid, 77);
	assert_int_equal(fake.fds[0].cpu, -1);
	assert_true(fake.fds[0].attr.inherit && fake.fds[0].attr.enable_on_exec);
	assert_true(fake.fds[0].attr.disabled && fake.fds[0].attr.exclude_kernel);
	assert_int_equal(fake.fds[1].attr.sample_period, 0);
	assert_int_equal(fake.fds[1].attr.sample_type, 0);
	end(&f);
}

/* --- groups --- */

static void groups(void **state)
{
	struct stat_reading r;
	struct fixture f;

	(void)state;
	begin(&f, "/", "{cs,faults},{migrations,cs},task-clock");
	f.options.enable_on_exec = true;
	assert_int_equal(open_all(&f, &on_two), 0);
	/* by event, then by CPU */
	assert_int_equal(fake.fds[0].group, -1);
	assert_int_equal(fake.fds[2].group, FIRST_FD);
	assert_int_equal(fake.fds[3].group, FIRST_FD + 1);
	assert_true(fake.fds[0].attr.disabled && fake.fds[0].attr.enable_on_exec);
	assert_false(fake.fds[2].attr.disabled || fake.fds[2].attr.enable_on_exec);
	assert_int_equal(fake.fds[6].group, FIRST_FD + 4);
	assert_false(fake.fds[8].attr.read_format & PERF_FORMAT_GROUP);
	assert_int_equal(stat_counters_enable(&f.counters, ID_NONE, &f.err), 0);
	assert_int_equal(fake.enables, 6);
	read_all(&f, &r);
	assert_int_equal(r.counts[stat_index(r.shape, 1, 1)].value, 103);
	assert_int_equal(r.counts[stat_index(r.shape, 3, 0)].value, 106);
	assert_int_equal(r.counts[stat_index(r.shape, 3, 0)].running, 25);
	assert_int_equal(r.counts[stat_index(r.shape, 4, 1)].value, 109);
	stat_reading_free(&r);
	stat_counters_disable(&f.counters, 3);
	assert_true(fake.fds[0].on && !fake.fds[4].on && !fake.fds[5].on && fake.fds[8].on);
	end(&f);
}

/* The leader cannot be opened: the next one leads. */
static void leader_missing(void **state)
{
	struct stat_reading r;
	struct fixture f;

	(void)state;
	begin(&f, "/", "{cycles,cs,faults}");
	fake.refuse = refuse_cycles;
	fake.code = ENOENT;
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(event(&f, 0)->state, STAT_NOT_SUPPORTED);
	assert_int_equal(fake.fds[0].group, -1);
	assert_true(fake.fds[0].attr.disabled);
	assert_int_equal(fake.fds[1].group, FIRST_FD);
	read_all(&f, &r);
	assert_false(r.valid[0]);
	assert_int_equal(r.counts[1].value, 100);
	assert_int_equal(r.counts[2].value, 101);
	stat_reading_free(&r);
	end(&f);
}

static int two_fit(const struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	int i, members = 0;

	(void)attr, (void)tid, (void)cpu;
	for (i = 0; group >= 0 && i < fake.nr; i++)
		members += fake.fds[i].open && fake.fds[i].group == group;
	return members >= 1 ? EINVAL : 0;
}

static void group_too_big(void **state)
{
	struct stat_reading r;
	struct fixture f;
	u32 i;

	(void)state;
	begin(&f, "/", "cs,{cycles,instructions,branches}");
	fake.refuse = two_fit;
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(event(&f, 2)->state, STAT_COUNTED);
	assert_int_equal(event(&f, 3)->state, STAT_NOT_SUPPORTED);
	assert_non_null(strstr(event(&f, 3)->reason, ":W"));
	end(&f);

	begin(&f, "/", "cs,{cycles,instructions,branches}:W");
	fake.refuse = two_fit;
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(nr_open(), 4);
	read_all(&f, &r);
	for (i = 0; i < 4; i++) {
		assert_int_equal(event(&f, i)->state, STAT_COUNTED);
		assert_int_equal(event(&f, i)->group, ID_NONE);
		assert_true(r.valid[i]);
		assert_int_equal(r.counts[i].running, 50);
	}
	stat_reading_free(&r);
	end(&f);
}

/* --- read --- */

static void read_fails(void **state)
{
	static const int codes[] = {EINTR, EAGAIN, EBADF, EFAULT, EINVAL, EIO, ENODEV, ENOSPC};
	static const int lens[] = {0, 8, 23};
	struct stat_reading r;
	struct fixture f;
	size_t i;

	(void)state;
	begin(&f, "/", "cs,{faults,migrations}");
	assert_int_equal(open_all(&f, &command), 0);
	for (i = 0; i < ARRAY_SIZE(codes) + ARRAY_SIZE(lens); i++) {
		fake.read_errno = i < ARRAY_SIZE(codes) ? codes[i] : 0;
		fake.read_len = fake.read_errno ? -1 : lens[i - ARRAY_SIZE(codes)];
		read_all(&f, &r);
		assert_false(r.valid[0] || r.valid[1] || r.valid[2]);
		assert_int_equal(stat_reading_state(&r, 0, 0), STAT_NOT_COUNTED);
		stat_reading_free(&r);
	}
	/* of a group that says to be larger than what it gave, nothing is believed */
	fake.read_len = 3 * 8 + 16;
	read_all(&f, &r);
	assert_true(r.valid[0]);
	assert_false(r.valid[1] || r.valid[2]);
	stat_reading_free(&r);
	end(&f);
}

/* --- PMUs --- */

static int refuse_tasks(const struct perf_event_attr *attr, pid_t tid, int cpu, int group)
{
	(void)group;
	return attr->type != PERF_TYPE_SOFTWARE && tid != -1 && cpu < 0 ? EINVAL : 0;
}

/* Joules of the package: counted on the CPU of the mask, for everybody, beside a command. */
static void package_pmu(void **state)
{
	struct stat_reading r;
	struct fixture f;

	(void)state;
	begin(&f, "tests/sysroot/server", "cs,power/energy-pkg/");
	fake.refuse = refuse_tasks;
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(event(&f, 1)->state, STAT_COUNTED);
	assert_string_equal(event(&f, 1)->unit, "Joules");
	assert_true(event(&f, 1)->scale > 0 && event(&f, 1)->scale < 1e-6);
	assert_int_equal(f.counters.shape.nr_places, 1 + event(&f, 1)->nr_cpus);
	read_all(&f, &r);
	assert_true(r.valid[0]);
	assert_false(r.valid[1]);
	assert_false(r.valid[stat_index(r.shape, 1, 0)]);
	assert_true(r.valid[stat_index(r.shape, 1, 1)]);
	assert_int_equal(fake.fds[1].tid, -1);
	assert_int_equal(fake.fds[1].cpu, event(&f, 1)->cpus[0]);
	stat_reading_free(&r);
	end(&f);

	/* on CPUs, only those of the mask */
	begin(&f, "tests/sysroot/server", "power/energy-pkg/");
	assert_int_equal(open_all(&f, &on_two), 0);
	assert_int_equal(nr_open(), 1);
	assert_int_equal(f.counters.shape.nr_places, 2);
	end(&f);
}

/* Everybody's counter is started by hand where the command's exec starts the others. */
static void package_beside_exec(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "tests/sysroot/server", "cs,power/energy-pkg/");
	f.options.enable_on_exec = true;
	fake.refuse = refuse_tasks;
	assert_int_equal(open_all(&f, &command), 0);
	assert_true(fake.fds[0].attr.enable_on_exec);
	assert_false(fake.fds[1].attr.enable_on_exec);
	assert_int_equal(stat_counters_enable_beside(&f.counters, &f.err), 0);
	assert_false(fake.fds[0].on);
	assert_true(fake.fds[1].on);
	end(&f);
}

/* One name for two units. */
static void units(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "tests/sysroot/server", "uncore_imc/data_reads/,uncore_imc/data_reads/");
	assert_int_equal(open_all(&f, &on_two), 0);
	assert_int_equal(f.counters.shape.nr_events, 4);
	assert_false(event(&f, 0)->is_part);
	assert_true(event(&f, 1)->is_part);
	assert_int_equal(event(&f, 1)->whole, 0);
	assert_false(event(&f, 2)->is_part);
	assert_int_equal(event(&f, 3)->whole, 2);
	end(&f);

	begin(&f, "tests/sysroot/server", "uncore_imc/data_reads/");
	f.options.no_merge = true;
	assert_int_equal(open_all(&f, &on_two), 0);
	assert_false(event(&f, 1)->is_part);
	assert_string_equal(event(&f, 0)->name, "uncore_imc_0/data_reads/");
	assert_string_equal(event(&f, 1)->name, "uncore_imc_1/data_reads/");
	end(&f);
}

/* --- gates --- */

static void gates(void **state)
{
	char events[1024] = "";
	struct fixture f;
	u32 i;

	(void)state;
	for (i = 0; i < 20; i++)
		snprintf(events + strlen(events), sizeof(events) - strlen(events), "2:%u,", i + 1);
	snprintf(events + strlen(events), sizeof(events) - strlen(events), "cs");
	begin(&f, "/", events);
	assert_int_equal(open_all(&f, &on_two), 0);
	assert_int_equal(nr_open(), 2 + 2 * 21); /* two gates */
	assert_int_equal(fake.fds[2].group, FIRST_FD);
	assert_int_equal(fake.fds[3].group, FIRST_FD + 1);
	assert_false(fake.fds[2].attr.disabled);
	assert_int_equal(stat_counters_enable(&f.counters, ID_NONE, &f.err), 0);
	assert_int_equal(fake.enables, 4);
	assert_int_equal(stat_counters_tracepoints(&f.counters), 20);
	stat_counters_disable(&f.counters, ID_NONE);
	assert_false(fake.fds[0].on || fake.fds[1].on);
	end(&f);

	/* no gate where each may be enabled by name, nor for a task */
	begin(&f, "/", events);
	f.options.one_by_one = true;
	assert_int_equal(open_all(&f, &on_two), 0);
	assert_int_equal(nr_open(), 2 * 21);
	end(&f);
	begin(&f, "/", events);
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(nr_open(), 21);
	end(&f);
}

/* --- readings --- */

static void tools_and_clocks(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "/", "duration_time,user_time,system_time,task-clock,cs");
	assert_int_equal(open_all(&f, &command), 0);
	assert_int_equal(nr_open(), 2);
	assert_int_equal(event(&f, 0)->tool, STAT_DURATION_TIME);
	assert_int_equal(event(&f, 1)->tool, STAT_USER_TIME);
	assert_int_equal(event(&f, 2)->tool, STAT_SYSTEM_TIME);
	assert_string_equal(event(&f, 3)->unit, "msec");
	assert_int_equal(event(&f, 4)->tool, STAT_NO_TOOL);
	end(&f);
}

static void differences(void **state)
{
	struct stat_reading now, before;
	struct stat_count many = {.value = 1ull << 62, .enabled = 3, .running = 1};
	struct fixture f;

	(void)state;
	begin(&f, "/", "cs,faults");
	assert_int_equal(open_all(&f, &command), 0);
	f.counters.shape.events[1].snapshot = true;
	read_all(&f, &before);
	read_all(&f, &now);
	before.end_ns = 5;
	now.end_ns = 9;
	now.counts[0] = (struct stat_count){150, 80, 60};
	now.counts[1].value = 90;
	stat_reading_delta(&now, &now, &before);
	assert_int_equal(now.counts[0].value, 50);
	assert_int_equal(now.counts[0].enabled, 30);
	assert_int_equal(now.counts[0].running, 10);
	assert_int_equal(now.counts[1].value, 90);
	assert_int_equal(now.start_ns, 5);
	assert_int_equal(now.end_ns, 9);
	assert_int_equal(stat_count_scaled(&now.counts[0]), 150);
	many.value = (1ull << 62) / 3;
	assert_true(stat_count_scaled(&many) > (1ull << 61));

	/* enabled and never on the hardware is no count; never enabled is 0 of a sleeping task */
	now.counts[0] = (struct stat_count){0, 30, 0};
	assert_int_equal(stat_reading_state(&now, 0, 0), STAT_NOT_COUNTED);
	now.counts[0] = (struct stat_count){0, 0, 0};
	assert_int_equal(stat_reading_state(&now, 0, 0), STAT_COUNTED);
	stat_reading_free(&now);
	stat_reading_free(&before);
	end(&f);
}

static void memory_ends(void **state)
{
	struct fixture f;
	bool refused = true;
	unsigned int n, failed = 0;
	int ret;

	(void)state;
	for (n = 0; refused; n++) {
		begin(&f, "tests/sysroot/server", "{cs,faults},power/energy-pkg/");
		fake.refuse = refuse_tasks;
		oom_after(n);
		ret = open_all(&f, &command);
		refused = oom_stop();
		/* what only explains a refusal may do without memory */
		assert_true(!ret || (refused && ret == -ENOMEM));
		failed += ret != 0;
		end(&f);
	}
	assert_true(failed > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_here),
		cmocka_unit_test(forbidden),
		cmocka_unit_test(threads_that_end),
		cmocka_unit_test(user_only),
		cmocka_unit_test(given_up),
		cmocka_unit_test(attrs),
		cmocka_unit_test(groups),
		cmocka_unit_test(leader_missing),
		cmocka_unit_test(group_too_big),
		cmocka_unit_test(read_fails),
		cmocka_unit_test(package_pmu),
		cmocka_unit_test(gates),
		cmocka_unit_test(tools_and_clocks),
		cmocka_unit_test(differences),
		cmocka_unit_test(memory_ends),
		cmocka_unit_test(package_beside_exec),
		cmocka_unit_test(units),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat_counters", tests, NULL, NULL);
}
