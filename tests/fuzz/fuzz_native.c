// SPDX-License-Identifier: GPL-2.0
/*
 * Our own files, from the header to the symbols, read, verified and packed. Hashes would keep a fuzzer out: the input is
 * read as it is, and once more with the hash of every block header that it has put right, as far
 * as the sizes lead from one to the next.
 */
#include <endian.h>

#include "tests/fuzz/reading.h"
#include "util/base/hash.h"
#include "util/file/block.h"
#include "util/file/pack.h"
#include "util/file/verify.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void put64(u8 *p, u64 v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static void mend(u8 *p, size_t size)
{
	size_t at = FILE_HEADER_SIZE;
	u32 stored, le;

	if (size < FILE_HEADER_SIZE)
		return;
	memcpy(p, FILE_MAGIC, FILE_MAGIC_LEN);
	put64(p + FILE_HEADER_SIZE - 8, hash_bytes(p, FILE_HEADER_SIZE - 8));
	while (size - at >= BLOCK_HEADER_SIZE) {
		u8 *header = p + at;

		memcpy(header, BLOCK_MAGIC, BLOCK_MAGIC_LEN);
		memcpy(&le, header + 24, sizeof(le));
		stored = le32toh(le);
		if (stored > size - at - BLOCK_HEADER_SIZE) {
			stored = (u32)(size - at - BLOCK_HEADER_SIZE);
			le = htole32(stored);
			memcpy(header + 24, &le, sizeof(le));
		}
		put64(header + 64, hash_bytes(header + BLOCK_HEADER_SIZE, stored));
		put64(header + 72, hash_bytes(header, BLOCK_HEADER_SIZE - 8));
		at += BLOCK_HEADER_SIZE + ALIGN_UP((size_t)stored, (size_t)8);
		if (at > size)
			break;
	}
}

static u64 verify_samples(const char *path)
{
	struct blocks_item it;
	struct err err = {0};
	struct verify v;
	u64 samples;

	if (!verify_open(&v, path, &err))
		while (verify_next(&v, &it, &err) > 0)
			;
	if (!err.msg[0])
		verify_end(&v, &err);
	samples = v.samples;
	verify_free(&v);
	return samples;
}

static u64 pack_samples(const char *path)
{
	struct pack_options o = {.level = 1, .force = true};
	struct pack_result result = {0};
	struct keep keep = {0};
	struct err err = {0};
	struct stream in;
	struct writer w;

	if (stream_open(&in, path, &err) || keep_open(&keep, UINT64_C(64) << 20, 0, &err) ||
	    writer_open_memory(&w, &keep, 1, &err))
		abort();
	if (pack_stream(&in, &w, &o, &result, &err) && !err.msg[0])
		abort();
	writer_close(&w, &err);
	keep_free(&keep);
	stream_close(&in);
	return result.samples;
}

/* Both see the same file, the one to its last byte, the other up to its end. */
static void compare(const u8 *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	char path[32];

	if (fd < 0 || io_write(fd, data, size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pack_samples(path) > verify_samples(path))
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u8 *copy = malloc(size ? size : 1);

	if (!copy)
		return 0;
	reading_bytes(data, size);
	memcpy(copy, data, size);
	mend(copy, size);
	reading_bytes(copy, size);
	if (size > FILE_HEADER_SIZE)
		compare(copy, size);
	free(copy);
	return 0;
}
