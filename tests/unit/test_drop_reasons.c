// SPDX-License-Identifier: GPL-2.0
/* Names of drop reasons from types as a kernel and its modules have them; protocols by name. */
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
#include "util/base/ethertype.h"
#include "util/btf/drop_reasons.h"

struct value {
	const char *name;
	u64 value;
};

static void add_enum(struct made *m, const char *s, u32 kind, const struct value *v, u32 nr)
{
	u32 i;

	add(m, s, kind, nr, false, kind == BTF_ENUM ? 4 : 8);
	for (i = 0; i < nr; i++) {
		more(m, v[i].name, (u32)v[i].value);
		if (kind == BTF_ENUM64)
			buf_u32(&m->types, (u32)(v[i].value >> 32));
	}
}

/* In the order of Linux 6.18. */
static void make_kernel(struct made *m)
{
	static const struct value subsystems[] = {{"SKB_DROP_REASON_SUBSYS_CORE", 0},
						  {"SKB_DROP_REASON_SUBSYS_MAC80211_UNUSABLE", 1},
						  {"SKB_DROP_REASON_SUBSYS_OPENVSWITCH", 2},
						  {"SKB_DROP_REASON_SUBSYS_NUM", 3}};
	static const struct value core[] = {
		{"SKB_NOT_DROPPED_YET", 0},           {"SKB_CONSUMED", 1},
		{"SKB_DROP_REASON_NOT_SPECIFIED", 2}, {"SKB_DROP_REASON_NO_SOCKET", 3},
		{"SKB_DROP_REASON_MAX", 4},           {"SKB_DROP_REASON_SUBSYS_MASK", 0xffff0000}};
	static const struct value other[] = {{"SK_RST_REASON_NO_SOCKET", 3}};

	begin(m);
	add_enum(m, "sk_rst_reason", BTF_ENUM, other, ARRAY_SIZE(other));
	add_enum(m, "skb_drop_reason_subsys", BTF_ENUM, subsystems, ARRAY_SIZE(subsystems));
	add_enum(m, "skb_drop_reason", BTF_ENUM, core, ARRAY_SIZE(core));
	assert_int_equal(finish(m, NULL), 0);
}

static void make_module(struct made *m, const struct made *kernel, u32 kind)
{
	static const struct value ovs[] = {{"__OVS_DROP_REASON", 0x20000},
					   {"OVS_DROP_LAST_ACTION", 0x20001},
					   {"OVS_DROP_ACTION_ERROR", 0x20002},
					   {"__OVS_DROP_MAX", 0x20003},
					   {"RX_CONTINUE", 1}};

	begin_module(m, kernel);
	add_enum(m, "ovs_drop_reason", kind, ovs, ARRAY_SIZE(ovs));
	assert_int_equal(finish(m, NULL), 0);
}

struct both {
	struct made kernel, module;
};

static void make_both(struct both *b, u32 kind)
{
	make_kernel(&b->kernel);
	make_module(&b->module, &b->kernel, kind);
}

static void end_both(struct both *b)
{
	end(&b->module);
	end(&b->kernel);
}

static void is_named(const struct drop_reasons *r, u64 reason, const char *want)
{
	const char *got = drop_reasons_name(r, reason);

	if (want)
		assert_string_equal(got ? got : "(none)", want);
	else
		assert_null(got);
}

