// SPDX-License-Identifier: GPL-2.0
#include "util/capture/symbol_collector_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/cur.h"
#include "util/capture/pinned_files.h"
#include "util/image/debug_file.h"
#include "util/image/image.h"
#include "util/image/image_symbols.h"

/* The image, which is taken over, lacks these. */
static void want_debug_file(struct symbol_fetch *f, const struct image *image, bool symbols,
			    bool lines)
{
	f->wanted = true;
	f->symbols = symbols;
	f->lines = lines;
	f->image = *image;
}

static bool add_fetch_offset(struct symbol_fetch *f, u64 offset)
{
	u64 *to;

	if (!f->wanted || hmap_get(&f->met, offset) != ID_NONE)
		return true;
	to = hmap_set(&f->met, offset, 1) ? vec_push(&f->offsets) : NULL;
	if (to)
		*to = offset;
	return to;
}

/* Put the symbols of the debug file in the place of those that the image has. False: there are none. */
static bool fetch_symbols(const struct symbol_fetch *f, struct symbol_names *names,
			  const char *path, const struct debug_file_options *o,
			  struct symtab *symtab)
{
	struct symtab fetched = {0};
	struct err why = {0};
	struct image debug;
	int ret;

	if (debug_file_open(&f->image, path, o, DEBUG_FILE_SYMBOLS, &debug, NULL))
		return false;
	ret = image_symbols_load(&f->image, &debug, &fetched, SYMTAB_NESTED, &why);
	image_close(&debug);
	if (ret)
		symbol_names_cannot_read(names, &why);
	if (ret && ret != -EIO) {
		symtab_free(&fetched);
		return false;
	}
	symtab_free(symtab);
	*symtab = fetched;
	return true;
}

/* The image, from now on the caller's. */
static const struct image *take_fetch_image(struct symbol_fetch *f)
{
	f->wanted = false;
	return &f->image;
}

static void free_fetch(struct symbol_fetch *f)
{
	if (f->wanted)
		image_close(&f->image);
	f->wanted = false;
	hmap_free(&f->met);
	vec_free(&f->offsets);
}

#define ROOT_SIZE  64
#define FRAMES_MAX 256
/* A block of more bytes is complete. With one place more it is far below BLOCK_SIZE_MAX. */
#define BLOCK_BYTES (1u << 20)

static void note_lines(struct symbol_lines *l, struct symbol_names *names, const struct err *why)
{
	l->noted = true;
	symbol_names_cannot_read(names, why);
}

/* Open the debug information of an image, which is taken over, once. `path`, `o`: debug_file.h */
static void open_debug_lines(struct symbol_lines *l, struct symbol_names *names,
			     const struct image *image, const char *path,
			     const struct debug_file_options *o)
{
	struct err why = {0};
	int ret = debug_source_open(&l->source, image, path, o, &why);

	l->open = true;
	if (ret && ret != -ENODATA)
		note_lines(l, names, &why);
}

/* Its number plus one, 0: there is none. False when memory is out. */
static bool add_string(struct symbol_lines *l, struct symbol_names *names, const char *s,
		       u32 *number)
{
	size_t len = s ? symbol_names_length(names, s) : 0;
	u32 nr = l->strings.nr, id = s ? strtab_add(&l->strings, s, len) : 0;

	if (l->strings.nr != nr)
		symbol_names_add(names, s, len);
	*number = s ? id + 1 : 0;
	return id != ID_NONE;
}

static bool add_lines(struct symbol_lines *l, struct symbol_names *names, u64 offset)
{
	struct debug_frame frames[FRAMES_MAX];
	u32 i, function, file;
	struct err why;
	int nr;

	if (!l->open || !l->source.info || hmap_get(&l->known, offset) != ID_NONE)
		return true;
	if (!hmap_set(&l->known, offset, 1))
		return false;
	nr = debug_source_find(&l->source, offset, frames, FRAMES_MAX);
	if (!l->noted && debug_source_why(&l->source, &why))
		note_lines(l, names, &why);
	if (nr <= 0)
		return !nr;
	buf_u64(&l->entries, offset);
	buf_u32(&l->entries, (u32)nr);
	for (i = 0; i < (u32)nr; i++) {
		if (!add_string(l, names, frames[i].function, &function) ||
		    !add_string(l, names, frames[i].file, &file))
			return false;
		buf_u32(&l->entries, function);
		buf_u32(&l->entries, file);
		buf_u32(&l->entries, frames[i].line);
	}
	return !l->entries.failed;
}

