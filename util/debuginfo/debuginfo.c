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

/* ---- why something is missing ---- */

/* Keep the first reason. 0, -ENOMEM, -EBADMSG or another -errno. */
static void keep_why(struct err *why, int ret)
{
	if (!ret || why->code)
		return;
	if (ret == -ENOMEM)
		err_nomem(why);
	else if (ret == -EBADMSG)
		err_set(why, EBADMSG,
			"the debug information is damaged: lines or inlined functions may be missing");
	else
		err_set(why, -ret, "%s", strerror(-ret));
}

static bool is_absent(int ret)
{
	return ret == -ENOENT || ret == -ENOTDIR;
}

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

/*
 * May libdw open such a file? It believes what sections claim to become, and passes over what it cannot read. 0, -ENOENT, or
 * another error, whose message has no path.
 */
static int check_split_file(const char *path, struct err *err)
{
	struct image img;
	struct stat st;
	int ret;

	if (stat(path, &st))
		return err_set(err, errno, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "not a regular file");
	ret = image_open(&img, path, NULL);
	if (ret)
		return err_set(err, -ret, "it cannot be read: %s", strerror(-ret));
	ret = image_unpack_check(&img, err);
	if (!ret)
		ret = debug_sections_check(&img, err);
	image_close(&img);
	return ret;
}

/* 0: it is there, and libdw may open it. -ENOENT: it is not there, which does no harm if it is elsewhere. */
static int check_split(const char *folder, const char *comp_dir, const char *name, struct err *why)
{
	struct buf path = {0};
	struct err err = {0};
	int ret;

	add_part(&path, folder);
	add_part(&path, comp_dir);
	add_part(&path, name);
	ret = path.failed ? err_nomem(&err) : check_split_file(buf_str(&path), &err);
	if (ret && !is_absent(ret) && !why->code) {
		*why = err;
		err_prefix(why, "%s", buf_str(&path));
	}
	buf_free(&path);
	return is_absent(ret) ? -ENOENT : ret;
}

static const char *split_name(Dwarf_Die *unit)
{
	return debug_entry_string(unit, DW_AT_dwo_name)
		       ?: debug_entry_string(unit, DW_AT_GNU_dwo_name);
}

/* libdw looks beside the file with the skeleton, then in the folder of the compilation. */
static bool may_open(Dwarf_Die *unit, const char *folder, struct err *why)
{
	const char *name = split_name(unit);
	int beside, there;

	if (!name)
		return false;
	beside = check_split(folder, NULL, name, why);
	there = check_split(folder, debug_entry_string(unit, DW_AT_comp_dir), name, why);
	if (beside == -ENOENT && there == -ENOENT)
		err_set(why, ENOENT, "%s: not found; its inlined functions are missing", name);
	return (!beside || beside == -ENOENT) && (!there || there == -ENOENT) && !(beside && there);
}

/*
 * The split unit of a unit that may be a skeleton. `folder`: where the file with the unit is, NULL:
 * not known. False: it has none, or it cannot be had, and why->code is set.
 */
static bool debug_split_find(Dwarf_Die *unit, const char *folder, Dwarf_Die *split, struct err *why)
{
	uint8_t type;

	*split = (Dwarf_Die){0};
	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton || !may_open(unit, folder, why))
		return false;
	if (!dwarf_cu_info(unit->cu, NULL, NULL, NULL, split, NULL, NULL, NULL) && split->cu)
		return true;
	err_set(why, ESTALE,
		"%s: not used: of another build, damaged, or made with "
		"-fdebug-types-section, which a package (llvm-dwp) helps against",
		split_name(unit));
	return false;
}

/* ---- a compilation unit of the DWARF: its functions by address, its lines ---- */

/*
 * A unit of split DWARF has its functions in a file of its own and its lines and names of files here: a table of files that is
 * there (.debug_line.dwo) is that of the units of types.
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
	struct debug_unpacked unpacked; /* of a split unit in a package */
	bool read, no_memory;
};

/* Where split units are. */
struct debug_unit_places {
	const char *folder;                  /* of the file with the unit, NULL: not known */
	const struct debug_package *package; /* NULL: there is none */
};

