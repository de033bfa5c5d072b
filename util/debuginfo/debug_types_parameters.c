// SPDX-License-Identifier: GPL-2.0
/* debug_types_parameters.c: where the parameters of a function are at its first instruction, for debug_types.h. */
#include <dwarf.h>

#include "util/debuginfo/debug_types.h"
#include "util/debuginfo/debuginfo_internal.h"

bool debug_entry_constant(Dwarf_Attribute *attr, s64 *v)
{
	const unsigned int form = dwarf_whatform(attr);
	Dwarf_Sword with_sign;
	Dwarf_Word without;

	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		if (dwarf_formsdata(attr, &with_sign))
			return false;
		*v = with_sign;
		return true;
	}
	if (dwarf_formudata(attr, &without))
		return false;
	*v = (s64)without;
	return true;
}

static struct debug_location at(enum debug_where where, u32 reg, s64 offset)
{
	return (struct debug_location){.where = where, .reg = reg, .offset = offset};
}

static bool is_register(const Dwarf_Op *op, u32 *reg)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*reg = (u32)op->number;
	else
		return false;
	return true;
}

/* Is the frame base the CFA? */
static bool has_cfa(Dwarf_Die *function, u64 vaddr)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	return dwarf_attr_integrate(function, DW_AT_frame_base, &attr) &&
	       dwarf_getlocation_addr(&attr, vaddr, &ops, &nr, 1) == 1 && nr == 1 &&
	       ops[0].atom == DW_OP_call_frame_cfa;
}

static bool is_constant(const Dwarf_Op *op, s64 *v)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		*v = op->atom - DW_OP_lit0;
	else if ((op->atom >= DW_OP_const1u && op->atom <= DW_OP_const8s) ||
		 op->atom == DW_OP_constu || op->atom == DW_OP_consts)
		*v = (s64)op->number;
	else
		return false;
	return true;
}

/* What a register had where the function begins is what it has here. */
static bool is_entry_value(Dwarf_Attribute *attr, const Dwarf_Op *op, u32 *reg)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t nr;

	return (op->atom == DW_OP_entry_value || op->atom == DW_OP_GNU_entry_value) &&
	       !dwarf_getlocation_attr(attr, op, &inner) && !dwarf_getlocation(&inner, &ops, &nr) &&
	       nr == 1 && is_register(ops, reg);
}

static struct debug_location read_location(Dwarf_Die *function, Dwarf_Attribute *attr,
					   const Dwarf_Op *ops, size_t nr, u64 vaddr)
{
	const bool is_value = nr == 2 && ops[1].atom == DW_OP_stack_value;
	Dwarf_Block block;
	u32 reg;
	s64 v;

	if (nr == 1 && is_register(ops, &reg))
		return at(DEBUG_IN_REGISTER, reg, 0);
	if (nr == 1 && ops[0].atom == DW_OP_fbreg) {
		/* below its frame the function puts what came in registers: later */
		v = (s64)ops[0].number;
		return v >= 0 && has_cfa(function, vaddr) ? at(DEBUG_IN_MEMORY, DEBUG_CFA, v)
							  : at(DEBUG_BY_RULE, 0, 0);
	}
	/* a location for all of the function holds once its register is set, as in a frame that is aligned */
	if (nr == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 &&
	    !dwarf_formblock(attr, &block))
		return at(DEBUG_BY_RULE, 0, 0);
	if (nr == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31)
		return at(DEBUG_IN_MEMORY, ops[0].atom - DW_OP_breg0, (s64)ops[0].number);
	if (is_value && is_entry_value(attr, ops, &reg))
		return at(DEBUG_IN_REGISTER, reg, 0);
	if (is_value && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31 && !ops[0].number)
		return at(DEBUG_IN_REGISTER, ops[0].atom - DW_OP_breg0, 0);
	if (is_value && is_constant(ops, &v))
		return at(DEBUG_CONSTANT, 0, v);
	return at(DEBUG_NOWHERE, 0, 0);
}

struct debug_location debug_parameter_find(Dwarf_Die *function, Dwarf_Die *die, u64 vaddr)
{
	Dwarf_Attribute attr, external;
	bool is_external = false;
	s64 v;
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_attr(die, DW_AT_location, &attr) &&
	    dwarf_getlocation_addr(&attr, vaddr, &ops, &nr, 1) == 1 && nr)
		return read_location(function, &attr, ops, nr, vaddr);
	if (dwarf_attr(die, DW_AT_const_value, &attr) && debug_entry_constant(&attr, &v))
		return at(DEBUG_CONSTANT, 0, v);
	/* of what the function does not use, those who call it may leave anything */
	if (!dwarf_attr(die, DW_AT_location, &attr))
		return at(DEBUG_NOWHERE, 0, 0);
	/* who calls it from elsewhere keeps to the rules */
	if (dwarf_attr_integrate(function, DW_AT_external, &external))
		dwarf_formflag(&external, &is_external);
	return at(is_external ? DEBUG_BY_RULE : DEBUG_NOWHERE, 0, 0);
}
