// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall_sockaddr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/syscall/syscall_names.h"
#include "util/syscall/syscall_text.h"

/* An address taken apart. */
struct parts {
	struct buf family, path;
	char host[INET6_ADDRSTRLEN]; /* "": there is none */
	u16 port;
	bool has_path;
};

static void find_path(struct parts *p, const char *path, size_t len)
{
	bool abstract = len && !path[0];

	p->has_path = len;
	if (abstract)
		buf_addc(&p->path, '@');
	else
		len = strnlen(path, len);
	buf_add(&p->path, path + abstract, len - abstract);
}

static void take_apart(struct parts *p, const void *bytes, size_t len)
{
	union {
		struct sockaddr_storage any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un local;
	} a = {0};
	const size_t path = offsetof(struct sockaddr_un, sun_path);

	*p = (struct parts){0};
	len = MIN(len, sizeof(a));
	memcpy(&a, bytes, len);
	syscall_names_put(SYSCALL_FAMILY, a.any.ss_family, false, &p->family);
	if (a.any.ss_family == AF_INET && len >= sizeof(a.v4)) {
		inet_ntop(AF_INET, &a.v4.sin_addr, p->host, sizeof(p->host));
		p->port = ntohs(a.v4.sin_port);
	} else if (a.any.ss_family == AF_INET6 &&
		   len >= offsetof(struct sockaddr_in6, sin6_scope_id)) {
		inet_ntop(AF_INET6, &a.v6.sin6_addr, p->host, sizeof(p->host));
		p->port = ntohs(a.v6.sin6_port);
	} else if (a.any.ss_family == AF_UNIX && len > path) {
		find_path(p, a.local.sun_path, MIN(len, sizeof(a.local)) - path);
	}
}

static void drop(struct parts *p, struct buf *out)
{
	out->failed |= p->family.failed | p->path.failed;
	buf_free(&p->family);
	buf_free(&p->path);
}

void syscall_sockaddr_text(const void *bytes, size_t len, struct buf *out)
{
	struct syscall_string path;
	struct parts p;

	take_apart(&p, bytes, len);
	path = (struct syscall_string){.s = buf_str(&p.path), .len = (u32)p.path.len};
	buf_adds(out, "{family: ");
	buf_adds(out, buf_str(&p.family));
	if (p.host[0]) {
		buf_adds(out, ", host: ");
		buf_adds(out, p.host);
		buf_adds(out, ", port: ");
		buf_dec(out, p.port, 0);
	}
	if (p.has_path) {
		buf_adds(out, ", path: ");
		syscall_text_string(&path, out);
	}
	buf_addc(out, '}');
	drop(&p, out);
}

void syscall_sockaddr_json(const void *bytes, size_t len, struct buf *out)
{
	struct buf path = {0};
	struct parts p;

	take_apart(&p, bytes, len);
	json_key(out, "family");
	json_string(out, buf_str(&p.family), p.family.len);
	if (p.host[0]) {
		json_key(out, "host");
		json_string(out, p.host, strlen(p.host));
		json_key(out, "port");
		json_unsigned(out, p.port);
	}
	if (p.has_path) {
		json_key(out, "path");
		text_escape(&path, buf_str(&p.path), p.path.len);
		json_string(out, buf_str(&path), path.len);
	}
	out->failed |= path.failed;
	buf_free(&path);
	drop(&p, out);
}
