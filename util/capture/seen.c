// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/capture/seen_dso.h"
#include "util/capture/synth.h"
#include "util/image/image.h"
#include "util/process/process_dump.h"
#include "util/record/deferred.h"

#define COMPACT_MIN (1u << 17)

struct seen_sideband {
	u64 time;
	u32 order; /* of arrival */
	struct rec rec;
};

/* Where code is: the kernel's own, and that of the modules and bpf programs that were told of. */
static void find_bounds(struct seen *s)
{
	const struct process *k = &s->model.kernel;

	if (!s->kernel_asked)
		ksyms_range(&s->ksyms, &s->kernel_start, &s->kernel_len);
	s->kernel_asked = true;
	s->code_low = s->kernel_start;
	s->code_high = s->kernel_start + s->kernel_len;
	if (!s->kernel_start || !k->maps.nr)
		return;
	s->code_low = MIN(s->code_low, s->model.maps.v[k->maps.v[0]].start);
	s->code_high = MAX(s->code_high, s->model.maps.v[k->maps.v[k->maps.nr - 1]].end);
}

/* seen_fresh.h asks, for words of raw data. */
static bool is_code(void *arg, u64 word)
{
	struct seen *s = arg;
	const struct map *map;
	u32 id;

	if (!s->kernel_asked)
		find_bounds(s);
	if (word < s->code_low || word >= s->code_high)
		return false;
	if (word - s->kernel_start < s->kernel_len)
		return true;
	id = process_find_kernel_map(&s->model, word);
	map = id == ID_NONE ? NULL : &s->model.maps.v[id];
	return map && word >= map->start && word < map->end;
}

int seen_init(struct seen *s, const struct event_set *events, int proc, struct err *err)
{
	int ret;

	*s = (struct seen){.events = events, .proc = proc, .compact_at = COMPACT_MIN};
	ksyms_open(&s->ksyms, proc);
	ret = seen_fresh_init(&s->fresh, events, err);
	s->fresh.is_code = is_code;
	s->fresh.arg = s;
	if (!ret)
		ret = process_init(&s->model, err);
	/* days of short-lived processes must not fill the memory */
	s->model.forget_exited = true;
	if (ret)
		seen_free(s);
	return ret;
}

void seen_free(struct seen *s)
{
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		seen_dso_free(&s->dsos.v[i]);
	vec_free(&s->dsos);
	seen_made_free(&s->made);
	seen_fresh_free(&s->fresh);
	vec_free(&s->sideband);
	ksyms_close(&s->ksyms);
	process_free(&s->model);
}

void seen_other(struct seen *s, const struct rec *rec, u32 event,
		const struct columns_stacks *stacks)
{
	struct seen_sideband *b;

	if (rec->type == DEFERRED_RECORD) {
		seen_fresh_deferred(&s->fresh, rec, event, stacks);
		return;
	}
	if (rec->type == PERF_RECORD_TEXT_POKE)
		seen_fresh_text_poke(&s->fresh, rec, event);
	seen_fresh_change(&s->fresh, rec);
	b = vec_push(&s->sideband);
	if (b)
		*b = (struct seen_sideband){
			sample_layout_time(&s->events->events.v[event].layout, rec), s->sideband.nr,
			*rec};
	else
		s->failed = true;
}

/* A record that says where the kernel is, before the first sample in it. */
static void put_kernel(struct seen *s)
{
	struct synth synth = {.layout = &s->events->events.v[0].layout, .out = s->head};
	size_t at = s->head->len;
	struct rec rec;

	if (!s->kernel_asked)
		find_bounds(s);
	s->kernel_told = true;
	if (!s->kernel_start || !s->kernel_len)
		return;
	synth_kernel(&synth, s->kernel_start, s->kernel_len);
	s->head_records++;
	if (!s->head->failed && rec_view(&rec, s->head->data + at, s->head->len - at))
		process_apply(&s->model, &rec);
}

static struct seen_dso *dso_of(struct seen *s, u32 dso)
{
	while (dso != ID_NONE && s->dsos.nr <= dso)
		if (!vec_push(&s->dsos))
			dso = ID_NONE;
	if (dso != ID_NONE)
		return &s->dsos.v[dso];
	s->failed = true;
	return NULL;
}

static void add(struct seen *s, u32 dso, u64 start, u64 end, const char *name)
{
	struct seen_dso *sd = dso_of(s, dso);

	if (sd && !seen_dso_add(sd, &s->names, start, end, name))
		s->failed = true;
}

/* Which build the kernel or a module is, by the notes that it shows. */
static void identify(struct seen_dso *sd, const char *name)
{
	struct buf notes = {0};
	char path[128];

	if (sd->asked)
		return;
	sd->asked = true;
	if (name[0])
		snprintf(path, sizeof(path), "/sys/module/%.*s/notes/.note.gnu.build-id",
			 (int)strcspn(name + 1, "]"), name + 1);
	else
		snprintf(path, sizeof(path), "/sys/kernel/notes");
	if (!io_read_file(AT_FDCWD, path, &notes, 1 << 20))
		sd->build_id_len =
			image_build_id_from_notes(buf_str(&notes), notes.len, false, sd->build_id);
	buf_free(&notes);
}

