// SPDX-License-Identifier: GPL-2.0
#include "util/library/watching.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base/glob.h"
#include "util/base/io.h"
#include "util/base/num.h"
#include "util/event/ev_names.h"

void watching_note_interval(struct watching *w, const char *arg, u64 ns)
{
	if (arg[strspn(arg, "0123456789.")] || ns < 60ull * 1000000000)
		return;
	buf_addf(&w->notes, "-I %s: a table every %s s; of milliseconds: -I %sms\n", arg, arg, arg);
}

static int on_duration(void *value, const char *arg, struct err *err)
{
	struct watching *w = value;

	if (!num_duration(arg, &w->duration_ns) || !w->duration_ns)
		return err_set(err, EINVAL,
			       "--duration takes a duration such as 10s or 100ms, not '%s'", arg);
	w->plain_duration = !arg[strspn(arg, "0123456789.")];
	return 0;
}

int watching_on_delay(void *value, const char *arg, struct err *err)
{
	if (num_milliseconds(arg, &((struct watching *)value)->delay_ns))
		return 0;
	err_set(err, EINVAL, "'%s' is not a number of milliseconds", arg);
	err_hint(err, "-D 500 starts after half a second");
	return -EINVAL;
}

#define OPT_STRUCT struct watching

const struct opt watching_input_opts[] = {
	OPT_STRING('i', "input", "FILE", input,
		   "read a recording instead of the running system; - is standard input"),
	OPT_STRING(0, "symfs", "DIR", in.session.symfs,
		   "with -i: look for binaries under DIR instead of /"),
	OPT_STRING(0, "kallsyms", "FILE", in.session.kallsyms,
		   "with -i: read kernel symbols from FILE"),
	OPT_END,
};

const struct opt watching_target_opts[] = {
	OPT_GROUP("Targets (default: the whole system, until Ctrl-C)"),
	OPT_INCLUDE(sampling_target_opts, what),
	OPT_GROUP("Duration"),
	OPT_CALL(0, "duration", "TIME", on_duration, "stop after TIME: 10s, 500ms, 2m"),
	OPT_CALL('D', "delay", "MS", watching_on_delay, "start MS milliseconds later"),
	OPT_END,
};

/* What the kernel cannot leave out is left out here. */
static int on_except(void *arg, enum sampling_list kind, const char *list, struct err *err)
{
	struct watching *w = arg;

	switch (kind) {
	case SAMPLING_PIDS:
		return reading_on_pids(&w->in, list, err);
	case SAMPLING_TIDS:
		return reading_on_tids(&w->in, list, err);
	case SAMPLING_COMMS:
		break;
	}
	return reading_on_comms(&w->in, list, err);
}

int watching_init(struct watching *w, const char *command, struct err *err)
{
	int ret;

	*w = (struct watching){.command = command, .round_ns = WATCHING_ROUND_NS};
	reading_init(&w->in);
	ret = sampling_init(&w->what, command, err);
	w->what.env.comms_known = true;
	w->what.collects = true;
	w->what.on_except = on_except;
	w->what.except_arg = w;
	return ret;
}

int watching_events(struct watching *w, struct err *err)
{
	return w->input ? 0 : sampling_take_asked(&w->what, err);
}

/* What the kernel cannot test is tested on samples. The events have the numbers of the list. */
static bool filter_live(struct watching *w)
{
	const struct ev_list *list = &w->what.list;
	u32 i;

	for (i = 0; i < list->specs.nr; i++) {
		if (!list->specs.v[i].tp.here)
			continue;
		w->in.session.want.no_raw = false;
		if (!reading_select_event_filter(&w->in.select, i, list->specs.v[i].tp.here))
			return false;
	}
	return true;
}

