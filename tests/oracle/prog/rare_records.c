// SPDX-License-Identifier: GPL-2.0
/*
 * rare_records.c - a perf.data file of what few machines record: branch stacks, data sources, weights, page sizes,
 * transactions, sockets, changed kernel text, BPF programs.
 *
 *	rare_records FILE PROGRAM
 *
 * PROGRAM is said to be mapped, so that addresses have names. The file is made from nothing but <linux/perf_event.h>
 * and perf's description of its format.
 */
#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/io.h"

enum { PID = 4242, BASE = 0x400000, ID = 77, NR_CPUS = 4 };

/* Of perf's header. */
enum { HEADER_NRCPUS = 7, HEADER_CPU_TOPOLOGY = 13 };

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |       \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_BRANCH_STACK |              \
	 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER |    \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE | \
	 PERF_SAMPLE_CODE_PAGE_SIZE)

static struct buf records;
static u64 now = 1000000000;

static size_t begin(u32 type, u16 misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	size_t at = records.len;

	buf_add(&records, &h, sizeof(h));
	return at;
}

/* Pad to 8 bytes and set the size. */
static void end(size_t at)
{
	u16 size;

	buf_pad(&records, '\0', -records.len & 7);
	size = (u16)(records.len - at);
	memcpy(records.data + at + 6, &size, sizeof(size));
}

/* The sample_id of a record: TID TIME CPU IDENTIFIER. */
static void end_with_ids(size_t at)
{
	buf_pad(&records, '\0', -records.len & 7);
	buf_u32(&records, PID);
	buf_u32(&records, PID);
	buf_u64(&records, now += 1000);
	buf_u32(&records, 1);
	buf_u32(&records, 0);
	buf_u64(&records, ID);
	end(at);
}

static void add_name(const char *s)
{
	buf_add(&records, s, strlen(s) + 1);
	buf_pad(&records, '\0', -records.len & 7);
}

static void add_mmap2(u16 misc, u64 start, u64 len, u64 offset, const char *name)
{
	static const u8 build_id[20] = {0xab, 0xcd, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	size_t at = begin(PERF_RECORD_MMAP2, misc);

	buf_u32(&records, PID);
	buf_u32(&records, PID);
	buf_u64(&records, start);
	buf_u64(&records, len);
	buf_u64(&records, offset);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		buf_u32(&records, sizeof(build_id));
		buf_add(&records, build_id, sizeof(build_id));
	} else {
		buf_u32(&records, 254);
		buf_u32(&records, 1);
		buf_u64(&records, 12345);
		buf_u64(&records, 9);
	}
	buf_u32(&records, PROT_READ | PROT_EXEC);
	buf_u32(&records, MAP_PRIVATE);
	add_name(name);
	end_with_ids(at);
}

static void add_mmap(u16 misc, const char *name)
{
	size_t at = begin(PERF_RECORD_MMAP, misc);

	buf_u32(&records, PID);
	buf_u32(&records, PID);
	buf_u64(&records, 0x7f0000000000);
	buf_u64(&records, 0x1000);
	buf_u64(&records, 0);
	add_name(name);
	end_with_ids(at);
}

static void add_comm(u16 misc, const char *name)
{
	size_t at = begin(PERF_RECORD_COMM, misc);

	buf_u32(&records, PID);
	buf_u32(&records, PID);
	add_name(name);
	end_with_ids(at);
}

static void add_ksymbol(u16 type, u16 flags, const char *name)
{
	size_t at = begin(PERF_RECORD_KSYMBOL, 0);

	buf_u64(&records, 0xffffffffc0022118);
	buf_u32(&records, 23);
	buf_u16(&records, type);
	buf_u16(&records, flags);
	add_name(name);
	end_with_ids(at);
}

static void add_bpf_event(u16 type)
{
	size_t at = begin(PERF_RECORD_BPF_EVENT, 0);

	buf_u16(&records, type);
	buf_u16(&records, 0);
	buf_u32(&records, 1382);
	buf_pad(&records, '\x7', 8);
	end_with_ids(at);
}

static void add_text_poke(u64 addr, u16 old_len, u16 new_len)
{
	size_t at = begin(PERF_RECORD_TEXT_POKE, 0);
	u32 i;

	buf_u64(&records, addr);
	buf_u16(&records, old_len);
	buf_u16(&records, new_len);
	for (i = 0; i < (u32)old_len + new_len; i++)
		buf_u8(&records, (u8)(i * 7));
	end_with_ids(at);
}

