// SPDX-License-Identifier: GPL-2.0
/* util/image/debug_file and what it is made of, with a program that objcopy(1) takes apart. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "util/base/buf.h"
#include "util/base/io.h"
#include "util/image/debug_file.h"
#include "util/image/debuginfod.h"
#include "util/image/image_symbols.h"
#include "util/image/image_unpack.h"

/*
 * A folder that stands for /: bin/app is stripped, app.debug is what strip took away, and anon and
 * anon.debug are the same without build-ids. `local_name` is in no .dynsym.
 */
struct place {
	char root[64];
	struct debug_file_options options;
	char id[64]; /* "ab/cdef..." */
};

/* Run a shell command in the folder; a test that lacks a tool is skipped. */
static void sh(const struct place *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void sh(const struct place *p, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;
	int ret;

	buf_addf(&b, "cd %s && { ", p->root);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	buf_adds(&b, "; } >/dev/null 2>err");
	assert_false(b.failed);
	ret = system(b.data);
	if (ret)
		print_message("# %s\n", b.data);
	buf_free(&b);
	assert_int_equal(ret, 0);
}

static bool have(const char *tool)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", tool);
	return !system(command);
}

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	const char *o = getenv("O");
	char path[4096], *prog;
	struct image img;
	int i, at;

	strcpy(p->root, "/tmp/perf-lite-test.XXXXXX");
	if (!mkdtemp(p->root))
		return -1;
	p->options.root = p->root;
	*state = p;
	snprintf(path, sizeof(path), "%s/tests/prog/symbols", o ? o : "build");
	prog = have("objcopy") ? realpath(path, NULL) : NULL;
	if (!prog)
		return 0;
	sh(p, "mkdir -p bin/.debug usr/lib/debug/bin usr/bin && cp %s whole", prog);
	free(prog);
	sh(p, "objcopy --only-keep-debug whole app.debug && objcopy --strip-all whole bin/app");
	sh(p, "objcopy -R .note.gnu.build-id whole anon.whole");
	sh(p, "objcopy --only-keep-debug anon.whole anon.debug");
	sh(p, "objcopy --strip-all --add-gnu-debuglink=anon.debug anon.whole bin/anon");
	snprintf(path, sizeof(path), "%s/bin/app", p->root);
	if (image_open(&img, path, NULL))
		return -1;
	at = snprintf(p->id, sizeof(p->id), "%02x/", img.build_id[0]);
	for (i = 1; i < img.build_id_len; i++)
		at += snprintf(p->id + at, sizeof(p->id) - (size_t)at, "%02x", img.build_id[i]);
	image_close(&img);
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", p->root);
	free(p);
	return system(command);
}

#define NEEDS_PROGRAM(p)         \
	do {                     \
		if (!(p)->id[0]) \
			skip();  \
	} while (0)

static void open_image(const struct place *p, const char *path, struct image *img)
{
	char name[4096];

	snprintf(name, sizeof(name), "%s%s", p->root, path);
	assert_int_equal(image_open(img, name, NULL), 0);
}

static bool has_symbol(const struct image *img, const struct image *debug, const char *name)
{
	struct symtab st = {0};
	bool found = false;
	u32 i;

	assert_int_equal(image_symbols_load(img, debug, &st, SYMTAB_NESTED, NULL), 0);
	for (i = 0; i < st.syms.nr; i++)
		found |= !strcmp(st.syms.v[i].name, name) &&
			 symtab_find(&st, st.syms.v[i].start) == &st.syms.v[i];
	symtab_free(&st);
	return found;
}

/* What debug_file_open() says of an image; with 0, the names must be right. */
static int try(const struct place *p, const char *path, struct err *err)
{
	struct image img, debug;
	int ret;

	open_image(p, path, &img);
	assert_false(has_symbol(&img, NULL, "local_name"));
	ret = debug_file_open(&img, path, &p->options, DEBUG_FILE_SYMBOLS, &debug, err);
	if (!ret) {
		assert_true(has_symbol(&img, &debug, "local_name"));
		assert_true(has_symbol(&img, &debug, "printf@plt"));
		image_close(&debug);
	}
	image_close(&img);
	return ret;
}

static void test_none(void **state)
{
	const struct place *p = *state;
	struct image img, debug;

	NEEDS_PROGRAM(p);
	assert_int_equal(try(p, "/bin/app", NULL), -ENODATA);
	assert_int_equal(try(p, "/bin/anon", NULL), -ENODATA);
	open_image(p, "/whole", &img);
	assert_true(debug_file_has(&img, DEBUG_FILE_SYMBOLS));
	assert_true(debug_file_has(&img, DEBUG_FILE_DWARF));
	assert_int_equal(
		debug_file_open(&img, "/whole", &p->options, DEBUG_FILE_DWARF, &debug, NULL),
		-ENODATA);
	image_close(&img);
}

