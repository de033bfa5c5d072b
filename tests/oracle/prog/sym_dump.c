// SPDX-License-Identifier: GPL-2.0
/*
 * sym_dump.c - asks perf and perf-lite for the symbols at the same addresses.
 *
 *	sym_dump data  FILE|kernel OUT    write a perf.data whose call chains hold the addresses
 *	sym_dump names FILE|kernel        print what perf-lite finds, as `perf script` would
 *	sym_dump true  FILE|kernel        likewise, but what is right instead of what perf says
 *	sym_dump at    FILE               print the name, as it is in the file, of each virtual
 *	                                  address that comes from standard input
 *
 * Otherwise the addresses are the same in every run: the first, second and last byte of symbols and the byte
 * behind them, and others spread evenly over the code.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/buf.h"
#include "util/image/image.h"
#include "util/image/image_symbols.h"
#include "util/kernel/kallsyms.h"
#include "util/symbol/symbols.h"

#define USER_BASE 0x10000000ull /* where the file is mapped, from its first byte on */
#define PID       1000
#define CHAIN     100  /* addresses in one call chain */
#define MOST      6000 /* addresses of each sort */

static VEC(u64) addrs;
static u64 text_start, text_end; /* the kernel's, or the bounds of the file's code */

static void die(const char *what)
{
	fprintf(stderr, "sym_dump: %s\n", what);
	exit(2);
}

static void add_addr(u64 addr)
{
	u64 *a;

	if (addr < text_start || addr >= text_end)
		return;
	a = vec_push(&addrs);
	if (!a)
		die("out of memory");
	*a = addr;
}

static void find_bounds(const char *file, bool kernel, const struct symtab *st)
{
	struct image img;
	u32 i;

	text_start = UINT64_MAX;
	if (kernel) {
		for (i = 0; i < st->syms.nr; i++) {
			if (!strcmp(st->syms.v[i].name, "_etext"))
				text_end = st->syms.v[i].start;
		}
		text_start = st->syms.v[0].start;
		for (i = 0; i < st->syms.nr && !text_start; i++)
			text_start = st->syms.v[i].start;
		return;
	}
	if (image_open(&img, file, NULL))
		die("cannot open the file");
	for (i = 0; i < img.loads.nr; i++) {
		const GElf_Phdr *ph = &img.loads.v[i];

		if (!(ph->p_flags & PF_X))
			continue;
		text_start = MIN(text_start, ph->p_offset);
		text_end = MAX(text_end, ph->p_offset + ph->p_filesz);
	}
	image_close(&img);
}

static void choose_addrs(const char *file, bool kernel)
{
	struct symtab st = {0};
	struct image img;
	u32 i, step, nr;

	if (kernel) {
		if (kallsyms_load(&st, AT_FDCWD, "/proc/kallsyms", SYMTAB_PERF, NULL))
			die("cannot read kallsyms");
	} else {
		if (image_open(&img, file, NULL) ||
		    image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL))
			die("cannot read the file");
		image_close(&img);
	}
	find_bounds(file, kernel, &st);
	nr = st.syms.nr;
	step = nr / (MOST / 4) + 1;
	for (i = 0; i < nr; i += step) {
		const struct sym *sym = &st.syms.v[i];

		add_addr(sym->start);
		add_addr(sym->start + 1);
		add_addr(sym->end - 1);
		add_addr(sym->end);
	}
	for (i = 0; i < MOST && text_end > text_start; i++)
		add_addr(text_start + (text_end - text_start) / MOST * i + i % 7);
	symtab_free(&st);
}

static void add_record(struct buf *b, u32 type, u16 misc, const struct buf *body)
{
	buf_u32(b, type);
	buf_u16(b, misc);
	buf_u16(b, (u16)(8 + body->len));
	buf_add(b, body->data, body->len);
}

static void add_mmap(struct buf *b, bool kernel, u64 start, u64 len, const char *name)
{
	struct buf body = {0};

	buf_u32(&body, kernel ? (u32)-1 : PID);
	buf_u32(&body, kernel ? 0 : PID);
	buf_u64(&body, start);
	buf_u64(&body, len);
	buf_u64(&body, kernel ? start : 0);
	buf_add(&body, name, strlen(name) + 1);
	buf_pad(&body, '\0', -body.len & 7);
	add_record(b, PERF_RECORD_MMAP, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		   &body);
	buf_free(&body);
}

