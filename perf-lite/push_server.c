// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/push.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"
#include "util/export/otlp_answer.h"

/* Of what a server says, as much is shown. */
#define ANSWER_MAX 300

#define HINT_ALLOW "give it what it asks for: -H @FILE, with 'Authorization: ...' in it"
#define HINT_PLACE                                                                        \
	"is this the place for profiles? Collectors have it at /v1development/profiles, " \
	"Pyroscope also at /ingest"

static const struct form {
	const char *name, *path;
} forms[] = {
	[PUSH_OTLP] = {"otlp", "/v1development/profiles"},
	[PUSH_PPROF] = {"pprof", "/ingest"},
};

/* ---- where to ---- */

/* The parts of a URL. */
struct parts {
	const char *authority, *path, *query; /* query: its '?' or the end */
};

static int split(const char *url, struct parts *p, struct err *err)
{
	size_t i;

	for (i = 0; url[i]; i++)
		if ((u8)url[i] <= ' ' || url[i] == 0x7f || url[i] == '#')
			return err_set(err, EINVAL,
				       "the URL has a character that does not belong there");
	if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0) {
		err_set(err, EINVAL, "'%s': this is no URL of a server", url);
		err_hint(err, "such as http://localhost:4318 or https://pyroscope:4040/ingest");
		return -EINVAL;
	}
	p->authority = strstr(url, "://") + 3;
	p->path = p->authority + strcspn(p->authority, "/?");
	p->query = p->path + strcspn(p->path, "?");
	if (p->path == p->authority)
		return err_set(err, EINVAL, "'%s': the URL names no server", url);
	if (memchr(p->authority, '@', (size_t)(p->path - p->authority))) {
		err_set(err, EINVAL,
			"a password in the URL is seen by everybody in the list of "
			"processes");
		err_hint(err, "write 'Authorization: Basic ...' into a file, and use -H @FILE");
		return -EINVAL;
	}
	return 0;
}

static int choose_form(struct push *c, const struct parts *p, struct err *err)
{
	size_t len = (size_t)(p->query - p->path), ending = strlen(forms[PUSH_PPROF].path);
	u32 i;

	if (c->to) {
		for (i = 0; i < NR_PUSH_FORMS; i++)
			if (!strcmp(c->to, forms[i].name))
				c->form = i;
		if (strcmp(c->to, forms[c->form].name) != 0) {
			err_set(err, EINVAL, "--to: there is no format '%s'", c->to);
			err_hint(err, "otlp or pprof");
			return -EINVAL;
		}
		return 0;
	}
	while (len && p->path[len - 1] == '/')
		len--;
	c->form = len >= ending && !strncmp(p->path + len - ending, forms[PUSH_PPROF].path, ending)
			  ? PUSH_PPROF
			  : PUSH_OTLP;
	return 0;
}

int push_server_parse(struct push *c, const char *url, struct err *err)
{
	struct parts p = {0};
	bool bare;
	int ret = split(url, &p, err);

	if (!ret)
		ret = choose_form(c, &p, err);
	if (ret)
		return ret;
	bare = p.query == p.path || (p.query == p.path + 1 && *p.path == '/');
	buf_add(&c->server, url, (size_t)((bare ? p.path : p.query) - url));
	if (bare)
		buf_adds(&c->server, forms[c->form].path);
	buf_add(&c->url, buf_str(&c->server), c->server.len);
	buf_adds(&c->url, p.query);
	return c->url.failed || c->server.failed ? err_nomem(err) : 0;
}

static bool has_parameter(const char *query, const char *name)
{
	size_t len = strlen(name);

	for (; query; query = strchr(query + 1, '&'))
		if (*query && !strncmp(query + 1, name, len) && query[1 + len] == '=')
			return true;
	return false;
}

