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
	assert_true(count_keys_bare(&c.keys));
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

/* Two events: a field that both have, one that only one has, one whose values are of another kind. */
static void events(void **state)
{
	static struct naive n[SAMPLES];
	struct made_other o;
	struct made_counts c;
	struct made_drop d;
	char text[16];
	u32 i;

	(void)state;
	memset(n, 0, sizeof(n));
	made_counts_begin(&c, "event,reason,name,ret,other.len", "len", &sum);
	assert_true(c.keys.of_signed);
	/* reason is the same in both; name is a string or a number */
	assert_int_equal(c.keys.values.shapes.nr, 5);
	for (i = 0; i < SAMPLES; i++) {
		d = any_drop();
		o = (struct made_other){
			.type = 302, .len = (s32)any(3) - 1, .reason = 1 + any(4), .name = any(3)};
		if (any(10) == 0) {
			assert_int_equal(made_counts_add(&c, MADE_CLOCK, NULL), 0);
			strcpy(n[i].key, "cpu-clock|-|-|-|-");
		} else if (any(2)) {
			assert_int_equal(made_counts_add(&c, MADE_OTHER, &o), 0);
			sprintf(n[i].key, "made:other|%s|%d|-|%d", reason_name(o.reason, text),
				(int)o.name, o.len);
			n[i].with = true;
			n[i].value = o.len;
		} else {
			assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
			sprintf(n[i].key, "made:drop|%s|%.8s|%d|-", reason_name(d.reason, text),
				d.name, d.ret);
			n[i].with = true;
			n[i].value = MIN(d.len, (u64)INT64_MAX);
		}
	}
	assert_true(c.table.clipped > 0);
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

static void who(void **state)
{
	static struct naive n[400];
	struct made_counts c;
	u32 i;

	(void)state;
	memset(n, 0, sizeof(n));
	made_counts_begin(&c, "comm,pid,tid,cpu,sym,dso", "period", &sum);
	assert_false(count_keys_bare(&c.keys));
	assert_true(count_keys_use(&c.keys).ip);
	made_counts_name(&c, 11, "one");
	made_counts_name(&c, 12, "a\x01 b");
	for (i = 0; i < 400; i++) {
		c.tid = 11 + any(3);
		c.cpu = any(2);
		c.period = any(1000);
		sprintf(n[i].key, "%s|7|%u|%u|do_work|[kernel.kallsyms]",
			c.tid == 11   ? "one"
			: c.tid == 12 ? "a\\x01 b"
				      : ":13",
			c.tid, c.cpu);
		n[i].with = true;
		n[i].value = c.period;
		assert_int_equal(made_counts_add(&c, MADE_CLOCK, NULL), 0);
	}
	check_against(&c, n, 400);
	made_counts_end(&c);
}

/* An address of code by its function alone. */
static void functions(void **state)
{
	struct made_counts c;
	struct buf text = {0};
	struct made_drop d = {.type = 301};
	u32 i;

	(void)state;
	made_counts_begin(&c, "location.function", NULL, &number);
	assert_false(count_keys_bare(&c.keys));
	for (i = 0; i < 0x100; i++) {
		d.location = MADE_KERNEL + i;
		assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	}
	d.location = 12;
	assert_int_equal(made_counts_add(&c, MADE_DROP, &d), 0);
	assert_int_equal(c.table.nr, 2);
	assert_int_equal(count_table_row(&c.table, 0)->sum.nr, 0x100);
	count_names_put(&c.table, count_table_row(&c.table, 0), 0, &text);
	buf_addc(&text, ' ');
	count_names_put(&c.table, count_table_row(&c.table, 1), 0, &text);
	assert_string_equal(buf_str(&text), "do_work [unknown]");
	buf_free(&text);
	made_counts_end(&c);
}

#define CHAIN(c, ...)                             \
	((c)->chain = (const u64[]){__VA_ARGS__}, \
	 (c)->chain_nr = sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64))

static u32 rows_with(const char *by)
{
	struct made_counts c;
	u32 nr;

	made_counts_begin(&c, by, NULL, &number);
	CHAIN(&c, MADE_SYSTEM, MADE_KERNEL + 5, MADE_KERNEL + 9, MADE_USER, MADE_MAIN, MADE_START);
	assert_int_equal(made_counts_add(&c, MADE_CLOCK, NULL), 0);
	assert_int_equal(made_counts_add(&c, MADE_CLOCK, NULL), 0);
	CHAIN(&c, MADE_SYSTEM, MADE_KERNEL + 5, MADE_KERNEL + 19, MADE_USER, MADE_MAIN, MADE_START);
	assert_int_equal(made_counts_add(&c, MADE_CLOCK, NULL), 0);
	CHAIN(&c, MADE_SYSTEM, MADE_KERNEL + 5, MADE_KERNEL + 9, MADE_USER, MADE_START);
	assert_int_equal(made_counts_add(&c, MADE_CLOCK, NULL), 0);
	CHAIN(&c, MADE_USER, MADE_MAIN, MADE_START);
	assert_int_equal(made_counts_add(&c, MADE_CLOCK, NULL), 0);
	nr = c.table.nr;
	made_counts_end(&c);
	return nr;
}

