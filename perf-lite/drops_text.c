// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_drops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/ethertype.h"
#include "util/base/json.h"
#include "util/base/table.h"
#include "util/base/text.h"
#include "util/format/openmetrics.h"

/* A cell that is wider moves only its own row. */
#define CELL_MAX    40
#define COUNT_WIDTH 7
/* The kernel's reasons need no more; those of devices would widen the column of both. */
#define REASON_MAX 24
/* Before it is over there is no rate of one. */
#define SECOND 1000000000ull

/* ---- text ---- */

/* Append the value of a key in a row; nothing if the event does not have it. */
static void put_cell(struct drops_table *t, const struct drops_key *key,
		     const struct drops_row *row, struct buf *out)
{
	struct drops_counted *c = &t->parts[row->part];

	if (!key->in[row->part].nr || key->stack)
		return;
	if (key->kind == DROPS_PLACE)
		buf_adds(out, "at ");
	if (key->kind == DROPS_OTHER && count_names_is_number(&c->table, key->in[row->part].at))
		buf_addf(out, "%s ", key->name);
	drops_values_put(t, key, row, out);
}

/* The place comes first, whatever the order of the keys; stacks have lines of their own. Returns how many. */
static u32 put_order(const struct drops_table *t, u32 order[static COUNT_KEYS_MAX])
{
	u32 i, nr = 0;

	for (i = 0; i < t->nr_keys; i++)
		if (t->keys[i].kind == DROPS_PLACE)
			order[nr++] = i;
	for (i = 0; i < t->nr_keys; i++)
		if (t->keys[i].kind != DROPS_PLACE && !t->keys[i].stack)
			order[nr++] = i;
	return nr;
}

static void put_columns(const struct drops_table *t, const u32 *order, u32 nr, struct table *out)
{
	const bool both = t->parts[DROPS_SOFTWARE].table.nr && t->parts[DROPS_HARDWARE].table.nr;
	struct table_column c;
	u32 i;

	table_column(out, &(struct table_column){.right = true, .min = COUNT_WIDTH});
	table_column(out, &(struct table_column){.gap = 1});
	for (i = 0; i < nr; i++) {
		c = (struct table_column){.gap = 2, .max = CELL_MAX};
		if (t->keys[order[i]].kind == DROPS_PLACE)
			c = (struct table_column){.gap = 1, .max = CELL_MAX + strlen("at ")};
		else if (t->keys[order[i]].kind == DROPS_REASON && both)
			c.max = REASON_MAX;
		table_column(out, &c);
	}
}

static void put_stacks(struct drops_table *t, const struct drops_row *row, struct table *out)
{
	struct drops_counted *c = &t->parts[row->part];
	const struct drops_key *key;
	struct buf *b;
	u32 k;

	for (k = 0; k < t->nr_keys; k++) {
		key = &t->keys[k];
		if (!key->stack || !key->in[row->part].nr)
			continue;
		b = table_text(out);
		count_names_stack(&c->table, row->counted, key->in[row->part].at, "\t", b);
		buf_addc(b, '\n');
	}
}

static void put_row(struct drops_table *t, const u32 *order, u32 nr, const struct drops_row *row,
		    struct table *out)
{
	const struct drops_counted *via = drops_values_via(t, row);
	const u64 drops = row->counted->sum.nr;
	struct buf *b;
	u32 i;

	table_row(out);
	buf_dec(table_cell(out), drops, 0);
	buf_adds(table_cell(out), drops == 1 ? "drop" : "drops");
	for (i = 0; i < nr; i++) {
		b = table_cell(out);
		put_cell(t, &t->keys[order[i]], row, b);
	}
	if (row->part == DROPS_HARDWARE)
		buf_adds(table_tail(out), "[hardware]");
	if (via) {
		b = table_tail(out);
		buf_adds(b, "[via ");
		count_names_put(&via->table, row->counted, t->via, b);
		buf_addc(b, ']');
	}
	put_stacks(t, row, out);
}

static void put_rows(struct drops_table *t, const struct drops_rows *rows, struct buf *out)
{
	u32 order[COUNT_KEYS_MAX], nr = put_order(t, order), i;
	struct table table = {0};

	put_columns(t, order, nr, &table);
	for (i = 0; i < rows->shown; i++)
		put_row(t, order, nr, &rows->v[i], &table);
	table_put(&table, 0, out);
	table_free(&table);
}

