// SPDX-License-Identifier: GPL-2.0
/*
 * The reference engines, libdw and libunwind, on images and stacks made by hand, of x86-64, i386
 * and arm64: the chains that the fast engine finds there too, and what ends them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "tests/unit/made_stack.h"
#include "tests/unit/oom.h"

static void unwind_by(struct bed *b, enum unwind_engine engine, u32 max)
{
	struct unwind_options o = {
		.engine = engine, .arch = b->arch, .open = open_made, .ctx = &b->opener};

	unwinder_free(b->u);
	b->u = unwinder_new(&o, NULL);
	assert_non_null(b->u);
	unwind(b, max);
}

static void expect(struct bed *b, enum unwind_engine engine, enum chain_end end, const u64 *want,
		   u32 nr)
{
	u32 i;

	unwind_by(b, engine, UNWIND_MAX);
	for (i = 0; i < nr && i < b->nr; i++)
		assert_int_equal(b->chain[i], want[i]);
	assert_int_equal(b->nr, nr + 1);
	assert_int_equal(b->chain[nr], CHAIN_END + end);
}

#define EXPECT(b, engine, end, ...)                                 \
	expect(b, UNWIND_##engine, end, (const u64[]){__VA_ARGS__}, \
	       sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64))

/* libunwind is built for the machine that this runs on. */
#ifdef __x86_64__
#define EXPECT_BOTH(b, end, ...)                        \
	do {                                            \
		EXPECT(b, LIBDW, end, __VA_ARGS__);     \
		EXPECT(b, LIBUNWIND, end, __VA_ARGS__); \
	} while (0)
#else
#define EXPECT_BOTH(b, end, ...) EXPECT(b, LIBDW, end, __VA_ARGS__)
#endif

/*
 * 0x200 leaf, nothing pushed; 0x240 rbp pushed and the frame pointer; 0x280 takes 0x40 bytes; 0x2c0
 * the outermost; 0x300 CFA by an expression over rbp; 0x340 CFA in r10; 0x400 nothing is known
 */
static void make_64(struct bed *b, bool table)
{
	made_elf_begin(&b->elf, EM_X86_64, 8);
	made_elf_cie(&b->elf, -8, 16, false, BYTES("\x0c\x07\x08\x90\x01"));
	made_elf_fde(&b->elf, 0x200, 0x40, BYTES(""));
	made_elf_fde(&b->elf, 0x240, 0x40, BYTES("\x0e\x10\x86\x02\x0d\x06"));
	made_elf_fde(&b->elf, 0x280, 0x40, BYTES("\x0e\x40"));
	made_elf_fde(&b->elf, 0x2c0, 0x40, BYTES("\x07\x10"));
	/* DW_CFA_def_cfa_expression: breg6 -8, deref */
	made_elf_fde(&b->elf, 0x300, 0x40, BYTES("\x0f\x03\x76\x78\x06"));
	made_elf_fde(&b->elf, 0x340, 0x40, BYTES("\x0c\x0a\x00"));
	made_elf_header(&b->elf, table);
	made_elf_end(&b->elf);
	bed_open(b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_64);
	b->regs[SPR] = SP;
}

static void test_plain(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b, true);
	b.regs[IP] = BASE + 0x210;
	b.regs[BPR] = SP + 8 * 3;
	word(&b, 0, BASE + 0x250);
	word(&b, 3, SP + 8 * 60);
	word(&b, 4, BASE + 0x290);
	word(&b, 12, BASE + 0x2d0);
	EXPECT_BOTH(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	/* a return address that is the first byte behind a function belongs to the call in it */
	word(&b, 0, BASE + 0x280);
	EXPECT_BOTH(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x280, BASE + 0x290, BASE + 0x2d0);
	bed_close(&b);
}

static void test_registers(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b, true);
	b.regs[IP] = BASE + 0x310;
	b.regs[BPR] = SP + 8 * 8;
	word(&b, 7, SP + 8 * 20);
	word(&b, 19, BASE + 0x2d0);
	EXPECT_BOTH(&b, CHAIN_ROOT, BASE + 0x310, BASE + 0x2d0);
	b.regs[IP] = BASE + 0x350;
	b.regs[R10] = SP + 8 * 30;
	word(&b, 29, BASE + 0x2d0);
	EXPECT_BOTH(&b, CHAIN_ROOT, BASE + 0x350, BASE + 0x2d0);
	/* not recorded */
	b.in.mask &= ~(1ull << R10);
	EXPECT(&b, LIBDW, CHAIN_BAD_STACK, BASE + 0x350);
	bed_close(&b);
}

