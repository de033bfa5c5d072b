// SPDX-License-Identifier: GPL-2.0
/* util/tracepoint: print fmts, compiled and run over one made record. */
#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/tracepoint/tp_prog.h"

/* One event with a field of every kind. */
static const struct made {
	const char *decl;
	u32 offset, size;
	bool is_signed;
} fields[] = {
	{"unsigned short common_type", 0, 2, 0},
	{"s8 b", 8, 1, 1},            /* -1 */
	{"u8 ub", 9, 1, 0},           /* 200 */
	{"short h", 10, 2, 1},        /* -300 */
	{"int i", 12, 4, 1},          /* -70000 */
	{"unsigned int u", 16, 4, 0}, /* 4000000000 */
	{"int zero", 20, 4, 1},
	{"long l", 24, 8, 1},     /* -5 */
	{"u64 q", 32, 8, 0},      /* 0x123456789abcdef0 */
	{"void * ptr", 40, 8, 0}, /* 0xffffffff81000010 */
	{"void * nil", 48, 8, 0},
	{"const char * cstr", 56, 8, 0}, /* 0xffffffff82000000 */
	{"char comm[16]", 64, 16, 0},    /* a task */
	{"u8 mac[6]", 80, 6, 0},
	{"u16 be", 86, 2, 0}, /* 0x1234 */
	{"u8 ip4[4]", 88, 4, 0},
	{"__be32 addr", 92, 4, 0}, /* 10.0.0.1 */
	{"u8 ip6[16]", 96, 16, 0},
	{"u8 uuid[16]", 112, 16, 0}, /* 00 01 ... 0f */
	{"u8 sock4[28]", 128, 28, 0},
	{"u8 sock6[28]", 156, 28, 0},
	{"u32 arr[4]", 184, 16, 0}, /* 1 2 3 0xffffffff */
	{"unsigned long mask[2]", 200, 16, 0},
	{"__data_loc char[] str", 216, 4, 0},           /* hello world */
	{"__rel_loc char[] rel", 220, 4, 0},            /* rel */
	{"__data_loc u16[] nums", 224, 4, 0},           /* 10 20 65535 */
	{"__data_loc u8[] bytes", 228, 4, 0},           /* de ad be ef */
	{"__data_loc char[] outside", 232, 4, 0},       /* past the record */
	{"__data_loc unsigned long[] cpus", 236, 4, 0}, /* 0-3,8,63 */
	{"__data_loc u8[] none", 240, 4, 0},
	{"char tail[]", 320, 0, 0}, /* tail */
};

#define RECORD 328

#if BYTE_ORDER == BIG_ENDIAN
#define BY_ORDER(little, big) big
#else
#define BY_ORDER(little, big) little
#endif

static void put(u8 *raw, u32 at, u64 v, size_t size)
{
	memcpy(raw + at, (u8 *)&v + (BYTE_ORDER == BIG_ENDIAN ? sizeof(v) - size : 0), size);
}

static void put_loc(u8 *raw, u32 field, u32 at, const void *p, u32 len, bool rel)
{
	put(raw, field, len << 16 | (at - (rel ? field + 4 : 0)), 4);
	memcpy(raw + at, p, len);
}

static void make_record(u8 raw[static RECORD])
{
	static const u8 ip6[16] = {0x20, 1, 0xd, 0xb8, [15] = 1};
	static const u16 nums[] = {10, 20, 65535};
	const u64 cpus = 0x800000000000010full;
	unsigned int i;

	memset(raw, 0, RECORD);
	put(raw, 0, 77, 2);
	put(raw, 8, (u64)-1, 1);
	put(raw, 9, 200, 1);
	put(raw, 10, (u64)-300, 2);
	put(raw, 12, (u64)-70000, 4);
	put(raw, 16, 4000000000, 4);
	put(raw, 24, (u64)-5, 8);
	put(raw, 32, 0x123456789abcdef0, 8);
	put(raw, 40, 0xffffffff81000010, 8);
	put(raw, 56, 0xffffffff82000000, 8);
	memcpy(raw + 64, "a task", 6);
	memcpy(raw + 80, "\x00\x11\x22\xaa\xbb\xcc", 6);
	put(raw, 86, 0x1234, 2);
	memcpy(raw + 88, "\xc0\xa8\x00\x07", 4);
	memcpy(raw + 92, "\x0a\x00\x00\x01", 4);
	memcpy(raw + 96, ip6, 16);
	for (i = 0; i < 16; i++)
		raw[112 + i] = (u8)i;
	put(raw, 128, 2, 2);
	memcpy(raw + 130, "\x00\x50\x7f\x00\x00\x01", 6);
	put(raw, 156, 10, 2);
	memcpy(raw + 158, "\x01\xbb\x00\x00\x00\x07", 6);
	memcpy(raw + 164, ip6, 16);
	put(raw, 180, 3, 4);
	for (i = 0; i < 4; i++)
		put(raw, 184 + 4 * i, i < 3 ? i + 1 : 0xffffffff, 4);
	put(raw, 200, 0xf1, 8);
	put(raw, 208, 1, 8);
	put_loc(raw, 216, 244, "hello world", 12, false);
	put_loc(raw, 220, 256, "rel", 4, true);
	put_loc(raw, 224, 260, nums, 6, false);
	put_loc(raw, 228, 266, "\xde\xad\xbe\xef", 4, false);
	put(raw, 232, 100u << 16 | 60000, 4);
	put_loc(raw, 236, 272, &cpus, 8, false);
	memcpy(raw + 320, "tail", 5);
}

