// SPDX-License-Identifier: GPL-2.0
/* Samples counted by keys, beside a count that compares all of them as texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_counts.h"
#include "util/format/count_names.h"
#include "util/report/count_view.h"

static u64 seed = 88172645463325252ull;

static u32 any(u32 below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 20) % below;
}

static const struct count_options number = {.what = COUNT_NUMBER}, sum = {.what = COUNT_SUM};

/* One sample as the naive count has it. */
struct naive {
	char key[256];
	bool with;
	__int128 value;
	bool used;
};

static const char *reason_name(u32 reason, char *to)
{
	if (reason == 2)
		return "NO_SOCKET";
	if (reason == 3)
		return "TCP_CSUM";
	sprintf(to, "0x%x", reason);
	return to;
}

static struct made_drop any_drop(void)
{
	static const char names[][9] = {"eth0", "lo", "", "12345678"};
	struct made_drop d = {
		.type = 301,
		.pid = MADE_PID,
		.small = (s8)(any(3) - 2),
		.byte = (u8)(any(2) ? 255 : 1),
		.mid = (s16)(any(2) ? -32768 : 7),
		.ret = (s32)(any(2) ? -111 : 0),
		.len = any(4) ? any(5) : UINT64_MAX - any(3),
		.location = MADE_KERNEL + 0x10 * any(3),
		.reason = 1 + any(4),
		.saddr = {10, 0, 0, (u8)any(2)},
		.word = (s64)(u32)(any(2) ? -2 : 5),
		.path = 12u << 16 | 60,
		.text = "/etc/passwd",
	};

	memcpy(d.name, names[any(4)], 8);
	d.text[1] = (char)('a' + any(2));
	return d;
}

/* The fields that script shows, as it does. */
static void naive_drop(const struct made_drop *d, struct naive *n)
{
	char reason[16];

	sprintf(n->key, "%d|%u|%d|%d|do_work+0x%x|%s|10.0.0.%u|%.8s", d->small, d->byte, d->mid,
		d->ret, (u32)(d->location - MADE_KERNEL), reason_name(d->reason, reason),
		d->saddr[3], d->name);
	n->with = true;
	n->value = d->len;
}

#define SAMPLES 3000

static void check_against(struct made_counts *c, struct naive *n, u32 nr)
{
	struct count_view view;
	const struct count_row *r;
	struct buf text = {0};
	__int128 total, least, most, last = INT64_MAX;
	u64 with, all;
	u32 i, k, row, left = nr;

	assert_int_equal(count_view_init(&view, &c->table, COUNT_ORDER_NUMBER, 0, NULL), 0);
	for (row = 0; row < view.shown; row++) {
		r = count_view_row(&view, row);
		buf_clear(&text);
		for (k = 0; k < c->keys.nr; k++) {
			if (k)
				buf_addc(&text, '|');
			count_names_put(&c->table, r, k, &text);
		}
		total = least = most = 0;
		for (all = with = 0, i = 0; i < nr; i++) {
			if (n[i].used || strcmp(n[i].key, buf_str(&text)) != 0)
				continue;
			n[i].used = true;
			left--;
			all++;
			if (!n[i].with)
				continue;
			least = with && least < n[i].value ? least : n[i].value;
			most = with && most > n[i].value ? most : n[i].value;
			with++;
			total += n[i].value;
		}
		if (!all)
			fail_msg("a row that nobody counted: %s", buf_str(&text));
		assert_int_equal(r->sum.nr, all);
		assert_int_equal(r->sum.with, with);
		assert_true(r->sum.sum == total);
		if (with && c->keys.of_signed)
			assert_true((s64)r->sum.least == least && (s64)r->sum.most == most);
		else if (with)
			assert_true(r->sum.least == least && r->sum.most == most);
		assert_true((__int128)r->sum.nr <= last);
		last = r->sum.nr;
	}
	assert_int_equal(left, 0);
	buf_free(&text);
	count_view_free(&view);
}

static void all_fields(void **state)
{
	static struct naive n[SAMPLES];
	struct made_counts c;
	struct made_drop d;
	u32 i;

	(void)state;
	memset(n, 0, sizeof(n));
	made_counts_begin(&c, "small,byte,mid,ret,location,reason,saddr,drop.name", "drop.len",
			  &sum);
	assert_true(count_keys_use(&c.keys).raw);
	assert_false(count_keys_use(&c.keys).ip);
	for (i = 0; i < SAMPLES; i++) {
		d = any_drop();
		naive_drop(&d, &n[i]);
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	}
	check_against(&c, n, SAMPLES);
	made_counts_end(&c);
}

