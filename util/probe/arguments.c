// SPDX-License-Identifier: GPL-2.0
#include "util/probe/arguments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORD        8u
#define SPARE_WORDS 6u /* arg1, ..., as at probes */
#define STRUCT_WHY  "a struct of so few bytes is passed in registers"

static int add(struct arguments *l, const char *name, const struct expr *e, const char *why,
	       struct err *err)
{
	struct expr_argument *a = name && (e || why) ? vec_push(&l->v) : NULL;

	if (!a)
		return err_nomem(err);
	*a = (struct expr_argument){.name = name, .e = e, .why = why};
	return 0;
}

void arguments_free(struct arguments *l)
{
	vec_free(&l->v);
}

int arguments_tracepoint(struct arguments *l, const struct btf *b, const struct btf_type *function,
			 struct err *err)
{
	struct btf_param param;
	int ret = 0;
	u32 i;

	for (i = 1; i < function->vlen && !ret; i++) {
		param = btf_param(b, function, i);
		ret = add(l, param.name,
			  expr_context(l->arena, expr_type_of(b, param.type), (i - 1) * WORD), NULL,
			  err);
	}
	return ret;
}

/* The one of that name, or a new one. NULL: memory is out. */
static struct expr_argument *put(struct arguments *l, const char *name)
{
	struct expr_argument *a;

	for (a = l->v.v; a < l->v.v + l->v.nr; a++)
		if (!strcmp(a->name, name))
			return a;
	a = vec_push(&l->v);
	if (a)
		*a = (struct expr_argument){.name = name, .spare = true};
	return a;
}

static int add_field(struct arguments *l, const struct btf *b, const char *name, const char *text,
		     struct err *err)
{
	struct expr_scope scope = {.btf = b,
				   .arguments = l->v.v,
				   .nr_arguments = l->v.nr,
				   .has_task = true,
				   .arena = l->arena};
	struct err lacking = {0};
	const struct expr *e = name && text ? expr_parse(&scope, &text, &lacking) : NULL;
	struct expr_argument *to = e ? put(l, name) : NULL;

	if (!name || !text || scope.no_memory || (e && !to))
		return err_nomem(err);
	if (to)
		to->e = e;
	return 0;
}

int arguments_fields(struct arguments *l, const struct btf *b, const struct tp_format *own,
		     const char *fields, struct err *err)
{
	const struct tp_field *field;
	size_t len, name;
	int ret = 0;
	char *text;

	for (; own && fields && *fields && !ret; fields += len + (fields[len] == ',')) {
		len = strcspn(fields, ",");
		name = strcspn(fields, "=,");
		if (name == len)
			continue;
		text = arena_strndup(l->arena, fields, len);
		if (!text)
			return err_nomem(err);
		text[name] = '\0';
		field = tp_format_field(own, text);
		ret = field ? add_field(l, b, text, text + name + 1, err) : 0;
	}
	return ret;
}

bool arguments_is_field(const char *fields, const char *name)
{
	const size_t n = strlen(name);

	for (; *fields; fields += strcspn(fields, ","), fields += *fields == ',')
		if (!strncmp(fields, name, n) && strchr("=,", fields[n]))
			return true;
	return false;
}

/* The value of a register; of one that is not known, NULL. */
static const struct expr *in_register(struct arguments *l, const struct arch_call *call,
				      struct expr_type type, u64 dwarf)
{
	u32 at;

	return arch_call_register(call, dwarf, &at) ? expr_context(l->arena, type, at) : NULL;
}

int arguments_registers(struct arguments *l, const struct arch_call *call, bool at_return,
			struct err *err)
{
	const struct expr_type word = expr_number_type(WORD, true);
	const u32 before = l->v.nr;
	u32 i;
	int ret;

	l->registers = call;
	if (at_return)
		return before ? 0
			      : add(l, "retval", in_register(l, call, word, call->result), NULL,
				    err);
	for (i = 0; i < call->nr_arguments; i++) {
		ret = add(l, arena_printf(l->arena, "arg%u", i + 1),
			  in_register(l, call, word, call->arguments[i]), NULL, err);
		if (ret)
			return ret;
		l->v.v[l->v.nr - 1].spare = before > 0;
	}
	return 0;
}

