// SPDX-License-Identifier: GPL-2.0
/* Arguments of a program, as a process passes them to execve(2): texts behind pointers, of which the last one is NULL. */
#include "util/probe/probe_internal.h"

#define ARGUMENTS 32u

/* In the stack: where the pointers are, and the text. */
#define VECTOR (PROBE_STACK - 8)
#define TEXT   (PROBE_STACK - 16)

struct argv {
	struct expr_code x; /* leads to where all is unread */
	struct probe_text text;
	u32 cut, end;
};

/* R0 = pointer number n; none: the end. */
static void read_pointer(struct argv *k, u32 n, u32 unread)
{
	struct expr_code x = k->x;

	x.unread = unread;
	bpf_code_load(x.code, 8, R0, R10, VECTOR);
	bpf_code_alu_number(x.code, BPF_ADD, R0, (s32)(n * sizeof(u64)));
	expr_code_read(&x, sizeof(u64));
	bpf_code_jump(x.code, BPF_JEQ, R0, 0, k->end);
}

/* What has filled the text up may have ended there: TEXT is behind what was read of it. */
static void check_end(struct argv *k, u32 next)
{
	struct expr_code x = k->x;

	x.unread = k->cut;
	bpf_code_jump(x.code, BPF_JLT, R8, (s32)k->text.room, next);
	bpf_code_load(x.code, 8, R0, R10, TEXT);
	expr_code_read(&x, 1);
	bpf_code_jump(x.code, BPF_JNE, R0, 0, k->cut);
}

static void put_argument(struct argv *k, u32 n)
{
	struct bpf_code *c = k->x.code;
	const u32 next = bpf_code_label(c), unread = n ? k->cut : k->x.unread;

	read_pointer(k, n, unread);
	bpf_code_store(c, 8, R10, TEXT, R0);
	if (n)
		probe_text_char(&k->text, ' ', k->cut);
	bpf_code_load(c, 8, R0, R10, TEXT);
	probe_text_add(&k->text, true, unread, k->cut);
	bpf_code_load(c, 8, R1, R10, TEXT);
	bpf_code_alu(c, BPF_ADD, R1, R0);
	bpf_code_store(c, 8, R10, TEXT, R1);
	check_end(k, next);
	bpf_code_here(c, next);
}

bool probe_argv(struct bpf_code *c, const struct probe *p, const struct btf *b, u32 field)
{
	const struct probe_field *f = &p->fields.v[field];
	struct expr_code value = probe_expr(c, p, bpf_code_label(c));
	struct argv k = {.x = {.code = c, .unread = value.unread, .user = true},
			 .text = {.code = c, .at = f->offset, .room = f->size - 1 - PROBE_TEXT_CUT},
			 .cut = bpf_code_label(c),
			 .end = bpf_code_label(c)};
	u32 n;

	(void)b;
	probe_clear(c, f->offset, f->size);
	expr_code_value(&value, f->e);
	bpf_code_store(c, 8, R10, VECTOR, R0);
	bpf_code_number(c, R8, 0);
	for (n = 0; n < ARGUMENTS; n++)
		put_argument(&k, n);
	read_pointer(&k, n, k.cut);
	bpf_code_here(c, k.cut);
	/* the verifier does not know from where it came here */
	bpf_code_jump(c, BPF_JGT, R8, (s32)k.text.room, k.end);
	probe_text_mark(&k.text);
	bpf_code_jump(c, BPF_JA, R0, 0, k.end);
	bpf_code_here(c, k.x.unread);
	probe_unread(c, p, field);
	bpf_code_here(c, k.end);
	return true;
}

void probe_argv_touch(struct expr_code *x, const struct probe_field *f)
{
	struct bpf_code *c = x->code;
	u32 n;

	expr_code_value(x, f->e);
	bpf_code_move(c, R8, R0);
	for (n = 0; n < ARGUMENTS; n++) {
		bpf_code_move(c, R0, R8);
		bpf_code_alu_number(c, BPF_ADD, R0, (s32)(n * sizeof(u64)));
		expr_code_read(x, sizeof(u64));
		expr_code_read(x, 1);
	}
}
