// SPDX-License-Identifier: GPL-2.0
/* Pairing in the kernel: what a begin keeps, what becomes of it, and that a program can be made. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_btf.h"
#include "tests/unit/oom.h"
#include "util/probe/probe_span.h"

struct kernel {
	struct made made;
	struct arena arena;
	struct probe probe;
	struct probe_span span;
};

static void start(struct kernel *k, const char *text)
{
	struct probe_source from = {.btf = &k->made.b, .name = "kfree_skb", .arena = &k->arena};
	const char *p = text, *wrong;
	struct err err = {0};

	*k = (struct kernel){0};
	begin(&k->made);
	add_kernel(&k->made);
	assert_int_equal(finish(&k->made, NULL), 0);
	assert_int_equal(probe_parse(&k->probe, &from, &p, &wrong, &err), 0);
	k->probe.id = 65000;
	k->span = (struct probe_span){.probe = &k->probe, .nr_words = 1, .kept.has_unread = true};
}

static void stop(struct kernel *k)
{
	probe_span_free(&k->span);
	probe_free(&k->probe);
	arena_free(&k->arena);
	end(&k->made);
}

static struct probe_span_point *add_point(struct kernel *k, enum probe_span_role role)
{
	struct probe_span_point *p = &k->span.points[k->span.nr_points++];

	p->role = role;
	p->words[0].is = PROBE_SPAN_TID;
	return p;
}

static u32 code_size(struct kernel *k)
{
	const struct probe_program how = {
		.by_thread = true, .selves = (const u32[]){7}, .nr_selves = 1};
	struct bpf_code code;
	struct err err = {0};
	u32 nr;

	k->span.entry_size = probe_span_size(&k->span);
	assert_int_equal(probe_span_code(&k->span, &k->made.b, &how, &code, &err), 0);
	nr = code.insns.nr;
	bpf_code_free(&code);
	return nr;
}

static void entries(void **state)
{
	struct kernel k;
	u8 memory[256] = {0}, raw[256];
	const u32 at = sizeof(struct probe_span_ended) + 8 + sizeof(struct probe_span_begin);
	u32 unread = 2, len = 77;

	(void)state;
	start(&k, "location, skb->dev->name, skb->len, reason)");
	assert_true(probe_span_init(&k.span));
	assert_int_equal(probe_span_size(&k.span), sizeof(struct probe_span_begin));
	probe_span_free(&k.span);

	k.span.keep = 1 << 1 | 1 << 2;
	assert_true(probe_span_init(&k.span));
	assert_int_equal(k.span.kept.unread_at, at);
	assert_int_equal(probe_span_size(&k.span) % 8, 0);
	assert_true(probe_span_size(&k.span) >= sizeof(struct probe_span_begin) + 4 + 16 + 4);
	memcpy(memory + at, &unread, 4);
	memcpy(memory + k.span.kept.fields.fields.v[0].offset, "lo", 2);
	memcpy(memory + k.span.kept.fields.fields.v[1].offset, &len, 4);
	memset(raw, 0xff, sizeof(raw));
	probe_part_raw(&k.span.kept, memory, raw, k.probe.size);
	assert_string_equal((char *)raw + k.probe.fields.v[1].offset, "lo");
	assert_memory_equal(raw + k.probe.fields.v[2].offset, &len, 4);
	memcpy(&unread, raw + PROBE_UNREAD_AT, 4);
	assert_int_equal(unread, 4);
	assert_int_equal(raw[k.probe.fields.v[0].offset], 0);
	assert_int_equal(raw[k.probe.size], 0xff);
	stop(&k);

	start(&k, "a=str(location, 300), b=str(location, 300))");
	k.span.keep = 3;
	assert_false(probe_span_init(&k.span));
	stop(&k);
}

static void programs(void **state)
{
	struct kernel k;
	struct probe_span_point *p;
	u32 begins, both;

	(void)state;
	start(&k, "skb->len, reason)");
	assert_true(probe_span_init(&k.span));
	add_point(&k, PROBE_SPAN_FROM);
	begins = code_size(&k);
	k.span.latest = true;
	k.span.left_out = 12;
	assert_true(code_size(&k) > begins);
	k.span.nr_points = 0;
	add_point(&k, PROBE_SPAN_UNTIL);
	p = add_point(&k, PROBE_SPAN_TO);
	p->words[0] = (struct probe_span_word){PROBE_SPAN_FIELD, 0};
	p = add_point(&k, PROBE_SPAN_FROM);
	p->words[0] = (struct probe_span_word){PROBE_SPAN_FIELD, 0};
	p->tests[0] = (struct probe_test){1, PROBE_TEST_NE, 2, PROBE_TEST_PASS, 1, false};
	p->tests[1] =
		(struct probe_test){0, PROBE_TEST_LT, 2, PROBE_TEST_PASS, PROBE_TEST_FAIL, true};
	p->nr_tests = 2;
	both = code_size(&k);
	assert_true(both > begins);
	stop(&k);

	/* nothing leads to the second: the first is every hit */
	start(&k, "skb->len)");
	assert_true(probe_span_init(&k.span));
	add_point(&k, PROBE_SPAN_UNTIL);
	begins = code_size(&k);
	add_point(&k, PROBE_SPAN_TO);
	assert_int_equal(code_size(&k), begins);
	stop(&k);
}

