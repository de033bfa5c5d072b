// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/push.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/base/text.h"

#define FIRST_WAIT 500000000ull   /* ns; twice as long each time */
#define LONG_WAIT  60000000000ull /* nobody waits longer, even if the server says so */

static const struct {
	const char *type, *encoding;
} documents[] = {
	[PUSH_OTLP] = {"application/x-protobuf", "gzip"},
	[PUSH_PPROF] = {"application/octet-stream", NULL},
};

/* How long the server still wants nothing. */
static u64 asked_wait(const struct push *c)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);

	return c->not_before > now ? c->not_before - now : 0;
}

/* Not all at the same moment: up to a half less, by what nobody can foresee. */
static u64 wait_before(const struct push *c, u64 attempt)
{
	u64 ns = MIN(FIRST_WAIT << MIN(attempt, (u64)16), LONG_WAIT), asked = asked_wait(c);

	return asked ? asked : ns - hash_u64(clock_ns(CLOCK_REALTIME)) % (ns / 2);
}

static void sleep_ns(u64 ns)
{
	struct timespec left = {.tv_sec = (time_t)(ns / 1000000000),
				.tv_nsec = (long)(ns % 1000000000)};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static void note_wait(const struct push *c, const struct err *err, u64 ns, u64 attempt)
{
	struct buf text = {0};

	if (c->in.quiet)
		return;
	buf_addf(&text, "%s; again in ", err->msg);
	text_duration(&text, ns);
	buf_addf(&text, ", %llu of %llu", (unsigned long long)attempt + 1,
		 (unsigned long long)c->retries);
	push_print("perf-lite push: ", buf_str(&text));
	buf_free(&text);
}

static int post(struct push *c, const struct http_request *request, struct http_answer *a,
		struct err *err)
{
	struct buf note = {0};
	int ret;

	*err = (struct err){0};
	ret = http_post(c->connection, request, a, err);
	if (ret) {
		err_prefix(err, "%s", buf_str(&c->server));
		return ret == -ENOMEM ? ret : a->again ? PUSH_LATER : PUSH_WRONG;
	}
	ret = (int)push_server_judge(c, a, &note, err);
	if (a->retry_after && (ret == PUSH_LATER || ret == PUSH_TOO_LARGE))
		c->not_before = clock_ns(CLOCK_MONOTONIC) +
				MIN(a->retry_after, (u64)UINT32_MAX) * 1000000000;
	if (note.len && !c->in.quiet)
		fprintf(stderr, "perf-lite push: %s says: %s\n", buf_str(&c->server),
			buf_str(&note));
	buf_free(&note);
	return ret;
}

bool push_send_closed(const struct push *c)
{
	return asked_wait(c) > LONG_WAIT;
}

/* What the server said to another document counts for this one, too. */
static int wait_for_turn(const struct push *c, struct err *err)
{
	u64 ns = asked_wait(c);
	struct buf text = {0};

	if (!ns)
		return PUSH_SENT;
	text_duration(&text, ns);
	if (ns > LONG_WAIT)
		err_set(err, EAGAIN, "%s wants nothing for another %s", buf_str(&c->server),
			buf_str(&text));
	else if (!c->in.quiet)
		fprintf(stderr, "perf-lite push: the server wants nothing for %s: waiting\n",
			buf_str(&text));
	buf_free(&text);
	if (ns > LONG_WAIT)
		return PUSH_LATER;
	sleep_ns(ns);
	return PUSH_SENT;
}

static int post_until_taken(struct push *c, const struct http_request *request, struct err *err)
{
	struct http_answer answer = {0};
	u64 attempt, wait;
	int ret;

	for (attempt = 0;; attempt++) {
		ret = post(c, request, &answer, err);
		wait = wait_before(c, attempt);
		if (ret != PUSH_LATER || attempt >= c->retries || wait > LONG_WAIT)
			break;
		c->totals.retries++;
		note_wait(c, err, wait, attempt);
		sleep_ns(wait);
	}
	buf_free(&answer.body);
	return ret;
}

int push_send(struct push *c, const struct push_item *item, struct err *err)
{
	struct http_request request = {.type = documents[c->form].type,
				       .encoding = documents[c->form].encoding,
				       .fd = item->fd,
				       .size = item->size};
	struct buf url = {0};
	int ret = push_server_url(c, item, &url) ? 0 : err_nomem(err);

	request.url = buf_str(&url);
	if (!ret)
		ret = wait_for_turn(c, err);
	if (!ret)
		ret = post_until_taken(c, &request, err);
	if (ret == PUSH_SENT) {
		c->totals.sent++;
		c->totals.samples += item->samples;
		c->totals.bytes += item->size;
	}
	buf_free(&url);
	return ret;
}
