// SPDX-License-Identifier: GPL-2.0
/* expr_parse.c - the text of an expression. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/probe/expr_internal.h"

#define DEPTH_MAX    32
#define NAME_MAX_LEN 128

struct parser {
	struct expr_scope *scope;
	const char *p;
	unsigned int depth;
	struct err *err;
};

static const struct expr *wrong(struct parser *p, const char *at)
{
	p->scope->wrong = at;
	return NULL;
}

static char peek(struct parser *p)
{
	while (isspace((u8)*p->p))
		p->p++;
	return *p->p;
}

static bool take(struct parser *p, const char *token)
{
	size_t n = strlen(token);

	peek(p);
	if (strncmp(p->p, token, n) != 0)
		return false;
	p->p += n;
	return true;
}

static size_t take_name(struct parser *p, char name[static NAME_MAX_LEN])
{
	size_t n = 0;

	peek(p);
	while (isalnum((u8)p->p[n]) || p->p[n] == '_')
		n++;
	if (!n || n >= NAME_MAX_LEN || isdigit((u8)*p->p))
		return 0;
	memcpy(name, p->p, n);
	name[n] = '\0';
	p->p += n;
	return n;
}

static const struct expr *parse_else(struct parser *p);
static const struct expr *parse_binary(struct parser *p, unsigned int least);
static const struct expr *parse_unary(struct parser *p);

/* Values of arithmetic. */
static bool is_scalar(const struct expr *e)
{
	return e->type.kind == EXPR_NUMBER || e->type.kind == EXPR_POINTER;
}

static const struct expr *parse_number(struct parser *p)
{
	const char *at = p->p;
	struct expr *e;
	char *end;
	u64 v;

	errno = 0;
	v = strtoull(at, &end, 0);
	if (errno || isalnum((u8)*end) || *end == '_') {
		err_set(p->err, EINVAL,
			errno ? "the number is larger than 64 bits" : "this is no number");
		return wrong(p, at);
	}
	p->p = end;
	e = expr_add(p->scope, EXPR_CONSTANT, expr_long_type(v <= INT64_MAX), NULL, NULL, p->err);
	if (e)
		e->value = v;
	return e;
}

/* Of who runs, where no argument has the name: the bits of what a function says, from `shift` on. */
static const struct {
	const char *name;
	u32 function;
	u8 shift, size;
} of_runner[] = {
	{"pid", BPF_FUNC_get_current_pid_tgid, 32, 4},
	{"tid", BPF_FUNC_get_current_pid_tgid, 0, 4},
	{"uid", BPF_FUNC_get_current_uid_gid, 0, 4},
	{"gid", BPF_FUNC_get_current_uid_gid, 32, 4},
	{"cpu", BPF_FUNC_get_smp_processor_id, 0, 4},
	{"cgroup", BPF_FUNC_get_current_cgroup_id, 0, 8},
};

static const struct expr *unknown_name(struct parser *p, const char *at, const char *name)
{
	struct expr_scope *s = p->scope;
	struct buf all = {0};
	struct text_suggest suggest;
	u32 i;

	text_suggest_init(&suggest, name);
	for (i = 0; i < s->nr_arguments; i++) {
		text_suggest_add(&suggest, s->arguments[i].name);
		buf_addf(&all, "%s%s", all.len ? ", " : "", s->arguments[i].name);
	}
	for (i = 0; i < ARRAY_SIZE(of_runner); i++)
		text_suggest_add(&suggest, of_runner[i].name);
	if (s->has_task)
		text_suggest_add(&suggest, "curtask");
	err_set(p->err, EINVAL, "'%s' is no argument of this event", name);
	if (suggest.best)
		err_hint(p->err, "did you mean '%s'?%s%s", suggest.best, s->missing ? " " : "",
			 s->missing ? s->missing : "");
	else
		err_hint(p->err, "it has %s%s%s", all.len ? buf_str(&all) : "none",
			 s->missing ? ": " : "", s->missing ? s->missing : "");
	buf_free(&all);
	return wrong(p, at);
}

