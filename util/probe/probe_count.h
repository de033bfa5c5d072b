/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe_count.h - a program that counts the hits of a tracepoint or probe in the kernel, by keys: fields (probe.h), and who ran.
 *
 *	probe_count_plan() says where the keys are in a map's key, and what its value has
 *	-> probe_count_code() makes the program -> probe_part_raw() makes of a key the raw data that a sample would have
 *
 * The program adds into a hash (probe_sum.h). Where that has no room for a new key, the hit goes into the ring of the CPU as a
 * sample whose raw data are a struct probe_count_spill, the key and the number: none is lost, and none is counted about.
 *
 * The program is one of a raw tracepoint: it costs the least, and hides nothing from others, as one of a perf event might; or it
 * is one of a function of the kernel, or of a program. On kernels before 6.1 it could be interrupted by itself. At a function of a program
 * another thread may take the CPU from it, and run it as well (how->preempted): what it adds up is changed by atomic instructions then.
 */
#ifndef PROBE_PROBE_COUNT_H
#define PROBE_PROBE_COUNT_H

#include "util/probe/probe_part.h"
#include "util/probe/probe_sum.h"

enum probe_count_id {
	PROBE_COUNT_COMM = 1 << 0,
	PROBE_COUNT_CGROUP = 1 << 1,
	PROBE_COUNT_PID = 1 << 2,
	PROBE_COUNT_TID = 1 << 3,
	PROBE_COUNT_CPU = 1 << 4,
};

/* Behind the key: the number. */
struct probe_count_number {
	u64 is_there, value;
};

/* Before the key, in the ring: as any tracepoint's record begins. */
struct probe_count_spill {
	u16 type;
	u16 none;
	u32 pid; /* 0 */
};

struct probe_count {
	/* the caller's */
	const struct probe *probe;                /* whose fields these are */
	u32 ids;                                  /* probe_count_id */
	u64 keys;                                 /* bit by field */
	u32 of;                                   /* field, ID_NONE: no number is added up */
	struct probe_sum sum;                     /* the caller's is has_buckets */
	struct probe_test tests[PROBE_TESTS_MAX]; /* which hits count */
	u32 nr_tests;
	/* probe_count_plan()'s */
	struct probe_part part; /* the fields of the key; has_unread is the caller's */
	u32 comm_at, cgroup_at, pid_at, tid_at, cpu_at;
	u32 key_size, spill_size;
};

/* Maps of the program, by number; those of probe.h come first. */
enum probe_count_map {
	PROBE_COUNT_MAP_OUTER =
		PROBE_MAPS, /* ARRAY_OF_MAPS of one: PERCPU_HASH of key_size and a value of probe_sum.h */
	PROBE_COUNT_MAP_ZEROS, /* ARRAY of one value, all zeros */
	PROBE_COUNT_MAPS
};

/* False: the fields do not fit into a key. */
bool probe_count_plan(struct probe_count *c);
/* -E2BIG, -ENOMEM. `how` as in probe_code(). */
int probe_count_code(const struct probe_count *c, const struct btf *b,
		     const struct probe_program *how, struct bpf_code *code, struct err *err);
void probe_count_free(struct probe_count *c);

#endif
