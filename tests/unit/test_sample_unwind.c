// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <asm/perf_regs.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/made_elf.h"
#include "tests/unit/oom.h"
#include "util/profile/sample_unwind.h"
#include "util/profile/symboliser.h"

/* A thread that stands where nothing is mapped: its stack is one frame, its chain ends there. */

#define PID    7
#define IP     0x401000ull
#define SP     0x7ffff000ull
#define KERNEL 0xffffffff81000010ull
#define USER   ((u64)PERF_CONTEXT_USER)

struct scene {
	struct process_model model;
	const struct thread *thread;
	struct sample_unwind unwind;
	u64 regs[3];
	u8 stack[4096];
};

static void begin_on(struct scene *s, bool again, const char *machine)
{
	static const struct dso_file_options files;
	const struct sample_unwind_options o = {
		.again = again, .arch = arch_find(machine), .files = &files};

	memset(s, 0, sizeof(*s));
	assert_int_equal(process_init(&s->model, NULL), 0);
	s->thread = process_thread(&s->model, PID, PID);
	s->regs[1] = SP;
	s->regs[2] = IP;
	assert_int_equal(sample_unwind_init(&s->unwind, &o, &s->model, NULL), 0);
}

static void begin(struct scene *s, bool again)
{
	begin_on(s, again, "x86_64");
}

static void end(struct scene *s)
{
	sample_unwind_free(&s->unwind);
	process_free(&s->model);
}

static struct sample sample_of(const struct scene *s, const u64 *chain, u32 nr)
{
	return (struct sample){
		.chain = chain,
		.chain_nr = nr,
		.regs_user = {.abi = PERF_SAMPLE_REGS_ABI_64,
			      .mask = 1ull << PERF_REG_X86_BP | 1ull << PERF_REG_X86_SP |
				      1ull << PERF_REG_X86_IP,
			      .reg = s->regs},
		.stack = s->stack,
		.stack_size = sizeof(s->stack),
		.stack_dyn_size = sizeof(s->stack),
	};
}

static void is_chain(const struct sample *s, const u64 *want, u32 nr)
{
	assert_int_equal(s->chain_nr, nr);
	assert_memory_equal(s->chain, want, nr * sizeof(*want));
}

static void both_halves(void **state)
{
	static const u64 kernel[] = {PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 1};
	static const u64 want[] = {PERF_CONTEXT_KERNEL,     KERNEL, KERNEL + 1, USER, IP,
				   CHAIN_END + CHAIN_NO_MAP};
	struct scene s;
	struct sample sample;

	(void)state;
	begin(&s, false);
	sample = sample_of(&s, kernel, ARRAY_SIZE(kernel));
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, want, ARRAY_SIZE(want));
	/* no kernel half at all */
	sample = sample_of(&s, NULL, 0);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, want + 3, 3);
	/* frame pointers that the kernel followed too: what was unwound replaces them */
	sample = sample_of(&s, (const u64[]){PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 1, USER, 1, 2},
			   6);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, want, ARRAY_SIZE(want));
	end(&s);
}

static void nothing_to_unwind(void **state)
{
	static const u64 kernel[] = {PERF_CONTEXT_KERNEL, KERNEL};
	struct scene s;
	struct sample sample;

	(void)state;
	begin(&s, true);
	/* a kernel thread */
	sample = sample_of(&s, kernel, 2);
	sample.regs_user = (struct sample_regs){.abi = PERF_SAMPLE_REGS_ABI_NONE};
	sample.stack_size = sample.stack_dyn_size = 0;
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	assert_ptr_equal(sample.chain, kernel);
	/* a stack that could not be read */
	sample = sample_of(&s, kernel, 2);
	sample.stack_dyn_size = 0;
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	assert_ptr_equal(sample.chain, kernel);
	end(&s);
}

static void again(void **state)
{
	static const u64 good[] = {USER, IP, IP + 8, CHAIN_END + CHAIN_ROOT};
	static const u64 failed[] = {USER, IP, CHAIN_END + CHAIN_NO_UNWIND};
	static const u64 want[] = {USER, IP, CHAIN_END + CHAIN_NO_MAP};
	struct scene s;
	struct sample sample;

	(void)state;
	begin(&s, false);
	sample = sample_of(&s, good, ARRAY_SIZE(good));
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	assert_ptr_equal(sample.chain, good);
	sample = sample_of(&s, failed, ARRAY_SIZE(failed));
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, want, ARRAY_SIZE(want));
	end(&s);
	begin(&s, true);
	sample = sample_of(&s, good, ARRAY_SIZE(good));
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, want, ARRAY_SIZE(want));
	end(&s);
}

