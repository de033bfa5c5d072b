/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_session.h - a session without a file, for what is made of its samples: a program with two functions, a
 * file without symbols, made code, a kernel; a clock, an event that is counted, a tracepoint.
 *
 *	struct made_session m;
 *	made_session_begin(&m);
 *	made_session_add(&m, sink, CLOCK, TIME, WEIGHT, chain, nr) ...
 *	made_session_end(&m);
 */
#ifndef TESTS_UNIT_MADE_SESSION_H
#define TESTS_UNIT_MADE_SESSION_H

#include <errno.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/format/sink.h"
#include "util/profile/bind.h"
#include "util/profile/symboliser.h"
#include "util/record/chain.h"
#include "util/symbol/symbols.h"
#include "util/tracepoint/tp_format.h"

enum { MADE_CLOCK, MADE_FAULTS, MADE_HIT, MADE_EVENTS };

#define MADE_PID    7
#define MADE_CODE   0x400000ull /* of the program, from byte 0x1000 of its file on */
#define MADE_NAKED  0x600000ull /* of a file without symbols */
#define MADE_JIT    0x700000ull
#define MADE_KERNEL 0xffffffff81000000ull
#define MADE_START  (MADE_CODE + 0x10)
#define MADE_MAIN   (MADE_CODE + 0x110)
#define MADE_USER   ((u64)PERF_CONTEXT_USER)
#define MADE_SYSTEM ((u64)PERF_CONTEXT_KERNEL)

struct made_session {
	struct session s;
	struct symboliser symboliser;
	struct bind bind;
	struct source source;
	struct recording recording;
	struct tp_format *formats[MADE_EVENTS];
	struct tp_prog *programs[MADE_EVENTS];
	u32 tid;          /* of the samples to come */
	const char *comm; /* likewise, escaped */
	struct buf out;   /* what sinks have appended while samples came */
};

static const char made_hit_format[] =
	"name: hit\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char type[8];\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"value=%llu\", REC->value\n";

static inline void made_session_map(struct made_session *m, u16 misc, u64 start, u64 pgoff,
				    const char *name)
{
	static const struct sample_layout bare;
	struct rec_mmap2 r = {.pid = MADE_PID,
			      .tid = MADE_PID,
			      .start = start,
			      .len = 0x10000,
			      .pgoff = pgoff,
			      .prot = PROT_READ | PROT_EXEC,
			      .name = name};
	struct buf b = {0};
	struct rec rec;

	rec_build_mmap2(&b, &bare, NULL, misc, &r);
	if (!rec_view(&rec, b.data, b.len))
		exit(2);
	process_apply(&m->s.model, &rec);
	buf_free(&b);
}

static inline void made_session_function(struct made_session *m, enum dso_class class,
					 const char *file, u64 start, const char *name)
{
	const struct dso_head head = {.class = class,
				      .name = file,
				      .name_len = strlen(file),
				      .build_id = "\x01\x23\x45\x67\x89\xab\xcd\xef",
				      .build_id_len = class == DSO_CLASS_USER ? 8 : 0};
	struct recording *r = &m->recording;
	int dso = recording_add_dso(r, &head, NULL, 0);
	struct sym_text *sym = vec_push(&r->syms);

	if (dso < 0 || !sym)
		exit(2);
	*sym = (struct sym_text){(u32)dso, start, start + 0x100, name};
}

static inline void made_session_event(struct made_session *m, u32 type, u64 config, u64 freq,
				      const char *name)
{
	struct perf_event_attr a = made_attr(MADE_TYPE);

	a.type = type;
	a.config = config;
	a.freq = freq != 0;
	a.sample_freq = freq ? freq : 1;
	if (event_set_add(&m->recording.events, &a, sizeof(a), name, NULL, 0, NULL) < 0)
		exit(2);
}

static inline void made_session_begin(struct made_session *m)
{
	static const struct symbols_options nothing;
	static const struct resolve_options options = {.max_stack = 127};
	struct session *s = &m->s;

	*m = (struct made_session){.tid = MADE_PID, .comm = "made"};
	m->source.recording = &m->recording;
	s->source = &m->source;
	s->options.path = "made.data";
	s->formats = m->formats;
	s->programs = m->programs;
	s->nr_events = MADE_EVENTS;
	made_session_event(m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000, "cpu-clock");
	made_session_event(m, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, "page-faults");
	made_session_event(m, PERF_TYPE_TRACEPOINT, 300, 0, "made:hit");
	m->formats[MADE_HIT] = tp_format_parse(made_hit_format, strlen(made_hit_format), NULL);
	s->symbols = symbols_new(&nothing, NULL);
	if (process_init(&s->model, NULL) || !s->symbols || !m->formats[MADE_HIT])
		exit(2);
	bind_init(&m->bind, &m->recording, &s->model);
	s->symboliser = &m->symboliser;
	symboliser_init(s->symboliser, &s->model, &m->bind, s->symbols, &options);
	s->symboliser->arch = arch_find("x86_64");
	made_session_map(m, PERF_RECORD_MISC_USER, MADE_CODE, 0x1000, "/no/such/\"program\"");
	made_session_map(m, PERF_RECORD_MISC_USER, MADE_NAKED, 0, "/no/such/naked.so");
	made_session_map(m, PERF_RECORD_MISC_USER, MADE_JIT, 0, "//anon");
	made_session_map(m, PERF_RECORD_MISC_KERNEL, MADE_KERNEL, MADE_KERNEL,
			 "[kernel.kallsyms]_text");
	made_session_function(m, DSO_CLASS_USER, "/no/such/\"program\"", 0x1000, "_start");
	made_session_function(m, DSO_CLASS_USER, "/no/such/\"program\"", 0x1100,
			      "main\x01\xff;<b>");
	made_session_function(m, DSO_CLASS_KERNEL, "[kernel.kallsyms]", MADE_KERNEL, "do_work");
	if (!bind_update(&m->bind))
		exit(2);
}

