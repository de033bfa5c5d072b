// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "util/export/gecko.h"

static const u64 work[] = {MADE_USER, MADE_MAIN, MADE_START},
		 call[] = {MADE_SYSTEM, MADE_KERNEL + 5, MADE_USER, MADE_JIT + 5};

#define ADD(m, sink, event, time, period, chain) \
	made_session_add(m, sink, event, time, period, chain, ARRAY_SIZE(chain))

static void has(const struct buf *out, const char *part)
{
	if (!strstr(buf_str(out), part))
		fail_msg("no %s\nin %s", part, buf_str(out));
}

static void all_columns(void **state)
{
	struct made_session m;
	struct buf out = {0};
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	/* what is known to be empty is not told */
	assert_int_equal(recording_add_fact(&m.source.recording, "cpudesc", "", 0), 0);
	assert_int_equal(gecko_sink(&m.s, ID_NONE, &sink, NULL), 0);
	ADD(&m, sink, MADE_HIT, 1000, 1, work);
	ADD(&m, sink, MADE_CLOCK, 1001, 1000000, work);
	m.tid = 8;
	m.comm = "a\\x01";
	ADD(&m, sink, MADE_CLOCK, 2001000, 250001, call);
	m.tid = MADE_PID;
	m.comm = "last";
	ADD(&m, sink, MADE_CLOCK, 3001000, 1500000, call);
	made_session_add(&m, sink, MADE_CLOCK, 4001001, 1, NULL, 0);
	assert_int_equal(made_session_finish(sink, &out), 0);
	has(&out, "{\"meta\":{\"interval\":1,\"startTime\":0,");
	has(&out, "\"preprocessedProfileVersion\":61,");
	/* the clock first, which is the process; times in ms since the first sample of all */
	has(&out, "\"threads\":[{\"name\":\"last, cpu-clock\",\"isMainThread\":true,\"pid\":\"7\","
		  "\"tid\":\"7\",");
	has(&out, "\"samples\":{\"length\":3,\"weightType\":\"tracing-ms\",\"stack\":[1,3,4],"
		  "\"time\":[0.000001,3,4.000001],\"weight\":[1,1.5,0.000001],"
		  "\"threadCPUDelta\":[1000000,1500000,1]}");
	has(&out,
	    "{\"name\":\"a\\\\x01, cpu-clock\",\"isMainThread\":false,\"pid\":\"7\",\"tid\":\"8\",");
	has(&out, "\"stack\":[3],\"time\":[2],\"weight\":[0.250001],");
	/* a thread's second track is no main thread, and has an id of its own */
	has(&out,
	    "{\"name\":\"made, made:hit\",\"isMainThread\":false,\"pid\":\"7\",\"tid\":\"7.1\",");
	has(&out, "\"samples\":{\"length\":1,\"weightType\":\"samples\",\"stack\":[1],\"time\":[0],"
		  "\"weight\":[1]}");
	has(&out, "\"markers\":{\"length\":1,\"data\":[{\"type\":\"made:hit\",\"cpu\":3,"
		  "\"value\":\"1000\",\"type_\":\"\\\"x\\\"\\\\x02\","
		  "\"cause\":{\"time\":0,\"stack\":1}}],\"name\":[");
	has(&out, "\"startTime\":[0],\"endTime\":[null],\"phase\":[0],\"category\":[4]}");
	has(&out, "\"markerSchema\":[{\"name\":\"made:hit\",\"tableLabel\":\"value: "
		  "{marker.data.value}, type: {marker.data.type_}\",");
	has(&out,
	    "\"stackTable\":{\"length\":5,\"prefix\":[null,0,null,2,null],\"frame\":[0,1,2,3,4]}");
	/* user, user, made, kernel, not known */
	has(&out, "\"category\":[1,1,2,3,0],");
	has(&out, "\"resource\":[0,0,1,2,-1],");
	has(&out,
	    "{\"arch\":\"\",\"name\":\"\\\"program\\\"\",\"path\":\"/no/such/\\\"program\\\"\",");
	has(&out, "\"breakpadId\":\"67452301AB89EFCD00000000000000000\","
		  "\"codeId\":\"0123456789abcdef\"}");
	has(&out, "\"main\\\\x01\\\\xff;<b>\"");
	buf_free(&out);
	sink->ops->free(sink);
	made_session_end(&m);
}

static void no_samples(void **state)
{
	struct made_session m;
	struct buf out = {0};
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(gecko_sink(&m.s, ID_NONE, &sink, NULL), 0);
	assert_int_equal(made_session_finish(sink, &out), 0);
	has(&out, "\"threads\":[],\"libs\":[],\"shared\":{\"stackTable\":{\"length\":0,");
	buf_free(&out);
	sink->ops->free(sink);
	made_session_end(&m);
}

/* Times are in order of the file; without them, samples are a millisecond apart. */
static void no_times(void **state)
{
	struct made_session m;
	struct buf out = {0};
	struct sink *sink;

	(void)state;
	made_session_begin(&m);
	m.source.recording.events.events.v[MADE_FAULTS].layout.has &= ~(u64)PERF_SAMPLE_TIME;
	assert_int_equal(gecko_sink(&m.s, ID_NONE, &sink, NULL), 0);
	ADD(&m, sink, MADE_FAULTS, 0, 1, work);
	ADD(&m, sink, MADE_FAULTS, 0, 2, work);
	assert_int_equal(made_session_finish(sink, &out), 0);
	has(&out, "\"weightType\":\"samples\",\"stack\":[1,1],\"time\":[0,1],\"weight\":[1,2]}");
	buf_free(&out);
	sink->ops->free(sink);
	made_session_end(&m);
}

static void out_of_memory(void **state)
{
	(void)state;
	made_session_out_of_memory(gecko_sink, MADE_HIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_columns),
		cmocka_unit_test(no_samples),
		cmocka_unit_test(no_times),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
