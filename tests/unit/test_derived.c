// SPDX-License-Identifier: GPL-2.0
/* Ratios of counts, and which events they are taken of. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_stat.h"
#include "util/stat/derived.h"

struct machine {
	struct made_stat m;
	struct stat_table t;
	struct stat_derivations d;
};

static void begin(struct machine *x)
{
	made_stat_command(&x->m);
	assert_true(made_stat_begin(&x->m));
}

static void set(struct machine *x, u32 event, u64 n)
{
	made_stat_count(&x->m, event, 0, n, 1000000, 1000000);
}

static void end(struct machine *x, const char *const *names, u32 nr)
{
	const struct stat_metric *metrics[8];
	u32 i;

	for (i = 0; i < nr; i++)
		assert_non_null(metrics[i] = stat_metric_find(names[i], strlen(names[i])));
	assert_int_equal(stat_table_init(&x->t, &x->m.shape, STAT_GLOBAL, NULL, NULL), 0);
	assert_int_equal(stat_derivations_init(&x->d, &x->m.shape, metrics, nr, NULL), 0);
	stat_table_fill(&x->t, &x->m.reading);
}

static void clear(struct machine *x)
{
	stat_derivations_free(&x->d);
	stat_table_free(&x->t);
	made_stat_free(&x->m);
}

/* "NAME=VALUE UNIT;" of all values of an event. */
static void is_derived(struct machine *x, u32 event, const char *want)
{
	struct stat_derived v[STAT_DERIVED_MAX];
	struct buf b = {0};
	u32 i, nr;

	nr = stat_derivations_get(&x->d, &x->t, event, 0, v);
	for (i = 0; i < nr; i++) {
		if (v[i].metric)
			buf_addf(&b, "%s=", v[i].metric);
		buf_addf(&b, "%.*f%s %s", (int)v[i].decimals, v[i].value, v[i].percent ? "%" : "",
			 v[i].unit);
		if (v[i].level)
			buf_addf(&b, " !%d", v[i].level);
		buf_addc(&b, ';');
	}
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static u32 hw(struct machine *x, const char *name, u64 config)
{
	made_stat_event(&x->m, name, PERF_TYPE_HARDWARE, config);
	return x->m.shape.nr_events - 1;
}

static u32 cache(struct machine *x, const char *name, u64 config)
{
	made_stat_event(&x->m, name, PERF_TYPE_HW_CACHE, config);
	return x->m.shape.nr_events - 1;
}

static void hardware(void **state)
{
	struct machine x = {0};
	u32 cycles, insn, branches, misses, front, back, refs, miss;

	(void)state;
	made_stat_clock(&x.m);
	cycles = hw(&x, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	insn = hw(&x, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
	branches = hw(&x, "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	misses = hw(&x, "branch-misses", PERF_COUNT_HW_BRANCH_MISSES);
	front = hw(&x, "stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	back = hw(&x, "stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	refs = hw(&x, "cache-references", PERF_COUNT_HW_CACHE_REFERENCES);
	miss = hw(&x, "cache-misses", PERF_COUNT_HW_CACHE_MISSES);
	begin(&x);
	set(&x, 0, 400000000);
	set(&x, cycles, 1200000000);
	set(&x, insn, 1800000000);
	set(&x, branches, 200000000);
	set(&x, misses, 4000000);
	set(&x, front, 180000000);
	set(&x, back, 900000001);
	set(&x, refs, 100);
	set(&x, miss, 11);
	end(&x, NULL, 0);
	is_derived(&x, 0, "0.800 CPUs utilized;");
	is_derived(&x, cycles, "3.000 GHz;");
	is_derived(&x, insn, "1.50 insn per cycle;0.50 stalled cycles per insn;");
	is_derived(&x, branches, "500.000 M/sec;");
	is_derived(&x, misses, "2.00% of all branches;");
	is_derived(&x, front, "15.00% frontend cycles idle !1;");
	is_derived(&x, back, "75.00% backend cycles idle !3;");
	is_derived(&x, refs, "250.000 /sec;");
	is_derived(&x, miss, "11.00% of all cache refs !2;");
	clear(&x);
}

static void caches(void **state)
{
	static const struct {
		u64 cache;
		const char *unit;
	} all[] = {
		{PERF_COUNT_HW_CACHE_L1D, "4.00% of all L1-dcache accesses;"},
		{PERF_COUNT_HW_CACHE_L1I, "4.00% of all L1-icache accesses;"},
		{PERF_COUNT_HW_CACHE_LL, "4.00% of all LL-cache accesses;"},
		{PERF_COUNT_HW_CACHE_DTLB, "4.00% of all dTLB cache accesses;"},
		{PERF_COUNT_HW_CACHE_ITLB, "4.00% of all iTLB cache accesses;"},
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct machine x = {0};
		u32 loads = cache(&x, "loads", all[i].cache),
		    misses = cache(&x, "load-misses",
				   all[i].cache | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);

		begin(&x);
		set(&x, loads, 50);
		set(&x, misses, 2);
		end(&x, NULL, 0);
		is_derived(&x, misses, all[i].unit);
		is_derived(&x, loads, ""); /* no clock */
		clear(&x);
	}
}

static void rates(void **state)
{
	static const struct {
		u64 count;
		const char *rate;
	} all[] = {
		{0, "0.000 /sec;"},           {999, "999.000 /sec;"},
		{1000, "1.000 K/sec;"},       {1234567, "1.235 M/sec;"},
		{5000000000, "5.000 G/sec;"}, {50000000000000, "50000.000 G/sec;"},
	};
	struct machine x = {0};
	u32 i;

	(void)state;
	made_stat_switches(&x.m);
	made_stat_clock(&x.m);
	begin(&x);
	set(&x, 1, 1000000000);
	end(&x, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		set(&x, 0, all[i].count);
		stat_table_fill(&x.t, &x.m.reading);
		is_derived(&x, 0, all[i].rate);
	}
	/* the real length counts, not a nominal one; of none there is nothing to say */
	x.m.reading.end_ns = x.m.reading.start_ns + 2000000000;
	stat_table_fill(&x.t, &x.m.reading);
	is_derived(&x, 1, "0.500 CPUs utilized;");
	x.m.reading.end_ns = x.m.reading.start_ns;
	stat_table_fill(&x.t, &x.m.reading);
	is_derived(&x, 1, "");
	clear(&x);
}

/* Whose cycles are taken: not those of another group, cgroup, PMU, or with other modifiers. */
static void which(void **state)
{
	struct machine x = {0};
	u32 cycles, insn, user, user_insn, group_insn, in_cgroup, atom;

	(void)state;
	cycles = hw(&x, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	insn = hw(&x, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
	user = hw(&x, "cycles:u", PERF_COUNT_HW_CPU_CYCLES);
	user_insn = hw(&x, "instructions:u", PERF_COUNT_HW_INSTRUCTIONS);
	x.m.events[user].attr.exclude_kernel = x.m.events[user_insn].attr.exclude_kernel = 1;
	group_insn = hw(&x, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
	x.m.events[group_insn].group = 0;
	in_cgroup = hw(&x, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
	x.m.events[in_cgroup].cgroup = "web";
	atom = hw(&x, "cpu_atom/instructions/", 10ull << 32 | PERF_COUNT_HW_INSTRUCTIONS);
	x.m.events[atom].pmu = "cpu_atom";
	begin(&x);
	set(&x, cycles, 100);
	set(&x, user, 10);
	set(&x, insn, 50);
	set(&x, user_insn, 40);
	set(&x, group_insn, 50);
	set(&x, in_cgroup, 50);
	set(&x, atom, 50);
	end(&x, NULL, 0);
	is_derived(&x, insn, "0.50 insn per cycle;");
	is_derived(&x, user_insn, "4.00 insn per cycle;");
	is_derived(&x, group_insn, "");
	is_derived(&x, in_cgroup, "");
	is_derived(&x, atom, "");
	clear(&x);
}

static void absent(void **state)
{
	struct machine x = {0};

	(void)state;
	made_stat_clock(&x.m);
	made_stat_unsupported(&x.m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	hw(&x, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
	begin(&x);
	set(&x, 0, 5);
	set(&x, 2, 5);
	end(&x, NULL, 0);
	is_derived(&x, 1, "");
	is_derived(&x, 2, ""); /* no cycles to compare with */
	clear(&x);
}

static void by_name(void **state)
{
	static const char *const names[] = {"ipc", "tlb-mpki", "branch-miss", "switch-rate",
					    "cpus"};
	struct machine x = {0};
	u32 clock = 0, cs = 1, cycles, insn, dtlb, itlb, wall;

	(void)state;
	made_stat_clock(&x.m);
	made_stat_switches(&x.m);
	cycles = hw(&x, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	insn = hw(&x, "instructions", PERF_COUNT_HW_INSTRUCTIONS);
	dtlb = cache(&x, "dTLB-load-misses",
		     PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	itlb = cache(&x, "iTLB-load-misses",
		     PERF_COUNT_HW_CACHE_ITLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	wall = x.m.shape.nr_events;
	made_stat_event(&x.m, "duration_time", PERF_TYPE_SOFTWARE, STAT_DURATION_TIME);
	x.m.events[wall].class = EV_TOOL;
	x.m.events[wall].tool = STAT_DURATION_TIME;
	begin(&x);
	set(&x, clock, 1000000000);
	set(&x, cs, 20);
	set(&x, cycles, 2000000);
	set(&x, insn, 1000000);
	set(&x, dtlb, 3000);
	set(&x, itlb, 500);
	set(&x, wall, 500000000);
	end(&x, names, ARRAY_SIZE(names));
	is_derived(&x, insn, "ipc=0.50 insn per cycle;");
	is_derived(&x, dtlb, "tlb-mpki=3.500 TLB misses per 1000 insn;");
	is_derived(&x, cs, "switch-rate=20.000 switches per CPU second;");
	is_derived(&x, clock, "cpus=2.000 CPUs utilized;");
	/* one part of a sum is missing */
	made_stat_count(&x.m, itlb, 0, 0, 1000, 0);
	stat_table_fill(&x.t, &x.m.reading);
	is_derived(&x, dtlb, "");
	clear(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hardware), cmocka_unit_test(caches), cmocka_unit_test(rates),
		cmocka_unit_test(which),    cmocka_unit_test(absent), cmocka_unit_test(by_name),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("derived", tests, NULL, NULL);
}
