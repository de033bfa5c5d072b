// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/profile/sample_filter.h"
#include "util/profile/session.h"
#include "util/record/chain.h"

/* A recording whose samples carry no more than they must: util/event/ev_record.h. */

#define LEAN    (PERF_SAMPLE_TIME | PERF_SAMPLE_RAW)
#define TP_ID   300
#define CPU     3
#define NOBODY  4000
#define KERNEL  0xffffffff81000010ull
#define USER_IP 0x400000ull

static const char format[] =
	"name: hit\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u64 value;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"value=%llu\", REC->value\n";

struct made {
	struct event_set events;
	struct columns_encoder *encoder;
	struct writer writer;
	struct writer_data data; /* of the block being made */
	struct sample_layout side;
	u64 sample_type;
	char folder[64], path[96];
};

static void add_event(struct made *m, u32 flags, const struct perf_event_attr *attr,
		      const char *name, struct buf *b)
{
	assert_true(event_set_add(&m->events, attr, sizeof(*attr), name, NULL, 0, NULL) >= 0);
	made_event(b, flags, attr, name, NULL, 0);
}

/* A recording of a side-band event and of this one, with those flags. */
static void begin_flagged(struct made *m, const struct perf_event_attr *attr, u32 flags)
{
	struct perf_event_attr side = made_attr(MADE_TYPE & ~(u64)PERF_SAMPLE_CALLCHAIN);
	struct buf b = {0};

	memset(m, 0, sizeof(*m));
	m->sample_type = attr->sample_type;
	made_folder(m->folder);
	snprintf(m->path, sizeof(m->path), "%s/recording", m->folder);
	assert_int_equal(writer_open(&m->writer, m->path, 1, NULL), 0);
	add_event(m, 1, &side, "side-band", &b);
	add_event(m, flags, attr, "made:hit", &b);
	assert_int_equal(writer_block(&m->writer, BLOCK_ATTR, b.data, b.len, NULL), 0);
	buf_clear(&b);
	buf_le32(&b, TP_ID);
	buf_lstr(&b, "made", 4);
	buf_lstr(&b, "hit", 3);
	buf_lstr(&b, format, strlen(format));
	assert_int_equal(writer_block(&m->writer, BLOCK_TPFMT, b.data, b.len, NULL), 0);
	buf_free(&b);
	m->side = m->events.events.v[0].layout;
	m->encoder = columns_encoder_new(&m->events, NULL);
	assert_non_null(m->encoder);
	columns_begin(m->encoder);
}

static void begin_event(struct made *m, const struct perf_event_attr *attr)
{
	begin_flagged(m, attr, 0);
}

static void begin(struct made *m, u64 sample_type, u64 read_format)
{
	struct perf_event_attr attr = made_attr(sample_type);

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = TP_ID;
	attr.sample_period = 1;
	attr.read_format = read_format;
	begin_event(m, &attr);
}

static void add(struct made *m, struct buf *b, bool sideband, u64 time)
{
	struct columns_ring ring = {.number = sideband, .cpu = CPU, .sideband = sideband};
	struct rec rec;

	assert_true(rec_view(&rec, b->data, b->len));
	rec.cpu = CPU;
	rec.event = sideband ? 0 : event_set_find_in(&m->events, &rec, 1);
	columns_run(m->encoder, &ring);
	columns_add(m->encoder, &rec, NULL);
	m->data.records++;
	m->data.samples += rec.type == PERF_RECORD_SAMPLE;
	m->data.raw_size += rec.size;
	m->data.time_max = MAX(m->data.time_max, time);
	m->data.time_min = m->data.time_min ? MIN(m->data.time_min, time) : time;
	buf_free(b);
}

static void comm(struct made *m, u64 time, u32 pid, u32 tid, const char *name)
{
	struct rec_ids ids = {.time = time};
	struct buf b = {0};

	rec_build_comm(&b, &m->side, &ids, 0, pid, tid, name);
	add(m, &b, true, time);
}

static void task(struct made *m, u64 time, u32 type, u32 pid, u32 tid, u32 ppid, u32 ptid)
{
	struct rec_ids ids = {.time = time};
	struct buf b = {0};

	rec_build_task(&b, &m->side, &ids, type, pid, ppid, tid, ptid, time);
	add(m, &b, true, time);
}

