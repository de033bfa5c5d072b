// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made_source.h"
#include "util/profile/drop_companions.h"
#include "util/tracepoint/tp_field.h"

#define TYPE                                                                             \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_RAW)
#define RST_SIZE  88u
#define DROP_SIZE 40u
#define SKB       0xffff888000000000ull

enum { DROP, RESET, FULL, ICMP, EXPRESSIONS, EVENTS };

#define COMMON                                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char *const formats[EVENTS] = {
	[DROP] = "name: kfree_skb\nID: 100\nformat:\n" COMMON
		 "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		 "\tfield:void * location;\toffset:16;\tsize:8;\tsigned:0;\n"
		 "\tfield:void * rx_sk;\toffset:24;\tsize:8;\tsigned:0;\n"
		 "\tfield:unsigned short protocol;\toffset:32;\tsize:2;\tsigned:0;\n"
		 "\tfield:enum skb_drop_reason reason;\toffset:36;\tsize:4;\tsigned:0;\n\n"
		 "print fmt: \"skbaddr=%p \" \"reason: %s\", REC->skbaddr, "
		 "__print_symbolic(REC->reason, { 3, \"NO_SOCKET\" }, { 6, \"SOCKET_RCVBUFF\" }, "
		 "{ 7, \"TCP_FLAGS\" }, { 8, \"UDP_CSUM\" }, { 9, \"IP_INHDR\" })\n",
	[RESET] = "name: tcp_send_reset\nID: 101\nformat:\n" COMMON
		  "\tfield:const void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		  "\tfield:const void * skaddr;\toffset:16;\tsize:8;\tsigned:0;\n"
		  "\tfield:int state;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:enum sk_rst_reason reason;\toffset:28;\tsize:4;\tsigned:0;\n"
		  "\tfield:__u8 saddr[28];\toffset:32;\tsize:28;\tsigned:0;\n"
		  "\tfield:__u8 daddr[28];\toffset:60;\tsize:28;\tsigned:0;\n\n"
		  "print fmt: \"%s\", __print_symbolic(REC->reason, { 1, \"NO_SOCKET\" })\n",
	/* of old kernels */
	[FULL] = "name: udp_fail_queue_rcv_skb\nID: 102\nformat:\n" COMMON
		 "\tfield:int rc;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:__u16 lport;\toffset:12;\tsize:2;\tsigned:0;\n\n"
		 "print fmt: \"rc=%d port=%hu\", REC->rc, REC->lport\n",
	[ICMP] = "name: icmp_send\nID: 103\nformat:\n" COMMON
		 "\tfield:const void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		 "\tfield:int type;\toffset:16;\tsize:4;\tsigned:1;\n"
		 "\tfield:__u8 saddr[4];\toffset:24;\tsize:4;\tsigned:0;\n"
		 "\tfield:__u8 daddr[4];\toffset:28;\tsize:4;\tsigned:0;\n"
		 "\tfield:__u16 sport;\toffset:32;\tsize:2;\tsigned:0;\n"
		 "\tfield:__u16 dport;\toffset:34;\tsize:2;\tsigned:0;\n"
		 "\tfield:unsigned short ulen;\toffset:36;\tsize:2;\tsigned:0;\n\n"
		 "print fmt: \"\"\n",
	[EXPRESSIONS] = "name: kfree_skb\nID: 104\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			"\tfield:unsigned int common_unread;\toffset:8;\tsize:4;\tsigned:0;\n\n"
			"\tfield:unsigned int reason;\toffset:12;\tsize:4;\tsigned:0;\n"
			"\tfield:unsigned long skbaddr;\toffset:16;\tsize:8;\tsigned:0;\n\n"
			"print fmt: \"reason=%u\", REC->reason\n",
};
static const char *const systems[EVENTS] = {"skb", "tcp", "udp", "icmp", "skb"};
static const char *const names[EVENTS] = {"kfree_skb", "tcp_send_reset", "udp_fail_queue_rcv_skb",
					  "icmp_send", "skb:kfree_skb"};

/* Of each event: its address, and a number that ports are made of; of a drop, its reason. 'l': records were lost. */
struct step {
	char what; /* d, r, L (a reset of a socket that listens), z (... without an address), f, i, x (a drop of EXPRESSIONS), l */
	u64 address, number;
	u32 cpu, len; /* of the raw data, 0: all */
};

