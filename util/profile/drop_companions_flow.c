// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/socket.h>

#include "util/profile/drop_companions_internal.h"

#define SOCKADDR_SIZE 28u /* of a sockaddr_in6 */
#define SOCKADDR_PORT 2
#define SOCKADDR_IN   4
#define SOCKADDR_IN6  8
#define LISTEN        10 /* TCP_LISTEN, a state of sockets */

static const u8 mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:0:0, RFC 4291 */

static struct drop_end_fields end_fields(const struct tp_format *f, const char *address,
					 const char *address6, const char *port)
{
	return (struct drop_end_fields){tp_format_field(f, address), tp_format_field(f, address6),
					tp_format_field(f, port)};
}

void drop_event_bind(struct drop_event *e, enum drop_companion kind, struct tp_format *f)
{
	e->kind = kind;
	e->format = f;
	e->skb = tp_format_field(f, "skbaddr");
	e->reason = tp_format_field(f, kind == DROP_COMPANION_FAIL_QUEUE ? "rc" : "reason");
	e->family = tp_format_field(f, "family");
	e->protocol = tp_format_field(f, "protocol");
	e->state = tp_format_field(f, "state");
	e->lport = tp_format_field(f, "lport");
	e->type = tp_format_field(f, "type");
	e->ulen = tp_format_field(f, "ulen");
	e->source = end_fields(f, "saddr", "saddr_v6", "sport");
	e->dest = end_fields(f, "daddr", "daddr_v6", "dport");
}

/* An address of IPv4 in one of IPv6, as sockets have it, is one of IPv4 in the packet. */
static void set_address(struct drop_end *end, u16 family, const u8 *bytes)
{
	if (family == AF_INET6 && !memcmp(bytes, mapped, sizeof(mapped))) {
		family = AF_INET;
		bytes += sizeof(mapped);
	}
	memset(end->address, 0, sizeof(end->address));
	memcpy(end->address, bytes, family == AF_INET ? 4 : 16);
	end->family = family;
}

static void set_port(struct drop_end *end, u64 port)
{
	end->port = (u16)port;
	end->has_port = true;
}

/* The family has the byte order of the recorded machine, the port that of networks. */
static void read_sockaddr(const u8 *p, struct drop_end *end)
{
	u16 family;

	memcpy(&family, p, sizeof(family));
	if (family > UINT8_MAX)
		family = __builtin_bswap16(family);
	if (family != AF_INET && family != AF_INET6)
		return;
	set_address(end, family, p + (family == AF_INET ? SOCKADDR_IN : SOCKADDR_IN6));
	set_port(end, (u64)(p[SOCKADDR_PORT] << 8 | p[SOCKADDR_PORT + 1]));
}

static bool bytes_of(const struct tp_field *f, const u8 *raw, u32 len, size_t size, const u8 **p)
{
	const void *at;
	size_t n;

	if (!f || f->size != size || f->loc != TP_LOC_FIXED ||
	    !tp_field_bytes(f, raw, len, &at, &n))
		return false;
	*p = at;
	return true;
}

static void read_end(const struct drop_event *e, const struct drop_end_fields *f, const u8 *raw,
		     u32 len, struct drop_end *end)
{
	u64 family, port;
	const u8 *p;

	if (bytes_of(f->address, raw, len, SOCKADDR_SIZE, &p)) {
		read_sockaddr(p, end);
		return;
	}
	/* kernels that name no family have the address of IPv4 in the other, too */
	if (!drop_event_number(e->family, raw, len, &family))
		family = bytes_of(f->address6, raw, len, 16, &p) ? AF_INET6 : AF_INET;
	if (family == AF_INET6 && bytes_of(f->address6, raw, len, 16, &p))
		set_address(end, AF_INET6, p);
	else if (family == AF_INET && bytes_of(f->address, raw, len, 4, &p))
		set_address(end, AF_INET, p);
	if (drop_event_number(f->port, raw, len, &port))
		set_port(end, port);
}

/* What a socket does not know is 0. */
static bool is_address(const struct drop_end *end)
{
	static const u8 zeros[16];

	return end->family && memcmp(end->address, zeros, sizeof(zeros)) != 0;
}

/* A redirect is sent for a packet that goes on; of errors, that of the packet which is given up. */
static bool is_error(const struct drop_event *e, const u8 *raw, u32 len)
{
	u64 type;

	return drop_event_number(e->type, raw, len, &type) &&
	       (type == ICMP_DEST_UNREACH || type == ICMP_TIME_EXCEEDED ||
		type == ICMP_PARAMETERPROB);
}

/* It has ports of UDP alone, and then a length, which has the header in it. */
static bool has_udp(const struct drop_event *e, const u8 *raw, u32 len)
{
	u64 ulen;

	return drop_event_number(e->ulen, raw, len, &ulen) && ulen >= 8;
}

/*
 * The packet came to the socket; a reset goes the other way. A socket that listens may be that of another port or address: a program
 * or a rule chose it.
 */
static bool reset_flow(const struct drop_event *e, const u8 *raw, u32 len, struct drop_flow *flow)
{
	u64 state;

	if (drop_event_number(e->state, raw, len, &state) && state == LISTEN)
		return false;
	read_end(e, &e->source, raw, len, &flow->to);
	read_end(e, &e->dest, raw, len, &flow->from);
	flow->l4 = IPPROTO_TCP;
	flow->from.has_port &= flow->from.port != 0;
	flow->to.has_port &= flow->to.port != 0;
	return is_address(&flow->from) && is_address(&flow->to);
}

bool drop_event_flow(const struct drop_event *e, const u8 *raw, u32 len, struct drop_flow *flow)
{
	u64 port;

	*flow = (struct drop_flow){0};
	if (e->kind == DROP_COMPANION_SEND_RESET)
		return reset_flow(e, raw, len, flow);
	if (e->kind == DROP_COMPANION_ICMP_SEND && !is_error(e, raw, len))
		return false;
	if (e->kind == DROP_COMPANION_BAD_CSUM)
		flow->l4 = IPPROTO_TCP;
	else if (e->kind == DROP_COMPANION_FAIL_QUEUE || has_udp(e, raw, len))
		flow->l4 = IPPROTO_UDP;
	read_end(e, &e->source, raw, len, &flow->from);
	read_end(e, &e->dest, raw, len, &flow->to);
	if (!flow->to.has_port && drop_event_number(e->lport, raw, len, &port))
		set_port(&flow->to, port);
	flow->from.has_port &= flow->l4 != 0;
	flow->to.has_port &= flow->l4 != 0;
	return flow->from.family || flow->to.family || flow->from.has_port || flow->to.has_port;
}
