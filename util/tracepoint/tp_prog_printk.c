// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_prog_internal.h"

#include <sys/socket.h>

#include <string.h>

#include "util/base/text.h"

static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

/* The digits at the end of `out`; where they begin. */
static unsigned int digits_of(char out[static 64], u64 v, unsigned int base, const char *set)
{
	unsigned int at = 64;

	if (base == 16) {
		for (; v; v >>= 4)
			out[--at] = set[v & 15];
	} else {
		for (; v; v /= base)
			out[--at] = set[v % base];
	}
	return at;
}

void tp_printk_number(struct buf *b, const struct tp_spec *s, u64 v)
{
	bool hex = (s->conv | 32) == 'x', is_signed = s->conv == 'd';
	unsigned int base = hex ? 16 : s->conv == 'o' ? 8 : 10;
	unsigned int at, n, zeros = 0, prefix_len = 0, blanks;
	char digits[64], prefix[2], *d;
	u64 magnitude = is_signed && (s64)v < 0 ? 0 - v : v;

	at = digits_of(digits, magnitude, base, s->conv == 'X' ? upper : lower);
	n = 64 - at;
	if (is_signed && (s64)v < 0)
		prefix[prefix_len++] = '-';
	else if (is_signed && s->flags & (TP_SPEC_PLUS | TP_SPEC_SPACE))
		prefix[prefix_len++] = s->flags & TP_SPEC_PLUS ? '+' : ' ';
	if (s->flags & TP_SPEC_ALT && hex && v) {
		prefix[prefix_len++] = '0';
		prefix[prefix_len++] = s->conv;
	}
	if (s->flags & TP_SPEC_PREC)
		zeros = s->prec > n ? s->prec - n : 0;
	else if (s->flags & TP_SPEC_ZERO && !(s->flags & TP_SPEC_LEFT))
		zeros = s->width > n + prefix_len ? s->width - n - prefix_len : 0;
	if (!n && !zeros && !(s->flags & TP_SPEC_PREC))
		zeros = 1;
	if (s->flags & TP_SPEC_ALT && base == 8 && !zeros)
		zeros = 1;
	n += zeros + prefix_len;
	blanks = s->width > n ? s->width - n : 0;

	d = buf_room(b, n + blanks);
	if (!d)
		return;
	if (!(s->flags & TP_SPEC_LEFT)) {
		memset(d, ' ', blanks);
		d += blanks;
	}
	memcpy(d, prefix, prefix_len);
	memset(d + prefix_len, '0', zeros);
	memcpy(d + prefix_len + zeros, digits + at, 64 - at);
	if (s->flags & TP_SPEC_LEFT)
		memset(d + n, ' ', blanks);
	b->len += n + blanks;
	b->data[b->len] = '\0';
}

void tp_printk_pad(struct buf *b, const struct tp_spec *s, size_t start)
{
	size_t n = b->len - start, blanks;

	if (b->failed)
		return;
	if (s->flags & TP_SPEC_PREC && s->prec < n) {
		n = s->prec;
		b->len = start + n;
		b->data[b->len] = '\0';
	}
	if (s->width <= n)
		return;
	blanks = s->width - n;
	buf_pad(b, ' ', blanks);
	if (b->failed || s->flags & TP_SPEC_LEFT)
		return;
	memmove(b->data + start + blanks, b->data + start, n);
	memset(b->data + start, ' ', blanks);
}

void tp_printk_0x(struct buf *b, u64 v)
{
	buf_add(b, "0x", 2);
	buf_hex(b, v, 0);
}

void tp_printk_hex(struct buf *b, const u8 *p, size_t n, char sep)
{
	char *d = n ? buf_room(b, n * 3) : NULL;
	size_t i, at = 0;

	if (!d)
		return;
	for (i = 0; i < n; i++) {
		if (sep && i)
			d[at++] = sep;
		d[at++] = lower[p[i] >> 4];
		d[at++] = lower[p[i] & 15];
	}
	b->len += at;
	b->data[b->len] = '\0';
}

