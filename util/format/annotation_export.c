// SPDX-License-Identifier: GPL-2.0
#include "util/format/annotation_export.h"

#include <string.h>

#include "util/base/json.h"
#include "util/base/num.h"
#include "util/base/text.h"

static const char *const kinds[] = {
	[INSN_OTHER] = "other",   [INSN_JUMP] = "jump", [INSN_CALL] = "call",
	[INSN_RETURN] = "return", [INSN_DATA] = "data",
};

#define DECIMALS 4
/* Bytes of a name, a path or a line of source: each may be repeated as often as there are instructions. */
#define CELL_MAX 1000

void annotation_export_begin(const struct annotation_export *x, struct buf *out)
{
	if (x->csv) {
		buf_adds(
			out,
			"address,samples,period,percent,line,event,dso,symbol,instruction,file,inlined\n");
		return;
	}
	json_open(out, '{');
	json_put_string(out, "file", x->path);
	json_put_open(out, "functions", '[');
}

/* Of a path the end is what counts. */
static const char *path_end(const char *path)
{
	const size_t len = strlen(path);

	if (len <= CELL_MAX)
		return path;
	for (path += len - CELL_MAX; (*path & 0xc0) == 0x80; path++)
		;
	return path;
}

static void put_name(const char *key, const char *s, struct buf *out)
{
	json_key(out, key);
	json_name(out, s, text_cut(s, strlen(s), CELL_MAX));
}

static void put_line(const struct annotation_export *x, const struct annotation *a,
		     const struct annotation_line *l, struct buf *out)
{
	size_t len = 0;
	const char *s = x->sources ? source_text_line(x->sources, l->file, l->line, &len) : NULL;

	json_open_item(out, '{');
	put_name("file", path_end(l->file), out);
	json_put_unsigned(out, "line", l->line);
	if (l->inlined) {
		put_name("inlined", l->inlined, out);
		if (l->at_file) {
			put_name("at_file", path_end(l->at_file), out);
			json_put_unsigned(out, "at_line", l->at_line);
		}
	}
	json_put_unsigned(out, "samples", l->samples);
	json_put_unsigned(out, "period", l->weight);
	json_put_fixed(out, "percent", num_percent(l->weight, a->weight), DECIMALS);
	if (s) {
		json_key(out, "source");
		json_string(out, s, text_cut(s, len, CELL_MAX));
		if (len > CELL_MAX)
			json_put_bool(out, "source_cut", true);
	}
	buf_addc(out, '}');
}

static void put_insn(const struct annotation *a, const struct annotation_insn *i, struct buf *out)
{
	json_open_item(out, '{');
	json_put_address(out, "address", i->addr);
	json_put_unsigned(out, "size", i->size);
	json_put_string(out, "text", annotation_text(a, i));
	json_put_string(out, "kind", kinds[i->kind]);
	if (i->to)
		json_put_address(out, "to", i->to);
	json_put_unsigned(out, "samples", i->samples);
	json_put_unsigned(out, "period", i->weight);
	json_put_fixed(out, "percent", num_percent(i->weight, a->weight), DECIMALS);
	if (i->line != ID_NONE)
		json_put_unsigned(out, "line", i->line);
	buf_addc(out, '}');
}

static void put_json(const struct annotation_export *x, const struct annotation_heading *h,
		     const struct annotation *a, const struct err *why, struct buf *out)
{
	u32 i;

	json_open_item(out, '{');
	json_put_name(out, "event", h->event);
	json_put_name(out, "dso", h->dso);
	json_put_name(out, "symbol", h->symbol);
	json_put_unsigned(out, "samples", h->samples);
	json_put_unsigned(out, "period", h->weight);
	json_put_fixed(out, "percent", num_percent(h->weight, h->all_weight), DECIMALS);
	if (!a) {
		json_put_string(out, "why", why->msg);
		buf_addc(out, '}');
		return;
	}
	if (a->code_file)
		json_put_name(out, "code_file", a->code_file);
	if (a->cut)
		json_put_unsigned(out, "bytes_cut", a->cut);
	if (a->outside)
		json_put_unsigned(out, "samples_outside", a->outside);
	json_put_open(out, "lines", '[');
	for (i = 0; x->sources && i < a->lines.nr; i++) {
		put_line(x, a, &a->lines.v[i], out);
		x->flush(x->arg);
	}
	buf_addc(out, ']');
	json_put_open(out, "instructions", '[');
	for (i = 0; i < a->insns.nr; i++) {
		put_insn(a, &a->insns.v[i], out);
		x->flush(x->arg);
	}
	buf_adds(out, "]}");
}

static void csv_cell(const char *s, struct buf *out)
{
	buf_addc(out, ',');
	if (s)
		text_csv(out, s, text_cut(s, strlen(s), CELL_MAX));
}

static void put_csv(const struct annotation_export *x, const struct annotation_heading *h,
		    const struct annotation *a, struct buf *out)
{
	const struct annotation_line *l;
	const struct annotation_insn *i;
	u32 k;

	for (k = 0; k < a->insns.nr; k++) {
		i = &a->insns.v[k];
		l = i->line == ID_NONE ? NULL : &a->lines.v[i->line];
		buf_addf(out, "0x%llx,%llu,%llu,", (unsigned long long)i->addr,
			 (unsigned long long)i->samples, (unsigned long long)i->weight);
		json_fixed(out, num_percent(i->weight, a->weight), DECIMALS);
		buf_addc(out, ',');
		if (l)
			buf_dec(out, l->line, 0);
		csv_cell(h->event, out);
		csv_cell(h->dso, out);
		csv_cell(h->symbol, out);
		csv_cell(annotation_text(a, i), out);
		csv_cell(l ? path_end(l->file) : NULL, out);
		csv_cell(l ? l->inlined : NULL, out);
		buf_addc(out, '\n');
		x->flush(x->arg);
	}
}

void annotation_export_put(const struct annotation_export *x, const struct annotation_heading *h,
			   const struct annotation *a, const struct err *why, struct buf *out)
{
	if (!x->csv)
		put_json(x, h, a, why, out);
	else if (a)
		put_csv(x, h, a, out);
}

void annotation_export_end(const struct annotation_export *x, struct buf *out)
{
	if (!x->csv)
		buf_adds(out, "]}\n");
}