/* --- by the rules of calls --- */

#define PLAIN_STEPS 256u

struct call {
	struct arguments *l;
	const struct arch_call *rules;
	const struct btf *b;
	u32 next;     /* register */
	u32 stack;    /* bytes of the stack that are taken */
	bool unknown; /* what follows is anywhere */
};

/* `align`: a multiple of words. The stack is aligned to two of them where the arguments begin. */
static const struct expr *on_stack(struct call *c, struct expr_type type, u32 align)
{
	const u32 size = (type.size + WORD - 1) / WORD * WORD;
	const bool is_behind = c->rules->is_big_endian && type.size < WORD;
	const struct expr *sp =
		in_register(c->l, c->rules, expr_number_type(WORD, false), c->rules->sp);
	u32 at;

	c->stack = ALIGN_UP(c->stack, align);
	at = c->rules->stack + c->stack + (is_behind ? WORD - type.size : 0);
	c->stack += size;
	return expr_memory(c->l->arena, type,
			   expr_sum(c->l->arena, sp,
				    expr_constant(c->l->arena, expr_number_type(WORD, true), at)));
}

static const struct expr *next_word(struct call *c, struct expr_type type)
{
	return c->next < c->rules->nr_arguments
		       ? in_register(c->l, c->rules, type, c->rules->arguments[c->next++])
		       : on_stack(c, type, WORD);
}

/* Are all members numbers and pointers where such belong? Others are passed in ways of their own. */
static bool is_plain(const struct btf *b, u32 id, u32 depth, u32 *steps)
{
	const struct btf_type t = btf_resolve(b, id);
	struct btf_member member;
	bool plain = depth <= 8 && ++*steps <= PLAIN_STEPS;
	u32 i, size;

	switch (t.kind) {
	case BTF_INT:
	case BTF_PTR:
	case BTF_ENUM:
	case BTF_ENUM64:
		return plain && btf_size(b, t.id) <= WORD;
	case BTF_ARRAY:
		return plain && is_plain(b, btf_array(b, &t).type, depth + 1, steps);
	case BTF_STRUCT:
	case BTF_UNION:
		break;
	default:
		return false;
	}
	for (i = 0; i < t.vlen && plain; i++) {
		member = btf_member(b, &t, i);
		size = btf_size(b, member.type);
		/* packed */
		plain = member.bit_size || !size || size > WORD || size & (size - 1) ||
			!(member.bit_offset % (size * 8));
		plain = plain && is_plain(b, member.type, depth + 1, steps);
	}
	return plain && t.vlen;
}

/*
 * A struct of up to two words is in registers as its members are, a larger one in memory. `align` 0: it has vectors, which have
 * registers of their own, or is aligned in a way that is not known.
 */
static const struct expr *pass_struct(struct call *c, u32 id, u32 align, const char **why)
{
	const struct expr_type type = expr_type_of(c->b, id);
	const u32 words = (type.size + WORD - 1) / WORD;
	u32 steps = 0;
	const bool plain = is_plain(c->b, id, 0, &steps);

	if (words > 2 && c->rules->on_stack && align && align <= 2 * WORD && !(align & (align - 1)))
		return on_stack(c, type, MAX(align, WORD));
	if (words > 2 && c->rules->by_reference && plain)
		return expr_memory(c->l->arena, type, next_word(c, expr_number_type(WORD, false)));
	*why = STRUCT_WHY;
	if (words > 2 || !plain || !(c->rules->on_stack || c->rules->by_reference) ||
	    c->next + words > c->rules->nr_arguments)
		c->unknown = true;
	else
		c->next += words;
	return NULL;
}

static const struct expr *pass(struct call *c, u32 id, u32 align, const char **why)
{
	const struct expr_type type = expr_type_of(c->b, id);
	const bool is_float = btf_resolve(c->b, id).kind == BTF_FLOAT;

	if (c->unknown) {
		*why = "it follows one, or a result, of which it is not known which registers it takes";
		return NULL;
	}
	switch (type.kind) {
	case EXPR_NUMBER:
	case EXPR_POINTER:
		return next_word(c, type);
	case EXPR_STRUCT:
		return pass_struct(c, id, align, why);
	default:
		*why = is_float ? "floating-point numbers are in registers that probes do not see"
				: "it is of no type that can be read";
		c->unknown = !is_float || type.size > WORD || btf_size(c->b, id) > WORD ||
			     c->rules->floats_take_words;
		return NULL;
	}
}

