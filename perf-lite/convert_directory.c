// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "perf-lite/convert.h"

bool convert_directory_is(const char *output)
{
	const size_t len = strlen(output);
	struct stat st;

	return (len && output[len - 1] == '/') || (!stat(output, &st) && S_ISDIR(st.st_mode));
}

int convert_directory_names(struct convert *c, struct err *err)
{
	const char *slash = c->output[strlen(c->output) - 1] == '/' ? "" : "/";

	c->directory = true;
	buf_addf(&c->samples, "%s%ssamples.%s", c->output, slash, c->format->name);
	buf_addf(&c->losses, "%s%slosses.%s", c->output, slash, c->format->name);
	return c->samples.failed || c->losses.failed ? err_nomem(err) : 0;
}

int convert_directory_make(const struct convert *c, struct err *err)
{
	const int ret = c->directory ? output_file_directory_make(c->output) : 0;

	if (!ret || ret == -EEXIST)
		return 0;
	return err_set(err, -ret, "cannot create %s: %s", c->output, strerror(-ret));
}
