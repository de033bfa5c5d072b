// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "tests/unit/oom.h"
#include "util/export/csv.h"

#define HEAD "event,time_ns,cpu,pid,tid,comm,period,ip,symbol,dso,stack"

static const u64 work[] = {MADE_USER, MADE_MAIN, MADE_START},
		 call[] = {MADE_SYSTEM, MADE_KERNEL + 5, MADE_USER, MADE_JIT + 5},
		 cut[] = {MADE_USER, MADE_MAIN, CHAIN_END + CHAIN_NO_FILE};

#define ADD(m, sink, event, time, period, chain) \
	made_session_add(m, sink, event, time, period, chain, ARRAY_SIZE(chain))

/* Of the sink, which is freed: all that it has written. */
static void expect(struct made_session *m, struct sink *sink, const char *want)
{
	assert_int_equal(made_session_finish(sink, &m->out), 0);
	assert_string_equal(buf_str(&m->out), want);
	sink->ops->free(sink);
	made_session_end(m);
}

static void rows(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(csv_sink(&m.s, ID_NONE, &sink, NULL), 0);
	assert_int_equal(ADD(&m, sink, MADE_CLOCK, 1000, 5, work), 0);
	m.tid = 8;
	m.comm = "a,b \"c\"";
	/* twice what is kept, and once more */
	assert_int_equal(ADD(&m, sink, MADE_CLOCK, 1001, UINT64_MAX, call), 0);
	assert_int_equal(ADD(&m, sink, MADE_CLOCK, 1002, 0, call), 0);
	assert_int_equal(ADD(&m, sink, MADE_CLOCK, 1003, 0, call), 0);
	m.comm = " x";
	assert_int_equal(ADD(&m, sink, MADE_FAULTS, 1004, 2, cut), 0);
	m.comm = "";
	assert_int_equal(made_session_add(&m, sink, MADE_HIT, 1005, 1, NULL, 0), 0);
	expect(&m, sink,
	       HEAD "\r\n"
		    "cpu-clock,1000,3,7,7,made,5,,,,_start;main\\x01\\xff:<b>\r\n"
		    "cpu-clock,1001,3,7,8,\"a,b \"\"c\"\"\",18446744073709551615,,,,"
		    "[perf-7.map];do_work\r\n"
		    "cpu-clock,1002,3,7,8,\"a,b \"\"c\"\"\",0,,,,[perf-7.map];do_work\r\n"
		    "cpu-clock,1003,3,7,8,\"a,b \"\"c\"\"\",0,,,,[perf-7.map];do_work\r\n"
		    "page-faults,1004,3,7,8,\" x\",2,,,,[truncated];main\\x01\\xff:<b>\r\n"
		    "made:hit,1005,3,7,8,,1,,,,[unknown]\r\n");
}

static void fields(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(csv_sink(&m.s, MADE_HIT, &sink, NULL), 0);
	assert_int_equal(ADD(&m, sink, MADE_HIT, 1000, 1, work), 0);
	expect(&m, sink,
	       HEAD ",fields.value,fields.type\r\n"
		    "made:hit,1000,3,7,7,made,1,,,,_start;main\\x01\\xff:<b>,"
		    "1000,\"\"\"x\"\"\\x02\"\r\n");
}

static void no_samples(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(csv_sink(&m.s, ID_NONE, &sink, NULL), 0);
	expect(&m, sink, HEAD "\r\n");
}

static int make(struct made_session *m, struct sink **sink)
{
	int ret = csv_sink(&m->s, MADE_HIT, sink, NULL), i;

	for (i = 0; i < 300 && !ret; i++) {
		m->tid = 1 + (u32)i % 40;
		ret = i % 2 ? ADD(m, *sink, MADE_HIT, (u64)i, 5, work)
			    : ADD(m, *sink, MADE_HIT, (u64)i, 5, call);
	}
	return ret ? ret : made_session_finish(*sink, &m->out);
}

static void out_of_memory(void **state)
{
	struct made_session m;
	struct buf want = {0};
	struct sink *sink;
	bool refused = true;
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0; refused; n++) {
		made_session_begin(&m);
		sink = NULL;
		if (n)
			oom_after(n - 1);
		ret = make(&m, &sink);
		refused = oom_stop() || !n;
		if (ret)
			assert_int_equal(ret, -ENOMEM);
		else if (n) /* it had enough, or could do without */
			assert_string_equal(buf_str(&m.out), buf_str(&want));
		else
			buf_add(&want, m.out.data, m.out.len);
		if (sink)
			sink->ops->free(sink);
		made_session_end(&m);
	}
	assert_true(n > 20);
	assert_int_equal(ret, 0);
	buf_free(&want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(fields),
		cmocka_unit_test(no_samples),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
