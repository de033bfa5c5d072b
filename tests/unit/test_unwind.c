// SPDX-License-Identifier: GPL-2.0
/*
 * util/unwind/unwind: chains from registers and stacks made by hand, over images made by hand, of
 * x86-64, i386, arm64, riscv64, s390x and ppc64; and the chain of this very program.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made_stack.h"
#include "tests/unit/oom.h"

/* The chain is that, its end mark not counted; the second time from the caches. */
static void expect(struct bed *b, enum chain_end end, const u64 *want, u32 nr)
{
	u32 i, times;

	for (times = 0; times < 2; times++) {
		unwind(b, UNWIND_MAX);
		for (i = 0; i < nr && i < b->nr; i++)
			assert_int_equal(b->chain[i], want[i]);
		assert_int_equal(b->nr, nr + 1);
		assert_int_equal(b->chain[nr], CHAIN_END + end);
	}
}

#define EXPECT(b, end, ...) \
	expect(b, end, (const u64[]){__VA_ARGS__}, sizeof((const u64[]){__VA_ARGS__}) / sizeof(u64))

/*
 * x86-64:	0x200 leaf	nothing pushed
 *		0x240 framed	push %rbp; mov %rsp,%rbp from +4 on
 *		0x280 big	0x40 bytes
 *		0x2c0 outer	the return address is undefined
 *		0x300 realigned	CFA by an expression over rbp, as GCC does it
 *		0x340 by r10	CFA in r10, rbx saved
 *		0x380 signal	registers by expressions, as glibc has them
 *		0x3c0 damaged	an instruction that there is not
 *		0x400 ... no unwind information
 */
static void make_64(struct bed *b)
{
	struct made_elf *e = &b->elf;

	made_elf_begin(e, EM_X86_64, 8);
	made_elf_cie(e, -8, 16, false, BYTES("\x0c\x07\x08\x90\x01"));
	made_elf_fde(e, 0x200, 0x40, BYTES(""));
	made_elf_fde(e, 0x240, 0x40, BYTES("\x41\x0e\x10\x86\x02\x43\x0d\x06\x02\x30\x0c\x07\x08"));
	made_elf_fde(e, 0x280, 0x40, BYTES("\x0e\x40"));
	made_elf_fde(e, 0x2c0, 0x40, BYTES("\x07\x10"));
	made_elf_fde(e, 0x300, 0x40, BYTES("\x0f\x03\x76\x78\x06\x10\x06\x02\x76\x00"));
	made_elf_fde(e, 0x340, 0x40, BYTES("\x0c\x0a\x00\x83\x02"));
	made_elf_cie(e, -8, 16, true, BYTES(""));
	/* CFA: *(rsp + 0x10); rip and rsp at 8 and 0x10 above the stack pointer */
	made_elf_fde(e, 0x380, 0x40,
		     BYTES("\x0f\x03\x77\x10\x06\x10\x10\x02\x77\x08\x10\x06\x02\x77\x18"));
	made_elf_fde(e, 0x3c0, 0x40, BYTES("\x3f"));
	made_elf_header(e, true);
	made_elf_end(e);
	bed_open(b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_64);
	b->regs[SPR] = SP;
}

static void test_plain(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x210;
	b.regs[BPR] = SP + 8 * 4;
	word(&b, 0, BASE + 0x250); /* leaf <- framed */
	word(&b, 4, SP + 8 * 100);
	word(&b, 5, BASE + 0x290); /* framed <- big */
	word(&b, 13, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	/* nothing is opened twice */
	assert_int_equal(b.opener.calls, 1);
	/* a return address at the very end of a function belongs to it: the call was its last */
	word(&b, 0, BASE + 0x2c0);
	word(&b, 8, BASE + 0x2e0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x2c0, BASE + 0x2e0);
	/* where the CPU stood is what it is, though a function ends before it */
	b.regs[IP] = BASE + 0x2c0;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x2c0);
	/* a return address of 0 is the end of a thread */
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, 0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210);
	bed_close(&b);
}

/* rbp was popped already; GCC says until the end that it lies at CFA - 16. */
static void test_epilogue(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x274;
	b.regs[BPR] = SP + 8 * 2;
	word(&b, 0, BASE + 0x250);
	word(&b, 2, 0);
	word(&b, 3, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x274, BASE + 0x250, BASE + 0x2d0);
	/* and in a chain that needs all registers */
	word(&b, 2, SP + 8 * 30);
	word(&b, 3, BASE + 0x350);
	b.regs[R10] = SP + 8 * 20;
	word(&b, 19, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x274, BASE + 0x250, BASE + 0x350, BASE + 0x2d0);
	bed_close(&b);
}

/* What is known of one address is taken for others where the same rule holds, and only there. */
static void test_neighbours(void **state)
{
	static const u32 steps[] = {1, 77, 319};
	struct bed b, fresh;
	u32 s, i, at, slot;

	(void)state;
	for (s = 0; s < ARRAY_SIZE(steps); s++) {
		make_64(&b);
		for (i = 0; i < 320; i++) {
			at = 0x200 + i * steps[s] % 320;
			make_64(&fresh);
			fresh.regs[IP] = b.regs[IP] = BASE + at;
			fresh.regs[BPR] = b.regs[BPR] = SP + 8 * 4;
			/* each word returns elsewhere */
			for (slot = 0; slot < 64; slot++) {
				word(&fresh, slot, BASE + 0x2c1 + slot);
				word(&b, slot, BASE + 0x2c1 + slot);
			}
			unwind(&fresh, UNWIND_MAX);
			unwind(&b, UNWIND_MAX);
			assert_int_equal(b.nr, fresh.nr);
			assert_memory_equal(b.chain, fresh.chain, b.nr * sizeof(*b.chain));
			bed_close(&fresh);
		}
		bed_close(&b);
	}
}

static void test_edges(void **state)
{
	struct bed b;
	u32 i;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x290;
	word(&b, 7, BASE + 0x2d0);
	/* the last word of the copy counts */
	for (b.in.cut = false;; b.in.cut = true) {
		b.in.size = 64;
		EXPECT(&b, CHAIN_ROOT, BASE + 0x290, BASE + 0x2d0);
		b.in.size = 63;
		EXPECT(&b, CHAIN_CUT, BASE + 0x290);
		b.in.size = 0;
		EXPECT(&b, CHAIN_NO_STACK, BASE + 0x290);
		if (b.in.cut)
			break;
	}
	b.in.size = sizeof(b.stack);
	/* frame pointers: below the stack pointer, far beyond, odd, about to wrap */
	b.regs[IP] = BASE + 0x250;
	b.regs[BPR] = SP - 0x1000;
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x250);
	b.regs[BPR] = SP + (1ull << 40);
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x250);
	b.regs[BPR] = ~0ull - 7;
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x250);
	b.regs[BPR] = SP + sizeof(b.stack) - 9;
	EXPECT(&b, CHAIN_CUT, BASE + 0x250);
	/* what is no address, and what is one of nothing */
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, 12);
	for (i = 1; i < WORDS; i++)
		word(&b, i, 0);
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x210);
	word(&b, 0, CHAIN_CERTAIN);
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x210);
	word(&b, 0, 0x12345678);
	EXPECT(&b, CHAIN_NO_MAP, BASE + 0x210, 0x12345678);
	b.regs[IP] = 0x12345678;
	word(&b, 0, 0);
	EXPECT(&b, CHAIN_NO_MAP, 0x12345678);
	bed_close(&b);
}