/* A block has a table of strings of its own, numbered in the order of their first use. */
struct block_strings {
	u32 *numbers; /* of l->strings */
	u32 nr;
	struct buf text;
};

static u32 renumber(const struct symbol_lines *l, struct block_strings *b, u32 id)
{
	if (!id)
		return 0;
	if (!b->numbers[id - 1]) {
		b->numbers[id - 1] = ++b->nr;
		buf_lstr(&b->text, l->strings.entries[id - 1].s, l->strings.entries[id - 1].len);
	}
	return b->numbers[id - 1];
}

/* Entries from `at` on that go into one block; where the next one begins. */
static size_t put_entries(const struct symbol_lines *l, size_t at, struct block_strings *b,
			  struct buf *out)
{
	struct cur c = cur_init(l->entries.data + at, l->entries.len - at);
	u32 nr;

	while (cur_left(&c) && b->text.len + out->len < BLOCK_BYTES) {
		buf_le64(out, cur_u64(&c));
		nr = cur_u32(&c);
		buf_le32(out, nr);
		for (; nr; nr--) {
			buf_le32(out, renumber(l, b, cur_u32(&c)));
			buf_le32(out, renumber(l, b, cur_u32(&c)));
			buf_le32(out, cur_u32(&c)); /* line */
		}
	}
	return l->entries.len - cur_left(&c);
}

static int write_lines_block(struct symbol_lines *l, const struct buf *head, struct writer *w,
			     struct err *err)
{
	struct buf entries = {0}, block = {0};
	struct block_strings b = {0};
	size_t next;
	int ret;

	b.numbers = calloc(l->strings.nr + 1, sizeof(*b.numbers));
	if (!b.numbers)
		return err_nomem(err);
	next = put_entries(l, l->written, &b, &entries);
	buf_add(&block, head->data, head->len);
	buf_le32(&block, b.nr);
	buf_add(&block, b.text.data, b.text.len);
	buf_add(&block, entries.data, entries.len);
	if (b.text.failed || entries.failed || block.failed)
		ret = err_nomem(err);
	else
		ret = writer_block(w, BLOCK_FRAMES, block.data, block.len, err);
	if (!ret)
		l->written = next;
	free(b.numbers);
	buf_free(&b.text);
	buf_free(&entries);
	buf_free(&block);
	return ret;
}

/* Write what the file does not have yet, in blocks that begin with this DSO head. */
static int write_lines(struct symbol_lines *l, const struct buf *head, struct writer *w,
		       struct err *err)
{
	int ret = l->entries.failed ? err_nomem(err) : 0;

	while (!ret && l->written < l->entries.len)
		ret = write_lines_block(l, head, w, err);
	return ret;
}

static void forget_written_lines(struct symbol_lines *l)
{
	l->written = 0;
	buf_reset(&l->entries);
	strtab_free(&l->strings);
	hmap_clear(&l->known);
}

static void free_lines(struct symbol_lines *l)
{
	if (l->open)
		debug_source_close(&l->source);
	hmap_free(&l->known);
	strtab_free(&l->strings);
	buf_free(&l->entries);
}

/* The folder that the process has for its root; NULL: it is gone, or may not be looked into. */
static const char *root_of(char root[static ROOT_SIZE], u32 pid, int proc)
{
	snprintf(root, ROOT_SIZE, "%u/root", pid);
	if (faccessat(proc, root, F_OK, 0))
		return NULL;
	snprintf(root, ROOT_SIZE, "/proc/self/fd/%d/%u/root", proc, pid);
	return root;
}

/* A descriptor says nothing to who reads the message. */
static void name_root(struct err *why, const char *root, u32 pid)
{
	size_t len = strlen(root);
	struct err named = *why;

	if (strncmp(why->msg, root, len) != 0)
		return;
	err_set(&named, why->code, "/proc/%u/root%s", pid, why->msg + len);
	*why = named;
}

/*
 * A debug file is looked for where we are, and where the process is: that may be a container. As debug_file_open(), and in
 * *o where it was found.
 */
static int find_debug_file(const struct image *img, const char *path, u32 pid, int proc,
			   enum debug_file_kind kind, struct debug_file_options *o, char *root,
			   struct image *debug, struct err *err)
{
	int ret = debug_file_open(img, path, o, kind, debug, err), there;
	struct err why = {0};

