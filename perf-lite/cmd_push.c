// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "perf-lite/push_spool.h"
#include "util/base/json.h"
#include "util/base/text.h"

void push_print(const char *label, const char *text)
{
	struct buf b = {0};

	text_escape(&b, text, strlen(text));
	if (!b.failed)
		fprintf(stderr, "%s%s\n", label, buf_str(&b));
	buf_free(&b);
}

void push_report(struct err *first, const struct err *err)
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

int push_note_result(struct push *c, int result)
{
	c->refused |= result == PUSH_REFUSED;
	c->partial |= result == PUSH_LATER || result == PUSH_WRONG || result == PUSH_BROKE;
	return result < 0 ? result : 0;
}

/* ---- recordings, as documents ---- */

static void note_empty(const struct push *c, const char *path)
{
	struct buf text = {0};

	buf_addf(&text, "%s: no samples: nothing to send", path);
	if (!c->in.quiet)
		push_print("perf-lite push: ", buf_str(&text));
	buf_free(&text);
}

/* What became of making an item; <0 only if nothing more makes sense. */
static int note_made(struct push *c, const char *path, int ret, const struct push_item *item,
		     struct err *err, struct err *first)
{
	c->refused |= ret < 0;
	c->partial |= ret > 0;
	if (!ret && item->fd < 0)
		note_empty(c, path);
	if (err->code && !strstr(err->msg, path))
		err_prefix(err, "%s", path);
	push_report(first, err);
	return ret == -ENOMEM ? ret : 0;
}

static int make_item(struct push *c, const char *path, struct push_item *item, struct err *first)
{
	struct err err = {0};
	int ret = push_item_make(c, path, NULL, item, &err);

	return note_made(c, path, ret, item, &err, first);
}

/* Where the disk is full, what is there goes first: if the server takes some, there may be room. */
static int make_in_spool(struct push *c, const char *path, struct push_spool *s, struct err *first)
{
	struct err err = {0};
	struct push_item item;
	int ret = push_item_make(c, path, s, &item, &err), sending;
	u64 sent = c->totals.sent;

	if (err.code == ENOSPC || err.code == EDQUOT) {
		sending = push_spool_send(c, s, first);
		if (sending)
			return sending;
		if (c->totals.sent > sent) {
			push_item_free(&item);
			err = (struct err){0};
			ret = push_item_make(c, path, s, &item, &err);
		}
	}
	ret = note_made(c, path, ret, &item, &err, first);
	push_item_free(&item);
	return ret;
}

/* ---- to the server ---- */

/* A part of it is sent: the same once more would send that part twice. */
static void note_part(struct push *c, const char *path)
{
	const struct push_place *p = &c->sent;
	struct buf text = {0}, place = {0};

	buf_addf(&place, "%llu/%llu", (unsigned long long)p->at, (unsigned long long)p->of);
	buf_addf(&text, "%s: sent up to sample %llu of %llu; the rest of it, alone: --skip %s",
		 path, (unsigned long long)p->at, (unsigned long long)p->of, buf_str(&place));
	push_print("perf-lite push: ", buf_str(&text));
	json_open_item(&c->totals.rest, '{');
	json_put_name(&c->totals.rest, "file", path);
	json_put_string(&c->totals.rest, "skip", buf_str(&place));
	buf_addc(&c->totals.rest, '}');
	buf_free(&place);
	buf_free(&text);
}

static int send_file(struct push *c, const char *path, const struct push_item *item,
		     struct err *err)
{
	int ret;

	c->sent = c->skip;
	ret = push_divide_send(c, item, err);
	/* everything else is about the server */
	if (err->code && (ret == PUSH_REFUSED || ret == PUSH_BROKE))
		err_prefix(err, "%s", path);
	if (ret == PUSH_SENT || ret == PUSH_REFUSED)
		return ret;
	if (c->sent.at)
		note_part(c, path);
	else if (ret == PUSH_LATER && !err->hint[0])
		err_hint(err, "try again later: the recording is where it was; "
			      "--spool DIR keeps what could not be sent");
	return ret;
}

/* Without a spool: each document as soon as it is made. */
static int push_files(struct push *c, char **files, u32 nr, struct err *first)
{
	struct push_item item;
	struct err err;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < nr; i++) {
		ret = make_item(c, files[i], &item, first);
		if (ret || item.fd < 0)
			continue;
		err = (struct err){0};
		ret = send_file(c, files[i], &item, &err);
		push_report(first, &err);
		push_item_free(&item);
		if ((ret == PUSH_WRONG || push_send_closed(c)) && i + 1 < nr) {
			fprintf(stderr, "perf-lite push: nor sent: %u recording%s behind it\n",
				nr - i - 1, TEXT_PLURAL(nr - i - 1));
			return push_note_result(c, ret);
		}
		ret = push_note_result(c, ret);
	}
	return ret;
}

/* With a spool: all of them into it first. */
static int push_spooling(struct push *c, char **files, u32 nr, struct err *first)
{
	struct push_spool s;
	int ret = push_spool_open(&s, c->spool_path, first);
	u32 i;

	for (i = 0; !ret && i < nr; i++)
		ret = make_in_spool(c, files[i], &s, first);
	if (!ret)
		ret = push_spool_send(c, &s, first);
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
	json_put_open(&b, "rest", '[');
	buf_add(&b, buf_str(&t->rest), t->rest.len);
	buf_addc(&b, ']');
	buf_adds(&b, "}\n");
	if (b.failed || t->set_aside.failed || t->rest.failed)
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
	if (c->skip.of && nr != 2) {
		err_set(err, EINVAL, "--skip is for one recording");
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
	ret = c->spool_path ? push_spooling(c, words + 1, nr - 1, err)
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
	buf_free(&c->totals.rest);
	free(c->words.argv);
	reading_end(&c->in);
}

int cmd_push(int argc, char **argv, struct err *err)
{
	struct opt_rest rest;
	struct push c;
	int ret = push_options(&c, argc, argv, &rest, err);

	if (!ret && !rest.help)
		ret = run(&c, rest.argv, (u32)rest.argc, err);
	free_push(&c);
	return ret;
}
