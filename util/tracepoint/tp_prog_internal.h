/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tp_prog_internal.h - what the parts of the compiler share: text -> tokens (lex) -> tree (parse, with call, node) ->
 * operations (emit, printk).
 */
#ifndef TRACEPOINT_TP_PROG_INTERNAL_H
#define TRACEPOINT_TP_PROG_INTERNAL_H

#include <string.h>

#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/base/types.h"
#include "util/base/vec.h"
#include "util/tracepoint/tp_format.h"
#include "util/tracepoint/tp_prog.h"

/*
 * tp_prog_lex.c: the C tokens of a print fmt.
 *
 * The text need not be NUL-terminated and is never read past its end. A token is a piece of the
 * text in place: the quotes of a string are not in it, its backslashes still are.
 */

enum tp_tok_kind {
	TP_TOK_END,
	TP_TOK_IDENT,
	TP_TOK_NUMBER,
	TP_TOK_CHAR,
	TP_TOK_STRING,
	TP_TOK_OP,  /* punctuation; `op` is its code */
	TP_TOK_BAD, /* a string without its end, or a byte that C does not know */
};

/* The code of punctuation: its characters, the first in the lowest byte. */
#define TP_OP1(a)    ((u32)(u8)(a))
#define TP_OP2(a, b) ((u32)(u8)(a) | (u32)(u8)(b) << 8)

struct tp_tok {
	enum tp_tok_kind kind;
	u32 op;
	const char *s;
	size_t len;
	u64 value;                 /* of numbers and characters */
	bool is_unsigned, is_long; /* of numbers: what suffix and size make of it */
};

struct tp_lex {
	const char *start, *p, *end;
};

struct tp_tok tp_lex_next(struct tp_lex *l);

/* Append a string's bytes with \n, \t, \r, \" and the like replaced by the bytes they mean. */
void tp_lex_unescape(struct buf *b, const char *s, size_t len);

/*
 * The integer operations of a print fmt, one meaning for the compiler's constant
 * folding and for the running program.
 *
 * Every value is held in 64 bits, sign- or zero-extended from its C type. No operation traps or is
 * undefined: division by zero gives 0, and a shift counts modulo 64.
 *
 * One operand.
 */
enum tp_alu1 {
	TP_NEG,
	TP_INV,
	TP_NOT,
	TP_BOOL,
	TP_SX8,
	TP_SX16,
	TP_SX32,
	TP_ZX8,
	TP_ZX16,
	TP_ZX32,
	TP_SWAP16,
	TP_SWAP32,
	TP_SWAP64,
};

/* Two operands; S and U are the signed and the unsigned reading. */
enum tp_alu2 {
	TP_ADD,
	TP_SUB,
	TP_MUL,
	TP_DIVS,
	TP_DIVU,
	TP_MODS,
	TP_MODU,
	TP_AND,
	TP_OR,
	TP_XOR,
	TP_SHL,
	TP_SHRS,
	TP_SHRU,
	TP_EQ,
	TP_NE,
	TP_LTS,
	TP_LTU,
	TP_LES,
	TP_LEU,
	TP_LAND,
	TP_LOR,
};

static inline u64 tp_alu1(enum tp_alu1 op, u64 a)
{
	switch (op) {
	case TP_NEG:
		return 0 - a;
	case TP_INV:
		return ~a;
	case TP_NOT:
		return !a;
	case TP_BOOL:
		return a != 0;
	case TP_SX8:
		return (u64)(s64)(s8)a;
	case TP_SX16:
		return (u64)(s64)(s16)a;
	case TP_SX32:
		return (u64)(s64)(s32)a;
	case TP_ZX8:
		return (u8)a;
	case TP_ZX16:
		return (u16)a;
	case TP_ZX32:
		return (u32)a;
	case TP_SWAP16:
		return __builtin_bswap16((u16)a);
	case TP_SWAP32:
		return __builtin_bswap32((u32)a);
	case TP_SWAP64:
		return __builtin_bswap64(a);
	}
	return 0;
}

static inline u64 tp_alu2(enum tp_alu2 op, u64 a, u64 b)
{
	switch (op) {
	case TP_ADD:
		return a + b;
	case TP_SUB:
		return a - b;
	case TP_MUL:
		return a * b;
	case TP_DIVS:
		/* INT64_MIN / -1 traps on some machines. */
		return !b ? 0 : b == UINT64_MAX ? 0 - a : (u64)((s64)a / (s64)b);
	case TP_DIVU:
		return b ? a / b : 0;
	case TP_MODS:
		return !b || b == UINT64_MAX ? 0 : (u64)((s64)a % (s64)b);
	case TP_MODU:
		return b ? a % b : 0;
	case TP_AND:
		return a & b;
	case TP_OR:
		return a | b;
	case TP_XOR:
		return a ^ b;
	case TP_SHL:
		return a << (b & 63);
	case TP_SHRS:
		return (u64)((s64)a >> (b & 63));
	case TP_SHRU:
		return a >> (b & 63);
	case TP_EQ:
		return a == b;
	case TP_NE:
		return a != b;
	case TP_LTS:
		return (s64)a < (s64)b;
	case TP_LTU:
		return a < b;
	case TP_LES:
		return (s64)a <= (s64)b;
	case TP_LEU:
		return a <= b;
	case TP_LAND:
		return a && b;
	case TP_LOR:
		return a || b;
	}
	return 0;
}