static void put_encoded(struct buf *out, const char *text)
{
	for (; *text; text++)
		if (strchr("-._~", *text) || (*text >= '0' && *text <= '9') ||
		    ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z'))
			buf_addc(out, *text);
		else
			buf_addf(out, "%%%02X", (u8)*text);
}

static void put_parameter(const struct push *c, struct buf *out, const char *name,
			  const char *value)
{
	if (has_parameter(strchr(buf_str(&c->url), '?'), name))
		return;
	buf_addc(out, strchr(buf_str(out), '?') ? '&' : '?');
	buf_addf(out, "%s=", name);
	put_encoded(out, value);
}

/* What of a name means something to Pyroscope is taken out of it. */
static void put_service(const struct push *c, const struct push_item *item, struct buf *out)
{
	const char *s;

	for (s = c->service; *s; s++)
		buf_addc(out, strchr("{},=", *s) ? '_' : *s);
	if (item->host[0])
		buf_addf(out, "{host=%s}", item->host);
}

bool push_server_url(const struct push *c, const struct push_item *item, struct buf *out)
{
	struct buf text = {0};
	bool made;

	buf_adds(out, buf_str(&c->url));
	if (c->form == PUSH_PPROF) {
		put_service(c, item, &text);
		put_parameter(c, out, "name", buf_str(&text));
		if (item->from && item->until) {
			buf_clear(&text);
			buf_dec(&text, item->from, 0);
			put_parameter(c, out, "from", buf_str(&text));
			buf_clear(&text);
			buf_dec(&text, item->until, 0);
			put_parameter(c, out, "until", buf_str(&text));
		}
		put_parameter(c, out, "format", "pprof");
		put_parameter(c, out, "spyName", "perf-lite");
	}
	made = !text.failed && !out->failed;
	buf_free(&text);
	return made;
}

/* ---- what it says ---- */

/* A line of it, if it is text. */
static void put_text(struct buf *out, const char *text, size_t len)
{
	size_t skip = 0;

	while (skip < len && strchr(" \t\r\n", text[skip]))
		skip++;
	text += skip;
	len -= skip;
	if (memchr(text, '\n', len))
		len = (size_t)((const char *)memchr(text, '\n', len) - text);
	if (len && text[len - 1] == '\r')
		len--;
	text_escape(out, text, text_cut(text, len, ANSWER_MAX));
}

static void put_failure(const struct http_answer *a, struct buf *out)
{
	struct otlp_answer said;

	if (strcmp(a->type, "application/x-protobuf") != 0)
		put_text(out, buf_str(&a->body), a->body.len);
	else if (otlp_answer_failure(buf_str(&a->body), a->body.len, &said) && said.message)
		put_text(out, said.message, said.len);
}

/*
 * What a status means: for the document, and for those behind it. The first row counts. Sources: RFC 9110, 15 (one that is not
 * known counts as the x00 of its class); OTLP/HTTP, which has 429, 502, 503 and 504 sent again, nothing else, and takes all
 * other 4xx and 5xx as lasting for this document.
 */
static const struct status {
	u32 from, to;
	enum push_result result;
	const char *hint;
} statuses[] = {
	{200, 299, PUSH_SENT, NULL},
	/* too early to say: it timed out, comes before TLS is settled (RFC 8470), is too much now; a gateway lacks its server */
	{408, 408, PUSH_LATER, NULL},
	{425, 425, PUSH_LATER, NULL},
	{429, 429, PUSH_LATER, NULL},
	{502, 504, PUSH_LATER, NULL},
	/* of the length of the document alone */
	{413, 413, PUSH_TOO_LARGE, NULL},
	/* of who sends, where to, or in which form: the next document fares no better */
	{401, 401, PUSH_WRONG, HINT_ALLOW},
	{403, 403, PUSH_WRONG, HINT_ALLOW},
	{404, 405, PUSH_WRONG, HINT_PLACE},
	{407, 407, PUSH_WRONG,
	 "the proxy asks for a password: https_proxy or http_proxy may have one"},
	{410, 410, PUSH_WRONG, HINT_PLACE},
	{414, 414, PUSH_WRONG, "send to a shorter URL, or with a shorter --service"},
	{415, 415, PUSH_WRONG, "choose another format: --to otlp or --to pprof"},
	{431, 431, PUSH_WRONG, "send fewer or shorter headers: -H"},
	/* 402 wants money, 406 another answer, 411 a length, 412, 417 and 428 are of headers, 421 of the host, 426 of HTTP, 451 of law */
	{402, 402, PUSH_WRONG, NULL},
	{406, 406, PUSH_WRONG, NULL},
	{411, 412, PUSH_WRONG, NULL},
	{417, 417, PUSH_WRONG, NULL},
	{421, 421, PUSH_WRONG, NULL},
	{426, 426, PUSH_WRONG, NULL},
	{428, 428, PUSH_WRONG, NULL},
	{451, 451, PUSH_WRONG, NULL},
	/* of what the document says (400, 422), or of what the server has (409); and whatever else there is */
	{400, 499, PUSH_REFUSED, NULL},
	/* no POST there, no such HTTP, a network that wants a login first */
	{501, 501, PUSH_WRONG, HINT_PLACE},
	{505, 505, PUSH_WRONG, NULL},
	{511, 511, PUSH_WRONG, NULL},
	/* it broke: by this document, or by itself, which only the next one shows */
	{500, 599, PUSH_BROKE, NULL},
	{300, 399, PUSH_WRONG, "name the URL that it is to be sent to"},
	{0, UINT32_MAX, PUSH_WRONG, NULL},
};

static const struct status *find_status(u32 status)
{
	const struct status *s = statuses;

	while (status < s->from || status > s->to)
		s++;
	return s;
}

/* A receiver of OTLP may have taken a part. */
static enum push_result judge_success(const struct push *c, const struct http_answer *a,
				      struct buf *note, struct err *err)
{
	struct otlp_answer said = {0};
	struct buf text = {0};

	if (c->form != PUSH_OTLP || strcmp(a->type, "application/x-protobuf") != 0 ||
	    !otlp_answer_success(buf_str(&a->body), a->body.len, &said))
		return PUSH_SENT;
	if (said.message)
		put_text(&text, said.message, said.len);
	if (said.rejected)
		err_set(err, EPROTO, "%s did not take %llu profile%s%s%s", buf_str(&c->server),
			(unsigned long long)said.rejected, TEXT_PLURAL(said.rejected),
			text.len ? ": " : "", buf_str(&text));
	else
		buf_add(note, buf_str(&text), text.len);
	buf_free(&text);
	return said.rejected ? PUSH_REFUSED : PUSH_SENT;
}

/* The collector, and Pyroscope, which has limits of its own, answer 400 and say it in words. */
static bool says_too_large(u32 status, const char *text)
{
	return (status == 400 || status == 422) &&
	       (strstr(text, "too large") || strstr(text, "size limit") ||
		strstr(text, "count limit"));
}

enum push_result push_server_judge(const struct push *c, const struct http_answer *a,
				   struct buf *note, struct err *err)
{
	const struct status *status = find_status(a->status);
	enum push_result result = status->result;
	struct buf text = {0};

	if (result == PUSH_SENT)
		return judge_success(c, a, note, err);
	put_failure(a, &text);
	if (says_too_large(a->status, buf_str(&text)))
		result = PUSH_TOO_LARGE;
	err_set(err, result == PUSH_LATER ? EAGAIN : EPROTO, "%s answered %u%s%s",
		buf_str(&c->server), a->status, text.len ? ": " : "", buf_str(&text));
	if (status->hint)
		err_hint(err, "%s", status->hint);
	buf_free(&text);
	return result;
}
