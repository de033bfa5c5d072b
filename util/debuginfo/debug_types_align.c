// SPDX-License-Identifier: GPL-2.0
#include <dwarf.h>

#include "util/debuginfo/debuginfo_internal.h"

#define ALIGN_STEPS 512u
#define ALIGN_MOST  64u
/* In damaged DWARF they may have no end. */
#define CHILDREN_MAX 65536u

struct aligning {
	u32 steps, children; /* types and entries that were looked at */
};

static bool next_child(struct aligning *a, Dwarf_Die *die)
{
	return ++a->children < CHILDREN_MAX && !dwarf_siblingof(die, die);
}

static bool is_cut(const struct aligning *a)
{
	return a->children >= CHILDREN_MAX;
}

static u32 align_of(struct aligning *a, Dwarf_Die type, u32 depth);

/* Of a member or a base class, as its struct has it: 1 in one that is packed. */
static u32 align_of_member(struct aligning *a, Dwarf_Die *member, u32 depth)
{
	u64 align = 0, at = 0, own = 0;
	Dwarf_Die type;

	if (debuginfo_die_type(member, &type))
		align = align_of(a, type, depth + 1);
	debuginfo_die_number(member, DW_AT_data_member_location, &at);
	if (align && at % align)
		align = 1;
	debuginfo_die_number(member, DW_AT_alignment, &own);
	return align ? (u32)MAX(align, MIN(own, (u64)UINT32_MAX)) : 0;
}

static u32 align_of_struct(struct aligning *a, Dwarf_Die *type, u32 depth)
{
	u32 align = 1, one;
	Dwarf_Die child;
	u64 own = 0;

	if (!dwarf_child(type, &child)) {
		do {
			if ((dwarf_tag(&child) != DW_TAG_member &&
			     dwarf_tag(&child) != DW_TAG_inheritance) ||
			    debuginfo_die_flag(&child, DW_AT_external) ||
			    debuginfo_die_flag(&child, DW_AT_declaration))
				continue;
			one = align_of_member(a, &child, depth);
			if (!one)
				return 0;
			align = MAX(align, one);
		} while (next_child(a, &child));
	}
	/* packed */
	if (debuginfo_die_size(type) % align)
		align = 1;
	debuginfo_die_number(type, DW_AT_alignment, &own);
	return is_cut(a) || own > ALIGN_MOST ? 0 : MAX(align, (u32)own);
}

static u32 align_of(struct aligning *a, Dwarf_Die type, u32 depth)
{
	u64 own = 0;
	u32 size;

	/* a typedef may have its own */
	while (dwarf_tag(&type) == DW_TAG_typedef &&
	       !debuginfo_die_number(&type, DW_AT_alignment, &own))
		if (!debuginfo_die_type(&type, &type) || ++a->steps > ALIGN_STEPS)
			return 0;
	if (++a->steps > ALIGN_STEPS || depth > 16 || own > ALIGN_MOST)
		return 0;
	if (!debuginfo_die_resolve(&type))
		return 0;
	if (debuginfo_die_is_struct(&type)) {
		size = align_of_struct(a, &type, depth);
		return own && size ? (u32)own : size;
	}
	switch (dwarf_tag(&type)) {
	case DW_TAG_array_type:
		if (debuginfo_die_flag(&type, DW_AT_GNU_vector) ||
		    !debuginfo_die_type(&type, &type))
			return 0;
		size = align_of(a, type, depth + 1);
		break;
	case DW_TAG_base_type:
		size = debuginfo_die_size(&type);
		if (debuginfo_die_number(&type, DW_AT_encoding, &own) &&
		    own == DW_ATE_complex_float)
			size /= 2;
		own = 0;
		break;
	case DW_TAG_atomic_type:
		return debuginfo_die_type(&type, &type) ? align_of(a, type, depth + 1) : 0;
	case DW_TAG_enumeration_type:
		size = debuginfo_die_size(&type);
		break;
	case DW_TAG_restrict_type:
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_unspecified_type:
		size = 8;
		break;
	default:
		return 0;
	}
	if (!size || size > 16 || size & (size - 1))
		return 0;
	return own ? (u32)own : size;
}

u32 debug_types_align(Dwarf_Die type)
{
	struct aligning a = {0};

	return align_of(&a, type, 0);
}
