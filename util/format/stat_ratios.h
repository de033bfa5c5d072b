/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_ratios.h - counts as nothing but what is worked out of them, a row for each key: stat --metric-only.
 *
 * The columns are known before anything is counted: each ratio that an event of the table can have
 * (stat_derivations_ratios()). Their titles are those of perf, or the names by which metrics were asked for.
 */
#ifndef FORMAT_STAT_RATIOS_H
#define FORMAT_STAT_RATIOS_H

#include "util/format/stat_view.h"

struct stat_ratio {
	u32 event;
	struct stat_derived is; /* without a number */
};

struct stat_ratios {
	struct stat_ratio *v;
	u32 nr, cap;
};

int stat_ratios_find(struct stat_ratios *r, const struct stat_shape *shape,
		     const struct stat_derivations *d, struct err *err);
void stat_ratios_free(struct stat_ratios *r);

/* "GHz", "branch-misses of all branches", "ipc"; of a cgroup "GHz /a". Escaped. */
void stat_ratios_title(const struct stat_ratio *r, const struct stat_view *v, struct buf *out);
/* Row number *key or the first one behind it that is shown, and move *key past it; false: no more. */
bool stat_ratios_next(const struct stat_ratios *r, const struct stat_view *v, u32 *key,
		      struct stat_row *row);
/* The value in a row; false: there is none. */
bool stat_ratios_value(const struct stat_ratio *r, const struct stat_view *v,
		       const struct stat_row *row, struct stat_derived *out);
/* Why there is none, for people: "<not counted>"; "-" of a ratio to nothing. */
const char *stat_ratios_absent(const struct stat_ratio *r, const struct stat_view *v,
			       const struct stat_row *row);

#endif
