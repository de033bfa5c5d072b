// SPDX-License-Identifier: GPL-2.0
/* util/debuginfo/debuginfo_package, with packages and skeletons made by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include <cmocka.h>

#include "tests/unit/made_package.h"
#include "tests/unit/oom.h"
#include "util/debuginfo/debuginfo_internal.h"

static const u16 versions[] = {4, 5};

/* Where the tables of the index stand: that of the ids, of rows, of sections, of offsets. */
#define IDS      16u
#define ROWS     (IDS + 4 * 8)
#define SECTIONS (ROWS + 4 * 4)
#define OFFSETS  (SECTIONS + 3 * 4)
#define SIZES    (OFFSETS + MADE_PACKAGE_UNITS * 3 * 4)

static u32 index_u32(const struct made_package *m, size_t at)
{
	u32 v;

	memcpy(&v, m->index.data + at, sizeof(v));
	return v;
}

static void set_index(struct made_package *m, size_t at, u32 v)
{
	memcpy(m->index.data + at, &v, sizeof(v));
}

static bool within(struct debug_bytes part, struct debug_bytes all)
{
	return !part.p || (part.p >= all.p && part.len <= all.len &&
			   (size_t)(part.p - all.p) <= all.len - part.len);
}

/* Whatever is found lies in the sections. */
static bool find(const struct made_package *m, u64 id, struct debug_package_unit *u)
{
	bool found = !debug_package_find(&m->package, id, u);
	u32 i;

	for (i = 0; i < PACKAGE_PARTS; i++)
		assert_true(within(u->parts[i], m->package.sections[i]));
	assert_true(!found || (u->parts[PACKAGE_INFO].p && u->parts[PACKAGE_ABBREV].p));
	return found;
}

static void test_find(void **state)
{
	struct debug_package_unit u;
	struct made_package m;
	u32 v, k;
	u64 id;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		made_package(&m, versions[v]);
		for (k = 0; k < MADE_PACKAGE_UNITS; k++) {
			assert_true(find(&m, MADE_PACKAGE_ID + k, &u));
			assert_int_equal(u.parts[PACKAGE_INFO].len * MADE_PACKAGE_UNITS,
					 m.parts[PACKAGE_INFO].len);
			memcpy(&id, u.parts[PACKAGE_INFO].p + (versions[v] >= 5 ? 12 : 13),
			       sizeof(id));
			assert_int_equal(id, MADE_PACKAGE_ID + k);
			assert_int_equal(u.parts[PACKAGE_STR_OFFSETS].len,
					 versions[v] >= 5 ? 16 : 8);
			assert_null(u.parts[PACKAGE_LINE].p);
			assert_null(u.parts[PACKAGE_RNGLISTS].p);
		}
		assert_false(find(&m, MADE_PACKAGE_ID + k, &u));
		assert_false(find(&m, 0, &u)); /* that of an empty slot */
		made_package_free(&m);
	}
}

/* Number 8 is of ranges since DWARF 5, of macros before; others that are unknown are passed over. */
static void test_sections(void **state)
{
	static const u8 ranges[64];
	struct debug_package_unit u;
	struct made_package m;
	u32 v;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		made_package(&m, versions[v]);
		m.package.sections[PACKAGE_RNGLISTS] = (struct debug_bytes){ranges, sizeof(ranges)};
		set_index(&m, SECTIONS + 8, 8);
		assert_true(find(&m, MADE_PACKAGE_ID + 1, &u));
		assert_null(u.parts[PACKAGE_STR_OFFSETS].p);
		if (versions[v] >= 5)
			assert_ptr_equal(u.parts[PACKAGE_RNGLISTS].p,
					 ranges + index_u32(&m, OFFSETS + 12 + 8));
		else
			assert_null(u.parts[PACKAGE_RNGLISTS].p);
		set_index(&m, SECTIONS + 8, 77);
		assert_true(find(&m, MADE_PACKAGE_ID + 1, &u));
		assert_null(u.parts[PACKAGE_RNGLISTS].p);
		set_index(&m, SECTIONS, 77); /* no .debug_info */
		assert_false(find(&m, MADE_PACKAGE_ID + 1, &u));
		made_package_free(&m);
	}
}

