// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/format/count_names.h"
#include "util/library/perflite_internal.h"

/* The column of a key. */
struct column {
	const struct drops_key *key;
	bool made; /* its texts are those of drops_values_put() */
	uint32_t type;
	struct perflite_field fields[DROPS_PARTS];
	struct strtab texts;
};

struct dropping {
	struct perflite *p;
	struct drops_table t;
	struct drops_choice choice;
	const char *by;
	struct arena arena; /* values of options */
	struct reading_fields filters;
	struct column *columns; /* of the keys that some part has */
	u32 nr;
	struct strtab via;
	struct buf one;
	struct perflite_table *out;
	struct err err;
};

/* NULL: those of the command. */
static const char *keys_of_option(const struct perflite *p)
{
	return p->asked.drops && *p->asked.drops ? p->asked.drops : NULL;
}

/* --- the option `drops` of what runs now --- */

int perflite_drops_watch(struct perflite *p, struct err *err)
{
	static const struct drops_choice choice;
	struct sampling *s = &p->watching.what;
	struct drops_table *t;
	int ret;

	if (s->any_event || p->asked.latency)
		return err_refuse(err, "drops has events of its own",
				  "leave out drops, or else event and latency");
	t = p->watched.drops = calloc(1, sizeof(*t));
	if (!t)
		return err_nomem(err);
	t->live = true;
	/* whoever is at hand drops packets */
	s->all_cpus = true;
	/* a control group limits the events before it */
	s->collects = false;
	p->watching.in.session.drop_companions = true;
	ret = drops_table_ask(t, keys_of_option(p), false, err);
	return ret ? ret : drops_choose_events(t, &choice, &p->watching, err);
}

void perflite_drops_free(struct perflite *p)
{
	if (p->watched.drops)
		drops_table_free(p->watched.drops);
	free(p->watched.drops);
}

/* --- what is asked for --- */

#define OPT_STRUCT struct dropping

static const struct opt rows[] = {
	OPT_STRING(0, "by", "KEY,...", by, "group by these keys"),
	OPT_STRING(0, "filter", "EXPR", choice.filter, "only drops that match"),
	OPT_STRING(0, "event", "NAME", choice.event, "the tracepoint of drops"),
	OPT_FLAG(0, "all", t.all, "also what is hidden as noise"),
	OPT_END,
};

/* Who reads what skb:kfree_skb does not have of a packet. NULL: as the command has it. */
static const char *reader_of_packets(const struct perflite *p, const struct drops_table *t)
{
	if (p->live)
		return "perflite_watch() with the option drops=reason,flow reads it";
	if (p->asked.drops)
		return NULL;
	return drops_table_has(t, DROPS_FLOW)
		       ? "record --packets keeps it; perflite_open() with the option drops takes flows from other tracepoints"
		       : "record --packets keeps it";
}

static int check_event(const struct dropping *d, struct err *err)
{
	const struct session *s = perflite_reading(d->p)->s;
	u32 i;

	if (!s->given_as)
		return 0;
	for (i = 0; i < d->t.events.nr; i++)
		if (session_wants_event(s, i) && d->t.events.v[i].part != DROPS_NEITHER)
			return 0;
	return err_refuse(err, "the option event leaves out the events of drops",
			  "open the recording without it");
}

static int begin(struct dropping *d, const char *const *options)
{
	struct perflite *p = d->p;
	struct session *s = perflite_reading(p)->s;
	struct drops_table *t = &d->t;
	int ret = perflite_options_put(rows, d, &d->arena, options, &d->err);

	if (!ret && p->asked.no_fields)
		ret = err_refuse(&d->err, "no-fields: reason and place are fields of samples",
				 "leave out no-fields");
	if (ret)
		return ret;
	t->event = d->choice.event;
	t->only = d->choice.event || d->choice.filter;
	t->live = p->live;
	t->max_rows = UINT32_MAX;
	if (p->watched.drops)
		t->no_fields = p->watched.drops->no_fields;
	ret = drops_table_ask(t, d->by ? d->by : keys_of_option(p), false, &d->err);
	t->reads = reader_of_packets(p, t);
	if (!ret)
		ret = drops_table_bind(t, s, &d->err);
	if (!ret)
		ret = check_event(d, &d->err);
	if (!ret)
		ret = drops_choose_filter(&d->choice, &d->filters, &d->err);
	return ret ? ret : reading_fields_start(&d->filters, s, &d->err);
}