void tp_printk_mac(struct buf *b, const u8 p[6], char sep, bool reverse)
{
	u8 r[6];
	unsigned int i;

	for (i = 0; i < 6; i++)
		r[i] = p[reverse ? 5 - i : i];
	tp_printk_hex(b, r, 6, sep);
}

void tp_printk_ip4(struct buf *b, const u8 a[4], bool zeros, bool reverse)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		if (i)
			buf_addc(b, '.');
		buf_dec0(b, a[reverse ? 3 - i : i], zeros ? 3 : 0);
	}
}

void tp_printk_ip6(struct buf *b, const u8 a[16], bool colons)
{
	unsigned int i;

	for (i = 0; i < 16; i += 2) {
		tp_printk_hex(b, a + i, 2, 0);
		if (colons && i < 14)
			buf_addc(b, ':');
	}
}

/* ::ffff:a.b.c.d, and ISATAP's ::5efe:a.b.c.d (RFC 5214) with or without the global bit. */
static bool ends_in_ip4(const u8 a[16])
{
	static const u8 mapped[12] = {[10] = 0xff, [11] = 0xff};
	static const u8 isatap[3] = {0x00, 0x5e, 0xfe};

	return !memcmp(a, mapped, sizeof(mapped)) ||
	       ((a[8] | 2) == 2 && !memcmp(a + 9, isatap, sizeof(isatap)));
}

void tp_printk_ip6c(struct buf *b, const u8 a[16])
{
	bool ip4 = ends_in_ip4(a), colon = false;
	unsigned int nr = ip4 ? 6 : 8, run_at = nr, run = 1, i, j;

	for (i = 0; i < nr; i = j + 1) {
		for (j = i; j < nr && !a[2 * j] && !a[2 * j + 1]; j++)
			;
		if (j - i > run) {
			run = j - i;
			run_at = i;
		}
	}
	for (i = 0; i < nr; i++) {
		if (i == run_at) {
			buf_adds(b, "::");
			colon = false;
			i += run - 1;
			continue;
		}
		if (colon)
			buf_addc(b, ':');
		buf_hex(b, (u32)a[2 * i] << 8 | a[2 * i + 1], 0);
		colon = true;
	}
	if (!ip4)
		return;
	if (colon)
		buf_addc(b, ':');
	tp_printk_ip4(b, a + 12, false, false);
}

void tp_printk_sockaddr(struct buf *b, const u8 *p, size_t n, unsigned int flags)
{
	bool foreign = n >= 2 && p[__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 0 : 1];
	u16 family = 0;
	unsigned int port;
	u32 scope;

	if (n < 4)
		return;
	memcpy(&family, p, sizeof(family));
	/* no family has more than 8 bits: this one is of a machine of the other byte order */
	if (foreign)
		family = __builtin_bswap16(family);
	port = (unsigned int)p[2] << 8 | p[3];
	if (family == AF_INET && n < 16) {
		buf_adds(b, "INVALIDIPv4");
	} else if (family == AF_INET) {
		tp_printk_ip4(b, p + 4, flags & TP_SOCK_ZEROS, flags & TP_SOCK_REVERSE);
		if (flags & TP_SOCK_PORT)
			buf_addf(b, ":%u", port);
	} else if (family == AF_INET6 && n < 28) {
		buf_adds(b, "INVALIDIPv6");
	} else if (family == AF_INET6) {
		if (flags & (TP_SOCK_PORT | TP_SOCK_FLOW | TP_SOCK_SCOPE))
			buf_addc(b, '[');
		if (flags & TP_SOCK_SHORT)
			tp_printk_ip6c(b, p + 8);
		else
			tp_printk_ip6(b, p + 8, !(flags & TP_SOCK_ZEROS));
		if (flags & (TP_SOCK_PORT | TP_SOCK_FLOW | TP_SOCK_SCOPE))
			buf_addc(b, ']');
		if (flags & TP_SOCK_PORT)
			buf_addf(b, ":%u", port);
		if (flags & TP_SOCK_FLOW)
			buf_addf(b, "/%u", (p[5] & 15u) << 16 | (u32)p[6] << 8 | p[7]);
		memcpy(&scope, p + 24, sizeof(scope));
		if (flags & TP_SOCK_SCOPE)
			buf_addf(b, "%%%u", foreign ? __builtin_bswap32(scope) : scope);
	}
}

