/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_filter.h - which samples of a tracepoint are wanted, by the values of its fields.
 *
 *	filter     any of && || ! ( ) around comparisons
 *	left       a field, an element of an array (args[2]), cpu, comm (of the task that runs), tid
 *	numbers    == != < <= > >= & (have a bit in common)   12 -1 0x1f 017 4K 10ms, CPUS{0,2-4},
 *	           names of the values of the field, joined by | where they are flags; what the field
 *	           is known to have: IPv4 and ETH_P_IP, TCP and IPPROTO_TCP, AF_INET, -ENOENT, SIGKILL;
 *	           another field
 *	text       == != ~ !~ with "quotes", 'quotes', or a bare word; ~ takes * ? [a-z] [!a-z] \c,
 *	           and with ! before it what does not match; another field
 *	bytes      == != with 10.0.0.1, 10.0.0.0/8, fe80::1, 02:42:ac:11:00:02
 *	addresses  location.function == tcp_v4_rcv, or of a pointer just location == tcp_v4_rcv
 *
 * The kernel takes such filters too, but fewer of them, and numbers only. So a filter becomes two
 * that both must hold: a text for the kernel, and the rest, which is run on raw samples here. What
 * the kernel takes means what it means to the kernel, where that is not a mistake of the kernel's.
 *
 * Source: Documentation/trace/events.rst, "Event filtering"; kernel/trace/trace_events_filter.c.
 */
#ifndef TRACEPOINT_TP_FILTER_H
#define TRACEPOINT_TP_FILTER_H

#include "util/base/buf.h"
#include "util/tracepoint/tp_names.h"

struct tp_filter_node;

/* What a format does not contain. Each may be NULL. */
struct tp_filter_names {
	void *arg; /* of all */
	/* Add to the zeroed list the names that a type ("enum skb_drop_reason") gives its values. */
	int (*of_type)(void *arg, const char *type, struct tp_name_list *list, struct err *err);
	/*
	 * The addresses of a function of the kernel, end excluded: 1; 0: there is no such function,
	 * and *meant is one with a like name or NULL; <0: the kernel does not say.
	 */
	int (*function)(void *arg, const char *name, u64 *start, u64 *end, const char **meant);
	/*
	 * Can a field be this text, or one that the pattern (base/glob.h) matches? False: *meant is a like one or NULL. NULL: any
	 * field can be any text.
	 */
	bool (*text)(void *arg, const char *field, const char *text, bool pattern,
		     const char **meant);
};

struct tp_filter_opts {
	const char *system; /* of the event, "skb"; NULL: not known */
	struct tp_opts print;
	const struct tp_filter_names *names; /* or NULL */
	bool here_only;                      /* nothing is left to the kernel */
	bool comm_known;                     /* a sample comes with the name of its task */
	bool own_tids;     /* threads have other numbers here than in the kernel's own fields */
	bool no_functions; /* the kernel does not take .function: it came with Linux 6.3 */
};

struct tp_filter {
	const char *kernel; /* for PERF_EVENT_IOC_SET_FILTER: "A && B"; NULL: all is run here */
	const char *here;   /* what is run here, as it was typed; NULL: nothing */
	const struct tp_filter_node *rest;
	struct arena arena;
};

/*
 * NULL if the text is no filter of this event: then the message shows the place, in two lines, and the
 * code is ENOENT where a field is meant that the event does not have, else EINVAL. The format must
 * outlive the filter, which never changes.
 */
struct tp_filter *tp_filter_parse(const struct tp_format *f, const char *text,
				  const struct tp_filter_opts *opts, struct err *err);
void tp_filter_free(struct tp_filter *f);

/*
 * "(A) OP (B)", OP being && or ||; where A is NULL, B. Both must have been parsed by themselves: a bracket too many in one would
 * close the other's. NULL: memory is out.
 */
const char *tp_filter_join(struct arena *arena, const char *a, const char *op, const char *b);

/* A comparison of a field with a number, which has the field's width and sign. */
struct tp_filter_test {
	const struct tp_field *field;
	enum tp_filter_test_op {
		TP_FILTER_TEST_EQ,
		TP_FILTER_TEST_NE,
		TP_FILTER_TEST_LT,
		TP_FILTER_TEST_LE,
		TP_FILTER_TEST_GT,
		TP_FILTER_TEST_GE,
		TP_FILTER_TEST_BITS /* a bit in common */
	} op;
	u64 number;
	u32 yes, no;  /* what comes next if it holds, and if not: a later one, or the end */
	bool lacking; /* of a value that is not there: go on as if it holds; else as if not */
};
#define TP_FILTER_TEST_PASS (ID_NONE - 1)
#define TP_FILTER_TEST_FAIL (ID_NONE - 2)

/*
 * Where what is run here is nothing but such comparisons, joined by && || !: how many they are; the first one begins. ID_NONE:
 * it is more than that, or than `room`.
 */
u32 tp_filter_tests(const struct tp_filter *f, struct tp_filter_test *tests, u32 room);

struct tp_filter_sample {
	const void *raw; /* from common_type on: PERF_SAMPLE_RAW without its u32 size */
	size_t len;
	u32 cpu;          /* ID_NONE: not known */
	s32 tid;          /* -1: not known; then it is common_pid */
	const char *comm; /* of its task; NULL: not known */
	/* Append the name of the function at an address; false if it is not known. NULL: none is. */
	bool (*symbol)(void *arg, u64 addr, bool with_offset, struct buf *out);
	void *arg;
};

/*
 * Does what is run here hold? What it takes and the sample lacks (it was cut, its CPU is not known)
 * is neither true nor false, and a sample passes only if the whole is true.
 */
bool tp_filter_pass(const struct tp_filter *f, const struct tp_filter_sample *s);

#endif
