// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/net_counters.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/kernel/proc.h"
#include "util/kernel/qdiscs.h"

#define FILE_MAX (16u << 20)
#define QUEUES   "softnet dropped"

/* Those of protocols that count packets which went no further. */
static const char *const wanted[] = {
	"IpInHdrErrors",
	"IpInAddrErrors",
	"IpInUnknownProtos",
	"IpInDiscards",
	"IpOutDiscards",
	"IpOutNoRoutes",
	"IpReasmTimeout",
	"IpReasmFails",
	"IpFragFails",
	"IpExtInNoRoutes",
	"IpExtInTruncatedPkts",
	"IpExtInCsumErrors",
	"IcmpInErrors",
	"IcmpInCsumErrors",
	"TcpInErrs",
	"TcpInCsumErrors",
	"UdpNoPorts",
	"UdpInErrors",
	"UdpRcvbufErrors",
	"UdpSndbufErrors",
	"UdpInCsumErrors",
	"UdpMemErrors",
	"TcpExtListenOverflows",
	"TcpExtListenDrops",
	"TcpExtPAWSActive",
	"TcpExtPAWSEstab",
	"TcpExtPAWSTimewait",
	"TcpExtTCPBacklogDrop",
	"TcpExtPFMemallocDrop",
	"TcpExtTCPMinTTLDrop",
	"TcpExtTCPDeferAcceptDrop",
	"TcpExtIPReversePathFilter",
	"TcpExtTCPReqQFullDrop",
	"TcpExtTCPRcvQDrop",
	"TcpExtTCPOFODrop",
	"TcpExtOfoPruned",
	"TcpExtRcvPruned",
	"TcpExtTCPZeroWindowDrop",
	"TcpExtTCPMD5NotFound",
	"TcpExtTCPMD5Unexpected",
	"TcpExtTCPMD5Failure",
	"TcpExtSyncookiesFailed",
	"TcpExtTCPAbortOnMemory",
	"TcpExtTSEcrRejected",
	"TcpExtTCPAOKeyNotFound",
	"TcpExtTCPAOBad",
	"TcpExtTCPAORequired",
	"Ip6InHdrErrors",
	"Ip6InTooBigErrors",
	"Ip6InNoRoutes",
	"Ip6InAddrErrors",
	"Ip6InUnknownProtos",
	"Ip6InTruncatedPkts",
	"Ip6InDiscards",
	"Ip6OutDiscards",
	"Ip6OutNoRoutes",
	"Ip6ReasmTimeout",
	"Ip6ReasmFails",
	"Ip6FragFails",
	"Icmp6InErrors",
	"Icmp6InCsumErrors",
	"Udp6NoPorts",
	"Udp6InErrors",
	"Udp6RcvbufErrors",
	"Udp6SndbufErrors",
	"Udp6InCsumErrors",
	"Udp6MemErrors",
};

/* Columns of /proc/net/dev, behind the name; NULL: it is none of these. */
static const char *const columns[] = {
	NULL, NULL, "rx errors", "rx dropped", "rx fifo", "rx frame", NULL,         NULL,
	NULL, NULL, "tx errors", "tx dropped", "tx fifo", NULL,       "tx carrier", NULL,
};

static bool add(struct net_counters *c, const char *name, u64 value)
{
	const u32 nr = c->values.nr, number = strtab_add(&c->names, name, strlen(name));
	u64 *v;

	/* of two with one name, the first */
	if (number != nr)
		return number != ID_NONE;
	v = vec_push(&c->values);
	if (v)
		*v = value;
	return v != NULL;
}

static bool add_wanted(struct net_counters *c, const char *name, const char *value)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!strcmp(wanted[i], name))
			return add(c, name, strtoull(value, NULL, 10));
	return true;
}

/* "Udp: InDatagrams NoPorts", and their values on the next line. */
static bool read_pair(struct net_counters *c, char *names, char *values)
{
	char name[64], *save_name, *save_value;
	const char *protocol = strtok_r(names, ": ", &save_name);
	const char *what, *value = strtok_r(values, ": ", &save_value);
	bool ok = true;

	if (!protocol || !value || strcmp(protocol, value) != 0)
		return true;
	while (ok && (what = strtok_r(NULL, " ", &save_name)) &&
	       (value = strtok_r(NULL, " ", &save_value))) {
		snprintf(name, sizeof(name), "%s%s", protocol, what);
		ok = add_wanted(c, name, value);
	}
	return ok;
}

static bool read_pairs(struct net_counters *c, char *text)
{
	char *save, *names, *values;
	bool ok = true;

	for (names = strtok_r(text, "\n", &save); names && ok;
	     names = strtok_r(NULL, "\n", &save)) {
		values = strtok_r(NULL, "\n", &save);
		ok = !values || read_pair(c, names, values);
	}
	return ok;
}

/* "Udp6NoPorts   12" */
static bool read_names(struct net_counters *c, char *text)
{
	char *save, *line, *within, *name, *value;
	bool ok = true;

	for (line = strtok_r(text, "\n", &save); line && ok; line = strtok_r(NULL, "\n", &save)) {
		name = strtok_r(line, " \t", &within);
		value = name ? strtok_r(NULL, " \t", &within) : NULL;
		ok = !value || add_wanted(c, name, value);
	}
	return ok;
}

