// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <string.h>

#include "util/base/ethertype.h"
#include "util/format/count_names.h"

bool drops_values_number(const struct drops_counted *c, const struct count_row *r, u32 key, u64 *v)
{
	const struct sample_shape *s = count_table_shape(&c->table, r, key);

	if (!s || s->take.kind != FIELD_READER_INT)
		return false;
	*v = r->words[COUNT_SHAPES + key];
	return true;
}

bool drops_values_reason(const struct drops_table *t, const struct drops_counted *c,
			 const struct count_row *r, u32 key, u64 *reason)
{
	const struct sample_shape *s = count_table_shape(&c->table, r, key);

	return drops_values_number(c, r, key, reason) &&
	       (!t->events.v[s->event].names_reasons || drop_reasons_is_foreign(*reason));
}

bool drops_values_protocol(const struct drops_table *t, const struct drops_counted *c,
			   const struct count_row *r, u32 key, u64 *protocol)
{
	const struct sample_shape *s = count_table_shape(&c->table, r, key);

	if (!drops_values_number(c, r, key, protocol))
		return false;
	if (t->events.v[s->event].swapped)
		*protocol = __builtin_bswap16((u16)*protocol);
	return true;
}

static void put_protocol(u64 protocol, struct buf *out)
{
	const char *name = ethertype_name(protocol);

	if (name)
		buf_adds(out, name);
	else if (protocol)
		buf_addf(out, "0x%04llx", (unsigned long long)protocol);
	else
		buf_addc(out, '-');
}

bool drops_values_place(const struct drops_counted *c, const struct count_row *r, u32 key,
			u64 *addr)
{
	const struct sample_shape *s = count_table_shape(&c->table, r, key);

	return drops_values_number(c, r, key, addr) && s->format.as != TP_SHOWN_SYMBOL;
}

void drops_values_put_place(struct drops_counted *c, u64 addr, struct buf *out)
{
	if (!trace_text_symbol(&c->keys.values.text, addr, true, out))
		buf_addf(out, "0x%llx", (unsigned long long)addr);
}

static void put_netns(u64 inode, struct buf *out)
{
	if (inode)
		buf_addf(out, "net:[%llu]", (unsigned long long)inode);
}

/* "10.0.0.1:4711 > 10.0.0.2:443 TCP", "[::1]:4711 > ...", "> :443 TCP", as far as it is known. */
static void put_flow(const struct drops_counted *c, const struct drops_key *key,
		     const struct count_row *r, struct buf *out)
{
	static const char *const before[] = {"", ":", "", ":", " "};
	const u32 first = key->in[DROPS_SOFTWARE].at;
	bool address, is_ip6, is_to = false;
	const size_t begin = out->len;
	struct buf value = {0};
	u32 i;

	for (i = 0; i < key->in[DROPS_SOFTWARE].nr && i < ARRAY_SIZE(before); i++) {
		if (!count_names_has(&c->table, r, first + i))
			continue;
		buf_clear(&value);
		count_names_put(&c->table, r, first + i, &value);
		address = i == 0 || i == 2;
		is_ip6 = address && strchr(buf_str(&value), ':') &&
			 count_names_has(&c->table, r, first + i + 1);
		/* where the packet was for: its address, or the port alone */
		if ((i == 2 || i == 3) && !is_to) {
			buf_adds(out, out->len > begin ? " > " : "> ");
			is_to = true;
		}
		buf_addf(out, "%s%s%s%s", before[i], is_ip6 ? "[" : "", buf_str(&value),
			 is_ip6 ? "]" : "");
	}
	out->failed |= value.failed;
	buf_free(&value);
}

static void put_software(struct drops_table *t, const struct drops_key *key,
			 const struct count_row *r, struct buf *out)
{
	struct drops_counted *c = &t->parts[DROPS_SOFTWARE];
	const u32 at = key->in[DROPS_SOFTWARE].at;
	const size_t before = out->len;
	u64 v;

	if (key->kind == DROPS_PLACE && drops_values_place(c, r, at, &v))
		drops_values_put_place(c, v, out);
	else if (key->kind == DROPS_REASON && drops_values_reason(t, c, r, at, &v))
		drops_names_put(&t->names, v, out);
	else if (key->kind == DROPS_PROTOCOL && drops_values_protocol(t, c, r, at, &v))
		put_protocol(v, out);
	else if (key->kind == DROPS_NETNS && drops_values_number(c, r, at, &v))
		put_netns(v, out);
	else if (key->kind == DROPS_FLOW || key->kind == DROPS_INNER)
		put_flow(c, key, r, out);
	else if (key->kind == DROPS_OWNER && drops_values_number(c, r, at, &v))
		drops_owners_put(&t->owners, v, out);
	else
		count_names_put(&c->table, r, at, out);
	/* a packet that has no device */
	if (out->len == before)
		buf_addc(out, '-');
}

static void put_hardware(struct drops_table *t, const struct drops_key *key,
			 const struct count_row *r, struct buf *out)
{
	struct drops_counted *c = &t->parts[DROPS_HARDWARE];
	u32 at = key->in[DROPS_HARDWARE].at;
	bool second = key->in[DROPS_HARDWARE].nr > 1;

	if (key->kind == DROPS_REASON)
		buf_adds(out, "trap ");
	count_names_put(&c->table, r, at, out);
	if (key->kind == DROPS_PLACE && second) {
		buf_addc(out, '/');
		count_names_put(&c->table, r, at + 1, out);
	} else if (key->kind == DROPS_REASON && second) {
		buf_adds(out, " (");
		count_names_put(&c->table, r, at + 1, out);
		buf_addc(out, ')');
	}
}

const struct drops_counted *drops_values_via(const struct drops_table *t,
					     const struct drops_row *row)
{
	const struct drops_counted *c = &t->parts[row->part];
	u64 v;

	if (row->part != DROPS_SOFTWARE || t->via == ID_NONE)
		return NULL;
	return drops_values_number(c, row->counted, t->via, &v) ? c : NULL;
}

void drops_values_put(struct drops_table *t, const struct drops_key *key,
		      const struct drops_row *row, struct buf *out)
{
	if (row->part == DROPS_SOFTWARE)
		put_software(t, key, row->counted, out);
	else
		put_hardware(t, key, row->counted, out);
}
