// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd_drops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/text.h"
#include "util/event/drop_fields.h"
#include "util/library/version.h"
#include "util/profile/symboliser.h"

/* Written out in pieces of this size. */
#define OUT_SIZE (64u * 1024)

#define ETHERNET 1 /* of packet_type (probe.h) */
/* Of a packet; those that are to be cut into segments are 512 KiB at most. */
#define SIZE_MAX_SEEN (1u << 20)

/* Where an event has what a packet is made of. */
struct packet_fields {
	const struct tp_field *bytes;
	struct field_reader len, size, type, protocol, tag, tag_type;
};

static struct field_reader reader_of(const struct tp_format *f, const char *name)
{
	const struct tp_field *field = tp_format_field(f, name);

	return field ? field_reader_of(field) : (struct field_reader){0};
}

static u64 number(const struct field_reader *f, const struct sample *s)
{
	u64 v;

	return f->kind == FIELD_READER_INT && field_reader_int(f, s->raw, s->raw_size, &v) ? v : 0;
}

static bool has_number(const struct field_reader *f, const struct sample *s)
{
	u64 v;

	return f->kind == FIELD_READER_INT && field_reader_int(f, s->raw, s->raw_size, &v);
}

static bool find_fields(const struct tp_format *f, struct packet_fields *fields)
{
	if (!f)
		return false;
	*fields = (struct packet_fields){
		.bytes = tp_format_field(f, "packet"),
		.len = reader_of(f, "packet_len"),
		.size = reader_of(f, "packet_size"),
		.type = reader_of(f, "packet_type"),
		.protocol = reader_of(f, "protocol"),
		.tag = reader_of(f, "vlan_tci"),
		.tag_type = reader_of(f, "vlan_proto"),
	};
	/* others may have fields of these names */
	return fields->bytes && fields->bytes->is_array && fields->bytes->elem_size == 1 &&
	       fields->bytes->loc == TP_LOC_FIXED && !fields->bytes->is_string &&
	       fields->len.kind == FIELD_READER_INT && fields->size.kind == FIELD_READER_INT &&
	       fields->type.kind == FIELD_READER_INT;
}

static int no_packets(const struct drops *d, struct err *err)
{
	const struct err *why = &d->table.no_fields;

	err_set(err, EINVAL, "--pcapng needs packets, and %s has none",
		d->w.input ? "this recording" : "the event");
	if (d->w.input)
		err_hint(err, "perf-lite record -e " DROP_FIELDS_EVENT " -a --packets keeps them");
	else if (why->code)
		err_hint(err, "%s: %s", why->msg, why->hint);
	else
		err_hint(err, "leave out -e, or add packet(skb), as in -e '" DROP_FIELDS_EVENT
			      "(location, reason, packet(skb))'");
	return -EINVAL;
}

/* Names of reasons are those of the first event that has them. */
static int bind_reasons(struct drops_pcapng *x, struct drops *d, struct err *err)
{
	bool has_reason = false;
	int ret;
	u32 i;

	for (i = 0; i < d->table.events.nr; i++)
		has_reason |= d->table.events.v[i].part == DROPS_SOFTWARE &&
			      d->table.events.v[i].reason.kind == FIELD_READER_INT;
	x->has_reason = has_reason;
	ret = count_keys_parse(&x->keys, has_reason ? "comm,reason" : "comm", NULL, err);
	return ret ? ret : count_keys_bind(&x->keys, d->w.in.s, err);
}

int drops_pcapng_open(struct drops *d, struct err *err)
{
	struct drops_pcapng *x = &d->pcapng;
	int ret;

	if (!x->path)
		return 0;
	if (!strcmp(x->path, "-") && isatty(STDOUT_FILENO)) {
		err_set(err, EINVAL, "will not write packets to a terminal");
		err_hint(err, "perf-lite drops --pcapng - | tcpdump -nr -");
		return -EINVAL;
	}
	ret = output_file_open(&x->out, x->path, d->w.input, OUTPUT_PRIVATE, err);
	x->opened = !ret;
	return ret;
}

