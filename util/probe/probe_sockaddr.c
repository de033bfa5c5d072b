// SPDX-License-Identifier: GPL-2.0
/*
 * The address of a socket, in the memory of the kernel or of the process: addresses of the kernel have their highest bit set,
 * but for those of s390x, where they are not told apart.
 *
 * Source: <linux/in.h>, <linux/in6.h>, <linux/un.h>; unix(7) about names that begin with a NUL.
 */
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util/probe/probe_internal.h"

/* In a sockaddr_in and a sockaddr_in6. */
#define PORT_AT   2
#define ADDR4_END 8u
#define ADDR6     8
#define ADDR6_END 24u

/* In the stack: how many bytes a name has, and one. */
#define LIMIT (PROBE_STACK - 8)

#define PATH offsetof(struct sockaddr_un, sun_path)

#ifdef __s390x__
#define TOLD_APART false
#else
#define TOLD_APART true
#endif

enum { FAMILY, ADDR, PORT, SUN_PATH, SOCKADDR_FIELDS };

struct sockaddr_fields {
	struct expr_code x;
	const struct probe *p;
	u32 first;
};

static s32 at(const struct sockaddr_fields *k, u32 field)
{
	return (s32)k->p->fields.v[k->first + field].offset;
}

/* R0 = what the helper for whose memory it is returns of R1, R2, and the address R3 = R8 + offset. */
static void read_memory(struct sockaddr_fields *k, s32 offset, enum bpf_func_id of_kernel,
			enum bpf_func_id of_user)
{
	struct bpf_code *c = k->x.code;
	const u32 kernel = bpf_code_label(c), end = bpf_code_label(c);

	bpf_code_move(c, R3, R8);
	bpf_code_alu_number(c, BPF_ADD, R3, offset);
	if (k->x.user || !TOLD_APART) {
		bpf_code_call(c, k->x.user ? of_user : of_kernel);
		return;
	}
	bpf_code_jump(c, BPF_JSLT, R8, 0, kernel);
	bpf_code_call(c, of_user);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
	bpf_code_here(c, kernel);
	bpf_code_call(c, of_kernel);
	bpf_code_here(c, end);
}

/* Where the address has fewer bytes than `size`. */
static void jump_if_shorter(struct sockaddr_fields *k, u64 size, u32 to)
{
	bpf_code_load(k->x.code, 8, R1, R10, LIMIT);
	bpf_code_jump(k->x.code, BPF_JSLT, R1, (s32)(size - PATH) + 1, to);
}

/* Bytes to `to`, in the record. */
static void read_bytes(struct sockaddr_fields *k, s32 from, s32 to, u32 size)
{
	struct bpf_code *c = k->x.code;

	bpf_code_move(c, R1, R_RECORD);
	bpf_code_alu_number(c, BPF_ADD, R1, to);
	bpf_code_number(c, R2, size);
	read_memory(k, from, BPF_FUNC_probe_read_kernel, BPF_FUNC_probe_read_user);
	bpf_code_jump(c, BPF_JNE, R0, 0, k->x.unread);
}

/* R0 = the length of the text behind `from`, its NUL included; `less` of the bytes are not part of it. To `none` if all are. */
static void read_text(struct sockaddr_fields *k, s32 from, s32 less, u32 none)
{
	const u32 size = k->p->fields.v[k->first + SUN_PATH].size - (u32)less;
	struct bpf_code *c = k->x.code;
	const u32 fits = bpf_code_label(c);

	bpf_code_load(c, 8, R2, R10, LIMIT);
	bpf_code_alu_number(c, BPF_SUB, R2, less);
	bpf_code_jump(c, BPF_JSLE, R2, 0, none);
	bpf_code_jump(c, BPF_JLE, R2, (s32)size, fits);
	bpf_code_number(c, R2, size);
	bpf_code_here(c, fits);
	bpf_code_move(c, R1, R_RECORD);
	bpf_code_alu_number(c, BPF_ADD, R1, at(k, SUN_PATH) + less);
	read_memory(k, from, BPF_FUNC_probe_read_kernel_str, BPF_FUNC_probe_read_user_str);
	bpf_code_jump(c, BPF_JSLE, R0, 0, k->x.unread);
}

