/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_op.h - the compiled form of a print fmt: what tp_prog.c makes and tp_run.c executes.
 *
 * A stack machine over 64-bit words. A word is a number, or a span of the record: offset << 32 |
 * length, always inside the record. The compiler has counted the stack; jumps only go forward.
 */
#ifndef TRACEPOINT_TP_OP_H
#define TRACEPOINT_TP_OP_H

#include "util/base/vec.h"
#include "util/tracepoint/tp_format.h"
#include "util/tracepoint/tp_printk.h"

enum tp_opcode {
	TP_OP_END,
	TP_OP_TEXT, /* the program's text at c, v bytes */
	TP_OP_JZ,   /* pop; to c if 0 */
	TP_OP_JMP,  /* to c */
	TP_OP_DROP, /* pop */
	TP_OP_MARK, /* push the length of the output */
	TP_OP_PAD,  /* pop a mark; cut and pad what came since as spec says */

	/* Numbers. */
	TP_OP_CONST,  /* push v */
	TP_OP_LOAD,   /* push the integer of a bytes at c, signed if b; 0 past the record */
	TP_OP_LEN,    /* push the length in the __data_loc at c */
	TP_OP_INDEX,  /* pop an index and a span; push the element of a bytes, signed if b */
	TP_OP_ALU1,   /* a is an enum tp_alu1 */
	TP_OP_ALU2,   /* a is an enum tp_alu2 */
	TP_OP_SELECT, /* pop no, yes, condition; push yes or no */

	/* Spans. */
	TP_OP_SPAN, /* push v bytes at c, all up to the end if v is 0 */
	TP_OP_LOC,  /* push what the __data_loc at c points to; __rel_loc if b */

	/* Output: pops its operands, then the precision and width if spec says so. */
	TP_OP_DEC,      /* %u */
	TP_OP_SDEC,     /* %d */
	TP_OP_HEX,      /* %x */
	TP_OP_NUM,      /* any other of spec */
	TP_OP_CHAR,     /* %c */
	TP_OP_STR,      /* span: text up to the first NUL */
	TP_OP_STRPTR,   /* number: the string at that address of the kernel */
	TP_OP_PTR,      /* %p */
	TP_OP_SYM,      /* %pS, %ps if a is 0 */
	TP_OP_FLAGS,    /* number: by tables[c] */
	TP_OP_SYMBOLIC, /* number: by tables[c] */
	TP_OP_HEXBYTES, /* count, span: a between two bytes */
	TP_OP_RAWHEX,   /* %*ph: span; at most v bytes, or the width's number */
	TP_OP_ARRAY,    /* size, count, span */
	TP_OP_BITMASK,  /* span */
	TP_OP_BITLIST,  /* span; at most the width's bits if there is one */
	TP_OP_MAC,      /* span; a between two bytes, b: reversed */
	TP_OP_IP4,      /* span; a: with zeros, b: reversed */
	TP_OP_IP6,      /* span; a: 0 bare, 1 colons, 2 compressed */
	TP_OP_SOCKADDR, /* span; a: enum tp_sock_flags */
	TP_OP_UUID,     /* span; a: little endian, b: upper case */
	TP_OP_HEXDUMP,  /* count, span: dumps[c] */
	TP_OP_FIELD,    /* the field c without its print fmt */
};

struct tp_op {
	u8 code, a;
	u16 b;
	u32 c;
	union {
		u64 v;
		struct tp_spec spec;
	};
};

/* A {value, "name"}; the name in the program's text. */
struct tp_name {
	u64 value;
	u32 text, len;
};

/*
 * The list of a __print_flags: names in their order. Of a __print_symbolic: sorted by value, and
 * where the values lie close together, index[value - base] is the number of the name, plus 1.
 */
struct tp_table {
	u32 first, nr;        /* in names */
	u32 delim, delim_len; /* in the text */
	u32 index, index_nr;  /* in index; 0 if it is searched */
	u64 base;
};

struct tp_prog {
	const struct tp_format *format;
	VEC(struct tp_op) ops;
	VEC(struct tp_name) names;
	VEC(struct tp_table) tables;
	VEC(struct tp_dump) dumps;
	VEC(u32) index;
	struct buf text; /* with TP_TEXT_STEP bytes behind it that may be read */
	bool compat;
};

#define TP_STACK_MAX 64
#define TP_TEXT_STEP 16

#endif