static int add_function(struct debug_unit *u, u64 offset, u64 *left)
{
	struct debug_function *f;
	bool any = false;
	Dwarf_Die die;
	int ret;

	if (!dwarf_offdie(dwarf_cu_getdwarf(u->tree.cu), offset, &die))
		return -EBADMSG;
	ret = debug_entry_ranges(&die, &u->index, u->functions.nr, &any, left);
	if (ret == -ENOMEM)
		return ret;
	f = any ? vec_push(&u->functions) : NULL;
	if (f)
		f->self.die = die;
	return f || !any ? ret : -ENOMEM;
}

/* -EBADMSG: not all of them can be read; -ENOMEM. */
static int read_functions(struct debug_unit *u, const struct debug_sections *s, u64 *left)
{
	u64 offset = dwarf_dieoffset(&u->tree);
	struct die_walk w;
	struct die d;
	int ret = die_unit_read(&u->entries, s, offset - dwarf_cuoffset(&u->tree)), added;

	if (ret)
		return ret;
	die_walk_begin(&w, &u->entries, offset);
	while (die_walk_next(&w, &d)) {
		if (d.tag != DW_TAG_subprogram || !d.code_range)
			continue;
		added = add_function(u, d.offset, left);
		if (added == -ENOMEM)
			return added;
		ret = added ? added : ret;
	}
	if (!range_index_finish(&u->index))
		return -ENOMEM;
	return w.damaged ? -EBADMSG : ret;
}

static void free_functions(struct debug_unit *u)
{
	u32 i;

	for (i = 0; i < u->functions.nr; i++)
		debug_function_free(&u->functions.v[i]);
	vec_free(&u->functions);
	range_index_free(&u->index);
}

static int read_table(struct line_table *t, const struct debug_sections *s, u64 offset,
		      const char *comp_dir)
{
	int ret = line_table_read(t, s, offset, comp_dir);

	if (ret)
		line_table_free(t);
	return ret ? ret : t->damaged ? -EBADMSG : 0;
}

static int read_lines(struct debug_unit *u, const struct debug_sections *s, const char *comp_dir)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset;

	if (!dwarf_attr(&u->die, DW_AT_stmt_list, &attr))
		return 0;
	if (dwarf_formudata(&attr, &offset))
		return -EBADMSG;
	return read_table(&u->lines, s, offset, comp_dir);
}

/* Where the functions are, which is another file if the unit is but the skeleton of a split one. */
static void find_tree(struct debug_unit *u, const struct debug_unit_places *places,
		      struct debug_sections *s, struct err *why)
{
	struct err refused = {0};
	int ret = -ENODATA;
	Dwarf_Die split;
	Elf *elf;

	u->tree = u->die;
	if (!debug_split_find(&u->die, places->folder, &split, &refused)) {
		if (places->package)
			ret = debug_package_unpack(&u->unpacked, places->package, &u->die, &split);
		if (ret && ret != -ENODATA)
			keep_why(why, ret);
		else if (ret && refused.code && !why->code)
			*why = refused;
		if (ret)
			return;
	}
	elf = dwarf_getelf(dwarf_cu_getdwarf(split.cu));
	if (!elf)
		return;
	u->tree = split;
	debug_sections_get(s, elf);
}

/*
 * Read functions and lines, once. `s`: the sections of the file that the unit is in. `left`: as in debug_entry_ranges(). `why`:
 * something of it is missing.
 */
static void debug_unit_read(struct debug_unit *u, const struct debug_sections *s,
			    const struct debug_unit_places *places, u64 *left, struct err *why)
{
	const char *comp_dir = debug_entry_string(&u->die, DW_AT_comp_dir);
	struct debug_sections of_tree = *s;
	struct err missing = {0};
	int ret;

	if (u->read)
		return;
	u->read = true;
	find_tree(u, places, &of_tree, &missing);
	if (u->tree.cu != u->die.cu)
		*left += debug_entry_ranges_of(&of_tree);
	ret = read_functions(u, &of_tree, left);
	if (ret == -ENOMEM)
		free_functions(u);
	u->no_memory = missing.code == ENOMEM || ret == -ENOMEM;
	keep_why(&missing, ret);
	ret = read_lines(u, s, comp_dir);
	u->no_memory |= ret == -ENOMEM;
	keep_why(&missing, ret);
	if (!why->code)
		*why = missing;
}

