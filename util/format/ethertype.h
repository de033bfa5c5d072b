/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ethertype.h - the protocol of a packet, as Ethernet and the kernel number it (`protocol` of skb:kfree_skb), by name.
 *
 * Source: IEEE Registration Authority, EtherType; <linux/if_ether.h>, which numbers below 1536 what has no EtherType.
 */
#ifndef FORMAT_ETHERTYPE_H
#define FORMAT_ETHERTYPE_H

#include "util/base/types.h"

/* "IPv4"; NULL: not known. */
const char *ethertype_name(u64 protocol);

#endif
