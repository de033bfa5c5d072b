/* SPDX-License-Identifier: GPL-2.0 */
/* probe_internal.h - what the pages of probe.h share. */
#ifndef PROBE_PROBE_INTERNAL_H
#define PROBE_PROBE_INTERNAL_H

#include "util/probe/probe.h"
#include "util/probe/probe_sum.h"

/* probe.c: reading a list of expressions. Errors are in the parser, with the place. */

struct probe_parser {
	struct probe *probe;
	const struct probe_source *from;
	struct expr_scope scope;
	const char *p;
	u32 together; /* of readers that make fields of their own names: bits of those that have been */
	struct err *err;
};

/* Something is wrong there, which the parser's error says: a negative code. */
int probe_wrong(struct probe_parser *p, const char *at);
/* Behind blanks: the next byte; is it c, which is skipped then? */
char probe_peek(struct probe_parser *p);
bool probe_take(struct probe_parser *p, char c);
/* The length of the name there; 0: there is none. */
size_t probe_word(const char *s);
/* A field of that name, which is typed at `at`; NULL: there cannot be. */
struct probe_field *probe_add_field(struct probe_parser *p, const char *name, const char *at);
/* Give the field its place in the record. */
int probe_place(struct probe_parser *p, struct probe_field *f, u32 size, u32 align, const char *at);
/* Make it a number in a form, or bytes, or a text, and give it its place. */
int probe_number_field(struct probe_parser *p, struct probe_field *f, const struct expr *e,
		       const char *form, const char *at);
int probe_bytes_field(struct probe_parser *p, struct probe_field *f, const struct expr *e, u32 size,
		      const char *at);
int probe_text_field(struct probe_parser *p, struct probe_field *f, const struct expr *e, u32 size,
		     const char *at);
/* The last name of an expression, if that ends with one: of what it is. NULL: an error. */
const char *probe_name_of(struct probe_parser *p, const char *from, const char *to);

/* probe_readers.c: READER(x, ...). */
struct probe_reader;
/* The one whose name and "(" are there; NULL: none. */
const struct probe_reader *probe_reader_at(const char *s);
/* Is a word with a parenthesis there that is none? Then it is wrong. */
int probe_reader_check(struct probe_parser *p);
/* Read it, and add its fields; name NULL: it was given none. */
int probe_reader_parse(struct probe_parser *p, const struct probe_reader *reader, const char *name);

/* --- instructions --- */

/* Registers, beside those of expr.h. */
enum { R0, R1, R2, R3, R4, R5, R6, R_RECORD, R8, R_UNREAD, R10 };

/* In the stack, below what expr_code.c uses. */
#define PROBE_KEY   (-EXPR_CODE_STACK - 8) /* u32: the key of a map */
#define PROBE_STACK (PROBE_KEY - 8)
/* Readers use the stack down to here. */
#define PROBE_READ_STACK (PROBE_STACK - 80)

/* How expressions of the probe are worked out: its memory is the process's, or the kernel's. */
static inline struct expr_code probe_expr(struct bpf_code *c, const struct probe *p, u32 unread)
{
	return (struct expr_code){.code = c, .unread = unread, .user = p->user};
}

/* R0 = where the map has the value of the u32 at PROBE_KEY, 0: it has none. */
void probe_look_up(struct bpf_code *c, u32 map);
/* R0 = the value of the key 0; to `none` if there is none. */
void probe_find_first(struct bpf_code *c, u32 map, u32 none);
/* R0 = where the bytes are that an expression is of: of a place its address, else its value. */
void probe_find_bytes(struct expr_code *x, const struct expr *e);
/* Copy bytes at the address R0 to register `to` + `at`; to `x->unread` if they cannot be read. */
void probe_copy(struct expr_code *x, u8 to, s32 at, u32 size);
/* The field is not there: its bit is set, its bytes are zeros. */
void probe_unread(struct bpf_code *c, const struct probe *p, u32 field);
/* Zeros into the record. */
void probe_clear(struct bpf_code *c, u32 offset, u32 size);
/* R0 = the number of a field. */
void probe_number(struct expr_code *x, const struct probe_field *f);
/* The name of who runs, whose tid R8 ends with, into the record. Idle tasks of all CPUs have one name, as in samples. */
void probe_put_comm(struct bpf_code *c, u32 at);
/* The u64 at R0 + `at` += R2, also where others take the CPU meanwhile. */
void probe_add_to(struct bpf_code *c, s32 at, bool preempted);

