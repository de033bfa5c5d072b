// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_types.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/hash.h"
#include "util/debuginfo/debuginfo_internal.h"

#define TYPES_MAX 100000u
/* Of all of them, and of units that are searched for definitions: in damaged DWARF they may have no end. */
#define CHILDREN_MAX 4000000u
#define MEMBERS_MAX  65535u /* of BTF */
#define DIMS_MAX     8u
#define FRAMES_MAX   64u
#define NAME_MAX_LEN 128u /* longer ones cannot be typed */
#define STRINGS_MAX  (32u << 20)

/* A type that is made of an entry: the entry itself, one of an array's dimensions, its name, or a pointer to it. */
enum { SELF, NAME_ALONE = 30, POINTER_TO, PARTS };

struct pending {
	Dwarf_Die die;
	u32 part;
};

/* Of a struct outside of namespaces; units may have different ones of one name. */
struct definition {
	Dwarf_Die die;
	bool ambiguous;
};

struct maker {
	struct buf types, strings;
	struct hmap ids;
	VEC(struct pending) pending; /* by id - first */
	u32 first, string_base;
	struct hmap
		definitions; /* of structs, by name: number of the entry; made when it is first needed */
	VEC(struct definition) defined;
	bool has_definitions;
	u32 children, scanned; /* that were looked at, for types and for definitions */
	bool failed;           /* memory is out */
};

/* --- writing --- */

static u32 string_of(struct maker *m, const char *s)
{
	u32 at = m->string_base + (u32)m->strings.len;

	if (!s || !*s || m->strings.len > STRINGS_MAX)
		return 0;
	buf_add(&m->strings, s, strnlen(s, NAME_MAX_LEN));
	buf_u8(&m->strings, 0);
	return at;
}

static void put_type(struct maker *m, const char *name, enum btf_kind kind, u32 vlen, bool flag,
		     u32 word)
{
	buf_u32(&m->types, string_of(m, name));
	buf_u32(&m->types, vlen | (u32)kind << 24 | (u32)flag << 31);
	buf_u32(&m->types, word);
}

/* The id of what is made of the entry, now or later; 0, which is void: there are too many. */
static u32 id_of(struct maker *m, const Dwarf_Die *die, u32 part)
{
	const u64 key = (u64)(uintptr_t)die->addr * PARTS + part;
	u32 id = hmap_get(&m->ids, key);
	struct pending *p;

	if (id != ID_NONE)
		return id;
	if (m->pending.nr == TYPES_MAX)
		return 0;
	p = vec_push(&m->pending);
	id = m->first + m->pending.nr - 1;
	if (!p || !hmap_set(&m->ids, key, id)) {
		m->failed = true;
		return 0;
	}
	*p = (struct pending){*die, part};
	return id;
}

static u32 type_of(struct maker *m, Dwarf_Die *die)
{
	Dwarf_Die type;

	return debuginfo_die_type(die, &type) ? id_of(m, &type, SELF) : 0;
}

static bool next_child(struct maker *m, Dwarf_Die *die)
{
	return ++m->children < CHILDREN_MAX && !dwarf_siblingof(die, die);
}

/* Then what was read last may lack some of it. */
static bool is_cut(const struct maker *m)
{
	return m->children >= CHILDREN_MAX;
}

/* --- kinds --- */

static void put_base(struct maker *m, Dwarf_Die *die)
{
	u32 size = debuginfo_die_size(die), bits = 0;
	u64 encoding = 0;

	debuginfo_die_number(die, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_float:
		put_type(m, debuginfo_die_name(die), BTF_FLOAT, 0, false, size);
		return;
	case DW_ATE_boolean:
		bits = 4;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		bits = 1;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_address:
		break;
	default:
		put_type(m, debuginfo_die_name(die), BTF_FWD, 0, false, 0);
		return;
	}
	put_type(m, debuginfo_die_name(die), BTF_INT, 0, false, size);
	buf_u32(&m->types, bits << 24 | (size * 8 & 0xff));
}

