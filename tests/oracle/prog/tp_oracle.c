// SPDX-License-Identifier: GPL-2.0
/*
 * tp_oracle: print records of every event format of this kernel with libtraceevent and with our
 * compiled print fmts, and compare.
 *
 *	tp_oracle EVENTS_DIR RECORDS
 *
 * RECORDS records of each event are random but plausible, from a fixed seed: __data_loc fields
 * point to strings or numbers behind the fixed part, integers are small, large or single bits.
 * Prints each event that differs, and a summary. Exit status 0 if none does but those of known[].
 */
#include <event-parse.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace-seq.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_prog.h"

/*
 * Where the texts are known to differ, as libtraceevent reads the print fmt otherwise than a C
 * compiler does; and the print fmts that hold code, which nobody can run without the kernel's types.
 */
enum verdict { DIFFERS, NO_PROGRAM };

static const struct known {
	const char *event;
	enum verdict verdict;
	const char *why;
} known[] = {
	{"btrfs:raid56_read", DIFFERS, "a - b + c read as a - (b + c)"},
	{"btrfs:raid56_write", DIFFERS, "a - b + c read as a - (b + c)"},
	{"dma:dma_alloc_sgt", DIFFERS, "no sizeof(u64)"},
	{"dma:dma_free_sgt", DIFFERS, "no sizeof(u64)"},
	{"dma:dma_map_sg", DIFFERS, "no ({ })"},
	{"dma:dma_map_sg_err", DIFFERS, "no sizeof(u64)"},
	{"dma:dma_sync_sg_for_cpu", DIFFERS, "no sizeof(u64)"},
	{"dma:dma_sync_sg_for_device", DIFFERS, "no sizeof(u64)"},
	{"dma:dma_unmap_sg", DIFFERS, "no sizeof(u64)"},
	{"jbd2:jbd2_checkpoint_stats", DIFFERS, "no jiffies_to_msecs()"},
	{"jbd2:jbd2_run_stats", DIFFERS, "no jiffies_to_msecs()"},
	{"kmem:mm_page_alloc_extfrag", DIFFERS, "a < (b < c ? b : c) read as (a < b < c) ? b : c"},
	{"kvm:kvm_inj_exception", DIFFERS, "no empty list"},
	{"kvm:kvm_nested_vmenter", DIFFERS,
	 "a ? b : c == d ? e : f read as (a ? b : c == d) ? e : f"},
	{"kvmmmu:kvm_mmu_get_page", NO_PROGRAM, "bit fields of a union"},
	{"kvmmmu:kvm_mmu_prepare_zap_page", NO_PROGRAM, "bit fields of a union"},
	{"kvmmmu:kvm_mmu_sync_page", NO_PROGRAM, "bit fields of a union"},
	{"kvmmmu:kvm_mmu_unsync_page", NO_PROGRAM, "bit fields of a union"},
	{"maple_tree:ma_op", DIFFERS, "refused by 1.7, the text is that of perf 6.1"},
	{"maple_tree:ma_read", DIFFERS, "refused by 1.7, the text is that of perf 6.1"},
	{"maple_tree:ma_write", DIFFERS, "refused by 1.7, the text is that of perf 6.1"},
	{"ras:arm_event", DIFFERS, "prints bytes behind the array"},
	{"ras:mc_event", DIFFERS, "no mc_event_error_type()"},
	{"ras:non_standard_event", DIFFERS, "prints bytes behind the array"},
	{"sched:sched_skip_cpuset_numa", DIFFERS, "no %*pbl"},
	{"tcp:tcp_ao_handshake_failure", DIFFERS, "no %c"},
	{"tcp:tcp_hash_ao_required", DIFFERS, "no %c"},
	{"tcp:tcp_hash_bad_header", DIFFERS, "no %c"},
	{"tcp:tcp_hash_md5_mismatch", DIFFERS, "no %c"},
	{"tcp:tcp_hash_md5_required", DIFFERS, "no %c"},
	{"tcp:tcp_hash_md5_unexpected", DIFFERS, "no %c"},
	{"timer:timer_start", DIFFERS, "a & (b | c) read as (a & b) | c"},
};

