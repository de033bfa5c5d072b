// SPDX-License-Identifier: GPL-2.0
/* The things that a user chose of each sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "util/format/json_sink.h"
#include "util/format/script_text.h"

static const u64 stack[] = {MADE_USER, MADE_MAIN, MADE_START};

/* A script_text of chosen fields, with all that it points at. */
struct chosen {
	struct script_text k;
	struct selected_fields only;
	struct time_text time;
};

static int choose(struct chosen *c, struct session *s, const char *list, struct err *err)
{
	static const struct cgroup_names cgroups;
	struct script_text_options o = {.time = &c->time, .only = &c->only};
	const struct fields fields = {0};
	int ret;

	*c = (struct chosen){0};
	ret = time_text_init(&c->time, TIME_FORM_RAW, false, &s->source->recording, err);
	if (!ret)
		ret = selected_fields_init(&c->only, list, s, false, err);
	if (!ret)
		script_text_init(&c->k, &o, &fields, &s->symboliser, &s->source->recording.events,
				 s->programs, &s->strings, &cgroups);
	return ret;
}

static void forget(struct chosen *c)
{
	if (c->k.sink.ops)
		c->k.sink.ops->free(&c->k.sink);
	selected_fields_free(&c->only);
	time_text_free(&c->time);
}

static void lines(void **state)
{
	static const struct {
		const char *list, *hit, *fault;
	} cases[] = {
		{"value", "    1.000000 made/7           [003] made:hit:    value=1000000000\n",
		 "    1.000000 made/7           [003] page-faults:\n"},
		{"type,common_pid",
		 "    1.000000 made/7           [003] made:hit:    "
		 "type=\"\\\"x\\\"\\x02\" common_pid=7\n",
		 "    1.000000 made/7           [003] page-faults:\n"},
		{"made:hit.value,tid", "value=1000000000 tid=7\n", "tid=7\n"},
		{"cpu,hit.value,pid,,event,comm,time",
		 "[003] value=1000000000 pid=7 made:hit: made     1.000000\n",
		 "[003] pid=7 page-faults: made     1.000000\n"},
	};
	struct made_session m;
	struct chosen c;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		made_session_begin(&m);
		m.source.recording.events.events.v[MADE_CLOCK].sideband = true;
		assert_int_equal(choose(&c, &m.s, cases[i].list, NULL), 0);
		made_session_add(&m, &c.k.sink, MADE_HIT, 1000000000, 1, stack, 3);
		assert_string_equal(buf_str(&m.out), cases[i].hit);
		buf_clear(&m.out);
		made_session_add(&m, &c.k.sink, MADE_FAULTS, 1000000000, 1, stack, 3);
		assert_string_equal(buf_str(&m.out), cases[i].fault);
		forget(&c);
		made_session_end(&m);
	}
}

static void refusals(void **state)
{
	static const struct {
		const char *list, *hint;
	} cases[] = {
		{"valeu", "did you mean 'value'? fields: time, comm"},
		{"event,hit.valeu", "did you mean 'value'? fields: of made:hit: value type"},
		{"page-faults.value", ""},
		{"nothing.value", ""},
		{"", "--fields time,comm"},
		{",", "--fields time,comm"},
	};
	struct made_session m;
	struct chosen c;
	struct err err;
	size_t i;

	(void)state;
	made_session_begin(&m);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		err = (struct err){0};
		assert_int_equal(choose(&c, &m.s, cases[i].list, &err), -EINVAL);
		assert_non_null(strstr(err.hint, cases[i].hint));
		forget(&c);
	}
	assert_true(selected_fields_want_ip("a,ip"));
	assert_true(selected_fields_want_ip("sym"));
	assert_false(selected_fields_want_ip("symbol,zip,ips"));
	made_session_end(&m);
}

static int make_json(struct json_sink *k, struct session *s, struct chosen *c,
		     const struct trace_text *trace, const char *list, struct err *err)
{
	const struct json_options o = {.time = &c->time, .only = &c->only};
	struct fields fields = {0};
	int ret = choose(c, s, list, err), i;

	for (i = 0; i < FIELD_TYPE_COUNT; i++)
		fields.on[i] = FIELD_BIT(FIELD_TRACE) | c->only.general;
	return ret ? ret : json_sink_init(k, &o, &fields, s, trace, NULL, err);
}

static void json(void **state)
{
	struct made_session m;
	struct json_sink k;
	struct chosen c;

	(void)state;
	made_session_begin(&m);
	const struct trace_text trace = {
		.symboliser = &m.s.symboliser, .programs = m.s.programs, .strings = &m.s.strings};

	assert_int_equal(make_json(&k, &m.s, &c, &trace, "type,value,cpu,time", NULL), 0);
	made_session_add(&m, &k.sink, MADE_HIT, 9, 1, stack, 3);
	made_session_add(&m, &k.sink, MADE_FAULTS, 10, 1, stack, 3);
	assert_string_equal(buf_str(&m.out), "{\"cpu\":3,\"time\":9,\"fields\":{\"type\":"
					     "\"\\\"x\\\"\\\\x02\",\"value\":9}}\n"
					     "{\"cpu\":3,\"time\":10}\n");
	k.sink.ops->free(&k.sink);
	forget(&c);
	made_session_end(&m);
}

/* In every place: it says so, or makes the same. */
static void out_of_memory(void **state)
{
	static const char want[] =
		"    0.000000 made/7           [003] made:hit: value=5 type=\"\\\"x\\\"\\x02\"\n";
	bool refused = true;
	struct made_session m;
	struct chosen c;
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0; refused; n++) {
		made_session_begin(&m);
		m.source.recording.events.events.v[MADE_CLOCK].sideband = true;
		m.source.recording.events.events.v[MADE_FAULTS].sideband = true;
		oom_after(n);
		ret = choose(&c, &m.s, "value,made:hit.type", NULL);
		if (!ret)
			ret = made_session_add(&m, &c.k.sink, MADE_HIT, 5, 1, stack, 3);
		refused = oom_stop();
		if (ret)
			assert_int_equal(ret, -ENOMEM);
		else
			assert_string_equal(buf_str(&m.out), want);
		forget(&c);
		made_session_end(&m);
	}
	assert_true(n > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(refusals),
		cmocka_unit_test(json),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
