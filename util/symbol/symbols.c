// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/image/debuginfod.h"
#include "util/image/image_symbols.h"
#include "util/kernel/kallsyms.h"
#include "util/kernel/ksyms.h"
#include "util/process/jit.h"
#include "util/symbol/demangle.h"

/* The largest kernels' kallsyms have 20 MB. */
#define KALLSYMS_MAX (256u << 20)

struct table {
	struct symtab st;
	const char **plain; /* demangled names by index, NULL: not asked for yet */
	struct jit *jit;    /* of a DSO_PERF_MAP */
	bool jit_limited;   /* a note says so */
	int why;            /* it is empty or has exported symbols alone: a negative errno */
	bool loaded;
};

struct symbols {
	struct symbols_options opt;
	struct dso_file_options images;
	enum symtab_view view;
	VEC(struct table *) dsos; /* by id, NULL: nothing yet */
	struct table kernel;      /* of all DSOs of the kernel, unless it is asked: */
	struct ksyms running;     /* the kernel that runs here, which is the recorded one */
	int proc;                 /* for it; -1: it is not asked */
	u64 kernel_shift;         /* from an address in the recording to one in that table */
	struct arena arena;       /* plain names, notes, images */
	VEC(const char *) notes;
	struct buf scratch;
	bool lacks_memory; /* some names were not found for it */
	u32 noted;         /* of the notes, for symbols_next_note() */
};

struct symbols *symbols_new(const struct symbols_options *opt, struct err *err)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s) {
		err_nomem(err);
		return NULL;
	}
	s->opt = *opt;
	s->images = (struct dso_file_options){.symfs = opt->symfs,
					      .cache = opt->cache,
					      .same_kernel = opt->kallsyms,
					      .running = opt->running,
					      .as_perf = opt->compat};
	if (opt->debuginfod) {
		s->images.debuginfod = debuginfod_open(err);
		if (!s->images.debuginfod) {
			free(s);
			return NULL;
		}
	}
	s->view = opt->compat ? SYMTAB_PERF : SYMTAB_NESTED;
	s->proc = -1;
	return s;
}

int symbols_check_kernel(const char *kallsyms, const char *vmlinux, struct err *err)
{
	struct image img;
	int ret;

	if (kallsyms) {
		ret = kallsyms_check(AT_FDCWD, kallsyms, err);
		if (ret)
			return ret;
	}
	if (!vmlinux)
		return 0;
	ret = image_open(&img, vmlinux, err);
	if (!ret)
		image_close(&img);
	else if (ret == -ENOEXEC)
		err_hint(
			err,
			"name the kernel's image, as debug packages have it: /usr/lib/debug/boot/vmlinux-VERSION");
	return ret;
}

static void table_free(struct table *t)
{
	symtab_free(&t->st);
	free(t->plain);
	if (t->jit)
		jit_free(t->jit);
	free(t->jit);
}

static void stop_asking(struct symbols *s)
{
	if (s->proc < 0)
		return;
	ksyms_close(&s->running);
	close(s->proc);
	s->proc = -1;
}

void symbols_free(struct symbols *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < s->dsos.nr; i++) {
		if (!s->dsos.v[i])
			continue;
		table_free(s->dsos.v[i]);
		free(s->dsos.v[i]);
	}
	vec_free(&s->dsos);
	vec_free(&s->notes);
	table_free(&s->kernel);
	stop_asking(s);
	debuginfod_close(s->images.debuginfod);
	arena_free(&s->arena);
	buf_free(&s->scratch);
	free(s);
}

/* The table of a DSO, made if new; NULL when memory is out. */
static struct table *get_table(struct symbols *s, u32 dso)
{
	if (dso == ID_NONE)
		return NULL;
	while (s->dsos.nr <= dso) {
		if (!vec_push(&s->dsos)) {
			s->lacks_memory = true;
			return NULL;
		}
	}
	if (!s->dsos.v[dso])
		s->dsos.v[dso] = calloc(1, sizeof(*s->dsos.v[dso]));
	s->lacks_memory |= !s->dsos.v[dso];
	return s->dsos.v[dso];
}

const struct dso_file_options *symbols_image_options(const struct symbols *s)
{
	return &s->images;
}

const char *symbols_note(const struct symbols *s, u32 i)
{
	if (i == s->notes.nr && s->lacks_memory)
		return "out of memory: functions lack names";
	return i < s->notes.nr ? s->notes.v[i] : NULL;
}

const char *symbols_next_note(struct symbols *s)
{
	const char *note = symbols_note(s, s->noted);

	s->noted += note != NULL;
	return note;
}

void symbols_lack_memory(struct symbols *s)
{
	s->lacks_memory = true;
}