int drops_pcapng_bind(struct drops *d, struct err *err)
{
	const struct session *s = d->w.in.s;
	struct drops_pcapng *x = &d->pcapng;
	struct packet_fields fields;
	struct buf name = {0};
	bool any = false;
	u32 i;

	if (!x->path)
		return 0;
	for (i = 0; i < d->table.events.nr; i++)
		any |= d->table.events.v[i].part == DROPS_SOFTWARE &&
		       find_fields(s->formats[i], &fields);
	buf_addf(&name, "perf-lite %s", version_string());
	pcapng_begin(&x->text, buf_str(&name));
	x->text.failed |= name.failed;
	buf_free(&name);
	return any ? bind_reasons(x, d, err) : no_packets(d, err);
}

static void put_reason(struct drops *d, const struct drops_event *e, const struct session_sample *s,
		       struct buf *out)
{
	struct sample_values *values = &d->pcapng.keys.values;
	u64 reason, value;

	if (!field_reader_int(&e->reason, s->sample->raw, s->sample->raw_size, &reason))
		buf_addc(out, '-');
	else if (!e->names_reasons || drop_reasons_is_foreign(reason))
		drops_names_put(&d->table.names, reason, out);
	else if (sample_values_get(values, 1, s, &value))
		sample_values_put(values, 1, value, out);
}

static void put_place(struct drops *d, const struct drops_event *e, const struct session_sample *s,
		      struct buf *out)
{
	u64 addr;

	if (e->place.kind != FIELD_READER_INT ||
	    !field_reader_int(&e->place, s->sample->raw, s->sample->raw_size, &addr))
		return;
	buf_adds(out, " at ");
	if (!trace_text_symbol(&d->pcapng.keys.values.text, addr, true, out))
		buf_addf(out, "0x%llx", (unsigned long long)addr);
}

static bool put_stack(struct drops *d, const struct session_sample *s, struct buf *out)
{
	struct symboliser *symbols = d->w.in.s->symboliser;
	struct frame_list *frames = &d->pcapng.frames;
	const struct frame *f;
	u32 i;

	if (!symboliser_chain(symbols, s->thread, s->sample, frames))
		return false;
	for (i = 0; i < frames->nr; i++) {
		f = &symbols->frames.v[frames->v[i]];
		if (f->symbol)
			buf_addf(out, "\n  %s", f->symbol);
		else
			buf_addf(out, "\n  0x%llx", (unsigned long long)f->ip);
	}
	return true;
}

/*
 *	NO_SOCKET at __udp4_lib_rcv+0x4bc
 *	CPU 0, dns-query (thread 18825)
 *	  sk_skb_reason_drop ...
 */
static bool put_comment(struct drops *d, const struct drops_event *e,
			const struct session_sample *s)
{
	struct buf *out = &d->pcapng.comment;

	buf_clear(out);
	if (d->pcapng.has_reason && e->reason.kind == FIELD_READER_INT)
		put_reason(d, e, s, out);
	else
		buf_adds(out, "dropped");
	put_place(d, e, s, out);
	buf_addf(out, "\nCPU %u, %s (thread %u)", s->sample->ids.cpu, s->comm, s->sample->ids.tid);
	return (!d->table.needs.kernel_chains || put_stack(d, s, out)) && !out->failed;
}

static void put_cell(const struct tp_format *f, const char *name, const struct sample *s,
		     struct buf *out)
{
	const struct tp_field *field = tp_format_field(f, name);
	const char *text;
	size_t len;

	buf_clear(out);
	if (field && tp_field_string(field, s->raw, s->raw_size, &text, &len))
		text_escape(out, text, len);
}

static void put_network(const struct tp_format *f, const struct sample *s, struct buf *out)
{
	const struct field_reader netns = reader_of(f, "netns");
	const u64 inode = number(&netns, s);

	buf_clear(out);
	if (inode)
		buf_addf(out, "net:[%llu]", (unsigned long long)inode);
}

