// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/format/brief_internal.h"

/*
 * How lines rank: of a list the first row, and what each further one adds. What makes all others wrong comes directly
 * behind the finding.
 */
static const struct rank {
	double first, step;
} ranks[] = {
	[BRIEF_FINDING] = {0.2, 5}, [BRIEF_DAMAGE] = {1, 6},   [BRIEF_LOSS] = {1.5, 6},
	[BRIEF_EVENT] = {2, 0},     [BRIEF_STACKS] = {14, 4},  [BRIEF_RECORDED] = {2.8, 0},
	[BRIEF_FIELD] = {3, 2},     [BRIEF_CHOSEN] = {3.5, 1}, [BRIEF_SELF] = {4, 2},
	[BRIEF_PATH] = {5, 0},      [BRIEF_MACHINE] = {6, 0},  [BRIEF_COMMS] = {7, 0},
	[BRIEF_FILES] = {11.5, 0},  [BRIEF_NEXT] = {9, 0},     [BRIEF_CHILDREN] = {9.5, 1.8},
	[BRIEF_THREADS] = {12, 0},
};

#define POOR_STACKS 2.5
/* Even an event with hardly any samples has some lines. */
#define EVENT_SHARE_MIN 0.2
#define SMALL_PERCENT   1.0
#define LEAST_PERCENT   0.1 /* of the functions that are shown, but for the first */
#define SMALL_LATER     12
/* The findings of many events leave room for what else there is. */
#define FINDING_STEP 0.55

const char *brief_line_text(const struct brief *b, enum brief_kind kind, u32 event)
{
	switch (kind) {
	case BRIEF_FINDING:
		return b->events.v[event].finding;
	case BRIEF_DAMAGE:
		return b->damage;
	case BRIEF_LOSS:
		return b->loss;
	case BRIEF_STACKS:
		return b->stacks.text;
	case BRIEF_CHOSEN:
		return b->chosen;
	case BRIEF_NEXT:
		return b->next;
	default:
		return NULL;
	}
}

/*
 * How much of a text fits into a line: as many of its parts as there is room for, else words, else a part of one. `least`:
 * parts that are shorter go on with words.
 */
static size_t part_length(const char *text, size_t least)
{
	const size_t max = BRIEF_COLUMNS - BRIEF_LABEL, len = strlen(text);
	size_t fits = 0, whole = 0, end;

	if (text_width(text, len) <= max)
		return len;
	for (end = 0; end <= len; end++) {
		if (text[end] != ' ' && text[end])
			continue;
		if (text_width(text, end) > max)
			break;
		fits = end;
		if (end && text[end - 1] == ';')
			whole = end;
	}
	if (whole > least)
		return whole;
	return fits ? fits : text_cut(text, len, max);
}

const char *brief_line_part(enum brief_kind kind, const char *text, u32 index, size_t *len)
{
	/* a command is typed as a whole */
	const size_t least = kind == BRIEF_NEXT ? 0 : (BRIEF_COLUMNS - BRIEF_LABEL) / 2;

	if (!text || !*text)
		return NULL;
	for (;; text += *len) {
		text += strspn(text, " ");
		if (!*text)
			return NULL;
		*len = part_length(text, least);
		if (!index--)
			return text;
	}
}

static bool add_line(struct brief_lines *l, const struct brief_line *line)
{
	struct brief_line *to = vec_push(&l->v);

	if (to)
		*to = *line;
	return to != NULL;
}

/* Lines of a kind that has so many of them. `share`: of the samples, an event's; events have their lines one after the other. */
static bool add_rows(struct brief_lines *l, enum brief_kind kind, u32 event, u64 nr, double share)
{
	struct brief_line line = {.kind = kind, .event = event};
	u32 i;

	for (i = 0; i < nr; i++) {
		line.index = i;
		line.rank =
			(ranks[kind].first + ranks[kind].step * i) / share + FINDING_STEP * event;
		if (!add_line(l, &line))
			return false;
	}
	return true;
}

/* Functions; those that hardly count come behind all that does. */
static bool add_functions(struct brief_lines *l, enum brief_kind kind, u32 event,
			  const struct brief_list *list, double share)
{
	u32 i, from = l->v.nr, nr = list->v.nr;

	while (nr > 1 && list->v.v[nr - 1].percent < LEAST_PERCENT)
		nr--;
	if (!add_rows(l, kind, event, nr, share))
		return false;
	for (i = 0; i < nr; i++)
		if (list->v.v[i].percent < SMALL_PERCENT)
			l->v.v[from + i].rank += SMALL_LATER;
	return true;
}

static bool add_text(struct brief_lines *l, const struct brief *b, enum brief_kind kind, u32 event,
		     double later)
{
	const char *text = brief_line_text(b, kind, event);
	struct brief_line line = {.kind = kind, .event = event, .rank = ranks[kind].first + later};
	size_t len;

	if (kind == BRIEF_STACKS && b->stacks.poor)
		line.rank = POOR_STACKS;
	for (; brief_line_part(kind, text, line.index, &len); line.index++) {
		if (!add_line(l, &line))
			return false;
		line.rank += ranks[kind].step;
	}
	return true;
}

static bool add_event(struct brief_lines *l, const struct brief *b, u32 event, u64 most)
{
	const struct brief_event *e = &b->events.v[event];
	double share = most ? (double)e->counts.samples / (double)most : 1;

	share = MAX(share, EVENT_SHARE_MIN);
	return add_text(l, b, BRIEF_FINDING, event, FINDING_STEP * event) &&
	       add_rows(l, BRIEF_EVENT, event, !e->tracepoint, share) &&
	       add_rows(l, BRIEF_FIELD, event, e->nr_fields, share) &&
	       add_functions(l, BRIEF_SELF, event, &e->self, share) &&
	       add_functions(l, BRIEF_CHILDREN, event, &e->children, share) &&
	       add_rows(l, BRIEF_PATH, event, e->path.v.nr > 0, share) &&
	       add_rows(l, BRIEF_FILES, event, e->files.v.nr > 0, share) &&
	       add_rows(l, BRIEF_COMMS, event, e->comms.v.nr > 0, share) &&
	       add_rows(l, BRIEF_THREADS, event, e->threads.v.nr > 0, share);
}

