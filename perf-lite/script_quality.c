// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/script_quality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf-lite/cmd.h"
#include "util/base/num.h"
#include "util/process/quality_text.h"

#define PERCENT 1000000000ull /* as num_time() reads decimals */

/* Fewer incomplete stacks are not worth a line that nobody asked for. */
#define NOTE_SHARE 0.05

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

/* The frames of a sample; one without call chain has its own address. */
static bool count_frames(struct script_quality *q, struct session *s,
			 const struct session_sample *sample)
{
	const struct sample *v = sample->sample;
	u32 id;

	if (!resolver_chain(&s->resolver, sample->thread, v, &q->chain))
		return false;
	if (!q->chain.nr && v->ids.has & PERF_SAMPLE_IP) {
		id = resolver_address(&s->resolver, sample->thread,
				      v->misc & PERF_RECORD_MISC_CPUMODE_MASK, v->ip);
		if (id == ID_NONE || !vec_reserve(&q->chain, 1))
			return false;
		q->chain.v[q->chain.nr++] = id;
	}
	return stack_quality_frames(&q->counts, &s->resolver, &q->chain);
}

/* How the stack of a sample ended. */
static bool count_end(struct script_quality *q, struct session *s,
		      const struct session_sample *sample)
{
	struct script_quality_known *k = &q->known[sample->stack % ARRAY_SIZE(q->known)];

	if (!sample->stack || k->stack != sample->stack || k->event != sample->event) {
		if (!stack_quality_find(&s->resolver, sample->desc, sample->thread, sample->sample,
					&k->end))
			return false;
		k->stack = sample->stack;
		k->event = sample->event;
	}
	quality_stack(&q->counts, k->end.dso, k->end.end);
	return !q->counts.failed;
}

int script_quality_sample(struct script_quality *q, struct session *s,
			  const struct session_sample *sample, struct err *err)
{
	if (!count_end(q, s, sample))
		return err_nomem(err);
	if ((q->table || q->strict) && !count_frames(q, s, sample))
		return err_nomem(err);
	return 0;
}

int script_quality_table(const struct script_quality *q, const struct session *s, struct buf *out,
			 struct err *err)
{
	return quality_text_table(&q->counts, &s->model, out) ? 0 : err_nomem(err);
}

void script_quality_note(const struct script_quality *q, const struct session *s, struct buf *out)
{
	struct quality_shares sums = quality_shares(&q->counts);

	if (q->table || (double)(sums.stacks - sums.complete) <= NOTE_SHARE * (double)sums.stacks)
		return;
	quality_text_line(&q->counts, &s->model, out);
	buf_adds(out, "; --quality tells all\n");
}

int script_quality_verdict(const struct script_quality *q, struct err *err)
{
	struct quality_shares sums = quality_shares(&q->counts);
	double limit = (double)q->limit / (double)PERCENT;

	if (!q->strict || 100 * quality_damage(&sums) <= limit)
		return CMD_OK;
	err_set(err, ENODATA,
		"%llu of %llu stacks are not complete, %llu of %llu frames have no name: more than %g%%",
		(unsigned long long)(sums.stacks - sums.complete), (unsigned long long)sums.stacks,
		(unsigned long long)(sums.frames - sums.named), (unsigned long long)sums.frames,
		limit);
	if (!q->table)
		err_hint(err, "script --quality tells where and why");
	return CMD_PARTIAL;
}

void script_quality_free(struct script_quality *q)
{
	quality_free(&q->counts);
	vec_free(&q->chain);
}
