// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/process/quality.h"

static void entries(void **state)
{
	static const char *const yes[] = {"__clone",      "_start",
					  "main_loop",    "ret_from_fork_asm",
					  "start_thread", "x86_64_start_kernel"};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(yes); i++)
		assert_int_equal(quality_is_entry(yes[i]), strcmp(yes[i], "main_loop") != 0);
	assert_true(quality_is_entry("__libc_start_call_main"));
	assert_true(quality_is_entry("runtime.goexit"));
	assert_true(quality_is_entry("runtime.goexit.abi0"));
	assert_true(quality_is_entry("runtime.mstart.abi0"));
	assert_false(quality_is_entry("runtime.mstart1.abi0"));
	assert_false(quality_is_entry("runtime.mstart.func1"));
	assert_true(quality_is_entry("start_kernel"));
	assert_true(quality_is_entry("__GI___clone3"));
	assert_true(quality_is_entry("__libc_start_main@@GLIBC_2.34"));
	assert_false(quality_is_entry("__libc_start_main_imp@@GLIBC_2.34"));
	assert_false(quality_is_entry("__libc_start@GLIBC_2.34"));
	assert_false(quality_is_entry("__GI_"));
	assert_false(quality_is_entry("@"));
	assert_false(quality_is_entry(""));
	assert_false(quality_is_entry("main"));
	assert_false(quality_is_entry("_starts"));
	assert_false(quality_is_entry("zzz"));
}

static void near(double got, double want)
{
	assert_true(got > want - 1e-9 && got < want + 1e-9);
}

static void shares(void **state)
{
	struct quality q = {0};
	struct quality_shares s = quality_shares(&q);

	(void)state;
	near(quality_damage(&s), 0);
	quality_stacks(&q, 3, CHAIN_ROOT, 2);
	quality_stacks(&q, ID_NONE, CHAIN_CUT, 1);
	quality_stacks(&q, 0, QUALITY_UNTOLD, 1);
	quality_stacks(&q, 0, CHAIN_NO_UNWIND, 1);
	quality_stacks(&q, 0, QUALITY_ENDS, 1); /* is nothing */
	s = quality_shares(&q);
	assert_int_equal(s.stacks, 5);
	assert_int_equal(s.complete, 2);
	assert_int_equal(s.unknown, 2);
	near(quality_damage(&s), 0.6);
	assert_int_equal(q.dsos.nr, 4);
	assert_int_equal(q.dsos.v[3].stacks[CHAIN_ROOT], 2);
	assert_int_equal(q.nowhere.stacks[CHAIN_CUT], 1);
	quality_frame(&q, 1, QUALITY_NAMED);
	quality_frame(&q, 1, QUALITY_NO_SYMTAB);
	quality_frame(&q, ID_NONE, QUALITY_NOT_MAPPED);
	quality_frame(&q, 1, QUALITY_NO_SYMTAB);
	quality_frame(&q, 1, QUALITY_NAMES);
	s = quality_shares(&q);
	assert_int_equal(s.frames, 4);
	assert_int_equal(s.named, 1);
	near(quality_damage(&s), 0.75);
	quality_free(&q);
}

static void model_of(struct process_model *m)
{
	assert_int_equal(process_init(m, NULL), 0);
	assert_int_equal(process_dso(m, "/bin/a", 6, DSO_FILE, 0, 0, 0), 0);
	assert_int_equal(process_dso(m, "/lib/lo\nng", 10, DSO_FILE, 0, 0, 0), 1);
}

static void fill(struct quality *q)
{
	u32 i;

	quality_stacks(q, 0, CHAIN_ROOT, 90);
	quality_stacks(q, 0, CHAIN_NO_CFI, 2);
	quality_stacks(q, 1, CHAIN_CUT, 7);
	quality_stacks(q, ID_NONE, QUALITY_UNTOLD, 1);
	for (i = 0; i < 999; i++)
		quality_frame(q, 0, QUALITY_NAMED);
	quality_frame(q, 1, QUALITY_NO_JIT_MAP);
}

static void texts(void **state)
{
	static const char want[] =
		"stacks             100\n"
		"complete            90  90.0%\n"
		"truncated            9   9.0%\n"
		"unknown              1   1.0%\n"
		"frames            1000\n"
		"named              999  99.9%\n"
		"unnamed              1   0.1%\n"
		"\n"
		"      stacks  share  ended in       cause                   what helps\n"
		"           7   7.0%  /lib/lo\\x0ang  stack copy too short    record with "
		"--call-graph dwarf,65528 or, beyond that, auto\n"
		"           2   2.0%  /bin/a         no unwind information   build it with "
		"-fasynchronous-unwind-tables or frame pointers\n"
		"           1   1.0%  [unknown]      last frame has no name  give its symbols: "
		"--symfs, or the file it was stripped from\n"
		"\n"
		"      frames  share  without name in  cause       what helps\n"
		"           1   0.1%  /lib/lo\\x0ang    no JIT map  have the runtime write one: node "
		"--perf-basic-prof, PYTHONPERFSUPPORT=1, ...\n";
	struct quality q = {0};
	struct process_model m;
	struct buf b = {0};

	(void)state;
	model_of(&m);
	quality_text_line(&q, &m, &b);
	assert_string_equal(buf_str(&b), "");
	fill(&q);
	assert_true(quality_text_table(&q, &m, &b));
	assert_string_equal(buf_str(&b), want);
	buf_clear(&b);
	quality_text_line(&q, &m, &b);
	assert_string_equal(buf_str(&b), "90.0% of 100 stacks are complete; 7 of the other 10 "
					 "end in /lib/lo\\x0ang: stack copy too short");
	buf_free(&b);
	quality_free(&q);
	process_free(&m);
}

