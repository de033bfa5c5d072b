// SPDX-License-Identifier: GPL-2.0
#include "util/http/http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CURL

#include <curl/curl.h>

#include "util/base/io.h"
#include "util/base/shared_object.h"

/* Debian's other one has the symbols of the same library under versions of its own. */
static const char *const libraries[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

/* All of a request may take so many times what it may pause. */
#define TIMEOUTS 20
#define NS_MS    1000000ull

/* The macros of curl.h check types; these are the functions behind them. */
#undef curl_easy_setopt
#undef curl_easy_getinfo

struct curl_functions {
	CURLcode (*global_init)(long flags);
	CURL *(*init)(void);
	CURLcode (*setopt)(CURL *curl, CURLoption option, ...);
	CURLcode (*perform)(CURL *curl);
	CURLcode (*getinfo)(CURL *curl, CURLINFO info, ...);
	const char *(*strerror)(CURLcode code);
	void (*cleanup)(CURL *curl);
	struct curl_slist *(*append)(struct curl_slist *list, const char *text);
	void (*free_all)(struct curl_slist *list);
};

struct http {
	void *library;
	struct curl_functions curl;
	CURL *handle;
	struct curl_slist *headers;
	const struct http_options *options;
	/* of the request that goes on */
	const struct http_request *request;
	struct http_answer *answer;
	u64 at; /* in the document */
	int read_error;
	char message[CURL_ERROR_SIZE];
};

static bool get_functions(struct http *h)
{
	struct curl_functions *c = &h->curl;
	void *l = h->library;

	return shared_object_function(l, "curl_global_init", &c->global_init) &&
	       shared_object_function(l, "curl_easy_init", &c->init) &&
	       shared_object_function(l, "curl_easy_setopt", &c->setopt) &&
	       shared_object_function(l, "curl_easy_perform", &c->perform) &&
	       shared_object_function(l, "curl_easy_getinfo", &c->getinfo) &&
	       shared_object_function(l, "curl_easy_strerror", &c->strerror) &&
	       shared_object_function(l, "curl_easy_cleanup", &c->cleanup) &&
	       shared_object_function(l, "curl_slist_append", &c->append) &&
	       shared_object_function(l, "curl_slist_free_all", &c->free_all);
}

static int load_library(struct http *h, struct err *err)
{
	char why[128];

	h->library = shared_object_load(libraries, ARRAY_SIZE(libraries), why, sizeof(why));
	if (h->library && get_functions(h) && !h->curl.global_init(CURL_GLOBAL_DEFAULT))
		return 0;
	err_set(err, ENOSYS, "cannot load libcurl, which sends: %s",
		h->library ? "it is too old" : why);
	err_hint(err, "install libcurl4 (Debian, Ubuntu) or libcurl (Fedora); a statically linked "
		      "perf-lite cannot use it");
	return -ENOSYS;
}

/* ---- the document ---- */

static size_t read_document(char *to, size_t size, size_t nr, void *arg)
{
	struct http *h = arg;
	u64 left = h->request->size - h->at;
	ssize_t got = io_pread(h->request->fd, to, MIN((u64)size * nr, left), h->at);

	if (got < 0 || (!got && left)) {
		h->read_error = got < 0 ? (int)-got : EIO;
		return CURL_READFUNC_ABORT;
	}
	h->at += (u64)got;
	return (size_t)got;
}

/* A connection that was kept may turn out to be closed only when something was sent. */
static int rewind_document(void *arg, curl_off_t to, int whence)
{
	struct http *h = arg;

	if (whence != SEEK_SET || to < 0)
		return CURL_SEEKFUNC_CANTSEEK;
	h->at = (u64)to;
	return CURL_SEEKFUNC_OK;
}

static size_t keep_body(char *p, size_t size, size_t nr, void *arg)
{
	struct http *h = arg;
	struct buf *b = &h->answer->body;
	size_t len = MIN(size * nr, HTTP_BODY_MAX - b->len);

	/* of a body that is longer, and may have no end, this ends the request */
	buf_add(b, p, len);
	return len;
}

/* ---- options ---- */

static bool add_header(struct http *h, const char *text)
{
	struct curl_slist *list = h->curl.append(h->headers, text);

	if (list)
		h->headers = list;
	return list != NULL;
}

static bool add_headers(struct http *h, const struct http_request *r)
{
	struct buf b = {0};
	bool added;
	u32 i;

	h->curl.free_all(h->headers);
	h->headers = NULL;
	buf_addf(&b, "Content-Type: %s", r->type);
	/* no second round of packets before the document */
	added = !b.failed && add_header(h, buf_str(&b)) && add_header(h, "Expect:");
	buf_clear(&b);
	if (r->encoding)
		buf_addf(&b, "Content-Encoding: %s", r->encoding);
	if (added && b.len)
		added = add_header(h, buf_str(&b));
	for (i = 0; added && i < h->options->nr_headers; i++)
		added = add_header(h, h->options->headers[i]);
	added &= !b.failed;
	buf_free(&b);
	return added;
}

static bool set_text(struct http *h, CURLoption option, const char *text)
{
	return !text || h->curl.setopt(h->handle, option, text) == CURLE_OK;
}

static bool set_number(struct http *h, CURLoption option, u64 number)
{
	return h->curl.setopt(h->handle, option, (long)MIN(number, (u64)INT32_MAX)) == CURLE_OK;
}

static bool set_protocols(struct http *h)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	if (h->curl.setopt(h->handle, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK)
		return true;
#endif
	/* what older libraries know, and newer ones still take: 1 and 2 are HTTP and HTTPS */
	return h->curl.setopt(h->handle, (CURLoption)181, 3L) == CURLE_OK;
}

static bool set_options(struct http *h, const struct http_options *o)
{
	return set_protocols(h) && set_number(h, CURLOPT_NOSIGNAL, 1) &&
	       set_number(h, CURLOPT_POST, 1) && set_text(h, CURLOPT_USERAGENT, "perf-lite") &&
	       set_text(h, CURLOPT_CAINFO, o->ca) && set_text(h, CURLOPT_SSLCERT, o->cert) &&
	       set_text(h, CURLOPT_SSLKEY, o->key) &&
	       set_number(h, CURLOPT_CONNECTTIMEOUT_MS, o->connect_timeout / NS_MS) &&
	       set_number(h, CURLOPT_LOW_SPEED_LIMIT, 1) &&
	       set_number(h, CURLOPT_LOW_SPEED_TIME, MAX(o->timeout / 1000000000u, 1u)) &&
	       set_number(h, CURLOPT_TIMEOUT_MS, TIMEOUTS * (o->timeout / NS_MS)) &&
	       h->curl.setopt(h->handle, CURLOPT_ERRORBUFFER, h->message) == CURLE_OK &&
	       h->curl.setopt(h->handle, CURLOPT_READFUNCTION, read_document) == CURLE_OK &&
	       h->curl.setopt(h->handle, CURLOPT_READDATA, h) == CURLE_OK &&
	       h->curl.setopt(h->handle, CURLOPT_SEEKFUNCTION, rewind_document) == CURLE_OK &&
	       h->curl.setopt(h->handle, CURLOPT_SEEKDATA, h) == CURLE_OK &&
	       h->curl.setopt(h->handle, CURLOPT_WRITEFUNCTION, keep_body) == CURLE_OK &&
	       h->curl.setopt(h->handle, CURLOPT_WRITEDATA, h) == CURLE_OK;
}

int http_open(struct http **out, const struct http_options *o, struct err *err)
{
	struct http *h = calloc(1, sizeof(*h));
	int ret;

	if (!h)
		return err_nomem(err);
	h->options = o;
	ret = load_library(h, err);
	if (!ret) {
		h->handle = h->curl.init();
		if (!h->handle || !set_options(h, o))
			ret = err_set(err, EINVAL, "libcurl does not take an option%s",
				      o->ca || o->cert ? ": it may be built without TLS" : "");
	}
	if (ret) {
		http_close(h);
		return ret;
	}
	*out = h;
	return 0;
}

/* The library stays loaded: it may have threads and handlers of its own at exit. */
void http_close(struct http *h)
{
	if (!h)
		return;
	if (h->handle)
		h->curl.cleanup(h->handle);
	if (h->headers)
		h->curl.free_all(h->headers);
	free(h);
}

/* ---- a request ---- */

static bool may_come_back(CURLcode code)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_PROXY:
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_CONNECT:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
	case CURLE_PARTIAL_FILE:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		return true;
	default:
		return false;
	}
}

