// SPDX-License-Identifier: GPL-2.0
#include "util/report/thread_states.h"

#include <errno.h>
#include <string.h>

/* As task_state_index() reports them: one bit, 0 of a thread that could run on. */
enum {
	STATE_INTERRUPTIBLE = 1 << 0,
	STATE_UNINTERRUPTIBLE = 1 << 1,
	STATE_STOPPED = 1 << 2,
	STATE_TRACED = 1 << 3,
	STATE_DEAD = 1 << 4,
	STATE_ZOMBIE = 1 << 5,
	STATE_PARKED = 1 << 6,
	STATE_IDLE = 1 << 7,
	STATE_PREEMPTED = 1 << 8,
};

const char *const thread_state_names[THREAD_STATES] = {
	[THREAD_RUNNING] = "running",   [THREAD_RUNNABLE] = "runnable",
	[THREAD_SLEEPING] = "sleeping", [THREAD_UNINTERRUPTIBLE] = "uninterruptible",
	[THREAD_STOPPED] = "stopped",   [THREAD_NOT_KNOWN] = "unknown",
};

enum thread_state thread_states_of(u64 prev_state)
{
	if (!prev_state || prev_state >= STATE_PREEMPTED)
		return THREAD_RUNNABLE;
	if (prev_state & (STATE_DEAD | STATE_ZOMBIE))
		return THREAD_NOT_KNOWN;
	if (prev_state & (STATE_STOPPED | STATE_TRACED | STATE_PARKED))
		return THREAD_STOPPED;
	if (prev_state & STATE_UNINTERRUPTIBLE)
		return THREAD_UNINTERRUPTIBLE;
	/* workers of the kernel that have nothing to do are idle */
	return THREAD_SLEEPING;
}

static bool is_asleep(const struct thread_states_thread *t)
{
	return t->state == THREAD_SLEEPING || t->state == THREAD_UNINTERRUPTIBLE ||
	       t->state == THREAD_STOPPED;
}

static const struct thread_states_thread *find_thread(const struct thread_states *s, u32 tid)
{
	u32 i = hmap_get(&s->of_tid, tid);

	return i == ID_NONE ? NULL : &s->threads.v[i];
}

/* The room of a thread that ended long ago; ID_NONE: there is none. */
static u32 recycle(struct thread_states *s)
{
	struct thread_states_thread *t;
	u32 i;

	while (s->nr_dead > THREAD_STATES_DEAD) {
		i = s->first_dead - 1;
		t = &s->threads.v[i];
		s->first_dead = t->next_dead;
		s->nr_dead--;
		t->next_dead = 0;
		if (t->dead && hmap_set(&s->of_tid, t->tid, ID_NONE))
			return i;
	}
	return ID_NONE;
}

static void bury(struct thread_states *s, struct thread_states_thread *t)
{
	u32 number = (u32)(t - s->threads.v) + 1;

	t->dead = true;
	if (t->next_dead || s->last_dead == number)
		return;
	if (s->nr_dead++)
		s->threads.v[s->last_dead - 1].next_dead = number;
	else
		s->first_dead = number;
	s->last_dead = number;
}

/* NULL: memory is out. */
static struct thread_states_thread *get_thread(struct thread_states *s, u32 tid, u64 time,
					       struct err *err)
{
	u32 i = hmap_get(&s->of_tid, tid);
	struct thread_states_thread *t;

	if (i != ID_NONE) {
		s->threads.v[i].dead = false;
		return &s->threads.v[i];
	}
	i = recycle(s);
	t = i == ID_NONE ? vec_push(&s->threads) : &s->threads.v[i];
	if (!t || !hmap_set(&s->of_tid, tid, (u32)(t - s->threads.v))) {
		err_nomem(err);
		return NULL;
	}
	*t = (struct thread_states_thread){.tid = tid, .state = THREAD_NOT_KNOWN, .since = time};
	return t;
}

/* What it was until `time`. */
static void add_time(const struct thread_states *s, const struct thread_states_thread *t, u64 time,
		     u64 so_far[THREAD_STATES])
{
	enum thread_state state = t->since < s->lost_at ? THREAD_NOT_KNOWN : t->state;

	if (time > t->since)
		so_far[state] += time - t->since;
}

static void set_state(const struct thread_states *s, struct thread_states_thread *t, u64 time,
		      enum thread_state state)
{
	add_time(s, t, time, t->so_far);
	t->state = state;
	t->since = MAX(t->since, time);
}

static void keep_sleep(struct thread_states_thread *t, u64 end)
{
	const struct thread_sleep sleep = {t->asleep_at, end, t->place, t->waker};
	u64 length = end - t->asleep_at;
	struct thread_sleep *v = t->sleeps;

	while (t->nr_sleeps && v[t->nr_sleeps - 1].end - v[t->nr_sleeps - 1].begin <= length)
		t->nr_sleeps--;
	if (t->nr_sleeps == THREAD_SLEEPS)
		t->nr_sleeps--;
	v[t->nr_sleeps++] = sleep;
}

