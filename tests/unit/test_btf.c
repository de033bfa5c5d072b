// SPDX-License-Identifier: GPL-2.0
/* Types of a kernel, made here as <linux/btf.h> has them, and as C. */
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

static void is_declared(struct made *m, u32 id, const char *as, const char *text)
{
	struct buf b = {0};

	btf_text_declare(&m->b, id, as, &b);
	assert_string_equal(buf_str(&b), text);
	buf_free(&b);
}

static void is_defined(struct made *m, u32 id, const char *text)
{
	struct buf b = {0};

	btf_text_define(&m->b, id, &b);
	assert_string_equal(buf_str(&b), text);
	buf_free(&b);
}

static void declarations(void **state)
{
	u32 i32, ptr, cptr, ptrc, row, grid, of_array, fn, of_fn, tag, tdef, vol, fwd, fwdu;
	struct made m;

	(void)state;
	begin(&m);
	i32 = add_int(&m, "int", 4);
	ptr = add(&m, "", BTF_PTR, 0, false, i32);
	cptr = add(&m, "", BTF_CONST, 0, false, ptr);
	ptrc = add(&m, "", BTF_PTR, 0, false, add(&m, "", BTF_CONST, 0, false, i32));
	row = add(&m, "", BTF_ARRAY, 0, false, 0);
	buf_u32(&m.types, i32), buf_u32(&m.types, i32), buf_u32(&m.types, 3);
	grid = add(&m, "", BTF_ARRAY, 0, false, 0);
	buf_u32(&m.types, row), buf_u32(&m.types, i32), buf_u32(&m.types, 2);
	of_array = add(&m, "", BTF_PTR, 0, false, row);
	fn = add(&m, "", BTF_FUNC_PROTO, 3, false, 0);
	more(&m, "a", i32), more(&m, "", ptrc), more(&m, "", 0);
	of_fn = add(&m, "", BTF_PTR, 0, false, fn);
	tag = add(&m, "", BTF_PTR, 0, false, add(&m, "user", BTF_TYPE_TAG, 0, false, i32));
	tdef = add(&m, "u_t", BTF_TYPEDEF, 0, false, of_fn);
	vol = add(&m, "", BTF_VOLATILE, 0, false, tdef);
	fwd = add(&m, "later", BTF_FWD, 0, false, 0);
	fwdu = add(&m, "either", BTF_FWD, 0, true, 0);
	assert_int_equal(finish(&m, NULL), 0);
	is_declared(&m, 0, "", "void");
	is_declared(&m, i32, "x", "int x");
	is_declared(&m, ptr, "", "int *");
	is_declared(&m, cptr, "p", "int *const p");
	is_declared(&m, ptrc, "p", "const int *p");
	is_declared(&m, grid, "g", "int g[2][3]");
	is_declared(&m, of_array, "p", "int (*p)[3]");
	is_declared(&m, of_fn, "f", "void (*f)(int a, const int *, ...)");
	is_declared(&m, tag, "p", "int *p");
	is_declared(&m, tdef, "t", "u_t t");
	is_declared(&m, vol, "v", "volatile u_t v");
	is_declared(&m, fwd, "", "struct later");
	is_declared(&m, fwdu, "u", "union either u");
	is_defined(&m, tdef, "typedef void (*u_t)(int a, const int *, ...); /* 8 bytes */\n");
	assert_int_equal(btf_size(&m.b, grid), 24);
	assert_int_equal(btf_size(&m.b, of_array), sizeof(void *));
	assert_int_equal(btf_size(&m.b, vol), sizeof(void *));
	assert_int_equal(btf_size(&m.b, 0), 0);
	end(&m);
}

