// SPDX-License-Identifier: GPL-2.0
#include "util/probe/probe_part.h"

#include <string.h>

#include "util/probe/probe_internal.h"

static bool add_field(struct probe_part *part, const struct probe *p, u32 field)
{
	const struct probe_field *from = &p->fields.v[field];
	const u32 align = from->size >= 8 ? 8 : from->size >= 4 ? 4 : from->size >= 2 ? 2 : 1;
	struct probe_field *to = vec_push(&part->fields.fields);

	if (!to)
		return false;
	*to = *from;
	to->offset = ALIGN_UP(part->end, align);
	part->end = to->offset + to->size;
	part->of[part->fields.fields.nr - 1] = field;
	part->at[part->fields.fields.nr - 1] = from->offset;
	return true;
}

/* The fields of a packet are all there, or none is. */
static u64 with_followers(const struct probe *p, u64 fields)
{
	u32 i, first = 0, j;

	for (i = 0; i < p->fields.nr; i++) {
		if (p->fields.v[i].what != PROBE_WITH)
			first = i;
		if (!(fields >> i & 1))
			continue;
		fields |= 1ull << first;
		for (j = first + 1; j < p->fields.nr && p->fields.v[j].what == PROBE_WITH; j++)
			fields |= 1ull << j;
	}
	return fields;
}

bool probe_part_init(struct probe_part *part, const struct probe *p, u64 fields, u32 at)
{
	const u64 all = with_followers(p, fields);
	u32 i;

	part->fields = (struct probe){.tracepoint = p->tracepoint, .id = p->id, .user = p->user};
	part->unread_at = at;
	part->end = at + (u32)sizeof(u32);
	for (i = 0; i < p->fields.nr; i++)
		if (all >> i & 1 && !add_field(part, p, i))
			return false;
	part->fields.size = part->end;
	return true;
}

void probe_part_code(const struct probe_part *part, const struct btf *b, u32 size,
		     struct bpf_code *code)
{
	/* what lies between fields, too */
	probe_clear(code, part->unread_at, size - part->unread_at);
	bpf_code_number(code, R_UNREAD, 0);
	probe_put_fields(code, &part->fields, b);
	bpf_code_store(code, 4, R_RECORD, (s32)part->unread_at, R_UNREAD);
}

void probe_part_raw(const struct probe_part *part, const u8 *memory, u8 *raw, u32 size)
{
	const struct probe_field *from;
	u32 i, unread = 0, all = 0, at;

	memset(raw, 0, size);
	if (!part->fields.fields.nr)
		return;
	memcpy(&unread, memory + part->unread_at, sizeof(unread));
	for (i = 0; i < part->fields.fields.nr; i++) {
		from = &part->fields.fields.v[i];
		at = part->at[i];
		if (at + from->size <= size)
			memcpy(raw + at, memory + from->offset, from->size);
		all |= (unread >> i & 1) << part->of[i];
	}
	if (part->has_unread && size >= PROBE_UNREAD_AT + sizeof(all))
		memcpy(raw + PROBE_UNREAD_AT, &all, sizeof(all));
}

void probe_part_free(struct probe_part *part)
{
	probe_free(&part->fields);
}

/* --- numbers --- */

static s32 number_at(const struct probe_numbers *n, u32 field)
{
	return (s32)(n->at + field * sizeof(u64));
}

static s32 lacking_at(const struct probe_numbers *n, u32 field)
{
	return number_at(n, PROBE_FIELDS_MAX + field);
}

void probe_numbers_code(const struct probe_numbers *n, const struct probe *p, struct bpf_code *code)
{
	struct expr_code x = probe_expr(code, p, 0);
	u32 i;

	for (i = 0; i < p->fields.nr; i++) {
		if (!(n->fields >> i & 1))
			continue;
		x.unread = bpf_code_label(code);
		bpf_code_store_number(code, 8, R_RECORD, lacking_at(n, i), 1);
		probe_number(&x, &p->fields.v[i]);
		bpf_code_store(code, 8, R_RECORD, number_at(n, i), R0);
		bpf_code_store_number(code, 8, R_RECORD, lacking_at(n, i), 0);
		bpf_code_here(code, x.unread);
	}
}

void probe_numbers_get(const struct probe_numbers *n, const struct probe *p, u32 field,
		       struct bpf_code *code, u32 end)
{
	struct expr_code x = probe_expr(code, p, end);

	if (!n || !(n->fields >> field & 1)) {
		probe_number(&x, &p->fields.v[field]);
		return;
	}
	bpf_code_load(code, 8, R0, R_RECORD, lacking_at(n, field));
	bpf_code_jump(code, BPF_JNE, R0, 0, end);
	bpf_code_load(code, 8, R0, R_RECORD, number_at(n, field));
}

/* --- tests --- */

static u32 label_of(u32 number, const u32 *labels, u32 pass, u32 fail)
{
	return number == PROBE_TEST_PASS ? pass : number == PROBE_TEST_FAIL ? fail : labels[number];
}

void probe_test_code(struct bpf_code *code, const struct probe *p, const struct probe_numbers *n,
		     const struct probe_test *tests, u32 nr, u32 end)
{
	static const u8 jumps[][2] = {
		[PROBE_TEST_EQ] = {BPF_JEQ, BPF_JEQ},     [PROBE_TEST_NE] = {BPF_JNE, BPF_JNE},
		[PROBE_TEST_LT] = {BPF_JLT, BPF_JSLT},    [PROBE_TEST_LE] = {BPF_JLE, BPF_JSLE},
		[PROBE_TEST_GT] = {BPF_JGT, BPF_JSGT},    [PROBE_TEST_GE] = {BPF_JGE, BPF_JSGE},
		[PROBE_TEST_BITS] = {BPF_JSET, BPF_JSET},
	};
	const u32 pass = bpf_code_label(code);
	u32 labels[PROBE_TESTS_MAX], i;

	for (i = 0; i < nr; i++)
		labels[i] = bpf_code_label(code);
	for (i = 0; i < nr; i++) {
		const struct probe_test *t = &tests[i];

		bpf_code_here(code, labels[i]);
		probe_numbers_get(n, p, t->field, code,
				  label_of(t->lacking ? t->yes : t->no, labels, pass, end));
		bpf_code_number(code, R1, t->number);
		bpf_code_jump_reg(code, jumps[t->op][p->fields.v[t->field].is_signed], R0, R1,
				  label_of(t->yes, labels, pass, end));
		bpf_code_jump(code, BPF_JA, R0, 0, label_of(t->no, labels, pass, end));
	}
	bpf_code_here(code, pass);
}
