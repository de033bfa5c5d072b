// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/clock.h"
#include "util/base/num.h"
#include "util/event/ev_expr.h"
#include "util/event/ev_span.h"

/* --- shall they? --- */

/* Longer names may be cut short, and idle tasks have one for each CPU. */
static bool knows_comm(const char *comm)
{
	return strlen(comm) <= PROBE_SPAN_COMM_MAX &&
	       strncmp(comm, "swapper", strlen("swapper")) != 0;
}

/* What is paired as samples only; NULL: nothing of this. */
static const char *unable(const struct latency_request *req)
{
	const struct sampling *s = &req->q.w.what;

	if (req->l.states.on || req->l.stages.thens.nr)
		return "what happens within spans is seen in samples";
	if (req->l.spans.repeat == SPANS_NESTED)
		return "spans inside others are paired as samples";
	if (req->l.points.has_records || req->l.whole)
		return "records of switches are not hits of tracepoints";
	if (s->attrs.call_chain || req->q.keys.kernel_chains || req->q.keys.user_chains)
		return "call chains are of samples";
	if (req->l.who.comm && strchr(req->l.who.comm, ','))
		return "programs know one name, not a list";
	if (req->l.who.comm && !knows_comm(req->l.who.comm))
		return "programs know neither long names nor those of idle tasks";
	/* each hit is a point: the period is one */
	return count_kernel_unable(&req->q, EV_PERIOD);
}

/* Is nothing wanted of single spans: neither lines nor quantiles? */
static bool sums_do(const struct latency_request *req)
{
	enum latency_file f;
	u32 i;

	for (f = 0; f < LATENCY_FILES; f++)
		if (req->files[f])
			return false;
	for (i = 0; i < req->q.keys.nr; i++)
		if (count_keys_may_be(&req->q.keys.v[i]) == KEY_TIME)
			return false;
	return req->q.table.what == COUNT_LOG2 && !req->l.asked.trace && !req->l.asked.slowest &&
	       !req->l.asked.open;
}

/* Keys of the begin: 1; 0: programs cannot make them; -ENOMEM. */
static int want_keys(struct latency_request *req, struct ev_span_wanted *w, const char **fields,
		     struct buf *why)
{
	const struct count_keys *keys = &req->q.keys;
	struct sample_key key;
	u32 i;

	for (i = 0; i < keys->nr; i++) {
		key = keys->v[i];
		key.kind = count_keys_may_be(&key);
		switch (key.kind) {
		case KEY_COMM:
			w->sums.comm = true;
			continue;
		case KEY_PID:
			w->sums.pid = true;
			continue;
		case KEY_TID:
			w->sums.tid = true;
			continue;
		case KEY_CPU:
			w->sums.cpu = true;
			continue;
		case KEY_TIME:
			/* of an event with such a field, that is meant */
			if (keys->v[i].kind == KEY_FIELD)
				fields[w->nr_fields++] = key.name;
			continue;
		case KEY_EVENT:
			continue;
		case KEY_FIELD:
			key.name = count_kernel_field(&req->q, key.name);
			if (!key.name)
				return -ENOMEM;
			if (!strchr(key.name, '.')) {
				fields[w->nr_fields++] = key.name;
				continue;
			}
			break;
		default:
			break;
		}
		buf_addf(why, "programs cannot make the key %s", keys->v[i].name);
		return 0;
	}
	return 1;
}

static u32 find_spec(const struct ev_list *list, const char *event)
{
	u32 i;

	for (i = 0; i < list->specs.nr; i++)
		if (watching_is_named(list->specs.v[i].name, event))
			return i;
	return ID_NONE;
}

/* By role. What is not there may be missing. */
static void find_points(const struct latency_request *req, struct ev_span_point *points, u32 *nr)
{
	static const enum probe_span_role roles[] = {[LATENCY_UNTIL] = PROBE_SPAN_UNTIL,
						     [LATENCY_TO] = PROBE_SPAN_TO,
						     [LATENCY_FROM] = PROBE_SPAN_FROM};
	const struct latency_point *p;
	enum latency_role role;
	u32 spec;

	for (role = 0; role < LATENCY_ROLES; role++) {
		for (p = req->l.points.all.v; p < req->l.points.all.v + req->l.points.all.nr; p++) {
			spec = p->role == role ? find_spec(&req->q.w.what.list, p->event) : ID_NONE;
			if (spec != ID_NONE)
				points[(*nr)++] = (struct ev_span_point){spec, roles[role], p->keys,
									 p->filter};
		}
	}
}

