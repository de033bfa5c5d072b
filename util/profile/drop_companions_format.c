// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "util/profile/drop_companions_internal.h"

/*
 * In front of its own fields the raw data gets common_unread, so who makes raw data of a field alone has it as well; behind them,
 * from drop_layout.at on, what is added.
 */
#define UNREAD_SIZE 8u /* with padding: fields stay aligned */
struct added {
	u8 saddr[28], daddr[28];
	u16 sport, dport;
	u8 l4, flow_via;
	u8 pad[2]; /* to words of 4 bytes */
};

enum { SADDR, SPORT, DADDR, DPORT, L4, FLOW_VIA, FIELDS };

#define FIELD(name, declaration, conversion, argument)                                  \
	{                                                                               \
#name, declaration, conversion, argument, offsetof(struct added, name), \
			sizeof(((struct added *)0)->name)                               \
	}

static const struct {
	const char *name, *declaration, *conversion, *argument;
	u32 offset, size;
} fields[FIELDS] = {
	[SADDR] = FIELD(saddr, "__u8 saddr[28]", "%pISc", "REC->saddr"),
	[SPORT] = FIELD(sport, "unsigned short sport", "%u", "REC->sport"),
	[DADDR] = FIELD(daddr, "__u8 daddr[28]", "%pISc", "REC->daddr"),
	[DPORT] = FIELD(dport, "unsigned short dport", "%u", "REC->dport"),
	[L4] = FIELD(l4, "unsigned char l4", "%s",
		     "__print_symbolic(REC->l4, { 6, \"TCP\" }, { 17, \"UDP\" })"),
	/* its argument is made of the names below */
	[FLOW_VIA] = FIELD(flow_via, "unsigned char flow_via", "%s", NULL),
};

static const struct drop_companion_name names[] = {
	[DROP_COMPANION_SEND_RESET] = {"tcp", "tcp_send_reset"},
	[DROP_COMPANION_BAD_CSUM] = {"tcp", "tcp_bad_csum"},
	[DROP_COMPANION_FAIL_QUEUE] = {"udp", "udp_fail_queue_rcv_skb"},
	[DROP_COMPANION_ICMP_SEND] = {"icmp", "icmp_send"},
};

const struct drop_companion_name *drop_companions_name(u32 number)
{
	return number < DROP_COMPANIONS - 1 ? &names[number + 1] : NULL;
}

bool drop_companions_gives(const char *field)
{
	u32 i;

	for (i = 0; i < FIELDS; i++)
		if (!strcmp(fields[i].name, field))
			return true;
	return false;
}

/* Common fields, then others, which lie at fixed places, and none of them is one that is added. */
static bool measure(struct drop_layout *l)
{
	const struct tp_format *f = l->own;
	u32 i, own = 0;

	l->own_at = UINT32_MAX;
	l->own_end = 0;
	for (i = 0; i < f->nr_fields; i++) {
		if (f->fields[i].loc != TP_LOC_FIXED || !f->fields[i].size || f->fields[i].unread ||
		    drop_companions_gives(f->fields[i].name))
			return false;
		l->own_end = MAX(l->own_end, f->fields[i].offset + f->fields[i].size);
		if (f->fields[i].is_common)
			continue;
		own++;
		l->own_at = MIN(l->own_at, f->fields[i].offset);
	}
	l->at = ALIGN_UP(l->own_end + UNREAD_SIZE, 8u);
	return own && own < f->nr_fields && own + FIELDS <= 32 && l->at < 4096;
}

static void put_field(const char *declaration, u32 offset, u32 size, struct buf *out)
{
	buf_addf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:0;\n", declaration, offset, size);
}

static void put_fields(const struct drop_layout *l, struct buf *out)
{
	u32 i;

	for (i = 0; i < FIELDS; i++)
		put_field(fields[i].declaration, l->at + fields[i].offset, fields[i].size, out);
}

/* A line of its own: "\tfield:...;\toffset:8;\t...". */
static bool put_moved(const char *line, size_t len, struct buf *out)
{
	static const char word[] = "offset:";
	const char *at = memmem(line, len, word, sizeof(word) - 1), *end = line + len;
	u32 offset = 0;

	if (!at)
		return false;
	at += sizeof(word) - 1;
	buf_add(out, line, (size_t)(at - line));
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		offset = offset * 10 + (u32)(*at - '0');
	buf_addf(out, "%u", offset + UNREAD_SIZE);
	buf_add(out, at, (size_t)(end - at));
	return true;
}

/* The end of the text that a print fmt begins with: of "a" "b", args, where the comma is. NULL: it has none. */
static const char *end_of_text(const char *p, const char *end)
{
	const char *quote = NULL;

	while (p < end && (*p == '"' || *p == ' ')) {
		if (*p++ == ' ')
			continue;
		for (; p < end && *p != '"'; p++)
			p += *p == '\\';
		quote = p++;
	}
	return quote && quote < end ? quote : NULL;
}