static void hint_failure(CURLcode code, struct err *err)
{
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		err_hint(err, "if it is the right server, trust its certificate: --cacert FILE");
	else if (code == CURLE_SSL_CONNECT_ERROR)
		err_hint(err, "does the server speak TLS? A URL with http:// does without");
}

/* What it answered when it was asked for a tunnel to a server with TLS; 0: nothing, or it made one. */
static long proxy_refusal(struct http *h)
{
	long code = 0;

	if (h->curl.getinfo(h->handle, CURLINFO_HTTP_CONNECTCODE, &code) != CURLE_OK)
		return 0;
	return code < 200 || code > 299 ? code : 0;
}

static int report_proxy(long status, struct http_answer *a, struct err *err)
{
	a->again = status >= 500 || status == 408 || status == 429;
	err_set(err, a->again ? EHOSTUNREACH : EPROTO, "the proxy answered %ld", status);
	if (status == 407)
		err_hint(err, "it asks for a password: https_proxy=http://NAME:PASSWORD@HOST:PORT");
	else if (!a->again)
		err_hint(err, "https_proxy names the proxy, no_proxy the servers without one");
	return -(a->again ? EHOSTUNREACH : EPROTO);
}

static int report_failure(struct http *h, CURLcode code, struct http_answer *a, struct err *err)
{
	long refused = proxy_refusal(h);

	if (code == CURLE_OUT_OF_MEMORY)
		return err_nomem(err);
	if (refused)
		return report_proxy(refused, a, err);
	if (h->read_error)
		return err_set(err, h->read_error, "cannot read what is to be sent: %s",
			       strerror(h->read_error));
	a->again = may_come_back(code);
	err_set(err, a->again ? EHOSTUNREACH : EPROTO, "%s",
		h->message[0] ? h->message : h->curl.strerror(code));
	hint_failure(code, err);
	return -(a->again ? EHOSTUNREACH : EPROTO);
}

