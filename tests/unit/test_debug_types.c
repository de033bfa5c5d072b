// SPDX-License-Identifier: GPL-2.0
/* util/debuginfo/debug_types: types of functions and variables while memory runs out at each place in turn. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/marked_line.h"
#include "tests/unit/oom.h"
#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/debuginfo/debug_types.h"
#include "util/image/image_symbols.h"

/* False: the program is not there. */
static bool open_program(struct debug_source *s, const char *name)
{
	const struct debug_file_options none = {0};
	const char *o = getenv("O");
	struct image img;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/prog/%s", o ? o : "build", name);
	if (image_open(&img, path, NULL))
		return false;
	assert_int_equal(debug_source_open(s, &img, path, &none, NULL), 0);
	return true;
}

static u64 function_address(const struct debug_source *s, const char *name)
{
	struct symtab st = {0};
	u64 vaddr = 0;
	u32 i;

	assert_int_equal(image_symbols_load(&s->image, NULL, &st, SYMTAB_NESTED, NULL), 0);
	for (i = 0; i < st.syms.nr; i++)
		if (!strcmp(st.syms.v[i].name, name))
			assert_true(image_vaddr(&s->image, st.syms.v[i].start, &vaddr));
	symtab_free(&st);
	assert_true(vaddr);
	return vaddr;
}

/* What types are made of: a function, or if there are any, variables. */
struct question {
	struct debug_source s;
	u64 vaddr;
	struct debug_variables variables;
	const char *named;
};

static int make(struct question *q, struct debug_types *t, struct err *err)
{
	if (q->variables.v.nr)
		return debug_types_make_of(t, &q->variables, NULL, NULL, err);
	return debug_types_make(t, &q->s, q->vaddr, NULL, q->named, err);
}

/* Returns how many allocations there are. */
static unsigned int fail_each(struct question *q, void (*refuse)(unsigned int),
			      const struct debug_types *want)
{
	struct debug_types t;
	struct err err;
	unsigned int n;
	int ret;

	for (n = 0;; n++) {
		err = (struct err){0};
		refuse(n);
		ret = make(q, &t, &err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_int_equal(err.code, ENOMEM);
		assert_null(t.data.data);
		assert_null(t.parameters.v);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(t.function, want->function);
	assert_int_equal(t.data.len, want->data.len);
	assert_memory_equal(t.data.data, want->data.data, t.data.len);
	assert_int_equal(t.parameters.nr, want->parameters.nr);
	debug_types_free(&t);
	return n;
}

/* `text`: something that the types have. */
static void try_question(struct question *q, const char *text)
{
	struct debug_types want;
	struct buf b = {0};
	struct btf btf;
	unsigned int n;
	u32 id;

	/* which reads the DWARF, too: it stays known */
	assert_int_equal(make(q, &want, NULL), 0);
	assert_int_equal(btf_init(&btf, NULL, want.data.data, want.data.len, NULL), 0);
	for (id = 1; id <= btf_last(&btf); id++)
		btf_text_define(&btf, id, &b);
	assert_true(!text || strstr(buf_str(&b), text));
	btf_free(&btf);
	buf_free(&b);
	n = fail_each(q, oom_after, &want);
	assert_true(n > 3);
	assert_int_equal(fail_each(q, oom_only, &want), n);
	debug_types_free(&want);
}

static void functions(void **state)
{
	static const struct {
		const char *program, *function, *text, *named;
	} all[] = {
		{"passes", "nothing", NULL, NULL},
		{"passes", "nothing", "BROKEN", "(a=((struct request *)arg1)->path)"},
		{"passes", "nothing", NULL, "(requests=request_, struct none)"},
		{"passes", "handle", "BROKEN", NULL},
		{"passes", "structs", "struct large", NULL},
		{"passes", "makes", "struct large", NULL},
		/* with a struct that no unit defines */
		{"passes", "call_numbers", "_IO_read_ptr", NULL},
		{"objects", "matrix", "blue", NULL},
	};
	struct question q;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		q = (struct question){0};
		if (!open_program(&q.s, all[i].program))
			skip();
		q.vaddr = function_address(&q.s, all[i].function);
		q.named = all[i].named;
		try_question(&q, all[i].text);
		debug_source_close(&q.s);
	}
}

static void variables(void **state)
{
	struct debug_places places = {0};
	struct question q = {0};

	(void)state;
	if (!open_program(&q.s, "variables"))
		skip();
	assert_int_equal(debug_places_find(&places, &q.s, "variables.c",
					   marked_line("tests/prog/variables.c", "/* memory */"),
					   NULL),
			 0);
	assert_int_equal(debug_variables_find(&q.variables, &q.s, &places, NULL), 0);
	assert_true(q.variables.v.nr > 5);
	try_question(&q, "GREEN");
	debug_variables_free(&q.variables);
	debug_places_free(&places);
	debug_source_close(&q.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(variables),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
