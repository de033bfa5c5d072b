// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_btf.c - any bytes as the types of a kernel: every type as C, and every name found again.
 */
#include <stdlib.h>
#include <string.h>

#include "util/btf/btf_text.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct buf text = {0};
	struct btf_type t, u;
	struct btf b;
	u32 id, plain;

	if (btf_init(&b, data, size, NULL))
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
	buf_free(&text);
	btf_free(&b);
	return 0;
}