static struct tp_format *format(const char *print_fmt)
{
	struct buf b = {0};
	struct tp_format *f;
	size_t i;

	buf_adds(&b, "name: made\nID: 77\nformat:\n");
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		buf_addf(&b, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%u;\n%s", fields[i].decl,
			 fields[i].offset, fields[i].size, fields[i].is_signed, i ? "" : "\n");
	buf_addf(&b, "\nprint fmt: %s\n", print_fmt);
	f = tp_format_parse(buf_str(&b), b.len, NULL);
	buf_free(&b);
	assert_non_null(f);
	return f;
}

static bool symbol(void *arg, u64 addr, bool with_offset, struct buf *out)
{
	(void)arg;
	if (addr != 0xffffffff81000010)
		return false;
	buf_adds(out, with_offset ? "start+0x10" : "start");
	return true;
}

static const char *string(void *arg, u64 addr)
{
	(void)arg;
	return addr == 0xffffffff82000000 ? "a constant" : NULL;
}

static void print(const char *print_fmt, bool compat, size_t len, struct buf *out)
{
	struct tp_opts opts = {.hz = 250, .compat = compat};
	struct tp_format *f = format(print_fmt);
	struct err err = {0};
	struct tp_prog *p = tp_prog_compile(f, &opts, &err);
	u8 raw[RECORD], *exact = malloc(len ? len : 1);
	struct tp_run run = {.raw = exact, .len = len, .symbol = symbol, .string = string};

	if (!p)
		fail_msg("%s: %s", print_fmt, err.msg);
	assert_non_null(exact);
	make_record(raw);
	memcpy(exact, raw, len);
	tp_prog_run(p, &run, out);
	assert_false(out->failed);
	free(exact);
	tp_prog_free(p);
	tp_format_free(f);
}

struct text {
	const char *print_fmt, *want;
};

static void check(const struct text *t, size_t nr, bool compat)
{
	struct buf out = {0};
	size_t i;

	for (i = 0; i < nr; i++) {
		buf_clear(&out);
		print(t[i].print_fmt, compat, RECORD, &out);
		if (strcmp(buf_str(&out), t[i].want))
			fail_msg("%s\n  prints \"%s\"\n  not    \"%s\"", t[i].print_fmt,
				 buf_str(&out), t[i].want);
	}
	buf_free(&out);
}

static void test_numbers(void **state)
{
	static const struct text texts[] = {
		{"\"plain\"", "plain"},
		{"\"\"", ""},
		{"\"one \" \"two\"", "one two"},
		{"\"100%% \\\"q\\\" a\\tb\\n\"", "100% \"q\" a\tb\n"},
		{"\"%d %i %u\", REC->i, REC->b, REC->u", "-70000 -1 4000000000"},
		{"\"%d %u\", REC->u, REC->i", "-294967296 4294897296"},
		{"\"%x %X %#x %o %#o\", REC->ub, REC->ub, REC->ub, REC->ub, REC->ub",
		 "c8 C8 0xc8 310 0310"},
		{"\"%#x %#X\", REC->zero, 0xabc", "0 0XABC"},
		{"\"%hhd %hhu %hd %hu\", REC->ub, REC->i, REC->u, REC->i", "-56 144 10240 61072"},
		{"\"%ld %lu %lld %llu %zd %zu %Lu %td %jd\", REC->l, REC->l, REC->l, REC->l, "
		 "REC->l, REC->q, REC->q, REC->l, REC->l",
		 "-5 18446744073709551611 -5 18446744073709551611 -5 1311768467463790320 "
		 "1311768467463790320 -5 -5"},
		{"\"[%8d] [%-8d] [%08d] [%+d] [% d]\", REC->h, REC->h, REC->h, REC->ub, REC->ub",
		 "[    -300] [-300    ] [-0000300] [+200] [ 200]"},
		{"\"[%.5d] [%8.5d] [%-8.5d] [%08.5d]\", 42, 42, 42, 42",
		 "[00042] [   00042] [00042   ] [   00042]"},
		{"\"[%.0d] [%5.0d] [%d]\", REC->zero, REC->zero, REC->zero", "[] [     ] [0]"},
		{"\"%016llx %#010x %#8x %-#8x|\", REC->q, REC->ub, REC->ub, REC->ub",
		 "123456789abcdef0 0x000000c8     0xc8 0xc8    |"},
		{"\"[%*d] [%-*d] [%*d] [%.*d]\", 6, 7, 6, 7, -6, 7, 3, 7",
		 "[     7] [7     ] [7     ] [007]"},
		{"\"[%c%c%5c%-3c]\", 'F', REC->zero ? 'S' : ' ', 'x', 'y'", "[F     xy  ]"},
		{"\"%c\", '\\n'", "\\x0a"},
		{"\"%d\", 0x7fffffff", "2147483647"},
		{"\"%d\", 017", "15"},
	};

	(void)state;
	check(texts, ARRAY_SIZE(texts), false);
}

/* Widths are bounded: a foreign format cannot make a line of gigabytes. */
static void test_width_bound(void **state)
{
	static const char *const fmts[] = {"\"%999999999d\", 1",
					   "\"%.999999999d\", 1",
					   "\"%*d\", 2000000000, 1",
					   "\"%*d\", -2147483647 - 1, 1",
					   "\"%*s\", 2000000000, REC->comm",
					   "\"%*s\", REC->u, __get_str(str)"};
	struct buf out = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(fmts); i++) {
		buf_clear(&out);
		print(fmts[i], false, RECORD, &out);
		assert_int_equal(out.len, 4096);
	}
	buf_free(&out);
}

