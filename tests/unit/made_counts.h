/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_counts.h - samples of two made tracepoints, to be counted by keys.
 *
 *	struct made_counts c;
 *	made_counts_begin(&c, "comm,reason", "len", &(struct count_options){.what = COUNT_SUM});
 *	made_counts_add(&c, MADE_DROP, &(struct made_drop){.reason = 2, .len = 60});
 *	... c.table ...
 *	made_counts_end(&c);
 *
 * made:drop has fields of all types; made:other has some of the same names at other places, and `len` signed.
 */
#ifndef TESTS_UNIT_MADE_COUNTS_H
#define TESTS_UNIT_MADE_COUNTS_H

#include "tests/unit/made_session.h"
#include "util/profile/symboliser.h"
#include "util/report/count_table.h"

enum { MADE_DROP = MADE_EVENTS, MADE_OTHER, MADE_COUNTS_EVENTS };

#define MADE_DO_WORK (MADE_KERNEL + 0x10)

static const char made_drop_format[] =
	"name: drop\nID: 301\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:s8 small;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield:u8 byte;\toffset:9;\tsize:1;\tsigned:0;\n"
	"\tfield:s16 mid;\toffset:10;\tsize:2;\tsigned:1;\n"
	"\tfield:int ret;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 len;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:void * location;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int reason;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 saddr[4];\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:char name[8];\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:int word;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:56;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"100%% location=%pS reason=%s saddr=%pI4 len=%llu\", REC->location,"
	" __print_symbolic(REC->reason, { 2, \"NO_SOCKET\" }, { 3, \"TCP_CSUM\" }), REC->saddr,"
	" REC->len\n";

static const char made_other_format[] =
	"name: other\nID: 302\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:s32 len;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int reason;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 name;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"reason=%s\","
	" __print_symbolic(REC->reason, { 2, \"NO_SOCKET\" }, { 3, \"TCP_CSUM\" })\n";

/* The raw data of made:drop. */
struct made_drop {
	u16 type;
	u16 pad;
	s32 pid;
	s8 small;
	u8 byte;
	s16 mid;
	s32 ret;
	u64 len;
	u64 location;
	u32 reason;
	u8 saddr[4];
	char name[8];
	s64 word;
	u32 path;
	char text[20];
};

struct made_other {
	u16 type;
	u16 pad;
	s32 pid;
	s32 len;
	u32 reason;
	u64 name;
};

struct made_counts {
	struct made_session m;
	struct tp_format *formats[MADE_COUNTS_EVENTS];
	struct tp_prog *programs[MADE_COUNTS_EVENTS];
	struct count_keys keys;
	struct count_table table;
	/* of the samples to come */
	u32 tid, cpu;
	u64 period;
	const u64 *chain;
	u32 chain_nr;
	u32 cut; /* bytes that are missing at the end of raw data */
};

static inline void made_counts_session(struct made_counts *c)
{
	struct session *s = &c->m.s;

	*c = (struct made_counts){.tid = MADE_PID, .cpu = 3, .period = 1};
	made_session_begin(&c->m);
	made_session_event(&c->m, PERF_TYPE_TRACEPOINT, 301, 0, "made:drop");
	made_session_event(&c->m, PERF_TYPE_TRACEPOINT, 302, 0, "made:other");
	c->formats[MADE_HIT] = c->m.formats[MADE_HIT];
	c->formats[MADE_DROP] = tp_format_parse(made_drop_format, strlen(made_drop_format), NULL);
	c->formats[MADE_OTHER] =
		tp_format_parse(made_other_format, strlen(made_other_format), NULL);
	if (!c->formats[MADE_DROP] || !c->formats[MADE_OTHER])
		exit(2);
	s->formats = c->formats;
	s->programs = c->programs;
}

static inline void made_counts_end(struct made_counts *c)
{
	count_table_free(&c->table);
	count_keys_free(&c->keys);
	tp_format_free(c->formats[MADE_DROP]);
	tp_format_free(c->formats[MADE_OTHER]);
	made_session_end(&c->m);
}

static inline int made_counts_bind(struct made_counts *c, const char *by, const char *of,
				   const struct count_options *o, struct err *err)
{
	int ret = count_keys_parse(&c->keys, by, of, err);

	if (!ret)
		ret = count_keys_bind(&c->keys, &c->m.s, err);
	return ret ? ret : count_table_init(&c->table, &c->keys, o, err);
}

static inline void made_counts_begin(struct made_counts *c, const char *by, const char *of,
				     const struct count_options *o)
{
	struct err err = {0};

	made_counts_session(c);
	if (made_counts_bind(c, by, of, o, &err))
		fail_msg("%s", err.msg);
}

/* raw: of the event; NULL: it has none. */
static inline struct sample made_counts_sample(const struct made_counts *c, u32 event,
					       const void *raw)
{
	struct sample s = {
		.ids = {.pid = MADE_PID,
			.tid = c->tid,
			.cpu = c->cpu,
			.time = 1,
			.has = PERF_SAMPLE_TIME | PERF_SAMPLE_TID | PERF_SAMPLE_IP},
		.misc = PERF_RECORD_MISC_KERNEL,
		.ip = MADE_DO_WORK,
		.period = c->period,
		.chain = c->chain,
		.chain_nr = c->chain_nr,
		.raw = raw,
	};

	if (raw && event == MADE_DROP)
		s.raw_size = sizeof(struct made_drop) - c->cut;
	else if (raw)
		s.raw_size = sizeof(struct made_other) - c->cut;
	return s;
}

static inline int made_counts_add(struct made_counts *c, u32 event, const void *raw)
{
	struct sample sample = made_counts_sample(c, event, raw);
	struct session_sample s = {
		.sample = &sample,
		.desc = &c->m.source.recording->events.events.v[event],
		.event = event,
		.comm = "made",
		.thread = process_thread(&c->m.s.model, MADE_PID, c->tid),
	};

	if (!s.thread)
		return -ENOMEM;
	if (c->chain_nr)
		s.stack = symboliser_stack(c->m.s.symboliser, s.thread, &sample);
	return count_table_add(&c->table, &s, NULL);
}

/* Put a name to a thread. */
static inline void made_counts_name(struct made_counts *c, u32 tid, const char *comm)
{
	static const struct sample_layout bare;
	struct buf b = {0};
	struct rec rec;

	rec_build_comm(&b, &bare, NULL, 0, MADE_PID, tid, comm);
	if (!rec_view(&rec, b.data, b.len))
		exit(2);
	process_apply(&c->m.s.model, &rec);
	buf_free(&b);
}

#endif
