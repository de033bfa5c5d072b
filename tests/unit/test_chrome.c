// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "tests/unit/oom.h"
#include "util/export/chrome.h"

#define END(tail) "],\n\"samples\":[" tail "}}\n"

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

#define INSTANT(tid, ts, name, sf, args)                                                    \
	"{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"sample\",\"pid\":7,\"tid\":" tid ",\"ts\":" ts \
	",\"name\":\"" name "\",\"sf\":" sf ",\"args\":{\"cpu\":3,\"period\":" args "}}"
#define SAMPLE(tid, ts, name, sf, weight)                                             \
	"\n{\"cpu\":3,\"tid\":" tid ",\"ts\":" ts ",\"name\":\"" name "\",\"sf\":" sf \
	",\"weight\":" weight "}"
#define NAME(what, tid, name)                                                  \
	",\n{\"ph\":\"M\",\"pid\":7,\"tid\":" tid ",\"ts\":0,\"name\":\"" what \
	"\",\"args\":{\"name\":\"" name "\"}}"

static void trace(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(chrome_sink(&m.s, ID_NONE, &sink, NULL), 0);
	assert_int_equal(ADD(&m, sink, MADE_CLOCK, 1, 5, work), 0);
	m.tid = 8;
	m.comm = "\"q\"";
	assert_int_equal(ADD(&m, sink, MADE_FAULTS, 1000, 0, call), 0);
	assert_int_equal(ADD(&m, sink, MADE_FAULTS, 1001, UINT64_MAX, cut), 0);
	assert_int_equal(made_session_add(&m, sink, MADE_HIT, 12345678, 1, NULL, 0), 0);
	expect(&m, sink,
	       "{\"traceEvents\":[\n" INSTANT("7", "0.001", "cpu-clock", "1", "5") ",\n" INSTANT(
		       "8", "1.000", "page-faults", "3",
		       "0") ",\n" INSTANT("8", "1.001", "page-faults", "5",
					  "18446744073709551615") ",\n" INSTANT("8", "12345.678",
										"made:hit", "6",
										"1,\"fields\":{\"value\":12345678,\"type\":\"\\\"x\\\"\\\\x02\"}")
		       NAME("process_name", "7", "\\\"q\\\"") NAME("thread_name", "7", "made") NAME(
			       "thread_name", "8", "\\\"q\\\"")
			       END(SAMPLE("7", "0.001", "cpu-clock", "1", "5") "," SAMPLE(
				       "8", "1.000", "page-faults", "3",
				       "1") "," SAMPLE("8", "1.001", "page-faults", "5",
						       "18446744073709551615") "," SAMPLE("8",
											  "12345.678",
											  "made:hit",
											  "6",
											  "1") "],\n\"stackFrames\":{"
											       "\n\"0\":{\"name\":\"_start\",\"category\":\"/no/such/\\\"program\\\"\"},"
											       "\n\"1\":{\"name\":\"main\\\\x01\\\\xff;<b>\",\"category\":\"/no/such/\\\"program\\\"\",\"parent\":\"0\"},"
											       "\n\"2\":{\"name\":\"[perf-7.map]\",\"category\":\"/tmp/perf-7.map\"},"
											       "\n\"3\":{\"name\":\"do_work\",\"category\":\"[kernel.kallsyms]\",\"parent\":\"2\"},"
											       "\n\"4\":{\"name\":\"[truncated]\",\"category\":\"[unknown]\"},"
											       "\n\"5\":{\"name\":\"main\\\\x01\\\\xff;<b>\",\"category\":\"/no/such/\\\"program\\\"\",\"parent\":\"4\"},"
											       "\n\"6\":{\"name\":\"[unknown]\",\"category\":\"[unknown]\"}"));
}

static void no_samples(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(chrome_sink(&m.s, ID_NONE, &sink, NULL), 0);
	expect(&m, sink, "{\"traceEvents\":[" END("],\n\"stackFrames\":{"));
}

static int make(struct made_session *m, struct sink **sink)
{
	int ret = chrome_sink(&m->s, MADE_HIT, sink, NULL), i;

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
		cmocka_unit_test(trace),
		cmocka_unit_test(no_samples),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
