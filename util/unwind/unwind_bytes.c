// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_LIMIT ((u64)4 << 30)

static int reserve(struct unwind_bytes *b, struct err *err)
{
	u64 chunks = ALIGN_UP(b->size, (u64)UNWIND_BYTES_CHUNK) / UNWIND_BYTES_CHUNK;
	void *p;

	b->have = calloc((size_t)(chunks + 63) / 64, sizeof(*b->have));
	if (!b->have)
		return err_nomem(err);
	p = mmap(NULL, (size_t)chunks * UNWIND_BYTES_CHUNK, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		free(b->have);
		return err_nomem(err);
	}
	b->mem = p;
	return 0;
}

int unwind_bytes_init(struct unwind_bytes *b, const struct image *img, struct err *err)
{
	size_t size = 0;
	struct stat st;
	int ret;

	*b = (struct unwind_bytes){.fd = img->fd};
	if (img->fd < 0) {
		b->mem = (const u8 *)elf_rawfile(img->elf, &size);
		b->size = b->mem ? size : 0;
		return 0;
	}
	if (fstat(img->fd, &st) || st.st_size <= 0)
		return 0;
	b->size = MIN((u64)st.st_size, SIZE_LIMIT);
	ret = reserve(b, err);
	if (ret)
		*b = (struct unwind_bytes){.fd = -1};
	return ret;
}

void unwind_bytes_free(struct unwind_bytes *b)
{
	if (b->have)
		munmap((void *)(uintptr_t)b->mem,
		       (size_t)ALIGN_UP(b->size, (u64)UNWIND_BYTES_CHUNK));
	free(b->have);
	*b = (struct unwind_bytes){.fd = -1};
}

static bool read_chunk(struct unwind_bytes *b, u64 chunk)
{
	u64 offset = chunk * UNWIND_BYTES_CHUNK;
	u64 len = MIN((u64)UNWIND_BYTES_CHUNK, b->size - offset), done = 0;
	u8 *to = (u8 *)(uintptr_t)b->mem + offset;
	ssize_t n;

	while (done < len) {
		n = pread(b->fd, to + done, (size_t)(len - done), (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (u64)n;
	}
	b->have[chunk / 64] |= 1ull << chunk % 64;
	return true;
}

bool unwind_bytes_read(struct unwind_bytes *b, u64 offset, u64 len)
{
	u64 chunk = offset / UNWIND_BYTES_CHUNK;
	u64 last = len ? (offset + len - 1) / UNWIND_BYTES_CHUNK : chunk;

	/* an empty range at the very end of the file lies in no chunk */
	if (!len)
		return true;
	for (; chunk <= last; chunk++)
		if (!(b->have[chunk / 64] >> chunk % 64 & 1) && !read_chunk(b, chunk))
			return false;
	return true;
}