static int add_result(struct call *c, u32 type, struct err *err)
{
	const struct expr_type of = expr_type_of(c->b, type);
	const bool is_word = of.kind == EXPR_NUMBER || of.kind == EXPR_POINTER;

	return add(c->l, "retval",
		   is_word ? in_register(c->l, c->rules, of, c->rules->result) : NULL,
		   is_word ? NULL
		   : type  ? "a result of this type is not in the register that probes see"
			   : "the function returns nothing",
		   err);
}

/* Where DWARF says that a parameter is. */
static const struct expr *find_located(struct call *c, u32 id, const struct debug_location *where,
				       const char **why)
{
	const struct expr_type type = expr_type_of(c->b, id), word = expr_number_type(WORD, false);
	const bool of_cfa = where->reg == DEBUG_CFA;
	const struct expr *e;
	u32 at;

	*why = "where it is is not known; it may be optimised out";
	if (where->where == DEBUG_NOWHERE)
		return NULL;
	if (where->where == DEBUG_CONSTANT)
		return type.kind == EXPR_NUMBER || type.kind == EXPR_POINTER
			       ? expr_constant(c->l->arena, type, (u64)where->offset)
			       : NULL;
	*why = type.kind == EXPR_STRUCT ? STRUCT_WHY : "it is in registers that probes do not see";
	if (where->where == DEBUG_IN_REGISTER)
		return type.kind == EXPR_NUMBER || type.kind == EXPR_POINTER
			       ? in_register(c->l, c->rules, type, where->reg)
			       : NULL;
	if (!arch_call_register(c->rules, of_cfa ? c->rules->sp : where->reg, &at))
		return NULL;
	e = expr_sum(c->l->arena, expr_context(c->l->arena, word, at),
		     expr_constant(c->l->arena, expr_number_type(WORD, true),
				   (u64)where->offset + (of_cfa ? c->rules->cfa : 0)));
	return expr_memory(c->l->arena, type, e);
}

static int add_parameter(struct call *c, const struct btf_param *param,
			 const struct debug_location *where, struct err *err)
{
	const char *why = NULL;
	/* also those that are elsewhere take their registers */
	const struct expr *e = pass(c, param->type, where ? where->align : WORD, &why);

	if (where && where->where != DEBUG_BY_RULE) {
		why = NULL;
		e = find_located(c, param->type, where, &why);
	}
	if (!*param->name)
		return 0;
	return add(c->l, arena_strdup(c->l->arena, param->name), e, e ? NULL : why, err);
}

/* Is a number at a place that is no multiple of its size, from bit `at` of what is passed on? Of up to two words. */
static bool is_unaligned(const struct btf *b, u32 id, u32 at, u32 *steps)
{
	const struct btf_type t = btf_resolve(b, id);
	const u32 size = btf_size(b, t.id);
	struct btf_member member;
	struct btf_array array;
	u32 i, of;

	if (++*steps > PLAIN_STEPS)
		return false;
	switch (t.kind) {
	case BTF_STRUCT:
	case BTF_UNION:
		for (i = 0; i < t.vlen; i++) {
			member = btf_member(b, &t, i);
			if (!member.bit_size &&
			    is_unaligned(b, member.type, at + member.bit_offset, steps))
				return true;
		}
		return false;
	case BTF_ARRAY:
		array = btf_array(b, &t);
		of = btf_size(b, array.type);
		for (i = 0; i < array.nr && of && i < 2 * WORD / of; i++)
			if (is_unaligned(b, array.type, at + 8 * i * of, steps))
				return true;
		return false;
	default:
		return size && !(size & (size - 1)) && at % (8 * size);
	}
}

