// SPDX-License-Identifier: GPL-2.0
#include "util/btf/btf.h"

#include <stdio.h>

/* Declarators and anonymous structs nest so deep. */
#define DEPTH_MAX 32
/* Types that are followed for one text: those of damaged data may refer to each other without end. */
#define STEPS_MAX      65536
#define DECLARATOR_MAX 4096

struct text {
	const struct btf *b;
	struct buf *out;
	u32 steps;
};

static void declare(struct text *x, u32 id, struct buf *inner, u32 depth, struct buf *out);

static void wrap(struct buf *inner, const char *before, const char *after)
{
	struct buf b = {0};

	buf_adds(&b, before);
	buf_add(&b, inner->data, inner->len);
	buf_adds(&b, after);
	buf_free(inner);
	*inner = b;
}

/* The kind that a qualifier belongs to: without further qualifiers. */
static enum btf_kind qualified(const struct btf *b, u32 id)
{
	struct btf_type t = btf_type(b, id);
	u32 depth;

	for (depth = 0; depth < DEPTH_MAX && (t.kind == BTF_CONST || t.kind == BTF_VOLATILE ||
					      t.kind == BTF_RESTRICT || t.kind == BTF_TYPE_TAG);
	     depth++)
		t = btf_type(b, t.type);
	return t.kind;
}

static void put_parameters(struct text *x, const struct btf_type *t, u32 first, u32 depth,
			   struct buf *out)
{
	struct btf_param p;
	struct buf name;
	u32 i;

	buf_addc(out, '(');
	for (i = first; i < t->vlen; i++) {
		p = btf_param(x->b, t, i);
		buf_adds(out, i > first ? ", " : "");
		if (!p.type) {
			buf_adds(out, "...");
			continue;
		}
		name = (struct buf){0};
		buf_adds(&name, p.name);
		declare(x, p.type, &name, depth, out);
		buf_free(&name);
	}
	buf_adds(out, first >= t->vlen ? "void)" : ")");
}

static void qualify(struct text *x, const struct btf_type *t, const char *word, struct buf *inner,
		    u32 depth, struct buf *out)
{
	bool of_pointer = qualified(x->b, t->type) == BTF_PTR;

	if (of_pointer && inner->len)
		wrap(inner, " ", "");
	if (of_pointer)
		wrap(inner, word, "");
	else
		buf_addf(out, "%s ", word);
	declare(x, t->type, inner, depth, out);
}

static void put_leaf(const char *keyword, const struct btf_type *t, const struct buf *inner,
		     struct buf *out)
{
	buf_addf(out, "%s%s", keyword, *t->name ? t->name : "{...}");
	if (inner->len) {
		buf_addc(out, ' ');
		buf_add(out, inner->data, inner->len);
	}
}

static void declare(struct text *x, u32 id, struct buf *inner, u32 depth, struct buf *out)
{
	struct btf_type t = btf_type(x->b, id);
	enum btf_kind to;

	if (++depth > DEPTH_MAX || ++x->steps > STEPS_MAX || inner->len > DECLARATOR_MAX)
		return;
	switch (t.kind) {
	case BTF_PTR:
		to = qualified(x->b, t.type);
		if (to == BTF_ARRAY || to == BTF_FUNC_PROTO)
			wrap(inner, "(*", ")");
		else
			wrap(inner, "*", "");
		declare(x, t.type, inner, depth, out);
		break;
	case BTF_CONST:
		qualify(x, &t, "const", inner, depth, out);
		break;
	case BTF_VOLATILE:
		qualify(x, &t, "volatile", inner, depth, out);
		break;
	case BTF_RESTRICT:
		qualify(x, &t, "restrict", inner, depth, out);
		break;
	case BTF_TYPE_TAG:
		declare(x, t.type, inner, depth, out);
		break;
	case BTF_ARRAY: {
		struct btf_array a = btf_array(x->b, &t);

		buf_addf(inner, "[%.0u]", a.nr);
		declare(x, a.type, inner, depth, out);
		break;
	}
	case BTF_FUNC:
	case BTF_VAR:
	case BTF_DECL_TAG:
		declare(x, t.type, inner, depth, out);
		break;
	case BTF_FUNC_PROTO:
		put_parameters(x, &t, 0, depth, inner);
		declare(x, t.type, inner, depth, out);
		break;
	case BTF_STRUCT:
		put_leaf("struct ", &t, inner, out);
		break;
	case BTF_UNION:
		put_leaf("union ", &t, inner, out);
		break;
	case BTF_FWD:
		put_leaf(t.flag ? "union " : "struct ", &t, inner, out);
		break;
	case BTF_ENUM:
	case BTF_ENUM64:
		put_leaf("enum ", &t, inner, out);
		break;
	case BTF_VOID:
		t.name = "void";
		put_leaf("", &t, inner, out);
		break;
	default:
		put_leaf("", &t, inner, out);
	}
}

