// SPDX-License-Identifier: GPL-2.0
/* Names of symbols by number, from a table made here whose strings are many more than those asked for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/io.h"
#include "util/base/symtab.h"
#include "util/image/image_internal.h"

#define STRINGS (256u << 10)
#define LONG    1000u /* bytes of a name that is read in pieces */

enum { STRTAB = 1, DYNSYM, SHORT_NAME = 1, LONG_NAME, LAST_NAME, ENDLESS, OUTSIDE, NR };

static char strings[STRINGS];
static char long_name[LONG + 1];

static Elf_Scn *add_section(Elf *elf, u32 type, void *bytes, size_t len, size_t entry, u32 link)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *d = elf_newdata(scn);
	Elf64_Shdr *sh = elf64_getshdr(scn);

	*d = (Elf_Data){.d_buf = bytes,
			.d_size = len,
			.d_align = 8,
			.d_type = type == SHT_DYNSYM ? ELF_T_SYM : ELF_T_BYTE,
			.d_version = EV_CURRENT};
	sh->sh_type = type;
	sh->sh_entsize = entry;
	sh->sh_link = link;
	return scn;
}

/* The last name ends with the strings: no NUL is behind it but theirs. */
static int setup(void **state)
{
	Elf64_Sym symbols[NR] = {0};
	struct image *img = calloc(1, sizeof(*img));
	int fd = memfd_create("image", MFD_CLOEXEC);
	Elf64_Ehdr *eh;
	Elf *elf;

	elf_version(EV_CURRENT);
	memset(long_name, 'l', LONG);
	strcpy(strings + 1, "short");
	strcpy(strings + 1000, long_name);
	strcpy(strings + STRINGS - 5, "last");
	memset(strings + 5000, 'e', SYM_NAME_MAX + 1);
	symbols[ENDLESS].st_name = 5000;
	symbols[SHORT_NAME].st_name = 1;
	symbols[LONG_NAME].st_name = 1000;
	symbols[LAST_NAME].st_name = STRINGS - 5;
	symbols[OUTSIDE].st_name = STRINGS;
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	eh = elf64_newehdr(elf);
	eh->e_ident[EI_DATA] = ELFDATA2LSB;
	eh->e_machine = EM_X86_64;
	eh->e_type = ET_DYN;
	eh->e_version = EV_CURRENT;
	add_section(elf, SHT_STRTAB, strings, sizeof(strings), 0, 0);
	add_section(elf, SHT_DYNSYM, symbols, sizeof(symbols), sizeof(*symbols), STRTAB);
	if (elf_update(elf, ELF_C_WRITE) < 0)
		return -1;
	elf_end(elf);
	*state = img;
	return image_open_fd(img, fd, NULL);
}

static int teardown(void **state)
{
	image_close(*state);
	free(*state);
	return 0;
}

static void are_named(struct image_dynsym *d)
{
	assert_string_equal(image_dynsym_name(d, SHORT_NAME), "short");
	assert_string_equal(image_dynsym_name(d, LONG_NAME), long_name);
	assert_string_equal(image_dynsym_name(d, LAST_NAME), "last");
	assert_string_equal(image_dynsym_name(d, ENDLESS), "");
	assert_string_equal(image_dynsym_name(d, OUTSIDE), "");
	assert_string_equal(image_dynsym_name(d, 0), "");
	assert_string_equal(image_dynsym_name(d, NR), "");
	assert_string_equal(image_dynsym_name(d, UINT32_MAX), "");
}

static void by_itself(void **state)
{
	const struct image_names none = {0};
	struct image_dynsym d;
	struct err why = {0};

	image_dynsym_init(&d, *state, DYNSYM, SHORT_NAME, OUTSIDE, 4, none, &why);
	assert_null(d.names.s);
	are_named(&d);
	assert_int_equal(why.code, 0);
	image_dynsym_free(&d);
}

static void whole(void **state)
{
	const struct image_names none = {0};
	struct image_dynsym d;
	struct err why = {0};

	image_dynsym_init(&d, *state, DYNSYM, SHORT_NAME, OUTSIDE, 1000, none, &why);
	assert_non_null(d.names.s);
	are_named(&d);
	assert_int_equal(why.code, 0);
	image_dynsym_free(&d);
}

static void given(void **state)
{
	const struct image_names names = {strings, sizeof(strings)};
	struct image_dynsym d;
	struct err why = {0};

	image_dynsym_init(&d, *state, DYNSYM, SHORT_NAME, OUTSIDE, 4, names, &why);
	are_named(&d);
	assert_ptr_equal(image_dynsym_name(&d, SHORT_NAME), strings + 1);
	image_dynsym_free(&d);
}

/* No such section, no such symbols, none at all; and a file that was cut meanwhile. */
static void damaged(void **state)
{
	static const struct {
		u32 section, first, last;
	} bad[] = {{9, 1, 3}, {0, 1, 3}, {STRTAB, 1, 3}, {DYNSYM, 1, NR}, {DYNSYM, UINT32_MAX, 0}};
	const struct image_names none = {0};
	struct image *img = *state;
	struct image_dynsym d;
	struct err why = {0};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		image_dynsym_init(&d, img, bad[i].section, bad[i].first, bad[i].last, 3, none,
				  &why);
		assert_string_equal(image_dynsym_name(&d, 1), "");
		image_dynsym_free(&d);
	}
	image_dynsym_init(&d, img, DYNSYM, SHORT_NAME, OUTSIDE, 4, none, &why);
	assert_int_equal(why.code, 0);
	assert_int_equal(ftruncate(img->fd, 0), 0);
	assert_string_equal(image_dynsym_name(&d, SHORT_NAME), "");
	assert_int_equal(why.code, EIO);
	image_dynsym_free(&d);
}

static void no_memory(void **state)
{
	const struct image_names none = {0};
	struct image_dynsym d;
	struct err why = {0};
	const char *name;
	unsigned int n;

	for (n = 0;; n++) {
		oom_after(n);
		image_dynsym_init(&d, *state, DYNSYM, SHORT_NAME, OUTSIDE, 4, none, &why);
		name = image_dynsym_name(&d, LONG_NAME);
		if (name && *name)
			assert_string_equal(name, long_name);
		image_dynsym_free(&d);
		if (!oom_stop())
			break;
	}
	assert_true(n > 0);
	assert_non_null(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_itself, setup, teardown),
		cmocka_unit_test_setup_teardown(whole, setup, teardown),
		cmocka_unit_test_setup_teardown(given, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(no_memory, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("image_dynsym", tests, NULL, NULL);
}
