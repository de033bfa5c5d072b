/* SPDX-License-Identifier: GPL-2.0 */
/*
 * openmetrics.h - numbers as OpenMetrics text, which Prometheus reads, also by node_exporter's textfile collector:
 *
 *	# TYPE perf_lite_drops counter
 *	# HELP perf_lite_drops Dropped packets.
 *	perf_lite_drops_total{reason="NO_SOCKET",comm="ping"} 12
 *	# EOF
 *
 *	openmetrics_family() -> openmetrics_labels_clear(), openmetrics_label() ..., openmetrics_sample() and
 *	openmetrics_number() for each row -> the next family ... -> openmetrics_end()
 *
 * Source: OpenMetrics 1.0.0, "Text format".
 */
#ifndef FORMAT_OPENMETRICS_H
#define FORMAT_OPENMETRICS_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

/* Those of a row; zeroed at first. */
struct openmetrics_labels {
	struct buf text;    /* 'a="1",b="2"' */
	struct strtab seen; /* of other rows */
	VEC(u32) times;     /* how many rows have them */
};

/* Append a name as those of metrics and labels are: what is not a letter, digit or '_' is '_', and none is in front. */
void openmetrics_name(struct buf *out, const char *name);

/* type: "counter", "gauge", "summary", "histogram"; unit: "seconds", which the name ends with, or NULL. */
void openmetrics_family(struct buf *out, const char *name, const char *type, const char *unit,
			const char *help);

void openmetrics_labels_clear(struct openmetrics_labels *l);
/* `text` is escaped already (text_escape()). The name is the caller's own: see openmetrics_key(). */
void openmetrics_label(struct openmetrics_labels *l, const char *name, const char *text,
		       size_t len);
/* The same for a key that somebody chose: where it is named as a label of ours, '_' follows. */
void openmetrics_key(struct openmetrics_labels *l, const char *name, const char *text, size_t len);
/* Rows of a family have different labels: the second of those that read the same gets nr="2". -ENOMEM. */
int openmetrics_labels_distinct(struct openmetrics_labels *l, struct err *err);
void openmetrics_labels_free(struct openmetrics_labels *l);

/* Append `name` and `suffix` ("_total"), its labels and those of `more` ("le=\"7\"", NULL: none), and a blank: the number follows. */
void openmetrics_sample(struct buf *out, const char *name, const char *suffix,
			const struct openmetrics_labels *l, const char *more);

/* Append a number and the end of the line. scaled: it is ns, and written as seconds. */
void openmetrics_number(struct buf *out, __int128 v, bool scaled);

void openmetrics_end(struct buf *out);

#endif
