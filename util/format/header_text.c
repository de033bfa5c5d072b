// SPDX-License-Identifier: GPL-2.0
#include "util/format/header_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "util/base/buf.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/file/cpu_places.h"
#include "util/file/perfdata_abi.h"
#include "util/file/recording.h"
#include "util/format/time_text.h"
#include "util/record/attr_text.h"

#define FRACTION_END 29 /* of RFC 3339 with nine decimals: the zone follows */

/* --- sections of a perf.data header --- */

/* After a read past the end there is no more. */
static bool more(const struct cur *c)
{
	return !c->bad && cur_left(c);
}

/* A u32 length and that many bytes, padded with NULs. */
static void put_string(struct cur *c, struct buf *out)
{
	u32 n = cur_u32(c);
	const char *s = cur_bytes(c, n);

	if (s)
		text_escape(out, s, strnlen(s, n));
}

static void skip_string(struct cur *c)
{
	cur_skip(c, cur_u32(c));
}

/* A count, and a line for each string. */
static void put_strings(struct cur *c, const char *label, struct buf *out)
{
	u32 nr = cur_u32(c);

	for (; nr && !c->bad; nr--) {
		buf_addf(out, "# %s : ", label);
		put_string(c, out);
		buf_addc(out, '\n');
	}
}

static void put_places(const struct cpu_places *places, struct buf *out)
{
	const struct cpu_place *p;
	u32 i;

	if (!places->v.nr)
		buf_adds(out, "# Core ID and Socket ID information is not available\n");
	for (i = 0; i < places->v.nr; i++) {
		p = &places->v.v[i];
		buf_addf(out, "# CPU %u: Core ID %d, ", i, (int)p->core);
		if (places->dies)
			buf_addf(out, "Die ID %d, ", (int)p->die);
		buf_addf(out, "Socket ID %d\n", (int)p->socket);
	}
}

static void put_cpu_topology(const struct recording *r, struct cur c, struct buf *out)
{
	struct cpu_places places = {0};
	struct buf threads = {0};

	out->failed |= cpu_places_read(&places, r, NULL) != 0;
	put_strings(&c, "sibling sockets", out);
	put_strings(&c, "sibling threads", &threads);
	cur_skip(&c, (size_t)places.v.nr * 8);
	if (places.dies)
		put_strings(&c, "sibling dies   ", out);
	buf_add(out, buf_str(&threads), threads.len);
	out->failed |= threads.failed;
	buf_free(&threads);
	put_places(&places, out);
	cpu_places_free(&places);
}

/* A line for each set of CPUs that share a socket, or a core. */
static void put_siblings(const struct cpu_places *p, const char *label, bool cores, struct buf *out)
{
	struct buf set = {0};
	u32 at = 0;

	for (; cpu_places_siblings(p, cores, &at, &set); buf_clear(&set))
		buf_addf(out, "# %s : %s\n", label, buf_str(&set));
	out->failed |= set.failed;
	buf_free(&set);
}

/* The same of an own recording, which has facts instead of the section. */
static void put_own_topology(const struct recording *r, bool all, struct buf *out)
{
	struct cpu_places places = {0};

	if (!recording_fact(r, "cpu_sockets") || !recording_fact(r, "cpu_cores"))
		return;
	if (!all) {
		buf_adds(out, "# CPU_TOPOLOGY info available, use -I to display\n");
		return;
	}
	out->failed |= cpu_places_read(&places, r, NULL) != 0;
	put_siblings(&places, "sibling sockets", false, out);
	put_siblings(&places, "sibling threads", true, out);
	put_places(&places, out);
	cpu_places_free(&places);
}

static void put_numa_topology(struct cur c, struct buf *out)
{
	u32 nr = cur_u32(&c), node;
	u64 total, unused;

	for (; nr && more(&c); nr--) {
		node = cur_u32(&c);
		total = cur_u64(&c);
		unused = cur_u64(&c);
		buf_addf(out, "# node%u meminfo  : total = %llu kB, free = %llu kB\n", node,
			 (unsigned long long)total, (unsigned long long)unused);
		buf_addf(out, "# node%u cpu list : ", node);
		put_string(&c, out);
		buf_addc(out, '\n');
	}
}

