// SPDX-License-Identifier: GPL-2.0
/*
 * The flow of a socket: its own address and port are the source, those of its peer the destination. A socket that is neither of
 * IPv4 nor of IPv6 has none.
 *
 * Source: include/net/sock.h, "struct sock_common": skc_num is in the order of this machine, skc_dport in that of networks.
 */
#include <netinet/in.h>
#include <sys/socket.h>

#include "util/probe/probe_internal.h"

/* In a sockaddr_in and a sockaddr_in6. */
#define ADDR4 4
#define ADDR6 8

/* skc_state of sockets that are no struct sock. */
enum { TCP_TIME_WAIT = 6, TCP_NEW_SYN_RECV = 12 };

enum { SADDR, SPORT, DADDR, DPORT, L4, SOCKET_FIELDS };

struct socket_flow {
	struct expr_code x;
	const struct probe *p;
	u32 first; /* field */
	u32 common, family, state, source4, source6, peer4, peer6, num, dport, protocol,
		proto;  /* where in the struct */
	u32 proto_name; /* where in what that points to */
	bool knows_small;
};

static bool find_members(struct socket_flow *f, const struct btf *b)
{
	f->knows_small = btf_offset(b, "sock_common", "skc_state", &f->state) &&
			 btf_offset(b, "sock_common", "skc_prot", &f->proto) &&
			 btf_offset(b, "proto", "name", &f->proto_name);
	return btf_offset(b, "sock", "__sk_common", &f->common) &&
	       btf_offset(b, "sock", "sk_protocol", &f->protocol) &&
	       btf_offset(b, "sock_common", "skc_family", &f->family) &&
	       btf_offset(b, "sock_common", "skc_rcv_saddr", &f->source4) &&
	       btf_offset(b, "sock_common", "skc_daddr", &f->peer4) &&
	       btf_offset(b, "sock_common", "skc_v6_rcv_saddr", &f->source6) &&
	       btf_offset(b, "sock_common", "skc_v6_daddr", &f->peer6) &&
	       btf_offset(b, "sock_common", "skc_num", &f->num) &&
	       btf_offset(b, "sock_common", "skc_dport", &f->dport);
}

static s32 at(const struct socket_flow *f, u32 field)
{
	return (s32)f->p->fields.v[f->first + field].offset;
}

/* R0 = the address of a member. */
static void find(struct socket_flow *f, u32 offset)
{
	bpf_code_move(f->x.code, R0, R8);
	bpf_code_alu_number(f->x.code, BPF_ADD, R0, (s32)offset);
}

static void put_address(struct socket_flow *f, u32 field, int family, u32 from, s32 to, u32 size)
{
	struct bpf_code *c = f->x.code;

	probe_clear(c, (u32)at(f, field), f->p->fields.v[f->first + field].size);
	bpf_code_store_number(c, 2, R_RECORD, at(f, field), family);
	find(f, f->common + from);
	probe_copy(&f->x, R_RECORD, at(f, field) + to, size);
}

static void put_number(struct socket_flow *f, u32 field, u32 from, bool swapped, u32 size)
{
	struct bpf_code *c = f->x.code;

	find(f, from);
	expr_code_read(&f->x, 2);
	if (swapped)
		expr_code_swap(&f->x, 2);
	bpf_code_store(c, size, R_RECORD, at(f, field), R0);
}

/* Sockets of TIME_WAIT and NEW_SYN_RECV end before sk_protocol: they are of "TCP", "TCPv6", or of DCCP. */
static void put_protocol(struct socket_flow *f)
{
	struct bpf_code *c = f->x.code;
	const u32 small = bpf_code_label(c), tcp = bpf_code_label(c), end = bpf_code_label(c);

	find(f, f->common + f->state);
	expr_code_read(&f->x, 1);
	bpf_code_jump(c, BPF_JEQ, R0, TCP_TIME_WAIT, small);
	bpf_code_jump(c, BPF_JEQ, R0, TCP_NEW_SYN_RECV, small);
	put_number(f, L4, f->protocol, false, 1);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, small);
	find(f, f->common + f->proto);
	expr_code_read(&f->x, 8);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)f->proto_name);
	expr_code_read(&f->x, 1);
	bpf_code_jump(c, BPF_JEQ, R0, 'T', tcp);
	probe_unread(c, f->p, f->first + L4);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, tcp);
	bpf_code_store_number(c, 1, R_RECORD, at(f, L4), IPPROTO_TCP);
	bpf_code_here(c, end);
}

bool probe_flow_socket(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field)
{
	struct socket_flow f = {
		.x = {.code = c, .unread = bpf_code_label(c)}, .p = p, .first = field};
	const u32 ip6 = bpf_code_label(c), rest = bpf_code_label(c), end = bpf_code_label(c);
	u32 i;

	if (!find_members(&f, b))
		return false;
	expr_code_value(&f.x, p->fields.v[field].e);
	bpf_code_move(c, R8, R0);
	find(&f, f.common + f.family);
	expr_code_read(&f.x, 2);
	bpf_code_jump(c, BPF_JEQ, R0, AF_INET6, ip6);
	bpf_code_jump(c, BPF_JNE, R0, AF_INET, f.x.unread);
	put_address(&f, SADDR, AF_INET, f.source4, ADDR4, 4);
	put_address(&f, DADDR, AF_INET, f.peer4, ADDR4, 4);
	bpf_code_jump(c, BPF_JA, R0, 0, rest);
	bpf_code_here(c, ip6);
	put_address(&f, SADDR, AF_INET6, f.source6, ADDR6, 16);
	put_address(&f, DADDR, AF_INET6, f.peer6, ADDR6, 16);
	bpf_code_here(c, rest);
	put_number(&f, SPORT, f.common + f.num, false, 2);
	put_number(&f, DPORT, f.common + f.dport, true, 2);
	if (f.knows_small)
		put_protocol(&f);
	else
		put_number(&f, L4, f.protocol, false, 1);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, f.x.unread);
	for (i = 0; i < SOCKET_FIELDS; i++)
		probe_unread(c, p, field + i);
	bpf_code_here(c, end);
	return true;
}
