/* SPDX-License-Identifier: GPL-2.0 */
/*
 * http.h - a document, sent to a server by HTTP POST.
 *
 *	http_open() -> http_post() ... -> http_close()
 *
 * libcurl does it; it is known in http.c alone, and loaded when it is asked for: it brings thirty libraries with it, which
 * nothing else needs. What is built without its header, or runs where it is not installed, opens nothing: -ENOSYS. A connection
 * is kept for the next request. Nothing is sent anywhere else: a redirection is an answer.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/types.h"

struct http;

/* All strings stay the caller's, up to http_close(). */
struct http_options {
	const char *const *headers; /* "Name: value"; no control bytes */
	u32 nr_headers;
	const char *ca;         /* a file of certificates; NULL: the system's */
	const char *cert, *key; /* our own; NULL: none */
	u64 connect_timeout;    /* ns */
	u64 timeout;            /* ns without a byte in either direction */
};

struct http_request {
	const char *url;
	const char *type, *encoding; /* of the document; NULL: not encoded */
	int fd;                      /* it, from its begin on */
	u64 size;
};

struct http_answer {
	u32 status;      /* 0: there was none */
	bool again;      /* there was none, and the next time there may be */
	u64 retry_after; /* seconds, as the server wants it; 0: it did not say */
	char type[64];   /* of the body, without parameters */
	struct buf body; /* the first HTTP_BODY_MAX bytes; the caller frees it */
};

#define HTTP_BODY_MAX (64u * 1024)

/* -ENOSYS: without libcurl; with a hint. */
int http_open(struct http **out, const struct http_options *o, struct err *err);
/* 0: the server answered, whatever it was. <0: err; a->again. */
int http_post(struct http *h, const struct http_request *r, struct http_answer *a, struct err *err);
void http_close(struct http *h);

#endif