static int add(struct latency_request *req, struct ev_span_wanted *w, struct buf *why)
{
	struct sampling *s = &req->q.w.what;
	/* for the tests: hashes that are soon full */
	const char *most = getenv("PERF_LITE_SPANS"), *entries = getenv("PERF_LITE_COUNT_ENTRIES");
	struct err err = {0};
	u64 nr;
	int ret;

	if (most && num_u64(most, &nr))
		w->most = (u32)nr;
	if (entries && num_u64(entries, &nr))
		w->entries = (u32)nr;
	w->filter = req->l.wanted.filter;
	w->nr_words = req->l.points.nr_keys;
	w->latest = req->l.spans.repeat == SPANS_LATEST;
	w->by_task = req->l.points.by_task;
	w->min_ns = req->l.asked.min_ns;
	w->left_out = req->l.who.self;
	w->chosen.processes = req->l.who.pids.nr || req->l.who.follows;
	w->chosen.threads = req->l.who.tids.nr;
	w->chosen.comm = req->l.who.comm;
	w->some_cpus = s->cpu_list;
	w->by_thread = !s->all_cpus && (sampling_named(s) || req->q.command);
	ret = ev_span_add(&s->list, &s->env, w, why);
	if (ret <= 0 || req->q.engine != COUNT_ENGINE_BEST)
		return ret;
	/* what the kernel would refuse is found before anything else is begun: samples need no such thing */
	if (!ev_span_try(&s->list, w->by_thread, &err))
		return 1;
	buf_adds(why, err.msg);
	ev_span_drop(&s->list);
	return 0;
}

static int choose(struct latency_request *req, struct buf *why)
{
	const char *fields[COUNT_KEYS_MAX], *text = unable(req);
	struct ev_span_wanted w = {.fields = fields,
				   .sums = {.on = sums_do(req), .what.has_buckets = true}};
	struct ev_span_point *points;
	int ret;

	if (text)
		buf_adds(why, text);
	ret = text ? 0 : want_keys(req, &w, fields, why);
	if (ret <= 0 || !ev_expr_may_account(&req->q.w.what.root, why))
		return MIN(ret, 0);
	points = calloc(req->l.points.all.nr, sizeof(*points));
	if (!points)
		return -ENOMEM;
	find_points(req, points, &w.nr_points);
	w.points = points;
	ret = add(req, &w, why);
	free(points);
	return ret;
}

int latency_kernel_choose(struct latency_request *req, struct err *err)
{
	struct latency_kernel *k = &req->kernel;
	int ret;

	if (req->q.engine == COUNT_ENGINE_PERF ||
	    (req->q.engine == COUNT_ENGINE_BEST && req->q.w.input))
		return 0;
	if (req->q.w.input) {
		buf_adds(&k->why, "a recording has samples");
		ret = 0;
	} else if (req->q.engine == COUNT_ENGINE_BEST && !req->l.asked.min_ns && !sums_do(req)) {
		buf_adds(
			&k->why,
			"without --min all spans are read, unless only --hist by powers of two is asked for");
		ret = 0;
	} else {
		ret = choose(req, &k->why);
	}
	if (ret < 0 || k->why.failed)
		return err_nomem(err);
	k->on = req->l.who.chosen = ret;
	if (ret || req->q.engine == COUNT_ENGINE_BEST)
		return 0;
	err_set(err, EINVAL, "--engine=bpf: %s", buf_str(&k->why));
	err_hint(err, "without --engine samples are paired then");
	return -EINVAL;
}

int latency_kernel_opened(struct latency_request *req, struct err *err)
{
	const struct latency_threads *who = &req->l.who;
	struct ev_list *list = &req->q.w.what.list;
	int ret = 0;
	u32 i;

	for (i = 0; i < who->pids.nr && !ret; i++)
		ret = ev_span_choose(list, who->pids.v[i], false, err);
	for (i = 0; i < who->tids.nr && !ret; i++)
		ret = ev_span_choose(list, who->tids.v[i], true, err);
	return ret;
}

/* --- what they found --- */

