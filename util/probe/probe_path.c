// SPDX-License-Identifier: GPL-2.0
/*
 * The path of a file: names from the root of its mount namespace on, of a dentry alone from the root of its file system on.
 *
 * A first part walks from the name to the root, across mounts, and keeps in the stack where each name is; a second one puts
 * the names into the record in the order of the text. Step n of the first, which comes to the root, leads to step n - 1 of the second.
 * Both are unrolled: older kernels allow neither loops over the stack nor more than 512 bytes of it. What has more names or bytes than
 * there is room for loses the first ones, and begins with "...".
 *
 * A file that has no place in the tree, such as a pipe, is its own root, but not that of a file system.
 *
 * Source: fs/d_path.c, fs/mount.h, include/linux/dcache.h.
 */
#include "util/probe/probe_internal.h"

#define NAMES  32 /* one below the other */
#define MOUNTS 3  /* on one directory, one over the other */

/* In the stack: where the names are, in place of the values of expressions. */
#define NAME(n) (-16 - 8 * (s32)(n))
#define MOUNT   (PROBE_STACK - 8)  /* the struct vfsmount */
#define ROOT    (PROBE_STACK - 16) /* its dentry */
#define LENGTH  (PROBE_STACK - 24) /* of the names so far, each with its '/' */
#define PARENT  (PROBE_STACK - 32)
#define BYTES   (PROBE_STACK - 48) /* a struct qstr */
#define QSTR    16u

_Static_assert(-NAME(NAMES - 1) <= EXPR_CODE_STACK, "the names fit");
_Static_assert(BYTES >= PROBE_READ_STACK, "so does the rest");

struct path {
	struct expr_code x;
	struct probe_text text;
	const struct probe_field *f;
	bool is_dentry;          /* no mounts are known */
	u32 put[NAMES + 1], end; /* labels: names n - 1 to 0 are put */
	/* where in the structs */
	u32 mnt, dentry, mnt_root, mount, mnt_parent, mountpoint;
	u32 parent, name, name_len, name_at, sb, sb_root, sb_type, type_name;
};

static bool find_members(struct path *k, const struct btf *b)
{
	return btf_offset(b, "path", "mnt", &k->mnt) &&
	       btf_offset(b, "path", "dentry", &k->dentry) &&
	       btf_offset(b, "vfsmount", "mnt_root", &k->mnt_root) &&
	       btf_offset(b, "mount", "mnt", &k->mount) &&
	       btf_offset(b, "mount", "mnt_parent", &k->mnt_parent) &&
	       btf_offset(b, "mount", "mnt_mountpoint", &k->mountpoint) &&
	       btf_offset(b, "dentry", "d_parent", &k->parent) &&
	       btf_offset(b, "dentry", "d_name", &k->name) &&
	       btf_offset(b, "dentry", "d_sb", &k->sb) &&
	       btf_offset(b, "qstr", "len", &k->name_len) &&
	       btf_offset(b, "qstr", "name", &k->name_at) &&
	       btf_offset(b, "super_block", "s_root", &k->sb_root) &&
	       btf_offset(b, "super_block", "s_type", &k->sb_type) &&
	       btf_offset(b, "file_system_type", "name", &k->type_name) &&
	       k->name_len + sizeof(u32) <= QSTR && k->name_at + sizeof(u64) <= QSTR;
}

/* R0 = the pointer that is a member of what R0 points to. */
static void follow(struct path *k, u32 offset)
{
	bpf_code_alu_number(k->x.code, BPF_ADD, R0, (s32)offset);
	expr_code_read(&k->x, 8);
}

