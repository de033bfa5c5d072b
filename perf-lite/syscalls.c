// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/syscalls.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "util/base/num.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_tracepoint.h"

/* perf's words for what --by says. */
static int on_mode(void *value, const char *arg, struct err *err)
{
	static const struct {
		const char *mode, *by;
	} modes[] = {{"thread", "comm,pid,tid"}, {"process", "comm,pid"}, {"total", NULL}};
	struct syscalls *c = value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(arg, modes[i].mode)) {
			c->by = modes[i].by;
			c->split = "--summary-mode";
			return 0;
		}
	}
	err_set(err, EINVAL, "'%s' is no mode of a summary", arg);
	err_hint(err, "give thread, process or total");
	return -EINVAL;
}

static int on_min(void *value, const char *arg, struct err *err)
{
	struct syscalls *c = value;

	if (num_duration(arg, &c->min_ns))
		return 0;
	err_set(err, EINVAL, "--min: '%s' is not a time", arg);
	err_hint(err, "--min 10ms shows calls that take 10 ms and longer");
	return -EINVAL;
}

#define OPT_STRUCT struct syscalls

const struct opt syscalls_opts[] = {
	OPT_GROUP("System calls"),
	OPT_CALL(0, "min", "TIME", on_min, "only calls that take this time and longer: 10ms"),
	OPT_FLAG('s', "summary", summary,
		 "print a table at the end instead of lines; without -e, of all calls"),
	OPT_FLAG('S', "with-summary", with_summary, "print lines and the table"),
	OPT_STRING(
		0, "by", "KEY[,KEY]", by,
		"split its rows by comm, pid, tid, cpu, file, ret or arguments such as fd, filename"),
	OPT_CALL(0, "summary-mode", "MODE", on_mode,
		 "the same in perf's words: thread, process or total (default)"),
	OPT_FLAG(0, "errno-summary", table.named, "list the errors of each call in the table"),
	OPT_FLAG('y', "paths", paths,
		 "print the path of the file behind a first argument that is a descriptor"),
	OPT_FLAG(0, "no-syscalls", off, "print events of system calls as plain events"),
	OPT_END,
};

void syscalls_init(struct syscalls *c, struct sampling *s)
{
	*c = (struct syscalls){.sampling = s};
	s->env.raw_syscalls = true;
}

int syscalls_check(struct syscalls *c, struct err *err)
{
	const char *option = c->split ? c->split : c->by ? "--by" : NULL;

	/* as with perf */
	c->summary |= c->table.named && !c->with_summary;
	if (!option)
		return 0;
	if (c->summary || c->with_summary)
		return c->by ? syscall_summary_by(&c->table, c->by, err) : 0;
	err_set(err, EINVAL, "%s splits the rows of a table, and none is asked for", option);
	err_hint(err, "add -s, or -S for lines and the table");
	return -EINVAL;
}

static int add_paths(struct sampling *s, const char *option, struct err *err)
{
	struct ev_spec *spec;
	bool any = false;
	int ret;
	u32 i;

	for (i = 0; i < s->list.specs.nr; i++) {
		spec = &s->list.specs.v[i];
		if (!spec->tp.of_calls || spec->tp.expr || strcmp(spec->tp.name, "sys_enter") != 0)
			continue;
		any = true;
		ret = ev_expr_call_paths(&s->list, &s->env, spec, err);
		if (ret) {
			err_prefix(err, "%s", option);
			return ret;
		}
	}
	if (any)
		return 0;
	err_set(err, EINVAL,
		"%s: files are those of system calls, and none begins among the events", option);
	err_hint(err, "name calls: -e read,write; or leave out -e for all");
	return -EINVAL;
}

int syscalls_events(const struct syscalls *c, struct sampling *s, bool command, struct err *err)
{
	int ret = 0;
	const bool meant = command || sampling_named(s) || c->summary || c->with_summary ||
			   s->call_filter || c->min_ns || sampling_has_asked(s, SAMPLING_CGROUP);

	s->attrs.syscalls_user_chain = !c->off && !s->attrs.no_user_chain;
	if (!s->any_event && meant) {
		s->any_event = true;
		ret = sampling_take_default(s, "syscalls:*", err);
	}
	if (ret || !(c->paths || c->table.by_file))
		return ret;
	return add_paths(s, c->paths ? "--paths" : "--by file", err);
}

static struct syscalls *calls_of(struct sink *sink)
{
	return (struct syscalls *)sink;
}