/* Of one across a loss nothing is known. */
static void end_sleep(const struct thread_states *s, struct thread_states_thread *t, u64 time)
{
	if (is_asleep(t) && time > t->asleep_at && t->asleep_at >= s->lost_at)
		keep_sleep(t, time);
}

int thread_states_out(struct thread_states *s, u32 tid, u64 time, enum thread_state state,
		      u32 place, struct err *err)
{
	struct thread_states_thread *t = get_thread(s, tid, time, err);

	if (!t)
		return -ENOMEM;
	/* it has run: that it was switched to was not seen */
	if (t->state != THREAD_RUNNING)
		t->state = THREAD_NOT_KNOWN;
	set_state(s, t, time, state);
	t->asleep_at = time;
	t->place = place;
	t->waker = ID_NONE;
	if (state == THREAD_NOT_KNOWN)
		bury(s, t);
	return 0;
}

/* The thread has that CPU: the one that was taken to run there does not. */
static int take_cpu(struct thread_states *s, u32 tid, u32 cpu, struct err *err)
{
	u32 before = hmap_get(&s->on_cpu, cpu), i = hmap_get(&s->of_tid, before);
	struct thread_states_thread *t = i == ID_NONE ? NULL : &s->threads.v[i];

	if (cpu == ID_NONE || before == tid)
		return 0;
	if (t && t->state == THREAD_RUNNING && t->cpu == cpu)
		t->state = THREAD_NOT_KNOWN;
	return hmap_set(&s->on_cpu, cpu, tid) ? 0 : err_nomem(err);
}

/* It runs now; switched: and did not before. */
static int set_running(struct thread_states *s, u32 tid, u32 cpu, u64 time, bool switched,
		       struct err *err)
{
	int ret = take_cpu(s, tid, cpu, err);
	struct thread_states_thread *t;

	if (ret || !tid)
		return ret;
	t = get_thread(s, tid, time, err);
	if (!t)
		return -ENOMEM;
	if (switched)
		end_sleep(s, t, time);
	if ((t->state == THREAD_RUNNING && (switched || t->cpu == cpu)) == switched)
		t->state = THREAD_NOT_KNOWN;
	set_state(s, t, time, THREAD_RUNNING);
	t->cpu = cpu;
	return 0;
}

int thread_states_in(struct thread_states *s, u32 tid, u32 cpu, u64 time, struct err *err)
{
	return set_running(s, tid, cpu, time, true, err);
}

int thread_states_runs(struct thread_states *s, u32 tid, u32 cpu, u64 time, struct err *err)
{
	return set_running(s, tid, cpu, time, false, err);
}

int thread_states_wake(struct thread_states *s, u32 tid, u64 time, u32 waker, struct err *err)
{
	struct thread_states_thread *t = get_thread(s, tid, time, err);

	if (!t)
		return -ENOMEM;
	if (t->state == THREAD_RUNNING || t->state == THREAD_RUNNABLE)
		return 0;
	if (t->waker == ID_NONE)
		t->waker = waker;
	end_sleep(s, t, time);
	set_state(s, t, time, THREAD_RUNNABLE);
	return 0;
}

bool thread_states_is_asleep(const struct thread_states *s, u32 tid)
{
	const struct thread_states_thread *t = find_thread(s, tid);

	return t && is_asleep(t) && t->waker == ID_NONE;
}

void thread_states_waking(struct thread_states *s, u32 tid, u32 waker)
{
	if (thread_states_is_asleep(s, tid))
		s->threads.v[hmap_get(&s->of_tid, tid)].waker = waker;
}

void thread_states_lost(struct thread_states *s, u64 time)
{
	s->lost_at = MAX(s->lost_at, time);
}

void thread_states_at(struct thread_states *s, u32 tid, u64 time, u64 so_far[THREAD_STATES])
{
	u32 i = hmap_get(&s->of_tid, tid);
	struct thread_states_thread *t = i == ID_NONE ? NULL : &s->threads.v[i];

	memset(so_far, 0, THREAD_STATES * sizeof(*so_far));
	if (!t)
		return;
	set_state(s, t, time, t->since < s->lost_at ? THREAD_NOT_KNOWN : t->state);
	memcpy(so_far, t->so_far, sizeof(t->so_far));
}

bool thread_states_longest(const struct thread_states *s, u32 tid, u64 since, u64 now,
			   struct thread_sleep *sleep)
{
	const struct thread_states_thread *t = find_thread(s, tid);
	bool found = false;
	u32 i;

	for (i = 0; t && i < t->nr_sleeps && !found; i++) {
		found = t->sleeps[i].begin >= since;
		*sleep = t->sleeps[i];
	}
	if (!t || !is_asleep(t) || t->asleep_at < since || t->asleep_at < s->lost_at ||
	    now <= t->asleep_at || (found && now - t->asleep_at <= sleep->end - sleep->begin))
		return found;
	*sleep = (struct thread_sleep){t->asleep_at, now, t->place, ID_NONE};
	return true;
}

void thread_states_free(struct thread_states *s)
{
	vec_free(&s->threads);
	hmap_free(&s->of_tid);
	hmap_free(&s->on_cpu);
}
