// SPDX-License-Identifier: GPL-2.0
/* Names of system calls and of what they are given; texts of calls; sums. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <math.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "arch/arch.h"
#include "tests/unit/oom.h"
#include "util/base/errno_names.h"
#include "util/event/ev_tracepoint.h"
#include "util/process/user_text.h"
#include "util/syscall/syscall.h"

static void check_name(enum syscall_kind kind, u64 value, const char *want)
{
	struct buf b = {0};

	syscall_names_put(kind, value, false, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

#define NAMED(kind, prefix, name) check_name(SYSCALL_##kind, (u32)prefix##name, #name)

/* The system's own headers are the truth. */
static void test_values(void **state)
{
	(void)state;
	NAMED(AT, AT_, SYMLINK_NOFOLLOW);
	NAMED(AT, AT_, EMPTY_PATH);
	NAMED(UNLINK_AT, AT_, REMOVEDIR);
	NAMED(ACCESS_AT, AT_, EACCESS);
	NAMED(PROT, PROT_, NONE);
	NAMED(PROT, PROT_, READ);
	NAMED(PROT, PROT_, EXEC);
	NAMED(MAP, MAP_, SHARED);
	NAMED(MAP, MAP_, PRIVATE);
	NAMED(MREMAP, MREMAP_, MAYMOVE);
	NAMED(MSYNC, MS_, SYNC);
	NAMED(MS, MS_, RDONLY);
	NAMED(MS, MS_, PRIVATE);
	NAMED(MS, MS_, LAZYTIME);
	NAMED(UMOUNT, , MNT_DETACH);
	NAMED(MADVICE, MADV_, DONTNEED);
	NAMED(MADVICE, MADV_, HUGEPAGE);
	NAMED(SEEK, SEEK_, HOLE);
	NAMED(SIGNAL, SIG, KILL);
	NAMED(SIGNAL, SIG, CHLD);
	NAMED(SIGNAL, SIG, SYS);
	NAMED(SIG_HOW, SIG_, SETMASK);
	NAMED(FAMILY, AF_, UNSPEC);
	NAMED(FAMILY, AF_, LOCAL);
	NAMED(FAMILY, AF_, INET6);
	NAMED(FAMILY, AF_, NETLINK);
	NAMED(FAMILY, AF_, VSOCK);
	NAMED(SOCK_TYPE, SOCK_, SEQPACKET);
	NAMED(MSG, MSG_, NOSIGNAL);
	NAMED(MSG, MSG_, CMSG_CLOEXEC);
	NAMED(SHUTDOWN, SHUT_, RDWR);
	NAMED(CLONE, CLONE_, THREAD);
	NAMED(CLONE, CLONE_, NEWNET);
	NAMED(FUTEX, FUTEX_, WAIT);
	NAMED(FUTEX, FUTEX_, CMP_REQUEUE_PI);
	NAMED(FCNTL, F_, DUPFD_CLOEXEC);
	NAMED(FCNTL, F_, OFD_SETLKW);
	NAMED(FCNTL, F_, ADD_SEALS);
	NAMED(FALLOC, FALLOC_FL_, PUNCH_HOLE);
	NAMED(EPOLL_CTL, EPOLL_CTL_, MOD);
	NAMED(EFD, EFD_, SEMAPHORE);
	NAMED(GRND, GRND_, RANDOM);
	NAMED(CLOCK, CLOCK_, REALTIME);
	NAMED(CLOCK, CLOCK_, BOOTTIME);
	NAMED(CLOCK, CLOCK_, TAI);
	NAMED(ITIMER, ITIMER_, PROF);
	NAMED(WAIT, W, NOHANG);
	NAMED(WAIT, W, NOWAIT);
	NAMED(RUSAGE, RUSAGE_, CHILDREN);
	NAMED(RLIMIT, RLIMIT_, NOFILE);
	NAMED(RLIMIT, RLIMIT_, RTTIME);
	NAMED(PRCTL, PR_, SET_NAME);
	NAMED(PRCTL, PR_, SET_NO_NEW_PRIVS);
	NAMED(PRCTL, PR_, SET_VMA);
	NAMED(INOTIFY, IN_, ONESHOT);
	NAMED(IOCTL, , TCGETS);
	NAMED(IOCTL, , FIONREAD);
	NAMED(IOCTL, , PERF_EVENT_IOC_ENABLE);
	NAMED(IOCTL, , PERF_EVENT_IOC_QUERY_BPF);
	check_name(SYSCALL_OPEN, 0, "RDONLY");
	check_name(SYSCALL_FLOCK, 2 | 4, "EX|NB");
}