static int put_sample(struct sink *sink, const struct session_sample *s, struct buf *out,
		      struct err *err)
{
	struct sink *calls = &calls_of(sink)->calls.sink;

	return calls->ops->sample(calls, s, out, err);
}

static int put_record(struct sink *sink, const struct session_record *r, struct buf *out,
		      struct err *err)
{
	struct sink *calls = &calls_of(sink)->calls.sink;

	return calls->ops->record(calls, r, out, err);
}

/* How many calls were lost with all their samples, by the account of the events. */
static u64 find_lost(const struct syscalls *c)
{
	const struct recording *r = c->in->s->source->recording;
	const struct syscall_account *a = &c->calls.account;
	u64 lost[] = {[SYSCALL_ENTER] = 0, [SYSCALL_EXIT] = 0, [SYSCALL_NEITHER] = 0};
	u64 samples, halves = a->no_enter + a->no_exit;
	enum syscall_side side;
	const struct counts *n;
	bool sides = false;
	u32 i;

	for (i = 0; i < r->counts.nr; i++) {
		n = &r->counts.v[i];
		side = syscall_sink_side(&c->calls, n->event);
		lost[side] += n->lost + n->unwritten + n->unsampled;
		sides |= side != SYSCALL_NEITHER;
	}
	if (sides && lost[SYSCALL_ENTER])
		return lost[SYSCALL_ENTER] > a->no_enter ? lost[SYSCALL_ENTER] - a->no_enter : 0;
	if (sides)
		return lost[SYSCALL_EXIT] > a->no_exit ? lost[SYSCALL_EXIT] - a->no_exit : 0;
	/* of each of the others both samples are lost */
	samples = recording_lost(r, session_lost(c->in->s)) + recording_unwritten(r);
	return samples > halves ? (samples - halves + 1) / 2 : 0;
}

static int put_end(struct sink *sink, struct buf *out, struct err *err)
{
	struct syscalls *c = calls_of(sink);
	int ret = c->calls.sink.ops->end(&c->calls.sink, out, err);

	if (ret || (!c->summary && !c->with_summary))
		return ret;
	c->calls.account.lost = find_lost(c);
	c->calls.account.filtered =
		syscall_sink_is_filtered(&c->calls) || reading_choice(c->in) != READING_ALL;
	c->calls.account.delayed = c->looks;
	if (c->json)
		return syscall_summary_json(&c->table, &c->calls.account, out, err);
	if (c->with_summary)
		buf_addc(out, '\n');
	return syscall_summary_text(&c->table, &c->calls.account, out, err);
}

/* The calls are freed by syscalls_free(), what is behind them by its owner. */
static void put_free(struct sink *sink)
{
	struct sink *other = calls_of(sink)->calls.options.other;

	if (other)
		other->ops->free(other);
}

/* Without system calls, nothing can be asked of them. */
static int check_off(const struct syscalls *c, struct err *err)
{
	const char *filter = c->sampling->call_filter;

	if (!c->off && c->min_ns)
		return err_set(err, EINVAL,
			       "--min is of system calls, and there are no events of them");
	if (!c->summary && !c->with_summary && !filter)
		return 0;
	err_set(err, EINVAL, "%s",
		c->off   ? "without system calls there is no summary of them"
		: filter ? "there are no events of system calls to filter"
			 : "there are no events of system calls to sum up");
	if (filter)
		err_hint(err, "put --filter behind the -e of the tracepoint");
	else
		err_hint(err, c->off ? "leave out --no-syscalls"
				     : "record them with -e 'raw_syscalls:*'");
	return -EINVAL;
}

/* Of a recording. */
static int check_texts(const struct syscalls *c, struct err *err)
{
	const char *filter = c->sampling->call_filter;
	int needed = c->table.by_texts;

	if (syscall_sink_has_texts(&c->calls))
		return 0;
	if (!needed && filter)
		needed = syscall_filter_needs_texts(filter);
	if (needed <= 0)
		return needed ? err_nomem(err) : 0;
	err_set(err, EINVAL, "%s %s: the recording has neither files nor texts of system calls",
		c->table.by_texts ? "--by" : "--filter", c->table.by_texts ? c->by : filter);
	err_hint(err,
		 "they are read while calls are made, without -i; recorded are those of record -e "
		 "'syscalls:sys_enter_read(path(fd))', for perf-lite latency files");
	return -EINVAL;
}

