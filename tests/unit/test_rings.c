// SPDX-License-Identifier: GPL-2.0
/*
 * Events and rings of a kernel that refuses what the test says: bits of attrs that it does not know,
 * rings that a CPU had before it was offline. All else is done by the running kernel, for this thread.
 */
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "util/capture/rings.h"
#include "util/event/ev_open.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_record.h"
#include "util/kernel/cpus.h"

/* ---- the kernel ---- */

static struct {
	const struct ev_feature *unknown; /* EINVAL for an attr that has it */
	int precise;                      /* EINVAL for more than so much; -1: whatever */
	int old_owner; /* rings of descriptors up to it are refused with EINVAL */
	int opens, outputs, refused;
} kernel = {.precise = -1,
	    .old_owner = -1}; /* as it is, for the tests that this one is linked with */

typedef long (*syscall_fn)(long, ...);
typedef int (*ioctl_fn)(int, unsigned long, ...);

static bool refuses(const struct perf_event_attr *a)
{
	if (kernel.unknown && kernel.unknown->is_on(a))
		return true;
	return kernel.precise >= 0 && a->precise_ip > kernel.precise;
}

/* Stands before the C library's, and like that one takes arguments that may not be there. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	syscall_fn next = (syscall_fn)dlsym(RTLD_NEXT, "syscall");
	long arg[6];
	va_list ap;
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open) {
		kernel.opens++;
		if (refuses((const struct perf_event_attr *)arg[0])) {
			errno = EINVAL;
			return -1;
		}
	}
	return next(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}

int ioctl(int fd, unsigned long request, ...)
{
	ioctl_fn next = (ioctl_fn)dlsym(RTLD_NEXT, "ioctl");
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	if (request == PERF_EVENT_IOC_SET_OUTPUT) {
		kernel.outputs++;
		if ((int)arg <= kernel.old_owner) {
			kernel.refused++;
			errno = EINVAL;
			return -1;
		}
	}
	return next(fd, request, arg);
}

/* ---- a recording of this thread ---- */

struct fixture {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	struct cpus online;
	struct rings rings;
	struct ev_target target;
	volatile sig_atomic_t stop;
	s32 tid;
	struct buf notes;
	struct err err;
};

static void begin(struct fixture *f, const char *events, const struct ev_record_options *o)
{
	NEEDS("own");
	memset(f, 0, sizeof(*f));
	memset(&kernel, 0, sizeof(kernel));
	kernel.precise = kernel.old_owner = -1;
	assert_int_equal(sysroot_open(&f->root, "/", NULL), 0);
	f->env.root = &f->root;
	assert_int_equal(cpus_read(f->root.fd, "sys/devices/system/cpu/online", &f->online), 0);
	if (ev_parse(&f->list, events, &f->env, &f->err) ||
	    ev_record_configure(&f->list, o, &f->notes, &f->err))
		fail_msg("%s: %s", events, f->err.msg);
	f->target = (struct ev_target){
		.cpus = f->online.v, .nr_cpus = 1, .tids = &f->tid, .nr_tids = 1};
	f->rings.options = (struct rings_options){.pages = 4, .stop = &f->stop};
	f->rings.opener.root = &f->root;
	f->rings.list = &f->list;
	f->rings.opener.notes = &f->notes;
}

static void end(struct fixture *f)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.precise = kernel.old_owner = -1;
	rings_close(&f->rings);
	ev_list_free(&f->list);
	cpus_free(&f->online);
	ev_env_close(&f->env);
	sysroot_close(&f->root);
	buf_free(&f->notes);
}

static const struct ev_record_options everything = {
	.root_pid_namespace = true,
	.all_user = true,
	.cgroups = true,
	.namespaces = true,
	.text_poke = true,
	.more = PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_CGROUP |
		PERF_SAMPLE_PHYS_ADDR,
};

static const struct ev_record_options plain = {.root_pid_namespace = true, .all_user = true};

/* What is on of the features in the attrs of all events, a bit each. */
static u32 features_on(const struct fixture *f)
{
	const struct ev_feature *all;
	u32 nr, i, k, on = 0;

	all = ev_features(&nr);
	for (i = 0; i < f->list.specs.nr; i++)
		for (k = 0; k < nr; k++)
			on |= (u32)all[k].is_on(&f->list.specs.v[i].attr) << k;
	return on;
}

/* ---- bits of attrs ---- */

/* One that no option asks for is left out, and nothing else is. */
static void left_out(const struct ev_feature *feature, u32 bit)
{
	struct fixture f;
	u32 before;

	begin(&f, "cs", &plain);
	/* only a PMU's events have it by themselves */
	if (!(features_on(&f) & bit))
		feature->turn(&f.list.specs.v[1].attr, true);
	before = features_on(&f);
	kernel.unknown = feature;
	if (rings_open(&f.rings, &f.target, &f.err))
		fail_msg("without %s: %s", feature->what, f.err.msg);
	assert_int_equal(features_on(&f), before & ~bit);
	assert_int_equal(f.notes.len, 0);
	end(&f);
}

/* One that was asked for is named. */
static void named(const struct ev_feature *feature)
{
	struct fixture f;

	begin(&f, "cs", &everything);
	kernel.unknown = feature;
	assert_int_equal(rings_open(&f.rings, &f.target, &f.err), -ENOTSUP);
	assert_non_null(strstr(f.err.msg, feature->what));
	assert_non_null(strstr(f.err.hint, feature->option));
	assert_non_null(strstr(f.err.hint, feature->since));
	end(&f);
}