struct member {
	const char *name;
	u32 type;
	u64 bit_offset;
	u32 bit_size;
};

/* Bytes from the beginning of the struct; false: that differs from one to another. */
static bool member_offset(Dwarf_Die *die, u64 *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;
	Dwarf_Op *ops;
	size_t nr;

	*offset = 0;
	if (!dwarf_attr(die, DW_AT_data_member_location, &attr))
		return true;
	if (!dwarf_formudata(&attr, &word)) {
		*offset = word;
		return true;
	}
	if (dwarf_getlocation(&attr, &ops, &nr) || nr != 1 || ops[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = ops[0].number;
	return true;
}

/* Bit-fields count from the beginning; before DWARF 4 from the highest bit of what holds them. */
static bool bits_of(Dwarf_Die *die, struct member *to, u64 bytes)
{
	u64 bits, from, holder;
	Dwarf_Die type;

	to->bit_offset = bytes * 8;
	if (!debuginfo_die_number(die, DW_AT_bit_size, &bits))
		return true;
	to->bit_size = (u32)MIN(bits, (u64)255);
	if (debuginfo_die_number(die, DW_AT_data_bit_offset, &from)) {
		to->bit_offset = from;
		return bits && bits <= 64;
	}
	if (!debuginfo_die_number(die, DW_AT_bit_offset, &from))
		return bits && bits <= 64;
	if (!debuginfo_die_number(die, DW_AT_byte_size, &holder))
		holder = debuginfo_die_type(die, &type) ? debuginfo_die_size(&type) : 0;
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		to->bit_offset += from;
	else
		to->bit_offset += holder * 8 - from - bits;
	return bits && holder <= 8 && from + bits <= holder * 8;
}

static bool read_member(struct maker *m, Dwarf_Die *die, struct member *to)
{
	const int tag = dwarf_tag(die);
	u64 bytes, ignored;

	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return false;
	/* of all objects together; of a base that is shared with others */
	if (debuginfo_die_flag(die, DW_AT_external) || debuginfo_die_flag(die, DW_AT_declaration) ||
	    debuginfo_die_number(die, DW_AT_virtuality, &ignored) || !member_offset(die, &bytes) ||
	    !bits_of(die, to, bytes))
		return false;
	to->name = tag == DW_TAG_member ? debuginfo_die_name(die) : NULL;
	to->type = type_of(m, die);
	return true;
}

static u64 name_key(const char *name)
{
	return hash_bytes(name, strnlen(name, NAME_MAX_LEN));
}

/* Is it written at the same place? */
static bool is_same(Dwarf_Die *a, Dwarf_Die *b)
{
	u64 line_a = 0, line_b = 0;

	debuginfo_die_number(a, DW_AT_decl_line, &line_a);
	debuginfo_die_number(b, DW_AT_decl_line, &line_b);
	return debuginfo_die_size(a) == debuginfo_die_size(b) && line_a == line_b &&
	       (dwarf_tag(a) == DW_TAG_union_type) == (dwarf_tag(b) == DW_TAG_union_type);
}

static void add_definition(struct maker *m, Dwarf_Die *die)
{
	const char *name =
		debuginfo_die_is_struct(die) && !debuginfo_die_flag(die, DW_AT_declaration)
			? debuginfo_die_name(die)
			: NULL;
	struct definition *slot;
	u32 i;

	if (!name)
		return;
	i = hmap_get(&m->definitions, name_key(name));
	if (i != ID_NONE) {
		m->defined.v[i].ambiguous |= !is_same(&m->defined.v[i].die, die);
		return;
	}
	slot = vec_push(&m->defined);
	m->failed |= !slot || !hmap_set(&m->definitions, name_key(name), m->defined.nr - 1);
	if (slot)
		*slot = (struct definition){*die, false};
}

static void read_definitions(struct maker *m, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL, *next;
	Dwarf_Die unit, die;

	m->has_definitions = true;
	while (!m->failed && !dwarf_get_units(dwarf, cu, &next, NULL, NULL, &unit, NULL)) {
		cu = next;
		if (dwarf_child(&unit, &die))
			continue;
		do {
			add_definition(m, &die);
		} while (++m->scanned < CHILDREN_MAX && !dwarf_siblingof(&die, &die));
	}
}

/* Is it in no namespace and no other struct? */
static bool is_top_level(Dwarf_Die *die)
{
	Dwarf_Die *scopes = NULL;
	const int nr = dwarf_getscopes_die(die, &scopes);
	const int tag = nr > 1 ? dwarf_tag(&scopes[1]) : 0;

	free(scopes);
	return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit;
}

/* What a unit only declares, another one may define. */
static bool find_definition(struct maker *m, Dwarf_Die *die)
{
	const char *name = debuginfo_die_name(die), *found;
	struct definition *d;
	u32 i;

	if (!name || !is_top_level(die))
		return false;
	if (!m->has_definitions)
		read_definitions(m, dwarf_cu_getdwarf(die->cu));
	i = hmap_get(&m->definitions, name_key(name));
	if (i == ID_NONE)
		return false;
	d = &m->defined.v[i];
	found = debuginfo_die_name(&d->die);
	if (d->ambiguous || !found || strcmp(found, name) != 0 ||
	    (dwarf_tag(die) == DW_TAG_union_type) != (dwarf_tag(&d->die) == DW_TAG_union_type))
		return false;
	*die = d->die;
	return true;
}

static void put_struct(struct maker *m, Dwarf_Die *die)
{
	const bool is_union = dwarf_tag(die) == DW_TAG_union_type;
	const enum btf_kind kind = is_union ? BTF_UNION : BTF_STRUCT;
	VEC(struct member) members = {0};
	struct member one, *slot;
	bool has_bits = false;
	Dwarf_Attribute attr;
	Dwarf_Die child, whole;
	u32 i;

	/* in a unit of its own */
	if (dwarf_formref_die(dwarf_attr(die, DW_AT_signature, &attr), &whole))
		die = &whole;
	if (debuginfo_die_flag(die, DW_AT_declaration) && !find_definition(m, die)) {
		put_type(m, debuginfo_die_name(die), BTF_FWD, 0, is_union, 0);
		return;
	}
	if (!dwarf_child(die, &child)) {
		do {
			one = (struct member){0};
			if (!read_member(m, &child, &one) || one.bit_offset >= 1u << 24 ||
			    members.nr == MEMBERS_MAX)
				continue;
			slot = vec_push(&members);
			m->failed |= !slot;
			if (slot)
				*slot = one;
			has_bits |= one.bit_size > 0;
		} while (next_child(m, &child));
	}
	if (is_cut(m)) {
		vec_free(&members);
		put_type(m, debuginfo_die_name(die), BTF_FWD, 0, is_union, 0);
		return;
	}
	put_type(m, debuginfo_die_name(die), kind, members.nr, has_bits, debuginfo_die_size(die));
	for (i = 0; i < members.nr; i++) {
		buf_u32(&m->types, string_of(m, members.v[i].name));
		buf_u32(&m->types, members.v[i].type);
		buf_u32(&m->types, (u32)members.v[i].bit_offset | members.v[i].bit_size << 24);
	}
	vec_free(&members);
}

struct value {
	const char *name;
	s64 v;
};

static bool read_value(Dwarf_Die *die, struct value *to)
{
	Dwarf_Attribute attr;
	s64 v;

	if (dwarf_tag(die) != DW_TAG_enumerator || !dwarf_attr(die, DW_AT_const_value, &attr) ||
	    !debug_entry_constant(&attr, &v))
		return false;
	*to = (struct value){debuginfo_die_name(die), v};
	return true;
}

/* Compilers say it of the enum, or of the type that holds it; older ones do not. */
static bool is_signed_enum(Dwarf_Die *die, bool has_negative)
{
	Dwarf_Die type;
	u64 encoding;

	if (!debuginfo_die_number(die, DW_AT_encoding, &encoding) &&
	    !(debuginfo_die_type(die, &type) && debuginfo_die_resolve(&type) &&
	      debuginfo_die_number(&type, DW_AT_encoding, &encoding)))
		return has_negative;
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

static void put_enum(struct maker *m, Dwarf_Die *die)
{
	VEC(struct value) values = {0};
	const u32 size = debuginfo_die_size(die);
	bool has_negative = false;
	struct value one, *slot;
	Dwarf_Die child;
	u32 i;

	if (!dwarf_child(die, &child)) {
		do {
			if (!read_value(&child, &one) || values.nr == MEMBERS_MAX)
				continue;
			slot = vec_push(&values);
			m->failed |= !slot;
			if (slot)
				*slot = one;
			has_negative |= one.v < 0;
		} while (next_child(m, &child));
	}
	if (is_cut(m)) {
		vec_free(&values);
		put_type(m, debuginfo_die_name(die), BTF_FWD, 0, false, 0);
		return;
	}
	put_type(m, debuginfo_die_name(die), size == 8 ? BTF_ENUM64 : BTF_ENUM, values.nr,
		 is_signed_enum(die, has_negative), size);
	for (i = 0; i < values.nr; i++) {
		buf_u32(&m->types, string_of(m, values.v[i].name));
		buf_u32(&m->types, (u32)values.v[i].v);
		if (size == 8)
			buf_u32(&m->types, (u32)((u64)values.v[i].v >> 32));
	}
	vec_free(&values);
}

static u32 elements_of(Dwarf_Die *range)
{
	u64 n;

	if (debuginfo_die_number(range, DW_AT_count, &n))
		return (u32)MIN(n, (u64)UINT32_MAX);
	return debuginfo_die_number(range, DW_AT_upper_bound, &n) ? (u32)MIN(n + 1, (u64)UINT32_MAX)
								  : 0;
}

/* Dimension number `part`, the elements of which are the next one, or what the array is of. */
static void put_array(struct maker *m, Dwarf_Die *die, u32 part)
{
	u32 nr = 0, elements = 0;
	Dwarf_Die child;

	if (!dwarf_child(die, &child)) {
		do {
			if (dwarf_tag(&child) != DW_TAG_subrange_type &&
			    dwarf_tag(&child) != DW_TAG_enumeration_type)
				continue;
			if (nr++ == part)
				elements = elements_of(&child);
		} while (next_child(m, &child));
	}
	if (is_cut(m)) {
		put_type(m, NULL, BTF_FWD, 0, false, 0);
		return;
	}
	put_type(m, NULL, BTF_ARRAY, 0, false, 0);
	buf_u32(&m->types,
		part + 1 < MIN(nr, DIMS_MAX) ? id_of(m, die, part + 1) : type_of(m, die));
	buf_u32(&m->types, 0);
	buf_u32(&m->types, elements);
}

static void put_one(struct maker *m, Dwarf_Die *die, u32 part)
{
	if (part == POINTER_TO) {
		put_type(m, NULL, BTF_PTR, 0, false, id_of(m, die, SELF));
		return;
	}
	if (part == NAME_ALONE) {
		put_type(m, debuginfo_die_name(die), BTF_FWD, 0,
			 dwarf_tag(die) == DW_TAG_union_type, 0);
		return;
	}
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		put_base(m, die);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		put_type(m, NULL, BTF_PTR, 0, false, type_of(m, die));
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		put_struct(m, die);
		break;
	case DW_TAG_enumeration_type:
		put_enum(m, die);
		break;
	case DW_TAG_array_type:
		put_array(m, die, part);
		break;
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
	case DW_TAG_subrange_type:
		put_type(m, debuginfo_die_name(die), BTF_TYPEDEF, 0, false, type_of(m, die));
		break;
	case DW_TAG_const_type:
	case DW_TAG_immutable_type:
		put_type(m, NULL, BTF_CONST, 0, false, type_of(m, die));
		break;
	case DW_TAG_volatile_type:
	case DW_TAG_atomic_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		put_type(m, NULL, BTF_VOLATILE, 0, false, type_of(m, die));
		break;
	case DW_TAG_restrict_type:
		put_type(m, NULL, BTF_RESTRICT, 0, false, type_of(m, die));
		break;
	case DW_TAG_subroutine_type:
		put_type(m, NULL, BTF_FUNC_PROTO, 0, false, 0);
		break;
	default:
		put_type(m, debuginfo_die_name(die), BTF_FWD, 0, false, 0);
	}
}

/* --- types that expressions name --- */

static bool is_word_byte(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* Is the name a word of the text? */
static bool is_named(const char *text, const char *name)
{
	const size_t len = name ? strlen(name) : 0;
	const char *at = len ? strstr(text, name) : NULL;

	while (at && ((at > text && is_word_byte(at[-1])) || is_word_byte(at[len])))
		at = strstr(at + 1, name);
	return at;
}

static bool has_name(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return true;
	default:
		return false;
	}
}

/* Of the unit that the entry is in, then structs of others. */
static void add_named(struct maker *m, Dwarf_Die *inside, const char *text)
{
	struct definition *d;
	struct hmap known = {0};
	Dwarf_Die unit, child;

	if (!text || !dwarf_diecu(inside, &unit, NULL, NULL))
		return;
	if (!dwarf_child(&unit, &child)) {
		do {
			if (!has_name(&child) || !is_named(text, debuginfo_die_name(&child)))
				continue;
			id_of(m, &child, SELF);
			m->failed |= !hmap_set(&known, name_key(debuginfo_die_name(&child)), 1);
		} while (next_child(m, &child));
	}
	if (!m->has_definitions && (strstr(text, "struct ") || strstr(text, "union ")))
		read_definitions(m, dwarf_cu_getdwarf(unit.cu));
	for (d = m->defined.v; d < m->defined.v + m->defined.nr; d++)
		if (is_named(text, debuginfo_die_name(&d->die)) &&
		    hmap_get(&known, name_key(debuginfo_die_name(&d->die))) == ID_NONE)
			id_of(m, &d->die, d->ambiguous ? NAME_ALONE : SELF);
	hmap_free(&known);
}

/* --- the function --- */

/* How a class is passed: some compilers say so, others leave it to who knows its functions. */
enum { BY_VALUE, BY_REFERENCE, EITHER };

static int convention_of(struct maker *m, Dwarf_Die type)
{
	Dwarf_Die child;
	u64 convention;

	if (!debuginfo_die_resolve(&type))
		return BY_VALUE;
	if (debuginfo_die_number(&type, DW_AT_calling_convention, &convention))
		return convention == DW_CC_pass_by_reference ? BY_REFERENCE : BY_VALUE;
	if ((dwarf_tag(&type) != DW_TAG_class_type && dwarf_tag(&type) != DW_TAG_structure_type) ||
	    dwarf_child(&type, &child))
		return BY_VALUE;
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram)
			return EITHER;
	} while (next_child(m, &child));
	return BY_VALUE;
}

