// SPDX-License-Identifier: GPL-2.0
/* util/image and util/symbol/symbols, with the programs tests/prog/symbols.c and mangled.cc. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made_elf.h"
#include "tests/unit/oom.h"
#include "util/base/io.h"
#include "util/image/image.h"
#include "util/image/image_symbols.h"
#include "util/record/rec_build.h"
#include "util/symbol/symbols.h"

static char path[4096];

/* The path of a program, absolute; NULL if it was not built. */
static const char *program(const char *name)
{
	const char *o = getenv("O");
	char *real;

	snprintf(path, sizeof(path), "%s/tests/prog/%s", o ? o : "build", name);
	real = realpath(path, NULL);
	if (!real)
		return NULL;
	snprintf(path, sizeof(path), "%s", real);
	free(real);
	return path;
}

static const struct sym *by_name(const struct symtab *st, const char *name)
{
	u32 i;

	for (i = 0; i < st->syms.nr; i++) {
		if (!strcmp(st->syms.v[i].name, name))
			return &st->syms.v[i];
	}
	return NULL;
}

static const char *at(const struct symtab *st, u64 addr)
{
	const struct sym *sym = symtab_find(st, addr);

	return sym ? sym->name : "";
}

static void test_notes(void **state)
{
	/* name size, desc size, type; another note, a build-id, and a broken one */
	static const u32 other[] = {4, 5, 1, 0x00554e47, 1, 2};
	static const u32 id[] = {4, 8, 3, 0x00554e47, 0x03020100, 0x07060504};
	static const u32 long_id[] = {4, 24, 3, 0x00554e47, 1, 2, 3, 4, 5, 6};
	static const u32 broken[] = {4, 0xfffffff0, 3, 0x00554e47, 1};
	static const u32 huge[] = {0xffffffff, 4, 3, 0x00554e47, 1};
	u32 both[ARRAY_SIZE(other) + ARRAY_SIZE(id)], swapped[ARRAY_SIZE(id)];
	u8 got[IMAGE_BUILD_ID_MAX];
	size_t i;

	(void)state;
	memcpy(both, other, sizeof(other));
	memcpy(both + ARRAY_SIZE(other), id, sizeof(id));
	assert_int_equal(image_build_id_from_notes(both, sizeof(both), false, got), 8);
	assert_memory_equal(got, "\0\1\2\3\4\5\6\7", 8);
	memcpy(swapped, id, sizeof(id));
	for (i = 0; i < 3; i++)
		swapped[i] = __builtin_bswap32(swapped[i]);
	assert_int_equal(image_build_id_from_notes(swapped, sizeof(swapped), true, got), 8);
	assert_int_equal(image_build_id_from_notes(swapped, sizeof(swapped), false, got), 0);
	assert_int_equal(image_build_id_from_notes(long_id, sizeof(long_id), false, got),
			 IMAGE_BUILD_ID_MAX);
	assert_int_equal(image_build_id_from_notes(broken, sizeof(broken), false, got), 0);
	assert_int_equal(image_build_id_from_notes(huge, sizeof(huge), false, got), 0);
	for (i = 0; i < sizeof(id); i++)
		assert_int_equal(image_build_id_from_notes(id, i, false, got), 0);
	assert_int_equal(image_build_id_from_notes("", 0, false, got), 0);
}

static void test_open(void **state)
{
	const char *prog = program("symbols");
	struct image img;
	struct err err = {0};
	u64 offset;

	(void)state;
	assert_int_equal(image_open(&img, "/nonexistent", &err), -ENOENT);
	assert_int_equal(image_open(&img, "/dev/null", &err), -EINVAL);
	assert_int_equal(image_open(&img, "/", &err), -EINVAL);
	assert_int_equal(image_open(&img, "/proc/self/status", &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "/proc/self/status"));
	assert_int_equal(image_open_memory(&img, "", 0, &err), -ENOEXEC);
	if (!prog)
		skip();
	assert_int_equal(image_open(&img, prog, &err), 0);
	assert_true(img.loads.nr > 0);
	assert_true(image_offset(&img, img.loads.v[0].p_vaddr + 5, &offset));
	assert_int_equal(offset, img.loads.v[0].p_offset + 5);
	assert_false(image_offset(&img, UINT64_MAX, &offset));
	image_close(&img);
}

