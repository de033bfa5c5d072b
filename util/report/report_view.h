/* SPDX-License-Identifier: GPL-2.0 */
/*
 * report_view.h - the rows of one event and their cell values, shared by all output formats.
 * report_order.h sorts them.
 */
#ifndef REPORT_REPORT_VIEW_H
#define REPORT_REPORT_VIEW_H

#include "util/base/buf.h"
#include "util/report/report_entries.h"

/*
 * report_view_group.c: the rows of several events as one table: what each of the events has in a row.
 *
 * Events are members by their place in the group, the leader is 0. The rows are the leader's
 * entries, and behind these what the others alone have, which the leader has no samples of.
 */

struct report_member {
	const char *name; /* of the event */
	const struct report_samples *samples;
	u64 samples_in_all, weight_in_all;
};

struct report_group {
	struct report_member *members; /* the caller's */
	u32 nr;
	VEC(struct report_numbers) numbers; /* nr for each row */
	struct hmap rows;                   /* root and place -> row */
};

/*
 * Put together `entries` of members 1 and up with those of the leader, which gain rows; members'
 * samples are counted with the same keys. *g is zero, members and nr are set.
 */
int report_group_make(struct report_group *g, struct report_samples *leader,
		      struct report_entries *rows, const struct report_entries *entries,
		      struct err *err);
/* What the members have in a row, all of them. */
const struct report_numbers *report_group_row(const struct report_group *g,
					      const struct report_entry *e);
void report_group_free(struct report_group *g);

/* report_view.c: rows and their cell values. */

struct report_view {
	const struct report_keys *keys;
	const struct report_samples *samples;
	const struct report_places *places;
	struct report_entries *entries;    /* rows */
	const char *event;                 /* its name */
	u64 samples_in_all, weight_in_all; /* the totals that shares refer to */
	bool children;                     /* the share of callers decides what is below a limit */
	const u32 *widths;  /* by key: the minimum width of a field's column; NULL: none */
	const bool *absent; /* by key: the event has no such field, its column is not shown */
	const struct report_group *group; /* rows are of several events, entries of the first */
	u32 sort_member;
};

/* The value of a key in a row (report_entries.h, report_places.h). */
u64 report_view_value(const struct report_view *v, const struct report_entry *e, u32 key);
/* The number of a row for a numeric column; for shares, the weight. */
u64 report_view_number(const struct report_view *v, const struct report_entry *e,
		       enum sample_key_kind kind);
/* The same for one member of a group. */
u64 report_view_member(const struct report_view *v, const struct report_numbers *n,
		       enum sample_key_kind kind);
/* Is a column shown? */
bool report_view_shows(const struct report_view *v, const struct report_column *c);
/* The number of a column in percent of what all samples of the member have; 0 if that is 0. */
double report_view_column_percent(const struct report_view *v, u32 member,
				  enum sample_key_kind kind, u64 number);
/* A weight in percent of the total; 0 if the total is 0. */
double report_view_percent(const struct report_view *v, u64 weight);
/* Likewise of a member of the group; an event that is in none is member 0. */
double report_view_member_percent(const struct report_view *v, u32 member, u64 weight);
/* The share of a row in percent of the total. */
double report_view_share(const struct report_view *v, const struct report_entry *e);

/*
 * Append a row's value for a key, escaped: "ls", "main", "libc.so.6", "12.300000". An unknown
 * function is shown as its address, "0x0000000000001139".
 */
void report_view_put(const struct report_view *v, const struct report_entry *e, u32 key,
		     struct buf *out);

#endif