static struct expr *call(struct parser *p, struct expr_type type, u32 function)
{
	struct expr *e = expr_add(p->scope, EXPR_CALL, type, NULL, NULL, p->err);

	if (e)
		e->value = function;
	return e;
}

static const struct expr *current_task(struct parser *p, const char *at)
{
	const u32 id = btf_find(p->scope->btf, BTF_STRUCT, "task_struct");

	if (id)
		return call(p,
			    (struct expr_type){.kind = EXPR_POINTER, .size = sizeof(u64), .of = id},
			    BPF_FUNC_get_current_task);
	err_set(p->err, EINVAL, "the running kernel has no type of tasks");
	return wrong(p, at);
}

static const struct expr *runner(struct parser *p, u32 number)
{
	const struct expr_type type = expr_number_type(of_runner[number].size, false);
	struct expr *e = call(p, expr_long_type(false), of_runner[number].function), *shift;

	if (e && of_runner[number].shift) {
		shift = expr_add(p->scope, EXPR_CONSTANT, expr_long_type(true), NULL, NULL, p->err);
		e = shift ? expr_add(p->scope, EXPR_BINARY, expr_long_type(false), e, shift, p->err)
			  : NULL;
		if (!e)
			return NULL;
		shift->value = of_runner[number].shift;
		e->sign = 'r';
	}
	return e ? expr_add(p->scope, EXPR_CAST, type, e, NULL, p->err) : NULL;
}

/* What a name means; NULL and the error: nothing. */
static const struct expr *find_argument(struct parser *p, const char *at, const char *name)
{
	const struct expr_argument *a = p->scope->arguments, *end = a + p->scope->nr_arguments;
	u32 i;

	for (; a < end; a++) {
		if (strcmp(a->name, name) != 0)
			continue;
		if (a->e)
			return a->e;
		err_set(p->err, EINVAL, "'%s' cannot be read here", name);
		err_hint(p->err, "%s", a->why);
		return wrong(p, at);
	}
	if (p->scope->has_task && !strcmp(name, "curtask"))
		return current_task(p, at);
	for (i = 0; i < ARRAY_SIZE(of_runner); i++)
		if (!strcmp(of_runner[i].name, name))
			return runner(p, i);
	return unknown_name(p, at, name);
}

/* Has the program one of that name, of which no more is known? Then the kernel's is another. */
static bool is_vague(const struct parser *p, enum btf_kind kind, const char *name)
{
	const struct btf *b = p->scope->btf;

	return !p->scope->has_task && b->base && !btf_find_own(b, kind, name) &&
	       btf_find_own(b, BTF_FWD, name);
}

static u32 find_tagged(const struct parser *p, enum btf_kind kind, const char *name)
{
	return is_vague(p, kind, name) ? 0 : btf_find(p->scope->btf, kind, name);
}

/* "struct NAME" is none. */
static void no_type(const struct parser *p, const char *word, enum btf_kind kind, const char *name)
{
	const char *best = NULL;

	if (is_vague(p, kind, name)) {
		err_set(p->err, EINVAL,
			"units of the program define several types of this name, or none");
	} else {
		err_set(p->err, EINVAL, "there is no such type");
		best = btf_suggest(p->scope->btf, kind, kind == BTF_ENUM ? BTF_ENUM64 : kind, name);
	}
	if (best)
		err_hint(p->err, "did you mean '%s %s'?", word, best);
	else
		err_hint(
			p->err,
			p->scope->has_task
				? "perf-lite list -v 'struct NAME' shows those of the kernel"
				: "types are those of the program's debug information, and the kernel's");
}

