// SPDX-License-Identifier: GPL-2.0
/* Answers of the kernel about queueing disciplines, made here: whole, cut off, and wrong. */
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/kernel/qdiscs.h"

/* Write the length of what begins there, and fill up what is behind it. */
static void close_part(struct buf *b, size_t at, bool message)
{
	const u32 len = (u32)(b->len - at);
	const u16 shorter = (u16)len;

	memcpy(b->data + at, message ? (const void *)&len : &shorter, message ? 4 : 2);
	while (b->len % 4)
		buf_addc(b, '\0');
}

static size_t open_attribute(struct buf *b, u16 type)
{
	const struct rtattr a = {.rta_type = type};
	const size_t at = b->len;

	buf_add(b, &a, sizeof(a));
	return at;
}

static size_t open_message(struct buf *b, u16 type, u16 flags)
{
	const struct nlmsghdr h = {.nlmsg_type = type, .nlmsg_flags = flags};
	const size_t at = b->len;

	buf_add(b, &h, sizeof(h));
	return at;
}

static void put_qdisc(struct buf *b, const char *kind, u32 handle, u32 parent, u32 drops)
{
	const struct tcmsg t = {.tcm_ifindex = 3, .tcm_handle = handle, .tcm_parent = parent};
	const struct gnet_stats_queue q = {.drops = drops, .requeues = 4, .overlimits = 5};
	const size_t message = open_message(b, RTM_NEWQDISC, NLM_F_MULTI);
	size_t nest, at;

	buf_add(b, &t, sizeof(t));
	at = open_attribute(b, TCA_KIND);
	buf_add(b, kind, strlen(kind) + 1);
	close_part(b, at, false);
	nest = open_attribute(b, TCA_STATS2 | NLA_F_NESTED);
	at = open_attribute(b, TCA_STATS_BASIC);
	buf_adds(b, "12345");
	close_part(b, at, false);
	at = open_attribute(b, TCA_STATS_QUEUE);
	buf_add(b, &q, sizeof(q));
	close_part(b, at, false);
	close_part(b, nest, false);
	close_part(b, message, true);
}

static void put_code(struct buf *b, u16 type, s32 code)
{
	const size_t at = open_message(b, type, 0);

	buf_add(b, &code, sizeof(code));
	close_part(b, at, true);
}

static void is_named(const struct qdisc *q, const char *want)
{
	struct buf b = {0};

	qdiscs_put_name(q, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void answers(void **state)
{
	struct qdiscs q = {0};
	struct buf b = {0};

	(void)state;
	put_qdisc(&b, "tbf", 0x80010000, TC_H_ROOT, 7);
	put_qdisc(&b, "pfifo_fast", 0, 0x80010002, UINT32_MAX);
	assert_int_equal(qdiscs_parse(&q, b.data, b.len), 1);
	buf_clear(&b);
	put_qdisc(&b, "a name that is too long", 0, TC_H_ROOT, 0);
	put_code(&b, NLMSG_DONE, 0);
	/* nobody reads on */
	put_code(&b, NLMSG_ERROR, -EPERM);
	assert_int_equal(qdiscs_parse(&q, b.data, b.len), 0);
	assert_int_equal(q.v.nr, 3);
	assert_false(q.torn);
	assert_int_equal(q.v.v[0].ifindex, 3);
	assert_int_equal(q.v.v[0].drops, 7);
	assert_int_equal(q.v.v[0].requeues, 4);
	assert_int_equal(q.v.v[0].overlimits, 5);
	assert_int_equal(q.v.v[1].drops, UINT32_MAX);
	is_named(&q.v.v[0], "tbf 8001:");
	is_named(&q.v.v[1], "pfifo_fast parent 8001:2");
	is_named(&q.v.v[2], "a name that is t root");
	qdiscs_free(&q);
	buf_free(&b);
}

static void codes(void **state)
{
	static const struct {
		u16 type;
		s32 code;
		int ret;
	} all[] = {
		{NLMSG_DONE, 0, 0},         {NLMSG_DONE, -EINTR, -EINTR},
		{NLMSG_ERROR, 0, 1},        {NLMSG_ERROR, -EOPNOTSUPP, -EOPNOTSUPP},
		{NLMSG_ERROR, 1, -EBADMSG}, {NLMSG_ERROR, INT32_MIN, -EBADMSG},
		{NLMSG_NOOP, -EPERM, 1},
	};
	struct qdiscs q = {0};
	struct buf b = {0};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		buf_clear(&b);
		put_code(&b, all[i].type, all[i].code);
		assert_int_equal(qdiscs_parse(&q, b.data, b.len), all[i].ret);
	}
	buf_clear(&b);
	close_part(&b, open_message(&b, NLMSG_DONE, NLM_F_DUMP_INTR), true);
	assert_int_equal(qdiscs_parse(&q, b.data, b.len), 0);
	assert_true(q.torn);
	assert_int_equal(qdiscs_parse(&q, NULL, 0), 1);
	assert_int_equal(q.v.nr, 0);
	buf_free(&b);
}

/* Each length of a part as something else, and each end. */
static void damaged(void **state)
{
	struct qdiscs q = {0};
	struct buf b = {0};
	size_t i;
	u8 *copy;

	(void)state;
	put_qdisc(&b, "tbf", 0x80010000, TC_H_ROOT, 7);
	for (i = 1; i < b.len; i++) {
		/* of its own, so that who reads on is noticed */
		copy = malloc(i);
		assert_non_null(copy);
		memcpy(copy, b.data, i);
		assert_int_equal(qdiscs_parse(&q, copy, i), -EBADMSG);
		free(copy);
	}
	assert_int_equal(q.v.nr, 0);
	for (i = 0; i < b.len; i++) {
		b.data[i] ^= 0x11;
		qdiscs_parse(&q, b.data, b.len);
		b.data[i] ^= 0x11;
	}
	assert_true(q.v.nr < b.len);
	qdiscs_free(&q);
	buf_free(&b);
}

static void little_memory(void **state)
{
	struct qdiscs q = {0};
	struct buf b = {0};

	(void)state;
	put_qdisc(&b, "tbf", 0x80010000, TC_H_ROOT, 7);
	oom_after(0);
	assert_int_equal(qdiscs_parse(&q, b.data, b.len), -ENOMEM);
	assert_true(oom_stop());
	oom_after(0);
	assert_int_equal(qdiscs_read(&q), -ENOMEM);
	assert_true(oom_stop());
	qdiscs_free(&q);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(codes),
		cmocka_unit_test(damaged),
		cmocka_unit_test(little_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
