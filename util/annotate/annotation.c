// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/annotation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/annotate/annotation_internal.h"
#include "util/base/io.h"
#include "util/base/text.h"
#include "util/image/image_symbols.h"
#include "util/symbol/demangle.h"
#include "util/unwind/cfi.h"

/* Frames of what was inlined into each other at one instruction. */
#define DEPTH_MAX 64
/* Of a name beside an instruction. */
#define NAME_WIDTH_MAX 160
/* What is shown behind the last sample of a function whose end is not known. */
#define UNKNOWN_TAIL 64

/* The code of a DSO. */
struct annotator_file {
	int why;        /* -errno: there is none */
	struct err err; /* and what to say of it */
	struct debug_source source;
	bool noted;                     /* why lines of it are missing */
	struct annotation_jit_file jit; /* in place of an image */
	bool open, has_jit;
	bool memory;               /* the image is the kernel's memory */
	struct unwind_bytes bytes; /* for the bounds of functions without names */
	struct cfi_find bounds;
	bool bounds_asked, has_bytes, has_bounds;
	struct symtab data; /* its objects, by virtual address */
	bool data_asked;
	u64 shift; /* of the kernel: from an address in the recording to one of the image */
	s64 modified;
};

void annotator_init(struct annotator *a, struct symboliser *r, const struct annotator_options *o)
{
	*a = (struct annotator){.symboliser = r, .options = *o};
	a->options.running &= !o->kcore;
	if (a->options.running)
		a->options.kcore = "/proc/kcore";
}

static void close_file(struct annotator_file *f)
{
	if (f->has_bounds)
		cfi_find_free(&f->bounds);
	if (f->has_bytes)
		unwind_bytes_free(&f->bytes);
	if (f->has_jit)
		annotation_jit_close(&f->jit);
	if (f->open)
		debug_source_close(&f->source);
	symtab_free(&f->data);
	free(f);
}

void annotator_free(struct annotator *a)
{
	u32 i;

	for (i = 0; i < a->files.nr; i++)
		if (a->files.v[i])
			close_file(a->files.v[i]);
	vec_free(&a->files);
	strtab_free(&a->names);
}

static const struct dso *dso_of(const struct annotator *a, u32 dso)
{
	return &a->symboliser->model->dsos.v[dso];
}

static int no_code(const struct dso *d, struct err *err)
{
	switch (d->kind) {
	case DSO_KERNEL:
		err_set(err, ENOENT, "%s: the kernel's code is not in the recording", d->name);
		err_hint(
			err,
			"name the kernel's image, as debug packages have it: --vmlinux /usr/lib/debug/boot/vmlinux-VERSION");
		break;
	case DSO_MODULE:
	case DSO_BPF:
		err_set(err, ENOENT, "%s: the code of %s is not in the recording", d->name,
			d->kind == DSO_MODULE ? "the module" : "the BPF program");
		err_hint(
			err,
			"while it is loaded, the recorded machine has it; later a copy of /proc/kcore: --kcore FILE");
		break;
	default:
		err_set(err, ENOENT, "%s: code that was made at run time is in no file", d->name);
		err_hint(err, "functions and callers: perf-lite report -g");
	}
	return -ENOENT;
}

/* The kernel's own memory. Where it may not be read, that is why there is no code. */
static int open_memory(struct annotator *a, const struct dso *d, struct image *img, struct err *err)
{
	struct err why = {0}, no;
	int ret = image_open_core(img, a->options.kcore, &why);

	if (!ret)
		return 0;
	if (!a->options.running || ret == -ENOMEM) {
		if (err)
			*err = why;
		return ret;
	}
	no_code(d, &no);
	err_set(err, -ret, "%s, and %s", no.msg, why.msg);
	err_hint(err, "%s", ret == -EPERM || ret == -EACCES ? "run it as root" : no.hint);
	return ret;
}

/* Why an image cannot be had, in words about code instead of names. */
static int no_image(const struct dso *d, int ret, struct err *err)
{
	if (ret == -ENOENT && d->kind == DSO_FILE && err && !err->hint[0])
		err_hint(err, "find the recorded one with --symfs DIR or --debuginfod");
	if (ret != -ESTALE)
		return ret;
	err_set(err, ESTALE, "%s is not the program that was recorded: its build-id differs",
		d->name);
	err_hint(err,
		 "find the recorded one with --symfs DIR or --debuginfod, or record the new one");
	return ret;
}