static void modules(void **state)
{
	static const u32 kinds[] = {BTF_ENUM, BTF_ENUM64};
	struct drop_reasons r;
	struct both b;
	u32 i, id;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		r = (struct drop_reasons){0};
		make_both(&b, kinds[i]);
		/* ids go on, and those of the kernel are there */
		assert_int_equal(btf_last(&b.module.b), btf_last(&b.kernel.b) + 1);
		id = btf_find(&b.module.b, (enum btf_kind)kinds[i], "ovs_drop_reason");
		assert_int_equal(id, btf_last(&b.module.b));
		assert_int_equal(btf_find(&b.module.b, BTF_ENUM, "skb_drop_reason"),
				 btf_find(&b.kernel.b, BTF_ENUM, "skb_drop_reason"));
		assert_string_equal(btf_type(&b.module.b, 1).name, "sk_rst_reason");
		assert_int_equal(btf_type(&b.module.b, id + 1).kind, BTF_VOID);
		assert_true(btf_index(&b.module.b));
		assert_int_equal(btf_find(&b.module.b, (enum btf_kind)kinds[i], "ovs_drop_reason"),
				 id);
		assert_int_equal(btf_find(&b.module.b, BTF_ENUM, "skb_drop_reason"), 3);

		assert_int_equal(drop_reasons_add(&r, &b.kernel.b, NULL), 0);
		is_named(&r, 0x20001, NULL);
		assert_string_equal(drop_reasons_subsystem(&r, 0x20001), "OPENVSWITCH");
		assert_string_equal(drop_reasons_subsystem(&r, 0x10009), "MAC80211_UNUSABLE");
		assert_null(drop_reasons_subsystem(&r, 0x30001));
		assert_null(drop_reasons_subsystem(&r, 3));
		assert_int_equal(drop_reasons_add(&r, &b.module.b, NULL), 0);
		is_named(&r, 3, "NO_SOCKET");
		is_named(&r, 1, "SKB_CONSUMED");
		is_named(&r, 0x20001, "OVS_DROP_LAST_ACTION");
		is_named(&r, 0x20002, "OVS_DROP_ACTION_ERROR");
		/* what marks where an enum begins and ends is no reason */
		is_named(&r, 0, NULL);
		is_named(&r, 4, NULL);
		is_named(&r, 0xffff0000, NULL);
		is_named(&r, 0x20000, NULL);
		is_named(&r, 0x20003, NULL);
		is_named(&r, 0x100000003, NULL);
		drop_reasons_free(&r);
		end_both(&b);
	}
}

static void numbers(void **state)
{
	(void)state;
	assert_false(drop_reasons_is_foreign(0));
	assert_false(drop_reasons_is_foreign(0xffff));
	assert_true(drop_reasons_is_foreign(0x10000));
	assert_true(drop_reasons_is_foreign(UINT32_MAX));
	/* a field that is wider than a reason holds something else */
	assert_false(drop_reasons_is_foreign(1ull << 40));
}

static void damaged(void **state)
{
	const struct buf *bytes;
	struct both b;
	size_t len;

	(void)state;
	make_both(&b, BTF_ENUM);
	bytes = &b.module.all;
	btf_free(&b.module.b);
	for (len = 0; len < bytes->len; len++)
		assert_int_equal(btf_init(&b.module.b, &b.kernel.b, bytes->data, len, NULL),
				 -EINVAL);
	assert_int_equal(btf_init(&b.module.b, &b.kernel.b, bytes->data, len, NULL), 0);
	end_both(&b);
}

static void out_of_memory(void **state)
{
	struct drop_reasons r;
	bool refused = true;
	struct both b;
	unsigned int n;
	int ret = 0;

	(void)state;
	make_both(&b, BTF_ENUM);
	for (n = 0; refused; n++) {
		r = (struct drop_reasons){0};
		oom_after(n);
		ret = drop_reasons_add(&r, &b.kernel.b, NULL);
		refused = oom_stop();
		assert_int_equal(ret, refused ? -ENOMEM : 0);
		drop_reasons_free(&r);
	}
	assert_true(n > 2);
	end_both(&b);
}

static void protocols(void **state)
{
	static const struct {
		u64 protocol;
		const char *name;
	} cases[] = {{0x0800, "IPv4"},   {0x86dd, "IPv6"},    {0x0806, "ARP"},   {0x88cc, "LLDP"},
		     {0x8100, "802.1Q"}, {0x88a8, "802.1ad"}, {0x0001, "802.3"}, {0xdada, "DSA"},
		     {0, NULL},          {0x88b5, NULL},      {0xffff, NULL},    {0x10800, NULL}};
	const char *got;
	u64 protocol;
	u32 i, known = 0;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		got = ethertype_name(cases[i].protocol);
		if (cases[i].name)
			assert_string_equal(got ? got : "(none)", cases[i].name);
		else
			assert_null(got);
	}
	/* all can be found: the table is in order */
	for (protocol = 0; protocol <= UINT16_MAX; protocol++)
		known += ethertype_name(protocol) != NULL;
	assert_int_equal(known, 62);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules),   cmocka_unit_test(numbers),
		cmocka_unit_test(damaged),   cmocka_unit_test(out_of_memory),
		cmocka_unit_test(protocols),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
