// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "util/base/num.h"
#include "util/process/quality.h"
#include "util/profile/stack_quality.h"

#define PERCENT 1000000000ull /* as num_time() reads decimals */

int script_quality_limit(struct script_quality *q, const char *share, struct err *err)
{
	size_t len = strlen(share);
	char text[32];
	u64 limit;

	if (len && share[len - 1] == '%')
		len--;
	if (len >= sizeof(text))
		len = 0;
	memcpy(text, share, len);
	text[len] = '\0';
	if (!len || !num_time(text, &limit) || limit > 100 * PERCENT) {
		err_set(err, EINVAL, "--strict: '%s' is no share", share);
		err_hint(err, "give percent: --strict=1 or --strict=0.5%%");
		return -EINVAL;
	}
	q->limit = limit;
	return 0;
}

/* A sample without call chain has its own address. */
int script_quality_sample(struct script_quality *q, struct reading *in,
			  const struct session_sample *sample, struct err *err)
{
	const struct sample *v = sample->sample;
	struct session *s = in->s;
	u32 id;

	if (!q->table && !q->strict)
		return 0;
	if (!symboliser_chain(s->symboliser, sample->thread, v, &q->chain))
		return err_nomem(err);
	if (!q->chain.nr && v->ids.has & PERF_SAMPLE_IP && s->options.resolve.max_stack) {
		id = symboliser_address(s->symboliser, sample->thread,
					v->misc & PERF_RECORD_MISC_CPUMODE_MASK, v->ip);
		if (id == ID_NONE || !vec_reserve(&q->chain, 1))
			return err_nomem(err);
		q->chain.v[q->chain.nr++] = id;
	}
	return stack_quality_frames(&in->stacks->counts, s->symboliser, &q->chain) ? 0
										   : err_nomem(err);
}

int script_quality_table(const struct reading *in, struct buf *out, struct err *err)
{
	return quality_text_table(&in->stacks->counts, &in->s->model, out) ? 0 : err_nomem(err);
}

void script_quality_note(const struct script_quality *q, const struct reading *in, struct buf *out)
{
	size_t len = out->len;

	if (q->table || q->unseen)
		return;
	reading_stacks_note(in, out);
	if (out->len > len)
		buf_adds(out, "; script --quality shows all\n");
}

int script_quality_verdict(const struct script_quality *q, const struct reading *in,
			   struct err *err)
{
	struct quality_shares sums = quality_shares(&in->stacks->counts);
	double limit = (double)q->limit / (double)PERCENT;

	if (!q->strict || 100 * quality_damage(&sums) <= limit)
		return CMD_OK;
	err_set(err, ENODATA,
		"%llu of %llu stacks are not complete, %llu of %llu frames have no name: more than %g%%",
		(unsigned long long)(sums.stacks - sums.complete), (unsigned long long)sums.stacks,
		(unsigned long long)(sums.frames - sums.named), (unsigned long long)sums.frames,
		limit);
	if (!q->table)
		err_hint(err, "script --quality shows where and why");
	return CMD_PARTIAL;
}

void script_quality_free(struct script_quality *q)
{
	vec_free(&q->chain);
}
