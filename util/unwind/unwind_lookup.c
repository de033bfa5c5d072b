// SPDX-License-Identifier: GPL-2.0
#include "util/unwind/unwind_internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/base/cur.h"

#define TOP_MAX  0x1fff
#define SLOT_MAX 0xff

static bool is_kept(const struct cfi_rule *r)
{
	return r->how == CFI_UNSPECIFIED || r->how == CFI_SAME;
}

static s64 cfa_to_top(const struct arch_unwind *arch)
{
	return arch->save_words - arch->cfa_words;
}

/* Words below the top, or 0: it is not so simple. */
static u32 slot_of(const struct cfi_rule *r, const struct arch_unwind *arch)
{
	s64 words = cfa_to_top(arch) - r->value / arch->word;

	if (r->how != CFI_OFFSET || r->value % arch->word || words <= 0 || words > SLOT_MAX)
		return 0;
	return (u32)words;
}

/* The stack pointer is what the distance from the CFA says, whether it was saved too or not. */
static bool is_usual_sp(const struct cfi_rule *r, const struct arch_unwind *arch)
{
	return is_kept(r) || (arch->cfa_words && r->how == CFI_OFFSET) ||
	       (r->how == CFI_VAL_OFFSET && r->value == -(s64)arch->cfa_words * arch->word);
}

/*
 * Linkers describe the lazy procedure linkage table with one expression for all its entries:
 * sp + word + ((ip & 15) >= N) * word. For one address this is a constant.
 */
static bool plt_words(const struct cfi_rule *cfa, const struct arch_unwind *arch, u64 vaddr,
		      u32 *words)
{
	struct cur c = cur_init(cfa->expr, cfa->arg);
	u8 n;

	if (cur_u8(&c) != DW_OP_breg0 + arch->sp || cur_sleb(&c) != arch->word ||
	    cur_u8(&c) != DW_OP_breg0 + arch->ra || cur_sleb(&c) || cur_u8(&c) != DW_OP_lit15 ||
	    cur_u8(&c) != DW_OP_and)
		return false;
	n = cur_u8(&c) - DW_OP_lit0;
	if (n > 15 || cur_u8(&c) != DW_OP_ge ||
	    cur_u8(&c) != DW_OP_lit0 + (arch->word == 8 ? 3 : 2) || cur_u8(&c) != DW_OP_shl ||
	    cur_u8(&c) != DW_OP_plus || c.bad || cur_left(&c))
		return false;
	*words = (vaddr & 15) >= n ? 2 : 1;
	return true;
}

static bool simple_cfa(const struct cfi_row *row, const struct arch_unwind *arch, u64 vaddr,
		       enum unwind_rule_kind *kind, u32 *words)
{
	const struct cfi_rule *cfa = &row->cfa;

	*kind = UNWIND_RULE_SP;
	if (cfa->how == CFI_VAL_EXPR)
		return plt_words(cfa, arch, vaddr, words);
	if (cfa->arg == arch->fp)
		*kind = UNWIND_RULE_FP;
	else if (cfa->arg != arch->sp)
		return false;
	if (cfa->value < 0 || cfa->value % arch->word ||
	    cfa->value / arch->word > TOP_MAX - arch->save_words)
		return false;
	*words = (u32)(cfa->value / arch->word + cfa_to_top(arch));
	return true;
}

u32 unwind_rule_make(const struct cfi_row *row, const struct arch_unwind *arch, u64 vaddr)
{
	const struct cfi_rule *ra = &row->regs[arch->ra], *fp = &row->regs[arch->fp];
	const struct cfi_rule *sp = &row->regs[arch->sp];
	u32 words, ra_slot, fp_slot;
	enum unwind_rule_kind kind;

	if (row->signal || row->ra != arch->ra)
		return UNWIND_RULE_SLOW;
	if (ra->how == CFI_UNDEFINED)
		return UNWIND_RULE_END;
	if (!is_usual_sp(sp, arch))
		return UNWIND_RULE_SLOW;
	ra_slot = slot_of(ra, arch);
	fp_slot = slot_of(fp, arch);
	/* a call pushes just below the CFA */
	if ((arch->link ? !ra_slot && !is_kept(ra) : ra_slot != 1) ||
	    (!fp_slot && !is_kept(fp) && fp->how != CFI_UNDEFINED) ||
	    !simple_cfa(row, arch, vaddr, &kind, &words))
		return UNWIND_RULE_SLOW;
	return kind | words << 3 | fp_slot << 16 | ra_slot << 24;
}

