// SPDX-License-Identifier: GPL-2.0
/* Tables of names and numbers are whole; texts of the running system; sums. What calls look like: tests/golden/arguments.txt. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "tests/unit/oom.h"
#include "util/base/errno_names.h"
#include "util/event/ev_tracepoint.h"
#include "util/process/user_text.h"
#include "util/syscall/syscall.h"

static bool has_name(enum syscall_kind kind, u64 value)
{
	struct buf b = {0};
	bool named;

	syscall_names_put(kind, value, false, &b);
	named = strncmp(buf_str(&b), "0x", 2) != 0 && strcmp(buf_str(&b), "0") != 0;
	buf_free(&b);
	return named;
}

/* Every kind has its names: none is forgotten in the table. */
static void test_every_kind(void **state)
{
	bool named;
	int kind;
	u64 v;

	(void)state;
	for (kind = SYSCALL_FIRST_NAMED; kind < SYSCALL_KINDS; kind++) {
		named = false;
		for (v = 0; v < 70000 && !named; v++)
			named = has_name((enum syscall_kind)kind, v);
		for (v = 1; v < 1ull << 32 && !named; v <<= 1)
			named = has_name((enum syscall_kind)kind, v);
		if (!named)
			fail_msg("kind %d has no names", kind);
	}
}

/* arm has some flags of open(2) otherwise. */
static void test_open_on_arm(void **state)
{
	struct buf b = {0};

	(void)state;
	syscall_names_put(SYSCALL_OPEN, 040000 | 0100000, true, &b);
	assert_string_equal(buf_str(&b), "RDONLY|DIRECTORY|NOFOLLOW");
	buf_free(&b);
}

/* The numbers that this machine's headers have. */
static void test_numbers(void **state)
{
	const struct arch_syscalls *t;
	struct utsname u;

	(void)state;
	assert_int_equal(uname(&u), 0);
	t = arch_syscalls_find(u.machine);
	if (!t)
		skip();
	assert_int_equal(arch_syscalls_number(t, "read"), SYS_read);
	assert_int_equal(arch_syscalls_number(t, "openat"), SYS_openat);
	assert_int_equal(arch_syscalls_number(t, "fstat"), SYS_fstat);
	assert_int_equal(arch_syscalls_number(t, "newfstatat"), SYS_newfstatat);
	assert_int_equal(arch_syscalls_number(t, "rseq"), SYS_rseq);
	assert_int_equal(arch_syscalls_number(t, "close_range"), SYS_close_range);
	assert_string_equal(arch_syscalls_name(t, SYS_umount2), "umount2");
	assert_null(arch_syscalls_name(t, t->nr));
	assert_null(arch_syscalls_name(t, UINT64_MAX));
	assert_int_equal(arch_syscalls_number(t, "no_such_call"), ID_NONE);
	assert_string_equal(arch_syscalls_of_tracepoint("newfstat"), "fstat");
	assert_string_equal(arch_syscalls_of_tracepoint("umount"), "umount2");
	assert_string_equal(arch_syscalls_of_tracepoint("read"), "read");
	assert_int_equal(arch_syscalls_of(&arch_syscalls_x86_64, "newfstat"), 5);
	assert_int_equal(arch_syscalls_of(&arch_syscalls_x86_64, "select"), 23);
	assert_int_equal(arch_syscalls_of(&arch_syscalls_powerpc, "select"), 142);
	assert_int_equal(arch_syscalls_of(&arch_syscalls_powerpc, "getrlimit"), 190);
	assert_int_equal(arch_syscalls_of(&arch_syscalls_generic, "fadvise64_64"), 223);
	assert_int_equal(arch_syscalls_of(&arch_syscalls_s390, "old_mmap"), 90);
	assert_int_equal(arch_syscalls_of(&arch_syscalls_s390, "nosuch"), ID_NONE);
	assert_null(arch_syscalls_find("pdp11"));
	assert_int_equal(arch_syscalls_number(arch_syscalls_find("s390x"), "openat"), 288);
	assert_int_equal(arch_syscalls_number(arch_syscalls_find("s390x"), "futex_waitv"), 449);
	assert_int_equal(arch_syscalls_number(arch_syscalls_find("ppc64le"), "openat"), 286);
	assert_string_equal(arch_syscalls_name(arch_syscalls_find("ppc64"), 64), "getppid");
}

/* What has a number is known, but for calls that no kernel has any more. */
static void test_signatures(void **state)
{
	static const struct arch_syscalls *const tables[] = {&arch_syscalls_x86_64,
							     &arch_syscalls_generic};
	u32 i, nr, unknown = 0;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (nr = 0; nr < tables[i]->nr; nr++)
			unknown += tables[i]->names[nr] &&
				   !syscall_signatures_find(tables[i]->names[nr]);
	assert_in_range(unknown, 0, 20);
	assert_null(syscall_signatures_find("_sysctl"));
	assert_string_equal(syscall_signatures_find("accept")->args[0].name, "fd");
	assert_string_equal(syscall_signatures_find("writev")->args[2].name, "vlen");
}

