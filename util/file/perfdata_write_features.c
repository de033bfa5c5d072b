// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_write_internal.h"

#include <string.h>

#include "util/base/clock.h"
#include "util/base/num.h"
#include "util/file/cpu_places.h"

/* What describes how the file is stored, which is not as it was; and what its records lack. */
static bool is_of_storage(enum perfdata_feature f)
{
	return f == PERFDATA_FEATURE_COMPRESSED || f == PERFDATA_FEATURE_DIR_FORMAT ||
	       f == PERFDATA_FEATURE_AUXTRACE;
}

/* perf's strings: u32 size with the padding, the string, NULs. */
static void put_string(struct buf *b, const char *s, size_t len)
{
	size_t size = ALIGN_UP(len + 1, (size_t)PERFDATA_STRING_ALIGN);

	buf_u32(b, (u32)size);
	buf_add(b, s, len);
	buf_pad(b, '\0', size - len);
}

static bool put_text(const struct recording *r, const char *key, struct buf *b)
{
	const char *text = recording_fact(r, key);

	if (!text)
		return false;
	put_string(b, text, strlen(text));
	return true;
}

static bool get_number(const struct recording *r, const char *key, u64 *v)
{
	const char *text = recording_fact(r, key);

	return text && num_u64(text, v);
}

static bool put_nrcpus(const struct recording *r, struct buf *b)
{
	u64 avail, online;

	if (!get_number(r, "nrcpus_avail", &avail) || !get_number(r, "nrcpus_online", &online))
		return false;
	buf_u32(b, (u32)avail);
	buf_u32(b, (u32)online);
	return true;
}

/* A count, and so many strings. */
static void put_siblings(const struct cpu_places *p, bool cores, struct buf *b)
{
	struct buf set = {0}, sets = {0};
	u32 at = 0, nr = 0;

	for (; cpu_places_siblings(p, cores, &at, &set); buf_clear(&set), nr++)
		put_string(&sets, buf_str(&set), set.len);
	buf_u32(b, nr);
	buf_add(b, sets.data, sets.len);
	b->failed |= set.failed || sets.failed;
	buf_free(&set);
	buf_free(&sets);
}

/*
 * For each CPU that there may be its core and socket. perf refuses the whole file where a socket's number is above their
 * count.
 */
static bool put_places(const struct cpu_places *p, u32 nr, struct buf *b)
{
	const struct cpu_place *place;
	u32 i;

	for (i = 0; i < nr; i++) {
		place = i < p->v.nr ? &p->v.v[i] : NULL;
		if (place && place->socket != ID_NONE && place->socket > nr)
			return false;
		buf_u32(b, place ? place->core : ID_NONE);
		buf_u32(b, place ? place->socket : ID_NONE);
	}
	return p->v.nr != 0;
}

static bool put_topology(const struct recording *r, struct buf *b)
{
	struct cpu_places places = {0};
	size_t before = b->len;
	bool done = false;
	u64 nr;

	if (!get_number(r, "nrcpus_avail", &nr) || nr > CPU_PLACES_MAX ||
	    !recording_fact(r, "cpu_cores"))
		return false;
	if (cpu_places_read(&places, r, NULL)) {
		b->failed = true;
	} else {
		put_siblings(&places, false, b);
		put_siblings(&places, true, b);
		done = put_places(&places, (u32)nr, b);
	}
	if (!done && !b->failed)
		b->len = before;
	cpu_places_free(&places);
	return done;
}

static bool put_number(const struct recording *r, const char *key, struct buf *b)
{
	u64 v;

	if (!get_number(r, key, &v))
		return false;
	buf_u64(b, v);
	return true;
}

static bool put_cmdline(const struct recording *r, struct buf *b)
{
	const char *arg;
	u32 nr = 0;

	for (arg = NULL; (arg = recording_argument(r, arg));)
		nr++;
	if (!nr)
		return false;
	buf_u32(b, nr);
	for (arg = NULL; (arg = recording_argument(r, arg));)
		put_string(b, arg, strlen(arg));
	return true;
}

static bool put_event_desc(const struct perfdata_writer *w, struct buf *b)
{
	const struct perfdata_write_event *e;
	u32 i;

	buf_u32(b, w->events.nr);
	buf_u32(b, sizeof(e->attr));
	for (i = 0; i < w->events.nr; i++) {
		e = &w->events.v[i];
		buf_add(b, &e->attr, sizeof(e->attr));
		buf_u32(b, e->nr_ids);
		put_string(b, e->name, strlen(e->name));
		buf_add(b, e->ids, e->nr_ids * sizeof(*e->ids));
	}
	return true;
}

