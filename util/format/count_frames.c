// SPDX-License-Identifier: GPL-2.0
#include "util/format/count_frames.h"

#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/format/stack_frames.h"
#include "util/profile/frame_text.h"

static const char cut[] = "[truncated]";

/* A frame and what is to be shown of the functions that were inlined there, innermost first. */
struct shown {
	const struct frame *frame; /* NULL: what is there is not known */
	const struct place *inlined;
	u32 nr_inlined;
};

static struct shown show(const struct count_stacks *s, struct stack_frame c, struct buf *out)
{
	struct symboliser *r = s->tree->symboliser;
	struct shown v = {0};

	if (c.frame >= r->frames.nr)
		return v;
	if (c.inlines && !symboliser_places(r, c.frame))
		out->failed = true;
	v.frame = &r->frames.v[c.frame];
	/* what has no name shows none of what is in it */
	if (c.inlines && v.frame->symbol && v.frame->place != ID_NONE && v.frame->nr_places) {
		v.inlined = &r->places.v[v.frame->place];
		v.nr_inlined = v.frame->nr_places - 1u;
	}
	return v;
}

static const struct process_model *model_of(const struct count_stacks *s)
{
	return s->tree->symboliser->model;
}

static const struct dso *dso_of(const struct count_stacks *s, const struct frame *f)
{
	return f->dso == ID_NONE ? NULL : &model_of(s)->dsos.v[f->dso];
}

static void put_address(const struct frame *f, const char *indent, struct buf *out)
{
	buf_adds(out, indent);
	buf_hex(out, f->ip, 16);
	buf_addc(out, ' ');
}

static void put_lines(const struct count_stacks *s, const struct shown *v, const char *indent,
		      struct buf *out)
{
	struct frame inlined;
	u32 i;

	for (i = 0; i < v->nr_inlined; i++) {
		inlined = *v->frame;
		inlined.symbol = v->inlined[i].function;
		put_address(v->frame, indent, out);
		frame_text_symbol(&inlined, false, out);
		buf_adds(out, " (inlined)\n");
	}
	put_address(v->frame, indent, out);
	frame_text_symbol(v->frame, true, out);
	buf_adds(out, " (");
	frame_text_dso(model_of(s), v->frame, false, out);
	buf_adds(out, ")\n");
}

void count_frames_lines(const struct count_stacks *s, u32 stack, const char *indent,
			struct buf *out)
{
	const struct stack_frame *f;
	struct shown v;
	u32 nr, i;

	f = count_stacks_frames(s, stack, &nr);
	if (!nr) {
		buf_adds(out, indent);
		buf_adds(out, "-\n");
	}
	for (i = 0; i < nr; i++) {
		v = show(s, f[i], out);
		if (v.frame) {
			put_lines(s, &v, indent, out);
		} else {
			buf_adds(out, indent);
			buf_pad(out, ' ', 17);
			buf_adds(out, cut);
			buf_addc(out, '\n');
		}
	}
}

/* `inlined`: the function that was inlined there, NULL: its own. */
static void put_object(const struct count_stacks *s, const struct frame *f,
		       const struct place *inlined, struct buf *out)
{
	const char *symbol = inlined ? inlined->function : f->symbol;
	const struct dso *dso = dso_of(s, f);

	json_open_item(out, '{');
	json_put_address(out, "ip", f->ip);
	if (symbol)
		json_put_name(out, "symbol", symbol);
	if (symbol && !inlined)
		json_put_unsigned(out, "offset", f->offset);
	if (dso)
		json_put_name(out, "dso", dso->name);
	if (inlined)
		json_put_bool(out, "inlined", true);
	buf_addc(out, '}');
}

void count_frames_json(const struct count_stacks *s, u32 stack, struct buf *out)
{
	const struct stack_frame *f;
	struct shown v;
	u32 nr, i, k;

	f = count_stacks_frames(s, stack, &nr);
	json_open(out, '[');
	for (i = 0; i < nr; i++) {
		v = show(s, f[i], out);
		for (k = 0; k < v.nr_inlined; k++)
			put_object(s, v.frame, &v.inlined[k], out);
		if (v.frame) {
			put_object(s, v.frame, NULL, out);
		} else {
			json_item(out);
			buf_adds(out, "{\"truncated\":true}");
		}
	}
	buf_addc(out, ']');
}

/* A name in a folded line, behind a ';' if it is not the first. */
static void put_folded(const char *name, size_t len, size_t start, struct buf *out)
{
	size_t at;

	if (out->len > start)
		buf_addc(out, ';');
	at = out->len;
	text_escape(out, name, len);
	for (; at < out->len && !out->failed; at++)
		if (out->data[at] == ';')
			out->data[at] = ':';
}

static void put_folded_frame(const struct count_stacks *s, const struct shown *v, bool marked,
			     size_t start, struct buf *out)
{
	struct buf name = {0};
	u32 i;

	stack_frames_name(v->frame, dso_of(s, v->frame), &name);
	if (marked && v->frame->kind == FRAME_KERNEL)
		buf_adds(&name, "_[k]");
	put_folded(buf_str(&name), name.len, start, out);
	out->failed |= name.failed;
	buf_free(&name);
	for (i = v->nr_inlined; i-- > 0;) {
		put_folded(v->inlined[i].function ? v->inlined[i].function : "[unknown]",
			   strlen(v->inlined[i].function ? v->inlined[i].function : "[unknown]"),
			   start, out);
		if (marked)
			buf_adds(out, "_[i]");
	}
}

void count_frames_folded(const struct count_stacks *s, u32 stack, unsigned int how, struct buf *out)
{
	const struct stack_frame *f;
	size_t start = out->len;
	struct shown v;
	u32 nr, i;

	f = count_stacks_frames(s, stack, &nr);
	for (i = 0; i < nr; i++) {
		v = show(s, f[how & COUNT_FRAMES_INVERTED ? i : nr - 1 - i], out);
		if (v.frame)
			put_folded_frame(s, &v, how & COUNT_FRAMES_MARKED, start, out);
		else
			put_folded(cut, strlen(cut), start, out);
	}
}

void count_frames_innermost(const struct count_stacks *s, u32 stack, struct buf *out)
{
	const struct stack_frame *f;
	struct shown v;
	u32 nr;

	f = count_stacks_frames(s, stack, &nr);
	if (!nr) {
		buf_addc(out, '-');
		return;
	}
	v = show(s, f[0], out);
	if (v.frame)
		stack_frames_name(v.frame, dso_of(s, v.frame), out);
	else
		buf_adds(out, cut);
}
