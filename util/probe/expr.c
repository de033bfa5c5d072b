// SPDX-License-Identifier: GPL-2.0
#include "util/probe/expr_internal.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"

#define NODES_MAX 1000 /* of all fields together */

/* --- types --- */

/* The bytes are in the order of networks. */
static bool is_big_endian(const struct btf *b, u32 id)
{
	return btf_is_typedef(b, id, "__be16") || btf_is_typedef(b, id, "__be32") ||
	       btf_is_typedef(b, id, "__be64");
}

struct expr_type expr_type_of(const struct btf *b, u32 id)
{
	struct btf_type t = btf_resolve(b, id);
	struct expr_type x = {.size = (u32)MIN(btf_size(b, id), (u64)UINT32_MAX), .declared = id};

	switch (t.kind) {
	case BTF_INT:
		x.kind = EXPR_NUMBER;
		x.is_signed = btf_is_signed(b, &t);
		x.is_bool = !strcmp(t.name, "_Bool") || !strcmp(t.name, "bool");
		x.big_endian = is_big_endian(b, id);
		break;
	case BTF_ENUM:
	case BTF_ENUM64:
		x.kind = EXPR_NUMBER;
		x.of = t.id;
		x.is_signed = btf_is_signed(b, &t);
		break;
	case BTF_PTR:
		x.kind = EXPR_POINTER;
		x.size = sizeof(u64);
		x.of = t.type;
		break;
	case BTF_STRUCT:
	case BTF_UNION:
		x.kind = EXPR_STRUCT;
		x.of = t.id;
		break;
	case BTF_ARRAY:
		x.kind = EXPR_ARRAY;
		x.of = t.id;
		break;
	default:
		break;
	}
	/* integers of 16 bytes are structs to no one, and numbers to no one here */
	if (x.kind == EXPR_NUMBER && x.size > sizeof(u64))
		x.kind = EXPR_VOID;
	return x;
}

void expr_type_text(const struct btf *b, const struct expr_type *t, struct buf *out)
{
	if (t->declared)
		btf_text_declare(b, t->declared, "", out);
	else if (t->kind == EXPR_POINTER && t->of)
		btf_text_declare(b, t->of, "*", out);
	else
		buf_adds(out, t->kind == EXPR_POINTER ? "an address"
			      : t->is_signed          ? "s64"
						      : "u64");
}

struct expr_type expr_number_type(u32 size, bool is_signed)
{
	return (struct expr_type){.kind = EXPR_NUMBER, .size = size, .is_signed = is_signed};
}

/* --- nodes --- */

struct expr *expr_add(struct expr_scope *s, enum expr_op op, struct expr_type type,
		      const struct expr *a, const struct expr *b, struct err *err)
{
	struct expr *e;

	/* each is work for the kernel, and a call of a function here */
	if (s->nodes++ == NODES_MAX) {
		err_set(err, EINVAL, "the expressions are too long");
		return NULL;
	}
	e = arena_alloc(s->arena, sizeof(*e));
	if (!e) {
		s->no_memory = true;
		err_nomem(err);
		return NULL;
	}
	*e = (struct expr){.op = op,
			   .type = type,
			   .a = a,
			   .b = b,
			   .of_user = (a && a->of_user) || (b && b->of_user)};
	return e;
}

struct expr_type expr_element_type(const struct btf *b, const struct expr_type *array)
{
	struct btf_type t = btf_type(b, array->of);

	return expr_type_of(b, btf_array(b, &t).type);
}

static struct expr *make(struct arena *arena, enum expr_op op, struct expr_type type)
{
	struct expr *e = arena_alloc(arena, sizeof(*e));

	if (e)
		*e = (struct expr){.op = op, .type = type};
	return e;
}

static const struct expr *make_at(struct arena *arena, enum expr_op op, struct expr_type type,
				  u32 at)
{
	struct expr *e = make(arena, op, type);

	if (e)
		e->value = at;
	return e;
}

const struct expr *expr_context(struct arena *arena, struct expr_type type, u32 at)
{
	return make_at(arena, EXPR_CONTEXT, type, at);
}

const struct expr *expr_word(struct arena *arena, struct expr_type type, u32 at)
{
	return make_at(arena, EXPR_WORD, type, at);
}

const struct expr *expr_constant(struct arena *arena, struct expr_type type, u64 v)
{
	struct expr *e = make(arena, EXPR_CONSTANT, type);
	const u32 unused = type.size && type.size < sizeof(v) ? 64 - type.size * 8 : 0;

	if (e)
		e->value = type.is_signed ? (u64)((s64)(v << unused) >> unused)
					  : v << unused >> unused;
	return e;
}

const struct expr *expr_sum(struct arena *arena, const struct expr *a, const struct expr *b)
{
	return b ? expr_operation(arena, '+', a, b) : NULL;
}

const struct expr *expr_operation(struct arena *arena, char sign, const struct expr *a,
				  const struct expr *b)
{
	struct expr *e =
		a ? make(arena, b ? EXPR_BINARY : EXPR_UNARY, expr_long_type(false)) : NULL;

	if (e) {
		e->sign = sign;
		e->a = a;
		e->b = b;
	}
	return e;
}

const struct expr *expr_cast(struct arena *arena, struct expr_type type, const struct expr *a)
{
	struct expr *e = a ? make(arena, EXPR_CAST, type) : NULL;

	if (e)
		e->a = a;
	return e;
}

const struct expr *expr_of_user(struct arena *arena, const struct expr *a)
{
	struct expr *e = a ? make(arena, EXPR_CAST, a->type) : NULL;

	if (e) {
		e->a = a;
		e->of_user = true;
	}
	return e;
}