static u64 seed;

static u64 rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static u64 plausible(void)
{
	switch (rnd() % 6) {
	case 0:
		return 0;
	case 1:
		return rnd() % 16;
	case 2:
		return rnd() % 300;
	case 3:
		return 1ull << rnd() % 64;
	case 4:
		return 0xffff888000000000ull | (rnd() & 0xffffffff);
	default:
		return rnd();
	}
}

static void put_string(u8 *p, size_t room)
{
	static const char set[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789_-./: ";
	size_t n = room ? rnd() % room : 0, i;

	for (i = 0; i < n; i++)
		p[i] = (u8)set[rnd() % (sizeof(set) - 1)];
	memset(p + n, 0, room - n);
}

static void put_elems(u8 *p, size_t bytes, size_t elem)
{
	size_t i;

	for (i = 0; elem && i + elem <= bytes; i += elem) {
		u64 v = plausible();

		memcpy(p + i, &v, elem > 8 ? 8 : elem);
	}
}

/* An address that %pISpc understands, or bytes. */
static void put_array(const struct tp_field *f, u8 *p)
{
	static const u8 families[] = {2, 10, 2, 10, 1};
	u16 family = families[rnd() % 5];

	if (f->is_string) {
		put_string(p, f->size);
		return;
	}
	put_elems(p, f->size, f->elem_size);
	if (strstr(f->name, "addr") && f->size >= 16)
		memcpy(p, &family, sizeof(family));
}

static size_t make_record(const struct tp_format *f, u8 *raw, size_t room)
{
	size_t end = 0, tail, n;
	u32 i, word;

	memset(raw, 0, room);
	for (i = 0; i < f->nr_fields; i++)
		end = MAX(end, (size_t)f->fields[i].offset + f->fields[i].size);
	tail = end;
	for (i = 0; i < f->nr_fields; i++) {
		const struct tp_field *fl = &f->fields[i];
		u64 v = plausible();

		if (fl->loc != TP_LOC_FIXED) {
			n = fl->is_string ? 1 + rnd() % 40 : 8 * (rnd() % 6);
			if (tail + n > room)
				n = 0;
			if (fl->is_string)
				put_string(raw + tail, n);
			else
				put_elems(raw + tail, n, fl->elem_size ? fl->elem_size : 1);
			word = (u32)(tail - (fl->loc == TP_LOC_REL ? fl->offset + 4 : 0));
			word |= (u32)n << 16;
			memcpy(raw + fl->offset, &word, sizeof(word));
			tail += n;
		} else if (fl->is_array) {
			put_array(fl, raw + fl->offset);
		} else if (fl->size <= 8) {
			if (!strcmp(fl->name, "len") || strstr(fl->name, "_len") ||
			    strstr(fl->name, "namelen"))
				v = rnd() % 8;
			memcpy(raw + fl->offset, &v, fl->size);
		}
	}
	memcpy(raw, &f->id, 2);
	return tail;
}

struct totals {
	unsigned long formats, records, different, known, refused;
	u64 ours_ns, theirs_ns;
};

struct theirs {
	struct tep_handle *tep;
	struct tep_event *event;
};

static const struct known *find_known(const char *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].event, event))
			return &known[i];
	return NULL;
}

/* Takes the place of the library's own, which tells standard error of what it cannot read. */
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap);
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap)
{
	(void)name;
	(void)level;
	(void)print_err;
	(void)fmt;
	(void)ap;
	return 0;
}

static bool same_text(struct theirs *t, const struct tp_prog *p, const struct tp_run *run,
		      struct totals *totals)
{
	struct tep_record rec = {.data = (void *)run->raw, .size = (int)run->len};
	struct trace_seq seq;
	struct buf out = {0};
	u64 start, middle;
	bool same;

