// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "tests/unit/made.h"
#include "util/profile/bind.h"
#include "util/profile/stack_quality.h"
#include "util/profile/symboliser.h"
#include "util/record/chain.h"
#include "util/symbol/symbols.h"

#define PID    7
#define CODE   0x400000ull /* of the program, from byte 0x1000 of its file on */
#define JIT    0x700000ull /* of code made at run time */
#define KERNEL 0xffffffff81000000ull
#define USER   ((u64)PERF_CONTEXT_USER)
#define END(x) (CHAIN_END + (x))

/* Functions of the program, from where they begin to where they end. */
#define START (CODE + 0x10)
#define MAIN  (CODE + 0x110)
#define OTHER (CODE + 0x210) /* has no name */

struct scene {
	struct recording recording;
	struct process_model model;
	struct bind bind;
	struct symbols *symbols;
	struct symboliser symboliser;
	const struct thread *thread;
	struct event_desc event;
	struct stack_quality quality;
};

static void map(struct scene *s, u64 start, const char *name)
{
	static const struct sample_layout bare;
	struct rec_mmap2 r = {.pid = PID,
			      .tid = PID,
			      .start = start,
			      .len = 0x10000,
			      .pgoff = 0x1000,
			      .prot = PROT_READ | PROT_EXEC,
			      .name = name};
	struct buf b = {0};
	struct rec rec;

	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &r);
	assert_true(rec_view(&rec, b.data, b.len));
	process_apply(&s->model, &rec);
	buf_free(&b);
}

static void begin(struct scene *s)
{
	static const struct symbols_options nothing;
	static const struct resolve_options options = {.max_stack = 127};
	static const struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_CALLCHAIN};
	const struct dso_head program = {
		.class = DSO_CLASS_USER, .name = "/no/such/program", .name_len = 16};
	struct sym_text *sym;
	int dso;

	memset(s, 0, sizeof(*s));
	assert_int_equal(process_init(&s->model, NULL), 0);
	bind_init(&s->bind, &s->recording, &s->model);
	s->symbols = symbols_new(&nothing, NULL);
	assert_non_null(s->symbols);
	symboliser_init(&s->symboliser, &s->model, &s->bind, s->symbols, &options);
	s->symboliser.arch = arch_find("x86_64");
	s->event.attr = attr;
	sample_layout_init(&s->event.layout, &attr);
	map(s, CODE, "/no/such/program");
	map(s, JIT, "//anon");
	dso = recording_add_dso(&s->recording, &program, NULL, 0);
	assert_true(dso >= 0);
	sym = vec_push(&s->recording.syms);
	*sym = (struct sym_text){(u32)dso, 0x1000, 0x1100, "_start"};
	sym = vec_push(&s->recording.syms);
	*sym = (struct sym_text){(u32)dso, 0x1100, 0x1200, "main"};
	assert_true(bind_update(&s->bind));
	s->thread = process_thread(&s->model, PID, PID);
}

static void end(struct scene *s)
{
	quality_free(&s->quality.counts);
	symboliser_free(&s->symboliser);
	symbols_free(s->symbols);
	bind_free(&s->bind);
	process_free(&s->model);
	recording_free(&s->recording);
}

static u32 dso_of(const struct scene *s, u64 addr)
{
	return s->model.maps.v[process_find_map(&s->model, s->thread, addr)].dso;
}

/* What one chain counts as: an end, and the DSO in *dso. */
static u32 end_of(struct scene *s, const u64 *chain, u32 nr, u32 *dso)
{
	const struct sample sample = {.chain = chain, .chain_nr = nr};
	const struct session_sample one = {
		.sample = &sample, .desc = &s->event, .thread = s->thread, .samples = 1};
	struct session session = {.symboliser = &s->symboliser};
	u32 i, d;

	quality_free(&s->quality.counts);
	s->quality = (struct stack_quality){0};
	assert_true(stack_quality_sample(&s->quality, &session, &one));
	for (i = 0; i < QUALITY_ENDS; i++)
		if (s->quality.counts.total.stacks[i])
			break;
	if (i == QUALITY_ENDS)
		return i;
	*dso = ID_NONE;
	for (d = 0; d < s->quality.counts.dsos.nr; d++)
		if (s->quality.counts.dsos.v[d].stacks[i])
			*dso = d;
	return i;
}

#define END_OF(...) \
	end_of(&s, (const u64[]){__VA_ARGS__}, sizeof((u64[]){__VA_ARGS__}) / sizeof(u64), &dso)

