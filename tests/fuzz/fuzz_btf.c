// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_btf.c - any bytes as the types of a kernel: every type as C, and every name found again.
 */
#include <stdlib.h>
#include <string.h>

#include "util/btf/btf.h"
#include "util/btf/drop_reasons.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* The same types once more, behind those of a kernel, and the names of drop reasons among both. */
static void as_module(const struct btf *kernel, const u8 *data, size_t size)
{
	struct drop_reasons r = {0};
	struct btf_type t, own;
	struct btf module;
	u32 id, before = btf_last(kernel);

	if (btf_init(&module, kernel, data, size, NULL))
		abort();
	for (id = 1; id <= MIN(before, 100u); id++) {
		t = btf_type(&module, id);
		own = btf_type(&module, before + id);
		if (t.id != id || own.id != before + id || own.kind != t.kind)
			abort();
	}
	drop_reasons_add(&r, kernel, NULL);
	drop_reasons_add(&r, &module, NULL);
	drop_reasons_name(&r, 0x20001);
	drop_reasons_subsystem(&r, 0x20001);
	drop_reasons_free(&r);
	btf_free(&module);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct buf text = {0};
	struct btf_type t, u;
	struct btf b;
	u32 id, plain;

	if (btf_init(&b, NULL, data, size, NULL))
		return 0;
	for (id = 0; id <= b.at.nr + 1; id++) {
		t = btf_type(&b, id);
		btf_text_define(&b, id, &text);
		btf_text_tracepoint(&b, t.name, &text);
		btf_size(&b, id);
		buf_clear(&text);
	}
	for (id = 1; id <= MIN(b.at.nr, 100u); id++) {
		t = btf_type(&b, id);
		plain = btf_find(&b, t.kind, t.name);
		u = btf_type(&b, plain);
		if (!plain || plain > id || strcmp(t.name, u.name) != 0)
			abort();
	}
	if (btf_index(&b)) {
		for (id = 1; id <= MIN(b.at.nr, 100u); id++) {
			t = btf_type(&b, id);
			u = btf_type(&b, btf_find(&b, t.kind, t.name));
			if (strcmp(t.name, u.name) != 0 || u.id > id)
				abort();
		}
	}
	as_module(&b, data, size);
	buf_free(&text);
	btf_free(&b);
	return 0;
}