static inline bool tp_is_int_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The number at p, of such a size. */
static inline u64 tp_load(const u8 *p, u32 size, bool is_signed)
{
	u16 v16;
	u32 v32;
	u64 v64;

	switch (size) {
	case 1:
		return is_signed ? (u64)(s64)(s8)*p : *p;
	case 2:
		memcpy(&v16, p, sizeof(v16));
		return is_signed ? (u64)(s64)(s16)v16 : v16;
	case 4:
		memcpy(&v32, p, sizeof(v32));
		return is_signed ? (u64)(s64)(s32)v32 : v32;
	default:
		memcpy(&v64, p, sizeof(v64));
		return v64;
	}
}

/*
 * tp_prog_node.c: the tree of one print fmt argument, with C's types and constants folded.
 *
 * Nodes live in an arena of the compilation. A node may be shared (the variables of a statement
 * expression are), so the tree is walked, never changed.
 *
 * An integer type.
 */
struct tp_type {
	u8 bits; /* 8, 16, 32, 64 */
	bool is_signed;
};

enum tp_node_kind {
	/* Numbers. */
	TP_NODE_CONST,
	TP_NODE_FIELD, /* a scalar field */
	TP_NODE_LEN,   /* bytes of a dynamic array */
	TP_NODE_INDEX, /* a[b] where a is bytes; `type` is that of the element */
	TP_NODE_ALU1,
	TP_NODE_ALU2,
	/* A number or a text, as its two branches b and c; a is the condition. */
	TP_NODE_COND,
	/* Bytes of the record: an array, a dynamic array, the address of a scalar. */
	TP_NODE_BYTES,
	/* Texts. */
	TP_NODE_STRING,
	TP_NODE_FLAGS,    /* __print_flags(a, str, list) */
	TP_NODE_SYMBOLIC, /* __print_symbolic(a, list) */
	TP_NODE_HEX,      /* __print_hex(a, b); value: the separator or 0 */
	TP_NODE_ARRAY,    /* __print_array(a, b elements, of c bytes) */
	TP_NODE_BITMASK,  /* __get_bitmask(): ffffffff,00000001 */
	TP_NODE_BITLIST,  /* __get_cpumask(): 0-3,8 */
	TP_NODE_HEXDUMP,  /* __print_hex_dump(a, b bytes) and `dump` */
};

/* One {value, "name"} of a list. */
struct tp_pair {
	struct tp_pair *next;
	const struct tp_node *value; /* a constant */
	const char *str;             /* unescaped */
	size_t len;
};

struct tp_hexdump {
	const char *prefix;
	size_t prefix_len;
	u32 prefix_type, rowsize, groupsize;
	bool ascii;
};

struct tp_node {
	enum tp_node_kind kind;
	struct tp_type type; /* of numbers, and of the elements of bytes */
	u32 op;              /* enum tp_alu1 or tp_alu2 */
	u64 value;
	bool unresolved; /* a constant made from a name that the kernel did not translate */
	bool bare;       /* and that is nothing else than that name */
	bool is_number;  /* of COND: both branches are numbers */
	const struct tp_node *a, *b, *c;
	const struct tp_field *field;
	const char *str; /* of STRING: unescaped; of FLAGS: what goes between two names */
	size_t len;
	const struct tp_pair *list;
	const struct tp_hexdump *dump;
};

/*
 * Builders. Each returns NULL when memory is out or when one of its operands is NULL, so that they
 * can be nested. `compat` makes every number an unsigned 64-bit one, as perf computes.
 */
struct tp_build {
	struct arena *arena;
	bool compat;
};

struct tp_node *tp_node_new(struct tp_build *b, enum tp_node_kind kind);
const struct tp_node *tp_node_const(struct tp_build *b, u64 value, struct tp_type type);
const struct tp_node *tp_node_field(struct tp_build *b, const struct tp_field *f);
const struct tp_node *tp_node_bytes(struct tp_build *b, const struct tp_field *f);
const struct tp_node *tp_node_alu1(struct tp_build *b, enum tp_alu1 op, const struct tp_node *a);
/* `op` is the C operator (TP_OP1, TP_OP2). */
const struct tp_node *tp_node_binary(struct tp_build *b, u32 op, const struct tp_node *l,
				     const struct tp_node *r);
