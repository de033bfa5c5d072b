// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/base/glob.h"
#include "util/base/text.h"
#include "util/kernel/cpus.h"
#include "util/kernel/limits.h"

static void check_list(const char *text, const char *want)
{
	struct cpus c = {0};
	struct buf b = {0};

	assert_int_equal(cpus_parse(text, &c, NULL), 0);
	text_ranges(&b, c.v, c.nr);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
	cpus_free(&c);
}

static void test_lists(void **state)
{
	(void)state;
	check_list("0", "0");
	check_list("0-3,8", "0-3,8");
	check_list("8,0-3\n", "0-3,8");
	check_list("3,2,1,0", "0-3");
	check_list("1,3,5", "1,3,5");
	check_list("0-3,2-5,4", "0-5");
	check_list(" 1 - 2 , 4 ", "1-2,4");
	check_list("65535", "65535");
	check_list("007", "7");
	check_list("", "");
	check_list("\n", "");
}

static void test_bad_lists(void **state)
{
	static const char *const bad[] = {"a",
					  "1,",
					  ",1",
					  "1-",
					  "-1",
					  "3-1",
					  "1 2",
					  "1,,2",
					  "65536",
					  "99999999999999999999",
					  "0-99999999999",
					  "0x1",
					  "1-2-3"};
	struct cpus c = {0};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(cpus_parse(bad[i], &c, &err), -EINVAL);
		assert_non_null(strstr(err.msg, bad[i]));
		assert_int_equal(c.nr, 0);
	}
	cpus_free(&c);
}

static void test_machine(void **state)
{
	struct sysroot root, bare;
	struct cpus c = {0};
	struct err err;

	(void)state;
	assert_int_equal(sysroot_open(&root, "tests/sysroot/server", NULL), 0);
	assert_int_equal(sysroot_open(&bare, "tests/sysroot/bare", NULL), 0);
	assert_int_equal(cpus_online(&root, &c, NULL), 0);
	assert_int_equal(c.nr, 4);
	assert_true(cpus_has(&c, 3));
	assert_false(cpus_has(&c, 4));
	assert_int_equal(cpus_possible(&root, &c, NULL), 0);
	assert_int_equal(c.nr, 8);
	assert_int_equal(cpus_online(&bare, &c, &err), -ENOENT);
	cpus_free(&c);
	assert_false(cpus_has(&c, 0));
	sysroot_close(&bare);
	sysroot_close(&root);
}

static void put_online(const char *folder, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	close(fd);
}