/* Of a class: is the address of the object what is passed? Then `where` is where that is. */
static bool is_address(Dwarf_Die *die, u64 vaddr, struct debug_location *where)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (where->where == DEBUG_IN_MEMORY && where->reg != DEBUG_CFA && !where->offset) {
		where->where = DEBUG_IN_REGISTER;
		return true;
	}
	if (!dwarf_attr(die, DW_AT_location, &attr) ||
	    dwarf_getlocation_addr(&attr, vaddr, &ops, &nr, 1) != 1 || nr != 2 ||
	    ops[0].atom != DW_OP_fbreg || ops[1].atom != DW_OP_deref)
		return false;
	*where = (struct debug_location){.where = DEBUG_BY_RULE};
	return true;
}

struct parameter {
	const char *name;
	u32 type;
};

static bool read_parameter(struct maker *m, Dwarf_Die *die, u64 vaddr, struct parameter *to,
			   struct debug_location *where)
{
	Dwarf_Die type;
	int convention;
	bool is_pointer;

	to->name = debuginfo_die_name(die);
	to->type = 0;
	if (!debuginfo_die_type(die, &type))
		return true;
	where->align = debug_types_align(type);
	convention = convention_of(m, type);
	is_pointer = convention != BY_VALUE && is_address(die, vaddr, where);
	is_pointer |= convention == BY_REFERENCE;
	to->type = id_of(m, &type, is_pointer ? POINTER_TO : SELF);
	return convention != EITHER || is_pointer || where->where != DEBUG_BY_RULE;
}