static void test_limit(void **state)
{
	struct bed b;
	u32 i, max;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x210;
	for (i = 0; i < WORDS; i++)
		word(&b, i, BASE + 0x210);
	for (max = 2; max < 40; max++) {
		unwind(&b, max);
		assert_int_equal(b.nr, max);
		assert_int_equal(b.chain[max - 1], CHAIN_END + CHAIN_LIMIT);
		assert_int_equal(b.chain[max - 2], BASE + 0x210);
	}
	/* one frame more than the stack has words, and then it ends */
	unwind(&b, UNWIND_MAX);
	assert_int_equal(b.nr, WORDS + 2);
	assert_int_equal(b.chain[b.nr - 1], CHAIN_END + CHAIN_CUT);
	bed_close(&b);
}

static void test_not_unwound(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x2d0);
	b.in.abi = PERF_SAMPLE_REGS_ABI_NONE;
	expect(&b, CHAIN_NO_UNWIND, NULL, 0);
	b.in.abi = PERF_SAMPLE_REGS_ABI_64;
	b.in.mask &= ~(1ull << IP);
	expect(&b, CHAIN_NO_UNWIND, NULL, 0);
	b.in.mask = 1ull << IP | 1ull << SPR;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x2d0);
	b.regs[IP] = CHAIN_SIGNAL;
	expect(&b, CHAIN_NO_UNWIND, NULL, 0);
	b.in.mask = 0;
	expect(&b, CHAIN_NO_UNWIND, NULL, 0);
	bed_close(&b);
}

/* Frames that need more than three registers, met first or behind others. */
static void test_full(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	/* leaf <- realigned: the CFA is at *(rbp - 8) <- by r10, which it needs rbx and r10 for */
	b.regs[IP] = BASE + 0x210;
	b.regs[BPR] = SP + 8 * 4;
	b.regs[R10] = SP + 8 * 40;
	b.regs[BX] = 77;
	word(&b, 0, BASE + 0x310);
	word(&b, 3, SP + 8 * 20);
	word(&b, 4, SP + 8 * 30);
	word(&b, 19, BASE + 0x350);
	word(&b, 39, BASE + 0x250);
	word(&b, 38, 78);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x310, BASE + 0x350, BASE + 0x250);
	word(&b, 4, SP + 8 * 60);
	word(&b, 61, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x310, BASE + 0x350, BASE + 0x250,
	       BASE + 0x2d0);
	/* without r10 nobody can tell */
	b.in.mask &= ~(1ull << R10);
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x210, BASE + 0x310, BASE + 0x350);
	b.in.mask |= 1ull << R10;
	/* what the expression reads is not in the copy */
	b.regs[BPR] = SP + sizeof(b.stack) + 8;
	EXPECT(&b, CHAIN_CUT, BASE + 0x210, BASE + 0x310);
	/* the limit holds here too */
	b.regs[BPR] = SP + 8 * 4;
	unwind(&b, 4);
	assert_int_equal(b.nr, 4);
	assert_int_equal(b.chain[2], BASE + 0x350);
	assert_int_equal(b.chain[3], CHAIN_END + CHAIN_LIMIT);
	bed_close(&b);
}

static void test_signal(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	/* handler <- trampoline <- the first instruction of a function that was interrupted */
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x390);
	word(&b, 2, BASE + 0x240);
	word(&b, 3, SP + 8 * 9);
	word(&b, 4, 0);
	word(&b, 9, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x390, CHAIN_SIGNAL, BASE + 0x240,
	       BASE + 0x2d0);
	/* the handler had a stack of its own: the one interrupted was not copied */
	word(&b, 3, SP + 0x100000);
	EXPECT(&b, CHAIN_CUT, BASE + 0x210, BASE + 0x390, CHAIN_SIGNAL, BASE + 0x240);
	bed_close(&b);
}

/* A trampoline without unwind information is known by its code. */
static void test_sigreturn(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	made_elf_code(&b.elf, 0x800, BYTES("\x48\xc7\xc0\x0f\0\0\0\x0f\x05"));
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x800);
	/* the ucontext lies at the next word, 40 bytes on struct sigcontext: words 10, 15, 16 */
	word(&b, 1 + 5 + 10, SP + 8 * 40);
	word(&b, 1 + 5 + 15, SP + 8 * 30);
	word(&b, 1 + 5 + 16, BASE + 0x250);
	word(&b, 41, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x800, CHAIN_SIGNAL, BASE + 0x250,
	       BASE + 0x2d0);
	bed_close(&b);
}

/* Who starts a thread may give it a return address that no call has made, and 0 as frame pointer. */
static void test_guess_last(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	made_elf_code(&b.elf, 0x29b, BYTES("\xe8\0\0\0\0"));
	b.regs[IP] = BASE + 0x600;
	b.regs[BPR] = SP + 8 * 10;
	word(&b, 0, 5);
	word(&b, 10, 0);
	word(&b, 11, BASE + 0x701);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x600, CHAIN_GUESSED, BASE + 0x701);
	/* a pointer to a function */
	word(&b, 11, BASE + 0x710);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x600);
	/* there are frames above */
	word(&b, 10, SP + 8 * 20);
	word(&b, 11, BASE + 0x701);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x600);
	/* no return address: a number, and what lies behind a call is higher up */
	word(&b, 11, 0);
	word(&b, 12, BASE + 0x2a0);
	word(&b, 20, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x600, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	bed_close(&b);
}

