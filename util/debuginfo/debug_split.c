// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_split.h"

#include <dwarf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "util/base/buf.h"
#include "util/debuginfo/debug_function.h"
#include "util/image/image_unpack.h"

static void add_part(struct buf *path, const char *part)
{
	if (!part)
		return;
	if (part[0] == '/')
		buf_clear(path);
	else if (path->len)
		buf_addc(path, '/');
	buf_adds(path, part);
}

/* Do the sections of such an image claim no more than its size allows? libdw believes them. */
static bool is_bounded(const char *path)
{
	struct image img;
	bool ok;

	if (image_open(&img, AT_FDCWD, path, NULL))
		return true; /* libdw cannot open it either */
	ok = !image_unpack_check(&img, NULL);
	image_close(&img);
	return ok;
}

/* A file that is not there does no harm. */
static bool is_harmless(const char *folder, const char *comp_dir, const char *name)
{
	struct buf path = {0};
	struct stat st;
	bool ok;

	add_part(&path, folder);
	add_part(&path, comp_dir);
	add_part(&path, name);
	ok = !path.failed &&
	     (stat(buf_str(&path), &st) || (S_ISREG(st.st_mode) && is_bounded(buf_str(&path))));
	buf_free(&path);
	return ok;
}

/* libdw looks beside the file with the skeleton, then in the folder of the compilation. */
static bool may_open(Dwarf_Die *unit, const char *folder)
{
	const char *comp_dir = debug_entry_string(unit, DW_AT_comp_dir);
	const char *name = debug_entry_string(unit, DW_AT_dwo_name);

	if (!name)
		name = debug_entry_string(unit, DW_AT_GNU_dwo_name);
	return name && is_harmless(folder, NULL, name) && is_harmless(folder, comp_dir, name);
}

bool debug_split_find(Dwarf_Die *unit, const char *folder, Dwarf_Die *split)
{
	uint8_t type;

	*split = (Dwarf_Die){0};
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton || !may_open(unit, folder))
		return false;
	return !dwarf_cu_info(unit->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) && split->cu;
}
