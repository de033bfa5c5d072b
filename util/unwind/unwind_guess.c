// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_internal.h"

/* Words of the stack that are looked at. */
#define SCAN 32
/* A link register that points as near as this may be left from a call that the code itself made. */
#define NEAR 4096
/* Bytes of a leaf's frame that is left without unwind information. */
#define LEAF 512

enum guess {
	GUESS_FRAME, /* *f is the caller's */
	GUESS_ROOT,  /* the frame record is the last one */
	GUESS_NONE,
	GUESS_CUT, /* nothing was found before the end of the copy */
};

static bool is_behind_call(struct unwind_lookup *k, const struct unwind_walk *w, u64 addr)
{
	return addr && unwind_lookup_code(k, w, addr) == UNWIND_LOOKUP_CALL;
}

static u64 return_address(const struct unwind_walk *w, u64 v)
{
	return v & w->arch->user_mask;
}

/*
 * Where the frame pointer points behind the record, a leaf has saved that of its caller in the place of
 * the return address, and nothing else.
 */
static void leave_leaf_frame(struct unwind_lookup *k, const struct unwind_walk *w,
			     struct unwind_frame *f)
{
	u64 fp;

	if (w->arch->ra_word >= 0 || f->fp % (2u * w->arch->word) || f->fp <= f->sp ||
	    f->fp - f->sp > LEAF ||
	    !unwind_walk_load(w, f->fp + (u64)(s64)(w->arch->ra_word * w->arch->word),
			      w->arch->word, &fp) ||
	    is_behind_call(k, w, fp))
		return;
	f->sp = f->fp;
	f->fp = fp;
}

static bool by_link(struct unwind_lookup *k, const struct unwind_walk *w, struct unwind_frame *f)
{
	u64 link = return_address(w, f->link);

	if (!w->arch->link || !f->exact || link - f->ip + NEAR < 2 * NEAR ||
	    !is_behind_call(k, w, link))
		return false;
	leave_leaf_frame(k, w, f);
	f->ip = link;
	return true;
}

static bool by_top(struct unwind_lookup *k, const struct unwind_walk *w, struct unwind_frame *f)
{
	u64 ra;

	if (w->arch->link || !f->exact || !unwind_walk_load(w, f->sp, w->arch->word, &ra) ||
	    !is_behind_call(k, w, ra))
		return false;
	f->ip = ra;
	f->sp += w->arch->word;
	return true;
}

/* Where a function saves registers in its caller's frame, each frame may begin with the one above. */
static enum guess by_back_chain(struct unwind_lookup *k, const struct unwind_walk *w,
				struct unwind_frame *f)
{
	const struct arch_unwind *a = w->arch;
	u64 sp, ra;

	if (!a->save_words || !unwind_walk_load(w, f->sp, a->word, &sp))
		return GUESS_NONE;
	if (a->back_chain && !f->exact && !sp)
		return GUESS_ROOT;
	if (sp <= f->sp || sp % a->word ||
	    !unwind_walk_load(w, sp + (u64)(a->save_ra * a->word), a->word, &ra) ||
	    !is_behind_call(k, w, ra))
		return GUESS_NONE;
	f->ip = ra;
	f->sp = sp;
	return GUESS_FRAME;
}

static enum guess by_record(struct unwind_lookup *k, const struct unwind_walk *w,
			    struct unwind_frame *f)
{
	const struct arch_unwind *a = w->arch;
	s64 word = a->word;
	u64 top = f->fp + (u64)(a->record_top * word), fp, ra;
	enum unwind_lookup_code code;
	bool last;

	if (a->fp_word == a->ra_word || f->fp % a->word || top <= f->sp ||
	    !unwind_walk_load(w, f->fp + (u64)(a->fp_word * word), a->word, &fp) ||
	    !unwind_walk_load(w, f->fp + (u64)(a->ra_word * word), a->word, &ra))
		return GUESS_NONE;
	ra = return_address(w, ra);
	if (!fp && !ra)
		return GUESS_ROOT;
	code = unwind_lookup_code(k, w, ra);
	last = !fp && ra % 16 && code == UNWIND_LOOKUP_NO_CALL;
	/* a caller without a frame pointer keeps a number in its place: then be sure of the call */
	if (!last && code != UNWIND_LOOKUP_CALL &&
	    (code != UNWIND_LOOKUP_UNREADABLE || (fp && fp <= f->fp)))
		return GUESS_NONE;
	f->last = last ? ra : 0;
	f->ip = ra;
	f->sp = top;
	f->fp = fp;
	return GUESS_FRAME;
}

