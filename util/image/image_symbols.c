// SPDX-License-Identifier: GPL-2.0
#include "util/image/image_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/base/io.h"
#include "util/base/memory.h"
#include "util/base/radix.h"
#include "util/base/text.h"
#include "util/image/image_internal.h"

struct section {
	u64 addr, size;
	u64 offset; /* means nothing in a debug file, which has no code */
	bool code;
	bool text_or_data; /* by its name */
};

struct loader {
	const struct image *img;   /* has the program headers */
	const struct image *table; /* has the symbols: img or its debug file */
	struct symtab *st;
	enum symtab_view view;
	VEC(struct section) sections; /* of table, by index */
	struct image_names dynamic;   /* of .dynsym of img, once it was added */
	struct err why;               /* what cannot be read */
};

void image_cannot_read(const struct image *img, Elf_Scn *scn, const char *reason, struct err *why)
{
	const char *name = NULL;
	char path[4096];
	GElf_Shdr sh;
	size_t names;

	if (why->code)
		return;
	if (scn && gelf_getshdr(scn, &sh) && !elf_getshdrstrndx(img->elf, &names))
		name = elf_strptr(img->elf, names, sh.sh_name);
	err_set(why, EIO, "%s cannot be read: %s", name ? name : "a table of symbols", reason);
	if (image_path(img, path, sizeof(path)))
		err_prefix(why, "%s", path);
}

Elf_Data *image_section_data(const struct image *img, Elf_Scn *scn, struct err *why)
{
	Elf_Data *d = elf_getdata(scn, NULL);

	if (!d)
		image_cannot_read(img, scn, elf_errmsg(-1), why);
	return d;
}

Elf_Data *image_chunk(const struct image *img, Elf_Scn *scn, u64 offset, u64 size, Elf_Type type,
		      struct err *why)
{
	Elf_Data *d =
		offset > INT64_MAX ? NULL : elf_getdata_rawchunk(img->elf, (s64)offset, size, type);

	if (!d)
		image_cannot_read(img, scn, offset > INT64_MAX ? "it is damaged" : elf_errmsg(-1),
				  why);
	return d;
}

/* What of them cannot be read is none of the sections that are gone through below. */
static void check_headers(const struct image *img, struct err *why)
{
	char path[4096];

	if (!why->code && image_check(img, why) && image_path(img, path, sizeof(path)))
		err_prefix(why, "%s", path);
}

