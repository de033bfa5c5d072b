// SPDX-License-Identifier: GPL-2.0
/* Names of the running kernel's functions, as it tells them and as /proc/kallsyms has them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/kernel/kallsyms.h"
#include "util/kernel/ksyms.h"

static const char made[] = "0000000000000000 A fixed_percpu_data\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 T startup_64\n"
			   "ffffffff81000100 t __pfx_vfs_read\n"
			   "ffffffff81000110 T vfs_read\n"
			   "ffffffff81000200 T __do_sys_getpid\n"
			   "ffffffff81000200 T __x64_sys_getpid\n"
			   "ffffffff81000300 T _etext\n"
			   "ffffffffc0000000 t nf_hook\t[nf_tables]\n"
			   "ffffffffc0001000 t bpf_prog_0123456789abcdef_f\t[bpf]\n";

static char folder[64];

static int proc_with(const char *kallsyms)
{
	char path[96];
	int fd;

	made_folder(folder);
	if (kallsyms) {
		snprintf(path, sizeof(path), "%s/kallsyms", folder);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_int_equal(io_write(fd, kallsyms, strlen(kallsyms)), 0);
		close(fd);
	}
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static void done(int proc)
{
	close(proc);
	made_folder_gone(folder);
}

static void expect(struct ksyms *k, u64 ip, u64 start, u64 end, const char *name,
		   const char *module)
{
	struct ksym sym;

	assert_true(ksyms_find(k, ip, &sym));
	assert_string_equal(sym.name, name);
	assert_string_equal(sym.module, module);
	assert_true(sym.start == start && sym.end == end);
}

/* A tree that stands for /proc is asked, not the kernel that runs here. */
static void from_a_file(void **state)
{
	int proc = proc_with(made);
	struct ksyms k;
	struct ksym sym;
	u64 start, len;

	(void)state;
	ksyms_open(&k, proc);
	assert_false(k.opened);
	expect(&k, 0xffffffff81000115, 0xffffffff81000110, 0xffffffff81000200, "vfs_read", "");
	expect(&k, 0xffffffff81000200, 0xffffffff81000200, 0xffffffff81000300, "__x64_sys_getpid",
	       "");
	expect(&k, 0xffffffff81000010, 0xffffffff81000000, 0xffffffff81000100, "startup_64", "");
	expect(&k, 0xffffffffc0000008, 0xffffffffc0000000, 0xffffffffc0001000, "nf_hook",
	       "[nf_tables]");
	assert_true(ksyms_find(&k, 0xffffffffc0001001, &sym));
	assert_string_equal(sym.module, "[bpf]");
	assert_false(ksyms_find(&k, 0xffffffff81000105, &sym)); /* padding */
	assert_false(ksyms_find(&k, 0x1000, &sym));
	assert_true(ksyms_range(&k, &start, &len));
	assert_true(start == 0xffffffff81000000 && len == 0x300);
	assert_int_equal(k.error.code, 0);
	ksyms_close(&k);
	done(proc);
}

static void not_told(void **state)
{
	static const struct {
		const char *text, *msg;
		int code;
	} cases[] = {
		{NULL, "cannot read /proc/kallsyms", ENOENT},
		{"", "no kernel functions found", ENODATA},
		{"0000000000000000 T _text\n0000000000000000 T vfs_read\n", "hides its addresses",
		 EPERM},
	};
	struct ksyms k;
	struct ksym sym;
	u64 start, len;
	size_t i;
	int proc;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		proc = proc_with(cases[i].text);
		ksyms_open(&k, proc);
		assert_int_equal(k.error.code, 0);
		assert_false(ksyms_find(&k, 0xffffffff81000115, &sym));
		assert_false(ksyms_range(&k, &start, &len));
		assert_int_equal(k.error.code, cases[i].code);
		assert_non_null(strstr(k.error.msg, cases[i].msg));
		ksyms_close(&k);
		done(proc);
	}
}

/* /proc/kallsyms of this machine */
static int real_proc(struct symtab *st)
{
	int proc;

	NEEDS("kallsyms");
	proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(kallsyms_load(st, proc, "kallsyms", SYMTAB_NESTED, NULL), 0);
	return proc;
}

/* Our own program is there while it is asked: in one of the two only. */
static bool comes_and_goes(const struct sym *s)
{
	return !strncmp(s->name, "bpf_", 4) || !strncmp(symtab_module(s), "[__builtin", 10);
}

/*
 * Every function of the kernel, five bytes into it. Kernel and symtab choose differently among
 * aliases: the kernel by its list's order, the symtab by what perf prefers. Those are few.
 */
