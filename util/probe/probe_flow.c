// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <sys/socket.h>

#include "util/probe/probe_internal.h"

/*
 * In the stack: the address of the packet's buffer, its protocol, the address behind its IP header, its length, the address
 * behind what lies in one piece, and a header.
 */
#define HEAD     (PROBE_STACK - 8)
#define PROTOCOL (PROBE_STACK - 16)
#define L4_AT    (PROBE_STACK - 24)
#define LENGTH   (PROBE_STACK - 32)
#define END      (PROBE_STACK - 40)
#define BYTES    PROBE_READ_STACK

/* Fields, from the first of them on. */
enum { SADDR, SPORT, DADDR, DPORT, L4, TCP_FLAGS, FLOW_FIELDS };

/* In a sockaddr_in and a sockaddr_in6. */
#define ADDR4 4
#define ADDR6 8

#define IP4_SIZE  20u /* without options (RFC 791) */
#define IP6_SIZE  40u /* before its extension headers (RFC 8200) */
#define UDP_SIZE  8u
#define NO_HEADER 0xffff

/* Of a VLAN, or of several (IEEE 802.1Q) */
#define TAG_SIZE  4u
#define TAGS      2
#define TAG       0x8100
#define OUTER_TAG 0x88a8

/* One behind the other, at most; real packets have fewer. */
#define EXTENSIONS 4

struct flow {
	struct expr_code x; /* leads to where all is unread */
	const struct probe *p;
	u32 first; /* field */
	u32 ports, no_ports, no_flags, end;
	bool passing; /* it is the packet around another: only where that begins is wanted */
};

static s32 at(const struct flow *f, u32 field)
{
	return (s32)f->p->fields.v[f->first + field].offset;
}

static void read_member(struct flow *f, u32 offset, u32 size)
{
	bpf_code_move(f->x.code, R0, R8);
	bpf_code_alu_number(f->x.code, BPF_ADD, R0, (s32)offset);
	expr_code_read(&f->x, size);
}

/* To the label, unless the packet has so many bytes at the address R0: what follows is that of packets before it. */
static void check_end(struct flow *f, u32 size, u32 label)
{
	struct bpf_code *c = f->x.code;

	bpf_code_move(c, R1, R0);
	bpf_code_alu_number(c, BPF_ADD, R1, (s32)size);
	bpf_code_load(c, 8, R2, R10, END);
	bpf_code_jump_reg(c, BPF_JGT, R1, R2, label);
}

/* The header at R8 into the stack. */
static void read_header(struct flow *f, u32 size)
{
	bpf_code_move(f->x.code, R0, R8);
	check_end(f, size, f->x.unread);
	probe_copy(&f->x, R10, BYTES, size);
}

/*
 * What is no packet of IP may look like one. Before the stack has named the protocol, this is 0, as it is of what never is
 * a packet: then the header, which has been read, must have the length of the whole, at `length`, less `header` bytes.
 */
static void check_protocol(struct flow *f, u16 protocol, s32 length, u32 header)
{
	struct bpf_code *c = f->x.code;
	u32 named = bpf_code_label(c), good = bpf_code_label(c);

	bpf_code_load(c, 8, R0, R10, PROTOCOL);
	bpf_code_jump(c, BPF_JNE, R0, 0, named);
	bpf_code_load(c, 2, R0, R10, BYTES + length);
	expr_code_swap(&f->x, 2);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)header);
	bpf_code_load(c, 8, R1, R10, LENGTH);
	bpf_code_jump_reg(c, BPF_JNE, R0, R1, f->x.unread);
	bpf_code_jump(c, BPF_JA, R0, 0, good);
	bpf_code_here(c, named);
	bpf_code_jump(c, BPF_JNE, R0, protocol, f->x.unread);
	bpf_code_here(c, good);
}

