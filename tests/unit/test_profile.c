// SPDX-License-Identifier: GPL-2.0
/* What no file of another program holds; call chains, and which samples are chosen: tests/golden/addresses.txt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/profile/name_list.h"
#include "util/profile/symboliser.h"
#include "util/record/chain.h"

#define KERNEL_TEXT 0xffffffff81000000ull

/* A process with one program, a kernel, and symbols of both in the recording only. */
struct scene {
	struct recording recording;
	struct process_model model;
	struct bind bind;
	struct symbols *symbols;
	struct symboliser symboliser;
	const struct thread *thread;
};

static void scene_map(struct scene *s, u16 misc, u64 start, u64 len, u64 ino, const char *name)
{
	static const struct sample_layout bare;
	struct rec_mmap2 r = {.pid = 5,
			      .tid = 5,
			      .start = start,
			      .len = len,
			      .pgoff = 0x1000,
			      .maj = 8,
			      .min = 1,
			      .ino = ino,
			      .prot = PROT_EXEC,
			      .name = name};
	struct buf b = {0};
	struct rec rec;

	rec_build_mmap2(&b, &bare, NULL, misc, &r);
	assert_true(rec_view(&rec, b.data, b.len));
	process_apply(&s->model, &rec);
	buf_free(&b);
}

static u32 scene_dso(struct scene *s, enum dso_class class, u64 ino, const char *name)
{
	struct dso_head d = {class, 8, 1, ino, 0, name, strlen(name), NULL, 0};
	int i;

	if (class == DSO_CLASS_KERNEL)
		d.maj = d.min = 0;
	i = recording_add_dso(&s->recording, &d, NULL, 0);
	assert_true(i >= 0);
	return (u32)i;
}

static void scene_sym(struct scene *s, u32 dso, u64 start, u64 end, const char *name)
{
	struct sym_text *t = vec_push(&s->recording.syms);

	*t = (struct sym_text){.dso = dso, .start = start, .end = end, .name = name};
}

static void scene_begin(struct scene *s, struct resolve_options options)
{
	static const struct symbols_options none;
	u32 cat, kernel;

	memset(s, 0, sizeof(*s));
	assert_int_equal(process_init(&s->model, NULL), 0);
	bind_init(&s->bind, &s->recording, &s->model);
	s->symbols = symbols_new(&none, NULL);
	assert_non_null(s->symbols);
	if (!options.max_stack)
		options.max_stack = 127;
	symboliser_init(&s->symboliser, &s->model, &s->bind, s->symbols, &options);
	s->symboliser.arch = arch_find("x86_64");
	scene_map(s, PERF_RECORD_MISC_USER, 0x400000, 0x10000, 5, "/no/such/cat");
	scene_map(s, PERF_RECORD_MISC_KERNEL, KERNEL_TEXT, 0x100000, 0, "[kernel.kallsyms]_text");
	cat = scene_dso(s, DSO_CLASS_USER, 5, "/no/such/cat");
	/* offsets in the file: 0x1000 stands at 0x400000 */
	scene_sym(s, cat, 0x1100, 0x1200, "work");
	scene_sym(s, cat, 0x1000, 0x1100, "main");
	scene_sym(s, cat, 0x1200, 0x1300, "_ZN3foo3barEi");
	scene_sym(s, cat, 0x1400, 0x1410, "__restore_rt");
	kernel = scene_dso(s, DSO_CLASS_KERNEL, 0, "[kernel.kallsyms]");
	scene_sym(s, kernel, KERNEL_TEXT + 0x100, KERNEL_TEXT + 0x200, "do_work");
	scene_sym(s, kernel, KERNEL_TEXT + 0x200, KERNEL_TEXT + 0x300, "asm_exc_page_fault");
	scene_sym(s, kernel, KERNEL_TEXT + 0x300, KERNEL_TEXT + 0x400, "sys_call");
	scene_sym(s, kernel, KERNEL_TEXT + 0x180000, KERNEL_TEXT + 0x180100, "start_kernel");
	assert_true(bind_update(&s->bind));
	s->thread = process_thread(&s->model, 5, 5);
}

static void scene_end(struct scene *s)
{
	symboliser_free(&s->symboliser);
	symbols_free(s->symbols);
	bind_free(&s->bind);
	process_free(&s->model);
	recording_free(&s->recording);
}

