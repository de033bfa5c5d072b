// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/event/ev_count.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_probe.h"

/* Each has maps of its own. */
#define EVENTS_MAX 16u

/* --- shall they? --- */

/* A key of the wanted ones; false: programs cannot make it. */
static bool want_key(const struct sample_key *key, struct ev_count_wanted *w, const char **fields)
{
	switch (key->kind) {
	case KEY_EVENT:
		return true;
	case KEY_COMM:
		return w->comm = true;
	case KEY_PID:
		return w->pid = true;
	case KEY_TID:
		return w->tid = true;
	case KEY_CPU:
		return w->cpu = true;
	case KEY_CGROUP:
		return w->cgroup = true;
	case KEY_FIELD:
		fields[w->nr_fields++] = key->name;
		return true;
	default:
		return false;
	}
}

const char *count_kernel_field(struct count_request *q, const char *name)
{
	static const char tail[] = ".function";
	size_t len = strlen(name), n = sizeof(tail) - 1;

	return len > n && !strcmp(name + len - n, tail)
		       ? arena_strndup(&q->w.what.list.arena, name, len - n)
		       : name;
}

static bool want_keys(struct count_request *q, struct ev_count_wanted *w, const char **fields,
		      struct buf *why)
{
	struct sample_key key;
	u32 i;

	w->fields = fields;
	for (i = 0; i < q->keys.nr; i++) {
		key = q->keys.v[i];
		key.kind = count_keys_may_be(&key);
		key.name = count_kernel_field(q, key.name);
		if (key.name && want_key(&key, w, fields))
			continue;
		buf_addf(why, "programs cannot make the key %s", q->keys.v[i].name);
		return false;
	}
	if (q->keys.has_of && q->keys.of.kind != KEY_FIELD) {
		buf_adds(why, "programs know no periods");
		return false;
	}
	if (q->table.what == COUNT_QUANTILES || q->table.what == COUNT_LINEAR) {
		buf_addf(why, "%s keeps values, programs only their powers of two",
			 q->table.what == COUNT_LINEAR ? "--hist=linear" : "--quantiles");
		return false;
	}
	w->of = q->keys.has_of ? q->keys.of.name : NULL;
	w->buckets = q->table.what == COUNT_LOG2;
	w->by_thread = !q->w.what.all_cpus && (sampling_named(&q->w.what) || q->command);
	w->some_cpus = q->w.what.cpu_list;
	return true;
}

const char *count_kernel_unable(const struct count_request *q, u32 terms)
{
	const struct sampling *s = &q->w.what;
	const struct ev_spec *e;
	u32 i;

	if (s->filtered || q->w.in.filter.comms.nr || q->w.in.filter.pids.nr ||
	    q->w.in.filter.tids.nr)
		return "names of tasks are chosen among samples";
	if (s->attrs.all_user || s->attrs.all_kernel)
		return "programs cannot tell user code from kernel code";
	for (i = 0; i < s->list.specs.nr; i++) {
		e = &s->list.specs.v[i];
		if (!ev_spec_traces(e) && !ev_probe_is_user(e))
			return "programs run at tracepoints and probes only";
		if (e->cgroup)
			return "-G is a matter of perf events";
		if (e->group != ID_NONE || e->attr.exclude_kernel || e->attr.exclude_user ||
		    e->attr.exclude_hv || e->terms.has & ~terms)
			return "the terms of the events are of perf events";
	}
	return NULL;
}

/* What programs do not do; NULL: nothing of this. */
static const char *unable(const struct count_request *q)
{
	const struct sampling *s = &q->w.what;

	if (s->attrs.frequency || s->attrs.period)
		return "a rate is one of samples";
	if (s->list.specs.nr > EVENTS_MAX)
		return "there are many events";
	return count_kernel_unable(q, 0);
}

/* Values with and without a sign have one column, but not one meaning to programs. */
static bool same_signs(const struct ev_list *list)
{
	int first = -1, one;
	u32 i;

	for (i = 0; i < list->specs.nr; i++) {
		one = ev_count_signed(&list->specs.v[i]);
		if (first >= 0 && one >= 0 && first != one)
			return false;
		first = one >= 0 ? one : first;
	}
	return true;
}

/* What the kernel would refuse is found before anything else is begun: samples need no such thing. */
static bool would_start(struct ev_list *list, bool by_thread, struct buf *why)
{
	struct err err = {0};
	u32 i;

	for (i = 0; i < list->specs.nr; i++) {
		if (!ev_count_try(&list->specs.v[i], by_thread, &err))
			continue;
		buf_adds(why, err.msg);
		return false;
	}
	return true;
}