/* Does its address come first? By the classes of x86-64: of numbers, whatever their size, it does not. */
static void begin_registers(struct call *c, const struct arguments_function *f, u32 result)
{
	const struct expr_type type = expr_type_of(f->b, result);
	const u32 size = btf_size(f->b, result);
	u32 steps = 0;

	if (!c->rules->hides_result)
		return;
	c->next = f->hides_result;
	if (type.kind != EXPR_STRUCT) {
		/* elsewhere some are in memory; of vectors, those for which the program may not use registers (-mavx) */
		c->unknown = size > 2 * WORD && (!c->rules->on_stack || type.kind == EXPR_ARRAY);
	} else if (!c->rules->on_stack) {
		/* where some results are in memory and others are not, of the same size */
		c->unknown = true;
		c->next |= size > 2 * WORD;
	} else if (f->where && !f->result_align) {
		c->unknown = !f->hides_result;
	} else {
		c->next |= size > 2 * WORD || is_unaligned(f->b, result, 0, &steps);
	}
}

int arguments_typed(struct arguments *l, const struct arch_call *call,
		    const struct arguments_function *f, bool at_return, struct err *err)
{
	const struct btf_type function = btf_type(f->b, f->id);
	struct call c = {.l = l, .rules = call, .b = f->b};
	struct btf_param param;
	int ret = 0;
	u32 i;

	if (at_return)
		return add_result(&c, function.type, err);
	begin_registers(&c, f, function.type);
	for (i = 0; i < function.vlen && !ret; i++) {
		param = btf_param(f->b, &function, i);
		ret = add_parameter(&c, &param, f->where ? &f->where[i] : NULL, err);
	}
	return ret;
}

/* --- variables --- */

struct variables {
	struct arguments *l;
	const struct arch_call *call;
	const struct arguments_variables *of;
};

/* The address in the process: the instruction pointer tells how far away the image is. */
static const struct expr *at_static(const struct variables *x, u64 vaddr, u64 place)
{
	struct arena *a = x->l->arena;

	return expr_sum(a, expr_context(a, expr_number_type(WORD, false), x->call->ip),
			expr_constant(a, expr_number_type(WORD, true), vaddr - place));
}

static const struct expr *push_of(const struct variables *x, const struct debug_step *s, u64 place)
{
	struct arena *a = x->l->arena;
	const struct expr_type word = expr_number_type(WORD, false);
	const struct expr *e;

	if (s->kind == DEBUG_STEP_NUMBER)
		return expr_constant(a, word, (u64)s->v);
	if (s->kind == DEBUG_STEP_STATIC)
		return at_static(x, (u64)s->v, place);
	e = in_register(x->l, x->call, word, s->reg);
	return s->v ? expr_sum(a, e, expr_constant(a, expr_number_type(WORD, true), (u64)s->v)) : e;
}

/* Comparisons are of numbers with a sign (DWARF 5, 2.5.1.5), and so is one of the two shifts. */
static const struct expr *apply(struct arena *a, char sign, const struct expr *left,
				const struct expr *right)
{
	const struct expr_type with_sign = expr_number_type(WORD, true);
	const struct expr_type word = expr_number_type(WORD, false);

	if (!strchr("s<>{}=n", sign))
		return expr_operation(a, sign, left, right);
	left = expr_cast(a, with_sign, left);
	right = right ? expr_cast(a, with_sign, right) : NULL;
	return right ? expr_cast(a, word, expr_operation(a, sign == 's' ? 'r' : sign, left, right))
		     : NULL;
}

/* NULL: memory is out, or a register is not known. */
static const struct expr *run_steps(const struct variables *x, const struct debug_spot *spot,
				    u64 place)
{
	const struct expr *stack[32], *e;
	const struct debug_step *s = x->of->v->steps.v + spot->first, *end = s + spot->nr;
	struct arena *a = x->l->arena;
	u32 nr = 0;

	for (; s < end && nr < ARRAY_SIZE(stack); s++) {
		switch (s->kind) {
		case DEBUG_STEP_READ:
			e = expr_memory(a, expr_number_type(s->size, false), stack[--nr]);
			break;
		case DEBUG_STEP_UNARY:
			e = expr_operation(a, s->sign, stack[--nr], NULL);
			break;
		case DEBUG_STEP_CONVERT:
			e = expr_cast(a, expr_number_type(s->size, s->is_signed), stack[--nr]);
			/* shifts and sums are of words */
			e = expr_cast(a, expr_number_type(WORD, false), e);
			break;
		case DEBUG_STEP_BINARY:
			nr -= 2;
			e = apply(a, s->sign, stack[nr], stack[nr + 1]);
			break;
		default:
			e = push_of(x, s, place);
		}
		if (!e)
			return NULL;
		stack[nr++] = e;
	}
	return nr == 1 ? stack[0] : NULL;
}