static void expect_online(const struct cpus_watch *w, const char *want)
{
	struct buf b = {0};

	text_ranges(&b, w->online.v, w->online.nr);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void test_watch(void **state)
{
	char folder[64], cmd[128];
	struct sysroot root;
	struct cpus_watch w;
	struct err err;

	(void)state;
	made_folder(folder);
	assert_int_equal(sysroot_open(&root, folder, NULL), 0);
	assert_int_equal(cpus_watch_open(&w, &root, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/sys/devices/system/cpu/online"));
	snprintf(cmd, sizeof(cmd), "mkdir -p %s/sys/devices/system/cpu", folder);
	assert_int_equal(system(cmd), 0);
	put_online(folder, "\n");
	assert_int_equal(cpus_watch_open(&w, &root, &err), -ENODATA);
	put_online(folder, "0-3\n");
	assert_int_equal(cpus_watch_open(&w, &root, &err), 0);
	expect_online(&w, "0-3");
	assert_int_equal(cpus_watch_read(&w), 0);
	put_online(folder, "0,2-3\n");
	assert_int_equal(cpus_watch_read(&w), 1);
	expect_online(&w, "0,2-3");
	assert_int_equal(cpus_watch_read(&w), 0);
	/* what cannot be understood changes nothing */
	put_online(folder, "0,x\n");
	assert_int_equal(cpus_watch_read(&w), -EINVAL);
	put_online(folder, "");
	assert_int_equal(cpus_watch_read(&w), -ENODATA);
	expect_online(&w, "0,2-3");
	put_online(folder, "0-3\n");
	assert_int_equal(cpus_watch_read(&w), 1);
	expect_online(&w, "0-3");
	cpus_watch_close(&w);
	sysroot_close(&root);
	made_folder_gone(folder);

	/* the kernel's own file can be read again and again */
	assert_int_equal(sysroot_open(&root, "/", NULL), 0);
	assert_int_equal(cpus_watch_open(&w, &root, NULL), 0);
	assert_true(w.online.nr > 0);
	assert_int_equal(cpus_watch_read(&w), 0);
	assert_true(w.len > 0);
	cpus_watch_close(&w);
	sysroot_close(&root);
}

static void test_limits(void **state)
{
	struct sysroot root, bare;
	struct cpus cpus = {0};
	struct err err = {0};
	struct limits l;

	(void)state;
	assert_int_equal(sysroot_open(&root, "tests/sysroot/server", NULL), 0);
	assert_int_equal(limits_read(&root, &l, NULL), 0);
	assert_true(l.perf_events && !l.user_namespace);
	assert_int_equal(l.paranoid, 2);
	assert_int_equal(l.kptr_restrict, 1);
	assert_int_equal(l.mlock_kb, 516);
	assert_int_equal(l.max_sample_rate, 100000);
	assert_int_equal(l.max_stack, 127);
	assert_false(l.root || l.confidential);
	/* asked of this machine's kernel alone */
	assert_false(l.filtered);
	assert_true(l.cap_perfmon); /* bit 38 alone */
	assert_false(l.cap_sys_admin || l.cap_ipc_lock);
	assert_true(limits_privileged(&l));
	sysroot_close(&root);

	assert_int_equal(sysroot_open(&bare, "tests/sysroot/bare", NULL), 0);
	assert_int_equal(limits_read(&bare, &l, NULL), 0);
	assert_false(l.perf_events);
	assert_true(l.cap_sys_admin && l.cap_ipc_lock);
	assert_true(l.root && l.confidential);
	sysroot_close(&bare);

	/* the same capabilities, and a map of users that is not everybody's */
	assert_int_equal(sysroot_open(&bare, "tests/sysroot/userns", NULL), 0);
	assert_int_equal(limits_read(&bare, &l, NULL), 0);
	assert_true(l.user_namespace);
	assert_false(limits_privileged(&l) || l.cap_ipc_lock);
	sysroot_close(&bare);

	assert_int_equal(sysroot_open(&bare, "tests", NULL), 0);
	assert_int_equal(limits_read(&bare, &l, &err), -ENOENT);
	assert_string_equal(err.hint, "mount -t proc nodev /proc");
	assert_int_equal(cpus_online(&bare, &cpus, &err), -ENOENT);
	assert_string_equal(err.hint, "mount -t sysfs nodev /sys");
	sysroot_close(&bare);
}

static void test_globs(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool match;
	} cases[] = {
		{"", "", true},          {"", "a", false},
		{"*", "", true},         {"*", "abc", true},
		{"a*c", "abbc", true},   {"a*c", "abbcd", false},
		{"*b*c*", "abxc", true}, {"**", "a", true},
		{"a?c", "abc", true},    {"a?c", "ac", false},
		{"[a-c]x", "bx", true},  {"[!a-c]x", "bx", false},
		{"[!a-c]x", "dx", true}, {"[]]", "]", true},
		{"[a-]", "-", true},     {"[ab", "[ab", true},
		{"*[ab", "x[ab", true},  {"sys_enter_*at", "sys_enter_openat", true},
		{"*ab", "aab", true},
	};
	char pattern[129], name[4097];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(glob_match(cases[i].pattern, cases[i].name), cases[i].match);
	assert_true(glob_is_pattern("a*") && glob_is_pattern("a?") && glob_is_pattern("[a]"));
	assert_false(glob_is_pattern("a-b.c:d"));

	/* "*a*a*a...b" against "aaaa...": some take years over it. */
	for (i = 0; i < 126; i += 2)
		memcpy(pattern + i, "*a", 2);
	memcpy(pattern + 126, "*b", 3);
	memset(name, 'a', 4096);
	name[4096] = '\0';
	assert_false(glob_match(pattern, name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),   cmocka_unit_test(test_bad_lists),
		cmocka_unit_test(test_machine), cmocka_unit_test(test_limits),
		cmocka_unit_test(test_globs),   cmocka_unit_test(test_watch),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("cpus, limits, glob", tests, NULL, NULL);
}
