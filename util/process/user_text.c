// SPDX-License-Identifier: GPL-2.0
#include "util/process/user_text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>

#include "util/base/io.h"

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

int user_bytes_read(u32 pid, u64 addr, void *to, u32 size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)addr, size};
	ssize_t n = process_vm_readv((pid_t)pid, &local, 1, &remote, 1, 0);

	return n < 0 ? -errno : (int)n;
}

/* Programs of another word size have another vector, in which the type is not found. */
u64 user_program_name(u32 pid)
{
	unsigned long pairs[64][2];
	char path[32];
	ssize_t n;
	size_t i;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/auxv", pid);
	fd = io_open(AT_FDCWD, path, O_RDONLY);
	if (fd < 0)
		return 0;
	n = read(fd, pairs, sizeof(pairs));
	close(fd);
	for (i = 0; n > 0 && i < (size_t)n / sizeof(pairs[0]) && pairs[i][0] != AT_NULL; i++)
		if (pairs[i][0] == AT_EXECFN)
			return pairs[i][1];
	return 0;
}