/* "struct NAME", "union NAME", "enum NAME", or the name of a typedef or an integer: its id; 0: it is none. */
static u32 parse_type_name(struct parser *p, const char **at)
{
	static const struct {
		const char *word;
		enum btf_kind kind;
	} words[] = {{"struct", BTF_STRUCT}, {"union", BTF_UNION}, {"enum", BTF_ENUM}};
	const struct btf *b = p->scope->btf;
	char name[NAME_MAX_LEN];
	u32 i, id;

	*at = p->p;
	if (!take_name(p, name))
		return 0;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(name, words[i].word) != 0)
			continue;
		peek(p);
		*at = p->p;
		if (!take_name(p, name))
			return 0;
		id = find_tagged(p, words[i].kind, name);
		if (!id && words[i].kind == BTF_ENUM)
			id = find_tagged(p, BTF_ENUM64, name);
		if (!id)
			no_type(p, words[i].word, words[i].kind, name);
		return id;
	}
	id = btf_find(b, BTF_TYPEDEF, name);
	return id ? id : btf_find(b, BTF_INT, name);
}

/* "unsigned int", "long long": in bytes, its sign, and its name in BTF; 0: it is none, and nothing is read. */
static u32 parse_integer(struct parser *p, bool *is_signed, const char **compilers)
{
	static const char *const names[2][3] = {
		{"short unsigned int", "unsigned int", "long unsigned int"},
		{"short int", "int", "long int"}};
	const char *start = p->p, *before;
	char name[NAME_MAX_LEN];
	u32 size = 4;
	bool any = false, is_char = false, says_signed = false;

	*is_signed = true;
	for (;; any = true) {
		before = p->p;
		if (!take_name(p, name))
			break;
		if (!strcmp(name, "unsigned"))
			*is_signed = false;
		else if (!strcmp(name, "char"))
			is_char = true;
		else if (!strcmp(name, "short"))
			size = 2;
		else if (!strcmp(name, "long"))
			size = 8;
		else if (!strcmp(name, "signed"))
			says_signed = true;
		else if (strcmp(name, "int") != 0)
			break;
	}
	p->p = any ? before : start;
	*compilers = names[*is_signed][size / 4];
	/* of itself it has the sign that the compiler was asked for */
	if (is_char)
		*compilers = !*is_signed ? "unsigned char" : says_signed ? "signed char" : "char";
	return !any ? 0 : is_char ? 1 : size;
}

/* Skip the word, if that is what follows. */
static bool take_word(struct parser *p, const char *word)
{
	const char *start = p->p;
	char name[NAME_MAX_LEN];

	if (take_name(p, name) && !strcmp(name, word)) {
		peek(p);
		return true;
	}
	p->p = start;
	return false;
}

static void skip_qualifiers(struct parser *p)
{
	while (take_word(p, "const") || take_word(p, "volatile") || take_word(p, "restrict"))
		;
}

/* "TYPE *)" of a cast or a size, *at: its name: 1; 0 and nothing is read: it is an expression; -1 and the error. */
static int parse_type(struct parser *p, struct expr_type *type, const char **at)
{
	const char *start = *at = p->p;
	bool tagged = (skip_qualifiers(p), start = p->p, !strncmp(start, "struct ", 7)) ||
		      !strncmp(start, "union ", 6) || !strncmp(start, "enum ", 5);
	bool is_signed = true, is_void = take_word(p, "void");
	const char *name = NULL;
	u32 integer = is_void ? 0 : parse_integer(p, &is_signed, &name), stars = 0;
	u32 id = integer || is_void ? 0 : parse_type_name(p, at);

	for (skip_qualifiers(p); take(p, "*"); skip_qualifiers(p))
		stars++;
	if (!id && tagged) {
		wrong(p, *at);
		return -1;
	}
	if (integer && stars)
		id = btf_find(p->scope->btf, BTF_INT, name);
	if ((!id && (!integer || stars) && (!is_void || !stars)) || !take(p, ")")) {
		p->p = start;
		return 0;
	}
	if (stars > 1 && !is_void) {
		err_set(p->err, EINVAL, "one * is what the type of a cast can have");
		err_hint(p->err, "read the pointer as a number: (struct NAME *)*(unsigned long *)p");
		wrong(p, *at);
		return -1;
	}
	if (stars)
		*type = (struct expr_type){.kind = EXPR_POINTER, .size = sizeof(u64), .of = id};
	else if (id)
		*type = expr_type_of(p->scope->btf, id);
	else
		*type = expr_number_type(integer, is_signed);
	return 1;
}