static void put_amount(u64 drops, unsigned int width, struct buf *out)
{
	buf_dec(out, drops, width);
	buf_adds(out, drops == 1 ? " drop" : " drops");
}

void drops_text_sum(u64 drops, unsigned int width, u64 watched, struct buf *out)
{
	put_amount(drops, width, out);
	if (watched >= SECOND)
		buf_addf(out, " in %.1f s, %.*f/s", (double)watched / 1e9,
			 drops < 100 * watched / SECOND ? 1 : 0,
			 (double)drops * 1e9 / (double)watched);
	else if (watched)
		buf_addf(out, " in %.1f s", (double)watched / 1e9);
	else
		buf_adds(out, " in all");
}

static void put_foot(const struct drops_text *o, const struct drops_table *t,
		     const struct drops_rows *rows, struct buf *out)
{
	u32 more = rows->nr - rows->shown;

	if (rows->rest) {
		put_amount(rows->rest, COUNT_WIDTH, out);
		if (more)
			buf_addf(out, " in %u more row%s\n", more, TEXT_PLURAL(more));
		else
			buf_adds(out, " in rows for which there was no room\n");
	}
	drops_text_sum(drops_table_total(t), COUNT_WIDTH, o->watched, out);
	if (t->hidden)
		buf_addf(out, "; %llu more hidden as noise (--all shows them)",
			 (unsigned long long)t->hidden);
	if (o->lost)
		buf_addf(out, "; %llu lost: there were so many more", (unsigned long long)o->lost);
	buf_addc(out, '\n');
}

/* ---- what reasons mean ---- */

/* Of the row, unless it was explained before; NULL. *failed: out of memory. */
static const struct drops_explanation *explain_row(struct drops_table *t,
						   const struct drops_row *row,
						   struct strtab *explained, bool *failed)
{
	const struct drops_explanation *e = NULL;
	const u32 before = explained->nr;
	struct buf name = {0};
	u32 i, id;

	for (i = 0; i < t->nr_keys && row->part == DROPS_SOFTWARE && !e; i++) {
		if (t->keys[i].kind != DROPS_REASON || !t->keys[i].in[DROPS_SOFTWARE].nr)
			continue;
		drops_values_put(t, &t->keys[i], row, &name);
		e = drops_explain(buf_str(&name));
	}
	buf_free(&name);
	id = e ? strtab_add(explained, e->reason, strlen(e->reason)) : before;
	*failed |= id == ID_NONE;
	return id == before ? e : NULL;
}

static void put_explained(const struct drops_text *o, struct drops_table *t,
			  const struct drops_rows *rows, struct buf *out)
{
	const struct drops_explanation *e;
	bool first = true;
	u32 i;

	for (i = 0; o->explained && i < rows->shown; i++) {
		e = explain_row(t, &rows->v[i], o->explained, &out->failed);
		if (e)
			buf_addf(out, "%s%s: %s\n  look at: %s\n", first ? "\n" : "", e->reason,
				 e->means, e->look_at);
		first &= !e;
	}
}

/* ---- the kernel's own counters ---- */

static void put_reasons(const char *reasons, const char *between, struct buf *out)
{
	size_t len;

	for (; *reasons; reasons += len + (reasons[len] == ' ')) {
		len = strcspn(reasons, " ");
		buf_add(out, reasons, len);
		if (reasons[len])
			buf_adds(out, between);
	}
}

/* How many of what a counter counted were reported as drops. */
static void put_comparison(const struct drops_text *o, const struct net_counter *counter,
			   const struct drops_comparison *c, struct buf *out)
{
	const u64 reported = MIN(c->nr, counter->value), rest = counter->value - reported;

	if (!reported && !o->every_drop)
		return;
	if (!c->exact)
		buf_adds(out, "at most ");
	if (reported && !rest && c->exact)
		buf_adds(out, "all");
	else if (reported)
		buf_dec(out, reported, 0);
	else
		buf_adds(out, "none");
	buf_adds(out, " reported as drops");
	if (c->reasons.len) {
		buf_adds(out, ": ");
		put_reasons(buf_str(&c->reasons), ", ", out);
	}
	if (!o->every_drop || !rest)
		return;
	if (reported)
		buf_addf(out, "; %s%llu not reported", c->exact ? "" : "at least ",
			 (unsigned long long)rest);
	if (c->of_device)
		buf_adds(out, "; the device or its driver dropped them");
}

