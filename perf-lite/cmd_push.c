// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "perf-lite/push.h"
#include "util/base/io.h"
#include "util/base/json.h"
#include "util/base/num.h"
#include "util/base/text.h"

#define HEADERS_MAX (64u * 1024) /* of a file with them */
#define SPOOL_LIMIT (256u << 20)

void push_print(const char *label, const char *text)
{
	struct buf b = {0};

	text_escape(&b, text, strlen(text));
	if (!b.failed)
		fprintf(stderr, "%s%s\n", label, buf_str(&b));
	buf_free(&b);
}

/* main.c prints the first error, others are lines of their own. */
static void report_error(struct err *first, const struct err *err)
{
	if (!err->code)
		return;
	if (!first->code) {
		*first = *err;
		return;
	}
	push_print("perf-lite push: ", err->msg);
	if (err->hint[0] && strcmp(err->hint, first->hint) != 0)
		push_print("hint: ", err->hint);
}

/* ---- options ---- */

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
	int ret = io_read_file(AT_FDCWD, path, &b, HEADERS_MAX);

	if (ret)
		err_set(err, -ret, "-H: cannot read %s: %s", path, strerror(-ret));
	for (at = buf_str(&b); !ret && *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		if (end > at && *at != '#')
			ret = add_header(c, at, (size_t)(end - at) - (end[-1] == '\r'), err);
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
	OPT_GROUP("Output"),
	OPT_FLAG(0, "json", json, "print what was sent as one JSON object"),
	OPT_INCLUDE(reading_sample_opts, in),
	OPT_GROUP("Reading"),
	OPT_UINT(0, "max-stack", "N", in.max_stack,
		 "use at most N frames of each stack (default all)"),
	OPT_INCLUDE(reading_symbol_opts, in.session),
	OPT_INCLUDE(reading_name_opts, in),
	OPT_INCLUDE(reading_other_opts, in),
	OPT_END,
};

/* ---- without a spool ---- */

/* A result of push_send(), in the exit code. */
static int note_result(struct push *c, int result)
{
	c->refused |= result == PUSH_REFUSED;
	c->partial |= result == PUSH_LATER || result == PUSH_WRONG || result == PUSH_BROKE;
	return result < 0 ? result : 0;
}

static void note_empty(const struct push *c, const char *path)
{
	struct buf text = {0};

	buf_addf(&text, "%s: no samples: nothing to send", path);
	if (!c->in.quiet)
		push_print("perf-lite push: ", buf_str(&text));
	buf_free(&text);
}

/* Make an item; <0 only if nothing more makes sense. */
static int make_item(struct push *c, const char *path, struct push_spool *spool,
		     struct push_item *item, struct err *first)
{
	struct err err = {0};
	int ret = push_item_make(c, path, spool, item, &err);

	c->refused |= ret < 0;
	c->partial |= ret > 0;
	if (!ret && item->fd < 0)
		note_empty(c, path);
	if (err.code && !strstr(err.msg, path))
		err_prefix(&err, "%s", path);
	report_error(first, &err);
	return ret == -ENOMEM ? ret : 0;
}

static int push_files(struct push *c, char **files, u32 nr, struct err *first)
{
	struct push_item item;
	struct err err;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < nr; i++) {
		ret = make_item(c, files[i], NULL, &item, first);
		if (ret || item.fd < 0)
			continue;
		err = (struct err){0};
		ret = push_divide_send(c, &item, &err);
		if (ret == PUSH_LATER && !err.hint[0])
			err_hint(&err, "try again later: the recording is where it was; "
				       "--spool DIR keeps what could not be sent");
		report_error(first, &err);
		c->totals.refused += ret == PUSH_REFUSED;
		push_item_free(&item);
		if (ret == PUSH_WRONG && i + 1 < nr) {
			fprintf(stderr, "perf-lite push: nor sent: %u recording%s behind it\n",
				nr - i - 1, TEXT_PLURAL(nr - i - 1));
			return note_result(c, ret);
		}
		ret = note_result(c, ret);
	}
	return ret;
}

/* ---- with a spool ---- */

