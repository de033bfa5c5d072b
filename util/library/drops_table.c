// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"
#include "util/event/drop_fields.h"
#include "util/profile/drop_companions.h"

static const struct known_key {
	const char *name;
	enum drops_kind kind;
	/* the fields of each part that hold it; only the first that exists where `first_only` */
	const char *fields[DROPS_PARTS][6];
	bool first_only[DROPS_PARTS];
} known[] = {
	{"place", DROPS_PLACE, {{"location", "loc"}, {"bus_name", "dev_name"}}, {true, false}},
	{"reason", DROPS_REASON, {{"reason"}, {"trap_name", "trap_group_name"}}, {true, false}},
	{"protocol", DROPS_PROTOCOL, {{"protocol"}}, {true, true}},
	{"dev", DROPS_DEV, {{"dev", "ifname", "netdev"}, {"input_dev_name"}}, {true, true}},
	{"netns", DROPS_NETNS, {{"netns", "ns", "net"}, {"netns"}}, {true, true}},
	{"owner", DROPS_OWNER, {{"sk_inode"}}, {true, true}},
	{"flow", DROPS_FLOW, {{"saddr", "sport", "daddr", "dport", "l4"}}, {false, false}},
	{"inner",
	 DROPS_INNER,
	 {{"inner_saddr", "inner_sport", "inner_daddr", "inner_dport", "inner_l4"}},
	 {false, false}},
};

static const struct known_key *find_known(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

static int ask_key(struct drops_table *t, const char *name, struct err *err)
{
	const struct known_key *k = find_known(name);
	struct drops_key *key;
	u32 i;

	for (i = 0; i < t->nr_keys; i++)
		if (!strcmp(t->keys[i].name, name))
			return err_set(err, EINVAL, "the key '%s' is named twice", name);
	if (t->nr_keys == COUNT_KEYS_MAX)
		return err_set(err, EINVAL, "too many keys: at most %u", COUNT_KEYS_MAX);
	key = &t->keys[t->nr_keys++];
	*key = (struct drops_key){.kind = k ? k->kind : DROPS_OTHER, .name = name};
	return 0;
}

/* Which call chains do they need? Also checks what is not checked against fields later. */
static int ask_chains(struct drops_table *t, struct err *err)
{
	struct count_keys probe = {0};
	int ret = 0;
	u32 i;

	for (i = 0; i < t->nr_keys && !ret; i++) {
		if (t->keys[i].kind != DROPS_OTHER)
			continue;
		ret = count_keys_parse(&probe, t->keys[i].name, NULL, err);
		t->keys[i].stack = !ret && sample_key_is_stack(probe.v[0].kind);
		t->needs.kernel_chains |= probe.kernel_chains;
		t->needs.user_chains |= probe.user_chains;
		t->needs.ip |= count_keys_use(&probe).ip;
		count_keys_need(&probe, &t->needs.samples);
		count_keys_free(&probe);
	}
	return ret;
}

int drops_table_ask(struct drops_table *t, const char *by, bool stacks, struct err *err)
{
	char *list = arena_strdup(&t->arena, by ? by : "place,reason,protocol,dev,comm");
	char *word, *save = NULL;
	bool any_stack = false;
	int ret = 0;
	u32 i;

	if (!list)
		return err_nomem(err);
	t->chosen = by != NULL;
	for (word = strtok_r(list, ", ", &save); word && !ret; word = strtok_r(NULL, ", ", &save))
		ret = ask_key(t, word, err);
	if (!ret && !t->nr_keys) {
		err_set(err, EINVAL, "no key is named");
		err_hint(err, "for example --by place,reason");
		ret = -EINVAL;
	}
	if (!ret)
		ret = ask_chains(t, err);
	for (i = 0; i < t->nr_keys; i++)
		any_stack |= t->keys[i].stack;
	if (!ret && stacks && !any_stack) {
		ret = ask_key(t, "kstack", err);
		if (!ret)
			ret = ask_chains(t, err);
	}
	return ret;
}

void drops_table_lacks(const struct drops_table *t, const struct tp_format *own, u32 *asked)
{
	const struct known_key *k;
	const char *name;
	u32 i, n;

	for (i = 0; i < t->nr_keys; i++) {
		k = find_known(t->keys[i].name);
		for (n = 0; n < (k ? ARRAY_SIZE(k->fields[DROPS_SOFTWARE]) : 1u); n++) {
			name = k ? k->fields[DROPS_SOFTWARE][n] : t->keys[i].name;
			if (!name || tp_format_field(own, name))
				break;
			drop_fields_ask(asked, name, strlen(name));
		}
	}
}

/* ---- the events ---- */

static const char *event_name(const struct drops_table *t)
{
	return t->event ? t->event : "skb:kfree_skb";
}

static int bind_event(struct drops_table *t, u32 event, struct err *err)
{
	struct drops_event *e = vec_push(&t->events);
	int ret;

	if (!e)
		return err_nomem(err);
	ret = drops_event_init(e, t->session, event, event_name(t), t->only, &t->names, err);
	if (!ret && e->part != DROPS_NEITHER)
		t->parts[e->part].there = true;
	return ret;
}

static int no_event(const struct drops_table *t, struct err *err)
{
	const struct event_set *events = &t->session->source->recording->events;
	struct buf names = {0};
	u32 i;

	for (i = 0; i < events->events.nr; i++)
		if (!events->events.v[i].sideband)
			buf_addf(&names, "%s%s", names.len ? ", " : "", events->events.v[i].name);
	err_set(err, ENOENT, "the recording holds no event of drops, but %s",
		names.len ? buf_str(&names) : "no event");
	err_hint(err,
		 t->event ? "is '%s' spelt right?"
			  : "record skb:kfree_skb, or name another event that does: -e NAME",
		 t->event);
	buf_free(&names);
	return -ENOENT;
}

/* ---- keys and fields ---- */

/* The first event of the part that has the field. */
static bool any_has(const struct drops_table *t, enum drops_part part, const char *field)
{
	u32 i;

	for (i = 0; i < t->events.nr; i++)
		if (t->events.v[i].part == part && tp_format_field(t->session->formats[i], field))
			return true;
	return false;
}

struct words {
	struct buf list;
	u32 nr;
};

static void add_word(struct words *w, const char *word)
{
	buf_addf(&w->list, "%s%s", w->nr++ ? "," : "", word);
}

static void settle_known(const struct drops_table *t, const struct known_key *k,
			 enum drops_part part, struct words *w)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(k->fields[part]) && k->fields[part][i]; i++) {
		if (!any_has(t, part, k->fields[part][i]))
			continue;
		add_word(w, k->fields[part][i]);
		if (k->first_only[part])
			return;
	}
}