static void hit(struct made *m, u64 time, s32 tid, u64 value)
{
	static const u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, KERNEL, (u64)PERF_CONTEXT_USER,
				    USER_IP};
	struct {
		u16 type;
		u8 flags, preempt;
		s32 pid;
		u64 value;
	} raw = {.type = TP_ID, .pid = tid, .value = value};
	struct buf b = {0};
	size_t at = made_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	buf_u64(&b, time);
	if (m->sample_type & PERF_SAMPLE_READ) {
		buf_u64(&b, 0);
		buf_u64(&b, 0);
	}
	if (m->sample_type & PERF_SAMPLE_CALLCHAIN) {
		buf_u64(&b, ARRAY_SIZE(chain));
		buf_add(&b, chain, sizeof(chain));
	}
	buf_u32(&b, sizeof(raw));
	buf_add(&b, &raw, sizeof(raw));
	buf_u32(&b, 0);
	made_end(&b, at);
	add(m, &b, false, time);
}

/* A sample with the kernel's half of a chain, registers and 64 bytes of stack. */
static void dump(struct made *m, u64 time, u64 abi, u64 valid, const u64 *regs, u32 nr)
{
	static const u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, KERNEL};
	static const u8 stack[64];
	struct buf b = {0};
	size_t at = made_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	buf_u32(&b, 50);
	buf_u32(&b, 50);
	buf_u64(&b, time);
	buf_u64(&b, ARRAY_SIZE(chain));
	buf_add(&b, chain, sizeof(chain));
	buf_u64(&b, abi);
	if (abi)
		buf_add(&b, regs, nr * sizeof(*regs));
	buf_u64(&b, abi ? sizeof(stack) : 0);
	if (abi) {
		buf_add(&b, stack, sizeof(stack));
		buf_u64(&b, valid);
	}
	made_end(&b, at);
	add(m, &b, false, time);
}

static void end_block(struct made *m)
{
	struct buf payload = {0};

	assert_int_equal(columns_end(m->encoder, 1, &payload, NULL), 0);
	m->data.payload = payload.data;
	m->data.len = payload.len;
	m->data.order = m->data.time_max;
	assert_int_equal(writer_data(&m->writer, &m->data, NULL), 0);
	buf_free(&payload);
	m->data = (struct writer_data){0};
	columns_begin(m->encoder);
}

static void end(struct made *m)
{
	if (m->data.records)
		end_block(m);
	assert_int_equal(writer_block(&m->writer, BLOCK_END, "", 0, NULL), 0);
	assert_int_equal(writer_publish(&m->writer, NULL), 0);
	assert_int_equal(writer_close(&m->writer, NULL), 0);
	columns_encoder_free(m->encoder);
	event_set_free(&m->events);
}

static struct session *read_back(struct made *m, const struct session_options *more)
{
	struct session_options o = more ? *more : (struct session_options){0};
	struct err err = {0};
	struct session *s;

	o.path = m->path;
	o.resolve.max_stack = 127;
	s = session_open(&o, &err);
	if (!s)
		fail_msg("%s", err.msg);
	return s;
}

