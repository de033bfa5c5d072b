// SPDX-License-Identifier: GPL-2.0
#include "util/process/quality.h"

#include <stdlib.h>
#include <string.h>

void quality_free(struct quality *q)
{
	vec_free(&q->dsos);
}

static struct quality_dso *get_dso(struct quality *q, u32 dso)
{
	if (dso == ID_NONE)
		return &q->nowhere;
	while (q->dsos.nr <= dso) {
		if (!vec_push(&q->dsos)) {
			q->failed = true;
			return NULL;
		}
	}
	return &q->dsos.v[dso];
}

void quality_stacks(struct quality *q, u32 dso, u32 end, u64 nr)
{
	struct quality_dso *d = nr ? get_dso(q, dso) : NULL;

	if (!d || end >= QUALITY_ENDS)
		return;
	d->stacks[end] += nr;
	q->total.stacks[end] += nr;
}

void quality_stack(struct quality *q, u32 dso, u32 end)
{
	quality_stacks(q, dso, end, 1);
}

void quality_frame(struct quality *q, u32 dso, enum quality_name name)
{
	struct quality_dso *d = get_dso(q, dso);

	if (!d || name >= QUALITY_NAMES)
		return;
	d->frames[name]++;
	q->total.frames[name]++;
}

/* The key may have a version behind it, as in glibc's table: "clone@@GLIBC_2.2.5". */
static int by_name(const void *key, const void *entry)
{
	const char *symbol = key, *name = *(const char *const *)entry;
	size_t len = strcspn(symbol, "@");
	int order = strncmp(symbol, name, len);

	return order ? order : -(name[len] != '\0');
}

bool quality_is_entry(const char *symbol)
{
	/* of programs and threads (glibc, musl, Go), and of the kernel's tasks and CPUs; sorted */
	static const char *const entries[] = {
		"__clone",
		"__clone3",
		"__libc_start_call_main",
		"__libc_start_main",
		"__libc_start_main_impl",
		"__primary_switched",
		"__secondary_switched",
		"_dl_start_user",
		"_start",
		"_start_c",
		"clone",
		"clone3",
		"libc_start_main_stage2",
		"ret_from_fork",
		"ret_from_fork_asm",
		"runtime.goexit",
		"runtime.mcall",
		"runtime.mstart",
		"runtime.rt0_go",
		"runtime.systemstack",
		"secondary_startup_64",
		"secondary_startup_64_no_verify",
		"start",
		"start_kernel",
		"start_thread",
		"thread_start",
		"x86_64_start_kernel",
	};

	if (!strncmp(symbol, "__GI_", 5)) /* glibc's own name for one of its functions */
		symbol += 5;
	return bsearch(symbol, entries, ARRAY_SIZE(entries), sizeof(*entries), by_name);
}

static bool is_unknown(u32 end)
{
	return end == CHAIN_NO_UNWIND || end == QUALITY_UNTOLD;
}

struct quality_shares quality_shares(const struct quality *q)
{
	struct quality_shares s = {
		.complete = q->total.stacks[CHAIN_ROOT],
		.named = q->total.frames[QUALITY_NAMED],
	};
	u32 i;

	for (i = 0; i < QUALITY_ENDS; i++) {
		s.stacks += q->total.stacks[i];
		if (is_unknown(i))
			s.unknown += q->total.stacks[i];
	}
	for (i = 0; i < QUALITY_NAMES; i++)
		s.frames += q->total.frames[i];
	return s;
}

bool quality_is_avoidable(u32 end)
{
	return end != CHAIN_ROOT && end != CHAIN_NO_STACK && !is_unknown(end);
}

bool quality_is_poor(const struct quality *q)
{
	u64 all = 0, avoidable = 0;
	u32 i;

	for (i = 0; i < QUALITY_ENDS; i++) {
		all += q->total.stacks[i];
		avoidable += quality_is_avoidable(i) ? q->total.stacks[i] : 0;
	}
	return avoidable > all / 10;
}

static double share(u64 part, u64 whole)
{
	return whole ? (double)part / (double)whole : 0;
}

double quality_damage(const struct quality_shares *s)
{
	double stacks = share(s->stacks - s->complete, s->stacks);
	double frames = share(s->frames - s->named, s->frames);

	return MAX(stacks, frames);
}