static void test_sums_of_flags(void **state)
{
	struct buf b = {0};

	(void)state;
	check_name(SYSCALL_OPEN, 02000000 | 0200000 | 04000, "RDONLY|NONBLOCK|DIRECTORY|CLOEXEC");
	check_name(SYSCALL_OPEN, 020200000 | 2, "RDWR|TMPFILE");
	check_name(SYSCALL_OPEN, 04010000 | 1, "WRONLY|SYNC");
	check_name(SYSCALL_OPEN, 0x80000001, "WRONLY|0x80000000");
	check_name(SYSCALL_MSG, 0, "0");
	check_name(SYSCALL_FCNTL, 77, "0x4d");
	check_name(SYSCALL_SIGNAL, 34, "RT_2");
	check_name(SYSCALL_SIGNAL, 0, "0");
	check_name(SYSCALL_CLONE, 0x01200011, "SIGCHLD|CHILD_CLEARTID|CHILD_SETTID");
	check_name(SYSCALL_FUTEX, 128 | 256 | 9, "WAIT_BITSET|PRIVATE_FLAG|CLOCK_REALTIME");
	check_name(SYSCALL_SOCK_TYPE, 1 | 02000000, "STREAM|CLOEXEC");
	/* arm has some flags of open(2) otherwise */
	syscall_names_put(SYSCALL_OPEN, 040000 | 0100000, true, &b);
	assert_string_equal(buf_str(&b), "RDONLY|DIRECTORY|NOFOLLOW");
	buf_free(&b);
}

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

static void check_call(const char *name, const u64 args[SYSCALL_ARGS], const char *text,
		       const char *json)
{
	struct syscall_call c = {.what = syscall_signatures_find(name), .nr = 471};
	struct buf b = {0};

	memcpy(c.args, args, sizeof(c.args));
	syscall_text_args(&c, &b);
	assert_string_equal(buf_str(&b), text);
	buf_clear(&b);
	syscall_text_json(&c, &b);
	assert_string_equal(buf_str(&b), json);
	buf_free(&b);
}

#define ARGS(...) ((const u64[SYSCALL_ARGS]){__VA_ARGS__})

