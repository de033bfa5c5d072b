// SPDX-License-Identifier: GPL-2.0
/* The columns of perf stat -x, to the byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_stat.h"
#include "util/format/stat_view.h"

struct output {
	struct made_stat m;
	struct stat_table t;
	struct stat_derivations d;
	struct stat_view v;
};

static void begin(struct output *o, enum stat_aggregation by)
{
	assert_true(made_stat_begin(&o->m));
	assert_int_equal(stat_table_init(&o->t, &o->m.shape, by, &o->m.topology, NULL), 0);
	assert_int_equal(stat_derivations_init(&o->d, &o->m.shape, NULL, 0, NULL), 0);
	o->v = (struct stat_view){.table = &o->t, .derivations = &o->d};
}

static void is_csv(struct output *o, const char *separator, const char *want)
{
	struct buf b = {0};

	stat_table_fill(&o->t, &o->m.reading);
	stat_csv(&b, &o->v, separator);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void end(struct output *o)
{
	stat_derivations_free(&o->d);
	stat_table_free(&o->t);
	made_stat_free(&o->m);
}

static void whole(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_clock(&o.m);
	made_stat_switches(&o.m);
	made_stat_unsupported(&o.m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	made_stat_event(&o.m, "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	made_stat_count(&o.m, 0, 0, 10527443, 10527443, 10527443);
	made_stat_count(&o.m, 1, 0, 6, 10527443, 10527443);
	made_stat_count(&o.m, 3, 0, 12345678, 100, 30);
	is_csv(&o, ",",
	       "10.53,msec,task-clock,10527443,100.00,0.021,CPUs utilized\n"
	       "6,,cs,10527443,100.00,569.939,/sec\n"
	       "<not supported>,,cycles,0,100.00,,\n"
	       "41152260,,page-faults,30,30.00,3.909,G/sec\n");
	o.v.interval = true;
	is_csv(&o, ";",
	       "0.500000000;10.53;msec;task-clock;10527443;100.00;0.021;CPUs utilized\n"
	       "0.500000000;6;;cs;10527443;100.00;569.939;/sec\n"
	       "0.500000000;<not supported>;;cycles;0;100.00;;\n"
	       "0.500000000;41152260;;page-faults;30;30.00;3.909;G/sec\n");
	o.v.interval = false;
	o.v.summary = true;
	is_csv(&o, "\t",
	       "summary\t10.53\tmsec\ttask-clock\t10527443\t100.00\t0.021\tCPUs utilized\n"
	       "summary\t6\t\tcs\t10527443\t100.00\t569.939\t/sec\n"
	       "summary\t<not supported>\t\tcycles\t0\t100.00\t\t\n"
	       "summary\t41152260\t\tpage-faults\t30\t30.00\t3.909\tG/sec\n");
	end(&o);
}

static void keys(void **state)
{
	static const struct {
		enum stat_aggregation by;
		const char *key;
	} all[] = {
		{STAT_PER_CPU, "CPU0,"},
		{STAT_PER_CORE, "S0-D0-C0,1,"},
		{STAT_PER_CLUSTER, "S0-D0-CLS0,1,"},
		{STAT_PER_DIE, "S0-D0,1,"},
		{STAT_PER_SOCKET, "S0,1,"},
		{STAT_PER_NODE, "N0,1,"},
		{STAT_PER_THREAD, "bash-2405,"},
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct output o = {0};
		char want[128];

		made_stat_switches(&o.m);
		assert_true(made_stat_machine(&o.m, "smt"));
		o.m.shape.nr_places = 1;
		o.m.places[0].tid = 2405;
		strcpy(o.m.places[0].comm, "bash");
		begin(&o, all[i].by);
		made_stat_count(&o.m, 0, 0, 158, 106010860, 106010860);
		snprintf(want, sizeof(want), "%s158,,cs,106010860,100.00,,\n", all[i].key);
		is_csv(&o, ",", want);
		o.v.interval = true;
		snprintf(want, sizeof(want), "0.500000000,%s158,,cs,106010860,100.00,,\n",
			 all[i].key);
		is_csv(&o, ",", want);
		end(&o);
	}
}

static void cgroups(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_switches(&o.m)->cgroup = "/";
	made_stat_switches(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	made_stat_count(&o.m, 0, 0, 2040, 278988655, 278988655);
	is_csv(&o, ",", "2040,,cs,/,278988655,100.00,,\n0,,cs,,0,100.00,,\n");
	end(&o);
}

/* Another value has a line of its own, below the columns of the first. */
static void second_value(void **state)
{
	struct output o = {0};
	struct stat_runs runs;

	(void)state;
	made_stat_event(&o.m, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	made_stat_event(&o.m, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	made_stat_event(&o.m, "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
			PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	made_stat_count(&o.m, 0, 0, 200, 10, 10);
	made_stat_count(&o.m, 1, 0, 100, 10, 10);
	made_stat_count(&o.m, 2, 0, 80, 10, 10);
	is_csv(&o, ",",
	       "200,,instructions,10,100.00,2.00,insn per cycle\n"
	       ",,,,,0.40,stalled cycles per insn\n"
	       "100,,cycles,10,100.00,,\n"
	       "80,,stalled-cycles-frontend,10,100.00,80.00,frontend cycles idle\n");
	assert_int_equal(stat_runs_init(&runs, &o.t, NULL), 0);
	assert_int_equal(stat_runs_add(&runs, &o.t, NULL), 0);
	assert_int_equal(stat_runs_add(&runs, &o.t, NULL), 0);
	assert_int_equal(stat_runs_end(&runs, &o.t, NULL), 0);
	o.v.runs = &runs;
	is_csv(&o, ",",
	       "200,,instructions,0.00%,10,100.00,2.00,insn per cycle\n"
	       ",,,,,,0.40,stalled cycles per insn\n"
	       "100,,cycles,0.00%,10,100.00,,\n"
	       "80,,stalled-cycles-frontend,0.00%,10,100.00,80.00,frontend cycles idle\n");
	stat_runs_free(&runs);
	end(&o);
}

static void repeated(void **state)
{
	struct output o = {0};
	struct stat_runs runs;
	struct buf b = {0};
	u32 i;

	(void)state;
	made_stat_switches(&o.m);
	made_stat_unsupported(&o.m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	assert_int_equal(stat_runs_init(&runs, &o.t, NULL), 0);
	for (i = 0; i < 2; i++) {
		made_stat_count(&o.m, 0, 0, 10 + 3 * i, 100, 100);
		stat_table_fill(&o.t, &o.m.reading);
		assert_int_equal(stat_runs_add(&runs, &o.t, NULL), 0);
	}
	assert_int_equal(stat_runs_end(&runs, &o.t, NULL), 0);
	o.v.runs = &runs;
	stat_csv(&b, &o.v, ";");
	assert_string_equal(buf_str(&b), "12;;cs;13.04%;100;100.00;;\n"
					 "<not supported>;;cycles;0.00%;0;100.00;;\n");
	buf_free(&b);
	stat_runs_free(&runs);
	end(&o);
}

/* What would be taken for the end of a field or of a line. */
static void quoting(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_event(&o.m, "cpu/event=1,umask=2/", 4, 0x201);
	made_stat_event(&o.m, "na\"me", 4, 1);
	made_stat_place(&o.m, ID_NONE, 7, "a,b\n");
	begin(&o, STAT_PER_THREAD);
	is_csv(&o, ",",
	       "\"a,b\\x0a-7\",0,,\"cpu/event=1,umask=2/\",0,100.00,,\n"
	       "\"a,b\\x0a-7\",0,,\"na\"\"me\",0,100.00,,\n");
	is_csv(&o, ";",
	       "a,b\\x0a-7;0;;cpu/event=1,umask=2/;0;100.00;;\n"
	       "a,b\\x0a-7;0;;\"na\"\"me\";0;100.00;;\n");
	end(&o);
}

static void large_and_scaled(void **state)
{
	struct output o = {0};
	struct stat_event *e;

	(void)state;
	e = made_stat_event(&o.m, "power/energy-pkg/", 20, 2);
	e->unit = "Joules";
	e->scale = 2.3283064365386962890625e-10;
	made_stat_switches(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	made_stat_count(&o.m, 0, 0, 1ull << 34, 10, 10);
	made_stat_count(&o.m, 1, 0, 1ull << 53, 10, 10);
	is_csv(&o, ",",
	       "4.00,Joules,power/energy-pkg/,10,100.00,,\n"
	       "9007199254740992,,cs,10,100.00,,\n");
	end(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(keys),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(second_value),
		cmocka_unit_test(repeated),
		cmocka_unit_test(quoting),
		cmocka_unit_test(large_and_scaled),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat_csv", tests, NULL, NULL);
}
