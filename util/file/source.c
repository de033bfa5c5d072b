// SPDX-License-Identifier: GPL-2.0
#include "util/file/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/file/block.h"
#include "util/file/native.h"
#include "util/file/perfdata.h"
#include "util/file/stream.h"

/* A file of ours whose first bytes are damaged has its first block where it belongs. */
static bool begins_with_block(struct stream *in)
{
	struct block k;
	size_t got;
	const u8 *p = stream_peek(in, FILE_HEADER_SIZE + BLOCK_HEADER_SIZE, &got);

	return got == FILE_HEADER_SIZE + BLOCK_HEADER_SIZE &&
	       block_get_header(p + FILE_HEADER_SIZE, &k);
}

static struct source *open_kind(struct stream *in, const char *path, struct err *err)
{
	const u8 *p;
	size_t got;

	p = stream_peek(in, 8, &got);
	if (in->error) {
		err_set(err, -in->error, "cannot read %s: %s", path, strerror(-in->error));
		return NULL;
	}
	if (got == 8 && !memcmp(p, FILE_MAGIC, FILE_MAGIC_LEN))
		return native_open(in, err);
	if (got == 8 && (!memcmp(p, PERFDATA_MAGIC, 8) || !memcmp(p, PERFDATA_MAGIC_SWAPPED, 8)))
		return perfdata_open(in, err);
	if (begins_with_block(in))
		return native_open(in, err);
	if (!got) {
		err_set(err, EINVAL, "%s is empty", path);
		err_hint(err, "record something first: perf-lite record -o %s -- COMMAND", path);
	} else {
		err_set(err, EINVAL, "%s is neither a perf-lite recording nor a perf.data file",
			path);
	}
	return NULL;
}

struct source *source_open(const char *path, struct err *err)
{
	struct stream in = {.fd = -1};
	struct source *s = NULL;
	const char *name = path;
	int fd, ret;

	if (!strcmp(path, "-")) {
		name = "standard input";
		fd = STDIN_FILENO;
		if (isatty(fd)) {
			err_set(err, EINVAL, "standard input is a terminal, not a recording");
			err_hint(err, "perf-lite record -o - ... | perf-lite script -i -");
			return NULL;
		}
	} else {
		fd = io_open(AT_FDCWD, path, O_RDONLY);
	}
	if (fd < 0) {
		err_set(err, -fd, "cannot open %s: %s", path, strerror(-fd));
		if (fd == -ENOENT)
			err_hint(err,
				 "record first (perf-lite record), or name the file with -i FILE");
		return NULL;
	}
	ret = stream_init(&in, fd);
	if (ret)
		err_set(err, -ret, "cannot read %s: %s", name, strerror(-ret));
	else
		s = open_kind(&in, name, err);
	if (!s) {
		stream_close(&in);
		return NULL;
	}
	s->path = arena_strdup(&s->recording.arena, name);
	if (!s->path) {
		err_nomem(err);
		source_close(s);
		return NULL;
	}
	return s;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	s->ops->close(s);
	recording_free(&s->recording);
	free(s);
}