/* Times are added up by what the begin keeps; begins may be unwanted. */
static void sums(void **state)
{
	struct kernel k;
	u32 samples, summed;

	(void)state;
	start(&k, "skb->len, reason)");
	k.span.keep = 1;
	assert_true(probe_span_init(&k.span));
	add_point(&k, PROBE_SPAN_TO);
	samples = code_size(&k);
	k.span.sums = (struct probe_span_sums){.on = true, .what = {.has_number = true}};
	summed = code_size(&k);
	assert_true(summed > samples);
	k.span.sums.what.has_buckets = true;
	assert_true(code_size(&k) > summed);

	k.span.nr_points = 0;
	add_point(&k, PROBE_SPAN_FROM);
	summed = code_size(&k);
	k.span.sums.comm = k.span.sums.pid = k.span.sums.tid = k.span.sums.cpu = true;
	assert_true(code_size(&k) < summed);
	summed = code_size(&k);
	k.span.wanted.tests[0] =
		(struct probe_test){1, PROBE_TEST_EQ, 2, PROBE_TEST_PASS, PROBE_TEST_FAIL, false};
	k.span.wanted.nr = 1;
	assert_true(code_size(&k) > summed);
	stop(&k);
}

static void chosen(void **state)
{
	struct kernel k;
	struct bpf_code code;
	struct err err = {0};
	struct made other;
	u32 all, processes, threads, one, n;
	int ret;

	(void)state;
	start(&k, "skb->len)");
	k.span.by_task = true;
	assert_true(probe_span_init(&k.span));
	add_point(&k, PROBE_SPAN_FROM);
	add_point(&k, PROBE_SPAN_TO);
	all = code_size(&k);
	k.span.chosen.processes = true;
	processes = code_size(&k);
	assert_true(processes > all);
	k.span.chosen.threads = true;
	threads = code_size(&k);
	assert_true(threads > processes);
	/* of the name and its NUL, eight bytes are compared at once */
	k.span.chosen.comm = "seven_7";
	one = code_size(&k);
	assert_true(one > threads);
	k.span.chosen.comm = "eight_88";
	assert_true(code_size(&k) > one);
	k.span.chosen.comm = "fourteen_14_14";
	assert_int_equal(strlen(k.span.chosen.comm), PROBE_SPAN_COMM_MAX);
	assert_true(code_size(&k) > one);
	begin(&other);
	assert_int_equal(finish(&other, NULL), 0);
	assert_int_equal(
		probe_span_code(&k.span, &other.b, &(struct probe_program){0}, &code, &err),
		-ENOTSUP);
	end(&other);

	for (n = 0;; n++) {
		oom_after(n);
		ret = probe_span_follow_code(&k.made.b, &code, &err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	bpf_code_free(&code);
	for (n = 0;; n++) {
		oom_after(n);
		ret = probe_span_forget_code(&k.made.b, &code, &err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	bpf_code_free(&code);
	stop(&k);
}

static void no_memory(void **state)
{
	struct kernel k;
	struct bpf_code code;
	struct err err = {0};
	int ret;
	u32 n;

	(void)state;
	start(&k, "skb->len, skb->dev->name)");
	k.span.keep = 3;
	k.span.entry_size = 128;
	k.span.sums =
		(struct probe_span_sums){.on = true, .comm = true, .what = {true, false, true}};
	add_point(&k, PROBE_SPAN_TO);
	add_point(&k, PROBE_SPAN_FROM);
	for (n = 0;; n++) {
		oom_after(n);
		ret = probe_span_init(&k.span)
			      ? probe_span_code(&k.span, &k.made.b, &(struct probe_program){0},
						&code, &err)
			      : -ENOMEM;
		if (!oom_stop())
			break;
		assert_true(ret < 0);
		probe_span_free(&k.span);
	}
	assert_int_equal(ret, 0);
	bpf_code_free(&code);
	stop(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries), cmocka_unit_test(programs),  cmocka_unit_test(sums),
		cmocka_unit_test(chosen),  cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