/* "name+0xOFF < name+0xOFF", leaf first; the address itself where there is no name. */
static void expect_sample(struct scene *s, struct sample sample, const char *want)
{
	struct frame_list frames = {0};
	struct buf b = {0};
	u32 i;

	assert_true(symboliser_chain(&s->symboliser, s->thread, &sample, &frames));
	for (i = 0; i < frames.nr; i++) {
		const struct frame *f = &s->symboliser.frames.v[frames.v[i]];

		buf_adds(&b, i ? " < " : "");
		if (f->symbol)
			buf_addf(&b, "%s+0x%llx", f->symbol, (unsigned long long)f->offset);
		else
			buf_addf(&b, "%llx", (unsigned long long)f->ip);
	}
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
	free(frames.v);
}

static void expect_chain(struct scene *s, const u64 *chain, u32 nr, const char *want)
{
	expect_sample(s, (struct sample){.chain = chain, .chain_nr = nr}, want);
}

#define CHAIN(s, want, ...)                                                                     \
	expect_chain((s), (const u64[]){__VA_ARGS__}, ARRAY_SIZE(((const u64[]){__VA_ARGS__})), \
		     (want))
#define USER   ((u64)PERF_CONTEXT_USER)
#define KERNEL ((u64)PERF_CONTEXT_KERNEL)

/* --stop-bt: to perf, what comes behind the end decides whether the chain has frames. */
static void stops(void **state)
{
	struct name_list names = {0};
	struct err err = {0};
	struct scene s;

	(void)state;
	assert_int_equal(name_list_add(&names, "main", &err), 0);
	scene_begin(&s, (struct resolve_options){
				.stop_at = &names, .show_cut = true, .breaks_as_perf = true});
	CHAIN(&s, "work+0x10 < main+0x21", USER, 0x400110, 0x400021, 0x400110);
	CHAIN(&s, "work+0x10 < main+0x20", USER, 0x400110, 0x400021, 0x400110,
	      CHAIN_END + CHAIN_CUT);
	CHAIN(&s, "", USER, 0x400110, 0x400021, (u64)-7);
	scene_end(&s);
	name_list_free(&names);
}

/* What a list has, a line each. */
#define LIST(text, ...)                                             \
	do {                                                        \
		static const char *const want[] = {__VA_ARGS__};    \
		struct name_list l = {0};                           \
		struct err err = {0};                               \
		u32 at;                                             \
                                                                    \
		assert_int_equal(name_list_add(&l, text, &err), 0); \
		assert_int_equal(l.nr, ARRAY_SIZE(want));           \
		for (at = 0; at < l.nr; at++)                       \
			assert_string_equal(l.v[at], want[at]);     \
		name_list_free(&l);                                 \
	} while (0)

/* Names of C++ have commas of their own. */
static void names_with_commas(void **state)
{
	(void)state;
	LIST("main,do_syscall_64", "main", "do_syscall_64");
	LIST(",main,,work,", "main", "work");
	LIST("std::map<int, long>::find(int, bool),main", "std::map<int, long>::find(int, bool)",
	     "main");
	LIST("f(std::pair<int, (E)1>, int) const,g", "f(std::pair<int, (E)1>, int) const", "g");
	LIST("operator<,main", "operator<", "main");
	LIST("A::operator<<(int, int),B::operator>(B, B)", "A::operator<<(int, int)",
	     "B::operator>(B, B)");
	LIST("A::operator->,f(A::operator-> , int)", "A::operator->", "f(A::operator-> , int)");
	LIST("a<b,c", "a<b", "c");
	LIST("a),b(", "a)", "b(");
	LIST("a\\,b,c\\d\\", "a,b", "c\\d\\");
	LIST("\\,", ",");
}

static bool is_matched(const char *text, const char *name)
{
	const char *names[] = {text};
	const struct name_list l = {.v = names, .nr = 1};

	return name_list_matches(&l, name);
}

/* Functions by patterns; the star of a type is none. */
static void patterns(void **state)
{
	(void)state;
	assert_true(is_matched("main", "main"));
	assert_false(is_matched("main", "main2"));
	assert_true(is_matched("*process", "company::X<long>::process"));
	assert_false(is_matched("*process", "company::X<long>::processed"));
	assert_true(is_matched("*process*", "company::X<long>::processed"));
	assert_true(is_matched("X<*>::pro?ess", "X<int, A<char>>::process"));
	assert_true(is_matched("do_*_64*", "do_sys_call_64"));
	assert_false(is_matched("do_*_64", "do_sys_call_64x"));
	assert_false(is_matched("?", ""));
	assert_true(is_matched("**", ""));
	assert_true(is_matched("f(char*)", "f(char*)"));
	assert_false(is_matched("f(char*)", "f(char, int)"));
	assert_false(is_matched("f(char const *, int)", "f(char const x, int)"));
	assert_false(is_matched("f(char**)", "f(char, int)"));
	assert_false(is_matched("A<B<int>*>::f", "A<B<int>, C>::f"));
	assert_true(is_matched("f(*)", "f(char*, int)"));
	assert_true(is_matched("A::operator*", "A::operator*"));
	assert_false(is_matched("A::operator*", "A::operator+"));
	assert_true(is_matched("A::operator[]", "A::operator[]"));
	assert_false(name_list_is_pattern("A::operator*"));
	assert_true(name_list_is_pattern("A::*"));
}