/* "TIME comm PID/TID ..." of every sample. */
static void expect(struct session *s, const char *want)
{
	struct session_sample sample;
	struct buf b = {0};
	int ret;

	while ((ret = session_next(s, &sample, NULL)) > 0)
		if (ret == SESSION_SAMPLE)
			buf_addf(&b, "%d %s %d/%d\n", (int)sample.sample->ids.time, sample.comm,
				 (int)sample.sample->ids.pid, (int)sample.sample->ids.tid);
	assert_int_equal(ret, SESSION_END);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void every_field(void **state)
{
	struct session_sample sample;
	struct session *s;
	struct made m;

	(void)state;
	begin(&m, LEAN | PERF_SAMPLE_CALLCHAIN, 0);
	comm(&m, 5, 50, 50, "fifty");
	hit(&m, 10, 50, 77);
	end(&m);
	s = read_back(&m, NULL);
	assert_int_equal(session_next(s, &sample, NULL), SESSION_SAMPLE);
	assert_int_equal(sample.event, 1);
	assert_string_equal(sample.desc->name, "made:hit");
	assert_string_equal(sample.comm, "fifty");
	assert_int_equal(sample.thread->pid, 50);
	assert_int_equal(sample.sample->ids.pid, 50);
	assert_int_equal(sample.sample->ids.tid, 50);
	assert_int_equal(sample.sample->ids.cpu, CPU);
	assert_int_equal(sample.sample->ids.time, 10);
	assert_int_equal(sample.sample->ip, KERNEL);
	assert_int_equal(sample.sample->period, 1);
	assert_int_equal(sample.sample->chain_nr, 4);
	assert_int_equal(sample.desc->layout.has, LEAN | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_IP |
							  PERF_SAMPLE_TID | PERF_SAMPLE_CPU |
							  PERF_SAMPLE_PERIOD);
	assert_int_equal(sample.sample->ids.has & sample.desc->layout.has, sample.desc->layout.has);
	assert_int_equal(session_next(s, &sample, NULL), SESSION_WAIT);
	assert_int_equal(session_next(s, &sample, NULL), SESSION_END);
	session_close(s);
	made_folder_gone(m.folder);
}

/* Whose a sample is, that says its tid alone, depends on when it was taken. */
static void whose(void **state)
{
	struct session *s;
	struct made m;

	(void)state;
	begin(&m, LEAN, 0);
	comm(&m, 5, 50, 50, "fifty");
	task(&m, 6, PERF_RECORD_FORK, 50, 51, 50, 50);
	comm(&m, 7, 50, 51, "worker");
	hit(&m, 10, 51, 1);
	/* every CPU's idle task */
	hit(&m, 11, 0, 1);
	/* the child is forked by the worker, samples of both before and behind */
	task(&m, 20, PERF_RECORD_FORK, 60, 60, 50, 51);
	hit(&m, 20, 60, 1);
	hit(&m, 21, 51, 1);
	comm(&m, 22, 60, 60, "child");
	hit(&m, 23, 60, 1);
	/* the last of a task comes when it has ended */
	task(&m, 30, PERF_RECORD_EXIT, 60, 60, 50, 51);
	hit(&m, 31, 60, 1);
	/* its tid is used again: a thread of another process */
	task(&m, 40, PERF_RECORD_FORK, 50, 60, 50, 50);
	hit(&m, 41, 60, 1);
	/* nobody said who this is */
	hit(&m, 50, NOBODY, 1);
	end(&m);
	s = read_back(&m, NULL);
	expect(s, "10 worker 50/51\n"
		  "11 swapper 0/0\n"
		  "20 worker 60/60\n"
		  "21 worker 50/51\n"
		  "23 child 60/60\n"
		  "31 child 60/60\n"
		  "41 fifty 50/60\n"
		  "50 :4000 4000/4000\n");
	session_close(s);
	made_folder_gone(m.folder);
}

/* The rings are read one after the other: what a task is may stand behind its samples. */
static void out_of_order(void **state)
{
	struct session *s;
	struct made m;

	(void)state;
	begin(&m, LEAN, 0);
	hit(&m, 20, 51, 1);
	hit(&m, 30, 60, 1);
	comm(&m, 5, 50, 50, "fifty");
	task(&m, 6, PERF_RECORD_FORK, 50, 51, 50, 50);
	task(&m, 25, PERF_RECORD_FORK, 60, 60, 50, 51);
	end(&m);
	s = read_back(&m, NULL);
	expect(s, "20 fifty 50/51\n30 fifty 60/60\n");
	session_close(s);
	made_folder_gone(m.folder);
}

static void filters(void **state)
{
	struct sample_filter f = {0};
	struct session_options o = {.filter = &f};
	struct session *s;
	struct made m;

	(void)state;
	begin(&m, LEAN, 0);
	comm(&m, 5, 50, 50, "fifty");
	task(&m, 6, PERF_RECORD_FORK, 50, 51, 50, 50);
	hit(&m, 10, 50, 1);
	hit(&m, 11, 51, 1);
	hit(&m, 12, 0, 1);
	end(&m);
	assert_int_equal(sample_filter_numbers(&f.pids, "50", "process id", NULL), 0);
	s = read_back(&m, &o);
	expect(s, "10 fifty 50/50\n11 fifty 50/51\n");
	session_close(s);
	assert_int_equal(sample_filter_numbers(&f.cpus, "0-2", "CPU number", NULL), 0);
	s = read_back(&m, &o);
	expect(s, "");
	session_close(s);
	sample_filter_free(&f);
	made_folder_gone(m.folder);
}

/* The chain of the next sample is the kernel's half, and `nr` words of the user's half, if any. */
static void expect_chain(struct session *s, const u64 *user, u32 nr)
{
	struct session_sample sample;
	const u64 *chain;

	while (session_next(s, &sample, NULL) == SESSION_WAIT)
		;
	chain = sample.sample->chain;
	assert_true(sample.sample->chain_nr >= 2 + nr);
	assert_int_equal(chain[0], (u64)PERF_CONTEXT_KERNEL);
	assert_int_equal(chain[1], KERNEL);
	if (!nr) {
		assert_int_equal(sample.sample->chain_nr, 2);
		return;
	}
	assert_memory_equal(chain + 2, user, nr * sizeof(*user));
	assert_true(chain_is_end(chain[sample.sample->chain_nr - 1]));
}

/* Of an event whose chains are the kernel's, a word that looks like a mark is none. */
static void marks(void **state)
{
	static const u64 chain[] = {(u64)PERF_CONTEXT_USER, USER_IP, CHAIN_END + CHAIN_ROOT};
	struct perf_event_attr attr =
		made_attr(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN);
	struct session_sample sample;
	struct buf b = {0};
	struct session *s;
	struct made m;
	u32 flags;
	size_t at;

	(void)state;
	for (flags = 0; flags <= ATTR_KERNEL_CHAINS; flags += ATTR_KERNEL_CHAINS) {
		begin_flagged(&m, &attr, flags);
		at = made_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		buf_u32(&b, 50);
		buf_u32(&b, 50);
		buf_u64(&b, 10);
		buf_u64(&b, ARRAY_SIZE(chain));
		buf_add(&b, chain, sizeof(chain));
		made_end(&b, at);
		add(&m, &b, false, 10);
		end(&m);
		s = read_back(&m, NULL);
		while (session_next(s, &sample, NULL) == SESSION_WAIT)
			;
		assert_int_equal(sample.sample->chain_nr, ARRAY_SIZE(chain));
		assert_int_equal(sample_is_unwound(sample.sample), !flags);
		session_close(s);
		made_folder_gone(m.folder);
	}
}

/* Which register is which depends on the machine that recorded. */
static void stacks(void **state)
{
	static const struct {
		const char *machine;
		u64 abi, mask;
		u64 regs[4]; /* in the order of the bits of mask */
	} cases[] = {
		/* BP SP IP */
		{"x86_64", 2, 1 << 6 | 1 << 7 | 1 << 8, {0, 0x7000, USER_IP}},
		{"x86_64", 1, 1 << 6 | 1 << 7 | 1 << 8, {0, 0x7000, USER_IP}},
		/* X29 LR SP PC */
		{"aarch64", 2, 0xfull << 29, {0, 0, 0x7000, USER_IP}},
	};
	static const u64 user[] = {(u64)PERF_CONTEXT_USER, USER_IP};
	struct session_options without = {.want.no_chains = true};
	struct perf_event_attr attr =
		made_attr(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
			  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	struct session *s;
	struct buf b = {0};
	struct made m;
	u32 i, nr;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		attr.sample_regs_user = cases[i].mask;
		attr.sample_stack_user = 64;
		nr = (u32)__builtin_popcountll(cases[i].mask);
		begin_event(&m, &attr);
		made_fact(&b, "arch", cases[i].machine);
		assert_int_equal(writer_block(&m.writer, BLOCK_META, b.data, b.len, NULL), 0);
		buf_free(&b);
		dump(&m, 10, cases[i].abi, 64, cases[i].regs, nr);
		dump(&m, 11, 0, 0, NULL, 0);
		dump(&m, 12, cases[i].abi, 0, cases[i].regs, nr);
		end(&m);
		s = read_back(&m, NULL);
		expect_chain(s, user, ARRAY_SIZE(user));
		/* a kernel thread; a stack that could not be read */
		expect_chain(s, NULL, 0);
		expect_chain(s, NULL, 0);
		session_close(s);
		s = read_back(&m, &without);
		expect(s, "10 :50 50/50\n11 :50 50/50\n12 :50 50/50\n");
		session_close(s);
		made_folder_gone(m.folder);
	}
}

/* Blocks that no wanted sample stands in need not be read, but for the tasks in them. */
static void spans_of_time(void **state)
{
	struct sample_filter f = {.time_from = 110, .time_to = 120};
	struct session_options o = {.filter = &f};
	struct session *s;
	struct made m;
	u64 i;

	(void)state;
	begin(&m, LEAN, 0);
	comm(&m, 5, 50, 50, "fifty");
	for (i = 1; i < 300; i++) {
		hit(&m, i, 50, i);
		if (i == 105)
			comm(&m, i, 50, 50, "renamed");
		if (i % 10 == 9)
			end_block(&m);
	}
	end(&m);
	s = read_back(&m, &o);
	expect(s, "110 renamed 50/50\n111 renamed 50/50\n112 renamed 50/50\n"
		  "113 renamed 50/50\n114 renamed 50/50\n115 renamed 50/50\n"
		  "116 renamed 50/50\n117 renamed 50/50\n118 renamed 50/50\n"
		  "119 renamed 50/50\n120 renamed 50/50\n");
	assert_int_equal(s->source->want.time_from, 110);
	assert_int_equal(s->source->want.time_to, 120);
	session_close(s);
	/* times that count from the first sample need the first sample */
	f.time_relative = true;
	s = read_back(&m, &o);
	expect(s, "111 renamed 50/50\n112 renamed 50/50\n113 renamed 50/50\n"
		  "114 renamed 50/50\n115 renamed 50/50\n116 renamed 50/50\n"
		  "117 renamed 50/50\n118 renamed 50/50\n119 renamed 50/50\n"
		  "120 renamed 50/50\n121 renamed 50/50\n");
	assert_int_equal(s->source->want.time_from, 0);
	assert_int_equal(s->source->want.time_to, 0);
	session_close(s);
	made_folder_gone(m.folder);
	/* counts that are read with samples go on from those before */
	f.time_relative = false;
	begin(&m, LEAN | PERF_SAMPLE_READ, PERF_FORMAT_LOST);
	hit(&m, 115, 50, 1);
	end(&m);
	s = read_back(&m, &o);
	expect(s, "115 :50 50/50\n");
	assert_int_equal(s->source->want.time_from, 0);
	assert_int_equal(s->source->want.time_to, 120);
	session_close(s);
	made_folder_gone(m.folder);
}

/* Of raw data that is not read, the tid remains. */
static void without_raw(void **state)
{
	struct session_options o = {.want = {.no_raw = true, .no_chains = true}};
	struct session_sample sample;
	struct session *s;
	struct made m;

	(void)state;
	begin(&m, LEAN | PERF_SAMPLE_CALLCHAIN, 0);
	hit(&m, 10, 50, UINT64_MAX);
	end(&m);
	s = read_back(&m, &o);
	assert_int_equal(session_next(s, &sample, NULL), SESSION_SAMPLE);
	assert_true(s->source->want.no_raw);
	assert_true(s->source->want.no_chains);
	assert_int_equal(sample.sample->ids.tid, 50);
	assert_int_equal(sample.sample->raw_size, 16);
	session_close(s);
	made_folder_gone(m.folder);
}

/*
 * Where only sampled addresses are looked at, call chains are left out of samples that hold their address, once that
 * is known; of others they tell it.
 */
static void addresses(void **state)
{
	static const u64 chain[] = {(u64)PERF_CONTEXT_USER, USER_IP, USER_IP + 16};
	struct session_options o = {.want.addresses = true};
	struct session_sample sample;
	struct perf_event_attr attr;
	struct session *s;
	struct buf b = {0};
	struct made m;
	u32 own, i;
	size_t at;

	(void)state;
	for (own = 0; own < 2; own++) {
		attr = made_attr((own ? PERF_SAMPLE_IP : 0) | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				 PERF_SAMPLE_CALLCHAIN);
		begin_event(&m, &attr);
		for (i = 0; i < 4; i++) {
			at = made_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
			if (own)
				buf_u64(&b, USER_IP);
			buf_u32(&b, 50);
			buf_u32(&b, 50);
			buf_u64(&b, 10 + i);
			buf_u64(&b, ARRAY_SIZE(chain));
			buf_add(&b, chain, sizeof(chain));
			made_end(&b, at);
			add(&m, &b, false, 10 + i);
			end_block(&m);
		}
		end(&m);
		s = read_back(&m, &o);
		for (i = 0; i < 4; i++) {
			while (session_next(s, &sample, NULL) == SESSION_WAIT)
				;
			assert_int_equal(sample.sample->ip, USER_IP);
		}
		assert_int_equal(sample.sample->chain_nr, own ? 0 : ARRAY_SIZE(chain));
		session_close(s);
		made_folder_gone(m.folder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field),  cmocka_unit_test(whose),
		cmocka_unit_test(out_of_order), cmocka_unit_test(filters),
		cmocka_unit_test(stacks),       cmocka_unit_test(spans_of_time),
		cmocka_unit_test(marks),        cmocka_unit_test(without_raw),
		cmocka_unit_test(addresses),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