static void each_bit(void **state)
{
	const struct ev_feature *all;
	u32 nr, i, named_ones = 0;

	(void)state;
	/* some of them, such as physical addresses, are not for everyone */
	NEEDS("everybody");
	all = ev_features(&nr);
	for (i = 0; i < nr; i++)
		if (all[i].option) {
			named(&all[i]);
			named_ones++;
		} else {
			left_out(&all[i], 1u << i);
		}
	assert_true(named_ones >= 6 && nr - named_ones >= 4);
}

/* Weights in parts become one number. */
static void weights(void **state)
{
	const struct ev_feature *all;
	struct perf_event_attr a;
	u32 nr, i;

	(void)state;
	all = ev_features(&nr);
	for (i = 0; i < nr; i++) {
		memset(&a, 0, sizeof(a));
		all[i].turn(&a, true);
		assert_true(all[i].is_on(&a));
		ev_feature_drop(&all[i], &a);
		assert_false(all[i].is_on(&a));
		assert_int_equal(a.sample_type,
				 !strcmp(all[i].since, "5.12") ? PERF_SAMPLE_WEIGHT : 0);
	}
}

/* An event that cannot be so precise keeps what the kernel knows, and one that can is not made less so. */
static void precise(void **state)
{
	struct fixture f;
	u32 nr;

	(void)state;
	begin(&f, "cs", &plain);
	f.list.specs.v[1].attr.precise_ip = 2;
	kernel.precise = 0;
	assert_int_equal(rings_open(&f.rings, &f.target, &f.err), 0);
	assert_int_equal(f.list.specs.v[1].attr.precise_ip, 0);
	end(&f);

	begin(&f, "cs", &plain);
	f.list.specs.v[1].attr.precise_ip = 2;
	kernel.precise = 3;
	kernel.unknown = ev_features(&nr);
	assert_int_equal(rings_open(&f.rings, &f.target, &f.err), 0);
	assert_int_equal(f.list.specs.v[1].attr.precise_ip, 2);
	assert_int_equal(f.list.specs.v[1].attr.read_format, 0);
	end(&f);
}

/* ---- rings of a CPU that comes back ---- */

/* Samples of that event that came through the rings from number `first` on. */
static u32 samples_in(struct fixture *f, u32 first)
{
	static u8 bounce[1 << 16];
	u32 i, n = 0;
	struct rec rec;

	for (i = first; i < f->rings.v.nr; i++) {
		struct ring *ring = &f->rings.v.v[i].ring;

		if (f->rings.v.v[i].sideband || !ring->size)
			continue;
		ring_begin(ring);
		while (ring_view(ring, &rec, bounce))
			n += rec.type == PERF_RECORD_SAMPLE;
		ring_release(ring);
	}
	return n;
}

static void touch_pages(u32 n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	u32 i;

	assert_ptr_not_equal((void *)p, MAP_FAILED);
	madvise((void *)p, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		p[i * page] = 1;
	munmap((void *)p, n * page);
}

/* This thread, on the CPU that is recorded. */
static void go_there(const struct fixture *f)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(f->online.v[0], &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static void come_back(bool refuse)
{
	struct fixture f;
	u32 i, rings, counters, used;

	begin(&f, "page-faults/period=1/", &plain);
	go_there(&f);
	assert_int_equal(rings_open(&f.rings, &f.target, &f.err), 0);
	rings = f.rings.v.nr;
	counters = f.rings.counters.nr;
	assert_int_equal(rings, 2);
	assert_int_equal(counters, 2);
	/* what it had is dead */
	for (i = 0; i < counters; i++) {
		close(f.rings.counters.v[i].fd);
		f.rings.counters.v[i].fd = -1;
	}
	if (refuse)
		for (i = 0; i < rings; i++)
			kernel.old_owner = MAX(kernel.old_owner, f.rings.v.v[i].owner);
	if (rings_add(&f.rings, &f.target, &f.err))
		fail_msg("%s", f.err.msg);
	used = refuse ? 2 : 0;
	assert_int_equal(f.rings.v.nr, rings + used);
	assert_int_equal(kernel.refused, used);
	for (i = 0; i < rings; i++)
		assert_int_equal(f.rings.v.v[i].replaced, refuse);
	assert_int_equal(rings_enable(&f.rings, true, ID_NONE, &f.err), 0);
	touch_pages(40);
	rings_enable(&f.rings, false, ID_NONE, NULL);
	assert_true(samples_in(&f, used) >= 40);
	/* once more: the ring that it has now is taken */
	kernel.refused = 0;
	assert_int_equal(rings_add(&f.rings, &f.target, &f.err), 0);
	assert_int_equal(kernel.refused, 0);
	assert_int_equal(f.rings.v.nr, rings + used);
	end(&f);
}

static void ring_is_taken(void **state)
{
	(void)state;
	come_back(false);
}

static void ring_is_refused(void **state)
{
	(void)state;
	come_back(true);
}

/* A ring that is refused from the first is an error. */
static void new_ring_is_refused(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "cs", &plain);
	kernel.old_owner = INT32_MAX;
	assert_int_equal(rings_open(&f.rings, &f.target, &f.err), -EINVAL);
	assert_non_null(strstr(f.err.msg, "into its buffer"));
	assert_int_equal(f.rings.v.nr, 2);
	end(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_bit),        cmocka_unit_test(weights),
		cmocka_unit_test(precise),         cmocka_unit_test(ring_is_taken),
		cmocka_unit_test(ring_is_refused), cmocka_unit_test(new_ring_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rings", tests, NULL, NULL);
}