static void swap(struct made_package *m, size_t at, size_t size)
{
	char c;
	size_t i;

	for (i = 0; i < size / 2; i++) {
		c = m->index.data[at + i];
		m->index.data[at + i] = m->index.data[at + size - 1 - i];
		m->index.data[at + size - 1 - i] = c;
	}
}

static void test_other_order(void **state)
{
	struct debug_package_unit u;
	struct made_package m;
	size_t at;
	u32 v;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		made_package(&m, versions[v]);
		swap(&m, 0, versions[v] >= 5 ? 2 : 4);
		for (at = 4; at < m.index.len; at += at >= IDS && at < ROWS ? 8 : 4)
			swap(&m, at, at >= IDS && at < ROWS ? 8 : 4);
		assert_false(find(&m, MADE_PACKAGE_ID + 2, &u));
		m.package.swap = true;
		assert_true(find(&m, MADE_PACKAGE_ID + 2, &u));
		assert_int_equal(u.parts[PACKAGE_INFO].len * MADE_PACKAGE_UNITS,
				 m.parts[PACKAGE_INFO].len);
		made_package_free(&m);
	}
}

/* An index that says what cannot be. */
static void test_lies(void **state)
{
	static const struct {
		size_t at;
		u32 value;
	} lies[] = {
		{0, 3},
		{4, 17}, /* columns */
		{4, UINT32_MAX},
		{8, UINT32_MAX},  /* units */
		{12, UINT32_MAX}, /* slots */
		{ROWS + 4, 0},
		{ROWS + 4, MADE_PACKAGE_UNITS + 1},
		{ROWS + 4, UINT32_MAX},
		{OFFSETS, 1u << 20},
		{OFFSETS, UINT32_MAX},
		{OFFSETS + 4, UINT32_MAX}, /* abbreviations */
		{SIZES, 1u << 20},
		{SIZES, UINT32_MAX},
	};
	struct debug_package_unit u;
	struct made_package m;
	size_t i;
	u32 v;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		for (i = 0; i < ARRAY_SIZE(lies); i++) {
			made_package(&m, versions[v]);
			assert_true(find(&m, MADE_PACKAGE_ID, &u));
			set_index(&m, lies[i].at, lies[i].value);
			assert_false(find(&m, MADE_PACKAGE_ID, &u));
			made_package_free(&m);
		}
	}
}

/* Cut at every byte, in memory of just that size; each byte changed. */
static void test_damage(void **state)
{
	struct debug_package_unit u;
	struct made_package m;
	size_t i;
	u8 *cut;
	u32 v;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		made_package(&m, versions[v]);
		for (i = 0; i < m.index.len; i++) {
			cut = malloc(MAX(i, (size_t)1));
			assert_non_null(cut);
			memcpy(cut, m.index.data, i);
			m.package.index = (struct debug_bytes){cut, i};
			assert_false(find(&m, MADE_PACKAGE_ID, &u));
			free(cut);
		}
		m.package.index = (struct debug_bytes){0};
		assert_false(find(&m, MADE_PACKAGE_ID, &u));
		made_package_refresh(&m);
		for (i = 0; i < m.index.len; i++) {
			m.index.data[i] = (char)~m.index.data[i];
			find(&m, MADE_PACKAGE_ID + 1, &u);
			m.index.data[i] = (char)~m.index.data[i];
		}
		assert_true(find(&m, MADE_PACKAGE_ID + 1, &u));
		made_package_free(&m);
	}
}

