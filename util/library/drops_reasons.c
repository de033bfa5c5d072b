// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/tracepoint/tp_names.h"

struct reason {
	u64 value;
	const char *name;
	size_t len;
};

struct reasons {
	VEC(struct reason) v;
};

static bool add(struct reasons *r, u64 value, const char *name, size_t len)
{
	struct reason *reason = vec_push(&r->v);

	if (reason)
		*reason = (struct reason){value, name, len};
	return reason != NULL;
}

static int by_value(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static const struct drops_explanation *explanation_of(const struct reason *v)
{
	char name[64];

	if (v->len >= sizeof(name))
		return NULL;
	memcpy(name, v->name, v->len);
	name[v->len] = '\0';
	return drops_explain(name);
}

static void put_json(const struct reason *v, const struct drops_explanation *e, struct buf *out)
{
	json_open_item(out, '{');
	json_put_unsigned(out, "value", v->value);
	json_key(out, "name");
	json_string(out, v->name, v->len);
	if (e) {
		json_put_string(out, "means", e->means);
		json_put_string(out, "look_at", e->look_at);
	}
	buf_addc(out, '}');
}

static void put_text(const struct reason *v, const struct drops_explanation *e, struct buf *out)
{
	buf_dec(out, v->value, 7);
	buf_addc(out, ' ');
	text_escape(out, v->name, v->len);
	if (e)
		buf_addf(out, ": %s\n          look at: %s", e->means, e->look_at);
	buf_addc(out, '\n');
}

static void put(const struct reasons *r, bool json, bool explain, struct buf *out)
{
	const struct drops_explanation *e;
	const struct reason *v;
	u32 i;

	if (json)
		json_open(out, '[');
	for (i = 0; i < r->v.nr; i++) {
		v = &r->v.v[i];
		e = explain ? explanation_of(v) : NULL;
		if (json)
			put_json(v, e, out);
		else
			put_text(v, e, out);
	}
	if (json)
		buf_adds(out, "]\n");
}

/* Some kernels name the end of the enum as if it were a reason. */
static bool is_end(const struct tp_value_name *n)
{
	return n->len == 3 && !memcmp(n->name, "MAX", 3);
}

/* What the format names, and what it does not, by the kernel's types. */
static int gather(struct reasons *r, const struct tp_name_list *list, struct drops_names *names,
		  struct err *err)
{
	const struct drop_reason *typed;
	bool ok = true;
	u32 i;

	for (i = 0; i < list->v.nr && ok; i++)
		if (!is_end(&list->v.v[i]))
			ok = add(r, list->v.v[i].value, list->v.v[i].name, list->v.v[i].len);
	drops_names_reason(names, 0);
	for (i = 0; i < names->reasons.v.nr && ok; i++) {
		typed = &names->reasons.v.v[i];
		if (!list->v.nr || drop_reasons_is_foreign(typed->value))
			ok = add(r, typed->value, typed->name, strlen(typed->name));
	}
	if (!ok)
		return err_nomem(err);
	if (r->v.nr) {
		qsort(r->v.v, r->v.nr, sizeof(*r->v.v), by_value);
		return 0;
	}
	err_set(err, ENODATA, "this kernel reports no reasons for drops");
	err_hint(err, "that of Linux 5.17 and later does");
	return -ENODATA;
}

int drops_reasons_put(const struct tracefs *t, bool json, bool explain, struct buf *out,
		      struct err *err)
{
	static const struct tp_opts opts;
	struct drops_names names = {.use_types = true};
	struct tp_name_list list = {0};
	const struct tp_field *field;
	struct tp_format *f = NULL;
	struct reasons r = {0};
	struct buf text = {0};
	int ret;

	ret = tracefs_format(t, "skb", "kfree_skb", &text, err);
	if (!ret) {
		f = tp_format_parse(text.data, text.len, err);
		field = f ? tp_format_field(f, "reason") : NULL;
		ret = !f ? -EINVAL : field ? tp_names_list(f, field, &opts, &list, err) : 0;
	}
	if (!ret)
		ret = gather(&r, &list, &names, err);
	if (!ret)
		put(&r, json, explain, out);
	vec_free(&r.v);
	tp_names_list_free(&list);
	tp_format_free(f);
	drops_names_free(&names);
	buf_free(&text);
	return ret;
}