/* R8 = the dentry, and what it is in. */
static void begin(struct path *k)
{
	struct bpf_code *c = k->x.code;

	probe_clear(c, k->f->offset, k->f->size);
	probe_find_bytes(&k->x, k->f->e);
	bpf_code_move(c, R8, R0);
	if (k->is_dentry) {
		follow(k, k->sb);
		follow(k, k->sb_root);
	} else {
		follow(k, k->mnt);
		bpf_code_store(c, 8, R10, MOUNT, R0);
		follow(k, k->mnt_root);
	}
	bpf_code_store(c, 8, R10, ROOT, R0);
	if (!k->is_dentry) {
		bpf_code_move(c, R0, R8);
		follow(k, k->dentry);
		bpf_code_move(c, R8, R0);
	}
	bpf_code_store_number(c, 8, R10, LENGTH, 0);
}

/* To `below` unless the dentry is the root of what it is in; else it is what that is mounted on, or to `top`: nothing. */
static void leave_mount(struct path *k, u32 below, u32 top)
{
	struct bpf_code *c = k->x.code;

	bpf_code_load(c, 8, R0, R10, ROOT);
	bpf_code_jump_reg(c, BPF_JNE, R8, R0, below);
	if (k->is_dentry) {
		bpf_code_jump(c, BPF_JA, R0, 0, top);
		return;
	}
	bpf_code_load(c, 8, R8, R10, MOUNT);
	bpf_code_alu_number(c, BPF_SUB, R8, (s32)k->mount);
	bpf_code_move(c, R0, R8);
	follow(k, k->mnt_parent);
	bpf_code_jump_reg(c, BPF_JEQ, R8, R0, top);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)k->mount);
	bpf_code_store(c, 8, R10, MOUNT, R0);
	follow(k, k->mnt_root);
	bpf_code_store(c, 8, R10, ROOT, R0);
	bpf_code_move(c, R0, R8);
	follow(k, k->mountpoint);
	bpf_code_move(c, R8, R0);
}

/* "...", and then the names that are known. */
static void put_cut(struct path *k, u32 names)
{
	struct bpf_code *c = k->x.code;

	bpf_code_number(c, R8, 0);
	probe_text_mark(&k->text);
	bpf_code_number(c, R8, PROBE_TEXT_CUT);
	bpf_code_jump(c, BPF_JA, R0, 0, names ? k->put[names] : k->end);
}

/* The end of a name for which there is no room. */
static void put_long_name(struct path *k)
{
	struct bpf_code *c = k->x.code;

	bpf_code_number(c, R8, 0);
	probe_text_mark(&k->text);
	bpf_code_number(c, R8, PROBE_TEXT_CUT);
	bpf_code_load(c, 8, R0, R10, BYTES + (s32)k->name_at);
	bpf_code_load(c, 4, R1, R10, BYTES + (s32)k->name_len);
	bpf_code_alu(c, BPF_ADD, R0, R1);
	bpf_code_alu_number(c, BPF_SUB, R0, (s32)k->text.room - PROBE_TEXT_CUT);
	probe_text_add(&k->text, false, k->x.unread, k->end);
	bpf_code_jump(c, BPF_JA, R0, 0, k->end);
}

/* A file that is in no tree: its file system, and its name. */
static void put_alone(struct path *k)
{
	struct bpf_code *c = k->x.code;

	bpf_code_store(c, 8, R10, PARENT, R8);
	bpf_code_move(c, R0, R8);
	bpf_code_number(c, R8, 0);
	follow(k, k->sb);
	follow(k, k->sb_type);
	follow(k, k->type_name);
	probe_text_add(&k->text, false, k->x.unread, k->end);
	probe_text_char(&k->text, ':', k->end);
	bpf_code_load(c, 8, R0, R10, PARENT);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)k->name);
	follow(k, k->name_at);
	probe_text_add(&k->text, false, k->x.unread, k->end);
	bpf_code_jump(c, BPF_JA, R0, 0, k->end);
}

static void put_whole(struct path *k, u32 names)
{
	bpf_code_number(k->x.code, R8, 0);
	bpf_code_jump(k->x.code, BPF_JA, R0, 0, k->put[names]);
}