static const struct expr *no_cast(struct parser *p, const struct expr *a, const char *at)
{
	struct buf type = {0};

	expr_type_text(p->scope->btf, &a->type, &type);
	err_set(p->err, EINVAL, "this is %s, which cannot be cast", buf_str(&type));
	err_hint(p->err, "*(TYPE *)&x reads the bytes of x as another type, x:hex shows them");
	buf_free(&type);
	return wrong(p, at);
}

/* "(TYPE *) a" from after the parenthesis: 1; 0 and nothing is read: it is an expression. */
static int parse_cast(struct parser *p, const struct expr **e)
{
	const struct expr *a;
	struct expr_type type;
	const char *at;
	int ret = parse_type(p, &type, &at);

	*e = NULL;
	if (ret <= 0)
		return ret < 0;
	if (type.kind != EXPR_POINTER && type.kind != EXPR_NUMBER) {
		err_set(p->err, EINVAL, "nothing can be made a struct or an array");
		err_hint(p->err, "write a pointer: (struct NAME *)");
		*e = wrong(p, at);
		return 1;
	}
	at = (peek(p), p->p);
	a = parse_unary(p);
	/* of an array its address is meant */
	if (a && !is_scalar(a) && a->type.kind != EXPR_ARRAY)
		*e = no_cast(p, a, at);
	else
		*e = a ? expr_add(p->scope, EXPR_CAST, type, a, NULL, p->err) : NULL;
	return 1;
}

/* Behind "sizeof": a type in parentheses, or an expression, which is not worked out. */
static const struct expr *parse_size(struct parser *p)
{
	const char *start = (peek(p), p->p), *at = start;
	const struct expr *a;
	struct expr_type type;
	struct expr *e;
	u8 bit_size = 0;
	int ret = take(p, "(") ? (peek(p), parse_type(p, &type, &at)) : 0;

	if (ret < 0)
		return NULL;
	if (!ret) {
		p->p = at = start;
		a = parse_unary(p);
		if (!a)
			return NULL;
		type = a->type;
		bit_size = a->bit_size;
	}
	if (!type.size || bit_size) {
		err_set(p->err, EINVAL,
			bit_size ? "a bit-field has no size of its own"
				 : "the size of this is not known");
		return wrong(p, at);
	}
	e = expr_add(p->scope, EXPR_CONSTANT, expr_long_type(false), NULL, NULL, p->err);
	if (e)
		e->value = type.size;
	return e;
}

/* Behind a '%': the name of a register. */
static const struct expr *parse_register(struct parser *p, const char *at)
{
	const struct arch_call *call = p->scope->registers;
	char name[NAME_MAX_LEN] = "";
	const size_t len = take_name(p, name);
	const struct expr *e;
	u32 dwarf, size, place;

	if (!call) {
		err_set(p->err, EINVAL,
			"registers can be read at uprobe:, usdt: and kprobe: alone");
		err_hint(p->err, "names without %% are what the event has");
		return wrong(p, at);
	}
	if (!len || !arch_call_named(call, name, len, &dwarf, &size) ||
	    !arch_call_register(call, dwarf, &place)) {
		err_set(p->err, EINVAL, "there is no register '%%%s'", name);
		err_hint(p->err, "names are those of assembly, as %%%.*s",
			 (int)strcspn(call->names[call->result], " "), call->names[call->result]);
		return wrong(p, at);
	}
	e = expr_context(p->scope->arena, expr_number_type(8, false), place);
	if (e && size < 8)
		e = expr_cast(p->scope->arena, expr_number_type(size, false), e);
	if (!e) {
		p->scope->no_memory = true;
		err_nomem(p->err);
	}
	return e;
}

