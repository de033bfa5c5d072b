// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_branch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

static const struct {
	const char *name;
	u64 bits;
} words[] = {
	{"no", 0},
	{"u", PERF_SAMPLE_BRANCH_USER},
	{"k", PERF_SAMPLE_BRANCH_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV},
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"call", PERF_SAMPLE_BRANCH_CALL},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
	{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
	{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
	{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX},
};

#define PRIVILEGES (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

int ev_branch_parse(const char *text, u64 *bits, const char **unknown)
{
	const char *p = text;
	size_t len, i;

	for (*bits = 0;; p += len + 1) {
		len = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (strlen(words[i].name) == len && !memcmp(words[i].name, p, len))
				break;
		*unknown = p;
		if (i == ARRAY_SIZE(words))
			return -EINVAL;
		*bits |= words[i].bits;
		if (!p[len])
			break;
	}
	if (*bits && !(*bits & ~(u64)PRIVILEGES))
		*bits |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

void ev_branch_words(struct buf *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		buf_addf(b, "%s%s", i ? " " : "", words[i].name);
}