static void test_expressions(void **state)
{
	static const struct text texts[] = {
		{"\"%d\", 1 + 2 * 3 - 4 / 2 % 3", "5"},
		{"\"%d\", 10 - 4 - 3", "3"},
		{"\"%d\", REC->ub - 100 - 50", "50"},
		{"\"%d\", (1 | 2) ^ 7 & ~2", "6"},
		{"\"%d\", 1 << 2 + 1", "8"},
		{"\"%d %d\", REC->i < 0, REC->u < 0", "1 0"},
		{"\"%d\", REC->i >> 4", "-4375"},
		{"\"%u\", REC->u >> 4", "250000000"},
		{"\"%d\", REC->i / 1000", "-70"},
		{"\"%d\", REC->i % 1000", "0"},
		{"\"%lld\", (long long)REC->i * 1000000", "-70000000000"},
		{"\"%llu\", REC->u + REC->u", "3705032704"},
		{"\"%llu\", (u64)REC->u + REC->u", "8000000000"},
		{"\"%d %d %d\", (s8)REC->ub, (u8)REC->i, (unsigned char)-1", "-56 144 255"},
		{"\"%d\", (bool)REC->q", "1"},
		{"\"%d %d\", !REC->zero, !!REC->q", "1 1"},
		{"\"%d\", -REC->b", "1"},
		{"\"%x\", ~REC->zero", "ffffffff"},
		{"\"%d\", REC->i == -70000 && REC->h != 300 || 0", "1"},
		{"\"%d\", REC->b <= -1", "1"},
		{"\"%d\", REC->b >= 0 ? 5 : REC->zero ? 6 : 7", "7"},
		{"\"%d\", REC->zero == 1 ? 1 : REC->zero == 0 ? 2 : 3", "2"},
		{"\"%d %d\", 7 / REC->zero, 7 % REC->zero", "0 0"},
		{"\"%d %d\", 7 / 0, 7 % 0", "0 0"},
		{"\"%lld\", REC->l / -1", "5"},
		{"\"%d %u\", REC->arr[1], REC->arr[3]", "2 4294967295"},
		{"\"%d %d\", REC->arr[REC->zero + 2], REC->arr[4]", "3 0"},
		{"\"%d\", REC->arr[-1]", "0"},
		{"\"%d\", (int)REC->arr[3]", "-1"},
		{"\"%d %d\", ((u16 *)__get_dynamic_array(nums))[1], "
		 "((u16 *)__get_dynamic_array(nums))[3]",
		 "20 0"},
		{"\"%x\", *(u32 *)__get_dynamic_array(bytes)", BY_ORDER("efbeadde", "deadbeef")},
		{"\"%d\", __get_str(str)[1]", "101"},
		{"\"%d %d\", __get_dynamic_array_len(str), __get_rel_dynamic_array_len(rel)",
		 "12 4"},
		{"\"%zu %zu %zu %zu %zu\", sizeof(u64), sizeof(unsigned int), sizeof(REC->arr), "
		 "sizeof(void *), sizeof(long)",
		 "8 4 16 8 8"},
		{"\"%d\", (REC)->zero", "0"},
		{"\"%d\", __builtin_expect(!!(REC->ub), 1)", "1"},
		{"\"%d\", ({ int __a = (REC->ub); int __b = (128); ((__a) < (__b) ? (__a) : "
		 "(__b)); })",
		 "128"},
		{"\"%d\", ({ u8 x = REC->i; x; })", "144"},
		{"\"%d\", SOME_NAME", "0"},
		{"\"%d\", TIMER_SOFTIRQ", "1"},
		{"\"%p\", (((struct page *)vmemmap_base) + (REC->ub))", "0xc8"},
		{"\"%d %d\", IS_ERR(REC->l), IS_ERR_OR_NULL(REC->nil)", "1 1"},
		{"\"%ld %d\", PTR_ERR(REC->l), PTR_ERR_OR_ZERO(REC->ptr)", "-5 0"},
		{"\"%u %u\", jiffies_to_msecs(REC->ub), jiffies_to_usecs(1)", "800 4000"},
		{"\"%llu.%09u\", __print_ns_to_secs(REC->q), __print_ns_without_secs(REC->q)",
		 "1311768467.463790320"},
		{"\"%s\", mc_event_error_type(REC->zero)", "Corrected"},
		{"\"%s\", mc_event_error_type(REC->ub)", "Info"},
	};

	(void)state;
	check(texts, ARRAY_SIZE(texts), false);
}

static void test_byte_order(void **state)
{
	static const struct text texts[] = {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		{"\"%x %x\", ntohs(REC->be), be16_to_cpu(REC->be)", "3412 3412"},
		{"\"%x %llx\", __be32_to_cpu(REC->addr), be64_to_cpu(REC->q)",
		 "a000001 f0debc9a78563412"},
		{"\"%x\", le16_to_cpu(REC->be)", "1234"},
#endif
		{"\"%x\", __builtin_bswap16(REC->be)", "3412"},
	};

	(void)state;
	check(texts, ARRAY_SIZE(texts), false);
}

