// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_term.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "util/kernel/pmu.h"

/* ---- the text ---- */

/* "'...'": everything up to the next quote. */
static int parse_quoted(struct ev_lex *l, struct ev_word *w)
{
	const char *end;

	w->s = ++l->p;
	end = strchr(l->p, '\'');
	if (!end)
		return ev_lex_error(l, w->s - 1, "this quote is not closed");
	w->len = (size_t)(end - w->s);
	l->p = end + 1;
	return 0;
}

static int parse_value(struct ev_lex *l, struct arena *arena, struct ev_term *t)
{
	bool quoted = ev_lex_peek(l) == '\'', fits;
	struct ev_word w;
	int ret;

	if (quoted) {
		ret = parse_quoted(l, &w);
		if (ret)
			return ret;
	} else {
		w = ev_lex_term_word(l);
	}
	if (!w.len)
		return ev_lex_error(l, l->p, "the value of '%.*s' is missing", EV_WORD_SHOWN,
				    t->key);
	t->kind = EV_TERM_STRING;
	if (!quoted && ev_word_number(w, &t->number, &fits)) {
		if (!fits)
			return ev_lex_error(l, w.s, "%.*s is larger than 64 bits", EV_WORD(w));
		t->kind = EV_TERM_NUMBER;
	}
	t->value = arena_strndup(arena, w.s, w.len);
	return t->value ? 0 : err_nomem(l->err);
}

static int parse_term(struct ev_lex *l, struct arena *arena, struct ev_term_list *terms)
{
	struct ev_term *t = vec_push(terms);
	struct ev_word w;

	if (!t)
		return err_nomem(l->err);
	if (ev_lex_peek(l) == '@')
		return ev_lex_error(l, l->p, "drivers cannot be configured with '@'");
	w = ev_lex_term_word(l);
	if (!w.len)
		return ev_lex_error(l, l->p, "a term is missing here");
	t->at = w.s;
	t->number = 1;
	t->key = arena_strndup(arena, w.s, w.len);
	if (!t->key)
		return err_nomem(l->err);
	return ev_lex_take(l, '=') ? parse_value(l, arena, t) : 0;
}

int ev_term_parse(struct ev_lex *l, bool closed, struct arena *arena, struct ev_term_list *terms)
{
	char end = closed ? '/' : '\0';
	int ret;

	if (ev_lex_peek(l) == end) {
		l->p += closed;
		return 0;
	}
	do {
		ret = parse_term(l, arena, terms);
		if (ret)
			return ret;
	} while (ev_lex_take(l, ','));
	if (ev_lex_peek(l) != end)
		return ev_lex_error(
			l, l->p, closed ? "',' or '/' is expected here" : "',' is expected here");
	l->p += closed;
	return 0;
}

/* ---- what they mean ---- */

int ev_term_number(const struct ev_lex *l, const struct ev_term *t, u64 max, u64 *v)
{
	if (t->kind == EV_TERM_STRING)
		return ev_lex_error(l, t->at, "the value of '%.*s' must be a number", EV_WORD_SHOWN,
				    t->key);
	if (t->number > max)
		return ev_lex_error(l, t->at, "the value of '%.*s' is too big: %llu at most",
				    EV_WORD_SHOWN, t->key, (unsigned long long)max);
	*v = t->number;
	return 0;
}

enum known {
	CONFIG,
	CONFIG1,
	CONFIG2,
	CONFIG3,
	NAME,
	METRIC_ID,
	PERIOD,
	FREQ,
	BRANCH_TYPE,
	TIME,
	CALL_GRAPH,
	STACK_SIZE,
	MAX_STACK,
	NR,
	INHERIT,
	NO_INHERIT,
	OVERWRITE,
	NO_OVERWRITE,
	PERCORE,
	AUX_OUTPUT,
	AUX_SAMPLE_SIZE,
};

