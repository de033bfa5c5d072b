// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/event/ev_filter.h"

/* What the kernel is told of a filter; NULL: it is refused. */
static void check(const char *typed, const char *kernel)
{
	struct ev_list list = {0};
	struct ev_spec *s = ev_spec_add(&list);
	struct err err = {0};

	s->name = "ftrace:function";
	s->tp.system = "ftrace";
	s->tp.name = "function";
	assert_true(ev_function_is(s));
	assert_int_equal(ev_function_check(s, &err), -EINVAL);
	assert_int_equal(ev_function_filter(&list, s, typed, &err), kernel ? 0 : -EINVAL);
	if (kernel) {
		assert_string_equal(s->tp.filter, kernel);
		assert_string_equal(s->tp.typed_filter, typed);
		assert_int_equal(ev_function_check(s, &err), 0);
		/* once for each event */
		assert_int_equal(ev_function_filter(&list, s, typed, &err), -EINVAL);
	} else {
		assert_null(s->tp.filter);
		assert_true(err.msg[0] && err.hint[0]);
	}
	ev_list_free(&list);
}

static void test_filter(void **state)
{
	(void)state;
	check("ip == kfree_skb", "ip == kfree_skb");
	check("  ip==\"kfree_skb\"  ", "ip == kfree_skb");
	check("ip ~ 'napi_*'", "ip == napi_*");
	check("ip != rcu_*&&ip!=__rcu*", "ip != rcu_* && ip != __rcu*");
	check("(ip == a || (ip == b)) || ip == c.part.0",
	      "(ip == a || (ip == b)) || ip == c.part.0");
}

static void test_refused(void **state)
{
	(void)state;
	check("", NULL);
	check("kfree_skb", NULL);
	check("parent_ip == a", NULL);
	check("ip = a", NULL);
	check("ip > 5", NULL);
	check("ip ==", NULL);
	check("ip == \"a", NULL);
	check("ip == 'a\"", NULL);
	check("ip == a b", NULL);
	check("ip == a ||", NULL);
	check("ip == a | ip == b", NULL);
	check("(ip == a", NULL);
	check("ip == a)", NULL);
	check("ip == a && common_pid != 5", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