static void test_args(void **state)
{
	(void)state;
	check_call("openat", ARGS((u64)-100, 0x1000, 02000000, 0644),
		   "dfd: CWD, filename: 0x1000, flags: RDONLY|CLOEXEC",
		   "{\"dfd\":{\"value\":-100,\"name\":\"CWD\"},\"filename\":\"0x1000\","
		   "\"flags\":{\"value\":524288,\"name\":\"RDONLY|CLOEXEC\"}}");
	check_call("open", ARGS(0, 0101, 0100644),
		   "filename: NULL, flags: WRONLY|CREAT, mode: 0100644",
		   "{\"filename\":\"0x0\",\"flags\":{\"value\":65,\"name\":\"WRONLY|CREAT\"},"
		   "\"mode\":{\"value\":33188,\"name\":\"0100644\"}}");
	/* what the upper half of a register holds is nothing to an int */
	check_call("close", ARGS(0xdeadbeefffffffff), "fd: -1", "{\"fd\":-1}");
	check_call("fchown", ARGS(3, UINT32_MAX, 4000000000), "fd: 3, user: -1, group: 4000000000",
		   "{\"fd\":3,\"user\":-1,\"group\":4000000000}");
	check_call("lseek", ARGS(3, (u64)-1, 2), "fd: 3, offset: -1, whence: END",
		   "{\"fd\":3,\"offset\":-1,\"whence\":{\"value\":2,\"name\":\"END\"}}");
	check_call("fcntl", ARGS(3, F_GETFL, 9), "fd: 3, cmd: GETFL",
		   "{\"fd\":3,\"cmd\":{\"value\":3,\"name\":\"GETFL\"}}");
	check_call("fcntl", ARGS(3, F_SETFD, 1), "fd: 3, cmd: SETFD, arg: CLOEXEC",
		   "{\"fd\":3,\"cmd\":{\"value\":2,\"name\":\"SETFD\"},"
		   "\"arg\":{\"value\":1,\"name\":\"CLOEXEC\"}}");
	check_call("futex", ARGS(0x10, 129, 1, 2, 3, 4),
		   "uaddr: 0x10, op: WAKE|PRIVATE_FLAG, val: 1",
		   "{\"uaddr\":\"0x10\",\"op\":{\"value\":129,\"name\":\"WAKE|PRIVATE_FLAG\"},"
		   "\"val\":1}");
	check_call("mknod", ARGS(0x10, 020600, 0x12345678),
		   "filename: 0x10, mode: 020600, dev: 1110:74616",
		   "{\"filename\":\"0x10\",\"mode\":{\"value\":8576,\"name\":\"020600\"},"
		   "\"dev\":{\"value\":305419896,\"name\":\"1110:74616\"}}");
	check_call("getpid", ARGS(1, 2), "", "{}");
	check_call("no_such_call", ARGS(1, 2, 3, 4, 5, 6),
		   "arg1: 0x1, arg2: 0x2, arg3: 0x3, arg4: 0x4, arg5: 0x5, arg6: 0x6",
		   "{\"arg1\":\"0x1\",\"arg2\":\"0x2\",\"arg3\":\"0x3\",\"arg4\":\"0x4\","
		   "\"arg5\":\"0x5\",\"arg6\":\"0x6\"}");
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

static void check_result(const char *name, s64 result, const char *want)
{
	const struct syscall_call c = {.what = syscall_signatures_find(name)};
	struct buf b = {0};

	syscall_text_result(&c, result, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void test_results(void **state)
{
	(void)state;
	check_result("read", 12, "12");
	check_result("read", -9, "-1 EBADF (Bad file descriptor)");
	check_result("read", -512, "-1 ERESTARTSYS (To be restarted if SA_RESTART is set)");
	check_result("read", -4000, "-4000");
	check_result("read", -5000, "-5000");
	check_result("mmap", 0x7f0000000000, "0x7f0000000000");
	check_result("mmap", -12, "-1 ENOMEM (Cannot allocate memory)");
	check_result("umask", 022, "022");
	assert_int_equal(errno_value("ENOENT", 6), 2);
	assert_int_equal(errno_value("EWOULDBLOCK", 11), 11);
	assert_int_equal(errno_value("ENOENTX", 7), 0);
	assert_int_equal(errno_value("", 0), 0);
	assert_null(errno_name(0));
	assert_null(errno_name(UINT32_MAX));
}

static const char open_format[] =
	"name: sys_enter_frobnicate\nID: 700\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:umode_t mode;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] __filename_val;\toffset:40;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

/* A call of a newer kernel, by what its format tells, with a text that the kernel read. */
static void test_layout_of_new_call(void **state)
{
	struct tp_format *f = tp_format_parse(open_format, strlen(open_format), NULL);
	struct {
		u16 type, pad;
		s32 pid;
		s32 nr, pad2;
		u64 args[3];
		u32 text, pad3;
		char bytes[8];
	} raw = {.nr = 999,
		 .args = {(u64)-100, 0x1234, 0600},
		 .text = 5u << 16 | 48,
		 .bytes = "/etc"};
	struct syscall_layout l;
	struct syscall_call c = {0};
	struct buf b = {0};
	size_t len;
	u64 nr;

	(void)state;
	assert_non_null(f);
	syscall_layout_init(&l, "syscalls", "sys_enter_frobnicate", f);
	assert_int_equal(l.side, SYSCALL_ENTER);
	assert_null(l.call);
	assert_true(syscall_layout_nr(&l, &raw, sizeof(raw), &nr));
	assert_int_equal(nr, 999);
	assert_true(syscall_layout_args(&l, &raw, sizeof(raw), c.args));
	assert_false(syscall_layout_args(&l, &raw, 30, c.args));
	assert_true(syscall_layout_args(&l, &raw, sizeof(raw), c.args));
	c.what = &l.own;
	assert_non_null(l.texts[1]);
	assert_true(tp_field_string(l.texts[1], &raw, sizeof(raw), &c.texts[1].s, &len));
	c.texts[1].len = (u32)len;
	syscall_text_name(&c, &b);
	buf_addc(&b, ' ');
	syscall_text_args(&c, &b);
	assert_string_equal(buf_str(&b), "frobnicate dfd: CWD, filename: \"/etc\", mode: 0600");
	syscall_layout_init(&l, "sched", "sched_switch", f);
	assert_int_equal(l.side, SYSCALL_NEITHER);
	syscall_layout_init(&l, "syscalls", "sys_other", f);
	assert_int_equal(l.side, SYSCALL_NEITHER);
	syscall_layout_init(&l, "raw_syscalls", "sys_enter", f);
	assert_int_equal(l.side, SYSCALL_NEITHER);
	buf_free(&b);
	tp_format_free(f);
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
	buf_free(&b);
}

static void test_stats(void **state)
{
	static const u64 times[] = {10, 20, 30, 100};
	struct syscall_stats s = {0};
	struct syscall_row both = {0};
	struct syscall_made m = {.thread = 1, .nr = 3, .timed = true};
	double mean = 40, squares = 900 + 400 + 100 + 3600;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		m.duration = times[i];
		m.thread = i / 2;
		m.error = i == 3 ? 2 : 0;
		assert_int_equal(syscall_stats_add(&s, &m, NULL), 0);
	}
	m = (struct syscall_made){.thread = 1, .nr = 3, .error = 2};
	assert_int_equal(syscall_stats_add(&s, &m, NULL), 0);
	assert_int_equal(s.rows.nr, 2);
	assert_int_equal(s.errors.nr, 1);
	assert_int_equal(s.errors.v[0].calls, 2);
	syscall_stats_merge(&both, &s.rows.v[0]);
	syscall_stats_merge(&both, &s.rows.v[1]);
	assert_int_equal(both.calls, 5);
	assert_int_equal(both.errors, 2);
	assert_int_equal(both.timed, 4);
	assert_int_equal(both.total, 160);
	assert_int_equal(both.min, 10);
	assert_int_equal(both.max, 100);
	assert_true(fabs(both.mean - mean) < 1e-9);
	assert_true(fabs(both.squares - squares) < 1e-6);
	assert_true(fabs(syscall_stats_deviation(&both) - 100 * sqrt(squares / 3 / 4) / mean) <
		    1e-9);
	syscall_stats_free(&s);
}

static void test_stats_without_memory(void **state)
{
	struct syscall_made m = {.thread = 1, .error = 1};
	struct syscall_stats s;
	bool refused = true;
	unsigned int n;
	int ret = 0;

	(void)state;
	for (n = 0; refused; n++) {
		s = (struct syscall_stats){0};
		oom_after(n);
		for (m.nr = 0, ret = 0; m.nr < 50 && !ret; m.nr++)
			ret = syscall_stats_add(&s, &m, NULL);
		refused = oom_stop();
		assert_int_equal(ret, refused ? -ENOMEM : 0);
		syscall_stats_free(&s);
	}
	assert_true(n > 4);
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
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_sums_of_flags),
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_layout_of_new_call),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_stats_without_memory),
		cmocka_unit_test(test_user_text),
		cmocka_unit_test(test_program_name),
		cmocka_unit_test(test_sockaddr),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("syscalls", tests, NULL, NULL);
}
