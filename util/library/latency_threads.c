// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/library/latency_internal.h"
#include "util/profile/task_names.h"

static int check_there(const struct targets_ids *ids, const char *what, struct err *err)
{
	char path[32];
	u32 i;

	for (i = 0; i < ids->nr; i++) {
		snprintf(path, sizeof(path), "/proc/%u", ids->v[i]);
		if (access(path, F_OK))
			return err_set(err, ESRCH, "there is no %s %u", what, ids->v[i]);
	}
	return 0;
}

/* Processes that get the name later are seen among everybody only, and programs in the kernel know the name. */
static bool follows_name(const struct latency *l)
{
	const struct sampling *s = &l->w->what;

	return !l->w->input && l->points.by_task && s->targets.comm &&
	       limits_privileged(&s->limits) && !s->pids.nr && !s->tids.nr && !s->cpu_list &&
	       !s->targets.by_user && !sampling_has_asked(s, SAMPLING_CGROUP);
}

/* Is there a thread of the targets' processes whose events would not be read? */
static bool may_miss_threads(const struct latency *l, bool command)
{
	const struct sampling *s = &l->w->what;

	return !l->w->input &&
	       (s->all_cpus || s->tids.nr || s->cpu_list ||
		sampling_has_asked(s, SAMPLING_CGROUP) ||
		(!command && !s->pids.nr && !s->targets.by_user && !s->targets.comm));
}

/*
 * Where the two ends are events of different threads or CPUs, everybody's events are read, and spans are chosen by the
 * thread that they are of.
 */
int latency_threads_choose(struct latency *l, bool command, struct err *err)
{
	struct sampling *s = &l->w->what;
	bool live = !l->w->input;

	/* who switches to a thread, and who wakes it, is not the thread */
	l->points.others |= l->states.on || follows_name(l) ||
			    (l->points.by_process && may_miss_threads(l, command));
	if (l->points.has_records && s->cpu_list && strcmp(l->points.all.v[0].keys[0], "cpu") != 0)
		return err_refuse(
			err, "threads may come back on another CPU: -C would miss it",
			"leave out -C; --by cpu shows times by the CPU that a thread left");
	if (!l->points.others)
		return 0;
	if (s->cpu_list || s->targets.by_user || sampling_has_asked(s, SAMPLING_CGROUP))
		return err_refuse(
			err,
			l->states.on
				? "--split and --waker follow threads over all CPUs: -C, -u and -G would miss switches"
				: "these spans may end on another CPU, or by another thread: -C, -u and -G would miss their ends",
			"choose spans by -p, -t or --comm, or group them: --by cpu,comm");
	if (live && (check_there(&s->pids, "process", err) || check_there(&s->tids, "thread", err)))
		return -EINVAL;
	l->who.pids = s->pids;
	l->who.tids = s->tids;
	l->who.comm = s->targets.comm;
	l->who.follows = live && command && !s->all_cpus && !l->who.pids.nr && !l->who.tids.nr &&
			 !l->who.comm;
	s->pids = s->tids = (struct targets_ids){0};
	/* of a name there may be others */
	if (!l->who.comm)
		s->until = (struct targets_wanted){.pids = l->who.pids.v,
						   .nr_pids = l->who.pids.nr,
						   .tids = l->who.tids.v,
						   .nr_tids = l->who.tids.nr};
	s->targets.comm = NULL;
	s->all_cpus = true;
	/* a switch from perf-lite to another thread is an event of perf-lite */
	if (live && !s->include_self)
		l->who.self = (u32)getpid();
	s->include_self = true;
	return 0;
}

/* --- while samples are read --- */

static struct latency *latency_of(struct session_holder *h)
{
	return (struct latency *)((u8 *)h - offsetof(struct latency, holder));
}