/* Of a machine that is not known, every address above is a return address. */
static void unknown_machine(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, (struct resolve_options){0});
	s.symboliser.arch = NULL;
	CHAIN(&s, "work+0x5 < 400400 < main+0x100", USER, 0x400105, 0x400400, 0x400100);
	scene_end(&s);
}

/* Where the copy of the stack ended: a frame to perf, which counts like any other. */
static void cuts(void **state)
{
	const u64 cut = CHAIN_END + CHAIN_CUT, root = CHAIN_END + CHAIN_ROOT;
	struct scene s;

	(void)state;
	scene_begin(&s, (struct resolve_options){0});
	CHAIN(&s, "work+0x10", USER, 0x400110, cut);
	scene_end(&s);
	scene_begin(&s, (struct resolve_options){.show_cut = true, .max_stack = 2});
	CHAIN(&s, "work+0x10 < ffffffffffffffff", USER, 0x400110, cut);
	CHAIN(&s, "work+0x10", USER, 0x400110, root);
	CHAIN(&s, "work+0x10 < main+0x20", USER, 0x400110, 0x400021, cut);
	scene_end(&s);
}

static void markers(void **state)
{
	const u64 ends[] = {USER, 0x400110, 0x400021, CHAIN_END + CHAIN_ROOT};
	struct scene s;
	u32 id;

	(void)state;
	scene_begin(&s, (struct resolve_options){0});
	CHAIN(&s, "400110 < 400020 < work+0x10", (u64)PERF_CONTEXT_HV, 0x400110, 0x400020, USER,
	      0x400110);
	CHAIN(&s, "", USER);
	expect_chain(&s, NULL, 0, "");
	/* without a marker it is the user's */
	CHAIN(&s, "work+0x10", 0x400110);
	/* no kernel writes such a marker */
	CHAIN(&s, "work+0x10", USER, 0x400110, (u64)-7, 0x400020);
	CHAIN(&s, "", (u64)PERF_CONTEXT_GUEST_USER, 0x400110, 0x400020, USER, 0x400110);
	CHAIN(&s, "work+0x10", USER, 0x400110, (u64)PERF_CONTEXT_GUEST);
	/* a frame pointer that was none may have read what looks like a mark of ours */
	expect_sample(&s, (struct sample){.chain = ends, .chain_nr = 4, .kernel_chain = true},
		      "work+0x10 < main+0x21");
	expect_sample(&s, (struct sample){.chain = ends, .chain_nr = 4}, "work+0x10 < main+0x20");
	expect_sample(&s, (struct sample){.chain = ends, .chain_nr = 3, .kernel_chain = true},
		      "work+0x10 < main+0x21");
	CHAIN(&s, "", (u64)-1);
	s.symboliser.options.breaks_as_perf = true;
	CHAIN(&s, "", USER, 0x400110, (u64)-7, 0x400020);
	expect_sample(&s, (struct sample){.chain = ends, .chain_nr = 4, .kernel_chain = true}, "");
	s.symboliser.options.breaks_as_perf = false;
	/* a kernel address in the user's context is no kernel function, and the other way round */
	CHAIN(&s, "ffffffff81000108", USER, KERNEL_TEXT + 0x108);
	CHAIN(&s, "400110", KERNEL, 0x400110);
	/* above what the kernel's record tells, what has a name is the kernel's */
	id = symboliser_address(&s.symboliser, s.thread, PERF_RECORD_MISC_KERNEL,
				KERNEL_TEXT + 0x180000);
	assert_int_not_equal(s.symboliser.frames.v[id].dso, ID_NONE);
	id = symboliser_address(&s.symboliser, s.thread, PERF_RECORD_MISC_KERNEL,
				0xffffffffff600400);
	assert_int_equal(s.symboliser.frames.v[id].dso, ID_NONE);
	id = symboliser_address(&s.symboliser, s.thread, PERF_RECORD_MISC_GUEST_USER, 0x400110);
	assert_int_equal(s.symboliser.frames.v[id].kind, FRAME_OTHER);
	assert_null(s.symboliser.frames.v[id].symbol);
	id = symboliser_address(&s.symboliser, s.thread, PERF_RECORD_MISC_USER, 0x400110);
	assert_string_equal(s.symboliser.frames.v[id].symbol, "work");
	assert_int_equal(s.symboliser.frames.v[id].addr, 0x1110);
	assert_int_equal(
		symboliser_address(&s.symboliser, s.thread, PERF_RECORD_MISC_USER, 0x400110), id);
	scene_end(&s);
	/* what is behind the last frame that is wanted does not matter */
	scene_begin(&s, (struct resolve_options){.max_stack = 2});
	CHAIN(&s, "work+0x10 < main+0x20", USER, 0x400110, 0x400020, (u64)-7);
	scene_end(&s);
}