/* Could that be a frame pointer of a frame above the address? */
static bool may_be_fp(const struct unwind_walk *w, u64 v, u64 above)
{
	return v % w->arch->word == 0 && v >= above && v - w->base < w->in->size;
}

/*
 * Where a return probe (uretprobe) is, the return address is that of the kernel's trampoline: a page above all stacks that it
 * reports no mapping of. The one that was there is not on the stack.
 */
static bool is_return_probe(const struct unwind_frame *f)
{
	return !f->exact && f->ip % 4096 == 0 && f->ip > f->sp;
}

/*
 * Code that has used the frame pointer for something else has saved it: what lies between here and
 * the return address and looks like one is taken for it.
 */
static enum guess by_scan(struct unwind_lookup *k, const struct unwind_walk *w,
			  struct unwind_frame *f)
{
	const struct arch_unwind *a = w->arch;
	/* the caller may have a return probe, too: all of a process have one trampoline */
	u64 trampoline = is_return_probe(f) ? f->ip : 0;
	/* the first words may be saved by calls that have returned */
	u64 at = f->sp + (u64)a->save_words * a->word, saved = f->fp, v, ra;
	u32 i;

	for (i = 0; i < SCAN; i++, at += a->word) {
		if (!unwind_walk_load(w, at, a->word, &v))
			return unwind_walk_why(w, at) == CHAIN_BAD_STACK ? GUESS_NONE : GUESS_CUT;
		ra = return_address(w, v);
		if (!is_behind_call(k, w, ra) && (!trampoline || ra != trampoline)) {
			if (may_be_fp(w, v, at))
				saved = v;
			continue;
		}
		f->ip = ra;
		f->sp = at - (u64)(a->save_ra * a->word);
		if (!may_be_fp(w, f->fp, f->sp))
			f->fp = saved;
		return GUESS_FRAME;
	}
	return GUESS_NONE;
}

/* `scan`: first what lies nearest; the code may keep no frame pointer, and the record be one of a frame above. */
static enum guess find_caller(struct unwind_lookup *k, const struct unwind_walk *w,
			      struct unwind_frame *f, bool scan)
{
	enum guess g, other;

	if (by_link(k, w, f) || by_top(k, w, f))
		return GUESS_FRAME;
	g = by_back_chain(k, w, f);
	if (g != GUESS_NONE)
		return g;
	g = scan ? by_scan(k, w, f) : by_record(k, w, f);
	if (g == GUESS_FRAME || g == GUESS_ROOT)
		return g;
	other = scan ? by_record(k, w, f) : by_scan(k, w, f);
	return other == GUESS_NONE ? g : other;
}

bool unwind_guess(struct unwind_lookup *k, struct unwind_walk *w, struct unwind_frame *f,
		  enum chain_end *end)
{
	bool astray = *end == CHAIN_NO_MAP && !f->exact, probed = is_return_probe(f);
	enum guess g;

	if (*end == CHAIN_NO_UNWIND)
		return false;
	if (!f->exact && f->last && f->last == f->ip) {
		*end = CHAIN_ROOT;
		return false;
	}
	g = astray ? by_scan(k, w, f) : find_caller(k, w, f, *end == CHAIN_BAD_CFI);
	f->exact = f->signal = false;
	if (g == GUESS_FRAME && astray && !probed)
		w->nr--;
	if (g == GUESS_ROOT)
		*end = CHAIN_ROOT;
	else if (g == GUESS_CUT && !astray)
		*end = w->in->size ? CHAIN_CUT : CHAIN_NO_STACK;
	return g == GUESS_FRAME;
}

bool unwind_guess_above(struct unwind_lookup *k, const struct unwind_walk *w,
			struct unwind_frame *f, u64 cfa)
{
	struct unwind_frame above = {.sp = cfa, .fp = f->fp};

	if (!f->exact || by_scan(k, w, &above) != GUESS_FRAME)
		return false;
	*f = above;
	return true;
}