/* A kernel symbol belongs to the kernel, to a module, or is a bpf program of its own. */
static u32 kernel_dso(struct seen *s, const struct ksym *sym)
{
	const char *name = sym->module;
	enum dso_kind kind = DSO_MODULE;

	if (!name[0]) {
		name = "[kernel.kallsyms]";
		kind = DSO_KERNEL;
	} else if (!strcmp(name, "[bpf]")) {
		name = sym->name;
		kind = DSO_BPF;
	}
	return process_dso(&s->model, name, strlen(name), kind, 0, 0, 0);
}

static void find_kernel(struct seen *s, u64 ip)
{
	struct ksym sym;
	const struct map *map;
	u32 id;

	if (!s->kernel_told)
		put_kernel(s);
	/* a bpf program may be gone by now, and its record said all there is to say */
	id = process_find_kernel_map(&s->model, ip);
	map = id == ID_NONE ? NULL : &s->model.maps.v[id];
	if (map && ip < map->end && s->model.dsos.v[map->dso].kind == DSO_BPF) {
		add(s, map->dso, map->start, map->end, s->model.dsos.v[map->dso].name);
	} else if (ksyms_find(&s->ksyms, ip, &sym)) {
		id = kernel_dso(s, &sym);
		add(s, id, sym.start, sym.end, sym.name);
		if (id < s->dsos.nr)
			identify(&s->dsos.v[id], sym.module);
	}
}

static const struct thread *thread_of(const struct seen *s, const struct seen_address *a)
{
	const struct thread *t = process_find_thread(&s->model, a->tid);

	/* threads share what their leader has mapped */
	return t || a->pid == ID_NONE ? t : process_find_thread(&s->model, a->pid);
}

static struct seen_made_options made_options(struct seen *s)
{
	int clock = s->events->events.v[0].attr.clockid;
	u64 now = clock_ns(CLOCK_MONOTONIC);

	return (struct seen_made_options){
		.model = &s->model,
		.proc = s->proc,
		.held = s->held,
		.shift = clock == CLOCK_MONOTONIC ? 0 : clock_ns(clock) - now,
		.order = s->order,
	};
}

/* In code that a process has made: what is told of it comes when all addresses are done. */
static void find_made(struct seen *s, const struct seen_address *a, u32 dso)
{
	const struct seen_made_options o = made_options(s);
	struct seen_dso *sd = dso_of(s, dso);
	u32 back;

	if (sd)
		sd->user = true;
	for (back = 0; back <= a->caller; back++)
		seen_made_find(&s->made, &o, dso, a->ip - back, a->time);
}

static void find_user(struct seen *s, const struct seen_address *a)
{
	const struct thread *t = thread_of(s, a);
	u32 id = t ? process_find_map(&s->model, t, a->ip) : ID_NONE;
	const struct seen_dso_options o = {s->proc, s->held, s->inlines, s->fetches};
	const struct sym *sym;
	const struct map *map;
	struct seen_dso *sd;
	u64 offset;
	u32 back;

	if (id == ID_NONE)
		return;
	map = &s->model.maps.v[id];
	if (s->model.dsos.v[map->dso].kind == DSO_PERF_MAP) {
		find_made(s, a, map->dso);
		return;
	}
	sd = dso_of(s, map->dso);
	if (!sd)
		return;
	seen_dso_load(sd, &s->model, id, t->pid, &o);
	/* a reader looks a return address up at ip - 1; one that imitates perf looks at ip */
	offset = map_offset(map, a->ip);
	for (back = 0; back <= a->caller; back++) {
		sym = symtab_find(&sd->symtab, offset - back);
		if (sym)
			add(s, map->dso, sym->start, sym->end, sym->name);
		if (!seen_dso_add_place(sd, &s->names, offset - back))
			s->failed = true;
	}
}

static void find(struct seen *s, const struct seen_address *a)
{
	if (!a->kernel) {
		find_user(s, a);
		return;
	}
	find_kernel(s, a->ip);
	if (a->caller)
		find_kernel(s, a->ip - 1);
}

