// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/hash.h"
#include "util/base/types.h"
#include "util/debuginfo/debuginfo_internal.h"
#include "util/image/image_unpack.h"

/* ---- the unit of split DWARF that belongs to a skeleton, in a .dwo file ---- */

/*
 * libdw opens the file that the skeleton names, as it would any: a FIFO keeps it waiting for ever.
 * The name is foreign, so what is not a regular file is not handed to it.
 *
 * Source: DWARF 5, section 7.3.2.
 */

static void add_part(struct buf *path, const char *part)
{
	if (!part)
		return;
	if (part[0] == '/')
		buf_clear(path);
	else if (path->len)
		buf_addc(path, '/');
	buf_adds(path, part);
}

/* Do the sections of such an image claim no more than its size allows? libdw believes them. */
static bool is_bounded(const char *path)
{
	struct image img;
	bool ok;

	if (image_open(&img, AT_FDCWD, path, NULL))
		return true; /* libdw cannot open it either */
	ok = !image_unpack_check(&img, NULL);
	image_close(&img);
	return ok;
}

/* A file that is not there does no harm. */
static bool is_harmless(const char *folder, const char *comp_dir, const char *name)
{
	struct buf path = {0};
	struct stat st;
	bool ok;

	add_part(&path, folder);
	add_part(&path, comp_dir);
	add_part(&path, name);
	ok = !path.failed &&
	     (stat(buf_str(&path), &st) || (S_ISREG(st.st_mode) && is_bounded(buf_str(&path))));
	buf_free(&path);
	return ok;
}

/* libdw looks beside the file with the skeleton, then in the folder of the compilation. */
static bool may_open(Dwarf_Die *unit, const char *folder)
{
	const char *comp_dir = debug_entry_string(unit, DW_AT_comp_dir);
	const char *name = debug_entry_string(unit, DW_AT_dwo_name);

	if (!name)
		name = debug_entry_string(unit, DW_AT_GNU_dwo_name);
	return name && is_harmless(folder, NULL, name) && is_harmless(folder, comp_dir, name);
}

/*
 * The split unit of a unit that may be a skeleton. `folder`: where the file with the unit is, NULL:
 * not known. False: it has none, or it cannot be had.
 */
static bool debug_split_find(Dwarf_Die *unit, const char *folder, Dwarf_Die *split)
{
	uint8_t type;

	*split = (Dwarf_Die){0};
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton || !may_open(unit, folder))
		return false;
	return !dwarf_cu_info(unit->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) && split->cu;
}

/* ---- a compilation unit of the DWARF: its functions by address, its lines ---- */

/*
 * A unit of split DWARF has its functions in a file of its own and its lines here.
 *
 * Source: DWARF 5, sections 3.1, 6.2 and 7.3.2.
 */

struct debug_unit {
	Dwarf_Die die;
	Dwarf_Die tree;          /* the unit with the functions, after debug_unit_read() */
	struct die_unit entries; /* of that */
	VEC(struct debug_function) functions;
	struct range_index index; /* of functions */
	struct line_table lines;
	struct line_table *files;       /* of a split unit, where it has its own; else NULL */
	struct debug_unpacked unpacked; /* of a split unit in a package */
	bool read;
};

/* Where split units are. */
struct debug_unit_places {
	const char *folder;                  /* of the file with the unit, NULL: not known */
	const struct debug_package *package; /* NULL: there is none */
};

static bool add_function(struct debug_unit *u, u64 offset)
{
	struct debug_function *f;
	bool any = false;
	Dwarf_Die die;

	if (!dwarf_offdie(dwarf_cu_getdwarf(u->tree.cu), offset, &die))
		return true;
	if (!debug_entry_ranges(&die, &u->index, u->functions.nr, &any))
		return false;
	f = any ? vec_push(&u->functions) : NULL;
	if (f)
		f->self.die = die;
	return f || !any;
}

