// SPDX-License-Identifier: GPL-2.0
#include "util/capture/symbol_collector_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/base/text.h"
#include "util/capture/synth.h"
#include "util/image/image.h"
#include "util/record/deferred.h"

size_t symbol_names_length(const struct symbol_names *n, const char *name)
{
	size_t max = n->long_bytes < SYMBOL_NAMES_LONG ? SYM_NAME_MAX : SYMBOL_NAME_SHORT;

	return text_cut(name, strlen(name), max);
}

void symbol_names_add(struct symbol_names *n, const char *name, size_t len)
{
	if (len > SYMBOL_NAME_SHORT)
		n->long_bytes += len;
	n->cut += name[len] != '\0';
}

static bool has_line(const struct buf *lines, const char *line)
{
	const char *s = buf_str(lines), *at;

	for (at = s; (at = strstr(at, line)); at++)
		if (at == s || at[-1] == '\n')
			return true;
	return false;
}

void symbol_names_cannot_read(struct symbol_names *n, const struct err *why)
{
	struct buf line = {0};

	buf_addf(&line, "%s%s%s\n", why->msg, why->hint[0] ? "; " : "", why->hint);
	if (!has_line(&n->unread, buf_str(&line)) && n->nr_unread++ < SYMBOL_UNREAD_MAX)
		buf_adds(&n->unread, buf_str(&line));
	n->unread.failed |= line.failed;
	buf_free(&line);
}

#define COMPACT_MIN (1u << 17)
#define TABLE_BYTES (64ull << 20)
/* Stacks are unwound while their records wait: samples come so much later than the record that their process has ended. */
#define LATE_NS 2000000000ull
/* Files that are open for their lines: if there are more, those that no process maps are closed. */
#define LINES_MAX 64
#define LOADS     16 /* of files: so often it is looked how much memory their symbols take */

/* Where code is: the kernel's own, and that of the modules and bpf programs that are known. */
static void find_bounds(struct symbol_collector *s)
{
	const struct process *k = &s->model.kernel;

	if (!s->kernel.asked)
		ksyms_range(&s->ksyms, &s->kernel.start, &s->kernel.len);
	s->kernel.asked = true;
	s->kernel.code_low = s->kernel.start;
	s->kernel.code_high = s->kernel.start + s->kernel.len;
	if (!s->kernel.start || !k->maps.nr)
		return;
	s->kernel.code_low = MIN(s->kernel.code_low, s->model.maps.v[k->maps.v[0]].start);
	s->kernel.code_high =
		MAX(s->kernel.code_high, s->model.maps.v[k->maps.v[k->maps.nr - 1]].end);
}

/* Of a word of raw data. */
static bool is_code(void *arg, u64 word)
{
	struct symbol_collector *s = arg;
	const struct map *map;
	u32 id;

	if (!s->kernel.asked)
		find_bounds(s);
	if (word < s->kernel.code_low || word >= s->kernel.code_high)
		return false;
	if (word - s->kernel.start < s->kernel.len)
		return true;
	id = process_find_kernel_map(&s->model, word);
	map = id == ID_NONE ? NULL : &s->model.maps.v[id];
	return map && word >= map->start && word < map->end;
}

struct symbol_collector *symbol_collector_new(const struct event_set *events,
					      const struct symbol_collector_options *o,
					      struct err *err)
{
	struct symbol_collector *s = calloc(1, sizeof(*s));

	if (!s) {
		err_nomem(err);
		return NULL;
	}
	s->options = *o;
	s->events = events;
	s->compact_at = COMPACT_MIN;
	ksyms_open(&s->ksyms, o->proc);
	if (symbol_addresses_init(&s->addresses, events, err) || process_init(&s->model, err)) {
		symbol_collector_free(s);
		return NULL;
	}
	s->addresses.is_code = is_code;
	s->addresses.arg = s;
	return s;
}

void symbol_collector_set_pinned(struct symbol_collector *s, struct pinned_files *pinned)
{
	s->pinned = pinned;
}

