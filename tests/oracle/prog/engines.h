/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engines.h - the engines of unwind.h side by side: each one's chain for the same registers and
 * stack.
 */
#ifndef ORACLE_ENGINES_H
#define ORACLE_ENGINES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mapped_image.h"
#include "util/base/buf.h"
#include "util/base/hash.h"
#include "util/image/image_symbols.h"

struct engine {
	const char *name;
	enum unwind_engine kind;
	struct unwinder *u; /* NULL: not asked for */
	u64 chain[UNWIND_MAX];
	u32 nr; /* words of the chain, without those that mark a guess; its end is not one of them */
	bool guessed;
	enum chain_end end;
	u64 checked, exact, landing; /* landing: differences that step.c excuses */
	struct strtab differences;   /* "function: how" */
	VEC(u64) counts;             /* of each */
};

static struct engine engines[] = {
	{.name = "fast", .kind = UNWIND_FAST},
	{.name = "libdw", .kind = UNWIND_LIBDW},
	{.name = "libunwind", .kind = UNWIND_LIBUNWIND},
};

static const char *program_name;

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", program_name, what);
	exit(2);
}

/* `names`: "fast,libdw"; NULL: all. */
static void engines_open(const char *names, const struct arch *arch)
{
	struct unwind_options o = {.arch = arch, .open = mapped_image_open};
	struct err err = {0};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		if (names && !strstr(names, engines[i].name))
			continue;
		o.engine = engines[i].kind;
		engines[i].u = unwinder_new(&o, &err);
		if (!engines[i].u)
			die(err.msg);
	}
}

static void engine_unwind(struct engine *e, const struct process_model *m, const struct thread *t,
			  const struct unwind_input *in)
{
	u32 nr = unwind_chain(e->u, m, t, in, e->chain, UNWIND_MAX), i;

	e->nr = 0;
	e->guessed = false;
	if (!nr || !chain_is_end(e->chain[nr - 1]))
		die("a chain without an end");
	e->end = (enum chain_end)(e->chain[nr - 1] - CHAIN_END);
	for (i = 0; i < nr - 1; i++) {
		if (e->chain[i] == CHAIN_GUESSED)
			e->guessed = true;
		else if (e->chain[i] != CHAIN_CERTAIN)
			e->chain[e->nr++] = e->chain[i];
	}
}

/* "libc.so.6 qsort+0x12", with what is known of it. */
static const char *function_at(const struct process_model *m, const struct thread *t, u64 addr,
			       bool with_offset)
{
	static VEC(struct symtab *) tables; /* by DSO */
	static char text[400];
	u32 map = process_find_map(m, t, addr), dso;
	const struct sym *sym;
	struct image img;
	const char *base;
	u64 offset;

	if (map == ID_NONE) {
		snprintf(text, sizeof(text), "[not mapped]");
		return text;
	}
	dso = m->maps.v[map].dso;
	while (tables.nr <= dso)
		if (!vec_push(&tables))
			die("out of memory");
	if (!tables.v[dso]) {
		tables.v[dso] = calloc(1, sizeof(struct symtab));
		if (!tables.v[dso])
			die("out of memory");
		if (!mapped_image_open(NULL, m, map, t->pid, &img)) {
			image_symbols_load(&img, NULL, tables.v[dso], SYMTAB_NESTED, NULL);
			image_close(&img);
		} else {
			symtab_finish(tables.v[dso], SYMTAB_NESTED);
		}
	}
	offset = map_offset(&m->maps.v[map], addr);
	sym = symtab_find(tables.v[dso], offset);
	base = strrchr(m->dsos.v[dso].name, '/');
	base = base ? base + 1 : m->dsos.v[dso].name;
	if (!sym || with_offset)
		snprintf(text, sizeof(text), "%s %s+0x%llx", base, sym ? sym->name : "?",
			 (unsigned long long)(sym ? offset - sym->start : offset));
	else
		snprintf(text, sizeof(text), "%s %s", base, sym->name);
	return text;
}

static void engines_close(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		if (engines[i].u)
			unwinder_free(engines[i].u);
		strtab_free(&engines[i].differences);
		vec_free(&engines[i].counts);
	}
}

#endif
