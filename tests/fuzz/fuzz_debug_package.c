// SPDX-License-Identifier: GPL-2.0
/*
 * Packages of split DWARF: the index of a damaged .dwp file, and units of it as libdw reads them;
 * and the bytes as an index by itself.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/made_package.h"
#include "util/debuginfo/debuginfo_internal.h"

#define IDS_AT   16u /* where the ids begin in an index of either version */
#define IDS_MAX  8u
#define DIES_MAX 64u

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void touch(struct debug_bytes part, struct debug_bytes all)
{
	if (part.p &&
	    (part.p < all.p || part.len > all.len || (size_t)(part.p - all.p) > all.len - part.len))
		abort();
}

/* Each word behind the head is tried as an id, the first of them as there may be units. */
static bool next_id(const struct debug_package *p, u32 i, u64 *id)
{
	size_t at = IDS_AT + i * sizeof(*id);

	if (!p->index.p || i == IDS_MAX || p->index.len < at + sizeof(*id))
		return false;
	memcpy(id, p->index.p + at, sizeof(*id));
	if (p->swap)
		*id = __builtin_bswap64(*id);
	return true;
}

static bool find(const struct debug_package *p, u64 id)
{
	struct debug_package_unit u;
	bool found = !debug_package_find(p, id, &u);
	u32 i;

	for (i = 0; i < PACKAGE_PARTS; i++)
		touch(u.parts[i], p->sections[i]);
	if (found && !u.parts[PACKAGE_INFO].p)
		abort();
	return found;
}

static void try_index(const u8 *data, size_t size, bool swap)
{
	struct debug_package p = {.str = {data, size}, .index = {data, size}, .swap = swap};
	u64 id;
	u32 i;

	for (i = 0; i < PACKAGE_PARTS; i++)
		p.sections[i] = p.index;
	for (i = 0; next_id(&p, i, &id); i++)
		find(&p, id);
}

static void walk(Dwarf_Die *unit)
{
	Dwarf_Die die = *unit, next;
	const char *name;
	Dwarf_Addr low;
	u32 i;

	for (i = 0; i < DIES_MAX; i++) {
		name = dwarf_diename(&die);
		if (name && strlen(name) == SIZE_MAX)
			abort();
		dwarf_lowpc(&die, &low);
		if (dwarf_child(&die, &next) && dwarf_siblingof(&die, &next))
			break;
		die = next;
	}
}

static void try_unit(const struct debug_package *p, u16 version, u64 id)
{
	struct debug_unpacked u = {0};
	Dwarf_Die skeleton, split;
	Dwarf_CU *cu = NULL;
	struct made_elf e;
	struct image img;
	Dwarf *dwarf;

	made_skeleton(&e, version, id);
	if (image_open_memory(&img, e.b.data, e.b.len, NULL))
		abort();
	dwarf = dwarf_begin_elf(img.elf, DWARF_C_READ, NULL);
	if (!dwarf || dwarf_get_units(dwarf, NULL, &cu, NULL, NULL, &skeleton, NULL))
		abort();
	if (!debug_package_unpack(&u, p, &skeleton, &split))
		walk(&split);
	debug_unpacked_free(&u);
	dwarf_end(dwarf);
	image_close(&img);
	buf_free(&e.b);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct debug_package p;
	struct image img;
	u64 id;
	u32 i;

	try_index(data, size, false);
	try_index(data, size, true);
	if (image_open_memory(&img, data, size, NULL))
		return 0;
	debug_package_get(&p, &img, NULL);
	for (i = 0; next_id(&p, i, &id); i++) {
		if (find(&p, id)) {
			try_unit(&p, 4, id);
			try_unit(&p, 5, id);
		}
	}
	image_close(&img);
	return 0;
}
