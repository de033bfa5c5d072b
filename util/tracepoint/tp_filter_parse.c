// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "util/base/err.h"
#include "util/base/num.h"
#include "util/base/text.h"

/* ---- patterns ---- */

/* A pattern of the kernel, in which a backslash takes away what the next byte means, for base/glob.h. */
static const char *plain_pattern(struct tp_filter_parser *p, const char *s)
{
	struct buf b = {0};
	const char *copy;

	for (; *s; s++) {
		if (*s != '\\' || !s[1])
			buf_addc(&b, *s);
		else if (strchr("*?[", *++s))
			buf_addf(&b, "[%c]", *s);
		else
			buf_addc(&b, *s);
	}
	copy = b.failed ? NULL : arena_strndup(p->arena, buf_str(&b), b.len);
	buf_free(&b);
	return copy ? copy : tp_filter_parse_nomem(p);
}

/*
 * The pattern for the kernel, NULL if there is none. It misreads two sorts: what begins with a digit
 * is no pattern to it, and "*end" it looks for where the array ends, not the text in it. A set of
 * one byte, [e], makes it use its general matcher for both.
 */
static const char *kernel_pattern(struct tp_filter_parser *p, const char *s)
{
	size_t len = strlen(s), set = len, i;
	struct buf b = {0};
	const char *copy;

	if (isdigit((u8)*s) && strpbrk(s, "*?[\\"))
		set = 0;
	else if (*s == '*' && len > 1 && !strpbrk(s + 1, "*?[\\"))
		for (set = 1; set < len && strchr("!^]", s[set]); set++)
			;
	else
		set = SIZE_MAX;
	if (set == len)
		return NULL;
	for (i = 0; i < len; i++) {
		buf_addf(&b, i == set ? "[%c]" : "%c", s[i]);
		if (s[i] == '\\' && s[i + 1])
			buf_addc(&b, s[++i]);
		else if (s[i] == '[' && s[i + 1] == '^')
			buf_addc(&b, s[++i] == '^' ? '!' : '^');
	}
	copy = b.failed ? NULL : arena_strndup(p->arena, buf_str(&b), b.len);
	buf_free(&b);
	return copy ? copy : tp_filter_parse_nomem(p);
}

static struct tp_filter_node *negated(struct tp_filter_parser *p, struct tp_filter_node *inner)
{
	struct tp_filter_node *n = inner ? tp_filter_parse_node(p, TP_FILTER_NOT) : NULL;

	if (n)
		n->a = inner;
	return n;
}

static const struct tp_filter_node *like(struct tp_filter_parser *p, struct tp_filter_node *n,
					 bool negate)
{
	const char *s = n->text;

	if (*s == '!') {
		negate = !negate;
		s++;
	}
	n->kind = TP_FILTER_GLOB;
	n->like = kernel_pattern(p, s);
	n->text = plain_pattern(p, s);
	if (!n->text)
		return NULL;
	n->len = strlen(n->text);
	return negate ? negated(p, n) : n;
}

/* ---- text ---- */

static bool take_quoted(struct tp_filter_parser *p, struct tp_filter_word *w)
{
	const char *open = p->p, *close;

	close = strchr(open + 1, *open);
	if (!close) {
		tp_filter_parse_error(p, open, "the %c that ends the text is missing", *open);
		return false;
	}
	*w = (struct tp_filter_word){open + 1, (size_t)(close - open) - 1};
	p->p = close + 1;
	return true;
}

static bool text_operator(struct tp_filter_parser *p, const struct tp_filter_value *v,
			  enum tp_filter_op op, const char *at)
{
	if (op == TP_FILTER_EQ || op == TP_FILTER_NE || op == TP_FILTER_LIKE ||
	    op == TP_FILTER_NOT_LIKE)
		return true;
	tp_filter_parse_error(p, at, "'%s' is text: it has no order", tp_filter_name(v));
	tp_filter_parse_hint(p, "compare text with == != ~ !~");
	return false;
}

/* The pointer itself: the kernel compares only what it points to. */
static const struct tp_filter_node *pointer_number(struct tp_filter_parser *p,
						   const struct tp_filter_value *v,
						   enum tp_filter_op op, struct tp_filter_word w)
{
	const char *s = tp_filter_parse_copy(p, w);
	struct tp_filter_node *n = s ? tp_filter_parse_node(p, TP_FILTER_NUMBER) : NULL;

