// SPDX-License-Identifier: GPL-2.0
/*
 * Raw data of a machine of the other byte order: its numbers become ours, its addresses of networks
 * stay, and its print fmt says what it said there.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/record/raw_swap.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_prog.h"

/* ntohs() in the print fmt of a kernel: its compiler's word on a little-endian machine, nothing else. */
#define NTOHS_LITTLE "(__u16)__builtin_bswap16((__u16)(( __u16)(__be16)(REC->port)))"
#define NTOHS_BIG    "(( __u16)(__be16)(REC->port))"

#define FIELDS                                                                         \
	"name: made\n"                                                                 \
	"ID: 77\n"                                                                     \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"                                                                           \
	"\tfield:__be16 port;\toffset:8;\tsize:2;\tsigned:0;\n"                        \
	"\tfield:unsigned short number;\toffset:10;\tsize:2;\tsigned:0;\n"             \
	"\tfield:__be32 saddr;\toffset:12;\tsize:4;\tsigned:0;\n"                      \
	"\tfield:__be32 saddr6[4];\toffset:16;\tsize:16;\tsigned:0;\n"                 \
	"\tfield:struct in_addr sin_addr;\toffset:32;\tsize:4;\tsigned:0;\n"           \
	"\tfield:int numbers[2];\toffset:36;\tsize:8;\tsigned:1;\n"                    \
	"\tfield:__data_loc __be32[] hops;\toffset:44;\tsize:4;\tsigned:0;\n"          \
	"\tfield:__data_loc u8[] sockaddr;\toffset:48;\tsize:4;\tsigned:0;\n"          \
	"\tfield:struct sock * sk;\toffset:56;\tsize:8;\tsigned:0;\n"                  \
	"\tfield:__be32 saddr_seq;\toffset:64;\tsize:4;\tsigned:0;\n"                  \
	"\n"                                                                           \
	"print fmt: \"port=%u number=%u saddr=%pI4 saddr6=%pI6c sin=%pI4 a=%d b=%d "   \
	"hop=%pI4 from=%pISpc sk=%llx seq=%u\", "
#define ARGUMENTS                                                                      \
	", REC->number, &REC->saddr, REC->saddr6, &(REC->sin_addr), REC->numbers[0], " \
	"REC->numbers[1], __get_dynamic_array(hops), __get_sockaddr(sockaddr), "       \
	"(unsigned long long)REC->sk, REC->saddr_seq && REC->number\n"

#define TEXT                                                                        \
	"port=443 number=1234 saddr=192.0.2.1 saddr6=2001:db8::7 sin=198.51.100.2 " \
	"a=-5 b=1000000 hop=203.0.113.9 from=10.0.0.1:80 sk=ffff888012345678 seq=1"

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static struct buf record;

/* An integer of the recorded machine. */
static void put(u64 v, u32 size, bool big)
{
	u32 i;

	for (i = 0; i < size; i++)
		buf_addc(&record, (char)(v >> 8 * (big ? size - 1 - i : i)));
}

static void make(bool big)
{
	static const u8 addr6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 7};

	buf_clear(&record);
	put(77, 2, big);
	put(0, 2, big);
	put(4711, 4, big);
	buf_add(&record, "\1\273", 2);
	put(1234, 2, big);
	buf_add(&record, "\300\0\2\1", 4);
	buf_add(&record, addr6, sizeof(addr6));
	buf_add(&record, "\306\63\144\2", 4);
	put((u64)-5, 4, big);
	put(1000000, 4, big);
	put(4 << 16 | 72, 4, big);
	put(16 << 16 | 76, 4, big);
	put(0, 4, big);
	put(0xffff888012345678, 8, big);
	put(9, 4, big);
	put(0, 4, big);
	buf_add(&record, "\313\0\161\11", 4);
	put(AF_INET, 2, big);
	buf_add(&record, "\0\120\12\0\0\1\0\0\0\0\0\0\0\0", 14);
	assert_false(record.failed);
	assert_int_equal(record.len, 92);
}

static struct tp_format *format(bool big)
{
	static const char little_text[] = FIELDS NTOHS_LITTLE ARGUMENTS;
	static const char big_text[] = FIELDS NTOHS_BIG ARGUMENTS;
	struct err err = {0};
	struct tp_format *f = big ? tp_format_parse(big_text, sizeof(big_text) - 1, &err)
				  : tp_format_parse(little_text, sizeof(little_text) - 1, &err);

	if (!f)
		fail_msg("%s", err.msg);
	return f;
}

static void expect_text(const struct tp_format *f, const char *text)
{
	const struct tp_opts opts = {.hz = 250};
	struct tp_run run = {.raw = record.data, .len = record.len};
	struct buf out = {0};
	struct err err = {0};
	struct tp_prog *p = tp_prog_compile(f, &opts, &err);

	if (!p)
		fail_msg("%s", err.msg);
	tp_prog_run(p, &run, &out);
	assert_string_equal(buf_str(&out), text);
	tp_prog_free(p);
	buf_free(&out);
}

static void one_order(bool big)
{
	struct tp_format *f = format(big);
	struct raw_swap s = {0};
	u64 v;

	make(big);
	assert_int_equal(raw_swap_init(&s, f), 0);
	if (big != HOST_BIG)
		raw_swap(&s, (u8 *)record.data, record.len);
	expect_text(f, TEXT);
	/* the number that the recorded machine saw */
	assert_true(tp_field_int(tp_format_field(f, "port"), record.data, record.len, &v));
	assert_int_equal(v, big ? 443 : 0xbb01);
	assert_true(tp_field_int(tp_format_field(f, "common_pid"), record.data, record.len, &v));
	assert_int_equal(v, 4711);
	raw_swap_free(&s);
	tp_format_free(f);
}

static void both_orders(void **state)
{
	(void)state;
	one_order(false);
	one_order(true);
}

/* Wherever the record ends, nothing behind it is touched. */
static void cut_short(void **state)
{
	struct tp_format *f = format(!HOST_BIG);
	struct raw_swap s = {0};
	size_t len;
	u8 *exact;

	(void)state;
	make(!HOST_BIG);
	assert_int_equal(raw_swap_init(&s, f), 0);
	for (len = 0; len < record.len; len++) {
		exact = malloc(len + 1);
		assert_non_null(exact);
		memcpy(exact, record.data, len);
		exact[len] = 0x5a;
		raw_swap(&s, exact, len);
		assert_int_equal(exact[len], 0x5a);
		free(exact);
	}
	raw_swap_free(&s);
	tp_format_free(f);
}

static void out_of_memory(void **state)
{
	struct tp_format *f = format(true);
	struct raw_swap s;
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		s = (struct raw_swap){0};
		oom_after(n);
		ret = raw_swap_init(&s, f);
		raw_swap_free(&s);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	tp_format_free(f);
	buf_free(&record);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_orders),
		cmocka_unit_test(cut_short),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("raw_swap", tests, NULL, NULL);
}