void symbol_collector_free(struct symbol_collector *s)
{
	u32 i;

	if (!s)
		return;
	for (i = 0; i < s->dsos.nr; i++)
		symbol_dso_free(&s->dsos.v[i]);
	vec_free(&s->dsos);
	symbol_jit_free(&s->jit);
	symbol_addresses_free(&s->addresses);
	vec_free(&s->sideband);
	vec_free(&s->ended);
	buf_free(&s->names.unread);
	ksyms_close(&s->ksyms);
	process_free(&s->model);
	free(s);
}

void symbol_collector_other(struct symbol_collector *s, const struct rec *rec, u32 event,
			    const struct columns_stacks *stacks)
{
	struct symbol_sideband *b;

	if (rec->type == DEFERRED_RECORD) {
		symbol_addresses_deferred(&s->addresses, rec, event, stacks);
		return;
	}
	if (rec->type == PERF_RECORD_TEXT_POKE)
		symbol_addresses_text_poke(&s->addresses, rec, event);
	symbol_addresses_change(&s->addresses, rec);
	b = vec_push(&s->sideband);
	if (b)
		*b = (struct symbol_sideband){
			sample_layout_time(&s->events->events.v[event].layout, rec), s->sideband.nr,
			*rec};
	else
		s->failed = true;
}

/* A record that says where the kernel is, before the first sample in it. */
static void put_kernel(struct symbol_collector *s)
{
	struct synth synth = {.layout = &s->events->events.v[0].layout, .out = s->head};
	size_t at = s->head->len;
	struct rec rec;

	if (!s->kernel.asked)
		find_bounds(s);
	s->kernel.put = true;
	if (!s->kernel.start || !s->kernel.len)
		return;
	synth_kernel(&synth, s->kernel.start, s->kernel.len);
	s->head_records++;
	if (!s->head->failed && rec_view(&rec, s->head->data + at, s->head->len - at))
		process_apply(&s->model, &rec);
}

static struct symbol_dso *dso_of(struct symbol_collector *s, u32 dso)
{
	while (dso != ID_NONE && s->dsos.nr <= dso)
		if (!vec_push(&s->dsos))
			dso = ID_NONE;
	if (dso != ID_NONE)
		return &s->dsos.v[dso];
	s->failed = true;
	return NULL;
}

static void add_function(struct symbol_collector *s, u32 dso, u64 start, u64 end, const char *name)
{
	struct symbol_dso *sd = dso_of(s, dso);

	if (sd && !symbol_dso_add(sd, &s->names, start, end, name))
		s->failed = true;
}

/* Which build the kernel or a module is, by the notes that it shows. */
static void read_build_id(struct symbol_dso *sd, const char *name)
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
static u32 kernel_dso(struct symbol_collector *s, const struct ksym *sym)
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

static void find_kernel(struct symbol_collector *s, u64 ip)
{
	struct ksym sym;
	const struct map *map;
	u32 id;

	if (!s->kernel.put)
		put_kernel(s);
	/* a bpf program may be gone by now, and its record said all there is to say */
	id = process_find_kernel_map(&s->model, ip);
	map = id == ID_NONE ? NULL : &s->model.maps.v[id];
	if (map && ip < map->end && s->model.dsos.v[map->dso].kind == DSO_BPF) {
		add_function(s, map->dso, map->start, map->end, s->model.dsos.v[map->dso].name);
	} else if (ksyms_find(&s->ksyms, ip, &sym)) {
		id = kernel_dso(s, &sym);
		add_function(s, id, sym.start, sym.end, sym.name);
		if (id < s->dsos.nr)
			read_build_id(&s->dsos.v[id], sym.module);
	}
}

static const struct thread *thread_of(const struct symbol_collector *s,
				      const struct symbol_address *a)
{
	const struct thread *t = process_find_thread(&s->model, a->tid);

	/* threads share what their leader has mapped */
	return t || a->pid == ID_NONE ? t : process_find_thread(&s->model, a->pid);
}

static struct symbol_jit_options jit_options(struct symbol_collector *s)
{
	int clock = s->events->events.v[0].attr.clockid;
	u64 now = clock_ns(CLOCK_MONOTONIC);

	return (struct symbol_jit_options){
		.model = &s->model,
		.proc = s->options.proc,
		.pinned = s->pinned,
		.shift = clock == CLOCK_MONOTONIC ? 0 : clock_ns(clock) - now,
		.order = s->order,
	};
}