/* What the server does not want is no obstacle to the rest. */
static int set_aside(struct push *c, struct push_spool *s, const char *name, struct err *err)
{
	struct buf text = {0};
	int ret = push_spool_refuse(s, name, err);

	c->refused = true;
	c->totals.refused += ret > 0;
	buf_addf(&text, "%s/%s.refused", s->path, name);
	if (ret > 0) {
		push_print("perf-lite push: set aside: ", buf_str(&text));
		json_item(&c->totals.set_aside);
		json_name(&c->totals.set_aside, buf_str(&text), text.len);
	}
	buf_free(&text);
	return MIN(ret, 0);
}

static int send_spooled(struct push *c, struct push_spool *s, const struct push_spooled *f,
			struct err *err);

/* A result, or <0; PUSH_TOO_LARGE: it is one sample. err: what the server said of it, if it did. */
static int send_halves(struct push *c, struct push_spool *s, const struct push_spooled *f,
		       struct err *err)
{
	struct push_spooled parts[2];
	struct err second = {0};
	int ret = push_divide_spooled(c, s, f, parts, err), other;

	if (ret < 0)
		return ret == -EBADMSG || ret == -EFBIG ? PUSH_REFUSED
		       : ret == -ENOMEM                 ? ret
							: PUSH_LATER;
	if (!ret)
		return PUSH_TOO_LARGE;
	*err = (struct err){0};
	ret = send_spooled(c, s, &parts[0], err);
	if (ret != PUSH_SENT && ret != PUSH_REFUSED)
		return ret == PUSH_BROKE ? PUSH_LATER : ret;
	other = send_spooled(c, s, &parts[1], &second);
	if (ret == PUSH_SENT)
		*err = second;
	return other == PUSH_SENT ? ret : other == PUSH_BROKE ? PUSH_LATER : other;
}

/* A result, or <0. */
static int send_spooled(struct push *c, struct push_spool *s, const struct push_spooled *f,
			struct err *err)
{
	struct err other = {0};
	struct push_item item;
	int ret = push_spool_get(s, f, &item, err), moved = 0;

	/* others remove files, too: trim() without the lock */
	if (ret == -ENOENT) {
		*err = other;
		return PUSH_SENT;
	}
	if (ret)
		return PUSH_REFUSED;
	ret = push_divide_wanted(c, &item) ? send_halves(c, s, f, err) : PUSH_TOO_LARGE;
	if (ret == PUSH_TOO_LARGE)
		ret = push_send(c, &item, err);
	if (ret == PUSH_TOO_LARGE) {
		push_divide_learn(c, &item);
		ret = send_halves(c, s, f, err);
	}
	push_item_free(&item);
	if (ret == PUSH_TOO_LARGE)
		ret = PUSH_REFUSED;
	/* one that was divided is gone */
	if (ret == PUSH_SENT)
		moved = push_spool_remove(s, f->name, &other);
	else if (ret == PUSH_REFUSED)
		moved = set_aside(c, s, f->name, &other);
	if (moved)
		*err = other;
	return moved ? moved : ret;
}

static void note_others(const struct push *c, const struct push_spool *s, u32 others)
{
	if (others && !c->in.quiet)
		fprintf(stderr,
			"perf-lite push: %u file%s in %s for the other format; --to sends "
			"them\n",
			others, TEXT_PLURAL(others), s->path);
}

/*
 * One after the other, until one does not get through. A server that breaks has another try with the next document: if it
 * takes that, the first one is set aside, which would break it for ever; if it breaks again, all is kept.
 */
static int send_list(struct push *c, struct push_spool *s, const struct push_spooled_list *list,
		     struct err *first)
{
	const struct push_spooled *suspect = NULL, *f;
	u32 i, others = 0;
	bool goes_on = true;
	struct err err;
	int ret = PUSH_SENT;

	for (i = 0; i < list->nr; i++) {
		f = &list->v[i];
		others += !f->refused && f->form != c->form;
		if (f->refused || f->form != c->form || !goes_on)
			continue;
		err = (struct err){0};
		ret = send_spooled(c, s, f, &err);
		goes_on =
			ret == PUSH_SENT || ret == PUSH_REFUSED || (ret == PUSH_BROKE && !suspect);
		if (ret == PUSH_BROKE && !suspect)
			suspect = f;
		if (ret == PUSH_SENT && suspect) {
			ret = set_aside(c, s, suspect->name, &err);
			suspect = NULL;
		}
		report_error(first, &err);
		c->refused |= ret == PUSH_REFUSED;
	}
	c->partial |= suspect != NULL;
	note_others(c, s, others);
	return note_result(c, ret);
}