static int open_image(struct annotator *a, u32 dso, struct annotator_file *f, struct image *img,
		      struct err *err)
{
	const struct symboliser *r = a->symboliser;
	const struct dso *d = dso_of(a, dso);
	int ret;

	if (d->kind == DSO_KERNEL && a->options.vmlinux)
		return symbols_open_kernel(r->symbols, r->model, img, &f->shift, err);
	if (dso_is_kernel(d) && a->options.kcore) {
		f->memory = true;
		return open_memory(a, d, img, err);
	}
	if (!dso_has_image(d))
		return no_code(d, err);
	ret = dso_file_open(r->model, dso, symbols_image_options(r->symbols), img, err);
	if (ret == -ENOENT && d->kind == DSO_MEMFD)
		return no_code(d, err);
	return ret ? no_image(d, ret, err) : 0;
}

static void open_file(struct annotator *a, u32 dso, struct annotator_file *f)
{
	const struct dso *d = dso_of(a, dso);
	const struct dso_file_options *o = symbols_image_options(a->symboliser->symbols);
	const struct debug_file_options where = {
		.root = o->symfs, .cache = o->cache, .debuginfod = o->debuginfod};
	struct err err = {0};
	struct image img;
	struct stat st;
	int ret;

	if (d->kind == DSO_PERF_MAP) {
		f->why = annotation_jit_open(&f->jit, a->symboliser->model, dso, o->symfs, &f->err);
		f->has_jit = !f->why;
		return;
	}
	f->why = open_image(a, dso, f, &img, &f->err);
	if (f->why)
		return;
	f->open = true;
	if (img.fd >= 0 && !f->memory && !fstat(img.fd, &st))
		f->modified = io_modified(&st);
	if (a->options.no_lines || f->memory) {
		f->source.image = img;
		return;
	}
	ret = debug_source_open(&f->source, &img,
				d->kind == DSO_KERNEL ? a->options.vmlinux : d->name, &where, &err);
	if (!ret || ret == -ENODATA)
		return;
	f->noted = true;
	symbols_add_note(a->symboliser->symbols, &err);
}

static struct annotator_file *get_file(struct annotator *a, u32 dso)
{
	while (a->files.nr <= dso)
		if (!vec_push(&a->files))
			return NULL;
	if (!a->files.v[dso]) {
		a->files.v[dso] = calloc(1, sizeof(*a->files.v[dso]));
		if (a->files.v[dso])
			open_file(a, dso, a->files.v[dso]);
	}
	return a->files.v[dso];
}

s64 annotator_file_modified(struct annotator *a, u32 dso)
{
	const struct annotator_file *f = get_file(a, dso);

	return f ? f->modified : 0;
}

static const char *keep_name(struct annotator *a, const char *name)
{
	u32 id = name ? strtab_add(&a->names, name, strlen(name)) : ID_NONE;

	return id == ID_NONE ? NULL : strtab_get(&a->names, id);
}

static void find_bounds(struct annotator_file *f)
{
	const struct image *img = &f->source.image;

	f->bounds_asked = true;
	if (image_foreign_endian(img))
		return;
	f->has_bytes = !unwind_bytes_init(&f->bytes, img, NULL);
	f->has_bounds = f->has_bytes && cfi_find_init(&f->bounds, &f->bytes, img);
}

bool annotator_nameless(struct annotator *a, u32 dso, u64 addr, struct annotation_function *out)
{
	const struct dso *d = dso_of(a, dso);
	struct annotator_file *f;
	struct cfi_fde fde;
	char name[32];
	u64 vaddr;

	if (!dso_has_image(d))
		return false;
	f = get_file(a, dso);
	if (!f || f->why || !image_vaddr(&f->source.image, addr, &vaddr))
		return false;
	if (!f->bounds_asked)
		find_bounds(f);
	if (!f->has_bounds || cfi_find(&f->bounds, vaddr, &fde) != CFI_FOUND ||
	    vaddr - fde.start > addr)
		return false;
	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)fde.start);
	*out = (struct annotation_function){.dso = dso,
					    .start = addr - (vaddr - fde.start),
					    .size = fde.end - fde.start,
					    .name = keep_name(a, name)};
	return out->name != NULL;
}

/* A function being made. */
struct making {
	struct annotator *a;
	struct annotation *out;
	struct annotator_file *file;
	const struct annotation_function *f;
	u64 vaddr, size; /* where it is in the image, and how much of it */
	u8 *bytes;
	size_t len;
	u32 hit;     /* the next of f->hits */
	bool failed; /* memory ran out */
};