static void put_argument(u32 field, struct buf *out)
{
	u32 i;

	if (fields[field].argument) {
		buf_addf(out, ", %s", fields[field].argument);
		return;
	}
	buf_addf(out, ", __print_symbolic(REC->%s", fields[field].name);
	for (i = 1; i < DROP_COMPANIONS; i++)
		buf_addf(out, ", { %u, \"%s\" }", i, names[i].name);
	buf_addc(out, ')');
}

static bool put_print_fmt(const char *p, const char *end, struct buf *out)
{
	const char *quote;
	u32 i;

	while (p < end && *p == ' ')
		p++;
	while (end > p && (end[-1] == '\n' || end[-1] == ' '))
		end--;
	quote = end_of_text(p, end);
	if (!quote)
		return false;
	buf_adds(out, "\nprint fmt: ");
	buf_add(out, p, (size_t)(quote - p));
	for (i = 0; i < FIELDS; i++)
		buf_addf(out, " %s=%s", fields[i].name, fields[i].conversion);
	buf_add(out, quote, (size_t)(end - quote));
	for (i = 0; i < FIELDS; i++)
		put_argument(i, out);
	buf_addc(out, '\n');
	return true;
}

bool drop_layout_format(struct drop_layout *l, const struct tp_format *own, const char *text,
			size_t len, struct buf *out)
{
	static const char print[] = "print fmt:";
	const char *end = text + len, *line, *next;
	bool listed = false, common = false, is_field;

	l->own = own;
	if (!measure(l))
		return false;
	for (line = text; line < end; line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		if ((size_t)(end - line) > sizeof(print) - 1 &&
		    !memcmp(line, print, sizeof(print) - 1)) {
			put_fields(l, out);
			return common && put_print_fmt(line + sizeof(print) - 1, end, out);
		}
		is_field = memmem(line, (size_t)(next - line), "field:", 6) != NULL;
		listed |= is_field;
		/* an empty line ends the common fields; another one all of them */
		if (listed && next - line == 1 && !common) {
			put_field("unsigned int common_unread", l->own_at, sizeof(u32), out);
			common = true;
		} else if (listed && next - line == 1) {
			continue;
		}
		if (!(is_field && common && put_moved(line, (size_t)(next - line), out)))
			buf_add(out, line, (size_t)(next - line));
	}
	return false;
}

static void put_end(const struct drop_end *end, u8 *address, u16 *port)
{
	memset(address, 0, 28);
	memcpy(address, &end->family, sizeof(end->family));
	if (end->family)
		memcpy(address + (end->family == AF_INET ? 4 : 8), end->address,
		       end->family == AF_INET ? 4 : 16);
	*port = end->port;
}

/* Fields of its own that a record is too short for, and those added that are not known. */
static u32 unread_of(const struct drop_layout *l, u32 len, const struct drop_flow *flow)
{
	const struct tp_field *f = l->own->fields, *end = f + l->own->nr_fields;
	u32 unread = 0, bit = 1;

	for (; f < end; f++) {
		if (f->is_common)
			continue;
		if (f->offset + f->size > len)
			unread |= bit;
		bit <<= 1;
	}
	if (!flow)
		return unread | bit * ((1u << FIELDS) - 1);
	unread |= flow->from.family ? 0 : bit << SADDR;
	unread |= flow->from.has_port ? 0 : bit << SPORT;
	unread |= flow->to.family ? 0 : bit << DADDR;
	unread |= flow->to.has_port ? 0 : bit << DPORT;
	unread |= flow->l4 ? 0 : bit << L4;
	return unread;
}

void drop_layout_put(const struct drop_layout *l, const u8 *raw, u32 len,
		     const struct drop_flow *flow, enum drop_companion via, struct buf *out)
{
	const u32 kept = MIN(len, l->own_end), lead = MIN(kept, l->own_at);
	const u32 unread[UNREAD_SIZE / sizeof(u32)] = {unread_of(l, kept, flow)};
	struct added a = {.pad = {0}};

	if (flow) {
		put_end(&flow->from, a.saddr, &a.sport);
		put_end(&flow->to, a.daddr, &a.dport);
		a.l4 = flow->l4;
		a.flow_via = (u8)via;
	}
	buf_add(out, raw, lead);
	buf_pad(out, '\0', l->own_at - lead);
	buf_add(out, unread, sizeof(unread));
	buf_add(out, raw + lead, kept - lead);
	buf_pad(out, '\0', l->at - UNREAD_SIZE - kept - (l->own_at - lead));
	buf_add(out, &a, sizeof(a));
}

void drop_layout_put_nothing(const struct drop_layout *l, const u8 *raw, u32 len, struct buf *out)
{
	static const u32 unread[UNREAD_SIZE / sizeof(u32)] = {UINT32_MAX};
	const u32 lead = MIN(len, l->own_at);

	buf_add(out, raw, lead);
	buf_pad(out, '\0', l->own_at - lead);
	buf_add(out, unread, sizeof(unread));
}