static void test_guess(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	made_elf_code(&b.elf, 0x29b, BYTES("\xe8\0\0\0\0"));
	/* what a call has just left */
	b.regs[IP] = BASE + 0x600;
	word(&b, 0, BASE + 0x2a0);
	word(&b, 8, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x600, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* the same with a null function pointer */
	b.regs[IP] = 0x8;
	EXPECT(&b, CHAIN_ROOT, 0x8, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN, BASE + 0x2d0);
	/* by frame records, through code that cannot be read */
	map(&b.m, 0x10000000, 0x1000, 0, 0, "//anon");
	b.opener.elf = NULL;
	b.regs[IP] = 0x10000100;
	b.regs[BPR] = SP + 8 * 10;
	word(&b, 0, 5);
	word(&b, 10, SP + 8 * 20);
	word(&b, 11, 0x10000200);
	word(&b, 20, 0);
	word(&b, 21, BASE + 0x2a0);
	word(&b, 29, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, 0x10000100, CHAIN_GUESSED, 0x10000200, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* the last record says so */
	word(&b, 21, 0);
	EXPECT(&b, CHAIN_ROOT, 0x10000100, CHAIN_GUESSED, 0x10000200);
	/* one that does not rise is none: what lies behind a call, higher up */
	word(&b, 10, SP);
	word(&b, 18, BASE + 0x2a0);
	word(&b, 26, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, 0x10000100, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* it has saved the frame pointer, which its caller needs */
	made_elf_code(&b.elf, 0x25b, BYTES("\xe8\0\0\0\0"));
	b.regs[BPR] = 3;
	word(&b, 10, 0);
	word(&b, 14, SP + 8 * 30);
	word(&b, 18, BASE + 0x260);
	word(&b, 31, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, 0x10000100, CHAIN_GUESSED, BASE + 0x260, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* nothing */
	word(&b, 18, 0);
	word(&b, 31, 0);
	b.in.size = 8 * 40;
	EXPECT(&b, CHAIN_NO_CFI, 0x10000100);
	b.in.size = 8 * 20;
	EXPECT(&b, CHAIN_CUT, 0x10000100);
	bed_close(&b);
}

/* A coroutine returns to the first byte of a function, which nothing has called. */
static void test_coroutine(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x290;
	word(&b, 7, BASE + 0x200); /* big <- leaf */
	word(&b, 8, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x290, BASE + 0x200);
	bed_close(&b);
	/* what calls at its very end is another function, of which nothing is known */
	make_64(&b);
	made_elf_code(&b.elf, 0x1fb, BYTES("\xe8\0\0\0\0"));
	b.regs[IP] = BASE + 0x290;
	word(&b, 7, BASE + 0x200);
	word(&b, 8, BASE + 0x2d0);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x290, BASE + 0x200);
	bed_close(&b);
}

/* Where unwind information is damaged the frame pointer may be that of the caller, whose return address lies below its record. */
static void test_damaged(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	made_elf_code(&b.elf, 0x25b, BYTES("\xe8\0\0\0\0"));
	made_elf_code(&b.elf, 0x29b, BYTES("\xe8\0\0\0\0"));
	b.regs[IP] = BASE + 0x3d0;
	b.regs[BPR] = SP + 8 * 8;
	word(&b, 2, BASE + 0x260); /* damaged <- framed */
	word(&b, 8, 0);
	word(&b, 9, BASE + 0x2a0); /* framed <- big */
	word(&b, 17, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x3d0, CHAIN_GUESSED, BASE + 0x260, CHAIN_CERTAIN,
	       BASE + 0x2a0, BASE + 0x2d0);
	/* with nothing nearby, the record is better than none */
	word(&b, 2, 0);
	b.regs[BPR] = SP + 8 * 40;
	word(&b, 9, 0);
	word(&b, 40, 0);
	word(&b, 41, BASE + 0x2a0);
	word(&b, 49, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x3d0, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	bed_close(&b);
}

/* glibc's memcpy of i386 pushes a register and does not say so. */
static void test_astray(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	made_elf_code(&b.elf, 0x29b, BYTES("\xe8\0\0\0\0"));
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, 0x77777777);
	word(&b, 1, BASE + 0x2a0);
	word(&b, 9, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	word(&b, 0, 0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	bed_close(&b);
}

/* A return probe hides the caller: the kernel's trampoline stays in its place. */
static void test_return_probe(void **state)
{
	const u64 trampoline = 0x7fffffffe000;
	struct bed b;

	(void)state;
	make_64(&b);
	made_elf_code(&b.elf, 0x29b, BYTES("\xe8\0\0\0\0"));
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, trampoline); /* leaf <- another, which has 2 words <- big */
	word(&b, 3, BASE + 0x2a0);
	word(&b, 11, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, trampoline, CHAIN_GUESSED, BASE + 0x2a0, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* the caller has one, too */
	word(&b, 3, trampoline);
	word(&b, 7, BASE + 0x2a0);
	word(&b, 15, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, trampoline, CHAIN_GUESSED, trampoline, BASE + 0x2a0,
	       CHAIN_CERTAIN, BASE + 0x2d0);
	/* with all registers */
	b.regs[IP] = BASE + 0x350;
	b.regs[R10] = SP + 8;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x350, trampoline, CHAIN_GUESSED, trampoline, BASE + 0x2a0,
	       CHAIN_CERTAIN, BASE + 0x2d0);
	bed_close(&b);
}

/* One address shows one file, then another. */
static void test_generations(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x250);
	b.regs[BPR] = SP + 8 * 4;
	word(&b, 5, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x2d0);
	map(&b.m, BASE, 0x1000, 0, 6, "/other");
	b.opener.elf = NULL;
	b.regs[BPR] = 0;
	EXPECT(&b, CHAIN_NO_FILE, BASE + 0x210);
	b.regs[BPR] = SP + 8 * 4;
	map(&b.m, BASE, 0x1000, 0, 5, "/made");
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x2d0);
	bed_close(&b);
}

/* A file that is not there for one mapping may be there for the next; not for ever. */
static void test_retries(void **state)
{
	struct bed b;
	u32 i;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x2d0);
	b.opener.refuses = 2;
	EXPECT(&b, CHAIN_NO_FILE, BASE + 0x210);
	assert_int_equal(b.opener.calls, 1);
	map(&b.m, BASE, 0x10000, 0, 5, "/made");
	EXPECT(&b, CHAIN_NO_FILE, BASE + 0x210);
	map(&b.m, BASE, 0x10000, 0, 5, "/made");
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x2d0);
	assert_int_equal(b.opener.calls, 3);
	bed_close(&b);

	make_64(&b);
	b.regs[IP] = BASE + 0x210;
	b.opener.refuses = 1000;
	for (i = 0; i < 20; i++) {
		map(&b.m, BASE, 0x10000, 0, 5, "/made");
		EXPECT(&b, CHAIN_NO_FILE, BASE + 0x210);
	}
	assert_true(b.opener.calls < 10);
	bed_close(&b);
}