static void definitions(void **state)
{
	u32 u16_id, outer, inner, small, big;
	struct made m;

	(void)state;
	begin(&m);
	u16_id = add_int(&m, "short", 2);
	inner = add(&m, "", BTF_UNION, 2, false, 4);
	member(&m, "a", u16_id, 0), member(&m, "b", u16_id, 0);
	outer = add(&m, "outer", BTF_STRUCT, 4, true, 16);
	member(&m, "first", u16_id, 0);
	member(&m, "bits", u16_id, 19 | 5u << 24);
	member(&m, "", inner, 32), member(&m, "named", inner, 64);
	small = add(&m, "small", BTF_ENUM, 2, true, 4);
	more(&m, "MINUS", (u32)-1), more(&m, "ONE", 1);
	big = add(&m, "big", BTF_ENUM64, 1, false, 8);
	more(&m, "HIGH", 2), buf_u32(&m.types, 1);
	assert_int_equal(finish(&m, NULL), 0);
	is_defined(&m, outer,
		   "struct outer {\n"
		   "/*      0      2 */     short first;\n"
		   "/*    2:3        */     short bits : 5;\n"
		   "/*      4      4 */     union {\n"
		   "/*      4      2 */         short a;\n"
		   "/*      4      2 */         short b;\n"
		   "                        };\n"
		   "/*      8      4 */     union {\n"
		   "/*      8      2 */         short a;\n"
		   "/*      8      2 */         short b;\n"
		   "                        } named;\n"
		   "}; /* 16 bytes */\n");
	is_defined(&m, small, "enum small {\n    MINUS = -1,\n    ONE = 1,\n}; /* 4 bytes */\n");
	is_defined(&m, big, "enum big {\n    HIGH = 4294967298,\n}; /* 8 bytes */\n");
	assert_int_equal(btf_find(&m.b, BTF_STRUCT, "outer"), outer);
	assert_int_equal(btf_find(&m.b, BTF_UNION, "outer"), 0);
	assert_true(btf_index(&m.b));
	assert_int_equal(btf_find(&m.b, BTF_STRUCT, "outer"), outer);
	assert_int_equal(btf_find(&m.b, BTF_ENUM64, "big"), big);
	assert_int_equal(btf_find(&m.b, BTF_ENUM, "big"), 0);
	end(&m);
}

static void offsets(void **state)
{
	u32 short_id, deep, in_union, offset = 7;
	struct made m;

	(void)state;
	begin(&m);
	short_id = add_int(&m, "short", 2);
	deep = add(&m, "", BTF_STRUCT, 2, false, 4);
	member(&m, "x", short_id, 0), member(&m, "y", short_id, 16);
	in_union = add(&m, "", BTF_UNION, 2, false, 4);
	member(&m, "a", short_id, 0), member(&m, "", deep, 0);
	add(&m, "outer", BTF_STRUCT, 4, true, 16);
	member(&m, "first", short_id, 0), member(&m, "bits", short_id, 19 | 5u << 24);
	member(&m, "", in_union, 32), member(&m, "named", deep, 64);
	/* of itself alone: it ends */
	add(&m, "circle", BTF_STRUCT, 3, false, 8);
	member(&m, "", 5, 0), member(&m, "", 5, 0), member(&m, "", 5, 0);
	assert_int_equal(finish(&m, NULL), 0);
	assert_true(btf_offset(&m.b, "outer", "first", &offset));
	assert_int_equal(offset, 0);
	assert_true(btf_offset(&m.b, "outer", "y", &offset));
	assert_int_equal(offset, 6);
	assert_true(btf_offset(&m.b, "outer", "named", &offset));
	assert_int_equal(offset, 8);
	assert_false(btf_offset(&m.b, "outer", "bits", &offset));
	assert_false(btf_offset(&m.b, "outer", "", &offset));
	assert_false(btf_offset(&m.b, "outer", "z", &offset));
	assert_false(btf_offset(&m.b, "inner", "x", &offset));
	assert_false(btf_offset(&m.b, "circle", "x", &offset));
	end(&m);
}

static void tracepoints(void **state)
{
	u32 i32, proto, named;
	struct buf b = {0};
	struct made m;

	(void)state;
	begin(&m);
	i32 = add_int(&m, "int", 4);
	proto = add(&m, "", BTF_FUNC_PROTO, 2, false, 0);
	more(&m, "", i32), more(&m, "", i32);
	add(&m, "btf_trace_old", BTF_TYPEDEF, 0, false, add(&m, "", BTF_PTR, 0, false, proto));
	named = add(&m, "", BTF_FUNC_PROTO, 3, false, i32);
	more(&m, "__data", i32), more(&m, "dev", i32), more(&m, "len", i32);
	add(&m, "__traceiter_new", BTF_FUNC, 0, false, named);
	add(&m, "__traceiter_none", BTF_FUNC, 0, false, i32);
	assert_int_equal(finish(&m, NULL), 0);
	assert_true(btf_text_tracepoint(&m.b, "old", &b));
	assert_true(btf_text_tracepoint(&m.b, "new", &b));
	assert_string_equal(buf_str(&b), "old(int)new(int dev, int len)");
	assert_false(btf_text_tracepoint(&m.b, "none", &b));
	assert_false(btf_text_tracepoint(&m.b, "nosuch", &b));
	buf_free(&b);
	end(&m);
}

