// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/base/err.h"
#include "util/base/text.h"

#define DEPTH_MAX 64
#define NODES_MAX 4096 /* which a chain of && may be deep, too */

static const struct tp_filter_node *parse_any(struct tp_filter_parser *p);

/* ---- errors ---- */

void *tp_filter_parse_error(struct tp_filter_parser *p, const char *at, const char *fmt, ...)
{
	char head[128];
	va_list ap;

	if (p->failed)
		return NULL;
	snprintf(head, sizeof(head), "filter of %s%s%s: ", p->opts->system ? p->opts->system : "",
		 p->opts->system ? ":" : "", p->f->name);
	va_start(ap, fmt);
	p->failed = err_place(p->err, head, p->text, at, fmt, ap);
	va_end(ap);
	return NULL;
}

void tp_filter_parse_hint(struct tp_filter_parser *p, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	err_hint(p->err, "%s", buf_str(&b));
	buf_free(&b);
}

void *tp_filter_parse_nomem(struct tp_filter_parser *p)
{
	if (!p->failed)
		p->failed = err_nomem(p->err);
	return NULL;
}

/* Names in a hint, as many as it holds. */
#define HINT_NAMES 400

void tp_filter_parse_fields(struct tp_filter_parser *p, struct tp_filter_word meant)
{
	const char *word = tp_filter_parse_copy(p, meant);
	struct text_suggest suggest;
	struct buf names = {0};
	u32 i;

	if (!word)
		return;
	text_suggest_init(&suggest, word);
	for (i = 0; i < p->f->nr_fields; i++) {
		text_suggest_add(&suggest, p->f->fields[i].name);
		if (!p->f->fields[i].is_common && names.len < HINT_NAMES)
			buf_addf(&names, "%s%s", names.len ? " " : "", p->f->fields[i].name);
	}
	if (suggest.best)
		tp_filter_parse_hint(p, "did you mean '%s'? Its fields: %s", suggest.best,
				     buf_str(&names));
	else
		tp_filter_parse_hint(p, "its fields: %s; besides cpu comm tid common_pid",
				     buf_str(&names));
	buf_free(&names);
}

/* ---- pieces ---- */

void tp_filter_parse_blanks(struct tp_filter_parser *p)
{
	while (isspace((u8)*p->p))
		p->p++;
}

static bool is_joint(const char *s)
{
	return (s[0] == '&' && s[1] == '&') || (s[0] == '|' && s[1] == '|');
}

struct tp_filter_word tp_filter_parse_word(struct tp_filter_parser *p, const char *ends)
{
	struct tp_filter_word w;

	tp_filter_parse_blanks(p);
	w.s = p->p;
	while (*p->p && !isspace((u8)*p->p) && !strchr("()", *p->p) && !strchr(ends, *p->p) &&
	       !is_joint(p->p))
		p->p++;
	w.len = (size_t)(p->p - w.s);
	return w;
}

const char *tp_filter_parse_copy(struct tp_filter_parser *p, struct tp_filter_word w)
{
	const char *s = arena_strndup(p->arena, w.s, w.len);

	return s ? s : tp_filter_parse_nomem(p);
}

static struct tp_filter_word take_name(struct tp_filter_parser *p)
{
	struct tp_filter_word w = {p->p, 0};

	while (isalnum((u8)*p->p) || *p->p == '_')
		p->p++;
	w.len = (size_t)(p->p - w.s);
	return w;
}

static bool take(struct tp_filter_parser *p, const char *s)
{
	tp_filter_parse_blanks(p);
	if (strncmp(p->p, s, strlen(s)) != 0)
		return false;
	p->p += strlen(s);
	return true;
}

static bool word_is(struct tp_filter_word w, const char *s)
{
	return w.len == strlen(s) && !memcmp(w.s, s, w.len);
}

/* The thread is what the kernel writes into every record. */
static bool take_tid(struct tp_filter_parser *p, struct tp_filter_value *v)
{
	v->field = tp_format_field(p->f, "common_pid");
	if (!v->field || !tp_filter_is_number(v) || tp_filter_size(v) != sizeof(u32))
		return false;
	v->what = TP_FILTER_TID;
	return true;
}

bool tp_filter_parse_value(struct tp_filter_parser *p, struct tp_filter_word w,
			   struct tp_filter_value *v)
{
	*v = (struct tp_filter_value){.what = TP_FILTER_FIELD,
				      .field = tp_format_field_n(p->f, w.s, w.len)};
	if (v->field)
		return true;
	if (word_is(w, "cpu") || word_is(w, "CPU"))
		v->what = TP_FILTER_CPU;
	else if (word_is(w, "comm") || word_is(w, "COMM"))
		v->what = TP_FILTER_COMM;
	else if (word_is(w, "tid"))
		return take_tid(p, v);
	else
		return false;
	return true;
}