/* More frames than fit the first table: each still has one id. */
static void many_frames(void **state)
{
	struct scene s;
	u32 i, round, ids[3000];

	(void)state;
	scene_begin(&s, (struct resolve_options){0});
	for (round = 0; round < 2; round++) {
		for (i = 0; i < ARRAY_SIZE(ids); i++) {
			u32 id = symboliser_address(&s.symboliser, s.thread, PERF_RECORD_MISC_USER,
						    0x400000 + i);

			assert_int_equal(s.symboliser.frames.v[id].ip, 0x400000 + i);
			if (round)
				assert_int_equal(id, ids[i]);
			ids[i] = id;
		}
	}
	assert_int_equal(s.symboliser.frames.nr, ARRAY_SIZE(ids));
	scene_end(&s);
}

#define MANY 3000u

/* Many files and many symbols, in turns; of one name several files, whose entries differ in their inodes alone. */
static void bind_many(void **state)
{
	char names[MANY / 3][16];
	struct frames_text *f;
	struct scene s;
	u32 texts[MANY], i, j, dso;

	(void)state;
	scene_begin(&s, (struct resolve_options){0});
	for (i = 0; i < MANY; i++) {
		snprintf(names[i / 3], sizeof(names[0]), "/lib/%u", i / 3);
		if (i % 2)
			scene_map(&s, PERF_RECORD_MISC_USER, 0x10000000 + i * 0x10000, 0x10000,
				  100 + i, names[i / 3]);
		texts[i] = scene_dso(&s, DSO_CLASS_USER, 100 + i, names[i / 3]);
		for (j = 0; j < 20; j++)
			scene_sym(&s, texts[i], 0x1000 + j * 16, 0x1010 + j * 16, names[i / 3]);
		f = vec_push(&s.recording.frames);
		*f = (struct frames_text){.dso = texts[i], .addr = i};
		if (i % 3 == 1)
			assert_true(bind_update(&s.bind));
		if (i % 2 == 0)
			scene_map(&s, PERF_RECORD_MISC_USER, 0x10000000 + i * 0x10000, 0x10000,
				  100 + i, names[i / 3]);
		f = vec_push(&s.recording.frames);
		*f = (struct frames_text){.dso = texts[i], .addr = MANY + i};
	}
	assert_true(bind_update(&s.bind));
	for (i = 0; i < MANY; i++) {
		dso = s.model.maps.v[process_find_map(&s.model, s.thread, 0x10000000 + i * 0x10000)]
			      .dso;
		assert_int_equal(s.bind.dsos.v[dso].text, texts[i]);
		assert_int_equal(s.bind.dsos.v[dso].syms.nr, 20);
		assert_string_equal(bind_find(&s.bind, dso, 0x1000 + 19 * 16)->name, names[i / 3]);
		assert_int_equal(hmap_get(&s.bind.dsos.v[dso].frames, i), 2 * i);
		assert_int_equal(hmap_get(&s.bind.dsos.v[dso].frames, MANY + i), 2 * i + 1);
		assert_int_equal(s.bind.dsos.v[dso].frames.nr, 2);
	}
	scene_end(&s);
}