static bool is_word(const struct expr_type *t)
{
	return t->kind == EXPR_NUMBER || t->kind == EXPR_POINTER;
}

static const struct debug_spot *spot_of(const struct variables *x, u32 nr, u32 place)
{
	return &x->of->v->spots.v[nr * x->of->nr + place];
}

/* Are all that are anywhere in memory? */
static bool is_in_memory(const struct variables *x, u32 nr)
{
	enum debug_spot_kind kind;
	u32 i;

	for (i = 0; i < x->of->nr; i++) {
		kind = spot_of(x, nr, i)->kind;
		if (kind == DEBUG_SPOT_REGISTER || kind == DEBUG_SPOT_VALUE)
			return false;
	}
	return true;
}

/* Of a variable at a place: the address, or the value. NULL: there is none. */
static const struct expr *find_spot(const struct variables *x, u32 nr, u32 place, bool address,
				    struct expr_type type)
{
	const struct debug_spot *spot = spot_of(x, nr, place);
	const struct expr *e;

	if (spot->kind == DEBUG_SPOT_NOWHERE || (!address && !is_word(&type)))
		return NULL;
	e = run_steps(x, spot, x->of->places[place].vaddr);
	if (address)
		return e;
	if (spot->kind == DEBUG_SPOT_MEMORY)
		return expr_memory(x->l->arena, type, e);
	/* what is above the value in a register is anything, which would make it true */
	if (type.is_bool)
		e = expr_cast(x->l->arena, expr_number_type(type.size, false), e);
	return expr_cast(x->l->arena, type, e);
}

static bool is_same_step(const struct debug_step *s, const struct debug_step *t)
{
	/* the distance to what is static differs */
	return s->kind != DEBUG_STEP_STATIC && s->kind == t->kind && s->sign == t->sign &&
	       s->is_signed == t->is_signed && s->size == t->size && s->reg == t->reg &&
	       s->v == t->v;
}

static bool is_same_spot(const struct variables *x, u32 nr, u32 a, u32 b)
{
	const struct debug_spot *s = spot_of(x, nr, a), *t = spot_of(x, nr, b);
	const struct debug_step *v = x->of->v->steps.v;
	u32 i;

	if (s->kind != t->kind || s->nr != t->nr)
		return false;
	for (i = 0; i < s->nr; i++)
		if (!is_same_step(&v[s->first + i], &v[t->first + i]))
			return false;
	return true;
}

/* Each spot that there is, once, and the places that have it. `done` is by place. */
static const struct expr *choose_spot(const struct variables *x, u32 nr, bool address,
				      struct expr_type type, bool *done)
{
	const struct expr *e, *all = NULL;
	u32 i, j, nr_done = 0, same;

	memset(done, 0, x->of->nr * sizeof(*done));
	for (i = 0; i < x->of->nr; i++) {
		e = done[i] ? NULL : find_spot(x, nr, i, address, type);
		if (!e)
			continue;
		for (same = 1, j = i + 1; j < x->of->nr; j++)
			same += is_same_spot(x, nr, i, j);
		nr_done += same;
		/* the last one needs no question, if nothing is left */
		if (!all && nr_done == x->of->nr)
			return e;
		for (j = i; j < x->of->nr; j++) {
			if (j != i && !is_same_spot(x, nr, i, j))
				continue;
			done[j] = true;
			all = expr_at(x->l->arena, x->of->cookies[j], e, all);
		}
	}
	return all;
}