/* In code that a process has generated: its records are made when all addresses are done. */
static void find_jit(struct symbol_collector *s, const struct symbol_address *a, u32 dso)
{
	const struct symbol_jit_options o = jit_options(s);
	struct symbol_dso *sd = dso_of(s, dso);
	u32 back;

	if (sd)
		sd->user = true;
	for (back = 0; back <= a->caller; back++)
		symbol_jit_find(&s->jit, &o, dso, a->ip - back, a->time);
}

/* By DSO: has a process that runs it mapped? NULL: memory is out. */
static bool *find_mapped(const struct process_model *m, u32 nr)
{
	bool *mapped = calloc(nr, sizeof(*mapped));
	const struct process *p;
	u32 i, j, dso;

	for (i = 0; mapped && i < m->processes.nr; i++) {
		p = &m->processes.v[i];
		for (j = 0; p->running && j < p->maps.nr; j++) {
			dso = m->maps.v[p->maps.v[j]].dso;
			if (dso < nr)
				mapped[dso] = true;
		}
	}
	return mapped;
}

/* Drop the symbols of files, the longest unused first, down to so many bytes. `keep`: by file, NULL: none. */
static u64 drop_tables(struct symbol_collector *s, u64 bytes, u64 max, const bool *keep)
{
	struct symbol_dso *sd, *oldest;
	u32 i;

	while (bytes > max) {
		oldest = NULL;
		for (i = 0; i < s->dsos.nr; i++) {
			sd = &s->dsos.v[i];
			if (sd->symtab.syms.nr && sd->used != s->uses.nr && !(keep && keep[i]) &&
			    (!oldest || sd->used < oldest->used))
				oldest = sd;
		}
		if (!oldest)
			break;
		bytes -= symtab_bytes(&oldest->symtab);
		symbol_dso_drop(oldest);
	}
	return bytes;
}

/* What days of new programs have left behind must not fill the memory. */
static void bound_tables(struct symbol_collector *s)
{
	u64 max = s->options.table_bytes ? s->options.table_bytes : TABLE_BYTES, bytes = 0;
	bool *mapped;
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		bytes += symtab_bytes(&s->dsos.v[i].symtab);
	if (bytes <= max)
		return;
	mapped = find_mapped(&s->model, s->dsos.nr);
	bytes = drop_tables(s, bytes, max, mapped);
	drop_tables(s, bytes, 3 * max, NULL);
	free(mapped);
}

/* Nor may their descriptors run out. Samples of a process that has just ended may still come. */
static void bound_lines(struct symbol_collector *s)
{
	struct symbol_dso *sd;
	bool *mapped = NULL;
	u32 nr = 0, i;

	for (i = 0; i < s->dsos.nr; i++)
		nr += s->dsos.v[i].lines.open;
	if (nr > LINES_MAX)
		mapped = find_mapped(&s->model, s->dsos.nr);
	for (i = 0; mapped && i < s->dsos.nr; i++) {
		sd = &s->dsos.v[i];
		if (sd->lines.open && !mapped[i] && sd->used <= s->uses.flushed)
			symbol_dso_close(sd);
	}
	free(mapped);
	s->uses.flushed = s->uses.nr;
}

static void load_symbols(struct symbol_collector *s, struct symbol_dso *sd, u32 map, u32 pid)
{
	bool had = sd->symtab.syms.nr;

	sd->used = ++s->uses.nr;
	symbol_dso_load(sd, &s->names, &s->model, map, pid, &s->options, s->pinned);
	if (!had && sd->symtab.syms.nr && !(++s->uses.loads % LOADS))
		bound_tables(s);
}