static void test_strings(void **state)
{
	static const struct text texts[] = {
		{"\"%s|%s|%s\", REC->comm, __get_str(str), __get_rel_str(rel)",
		 "a task|hello world|rel"},
		{"\"[%10s] [%-10s] [%.3s] [%6.3s] [%-6.3s]\", REC->comm, REC->comm, REC->comm, "
		 "REC->comm, REC->comm",
		 "[    a task] [a task    ] [a t] [   a t] [a t   ]"},
		{"\"[%.*s] [%*s] [%-*s] [%*.*s]\", 2, REC->comm, 8, REC->comm, 8, REC->comm, 5, 3, "
		 "REC->comm",
		 "[a ] [  a task] [a task  ] [  a t]"},
		{"\"[%.*s]\", REC->i, REC->comm", "[a task]"},
		{"\"%s\", REC->zero ? \"yes\" : \"no\"", "no"},
		{"\"[%5s] [%-5s] [%.1s]\", \"ab\", \"ab\", \"ab\"", "[   ab] [ab   ] [a]"},
		{"\"[%*s]\", 5, REC->ub ? \"ab\" : REC->comm", "[   ab]"},
		{"\"%s\", REC->ub ? __get_str(str) : ((void *)0)", "hello world"},
		{"\"[%s] [%.*s]\", REC->zero ? __get_str(str) : ((void *)0), 3, NULL", "[] []"},
		{"\"%s %s\", REC->cstr, REC->ptr", "a constant ffffffff81000010"},
		{"\"[%s] [%s]\", __get_str(outside), __get_str(none)", "[] []"},
		{"\"%s\", REC->tail", "tail"},
		{"\"%s%s\", \"a\" \"b\", \"c\"", "abc"},
	};

	(void)state;
	check(texts, ARRAY_SIZE(texts), false);
}

static void test_lists(void **state)
{
	static const struct text texts[] = {
		{"\"%s\", __print_flags(REC->ub, \"|\", {8, \"A\"}, {0x40, \"B\"}, {1, \"C\"})",
		 "A|B|0x80"},
		{"\"%s\", __print_flags(REC->ub, \"|\", {0xc8, \"ALL\"}, {8, \"A\"})", "ALL"},
		{"\"[%s]\", __print_flags(REC->zero, \"|\", {1, \"A\"}, {0, \"NONE\"})", "[]"},
		{"\"%s\", __print_flags(REC->ub, \"\", {8, \"A\"}, {0xc0, \"B\"})", "AB"},
		{"\"%s\", __print_flags(REC->ub, NULL, {8, \"A\"}, {0xc0, \"B\"})", "AB"},
		{"\"%s\", __print_flags_u64(REC->q, \"|\", {1ULL << 60, \"TOP\"})",
		 "TOP|0x23456789abcdef0"},
		{"\"%s\", __print_flags(REC->l, \"|\", {1ULL << 63, \"SIGN\"}, {~(1ULL << 63) - 4, "
		 "\"REST\"})",
		 "SIGN|REST"},
		{"\"[%12s] [%-12s]\", __print_flags(REC->ub, \"|\", {8, \"A\"}, {0xc0, \"B\"}), "
		 "__print_flags(REC->ub, \"|\", {8, \"A\"}, {0xc0, \"B\"})",
		 "[         A|B] [A|B         ]"},
		{"\"%s %s\", __print_symbolic(REC->zero, {0, \"ZERO\"}, {1, \"ONE\"}), "
		 "__print_symbolic(REC->ub, {0, \"ZERO\"}, {200, \"CC\"})",
		 "ZERO CC"},
		{"\"%s\", __print_symbolic(REC->ub, {1, \"x\"})", "0xc8"},
		{"\"%s\", __print_symbolic(REC->i, {-70000, \"minus\"}, {5, \"five\"})", "minus"},
		{"\"%s\", __print_symbolic(REC->b, {-1, \"m1\"}, {0, \"0\"}, {1, \"1\"})", "m1"},
		{"\"%s\", __print_symbolic(REC->ub, {200, \"first\"}, {200, \"second\"})", "first"},
		{"\"%s\", __print_symbolic_u64(REC->q, {0x123456789abcdef0, \"big\"})", "big"},
		{"\"%s\", __print_symbolic(REC->ub, { })", "0xc8"},
		{"\"%s\", __print_symbolic(REC->zero, { 1, \"x\" }, { 0, ((void *)0) })", "0x0"},
		{"\"%s\", __print_symbolic(REC->zero, {UNKNOWN, \"u\"}, {1 << WHAT, \"w\"})",
		 "0x0"},
		{"\"%s\", __print_symbolic(REC->ub, {1, \"a\"},)", "0xc8"},
		{"\"[%8s]\", __print_symbolic(REC->zero, {0, \"ZERO\"})", "[    ZERO]"},
		{"\"%s\", (REC->ub & 8) ? __print_flags(REC->ub, \"|\", {8, \"A\"}) : \"none\"",
		 "A|0xc0"},
	};

	(void)state;
	check(texts, ARRAY_SIZE(texts), false);
}

/* Lists with gaps are searched, dense ones indexed: both find the same. */
static void test_long_lists(void **state)
{
	struct buf fmt = {0}, out = {0};
	unsigned int step, i;

	(void)state;
	for (step = 1; step <= 1000; step *= 10) {
		buf_clear(&fmt);
		buf_clear(&out);
		buf_adds(&fmt, "\"%s %s %s\", __print_symbolic(REC->zero");
		for (i = 0; i < 200; i++)
			buf_addf(&fmt, ", {%u, \"n%u\"}", (199 - i) * step, 199 - i);
		buf_adds(&fmt, "), __print_symbolic(199 * ");
		buf_addf(&fmt, "(%u + REC->zero)", step);
		for (i = 0; i < 200; i++)
			buf_addf(&fmt, ", {%u, \"n%u\"}", i * step, i);
		buf_addf(&fmt, "), __print_symbolic(%u + REC->zero", 200 * step);
		for (i = 0; i < 200; i++)
			buf_addf(&fmt, ", {%u, \"n%u\"}", i * step, i);
		buf_adds(&fmt, ")");
		print(buf_str(&fmt), false, RECORD, &out);
		buf_clear(&fmt);
		buf_addf(&fmt, "n0 n199 0x%x", 200 * step);
		assert_string_equal(buf_str(&out), buf_str(&fmt));
	}
	buf_free(&fmt);
	buf_free(&out);
}