/* How symboliser_chain() shows an unwound chain. */
static void is_shown(struct resolve_options options, const u64 *chain, u32 nr, const u64 *want,
		     u32 nr_want)
{
	static const struct symbols_options nothing;
	struct sample sample = {.chain = chain, .chain_nr = nr};
	struct recording recording = {0};
	struct frame_list frames = {0};
	struct process_model model;
	struct symbols *symbols;
	struct symboliser r;
	struct bind bind;
	u32 i;

	assert_int_equal(process_init(&model, NULL), 0);
	bind_init(&bind, &recording, &model);
	symbols = symbols_new(&nothing, NULL);
	assert_non_null(symbols);
	if (!options.max_stack)
		options.max_stack = 127;
	symboliser_init(&r, &model, &bind, symbols, &options);
	assert_true(symboliser_chain(&r, NULL, &sample, &frames));
	assert_int_equal(frames.nr, nr_want);
	for (i = 0; i < nr_want; i++)
		assert_int_equal(r.frames.v[frames.v[i]].ip, want[i]);
	vec_free(&frames);
	symboliser_free(&r);
	symbols_free(symbols);
	bind_free(&bind);
	process_free(&model);
	recording_free(&recording);
}

#define SHOWN(options, chain, ...)                                              \
	is_shown(options, chain, ARRAY_SIZE(chain), (const u64[]){__VA_ARGS__}, \
		 sizeof((u64[]){__VA_ARGS__}) / sizeof(u64))

/* Callers are shown where they call, but for what a signal interrupted, and its trampoline. */
static void shown(void **state)
{
	static const u64 walked[] = {PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 9, USER, 0x10, 0x20};
	static const u64 plain[] = {PERF_CONTEXT_KERNEL,
				    KERNEL,
				    KERNEL + 9,
				    USER,
				    0x10,
				    0x20,
				    CHAIN_GUESSED,
				    0x30,
				    CHAIN_CERTAIN,
				    0x40,
				    CHAIN_END + CHAIN_ROOT};
	static const u64 signal[] = {USER,         0x10, 0x20, 0x30,
				     CHAIN_SIGNAL, 0x40, 0x50, CHAIN_END + CHAIN_CUT};
	const struct resolve_options none = {0}, two = {.max_stack = 2}, perf = {.ip_as_is = true};

	(void)state;
	SHOWN(none, walked, KERNEL, KERNEL + 9, 0x10, 0x20);
	SHOWN(none, plain, KERNEL, KERNEL + 9, 0x10, 0x1f, 0x2f, 0x3f);
	SHOWN(none, signal, 0x10, 0x1f, 0x30, 0x40, 0x4f);
	SHOWN(perf, signal, 0x10, 0x1f, 0x2f, 0x40, 0x4f);
	/* as many frames of each half */
	SHOWN(two, walked, KERNEL, KERNEL + 9);
	SHOWN(two, plain, KERNEL, KERNEL + 9, 0x10, 0x1f);
}

/* Stacks of the other byte order: the kernel's half is kept, as is what was unwound before. */
static void foreign(void **state)
{
	static const u64 kernel[] = {PERF_CONTEXT_KERNEL, KERNEL};
	static const u64 want[] = {PERF_CONTEXT_KERNEL, KERNEL, USER, CHAIN_END + CHAIN_NO_UNWIND};
	static const u64 unwound[] = {USER, 0x10, CHAIN_END + CHAIN_ROOT};
	struct sample sample;
	struct scene s;

	(void)state;
	begin(&s, true);
	s.unwind.foreign = true;
	sample = sample_of(&s, kernel, ARRAY_SIZE(kernel));
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, want, ARRAY_SIZE(want));
	assert_int_equal(s.unwind.nr_foreign, 1);
	sample = sample_of(&s, unwound, ARRAY_SIZE(unwound));
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, unwound, ARRAY_SIZE(unwound));
	assert_int_equal(s.unwind.nr_foreign, 1);
	end(&s);
}

