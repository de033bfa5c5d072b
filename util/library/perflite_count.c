// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "util/library/perflite_internal.h"
#include "util/report/count_view.h"

struct counting {
	struct perflite *p;
	struct count_keys keys;
	struct count_table table;
	struct perflite_keys columns;
	struct perflite_table *out;
	struct err err;
};

static int open_table(struct counting *c, const char *by, const char *of)
{
	const struct count_options o = {.what = of ? COUNT_SUM : COUNT_NUMBER,
					.max_rows = UINT32_MAX};
	int ret = by ? count_keys_parse(&c->keys, by, of, &c->err)
		     : err_set(&c->err, EINVAL, "no key is named");

	if (!ret)
		ret = count_keys_bind(&c->keys, perflite_reading(c->p)->s, &c->err);
	if (!ret)
		ret = perflite_has_parts(c->p, &c->keys, &c->err);
	return ret ? ret : count_table_init(&c->table, &c->keys, &o, &c->err);
}

static int count_all(struct counting *c)
{
	struct session_sample s;
	int ret;

	while ((ret = perflite_next_sample(c->p, &s, &c->err)) > 0) {
		ret = count_table_add(&c->table, &s, &c->err);
		if (ret)
			return ret;
	}
	return ret;
}

static struct perflite_table *new_table(struct counting *c)
{
	static const char *const numbers[] = {"count", "sum", "min", "max"};
	const uint32_t value = c->keys.of_signed ? PERFLITE_SIGNED64 : PERFLITE_UNSIGNED64;
	const u32 nr = c->keys.has_of ? 4 : 1;
	struct perflite_table *t = perflite_table_new(c->keys.nr + nr);
	bool ok = t && perflite_keys_name(&c->columns, t);
	u32 i;

	for (i = 0; ok && i < nr; i++)
		ok = perflite_table_name(t, c->keys.nr + i, numbers[i],
					 i ? value : PERFLITE_UNSIGNED64);
	if (ok)
		return t;
	err_nomem(&c->err);
	perflite_table_free(t);
	return NULL;
}

/* Does the sum have room in a column? */
static bool fits(const struct counting *c, const struct count_sum *s)
{
	return c->keys.of_signed ? s->sum >= INT64_MIN && s->sum <= INT64_MAX
				 : s->sum >= 0 && s->sum <= UINT64_MAX;
}

static bool put_row(struct counting *c, const struct count_row *r)
{
	const struct count_sum *s = &r->sum;
	u32 at = c->keys.nr;

	if (!perflite_keys_put(&c->columns, c->out, r) ||
	    !perflite_table_put_number(c->out, at, s->nr))
		return false;
	return !c->keys.has_of ||
	       (perflite_table_put_value(c->out, at + 1, fits(c, s), (u64)s->sum) &&
		perflite_table_put_value(c->out, at + 2, s->with, s->least) &&
		perflite_table_put_value(c->out, at + 3, s->with, s->most));
}

static int put_rows(struct counting *c)
{
	struct count_view v;
	int ret = count_view_init(
		&v, &c->table, c->keys.has_of ? COUNT_ORDER_SUM : COUNT_ORDER_NUMBER, 0, &c->err);
	u32 i;

	if (ret)
		return ret;
	for (i = 0; i < v.shown && put_row(c, count_view_row(&v, i)); i++)
		c->out->rows++;
	ret = i < v.shown ? err_nomem(&c->err) : 0;
	count_view_free(&v);
	return ret;
}

static int make_table(struct counting *c)
{
	if (!perflite_keys_init(&c->columns, &c->table))
		return err_nomem(&c->err);
	c->out = new_table(c);
	return c->out ? put_rows(c) : -ENOMEM;
}

struct perflite_table *perflite_count(struct perflite *p, const char *by, const char *of,
				      struct perflite_error *error)
{
	struct counting c = {.p = p};
	int ret = open_table(&c, by, of);

	if (!ret)
		ret = count_all(&c);
	if (!ret)
		ret = make_table(&c);
	if (!ret)
		perflite_table_finish(c.out);
	perflite_keys_free(&c.columns);
	count_table_free(&c.table);
	count_keys_free(&c.keys);
	if (ret) {
		perflite_table_free(c.out);
		c.out = NULL;
	}
	perflite_give_error(p, &c.err, error);
	return c.out;
}