/* False when memory is out. */
static bool read_functions(struct debug_unit *u, const struct debug_sections *s)
{
	u64 offset = dwarf_dieoffset(&u->tree);
	struct die_walk w;
	struct die d;

	if (die_unit_read(&u->entries, s, offset - dwarf_cuoffset(&u->tree)))
		return true;
	die_walk_begin(&w, &u->entries, offset);
	while (die_walk_next(&w, &d))
		if (d.tag == DW_TAG_subprogram && d.code_range && !add_function(u, d.offset))
			return false;
	return range_index_finish(&u->index);
}

static void free_functions(struct debug_unit *u)
{
	u32 i;

	for (i = 0; i < u->functions.nr; i++)
		debug_function_free(&u->functions.v[i]);
	vec_free(&u->functions);
	range_index_free(&u->index);
}

static void read_lines(struct debug_unit *u, const struct debug_sections *s, const char *comp_dir)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;

	if (dwarf_attr(&u->die, DW_AT_stmt_list, &attr) && !dwarf_formudata(&attr, &offset) &&
	    line_table_read(&u->lines, s, offset, comp_dir))
		line_table_free(&u->lines);
}

/* A split unit may have a table of files of its own, without lines. */
static void read_files(struct debug_unit *u, const struct debug_sections *s, const char *comp_dir)
{
	if (!s->line.p)
		return;
	u->files = calloc(1, sizeof(*u->files));
	if (u->files && line_table_read(u->files, s, 0, comp_dir)) {
		line_table_free(u->files);
		free(u->files);
		u->files = NULL;
	}
}

/* Where the functions are, which is another file if the unit is but the skeleton of a split one. */
static void find_tree(struct debug_unit *u, const struct debug_unit_places *places,
		      struct debug_sections *s)
{
	Dwarf_Die split;
	Elf *elf;

	u->tree = u->die;
	if (!debug_split_find(&u->die, places->folder, &split) &&
	    !(places->package &&
	      debug_package_unpack(&u->unpacked, places->package, &u->die, &split)))
		return;
	elf = dwarf_getelf(dwarf_cu_getdwarf(split.cu));
	if (!elf)
		return;
	u->tree = split;
	debug_sections_get(s, elf);
}

/* Read functions and lines, once. `s`: the sections of the file that the unit is in. */
static void debug_unit_read(struct debug_unit *u, const struct debug_sections *s,
			    const struct debug_unit_places *places)
{
	const char *comp_dir = debug_entry_string(&u->die, DW_AT_comp_dir);
	struct debug_sections of_tree = *s;

	if (u->read)
		return;
	u->read = true;
	find_tree(u, places, &of_tree);
	if (!read_functions(u, &of_tree))
		free_functions(u);
	read_lines(u, s, comp_dir);
	if (u->tree.cu != u->die.cu)
		read_files(u, &of_tree, comp_dir);
}

/* The function at an address of a unit that was read, or NULL. */
static struct debug_function *debug_unit_find(struct debug_unit *u, u64 addr)
{
	u32 i = range_index_find(&u->index, addr);

	return i == ID_NONE ? NULL : &u->functions.v[i];
}

/* A file by the number that the unit's entries give it; NULL: unknown. */
static const char *debug_unit_file(struct debug_unit *u, u64 file)
{
	return line_table_file(u->files ? u->files : &u->lines, file);
}

static void debug_unit_free(struct debug_unit *u)
{
	free_functions(u);
	die_unit_free(&u->entries);
	line_table_free(&u->lines);
	if (u->files)
		line_table_free(u->files);
	free(u->files);
	debug_unpacked_free(&u->unpacked);
}

/* ---- which functions were inlined at an address of an image, in which lines, as its ---- */

/* What is at an address. Units, their functions and rows stay where they are. */
struct debug_answer {
	struct debug_unit *unit;         /* NULL: nothing */
	struct debug_function *function; /* NULL: unknown */
	u32 inlined;                     /* the innermost function that was inlined, or ID_NONE */
	const struct line_row *row;      /* NULL: unknown */
};

struct debuginfo {
	Dwarf *dwarf, *alt;
	struct debug_sections sections;
	char *folder; /* of the file with them, NULL: not known */
	struct debug_package package;
	bool packaged;
	bool indexed, cut;            /* cut: some units are missing, for lack of memory */
	VEC(struct debug_unit) units; /* in order of their offsets */
	struct range_index index;     /* of units */
	struct hmap known;            /* addresses that were asked for -> answers */
	VEC(struct debug_answer) answers;
};