/* A file that is cut short while it is open is an error, with the symbols that are left; nothing worse. */
static void test_truncated(void **state)
{
	const char *prog = program("symbols");
	struct buf b = {0};
	struct image img;
	struct symtab st;
	size_t len;
	int fd;

	(void)state;
	if (!prog)
		skip();
	assert_int_equal(io_read_file(AT_FDCWD, prog, &b, 1 << 24), 0);
	for (len = 0; len < b.len; len += b.len / 50) {
		st = (struct symtab){0};
		fd = memfd_create("image", MFD_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(io_write(fd, b.data, b.len), 0);
		assert_int_equal(image_open_fd(&img, fd, NULL), 0);
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
		assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), -EIO);
		symtab_free(&st);
		image_close(&img);
	}
	buf_free(&b);
}

/* Of a damaged table each name may be as long as the file. */
static void test_long_names(void **state)
{
	const char *prog = program("symbols");
	const size_t len = 1 << 20;
	struct symtab st = {0};
	struct buf b = {0};
	struct image img;
	Elf64_Ehdr eh;
	Elf64_Shdr sh;
	size_t where;
	u32 i, long_ones = 0;
	int fd;

	(void)state;
	if (!prog || sizeof(void *) != 8)
		skip();
	assert_int_equal(io_read_file(AT_FDCWD, prog, &b, 1 << 24), 0);
	memcpy(&eh, b.data, sizeof(eh));
	for (i = 0; i < eh.e_shnum; i++) {
		where = eh.e_shoff + i * sizeof(sh);
		memcpy(&sh, b.data + where, sizeof(sh));
		if (sh.sh_type != SHT_STRTAB || sh.sh_flags & SHF_ALLOC || i == eh.e_shstrndx)
			continue;
		sh.sh_offset = b.len;
		sh.sh_size = len;
		memcpy(b.data + where, &sh, sizeof(sh));
	}
	buf_pad(&b, 'A', len - 1);
	buf_u8(&b, 0);
	fd = memfd_create("image", MFD_CLOEXEC);
	assert_int_equal(io_write(fd, b.data, b.len), 0);
	assert_int_equal(image_open_fd(&img, fd, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	for (i = 0; i < st.syms.nr; i++) {
		assert_true(strlen(st.syms.v[i].name) <= SYM_NAME_MAX);
		long_ones += st.syms.v[i].name[0] == 'A';
	}
	assert_true(long_ones > 0);
	symtab_free(&st);
	image_close(&img);
	buf_free(&b);
}

/* Terabytes of holes cost nobody anything, and are not read. */
static void test_holes(void **state)
{
	const char *prog = program("symbols");
	struct err err = {0};
	struct buf b = {0};
	struct image img;
	int fd;

	(void)state;
	if (!prog)
		skip();
	assert_int_equal(io_read_file(AT_FDCWD, prog, &b, 1 << 24), 0);
	fd = memfd_create("image", MFD_CLOEXEC);
	assert_int_equal(io_write(fd, b.data, b.len), 0);
	assert_int_equal(ftruncate(fd, 48 << 20), 0);
	assert_int_equal(image_open_fd(&img, dup(fd), &err), 0);
	image_close(&img);
	assert_int_equal(ftruncate(fd, (off_t)1 << 32), 0);
	assert_int_equal(image_open_fd(&img, fd, &err), -EFBIG);
	assert_non_null(strstr(err.msg, "holes"));
	buf_free(&b);
}

#define CODE 0xffffffffc0000100ull

/* A core file of `len` bytes of head, as large as the address space, with one byte of code. */
static void make_core(char name[static 32], int fd, size_t len)
{
	const Elf64_Phdr loads[] = {
		{.p_type = PT_LOAD, .p_offset = 4096, .p_vaddr = 4096, .p_filesz = 1, .p_memsz = 1},
		{.p_type = PT_LOAD,
		 .p_offset = 1ull << 40,
		 .p_vaddr = CODE,
		 .p_filesz = 4096,
		 .p_memsz = 4096},
	};
	const Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
				 .e_type = ET_CORE,
				 .e_machine = EM_X86_64,
				 .e_version = 1,
				 .e_phoff = sizeof(head),
				 .e_ehsize = sizeof(head),
				 .e_phentsize = sizeof(*loads),
				 .e_phnum = ARRAY_SIZE(loads)};
	u8 bytes[sizeof(head) + sizeof(loads)];

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), loads, sizeof(loads));
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(pwrite(fd, bytes, MIN(len, sizeof(bytes)), 0),
			 (ssize_t)MIN(len, sizeof(bytes)));
	if (len >= sizeof(bytes))
		assert_int_equal(pwrite(fd, "\xc3", 1, 1ll << 40), 1);
	snprintf(name, 32, "/proc/self/fd/%d", fd);
}

