// SPDX-License-Identifier: GPL-2.0
#include "util/draw/perf_script.h"

#include <ctype.h>
#include <string.h>

#include "util/base/num.h"

/* A part of a line. */
struct span {
	const char *s;
	size_t len;
};

/* The first line of a sample. */
struct head {
	struct span comm, event, rest;
	u64 period; /* 0: it has none */
	bool timed; /* it has a CPU or a time, which little else looks like */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool equals(struct span a, const char *b)
{
	return a.len == strlen(b) && !memcmp(a.s, b, a.len);
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	return s;
}

/* The word at *s, which then is behind it and the blanks that follow. */
static struct span next_word(const char **s, const char *end)
{
	struct span w = {*s, 0};

	while (*s < end && !is_blank(**s))
		++*s;
	w.len = (size_t)(*s - w.s);
	*s = skip_blanks(*s, end);
	return w;
}

static size_t digits(struct span w, size_t at)
{
	size_t n = 0;

	while (at + n < w.len && isdigit((unsigned char)w.s[at + n]))
		n++;
	return n;
}

/* "12", "12/13", "-1" */
static bool is_task(struct span w)
{
	size_t at = w.len && w.s[0] == '-', n = digits(w, at);

	at += n;
	if (!n || at == w.len)
		return n;
	if (w.s[at++] != '/')
		return false;
	at += at < w.len && w.s[at] == '-';
	n = digits(w, at);
	return n && at + n == w.len;
}

/* "[000]" */
static bool is_cpu(struct span w)
{
	return w.len > 2 && w.s[0] == '[' && digits(w, 1) == w.len - 2 && w.s[w.len - 1] == ']';
}

/* "12.345678:" */
static bool is_time(struct span w)
{
	size_t n = digits(w, 0), m = n ? digits(w, n + 1) : 0;

	return n && m && w.s[n] == '.' && n + m + 2 == w.len && w.s[w.len - 1] == ':';
}

static bool number(struct span w, u64 *v)
{
	char text[24];

	if (!w.len || w.len >= sizeof(text) || digits(w, 0) != w.len)
		return false;
	memcpy(text, w.s, w.len);
	text[w.len] = '\0';
	return num_u64(text, v);
}

/*
 * Where the task's number is: commands may hold blanks and numbers, so it is the first number in front of a CPU or a time,
 * else the first. The words behind it begin at *behind.
 */
static struct span find_task(const char *s, const char *end, const char **behind, bool *timed)
{
	struct span w, next, found = {0};
	const char *at = s, *after;

	next_word(&at, end);
	while (at < end) {
		w = next_word(&at, end);
		if (!is_task(w))
			continue;
		after = at;
		next = next_word(&after, end);
		*timed = is_cpu(next) || is_time(next);
		if (!found.s || *timed) {
			found = w;
			*behind = at;
		}
		if (*timed)
			break;
	}
	return found;
}

static bool read_head(const char *s, const char *end, struct head *h)
{
	const char *at, *after, *colon;
	struct span task, w;

	*h = (struct head){0};
	s = skip_blanks(s, end);
	task = find_task(s, end, &at, &h->timed);
	if (!task.s)
		return false;
	h->comm = (struct span){s, (size_t)(task.s - s)};
	while (h->comm.len && is_blank(h->comm.s[h->comm.len - 1]))
		h->comm.len--;
	after = at;
	for (w = next_word(&after, end); is_cpu(w) || is_time(w); w = next_word(&after, end))
		at = after;
	if (number(w, &h->period))
		at = after;
	/* names of events hold colons, and may hold blanks: a colon and a blank end one */
	for (colon = at; colon < end; colon++)
		if (*colon == ':' && (colon + 1 == end || is_blank(colon[1])))
			break;
	if (colon == end || colon == at)
		return false;
	h->event = (struct span){at, (size_t)(colon - at)};
	at = skip_blanks(colon + 1, end);
	h->rest = (struct span){at, (size_t)(end - at)};
	return true;
}

bool perf_script_begins(const char *line, size_t len)
{
	struct head h;

	return read_head(line, line + len, &h) && (h.timed || !h.rest.len);
}

/* The " (file)" at the end; names of functions and files hold parentheses, too. */
static struct span find_file(struct span *symbol)
{
	struct span file = {0};
	size_t i = symbol->len;
	int depth = 0;

