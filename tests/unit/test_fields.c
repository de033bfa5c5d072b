// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/format/fields.h"

#define BIT(f) FIELD_BIT(FIELD_##f)
#define SW     PERF_TYPE_SOFTWARE
#define HW     PERF_TYPE_HARDWARE
#define TRACE  PERF_TYPE_TRACEPOINT

#define PLAIN_TYPE (MADE_TYPE & ~(u64)PERF_SAMPLE_CALLCHAIN)
#define COMMON     (BIT(COMM) | BIT(TID) | BIT(CPU) | BIT(TIME) | BIT(EVENT))
#define SYMBOLIC   (BIT(IP) | BIT(SYM) | BIT(SYMOFF) | BIT(DSO))

static void add_event(struct event_set *s, u32 type, u64 sample_type)
{
	struct perf_event_attr attr = made_attr(sample_type);

	attr.type = type;
	assert_true(event_set_add(s, &attr, sizeof(attr), "an-event", NULL, 0, NULL) >= 0);
}

/* One software event and one tracepoint, with call chains or without. */
static void both(struct event_set *s, bool chains)
{
	u64 type = chains ? MADE_TYPE : PLAIN_TYPE;

	memset(s, 0, sizeof(*s));
	add_event(s, SW, type);
	add_event(s, TRACE, type | PERF_SAMPLE_RAW);
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

static void defaults(void **state)
{
	struct event_set s;
	struct fields f;

	(void)state;
	both(&s, false);
	f = init(&s, NULL);
	/* every sample has a bpf-output that a software event might be */
	assert_int_equal(f.on[SW] & ~BIT(BPF_OUTPUT), COMMON | SYMBOLIC | BIT(PERIOD));
	assert_int_equal(f.on[TRACE], COMMON | BIT(TRACE));
	assert_false(f.use_chains);
	event_set_free(&s);
	both(&s, true);
	f = init(&s, NULL);
	assert_int_equal(f.on[TRACE], COMMON | BIT(TRACE) | SYMBOLIC);
	assert_true(f.use_chains);
	assert_true(fields_has(&f, &s.events.v[1].attr, FIELD_IP));
	event_set_free(&s);
}

static void exactly_these(void **state)
{
	struct event_set s;
	struct fields f;

	(void)state;
	both(&s, true);
	f = init(&s, "comm,ip,sym");
	assert_int_equal(f.on[SW], BIT(COMM) | BIT(IP) | BIT(SYM));
	assert_int_equal(f.on[TRACE], BIT(COMM) | BIT(IP) | BIT(SYM));
	f = init(&s, "comm,");
	assert_int_equal(f.on[SW], BIT(COMM));
	/* trace is a field of tracepoints; asked of all types it is silent for the others */
	f = init(&s, "comm,trace");
	assert_int_equal(f.on[SW], BIT(COMM));
	assert_int_equal(f.on[TRACE], BIT(COMM) | BIT(TRACE));
	f = init(&s, "trace:comm,time");
	assert_int_equal(f.on[TRACE], BIT(COMM) | BIT(TIME));
	assert_int_equal(f.on[SW] & COMMON, COMMON);
	f = init(&s, "sw:comm");
	assert_int_equal(f.on[SW], BIT(COMM));
	assert_int_equal(f.on[TRACE], COMMON | BIT(TRACE) | SYMBOLIC);
	event_set_free(&s);
}

/* +X and -X count from what would be printed without -F, call chains included. */
static void relative(void **state)
{
	const char *text = "+period";
	struct fields_options o = {.texts = {&text, 1, 0}, .relative_loses_chains = true};
	struct event_set s;
	struct buf note = {0};
	struct fields f;
	u64 trace = COMMON | BIT(TRACE) | SYMBOLIC;

	(void)state;
	both(&s, true);
	f = init(&s, "+period");
	assert_int_equal(f.on[TRACE], trace | BIT(PERIOD));
	f = init(&s, "-trace");
	assert_int_equal(f.on[TRACE], trace & ~BIT(TRACE));
	f = init(&s, "+period,-cpu,-comm");
	assert_int_equal(f.on[TRACE], (trace | BIT(PERIOD)) & ~(BIT(CPU) | BIT(COMM)));
	f = init(&s, "trace:-trace");
	assert_int_equal(f.on[TRACE], trace & ~BIT(TRACE));
	assert_int_equal(f.on[SW] & COMMON, COMMON);
	assert_int_equal(fields_init(&f, &s, &o, &note, NULL), 0);
	assert_int_equal(f.on[TRACE], COMMON | BIT(TRACE) | BIT(PERIOD));
	event_set_free(&s);
	buf_free(&note);
}

/* -F trace:... -F sw:...: each for its type; a later one without a type is for all. */
static void several(void **state)
{
	const char *texts[] = {"trace:comm,trace", "sw:-period", "+pid"};
	struct fields_options o = {.texts = {texts, 2, 0}};
	struct buf note = {0};
	struct event_set s;
	struct fields f;

	(void)state;
	both(&s, true);
	assert_int_equal(fields_init(&f, &s, &o, &note, NULL), 0);
	assert_int_equal(f.on[TRACE], BIT(COMM) | BIT(TRACE));
	assert_int_equal(f.on[SW] & (COMMON | SYMBOLIC | BIT(PERIOD)), COMMON | SYMBOLIC);
	o.texts.nr = 3;
	assert_int_equal(fields_init(&f, &s, &o, &note, NULL), 0);
	assert_int_equal(f.on[TRACE], BIT(COMM) | BIT(TRACE) | BIT(PID));
	assert_true(f.on[SW] & BIT(PID));
	event_set_free(&s);
	buf_free(&note);
}

static void hidden_chains(void **state)
{
	struct fields_options o = {.hide_call_graph = true};
	struct event_set s;
	struct buf note = {0};
	struct fields f;

	(void)state;
	both(&s, true);
	assert_int_equal(fields_init(&f, &s, &o, &note, NULL), 0);
	assert_false(f.use_chains);
	assert_int_equal(f.on[TRACE], COMMON | BIT(TRACE));
	event_set_free(&s);
	buf_free(&note);
}

static void not_recorded(void **state)
{
	struct event_set s = {0};
	struct buf note = {0};
	const char *text = "comm,cpu";
	struct fields_options o = {.texts = {&text, 1, 0}};
	struct err err = {0};
	struct fields f;

	(void)state;
	add_event(&s, HW, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	f = init(&s, NULL);
	assert_int_equal(f.on[HW] & (BIT(CPU) | BIT(TIME)), 0);
	assert_true(f.on[HW] & BIT(IP));
	assert_int_equal(fields_init(&f, &s, &o, &note, &err), -EINVAL);
	assert_string_equal(err.msg, "Samples for 'an-event' event do not have CPU attribute set. "
				     "Cannot print 'cpu' field.");
	/* of another type it matters to nobody */
	text = "trace:comm,cpu";
	assert_int_equal(fields_init(&f, &s, &o, &note, &err), 0);
	/* perf takes what is asked of one type for a wish */
	text = "hw:comm,cpu";
	assert_int_equal(fields_init(&f, &s, &o, &note, &err), -EINVAL);
	o.types_demand_nothing = true;
	assert_int_equal(fields_init(&f, &s, &o, &note, &err), 0);
	assert_int_equal(f.on[HW], BIT(COMM));
	event_set_free(&s);

	/* an event that has no samples has nothing to tell of those of its type */
	add_event(&s, SW, PERF_SAMPLE_TID);
	s.events.v[0].attr.config = PERF_COUNT_SW_DUMMY;
	add_event(&s, SW, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	f = init(&s, "comm,ip");
	assert_int_equal(f.on[SW], BIT(COMM) | BIT(IP));
	event_set_free(&s);

	add_event(&s, HW, PERF_SAMPLE_TID);
	f = init(&s, NULL);
	assert_int_equal(f.on[HW] & SYMBOLIC, 0);
	event_set_free(&s);
	buf_free(&note);
}

static void expect_error(const struct event_set *s, const char *text, const char *want)
{
	struct fields_options o = {.texts = {&text, text ? 1 : 0, 0}};
	struct buf note = {0};
	struct err err = {0};
	struct fields f;

	assert_int_equal(fields_init(&f, s, &o, &note, &err), -EINVAL);
	assert_non_null(strstr(err.msg, want));
	buf_free(&note);
}

static void errors(void **state)
{
	char long_name[200];
	struct event_set s;

	(void)state;
	both(&s, true);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	expect_error(&s, "", "Cannot set fields to 'none'");
	expect_error(&s, "nonsense", "Invalid field requested.");
	expect_error(&s, long_name, "Invalid field requested.");
	expect_error(&s, "comm,insn", "the field 'insn' cannot be printed");
	expect_error(&s, "comm,tod", "Can't provide 'tod' time, missing clock data.");
	expect_error(&s, "sw:comm,trace", "'trace' not valid for software events.");
	expect_error(&s, "comm,+ip", "Cannot mix +-field with overridden fields");
	expect_error(&s, "+ip,comm", "Cannot mix +-field with overridden fields");
	expect_error(&s, "nothing:comm", "Invalid event type in field string.");
	expect_error(&s, ":comm", "Invalid event type in field string.");
	expect_error(&s, "symoff", "Display of offsets requested but symbol is not selected.");
	expect_error(&s, "comm,srcline", "Display of source line number requested but sample IP");
	event_set_free(&s);
}

/* Nothing between commas is nothing asked for; nor is what only hardware traces and guests have. */
static void empty(void **state)
{
	const char *texts[] = {"comm", "comm,,ip"};
	struct fields_options o = {.texts = {texts, 2, 0}, .has_wall_clock = true};
	struct buf note = {0};
	struct event_set s;
	struct fields f;

	(void)state;
	both(&s, true);
	assert_int_equal(fields_init(&f, &s, &o, &note, NULL), 0);
	assert_string_equal(buf_str(&note), "Overriding previous field request for all events.\n");
	assert_int_equal(f.on[SW], BIT(COMM) | BIT(IP));
	f = init(&s, "comm,ipc,callindent,synth");
	assert_int_equal(f.on[SW], BIT(COMM));
	f = init(&s, "synth:comm");
	assert_true(f.on[SW] & BIT(PERIOD));
	texts[1] = "tod,time";
	assert_int_equal(fields_init(&f, &s, &o, &note, NULL), 0);
	assert_int_equal(f.on[SW], BIT(TOD) | BIT(TIME));
	event_set_free(&s);
	buf_free(&note);
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
		cmocka_unit_test(defaults),      cmocka_unit_test(exactly_these),
		cmocka_unit_test(relative),      cmocka_unit_test(several),
		cmocka_unit_test(hidden_chains), cmocka_unit_test(not_recorded),
		cmocka_unit_test(errors),        cmocka_unit_test(empty),
		cmocka_unit_test(derived),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("fields", tests, NULL, NULL);
}
