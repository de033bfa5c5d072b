// SPDX-License-Identifier: GPL-2.0
/*
 * tp_oracle: print records of every event format of this kernel with libtraceevent and with our
 * compiled print fmts, and compare.
 *
 *	tp_oracle EVENTS_DIR [-n RECORDS] [-v] [-b]
 *
 * Records are random but plausible, from a fixed seed: __data_loc fields point to strings or
 * numbers behind the fixed part, integers are small, large or single bits. Prints each difference
 * and a summary; exit status 1 if there is any that known[] does not explain, or if a format does
 * not compile that known[] does not name. -b times both instead (ns per record).
 */
#include <event-parse.h>

#include <ctype.h>
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
#include "util/tracepoint/tp_run.h"

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
	{"kvm:kvm_nested_vmenter", DIFFERS, "a ? b : c == d ? e : f read as (a ? b : c == d) ? e : f"},
	{"kvmmmu:kvm_mmu_get_page", NO_PROGRAM, "bit fields of a union"},
	{"kvmmmu:kvm_mmu_prepare_zap_page", NO_PROGRAM, "bit fields of a union"},
	{"kvmmmu:kvm_mmu_sync_page", NO_PROGRAM, "bit fields of a union"},
	{"kvmmmu:kvm_mmu_unsync_page", NO_PROGRAM, "bit fields of a union"},
	{"maple_tree:ma_op", DIFFERS, "no tab in a string"},
	{"maple_tree:ma_read", DIFFERS, "no tab in a string"},
	{"maple_tree:ma_write", DIFFERS, "no tab in a string"},
	{"ras:arm_event", DIFFERS, "prints bytes behind the array"},
	{"ras:mc_event", DIFFERS, "no mc_event_error_type()"},
	{"ras:non_standard_event", DIFFERS, "prints bytes behind the array"},
	{"sched:sched_skip_cpuset_numa", DIFFERS, "no %*pbl"},
	{"tcp:tcp_ao_handshake_failure", DIFFERS, "no %c"},
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
	unsigned long formats, records, different, explained, refused;
	u64 ours_ns, theirs_ns;
};

static const struct known *find_known(const char *event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].event, event))
			return &known[i];
	return NULL;
}

static struct tep_handle *theirs_open(const char *text, size_t len, const char *system,
				      struct tep_event **event, u32 id)
{
	struct tep_handle *tep = tep_alloc();

	tep_set_long_size(tep, 8);
	tep_set_page_size(tep, 4096);
	tep_parse_event(tep, text, len, system);
	*event = tep_find_event(tep, (int)id);
	return tep;
}

static int quiet(const char *name, enum tep_loglevel level, const char *fmt, va_list ap)
{
	(void)name;
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap);
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap)
{
	(void)print_err;
	return quiet(name, level, fmt, ap);
}

static void one_event(const char *name, const char *system, const struct buf *text,
		      unsigned int records, bool verbose, bool bench, struct totals *t)
{
	const struct tp_opts opts = {.long_size = 8, .compat = true, .hz = 250};
	const struct known *k = find_known(name);
	struct err err = {0};
	struct tp_format *f = tp_format_parse(text->data, text->len, &err);
	struct tp_prog *p = f ? tp_prog_compile(f, &opts, &err) : NULL;
	static u8 raw[8192];
	struct trace_seq seq;
	struct tep_event *event;
	struct tep_handle *tep;
	struct buf out = {0};
	bool bad = false;
	u64 before;
	unsigned int i;

	t->formats++;
	if (!p) {
		printf("# %s: %s%s%s\n", name, err.msg, k ? " -- known: " : "", k ? k->why : "");
		t->refused += !k;
		t->explained += k != NULL;
		tp_format_free(f);
		return;
	}
	tep = theirs_open(text->data, text->len, system, &event, f->id);
	for (i = 0; event && i < records; i++) {
		size_t n = make_record(f, raw, sizeof(raw) - 64);
		struct tp_run run = {.raw = raw, .len = n};
		struct tep_record rec = {.data = raw, .size = (int)n};

		if (!bench || !i) {
			trace_seq_init(&seq);
			before = clock_ns(CLOCK_MONOTONIC);
			tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_INFO);
			t->theirs_ns += clock_ns(CLOCK_MONOTONIC) - before;
			trace_seq_terminate(&seq);
		}
		buf_clear(&out);
		before = clock_ns(CLOCK_MONOTONIC);
		tp_prog_run(p, &run, &out);
		t->ours_ns += clock_ns(CLOCK_MONOTONIC) - before;
		t->records++;
		if (!bench && strcmp(seq.buffer, buf_str(&out))) {
			if (!bad && (!k || verbose))
				printf("# %s\n#   theirs %s\n#   ours   %s\n", name, seq.buffer,
				       buf_str(&out));
			bad = true;
		}
		if (!bench || !i)
			trace_seq_destroy(&seq);
	}
	t->different += bad && !k;
	t->explained += bad && k;
	buf_free(&out);
	tep_free(tep);
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

int main(int argc, char **argv)
{
	unsigned int records = 20;
	bool verbose = false, bench = false;
	struct totals t = {0};
	struct dirent **systems, **events;
	int opt, nr_systems, nr_events, i, j;

	seed = 0x9e3779b97f4a7c15ull;
	while ((opt = getopt(argc, argv, "n:vb")) != -1) {
		if (opt == 'n')
			records = (unsigned int)atoi(optarg);
		verbose |= opt == 'v';
		bench |= opt == 'b';
	}
	if (optind >= argc) {
		fprintf(stderr, "usage: tp_oracle [-n RECORDS] [-v] [-b] EVENTS_DIR\n");
		return 2;
	}
	nr_systems = scandir(argv[optind], &systems, visible, by_name);
	for (i = 0; i < nr_systems; i++) {
		char dir[512], path[1024], name[512];

		snprintf(dir, sizeof(dir), "%s/%s", argv[optind], systems[i]->d_name);
		nr_events = scandir(dir, &events, visible, by_name);
		for (j = 0; j < nr_events; j++) {
			struct buf text = {0};

			snprintf(path, sizeof(path), "%s/%s/format", dir, events[j]->d_name);
			snprintf(name, sizeof(name), "%s:%s", systems[i]->d_name,
				 events[j]->d_name);
			/* libtraceevent gives the fields of ftrace:* their own meaning. */
			if (strcmp(systems[i]->d_name, "ftrace") &&
			    !io_read_file(AT_FDCWD, path, &text, TP_FORMAT_MAX))
				one_event(name, systems[i]->d_name, &text, records, verbose, bench,
					  &t);
			buf_free(&text);
		}
	}
	printf("# %lu formats, %lu records; %lu formats explained; ns per record: %llu ours, %llu theirs\n",
	       t.formats, t.records, t.explained,
	       (unsigned long long)(t.records ? t.ours_ns / t.records : 0),
	       (unsigned long long)(t.records ? t.theirs_ns / t.records : 0));
	printf("%s 1 - every format compiles\n", t.refused || !t.formats ? "not ok" : "ok");
	printf("%s 2 - texts are those of libtraceevent\n", t.different ? "not ok" : "ok");
	printf("1..2\n");
	return t.refused || t.different || !t.formats;
}
