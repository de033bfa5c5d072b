/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_count.h - tracepoints, and probes of programs, that are counted in the kernel, by keys, instead of sampled (probe_count.h).
 *
 *	ev_expr_may_account() -> ev_count_add() of each spec: its attr is that of a program's output, and so are its samples:
 *	hits that had no room -> ev_open() -> ev_expr_enable() -> ev_count_take() now and then, ev_count_spilled() of each
 *	sample: entries of the same kind
 *
 * A tracepoint has the fields of its expressions; one without any has of its own fields only those that the raw tracepoint's
 * arguments are known to be. What cannot be counted so is sampled: the caller says `why`.
 */
#ifndef EVENT_EV_COUNT_H
#define EVENT_EV_COUNT_H

#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"
#include "util/event/ev_sums.h"

#define EV_COUNT_COMM_SIZE 16

struct ev_count_wanted {
	bool comm, cgroup, pid, tid, cpu;
	const char *const *fields; /* keys */
	u32 nr_fields;
	const char *of; /* this number is added up; NULL: none */
	bool buckets;   /* by powers of two, too */
	u32 entries;    /* different keys that a map has room for; 0: as is good */
	bool by_thread; /* of some threads, and perhaps what they start */
	bool some_cpus; /* on those alone that the spec is opened on */
};

/* Hits with the same keys; what is no key is 0. */
struct ev_count_entry {
	bool has_comm;
	char comm[EV_COUNT_COMM_SIZE];
	u32 pid, tid, cpu;
	u64 cgroup;
	const u8 *raw; /* as of a sample */
	u32 raw_size;
	struct ev_sum sum;
};

/*
 * Count the spec so. 1; 0: that cannot be, and `why` has the reason; -ENOMEM. Then it is to be dropped, as are others that
 * are not to be counted after all.
 */
int ev_count_add(struct ev_list *list, struct ev_env *env, u32 spec,
		 const struct ev_count_wanted *w, struct buf *why);
void ev_count_drop(struct ev_spec *s);
/* Does the kernel take its maps and its program, now? Nothing of them stays. */
int ev_count_try(struct ev_spec *s, bool by_thread, struct err *err);
/* Has the number that is added up a sign? -1: none is. */
int ev_count_signed(const struct ev_spec *s);

/*
 * All that was counted since the last time; what is counted from now on is for the next. <0: err, or what `each`
 * returned.
 */
int ev_count_take(struct ev_spec *s,
		  int (*each)(void *arg, const struct ev_count_entry *e, struct err *err),
		  void *arg, struct err *err);
/* A sample's raw data as an entry, valid until the next one; false: it is none. */
bool ev_count_spilled(struct ev_spec *s, const u8 *raw, u32 size, struct ev_count_entry *e);

static inline bool ev_count_is(const struct ev_spec *s)
{
	return s->tp.counted;
}

#endif