/* An expression that was met before lies in a file that was closed since. */
static void test_closed(void **state)
{
	char path[32];
	struct bed b;

	(void)state;
	make_64(&b);
	b.opener.fd = made_file(b.elf.b.data, b.elf.b.len, path);
	b.regs[IP] = BASE + 0x210;
	b.regs[BPR] = SP + 8 * 4;
	word(&b, 0, BASE + 0x310);
	word(&b, 3, SP + 8 * 20);
	word(&b, 19, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x310, BASE + 0x2d0);
	assert_int_equal(b.opener.calls, 1);
	map(&b.m, BASE, 0x10000, 0, 6, "/other");
	unwinder_close_unmapped(b.u, &b.m);
	map(&b.m, BASE, 0x10000, 0, 5, "/made");
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x310, BASE + 0x2d0);
	assert_int_equal(b.opener.calls, 2);
	close(b.opener.fd);
	bed_close(&b);
}

/* Rows that take long to make, a different one in each frame: each chain goes as far as it may, and the next one further. */
static void test_long_rows(void **state)
{
	static char insn[60000];
	u32 i, k, before = 0;
	struct bed b;

	(void)state;
	/* nops, and then the next byte again and again */
	memset(insn + sizeof(insn) - 0x3f, 0x41, 0x3f);
	made_elf_begin(&b.elf, EM_X86_64, 8);
	made_elf_cie(&b.elf, -8, 16, false, BYTES("\x0c\x07\x08\x90\x01"));
	made_elf_fde(&b.elf, 0x200, 0x40, insn, sizeof(insn));
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\x10"));
	made_elf_header(&b.elf, true);
	made_elf_end(&b.elf);
	bed_open(&b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_64);
	b.regs[SPR] = SP;
	b.regs[IP] = BASE + 0x200;
	for (i = 0; i < 40; i++)
		word(&b, i, BASE + 0x202 + i);
	word(&b, i, BASE + 0x2d0);
	for (k = 0; k < 10 && before < 43; k++) {
		unwind(&b, UNWIND_MAX);
		assert_true(b.nr > before);
		assert_true(b.nr - before < 30);
		before = b.nr;
		assert_true(b.chain[b.nr - 1] ==
			    CHAIN_END + (u64)(b.nr < 43 ? CHAIN_BAD_CFI : CHAIN_ROOT));
	}
	assert_int_equal(b.nr, 43);
	bed_close(&b);
}

/* A file that is cut short under the reader. */
static void test_truncated(void **state)
{
	char path[32];
	struct bed b;
	int fd;

	(void)state;
	make_64(&b);
	fd = made_file(b.elf.b.data, b.elf.b.len, path);
	b.opener.fd = fd;
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x2d0);
	b.opener.elf = &b.elf;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x2d0);
	bed_close(&b);

	make_64(&b);
	b.opener.fd = fd;
	b.regs[IP] = BASE + 0x210;
	/* the image is open, its tables were not read yet */
	buf_pad(&b.elf.b, '\0', 1 << 20);
	made_elf_end(&b.elf);
	assert_int_equal(pwrite(fd, b.elf.b.data, b.elf.b.len, 0), b.elf.b.len);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210);
	assert_int_equal(ftruncate(fd, MADE_ELF_EH_FRAME), 0);
	b.regs[IP] = BASE + 0x2d0;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x2d0);
	bed_close(&b);

	make_64(&b);
	b.opener.fd = fd;
	b.regs[IP] = BASE + 0x210;
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x210);
	close(fd);
	bed_close(&b);
}

/* .eh_frame without a table; the entry of a program that has no unwind information for it. */
static void test_no_table(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	bed_close(&b);
	made_elf_begin(&b.elf, EM_X86_64, 8);
	b.elf.entry = 0x900;
	made_elf_cie(&b.elf, -8, 16, false, BYTES("\x0c\x07\x08\x90\x01"));
	made_elf_fde(&b.elf, 0x300, 0x40, BYTES("\x0e\x10"));
	made_elf_fde(&b.elf, 0x200, 0x40, BYTES(""));
	made_elf_header(&b.elf, false);
	made_elf_end(&b.elf);
	bed_open(&b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_64);
	b.regs[SPR] = SP;
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x310);
	word(&b, 2, BASE + 0x910);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x310, BASE + 0x910);
	/* ld.so's is longer; what is behind it is not it */
	word(&b, 2, BASE + 0x930);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x310, BASE + 0x930);
	word(&b, 2, BASE + 0x941);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x210, BASE + 0x310, BASE + 0x941);
	word(&b, 2, BASE + 0xa10);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x210, BASE + 0x310, BASE + 0xa10);
	bed_close(&b);
}

struct stub_case {
	u32 at;
	u32 words; /* on the stack below the return address */
};

static void expect_stubs(struct bed *b, const struct stub_case *cases, size_t nr)
{
	size_t i;
	u32 k;

	bed_open(b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_64);
	b->regs[SPR] = SP;
	for (i = 0; i < nr; i++) {
		for (k = 0; k < 8; k++)
			word(b, k, k == cases[i].words ? BASE + 0x2d0 : BASE + 0x300 + k);
		b->regs[IP] = BASE + cases[i].at;
		EXPECT(b, CHAIN_ROOT, BASE + cases[i].at, BASE + 0x2d0);
	}
	bed_close(b);
}

static void begin_stubs(struct bed *b)
{
	made_elf_begin(&b->elf, EM_X86_64, 8);
	made_elf_cie(&b->elf, -8, 16, false, BYTES("\x0c\x07\x08\x90\x01"));
	made_elf_fde(&b->elf, 0x2c0, 0x40, BYTES("\x07\x10"));
	made_elf_header(&b->elf, true);
	made_elf_section(&b->elf, ".plt", SHF_ALLOC, 0xa00, 0x40);
}

/* Code that nothing describes, known by its section and its instructions. */
static void test_stubs(void **state)
{
	static const struct stub_case cases[] = {
		{0xa00, 1}, {0xa06, 2},             /* the first entry of .plt */
		{0xa10, 0}, {0xa16, 0}, {0xa1b, 1}, /* another one */
		{0xa20, 0}, {0xa24, 0}, {0xa29, 1}, /* one with endbr64 */
		{0xb00, 0}, {0xb04, 0}, {0xb08, 1}, {0xb0c, 1}, {0xb10, 0}, /* .init */
		{0xb40, 0}, {0xb44, 3}, {0xb48, 0}, /* .fini, without endbr64 */
		{0xc00, 0}, {0xc07, 0},             /* .plt.sec */
	};
	struct bed b;

	(void)state;
	begin_stubs(&b);
	made_elf_section(&b.elf, ".init", SHF_ALLOC, 0xb00, 0x20);
	made_elf_section(&b.elf, ".fini", SHF_ALLOC, 0xb40, 0x20);
	made_elf_section(&b.elf, ".plt.sec", SHF_ALLOC, 0xc00, 0x40);
	made_elf_code(&b.elf, 0xa00,
		      BYTES("\xff\x35\x02\x2f\0\0\xff\x25\x04\x2f\0\0\x0f\x1f\x40\0"
			    "\xff\x25\x02\x2f\0\0\x68\0\0\0\0\xe9\xe0\xff\xff\xff"
			    "\xf3\x0f\x1e\xfa\x68\x01\0\0\0\xf2\xe9\xd1\xff\xff\xff\x90"));
	/* endbr64; sub $8,%rsp; nop x4; add $8,%rsp; ret */
	made_elf_code(&b.elf, 0xb00,
		      BYTES("\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x90\x90\x90\x90"
			    "\x48\x83\xc4\x08\xc3"));
	made_elf_code(&b.elf, 0xb40, BYTES("\x48\x83\xec\x18\x48\x83\xc4\x18\xc3"));
	made_elf_end(&b.elf);
	expect_stubs(&b, cases, ARRAY_SIZE(cases));
}

