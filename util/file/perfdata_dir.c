// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/num.h"

static void no_recording(const char *dir, struct err *err)
{
	err_set(err, ENOENT, "%s is a directory, and there is no recording in it", dir);
	err_hint(err, "perf record --threads puts a file 'data' there");
}

static struct source *open_tables(const char *dir, struct err *err)
{
	struct stream in = {.fd = -1};
	struct source *s = NULL;
	struct buf path = {0};
	enum source_kind kind;

	buf_addf(&path, "%s/data", dir);
	if (path.failed)
		err_nomem(err);
	else if (access(path.data, F_OK))
		no_recording(dir, err);
	else if (stream_open(&in, path.data, err))
		s = NULL;
	else if ((kind = source_kind(&in)) == SOURCE_PERFDATA)
		s = perfdata_open(&in, err);
	else
		source_unknown(kind, path.data, err);
	if (!s)
		stream_close(&in);
	buf_free(&path);
	return s;
}

static int is_part(const struct dirent *d)
{
	u64 nr;

	return !strncmp(d->d_name, "data.", 5) && num_u64(d->d_name + 5, &nr);
}

static int add_part(struct source *s, const char *dir, const char *name, struct err *err)
{
	struct buf path = {0};
	struct stream in;
	int ret;

	buf_addf(&path, "%s/%s", dir, name);
	ret = path.failed ? err_nomem(err) : stream_open(&in, path.data, err);
	if (!ret)
		ret = perfdata_add(s, &in, name, err);
	buf_free(&path);
	return ret;
}

struct source *perfdata_dir_open(const char *path, struct err *err)
{
	struct source *s = open_tables(path, err);
	struct dirent **parts;
	int i, nr, ret = 0;

	if (!s)
		return NULL;
	nr = scandir(path, &parts, is_part, versionsort);
	if (nr < 0)
		ret = err_set(err, errno, "cannot read %s: %s", path, strerror(errno));
	for (i = 0; i < nr; i++) {
		if (!ret)
			ret = add_part(s, path, parts[i]->d_name, err);
		free(parts[i]);
	}
	if (nr >= 0)
		free(parts);
	if (!ret)
		return s;
	source_close(s);
	return NULL;
}
