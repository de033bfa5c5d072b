// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/header.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "perf-lite/header_sections.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/file/perfdata_abi.h"
#include "util/record/attr_text.h"

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

/* perf's files alone tell where their parts lie. */
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
	for (i = PERFDATA_FEATURE_CPU_TOPOLOGY; i <= PERFDATA_FEATURE_PMU_CAPS; i++)
		header_section(r, i, all, out);
	put_fact(r, "clockid", "clockid", "", out);
	if (recording_fact(r, "data_offset"))
		header_missing(r, out);
	buf_adds(out, "# ========\n#\n");
}