/* Give the sink a sample on CPU 3; what it appends goes to m->out. */
static inline int made_session_add(struct made_session *m, struct sink *sink, u32 event, u64 time,
				   u64 period, const u64 *chain, u32 nr)
{
	struct {
		u16 type, pad;
		s32 pid;
		u64 value;
		char text[8];
	} raw = {.type = 300, .pid = (s32)m->tid, .value = time, .text = "\"x\"\x02"};
	struct sample sample = {.chain = chain,
				.chain_nr = nr,
				.period = period,
				.misc = PERF_RECORD_MISC_USER,
				.ids = {.pid = MADE_PID,
					.tid = m->tid,
					.time = time,
					.cpu = 3,
					.has = PERF_SAMPLE_TIME}};
	struct session_sample at = {.sample = &sample,
				    .samples = 1,
				    .desc = &m->recording.events.events.v[event],
				    .event = event,
				    .comm = m->comm};
	if (event == MADE_HIT) {
		sample.raw = (const u8 *)&raw;
		sample.raw_size = sizeof(raw);
	}
	at.thread = process_thread(&m->s.model, MADE_PID, m->tid);
	if (!at.thread)
		return -ENOMEM;
	at.stack = symboliser_stack(m->s.symboliser, at.thread, &sample);
	return sink->ops->sample(sink, &at, &m->out, NULL);
}

/* All that the sink makes in the end. 0 or -ENOMEM. */
static inline int made_session_finish(struct sink *sink, struct buf *out)
{
	int ret;

	while ((ret = sink->ops->end(sink, out, NULL)) > 0)
		;
	return ret ? ret : out->failed ? -ENOMEM : 0;
}

typedef int made_session_sink(struct session *s, u32 event, struct sink **sink, struct err *err);

static inline int made_session_make(struct made_session *m, made_session_sink *new_sink, u32 event,
				    struct sink **sink, struct buf *out)
{
	static const u64 user[] = {MADE_USER, MADE_MAIN, MADE_START},
			 kernel[] = {MADE_SYSTEM, MADE_KERNEL + 5, MADE_USER, MADE_JIT + 5};
	int ret = new_sink(&m->s, ID_NONE, sink, NULL), i;

	for (i = 0; i < 300 && !ret; i++) {
		m->tid = 1 + (u32)i % 40;
		ret = i % 2 ? made_session_add(m, *sink, event, (u64)i, 5, user, ARRAY_SIZE(user))
			    : made_session_add(m, *sink, MADE_CLOCK, (u64)i, 5, kernel,
					       ARRAY_SIZE(kernel));
	}
	return ret ? ret : made_session_finish(*sink, out);
}

static inline void made_session_end(struct made_session *m)
{
	symboliser_free(m->s.symboliser);
	symbols_free(m->s.symbols);
	bind_free(&m->bind);
	process_free(&m->s.model);
	tp_format_free(m->formats[MADE_HIT]);
	recording_free(&m->recording);
	buf_free(&m->out);
}

/*
 * Let memory run out in every place while the sink takes samples of the clock and of `event`: it says
 * so, or does without and makes the same.
 */
static inline void made_session_out_of_memory(made_session_sink *new_sink, u32 event)
{
	struct buf want = {0}, out;
	struct made_session m;
	struct sink *sink;
	bool refused = true;
	unsigned int n;
	int ret = 0;

	for (n = 0; refused; n++) {
		made_session_begin(&m);
		out = (struct buf){0};
		sink = NULL;
		if (n)
			oom_after(n - 1);
		ret = made_session_make(&m, new_sink, event, &sink, &out);
		refused = oom_stop() || !n;
		if (ret) {
			assert_int_equal(ret, -ENOMEM);
		} else if (n) {
			assert_int_equal(out.len, want.len);
			assert_memory_equal(out.data, want.data, want.len);
		} else {
			buf_add(&want, out.data, out.len);
		}
		buf_free(&out);
		if (sink)
			sink->ops->free(sink);
		made_session_end(&m);
	}
	assert_true(n > 20);
	assert_int_equal(ret, 0);
	buf_free(&want);
}

#endif
