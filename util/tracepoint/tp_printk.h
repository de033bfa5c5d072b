/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_printk.h - the kernel's printf conversions (Documentation/core-api/printk-formats.rst) of bytes
 * and numbers, appended to a buf.
 */
#ifndef TRACEPOINT_TP_PRINTK_H
#define TRACEPOINT_TP_PRINTK_H

#include "util/base/buf.h"
#include "util/base/types.h"

enum tp_spec_flags {
	TP_SPEC_LEFT = 1,        /* %-d */
	TP_SPEC_ZERO = 2,        /* %0d */
	TP_SPEC_ALT = 4,         /* %#x */
	TP_SPEC_PLUS = 8,        /* %+d */
	TP_SPEC_SPACE = 16,      /* % d */
	TP_SPEC_PREC = 32,       /* there is a precision */
	TP_SPEC_STAR_WIDTH = 64, /* the width is an argument */
	TP_SPEC_STAR_PREC = 128,
};

/* One conversion, as %-8.3lx. */
struct tp_spec {
	u8 flags;
	char conv; /* d u x X o c s p */
	u16 width, prec;
};

/* Nothing foreign makes a line longer than this. */
#define TP_PUT_WIDTH_MAX 4096

/* A number, already of the type that the conversion takes: sign- or zero-extended. */
void tp_printk_number(struct buf *b, const struct tp_spec *s, u64 v);
/* Cut and pad what was appended from `start` on as %s does. */
void tp_printk_pad(struct buf *b, const struct tp_spec *s, size_t start);
void tp_printk_0x(struct buf *b, u64 v);

/* 192.168.0.1, or 192.168.000.001 */
void tp_printk_ip4(struct buf *b, const u8 a[4], bool zeros, bool reverse);
/* All 8 groups, with or without colons. */
void tp_printk_ip6(struct buf *b, const u8 a[16], bool colons);
/* RFC 5952: the longest run of zero groups becomes "::". */
void tp_printk_ip6c(struct buf *b, const u8 a[16]);

/* A struct sockaddr_in or _in6 of `n` bytes; nothing for other families. */
enum tp_sock_flags {
	TP_SOCK_PORT = 1,
	TP_SOCK_FLOW = 2,
	TP_SOCK_SCOPE = 4,
	TP_SOCK_SHORT = 8,
	TP_SOCK_REVERSE = 16,
	TP_SOCK_ZEROS = 32, /* %piS */
};
void tp_printk_sockaddr(struct buf *b, const u8 *p, size_t n, unsigned int flags);

void tp_printk_uuid(struct buf *b, const u8 u[16], bool little_endian, bool upper);
/* `sep` (0 for none) between two bytes. */
void tp_printk_hex(struct buf *b, const u8 *p, size_t n, char sep);
void tp_printk_mac(struct buf *b, const u8 p[6], char sep, bool reverse);
/* ffffffff,00000001: the bits of host longs, highest first. */
void tp_printk_bitmask(struct buf *b, const u8 *p, size_t n);
/* 0-3,8 */
void tp_printk_bitlist(struct buf *b, const u8 *p, size_t nr_bits);

/* print_hex_dump(): a new line, and then a line per `rowsize` bytes. */
struct tp_dump {
	u32 prefix, prefix_len; /* in the program's text */
	u32 prefix_type;        /* 0 none, 1 address, 2 offset */
	u32 rowsize, groupsize;
	bool ascii;
};
void tp_printk_hexdump(struct buf *b, const struct tp_dump *d, const char *prefix, const u8 *p,
		       size_t n);

#endif