/* "  eth0: 1 2 3 ..." */
static bool read_devices(struct net_counters *c, char *text)
{
	char *save, *line, *within, *device, *value, name[64];
	bool ok = true;
	u32 i;

	for (line = strtok_r(text, "\n", &save); line && ok; line = strtok_r(NULL, "\n", &save)) {
		if (!strchr(line, ':') || strchr(line, '|'))
			continue;
		device = strtok_r(line, ": ", &within);
		for (i = 0; device && ok && i < ARRAY_SIZE(columns); i++) {
			value = strtok_r(NULL, " ", &within);
			if (!value)
				break;
			snprintf(name, sizeof(name), "%s %s", device, columns[i] ? columns[i] : "");
			ok = !columns[i] || add(c, name, strtoull(value, NULL, 10));
		}
	}
	return ok;
}

/* A line for each CPU: packets, dropped, ..., as hexadecimal numbers. */
static bool read_queues(struct net_counters *c, char *text)
{
	char *save, *line, *end;
	u64 dropped = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		c->cpus++;
		strtoull(line, &end, 16);
		dropped += strtoull(end, NULL, 16);
	}
	return add(c, QUEUES, dropped);
}

static bool add_qdisc(struct net_counters *c, const struct qdisc *q, const char *device)
{
	const struct {
		const char *name;
		u32 value;
	} counts[] = {
		{"dropped", q->drops},
		{"overlimits", q->overlimits},
		{"requeues", q->requeues},
	};
	struct buf name = {0};
	bool ok = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(counts) && ok; i++) {
		buf_clear(&name);
		buf_addf(&name, "%s qdisc ", device);
		qdiscs_put_name(q, &name);
		buf_addf(&name, " %s", counts[i].name);
		ok = !name.failed && add(c, buf_str(&name), counts[i].value);
	}
	buf_free(&name);
	return ok;
}

static bool read_qdiscs(struct net_counters *c)
{
	char device[IF_NAMESIZE];
	struct qdiscs q = {0};
	bool ok, known = false;
	u32 i;

	c->no_qdiscs = qdiscs_read(&q);
	ok = c->no_qdiscs != -ENOMEM;
	for (i = 0; i < q.v.nr && !c->no_qdiscs && ok; i++) {
		if (!i || q.v.v[i].ifindex != q.v.v[i - 1].ifindex)
			known = if_indextoname(q.v.v[i].ifindex, device) != NULL;
		ok = !known || add_qdisc(c, &q.v.v[i], device);
	}
	if (c->no_qdiscs == -EOPNOTSUPP)
		c->no_qdiscs = 0;
	qdiscs_free(&q);
	return ok;
}

static bool is_namespace(const struct sysroot *root, u64 inode, struct buf *path)
{
	struct stat st;

	return !path->failed && !fstatat(root->fd, buf_str(path) + 1, &st, 0) && st.st_ino == inode;
}

static bool find_named(const struct sysroot *root, u64 inode, struct buf *path)
{
	struct sysroot_names names = {0};
	bool found = false;
	u32 i;

	sysroot_list(root->fd, "run/netns", &names);
	for (i = 0; i < names.names.nr && !found; i++) {
		buf_clear(path);
		buf_addf(path, "/run/netns/%s", names.names.v[i]);
		found = is_namespace(root, inode, path);
	}
	sysroot_names_free(&names);
	return found;
}

static bool find_process(const struct sysroot *root, u64 inode, struct buf *path)
{
	int proc = openat(root->fd, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct proc_ids pids = {0};
	bool found = false;
	u32 i;

	if (proc >= 0)
		proc_pids(proc, &pids, NULL);
	for (i = 0; i < pids.nr && !found; i++) {
		buf_clear(path);
		buf_addf(path, "/proc/%u/ns/net", pids.v[i]);
		found = is_namespace(root, inode, path);
	}
	free(pids.v);
	if (proc >= 0)
		close(proc);
	return found;
}

bool net_counters_namespace(const struct sysroot *root, u64 inode, struct buf *path)
{
	return find_named(root, inode, path) || find_process(root, inode, path);
}

int net_counters_read(struct net_counters *c, const struct sysroot *root, struct err *err)
{
	static const struct {
		const char *path;
		bool (*read)(struct net_counters *c, char *text);
	} files[] = {
		{"proc/net/snmp", read_pairs},  {"proc/net/netstat", read_pairs},
		{"proc/net/snmp6", read_names}, {"proc/net/softnet_stat", read_queues},
		{"proc/net/dev", read_devices},
	};
	struct buf text = {0};
	bool ok = true, any = false;
	int ret, why = -ENOENT;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(files) && ok; i++) {
		buf_reset(&text);
		ret = io_read_file(root->fd, files[i].path, &text, FILE_MAX);
		any |= !ret;
		why = ret && ret != -ENOENT ? ret : why;
		ok = ret ? ret != -ENOMEM : !text.len || files[i].read(c, text.data);
	}
	buf_free(&text);
	if (ok && sysroot_is_real(root))
		ok = read_qdiscs(c);
	if (!ok)
		return err_nomem(err);
	if (any)
		return 0;
	err_set(err, -why, "the counters of the network cannot be read: /proc/net: %s",
		strerror(-why));
	err_hint(err, "is /proc mounted?");
	return why;
}

struct net_counter net_counters_since(const struct net_counters *now, u32 i,
				      const struct net_counters *before)
{
	struct net_counter c = {.name = strtab_get(&now->names, i), .value = now->values.v[i]};
	const u32 old = strtab_find(&before->names, c.name, strlen(c.name));
	const bool known =
		old != ID_NONE && (now->cpus == before->cpus || strcmp(c.name, QUEUES) != 0);
	const u64 was = known ? before->values.v[old] : c.value;

	c.value = c.value > was ? c.value - was : 0;
	return c;
}

void net_counters_free(struct net_counters *c)
{
	strtab_free(&c->names);
	vec_free(&c->values);
}
