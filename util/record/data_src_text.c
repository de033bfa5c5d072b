// SPDX-License-Identifier: GPL-2.0
#include "util/record/data_src_text.h"

#include <linux/perf_event.h>

/* Append the names of the bits that are set, " or " between them. Returns how many there are. */
static u32 put_bits(u64 bits, const char *const *names, u32 nr, struct buf *out)
{
	u32 i, n = 0;

	for (i = 0; i < nr; i++) {
		if (!(bits >> i & 1) || !names[i])
			continue;
		buf_adds(out, n++ ? " or " : "");
		buf_adds(out, names[i]);
	}
	return n;
}

static void put_op(u64 op, struct buf *out)
{
	static const char *const names[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names) && !(op >> i & 1); i++)
		;
	buf_adds(out, i < ARRAY_SIZE(names) ? names[i] : "No");
}

static void put_hit(u64 hit, u64 miss, struct buf *out)
{
	buf_adds(out, hit ? " hit" : "");
	buf_adds(out, miss ? " miss" : "");
}

void data_src_text_level(u64 data_src, struct buf *out)
{
	const union perf_mem_data_src d = {.val = data_src};
	static const char *const levels[] = {
		"N/A",
		NULL, /* hit */
		NULL, /* miss */
		"L1",
		"LFB/MAB",
		"L2",
		"L3",
		"Local RAM",
		"Remote RAM (1 hop)",
		"Remote RAM (2 hops)",
		"Remote Cache (1 hop)",
		"Remote Cache (2 hops)",
		"I/O",
		"Uncached",
	};
	static const char *const numbers[16] = {
		[0x5] = "L2 MHB",   [0x6] = "Memory-side Cache",
		[0x8] = "Uncached", [0x9] = "CXL",
		[0xa] = "I/O",      [0xb] = "Any cache",
		[0xc] = "LFB/MAB",  [0xd] = "RAM",
		[0xe] = "PMEM",     [0xf] = "N/A",
	};
	static const char *const hops[8] = {
		[1] = "core, same node",
		[2] = "node, same socket",
		[3] = "socket, same board",
		[4] = "board",
	};
	size_t at = out->len;
	u64 level = d.mem_hops ? 0 : d.mem_lvl; /* hops say it better */

	if (d.mem_remote)
		buf_adds(out, "Remote ");
	if (d.mem_hops)
		buf_addf(out, "%s ", hops[d.mem_hops] ? hops[d.mem_hops] : "N/A");
	if (put_bits(level, levels, ARRAY_SIZE(levels), out) && d.mem_lvl_num)
		buf_adds(out, " or ");
	if (d.mem_lvl_num && numbers[d.mem_lvl_num])
		buf_adds(out, numbers[d.mem_lvl_num]);
	else if (d.mem_lvl_num)
		buf_addf(out, "L%u", (unsigned int)d.mem_lvl_num);
	if (out->len == at)
		buf_adds(out, "N/A");
	put_hit(d.mem_lvl & PERF_MEM_LVL_HIT, d.mem_lvl & PERF_MEM_LVL_MISS, out);
}

void data_src_text_snoop(u64 data_src, struct buf *out)
{
	const union perf_mem_data_src d = {.val = data_src};
	static const char *const names[] = {"N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer"};

	if (!put_bits(d.mem_snoop | (u64)d.mem_snoopx << 5, names, ARRAY_SIZE(names), out))
		buf_adds(out, "N/A");
}

void data_src_text_tlb(u64 data_src, struct buf *out)
{
	u64 tlb = ((const union perf_mem_data_src){.val = data_src}).mem_dtlb;
	static const char *const names[] = {"N/A", NULL, NULL, "L1", "L2", "Walker", "Fault"};

	if (!put_bits(tlb, names, ARRAY_SIZE(names), out))
		buf_adds(out, "N/A");
	put_hit(tlb & PERF_MEM_TLB_HIT, tlb & PERF_MEM_TLB_MISS, out);
}

void data_src_text_lock(u64 data_src, struct buf *out)
{
	u64 lock = ((const union perf_mem_data_src){.val = data_src}).mem_lock;

	buf_adds(out, lock & PERF_MEM_LOCK_NA ? "N/A" : lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

void data_src_text_blocks(u64 data_src, struct buf *out)
{
	u64 blocks = ((const union perf_mem_data_src){.val = data_src}).mem_blk;

	if (!blocks || blocks & PERF_MEM_BLK_NA) {
		buf_adds(out, " N/A");
		return;
	}
	buf_adds(out, blocks & PERF_MEM_BLK_DATA ? " Data" : "");
	buf_adds(out, blocks & PERF_MEM_BLK_ADDR ? " Addr" : "");
}

void data_src_text(u64 data_src, struct buf *out)
{
	const union perf_mem_data_src d = {.val = data_src};

	buf_adds(out, "|OP ");
	put_op(d.mem_op, out);
	buf_adds(out, "|LVL ");
	data_src_text_level(data_src, out);
	buf_adds(out, "|SNP ");
	data_src_text_snoop(data_src, out);
	buf_adds(out, "|TLB ");
	data_src_text_tlb(data_src, out);
	buf_adds(out, "|LCK ");
	data_src_text_lock(data_src, out);
	buf_adds(out, "|BLK ");
	data_src_text_blocks(data_src, out);
}

void data_src_text_page_size(u64 size, struct buf *out)
{
	if (!size)
		buf_adds(out, "N/A");
	else if (size >= 1 << 20)
		buf_addf(out, "%lluM", (unsigned long long)size >> 20);
	else if (size >= 1 << 10)
		buf_addf(out, "%lluK", (unsigned long long)size >> 10);
	else
		buf_addf(out, "%lluB", (unsigned long long)size);
}