static void put_addresses(struct flow *f, int family, s32 to, s32 saddr, s32 daddr, u32 size)
{
	struct bpf_code *c = f->x.code;
	u32 i;

	if (f->passing)
		return;
	probe_clear(c, (u32)at(f, SADDR), f->p->fields.v[f->first + SADDR].size);
	probe_clear(c, (u32)at(f, DADDR), f->p->fields.v[f->first + DADDR].size);
	bpf_code_store_number(c, 2, R_RECORD, at(f, SADDR), family);
	bpf_code_store_number(c, 2, R_RECORD, at(f, DADDR), family);
	for (i = 0; i < size; i += 4) {
		bpf_code_load(c, 4, R0, R10, BYTES + saddr + (s32)i);
		bpf_code_store(c, 4, R_RECORD, at(f, SADDR) + to + (s32)i, R0);
		bpf_code_load(c, 4, R0, R10, BYTES + daddr + (s32)i);
		bpf_code_store(c, 4, R_RECORD, at(f, DADDR) + to + (s32)i, R0);
	}
}

static void put_l4(struct flow *f, s32 protocol)
{
	bpf_code_load(f->x.code, 1, R0, R10, BYTES + protocol);
	bpf_code_store(f->x.code, 1, R_RECORD, at(f, L4), R0);
}

static void put_ip4(struct flow *f)
{
	struct bpf_code *c = f->x.code;

	read_header(f, IP4_SIZE);
	check_protocol(f, 0x0800, 2, 0);
	bpf_code_load(c, 1, R0, R10, BYTES);
	bpf_code_alu_number(c, BPF_AND, R0, 0xf);
	bpf_code_jump(c, BPF_JLT, R0, IP4_SIZE / 4, f->x.unread);
	bpf_code_alu_number(c, BPF_LSH, R0, 2);
	bpf_code_alu(c, BPF_ADD, R0, R8);
	bpf_code_store(c, 8, R10, L4_AT, R0);
	put_addresses(f, AF_INET, ADDR4, 12, 16, 4);
	put_l4(f, 9);
	/* only the first fragment has ports */
	bpf_code_load(c, 2, R0, R10, BYTES + 6);
	expr_code_swap(&f->x, 2);
	bpf_code_alu_number(c, BPF_AND, R0, 0x1fff);
	bpf_code_jump(c, BPF_JNE, R0, 0, f->no_ports);
	bpf_code_jump(c, BPF_JA, R0, 0, f->ports);
}

/*
 * If what L4_AT points to is an extension header: its next header is what the packet carries, and L4_AT is behind it.
 * Source: RFC 8200, 4; RFC 4302 (AH), whose length is in words of 4 bytes.
 */
static void skip_extension(struct flow *f, u32 done)
{
	static const u8 plain[] = {IPPROTO_HOPOPTS, IPPROTO_ROUTING, IPPROTO_DSTOPTS};
	struct bpf_code *c = f->x.code;
	struct expr_code x = {.code = c, .unread = f->no_ports};
	const u32 is_one = bpf_code_label(c), authentication = bpf_code_label(c),
		  fragment = bpf_code_label(c), skip = bpf_code_label(c);
	u32 i;

	bpf_code_load(c, 1, R0, R_RECORD, at(f, L4));
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		bpf_code_jump(c, BPF_JEQ, R0, plain[i], is_one);
	bpf_code_jump(c, BPF_JEQ, R0, IPPROTO_AH, is_one);
	bpf_code_jump(c, BPF_JNE, R0, IPPROTO_FRAGMENT, done);
	bpf_code_here(c, is_one);
	bpf_code_load(c, 8, R0, R10, L4_AT);
	check_end(f, 4, f->no_ports);
	probe_copy(&x, R10, BYTES, 4);
	bpf_code_load(c, 1, R2, R_RECORD, at(f, L4));
	bpf_code_load(c, 1, R0, R10, BYTES);
	bpf_code_store(c, 1, R_RECORD, at(f, L4), R0);
	bpf_code_load(c, 1, R1, R10, BYTES + 1);
	bpf_code_jump(c, BPF_JEQ, R2, IPPROTO_FRAGMENT, fragment);
	bpf_code_jump(c, BPF_JEQ, R2, IPPROTO_AH, authentication);
	bpf_code_alu_number(c, BPF_ADD, R1, 1);
	bpf_code_alu_number(c, BPF_LSH, R1, 3);
	bpf_code_jump(c, BPF_JA, R0, 0, skip);
	bpf_code_here(c, authentication);
	bpf_code_alu_number(c, BPF_ADD, R1, 2);
	bpf_code_alu_number(c, BPF_LSH, R1, 2);
	bpf_code_jump(c, BPF_JA, R0, 0, skip);
	bpf_code_here(c, fragment);
	/* only the first fragment has ports */
	bpf_code_load(c, 2, R0, R10, BYTES + 2);
	expr_code_swap(&f->x, 2);
	bpf_code_alu_number(c, BPF_AND, R0, 0xfff8);
	bpf_code_jump(c, BPF_JNE, R0, 0, f->no_ports);
	bpf_code_number(c, R1, 8);
	bpf_code_here(c, skip);
	bpf_code_load(c, 8, R0, R10, L4_AT);
	bpf_code_alu(c, BPF_ADD, R0, R1);
	bpf_code_store(c, 8, R10, L4_AT, R0);
}

