// SPDX-License-Identifier: GPL-2.0
/* Fields of recordings whose samples leave some to be derived; all others: tests/golden/fields.txt. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/format/fields.h"

#define BIT(f) FIELD_BIT(FIELD_##f)
#define TRACE  PERF_TYPE_TRACEPOINT

#define COMMON   (BIT(COMM) | BIT(TID) | BIT(CPU) | BIT(TIME) | BIT(EVENT))
#define SYMBOLIC (BIT(IP) | BIT(SYM) | BIT(SYMOFF) | BIT(DSO))

static void add_event(struct event_set *s, u32 type, u64 sample_type)
{
	struct perf_event_attr attr = made_attr(sample_type);

	attr.type = type;
	assert_true(event_set_add(s, &attr, sizeof(attr), "an-event", NULL, 0, NULL) >= 0);
}

static struct fields init(const struct event_set *s, const char *text)
{
	struct fields_options o = {.texts = {&text, text ? 1 : 0, 0}};
	struct buf note = {0};
	struct err err = {0};
	struct fields f;

	assert_int_equal(fields_init(&f, s, &o, &note, &err), 0);
	assert_string_equal(buf_str(&note), "");
	return f;
}

/* What samples leave to be derived can be printed; what nobody knows cannot. */
static void derived(void **state)
{
	static const struct sample_layout_derive tid = {.tid_at = 4, .period_at = -1};
	const char *not_known[] = {"+addr", "+cpu", "tid", "ip"};
	struct fields_options o = {.texts = {not_known, 1, 0}};
	u64 lean = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
	struct buf note = {0};
	struct event_set s = {0};
	struct err err = {0};
	struct fields f;

	(void)state;
	add_event(&s, TRACE, lean | PERF_SAMPLE_CALLCHAIN);
	event_set_derive(&s, 0, &tid);
	event_set_ring_cpus(&s);
	f = init(&s, NULL);
	assert_int_equal(f.on[TRACE], COMMON | BIT(TRACE) | SYMBOLIC);
	f = init(&s, "+ip,+sym,+period,+pid,+cpu");
	assert_int_equal(f.on[TRACE], COMMON | BIT(TRACE) | SYMBOLIC | BIT(PERIOD) | BIT(PID));
	assert_int_equal(fields_init(&f, &s, &o, &note, &err), -EINVAL);
	event_set_free(&s);
	/* without a chain there is no ip, without rings no CPU, without its format no tid */
	memset(&s, 0, sizeof(s));
	add_event(&s, TRACE, lean);
	f = init(&s, NULL);
	assert_int_equal(f.on[TRACE], BIT(COMM) | BIT(TIME) | BIT(EVENT) | BIT(TRACE));
	for (; o.texts.v < not_known + ARRAY_SIZE(not_known); o.texts.v++)
		assert_int_equal(fields_init(&f, &s, &o, &note, &err), -EINVAL);
	event_set_free(&s);
	buf_free(&note);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(derived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
