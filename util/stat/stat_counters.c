// SPDX-License-Identifier: GPL-2.0
#include "util/stat/stat_counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/event/ev_hidden.h"
#include "util/event/ev_pmu.h"
#include "util/event/ev_probe.h"
#include "util/kernel/cgroups.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static int fd_at(const struct stat_counters *c, u32 event, u32 place)
{
	return c->fds[stat_index(&c->shape, event, place)];
}

static bool is_alone(const struct stat_event *e)
{
	return e->group == ID_NONE;
}

/* Events first..end of the list are one group, or one event. */
static u32 group_end(const struct stat_shape *s, u32 first)
{
	u32 end = first + 1;

	while (end < s->nr_events && !is_alone(&s->events[first]) &&
	       s->events[end].group == s->events[first].group)
		end++;
	return end;
}

/* Worth a gate: a start one by one takes longer than what may be counted. */
#define MANY_EVENTS 16

/* Hardware must not be dragged into a group that would not fit on the PMU. */
static bool can_be_gated(const struct stat_event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT && is_alone(e) && !e->cgroup &&
	       !e->attr.pinned && !e->attr.exclusive;
}

static int gate_of(const struct stat_counters *c, u32 event, u32 place)
{
	return c->gates && can_be_gated(&c->shape.events[event]) ? c->gates[place] : -1;
}

static enum stat_tool tool_of(const struct ev_spec *spec)
{
	static const struct {
		const char *name;
		enum stat_tool tool;
	} tools[] = {{"duration_time", STAT_DURATION_TIME},
		     {"user_time", STAT_USER_TIME},
		     {"system_time", STAT_SYSTEM_TIME}};
	size_t i;

	for (i = 0; spec->class == EV_TOOL && i < ARRAY_SIZE(tools); i++)
		if (!strncmp(spec->name, tools[i].name, strlen(tools[i].name)))
			return tools[i].tool;
	return STAT_NO_TOOL;
}

static void set_attr(struct stat_event *e, const struct stat_counters_options *o)
{
	struct perf_event_attr *a = &e->attr;

	a->size = sizeof(*a);
	a->sample_period = a->sample_type = 0;
	a->freq = 0;
	a->read_format = TIMES;
	a->disabled = 1;
	a->inherit = o->inherit;
	if (o->all_user)
		a->exclude_kernel = 1;
	if (o->all_kernel)
		a->exclude_user = 1;
}

static void describe(struct stat_event *e, const struct ev_spec *spec, u32 first)
{
	*e = (struct stat_event){
		.name = spec->name,
		.typed = spec->name,
		.unit = spec->pmu.unit ? spec->pmu.unit : "",
		.scale = spec->pmu.scale != 0 ? spec->pmu.scale : 1.0,
		.snapshot = spec->pmu.snapshot,
		.attr = spec->attr,
		.tool = tool_of(spec),
		.cgroup = spec->cgroup,
		.pmu = spec->pmu.name,
		.cpus = spec->pmu.cpus,
		.nr_cpus = spec->pmu.nr_cpus,
		.group = spec->group,
		.leader = first,
	};
	if (e->tool) {
		e->unit = "ns";
	} else if (spec->attr.type == PERF_TYPE_SOFTWARE &&
		   (spec->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		    spec->attr.config == PERF_COUNT_SW_TASK_CLOCK)) {
		/* counted in ns */
		e->unit = "msec";
		e->scale = 1e-6;
	}
	if (e->tool == STAT_USER_TIME || e->tool == STAT_SYSTEM_TIME)
		snprintf(e->reason, sizeof(e->reason), "it is known when a command has ended");
}

/* The first of the units that share a name, and show their sum under it. */
static int find_whole(struct stat_counters *c, u32 event, struct err *err)
{
	const struct ev_spec *specs = c->list->specs.v, *s = &specs[event];
	struct stat_event *e = &c->shape.events[event];
	u32 i;

	if (!s->pmu.of_boxes)
		return 0;
	if (c->options.no_merge) {
		e->name = ev_pmu_name(&c->arena, s, s->name, strlen(s->name));
		return e->name ? 0 : err_nomem(err);
	}
	for (i = 0; i < event; i++)
		if (specs[i].text == s->text && specs[i].at == s->at &&
		    specs[i].cgroup == s->cgroup)
			break;
	e->is_part = i < event;
	e->whole = i;
	return 0;
}

