// SPDX-License-Identifier: GPL-2.0
/* debug_variables_location.c: location expressions as steps of debug_variables.h. */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "util/debuginfo/debug_variables_internal.h"

#define STEPS_MAX 24u /* of a location */
#define BASES_MAX 2u  /* expressions within one another: the frame base, the CFA */

static bool refuse(struct debug_reader *r, enum debug_lack lack)
{
	r->lack = lack;
	return false;
}

static bool push_step(struct debug_reader *r, struct debug_step step, u32 pops)
{
	struct debug_step *to;

	if (r->depth < pops || r->nr == STEPS_MAX)
		return refuse(r, DEBUG_LACKS_KNOWLEDGE);
	to = vec_push(&r->to->steps);
	if (!to) {
		r->no_memory = true;
		return false;
	}
	*to = step;
	r->depth += 1 - pops;
	r->nr++;
	return true;
}

static bool push_number(struct debug_reader *r, s64 v)
{
	return push_step(r, (struct debug_step){.kind = DEBUG_STEP_NUMBER, .v = v}, 0);
}

static bool push_register(struct debug_reader *r, u64 reg, s64 offset)
{
	const struct debug_step step = {.kind = DEBUG_STEP_REGISTER, .reg = (u32)reg, .v = offset};

	return push_step(r, step, 0);
}

static bool push_operator(struct debug_reader *r, char sign)
{
	const bool unary = sign == '~' || sign == 'm';

	return push_step(r,
			 (struct debug_step){.kind = unary ? DEBUG_STEP_UNARY : DEBUG_STEP_BINARY,
					     .sign = sign == 'm' ? '-' : sign},
			 unary ? 1 : 2);
}

static bool put_operations(struct debug_reader *r, Dwarf_Attribute *attr, const Dwarf_Op *ops,
			   size_t nr, u32 bases);

/* The canonical frame address, by the rules for unwinding there. */
static bool put_cfa(struct debug_reader *r, u32 bases)
{
	Dwarf_CFI *const cfis[] = {r->eh_frame, r->debug_frame};
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t nr, i;
	bool ok;

	for (i = 0; i < ARRAY_SIZE(cfis); i++) {
		if (!cfis[i] || dwarf_cfi_addrframe(cfis[i], r->vaddr, &frame))
			continue;
		ok = !dwarf_frame_cfa(frame, &ops, &nr) && nr &&
		     put_operations(r, NULL, ops, nr, bases);
		free(frame);
		return ok || (!r->lack && refuse(r, DEBUG_LACKS_FRAME));
	}
	return refuse(r, DEBUG_LACKS_FRAME);
}

static bool is_at_entry(const struct debug_reader *r)
{
	return debug_entry_begin(r->outer) == r->vaddr;
}

static bool put_frame_base(struct debug_reader *r, s64 offset, u32 bases)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr_integrate(&r->outer->die, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, r->vaddr, &ops, &nr, 1) != 1 || !nr)
		return refuse(r, DEBUG_LACKS_FRAME);
	/* what the function puts below its frame is not there yet */
	if (is_at_entry(r) && (offset < 0 || ops[0].atom != DW_OP_call_frame_cfa))
		return refuse(r, DEBUG_LACKS_BEGINNING);
	if (nr == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_register(r, ops[0].atom - DW_OP_reg0, offset);
	return put_operations(r, &attr, ops, nr, bases) && push_number(r, offset) &&
	       push_operator(r, '+');
}

/* The type that an operation names, if it is one of whole numbers. */
static bool base_type(Dwarf_Attribute *attr, const Dwarf_Op *op, bool is_generic,
		      struct debug_step *to)
{
	Dwarf_Attribute of;
	Dwarf_Word size, encoding;
	Dwarf_Die die;

	*to = (struct debug_step){.kind = DEBUG_STEP_CONVERT, .size = 8};
	if (is_generic)
		return true;
	if (!attr || dwarf_getlocation_die(attr, op, &die) ||
	    !dwarf_attr(&die, DW_AT_byte_size, &of) || dwarf_formudata(&of, &size) ||
	    !dwarf_attr(&die, DW_AT_encoding, &of) || dwarf_formudata(&of, &encoding))
		return false;
	to->size = (u8)size;
	to->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return (size == 1 || size == 2 || size == 4 || size == 8) && encoding != DW_ATE_float;
}

