/* SPDX-License-Identifier: GPL-2.0 */
/*
 * expr.h - expressions of C over the types of the kernel or a program, as they are typed in events.
 *
 *	skb->dev->name   sk->__sk_common.skc_dport   (struct tcp_sock *)sk   req->tag & 0xff   *p   a[2]   &s.x
 *
 * Names are the arguments of a function or the fields of a tracepoint (arguments.h), then those of who runs: pid, tid, uid, gid,
 * cpu, cgroup, and in the kernel curtask, its task. An expression is a tree; each node has its type and knows whether it is a place in memory or a value. Nothing is read here: expr_code.c makes the instructions.
 *
 * %rax is a register of a probe at an instruction, by the machine's names of it.
 *
 * Operators are those of C with its precedence: -> . [] * & + - ~ ! sizeof ( type * ) * / % << >> < <= > >= == != & ^ | && || ? :.
 * a ?: b is a, or b where a is 0 or cannot be read.
 * Arithmetic is of 64 bits, and signed unless one side is a number of 8 bytes without a sign, or a pointer.
 */
#ifndef PROBE_EXPR_H
#define PROBE_EXPR_H

#include "arch/arch.h"
#include "util/base/arena.h"
#include "util/base/err.h"
#include "util/bpf/bpf_code.h"
#include "util/btf/btf.h"

enum expr_kind {
	EXPR_VOID,   /* nothing that could be read */
	EXPR_NUMBER, /* an integer, bool, or enum */
	EXPR_POINTER,
	EXPR_STRUCT, /* or union */
	EXPR_ARRAY,
};

struct expr_type {
	enum expr_kind kind;
	u32 size; /* bytes; 0: not known */
	u32 of; /* in BTF: the enum, the struct, the array; of a pointer what it points to; 0: none */
	u32 declared; /* in BTF, as it is declared; 0: computed */
	bool is_signed;
	bool big_endian; /* __be16, __be32, __be64 */
	bool is_bool;
};

enum expr_op {
	EXPR_CONSTANT, /* value */
	EXPR_CONTEXT,  /* the 8 bytes at `value` of what the program is given */
	EXPR_WORD,     /* likewise, where they have a type there: of tracing programs */
	EXPR_MEMBER,   /* of the struct at a */
	EXPR_FOLLOW,   /* the place that the value of a points to */
	EXPR_ADDRESS,  /* of the place a, as a value */
	EXPR_CAST,     /* a as another type */
	EXPR_UNARY,    /* sign: - ~ ! */
	EXPR_BINARY, /* sign: one of C's; l r for << >>, { } for <= >=, = n for == !=, A O for && || */
	EXPR_ELSE,   /* a ?: b */
	EXPR_CHOICE, /* a ? b : c, where b is an EXPR_PAIR of both */
	EXPR_PAIR,
	EXPR_CALL, /* what the BPF function number `value` says, which takes nothing */
	EXPR_AT,   /* a at the place whose cookie is `value`; elsewhere b, or, NULL, unread */
};

struct expr {
	enum expr_op op;
	char sign;
	bool is_place; /* in memory, at an address; else a value */
	bool of_user;  /* what it points to, and a place itself, is in the process's memory */
	struct expr_type type;
	const struct expr *a, *b;
	u64 value;
	u32 offset;              /* EXPR_MEMBER, in bytes */
	u8 bit_offset, bit_size; /* likewise, of a bit-field; bit_size 0: it is none */
};

/* A name, and what it means. */
struct expr_argument {
	const char *name;
	const struct expr *e; /* NULL: it cannot be read ... */
	const char *why;      /* ... for this reason */
	bool spare;           /* of what has another name as well */
};

struct expr_scope {
	const struct btf *btf;
	const struct expr_argument *arguments;
	u32 nr_arguments;
	const char *missing; /* why there are no others, for a hint; NULL: there never are */
	const struct arch_call *registers; /* what %NAME is of; NULL: there is none */
	bool has_task;                     /* there is curtask, too */
	struct arena *arena;               /* where expressions are made */
	const char *wrong;                 /* of an error: where in the text it is */
	bool no_memory;                    /* sticky */
	u32 nodes;                         /* that were made */
};

