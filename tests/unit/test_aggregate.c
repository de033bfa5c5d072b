// SPDX-License-Identifier: GPL-2.0
/* Counts of many places as the rows that are asked for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_stat.h"
#include "tests/unit/oom.h"
#include "util/stat/aggregate.h"

/* "KEY counters total" of all rows, by event or by key as they are printed. */
static void print(const struct stat_table *t, struct buf *b)
{
	const struct stat_cell *c;
	u32 event, key;
	size_t i;

	for (i = 0; stat_table_nth(t, i, &event, &key); i++) {
		if (!stat_table_shows(t, event, key))
			continue;
		c = stat_table_cell(t, event, key);
		stat_key_print(&t->keys[key], t->by, b);
		if (c->state == STAT_COUNTED)
			buf_addf(b, " %u %llu;", c->counters, (unsigned long long)c->total);
		else
			buf_addf(b, " %u %s;", c->counters,
				 c->state == STAT_NOT_COUNTED ? "not counted" : "not supported");
	}
}

static void is_table(struct made_stat *m, enum stat_aggregation by, const char *want)
{
	struct stat_table t;
	struct buf b = {0};

	assert_int_equal(stat_table_init(&t, &m->shape, by, &m->topology, NULL), 0);
	stat_table_fill(&t, &m->reading);
	print(&t, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
	stat_table_free(&t);
}

/* One event; on CPU n it has counted 2 to the power of n. */
static void begin(struct made_stat *m, const char *machine)
{
	u32 p;

	made_stat_switches(m);
	assert_true(made_stat_machine(m, machine));
	assert_true(made_stat_begin(m));
	for (p = 0; p < m->shape.nr_places; p++)
		made_stat_count(m, 0, p, 1ull << m->places[p].cpu, 10, 10);
}

static void server(void **state)
{
	struct made_stat m = {0};

	(void)state;
	begin(&m, "smt");
	is_table(&m, STAT_GLOBAL, " 15 49151;");
	is_table(&m, STAT_PER_SOCKET, "S0 8 3855;S1 7 45296;");
	is_table(&m, STAT_PER_NODE, "N0 8 3855;N1 7 45296;");
	is_table(&m, STAT_PER_DIE, "S0-D0 4 771;S0-D1 4 3084;S1-D0 4 12336;S1-D1 3 32960;");
	/* the sibling of CPU 6 is offline */
	is_table(&m, STAT_PER_CORE,
		 "S0-D0-C0 2 257;S0-D0-C1 2 514;S0-D1-C2 2 1028;S0-D1-C3 2 2056;"
		 "S1-D0-C0 2 4112;S1-D0-C1 2 8224;S1-D1-C2 1 64;S1-D1-C3 2 32896;");
	is_table(&m, STAT_PER_CPU,
		 "CPU0 1 1;CPU1 1 2;CPU2 1 4;CPU3 1 8;CPU4 1 16;CPU5 1 32;CPU6 1 64;CPU7 1 128;"
		 "CPU8 1 256;CPU9 1 512;CPU10 1 1024;CPU11 1 2048;CPU12 1 4096;CPU13 1 8192;"
		 "CPU15 1 32768;");
	made_stat_free(&m);
}

static void hybrid(void **state)
{
	struct made_stat m = {0};

	(void)state;
	begin(&m, "hybrid");
	is_table(&m, STAT_PER_CORE,
		 "S0-D0-C0 2 3;S0-D0-C4 2 12;S0-D0-C8 1 16;S0-D0-C9 1 32;S0-D0-C10 1 64;"
		 "S0-D0-C11 1 128;");
	is_table(&m, STAT_PER_CLUSTER, "S0-D0-CLS0 2 3;S0-D0-CLS8 2 12;S0-D0-CLS16 4 240;");
	made_stat_free(&m);
}

/* Cores of two clusters have the same numbers. */
static void arm64(void **state)
{
	struct made_stat m = {0};

	(void)state;
	begin(&m, "arm64");
	is_table(&m, STAT_PER_SOCKET, "S0 6 63;");
	is_table(&m, STAT_PER_CLUSTER, "S0-D0-CLS0 4 15;S0-D0-CLS1 2 48;");
	is_table(&m, STAT_PER_CORE,
		 "S0-D0-C0 1 1;S0-D0-C1 1 2;S0-D0-C2 1 4;S0-D0-C3 1 8;S0-D0-C0 1 16;"
		 "S0-D0-C1 1 32;");
	made_stat_free(&m);
}

/* One CPU of each package counts for it; the other rows have nothing to show. */
static void uncore(void **state)
{
	static const u32 cpus[] = {0, 4};
	struct made_stat m = {0};
	struct stat_event *e;
	u32 p;

	(void)state;
	made_stat_switches(&m);
	e = made_stat_event(&m, "uncore_imc_0/event=1/", 18, 1);
	e->cpus = cpus;
	e->nr_cpus = 2;
	assert_true(made_stat_machine(&m, "smt"));
	assert_true(made_stat_begin(&m));
	for (p = 0; p < m.shape.nr_places; p++)
		m.reading.valid[stat_index(&m.shape, 1, p)] = m.places[p].cpu % 4 == 0;
	made_stat_count(&m, 1, 0, 7, 10, 10);
	made_stat_count(&m, 1, 4, 9, 10, 10);
	is_table(&m, STAT_PER_SOCKET, "S0 8 0;S0 1 7;S1 7 0;S1 1 9;");
	is_table(&m, STAT_PER_DIE, "S0-D0 4 0;S0-D0 1 7;S0-D1 4 0;S1-D0 4 0;S1-D0 1 9;S1-D1 3 0;");
	is_table(&m, STAT_GLOBAL, " 15 0; 2 16;");
	made_stat_free(&m);
}

/* Units of one kind are one row, the first's, wherever each of them counts. */
static void units(void **state)
{
	static const u32 cpus[] = {0, 4};
	struct made_stat m = {0};
	struct stat_event *e;
	u32 p, i;

	(void)state;
	for (i = 0; i < 3; i++) {
		e = made_stat_event(&m, "uncore_imc/event=1/", 18 + i, 1);
		e->cpus = cpus;
		e->nr_cpus = 2;
		e->is_part = i == 2;
	}
	assert_true(made_stat_machine(&m, "smt"));
	assert_true(made_stat_begin(&m));
	for (i = 0; i < 3; i++)
		for (p = 0; p < m.shape.nr_places; p++)
			m.reading.valid[stat_index(&m.shape, i, p)] = m.places[p].cpu % 4 == 0;
	made_stat_count(&m, 0, 0, 7, 10, 10);
	made_stat_count(&m, 1, 0, 1000, 10, 10);
	made_stat_count(&m, 2, 0, 20, 10, 5);
	made_stat_count(&m, 2, 4, 9, 10, 10);
	is_table(&m, STAT_PER_SOCKET, "S0 2 47;S0 1 1000;S1 2 9;S1 1 0;");
	is_table(&m, STAT_GLOBAL, " 4 56; 2 1000;");
	/* one that had no counter: then there is no sum */
	made_stat_count(&m, 2, 4, 0, 10, 0);
	is_table(&m, STAT_GLOBAL, " 4 not counted; 2 1000;");
	made_stat_free(&m);
}

static void states(void **state)
{
	struct made_stat m = {0};
	struct stat_table t;

	(void)state;
	made_stat_switches(&m);
	made_stat_unsupported(&m, "cycles", PERF_COUNT_HW_CPU_CYCLES);
	assert_true(made_stat_machine(&m, "smt"));
	assert_true(made_stat_begin(&m));
	made_stat_count(&m, 0, 0, 100, 40, 20); /* half the time */
	made_stat_count(&m, 0, 1, 100, 40, 40);
	made_stat_count(&m, 0, 4, 100, 40, 0); /* never */
	m.reading.valid[5] = false;            /* gone */
	is_table(&m, STAT_PER_SOCKET,
		 "S0 8 300;S0 8 not supported;S1 6 not counted;S1 7 not supported;");
	assert_int_equal(stat_table_init(&t, &m.shape, STAT_PER_CPU, &m.topology, NULL), 0);
	stat_table_fill(&t, &m.reading);
	assert_int_equal(stat_table_cell(&t, 0, 0)->total, 200);
	assert_int_equal(stat_table_cell(&t, 0, 0)->enabled, 40);
	assert_int_equal(stat_table_cell(&t, 0, 0)->running, 20);
	assert_int_equal(stat_table_cell(&t, 0, 2)->state, STAT_COUNTED); /* nothing happened */
	assert_non_null(strstr(stat_table_cell(&t, 0, 4)->reason, "other events"));
	assert_non_null(strstr(stat_table_cell(&t, 0, 5)->reason, "gone"));
	assert_non_null(strstr(stat_table_cell(&t, 1, 5)->reason, "no counter"));
	assert_string_equal(stat_table_cell(&t, 0, 2)->reason, "");
	t.unscaled = true;
	stat_table_fill(&t, &m.reading);
	assert_int_equal(stat_table_cell(&t, 0, 0)->total, 100);
	stat_table_free(&t);
	made_stat_free(&m);
}

static void threads(void **state)
{
	struct made_stat m = {0};
	struct stat_table t;
	struct buf b = {0};

	(void)state;
	made_stat_switches(&m);
	made_stat_place(&m, ID_NONE, 12, "one");
	made_stat_place(&m, ID_NONE, 7, "a\nb");
	made_stat_place(&m, ID_NONE, 9, "idle");
	assert_true(made_stat_begin(&m));
	made_stat_count(&m, 0, 0, 1, 10, 10);
	made_stat_count(&m, 0, 1, 2, 10, 10);
	is_table(&m, STAT_PER_THREAD, "a\\x0ab-7 1 2;idle-9 1 0;one-12 1 1;");
	is_table(&m, STAT_GLOBAL, " 3 3;");
	assert_int_equal(stat_table_init(&t, &m.shape, STAT_PER_THREAD, NULL, NULL), 0);
	t.skip_zeros = true;
	stat_table_fill(&t, &m.reading);
	print(&t, &b);
	assert_string_equal(buf_str(&b), "a\\x0ab-7 1 2;one-12 1 1;");
	buf_free(&b);
	stat_table_free(&t);
	made_stat_free(&m);
}

/* Threads, and beside them an event of whole packages, which counts everybody. */
static void threads_and_uncore(void **state)
{
	static const u32 cpus[] = {0, 4};
	struct made_stat m = {0};
	struct stat_event *e;

	(void)state;
	made_stat_switches(&m);
	e = made_stat_event(&m, "uncore_imc_0/event=1/", 18, 1);
	e->cpus = cpus;
	e->nr_cpus = 2;
	made_stat_place(&m, ID_NONE, 12, "one");
	made_stat_place(&m, ID_NONE, 13, "gone");
	made_stat_place(&m, 0, -1, "");
	made_stat_place(&m, 4, -1, "");
	assert_true(made_stat_begin(&m));
	m.reading.valid[1] = m.reading.valid[2] = m.reading.valid[3] = false;
	m.reading.valid[4] = m.reading.valid[5] = false;
	made_stat_count(&m, 0, 0, 3, 10, 10);
	made_stat_count(&m, 1, 2, 7, 10, 10);
	made_stat_count(&m, 1, 3, 8, 10, 10);
	is_table(&m, STAT_PER_THREAD, "one-12 1 3;gone-13 1 not counted;(all)--1 2 15;");
	is_table(&m, STAT_GLOBAL, " 1 3; 2 15;");
	made_stat_free(&m);
}

/* What the program measures itself stands in one row. */
static void tools(void **state)
{
	struct made_stat m = {0};
	struct stat_event *e;
	u32 p;

	(void)state;
	e = made_stat_event(&m, "duration_time", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	e->tool = STAT_DURATION_TIME;
	assert_true(made_stat_machine(&m, "arm64"));
	assert_true(made_stat_begin(&m));
	for (p = 1; p < m.shape.nr_places; p++)
		m.reading.valid[p] = false;
	made_stat_count(&m, 0, 0, 5, 5, 5);
	is_table(&m, STAT_PER_CPU, "CPU0 1 5;");
	made_stat_free(&m);
}

/* A CPU that came online since the topology was read. */
static void unknown_cpu(void **state)
{
	struct made_stat m = {0};

	(void)state;
	made_stat_switches(&m);
	assert_true(made_stat_machine(&m, "arm64"));
	made_stat_place(&m, 6, -1, "");
	assert_true(made_stat_begin(&m));
	made_stat_count(&m, 0, 6, 3, 5, 5);
	is_table(&m, STAT_PER_SOCKET, "S-1 1 3;S0 6 0;");
	made_stat_free(&m);
}

static void no_memory(void **state)
{
	struct made_stat m = {0};
	struct stat_table t;
	u32 n;
	int ret;

	(void)state;
	begin(&m, "smt");
	for (n = 0;; n++) {
		oom_after(n);
		ret = stat_table_init(&t, &m.shape, STAT_PER_CORE, &m.topology, NULL);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	stat_table_free(&t);
	made_stat_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(server),    cmocka_unit_test(hybrid),
		cmocka_unit_test(arm64),     cmocka_unit_test(uncore),
		cmocka_unit_test(states),    cmocka_unit_test(threads),
		cmocka_unit_test(tools),     cmocka_unit_test(unknown_cpu),
		cmocka_unit_test(no_memory), cmocka_unit_test(threads_and_uncore),
		cmocka_unit_test(units),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("aggregate", tests, NULL, NULL);
}
