// SPDX-License-Identifier: GPL-2.0
#include "util/format/sideband_text.h"

#include <sys/mman.h>

#include "util/base/text.h"

/* "0x1f", and "0" for 0, as printf's %#lx. */
static void put_hex(struct buf *out, u64 v)
{
	if (v)
		buf_adds(out, "0x");
	buf_hex(out, v, 0);
}

static void put_name(struct buf *out, struct cur *c)
{
	size_t len;
	const char *s = cur_str(c, &len);

	if (s)
		text_escape(out, s, len);
}

/* "1/2", of which the kernel writes u32 and perf prints ints. */
static void put_pair(struct buf *out, struct cur *c, char between)
{
	buf_sdec(out, (s32)cur_u32(c), 0);
	buf_addc(out, between);
	buf_sdec(out, (s32)cur_u32(c), 0);
}

static void put_range(struct buf *out, struct cur *c)
{
	buf_addc(out, ' ');
	put_pair(out, c, '/');
	buf_adds(out, ": [");
	put_hex(out, cur_u64(c));
	buf_addc(out, '(');
	put_hex(out, cur_u64(c));
	buf_adds(out, ") @ ");
	put_hex(out, cur_u64(c));
}

static void put_mmap(const struct rec *rec, struct cur *c, struct buf *out)
{
	put_range(out, c);
	buf_adds(out, rec->misc & PERF_RECORD_MISC_MMAP_DATA ? "]: r " : "]: x ");
	put_name(out, c);
}

/* The build-id in place of device and inode: its size, 3 bytes of nothing, 20 bytes. */
static void put_build_id(struct cur *c, struct buf *out)
{
	u8 size = cur_u8(c), id[20] = {0};
	u32 i;

	cur_skip(c, 3);
	cur_copy(c, id, sizeof(id));
	buf_adds(out, " <");
	for (i = 0; i < MIN((size_t)size, sizeof(id)); i++)
		buf_addf(out, "%02x", id[i]);
	buf_addc(out, '>');
}

static void put_inode(struct cur *c, struct buf *out)
{
	u32 maj = cur_u32(c), min = cur_u32(c);
	u64 ino = cur_u64(c), generation = cur_u64(c);

	buf_addf(out, " %02x:%02x %llu %llu", maj, min, (unsigned long long)ino,
		 (unsigned long long)generation);
}

