/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_stack.h - a thread with one mapped image, made registers and a made stack, to be unwound.
 *
 *	made_elf_begin(&b.elf) ... made_elf_end() -> bed_open() -> b.regs, word() -> unwind() -> b.chain -> bed_close()
 */
#ifndef TESTS_UNIT_MADE_STACK_H
#define TESTS_UNIT_MADE_STACK_H

#include "tests/unit/made.h"
#include "tests/unit/made_elf.h"
#include "util/unwind/unwind.h"

#define BYTES(s) s, sizeof(s) - 1

enum { AX, BX, CX, DX, SI, DI, BPR, SPR, IP, R10 = 18 };
enum { X29 = 29, LR = 30, SP64 = 31, PC = 32 };

#define BASE  0x400000 /* where the image is mapped */
#define SP    0x7ffc0000ull
#define WORDS 512

/* An image for `open`, and what else it does. */
struct opener {
	const struct made_elf *elf;
	int fd;      /* of the image's file, -1: in memory */
	int refuses; /* so many times */
	u32 calls;
};

static inline int open_made(void *ctx, const struct process_model *m, u32 map, u32 pid,
			    struct image *img)
{
	struct opener *o = ctx;

	assert_true(map < m->maps.nr);
	assert_int_equal(pid, 7);
	o->calls++;
	if (o->refuses && o->refuses--)
		return -1;
	if (!o->elf)
		return -1;
	if (o->fd >= 0)
		return image_open_fd(img, fcntl(o->fd, F_DUPFD_CLOEXEC, 0), NULL);
	return image_open_memory(img, o->elf->b.data, o->elf->b.len, NULL);
}

struct bed {
	struct made_elf elf;
	struct opener opener;
	struct process_model m;
	const struct thread *t;
	const struct arch *arch;
	struct unwinder *u;
	u64 regs[64];
	u8 stack[WORDS * 8];
	struct unwind_input in;
	u64 chain[UNWIND_MAX];
	u32 nr;
};

static inline void map(struct process_model *m, u64 start, u64 size, u64 pgoff, u64 ino,
		       const char *name)
{
	struct rec_mmap2 r = {.pid = 7,
			      .tid = 7,
			      .start = start,
			      .len = size,
			      .pgoff = pgoff,
			      .ino = ino,
			      .prot = PROT_READ | PROT_EXEC,
			      .name = name};
	struct buf b = {0};
	struct rec rec;

	rec_build_mmap2(&b, &(struct sample_layout){0}, NULL, PERF_RECORD_MISC_USER, &r);
	if (b.failed || !rec_view(&rec, b.data, b.len))
		exit(2);
	process_apply(m, &rec);
	buf_free(&b);
}

/* The image in bed->elf is complete. Stack and registers are empty. */
static inline void bed_open(struct bed *b, const struct arch *arch, u64 abi)
{
	struct unwind_options o = {.arch = arch, .open = open_made, .ctx = &b->opener};

	b->opener = (struct opener){.elf = &b->elf, .fd = -1};
	assert_int_equal(process_init(&b->m, NULL), 0);
	map(&b->m, BASE, 0x10000, 0, 5, "/made");
	b->t = process_thread(&b->m, 7, 7);
	b->arch = arch;
	b->u = unwinder_new(&o, NULL);
	assert_non_null(b->u);
	memset(b->regs, 0, sizeof(b->regs));
	memset(b->stack, 0, sizeof(b->stack));
	b->in = (struct unwind_input){.abi = abi,
				      .mask = arch == &arch_arm64 ? (1ull << 33) - 1 : 0xff0fff,
				      .stack = b->stack,
				      .size = sizeof(b->stack)};
}

static inline void bed_close(struct bed *b)
{
	unwinder_free(b->u);
	process_free(&b->m);
	buf_free(&b->elf.b);
}

static inline void word(struct bed *b, u32 i, u64 v)
{
	if (b->in.abi == PERF_SAMPLE_REGS_ABI_32)
		memcpy(b->stack + 4 * i, &(u32){(u32)v}, 4);
	else
		memcpy(b->stack + 8 * i, &v, 8);
}

static inline void unwind(struct bed *b, u32 max)
{
	u64 packed[64];
	u32 i, n = 0;

	for (i = 0; i < 64; i++)
		if (b->in.mask >> i & 1)
			packed[n++] = b->regs[i];
	b->in.regs = packed;
	b->nr = unwind_chain(b->u, &b->m, b->t, &b->in, b->chain, max);
}

#endif