static void test_arrays(void **state)
{
	static const struct text texts[] = {
		{"\"%s\", __print_hex(REC->mac, 6)", "00 11 22 aa bb cc"},
		{"\"%s\", __print_hex_str(__get_dynamic_array(bytes), "
		 "__get_dynamic_array_len(bytes))",
		 "deadbeef"},
		{"\"%s\", __print_hex(REC->mac, 3)", "00 11 22"},
		{"\"%s\", __print_hex(REC->mac, 4000)", "00 11 22 aa bb cc"},
		{"\"[%s]\", __print_hex(REC->mac, REC->zero)", "[]"},
		{"\"%s\", __print_array(REC->arr, 4, 4)", "{0x1,0x2,0x3,0xffffffff}"},
		{"\"%s\", __print_array(REC->arr, 1000, 4)", "{0x1,0x2,0x3,0xffffffff}"},
		{"\"%s\", __print_array(__get_dynamic_array(nums), __get_dynamic_array_len(nums) / "
		 "sizeof(u16), sizeof(u16))",
		 "{0xa,0x14,0xffff}"},
		{"\"%s\", __print_dynamic_array(nums, sizeof(u16))", "{0xa,0x14,0xffff}"},
		{"\"%s\", __print_array(REC->arr, 4, 3)", "BAD SIZE:3"},
		{"\"%s\", __get_bitmask(cpus)", "80000000,0000010f"},
		{"\"%s\", __get_cpumask(cpus)", "0-3,8,63"},
		{"\"%*pbl\", 128, REC->mask", "0,4-7,64"},
		{"\"%*pbl\", 6, REC->mask", "0,4-5"},
		{"\"%*pb\", 128, REC->mask", "00000000,00000001,00000000,000000f1"},
		{"\"%*ph|%*phC|%*phD|%*phN|%3ph\", 4, __get_dynamic_array(bytes), 4, "
		 "__get_dynamic_array(bytes), 2, __get_dynamic_array(bytes), 9, "
		 "__get_dynamic_array(bytes), REC->mac",
		 "de ad be ef|de:ad:be:ef|de-ad|deadbeef|00 11 22"},
		{"\"%ph\", REC->mac", "00"},
		{"\"%s\", __print_hex_dump(\"p: \", DUMP_PREFIX_OFFSET, 16, 1, "
		 "__get_dynamic_array(str), 12, true)",
		 "\np: 00000000: 68 65 6c 6c 6f 20 77 6f 72 6c 64 00              hello world.\n"},
		{"\"%s\", __print_hex_dump(\"\", DUMP_PREFIX_NONE, 16, 4, "
		 "__get_dynamic_array(bytes), 4, false)",
		 BY_ORDER("\nefbeadde\n", "\ndeadbeef\n")},
		{"\"[%s]\", __print_hex(__get_dynamic_array(outside), 10)", "[]"},
	};

	(void)state;
	check(texts, ARRAY_SIZE(texts), false);
}

static void test_pointers(void **state){
	static const struct text texts[] = {
		{"\"%p %p\", REC->ptr, REC->nil", "0xffffffff81000010 (nil)"},
		{"\"%px %pK %pd\", REC->ptr, REC->ptr, REC->ptr",
		 "0xffffffff81000010 0xffffffff81000010 0xffffffff81000010"},
		{"\"[%20p]\", REC->ptr", "[  0xffffffff81000010]"},
		{"\"%pS %ps %pF %pf %pB %pSR\", REC->ptr, REC->ptr, REC->ptr, REC->ptr, REC->ptr, "
		 "REC->ptr",
		 "start+0x10 start start+0x10 start start+0x10 start+0x10"},
		{"\"%pS %ps\", REC->q, (void *)REC->nil", "0x123456789abcdef0 0x0"},
		{"\"%pI4 %pi4 %pI4h %pI4b %pI4\", REC->ip4, REC->ip4, REC->ip4, REC->ip4, "
		 "&REC->addr",
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		 "192.168.0.7 192.168.000.007 7.0.168.192 192.168.0.7 10.0.0.1"},
#else
		 "192.168.0.7 192.168.000.007 192.168.0.7 192.168.0.7 10.0.0.1"},
#endif
		{"\"%pI6 %pi6 %pI6c\", REC->ip6, REC->ip6, REC->ip6",
		 "2001:0db8:0000:0000:0000:0000:0000:0001 20010db8000000000000000000000001 "
		 "2001:db8::1"},
		{"\"%pIS %pISp %pISc %pISpc\", REC->sock4, REC->sock4, REC->sock6, REC->sock6",
		 "127.0.0.1 127.0.0.1:80 2001:db8::1 [2001:db8::1]:443"},
		{"\"%pISpfsc %piS\", REC->sock6, REC->sock4",
		 "[2001:db8::1]:443/7%3 127.000.000.001"},
		{"\"%pM %pMF %pMR %pm\", REC->mac, REC->mac, REC->mac, REC->mac",
		 "00:11:22:aa:bb:cc 00-11-22-aa-bb-cc cc:bb:aa:22:11:00 001122aabbcc"},
		{"\"%pU %pUb %pUB\", REC->uuid, REC->uuid, REC->uuid",
		 "00010203-0405-0607-0809-0a0b0c0d0e0f 00010203-0405-0607-0809-0a0b0c0d0e0f "
		 "00010203-0405-0607-0809-0A0B0C0D0E0F"},
		{"\"%pUl %pUL\", REC->uuid, REC->uuid",
		 "03020100-0504-0706-0809-0a0b0c0d0e0f 03020100-0504-0706-0809-0A0B0C0D0E0F"},
		{"\"%pM %pI4 %pI6c %pU\", REC->ip4, REC->mac, REC->mac, REC->mac",
		 "INVALIDMAC INVALIDIPv4 INVALIDIPv6 INVALIDUUID"},
		{"\"%pI6c %pI4\", __get_dynamic_array(none), __get_dynamic_array(bytes)",
		 "INVALIDIPv6 222.173.190.239"},
		{"\"[%pISpc]\", __get_sockaddr(none)", "[]"},
	};