static void find_user(struct symbol_collector *s, const struct symbol_address *a)
{
	const struct thread *t = thread_of(s, a);
	u32 id = t ? process_find_map(&s->model, t, a->ip) : ID_NONE;
	const struct sym *sym;
	const struct map *map;
	struct symbol_dso *sd;
	u64 offset;
	u32 back;

	if (id == ID_NONE)
		return;
	map = &s->model.maps.v[id];
	if (s->model.dsos.v[map->dso].kind == DSO_PERF_MAP) {
		find_jit(s, a, map->dso);
		return;
	}
	sd = dso_of(s, map->dso);
	if (!sd)
		return;
	load_symbols(s, sd, id, t->pid);
	/* a reader looks a return address up at ip - 1; one that imitates perf looks at ip */
	offset = map_offset(map, a->ip);
	for (back = 0; back <= a->caller; back++) {
		sym = symtab_find(&sd->symtab, offset - back);
		if (sym)
			add_function(s, map->dso, sym->start, sym->end, sym->name);
		if (!symbol_dso_add_place(sd, &s->names, offset - back))
			s->failed = true;
	}
}

static void look_up(struct symbol_collector *s, const struct symbol_address *a)
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
	const struct symbol_sideband *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void note_ended(struct symbol_collector *s, u32 tid, u64 time)
{
	const struct thread *t = process_find_thread(&s->model, tid);
	struct symbol_ended *e;

	if (!t || s->model.processes.v[t->process].running)
		return;
	e = vec_push(&s->ended);
	if (e)
		*e = (struct symbol_ended){t->process, time};
	else
		process_forget_ended(&s->model, t->process);
}

static void apply_sideband(struct symbol_collector *s, const struct rec *rec, u64 time)
{
	struct cur c = rec_body(rec);
	u64 start;

	process_apply(&s->model, rec);
	if (rec->type == PERF_RECORD_EXIT) {
		cur_skip(&c, 8); /* pid, ppid */
		note_ended(s, cur_u32(&c), time);
	} else if (rec->type == PERF_RECORD_COMM && rec->misc & PERF_RECORD_MISC_COMM_EXEC) {
		symbol_jit_exec(&s->jit, cur_u32(&c));
	} else if (rec->type == PERF_RECORD_KSYMBOL) {
		start = cur_u64(&c);
		ksyms_forget(&s->ksyms, start, cur_u32(&c));
	}
}

/* Days of short-lived processes must not fill the memory. */
static void forget_ended(struct symbol_collector *s, u64 now)
{
	u32 i, nr = s->ended.nr;

	for (i = 0; i < nr && s->ended.v[i].time + LATE_NS < now; i++)
		process_forget_ended(&s->model, s->ended.v[i].process);
	s->ended.nr -= i;
	if (s->ended.nr)
		memmove(s->ended.v, s->ended.v + i, s->ended.nr * sizeof(*s->ended.v));
}

/* Side-band records and addresses in order of time. */
static void look_up_all(struct symbol_collector *s)
{
	const struct symbol_address *a, *end;
	u32 i;

	symbol_addresses_sort(&s->addresses);
	a = s->addresses.v.v;
	end = a + s->addresses.v.nr;
	if (s->sideband.nr)
		qsort(s->sideband.v, s->sideband.nr, sizeof(*s->sideband.v), sideband_by_time);
	for (i = 0; i < s->sideband.nr; i++) {
		for (; a < end && a->time < s->sideband.v[i].time; a++)
			look_up(s, a);
		apply_sideband(s, &s->sideband.v[i].rec, s->sideband.v[i].time);
	}
	for (; a < end; a++)
		look_up(s, a);
	if (s->sideband.nr)
		forget_ended(s, s->sideband.v[s->sideband.nr - 1].time);
	s->sideband.nr = 0;
}

static void add_jit_function(void *arg, u32 dso, const struct symbol_code *code)
{
	struct symbol_collector *s = arg;

	add_function(s, dso, code->start, code->end, code->name);
	if (dso < s->dsos.nr)
		s->dsos.v[dso].user = true;
}

/* Records of generated code that samples were in, as far as it was found. */
static void put_jit_records(struct symbol_collector *s)
{
	const struct symbol_jit_options o = jit_options(s);

	s->head_records += symbol_jit_put(&s->jit, &o, &s->events->events.v[0].layout, s->head,
					  add_jit_function, s);
	s->failed |= s->jit.failed;
}

