// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/splice.h"

/*
 * Addresses since the two agreed last, the kernel's chain still being believed: it leaves out a
 * caller, seldom two.
 */
#define NEAR 2

struct splice {
	const u64 *unwound, *frames;
	u32 nr, nr_frames;
	u32 at, frame; /* the next of each */
	u32 apart;     /* addresses of `unwound` since they agreed */
	u64 *out;
	u32 len, max;
};

static void put(struct splice *s, u64 word)
{
	if (s->len < s->max)
		s->out[s->len++] = word;
}

static bool agrees(const struct splice *s)
{
	return s->frame && s->frame < s->nr_frames && s->apart < NEAR;
}

static void put_frames(struct splice *s, u32 end)
{
	while (s->frame < end)
		put(s, s->frames[s->frame++]);
	s->apart = 0;
}

static void put_address(struct splice *s, u64 address)
{
	put(s, address);
	if (s->frame < s->nr_frames && s->frames[s->frame] == address) {
		s->frame++;
		s->apart = 0;
	} else {
		s->apart++;
	}
}

/* Behind the guessed addresses from `at` on: the next certain one, or nr. */
static u32 next_certain(const struct splice *s)
{
	u32 i = s->at;

	while (i < s->nr && s->unwound[i] != CHAIN_CERTAIN && !chain_is_end(s->unwound[i]))
		i++;
	return i < s->nr && s->unwound[i] == CHAIN_CERTAIN ? i + 1 : s->nr;
}

/*
 * At CHAIN_GUESSED. The kernel's addresses up to where the chain is certain again, or all of them
 * where it never is. True: the chain is complete.
 */
static bool replace_guessed(struct splice *s)
{
	u32 certain = next_certain(s), i;

	if (!agrees(s))
		return false;
	if (certain >= s->nr) {
		put_frames(s, s->nr_frames);
		return true;
	}
	for (i = s->frame; i < s->nr_frames; i++) {
		if (s->frames[i] != s->unwound[certain])
			continue;
		put_frames(s, i);
		s->at = certain;
		return false;
	}
	return false;
}

static bool ends_early(u64 end)
{
	return end != CHAIN_END + CHAIN_ROOT && end != CHAIN_END + CHAIN_LIMIT;
}

u32 splice_chains(const u64 *unwound, u32 nr, const u64 *frames, u32 nr_frames, u64 *out, u32 max)
{
	struct splice s = {.unwound = unwound,
			   .frames = frames,
			   .nr = nr,
			   .nr_frames = nr_frames,
			   .out = out,
			   .max = max};
	u32 before;

	while (s.at < nr) {
		u64 word = unwound[s.at];

		if (chain_is_end(word)) {
			if (agrees(&s) && ends_early(word))
				put_frames(&s, nr_frames);
			else
				put(&s, word);
			break;
		}
		before = s.at;
		if (word == CHAIN_GUESSED && replace_guessed(&s))
			break;
		if (s.at != before)
			continue;
		s.at++;
		if (chain_is_mark(word))
			put(&s, word);
		else
			put_address(&s, word);
	}
	return s.len;
}