static void test_strings(void **state)
{
	struct syscall_call c = {
		.what = syscall_signatures_find("unlink"),
		.args = {0x10},
		.texts = {{.s = "a\"b\\\x01\xff\n", .len = 7, .late = true, .cut = true}}};
	struct buf b = {0};

	(void)state;
	syscall_text_args(&c, &b);
	assert_string_equal(buf_str(&b), "pathname: \"a\\\"b\\\\\\x01\\xff\\x0a\"...~");
	buf_clear(&b);
	syscall_text_json(&c, &b);
	assert_string_equal(buf_str(&b), "{\"pathname\":{\"address\":\"0x10\",\"text\":"
					 "\"a\\\"b\\\\\\\\x01\\\\xff\\\\x0a\",\"late\":true,"
					 "\"cut\":true}}");
	buf_free(&b);
}

static void test_errors(void **state)
{
	(void)state;
	assert_int_equal(errno_value("ENOENT", 6), 2);
	assert_int_equal(errno_value("EWOULDBLOCK", 11), 11);
	assert_int_equal(errno_value("ENOENTX", 7), 0);
	assert_int_equal(errno_value("", 0), 0);
	assert_null(errno_name(0));
	assert_null(errno_name(UINT32_MAX));
}

static void test_filter(void **state)
{
	struct ev_syscalls c = {0};
	struct buf b = {0};

	(void)state;
	ev_syscalls_filter(c.enter, &b);
	assert_string_equal(buf_str(&b), "");
	c.enter[0] = 0x85; /* 0, 2, 7 */
	c.enter[1] = 0x03; /* 8, 9 */
	c.enter[127] = 0x80;
	ev_syscalls_filter(c.enter, &b);
	assert_string_equal(buf_str(&b),
			    "id == 0 || id == 2 || (id >= 7 && id <= 9) || id == 1023");
	buf_free(&b);
}

static void test_named(void **state)
{
	struct ev_syscalls c = {0};
	struct buf b = {0};

	(void)state;
	assert_true(ev_syscalls_named(&c, "x86_64", "close"));
	assert_true(ev_syscalls_named(&c, "x86_64", "get?id")); /* 102 getuid, 104 getgid */
	assert_true(ev_syscalls_named(&c, "x86_64", "*tuid"));  /* 105 setuid */
	assert_true(ev_syscalls_named(&c, "x86_64", "close"));
	assert_false(ev_syscalls_named(&c, "x86_64", "nosuch"));
	ev_syscalls_filter(c.enter, &b);
	assert_string_equal(buf_str(&b),
			    "id == 3 || id == 39 || id == 102 || (id >= 104 && id <= 105) || "
			    "id == 124 || id == 186");
	assert_memory_equal(c.exit, c.enter, sizeof(c.exit));
	assert_int_equal(c.nr_enter, 7);
	assert_int_equal(c.nr_exit, 7);
	assert_false(ev_syscalls_named(&c, "pdp11", "close"));

	/* those that have one number everywhere, and names of tracepoints that differ */
	c = (struct ev_syscalls){0};
	assert_true(ev_syscalls_named(&c, "x86_64", "openat2"));
	assert_true(ev_syscalls_named(&c, "x86_64", "newfstat"));
	buf_clear(&b);
	ev_syscalls_filter(c.enter, &b);
	assert_string_equal(buf_str(&b), "id == 5 || id == 437");

	c = (struct ev_syscalls){0};
	assert_true(ev_syscalls_named(&c, "x86_64", "*"));
	assert_true(ev_syscalls_all(&c, c.nr_enter));
	ev_syscalls_invert(&c);
	assert_int_equal(c.nr_enter, 0);

	c = (struct ev_syscalls){0};
	assert_true(ev_syscalls_named(&c, "x86_64", "close"));
	ev_syscalls_invert(&c);
	assert_false(ev_syscalls_all(&c, c.nr_enter));
	buf_clear(&b);
	ev_syscalls_filter(c.exit, &b);
	assert_string_equal(buf_str(&b), "(id >= 0 && id <= 2) || (id >= 4 && id <= 1023)");

	/* where rt_sigreturn is among them, its end has no number */
	buf_clear(&b);
	ev_syscalls_filter_ends(c.exit, "x86_64", &b);
	assert_string_equal(buf_str(&b),
			    "(id >= 0 && id <= 2) || (id >= 4 && id <= 1023) || id == -1");
	ev_syscalls_invert(&c);
	buf_clear(&b);
	ev_syscalls_filter_ends(c.exit, "x86_64", &b);
	assert_string_equal(buf_str(&b), "id == 3");
	buf_free(&b);
}