static void put_ip6(struct flow *f)
{
	struct bpf_code *c = f->x.code;
	const u32 done = bpf_code_label(c);
	u32 i;

	read_header(f, IP6_SIZE);
	check_protocol(f, 0x86dd, 4, IP6_SIZE);
	bpf_code_move(c, R0, R8);
	bpf_code_alu_number(c, BPF_ADD, R0, IP6_SIZE);
	bpf_code_store(c, 8, R10, L4_AT, R0);
	put_addresses(f, AF_INET6, ADDR6, 8, 24, 16);
	put_l4(f, 6);
	for (i = 0; i < EXTENSIONS; i++)
		skip_extension(f, done);
	bpf_code_here(c, done);
}

static void put_port(struct flow *f, s32 from, u32 field)
{
	struct bpf_code *c = f->x.code;

	bpf_code_load(c, 2, R0, R10, BYTES + from);
	expr_code_swap(&f->x, 2);
	bpf_code_store(c, 2, R_RECORD, at(f, field), R0);
}

/* What begins with the two ports. */
static void put_ports(struct flow *f)
{
	static const u8 protocols[] = {IPPROTO_TCP, IPPROTO_UDP, IPPROTO_DCCP, IPPROTO_SCTP,
				       IPPROTO_UDPLITE};
	struct bpf_code *c = f->x.code;
	struct expr_code x = {.code = c, .unread = f->no_ports};
	u32 i, has = bpf_code_label(c);

	bpf_code_load(c, 1, R0, R_RECORD, at(f, L4));
	for (i = 0; i < ARRAY_SIZE(protocols); i++)
		bpf_code_jump(c, BPF_JEQ, R0, protocols[i], has);
	bpf_code_jump(c, BPF_JA, R0, 0, f->no_ports);
	bpf_code_here(c, has);
	bpf_code_load(c, 8, R0, R10, L4_AT);
	check_end(f, 4, f->no_ports);
	probe_copy(&x, R10, BYTES, 4);
	put_port(f, 0, SPORT);
	put_port(f, 2, DPORT);
	bpf_code_load(c, 1, R0, R_RECORD, at(f, L4));
	bpf_code_jump(c, BPF_JNE, R0, IPPROTO_TCP, f->no_flags);
	bpf_code_load(c, 8, R0, R10, L4_AT);
	bpf_code_alu_number(c, BPF_ADD, R0, 13);
	check_end(f, 1, f->no_flags);
	x.unread = f->no_flags;
	expr_code_read(&x, 1);
	bpf_code_store(c, 1, R_RECORD, at(f, TCP_FLAGS), R0);
	bpf_code_jump(c, BPF_JA, R0, 0, f->end);
}

