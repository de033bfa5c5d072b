// SPDX-License-Identifier: GPL-2.0
#include "util/tracepoint/tp_filter_internal.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "util/base/errno_names.h"
#include "util/base/ethertype.h"

struct word {
	const char *name; /* without the prefix */
	u64 value;
};

/* As <linux/if_ether.h> has them; ethertype.h has the names that people see. */
static const struct word ether[] = {
	{"IP", ETH_P_IP},         {"IPV6", ETH_P_IPV6},         {"ARP", ETH_P_ARP},
	{"RARP", ETH_P_RARP},     {"8021Q", ETH_P_8021Q},       {"VLAN", ETH_P_8021Q},
	{"8021AD", ETH_P_8021AD}, {"LLDP", ETH_P_LLDP},         {"PAE", ETH_P_PAE},
	{"MACSEC", ETH_P_MACSEC}, {"1588", ETH_P_1588},         {"BATMAN", ETH_P_BATMAN},
	{"TIPC", ETH_P_TIPC},     {"AOE", ETH_P_AOE},           {"FCOE", ETH_P_FCOE},
	{"FIP", ETH_P_FIP},       {"MPLS_UC", ETH_P_MPLS_UC},   {"MPLS_MC", ETH_P_MPLS_MC},
	{"TEB", ETH_P_TEB},       {"LOOP", ETH_P_LOOP},         {"LOOPBACK", ETH_P_LOOPBACK},
	{"SLOW", ETH_P_SLOW},     {"PPP_DISC", ETH_P_PPP_DISC}, {"PPP_SES", ETH_P_PPP_SES},
	{"ALL", ETH_P_ALL},       {"802_2", ETH_P_802_2},       {"CAN", ETH_P_CAN},
	{"CANFD", ETH_P_CANFD},   {"NSH", ETH_P_NSH},           {"ERSPAN", ETH_P_ERSPAN},
	{"MAP", ETH_P_MAP},       {"PROFINET", ETH_P_PROFINET},
};

static const struct word transport[] = {
	{"IP", IPPROTO_IP},     {"ICMP", IPPROTO_ICMP},       {"IGMP", IPPROTO_IGMP},
	{"IPIP", IPPROTO_IPIP}, {"TCP", IPPROTO_TCP},         {"EGP", IPPROTO_EGP},
	{"PUP", IPPROTO_PUP},   {"UDP", IPPROTO_UDP},         {"IDP", IPPROTO_IDP},
	{"TP", IPPROTO_TP},     {"DCCP", IPPROTO_DCCP},       {"IPV6", IPPROTO_IPV6},
	{"RSVP", IPPROTO_RSVP}, {"GRE", IPPROTO_GRE},         {"ESP", IPPROTO_ESP},
	{"AH", IPPROTO_AH},     {"ICMPV6", IPPROTO_ICMPV6},   {"MTP", IPPROTO_MTP},
	{"PIM", IPPROTO_PIM},   {"ENCAP", IPPROTO_ENCAP},     {"COMP", IPPROTO_COMP},
	{"SCTP", IPPROTO_SCTP}, {"UDPLITE", IPPROTO_UDPLITE}, {"MPLS", IPPROTO_MPLS},
	{"RAW", IPPROTO_RAW},   {"MPTCP", IPPROTO_MPTCP},     {"ETHERNET", IPPROTO_ETHERNET},
};

static const struct word family[] = {
	{"UNSPEC", AF_UNSPEC},   {"UNIX", AF_UNIX},   {"LOCAL", AF_LOCAL},
	{"INET", AF_INET},       {"INET6", AF_INET6}, {"NETLINK", AF_NETLINK},
	{"PACKET", AF_PACKET},   {"VSOCK", AF_VSOCK}, {"BLUETOOTH", AF_BLUETOOTH},
	{"CAN", AF_CAN},         {"ALG", AF_ALG},     {"TIPC", AF_TIPC},
	{"IPv4", AF_INET},       {"IPv6", AF_INET6},  {"KEY", AF_KEY},
	{"XDP", AF_XDP},         {"KCM", AF_KCM},     {"RDS", AF_RDS},
	{"QIPCRTR", AF_QIPCRTR}, {"SMC", AF_SMC},
};

static bool is_one_of(const char *s, const char *const *names)
{
	for (; s && *names; names++)
		if (!strcmp(s, *names))
			return true;
	return false;
}

static const char *const socket_systems[] = {"sock", "tcp",  "udp", "mptcp",
					     "fib",  "fib6", "smc", NULL};

static bool is_ether(const char *system, const struct tp_field *f)
{
	static const char *const names[] = {"protocol", "vlan_proto", "eth_proto", "ethertype",
					    NULL};

	return f->size == 2 && is_one_of(f->name, names) && !is_one_of(system, socket_systems);
}

static bool is_transport(const char *system, const struct tp_field *f)
{
	static const char *const names[] = {"proto", "ip_proto", "l4proto", NULL};

	return is_one_of(f->name, names) ||
	       (!strcmp(f->name, "protocol") && is_one_of(system, socket_systems));
}

static bool is_family(const char *system, const struct tp_field *f)
{
	static const char *const names[] = {"family", "sa_family", "pf", NULL};

	(void)system;
	return is_one_of(f->name, names);
}

static const struct table {
	const char *prefix;
	bool (*of_field)(const char *system, const struct tp_field *f);
	const struct word *words;
	u32 nr;
} tables[] = {
	{"ETH_P_", is_ether, ether, ARRAY_SIZE(ether)},
	{"IPPROTO_", is_transport, transport, ARRAY_SIZE(transport)},
	{"AF_", is_family, family, ARRAY_SIZE(family)},
	{"PF_", is_family, family, ARRAY_SIZE(family)},
};

static bool find_in(const struct table *t, const char *word, u64 *v)
{
	u32 i;

	for (i = 0; i < t->nr; i++) {
		if (strcasecmp(word, t->words[i].name) != 0)
			continue;
		*v = t->words[i].value;
		return true;
	}
	return false;
}

static bool find_signal(const char *word, u64 *v)
{
	const char *name;
	int i;

	for (i = 1; i < NSIG; i++) {
		name = sigabbrev_np(i);
		if (!name || strcmp(word, name) != 0)
			continue;
		*v = (u64)i;
		return true;
	}
	return false;
}

static bool is_signal(const struct tp_field *f)
{
	static const char *const names[] = {"sig", "signo", "signal", NULL};

	return is_one_of(f->name, names);
}

bool tp_filter_words_find(const char *system, const struct tp_field *f, const char *word, u64 *v)
{
	size_t len;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		len = strlen(tables[i].prefix);
		if (!strncmp(word, tables[i].prefix, len) && find_in(&tables[i], word + len, v))
			return true;
		if (f && tables[i].of_field(system, f) && find_in(&tables[i], word, v))
			return true;
	}
	if (f && is_ether(system, f) && ethertype_value(word, v))
		return true;
	if (*word == 'E') {
		*v = errno_value(word, strlen(word));
		if (*v)
			return true;
	}
	if (!strncmp(word, "SIG", 3) && find_signal(word + 3, v))
		return true;
	return f && is_signal(f) && find_signal(word, v);
}

void tp_filter_words_each(const char *system, const struct tp_field *f,
			  void (*each)(void *arg, const char *name), void *arg)
{
	u32 i, j;

	if (is_ether(system, f))
		ethertype_each(each, arg);
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		for (j = 0; tables[i].of_field(system, f) && j < tables[i].nr; j++)
			each(arg, tables[i].words[j].name);
}
