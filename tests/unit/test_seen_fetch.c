// SPDX-License-Identifier: GPL-2.0
/* What waits for a server's debug file until a recording is over: offsets, the image, its names. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/made_elf.h"
#include "tests/unit/oom.h"
#include "util/capture/seen_fetch.h"
#include "util/image/image_symbols.h"

static u32 open_files(void)
{
	u32 nr = 0;
	int fd;

	for (fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* An image without any names. */
static void open_nameless(struct image *img)
{
	struct made_elf e;
	char path[32];
	int fd;

	made_elf_begin(&e, EM_X86_64, 8);
	made_elf_end(&e);
	fd = made_file(e.b.data, e.b.len, path);
	assert_int_equal(image_open(img, AT_FDCWD, path, NULL), 0);
	close(fd);
	buf_free(&e.b);
}

static void offsets(void **state)
{
	const u32 before = open_files();
	struct seen_fetch f = {0};
	struct image img;
	u64 i;

	(void)state;
	/* nothing is kept for an image that lacks nothing */
	assert_true(seen_fetch_add(&f, 0x100));
	assert_int_equal(f.offsets.nr, 0);
	seen_fetch_free(&f);
	open_nameless(&img);
	seen_fetch_want(&f, &img, true, false);
	assert_true(f.wanted && f.symbols && !f.lines);
	for (i = 0; i < 3000; i++)
		assert_true(seen_fetch_add(&f, i % 1000 << 32 | i % 1000));
	/* each once, in the order in which they came; 0 is one like others */
	assert_int_equal(f.offsets.nr, 1000);
	for (i = 0; i < 1000; i++)
		assert_int_equal(f.offsets.v[i], i << 32 | i);
	seen_fetch_free(&f);
	/* the image was closed with it */
	assert_int_equal(open_files(), before);
}

static void image_is_handed_on(void **state)
{
	const u32 before = open_files();
	struct seen_fetch f = {0};
	struct image img;
	const struct image *taken;

	(void)state;
	open_nameless(&img);
	seen_fetch_want(&f, &img, false, true);
	taken = seen_fetch_take(&f);
	assert_false(f.wanted);
	img = *taken;
	seen_fetch_free(&f);
	assert_true(open_files() > before || img.fd < 0);
	image_close(&img);
	assert_int_equal(open_files(), before);
}

/* A program without names, and its debug file in the place where one is looked for, below a folder. */
struct place {
	char root[64];
	char program[96];
	struct debug_file_options options;
};

static bool run(const char *fmt, ...) PRINTF_LIKE(1, 2);
static bool run(const char *fmt, ...)
{
	char command[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	return !system(command);
}

static bool place_make(struct place *p)
{
	const char *o = getenv("O");

	made_folder(p->root);
	p->options = (struct debug_file_options){.root = p->root};
	snprintf(p->program, sizeof(p->program), "%s/app", p->root);
	return run("cp %s/tests/prog/symbols %s/whole && cd %s && mkdir .debug && "
		   "objcopy --only-keep-debug whole .debug/app.debug && "
		   "objcopy --strip-all --add-gnu-debuglink=.debug/app.debug whole app && rm whole",
		   o ? o : "build", p->root, p->root);
}

static bool has(const struct symtab *st, const char *name)
{
	u32 i;

	for (i = 0; i < st->syms.nr; i++)
		if (!strcmp(st->syms.v[i].name, name))
			return true;
	return false;
}

static void names(void **state)
{
	struct seen_fetch f = {0};
	struct symtab st = {0};
	struct place p;
	struct image img;
	u32 exported;

	(void)state;
	if (!place_make(&p)) {
		made_folder_gone(p.root);
		skip();
	}
	assert_int_equal(image_open(&img, AT_FDCWD, p.program, NULL), 0);
	assert_int_equal(image_symbols_load(&img, NULL, &st, SYMTAB_NESTED, NULL), 0);
	assert_false(has(&st, "local_name"));
	exported = st.syms.nr;
	seen_fetch_want(&f, &img, true, false);

	/* where there is no debug file, what was there stays */
	assert_true(run("mv %s/.debug %s/.away", p.root, p.root));
	assert_false(seen_fetch_symbols(&f, "/app", &p.options, &st));
	assert_int_equal(st.syms.nr, exported);
	assert_true(run("mv %s/.away %s/.debug", p.root, p.root));

	assert_true(seen_fetch_symbols(&f, "/app", &p.options, &st));
	assert_true(has(&st, "local_name"));
	assert_true(has(&st, "printf@plt"));
	assert_true(st.syms.nr > exported);

	/* one of another build is none */
	symtab_free(&st);
	st = (struct symtab){0};
	assert_true(run("objcopy --remove-section=.note.gnu.build-id %s/.debug/app.debug && "
			"printf x >>%s/.debug/app.debug",
			p.root, p.root));
	assert_false(seen_fetch_symbols(&f, "/app", &p.options, &st));
	assert_int_equal(st.syms.nr, 0);
	seen_fetch_free(&f);
	made_folder_gone(p.root);
}

static void no_memory(void **state)
{
	const u32 before = open_files();
	struct seen_fetch f;
	struct symtab st;
	struct place p;
	struct image img;
	unsigned int n;
	bool done;
	u64 i;

	(void)state;
	for (n = 0;; n++) {
		f = (struct seen_fetch){0};
		open_nameless(&img);
		seen_fetch_want(&f, &img, true, true);
		oom_after(n);
		for (i = 0, done = true; i < 100 && done; i++)
			done = seen_fetch_add(&f, i);
		if (!oom_stop())
			break;
		assert_false(done);
		seen_fetch_free(&f);
	}
	assert_true(done && n > 2);
	seen_fetch_free(&f);
	assert_int_equal(open_files(), before);

	if (!place_make(&p)) {
		made_folder_gone(p.root);
		skip();
	}
	/* every 7th place: the names of a table are many allocations */
	for (n = 0;; n += 7) {
		f = (struct seen_fetch){0};
		st = (struct symtab){0};
		assert_int_equal(image_open(&img, AT_FDCWD, p.program, NULL), 0);
		seen_fetch_want(&f, &img, true, false);
		oom_after(n);
		done = seen_fetch_symbols(&f, "/app", &p.options, &st);
		if (!oom_stop())
			break;
		if (!done)
			assert_int_equal(st.syms.nr, 0);
		symtab_free(&st);
		seen_fetch_free(&f);
	}
	assert_true(done && has(&st, "local_name"));
	symtab_free(&st);
	seen_fetch_free(&f);
	assert_int_equal(open_files(), before);
	made_folder_gone(p.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets),
		cmocka_unit_test(image_is_handed_on),
		cmocka_unit_test(names),
		cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
