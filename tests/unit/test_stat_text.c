// SPDX-License-Identifier: GPL-2.0
/* The table that people read, to the byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_stat.h"
#include "util/format/stat_view.h"

#define NO_COLOURS                                                                 \
	{                                                                          \
		.dim = "", .less_good = "", .nearly_bad = "", .bad = "", .off = "" \
	}

struct output {
	struct made_stat m;
	struct stat_table t;
	struct stat_derivations d;
	struct stat_view v;
	struct stat_text text;
	struct buf b;
};

static void begin(struct output *o, enum stat_aggregation by)
{
	assert_true(made_stat_begin(&o->m));
	assert_int_equal(stat_table_init(&o->t, &o->m.shape, by, &o->m.topology, NULL), 0);
	assert_int_equal(stat_derivations_init(&o->d, &o->m.shape, NULL, 0, NULL), 0);
	o->v = (struct stat_view){.table = &o->t, .derivations = &o->d};
	o->text = (struct stat_text){.colours = NO_COLOURS, .header_every = 2};
}

static void is_text(struct output *o, const char *want)
{
	buf_clear(&o->b);
	stat_table_fill(&o->t, &o->m.reading);
	stat_text(&o->b, &o->text, &o->v);
	assert_string_equal(buf_str(&o->b), want);
}

static void end(struct output *o)
{
	stat_derivations_free(&o->d);
	stat_table_free(&o->t);
	made_stat_free(&o->m);
	buf_free(&o->b);
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
	made_stat_count(&o.m, 0, 0, 10690000, 10690000, 10690000);
	made_stat_count(&o.m, 1, 0, 6, 10690000, 10690000);
	made_stat_count(&o.m, 3, 0, 1234567, 100, 25);
	is_text(&o,
		"             10.69 msec task-clock                       #    0.021 CPUs utilized\n"
		"                 6      cs                               #  561.272 /sec\n"
		"   <not supported>      cycles\n"
		"           4938268      page-faults                      #  461.952 M/sec"
		"                       (25.00%)\n");
	o.text.big_numbers = true;
	o.text.colours = (struct stat_colours){"[d]", "[y]", "[y]", "[r]", "[o]"};
	is_text(&o,
		"             10.69 msec task-clock                       #    0.021 CPUs utilized\n"
		"                 6      cs                               #  561.272 /sec\n"
		"[d]   <not supported>[o]      cycles\n"
		"         4,938,268      page-faults                      #  461.952 M/sec"
		"                       (25.00%)\n");
	end(&o);
}

static void grouping(void **state)
{
	static const struct {
		u64 count;
		const char *text;
	} all[] = {
		{0, "                 0      cs\n"},
		{999, "               999      cs\n"},
		{1000, "             1,000      cs\n"},
		{123456, "           123,456      cs\n"},
		{1234567, "         1,234,567      cs\n"},
		{1000000000000, " 1,000,000,000,000      cs\n"},
	};
	struct output o = {0};
	u32 i;

	(void)state;
	made_stat_switches(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	o.text.big_numbers = true;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		made_stat_count(&o.m, 0, 0, all[i].count, 10, 10);
		is_text(&o, all[i].text);
	}
	end(&o);
}

static void by_cpu(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_switches(&o.m);
	made_stat_place(&o.m, 0, -1, "");
	made_stat_place(&o.m, 10, -1, "");
	begin(&o, STAT_PER_CPU);
	made_stat_count(&o.m, 0, 0, 5, 10, 10);
	made_stat_count(&o.m, 0, 1, 7, 10, 0);
	is_text(&o, "CPU0                    5      cs\n"
		    "CPU10       <not counted>      cs\n");
	end(&o);
}

static void by_topology(void **state)
{
	static const struct {
		enum stat_aggregation by;
		const char *text;
	} all[] = {
		{STAT_PER_SOCKET, "S0        4                 10      cs\n"
				  "S1        4                 26      cs\n"},
		{STAT_PER_NODE, "N0        4                 10      cs\n"
				"N1        4                 26      cs\n"},
		{STAT_PER_DIE, "S0-D0           2                  3      cs\n"
			       "S0-D1           2                  7      cs\n"
			       "S1-D0           2                 11      cs\n"
			       "S1-D1           2                 15      cs\n"},
		{STAT_PER_CORE, "S0-D0-C0              1                  1      cs\n"
				"S0-D0-C1              1                  2      cs\n"
				"S0-D1-C2              1                  3      cs\n"
				"S0-D1-C3              1                  4      cs\n"
				"S1-D0-C0              1                  5      cs\n"
				"S1-D0-C1              1                  6      cs\n"
				"S1-D1-C2              1                  7      cs\n"
				"S1-D1-C3              1                  8      cs\n"},
	};
	u32 i, p;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct output o = {0};

		made_stat_switches(&o.m);
		assert_true(made_stat_machine(&o.m, "smt"));
		o.m.shape.nr_places = 8;
		begin(&o, all[i].by);
		for (p = 0; p < 8; p++)
			made_stat_count(&o.m, 0, p, p + 1, 10, 10);
		is_text(&o, all[i].text);
		end(&o);
	}
}

static void by_thread(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_switches(&o.m);
	made_stat_place(&o.m, ID_NONE, 2405, "bash");
	made_stat_place(&o.m, ID_NONE, 12345678, "a\x1b[2J");
	begin(&o, STAT_PER_THREAD);
	made_stat_count(&o.m, 0, 0, 5, 10, 10);
	is_text(&o, "            bash-2405                     5      cs\n"
		    "        a\\x1b[2J-12345678                  0      cs\n");
	end(&o);
}

static void cgroups(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_switches(&o.m)->cgroup = "/";
	made_stat_clock(&o.m)->cgroup = "/";
	made_stat_switches(&o.m)->cgroup = "web";
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	made_stat_count(&o.m, 0, 0, 5, 10, 10);
	made_stat_count(&o.m, 1, 0, 100000000, 10, 10);
	is_text(&o,
		"                 5      cs                               /                #   50.000"
		" /sec\n"
		"            100.00 msec task-clock                       /                #    0.200"
		" CPUs utilized\n"
		"                 0      cs                               web\n");
	end(&o);
}

static void second_value(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_event(&o.m, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	made_stat_event(&o.m, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	made_stat_event(&o.m, "stalled-cycles-backend", PERF_TYPE_HARDWARE,
			PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	o.text.colours = (struct stat_colours){"", "<y>", "<y>", "<r>", "<o>"};
	made_stat_count(&o.m, 0, 0, 100, 10, 5);
	made_stat_count(&o.m, 1, 0, 100, 10, 10);
	made_stat_count(&o.m, 2, 0, 80, 10, 10);
	is_text(&o,
		"               200      instructions                     #    2.00  insn per cycle\n"
		"                                                         #    0.40  stalled cycles per"
		" insn     (50.00%)\n"
		"               100      cycles\n"
		"                80      stalled-cycles-backend           # <r>  80.00%<o> backend"
		" cycles idle\n");
	end(&o);
}

static void intervals(void **state)
{
	static const char row[] = "     0.500000000                  5      cs\n";
	static const char head[] = "#           time             counts unit events\n";
	struct output o = {0};
	char want[256];

	(void)state;
	made_stat_switches(&o.m);
	made_stat_place(&o.m, 0, -1, "");
	begin(&o, STAT_GLOBAL);
	o.v.interval = true;
	made_stat_count(&o.m, 0, 0, 5, 10, 10);
	snprintf(want, sizeof(want), "%s%s", head, row);
	is_text(&o, want);
	is_text(&o, row);
	is_text(&o, want); /* every second one here */
	o.text.header_every = 0;
	is_text(&o, row);
	is_text(&o, row);
	end(&o);
}