static void keep_wakers(struct session_holder *h, const struct session_numbers *kept)
{
	const struct latency *l = latency_of(h);
	const struct process_model *m = &l->w->in.s->model;
	const struct thread *t;
	u32 i;

	for (i = 0; i < l->slow.nr; i++) {
		t = l->slow.v[i].slept ? process_find_thread(m, l->slow.v[i].sleep.waker) : NULL;
		if (t)
			kept->threads[t - m->threads.v] = 1;
	}
}

static void drop_ended(struct session_holder *h, const struct session_numbers *now)
{
	struct latency *l = latency_of(h);
	struct targets_ids *pids = &l->who.started;
	u32 i, nr = 0;

	(void)now;
	for (i = 0; i < pids->nr; i++)
		if (process_find_thread(&l->w->in.s->model, pids->v[i]))
			pids->v[nr++] = pids->v[i];
	pids->nr = nr;
}

void latency_threads_hold(struct latency *l)
{
	l->holder = (struct session_holder){.keep = keep_wakers, .moved = drop_ended};
	session_hold(l->w->in.s, &l->holder);
}

static bool in_list(const struct targets_ids *ids, u32 id)
{
	u32 i;

	for (i = 0; i < ids->nr; i++)
		if (ids->v[i] == id)
			return true;
	return false;
}

static bool is_process(const struct latency_threads *who, u32 pid)
{
	return in_list(&who->pids, pid) || in_list(&who->started, pid);
}

/* Processes that the command started are its own; what anybody else starts is not, though it has a number of one that has ended. */
int latency_threads_forked(struct latency *l, struct err *err)
{
	struct cur c = rec_body(l->w->in.s->record.rec);
	u32 pid = cur_u32(&c), parent = cur_u32(&c), i;
	struct targets_ids *started = &l->who.started;
	u32 *new;

	if (pid == parent)
		return 0;
	for (i = 0; i < started->nr && started->v[i] != pid;)
		i++;
	if (!is_process(&l->who, parent)) {
		if (i < started->nr)
			started->v[i] = started->v[--started->nr];
		return 0;
	}
	if (i < started->nr)
		return 0;
	new = vec_push(started);
	if (!new)
		return err_nomem(err);
	*new = pid;
	return 0;
}

void latency_threads_take_names(struct latency *l)
{
	struct name_list *comms = &l->w->in.filter.comms;

	if (l->who.comms.nr)
		return;
	l->who.comms = *comms;
	*comms = (struct name_list){0};
}

/* Is the thread called so, or, where the points are of others, the first one of its process? */
static bool is_called(const struct latency *l, const struct session_sample *s)
{
	const struct process_model *model = &l->w->in.s->model;
	const struct thread *first =
		s->thread && l->points.others ? process_find_thread(model, s->thread->pid) : NULL;

	return name_list_has(&l->who.comms, s->comm) ||
	       (first && name_list_has(&l->who.comms, thread_cache_comm(l->w->in.s->tasks, model,
									first, first->tid)));
}

bool latency_threads_wanted(const struct latency *l, const struct session_sample *s)
{
	const struct latency_threads *who = &l->who;
	bool named;

	if (who->self && s->thread && s->thread->pid == who->self)
		return false;
	if (who->chosen || !latency_threads_any(l))
		return true;
	named = who->comms.nr && is_called(l, s) != who->comms.except;
	if (who->comms.except && (!named || (!who->pids.nr && !who->tids.nr)))
		return named;
	return (s->thread && is_process(who, s->thread->pid)) ||
	       (s->thread && in_list(&who->tids, s->thread->tid)) || (named && !who->comms.except);
}

void latency_thread(struct latency *l, u32 tid, struct session_sample *s)
{
	struct session *session = l->w->in.s;
	const u32 here = latency_numbers_here(l, tid);

	s->thread = here || !tid ? process_find_thread(&session->model, here)
				 : latency_numbers_other(l, tid);
	s->comm = thread_cache_comm(session->tasks, &session->model, s->thread, tid);
}