struct reading {
	struct made_source m; /* first */
	const struct step *steps;
	u64 repeat; /* steps[0] comes so many times, with an address and a CPU of its own each */
	u32 behind; /* bytes at the end of the raw data, behind the fields */
	u32 stack;  /* bytes of a stack, behind the raw data */
};

static void put_u16(u8 *p, u16 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put_u32(u8 *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put_u64(u8 *p, u64 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put_sockaddr(u8 *p, u8 last, u16 port)
{
	const u8 address[] = {10, 0, 0, last};

	put_u16(p, 2);
	p[2] = (u8)(port >> 8);
	p[3] = (u8)port;
	memcpy(p + 4, address, 4);
}

static u32 fill_raw(u8 *raw, const struct step *s)
{
	u32 state = s->what == 'L' ? 10 : 1, reason = 3;

	switch (s->what) {
	case 'd':
		put_u64(raw + 8, s->address);
		put_u16(raw + 32, 0x0800);
		reason = s->number ? (u32)s->number : reason;
		memcpy(raw + 36, &reason, 4);
		return DROP_SIZE;
	case 'r':
	case 'L':
	case 'z':
		put_u64(raw + 8, s->address);
		memcpy(raw + 24, &state, 4);
		/* 1 is NO_SOCKET, 0 nothing */
		put_u32(raw + 28, s->number != 6);
		put_sockaddr(raw + 32, 2, 443);
		if (s->what == 'z')
			memset(raw + 36, 0, 4);
		put_sockaddr(raw + 60, 1, (u16)s->number);
		return RST_SIZE;
	case 'x':
		memcpy(raw + 12, &reason, 4);
		put_u64(raw + 16, s->address);
		return 24;
	case 'f':
		memcpy(raw + 8, &(s32){-12}, 4);
		put_u16(raw + 12, (u16)s->number);
		return 16;
	default:
		put_u64(raw + 8, s->address);
		put_u32(raw + 16, 3);
		memcpy(raw + 24, (u8[]){10, 0, 0, 1, 10, 0, 0, 2}, 8);
		put_u16(raw + 32, (u16)s->number);
		put_u16(raw + 34, 9);
		put_u16(raw + 36, 20);
		return 38;
	}
}

static u32 event_of(char what)
{
	static const char letters[] = "drfix";
	const char *at = strchr(letters, what);

	return at ? (u32)(at - letters) : RESET;
}

static void put_sample(const struct reading *r, const struct step *s, struct buf *out)
{
	size_t at = made_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	u8 raw[128] = {0};
	u32 len = fill_raw(raw, s);

	len = s->len && s->len < len ? s->len : len;
	buf_u64(out, event_of(s->what) + 1);
	buf_u32(out, 7);
	buf_u32(out, 7);
	buf_u64(out, r->m.time);
	buf_u32(out, s->cpu);
	buf_u32(out, 0);
	buf_u32(out, len + r->behind);
	buf_add(out, raw, len);
	buf_pad(out, '\0', r->behind);
	buf_pad(out, '\0', ALIGN_UP(out->len, 8u) - out->len);
	buf_pad(out, '\0', r->stack);
	made_end(out, at);
}

static int put_step(struct made_source *m)
{
	const struct reading *r = (const struct reading *)m;
	struct step s = r->steps[m->at < r->repeat ? 0 : m->at - r->repeat];
	size_t at;

	if (m->at < r->repeat) {
		s.address += (m->at + 1) * 256;
		s.cpu = (u32)m->at + 1;
	}
	m->time += 10;
	m->cpu = s.cpu;
	m->event = s.what == 'l' ? ID_NONE : event_of(s.what);
	if (s.what == 'l') {
		at = made_begin(&m->b, PERF_RECORD_LOST, 0);
		buf_u64(&m->b, 1);
		buf_u64(&m->b, 1);
		made_end(&m->b, at);
	} else {
		put_sample(r, &s, &m->b);
	}
	return SOURCE_RECORD;
}

static void add_tracepoint(struct reading *r, u32 i, const char *format)
{
	const char *name = i == EXPRESSIONS ? names[DROP] : names[i];

	recording_add_tracepoint(&r->m.recording, 100 + i, systems[i], strlen(systems[i]), name,
				 strlen(name), format, strlen(format));
}

static void begin(struct reading *r, const struct step *steps, u64 nr, const char *const *texts)
{
	struct perf_event_attr attr = made_attr(TYPE);
	const char *format;
	u64 id;
	u32 i;

	*r = (struct reading){.steps = steps};
	made_source_begin(&r->m, put_step, nr);
	attr.type = PERF_TYPE_TRACEPOINT;
	for (i = 0; i < EVENTS; i++) {
		format = texts[i];
		attr.config = 100 + i;
		id = i + 1;
		event_set_add(&r->m.recording.events, &attr, sizeof(attr), names[i], &id, 1, NULL);
		if (format)
			add_tracepoint(r, i, format);
	}
}

static int wrap(struct reading *r)
{
	static const struct tp_opts opts;

	return drop_companions_wrap(&r->m.top, &opts, &r->m.err);
}

static struct tp_format *drop_format(const struct reading *r)
{
	const struct tp_text *t = recording_tracepoint(&r->m.recording, 100);
	struct tp_format *f = tp_format_parse(t->format, t->format_len, NULL);

	assert_non_null(f);
	return f;
}

static void put_value(const struct tp_format *f, const char *name, const struct sample *s,
		      struct buf *out)
{
	const struct tp_field *field = tp_format_field(f, name);
	const void *p;
	size_t n;
	u64 v;

	if (field && field->is_array && tp_field_bytes(field, s->raw, s->raw_size, &p, &n))
		buf_addf(out, "%u", ((const u8 *)p)[7]);
	else if (field && tp_field_int(field, s->raw, s->raw_size, &v))
		buf_addf(out, "%llu", (unsigned long long)v);
	else
		buf_addc(out, '-');
}

/* Of each drop "saddr's last byte:sport>daddr:dport/l4 ". */
static const char *read_drops(struct reading *r, struct buf *out)
{
	static const char *const order[] = {"saddr", ":",     "sport", ">", "daddr",
					    ":",     "dport", "/",     "l4"};
	struct sample_layout layout = made_layout(TYPE);
	struct tp_format *f = drop_format(r);
	struct sample s;
	struct rec rec;
	u32 i;

	buf_clear(out);
	while (source_step(r->m.top, &rec, &r->m.err) > 0) {
		assert_int_equal((uintptr_t)rec.data % 8, 0);
		if (rec.type != PERF_RECORD_SAMPLE ||
		    (rec.event != DROP && rec.event != EXPRESSIONS))
			continue;
		assert_true(sample_layout_sample(&layout, &rec, &s));
		if (rec.event == EXPRESSIONS) {
			assert_int_equal(s.raw_size, 24);
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(order); i++)
			if (i % 2)
				buf_adds(out, order[i]);
			else
				put_value(f, order[i], &s, out);
		buf_addc(out, ' ');
	}
	tp_format_free(f);
	return buf_str(out);
}

#define CHECK(expected, ...)                                                \
	do {                                                                \
		static const struct step steps[] = {__VA_ARGS__};           \
		struct buf out = {0};                                       \
		struct reading of_steps;                                    \
		begin(&of_steps, steps, ARRAY_SIZE(steps), formats);        \
		assert_int_equal(wrap(&of_steps), 0);                       \
		assert_string_equal(read_drops(&of_steps, &out), expected); \
		made_source_end(&of_steps.m);                               \
		buf_free(&out);                                             \
	} while (0)

#define NOTHING "-:->-:-/- "

static void joins_the_next(void **state)
{
	(void)state;
	CHECK("1:5>2:443/6 " NOTHING, {'r', SKB, 5, 0, 0}, {'d', SKB, 0, 0, 0},
	      {'d', SKB, 0, 0, 0});
	CHECK("-:->-:53/17 " NOTHING, {'f', 0, 53, 0, 0}, {'d', SKB, 6, 0, 0}, {'d', SKB, 6, 0, 0});
	CHECK("1:5>2:9/17 ", {'i', SKB, 5, 0, 0}, {'d', SKB, 3, 0, 0});
	/* another packet; one on another CPU in between; after another companion or drop; a loss */
	CHECK(NOTHING NOTHING, {'r', SKB, 5, 0, 0}, {'d', SKB + 8, 0, 0, 0}, {'d', SKB, 0, 0, 0});
	CHECK(NOTHING "1:5>2:443/6 ", {'r', SKB, 5, 0, 0}, {'d', SKB, 0, 1, 0},
	      {'d', SKB, 0, 0, 0});
	CHECK("1:6>2:443/6 " NOTHING, {'r', SKB, 5, 0, 0}, {'r', SKB + 8, 6, 0, 0},
	      {'d', SKB + 8, 0, 0, 0}, {'d', SKB, 0, 0, 0});
	CHECK(NOTHING, {'f', 0, 53, 0, 0}, {'i', SKB, 5, 0, 0}, {'d', SKB, 6, 0, 0});
	CHECK(NOTHING NOTHING, {'r', SKB, 5, 0, 0}, {'f', 0, 53, 0, 0}, {'d', SKB, 0, 0, 0},
	      {'d', SKB + 8, 6, 0, 0});
	CHECK(NOTHING NOTHING, {'f', 0, 53, 0, 0}, {'d', SKB, 3, 0, 0}, {'d', SKB, 6, 0, 0});
	CHECK(NOTHING, {'r', SKB, 5, 0, 0}, {'l', 0, 0, 1, 0}, {'d', SKB, 0, 0, 0});
	/* no address is none; a CPU that there cannot be */
	CHECK(NOTHING, {'r', 0, 5, 0, 0}, {'d', 0, 0, 0, 0});
	CHECK(NOTHING, {'f', 0, 53, UINT32_MAX - 1, 0}, {'d', SKB, 6, UINT32_MAX - 1, 0});
}

/* Each companion has drops for a few reasons. */
static void asks_for_reasons(void **state)
{
	(void)state;
	/* that of the reset, where it has one; else one of TCP */
	CHECK(NOTHING, {'r', SKB, 5, 0, 0}, {'d', SKB, 7, 0, 0});
	CHECK("1:6>2:443/6 ", {'r', SKB, 6, 0, 0}, {'d', SKB, 7, 0, 0});
	CHECK(NOTHING, {'r', SKB, 6, 0, 0}, {'d', SKB, 6, 0, 0});
	CHECK(NOTHING, {'r', SKB, 6, 0, 0}, {'d', SKB, 8, 0, 0});
	CHECK(NOTHING, {'r', SKB, 6, 0, 0}, {'d', SKB, 9, 0, 0});
	CHECK(NOTHING, {'r', SKB, 6, 0, 0}, {'d', SKB, 77, 0, 0});
	CHECK("1:5>2:9/17 ", {'i', SKB, 5, 0, 0}, {'d', SKB, 9, 0, 0});
	CHECK(NOTHING, {'i', SKB, 5, 0, 0}, {'d', SKB, 6, 0, 0});
	CHECK(NOTHING, {'i', SKB, 5, 0, 0}, {'d', SKB, 8, 0, 0});
	CHECK(NOTHING, {'f', 0, 53, 0, 0}, {'d', SKB, 3, 0, 0});
	CHECK(NOTHING, {'f', 0, 53, 0, 0}, {'d', SKB, 8, 0, 0});
}

/* Of a socket that listens, or has no address, the packet may have been for another port. */
static void leaves_out_listeners(void **state)
{
	(void)state;
	CHECK(NOTHING, {'L', SKB, 6, 0, 0}, {'d', SKB, 7, 0, 0});
	CHECK(NOTHING, {'z', SKB, 6, 0, 0}, {'d', SKB, 7, 0, 0});
}

/* Whatever is missing at the end of a record is not known, and nothing else is taken for it. */
static void reads_short_records(void **state)
{
	struct step steps[] = {{'r', SKB, 5, 0, 0}, {'d', SKB, 0, 0, 0}};
	struct buf out = {0};
	struct reading r;
	u32 len;

	(void)state;
	for (len = 1; len <= RST_SIZE; len++) {
		steps[0].len = len;
		begin(&r, steps, ARRAY_SIZE(steps), formats);
		assert_int_equal(wrap(&r), 0);
		assert_string_equal(read_drops(&r, &out),
				    len == RST_SIZE ? "1:5>2:443/6 " : NOTHING);
		made_source_end(&r.m);
	}
	steps[0].len = 0;
	for (len = 1; len <= DROP_SIZE; len++) {
		steps[1].len = len;
		begin(&r, steps, ARRAY_SIZE(steps), formats);
		assert_int_equal(wrap(&r), 0);
		assert_string_equal(read_drops(&r, &out),
				    len == DROP_SIZE ? "1:5>2:443/6 " : NOTHING);
		made_source_end(&r.m);
	}
	/* what is behind the fields, as the kernel pads them, does not matter */
	steps[1].len = 0;
	begin(&r, steps, ARRAY_SIZE(steps), formats);
	r.behind = 65000;
	assert_int_equal(wrap(&r), 0);
	assert_string_equal(read_drops(&r, &out), "1:5>2:443/6 ");
	made_source_end(&r.m);
	buf_free(&out);
}

/* They have fields of their own, and come beside the drops. */
static void leaves_out_expressions(void **state)
{
	static const struct step none[] = {{'l', 0, 0, 0, 0}};
	struct event_desc *events;
	struct reading r;

	(void)state;
	CHECK("1:5>2:443/6 ", {'r', SKB, 5, 0, 0}, {'x', SKB, 0, 0, 0}, {'d', SKB, 0, 0, 0});
	CHECK("1:5>2:443/6 ", {'x', SKB, 0, 0, 0}, {'r', SKB, 5, 0, 0}, {'d', SKB, 0, 0, 0},
	      {'x', SKB, 0, 0, 0});
	/* also where they come first */
	begin(&r, none, ARRAY_SIZE(none), formats);
	events = r.m.recording.events.events.v;
	events[DROP].attr.config = 100 + EXPRESSIONS;
	events[EXPRESSIONS].attr.config = 100 + DROP;
	assert_int_equal(wrap(&r), 0);
	assert_ptr_not_equal(r.m.top, &r.m.source);
	assert_string_equal(recording_tracepoint(&r.m.recording, 100 + EXPRESSIONS)->format,
			    formats[EXPRESSIONS]);
	made_source_end(&r.m);
}

enum { PLAIN, FOREIGN, FILTERED, SHORTENED, FILTERED_WITH, NOT_FILTERED, STACKS, SOME, KINDS };

static void make_kind(struct reading *r, u32 kind)
{
	static const struct {
		const char *line;
		size_t len;
	} lines[KINDS] = {
		[FILTERED] = {"record\0--filter\0reason != 3",
			      sizeof("record\0--filter\0reason != 3")},
		[SHORTENED] = {"record\0--filt\0reason != 3",
			       sizeof("record\0--filt\0reason != 3")},
		[FILTERED_WITH] = {"record\0--filter=reason != 3",
				   sizeof("record\0--filter=reason != 3")},
		[NOT_FILTERED] = {"record\0-F\0--freq\0--\0filter",
				  sizeof("record\0-F\0--freq\0--\0filter")},
	};
	struct perf_event_attr *attr = &r->m.recording.events.events.v[DROP].attr;

	r->m.recording.foreign = kind == FOREIGN;
	if (lines[kind].line)
		recording_add_fact(&r->m.recording, "cmdline", lines[kind].line, lines[kind].len);
	if (kind == STACKS)
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
	if (kind == SOME)
		attr->sample_period = 10;
}

/* Where drops may be missing, or their records cannot become longer. */
static void leaves_recordings(void **state)
{
	static const struct step steps[] = {{'r', SKB, 5, 0, 0}, {'d', SKB, 0, 0, 0}};
	struct reading r;
	u32 kind;

	(void)state;
	for (kind = PLAIN; kind < KINDS; kind++) {
		begin(&r, steps, ARRAY_SIZE(steps), formats);
		make_kind(&r, kind);
		assert_int_equal(wrap(&r), 0);
		assert_int_equal(r.m.top != &r.m.source, kind == PLAIN || kind == NOT_FILTERED);
		assert_int_equal(strcmp(recording_tracepoint(&r.m.recording, 100)->format,
					formats[DROP]) != 0,
				 r.m.top != &r.m.source);
		made_source_end(&r.m);
	}
}

/* A record without room for more has none of the fields: nothing else is taken for them. */
static void check_no_room(u32 len)
{
	const struct step steps[] = {{'d', SKB, 3, 0, len}};
	struct sample_layout layout = made_layout(TYPE);
	const struct tp_field *reason, *dport;
	struct tp_format *f;
	struct reading r;
	struct sample s;
	struct rec rec;
	u64 v;

	begin(&r, steps, ARRAY_SIZE(steps), formats);
	r.stack = 65528 - 40 - ALIGN_UP(4 + len, 8u);
	assert_int_equal(wrap(&r), 0);
	f = drop_format(&r);
	reason = tp_format_field(f, "reason");
	dport = tp_format_field(f, "dport");
	assert_int_equal(source_step(r.m.top, &rec, &r.m.err), SOURCE_RECORD);
	assert_true(rec.size <= 65528);
	assert_true(sample_layout_sample(&layout, &rec, &s));
	assert_int_equal(s.ids.time, 10);
	assert_false(tp_field_int(reason, s.raw, s.raw_size, &v));
	assert_false(tp_field_int(dport, s.raw, s.raw_size, &v));
	tp_format_free(f);
	made_source_end(&r.m);
}

static void has_no_room(void **state)
{
	u32 len;

	(void)state;
	for (len = 1; len <= DROP_SIZE; len++)
		check_no_room(len);
}

/* The text of a format without one line. */
static char *without(const char *text, u32 line)
{
	char *copy = strdup(text), *at = copy, *next;

	while (line-- && at)
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
	next = at ? strchr(at, '\n') : NULL;
	if (!next) {
		free(copy);
		return NULL;
	}
	memmove(at, next + 1, strlen(next + 1) + 1);
	return copy;
}

static void tolerates_formats(void **state)
{
	static const struct step steps[] = {{'r', SKB, 5, 0, 0}, {'d', SKB, 0, 0, 0},
					    {'f', 0, 53, 0, 0},  {'d', SKB, 6, 0, 0},
					    {'i', SKB, 5, 0, 0}, {'d', SKB, 3, 0, 0}};
	const char *texts[EVENTS];
	struct buf out = {0};
	struct reading r;
	char *text;
	u32 e, i;

	(void)state;
	for (e = 0; e < EVENTS; e++) {
		for (i = 0; (text = without(formats[e], i)); i++) {
			memcpy(texts, formats, sizeof(texts));
			texts[e] = text;
			begin(&r, steps, ARRAY_SIZE(steps), texts);
			assert_int_equal(wrap(&r), 0);
			/* the head of a format is needed by all who read it */
			if (e != DROP || i > 2)
				read_drops(&r, &out);
			made_source_end(&r.m);
			free(text);
		}
		memcpy(texts, formats, sizeof(texts));
		texts[e] = NULL;
		begin(&r, steps, ARRAY_SIZE(steps), texts);
		assert_int_equal(wrap(&r), 0);
		assert_true((r.m.top == &r.m.source) == (e == DROP));
		made_source_end(&r.m);
	}
	/* drops that have a flow themselves are left alone */
	memcpy(texts, formats, sizeof(texts));
	texts[DROP] = "name: kfree_skb\nID: 100\nformat:\n" COMMON
		      "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
		      "\tfield:unsigned short dport;\toffset:16;\tsize:2;\tsigned:0;\n\n"
		      "print fmt: \"%p\", REC->skbaddr\n";
	begin(&r, steps, ARRAY_SIZE(steps), texts);
	assert_int_equal(wrap(&r), 0);
	assert_ptr_equal(r.m.top, &r.m.source);
	made_source_end(&r.m);
	buf_free(&out);
}

/* Companions on so many CPUs, of which nothing more is heard. */
static void keeps_its_bounds(void **state)
{
	static const struct step steps[] = {
		{'r', SKB, 5, 0, 0}, {'r', SKB, 5, 0, 0}, {'d', SKB, 0, 0, 0}};
	struct buf out = {0};
	struct reading r;
	size_t before;

	(void)state;
	begin(&r, steps, ARRAY_SIZE(steps), formats);
	r.repeat = 1000000;
	r.m.nr += r.repeat;
	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	assert_int_equal(wrap(&r), 0);
	assert_string_equal(read_drops(&r, &out), "1:5>2:443/6 ");
	assert_true(mallinfo2().uordblks + mallinfo2().hblkhd < before + (4u << 20));
	made_source_end(&r.m);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joins_the_next),
		cmocka_unit_test(asks_for_reasons),
		cmocka_unit_test(leaves_out_listeners),
		cmocka_unit_test(reads_short_records),
		cmocka_unit_test(leaves_out_expressions),
		cmocka_unit_test(leaves_recordings),
		cmocka_unit_test(has_no_room),
		cmocka_unit_test(tolerates_formats),
		cmocka_unit_test(keeps_its_bounds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