	if (!i || symbol->s[i - 1] != ')')
		return file;
	while (i--) {
		depth += symbol->s[i] == ')';
		depth -= symbol->s[i] == '(';
		if (depth)
			continue;
		if (!i || !is_blank(symbol->s[i - 1]))
			break;
		file = (struct span){symbol->s + i + 1, symbol->len - i - 2};
		for (symbol->len = i; symbol->len && is_blank(symbol->s[symbol->len - 1]);)
			symbol->len--;
		break;
	}
	return file;
}

/* "main+0x1f" */
static void cut_offset(struct span *symbol)
{
	size_t i = symbol->len;

	while (i && isxdigit((unsigned char)symbol->s[i - 1]))
		i--;
	if (i > 3 && i < symbol->len && !memcmp(symbol->s + i - 3, "+0x", 3))
		symbol->len = i - 3;
}

/* The label of a function; of one without a name, that of its file in brackets. ID_NONE: out of memory. */
static u32 label_of(struct perf_script *p, struct span symbol, struct span file)
{
	struct buf name = {0};
	size_t i;
	u32 id;

	if (!equals(symbol, "[unknown]") || !file.len || equals(file, "[unknown]"))
		return frame_tree_name(p->tree, symbol.s, symbol.len);
	for (i = file.len; i && file.s[i - 1] != '/'; i--)
		;
	if (i < file.len)
		file = (struct span){file.s + i, file.len - i};
	buf_adds(&name, file.s[0] == '[' ? "" : "[");
	buf_add(&name, file.s, file.len);
	buf_adds(&name, file.s[0] == '[' ? "" : "]");
	id = name.failed ? ID_NONE : frame_tree_name(p->tree, buf_str(&name), name.len);
	buf_free(&name);
	return id;
}

/* "address symbol+0x1f (dso)"; without the rest of it, the address. */
static bool read_frame(struct span line, struct span *symbol, struct span *file)
{
	const char *s = skip_blanks(line.s, line.s + line.len), *end = line.s + line.len;
	struct span address = next_word(&s, end);
	size_t i;

	for (i = 0; i < address.len; i++)
		if (!isxdigit((unsigned char)address.s[i]))
			return false;
	if (!address.len || address.len > 16)
		return false;
	*symbol = (struct span){s, (size_t)(end - s)};
	*file = find_file(symbol);
	cut_offset(symbol);
	if (!symbol->len)
		*symbol = file->len ? (struct span){"[unknown]", 9} : address;
	return true;
}

static int add_frame(struct perf_script *p, struct span symbol, struct span file, struct err *err)
{
	u32 *to;

	if (!p->wanted)
		return 0;
	to = vec_push(&p->frames);
	if (!to)
		return err_nomem(err);
	*to = label_of(p, symbol, file);
	return *to == ID_NONE ? err_nomem(err) : 0;
}

int perf_script_end(struct perf_script *p, struct err *err)
{
	u32 node, i = p->frames.nr;
	bool counts = p->inside && p->wanted;

	p->inside = false;
	if (!counts)
		return 0;
	if (p->comm.failed)
		return err_nomem(err);
	node = frame_tree_child(p->tree, 0,
				frame_tree_name(p->tree, buf_str(&p->comm), p->comm.len));
	while (i--)
		node = frame_tree_child(p->tree, node, p->frames.v[i]);
	p->stacks++;
	return p->old ? frame_tree_add_old(p->tree, node, p->weight, err)
		      : frame_tree_add(p->tree, node, p->weight, err);
}

static int begin_sample(struct perf_script *p, const struct head *h, struct err *err)
{
	struct span symbol, file;
	size_t i;

	p->inside = true;
	p->frames.nr = 0;
	/* what perf script --show-task-events and its like print between samples */
	p->wanted = h->event.len < 12 || memcmp(h->event.s, "PERF_RECORD_", 12) != 0;
	if (!p->wanted)
		return 0;
	if (!p->event) {
		buf_add(&p->first, h->event.s, h->event.len);
		if (p->first.failed)
			return err_nomem(err);
		p->event = buf_str(&p->first);
	}
	p->wanted = equals(h->event, p->event);
	p->others += !p->wanted;
	p->weight = h->period ? h->period : 1;
	buf_clear(&p->comm);
	for (i = 0; i < h->comm.len; i++)
		buf_addc(&p->comm, is_blank(h->comm.s[i]) || (!i && h->comm.s[i] == '#')
					   ? '_'
					   : h->comm.s[i]);
	if (h->rest.len && read_frame(h->rest, &symbol, &file) && file.len)
		return add_frame(p, symbol, file, err);
	return 0;
}

/* "  file.c:12", below a frame */
static bool is_source_line(struct span line)
{
	const char *end = line.s + line.len, *s = skip_blanks(line.s, end);
	struct span w = next_word(&s, end);

	return s == end && w.s - line.s >= 2 && w.len &&
	       (memchr(w.s, ':', w.len) || w.s[w.len - 1] == ']');
}

int perf_script_line(struct perf_script *p, const char *line, size_t len, const char **why,
		     struct err *err)
{
	struct span l = {line, len}, symbol, file;
	struct head h;
	bool head;
	int ret;

	*why = NULL;
	while (l.len && (is_blank(l.s[l.len - 1]) || l.s[l.len - 1] == '\r'))
		l.len--;
	/* some versions of perf print one above the frames, too */
	if (!l.len)
		return p->frames.nr ? perf_script_end(p, err) : 0;
	if (*l.s == '#')
		return 0;
	head = read_head(l.s, l.s + l.len, &h);
	if (p->inside && !(head && h.timed)) {
		/* texts that were passed on may have lost what is in front of a frame */
		if (read_frame(l, &symbol, &file) && (is_blank(*l.s) || file.len))
			return add_frame(p, symbol, file, err);
		if (is_source_line(l))
			return 0;
	}
	if (!head) {
		*why = p->inside ? "it is neither a frame nor the first line of a sample"
				 : "it is not the first line of a sample";
		return 0;
	}
	ret = perf_script_end(p, err);
	return ret ? ret : begin_sample(p, &h, err);
}

void perf_script_free(struct perf_script *p)
{
	buf_free(&p->first);
	buf_free(&p->comm);
	vec_free(&p->frames);
}
