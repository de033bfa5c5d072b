// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_jit.h"

#include <unistd.h>

/* Functions that stood at one address within one block. */
#define BEFORE_MAX 64

static struct jit_options options_of(const struct seen_jit *sj, const struct seen_made_options *o)
{
	struct jit_options options = {
		.proc = o->proc, .map_fd = -1, .map_by_path = true, .view = SYMTAB_NESTED};

	if (o->held)
		options.map_fd = pinned_files_get_map(o->held, sj->jit.pid);
	return options;
}

static void release(const struct jit_options *options)
{
	if (options->map_fd >= 0)
		close(options->map_fd);
}

static void tell(struct seen_jit *sj, const struct seen_made_options *o,
		 const struct jit_symbol *sym)
{
	struct seen_code *code;
	enum code_told told;
	u32 layer;

	told = jit_overlays_tell(&sj->layers, sym->start, sym->end, sym->name, sym->from, &layer);
	sj->failed |= sj->layers.failed;
	if (told == CODE_OLD)
		return;
	code = vec_push(&sj->told);
	if (!code) {
		sj->failed = true;
		return;
	}
	*code = (struct seen_code){
		.start = sym->start,
		.end = sym->end,
		.layer = layer,
		.name = strtab_get(&sj->layers.names,
				   strtab_find(&sj->layers.names, sym->name, strlen(sym->name))),
	};
	/* who reads has what is older behind him */
	if (told == CODE_NEW && layer)
		code->from = MAX(sym->from ? sym->from + o->shift : 0, MAX(o->order, 1u));
}

bool seen_jit_find(struct seen_jit *sj, const struct seen_made_options *o, u64 addr, u64 time)
{
	struct jit_symbol before[BEFORE_MAX];
	struct jit_options options = options_of(sj, o);
	bool found = jit_find(&sj->jit, o->model, &options, addr, time ? time - o->shift : 0,
			      &before[0], NULL);
	u32 nr = found;

	release(&options);
	/* of samples at one address that came together only one is handed in, not always the first */
	while (nr && nr < BEFORE_MAX && before[nr - 1].from > o->order - o->shift &&
	       jit_find_before(&sj->jit, addr, before[nr - 1].from, &before[nr]))
		nr++;
	while (nr)
		tell(sj, o, &before[--nr]);
	return found;
}

struct news {
	struct seen_jit *sj;
	const struct seen_made_options *o;
};

static void take_news(void *arg, const struct jit_symbol *sym)
{
	struct news *n = arg;

	if (jit_overlays_any(&n->sj->layers, sym->start, sym->end))
		tell(n->sj, n->o, sym);
}

void seen_jit_news(struct seen_jit *sj, const struct seen_made_options *o)
{
	struct jit_options options;
	struct news n = {sj, o};

	if (!sj->layers.v.nr)
		return;
	options = options_of(sj, o);
	jit_news(&sj->jit, o->model, &options, take_news, &n);
	release(&options);
}

void seen_jit_free(struct seen_jit *sj)
{
	jit_free(&sj->jit);
	jit_overlays_free(&sj->layers);
	vec_free(&sj->told);
}
