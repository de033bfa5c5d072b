// SPDX-License-Identifier: GPL-2.0
/* Lines as tracefs has them, of samples that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_session.h"
#include "util/format/ftrace_text.h"

/* Letters of common_flags and the depths, as the comment lines above the events explain them. */
static void letters(void **state)
{
	static const struct {
		u32 flags, count;
		const char *text;
	} cases[] = {
		{0, 0, "....."},       {0x01, 0, "d...."},      {0x80, 0, "b...."},
		{0x81, 0, "D...."},    {0x04, 0, ".n..."},      {0x20, 0, ".p..."},
		{0x24, 0, ".N..."},    {0x02, 0, ".l..."},      {0x22, 0, ".L..."},
		{0x06, 0, ".b..."},    {0x26, 0, ".B..."},      {0x08, 0, "..h.."},
		{0x10, 0, "..s.."},    {0x18, 0, "..H.."},      {0x40, 0, "..z.."},
		{0x48, 0, "..Z.."},    {0, 0x0f, "...f."},      {0, 0x20, "....2"},
		{0x2d, 0x1a, "dNha1"}, {0xffff, 0xff, "DBZff"},
	};
	struct buf b = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf_clear(&b);
		ftrace_text_flags(cases[i].flags, cases[i].count, &b);
		assert_string_equal(buf_str(&b), cases[i].text);
	}
	buf_free(&b);
}

/* What stands behind the comment lines. */
static const char *lines(const struct buf *b)
{
	const char *p = buf_str(b);

	assert_memory_equal(p, "# tracer: nop\n#\n", 16);
	while (*p == '#')
		p = strchr(p, '\n') + 1;
	return p;
}

static void samples(void **state)
{
	static const u64 chain[] = {MADE_SYSTEM, MADE_KERNEL + 5, 0xffffffff99000000,
				    MADE_USER,   MADE_MAIN,       0x10};
	struct ftrace_text k;
	struct made_session m;
	struct time_text time;

	(void)state;
	made_session_begin(&m);
	m.source.recording.events.events.v[MADE_FAULTS].layout.has |= PERF_SAMPLE_CALLCHAIN;
	m.source.recording.events.events.v[MADE_HIT].layout.has &= ~(u64)PERF_SAMPLE_CALLCHAIN;
	assert_int_equal(time_text_init(&time, TIME_FORM_RAW, false, &m.source.recording, NULL), 0);
	assert_int_equal(ftrace_text_init(&k, &m.s, &time, NULL), 0);
	/* half a microsecond is rounded up */
	assert_int_equal(made_session_add(&m, &k.sink, MADE_HIT, 1999999500, 1, NULL, 0), 0);
	m.tid = 0;
	assert_int_equal(made_session_add(&m, &k.sink, MADE_HIT, 2000000499, 1, NULL, 0), 0);
	m.tid = MADE_PID;
	assert_int_equal(
		made_session_add(&m, &k.sink, MADE_FAULTS, 3000000000, 1, chain, ARRAY_SIZE(chain)),
		0);
	assert_int_equal(made_session_finish(&k.sink, &m.out), 0);
	assert_string_equal(
		lines(&m.out),
		"           <...>-7       (      7) [003] .....     2.000000: hit: \n"
		"          <idle>-0       (-------) [003] .....     2.000000: hit: \n"
		"           <...>-7       (      7) [003] .....     3.000000: page-faults: \n"
		"           <...>-7       (      7) [003] .....     3.000000: <stack trace>\n"
		" => do_work\n"
		" => <ffffffff99000000>\n"
		"           <...>-7       (      7) [003] .....     3.000000: <user stack trace>\n"
		" => /no/such/\"program\"+0x1110\n"
		" => <0000000000000010>\n");
	k.sink.ops->free(&k.sink);
	time_text_free(&time);
	made_session_end(&m);
}

/* Nothing is missing in the head when nothing happened. */
static void nothing(void **state)
{
	struct ftrace_text k;
	struct made_session m;
	struct time_text time;

	(void)state;
	made_session_begin(&m);
	assert_int_equal(time_text_init(&time, TIME_FORM_RAW, false, &m.source.recording, NULL), 0);
	assert_int_equal(ftrace_text_init(&k, &m.s, &time, NULL), 0);
	assert_int_equal(made_session_finish(&k.sink, &m.out), 0);
	assert_string_equal(lines(&m.out), "");
	k.sink.ops->free(&k.sink);
	time_text_free(&time);
	made_session_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters),
		cmocka_unit_test(samples),
		cmocka_unit_test(nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