static void walked(void **state)
{
	struct scene s;
	u64 full[128];
	u32 dso, i;

	(void)state;
	begin(&s);
	assert_int_equal(END_OF(USER, MAIN, START), CHAIN_ROOT);
	assert_int_equal(END_OF(USER, MAIN, START, 0), CHAIN_ROOT);
	/* what stands behind where a stack begins is no frame */
	assert_int_equal(END_OF(USER, MAIN, START, OTHER, 0x10), CHAIN_ROOT);
	assert_int_equal(END_OF(USER, START, MAIN, MAIN, MAIN, MAIN), QUALITY_NO_FRAME_POINTER);
	assert_int_equal(dso, dso_of(&s, CODE));
	assert_int_equal(END_OF(PERF_CONTEXT_KERNEL, KERNEL), CHAIN_ROOT);
	assert_int_equal(END_OF(PERF_CONTEXT_KERNEL, KERNEL, USER), CHAIN_ROOT);
	assert_int_equal(END_OF(USER), CHAIN_NO_UNWIND);
	assert_int_equal(END_OF(PERF_CONTEXT_KERNEL, KERNEL, USER, MAIN, OTHER), QUALITY_UNTOLD);
	assert_int_equal(dso, dso_of(&s, CODE));
	assert_int_equal(END_OF(USER, JIT, 0x10), QUALITY_NO_FRAME_POINTER);
	assert_int_equal(dso, dso_of(&s, JIT));
	assert_int_equal(END_OF(USER, 0x10), QUALITY_NO_FRAME_POINTER);
	assert_int_equal(dso, ID_NONE);
	assert_int_equal(end_of(&s, NULL, 0, &dso), CHAIN_NO_UNWIND);
	full[0] = USER;
	for (i = 1; i < ARRAY_SIZE(full); i++)
		full[i] = MAIN;
	assert_int_equal(end_of(&s, full, 128, &dso), CHAIN_LIMIT);
	assert_int_equal(end_of(&s, full, 127, &dso), QUALITY_NO_FRAME_POINTER);
	s.event.attr.sample_max_stack = 2;
	assert_int_equal(END_OF(USER, MAIN, MAIN), CHAIN_LIMIT);
	assert_int_equal(END_OF(USER, MAIN, START), CHAIN_ROOT);
	assert_int_equal(END_OF(PERF_CONTEXT_KERNEL, KERNEL, KERNEL), CHAIN_LIMIT);
	end(&s);
}

static void unwound(void **state)
{
	struct scene s;
	u32 dso;

	(void)state;
	begin(&s);
	assert_int_equal(END_OF(USER, MAIN, END(CHAIN_ROOT)), CHAIN_ROOT);
	assert_int_equal(END_OF(USER, START, END(CHAIN_CUT)), CHAIN_CUT);
	assert_int_equal(dso, dso_of(&s, CODE));
	assert_int_equal(END_OF(USER, MAIN, CHAIN_GUESSED, JIT, END(CHAIN_NO_CFI)), CHAIN_NO_CFI);
	assert_int_equal(dso, dso_of(&s, JIT));
	/* what is not mapped is blamed on what called it */
	assert_int_equal(END_OF(USER, MAIN, 0x10, END(CHAIN_NO_MAP)), CHAIN_NO_MAP);
	assert_int_equal(dso, dso_of(&s, CODE));
	/* the trampoline of a return probe, but not a call of what is no function */
	assert_int_equal(END_OF(USER, MAIN, 0x7fffffffe000, CHAIN_GUESSED, START, END(CHAIN_ROOT)),
			 CHAIN_NO_MAP);
	assert_int_equal(dso, dso_of(&s, CODE));
	assert_int_equal(END_OF(USER, 0x10, CHAIN_GUESSED, START, END(CHAIN_ROOT)), CHAIN_ROOT);
	assert_int_equal(END_OF(USER, MAIN, JIT + 8, CHAIN_GUESSED, START, END(CHAIN_ROOT)),
			 CHAIN_ROOT);
	assert_int_equal(END_OF(PERF_CONTEXT_KERNEL, KERNEL, USER, END(CHAIN_NO_UNWIND)),
			 CHAIN_NO_UNWIND);
	assert_int_equal(dso, ID_NONE);
	/* no stack is expected of an event without call chains */
	s.event.layout.has = 0;
	assert_int_equal(END_OF(USER, MAIN), QUALITY_ENDS);
	end(&s);
}

static void frames(void **state)
{
	static const u64 chain[] = {PERF_CONTEXT_KERNEL, KERNEL, USER, MAIN, OTHER, JIT + 8, 0x10,
				    END(CHAIN_NO_MAP)};
	struct sample sample = {.chain = chain, .chain_nr = ARRAY_SIZE(chain)};
	struct frame_list list = {0};
	struct scene s;
	const u64 *got;

	(void)state;
	begin(&s);
	assert_true(symboliser_chain(&s.symboliser, s.thread, &sample, &list));
	assert_int_equal(list.nr, 5);
	assert_true(stack_quality_frames(&s.quality.counts, &s.symboliser, &list));
	got = s.quality.counts.total.frames;
	assert_int_equal(got[QUALITY_NAMED], 1);
	assert_int_equal(got[QUALITY_NO_KALLSYMS], 1);
	assert_int_equal(got[QUALITY_FILE_GONE], 1);
	assert_int_equal(got[QUALITY_NO_JIT_MAP], 1);
	assert_int_equal(got[QUALITY_NOT_MAPPED], 1);
	assert_int_equal(s.quality.counts.dsos.v[dso_of(&s, CODE)].frames[QUALITY_FILE_GONE], 1);
	vec_free(&list);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walked),
		cmocka_unit_test(unwound),
		cmocka_unit_test(frames),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