/* Dead tasks and mappings that were replaced take room in the model, since its ids stay. */
static void compact_model(struct symbol_collector *s)
{
	const struct process_model *m = &s->model;

	if ((u64)m->maps.nr + m->threads.nr < s->compact_at)
		return;
	/* for lack of memory it stays as it is, until later */
	if (!process_compact(&s->model, NULL))
		s->ended.nr = 0;
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
		buf_reset(&b);
		ret = functions_put(f, &at, &b) ? writer_block(w, BLOCK_SYMS, b.data, b.len, err)
						: err_nomem(err);
	}
	buf_free(&b);
	return ret;
}

/* What is new of all DSOs: a block that lists them, and their functions. */
static int write_collected(struct symbol_collector *s, struct writer *w, struct err *err)
{
	struct functions functions = {0};
	struct buf dsos = {0};
	bool stacks = has_stacks(s->events);
	int ret = 0;
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		symbol_dso_put(&s->dsos.v[i], &s->model.dsos.v[i], stacks, &dsos, &functions);
	if (dsos.failed || functions.failed)
		ret = err_nomem(err);
	if (!ret && dsos.len)
		ret = writer_block(w, BLOCK_DSO, dsos.data, dsos.len, err);
	if (!ret)
		ret = write_functions(&functions, w, err);
	for (i = 0; i < s->dsos.nr && !ret; i++) {
		symbol_dso_written(&s->dsos.v[i]);
		ret = symbol_dso_write_lines(&s->dsos.v[i], &s->model.dsos.v[i], w, err);
	}
	functions_free(&functions);
	buf_free(&dsos);
	return ret;
}

int symbol_collector_flush(struct symbol_collector *s, u64 order, struct buf *head,
			   u32 *head_records, struct writer *w, struct err *err)
{
	bool sideband = s->sideband.nr != 0;

	s->order = order;
	s->head = head;
	s->head_records = 0;
	look_up_all(s);
	put_jit_records(s);
	*head_records = s->head_records;
	symbol_addresses_clear(&s->addresses);
	bound_tables(s);
	bound_lines(s);
	compact_model(s);
	if (s->kernel.asked && sideband)
		find_bounds(s);
	if (s->failed || s->addresses.failed || s->model.failed || head->failed)
		return err_nomem(err);
	return w ? write_collected(s, w, err) : 0;
}

void symbol_collector_complete(struct symbol_collector *s, struct debuginfod *server, u32 *wanted,
			       u32 *found)
{
	struct symbol_dso *sd;
	size_t symbols;
	u32 i;

	*wanted = *found = 0;
	for (i = 0; i < s->dsos.nr; i++) {
		sd = &s->dsos.v[i];
		symbols = sd->symbols.len + sd->lines.entries.len;
		*wanted += sd->fetch.wanted;
		symbol_dso_fetch(sd, &s->model.dsos.v[i], &s->names, server);
		*found += symbols != sd->symbols.len + sd->lines.entries.len;
	}
}

void symbol_collector_forget_written(struct symbol_collector *s)
{
	u32 i;

	for (i = 0; i < s->dsos.nr; i++)
		symbol_dso_forget_written(&s->dsos.v[i]);
	s->names.long_bytes = 0;
	symbol_addresses_forget(&s->addresses);
}

bool symbol_collector_failed(const struct symbol_collector *s)
{
	return s->failed;
}

const struct process_model *symbol_collector_model(const struct symbol_collector *s)
{
	return &s->model;
}

void symbol_collector_notes(const struct symbol_collector *s, struct buf *notes)
{
	const struct err *why = &s->ksyms.error;

	symbol_jit_notes(&s->jit, &s->model, notes);
	if (s->names.cut)
		buf_addf(notes, "%u name%s of functions or files %s too long and cut\n",
			 s->names.cut, TEXT_PLURAL(s->names.cut), TEXT_WERE(s->names.cut));
	buf_adds(notes, buf_str(&s->names.unread));
	if (s->names.unread.failed)
		buf_adds(notes, "out of memory: functions lack names or lines\n");
	else if (s->names.nr_unread > SYMBOL_UNREAD_MAX)
		buf_adds(notes, "more files cannot be read\n");
	if (s->kernel.put && why->code)
		buf_addf(notes, "kernel functions have no names: %s%s%s\n", why->msg,
			 why->hint[0] ? "; " : "", why->hint);
}