/*
 * R_RECORD = a record of this CPU that no other program is making; to `lost` if all are being made: R_RECORD is one of them. Then the
 * record at R_RECORD + `at` is made; or, counted at R_RECORD, a hit has got none, or could not be written.
 */
void probe_claim_record(struct bpf_code *c, const struct probe *p, const struct probe_program *how,
			u32 lost, u32 end);
void probe_leave_record(struct bpf_code *c, s32 at);
void probe_count_lost(struct bpf_code *c);

/* All fields into the record, and into R_UNREAD a bit for each that cannot be read. */
void probe_put_fields(struct bpf_code *c, const struct probe *p, const struct btf *b);
/* A hit of which nothing is done: to `end`. R6 is what the program is given. */
void probe_choose_hit(struct bpf_code *c, const struct probe *p, u32 end);
/* The end of a program, which returns 0. False: it cannot be made, and is freed. */
bool probe_finish(struct bpf_code *c, u32 end);
/* The same; -E2BIG: too many jumps or numbers for these `what`, e.g. "fields". */
int probe_end(struct bpf_code *c, u32 end, const struct probe *p, const char *what,
	      struct err *err);
/* It runs on a CPU that is not wanted: to `end`. */
void probe_choose_cpu(struct bpf_code *c, const struct probe_program *how, u32 end);
/* Who runs is no target, or is left out: to `end`. R8 = its pid and, in the lower half, its tid. */
void probe_choose_thread(struct bpf_code *c, const struct probe_program *how, u32 end);

/* probe_sum.c: where the program has what it adds up. */
struct probe_sum_place {
	const struct probe_sum *sum;
	struct bpf_code *code;
	u32 outer, zeros; /* maps, by number: ARRAY_OF_MAPS of one; ARRAY of one value, all zeros */
	s32 hash_at;      /* in the stack, 8 bytes */
	s32 key_at;       /* at R_RECORD */
	bool preempted;   /* as in struct probe_program */
};

/* The hash, to hash_at; to `end` if there is none. */
void probe_sum_find_hash(const struct probe_sum_place *p, u32 end);
/* R0 = the value of the key on this CPU, which is all zeros if it is new. To `no_room` if there is none for it. */
void probe_sum_find_value(const struct probe_sum_place *p, u32 no_room);
/*
 * A hit with a number R1 in the value at R0: may it be the least and the most, to `busy` if others who take the CPU are in the way;
 * then the hit, which is all of one without; then the number.
 */
void probe_sum_ends(const struct probe_sum_place *p, u32 busy);
void probe_sum_hit(const struct probe_sum_place *p);
void probe_sum_number(const struct probe_sum_place *p);

/* probe_flow.c: fill in the fields of a packet, of which number `field` is the first. False: the kernel's types are others. */
bool probe_flow(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field);
/* Likewise of the packet that it carries through a tunnel. */
bool probe_inner(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field);
/* probe_flow_socket.c: likewise of a socket. */
bool probe_flow_socket(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field);
/* probe_packet.c: the same for the fields of packet(). */
bool probe_packet(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field);
/* probe_path.c, probe_argv.c, probe_sockaddr.c: likewise of path(), argv(), sockaddr(). */
bool probe_path(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field);
bool probe_argv(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field);
bool probe_sockaddr(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field);
/* Of probe_fault_code(): read the first byte of each argument. */
void probe_argv_touch(struct expr_code *x, const struct probe_field *f);

/*
 * probe_text.c: a text in a field of zeros that is put together. R8 = how much of it there is; labels: it is full, what is
 * added cannot be read.
 */
struct probe_text {
	struct bpf_code *code;
	u32 at, room; /* in the record; bytes, without the NUL and a mark at its end */
};
#define PROBE_TEXT_CUT 3 /* bytes of the mark "..." */

static inline bool probe_is_long_text(const struct probe_field *f)
{
	return f->what == PROBE_PATH || f->what == PROBE_PATH_DENTRY || f->what == PROBE_ARGV;
}

void probe_text_char(struct probe_text *t, char ch, u32 full);
/* The text at the address R0, as far as there is room. R0 = its length. */
void probe_text_add(struct probe_text *t, bool user, u32 unread, u32 full);
/* "..." */
void probe_text_mark(struct probe_text *t);

#endif
