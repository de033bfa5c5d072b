// SPDX-License-Identifier: GPL-2.0
#include "util/format/record_dump.h"

#include "util/base/text.h"
#include "util/format/sideband_text.h"

static void put_bytes(const u8 *p, u32 size, struct buf *out)
{
	u32 at, i, n;

	buf_addf(out, ".\n. ... raw event: size %u bytes\n", size);
	for (at = 0; at < size; at += n) {
		n = MIN(size - at, 16u);
		buf_addf(out, ".  %04x: ", at);
		for (i = 0; i < n; i++)
			buf_addf(out, " %02x", p[at + i]);
		buf_pad(out, ' ', (size_t)3 * (16 - n) + 2);
		for (i = 0; i < n; i++)
			buf_addc(out,
				 p[at + i] >= 0x20 && p[at + i] < 0x7f ? (char)p[at + i] : '.');
		buf_pad(out, ' ', 16 - n);
		buf_addc(out, '\n');
	}
	buf_addc(out, '\n');
}

/* CPU and time, those of both that are recorded. */
static void put_ids(const struct rec_ids *ids, struct buf *out)
{
	if (ids->cpu != ID_NONE)
		buf_addf(out, "%u ", ids->cpu);
	buf_addf(out, "%llu ", (unsigned long long)ids->time);
}

static void put_place(u64 at, u32 size, struct buf *out)
{
	buf_addf(out, "%#llx [%#x]: ", (unsigned long long)at, size);
}

static void put_sample(const struct sample *s, const struct event_desc *e, struct buf *out)
{
	u64 i;

	buf_addf(out, "PERF_RECORD_SAMPLE(IP, %#x): %d/%d: %#llx period: %llu addr: %#llx", s->misc,
		 (int)s->ids.pid, (int)s->ids.tid, (unsigned long long)s->ip,
		 (unsigned long long)s->period, (unsigned long long)s->addr);
	buf_adds(out, " event: ");
	text_escape(out, e->name, strlen(e->name));
	buf_addc(out, '\n');
	if (s->chain_nr)
		buf_addf(out, "... FP chain: nr:%u\n", s->chain_nr);
	for (i = 0; i < s->chain_nr; i++)
		buf_addf(out, "..... %2llu: %016llx\n", (unsigned long long)i,
			 (unsigned long long)s->chain[i]);
	if (s->branch_nr)
		buf_addf(out, "... branch stack: nr:%llu\n", (unsigned long long)s->branch_nr);
	for (i = 0; i < s->branch_nr; i++)
		buf_addf(out, "..... %2llu: %016llx -> %016llx\n", (unsigned long long)i,
			 (unsigned long long)s->branch[i].from,
			 (unsigned long long)s->branch[i].to);
	if (s->stack_size)
		buf_addf(out, "... ustack: size %llu, %llu of them valid\n",
			 (unsigned long long)s->stack_size, (unsigned long long)s->stack_dyn_size);
}

void record_dump(const struct event_set *events, const struct rec *rec, u32 event, u64 at,
		 const char *path, struct buf *out)
{
	const struct event_desc *e = event < events->events.nr ? &events->events.v[event] : NULL;
	struct rec_ids ids = {.cpu = ID_NONE};
	struct sample sample;

	buf_addf(out, "\n%#llx@", (unsigned long long)at);
	text_escape(out, path, strlen(path));
	buf_addf(out, " [%#x]: event: %u\n", rec->size, rec->type);
	put_bytes(rec->data, rec->size, out);
	if (rec->type != PERF_RECORD_SAMPLE) {
		if (e)
			sample_layout_ids(&e->layout, rec, &ids);
		put_ids(&ids, out);
		put_place(at, rec->size, out);
		sideband_text(rec, NULL, out);
	} else if (e && sample_layout_sample(&e->layout, rec, &sample)) {
		put_ids(&sample.ids, out);
		put_place(at, rec->size, out);
		put_sample(&sample, e, out);
	} else {
		put_place(at, rec->size, out);
		buf_adds(out, e ? "PERF_RECORD_SAMPLE: does not fit its event\n"
				: "PERF_RECORD_SAMPLE: of no event that is known\n");
	}
}