/* A field, or the function of one. */
static bool has_word(const struct drops_table *t, enum drops_part part, const char *word)
{
	static const char function[] = ".function";
	size_t len = strlen(word), tail = sizeof(function) - 1;
	char field[128];

	if (len > tail && !strcmp(word + len - tail, function))
		len -= tail;
	if (len >= sizeof(field))
		return false;
	memcpy(field, word, len);
	field[len] = '\0';
	return any_has(t, part, field);
}

/* A key of any sample, as in count, that is not also a field of some part's drops. */
static bool is_counted(const struct drops_table *t, const char *name)
{
	enum sample_key_kind kind = sample_keys_plain(name, strcspn(name, ":"));
	u32 part;

	if (kind == KEY_NONE || !sample_keys_yields(kind))
		return kind != KEY_NONE;
	for (part = 0; part < DROPS_PARTS; part++)
		if (has_word(t, (enum drops_part)part, name))
			return false;
	return true;
}

static void settle_key(struct drops_table *t, struct drops_key *key, enum drops_part part,
		       struct words *w)
{
	const struct known_key *k = find_known(key->name);

	key->in[part].at = w->nr;
	if (k)
		settle_known(t, k, part, w);
	else if (is_counted(t, key->name) ? t->chosen || key->stack || part == DROPS_SOFTWARE
					  : has_word(t, part, key->name))
		add_word(w, key->name);
	key->in[part].nr = w->nr - key->in[part].at;
}

/* Where flows are shown that come from other tracepoints: which of them. */
static void settle_via(struct drops_table *t, struct words *w)
{
	static const char via[] = "flow_via";
	bool shown = false, asked = false;
	u32 i;

	t->via = ID_NONE;
	for (i = 0; i < t->nr_keys; i++) {
		shown |= t->keys[i].kind == DROPS_FLOW || drop_companions_gives(t->keys[i].name);
		asked |= !strcmp(t->keys[i].name, via);
	}
	if (!shown || asked || w->nr == COUNT_KEYS_MAX || !any_has(t, DROPS_SOFTWARE, via))
		return;
	t->via = w->nr;
	add_word(w, via);
}

