// SPDX-License-Identifier: GPL-2.0
/* Counts as JSON: perf's keys, and our own. Real parsers read them in tests/cli/stat-json.t. */
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

static void is_json(struct output *o, void (*form)(struct buf *, const struct stat_view *),
		    const char *want)
{
	struct buf b = {0};

	form(&b, &o->v);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void end(struct output *o)
{
	stat_derivations_free(&o->d);
	stat_table_free(&o->t);
	made_stat_free(&o->m);
}

static void perf_whole(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_clock(&o.m);
	made_stat_switches(&o.m)->cgroup = "/";
	made_stat_unsupported(&o.m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	made_stat_count(&o.m, 0, 0, 10590657, 10590657, 10590657);
	made_stat_count(&o.m, 1, 0, 10, 30, 20);
	stat_table_fill(&o.t, &o.m.reading);
	o.v.interval = true;
	is_json(&o, stat_json,
		"{\"interval\" : 0.500000000, \"counter-value\" : \"10.590657\", \"unit\" : \"msec\", "
		"\"event\" : \"task-clock\", \"cgroup\" : \"\", \"event-runtime\" : 10590657, "
		"\"pcnt-running\" : 100.00, \"metric-value\" : \"0.021181\", "
		"\"metric-unit\" : \"CPUs utilized\"}\n"
		"{\"interval\" : 0.500000000, \"counter-value\" : \"15.000000\", \"unit\" : \"\", "
		"\"event\" : \"cs\", \"cgroup\" : \"/\", \"event-runtime\" : 20, "
		"\"pcnt-running\" : 66.67, \"metric-value\" : \"0.000000\", "
		"\"metric-unit\" : \"\"}\n"
		"{\"interval\" : 0.500000000, \"counter-value\" : \"<not supported>\", "
		"\"unit\" : \"\", \"event\" : \"cycles\", \"cgroup\" : \"\", "
		"\"event-runtime\" : 0, \"pcnt-running\" : 100.00, "
		"\"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n");
	end(&o);
}

static void perf_keys(void **state)
{
	static const struct {
		enum stat_aggregation by;
		const char *key;
	} all[] = {
		{STAT_PER_CPU, "\"cpu\" : \"0\""},
		{STAT_PER_CORE, "\"core\" : \"S0-D0-C0\", \"aggregate-number\" : 1"},
		{STAT_PER_CLUSTER, "\"cluster\" : \"S0-D0-CLS0\", \"aggregate-number\" : 1"},
		{STAT_PER_DIE, "\"die\" : \"S0-D0\", \"aggregate-number\" : 1"},
		{STAT_PER_SOCKET, "\"socket\" : \"S0\", \"aggregate-number\" : 1"},
		{STAT_PER_NODE, "\"node\" : \"N0\", \"aggregate-number\" : 1"},
		{STAT_PER_THREAD, "\"thread\" : \"a\\\"b-2405\""},
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct output o = {0};
		char want[512];

		made_stat_switches(&o.m);
		assert_true(made_stat_machine(&o.m, "smt"));
		o.m.shape.nr_places = 1;
		o.m.places[0].tid = 2405;
		strcpy(o.m.places[0].comm, "a\"b");
		begin(&o, all[i].by);
		made_stat_count(&o.m, 0, 0, 3, 10, 10);
		stat_table_fill(&o.t, &o.m.reading);
		snprintf(want, sizeof(want),
			 "{%s, \"counter-value\" : \"3.000000\", \"unit\" : \"\", \"event\" : "
			 "\"cs\", \"event-runtime\" : 10, \"pcnt-running\" : 100.00, "
			 "\"metric-value\" : \"0.000000\", \"metric-unit\" : \"\"}\n",
			 all[i].key);
		is_json(&o, stat_json, want);
		end(&o);
	}
}

static void perf_second_value_and_noise(void **state)
{
	struct output o = {0};
	struct stat_runs runs;
	u32 i;

	(void)state;
	made_stat_event(&o.m, "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	made_stat_event(&o.m, "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	made_stat_event(&o.m, "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
			PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	made_stat_place(&o.m, 3, -1, "");
	begin(&o, STAT_PER_CPU);
	made_stat_count(&o.m, 1, 0, 100, 10, 10);
	made_stat_count(&o.m, 2, 0, 80, 10, 10);
	assert_int_equal(stat_runs_init(&runs, &o.t, NULL), 0);
	for (i = 0; i < 2; i++) {
		made_stat_count(&o.m, 0, 0, 190 + 20 * i, 10, 10);
		stat_table_fill(&o.t, &o.m.reading);
		assert_int_equal(stat_runs_add(&runs, &o.t, NULL), 0);
	}
	assert_int_equal(stat_runs_end(&runs, &o.t, NULL), 0);
	o.v.runs = &runs;
	is_json(&o, stat_json,
		"{\"cpu\" : \"3\", \"counter-value\" : \"200.000000\", \"unit\" : \"\", "
		"\"event\" : \"instructions\", \"variance\" : 5.00, \"event-runtime\" : 10, "
		"\"pcnt-running\" : 100.00, \"metric-value\" : \"2.000000\", "
		"\"metric-unit\" : \"insn per cycle\"}\n"
		"{\"cpu\" : \"3\", \"metric-value\" : \"0.400000\", "
		"\"metric-unit\" : \"stalled cycles per insn\"}\n"
		"{\"cpu\" : \"3\", \"counter-value\" : \"100.000000\", \"unit\" : \"\", "
		"\"event\" : \"cycles\", \"variance\" : 0.00, \"event-runtime\" : 10, "
		"\"pcnt-running\" : 100.00, \"metric-value\" : \"0.000000\", "
		"\"metric-unit\" : \"\"}\n"
		"{\"cpu\" : \"3\", \"counter-value\" : \"80.000000\", \"unit\" : \"\", "
		"\"event\" : \"stalled-cycles-frontend\", \"variance\" : 0.00, "
		"\"event-runtime\" : 10, \"pcnt-running\" : 100.00, "
		"\"metric-value\" : \"80.000000\", \"metric-unit\" : \"frontend cycles idle\"}\n");
	stat_runs_free(&runs);
	end(&o);
}

static void lines_whole(void **state)
{
	struct output o = {0};

	(void)state;
	made_stat_clock(&o.m);
	made_stat_switches(&o.m)->cgroup = "/";
	made_stat_unsupported(&o.m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	made_stat_command(&o.m);
	begin(&o, STAT_GLOBAL);
	made_stat_count(&o.m, 0, 0, 10500000, 10500000, 10500000);
	made_stat_count(&o.m, 1, 0, (1ull << 53) + 1, 40, 40);
	o.m.reading.start_ns += 1000;
	stat_table_fill(&o.t, &o.m.reading);
	o.v.interval = true;
	is_json(&o, stat_json_lines,
		"{\"type\":\"counter\",\"start_ns\":1000,\"end_ns\":500000000,\"counters\":1,"
		"\"event\":\"task-clock\",\"unit\":\"msec\",\"cgroup\":null,\"value\":10.5,"
		"\"state\":\"counted\",\"reason\":null,\"enabled_ns\":10500000,"
		"\"running_ns\":10500000,\"running_pct\":100,\"derived\":[{\"name\":null,"
		"\"value\":0.021000042000084,\"unit\":\"CPUs utilized\"}]}\n"
		"{\"type\":\"counter\",\"start_ns\":1000,\"end_ns\":500000000,\"counters\":1,"
		"\"event\":\"cs\",\"unit\":null,\"cgroup\":\"/\",\"value\":9007199254740993,"
		"\"state\":\"counted\",\"reason\":null,\"enabled_ns\":40,\"running_ns\":40,"
		"\"running_pct\":100,\"derived\":[]}\n"
		"{\"type\":\"counter\",\"start_ns\":1000,\"end_ns\":500000000,\"counters\":1,"
		"\"event\":\"cycles\",\"unit\":null,\"cgroup\":null,\"value\":null,"
		"\"state\":\"not-supported\",\"reason\":\"this machine has no counter for it\","
		"\"enabled_ns\":null,\"running_ns\":null,\"running_pct\":null,\"derived\":[]}\n");
	end(&o);
}

static void lines_keys(void **state)
{
	static const struct {
		enum stat_aggregation by;
		const char *key;
	} all[] = {
		{STAT_PER_CPU, "\"cpu\":4,\"cpu_type\":\"cpu_atom\""},
		{STAT_PER_CORE,
		 "\"socket\":0,\"die\":0,\"cluster\":16,\"core\":8,\"cpu_type\":\"cpu_atom\""},
		{STAT_PER_CLUSTER, "\"socket\":0,\"die\":0,\"cluster\":16"},
		{STAT_PER_DIE, "\"socket\":0,\"die\":0"},
		{STAT_PER_SOCKET, "\"socket\":0"},
		{STAT_PER_NODE, "\"node\":0"},
		{STAT_PER_THREAD, "\"pid\":2400,\"tid\":2405,\"comm\":\"b\\u0001\""},
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct output o = {0};
		char want[512];

		made_stat_switches(&o.m);
		assert_true(made_stat_machine(&o.m, "hybrid"));
		o.m.shape.nr_places = 1;
		o.m.places[0] = (struct stat_place){.cpu = 4, .tid = 2405, .pid = 2400};
		strcpy(o.m.places[0].comm, "b\1");
		begin(&o, all[i].by);
		stat_table_fill(&o.t, &o.m.reading);
		o.v.summary = true;
		snprintf(want, sizeof(want),
			 "{\"type\":\"counter\",\"start_ns\":0,\"end_ns\":500000000,"
			 "\"summary\":true,%s,\"counters\":1,\"event\":\"cs\",\"unit\":null,"
			 "\"cgroup\":null,\"value\":0,\"state\":\"counted\",\"reason\":null,"
			 "\"enabled_ns\":0,\"running_ns\":0,\"running_pct\":100,\"derived\":[]}\n",
			 all[i].key);
		is_json(&o, stat_json_lines, want);
		end(&o);
	}
}

static void lines_repeated(void **state)
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
	for (i = 0; i < 4; i++) {
		made_stat_count(&o.m, 0, 0, i & 1 ? 6 : 2, 10, 10);
		o.m.reading.end_ns = o.m.reading.start_ns + 10 * (i + 1);
		stat_table_fill(&o.t, &o.m.reading);
		assert_int_equal(stat_runs_add(&runs, &o.t, NULL), 0);
	}
	assert_int_equal(stat_runs_end(&runs, &o.t, NULL), 0);
	o.v.runs = &runs;
	is_json(&o, stat_json_lines,
		"{\"type\":\"counter\",\"start_ns\":0,\"end_ns\":40,\"counters\":1,"
		"\"event\":\"cs\",\"unit\":null,\"cgroup\":null,\"value\":4,"
		"\"state\":\"counted\",\"reason\":null,\"enabled_ns\":10,\"running_ns\":10,"
		"\"running_pct\":100,\"runs\":4,\"stddev_pct\":57.735026918962575,"
		"\"stderr_pct\":28.867513459481287,\"median\":4,\"mad\":2,\"min\":2,\"max\":6,"
		"\"derived\":[]}\n"
		"{\"type\":\"counter\",\"start_ns\":0,\"end_ns\":40,\"counters\":1,"
		"\"event\":\"cycles\",\"unit\":null,\"cgroup\":null,\"value\":null,"
		"\"state\":\"not-supported\",\"reason\":\"this machine has no counter for it\","
		"\"enabled_ns\":null,\"running_ns\":null,\"running_pct\":null,\"runs\":0,"
		"\"stddev_pct\":null,\"stderr_pct\":null,\"median\":null,\"mad\":null,"
		"\"min\":null,\"max\":null,\"derived\":[]}\n");
	stat_json_summary(&b, &o.m.reading, &runs);
	assert_string_equal(buf_str(&b),
			    "{\"type\":\"summary\",\"runs\":4,\"elapsed_ns\":25,"
			    "\"elapsed_median_ns\":25,\"elapsed_mad_ns\":10,\"user_ns\":null,"
			    "\"sys_ns\":null,\"maxrss_kb\":null,\"exit_status\":null,"
			    "\"signal\":null}\n");
	buf_free(&b);
	stat_runs_free(&runs);
	end(&o);
}

static void summary(void **state)
{
	struct stat_reading r = {.origin_ns = 100, .start_ns = 1100, .end_ns = 5100};
	struct buf b = {0};

	(void)state;
	r.ended = true;
	r.user_ns = 7;
	r.sys_ns = 8;
	r.maxrss_kb = 1234;
	r.wait_status = 3 << 8;
	stat_json_summary(&b, &r, NULL);
	assert_string_equal(buf_str(&b),
			    "{\"type\":\"summary\",\"elapsed_ns\":5000,\"user_ns\":7,\"sys_ns\":8,"
			    "\"maxrss_kb\":1234,\"exit_status\":3,\"signal\":null}\n");
	buf_clear(&b);
	r.wait_status = 9;
	stat_json_summary(&b, &r, NULL);
	assert_string_equal(buf_str(&b),
			    "{\"type\":\"summary\",\"elapsed_ns\":5000,\"user_ns\":7,\"sys_ns\":8,"
			    "\"maxrss_kb\":1234,\"exit_status\":null,\"signal\":9}\n");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_whole),
		cmocka_unit_test(perf_keys),
		cmocka_unit_test(perf_second_value_and_noise),
		cmocka_unit_test(lines_whole),
		cmocka_unit_test(lines_keys),
		cmocka_unit_test(lines_repeated),
		cmocka_unit_test(summary),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat_json", tests, NULL, NULL);
}
