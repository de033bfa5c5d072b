/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probe_part.h - some of a probe's fields: a program keeps them in memory of its own, or tests their numbers.
 *
 *	probe_part_init() places them -> probe_part_code() in the program -> probe_part_raw() makes of them the raw data that
 *	a sample would have
 *
 * Before the fields is a u32 with a bit for each of them that could not be read.
 */
#ifndef PROBE_PROBE_PART_H
#define PROBE_PROBE_PART_H

#include "util/probe/probe.h"

struct probe_part {
	struct probe fields;      /* placed in that memory */
	u32 of[PROBE_FIELDS_MAX]; /* which of the probe's they are */
	u32 at[PROBE_FIELDS_MAX]; /* where they are in its records */
	u32 unread_at, end;       /* bytes from its begin */
	bool has_unread;          /* the caller's: the probe's records have common_unread */
};

/* Those whose bit is set, and what belongs to them, from byte `at` on. False: memory is out. */
bool probe_part_init(struct probe_part *part, const struct probe *p, u64 fields, u32 at);
/* Read them into the memory at R_RECORD (probe_internal.h); all bytes from unread_at to `size` are set. */
void probe_part_code(const struct probe_part *part, const struct btf *b, u32 size,
		     struct bpf_code *code);
/* Fill in the raw data of the probe's record from that memory; what it does not keep is 0. */
void probe_part_raw(const struct probe_part *part, const u8 *memory, u8 *raw, u32 size);
void probe_part_free(struct probe_part *part);

#define PROBE_TESTS_MAX 16
#define PROBE_TEST_PASS (ID_NONE - 1)
#define PROBE_TEST_FAIL (ID_NONE - 2)

enum probe_test_op {
	PROBE_TEST_EQ,
	PROBE_TEST_NE,
	PROBE_TEST_LT,
	PROBE_TEST_LE,
	PROBE_TEST_GT,
	PROBE_TEST_GE,
	PROBE_TEST_BITS /* one in common */
};

/* A field beside a number. */
struct probe_test {
	u32 field;
	enum probe_test_op op;
	u64 number;
	u32 yes, no;  /* a later test, PROBE_TEST_PASS or PROBE_TEST_FAIL */
	bool lacking; /* a field that cannot be read goes on as if it holds; else as if not */
};

/*
 * Numbers that a program reads once: they stay at R_RECORD + at, 8 bytes for each field that a probe can have, and behind
 * these 8 that say whether it could not be read.
 */
struct probe_numbers {
	u64 fields; /* a bit each */
	u32 at;
};

void probe_numbers_code(const struct probe_numbers *n, const struct probe *p,
			struct bpf_code *code);
/* R0 = the number of a field; to `end` if it cannot be read. n: NULL: none was read. */
void probe_numbers_get(const struct probe_numbers *n, const struct probe *p, u32 field,
		       struct bpf_code *code, u32 end);

/* On to the next instruction if the tests pass, else to `end`. */
void probe_test_code(struct bpf_code *code, const struct probe *p, const struct probe_numbers *n,
		     const struct probe_test *tests, u32 nr, u32 end);

#endif