/* Counters of other namespaces are not among them. */
static void put_elsewhere(const struct drops_text *o, struct buf *out)
{
	struct buf path = {0};
	u64 netns = 0, nr = drops_compare_elsewhere(o->compared, &netns);

	if (!nr)
		return;
	buf_addf(out,
		 "%llu of these drops %s in another, which has counters of its own: net:[%llu]",
		 (unsigned long long)nr, nr == 1 ? "is" : "are", (unsigned long long)netns);
	if (net_counters_namespace(o->root, netns, &path)) {
		buf_addf(out, ": nsenter --net=%s perf-lite drops --counters",
			 TEXT_SHELL(buf_str(&path)));
	}
	buf_addc(out, '\n');
	out->failed |= path.failed;
	buf_free(&path);
}

static void put_counters(const struct drops_text *o, struct buf *out)
{
	struct drops_comparison compared = {0};
	struct table table = {0};
	struct net_counter c;
	struct buf *cell;
	u32 i;

	if (!o->before)
		return;
	buf_adds(out, "\ncounters of this network namespace that rose meanwhile:");
	table_column(&table, &(struct table_column){.right = true, .min = COUNT_WIDTH});
	table_column(&table, &(struct table_column){.gap = 1, .max = CELL_MAX});
	table_column(&table, &(struct table_column){.gap = 2});
	for (i = 0; i < o->now_counted->values.nr; i++) {
		c = net_counters_since(o->now_counted, i, o->before);
		if (!c.value)
			continue;
		table_row(&table);
		buf_dec(table_cell(&table), c.value, 0);
		text_escape(table_cell(&table), c.name, strlen(c.name));
		cell = table_cell(&table);
		if (drops_compare(o->compared, c.name, &compared))
			put_comparison(o, &c, &compared, cell);
	}
	buf_adds(out, table.lines.nr ? "\n" : " none\n");
	table_put(&table, 0, out);
	put_elsewhere(o, out);
	out->failed |= compared.reasons.failed;
	buf_free(&compared.reasons);
	table_free(&table);
}

int drops_text_put(const struct drops_text *o, struct drops_table *t, struct buf *out,
		   struct err *err)
{
	struct drops_rows rows;
	int ret = drops_rows_init(&rows, t, o->top, err);

	if (!ret) {
		if (o->heading)
			buf_addf(out, "%s\n", o->heading);
		put_rows(t, &rows, out);
		put_foot(o, t, &rows, out);
		put_counters(o, out);
		put_explained(o, t, &rows, out);
		if (out->failed)
			ret = err_nomem(err);
	}
	drops_rows_free(&rows);
	return ret;
}

/* ---- JSON ---- */

static void json_named(u64 value, const char *name, struct buf *out)
{
	json_open(out, '{');
	json_put_unsigned(out, "value", value);
	json_put_string(out, "name", name);
	buf_addc(out, '}');
}

static void json_place(struct drops_counted *c, u64 addr, struct buf *out)
{
	struct buf name = {0};

	drops_values_put_place(c, addr, &name);
	json_open(out, '{');
	json_put_address(out, "value", addr);
	json_put_buf(out, "name", &name);
	buf_addc(out, '}');
	buf_free(&name);
}

static void json_reason(struct drops_names *n, u64 reason, struct buf *out)
{
	struct buf name = {0};

	drops_names_put(n, reason, &name);
	json_named(reason, buf_str(&name), out);
	out->failed |= name.failed;
	buf_free(&name);
}

static void json_owner(const struct drops_owners *owners, u64 inode, struct buf *out)
{
	const struct socket_owner *o = drops_owners_find(owners, inode);

	json_open(out, '{');
	json_put_unsigned(out, "socket", inode);
	if (o) {
		json_put_unsigned(out, "pid", o->pid);
		json_put_string(out, "comm", o->comm);
	}
	buf_addc(out, '}');
}

/* Fields that make up one value; addresses as texts. */
static void json_fields(struct drops_counted *c, const struct count_row *r,
			const char *const *names, u32 first, u32 nr, struct buf *out)
{
	struct buf text = {0};
	u32 i;

	json_open(out, '{');
	for (i = 0; i < nr && names[i]; i++) {
		json_key(out, names[i]);
		buf_clear(&text);
		if (strstr(names[i], "addr") && count_names_has(&c->table, r, first + i)) {
			count_names_put(&c->table, r, first + i, &text);
			json_string(out, buf_str(&text), text.len);
		} else {
			count_names_json(&c->table, r, first + i, out);
		}
	}
	out->failed |= text.failed;
	buf_free(&text);
	buf_addc(out, '}');
}

