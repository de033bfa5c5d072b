// SPDX-License-Identifier: GPL-2.0
/* util/symbol/demangle: C++, both manglings of Rust, and names made to take forever. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "util/base/clock.h"
#include "util/symbol/demangle.h"

static void check(const char *name, unsigned int flags, const char *want)
{
	struct buf b = {0};
	bool ok;

	buf_adds(&b, "before ");
	ok = demangle(&b, name, flags);
	assert_int_equal(ok, want != NULL);
	assert_memory_equal(b.data, "before ", 7);
	assert_string_equal(b.data + 7, want ? want : "");
	buf_free(&b);
}

static void test_names(void **state)
{
	(void)state;
	check("main", 0, NULL);
	check("", 0, NULL);
	check("_", 0, NULL);
	check("_start", 0, NULL);
	check("_Z", 0, NULL);
	check("_R", 0, NULL);
	check("_Zinvalid", 0, NULL);
	check("_Z3fooi", 0, "foo");
	check("_Z3fooi", DEMANGLE_PARAMS, "foo(int)");
	check("_ZN12_GLOBAL__N_14spinIlEET_S1_", 0, "(anonymous namespace)::spin<long>");
	check("_ZNK5outer5thingclERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEi", 0,
	      "outer::thing::operator()");
	check("_ZN5outer5thingC2Ei", 0, "outer::thing::thing");
	check("_ZN5outer5thingD0Ev", 0, "outer::thing::~thing");
	check("_ZTV5thing", 0, "vtable for thing");
	check("_Z3fooi.constprop.0", 0, "foo");
	/* Rust: legacy, v0, v0 with an identifier in Punycode */
	check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", 0, "core::fmt::Formatter::pad");
	check("_RNvNtCs1234_7mycrate3foo3bar", 0, "mycrate::foo::bar");
	check("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y", 0,
	      "utf8_idents::\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83\x9a"
	      "\xe1\x83\x90\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98"
	      "\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98"
	      "\xe1\x83\x9a\xe1\x83\x98");
	/* "u8" in it is of a hash */
	check("_RINvNvXsp_Csig2Kbvu8m1J_8thin_vecINtB8_7ThinVecpENtNtCs8NwYtU1Mohg_4core5clone5Clon"
	      "e5clone19clone_non_singletonNtNtCsblJBSCBpB7e_9rustc_ast3ast7EiiImplEB1P_",
	      0,
	      "<thin_vec::ThinVec<_> as core::clone::Clone>::clone::clone_non_singleton::"
	      "<rustc_ast::ast::EiiImpl>");
}

/* Past 1024 bytes, where libiberty gives up by itself. */
static void test_long_names(void **state)
{
	char name[4096];
	struct buf b = {0};

	(void)state;
	snprintf(name, sizeof(name), "_Z1500%01500d", 0);
	memset(name + 6, 'x', 1500);
	assert_true(demangle(&b, name, 0));
	assert_int_equal(b.len, 1500);
	buf_free(&b);
	memset(name, 'P', sizeof(name));
	memcpy(name, "_Z1f", 4);
	name[sizeof(name) - 1] = '\0';
	assert_false(demangle(&b, name, DEMANGLE_PARAMS));
	name[DEMANGLE_IN_MAX - 1] = 'i';
	name[DEMANGLE_IN_MAX] = '\0';
	demangle(&b, name, DEMANGLE_PARAMS);
	assert_true(b.len <= DEMANGLE_OUT_MAX);
	buf_free(&b);
}

/* A number in base 62, as the back references of Rust have it. */
static void add_base62(struct buf *b, u32 v)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (v >= 62)
		buf_addc(b, digits[v / 62]);
	buf_addc(b, digits[v % 62]);
}

/* Each template or tuple holds the one before it twice: 2^50 of them, if one went on. */
static void test_doubling(void **state)
{
	u64 start = clock_ns(CLOCK_MONOTONIC);
	struct buf name = {0}, out = {0};
	u32 i, at, before;

	(void)state;
	/* S_ is "a", S0_ is "a<int, int>", S1_ the next one, in base 36 */
	buf_adds(&name, "_Z1f1aIiiE");
	for (i = 0; i < 36; i++) {
		char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		buf_addf(&name, "S_IS%c_S%c_E", digit, digit);
	}
	assert_false(demangle(&out, buf_str(&name), DEMANGLE_PARAMS));
	assert_int_equal(out.len, 0);

	/* a back reference is an offset from behind "_R", less one */
	buf_clear(&name);
	buf_adds(&name, "_RINvC1a1b");
	before = (u32)name.len;
	buf_adds(&name, "TllE");
	for (i = 0; i < 50; i++) {
		at = (u32)name.len;
		buf_adds(&name, "TB");
		add_base62(&name, before - 3);
		buf_adds(&name, "_B");
		add_base62(&name, before - 3);
		buf_adds(&name, "_E");
		before = at;
	}
	buf_adds(&name, "E");
	assert_false(demangle(&out, buf_str(&name), 0));
	assert_int_equal(out.len, 0);
	buf_free(&name);
	buf_free(&out);
	assert_true(clock_ns(CLOCK_MONOTONIC) - start < 2000000000ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_doubling),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