/* --- samples --- */

static int add_sample(struct dropping *d, const struct session_sample *s)
{
	bool counted;

	if (!reading_fields_pass(&d->filters, d->t.session, s))
		return 0;
	return drops_table_add(&d->t, s, &counted, &d->err);
}

static int add_all(struct dropping *d)
{
	const struct sysroot *root = &d->p->watching.what.root;
	struct session_sample s;
	int ret;

	while ((ret = perflite_step_or_wait(d->p, &s, &d->err)) > 0) {
		if (ret == SESSION_SAMPLE)
			ret = add_sample(d, &s);
		else if (ret == SESSION_WAIT)
			ret = drops_owners_look(&d->t.owners, root, &d->err);
		if (ret < 0)
			return ret;
	}
	return ret ? ret : drops_owners_look(&d->t.owners, root, &d->err);
}

/* --- columns --- */

static bool is_made(enum drops_kind kind)
{
	return kind != DROPS_DEV && kind != DROPS_NETNS && kind != DROPS_OTHER;
}

static void init_column(struct drops_table *t, const struct drops_key *key, struct column *c)
{
	u32 part;

	*c = (struct column){.key = key, .made = is_made(key->kind)};
	for (part = 0; part < DROPS_PARTS; part++) {
		if (!key->in[part].nr)
			continue;
		perflite_field_of(&c->fields[part], &t->parts[part].table, key->in[part].at);
		if (!c->type)
			c->type = c->fields[part].type;
		else if (c->type != c->fields[part].type)
			c->type = PERFLITE_TEXT;
	}
	if (c->made)
		c->type = PERFLITE_TEXT;
}

static bool has_key(const struct drops_key *key)
{
	return key->in[DROPS_SOFTWARE].nr || key->in[DROPS_HARDWARE].nr;
}

static int init_columns(struct dropping *d)
{
	struct drops_table *t = &d->t;
	u32 i;

	d->columns = calloc(t->nr_keys, sizeof(*d->columns));
	if (!d->columns)
		return err_nomem(&d->err);
	for (i = 0; i < t->nr_keys; i++)
		if (has_key(&t->keys[i]))
			init_column(t, &t->keys[i], &d->columns[d->nr++]);
	return 0;
}

/* What follows the keys. */
static const struct {
	const char *name;
	uint32_t type;
} others[] = {
	{"count", PERFLITE_UNSIGNED64},
	{"hardware", PERFLITE_UNSIGNED32},
	{"flow_via", PERFLITE_TEXT},
	{"owner_pid", PERFLITE_SIGNED32},
};

enum { AT_COUNT, AT_HARDWARE, AT_VIA, AT_OWNER };

/* The key of the owner; NULL: there is none. */
static const struct drops_key *key_of_owner(const struct dropping *d)
{
	u32 i;

	for (i = 0; i < d->nr; i++)
		if (d->columns[i].key->kind == DROPS_OWNER)
			return d->columns[i].key;
	return NULL;
}

static bool has_via(const struct drops_table *t)
{
	return t->parts[DROPS_SOFTWARE].there && t->via != ID_NONE;
}

static int new_table(struct dropping *d)
{
	const bool shown[] = {true, true, has_via(&d->t), key_of_owner(d)};
	u32 i, at = d->nr;
	bool ok;

	d->out = perflite_table_new(d->nr + 2 + shown[AT_VIA] + shown[AT_OWNER]);
	ok = d->out;
	for (i = 0; ok && i < d->nr; i++)
		ok = perflite_table_name(d->out, i, d->columns[i].key->name, d->columns[i].type);
	for (i = 0; ok && i < ARRAY_SIZE(others); i++)
		if (shown[i])
			ok = perflite_table_name(d->out, at++, others[i].name, others[i].type);
	return ok ? 0 : err_nomem(&d->err);
}

/* --- rows --- */

static bool put_made(struct dropping *d, u32 column, const struct drops_row *row)
{
	struct column *c = &d->columns[column];
	const char *text;

	buf_clear(&d->one);
	drops_values_put(&d->t, c->key, row, &d->one);
	text = buf_str(&d->one);
	return !d->one.failed &&
	       perflite_table_put_text(d->out, column, &c->texts, strcmp(text, "-") ? text : NULL);
}

