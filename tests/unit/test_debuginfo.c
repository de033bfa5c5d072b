// SPDX-License-Identifier: GPL-2.0
/* util/debuginfo: ranges, line programs made by hand, and the program tests/prog/inlined.c. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cmocka.h>

#include "tests/unit/made_elf.h"
#include "tests/unit/marked_line.h"
#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/debuginfo/debuginfo.h"
#include "util/debuginfo/debuginfo_internal.h"
#include "util/image/image_symbols.h"

/* Ranges */

static void test_ranges(void **state)
{
	struct range_index x = {0};

	(void)state;
	assert_int_equal(range_index_find(&x, 0), ID_NONE);
	assert_true(range_index_add(&x, 100, 200, 0));
	assert_true(range_index_add(&x, 100, 120, 1)); /* begins with it */
	assert_true(range_index_add(&x, 150, 200, 2)); /* ends with it */
	assert_true(range_index_add(&x, 160, 170, 3));
	assert_true(range_index_add(&x, 300, 300, 4)); /* none */
	assert_true(range_index_add(&x, 300, 310, 5));
	assert_true(range_index_add(&x, 400, 410, 5)); /* one more of it */
	assert_true(range_index_add(&x, 405, 420, 6)); /* overlaps */
	assert_true(range_index_add(&x, UINT64_MAX - 1, UINT64_MAX, 7));
	assert_true(range_index_finish(&x));
	assert_int_equal(range_index_find(&x, 99), ID_NONE);
	assert_int_equal(range_index_find(&x, 100), 1);
	assert_int_equal(range_index_find(&x, 119), 1);
	assert_int_equal(range_index_find(&x, 120), 0);
	assert_int_equal(range_index_find(&x, 150), 2);
	assert_int_equal(range_index_find(&x, 160), 3);
	assert_int_equal(range_index_find(&x, 170), 2);
	assert_int_equal(range_index_find(&x, 199), 2);
	assert_int_equal(range_index_find(&x, 200), ID_NONE);
	assert_int_equal(range_index_find(&x, 305), 5);
	assert_int_equal(range_index_find(&x, 310), ID_NONE);
	assert_int_equal(range_index_find(&x, 404), 5);
	assert_int_equal(range_index_find(&x, 405), 6);
	assert_int_equal(range_index_find(&x, 419), 6);
	assert_int_equal(range_index_find(&x, 420), ID_NONE);
	assert_int_equal(range_index_find(&x, UINT64_MAX - 1), 7);
	assert_int_equal(range_index_find(&x, UINT64_MAX), ID_NONE);
	range_index_free(&x);
}

/* Divide [low, high) at random, outer ranges before inner ones. */
static void divide(struct range_index *x, u32 *owner, u32 low, u32 high, u32 *items, int depth)
{
	u32 item = (*items)++, at, a, b;

	assert_true(range_index_add(x, low, high, item));
	for (at = low; at < high; at++)
		owner[at] = item;
	for (at = low; depth && at < high; at = b) {
		a = at + (u32)rand() % 20;
		b = a + (u32)rand() % 30 + 1;
		if (b > high)
			break;
		divide(x, owner, a, b, items, depth - 1);
	}
}

static void test_random_ranges(void **state)
{
	u32 owner[2000], round, at, items;

	(void)state;
	srand(1);
	for (round = 0; round < 200; round++) {
		struct range_index x = {0};

		memset(owner, 0xff, sizeof(owner));
		items = 0;
		divide(&x, owner, 10, 900, &items, 4);
		divide(&x, owner, 900, 1900, &items, 4);
		assert_true(range_index_finish(&x));
		for (at = 0; at < ARRAY_SIZE(owner); at++)
			assert_int_equal(range_index_find(&x, at), owner[at]);
		range_index_free(&x);
	}
}

/* Line programs */