static void put_what_is_missing(struct flow *f)
{
	struct bpf_code *c = f->x.code;
	u32 i;

	bpf_code_here(c, f->no_ports);
	probe_unread(c, f->p, f->first + SPORT);
	probe_unread(c, f->p, f->first + DPORT);
	bpf_code_here(c, f->no_flags);
	probe_unread(c, f->p, f->first + TCP_FLAGS);
	bpf_code_jump(c, BPF_JA, R0, 0, f->end);
	bpf_code_here(c, f->x.unread);
	for (i = 0; i < FLOW_FIELDS; i++)
		probe_unread(c, f->p, f->first + i);
	bpf_code_here(c, f->end);
}

static struct flow flow_of(struct bpf_code *c, const struct probe *p, u32 field)
{
	return (struct flow){.x = {.code = c, .unread = bpf_code_label(c)},
			     .p = p,
			     .first = field,
			     .ports = bpf_code_label(c),
			     .no_ports = bpf_code_label(c),
			     .no_flags = bpf_code_label(c),
			     .end = bpf_code_label(c)};
}

/* To the label `no`, unless R0 says that a tag follows. */
static void check_tag(struct flow *f, u32 no)
{
	const u32 tag = bpf_code_label(f->x.code);

	bpf_code_jump(f->x.code, BPF_JEQ, R0, TAG, tag);
	bpf_code_jump(f->x.code, BPF_JNE, R0, OUTER_TAG, no);
	bpf_code_here(f->x.code, tag);
}

/*
 * Tags that are in the packet still, as where a device is to send it: PROTOCOL names them, and the header of the network is the first of
 * them, or is behind them already: what is before it says which.
 */
static void pass_tags(struct flow *f)
{
	struct bpf_code *c = f->x.code;
	const u32 end = bpf_code_label(c), behind = bpf_code_label(c);
	u32 i;

	for (i = 0; i < TAGS; i++) {
		bpf_code_load(c, 8, R0, R10, PROTOCOL);
		check_tag(f, end);
		read_member(f, (u32)-2, 2);
		expr_code_swap(&f->x, 2);
		check_tag(f, behind);
		read_member(f, TAG_SIZE - 2, 2);
		expr_code_swap(&f->x, 2);
		bpf_code_store(c, 8, R10, PROTOCOL, R0);
		bpf_code_alu_number(c, BPF_ADD, R8, TAG_SIZE);
	}
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, behind);
	bpf_code_store(c, 8, R10, PROTOCOL, R0);
	bpf_code_here(c, end);
}

/* R8 = the address of the header of the network. */
static bool find_network(struct flow *f, const struct btf *b)
{
	struct bpf_code *c = f->x.code;
	u32 head, network, protocol, len, data, data_len;

	if (!btf_offset(b, "sk_buff", "head", &head) ||
	    !btf_offset(b, "sk_buff", "network_header", &network) ||
	    !btf_offset(b, "sk_buff", "protocol", &protocol) ||
	    !btf_offset(b, "sk_buff", "len", &len) || !btf_offset(b, "sk_buff", "data", &data) ||
	    !btf_offset(b, "sk_buff", "data_len", &data_len))
		return false;
	expr_code_value(&f->x, f->p->fields.v[f->first].e);
	bpf_code_move(c, R8, R0);
	read_member(f, head, 8);
	bpf_code_store(c, 8, R10, HEAD, R0);
	read_member(f, protocol, 2);
	expr_code_swap(&f->x, 2);
	bpf_code_store(c, 8, R10, PROTOCOL, R0);
	read_member(f, len, 4);
	bpf_code_store(c, 8, R10, LENGTH, R0);
	read_member(f, data_len, 4);
	bpf_code_load(c, 8, R1, R10, LENGTH);
	bpf_code_alu(c, BPF_SUB, R1, R0);
	bpf_code_store(c, 8, R10, END, R1);
	read_member(f, data, 8);
	bpf_code_load(c, 8, R1, R10, END);
	bpf_code_alu(c, BPF_ADD, R1, R0);
	bpf_code_store(c, 8, R10, END, R1);
	read_member(f, network, 2);
	/* nobody has said yet where it is */
	bpf_code_jump(c, BPF_JEQ, R0, 0, f->x.unread);
	bpf_code_jump(c, BPF_JEQ, R0, NO_HEADER, f->x.unread);
	bpf_code_load(c, 8, R8, R10, HEAD);
	bpf_code_alu(c, BPF_ADD, R8, R0);
	pass_tags(f);
	return true;
}