static void stacks(void **state)
{
	(void)state;
	assert_int_equal(rows_with("stack"), 4);
	assert_int_equal(rows_with("kstack"), 3); /* one is empty */
	assert_int_equal(rows_with("ustack"), 2);
	assert_int_equal(rows_with("kstack:1"), 2);
	assert_int_equal(rows_with("kstack:2"), 3);
	assert_int_equal(rows_with("ustack:1"), 2);
	assert_int_equal(rows_with("stack:1"), 2);
	assert_int_equal(rows_with("kstack:1,ustack:1"), 3);
	assert_int_equal(rows_with("kstack,kstack:1"), 3);
}

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
	assert_int_equal(c.table.before, 100);
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

static void order_of(enum count_order by, u32 top, const char *want)
{
	static const s32 lens[] = {5, -3, 5, 9, 9, -7, 100, 5, -3};
	struct made_other o = {.type = 302, .reason = 9};
	struct made_counts c;
	struct count_view view;
	struct buf text = {0};
	u32 i;

	made_counts_begin(&c, "other.name", "other.len", &sum);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		o.len = lens[i];
		o.name = (u64)(lens[i] + 1000);
		assert_int_equal(made_counts_add(&c, MADE_OTHER, &o), 0);
	}
	assert_int_equal(count_view_init(&view, &c.table, by, top, NULL), 0);
	for (i = 0; i < view.shown; i++)
		buf_addf(&text, "%d ", (int)count_view_row(&view, i)->words[1] - 1000);
	assert_string_equal(buf_str(&text), want);
	if (top) {
		assert_int_equal(view.hidden, 3);
		assert_true(view.rest.nr == 4 && view.rest.sum == 100 - 3 - 3 - 7);
	}
	buf_free(&text);
	count_view_free(&view);
	made_counts_end(&c);
}

static void orders(void **state)
{
	(void)state;
	order_of(COUNT_ORDER_NUMBER, 0, "5 -3 9 -7 100 ");
	order_of(COUNT_ORDER_SUM, 0, "100 9 5 -3 -7 ");
	order_of(COUNT_ORDER_MEAN, 0, "100 9 5 -3 -7 ");
	order_of(COUNT_ORDER_MOST, 0, "100 9 5 -3 -7 ");
}

static void check_error(const char *by, const char *of, const char *msg, const char *hint)
{
	struct made_counts c;
	struct err err = {0};

	made_counts_session(&c);
	assert_int_equal(made_counts_bind(&c, by, of, &number, &err), -EINVAL);
	assert_string_equal(err.msg, msg);
	assert_string_equal(err.hint, hint);
	made_counts_end(&c);
}

static void errors(void **state)
{
	(void)state;
	check_error("com", NULL, "there is no key 'com', and no event has such a field",
		    "did you mean 'comm'?");
	check_error("reson", NULL, "there is no key 'reson', and no event has such a field",
		    "did you mean 'reason'?");
	check_error("drop.reson", NULL,
		    "there is no key 'drop.reson', and no event has such a field",
		    "did you mean 'reason'?");
	check_error(
		"qqqqqqq", NULL, "there is no key 'qqqqqqq', and no event has such a field",
		"keys are: comm, pid, tid, cpu, cgroup, event, kstack, ustack, stack, sym, dso; fields: "
		"value, type, small, byte, mid, ret, len, location, reason, saddr, name, word, path");
	check_error("comm", "qqqqqqq", "no event has a field 'qqqqqqq'",
		    "there are: period, value, type, small, byte, mid, ret, len, location, reason, "
		    "saddr, name, word, path");
	check_error("comm", "perod", "no event has a field 'perod'", "did you mean 'period'?");
	check_error("comm", "drop.name", "'drop.name' of made:drop is no number",
		    "its type is 'char'; --by can tell rows apart by it");
	check_error("comm", "location", "'location' of made:drop is no number",
		    "its type is 'void *'; --by can tell rows apart by it");
	check_error("comm,comm", NULL, "the key 'comm' is named twice", "");
	check_error("kstack:0", NULL, "'kstack:0': a number of frames must follow the ':'",
		    "for example --by kstack:5");
	check_error("kstack:x", NULL, "'kstack:x': a number of frames must follow the ':'",
		    "for example --by kstack:5");
	check_error("ret.function", NULL, "'ret.function': the field is no address", "");
	check_error("other.reason,drop.saddr.function", NULL,
		    "'drop.saddr.function': the field is no address", "");
	check_error("a,b,c,d,e,f,g,h,i", NULL, "at most 8 keys tell rows apart", "");
	check_error(",", NULL, "no key is named", "for example --by comm,pid");
}

