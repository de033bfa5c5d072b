/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_csv.h - counts as separated values, the columns of perf stat -x (perf 6.12):
 *
 *	[time,]["summary",][key,[counters,]]value,unit,event[,cgroup][,noise%],running,percent,
 *	derived,its unit
 *
 * The key and its number of counters are there when counts are by CPU, core, and so on, the cgroup
 * if any event is of one, the noise if the command ran several times. A second derived value
 * follows in a line of its own, with the fields before it empty. What holds the separator, a quote
 * or a line feed is quoted as in RFC 4180.
 */
#ifndef FORMAT_STAT_CSV_H
#define FORMAT_STAT_CSV_H

#include "util/format/stat_ratios.h"

void stat_csv(struct buf *b, const struct stat_view *v, const char *separator);

/*
 * Ratios alone, the columns of perf stat --metric-only -x; what was not counted is empty:
 *
 *	[time,]["summary",][key,[counters,]]ratio,...,
 *
 * `head`: before them a line with their titles.
 */
void stat_csv_ratios(struct buf *b, const struct stat_view *v, const struct stat_ratios *r,
		     const char *separator, bool head);

#endif
