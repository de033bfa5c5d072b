// SPDX-License-Identifier: GPL-2.0
#include "util/process/user_text.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

/* No page of any machine is smaller: a piece that ends here is there as a whole or not at all. */
#define PIECE 4096u

int user_text_read(u32 pid, u64 addr, char *to, u32 size, bool *whole)
{
	struct iovec local, remote;
	const char *end;
	u32 at = 0;
	ssize_t n;

	*whole = false;
	while (at < size) {
		local.iov_base = to + at;
		local.iov_len = MIN(size - at, PIECE - (u32)((addr + at) % PIECE));
		remote.iov_base = (void *)(uintptr_t)(addr + at);
		remote.iov_len = local.iov_len;
		n = process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0);
		if (n <= 0)
			return at ? (int)at : n ? -errno : -EFAULT;
		end = memchr(to + at, '\0', (size_t)n);
		if (end) {
			*whole = true;
			return (int)(end - to);
		}
		at += (u32)n;
	}
	return (int)at;
}