/* Keep name number n, and go on to its directory. */
static void walk_name(struct path *k, u32 n)
{
	struct bpf_code *c = k->x.code;
	const u32 below = bpf_code_label(c), top = bpf_code_label(c), cut = bpf_code_label(c),
		  alone = n ? cut : bpf_code_label(c), full = n ? cut : bpf_code_label(c),
		  next = bpf_code_label(c);
	u32 i;

	for (i = 0; i < (k->is_dentry ? 1 : MOUNTS); i++)
		leave_mount(k, below, top);
	if (!k->is_dentry) {
		bpf_code_load(c, 8, R0, R10, ROOT);
		bpf_code_jump_reg(c, BPF_JEQ, R8, R0, cut);
	}
	bpf_code_here(c, below);
	bpf_code_move(c, R0, R8);
	follow(k, k->parent);
	bpf_code_jump_reg(c, BPF_JEQ, R0, R8, alone);
	bpf_code_store(c, 8, R10, PARENT, R0);
	bpf_code_move(c, R0, R8);
	bpf_code_alu_number(c, BPF_ADD, R0, (s32)k->name);
	probe_copy(&k->x, R10, BYTES, QSTR);
	bpf_code_load(c, 4, R0, R10, BYTES + (s32)k->name_len);
	bpf_code_load(c, 8, R1, R10, LENGTH);
	bpf_code_alu(c, BPF_ADD, R0, R1);
	bpf_code_alu_number(c, BPF_ADD, R0, 1);
	bpf_code_jump(c, BPF_JGT, R0, (s32)k->text.room - PROBE_TEXT_CUT, full);
	bpf_code_store(c, 8, R10, LENGTH, R0);
	bpf_code_load(c, 8, R0, R10, BYTES + (s32)k->name_at);
	bpf_code_store(c, 8, R10, NAME(n), R0);
	bpf_code_load(c, 8, R8, R10, PARENT);
	bpf_code_jump(c, BPF_JA, R0, 0, next);
	if (!n) {
		bpf_code_here(c, alone);
		put_alone(k);
		bpf_code_here(c, full);
		put_long_name(k);
	}
	bpf_code_here(c, top);
	put_whole(k, n);
	if (bpf_code_is_used(c, cut)) {
		bpf_code_here(c, cut);
		put_cut(k, n);
	}
	bpf_code_here(c, next);
}

/* All names have been kept: is that the root? */
static void end_walk(struct path *k)
{
	struct bpf_code *c = k->x.code;
	const u32 below = bpf_code_label(c), top = bpf_code_label(c);

	leave_mount(k, below, top);
	bpf_code_here(c, below);
	put_cut(k, NAMES);
	bpf_code_here(c, top);
	put_whole(k, NAMES);
}

static void put_names(struct path *k)
{
	struct bpf_code *c = k->x.code;
	u32 n;

	for (n = NAMES; n > 0; n--) {
		bpf_code_here(c, k->put[n]);
		probe_text_char(&k->text, '/', k->end);
		bpf_code_load(c, 8, R0, R10, NAME(n - 1));
		probe_text_add(&k->text, false, k->x.unread, k->end);
	}
	bpf_code_jump(c, BPF_JA, R0, 0, k->end);
	bpf_code_here(c, k->put[0]);
	probe_text_char(&k->text, '/', k->end);
}

bool probe_path(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field)
{
	const struct probe_field *f = &p->fields.v[field];
	struct path k = {.x = {.code = c, .unread = bpf_code_label(c)},
			 .text = {.code = c, .at = f->offset, .room = f->size - 1},
			 .f = f,
			 .is_dentry = f->what == PROBE_PATH_DENTRY,
			 .end = bpf_code_label(c)};
	u32 n;

	if (!find_members(&k, b))
		return false;
	for (n = 0; n <= NAMES; n++)
		k.put[n] = bpf_code_label(c);
	begin(&k);
	for (n = 0; n < NAMES; n++)
		walk_name(&k, n);
	end_walk(&k);
	put_names(&k);
	bpf_code_jump(c, BPF_JA, R0, 0, k.end);
	bpf_code_here(c, k.x.unread);
	probe_unread(c, p, field);
	bpf_code_here(c, k.end);
	return true;
}