static void put_mmap2(const struct rec *rec, struct cur *c, struct buf *out)
{
	u32 prot, flags;

	put_range(out, c);
	if (rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
		put_build_id(c, out);
	else
		put_inode(c, out);
	prot = cur_u32(c);
	flags = cur_u32(c);
	buf_addf(out, "]: %c%c%c%c ", prot & PROT_READ ? 'r' : '-', prot & PROT_WRITE ? 'w' : '-',
		 prot & PROT_EXEC ? 'x' : '-', flags & MAP_SHARED ? 's' : 'p');
	put_name(out, c);
}

static void put_comm(const struct rec *rec, struct cur *c, struct buf *out)
{
	u32 pid = cur_u32(c), tid = cur_u32(c);

	buf_adds(out, rec->misc & PERF_RECORD_MISC_COMM_EXEC ? " exec: " : ": ");
	put_name(out, c);
	buf_addf(out, ":%d/%d", (int)pid, (int)tid);
}

/* The record has both processes before both threads. */
static void put_task(struct cur *c, struct buf *out)
{
	int pid = (int)cur_u32(c), ppid = (int)cur_u32(c);
	int tid = (int)cur_u32(c), ptid = (int)cur_u32(c);

	buf_addf(out, "(%d:%d):(%d:%d)", pid, tid, ppid, ptid);
}

static void put_switch(const struct rec *rec, struct cur *c, struct buf *out)
{
	bool leaves = rec->misc & PERF_RECORD_MISC_SWITCH_OUT;
	u32 pid, tid;

	buf_adds(out, !leaves                                           ? " IN         "
		      : rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? " OUT preempt"
									: " OUT        ");
	if (rec->type == PERF_RECORD_SWITCH)
		return;
	pid = cur_u32(c);
	tid = cur_u32(c);
	buf_addf(out, "  %s pid/tid: %5d/%-5d", leaves ? "next" : "prev", (int)pid, (int)tid);
}

/* Four in a line. */
static void put_namespaces(struct cur *c, struct buf *out)
{
	static const char *const names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
	u64 nr, i, dev;

	buf_addc(out, ' ');
	put_pair(out, c, '/');
	nr = cur_u64(c);
	buf_addf(out, " - nr_namespaces: %llu\n\t\t[", (unsigned long long)nr);
	for (i = 0; i < nr && cur_left(c) >= 16 && !c->bad; i++) {
		if (i && i % 4 == 0)
			buf_adds(out, "\n\t\t ");
		dev = cur_u64(c);
		buf_addf(out, "%llu/%s: %llu/", (unsigned long long)i,
			 i < ARRAY_SIZE(names) ? names[i] : "UNKNOWN", (unsigned long long)dev);
		put_hex(out, cur_u64(c));
		buf_adds(out, i + 1 < nr ? ", " : "]");
	}
}

static void put_ksymbol(struct cur *c, struct buf *out)
{
	u64 addr = cur_u64(c);
	u32 len = cur_u32(c), type = cur_u16(c), flags = cur_u16(c);

	buf_addf(out, " addr %llx len %u type %u flags 0x%x name ", (unsigned long long)addr, len,
		 type, flags);
	put_name(out, c);
}

static void put_bpf_event(struct cur *c, struct buf *out)
{
	u32 type = cur_u16(c), flags = cur_u16(c), id = cur_u32(c);

	buf_addf(out, " type %u, flags %u, id %u", type, flags, id);
}

/* Instructions before or after a change, 16 bytes a line. */
static void put_bytes(struct cur *c, u32 len, const char *title, struct buf *out)
{
	u32 i;

	for (i = 0; i < len && cur_left(c) && !c->bad; i++) {
		if (i % 16 == 0)
			buf_addf(out, "\n            %s bytes:", title);
		buf_addf(out, " %02x", cur_u8(c));
	}
}

static void put_text_poke(struct cur *c, const struct sideband_symbols *symbols, struct buf *out)
{
	u64 addr = cur_u64(c);
	u32 old_len = cur_u16(c), new_len = cur_u16(c);

	buf_addf(out, " %llx ", (unsigned long long)addr);
	if (symbols && symbols->symbol)
		symbols->symbol(symbols->arg, addr, true, out);
	buf_addf(out, " old len %u new len %u", old_len, new_len);
	put_bytes(c, old_len, "Old", out);
	put_bytes(c, new_len, "New", out);
}

void sideband_text(const struct rec *rec, const struct sideband_symbols *symbols, struct buf *out)
{
	const char *name = rec_type_name(rec->type);
	struct cur c = rec_body(rec);
	u64 number;

	buf_adds(out, "PERF_RECORD_");
	buf_adds(out, name ? name : "UNKNOWN");
	switch (rec->type) {
	case PERF_RECORD_MMAP:
		put_mmap(rec, &c, out);
		break;
	case PERF_RECORD_MMAP2:
		put_mmap2(rec, &c, out);
		break;
	case PERF_RECORD_COMM:
		put_comm(rec, &c, out);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		put_task(&c, out);
		break;
	case PERF_RECORD_LOST: /* the event's id, then how many */
		cur_u64(&c);
		/* fall through */
	case PERF_RECORD_LOST_SAMPLES:
		number = cur_u64(&c);
		buf_addf(out, " lost %llu", (unsigned long long)number);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		put_switch(rec, &c, out);
		break;
	case PERF_RECORD_NAMESPACES:
		put_namespaces(&c, out);
		break;
	case PERF_RECORD_CGROUP:
		number = cur_u64(&c);
		buf_addf(out, " cgroup: %llu ", (unsigned long long)number);
		put_name(out, &c);
		break;
	case PERF_RECORD_KSYMBOL:
		put_ksymbol(&c, out);
		break;
	case PERF_RECORD_BPF_EVENT:
		put_bpf_event(&c, out);
		break;
	case PERF_RECORD_TEXT_POKE:
		put_text_poke(&c, symbols, out);
		break;
	}
	buf_addc(out, '\n');
}
