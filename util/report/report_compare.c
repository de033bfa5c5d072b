// SPDX-License-Identifier: GPL-2.0
#include "util/report/report_compare.h"

#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/report/report_costs.h"

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

/* What is not there comes last. */
static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int compare_comms(const struct report_view *v, u64 a, u64 b)
{
	struct buf x = {0}, y = {0};
	int ret;

	report_view_put_comm(v, a, &x);
	report_view_put_comm(v, b, &y);
	ret = strcmp(buf_str(&x), buf_str(&y));
	buf_free(&x);
	buf_free(&y);
	return ret;
}

/* Numbers as numbers, which come before all else. */
static int compare_texts(const char *a, const char *b)
{
	s64 x, y;
	bool is_x = num_s64(a, &x), is_y = num_s64(b, &y);

	if (is_x && is_y)
		return x < y ? -1 : x > y ? 1 : 0;
	return is_x == is_y ? strcmp(a, b) : is_x ? -1 : 1;
}

/* The inode in "9/0xf0000001", 0 if there is none; *device is the number before. */
static u64 inode_of(const char *text, u64 *device)
{
	char *slash;

	*device = strtoull(text, &slash, 10);
	return *slash == '/' ? strtoull(slash + 1, NULL, 16) : 0;
}

/* "9/0xf0000001": device and inode, falling. */
static int compare_namespaces(const char *a, const char *b)
{
	u64 left, right, x = inode_of(a, &left), y = inode_of(b, &right);
	int ret = compare_u64(right, left);

	if (!ret)
		ret = compare_u64(y, x);
	return ret ? ret : strcmp(a, b);
}

static const char *dso_name(const struct report_places *p, u64 dso)
{
	return (u32)dso == ID_NONE ? NULL : strtab_get(&p->dsos, (u32)dso);
}

int report_compare_values(const struct report_view *v, enum report_kind kind, u64 a, u64 b)
{
	const struct report_places *p = v->places;

	if (a == b)
		return 0;
	switch (kind) {
	case REPORT_COMM:
		return compare_comms(v, a, b);
	case REPORT_PID:
	case REPORT_TGID:
	case REPORT_CPU:
	case REPORT_TIME:
		return compare_u64(a, b);
	case REPORT_SYMBOL_SIZE:
	case REPORT_DSO_SIZE:
		return compare_u64(a, b);
	case REPORT_CGROUP_ID:
		return compare_namespaces(v->texts->text(v->texts, (u32)a),
					  v->texts->text(v->texts, (u32)b));
	case REPORT_DSO:
		return compare_names(dso_name(p, a), dso_name(p, b));
	case REPORT_SYMBOL:
	case REPORT_IPC:
		return compare_names(p->symbols.v[a].name, p->symbols.v[b].name);
	case REPORT_SRCLINE:
	case REPORT_SRCFILE:
		return strcmp(strtab_get(&p->lines, (u32)a), strtab_get(&p->lines, (u32)b));
	default:
		if (report_costs_knows(kind))
			return compare_u64(b, a);
		return compare_texts(v->texts->text(v->texts, (u32)a),
				     v->texts->text(v->texts, (u32)b));
	}
}

/* Functions that are called the same. */
static int compare_symbols(const struct report_places *p, u64 a, u64 b)
{
	const struct report_symbol *x = &p->symbols.v[a], *y = &p->symbols.v[b];
	int ret = x->name && y->name ? compare_names(dso_name(p, x->dso), dso_name(p, y->dso)) : 0;

	/* as perf, which takes differences of addresses for signed numbers */
	return ret ? ret : ((s64)x->start > (s64)y->start) - ((s64)x->start < (s64)y->start);
}

int report_compare_fully(const struct report_view *v, enum report_kind kind, u64 a, u64 b)
{
	int ret = report_compare_values(v, kind, a, b);

	return !ret && report_compare_is_symbol(kind) ? compare_symbols(v->places, a, b) : ret;
}