void symbols_add_note(struct symbols *s, const struct err *err)
{
	const char *text =
		arena_printf(&s->arena, "%s%s%s", err->msg, err->hint[0] ? "; " : "", err->hint);
	const char **note;
	u32 i;

	for (i = 0; text && i < s->notes.nr; i++)
		if (!strcmp(s->notes.v[i], text))
			return;
	note = text ? vec_push(&s->notes) : NULL;
	if (note)
		*note = text;
	else
		s->lacks_memory = true;
}

/* Which of two aliases reads better is decided by what people will read. */
static bool better_plain_name(const char *a, const char *b)
{
	struct buf plain_a = {0}, plain_b = {0};
	size_t i = 0;
	bool better;

	/* nothing distinguishes constructors and destructors of one class: C1, C2, D0, D1 */
	while (a[i] && a[i] == b[i])
		i++;
	if (i && (a[i - 1] == 'C' || a[i - 1] == 'D') && a[i] && b[i] &&
	    !strcmp(a + i + 1, b + i + 1))
		return false;
	if (!demangle(&plain_a, a, 0))
		buf_adds(&plain_a, a);
	if (!demangle(&plain_b, b, 0))
		buf_adds(&plain_b, b);
	better = symtab_better_name(buf_str(&plain_a), buf_str(&plain_b));
	buf_free(&plain_a);
	buf_free(&plain_b);
	return better;
}

static int load_image(struct symbols *s, struct table *t, const struct process_model *m, u32 dso,
		      struct err *err)
{
	const struct debug_file_options where = {.root = s->images.symfs,
						 .cache = s->images.cache,
						 .debuginfod = s->images.debuginfod};
	const struct dso *d = &m->dsos.v[dso];
	struct image img, debug;
	struct err why = {0};
	bool separate;
	int ret;

	ret = dso_file_open(m, dso, &s->images, &img, err);
	if (ret)
		return ret;
	if (s->opt.demangle && s->opt.compat)
		t->st.better_name = better_plain_name;
	separate = !debug_file_open(&img, d->name, &where, DEBUG_FILE_SYMBOLS, &debug, &why);
	if (!separate && !debug_file_has(&img, DEBUG_FILE_SYMBOLS)) {
		t->why = -ENODATA;
		if (why.code != ENODATA)
			symbols_add_note(s, &why);
	}
	ret = image_symbols_load(&img, separate ? &debug : NULL, &t->st, s->view, err);
	if (separate)
		image_close(&debug);
	image_close(&img);
	if (!ret && !t->st.syms.nr)
		return err_set(err, ENODATA, "%s: stripped; no symbols", d->name);
	if (ret != -EIO || !t->st.syms.nr)
		return ret;
	t->why = ret;
	symbols_add_note(s, err);
	return 0;
}

/* Is the kernel that runs here, by its build-id, another one than was recorded? */
static bool other_kernel(const struct process_model *m)
{
	u8 id[IMAGE_BUILD_ID_MAX], len;
	struct buf notes = {0};
	const struct dso *d;
	bool other = false;

	if (m->kernel_map == ID_NONE)
		return false;
	d = &m->dsos.v[m->maps.v[m->kernel_map].dso];
	if (d->build_id_len && !io_read_file(AT_FDCWD, "/sys/kernel/notes", &notes, 1 << 20)) {
		len = image_build_id_from_notes(buf_str(&notes), notes.len, false, id);
		other = len && memcmp(id, d->build_id, MIN(len, d->build_id_len));
	}
	buf_free(&notes);
	return other;
}

static int read_kallsyms(struct symbols *s, const struct process_model *m, struct buf *text,
			 struct err *err)
{
	int ret;

	if (!strcmp(s->opt.kallsyms, "/proc/kallsyms") && other_kernel(m))
		return err_set(
			err, ESTALE,
			"%s: the kernel that runs here is not the recorded one; no symbols of it",
			s->opt.kallsyms);
	ret = io_read_file(AT_FDCWD, s->opt.kallsyms, text, KALLSYMS_MAX);
	return ret ? err_set(err, -ret, "%s: cannot read the kernel's symbols: %s", s->opt.kallsyms,
			     strerror(-ret))
		   : 0;
}

static int open_vmlinux(const struct symbols *s, const struct process_model *m, struct image *img,
			struct err *err)
{
	const struct dso *d =
		m->kernel_map == ID_NONE ? NULL : &m->dsos.v[m->maps.v[m->kernel_map].dso];
	int ret = image_open(img, s->opt.vmlinux, err);

	if (ret)
		return ret;
	if (!d || !d->build_id_len || !img->build_id_len ||
	    !memcmp(d->build_id, img->build_id, MIN(d->build_id_len, img->build_id_len)))
		return 0;
	image_close(img);
	return err_set(err, ESTALE, "%s: it is not the recorded kernel; no symbols of it",
		       s->opt.vmlinux);
}