static void add_namespaces(u64 nr)
{
	size_t at = begin(PERF_RECORD_NAMESPACES, 0);
	u64 i;

	buf_u32(&records, PID);
	buf_u32(&records, PID);
	buf_u64(&records, nr);
	for (i = 0; i < nr; i++) {
		buf_u64(&records, i + 3);
		buf_u64(&records, i ? 0xeffffffb + i : 0);
	}
	end_with_ids(at);
}

static void add_cgroup(u64 id, const char *path)
{
	size_t at = begin(PERF_RECORD_CGROUP, 0);

	buf_u64(&records, id);
	add_name(path);
	end_with_ids(at);
}

static void add_switch(u32 type, u16 misc)
{
	size_t at = begin(type, misc);

	if (type == PERF_RECORD_SWITCH_CPU_WIDE) {
		buf_u32(&records, 17);
		buf_u32(&records, 18);
	}
	end_with_ids(at);
}

static void add_lost(u64 nr)
{
	size_t at = begin(PERF_RECORD_LOST, 0);

	buf_u64(&records, ID);
	buf_u64(&records, nr);
	end_with_ids(at);
}

struct rare {
	u64 data_src, weight, transaction, data_page, code_page;
	struct perf_branch_entry branch[3];
	u32 nr;
};

static void add_sample(u16 misc, const struct rare *r)
{
	size_t at = begin(PERF_RECORD_SAMPLE, misc);

	buf_u64(&records, ID);
	buf_u64(&records, BASE + 0x1140);
	buf_u32(&records, PID);
	buf_u32(&records, PID);
	buf_u64(&records, now += 1000);
	buf_u64(&records, 0x7ffc12345678);
	buf_u32(&records, (u32)(r->transaction % NR_CPUS));
	buf_u32(&records, 0);
	buf_u64(&records, 1003);
	buf_u64(&records, r->nr);
	buf_add(&records, r->branch, r->nr * sizeof(r->branch[0]));
	buf_u64(&records, r->weight);
	buf_u64(&records, r->data_src);
	buf_u64(&records, r->transaction);
	buf_u64(&records, 0x123456000);
	buf_u64(&records, r->data_page);
	buf_u64(&records, r->code_page);
	end(at);
}

static struct perf_branch_entry branch(u64 from, u64 to, u32 type)
{
	struct perf_branch_entry b = {.from = from, .to = to, .cycles = (u16)(type * 3)};

	b.mispred = type % 3 == 1;
	b.predicted = type % 3 == 2;
	b.in_tx = type & 1;
	b.abort = type / 2 & 1;
	b.type = type & 15;
	return b;
}

/* Every bit of each field of a data source, several at once, and sizes of pages. */
static void add_samples(void)
{
	static const u64 pages[] = {0, 4096, 2 << 20, 1 << 30, 65536, 5000};
	union perf_mem_data_src src;
	struct rare r;
	u32 i;

	for (i = 0; i < 64; i++) { /* level number 8 has got a name since perf 6.1 */
		r = (struct rare){.data_src = i == 36 ? 0 : 1ull << i,
				  .weight = (u64)i << 48 | (i * 5ull) << 32 | i};
		/* each flag alone, several, and an abort's code */
		r.transaction = i < 8 ? 1ull << i : i * 37 % 256 | (u64)(i % 3) << 32;
		r.data_page = pages[i % 6];
		r.code_page = pages[(i + 1) % 6];
		r.nr = i % 4;
		r.branch[0] = branch(BASE + 0x1000 + i * 8ull, BASE + 0x1200, i % 16);
		r.branch[1] = branch(BASE + 0x1300 + i, 0xffffffff81000000 + i * 64, i % 16 + 1);
		r.branch[2] = branch(0x10, 0, i % 16 - 3);
		add_sample(i % 2 ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL, &r);
	}
	for (i = 0; i < 16; i++) {
		if (i == 5 || i == 6 || i == 8) /* have got names since perf 6.1 */
			continue;
		src = (union perf_mem_data_src){.mem_op = 2,
						.mem_lvl_num = i,
						.mem_remote = i & 1,
						.mem_snoop = 2,
						.mem_lock = 1,
						.mem_snoopx = i & 3,
						.mem_blk = i & 7,
						.mem_hops = i % 5,
						.mem_dtlb = 4 | 2 | 8};
		r = (struct rare){.data_src = src.val, .weight = 7};
		add_sample(PERF_RECORD_MISC_USER, &r);
		src.mem_lvl = 2 | 8 | (i & 1 ? 16 : 4);
		src.mem_lvl_num = 0;
		r.data_src = src.val;
		add_sample(PERF_RECORD_MISC_USER, &r);
	}
}

