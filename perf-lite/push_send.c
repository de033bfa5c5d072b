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

/* Not all at the same moment: up to a half less, by what nobody can foresee. */
static u64 wait_before(u64 attempt, u64 retry_after)
{
	u64 ns = MIN(FIRST_WAIT << MIN(attempt, (u64)16), LONG_WAIT);

	if (retry_after)
		return MIN(retry_after, LONG_WAIT / 1000000000 + 1) * 1000000000;
	return ns - hash_u64(clock_ns(CLOCK_REALTIME)) % (ns / 2);
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
	if (note.len && !c->in.quiet)
		fprintf(stderr, "perf-lite push: %s says: %s\n", buf_str(&c->server),
			buf_str(&note));
	buf_free(&note);
	return ret;
}

int push_send(struct push *c, const struct push_item *item, struct err *err)
{
	struct http_request request = {.type = documents[c->form].type,
				       .encoding = documents[c->form].encoding,
				       .fd = item->fd,
				       .size = item->size};
	struct http_answer answer = {0};
	struct buf url = {0};
	u64 attempt, wait;
	int ret = push_server_url(c, item, &url) ? 0 : err_nomem(err);

	request.url = buf_str(&url);
	for (attempt = 0; ret >= 0; attempt++) {
		ret = post(c, &request, &answer, err);
		wait = wait_before(attempt, answer.retry_after);
		if (ret != PUSH_LATER || attempt >= c->retries || wait > LONG_WAIT)
			break;
		c->totals.retries++;
		note_wait(c, err, wait, attempt);
		sleep_ns(wait);
	}
	if (ret == PUSH_SENT) {
		c->totals.sent++;
		c->totals.samples += item->samples;
		c->totals.bytes += item->size;
	}
	buf_free(&answer.body);
	buf_free(&url);
	return ret;
}