static int add_variable(const struct variables *x, u32 nr, const char *name, struct expr_type type,
			bool *done, struct err *err)
{
	const struct debug_variable *v = &x->of->v->v.v[nr];
	const bool in_memory = is_in_memory(x, nr);
	const struct expr *e = NULL;
	const char *why = v->why;

	if (!why) {
		e = choose_spot(x, nr, in_memory, type, done);
		if (in_memory)
			e = expr_memory(x->l->arena, type, e);
	}
	if (!e && !why)
		why = is_word(&type) ? "it is in registers that probes do not see"
		      : type.kind == EXPR_VOID
			      ? "it is of no type that can be read"
			      : "it is in registers, of which members cannot be read";
	return add(x->l, name, e, e ? NULL : arena_strdup(x->l->arena, why), err);
}

int arguments_variables(struct arguments *l, const struct arch_call *call,
			const struct arguments_variables *of, struct err *err)
{
	const struct variables x = {.l = l, .call = call, .of = of};
	const struct btf_type all = btf_type(of->b, of->id);
	bool *done = calloc(of->nr + 1, sizeof(*done));
	struct btf_param param;
	int ret = done ? 0 : err_nomem(err);
	u32 i;

	for (i = 0; i < all.vlen && !ret; i++) {
		param = btf_param(of->b, &all, i);
		ret = add_variable(&x, i, arena_strdup(l->arena, param.name),
				   expr_type_of(of->b, param.type), done, err);
	}
	free(done);
	return ret;
}

/* --- tracing programs --- */

/* arg1, ... of those that have a word each. */
static int add_spare_words(struct arguments *l, u32 nr, struct err *err)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		ret = add(l, arena_printf(l->arena, "arg%u", i + 1),
			  expr_word(l->arena, expr_number_type(WORD, true), i * WORD), NULL, err);
		if (!ret)
			l->v.v[l->v.nr - 1].spare = true;
	}
	return ret;
}

static int add_word_result(struct arguments *l, const struct btf *b, u32 id, u32 words,
			   struct err *err)
{
	const struct expr_type type = expr_type_of(b, id);

	return add(l, "retval", is_word(&type) ? expr_word(l->arena, type, words * WORD) : NULL,
		   is_word(&type) ? NULL
		   : id           ? "a result of this type is not given to programs"
				  : "the function returns nothing",
		   err);
}

/* Source: btf_distill_func_proto() in kernel/bpf/btf.c: small structs have as many words as they need. */
int arguments_words(struct arguments *l, const struct btf *b, u32 prototype, bool at_return,
		    struct err *err)
{
	const struct btf_type function = btf_type(b, prototype);
	struct expr_type type;
	struct btf_param param;
	u32 i, words = 0;
	int ret = 0;

	for (i = 0; i < function.vlen && !ret; i++) {
		param = btf_param(b, &function, i);
		type = expr_type_of(b, param.type);
		if (*param.name)
			ret = add(l, arena_strdup(l->arena, param.name),
				  is_word(&type) ? expr_word(l->arena, type, words * WORD) : NULL,
				  is_word(&type) ? NULL : STRUCT_WHY, err);
		words += is_word(&type) ? 1 : (type.size + WORD - 1) / WORD;
	}
	if (!ret && at_return)
		ret = add_word_result(l, b, function.type, words, err);
	return ret ? ret : add_spare_words(l, MIN(words, SPARE_WORDS), err);
}

/* --- static probes --- */

struct operand {
	struct arguments *l;
	const struct arch_call *call;
	const char *p;
	bool bad;   /* it is not understood */
	bool sized; /* it says how large it is */
};

static void skip_blanks(struct operand *o)
{
	while (*o->p == ' ')
		o->p++;
}

static bool take(struct operand *o, char c)
{
	if (*o->p != c)
		return false;
	o->p++;
	return true;
}

static s64 take_number(struct operand *o)
{
	char *end;
	s64 v = *o->p == '-' ? strtoll(o->p, &end, 0) : (s64)strtoull(o->p, &end, 0);

	o->bad |= end == o->p;
	o->p = end;
	return v;
}

static const struct expr *take_register(struct operand *o, struct expr_type type)
{
	size_t len = 0;
	u32 dwarf, size;

	take(o, '%');
	while (isalnum((u8)o->p[len]))
		len++;
	o->bad |= !arch_call_named(o->call, o->p, len, &dwarf, &size);
	if (o->bad)
		return NULL;
	o->p += len;
	return in_register(o->l, o->call, type, dwarf);
}

