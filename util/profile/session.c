// SPDX-License-Identifier: GPL-2.0
#include "util/profile/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/io.h"
#include "util/base/num.h"
#include "util/file/reorder.h"
#include "util/profile/bind.h"
#include "util/profile/deferred_chains.h"
#include "util/profile/drop_companions.h"
#include "util/profile/group_read.h"
#include "util/profile/printk_formats.h"
#include "util/profile/sample_filter.h"
#include "util/profile/sample_unwind.h"
#include "util/profile/session_internal.h"
#include "util/profile/symboliser.h"
#include "util/profile/task_names.h"
#include "util/record/raw_layout.h"
#include "util/tracepoint/tp_prog.h"

struct session_parts {
	struct bind bind;
	struct symboliser symboliser;
	struct sample_unwind unwinding;
	VEC(u64) calls; /* a chain that join_branches() made */
	struct printk_formats strings;
	struct cgroup_names cgroups;
	struct task_namespaces namespaces;
	struct thread_cache tasks;
	struct parallelism parallelism;
	u32 group_size;          /* samples that `sample` represents */
	struct group_read group; /* of `sample`, while it is taken apart */
	struct rec rec;          /* of `record` */
	bool prepared;
	bool unwinds; /* some event holds what stacks are unwound from */
	bool unwound; /* `sample` has its chain */
	bool counts;  /* threads that run */
};

static struct session *session_alloc(void)
{
	struct session *s = calloc(1, sizeof(*s));
	struct session_parts *p = calloc(1, sizeof(*p));

	if (!s || !p) {
		free(s);
		free(p);
		return NULL;
	}
	s->parts = p;
	s->symboliser = &p->symboliser;
	s->strings = &p->strings;
	s->cgroups = &p->cgroups;
	s->namespaces = &p->namespaces;
	s->tasks = &p->tasks;
	return s;
}

static struct source *open_source(const struct session_options *o, struct err *err)
{
	if (o->source)
		return o->source;
	return o->in ? source_open_stream(o->in, o->path, err) : source_open(o->path, err);
}

struct session *session_open(const struct session_options *o, struct err *err)
{
	struct source *source = open_source(o, err);
	struct session *s = NULL;

	if (source && !symbols_check_kernel(o->kallsyms, o->vmlinux, err)) {
		s = session_alloc();
		if (!s)
			err_nomem(err);
	}
	if (!s) {
		source_close(source);
		return NULL;
	}
	s->options = *o;
	s->source = source;
	if (process_init(&s->model, err)) {
		session_close(s);
		return NULL;
	}
	s->model.keep_on_exec = o->as_perf;
	s->model.forget_exited = source->recording->live;
	bind_init(&s->parts->bind, s->source->recording, &s->model);
	symboliser_init(s->symboliser, &s->model, &s->parts->bind, NULL, &o->resolve);
	return s;
}

bool session_is_running_kernel(const struct recording *r)
{
	const char *boot = recording_fact(r, "boot_id"), *release = recording_fact(r, "release");
	struct buf b = {0};
	struct utsname un;
	bool same;

	if (!boot)
		return release && !uname(&un) && !strcmp(un.release, release);
	same = !io_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &b, 256) &&
	       !strncmp(buf_str(&b), boot, strlen(boot));
	buf_free(&b);
	return same;
}

/* Where symbols are looked for that the recording does not hold. */
static int open_symbols(struct session *s, struct err *err)
{
	const struct session_options *o = &s->options;
	struct symbols_options so = {
		.symfs = o->symfs,
		.cache = o->cache,
		.kallsyms = o->kallsyms,
		.vmlinux = o->vmlinux,
		.debuginfod = o->debuginfod,
		.demangle = !o->resolve.no_demangle,
		.running = o->source,
		.compat = o->as_perf,
	};

	if (!so.kallsyms && !o->symfs && session_is_running_kernel(s->source->recording))
		so.kallsyms = "/proc/kallsyms";
	s->symbols = symbols_new(&so, err);
	s->symboliser->symbols = s->symbols;
	s->model.kernel_file = o->show_kernel_path ? o->vmlinux : NULL;
	return s->symbols ? 0 : -ENOMEM;
}