static void add_samples(struct buf *b, bool kernel)
{
	struct buf body = {0};
	u64 base = kernel ? 0 : USER_BASE;
	u32 i, j, n;

	for (i = 0; i < addrs.nr; i += n) {
		n = MIN(CHAIN, addrs.nr - i);
		buf_clear(&body);
		buf_u64(&body, base + addrs.v[i]);
		buf_u32(&body, PID);
		buf_u32(&body, PID);
		buf_u64(&body, 1 + n);
		buf_u64(&body, (u64)(kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER));
		for (j = 0; j < n; j++)
			buf_u64(&body, base + addrs.v[i + j]);
		add_record(b, PERF_RECORD_SAMPLE,
			   kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, &body);
	}
	buf_free(&body);
}

/* tools/perf/Documentation/perf.data-file-format.txt */
static void write_data(const char *file, bool kernel, const char *out)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN,
		.mmap = 1,
		.comm = 1,
	};
	const u64 attr_size = sizeof(attr) + 16, head_size = 104;
	struct buf b = {0}, data = {0}, comm = {0};
	FILE *f = fopen(out, "w");

	buf_u32(&comm, PID);
	buf_u32(&comm, PID);
	buf_add(&comm, "sym\0\0\0\0", 8);
	add_record(&data, PERF_RECORD_COMM, 0, &comm);
	if (kernel)
		add_mmap(&data, true, text_start, text_end - text_start, "[kernel.kallsyms]_text");
	else
		add_mmap(&data, false, USER_BASE, ALIGN_UP(text_end, 4096ull), file);
	add_samples(&data, kernel);

	buf_add(&b, "PERFILE2", 8);
	buf_u64(&b, head_size);
	buf_u64(&b, attr_size);
	buf_u64(&b, head_size); /* attrs */
	buf_u64(&b, attr_size);
	buf_u64(&b, head_size + attr_size); /* data */
	buf_u64(&b, data.len);
	buf_pad(&b, '\0', head_size - b.len); /* event types; no features */
	buf_add(&b, &attr, sizeof(attr));
	buf_pad(&b, '\0', 16); /* no ids */
	buf_add(&b, data.data, data.len);
	if (!f || data.failed || b.failed || fwrite(b.data, b.len, 1, f) != 1 || fclose(f))
		die("cannot write the data");
	buf_free(&comm);
	buf_free(&data);
	buf_free(&b);
}

static void print_names(struct symbols *s, const struct process_model *m, u32 dso)
{
	struct symbol sym;
	u32 i;

	for (i = 0; i < addrs.nr; i++) {
		if (symbols_find(s, m, dso, addrs.v[i], &sym))
			printf("\t%16" PRIx64 " %s+0x%" PRIx64 "\n", addrs.v[i], sym.name,
			       addrs.v[i] - sym.start);
		else
			printf("\t%16" PRIx64 " [unknown]\n", addrs.v[i]);
	}
}

static void print_asked(struct symbols *s, const struct process_model *m, u32 dso, const char *file)
{
	struct symbol sym;
	struct image img;
	char line[64];
	u64 offset;

	if (image_open(&img, file, NULL))
		die("cannot open the file");
	while (fgets(line, sizeof(line), stdin)) {
		if (!image_offset(&img, strtoull(line, NULL, 16), &offset) ||
		    !symbols_find(s, m, dso, offset, &sym))
			puts("-");
		else
			puts(sym.name);
	}
	image_close(&img);
}

int main(int argc, char **argv)
{
	struct symbols_options opt = {.kallsyms = "/proc/kallsyms", .demangle = true};
	struct process_model m;
	struct symbols *s;
	const char *what, *file;
	bool kernel;
	u32 dso;

	if (argc < 3)
		die("usage: sym_dump data|names|true|at FILE|kernel [OUT]");
	what = argv[1];
	file = argv[2];
	kernel = !strcmp(file, "kernel");
	if (strcmp(what, "at") != 0)
		choose_addrs(file, kernel);
	if (!strcmp(what, "data")) {
		if (argc < 4)
			die("no output file named");
		write_data(file, kernel, argv[3]);
		return 0;
	}
	opt.compat = !strcmp(what, "names");
	opt.demangle = strcmp(what, "at") != 0;
	s = symbols_new(&opt, NULL);
	if (!s || process_init(&m, NULL))
		die("out of memory");
	dso = kernel ? process_dso(&m, "[kernel.kallsyms]", 17, DSO_KERNEL, 0, 0, 0)
		     : process_dso(&m, file, strlen(file), DSO_FILE, 0, 0, 0);
	if (!strcmp(what, "at"))
		print_asked(s, &m, dso, file);
	else
		print_names(s, &m, dso);
	if (symbols_note(s, 0))
		fprintf(stderr, "%s\n", symbols_note(s, 0));
	symbols_free(s);
	process_free(&m);
	vec_free(&addrs);
	return 0;
}
