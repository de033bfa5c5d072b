// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/header.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "util/base/num.h"
#include "util/base/text.h"

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
	const char *wall = recording_fact(r, "wall_clock_ns");
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

/* Each argument ends with a NUL. */
static void put_cmdline(const struct recording *r, struct buf *out)
{
	const struct fact *f = NULL;
	const char *p, *end;
	u32 i;

	for (i = 0; i < r->facts.nr; i++)
		if (!strcmp(r->facts.v[i].key, "cmdline"))
			f = &r->facts.v[i];
	if (!f)
		return;
	buf_adds(out, "# cmdline : ");
	for (p = f->value, end = p + f->value_len; p < end; p += strlen(p) + 1) {
		text_escape(out, p, strlen(p));
		buf_addc(out, ' ');
	}
	buf_addc(out, '\n');
}

static void put_sample_type(u64 type, struct buf *out)
{
	static const char *const names[] = {
		"IP",
		"TID",
		"TIME",
		"ADDR",
		"READ",
		"CALLCHAIN",
		"ID",
		"CPU",
		"PERIOD",
		"STREAM_ID",
		"RAW",
		"BRANCH_STACK",
		"REGS_USER",
		"STACK_USER",
		"WEIGHT",
		"DATA_SRC",
		"IDENTIFIER",
		"TRANSACTION",
		"REGS_INTR",
		"PHYS_ADDR",
		"AUX",
		"CGROUP",
		"DATA_PAGE_SIZE",
		"CODE_PAGE_SIZE",
		"WEIGHT_STRUCT",
	};
	bool first = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!(type >> i & 1))
			continue;
		buf_addf(out, "%s%s", first ? "" : "|", names[i]);
		first = false;
	}
}

static void put_event(const struct event_desc *e, struct buf *out)
{
	buf_adds(out, "# event : name = ");
	text_escape(out, e->name, strlen(e->name));
	buf_addf(out,
		 ", type = %u, size = %u, config = 0x%llx, { sample_period, sample_freq } = %llu, ",
		 e->attr.type, e->attr.size, (unsigned long long)e->attr.config,
		 (unsigned long long)e->attr.sample_period);
	buf_adds(out, "sample_type = ");
	put_sample_type(e->attr.sample_type, out);
	if (e->attr.freq)
		buf_adds(out, ", freq = 1");
	if (e->attr.inherit)
		buf_adds(out, ", inherit = 1");
	if (e->sideband)
		buf_adds(out, ", side-band");
	buf_addc(out, '\n');
}

void header_text(const struct recording *r, const char *path, struct buf *out)
{
	u32 i;

	buf_adds(out, "# ========\n");
	put_captured(r, path, out);
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
	put_fact(r, "clockid", "clockid", "", out);
	for (i = 0; i < r->events.events.nr; i++)
		put_event(&r->events.events.v[i], out);
	buf_adds(out, "# ========\n#\n");
}
