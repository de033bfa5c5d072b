// SPDX-License-Identifier: GPL-2.0
/* Where CPUs stand: machines of tests/sysroot, and this one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/kernel/cpus.h"
#include "util/stat/topology.h"

static void open_machine(struct stat_topology *t, const char *path)
{
	struct sysroot root;
	struct err err = {0};

	assert_int_equal(sysroot_open(&root, path, &err), 0);
	assert_int_equal(stat_topology_read(t, &root, &err), 0);
	sysroot_close(&root);
}

/* "cpu:socket.die.cluster.core.node" of every CPU. */
static void print(const struct stat_topology *t, struct buf *b)
{
	const struct stat_cpu *c;
	u32 i;

	for (i = 0; i < t->cpus.nr; i++) {
		c = &t->cpus.v[i];
		buf_addf(b, "%s%u:%u.%u.%u.%u.%u", i ? " " : "", c->cpu, c->socket, c->die,
			 c->cluster, c->core, c->node);
		if (c->type)
			buf_addf(b, ".%s", c->type);
	}
}

static void is_machine(const char *path, const char *want)
{
	struct stat_topology t = {0};
	struct buf b = {0};

	open_machine(&t, path);
	print(&t, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
	stat_topology_free(&t);
}

static void server(void **state)
{
	(void)state;
	is_machine("tests/sysroot/smt", "0:0.0.0.0.0 1:0.0.0.1.0 2:0.1.0.2.0 3:0.1.0.3.0 "
					"4:1.0.0.0.1 5:1.0.0.1.1 6:1.1.0.2.1 7:1.1.0.3.1 "
					"8:0.0.0.0.0 9:0.0.0.1.0 10:0.1.0.2.0 11:0.1.0.3.0 "
					"12:1.0.0.0.1 13:1.0.0.1.1 15:1.1.0.3.1");
}

static void hybrid(void **state)
{
	(void)state;
	is_machine("tests/sysroot/hybrid",
		   "0:0.0.0.0.0.cpu_core 1:0.0.0.0.0.cpu_core 2:0.0.8.4.0.cpu_core "
		   "3:0.0.8.4.0.cpu_core 4:0.0.16.8.0.cpu_atom 5:0.0.16.9.0.cpu_atom "
		   "6:0.0.16.10.0.cpu_atom 7:0.0.16.11.0.cpu_atom");
}

/* No package, no dies, no NUMA. */
static void arm64(void **state)
{
	(void)state;
	is_machine("tests/sysroot/arm64",
		   "0:0.0.0.0.0.armv8_cortex_a53 1:0.0.0.1.0.armv8_cortex_a53 "
		   "2:0.0.0.2.0.armv8_cortex_a53 3:0.0.0.3.0.armv8_cortex_a53 "
		   "4:0.0.1.0.0.armv8_cortex_a72 5:0.0.1.1.0.armv8_cortex_a72");
}

static void find(void **state)
{
	struct stat_topology t = {0};

	(void)state;
	open_machine(&t, "tests/sysroot/smt");
	assert_int_equal(stat_topology_find(&t, 13)->core, 1);
	assert_null(stat_topology_find(&t, 14)); /* offline */
	assert_null(stat_topology_find(&t, 16));
	assert_null(stat_topology_find(&t, ID_NONE));
	stat_topology_free(&t);
}

static void this_machine(void **state)
{
	struct stat_topology t = {0};
	struct cpus online = {0};
	struct sysroot root;
	u32 i;

	(void)state;
	open_machine(&t, "/");
	assert_int_equal(sysroot_open(&root, "/", NULL), 0);
	assert_int_equal(cpus_online(&root, &online, NULL), 0);
	assert_int_equal(t.cpus.nr, online.nr);
	for (i = 0; i < online.nr; i++)
		assert_non_null(stat_topology_find(&t, online.v[i]));
	cpus_free(&online);
	sysroot_close(&root);
	stat_topology_free(&t);
}

static void nothing_there(void **state)
{
	struct stat_topology t = {0};
	struct sysroot root;
	struct err err = {0};

	(void)state;
	assert_int_equal(sysroot_open(&root, "tests/unit", &err), 0);
	assert_true(stat_topology_read(&t, &root, &err) < 0);
	assert_non_null(strstr(err.msg, "/sys/devices/system/cpu/online"));
	stat_topology_free(&t);
	sysroot_close(&root);
}

static void no_memory(void **state)
{
	struct stat_topology t;
	struct sysroot root;
	u32 n;
	int ret;

	(void)state;
	assert_int_equal(sysroot_open(&root, "tests/sysroot/hybrid", NULL), 0);
	for (n = 0;; n++) {
		t = (struct stat_topology){0};
		oom_after(n);
		ret = stat_topology_read(&t, &root, NULL);
		stat_topology_free(&t);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 2);
	sysroot_close(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(server),       cmocka_unit_test(hybrid),
		cmocka_unit_test(arm64),        cmocka_unit_test(find),
		cmocka_unit_test(this_machine), cmocka_unit_test(nothing_there),
		cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
