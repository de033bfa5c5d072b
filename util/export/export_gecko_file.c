// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <stdio.h>

#include "util/base/json.h"
#include "util/export/about.h"

#define PROCESSED_VERSION 61
#define GECKO_VERSION     33 /* the browser's own format of that time: read from nowhere */

void export_gecko_ms(u64 ns, struct buf *out)
{
	u64 rest = ns % GECKO_MS;
	unsigned int digits = 6;

	buf_dec(out, ns / GECKO_MS, 0);
	if (!rest)
		return;
	for (; rest % 10 == 0; rest /= 10)
		digits--;
	buf_addc(out, '.');
	buf_dec0(out, rest, digits);
}

int gecko_file_init(struct gecko_file *f, struct session *s, struct err *err)
{
	f->session = s;
	return call_rows_init(&f->rows, s->symboliser, true, err);
}

void gecko_file_free(struct gecko_file *f)
{
	hmap_free(&f->main_of);
	hmap_free(&f->tracks_of);
	call_rows_free(&f->rows);
	spool_free(&f->all);
}

/* ---- columns ---- */

static struct buf *key(struct gecko_file *f, const char *name)
{
	json_key(&f->all.tail, name);
	return &f->all.tail;
}

static void put_column(struct gecko_file *f, const char *name, struct spool *column)
{
	buf_addc(key(f, name), '[');
	spool_join(&f->all, column);
	buf_addc(&f->all.tail, ']');
}

static void put_number(struct gecko_file *f, const char *name, u32 nr, u32 value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	export_gecko_same(&f->all, name, nr, text);
}

void gecko_file_samples(struct gecko_file *f, const struct gecko_samples *c)
{
	json_open(key(f, "samples"), '{');
	json_unsigned(key(f, "length"), c->nr);
	buf_adds(key(f, "weightType"), c->time ? "\"tracing-ms\"" : "\"samples\"");
	put_column(f, "stack", c->stacks);
	put_column(f, "time", c->times);
	put_column(f, "weight", c->weights);
	if (c->cpu)
		put_column(f, "threadCPUDelta", c->cpu);
	buf_addc(&f->all.tail, '}');
}

void gecko_file_markers(struct gecko_file *f, const struct gecko_columns *c)
{
	json_open(key(f, "markers"), '{');
	json_unsigned(key(f, "length"), c->nr);
	put_column(f, "data", c->data);
	if (c->names)
		put_column(f, "name", c->names);
	else
		put_number(f, "name", c->nr, c->name);
	put_column(f, "startTime", c->starts);
	if (c->ends)
		put_column(f, "endTime", c->ends);
	else
		export_gecko_same(&f->all, "endTime", c->nr, "null");
	put_number(f, "phase", c->nr, c->ends ? 1 : 0);
	put_number(f, "category", c->nr, GECKO_CATEGORY_MARKER);
	/* of the track */
	buf_adds(&f->all.tail, "}}");
}

/* ---- tracks ---- */

static void put_text(struct buf *text, struct buf *out)
{
	json_string(out, buf_str(text), text->len);
	out->failed |= text->failed;
	buf_free(text);
}

/*
 * A process has one main thread at most, which is shown as the process itself; an id of a thread
 * that was there before, with another event or because the kernel gave it again, is made another one.
 */
static bool put_ids(struct gecko_file *f, u32 pid, u32 tid)
{
	bool is_main = pid == tid && hmap_get(&f->main_of, pid) == ID_NONE;
	u32 before = hmap_get(&f->tracks_of, tid);
	struct buf id = {0};

	before = before == ID_NONE ? 0 : before;
	if ((is_main && !hmap_set(&f->main_of, pid, 0)) ||
	    !hmap_set(&f->tracks_of, tid, before + 1))
		return false;
	json_bool(key(f, "isMainThread"), is_main);
	buf_sdec(&id, (s32)pid, 0);
	put_text(&id, key(f, "pid"));
	buf_sdec(&id, (s32)tid, 0);
	if (before)
		buf_addf(&id, ".%u", before);
	put_text(&id, key(f, "tid"));
	return true;
}

bool gecko_file_track(struct gecko_file *f, const struct gecko_track *t)
{
	struct buf *out = &f->all.tail;

	json_open_item(out, '{');
	json_put_string(out, "name", t->name);
	if (!put_ids(f, t->pid, t->tid))
		return false;
	json_put_string(out, "processType", "default");
	json_put_string(out, "processName", t->process);
	json_put_unsigned(out, "processStartupTime", 0);
	buf_adds(key(f, "processShutdownTime"), "null");
	export_gecko_ms(t->first, key(f, "registerTime"));
	buf_adds(key(f, "unregisterTime"), "null");
	buf_adds(key(f, "pausedRanges"), "[]");
	json_put_bool(out, "showMarkersInTimeline", true);
	return true;
}

/* ---- the file ---- */

static void put_fact(struct gecko_file *f, const char *name, const char *fact)
{
	struct buf text = {0};

	about_fact(f->session, fact, &text);
	f->all.tail.failed |= text.failed;
	if (text.len)
		put_text(&text, key(f, name));
	else
		buf_free(&text);
}

void gecko_file_begin(struct gecko_file *f, u64 interval, bool any, u64 start)
{
	struct buf *out = &f->all.tail, command = {0};
	u64 wall;

	json_open(out, '{');
	json_open(key(f, "meta"), '{');
	export_gecko_ms(interval, key(f, "interval"));
	export_gecko_ms(any && about_wall_clock(f->session, start, &wall, out) ? wall : 0,
			key(f, "startTime"));
	buf_adds(
		out,
		",\"processType\":0,\"product\":\"perf-lite\",\"importedFrom\":\"perf-lite\","
		"\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
		"\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}");
	json_unsigned(key(f, "version"), GECKO_VERSION);
	json_unsigned(key(f, "preprocessedProfileVersion"), PROCESSED_VERSION);
	about_command(f->session, &command);
	put_text(&command, key(f, "arguments"));
	put_fact(f, "oscpu", "release");
	put_fact(f, "device", "hostname");
	put_fact(f, "CPUName", "cpudesc");
	export_gecko_tables_categories(key(f, "categories"));
	json_open(key(f, "markerSchema"), '[');
}

void gecko_file_begin_tracks(struct gecko_file *f)
{
	struct buf *out = &f->all.tail;

	buf_addc(out, ']');
	json_open(key(f, "extra"), '[');
	buf_addf(out,
		 "{\"label\":\"Recording\",\"entries\":[{\"label\":\"Samples lost\","
		 "\"format\":\"integer\",\"value\":%llu}]}]}",
		 (unsigned long long)about_lost(f->session));
	json_open(key(f, "threads"), '[');
}

bool gecko_file_end(struct gecko_file *f)
{
	bool ok;

	buf_addc(&f->all.tail, ']');
	/* the names of threads are among the strings */
	ok = export_gecko_tables_put(&f->rows, &f->all);
	buf_adds(&f->all.tail, "}\n");
	return ok;
}
