// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/base/errno_names.h"
#include "util/base/json.h"
#include "util/base/text.h"

/* O_CREAT, and what O_TMPFILE is beside O_DIRECTORY. */
#define OPEN_CREATES (O_CREAT | 020000000)
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif

/* What is shown of a call that is not known: numbers. */
static const struct syscall unknown = {.result = SYSCALL_LONG,
				       .args = {{"arg1", SYSCALL_HEX},
						{"arg2", SYSCALL_HEX},
						{"arg3", SYSCALL_HEX},
						{"arg4", SYSCALL_HEX},
						{"arg5", SYSCALL_HEX},
						{"arg6", SYSCALL_HEX}}};

static const struct syscall *what_of(const struct syscall_call *c)
{
	return c->what ? c->what : &unknown;
}

static bool fcntl_has_arg(u64 cmd)
{
	switch ((int)cmd) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		return false;
	default:
		return true;
	}
}

static u32 futex_args(u64 op)
{
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_UNLOCK_PI:
	case FUTEX_TRYLOCK_PI:
		return 2;
	case FUTEX_WAKE:
		return 3;
	case FUTEX_WAIT:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return 4;
	default:
		return SYSCALL_ARGS;
	}
}

u32 syscall_text_nr_args(const struct syscall_call *c)
{
	const struct syscall *w = what_of(c);
	u32 n, max = SYSCALL_ARGS;

	for (n = 0; n < max && w->args[n].name; n++) {
		if (w->args[n].kind == SYSCALL_FUTEX)
			max = futex_args(c->args[n]);
		if (w->args[n].kind == SYSCALL_FCNTL && !fcntl_has_arg(c->args[n]))
			max = n + 1;
		if (w->args[n].kind == SYSCALL_OPEN && n + 1 < max &&
		    w->args[n + 1].kind == SYSCALL_MODE && !(c->args[n] & OPEN_CREATES))
			max = n + 1;
	}
	return n;
}

/* What the third argument of fcntl(2) is. */
static enum syscall_kind fcntl_kind(u64 cmd)
{
	switch ((int)cmd) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return SYSCALL_FD;
	case F_SETFD:
		return SYSCALL_FD_FLAGS;
	case F_SETFL:
		return SYSCALL_OPEN;
	case F_SETSIG:
		return SYSCALL_SIGNAL;
	case F_SETOWN:
	case F_SETLEASE:
	case F_SETPIPE_SZ:
		return SYSCALL_INT;
	default:
		return SYSCALL_HEX;
	}
}

static enum syscall_kind kind_of(const struct syscall_call *c, u32 arg)
{
	enum syscall_kind kind = what_of(c)->args[arg].kind;

	if (kind == SYSCALL_FCNTL_ARG && arg)
		return fcntl_kind(c->args[arg - 1]);
	if (kind == SYSCALL_PROTOCOL)
		return (int)c->args[0] == AF_INET || (int)c->args[0] == AF_INET6 ? SYSCALL_IPPROTO
										 : SYSCALL_INT;
	return kind;
}

static void put_hex(u64 v, struct buf *out)
{
	buf_adds(out, "0x");
	buf_hex(out, v, 0);
}

/* Append it in quotes, escaped; behind what is cut "...". */
static void syscall_text_string(const struct syscall_string *t, struct buf *out)
{
	const char *p = t->s, *end = t->s + t->len;
	size_t plain;

	buf_addc(out, '"');
	while (p < end) {
		for (plain = 0; p + plain < end && p[plain] != '"' && p[plain] != '\\'; plain++)
			;
		text_escape(out, p, plain);
		p += plain;
		if (p < end) {
			buf_addc(out, '\\');
			buf_addc(out, *p++);
		}
	}
	buf_addc(out, '"');
	if (t->cut)
		buf_adds(out, "...");
}

static void put_octal(u64 v, struct buf *out)
{
	buf_addf(out, v ? "0%o" : "%o", (u32)v & 0177777);
}