/* From a file, with its sections by their names. */
static void test_file(void **state)
{
	struct debug_package_unit u;
	struct debug_package p;
	struct made_package m;
	struct made_elf e;
	struct image img;
	u32 i;

	(void)state;
	made_package(&m, 5);
	made_elf_begin(&e, EM_X86_64, 8);
	for (i = 0; i < PACKAGE_PARTS; i++)
		if (m.parts[i].len)
			made_package_elf_section(&e, debug_package_section(i), &m.parts[i]);
	made_package_elf_section(&e, ".debug_str.dwo", &m.str);
	made_package_elf_section(&e, ".debug_cu_index", &m.index);
	made_elf_end(&e);
	assert_int_equal(image_open_memory(&img, e.b.data, e.b.len, NULL), 0);
	assert_int_equal(debug_package_get(&p, &img, NULL), 0);
	assert_false(p.swap);
	assert_non_null(p.str.p);
	assert_null(p.sections[PACKAGE_LINE].p);
	assert_int_equal(debug_package_find(&p, MADE_PACKAGE_ID + 2, &u), 0);
	image_close(&img);
	buf_free(&e.b);

	/* no package at all */
	made_skeleton(&e, 5, MADE_PACKAGE_ID);
	assert_int_equal(image_open_memory(&img, e.b.data, e.b.len, NULL), 0);
	assert_int_equal(debug_package_get(&p, &img, NULL), 0);
	assert_null(p.index.p);
	assert_int_equal(debug_package_find(&p, MADE_PACKAGE_ID, &u), -ENODATA);
	image_close(&img);
	buf_free(&e.b);
	made_package_free(&m);
}

/* A program with a split unit, open. */
struct program {
	struct made_elf elf;
	struct image img;
	Dwarf *dwarf;
	Dwarf_Die skeleton;
};

static void open_program(struct program *p, u16 version, u64 id)
{
	uint8_t type = 0;
	Dwarf_CU *cu = NULL;

	*p = (struct program){0};
	made_skeleton(&p->elf, version, id);
	assert_int_equal(image_open_memory(&p->img, p->elf.b.data, p->elf.b.len, NULL), 0);
	p->dwarf = dwarf_begin_elf(p->img.elf, DWARF_C_READ, NULL);
	assert_non_null(p->dwarf);
	assert_int_equal(dwarf_get_units(p->dwarf, NULL, &cu, NULL, &type, &p->skeleton, NULL), 0);
	assert_int_equal(type, DW_UT_skeleton);
}

static void close_program(struct program *p)
{
	dwarf_end(p->dwarf);
	image_close(&p->img);
	buf_free(&p->elf.b);
}

/* The names are the unit's own, and its addresses those of the program. */
static void check_unit(Dwarf_Die *unit, u32 k)
{
	char want[32];
	Dwarf_Die function;
	Dwarf_Addr low = 0;

	snprintf(want, sizeof(want), "unit %u", k);
	assert_string_equal(dwarf_diename(unit), want);
	assert_int_equal(dwarf_child(unit, &function), 0);
	snprintf(want, sizeof(want), "function %u", k);
	assert_string_equal(dwarf_diename(&function), want);
	assert_int_equal(dwarf_lowpc(&function, &low), 0);
	assert_int_equal(low, MADE_PACKAGE_LOW + 0x100 * k);
}

static void test_unpack(void **state)
{
	struct debug_unpacked u;
	struct made_package m;
	struct program p;
	Dwarf_Die split;
	u32 v, k;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		made_package(&m, versions[v]);
		for (k = 0; k <= MADE_PACKAGE_UNITS; k++) {
			open_program(&p, versions[v], MADE_PACKAGE_ID + k);
			u = (struct debug_unpacked){0};
			assert_int_equal(debug_package_unpack(&u, &m.package, &p.skeleton, &split),
					 k < MADE_PACKAGE_UNITS ? 0 : -ENODATA);
			if (k < MADE_PACKAGE_UNITS)
				check_unit(&split, k);
			debug_unpacked_free(&u);

			m.package.swap = true;
			u = (struct debug_unpacked){0};
			assert_int_equal(debug_package_unpack(&u, &m.package, &p.skeleton, &split),
					 -ENODATA);
			debug_unpacked_free(&u);
			m.package.swap = false;
			close_program(&p);
		}
		made_package_free(&m);
	}
}

/* Whatever the unit holds, it is read or refused. */
static void try_damage(struct made_package *m, struct program *p, struct buf *b)
{
	struct debug_unpacked u;
	Dwarf_Die split, child;
	Dwarf_Addr low;
	size_t i;

	for (i = 0; i < b->len; i++) {
		b->data[i] = (char)~b->data[i];
		u = (struct debug_unpacked){0};
		if (!debug_package_unpack(&u, &m->package, &p->skeleton, &split)) {
			dwarf_diename(&split);
			if (!dwarf_child(&split, &child)) {
				dwarf_diename(&child);
				dwarf_lowpc(&child, &low);
			}
		}
		debug_unpacked_free(&u);
		b->data[i] = (char)~b->data[i];
	}
}

