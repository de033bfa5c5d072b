// SPDX-License-Identifier: GPL-2.0
/*
 * Sources of what counts for which reason: net/ipv4 and net/ipv6 (ip_input.c, ip_output.c, udp.c, tcp_input.c, tcp_ipv4.c, icmp.c,
 * inet_fragment.c), net/core/dev.c, include/net/sch_generic.h.
 */
#include "util/library/drops.h"

#include <linux/if_ether.h>
#include <string.h>
#include <sys/stat.h>

#include "util/event/drop_fields.h"
#include "util/format/count_names.h"

static const char *const names[DROPS_COMPARED_KEYS] = {
	[DROPS_COMPARED_REASON] = "reason", [DROPS_COMPARED_PROTOCOL] = "protocol",
	[DROPS_COMPARED_DEV] = "dev",       [DROPS_COMPARED_NETNS] = "netns",
	[DROPS_COMPARED_L4] = "l4",
};

/* Reasons of the packets that a counter counts; "X*" are all that begin with X. Families and protocols: 0 and NULL are any. */
static const struct known {
	const char *counter, *reasons;
	u16 protocol;
	const char *l4;
} known[] = {
	{"IpInHdrErrors", "IP_INHDR IP_CSUM", ETH_P_IP, NULL},
	{"IpInAddrErrors", "IP_INADDRERRORS", ETH_P_IP, NULL},
	{"IpInUnknownProtos", "IP_NOPROTO", ETH_P_IP, NULL},
	{"IpOutNoRoutes", "IP_OUTNOROUTES", ETH_P_IP, NULL},
	{"IpReasmTimeout", "FRAG_REASM_TIMEOUT", ETH_P_IP, NULL},
	{"IpReasmFails", "FRAG_REASM_TIMEOUT FRAG_TOO_FAR DUP_FRAG", ETH_P_IP, NULL},
	{"IpFragFails", "PKT_TOO_BIG", ETH_P_IP, NULL},
	{"IpExtInNoRoutes", "IP_INNOROUTES", ETH_P_IP, NULL},
	{"IpExtInCsumErrors", "IP_CSUM", ETH_P_IP, NULL},
	{"IcmpInCsumErrors", "ICMP_CSUM", ETH_P_IP, NULL},
	{"TcpInErrs", "TCP_CSUM PKT_TOO_SMALL TCP_INVALID_SYN", 0, "TCP"},
	{"TcpInCsumErrors", "TCP_CSUM", 0, "TCP"},
	{"UdpNoPorts", "NO_SOCKET", ETH_P_IP, "UDP"},
	{"UdpInErrors", "SOCKET_RCVBUFF PROTO_MEM UDP_CSUM SOCKET_FILTER XFRM_POLICY PKT_TOO_SMALL",
	 ETH_P_IP, "UDP"},
	{"UdpRcvbufErrors", "SOCKET_RCVBUFF", ETH_P_IP, "UDP"},
	{"UdpMemErrors", "PROTO_MEM", ETH_P_IP, "UDP"},
	{"UdpInCsumErrors", "UDP_CSUM", ETH_P_IP, "UDP"},
	{"TcpExtPAWSEstab", "TCP_RFC7323_PAWS TCP_RFC7323_PAWS_ACK", 0, "TCP"},
	{"TcpExtPAWSTimewait", "TCP_RFC7323_TW_PAWS", 0, "TCP"},
	{"TcpExtTSEcrRejected", "TCP_RFC7323_TSECR", 0, "TCP"},
	{"TcpExtTCPBacklogDrop", "SOCKET_BACKLOG", 0, "TCP"},
	{"TcpExtPFMemallocDrop", "PFMEMALLOC", 0, NULL},
	{"TcpExtTCPMinTTLDrop", "TCP_MINTTL", 0, "TCP"},
	{"TcpExtIPReversePathFilter", "IP_RPFILTER", ETH_P_IP, NULL},
	{"TcpExtTCPRcvQDrop", "PROTO_MEM", 0, "TCP"},
	{"TcpExtTCPOFODrop", "PROTO_MEM", 0, "TCP"},
	{"TcpExtOfoPruned", "TCP_OFO_QUEUE_PRUNE", 0, "TCP"},
	{"TcpExtTCPZeroWindowDrop", "TCP_ZEROWINDOW", 0, "TCP"},
	{"TcpExtTCPMD5NotFound", "TCP_MD5NOTFOUND", 0, "TCP"},
	{"TcpExtTCPMD5Unexpected", "TCP_MD5UNEXPECTED", 0, "TCP"},
	{"TcpExtTCPMD5Failure", "TCP_MD5FAILURE", 0, "TCP"},
	{"TcpExtTCPAOKeyNotFound", "TCP_AOKEYNOTFOUND", 0, "TCP"},
	{"TcpExtTCPAOBad", "TCP_AOFAILURE", 0, "TCP"},
	{"TcpExtTCPAORequired", "TCP_AONOTFOUND", 0, "TCP"},
	{"Ip6InHdrErrors", "IP_INHDR", ETH_P_IPV6, NULL},
	{"Ip6InAddrErrors", "IP_INADDRERRORS", ETH_P_IPV6, NULL},
	{"Ip6InUnknownProtos", "IP_NOPROTO UNHANDLED_PROTO", ETH_P_IPV6, NULL},
	{"Ip6InNoRoutes", "IP_INNOROUTES", ETH_P_IPV6, NULL},
	{"Ip6OutNoRoutes", "IP_OUTNOROUTES", ETH_P_IPV6, NULL},
	{"Ip6InTooBigErrors", "PKT_TOO_BIG", ETH_P_IPV6, NULL},
	{"Ip6FragFails", "PKT_TOO_BIG", ETH_P_IPV6, NULL},
	{"Ip6ReasmTimeout", "FRAG_REASM_TIMEOUT", ETH_P_IPV6, NULL},
	{"Ip6ReasmFails", "FRAG_REASM_TIMEOUT FRAG_TOO_FAR DUP_FRAG", ETH_P_IPV6, NULL},
	{"Icmp6InCsumErrors", "ICMP_CSUM", ETH_P_IPV6, NULL},
	{"Udp6NoPorts", "NO_SOCKET", ETH_P_IPV6, "UDP"},
	{"Udp6InErrors",
	 "SOCKET_RCVBUFF PROTO_MEM UDP_CSUM SOCKET_FILTER XFRM_POLICY PKT_TOO_SMALL", ETH_P_IPV6,
	 "UDP"},
	{"Udp6RcvbufErrors", "SOCKET_RCVBUFF", ETH_P_IPV6, "UDP"},
	{"Udp6MemErrors", "PROTO_MEM", ETH_P_IPV6, "UDP"},
	{"Udp6InCsumErrors", "UDP_CSUM", ETH_P_IPV6, "UDP"},
	{"softnet dropped", "CPU_BACKLOG", 0, NULL},
};