static void test_user_text(void **state)
{
	static const char text[] = "as it is";
	const u32 me = (u32)getpid();
	char to[64], *pages;
	bool whole;

	(void)state;
	assert_int_equal(user_text_read(me, (uintptr_t)text, to, sizeof(to), &whole), 8);
	assert_true(whole);
	assert_memory_equal(to, text, 9);
	assert_int_equal(user_text_read(me, (uintptr_t)text, to, 3, &whole), 3);
	assert_false(whole);
	assert_int_equal(user_text_read(me, 8, to, sizeof(to), &whole), -EFAULT);
	assert_int_equal(user_text_read(0x7ffffff0, 8, to, sizeof(to), &whole), -ESRCH);
	/* a text that runs into what is not mapped is there up to that */
	pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	memset(pages + 4090, 'x', 6);
	munmap(pages + 4096, 4096);
	assert_int_equal(user_text_read(me, (uintptr_t)pages + 4090, to, sizeof(to), &whole), 6);
	assert_false(whole);
	munmap(pages, 4096);
}

/* The test knows how it was called. */
static void test_program_name(void **state)
{
	char to[4096];
	bool whole;
	u64 at = user_program_name((u32)getpid());

	(void)state;
	assert_true(at);
	assert_true(user_text_read((u32)getpid(), at, to, sizeof(to), &whole) > 0);
	assert_true(whole);
	assert_int_equal(access(to, X_OK), 0);
	assert_int_equal(user_program_name(0x7ffffff0), 0);
	assert_int_equal(user_bytes_read((u32)getpid(), at, to, 2), 2);
	assert_int_equal(user_bytes_read((u32)getpid(), 8, to, 2), -EFAULT);
}

static void is_sockaddr(const void *a, size_t len, const char *text, const char *json)
{
	struct buf out = {0};

	syscall_sockaddr_text(a, len, &out);
	assert_string_equal(buf_str(&out), text);
	buf_clear(&out);
	buf_addc(&out, '{');
	syscall_sockaddr_json(a, len, &out);
	assert_string_equal(buf_str(&out), json);
	buf_free(&out);
}

static void test_sockaddr(void **state)
{
	const struct sockaddr_in v4 = {
		.sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x7f000001)};
	const struct sockaddr_in6 v6 = {.sin6_family = AF_INET6,
					.sin6_port = htons(443),
					.sin6_addr = IN6ADDR_LOOPBACK_INIT};
	const struct sockaddr_un local = {AF_UNIX, "/run/a\"b\n"};
	const struct sockaddr_un abstract = {AF_UNIX, "\0name"};
	const u16 unknown = 999;
	const size_t path = offsetof(struct sockaddr_un, sun_path);
	struct sockaddr_un long_path = {.sun_family = AF_UNIX};
	struct sockaddr_storage any = {0};
	char xs[sizeof(long_path.sun_path) + 1] = "", text[256], json[256];

	(void)state;
	is_sockaddr(&v4, sizeof(v4), "{family: INET, host: 127.0.0.1, port: 53}",
		    "{\"family\":\"INET\",\"host\":\"127.0.0.1\",\"port\":53");
	is_sockaddr(&v4, sizeof(v4) - 1, "{family: INET}", "{\"family\":\"INET\"");
	is_sockaddr(&v6, sizeof(v6), "{family: INET6, host: ::1, port: 443}",
		    "{\"family\":\"INET6\",\"host\":\"::1\",\"port\":443");
	is_sockaddr(&local, sizeof(local), "{family: LOCAL, path: \"/run/a\\\"b\\x0a\"}",
		    "{\"family\":\"LOCAL\",\"path\":\"/run/a\\\"b\\\\x0a\"");
	is_sockaddr(&abstract, path + 5, "{family: LOCAL, path: \"@name\"}",
		    "{\"family\":\"LOCAL\",\"path\":\"@name\"");
	/* no more than there is room for, whatever the caller said */
	memset(long_path.sun_path, 'x', sizeof(long_path.sun_path));
	memset(xs, 'x', sizeof(long_path.sun_path));
	snprintf(text, sizeof(text), "{family: LOCAL, path: \"%s\"}", xs);
	snprintf(json, sizeof(json), "{\"family\":\"LOCAL\",\"path\":\"%s\"", xs);
	memcpy(&any, &long_path, sizeof(long_path));
	is_sockaddr(&any, sizeof(any), text, json);
	is_sockaddr(&local, path, "{family: LOCAL}", "{\"family\":\"LOCAL\"");
	is_sockaddr(&unknown, 2, "{family: 0x3e7}", "{\"family\":\"0x3e7\"");
	is_sockaddr(&v4, 0, "{family: UNSPEC}", "{\"family\":\"UNSPEC\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind), cmocka_unit_test(test_open_on_arm),
		cmocka_unit_test(test_numbers),    cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_strings),    cmocka_unit_test(test_errors),
		cmocka_unit_test(test_filter),     cmocka_unit_test(test_named),

		cmocka_unit_test(test_user_text),  cmocka_unit_test(test_program_name),
		cmocka_unit_test(test_sockaddr),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("syscalls", tests, NULL, NULL);
}