static bool holds_registers(const struct event_set *events)
{
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].layout.sample_type & PERF_SAMPLE_REGS_USER)
			return true;
	return false;
}

static int open_unwinding(struct session *s, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	const struct session_options *o = &s->options;
	const struct sample_unwind_options uo = {
		.engine = o->unwinding.engine,
		.again = o->unwinding.again,
		.last_word_missing = o->as_perf,
		.foreign = s->source->recording->foreign,
		.arch = s->symboliser->arch,
		.files = symbols_image_options(s->symbols),
	};

	s->parts->unwinds = !o->want.no_chains && s->symboliser->arch && holds_registers(events) &&
			    !(o->want.addresses && event_set_addresses(events));
	return s->parts->unwinds ? sample_unwind_init(&s->parts->unwinding, &uo, &s->model, err)
				 : 0;
}

const char *session_machine(const struct session *s, struct utsname *here)
{
	const char *machine = recording_fact(s->source->recording, "arch");

	return machine ? machine : uname(here) ? NULL : here->machine;
}

struct tp_opts session_tp_opts(const struct session *s)
{
	const char *long_size = recording_fact(s->source->recording, "long_size");
	const char *hz = recording_fact(s->source->recording, "hz");
	struct tp_opts opts = {.compat = s->options.as_perf};
	struct utsname here;
	const char *machine = session_machine(s, &here);
	u64 v;

	/* perf shows the numbers of calls */
	if (machine && !opts.compat)
		opts.calls = arch_syscalls_find(machine);
	if (long_size && num_u64(long_size, &v))
		opts.long_size = (u32)v;
	if (hz && num_u64(hz, &v) && v <= 1000000)
		opts.hz = (u32)v;
	return opts;
}

static int compile_event(struct session *s, u32 event, struct err *err)
{
	struct event_set *events = &s->source->recording->events;
	const struct event_desc *e = &events->events.v[event];
	struct tp_opts opts = session_tp_opts(s);
	const struct tp_text *t;
	struct sample_layout_derive derive;
	struct err why = {0};

	if (e->attr.type != PERF_TYPE_TRACEPOINT)
		return 0;
	t = recording_tracepoint(s->source->recording, e->attr.config);
	if (!t) {
		buf_addf(&s->notes, "%s: the recording does not hold its format\n", e->name);
		return 0;
	}
	s->formats[event] = tp_format_parse(t->format, t->format_len, &why);
	if (s->formats[event]) {
		raw_layout_derive(s->formats[event], &derive);
		event_set_derive(events, event, &derive);
		s->programs[event] = tp_prog_compile(s->formats[event], &opts, &why);
	}
	if (s->programs[event])
		return 0;
	buf_addf(&s->notes, "%s: %s\n", e->name, why.msg);
	/* its fields can be printed all the same */
	if (s->formats[event])
		s->programs[event] = tp_prog_fields(s->formats[event], &why);
	return why.code == ENOMEM ? err_nomem(err) : 0;
}

static bool wants_cpu(const void *filter, u32 cpu)
{
	return sample_filter_cpu(filter, cpu);
}

static bool asks_for_threads(const struct session_options *o)
{
	return o->threads.count || o->threads.latency || (o->filter && o->filter->running.nr);
}

/* What the source need not read; nothing is known of the events yet. */
static void say_wanted(struct session *s)
{
	const struct sample_filter *f = s->options.filter;
	struct source_want want = s->options.want;

	want.grouped &= !s->options.bare && !(f && sample_filter_times(f)) && !s->parts->counts;
	/* times that count from the first sample do so from the first of all CPUs */
	if (f && !f->time_relative && !s->options.want.whole_time) {
		want.time_to = f->time_to;
		want.cpu = f->cpus.nr ? wants_cpu : NULL;
		want.filter = f;
	}
	source_want(s->source, &want);
}