/* An arm64 program, mapped at BASE: leaf, its caller, one without unwind information. */
#define BASE     0x400000ull
#define BYTES(s) (s), sizeof(s) - 1
enum { LEAF = 0x200, CALLER = 0x240, BARE = 0x600, LINK = 30 };

static int map_arm64(struct scene *s)
{
	struct sample_layout bare = made_layout(0);
	struct rec_mmap2 m = {.pid = PID, .tid = PID, .start = BASE, .len = 0x10000, .prot = 5};
	struct made_elf elf = {0};
	struct buf b = {0};
	struct rec rec;
	char path[32];
	int fd;

	made_elf_begin(&elf, EM_AARCH64, 8);
	made_elf_cie(&elf, -8, LINK, false, BYTES("\x0c\x1f\x00"));
	made_elf_fde(&elf, LEAF, 0x40, BYTES(""));
	/* stp x29, x30, [sp, #-32]! */
	made_elf_fde(&elf, CALLER, 0x40, BYTES("\x0e\x20\x9d\x04\x9e\x03"));
	made_elf_header(&elf, true);
	/* a call, behind which a guess finds the link register */
	made_elf_code(&elf, BARE + 0x1c, BYTES("\x01\0\0\x94"));
	made_elf_end(&elf);
	fd = made_file(elf.b.data, elf.b.len, path);
	m.name = path;
	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &m);
	assert_true(rec_view(&rec, b.data, b.len));
	process_apply(&s->model, &rec);
	buf_free(&b);
	buf_free(&elf.b);
	return fd;
}

static struct sample leaf_sample(struct scene *s, const u64 *chain, u32 nr, u64 link)
{
	struct sample sample = sample_of(s, chain, nr);

	s->regs[0] = link;
	sample.regs_user.mask = 1ull << LINK;
	sample.stack = NULL;
	sample.stack_size = sample.stack_dyn_size = 0;
	return sample;
}

/* perf's link register beside frame pointers of arm64: the caller of a leaf, and of nothing else. */
static void leaf_callers(void **state)
{
	static const u64 leaf[] = {PERF_CONTEXT_KERNEL, KERNEL, USER, BASE + LEAF + 8,
				   BASE + 0x900};
	static const u64 want[] = {PERF_CONTEXT_KERNEL, KERNEL,      USER, BASE + LEAF + 8,
				   BASE + CALLER + 7,   BASE + 0x900};
	static const u64 none[] = {USER, BASE + CALLER + 8, BASE + 0x900};
	static const u64 bare[] = {USER, BASE + 0x2000, BASE + 0x900};
	const u64 link = BASE + CALLER + 8;
	struct sample sample;
	struct scene s;
	int fd;

	(void)state;
	begin_on(&s, false, "aarch64");
	fd = map_arm64(&s);
	sample = leaf_sample(&s, leaf, 5, link);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, want, 6);
	/* that has saved it, and called since; without unwind information, where a guess would do */
	sample = leaf_sample(&s, none, 3, link);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, none, 3);
	sample = leaf_sample(&s, bare, 3, BASE + BARE + 0x20);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, bare, 3);
	/* the kernel's half alone, one user address, another register, one more */
	sample = leaf_sample(&s, leaf, 2, link);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, leaf, 2);
	sample = leaf_sample(&s, leaf, 4, link);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, leaf, 4);
	sample = leaf_sample(&s, leaf, 5, link);
	sample.regs_user.mask = 1ull << 29;
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, leaf, 5);
	/* no address */
	sample = leaf_sample(&s, leaf, 5, 0);
	assert_int_equal(sample_unwind_chain(&s.unwind, s.thread, &sample, NULL), 0);
	is_chain(&sample, leaf, 5);
	end(&s);
	close(fd);
}

static void no_memory(void **state)
{
	struct sample sample;
	struct scene s;
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		begin(&s, false);
		sample = sample_of(&s, NULL, 0);
		oom_after(n);
		ret = sample_unwind_chain(&s.unwind, s.thread, &sample, NULL);
		if (!oom_stop())
			break;
		/* the unwinder may end a chain early, but says so */
		if (!ret)
			assert_true(chain_is_end(sample.chain[sample.chain_nr - 1]));
		end(&s);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 0);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_halves),  cmocka_unit_test(nothing_to_unwind),
		cmocka_unit_test(again),        cmocka_unit_test(shown),
		cmocka_unit_test(foreign),      cmocka_unit_test(no_memory),
		cmocka_unit_test(leaf_callers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