static bool add_all(struct brief_lines *l, const struct brief *b)
{
	static const enum brief_kind texts[] = {BRIEF_CHOSEN, BRIEF_DAMAGE, BRIEF_LOSS,
						BRIEF_STACKS, BRIEF_NEXT};
	const struct brief_machine *m = &b->machine;
	u64 most = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (!add_text(l, b, texts[i], 0, 0))
			return false;
	if (!add_rows(l, BRIEF_RECORDED, 0, m->command_line != NULL, 1) ||
	    !add_rows(l, BRIEF_MACHINE, 0, m->host || m->release || m->cpus || m->when, 1))
		return false;
	for (i = 0; i < b->events.nr; i++)
		most = MAX(most, b->events.v[i].counts.samples);
	for (i = 0; i < b->events.nr; i++)
		if (!add_event(l, b, i, most))
			return false;
	return true;
}

static int by_rank(const void *a, const void *b)
{
	const struct brief_line *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : (int)x->index - (int)y->index;
}

static u32 part_of(const struct brief_line *l)
{
	if (l->kind >= BRIEF_OTHERS)
		return UINT32_MAX;
	if (l->kind == BRIEF_FINDING && !l->event)
		return 0;
	return l->kind > BRIEF_FINDING && l->kind < BRIEF_EVENT ? 1 : 2 + l->event;
}

static int by_place(const void *a, const void *b)
{
	const struct brief_line *x = a, *y = b;
	u32 p = part_of(x), q = part_of(y);

	if (p != q)
		return p < q ? -1 : 1;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : (int)x->index - (int)y->index;
}

static void count_rows(struct brief *b)
{
	const struct brief_line *l;
	struct brief_event *e;
	u32 i;

	for (i = 0; i < b->lines->v.nr; i++) {
		l = &b->lines->v.v[i];
		e = b->events.nr ? &b->events.v[l->event] : NULL;
		if (l->kind == BRIEF_SELF)
			e->self.shown = l->index + 1;
		else if (l->kind == BRIEF_CHILDREN)
			e->children.shown = l->index + 1;
		else if (l->kind == BRIEF_FIELD)
			e->fields[l->index].shown = e->fields[l->index].v.nr;
		else if (l->kind == BRIEF_PATH)
			e->path.shown = e->path.v.nr;
		else if (l->kind == BRIEF_FILES)
			e->files.shown = e->files.v.nr;
		else if (l->kind == BRIEF_COMMS)
			e->comms.shown = e->comms.v.nr;
		else if (l->kind == BRIEF_THREADS)
			e->threads.shown = e->threads.v.nr;
	}
}

/* Numbers of switches say the least. */
static int by_samples(const void *a, const void *b)
{
	const struct brief_event *x = a, *y = b;

	if (x->off_cpu != y->off_cpu)
		return x->off_cpu ? 1 : -1;
	if (x->counts.samples != y->counts.samples)
		return x->counts.samples > y->counts.samples ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Events behind the last one that has a line. */
static u32 count_others(const struct brief *b)
{
	u32 i, nr = 0;

	for (i = 0; i < b->lines->v.nr; i++)
		if (b->lines->v.v[i].kind == BRIEF_FINDING || b->lines->v.v[i].kind >= BRIEF_EVENT)
			nr = MAX(nr, b->lines->v.v[i].event + 1);
	return b->events.nr - nr;
}

int brief_choose(struct brief *b, u64 lines, struct err *err)
{
	struct brief_lines *l = b->lines = calloc(1, sizeof(*b->lines));
	const struct brief_line others = {.kind = BRIEF_OTHERS};

	if (b->events.nr)
		qsort(b->events.v, b->events.nr, sizeof(*b->events.v), by_samples);
	if (!l || !add_all(l, b))
		return err_nomem(err);
	if (!l->v.nr)
		return 0;
	qsort(l->v.v, l->v.nr, sizeof(*l->v.v), by_rank);
	l->v.nr = (u32)MIN((u64)l->v.nr, lines);
	/* that there are more is a line, too */
	if (count_others(b) && l->v.nr > 1) {
		l->v.v[l->v.nr - 1] = others;
		b->others = count_others(b);
	}
	qsort(l->v.v, l->v.nr, sizeof(*l->v.v), by_place);
	count_rows(b);
	return 0;
}

bool brief_line_goes_on(const struct brief *b, u32 line)
{
	const struct brief_line *l = &b->lines->v.v[line];

	return line + 1 < b->lines->v.nr && l[1].kind == l->kind && l[1].event == l->event;
}

static void free_event(struct brief_event *e)
{
	u32 i;

	vec_free(&e->self.v);
	vec_free(&e->children.v);
	vec_free(&e->path.v);
	vec_free(&e->files.v);
	vec_free(&e->comms.v);
	vec_free(&e->threads.v);
	for (i = 0; i < BRIEF_FIELDS_MAX; i++)
		vec_free(&e->fields[i].v);
}

void brief_free(struct brief *b)
{
	u32 i;

	for (i = 0; i < b->events.nr; i++)
		free_event(&b->events.v[i]);
	vec_free(&b->events);
	if (b->lines)
		vec_free(&b->lines->v);
	free(b->lines);
	arena_free(&b->arena);
	*b = (struct brief){0};
}
