// SPDX-License-Identifier: GPL-2.0
/* A text that is put together from several: the kernel's verifier must see that it stays in the record. */
#include "util/probe/probe_internal.h"

/* R1 = where the next byte goes. */
static void find_end(const struct probe_text *t)
{
	bpf_code_move(t->code, R1, R_RECORD);
	bpf_code_alu_number(t->code, BPF_ADD, R1, (s32)t->at);
	bpf_code_alu(t->code, BPF_ADD, R1, R8);
}

void probe_text_char(struct probe_text *t, char ch, u32 full)
{
	bpf_code_jump(t->code, BPF_JGE, R8, (s32)t->room, full);
	find_end(t);
	bpf_code_store_number(t->code, 1, R1, 0, ch);
	bpf_code_alu_number(t->code, BPF_ADD, R8, 1);
}

void probe_text_add(struct probe_text *t, bool user, u32 unread, u32 full)
{
	struct bpf_code *c = t->code;

	bpf_code_jump(c, BPF_JGE, R8, (s32)t->room, full);
	bpf_code_move(c, R3, R0);
	bpf_code_number(c, R2, t->room + 1);
	bpf_code_alu(c, BPF_SUB, R2, R8);
	find_end(t);
	bpf_code_call(c, user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
	bpf_code_jump(c, BPF_JSLE, R0, 0, unread);
	bpf_code_alu_number(c, BPF_SUB, R0, 1);
	bpf_code_alu(c, BPF_ADD, R8, R0);
}

void probe_text_mark(struct probe_text *t)
{
	s32 i;

	find_end(t);
	for (i = 0; i < PROBE_TEXT_CUT; i++)
		bpf_code_store_number(t->code, 1, R1, i, '.');
}
