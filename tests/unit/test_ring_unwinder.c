// SPDX-License-Identifier: GPL-2.0
/* Rings of samples that are unwound where they lie: order, positions, what comes out of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/made_elf.h"
#include "tests/unit/oom.h"
#include "util/capture/recorded_events.h"
#include "util/capture/ring_unwinder.h"

#define TYPE                                                                           \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | \
	 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define SIDEBAND (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME)
#define RING     4096u
#define STACK    256u

#define PID 4242 /* no process of this machine is asked for files: nothing is mapped from one */
#define IP  0x401000ull

struct fixture {
	struct ring_unwinder unwinder;
	struct sample_layout stored;
	struct ring rings[2];
	u8 memory[2][RING] __attribute__((aligned(8)));
	struct buf buf;
};

static const struct ring_unwinder_options options = {.arch = &arch_x86_64, .proc = -1};

static int add_event(struct event_set *s, const struct perf_event_attr *attr, bool sideband)
{
	int event = event_set_add(s, attr, sizeof(*attr), "made", NULL, 0, NULL);

	if (event >= 0)
		s->events.v[event].sideband = sideband;
	return event;
}

static bool begin(struct fixture *f, const struct ring_unwinder_options *o)
{
	struct perf_event_attr sideband = made_attr(SIDEBAND), attr = made_attr(TYPE);
	u32 i;

	attr.sample_regs_user = arch_x86_64.user_regs;
	attr.sample_stack_user = STACK;
	attr.exclude_callchain_user = 1;
	if (ring_unwinder_init(&f->unwinder, o, NULL))
		return false;
	if (add_event(&f->unwinder.events, &sideband, true) < 0 ||
	    add_event(&f->unwinder.events, &attr, false) < 0) {
		ring_unwinder_free(&f->unwinder);
		return false;
	}
	recorded_stored_attr(&attr, o->keep_stacks);
	sample_layout_init(&f->stored, &attr);
	for (i = 0; i < 2; i++)
		f->rings[i] = (struct ring){.data = f->memory[i], .size = RING};
	return true;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return f && begin(f, &options) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ring_unwinder_free(&f->unwinder);
	buf_free(&f->buf);
	free(f);
	return 0;
}

/* Append what is in f->buf to a ring, as the kernel would. */
static void write_ring(struct fixture *f, u32 ring)
{
	struct ring *r = &f->rings[ring];
	size_t i;

	for (i = 0; i < f->buf.len; i++)
		f->memory[ring][(r->head + i) % RING] = (u8)f->buf.data[i];
	r->head += f->buf.len;
	buf_clear(&f->buf);
}