/*
 * The samples before a span of time are wanted only where counts go on from one to the next: groups
 * that are read by their leader (group_read.h).
 */
static void skip_to_time(struct session *s)
{
	const struct event_set *events = &s->source->recording->events;
	const struct sample_filter *f = s->options.filter;
	struct source_want want = s->source->want;
	u32 i;

	if (!f || f->time_relative || s->options.want.whole_time)
		return;
	for (i = 0; i < events->events.nr; i++)
		if (events->events.v[i].layout.sample_type & PERF_SAMPLE_READ)
			return;
	want.time_from = f->time_from;
	source_want(s->source, &want);
}

/* The stages that this reading needs; the events are known then. */
static int chain_stages(struct session *s, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	const struct tp_opts opts = session_tp_opts(s);
	const struct deferred_chains_options bounds = {
		.max_bytes = DEFERRED_CHAINS_BYTES,
		.max_wait_ns = s->source->recording->live ? DEFERRED_CHAINS_WAIT_NS : 0,
	};
	int ret;

	if (s->options.bare)
		return 0;
	ret = reorder_wrap(&s->source, err);
	if (!ret)
		ret = reorder_prepare(s->source, err);
	if (!ret && events->defers && !s->options.want.no_chains)
		ret = deferred_chains_wrap(&s->source, &bounds, err);
	if (!ret && s->options.drop_companions)
		ret = drop_companions_wrap(&s->source, &opts, err);
	return ret;
}

/* What is asked for, but was not recorded. */
static int check_recorded(const struct session *s, struct err *err)
{
	if (!s->parts->counts || parallelism_is_recorded(&s->source->recording->events))
		return 0;
	err_set(err, EINVAL,
		"context switches were not recorded: nobody knows how many threads ran");
	err_hint(err, "record them: perf-lite record --latency ...");
	return -EINVAL;
}

int session_count_threads(struct session *s, struct err *err)
{
	s->options.threads.count = s->parts->counts = true;
	return check_recorded(s, err);
}

int session_prepare(struct session *s, struct err *err)
{
	struct event_set *events = &s->source->recording->events;
	const char *machine, *strings;
	struct utsname here;
	int ret;
	u32 i;

	if (s->parts->prepared)
		return 0;
	s->parts->counts = asks_for_threads(&s->options);
	say_wanted(s);
	ret = chain_stages(s, err);
	if (!ret)
		ret = check_recorded(s, err);
	if (ret)
		return ret;
	s->nr_events = events->events.nr;
	s->formats = calloc(events->events.nr + 1, sizeof(*s->formats));
	s->programs = calloc(events->events.nr + 1, sizeof(*s->programs));
	if (!s->formats || !s->programs)
		return err_nomem(err);
	if (s->source->recording->damage.no_tables && !s->options.symfs)
		session_kernel_fill(s->source->recording, s->options.path, &s->notes);
	skip_to_time(s);
	for (i = 0; i < events->events.nr; i++) {
		ret = compile_event(s, i, err);
		if (ret)
			return ret;
	}
	strings = recording_fact(s->source->recording, "printk_formats");
	if (strings && !printk_formats_parse(s->strings, strings, strlen(strings)))
		return err_nomem(err);
	ret = open_symbols(s, err);
	if (ret)
		return ret;
	machine = session_machine(s, &here);
	s->symboliser->arch = machine ? arch_find(machine) : NULL;
	s->model.kernel64 = s->symboliser->arch != NULL; /* those that are known are */
	ret = open_unwinding(s, err);
	if (ret)
		return ret;
	s->parts->prepared = true;
	return 0;
}

static void count_loss(struct session *s, const struct rec *rec)
{
	struct cur c = rec_body(rec);

	if (rec->type == PERF_RECORD_LOST) {
		cur_u64(&c);
		s->totals.lost += cur_u64(&c);
	} else if (rec->type == PERF_RECORD_LOST_SAMPLES) {
		s->totals.lost_samples += cur_u64(&c);
	}
}