/* The function at an address of a unit that was read, or NULL. */
static struct debug_function *debug_unit_find(struct debug_unit *u, u64 addr)
{
	u32 i = range_index_find(&u->index, addr);

	return i == ID_NONE ? NULL : &u->functions.v[i];
}

static void debug_unit_free(struct debug_unit *u)
{
	free_functions(u);
	die_unit_free(&u->entries);
	line_table_free(&u->lines);
	debug_unpacked_free(&u->unpacked);
}

/* ---- which functions were inlined at an address of an image, in which lines, as its ---- */

/* What is at an address. Units, their functions and rows stay where they are. */
struct debug_answer {
	struct debug_unit *unit;         /* NULL: nothing */
	struct debug_function *function; /* NULL: unknown */
	u32 inlined;                     /* the innermost function that was inlined, or ID_NONE */
	const struct line_row *row;      /* NULL: unknown */
	bool no_memory;                  /* for something of it */
};

struct debuginfo {
	Dwarf *dwarf, *alt;
	struct debug_sections sections;
	char *folder; /* of the file with them, NULL: not known */
	struct debug_package package;
	bool packaged;
	bool indexed, no_memory;      /* no_memory: for the units */
	struct err why;               /* the first of what could not be read, or had no memory */
	VEC(struct debug_unit) units; /* in order of their offsets */
	struct range_index index;     /* of units */
	u64 ranges_left;              /* as in debug_entry_ranges(), of all of it */
	struct hmap known;            /* addresses that were asked for -> answers */
	VEC(struct debug_answer) answers;
};

/* What dwz took out, and what is in a package. */
static void open_others(struct debuginfo *d, const struct debuginfo_images *images)
{
	struct err why = {0};

	if (images->alt) {
		debug_sections_check(images->alt, &why);
		d->alt = dwarf_begin_elf(images->alt->elf, DWARF_C_READ, NULL);
		if (!d->alt && !why.code)
			err_set(&why, EBADMSG, "libdw: %s", dwarf_errmsg(-1));
		if (why.code && !d->why.code) {
			d->why = why;
			err_prefix(&d->why, "the file of its .gnu_debugaltlink");
		}
	}
	if (d->alt)
		dwarf_setalt(d->dwarf, d->alt);
	d->packaged = images->package != NULL;
	if (d->packaged && debug_package_get(&d->package, images->package, &why) && !d->why.code) {
		d->why = why;
		err_prefix(&d->why, "its .dwp file");
	}
}

static int open_sections(struct debuginfo *d, const struct image *img,
			 const struct debuginfo_images *images, struct err *err)
{
	debug_sections_check(img, &d->why);
	d->dwarf = dwarf_begin_elf(img->elf, DWARF_C_READ, NULL);
	if (!d->dwarf)
		return err_set(err, EBADMSG, "libdw: %s", dwarf_errmsg(-1));
	open_others(d, images);
	debug_sections_get(&d->sections, img->elf);
	d->ranges_left = debug_entry_ranges_of(&d->sections);
	d->folder = images->folder ? strdup(images->folder) : NULL;
	return d->folder || !images->folder ? 0 : err_nomem(err);
}

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
	ret = open_sections(d, img, images, err);
	if (ret) {
		debuginfo_close(d);
		return ret;
	}
	*out = d;
	return 0;
}