int stat_counters_init(struct stat_counters *c, const struct ev_list *list,
		       const struct stat_counters_options *o, struct buf *notes, struct err *err)
{
	u32 nr = list->specs.nr, i, first = 0;
	struct stat_event *e;

	*c = (struct stat_counters){.options = *o, .list = list};
	c->opener = (struct ev_opener){
		.root = o->root,
		.arena = &c->arena,
		.notes = notes,
		.counts = true,
	};
	c->shape.events = e = calloc(MAX(nr, 1u), sizeof(*e));
	/* of a group: its length, two times, and a value and an id for each */
	c->buffer = calloc(3 + 2 * (size_t)nr, sizeof(*c->buffer));
	if (!e || !c->buffer)
		return err_nomem(err);
	c->shape.nr_events = nr;
	for (i = 0; i < nr; i++) {
		const struct ev_spec *spec = &list->specs.v[i];

		if (!i || spec->group == ID_NONE || spec->group != list->specs.v[i - 1].group)
			first = i;
		describe(&e[i], spec, first);
		set_attr(&e[i], o);
		ev_probe_own(spec, &e[i].attr, notes);
		if (find_whole(c, i, err))
			return -ENOMEM;
	}
	ev_probe_note_misses(list, notes);
	return 0;
}

/* --- places --- */

static bool counts_packages(const struct stat_event *e)
{
	return e->nr_cpus && !e->tool;
}

/* The CPUs of the masks of all PMUs, for when the targets are tasks. */
static int mask_cpus(const struct stat_counters *c, struct cpus *all, struct err *err)
{
	struct cpus online = {0};
	int ret = 0;
	u32 i, j, k;

	for (i = 0; i < c->shape.nr_events; i++)
		if (counts_packages(&c->shape.events[i]))
			break;
	if (i == c->shape.nr_events)
		return 0;
	ret = cpus_online(c->options.root, &online, err);
	for (k = 0; k < online.nr && !ret; k++)
		for (i = 0; i < c->shape.nr_events; i++) {
			const struct stat_event *e = &c->shape.events[i];
			u32 *slot;

			for (j = 0; counts_packages(e) && j < e->nr_cpus; j++)
				if (e->cpus[j] == online.v[k])
					break;
			if (!counts_packages(e) || j == e->nr_cpus)
				continue;
			slot = vec_push(all);
			if (!slot)
				ret = err_nomem(err);
			else
				*slot = online.v[k];
			break;
		}
	cpus_free(&online);
	return ret;
}

static int make_places(struct stat_counters *c, const struct stat_target *t, struct err *err)
{
	static const struct stat_place everybody = {.tid = -1};
	struct cpus masks = {0};
	u32 nr_cpus = t->cpus ? t->nr_cpus : 1, nr_threads = t->command ? 1 : t->nr_threads;
	struct stat_place *p;
	int ret = 0;
	u32 i, j;

	if (!t->cpus)
		ret = mask_cpus(c, &masks, err);
	if (ret)
		return ret;
	if ((u64)nr_cpus * nr_threads + masks.nr > UINT32_MAX / 2 ||
	    !(p = calloc((size_t)nr_cpus * nr_threads + masks.nr, sizeof(*p)))) {
		cpus_free(&masks);
		return err_nomem(err);
	}
	free(c->shape.places);
	c->shape.places = p;
	for (j = 0; j < nr_threads; j++)
		for (i = 0; i < nr_cpus; i++, p++) {
			*p = t->command ? everybody : t->threads[j];
			p->cpu = t->cpus ? t->cpus[i] : ID_NONE;
		}
	for (i = 0; i < masks.nr; i++, p++) {
		*p = everybody;
		p->cpu = masks.v[i];
	}
	c->shape.nr_places = (u32)(p - c->shape.places);
	cpus_free(&masks);
	return 0;
}

/* --- opening --- */

struct opening {
	struct stat_counters *c;
	const struct stat_target *target;
	u32 event;
	int cgroup; /* -1: none */
	bool open;  /* somewhere */
	bool refused;
	bool of_packages; /* it cannot be of a task */
};

static bool opens_at(const struct opening *o, u32 place)
{
	const struct stat_event *e = &o->c->shape.events[o->event];
	const struct stat_place *p = &o->c->shape.places[place];
	u32 i;

	if (place >= o->c->nr_target && !o->of_packages)
		return false;
	if (p->cpu == ID_NONE || !e->nr_cpus)
		return place < o->c->nr_target;
	for (i = 0; i < e->nr_cpus; i++)
		if (e->cpus[i] == p->cpu)
			return true;
	return false;
}

/* The first of its group that is open there, -1: this one will lead. */
static int leader_at(const struct stat_counters *c, u32 event, u32 place)
{
	u32 i;

	for (i = c->shape.events[event].leader; i < event; i++)
		if (fd_at(c, i, place) >= 0)
			return fd_at(c, i, place);
	return -1;
}

