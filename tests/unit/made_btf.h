/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_btf.h - types of a kernel, made here as <linux/btf.h> has them.
 *
 *	begin() -> add(), and what follows the type: more(), member() -> finish() -> m.b ... -> end()
 */
#ifndef TESTS_UNIT_MADE_BTF_H
#define TESTS_UNIT_MADE_BTF_H

#include <string.h>

#include "util/btf/btf.h"

struct made {
	struct buf types, strings, all;
	struct btf b;
	u32 nr;
	const struct made *kernel; /* of a module: its types and strings go on from those */
};

static inline u32 name(struct made *m, const char *s)
{
	u32 at = (u32)(m->strings.len + (m->kernel ? m->kernel->strings.len : 0));

	if (!*s)
		return 0;
	buf_add(&m->strings, s, strlen(s) + 1);
	return at;
}

/* A type; `word` is its size or the type that it refers to. */
static inline u32 add(struct made *m, const char *s, u32 kind, u32 vlen, bool flag, u32 word)
{
	buf_u32(&m->types, name(m, s));
	buf_u32(&m->types, vlen | kind << 24 | (u32)flag << 31);
	buf_u32(&m->types, word);
	return ++m->nr;
}

static inline u32 add_int(struct made *m, const char *s, u32 size)
{
	u32 id = add(m, s, BTF_INT, 0, false, size);

	buf_u32(&m->types, size * 8);
	return id;
}

static inline void more(struct made *m, const char *s, u32 a)
{
	buf_u32(&m->types, name(m, s));
	buf_u32(&m->types, a);
}

static inline void member(struct made *m, const char *s, u32 type, u32 bits)
{
	more(m, s, type);
	buf_u32(&m->types, bits);
}

static inline void begin(struct made *m)
{
	*m = (struct made){0};
	buf_u8(&m->strings, 0);
}

static inline void begin_module(struct made *m, const struct made *kernel)
{
	*m = (struct made){.kernel = kernel};
}

static inline int finish(struct made *m, struct err *err)
{
	buf_clear(&m->all);
	buf_u16(&m->all, 0xeb9f);
	buf_u16(&m->all, 1);
	buf_u32(&m->all, 24);
	buf_u32(&m->all, 0);
	buf_u32(&m->all, (u32)m->types.len);
	buf_u32(&m->all, (u32)m->types.len);
	buf_u32(&m->all, (u32)m->strings.len);
	buf_add(&m->all, m->types.data, m->types.len);
	buf_add(&m->all, m->strings.data, m->strings.len);
	return btf_init(&m->b, m->kernel ? &m->kernel->b : NULL, m->all.data, m->all.len, err);
}

static inline void end(struct made *m)
{
	btf_free(&m->b);
	buf_free(&m->types);
	buf_free(&m->strings);
	buf_free(&m->all);
}

static inline u32 add_array(struct made *m, u32 of, u32 nr, u32 index)
{
	u32 id = add(m, "", BTF_ARRAY, 0, false, 0);

	buf_u32(&m->types, of), buf_u32(&m->types, index), buf_u32(&m->types, nr);
	return id;
}

/* Enough of files for their paths, and addresses of sockets: the struct of a file. */
static inline u32 add_files(struct made *m, u32 u16t, u32 u32t, u32 ptr)
{
	u32 qstr, path, vfsmount, file;

	qstr = add(m, "qstr", BTF_STRUCT, 3, false, 16);
	member(m, "hash", u32t, 0), member(m, "len", u32t, 32), member(m, "name", ptr, 64);
	add(m, "dentry", BTF_STRUCT, 3, false, 40);
	member(m, "d_parent", ptr, 0), member(m, "d_name", qstr, 64), member(m, "d_sb", ptr, 192);
	add(m, "super_block", BTF_STRUCT, 2, false, 16);
	member(m, "s_root", ptr, 0), member(m, "s_type", ptr, 64);
	add(m, "file_system_type", BTF_STRUCT, 1, false, 8);
	member(m, "name", ptr, 0);
	vfsmount = add(m, "vfsmount", BTF_STRUCT, 1, false, 16);
	member(m, "mnt_root", ptr, 64);
	add(m, "mount", BTF_STRUCT, 3, false, 40);
	member(m, "mnt_parent", ptr, 0), member(m, "mnt_mountpoint", ptr, 64);
	member(m, "mnt", vfsmount, 128);
	path = add(m, "path", BTF_STRUCT, 2, false, 16);
	member(m, "mnt", ptr, 0), member(m, "dentry", ptr, 64);
	file = add(m, "file", BTF_STRUCT, 1, false, 24);
	member(m, "f_path", path, 64);
	add(m, "sockaddr_in", BTF_STRUCT, 1, false, 16);
	member(m, "sin_family", u16t, 0);
	return file;
}

