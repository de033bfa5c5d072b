// SPDX-License-Identifier: GPL-2.0
#include "util/debuginfo/debug_places.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/debuginfo/debuginfo_internal.h"

#define FRAMES_MAX     64u
#define FILES_MAX      64u
#define STATEMENTS_MAX (4u << 20)
#define CANDIDATES_MAX (16u << 10) /* statements of a line */
#define LINES_MAX      2000u       /* of a function */
#define RUNS_MAX       8u          /* of lines, in a message */

/* --- paths --- */

/* Without "//", "." and "..", as far as that is known; NULL: memory is out. */
static char *plain_path(struct arena *a, const char *path)
{
	char *plain = arena_strdup(a, path), *to = plain, *last;
	const char *p = path;
	size_t n;

	if (!plain)
		return NULL;
	if (*p == '/')
		*to++ = '/';
	for (p += strspn(p, "/"); *p; p += n + strspn(p + n, "/")) {
		n = strcspn(p, "/");
		if (n == 1 && *p == '.')
			continue;
		*to = '\0';
		if (n == 2 && !memcmp(p, "..", 2) && to > plain + 1) {
			/* "/" stays */
			to[-1] = '\0';
			last = strrchr(plain, '/');
			to = last ? last + 1 : plain;
			continue;
		}
		memmove(to, p, n);
		to += n;
		if (p[n])
			*to++ = '/';
	}
	*to = '\0';
	return plain;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Is `end` the path, or the last parts of it? */
static bool ends_with(const char *path, const char *end)
{
	const size_t n = strlen(path), m = strlen(end);

	return m && m <= n && !strcmp(path + n - m, end) &&
	       (m == n || (*end != '/' && path[n - m - 1] == '/'));
}

/* --- the statements of a file --- */

struct search {
	struct debug_places *to;
	struct debug_source *s;
	const char *file, *base; /* as typed */
	struct text_suggest near;
	const char *other; /* a file with that name in another folder */
	bool has_table;
};

/* The number of a path that was typed; ID_NONE: it was not, or there are too many. */
static u32 file_number(struct debug_places *p, const char *path)
{
	const char **slot;
	u32 i;

	for (i = 0; i < p->files.nr; i++)
		if (!strcmp(p->files.v[i], path))
			return i;
	slot = p->files.nr < FILES_MAX ? vec_push(&p->files) : NULL;
	if (!slot)
		return ID_NONE;
	*slot = path;
	return p->files.nr - 1;
}

/* Of each file of the table, its number; `numbers` has room for all. Is any meant? */
static bool choose_files(struct search *x, struct line_table *t, u32 *numbers)
{
	const char *best = x->near.best, *path, *plain;
	bool any = false;
	u32 i;

	for (i = 0; i < t->files.nr; i++) {
		numbers[i] = ID_NONE;
		path = line_table_file(t, i);
		if (!path)
			continue;
		if (strcmp(last_part(path), x->base) != 0) {
			text_suggest_add(&x->near, last_part(path));
			continue;
		}
		plain = plain_path(&x->to->arena, path);
		if (plain && ends_with(plain, x->file))
			numbers[i] = file_number(x->to, plain);
		else
			x->other = plain;
		any |= numbers[i] != ID_NONE;
	}
	/* the table's names go with it */
	if (x->near.best != best)
		x->near.best = arena_strdup(&x->to->arena, x->near.best);
	return any;
}

static bool is_code(const struct image *img, u64 vaddr)
{
	u32 i;

	for (i = 0; i < img->loads.nr; i++)
		if (img->loads.v[i].p_flags & PF_X && vaddr >= img->loads.v[i].p_vaddr &&
		    vaddr - img->loads.v[i].p_vaddr < img->loads.v[i].p_filesz)
			return true;
	return false;
}

static int add_statements(struct search *x, const struct line_table *t, const u32 *numbers)
{
	struct debug_statement *to;
	const struct line_row *row;
	u32 i, j;

	/* rows behind the last sequence are of none */
	for (i = 0; i < t->sequences.nr; i++) {
		for (j = 0; j < t->sequences.v[i].nr; j++) {
			row = &t->rows.v[t->sequences.v[i].first + j];
			if (row->file >= t->files.nr || numbers[row->file] == ID_NONE ||
			    !row->line || !is_code(&x->s->image, row->addr))
				continue;
			if (x->to->statements.nr == STATEMENTS_MAX)
				return -E2BIG;
			to = vec_push(&x->to->statements);
			if (!to)
				return -ENOMEM;
			*to = (struct debug_statement){.vaddr = row->addr,
						       .line = row->line,
						       .file = numbers[row->file],
						       .column = row->column,
						       .marked = t->marks};
		}
	}
	return 0;
}

/* 1, or what debuginfo_unit_lines() returns. */
static int search_unit(struct search *x, u32 nr)
{
	struct line_table names = {.names_only = true}, rows = {.statements = true};
	u32 *numbers = NULL;
	int ret = debuginfo_unit_lines(x->s->info, nr, &names);

	if (ret > 0) {
		x->has_table = true;
		numbers = calloc(names.files.nr + 1, sizeof(*numbers));
		if (!numbers)
			ret = -ENOMEM;
		else if (choose_files(x, &names, numbers))
			ret = debuginfo_unit_lines(x->s->info, nr, &rows);
		if (ret > 0 && rows.files.nr == names.files.nr)
			ret = add_statements(x, &rows, numbers);
		ret = ret ? ret : 1;
	}
	free(numbers);
	line_table_free(&names);
	line_table_free(&rows);
	return ret;
}

static int by_address(const void *a, const void *b)
{
	const struct debug_statement *x = a, *y = b;

	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int no_file(const struct search *x, struct err *err)
{
	err_set(err, ENOENT, "no code comes from a file '%s'", x->file);
	if (x->other)
		err_hint(err, "there is %s", x->other);
	else if (x->near.best)
		err_hint(err, "did you mean '%s'?", x->near.best);
	else
		err_hint(err, "see which there are: readelf --debug-dump=decodedline FILE");
	return -ENOENT;
}

/* Which of the files has the line? */
static int choose_file(struct debug_places *p, const char *typed, struct err *err)
{
	bool found = false;
	u32 i;

	for (i = 0; i < p->statements.nr; i++) {
		if (p->statements.v[i].line != p->line)
			continue;
		if (found && p->statements.v[i].file != p->file) {
			err_set(err, ENOTUNIQ, "several files are called '%s'", typed);
			err_hint(err, "type more of the path: %s, or %s", p->files.v[p->file],
				 p->files.v[p->statements.v[i].file]);
			return -ENOTUNIQ;
		}
		p->file = p->statements.v[i].file;
		found = true;
	}
	return found;
}

static int by_line(const void *a, const void *b)
{
	const struct debug_line *x = a, *y = b;

	return x->line < y->line ? -1 : x->line > y->line;
}

static int no_line(const struct debug_places *p, const char *typed, struct err *err)
{
	u32 next[3] = {0}, before = 0, line, i, j, t;

	/* the lowest three behind it, and the one before */
	for (i = 0; i < p->statements.nr; i++) {
		line = p->statements.v[i].line;
		if (line < p->line)
			before = MAX(before, line);
		for (j = 0; line > p->line && j < ARRAY_SIZE(next) && line != next[j]; j++) {
			if (next[j] && line > next[j])
				continue;
			t = next[j];
			next[j] = line;
			line = t ? t : p->line;
		}
	}
	err_set(err, ENOENT, "line %u of %s has no code", p->line, typed);
	if (next[2])
		err_hint(err, "the next lines with code: %u, %u, %u", next[0], next[1], next[2]);
	else if (next[1])
		err_hint(err, "the next lines with code: %u, %u", next[0], next[1]);
	else if (next[0])
		err_hint(err, "the next line with code: %u", next[0]);
	else if (before)
		err_hint(err, "the last line with code: %u", before);
	else
		err_hint(err, "no code comes from this file; what it declares has none");
	return -ENOENT;
}

/* --- places --- */

/* What a statement is part of. */
struct part {
	struct debug_entry *outer, *entry;
	const char *name;
	u64 distance;   /* from the beginning of the function */
	bool no_memory; /* so it is not known */
};

struct choice {
	struct debug_entry *entry;
	u32 line;     /* of its declaration */
	bool inlined; /* some of them are */
	bool unknown; /* of some function it is not known where it is declared */
	bool below;   /* one is declared below the line */
};

/* Of the functions at an address, if they are in `outer`, the one that is declared nearest above the line. False: no memory. */
static bool choose_function(const struct debug_places *p, struct debug_source *s,
			    const struct debug_statement *of, u64 vaddr,
			    const struct debug_entry *outer, struct arena *scratch,
			    struct choice *c)
{
	struct debug_frame frames[FRAMES_MAX];
	const int nr = debuginfo_find(s->info, vaddr, frames, FRAMES_MAX);
	const char *path;
	u32 line;
	int i;

	if (nr <= 0 || frames[nr - 1].entry != outer)
		return nr >= 0;
	c->inlined |= nr > 1;
	for (i = 0; i < nr; i++) {
		path = debuginfo_declared(s->info, &frames[i], &line);
		c->unknown |= !path;
		if (!path)
			continue;
		path = plain_path(scratch, path);
		if (!path)
			return false;
		if (strcmp(path, p->files.v[of->file]) != 0)
			continue;
		c->below |= line > of->line;
		if (line > of->line || line <= c->line)
			continue;
		c->line = line;
		c->entry = frames[i].entry;
	}
	return true;
}

/*
 * A statement of a caller and the first one of what was inlined there may begin at the same address; and one without code of its
 * own has that of the next, which may be behind what was inlined. Functions of C are not within one another: of those there and right
 * before that are declared above the line, it is of the last.
 */
static struct part part_of(const struct debug_places *p, struct debug_source *s,
			   const struct debug_statement *of, struct arena *scratch)
{
	struct debug_frame frames[FRAMES_MAX];
	const int nr = debuginfo_find(s->info, of->vaddr, frames, FRAMES_MAX);
	struct part part = {.distance = of->vaddr, .no_memory = nr < 0};
	struct choice c = {0};

	if (nr <= 0 || !frames[nr - 1].entry)
		return part;
	part.outer = frames[nr - 1].entry;
	part.name = frames[nr - 1].function;
	part.distance = of->vaddr - debug_entry_begin(part.outer);
	part.no_memory = !choose_function(p, s, of, of->vaddr, part.outer, scratch, &c) ||
			 !choose_function(p, s, of, of->vaddr - 1, part.outer, scratch, &c);
	if (c.unknown ? !c.inlined : !c.entry && !c.below)
		part.entry = frames[0].entry;
	else if (!c.unknown)
		part.entry = c.entry;
	return part;
}

/* A place that may replace one of the same function. */
struct candidate {
	struct part part;
	const struct debug_statement *at;
};

static int by_entry(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->part.entry != y->part.entry)
		return (uintptr_t)x->part.entry < (uintptr_t)y->part.entry ? -1 : 1;
	if (x->part.distance != y->part.distance)
		return x->part.distance < y->part.distance ? -1 : 1;
	return x->at->column < y->at->column ? -1 : x->at->column > y->at->column;
}

static int by_place(const void *a, const void *b)
{
	const struct debug_place *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

static int too_many(const struct debug_places *p, struct err *err)
{
	err_set(err, E2BIG, "line %u is at more than %u places", p->line, DEBUG_PLACES_MAX);
	err_hint(err, "probe a line of what calls it, or an address");
	return -E2BIG;
}

/* Is it a place, of which `first` is the first of the same function? */
static bool is_place(const struct candidate *c, const struct candidate *first)
{
	return c == first || !c->part.entry ||
	       (c->at->marked && c->at->column == first->at->column);
}

static int add_candidates(struct debug_places *p, const struct candidate *all, u32 nr,
			  struct err *err)
{
	const struct candidate *c, *first = all;
	struct debug_place *to;

	for (c = all; c < all + nr; c++) {
		if (c->part.entry != first->part.entry)
			first = c;
		if (!is_place(c, first))
			continue;
		if (p->v.nr == DEBUG_PLACES_MAX)
			return too_many(p, err);
		to = vec_push(&p->v);
		if (!to)
			return err_nomem(err);
		*to = (struct debug_place){c->at->vaddr, c->part.name, c->part.outer,
					   c->part.entry};
	}
	return 0;
}

static int add_places(struct debug_places *p, struct debug_source *s, struct err *err)
{
	VEC(struct candidate) all = {0};
	const struct debug_statement *of;
	struct candidate *c;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < p->statements.nr; i++) {
		of = &p->statements.v[i];
		if (of->line != p->line || of->file != p->file)
			continue;
		if (all.nr == CANDIDATES_MAX) {
			ret = too_many(p, err);
			break;
		}
		c = vec_push(&all);
		if (c)
			*c = (struct candidate){part_of(p, s, of, &p->arena), of};
		if (!c || c->part.no_memory)
			ret = err_nomem(err);
	}
	if (all.nr)
		qsort(all.v, all.nr, sizeof(*all.v), by_entry);
	if (!ret)
		ret = add_candidates(p, all.v, all.nr, err);
	if (p->v.nr)
		qsort(p->v.v, p->v.nr, sizeof(*p->v.v), by_place);
	vec_free(&all);
	return ret;
}

bool debug_places_share(const struct debug_places *p, u64 vaddr)
{
	const struct debug_statement *s = p->statements.v;
	u32 low = 0, high = p->statements.nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (s[middle].vaddr < vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low + 1 < p->statements.nr && s[low + 1].vaddr == vaddr; low++)
		if (s[low].line != s[low + 1].line)
			return true;
	return false;
}

/* Two functions may have the line at one address, the one that was inlined and its caller: it is probed once. */
static void merge_places(struct debug_places *p)
{
	u32 i, nr = 0;

	for (i = 0; i < p->v.nr; i++)
		if (!nr || p->v.v[nr - 1].vaddr != p->v.v[i].vaddr)
			p->v.v[nr++] = p->v.v[i];
	p->v.nr = nr;
}

int debug_places_find(struct debug_places *p, struct debug_source *s, const char *file, u32 line,
		      struct err *err)
{
	struct search x = {.to = p, .s = s};
	u32 i;
	int ret = 1;

	*p = (struct debug_places){.line = line};
	x.file = plain_path(&p->arena, file);
	if (!x.file)
		return err_nomem(err);
	x.base = last_part(x.file);
	text_suggest_init(&x.near, x.base);
	for (i = 0; s->info && ret >= 0; i++)
		ret = search_unit(&x, i);
	if (ret == -E2BIG) {
		err_set(err, E2BIG, "%s has too much code", x.file);
		err_hint(err, "probe an address, or a function");
		return -E2BIG;
	}
	if (s->info && ret != -ENOENT)
		return err_nomem(err);
	if (!x.has_table) {
		err_set(err, ENODATA, "the file has no debug information of its lines");
		err_hint(err, "compile it with -g, or install its debug file");
		return -ENODATA;
	}
	if (!p->files.nr)
		return no_file(&x, err);
	if (p->statements.nr)
		qsort(p->statements.v, p->statements.nr, sizeof(*p->statements.v), by_address);
	ret = choose_file(p, x.file, err);
	if (ret <= 0)
		return ret ? ret : no_line(p, x.file, err);
	ret = add_places(p, s, err);
	merge_places(p);
	return ret;
}

void debug_places_free(struct debug_places *p)
{
	vec_free(&p->v);
	vec_free(&p->files);
	vec_free(&p->statements);
	arena_free(&p->arena);
}

/* --- lines of a function --- */

/* The distances are parallel to the lines. */
static int add_line(struct debug_lines *out, u64 *distances, const struct debug_statement *of,
		    u64 distance)
{
	struct debug_line *to;
	u32 i;

	for (i = 0; i < out->v.nr && out->v.v[i].line != of->line; i++)
		;
	if (i < out->v.nr && distances[i] <= distance)
		return 0;
	if (i == LINES_MAX)
		return 0;
	to = i < out->v.nr ? &out->v.v[i] : vec_push(&out->v);
	if (!to)
		return -ENOMEM;
	*to = (struct debug_line){of->line, of->vaddr};
	distances[i] = distance;
	return 0;
}

int debug_places_lines(const struct debug_places *p, struct debug_source *s,
		       const struct debug_place *of, struct debug_lines *out)
{
	u64 *distances = calloc(LINES_MAX, sizeof(*distances));
	const struct debug_statement *one;
	struct arena scratch = {0};
	struct part part;
	u32 i;
	int ret = distances ? 0 : -ENOMEM;

	*out = (struct debug_lines){0};
	for (i = 0; !ret && of->outer && i < p->statements.nr; i++) {
		one = &p->statements.v[i];
		if (one->file != p->file || dwarf_haspc(&of->outer->die, one->vaddr) != 1)
			continue;
		part = part_of(p, s, one, &scratch);
		if (part.no_memory)
			ret = -ENOMEM;
		else if (part.entry == of->entry)
			ret = add_line(out, distances, one, part.distance);
	}
	if (out->v.nr)
		qsort(out->v.v, out->v.nr, sizeof(*out->v.v), by_line);
	arena_free(&scratch);
	free(distances);
	return ret;
}

void debug_lines_text(const struct debug_lines *l, const bool *is, struct buf *out)
{
	u32 i, first, runs = 0;

	for (i = 0; i < l->v.nr; i++) {
		if (!is[i])
			continue;
		if (runs++ == RUNS_MAX) {
			buf_adds(out, ", ...");
			return;
		}
		for (first = i; i + 1 < l->v.nr && is[i + 1];)
			i++;
		buf_addf(out, "%s%u", runs > 1 ? ", " : "", l->v.v[first].line);
		if (i > first)
			buf_addf(out, "-%u", l->v.v[i].line);
	}
}