static const struct expr *times(struct operand *o, const struct expr *e, s64 scale)
{
	const struct expr *sum = e;
	s64 i;

	o->bad |= scale < 1 || scale > 8;
	for (i = 1; i < scale && !o->bad; i++)
		sum = expr_sum(o->l->arena, sum, e);
	return sum;
}

/* "BASE, INDEX, SCALE)" or "BASE, OFFSET]", and what is added to it; each part may lack. */
static const struct expr *take_place(struct operand *o, struct expr_type type, s64 offset,
				     char close)
{
	const struct expr_type word = expr_number_type(WORD, false);
	const struct expr *address = *o->p == ',' ? NULL : take_register(o, word), *index;
	s64 scale = 1;

	if (take(o, ',')) {
		skip_blanks(o);
		take(o, '#');
		if (isdigit((u8)*o->p) || *o->p == '-') {
			offset += take_number(o);
		} else {
			index = take_register(o, word);
			if (take(o, ','))
				scale = take_number(o);
			index = o->bad ? NULL : times(o, index, scale);
			address = address ? expr_sum(o->l->arena, address, index) : index;
		}
	}
	o->bad |= !take(o, close);
	if (o->bad)
		return NULL;
	return expr_memory(
		o->l->arena, type,
		expr_sum(o->l->arena, address,
			 expr_constant(o->l->arena, expr_number_type(WORD, true), (u64)offset)));
}

/* "$5", "5", "%edi", "x0", "-8(%rbp)", "(%rax,%rbx,4)", "[sp, 16]" */
static const struct expr *take_operand(struct operand *o, struct expr_type type)
{
	s64 v = 0;

	if (take(o, '['))
		return take_place(o, type, 0, ']');
	if (take(o, '$') || isdigit((u8)*o->p) || *o->p == '-') {
		v = take_number(o);
		if (!take(o, '('))
			return expr_constant(o->l->arena,
					     o->sized ? type : expr_number_type(WORD, true),
					     (u64)v);
		return take_place(o, type, v, ')');
	}
	return take(o, '(') ? take_place(o, type, 0, ')') : take_register(o, type);
}

/* Read one "SIZE@OPERAND"; NULL and o->bad: it is none that is known. */
static const struct expr *take_argument(struct operand *o)
{
	const struct expr *e;
	s64 size = 8;

	if (o->p[strcspn(o->p, "@ ")] == '@' && (isdigit((u8)*o->p) || *o->p == '-')) {
		size = take_number(o);
		o->bad |= !take(o, '@');
		o->sized = true;
	}
	o->bad |= size != 1 && size != 2 && size != 4 && size != 8 && size != -1 && size != -2 &&
		  size != -4 && size != -8;
	if (o->bad)
		return NULL;
	e = take_operand(o, expr_number_type((u32)(size < 0 ? -size : size), size < 0));
	o->bad |= *o->p && *o->p != ' ';
	return o->bad ? NULL : e;
}

/* To the next argument: behind a blank that is in no brackets. */
static const char *next_argument(const char *p)
{
	u32 depth = 0;

	for (; *p && (*p != ' ' || depth); p++) {
		depth += *p == '[' || *p == '(';
		depth -= depth && (*p == ']' || *p == ')');
	}
	while (*p == ' ')
		p++;
	return p;
}

int arguments_usdt(struct arguments *l, const struct arch_call *call, const char *text,
		   struct err *err)
{
	const char *p = text + strspn(text, " "), *why;
	struct operand o;
	const struct expr *e;
	u32 nr = 0;
	int ret;

	l->registers = call;
	for (; *p; p = next_argument(p)) {
		o = (struct operand){.l = l, .call = call, .p = p};
		e = take_argument(&o);
		why = o.bad ? arena_printf(l->arena, "its note says that it is at '%.*s'",
					   (int)strcspn(p, " "), p)
			    : NULL;
		ret = add(l, arena_printf(l->arena, "arg%u", ++nr), e, why, err);
		if (ret)
			return ret;
	}
	return 0;
}
