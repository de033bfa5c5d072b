/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread_states.h - what threads did: ran, waited for a CPU, slept; from switches and wake-ups in order of time.
 *
 *	thread_states_out(), _in(), _wake() ... -> thread_states_at(&s, tid, time, so_far)
 *
 * Times so far rise: the difference of two is what the thread did in between, to the ns. Until the first event of a thread
 * its state is not known, and after its end neither. Of threads that have ended the last THREAD_STATES_DEAD are remembered.
 */
#ifndef REPORT_THREAD_STATES_H
#define REPORT_THREAD_STATES_H

#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

enum thread_state {
	THREAD_RUNNING,
	THREAD_RUNNABLE,        /* it could run, and waits for a CPU */
	THREAD_SLEEPING,        /* until a signal or an event */
	THREAD_UNINTERRUPTIBLE, /* no signal wakes it: disks, locks of the kernel */
	THREAD_STOPPED,         /* by a signal or a debugger; parked */
	THREAD_NOT_KNOWN,
	THREAD_STATES
};

extern const char *const thread_state_names[THREAD_STATES];

/* A time asleep: all states but running, runnable and not known. */
struct thread_sleep {
	u64 begin, end; /* end: when it was woken, or now */
	u32 place;      /* the caller's, of the switch; ID_NONE: none */
	u32 waker;      /* the thread that woke it; ID_NONE: not known, or nobody has */
};

#define THREAD_SLEEPS      16
#define THREAD_STATES_DEAD 4096

struct thread_states_thread {
	u32 tid;
	enum thread_state state;
	u64 since; /* what is before is in so_far */
	u64 so_far[THREAD_STATES];
	u32 cpu;          /* where it runs */
	u64 asleep_at;    /* when the sleep that goes on began */
	u32 place, waker; /* its own */
	bool dead;
	u32 next_dead; /* number + 1 */
	/*
	 * The sleeps that were longer than all after them, oldest first: the longest since a time is the first that
	 * began after it. Of more than THREAD_SLEEPS the last but one is forgotten.
	 */
	u32 nr_sleeps;
	struct thread_sleep sleeps[THREAD_SLEEPS];
};

struct thread_states {
	VEC(struct thread_states_thread) threads;
	struct hmap of_tid;
	struct hmap on_cpu;                 /* the thread that was last seen there */
	u32 first_dead, last_dead, nr_dead; /* a list, number + 1; some may live again */
	u64 lost_at;
};

/* What prev_state of sched_switch means (TASK_* of include/linux/sched.h, since 4.14). THREAD_NOT_KNOWN: it ends. */
enum thread_state thread_states_of(u64 prev_state);

/* The thread stops running, and is now in that state. -ENOMEM. */
int thread_states_out(struct thread_states *s, u32 tid, u64 time, enum thread_state state,
		      u32 place, struct err *err);
/*
 * The CPU, or ID_NONE, switches to it; 0: to the idle task. Some kernels fire no event in some threads, and a thread that
 * executes a program changes its number. So if another thread was taken to run there, it has left unseen: what it has
 * done since its last event is not known.
 */
int thread_states_in(struct thread_states *s, u32 tid, u32 cpu, u64 time, struct err *err);
/* It makes an event there, and so it runs: if that is news, what it did until now is not known. Others as above. */
int thread_states_runs(struct thread_states *s, u32 tid, u32 cpu, u64 time, struct err *err);
/* It can run. Of one that runs, or waits for a CPU already, it says nothing. The waker may be ID_NONE. */
int thread_states_wake(struct thread_states *s, u32 tid, u64 time, u32 waker, struct err *err);
/*
 * Somebody is about to wake it. Who that is, is known for certain, while the wake-up itself may be an event of the CPU
 * where the thread will run.
 */
void thread_states_waking(struct thread_states *s, u32 tid, u32 waker);
/* Does it sleep, and nobody is known to have woken it? */
bool thread_states_is_asleep(const struct thread_states *s, u32 tid);
/* Events before that time may be lost: what the threads do is not known until their next event. */
void thread_states_lost(struct thread_states *s, u64 time);

/* How long it was in each state until `time`, which is not before its last event. A loss that becomes known later does not change it. */
void thread_states_at(struct thread_states *s, u32 tid, u64 time, u64 so_far[THREAD_STATES]);
/*
 * The longest sleep that began at or after `since`, also one that goes on at `now` (its waker is ID_NONE); false: there is
 * none that is remembered.
 */
bool thread_states_longest(const struct thread_states *s, u32 tid, u64 since, u64 now,
			   struct thread_sleep *sleep);
void thread_states_free(struct thread_states *s);

#endif