static void columns(void **state)
{
	static const struct {
		enum stat_aggregation by;
		const char *head, *row;
	} all[] = {
		{STAT_PER_CPU, "#           time cpu                counts unit events\n",
		 "     0.500000000 CPU0                    5      cs\n"},
		{STAT_PER_SOCKET, "#           time socket cpus             counts unit events\n",
		 "     0.500000000 S0        1                  5      cs\n"},
		{STAT_PER_NODE, "#           time node   cpus             counts unit events\n",
		 "     0.500000000 N0        1                  5      cs\n"},
		{STAT_PER_DIE,
		 "#           time die          cpus             counts unit events\n",
		 "     0.500000000 S0-D0           1                  5      cs\n"},
		{STAT_PER_CLUSTER,
		 "#           time cluster              cpus             counts unit events\n",
		 "     0.500000000 S0-D0-CLS0              1                  5      cs\n"},
		{STAT_PER_CORE,
		 "#           time core               cpus             counts unit events\n",
		 "     0.500000000 S0-D0-C0              1                  5      cs\n"},
		{STAT_PER_THREAD,
		 "#           time             comm-pid                 counts unit events\n",
		 "     0.500000000             init-1                        5      cs\n"},
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct output o = {0};
		char want[256];

		made_stat_switches(&o.m);
		assert_true(made_stat_machine(&o.m, "smt"));
		o.m.shape.nr_places = 1;
		o.m.places[0].tid = 1;
		strcpy(o.m.places[0].comm, "init");
		begin(&o, all[i].by);
		o.v.interval = true;
		made_stat_count(&o.m, 0, 0, 5, 10, 10);
		snprintf(want, sizeof(want), "%s%s", all[i].head, all[i].row);
		is_text(&o, want);
		end(&o);
	}
}