static int add_all(struct count_request *q, const struct ev_count_wanted *w, struct buf *why)
{
	struct ev_list *list = &q->w.what.list;
	u32 i;
	int ret = 1;

	for (i = 0; i < list->specs.nr && ret > 0; i++)
		ret = ev_count_add(list, &q->w.what.env, i, w, why);
	if (ret > 0 && !same_signs(list)) {
		buf_addf(why, "%s has a sign in some of the events", w->of);
		ret = 0;
	}
	if (ret > 0 && q->engine == COUNT_ENGINE_BEST)
		ret = would_start(list, w->by_thread, why);
	for (i = 0; i < list->specs.nr && ret <= 0; i++)
		ev_count_drop(&list->specs.v[i]);
	return ret;
}

static int choose(struct count_request *q, struct buf *why)
{
	const char *fields[COUNT_KEYS_MAX], *text = unable(q);
	/* for the tests: a map that is soon full */
	const char *entries = getenv("PERF_LITE_COUNT_ENTRIES");
	struct ev_count_wanted w = {0};
	u64 nr;

	if (entries && num_u64(entries, &nr))
		w.entries = (u32)nr;
	if (text)
		buf_adds(why, text);
	if (text || !want_keys(q, &w, fields, why) || !ev_expr_may_account(&q->w.what.root, why))
		return 0;
	return add_all(q, &w, why);
}

int count_kernel_choose(struct count_request *q, struct buf *why, struct err *err)
{
	int ret;

	if (q->engine == COUNT_ENGINE_PERF || (q->engine == COUNT_ENGINE_BEST && q->w.input))
		return 0;
	if (q->w.input)
		buf_adds(why, "a recording has samples");
	ret = q->w.input ? 0 : choose(q, why);
	if (ret < 0 || why->failed)
		return err_nomem(err);
	if (ret || q->engine == COUNT_ENGINE_BEST)
		return ret;
	err_set(err, EINVAL, "--engine=bpf: %s", buf_str(why));
	err_hint(err, "without --engine the samples of perf events are counted then");
	return -EINVAL;
}

/* --- what they counted --- */

struct taking {
	struct session *session;
	struct count_table *table;
	u32 event;
};

int count_kernel_put(struct count_table *t, const struct session_sample *s,
		     const struct ev_sum *from, struct err *err)
{
	const struct count_sum sum = {.nr = from->nr,
				      .with = from->with,
				      .least = from->least,
				      .most = from->most,
				      .sum = from->sum};

	return count_table_add_sum(t, s, &sum, from->buckets, from->nr_buckets, from->first_bucket,
				   err);
}

/* As if it were a sample of these keys. */
static int put_entry(void *arg, const struct ev_count_entry *e, struct err *err)
{
	const struct taking *t = arg;
	struct strtab *comms = &t->session->model.comms;
	struct thread thread = {.pid = e->pid, .tid = e->tid, .comm = ID_NONE};
	const struct sample sample = {
		.ids = {.pid = e->pid, .tid = e->tid, .cpu = e->cpu},
		.raw = e->raw,
		.raw_size = e->raw_size,
		.cgroup = e->cgroup,
	};
	const struct session_sample s = {
		.event = t->event, .sample = &sample, .thread = &thread, .comm = ""};

	if (e->has_comm) {
		thread.comm = strtab_add(comms, e->comm, strnlen(e->comm, sizeof(e->comm)));
		if (thread.comm == ID_NONE)
			return err_nomem(err);
	}
	return count_kernel_put(t->table, &s, &e->sum, err);
}

int count_kernel_take(struct count_request *q, struct count_table *t, struct err *err)
{
	struct ev_list *list = &q->w.what.list;
	struct taking taking = {.session = q->w.in.s, .table = t};
	int ret = 0;

	/* the events of the session have the numbers of the list */
	for (taking.event = 0; taking.event < list->specs.nr && !ret; taking.event++)
		if (ev_count_is(&list->specs.v[taking.event]))
			ret = ev_count_take(&list->specs.v[taking.event], put_entry, &taking, err);
	return ret;
}

int count_kernel_add(struct count_request *q, struct count_table *t, u32 event,
		     const struct sample *s, struct err *err)
{
	struct taking taking = {.session = q->w.in.s, .table = t, .event = event};
	struct ev_spec *spec = &q->w.what.list.specs.v[event];
	struct ev_count_entry e;
	u64 bucket;

	if (!ev_count_is(spec) || !s->raw || !ev_count_spilled(spec, s->raw, s->raw_size, &e))
		return 0;
	if (e.sum.with && t->options.what == COUNT_LOG2) {
		bucket = 1;
		e.sum.buckets = &bucket;
		e.sum.nr_buckets = 1;
		e.sum.first_bucket = (s32)(s64)count_log2_of(e.sum.least, t->keys->of_signed);
	}
	return put_entry(&taking, &e, err);
}