static void sample(struct fixture *f, u32 ring, u64 time, u64 ip)
{
	u32 regs = (u32)__builtin_popcountll(arch_x86_64.user_regs), i;
	size_t at = made_begin(&f->buf, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	buf_u64(&f->buf, ip);
	buf_u32(&f->buf, PID);
	buf_u32(&f->buf, PID + ring);
	buf_u64(&f->buf, time);
	buf_u64(&f->buf, 0);
	buf_u64(&f->buf, PERF_SAMPLE_REGS_ABI_64);
	/* perf's order: AX BX CX DX SI DI BP SP IP ... */
	for (i = 0; i < regs; i++)
		buf_u64(&f->buf, i == 8 ? ip : i == 7 ? 0x7ffff000 : 0);
	buf_u64(&f->buf, STACK);
	buf_pad(&f->buf, '\0', STACK);
	buf_u64(&f->buf, STACK);
	made_end(&f->buf, at);
	write_ring(f, ring);
}

static void lost(struct fixture *f, u32 ring)
{
	size_t at = made_begin(&f->buf, PERF_RECORD_LOST, 0);

	buf_u64(&f->buf, 1);
	buf_u64(&f->buf, 99);
	buf_u64(&f->buf, 0);
	buf_u64(&f->buf, 500);
	made_end(&f->buf, at);
	write_ring(f, ring);
}

static void comm(struct fixture *f, u64 time, const char *name)
{
	const struct rec_ids ids = {.pid = PID, .tid = PID, .time = time};

	rec_build_comm(&f->buf, &f->unwinder.events.events.v[0].layout, &ids, 0, PID, PID, name);
	ring_unwinder_sideband(&f->unwinder, f->buf.data, f->buf.len);
	buf_clear(&f->buf);
}

static void give(struct fixture *f, u32 ring)
{
	struct ring *r = &f->rings[ring];

	ring_unwinder_give(&f->unwinder, 10 + ring, r, r->pos, r->head);
}

static struct ring_stretch *stretch(struct fixture *f, u32 ring)
{
	u32 i;

	for (i = 0; i < f->unwinder.rings.nr; i++)
		if (f->unwinder.rings.v[i].ring == 10 + ring)
			return &f->unwinder.rings.v[i];
	fail_msg("there is no ring %u", ring);
	return NULL;
}

/* Take what came out: the number of samples, the last one's time in *time. */
static u32 take(struct fixture *f, u32 ring, u64 *time)
{
	struct ring_stretch *s = stretch(f, ring);
	struct sample v;
	struct rec rec;
	u32 samples = 0;
	size_t at;

	*time = 0;
	for (at = 0; at < s->out.len; at += rec.size) {
		assert_true(rec_view(&rec, s->out.data + at, s->out.len - at));
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		assert_true(sample_layout_sample(&f->stored, &rec, &v));
		assert_true(v.ids.time >= *time);
		*time = v.ids.time;
		assert_true(v.chain_nr >= 3);
		assert_true(v.chain[0] == (u64)PERF_CONTEXT_USER);
		assert_true(v.chain[1] == v.ip);
		assert_true(chain_is_end(v.chain[v.chain_nr - 1]));
		assert_null(v.stack);
		samples++;
	}
	assert_int_equal(s->from, f->rings[ring].pos);
	f->rings[ring].pos = s->pos;
	ring_unwinder_taken(s);
	return samples;
}

static void in_order(void **state)
{
	struct fixture *f = *state;
	u64 time;
	size_t len;

	sample(f, 0, 100, IP);
	sample(f, 0, 300, IP);
	sample(f, 1, 200, IP);
	comm(f, 250, "later");
	comm(f, 150, "early");
	give(f, 0);
	give(f, 1);
	assert_true(ring_unwinder_run(&f->unwinder, 0));
	/* all of it was read; both names were applied, in order of their times */
	assert_true(process_comm(&f->unwinder.model, process_find_thread(&f->unwinder.model, PID),
				 &len) != NULL);
	assert_int_equal(len, 5);
	assert_memory_equal(process_comm(&f->unwinder.model,
					 process_find_thread(&f->unwinder.model, PID), &len),
			    "later", 5);
	assert_int_equal(take(f, 0, &time), 2);
	assert_int_equal(take(f, 1, &time), 1);
	assert_int_equal(f->rings[0].pos, f->rings[0].head);
	/* side-band that no sample asks for is applied when it is old */
	comm(f, 400, "even later");
	assert_true(ring_unwinder_run(&f->unwinder, 399));
	assert_int_equal(f->unwinder.queue.nr, 1);
	assert_true(ring_unwinder_run(&f->unwinder, 400));
	assert_int_equal(f->unwinder.queue.nr, 0);
	assert_int_equal(f->unwinder.sideband.len, 0);
}

/* Records across the end of the ring, and records that are no samples. */
static void around(void **state)
{
	struct fixture *f = *state;
	u64 time, rounds, all = 0, i;

	for (rounds = 0; rounds < 40; rounds++) {
		for (i = 0; i < 3; i++)
			sample(f, 0, 1000 + rounds * 10 + i, IP + rounds);
		lost(f, 0);
		give(f, 0);
		assert_true(ring_unwinder_run(&f->unwinder, 0));
		assert_int_equal(stretch(f, 0)->bad, 0);
		/* as it was: it says how many were lost */
		assert_memory_equal(stretch(f, 0)->out.data + stretch(f, 0)->out.len - 40,
				    f->memory[0] + (f->rings[0].head - 40) % RING,
				    MIN(40u, RING - (f->rings[0].head - 40) % RING));
		all += take(f, 0, &time);
		assert_int_equal(time, 1000 + rounds * 10 + 2);
	}
	assert_true(f->rings[0].pos > 5 * RING);
	assert_int_equal(all, 120);
}

static void damaged(void **state)
{
	struct perf_event_header h = {.type = PERF_RECORD_SAMPLE, .size = 12};
	struct fixture *f = *state;
	u64 time;

	sample(f, 0, 100, IP);
	buf_add(&f->buf, &h, sizeof(h));
	write_ring(f, 0);
	sample(f, 0, 200, IP);
	sample(f, 1, 150, IP);
	give(f, 0);
	give(f, 1);
	assert_true(ring_unwinder_run(&f->unwinder, 0));
	assert_int_equal(stretch(f, 0)->bad, 1);
	assert_int_equal(take(f, 0, &time), 1);
	assert_int_equal(f->rings[0].pos, f->rings[0].head);
	assert_int_equal(take(f, 1, &time), 1);
	/* more than the ring holds */
	f->rings[0].head += 2 * RING;
	give(f, 0);
	assert_true(ring_unwinder_run(&f->unwinder, 0));
	assert_int_equal(stretch(f, 0)->bad, 1);
	assert_int_equal(take(f, 0, &time), 0);
	assert_int_equal(f->rings[0].pos, f->rings[0].head);
}

/* Much is taken in pieces, and no piece twice. */
static void pieces(void **state)
{
	struct fixture *f = *state;
	struct perf_event_header h = {.type = PERF_RECORD_THROTTLE};
	const u32 size = 1u << 23;
	struct ring big = {.size = size};
	struct ring_stretch *s;
	u8 *memory = calloc(1, size);
	u64 at, taken = 0;
	u32 turns = 1;

	assert_non_null(memory);
	big.data = memory;
	h.size = 1u << 14;
	for (at = 0; at < size; at += h.size)
		memcpy(memory + at, &h, sizeof(h));
	ring_unwinder_give(&f->unwinder, 3, &big, 0, size);
	for (;; turns++) {
		bool all = ring_unwinder_run(&f->unwinder, 0);

		s = &f->unwinder.rings.v[0];
		assert_int_equal(s->from, taken);
		assert_int_equal(s->out.len, s->pos - s->from);
		taken = s->pos;
		ring_unwinder_taken(s);
		if (all)
			break;
	}
	assert_int_equal(taken, size);
	assert_true(turns > 4);
	free(memory);
}

static void kept(void **state)
{
	const struct ring_unwinder_options o = {
		.arch = &arch_x86_64, .proc = -1, .keep_stacks = true};
	struct fixture *f = *state;
	struct sample v;
	struct rec rec;

	ring_unwinder_free(&f->unwinder);
	assert_true(begin(f, &o));
	sample(f, 0, 100, IP);
	give(f, 0);
	assert_true(ring_unwinder_run(&f->unwinder, 0));
	assert_true(rec_view(&rec, stretch(f, 0)->out.data, stretch(f, 0)->out.len));
	assert_true(sample_layout_sample(&f->stored, &rec, &v));
	assert_int_equal(v.stack_size, STACK);
	assert_int_equal(v.stack_dyn_size, STACK);
	assert_true(v.regs_user.reg[8] == IP);
	assert_true(chain_is_end(v.chain[v.chain_nr - 1]));
}

/* The samples of one process come out without a user half. */
static void not_its_own(void **state)
{
	const struct ring_unwinder_options o = {.arch = &arch_x86_64, .proc = -1, .self = PID};
	struct fixture *f = *state;
	struct sample v;
	struct rec rec;

	ring_unwinder_free(&f->unwinder);
	assert_true(begin(f, &o));
	sample(f, 0, 100, IP);
	give(f, 0);
	assert_true(ring_unwinder_run(&f->unwinder, 0));
	assert_true(rec_view(&rec, stretch(f, 0)->out.data, stretch(f, 0)->out.len));
	assert_true(sample_layout_sample(&f->stored, &rec, &v));
	assert_int_equal(v.chain_nr, 0);
}

/* Memory that is out shows: what was not read is then not said to be. */
static void no_memory(void **state)
{
	struct fixture *f = *state;
	bool all = false;
	unsigned int n;

	ring_unwinder_free(&f->unwinder);
	for (n = 0;; n++) {
		oom_after(n);
		if (begin(f, &options)) {
			oom_stop();
			sample(f, 0, 100, IP);
			oom_after(n);
			give(f, 0);
			all = ring_unwinder_run(&f->unwinder, 0) && !f->unwinder.failed;
			if (all)
				assert_true(f->unwinder.rings.v[0].pos == f->rings[0].head);
			ring_unwinder_free(&f->unwinder);
			buf_clear(&f->buf);
		}
		if (!oom_stop())
			break;
	}
	assert_true(all);
	assert_true(begin(f, &options));
}

/* An arm64 program, mapped at BASE: a function without a frame, and its caller. */
#define BASE 0x400000ull
enum { LEAF = 0x200, CALLER = 0x240, LINK = 30 };

static int map_arm64(struct ring_unwinder *r)
{
	struct rec_mmap2 m = {.pid = (u32)getpid(),
			      .tid = (u32)getpid(),
			      .start = BASE,
			      .len = 0x10000,
			      .prot = 5};
	const struct rec_ids ids = {.pid = m.pid, .tid = m.tid, .time = 1};
	struct made_elf elf = {0};
	struct buf b = {0};
	char path[32];
	int fd;

	made_elf_begin(&elf, EM_AARCH64, 8);
	made_elf_cie(&elf, -8, LINK, false, "\x0c\x1f\x00", 3);
	made_elf_fde(&elf, LEAF, 0x40, "", 0);
	/* stp x29, x30, [sp, #-32]! */
	made_elf_fde(&elf, CALLER, 0x40, "\x0e\x20\x9d\x04\x9e\x03", 6);
	made_elf_header(&elf, true);
	made_elf_end(&elf);
	fd = made_file(elf.b.data, elf.b.len, path);
	m.name = path;
	rec_build_mmap2(&b, &r->events.events.v[0].layout, &ids, PERF_RECORD_MISC_USER, &m);
	ring_unwinder_sideband(r, b.data, b.len);
	buf_free(&b);
	buf_free(&elf.b);
	return fd;
}

static void link_sample(struct fixture *f, u64 time, const u64 *chain, u32 nr)
{
	size_t at = made_begin(&f->buf, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	u32 i;

	buf_u64(&f->buf, chain[1]);
	buf_u32(&f->buf, (u32)getpid());
	buf_u32(&f->buf, (u32)getpid());
	buf_u64(&f->buf, time);
	buf_u64(&f->buf, nr);
	for (i = 0; i < nr; i++)
		buf_u64(&f->buf, chain[i]);
	buf_u64(&f->buf, PERF_SAMPLE_REGS_ABI_64);
	buf_u64(&f->buf, BASE + CALLER + 8);
	made_end(&f->buf, at);
	write_ring(f, 0);
}

/* Beside frame pointers the link register: the caller of a leaf comes into the chain, and all else stays. */
static void link_register(void **state)
{
	static const u64 leaf[] = {PERF_CONTEXT_USER, BASE + LEAF + 8, BASE + 0x900};
	static const u64 want[] = {PERF_CONTEXT_USER, BASE + LEAF + 8, BASE + CALLER + 7,
				   BASE + 0x900};
	static const u64 frame[] = {PERF_CONTEXT_USER, BASE + CALLER + 8, BASE + 0x900};
	struct perf_event_attr sideband = made_attr(SIDEBAND),
			       attr = made_attr(TYPE & ~(u64)PERF_SAMPLE_STACK_USER);
	struct ring_unwinder_options o = {.arch = &arch_arm64};
	struct fixture *f = *state;
	struct ring_stretch *s;
	struct sample_layout layout;
	struct sample v;
	struct rec rec;
	int fd;

	ring_unwinder_free(&f->unwinder);
	o.proc = open("/proc", O_RDONLY | O_CLOEXEC);
	attr.sample_regs_user = 1ull << LINK;
	sample_layout_init(&layout, &attr);
	assert_int_equal(ring_unwinder_init(&f->unwinder, &o, NULL), 0);
	assert_true(add_event(&f->unwinder.events, &sideband, true) >= 0);
	assert_true(add_event(&f->unwinder.events, &attr, false) >= 0);
	fd = map_arm64(&f->unwinder);
	link_sample(f, 100, leaf, 3);
	link_sample(f, 101, frame, 3);
	give(f, 0);
	assert_true(ring_unwinder_run(&f->unwinder, 0));
	s = stretch(f, 0);
	assert_int_equal(s->bad, 0);
	assert_true(rec_view(&rec, s->out.data, s->out.len));
	assert_true(sample_layout_sample(&layout, &rec, &v));
	assert_int_equal(v.chain_nr, 4);
	assert_memory_equal(v.chain, want, sizeof(want));
	assert_true(v.ids.time == 100 && *v.regs_user.reg == BASE + CALLER + 8);
	assert_int_equal(s->out.len, rec.size + rec.size - sizeof(u64));
	assert_memory_equal(s->out.data + rec.size, f->memory[0] + rec.size - sizeof(u64),
			    rec.size - sizeof(u64));
	close(fd);
	close(o.proc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(around, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(pieces, setup, teardown),
		cmocka_unit_test_setup_teardown(kept, setup, teardown),
		cmocka_unit_test_setup_teardown(not_its_own, setup, teardown),
		cmocka_unit_test_setup_teardown(link_register, setup, teardown),
		cmocka_unit_test_setup_teardown(no_memory, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ring_unwinder", tests, NULL, NULL);
}