static void json_value(struct drops_table *t, const struct drops_key *key,
		       const struct drops_row *row, struct buf *out)
{
	struct drops_counted *c = &t->parts[row->part];
	const struct count_row *r = row->counted;
	u32 at = key->in[row->part].at, nr = key->in[row->part].nr;
	u64 v;

	if (row->part == DROPS_HARDWARE && key->kind == DROPS_PLACE)
		json_fields(c, r, (const char *const[]){"bus", "device", NULL}, at, nr, out);
	else if (row->part == DROPS_HARDWARE && key->kind == DROPS_REASON)
		json_fields(c, r, (const char *const[]){"trap", "group", NULL}, at, nr, out);
	else if (key->kind == DROPS_OWNER && drops_values_number(c, r, at, &v))
		json_owner(&t->owners, v, out);
	else if (key->kind == DROPS_FLOW || key->kind == DROPS_INNER)
		json_fields(c, r,
			    (const char *const[]){"saddr", "sport", "daddr", "dport", "l4", NULL},
			    at, nr, out);
	else if (key->kind == DROPS_PLACE && drops_values_place(c, r, at, &v))
		json_place(c, v, out);
	else if (key->kind == DROPS_REASON && drops_values_reason(t, c, r, at, &v))
		json_reason(&t->names, v, out);
	else if (key->kind == DROPS_PROTOCOL && drops_values_protocol(t, c, r, at, &v))
		json_named(v, ethertype_name(v), out);
	else
		count_names_json(&c->table, r, at, out);
}

static void json_row(struct drops_table *t, const struct drops_row *row, struct buf *out)
{
	const struct drops_counted *via = drops_values_via(t, row);
	const struct drops_key *key;
	struct buf name = {0};
	u32 k;

	json_open_item(out, '{');
	json_put_unsigned(out, "count", row->counted->sum.nr);
	json_put_bool(out, "hardware", row->part == DROPS_HARDWARE);
	for (k = 0; k < t->nr_keys; k++) {
		key = &t->keys[k];
		if (!key->in[row->part].nr)
			continue;
		json_key_escaped(out, key->name, strlen(key->name));
		json_value(t, key, row, out);
	}
	if (via) {
		count_names_put(&via->table, row->counted, t->via, &name);
		json_put_open(out, "via", '{');
		json_put_buf(out, "flow", &name);
		buf_addc(out, '}');
		buf_free(&name);
	}
	buf_addc(out, '}');
}

static void json_time(struct buf *out, const char *key, u64 ns)
{
	if (!ns)
		return;
	json_key(out, key);
	text_seconds(out, ns, 9);
}