static bool convert(struct debug_reader *r, Dwarf_Attribute *attr, const Dwarf_Op *op,
		    bool is_generic)
{
	struct debug_step step;

	r->is_typed = !is_generic;
	return base_type(attr, op, is_generic, &step) ? push_step(r, step, 1)
						      : refuse(r, DEBUG_LACKS_KNOWLEDGE);
}

static bool read_memory(struct debug_reader *r, u64 size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return refuse(r, DEBUG_LACKS_KNOWLEDGE);
	return push_step(r, (struct debug_step){.kind = DEBUG_STEP_READ, .size = (u8)size}, 1);
}

static bool put_address(struct debug_reader *r, Dwarf_Attribute *attr, const Dwarf_Op *op)
{
	struct debug_step step = {.kind = DEBUG_STEP_STATIC, .v = (s64)op->number};
	Dwarf_Attribute of;
	Dwarf_Addr vaddr;

	if (op->atom != DW_OP_addr) {
		if (!attr || dwarf_getlocation_attr(attr, op, &of) || dwarf_formaddr(&of, &vaddr))
			return refuse(r, DEBUG_LACKS_KNOWLEDGE);
		step.v = (s64)vaddr;
	}
	return push_step(r, step, 0);
}

/* What a register had where the function began; that is known there alone. */
static bool put_entry_value(struct debug_reader *r, Dwarf_Attribute *attr, const Dwarf_Op *op)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t nr;

	if (r->entry != r->outer || !is_at_entry(r))
		return refuse(r, DEBUG_LACKS_ENTRY);
	if (!attr || dwarf_getlocation_attr(attr, op, &inner) ||
	    dwarf_getlocation(&inner, &ops, &nr) || nr != 1 || ops[0].atom < DW_OP_reg0 ||
	    ops[0].atom > DW_OP_reg31)
		return refuse(r, DEBUG_LACKS_KNOWLEDGE);
	return push_register(r, ops[0].atom - DW_OP_reg0, 0);
}

static bool put_arithmetic(struct debug_reader *r, const Dwarf_Op *op)
{
	static const struct {
		u8 atom;
		char sign;
	} signs[] = {{DW_OP_and, '&'},   {DW_OP_or, '|'},  {DW_OP_xor, '^'}, {DW_OP_plus, '+'},
		     {DW_OP_mul, '*'},   {DW_OP_shl, 'l'}, {DW_OP_shr, 'r'}, {DW_OP_shra, 's'},
		     {DW_OP_minus, '-'}, {DW_OP_not, '~'}, {DW_OP_neg, 'm'}, {DW_OP_eq, '='},
		     {DW_OP_ne, 'n'},    {DW_OP_lt, '<'},  {DW_OP_gt, '>'},  {DW_OP_le, '{'},
		     {DW_OP_ge, '}'}};
	u32 i;

	if (r->is_typed && op->atom >= DW_OP_eq && op->atom <= DW_OP_ne)
		return refuse(r, DEBUG_LACKS_KNOWLEDGE);
	for (i = 0; i < ARRAY_SIZE(signs); i++)
		if (signs[i].atom == op->atom)
			return push_operator(r, signs[i].sign);
	return refuse(r, DEBUG_LACKS_KNOWLEDGE);
}

static bool put_operation(struct debug_reader *r, Dwarf_Attribute *attr, const Dwarf_Op *op,
			  u32 bases)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push_number(r, op->atom - DW_OP_lit0);
	/* one location for all of the function: once the register has what the function puts there */
	if (attr && bases == BASES_MAX && !r->is_list && is_at_entry(r) &&
	    ((op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) || op->atom == DW_OP_bregx))
		return refuse(r, DEBUG_LACKS_BEGINNING);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(r, op->atom - DW_OP_breg0, (s64)op->number);
	if ((op->atom >= DW_OP_const1u && op->atom <= DW_OP_const8s) || op->atom == DW_OP_constu ||
	    op->atom == DW_OP_consts)
		return push_number(r, (s64)op->number);
	switch (op->atom) {
	case DW_OP_nop:
		return true;
	case DW_OP_bregx:
		return push_register(r, op->number, (s64)op->number2);
	case DW_OP_fbreg:
		return bases ? put_frame_base(r, (s64)op->number, bases - 1)
			     : refuse(r, DEBUG_LACKS_FRAME);
	case DW_OP_call_frame_cfa:
		return bases ? put_cfa(r, bases - 1) : refuse(r, DEBUG_LACKS_FRAME);
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return put_address(r, attr, op);
	case DW_OP_plus_uconst:
		return push_number(r, (s64)op->number) && push_operator(r, '+');
	case DW_OP_deref:
		return read_memory(r, 8);
	case DW_OP_deref_size:
		return read_memory(r, op->number);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return convert(r, attr, op, !op->number);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_register(r, op->number, 0) && convert(r, attr, op, false);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return put_entry_value(r, attr, op);
	case DW_OP_piece:
	case DW_OP_bit_piece:
		return refuse(r, DEBUG_LACKS_WHOLE);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return refuse(r, DEBUG_LACKS_POINTEE);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return refuse(r, DEBUG_LACKS_THREAD);
	default:
		return put_arithmetic(r, op);
	}
}

