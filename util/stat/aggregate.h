/* SPDX-License-Identifier: GPL-2.0 */
/*
 * aggregate.h - a reading as the table that people see: every event for the whole, for each CPU,
 * core, cluster, die, package, NUMA node or thread.
 *
 * The rows (struct stat_key) are made once of a shape; stat_table_fill() then takes one reading
 * after the other. Every count is scaled for multiplexing before it is added up, since each CPU
 * has its own share of time. A sum of which a part was not counted is not counted.
 */
#ifndef STAT_AGGREGATE_H
#define STAT_AGGREGATE_H

#include "util/base/buf.h"
#include "util/base/vec.h"
#include "util/stat/stat_reading.h"
#include "util/stat/topology.h"

enum stat_aggregation {
	STAT_GLOBAL,
	STAT_PER_CPU,
	STAT_PER_CORE,
	STAT_PER_CLUSTER,
	STAT_PER_DIE,
	STAT_PER_SOCKET,
	STAT_PER_NODE,
	STAT_PER_THREAD,
	STAT_AGGREGATIONS,
};

/* What the aggregation does not distinguish is -1 in all keys. Strings are the shape's. */
struct stat_key {
	s64 socket, die, cluster, core, node, cpu;
	s32 tid;
	u32 pid;
	const char *comm; /* NULL */
	const char *type; /* of the CPU: struct stat_cpu; NULL */
};

struct stat_cell {
	u32 counters; /* how many counters there are for it; 0: nothing to show */
	u32 missing;  /* how many there should have been besides */
	enum stat_state state;
	const char *reason; /* why it was not counted, "" */
	u64 total;          /* the sum, scaled for multiplexing, in the kernel's unit */
	double value;       /* the same, or the mean of several runs */
	u64 enabled, running;
};

struct stat_table {
	const struct stat_shape *shape;
	enum stat_aggregation by;
	struct stat_key *keys;
	u32 nr_keys;
	u32 *place_keys;         /* by place: its key */
	struct stat_cell *cells; /* stat_table_cell() */
	bool skip_zeros;         /* set by the caller: threads without any event are left out */
	bool unscaled;           /* set by the caller: counts stay as they are */
	bool cgroups;            /* an event is of a cgroup */
	u64 origin_ns, start_ns, end_ns;
	double elapsed_ns; /* of the interval, or the mean of several runs */
};

/* `topology` may be NULL for the whole and for threads. The shape must outlive the table. */
int stat_table_init(struct stat_table *t, const struct stat_shape *shape, enum stat_aggregation by,
		    const struct stat_topology *topology, struct err *err);
void stat_table_free(struct stat_table *t);
void stat_table_fill(struct stat_table *t, const struct stat_reading *r);

static inline struct stat_cell *stat_table_cell(const struct stat_table *t, u32 event, u32 key)
{
	return &t->cells[(size_t)event * t->nr_keys + key];
}

/* Is there anything to print? */
bool stat_table_shows(const struct stat_table *t, u32 event, u32 key);

/* What its rows are: "core"; "comm" of threads, "" of the whole. */
const char *stat_table_rows(const struct stat_table *t);
/* Is a row of as many CPUs as it has counters? */
static inline bool stat_table_joins_cpus(const struct stat_table *t)
{
	return t->by >= STAT_PER_CORE && t->by <= STAT_PER_NODE;
}

/*
 * Cell number `i` in the order of output: by event, or by key where many CPUs are one row. False
 * past the last.
 */
bool stat_table_nth(const struct stat_table *t, size_t i, u32 *event, u32 *key);

/* Append how a key is called: "S0-D0-C1", "CPU3", "N0", "bash-2405"; nothing for the whole. */
void stat_key_print(const struct stat_key *k, enum stat_aggregation by, struct buf *b);

/*
 * The same command several times (-r N): what its counts have in common, and how far
 * they can be trusted.
 *
 * The mean comes with the standard deviation of the runs and the standard error of the mean, which
 * is what "+- x%" of perf stat -r is; the median and the median absolute deviation (MAD) say what
 * one run out of the ordinary does not change. MAD is as it is, not scaled to a deviation.
 */

struct stat_summary {
	u32 nr; /* runs in which there was a count */
	double mean, stddev, error, median, mad, min, max;
};

/* Of `nr` values, which are put in another order. With one value there is no deviation: 0. */
void stat_summary_of(struct stat_summary *s, double *values, u32 nr);
/* deviation as a share of the mean, in %; 0 of nothing. */
double stat_summary_pct(double deviation, double mean);

struct stat_runs {
	u32 nr, nr_cells, cap;
	double *values; /* [run][cell]; NaN: not counted. The last cell is the elapsed time */
	struct stat_count *times;       /* by cell, sums of all runs: enabled, running */
	struct stat_summary *summaries; /* by cell, stat_runs_end() */
};

int stat_runs_init(struct stat_runs *r, const struct stat_table *t, struct err *err);
void stat_runs_free(struct stat_runs *r);
int stat_runs_add(struct stat_runs *r, const struct stat_table *t, struct err *err);
/* Put the means of all runs into the table, whose last run it has, and make the summaries. */
int stat_runs_end(struct stat_runs *r, struct stat_table *t, struct err *err);

const struct stat_summary *stat_runs_cell(const struct stat_runs *r, const struct stat_table *t,
					  u32 event, u32 key);
const struct stat_summary *stat_runs_elapsed(const struct stat_runs *r);
double stat_runs_elapsed_of(const struct stat_runs *r, u32 run);

#endif