/* Enough of tasks for their open files, of `file`. */
static inline void add_tasks(struct made *m, u32 u32t, u32 s32t, u32 file)
{
	u32 ptr, info, comm;

	ptr = add(m, "", BTF_PTR, 0, false, file);
	ptr = add(m, "", BTF_PTR, 0, false, ptr);
	add(m, "fdtable", BTF_STRUCT, 2, false, 16);
	member(m, "max_fds", u32t, 0), member(m, "fd", ptr, 64);
	ptr = add(m, "", BTF_PTR, 0, false, m->nr);
	add(m, "files_struct", BTF_STRUCT, 1, false, 8);
	member(m, "fdt", ptr, 0);
	ptr = add(m, "", BTF_PTR, 0, false, m->nr);
	info = add(m, "thread_info", BTF_STRUCT, 1, false, 4);
	member(m, "status", u32t, 0);
	comm = add_array(m, add_int(m, "char", 1), 16, u32t);
	add(m, "task_struct", BTF_STRUCT, 6, false, 48);
	member(m, "thread_info", info, 0), member(m, "pid", s32t, 32), member(m, "files", ptr, 64);
	member(m, "tgid", s32t, 128), member(m, "group_leader", ptr, 192);
	member(m, "comm", comm, 256);
}

/* Registers of all machines in one, and the tracepoints sys_enter(regs, id) and sys_exit(regs, ret). */
static inline void add_calls(struct made *m, u32 u32t, u32 s32t, u32 u64t)
{
	static const char *const words[] = {
		"di", "si", "dx", "r10", "r8", "r9", "orig_ax",   "orig_x0",   "pstate", "orig_a0",
		"a1", "a2", "a3", "a4",  "a5", "a7", "orig_gpr2", "orig_gpr3", "status", "msr"};
	const u32 nr = sizeof(words) / sizeof(words[0]);
	u32 psw, array, ptr, ptr_void, long_t, proto, i;

	buf_u32(&m->types, name(m, "long int"));
	buf_u32(&m->types, (u32)BTF_INT << 24);
	buf_u32(&m->types, 8);
	buf_u32(&m->types, 1u << 24 | 64);
	long_t = ++m->nr;
	psw = add(m, "", BTF_STRUCT, 1, false, 8);
	member(m, "mask", u64t, 0);
	array = add_array(m, u64t, 32, u32t);
	add(m, "pt_regs", BTF_STRUCT, nr + 6, false, nr * 8 + 3 * 256 + 16);
	for (i = 0; i < nr; i++)
		member(m, words[i], u64t, i * 64);
	member(m, "regs", array, nr * 64), member(m, "gprs", array, nr * 64 + 2048);
	member(m, "gpr", array, nr * 64 + 4096), member(m, "psw", psw, nr * 64 + 6144);
	member(m, "syscallno", s32t, nr * 64 + 6208), member(m, "int_code", u32t, nr * 64 + 6240);
	ptr = add(m, "", BTF_PTR, 0, false, m->nr);
	ptr_void = add(m, "", BTF_PTR, 0, false, 0);
	for (i = 0; i < 2; i++) {
		proto = add(m, "", BTF_FUNC_PROTO, 3, false, 0);
		more(m, "__data", ptr_void), more(m, "regs", ptr),
			more(m, i ? "ret" : "id", long_t);
		add(m, i ? "__traceiter_sys_exit" : "__traceiter_sys_enter", BTF_FUNC, 0, false,
		    proto);
	}
}

/*
 * Enough of a kernel for events of packets: the tracepoint kfree_skb(skb, location, reason, rx_sk), whose packets have
 * numbers, bit-fields, arrays, anonymous members, pointers and bytes in the order of networks.
 */
