// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "util/format/syscall_sink_internal.h"

static void free_thread(struct syscall_thread *t)
{
	buf_free(&t->texts);
	buf_free(&t->stack);
}

static struct syscall_sink *sink_of_holder(struct session_holder *h)
{
	return (struct syscall_sink *)((u8 *)h - offsetof(struct syscall_sink, holder));
}

static void keep_threads(struct session_holder *h, const struct session_numbers *kept)
{
	const struct syscall_sink *k = sink_of_holder(h);
	u32 i;

	for (i = 0; i < k->threads.nr; i++)
		kept->threads[i] |= k->threads.v[i].inside;
	if (k->line_thread != ID_NONE)
		kept->threads[k->line_thread] = 1;
}

static void move_threads(struct session_holder *h, const struct session_numbers *now)
{
	struct syscall_sink *k = sink_of_holder(h);
	u32 i, nr = 0;

	for (i = 0; i < k->threads.nr; i++) {
		if (now->threads[i] == ID_NONE) {
			free_thread(&k->threads.v[i]);
			continue;
		}
		nr = now->threads[i] + 1;
		k->threads.v[now->threads[i]] = k->threads.v[i];
	}
	k->threads.nr = nr;
	if (k->line_thread != ID_NONE)
		k->line_thread = now->threads[k->line_thread];
	k->ends = true;
}

void syscall_sink_hold_threads(struct syscall_sink *k)
{
	k->holder = (struct session_holder){.keep = keep_threads, .moved = move_threads};
	session_hold(k->session, &k->holder);
}

void syscall_sink_free_threads(struct syscall_sink *k)
{
	u32 i;

	session_release(&k->holder);
	for (i = 0; i < k->threads.nr; i++)
		free_thread(&k->threads.v[i]);
	vec_free(&k->threads);
}