#define ROWS 256
/* Addresses that are remembered at most: the cache then starts anew. */
#define BY_OFFSET_LIMIT (1u << 22)
/*
 * For the rows of one chain: a few ms. Each row of a program that was made for it takes a hundred thousand, and no frame has the row
 * of another; the samples of everybody else on these CPUs would wait for that.
 */
#define STEPS_MAX (1u << 20)
/* A block of struct unwind_lookup_span. */
#define SPAN_SHIFT 8
#define SPAN_MASK  ((u64)0xff)

int unwind_lookup_init(struct unwind_lookup *k, const struct unwind_options *o, struct err *err)
{
	*k = (struct unwind_lookup){0};
	unwind_dsos_init(&k->dsos, o);
	k->rules = calloc(1u << UNWIND_LOOKUP_BITS, sizeof(*k->rules));
	k->spans = calloc(1u << UNWIND_LOOKUP_SPAN_BITS, sizeof(*k->spans));
	if (k->rules && k->spans)
		return 0;
	unwind_lookup_free(k);
	return err_nomem(err);
}

void unwind_lookup_free(struct unwind_lookup *k)
{
	unwind_dsos_free(&k->dsos);
	hmap_free(&k->by_offset);
	free(k->rules);
	free(k->spans);
	free(k->rows);
}

/* The mapping at an address, if it may be executed. */
static u32 code_map(const struct unwind_walk *w, u64 addr)
{
	u32 map = process_find_map(w->m, w->t, addr);
	u32 prot = map == ID_NONE ? 0 : w->m->maps.v[map].prot;

	/* a recording without protections has nothing but code in it */
	return prot && !(prot & PROT_EXEC) ? ID_NONE : map;
}

/* Dso and byte of the file in one word, for both caches that processes share; 0: does not fit. */
static u64 offset_key(u32 dso, u64 offset, const struct arch_unwind *arch)
{
	if (dso >= 1u << 22 || offset >= (u64)1 << 40)
		return 0;
	return (u64)(dso + 1) << 41 | (u64)(arch->word == 4) << 40 | offset;
}

static bool has_no_file(const struct process_model *m, u32 map)
{
	enum dso_kind kind = m->dsos.v[m->maps.v[map].dso].kind;

	/* a memfd that is no image holds what a JIT made */
	return kind == DSO_PERF_MAP || kind == DSO_OTHER || kind == DSO_MEMFD;
}

static enum unwind_dso_result find_row(struct unwind_lookup *k, const struct unwind_walk *w,
				       u32 map, u64 offset, u64 *vaddr, struct cfi_row *row)
{
	struct unwind_dso *d = unwind_dsos_get(&k->dsos, w->m, map, w->t->pid);
	enum unwind_dso_result r;

	if (!d)
		return has_no_file(w->m, map) ? UNWIND_DSO_NO_CFI : UNWIND_DSO_NO_FILE;
	if (!image_vaddr(&d->img, offset, vaddr))
		return UNWIND_DSO_NO_CFI;
	if (k->steps > STEPS_MAX)
		return UNWIND_DSO_TOO_LONG;
	row->steps = 0;
	r = unwind_dso_row(d, w->m->dsos.v[w->m->maps.v[map].dso].name, *vaddr, offset, w->arch,
			   row);
	k->steps += row->steps;
	return r;
}

static enum chain_end why_no_row(enum unwind_dso_result r)
{
	switch (r) {
	case UNWIND_DSO_NO_FILE:
		return CHAIN_NO_FILE;
	case UNWIND_DSO_BAD_CFI:
	case UNWIND_DSO_TOO_LONG:
		return CHAIN_BAD_CFI;
	case UNWIND_DSO_NO_MEMORY:
		return CHAIN_NO_UNWIND;
	default:
		return CHAIN_NO_CFI;
	}
}

static struct unwind_lookup_span *span_of(struct unwind_lookup *k, u64 key)
{
	return &k->spans[(key >> SPAN_SHIFT) * 0x9e3779b97f4a7c15ull >>
			 (64 - UNWIND_LOOKUP_SPAN_BITS)];
}

static u32 find_span(struct unwind_lookup *k, u64 key)
{
	const struct unwind_lookup_span *s = span_of(k, key);
	u8 at = key & SPAN_MASK;

	return s->block == key >> SPAN_SHIFT && at >= s->first && at <= s->last ? s->rule : ID_NONE;
}

/* What the row at `vaddr` holds for, as far as it lies in one block. */
static void keep_span(struct unwind_lookup *k, u64 key, const struct cfi_row *row, u64 vaddr,
		      u32 rule)
{
	u64 at = key & SPAN_MASK, before = vaddr - row->from, behind = row->to - 1 - vaddr;

	/* an expression may ask for the address */
	if (row->cfa.how != CFI_REGISTER || vaddr < row->from || vaddr >= row->to)
		return;
	*span_of(k, key) = (struct unwind_lookup_span){
		.block = key >> SPAN_SHIFT,
		.first = (u8)(at - MIN(at, before)),
		.last = (u8)(at + MIN(SPAN_MASK - at, behind)),
		.rule = rule,
	};
}