/* What the thread is called: names of the kernel's threads are longer than what a program is given. */
static u32 find_comm(struct process_model *model, const struct ev_span_entry *e)
{
	const size_t len = strnlen(e->comm, sizeof(e->comm));
	const struct thread *thread = process_find_thread(model, e->tid);
	const char *name;
	size_t longer;

	if (!e->tid)
		return strtab_add(&model->comms, "swapper", strlen("swapper"));
	name = thread && len == sizeof(e->comm) - 1 ? process_comm(model, thread, &longer) : NULL;
	if (name && longer > len && !memcmp(name, e->comm, len))
		return strtab_add(&model->comms, name, longer);
	return strtab_add(&model->comms, e->comm, len);
}

/* As if it were the sample of its begin. -ENOMEM. */
static int put_begin(struct latency_request *req, const struct ev_span_entry *e, u64 time,
		     struct latency_kernel_span *out, struct err *err)
{
	struct session *session = req->q.w.in.s;
	const u32 comm = find_comm(&session->model, e);

	if (comm == ID_NONE)
		return err_nomem(err);
	out->thread = (struct thread){.pid = e->pid, .tid = e->tid, .comm = comm};
	out->sample =
		(struct sample){.ids = {.pid = e->pid, .tid = e->tid, .cpu = e->cpu, .time = time},
				.raw = e->raw,
				.raw_size = e->raw_size};
	out->begin = (struct session_sample){
		.event = e->spec,
		.desc = &session->source->recording->events.events.v[e->spec],
		.sample = &out->sample,
		.thread = &out->thread,
		.comm = strtab_get(&session->model.comms, comm),
		.samples = 1,
	};
	memcpy(out->key, e->key, sizeof(out->key));
	out->unwanted = e->unwanted;
	return 0;
}

int latency_kernel_ended(struct latency_request *req, const struct session_sample *end,
			 struct latency_kernel_span *out, struct err *err)
{
	const struct sample *s = end->sample;
	struct ev_span_entry e;

	if (!s->raw || end->event >= req->q.w.what.list.specs.nr ||
	    !ev_span_ended(&req->q.w.what.list, end->event, s->raw, s->raw_size, &e))
		return 0;
	return put_begin(req, &e, s->ids.time - MIN(e.took, s->ids.time), out, err) ? -ENOMEM : 1;
}

static int put_sum(void *arg, const struct ev_span_entry *e, const struct ev_sum *from,
		   struct err *err)
{
	struct latency_request *req = arg;
	struct latency_kernel_span span;
	int ret = put_begin(req, e, 0, &span, err);

	return ret ? ret : count_kernel_put(&req->l.table, &span.begin, from, err);
}

int latency_kernel_take(struct latency_request *req, struct err *err)
{
	return ev_span_take(&req->q.w.what.list, put_sum, req, err);
}

struct opening {
	struct latency_request *req;
	u64 now, mono; /* the same moment on two clocks */
	int (*each)(void *arg, const struct latency_kernel_span *s, struct err *err);
	void *arg;
};

static int put_open(void *arg, const struct ev_span_entry *e, struct err *err)
{
	const struct opening *o = arg;
	const u64 age = o->mono - MIN(e->begin, o->mono);
	struct latency_kernel_span span;
	int ret = put_begin(o->req, e, o->now - MIN(age, o->now), &span, err);

	return ret ? ret : o->each(o->arg, &span, err);
}

int latency_kernel_each_open(struct latency_request *req, u64 now,
			     int (*each)(void *arg, const struct latency_kernel_span *s,
					 struct err *err),
			     void *arg, struct err *err)
{
	struct opening o = {req, now, clock_ns(CLOCK_MONOTONIC), each, arg};

	return ev_span_each_open(&req->q.w.what.list, put_open, &o, err);
}

int latency_kernel_account(struct latency_request *req, struct err *err)
{
	struct spans_account *to = &req->l.spans.account;
	struct probe_span_account a;
	int ret = ev_span_account(&req->q.w.what.list, &req->q.w.what.root, &a, err);

	if (ret)
		return ret;
	*to = (struct spans_account){
		.begins = a.begins,
		.ends = a.spans + a.ends_without_begin + a.reordered,
		.spans = a.spans,
		.restarts = a.restarts,
		.ends_without_begin = a.ends_without_begin,
		.given_up = a.given_up,
		.reordered = a.reordered,
		.no_room = a.no_room,
		.open = to->open,
	};
	req->kernel.not_followed = a.not_followed;
	req->l.tally.below = a.below - req->kernel.below;
	req->l.wanted.left_out = a.unwanted - req->kernel.left_out;
	return 0;
}

void latency_kernel_next(struct latency_request *req)
{
	req->kernel.below += req->l.tally.below;
	req->kernel.left_out += req->l.wanted.left_out;
}