static inline void add_kernel(struct made *m)
{
	u32 chr = add_int(m, "char", 1), u8t = add_int(m, "unsigned char", 1);
	u32 u16t = add_int(m, "short unsigned int", 2), u32t = add_int(m, "unsigned int", 4);
	u32 s32t, u64t = add_int(m, "long unsigned int", 8), be16, be32, reason, ns, net, possible,
		  dev, skb, name_of, cb, common, sock, address, ptr_net, ptr_dev, ptr_skb, ptr_sock,
		  ptr_void, ptr_u8, proto;

	/* a signed one */
	buf_u32(&m->types, name(m, "int"));
	buf_u32(&m->types, (u32)BTF_INT << 24);
	buf_u32(&m->types, 4);
	buf_u32(&m->types, 1u << 24 | 32);
	s32t = ++m->nr;
	be16 = add(m, "__be16", BTF_TYPEDEF, 0, false, u16t);
	be32 = add(m, "__be32", BTF_TYPEDEF, 0, false, u32t);
	reason = add(m, "skb_drop_reason", BTF_ENUM, 2, false, 4);
	more(m, "SKB_DROP_REASON_NOT_SPECIFIED", 2), more(m, "SKB_DROP_REASON_NO_SOCKET", 3);
	ns = add(m, "ns_common", BTF_STRUCT, 1, false, 8);
	member(m, "inum", u32t, 0);
	net = add(m, "net", BTF_STRUCT, 1, false, 16);
	member(m, "ns", ns, 64);
	ptr_net = add(m, "", BTF_PTR, 0, false, net);
	possible = add(m, "possible_net_t", BTF_STRUCT, 1, false, 8);
	member(m, "net", ptr_net, 0);
	name_of = add_array(m, chr, 16, u32t);
	cb = add_array(m, chr, 8, u32t);
	address = add_array(m, u8t, 6, u32t);
	dev = add(m, "net_device", BTF_STRUCT, 4, false, 40);
	member(m, "name", name_of, 0), member(m, "ifindex", s32t, 128),
		member(m, "nd_net", possible, 192);
	member(m, "dev_addr", address, 256);
	ptr_dev = add(m, "", BTF_PTR, 0, false, dev);
	common = add(m, "sock_common", BTF_STRUCT, 7, false, 56);
	member(m, "skc_daddr", be32, 0), member(m, "skc_dport", be16, 32);
	member(m, "skc_num", u16t, 48), member(m, "skc_rcv_saddr", be32, 64);
	member(m, "skc_family", u16t, 96), member(m, "skc_v6_rcv_saddr", cb, 128);
	member(m, "skc_v6_daddr", cb, 256);
	sock = add(m, "sock", BTF_STRUCT, 2, false, 64);
	member(m, "__sk_common", common, 0), member(m, "sk_protocol", u16t, 448);
	ptr_sock = add(m, "", BTF_PTR, 0, false, sock);
	ptr_u8 = add(m, "", BTF_PTR, 0, false, u8t);
	/* with bit-fields: offsets are 24 bits, sizes 8 */
	skb = add(m, "sk_buff", BTF_STRUCT, 11, true, 72);
	member(m, "dev", ptr_dev, 0), member(m, "len", u32t, 64), member(m, "protocol", be16, 96);
	member(m, "network_header", u16t, 112), member(m, "head", ptr_u8, 128);
	member(m, "pkt_type", u8t, 3u << 24 | 192), member(m, "cb", cb, 256);
	member(m, "truesize", u64t, 320), member(m, "data", ptr_u8, 384);
	member(m, "data_len", u32t, 448), member(m, "mac_header", u16t, 480);
	ptr_skb = add(m, "", BTF_PTR, 0, false, skb);
	ptr_void = add(m, "", BTF_PTR, 0, false, 0);
	proto = add(m, "", BTF_FUNC_PROTO, 5, false, 0);
	more(m, "__data", ptr_void), more(m, "skb", ptr_skb), more(m, "location", ptr_void);
	more(m, "reason", reason), more(m, "rx_sk", ptr_sock);
	add(m, "__traceiter_kfree_skb", BTF_FUNC, 0, false, proto);
	add_tasks(m, u32t, s32t, add_files(m, u16t, u32t, ptr_void));
	add_calls(m, u32t, s32t, u64t);
	cb = add_array(m, chr, 300, u32t);
	add(m, "large", BTF_STRUCT, 1, false, 300);
	member(m, "text", cb, 0);
}

#endif