/* max == 0: a string. */
static const struct known_term {
	const char *name;
	u64 max;
	u64 min;
	bool tracepoints;
} known_terms[] = {
	[CONFIG] = {"config", UINT64_MAX, 0, false},
	[CONFIG1] = {"config1", UINT64_MAX, 0, false},
	[CONFIG2] = {"config2", UINT64_MAX, 0, false},
	[CONFIG3] = {"config3", UINT64_MAX, 0, false},
	[NAME] = {"name", 0, 0, false},
	[METRIC_ID] = {"metric-id", 0, 0, false},
	[PERIOD] = {"period", INT64_MAX, 1, false},
	[FREQ] = {"freq", INT64_MAX, 1, false},
	[BRANCH_TYPE] = {"branch_type", 0, 0, false},
	[TIME] = {"time", 1, 0, false},
	[CALL_GRAPH] = {"call-graph", 0, 0, true},
	[STACK_SIZE] = {"stack-size", 65528, 1, true},
	[MAX_STACK] = {"max-stack", UINT16_MAX, 1, true},
	[NR] = {"nr", UINT64_MAX, 1, true},
	[INHERIT] = {"inherit", 1, 0, true},
	[NO_INHERIT] = {"no-inherit", 1, 0, true},
	[OVERWRITE] = {"overwrite", 1, 0, true},
	[NO_OVERWRITE] = {"no-overwrite", 1, 0, true},
	[PERCORE] = {"percore", 1, 0, false},
	[AUX_OUTPUT] = {"aux-output", 1, 0, true},
	[AUX_SAMPLE_SIZE] = {"aux-sample-size", UINT32_MAX, 1, true},
};

static int apply_branch_type(const struct ev_lex *l, const struct ev_term *t,
			     struct ev_terms *terms)
{
	const char *unknown;

	if (ev_branch_parse(t->value, &terms->branch, &unknown))
		return ev_lex_error(l, t->at, "unknown branch type '%.*s'",
				    (int)MIN(strcspn(unknown, ","), (size_t)EV_WORD_SHOWN),
				    unknown);
	terms->has |= EV_BRANCH;
	return 1;
}

static int apply_callgraph(const struct ev_lex *l, const struct ev_term *t, struct ev_terms *terms)
{
	static const char *const kinds[] = {
		[EV_CALLGRAPH_NO] = "no",       [EV_CALLGRAPH_FP] = "fp",
		[EV_CALLGRAPH_DWARF] = "dwarf", [EV_CALLGRAPH_LBR] = "lbr",
		[EV_CALLGRAPH_AUTO] = "auto",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(t->value, kinds[i])) {
			terms->callgraph = (enum ev_callgraph)i;
			terms->has |= EV_CALLGRAPH;
			return 1;
		}
	}
	return ev_lex_error(l, t->at, "call-graph must be fp, dwarf, lbr or no, not '%.*s'",
			    EV_WORD_SHOWN, t->value);
}

static int apply_string(const struct ev_lex *l, const struct ev_term *t, enum known k,
			struct ev_spec *spec)
{
	if (t->kind != EV_TERM_STRING)
		return ev_lex_error(l, t->at, "the value of '%s' must be a word", t->key);
	switch (k) {
	case NAME:
		spec->name = t->value;
		return 1;
	case METRIC_ID:
		return 1;
	case BRANCH_TYPE:
		return apply_branch_type(l, t, &spec->terms);
	default:
		return apply_callgraph(l, t, &spec->terms);
	}
}

static int apply_config(const struct ev_lex *l, const struct ev_term *t, u32 word, u64 v,
			struct ev_spec *spec)
{
	__u64 *config = pmu_attr_word(&spec->attr, word);

	if (!config)
		return ev_lex_error(l, t->at, "this build knows no '%s'", t->key);
	*config = v;
	return 1;
}

static void apply_rate(struct ev_spec *spec, u32 which, u64 v)
{
	spec->terms.has &= ~(EV_PERIOD | EV_FREQ);
	spec->terms.has |= which;
	spec->attr.sample_period = v;
	spec->attr.freq = which == EV_FREQ;
}

static void apply_flag(struct ev_terms *t, u32 which, bool *flag, bool v)
{
	t->has |= which;
	*flag = v;
}

static int apply_number(const struct ev_lex *l, const struct ev_term *t, enum known k, u64 v,
			struct ev_spec *spec)
{
	struct ev_terms *terms = &spec->terms;