static const struct expr *parse_primary(struct parser *p)
{
	const char *at = (peek(p), p->p);
	const struct expr *e;
	char name[NAME_MAX_LEN];

	if (isdigit((u8)*at))
		return parse_number(p);
	if (take(p, "%"))
		return parse_register(p, at);
	if (take(p, "(")) {
		peek(p);
		if (parse_cast(p, &e))
			return e;
		e = parse_else(p);
		if (!e || take(p, ")"))
			return e;
		err_set(p->err, EINVAL, "')' is expected here");
		return wrong(p, p->p);
	}
	if (!take_name(p, name)) {
		err_set(p->err, EINVAL, "an expression is expected here");
		err_hint(p->err, "as in skb:kfree_skb(skb->dev->name, skb->len)");
		return wrong(p, at);
	}
	return strcmp(name, "sizeof") != 0 ? find_argument(p, at, name) : parse_size(p);
}

static const struct expr *parse_index(struct parser *p, const struct expr *a)
{
	const struct btf *b = p->scope->btf;
	const char *at = p->p;
	struct expr_type type;
	struct expr *step, *sum, *place;
	const struct expr *i = parse_else(p);

	if (!i)
		return NULL;
	if (!take(p, "]")) {
		err_set(p->err, EINVAL, "']' is expected here");
		return wrong(p, p->p);
	}
	if (a->type.kind != EXPR_ARRAY && a->type.kind != EXPR_POINTER) {
		err_set(p->err, EINVAL, "only arrays and pointers have elements");
		return wrong(p, at);
	}
	type = a->type.kind == EXPR_ARRAY ? expr_element_type(b, &a->type)
					  : expr_type_of(b, a->type.of);
	if (!type.size || i->type.kind != EXPR_NUMBER) {
		err_set(p->err, EINVAL,
			i->type.kind == EXPR_NUMBER ? "the size of the elements is not known"
						    : "the number of an element is no pointer");
		return wrong(p, at);
	}
	/* *(address + i * size) */
	step = expr_add(p->scope, EXPR_CONSTANT, expr_long_type(true), NULL, NULL, p->err);
	if (!step)
		return NULL;
	step->value = type.size;
	step = expr_add(p->scope, EXPR_BINARY, expr_long_type(true), i, step, p->err);
	if (!step)
		return NULL;
	step->sign = '*';
	if (a->type.kind == EXPR_ARRAY)
		a = expr_add(p->scope, EXPR_ADDRESS, expr_long_type(false), a, NULL, p->err);
	sum = a ? expr_add(p->scope, EXPR_BINARY, expr_long_type(false), a, step, p->err) : NULL;
	if (!sum)
		return NULL;
	sum->sign = '+';
	/* whoever says which element it is */
	sum->of_user = a->of_user;
	place = expr_add(p->scope, EXPR_FOLLOW, type, sum, NULL, p->err);
	if (place)
		place->is_place = true;
	return place;
}

static const struct expr *parse_postfix(struct parser *p)
{
	const struct expr *e = parse_primary(p);
	char name[NAME_MAX_LEN];
	const char *at;
	bool arrow;

	while (e) {
		if (take(p, "[")) {
			e = parse_index(p, e);
			continue;
		}
		arrow = take(p, "->");
		if (!arrow && !take(p, "."))
			return e;
		peek(p);
		at = p->p;
		if (arrow != (e->type.kind == EXPR_POINTER)) {
			err_set(p->err, EINVAL,
				arrow ? "'->' follows pointers, and this is none"
				      : "this is a pointer: '->' leads to its members, not '.'");
			return wrong(p, at - (arrow ? 2 : 1));
		}
		if (!take_name(p, name)) {
			err_set(p->err, EINVAL, "the name of a member is expected here");
			return wrong(p, at);
		}
		e = expr_member(p->scope, e, name, p->err);
		if (!e)
			return wrong(p, at);
	}
	return NULL;
}

static const struct expr *no_scalar(struct parser *p, const char *at)
{
	err_set(p->err, EINVAL, "only numbers and pointers can be computed with");
	return wrong(p, at);
}

static const struct expr *first_element(struct parser *p, const struct expr *a)
{
	struct expr *e = expr_add(p->scope, EXPR_ADDRESS, expr_long_type(false), a, NULL, p->err);

	e = e ? expr_add(p->scope, EXPR_FOLLOW, expr_element_type(p->scope->btf, &a->type), e, NULL,
			 p->err)
	      : NULL;
	if (e)
		e->is_place = true;
	return e;
}

