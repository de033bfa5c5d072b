/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ethertype.h - the protocol of a packet, as Ethernet and the kernel number it (`protocol` of skb:kfree_skb), by name.
 *
 * Source: IEEE Registration Authority, EtherType; <linux/if_ether.h>, which numbers below 1536 what has no EtherType.
 */
#ifndef BASE_ETHERTYPE_H
#define BASE_ETHERTYPE_H

#include "util/base/types.h"

/* "IPv4"; NULL: not known. */
const char *ethertype_name(u64 protocol);
/* The number of a name, in whatever case; false: not known. */
bool ethertype_value(const char *name, u64 *protocol);
/* Call `each` with every name. */
void ethertype_each(void (*each)(void *arg, const char *name), void *arg);

#endif