/* The thread of a sample, what it is called, and its process where only the tid is recorded. */
static bool find_task(struct session *s, struct session_sample *out)
{
	struct rec_ids *ids = &s->sample.ids;

	out->thread = thread_cache_get(s->tasks, &s->model, ids->pid, ids->tid, &out->comm);
	if (!out->thread || s->model.failed)
		return false;
	if (ids->pid == ID_NONE && ids->tid != ID_NONE)
		ids->pid = out->thread->pid;
	return true;
}

/* Is the record one that is given out? */
static bool wants_record(const struct session *s, const struct rec *rec)
{
	const struct sample_filter *f = s->options.filter;

	if (rec->type >= 64 || !(s->options.records >> rec->type & 1))
		return false;
	return !f || sample_filter_cpu(f, s->record.ids.cpu);
}

/* The thread that a record is about; the one that ran if it names none. */
static void subject(const struct rec *rec, const struct rec_ids *ids, u32 *pid, u32 *tid)
{
	struct cur c = rec_body(rec);

	*pid = ids->pid;
	*tid = ids->tid;
	switch (rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
		*pid = cur_u32(&c);
		*tid = cur_u32(&c);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		*pid = cur_u32(&c);
		cur_u32(&c);
		*tid = cur_u32(&c);
		break;
	}
}

/* Whose record it is. */
static void identify_record(struct session *s, const struct rec *rec)
{
	const struct event_set *events = &s->source->recording->events;
	struct session_record *r = &s->record;

	r->desc = rec->event < events->events.nr ? &events->events.v[rec->event] : NULL;
	if (!r->desc || !sample_layout_ids(&r->desc->layout, rec, &r->ids))
		r->ids = (struct rec_ids){.pid = ID_NONE, .tid = ID_NONE, .cpu = ID_NONE};
	if (r->ids.cpu == ID_NONE)
		r->ids.cpu = rec->cpu;
}

/* What is known of a record at its time. False: it is not wanted. */
static bool describe_record(struct session *s, const struct rec *rec)
{
	struct session_record *r = &s->record;
	const struct thread *t;
	u32 pid, tid;

	if (!wants_record(s, rec))
		return false;
	s->parts->rec = *rec;
	r->rec = &s->parts->rec;
	subject(rec, &r->ids, &pid, &tid);
	t = tid == ID_NONE ? NULL : process_find_thread(&s->model, tid);
	r->comm = thread_cache_comm(s->tasks, &s->model, t, tid);
	return true;
}

/* What a record that is no sample changes. 1: it is given out. */
static int apply_record(struct session *s, const struct rec *rec, struct err *err)
{
	process_apply(&s->model, rec);
	thread_cache_forget(s->tasks);
	if (rec->ahead)
		return 0;
	count_loss(s, rec);
	if (rec->type == PERF_RECORD_EXIT && !group_read_exit(&s->parts->group, rec))
		return err_nomem(err);
	if (!cgroup_names_apply(s->cgroups, rec) || !task_namespaces_apply(s->namespaces, rec))
		return err_nomem(err);
	if (!s->options.records && !s->parts->counts)
		return 0;
	identify_record(s, rec);
	if (s->parts->counts && !parallelism_record(&s->parts->parallelism, rec, &s->record.ids))
		return err_nomem(err);
	return s->options.records && describe_record(s, rec);
}

/*
 * The call chain from a processor's record of calls (perf record --call-graph lbr): the kernel's half as it was recorded,
 * PERF_CONTEXT_USER, the function that was entered last, and the calls that led there. With PERF_SAMPLE_BRANCH_CALL_STACK
 * branches are a stack: a return takes the call away that it belongs to. They know of user code only, of as many calls as
 * the processor has room for, and their addresses are of calls, not return addresses. A sample without user code keeps its
 * chain.
 *
 * Source: perf_event_open(2); tools/perf/util/machine.c, resolve_lbr_callchain_sample().
 */
