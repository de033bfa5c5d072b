// SPDX-License-Identifier: GPL-2.0
/* One call chain of two: what was unwound, and what frame pointers told the kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/unwind/unwind.h"

#define END(why) (CHAIN_END + CHAIN_##why)

#define WORDS(...) (const u64[]){__VA_ARGS__}, ARRAY_SIZE(((const u64[]){__VA_ARGS__}))

static void check(const u64 *unwound, u32 nr, const u64 *frames, u32 nr_frames, const u64 *want,
		  u32 nr_want)
{
	u64 out[64];
	u32 i, got = unwind_merge_chains(unwound, nr, frames, nr_frames, out, ARRAY_SIZE(out));

	for (i = 0; i < MIN(got, nr_want); i++)
		if (out[i] != want[i])
			fail_msg("word %u is %llx, not %llx", i, (unsigned long long)out[i],
				 (unsigned long long)want[i]);
	assert_int_equal(got, nr_want);
}

static void complete(void **state)
{
	(void)state;
	/* what was unwound to its end is not touched, whatever the kernel has */
	check(WORDS(1, 2, 3, END(ROOT)), WORDS(1, 2, 3, 4), WORDS(1, 2, 3, END(ROOT)));
	check(WORDS(1, 2, 3, END(LIMIT)), WORDS(1, 2, 3, 4), WORDS(1, 2, 3, END(LIMIT)));
	check(WORDS(1, CHAIN_SIGNAL, 2, END(ROOT)), WORDS(1, 3),
	      WORDS(1, CHAIN_SIGNAL, 2, END(ROOT)));
}

static void goes_on(void **state)
{
	(void)state;
	check(WORDS(1, 2, 3, END(CUT)), WORDS(1, 2, 3, 4, 5), WORDS(1, 2, 3, 4, 5));
	/* the kernel missed the caller of a leaf, and the last that was unwound */
	check(WORDS(1, 2, 3, END(CUT)), WORDS(1, 3, 4), WORDS(1, 2, 3, 4));
	check(WORDS(1, 2, 3, END(CUT)), WORDS(1, 2, 4), WORDS(1, 2, 3, 4));
	check(WORDS(1, 2, END(NO_CFI)), WORDS(1, 2, 3), WORDS(1, 2, 3));
	check(WORDS(1, END(NO_FILE)), WORDS(1, 2, 3), WORDS(1, 2, 3));
	/* recursion: each address of the kernel's is of one frame only */
	check(WORDS(1, 7, 7, 7, END(CUT)), WORDS(1, 7, 7, 7, 7, 7, 9), WORDS(1, 7, 7, 7, 7, 7, 9));
	check(WORDS(1, 8, 7, 8, 7, END(CUT)), WORDS(1, 7, 8, 7, 8, 9), WORDS(1, 8, 7, 8, 7, 8, 9));
}

static void does_not(void **state)
{
	u64 four[4];

	(void)state;
	/* nothing behind it */
	check(WORDS(1, 2, END(CUT)), WORDS(1, 2), WORDS(1, 2, END(CUT)));
	check(WORDS(1, 2, END(CUT)), NULL, 0, WORDS(1, 2, END(CUT)));
	/* they parted long before, or never met */
	check(WORDS(1, 2, 3, 4, END(CUT)), WORDS(1, 2, 9, 8), WORDS(1, 2, 3, 4, END(CUT)));
	check(WORDS(1, 2, END(CUT)), WORDS(5, 6), WORDS(1, 2, END(CUT)));
	/* no more room than there is */
	assert_int_equal(unwind_merge_chains(WORDS(1, 2, END(CUT)), WORDS(1, 2, 3, 4, 5), four, 4),
			 4);
	assert_int_equal(four[3], 4);
}

static void guessed(void **state)
{
	(void)state;
	/* the kernel's in place of guesses, up to where both are certain */
	check(WORDS(1, 2, CHAIN_GUESSED, 90, 91, CHAIN_CERTAIN, 6, 7, END(ROOT)),
	      WORDS(1, 2, 3, 4, 6, 7), WORDS(1, 2, 3, 4, 6, 7, END(ROOT)));
	/* and to the end where no unwinding led back */
	check(WORDS(1, 2, CHAIN_GUESSED, 90, 91, END(NO_CFI)), WORDS(1, 2, 3, 4),
	      WORDS(1, 2, 3, 4));
	/* not where the kernel knows nothing of it */
	check(WORDS(1, 2, CHAIN_GUESSED, 90, CHAIN_CERTAIN, 6, END(ROOT)), WORDS(1, 2),
	      WORDS(1, 2, CHAIN_GUESSED, 90, CHAIN_CERTAIN, 6, END(ROOT)));
	check(WORDS(1, 2, CHAIN_GUESSED, 90, CHAIN_CERTAIN, 6, END(ROOT)), WORDS(1, 2, 3, 4),
	      WORDS(1, 2, CHAIN_GUESSED, 90, CHAIN_CERTAIN, 6, END(ROOT)));
	/* a leaf's caller that was guessed, and the kernel left out */
	check(WORDS(CHAIN_GUESSED, 1, CHAIN_CERTAIN, 2, END(ROOT)), WORDS(1, 2),
	      WORDS(CHAIN_GUESSED, 1, CHAIN_CERTAIN, 2, END(ROOT)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(complete),
		cmocka_unit_test(goes_on),
		cmocka_unit_test(does_not),
		cmocka_unit_test(guessed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("merge_chains", tests, NULL, NULL);
}
