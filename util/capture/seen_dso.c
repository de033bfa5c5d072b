// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_dso.h"

#include <string.h>

#include "util/file/recording.h"
#include "util/image/image_debug.h"
#include "util/image/image_symbols.h"
#include "util/image/vdso.h"
#include "util/process/mapped_file.h"

static bool open_image(const struct dso *d, const struct map *map, u32 pid, int proc,
		       struct image *img)
{
	const void *bytes;
	size_t len;
	int fd;

	if (d->kind == DSO_VDSO) {
		bytes = vdso_image(&len);
		return bytes && !image_open_memory(img, bytes, len, NULL);
	}
	if (d->kind != DSO_FILE)
		return false;
	fd = mapped_file_open(d, map, pid, proc);
	return fd >= 0 && !image_open_fd(img, fd, NULL);
}

void seen_dso_load(struct seen_dso *sd, const struct dso *d, const struct map *map, u32 pid,
		   int proc)
{
	struct image img, debug;
	bool separate;

	sd->user = true;
	if (sd->asked)
		return;
	sd->asked = true;
	if (!open_image(d, map, pid, proc, &img))
		return;
	memcpy(sd->build_id, img.build_id, sizeof(sd->build_id));
	sd->build_id_len = img.build_id_len;
	separate = image_debug_open(&img, NULL, &debug);
	image_symbols_load(&img, separate ? &debug : NULL, &sd->symtab, SYMTAB_NESTED, NULL);
	if (separate)
		image_close(&debug);
	image_close(&img);
}

bool seen_dso_add(struct seen_dso *sd, u64 start, u64 end, const char *name)
{
	if (hmap_get(&sd->known, start) != ID_NONE)
		return true;
	if (!hmap_set(&sd->known, start, 1))
		return false;
	buf_u64(&sd->symbols, start);
	buf_u64(&sd->symbols, end - start);
	buf_lstr(&sd->symbols, name, strlen(name));
	return !sd->symbols.failed;
}

static void put_head(struct buf *b, const struct seen_dso *sd, const struct dso *d)
{
	buf_u32(b, sd->user ? DSO_CLASS_USER : DSO_CLASS_KERNEL);
	buf_u32(b, sd->user ? d->maj : 0);
	buf_u32(b, sd->user ? d->min : 0);
	buf_u64(b, sd->user ? d->ino : 0);
	buf_lstr(b, d->name, strlen(d->name));
	buf_lstr(b, (const char *)sd->build_id, sd->build_id_len);
}

static int write_dso(struct seen_dso *sd, const struct dso *d, struct writer *w, struct err *err)
{
	const void *image = NULL;
	struct buf b = {0};
	size_t len = 0;
	int ret;

	if (d->kind == DSO_VDSO)
		image = vdso_image(&len);
	put_head(&b, sd, d);
	buf_lstr(&b, image, image ? len : 0);
	ret = b.failed ? err_nomem(err) : writer_block(w, BLOCK_DSO, b.data, b.len, err);
	buf_free(&b);
	sd->told = !ret;
	return ret;
}

static int write_symbols(struct seen_dso *sd, const struct dso *d, struct writer *w,
			 struct err *err)
{
	struct buf b = {0};
	int ret;

	put_head(&b, sd, d);
	buf_add(&b, sd->symbols.data + sd->written, sd->symbols.len - sd->written);
	ret = b.failed || sd->symbols.failed ? err_nomem(err)
					     : writer_block(w, BLOCK_SYMS, b.data, b.len, err);
	buf_free(&b);
	if (!ret)
		sd->written = sd->symbols.len;
	return ret;
}

int seen_dso_write(struct seen_dso *sd, const struct dso *d, struct writer *w, struct err *err)
{
	int ret = 0;

	if (sd->user && !sd->told)
		ret = write_dso(sd, d, w, err);
	if (!ret && sd->symbols.len > sd->written)
		ret = write_symbols(sd, d, w, err);
	return ret;
}

void seen_dso_unwritten(struct seen_dso *sd, bool all)
{
	sd->told = false;
	sd->written = 0;
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
}