void tp_printk_uuid(struct buf *b, const u8 u[16], bool little_endian, bool upper_case)
{
	static const u8 order[2][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
					{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15}};
	const char *set = upper_case ? upper : lower;
	char text[36];
	unsigned int i, at = 0;

	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[at++] = '-';
		text[at++] = set[u[order[little_endian][i]] >> 4];
		text[at++] = set[u[order[little_endian][i]] & 15];
	}
	buf_add(b, text, at);
}

static bool test_bit(const u8 *p, size_t i)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	i ^= 8 * (sizeof(long) - 1);
#endif
	return p[i / 8] >> (i % 8) & 1;
}

void tp_printk_bitmask(struct buf *b, const u8 *p, size_t n)
{
	unsigned int nibble, bit;
	size_t i;

	for (i = n * 2; i--;) {
		for (nibble = bit = 0; bit < 4; bit++)
			nibble |= (unsigned int)test_bit(p, i * 4 + bit) << bit;
		buf_addc(b, lower[nibble]);
		if (i && i % 8 == 0)
			buf_addc(b, ',');
	}
}

void tp_printk_bitlist(struct buf *b, const u8 *p, size_t nr_bits)
{
	size_t start = b->len, i, j;

	for (i = 0; i < nr_bits; i = j + 1) {
		for (j = i; j < nr_bits && test_bit(p, j); j++)
			;
		if (j == i)
			continue;
		if (b->len > start)
			buf_addc(b, ',');
		buf_dec(b, i, 0);
		if (j - i == 1)
			continue;
		buf_addc(b, '-');
		buf_dec(b, j - 1, 0);
	}
}

static void dump_row(struct buf *b, const struct tp_dump *d, u32 group, const u8 *p, size_t n)
{
	size_t start = b->len, i, columns = d->rowsize * 2 + d->rowsize / group + 1;
	u32 j;

	for (i = 0; i + group <= n; i += group) {
		if (i)
			buf_addc(b, ' ');
		for (j = 0; j < group; j++) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			tp_printk_hex(b, p + i + group - 1 - j, 1, 0);
#else
			tp_printk_hex(b, p + i + j, 1, 0);
#endif
		}
	}
	if (!d->ascii)
		return;
	if (b->len - start < columns)
		buf_pad(b, ' ', columns - (b->len - start));
	for (i = 0; i < n; i++)
		buf_addc(b, p[i] >= 0x20 && p[i] < 0x7f ? (char)p[i] : '.');
}

void tp_printk_hexdump(struct buf *b, const struct tp_dump *d, const char *prefix, const u8 *p,
		       size_t n)
{
	struct tp_dump fixed = *d;
	size_t i, row;
	u32 group;

	/* What print_hex_dump() falls back to. */
	if (fixed.rowsize != 16 && fixed.rowsize != 32)
		fixed.rowsize = 16;
	group = fixed.groupsize;
	buf_addc(b, '\n');
	for (i = 0; i < n; i += row) {
		row = MIN(n - i, (size_t)fixed.rowsize);
		text_escape(b, prefix, d->prefix_len);
		if (d->prefix_type)
			buf_addf(b, "%.8zx: ", i);
		if ((group != 2 && group != 4 && group != 8) || row % group)
			group = 1;
		dump_row(b, &fixed, group, p + i, row);
		buf_addc(b, '\n');
	}
}