static int join_branches(struct session *s, u64 branch_type, struct err *err)
{
	struct sample *sample = &s->sample;
	u32 kept = 0, i;
	u64 *to;

	if (!(branch_type & PERF_SAMPLE_BRANCH_CALL_STACK) || !sample->branch_nr ||
	    sample->calls_from)
		return 0;
	while (kept < sample->chain_nr && sample->chain[kept] != (u64)PERF_CONTEXT_USER)
		kept++;
	if (kept++ == sample->chain_nr)
		return 0;
	if (!vec_reserve(&s->parts->calls, kept + 1 + sample->branch_nr))
		return err_nomem(err);
	to = s->parts->calls.v;
	memcpy(to, sample->chain, kept * sizeof(*to));
	to[kept] = sample->branch[0].to;
	for (i = 0; i < sample->branch_nr; i++)
		to[kept + 1 + i] = sample->branch[i].from;
	sample->chain = to;
	sample->chain_nr = kept + 1 + (u32)sample->branch_nr;
	sample->calls_from = kept;
	return 0;
}

/* Read up to the next sample, and what of it can be known. */
static int next_sample(struct session *s, struct session_sample *out, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	struct rec rec;
	int ret;

	while ((ret = source_step(s->source, &rec, err)) == SOURCE_RECORD) {
		if (rec.type != PERF_RECORD_SAMPLE) {
			ret = apply_record(s, &rec, err);
			if (ret)
				return ret < 0 ? ret : SESSION_RECORD;
			continue;
		}
		if (rec.event == ID_NONE) {
			s->source->recording->damage.unknown += 1 + rec.more;
			continue;
		}
		if (!sample_layout_sample(&events->events.v[rec.event].layout, &rec, &s->sample)) {
			s->totals.malformed += 1 + rec.more;
			continue;
		}
		if (!bind_update(&s->parts->bind))
			return err_nomem(err);
		if (s->sample.by_program && s->symboliser)
			symboliser_drop_program(s->symboliser, &s->sample);
		s->parts->unwound = !s->parts->unwinds;
		s->parts->group_size = 1 + rec.more;
		out->event = rec.event;
		return SESSION_SAMPLE;
	}
	if (ret == SOURCE_WAIT)
		session_forget(s, NULL);
	return ret;
}

/* The next member of a group that is read by its leader, or the next sample. */
static int next_event(struct session *s, struct session_sample *out, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	u64 id, count;
	u32 member;
	int ret;

	for (;;) {
		while (s->parts->group.left && group_read_next(&s->parts->group, &id, &count)) {
			member = hmap_get(&events->by_id, id);
			if (member == ID_NONE)
				continue;
			s->sample.ids.id = id;
			s->sample.period = count;
			out->event = member;
			return SESSION_SAMPLE;
		}
		if (s->parts->group.failed)
			return err_nomem(err);
		ret = next_sample(s, out, err);
		if (ret != SESSION_SAMPLE ||
		    !group_read_begin(&s->parts->group, &events->events.v[out->event], &s->sample))
			return ret;
	}
}

/* Give out a sample with nothing but its own fields. */
static int give_bare(struct session *s, struct session_sample *out)
{
	out->thread = NULL;
	out->comm = "";
	out->stack = 0;
	out->running = 0;
	out->period = s->sample.period;
	out->samples = 1;
	out->last = s->sample.ids.time;
	s->totals.samples++;
	return SESSION_SAMPLE;
}

/* How many threads run; false: out of memory. */
static bool count_threads(struct session *s, struct session_sample *out)
{
	struct parallelism *p = &s->parts->parallelism;

	out->period = s->sample.period;
	out->running = 0;
	if (!s->parts->counts)
		return true;
	if (!parallelism_sample(p, &s->sample.ids))
		return false;
	out->running = p->running;
	if (s->options.threads.latency)
		s->sample.period = parallelism_share(p, &s->sample.ids, s->sample.period);
	return true;
}

