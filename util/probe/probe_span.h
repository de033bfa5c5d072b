/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe_span.h - a program that pairs the hits of tracepoints in the kernel, as spans.h does it with samples.
 *
 *	probe_span_init() places what the begin of a span keeps -> probe_span_code(): the program of a tracepoint, with all points
 *	that are there; programs of several tracepoints share PROBE_SPAN_MAP_OPEN and PROBE_SPAN_MAP_STATE
 *
 * A begin puts what is known of it into a hash, by the span's key. An end takes it out; if that was long enough ago, it makes a
 * sample, whose raw data are a struct probe_span_ended. All others are but counted.
 *
 * With sums, an end adds the time to those of like begins (probe_sum.h), and makes a sample only where there is no room. Like are begins
 * that have the same bytes in the hash, from PROBE_SPAN_SUM_KEY on: what they keep, and of their threads what is asked for.
 *
 * At a function of a program another thread may take the CPU from it, and run it as well (how->preempted): it works in a record of its own.
 */
#ifndef PROBE_PROBE_SPAN_H
#define PROBE_PROBE_SPAN_H

#include "util/probe/probe_part.h"
#include "util/probe/probe_sum.h"

#define PROBE_SPAN_KEYS_MAX   4
#define PROBE_SPAN_POINTS_MAX 4
#define PROBE_SPAN_BYTES_MAX  512u /* that a begin keeps */

enum probe_span_role { PROBE_SPAN_UNTIL, PROBE_SPAN_TO, PROBE_SPAN_FROM };

/* A word of a key. */
struct probe_span_word {
	enum { PROBE_SPAN_FIELD, PROBE_SPAN_TID, PROBE_SPAN_PID, PROBE_SPAN_CPU } is;
	u32 field;
};

/* One of a tracepoint. */
struct probe_span_point {
	enum probe_span_role role;
	struct probe_span_word words[PROBE_SPAN_KEYS_MAX];
	struct probe_test tests[PROBE_TESTS_MAX]; /* which hits are this point */
	u32 nr_tests;
	/* the thread that the span is of, where it is not who runs, but for UNTIL; NULL: it is */
	const struct expr *pid, *comm;
};

/* Spans of these processes and threads are wanted (none: all are), the others are left out, and so are ends without a begin of these. */
struct probe_span_chosen {
	bool processes, threads; /* of which PROBE_SPAN_MAP_CHOSEN has some */
	const char
		*comm; /* of threads called that, or whose process's first thread is; NULL: none */
};
#define PROBE_SPAN_COMM_MAX (PROBE_COMM_SIZE - 2u) /* a longer one may have been cut short */

/* The map's key. */
struct probe_span_id {
	u32 id;
	u32 is_thread; /* PROBE_SPAN_NOT_FOLLOWED, of id 0: the value is how many could not be added */
};
#define PROBE_SPAN_NOT_FOLLOWED 2

/* Times of spans are added up, by what of their begin's thread and CPU. */
struct probe_span_sums {
	bool on;
	bool comm, pid, tid,
		cpu; /* without tid it is ID_NONE, unless what comm is called depends on it */
	struct probe_sum what;
};

/* Which begins are wanted; the others' spans are but counted. */
struct probe_span_wanted {
	struct probe_test tests[PROBE_TESTS_MAX];
	u32 nr; /* 0: all are */
};

struct probe_span {
	/* the caller's */
	const struct probe *probe;
	struct probe_span_point points[PROBE_SPAN_POINTS_MAX]; /* by role */
	u32 nr_points, nr_words;
	u32 number;   /* of the tracepoint */
	bool by_task; /* the first word of the key is the thread that the span is of */
	bool latest;  /* a second begin starts the span anew; else it changes nothing */
	u64 min_ns;
	u64 keep;     /* fields that a begin keeps, a bit each */
	u32 left_out; /* process whose spans are left out; 0: none */
	u32 entry_size; /* a multiple of 8: what the hash has for a span, the same for all that share it */
	struct probe_span_chosen chosen;
	struct probe_span_wanted wanted;
	struct probe_span_sums sums;
	/* probe_span_init()'s */
	struct probe_part kept;
};

/* In the hash. The fields that were kept are behind it. */
struct probe_span_begin {
	u64 time;   /* bpf_ktime_get_ns() */
	u32 number; /* of the tracepoint; with PROBE_SPAN_UNWANTED, the begin is not wanted */
	u32 cpu;
	u32 pid, tid; /* of the thread that the span is of */
	char comm[PROBE_COMM_SIZE];
};

#define PROBE_SPAN_UNWANTED (1u << 31)
#define PROBE_SPAN_SUM_KEY  8u /* behind the time */

/* Raw data of the sample of an end; then nr_words of the key as u64, then what the hash had. */
struct probe_span_ended {
	u16 type; /* as any tracepoint's record begins */
	u16 none;
	u32 zero; /* where others have the pid */
	u64 took; /* ns */
};

/* Of a tracepoint, on a CPU. */
struct probe_span_account {
	u64 begins;
	u64 spans;
	u64 below,
		unwanted; /* of them, those shorter than min_ns; those of begins that are not wanted, of any length */
	u64 restarts, ends_without_begin, given_up, reordered, no_room;
	u64 not_followed; /* of all tracepoints: processes that chosen ones started, for which the map had no room */
};

/* Maps of the program, by number; those of probe.h come first. */
enum probe_span_map {
	PROBE_SPAN_MAP_OPEN = PROBE_MAPS, /* HASH: the words of the key, entry_size */
	PROBE_SPAN_MAP_STATE,             /* ARRAY of one u64: 1: pair, 0: do nothing */
	PROBE_SPAN_MAP_ACCOUNT,           /* PERCPU_ARRAY of one struct probe_span_account */
	PROBE_SPAN_MAP_OUTER, /* with sums: ARRAY_OF_MAPS of one: PERCPU_HASH of entry_size - PROBE_SPAN_SUM_KEY */
	PROBE_SPAN_MAP_ZEROS,  /* likewise: ARRAY of one value, all zeros */
	PROBE_SPAN_MAP_CHOSEN, /* if spans are: HASH of struct probe_span_id, u64 */
	PROBE_SPAN_MAPS
};

/* False: memory is out, or what is kept is more than PROBE_SPAN_BYTES_MAX. */
bool probe_span_init(struct probe_span *s);
/* Bytes that a begin keeps: entry_size is that, or more. */
u32 probe_span_size(const struct probe_span *s);
/* -E2BIG, -ENOTSUP, -ENOMEM. `how` as in probe_code(). */
int probe_span_code(const struct probe_span *s, const struct btf *b,
		    const struct probe_program *how, struct bpf_code *code, struct err *err);
void probe_span_free(struct probe_span *s);
/*
 * Of PROBE_SPAN_MAP_CHOSEN, for the tracepoint PROBE_SPAN_FORKS: processes that chosen ones start are chosen, too. For PROBE_SPAN_ENDS:
 * they are no more once they have ended, and others may have their numbers. -ENOTSUP, -ENOMEM.
 */
#define PROBE_SPAN_FORKS "task_newtask"
#define PROBE_SPAN_ENDS  "sched_process_free"
int probe_span_follow_code(const struct btf *b, struct bpf_code *code, struct err *err);
int probe_span_forget_code(const struct btf *b, struct bpf_code *code, struct err *err);

#endif
