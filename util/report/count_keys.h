/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_keys.h - the keys by which samples are counted (--by), and the number that is added up (--of).
 *
 * Keys have the plain names of sample_keys.h; "kstack:5" is the innermost 5 frames of the kernel's call chain, and
 * FIELD.function, of a field that is an address of code, the function alone. Two steps, since call chains have to be asked
 * for before the events are known:
 *
 *	count_keys_parse() -> kernel_chains, user_chains, count_keys_ask() -> the events are opened, or the recording is
 *	-> count_keys_bind(), which checks the fields -> a table (count_table.h)
 */
#ifndef REPORT_COUNT_KEYS_H
#define REPORT_COUNT_KEYS_H

#include "util/report/sample_values.h"

#define COUNT_KEYS_MAX     8
#define COUNT_TIME_QUANTUM 100000000ull /* of the key time, in ns */

struct count_keys {
	struct sample_key v[COUNT_KEYS_MAX], of; /* of.kind: KEY_FIELD or KEY_PERIOD */
	u32 nr;
	bool has_of;
	bool of_signed;  /* after binding: values are s64, else u64 */
	char of_unit[8]; /* after binding: "ns", as the print fmt has it; "": it says none */
	bool kernel_chains, user_chains; /* which call chains the keys need */
	struct session *session;         /* the caller's, after binding */
	u32 nr_events;
	struct sample_values values; /* after binding */
	struct field_reader *ofs;    /* by event; kind FIELD_READER_NONE: it has none */
	struct arena arena;
};

/*
 * Take the lists of --by and --of apart (NULL: not given) into the zeroed *k. Words that are no key are taken for fields;
 * of rarely used keys, a field of the event has precedence. -EINVAL with a hint.
 */
int count_keys_parse(struct count_keys *k, const char *by, const char *of, struct err *err);
/*
 * Find the fields in the events of a session that was prepared. A field that no event
 * has is -EINVAL, with what it may have meant or what there is.
 */
int count_keys_bind(struct count_keys *k, struct session *s, struct err *err);

/* PERF_SAMPLE_* that samples should hold for the keys; known before binding. */
u64 count_keys_ask(const struct count_keys *k);

/* What a key is; before binding, a field that is also the name of a rarely used key may be that. */
enum sample_key_kind count_keys_may_be(const struct sample_key *key);

/* After binding: do the keys need neither call chain nor process model, but the sample alone? */
bool count_keys_bare(const struct count_keys *k);

/* What of a sample is looked at; before binding: may be. */
struct count_keys_use {
	bool raw;
	bool ip;        /* the sampled address, or the call chain */
	bool functions; /* the name of any function */
	bool branches;  /* a sample counts once for each of its branches */
};
struct count_keys_use count_keys_use(const struct count_keys *k);

void count_keys_free(struct count_keys *k); /* also after a failure */

#endif