/* Leaders begin disabled and members enabled: so they start together. */
static void prepare_attr(struct opening *o, u32 place, bool member)
{
	struct stat_event *e = &o->c->shape.events[o->event];
	bool grouped = group_end(&o->c->shape, e->leader) - e->leader > 1;

	e->attr.read_format = TIMES | (grouped ? PERF_FORMAT_GROUP | PERF_FORMAT_ID : 0);
	e->attr.disabled = !member;
	e->attr.enable_on_exec = !member && o->c->options.enable_on_exec && place < o->c->nr_target;
}

bool stat_counters_not_here(const struct ev_spec *spec, int code)
{
	/* what a pattern matches and cannot be counted is no reason to refuse the rest */
	if (spec->tp.of_pattern && code == EPERM)
		return true;
	return code == ENOENT || code == ENODEV || code == ENXIO || code == EOPNOTSUPP ||
	       code == EINVAL || code == -EV_OPEN_NO_ROOM;
}

static void refused(struct opening *o, int code, const struct err *why)
{
	struct stat_event *e = &o->c->shape.events[o->event];

	o->refused = true;
	e->code = code;
	if (code == -EV_OPEN_NO_ROOM)
		snprintf(
			e->reason, sizeof(e->reason),
			"it does not fit on the PMU with the rest of its group: count it alone, or the group with :W");
	else
		snprintf(e->reason, sizeof(e->reason), "%.*s (%s)", (int)sizeof(e->reason) - 64,
			 why->msg, strerror(code));
}

/* A descriptor or -errno, as ev_open_one(). */
static int open_event_at(struct opening *o, u32 place, int leader, struct err *err)
{
	struct stat_counters *c = o->c;
	struct stat_event *e = &c->shape.events[o->event];
	struct ev_spec spec = c->list->specs.v[o->event];
	const struct stat_place *p = &c->shape.places[place];
	const bool command = o->target->command && place < c->nr_target;
	const struct ev_place where = {
		.cpu = p->cpu,
		.tid = command ? o->target->command : p->tid,
		.cgroup = o->cgroup,
		.group = leader,
		.settled = o->open,
	};
	int fd;

	spec.name = e->name;
	spec.attr = e->attr;
	fd = ev_open_one(&c->opener, &spec, &where, err);
	e->name = spec.name;
	e->attr = spec.attr;
	return fd;
}

#define GROUP_TOO_BIG 1

static int open_at(struct opening *o, u32 place, struct err *err)
{
	struct stat_counters *c = o->c;
	struct stat_event *e = &c->shape.events[o->event];
	const struct ev_spec *spec = &c->list->specs.v[o->event];
	size_t at = stat_index(&c->shape, o->event, place);
	int gate = gate_of(c, o->event, place), fd;
	int leader = gate >= 0 ? gate : leader_at(c, o->event, place);
	struct err why = {0};

	prepare_attr(o, place, leader >= 0);
	fd = open_event_at(o, place, leader, &why);
	if (fd == EV_OPEN_NO_ROOM && c->list->specs.v[e->leader].weak)
		return GROUP_TOO_BIG;
	if (fd < 0 && stat_counters_not_here(spec, -fd)) {
		refused(o, -fd, &why);
		return 0;
	}
	/* the thread has ended */
	if (fd == -ESRCH && !why.code)
		return 0;
	if (fd < 0) {
		if (err)
			*err = why;
		return fd;
	}
	c->fds[at] = fd;
	o->open = true;
	if (e->attr.read_format & PERF_FORMAT_ID && ioctl(fd, PERF_EVENT_IOC_ID, &c->ids[at]))
		return err_set(err, errno, "cannot read the id of %s: %s", e->name,
			       strerror(errno));
	return ev_open_filter_one(fd, spec, err);
}

static void settle(struct opening *o)
{
	struct stat_event *e = &o->c->shape.events[o->event];

	if (o->open) {
		e->state = STAT_COUNTED;
		e->code = 0;
		e->reason[0] = 0;
		return;
	}
	e->state = o->refused ? STAT_NOT_SUPPORTED : STAT_NOT_COUNTED;
	if (o->refused)
		return;
	snprintf(e->reason, sizeof(e->reason), "%s",
		 e->nr_cpus ? "its PMU counts on none of the CPUs chosen"
			    : "the threads had ended before it was open");
}