/* Why the packet is not asked, or what would. */
static int put_fields_hint(const struct drops_table *t, const struct drops_key *key,
			   struct err *err)
{
	if (t->no_fields.code)
		err_hint(err, "%s: %s", t->no_fields.msg, t->no_fields.hint);
	else if (t->reads)
		err_hint(err, "%s", t->reads);
	else if (t->live)
		err_hint(err, "without -e, perf-lite drops reads it");
	else
		err_hint(
			err,
			"perf-lite drops --by %s, on the running kernel, reads it; record --packets keeps it%s",
			key->name,
			key->kind == DROPS_FLOW || drop_companions_gives(key->name)
				? "; tcp:tcp_send_reset, udp:udp_fail_queue_rcv_skb and icmp:icmp_send beside it name some, if recorded without --filter"
				: "");
	return -EINVAL;
}

static int untold(const struct drops_table *t, const struct drops_key *key, struct err *err)
{
	const char *event = event_name(t);

	switch (key->kind) {
	case DROPS_DEV:
	case DROPS_NETNS:
	case DROPS_FLOW:
	case DROPS_INNER:
	case DROPS_OWNER:
		err_set(err, EINVAL, "%s does not report the %s of a packet", event,
			key->kind == DROPS_DEV     ? "device"
			: key->kind == DROPS_NETNS ? "network namespace"
			: key->kind == DROPS_OWNER ? "socket"
			: key->kind == DROPS_INNER ? "addresses inside"
						   : "addresses");
		return put_fields_hint(t, key, err);
	case DROPS_REASON:
		err_set(err, EINVAL, "%s reports no reason", event);
		err_hint(err, "that of Linux 5.17 and later does; here, --by place says most");
		return -EINVAL;
	default:
		return err_set(err, EINVAL, "%s does not report '%s'", event, key->name);
	}
}

/* Is it a key of drops, or among the fields ", a, b"? */
static bool is_listed(const struct buf *fields, const char *name, size_t len)
{
	const char *at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i].name) == len && !memcmp(known[i].name, name, len))
			return true;
	for (at = fields->data; at && at < fields->data + fields->len; at += strcspn(at, ",")) {
		at += strlen(", ");
		if (!strncmp(at, name, len) && (at[len] == ',' || !at[len]))
			return true;
	}
	return false;
}

static void list_field(struct buf *fields, const char *name, size_t len)
{
	if (is_listed(fields, name, len))
		return;
	buf_adds(fields, ", ");
	buf_add(fields, name, len);
}

/* What a program reads from the packet, where one does. */
static void list_packet_fields(struct buf *fields)
{
	struct buf names = {0};
	const char *at;
	size_t len;

	drop_fields_names(&names);
	for (at = buf_str(&names); *at; at += len + strspn(at + len, ", ")) {
		len = strcspn(at, ",");
		list_field(fields, at, len);
	}
	buf_free(&names);
}

static int unknown(const struct drops_table *t, const struct drops_key *key, struct err *err)
{
	const char *word = key->name;
	struct text_suggest suggest;
	const struct tp_format *f;
	struct buf fields = {0};
	u32 i, e, asked = 0;

	if (drop_fields_ask(&asked, word, strlen(word))) {
		err_set(err, EINVAL, "%s does not report the %s of a packet", event_name(t), word);
		return put_fields_hint(t, key, err);
	}
	text_suggest_init(&suggest, word);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		text_suggest_add(&suggest, known[i].name);
	drop_fields_suggest(&suggest);
	sample_keys_suggest(&suggest, false);
	for (e = 0; e < t->events.nr; e++) {
		f = t->events.v[e].part == DROPS_NEITHER ? NULL : t->session->formats[e];
		for (i = 0; f && i < f->nr_fields; i++) {
			text_suggest_add(&suggest, f->fields[i].name);
			if (!f->fields[i].is_common)
				list_field(&fields, f->fields[i].name, strlen(f->fields[i].name));
		}
	}
	if (t->live && !t->event)
		list_packet_fields(&fields);
	err_set(err, EINVAL, "there is no key '%s', and the drops have no such field", word);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(
			err,
			"keys are: place, reason, protocol, dev, netns, flow, inner, owner, comm, pid, tid, cpu, "
			"kstack, ustack, stack%s",
			buf_str(&fields));
	buf_free(&fields);
	return -EINVAL;
}

/* Of those that are several fields, the user typed one. */
static int check_number(const struct words *w, struct err *err)
{
	if (w->list.failed)
		return err_nomem(err);
	if (w->nr <= COUNT_KEYS_MAX)
		return 0;
	err_set(err, EINVAL, "too many keys: at most %u, and flow and inner are 5 each",
		COUNT_KEYS_MAX);
	err_hint(err, "name fewer keys, or parts of these: saddr, dport, inner_saddr");
	return -EINVAL;
}