const struct tp_node *tp_node_cond(struct tp_build *b, const struct tp_node *cond,
				   const struct tp_node *yes, const struct tp_node *no);
const struct tp_node *tp_node_cast(struct tp_build *b, const struct tp_node *n, struct tp_type to);

bool tp_node_is_number(const struct tp_node *n);
/* n is a constant; false where it rests on an untranslated name. */
bool tp_node_is_known(const struct tp_node *n);

/*
 * Variables of statement expressions double a tree with each line of text, so what walks trees need not look at sizes only because
 * larger ones are refused: nodes, as often as they are reached, of all arguments together, and how deep they lie.
 */
#define TP_NODES_MAX (1u << 16)
#define TP_DEPTH_MAX 1000

/* Take the nodes off *left; false: there are more, or they lie too deep. */
bool tp_node_is_within(const struct tp_node *n, u32 *left);

/*
 * tp_prog_parse.c: the print fmt of an event as a format string and a tree per argument.
 *
 * The kernel prints the source text of TP_printk() after the preprocessor: C expressions over
 * REC->field with the helpers of include/trace/stages/stage3_trace_output.h. Statement expressions
 * are understood where their statements only declare integers (that is what min() becomes).
 */

struct tp_parsed {
	struct buf fmt; /* of printf, escapes replaced */
	VEC(const struct tp_node *) args;
};

/* Nodes are made in `arena`, which must outlive them; free the rest with tp_parse_free(). */
int tp_parse(const struct tp_format *f, const struct tp_opts *opts, struct arena *arena,
	     struct tp_parsed *out, struct err *err);
void tp_parse_free(struct tp_parsed *out);

/* Shared by the grammar (tp_prog_parse.c) and its calls (tp_prog_call.c). */
struct tp_parser {
	const struct tp_format *f;
	struct tp_opts opts;
	struct tp_build build;
	struct tp_lex lex;
	struct tp_tok tok;
	const struct tp_parse_var *vars; /* of statement expressions, the newest first */
	unsigned int depth;
	u32 nodes_left; /* of TP_NODES_MAX */
	struct err *err;
};

/* Set the error for `at`; returns NULL. The first message is kept. */
void *tp_parse_error(struct tp_parser *p, const char *at, const char *fmt, ...) PRINTF_LIKE(3, 4);
void tp_parse_next(struct tp_parser *p);
/* Step over the punctuation if it is there. */
bool tp_parse_take(struct tp_parser *p, u32 op);
/* The same, or an error. */
bool tp_parse_expect(struct tp_parser *p, u32 op);
const struct tp_node *tp_parse_expr(struct tp_parser *p);
/* A string literal, or several in a row, unescaped into the arena. */
bool tp_parse_string(struct tp_parser *p, const char **str, size_t *len);

static inline bool tp_parse_word(const struct tp_tok *t, const char *word)
{
	return t->kind == TP_TOK_IDENT && strlen(word) == t->len && !memcmp(t->s, word, t->len);
}

/*
 * tp_prog_call.c: the functions and macros that a print fmt may call.
 *
 * The call of `name`, whose opening parenthesis is the current token.
 */
const struct tp_node *tp_call_parse(struct tp_parser *p, const struct tp_tok *name);

/* The value of a name that old kernels left untranslated in lists; false if it is not known. */
bool tp_call_constant(const struct tp_tok *name, u64 *v);

/*
 * tp_prog_printk.c: the kernel's printf conversions (Documentation/core-api/printk-formats.rst) of bytes
 * and numbers, appended to a buf.
 */

enum tp_spec_flags {
	TP_SPEC_LEFT = 1,        /* %-d */
	TP_SPEC_ZERO = 2,        /* %0d */
	TP_SPEC_ALT = 4,         /* %#x */
	TP_SPEC_PLUS = 8,        /* %+d */
	TP_SPEC_SPACE = 16,      /* % d */
	TP_SPEC_PREC = 32,       /* there is a precision */
	TP_SPEC_STAR_WIDTH = 64, /* the width is an argument */
	TP_SPEC_STAR_PREC = 128,
};

/* One conversion, as %-8.3lx. */
struct tp_spec {
	u8 flags;
	char conv; /* d u x X o c s p */
	u16 width, prec;
};

/* Nothing foreign makes a line longer than this. */
#define TP_PUT_WIDTH_MAX 4096

/* A number, already of the type that the conversion takes: sign- or zero-extended. */
void tp_printk_number(struct buf *b, const struct tp_spec *s, u64 v);
/* Cut and pad what was appended from `start` on as %s does. */
void tp_printk_pad(struct buf *b, const struct tp_spec *s, size_t start);
void tp_printk_0x(struct buf *b, u64 v);