/*
 * Read one from *text on, up to what cannot be part of it. NULL, an error with a hint, and scope->wrong: it is none, or
 * names what there is not.
 */
const struct expr *expr_parse(struct expr_scope *scope, const char **text, struct err *err);

/* Is a value of the type, as 64 bits, a number with a sign? */
static inline bool expr_is_signed(const struct expr_type *t)
{
	return t->is_signed || (t->kind == EXPR_NUMBER && t->size < sizeof(u64));
}

/* What the type of that id means in an expression. */
struct expr_type expr_type_of(const struct btf *b, u32 id);
/* Of a hint, what members a struct has: "perf-lite list -v 'struct x' shows them" of the kernel's, "they are a, b" of a program's. */
void expr_members_hint(const struct btf *b, u32 of, bool of_kernel, struct buf *out);
/* As C writes it: "struct sk_buff *". */
void expr_type_text(const struct btf *b, const struct expr_type *t, struct buf *out);
/* What means a type that BTF lacks: a number. */
struct expr_type expr_number_type(u32 size, bool is_signed);
/* What arguments are made of: NULL if memory is out, or if what they are made of is NULL. */
const struct expr *expr_context(struct arena *arena, struct expr_type type, u32 at);
const struct expr *expr_word(struct arena *arena, struct expr_type type, u32 at);
const struct expr *expr_constant(struct arena *arena, struct expr_type type, u64 v);
const struct expr *expr_sum(struct arena *arena, const struct expr *a, const struct expr *b);
/* sign: as of EXPR_BINARY, of numbers of 8 bytes without a sign; of EXPR_UNARY, if b is NULL. */
const struct expr *expr_operation(struct arena *arena, char sign, const struct expr *a,
				  const struct expr *b);
const struct expr *expr_cast(struct arena *arena, struct expr_type type, const struct expr *a);
/* The same value; what it leads to is in the process's memory. */
const struct expr *expr_of_user(struct arena *arena, const struct expr *a);
/* `b` may be NULL. */
const struct expr *expr_at(struct arena *arena, u64 cookie, const struct expr *a,
			   const struct expr *b);
/* The address of a place, as a number. */
const struct expr *expr_address(struct arena *arena, const struct expr *place);
/* The place at an address. */
const struct expr *expr_memory(struct arena *arena, struct expr_type type,
			       const struct expr *address);

/* The member of what a points to, or of the place a itself. NULL and an error: there is none. */
const struct expr *expr_member(struct expr_scope *scope, const struct expr *a, const char *name,
			       struct err *err);

/*
 * expr_code.c: instructions that work out expressions in the kernel.
 *
 * R6 is the address of what the program is given; R7 to R9 are the caller's, all others are changed. Of
 * the stack the first EXPR_CODE_STACK bytes below R10 are used. Memory that cannot be read, such as behind a pointer that
 * is NULL, leads to the label `unread`.
 */
#define EXPR_CODE_STACK 288

struct expr_code {
	struct bpf_code *code;
	u32 unread;
	u32 depth; /* of values that wait for others; 0 between calls */
	bool user; /* memory is the process's, not the kernel's, whatever expressions say ... */
	bool faults; /* ... and is waited for where it is not there yet: in programs that sleep alone */
};

/* R0 = its value: a number, sign-extended to 64 bits if it is signed, in the order of this machine; of an array its address. */
void expr_code_value(struct expr_code *x, const struct expr *e);
/* R0 = the address of a place. */
void expr_code_address(struct expr_code *x, const struct expr *e);
/* Copy R2 bytes at the address R3 to R1; to `unread` if they cannot be read. */
void expr_code_copy(struct expr_code *x);
/* R0 = a number of 1, 2, 4 or 8 bytes at the address R0, as it is there. */
void expr_code_read(struct expr_code *x, u32 size);
/* Of R0, the lowest 2, 4 or 8 bytes: the order of networks becomes that of this machine, or the other way round. */
void expr_code_swap(struct expr_code *x, u32 size);

#endif