	if (!ret || !root_of(root, pid, proc))
		return ret;
	o->root = root;
	there = debug_file_open(img, path, o, kind, debug, &why);
	if (there && ret != -ENODATA)
		return ret;
	name_root(&why, root, pid);
	*err = why;
	return there;
}

/* The symbols of an image and its debug file. Has one of them a .symtab? */
static bool load_symbols(struct symbol_dso *sd, struct symbol_names *names, const struct image *img,
			 const char *path, u32 pid, int proc)
{
	struct debug_file_options o = {0};
	struct err why = {0};
	struct image debug;
	char root[ROOT_SIZE];
	bool separate =
		!find_debug_file(img, path, pid, proc, DEBUG_FILE_SYMBOLS, &o, root, &debug, &why);
	bool has = separate || debug_file_has(img, DEBUG_FILE_SYMBOLS);
	int ret;

	if (!has && why.code != ENODATA)
		symbol_names_cannot_read(names, &why);
	ret = image_symbols_load(img, separate ? &debug : NULL, &sd->symtab, SYMTAB_NESTED, &why);
	if (separate)
		image_close(&debug);
	if (ret == -ENOMEM)
		err_prefix(&why, "%s", path);
	if (ret)
		symbol_names_cannot_read(names, &why);
	return has;
}

/* Lines keep the image open; false, and it stays the caller's: there are none. */
static bool find_and_open_lines(struct symbol_lines *l, struct symbol_names *names,
				const struct image *img, const char *path, u32 pid, int proc)
{
	struct debug_file_options o = {0};
	struct err why = {0};
	struct image probe;
	char root[ROOT_SIZE];

	if (!debug_file_has(img, DEBUG_FILE_DWARF)) {
		if (find_debug_file(img, path, pid, proc, DEBUG_FILE_DWARF, &o, root, &probe,
				    &why)) {
			if (why.code != ENODATA)
				symbol_names_cannot_read(names, &why);
			return false;
		}
		image_close(&probe);
	}
	open_debug_lines(l, names, img, path, &o);
	return true;
}

/* False: there is none, which is noted where it should be. */
static bool open_image(struct symbol_names *names, const struct process_model *m, u32 map, u32 pid,
		       const struct symbol_collector_options *o, struct pinned_files *pinned,
		       struct image *img)
{
	const struct dso *d = &m->dsos.v[m->maps.v[map].dso];
	int ret = pinned_files_open_image(pinned, m, map, pid, o->proc, img);
	struct err why;

	if (!ret || ret == -ENOENT || ret == -ENOEXEC)
		return !ret;
	err_set(&why, -ret, "%s: %s", d->name, strerror(-ret));
	symbol_names_cannot_read(names, &why);
	return false;
}

/* What was dropped, if the file is still the same. */
static void load_again(struct symbol_dso *sd, struct symbol_names *names,
		       const struct process_model *m, u32 map, u32 pid,
		       const struct symbol_collector_options *o, struct pinned_files *pinned)
{
	const char *name = m->dsos.v[m->maps.v[map].dso].name;
	bool lines = false;
	struct image img;

	if (!sd->dropped)
		return;
	sd->dropped = false;
	if (!open_image(names, m, map, pid, o, pinned, &img))
		return;
	if (img.build_id_len == sd->build_id_len &&
	    !memcmp(img.build_id, sd->build_id, sd->build_id_len)) {
		if (!sd->symtab.syms.nr)
			load_symbols(sd, names, &img, name, pid, o->proc);
		lines = o->inlines &&
			find_and_open_lines(&sd->lines, names, &img, name, pid, o->proc);
	}
	if (!lines)
		image_close(&img);
}

void symbol_dso_close(struct symbol_dso *sd)
{
	if (sd->lines.open)
		debug_source_close(&sd->lines.source);
	sd->lines.open = false;
	sd->dropped = true;
}

void symbol_dso_drop(struct symbol_dso *sd)
{
	symtab_free(&sd->symtab);
	symbol_dso_close(sd);
}