static void put_value(const struct syscall_call *c, enum syscall_kind kind, u64 v, struct buf *out)
{
	switch (kind) {
	case SYSCALL_INT:
	case SYSCALL_FD:
		buf_sdec(out, (s32)v, 0);
		break;
	case SYSCALL_DIRFD:
		if ((s32)v == AT_FDCWD)
			buf_adds(out, "CWD");
		else
			buf_sdec(out, (s32)v, 0);
		break;
	case SYSCALL_UID:
		if ((u32)v == UINT32_MAX)
			buf_adds(out, "-1");
		else
			buf_dec(out, (u32)v, 0);
		break;
	case SYSCALL_UINT:
		buf_dec(out, (u32)v, 0);
		break;
	case SYSCALL_LONG:
		buf_sdec(out, (s64)v, 0);
		break;
	case SYSCALL_ULONG:
		buf_dec(out, v, 0);
		break;
	case SYSCALL_MODE:
		put_octal(v, out);
		break;
	case SYSCALL_DEV:
		buf_addf(out, "%u:%u", (u32)(v >> 8 & 0xfff),
			 (u32)((v & 0xff) | (v >> 12 & 0xfff00)));
		break;
	case SYSCALL_HEX32:
		put_hex((u32)v, out);
		break;
	case SYSCALL_PTR:
	case SYSCALL_STR:
	case SYSCALL_SOCKADDR:
		if (!v) {
			buf_adds(out, "NULL");
			break;
		}
		put_hex(v, out);
		break;
	case SYSCALL_HEX:
	case SYSCALL_FCNTL_ARG:
	case SYSCALL_NONE:
	case SYSCALL_PROTOCOL:
		put_hex(v, out);
		break;
	default:
		syscall_names_put(kind, v, c->arm, out);
	}
}

void syscall_text_name(const struct syscall_call *c, struct buf *out)
{
	if (c->what)
		buf_adds(out, c->what->name);
	else if (c->name)
		buf_adds(out, c->name);
	else
		buf_addf(out, "syscall_%" PRId64, (s64)c->nr);
}

const struct syscall_arg *syscall_text_args_of(const struct syscall_call *c)
{
	return what_of(c)->args;
}

void syscall_text_arg(const struct syscall_call *c, u32 i, struct buf *out)
{
	buf_adds(out, what_of(c)->args[i].name);
	buf_adds(out, ": ");
	syscall_text_value(c, i, out);
}

static void put_path(const struct syscall_string *t, struct buf *out)
{
	buf_addc(out, '<');
	text_escape(out, t->s, t->len);
	buf_addc(out, '>');
}

void syscall_text_value(const struct syscall_call *c, u32 i, struct buf *out)
{
	enum syscall_kind kind = kind_of(c, i);

	if (!c->texts[i].s || syscall_is_descriptor(kind))
		put_value(c, kind, c->args[i], out);
	if (!c->texts[i].s)
		return;
	if (syscall_is_descriptor(kind))
		put_path(&c->texts[i], out);
	else if (kind == SYSCALL_SOCKADDR)
		syscall_sockaddr_text(c->texts[i].s, c->texts[i].len, out);
	else
		syscall_text_string(&c->texts[i], out);
	if (c->texts[i].late)
		buf_addc(out, '~');
}

void syscall_text_args(const struct syscall_call *c, struct buf *out)
{
	u32 i, nr = syscall_text_nr_args(c);

	for (i = 0; i < nr; i++) {
		if (i)
			buf_adds(out, ", ");
		syscall_text_arg(c, i, out);
	}
}