int debuginfo_open(struct debuginfo **out, const struct debuginfo_images *images, struct err *err)
{
	const struct image *img = images->debug ? images->debug : images->image;
	struct debuginfo *d;
	GElf_Shdr sh;
	int ret;

	/* what is not linked yet has no addresses */
	if (img->ehdr.e_type == ET_REL)
		return err_set(err, ENODATA, "a file that is not linked");
	if (!image_section(img, ".debug_info", &sh) && !image_section(img, ".zdebug_info", &sh))
		return err_set(err, ENODATA, "no debug information");
	ret = image_unpack_check(img, err);
	if (!ret && images->alt)
		ret = image_unpack_check(images->alt, err);
	if (!ret && images->package)
		ret = image_unpack_check(images->package, err);
	if (ret)
		return ret;
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_nomem(err);
	d->dwarf = dwarf_begin_elf(img->elf, DWARF_C_READ, NULL);
	if (!d->dwarf) {
		debuginfo_close(d);
		return err_set(err, ENODATA, "libdw: %s", dwarf_errmsg(-1));
	}
	if (images->alt)
		d->alt = dwarf_begin_elf(images->alt->elf, DWARF_C_READ, NULL);
	if (d->alt)
		dwarf_setalt(d->dwarf, d->alt);
	debug_sections_get(&d->sections, img->elf);
	d->folder = images->folder ? strdup(images->folder) : NULL;
	d->packaged = images->package != NULL;
	if (d->packaged)
		debug_package_get(&d->package, images->package);
	*out = d;
	return 0;
}

void debuginfo_close(struct debuginfo *d)
{
	u32 i;

	if (!d)
		return;
	for (i = 0; i < d->units.nr; i++)
		debug_unit_free(&d->units.v[i]);
	vec_free(&d->units);
	range_index_free(&d->index);
	hmap_free(&d->known);
	vec_free(&d->answers);
	dwarf_end(d->dwarf);
	dwarf_end(d->alt);
	free(d->folder);
	free(d);
}

/* The unit whose entries begin at an offset, by number. */
static u32 unit_at(const struct debuginfo *d, Dwarf_Off offset)
{
	u32 lo = 0, hi = d->units.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (dwarf_dieoffset(&d->units.v[mid].die) <= offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : ID_NONE;
}

/* Units without addresses of their own: some compilers leave that to .debug_aranges. */
static bool add_aranges(struct debuginfo *d, const bool *has_ranges)
{
	Dwarf_Addr start;
	Dwarf_Aranges *all;
	Dwarf_Word len;
	Dwarf_Off offset;
	size_t nr, i;
	u32 unit;

	if (dwarf_getaranges(d->dwarf, &all, &nr))
		return true;
	for (i = 0; i < nr; i++) {
		if (dwarf_getarangeinfo(dwarf_onearange(all, i), &start, &len, &offset) || !start)
			continue;
		unit = unit_at(d, offset);
		if (unit != ID_NONE && !has_ranges[unit] &&
		    !range_index_add(&d->index, start, start + len, unit))
			return false;
	}
	return true;
}

static bool has_code(uint8_t type)
{
	return type == DW_UT_compile || type == DW_UT_skeleton;
}

/* False when memory is out. */
static bool read_units(struct debuginfo *d)
{
	Dwarf_CU *cu = NULL, *next;
	struct debug_unit *u;
	VEC(bool) has_ranges = {0};
	bool ok = true, all = true;
	Dwarf_Die die;
	uint8_t type;
	bool *t;

	while (ok && !dwarf_get_units(d->dwarf, cu, &next, NULL, &type, &die, NULL)) {
		cu = next;
		if (!has_code(type))
			continue;
		t = vec_push(&has_ranges);
		u = t ? vec_push(&d->units) : NULL;
		if (!u) {
			ok = false;
			break;
		}
		u->die = die;
		ok = debug_entry_ranges(&die, &d->index, d->units.nr - 1, t);
		all = all && *t;
	}
	if (ok && !all)
		ok = add_aranges(d, has_ranges.v);
	vec_free(&has_ranges);
	return ok && range_index_finish(&d->index);
}

static void index_units(struct debuginfo *d)
{
	if (d->indexed)
		return;
	d->indexed = true;
	d->cut = !read_units(d);
	if (d->cut)
		range_index_free(&d->index);
}

/* Does GCC optimise (-gstatement-frontiers)? Else rows begin statements wherever the line or a part of it changes. */
static bool has_statement_frontiers(const char *producer)
{
	const char *p = producer, *level = NULL;

	if (!p || strncmp(p, "GNU ", 4) != 0 || strstr(p, "-gno-statement-frontiers"))
		return false;
	while ((p = strstr(p, " -O")))
		level = p += 3;
	return level && *level != '0';
}

int debuginfo_unit_lines(struct debuginfo *d, u32 nr, struct line_table *t)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	Dwarf_Die *die;
	int ret;

	index_units(d);
	if (d->cut)
		return -ENOMEM;
	if (nr >= d->units.nr)
		return -ENOENT;
	die = &d->units.v[nr].die;
	if (!dwarf_attr(die, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &offset))
		return 0;
	ret = line_table_read(t, &d->sections, offset, debug_entry_string(die, DW_AT_comp_dir));
	t->marks &= has_statement_frontiers(debug_entry_string(die, DW_AT_producer));
	return ret == -ENOMEM ? ret : !ret;
}