(void)state;
check(texts, ARRAY_SIZE(texts), false);
}

/* RFC 5952 and its neighbours. */
static void test_ip6(void **state)
{
	static const struct {
		u8 a[16];
		const char *text;
	} list[] = {
		{{0}, "::"},
		{{[15] = 1}, "::1"},
		{{[0] = 1}, "100::"},
		{{0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4}, "1:0:2::3:0:4"},
		{{0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7}, "1:0:2:3:4:5:6:7"},
		{{0, 1, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 6, 0, 7}, "1::3:0:0:6:7"},
		{{[10] = 0xff, [11] = 0xff, [12] = 10, [15] = 1}, "::ffff:10.0.0.1"},
		{{0xfe, 0x80, [10] = 0x5e, [11] = 0xfe, [12] = 10, [15] = 2},
		 "fe80::5efe:10.0.0.2"},
		{{0xfe, 0x80, [8] = 2, [10] = 0x5e, [11] = 0xfe, [12] = 1},
		 "fe80::200:5efe:1.0.0.0"},
	};
	struct tp_format *f = format("\"%pI6c\", REC->ip6");
	struct tp_prog *p = tp_prog_compile(f, NULL, NULL);
	struct buf out = {0};
	u8 raw[RECORD];
	size_t i;

	(void)state;
	assert_non_null(p);
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		struct tp_run run = {.raw = raw, .len = sizeof(raw)};

		make_record(raw);
		memcpy(raw + 96, list[i].a, 16);
		buf_clear(&out);
		tp_prog_run(p, &run, &out);
		assert_string_equal(buf_str(&out), list[i].text);
	}
	buf_free(&out);
	tp_prog_free(p);
	tp_format_free(f);
}

/* What perf prints otherwise than the kernel. */
static void test_compat(void **state)
{
	static const struct text texts[] = {
		{"\"%d %d %hd\", REC->b, REC->h, REC->h", "255 65236 -300"},
		{"\"%lld\", REC->i", "4294897296"},
		{"\"%d\", REC->i < 0", "0"},
		{"\"%d %d\", (s8)REC->ub, (int)REC->i", "200 -70000"},
		{"\"%llu\", REC->u + REC->u", "8000000000"},
		{"\"%s\", __print_array(REC->arr, 4, 4)", "1 2 3 4294967295"},
		{"\"%s\", __print_symbolic(REC->i, {-70000, \"minus\"})", "0xfffeee90"},
		{"\"[%s]\", __print_flags(REC->zero, \"|\", {NAME, \"name\"})", "[name]"},
		{"\"%s\", __print_flags(REC->ub, \"|\", {1 << NAME, \"bit\"}, {8, \"A\"})",
		 "A|0xc0"},
		{"\"[%8s] [%8s]\", __print_symbolic(REC->zero, {0, \"ZERO\"}), "
		 "__print_symbolic(REC->ub, {0, \"ZERO\"})",
		 "[    ZERO] [0xc8]"},
		{"\"[%3s]\", __print_flags(REC->ub, \"|\", {8, \"A\"}, {0xc0, \"B\"})",
		 "[  A|  B]"},
		{"\"[%20p]\", REC->ptr", "[0xffffffff81000010]"},
		{"\"%d\", 10 - 4 - 3", "3"},
		{"\"%pI6c %s\", REC->ip6, __get_str(str)", "2001:db8::1 hello world"},
	};

	(void)state;
	check(texts, ARRAY_SIZE(texts), true);
}

static void test_long_size(void **state)
{
	struct tp_opts opts = {.long_size = 4};
	struct tp_format *f = format("\"%lx %zx %llx %zu\", REC->q, REC->q, REC->q, sizeof(long)");
	struct tp_prog *p = tp_prog_compile(f, &opts, NULL);
	struct buf out = {0};
	u8 raw[RECORD];
	struct tp_run run = {.raw = raw, .len = sizeof(raw)};

	(void)state;
	assert_non_null(p);
	make_record(raw);
	tp_prog_run(p, &run, &out);
	assert_string_equal(buf_str(&out), "9abcdef0 9abcdef0 123456789abcdef0 4");
	buf_free(&out);
	tp_prog_free(p);
	tp_format_free(f);
}

