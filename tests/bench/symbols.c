// SPDX-License-Identifier: GPL-2.0
/*
 * symbols.c - what tables of symbols cost: for /proc/kallsyms and each image that is named, the time
 * to make the table of it (after its first reading), and to look an address up in it.
 *
 *	symbols FILE...
 *
 * The least of ROUNDS. Lookups are of LOOKUPS distinct addresses, as many as a profile has, spread over all
 * functions and shuffled; for images dwfl_module_addrinfo(3) is asked for a few of the same.
 */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/base/buf.h"
#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/image/debug_file.h"
#include "util/image/image_symbols.h"
#include "util/kernel/kallsyms.h"

#define ROUNDS       21
#define LOOKUPS      2048
#define REPEATS      128
#define DWFL_LOOKUPS 200

static u64 sink;

static double least_ms(const u64 *ns)
{
	u64 least = ns[0];
	u32 i;

	for (i = 1; i < ROUNDS; i++)
		least = MIN(least, ns[i]);
	return (double)least / 1e6;
}

static void die(const char *what)
{
	fprintf(stderr, "symbols: %s\n", what);
	exit(1);
}

static u64 *choose(const struct symtab *st)
{
	u64 *addrs = malloc(LOOKUPS * sizeof(*addrs)), seed = 1, swap;
	u32 i, j;

	if (!addrs)
		die("out of memory");
	for (i = 0; i < LOOKUPS; i++) {
		const struct sym *sym = &st->syms.v[(u64)i * st->syms.nr / LOOKUPS];

		addrs[i] = sym->start + (sym->end > sym->start ? i % (sym->end - sym->start) : 0);
	}
	for (i = LOOKUPS - 1; i > 0; i--) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		j = (u32)((seed >> 33) % (i + 1));
		swap = addrs[i];
		addrs[i] = addrs[j];
		addrs[j] = swap;
	}
	return addrs;
}

static double lookup_ns(const struct symtab *st, const u64 *addrs)
{
	u64 ns[ROUNDS], t;
	u32 round, i;

	for (round = 0; round < ROUNDS; round++) {
		t = clock_ns(CLOCK_MONOTONIC);
		for (i = 0; i < LOOKUPS * REPEATS; i++) {
			const struct sym *sym = symtab_find(st, addrs[i % LOOKUPS]);

			sink += sym ? sym->order : 0;
		}
		ns[round] = clock_ns(CLOCK_MONOTONIC) - t;
	}
	return least_ms(ns) * 1e6 / (LOOKUPS * REPEATS);
}

static void kernel(void)
{
	struct symtab st = {0};
	struct buf text = {0}, copy = {0};
	u64 ns[ROUNDS], read, *addrs;
	u32 i;

	read = clock_ns(CLOCK_MONOTONIC);
	if (io_read_file(AT_FDCWD, "/proc/kallsyms", &text, 256 << 20))
		die("cannot read /proc/kallsyms");
	read = clock_ns(CLOCK_MONOTONIC) - read;
	for (i = 0; i < ROUNDS; i++) {
		symtab_free(&st);
		buf_add(&copy, text.data, text.len);
		ns[i] = clock_ns(CLOCK_MONOTONIC);
		if (kallsyms_take(&st, &copy, SYMTAB_NESTED, NULL))
			die("cannot parse /proc/kallsyms");
		ns[i] = clock_ns(CLOCK_MONOTONIC) - ns[i];
	}
	addrs = choose(&st);
	printf("%-28s %8u %10.2f %10.2f %10.1f %10s\n", "/proc/kallsyms", st.syms.nr,
	       (double)read / 1e6, least_ms(ns), lookup_ns(&st, addrs), "-");
	free(addrs);
	symtab_free(&st);
	buf_free(&text);
}

static double dwfl_us(const char *file, const struct image *img, const u64 *addrs)
{
	static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
						 .section_address = dwfl_offline_section_address,
						 .find_elf = dwfl_build_id_find_elf};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *mod = dwfl ? dwfl_report_offline(dwfl, file, file, -1) : NULL;
	GElf_Addr low, bias = 0;
	u64 t, vaddr;
	u32 i;

	if (!mod || dwfl_report_end(dwfl, NULL, NULL) || !dwfl_module_getelf(mod, &bias) ||
	    dwfl_module_getsymtab(mod) < 0)
		die("libdwfl cannot read the file");
	dwfl_module_info(mod, NULL, &low, NULL, NULL, NULL, NULL, NULL);
	t = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < DWFL_LOOKUPS; i++)
		if (image_vaddr(img, addrs[i], &vaddr))
			sink += dwfl_module_addrname(mod, vaddr + bias) != NULL;
	t = clock_ns(CLOCK_MONOTONIC) - t;
	dwfl_end(dwfl);
	return (double)t / 1e3 / DWFL_LOOKUPS;
}

static void measure(const char *file)
{
	const struct debug_file_options o = {0};
	struct image img, debug;
	struct symtab st = {0};
	u64 ns[ROUNDS], *addrs;
	bool separate;
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		symtab_free(&st);
		ns[i] = clock_ns(CLOCK_MONOTONIC);
		if (image_open(&img, file, NULL))
			die("cannot open the file");
		separate = !debug_file_open(&img, file, &o, DEBUG_FILE_SYMBOLS, &debug, NULL);
		if (image_symbols_load(&img, separate ? &debug : NULL, &st, SYMTAB_NESTED, NULL))
			die("out of memory");
		ns[i] = clock_ns(CLOCK_MONOTONIC) - ns[i];
		if (separate)
			image_close(&debug);
		if (i < ROUNDS - 1)
			image_close(&img);
	}
	if (!st.syms.nr)
		die("the file has no symbols");
	addrs = choose(&st);
	printf("%-28.28s %8u %10s %10.2f %10.1f %10.1f\n",
	       strrchr(file, '/') ? strrchr(file, '/') + 1 : file, st.syms.nr, "-", least_ms(ns),
	       lookup_ns(&st, addrs), dwfl_us(file, &img, addrs));
	image_close(&img);
	free(addrs);
	symtab_free(&st);
}

int main(int argc, char **argv)
{
	int i;

	printf("%-28s %8s %10s %10s %10s %10s\n", "", "symbols", "read ms", "table ms", "lookup ns",
	       "libdwfl us");
	kernel();
	for (i = 1; i < argc; i++)
		measure(argv[i]);
	return sink == 42;
}