/* Likewise counters of devices, by what follows their names: "X dropped", and packets that are gone before any is reported. */
static const struct {
	const char *counter, *reasons;
} of_devices[] = {
	{" rx dropped",
	 "UNHANDLED_PROTO PTYPE_ABSENT CPU_BACKLOG FULL_RING TAP_* DEV_* NOMEM HDR_TRUNC VXLAN_* LOCAL_MAC MAC_* IP_TUNNEL_ECN "
	 "NOT_SPECIFIED"},
	{" tx dropped",
	 "DEV_* FULL_RING TAP_* SKB_* NOMEM NO_TX_TARGET TUNNEL_TXINFO RECURSION_LIMIT VXLAN_* NOT_SPECIFIED"},
	{" rx fifo", ""},
	{" rx frame", ""},
	{" tx fifo", ""},
	{" tx carrier", ""},
};

void drops_compare_ask(u32 *asked)
{
	u32 i;

	for (i = 0; i < DROPS_COMPARED_KEYS; i++)
		drop_fields_ask(asked, names[i], strlen(names[i]));
}

int drops_compare_bind(struct drops_compared *x, struct drops_table *t, struct err *err)
{
	const struct count_options options = {.what = COUNT_NUMBER};
	struct buf list = {0};
	struct stat st;
	u32 i, nr = 0;
	int ret;

	x->table = t;
	if (!t->parts[DROPS_SOFTWARE].there)
		return 0;
	for (i = 0; i < DROPS_COMPARED_KEYS; i++) {
		x->at[i] = ID_NONE;
		if (!drops_table_reports(t, names[i]))
			continue;
		x->at[i] = nr++;
		buf_addf(&list, "%s%s", list.len ? "," : "", names[i]);
	}
	if (!stat("/proc/self/ns/net", &st))
		x->netns = st.st_ino;
	ret = list.failed ? err_nomem(err)
			  : count_keys_parse(&x->counted.keys, nr ? list.data : NULL, NULL, err);
	if (!ret)
		ret = count_keys_bind(&x->counted.keys, t->session, err);
	if (!ret)
		ret = count_table_init(&x->counted.table, &x->counted.keys, &options, err);
	x->counted.there = !ret;
	buf_free(&list);
	return ret;
}