int debuginfo_why(const struct debuginfo *d, struct err *err)
{
	if (err)
		*err = d->why;
	return -d->why.code;
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

/* -EBADMSG: not all of them can be read; -ENOMEM. */
static int read_units(struct debuginfo *d)
{
	Dwarf_CU *cu = NULL, *next;
	struct debug_unit *u;
	VEC(bool) has_ranges = {0};
	int ret = 0, added = 0, end = 0;
	bool all = true;
	Dwarf_Die die;
	uint8_t type;
	bool *t;

	while (added != -ENOMEM &&
	       !(end = dwarf_get_units(d->dwarf, cu, &next, NULL, &type, &die, NULL))) {
		cu = next;
		if (!has_code(type))
			continue;
		t = vec_push(&has_ranges);
		u = t ? vec_push(&d->units) : NULL;
		if (!u) {
			added = -ENOMEM;
			break;
		}
		u->die = die;
		added = debug_entry_ranges(&die, &d->index, d->units.nr - 1, t, &d->ranges_left);
		ret = added ? added : ret;
		all = all && *t;
	}
	if (added != -ENOMEM && !all && !add_aranges(d, has_ranges.v))
		added = -ENOMEM;
	vec_free(&has_ranges);
	if (added == -ENOMEM || !range_index_finish(&d->index))
		return -ENOMEM;
	return end < 0 ? -EBADMSG : ret;
}

static void index_units(struct debuginfo *d)
{
	int ret;

	if (d->indexed)
		return;
	d->indexed = true;
	ret = read_units(d);
	keep_why(&d->why, ret);
	d->no_memory = ret == -ENOMEM;
	if (d->no_memory)
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
	if (d->no_memory)
		return -ENOMEM;
	if (nr >= d->units.nr)
		return -ENOENT;
	die = &d->units.v[nr].die;
	if (!dwarf_attr(die, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &offset))
		return 0;
	ret = line_table_read(t, &d->sections, offset, debug_entry_string(die, DW_AT_comp_dir));
	t->marks &= has_statement_frontiers(debug_entry_string(die, DW_AT_producer));
	keep_why(&d->why, ret);
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

	a.no_memory = d->no_memory;
	if (!a.unit)
		return a;
	debug_unit_read(a.unit, &d->sections, &places, &d->ranges_left, &d->why);
	a.no_memory = a.unit->no_memory;
	a.row = line_table_find(&a.unit->lines, vaddr);
	a.function = debug_unit_find(a.unit, vaddr);
	if (a.function) {
		a.inlined =
			debug_function_find(a.function, &a.unit->entries, vaddr, &d->ranges_left);
		a.no_memory |= a.function->why == -ENOMEM;
		keep_why(&d->why, a.function->why);
	}
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
	return line_table_file(&u->lines, nr);
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
			.file = line_table_file(&a->unit->lines, e->file),
			.line = e->line,
		};
		i = e->parent;
	}
	out[nr].entry = &f->self;
	out[nr++].function = debug_entry_name(&f->self);
	return nr;
}

/* Did the unit lack memory for a path since it was last asked? */
static bool lacks_paths(struct debug_unit *u)
{
	bool lacks = u->lines.no_memory;

	u->lines.no_memory = false;
	return lacks;
}

static int no_memory(struct debuginfo *d)
{
	keep_why(&d->why, -ENOMEM);
	return -ENOMEM;
}

int debuginfo_find(struct debuginfo *d, u64 vaddr, struct debug_frame *out, u32 max)
{
	struct debug_answer a = answer_at(d, vaddr);
	u32 nr = 1, i;

	if (a.no_memory)
		return no_memory(d);
	if (!max || (!a.function && !a.row))
		return 0;
	out[0] = (struct debug_frame){.vaddr = vaddr};
	if (a.row) {
		out[0].file = line_table_file(&a.unit->lines, a.row->file);
		out[0].line = a.row->line;
	}
	if (a.function)
		nr = put_functions(&a, out, max);
	for (i = 0; a.function && i < nr; i++)
		if (out[i].entry->damaged)
			keep_why(&d->why, -EBADMSG);
	return lacks_paths(a.unit) ? no_memory(d) : (int)nr;
}

static void prefix_name(const struct debug_source *s, struct err *err)
{
	if (s->name)
		err_prefix(err, "%s", s->name);
}

/* `path` is below the root of `o`, or NULL. As debug_file_open_alt(). */
static int open_alt(struct debug_source *s, const char *path, const struct debug_file_options *o,
		    struct err *err)
{
	int ret = debug_file_open_alt(s->has_debug ? &s->debug : &s->image, path, o, &s->alt, err);

	s->has_alt = !ret;
	if (ret == -EBADMSG)
		prefix_name(s, err);
	return ret;
}