static struct debug_unit *find_unit(struct debuginfo *d, u64 vaddr)
{
	u32 i;

	index_units(d);
	i = range_index_find(&d->index, vaddr);
	return i == ID_NONE ? NULL : &d->units.v[i];
}

static struct debug_answer look_up(struct debuginfo *d, u64 vaddr)
{
	const struct debug_unit_places places = {d->folder, d->packaged ? &d->package : NULL};
	struct debug_answer a = {.unit = find_unit(d, vaddr), .inlined = ID_NONE};

	if (!a.unit)
		return a;
	debug_unit_read(a.unit, &d->sections, &places);
	a.row = line_table_find(&a.unit->lines, vaddr);
	a.function = debug_unit_find(a.unit, vaddr);
	if (a.function)
		a.inlined = debug_function_find(a.function, &a.unit->entries, vaddr);
	return a;
}

const char *debuginfo_declared(struct debuginfo *d, const struct debug_frame *f, u32 *line)
{
	struct debug_unit *u = find_unit(d, f->vaddr);
	Dwarf_Attribute attr;
	Dwarf_Word nr, at;

	if (!u || !f->entry || !dwarf_attr_integrate(&f->entry->die, DW_AT_decl_line, &attr) ||
	    dwarf_formudata(&attr, &at) ||
	    !dwarf_attr_integrate(&f->entry->die, DW_AT_decl_file, &attr) ||
	    dwarf_formudata(&attr, &nr) || (attr.cu != u->tree.cu && attr.cu != u->die.cu))
		return NULL;
	*line = (u32)MIN(at, (u64)UINT32_MAX);
	return debug_unit_file(u, nr);
}

/* For lack of memory it is looked up again the next time. */
static struct debug_answer answer_at(struct debuginfo *d, u64 vaddr)
{
	u32 known = hmap_get(&d->known, vaddr);
	struct debug_answer a, *to;

	if (known != ID_NONE)
		return d->answers.v[known];
	a = look_up(d, vaddr);
	to = vec_push(&d->answers);
	if (to) {
		*to = a;
		hmap_set(&d->known, vaddr, d->answers.nr - 1);
	}
	return a;
}

/* The inlined functions from the innermost outward, and the one that they are in. */
static u32 put_functions(const struct debug_answer *a, struct debug_frame *out, u32 max)
{
	struct debug_function *f = a->function;
	u32 nr = 0, i = a->inlined;

	while (i != ID_NONE && nr + 1 < max) {
		struct debug_entry *e = &f->inlined.v[i];

		debug_entry_call(e);
		out[nr].entry = e;
		out[nr++].function = debug_entry_name(e);
		out[nr] = (struct debug_frame){
			.vaddr = out[0].vaddr,
			.file = debug_unit_file(a->unit, e->file),
			.line = e->line,
			.column = e->column,
		};
		i = e->parent;
	}
	out[nr].entry = &f->self;
	out[nr++].function = debug_entry_name(&f->self);
	return nr;
}

