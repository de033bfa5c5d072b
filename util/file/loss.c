// SPDX-License-Identifier: GPL-2.0
#include "util/file/loss.h"

void loss_put(struct buf *b, const struct loss *l)
{
	buf_le32(b, l->cause);
	buf_le32(b, l->cpu);
	buf_le32(b, l->event);
	buf_le32(b, 0);
	buf_le64(b, l->from);
	buf_le64(b, l->to);
	buf_le64(b, l->count);
}

bool loss_get(struct cur *c, struct loss *l)
{
	l->cause = cur_u32(c);
	l->cpu = cur_u32(c);
	l->event = cur_u32(c);
	cur_u32(c);
	l->from = cur_u64(c);
	l->to = cur_u64(c);
	l->count = cur_u64(c);
	return !c->bad;
}

void loss_put_counts(struct buf *b, const struct counts *n)
{
	buf_le32(b, n->event);
	buf_le32(b, n->flags);
	buf_le64(b, n->samples);
	buf_le64(b, n->lost);
	buf_le64(b, n->excluded);
	buf_le64(b, n->unwritten);
	buf_le64(b, n->count);
	buf_le64(b, n->unsampled);
}

bool loss_get_counts(struct cur *c, struct counts *n)
{
	n->event = cur_u32(c);
	n->flags = cur_u32(c);
	n->samples = cur_u64(c);
	n->lost = cur_u64(c);
	n->excluded = cur_u64(c);
	n->unwritten = cur_u64(c);
	n->count = cur_u64(c);
	n->unsampled = cur_u64(c);
	n->missed = 0;
	return !c->bad;
}

const char *loss_cause_name(u32 cause)
{
	static const char *const names[] = {
		[LOSS_RING] = "buffer full",
		[LOSS_THROTTLED] = "throttled",
		[LOSS_STOPPED] = "recorder not running",
		[LOSS_OFFLINE] = "CPU offline",
		[LOSS_DISK] = "not written",
		[LOSS_PROGRAM] = "hit again while the event's BPF program ran",
	};

	return cause < ARRAY_SIZE(names) ? names[cause] : NULL;
}
