// SPDX-License-Identifier: GPL-2.0
/*
 * Records that are cut short: their lines end where they do, and nothing behind them is read (under ASan). The lines of whole
 * records are compared with perf's in tests/oracle/sideband.t.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/format/record_dump.h"
#include "util/format/sideband_text.h"

/* A record of its own memory, so that a byte behind it is known. */
static struct rec record(u32 type, u16 misc, const void *body, size_t len, u8 **memory)
{
	struct perf_event_header h = {.type = type, .misc = misc, .size = (u16)(sizeof(h) + len)};
	struct rec rec;

	*memory = malloc(h.size);
	assert_non_null(*memory);
	memcpy(*memory, &h, sizeof(h));
	if (len)
		memcpy(*memory + sizeof(h), body, len);
	assert_true(rec_view(&rec, *memory, h.size));
	return rec;
}

static void expect(u32 type, u16 misc, const void *body, size_t len, const char *want)
{
	struct buf out = {0};
	u8 *memory;
	struct rec rec = record(type, misc, body, len, &memory);

	sideband_text(&rec, NULL, &out);
	assert_string_equal(buf_str(&out), want);
	free(memory);
	buf_free(&out);
}

static void whole(void **state)
{
	const u32 task[] = {5, 1, 6, 2, 0, 0};
	const u64 lost[] = {77, 2094};
	struct {
		u32 pid, tid;
		char name[8];
	} comm = {5, 6, "com"};

	(void)state;
	expect(PERF_RECORD_FORK, 0, task, sizeof(task), "PERF_RECORD_FORK(5:6):(1:2)\n");
	expect(PERF_RECORD_LOST, 0, lost, sizeof(lost), "PERF_RECORD_LOST lost 2094\n");
	expect(PERF_RECORD_LOST_SAMPLES, 0, lost, 8, "PERF_RECORD_LOST_SAMPLES lost 77\n");
	expect(PERF_RECORD_COMM, 0, &comm, sizeof(comm), "PERF_RECORD_COMM: com:5/6\n");
	expect(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &comm, sizeof(comm),
	       "PERF_RECORD_COMM exec: com:5/6\n");
	expect(PERF_RECORD_THROTTLE, 0, NULL, 0, "PERF_RECORD_THROTTLE\n");
	expect(63, 0, NULL, 0, "PERF_RECORD_UNKNOWN\n");
}

/* Names are foreign: a line stays one line. */
static void escaped(void **state)
{
	struct {
		u32 pid, tid;
		char name[20];
	} comm = {5, 6, "a\nPERF_RECORD_EXIT"};

	(void)state;
	expect(PERF_RECORD_COMM, 0, &comm, sizeof(comm),
	       "PERF_RECORD_COMM: a\\x0aPERF_RECORD_EXIT:5/6\n");
}

static void cut(void **state)
{
	struct event_set events = {0};
	u64 body[16];
	struct buf out = {0};
	struct rec rec;
	u8 *memory;
	u32 type;
	size_t len;

	(void)state;
	memset(body, 0xff, sizeof(body));
	for (type = 0; type < 24; type++) {
		for (len = 0; len <= sizeof(body); len++) {
			rec = record(type, 0xffff, body, len, &memory);
			buf_clear(&out);
			sideband_text(&rec, NULL, &out);
			assert_memory_equal(buf_str(&out), "PERF_RECORD_", 12);
			assert_true(out.len < 4096);
			record_dump(&events, &rec, ID_NONE, 0, "f", &out);
			free(memory);
		}
	}
	assert_false(out.failed);
	buf_free(&out);
	event_set_free(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(escaped),
		cmocka_unit_test(cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
