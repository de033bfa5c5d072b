// SPDX-License-Identifier: GPL-2.0
#include "util/draw/timeline_sheet.h"

#include "util/draw/flamegraph_sheet.h"

#define NS_PER_S 1000000000ull

void timeline_sheet_put_number(const struct timeline_sheet *s, struct buf *b, u64 n)
{
	if (s->t->time)
		flamegraph_sheet_put_ns(b, n);
	else
		flamegraph_sheet_put_count(b, n);
}

void timeline_sheet_put_amount(const struct timeline_sheet *s, struct buf *b, u64 n)
{
	timeline_sheet_put_number(s, b, n);
	if (!s->t->time)
		buf_addf(b, " %s", s->t->unit ? s->t->unit : n == 1 ? "sample" : "samples");
}

void timeline_sheet_put_time(struct buf *b, u64 ns, u64 step)
{
	u32 decimals = 9;
	u64 fraction = ns % NS_PER_S;

	buf_dec(b, ns / NS_PER_S, 0);
	for (; decimals && step && step % 10 == 0; step /= 10, decimals--)
		fraction /= 10;
	if (!decimals)
		return;
	buf_addc(b, '.');
	buf_dec0(b, fraction, decimals);
}

void timeline_sheet_put_span(struct buf *b, u64 ns)
{
	static const struct {
		u64 ns;
		const char *name;
	} units[] = {{NS_PER_S, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	u32 i = 0;

	while (i + 1 < ARRAY_SIZE(units) && ns % units[i].ns)
		i++;
	buf_dec(b, ns / units[i].ns, 0);
	buf_addf(b, " %s", units[i].name);
}

u64 timeline_sheet_scale(u64 n, u64 total, u32 of)
{
	return total ? (u64)((unsigned __int128)n * of / total) : 0;
}

void timeline_sheet_put_share(struct buf *b, u64 n, u64 total)
{
	u64 tenths = total ? (u64)(((unsigned __int128)n * 1000 + total / 2) / total) : 0;

	if (n && !tenths)
		buf_adds(b, "&lt;0.1%");
	else
		buf_addf(b, "%llu.%llu%%", (unsigned long long)(tenths / 10),
			 (unsigned long long)(tenths % 10));
}

u32 timeline_sheet_column(const struct timeline_sheet *s, u32 column)
{
	return s->left + (u32)timeline_sheet_scale(column, s->t->nr_columns, s->plot);
}

u32 timeline_sheet_x(const struct timeline_sheet *s, u64 ns)
{
	const u64 span = s->t->nr_columns * s->t->step;

	return (u32)timeline_sheet_scale(MIN(ns, span), span, s->plot);
}