static void test_core(void **state)
{
	int fd = memfd_create("core", MFD_CLOEXEC);
	struct err err = {0};
	struct image img;
	char name[32];
	u8 code[2] = {0};
	u64 offset;
	size_t len;
	unsigned int n;

	(void)state;
	make_core(name, fd, SIZE_MAX);
	for (n = 0;; n++) {
		oom_after(n);
		if (!image_open_core(&img, name, &err) && !oom_stop())
			break;
		assert_int_equal(err.code, ENOMEM);
		assert_true(n < 100);
	}
	assert_int_equal(img.loads.nr, 2);
	assert_true(image_offset(&img, CODE, &offset));
	assert_int_equal(image_read(&img, offset, code, 1), 1);
	assert_int_equal(code[0], 0xc3);
	assert_false(image_offset(&img, CODE + 4096, &offset));
	image_close(&img);
	for (len = 0; len < sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr); len++) {
		make_core(name, fd, len);
		if (image_open_core(&img, name, &err))
			continue;
		assert_true(img.loads.nr < 2);
		image_close(&img);
	}
	close(fd);
	assert_int_equal(image_open_core(&img, "/nonexistent", &err), -ENOENT);
	assert_int_equal(image_open_core(&img, "/dev/null", &err), -EINVAL);
	assert_int_equal(image_open_core(&img, "/proc/self/status", &err), -ENOEXEC);
	if (program("symbols"))
		assert_int_equal(image_open_core(&img, program("symbols"), &err), -ENOEXEC);
}

/* perf names stubs where it has found another symbol, and so does its view: not in a stripped program that exports none. */
static void test_stubs_alone(void **state)
{
	const char *prog = program("symbols");
	struct symtab st = {0}, as_perf = {0};
	struct buf b = {0};
	struct image img;
	Elf64_Ehdr eh;
	Elf64_Shdr sh;
	Elf64_Sym *sym;
	size_t where, k;
	u32 i;
	int fd;

	(void)state;
	if (!prog || sizeof(void *) != 8)
		skip();
	assert_int_equal(io_read_file(AT_FDCWD, prog, &b, 1 << 24), 0);
	memcpy(&eh, b.data, sizeof(eh));
	for (i = 0; i < eh.e_shnum; i++) {
		where = eh.e_shoff + i * sizeof(sh);
		memcpy(&sh, b.data + where, sizeof(sh));
		sym = (Elf64_Sym *)(b.data + sh.sh_offset);
		for (k = 0; sh.sh_type == SHT_DYNSYM && k < sh.sh_size / sizeof(*sym); k++)
			sym[k].st_shndx = SHN_UNDEF;
		if (sh.sh_type == SHT_SYMTAB)
			sh.sh_type = SHT_NULL;
		memcpy(b.data + where, &sh, sizeof(sh));
	}
	fd = memfd_create("image", MFD_CLOEXEC);
	assert_int_equal(io_write(fd, b.data, b.len), 0);
	assert_int_equal(image_open_fd(&img, fd, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &as_perf, SYMTAB_PERF, NULL), 0);
	assert_non_null(by_name(&st, "printf@plt"));
	assert_int_equal(as_perf.syms.nr, 0);
	symtab_free(&as_perf);
	symtab_free(&st);
	image_close(&img);
	buf_free(&b);
}