struct tp_filter_node *tp_filter_parse_node(struct tp_filter_parser *p, enum tp_filter_kind kind)
{
	struct tp_filter_node *n;

	if (++p->nodes > NODES_MAX)
		return tp_filter_parse_error(p, p->p, "more comparisons than anybody types");
	n = arena_alloc(p->arena, sizeof(*n));
	if (!n)
		return tp_filter_parse_nomem(p);
	n->kind = kind;
	n->typed = p->at ? p->at : p->p;
	return n;
}

const struct tp_filter_node *tp_filter_parse_values(struct tp_filter_parser *p,
						    const struct tp_filter_value *left,
						    enum tp_filter_op op,
						    const struct tp_filter_value *right)
{
	struct tp_filter_node *n = tp_filter_parse_node(p, TP_FILTER_VALUES);

	if (!n)
		return NULL;
	n->op = op;
	n->left = *left;
	n->right = *right;
	return n;
}

/* ---- comparisons ---- */

static const char *const operators[TP_FILTER_OPS] = {
	[TP_FILTER_EQ] = "==",       [TP_FILTER_NE] = "!=",  [TP_FILTER_LE] = "<=",
	[TP_FILTER_GE] = ">=",       [TP_FILTER_LT] = "<",   [TP_FILTER_GT] = ">",
	[TP_FILTER_NOT_LIKE] = "!~", [TP_FILTER_LIKE] = "~", [TP_FILTER_BITS] = "&",
};

static bool take_operator(struct tp_filter_parser *p, enum tp_filter_op *op)
{
	u32 i;

	tp_filter_parse_blanks(p);
	for (i = 0; i < TP_FILTER_OPS && !is_joint(p->p); i++) {
		if (!take(p, operators[i]))
			continue;
		*op = (enum tp_filter_op)i;
		return true;
	}
	if (*p->p == '=') {
		tp_filter_parse_error(p, p->p, "there is no operator '='");
		tp_filter_parse_hint(p, "equal is ==, and like a pattern is ~");
	} else {
		tp_filter_parse_error(p, p->p, "a comparison is missing here");
		tp_filter_parse_hint(p, "one of == != < <= > >= & ~, and what to compare with");
	}
	return false;
}

static bool take_index(struct tp_filter_parser *p, struct tp_filter_value *v)
{
	const char *open = p->p;
	u32 i = 0;

	if (*p->p != '[')
		return true;
	p->p++;
	if (v->what != TP_FILTER_FIELD || !v->field->is_array || v->field->is_string ||
	    !v->field->elem_size) {
		tp_filter_parse_error(p, open, "'%s' is no array of numbers", tp_filter_name(v));
		return false;
	}
	if (!isdigit((u8)*p->p)) {
		tp_filter_parse_error(p, p->p, "which element? A number is missing here");
		return false;
	}
	for (; isdigit((u8)*p->p); p->p++)
		i = MIN(i * 10 + (u32)(*p->p - '0'), 1u << 24);
	if (*p->p != ']') {
		tp_filter_parse_error(p, p->p, "']' is missing here");
		return false;
	}
	p->p++;
	if (v->field->nr_elem && i >= v->field->nr_elem) {
		tp_filter_parse_error(p, open, "'%s' has %u elements, the first is [0]",
				      v->field->name, v->field->nr_elem);
		return false;
	}
	v->what = TP_FILTER_ELEMENT;
	v->index = i;
	return true;
}

/* What may stand behind the name of a field. */
struct suffixes {
	bool function, user;
};

static bool take_suffixes(struct tp_filter_parser *p, const struct tp_filter_value *v,
			  struct suffixes *s)
{
	const char *dot = p->p;
	struct tp_filter_word w;

	if (*dot != '.')
		return true;
	p->p++;
	w = take_name(p);
	s->function = word_is(w, "function");
	s->user = word_is(w, "ustring");
	if (!s->function && !s->user) {
		tp_filter_parse_error(p, dot, "unknown suffix '.%.*s'", TP_FILTER_WORD(w));
		tp_filter_parse_hint(p,
				     ".function: the function that an address stands in; "
				     ".ustring: the text that a pointer into a process points to");
		return false;
	}
	if (s->user && !tp_filter_is_text_pointer(v)) {
		tp_filter_parse_error(p, dot, "'%s' is no pointer to text", tp_filter_name(v));
		return false;
	}
	if (s->function &&
	    !(tp_filter_is_number(v) && tp_filter_size(v) == p->opts->print.long_size)) {
		tp_filter_parse_error(p, dot, "'%s' is no address", tp_filter_name(v));
		return false;
	}
	return true;
}

