// SPDX-License-Identifier: GPL-2.0
/* What is worked out of counts, alone: the columns of perf stat --metric-only in each form, to the byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_stat.h"
#include "tests/unit/oom.h"
#include "util/format/stat_view.h"

struct output {
	struct made_stat m;
	struct stat_table t;
	struct stat_derivations d;
	struct stat_ratios r;
	struct stat_view v;
	struct stat_text text;
	struct buf b;
};

static void begin(struct output *o, enum stat_aggregation by,
		  const struct stat_metric *const *metrics, u32 nr)
{
	assert_true(made_stat_begin(&o->m));
	assert_int_equal(stat_table_init(&o->t, &o->m.shape, by, &o->m.topology, NULL), 0);
	assert_int_equal(stat_derivations_init(&o->d, &o->m.shape, metrics, nr, NULL), 0);
	assert_int_equal(stat_ratios_find(&o->r, &o->m.shape, &o->d, NULL), 0);
	o->v = (struct stat_view){.table = &o->t, .derivations = &o->d};
	o->text = (struct stat_text){.colours = {"", "", "", "", ""}, .header_every = 2};
}

static void is_text(struct output *o, const char *want)
{
	buf_clear(&o->b);
	stat_table_fill(&o->t, &o->m.reading);
	stat_text_ratios(&o->b, &o->text, &o->v, &o->r);
	assert_string_equal(buf_str(&o->b), want);
}

static void is_csv(struct output *o, bool head, const char *want)
{
	buf_clear(&o->b);
	stat_csv_ratios(&o->b, &o->v, &o->r, ",", head);
	assert_string_equal(buf_str(&o->b), want);
}

static void is_json(struct output *o,
		    void (*form)(struct buf *, const struct stat_view *,
				 const struct stat_ratios *),
		    const char *want)
{
	buf_clear(&o->b);
	form(&o->b, &o->v, &o->r);
	assert_string_equal(buf_str(&o->b), want);
}

static void end(struct output *o)
{
	stat_ratios_free(&o->r);
	stat_derivations_free(&o->d);
	stat_table_free(&o->t);
	made_stat_free(&o->m);
	buf_free(&o->b);
}

/* A clock, cycles, instructions, branches and their misses. */
static void make_events(struct output *o)
{
	made_stat_clock(&o->m);
	made_stat_event(&o->m, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	made_stat_event(&o->m, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	made_stat_event(&o->m, "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	made_stat_event(&o->m, "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
}

static void count(struct output *o, u32 place, u64 cycles, u64 instructions)
{
	made_stat_count(&o->m, 0, place, 1000, 1000, 1000);
	made_stat_count(&o->m, 1, place, cycles, 1000, 1000);
	made_stat_count(&o->m, 2, place, instructions, 1000, 1000);
	made_stat_count(&o->m, 3, place, 200, 1000, 1000);
	made_stat_count(&o->m, 4, place, 25, 1000, 1000);
}

/* No rates, and no CPUs utilized. */
static void whole(void **state)
{
	struct output o = {0};

	(void)state;
	make_events(&o);
	made_stat_switches(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL, NULL, 0);
	count(&o, 0, 3100, 6200);
	made_stat_count(&o.m, 5, 0, 7, 1000, 1000);
	is_text(&o, "                 GHz       insn per cycle branch-misses of all branches\n"
		    "               3.100                 2.00                        12.50%\n");
	is_csv(&o, true, "GHz,insn per cycle,branch-misses of all branches,\n3.100,2.00,12.50,\n");
	is_csv(&o, false, "3.100,2.00,12.50,\n");
	is_json(&o, stat_json_ratios,
		"{\"GHz\" : \"3.100\", \"insn per cycle\" : \"2.00\", "
		"\"branch-misses of all branches\" : \"12.50\"}\n");
	o.text.colours.bad = "<";
	o.text.colours.nearly_bad = "(";
	o.text.colours.off = ">";
	is_text(&o, "                 GHz       insn per cycle branch-misses of all branches\n"
		    "               3.100                 2.00 (                       12.50%>\n");
	end(&o);
}

static void not_counted(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_clock(&o.m);
	made_stat_unsupported(&o.m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	made_stat_event(&o.m, "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	made_stat_event(&o.m, "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL, NULL, 0);
	made_stat_count(&o.m, 0, 0, 1000, 1000, 1000);
	made_stat_count(&o.m, 2, 0, 0, 1000, 1000);
	made_stat_count(&o.m, 3, 0, 0, 1000, 1000);
	is_text(&o, "                 GHz branch-misses of all branches\n"
		    "     <not supported>                             -\n");
	is_csv(&o, false, ",,\n");
	is_json(&o, stat_json_ratios,
		"{\"GHz\" : \"none\", \"branch-misses of all branches\" : \"none\"}\n");
	is_json(&o, stat_json_lines_ratios,
		"{\"type\":\"metrics\",\"start_ns\":0,\"end_ns\":500000000,\"counters\":1,\"metrics\":["
		"{\"name\":\"GHz\",\"event\":\"cycles\",\"value\":null,\"unit\":\"GHz\"},"
		"{\"name\":\"branch-misses of all branches\",\"event\":\"branch-misses\",\"value\":null,"
		"\"unit\":\"of all branches\"}]}\n");
	end(&o);
}

/* Metrics have their names; the clock's and the rate's are there if they were asked for. */
static void by_name(void **state)
{
	const struct stat_metric *metrics[] = {stat_metric_find("ipc", 3),
					       stat_metric_find("switch-rate", 11)};
	struct output o = {0};

	(void)state;
	make_events(&o);
	made_stat_switches(&o.m)->cgroup = "/a";
	made_stat_switches(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL, metrics, 2);
	count(&o, 0, 3100, 6200);
	made_stat_count(&o.m, 6, 0, 5, 1000, 1000);
	stat_table_fill(&o.t, &o.m.reading);
	is_csv(&o, true,
	       "GHz,ipc,branch-misses of all branches,switch-rate,\n3.100,2.00,12.50,5000000.000,\n");
	end(&o);
}

static void cgroups(void **state)
{
	struct output o = {0};
	u32 i;

	(void)state;
	make_events(&o);
	for (i = 0; i < 2; i++)
		o.m.events[i].cgroup = "/a,b";
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL, NULL, 0);
	count(&o, 0, 3100, 6200);
	stat_table_fill(&o.t, &o.m.reading);
	is_csv(&o, true, "\"GHz /a,b\",branch-misses of all branches,\n3.100,12.50,\n");
	end(&o);
}

static void parts_and_intervals(void **state)
{
	struct output o = {0};
	u32 i;

	(void)state;
	make_events(&o);
	o.m.shape.nr_events = 3;
	made_stat_place(&o.m, 0, 11, "one");
	made_stat_place(&o.m, 0, 12, "two");
	begin(&o, STAT_PER_THREAD, NULL, 0);
	for (i = 0; i < 2; i++) {
		made_stat_count(&o.m, 0, i, 1000, 1000, 1000);
		made_stat_count(&o.m, 1, i, 500 * (i + 1), 1000, 1000);
		made_stat_count(&o.m, 2, i, 1000, 1000, 1000);
	}
	is_text(&o, "                                          GHz       insn per cycle\n"
		    "             one-11                     0.500                 2.00\n"
		    "             two-12                     1.000                 1.00\n");
	is_csv(&o, true, "comm-pid,GHz,insn per cycle,\none-11,0.500,2.00,\ntwo-12,1.000,1.00,\n");
	o.v.interval = true;
	is_text(&o,
		"#           time             comm-pid                      GHz       insn per cycle\n"
		"     0.500000000              one-11                     0.500                 2.00\n"
		"     0.500000000              two-12                     1.000                 1.00\n");
	is_text(&o,
		"     0.500000000              one-11                     0.500                 2.00\n"
		"     0.500000000              two-12                     1.000                 1.00\n");
	is_csv(&o, true,
	       "time,comm-pid,GHz,insn per cycle,\n"
	       "0.500000000,one-11,0.500,2.00,\n0.500000000,two-12,1.000,1.00,\n");
	is_json(&o, stat_json_ratios,
		"{\"interval\" : 0.500000000, \"thread\" : \"one-11\", \"GHz\" : \"0.500\", "
		"\"insn per cycle\" : \"2.00\"}\n"
		"{\"interval\" : 0.500000000, \"thread\" : \"two-12\", \"GHz\" : \"1.000\", "
		"\"insn per cycle\" : \"1.00\"}\n");
	end(&o);
}

static void cores(void **state)
{
	struct output o = {0};
	u32 i;

	(void)state;
	make_events(&o);
	assert_true(made_stat_machine(&o.m, "smt"));
	begin(&o, STAT_PER_SOCKET, NULL, 0);
	for (i = 0; i < o.m.shape.nr_places; i++)
		count(&o, i, 1000, 500);
	stat_table_fill(&o.t, &o.m.reading);
	is_csv(&o, true,
	       "socket,cpus,GHz,insn per cycle,branch-misses of all branches,\n"
	       "S0,8,1.000,0.50,12.50,\nS1,7,1.000,0.50,12.50,\n");
	end(&o);
}

static void nothing(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_clock(&o.m);
	made_stat_switches(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL, NULL, 0);
	assert_int_equal(o.r.nr, 0);
	is_csv(&o, true, "\n");
	end(&o);
}

static void memory_runs_out(void **state)
{
	struct output o = {0};

	(void)state;
	make_events(&o);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL, NULL, 0);
	stat_ratios_free(&o.r);
	oom_after(0);
	assert_int_equal(stat_ratios_find(&o.r, &o.m.shape, &o.d, NULL), -ENOMEM);
	assert_true(oom_stop());
	end(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(not_counted),
		cmocka_unit_test(by_name),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(parts_and_intervals),
		cmocka_unit_test(cores),
		cmocka_unit_test(nothing),
		cmocka_unit_test(memory_runs_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat_ratios", tests, NULL, NULL);
}