/* Is it known whether the result takes a register of the parameters? */
static bool read_result(struct maker *m, struct debug_types *t, Dwarf_Die *die)
{
	Dwarf_Die type;
	int convention = debuginfo_die_type(die, &type) ? convention_of(m, type) : BY_VALUE;

	t->result_align = debuginfo_die_type(die, &type) ? debug_types_align(type) : 1;
	t->hides_result = convention == BY_REFERENCE;
	/* more than two words are in memory anyway */
	return convention != EITHER || !debuginfo_die_resolve(&type) ||
	       debuginfo_die_size(&type) > 16;
}

/* Does the function's language call as C does? Others do so of numbers and pointers, Go never. */
enum { LIKE_C, LIKE_C_BUT_STRUCTS, UNLIKE_C };

static int calls_like_c(Dwarf_Die *function)
{
	Dwarf_Die unit;

	switch (dwarf_diecu(function, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC:
	case DW_LANG_ObjC_plus_plus:
	/* behind those of DWARF 5: C++17, C++20, C17, C++23, C23 */
	case 0x2a:
	case 0x2b:
	case 0x2c:
	case 0x3a:
	case 0x3e:
		return LIKE_C;
	case DW_LANG_Go:
		return UNLIKE_C;
	default:
		return LIKE_C_BUT_STRUCTS;
	}
}

static bool leads_to_struct(Dwarf_Die *die)
{
	Dwarf_Die type;

	return debuginfo_die_type(die, &type) &&
	       (!debuginfo_die_resolve(&type) || debuginfo_die_is_struct(&type));
}

static void put_function(struct maker *m, struct debug_types *t, Dwarf_Die *die, u64 vaddr)
{
	VEC(struct parameter) all = {0};
	struct debug_location *where;
	struct parameter *one;
	Dwarf_Die child;
	u32 i, result = type_of(m, die);
	const int like_c = calls_like_c(die);
	bool has_rule = read_result(m, t, die) && like_c != UNLIKE_C &&
			(like_c == LIKE_C || !leads_to_struct(die));
	bool is_known;

	if (!dwarf_child(die, &child)) {
		do {
			if (all.nr == MEMBERS_MAX || dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			one = vec_push(&all);
			where = vec_push(&t->parameters);
			m->failed |= !one || !where;
			if (m->failed)
				break;
			*where = debug_parameter_find(die, &child, vaddr);
			has_rule &= like_c == LIKE_C || !leads_to_struct(&child);
			is_known = read_parameter(m, &child, vaddr, one, where);
			/* those behind one of which it is not known are anywhere */
			if (!has_rule && where->where == DEBUG_BY_RULE)
				where->where = DEBUG_NOWHERE;
			has_rule &= is_known;
		} while (next_child(m, &child));
	}
	put_type(m, NULL, BTF_FUNC_PROTO, all.nr, false, result);
	for (i = 0; i < all.nr; i++) {
		buf_u32(&m->types, string_of(m, all.v[i].name));
		buf_u32(&m->types, all.v[i].type);
	}
	vec_free(&all);
}

/* A file of BTF of what was made. */
static void put_file(const struct maker *m, struct buf *out)
{
	buf_u16(out, 0xeb9f);
	buf_u16(out, 1);
	buf_u32(out, 24);
	buf_u32(out, 0);
	buf_u32(out, (u32)m->types.len);
	buf_u32(out, (u32)m->types.len);
	buf_u32(out, (u32)m->strings.len);
	buf_add(out, m->types.data, m->types.len);
	buf_add(out, m->strings.data, m->strings.len);
}

/* The function that begins there. -ENODATA: none is known; -ENOMEM. */
static int find_function(struct debug_source *s, u64 vaddr, struct debug_entry **out)
{
	struct debug_frame frames[FRAMES_MAX];
	int nr = s->info ? debuginfo_find(s->info, vaddr, frames, FRAMES_MAX) : 0;

	if (nr < 0)
		return nr;
	*out = nr ? frames[nr - 1].entry : NULL;
	return *out && debug_entry_begin(*out) == vaddr ? 0 : -ENODATA;
}

static bool is_failed(const struct maker *m)
{
	return m->failed || m->types.failed || m->strings.failed;
}

/* All that are pending, but for the first, which is made already. */
static int make_types(struct maker *m, struct debug_types *t, struct err *err)
{
	struct pending next;
	u32 i;

	for (i = 1; i < m->pending.nr && !is_failed(m); i++) {
		next = m->pending.v[i];
		put_one(m, &next.die, next.part);
	}
	m->failed = is_failed(m);
	if (!m->failed)
		put_file(m, &t->data);
	m->failed |= t->data.failed;
	buf_free(&m->types);
	buf_free(&m->strings);
	hmap_free(&m->ids);
	hmap_free(&m->definitions);
	vec_free(&m->defined);
	vec_free(&m->pending);
	if (!m->failed)
		return 0;
	debug_types_free(t);
	return err_nomem(err);
}

static struct maker maker_of(const struct btf *base)
{
	struct maker m = {.first = base ? btf_last(base) + 1 : 1,
			  .string_base = base ? base->strings_len : 0};

	buf_u8(&m.strings, 0);
	return m;
}

int debug_types_make(struct debug_types *t, struct debug_source *s, u64 vaddr,
		     const struct btf *base, const char *named, struct err *err)
{
	struct debug_entry *e;
	struct maker m;
	int ret = find_function(s, vaddr, &e);

	*t = (struct debug_types){0};
	if (ret == -ENOMEM)
		return err_nomem(err);
	if (ret)
		return err_set(err, ENODATA, "there is no debug information of this function");
	m = maker_of(base);
	t->function = id_of(&m, &e->die, SELF);
	if (!m.failed)
		put_function(&m, t, &e->die, vaddr);
	add_named(&m, &e->die, named);
	return make_types(&m, t, err);
}

/* What a list of variables is made of has no entry. */
static void put_variables(struct maker *m, const struct debug_variables *v)
{
	u32 i, type;

	put_type(m, NULL, BTF_FUNC_PROTO, v->v.nr, false, 0);
	for (i = 0; i < v->v.nr; i++) {
		type = type_of(m, &v->v.v[i].entry->die);
		buf_u32(&m->types, string_of(m, v->v.v[i].name));
		buf_u32(&m->types, type);
	}
}

int debug_types_make_of(struct debug_types *t, const struct debug_variables *v,
			const struct btf *base, const char *named, struct err *err)
{
	static const Dwarf_Die none;
	struct maker m = maker_of(base);

	*t = (struct debug_types){0};
	t->function = id_of(&m, &none, SELF);
	if (!m.failed)
		put_variables(&m, v);
	if (v->v.nr)
		add_named(&m, &v->v.v[0].entry->die, named);
	return make_types(&m, t, err);
}

void debug_types_free(struct debug_types *t)
{
	buf_free(&t->data);
	vec_free(&t->parameters);
}