static bool put_operations(struct debug_reader *r, Dwarf_Attribute *attr, const Dwarf_Op *ops,
			   size_t nr, u32 bases)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!put_operation(r, attr, &ops[i], bases))
			return false;
	return true;
}

/* A piece of a variable says so at its end, behind what would be refused for another reason. */
static bool is_in_pieces(const Dwarf_Op *ops, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece)
			return true;
	return false;
}

/* Bytes of the value, in the order of the machine that the file is for. */
static bool put_implicit(struct debug_reader *r, Dwarf_Attribute *attr, const Dwarf_Op *op)
{
	Dwarf_Block block;
	u64 v = 0;
	size_t i;

	if (dwarf_getlocation_implicit_value(attr, op, &block) || block.length > sizeof(v))
		return refuse(r, DEBUG_LACKS_KNOWLEDGE);
	for (i = 0; i < block.length; i++)
		v |= (u64)block.data[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? block.length - 1 - i
									    : i]
		     << (8 * i);
	return push_number(r, (s64)v);
}

static enum debug_spot_kind put_location(struct debug_reader *r, Dwarf_Attribute *attr,
					 const Dwarf_Op *ops, size_t nr)
{
	bool is_value = ops[nr - 1].atom == DW_OP_stack_value, ok;

	if (is_in_pieces(ops, nr)) {
		refuse(r, DEBUG_LACKS_WHOLE);
		return DEBUG_SPOT_NOWHERE;
	}
	if (nr == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_register(r, ops[0].atom - DW_OP_reg0, 0) ? DEBUG_SPOT_REGISTER
								     : DEBUG_SPOT_NOWHERE;
	if (nr == 1 && ops[0].atom == DW_OP_regx)
		return push_register(r, ops[0].number, 0) ? DEBUG_SPOT_REGISTER
							  : DEBUG_SPOT_NOWHERE;
	if (nr == 1 && ops[0].atom == DW_OP_implicit_value) {
		ok = put_implicit(r, attr, ops);
		is_value = true;
	} else {
		ok = put_operations(r, attr, ops, nr - is_value, BASES_MAX);
	}
	if (ok && r->depth != 1)
		ok = refuse(r, DEBUG_LACKS_KNOWLEDGE);
	return !ok ? DEBUG_SPOT_NOWHERE : is_value ? DEBUG_SPOT_VALUE : DEBUG_SPOT_MEMORY;
}

/* A value that never changes. */
static bool put_constant(struct debug_reader *r, Dwarf_Die *variable)
{
	Dwarf_Attribute attr;
	s64 v;

	return dwarf_attr_integrate(variable, DW_AT_const_value, &attr) &&
	       debug_entry_constant(&attr, &v) && push_number(r, v);
}

struct debug_spot debug_location_read(struct debug_reader *r, Dwarf_Die *variable)
{
	struct debug_spot spot = {.first = r->to->steps.nr};
	Dwarf_Attribute attr;
	Dwarf_Block block;
	Dwarf_Op *ops;
	bool has;
	size_t nr;

	r->depth = r->nr = 0;
	r->is_typed = false;
	r->lack = DEBUG_LACKS_NOTHING;
	has = dwarf_attr_integrate(variable, DW_AT_location, &attr);
	r->is_list = has && dwarf_formblock(&attr, &block) != 0;
	if (has && dwarf_getlocation_addr(&attr, r->vaddr, &ops, &nr, 1) == 1 && nr)
		spot.kind = put_location(r, &attr, ops, nr);
	else if (put_constant(r, variable))
		spot.kind = DEBUG_SPOT_VALUE;
	else
		r->lack = DEBUG_LACKS_LOCATION;
	spot.nr = r->to->steps.nr - spot.first;
	if (spot.kind == DEBUG_SPOT_NOWHERE) {
		r->to->steps.nr = spot.first;
		spot.nr = 0;
	}
	return spot;
}