/* Of the header at R8, on to what is behind it. */
static void put_network(struct flow *f)
{
	struct bpf_code *c = f->x.code;
	const u32 ip4 = bpf_code_label(c);

	bpf_code_move(c, R0, R8);
	check_end(f, 1, f->x.unread);
	read_member(f, 0, 1);
	bpf_code_alu_number(c, BPF_RSH, R0, 4);
	bpf_code_jump(c, BPF_JEQ, R0, 4, ip4);
	bpf_code_jump(c, BPF_JNE, R0, 6, f->x.unread);
	put_ip6(f);
	bpf_code_jump(c, BPF_JA, R0, 0, f->ports);
	bpf_code_here(c, ip4);
	put_ip4(f);
	bpf_code_here(c, f->ports);
}

bool probe_flow(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field)
{
	struct flow f = flow_of(c, p, field);

	if (!find_network(&f, b))
		return false;
	put_network(&f);
	put_ports(&f);
	put_what_is_missing(&f);
	return true;
}

/* ---- the packet in a tunnel ---- */

/* The field behind those of its flow. */
#define VNI FLOW_FIELDS

#define TUNNEL_SIZE   8u     /* of the header of VXLAN, and of Geneve before its options */
#define ETHERNET      0x6558 /* "Transparent Ethernet Bridging": an Ethernet header follows */
#define ETHERNET_SIZE 14u

/* L4_AT += a number */
static void pass_over(struct flow *f, u32 size)
{
	struct bpf_code *c = f->x.code;

	bpf_code_load(c, 8, R0, R10, L4_AT);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)size);
	bpf_code_store(c, 8, R10, L4_AT, R0);
}

/* The bytes at L4_AT into the stack, and on to what is behind them. */
static void take_bytes(struct flow *f, u32 size)
{
	struct bpf_code *c = f->x.code;

	bpf_code_load(c, 8, R0, R10, L4_AT);
	check_end(f, size, f->x.unread);
	probe_copy(&f->x, R10, BYTES, size);
	pass_over(f, size);
}

/* PROTOCOL = the EtherType there. */
static void take_protocol(struct flow *f, s32 from)
{
	struct bpf_code *c = f->x.code;

	bpf_code_load(c, 2, R0, R10, BYTES + from);
	expr_code_swap(&f->x, 2);
	bpf_code_store(c, 8, R10, PROTOCOL, R0);
}

/*
 * PROTOCOL = what is in the tunnel, and L4_AT where, if the packet goes to the port of one. What is behind the datagram is none of it.
 * Source: RFC 7348, 5; RFC 8926, 3.4. Linux has had VXLAN at port 8472 before there was one for it, and still does by default.
 */