/* Those of mold: the number of a function is in a register. */
static void test_mold_stubs(void **state)
{
	static const struct stub_case cases[] = {
		{0xa00, 0}, {0xa04, 0}, {0xa06, 1}, {0xa0c, 2}, /* the first entry */
		{0xa20, 0}, {0xa24, 0}, {0xa2a, 0},
	};
	struct bed b;

	(void)state;
	begin_stubs(&b);
	made_elf_code(&b.elf, 0xa00,
		      BYTES("\xf3\x0f\x1e\xfa\x41\x53\xff\x35\xc4\x24\0\0\xff\x25\xc6\x24\0\0"
			    "\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
			    "\xf3\x0f\x1e\xfa\x41\xbb\0\0\0\0\xff\x25\xb0\x24\0\0"));
	made_elf_end(&b.elf);
	expect_stubs(&b, cases, ARRAY_SIZE(cases));
}

/* .debug_frame alone, as it is and compressed. */
static void test_debug_frame(void **state)
{
	static const u64 ranges[2] = {0x200, 0x40}, last[2] = {0x2c0, 0x40};
	struct bed b;
	size_t at, len;
	Elf_Scn *scn;
	int packed;
	Elf *elf;

	(void)state;
	for (packed = 0; packed < 2; packed++) {
		char path[32];
		int fd;

		made_elf_begin(&b.elf, EM_X86_64, 8);
		at = b.elf.b.len;
		buf_add(&b.elf.b, BYTES("\x0e\0\0\0\xff\xff\xff\xff\x01\0\x01\x78\x10\x0c\x07\x08"
					"\x90\x01"));
		buf_add(&b.elf.b, BYTES("\x16\0\0\0\0\0\0\0"));
		buf_add(&b.elf.b, ranges, sizeof(ranges));
		buf_add(&b.elf.b, BYTES("\x0e\x10"));
		buf_add(&b.elf.b, BYTES("\x16\0\0\0\0\0\0\0"));
		buf_add(&b.elf.b, last, sizeof(last));
		buf_add(&b.elf.b, BYTES("\x07\x10"));
		len = b.elf.b.len - at;
		/* zlib makes a longer one shorter only */
		buf_pad(&b.elf.b, '\0', 400);
		made_elf_section(&b.elf, ".debug_frame", 0, at, len + 400);
		made_elf_end(&b.elf);
		bed_open(&b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_64);
		fd = made_file(b.elf.b.data, b.elf.b.len, path);
		if (packed) {
			elf = elf_begin(fd, ELF_C_RDWR, NULL);
			assert_non_null(elf);
			elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
			scn = elf_getscn(elf, 1);
			assert_int_equal(elf_compress(scn, ELFCOMPRESS_ZLIB, 0), 1);
			/* else nothing of it is written */
			elf_flagshdr(scn, ELF_C_SET, ELF_F_DIRTY);
			elf_flagdata(elf_getdata(scn, NULL), ELF_C_SET, ELF_F_DIRTY);
			assert_true(elf_update(elf, ELF_C_WRITE) > 0);
			elf_end(elf);
		}
		b.opener.fd = fd;
		b.regs[SPR] = SP;
		b.regs[IP] = BASE + 0x210;
		word(&b, 1, BASE + 0x2d0);
		EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x2d0);
		close(fd);
		bed_close(&b);
	}
}

static void test_i386(void **state)
{
	struct bed b;

	(void)state;
	made_elf_begin(&b.elf, EM_386, 4);
	made_elf_cie(&b.elf, -4, 8, false, BYTES("\x0c\x04\x04\x88\x01"));
	made_elf_fde(&b.elf, 0x200, 0x40, BYTES(""));
	made_elf_fde(&b.elf, 0x240, 0x40, BYTES("\x0e\x08\x85\x02\x0d\x05"));
	made_elf_fde(&b.elf, 0x280, 0x40, BYTES("\x0c\x01\x00\x83\x02")); /* CFA in ecx */
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\x08"));
	made_elf_header(&b.elf, true);
	made_elf_code(&b.elf, 0x800, BYTES("\xb8\xad\0\0\0\xcd\x80"));
	made_elf_end(&b.elf);
	bed_open(&b, &arch_x86_64, PERF_SAMPLE_REGS_ABI_32);
	b.in.mask = 0x1ff;
	b.regs[SPR] = SP;
	/* the upper halves are nothing that a 32-bit process has */
	b.regs[IP] = 0xdead00000000 + BASE + 0x210;
	b.regs[BPR] = SP + 4 * 4;
	word(&b, 0, BASE + 0x250);
	word(&b, 4, SP + 4 * 8);
	word(&b, 5, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x2d0);
	b.in.size = 4 * 6;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x2d0);
	b.in.size = sizeof(b.stack);
	b.regs[CX] = SP + 4 * 30;
	word(&b, 5, BASE + 0x290);
	word(&b, 29, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	/* a signal: number, siginfo *, ucontext *; sigcontext 20 bytes into that */
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x800);
	word(&b, 3, SP + 4 * 40);
	word(&b, 40 + 5 + 6, SP + 4 * 90);
	word(&b, 40 + 5 + 7, SP + 4 * 80);
	word(&b, 40 + 5 + 14, BASE + 0x250);
	word(&b, 91, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x800, CHAIN_SIGNAL, BASE + 0x250,
	       BASE + 0x2d0);
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
	/* stp x29, x30, [sp, #-32]!; the return address is signed */
	made_elf_fde(&b.elf, 0x240, 0x40, BYTES("\x2d\x0e\x20\x9d\x04\x9e\x03"));
	/* the same by the frame pointer */
	made_elf_fde(&b.elf, 0x280, 0x40, BYTES("\x0e\x20\x9d\x04\x9e\x03\x0d\x1d"));
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\x1e"));
	made_elf_header(&b.elf, true);
	made_elf_code(&b.elf, 0x800, BYTES("\x68\x11\x80\xd2\x01\0\0\xd4"));
	made_elf_code(&b.elf, 0x61c, BYTES("\x01\0\0\x94"));
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
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	/* only what was called last has its return address in the link register */
	word(&b, 1, BASE + 0x210);
	EXPECT(&b, CHAIN_BAD_CFI, BASE + 0x210, BASE + 0x250, BASE + 0x210);
	/* handler, trampoline, a leaf that was interrupted before it had saved anything */
	b.regs[LR] = BASE + 0x800;
	word(&b, 38 + 1 + 29, SP + 8 * 100);
	word(&b, 38 + 1 + 30, BASE + 0x290);
	word(&b, 38 + 1 + 31, SP + 8 * 90);
	word(&b, 38 + 1 + 32, BASE + 0x210);
	word(&b, 100, 0);
	word(&b, 101, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x800, CHAIN_SIGNAL, BASE + 0x210, BASE + 0x290,
	       BASE + 0x2d0);
	/* no unwind information: the link register of a leaf elsewhere, then the frame record */
	b.regs[PC] = BASE + 0x2000;
	b.regs[LR] = BASE + 0x620;
	b.regs[X29] = SP + 8 * 2;
	word(&b, 2, 0);
	word(&b, 3, BASE + 0x2d0);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x2000, CHAIN_GUESSED, BASE + 0x620);
	made_elf_code(&b.elf, 0x2cc, BYTES("\x01\0\0\x94"));
	EXPECT(&b, CHAIN_ROOT, BASE + 0x2000, CHAIN_GUESSED, BASE + 0x620, BASE + 0x2d0);
	bed_close(&b);
}