/* Take the symbol tables of an image from now on. */
static bool read_sections(struct loader *l, const struct image *table)
{
	Elf_Scn *scn = NULL;
	struct section *s;
	const char *name;
	GElf_Shdr sh;
	size_t names;

	l->table = table;
	l->sections.nr = 0;
	s = vec_push(&l->sections); /* number 0 is none */
	if (elf_getshdrstrndx(l->table->elf, &names))
		names = 0;
	while (s && (scn = elf_nextscn(l->table->elf, scn))) {
		s = vec_push(&l->sections);
		if (!s || !gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(l->table->elf, names, sh.sh_name);
		*s = (struct section){
			.addr = sh.sh_addr,
			.offset = sh.sh_offset,
			.size = sh.sh_size,
			.code = sh.sh_flags & SHF_EXECINSTR,
			.text_or_data = name && (strstr(name, "text") || strstr(name, "data"))};
	}
	return s != NULL;
}

/*
 * "$x", "$d.12": where an instruction set or a pool of constants begins; RISC-V's "$xrv64i2p1_m2p0" says which. x86 has
 * neither, so names need not be looked at.
 */
static bool is_mapping_symbol(const struct image *img, const char *name)
{
	if (img->ehdr.e_machine == EM_X86_64 || img->ehdr.e_machine == EM_386)
		return false;
	if (img->ehdr.e_machine == EM_RISCV && !strncmp(name, "$xrv", 4))
		return true;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

/* The executable segment that an address is in, or NULL. */
static const GElf_Phdr *code_segment(const struct image *img, u64 vaddr)
{
	const GElf_Phdr *ph;
	u32 i;

	for (i = 0; i < img->loads.nr; i++) {
		ph = &img->loads.v[i];
		if (ph->p_flags & PF_X && vaddr - ph->p_vaddr < ph->p_memsz)
			return ph;
	}
	return NULL;
}

static const struct section *section_of(const struct loader *l, const GElf_Sym *sym)
{
	return sym->st_shndx < l->sections.nr ? &l->sections.v[sym->st_shndx] : NULL;
}

static bool is_code(const struct loader *l, const GElf_Sym *sym, const struct section *s)
{
	return s ? s->code : l->sections.nr <= 1 && code_segment(l->img, sym->st_value);
}

static bool is_wanted(const struct loader *l, const GElf_Sym *sym, const struct section *s)
{
	bool perf = l->view == SYMTAB_PERF;
	unsigned int visibility = GELF_ST_VISIBILITY(sym->st_other);

	if (sym->st_name == 0 || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_OBJECT:
		return perf;
	case STT_NOTYPE:
		if (!perf)
			return is_code(l, sym, s);
		return s && s->text_or_data && visibility != STV_HIDDEN &&
		       visibility != STV_INTERNAL;
	default:
		return false;
	}
}

/*
 * How many bytes of its section, or of its segment, are at and behind a symbol; in a relocatable file
 * addr is 0.
 */
static u64 bytes_left(const struct loader *l, const struct section *s, u64 value)
{
	const GElf_Phdr *ph = s ? NULL : code_segment(l->img, value);
	u64 at = value - (s ? s->addr : ph ? ph->p_vaddr : 0);
	u64 size = s ? s->size : ph ? ph->p_memsz : 0;

	return at < size ? size - at : 0;
}

/* Where a symbol that belongs into the table is in the file, or its replacement; false: it does not belong there. */
static bool find_place(const struct loader *l, GElf_Sym *sym, const char *name, u64 *offset)
{
	const struct section *s = section_of(l, sym);

	if (!is_wanted(l, sym, s) || is_mapping_symbol(l->img, name))
		return false;
	/* the lowest bit of a function's address says that it is Thumb code */
	if (l->img->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		sym->st_value &= ~(u64)1;
	if (image_offset(l->img, sym->st_value, offset))
		return true;
	if (!s || l->table != l->img)
		return false;
	*offset = sym->st_value - s->addr + s->offset;
	return true;
}

/* The name must live as long as the table. */
static bool add_at(struct loader *l, const GElf_Sym *sym, const char *name, u64 offset)
{
	u64 end = offset + MIN(sym->st_size, UINT64_MAX - offset);
	u8 flags = 0;

	if (GELF_ST_BIND(sym->st_info) == STB_WEAK)
		flags |= SYM_WEAK;
	else if (GELF_ST_BIND(sym->st_info) == STB_GLOBAL)
		flags |= SYM_GLOBAL;
	if (GELF_ST_TYPE(sym->st_info) == STT_OBJECT)
		flags |= SYM_DATA;
	if (!sym->st_size && l->view != SYMTAB_PERF) {
		flags |= SYM_NOSIZE;
		end = offset + bytes_left(l, section_of(l, sym), sym->st_value);
	}
	return symtab_add_adopted(l->st, offset, end, name, flags);
}

static bool add_symbol(struct loader *l, GElf_Sym *sym, const char *name)
{
	u64 offset;

	return !find_place(l, sym, name, &offset) || add_at(l, sym, name, offset);
}

/* No name of the table is longer than SYM_NAME_MAX: what is, is cut. */
static void cut_names(char *names, size_t len)
{
	char *end = names + len, *nul;

	for (; (size_t)(end - names) > SYM_NAME_MAX; names = nul + 1) {
		nul = memrchr(names, '\0', SYM_NAME_MAX + 1);
		if (nul)
			continue;
		nul = names + SYM_NAME_MAX;
		*nul = '\0';
	}
}

char *image_names_keep(struct symtab *st, const void *bytes, size_t len)
{
	char *names = malloc(len + 1);

	if (!names)
		return NULL;
	memcpy(names, bytes, len);
	names[len] = '\0';
	cut_names(names, len);
	return symtab_adopt(st, names) ? names : NULL;
}

struct table {
	Elf_Scn *scn, *strings;
	GElf_Shdr shdr, string_shdr;
	size_t nr;
	/* The symbols: one of these, by read_symbols(). */
	GElf_Sym *own; /* to be freed */
	Elf_Data *data;
};

/* The first symbol table of a type; false: there is none. */
static bool find_table(const struct image *img, u32 type, struct table *t)
{
	size_t entry = gelf_fsize(img->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Scn *scn = NULL;

	do {
		scn = elf_nextscn(img->elf, scn);
	} while (scn && (!gelf_getshdr(scn, &t->shdr) || t->shdr.sh_type != type));
	t->scn = scn;
	t->strings = scn ? elf_getscn(img->elf, t->shdr.sh_link) : NULL;
	if (!t->strings || !gelf_getshdr(t->strings, &t->string_shdr) || !entry ||
	    t->string_shdr.sh_type != SHT_STRTAB)
		return false;
	t->nr = (size_t)MIN(t->shdr.sh_size / entry, (u64)INT32_MAX);
	return true;
}

/* Can a section be read straight from the file? That is faster, and some are large. */
static bool is_plain(const struct image *img, const GElf_Shdr *sh)
{
	return img->fd >= 0 && !(sh->sh_flags & SHF_COMPRESSED);
}

/* Bytes of a section, and room for a NUL; *len: as much of `size` as there is. NULL: no memory. */
static void *read_part(struct loader *l, Elf_Scn *scn, u64 offset, u64 size, size_t *len)
{
	const struct image *img = l->table;
	struct stat st;
	ssize_t n;
	void *p;

	*len = 0;
	if (!fstat(img->fd, &st) && st.st_size > 0)
		*len = (size_t)MIN(size, (u64)st.st_size);
	p = memory_alloc_huge(*len + 1);
	if (!p)
		return NULL;
	n = *len ? io_pread(img->fd, p, *len, offset) : 0;
	*len = n < 0 ? 0 : (size_t)n;
	if (*len < size)
		image_cannot_read(img, scn, n < 0 ? strerror((int)-n) : "it is cut", &l->why);
	return p;
}

/* False when memory is out. */
static bool read_symbols(struct loader *l, struct table *t)
{
	const struct image *img = l->table;
	const u8 *ident = img->ehdr.e_ident;
	bool native =
		ident[EI_CLASS] == ELFCLASS64 &&
		(ident[EI_DATA] == ELFDATA2LSB) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	size_t len, entry;

	t->own = NULL;
	t->data = NULL;
	if (native && is_plain(img, &t->shdr)) {
		t->own = read_part(l, t->scn, t->shdr.sh_offset, t->nr * sizeof(*t->own), &len);
		t->nr = len / sizeof(*t->own);
		return t->own != NULL;
	}
	entry = gelf_fsize(img->elf, ELF_T_SYM, 1, EV_CURRENT);
	t->data = image_section_data(img, t->scn, &l->why);
	t->nr = t->data ? MIN(t->nr, t->data->d_size / entry) : 0;
	return true;
}

static bool get_symbol(const struct table *t, size_t i, GElf_Sym *sym)
{
	if (!t->own)
		return gelf_getsym(t->data, (int)i, sym) != NULL;
	*sym = t->own[i];
	return true;
}

static char *read_names(struct loader *l, const struct table *t, size_t *len)
{
	const struct image *img = l->table;
	Elf_Data *d;
	char *names;

	if (!is_plain(img, &t->string_shdr)) {
		d = image_section_data(img, t->strings, &l->why);
		*len = d && d->d_buf ? d->d_size : 0;
		return image_names_keep(l->st, *len ? d->d_buf : "", *len);
	}
	names = read_part(l, t->strings, t->string_shdr.sh_offset, t->string_shdr.sh_size, len);
	if (!names)
		return NULL;
	names[*len] = '\0';
	cut_names(names, *len);
	return symtab_adopt(l->st, names) ? names : NULL;
}

/* Adds the symbols one by one, in the order of the file. False when memory is out. */
static bool add_symbols(struct loader *l, const struct table *t, const char *names, size_t len)
{
	GElf_Sym sym;
	size_t i;

	for (i = 1; i < t->nr && get_symbol(t, i, &sym); i++)
		if (sym.st_name < len && !add_symbol(l, &sym, names + sym.st_name))
			return false;
	return true;
}

/* An offset above an index: where both fit, as they do in any image. */
#define INDEX_BITS 24

/* The keys of all that is wanted, in the order of the file, and the bits in which any two differ. False: one does not fit. */
static bool make_keys(struct loader *l, const struct table *t, const char *names, size_t len,
		      u64 *keys, u32 *nr, u64 *differ)
{
	u64 offset;
	size_t i;

	*nr = 0;
	*differ = 0;
	for (i = 1; i < t->nr; i++) {
		if (t->own[i].st_name >= len ||
		    !find_place(l, &t->own[i], names + t->own[i].st_name, &offset))
			continue;
		if (offset >> (64 - INDEX_BITS))
			return false;
		keys[*nr] = offset << INDEX_BITS | i;
		*differ |= keys[(*nr)++] ^ keys[0];
	}
	*differ >>= INDEX_BITS;
	return true;
}

/* How many symbols ahead one is asked for: they lie anywhere. */
#define AHEAD 16

/* Add them as they lie in the image: then the table need not move them. */
static bool add_in_order(struct loader *l, const struct table *t, const char *names,
			 const u64 *keys, u32 nr)
{
	const u32 mask = (1u << INDEX_BITS) - 1;
	const GElf_Sym *sym;
	u32 i;

	for (i = 0; i < nr; i++) {
		__builtin_prefetch(&t->own[keys[MIN(i + AHEAD, nr - 1)] & mask]);
		sym = &t->own[keys[i] & mask];
		if (!add_at(l, sym, names + sym->st_name, keys[i] >> INDEX_BITS))
			return false;
	}
	return true;
}

/* Likewise by address; symbols of one address in the order of the file. */
static bool add_sorted(struct loader *l, const struct table *t, const char *names, size_t len)
{
	u64 *keys = memory_alloc_huge(t->nr * sizeof(*keys)),
	    *spare = memory_alloc_huge(t->nr * sizeof(*spare));
	u64 *sorted = keys, differ;
	bool done = keys && spare;
	u32 nr;

	if (done && !make_keys(l, t, names, len, keys, &nr, &differ)) {
		done = add_symbols(l, t, names, len);
	} else if (done) {
		if (differ)
			sorted = radix_sort(
				keys, spare, nr, INDEX_BITS + (unsigned int)__builtin_ctzll(differ),
				INDEX_BITS + 64 - (unsigned int)__builtin_clzll(differ));
		done = add_in_order(l, t, names, sorted, nr);
	}
	free(keys);
	free(spare);
	return done;
}

/* Adds a symbol table, if there is one. False when memory is out. */
static bool add_table(struct loader *l, u32 type)
{
	bool ok, by_address;
	struct table t;
	char *names;
	size_t len;

	if (!find_table(l->table, type, &t))
		return true;
	if (!read_symbols(l, &t))
		return false;
	names = read_names(l, &t, &len);
	ok = names && symtab_reserve(l->st, t.nr);
	/* perf's view depends on the order in which they are added */
	by_address = t.own && l->view != SYMTAB_PERF && t.nr >> INDEX_BITS == 0;
	if (ok)
		ok = by_address ? add_sorted(l, &t, names, len) : add_symbols(l, &t, names, len);
	free(t.own);
	if (ok && type == SHT_DYNSYM && l->table == l->img)
		l->dynamic = (struct image_names){names, len};
	return ok && (l->view != SYMTAB_PERF || !symtab_settle(l->st, false));
}

/* Likewise, of an image without section headers. */
static bool add_dynamic(struct loader *l)
{
	struct image_dynamic d;
	GElf_Sym sym;
	char *names;
	size_t i;

	if (l->sections.nr > 1 || !image_dynamic_find(l->img, &d, &l->why))
		return true;
	names = image_names_keep(l->st, d.names, d.names_len);
	if (!names)
		return false;
	for (i = 1; i < d.nr && gelf_getsym(d.symbols, (int)i, &sym); i++)
		if (sym.st_name < d.names_len && !add_symbol(l, &sym, names + sym.st_name))
			return false;
	return true;
}

/* Has the image's own .symtab what its .dynsym has? strip(1) takes all of it or nothing. */
static bool has_all(const struct image *img)
{
	struct table own, dynamic;

	return find_table(img, SHT_SYMTAB, &own) &&
	       (!find_table(img, SHT_DYNSYM, &dynamic) || own.nr >= dynamic.nr);
}

/* As perf: both tables of the one file. */
static bool add_as_perf(struct loader *l, const struct image *table)
{
	return read_sections(l, table) && add_table(l, SHT_SYMTAB) && add_table(l, SHT_DYNSYM);
}

/* Where strip(1) was, what the program itself knows is left. */
static bool add_go(struct loader *l, const struct image *debug)
{
	struct table t;

	return debug || find_table(l->img, SHT_SYMTAB, &t) || image_go_add(l->img, l->st, &l->why);
}

/* A debug file may have only what .dynsym has not. */
static bool add_all(struct loader *l, const struct image *debug)
{
	return (!debug || (read_sections(l, debug) && add_table(l, SHT_SYMTAB))) &&
	       read_sections(l, l->img) && (debug || add_table(l, SHT_SYMTAB)) &&
	       ((!debug && has_all(l->img)) || add_table(l, SHT_DYNSYM)) && add_dynamic(l) &&
	       add_go(l, debug);
}

int image_symbols_load(const struct image *img, const struct image *debug, struct symtab *st,
		       enum symtab_view view, struct err *err)
{
	struct loader l = {.img = img, .st = st, .view = view};
	bool ok;

	check_headers(img, &l.why);
	if (debug)
		check_headers(debug, &l.why);
	ok = view == SYMTAB_PERF ? add_as_perf(&l, debug ? debug : img) : add_all(&l, debug);
	/* perf looks for stubs where it has found a symbol */
	if (ok && (view != SYMTAB_PERF || st->syms.nr))
		ok = image_plt_add(img, st, view, l.dynamic, &l.why);
	vec_free(&l.sections);
	if (!ok || symtab_finish(st, view))
		return err_nomem(err);
	if (!l.why.code)
		return 0;
	err_hint(&l.why, "functions may lack names");
	if (err)
		*err = l.why;
	return -EIO;
}

struct search {
	const struct image *img;
	const char *name;
	u64 vaddr;
	bool found, global, indirect, several;
};

static u64 entry(const struct image *img, const GElf_Sym *sym)
{
	/* the three highest bits say how many instructions it is behind: 4 << (n - 2) bytes */
	unsigned int local = sym->st_other >> 5;

	if (img->ehdr.e_machine == EM_PPC64 && local > 1 && local < 7)
		return sym->st_value + (4u << (local - 2));
	/* the lowest bit of a function's address says that it is Thumb code */
	if (img->ehdr.e_machine == EM_ARM)
		return sym->st_value & ~(u64)1;
	return sym->st_value;
}

static void meet(struct search *s, const GElf_Sym *sym)
{
	bool global = GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	u64 at = entry(s->img, sym);

	if (!s->found || (global && !s->global)) {
		*s = (struct search){.img = s->img,
				     .name = s->name,
				     .vaddr = at,
				     .found = true,
				     .global = global,
				     .indirect = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC};
		return;
	}
	if (global == s->global && at != s->vaddr)
		s->several = true;
}

static bool is_function(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC);
}

/* What is done with a symbol; false: memory is out. */
typedef bool on_function(void *arg, const char *name, const GElf_Sym *sym);

static bool meet_named(void *arg, const char *name, const GElf_Sym *sym)
{
	struct search *s = arg;

	if (!strcmp(name, s->name))
		meet(s, sym);
	return true;
}

static bool search_table(on_function *on, void *arg, bool (*wanted)(const GElf_Sym *),
			 const struct image *img, Elf_Scn *scn, const GElf_Shdr *sh,
			 struct err *why)
{
	Elf_Data *data = image_section_data(img, scn, why);
	const char *name;
	GElf_Sym sym;
	int i, nr;

	nr = data && sh->sh_entsize ? (int)MIN(sh->sh_size / sh->sh_entsize, (u64)INT32_MAX) : 0;
	for (i = 0; i < nr && gelf_getsym(data, i, &sym); i++) {
		if (!wanted(&sym))
			continue;
		name = elf_strptr(img->elf, sh->sh_link, sym.st_name);
		if (!name)
			image_cannot_read(img, elf_getscn(img->elf, sh->sh_link), elf_errmsg(-1),
					  why);
		else if (!on(arg, name, &sym))
			return false;
	}
	return true;
}

static bool search_symbols(on_function *on, void *arg, bool (*wanted)(const GElf_Sym *),
			   const struct image *table, struct err *why)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	check_headers(table, why);
	while ((scn = elf_nextscn(table->elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM) &&
		    !search_table(on, arg, wanted, table, scn, &sh, why))
			return false;
	return true;
}

/* Likewise all functions of an image and its debug file, NULL: it has none. 0, -ENOMEM if `on` ended it, -EIO. */
static int search_functions(on_function *on, void *arg, const struct image *img,
			    const struct image *debug)
{
	struct err why = {0};

	if (!search_symbols(on, arg, is_function, img, &why) ||
	    (debug && !search_symbols(on, arg, is_function, debug, &why)))
		return -ENOMEM;
	return -why.code;
}

int image_function_find(const struct image *img, const struct image *debug, const char *name,
			u64 *vaddr)
{
	struct search s = {.img = img, .name = name};

	if (search_functions(meet_named, &s, img, debug))
		return -EIO;
	if (!s.found)
		return -ENOENT;
	*vaddr = s.vaddr;
	return s.indirect ? -ENOTSUP : s.several ? -ENOTUNIQ : 0;
}

/* False, which ends the search: this is it. */
static bool is_not_thumb_at(void *arg, const char *name, const GElf_Sym *sym)
{
	const u64 *vaddr = arg;

	(void)name;
	return GELF_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_value != (*vaddr | 1);
}

bool image_is_thumb(const struct image *img, const struct image *debug, u64 vaddr)
{
	return search_functions(is_not_thumb_at, &vaddr, img, debug) == -ENOMEM;
}

static bool is_object(const GElf_Sym *sym)
{
	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS && sym->st_size &&
	       GELF_ST_TYPE(sym->st_info) == STT_OBJECT;
}

static bool add_object(void *arg, const char *name, const GElf_Sym *sym)
{
	u64 end = sym->st_value + MIN(sym->st_size, UINT64_MAX - sym->st_value);

	return symtab_add(arg, sym->st_value, end, name, strnlen(name, SYM_NAME_MAX), SYM_DATA);
}

int image_objects_load(const struct image *img, const struct image *debug, struct symtab *st,
		       struct err *err)
{
	struct err why = {0};

	if (!search_symbols(add_object, st, is_object, img, &why) ||
	    (debug && !search_symbols(add_object, st, is_object, debug, &why)) ||
	    symtab_finish(st, SYMTAB_NESTED))
		return err_nomem(err);
	if (why.code)
		*err = why;
	return -why.code;
}

struct indirect {
	const struct image *img;
	struct hmap *offsets;
};

static bool keep_indirect(void *arg, const char *name, const GElf_Sym *sym)
{
	struct indirect *x = arg;
	u64 offset;

	(void)name;
	return GELF_ST_TYPE(sym->st_info) != STT_GNU_IFUNC ||
	       !image_offset(x->img, sym->st_value, &offset) || hmap_set(x->offsets, offset, 1);
}

int image_indirect_functions(const struct image *img, const struct image *debug,
			     struct hmap *offsets)
{
	struct indirect x = {img, offsets};

	return search_functions(keep_indirect, &x, img, debug);
}

/* Of code, or without a type, as labels in assembler have it. */
static bool is_code_symbol(const struct image *img, const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	Elf_Scn *scn;
	GElf_Shdr sh;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE ||
	    (type != STT_FUNC && type != STT_NOTYPE))
		return false;
	scn = elf_getscn(img->elf, sym->st_shndx);
	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

static void put_symbol(const GElf_Sym *sym, const char *name, struct buf *out)
{
	unsigned int bind = GELF_ST_BIND(sym->st_info);

	buf_addf(out, "%016llx %c %s\n", (unsigned long long)sym->st_value,
		 bind == STB_WEAK     ? 'W'
		 : bind == STB_GLOBAL ? 'T'
				      : 't',
		 name);
}

int image_kallsyms(const struct image *img, struct buf *out, struct err *err)
{
	Elf_Scn *scn = NULL;
	const char *name;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Sym sym;
	int i;

	do {
		scn = elf_nextscn(img->elf, scn);
	} while (scn && (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_SYMTAB));
	if (!scn)
		return err_set(err, ENODATA, "stripped; no symbols");
	data = elf_getdata(scn, NULL);
	if (!data || !elf_rawdata(elf_getscn(img->elf, sh.sh_link), NULL))
		return err_set(err, EIO, "its symbols cannot be read: %s", elf_errmsg(-1));
	for (i = 1; gelf_getsym(data, i, &sym); i++) {
		name = elf_strptr(img->elf, sh.sh_link, sym.st_name);
		/* a line for each: nothing that would end it */
		if (name && *name && text_is_plain(name, strlen(name)) && is_code_symbol(img, &sym))
			put_symbol(&sym, name, out);
	}
	return out->failed ? err_nomem(err) : 0;
}
