/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_sockaddr.h - the address of a socket, as a program gave it to the kernel of this machine: of any length, and
 * of no family that needs to exist.
 *
 *	{family: INET, host: 127.0.0.1, port: 53}	{family: LOCAL, path: "/run/nscd/socket"}
 *	{family: INET6, host: ::1, port: 53}		{family: NETLINK}
 *
 * A path that begins with NUL, in no file system, begins with @.
 */
#ifndef SYSCALL_SYSCALL_SOCKADDR_H
#define SYSCALL_SYSCALL_SOCKADDR_H

#include "util/base/buf.h"

void syscall_sockaddr_text(const void *bytes, size_t len, struct buf *out);
/* Append members to an object: "family":"INET","host":"127.0.0.1","port":53. */
void syscall_sockaddr_json(const void *bytes, size_t len, struct buf *out);

#endif
