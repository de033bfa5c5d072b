// SPDX-License-Identifier: GPL-2.0
/* Damaged jitdump files, read at once and while they grow: the answers must be the same. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/process/jit.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void look_up(struct jitdump *j, u64 addr, u64 time)
{
	const struct jitdump_code *code = jitdump_find(j, addr, time);

	if (!code)
		return;
	if (addr < code->start || addr >= code->end || !*strtab_get(&j->names, code->name))
		abort();
	if (time && !j->no_times && code->time > time)
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct jitdump whole = {0}, grown = {0};
	int fd = memfd_create("jitdump", MFD_CLOEXEC);
	u32 i;

	if (fd < 0 || io_write(fd, data, size / 2))
		abort();
	jitdump_read(&grown, fd, NULL);
	look_up(&grown, 0x1000, 1);
	if (io_write(fd, data + size / 2, size - size / 2))
		abort();
	jitdump_read(&grown, fd, NULL);
	jitdump_read(&whole, fd, NULL);
	if (whole.codes.nr != grown.codes.nr || whole.at != grown.at)
		abort();
	for (i = 0; i < whole.codes.nr && i < 1000; i++) {
		look_up(&whole, whole.codes.v[i].start, 0);
		look_up(&whole, whole.codes.v[i].end - 1, whole.codes.v[i].time);
		look_up(&whole, whole.codes.v[i].start, whole.codes.v[i].time - 1);
	}
	jitdump_free(&whole);
	jitdump_free(&grown);
	close(fd);
	return 0;
}