static void title(void **state)
{
	struct buf b = {0};

	(void)state;
	stat_text_title(&b, "'sleep 1'", 1);
	assert_string_equal(buf_str(&b), "\n Performance counter stats for 'sleep 1':\n\n");
	buf_clear(&b);
	stat_text_title(&b, "'a\tb'", 3);
	assert_string_equal(buf_str(&b),
			    "\n Performance counter stats for 'a\\x09b' (3 runs):\n\n");
	buf_free(&b);
}

static void footer(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_switches(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	stat_text_footer(&o.b, &o.v, &o.m.reading, true, false);
	assert_string_equal(buf_str(&o.b), "\n       0.500000000 seconds time elapsed\n\n");
	buf_clear(&o.b);
	o.m.reading.ended = true;
	o.m.reading.user_ns = 11225000;
	stat_text_footer(&o.b, &o.v, &o.m.reading, true, false);
	assert_string_equal(buf_str(&o.b), "\n       0.500000000 seconds time elapsed\n\n"
					   "       0.011225000 seconds user\n"
					   "       0.000000000 seconds sys\n\n\n");
	buf_clear(&o.b);
	stat_text_footer(&o.b, &o.v, &o.m.reading, false, false);
	assert_string_equal(buf_str(&o.b), "\n       0.500000000 seconds time elapsed\n\n");
	end(&o);
}

/* The runs of a measured `perf stat -r 3 --table`, and what it made of them. */
static void repeated(void **state)
{
	static const u64 elapsed[] = {23930000, 27490000, 21120000};
	struct output o = {0};
	struct stat_runs runs;
	u32 i;

	(void)state;
	made_stat_clock(&o.m);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	assert_int_equal(stat_runs_init(&runs, &o.t, NULL), 0);
	for (i = 0; i < 3; i++) {
		made_stat_count(&o.m, 0, 0, (i + 1) * 1000000, 10, 10);
		o.m.reading.end_ns = o.m.reading.start_ns + elapsed[i];
		stat_table_fill(&o.t, &o.m.reading);
		assert_int_equal(stat_runs_add(&runs, &o.t, NULL), 0);
	}
	assert_int_equal(stat_runs_end(&runs, &o.t, NULL), 0);
	o.v.runs = &runs;
	stat_text(&o.b, &o.text, &o.v);
	stat_text_footer(&o.b, &o.v, &o.m.reading, true, true);
	assert_string_equal(
		buf_str(&o.b),
		"              2.00 msec task-clock                       #    0.083 CPUs utilized"
		"               ( +- 28.87% )\n"
		"\n"
		"           # Table of individual measurements:\n"
		"           0.02393 (-0.00025) #\n"
		"           0.02749 (+0.00331) ###\n"
		"           0.02112 (-0.00306) ###\n"
		"\n"
		"           # Final result:\n"
		"           0.02418 +- 0.00184 seconds time elapsed  ( +-  7.62% )\n"
		"           0.02393 +- 0.00281 seconds, median and median absolute deviation\n\n");
	stat_runs_free(&runs);
	end(&o);
}

static void reasons(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_switches(&o.m);
	made_stat_unsupported(&o.m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	made_stat_place(&o.m, 0, -1, "");
	made_stat_place(&o.m, 1, -1, "");
	begin(&o, STAT_PER_CPU);
	made_stat_count(&o.m, 0, 1, 5, 10, 0);
	stat_table_fill(&o.t, &o.m.reading);
	stat_text_reasons(&o.b, &o.v);
	assert_string_equal(
		buf_str(&o.b),
		"cs, CPU1: <not counted>: other events had the hardware counters all the time\n"
		"cycles: <not supported>: this machine has no counter for it\n");
	end(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),     cmocka_unit_test(grouping),
		cmocka_unit_test(by_cpu),    cmocka_unit_test(by_topology),
		cmocka_unit_test(by_thread), cmocka_unit_test(cgroups),
		cmocka_unit_test(columns),   cmocka_unit_test(second_value),
		cmocka_unit_test(intervals), cmocka_unit_test(title),
		cmocka_unit_test(footer),    cmocka_unit_test(repeated),
		cmocka_unit_test(reasons),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat_text", tests, NULL, NULL);
}
