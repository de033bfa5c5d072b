// SPDX-License-Identifier: GPL-2.0
#include "util/draw/flamegraph_internal.h"

#include "util/base/text.h"

static const char *const names[FLAMEGRAPH_TONES] = {
	"all",   "narrow", "plain", "user",  "kernel", "inlined", "made",  "group", "missing",
	"f0",    "f1",     "f2",    "f3",    "f4",     "f5",      "f6",    "f7",    "f8",
	"f9",    "other",  "less6", "less5", "less4",  "less3",   "less2", "less1", "same",
	"more1", "more2",  "more3", "more4", "more5",  "more6",
};

const char *flamegraph_tone_name(enum flamegraph_tone tone)
{
	return names[tone];
}

static void add_key(struct flamegraph_legend *legend, u32 tone, const char *s)
{
	legend->keys[legend->nr++] = (struct flamegraph_key){tone, s};
}

/* ---- by class ---- */

static void paint_classes(struct flamegraph_layout *l)
{
	struct flamegraph_box *b;

	for (b = l->boxes.v + 1; b < l->boxes.v + l->boxes.nr; b++)
		if (b->node != ID_NONE)
			b->tone = (u8)(FLAMEGRAPH_TONE_CLASS + flamegraph_layout_name(l, b).class);
}

/* `used`: by tone, whether a box has it. Frames of no class need a key only beside others. */
static void tell_classes(struct flamegraph_legend *legend, const bool *used)
{
	static const char *const words[] = {
		[FRAME_CLASS_USER] = "user",       [FRAME_CLASS_KERNEL] = "kernel",
		[FRAME_CLASS_INLINED] = "inlined", [FRAME_CLASS_MADE] = "JIT",
		[FRAME_CLASS_GROUP] = "group",     [FRAME_CLASS_MISSING] = "unknown",
	};
	const bool *class = used + FLAMEGRAPH_TONE_CLASS;
	u32 i;

	for (i = FRAME_CLASS_USER; i < ARRAY_SIZE(words); i++)
		if (class[i])
			add_key(legend, FLAMEGRAPH_TONE_CLASS + i, words[i]);
	if (class[FRAME_CLASS_PLAIN] && legend->nr)
		add_key(legend, FLAMEGRAPH_TONE_CLASS + FRAME_CLASS_PLAIN,
			class[FRAME_CLASS_USER] ? "other" : "user");
}

/* ---- by file ---- */

struct file_weight {
	u32 file; /* in the tree's names */
	u64 weight;
	const char *path;
};

static int by_weight(const void *a, const void *b)
{
	const struct file_weight *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(x->path, y->path);
}

/* The counts that end in each file; one entry for each name of the tree, the files first. */
static struct file_weight *weigh_files(const struct frame_tree *t, u32 *nr)
{
	struct file_weight *w = calloc(t->names.nr + (size_t)1, sizeof(*w));
	u32 i, used = 0;

	if (!w)
		return NULL;
	for (i = 0; i < t->labels.nr; i++)
		if (t->labels.v[i].file != ID_NONE)
			w[t->labels.v[i].file].path = strtab_get(&t->names, t->labels.v[i].file);
	for (i = 1; i < t->nodes.nr; i++) {
		u32 file = t->labels.v[t->nodes.v[i].label].file;

		if (file != ID_NONE)
			w[file].weight += t->nodes.v[i].self;
	}
	for (i = 0; i < t->names.nr; i++)
		if (w[i].path)
			w[used++] = (struct file_weight){i, w[i].weight, w[i].path};
	qsort(w, used, sizeof(*w), by_weight);
	*nr = used;
	return w;
}

static u8 tone_of_file(const struct file_weight *w, u32 nr, const struct frame_label *label)
{
	u32 i;

	if (label->class >= FRAME_CLASS_GROUP || label->file == ID_NONE)
		return (u8)(FLAMEGRAPH_TONE_CLASS + label->class);
	for (i = 0; i < MIN(nr, (u32)FLAMEGRAPH_TONE_FILES); i++)
		if (w[i].file == label->file)
			return (u8)(FLAMEGRAPH_TONE_FILE + i);
	return FLAMEGRAPH_TONE_OTHER;
}

static int paint_files(struct flamegraph_layout *l, struct flamegraph_legend *legend,
		       struct err *err)
{
	struct flamegraph_box *b;
	struct file_weight *w;
	u32 nr, i;