/* Whose branches are rows of their own in perf report: not those of call graphs. */
static bool has_branches(const struct recording *r)
{
	const struct perf_event_attr *a;
	u32 i;

	for (i = 0; i < r->events.events.nr; i++) {
		a = &r->events.events.v[i].attr;
		if (a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
		    !(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

/* Each: its name, the place of its leader, how many it has. */
static bool put_groups(const struct recording *r, struct buf *b)
{
	static const char anonymous[] = "{anon_group}"; /* as perf has them */
	const struct event_set *events = &r->events;
	const char *name;
	size_t at = b->len;
	u32 nr = 0, i, end;

	buf_u32(b, 0);
	for (i = 0; i < events->events.nr; i = end) {
		for (end = i + 1; end < events->events.nr && events->events.v[end].in_group; end++)
			;
		if (end == i + 1)
			continue;
		name = events->events.v[i].group_name;
		name = name ? name : anonymous;
		put_string(b, name, strlen(name));
		buf_u32(b, i);
		buf_u32(b, end - i);
		nr++;
	}
	if (!b->failed && nr)
		memcpy(b->data + at, &nr, sizeof(nr));
	else if (!b->failed)
		b->len = at;
	return nr != 0;
}

static bool put_sample_time(const struct perfdata_writer *w, struct buf *b)
{
	if (!w->samples)
		return false;
	buf_u64(b, w->time_first);
	buf_u64(b, w->time_last);
	return true;
}

static int clock_of(const struct recording *r)
{
	const char *name = recording_fact(r, "clockid");

	return name ? clock_by_name(name) : -1;
}

/* Nanoseconds of one tick. */
static bool put_clockid(const struct recording *r, struct buf *b)
{
	if (clock_of(r) < 0)
		return false;
	buf_u64(b, 1);
	return true;
}

/* One moment by two clocks: version, clock, wall clock, its own time. */
static bool put_clock_data(const struct recording *r, struct buf *b)
{
	u64 wall, own;
	int id = clock_of(r);

	if (id < 0 || !get_number(r, "wall_clock_ns", &wall) || !get_number(r, "clock_ns", &own))
		return false;
	buf_u32(b, 1);
	buf_u32(b, (u32)id);
	buf_u64(b, wall);
	buf_u64(b, own);
	return true;
}

void perfdata_write_features_build_id(struct buf *b, const struct dso_text *dso, u32 type)
{
	size_t len = strlen(dso->name);
	size_t name_size = ALIGN_UP(len + 1, (size_t)PERFDATA_STRING_ALIGN);
	struct perf_event_header h = {
		.type = type,
		.misc = PERFDATA_MISC_BUILD_ID_SIZE,
		.size = (u16)(sizeof(h) + sizeof(u32) + 24 + name_size),
	};
	u8 id[24] = {0};

	if (!dso->build_id_len || name_size > UINT16_MAX - 64)
		return;
	h.misc |= dso->class == DSO_CLASS_KERNEL ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	memcpy(id, dso->build_id, dso->build_id_len);
	id[20] = dso->build_id_len;
	buf_add(b, &h, sizeof(h));
	buf_u32(b, UINT32_MAX); /* pid: of no guest */
	buf_add(b, id, sizeof(id));
	buf_add(b, dso->name, len);
	buf_pad(b, '\0', name_size - len);
}

static bool put_build_ids(const struct recording *r, struct buf *b)
{
	size_t before = b->len;
	u32 i;

	for (i = 0; i < r->dsos.nr; i++)
		perfdata_write_features_build_id(b, &r->dsos.v[i], 0);
	return b->len > before;
}

static const struct section_text *recorded(const struct perfdata_writer *w, enum perfdata_feature f)
{
	const struct recording *r = w->recording;
	u32 i;

	/* with an option not to look at its samples, a recorder does not know their times */
	if (!w->options.as_recorded || f == PERFDATA_FEATURE_SAMPLE_TIME)
		return NULL;
	for (i = 0; i < r->perf.sections.nr; i++)
		if (r->perf.sections.v[i].id == (u32)f)
			return &r->perf.sections.v[i];
	return NULL;
}

bool perfdata_write_features_put(const struct perfdata_writer *w, enum perfdata_feature f,
				 struct buf *b)
{
	const struct recording *r = w->recording;
	const struct section_text *s = recorded(w, f);

	if (is_of_storage(f))
		return false;
	if (s) {
		buf_add(b, s->data, s->len);
		return true;
	}
	switch (f) {
	case PERFDATA_FEATURE_TRACING_DATA:
		return perfdata_write_tracing_put(r, b);
	case PERFDATA_FEATURE_BUILD_ID:
		return put_build_ids(r, b);
	case PERFDATA_FEATURE_HOSTNAME:
		return put_text(r, "hostname", b);
	case PERFDATA_FEATURE_OSRELEASE:
		return put_text(r, "release", b);
	case PERFDATA_FEATURE_VERSION:
		return put_text(r, "version", b);
	case PERFDATA_FEATURE_ARCH:
		return put_text(r, "arch", b);
	case PERFDATA_FEATURE_NRCPUS:
		return put_nrcpus(r, b);
	case PERFDATA_FEATURE_CPUDESC:
		return put_text(r, "cpudesc", b);
	case PERFDATA_FEATURE_CPUID:
		return put_text(r, "cpuid", b);
	case PERFDATA_FEATURE_TOTAL_MEM:
		return put_number(r, "total_memory_kb", b);
	case PERFDATA_FEATURE_CMDLINE:
		return put_cmdline(r, b);
	case PERFDATA_FEATURE_EVENT_DESC:
		return put_event_desc(w, b);
	case PERFDATA_FEATURE_CPU_TOPOLOGY:
		return put_topology(r, b);
	case PERFDATA_FEATURE_BRANCH_STACK:
		return has_branches(r);
	case PERFDATA_FEATURE_GROUP_DESC:
		return put_groups(r, b);
	case PERFDATA_FEATURE_SAMPLE_TIME:
		return put_sample_time(w, b);
	case PERFDATA_FEATURE_CLOCKID:
		return put_clockid(r, b);
	case PERFDATA_FEATURE_CLOCK_DATA:
		return put_clock_data(r, b);
	default:
		return false;
	}
}