/* A function as people read it. */
static const char *plain_name(struct annotator *a, const char *name)
{
	struct buf b = {0};
	const char *plain = name;

	if (!a->symboliser->options.no_demangle && demangle(&b, name, 0) && !b.failed)
		plain = keep_name(a, buf_str(&b));
	buf_free(&b);
	return plain ? plain : name;
}

/* What distinguishes lines: names by their address, since each is kept once. */
struct line_key {
	const char *file, *inlined, *at_file;
	u64 line, at_line;
};

/* Why lines are missing, once for each file. */
static void note_missing(struct making *m)
{
	struct err why;

	if (m->file->noted || !debug_source_why(&m->file->source, &why))
		return;
	m->file->noted = true;
	symbols_add_note(m->a->symboliser->symbols, &why);
}

/* The number of the line that code was made of; ID_NONE: unknown, or memory is out. */
static u32 find_line(struct making *m, u64 vaddr)
{
	struct debug_frame found[DEPTH_MAX];
	struct annotation_line *l;
	struct line_key key = {0};
	int nr;
	u32 id;

	if (!m->file->source.info || m->failed)
		return ID_NONE;
	nr = debuginfo_find(m->file->source.info, vaddr, found, DEPTH_MAX);
	m->failed = nr < 0;
	note_missing(m);
	if (nr <= 0 || !found[0].file || !found[0].line)
		return ID_NONE;
	key.file = keep_name(m->a, found[0].file);
	key.line = found[0].line;
	if (nr > 1) {
		key.inlined = keep_name(m->a, found[0].function ? found[0].function : "?");
		key.at_file = keep_name(m->a, found[nr - 1].file);
		key.at_line = found[nr - 1].line;
	}
	id = strtab_add(&m->out->keys, &key, sizeof(key));
	if (!key.file || (nr > 1 && !key.inlined) || id == ID_NONE) {
		m->failed = true;
		return ID_NONE;
	}
	if (id < m->out->lines.nr)
		return id;
	l = vec_push(&m->out->lines);
	if (!l) {
		m->failed = true;
		return ID_NONE;
	}
	*l = (struct annotation_line){.file = key.file,
				      .line = (u32)key.line,
				      .inlined = key.inlined ? plain_name(m->a, key.inlined) : NULL,
				      .at_file = key.at_file,
				      .at_line = (u32)key.at_line};
	if (!m->out->file && !l->inlined)
		m->out->file = l->file;
	return id;
}

/* An object of a program, such as a table; false: none has a name there. */
static bool find_object(struct annotator *a, struct annotator_file *f, u64 vaddr,
			struct symbol *out)
{
	const struct image *debug = f->source.has_debug ? &f->source.debug : NULL;
	const struct sym *sym;
	struct err why;

	if (!f->data_asked) {
		f->data_asked = true;
		if (image_objects_load(&f->source.image, debug, &f->data, &why))
			symbols_add_note(a->symboliser->symbols, &why);
	}
	sym = symtab_find(&f->data, vaddr);
	if (!sym)
		return false;
	*out = (struct symbol){.name = sym->name, .start = sym->start, .end = sym->end};
	return true;
}

static void put_symbol(struct making *m, const char *name, u64 offset)
{
	buf_adds(&m->out->text, " <");
	text_escape(&m->out->text, name, text_cut(name, strlen(name), NAME_WIDTH_MAX));
	if (offset)
		buf_addf(&m->out->text, "+0x%llx", (unsigned long long)offset);
	buf_addc(&m->out->text, '>');
}

/* What was there last: the code does not say when it calls. */
static void put_jit_name(struct making *m, u64 vaddr)
{
	u64 offset;
	const char *name = annotation_jit_name(&m->file->jit, vaddr, &offset);

	if (name)
		put_symbol(m, name, offset);
}

/* Append " <printf@plt>" to the address of something that has a name. */
static void put_name(struct making *m, u64 vaddr)
{
	const struct symboliser *r = m->a->symboliser;
	struct symbol sym;
	u64 addr = vaddr - m->file->shift, back = vaddr;
	bool in_file = true;

	if (m->file->has_jit)
		return put_jit_name(m, vaddr);

	/* what has no bytes in the file, such as .bss, may seem to be where others have theirs */
	if (!dso_is_kernel(dso_of(m->a, m->f->dso)))
		in_file = image_offset(&m->file->source.image, vaddr, &addr) &&
			  image_vaddr(&m->file->source.image, addr, &back) && back == vaddr;
	if (!in_file || !symbols_find(r->symbols, r->model, m->f->dso, addr, &sym)) {
		addr = vaddr;
		if (!find_object(m->a, m->file, vaddr, &sym))
			return;
	}
	put_symbol(m, sym.name, addr - sym.start);
}