/* Does the process have a name that the filter wants? */
static bool is_of_process(const struct session *s, const struct session_sample *out)
{
	const struct sample_filter *f = s->options.filter;
	const struct thread *first =
		f->of_processes ? process_find_thread(&s->model, out->thread->pid) : NULL;

	return first && first != out->thread &&
	       sample_filter_pass(f, &s->sample.ids,
				  thread_cache_comm(s->tasks, &s->model, first, first->tid));
}

/* Does the caller's filter let it pass? */
static bool is_wanted(const struct session *s, const struct session_sample *out)
{
	const struct sample_filter *f = s->options.filter;

	return !f || ((sample_filter_pass(f, &s->sample.ids, out->comm) || is_of_process(s, out)) &&
		      (!f->running.nr || sample_filter_running(f, out->running)));
}

int session_next(struct session *s, struct session_sample *out, struct err *err)
{
	const struct event_set *events = &s->source->recording->events;
	int ret;

	ret = s->parts->prepared ? 0 : session_prepare(s, err);
	if (ret)
		return ret;
	while ((ret = next_event(s, out, err)) == SESSION_SAMPLE) {
		out->sample = &s->sample;
		out->desc = &events->events.v[out->event];
		if (s->options.bare)
			return give_bare(s, out);
		if (!find_task(s, out) || !count_threads(s, out))
			return err_nomem(err);
		s->totals.first = s->totals.first ? s->totals.first : s->sample.ids.time;
		out->samples = s->parts->group_size;
		out->last = MAX(s->sample.ids.time, s->parts->group_size > 1 ? s->source->last : 0);
		s->totals.last = MAX(s->totals.last, out->last);
		if (s->options.filter && !s->totals.any) {
			s->options.filter->time_first = s->sample.ids.time;
			s->totals.any = true;
		}
		if (!is_wanted(s, out))
			continue;
		if (join_branches(s, out->desc->layout.branch_type, err))
			return -ENOMEM;
		if (!s->parts->unwound &&
		    sample_unwind_chain(&s->parts->unwinding, out->thread, &s->sample, err))
			return -ENOMEM;
		s->parts->unwound = true;
		s->totals.foreign_stacks = s->parts->unwinding.nr_foreign;
		out->stack = s->options.no_stacks
				     ? 0
				     : symboliser_stack(s->symboliser, out->thread, &s->sample);
		s->totals.samples += out->samples;
		return SESSION_SAMPLE;
	}
	return ret;
}

void session_finish(struct session *s)
{
	source_finish(s->source);
}

void session_close(struct session *s)
{
	u32 i;

	if (!s)
		return;
	while (s->forgetting.holders)
		session_release(s->forgetting.holders);
	for (i = 0; i < s->nr_events && s->programs; i++)
		tp_prog_free(s->programs[i]);
	for (i = 0; i < s->nr_events && s->formats; i++)
		tp_format_free(s->formats[i]);
	free(s->programs);
	free(s->formats);
	free(s->given_as);
	symboliser_free(s->symboliser);
	sample_unwind_free(&s->parts->unwinding);
	vec_free(&s->parts->calls);
	bind_free(&s->parts->bind);
	group_read_free(&s->parts->group);
	printk_formats_free(s->strings);
	cgroup_names_free(s->cgroups);
	task_namespaces_free(s->namespaces);
	if (s->symbols)
		symbols_free(s->symbols);
	process_free(&s->model);
	source_close(s->source);
	buf_free(&s->notes);
	thread_cache_free(s->tasks);
	parallelism_free(&s->parts->parallelism);
	free(s->parts);
	free(s);
}

u64 session_lost(const struct session *s)
{
	return MAX(s->totals.lost, s->totals.lost_samples);
}

u64 session_lost_unlisted(const struct session *s)
{
	const struct recording *r = s->source->recording;
	u64 listed = 0, lost = recording_lost(r, session_lost(s));
	u32 i;

	for (i = 0; i < r->losses.nr; i++)
		listed += r->losses.v[i].cause == LOSS_DISK ? 0 : r->losses.v[i].count;
	return lost - MIN(lost, listed);
}
