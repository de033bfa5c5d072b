// SPDX-License-Identifier: GPL-2.0
/* Counting in the kernel: where keys are, what becomes of them, and that a program can be made. */
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
#include "util/probe/probe_count.h"

struct kernel {
	struct made made;
	struct arena arena;
	struct probe probe;
	struct probe_count count;
	const u64 *cpus;
	u32 nr_cpus;
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
	k->count = (struct probe_count){.probe = &k->probe, .of = ID_NONE, .part.has_unread = true};
}

static void stop(struct kernel *k)
{
	probe_count_free(&k->count);
	probe_free(&k->probe);
	arena_free(&k->arena);
	end(&k->made);
}

static u32 code_size(struct kernel *k)
{
	const struct probe_program how = {.by_thread = true,
					  .selves = (const u32[]){7},
					  .nr_selves = 1,
					  .cpus = k->cpus,
					  .nr_cpus = k->nr_cpus};
	struct bpf_code code;
	struct err err = {0};
	u32 nr;

	assert_int_equal(probe_count_code(&k->count, &k->made.b, &how, &code, &err), 0);
	nr = code.insns.nr;
	bpf_code_free(&code);
	return nr;
}

static void who(void **state)
{
	struct kernel k;
	struct probe_count *c = &k.count;

	(void)state;
	start(&k, "skb->len)");
	c->ids = PROBE_COUNT_COMM | PROBE_COUNT_CPU | PROBE_COUNT_PID;
	assert_true(probe_count_plan(c));
	assert_int_equal(c->comm_at, 0);
	assert_int_equal(c->pid_at, 16);
	assert_int_equal(c->tid_at, ID_NONE);
	assert_int_equal(c->cpu_at, 20);
	assert_int_equal(c->key_size, 24);
	assert_int_equal(probe_sum_size(&c->sum), 8);
	assert_int_equal(c->spill_size, 8 + 24 + 16);
	assert_true(code_size(&k) > 20);
	stop(&k);

	/* no key is a key, too */
	start(&k, "skb->len)");
	assert_true(probe_count_plan(&k.count));
	assert_int_equal(k.count.key_size, 4);
	assert_true(code_size(&k) > 20);
	stop(&k);
}

static void of_fields(void **state)
{
	struct kernel k;
	struct probe_count *c = &k.count;
	u8 key[128] = {0}, raw[256];
	u32 unread = 2, len = 77;

	(void)state;
	start(&k, "location, skb->dev->name, skb->len, reason)");
	c->ids = PROBE_COUNT_TID;
	c->keys = 1 << 1 | 1 << 2;
	assert_true(probe_count_plan(c));
	assert_int_equal(c->part.unread_at, 4);
	assert_int_equal(c->part.fields.fields.nr, 2);
	assert_int_equal(c->part.fields.fields.v[0].offset, 8);
	assert_int_equal(c->part.fields.fields.v[1].offset, 24);
	assert_int_equal(c->key_size, 28);

	/* the second of the key is the third of the record */
	memcpy(key + 4, &unread, 4);
	memcpy(key + 8, "lo", 2);
	memcpy(key + 24, &len, 4);
	memset(raw, 0xff, sizeof(raw));
	probe_part_raw(&c->part, key, raw, k.probe.size);
	assert_string_equal((char *)raw + k.probe.fields.v[1].offset, "lo");
	assert_memory_equal(raw + k.probe.fields.v[2].offset, &len, 4);
	memcpy(&unread, raw + PROBE_UNREAD_AT, 4);
	assert_int_equal(unread, 4);
	assert_int_equal(raw[k.probe.fields.v[0].offset], 0);
	assert_int_equal(raw[k.probe.size], 0xff);
	/* a record that is too short for it */
	probe_part_raw(&c->part, key, raw, 4);
	stop(&k);
}

static void packets_and_long_keys(void **state)
{
	struct kernel k;

	(void)state;
	start(&k, "flow(skb), skb->len)");
	/* the port of the packet */
	k.count.keys = 1 << 3;
	assert_true(probe_count_plan(&k.count));
	assert_int_equal(k.count.part.fields.fields.nr, k.probe.fields.nr - 1);
	assert_true(code_size(&k) > 100);
	stop(&k);

	start(&k, "a=str(location, 200), b=str(location, 200), skb->len)");
	k.count.keys = 1;
	assert_true(probe_count_plan(&k.count));
	assert_true(code_size(&k) > 20);
	probe_count_free(&k.count);
	k.count.keys = 3;
	assert_true(probe_count_plan(&k.count));
	stop(&k);

	start(&k, "a=str(location, 400), b=str(location, 400))");
	k.count.keys = 3;
	assert_false(probe_count_plan(&k.count));
	stop(&k);
}

static void numbers(void **state)
{
	static const u64 cpus[] = {5, 1};
	struct kernel k;
	struct probe_count *c = &k.count;
	struct err err = {0};
	struct bpf_code code;
	u32 n, plain;
	int ret;

	(void)state;
	start(&k, "skb->len, i=skb->dev->ifindex, reason)");
	c->of = 0;
	assert_true(probe_count_plan(c));
	assert_int_equal(probe_sum_size(&c->sum), sizeof(struct probe_sum_value));
	assert_int_equal(probe_sum_buckets(&c->sum), 0);
	plain = code_size(&k);
	probe_count_free(c);
	c->sum.has_buckets = true;
	c->tests[0] =
		(struct probe_test){2, PROBE_TEST_BITS, 6, PROBE_TEST_PASS, PROBE_TEST_FAIL, false};
	c->nr_tests = 1;
	k.cpus = cpus;
	k.nr_cpus = 2;
	assert_int_equal(probe_sum_buckets(&c->sum), 65);
	assert_true(probe_count_plan(c));
	assert_int_equal(probe_sum_size(&c->sum), sizeof(struct probe_sum_value) + 65 * 8);
	assert_true(code_size(&k) > plain + 40);
	probe_count_free(c);
	c->of = 1;
	for (n = 0;; n++) {
		oom_after(n);
		ret = probe_count_plan(c)
			      ? probe_count_code(c, &k.made.b, &(struct probe_program){0}, &code,
						 &err)
			      : -ENOMEM;
		if (!oom_stop())
			break;
		assert_true(ret < 0);
		probe_count_free(c);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(probe_sum_buckets(&c->sum), 129);
	bpf_code_free(&code);
	stop(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who),
		cmocka_unit_test(of_fields),
		cmocka_unit_test(packets_and_long_keys),
		cmocka_unit_test(numbers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