static void put_text(struct making *m, const struct insn *i)
{
	struct buf *b = &m->out->text;

	buf_adds(b, i->mnemonic);
	if (*i->operands || i->has_target)
		buf_pad(b, ' ', strlen(i->mnemonic) < 7 ? 8 - strlen(i->mnemonic) : 1);
	buf_adds(b, i->operands);
	if (i->has_target) {
		buf_hex(b, i->target, 0);
		if (i->target - m->vaddr >= m->size || i->kind == INSN_CALL)
			put_name(m, i->target);
	}
	if (i->has_data) {
		buf_adds(b, "  # ");
		buf_hex(b, i->data, 0);
		put_name(m, i->data);
	}
	buf_addc(b, '\0');
}

/* The samples of addresses in it. */
static void count_hits(struct making *m, struct annotation_insn *i)
{
	const struct annotation_function *f = m->f;
	u64 end = i->addr - m->vaddr + i->size;

	for (; m->hit < f->nr_hits && f->hits[m->hit].offset < end; m->hit++) {
		i->samples += f->hits[m->hit].samples;
		i->weight += f->hits[m->hit].weight;
	}
	if (i->line == ID_NONE)
		return;
	m->out->lines.v[i->line].samples += i->samples;
	m->out->lines.v[i->line].weight += i->weight;
}

static int add_insns(struct making *m, struct disassembler *d, struct err *err)
{
	struct annotation_insn *i;
	struct insn in;
	size_t at;

	for (at = 0; at < m->len; at += in.size) {
		i = vec_push(&m->out->insns);
		if (!i || m->out->text.len > INT32_MAX)
			return err_nomem(err);
		disassembler_next(d, m->bytes + at, m->len - at, m->vaddr + at, &in);
		*i = (struct annotation_insn){.addr = m->vaddr + at,
					      .size = in.size,
					      .to = in.has_target ? in.target : 0,
					      .kind = in.kind,
					      .target = ID_NONE,
					      .text = (u32)m->out->text.len};
		i->line = find_line(m, i->addr);
		count_hits(m, i);
		put_text(m, &in);
	}
	return m->out->text.failed || m->failed ? err_nomem(err) : 0;
}

/* Jumps to an instruction of the function. */
static void find_targets(struct making *m)
{
	struct annotation *a = m->out;
	struct annotation_insn *i;
	u32 k, lo, hi, mid;

	for (k = 0; k < a->insns.nr; k++) {
		i = &a->insns.v[k];
		if (i->kind != INSN_JUMP || i->to - m->vaddr >= m->len)
			continue;
		for (lo = 0, hi = a->insns.nr; lo + 1 < hi;) {
			mid = lo + (hi - lo) / 2;
			if (a->insns.v[mid].addr <= i->to)
				lo = mid;
			else
				hi = mid;
		}
		if (a->insns.v[lo].addr == i->to)
			i->target = lo;
	}
}

/* Where the function is in its image. */
static int find_code(struct making *m, u64 *offset, struct err *err)
{
	const struct dso *d = dso_of(m->a, m->f->dso);
	const struct image *img = &m->file->source.image;
	const struct annotation_function *f = m->f;

	m->size = f->size;
	if (!m->size && f->nr_hits)
		m->size = f->hits[f->nr_hits - 1].offset + UNKNOWN_TAIL;
	if (dso_is_kernel(d)) {
		m->vaddr = f->start + m->file->shift;
		if (image_offset(img, m->vaddr, offset))
			return 0;
	} else {
		*offset = f->start;
		if (image_vaddr(img, f->start, &m->vaddr))
			return 0;
	}
	return err_set(err, ENODATA, "%s: %s holds no code of %s", d->name,
		       m->file->memory ? m->a->options.kcore : "the file", f->name);
}