static const struct expr *parse_sign(struct parser *p, char sign)
{
	const char *at = p->p;
	const struct expr *a = parse_unary(p);
	struct expr *e;

	if (!a)
		return NULL;
	if (sign == '*') {
		if (a->type.kind == EXPR_POINTER && a->type.of)
			return expr_follow(p->scope, a, p->err);
		if (a->type.kind == EXPR_ARRAY)
			return first_element(p, a);
		err_set(p->err, EINVAL, "'*' follows pointers, and this is none");
		return wrong(p, at);
	}
	if (sign == '&') {
		if (a->is_place && !a->bit_size)
			return expr_add(p->scope, EXPR_ADDRESS,
					(struct expr_type){.kind = EXPR_POINTER,
							   .size = sizeof(u64),
							   .of = a->type.declared},
					a, NULL, p->err);
		err_set(p->err, EINVAL, "this has no address");
		return wrong(p, at);
	}
	if (!is_scalar(a))
		return no_scalar(p, at);
	e = expr_add(p->scope, EXPR_UNARY, expr_long_type(sign == '!' || expr_is_signed(&a->type)),
		     a, NULL, p->err);
	if (e)
		e->sign = sign;
	return e;
}

static const struct expr *parse_unary(struct parser *p)
{
	const struct expr *e;
	char c = peek(p);

	if (p->depth++ > DEPTH_MAX) {
		err_set(p->err, EINVAL, "the expression is nested too deeply");
		return wrong(p, p->p);
	}
	if (c && strchr("-~!*&", c) && !(strchr("-&", c) && p->p[1] == c)) {
		p->p++;
		e = parse_sign(p, c);
	} else {
		e = parse_postfix(p);
	}
	p->depth--;
	return e;
}

struct operation {
	const char *text;
	char sign;
	unsigned int level; /* binds the more the higher */
};

/* The longer ones come first. */
static const struct operation operators[] = {
	{"||", 'O', 1}, {"&&", 'A', 2}, {"==", '=', 6}, {"!=", 'n', 6}, {"<<", 'l', 8},
	{">>", 'r', 8}, {"<=", '{', 7}, {">=", '}', 7}, {"|", '|', 3},  {"^", '^', 4},
	{"&", '&', 5},  {"<", '<', 7},  {">", '>', 7},  {"+", '+', 9},  {"-", '-', 9},
	{"*", '*', 10}, {"/", '/', 10}, {"%", '%', 10},
};

/* Of a result: comparisons are 0 or 1, a shift is what is shifted. */
static bool has_sign(char sign, const struct expr *a, const struct expr *b)
{
	if (strchr("=n<>{}AO", sign))
		return true;
	return expr_is_signed(&a->type) && (strchr("lr", sign) || expr_is_signed(&b->type));
}

static const struct expr *no_number(struct parser *p, const char *at)
{
	err_set(p->err, EINVAL, "pointers cannot be computed with");
	err_hint(p->err, "p[1] is the element behind, (unsigned long)p the address as a number");
	return wrong(p, at);
}

static const struct operation *next_operator(struct parser *p, unsigned int least)
{
	const struct operation *o;

	peek(p);
	for (o = operators; o < operators + ARRAY_SIZE(operators); o++)
		if (!strncmp(p->p, o->text, strlen(o->text)))
			return o->level >= least ? o : NULL;
	return NULL;
}

static const struct expr *parse_binary(struct parser *p, unsigned int least)
{
	const struct expr *a, *b;
	const struct operation *o;
	const char *at = (peek(p), p->p);
	struct expr *e;
	bool is_signed;

	if (p->depth++ > DEPTH_MAX) {
		err_set(p->err, EINVAL, "the expression is nested too deeply");
		return wrong(p, at);
	}
	a = parse_unary(p);
	while (a && (o = next_operator(p, MAX(least, 1u)))) {
		if (!is_scalar(a))
			return no_scalar(p, at);
		p->p += strlen(o->text);
		at = (peek(p), p->p);
		b = parse_binary(p, o->level + 1);
		if (b && !is_scalar(b))
			return no_scalar(p, at);
		if (b && strchr("+-*/%&|^lr", o->sign) &&
		    (a->type.kind == EXPR_POINTER || b->type.kind == EXPR_POINTER))
			return no_number(p, at);
		is_signed = b && has_sign(o->sign, a, b);
		e = b ? expr_add(p->scope, EXPR_BINARY, expr_long_type(is_signed), a, b, p->err)
		      : NULL;
		if (e)
			e->sign = o->sign;
		a = e;
	}
	p->depth--;
	return a;
}