static u32 make_rule(struct unwind_lookup *k, const struct unwind_walk *w, u32 map, u64 offset,
		     u64 key, bool *keep)
{
	enum unwind_dso_result r;
	struct cfi_row row;
	u64 vaddr = 0;
	u32 rule;

	r = find_row(k, w, map, offset, &vaddr, &row);
	/* a file that is not there now may be found in another process */
	*keep = r != UNWIND_DSO_NO_FILE && r != UNWIND_DSO_NO_MEMORY && r != UNWIND_DSO_TOO_LONG;
	if (r != UNWIND_DSO_ROW)
		return unwind_rule_none(why_no_row(r));
	rule = unwind_rule_make(&row, w->arch, vaddr);
	if (key)
		keep_span(k, key, &row, vaddr, rule);
	return rule;
}

/* By the caches that processes share; what they do not have is made. */
static u32 shared_rule(struct unwind_lookup *k, const struct unwind_walk *w, u32 map, u64 offset,
		       bool *keep)
{
	u64 key = offset_key(w->m->maps.v[map].dso, offset, w->arch);
	u32 rule = key ? find_span(k, key) : ID_NONE;

	if (rule == ID_NONE && key)
		rule = hmap_get(&k->by_offset, key);
	if (rule != ID_NONE)
		return rule;
	rule = make_rule(k, w, map, offset, key, keep);
	if (k->by_offset.nr >= BY_OFFSET_LIMIT)
		hmap_clear(&k->by_offset);
	/* without memory for it there is no cache */
	if (key && *keep)
		hmap_set(&k->by_offset, key, rule);
	return rule;
}

u32 unwind_lookup_rule_slow(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc)
{
	u32 map = code_map(w, pc), rule;
	bool keep = true;

	if (map == ID_NONE)
		return unwind_rule_none(CHAIN_NO_MAP);
	rule = shared_rule(k, w, map, map_offset(&w->m->maps.v[map], pc), &keep);
	if (keep)
		k->rules[unwind_lookup_slot(pc)] =
			(struct unwind_lookup_entry){pc, w->generation, rule};
	return rule;
}

bool unwind_lookup_row(struct unwind_lookup *k, const struct unwind_walk *w, u64 pc,
		       const struct cfi_row **row, enum chain_end *why)
{
	u32 map = code_map(w, pc);
	struct unwind_lookup_row *e;
	enum unwind_dso_result r;
	u64 offset, key, vaddr;

	*why = CHAIN_NO_MAP;
	if (map == ID_NONE)
		return false;
	*why = CHAIN_NO_UNWIND;
	if (!k->rows)
		k->rows = calloc(ROWS, sizeof(*k->rows));
	if (!k->rows)
		return false;
	offset = map_offset(&w->m->maps.v[map], pc);
	key = offset_key(w->m->maps.v[map].dso, offset, w->arch);
	e = &k->rows[hash_u64(key) % ROWS];
	*row = &e->row;
	if (key && e->key == key && e->closes == k->dsos.closes)
		return true;
	e->key = 0;
	r = find_row(k, w, map, offset, &vaddr, &e->row);
	/* behind it: to open this image another one may have been closed */
	e->closes = k->dsos.closes;
	if (r == UNWIND_DSO_ROW)
		e->key = key;
	else
		*why = why_no_row(r);
	return r == UNWIND_DSO_ROW;
}

enum unwind_lookup_code unwind_lookup_code(struct unwind_lookup *k, const struct unwind_walk *w,
					   u64 addr)
{
	u32 map = code_map(w, addr - 1), len;
	struct unwind_dso *d;
	const u8 *code;
	u64 offset;

	if (map == ID_NONE || !unwind_walk_is_address(addr))
		return UNWIND_LOOKUP_NO_CODE;
	d = unwind_dsos_get(&k->dsos, w->m, map, w->t->pid);
	if (!d)
		return UNWIND_LOOKUP_UNREADABLE;
	offset = map_offset(&w->m->maps.v[map], addr - 1) + 1;
	len = (u32)MIN(offset, (u64)ARCH_UNWIND_CALL);
	code = unwind_bytes_at(&d->bytes, offset - len, len);
	return code && w->arch->after_call(code, len) ? UNWIND_LOOKUP_CALL : UNWIND_LOOKUP_NO_CALL;
}
