// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/io.h"
#include "util/image/image.h"
#include "util/image/image_debug.h"
#include "util/image/image_symbols.h"
#include "util/image/vdso.h"
#include "util/kernel/kallsyms.h"
#include "util/symbol/demangle.h"
#include "util/symbol/perf_map.h"

/* The largest kernels' kallsyms have 20 MB. */
#define KALLSYMS_MAX (256u << 20)

struct table {
	struct symtab st;
	const char **plain; /* demangled names by index, NULL: not asked for yet */
	bool loaded;
};

struct symbols {
	struct symbols_options opt;
	enum symtab_view view;
	VEC(struct table *) dsos; /* by id, NULL: nothing yet */
	struct table kernel;      /* of all DSOs of the kernel */
	u64 kernel_shift;         /* from an address in the recording to one in that table */
	struct arena arena;       /* plain names, notes, images */
	VEC(const char *) notes;
	struct buf scratch;
};

struct symbols *symbols_new(const struct symbols_options *opt, struct err *err)
{
	struct symbols *s = calloc(1, sizeof(*s));

	if (!s) {
		err_nomem(err);
		return NULL;
	}
	s->opt = *opt;
	s->view = opt->compat ? SYMTAB_PERF : SYMTAB_NESTED;
	return s;
}

static void table_free(struct table *t)
{
	symtab_free(&t->st);
	free(t->plain);
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
		if (!vec_push(&s->dsos))
			return NULL;
	}
	if (!s->dsos.v[dso])
		s->dsos.v[dso] = calloc(1, sizeof(*s->dsos.v[dso]));
	return s->dsos.v[dso];
}

const char *symbols_note(const struct symbols *s, u32 i)
{
	return i < s->notes.nr ? s->notes.v[i] : NULL;
}

static void add_note(struct symbols *s, const struct err *err)
{
	const char *text =
		arena_printf(&s->arena, "%s%s%s", err->msg, err->hint[0] ? "; " : "", err->hint);
	const char **note = text ? vec_push(&s->notes) : NULL;

	if (note)
		*note = text;
}

/* Lengths may differ: perf.data fills a short build-id up with zeros. */
static bool same_build_id(const struct dso *dso, const struct image *img)
{
	static const u8 zeros[BUILD_ID_MAX];
	u8 nr = MIN(dso->build_id_len, img->build_id_len);

	_Static_assert(IMAGE_BUILD_ID_MAX == BUILD_ID_MAX, "one length of build-ids");
	return nr && !memcmp(dso->build_id, img->build_id, nr) &&
	       !memcmp(dso->build_id + nr, zeros, (size_t)(dso->build_id_len - nr)) &&
	       !memcmp(img->build_id + nr, zeros, (size_t)(img->build_id_len - nr));
}