static void test_build_id(void **state)
{
	const struct place *p = *state;
	struct image img, debug;
	struct err err = {0};
	char folder[64];

	NEEDS_PROGRAM(p);
	snprintf(folder, sizeof(folder), "usr/lib/debug/.build-id/%.2s", p->id);
	sh(p, "mkdir -p %s && cp app.debug usr/lib/debug/.build-id/%s.debug", folder, p->id);
	assert_int_equal(try(p, "/bin/app", NULL), 0);
	open_image(p, "/bin/app", &img);
	assert_int_equal(debug_file_open(&img, NULL, &p->options, DEBUG_FILE_DWARF, &debug, NULL),
			 0);
	assert_true(debug_file_has(&debug, DEBUG_FILE_DWARF));
	image_close(&debug);
	image_close(&img);

	/* of another build, and one that has no symbols itself */
	sh(p, "cp anon.debug usr/lib/debug/.build-id/%s.debug", p->id);
	assert_int_equal(try(p, "/bin/app", &err), -ESTALE);
	assert_non_null(strstr(err.msg, p->id));
	sh(p, "cp bin/app usr/lib/debug/.build-id/%s.debug", p->id);
	assert_int_equal(try(p, "/bin/app", &err), -ENODATA);
}

static void test_cache(void **state)
{
	struct place *p = *state;
	char cache[128];

	NEEDS_PROGRAM(p);
	snprintf(cache, sizeof(cache), "%s/cache", p->root);
	sh(p, "mkdir -p cache/.build-id/%s && cp app.debug cache/.build-id/%s/debug", p->id, p->id);
	assert_int_equal(try(p, "/bin/app", NULL), -ENODATA);
	p->options.cache = cache;
	assert_int_equal(try(p, "/bin/app", NULL), 0);
	p->options.cache = NULL;
}

static void test_link(void **state)
{
	static const char *const places[] = {"bin/anon.debug", "bin/.debug/anon.debug",
					     "usr/lib/debug/bin/anon.debug"};
	const struct place *p = *state;
	struct err err = {0};
	size_t i;

	NEEDS_PROGRAM(p);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		sh(p, "cp anon.debug %s", places[i]);
		assert_int_equal(try(p, "/bin/anon", NULL), 0);
		/* one byte more, and it is another file */
		sh(p, "echo >>%s", places[i]);
		assert_int_equal(try(p, "/bin/anon", &err), -ESTALE);
		assert_non_null(strstr(err.msg, places[i]));
		sh(p, "rm %s", places[i]);
	}
	/* from a package that is older than the merge of / and /usr */
	sh(p, "cp bin/anon usr/bin/anon && cp anon.debug usr/lib/debug/bin");
	assert_int_equal(try(p, "/usr/bin/anon", NULL), 0);
	/* a link to itself leads nowhere */
	sh(p, "objcopy --add-gnu-debuglink=whole bin/app bin/whole");
	assert_int_equal(try(p, "/bin/whole", NULL), -ENODATA);
}

static void test_link_read(void **state)
{
	const struct place *p = *state;
	struct debug_link link;
	struct image img;
	u32 crc;
	int fd;

	NEEDS_PROGRAM(p);
	open_image(p, "/bin/app", &img);
	assert_false(debug_link_read(&img, &link));
	image_close(&img);
	open_image(p, "/bin/anon", &img);
	assert_true(debug_link_read(&img, &link));
	assert_string_equal(link.name, "anon.debug");
	image_close(&img);
	/* damaged: no name, no end, a folder in it, no checksum */
	sh(p,
	   "printf '\\0\\0\\0\\0\\1\\2\\3\\4' >a; printf abcd >b; printf 'a/b\\0abcd' >c; printf 'abc\\0' >d");
	sh(p, "for f in a b c d; do objcopy --add-section .gnu_debuglink=$f bin/app bin/$f; done");
	for (const char *f = "abcd"; *f; f++) {
		char path[8] = {'/', 'b', 'i', 'n', '/', *f};

		open_image(p, path, &img);
		assert_false(debug_link_read(&img, &link));
		image_close(&img);
	}
	/* the check value that every catalogue of CRCs has */
	sh(p, "printf 123456789 >a; head -c 300000 /dev/zero >b");
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(debug_link_crc_fd(fd, &crc), 0);
	assert_int_equal(crc, 0);
	close(fd);
	{
		char path[128];

		snprintf(path, sizeof(path), "%s/a", p->root);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_int_equal(debug_link_crc_fd(fd, &crc), 0);
		assert_true(crc == 0xcbf43926);
		close(fd);
	}
}