/* Once events are chosen: do samples carry call chains? */
static bool any_chains(const struct watching *w)
{
	u32 i;

	for (i = 0; i < w->what.list.specs.nr; i++)
		if (w->what.list.specs.v[i].attr.sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	return sampling_any_stacks(&w->what);
}

void watching_take_notes(struct watching *w)
{
	if (!w->live)
		return;
	buf_add(&w->notes, w->live->notes.data, w->live->notes.len);
	buf_reset(&w->live->notes);
}

void watching_need(struct watching *w, const struct sample_needs *needs)
{
	struct ev_record_options *attrs = &w->what.attrs;
	u64 parts = needs->parts;
	u32 i;

	/* tracepoints have none of the rest, and their fields may have such names */
	for (i = 0; i < w->what.list.specs.nr; i++)
		if (w->what.list.specs.v[i].attr.type == PERF_TYPE_TRACEPOINT)
			parts &= PERF_SAMPLE_CGROUP | PERF_SAMPLE_IP;

	attrs->sample_ip |= (parts & PERF_SAMPLE_IP) != 0;
	attrs->cgroups |= (parts & PERF_SAMPLE_CGROUP) != 0;
	attrs->addresses |= (parts & (PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC)) != 0;
	attrs->weight |= (parts & PERF_SAMPLE_WEIGHT_TYPE) != 0;
	if (parts & PERF_SAMPLE_BRANCH_STACK)
		attrs->branches |= PERF_SAMPLE_BRANCH_ANY;
	attrs->more |=
		parts & (PERF_SAMPLE_CGROUP | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_TRANSACTION |
			 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE);
	attrs->switch_events |= needs->switches;
	attrs->namespaces |= needs->namespaces;
	w->mappings |= (parts & ~(u64)PERF_SAMPLE_CGROUP) != 0;
	w->cpu_places |= needs->cpu_places;
}

int watching_begin(struct watching *w, char **command, struct err *err)
{
	struct sampling *s = &w->what;
	struct live_options o = {
		.event_session = {.command = command,
				  .own_output = w->own_output,
				  .cpus = &s->cpus,
				  .cpus_named = s->cpu_list,
				  .sideband_cpus = s->cpu_list ? &s->online : NULL,
				  .targets = s->targets,
				  .until = s->until,
				  .rings = s->rings,
				  .duration_ns = w->duration_ns,
				  .delay_ns = w->delay_ns,
				  .realtime = w->hurry ? s->realtime : 0,
				  .stop = w->stop},
		.preamble = {.version = w->version,
			     .clockid = s->attrs.clockid,
			     .cpu_places = w->cpu_places,
			     .call_graph = s->call_graph[0] ? s->call_graph : NULL},
		.round_ns = w->round_ns,
		.self = sampling_leaves_out_self(s) ? (u32)getpid() : 0,
		.tasks = !w->in.session.bare,
		.mappings = !w->in.session.bare && (w->mappings || any_chains(w)),
		.data_mappings = s->attrs.addresses,
	};
	int ret;

	o.event_session.rings.gated = true;
	o.event_session.rings.prompt = w->prompt;
	o.event_session.rings.keep_limits = w->embedded;
	o.embedded = w->embedded;
	o.look = w->look;
	o.look_arg = w->look_arg;
	ret = live_open(&w->live, &o, &s->list, &s->root, err);
	watching_take_notes(w);
	if (ret) {
		if (w->live) {
			w->command_error = w->live->event_session.child.error;
			source_close(&w->live->source);
		}
		w->live = NULL;
		return ret;
	}
	w->in.session.source = &w->live->source;
	w->in.session.path = w->live->recording.path;
	if (!filter_live(w)) {
		source_close(&w->live->source);
		w->in.session.source = NULL;
		w->live = NULL;
		return err_nomem(err);
	}
	return reading_begin(&w->in, err);
}

static bool any_named(const char *comm)
{
	int proc = io_open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY);
	bool any = proc < 0 || targets_any_named(proc, comm);

	if (proc >= 0)
		close(proc);
	return any;
}

int watching_find_comm(struct watching *w, bool command, struct err *err)
{
	struct targets_wanted *t = &w->what.targets;
	const char *comm = t->comm;
	bool everybody = limits_privileged(&w->what.limits), any;
	int ret;

	if (w->input || !comm || w->what.pids.nr || w->what.tids.nr || t->by_user)
		return 0;
	any = any_named(comm);
	/* without the right to see everybody: those that run, or the command's own */
	if (!everybody && (any || !command))
		return 0;
	ret = reading_on_comms(&w->in, comm, err);
	if (ret)
		return ret;
	t->comm = NULL;
	w->in.filter.of_processes = true;
	w->what.filtered = true;
	w->what.all_cpus |= everybody;
	if (!command && !any)
		buf_addf(&w->notes, "no process is named '%s' yet: waiting for one\n", comm);
	return 0;
}

int watching_choose(struct watching *w, bool command, struct err *err)
{
	const u32 self = (u32)getpid();
	int ret;

	if (!w->what.any_event) {
		err_set(err, EINVAL, "no event is given");
		err_hint(err, "perf-lite %s -e skb:kfree_skb; perf-lite list shows the events",
			 w->command);
		return -EINVAL;
	}
	w->what.later = w->delay_ns;
	w->what.busy = w->hurry;
	ret = watching_find_comm(w, command, err);
	if (!ret)
		ret = sampling_choose_targets(&w->what, command, err);
	if (!ret)
		ret = sampling_choose_events(&w->what, &self, 1, &w->notes, err);
	return ret;
}

int watching_enable(struct watching *w, struct err *err)
{
	int ret = w->live ? live_start(w->live, err) : 0;

	if (ret)
		w->command_error = w->live->event_session.child.error;
	return ret;
}

int watching_next(struct watching *w, struct session_sample *s, struct err *err)
{
	return w->stopped ? SESSION_END : reading_next(&w->in, s, err);
}

u64 watching_time(const struct watching *w)
{
	const struct session *s = w->in.s;

	return w->live ? s->source->order : s->totals.last;
}

u64 watching_begins(const struct watching *w)
{
	return clock_ns(w->what.attrs.clockid) + w->delay_ns;
}

u64 watching_lost(const struct watching *w)
{
	const struct session *s = w->in.s;

	return w->live ? live_lost(w->live) : recording_lost(s->source->recording, session_lost(s));
}

void watching_stop(struct watching *w)
{
	if (w->live)
		event_session_stop(&w->live->event_session);
	w->stopped = true;
}

bool watching_is_named(const char *event, const char *term)
{
	const size_t len = event_set_plain_length(event), term_len = event_set_plain_length(term);
	const struct ev_name *named;
	enum ev_class class;

	if (!strcmp(event, term) || (glob_is_pattern(term) && glob_match(term, event)))
		return true;
	if (len == term_len && !memcmp(event, term, len))
		return true;
	named = ev_names_find(event, len, &class);
	return named && named == ev_names_find(term, term_len, &class);
}

void watching_end(struct watching *w)
{
	reading_end(&w->in);
	sampling_free(&w->what);
	buf_free(&w->notes);
}