static int open_event(struct opening *o, struct err *err)
{
	struct stat_counters *c = o->c;
	const struct ev_spec *spec = &c->list->specs.v[o->event];
	int ret = 0;
	u32 p;

	o->cgroup = -1;
	if (spec->cgroup) {
		o->cgroup = cgroups_open(c->options.root, spec->cgroup, err);
		if (o->cgroup < 0)
			return o->cgroup;
	}
	for (p = 0; p < c->shape.nr_places && !ret; p++) {
		if (p == c->nr_target && !o->open && o->refused &&
		    counts_packages(&c->shape.events[o->event]) &&
		    c->shape.events[o->event].code == EINVAL)
			o->of_packages = true;
		if (opens_at(o, p))
			ret = open_at(o, p, err);
	}
	if (o->cgroup >= 0)
		close(o->cgroup);
	if (!ret)
		settle(o);
	return ret;
}

static void open_gates(struct stat_counters *c, const struct stat_target *t)
{
	static const struct perf_event_attr like = {0};
	u32 i, nr = 0;

	for (i = 0; i < c->shape.nr_events; i++)
		nr += can_be_gated(&c->shape.events[i]);
	if (nr < MANY_EVENTS || c->options.one_by_one || !t->cpus || t->command ||
	    t->nr_threads != 1 || t->threads->tid != -1)
		return;
	/* without memory or a gate they are opened without */
	c->gates = calloc(t->nr_cpus, sizeof(*c->gates));
	for (i = 0; c->gates && i < t->nr_cpus; i++)
		c->gates[i] = ev_open_gate(&like, t->cpus[i]);
}

static void close_event(struct stat_counters *c, u32 event)
{
	size_t at = stat_index(&c->shape, event, 0), end = at + c->shape.nr_places;

	for (; at < end; at++) {
		if (c->fds[at] >= 0)
			close(c->fds[at]);
		c->fds[at] = -1;
	}
}

/* Its events are opened alone from now on; returns the first of them, which are all to be opened again. */
static u32 dissolve(struct stat_counters *c, u32 event)
{
	u32 first = c->shape.events[event].leader, end = group_end(&c->shape, first), i;

	for (i = end; i-- > first;) {
		close_event(c, i);
		c->shape.events[i].group = ID_NONE;
		c->shape.events[i].leader = i;
	}
	return first;
}

static void note_hidden(struct stat_counters *c)
{
	struct ev_hidden h = {0};
	u32 e, p;

	for (e = 0; e < c->shape.nr_events; e++) {
		for (p = 0; p < c->shape.nr_places && fd_at(c, e, p) < 0; p++)
			;
		if (p < c->shape.nr_places)
			ev_hidden_look(&h, c->list, e, fd_at(c, e, p), c->opener.notes);
	}
	ev_hidden_end(&h, c->opener.notes);
	c->looked_hidden = true;
}

int stat_counters_open(struct stat_counters *c, const struct stat_target *t, struct err *err)
{
	struct opening o = {.c = c, .target = t};
	size_t n, k;
	u32 i;
	int ret = make_places(c, t, err);

	if (ret)
		return ret;
	n = MAX((size_t)c->shape.nr_events * c->shape.nr_places, 1u);
	c->fds = calloc(n, sizeof(*c->fds));
	c->ids = calloc(n, sizeof(*c->ids));
	if (!c->fds || !c->ids)
		return err_nomem(err);
	for (k = 0; k < n; k++)
		c->fds[k] = -1;
	open_gates(c, t);
	c->nr_target = (t->cpus ? t->nr_cpus : 1) * (t->command ? 1 : t->nr_threads);
	for (i = 0; i < c->shape.nr_events && !ret; i++) {
		o.event = i;
		o.open = o.refused = o.of_packages = false;
		if (!c->shape.events[i].tool)
			ret = open_event(&o, err);
		if (ret == GROUP_TOO_BIG) {
			i = dissolve(c, i) - 1;
			ret = 0;
		}
	}
	if (!ret && !c->looked_hidden)
		note_hidden(c);
	return ret;
}

/* --- counting --- */

/* An errno, or 0. */
static int control_gates(struct stat_counters *c, unsigned long request)
{
	int code = 0;
	u32 p;

	for (p = 0; c->gates && p < c->shape.nr_places; p++)
		if (c->gates[p] >= 0 && ioctl(c->gates[p], request, 0))
			code = errno;
	return code;
}