/* Types that refer to themselves, or to none: an end, and no text without bounds. */
static void circles(void **state)
{
	struct buf b = {0};
	struct made m;
	u32 id, i;

	(void)state;
	begin(&m);
	id = add(&m, "", BTF_CONST, 0, false, 1);
	add(&m, "", BTF_PTR, 0, false, 2);
	add(&m, "", BTF_ARRAY, 0, false, 0);
	buf_u32(&m.types, 3), buf_u32(&m.types, 3), buf_u32(&m.types, 0x7fffffff);
	add(&m, "", BTF_STRUCT, 2, false, 8);
	member(&m, "", 4, 0), member(&m, "", 4, 0);
	add(&m, "", BTF_FUNC_PROTO, 2, false, 5);
	more(&m, "", 5), more(&m, "", 5);
	add(&m, "t", BTF_TYPEDEF, 0, false, 999);
	assert_int_equal(finish(&m, NULL), 0);
	for (i = id; i <= 7; i++) {
		buf_clear(&b);
		btf_text_define(&m.b, i, &b);
		assert_true(b.len < 16u << 20);
		btf_size(&m.b, i);
	}
	buf_free(&b);
	end(&m);
}

static void damaged(void **state)
{
	struct err err = {0};
	struct made m;
	size_t len;

	(void)state;
	begin(&m);
	add_int(&m, "int", 4);
	add(&m, "s", BTF_STRUCT, 1, false, 4);
	member(&m, "x", 1, 0);
	assert_int_equal(finish(&m, NULL), 0);
	btf_free(&m.b);
	for (len = 0; len < m.all.len; len++) {
		assert_int_equal(btf_init(&m.b, NULL, m.all.data, len, &err), -EINVAL);
		assert_true(err.msg[0]);
	}
	/* a kind of tomorrow */
	add(&m, "new", 25, 0, false, 0);
	assert_int_equal(finish(&m, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "type 3"));
	end(&m);
}

/* A kernel of the other byte order says the same. */
static void swapped(void **state)
{
	struct made m;
	u32 *w, i;
	u16 magic;

	(void)state;
	begin(&m);
	add_int(&m, "int", 4);
	assert_int_equal(finish(&m, NULL), 0);
	btf_free(&m.b);
	memcpy(&magic, m.all.data, 2);
	magic = __builtin_bswap16(magic);
	memcpy(m.all.data, &magic, 2);
	w = (u32 *)(void *)m.all.data;
	for (i = 1; i < (24 + 16) / 4; i++)
		w[i] = __builtin_bswap32(w[i]);
	assert_int_equal(btf_init(&m.b, NULL, m.all.data, m.all.len, NULL), 0);
	is_declared(&m, 1, "x", "int x");
	assert_int_equal(btf_size(&m.b, 1), 4);
	end(&m);
}

static void out_of_memory(void **state)
{
	struct err err;
	struct made m;
	unsigned int n;
	int ret;

	(void)state;
	begin(&m);
	add_int(&m, "int", 4);
	assert_int_equal(finish(&m, NULL), 0);
	btf_free(&m.b);
	for (n = 0;; n++) {
		err = (struct err){0};
		oom_after(n);
		ret = btf_init(&m.b, NULL, m.all.data, m.all.len, &err);
		if (!ret && !btf_index(&m.b))
			ret = -ENOMEM;
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		btf_free(&m.b);
	}
	assert_true(n > 1);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(declarations),  cmocka_unit_test(definitions),
		cmocka_unit_test(tracepoints),   cmocka_unit_test(circles),
		cmocka_unit_test(damaged),       cmocka_unit_test(swapped),
		cmocka_unit_test(out_of_memory), cmocka_unit_test(offsets),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
