// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/push.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "util/base/io.h"
#include "util/base/num.h"

#define HEADERS_MAX (64u * 1024) /* of a file with them */
#define SPOOL_LIMIT (256u << 20)

static int add_header(struct push *c, const char *text, size_t len, struct err *err)
{
	const char *colon = memchr(text, ':', len);
	char **slot;
	size_t i;

	for (i = 0; i < len; i++)
		if ((u8)text[i] < ' ' && text[i] != '\t')
			return err_set(err, EINVAL, "-H: a header is one line");
	/* the text may be a secret: it is not repeated */
	if (!colon || colon == text) {
		err_set(err, EINVAL, "-H: this is no header");
		err_hint(err, "-H 'Name: value', or -H @FILE with a line of that kind for each");
		return -EINVAL;
	}
	slot = vec_push(&c->headers);
	if (slot)
		*slot = strndup(text, len);
	return slot && *slot ? 0 : err_nomem(err);
}

static int read_headers(struct push *c, const char *path, struct err *err)
{
	struct buf b = {0};
	const char *at, *end;
	size_t len;
	int ret = io_read_file(AT_FDCWD, path, &b, HEADERS_MAX);

	if (ret)
		err_set(err, -ret, "-H: cannot read %s: %s", path, strerror(-ret));
	for (at = buf_str(&b); !ret && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		len = (size_t)(end - at);
		len -= len && end[-1] == '\r';
		if (len && *at != '#')
			ret = add_header(c, at, len, err);
	}
	buf_free(&b);
	return ret;
}

static int on_header(void *arg, const char *text, struct err *err)
{
	/* a pipe gives its lines once */
	if (((struct push *)arg)->words.again)
		return 0;
	if (*text == '@')
		return read_headers(arg, text + 1, err);
	return add_header(arg, text, strlen(text), err);
}

static int parse_size(const char *option, const char *text, u64 *size, struct err *err)
{
	if (num_size(text, size) && *size)
		return 0;
	err_set(err, EINVAL, "%s: '%s' is no size", option, text);
	err_hint(err, "such as 256M or 2G");
	return -EINVAL;
}

static int on_limit(void *arg, const char *text, struct err *err)
{
	return parse_size("--spool-limit", text, &((struct push *)arg)->limit, err);
}

static int on_max_size(void *arg, const char *text, struct err *err)
{
	return parse_size("--max-size", text, &((struct push *)arg)->sizes.max, err);
}

static int on_skip(void *arg, const char *text, struct err *err)
{
	struct push_place *p = &((struct push *)arg)->skip;
	char at[24];
	size_t len = strcspn(text, "/");

	if (len && len < sizeof(at) && text[len]) {
		memcpy(at, text, len);
		at[len] = '\0';
		if (num_u64(at, &p->at) && num_u64(text + len + 1, &p->of) && p->at &&
		    p->at < p->of)
			return 0;
	}
	err_set(err, EINVAL, "--skip: '%s' is not how far a recording was sent", text);
	err_hint(err, "as push printed it: --skip 1500/4000");
	return -EINVAL;
}

#define OPT_STRUCT struct push

static const struct opt opts[] = {
	OPT_GROUP("Server"),
	OPT_STRING(0, "to", "FORMAT", to, "otlp, or pprof (default by the URL: pprof for /ingest)"),
	OPT_CALL('H', "header", "HEADER", on_header,
		 "send 'Name: value' with each request; @FILE: the lines of FILE"),
	OPT_STRING(
		0, "service", "NAME", service,
		"what the profiles are of: service.name, or Pyroscope's name (default perf-lite)"),
	OPT_CALL(0, "max-size", "SIZE", on_max_size,
		 "divide documents that are larger, before they are compressed (default: those "
		 "that the server does not take)"),
	OPT_STRING(0, "cacert", "FILE", http.ca, "trust these certificates (PEM)"),
	OPT_STRING(0, "cert", "FILE", http.cert, "our own certificate (PEM)"),
	OPT_STRING(0, "key", "FILE", http.key, "its key (PEM)"),
	OPT_DURATION(0, "connect-timeout", "TIME", http.connect_timeout,
		     "give up connecting after TIME (default 5s)"),
	OPT_DURATION(0, "timeout", "TIME", http.timeout,
		     "give up a request when nothing moves for TIME (default 30s)"),
	OPT_UINT(0, "retries", "N", retries,
		 "send again N times if the server is away or busy (default 4)"),
	OPT_GROUP("What cannot be sent"),
	OPT_STRING(0, "spool", "DIR", spool_path, "keep it in DIR; the next push sends it first"),
	OPT_CALL(0, "spool-limit", "SIZE", on_limit,
		 "keep at most SIZE there; the oldest goes first (default 256M)"),
	OPT_CALL(
		0, "skip", "N/M", on_skip,
		"leave out the first N of FILE's M samples: as an earlier push printed it, which sent "
		"these"),
	OPT_GROUP("Output"),
	OPT_FLAG(0, "json", json, "print what was sent as one JSON object"),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_INCLUDE(reading_weight_opts, in),
	OPT_GROUP("Reading"),
	OPT_UINT(0, "max-stack", "N", in.max_stack,
		 "use at most N frames of each stack (default all)"),
	OPT_INCLUDE(reading_symbol_opts, in.session),
	OPT_INCLUDE(reading_name_opts, in),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_REFUSED('i', "input", "without -i: perf-lite push URL FILE"),
	OPT_END,
};

static const struct opt_table table = {
	.command = "push",
	.summary = "send recordings to a server of profiles",
	.usage = {"[options] URL FILE..."},
	.opts = opts,
	.notes =
		"Exit codes: 0 all was sent, 1 wrong usage, unreadable, or refused by the server, 3 the "
		"server\nis away or busy: it is kept in the spool, if there is one.\n",
};

int push_reading(const struct push *c, struct reading *in, struct err *err)
{
	struct push again = {.words.again = true};
	char **words = malloc(((size_t)c->words.argc + 1) * sizeof(*words));
	struct opt_rest rest;
	int ret = words ? 0 : err_nomem(err);

	reading_init(&again.in);
	/* parsing moves the operands */
	if (!ret) {
		memcpy(words, c->words.argv, ((size_t)c->words.argc + 1) * sizeof(*words));
		ret = cmd_options(&table, &again, c->words.argc, words, &rest, err);
	}
	free(words);
	*in = again.in;
	return ret;
}

int push_options(struct push *c, int argc, char **argv, struct opt_rest *rest, struct err *err)
{
	int ret;

	*c = (struct push){.service = "perf-lite",
			   .retries = 4,
			   .http = {.connect_timeout = 5000000000, .timeout = 30000000000}};
	c->words.argc = argc;
	c->words.argv = malloc(((size_t)argc + 1) * sizeof(*c->words.argv));
	reading_init(&c->in);
	if (!c->words.argv)
		return err_nomem(err);
	memcpy(c->words.argv, argv, ((size_t)argc + 1) * sizeof(*c->words.argv));
	ret = cmd_options(&table, c, argc, argv, rest, err);
	if (ret || rest->help)
		return ret;
	if (c->limit && !c->spool_path)
		return err_refuse(err, "--spool-limit is of a spool, and there is none",
				  "name it: --spool DIR");
	if (!c->limit)
		c->limit = SPOOL_LIMIT;
	return 0;
}