static void note_drop(struct push *c, const struct push_spool *s, const struct push_spooled *f)
{
	char size[TEXT_BYTES_MAX], from[32] = "", until[32] = "";
	time_t times[] = {(time_t)f->from, (time_t)f->until};
	struct tm first, last;
	struct buf text = {0};

	text_bytes(size, f->size);
	/* a name that somebody else made may have any number */
	if (f->from && gmtime_r(&times[0], &first) && gmtime_r(&times[1], &last)) {
		strftime(from, sizeof(from), ", recorded %FT%TZ", &first);
		strftime(until, sizeof(until), " to %FT%TZ", &last);
	}
	buf_addf(&text, "%s is full: dropped %s (%s%s%s)", s->path, f->name, size, from, until);
	push_print("perf-lite push: ", buf_str(&text));
	buf_free(&text);
	c->partial = true;
	c->totals.dropped++;
}

/* Make room: first what is never sent, then the oldest. */
static int trim(struct push *c, struct push_spool *s, struct err *err)
{
	struct push_spooled_list list;
	int ret = push_spool_list(s, &list, err), pass;
	u64 size = 0;
	u32 i;

	for (i = 0; i < list.nr; i++)
		size += list.v[i].size;
	for (pass = 0; pass < 2; pass++)
		for (i = 0; !ret && i < list.nr && size > c->limit; i++) {
			if (list.v[i].refused != !pass)
				continue;
			ret = push_spool_remove(s, list.v[i].name, err);
			size -= list.v[i].size;
			if (!ret)
				note_drop(c, s, &list.v[i]);
		}
	vec_free(&list);
	return ret;
}

/* What is there after all. */
static void note_rest(struct push *c, struct push_spool *s, struct err *first)
{
	struct push_spooled_list list;
	char text[TEXT_BYTES_MAX];
	struct err err = {0};
	u64 size = 0, nr = 0;
	u32 i;

	if (!push_spool_list(s, &list, &err))
		for (i = 0; i < list.nr; i++)
			if (!list.v[i].refused && list.v[i].form == c->form) {
				nr++;
				size += list.v[i].size;
			}
	vec_free(&list);
	c->totals.kept = nr;
	c->totals.kept_bytes = size;
	if (!nr)
		return;
	text_bytes(text, size);
	if (first->code && !first->hint[0])
		err_hint(first, "%llu file%s (%s) %s kept in %s: the next push sends %s first",
			 (unsigned long long)nr, TEXT_PLURAL(nr), text, nr == 1 ? "is" : "are",
			 s->path, nr == 1 ? "it" : "them");
	else if (!c->in.quiet)
		fprintf(stderr, "perf-lite push: %llu file%s (%s) kept in %s\n",
			(unsigned long long)nr, TEXT_PLURAL(nr), text, s->path);
}

static int send_all(struct push *c, struct push_spool *s, struct err *first)
{
	struct push_spooled_list list = {0};
	struct err err = {0};
	int ret = push_spool_lock(s, c->http.timeout, &err);

	if (ret == -EAGAIN) {
		c->partial = true;
		report_error(first, &err);
		/* whoever sends may be at it for hours: the limit holds nevertheless */
		err = (struct err){0};
		ret = 0;
	} else {
		if (!ret)
			ret = push_spool_list(s, &list, &err);
		if (!ret)
			ret = send_list(c, s, &list, first);
	}
	if (!ret)
		ret = trim(c, s, &err);
	report_error(first, &err);
	vec_free(&list);
	return ret;
}

static int push_through(struct push *c, char **files, u32 nr, struct err *first)
{
	struct push_spool s;
	struct push_item item;
	int ret = push_spool_open(&s, c->spool_path, first);
	u32 i;

	for (i = 0; !ret && i < nr; i++) {
		ret = make_item(c, files[i], &s, &item, first);
		push_item_free(&item);
	}
	if (!ret)
		ret = send_all(c, &s, first);
	if (!ret)
		note_rest(c, &s, first);
	push_spool_close(&s);
	return ret;
}