static void test_unpack_damage(void **state)
{
	struct debug_unpacked u = {0};
	struct made_package m;
	struct program p;
	Dwarf_Die split;
	u32 v;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		made_package(&m, versions[v]);
		open_program(&p, versions[v], MADE_PACKAGE_ID);
		try_damage(&m, &p, &m.parts[PACKAGE_INFO]);
		try_damage(&m, &p, &m.parts[PACKAGE_ABBREV]);
		try_damage(&m, &p, &m.parts[PACKAGE_STR_OFFSETS]);
		/* names outside of the strings, or without an end, are no names */
		m.package.str.len = 3;
		assert_int_equal(debug_package_unpack(&u, &m.package, &p.skeleton, &split), 0);
		assert_string_equal(dwarf_diename(&split), "");
		debug_unpacked_free(&u);
		u = (struct debug_unpacked){0};
		m.package.str = (struct debug_bytes){0};
		assert_int_equal(debug_package_unpack(&u, &m.package, &p.skeleton, &split), 0);
		assert_string_equal(dwarf_diename(&split), "");
		debug_unpacked_free(&u);
		u = (struct debug_unpacked){0};
		close_program(&p);
		made_package_free(&m);
	}
}

/* A table of offsets that all name one long string, which has an end or has not. */
static void test_many_strings(void **state)
{
	struct debug_package_unit unit;
	struct debug_unpacked u = {0};
	struct made_package m;
	struct program p;
	Dwarf_Die split;
	size_t at;
	u32 end, i;

	(void)state;
	for (end = 0; end < 2; end++) {
		made_package(&m, 4);
		at = m.str.len;
		buf_pad(&m.str, 'x', 64 << 10);
		buf_pad(&m.str, '\0', end);
		for (i = 0; i < 100; i++)
			buf_u32(&m.parts[PACKAGE_STR_OFFSETS], (u32)at);
		assert_false(m.str.failed || m.parts[PACKAGE_STR_OFFSETS].failed);
		made_package_refresh(&m);
		assert_true(find(&m, MADE_PACKAGE_ID, &unit));
		set_index(&m, SIZES + 8, 8 + 4);
		open_program(&p, 4, MADE_PACKAGE_ID);
		assert_int_equal(debug_package_unpack(&u, &m.package, &p.skeleton, &split), 0);
		debug_unpacked_free(&u);
		u = (struct debug_unpacked){0};
		set_index(&m, SIZES + 8, (u32)m.parts[PACKAGE_STR_OFFSETS].len);
		assert_int_equal(debug_package_unpack(&u, &m.package, &p.skeleton, &split),
				 -EBADMSG);
		debug_unpacked_free(&u);
		close_program(&p);
		made_package_free(&m);
	}
}

static void test_without_memory(void **state)
{
	struct debug_unpacked u;
	struct made_package m;
	struct program p;
	Dwarf_Die split;
	unsigned int n;
	bool refused;
	int ret;
	u32 v;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		made_package(&m, versions[v]);
		open_program(&p, versions[v], MADE_PACKAGE_ID + 1);
		for (n = 0, refused = true; refused; n++) {
			u = (struct debug_unpacked){0};
			oom_after(n);
			ret = debug_package_unpack(&u, &m.package, &p.skeleton, &split);
			refused = oom_stop();
			assert_int_equal(ret, refused ? -ENOMEM : 0);
			if (!ret)
				check_unit(&split, 1);
			debug_unpacked_free(&u);
		}
		assert_true(n > 4);
		close_program(&p);
		made_package_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),           cmocka_unit_test(test_sections),
		cmocka_unit_test(test_other_order),    cmocka_unit_test(test_lies),
		cmocka_unit_test(test_damage),         cmocka_unit_test(test_file),
		cmocka_unit_test(test_unpack),         cmocka_unit_test(test_unpack_damage),
		cmocka_unit_test(test_without_memory), cmocka_unit_test(test_many_strings),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
