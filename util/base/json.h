/* SPDX-License-Identifier: GPL-2.0 */
/*
 * json.h - writing JSON (RFC 8259) into a buffer. What comes out is always valid: strings are
 * UTF-8, numbers are no NaN and know no locale.
 *
 *	json_open(b, '{');
 *	json_put_unsigned(b, "pid", 12);
 *	json_put_open(b, "cpus", '[');
 *	json_item(b);
 *	json_unsigned(b, 0);
 *	buf_adds(b, "]}\n");                    {"pid":12,"cpus":[0]}
 *
 * Commas are set by json_key() and json_item(), which look at the last byte of the buffer: behind
 * a '{' or '[' there is none. So the buffer must not be emptied within an object. No blanks are
 * written.
 *
 * Integers are written in full. Readers that keep every number in a double (JavaScript, jq before
 * 1.7) round those above 2^53.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "util/base/buf.h"

/* The opening bracket of a value: '{' or '['. */
static inline void json_open(struct buf *b, char bracket)
{
	buf_addc(b, bracket);
}

/*
 * `key` and its colon, after a comma where one is due. The key is a constant of the program: it
 * holds nothing to escape.
 */
void json_key(struct buf *b, const char *key);
/* Likewise, of a key that comes from outside. */
void json_key_escaped(struct buf *b, const char *key, size_t len);
/* The comma before an element of an array, where one is due. */
void json_item(struct buf *b);
/* Likewise, of an element that is an object or array. */
void json_open_item(struct buf *b, char bracket);

/*
 * A string with its quotes. Control bytes become \u00XX; each byte that is no UTF-8 becomes
 * U+FFFD.
 */
void json_string(struct buf *b, const char *s, size_t len);
/* A foreign name as texts show it: text_escape() goes first. */
void json_name(struct buf *b, const char *s, size_t len);
void json_unsigned(struct buf *b, u64 v);
void json_signed(struct buf *b, s64 v);
/* An address: a string, "0x1f". */
void json_address(struct buf *b, u64 v);
/* The shortest number that reads back as v; NaN and infinities, which JSON has not, become null. */
void json_double(struct buf *b, double v);
/* With two decimals at most, as in CSV. */
void json_rounded(struct buf *b, double v);
/* Likewise, with so many decimals (at most 17). */
void json_fixed(struct buf *b, double v, unsigned int decimals);
void json_bool(struct buf *b, bool v);

/* A member of an object: json_key() and its value. */
void json_put_open(struct buf *b, const char *key, char bracket);
/* NULL becomes null. */
void json_put_string(struct buf *b, const char *key, const char *s);
void json_put_name(struct buf *b, const char *key, const char *s);
/* If `s` failed, so does b. */
void json_put_buf(struct buf *b, const char *key, const struct buf *s);
void json_put_unsigned(struct buf *b, const char *key, u64 v);
void json_put_signed(struct buf *b, const char *key, s64 v);
void json_put_address(struct buf *b, const char *key, u64 v);
void json_put_double(struct buf *b, const char *key, double v);
void json_put_fixed(struct buf *b, const char *key, double v, unsigned int decimals);
void json_put_bool(struct buf *b, const char *key, bool v);

#endif