static int sideband_by_time(const void *x, const void *y)
{
	const struct seen_sideband *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void apply(struct seen *s, const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u64 start;

	process_apply(&s->model, rec);
	if (rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC) {
		seen_made_exec(&s->made, cur_u32(&c));
	} else if (rec->type == PERF_RECORD_KSYMBOL) {
		start = cur_u64(&c);
		ksyms_forget(&s->ksyms, start, cur_u32(&c));
	}
}

/* Side-band records and addresses in order of time. */
static void find_all(struct seen *s)
{
	const struct seen_address *a, *end;
	u32 i;

	seen_fresh_sort(&s->fresh);
	a = s->fresh.addresses.v;
	end = a + s->fresh.addresses.nr;
	if (s->sideband.nr)
		qsort(s->sideband.v, s->sideband.nr, sizeof(*s->sideband.v), sideband_by_time);
	for (i = 0; i < s->sideband.nr; i++) {
		for (; a < end && a->time < s->sideband.v[i].time; a++)
			find(s, a);
		apply(s, &s->sideband.v[i].rec);
	}
	for (; a < end; a++)
		find(s, a);
	s->sideband.nr = 0;
}

static void add_made(void *arg, u32 dso, const struct seen_code *code)
{
	struct seen *s = arg;

	add(s, dso, code->start, code->end, code->name);
	if (dso < s->dsos.nr)
		s->dsos.v[dso].user = true;
}

/* What processes have made where samples stood, and what was found of it. */
static void put_made(struct seen *s)
{
	const struct seen_made_options o = made_options(s);

	s->head_records +=
		seen_made_put(&s->made, &o, &s->events->events.v[0].layout, s->head, add_made, s);
	s->failed |= s->made.failed;
}

/* Dead tasks and mappings that were replaced take room in the model, since its ids stay. */
static void compact(struct seen *s)
{
	const struct process_model *m = &s->model;

	if ((u64)m->maps.nr + m->threads.nr < s->compact_at)
		return;
	/* for lack of memory it stays as it is, until later */
	process_compact(&s->model);
	s->compact_at = MAX(COMPACT_MIN, 2 * (m->maps.nr + m->threads.nr));
}

/* Are there copies of stacks in the file, which a reader unwinds? */
static bool has_stacks(const struct event_set *events)
{
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

static int write_functions(struct functions *f, struct writer *w, struct err *err)
{
	struct functions_at at = {0};
	struct buf b = {0};
	int ret = 0;

	while (at.dso < f->dsos.nr && !ret) {
		buf_clear(&b);
		ret = functions_put(f, &at, &b) ? writer_block(w, BLOCK_SYMS, b.data, b.len, err)
						: err_nomem(err);
	}
	buf_free(&b);
	return ret;
}

/* What is new of all DSOs: a block that tells them, and their functions. */
static int write_seen(struct seen *s, struct writer *w, struct err *err)
{
	struct functions functions = {0};
	struct buf dsos = {0};
	bool stacks = has_stacks(s->events);
	int ret = 0;
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		seen_dso_put(&s->dsos.v[i], &s->model.dsos.v[i], stacks, &dsos, &functions);
	if (dsos.failed || functions.failed)
		ret = err_nomem(err);
	if (!ret && dsos.len)
		ret = writer_block(w, BLOCK_DSO, dsos.data, dsos.len, err);
	if (!ret)
		ret = write_functions(&functions, w, err);
	for (i = 0; i < s->dsos.nr && !ret; i++) {
		seen_dso_written(&s->dsos.v[i]);
		ret = seen_dso_write_lines(&s->dsos.v[i], &s->model.dsos.v[i], w, err);
	}
	functions_free(&functions);
	buf_free(&dsos);
	return ret;
}

int seen_flush(struct seen *s, struct buf *head, u32 *head_records, struct writer *w,
	       struct err *err)
{
	bool sideband = s->sideband.nr != 0;

	s->head = head;
	s->head_records = 0;
	find_all(s);
	put_made(s);
	*head_records = s->head_records;
	seen_fresh_clear(&s->fresh);
	compact(s);
	if (s->kernel_asked && sideband)
		find_bounds(s);
	if (s->failed || s->fresh.failed || s->model.failed || head->failed)
		return err_nomem(err);
	return w ? write_seen(s, w, err) : 0;
}

void seen_complete(struct seen *s, struct debuginfod *server, u32 *wanted, u32 *found)
{
	struct seen_dso *sd;
	size_t symbols;
	u32 i;

	*wanted = *found = 0;
	for (i = 0; i < s->dsos.nr; i++) {
		sd = &s->dsos.v[i];
		symbols = sd->symbols.len + sd->lines.entries.len;
		*wanted += sd->fetch.wanted;
		seen_dso_fetch(sd, &s->model.dsos.v[i], &s->names, server);
		*found += symbols != sd->symbols.len + sd->lines.entries.len;
	}
}

static void unwritten(struct seen *s, bool all)
{
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		seen_dso_unwritten(&s->dsos.v[i], all);
}

void seen_forget_written(struct seen *s)
{
	unwritten(s, true);
	s->names.long_bytes = 0;
	seen_fresh_forget(&s->fresh);
}

void seen_write_again(struct seen *s)
{
	unwritten(s, false);
}

const struct err *seen_kernel_error(const struct seen *s)
{
	return s->kernel_told && s->ksyms.error.code ? &s->ksyms.error : NULL;
}