	if (!n)
		return NULL;
	if (!num_u64(s, &n->number))
		return tp_filter_parse_error(p, w.s, "'%s' is no number", s);
	n->op = op;
	n->left = *v;
	return n;
}

/* Is the text one that the field can be? */
static const struct tp_filter_node *known_text(struct tp_filter_parser *p,
					       const struct tp_filter_node *n,
					       struct tp_filter_word w)
{
	const struct tp_filter_names *names = p->opts->names;
	const struct tp_filter_node *plain = n && n->kind == TP_FILTER_NOT ? n->a : n;
	const char *field, *meant = NULL;
	bool pattern;

	if (!n || !names || !names->text || plain->left.what != TP_FILTER_FIELD)
		return n;
	pattern = plain->kind == TP_FILTER_GLOB;
	field = tp_filter_name(&plain->left);
	if (names->text(names->arg, field, plain->text, pattern, &meant))
		return n;
	if (pattern)
		tp_filter_parse_error(p, w.s, "no value of '%s' is like '%.*s'", field,
				      TP_FILTER_WORD(w));
	else
		tp_filter_parse_error(p, w.s, "'%.*s' is no value of '%s'", TP_FILTER_WORD(w),
				      field);
	if (meant)
		tp_filter_parse_hint(p, "did you mean '%s'?", meant);
	return NULL;
}

/* A text, bytes or an address after an operator; `user`: .ustring was given. */
static const struct tp_filter_node *parse_text_operand(struct tp_filter_parser *p,
						       const struct tp_filter_value *v,
						       enum tp_filter_op op, bool user)
{
	bool pointer = tp_filter_is_text_pointer(v);
	const struct tp_filter_node *address;
	const char *at = p->p;
	struct tp_filter_value right;
	struct tp_filter_node *n;
	struct tp_filter_word w;

	if (*p->p == '"' || *p->p == '\'') {
		if (!text_operator(p, v, op, at) || !take_quoted(p, &w))
			return NULL;
	} else {
		w = tp_filter_parse_word(p, "");
		if (pointer && isdigit((u8)*w.s) && op != TP_FILTER_LIKE &&
		    op != TP_FILTER_NOT_LIKE)
			return pointer_number(p, v, op, w);
		if (!text_operator(p, v, op, at))
			return NULL;
		if (tp_filter_text_address(p, v, op, w, &address))
			return address;
		if (!pointer && (op == TP_FILTER_EQ || op == TP_FILTER_NE) &&
		    tp_filter_parse_value(p, w, &right) && tp_filter_is_text(&right))
			return tp_filter_parse_values(p, v, op, &right);
	}
	n = tp_filter_parse_node(p, TP_FILTER_TEXT);
	if (!n)
		return NULL;
	n->op = op;
	n->left = *v;
	/* the arguments of system calls point into the process that calls */
	n->user = pointer && (user || (p->opts->system && !strcmp(p->opts->system, "syscalls")));
	n->text = tp_filter_parse_copy(p, w);
	n->len = w.len;
	if (!n->text)
		return NULL;
	return known_text(p,
			  op == TP_FILTER_LIKE || op == TP_FILTER_NOT_LIKE
				  ? like(p, n, op == TP_FILTER_NOT_LIKE)
				  : n,
			  w);
}

/* ---- functions ---- */

const struct tp_filter_node *tp_filter_text_function(struct tp_filter_parser *p,
						     const struct tp_filter_value *v,
						     enum tp_filter_op op)
{
	const struct tp_filter_names *names = p->opts->names;
	const char *meant = NULL;
	struct tp_filter_node *n;
	struct tp_filter_word w;
	int known = -1;

	if (op != TP_FILTER_EQ && op != TP_FILTER_NE)
		return tp_filter_parse_error(p, p->p, "a function is compared with == and != only");
	if (*p->p == '"' || *p->p == '\'') {
		if (!take_quoted(p, &w))
			return NULL;
	} else {
		w = tp_filter_parse_word(p, "");
	}
	n = tp_filter_parse_node(p, TP_FILTER_FUNCTION);
	if (!n)
		return NULL;
	n->op = op;
	n->left = *v;
	n->len = w.len;
	n->text = tp_filter_parse_copy(p, w);
	if (!n->text)
		return NULL;
	if (!w.len)
		return tp_filter_parse_error(p, w.s, "which function? Its name is missing");
	if (names && names->function && !isdigit((u8)*n->text))
		known = names->function(names->arg, n->text, &n->start, &n->end, &meant);
	if (!known) {
		tp_filter_parse_error(p, w.s, "the kernel has no function '%.*s'",
				      TP_FILTER_WORD(w));
		if (meant)
			tp_filter_parse_hint(p, "did you mean '%s'?", meant);
		return NULL;
	}
	return n;
}