/* Symbols before their mapping, mapping before its symbols, one entry for two mappings. */
static void bind_in_any_order(void **state)
{
	struct scene s;
	u32 late, dso, other;

	(void)state;
	scene_begin(&s, (struct resolve_options){0});
	late = scene_dso(&s, DSO_CLASS_USER, 9, "/lib/late");
	scene_sym(&s, late, 0x1000, 0x1010, "early");
	assert_true(bind_update(&s.bind));
	scene_map(&s, PERF_RECORD_MISC_USER, 0x800000, 0x1000, 9, "/lib/late");
	/* the same path, another file */
	scene_map(&s, PERF_RECORD_MISC_USER, 0x900000, 0x1000, 10, "/lib/late");
	assert_true(bind_update(&s.bind));
	dso = s.model.maps.v[process_find_map(&s.model, s.thread, 0x800000)].dso;
	other = s.model.maps.v[process_find_map(&s.model, s.thread, 0x900000)].dso;
	assert_string_equal(bind_find(&s.bind, dso, 0x1000)->name, "early");
	assert_null(bind_find(&s.bind, other, 0x1000));
	scene_sym(&s, late, 0x0f00, 0x1000, "first");
	assert_null(bind_find(&s.bind, dso, 0x0f00));
	assert_true(bind_update(&s.bind));
	assert_string_equal(bind_find(&s.bind, dso, 0x0fff)->name, "first");
	assert_string_equal(bind_find(&s.bind, dso, 0x100f)->name, "early");
	assert_null(bind_find(&s.bind, dso, 0x1010));
	assert_null(bind_find(&s.bind, dso, 0x0eff));
	assert_null(bind_find(&s.bind, 12345, 0x1000));
	scene_end(&s);

	/* an entry without inode speaks of every file of that name, whenever it is mapped */
	scene_begin(&s, (struct resolve_options){0});
	late = scene_dso(&s, DSO_CLASS_USER, 0, "/lib/x");
	s.recording.dsos.v[late].build_id_len = 3;
	memcpy(s.recording.dsos.v[late].build_id, "abc", 3);
	scene_sym(&s, late, 0x1000, 0x1010, "f");
	scene_map(&s, PERF_RECORD_MISC_USER, 0x800000, 0x1000, 11, "/lib/x");
	assert_true(bind_update(&s.bind));
	scene_map(&s, PERF_RECORD_MISC_USER, 0x900000, 0x1000, 12, "/lib/x");
	assert_true(bind_update(&s.bind));
	dso = s.model.maps.v[process_find_map(&s.model, s.thread, 0x800000)].dso;
	other = s.model.maps.v[process_find_map(&s.model, s.thread, 0x900000)].dso;
	assert_int_not_equal(dso, other);
	assert_string_equal(bind_find(&s.bind, dso, 0x1000)->name, "f");
	assert_string_equal(bind_find(&s.bind, other, 0x1000)->name, "f");
	assert_int_equal(s.model.dsos.v[other].build_id_len, 3);
	assert_memory_equal(s.model.dsos.v[other].build_id, "abc", 3);
	scene_end(&s);
}

static void machines(void **state)
{
	static const char *const x86[] = {"x86_64", "i386", "i686"};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(x86); i++)
		assert_ptr_equal(arch_find(x86[i]), &arch_x86_64);
	assert_ptr_equal(arch_find("aarch64"), &arch_arm64);
	assert_ptr_equal(arch_find("arm64"), &arch_arm64);
	assert_ptr_equal(arch_find("riscv64"), &arch_riscv64);
	assert_ptr_equal(arch_find("s390x"), &arch_s390x);
	assert_ptr_equal(arch_find("ppc64le"), &arch_ppc64le);
	assert_ptr_equal(arch_find("ppc64"), &arch_ppc64le);
	assert_null(arch_find("vax"));
	assert_null(arch_find(""));
	assert_int_equal(arch_x86_64.nr_regs, 24);
	assert_string_equal(arch_x86_64.regs[8], "IP");
	assert_int_equal(arch_arm64.nr_regs, 33);
	assert_string_equal(arch_arm64.regs[32], "pc");
	assert_int_equal(arch_riscv64.nr_regs, 32);
	assert_string_equal(arch_s390x.regs[33], "PC");
	assert_string_equal(arch_ppc64le.regs[36], "link");
	assert_true(arch_is_interrupt_frame(&arch_x86_64, "asm_sysvec_apic_timer_interrupt"));
	assert_false(arch_is_interrupt_frame(&arch_x86_64, "sysvec_apic_timer_interrupt"));
	assert_true(arch_is_signal_frame(&arch_x86_64, "__restore_rt"));
	assert_false(arch_is_signal_frame(&arch_x86_64, "__restore_rt_not"));
	assert_true(arch_is_interrupt_frame(&arch_arm64, "el1h_64_irq"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_machine),
		cmocka_unit_test(markers),
		cmocka_unit_test(stops),
		cmocka_unit_test(names_with_commas),
		cmocka_unit_test(patterns),
		cmocka_unit_test(cuts),
		cmocka_unit_test(many_frames),
		cmocka_unit_test(bind_many),
		cmocka_unit_test(bind_in_any_order),
		cmocka_unit_test(machines),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