/* At one of ten it is worth a line that nobody asked for, and what helps is in it. */
static void poor(void **state)
{
	struct quality q = {0};
	struct process_model m;
	struct buf b = {0};
	u32 map;

	(void)state;
	model_of(&m);
	assert_false(quality_is_poor(&q));
	quality_stacks(&q, ID_NONE, CHAIN_ROOT, 80);
	/* nothing helps against these, or nobody knows */
	quality_stacks(&q, 0, CHAIN_NO_STACK, 40);
	quality_stacks(&q, 0, QUALITY_UNTOLD, 60);
	quality_stacks(&q, 0, QUALITY_NO_FRAME_POINTER, 20);
	assert_false(quality_is_poor(&q));
	quality_text_line(&q, &m, &b);
	assert_string_equal(buf_str(&b), "40.0% of 200 stacks are complete; 60 of the other 120 "
					 "end in /bin/a: last frame has no name");
	buf_clear(&b);
	quality_stacks(&q, 0, QUALITY_NO_FRAME_POINTER, 1);
	quality_stacks(&q, 0, CHAIN_ROOT, 1);
	assert_true(quality_is_poor(&q));
	quality_text_line(&q, &m, &b);
	assert_string_equal(
		buf_str(&b),
		"40.1% of 202 stacks are complete; record with --call-graph dwarf, or build with "
		"-fno-omit-frame-pointer; 21 of the other 121 end in /bin/a: no frame pointer");
	buf_clear(&b);
	/* of code that has no file, no compiler has options */
	map = process_dso(&m, "/tmp/perf-7.map", strlen("/tmp/perf-7.map"), DSO_PERF_MAP, 0, 0, 0);
	quality_stacks(&q, map, QUALITY_NO_FRAME_POINTER, 98);
	quality_text_line(&q, &m, &b);
	assert_string_equal(
		buf_str(&b),
		"27.0% of 300 stacks are complete; have the runtime keep frame "
		"pointers: java -XX:+PreserveFramePointer, node --perf-basic-prof, ...; "
		"98 of the other 219 end in code made at run time: no frame pointer");
	buf_clear(&b);
	quality_stacks(&q, map, CHAIN_NO_CFI, 100);
	quality_text_line(&q, &m, &b);
	assert_string_equal(
		buf_str(&b),
		"20.2% of 400 stacks are complete; have the runtime keep frame "
		"pointers: java -XX:+PreserveFramePointer, node --perf-basic-prof, ...; "
		"100 of the other 319 end in code made at run time: no unwind information");
	buf_free(&b);
	quality_free(&q);
	process_free(&m);
}

/* Only its own functions have no names in the C library: that has a package. */
static void advice_for_libc(void **state)
{
	static const char *const names[] = {"/lib/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
					    "/lib/libcurl.so.4", "libc.so.6"};
	static const bool is_libc[] = {true, true, false, true};
	struct quality q = {0};
	struct process_model m;
	struct buf b = {0};
	u32 i;

	(void)state;
	assert_int_equal(process_init(&m, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(process_dso(&m, names[i], strlen(names[i]), DSO_FILE, 0, 0, 0), i);
		quality_stacks(&q, i, CHAIN_ROOT, 1);
		quality_frame(&q, i, i ? QUALITY_NO_SYMTAB : QUALITY_NO_SYMBOL);
		assert_true(quality_text_table(&q, &m, &b));
		assert_int_equal(strstr(buf_str(&b), "install libc6-dbg") != NULL, is_libc[i]);
		buf_clear(&b);
		quality_free(&q);
		q = (struct quality){0};
	}
	quality_frame(&q, 0, QUALITY_FILE_GONE);
	assert_true(quality_text_table(&q, &m, &b));
	assert_null(strstr(buf_str(&b), "libc6-dbg"));
	buf_free(&b);
	quality_free(&q);
	process_free(&m);
}

static void every_cause_has_words(void **state)
{
	struct quality q = {0};
	struct process_model m;
	struct buf b = {0};
	u32 i;

	(void)state;
	model_of(&m);
	for (i = 0; i < QUALITY_ENDS; i++)
		quality_stacks(&q, 0, i, 1);
	for (i = 0; i < QUALITY_NAMES; i++)
		quality_frame(&q, 0, i);
	assert_true(quality_text_table(&q, &m, &b));
	assert_null(strstr(buf_str(&b), "(null)"));
	buf_free(&b);
	quality_free(&q);
	process_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries),
		cmocka_unit_test(shares),
		cmocka_unit_test(advice_for_libc),
		cmocka_unit_test(texts),
		cmocka_unit_test(poor),
		cmocka_unit_test(every_cause_has_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