static void keep_answer(struct http *h, struct http_answer *a)
{
	curl_off_t after = 0;
	char *type = NULL;
	long status = 0;

	h->curl.getinfo(h->handle, CURLINFO_RESPONSE_CODE, &status);
	a->status = (u32)status;
	if (h->curl.getinfo(h->handle, CURLINFO_RETRY_AFTER, &after) == CURLE_OK && after > 0)
		a->retry_after = (u64)after;
	if (h->curl.getinfo(h->handle, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK && type)
		snprintf(a->type, sizeof(a->type), "%.*s", (int)strcspn(type, "; \t"), type);
}

int http_post(struct http *h, const struct http_request *r, struct http_answer *a, struct err *err)
{
	CURLcode code;

	*a = (struct http_answer){.body = a->body};
	buf_clear(&a->body);
	h->request = r;
	h->answer = a;
	h->at = 0;
	h->read_error = 0;
	h->message[0] = '\0';
	if (!add_headers(h, r))
		return err_nomem(err);
	if (h->curl.setopt(h->handle, CURLOPT_HTTPHEADER, h->headers) != CURLE_OK ||
	    h->curl.setopt(h->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->size) !=
		    CURLE_OK ||
	    !set_text(h, CURLOPT_URL, r->url))
		return err_nomem(err);
	code = h->curl.perform(h->handle);
	if (a->body.failed)
		return err_nomem(err);
	if (code == CURLE_WRITE_ERROR && a->body.len == HTTP_BODY_MAX)
		code = CURLE_OK;
	if (code != CURLE_OK)
		return report_failure(h, code, a, err);
	keep_answer(h, a);
	return 0;
}

#else

int http_open(struct http **out, const struct http_options *o, struct err *err)
{
	(void)out, (void)o;
	err_set(err, ENOSYS, "this perf-lite was built without libcurl, which sends");
	err_hint(err, "install libcurl4-openssl-dev (Debian, Ubuntu) or libcurl-devel (Fedora) and "
		      "build it again; or: perf-lite convert --to otlp, and curl");
	return -ENOSYS;
}

int http_post(struct http *h, const struct http_request *r, struct http_answer *a, struct err *err)
{
	(void)h, (void)r, (void)a;
	return err_set(err, ENOSYS, "built without libcurl");
}

void http_close(struct http *h)
{
	(void)h;
}

#endif
