// SPDX-License-Identifier: GPL-2.0
#include <dwarf.h>

#include "util/debuginfo/debuginfo_internal.h"

const char *debuginfo_die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
}

bool debuginfo_die_number(Dwarf_Die *die, unsigned int name, u64 *v)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &word))
		return false;
	*v = word;
	return true;
}

bool debuginfo_die_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	bool set = false;

	return dwarf_attr(die, name, &attr) && !dwarf_formflag(&attr, &set) && set;
}

u32 debuginfo_die_size(Dwarf_Die *die)
{
	u64 size = 0;

	return debuginfo_die_number(die, DW_AT_byte_size, &size) ? (u32)MIN(size, (u64)UINT32_MAX)
								 : 0;
}

Dwarf_Die *debuginfo_die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type);
}

/* What a type is behind its names. */
bool debuginfo_die_resolve(Dwarf_Die *die)
{
	u32 depth;

	for (depth = 0; depth < 32; depth++) {
		switch (dwarf_tag(die)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
			if (!debuginfo_die_type(die, die))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

bool debuginfo_die_is_struct(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}