static void test_inside(void **state)
{
	const struct place *p = *state;
	struct image img, debug;
	struct err err = {0};

	NEEDS_PROGRAM(p);
	if (!have("xz"))
		SKIP_SINCE("xz (not installed)");
	sh(p, "objcopy --strip-debug --remove-section .comment app.debug mini && xz -k mini");
	sh(p, "objcopy --add-section .gnu_debugdata=mini.xz bin/app bin/mini");
	assert_int_equal(try(p, "/bin/mini", NULL), 0);
	open_image(p, "/bin/mini", &img);
	assert_int_equal(
		debug_file_open(&img, "/bin/mini", &p->options, DEBUG_FILE_DWARF, &debug, NULL),
		-ENODATA);
	image_close(&img);
	/* cut short, no xz at all, no ELF in it, and what unpacks to more than fits anywhere */
	sh(p, "head -c 200 mini.xz >cut; echo hello >hello; xz -k hello");
	sh(p, "objcopy --add-section .gnu_debugdata=cut bin/app bin/cut");
	sh(p, "objcopy --add-section .gnu_debugdata=hello bin/app bin/hello");
	sh(p, "objcopy --add-section .gnu_debugdata=hello.xz bin/app bin/hello.xz");
	sh(p, "head -c 300M /dev/zero | xz -1 >bomb");
	sh(p, "objcopy --add-section .gnu_debugdata=bomb bin/app bin/bomb");
	assert_int_equal(try(p, "/bin/cut", &err), -EBADMSG);
	assert_string_equal(err.msg, "/bin/cut: .gnu_debugdata is damaged");
	assert_int_equal(try(p, "/bin/hello", NULL), -EBADMSG);
	assert_int_equal(try(p, "/bin/hello.xz", NULL), -ENOEXEC);
	assert_int_equal(try(p, "/bin/bomb", NULL), -EBADMSG);
}

/* The bytes of a section. */
static size_t section_of(const struct image *img, const char *name, const void **bytes)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, name, &sh);
	Elf_Data *d = scn ? elf_getdata(scn, NULL) : NULL;

	assert_non_null(d);
	assert_false(sh.sh_flags & SHF_COMPRESSED);
	*bytes = d->d_buf;
	return d->d_size;
}

/* bin/dwz, which names a file that it shares with others, as dwz(1) makes them. */
static void make_dwz(const struct place *p)
{
	sh(p, "mkdir -p bin/.dwz");
	sh(p,
	   "{ printf '.dwz/common\\0'; printf %s | tr -d / | perl -ne 'print pack \"H*\", $_'; } >alt",
	   p->id);
	sh(p, "objcopy --add-section .gnu_debugaltlink=alt bin/app bin/dwz");
}

