// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_span_presets.c - any bytes as a file of presets; what is written of them is read as the same.
 */
#include <stdlib.h>
#include <string.h>

#include "util/report/span_presets.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_same(const char *a, const char *b)
{
	if (!a != !b || (a && strcmp(a, b) != 0))
		abort();
}

static void check_preset(const struct span_preset *a, const struct span_preset *b)
{
	u32 i;

	if (!a->from || !a->to || !*a->name || !a->line || a->repeat != b->repeat)
		abort();
	if (a->whole != b->whole || a->skips_missing != b->skips_missing)
		abort();
	check_same(a->own_from, b->own_from);
	check_same(a->own_to, b->own_to);
	check_same(a->name, b->name);
	check_same(a->help, b->help);
	check_same(a->from, b->from);
	check_same(a->to, b->to);
	check_same(a->until, b->until);
	check_same(a->on, b->on);
	check_same(a->by, b->by);
	for (i = 0; i < SPAN_PRESETS_THENS; i++)
		check_same(a->thens[i], b->thens[i]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct span_presets p = {0}, again = {0};
	struct buf text = {0};
	u32 i;

	if (!span_presets_parse(&p, data, size, "file", NULL)) {
		for (i = 0; i < p.v.nr; i++)
			span_presets_put(&p.v.v[i], &text);
		if (span_presets_parse(&again, text.data, text.len, "again", NULL) ||
		    again.v.nr != p.v.nr)
			abort();
		for (i = 0; i < p.v.nr; i++)
			check_preset(&p.v.v[i], &again.v.v[i]);
	}
	span_presets_free(&p);
	span_presets_free(&again);
	buf_free(&text);
	return 0;
}