const struct expr *expr_at(struct arena *arena, u64 cookie, const struct expr *a,
			   const struct expr *b)
{
	struct expr *e = a ? make(arena, EXPR_AT, a->type) : NULL;

	if (e) {
		e->value = cookie;
		e->a = a;
		e->b = b;
	}
	return e;
}

const struct expr *expr_address(struct arena *arena, const struct expr *place)
{
	struct expr *e = make(arena, EXPR_ADDRESS, expr_long_type(false));

	if (e) {
		e->a = place;
		e->of_user = place->of_user;
	}
	return e;
}

const struct expr *expr_memory(struct arena *arena, struct expr_type type,
			       const struct expr *address)
{
	struct expr *e = address ? make(arena, EXPR_FOLLOW, type) : NULL;

	if (e) {
		e->is_place = true;
		e->a = address;
	}
	return e;
}

const struct expr *expr_follow(struct expr_scope *s, const struct expr *a, struct err *err)
{
	struct expr *e = expr_add(s, EXPR_FOLLOW, expr_type_of(s->btf, a->type.of), a, NULL, err);

	if (e)
		e->is_place = true;
	return e;
}

static void suggest_members(const struct btf *b, u32 of, struct text_suggest *suggest,
			    unsigned int depth)
{
	struct btf_type t = btf_resolve(b, of);
	struct btf_member m;
	u32 i;

	if ((t.kind != BTF_STRUCT && t.kind != BTF_UNION) || depth > 8)
		return;
	for (i = 0; i < t.vlen; i++) {
		m = btf_member(b, &t, i);
		if (*m.name)
			text_suggest_add(suggest, m.name);
		else
			suggest_members(b, m.type, suggest, depth + 1);
	}
}

#define MEMBERS_SHOWN 12u

static void list_members(const struct btf *b, u32 of, u32 depth, u32 *nr, struct buf *out)
{
	struct btf_type t = btf_resolve(b, of);
	struct btf_member m;
	u32 i;

	if ((t.kind != BTF_STRUCT && t.kind != BTF_UNION) || depth > 8)
		return;
	for (i = 0; i < t.vlen && *nr <= MEMBERS_SHOWN; i++) {
		m = btf_member(b, &t, i);
		if (!*m.name)
			list_members(b, m.type, depth + 1, nr, out);
		else if (++*nr > MEMBERS_SHOWN)
			buf_adds(out, " ...");
		else
			buf_addf(out, "%s%s", *nr > 1 ? ", " : "", m.name);
	}
}

void expr_members_hint(const struct btf *b, u32 of, bool of_kernel, struct buf *out)
{
	const struct expr_type type = expr_type_of(b, of);
	u32 nr = 0;

	/* a program may have a type of the same name */
	if (of_kernel || (b->base && of <= btf_last(b->base))) {
		buf_adds(out, "perf-lite list -v '");
		expr_type_text(b, &type, out);
		buf_adds(out, "' shows them");
		return;
	}
	buf_adds(out, "they are ");
	list_members(b, of, 0, &nr, out);
	if (!nr)
		buf_adds(out, "none");
}

static const struct expr *no_member(struct expr_scope *s, const struct expr_type *of,
				    const char *name, struct err *err)
{
	struct text_suggest suggest;
	struct buf type = {0}, members = {0};

	expr_type_text(s->btf, of, &type);
	text_suggest_init(&suggest, name);
	suggest_members(s->btf, of->of, &suggest, 0);
	err_set(err, EINVAL, "%s has no member '%s'", buf_str(&type), name);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		expr_members_hint(s->btf, of->of, s->has_task, &members);
	if (members.len)
		err_hint(err, "name one of its members; %s", buf_str(&members));
	buf_free(&members);
	buf_free(&type);
	return NULL;
}

const struct expr *expr_member(struct expr_scope *s, const struct expr *a, const char *name,
			       struct err *err)
{
	struct btf_member m;
	struct buf type = {0};
	struct expr *e;

	if (a->type.kind == EXPR_POINTER)
		a = expr_follow(s, a, err);
	if (!a)
		return NULL;
	if (a->type.kind != EXPR_STRUCT || !a->is_place) {
		expr_type_text(s->btf, &a->type, &type);
		err_set(err, EINVAL, "this is %s, which has no members", buf_str(&type));
		buf_free(&type);
		return NULL;
	}
	if (!btf_find_member(s->btf, a->type.of, name, &m))
		return no_member(s, &a->type, name, err);
	e = expr_add(s, EXPR_MEMBER, expr_type_of(s->btf, m.type), a, NULL, err);
	if (!e)
		return NULL;
	e->is_place = true;
	e->offset = m.bit_offset / 8;
	if (m.bit_size && e->type.size) {
		/* a number, whatever the order of the bytes around it */
		e->type.big_endian = false;
		e->offset = m.bit_offset / 8 / e->type.size * e->type.size;
		e->bit_offset = (u8)(m.bit_offset - e->offset * 8);
		e->bit_size = (u8)m.bit_size;
		/* of a packed one that begins in one unit and ends in the next, where its first byte is */
		if (e->bit_offset + m.bit_size > 8 * e->type.size) {
			e->offset = m.bit_offset / 8;
			e->bit_offset = (u8)(m.bit_offset % 8);
		}
		if (e->bit_offset + m.bit_size > 64) {
			err_set(err, ENOTSUP,
				"'%s' is a bit-field in nine bytes, of which eight can be read",
				name);
			return NULL;
		}
	}
	return e;
}