u32 debuginfo_find(struct debuginfo *d, u64 vaddr, struct debug_frame *out, u32 max)
{
	struct debug_answer a = answer_at(d, vaddr);

	if (!max || (!a.function && !a.row))
		return 0;
	out[0] = (struct debug_frame){.vaddr = vaddr};
	if (a.row) {
		out[0].file = line_table_file(&a.unit->lines, a.row->file);
		out[0].line = a.row->line;
		out[0].column = a.row->column;
	}
	return a.function ? put_functions(&a, out, max) : 1;
}

/* The path of an open file; false: it has none. */
static bool path_of(const struct image *img, char *path, size_t size)
{
	char link[64];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", img->fd);
	len = img->fd < 0 ? -1 : readlink(link, path, size - 1);
	path[MAX(len, 0)] = '\0';
	return len > 0 && path[0] == '/';
}

/* `path` is below the root of `o`, or NULL. As debug_file_open_alt(). */
static int open_alt(struct debug_source *s, const char *path, const struct debug_file_options *o,
		    struct err *err)
{
	int ret = debug_file_open_alt(s->has_debug ? &s->debug : &s->image, path, o, &s->alt, err);

	s->has_alt = !ret;
	return ret;
}

/* A package has the name of the program: "prog.dwp", and never that of "prog.debug" alone. */
static bool open_beside(const char *path, struct image *package)
{
	struct buf name = {0};
	bool found;

	buf_adds(&name, path);
	buf_adds(&name, ".dwp");
	found = !name.failed && !image_open(package, AT_FDCWD, buf_str(&name), NULL);
	buf_free(&name);
	return found;
}

/* The ids of its units say whose it is. */
static void open_package(struct debug_source *s, const char *debug)
{
	char path[4096];

	s->has_package = path_of(&s->image, path, sizeof(path)) && open_beside(path, &s->package);
	if (!s->has_package && debug)
		s->has_package = open_beside(debug, &s->package);
}

int debug_source_open(struct debug_source *s, const struct image *image, const char *path,
		      const struct debug_file_options *o, struct err *err)
{
	size_t root = o->root ? strlen(o->root) : 0;
	char real[4096];
	int ret, without;
	bool known;

	*s = (struct debug_source){.image = *image};
	if (!debug_file_has(&s->image, DEBUG_FILE_DWARF)) {
		ret = debug_file_open(&s->image, path, o, DEBUG_FILE_DWARF, &s->debug, err);
		s->has_debug = !ret;
		if (ret)
			return ret;
	}
	known = path_of(s->has_debug ? &s->debug : &s->image, real, sizeof(real));
	if (s->has_debug)
		path = known ? real + (strncmp(real, o->root ? o->root : "", root) ? 0 : root)
			     : NULL;
	without = open_alt(s, path, o, err);
	open_package(s, known ? real : NULL);
	if (known)
		*strrchr(real, '/') = '\0';
	ret = debuginfo_open(&s->info,
			     &(struct debuginfo_images){
				     .image = &s->image,
				     .debug = s->has_debug ? &s->debug : NULL,
				     .alt = s->has_alt ? &s->alt : NULL,
				     .package = s->has_package ? &s->package : NULL,
				     .folder = known ? real : NULL,
			     },
			     without && without != -ENODATA ? NULL : err);
	return without && without != -ENODATA ? without : ret;
}

void debug_source_close(struct debug_source *s)
{
	debuginfo_close(s->info);
	if (s->has_package)
		image_close(&s->package);
	if (s->has_alt)
		image_close(&s->alt);
	if (s->has_debug)
		image_close(&s->debug);
	image_close(&s->image);
}

u32 debug_source_find(struct debug_source *s, u64 offset, struct debug_frame *out, u32 max)
{
	u64 vaddr;

	if (!s->info || !image_vaddr(&s->image, offset, &vaddr))
		return 0;
	return debuginfo_find(s->info, vaddr, out, max);
}
