// SPDX-License-Identifier: GPL-2.0
/* Sections of a perf.data header that no recording of the other tests has, or that nobody writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/file/perfdata_abi.h"
#include "util/format/header_text.h"

static void put_node(struct buf *b, u64 node, u64 words, u64 word)
{
	buf_u64(b, node);
	buf_u64(b, words * 64);
	buf_u64(b, words * 64);
	for (; words; words--)
		buf_u64(b, word);
}

/* What is printed of the memory of two nodes, the first with so many words of blocks. */
static void memory_of(u64 words, u64 word, struct buf *out)
{
	struct recording r = {0};
	struct buf b = {0};

	buf_u64(&b, 1);
	buf_u64(&b, 1 << 20);
	buf_u64(&b, 2);
	put_node(&b, 0, words, word);
	put_node(&b, 1, 1, 0xf00000000000000f);
	assert_int_equal(recording_add_section(&r, PERFDATA_FEATURE_MEM_TOPOLOGY, b.data, b.len),
			 0);
	buf_clear(out);
	header_text(&r, "/nonexistent", true, out);
	assert_false(out->failed);
	buf_free(&b);
	recording_free(&r);
}

static void memory(void **state)
{
	struct buf out = {0};

	(void)state;
	memory_of(1, 0x5ff, &out);
	assert_non_null(strstr(buf_str(&out), "# memory nodes (nr 2, block size 0x100000):\n"
					      "#    0 [10M]: 0-8,10\n"
					      "#    1 [8M]: 0-3,60-63\n"));
	/* every second block: more names than a machine has spans; the sizes are right */
	memory_of(4096, 0x5555555555555555, &out);
	assert_non_null(strstr(buf_str(&out), "#    0 [128G]: 0,2,4,"));
	assert_non_null(strstr(buf_str(&out), ",131070,...\n#    1 [8M]: \n"));
	assert_true(out.len < 1 << 20);
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(memory)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