/* ---- the command ---- */

static int put_json(const struct push *c, struct err *err)
{
	const struct push_totals *t = &c->totals;
	struct buf b = {0};
	int ret = 0;

	json_open(&b, '{');
	json_put_name(&b, "url", buf_str(&c->server));
	json_put_unsigned(&b, "documents", t->sent);
	json_put_unsigned(&b, "samples", t->samples);
	json_put_unsigned(&b, "bytes", t->bytes);
	json_put_unsigned(&b, "retries", t->retries);
	json_put_unsigned(&b, "divided", t->divided);
	json_put_unsigned(&b, "refused", t->refused);
	json_put_open(&b, "set_aside", '[');
	buf_add(&b, buf_str(&t->set_aside), t->set_aside.len);
	buf_addc(&b, ']');
	json_put_unsigned(&b, "kept", t->kept);
	json_put_unsigned(&b, "kept_bytes", t->kept_bytes);
	json_put_unsigned(&b, "dropped", t->dropped);
	buf_adds(&b, "}\n");
	if (b.failed || t->set_aside.failed)
		ret = err_nomem(err);
	else if (fwrite(b.data, 1, b.len, stdout) != b.len || fflush(stdout))
		ret = err_set(err, errno, "cannot write: %s", strerror(errno));
	buf_free(&b);
	return ret;
}

static void note_sent(const struct push *c)
{
	const struct push_totals *t = &c->totals;
	char size[TEXT_BYTES_MAX];

	if (!t->sent || c->in.quiet || c->json)
		return;
	text_bytes(size, t->bytes);
	fprintf(stderr, "perf-lite push: sent %llu profile%s, %s\n", (unsigned long long)t->sent,
		TEXT_PLURAL(t->sent), size);
}

static int run(struct push *c, char **words, u32 nr, struct err *err)
{
	int ret, wrote;

	if (!nr || (nr == 1 && !c->spool_path)) {
		err_set(err, EINVAL, nr ? "push which recordings?" : "push to which server?");
		err_hint(err, "perf-lite push http://localhost:4318 perf-lite.data");
		return -EINVAL;
	}
	ret = push_server_parse(c, words[0], err);
	c->http.headers = (const char *const *)c->headers.v;
	c->http.nr_headers = c->headers.nr;
	if (!ret)
		ret = http_open(&c->connection, &c->http, err);
	if (ret)
		return ret;
	signal(SIGPIPE, SIG_IGN);
	ret = c->spool_path ? push_through(c, words + 1, nr - 1, err)
			    : push_files(c, words + 1, nr - 1, err);
	note_sent(c);
	wrote = c->json ? put_json(c, err) : 0;
	ret = ret ? ret : wrote;
	if (ret)
		return ret;
	return c->refused ? CMD_USAGE : c->partial ? CMD_PARTIAL : CMD_OK;
}

static void free_push(struct push *c)
{
	u32 i;

	http_close(c->connection);
	for (i = 0; i < c->headers.nr; i++)
		free(c->headers.v[i]);
	vec_free(&c->headers);
	buf_free(&c->url);
	buf_free(&c->server);
	buf_free(&c->totals.set_aside);
	free(c->words.argv);
	reading_end(&c->in);
}

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

int cmd_push(int argc, char **argv, struct err *err)
{
	struct push c = {.service = "perf-lite",
			 .limit = SPOOL_LIMIT,
			 .retries = 4,
			 .http = {.connect_timeout = 5000000000, .timeout = 30000000000}};
	struct opt_rest rest;
	int ret;

	c.words.argc = argc;
	c.words.argv = malloc(((size_t)argc + 1) * sizeof(*c.words.argv));
	reading_init(&c.in);
	if (!c.words.argv)
		return err_nomem(err);
	memcpy(c.words.argv, argv, ((size_t)argc + 1) * sizeof(*c.words.argv));
	ret = cmd_options(&table, &c, argc, argv, &rest, err);
	if (!ret && !rest.help)
		ret = run(&c, rest.argv, (u32)rest.argc, err);
	free_push(&c);
	return ret;
}