/* A package has the name of the program: "prog.dwp", and never that of "prog.debug" alone. */
static int open_beside(const char *path, struct image *package, struct err *err)
{
	struct buf name = {0};
	int ret;

	buf_adds(&name, path);
	buf_adds(&name, ".dwp");
	ret = name.failed ? err_nomem(err) : image_open(package, buf_str(&name), err);
	buf_free(&name);
	return ret;
}

/* The ids of its units say whose it is. -ENODATA: there is none. */
static int open_package(struct debug_source *s, const char *debug, struct err *err)
{
	char path[4096];
	int ret = image_path(&s->image, path, sizeof(path)) ? open_beside(path, &s->package, err)
							    : -ENOENT;

	if (is_absent(ret) && debug)
		ret = open_beside(debug, &s->package, err);
	s->has_package = !ret;
	return is_absent(ret) ? err_set(err, ENODATA, "no .dwp file") : ret;
}

/* Make what the open files say readable. `folder`: of the one with the debug sections; NULL: not known. */
static int open_info(struct debug_source *s, const char *folder, struct err *err)
{
	const struct debuginfo_images images = {
		.image = &s->image,
		.debug = s->has_debug ? &s->debug : NULL,
		.alt = s->has_alt ? &s->alt : NULL,
		.package = s->has_package ? &s->package : NULL,
		.folder = folder,
	};
	int ret = debuginfo_open(&s->info, &images, err);

	if (ret)
		prefix_name(s, err);
	return ret;
}

/* Keep the first error that is none of absence. */
static void keep_first(struct err *first, const struct err *why)
{
	if (!first->code && why->code != ENODATA)
		*first = *why;
}

/* The debug file, if the image has not all itself. */
static int open_debug(struct debug_source *s, const char *path, const struct debug_file_options *o,
		      struct err *first, struct err *why)
{
	int ret;

	/* before anything is looked for: what cannot be read looks as if it were not there */
	if (image_check(&s->image, why) && path)
		err_prefix(why, "%s", path);
	keep_first(first, why);
	if (debug_file_has(&s->image, DEBUG_FILE_DWARF))
		return 0;
	ret = debug_file_open(&s->image, path, o, DEBUG_FILE_DWARF, &s->debug, why);
	s->has_debug = !ret;
	return ret;
}

/* Likewise all others, and what they say. */
static int open_rest(struct debug_source *s, const char *path, const struct debug_file_options *o,
		     struct err *first, struct err *why)
{
	size_t root = o->root ? strlen(o->root) : 0;
	char real[4096];
	bool known = image_path(s->has_debug ? &s->debug : &s->image, real, sizeof(real));

	s->name = known || path ? strdup(known ? real : path) : NULL;
	if (s->has_debug)
		path = known ? real + (strncmp(real, o->root ? o->root : "", root) ? 0 : root)
			     : NULL;
	if (open_alt(s, path, o, why))
		keep_first(first, why);
	if (open_package(s, known ? real : NULL, why))
		keep_first(first, why);
	if (known)
		*strrchr(real, '/') = '\0';
	return open_info(s, known ? real : NULL, why);
}

int debug_source_open(struct debug_source *s, const struct image *image, const char *path,
		      const struct debug_file_options *o, struct err *err)
{
	struct err first = {0}, why = {0};
	int ret;

	*s = (struct debug_source){.image = *image};
	ret = open_debug(s, path, o, &first, &why);
	if (!ret)
		ret = open_rest(s, path, o, &first, &why);
	if (ret)
		keep_first(&first, &why);
	if (err)
		*err = first.code ? first : why;
	return first.code ? -first.code : ret;
}

int debug_source_why(const struct debug_source *s, struct err *err)
{
	int ret = s->info ? debuginfo_why(s->info, err) : 0;

	if (ret)
		prefix_name(s, err);
	return ret;
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
	free(s->name);
}

int debug_source_find(struct debug_source *s, u64 offset, struct debug_frame *out, u32 max)
{
	u64 vaddr;

	if (!s->info || !image_vaddr(&s->image, offset, &vaddr))
		return 0;
	return debuginfo_find(s->info, vaddr, out, max);
}
