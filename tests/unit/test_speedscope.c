// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "util/export/speedscope.h"

#define HEAD                                                                                \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":" \
	"\"perf-lite\",\"name\":\"made.data\",\"activeProfileIndex\":0,\"shared\":{\"frames\":["

static const u64 work[] = {MADE_USER, MADE_MAIN, MADE_START},
		 idle[] = {MADE_USER, MADE_NAKED + 5, MADE_START},
		 call[] = {MADE_SYSTEM, MADE_KERNEL + 5, MADE_USER, MADE_JIT + 5},
		 cut[] = {MADE_USER, MADE_MAIN, CHAIN_END + CHAIN_NO_FILE};

#define ADD(m, sink, event, time, period, chain) \
	made_session_add(m, sink, event, time, period, chain, ARRAY_SIZE(chain))

static void expect(struct sink *sink, const char *want)
{
	struct buf out = {0};

	assert_int_equal(made_session_finish(sink, &out), 0);
	assert_string_equal(buf_str(&out), want);
	buf_free(&out);
}

static void threads_and_weights(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(speedscope_sink(&m.s, ID_NONE, &sink, NULL), 0);
	/* neighbours are one, as long as they are of one thread */
	ADD(&m, sink, MADE_CLOCK, 1000, 5, work);
	m.tid = 8;
	ADD(&m, sink, MADE_CLOCK, 1500, 100, call);
	m.tid = MADE_PID;
	ADD(&m, sink, MADE_CLOCK, 2000, 6, work);
	ADD(&m, sink, MADE_CLOCK, 3000, 7, idle);
	ADD(&m, sink, MADE_CLOCK, 4000, 8, work);
	/* another event has its own, an event without weight counts */
	ADD(&m, sink, MADE_FAULTS, 4000, 0, cut);
	ADD(&m, sink, MADE_FAULTS, 4000, 0, cut);
	made_session_add(&m, sink, MADE_FAULTS, 4000, 2, NULL, 0);
	expect(sink, HEAD
	       "{\"name\":\"_start\",\"file\":\"/no/such/\\\"program\\\"\"},"
	       "{\"name\":\"main\\\\x01\\\\xff;<b>\",\"file\":\"/no/such/\\\"program\\\"\"},"
	       "{\"name\":\"[perf-7.map]\",\"file\":\"/tmp/perf-7.map\"},"
	       "{\"name\":\"do_work\",\"file\":\"[kernel.kallsyms]\"},"
	       "{\"name\":\"[naked.so]\",\"file\":\"/no/such/naked.so\"},"
	       "{\"name\":\"[truncated]\"},{\"name\":\"[unknown]\"}]},\"profiles\":["
	       "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":100,"
	       "\"name\":\"made (7/8), cpu-clock\",\"samples\":[[2,3]],\"weights\":[100]},"
	       "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":26,"
	       "\"name\":\"made (7/7), cpu-clock\",\"samples\":[[0,1],[0,4],[0,1]],"
	       "\"weights\":[11,7,8]},"
	       "{\"type\":\"sampled\",\"unit\":\"none\",\"startValue\":0,\"endValue\":4,"
	       "\"name\":\"made (7/7), page-faults\",\"samples\":[[5,1],[6]],\"weights\":[2,2]}"
	       "]}\n");
	sink->ops->free(sink);
	made_session_end(&m);
}

static void no_samples(void **state)
{
	struct made_session m;
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(speedscope_sink(&m.s, ID_NONE, &sink, NULL), 0);
	expect(sink,
	       HEAD "]},\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\",\"startValue\":0,"
		    "\"endValue\":0,\"name\":\"no samples\",\"samples\":[],\"weights\":[]}]}\n");
	sink->ops->free(sink);
	made_session_end(&m);
}

static void out_of_memory(void **state)
{
	(void)state;
	made_session_out_of_memory(speedscope_sink, MADE_FAULTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_and_weights),
		cmocka_unit_test(no_samples),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