static void put_text(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

struct program {
	u16 version;
	u8 min_length, max_ops;
	struct buf names, code;
};

/* A line section with one table in it. */
static void put_table(struct buf *b, const struct program *p)
{
	static const u8 lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct buf head = {0};

	buf_u8(&head, p->min_length);
	if (p->version >= 4)
		buf_u8(&head, p->max_ops);
	buf_u8(&head, 1);      /* is_stmt */
	buf_u8(&head, (u8)-5); /* line base */
	buf_u8(&head, 14);     /* line range */
	buf_u8(&head, 13);     /* opcode base */
	buf_add(&head, lengths, sizeof(lengths));
	buf_add(&head, p->names.data, p->names.len);
	buf_u32(b, (u32)(2 + (p->version >= 5 ? 2 : 0) + 4 + head.len + p->code.len));
	buf_u16(b, p->version);
	if (p->version >= 5) {
		buf_u8(b, 8);
		buf_u8(b, 0);
	}
	buf_u32(b, (u32)head.len);
	buf_add(b, head.data, head.len);
	buf_add(b, p->code.data, p->code.len);
	assert_false(b->failed);
	buf_free(&head);
}

static void put_address(struct buf *b, u64 addr)
{
	buf_u8(b, 0);
	buf_u8(b, 9);
	buf_u8(b, DW_LNE_set_address);
	buf_u64(b, addr);
}

static void put_end(struct buf *b, u8 advance)
{
	buf_u8(b, DW_LNS_advance_pc);
	buf_u8(b, advance);
	buf_u8(b, 0);
	buf_u8(b, 1);
	buf_u8(b, DW_LNE_end_sequence);
}

/* A row `addr` further with the line `line` further: a special opcode. */
static void put_special(struct buf *b, int line, int addr)
{
	buf_u8(b, (u8)(line + 5 + 14 * addr + 13));
}

static void put_old_names(struct buf *b)
{
	put_text(b, "/abs");
	put_text(b, "rel");
	put_text(b, "");
	put_text(b, "a.c"); /* in the folder of the compilation */
	buf_add(b, "\0\0\0", 3);
	put_text(b, "b.c");
	buf_add(b, "\1\0\0", 3);
	put_text(b, "c.c");
	buf_add(b, "\2\0\0", 3);
	put_text(b, "/root/d.c");
	buf_add(b, "\1\0\0", 3);
	put_text(b, "e.c");
	buf_add(b, "\x7f\0\0", 3); /* no such folder */
	put_text(b, "");
}

static void put_code(struct buf *b)
{
	put_address(b, 0x1000);
	put_special(b, 8, 0); /* 0x1000: 9 */
	buf_u8(b, DW_LNS_set_file);
	buf_u8(b, 2);
	buf_u8(b, DW_LNS_set_column);
	buf_u8(b, 0x85);
	buf_u8(b, 0x01);
	put_special(b, 1, 4);           /* 0x1004: 10 */
	put_special(b, 1, 0);           /* 0x1004 again: 11 */
	buf_u8(b, DW_LNS_const_add_pc); /* 17 bytes */
	buf_u8(b, DW_LNS_advance_line);
	buf_u8(b, 0x7d);        /* -3 */
	buf_u8(b, DW_LNS_copy); /* 0x1015: 8 */
	buf_u8(b, DW_LNS_fixed_advance_pc);
	buf_u16(b, 0x100);
	buf_u8(b, DW_LNS_set_isa);
	buf_u8(b, 1);
	buf_u8(b, DW_LNS_set_prologue_end);
	buf_u8(b, 0); /* a discriminator */
	buf_u8(b, 2);
	buf_u8(b, DW_LNE_set_discriminator);
	buf_u8(b, 3);
	buf_u8(b, DW_LNS_negate_stmt);
	buf_u8(b, DW_LNS_copy); /* 0x1115: 8 */
	put_end(b, 0x10);
	/* code that the linker left out */
	put_address(b, 0);
	put_special(b, 1, 0);
	put_end(b, 0x7f);
	/* another function, before */
	put_address(b, 0x800);
	put_special(b, 3, 0);
	put_end(b, 8);
}

static int read_program(struct line_table *t, struct buf *section, const struct program *p,
			const char *comp_dir)
{
	struct debug_sections s;

	buf_clear(section);
	buf_add(section, "before", 6);
	put_table(section, p);
	s = (struct debug_sections){.line = {(const u8 *)section->data, section->len}};
	return line_table_read(t, &s, 6, comp_dir);
}

static void expect(struct line_table *t, u64 addr, const char *file, u32 line, u32 column)
{
	const struct line_row *row = line_table_find(t, addr);

	if (!file) {
		assert_null(row);
		return;
	}
	assert_non_null(row);
	assert_int_equal(row->line, line);
	assert_int_equal(row->column, column);
	assert_string_equal(line_table_file(t, row->file), file);
}

static void free_program(struct program *p)
{
	buf_free(&p->names);
	buf_free(&p->code);
}

static void test_old_lines(void **state)
{
	struct program p = {.version = 4, .min_length = 1, .max_ops = 1};
	struct line_table t = {0};
	struct buf section = {0};
	char folder[PATH_MAX + 1] = "/";
	u16 version;

	(void)state;
	put_old_names(&p.names);
	put_code(&p.code);
	for (version = 2; version <= 4; version++) {
		p.version = version;
		assert_int_equal(read_program(&t, &section, &p, "/comp"), 0);
		expect(&t, 0xfff, NULL, 0, 0);
		expect(&t, 0x1000, "/comp/a.c", 9, 0);
		expect(&t, 0x1003, "/comp/a.c", 9, 0);
		expect(&t, 0x1004, "/abs/b.c", 11, 133);
		expect(&t, 0x1014, "/abs/b.c", 11, 133);
		expect(&t, 0x1015, "/abs/b.c", 8, 133);
		expect(&t, 0x1124, "/abs/b.c", 8, 133);
		expect(&t, 0x1125, NULL, 0, 0);
		expect(&t, 0, NULL, 0, 0);
		expect(&t, 0x10, NULL, 0, 0);
		expect(&t, 0x7ff, NULL, 0, 0);
		expect(&t, 0x807, "/comp/a.c", 4, 0);
		expect(&t, 0x808, NULL, 0, 0);
		assert_string_equal(line_table_file(&t, 3), "/comp/rel/c.c");
		assert_string_equal(line_table_file(&t, 4), "/root/d.c");
		assert_string_equal(line_table_file(&t, 5), "/comp/e.c");
		assert_null(line_table_file(&t, 0));
		assert_null(line_table_file(&t, 6));
		assert_null(line_table_file(&t, UINT64_MAX));
		line_table_free(&t);
		t = (struct line_table){0};
	}
	assert_int_equal(read_program(&t, &section, &p, NULL), 0);
	assert_string_equal(line_table_file(&t, 1), "a.c");
	assert_string_equal(line_table_file(&t, 3), "rel/c.c");
	line_table_free(&t);
	/* no path is so long: only what does without that part is told */
	t = (struct line_table){0};
	memset(folder, 'x', sizeof(folder) - 1);
	assert_int_equal(read_program(&t, &section, &p, folder), 0);
	assert_null(line_table_file(&t, 1));
	assert_null(line_table_file(&t, 3));
	assert_string_equal(line_table_file(&t, 2), "/abs/b.c");
	assert_string_equal(line_table_file(&t, 4), "/root/d.c");
	line_table_free(&t);
	free_program(&p);
	buf_free(&section);
}

/* Instructions in words of three operations, as on ia64. */
static void test_long_words(void **state)
{
	struct program p = {.version = 4, .min_length = 16, .max_ops = 3};
	struct line_table t = {0};
	struct buf section = {0};

	(void)state;
	put_old_names(&p.names);
	put_address(&p.code, 0x1000);
	put_special(&p.code, 1, 2); /* 0x1000, operation 2 */
	put_special(&p.code, 1, 1); /* 0x1010, operation 0 */
	put_special(&p.code, 1, 7); /* 0x1030, operation 1 */
	put_end(&p.code, 3);
	assert_int_equal(read_program(&t, &section, &p, "/comp"), 0);
	expect(&t, 0x1000, "/comp/a.c", 2, 0);
	expect(&t, 0x1010, "/comp/a.c", 3, 0);
	expect(&t, 0x102f, "/comp/a.c", 3, 0);
	expect(&t, 0x1030, "/comp/a.c", 4, 0);
	expect(&t, 0x103f, "/comp/a.c", 4, 0);
	expect(&t, 0x1040, NULL, 0, 0);
	line_table_free(&t);
	free_program(&p);
	buf_free(&section);
}

static void put_new_names(struct buf *b)
{
	buf_u8(b, 1);
	buf_u8(b, DW_LNCT_path);
	buf_u8(b, DW_FORM_string);
	buf_u8(b, 2);
	put_text(b, "/comp");
	put_text(b, "rel");
	buf_u8(b, 3);
	buf_u8(b, DW_LNCT_MD5);
	buf_u8(b, DW_FORM_data16);
	buf_u8(b, DW_LNCT_path);
	buf_u8(b, DW_FORM_line_strp);
	buf_u8(b, DW_LNCT_directory_index);
	buf_u8(b, DW_FORM_udata);
	buf_u8(b, 3);
	buf_add(b, "0123456789abcdef", 16);
	buf_u32(b, 1);
	buf_u8(b, 0);
	buf_add(b, "0123456789abcdef", 16);
	buf_u32(b, 5);
	buf_u8(b, 1);
	buf_add(b, "0123456789abcdef", 16);
	buf_u32(b, 1000); /* behind the section */
	buf_u8(b, 1);
}

static void test_new_lines(void **state)
{
	static const char strings[] = "\0a.c\0b.c";
	struct program p = {.version = 5, .min_length = 1, .max_ops = 1};
	struct debug_sections s;
	struct line_table t = {0};
	struct buf section = {0};

	(void)state;
	put_new_names(&p.names);
	put_code(&p.code);
	put_table(&section, &p);
	s = (struct debug_sections){
		.line = {(const u8 *)section.data, section.len},
		.line_str = {(const u8 *)strings, sizeof(strings)},
	};
	assert_int_equal(line_table_read(&t, &s, 0, "/elsewhere"), 0);
	assert_string_equal(line_table_file(&t, 0), "/comp/a.c");
	assert_string_equal(line_table_file(&t, 1), "/elsewhere/rel/b.c");
	assert_null(line_table_file(&t, 2));
	expect(&t, 0x1000, "/elsewhere/rel/b.c", 9, 0);
	line_table_free(&t);
	/* a string that does not end in its section is none */
	t = (struct line_table){0};
	s.line_str.len = 8;
	assert_int_equal(line_table_read(&t, &s, 0, "/elsewhere"), 0);
	assert_string_equal(line_table_file(&t, 0), "/comp/a.c");
	assert_null(line_table_file(&t, 1));
	line_table_free(&t);
	/* of the other byte order it is another thing */
	t = (struct line_table){0};
	s.swap = true;
	assert_int_equal(line_table_read(&t, &s, 0, "/elsewhere"), -EBADMSG);
	line_table_free(&t);
	free_program(&p);
	buf_free(&section);
}

static void test_bad_lines(void **state)
{
	struct program p = {.version = 4, .min_length = 1, .max_ops = 1};
	struct line_table t = {0};
	struct debug_sections s = {0};
	struct buf section = {0};
	size_t len;
	u8 *copy;

	(void)state;
	assert_int_equal(line_table_read(&t, &s, 0, NULL), -EBADMSG);
	put_old_names(&p.names);
	put_code(&p.code);
	put_table(&section, &p);
	/* cut at every byte: in a block of that size, so that reading on is seen */
	for (len = 0; len < section.len; len++) {
		copy = malloc(len + 1);
		memcpy(copy, section.data, len);
		s.line = (struct debug_bytes){copy, len};
		assert_int_equal(line_table_read(&t, &s, 0, NULL), -EBADMSG);
		line_table_free(&t);
		t = (struct line_table){0};
		free(copy);
	}
	s.line = (struct debug_bytes){(const u8 *)section.data, section.len};
	assert_int_equal(line_table_read(&t, &s, section.len, NULL), -EBADMSG);
	assert_int_equal(line_table_read(&t, &s, UINT64_MAX, NULL), -EBADMSG);
	section.data[4] = 6; /* a version that is not known */
	assert_int_equal(line_table_read(&t, &s, 0, NULL), -EBADMSG);
	buf_clear(&section);
	/* as many files as one likes, of no bytes each */
	p.version = 5;
	buf_clear(&p.names);
	buf_add(&p.names, "\0\0\0\xff\xff\xff\xff\x7f", 8);
	put_table(&section, &p);
	s.line = (struct debug_bytes){(const u8 *)section.data, section.len};
	assert_int_equal(line_table_read(&t, &s, 0, NULL), 0);
	assert_int_equal(t.files.nr, 0);
	line_table_free(&t);
	free_program(&p);
	buf_free(&section);
}

/* The rows of a sequence that goes back are those of two. */
static void test_falling_lines(void **state)
{
	struct program p = {.version = 4, .min_length = 1, .max_ops = 1};
	struct line_table t = {0};
	struct buf section = {0};

	(void)state;
	put_old_names(&p.names);
	put_address(&p.code, 0x2000);
	put_special(&p.code, 1, 0);
	put_special(&p.code, 1, 8);
	put_address(&p.code, 0x1000);
	put_special(&p.code, 1, 0);
	put_end(&p.code, 8);
	assert_int_equal(read_program(&t, &section, &p, "/comp"), 0);
	expect(&t, 0x2000, "/comp/a.c", 2, 0);
	expect(&t, 0x2007, "/comp/a.c", 2, 0);
	expect(&t, 0x1000, "/comp/a.c", 4, 0);
	expect(&t, 0x1008, NULL, 0, 0);
	line_table_free(&t);
	free_program(&p);
	buf_free(&section);
}

/* A program with inlined functions */

static char path[4096];

static bool open_program(struct image *img, const char *name)
{
	const char *o = getenv("O");

	snprintf(path, sizeof(path), "%s/tests/prog/%s", o ? o : "build", name);
	return !image_open(img, path, NULL);
}

static bool function_range(const struct image *img, const char *name, u64 *low, u64 *high)
{
	struct symtab st = {0};
	bool found = false;
	u32 i;

	assert_int_equal(image_symbols_load(img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	for (i = 0; i < st.syms.nr; i++) {
		if (strcmp(st.syms.v[i].name, name) != 0)
			continue;
		found = image_vaddr(img, st.syms.v[i].start, low);
		*high = *low + (st.syms.v[i].end - st.syms.v[i].start);
	}
	symtab_free(&st);
	return found;
}

/* Entries */

static u32 depth_seen;

/* All below an entry, as libdw goes through them: the walk must be at the same ones. */
static void follow(struct die_walk *w, Dwarf_Die *above, u32 depth, u32 *nr)
{
	struct die d;
	Dwarf_Die die;

	assert_true(die_walk_next(w, &d));
	assert_int_equal(d.offset, dwarf_dieoffset(above));
	assert_int_equal(d.tag, dwarf_tag(above));
	assert_int_equal(d.depth, depth);
	assert_int_equal(d.code_range,
			 dwarf_hasattr(above, DW_AT_low_pc) || dwarf_hasattr(above, DW_AT_ranges));
	depth_seen = MAX(depth_seen, depth);
	++*nr;
	if (dwarf_child(above, &die))
		return;
	do {
		follow(w, &die, depth + 1, nr);
	} while (!dwarf_siblingof(&die, &die));
}

static void walk_program(const char *name)
{
	Dwarf_CU *cu = NULL, *next;
	struct debug_sections s;
	struct die_walk w;
	struct image img;
	Dwarf_Die die;
	Dwarf *dwarf;
	struct die d;
	u32 nr = 0, units = 0;

	if (!open_program(&img, name))
		skip();
	dwarf = dwarf_begin_elf(img.elf, DWARF_C_READ, NULL);
	assert_non_null(dwarf);
	debug_sections_get(&s, img.elf);
	for (; !dwarf_get_units(dwarf, cu, &next, NULL, NULL, &die, NULL); cu = next) {
		struct die_unit u = {0};

		assert_int_equal(
			die_unit_read(&u, &s, dwarf_dieoffset(&die) - dwarf_cuoffset(&die)), 0);
		die_walk_begin(&w, &u, dwarf_dieoffset(&die));
		follow(&w, &die, 0, &nr);
		assert_false(die_walk_next(&w, &d));
		assert_false(die_walk_next(&w, &d));
		die_unit_free(&u);
		units++;
	}
	assert_true(units >= 1 && nr > 30);
	dwarf_end(dwarf);
	image_close(&img);
}

static void test_walk(void **state)
{
	(void)state;
	walk_program("inlined");
	walk_program("templates");
	assert_true(depth_seen >= 4);
}

static void test_bad_units(void **state)
{
	static const u8 info[] = {9, 0, 0, 0, 5, 0, 1, 8, 0, 0, 0, 0, 1};
	static const u8 abbrev[] = {1, DW_TAG_compile_unit, 0, 0, 0, 0};
	u8 damaged[sizeof(info)];
	struct debug_sections s = {.info = {damaged, sizeof(info)}, .abbrev = {abbrev, 6}};
	struct die_unit u = {0};
	struct die_walk w;
	struct die d;
	size_t len;

	(void)state;
	memcpy(damaged, info, sizeof(info));
	assert_int_equal(die_unit_read(&u, &s, 0), 0);
	die_walk_begin(&w, &u, 12);
	assert_true(die_walk_next(&w, &d));
	assert_int_equal(d.tag, DW_TAG_compile_unit);
	assert_false(die_walk_next(&w, &d));
	die_walk_begin(&w, &u, 13);
	assert_false(die_walk_next(&w, &d));
	die_walk_begin(&w, &u, UINT64_MAX);
	assert_false(die_walk_next(&w, &d));
	die_unit_free(&u);
	for (len = 0; len < sizeof(info); len++) {
		u = (struct die_unit){0};
		s.info.len = len;
		assert_int_equal(die_unit_read(&u, &s, 0), -EBADMSG);
		die_unit_free(&u);
	}
	s.info.len = sizeof(info);
	for (len = 0; len < 4; len++) {
		u = (struct die_unit){0};
		s.abbrev.len = len;
		assert_int_equal(die_unit_read(&u, &s, 0), -EBADMSG);
		die_unit_free(&u);
	}
	s.abbrev.len = 6;
	damaged[12] = 2; /* a code that is not there */
	u = (struct die_unit){0};
	assert_int_equal(die_unit_read(&u, &s, 0), 0);
	die_walk_begin(&w, &u, 12);
	assert_false(die_walk_next(&w, &d));
	die_unit_free(&u);
	damaged[4] = 6; /* a version that is not known */
	u = (struct die_unit){0};
	assert_int_equal(die_unit_read(&u, &s, 0), -EBADMSG);
	die_unit_free(&u);
}

static bool ends_with(const char *s, const char *end)
{
	return s && strlen(s) >= strlen(end) && !strcmp(s + strlen(s) - strlen(end), end);
}

static void test_inlined(void **state)
{
	const u32 in_leaf = marked_line("tests/prog/inlined.c", "/* in leaf */"),
		  mid = marked_line("tests/prog/inlined.c", "/* call of mid */");
	const u32 first = marked_line("tests/prog/inlined.c", "/* first call of leaf */");
	const u32 second = marked_line("tests/prog/inlined.c", "/* second call of leaf */");
	u32 nr_first = 0, nr_second = 0, plain = 0;
	struct debug_frame f[8];
	int nr;
	struct debuginfo *d;
	struct image img;
	u64 addr, low, high;

	(void)state;
	if (!open_program(&img, "inlined"))
		skip();
	assert_true(function_range(&img, "outer", &low, &high));
	assert_int_equal(debuginfo_open(&d, &(struct debuginfo_images){.image = &img}, NULL), 0);
	for (addr = low; addr < high; addr++) {
		nr = debuginfo_find(d, addr, f, ARRAY_SIZE(f));
		assert_in_range(nr, 1, 3);
		assert_string_equal(f[nr - 1].function, "outer");
		assert_true(ends_with(f[0].file, "tests/prog/inlined.c"));
		plain += nr == 1;
		if (nr > 1) {
			assert_string_equal(f[nr - 2].function, "mid");
			assert_int_equal(f[nr - 1].line, mid);
			assert_true(ends_with(f[nr - 1].file, "tests/prog/inlined.c"));
		}
		if (nr < 3)
			continue;
		assert_string_equal(f[0].function, "leaf");
		assert_int_not_equal(f[0].line, 0);
		nr_first += f[0].line == in_leaf && f[1].line == first;
		nr_second += f[0].line == in_leaf && f[1].line == second;
		/* no room for all: the innermost ones and the function itself */
		assert_int_equal(debuginfo_find(d, addr, f, 2), 2);
		assert_string_equal(f[0].function, "leaf");
	}
	assert_true(nr_first && nr_second && plain);
	assert_int_equal(debuginfo_find(d, low, f, 0), 0);
	assert_int_equal(debuginfo_find(d, 0, f, 8), 0);
	assert_int_equal(debuginfo_find(d, UINT64_MAX, f, 8), 0);
	debuginfo_close(d);
	image_close(&img);
}

/* An image is not all there is: of the addresses in a file, by their offsets. */
static void test_source(void **state)
{
	const struct debug_file_options o = {0};
	struct debug_source s;
	struct debug_frame f[8];
	struct image img;
	u64 low, high, offset;

	(void)state;
	if (!open_program(&img, "inlined"))
		skip();
	assert_true(function_range(&img, "outer", &low, &high));
	assert_true(image_offset(&img, low, &offset));
	debug_source_open(&s, &img, path, &o, NULL);
	assert_non_null(s.info);
	assert_int_equal(debug_source_find(&s, offset, f, ARRAY_SIZE(f)), 1);
	assert_string_equal(f[0].function, "outer");
	assert_int_equal(debug_source_find(&s, UINT64_MAX, f, ARRAY_SIZE(f)), 0);
	debug_source_close(&s);
}

static void test_no_dwarf(void **state)
{
	struct image img = {.fd = -1};
	struct debuginfo *d;
	struct err err = {0};
	GElf_Ehdr *ehdr;
	Elf64_Ehdr bytes = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(bytes),
	};

	(void)state;
	assert_int_equal(image_open_memory(&img, &bytes, sizeof(bytes), NULL), 0);
	assert_int_equal(debuginfo_open(&d, &(struct debuginfo_images){.image = &img}, &err),
			 -ENODATA);
	assert_string_equal(err.msg, "no debug information");
	ehdr = &img.ehdr;
	ehdr->e_type = ET_REL;
	assert_int_equal(debuginfo_open(&d, &(struct debuginfo_images){.image = &img}, &err),
			 -ENODATA);
	image_close(&img);
}

static void add_section(struct made_elf *e, const char *name, struct buf *b)
{
	made_elf_section(e, name, 0, e->b.len, b->len);
	buf_add(&e->b, b->data, b->len);
	buf_free(b);
}

/* So many functions that all have one list of 2000 ranges: what debuginfo_why() says. */
static int share_ranges(u32 functions)
{
	static const u8 tags[] = {1,
				  DW_TAG_compile_unit,
				  1,
				  DW_AT_low_pc,
				  DW_FORM_addr,
				  DW_AT_high_pc,
				  DW_FORM_data8,
				  0,
				  0,
				  2,
				  DW_TAG_subprogram,
				  0,
				  DW_AT_ranges,
				  DW_FORM_sec_offset,
				  0,
				  0,
				  0};
	struct buf info = {0}, abbrev = {0}, ranges = {0};
	struct debug_frame f[8];
	struct debuginfo *d;
	struct made_elf e;
	struct image img;
	int why;
	u32 i;

	buf_add(&abbrev, tags, sizeof(tags));
	for (i = 0; i < 2000; i++) {
		buf_u64(&ranges, 1);
		buf_u64(&ranges, 2);
	}
	buf_pad(&ranges, '\0', 16);
	buf_u32(&info, 2 + 4 + 1 + 1 + 16 + functions * 5 + 1);
	buf_u16(&info, 4);
	buf_u32(&info, 0); /* abbreviations */
	buf_u8(&info, 8);
	buf_u8(&info, 1);
	buf_u64(&info, 0x1000);
	buf_u64(&info, 0x100);
	for (i = 0; i < functions; i++) {
		buf_u8(&info, 2);
		buf_u32(&info, 0);
	}
	buf_u8(&info, 0);
	made_elf_begin(&e, EM_X86_64, 8);
	add_section(&e, ".debug_info", &info);
	add_section(&e, ".debug_abbrev", &abbrev);
	add_section(&e, ".debug_ranges", &ranges);
	buf_pad(&e.b, '\0', ALIGN_UP(e.b.len, (size_t)8) - e.b.len);
	made_elf_end(&e);
	assert_int_equal(image_open_memory(&img, e.b.data, e.b.len, NULL), 0);
	assert_int_equal(debuginfo_open(&d, &(struct debuginfo_images){.image = &img}, NULL), 0);
	assert_int_equal(debuginfo_find(d, 0x1001, f, ARRAY_SIZE(f)), 1);
	assert_non_null(f[0].entry);
	why = debuginfo_why(d, NULL);
	debuginfo_close(d);
	image_close(&img);
	buf_free(&e.b);
	return why;
}

/* Lists may be shared, but not so often that a small file takes all memory. */
static void test_shared_ranges(void **state)
{
	(void)state;
	assert_int_equal(share_ranges(1), 0);
	assert_int_equal(share_ranges(50), 0);
	assert_int_equal(share_ranges(300), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),        cmocka_unit_test(test_random_ranges),
		cmocka_unit_test(test_old_lines),     cmocka_unit_test(test_long_words),
		cmocka_unit_test(test_new_lines),     cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_falling_lines), cmocka_unit_test(test_walk),
		cmocka_unit_test(test_bad_units),     cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_source),        cmocka_unit_test(test_no_dwarf),
		cmocka_unit_test(test_shared_ranges),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
