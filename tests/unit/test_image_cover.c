// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/made_elf.h"
#include "tests/unit/oom.h"
#include "util/base/io.h"
#include "util/image/image_symbols.h"
#include "util/symbol/symbols.h"

enum { TEXT = 1, INIT, PLT, DATA, STRINGS };

#define FUNC(at, len, section)                                                                \
	{                                                                                     \
		.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_value = at, \
		.st_size = len, .st_shndx = section                                           \
	}

/* An image with these symbols; a table of another type may stand before theirs. */
static void make(struct image *img, const Elf64_Sym *syms, size_t nr, u16 machine, u32 other)
{
	struct made_elf e;
	size_t at;
	int fd = memfd_create("image", MFD_CLOEXEC);

	made_elf_begin(&e, machine, 8);
	made_elf_section(&e, ".text", SHF_ALLOC | SHF_EXECINSTR, 0x200, 0x900);
	made_elf_section(&e, ".init", SHF_ALLOC | SHF_EXECINSTR, 0xb00, 0x20);
	made_elf_section(&e, ".plt", SHF_ALLOC | SHF_EXECINSTR, 0xc00, 0x40);
	made_elf_section(&e, ".data", SHF_ALLOC, 0xd00, 0x100);
	at = e.b.len;
	buf_add(&e.b, "\0f\0\0\0\0\0", 8);
	made_elf_section(&e, ".dynstr", 0, at, 8);
	e.sections[STRINGS].sh_type = SHT_STRTAB;
	at = e.b.len;
	buf_pad(&e.b, '\0', sizeof(*syms));
	buf_add(&e.b, syms, nr * sizeof(*syms));
	made_elf_section(&e, "symbols", 0, at, e.b.len - at);
	e.sections[e.nr_sections].sh_type = other ? other : SHT_DYNSYM;
	e.sections[e.nr_sections].sh_link = STRINGS;
	e.sections[e.nr_sections].sh_entsize = sizeof(*syms);
	made_elf_end(&e);
	assert_int_equal(io_write(fd, e.b.data, e.b.len), 0);
	assert_int_equal(image_open_fd(img, fd, NULL), 0);
	buf_free(&e.b);
}

static const Elf64_Sym usual[] = {
	FUNC(0x210, 0x20, TEXT),
	FUNC(0x230, 0x10, TEXT),  /* right behind it */
	FUNC(0x400, 0x200, TEXT), /* overlap */
	FUNC(0x300, 0x101, TEXT),
	FUNC(0x480, 0x10, TEXT),
	FUNC(0xb04, 0, INIT), /* to the end of its section */
	FUNC(0, 0, SHN_UNDEF),
	{.st_name = 1, .st_info = STT_OBJECT, .st_value = 0x900, .st_size = 16, .st_shndx = TEXT},
	{.st_name = 1, .st_info = STT_NOTYPE, .st_value = 0xd10, .st_size = 16, .st_shndx = DATA},
	{.st_name = 1, .st_info = STT_NOTYPE, .st_value = 0xa20, .st_size = 16, .st_shndx = TEXT},
};

/* All that has no symbol is a gap, but for stubs, which have no names here. */
static void gaps_have_no_symbols(void **state)
{
	struct image_cover c;
	struct symtab st = {0};
	struct image img;
	u32 at, gaps = 0;

	(void)state;
	make(&img, usual, ARRAY_SIZE(usual), EM_X86_64, 0);
	assert_true(image_cover_make(&c, &img));
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	for (at = 0; at < 0x1000; at++) {
		bool stub = at >= 0xc00 && at < 0xc40;

		assert_int_equal(image_cover_is_gap(&c, at), !stub && !symtab_find(&st, at));
		gaps += image_cover_is_gap(&c, at);
	}
	assert_true(gaps > 1000);
	assert_true(image_cover_is_gap(&c, c.first + c.size - 1) ||
		    symtab_find(&st, c.first + c.size - 1));
	assert_false(image_cover_is_gap(&c, c.first + c.size));
	/* not in the file */
	assert_false(image_cover_is_gap(&c, 1 << 20));
	assert_false(image_cover_is_gap(&c, UINT64_MAX));
	image_cover_free(&c);
	assert_false(image_cover_is_gap(&c, 0x700));
	symtab_free(&st);
	image_close(&img);
}