/* The frame pointer points behind the frame record here. */
static void test_riscv64(void **state)
{
	struct bed b;

	(void)state;
	made_elf_begin(&b.elf, EM_RISCV, 8);
	made_elf_cie(&b.elf, -8, 1, false, BYTES("\x0c\x02\x00"));
	made_elf_fde(&b.elf, 0x200, 0x40, BYTES(""));
	/* ra and s0 saved in 32 bytes, s0 the CFA */
	made_elf_fde(&b.elf, 0x240, 0x40, BYTES("\x0e\x20\x81\x01\x88\x02\x0c\x08\x00"));
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\x01"));
	made_elf_header(&b.elf, true);
	/* jal twice; li a7, 139; ecall */
	made_elf_code(&b.elf, 0x25c, BYTES("\xef\x10\x20\x03"));
	made_elf_code(&b.elf, 0x2cc, BYTES("\xef\x10\x20\x03"));
	made_elf_code(&b.elf, 0x800, BYTES("\x93\x08\xb0\x08\x73\0\0\0"));
	made_elf_end(&b.elf);
	bed_open(&b, &arch_riscv64, PERF_SAMPLE_REGS_ABI_64);
	b.in.mask = 0xffffffff;
	b.regs[2] = SP;
	b.regs[0] = BASE + 0x210;
	b.regs[1] = BASE + 0x260;
	b.regs[8] = SP + 32;
	word(&b, 3, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x260, BASE + 0x2d0);
	/* by the record, from code that nothing describes */
	b.regs[0] = BASE + 0x4000;
	b.regs[1] = 0;
	word(&b, 2, SP + 64);
	word(&b, 3, BASE + 0x260);
	word(&b, 7, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x4000, CHAIN_GUESSED, BASE + 0x260, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* a leaf that has saved no more than the frame pointer, as in the vdso */
	b.regs[1] = BASE + 0x260;
	b.regs[8] = SP + 16;
	word(&b, 1, SP + 64);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x4000, CHAIN_GUESSED, BASE + 0x260, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* the same before its first instruction: there is the record of its caller */
	b.regs[8] = SP + 64;
	word(&b, 1, 0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x4000, CHAIN_GUESSED, BASE + 0x260, CHAIN_CERTAIN,
	       BASE + 0x2d0);
	/* handler, trampoline, what was interrupted */
	b.regs[0] = BASE + 0x210;
	b.regs[1] = BASE + 0x800;
	word(&b, 38, BASE + 0x210);
	word(&b, 38 + 1, BASE + 0x260);
	word(&b, 38 + 2, SP + 8 * 100);
	word(&b, 38 + 8, SP + 8 * 104);
	word(&b, 103, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x800, CHAIN_SIGNAL, BASE + 0x210, BASE + 0x260,
	       BASE + 0x2d0);
	bed_close(&b);
}

/* Registers are saved in the caller's frame, and the CFA lies 160 bytes above its stack pointer. */
static void test_s390x(void **state)
{
	enum { R11 = 11, R14 = 14, R15, FP0, FP4 = FP0 + 4, PSW = 33 };
	struct bed b;

	(void)state;
	made_elf_begin(&b.elf, EM_S390, 8);
	made_elf_cie(&b.elf, -8, 14, false, BYTES("\x0c\x0f\xa0\x01"));
	made_elf_fde(&b.elf, 0x200, 0x40, BYTES(""));
	/* stmg %r11,%r15,88(%r15); a frame of 160 bytes */
	made_elf_fde(&b.elf, 0x240, 0x40, BYTES("\x8b\x09\x8e\x06\x8f\x05\x0e\xc0\x02"));
	/* the same by r11 */
	made_elf_fde(&b.elf, 0x280, 0x40, BYTES("\x8b\x09\x8e\x06\x8f\x05\x0e\xc0\x02\x0d\x0b"));
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\x0e"));
	/* a leaf with a frame, its caller's r15 in f4, which is register 18 */
	made_elf_fde(&b.elf, 0x300, 0x40, BYTES("\x09\x0f\x12\x0e\xc0\x02"));
	made_elf_header(&b.elf, true);
	made_elf_code(&b.elf, 0x800, BYTES("\x0a\xad"));
	/* brasl, bras, basr, and a branch that is no call */
	made_elf_code(&b.elf, 0x61a, BYTES("\xc0\xe5\0\0\0\0"));
	made_elf_code(&b.elf, 0x63c, BYTES("\xa7\xe5\0\0"));
	made_elf_code(&b.elf, 0x65e, BYTES("\x0d\xe1"));
	made_elf_code(&b.elf, 0x67e, BYTES("\x0d\xe0"));
	made_elf_end(&b.elf);
	bed_open(&b, &arch_s390x, PERF_SAMPLE_REGS_ABI_64);
	b.in.mask = arch_s390x.user_regs;
	b.regs[R15] = SP;
	b.regs[PSW] = BASE + 0x210;
	b.regs[R14] = BASE + 0x250;
	word(&b, 31, SP + 160);
	word(&b, 34, BASE + 0x290);
	word(&b, 35, SP + 160);
	word(&b, 54, BASE + 0x2d0);
	word(&b, 55, SP + 320);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	/* a function's first instruction has saved the registers, and there is no frame yet */
	b.regs[PSW] = BASE + 0x310;
	b.regs[R14] = BASE + 0x2d0;
	b.regs[FP4] = SP + 160;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x310, BASE + 0x2d0);
	b.regs[FP4] = SP - 160;
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x310);
	/* handler, trampoline, a leaf that was interrupted */
	b.regs[PSW] = BASE + 0x210;
	b.regs[R14] = BASE + 0x800;
	word(&b, 42 + 1, BASE + 0x210);
	word(&b, 42 + 2 + 14, BASE + 0x250);
	word(&b, 42 + 2 + 15, SP + 8 * 100);
	word(&b, 134, BASE + 0x2d0);
	word(&b, 135, SP + 8 * 120);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x800, CHAIN_SIGNAL, BASE + 0x210, BASE + 0x250,
	       BASE + 0x2d0);
	/* no unwind information: the link register, the back chain, a return address on the stack */
	b.regs[PSW] = BASE + 0x2000;
	b.regs[R14] = BASE + 0x620;
	word(&b, 0, SP + 320);
	word(&b, 40 + 14, BASE + 0x640);
	word(&b, 40, 0);
	word(&b, 60 + 14, BASE + 0x660);
	word(&b, 61 + 14, BASE + 0x680);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x2000, CHAIN_GUESSED, BASE + 0x620, BASE + 0x640,
	       BASE + 0x660);
	bed_close(&b);
}

