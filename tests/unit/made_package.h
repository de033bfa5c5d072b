/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_package.h - split DWARF by hand: the sections of a .dwp file, and programs with skeletons.
 *
 * Unit k (from 0) has the id MADE_PACKAGE_ID + k, the name "unit k" and one function, "function k",
 * at address k of the program's .debug_addr: MADE_PACKAGE_LOW + 0x100 * k. Host-endian.
 *
 * Source: DWARF 5, sections 7.3 and 7.5; for version 4, GNU's DebugFission and DebugFissionDWP.
 */
#ifndef TESTS_UNIT_MADE_PACKAGE_H
#define TESTS_UNIT_MADE_PACKAGE_H

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/made_elf.h"
#include "util/debuginfo/debuginfo_internal.h"

#define MADE_PACKAGE_ID    UINT64_C(0x1122334455667700)
#define MADE_PACKAGE_LOW   UINT64_C(0x401000)
#define MADE_PACKAGE_UNITS 3u

struct made_package {
	struct buf parts[PACKAGE_PARTS], str, index;
	struct debug_package package; /* of these bytes */
};

/* Name and form of an attribute, each below 1 << 14. */
static inline void made_package_attr(struct buf *b, u32 name, u32 form)
{
	u32 v[] = {name, form}, i;

	for (i = 0; i < 2; i++) {
		if (v[i] >= 0x80)
			buf_u8(b, (u8)(v[i] | 0x80));
		buf_u8(b, (u8)(v[i] >= 0x80 ? v[i] >> 7 : v[i]));
	}
}

static inline void made_package_tag(struct buf *b, u8 number, u8 tag, bool children)
{
	buf_u8(b, number);
	buf_u8(b, tag);
	buf_u8(b, children);
}

/* A unit with its length in front, from its header's version on. */
static inline void made_package_length(struct buf *to, struct buf *unit)
{
	buf_u32(to, (u32)unit->len);
	buf_add(to, unit->data, unit->len);
	buf_free(unit);
}

static inline void made_package_abbrev(struct buf *b, u16 version)
{
	u32 strx = version >= 5 ? DW_FORM_strx1 : DW_FORM_GNU_str_index;

	made_package_tag(b, 1, DW_TAG_compile_unit, true);
	made_package_attr(b, DW_AT_name, strx);
	if (version < 5)
		made_package_attr(b, DW_AT_GNU_dwo_id, DW_FORM_data8);
	made_package_attr(b, 0, 0);
	made_package_tag(b, 2, DW_TAG_subprogram, false);
	made_package_attr(b, DW_AT_name, strx);
	made_package_attr(b, DW_AT_low_pc, version >= 5 ? DW_FORM_addrx : DW_FORM_GNU_addr_index);
	made_package_attr(b, 0, 0);
	buf_u8(b, 0);
}

static inline void made_package_info(struct buf *b, u16 version, u32 k)
{
	struct buf unit = {0};

	buf_u16(&unit, version);
	if (version >= 5) {
		buf_u8(&unit, DW_UT_split_compile);
		buf_u8(&unit, 8);
	}
	buf_u32(&unit, 0); /* abbreviations */
	if (version >= 5)
		buf_u64(&unit, MADE_PACKAGE_ID + k);
	else
		buf_u8(&unit, 8);
	buf_u8(&unit, 1);
	buf_u8(&unit, 0); /* string */
	if (version < 5)
		buf_u64(&unit, MADE_PACKAGE_ID + k);
	buf_u8(&unit, 2);
	buf_u8(&unit, 1);     /* string */
	buf_u8(&unit, (u8)k); /* address */
	buf_u8(&unit, 0);
	made_package_length(b, &unit);
}

/* Two strings and where they are in those of all units. */
static inline void made_package_strings(struct made_package *m, u16 version, u32 k)
{
	static const char *const texts[] = {"unit", "function"};
	struct buf *b = &m->parts[PACKAGE_STR_OFFSETS];
	size_t i;

	if (version >= 5) {
		buf_u32(b, 12);
		buf_u16(b, 5);
		buf_u16(b, 0);
	}
	for (i = 0; i < 2; i++) {
		buf_u32(b, (u32)m->str.len);
		buf_addf(&m->str, "%s %u", texts[i], k);
		buf_u8(&m->str, 0);
	}
}