static void put_pmus(struct cur c, struct buf *out)
{
	u32 nr = cur_u32(&c), i, type;
	struct cur name;

	for (i = 0; i < nr && more(&c); i++) {
		type = cur_u32(&c);
		name = c;
		skip_string(&c);
		buf_adds(out, i ? ", " : "# pmu mappings: ");
		put_string(&name, out);
		buf_addf(out, " = %u", type);
	}
	buf_addc(out, '\n');
}

static void put_groups(const struct recording *r, struct cur c, struct buf *out)
{
	u32 nr = cur_u32(&c), leader, members, i;
	struct buf name = {0};

	for (; nr && more(&c); nr--) {
		buf_clear(&name);
		put_string(&c, &name);
		leader = cur_u32(&c);
		members = cur_u32(&c);
		/* what a group without name is called */
		buf_addf(out, "# group: %s{",
			 strcmp(buf_str(&name), "{anon_group}") ? buf_str(&name) : "");
		for (i = leader; i - leader < members && i < r->events.events.nr; i++) {
			buf_adds(out, i > leader ? "," : "");
			text_escape(out, r->events.events.v[i].name,
				    strlen(r->events.events.v[i].name));
		}
		buf_adds(out, "}\n");
	}
	out->failed |= name.failed;
	buf_free(&name);
}

static void put_caches(struct cur c, struct buf *out)
{
	struct buf type = {0}, size = {0};
	u32 nr, level;

	cur_u32(&c); /* version */
	buf_adds(out, "# CPU cache info:\n");
	for (nr = cur_u32(&c); nr && more(&c); nr--) {
		level = cur_u32(&c);
		cur_skip(&c, 12); /* bytes of a line, sets, ways */
		buf_clear(&type);
		buf_clear(&size);
		put_string(&c, &type);
		put_string(&c, &size);
		buf_addf(out, "#  L%u %-15s %8s [", level, buf_str(&type), buf_str(&size));
		put_string(&c, out);
		buf_adds(out, "]\n");
	}
	out->failed |= type.failed | size.failed;
	buf_free(&type);
	buf_free(&size);
}

/* "24G": the largest unit in which the number has no more than a whole part to show. */
static void put_size(u64 v, struct buf *out)
{
	static const char units[] = {'B', 'K', 'M', 'G'};
	u32 i = 0;

	for (; v >= 1024 && i + 1 < ARRAY_SIZE(units); i++)
		v /= 1024;
	buf_addf(out, "%llu%c", (unsigned long long)v, units[i]);
}

/* Spans of blocks of memory that are named, of all nodes: no machine has so many, and each takes but two bits of a file. */
#define SPANS_MAX (1u << 16)

/* The bits that are set as "0-23,32", and how many there are; `left`: spans that may yet be named. */
static u64 put_bitmap(struct cur *c, u32 *left, struct buf *out)
{
	u64 bits = cur_u64(c), i, word = 0, count = 0, first = 0;
	bool in = false, any = false;

	for (i = 0; i <= bits && !c->bad; i++) {
		if (i < bits && i % 64 == 0)
			word = cur_u64(c);
		if (i < bits && word >> i % 64 & 1) {
			count++;
			first = in ? first : i;
			in = true;
		} else if (in && !*left) {
			in = false;
		} else if (in) {
			buf_addf(out, first + 1 < i ? "%s%llu-%llu" : "%s%llu", any ? "," : "",
				 (unsigned long long)first, (unsigned long long)i - 1);
			in = false;
			any = true;
			if (!--*left)
				buf_adds(out, ",...");
		}
	}
	return count;
}

static void put_memory(struct cur c, struct buf *out)
{
	struct buf map = {0};
	u32 left = SPANS_MAX;
	u64 size, nr, node;

	cur_u64(&c); /* version */
	size = cur_u64(&c);
	nr = cur_u64(&c);
	buf_addf(out, "# memory nodes (nr %llu, block size 0x%llx):\n", (unsigned long long)nr,
		 (unsigned long long)size);
	for (; nr && more(&c); nr--) {
		node = cur_u64(&c);
		cur_u64(&c); /* the number of bits, which the bitmap repeats */
		buf_clear(&map);
		buf_addf(out, "#  %3llu [", (unsigned long long)node);
		put_size(put_bitmap(&c, &left, &map) * size, out);
		buf_addf(out, "]: %s\n", buf_str(&map));
	}
	out->failed |= map.failed;
	buf_free(&map);
}