#define GO_TEXT  0x300
#define GO_NAMES 0x100

/* Three functions, as the linker of Go 1.18 and later describes them to the program. */
static void put_go_table(struct buf *b, u32 magic, u64 text)
{
	static const u32 entries[] = {0, 100, 0x10, 108, 0x30, 116, 0x40};
	static const u32 functions[][2] = {{0, 0}, {0x10, 17}, {0x30, 4000}};
	const u64 words[] = {3, 1, text, GO_NAMES, GO_NAMES + 64, 0, 0, GO_NAMES + 64};
	const size_t from = b->len;

	buf_u32(b, magic);
	buf_add(b, "\0\0\x01\x08", 4);
	buf_add(b, words, sizeof(words));
	buf_pad(b, '\0', GO_NAMES - (b->len - from));
	buf_add(b, "_rt0_amd64_linux\0main.main", 27);
	buf_pad(b, '\0', GO_NAMES + 64 - (b->len - from));
	buf_add(b, entries, sizeof(entries));
	buf_pad(b, '\0', GO_NAMES + 64 + 100 - (b->len - from));
	buf_add(b, functions, sizeof(functions));
}

/* The names of a stripped program of Go at four places; "" for none. */
static void go_names(u32 magic, u64 text, u64 entry, size_t cut, const char *const want[4])
{
	static const u64 places[] = {0x300, 0x311, 0x330, 0x340};
	struct symtab st = {0};
	struct made_elf e;
	struct image img;
	size_t where, i;
	int fd = memfd_create("image", MFD_CLOEXEC);

	made_elf_begin(&e, EM_X86_64, 8);
	e.entry = entry;
	made_elf_section(&e, ".text", SHF_ALLOC | SHF_EXECINSTR, GO_TEXT, 0x100);
	where = e.b.len;
	put_go_table(&e.b, magic, text);
	made_elf_section(&e, ".gopclntab", SHF_ALLOC, where, e.b.len - where - cut);
	made_elf_end(&e);
	assert_int_equal(io_write(fd, e.b.data, e.b.len), 0);
	assert_int_equal(image_open_fd(&img, fd, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(places); i++)
		assert_string_equal(at(&st, places[i]), want[i]);
	symtab_free(&st);
	image_close(&img);
	buf_free(&e.b);
}

static void test_go(void **state)
{
	static const char *const all[4] = {"_rt0_amd64_linux", "main.main", "", ""};
	static const char *const first[4] = {"_rt0_amd64_linux", "", "", ""};
	static const char *const none[4] = {"", "", "", ""};
	size_t cut;

	(void)state;
	go_names(0xfffffff0, GO_TEXT, 0, 0, all);
	go_names(0xfffffff1, GO_TEXT, 0, 0, all);
	go_names(0xfffffffb, GO_TEXT, 0, 0, none);
	/* not told: Go's entry is where it would be, or it is not */
	go_names(0xfffffff1, 0, GO_TEXT, 0, all);
	go_names(0xfffffff1, 0, GO_TEXT + 0x10, 0, none);
	go_names(0xfffffff1, 0, GO_TEXT + 0x14, 0, none);
	/* outside of the file */
	go_names(0xfffffff1, 0x10000000, 0, 0, none);
	go_names(0xfffffff1, UINT64_MAX, 0, 0, none);
	/* cut short */
	go_names(0xfffffff1, GO_TEXT, 0, 16, first);
	for (cut = 17; cut <= 0x1bc; cut++)
		go_names(0xfffffff1, GO_TEXT, 0, cut, none);
}

static void test_symbols(void **state)
{
	const char *prog = program("symbols");
	const struct sym *sym;
	struct symtab st = {0};
	struct image img;

	(void)state;
	if (!prog)
		skip();
	assert_int_equal(image_open(&img, prog, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	image_close(&img);

	/* of weak_name, __strong_name and this, at one address */
	sym = by_name(&st, "strong_name");
	assert_non_null(sym);
	assert_ptr_equal(symtab_find(&st, sym->start), sym);
	assert_null(by_name(&st, "weak_name"));
	assert_null(by_name(&st, "__strong_name"));
	assert_non_null(by_name(&st, "local_name"));
	assert_non_null(by_name(&st, "indirect") ? by_name(&st, "indirect")
						 : by_name(&st, "resolve"));

	sym = by_name(&st, "sized");
	assert_int_equal(sym->end - sym->start, 16);
	assert_string_equal(at(&st, sym->start + 9), "sized");
	assert_string_equal(at(&st, sym->end), "sizeless");
	assert_string_equal(at(&st, sym->end + 15), "sizeless");
	assert_string_equal(at(&st, sym->end + 16), "after_sizeless");

	/* ends with its section, not at the first function of .text */
	sym = by_name(&st, "_init");
	if (sym)
		assert_true(sym->end - sym->start < 64);
	sym = by_name(&st, "printf@plt");
	assert_non_null(sym);
	assert_true(sym->flags & SYM_PLT);
	assert_string_equal(at(&st, sym->start + 3), "printf@plt");
	assert_null(by_name(&st, "stdout"));
	symtab_free(&st);
}

static void test_vdso(void **state)
{
	struct symtab st = {0};
	struct image img;
	const void *bytes;
	size_t len, i;

	(void)state;
	bytes = image_vdso(&len);
	if (!bytes)
		skip();
	assert_int_equal(image_open_memory(&img, bytes, len, NULL), 0);
	assert_true(img.build_id_len > 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	for (i = 0; i < st.syms.nr; i++) {
		if (strstr(st.syms.v[i].name, "clock_gettime"))
			break;
	}
	assert_true(i < st.syms.nr);
	symtab_free(&st);
	image_close(&img);
}

static u32 add_dso(struct process_model *m, const char *name, enum dso_kind kind)
{
	u32 dso = process_dso(m, name, strlen(name), kind, 0, 0, 0);

	assert_int_not_equal(dso, ID_NONE);
	return dso;
}

static const char *find(struct symbols *s, const struct process_model *m, u32 dso, u64 addr)
{
	struct symbol sym;

	return symbols_find(s, m, dso, addr, &sym) ? sym.name : "";
}

/* The file offset of the first function of a program whose name in the file begins so. */
static u64 offset_of(const char *prog, const char *prefix)
{
	struct symtab st = {0};
	struct image img;
	u64 start;
	u32 i = 0;

	assert_int_equal(image_open(&img, prog, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	while (i < st.syms.nr && strncmp(st.syms.v[i].name, prefix, strlen(prefix)) != 0)
		i++;
	assert_true(i < st.syms.nr);
	start = st.syms.v[i].start;
	symtab_free(&st);
	image_close(&img);
	return start;
}

static void test_symboliser(void **state)
{
	struct symbols_options opt = {.demangle = true}, plain = {0};
	const char *prog = program("mangled");
	struct process_model m;
	struct symbols *s, *p;
	u32 dso, gone;
	u64 addr;

	(void)state;
	if (!prog)
		skip();
	addr = offset_of(prog, "_ZN5outer5thingC");
	assert_int_equal(process_init(&m, NULL), 0);
	dso = add_dso(&m, prog, DSO_FILE);
	gone = add_dso(&m, "/nonexistent/lib.so", DSO_FILE);
	s = symbols_new(&opt, NULL);
	p = symbols_new(&plain, NULL);
	assert_string_equal(find(s, &m, dso, addr + 1), "outer::thing::thing");
	assert_memory_equal(find(p, &m, dso, addr + 1), "_ZN5outer5thingC", 16);
	addr = offset_of(prog, "_ZNK5outer5thingcl");
	assert_string_equal(find(s, &m, dso, addr), "outer::thing::operator()");
	assert_string_equal(find(s, &m, dso, 0), "");
	assert_string_equal(find(s, &m, 99, addr), "");
	assert_null(symbols_note(s, 0));
	assert_string_equal(find(s, &m, gone, 1), "");
	assert_string_equal(find(s, &m, gone, 2), "");
	assert_non_null(strstr(symbols_note(s, 0), "/nonexistent/lib.so"));
	assert_null(symbols_note(s, 1));
	symbols_free(s);
	symbols_free(p);
	process_free(&m);
}

static void test_build_id(void **state)
{
	struct symbols_options opt = {.demangle = true};
	const char *prog = program("symbols");
	struct process_model m;
	struct symbols *s;
	struct image img;
	struct dso *d;
	u32 dso;
	u64 addr;

	(void)state;
	if (!prog)
		skip();
	addr = offset_of(prog, "main");
	assert_int_equal(process_init(&m, NULL), 0);
	dso = add_dso(&m, prog, DSO_FILE);
	d = &m.dsos.v[dso];
	assert_int_equal(image_open(&img, prog, NULL), 0);
	if (!img.build_id_len) {
		image_close(&img);
		process_free(&m);
		skip();
	}
	memcpy(d->build_id, img.build_id, img.build_id_len);
	d->build_id_len = img.build_id_len;
	image_close(&img);

	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, addr), "main");
	symbols_free(s);

	/* another file by now */
	d->build_id[3] ^= 1;
	s = symbols_new(&opt, NULL);
	assert_null(symbols_note(s, 0));
	assert_string_equal(find(s, &m, dso, addr), "");
	assert_non_null(strstr(symbols_note(s, 0), "build-id differs"));
	assert_null(symbols_note(s, 1));
	symbols_free(s);

	/* the right file under a folder */
	d->build_id[3] ^= 1;
	opt.symfs = "/nonexistent";
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, addr), "");
	assert_non_null(strstr(symbols_note(s, 0), "/nonexistent"));
	symbols_free(s);
	opt.symfs = "";
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, addr), "main");
	symbols_free(s);
	process_free(&m);
}

