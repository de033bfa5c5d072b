/* SPDX-License-Identifier: GPL-2.0 */
/*
 * differences.h - how often, where and in which way an engine's chain is not another one.
 */
#ifndef ORACLE_DIFFERENCES_H
#define ORACLE_DIFFERENCES_H

#include "engines.h"

#define DIFFERENCES_SHOWN 20

/* In which way the engine's chain is not the other one, from *at on; "" if it is. */
static const char *difference(const struct engine *e, const u64 *truth, u32 nr, u32 *at)
{
	static char text[200];
	u32 i;

	for (i = 0; i < nr && i < e->nr && truth[i] == e->chain[i]; i++)
		;
	*at = i;
	if (i == nr && i == e->nr)
		return "";
	if (i == e->nr)
		snprintf(text, sizeof(text), "ends too early%s: %s",
			 e->guessed ? ", after a guess" : "", chain_end_text(e->end));
	else if (i == nr)
		snprintf(text, sizeof(text), "goes on too far%s", e->guessed ? " by a guess" : "");
	else
		snprintf(text, sizeof(text), "frame %s is wrong%s",
			 i == 1   ? "1"
			 : i == 2 ? "2"
				  : "3 or above",
			 e->guessed ? ", with a guess in the chain" : "");
	return text;
}

/* Differences are counted by what they are called: the number of this one. */
static u32 engine_difference(struct engine *e, const char *where, const char *how)
{
	struct buf b = {0};
	u32 id;

	buf_addf(&b, "%s: %s", where, how);
	id = b.failed ? ID_NONE : strtab_add(&e->differences, b.data, b.len);
	if (id == ID_NONE || (id == e->counts.nr && !vec_push(&e->counts)))
		die("out of memory");
	buf_free(&b);
	return id;
}

/* The most frequent differences; they are forgotten. */
static void engine_differences(struct engine *e)
{
	u32 shown, i, most;

	for (shown = 0; shown < DIFFERENCES_SHOWN; shown++) {
		most = ID_NONE;
		for (i = 0; i < e->counts.nr; i++)
			if (e->counts.v[i] &&
			    (most == ID_NONE || e->counts.v[i] > e->counts.v[most]))
				most = i;
		if (most == ID_NONE)
			break;
		printf("  %7llu %s\n", (unsigned long long)e->counts.v[most],
		       strtab_get(&e->differences, most));
		e->counts.v[most] = 0;
	}
}

#endif