static bool put_key(struct dropping *d, u32 column, const struct drops_row *row)
{
	struct column *c = &d->columns[column];
	struct perflite_field *f = &c->fields[row->part];
	u32 id;

	if (!c->key->in[row->part].nr)
		return perflite_table_put_value(d->out, column, false, 0);
	if (c->made)
		return put_made(d, column, row);
	perflite_field_row(f, row->counted);
	if (c->type != PERFLITE_TEXT)
		return perflite_table_put(d->out, column, f);
	/* texts of several fields */
	id = perflite_field_text_of(f);
	return !f->one.failed &&
	       perflite_table_put_text(d->out, column, &c->texts,
				       id == ID_NONE ? NULL : strtab_get(&f->texts, id));
}

static bool put_via(struct dropping *d, u32 column, const struct drops_row *row)
{
	const struct drops_counted *c = drops_values_via(&d->t, row);

	buf_clear(&d->one);
	if (c)
		count_names_put(&c->table, row->counted, d->t.via, &d->one);
	return !d->one.failed &&
	       perflite_table_put_text(d->out, column, &d->via, c ? buf_str(&d->one) : NULL);
}

static bool put_owner(struct dropping *d, u32 column, const struct drops_row *row)
{
	const u32 at = key_of_owner(d)->in[DROPS_SOFTWARE].at;
	const struct socket_owner *owner = NULL;
	u64 inode;

	if (row->part == DROPS_SOFTWARE &&
	    drops_values_number(&d->t.parts[DROPS_SOFTWARE], row->counted, at, &inode))
		owner = drops_owners_find(&d->t.owners, inode);
	return perflite_table_put_value(d->out, column, owner, owner ? owner->pid : 0);
}

static bool put_row(struct dropping *d, const struct drops_row *row)
{
	u32 i, at = d->nr;

	for (i = 0; i < d->nr; i++)
		if (!put_key(d, i, row))
			return false;
	return perflite_table_put_number(d->out, at++, row->counted->sum.nr) &&
	       perflite_table_put_number(d->out, at++, row->part == DROPS_HARDWARE) &&
	       (!has_via(&d->t) || put_via(d, at++, row)) &&
	       (!key_of_owner(d) || put_owner(d, at, row));
}

static int put_rows(struct dropping *d)
{
	struct drops_rows all;
	int ret = drops_rows_init(&all, &d->t, 0, &d->err);

	while (!ret && d->out->rows < all.shown) {
		if (put_row(d, &all.v[d->out->rows]))
			d->out->rows++;
		else
			ret = err_nomem(&d->err);
	}
	drops_rows_free(&all);
	return ret;
}

static int make_table(struct dropping *d)
{
	int ret = init_columns(d);

	if (!ret)
		ret = new_table(d);
	if (!ret)
		ret = put_rows(d);
	if (ret)
		return ret;
	d->out->has_drops = true;
	d->out->drops = (struct perflite_drops_account){
		.drops = drops_table_total(&d->t),
		.hidden = d->t.hidden,
		.lost = perflite_lost(d->p),
	};
	perflite_table_finish(d->out);
	return 0;
}

static void end(struct dropping *d)
{
	u32 i, part;

	for (i = 0; i < d->nr; i++) {
		for (part = 0; part < DROPS_PARTS; part++)
			perflite_field_free(&d->columns[i].fields[part]);
		strtab_free(&d->columns[i].texts);
	}
	free(d->columns);
	strtab_free(&d->via);
	buf_free(&d->one);
	reading_fields_free(&d->filters);
	drops_table_free(&d->t);
	arena_free(&d->arena);
}

struct perflite_table *perflite_drops(struct perflite *p, const char *const *options,
				      struct perflite_error *error)
{
	struct dropping d = {.p = p};
	int ret = begin(&d, options);

	if (!ret)
		ret = add_all(&d);
	if (!ret)
		ret = make_table(&d);
	if (ret) {
		perflite_table_free(d.out);
		d.out = NULL;
	}
	end(&d);
	perflite_give_error(p, &d.err, error);
	return d.out;
}

const struct perflite_drops_account *perflite_table_drops(const struct perflite_table *t)
{
	return t->has_drops ? &t->drops : NULL;
}
