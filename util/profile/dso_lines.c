// SPDX-License-Identifier: GPL-2.0
#include "util/profile/dso_lines.h"

#include <stdlib.h>

#include "util/debuginfo/debug_source.h"

struct dso_lines_file {
	bool open; /* else there is no file to look into */
	struct debug_source source;
};

static void open_file(struct dso_lines_file *f, const struct process_model *m,
		      const struct dso_file_options *o, u32 dso)
{
	const struct debug_file_options where = {
		.root = o->symfs, .cache = o->cache, .debuginfod = o->debuginfod};
	struct image img;

	f->open = !dso_file_open(m, dso, o, &img, NULL);
	if (f->open)
		debug_source_open(&f->source, &img, m->dsos.v[dso].name, &where);
}

static struct dso_lines_file *get_file(struct dso_lines *l, const struct process_model *m,
				       const struct symbols *s, u32 dso)
{
	struct dso_lines_file *f;

	while (l->files.nr <= dso)
		if (!vec_push(&l->files))
			return NULL;
	if (!l->files.v[dso]) {
		f = calloc(1, sizeof(*f));
		if (f)
			open_file(f, m, symbols_image_options(s), dso);
		l->files.v[dso] = f;
	}
	return l->files.v[dso];
}

u32 dso_lines_find(struct dso_lines *l, const struct process_model *m, const struct symbols *s,
		   u32 dso, u64 addr, struct debug_frame *out, u32 max)
{
	struct dso_lines_file *f;

	if (m->dsos.v[dso].kind != DSO_FILE && m->dsos.v[dso].kind != DSO_VDSO)
		return 0;
	f = get_file(l, m, s, dso);
	return f && f->open ? debug_source_find(&f->source, addr, out, max) : 0;
}

void dso_lines_free(struct dso_lines *l)
{
	u32 i;

	for (i = 0; i < l->files.nr; i++) {
		if (l->files.v[i] && l->files.v[i]->open)
			debug_source_close(&l->files.v[i]->source);
		free(l->files.v[i]);
	}
	vec_free(&l->files);
}