/* The link register is saved in the caller's frame, above the CFA; its number is 65. */
static void test_ppc64(void **state)
{
	enum { R1 = 1, R31 = 31, NIP, LINK = 36 };
	struct bed b;

	(void)state;
	made_elf_begin(&b.elf, EM_PPC64, 8);
	made_elf_cie(&b.elf, -8, 65, false, BYTES("\x0c\x01\x00"));
	made_elf_fde(&b.elf, 0x200, 0x40, BYTES(""));
	/* mflr %r0; std %r0,16(%r1); std %r31,-8(%r1); stdu %r1,-64(%r1) */
	made_elf_fde(&b.elf, 0x240, 0x40, BYTES("\x11\x41\x7e\x9f\x01\x0e\x40"));
	/* the same by r31; f0 is saved too, whose number is 32 */
	made_elf_fde(&b.elf, 0x280, 0x40,
		     BYTES("\x11\x41\x7e\x9f\x01\x05\x20\x07\x0e\x40\x0d\x1f"));
	made_elf_fde(&b.elf, 0x2c0, 0x40, BYTES("\x07\xc1\0"));
	/* the link register kept in r12 */
	made_elf_fde(&b.elf, 0x300, 0x40, BYTES("\x09\x41\x0c"));
	/* the link register saved, no frame */
	made_elf_fde(&b.elf, 0x340, 0x40, BYTES("\x11\x41\x7e"));
	/* a trampoline: the return address is in column 67, all at the stack pointer + so much */
	made_elf_cie(&b.elf, -8, 67, true, BYTES("\x0c\x01\xc0\x01"));
	made_elf_fde(&b.elf, 0x400, 0x10,
		     BYTES("\x10\x01\x02\x71\x08\x10\x43\x02\x71\x10\x10\x41\x02\x71\x18"));
	made_elf_header(&b.elf, true);
	/* bl, bctrl, and b */
	made_elf_code(&b.elf, 0x61c, BYTES("\x01\0\0\x48"));
	made_elf_code(&b.elf, 0x63c, BYTES("\x21\x04\x80\x4e"));
	made_elf_code(&b.elf, 0x65c, BYTES("\0\0\0\x48"));
	/* std %r2,24(%r1); addis %r12,%r2,1; ld %r12,8(%r12); mtctr %r12; bctr */
	made_elf_code(
		&b.elf, 0x700,
		BYTES("\x18\0\x41\xf8\x01\0\x82\x3d\x08\0\x8c\xe9\xa6\x03\x89\x7d\x20\x04\x80\x4e"));
	/* of a big-endian machine */
	made_elf_code(&b.elf, 0x67c, BYTES("\x48\0\0\x01"));
	made_elf_end(&b.elf);
	bed_open(&b, &arch_ppc64le, PERF_SAMPLE_REGS_ABI_64);
	b.in.mask = arch_ppc64le.user_regs;
	b.regs[R1] = SP;
	b.regs[NIP] = BASE + 0x210;
	b.regs[LINK] = BASE + 0x250;
	word(&b, 0, SP + 64);
	word(&b, 7, SP + 64);
	word(&b, 8 + 2, BASE + 0x290);
	word(&b, 16 + 2, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	b.regs[NIP] = BASE + 0x310;
	b.regs[LINK] = 0;
	b.regs[12] = BASE + 0x250;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x310, BASE + 0x250, BASE + 0x290, BASE + 0x2d0);
	/* handler, trampoline, a leaf that was interrupted */
	b.regs[NIP] = BASE + 0x210;
	b.regs[LINK] = BASE + 0x404;
	word(&b, 1, SP + 8 * 20);
	word(&b, 2, BASE + 0x210);
	word(&b, 3, BASE + 0x250);
	word(&b, 20 + 10, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x404, CHAIN_SIGNAL, BASE + 0x210, BASE + 0x250,
	       BASE + 0x2d0);
	/* no unwind information: the link register, then the back chain */
	b.regs[NIP] = BASE + 0x2000;
	b.regs[LINK] = BASE + 0x620;
	word(&b, 8, SP + 128);
	word(&b, 8 + 2, BASE + 0x640);
	word(&b, 16, SP + 192);
	word(&b, 16 + 2, BASE + 0x680);
	word(&b, 24, SP + 256);
	word(&b, 24 + 2, BASE + 0x660);
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x2000, CHAIN_GUESSED, BASE + 0x620, BASE + 0x640,
	       BASE + 0x680);
	word(&b, 16, 0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x2000, CHAIN_GUESSED, BASE + 0x620, BASE + 0x640,
	       BASE + 0x680);
	/* a stub of the linker, which has changed nothing */
	b.regs[NIP] = BASE + 0x700;
	b.regs[LINK] = BASE + 0x250;
	word(&b, 8, SP + 128);
	word(&b, 8 + 2, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x700, BASE + 0x250, BASE + 0x2d0);
	b.regs[NIP] = BASE + 0x70c;
	EXPECT(&b, CHAIN_ROOT, BASE + 0x70c, BASE + 0x250, BASE + 0x2d0);
	/* a function that has called without a frame of its own */
	b.regs[NIP] = BASE + 0x210;
	b.regs[LINK] = BASE + 0x350;
	word(&b, 2, BASE + 0x250);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x350, BASE + 0x250, BASE + 0x2d0);
	word(&b, 2, BASE + 0x350);
	EXPECT(&b, CHAIN_BAD_STACK, BASE + 0x210, BASE + 0x350);
	bed_close(&b);
}