	w = weigh_files(l->tree, &nr);
	if (!w)
		return err_nomem(err);
	for (b = l->boxes.v + 1; b < l->boxes.v + l->boxes.nr; b++)
		if (b->node != ID_NONE)
			b->tone = tone_of_file(w, nr, frame_tree_node_label(l->tree, b->node));
	for (i = 0; i < MIN(nr, (u32)FLAMEGRAPH_TONE_FILES); i++)
		add_key(legend, FLAMEGRAPH_TONE_FILE + i, text_base_name(w[i].path));
	free(w);
	return 0;
}

static void tell_files(struct flamegraph_legend *legend, const bool *used)
{
	u32 i, kept = 0;

	for (i = 0; i < legend->nr; i++)
		if (used[legend->keys[i].tone])
			legend->keys[kept++] = legend->keys[i];
	legend->nr = kept;
	if (used[FLAMEGRAPH_TONE_OTHER])
		add_key(legend, FLAMEGRAPH_TONE_OTHER, "other files");
	if (used[FLAMEGRAPH_TONE_CLASS + FRAME_CLASS_KERNEL])
		add_key(legend, FLAMEGRAPH_TONE_CLASS + FRAME_CLASS_KERNEL, "kernel");
	if (used[FLAMEGRAPH_TONE_CLASS + FRAME_CLASS_GROUP])
		add_key(legend, FLAMEGRAPH_TONE_CLASS + FRAME_CLASS_GROUP, "group");
}

/* ---- by change ---- */

u32 flamegraph_tone_share(u64 n, u64 whole)
{
	return whole ? (u32)(((unsigned __int128)n * 10000 + whole / 2) / whole) : 0;
}

static s64 change_of(const struct flamegraph_layout *l, const struct flamegraph_box *b)
{
	return (s64)flamegraph_tone_share(b->total, l->tree->total) -
	       (s64)flamegraph_tone_share(b->old, l->tree->old_total);
}

static u64 size_of_change(s64 change)
{
	return (u64)(change < 0 ? -change : change);
}

/*
 * The step grows with the root of the change: most changes are small beside the greatest, and would
 * all look the same.
 */
static u8 tone_of_change(s64 change, u64 most)
{
	u64 size = size_of_change(change), step = 0;

	while (step * step * most < size * FLAMEGRAPH_TONE_STEPS * FLAMEGRAPH_TONE_STEPS)
		step++;
	return (u8)(FLAMEGRAPH_TONE_SAME + (change < 0 ? -(s64)step : (s64)step));
}

static void paint_changes(struct flamegraph_layout *l, struct flamegraph_legend *legend)
{
	struct flamegraph_box *b, *end = l->boxes.v + l->boxes.nr;
	u64 most = 0;
	u32 i;

	for (b = l->boxes.v; b < end; b++)
		if (b->node != ID_NONE)
			most = MAX(most, size_of_change(change_of(l, b)));
	for (b = l->boxes.v + 1; b < end; b++)
		if (b->node != ID_NONE)
			b->tone = tone_of_change(change_of(l, b), most);
	legend->most = (u32)most;
	for (i = FLAMEGRAPH_TONE_LESS; i < FLAMEGRAPH_TONES; i++)
		add_key(legend, i, "");
}

/* ---- all ---- */

static void shade(struct flamegraph_layout *l)
{
	struct flamegraph_box *b;

	for (b = l->boxes.v + 1; b < l->boxes.v + l->boxes.nr; b++) {
		struct flamegraph_name n;

		if (b->node == ID_NONE)
			continue;
		n = flamegraph_layout_name(l, b);
		b->shade = hash_bytes(n.s, n.len) % FLAMEGRAPH_TONE_SHADES;
	}
}

int flamegraph_tone_paint(enum flamegraph_colour colour, struct flamegraph_layout *l,
			  struct flamegraph_legend *legend, struct err *err)
{
	bool used[FLAMEGRAPH_TONES] = {false};
	const struct flamegraph_box *b;
	int ret = 0;

	*legend = (struct flamegraph_legend){0};
	if (!l->boxes.nr)
		return 0;
	for (b = l->boxes.v; b < l->boxes.v + l->boxes.nr; b++)
		l->boxes.v[b - l->boxes.v].tone =
			b->node == ID_NONE ? FLAMEGRAPH_TONE_NARROW : FLAMEGRAPH_TONE_ROOT;
	if (l->has_olds) {
		paint_changes(l, legend);
		return 0;
	}
	if (colour == FLAMEGRAPH_BY_FILE)
		ret = paint_files(l, legend, err);
	else
		paint_classes(l);
	shade(l);
	for (b = l->boxes.v; b < l->boxes.v + l->boxes.nr; b++)
		used[b->tone] = true;
	if (colour == FLAMEGRAPH_BY_FILE)
		tell_files(legend, used);
	else
		tell_classes(legend, used);
	return ret;
}
