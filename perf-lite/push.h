/* SPDX-License-Identifier: GPL-2.0 */
/*
 * push.h - the pages of cmd_push.c: recordings that are sent to a server.
 *
 *	push_options() -> push_server_parse()
 *	-> push_item_make() -> push_divide_send() -> push_item_free()     without a spool
 *	-> push_item_make() of all -> push_spool_send()                   with one: push_spool.h
 *
 * An item is what one request carries: a document, made of a recording once, so that it is the same bytes whenever it is
 * sent.
 */
#ifndef PERF_LITE_PUSH_H
#define PERF_LITE_PUSH_H

#include "perf-lite/reading_notes.h"
#include "util/cli/opt.h"
#include "util/http/http.h"

enum push_form { PUSH_OTLP, PUSH_PPROF, NR_PUSH_FORMS };

/* What became of documents. */
struct push_totals {
	u64 sent, samples, bytes;
	u64 retries;
	u64 divided;
	u64 refused; /* a part of them set aside */
	u64 kept, kept_bytes;
	u64 dropped;
	struct buf set_aside; /* elements of a JSON array: names */
	struct buf
		rest; /* likewise: recordings of which a part was sent, and --skip for the rest */
};

/* The command line, from which push_reading() makes those of each recording. */
struct push_words {
	int argc;
	char **argv;
	bool again; /* it does */
};

/* Of documents before they are compressed. */
struct push_sizes {
	u64 max;       /* as it was given; 0: any */
	u64 refused;   /* the smallest that was too large for the server; 0: none yet */
	u32 undivided; /* how many of one sample were */
};

/* A place in the document of a recording: samples before it, by their order there, of how many; of 0: none. */
struct push_place {
	u64 at, of;
};

struct push {
	struct reading in; /* as the options have it; each recording is read by its own */
	struct push_words words;
	bool json;
	struct http_options http;
	VEC(char *) headers;
	const char *to, *service, *spool_path; /* as they were given; NULL: not given */
	u64 limit, retries;
	struct push_sizes sizes;
	struct push_place skip; /* as it was given */
	struct push_place
		sent; /* without a spool: how far the server has the document, once it was divided */
	enum push_form form;
	struct buf url;    /* what is posted to */
	struct buf server; /* as messages have it: without a query */
	struct http *connection;
	u64 not_before; /* CLOCK_MONOTONIC, ns: the server wants nothing until then */
	struct push_totals totals;
	bool refused; /* something was, or could not be read: 1 */
	bool partial; /* something is kept, was dropped or damaged: 3 */
};

#define PUSH_NAME 232

/* Of a recording; times in seconds since 1970, 0: not known. */
struct push_item {
	int fd; /* -1: there is none */
	u64 size, samples;
	u64 rows; /* samples by the order of the document, of which those of pprof are sums; 0: not known */
	u64 from, until;
	char host[65];        /* letters, digits, '.', '_' and '-' alone */
	char name[PUSH_NAME]; /* of the file in the spool; "": none */
};

/* push_options.c */

/* Parse the command line into *c, which cmd_push.c frees, also if this fails. */
int push_options(struct push *c, int argc, char **argv, struct opt_rest *rest, struct err *err);
/* The options once more, for one recording: filters keep what they found in it. The caller ends it by reading_end(). */
int push_reading(const struct push *c, struct reading *in, struct err *err);

/* cmd_push.c */

/* A line on standard error, which may quote foreign names. */
void push_print(const char *label, const char *text);

/* The first error is the command's; others are lines of their own. */
void push_report(struct err *first, const struct err *err);
/* A result of push_send(), in the exit code: 0, or <0 if nothing more makes sense. */
int push_note_result(struct push *c, int result);

/* push_server.c: where it is sent, and what the server says to it. */

/* Set form, url and server. */
int push_server_parse(struct push *c, const char *url, struct err *err);
/* The URL of a request; false when memory is out. */
bool push_server_url(const struct push *c, const struct push_item *item, struct buf *out);

enum push_result {
	PUSH_SENT,
	PUSH_LATER,   /* there was no answer, or it said so */
	PUSH_REFUSED, /* the server does not want this document */
	PUSH_WRONG,   /* it wants none: of us, or there */
	PUSH_BROKE,   /* it broke; by this document, if it takes the next one */
	PUSH_TOO_LARGE,
};
/* Judge an answer; err unless it is PUSH_SENT. note: what the server said nevertheless. */
enum push_result push_server_judge(const struct push *c, const struct http_answer *a,
				   struct buf *note, struct err *err);

/* push_item.c */

struct push_spool;
/* CMD_OK, CMD_PARTIAL if it is of a damaged recording, or <0. item->fd -1: there are no samples. spool NULL: in memory. */
int push_item_make(struct push *c, const char *path, struct push_spool *spool,
		   struct push_item *item, struct err *err);
void push_item_free(struct push_item *item);

/* Send it, again if the server wants that, and no sooner than it wants; a result, or <0. */
int push_send(struct push *c, const struct push_item *item, struct err *err);
/* Does the server want nothing, for longer than push_send() waits? */
bool push_send_closed(const struct push *c);

/* push_divide.c: documents that are too large for the server, in halves. */

/* Is it larger than is wanted, as far as that is known? */
bool push_divide_wanted(const struct push *c, const struct push_item *item);
/* The server said that it is too large. */
void push_divide_learn(struct push *c, const struct push_item *item);
/*
 * One sample is too large: PUSH_REFUSED, or PUSH_WRONG if the server seems to take nothing, however small. err: what it said.
 */
int push_divide_refuse(struct push *c, const struct push_item *item, struct err *err);
/* As push_send(), or its halves. Never PUSH_TOO_LARGE: one sample that is too large is PUSH_REFUSED. Counts in c->sent. */
int push_divide_send(struct push *c, const struct push_item *item, struct err *err);
/* Leave of an item what is behind c->skip. */
int push_divide_skip(const struct push *c, struct push_item *item, struct err *err);

#endif