int drops_compare_add(struct drops_compared *x, const struct session_sample *s, struct err *err)
{
	const struct drops_table *t = x->table;

	if (!x->counted.there || s->event >= t->events.nr ||
	    t->events.v[s->event].part != DROPS_SOFTWARE)
		return 0;
	return count_table_add(&x->counted.table, s, err);
}

void drops_compare_free(struct drops_compared *x)
{
	count_table_free(&x->counted.table);
	count_keys_free(&x->counted.keys);
}

/* --- which drops a counter counts --- */

/* Drops that a counter is about. */
struct about {
	const char *reasons; /* as above */
	const char *device;  /* `len` bytes; NULL: any */
	size_t len;
	bool of_device;
	const struct known *known;
};

/* "eth0 rx fifo", "eth0 qdisc tbf 8001: dropped". False: it does not count drops, or nothing is known of it. */
static bool find_about(const char *counter, struct about *a)
{
	static const char tail[] = " dropped";
	const char *blank = strchr(counter, ' ');
	u32 i;

	*a = (struct about){0};
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].counter, counter) != 0)
			continue;
		a->known = &known[i];
		a->reasons = known[i].reasons;
		return true;
	}
	if (!blank)
		return false;
	a->device = counter;
	a->len = (size_t)(blank - counter);
	if (!strncmp(blank, " qdisc ", 7)) {
		a->reasons = "QDISC_* FQ_* CAKE_* TC_INGRESS TC_EGRESS";
		return strlen(blank) > sizeof(tail) &&
		       !strcmp(blank + strlen(blank) - (sizeof(tail) - 1), tail);
	}
	a->of_device = true;
	for (i = 0; i < ARRAY_SIZE(of_devices) && !a->reasons; i++)
		if (!strcmp(of_devices[i].counter, blank))
			a->reasons = of_devices[i].reasons;
	return a->reasons != NULL;
}

static bool is_listed(const char *list, const struct buf *name)
{
	size_t len;

	for (; *list; list += len + (list[len] == ' ')) {
		len = strcspn(list, " ");
		if (list[len - 1] == '*'
			    ? name->len >= len - 1 && !strncmp(name->data, list, len - 1)
			    : name->len == len && !strncmp(name->data, list, len))
			return true;
	}
	return false;
}

/* The value of a key as text; false: the drops have none. */
static bool value_text(struct drops_compared *x, const struct count_row *r,
		       enum drops_compared_key key, struct buf *out)
{
	const u32 at = x->at[key];
	struct drops_counted *c = &x->counted;
	u64 v;