static void test_zstd(void **state)
{
	static const char *const sections[] = {".debug_info", ".debug_line", ".debug_str"};
	const struct place *p = *state;
	struct image whole, packed, out;
	const void *want, *got;
	struct buf b = {0};
	char path[128];
	size_t i, len;

	NEEDS_PROGRAM(p);
	if (system("objcopy --help | grep -q compress-debug-sections.*zstd"))
		SKIP_SINCE("no package brings it: an objcopy that knows zstd");
	sh(p, "objcopy --compress-debug-sections=zstd whole packed");
	open_image(p, "/whole", &whole);
	open_image(p, "/packed", &packed);
	assert_false(image_unpack_needed(&whole));
	assert_true(image_unpack_needed(&packed));
	assert_int_equal(
		debug_file_open(&packed, "/packed", &p->options, DEBUG_FILE_DWARF, &out, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		len = section_of(&whole, sections[i], &want);
		assert_int_equal(section_of(&out, sections[i], &got), len);
		assert_memory_equal(got, want, len);
	}
	assert_true(has_symbol(&out, NULL, "local_name"));
	image_close(&out);
	image_close(&packed);
	/* as a separate file */
	sh(p, "objcopy --compress-debug-sections=zstd app.debug x.debug");
	sh(p,
	   "mkdir -p usr/lib/debug/.build-id/%.2s && cp x.debug usr/lib/debug/.build-id/%s.debug",
	   p->id, p->id);
	open_image(p, "/bin/app", &packed);
	assert_int_equal(
		debug_file_open(&packed, "/bin/app", &p->options, DEBUG_FILE_DWARF, &out, NULL), 0);
	len = section_of(&whole, ".debug_info", &want);
	assert_int_equal(section_of(&out, ".debug_info", &got), len);
	assert_memory_equal(got, want, len);
	image_close(&out);
	image_close(&packed);
	/* and what dwz took out of one */
	make_dwz(p);
	open_image(p, "/bin/dwz", &packed);
	assert_int_equal(debug_file_open_alt(&packed, "/bin/dwz", &p->options, &out, NULL), 0);
	assert_int_equal(section_of(&out, ".debug_info", &got), len);
	assert_memory_equal(got, want, len);
	image_close(&out);
	image_close(&packed);
	image_close(&whole);
	/* damaged, byte by byte */
	snprintf(path, sizeof(path), "%s/packed", p->root);
	assert_int_equal(io_read_file(AT_FDCWD, path, &b, 1 << 24), 0);
	for (i = 0; i < b.len; i += b.len / 500) {
		b.data[i] ^= 0x55;
		if (!image_open_memory(&packed, b.data, b.len, NULL)) {
			if (!image_unpack(&packed, &out, NULL))
				image_close(&out);
			image_close(&packed);
		}
		b.data[i] ^= 0x55;
	}
	buf_free(&b);
}

static void test_alt(void **state)
{
	const struct place *p = *state;
	struct image img, alt;

	NEEDS_PROGRAM(p);
	make_dwz(p);
	sh(p, "cp app.debug bin/.dwz/common");
	open_image(p, "/bin/dwz", &img);
	assert_int_equal(debug_file_open_alt(&img, "/bin/dwz", &p->options, &alt, NULL), 0);
	image_close(&alt);
	sh(p, "cp anon.debug bin/.dwz/common");
	assert_int_equal(debug_file_open_alt(&img, "/bin/dwz", &p->options, &alt, NULL), -ENOENT);
	sh(p,
	   "mkdir -p usr/lib/debug/.build-id/%.2s && cp app.debug usr/lib/debug/.build-id/%s.debug",
	   p->id, p->id);
	assert_int_equal(debug_file_open_alt(&img, "/bin/dwz", &p->options, &alt, NULL), 0);
	image_close(&alt);
	image_close(&img);
	open_image(p, "/bin/app", &img);
	assert_int_equal(debug_file_open_alt(&img, "/bin/app", &p->options, &alt, NULL), -ENODATA);
	image_close(&img);
}

static int try_alt(const struct place *p)
{
	struct image img, alt;
	int ret;

	open_image(p, "/bin/dwz", &img);
	ret = debug_file_open_alt(&img, "/bin/dwz", &p->options, &alt, NULL);
	if (!ret)
		image_close(&alt);
	image_close(&img);
	return ret;
}

/* A server of files: nothing leaves this machine. */
static void test_debuginfod(void **state)
{
	struct place *p = *state;
	struct err err = {0};
	char urls[128], cache[128];

	NEEDS_PROGRAM(p);
	snprintf(urls, sizeof(urls), "file://%s/server", p->root);
	snprintf(cache, sizeof(cache), "%s/client", p->root);
	unsetenv("DEBUGINFOD_URLS");
	assert_null(debuginfod_open(&err));
	assert_non_null(strstr(err.hint, "DEBUGINFOD_URLS"));
	setenv("DEBUGINFOD_URLS", urls, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	p->options.debuginfod = debuginfod_open(&err);
	if (!p->options.debuginfod)
		SKIP_SINCE("libdebuginfod1 (not installed)");
	sh(p, "d=server/buildid/$(echo %s | tr -d /) && mkdir -p $d && cp app.debug $d/debuginfo",
	   p->id);
	assert_int_equal(try(p, "/bin/app", NULL), 0);
	make_dwz(p);
	assert_int_equal(try_alt(p), 0);
	/* without a build-id there is nothing to ask for */
	assert_int_equal(try(p, "/bin/anon", NULL), -ENODATA);
	/* what a server sends is looked at, too */
	sh(p,
	   "rm -rf client && d=server/buildid/$(echo %s | tr -d /) && cp anon.debug $d/debuginfo",
	   p->id);
	assert_int_equal(try(p, "/bin/app", NULL), -ENODATA);
	assert_int_equal(try_alt(p), -ENOENT);
	debuginfod_close(p->options.debuginfod);
	/* and without --debuginfod nobody is asked */
	p->options.debuginfod = NULL;
	sh(p, "rm -rf client && d=server/buildid/$(echo %s | tr -d /) && cp app.debug $d/debuginfo",
	   p->id);
	assert_int_equal(try(p, "/bin/app", NULL), -ENODATA);
	sh(p, "[ ! -e client ]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_build_id, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cache, setup, teardown),
		cmocka_unit_test_setup_teardown(test_link, setup, teardown),
		cmocka_unit_test_setup_teardown(test_link_read, setup, teardown),
		cmocka_unit_test_setup_teardown(test_inside, setup, teardown),
		cmocka_unit_test_setup_teardown(test_zstd, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_debuginfod, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("debug_file", tests, NULL, NULL);
}