static void take_tunnel(struct flow *f)
{
	struct bpf_code *c = f->x.code;
	const u32 vxlan = bpf_code_label(c), all = bpf_code_label(c), end = bpf_code_label(c);

	bpf_code_load(c, 1, R0, R_RECORD, at(f, L4));
	bpf_code_jump(c, BPF_JNE, R0, IPPROTO_UDP, f->x.unread);
	take_bytes(f, UDP_SIZE);
	bpf_code_load(c, 2, R0, R10, BYTES + 4);
	expr_code_swap(&f->x, 2);
	/* more than 64 KiB, which are cut later */
	bpf_code_jump(c, BPF_JEQ, R0, 0, all);
	bpf_code_load(c, 8, R1, R10, L4_AT);
	bpf_code_alu(c, BPF_ADD, R1, R0);
	bpf_code_alu_number(c, BPF_SUB, R1, UDP_SIZE);
	bpf_code_load(c, 8, R2, R10, END);
	bpf_code_jump_reg(c, BPF_JGE, R1, R2, all);
	bpf_code_store(c, 8, R10, END, R1);
	bpf_code_here(c, all);
	bpf_code_load(c, 2, R8, R10, BYTES + 2);
	bpf_code_move(c, R0, R8);
	expr_code_swap(&f->x, 2);
	bpf_code_move(c, R8, R0);
	take_bytes(f, TUNNEL_SIZE);
	bpf_code_jump(c, BPF_JEQ, R8, 4789, vxlan);
	bpf_code_jump(c, BPF_JEQ, R8, 8472, vxlan);
	bpf_code_jump(c, BPF_JNE, R8, 6081, f->x.unread);
	bpf_code_load(c, 1, R0, R10, BYTES);
	/* a version */
	bpf_code_jump(c, BPF_JSET, R0, 0xc0, f->x.unread);
	bpf_code_alu_number(c, BPF_LSH, R0, 2);
	bpf_code_load(c, 8, R1, R10, L4_AT);
	bpf_code_alu(c, BPF_ADD, R1, R0);
	bpf_code_store(c, 8, R10, L4_AT, R1);
	take_protocol(f, 2);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, vxlan);
	/* that it has a number */
	bpf_code_load(c, 1, R0, R10, BYTES);
	bpf_code_alu_number(c, BPF_AND, R0, 8);
	bpf_code_jump(c, BPF_JEQ, R0, 0, f->x.unread);
	bpf_code_number(c, R0, ETHERNET);
	bpf_code_store(c, 8, R10, PROTOCOL, R0);
	bpf_code_here(c, end);
	bpf_code_load(c, 4, R0, R10, BYTES + 4);
	expr_code_swap(&f->x, 4);
	bpf_code_alu_number(c, BPF_RSH, R0, 8);
	bpf_code_store(c, 4, R_RECORD, at(f, VNI), R0);
}

/* The header of Ethernet, if that is what PROTOCOL says, and tags of VLANs behind it. */
static void pass_ethernet(struct flow *f)
{
	struct bpf_code *c = f->x.code;
	const u32 end = bpf_code_label(c);
	u32 i;

	bpf_code_load(c, 8, R0, R10, PROTOCOL);
	bpf_code_jump(c, BPF_JNE, R0, ETHERNET, end);
	take_bytes(f, ETHERNET_SIZE);
	take_protocol(f, ETHERNET_SIZE - 2);
	for (i = 0; i < TAGS; i++) {
		bpf_code_load(c, 8, R0, R10, PROTOCOL);
		check_tag(f, end);
		take_bytes(f, TAG_SIZE);
		take_protocol(f, TAG_SIZE - 2);
	}
	bpf_code_here(c, end);
}

bool probe_inner(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field)
{
	const u32 none = bpf_code_label(c);
	struct flow f = flow_of(c, p, field);
	struct flow outer = {.x = {.code = c, .unread = none},
			     .p = p,
			     .first = field,
			     .ports = bpf_code_label(c),
			     .no_ports = none,
			     .passing = true};

	if (!find_network(&outer, b))
		return false;
	put_network(&outer);
	take_tunnel(&outer);
	pass_ethernet(&f);
	/* check_protocol() would look at the length of the whole packet */
	bpf_code_load(c, 8, R0, R10, PROTOCOL);
	bpf_code_jump(c, BPF_JEQ, R0, 0, f.x.unread);
	bpf_code_load(c, 8, R8, R10, L4_AT);
	put_network(&f);
	put_ports(&f);
	bpf_code_here(c, none);
	probe_unread(c, p, field + VNI);
	bpf_code_jump(c, BPF_JA, R0, 0, f.x.unread);
	put_what_is_missing(&f);
	return true;
}