	trace_seq_init(&seq);
	start = clock_ns(CLOCK_MONOTONIC);
	tep_print_event(t->tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	middle = clock_ns(CLOCK_MONOTONIC);
	tp_prog_run(p, run, &out);
	totals->ours_ns += clock_ns(CLOCK_MONOTONIC) - middle;
	totals->theirs_ns += middle - start;
	totals->records++;
	same = !strcmp(seq.buffer, buf_str(&out));
	if (!same)
		printf("  theirs %s\n  ours   %s\n", seq.buffer, buf_str(&out));
	trace_seq_destroy(&seq);
	buf_free(&out);
	return same;
}

/* Records of one event, up to the first that differs. */
static bool same_event(struct theirs *t, const struct tp_format *f, const struct tp_prog *p,
		       unsigned int records, struct totals *totals)
{
	static u8 raw[8192];
	struct tp_run run = {.raw = raw};
	bool same = true;

	while (same && records--) {
		run.len = make_record(f, raw, sizeof(raw));
		same = same_text(t, p, &run, totals);
	}
	return same;
}

static void one_event(const char *name, const char *system, const struct buf *text,
		      unsigned int records, struct totals *totals)
{
	const struct tp_opts opts = {.long_size = 8, .compat = true, .hz = 250};
	const struct known *k = find_known(name);
	struct err err = {0};
	struct tp_format *f = tp_format_parse(text->data, text->len, &err);
	struct tp_prog *p = f ? tp_prog_compile(f, &opts, &err) : NULL;
	struct theirs t = {.tep = tep_alloc()};

	totals->formats++;
	if (!p && !(k && k->verdict == NO_PROGRAM)) {
		printf("no program: %s: %s\n", name, err.msg);
		totals->refused++;
	}
	tep_set_long_size(t.tep, sizeof(long));
	tep_set_page_size(t.tep, 4096);
	tep_parse_event(t.tep, text->data, text->len, system);
	t.event = f ? tep_find_event(t.tep, (int)f->id) : NULL;
	if (t.event && p && !k && !same_event(&t, f, p, records, totals)) {
		printf("differs: %s\n", name);
		totals->different++;
	}
	totals->known += k != NULL;
	tep_free(t.tep);
	tp_prog_free(p);
	tp_format_free(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void one_system(const char *events, const char *system, unsigned int records,
		       struct totals *totals)
{
	char dir[1024], path[2048], name[1024];
	struct dirent **list;
	struct buf text = {0};
	int nr, i;

	snprintf(dir, sizeof(dir), "%s/%s", events, system);
	nr = scandir(dir, &list, visible, by_name);
	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/%s/format", dir, list[i]->d_name);
		snprintf(name, sizeof(name), "%s:%s", system, list[i]->d_name);
		buf_clear(&text);
		if (!io_read_file(AT_FDCWD, path, &text, TP_FORMAT_MAX))
			one_event(name, system, &text, records, totals);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
	buf_free(&text);
}

int main(int argc, char **argv)
{
	struct totals t = {0};
	struct dirent **list;
	int nr, i;

	if (argc != 3) {
		fprintf(stderr, "usage: tp_oracle EVENTS_DIR RECORDS\n");
		return 2;
	}
	seed = 0x9e3779b97f4a7c15ull;
	nr = scandir(argv[1], &list, visible, by_name);
	for (i = 0; i < nr; i++) {
		/* libtraceevent gives the arguments of ftrace:* a meaning of their own. */
		if (strcmp(list[i]->d_name, "ftrace"))
			one_system(argv[1], list[i]->d_name, (unsigned int)atoi(argv[2]), &t);
		free(list[i]);
	}
	if (nr >= 0)
		free(list);
	printf("%lu formats, %lu of them known to differ; %lu records; ns each: %llu ours, %llu theirs\n",
	       t.formats, t.known, t.records,
	       (unsigned long long)(t.records ? t.ours_ns / t.records : 0),
	       (unsigned long long)(t.records ? t.theirs_ns / t.records : 0));
	return t.refused || t.different || !t.records;
}