/* An image of another machine says nothing about this one's code. */
static void test_other_machine(void **state)
{
	struct bed b;

	(void)state;
	make_64(&b);
	b.regs[IP] = BASE + 0x210;
	word(&b, 0, BASE + 0x2d0);
	EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x2d0);
	b.in.abi = PERF_SAMPLE_REGS_ABI_32;
	EXPECT(&b, CHAIN_NO_CFI, BASE + 0x210);
	bed_close(&b);
}

static void test_memory(void **state)
{
	struct unwind_options o = {.arch = &arch_x86_64, .open = open_made};
	struct bed b;
	bool refused;
	u32 n;

	(void)state;
	for (n = 0;; n++) {
		struct unwinder *u;

		oom_after(n);
		u = unwinder_new(&o, NULL);
		refused = oom_stop();
		assert_true(refused ? !u : !!u);
		unwinder_free(u);
		if (!refused)
			break;
	}
	for (n = 0;; n++) {
		make_64(&b);
		b.regs[IP] = BASE + 0x210;
		b.regs[BPR] = SP + 8 * 4;
		word(&b, 0, BASE + 0x310);
		word(&b, 3, SP + 8 * 20);
		word(&b, 19, BASE + 0x2d0);
		oom_after(n);
		unwind(&b, UNWIND_MAX);
		refused = oom_stop();
		assert_true(b.nr >= 2 && chain_is_end(b.chain[b.nr - 1]));
		if (!refused) {
			EXPECT(&b, CHAIN_ROOT, BASE + 0x210, BASE + 0x310, BASE + 0x2d0);
			bed_close(&b);
			break;
		}
		bed_close(&b);
	}
	assert_true(n > 2);
}

#ifdef __x86_64__

/* The files of this process, as they are mapped. */
static int open_own(void *ctx, const struct process_model *m, u32 map_id, u32 pid,
		    struct image *img)
{
	(void)ctx;
	(void)pid;
	return image_open(img, m->dsos.v[m->maps.v[map_id].dso].name, NULL);
}

static void map_own(struct process_model *m)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long long start, end, offset, ino;
	char line[4400], prot[5], name[4200];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		name[0] = '\0';
		if (sscanf(line, "%llx-%llx %4s %llx %*s %llu %4199s", &start, &end, prot, &offset,
			   &ino, name) < 5 ||
		    prot[2] != 'x' || name[0] != '/')
			continue;
		map(m, start, end - start, offset, ino, name);
	}
	fclose(f);
}

static struct bed own;
static u64 returns[8];

static __attribute__((noinline)) void copy_stack(void)
{
	ucontext_t uc;
	u64 sp;

	getcontext(&uc);
	sp = (u64)uc.uc_mcontext.gregs[REG_RSP];
	own.regs[SPR] = sp;
	own.regs[BPR] = (u64)uc.uc_mcontext.gregs[REG_RBP];
	own.regs[BX] = (u64)uc.uc_mcontext.gregs[REG_RBX];
	own.regs[IP] = (u64)uc.uc_mcontext.gregs[REG_RIP];
	own.regs[20] = (u64)uc.uc_mcontext.gregs[REG_R12];
	own.regs[21] = (u64)uc.uc_mcontext.gregs[REG_R13];
	own.regs[22] = (u64)uc.uc_mcontext.gregs[REG_R14];
	own.regs[23] = (u64)uc.uc_mcontext.gregs[REG_R15];
	returns[0] = (u64)(uintptr_t)__builtin_return_address(0);
	own.in.stack = (const u8 *)(uintptr_t)sp;
	own.in.size = 4000;
	unwind(&own, UNWIND_MAX);
}

/* With what is allocated while it runs, a stack pointer that only the frame pointer tells. */
static __attribute__((noinline)) void middle(size_t n)
{
	volatile char *p = __builtin_alloca(n);

	p[0] = 1;
	copy_stack();
	p[n - 1] = 1;
	returns[1] = (u64)(uintptr_t)__builtin_return_address(0);
}

static void test_own(void **state)
{
	struct unwind_options o = {.arch = &arch_x86_64, .open = open_own};
	u32 i, found = 0;

	(void)state;
	assert_int_equal(process_init(&own.m, NULL), 0);
	map_own(&own.m);
	own.t = process_thread(&own.m, 7, 7);
	own.u = unwinder_new(&o, NULL);
	own.in = (struct unwind_input){.abi = PERF_SAMPLE_REGS_ABI_64, .mask = 0xff01ff};
	middle(100);
	for (i = 0; i < own.nr; i++)
		if (found < 2 && own.chain[i] == returns[found])
			found++;
	assert_int_equal(found, 2);
	assert_int_equal(own.chain[1], returns[0]);
	assert_int_equal(own.chain[2], returns[1]);
	assert_true(own.nr > 5);
	unwinder_free(own.u);
	process_free(&own.m);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),         cmocka_unit_test(test_epilogue),
		cmocka_unit_test(test_edges),         cmocka_unit_test(test_limit),
		cmocka_unit_test(test_not_unwound),   cmocka_unit_test(test_full),
		cmocka_unit_test(test_signal),        cmocka_unit_test(test_sigreturn),
		cmocka_unit_test(test_guess),         cmocka_unit_test(test_guess_last),
		cmocka_unit_test(test_damaged),       cmocka_unit_test(test_return_probe),
		cmocka_unit_test(test_coroutine),     cmocka_unit_test(test_astray),
		cmocka_unit_test(test_generations),   cmocka_unit_test(test_retries),
		cmocka_unit_test(test_truncated),     cmocka_unit_test(test_no_table),
		cmocka_unit_test(test_stubs),         cmocka_unit_test(test_mold_stubs),
		cmocka_unit_test(test_debug_frame),   cmocka_unit_test(test_i386),
		cmocka_unit_test(test_arm64),         cmocka_unit_test(test_riscv64),
		cmocka_unit_test(test_other_machine), cmocka_unit_test(test_s390x),
		cmocka_unit_test(test_ppc64),         cmocka_unit_test(test_memory),
		cmocka_unit_test(test_closed),        cmocka_unit_test(test_long_rows),
#ifdef __x86_64__
		cmocka_unit_test(test_own),           cmocka_unit_test(test_neighbours),
#endif
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("unwind", tests, NULL, NULL);
}
