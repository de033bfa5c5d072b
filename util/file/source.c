// SPDX-License-Identifier: GPL-2.0
#include "util/file/source.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "util/base/text.h"
#include "util/file/block.h"
#include "util/file/native.h"
#include "util/file/perfdata.h"
#include "util/file/perfdata_abi.h"

/* A file of ours whose first bytes are damaged has its first block where it belongs. */
static bool begins_with_block(struct stream *in)
{
	struct block k;
	size_t got;
	const u8 *p = stream_peek(in, FILE_HEADER_SIZE + BLOCK_HEADER_SIZE, &got);

	return got == FILE_HEADER_SIZE + BLOCK_HEADER_SIZE &&
	       block_get_header(p + FILE_HEADER_SIZE, &k);
}

/* How compressed files begin, and what shows them. */
static const struct {
	enum source_kind kind;
	const char *magic, *name, *cat;
} packed[] = {
	{SOURCE_GZIP, "\x1f\x8b", "gzip", "zcat"},
	{SOURCE_BZIP2, "BZh", "bzip2", "bzcat"},
	{SOURCE_XZ,
	 "\xfd"
	 "7zXZ",
	 "xz", "xzcat"},
	{SOURCE_ZSTD, "\x28\xb5\x2f\xfd", "zstd", "zstdcat"},
};

static enum source_kind packed_kind(const u8 *p, size_t len)
{
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(packed); i++) {
		n = strlen(packed[i].magic);
		if (len >= n && !memcmp(p, packed[i].magic, n))
			return packed[i].kind;
	}
	return SOURCE_OTHER;
}

static int compressed(enum source_kind kind, const char *path, struct err *err)
{
	const bool named = strcmp(path, "standard input") != 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(packed) && packed[i].kind != kind; i++)
		;
	err_set(err, EINVAL, "%s is compressed by %s", path, packed[i].name);
	err_hint(err, "%s %s | perf-lite COMMAND -i -", packed[i].cat,
		 named ? TEXT_SHELL(path) : "FILE");
	return -EINVAL;
}

enum source_kind source_kind(struct stream *in)
{
	size_t got;
	const u8 *p = stream_peek(in, 8, &got);

	if (got == 8 && !memcmp(p, FILE_MAGIC, FILE_MAGIC_LEN))
		return SOURCE_NATIVE;
	if (got == 8 && (!memcmp(p, PERFDATA_MAGIC, 8) || !memcmp(p, PERFDATA_MAGIC_SWAPPED, 8) ||
			 !memcmp(p, PERFDATA_MAGIC_OLD, 8)))
		return SOURCE_PERFDATA;
	if (begins_with_block(in))
		return SOURCE_NATIVE;
	p = stream_peek(in, 8, &got);
	return got ? packed_kind(p, got) : SOURCE_EMPTY;
}

int source_unknown(enum source_kind kind, const char *path, struct err *err)
{
	if (kind == SOURCE_EMPTY) {
		err_set(err, EINVAL, "%s is empty", path);
		if (!strncmp(path, "/dev/", 5))
			err_hint(err, "name a recording");
		else
			err_hint(err, "record something first: perf-lite record -o %s -- COMMAND",
				 !strcmp(path, "standard input") ? "-" : TEXT_SHELL(path));
		return -EINVAL;
	}
	if (kind >= SOURCE_GZIP)
		return compressed(kind, path, err);
	return err_set(err, EINVAL, "%s is neither a perf-lite recording nor a perf.data file",
		       path);
}

static int cannot_read(const struct stream *in, const char *path, struct err *err)
{
	return err_set(err, -in->error, "cannot read %s: %s", path, strerror(-in->error));
}

int source_open_native(struct stream *in, const char *path, const char *why, struct err *err)
{
	const char *name = stream_name(path);
	int ret = stream_open(in, path, err);
	enum source_kind kind;

	if (ret)
		return ret;
	kind = source_kind(in);
	if (in->error) {
		ret = cannot_read(in, name, err);
	} else if (kind == SOURCE_PERFDATA) {
		ret = err_set(err, ENOTSUP, "%s is a perf.data file, %s", name, why);
		err_hint(err, "perf-lite script -i %s reads what can be read", TEXT_SHELL(path));
	} else if (kind != SOURCE_NATIVE) {
		ret = source_unknown(kind, name, err);
	}
	if (ret)
		stream_close(in);
	return ret;
}

static struct source *open_kind(struct stream *in, const char *path, struct err *err)
{
	enum source_kind kind = source_kind(in);

	if (in->error)
		cannot_read(in, path, err);
	else if (kind == SOURCE_NATIVE)
		return native_open(in, err);
	else if (kind == SOURCE_PERFDATA)
		return perfdata_open(in, err);
	else
		source_unknown(kind, path, err);
	return NULL;
}

static struct source *take_name(struct source *s, const char *path, struct err *err)
{
	if (!s)
		return NULL;
	s->recording->path = arena_strdup(&s->recording->arena, stream_name(path));
	if (s->recording->path)
		return s;
	err_nomem(err);
	source_close(s);
	return NULL;
}

struct source *source_open_stream(struct stream *in, const char *path, struct err *err)
{
	struct source *s = open_kind(in, stream_name(path), err);

	if (!s)
		stream_close(in);
	return take_name(s, path, err);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

struct source *source_open(const char *path, struct err *err)
{
	struct stream in;

	if (is_directory(path))
		return take_name(perfdata_dir_open(path, err), path, err);
	return stream_open(&in, path, err) ? NULL : source_open_stream(&in, path, err);
}

void source_want(struct source *s, const struct source_want *want)
{
	for (; s; s = s->from)
		s->want = *want;
}

void source_wrap(struct source **s, struct source *stage, const struct source_ops *ops)
{
	*stage = (struct source){.ops = ops,
				 .from = *s,
				 .recording = (*s)->recording,
				 .want = (*s)->want,
				 .order = (*s)->order};
	*s = stage;
}

void source_finish(struct source *s)
{
	for (; s; s = s->from)
		if (s->ops->finish)
			s->ops->finish(s);
}

void source_close(struct source *s)
{
	struct source *from;

	for (; s; s = from) {
		from = s->from;
		s->ops->close(s);
		if (!from)
			recording_free(s->recording);
		free(s);
	}
}