/* `at`: where each unit's share of each part begins, and where the last one's ends. */
static inline void made_package_index(struct buf *b, u16 version,
				      u32 at[MADE_PACKAGE_UNITS + 1][PACKAGE_PARTS])
{
	static const u32 columns[][2] = {
		{1, PACKAGE_INFO}, {3, PACKAGE_ABBREV}, {6, PACKAGE_STR_OFFSETS}};
	u32 slots = 4, k, i;

	/* it was a word, and is half of one since */
	if (version >= 5) {
		buf_u16(b, 5);
		buf_u16(b, 0);
	} else {
		buf_u32(b, 2);
	}
	buf_u32(b, ARRAY_SIZE(columns));
	buf_u32(b, MADE_PACKAGE_UNITS);
	buf_u32(b, slots);
	buf_u64(b, 0); /* an empty slot in front */
	for (k = 0; k < MADE_PACKAGE_UNITS; k++)
		buf_u64(b, MADE_PACKAGE_ID + k);
	for (k = 0; k < slots; k++)
		buf_u32(b, k);
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		buf_u32(b, columns[i][0]);
	for (k = 0; k < MADE_PACKAGE_UNITS; k++)
		for (i = 0; i < ARRAY_SIZE(columns); i++)
			buf_u32(b, at[k][columns[i][1]]);
	for (k = 0; k < MADE_PACKAGE_UNITS; k++)
		for (i = 0; i < ARRAY_SIZE(columns); i++)
			buf_u32(b, at[k + 1][columns[i][1]] - at[k][columns[i][1]]);
}

/* The package holds these bytes as they are: made_package_refresh() after a change of lengths. */
static inline void made_package_refresh(struct made_package *m)
{
	u32 i;

	for (i = 0; i < PACKAGE_PARTS; i++)
		m->package.sections[i] =
			(struct debug_bytes){(u8 *)m->parts[i].data, m->parts[i].len};
	m->package.str = (struct debug_bytes){(u8 *)m->str.data, m->str.len};
	m->package.index = (struct debug_bytes){(u8 *)m->index.data, m->index.len};
}

/* Version 4 or 5. */
static inline void made_package(struct made_package *m, u16 version)
{
	u32 at[MADE_PACKAGE_UNITS + 1][PACKAGE_PARTS], k, i;
	bool failed;

	*m = (struct made_package){0};
	for (k = 0;; k++) {
		for (i = 0; i < PACKAGE_PARTS; i++)
			at[k][i] = (u32)m->parts[i].len;
		if (k == MADE_PACKAGE_UNITS)
			break;
		made_package_info(&m->parts[PACKAGE_INFO], version, k);
		made_package_abbrev(&m->parts[PACKAGE_ABBREV], version);
		made_package_strings(m, version, k);
	}
	made_package_index(&m->index, version, at);
	failed = m->str.failed || m->index.failed;
	for (i = 0; i < PACKAGE_PARTS; i++)
		failed |= m->parts[i].failed;
	if (failed)
		exit(2);
	made_package_refresh(m);
}

static inline void made_package_free(struct made_package *m)
{
	u32 i;

	for (i = 0; i < PACKAGE_PARTS; i++)
		buf_free(&m->parts[i]);
	buf_free(&m->str);
	buf_free(&m->index);
}

static inline void made_package_elf_section(struct made_elf *e, const char *name, struct buf *b)
{
	made_elf_section(e, name, 0, e->b.len, b->len);
	buf_add(&e->b, b->data, b->len);
	buf_free(b);
}

/* A program with one unit, which is split: its other half has this id. Free e->b. */
static inline void made_skeleton(struct made_elf *e, u16 version, u64 dwo_id)
{
	struct buf info = {0}, abbrev = {0}, unit = {0}, addr = {0};
	bool gnu = version < 5;
	u32 k;

	made_package_tag(&abbrev, 1, gnu ? DW_TAG_compile_unit : DW_TAG_skeleton_unit, false);
	made_package_attr(&abbrev, gnu ? DW_AT_GNU_dwo_name : DW_AT_dwo_name, DW_FORM_string);
	if (gnu)
		made_package_attr(&abbrev, DW_AT_GNU_dwo_id, DW_FORM_data8);
	made_package_attr(&abbrev, gnu ? DW_AT_GNU_addr_base : DW_AT_addr_base, DW_FORM_sec_offset);
	made_package_attr(&abbrev, 0, 0);
	buf_u8(&abbrev, 0);

	buf_u16(&unit, version);
	if (!gnu) {
		buf_u8(&unit, DW_UT_skeleton);
		buf_u8(&unit, 8);
	}
	buf_u32(&unit, 0); /* abbreviations */
	if (gnu)
		buf_u8(&unit, 8);
	else
		buf_u64(&unit, dwo_id);
	buf_u8(&unit, 1);
	buf_add(&unit, "x.dwo", 6);
	if (gnu)
		buf_u64(&unit, dwo_id);
	buf_u32(&unit, gnu ? 0 : 8); /* addresses */
	made_package_length(&info, &unit);

	if (!gnu) {
		buf_u32(&addr, 4 + 8 * MADE_PACKAGE_UNITS);
		buf_u16(&addr, 5);
		buf_u8(&addr, 8);
		buf_u8(&addr, 0);
	}
	for (k = 0; k < MADE_PACKAGE_UNITS; k++)
		buf_u64(&addr, MADE_PACKAGE_LOW + 0x100 * k);

	made_elf_begin(e, EM_X86_64, 8);
	made_package_elf_section(e, ".debug_info", &info);
	made_package_elf_section(e, ".debug_abbrev", &abbrev);
	made_package_elf_section(e, ".debug_addr", &addr);
	made_elf_end(e);
}

#endif