static int read_vmlinux(struct symbols *s, const struct process_model *m, struct buf *text,
			struct err *err)
{
	struct image img;
	int ret = open_vmlinux(s, m, &img, err);

	if (ret)
		return ret;
	ret = image_kallsyms(&img, text, err);
	if (ret)
		err_prefix(err, "%s", s->opt.vmlinux);
	image_close(&img);
	return ret;
}

static int load_kernel(struct symbols *s, struct table *t, const struct process_model *m,
		       struct err *err)
{
	const char *ref = m->kernel_ref == ID_NONE ? "" : strtab_get(&m->names, m->kernel_ref);
	struct buf text = {0};
	u64 addr = 0;
	int ret = (s->opt.vmlinux ? read_vmlinux : read_kallsyms)(s, m, &text, err);

	if (!ret) {
		if (*ref)
			addr = kallsyms_address(buf_str(&text), text.len, ref);
		ret = kallsyms_take(&t->st, &text, s->view, err);
		if (ret == -EPERM)
			kallsyms_hidden(err);
		if (!ret && *ref && !addr)
			ret = err_set(err, ENODATA, "no %s, by which the recorded kernel is found",
				      ref);
		if (ret)
			err_prefix(err, "%s", s->opt.vmlinux ? s->opt.vmlinux : s->opt.kallsyms);
	}
	if (!ret && addr)
		s->kernel_shift = addr - m->maps.v[m->kernel_map].pgoff;
	buf_free(&text);
	return ret;
}

/*
 * A few functions are asked for sooner than all of them are read. The kernel must lie where the
 * recorded one lay. perf's view is that of the file.
 */
static bool ask_kernel(struct symbols *s, const struct process_model *m)
{
	u64 start, len;

	if (s->opt.compat || s->opt.vmlinux || strcmp(s->opt.kallsyms, "/proc/kallsyms") != 0 ||
	    m->kernel_map == ID_NONE || other_kernel(m))
		return false;
	s->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->proc < 0)
		return false;
	ksyms_open(&s->running, s->proc);
	if (ksyms_range(&s->running, &start, &len) && start == m->maps.v[m->kernel_map].pgoff)
		return true;
	stop_asking(s);
	return false;
}

static bool find_running(struct symbols *s, u64 addr, struct symbol *out)
{
	struct ksym sym;

	if (!ksyms_find(&s->running, addr, &sym))
		return false;
	out->start = sym.start;
	out->end = sym.end;
	out->name = sym.name;
	buf_reset(&s->scratch);
	/* it may be Rust's */
	if (s->opt.demangle && demangle(&s->scratch, sym.name, 0) && !s->scratch.failed)
		out->name = arena_strndup(&s->arena, s->scratch.data, s->scratch.len);
	s->lacks_memory |= s->scratch.failed || !out->name;
	return out->name != NULL;
}

static void load(struct symbols *s, struct table *t, const struct process_model *m, u32 dso)
{
	const struct dso *d = &m->dsos.v[dso];
	struct err err = {0};
	int ret = 0;

	t->loaded = true;
	if (dso_is_kernel(d)) {
		t->why = s->opt.kallsyms || s->opt.vmlinux ? 0 : -ENOENT;
		if (!t->why && !ask_kernel(s, m))
			ret = load_kernel(s, t, m, &err);
	} else if (d->kind == DSO_VDSO || (dso_has_image(d) && d->name[0] == '/')) {
		ret = load_image(s, t, m, dso, &err);
	}
	if (!ret)
		return;
	t->why = ret;
	symtab_free(&t->st);
	/* nobody expects a file of what has no path */
	if (ret != -ENOENT || d->kind != DSO_MEMFD)
		symbols_add_note(s, &err);
}

/* Its names are not mangled. */
static bool find_jit(struct symbols *s, struct table *t, const struct process_model *m, u32 dso,
		     u64 addr, struct symbol *out)
{
	const struct dso *d = &m->dsos.v[dso];
	/* another machine has other processes, and what they wrote has nothing to do with ours */
	const bool here = s->opt.kallsyms && !s->opt.symfs;
	struct jit_options o = {.proc = -1,
				.map_fd = -1,
				.symfs = s->opt.symfs,
				.map_by_path = here || s->opt.symfs || s->opt.compat,
				.view = s->view};
	struct err err = {0};
	struct jit_symbol sym;
	bool found;

	if (!t->jit)
		t->jit = calloc(1, sizeof(*t->jit));
	if (!t->jit) {
		s->lacks_memory = true;
		return false;
	}
	t->jit->pid = jit_pid(d);
	if (here)
		o.proc = io_open(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY);
	found = jit_find(t->jit, m, &o, addr, 0, &sym, &err);
	if (o.proc >= 0)
		close(o.proc);
	if (!found && err.code && !t->loaded)
		symbols_add_note(s, &err);
	if (t->jit->limit && !t->jit_limited) {
		err_set(&err, EFBIG, "%s: %s; functions may lack names", d->name, t->jit->limit);
		symbols_add_note(s, &err);
		t->jit_limited = true;
	}
	if (found || t->jit->map.syms.nr)
		t->why = 0;
	else if (!t->loaded)
		t->why = -ENOENT;
	t->loaded = true;
	if (!found)
		return false;
	out->start = sym.start;
	out->end = 0;
	out->name = arena_strdup(&s->arena, sym.name);
	s->lacks_memory |= !out->name;
	return out->name != NULL;
}