	buf_clear(out);
	if (at == ID_NONE || !count_names_has(&c->table, r, at))
		return false;
	if (key == DROPS_COMPARED_REASON && drops_values_reason(x->table, c, r, at, &v))
		drops_names_put(&x->table->names, v, out);
	else
		count_names_put(&c->table, r, at, out);
	return out->len && strcmp(buf_str(out), "-") != 0;
}

static bool value_number(struct drops_compared *x, const struct count_row *r,
			 enum drops_compared_key key, u64 *v)
{
	const u32 at = x->at[key];

	if (at == ID_NONE)
		return false;
	return key == DROPS_COMPARED_PROTOCOL
		       ? drops_values_protocol(x->table, &x->counted, r, at, v)
		       : drops_values_number(&x->counted, r, at, v);
}

/* Does the counter count the drops of the row? *exact: false if that is not known of all it takes. */
static bool is_about(struct drops_compared *x, const struct count_row *r, const struct about *a,
		     struct buf *text, bool *exact)
{
	const struct known *k = a->known;
	u64 v;

	if (!value_number(x, r, DROPS_COMPARED_NETNS, &v))
		*exact = false;
	else if (v && v != x->netns)
		return false;
	if (!value_text(x, r, DROPS_COMPARED_REASON, text) || !is_listed(a->reasons, text))
		return false;
	/* a device may count it, and may not */
	if (!strcmp(buf_str(text), "NOT_SPECIFIED"))
		*exact = false;
	if (a->device && (!value_text(x, r, DROPS_COMPARED_DEV, text) || text->len != a->len ||
			  memcmp(text->data, a->device, a->len) != 0))
		return false;
	if (k && k->protocol && value_number(x, r, DROPS_COMPARED_PROTOCOL, &v) && v != k->protocol)
		return false;
	if (k && k->l4 && !value_text(x, r, DROPS_COMPARED_L4, text))
		*exact = false;
	else if (k && k->l4 && strcmp(buf_str(text), k->l4) != 0)
		return false;
	return true;
}

u64 drops_compare_elsewhere(struct drops_compared *x, u64 *netns)
{
	const struct count_row *r;
	u64 v, nr = 0, most = 0;
	u32 i;

	for (i = 0; x->counted.there && i < x->counted.table.nr; i++) {
		r = count_table_row(&x->counted.table, i);
		if (!value_number(x, r, DROPS_COMPARED_NETNS, &v) || !v || v == x->netns)
			continue;
		nr += r->sum.nr;
		*netns = r->sum.nr > most ? v : *netns;
		most = MAX(most, r->sum.nr);
	}
	return nr;
}

static void add_reason(struct drops_comparison *c, const struct buf *name)
{
	if (is_listed(buf_str(&c->reasons), name))
		return;
	buf_addf(&c->reasons, "%s%s", c->reasons.len ? " " : "", name->data);
}

bool drops_compare(struct drops_compared *x, const char *counter, struct drops_comparison *c)
{
	const struct count_table *table = &x->counted.table;
	const struct count_row *r;
	struct buf text = {0};
	struct about a;
	bool exact, ok;
	u32 i;

	buf_clear(&c->reasons);
	c->nr = 0;
	ok = x->counted.there && find_about(counter, &a) &&
	     x->at[DROPS_COMPARED_REASON] != ID_NONE &&
	     (!a.device || x->at[DROPS_COMPARED_DEV] != ID_NONE);
	if (!ok)
		return false;
	c->of_device = a.of_device;
	c->exact = !table->others.nr;
	for (i = 0; i < table->nr; i++) {
		r = count_table_row(table, i);
		exact = true;
		if (!is_about(x, r, &a, &text, &exact))
			continue;
		c->nr += r->sum.nr;
		c->exact &= exact;
		if (value_text(x, r, DROPS_COMPARED_REASON, &text))
			add_reason(c, &text);
	}
	c->reasons.failed |= text.failed;
	buf_free(&text);
	return true;
}