void symbol_dso_load(struct symbol_dso *sd, struct symbol_names *names,
		     const struct process_model *m, u32 map, u32 pid,
		     const struct symbol_collector_options *o, struct pinned_files *pinned)
{
	const struct dso *d = &m->dsos.v[m->maps.v[map].dso];
	bool symbols, lines;
	struct image img;

	sd->user = true;
	if (sd->asked) {
		load_again(sd, names, m, map, pid, o, pinned);
		return;
	}
	sd->asked = true;
	if (!open_image(names, m, map, pid, o, pinned, &img))
		return;
	memcpy(sd->build_id, img.build_id, sizeof(sd->build_id));
	sd->build_id_len = img.build_id_len;
	symbols = load_symbols(sd, names, &img, d->name, pid, o->proc);
	lines = o->inlines && find_and_open_lines(&sd->lines, names, &img, d->name, pid, o->proc);
	if (o->fetches && !lines && (o->inlines || !symbols) && img.build_id_len)
		want_debug_file(&sd->fetch, &img, !symbols, o->inlines);
	else if (!lines)
		image_close(&img);
}

bool symbol_dso_add_place(struct symbol_dso *sd, struct symbol_names *names, u64 offset)
{
	return add_lines(&sd->lines, names, offset) && add_fetch_offset(&sd->fetch, offset);
}

void symbol_dso_fetch(struct symbol_dso *sd, const struct dso *d, struct symbol_names *names,
		      struct debuginfod *server)
{
	struct debug_file_options o = {.debuginfod = server};
	const struct sym *sym;
	u32 i;

	if (!sd->fetch.wanted)
		return;
	if (sd->fetch.symbols && fetch_symbols(&sd->fetch, names, d->name, &o, &sd->symtab))
		for (i = 0; i < sd->fetch.offsets.nr; i++) {
			sym = symtab_find(&sd->symtab, sd->fetch.offsets.v[i]);
			if (sym)
				symbol_dso_add(sd, names, sym->start, sym->end, sym->name);
		}
	if (sd->fetch.lines && !sd->lines.open)
		open_debug_lines(&sd->lines, names, take_fetch_image(&sd->fetch), d->name, &o);
	for (i = 0; i < sd->fetch.offsets.nr; i++)
		add_lines(&sd->lines, names, sd->fetch.offsets.v[i]);
	free_fetch(&sd->fetch);
}

bool symbol_dso_add(struct symbol_dso *sd, struct symbol_names *names, u64 start, u64 end,
		    const char *name)
{
	size_t len;

	if (hmap_get(&sd->known, start) != ID_NONE)
		return true;
	if (!hmap_set(&sd->known, start, 1))
		return false;
	buf_le64(&sd->symbols, start);
	buf_le64(&sd->symbols, end - start);
	len = symbol_names_length(names, name);
	symbol_names_add(names, name, len);
	buf_lstr(&sd->symbols, name, len);
	return !sd->symbols.failed;
}

static struct dso_head head_of(const struct symbol_dso *sd, const struct dso *d)
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

void symbol_dso_put(const struct symbol_dso *sd, const struct dso *d, bool image, struct buf *dsos,
		    struct functions *functions)
{
	struct cur c = cur_init_le(sd->symbols.data, sd->symbols.len);
	struct dso_head head = head_of(sd, d);
	const void *vdso = NULL;
	const char *name;
	u64 start, size;
	size_t len = 0;

	if (sd->user && !sd->written_head) {
		if (image && !strcmp(d->name, VDSO_NAME))
			vdso = image_vdso(&len);
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

void symbol_dso_written(struct symbol_dso *sd)
{
	sd->written_head = sd->user;
	/* that they were written is known by their starts */
	sd->written = 0;
	buf_free(&sd->symbols);
}

int symbol_dso_write_lines(struct symbol_dso *sd, const struct dso *d, struct writer *w,
			   struct err *err)
{
	struct dso_head head = head_of(sd, d);
	struct buf b = {0};
	int ret;

	if (!sd->lines.entries.failed && sd->lines.written == sd->lines.entries.len)
		return 0;
	dso_head_put(&b, &head);
	ret = b.failed ? err_nomem(err) : write_lines(&sd->lines, &b, w, err);
	buf_free(&b);
	return ret;
}

void symbol_dso_forget_written(struct symbol_dso *sd)
{
	sd->written_head = false;
	sd->written = 0;
	forget_written_lines(&sd->lines);
	sd->user = false;
	buf_reset(&sd->symbols);
	hmap_clear(&sd->known);
}

void symbol_dso_free(struct symbol_dso *sd)
{
	symtab_free(&sd->symtab);
	hmap_free(&sd->known);
	buf_free(&sd->symbols);
	free_lines(&sd->lines);
	free_fetch(&sd->fetch);
}