static void put_compressed(struct cur c, struct buf *out)
{
	u32 type, level, ratio;

	cur_u32(&c); /* version */
	type = cur_u32(&c);
	level = cur_u32(&c);
	ratio = cur_u32(&c);
	buf_addf(out, "# compressed : %s, level = %u, ratio = %u\n", type == 1 ? "Zstd" : "Unknown",
		 level, ratio);
}

static const char *clockid_name(u32 id)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",
		[CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw",
		[CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	return id < ARRAY_SIZE(names) && names[id] ? names[id] : "unknown";
}

static void put_clock(struct cur c, struct buf *out)
{
	const u64 second = 1000000000;
	u64 wall, own;
	char text[64];
	time_t when;
	struct tm tm;
	u32 id;

	cur_u32(&c); /* version */
	id = cur_u32(&c);
	wall = cur_u64(&c);
	own = cur_u64(&c);
	when = (time_t)(wall / second);
	if (!localtime_r(&when, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	buf_addf(out, "# clockid: %s (%u)\n", clockid_name(id), id);
	buf_addf(out, "# reference time: %s.%06llu = %llu.%06llu (TOD) = %llu.%09llu (%s)\n", text,
		 (unsigned long long)(wall % second / 1000), (unsigned long long)(wall / second),
		 (unsigned long long)(wall % second / 1000), (unsigned long long)(own / second),
		 (unsigned long long)(own % second), clockid_name(id));
}

static void put_capabilities(struct cur *c, u32 nr, struct buf *out)
{
	u32 i;

	for (i = 0; i < nr && more(c); i++) {
		buf_adds(out, i ? ", " : "");
		put_string(c, out);
		buf_addc(out, '=');
		put_string(c, out);
	}
}

static void put_cpu_capabilities(struct cur c, struct buf *out)
{
	u32 nr = cur_u32(&c);

	buf_adds(out, "# cpu pmu capabilities: ");
	put_capabilities(&c, nr, out);
	buf_addc(out, '\n');
}

static void put_pmu_capabilities(struct cur c, struct buf *out)
{
	u32 pmus = cur_u32(&c), nr;
	struct buf all = {0};

	for (; pmus && more(&c); pmus--) {
		nr = cur_u32(&c);
		buf_clear(&all);
		put_capabilities(&c, nr, &all);
		buf_adds(out, "# ");
		put_string(&c, out);
		buf_addf(out, " pmu capabilities: %s\n", buf_str(&all));
	}
	out->failed |= all.failed;
	buf_free(&all);
}

static void put_sample_times(struct cur c, struct buf *out)
{
	const u64 second = 1000000000;
	u64 first = cur_u64(&c), last = cur_u64(&c);

	buf_addf(out, "# time of first sample : %llu.%06llu\n",
		 (unsigned long long)(first / second), (unsigned long long)(first % second / 1000));
	buf_addf(out, "# time of last sample : %llu.%06llu\n", (unsigned long long)(last / second),
		 (unsigned long long)(last % second / 1000));
	buf_addf(out, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static const char *const names[] = {
	[PERFDATA_FEATURE_TRACING_DATA] = "TRACING_DATA",
	[PERFDATA_FEATURE_BUILD_ID] = "BUILD_ID",
	[PERFDATA_FEATURE_HOSTNAME] = "HOSTNAME",
	[PERFDATA_FEATURE_OSRELEASE] = "OSRELEASE",
	[PERFDATA_FEATURE_VERSION] = "VERSION",
	[PERFDATA_FEATURE_ARCH] = "ARCH",
	[PERFDATA_FEATURE_NRCPUS] = "NRCPUS",
	[PERFDATA_FEATURE_CPUDESC] = "CPUDESC",
	[PERFDATA_FEATURE_CPUID] = "CPUID",
	[PERFDATA_FEATURE_TOTAL_MEM] = "TOTAL_MEM",
	[PERFDATA_FEATURE_CMDLINE] = "CMDLINE",
	[PERFDATA_FEATURE_EVENT_DESC] = "EVENT_DESC",
	[PERFDATA_FEATURE_CPU_TOPOLOGY] = "CPU_TOPOLOGY",
	[PERFDATA_FEATURE_NUMA_TOPOLOGY] = "NUMA_TOPOLOGY",
	[PERFDATA_FEATURE_BRANCH_STACK] = "BRANCH_STACK",
	[PERFDATA_FEATURE_PMU_MAPPINGS] = "PMU_MAPPINGS",
	[PERFDATA_FEATURE_GROUP_DESC] = "GROUP_DESC",
	[PERFDATA_FEATURE_AUXTRACE] = "AUXTRACE",
	[PERFDATA_FEATURE_STAT] = "STAT",
	[PERFDATA_FEATURE_CACHE] = "CACHE",
	[PERFDATA_FEATURE_SAMPLE_TIME] = "SAMPLE_TIME",
	[PERFDATA_FEATURE_MEM_TOPOLOGY] = "MEM_TOPOLOGY",
	[PERFDATA_FEATURE_CLOCKID] = "CLOCKID",
	[PERFDATA_FEATURE_DIR_FORMAT] = "DIR_FORMAT",
	[PERFDATA_FEATURE_BPF_PROG_INFO] = "BPF_PROG_INFO",
	[PERFDATA_FEATURE_BPF_BTF] = "BPF_BTF",
	[PERFDATA_FEATURE_COMPRESSED] = "COMPRESSED",
	[PERFDATA_FEATURE_CPU_PMU_CAPS] = "CPU_PMU_CAPS",
	[PERFDATA_FEATURE_CLOCK_DATA] = "CLOCK_DATA",
	[PERFDATA_FEATURE_HYBRID_TOPOLOGY] = "HYBRID_TOPOLOGY",
	[PERFDATA_FEATURE_PMU_CAPS] = "PMU_CAPS",
};

static const struct section_text *find_section(const struct recording *r, u32 id)
{
	u32 i;

	for (i = 0; i < r->perf.sections.nr; i++)
		if (r->perf.sections.v[i].id == id)
			return &r->perf.sections.v[i];
	return NULL;
}

static bool is_long(u32 id)
{
	return id == PERFDATA_FEATURE_CPU_TOPOLOGY || id == PERFDATA_FEATURE_NUMA_TOPOLOGY ||
	       id == PERFDATA_FEATURE_CACHE || id == PERFDATA_FEATURE_MEM_TOPOLOGY;
}

/*
 * The lines of a section; none if it is not there, or is one that is known from the facts. `all`: of long ones, too
 * (script -I); else a line that names them.
 */
static void put_section(const struct recording *r, u32 id, bool all, struct buf *out)
{
	const struct section_text *s = find_section(r, id);
	struct cur c;
	u64 number;

	if (!s)
		return;
	if (is_long(id) && !all) {
		buf_addf(out, "# %s info available, use -I to display\n", names[id]);
		return;
	}
	c = cur_init(s->data, s->len);
	switch (id) {
	case PERFDATA_FEATURE_CPU_TOPOLOGY:
		put_cpu_topology(r, c, out);
		break;
	case PERFDATA_FEATURE_NUMA_TOPOLOGY:
		put_numa_topology(c, out);
		break;
	case PERFDATA_FEATURE_BRANCH_STACK:
		buf_adds(out, "# contains samples with branch stack\n");
		break;
	case PERFDATA_FEATURE_PMU_MAPPINGS:
		put_pmus(c, out);
		break;
	case PERFDATA_FEATURE_GROUP_DESC:
		put_groups(r, c, out);
		break;
	case PERFDATA_FEATURE_AUXTRACE:
		buf_adds(out, "# contains AUX area data (e.g. instruction trace)\n");
		break;
	case PERFDATA_FEATURE_STAT:
		buf_adds(out, "# contains stat data\n");
		break;
	case PERFDATA_FEATURE_CACHE:
		put_caches(c, out);
		break;
	case PERFDATA_FEATURE_SAMPLE_TIME:
		put_sample_times(c, out);
		break;
	case PERFDATA_FEATURE_MEM_TOPOLOGY:
		put_memory(c, out);
		break;
	case PERFDATA_FEATURE_CLOCKID: /* the ns of a tick */
		number = cur_u64(&c);
		buf_addf(out, "# clockid frequency: %llu MHz\n",
			 (unsigned long long)(number * 1000));
		break;
	case PERFDATA_FEATURE_DIR_FORMAT:
		number = cur_u64(&c);
		buf_addf(out, "# directory data version : %llu\n", (unsigned long long)number);
		break;
	case PERFDATA_FEATURE_COMPRESSED:
		put_compressed(c, out);
		break;
	case PERFDATA_FEATURE_CPU_PMU_CAPS:
		put_cpu_capabilities(c, out);
		break;
	case PERFDATA_FEATURE_CLOCK_DATA:
		put_clock(c, out);
		break;
	case PERFDATA_FEATURE_PMU_CAPS:
		put_pmu_capabilities(c, out);
		break;
	}
}

/* "# missing features: ..." */
static void put_missing(const struct recording *r, struct buf *out)
{
	u32 id;

	buf_adds(out, "# missing features: ");
	for (id = 1; id < ARRAY_SIZE(names); id++)
		if (!find_section(r, id))
			buf_addf(out, "%s ", names[id]);
	buf_addc(out, '\n');
}

/* --- facts of any recording --- */

static void put_fact(const struct recording *r, const char *key, const char *label,
		     const char *unit, struct buf *out)
{
	const char *v = recording_fact(r, key);

	if (!v)
		return;
	buf_addf(out, "# %s : ", label);
	text_escape(out, v, strlen(v));
	buf_addf(out, "%s\n", unit);
}

static void put_captured(const struct recording *r, const char *path, struct buf *out)
{
	const char *wall =
		recording_fact(r, "data_offset") ? NULL : recording_fact(r, "wall_clock_ns");
	struct stat st;
	char text[64];
	struct tm tm;
	time_t when;
	u64 ns;

	if (wall && num_u64(wall, &ns))
		when = (time_t)(ns / 1000000000);
	else if (!stat(path, &st))
		when = st.st_mtime;
	else
		return;
	if (localtime_r(&when, &tm) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm))
		buf_addf(out, "# captured on    : %s\n", text);
}

static void put_cmdline(const struct recording *r, struct buf *out)
{
	const char *arg = recording_argument(r, NULL);

	if (!arg)
		return;
	buf_adds(out, "# cmdline : ");
	for (; arg; arg = recording_argument(r, arg)) {
		text_escape(out, arg, strlen(arg));
		buf_addc(out, ' ');
	}
	buf_addc(out, '\n');
}

static void put_event(const struct event_desc *e, struct buf *out)
{
	u32 i;

	buf_adds(out, "# event : name = ");
	text_escape(out, e->name, strlen(e->name));
	buf_adds(out, ", ");
	for (i = 0; i < e->nr_ids; i++)
		buf_addf(out, "%s%llu", i ? ", " : ", id = { ", (unsigned long long)e->ids[i]);
	buf_adds(out, e->nr_ids ? " }, " : ", ");
	attr_text(&e->attr, " = ", out);
	buf_adds(out, e->sideband ? ", side-band\n" : "\n");
}

/* Only perf's files say where their sections are. */
static void put_layout(const struct recording *r, struct buf *out)
{
	const char *data = recording_fact(r, "data_offset"), *size = recording_fact(r, "data_size");
	u64 at, len;

	if (!data || !size || !num_u64(data, &at) || !num_u64(size, &len))
		return;
	buf_adds(out, "# header version : 1\n");
	buf_addf(out, "# data offset    : %llu\n", (unsigned long long)at);
	buf_addf(out, "# data size      : %llu\n", (unsigned long long)len);
	buf_addf(out, "# feat offset    : %llu\n", (unsigned long long)(at + len));
}

void header_text(const struct recording *r, const char *path, bool all, struct buf *out)
{
	u32 i;

	buf_adds(out, "# ========\n");
	put_captured(r, path, out);
	put_layout(r, out);
	put_fact(r, "hostname", "hostname", "", out);
	put_fact(r, "release", "os release", "", out);
	put_fact(r, "version", "perf version", "", out);
	put_fact(r, "arch", "arch", "", out);
	put_fact(r, "nrcpus_online", "nrcpus online", "", out);
	put_fact(r, "nrcpus_avail", "nrcpus avail", "", out);
	put_fact(r, "cpudesc", "cpudesc", "", out);
	put_fact(r, "cpuid", "cpuid", "", out);
	put_fact(r, "total_memory_kb", "total memory", " kB", out);
	put_cmdline(r, out);
	for (i = 0; i < r->events.events.nr; i++)
		put_event(&r->events.events.v[i], out);
	if (!find_section(r, PERFDATA_FEATURE_CPU_TOPOLOGY))
		put_own_topology(r, all, out);
	for (i = PERFDATA_FEATURE_CPU_TOPOLOGY; i <= PERFDATA_FEATURE_PMU_CAPS; i++)
		put_section(r, i, all, out);
	if (recording_fact(r, RECORDING_PID_NAMESPACE))
		buf_adds(out, "# process ids : of a PID namespace\n");
	put_fact(r, "clockid", "clockid", "", out);
	if (recording_fact(r, "data_offset"))
		put_missing(r, out);
	buf_adds(out, "# ========\n#\n");
}

/* --- parts of it --- */

void header_text_arguments(const struct recording *r, const char *after, struct buf *out)
{
	const char *arg, *sep = "";

	for (arg = recording_argument(r, after); arg; arg = recording_argument(r, arg), sep = " ")
		buf_addf(out, "%s%s", sep, arg);
}

void header_text_command(const struct recording *r, struct buf *out)
{
	const char *arg = recording_argument(r, NULL);

	while (arg && strcmp(arg, "--") != 0)
		arg = recording_argument(r, arg);
	header_text_arguments(r, arg && recording_argument(r, arg) ? arg : NULL, out);
}

void header_text_dates(const struct recording *r, u64 first, u64 last, struct buf *out)
{
	struct buf from = {0}, to = {0};
	struct time_text t;
	struct err ignored;

	if (time_text_init(&t, TIME_FORM_RAW, true, r, &ignored)) {
		out->failed = true; /* nothing else can be wrong with that form */
		return;
	}
	if (time_text_knows_day(&t)) {
		time_text_put_rfc3339(&t, time_text_day(&t, first), &from);
		time_text_put_rfc3339(&t, time_text_day(&t, last), &to);
	}
	if (from.len > FRACTION_END && to.len > FRACTION_END) {
		buf_addf(out, "%s%.10s %.8s", out->len ? ", " : "", from.data, from.data + 11);
		if (memcmp(from.data, to.data, 10) != 0)
			buf_addf(out, " to %.10s %.8s", to.data, to.data + 11);
		else if (memcmp(from.data, to.data, 19) != 0)
			buf_addf(out, " to %.8s", to.data + 11);
		buf_addf(out, " %s", buf_str(&to) + FRACTION_END);
	}
	out->failed |= from.failed | to.failed;
	buf_free(&from);
	buf_free(&to);
	time_text_free(&t);
}

static const char *unit_of(const char *name, bool tracepoint, u64 samples, u64 weight,
			   struct buf *room)
{
	if (weight == samples)
		return NULL;
	if (tracepoint)
		return "counts";
	buf_clear(room);
	buf_add(room, name, strcspn(name, ":"));
	return room->len ? buf_str(room) : "counts";
}

const char *header_text_unit(const struct event_desc *e, u64 samples, u64 weight, bool *time,
			     struct buf *room)
{
	*time = weight != samples && event_set_is_clock(&e->attr);
	return *time ? NULL
		     : unit_of(e->name, e->attr.type == PERF_TYPE_TRACEPOINT, samples, weight,
			       room);
}

static bool is_clock(const char *event)
{
	const size_t len = strcspn(event, ":/");

	return (len == 9 && !memcmp(event, "cpu-clock", len)) ||
	       (len == 10 && !memcmp(event, "task-clock", len));
}

const char *header_text_unit_named(const char *event, u64 samples, u64 weight, bool *time,
				   struct buf *room)
{
	const char *colon = strchr(event, ':');
	/* what else is behind a colon are modifiers: cycles:ukpp */
	const bool tracepoint = colon && colon[1 + strspn(colon + 1, EVENT_SET_MODIFIERS)];

	*time = weight != samples && is_clock(event);
	return *time ? NULL : unit_of(event, tracepoint, samples, weight, room);
}