static const struct tp_filter_node *parse_comparison(struct tp_filter_parser *p)
{
	struct suffixes suffixes = {0};
	struct tp_filter_word name;
	struct tp_filter_value v;
	enum tp_filter_op op;

	p->at = p->p;
	name = take_name(p);
	if (!name.len) {
		tp_filter_parse_error(p, p->p, "a field is missing here");
		tp_filter_parse_fields(p, name);
		return NULL;
	}
	if (!tp_filter_parse_value(p, name, &v)) {
		tp_filter_parse_error(p, name.s, "the event has no field '%.*s'",
				      TP_FILTER_WORD(name));
		if (p->err)
			p->err->code = ENOENT;
		tp_filter_parse_fields(p, name);
		return NULL;
	}
	if (!take_index(p, &v) || !take_suffixes(p, &v, &suffixes) || !take_operator(p, &op))
		return NULL;
	tp_filter_parse_blanks(p);
	if (!*p->p || *p->p == ')' || is_joint(p->p)) {
		tp_filter_parse_error(p, p->p, "what '%s' is compared with is missing here",
				      tp_filter_name(&v));
		return NULL;
	}
	if (suffixes.function)
		return tp_filter_text_function(p, &v, op);
	if (tp_filter_is_text(&v) || tp_filter_is_text_pointer(&v))
		return tp_filter_text_parse(p, &v, op, suffixes.user);
	return tp_filter_number_parse(p, &v, op);
}

/* ---- what joins them ---- */

/* The same node with its place in the text. */
static const struct tp_filter_node *placed(struct tp_filter_parser *p, const char *from,
					   const struct tp_filter_node *n)
{
	struct tp_filter_node *copy;
	const char *end = p->p;

	if (!n)
		return NULL;
	copy = arena_memdup(p->arena, n, sizeof(*n));
	if (!copy)
		return tp_filter_parse_nomem(p);
	while (end > from && isspace((u8)end[-1]))
		end--;
	copy->typed = from;
	copy->typed_len = (size_t)(end - from);
	return copy;
}

static const struct tp_filter_node *parse_unary(struct tp_filter_parser *p)
{
	const struct tp_filter_node *inner;
	struct tp_filter_node *n;
	const char *from;

	tp_filter_parse_blanks(p);
	from = p->p;
	if (++p->depth > DEPTH_MAX)
		return tp_filter_parse_error(p, from, "brackets too deep: at most %u", DEPTH_MAX);
	if (take(p, "!")) {
		n = tp_filter_parse_node(p, TP_FILTER_NOT);
		inner = n ? parse_unary(p) : NULL;
		if (n)
			n->a = inner;
		inner = inner ? n : NULL;
	} else if (take(p, "(")) {
		inner = parse_any(p);
		if (inner && !take(p, ")")) {
			tp_filter_parse_error(p, p->p,
					      *p->p ? "&&, || or ')' is missing here"
						    : "')' is missing here");
			inner = NULL;
		}
	} else {
		inner = parse_comparison(p);
	}
	p->depth--;
	return placed(p, from, inner);
}

static const struct tp_filter_node *join(struct tp_filter_parser *p, enum tp_filter_kind kind,
					 const char *from, const struct tp_filter_node *a,
					 const struct tp_filter_node *b)
{
	struct tp_filter_node *n = a && b ? tp_filter_parse_node(p, kind) : NULL;

	if (!n)
		return NULL;
	n->a = a;
	n->b = b;
	return placed(p, from, n);
}

static const struct tp_filter_node *parse_all(struct tp_filter_parser *p)
{
	const struct tp_filter_node *n;
	const char *from;

	tp_filter_parse_blanks(p);
	from = p->p;
	n = parse_unary(p);
	while (n && take(p, "&&"))
		n = join(p, TP_FILTER_ALL, from, n, parse_unary(p));
	return n;
}

static const struct tp_filter_node *parse_any(struct tp_filter_parser *p)
{
	const struct tp_filter_node *n;
	const char *from;

	tp_filter_parse_blanks(p);
	from = p->p;
	n = parse_all(p);
	while (n && take(p, "||"))
		n = join(p, TP_FILTER_ANY, from, n, parse_all(p));
	return n;
}

const struct tp_filter_node *tp_filter_parse_all(struct tp_filter_parser *p)
{
	const struct tp_filter_node *n;

	tp_filter_parse_blanks(p);
	if (!*p->p) {
		tp_filter_parse_error(p, p->p, "the filter is empty");
		tp_filter_parse_fields(p, (struct tp_filter_word){p->p, 0});
		return NULL;
	}
	n = parse_any(p);
	tp_filter_parse_blanks(p);
	if (n && *p->p) {
		tp_filter_parse_error(p, p->p,
				      *p->p == ')' ? "no '(' belongs to this"
						   : "&& or || is missing here");
		return NULL;
	}
	return n;
}