	switch (k) {
	case CONFIG:
	case CONFIG1:
	case CONFIG2:
	case CONFIG3:
		return apply_config(l, t, k - CONFIG, v, spec);
	case PERIOD:
		apply_rate(spec, EV_PERIOD, v);
		break;
	case FREQ:
		apply_rate(spec, EV_FREQ, v);
		break;
	case TIME:
		apply_flag(terms, EV_TIME, &terms->time, v);
		break;
	case INHERIT:
	case NO_INHERIT:
		apply_flag(terms, EV_INHERIT, &terms->inherit, v == (k == INHERIT));
		break;
	case OVERWRITE:
	case NO_OVERWRITE:
		apply_flag(terms, EV_OVERWRITE, &terms->overwrite, v == (k == OVERWRITE));
		break;
	case PERCORE:
		terms->has |= EV_PERCORE;
		break;
	case AUX_OUTPUT:
		terms->has |= EV_AUX_OUTPUT;
		break;
	case STACK_SIZE: /* the kernel copies whole words */
		terms->has |= EV_STACK_SIZE;
		terms->stack_size = (u32)ALIGN_UP(v, 8);
		break;
	case MAX_STACK:
		terms->has |= EV_MAX_STACK;
		terms->max_stack = (u32)v;
		break;
	case NR:
		terms->has |= EV_NR;
		break;
	default: /* AUX_SAMPLE_SIZE */
		terms->has |= EV_AUX_SAMPLE;
		break;
	}
	return 1;
}

int ev_term_apply(const struct ev_lex *l, const struct ev_term *t, struct ev_spec *spec)
{
	u64 v;
	u32 k;
	int ret;

	for (k = 0; k < ARRAY_SIZE(known_terms); k++)
		if (!strcmp(known_terms[k].name, t->key))
			break;
	if (k == ARRAY_SIZE(known_terms) ||
	    (spec->class == EV_TRACEPOINT && !known_terms[k].tracepoints))
		return 0;
	if (!known_terms[k].max)
		return apply_string(l, t, k, spec);
	ret = ev_term_number(l, t, known_terms[k].max, &v);
	if (!ret && v < known_terms[k].min)
		ret = ev_lex_error(l, t->at, "the value of '%s' must not be 0", t->key);
	return ret ? ret : apply_number(l, t, k, v, spec);
}

void ev_term_suggest(struct text_suggest *s, enum ev_class class)
{
	u32 k;

	for (k = 0; k < ARRAY_SIZE(known_terms); k++)
		if (class != EV_TRACEPOINT || known_terms[k].tracepoints)
			text_suggest_add(s, known_terms[k].name);
}

void ev_term_hint(const struct ev_term *t, enum ev_class class, struct err *err)
{
	struct text_suggest s;

	text_suggest_init(&s, t->key);
	ev_term_suggest(&s, class);
	if (s.best)
		err_hint(err, "did you mean '%s'?", s.best);
	else if (class == EV_TRACEPOINT)
		err_hint(err, "tracepoints take call-graph, stack-size, max-stack, nr, inherit, "
			      "overwrite and aux-*; each hit is recorded, with -F some");
}

static const struct {
	const char *name;
	u64 bits;
} words[] = {
	{"no", 0},
	{"u", PERF_SAMPLE_BRANCH_USER},
	{"k", PERF_SAMPLE_BRANCH_KERNEL},
	{"hv", PERF_SAMPLE_BRANCH_HV},
	{"any", PERF_SAMPLE_BRANCH_ANY},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
	{"call", PERF_SAMPLE_BRANCH_CALL},
	{"cond", PERF_SAMPLE_BRANCH_COND},
	{"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
	{"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
	{"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
	{"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
	{"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
	{"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
	{"hw_index", PERF_SAMPLE_BRANCH_HW_INDEX},
};

#define PRIVILEGES (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

int ev_branch_parse(const char *text, u64 *bits, const char **unknown)
{
	const char *p = text;
	size_t len, i;

	for (*bits = 0;; p += len + 1) {
		len = strcspn(p, ",");
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (strlen(words[i].name) == len && !memcmp(words[i].name, p, len))
				break;
		*unknown = p;
		if (i == ARRAY_SIZE(words))
			return -EINVAL;
		*bits |= words[i].bits;
		if (!p[len])
			break;
	}
	if (*bits && !(*bits & ~(u64)PRIVILEGES))
		*bits |= PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

void ev_branch_words(struct buf *b)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		buf_addf(b, "%s%s", i ? " " : "", words[i].name);
}