/* Modules and BPF programs come and go: is it the one that was recorded? */
static int check_loaded(struct making *m, struct err *err)
{
	const struct symboliser *r = m->a->symboliser;
	const struct annotation_function *f = m->f;
	const struct dso *d = dso_of(m->a, f->dso);
	struct symbol sym;

	if (!m->file->memory || !m->a->options.running || d->kind == DSO_KERNEL)
		return 0;
	if (symbols_find(r->symbols, r->model, f->dso, f->start, &sym) && sym.start == f->start &&
	    !strcmp(sym.name, f->name))
		return 0;
	err_set(err, ESTALE, "%s: %s is not loaded any more where it was recorded", d->name,
		f->name);
	err_hint(err, "annotate while it is loaded, or copy /proc/kcore then: --kcore FILE");
	return -ESTALE;
}

static int read_code(struct making *m, struct err *err)
{
	const struct image *img = &m->file->source.image;
	u64 offset = 0;
	ssize_t got;
	int ret = check_loaded(m, err);

	if (!ret)
		ret = find_code(m, &offset, err);
	if (ret)
		return ret;
	m->len = (size_t)MIN(m->size, (u64)ANNOTATION_BYTES_MAX);
	m->bytes = malloc(m->len + 1);
	if (!m->bytes)
		return err_nomem(err);
	got = image_read(img, offset, m->bytes, m->len);
	if (got <= 0)
		return err_set(err, got ? (int)-got : ENODATA,
			       "%s: the code of %s cannot be read%s%s",
			       dso_of(m->a, m->f->dso)->name, m->f->name, got ? ": " : "",
			       got ? strerror((int)-got) : "; the file is cut short");
	m->len = (size_t)got;
	m->out->cut = m->size - m->len;
	m->out->code_file = m->file->memory ? m->a->options.kcore : NULL;
	return 0;
}

static int read_jit_code(struct making *m, struct err *err)
{
	struct annotation_jit_code code;
	int ret = annotation_jit_find(&m->file->jit, m->f->start, m->f->name, &code, err);

	if (ret)
		return ret;
	m->vaddr = m->f->start;
	m->size = code.size;
	m->len = (size_t)MIN(m->size, (u64)ANNOTATION_BYTES_MAX);
	m->bytes = malloc(m->len + 1);
	if (!m->bytes)
		return err_nomem(err);
	m->out->code_file = m->file->jit.path;
	m->out->cut = m->size - m->len;
	return annotation_jit_read(&m->file->jit, &code, m->bytes, m->len, err);
}

static struct disassembler_code code_of(const struct making *m)
{
	const struct image *img = &m->file->source.image;

	if (m->file->has_jit)
		return annotation_jit_machine(&m->file->jit, m->a->options.intel);
	return (struct disassembler_code){
		.machine = img->ehdr.e_machine,
		.bits64 = img->ehdr.e_ident[EI_CLASS] == ELFCLASS64,
		.big_endian = img->ehdr.e_ident[EI_DATA] == ELFDATA2MSB,
		.thumb = img->ehdr.e_machine == EM_ARM &&
			 image_is_thumb(img,
					m->file->source.has_debug ? &m->file->source.debug : NULL,
					m->vaddr),
		.intel = m->a->options.intel,
	};
}

static int make(struct making *m, struct err *err)
{
	struct disassembler_code code = code_of(m);
	struct disassembler *d;
	u32 i;
	int ret = disassembler_open(&d, &code, err);

	if (ret)
		return ret;
	ret = add_insns(m, d, err);
	disassembler_close(d);
	if (ret)
		return ret;
	find_targets(m);
	for (i = 0; i < m->f->nr_hits; i++) {
		m->out->samples += m->f->hits[i].samples;
		m->out->weight += m->f->hits[i].weight;
		if (i >= m->hit)
			m->out->outside += m->f->hits[i].samples;
	}
	return 0;
}

int annotation_make(struct annotation *out, struct annotator *a,
		    const struct annotation_function *f, struct err *err)
{
	struct making m = {.a = a, .out = out, .f = f};
	int ret;

	*out = (struct annotation){0};
	m.file = get_file(a, f->dso);
	if (!m.file)
		return err_nomem(err);
	if (m.file->why) {
		if (err)
			*err = m.file->err;
		return m.file->why;
	}
	out->has_lines = m.file->source.info != NULL;
	ret = m.file->has_jit ? read_jit_code(&m, err) : read_code(&m, err);
	if (!ret)
		ret = make(&m, err);
	free(m.bytes);
	if (ret)
		annotation_free(out);
	return ret;
}

void annotation_free(struct annotation *a)
{
	vec_free(&a->insns);
	vec_free(&a->lines);
	buf_free(&a->text);
	strtab_free(&a->keys);
}