/* The bytes of the packet that the sample has; 0: it has none. */
static u32 bytes_of(const struct packet_fields *fields, const struct sample *s)
{
	const struct tp_field *f = fields->bytes;

	if (s->raw_size < f->offset || s->raw_size - f->offset < f->size)
		return 0;
	return (u32)MIN(number(&fields->len, s), f->size);
}

static int write_out(struct drops *d, struct err *err)
{
	struct drops_pcapng *x = &d->pcapng;
	int ret = output_file_write(&x->out, &x->text, err);

	buf_clear(&x->text);
	x->gone |= ret && watching_lost_reader(&d->w, err);
	return x->gone ? 0 : ret;
}

int drops_pcapng_add(struct drops *d, const struct session_sample *s, struct err *err)
{
	struct drops_pcapng *x = &d->pcapng;
	const struct drops_event *e = &d->table.events.v[s->event];
	const struct tp_format *format = d->w.in.s->formats[s->event];
	struct packet_fields fields;
	struct pcapng_packet k;
	int ret;

	if (!x->opened || x->gone || e->part != DROPS_SOFTWARE)
		return 0;
	k = (struct pcapng_packet){.time = s->sample->ids.time};
	if (find_fields(format, &fields))
		k.len = bytes_of(&fields, s->sample);
	if (!k.len) {
		x->without++;
		return 0;
	}
	if (time_text_knows_day(&d->clock))
		k.time = time_text_day(&d->clock, k.time);
	k.is_ethernet = number(&fields.type, s->sample) == ETHERNET;
	k.protocol = (u16)number(&fields.protocol, s->sample);
	k.has_tag = has_number(&fields.tag, s->sample);
	k.tag = (u16)number(&fields.tag, s->sample);
	k.tag_type = (u16)number(&fields.tag_type, s->sample);
	k.bytes = s->sample->raw + fields.bytes->offset;
	k.size = (u32)MIN(number(&fields.size, s->sample), SIZE_MAX_SEEN);
	put_cell(format, "dev", s->sample, &x->device);
	put_network(format, s->sample, &x->network);
	if (!put_comment(d, e, s) || x->device.failed || x->network.failed)
		return err_nomem(err);
	k.device = buf_str(&x->device);
	k.network = buf_str(&x->network);
	k.comment = buf_str(&x->comment);
	ret = pcapng_put(&x->file, &k, &x->text, err);
	x->packets++;
	return ret || x->text.len < OUT_SIZE ? ret : write_out(d, err);
}

int drops_pcapng_round(struct drops *d, struct err *err)
{
	struct drops_pcapng *x = &d->pcapng;

	/* who reads along waits for them */
	return x->opened && !d->w.input && x->text.len ? write_out(d, err) : 0;
}

int drops_pcapng_close(struct drops *d, int ret, struct err *err)
{
	struct drops_pcapng *x = &d->pcapng;
	u64 time = d->now;

	if (!x->opened)
		return ret;
	if (!ret && time_text_knows_day(&d->clock))
		time = time_text_day(&d->clock, time);
	if (!ret && !x->gone) {
		pcapng_end(&x->file, time, watching_lost(&d->w), &x->text);
		ret = write_out(d, err);
	}
	x->opened = false;
	return output_file_close(&x->out, ret, err);
}

void drops_pcapng_sum(const struct drops *d, struct buf *lines)
{
	const struct drops_pcapng *x = &d->pcapng;

	if (!x->path)
		return;
	buf_addf(lines, "%llu packet%s in %s", (unsigned long long)x->packets,
		 TEXT_PLURAL(x->packets), strcmp(x->path, "-") ? x->path : "standard output");
	if (x->without)
		buf_addf(lines, "; %llu more had no network header",
			 (unsigned long long)x->without);
	buf_addc(lines, '\n');
}

void drops_pcapng_free(struct drops_pcapng *x)
{
	count_keys_free(&x->keys);
	pcapng_free(&x->file);
	free(x->frames.v);
	buf_free(&x->text);
	buf_free(&x->comment);
	buf_free(&x->device);
	buf_free(&x->network);
}