static void not_told(void **state)
{
	static const Elf64_Sym none[] = {FUNC(0, 0, SHN_UNDEF)};
	static const Elf64_Sym nowhere[] = {FUNC(0x300, 16, TEXT), FUNC(0x10000000, 16, TEXT)};
	static const Elf64_Sym no_section[] = {FUNC(0x300, 16, TEXT), FUNC(0x310, 0, 200)};
	static const struct {
		const Elf64_Sym *syms;
		size_t nr;
		u32 other;
	} images[] = {
		{none, 1, 0},
		{nowhere, 2, 0},
		{no_section, 2, 0},
		{usual, ARRAY_SIZE(usual), SHT_SYMTAB},
		{usual, ARRAY_SIZE(usual), SHT_PROGBITS},
	};
	struct image_cover c;
	struct image img;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(images); i++) {
		make(&img, images[i].syms, images[i].nr, EM_X86_64, images[i].other);
		assert_false(image_cover_make(&c, &img));
		assert_false(image_cover_is_gap(&c, 0x700));
		image_close(&img);
	}
}

static void out_of_memory(void **state)
{
	struct image_cover c;
	struct image img;
	u32 n;

	(void)state;
	make(&img, usual, ARRAY_SIZE(usual), EM_X86_64, 0);
	for (n = 0;; n++) {
		bool made;

		oom_after(n);
		made = image_cover_make(&c, &img);
		if (!oom_stop())
			break;
		if (made)
			image_cover_free(&c);
	}
	assert_true(n >= 2);
	assert_true(image_cover_is_gap(&c, 0x700));
	image_cover_free(&c);
	image_close(&img);
}

/* Gaps are known before a table is loaded, which says the same. */
static void asked_first(void **state)
{
	struct symbols_options opt = {0};
	struct process_model m;
	struct symbol found;
	struct symbols *s;
	struct image img;
	char path[64];
	u32 dso, gone, i;

	(void)state;
	make(&img, usual, ARRAY_SIZE(usual), EM_X86_64, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", img.fd);
	assert_int_equal(process_init(&m, NULL), 0);
	dso = process_dso(&m, path, strlen(path), DSO_FILE, 0, 0, 0);
	gone = process_dso(&m, "/nonexistent", 12, DSO_FILE, 0, 0, 0);
	for (i = 0; i < 2; i++) {
		opt.compat = i;
		s = symbols_new(&opt, NULL);
		assert_non_null(s);
		/* perf's view takes other symbols */
		assert_int_equal(symbols_is_gap(s, &m, dso, 0x700), !opt.compat);
		assert_int_equal(symbols_why(s, &m, dso), opt.compat ? 0 : -ENODATA);
		assert_false(symbols_is_gap(s, &m, dso, 0x210));
		assert_true(symbols_find(s, &m, dso, 0x210, &found));
		assert_string_equal(found.name, "f");
		assert_false(symbols_find(s, &m, dso, 0x700, &found));
		assert_int_equal(symbols_why(s, &m, dso), -ENODATA);
		assert_false(symbols_is_gap(s, &m, dso, 0x700));
		assert_false(symbols_is_gap(s, &m, gone, 0x700));
		assert_false(symbols_is_gap(s, &m, 99, 0x700));
		assert_null(symbols_note(s, 0));
		symbols_free(s);
	}
	process_free(&m);
	image_close(&img);
}

/* Of the files of this machine that have symbols to export alone. */
static void real_files(void **state)
{
	static const char *const files[] = {
		"/bin/sh", "/bin/bash", "/lib/x86_64-linux-gnu/libc.so.6",
		"/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/bin/perf"};
	struct image_cover c;
	struct image img;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		struct symtab st = {0};
		u64 at;

		if (image_open(&img, files[i], NULL))
			continue;
		if (image_cover_make(&c, &img)) {
			assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL),
					 0);
			for (at = c.first; at < c.first + c.size; at++)
				if (image_cover_is_gap(&c, at))
					assert_null(symtab_find(&st, at));
			image_cover_free(&c);
		}
		symtab_free(&st);
		image_close(&img);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_have_no_symbols), cmocka_unit_test(not_told),
		cmocka_unit_test(out_of_memory),        cmocka_unit_test(asked_first),
		cmocka_unit_test(real_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
