// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_probe.c - lists of expressions, a line each, over a kernel made here: what is read has a format that can be read, and a
 * program. Each is tried as the arguments of a static probe, too.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/made_btf.h"
#include "util/probe/probe.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check(const struct probe *p, const struct btf *b)
{
	const struct probe_program how = {.by_thread = true};
	struct buf format = {0};
	struct bpf_code code;
	struct tp_format *f;
	u32 i;

	probe_format(p, &format);
	f = tp_format_parse(format.data, format.len, NULL);
	if (!f)
		abort();
	for (i = 0; i < f->nr_fields; i++)
		if (f->fields[i].offset + f->fields[i].size > p->size)
			abort();
	if (!probe_code(p, b, &how, &code, NULL)) {
		for (i = 0; i < code.insns.nr; i++)
			if (code.insns.v[i].off < -512 && code.insns.v[i].dst_reg == BPF_REG_10)
				abort();
		bpf_code_free(&code);
	}
	tp_format_free(f);
	buf_free(&format);
}

/* The line as what a static probe's note says of its arguments: each that is understood can be read. */
static void check_static(const char *line, const struct btf *b, const struct arch *arch)
{
	struct arena arena = {0};
	struct arguments all = {.arena = &arena};
	struct probe_source from = {
		.btf = b, .name = "x", .arena = &arena, .arguments = &all, .user = true};
	const char *p = "*)", *wrong;
	const struct probe_program how = {.by_thread = true, .preempted = true};
	struct err err = {0};
	struct bpf_code code;
	struct probe probe;

	if (arguments_usdt(&all, arch->call, line, &err) ||
	    arguments_registers(&all, arch->call, false, &err))
		abort();
	if (all.v.nr < PROBE_FIELDS_MAX) {
		probe_parse(&probe, &from, &p, &wrong, &err);
		probe.id = 65535;
		if (!err.code) {
			check(&probe, b);
			if (probe_fault_code(&probe, &how, &code))
				bpf_code_free(&code);
		}
		probe_free(&probe);
	}
	arguments_free(&all);
	arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = strndup((const char *)data, size), *line, *save;
	struct arena arena = {0};
	const char *p, *wrong;
	struct made made;
	struct probe probe;
	struct err err;
	int ret;

	begin(&made);
	add_kernel(&made);
	if (!text || finish(&made, NULL))
		abort();
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct probe_source from = {.btf = &made.b, .name = "kfree_skb", .arena = &arena};

		p = line;
		err = (struct err){0};
		ret = probe_parse(&probe, &from, &p, &wrong, &err);
		probe.id = 65535;
		if (!ret)
			check(&probe, &made.b);
		else if (ret != -err.code || wrong < line || wrong > line + strlen(line) ||
			 p < line || p > line + strlen(line))
			abort();
		probe_free(&probe);
		check_static(line, &made.b, &arch_x86_64);
		check_static(line, &made.b, &arch_arm64);
	}
	free(text);
	arena_free(&arena);
	end(&made);
	return 0;
}
