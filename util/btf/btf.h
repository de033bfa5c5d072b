/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btf.h - the types of a kernel, from the kernel itself: /sys/kernel/btf/vmlinux.
 *
 * Types have ids from 1 on; 0 is void. Nothing is trusted: every offset, count and id is checked, a
 * type that refers to what is not there reads as void, and chains of types are followed only so far. All
 * strings point into the data.
 *
 * Source: Documentation/bpf/btf.rst, <linux/btf.h>.
 */
#ifndef BTF_BTF_H
#define BTF_BTF_H

#include "util/base/buf.h"
#include "util/base/cur.h"
#include "util/base/err.h"
#include "util/base/hash.h"
#include "util/base/vec.h"

/* Kinds as <linux/btf.h> numbers them; older copies of that header lack the last ones. */
enum btf_kind {
	BTF_VOID,
	BTF_INT,
	BTF_PTR,
	BTF_ARRAY,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FWD,
	BTF_TYPEDEF,
	BTF_VOLATILE,
	BTF_CONST,
	BTF_RESTRICT,
	BTF_FUNC,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_FLOAT,
	BTF_DECL_TAG,
	BTF_TYPE_TAG,
	BTF_ENUM64,
	BTF_KINDS
};

struct btf {
	struct cur types; /* the section of types */
	const char *strings;
	u32 strings_len;
	VEC(u32) at;       /* where in `types` the type id + 1 begins */
	struct hmap names; /* kind and name -> id; empty before btf_index() */
	struct buf file;   /* of btf_load(): the data ... */
	struct cur mapped; /* ... or these, as the kernel has them in memory */
	/* of a module: the kernel's, whose ids and strings its own continue; NULL: none */
	const struct btf *base;
};

struct btf_type {
	u32 id;
	enum btf_kind kind;
	const char *name; /* "" if it has none */
	u32 vlen;         /* members, parameters, enumerators, variables */
	u32 size;         /* bytes: of INT, STRUCT, UNION, ENUM, ENUM64, FLOAT, DATASEC */
	u32 type;         /* that it refers to: of all other kinds */
	bool flag; /* FWD: a union; ENUM, ENUM64: signed; STRUCT, UNION: may have bit-fields */
	struct cur rest; /* what follows */
};

struct btf_member {
	const char *name;
	u32 type;
	u32 bit_offset, bit_size; /* bit_size 0: no bit-field */
};

struct btf_param {
	const char *name;
	u32 type; /* 0 without a name: "..." */
};

struct btf_enumerator {
	const char *name;
	u64 value; /* sign-extended if the enum is signed */
};

struct btf_array {
	u32 type, nr;
};

/*
 * The data stay the caller's and must outlive *b, like `base`: the kernel's types if these are of a module, or NULL.
 * -EINVAL if they are no BTF or damaged.
 */
int btf_init(struct btf *b, const struct btf *base, const void *data, size_t len, struct err *err);
/* Read a file relative to dirfd: /sys/kernel/btf/vmlinux or MODULE. -ENOENT: this kernel has no BTF. */
int btf_load(struct btf *b, const struct btf *base, int dirfd, const char *path, struct err *err);
void btf_free(struct btf *b);

/* The last id. */
u32 btf_last(const struct btf *b);
/* void for an id that there is not. */
struct btf_type btf_type(const struct btf *b, u32 id);
/* Remember all names: worth it from a few searches on. False when memory is out. */
bool btf_index(struct btf *b);
/* The first type of that kind and name, 0 if there is none; of a module, its own come first. */
u32 btf_find(const struct btf *b, enum btf_kind kind, const char *name);
/* The same of a module's own types alone. */
u32 btf_find_own(const struct btf *b, enum btf_kind kind, const char *name);
/* The name of one of these kinds, of b or its base, that is spelled most like it; NULL: none is. */
const char *btf_suggest(const struct btf *b, enum btf_kind kind, enum btf_kind another,
			const char *name);

/* Element i of what a type holds; zeros if unknown. */
struct btf_member btf_member(const struct btf *b, const struct btf_type *t, u32 i);
struct btf_param btf_param(const struct btf *b, const struct btf_type *t, u32 i);
struct btf_enumerator btf_enumerator(const struct btf *b, const struct btf_type *t, u32 i);
struct btf_array btf_array(const struct btf *b, const struct btf_type *t);

/* The type that a name means: without typedef, const, volatile, restrict and tags around it. */
struct btf_type btf_resolve(const struct btf *b, u32 id);
/* Is it, through const and the like, a typedef of that name, or one that leads to it? */
bool btf_is_typedef(const struct btf *b, u32 id, const char *name);
/* Bytes that a variable of the type takes; 0: not known. */
u64 btf_size(const struct btf *b, u32 id);

/* Is it an integer, or an enum, with a sign? */
bool btf_is_signed(const struct btf *b, const struct btf_type *t);

/*
 * The member of a struct or union, also one of anonymous ones in it; its offset counts from the beginning of the whole. False:
 * there is none.
 */
bool btf_find_member(const struct btf *b, u32 of, const char *name, struct btf_member *m);

/* The same in bytes, of a struct by its name. False: there is none, or it is a bit-field. */
bool btf_offset(const struct btf *b, const char *of_struct, const char *member, u32 *offset);

/*
 * What a tracepoint hands to its probes: a FUNC_PROTO, whose first parameter is the probe's own; void if the kernel has no
 * such type.
 */
struct btf_type btf_tracepoint(const struct btf *b, const char *name);
/* The same of a module's own types alone. */
struct btf_type btf_tracepoint_own(const struct btf *b, const char *name);

/*
 * Types as C (btf_text.c): "struct sk_buff *skb", "char comm[16]", "int (*fn)(void *)"; name "": the type alone.
 */
void btf_text_declare(const struct btf *b, u32 id, const char *name, struct buf *out);

/*
 * A struct, union, enum, typedef or function on lines of its own. Members have their offset and size in bytes
 * before them, bit-fields as BYTE:BIT and bits; those of members of anonymous structs and unions
 * count from the beginning of the whole.
 */
void btf_text_define(const struct btf *b, u32 id, struct buf *out);

/*
 * "name(struct sk_buff *skb, int reason)" of what a tracepoint hands to its probes; false, with nothing appended, if
 * the kernel has no such type.
 */
bool btf_text_tracepoint(const struct btf *b, const char *name, struct buf *out);

#endif