/* At places from number `place` on. */
static int control(struct stat_counters *c, u32 event, u32 place, unsigned long request)
{
	u32 first = event == ID_NONE ? 0 : c->shape.events[event].leader;
	u32 end = event == ID_NONE ? c->shape.nr_events : group_end(&c->shape, first);
	bool on = request == PERF_EVENT_IOC_ENABLE;
	int code = on ? 0 : control_gates(c, request);
	u32 e, p;

	/* all of a CPU at once: so their counts are of one time */
	for (p = place; p < c->shape.nr_places; p++)
		for (e = first; e < end; e++)
			/* a member does as its leader does */
			if (fd_at(c, e, p) >= 0 && gate_of(c, e, p) < 0 && leader_at(c, e, p) < 0 &&
			    ioctl(fd_at(c, e, p), request, 0))
				code = errno;
	if (on && !code)
		code = control_gates(c, request);
	return -code;
}

int stat_counters_enable(struct stat_counters *c, u32 event, struct err *err)
{
	int ret = control(c, event, 0, PERF_EVENT_IOC_ENABLE);

	if (ret)
		return err_set(err, -ret, "cannot enable the events: %s", strerror(-ret));
	return 0;
}

int stat_counters_enable_beside(struct stat_counters *c, struct err *err)
{
	int ret = control(c, ID_NONE, c->nr_target, PERF_EVENT_IOC_ENABLE);

	if (ret)
		return err_set(err, -ret, "cannot enable the events: %s", strerror(-ret));
	return 0;
}

void stat_counters_disable(struct stat_counters *c, u32 event)
{
	control(c, event, 0, PERF_EVENT_IOC_DISABLE);
}

static void take(struct stat_reading *r, size_t at, u64 value, u64 enabled, u64 running)
{
	r->counts[at] = (struct stat_count){value, enabled, running};
	r->valid[at] = true;
}

/* value, enabled, running */
static void read_alone(struct stat_counters *c, struct stat_reading *r, u32 event, u32 place)
{
	size_t at = stat_index(&c->shape, event, place);
	u64 v[3];

	if (c->fds[at] < 0)
		return;
	/* of a pinned event that was never on the hardware it is 0 bytes */
	if (read(c->fds[at], v, sizeof(v)) == sizeof(v))
		take(r, at, v[0], v[1], v[2]);
	else
		r->valid[at] = false;
}

/* nr, enabled, running, nr times { value, id } */
static void read_group(struct stat_counters *c, struct stat_reading *r, u32 first, u32 end,
		       u32 place)
{
	u64 *v = c->buffer;
	size_t size = (3 + 2 * (size_t)(end - first)) * sizeof(*v), at;
	ssize_t len = -1;
	u32 e;
	u64 i;

	for (e = first; e < end; e++) {
		r->valid[stat_index(&c->shape, e, place)] = false;
		if (len < 0 && fd_at(c, e, place) >= 0)
			len = read(fd_at(c, e, place), v, size);
	}
	if (len < (ssize_t)(3 * sizeof(*v)) || v[0] > ((u64)len / sizeof(*v) - 3) / 2)
		return;
	for (e = first; e < end; e++) {
		at = stat_index(&c->shape, e, place);
		for (i = 0; c->fds[at] >= 0 && i < v[0]; i++)
			if (v[4 + 2 * i] == c->ids[at])
				take(r, at, v[3 + 2 * i], v[1], v[2]);
	}
}

void stat_counters_read(struct stat_counters *c, struct stat_reading *r)
{
	const struct stat_shape *s = &c->shape;
	u32 first, end, p;

	for (first = 0; first < s->nr_events; first = end) {
		end = group_end(s, first);
		for (p = 0; p < s->nr_places; p++) {
			if (end == first + 1)
				read_alone(c, r, first, p);
			else
				read_group(c, r, first, end, p);
		}
	}
}

u32 stat_counters_tracepoints(const struct stat_counters *c)
{
	u32 e, nr = 0;

	for (e = 0; e < c->shape.nr_events; e++)
		nr += c->shape.events[e].attr.type == PERF_TYPE_TRACEPOINT;
	return nr;
}

void stat_counters_shut(struct stat_counters *c)
{
	u32 i;

	for (i = 0; c->fds && i < c->shape.nr_events; i++)
		close_event(c, i);
	for (i = 0; c->gates && i < c->shape.nr_places; i++)
		if (c->gates[i] >= 0)
			close(c->gates[i]);
	free(c->gates);
	c->gates = NULL;
	free(c->fds);
	free(c->ids);
	c->fds = NULL;
	c->ids = NULL;
}

void stat_counters_free(struct stat_counters *c)
{
	stat_counters_shut(c);
	free(c->shape.places);
	free(c->shape.events);
	free(c->buffer);
	arena_free(&c->arena);
	*c = (struct stat_counters){0};
}
