// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "util/profile/session.h"
#include "util/profile/symboliser.h"
#include "util/profile/task_names.h"

/* Bytes; less than this is not worth looking for the dead. */
#define FORGET_MIN (256u << 10)
/* The last samples of a thread come after its end: it stays for as long at least. */
#define FORGET_NS 1000000000ull

/* What each takes, about, with what holders keep beside it. */
#define THREAD_SIZE 512u
#define MAP_SIZE    48u
#define FRAME_SIZE  128u

void session_hold(struct session *s, struct session_holder *h)
{
	/* the others forget nothing */
	if (!s->source->recording->live)
		return;
	h->session = s;
	h->next = s->forgetting.holders;
	s->forgetting.holders = h;
}

void session_release(struct session_holder *h)
{
	struct session_holder **at;

	if (!h->session)
		return;
	for (at = &h->session->forgetting.holders; *at && *at != h; at = &(*at)->next)
		;
	if (*at)
		*at = h->next;
	h->session = NULL;
}

static u64 size_of(const struct session *s)
{
	return (u64)s->model.threads.nr * THREAD_SIZE + (u64)s->model.maps.nr * MAP_SIZE +
	       (u64)s->symboliser->frames.nr * FRAME_SIZE;
}

static bool is_time(const struct session *s)
{
	const struct session_holder *h;

	if (!s->source->recording->live || size_of(s) < MAX(s->forgetting.size, FORGET_MIN))
		return false;
	for (h = s->forgetting.holders; h; h = h->next)
		if (!h->keep)
			return false;
	return true;
}

/* What holders keep, and the mappings of the frames among that. */
static void mark(const struct session *s, const struct session_numbers *kept, u32 *maps)
{
	const struct frame *frames = s->symboliser->frames.v;
	struct session_holder *h;
	u32 i;

	for (h = s->forgetting.holders; h; h = h->next)
		h->keep(h, kept);
	for (i = 0; i < kept->nr_frames; i++)
		if (kept->frames[i] && frames[i].map != ID_NONE)
			maps[frames[i].map] = 1;
}

static void give_numbers(struct session *s, const struct session_numbers *now)
{
	struct session_holder *h;

	for (h = s->forgetting.holders; h; h = h->next)
		h->moved(h, now);
}

void session_forget(struct session *session, struct session_sample *s)
{
	struct process_model *m = &session->model;
	struct symboliser *r = session->symboliser;
	const u32 of_sample = s && s->thread ? (u32)(s->thread - m->threads.v) : ID_NONE;
	struct session_numbers n = {.nr_frames = r->frames.nr, .nr_threads = m->threads.nr};
	struct process_kept kept = {.exited = session->source->order <
					      session->forgetting.last + FORGET_NS};

	if (!is_time(session))
		return;
	n.frames = calloc((size_t)n.nr_frames + 1, sizeof(*n.frames));
	kept.threads = n.threads = calloc((size_t)n.nr_threads + 1, sizeof(*n.threads));
	kept.maps = calloc((size_t)m->maps.nr + 1, sizeof(*kept.maps));
	if (n.frames && n.threads && kept.maps) {
		mark(session, &n, kept.maps);
		if (of_sample != ID_NONE)
			n.threads[of_sample] = 1;
		if (!process_compact(m, &kept)) {
			symboliser_forget(r, n.frames, kept.maps);
			thread_cache_forget(session->tasks);
			task_namespaces_forget(session->namespaces, m);
			give_numbers(session, &n);
			if (of_sample != ID_NONE)
				s->thread = &m->threads.v[n.threads[of_sample]];
		}
	}
	free(n.frames);
	free(n.threads);
	free(kept.maps);
	/* also for lack of memory: later */
	if (!kept.exited)
		session->forgetting.last = session->source->order;
	session->forgetting.size = 2 * size_of(session);
}
