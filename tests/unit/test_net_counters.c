// SPDX-License-Identifier: GPL-2.0
/* The kernel's counters of lost packets, from files made here. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/kernel/net_counters.h"

static void put(const char *folder, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/proc/net/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	close(fd);
}

/* "NAME +N, ..." of those that rose. */
static void rose(const struct net_counters *before, const struct net_counters *now,
		 const char *want)
{
	struct buf b = {0};
	struct net_counter c;
	u32 i;

	for (i = 0; i < now->values.nr; i++) {
		c = net_counters_since(now, i, before);
		if (c.value)
			buf_addf(&b, "%s%s +%llu", b.len ? ", " : "", c.name,
				 (unsigned long long)c.value);
	}
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void make(char folder[static 64], struct sysroot *root)
{
	char cmd[128];

	made_folder(folder);
	snprintf(cmd, sizeof(cmd), "mkdir -p %s/proc/net", folder);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(sysroot_open(root, folder, NULL), 0);
}

static void files(void **state)
{
	struct net_counters before = {0}, now = {0};
	struct sysroot root;
	char folder[64];

	(void)state;
	make(folder, &root);
	put(folder, "snmp",
	    "Udp: InDatagrams NoPorts InErrors\nUdp: 10 3 7\nTcp: InErrs\nTcp: 1\n");
	put(folder, "netstat", "TcpExt: ListenDrops\nTcpExt: 5\n");
	put(folder, "snmp6", "Ip6InReceives \t4\nUdp6NoPorts   \t2\n");
	put(folder, "softnet_stat", "0000ffff 00000010 00000000\n00000001 00000001 00000000\n");
	put(folder, "dev",
	    "Inter-|   Receive  |  Transmit\n face |bytes packets errs |bytes\n"
	    "  eth0: 100 9 0 1 2 3 0 0 200 8 0 4 5 0 6 0\n");
	assert_int_equal(net_counters_read(&before, &root, NULL), 0);
	put(folder, "snmp",
	    "Udp: InDatagrams NoPorts InErrors\nUdp: 20 5 6\nTcp: InErrs\nTcp: 1\n");
	put(folder, "netstat", "TcpExt: ListenDrops\nTcpExt: 18446744073709551615\n");
	put(folder, "snmp6", "Ip6InReceives \t8\nUdp6NoPorts   \t3\n");
	put(folder, "softnet_stat", "0000ffff 00000012 00000000\n00000001 00000001 00000000\n");
	put(folder, "dev",
	    "Inter-|   Receive  |  Transmit\n face |bytes packets errs |bytes\n"
	    "  eth0:101 9 0 1 3 3 0 0 200 8 0 4 5 0 7 0\n  new1: 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(net_counters_read(&now, &root, NULL), 0);
	rose(&before, &now,
	     "UdpNoPorts +2, TcpExtListenDrops +18446744073709551610, Udp6NoPorts +1, softnet dropped +2, "
	     "eth0 rx fifo +1, eth0 tx carrier +1");
	rose(&now, &now, "");
	/* a CPU came, with what its queue had dropped before */
	put(folder, "softnet_stat", "0 12 0\n0 1 0\n0 99 0\n");
	net_counters_free(&before);
	before = now;
	now = (struct net_counters){0};
	assert_int_equal(net_counters_read(&now, &root, NULL), 0);
	rose(&before, &now, "");
	net_counters_free(&before);
	net_counters_free(&now);
	sysroot_close(&root);
	made_folder_gone(folder);
}

/* Files that are not there, are cut off, or something else. */
static void odd_files(void **state)
{
	static const char *const odd[] = {
		"",
		"\n",
		":",
		"::::\n",
		"Udp:",
		"Udp:\nUdp:",
		"Udp: NoPorts\n",
		"Udp: NoPorts\nTcp: 1\n",
		"Udp: NoPorts NoPorts\nUdp: 1 x\n",
		"eth0:",
		"eth0: 1 2",
		" : 1 2 3 4\n",
		"\xff\xfe\n\n",
		"Udp6NoPorts",
		"zz zz zz",
		"ffffffffffffffffffffff fffffffffffffffffffffff",
	};
	static const char *const names[] = {"snmp", "netstat", "snmp6", "softnet_stat", "dev"};
	struct net_counters c = {0}, none = {0};
	struct sysroot root;
	char folder[64];
	u32 i, n;

	(void)state;
	make(folder, &root);
	assert_int_equal(net_counters_read(&none, &root, NULL), -ENOENT);
	assert_int_equal(none.values.nr, 0);
	for (i = 0; i < ARRAY_SIZE(odd); i++) {
		for (n = 0; n < ARRAY_SIZE(names); n++)
			put(folder, names[n], odd[i]);
		assert_int_equal(net_counters_read(&c, &root, NULL), 0);
		assert_int_equal(c.values.nr, c.names.nr);
		net_counters_free(&c);
		c = (struct net_counters){0};
	}
	net_counters_free(&none);
	sysroot_close(&root);
	made_folder_gone(folder);
}

static void little_memory(void **state)
{
	struct net_counters c;
	struct sysroot root;
	char folder[64];
	unsigned int n;
	int ret;

	(void)state;
	make(folder, &root);
	put(folder, "snmp", "Udp: InDatagrams NoPorts InErrors\nUdp: 10 3 7\n");
	put(folder, "dev", "  eth0: 100 9 0 1 2 3 0 0 200 8 0 4 5 0 6 0\n");
	for (n = 0;; n++) {
		c = (struct net_counters){0};
		oom_after(n);
		ret = net_counters_read(&c, &root, NULL);
		net_counters_free(&c);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
	}
	assert_int_equal(ret, 0);
	sysroot_close(&root);
	made_folder_gone(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(odd_files),
		cmocka_unit_test(little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