static void json_explained(const struct drops_text *o, struct drops_table *t,
			   const struct drops_rows *rows, struct buf *out)
{
	const struct drops_explanation *e;
	u32 i;

	if (!o->explained)
		return;
	json_put_open(out, "explained", '[');
	for (i = 0; i < rows->shown; i++) {
		e = explain_row(t, &rows->v[i], o->explained, &out->failed);
		if (!e)
			continue;
		json_open_item(out, '{');
		json_put_string(out, "reason", e->reason);
		json_put_string(out, "means", e->means);
		json_put_string(out, "look_at", e->look_at);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
}

static void json_comparison(const struct drops_comparison *c, struct buf *out)
{
	const char *reason = buf_str(&c->reasons);
	size_t len;

	json_put_unsigned(out, "drops", c->nr);
	json_put_bool(out, "exact", c->exact);
	json_put_open(out, "reasons", '[');
	for (; *reason; reason += len + (reason[len] == ' ')) {
		len = strcspn(reason, " ");
		json_item(out);
		json_string(out, reason, len);
	}
	buf_addc(out, ']');
}

static void json_counters(const struct drops_text *o, struct buf *out)
{
	struct drops_comparison compared = {0};
	struct net_counter c;
	u32 i;

	if (!o->before)
		return;
	json_put_open(out, "counters", '[');
	for (i = 0; i < o->now_counted->values.nr; i++) {
		c = net_counters_since(o->now_counted, i, o->before);
		if (!c.value)
			continue;
		json_open_item(out, '{');
		json_put_string(out, "name", c.name);
		json_put_unsigned(out, "rose", c.value);
		if (drops_compare(o->compared, c.name, &compared))
			json_comparison(&compared, out);
		buf_addc(out, '}');
	}
	buf_addc(out, ']');
	out->failed |= compared.reasons.failed;
	buf_free(&compared.reasons);
}

int drops_text_json(const struct drops_text *o, struct drops_table *t, struct buf *out,
		    struct err *err)
{
	struct drops_rows rows;
	int ret = drops_rows_init(&rows, t, o->top, err);
	u32 i;

	if (!ret) {
		json_open(out, '{');
		json_time(out, "time", o->time);
		json_time(out, "from", o->from);
		json_time(out, "to", o->to);
		json_time(out, "watched", o->watched);
		json_put_unsigned(out, "drops", drops_table_total(t));
		json_put_unsigned(out, "hidden", t->hidden);
		json_put_unsigned(out, "lost", o->lost);
		json_put_open(out, "rows", '[');
		for (i = 0; i < rows.shown; i++)
			json_row(t, &rows.v[i], out);
		buf_addc(out, ']');
		json_put_open(out, "rest", '{');
		json_put_unsigned(out, "rows", rows.nr - rows.shown);
		json_put_unsigned(out, "count", rows.rest);
		buf_addc(out, '}');
		json_counters(o, out);
		json_explained(o, t, &rows, out);
		buf_adds(out, "}\n");
		if (out->failed)
			ret = err_nomem(err);
	}
	drops_rows_free(&rows);
	return ret;
}

/* ---- metrics ---- */

static int put_metric(struct drops_table *t, const struct drops_row *row,
		      struct openmetrics_labels *l, struct buf *out, struct err *err)
{
	const struct drops_key *key;
	struct buf value = {0};
	u32 i;

	openmetrics_labels_clear(l);
	for (i = 0; i < t->nr_keys; i++) {
		key = &t->keys[i];
		if (!key->in[row->part].nr || key->stack)
			continue;
		buf_clear(&value);
		drops_values_put(t, key, row, &value);
		if (value.len && strcmp(buf_str(&value), "-") != 0)
			openmetrics_key(l, key->name, value.data, value.len);
	}
	if (row->part == DROPS_HARDWARE)
		openmetrics_label(l, "hardware", "true", strlen("true"));
	l->text.failed |= value.failed;
	buf_free(&value);
	if (openmetrics_labels_distinct(l, err))
		return -ENOMEM;
	openmetrics_sample(out, "perf_lite_drops", "_total", l, NULL);
	openmetrics_number(out, row->counted->sum.nr, false);
	return 0;
}

static void put_plain_metric(const char *name, const char *help, u64 nr, struct buf *out)
{
	openmetrics_family(out, name, "counter", NULL, help);
	openmetrics_sample(out, name, "_total", NULL, NULL);
	openmetrics_number(out, nr, false);
}

int drops_text_metrics(struct drops_table *t, u64 lost, struct buf *out, struct err *err)
{
	struct openmetrics_labels labels = {0};
	struct drops_row row;
	u32 i, part;
	int ret = 0;
	u64 others = 0;

	openmetrics_family(out, "perf_lite_drops", "counter", NULL, "Dropped packets.");
	for (part = 0; part < DROPS_PARTS; part++) {
		for (i = 0; i < t->parts[part].table.nr && !ret; i++) {
			row = (struct drops_row){(enum drops_part)part,
						 count_table_row(&t->parts[part].table, i)};
			ret = put_metric(t, &row, &labels, out, err);
		}
		others += t->parts[part].table.others.nr;
	}
	if (others) {
		openmetrics_labels_clear(&labels);
		openmetrics_label(&labels, "others", "true", strlen("true"));
		openmetrics_sample(out, "perf_lite_drops", "_total", &labels, NULL);
		openmetrics_number(out, others, false);
	}
	put_plain_metric("perf_lite_drops_hidden", "Drops left out as noise.", t->hidden, out);
	put_plain_metric("perf_lite_drops_lost_samples", "Samples that were lost.", lost, out);
	openmetrics_end(out);
	openmetrics_labels_free(&labels);
	return !ret && out->failed ? err_nomem(err) : ret;
}
