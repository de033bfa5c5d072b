// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <string.h>
#include <sys/socket.h>

#include "util/base/num.h"

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

const struct tp_filter_node *tp_filter_text_parse(struct tp_filter_parser *p,
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
	return op == TP_FILTER_LIKE || op == TP_FILTER_NOT_LIKE
		       ? like(p, n, op == TP_FILTER_NOT_LIKE)
		       : n;
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