static void texts(void **state)
{
	static struct naive n[SAMPLES];
	struct made_counts c;
	struct made_drop d;
	struct sample s;
	u32 i;

	(void)state;
	memset(n, 0, sizeof(n));
	made_counts_begin(&c, "word,path,drop.name tid", "ret", &sum);
	assert_true(c.keys.of_signed);
	for (i = 0; i < SAMPLES; i++) {
		d = any_drop();
		c.tid = 1 + any(3);
		sprintf(n[i].key, "%d|%s|%.8s|%u", (s32)d.word, d.text, d.name, c.tid);
		n[i].with = true;
		n[i].value = d.ret;
		s = made_counts_sample(&c, MADE_DROP, &d);
		/* either way is the same */
		if (i % 2)
			assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
		else
			assert_int_equal(count_table_add_bare(&c.table, MADE_DROP, &s, NULL), 0);
	}
	check_against(&c, n, SAMPLES);
	made_counts_end(&c);
}

/* What lies past the end of the record is not there. */
static void cut_short(void **state)
{
	static struct naive n[100];
	struct made_counts c;
	struct made_drop d;
	char small[8];
	size_t size;
	u32 i;

	(void)state;
	memset(n, 0, sizeof(n));
	made_counts_begin(&c, "small,reason,name,path", "drop.len", &sum);
	for (i = 0; i < 100; i++) {
		d = any_drop();
		d.reason = 2;
		c.cut = i % sizeof(d);
		size = sizeof(d) - c.cut;
		sprintf(small, "%d", d.small);
		sprintf(n[i].key, "%s|%s|%.8s|%s", size >= 9 ? small : "-",
			size >= 36 ? "NO_SOCKET" : "-", size >= 48 ? d.name : "-",
			size >= 60 + 12 ? d.text : "-");
		n[i].with = size >= 24;
		n[i].value = d.len;
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	}
	check_against(&c, n, 100);
	made_counts_end(&c);
}

#define CHAIN(c, ...)                             \
	((c)->chain = (const u64[]){__VA_ARGS__}, \
	 (c)->chain_nr = sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64))

static void bounded(void **state)
{
	const struct count_options few = {.what = COUNT_QUANTILES, .max_rows = 10};
	struct made_counts c;
	struct made_drop d = {.type = 301};
	struct count_sum total;
	u32 i;

	(void)state;
	made_counts_begin(&c, "len", "len", &few);
	for (i = 0; i < 100; i++) {
		d.len = i % 20;
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	}
	assert_int_equal(c.table.nr, 10);
	assert_int_equal(c.table.others.nr, 50);
	assert_true(c.table.others.sum == 5 * (10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19));
	total = count_table_total(&c.table);
	assert_int_equal(total.nr, 100);
	assert_int_equal(total.least, 0);
	assert_int_equal(total.most, 19);
	count_table_reset(&c.table);
	assert_int_equal(count_table_total(&c.table).nr, 0);
	d.len = 15;
	assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	assert_int_equal(c.table.nr, 1);
	assert_int_equal(c.table.others.nr, 0);
	assert_int_equal(count_table_total(&c.table).sum, 15);
	made_counts_end(&c);
	/* texts, too: those that no row has are not kept */
	made_counts_begin(&c, "path", NULL, &few);
	d.path = 8u << 16 | 60;
	for (i = 0; i < 1000; i++) {
		sprintf(d.text, "/%06u", i);
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	}
	assert_int_equal(c.table.nr, 10);
	assert_int_equal(c.table.others.nr, 990);
	assert_int_equal(c.keys.values.bytes.nr, 10);
	made_counts_end(&c);
}

/* Many rows: all are found again. */
static void many(void **state)
{
	struct made_counts c;
	struct made_drop d = {.type = 301};
	u32 i;

	(void)state;
	made_counts_begin(&c, "len,ret", NULL, &number);
	for (i = 0; i < 150000; i++) {
		d.len = i % 50000;
		d.ret = -(s32)(d.len * 3);
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	}
	assert_int_equal(c.table.nr, 50000);
	for (i = 0; i < 50000; i++)
		assert_int_equal(count_table_row(&c.table, i)->sum.nr, 3);
	made_counts_end(&c);
}

/* Every third row stays, with its count, and is found again. */
static void kept(void **state)
{
	struct made_counts c;
	struct made_drop d = {.type = 301};
	u32 keep[1000], i;

	(void)state;
	made_counts_begin(&c, "len", "len", &sum);
	for (i = 0; i < 1000; i++) {
		d.len = i;
		keep[i] = i % 3 == 0;
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	}
	count_table_keep(&c.table, keep);
	assert_int_equal(c.table.nr, 334);
	assert_int_equal(c.table.others.nr, 666);
	assert_int_equal(count_table_total(&c.table).nr, 1000);
	assert_true(count_table_total(&c.table).sum == 499500);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(keep[i], i % 3 ? COUNT_ROW_OTHERS : i / 3);
		d.len = i;
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
		if (i % 3 == 0)
			assert_int_equal(count_table_row(&c.table, keep[i])->sum.nr, 2);
	}
	assert_int_equal(c.table.nr, 1000);
	made_counts_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields), cmocka_unit_test(texts), cmocka_unit_test(cut_short),
		cmocka_unit_test(bounded),    cmocka_unit_test(many),  cmocka_unit_test(kept),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