/* Control bytes of the record never reach the terminal; what the kernel wrote in the fmt does. */
static void test_escape(void **state)
{
	struct tp_format *f = format("\"a\\tb %s %s %.3s\", REC->comm, __get_str(str), REC->comm");
	struct tp_prog *p = tp_prog_compile(f, NULL, NULL);
	struct buf out = {0};
	u8 raw[RECORD];
	struct tp_run run = {.raw = raw, .len = sizeof(raw)};

	(void)state;
	assert_non_null(p);
	make_record(raw);
	memcpy(raw + 64, "\x1b[2J\xff", 6);
	memcpy(raw + 244, "a\nb", 4);
	tp_prog_run(p, &run, &out);
	assert_string_equal(buf_str(&out), "a\tb \\x1b[2J\\xff a\\x0ab \\x1b[2");
	buf_free(&out);
	tp_prog_free(p);
	tp_format_free(f);
}

static void test_bad(void **state)
{
	static const struct {
		const char *print_fmt, *why;
	} bad[] = {
		{"", "no format string"},
		{"REC->i", "no format string"},
		{"\"%d", "quote"},
		{"\"%d\", 'x", "quote"},
		{"\"%d\"", "no argument"},
		{"\"%d %d\", REC->i", "no argument"},
		{"\"%*d\", 5", "no argument"},
		{"\"%d\" REC->i", "\",\" is missing"},
		{"\"%d\",", "cut short"},
		{"\"%d\", REC->missing", "no field \"missing\""},
		{"\"%d\", REC", "\"->\" is missing"},
		{"\"%d %pF\", REC->i", "no argument"},
		{"\"%s\", __get_str(missing)", "no field \"missing\""},
		{"\"%d\", (REC->i", "\")\" is missing"},
		{"\"%d\", REC->i ? 1", "\":\" is missing"},
		{"\"%d\", REC->arr[1", "\"]\" is missing"},
		{"\"%d\", REC->i[1]", "no array"},
		{"\"%d\", REC->i.x", "member"},
		{"\"%d\", REC->ptr->x", "member"},
		{"\"%d\", &5", "address"},
		{"\"%d\", 1 + ", "cut short"},
		{"\"%d\", @", "byte that C does not know"},
		{"\"%d\", \"text\"", "number is needed"},
		{"\"%d\", REC->comm", "number is needed"},
		{"\"%s\", whatever(REC->i)", "unknown function \"whatever\""},
		{"\"%y\", REC->i", "unknown conversion"},
		{"\"%\"", "cut short"},
		{"\"%l\", 1", "cut short"},
		{"\"%pI\", REC->ip4", "without a version"},
		{"\"%pI9\", REC->ip4", "unknown version"},
		{"\"%pM\", 5", "no field"},
		{"\"%s\", __print_flags(REC->i, \"|\", {REC->u, \"x\"})", "no constant"},
		{"\"%s\", __print_flags(REC->i, \"|\", {1, REC->u})", "no string"},
		{"\"%s\", __print_flags(REC->i, \"|\", {1, \"x\")", "\"}\" is missing"},
		{"\"%s\", __print_flags(REC->i)", "\",\" is missing"},
		{"\"%s\", __print_hex(5, 6)", "no field"},
		{"\"%d\", sizeof(struct x)", "unknown type"},
		{"\"%s\", ({ union u r; r.word = REC->i; r.level; })", "no integer expression"},
		{"\"%s\", ({ const char *p = trace_seq_buffer_ptr(p); p; })", "unknown function"},
	};
	struct tp_opts opts = {0};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct tp_format *f = format(bad[i].print_fmt);
		struct err err = {0};

		if (tp_prog_compile(f, &opts, &err))
			fail_msg("compiled: %s", bad[i].print_fmt);
		assert_int_equal(err.code, EINVAL);
		if (!strstr(err.msg, bad[i].why) || !strstr(err.msg, "\"made\""))
			fail_msg("%s: %s", bad[i].print_fmt, err.msg);
		assert_null(tp_prog_compile(f, NULL, NULL));
		tp_format_free(f);
	}
}

/* HZ is no part of a format: without it there is no answer, and no guess. */
static void test_no_hz(void **state)
{
	struct tp_format *f = format("\"%u\", jiffies_to_msecs(REC->u)");
	struct err err = {0};

	(void)state;
	assert_null(tp_prog_compile(f, NULL, &err));
	assert_non_null(strstr(err.msg, "CONFIG_HZ"));
	tp_format_free(f);
}

/* Text that nests, repeats or doubles until something gives: an error, not a crash. */
static void test_bombs(void **state)
{
	struct buf b = {0};
	struct tp_format *f;
	struct tp_prog *p;
	struct err err;
	unsigned int kind, i;

	(void)state;
	for (kind = 0; kind < 7; kind++) {
		buf_clear(&b);
		buf_adds(&b, "\"%d\", ");
		switch (kind) {
		case 0:
			for (i = 0; i < 100000; i++)
				buf_addc(&b, '(');
			break;
		case 1:
			for (i = 0; i < 100000; i++)
				buf_addc(&b, '-');
			buf_adds(&b, "1");
			break;
		case 2:
			buf_adds(&b, "REC->i");
			for (i = 0; i < 50000; i++)
				buf_adds(&b, "+REC->i");
			break;
		case 3:
			buf_adds(&b, "({ int v0 = REC->i; ");
			for (i = 1; i < 100; i++)
				buf_addf(&b, "int v%u = v%u * v%u; ", i, i - 1, i - 1);
			buf_adds(&b, "v99; })");
			break;
		case 4:
			for (i = 0; i < 50000; i++)
				buf_adds(&b, "REC->i ? 1 : ");
			buf_adds(&b, "2");
			break;
		case 5:
			for (i = 0; i < 70; i++)
				buf_adds(&b, "REC->i + (");
			buf_adds(&b, "1");
			for (i = 0; i < 70; i++)
				buf_addc(&b, ')');
			break;
		case 6:
			for (i = 0; i < 1000; i++)
				buf_adds(&b, "({ int a = ");
			break;
		}
		f = format(buf_str(&b));
		err = (struct err){0};
		p = tp_prog_compile(f, NULL, &err);
		assert_null(p);
		assert_int_equal(err.code, EINVAL);
		tp_format_free(f);
	}
	buf_free(&b);
}

