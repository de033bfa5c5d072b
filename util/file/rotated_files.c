// SPDX-License-Identifier: GPL-2.0
#include "util/file/rotated_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

char *rotated_files_name(const char *file)
{
	struct timeval tv;
	struct tm tm;
	char text[32];
	char *name;

	gettimeofday(&tv, NULL);
	localtime_r(&tv.tv_sec, &tm);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &tm);
	if (asprintf(&name, "%s.%s%06u", file, text, (unsigned int)tv.tv_usec) < 0)
		return NULL;
	return name;
}

int rotated_files_add(struct rotated_files *f, char *name, u32 max, struct err *err)
{
	char **slot = vec_push(&f->v);

	if (!slot) {
		free(name);
		return err_nomem(err);
	}
	*slot = name;
	while (max && f->v.nr > max) {
		unlink(f->v.v[0]);
		free(f->v.v[0]);
		f->v.nr--;
		memmove(f->v.v, f->v.v + 1, f->v.nr * sizeof(*f->v.v));
	}
	return 0;
}

void rotated_files_free(struct rotated_files *f)
{
	u32 i;

	for (i = 0; i < f->v.nr; i++)
		free(f->v.v[i]);
	vec_free(&f->v);
}
