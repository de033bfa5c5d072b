// SPDX-License-Identifier: GPL-2.0
/*
 * The first bytes of a packet, from its Ethernet header on, or else from that of the network.
 *
 * They lie between skb->head and the struct skb_shared_info behind the buffer, which is larger than PROBE_PACKET_MAX: a read
 * of that many bytes never leaves the kernel's memory. What is in pages of its own, behind the headers, is not read.
 *
 * Source: include/linux/skbuff.h, "struct sk_buff"; <linux/if_arp.h>.
 */
#include <net/if_arp.h>

#include "util/probe/probe_internal.h"

/* In the stack: offsets from the head of the buffer, unless they are lengths. */
#define HEAD  (PROBE_STACK - 8) /* its address */
#define DATA  (PROBE_STACK - 16)
#define START (PROBE_STACK - 24)
#define LINK  (PROBE_STACK - 32)
#define SIZE  (PROBE_STACK - 40) /* from the start to the end of the packet */

#define NO_HEADER 0xffff
#define ETHERNET  14 /* bytes of its header, to which tags of VLANs may come */
#define TAG       4
#define TAGS_MAX  2

enum { PACKET_TYPE, PACKET_SIZE, PACKET_LEN, PACKET };

struct packet {
	struct expr_code x;
	const struct probe *p;
	u32 first;
	u32 head, data, len, data_len, mac, network; /* where in the struct */
};

static void store_member(struct packet *k, u32 offset, u32 size, s32 to)
{
	struct bpf_code *c = k->x.code;

	bpf_code_move(c, R0, R8);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)offset);
	expr_code_read(&k->x, size);
	bpf_code_store(c, 8, R10, to, R0);
}

/* START and LINK. */
static void find_start(struct packet *k)
{
	struct bpf_code *c = k->x.code;
	const u32 from_network = bpf_code_label(c), ethernet = bpf_code_label(c),
		  end = bpf_code_label(c);
	s32 tags;

	store_member(k, k->mac, 2, START);
	store_member(k, k->network, 2, SIZE);
	bpf_code_load(c, 8, R0, R10, SIZE);
	bpf_code_load(c, 8, R1, R10, START);
	/* nobody has said yet where it is */
	bpf_code_jump(c, BPF_JEQ, R0, 0, k->x.unread);
	bpf_code_jump(c, BPF_JEQ, R0, NO_HEADER, k->x.unread);
	bpf_code_jump(c, BPF_JEQ, R1, NO_HEADER, from_network);
	bpf_code_alu(c, BPF_SUB, R0, R1);
	/* tunnels leave the header of IP around the packet there, of 20 bytes and more */
	for (tags = 0; tags <= TAGS_MAX; tags++)
		bpf_code_jump(c, BPF_JEQ, R0, ETHERNET + tags * TAG, ethernet);
	bpf_code_jump(c, BPF_JA, R0, 0, from_network);
	bpf_code_here(c, ethernet);
	bpf_code_store_number(c, 8, R10, LINK, ARPHRD_ETHER);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, from_network);
	bpf_code_load(c, 8, R0, R10, SIZE);
	bpf_code_store(c, 8, R10, START, R0);
	bpf_code_store_number(c, 8, R10, LINK, ARPHRD_NONE);
	bpf_code_here(c, end);
}

/* SIZE; none: unread. */
static void find_size(struct packet *k)
{
	struct bpf_code *c = k->x.code;

	store_member(k, k->len, 4, SIZE);
	bpf_code_load(c, 8, R0, R10, DATA);
	bpf_code_load(c, 8, R1, R10, HEAD);
	bpf_code_alu(c, BPF_SUB, R0, R1);
	bpf_code_load(c, 8, R1, R10, SIZE);
	bpf_code_alu(c, BPF_ADD, R0, R1);
	bpf_code_load(c, 8, R1, R10, START);
	bpf_code_alu(c, BPF_SUB, R0, R1);
	bpf_code_jump(c, BPF_JSLE, R0, 0, k->x.unread);
	bpf_code_store(c, 8, R10, SIZE, R0);
}

static void put_number(struct packet *k, u32 field, s32 from)
{
	const struct probe_field *f = &k->p->fields.v[k->first + field];

	bpf_code_load(k->x.code, 8, R0, R10, from);
	bpf_code_store(k->x.code, f->size, R_RECORD, (s32)f->offset, R0);
}

/* The bytes, and how many. */
static void put_bytes(struct packet *k)
{
	const struct probe_field *f = &k->p->fields.v[k->first + PACKET];
	struct bpf_code *c = k->x.code;
	const u32 fits = bpf_code_label(c);

	store_member(k, k->data_len, 4, LINK);
	bpf_code_load(c, 8, R0, R10, SIZE);
	bpf_code_load(c, 8, R1, R10, LINK);
	bpf_code_alu(c, BPF_SUB, R0, R1);
	bpf_code_jump(c, BPF_JSLE, R0, 0, k->x.unread);
	bpf_code_jump(c, BPF_JLE, R0, (s32)f->size, fits);
	bpf_code_number(c, R0, f->size);
	bpf_code_here(c, fits);
	bpf_code_move(c, R2, R0);
	bpf_code_store(c, 8, R10, LINK, R0);
	put_number(k, PACKET_LEN, LINK);
	probe_clear(c, f->offset, f->size);
	bpf_code_load(c, 8, R3, R10, HEAD);
	bpf_code_load(c, 8, R0, R10, START);
	bpf_code_alu(c, BPF_ADD, R3, R0);
	bpf_code_move(c, R1, R_RECORD);
	bpf_code_alu_number(c, BPF_ADD, R1, (s32)f->offset);
	bpf_code_call(c, BPF_FUNC_probe_read_kernel);
	bpf_code_jump(c, BPF_JNE, R0, 0, k->x.unread);
}

bool probe_packet(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field)
{
	struct packet k = {.x = {.code = c, .unread = bpf_code_label(c)}, .p = p, .first = field};
	const u32 end = bpf_code_label(c);
	u32 i;

	if (!btf_offset(b, "sk_buff", "head", &k.head) ||
	    !btf_offset(b, "sk_buff", "data", &k.data) ||
	    !btf_offset(b, "sk_buff", "len", &k.len) ||
	    !btf_offset(b, "sk_buff", "data_len", &k.data_len) ||
	    !btf_offset(b, "sk_buff", "mac_header", &k.mac) ||
	    !btf_offset(b, "sk_buff", "network_header", &k.network))
		return false;
	expr_code_value(&k.x, p->fields.v[field].e);
	bpf_code_move(c, R8, R0);
	store_member(&k, k.head, 8, HEAD);
	store_member(&k, k.data, 8, DATA);
	find_start(&k);
	find_size(&k);
	put_number(&k, PACKET_TYPE, LINK);
	put_number(&k, PACKET_SIZE, SIZE);
	put_bytes(&k);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, k.x.unread);
	for (i = 0; i <= PACKET; i++)
		probe_unread(c, p, field + i);
	bpf_code_here(c, end);
	return true;
}
