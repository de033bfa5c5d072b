// SPDX-License-Identifier: GPL-2.0
/* Functions that can be traced, of kernels that have their addresses in tracefs, and of older ones. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/base/buf.h"
#include "util/kernel/traceable.h"

#define PLAIN "available_filter_functions"

struct machine {
	char dir[64];
	struct sysroot root;
	struct tracefs t;
};

static void put(const struct machine *m, const char *path, const char *text)
{
	int fd = openat(m->root.fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void start(struct machine *m)
{
	*m = (struct machine){.dir = "/tmp/test_traceable.XXXXXX"};
	assert_non_null(mkdtemp(m->dir));
	assert_int_equal(sysroot_open(&m->root, m->dir, NULL), 0);
	assert_int_equal(mkdirat(m->root.fd, "proc", 0700), 0);
	m->t.fd = m->root.fd;
}

static void stop(struct machine *m)
{
	unlinkat(m->root.fd, PLAIN, 0);
	unlinkat(m->root.fd, PLAIN "_addrs", 0);
	unlinkat(m->root.fd, "proc/kallsyms", 0);
	unlinkat(m->root.fd, "proc", AT_REMOVEDIR);
	rmdir(m->dir);
	sysroot_close(&m->root);
}

static void finds_of(const struct machine *m, const char *module, const char *pattern,
		     const char *want)
{
	struct traceables found = {0};
	struct buf got = {0};
	u32 i;

	assert_int_equal(traceable_find(&m->root, &m->t, module, pattern, &found, NULL), 0);
	for (i = 0; i < found.v.nr; i++)
		buf_addf(&got, "%s%s@%llx", i ? " " : "", found.v.v[i].name,
			 (unsigned long long)found.v.v[i].addr);
	assert_string_equal(buf_str(&got), want);
	buf_free(&got);
	traceable_free(&found);
}

static void finds(const struct machine *m, const char *pattern, const char *want)
{
	finds_of(m, NULL, pattern, want);
}

static void with_addresses(void **state)
{
	struct machine m;

	(void)state;
	start(&m);
	put(&m, PLAIN "_addrs",
	    "ffffffff81000010 tcp_a\nffffffff81000020 tcp_b.isra.0\nffffffff81000030 tcp_a\n"
	    "ffffffffc0000010 tcp_c [mod]\nffffffff81000040 __ftrace_invalid_address___64\n"
	    "nonsense\n\n tcp_d\nffffffff81000050\nffffffff81000060 tcp_e");
	finds(&m, "tcp_*",
	      "tcp_a@ffffffff81000010 tcp_b.isra.0@ffffffff81000020 tcp_a@ffffffff81000030 "
	      "tcp_c@ffffffffc0000010 tcp_e@ffffffff81000060");
	finds(&m, "*_[bc]*", "tcp_b.isra.0@ffffffff81000020 tcp_c@ffffffffc0000010");
	finds(&m, "__ftrace*", "");
	finds_of(&m, "mod", "*", "tcp_c@ffffffffc0000010");
	finds_of(&m, "mo", "*", "");
	finds_of(&m, "mod", "tcp_a", "");
	finds(&m, "udp_*", "");
	stop(&m);
}

/* A name that not all functions of can be traced is of nobody knows which. */
static void by_kallsyms(void **state)
{
	struct machine m;
	struct traceables found = {0};
	struct err err = {0};

	(void)state;
	start(&m);
	put(&m, PLAIN, "tcp_a\ntcp_b\ntcp_b\ntcp_c\ntcp_d [mod]\ntcp_gone\nudp_a\n");
	put(&m, "proc/kallsyms",
	    "ffffffff81000010 T tcp_a\nffffffff81000020 t tcp_b\nffffffff81000030 t tcp_b\n"
	    "ffffffff81000040 t tcp_c\nffffffff81000050 t tcp_c\nffffffff81000060 D tcp_a\n"
	    "ffffffff81000070 t tcp_d\nffffffffc0000010 t tcp_d\t[mod]\n"
	    "ffffffff81000080 T tcp_never\n");
	finds(&m, "tcp_*",
	      "tcp_a@ffffffff81000010 tcp_b@ffffffff81000020 tcp_b@ffffffff81000030 "
	      "tcp_d@ffffffffc0000010");
	finds(&m, "nothing*", "");
	finds_of(&m, "mod", "t*", "tcp_d@ffffffffc0000010");
	finds_of(&m, "module", "t*", "");
	put(&m, "proc/kallsyms", "0000000000000000 T tcp_a\n");
	assert_int_equal(traceable_find(&m.root, &m.t, NULL, "tcp_*", &found, &err), -EPERM);
	assert_non_null(strstr(err.msg, "hides its addresses"));
	traceable_free(&found);
	stop(&m);
}

static void refused(void **state)
{
	struct machine m;
	struct traceables found = {0};
	struct err err = {0};

	(void)state;
	start(&m);
	assert_int_equal(traceable_find(&m.root, &m.t, NULL, "tcp_*", &found, &err), -ENOTSUP);
	assert_non_null(strstr(err.msg, "CONFIG_FUNCTION_TRACER"));
	assert_true(err.hint[0]);
	traceable_free(&found);
	stop(&m);
}

static void out_of_memory(void **state)
{
	struct traceables found;
	struct machine m;
	unsigned int n;
	bool more;
	int ret;

	(void)state;
	start(&m);
	put(&m, PLAIN, "tcp_a\ntcp_b\n");
	put(&m, "proc/kallsyms", "ffffffff81000010 T tcp_a\nffffffff81000020 t tcp_b\n");
	for (n = 0, more = true; more; n++) {
		found = (struct traceables){0};
		oom_after(n);
		ret = traceable_find(&m.root, &m.t, NULL, "tcp_*", &found, NULL);
		more = oom_stop();
		if (!more)
			assert_int_equal(ret, 0);
		traceable_free(&found);
	}
	assert_true(n > 5);
	stop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_addresses),
		cmocka_unit_test(by_kallsyms),
		cmocka_unit_test(refused),
		cmocka_unit_test(out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("traceable", tests, NULL, NULL);
}