/* A text of a variable is copied where it is used; names of lists are padded one by one. */
static void test_long_texts(void **state)
{
	static const struct {
		const char *begin, *repeat, *end;
		u32 nr;
	} long_texts[] = {
		{"\"%s\", ({ int v = \"", "texttexttexttext", "\"; ", 400},
		{"\"%4000s\", ({ int v = __print_symbolic(REC->i", ", { 1, \"a\" }", "); ", 20},
		{"\"%s\", ({ int v = __print_flags(REC->i, \"\"", ", { 1, \"\" }", "); ", 2000},
	};
	const struct tp_opts opts = {.compat = true};
	struct buf b = {0};
	struct tp_format *f;
	struct err err;
	u32 i, k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(long_texts); k++) {
		buf_clear(&b);
		buf_adds(&b, long_texts[k].begin);
		for (i = 0; i < long_texts[k].nr; i++)
			buf_adds(&b, long_texts[k].repeat);
		buf_adds(&b, long_texts[k].end);
		for (i = 0; i < 10; i++)
			buf_adds(&b, "int v = REC->i ? v : v; ");
		buf_adds(&b, "v; })");
		f = format(buf_str(&b));
		err = (struct err){0};
		assert_null(tp_prog_compile(f, &opts, &err));
		assert_int_equal(err.code, EINVAL);
		assert_non_null(strstr(err.msg, "texts that are too long"));
		tp_format_free(f);
	}
	buf_free(&b);
}

/* A record cut at every length: what is missing prints as 0 or nothing, and no byte past it is
 * read (the sanitizers watch the block of exactly that size). */
static void test_cut_records(void **state)
{
	static const char fmt[] =
		"\"%d %u %llu %s %s %s %pI6c %pU %pM %pISpc %pS %s %s %s %*pbl %s %s %d\", REC->i, "
		"REC->u, REC->q, REC->comm, __get_str(str), __get_rel_str(rel), REC->ip6, "
		"REC->uuid, REC->mac, REC->sock6, REC->ptr, __print_hex(REC->mac, 6), "
		"__print_array(REC->arr, 4, 4), __get_bitmask(cpus), 128, REC->mask, REC->tail, "
		"__print_symbolic(REC->i, {1, \"x\"}), __get_str(str)[3]";
	struct buf out = {0};
	size_t len;

	(void)state;
	for (len = 0; len <= RECORD; len++) {
		buf_clear(&out);
		print(fmt, false, len, &out);
	}
	assert_non_null(strstr(buf_str(&out), "-70000 4000000000 1311768467463790320 a task"));
	buf_clear(&out);
	print("\"%d %s|%s\", REC->i, REC->comm, __get_str(str)", false, 0, &out);
	assert_string_equal(buf_str(&out), "0 |");
	buf_clear(&out);
	print("\"%d %s|%s\", REC->i, REC->comm, __get_str(str)", false, 220 + 26, &out);
	assert_string_equal(buf_str(&out), "-70000 a task|he");
	buf_free(&out);
}

static void test_fields(void **state)
{
	struct tp_format *f = format("\"%s\", unknown()");
	struct tp_prog *p = tp_prog_fields(f, NULL);
	struct buf out = {0};
	u8 raw[RECORD];
	struct tp_run run = {.raw = raw, .len = sizeof(raw)};
	static const char begins[] =
		"[FAILED TO PARSE] b=-1 ub=200 h=-300 i=-70000 u=4000000000 zero=0 l=-5 "
		"q=1311768467463790320 ptr=0xffffffff81000010 nil=0x0 cstr=0xffffffff82000000 "
		"comm=a task mac=ARRAY[00, 11, ";

	(void)state;
	assert_non_null(p);
	make_record(raw);
	tp_prog_run(p, &run, &out);
	assert_memory_equal(buf_str(&out), begins, strlen("[FAILED TO PARSE] b=-1 ub=200"));
	assert_null(strstr(buf_str(&out), "common_type"));
	assert_non_null(strstr(buf_str(&out), " comm=a task mac="));
	assert_non_null(strstr(buf_str(&out), " str=hello world rel=rel nums=ARRAY[" BY_ORDER(
						      "0a, 00", "00, 0a")));
	assert_non_null(strstr(buf_str(&out), " outside=INVALID"));
	buf_free(&out);
	tp_prog_free(p);
	tp_format_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),     cmocka_unit_test(test_width_bound),
		cmocka_unit_test(test_expressions), cmocka_unit_test(test_byte_order),
		cmocka_unit_test(test_strings),     cmocka_unit_test(test_lists),
		cmocka_unit_test(test_long_lists),  cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_pointers),    cmocka_unit_test(test_ip6),
		cmocka_unit_test(test_compat),      cmocka_unit_test(test_long_size),
		cmocka_unit_test(test_escape),      cmocka_unit_test(test_bad),
		cmocka_unit_test(test_no_hz),       cmocka_unit_test(test_bombs),
		cmocka_unit_test(test_long_texts),  cmocka_unit_test(test_cut_records),
		cmocka_unit_test(test_fields),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("tp_prog", tests, NULL, NULL);
}
