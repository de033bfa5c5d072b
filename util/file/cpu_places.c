// SPDX-License-Identifier: GPL-2.0
#include "util/file/cpu_places.h"

#include <string.h>

#include "util/base/cur.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/file/perfdata_abi.h"

static struct cpu_place *add(struct cpu_places *p)
{
	struct cpu_place *to = vec_push(&p->v);

	if (to)
		*to = (struct cpu_place){ID_NONE, ID_NONE, ID_NONE};
	return to;
}

/* A count, and so many strings. */
static void skip_strings(struct cur *c)
{
	u32 nr = cur_u32(c);

	for (; nr && !c->bad; nr--)
		cur_skip(c, cur_u32(c));
}

static u32 nr_cpus(const struct recording *r)
{
	const char *fact = recording_fact(r, "nrcpus_avail");
	u64 nr;

	return fact && num_u64(fact, &nr) ? (u32)MIN(nr, (u64)CPU_PLACES_MAX) : 0;
}

/* Pairs of core and socket; behind them, names of dies and the die of each. */
static bool read_section(struct cpu_places *p, struct cur c, u32 nr)
{
	struct cpu_place *to;
	u32 i;

	skip_strings(&c);
	skip_strings(&c);
	for (i = 0; i < nr && cur_left(&c) >= 8; i++) {
		to = add(p);
		if (!to)
			return false;
		to->core = cur_u32(&c);
		to->socket = cur_u32(&c);
	}
	p->dies = cur_left(&c) > 0;
	if (!p->dies)
		return true;
	skip_strings(&c);
	for (i = 0; i < p->v.nr && cur_left(&c) >= 4; i++)
		p->v.v[i].die = cur_u32(&c);
	return true;
}

/* Numbers by CPU: sockets, or cores. */
static bool read_fact(struct cpu_places *p, const char *text, bool cores)
{
	char one[12];
	size_t len;
	u64 v;
	u32 i;

	for (i = 0; *text && i < CPU_PLACES_MAX; text += len + (text[len] == ','), i++) {
		len = strcspn(text, ",");
		if (i == p->v.nr && !add(p))
			return false;
		if (len >= sizeof(one))
			continue;
		memcpy(one, text, len);
		one[len] = '\0';
		if (num_u64(one, &v) && v < ID_NONE)
			*(cores ? &p->v.v[i].core : &p->v.v[i].socket) = (u32)v;
	}
	return true;
}

int cpu_places_read(struct cpu_places *p, const struct recording *r, struct err *err)
{
	const char *sockets = recording_fact(r, "cpu_sockets");
	const char *cores = recording_fact(r, "cpu_cores");
	const struct section_text *s;
	bool ok = true;
	u32 i;

	for (i = 0; i < r->perf.sections.nr; i++) {
		s = &r->perf.sections.v[i];
		if (s->id == PERFDATA_FEATURE_CPU_TOPOLOGY && !p->v.nr && ok)
			ok = read_section(p, cur_init(s->data, s->len), nr_cpus(r));
	}
	if (!p->v.nr && sockets && ok)
		ok = read_fact(p, sockets, false) && (!cores || read_fact(p, cores, true));
	return ok ? 0 : err_nomem(err);
}

static bool are_siblings(const struct cpu_place *a, const struct cpu_place *b, bool cores)
{
	return a->socket == b->socket && (!cores || a->core == b->core);
}

static bool is_first(const struct cpu_places *p, u32 cpu, bool cores)
{
	u32 i;

	if (p->v.v[cpu].socket == ID_NONE)
		return false;
	for (i = 0; i < cpu; i++)
		if (are_siblings(&p->v.v[i], &p->v.v[cpu], cores))
			return false;
	return true;
}

bool cpu_places_siblings(const struct cpu_places *p, bool cores, u32 *at, struct buf *b)
{
	VEC(u32) set = {0};
	u32 i = *at, first, *to;

	while (i < p->v.nr && !is_first(p, i, cores))
		i++;
	*at = i + 1;
	for (first = i; i < p->v.nr; i++) {
		if (!are_siblings(&p->v.v[first], &p->v.v[i], cores))
			continue;
		to = vec_push(&set);
		if (to)
			*to = i;
		b->failed |= !to;
	}
	text_ranges(b, set.v, set.nr);
	vec_free(&set);
	return first < p->v.nr;
}

void cpu_places_free(struct cpu_places *p)
{
	vec_free(&p->v);
}