static void declare_as(struct text *x, u32 id, const char *name)
{
	struct buf inner = {0};

	buf_adds(&inner, name);
	declare(x, id, &inner, 0, x->out);
	x->out->failed |= inner.failed;
	buf_free(&inner);
}

void btf_text_declare(const struct btf *b, u32 id, const char *name, struct buf *out)
{
	struct text x = {.b = b, .out = out};

	declare_as(&x, id, name);
}

/* ---- definitions ---- */

static bool is_aggregate(const struct btf_type *t)
{
	return t->kind == BTF_STRUCT || t->kind == BTF_UNION;
}

static void indent(struct buf *out, u32 depth)
{
	while (depth-- > 0)
		buf_adds(out, "    ");
}

/* The place of a member, in a comment of the same width for all. */
static void put_place(u32 bits, u32 bit_size, u64 size, struct buf *out)
{
	char place[32];

	if (bit_size)
		snprintf(place, sizeof(place), "%u:%u", bits / 8, bits % 8);
	else
		snprintf(place, sizeof(place), "%u", bits / 8);
	buf_addf(out, "/* %6s ", place);
	if (bit_size)
		buf_adds(out, "       */ ");
	else
		buf_addf(out, "%6llu */ ", (unsigned long long)size);
}

static void put_members(struct text *x, const struct btf_type *t, u32 bits, u32 depth)
{
	struct btf_member m;
	struct btf_type of;
	struct buf *out = x->out;
	u32 i;

	for (i = 0; i < t->vlen && ++x->steps < STEPS_MAX; i++) {
		m = btf_member(x->b, t, i);
		of = btf_type(x->b, m.type);
		put_place(bits + m.bit_offset, m.bit_size, btf_size(x->b, m.type), out);
		indent(out, depth);
		if (is_aggregate(&of) && !*of.name && depth < DEPTH_MAX) {
			buf_adds(out, of.kind == BTF_UNION ? "union {\n" : "struct {\n");
			put_members(x, &of, bits + m.bit_offset, depth + 1);
			buf_pad(out, ' ', 20);
			indent(out, depth);
			buf_addf(out, *m.name ? "} %s;\n" : "};\n", m.name);
			continue;
		}
		declare_as(x, m.type, m.name);
		if (m.bit_size)
			buf_addf(out, " : %u", m.bit_size);
		buf_adds(out, ";\n");
	}
}

static void put_enumerators(const struct btf *b, const struct btf_type *t, struct buf *out)
{
	struct btf_enumerator e;
	u32 i;

	for (i = 0; i < t->vlen; i++) {
		e = btf_enumerator(b, t, i);
		buf_addf(out, t->flag ? "    %s = %lld,\n" : "    %s = %llu,\n", e.name,
			 (unsigned long long)e.value);
	}
}

void btf_text_define(const struct btf *b, u32 id, struct buf *out)
{
	struct text x = {.b = b, .out = out};
	struct btf_type t = btf_type(b, id);

	switch (t.kind) {
	case BTF_STRUCT:
	case BTF_UNION:
		buf_addf(out, "%s %s {\n", t.kind == BTF_UNION ? "union" : "struct", t.name);
		put_members(&x, &t, 0, 1);
		buf_addf(out, "}; /* %u bytes */\n", t.size);
		break;
	case BTF_ENUM:
	case BTF_ENUM64:
		buf_addf(out, "enum %s {\n", t.name);
		put_enumerators(b, &t, out);
		buf_addf(out, "}; /* %u bytes */\n", t.size);
		break;
	case BTF_TYPEDEF:
		buf_adds(out, "typedef ");
		btf_text_declare(b, t.type, t.name, out);
		buf_addf(out, "; /* %llu bytes */\n", (unsigned long long)btf_size(b, id));
		break;
	default:
		btf_text_declare(b, id, t.name, out);
		buf_adds(out, ";\n");
	}
}

bool btf_text_tracepoint(const struct btf *b, const char *name, struct buf *out)
{
	struct text x = {.b = b, .out = out};
	struct btf_type t = btf_tracepoint(b, name);

	if (t.kind != BTF_FUNC_PROTO || !t.vlen)
		return false;
	buf_adds(out, name);
	/* the first is the probe's own */
	put_parameters(&x, &t, 1, 0, out);
	return true;
}
