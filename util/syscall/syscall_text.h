/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_text.h - the arguments and the result of one system call, as text and as JSON.
 *
 *	dfd: CWD, filename: "/etc/hosts"~, flags: RDONLY|CLOEXEC     -1 ENOENT (No such file or directory)
 *
 *	uservaddr: {family: INET, host: 127.0.0.1, port: 53}~
 *
 * A text that was read from the process later than the call was made is marked by ~. Arguments that
 * a call does not look at are left out: the mode of an open(2) that creates nothing.
 *
 * As JSON an argument is a number (an integer, a descriptor), {"value":524288,"name":"CLOEXEC"} where values have
 * names, or an address as a string; one that a text is known of is
 * {"address":"0x7f..","text":"/etc/hosts","late":true}, a socket's address
 * {"address":"0x7f..","family":"INET","host":"127.0.0.1","port":53,"late":true}.
 */
#ifndef SYSCALL_SYSCALL_TEXT_H
#define SYSCALL_SYSCALL_TEXT_H

#include "util/base/buf.h"
#include "util/syscall/syscall_signatures.h"

struct syscall_string {
	const char *s; /* NULL: not known */
	u32 len;
	bool late; /* read after the call was made */
	bool cut;  /* it goes on */
};

struct syscall_call {
	const struct syscall *what; /* NULL: not known */
	u64 nr;
	u64 args[SYSCALL_ARGS];
	struct syscall_string texts[SYSCALL_ARGS];
	u8 hidden; /* a bit for each argument that is left out of JSON */
	bool arm;  /* made on arm64 */
};

/* Append its name, or syscall_471. */
void syscall_text_name(const struct syscall_call *c, struct buf *out);
void syscall_text_args(const struct syscall_call *c, struct buf *out);
/* One of them: "dfd: CWD", and "CWD". */
void syscall_text_arg(const struct syscall_call *c, u32 arg, struct buf *out);
void syscall_text_value(const struct syscall_call *c, u32 arg, struct buf *out);
/* What the arguments are; of a call that is not known arg1 to arg6. */
const struct syscall_arg *syscall_text_args_of(const struct syscall_call *c);
/* Append "3", "0x7f1200000000", "-1 EBADF (Bad file descriptor)". */
void syscall_text_result(const struct syscall_call *c, s64 result, struct buf *out);
/* Append it in quotes, escaped; behind what is cut "...". */
void syscall_text_string(const struct syscall_string *t, struct buf *out);
/* Append an object. */
void syscall_text_json(const struct syscall_call *c, struct buf *out);

/* The errno that a result is, 0: it is none. */
static inline u32 syscall_errno(s64 result)
{
	return result < 0 && result >= -4095 ? (u32)-result : 0;
}

/* How many arguments the call looks at. */
u32 syscall_text_nr_args(const struct syscall_call *c);

/*
 * The address of a socket, as a program gave it to the kernel of this machine: of any length, and
 * of no family that needs to exist.
 *
 *	{family: INET, host: 127.0.0.1, port: 53}	{family: LOCAL, path: "/run/nscd/socket"}
 *	{family: INET6, host: ::1, port: 53}		{family: NETLINK}
 *
 * A path that begins with NUL, in no file system, begins with @.
 */
void syscall_sockaddr_text(const void *bytes, size_t len, struct buf *out);
/* Append members to an object: "family":"INET","host":"127.0.0.1","port":53. */
void syscall_sockaddr_json(const void *bytes, size_t len, struct buf *out);

#endif