static int bind_part(struct drops_table *t, enum drops_part part, struct err *err)
{
	const struct count_options options = {.what = COUNT_NUMBER, .max_rows = t->max_rows};
	struct drops_counted *c = &t->parts[part];
	struct words w = {0};
	int ret;
	u32 i;

	if (!c->there)
		return 0;
	for (i = 0; i < t->nr_keys; i++)
		settle_key(t, &t->keys[i], part, &w);
	if (part == DROPS_SOFTWARE)
		settle_via(t, &w);
	/* flow,saddr */
	c->keys.repeats = true;
	ret = check_number(&w, err);
	if (!ret)
		ret = count_keys_parse(&c->keys, w.nr ? w.list.data : NULL, NULL, err);
	if (!ret)
		ret = count_keys_bind(&c->keys, t->session, err);
	if (!ret)
		ret = count_table_init(&c->table, &c->keys, &options, err);
	buf_free(&w.list);
	return ret;
}

bool drops_table_reports(const struct drops_table *t, const char *field)
{
	return any_has(t, DROPS_SOFTWARE, field);
}

static bool reports_drops(const struct drops_table *t)
{
	return drops_table_reports(t, "location") || drops_table_reports(t, "loc") ||
	       drops_table_reports(t, "reason");
}

bool drops_table_has(const struct drops_table *t, enum drops_kind kind)
{
	u32 i;

	for (i = 0; i < t->nr_keys; i++)
		if (t->keys[i].kind == kind)
			return true;
	return false;
}

int drops_table_bind(struct drops_table *t, struct session *s, struct err *err)
{
	const struct drops_key *key;
	int ret = 0;
	u32 i;

	t->session = s;
	t->owners.on = t->live && drops_table_has(t, DROPS_OWNER);
	t->names.use_types = session_is_running_kernel(s->source->recording);
	for (i = 0; i < s->source->recording->events.events.nr && !ret; i++)
		ret = bind_event(t, i, err);
	if (!ret && !t->parts[DROPS_SOFTWARE].there && !t->parts[DROPS_HARDWARE].there)
		ret = no_event(t, err);
	if (!ret && t->parts[DROPS_SOFTWARE].there && !reports_drops(t)) {
		err_set(err, EINVAL, "%s does not report drops: it has no field location or reason",
			event_name(t));
		err_hint(err, "perf-lite count -e %s counts any event", event_name(t));
		ret = -EINVAL;
	}
	for (i = 0; i < DROPS_PARTS && !ret; i++)
		ret = bind_part(t, (enum drops_part)i, err);
	for (i = 0; i < t->nr_keys && !ret && t->chosen; i++) {
		key = &t->keys[i];
		if (key->in[DROPS_SOFTWARE].nr || key->in[DROPS_HARDWARE].nr)
			continue;
		ret = key->kind == DROPS_OTHER ? unknown(t, key, err) : untold(t, key, err);
	}
	return ret;
}

/* ---- counting ---- */

int drops_table_add(struct drops_table *t, const struct session_sample *s, bool *counted,
		    struct err *err)
{
	const struct drops_event *e = s->event < t->events.nr ? &t->events.v[s->event] : NULL;

	*counted = false;
	if (!e || e->part == DROPS_NEITHER)
		return 0;
	if (!t->all && s->sample->raw && drops_event_is_noise(e, t->session, s)) {
		t->hidden++;
		return 0;
	}
	*counted = true;
	if (drops_owners_meet(&t->owners, t->session->formats[s->event], s->sample, err))
		return -ENOMEM;
	return count_table_add(&t->parts[e->part].table, s, err);
}

u64 drops_table_total(const struct drops_table *t)
{
	u64 nr = 0;
	u32 i;

	for (i = 0; i < DROPS_PARTS; i++)
		if (t->parts[i].there)
			nr += count_table_total(&t->parts[i].table).nr;
	return nr;
}

void drops_table_reset(struct drops_table *t)
{
	u32 i;

	for (i = 0; i < DROPS_PARTS; i++)
		if (t->parts[i].there)
			count_table_reset(&t->parts[i].table);
	drops_owners_reset(&t->owners);
	t->hidden = 0;
}

void drops_table_free(struct drops_table *t)
{
	u32 i;

	for (i = 0; i < DROPS_PARTS; i++) {
		count_table_free(&t->parts[i].table);
		count_keys_free(&t->parts[i].keys);
	}
	for (i = 0; i < t->events.nr; i++)
		drops_event_free(&t->events.v[i]);
	vec_free(&t->events);
	drops_names_free(&t->names);
	drops_owners_free(&t->owners);
	arena_free(&t->arena);
}
