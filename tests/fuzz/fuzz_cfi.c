// SPDX-License-Identifier: GPL-2.0
/*
 * Damaged ELF files with unwind information, and any registers and stack.
 *
 *	byte 0      machine: x86-64, i386, arm64, riscv64
 *	byte 1      bit 0: the copy of the stack is cut, bit 1: the image is a file, not memory
 *	bytes 2-3   size of the stack, little-endian
 *	then        frame pointer, link register, one more register (8 bytes each), stack, image
 *
 * The image is mapped at BASE; chains are asked for at addresses all over it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/record/rec_build.h"
#include "util/unwind/unwind.h"

#define BASE      0x400000
#define SP        0x7ffc0000ull
#define ADDRESSES 128

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

struct input {
	const u8 *image;
	size_t size;
	bool file;
};

static int open_input(void *ctx, const struct process_model *m, u32 map, u32 pid, struct image *img)
{
	const struct input *in = ctx;
	int fd;

	(void)m;
	(void)map;
	(void)pid;
	if (!in->file)
		return image_open_memory(img, in->image, in->size, NULL);
	fd = memfd_create("image", MFD_CLOEXEC);
	if (fd < 0 || io_write(fd, in->image, in->size))
		abort();
	return image_open_fd(img, fd, NULL);
}

static void map_image(struct process_model *m, size_t size)
{
	static const struct sample_layout bare;
	struct rec_mmap2 r = {.pid = 1,
			      .tid = 1,
			      .start = BASE,
			      .len = size + 1,
			      .prot = PROT_READ | PROT_EXEC,
			      .ino = 1,
			      .name = "/image"};
	struct buf b = {0};
	struct rec rec;

	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &r);
	if (b.failed || !rec_view(&rec, b.data, b.len))
		abort();
	process_apply(m, &rec);
	buf_free(&b);
}

static void check(const u64 *chain, u32 nr, u32 max)
{
	u32 i;

	if (!nr || nr > max || !chain_is_end(chain[nr - 1]))
		abort();
	/* what might be a mark is one of those that stand within a chain */
	for (i = 0; i + 1 < nr; i++)
		if (chain[i] >= (u64)-4096 && (!chain_is_mark(chain[i]) || chain_is_end(chain[i])))
			abort();
}

static void unwind_all(const struct unwind_options *o, struct unwind_input *in, u64 *regs, u32 ip,
		       size_t image_size)
{
	static u64 chain[UNWIND_MAX];
	struct unwinder *u = unwinder_new(o, NULL);
	struct process_model m;
	const struct thread *t;
	u32 i;

	if (!u || process_init(&m, NULL))
		abort();
	map_image(&m, image_size);
	t = process_thread(&m, 1, 1);
	for (i = 0; i < ADDRESSES; i++) {
		regs[ip] = BASE + image_size * i / ADDRESSES;
		check(chain, unwind_chain(u, &m, t, in, chain, UNWIND_MAX), UNWIND_MAX);
		check(chain, unwind_chain(u, &m, t, in, chain, 3), 3);
	}
	unwinder_free(u);
	process_free(&m);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct {
		const struct arch *arch;
		u64 abi;
		u8 ip, sp, fp, link;
	} machines[] = {
		{&arch_x86_64, PERF_SAMPLE_REGS_ABI_64, 8, 7, 6, 5},
		{&arch_x86_64, PERF_SAMPLE_REGS_ABI_32, 8, 7, 6, 5},
		{&arch_arm64, PERF_SAMPLE_REGS_ABI_64, 32, 31, 29, 30},
		{&arch_riscv64, PERF_SAMPLE_REGS_ABI_64, 0, 2, 8, 1},
	};
	struct cur c = cur_init(data, size);
	u8 machine = cur_u8(&c) % ARRAY_SIZE(machines), flags = cur_u8(&c);
	size_t stack_size = cur_u16(&c);
	u64 fp = cur_u64(&c), link = cur_u64(&c), other = cur_u64(&c), regs[33];
	struct unwind_input in = {.abi = machines[machine].abi, .regs = regs, .cut = flags & 1};
	struct unwind_options o = {.arch = machines[machine].arch, .open = open_input};
	struct input input = {.file = flags & 2};
	u32 i;

	stack_size = c.bad ? 0 : MIN(stack_size, cur_left(&c));
	in.stack = cur_bytes(&c, stack_size);
	in.size = stack_size;
	if (c.bad)
		return 0;
	input.image = c.p;
	input.size = cur_left(&c);
	for (i = 0; i < ARRAY_SIZE(regs); i++)
		regs[i] = other + i * 64;
	regs[machines[machine].sp] = SP;
	regs[machines[machine].fp] = fp;
	regs[machines[machine].link] = link;
	in.mask = o.arch == &arch_x86_64  ? 0xff0fff
		  : o.arch == &arch_arm64 ? 0x1ffffffff
					  : 0xffffffff;
	/* x86 has none of the segments': those up to the instruction pointer stay in their places */
	o.ctx = &input;
	unwind_all(&o, &in, regs, machines[machine].ip, input.size);
	return 0;
}