/* Events of the running system are those of its list. */
static bool has_call(const void *arg, u32 event, u32 number)
{
	const struct sampling *s = arg;
	const u8 *calls = event < s->list.specs.nr ? s->list.specs.v[event].tp.calls : NULL;

	return !calls || number >= EV_SYSCALLS_BYTES * 8 || ev_syscalls_has(calls, number);
}

int syscalls_sink(struct syscalls *c, const struct watching *w, struct sink *other,
		  struct time_text *time, bool json, const struct selected_fields *fields,
		  struct sink **sink, struct err *err)
{
	static const struct sink_ops ops = {
		.sample = put_sample, .record = put_record, .end = put_end, .free = put_free};
	struct syscall_sink_options o = {
		.time = time,
		.json = json,
		.fields = fields,
		.lines = !c->summary || c->with_summary,
		.summary = c->summary || c->with_summary ? &c->table : NULL,
		.other = other,
		.filter = c->sampling->call_filter,
		.min_ns = c->min_ns,
		.has_call = w->input ? NULL : has_call,
		.has_call_arg = c->sampling,
	};
	struct session *s = w->in.s;
	int ret;

	*sink = other;
	if (c->off || !syscall_sink_is_wanted(s))
		return check_off(c, err);
	c->sink.ops = &ops;
	c->in = &w->in;
	c->json = json;
	c->made = true;
	*sink = &c->sink;
	ret = syscall_sink_init(&c->calls, &o, s, err);
	if (!ret && w->input)
		ret = check_texts(c, err);
	return ret || !o.summary ? ret : syscall_summary_init(&c->table, s, err);
}

/* Has one of the calls of the event a text in the memory of its process? */
static bool names_texts(const struct ev_spec_tracepoint *tp, const struct arch_syscalls *table)
{
	const struct syscall *what;
	const char *name;
	u32 nr, i;

	if (!tp->calls || !table)
		return true;
	for (nr = 0; nr < 8 * EV_SYSCALLS_BYTES; nr++) {
		name = ev_syscalls_has(tp->calls, nr) ? arch_syscalls_name(table, nr) : NULL;
		what = name ? syscall_signatures_find(name) : NULL;
		for (i = 0; what && i < SYSCALL_ARGS; i++)
			if (what->args[i].name && syscall_is_text(what->args[i].kind))
				return true;
	}
	return false;
}

/* Are texts asked for, in lines, by a filter or as keys? */
static bool asks_texts(const struct syscalls *c, const struct sampling *s)
{
	const bool lines = !c->summary || c->with_summary;

	return !c->off && (lines || c->table.by_texts ||
			   (s->call_filter && syscall_filter_asks_texts(s->call_filter)));
}

bool syscalls_looks(struct syscalls *c, const struct sampling *s)
{
	const struct arch_syscalls *table = NULL;
	const struct ev_spec_tracepoint *tp;
	struct utsname here;
	u32 i;

	if (!uname(&here))
		table = arch_syscalls_find(here.machine);
	for (i = 0; i < s->list.specs.nr && asks_texts(c, s); i++) {
		tp = &s->list.specs.v[i].tp;
		if (tp->system &&
		    (!strcmp(tp->system, "raw_syscalls") || !strcmp(tp->system, "syscalls")))
			c->looks |= names_texts(tp, table);
	}
	return c->looks;
}

void syscalls_look(void *value, const struct rec *rec, const struct sample_layout *layout)
{
	struct syscalls *c = value;

	if (c->made)
		syscall_sink_look(&c->calls, rec, layout);
}

u64 syscalls_reported(const struct syscalls *c)
{
	return c->made ? c->calls.account.calls + c->calls.births : 0;
}

bool syscalls_are_of(const struct syscalls *c, u32 event)
{
	return c->made && syscall_sink_side(&c->calls, event) != SYSCALL_NEITHER;
}

void syscalls_lost(struct syscalls *c, u64 time)
{
	if (c->made)
		syscall_sink_lost(&c->calls, time);
}

void syscalls_cut(struct syscalls *c)
{
	c->calls.cut = true;
}

int syscalls_wait(struct syscalls *c, u64 now, struct buf *out, struct err *err)
{
	return c->made ? syscall_sink_wait(&c->calls, now, out, err) : 0;
}

void syscalls_free(struct syscalls *c)
{
	if (c->made)
		c->calls.sink.ops->free(&c->calls.sink);
	syscall_summary_free(&c->table);
}
