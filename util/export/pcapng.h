/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pcapng.h - packets as a file that Wireshark, tshark and tcpdump read, each with a comment.
 *
 *	pcapng_begin() -> pcapng_put() ... -> pcapng_end() -> pcapng_free()
 *
 * An interface of the file is a device in a network. Packets without an Ethernet header get one without addresses: tcpdump
 * reads no file with headers of several kinds. Appends to a buffer that the caller writes out and empties.
 *
 * Source: draft-ietf-opsawg-pcapng; https://www.tcpdump.org/linktypes.html, LINKTYPE_ETHERNET.
 */
#ifndef EXPORT_PCAPNG_H
#define EXPORT_PCAPNG_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/types.h"

/* Zero-initialise it. */
struct pcapng {
	struct strtab interfaces; /* in the order of their numbers */
};

struct pcapng_packet {
	u64 time;            /* ns since 1970 */
	const char *device;  /* "": not known */
	const char *network; /* "net:[4026531840]"; "": not known */
	bool is_ethernet;    /* it begins with that header, else with that of `protocol` */
	bool has_tag;      /* of a VLAN, which was taken off the Ethernet header and is put back */
	u16 tag, tag_type; /* its bytes, and its EtherType */
	u16 protocol;      /* EtherType */
	const u8 *bytes;
	u32 len, size;       /* bytes that there are, and of the whole packet */
	const char *comment; /* lines; "": none */
};

/* program: who writes it, with its version. */
void pcapng_begin(struct buf *out, const char *program);
/* -ENOMEM. */
int pcapng_put(struct pcapng *p, const struct pcapng_packet *k, struct buf *out, struct err *err);
/* lost: packets that are not in the file and belong there. time: of the end. */
void pcapng_end(const struct pcapng *p, u64 time, u64 lost, struct buf *out);
void pcapng_free(struct pcapng *p);

#endif