static void test_vdso_dso(void **state)
{
	struct symbols_options opt = {0};
	struct process_model m;
	struct symtab st = {0};
	struct symbols *s;
	struct image img;
	const void *bytes;
	size_t len;
	u64 addr;
	u32 dso;

	(void)state;
	bytes = image_vdso(&len);
	if (!bytes)
		skip();
	assert_int_equal(image_open_memory(&img, bytes, len, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	addr = st.syms.v[0].start;
	assert_int_equal(process_init(&m, NULL), 0);
	dso = add_dso(&m, "[vdso]", DSO_VDSO);

	/* unknown build-id: not without a proof that it is the same kernel */
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, addr), "");
	assert_non_null(symbols_note(s, 0));
	symbols_free(s);
	memcpy(m.dsos.v[dso].build_id, img.build_id, img.build_id_len);
	m.dsos.v[dso].build_id_len = img.build_id_len;
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, addr), at(&st, addr));
	symbols_free(s);
	m.dsos.v[dso].build_id[0] ^= 1;
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, dso, addr), "");
	symbols_free(s);
	symtab_free(&st);
	image_close(&img);
	process_free(&m);
}

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* The kernel lies elsewhere since it booted again: the symbol named in its mapping tells. */
static void test_moved_kernel(void **state)
{
	static const struct sample_layout bare;
	struct rec_mmap2 r = {.pid = UINT32_MAX,
			      .start = 0xffffffff91000000,
			      .len = 0x1000,
			      .pgoff = 0xffffffff91000000,
			      .name = "[kernel.kallsyms]_text"};
	char dir[] = "/tmp/perf-lite-test.XXXXXX", name[64];
	struct symbols_options opt = {.kallsyms = name};
	struct process_model m;
	struct buf b = {0};
	struct symbols *s;
	struct symbol sym;
	struct rec rec;
	u32 kernel, module;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/kallsyms", dir);
	write_file(name, "ffffffff81000000 T _text\nffffffff81000000 T first\n"
			 "ffffffff81000020 T second\nffffffff81000040 T _etext\n"
			 "ffffffffc0000000 t in_module\t[mod]\n");
	assert_int_equal(process_init(&m, NULL), 0);
	rec_build_mmap(&b, &bare, NULL, PERF_RECORD_MISC_KERNEL, &r);
	assert_true(rec_view(&rec, b.data, b.len));
	process_apply(&m, &rec);
	kernel = add_dso(&m, "[kernel.kallsyms]", DSO_KERNEL);
	module = add_dso(&m, "[mod]", DSO_MODULE);
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000024), "");
	assert_true(symbols_find(s, &m, kernel, 0xffffffff91000024, &sym));
	assert_string_equal(sym.name, "second");
	assert_true(sym.start == 0xffffffff91000020);
	assert_string_equal(find(s, &m, module, 0xffffffffd0000000), "");
	symbols_free(s);
	/* without that symbol every name would be a guess */
	write_file(name, "ffffffff91000000 T first\nffffffff91000020 T second\n");
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, kernel, 0xffffffff91000024), "");
	assert_non_null(strstr(symbols_note(s, 0), "no _text"));
	symbols_free(s);
	process_free(&m);
	buf_free(&b);
	assert_int_equal(unlink(name), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void test_kernel(void **state)
{
	struct symbols_options opt = {.demangle = true};
	struct process_model m;
	struct symbols *s;
	char dir[] = "/tmp/perf-lite-test.XXXXXX", name[64];
	u32 kernel, module, bpf;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/kallsyms", dir);
	write_file(name, "ffffffff81000000 T first\nffffffff81000010 T __pfx_second\n"
			 "ffffffff81000020 T second\nffffffff81000040 T _etext\n"
			 "ffffffffc0000000 t in_module\t[mod]\nffffffffc0010000 t prog\t[bpf]\n");
	assert_int_equal(process_init(&m, NULL), 0);
	kernel = add_dso(&m, "[kernel.kallsyms]", DSO_KERNEL);
	module = add_dso(&m, "[mod]", DSO_MODULE);
	bpf = add_dso(&m, "prog", DSO_BPF);

	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000000), "");
	symbols_free(s);
	opt.kallsyms = name;
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, kernel, 0xffffffff8100000f), "first");
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000010), "");
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000020), "second");
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000040), "");
	assert_string_equal(find(s, &m, module, 0xffffffffc0000004), "in_module");
	assert_string_equal(find(s, &m, bpf, 0xffffffffc0010004), "prog");
	symbols_free(s);
	opt.compat = true;
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000010), "__pfx_second");
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000040), "_etext");
	assert_string_equal(find(s, &m, kernel, 0xffffffffc0000004), "");
	assert_string_equal(find(s, &m, module, 0xffffffffc0000004), "in_module");
	symbols_free(s);
	write_file(name, "0000000000000000 T first\n");
	s = symbols_new(&opt, NULL);
	assert_string_equal(find(s, &m, kernel, 0xffffffff81000010), "");
	assert_non_null(strstr(symbols_note(s, 0), "hides its addresses"));
	symbols_free(s);
	unlink(name);
	rmdir(dir);
	process_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),     cmocka_unit_test(test_open),
		cmocka_unit_test(test_truncated), cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_go),        cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_holes),     cmocka_unit_test(test_stubs_alone),
		cmocka_unit_test(test_vdso),      cmocka_unit_test(test_symboliser),
		cmocka_unit_test(test_build_id),  cmocka_unit_test(test_vdso_dso),
		cmocka_unit_test(test_kernel),    cmocka_unit_test(test_moved_kernel),
		cmocka_unit_test(test_core),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
