// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_parse_internal.h"

#include <string.h>

#define LETTERS "ukhGHIpPSDWeb"

bool ev_modifier_is(struct ev_word w)
{
	size_t i;

	for (i = 0; i < w.len; i++)
		if (!strchr(LETTERS, w.s[i]))
			return false;
	return w.len > 0;
}

static int check(const struct ev_lex *l, struct ev_word w)
{
	size_t i, precise = 0;

	for (i = 0; i < w.len; i++) {
		if (!strchr(LETTERS, w.s[i]))
			return ev_lex_error(l, w.s + i, "unknown modifier '%c', not one of %s",
					    w.s[i], LETTERS);
		if (w.s[i] == 'p' && ++precise > 3)
			return ev_lex_error(l, w.s + i, "bad modifier: 'p' more than three times");
		if (w.s[i] != 'p' && memchr(w.s, w.s[i], i))
			return ev_lex_error(l, w.s + i, "bad modifier: '%c' twice", w.s[i]);
	}
	return 0;
}

static bool has(struct ev_word w, char c)
{
	return memchr(w.s, c, w.len) != NULL;
}

/* The first letter of its kind excludes all, then each lets its own in. */
static void apply_privilege(struct ev_word w, struct perf_event_attr *a)
{
	if (!has(w, 'u') && !has(w, 'k') && !has(w, 'h'))
		return;
	if (!a->exclude_user && !a->exclude_kernel && !a->exclude_hv)
		a->exclude_user = a->exclude_kernel = a->exclude_hv = 1;
	if (has(w, 'u'))
		a->exclude_user = 0;
	if (has(w, 'k'))
		a->exclude_kernel = 0;
	if (has(w, 'h'))
		a->exclude_hv = 0;
}

/* User space and precise addresses mean the host's, unless G or H says which. */
static void apply_guest(struct ev_word w, struct ev_spec *s)
{
	struct perf_event_attr *a = &s->attr;

	if (has(w, 'G') || has(w, 'H')) {
		if (!s->guest_given)
			a->exclude_guest = a->exclude_host = 1;
		s->guest_given = true;
		if (has(w, 'G'))
			a->exclude_guest = 0;
		if (has(w, 'H'))
			a->exclude_host = 0;
	} else if ((has(w, 'u') || has(w, 'p')) && !s->guest_given) {
		a->exclude_guest = 1;
	}
}

static int apply(const struct ev_lex *l, struct ev_word w, struct ev_spec *s, bool group)
{
	u32 precise = group ? s->attr.precise_ip : 0;
	size_t i;

	for (i = 0; i < w.len; i++)
		precise += w.s[i] == 'p';
	if (precise > 3)
		return ev_lex_error(l, w.s,
				    "bad modifier: 'p' more than three times with the event's");
	s->attr.precise_ip = precise;
	if (!group)
		s->attr.exclude_guest = 0;
	apply_privilege(w, &s->attr);
	apply_guest(w, s);
	s->attr.exclude_idle |= has(w, 'I');
	if (s->leader) {
		s->attr.pinned |= has(w, 'D');
		s->attr.exclusive |= has(w, 'e');
	}
	s->precise_max |= has(w, 'P');
	s->sample_read |= has(w, 'S');
	s->weak |= has(w, 'W');
	s->bpf |= has(w, 'b');
	return 0;
}

int ev_modifier_apply(const struct ev_lex *l, struct ev_word w, struct ev_spec *specs, u32 nr,
		      bool group)
{
	int ret = check(l, w);
	u32 i;

	for (i = 0; !ret && i < nr; i++)
		ret = apply(l, w, &specs[i], group);
	return ret;
}