/* Neither the port nor what else is before an address of IPv6 is part of it. */
static void put_internet(struct sockaddr_fields *k, u32 size, u32 end)
{
	struct bpf_code *c = k->x.code;

	jump_if_shorter(k, size, k->x.unread);
	read_bytes(k, 0, at(k, ADDR), size);
	bpf_code_load(c, 2, R0, R_RECORD, at(k, ADDR) + PORT_AT);
	expr_code_swap(&k->x, 2);
	bpf_code_store(c, 2, R_RECORD, at(k, PORT), R0);
	bpf_code_store_number(c, 2, R_RECORD, at(k, ADDR) + PORT_AT, 0);
	if (size == ADDR6_END)
		bpf_code_store_number(c, 4, R_RECORD, at(k, ADDR) + 4, 0);
	probe_unread(c, k->p, k->first + SUN_PATH);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
}

/* A name that begins with a NUL is shown with '@' for it. Where it ends, the length of the address alone says. */
static void put_unix(struct sockaddr_fields *k, u32 end)
{
	const struct probe_field *f = &k->p->fields.v[k->first + SUN_PATH];
	struct bpf_code *c = k->x.code;
	const u32 named = bpf_code_label(c), done = bpf_code_label(c);

	read_text(k, (s32)PATH, 0, done);
	bpf_code_jump(c, BPF_JNE, R0, 1, named);
	if (f->length) {
		read_text(k, (s32)PATH + 1, 1, done);
		bpf_code_store_number(c, 1, R_RECORD, at(k, SUN_PATH), '@');
	}
	bpf_code_jump(c, BPF_JA, R0, 0, f->length ? done : k->x.unread);
	bpf_code_here(c, named);
	/* one that is full has no NUL, for which a byte of it was given up */
	bpf_code_jump(c, BPF_JNE, R0, (s32)f->size, done);
	jump_if_shorter(k, PATH + f->size, done);
	read_bytes(k, (s32)(PATH + f->size) - 1, at(k, SUN_PATH) + (s32)f->size - 1, 1);
	bpf_code_here(c, done);
	probe_unread(c, k->p, k->first + ADDR);
	probe_unread(c, k->p, k->first + PORT);
	bpf_code_jump(c, BPF_JA, R0, 0, end);
}

static void put_limit(struct sockaddr_fields *k)
{
	const struct expr *length = k->p->fields.v[k->first].length;
	struct bpf_code *c = k->x.code;

	bpf_code_number(c, R0, sizeof(struct sockaddr_un) + 1);
	if (length)
		expr_code_value(&k->x, length);
	bpf_code_alu_number(c, BPF_ADD, R0, 1 - (s32)PATH);
	bpf_code_store(c, 8, R10, LIMIT, R0);
}

bool probe_sockaddr(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field)
{
	struct sockaddr_fields k = {
		.x = probe_expr(c, p, bpf_code_label(c)), .p = p, .first = field};
	const struct expr *e = p->fields.v[field].e;
	const u32 ip4 = bpf_code_label(c), ip6 = bpf_code_label(c), local = bpf_code_label(c),
		  no_family = k.x.unread, end = bpf_code_label(c);
	u32 i;

	(void)b;
	put_limit(&k);
	for (i = 0; i < SOCKADDR_FIELDS; i++)
		probe_clear(c, (u32)at(&k, i), p->fields.v[field + i].size);
	probe_find_bytes(&k.x, e);
	k.x.user |= e->of_user;
	bpf_code_move(c, R8, R0);
	jump_if_shorter(&k, sizeof(u16), no_family);
	read_bytes(&k, 0, at(&k, FAMILY), sizeof(u16));
	k.x.unread = bpf_code_label(c);
	bpf_code_load(c, 2, R0, R_RECORD, at(&k, FAMILY));
	bpf_code_jump(c, BPF_JEQ, R0, AF_INET, ip4);
	bpf_code_jump(c, BPF_JEQ, R0, AF_INET6, ip6);
	bpf_code_jump(c, BPF_JEQ, R0, AF_UNIX, local);
	bpf_code_jump(c, BPF_JA, R0, 0, k.x.unread);
	bpf_code_here(c, ip4);
	put_internet(&k, ADDR4_END, end);
	bpf_code_here(c, ip6);
	put_internet(&k, ADDR6_END, end);
	bpf_code_here(c, local);
	put_unix(&k, end);
	bpf_code_here(c, no_family);
	probe_unread(c, p, field);
	bpf_code_here(c, k.x.unread);
	for (i = ADDR; i < SOCKADDR_FIELDS; i++)
		probe_unread(c, p, field + i);
	bpf_code_here(c, end);
	return true;
}