/* 192.168.0.1, or 192.168.000.001 */
void tp_printk_ip4(struct buf *b, const u8 a[4], bool zeros, bool reverse);
/* All 8 groups, with or without colons. */
void tp_printk_ip6(struct buf *b, const u8 a[16], bool colons);
/* RFC 5952: the longest run of zero groups becomes "::". */
void tp_printk_ip6c(struct buf *b, const u8 a[16]);

/* A struct sockaddr_in or _in6 of `n` bytes; nothing for other families. */
enum tp_sock_flags {
	TP_SOCK_PORT = 1,
	TP_SOCK_FLOW = 2,
	TP_SOCK_SCOPE = 4,
	TP_SOCK_SHORT = 8,
	TP_SOCK_REVERSE = 16,
	TP_SOCK_ZEROS = 32, /* %piS */
};
void tp_printk_sockaddr(struct buf *b, const u8 *p, size_t n, unsigned int flags);

void tp_printk_uuid(struct buf *b, const u8 u[16], bool little_endian, bool upper);
/* `sep` (0 for none) between two bytes. */
void tp_printk_hex(struct buf *b, const u8 *p, size_t n, char sep);
void tp_printk_mac(struct buf *b, const u8 p[6], char sep, bool reverse);
/* ffffffff,00000001: the bits of host longs, highest first. */
void tp_printk_bitmask(struct buf *b, const u8 *p, size_t n);
/* 0-3,8 */
void tp_printk_bitlist(struct buf *b, const u8 *p, size_t nr_bits);

/* print_hex_dump(): a new line, and then a line per `rowsize` bytes. */
struct tp_dump {
	u32 prefix, prefix_len; /* in the program's text */
	u32 prefix_type;        /* 0 none, 1 address, 2 offset */
	u32 rowsize, groupsize;
	bool ascii;
};
void tp_printk_hexdump(struct buf *b, const struct tp_dump *d, const char *prefix, const u8 *p,
		       size_t n);

/*
 * The compiled form of a print fmt: what tp_prog.c makes and tp_prog_run.c executes.
 *
 * A stack machine over 64-bit words. A word is a number, or a span of the record: offset << 32 |
 * length, always inside the record. The compiler has counted the stack; jumps only go forward.
 */

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
	TP_OP_CALL,     /* number of a system call: its name */
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
	const struct arch_syscalls *calls; /* of TP_OP_CALL */
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

/*
 * tp_prog_emit.c: operations for the arguments of a print fmt: numbers, texts, spans of the record.
 *
 * The compiler (tp_prog.c) walks the conversions of the format and asks here for the argument of
 * each. All return false (or NULL) with `err` set when it cannot be compiled.
 */

struct tp_compiler {
	struct tp_prog *prog;
	struct tp_parsed parsed;
	struct tp_build build;
	u32 long_bits;
	u32 next_arg;
	size_t at;        /* in the format string, of the conversion at hand */
	size_t text_from; /* literal text not yet in an op */
	unsigned int depth, stack;
	struct err *err;
};

bool tp_emit_fail(struct tp_compiler *c, const char *what);

/* tp_prog.c: an empty program, whose text is never a null pointer; NULL: err. */
struct tp_prog *tp_prog_new(const struct tp_format *f, bool compat, struct err *err);
/* The program if it could be made; else it is freed: NULL, and c->err. */
struct tp_prog *tp_prog_take(struct tp_compiler *c, bool ok);

struct tp_op *tp_emit(struct tp_compiler *c, enum tp_opcode code);
/* Account for one more word on the stack. */
struct tp_op *tp_emit_push(struct tp_compiler *c, enum tp_opcode code);
/* An output operation, after which the conversion's operands are gone. */
struct tp_op *tp_emit_out(struct tp_compiler *c, enum tp_opcode code, unsigned int pops,
			  const struct tp_spec *s);
/* Turn the literal text collected since the last op into an op of its own. */
bool tp_emit_flush(struct tp_compiler *c);

/* Push the value of an expression; where a field lies; a constant. */
bool tp_emit_num(struct tp_compiler *c, const struct tp_node *n);
bool tp_emit_span(struct tp_compiler *c, const struct tp_node *n);
bool tp_emit_const(struct tp_compiler *c, u64 v);
/* Print an expression that is a text (%s); nothing at all, but with the width it would take. */
bool tp_emit_text(struct tp_compiler *c, const struct tp_node *n, const struct tp_spec *s);
void tp_emit_nothing(struct tp_compiler *c, const struct tp_spec *s);
/* Has the conversion neither width nor precision? */
bool tp_emit_is_plain(const struct tp_spec *s);

#endif
