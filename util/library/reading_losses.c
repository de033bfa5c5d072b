// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "util/base/text.h"
#include "util/library/reading.h"

/* The entries of one cause together. */
struct cause {
	u64 count, entries;
	VEC(struct loss) with_time;
	VEC(u32) cpus;
	bool all_cpus;
};

/* Causes of a newer recorder count as one. */
#define CAUSE_OTHER LOSS_CAUSES

static u32 cause_of(const struct loss *l)
{
	return l->cause && l->cause < CAUSE_OTHER ? l->cause : CAUSE_OTHER;
}

static bool is_lost(u32 cause)
{
	return cause != LOSS_DISK;
}

static int by_start(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int by_number(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* How long it was so on some CPU; 0: not known. */
static u64 span(struct cause *c)
{
	const struct loss *l;
	u64 sum = 0, end = 0;
	u32 i;

	if (!c->with_time.nr)
		return 0;
	qsort(c->with_time.v, c->with_time.nr, sizeof(*c->with_time.v), by_start);
	for (i = 0; i < c->with_time.nr; i++) {
		l = &c->with_time.v[i];
		if (l->to <= end)
			continue;
		sum += l->to - MAX(l->from, end);
		end = l->to;
	}
	return sum;
}

static void put_cpus(struct buf *out, struct cause *c)
{
	u32 i, first, last;
	bool more = false;

	if (c->all_cpus || !c->cpus.nr)
		return;
	qsort(c->cpus.v, c->cpus.nr, sizeof(*c->cpus.v), by_number);
	buf_adds(out, c->cpus.v[0] == c->cpus.v[c->cpus.nr - 1] ? ", CPU " : ", CPUs ");
	for (i = 0; i < c->cpus.nr; more = true) {
		first = last = c->cpus.v[i];
		while (i < c->cpus.nr && c->cpus.v[i] - last <= 1)
			last = c->cpus.v[i++];
		buf_addf(out, more ? ",%u" : "%u", first);
		if (last != first)
			buf_addf(out, "-%u", last);
	}
}

static void collect(const struct recording *r, u32 cause, struct cause *c)
{
	struct loss *l;
	u32 i, *cpu;

	for (i = 0; i < r->losses.nr; i++) {
		if (cause_of(&r->losses.v[i]) != cause)
			continue;
		c->entries++;
		c->count += r->losses.v[i].count;
		if (r->losses.v[i].to > r->losses.v[i].from && r->losses.v[i].from &&
		    (l = vec_push(&c->with_time)))
			*l = r->losses.v[i];
		if (r->losses.v[i].cpu == ID_NONE)
			c->all_cpus = true;
		else if ((cpu = vec_push(&c->cpus)))
			*cpu = r->losses.v[i].cpu;
	}
}

static const char *remedy(u32 cause)
{
	switch (cause) {
	case LOSS_RING:
		return " (larger buffers lose less: -m)";
	case LOSS_THROTTLED:
		return " (the kernel allows fewer samples a second: record a larger -c, a smaller -F)";
	default:
		return "";
	}
}

/* "buffer full, CPUs 0-1, for 0.9 s (...)" */
static void put_cause(struct buf *out, u32 cause, struct cause *c)
{
	const char *name = loss_cause_name(cause);
	u64 ns = span(c);

	buf_adds(out, name ? name : "for a reason that this version does not know");
	put_cpus(out, c);
	if (ns) {
		buf_adds(out, ", for ");
		text_seconds(out, ns, 3);
		buf_adds(out, " s");
	} else if (!c->count && c->entries > 1) {
		buf_addf(out, ", %llu times", (unsigned long long)c->entries);
	}
	buf_adds(out, remedy(cause));
	buf_addc(out, '\n');
}

/* Of the samples that were lost by one cause; `several` causes have a line of their own below the sum. */
static void put_count(struct buf *out, u64 count, bool several)
{
	if (several)
		buf_addf(out, "  %llu: ", (unsigned long long)count);
	else
		buf_addf(out, "%llu sample%s %s lost while recording: ", (unsigned long long)count,
			 TEXT_PLURAL(count), TEXT_WERE(count));
}

void reading_loss_lines(const struct recording *r, u64 reported, const char *indent,
			struct buf *out)
{
	const u64 lost = recording_lost(r, reported);
	const u64 unwritten = recording_unwritten(r);
	struct cause causes[CAUSE_OTHER + 1] = {0};
	const u64 chains = recording_lost_chains(r);
	u64 others = 0;
	u32 i, counted = 0;

	for (i = 1; i <= CAUSE_OTHER; i++) {
		collect(r, i, &causes[i]);
		others += is_lost(i) && i != LOSS_RING ? causes[i].count : 0;
	}
	/* full buffers lost what no LOSS block counts; and their own LOSS blocks count more than samples */
	causes[LOSS_RING].count = lost - MIN(lost, others);
	for (i = 1; i <= CAUSE_OTHER; i++)
		counted += is_lost(i) && causes[i].count;
	if (counted > 1)
		buf_addf(out, "%s%llu samples were lost while recording:\n", indent,
			 (unsigned long long)lost);
	for (i = 1; i <= CAUSE_OTHER; i++) {
		struct cause *c = &causes[i];

		if (is_lost(i) && (c->count || c->entries)) {
			buf_adds(out, indent);
			if (c->count)
				put_count(out, c->count, counted > 1);
			put_cause(out, i, c);
		}
		vec_free(&c->with_time);
		vec_free(&c->cpus);
	}
	if (chains)
		buf_addf(
			out,
			"%s%llu deferred call chain%s %s lost as well: the samples have no user frames\n",
			indent, (unsigned long long)chains, TEXT_PLURAL(chains), TEXT_WERE(chains));
	if (unwritten)
		buf_addf(out, "%s%llu sample%s could not be written to the disk\n", indent,
			 (unsigned long long)unwritten, TEXT_PLURAL(unwritten));
}