static void test_ends(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b, true);
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x410);
	EXPECT_BOTH(&b, CHAIN_NO_CFI, BASE + 0x210, BASE + 0x410);
	word(&b, 0, 0x1234567);
	EXPECT_BOTH(&b, CHAIN_NO_MAP, BASE + 0x210, 0x1234567);
	word(&b, 0, BASE + 0x290);
	b.in.size = 8 * 7;
	b.in.cut = true;
	EXPECT_BOTH(&b, CHAIN_CUT, BASE + 0x210, BASE + 0x290);
	b.in.cut = false;
	EXPECT_BOTH(&b, CHAIN_BAD_STACK, BASE + 0x210, BASE + 0x290);
	/* a frame that is its own caller: by the frame pointer, twice the same */
	b.in.size = sizeof(b.stack);
	b.regs[BPR] = SP + 8 * 3;
	word(&b, 0, BASE + 0x250);
	word(&b, 3, SP + 8 * 3);
	word(&b, 4, BASE + 0x250);
	EXPECT(&b, LIBDW, CHAIN_BAD_STACK, BASE + 0x210, BASE + 0x250, BASE + 0x250);
	unwind_by(&b, UNWIND_LIBDW, 2);
	assert_int_equal(b.nr, 2);
	assert_int_equal(b.chain[0], BASE + 0x210);
	assert_int_equal(b.chain[1], CHAIN_END + CHAIN_LIMIT);
	b.opener.elf = NULL;
	EXPECT_BOTH(&b, CHAIN_NO_FILE, BASE + 0x210);
	b.in.mask = 0;
	unwind_by(&b, UNWIND_LIBDW, 4);
	assert_int_equal(b.nr, 1);
	assert_int_equal(b.chain[0], CHAIN_END + CHAIN_NO_UNWIND);
	unwind_by(&b, UNWIND_LIBDW, 4);
	assert_int_equal(b.nr, 1);
	bed_close(&b);
}

static void test_no_table(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b, false);
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x2d0);
	EXPECT(&b, LIBDW, CHAIN_ROOT, BASE + 0x210, BASE + 0x2d0);
#ifdef __x86_64__
	EXPECT(&b, LIBUNWIND, CHAIN_NO_CFI, BASE + 0x210);
#endif
	bed_close(&b);
}

static void test_i386(void **state)
{
	struct bed b;

	(void)state;
	made_elf_begin(&b.elf, EM_386, 4);
	made_elf_cie(&b.elf, -4, 8, false, BYTES("\x0c\x04\x04\x88\x01"));
	made_elf_fde(&b.elf, 0x200, 0x40, BYTES(""));
	made_elf_fde(&b.elf, 0x240, 0x40, BYTES("\x0e\x08\x85\x02\x0d\x05"));
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\x08"));
	made_elf_header(&b.elf, true);
	made_elf_end(&b.elf);
	bed_open(&b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_32);
	b.in.mask = 0x1ff;
	b.regs[SPR] = 0xdead00000000 + SP;
	b.regs[IP] = 0xdead00000000 + BASE + 0x210;
	b.regs[BPR] = SP + 4 * 4;
	word(&b, 0, BASE + 0x250);
	word(&b, 4, SP + 4 * 8);
	word(&b, 5, BASE + 0x2d0);
	EXPECT(&b, LIBDW, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x2d0);
#ifdef __x86_64__
	unwind_by(&b, UNWIND_LIBUNWIND, 4);
	assert_int_equal(b.nr, 1);
	assert_int_equal(b.chain[0], CHAIN_END + CHAIN_NO_UNWIND);
#endif
	bed_close(&b);
}

static void test_arm64(void **state)
{
	const u64 signature = 0x00a5ull << 48;
	struct bed b;

	(void)state;
	made_elf_begin(&b.elf, EM_AARCH64, 8);
	made_elf_cie(&b.elf, -8, 30, false, BYTES("\x0c\x1f\x00"));
	made_elf_fde(&b.elf, 0x200, 0x40, BYTES(""));
	made_elf_fde(&b.elf, 0x240, 0x40, BYTES("\x0e\x20\x9d\x04\x9e\x03"));
	made_elf_fde(&b.elf, 0x280, 0x40, BYTES("\x0e\x20\x9d\x04\x9e\x03\x0d\x1d"));
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\x1e"));
	made_elf_header(&b.elf, true);
	made_elf_end(&b.elf);
	bed_open(&b, &arch_arm64, PERF_SAMPLE_REGS_ABI_64);
	b.regs[SP64] = SP;
	b.regs[PC] = BASE + 0x210;
	b.regs[LR] = BASE + 0x250;
	b.regs[X29] = SP;
	word(&b, 0, SP + 8 * 4);
	word(&b, 1, signature | (BASE + 0x290));
	word(&b, 4, 0);
	word(&b, 5, BASE + 0x2d0);
	EXPECT(&b, LIBDW, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	bed_close(&b);
}

/* Whatever cannot be allocated, there is a chain, and nothing is lost. */
static void test_memory(void **state)
{
	static const enum unwind_engine both[] = {UNWIND_LIBDW, UNWIND_LIBUNWIND};
	struct unwind_options o = {.arch = &arch_x86_64, .open = open_made};
	u64 regs[64] = {0}, chain[8];
	struct unwinder *u;
	struct bed b;
	u32 i, n, nr;
	bool refused;

	(void)state;
	make_64(&b, true);
	o.ctx = &b.opener;
	regs[IP] = BASE + 0x210;
	regs[SPR] = SP;
	b.in.mask = 0x1ff;
	b.in.regs = regs;
	word(&b, 0, BASE + 0x2d0);
	for (i = 0; i < ARRAY_SIZE(both); i++) {
		o.engine = both[i];
		for (n = 0, refused = true; refused; n++) {
			oom_after(n);
			u = unwinder_new(&o, NULL);
			nr = u ? unwind_chain(u, &b.m, b.t, &b.in, chain, ARRAY_SIZE(chain)) : 0;
			refused = oom_stop();
			assert_true(refused || u);
			if (!u)
				continue;
			assert_in_range(nr, 1, ARRAY_SIZE(chain));
			assert_true(chain_is_end(chain[nr - 1]));
			unwinder_free(u);
		}
		assert_true(n > 3);
	}
	bed_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),  cmocka_unit_test(test_registers),
		cmocka_unit_test(test_ends),   cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_i386),   cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
