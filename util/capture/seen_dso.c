// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_dso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/capture/live_image.h"
#include "util/image/debug_file.h"
#include "util/image/image_symbols.h"
#include "util/image/vdso.h"

/* The debug file is looked for where we are, and where the process is: that may be a container. */
static bool open_debug(const struct image *img, const char *path, u32 pid, int proc,
		       struct image *debug)
{
	struct debug_file_options o = {0};
	char root[64];

	if (!debug_file_open(img, path, &o, DEBUG_FILE_SYMBOLS, debug, NULL))
		return true;
	snprintf(root, sizeof(root), "/proc/self/fd/%d/%u/root", proc, pid);
	o.root = root;
	return !debug_file_open(img, path, &o, DEBUG_FILE_SYMBOLS, debug, NULL);
}

/* Is there debug information here, or below another root? */
static bool has_lines(const struct image *img, const char *path, const char *root)
{
	struct debug_file_options o = {.root = root};
	struct image probe;

	if (debug_file_has(img, DEBUG_FILE_DWARF))
		return true;
	if (debug_file_open(img, path, &o, DEBUG_FILE_DWARF, &probe, NULL))
		return false;
	image_close(&probe);
	return true;
}

/* Likewise for lines, which keep the image open; false, and it stays the caller's: there are none. */
static bool open_lines(struct seen_lines *l, const struct image *img, const char *path, u32 pid,
		       int proc)
{
	struct debug_file_options o = {0};
	char root[64];

	if (!has_lines(img, path, NULL)) {
		snprintf(root, sizeof(root), "/proc/self/fd/%d/%u/root", proc, pid);
		o.root = root;
		if (!has_lines(img, path, root))
			return false;
	}
	seen_lines_open(l, img, path, &o);
	return true;
}

void seen_dso_load(struct seen_dso *sd, const struct process_model *m, u32 map, u32 pid,
		   const struct seen_dso_options *o)
{
	const struct dso *d = &m->dsos.v[m->maps.v[map].dso];
	struct image img, debug;
	bool separate, symbols, lines;

	sd->user = true;
	if (sd->asked)
		return;
	sd->asked = true;
	if (live_image_open(m, map, pid, o->proc, o->held, &img))
		return;
	memcpy(sd->build_id, img.build_id, sizeof(sd->build_id));
	sd->build_id_len = img.build_id_len;
	separate = open_debug(&img, d->name, pid, o->proc, &debug);
	symbols = separate || debug_file_has(&img, DEBUG_FILE_SYMBOLS);
	image_symbols_load(&img, separate ? &debug : NULL, &sd->symtab, SYMTAB_NESTED, NULL);
	if (separate)
		image_close(&debug);
	lines = o->lines && open_lines(&sd->lines, &img, d->name, pid, o->proc);
	if (o->fetch && !lines && (o->lines || !symbols) && img.build_id_len)
		seen_fetch_want(&sd->fetch, &img, !symbols, o->lines);
	else if (!lines)
		image_close(&img);
}

bool seen_dso_add_place(struct seen_dso *sd, struct seen_names *names, u64 offset)
{
	return seen_lines_add(&sd->lines, names, offset) && seen_fetch_add(&sd->fetch, offset);
}

void seen_dso_fetch(struct seen_dso *sd, const struct dso *d, struct seen_names *names,
		    struct debuginfod *server)
{
	struct debug_file_options o = {.debuginfod = server};
	const struct sym *sym;
	u32 i;

	if (!sd->fetch.wanted)
		return;
	if (sd->fetch.symbols && seen_fetch_symbols(&sd->fetch, d->name, &o, &sd->symtab))
		for (i = 0; i < sd->fetch.offsets.nr; i++) {
			sym = symtab_find(&sd->symtab, sd->fetch.offsets.v[i]);
			if (sym)
				seen_dso_add(sd, names, sym->start, sym->end, sym->name);
		}
	if (sd->fetch.lines)
		seen_lines_open(&sd->lines, seen_fetch_take(&sd->fetch), d->name, &o);
	for (i = 0; i < sd->fetch.offsets.nr; i++)
		seen_lines_add(&sd->lines, names, sd->fetch.offsets.v[i]);
	seen_fetch_free(&sd->fetch);
}

bool seen_dso_add(struct seen_dso *sd, struct seen_names *names, u64 start, u64 end,
		  const char *name)
{
	size_t len;

	if (hmap_get(&sd->known, start) != ID_NONE)
		return true;
	if (!hmap_set(&sd->known, start, 1))
		return false;
	buf_le64(&sd->symbols, start);
	buf_le64(&sd->symbols, end - start);
	len = seen_names_length(names, name);
	seen_names_add(names, name, len);
	buf_lstr(&sd->symbols, name, len);
	return !sd->symbols.failed;
}

static struct dso_head head_of(const struct seen_dso *sd, const struct dso *d)
{
	struct dso_head h = {
		.class = sd->user ? DSO_CLASS_USER : DSO_CLASS_KERNEL,
		.name = d->name,
		.name_len = strlen(d->name),
		.build_id = sd->build_id,
		.build_id_len = sd->build_id_len,
	};

	if (sd->user) {
		h.maj = d->maj;
		h.min = d->min;
		h.ino = d->ino;
		h.ino_generation = d->ino_generation;
	}
	return h;
}

void seen_dso_put(const struct seen_dso *sd, const struct dso *d, bool image, struct buf *dsos,
		  struct functions *functions)
{
	struct cur c = cur_init_le(sd->symbols.data, sd->symbols.len);
	struct dso_head head = head_of(sd, d);
	const void *vdso = NULL;
	const char *name;
	u64 start, size;
	size_t len = 0;

	if (sd->user && !sd->told) {
		if (image && !strcmp(d->name, VDSO_NAME))
			vdso = vdso_image(&len);
		dso_head_put(dsos, &head);
		buf_lstr(dsos, vdso, vdso ? len : 0);
	}
	functions->failed |= sd->symbols.failed;
	if (sd->symbols.len == sd->written)
		return;
	functions_dso(functions, &head);
	cur_skip(&c, sd->written);
	while (cur_left(&c)) {
		start = cur_u64(&c);
		size = cur_u64(&c);
		name = cur_lstr(&c, &len);
		functions_add(functions, start, size, name, len);
	}
}

void seen_dso_written(struct seen_dso *sd)
{
	sd->told = sd->user;
	sd->written = sd->symbols.len;
}

int seen_dso_write_lines(struct seen_dso *sd, const struct dso *d, struct writer *w,
			 struct err *err)
{
	struct dso_head head = head_of(sd, d);
	struct buf b = {0};
	int ret;

	if (!sd->lines.open)
		return 0;
	dso_head_put(&b, &head);
	ret = b.failed ? err_nomem(err) : seen_lines_write(&sd->lines, &b, w, err);
	buf_free(&b);
	return ret;
}

void seen_dso_unwritten(struct seen_dso *sd, bool all)
{
	sd->told = false;
	sd->written = 0;
	seen_lines_unwritten(&sd->lines, all);
	if (!all)
		return;
	sd->user = false;
	buf_clear(&sd->symbols);
	hmap_clear(&sd->known);
}

void seen_dso_free(struct seen_dso *sd)
{
	symtab_free(&sd->symtab);
	hmap_free(&sd->known);
	buf_free(&sd->symbols);
	seen_lines_free(&sd->lines);
	seen_fetch_free(&sd->fetch);
}