static void every_function(void **state)
{
	u32 i, nr = 0, other = 0, wrong = 0, missed = 0;
	const struct sym *s;
	struct symtab st = {0};
	struct ksyms k;
	struct ksym got;
	u64 start, len;
	int proc;

	(void)state;
	NEEDS("bpf");
	NEEDS("linux-5.13");
	proc = real_proc(&st);
	ksyms_open(&k, proc);
	ksyms_range(&k, &start, &len);
	assert_true(k.by_kernel);
	for (i = 0; i < st.syms.nr; i++) {
		s = symtab_find(&st, st.syms.v[i].start + 5);
		if (!s || s->flags & SYM_MARKER || comes_and_goes(s))
			continue;
		nr++;
		if (!ksyms_find(&k, st.syms.v[i].start + 5, &got))
			missed++;
		else if (got.start != s->start || strcmp(got.module, symtab_module(s)))
			wrong++;
		else if (strcmp(got.name, s->name) && ++other <= 20)
			print_message("# %s: the kernel says %s\n", s->name, got.name);
	}
	print_message("# %u functions: %u missed, %u wrong, %u by another alias\n", nr, missed,
		      wrong, other);
	assert_true(nr > 1000);
	assert_int_equal(missed, 0);
	assert_int_equal(wrong, 0);
	assert_true(other * 500 < nr);
	ksyms_close(&k);
	symtab_free(&st);
	close(proc);
}

static void both_ways(void **state)
{
	struct symtab st = {0};
	struct ksyms kernel, file;
	struct ksym a, b;
	u64 start[2], len[2];
	u32 i, nr = 0;
	int proc;

	(void)state;
	NEEDS("bpf");
	NEEDS("linux-5.13");
	proc = real_proc(&st);
	ksyms_open(&kernel, proc);
	ksyms_open(&file, proc);
	file.file_only = true;
	assert_true(ksyms_range(&kernel, &start[0], &len[0]));
	assert_true(kernel.by_kernel);
	assert_true(ksyms_range(&file, &start[1], &len[1]));
	assert_false(file.by_kernel);
	assert_true(start[0] == start[1] && len[0] == len[1]);
	for (i = 0; i < st.syms.nr; i++) {
		const struct sym *s = &st.syms.v[i];

		if (strcmp(s->name, "vfs_read") && strcmp(s->name, "__x64_sys_getpid") &&
		    strcmp(s->name, "schedule"))
			continue;
		assert_true(ksyms_find(&kernel, s->start, &a));
		assert_true(ksyms_find(&file, s->start, &b));
		assert_string_equal(a.name, s->name);
		assert_string_equal(b.name, s->name);
		assert_true(a.start == b.start && a.end == b.end);
		assert_string_equal(a.module, "");
		/* from memory, at any byte of it */
		assert_true(ksyms_find(&kernel, a.end - 1, &b));
		assert_string_equal(b.name, s->name);
		ksyms_forget(&kernel, s->start + 1, 1);
		assert_true(ksyms_find(&kernel, s->start, &b));
		assert_string_equal(b.name, s->name);
		nr++;
	}
	assert_true(nr >= 2);
	assert_false(ksyms_find(&kernel, 0, &a));
	assert_false(ksyms_find(&kernel, 0x400000, &a));
	assert_false(ksyms_find(&kernel, UINT64_MAX, &a));
	assert_false(ksyms_find(&kernel, start[0] - 1, &a));
	ksyms_close(&kernel);
	ksyms_close(&file);
	symtab_free(&st);
	close(proc);
}

/* A task without any right gets what /proc/kallsyms gives it, and the reason where that is none. */
static void without_rights(void **state)
{
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status;
	bool has_rights = can_or_why("kallsyms");
	struct ksyms k;
	struct ksym sym;
	pid_t pid;

	(void)state;
	if (has_rights)
		NEEDS("users");
	pid = fork();
	if (!pid) {
		if (has_rights && setuid(65534))
			_exit(2);
		ksyms_open(&k, proc);
		_exit(ksyms_find(&k, 0xffffffff81000115, &sym) || k.by_kernel
			      ? k.by_kernel
			      : !k.error.code || !k.error.msg[0]);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(proc);
}

static void memory(void **state)
{
	int proc = proc_with(made);
	struct ksyms k;
	struct ksym sym;
	unsigned int n;
	bool found;

	(void)state;
	for (n = 0;; n++) {
		ksyms_open(&k, proc);
		oom_after(n);
		found = ksyms_find(&k, 0xffffffff81000115, &sym);
		if (!oom_stop())
			break;
		assert_false(found);
		assert_int_equal(k.error.code, ENOMEM);
		ksyms_close(&k);
	}
	assert_true(found);
	ksyms_close(&k);
	done(proc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_a_file),    cmocka_unit_test(not_told),
		cmocka_unit_test(every_function), cmocka_unit_test(both_ways),
		cmocka_unit_test(without_rights), cmocka_unit_test(memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ksyms", tests, NULL, NULL);
}