/* Which of two aliases reads better is decided by what people will read. */
static bool better_plain_name(const char *a, const char *b)
{
	struct buf plain_a = {0}, plain_b = {0};
	size_t i = 0;
	bool better;

	/* nothing to tell constructors and destructors of one class apart: C1, C2, D0, D1 */
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

static int load_image(struct symbols *s, struct table *t, const struct image *img,
		      const struct dso *dso, struct err *err)
{
	struct image debug;
	bool separate;
	int ret;

	if (dso->build_id_len && !same_build_id(dso, img))
		return err_set(err, ESTALE,
			       "%s: build-id differs from the recorded one; no symbols", dso->name);
	if (s->opt.demangle && s->opt.compat)
		t->st.better_name = better_plain_name;
	separate = image_debug_open(img, s->opt.symfs, &debug);
	ret = image_symbols_load(img, separate ? &debug : NULL, &t->st, s->view, err);
	if (separate)
		image_close(&debug);
	if (!ret && !t->st.syms.nr)
		ret = err_set(err, ENODATA, "%s: stripped; no symbols", dso->name);
	return ret;
}

static int load_file(struct symbols *s, struct table *t, const struct dso *dso, struct err *err)
{
	struct image img;
	int ret;

	buf_clear(&s->scratch);
	if (s->opt.symfs)
		buf_adds(&s->scratch, s->opt.symfs);
	buf_adds(&s->scratch, dso->name);
	if (s->scratch.failed)
		return err_nomem(err);
	if (dso->kind == DSO_PERF_MAP)
		return perf_map_load(&t->st, buf_str(&s->scratch), s->view, err);
	ret = image_open(&img, AT_FDCWD, buf_str(&s->scratch), err);
	if (ret)
		return ret;
	ret = load_image(s, t, &img, dso, err);
	image_close(&img);
	return ret;
}

/* The copy that perf record made: CACHE/.build-id/ab/cdef.../elf. */
static int load_cached(struct symbols *s, struct table *t, const struct dso *dso, struct err *err)
{
	struct buf path = {0};
	struct image img;
	int ret;
	u8 i;

	buf_addf(&path, "%s/.build-id/%02x/", s->opt.cache, dso->build_id[0]);
	for (i = 1; i < dso->build_id_len; i++)
		buf_addf(&path, "%02x", dso->build_id[i]);
	buf_adds(&path, "/elf");
	ret = path.failed ? err_nomem(err) : image_open(&img, AT_FDCWD, path.data, err);
	buf_free(&path);
	if (ret)
		return ret;
	ret = load_image(s, t, &img, dso, err);
	image_close(&img);
	return ret;
}

/* That of this process, if it is the same one. */
static int load_vdso(struct symbols *s, struct table *t, const struct dso *dso, struct err *err)
{
	struct image img;
	size_t len;
	const void *bytes = vdso_image(&len);
	int ret;

	/* without a build-id, the same kernel is proof enough */
	if (!bytes || (!dso->build_id_len && !s->opt.kallsyms))
		return err_set(err, ENOENT, "%s: not that of this kernel; no symbols", dso->name);
	ret = image_open_memory(&img, bytes, len, err);
	if (ret) {
		err_prefix(err, "%s", dso->name);
		return ret;
	}
	ret = load_image(s, t, &img, dso, err);
	image_close(&img);
	return ret;
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

static int load_kernel(struct symbols *s, struct table *t, const struct process_model *m,
		       struct err *err)
{
	const char *ref = m->kernel_ref == ID_NONE ? "" : strtab_get(&m->names, m->kernel_ref);
	struct buf text = {0};
	u64 addr = 0;
	int ret;

	if (!strcmp(s->opt.kallsyms, "/proc/kallsyms") && other_kernel(m))
		return err_set(
			err, ESTALE,
			"the kernel that runs here is not the recorded one; no symbols of it");
	ret = io_read_file(AT_FDCWD, s->opt.kallsyms, &text, KALLSYMS_MAX);
	if (ret)
		err_set(err, -ret, "cannot read the kernel's symbols: %s", strerror(-ret));
	else
		ret = kallsyms_parse(&t->st, buf_str(&text), text.len, s->view, err);
	if (!ret && *ref) {
		addr = kallsyms_address(buf_str(&text), text.len, ref);
		if (!addr)
			ret = err_set(err, ENODATA, "no %s, by which the recorded kernel is found",
				      ref);
	}
	if (addr)
		s->kernel_shift = addr - m->maps.v[m->kernel_map].pgoff;
	if (ret)
		err_prefix(err, "%s", s->opt.kallsyms);
	buf_free(&text);
	return ret;
}

static void load(struct symbols *s, struct table *t, const struct process_model *m,
		 const struct dso *dso)
{
	struct err err = {0}, ignored = {0};
	int ret = 0;

	t->loaded = true;
	if (dso_is_kernel(dso)) {
		if (s->opt.kallsyms)
			ret = load_kernel(s, t, m, &err);
	} else if (dso->kind == DSO_VDSO) {
		ret = load_vdso(s, t, dso, &err);
	} else if ((dso->kind == DSO_FILE && dso->name[0] == '/') || dso->kind == DSO_PERF_MAP) {
		ret = load_file(s, t, dso, &err);
		if (ret && s->opt.cache && dso->build_id_len) {
			symtab_free(&t->st);
			ret = load_cached(s, t, dso, &ignored);
		}
	}
	if (ret) {
		symtab_free(&t->st);
		add_note(s, &err);
	}
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
	if (!t->plain)
		return sym->name;
	if (t->plain[i])
		return t->plain[i];
	if (plt && name[0] == '_') {
		base = strndup(name, strlen(name) - plt);
		name = base ? base : name;
	}
	buf_clear(b);
	if (demangle(b, name, 0)) {
		if (plt)
			buf_adds(b, "@plt");
		if (!b->failed)
			t->plain[i] = arena_strndup(&s->arena, b->data, b->len);
	}
	free(base);
	if (!t->plain[i])
		t->plain[i] = sym->name;
	return t->plain[i];
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
	if (!t->loaded)
		load(s, t, m, info);
	shift = dso_is_kernel(info) ? s->kernel_shift : 0;
	sym = symtab_find(&t->st, addr + shift);
	if (!sym || is_hidden(s, info, sym))
		return false;
	out->start = sym->start - shift;
	/* JIT names are not mangled; the kernel's may be Rust's, but perf leaves them alone */
	if (s->opt.demangle && info->kind != DSO_PERF_MAP &&
	    !(dso_is_kernel(info) && s->opt.compat))
		out->name = plain_name(s, t, sym);
	else
		out->name = sym->name;
	return true;
}