/* What both sides of ?: are. EXPR_VOID: they do not go together. */
static struct expr_type common_type(const struct btf *types, const struct expr *a,
				    const struct expr *b)
{
	const struct expr_type *t = &a->type, *u = &b->type;

	if (t->kind != u->kind)
		return (struct expr_type){.kind = EXPR_VOID};
	if (t->of == u->of && t->size == u->size && t->is_signed == u->is_signed &&
	    t->big_endian == u->big_endian && t->is_bool == u->is_bool)
		return *t;
	/* of which one may be const */
	if (t->kind == EXPR_POINTER)
		return btf_resolve(types, t->of).id == btf_resolve(types, u->of).id
			       ? *t
			       : (struct expr_type){.kind = EXPR_POINTER, .size = sizeof(u64)};
	return expr_long_type(expr_is_signed(t) && expr_is_signed(u));
}

/* The second of two values, of which the expression is one or the other: what both are. NULL: an error. */
static const struct expr *parse_other(struct parser *p, const struct expr *first,
				      struct expr_type *type)
{
	const char *at = (peek(p), p->p);
	const struct expr *other = parse_else(p);

	if (!other)
		return NULL;
	if (!is_scalar(other))
		return no_scalar(p, at);
	*type = common_type(p->scope->btf, first, other);
	if (type->kind != EXPR_VOID)
		return other;
	err_set(p->err, EINVAL, "one side of ?: is a pointer, the other a number");
	return wrong(p, at);
}

/* "a ? b : c", behind the "?". */
static const struct expr *parse_choice(struct parser *p, const struct expr *a)
{
	const char *at = (peek(p), p->p);
	const struct expr *b = parse_else(p), *c;
	struct expr_type type;
	struct expr *pair, *e;

	if (!b)
		return NULL;
	if (!is_scalar(b))
		return no_scalar(p, at);
	if (!take(p, ":")) {
		err_set(p->err, EINVAL, "':' is expected here");
		err_hint(p->err, "a ? b : c, or a ?: b, which is a where that is not 0");
		return wrong(p, p->p);
	}
	c = parse_other(p, b, &type);
	pair = c ? expr_add(p->scope, EXPR_PAIR, type, b, c, p->err) : NULL;
	e = pair ? expr_add(p->scope, EXPR_CHOICE, type, a, pair, p->err) : NULL;
	/* whatever decides */
	if (e)
		e->of_user = pair->of_user;
	return e;
}

static const struct expr *parse_else(struct parser *p)
{
	const char *at = (peek(p), p->p);
	const struct expr *a, *b;
	struct expr_type type;

	if (p->depth++ > DEPTH_MAX) {
		err_set(p->err, EINVAL, "the expression is nested too deeply");
		return wrong(p, at);
	}
	a = parse_binary(p, 0);
	if (a && take(p, "?")) {
		if (!is_scalar(a))
			return no_scalar(p, at);
		if (take(p, ":")) {
			b = parse_other(p, a, &type);
			a = b ? expr_add(p->scope, EXPR_ELSE, type, a, b, p->err) : NULL;
		} else {
			a = parse_choice(p, a);
		}
	}
	p->depth--;
	return a;
}

const struct expr *expr_parse(struct expr_scope *scope, const char **text, struct err *err)
{
	struct parser p = {.scope = scope, .p = *text, .err = err};
	const struct expr *e;

	scope->wrong = *text;
	e = parse_else(&p);
	if (e)
		*text = p.p;
	return e;
}
