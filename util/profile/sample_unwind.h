/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sample_unwind.h - samples that hold registers and a copy of their stack get the call chain unwound
 * from these: the kernel's half as it was recorded, PERF_CONTEXT_USER, the unwound half.
 *
 * Stacks of a machine of the other byte order are not unwound: unwind information, files and words of
 * stacks would all have to be read the other way, by an unwinder that is fast for what it needs not do.
 * Such chains end with CHAIN_NO_UNWIND; unwound where they were recorded they are whole.
 *
 * On arm64 perf records the link register beside chains of frame pointers: a function that calls none
 * makes no frame, so that its caller is missing in the chain. It is added where unwind information says
 * that the return address has not left the register. So it is at a probe where a function begins, from the top of the stack.
 *
 * Takes samples in order of time, while the process model is as it was at theirs. A chain that was
 * unwound when it was recorded is kept, unless that failed or `again` asks for it.
 */
#ifndef PROFILE_SAMPLE_UNWIND_H
#define PROFILE_SAMPLE_UNWIND_H

#include "util/process/process.h"
#include "util/record/sample_layout.h"
#include "util/symbol/dso_file.h"
#include "util/unwind/unwind.h"

struct sample_unwind {
	const struct dso_file_options *files; /* where the images of DSOs are looked for */
	const struct process_model *model;
	struct unwinder *unwinder;
	bool again, last_word_missing, foreign;
	u64 nr_foreign; /* samples that were not unwound for that */
	struct {
		u64 *v;
		u32 nr, cap;
	} chain; /* of the newest sample */
};

struct sample_unwind_options {
	enum unwind_engine engine;
	bool again;
	bool last_word_missing; /* as perf, the last word of a copy is not looked at */
	bool foreign; /* stacks and files are of the other byte order: they are not unwound, and counted */
	const struct arch *arch;
	const struct dso_file_options *files; /* the caller's */
};

int sample_unwind_init(struct sample_unwind *u, const struct sample_unwind_options *o,
		       const struct process_model *model, struct err *err);
void sample_unwind_free(struct sample_unwind *u);

/* Replace s->chain where unwinding finds more; what it points to lives until the next call. */
int sample_unwind_chain(struct sample_unwind *u, const struct thread *t, struct sample *s,
			struct err *err);

#endif