static void add_all(const char *program)
{
	struct stat st;

	if (stat(program, &st)) {
		perror(program);
		exit(1);
	}
	add_comm(PERF_RECORD_MISC_USER, "before");
	add_comm(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_COMM_EXEC, "rare");
	add_mmap2(PERF_RECORD_MISC_USER, BASE, ((u64)st.st_size + 4095) & ~4095ull, 0, program);
	add_mmap2(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, 0x7e0000000000, 0x2000,
		  0x1000, "/nowhere/lib with blanks.so");
	add_mmap(PERF_RECORD_MISC_USER, "//anon");
	add_mmap(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, "/dev/zero");
	add_cgroup(1, "/");
	add_cgroup(25, "/system.slice/a b");
	add_namespaces(7);
	add_namespaces(1);
	add_namespaces(9);
	add_switch(PERF_RECORD_SWITCH, 0);
	add_switch(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT);
	add_switch(PERF_RECORD_SWITCH,
		   PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	add_switch(PERF_RECORD_SWITCH_CPU_WIDE, 0);
	add_switch(PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT);
	add_switch(PERF_RECORD_SWITCH_CPU_WIDE,
		   PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	add_lost(5);
	add_samples();
	add_ksymbol(PERF_RECORD_KSYMBOL_TYPE_BPF, 0, "bpf_prog_6deef7357e7b4530_sd_fw");
	add_ksymbol(2, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "made_code");
	add_bpf_event(1);
	add_bpf_event(2);
	add_text_poke(0x1234, 5, 5);
	add_text_poke(0xffffffffc0ffee00, 20, 33);
	add_text_poke(0xffffffffc0ffee00, 0, 1);
}

/* A string of perf's header: its length, and bytes up to a multiple of 64. */
static void add_text(struct buf *b, const char *s)
{
	char text[64] = "";

	snprintf(text, sizeof(text), "%s", s);
	buf_u32(b, sizeof(text));
	buf_add(b, text, sizeof(text));
}

/* Two sockets of two CPUs. */
static void add_topology(struct buf *b)
{
	u32 i;

	buf_u32(b, 2);
	add_text(b, "0-1");
	add_text(b, "2-3");
	buf_u32(b, 1);
	add_text(b, "0-3");
	for (i = 0; i < NR_CPUS; i++) {
		buf_u32(b, i % 2);
		buf_u32(b, i / 2);
	}
}

static void add_section(struct buf *b, u64 at, u64 size)
{
	buf_u64(b, at);
	buf_u64(b, size);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = 0x1cd,
		.sample_period = 1003,
		.sample_type = SAMPLE_TYPE,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
		.sample_id_all = 1,
	};
	const u64 id_at = 104, attr_at = id_at + 8, data_at = attr_at + sizeof(attr) + 16;
	struct buf file = {0}, topology = {0};
	u64 features_at;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: rare_records FILE PROGRAM\n");
		return 1;
	}
	add_all(argv[2]);
	buf_adds(&file, "PERFILE2");
	buf_u64(&file, 104);
	buf_u64(&file, sizeof(attr) + 16);
	add_section(&file, attr_at, sizeof(attr) + 16);
	add_section(&file, data_at, records.len);
	add_section(&file, 0, 0);
	buf_u64(&file, 1ull << HEADER_NRCPUS | 1ull << HEADER_CPU_TOPOLOGY);
	buf_pad(&file, '\0', 24);
	buf_u64(&file, ID);
	buf_add(&file, &attr, sizeof(attr));
	add_section(&file, id_at, 8);
	buf_add(&file, records.data, records.len);
	add_topology(&topology);
	features_at = data_at + records.len + 2 * 16;
	add_section(&file, features_at, 8);
	add_section(&file, features_at + 8, topology.len);
	buf_u32(&file, NR_CPUS);
	buf_u32(&file, NR_CPUS);
	buf_add(&file, topology.data, topology.len);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || file.failed || records.failed || topology.failed ||
	    io_write(fd, file.data, file.len) || close(fd)) {
		perror(argv[1]);
		return 1;
	}
	buf_free(&file);
	buf_free(&records);
	buf_free(&topology);
	return 0;
}