/* Demangled, the first time; the name itself where that gives nothing. */
static const char *plain_name(struct symbols *s, struct table *t, const struct sym *sym)
{
	size_t i = (size_t)(sym - t->st.syms.v);
	size_t plt = sym->flags & SYM_PLT ? strlen("@plt") : 0;
	struct buf *b = &s->scratch;
	const char *name = sym->name;
	char *base = NULL;

	if (!t->plain)
		t->plain = calloc(t->st.syms.nr, sizeof(*t->plain));
	if (!t->plain) {
		s->lacks_memory = true;
		return sym->name;
	}
	if (t->plain[i])
		return t->plain[i];
	if (plt && name[0] == '_') {
		base = strndup(name, strlen(name) - plt);
		s->lacks_memory |= !base;
		name = base ? base : name;
	}
	buf_reset(b);
	if (demangle(b, name, 0)) {
		if (plt)
			buf_adds(b, "@plt");
		if (!b->failed)
			t->plain[i] = arena_strndup(&s->arena, b->data, b->len);
		s->lacks_memory |= !t->plain[i];
	}
	s->lacks_memory |= b->failed;
	free(base);
	if (!t->plain[i])
		t->plain[i] = sym->name;
	return t->plain[i];
}

int symbols_why(const struct symbols *s, const struct process_model *m, u32 dso)
{
	if (dso >= m->dsos.nr)
		return -ENOENT;
	if (dso_is_kernel(&m->dsos.v[dso]))
		return s->kernel.why;
	return dso < s->dsos.nr && s->dsos.v[dso] ? s->dsos.v[dso]->why : 0;
}

/* What perf does not show, or what only ends the function before it. */
static bool is_hidden(const struct symbols *s, const struct dso *dso, const struct sym *sym)
{
	if (dso_is_kernel(dso) && s->kernel_shift && sym->flags & SYM_MODULE)
		return true;
	if (s->opt.compat)
		return dso->kind == DSO_KERNEL && sym->flags & SYM_MODULE;
	return sym->flags & SYM_MARKER;
}

bool symbols_find(struct symbols *s, const struct process_model *m, u32 dso, u64 addr,
		  struct symbol *out)
{
	const struct dso *info;
	const struct sym *sym;
	struct table *t;
	u64 shift;

	if (dso >= m->dsos.nr)
		return false;
	info = &m->dsos.v[dso];
	t = dso_is_kernel(info) ? &s->kernel : get_table(s, dso);
	if (!t)
		return false;
	if (info->kind == DSO_PERF_MAP)
		return find_jit(s, t, m, dso, addr, out);
	if (!t->loaded)
		load(s, t, m, dso);
	if (dso_is_kernel(info) && s->proc >= 0)
		return find_running(s, addr, out);
	shift = dso_is_kernel(info) ? s->kernel_shift : 0;
	sym = symtab_find(&t->st, addr + shift);
	if (!sym || is_hidden(s, info, sym))
		return false;
	out->start = sym->start - shift;
	out->end = sym->end - shift;
	/* the kernel's may be Rust's, but perf leaves them alone */
	if (s->opt.demangle && !(dso_is_kernel(info) && s->opt.compat))
		out->name = plain_name(s, t, sym);
	else
		out->name = sym->name;
	return true;
}

int symbols_open_kernel(struct symbols *s, const struct process_model *m, struct image *img,
			u64 *shift, struct err *err)
{
	int ret;

	if (!s->opt.vmlinux)
		return err_set(err, ENOENT, "no image of the kernel was named");
	if (!s->kernel.loaded && m->kernel_map != ID_NONE)
		load(s, &s->kernel, m, m->maps.v[m->kernel_map].dso);
	if (s->kernel.why)
		return err_set(err, -s->kernel.why, "%s: it cannot be used for the recorded kernel",
			       s->opt.vmlinux);
	ret = open_vmlinux(s, m, img, err);
	*shift = s->kernel_shift;
	return ret;
}
