/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text.h - strings as people see them: escaping of foreign names, and "did you mean".
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "util/base/buf.h"

struct strtab;

/*
 * Append a foreign name (comm, path, symbol, field value) so that it can hold no control byte and
 * no broken UTF-8: such bytes become \xNN. Every output of names passes here.
 */
void text_escape(struct buf *b, const char *s, size_t len);
/* True if text_escape() would change nothing. */
bool text_is_plain(const char *s, size_t len);
/* The number of the escaped name in a table (hash.h), made if new; ID_NONE when memory is out. */
u32 text_intern(struct strtab *t, const char *name);

/* Bytes of the UTF-8 sequence at s (1..4), of which `left` are there; 0 if it is broken or a C1 control. */
unsigned int text_utf8_len(const char *s, size_t left);
/*
 * The columns that a text takes on a terminal, whatever the locale is: two for a wide character of East Asia, none for one
 * that is drawn over the one before it.
 */
size_t text_width(const char *s, size_t len);
/* The bytes of the characters that so many columns have room for. */
size_t text_fit(const char *s, size_t len, size_t columns);
/* Append a name in so many columns at most: of a long one, such as a template's, both ends. */
void text_shorten(struct buf *b, const char *name, size_t len, size_t columns);
/* Of `len` bytes, how many to keep if no more than `max` can be: no character of UTF-8 is cut in two. */
size_t text_cut(const char *s, size_t len, size_t max);
/* Append sorted numbers as the kernel writes sets of CPUs: "0-3,8". */
void text_ranges(struct buf *b, const u32 *v, u32 nr);
/* Append with & < > " ' as entities and control bytes as in text_escape(). */
void text_xml(struct buf *b, const char *s, size_t len);

/*
 * Append a cell of CSV (RFC 4180), as text_escape() shows it: in quotes, and quotes in it doubled, where it would
 * break a row.
 */
void text_csv(struct buf *b, const char *s, size_t len);

/*
 * A word of a command line that is shown to be typed: as it is, or in quotes where a shell would take it for something else;
 * with other than good UTF-8 as $'a\xffb', which sh has only of late. One that is too long for `out` is left as it is.
 */
#define TEXT_SHELL_MAX   512
#define TEXT_SHELL(word) text_shell((char[TEXT_SHELL_MAX]){""}, word)
const char *text_shell(char out[static TEXT_SHELL_MAX], const char *word);

/* What follows the last slash of a path; the path itself where that is nothing. */
const char *text_base_name(const char *path);

/* What makes the word after a number plural. */
#define TEXT_PLURAL(n) ((n) == 1 ? "" : "s")
/* And the verb behind it. */
#define TEXT_WERE(n) ((n) == 1 ? "was" : "were")

/* "812 bytes", "12.2 KiB", "3.4 MiB" */
#define TEXT_BYTES_MAX 32
void text_bytes(char out[static TEXT_BYTES_MAX], u64 bytes);

/* A time in ns with three digits: "0", "812 ns", "12.3 ms", "1.50 s", "1234 s" */
void text_duration(struct buf *b, u64 ns);
/* The same with so many more digits. */
void text_duration_finer(struct buf *b, u64 ns, unsigned int more);

/* A time in ns as seconds with so many decimals, 9 at most: "762.858245". Further ones are cut off. */
void text_seconds(struct buf *b, u64 ns, unsigned int decimals);

/* Edit distance (insert, delete, replace, swap), case ignored; at most `limit` + 1. */
unsigned int text_distance(const char *a, const char *b, unsigned int limit);

/* The best of many candidates for a mistyped word: feed them all, then read `best`. */
struct text_suggest {
	const char *word;
	const char *best; /* NULL if none is near enough; the caller's pointer */
	unsigned int distance;
};
void text_suggest_init(struct text_suggest *s, const char *word);
void text_suggest_add(struct text_suggest *s, const char *candidate);

#endif
