// SPDX-License-Identifier: GPL-2.0
#include "util/base/ethertype.h"

#include <stddef.h>
#include <strings.h>

static const struct {
	u16 value;
	const char *name;
} types[] = {
	/* by number, for the search below */
	{0x0001, "802.3"},
	{0x0004, "LLC"},
	{0x000c, "CAN"},
	{0x000d, "CAN-FD"},
	{0x000e, "CAN-XL"},
	{0x0019, "802.11"},
	{0x0060, "loop"},
	{0x00f5, "Phonet"},
	{0x00f6, "802.15.4"},
	{0x00f7, "CAIF"},
	{0x00f9, "MAP"},
	{0x00fa, "MCTP"},
	{0x0800, "IPv4"},
	{0x0805, "X.25"},
	{0x0806, "ARP"},
	{0x0842, "Wake-on-LAN"},
	{0x22ea, "SRP"},
	{0x22eb, "ERSPAN v3"},
	{0x22f0, "AVTP"},
	{0x22f3, "TRILL"},
	{0x4305, "B.A.T.M.A.N."},
	{0x6558, "TEB"},
	{0x8035, "RARP"},
	{0x809b, "AppleTalk"},
	{0x80f3, "AARP"},
	{0x8100, "802.1Q"},
	{0x8137, "IPX"},
	{0x86dd, "IPv6"},
	{0x8808, "Ethernet flow control"},
	{0x8809, "LACP"},
	{0x8847, "MPLS"},
	{0x8848, "MPLS multicast"},
	{0x8863, "PPPoE discovery"},
	{0x8864, "PPPoE"},
	{0x888e, "802.1X"},
	{0x8892, "PROFINET"},
	{0x889a, "HyperSCSI"},
	{0x88a2, "AoE"},
	{0x88a4, "EtherCAT"},
	{0x88a8, "802.1ad"},
	{0x88b8, "GOOSE"},
	{0x88ba, "IEC 61850 SV"},
	{0x88be, "ERSPAN"},
	{0x88ca, "TIPC"},
	{0x88cc, "LLDP"},
	{0x88e3, "MRP"},
	{0x88e5, "MACsec"},
	{0x88e7, "802.1ah"},
	{0x88f5, "MVRP"},
	{0x88f7, "PTP"},
	{0x88f8, "NC-SI"},
	{0x88fb, "PRP"},
	{0x8902, "CFM"},
	{0x8906, "FCoE"},
	{0x890d, "TDLS"},
	{0x8914, "FIP"},
	{0x8915, "RoCE"},
	{0x892f, "HSR"},
	{0x894f, "NSH"},
	{0x9000, "loopback"},
	{0x9100, "QinQ"},
	{0xdada, "DSA"},
};

const char *ethertype_name(u64 protocol)
{
	size_t from = 0, to = ARRAY_SIZE(types), mid;

	while (from < to) {
		mid = (from + to) / 2;
		if (types[mid].value == protocol)
			return types[mid].name;
		if (types[mid].value < protocol)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

bool ethertype_value(const char *name, u64 *protocol)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcasecmp(name, types[i].name) != 0)
			continue;
		*protocol = types[i].value;
		return true;
	}
	return false;
}

void ethertype_each(void (*each)(void *arg, const char *name), void *arg)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		each(arg, types[i].name);
}