/* ---- bytes ---- */

#define SOCKADDR_IN6 28 /* bytes; a field so large holds any address with its family before it */

/* Put the address into a node for this field; false: it is not for this field. */
static bool place_address(struct tp_filter_node *n, const struct tp_field *f, bool v6, u8 addr[16])
{
	u32 whole = v6 ? 128 : 32;

	if (f->size >= SOCKADDR_IN6) {
		n->at = v6 ? 8 : 4;
		n->family = v6 ? AF_INET6 : AF_INET;
	} else if (!v6 && f->size == 16) {
		/* as IPv6 has it: ::ffff:10.0.0.1 */
		memmove(addr + 12, addr, 4);
		memset(addr, 0, 10);
		memset(addr + 10, 0xff, 2);
		n->bits += 96;
	} else if (f->size != whole / 8) {
		return false;
	}
	return true;
}

static bool read_mac(const char *s, u8 mac[6])
{
	u64 v;
	u32 i;

	for (i = 0; i < 6; i++, s += 3) {
		if (!isxdigit((u8)s[0]) || !isxdigit((u8)s[1]) || s[2] != (i < 5 ? ':' : '\0') ||
		    !num_hex(s, 2, &v))
			return false;
		mac[i] = (u8)v;
	}
	return true;
}

/* Any address; bits: those of the prefix. 0: it is none, else its bytes. */
static u32 read_address(const char *word, u8 addr[16], u32 *bits)
{
	const char *slash = strchr(word, '/');
	char host[64];
	size_t len = slash ? (size_t)(slash - word) : strlen(word);
	u64 prefix;
	u32 size;

	if (len >= sizeof(host))
		return 0;
	memcpy(host, word, len);
	host[len] = '\0';
	if (inet_pton(AF_INET, host, addr) == 1)
		size = 4;
	else if (inet_pton(AF_INET6, host, addr) == 1)
		size = 16;
	else if (!slash && read_mac(host, addr))
		size = 6;
	else
		return 0;
	*bits = size * 8;
	if (slash) {
		if (!num_u64(slash + 1, &prefix) || prefix > *bits)
			return 0;
		*bits = (u32)prefix;
	}
	return size;
}

bool tp_filter_text_address(struct tp_filter_parser *p, const struct tp_filter_value *v,
			    enum tp_filter_op op, struct tp_filter_word w,
			    const struct tp_filter_node **out)
{
	const struct tp_field *f = v->field;
	const char *word;
	struct tp_filter_node *n;
	u8 addr[16];
	u32 size, bits;
	bool bytes;

	*out = NULL;
	/* text that looks like an address is text */
	if (v->what == TP_FILTER_COMM || !w.len || w.len > 63 || !strpbrk(w.s, ".:") ||
	    (tp_filter_is_text(v) && !strstr(f->type, "unsigned")) || tp_filter_is_text_pointer(v))
		return false;
	word = tp_filter_parse_copy(p, w);
	size = word ? read_address(word, addr, &bits) : 0;
	if (!size)
		return !word;
	bytes = v->what == TP_FILTER_FIELD && f->loc == TP_LOC_FIXED &&
		((f->is_array && f->elem_size == 1) || strstr(f->type, "be32"));
	n = tp_filter_parse_node(p, TP_FILTER_BYTES);
	if (!n)
		return true;
	n->bits = bits;
	if (!bytes || (size == 6 ? f->size != 6 : !place_address(n, f, size == 16, addr))) {
		tp_filter_parse_error(p, w.s, "'%s' holds no such address", tp_filter_name(v));
		return true;
	}
	if (op != TP_FILTER_EQ && op != TP_FILTER_NE) {
		tp_filter_parse_error(p, w.s, "addresses are compared with == and != only");
		return true;
	}
	n->op = op;
	n->left = *v;
	n->text = arena_memdup(p->arena, addr, sizeof(addr));
	n->len = sizeof(addr);
	if (n->text)
		*out = n;
	else
		tp_filter_parse_nomem(p);
	return true;
}

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

/* The fields of the event as the hint. */
static void tp_filter_parse_fields(struct tp_filter_parser *p, struct tp_filter_word meant)
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

/* What may follow the name of a field. */
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
				     ".function: the function that an address is in; "
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
		return parse_text_operand(p, &v, op, suffixes.user);
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
