/* SPDX-License-Identifier: GPL-2.0 */
/*
 * socket_owners.h - the process that has a socket open, by the socket's inode.
 *
 * `proc` is a descriptor of the /proc directory. Of several processes that share a socket it is that with the lowest number.
 * Whose descriptors may not be read, and who is gone, is passed over in silence.
 *
 * Source: proc(5), /proc/PID/fd: "socket:[INODE]".
 */
#ifndef KERNEL_SOCKET_OWNERS_H
#define KERNEL_SOCKET_OWNERS_H

#include "util/base/err.h"
#include "util/base/types.h"

struct socket_owner {
	u64 inode;     /* whose owner it is: the caller's, before the search */
	u32 pid;       /* 0: not found */
	char comm[64]; /* as it is, not escaped */
};

/* Fill in the owners of those that have none yet. -ENOMEM, or -errno of /proc. */
int socket_owners_find(int proc, struct socket_owner *owners, u32 nr, struct err *err);

#endif