void syscall_text_result(const struct syscall_call *c, s64 result, struct buf *out)
{
	u32 error = syscall_errno(result);
	const char *name = error ? errno_name(error) : NULL;

	if (error && name)
		buf_addf(out, "-1 %s (%s)", name, errno_text(error));
	else if (!error && what_of(c)->result == SYSCALL_PTR)
		put_hex((u64)result, out);
	else if (!error && what_of(c)->result == SYSCALL_MODE)
		put_octal((u64)result, out);
	else
		buf_sdec(out, result, 0);
}

void syscall_text_outcome(const struct syscall_call *c, s64 result, struct buf *out)
{
	const char *name = errno_name(syscall_errno(result));

	if (syscall_errno(result) && name)
		buf_adds(out, name);
	else
		syscall_text_result(c, result, out);
}

static void json_named(const struct syscall_call *c, enum syscall_kind kind, u64 v, struct buf *out)
{
	json_open(out, '{');
	json_key(out, "value");
	if (kind == SYSCALL_DIRFD || kind == SYSCALL_CLOCK)
		json_signed(out, (s32)v);
	else
		json_unsigned(out, (u32)v);
	json_key(out, "name");
	buf_addc(out, '"');
	put_value(c, kind, v, out);
	buf_adds(out, "\"}");
}

static void json_text(const struct syscall_string *t, enum syscall_kind kind, u64 value,
		      struct buf *out)
{
	json_open(out, '{');
	if (syscall_is_descriptor(kind)) {
		json_put_signed(out, "value", (s32)value);
		json_key(out, "file");
		json_name(out, t->s, t->len);
		buf_addc(out, '}');
		return;
	}
	json_put_address(out, "address", value);
	if (kind == SYSCALL_SOCKADDR) {
		syscall_sockaddr_json(t->s, t->len, out);
	} else {
		json_key(out, "text");
		json_name(out, t->s, t->len);
	}
	if (t->late)
		json_put_bool(out, "late", true);
	if (t->cut)
		json_put_bool(out, "cut", true);
	buf_addc(out, '}');
}

static void json_value(const struct syscall_call *c, enum syscall_kind kind, u64 v, struct buf *out)
{
	switch (kind) {
	case SYSCALL_INT:
	case SYSCALL_FD:
		json_signed(out, (s32)v);
		break;
	case SYSCALL_UID:
		json_signed(out, (u32)v == UINT32_MAX ? -1 : (s64)(u32)v);
		break;
	case SYSCALL_UINT:
		json_unsigned(out, (u32)v);
		break;
	case SYSCALL_LONG:
		json_signed(out, (s64)v);
		break;
	case SYSCALL_ULONG:
		json_unsigned(out, v);
		break;
	case SYSCALL_HEX32:
		json_address(out, (u32)v);
		break;
	case SYSCALL_HEX:
	case SYSCALL_PTR:
	case SYSCALL_STR:
	case SYSCALL_SOCKADDR:
	case SYSCALL_FCNTL_ARG:
	case SYSCALL_NONE:
	case SYSCALL_PROTOCOL:
		json_address(out, v);
		break;
	default:
		json_named(c, kind, v, out);
	}
}

void syscall_text_json(const struct syscall_call *c, struct buf *out)
{
	const struct syscall *w = what_of(c);
	u32 i, nr = syscall_text_nr_args(c);

	json_open(out, '{');
	for (i = 0; i < nr; i++) {
		if (c->hidden >> i & 1)
			continue;
		json_key(out, w->args[i].name);
		if (c->texts[i].s)
			json_text(&c->texts[i], kind_of(c, i), c->args[i], out);
		else
			json_value(c, kind_of(c, i), c->args[i], out);
	}
	buf_addc(out, '}');
}

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
	struct parts p;

	take_apart(&p, bytes, len);
	json_put_buf(out, "family", &p.family);
	if (p.host[0]) {
		json_put_string(out, "host", p.host);
		json_put_unsigned(out, "port", p.port);
	}
	if (p.has_path) {
		json_key(out, "path");
		json_name(out, buf_str(&p.path), p.path.len);
	}
	drop(&p, out);
}