static void check_hist(const char *text, bool is_right, s64 from, s64 to, u64 step)
{
	struct count_options o = {0};
	struct err err = {0};

	assert_int_equal(count_table_parse_hist(text, &o, &err), is_right ? 0 : -EINVAL);
	if (!is_right)
		return;
	assert_int_equal(o.from, from);
	assert_int_equal(o.to, to);
	assert_int_equal(o.step, step);
}

static void hist_options(void **state)
{
	const struct count_options below = {
		.what = COUNT_LINEAR, .from = -10ull, .to = 10, .step = 5, .negative = true};
	struct made_counts c;
	struct err err = {0};

	(void)state;
	check_hist("log2", true, 0, 0, 0);
	check_hist("linear", true, 0, 0, 0);
	check_hist("linear:0:64K:4K", true, 0, 65536, 4096);
	check_hist("linear:-10:10:5", true, -10, 10, 5);
	check_hist("linear:-10:-5:1", true, -10, -5, 1);
	check_hist("linear:0:1000:1", true, 0, 1000, 1);
	check_hist("linear:0:1001:1", false, 0, 0, 0);
	check_hist("linear:5:5:1", false, 0, 0, 0);
	check_hist("linear:5:-5:1", false, 0, 0, 0);
	check_hist("linear:0:10:0", false, 0, 0, 0);
	check_hist("linear:0:10:-1", false, 0, 0, 0);
	check_hist("linear:0:10", false, 0, 0, 0);
	check_hist("linear:", false, 0, 0, 0);
	check_hist("line", false, 0, 0, 0);
	check_hist("linear:0:10:1:2", false, 0, 0, 0);
	made_counts_session(&c);
	assert_int_equal(made_counts_bind(&c, "comm", "drop.len", &below, &err), -EINVAL);
	assert_string_equal(err.msg, "no value of 'drop.len' is below 0");
	made_counts_end(&c);
	made_counts_begin(&c, "comm", "other.len", &below);
	made_counts_end(&c);
}

static int count_some(struct made_counts *c, struct err *err)
{
	const struct count_options o = {.what = COUNT_QUANTILES};
	static const u64 chain[] = {MADE_SYSTEM, MADE_KERNEL + 5, MADE_USER, MADE_MAIN, MADE_START};
	struct count_view view;
	struct buf out = {0};
	struct made_drop d;
	int ret = made_counts_bind(c, "comm,reason,saddr,path,kstack:2,location.function", "len",
				   &o, err);
	u32 i, k;

	seed = 1;
	c->chain = chain;
	c->chain_nr = ARRAY_SIZE(chain);
	for (i = 0; i < 300 && !ret; i++) {
		d = any_drop();
		c->tid = 1 + i % 3;
		ret = made_counts_add(c, MADE_DROP, &d);
	}
	if (ret)
		return -ENOMEM;
	ret = count_view_init(&view, &c->table, COUNT_ORDER_NUMBER, 3, err);
	for (i = 0; i < c->table.nr && !ret; i++) {
		for (k = 0; k < c->keys.nr; k++)
			count_names_json(&c->table, count_view_row(&view, i), k, &out);
		ret = out.failed ? -ENOMEM : 0;
	}
	if (!ret)
		assert_int_equal(count_table_total(&c->table).nr, 300);
	count_view_free(&view);
	buf_free(&out);
	return ret;
}

static void out_of_memory(void **state)
{
	struct made_counts c;
	bool refused = true;
	unsigned int n;
	int ret = -1;

	(void)state;
	for (n = 0; refused; n++) {
		made_counts_session(&c);
		oom_after(n);
		ret = count_some(&c, NULL);
		refused = oom_stop();
		if (ret)
			assert_int_equal(ret, -ENOMEM);
		made_counts_end(&c);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields),    cmocka_unit_test(texts),
		cmocka_unit_test(events),        cmocka_unit_test(cut_short),
		cmocka_unit_test(who),           cmocka_unit_test(functions),
		cmocka_unit_test(stacks),        cmocka_unit_test(bounded),
		cmocka_unit_test(many),          cmocka_unit_test(orders),
		cmocka_unit_test(errors),        cmocka_unit_test(hist_options),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
