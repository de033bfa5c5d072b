// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_parse.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "util/event/ev_expr.h"
#include "util/event/ev_names.h"
#include "util/event/ev_pmu.h"
#include "util/event/ev_probe.h"
#include "util/event/ev_term.h"
#include "util/event/ev_tracepoint.h"
#include "util/record/event_set.h"

/*
 * The letters behind an event or a group.
 *
 *	u k h  only user space, only the kernel, only the hypervisor; or those that are named
 *	G H    only in a guest, only on the host
 *	I      not while idle
 *	p      precise address, up to three times; P the most precise that there is
 *	S      the leader's samples carry the counts of the whole group
 *	D e    pinned; alone on the PMU (both: leaders only)
 *	W      the group may be broken up
 *	b      perf's BPF counters
 *
 * Source: perf-list(1), EVENT MODIFIERS.
 */

static int check(const struct ev_lex *l, struct ev_word w)
{
	size_t i, precise = 0;

	for (i = 0; i < w.len; i++) {
		if (!strchr(EVENT_SET_MODIFIERS, w.s[i]))
			return ev_lex_error(l, w.s + i, "unknown modifier '%c', not one of %s",
					    w.s[i], EVENT_SET_MODIFIERS);
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
	return 0;
}

/*
 * Apply to nr specs. Those of a group are added to what the events have said for themselves;
 * else the exclude_ bits start from nothing: as in perf, "cs" excludes guests and "cs:k" does not.
 */
static int apply_modifiers(const struct ev_lex *l, struct ev_word w, struct ev_spec *specs, u32 nr,
			   bool group)
{
	int ret = check(l, w);
	u32 i;

	for (i = 0; !ret && i < nr; i++)
		ret = apply(l, w, &specs[i], group);
	return ret;
}

/* More than any machine opens; a pattern may still pass it by what the machine has. */
#define SPECS_MAX 65536u

struct parser {
	struct ev_lex lex;
	struct ev_list *list;
	struct ev_env *env;
	struct ev_term_list terms; /* of the event at hand */
};

/* ---- what all kinds of events share ---- */

static int unexpected(const struct parser *p, const char *expected)
{
	return ev_lex_error(&p->lex, p->lex.p, "%s is expected here", expected);
}

/* "/terms/", if they follow; 1 if there were slashes. */
static int parse_terms(struct parser *p)
{
	int ret;

	p->terms.nr = 0;
	if (!ev_lex_take(&p->lex, '/'))
		return 0;
	ret = ev_term_parse(&p->lex, true, &p->list->arena, &p->terms);
	return ret ? ret : 1;
}

/* Modifiers follow a colon, or directly the last slash. */
static int parse_modifiers(struct parser *p, u32 first, bool slashes)
{
	struct ev_word w;

	if (!ev_lex_take(&p->lex, ':') && !slashes)
		return 0;
	w = ev_lex_word(&p->lex);
	return w.len ? apply_modifiers(&p->lex, w, p->list->specs.v + first,
				       p->list->specs.nr - first, false)
		     : 0;
}

/* Terms of an event that is no PMU's. */
static int apply_terms(struct parser *p, struct ev_spec *s)
{
	u32 i;
	int ret;

	for (i = 0; i < p->terms.nr; i++) {
		const struct ev_term *t = &p->terms.v[i];
		struct ev_word w = {t->key, strlen(t->key)};
		bool fits;
		u64 raw;

		ret = ev_term_apply(&p->lex, t, s);
		if (ret < 0)
			return ret;
		if (ret)
			continue;
		if (s->class == EV_TRACEPOINT || t->kind != EV_TERM_BARE ||
		    !ev_word_raw(w, &raw, &fits) || !fits) {
			ret = ev_lex_error(&p->lex, t->at, "unknown term '%.*s'", EV_WORD(w));
			ev_term_hint(t, s->class, p->lex.err);
			return ret;
		}
		s->attr.config = raw;
	}
	return 0;
}

static int add_plain(struct parser *p, enum ev_class class, u32 type, u64 config)
{
	u32 first = p->list->specs.nr;
	struct ev_spec *s;
	int slashes, ret;

	slashes = parse_terms(p);
	if (slashes < 0)
		return slashes;
	s = ev_spec_add(p->list);
	if (!s)
		return err_nomem(p->lex.err);
	s->name = NULL;
	s->class = class;
	s->attr.type = type;
	s->attr.config = config;
	ret = apply_terms(p, s);
	return ret ? ret : parse_modifiers(p, first, slashes);
}

/* ---- the kinds of events ---- */

/* "LLC-loads:u" is called LLC-loads. */
static int parse_cache(struct parser *p, struct ev_word w, u64 config)
{
	u32 first = p->list->specs.nr;
	struct ev_spec *s;
	int ret;

	ret = add_plain(p, EV_CACHE, PERF_TYPE_HW_CACHE, config);
	s = &p->list->specs.v[first];
	if (ret || s->name)
		return ret;
	s->name = arena_strndup(&p->list->arena, w.s, w.len);
	return s->name ? 0 : err_nomem(p->lex.err);
}

static int parse_number(struct parser *p, struct ev_word w, u64 max, u64 *v)
{
	bool fits;

	if (!ev_word_number(w, v, &fits))
		return ev_lex_error(&p->lex, w.s, "a number is expected here");
	if (!fits || *v > max)
		return ev_lex_error(&p->lex, w.s, "%.*s is larger than %u bits", EV_WORD(w),
				    max == UINT32_MAX ? 32 : 64);
	return 0;
}

/* "1:0x2": perf_event_attr's type and config. */
static int parse_numeric(struct parser *p, struct ev_word w)
{
	u64 type, config;
	int ret;

	ret = parse_number(p, w, UINT32_MAX, &type);
	if (ret)
		return ret;
	if (!ev_lex_take(&p->lex, ':'))
		return unexpected(p, "a ':' and the config behind it");
	ret = parse_number(p, ev_lex_word(&p->lex), UINT64_MAX, &config);
	return ret ? ret : add_plain(p, EV_RAW, (u32)type, config);
}

/* "rwx": each once. */
static u32 breakpoint_mode(struct ev_word w)
{
	u32 mode = 0, bit;
	size_t i;

	for (i = 0; i < w.len; i++) {
		bit = w.s[i] == 'r'   ? HW_BREAKPOINT_R
		      : w.s[i] == 'w' ? HW_BREAKPOINT_W
		      : w.s[i] == 'x' ? HW_BREAKPOINT_X
				      : 0;
		if (!bit || mode & bit)
			return 0;
		mode |= bit;
	}
	return mode;
}

/* What follows the address: "/length", ":mode", both or none. */
static int parse_breakpoint_rest(struct parser *p, struct perf_event_attr *attr)
{
	struct ev_lex before;
	struct ev_word w;
	u64 len = 0;
	u32 mode;
	int ret;

	if (ev_lex_take(&p->lex, '/')) {
		w = ev_lex_word(&p->lex);
		ret = parse_number(p, w, UINT64_MAX, &len);
		if (!ret && (len > 8 || !len || len & (len - 1)))
			ret = ev_lex_error(&p->lex, w.s, "the length must be 1, 2, 4 or 8 bytes");
		if (ret)
			return ret;
	}
	attr->bp_type = HW_BREAKPOINT_RW;
	before = p->lex;
	if (ev_lex_take(&p->lex, ':')) {
		mode = breakpoint_mode(ev_lex_word(&p->lex));
		if (mode)
			attr->bp_type = mode;
		else
			p->lex = before; /* modifiers then */
	}
	if (!len)
		len = attr->bp_type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	attr->bp_len = len;
	return 0;
}

/* "mem:0x1000/8:w" is called mem:0x1000, "mem:0x1000:w" keeps its mode. */
static int parse_breakpoint(struct parser *p, const char *start)
{
	u32 first = p->list->specs.nr;
	struct ev_spec *s;
	struct ev_word w;
	u64 addr;
	int ret;

	ev_lex_take(&p->lex, ':');
	w = ev_lex_word(&p->lex);
	if (!w.len || !isdigit((u8)*w.s))
		return ev_lex_error(&p->lex, w.s, "an address is expected here, such as 0x1000");
	ret = parse_number(p, w, UINT64_MAX, &addr);
	if (ret)
		return ret;
	s = ev_spec_add(p->list);
	if (!s)
		return err_nomem(p->lex.err);
	s->name = NULL;
	if (*p->lex.p == '/')
		s->name = arena_strndup(&p->list->arena, start, (size_t)(p->lex.p - start));
	s->class = EV_BP;
	s->attr.type = PERF_TYPE_BREAKPOINT;
	s->attr.bp_addr = addr;
	ret = parse_breakpoint_rest(p, &s->attr);
	return ret ? ret : parse_modifiers(p, first, false);
}

/* Are these nothing but modifiers? Then the word before the colon is no system. */
static bool modifiers_follow(const struct parser *p)
{
	struct ev_lex ahead = p->lex;
	struct ev_word w;

	ev_lex_take(&ahead, ':');
	w = ev_lex_word(&ahead);
	return ev_word_is_modifier(w) || !w.len;
}

static int refuse_modifiers(struct parser *p)
{
	return ev_lex_peek(&p->lex) != ':'
		       ? 0
		       : ev_lex_error(&p->lex, p->lex.p,
				      "an event that a program makes has no modifiers");
}

static int parse_probe(struct parser *p, struct ev_word kind)
{
	u32 i, first = p->list->specs.nr;
	int slashes, ret;

	ret = ev_usdt_named(kind) ? ev_usdt_add(p->list, p->env, &p->lex, kind)
				  : ev_probe_add(p->list, p->env, &p->lex, kind);
	if (ret)
		return ret;
	if (first < p->list->specs.nr && p->list->specs.v[first].tp.expr)
		return refuse_modifiers(p);
	slashes = parse_terms(p);
	if (slashes < 0)
		return slashes;
	for (i = first; !ret && i < p->list->specs.nr; i++)
		ret = apply_terms(p, &p->list->specs.v[i]);
	return ret ? ret : parse_modifiers(p, first, slashes);
}

/* The text after "SYSTEM:" cannot be a name; maybe it is the file of a probe. */
static int no_tracepoint(struct parser *p, struct ev_word system)
{
	char *word = arena_strndup(&p->list->arena, system.s, system.len);
	int ret = unexpected(p, "the name of a tracepoint");

	if (word)
		ev_suggest_file_probe(word, p->lex.p, p->lex.err);
	return ret;
}

/* "tracepoint:SYSTEM:NAME", as bpftrace has it: the first word says nothing. */
static void pass_over_prefix(struct parser *p, struct ev_word *system)
{
	struct parser ahead = *p;
	struct ev_word next;

	if (!ev_word_is(*system, "tracepoint") && !ev_word_is(*system, "t"))
		return;
	ev_lex_take(&ahead.lex, ':');
	next = ev_lex_word(&ahead.lex);
	if (!next.len || ev_lex_peek(&ahead.lex) != ':' || modifiers_follow(&ahead))
		return;
	*system = next;
	p->lex = ahead.lex;
}

static int parse_tracepoint(struct parser *p, struct ev_word system)
{
	u32 i, first = p->list->specs.nr;
	struct ev_word name;
	int slashes, ret;

	pass_over_prefix(p, &system);
	ev_lex_take(&p->lex, ':');
	name = ev_lex_word(&p->lex);
	if (!name.len)
		return no_tracepoint(p, system);
	if (ev_lex_peek(&p->lex) == '(') {
		ret = ev_expr_add(p->list, p->env, &p->lex, system, name);
		return ret ? ret : refuse_modifiers(p);
	}
	slashes = parse_terms(p);
	if (slashes < 0)
		return slashes;
	ret = ev_tracepoint_add(p->list, p->env, &p->lex, system, name);
	for (i = first; !ret && i < p->list->specs.nr; i++)
		ret = apply_terms(p, &p->list->specs.v[i]);
	return ret ? ret : parse_modifiers(p, first, slashes);
}

static int parse_pmu(struct parser *p, struct ev_word pmu)
{
	u32 first = p->list->specs.nr;
	int ret;

	ret = parse_terms(p);
	if (ret >= 0)
		ret = ev_pmu_add(p->list, p->env, &p->lex, pmu, &p->terms);
	return ret ? ret : parse_modifiers(p, first, true);
}

static int unknown_event(struct parser *p, struct ev_word w)
{
	char *word = arena_strndup(&p->list->arena, w.s, w.len);
	int ret;

	ret = ev_lex_error(&p->lex, w.s, "unknown event '%.*s'", EV_WORD(w));
	if (word)
		ev_suggest_event(p->env, word, p->lex.err);
	return ret;
}

/* A word that is no fixed name: what follows it decides. */
static int parse_named(struct parser *p, struct ev_word w)
{
	char next = ev_lex_peek(&p->lex);
	u32 first = p->list->specs.nr;
	int ret;

	if (next == '/')
		return parse_pmu(p, w);
	if (next == ':' && !modifiers_follow(p))
		return parse_tracepoint(p, w);
	ret = ev_pmu_add_alias(p->list, p->env, &p->lex, w);
	if (ret > 0)
		return parse_modifiers(p, first, false);
	if (ret)
		return ret;
	return next == ':' ? parse_tracepoint(p, w) : unknown_event(p, w);
}

static int parse_kind(struct parser *p, const char *start)
{
	const struct ev_name *known;
	enum ev_class class;
	struct ev_word w;
	bool fits;
	u64 config;
	int ret;

	if (p->env->raw_syscalls && (ret = ev_calls_add(p->list, p->env, &p->lex)))
		return MIN(ret, 0);
	w = ev_lex_word(&p->lex);
	if (!w.len)
		return unexpected(p, "an event");
	if (ev_word_is(w, "mem") && ev_lex_peek(&p->lex) == ':')
		return parse_breakpoint(p, start);
	if ((ev_probe_named(w) || ev_usdt_named(w)) && ev_lex_peek(&p->lex) == ':')
		return parse_probe(p, w);
	if (isdigit((u8)*w.s))
		return parse_numeric(p, w);
	known = ev_names_find(w.s, w.len, &class);
	if (known)
		return add_plain(p, class, ev_names_type(class), known->config);
	ret = ev_names_cache(w.s, w.len, &config);
	if (ret < 0)
		return ev_lex_error(&p->lex, w.s, "there is no such operation on this cache");
	if (ret)
		return parse_cache(p, w, config);
	if (ev_word_raw(w, &config, &fits)) {
		if (!fits)
			return ev_lex_error(&p->lex, w.s, "%.*s is larger than 64 bits",
					    EV_WORD(w));
		return add_plain(p, EV_RAW, PERF_TYPE_RAW, config);
	}
	return parse_named(p, w);
}

/* ---- events, groups, the list ---- */

/* perf 6.1 took such files for BPF programs; their names would be read as something else. */
static int refuse_bpf(const struct parser *p, const char *start)
{
	static const char *const suffixes[] = {".c", ".o", ".bpf", ".obj"};
	const char *end = start + strcspn(start, ",{}");
	size_t n;
	u32 i;

	while (end > start && isspace((u8)end[-1]))
		end--;
	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		n = strlen(suffixes[i]);
		if ((size_t)(end - start) > n && !memcmp(end - n, suffixes[i], n))
			return ev_lex_error(&p->lex, start, "BPF programs are not supported");
	}
	return 0;
}

/* The name of that PMU if it makes no samples (pmu_traces()). */
static const char *tracer_of_type(const struct parser *p, u32 type)
{
	const struct pmu_set *set = ev_env_pmus(p->env, NULL);
	u32 i;

	for (i = 0; set && i < set->pmus.nr; i++)
		if (set->pmus.v[i].type == type && pmu_traces(set->pmus.v[i].name))
			return arena_strdup(&p->list->arena, set->pmus.v[i].name);
	return NULL;
}

/* Give the specs of an event their name and place; what follows must end the event. */
static int finish_event(struct parser *p, const char *start, u32 first)
{
	const char *end, *name = NULL;
	char c = ev_lex_peek(&p->lex);
	u32 i;

	if (c && !strchr(",{}", c))
		return unexpected(p, "','");
	end = p->lex.p;
	for (i = first; i < p->list->specs.nr; i++) {
		struct ev_spec *s = &p->list->specs.v[i];

		s->text = p->lex.text;
		s->at = (u32)(start - p->lex.text);
		s->len = (u32)(end - start);
		if (s->class == EV_RAW && s->attr.type >= PERF_TYPE_MAX && !s->pmu.name)
			s->pmu.name = tracer_of_type(p, s->attr.type);
		if (s->attr.type == PERF_TYPE_TRACEPOINT && !s->tp.format &&
		    ev_tracepoint_identify(p->list, p->env, s))
			return err_nomem(p->lex.err);
		if (s->name)
			continue;
		if (s->pmu.of_sorts) {
			s->name = ev_pmu_name(&p->list->arena, s, start, s->len);
			if (!s->name)
				return err_nomem(p->lex.err);
			continue;
		}
		if (!name)
			name = arena_strndup(&p->list->arena, start, s->len);
		if (!name)
			return err_nomem(p->lex.err);
		s->name = name;
	}
	return 0;
}

static int parse_event(struct parser *p)
{
	const char *start = p->lex.p;
	u32 first = p->list->specs.nr;
	int ret;

	if (first >= SPECS_MAX)
		return ev_lex_error(&p->lex, start, "more than %u events", SPECS_MAX);
	ret = refuse_bpf(p, start);
	if (!ret)
		ret = parse_kind(p, start);
	return ret ? ret : finish_event(p, start, first);
}

static int parse_group_events(struct parser *p)
{
	const char *open = p->lex.p;
	struct ev_lex ahead;
	int ret;

	ev_lex_take(&p->lex, '{');
	do {
		ahead = p->lex;
		if (ev_lex_peek(&ahead) == '{')
			return ev_lex_error(&p->lex, ahead.p, "a group cannot hold a group");
		ret = parse_event(p);
		if (ret)
			return ret;
	} while (ev_lex_take(&p->lex, ','));
	if (!ev_lex_peek(&p->lex))
		return ev_lex_error(&p->lex, open, "this group is not closed");
	return ev_lex_take(&p->lex, '}') ? 0 : unexpected(p, "',' or '}'");
}

static int parse_group(struct parser *p, struct ev_word name)
{
	u32 i, first = p->list->specs.nr;
	const char *kept = NULL;
	struct ev_word w;
	int ret;

	if (name.len) {
		kept = arena_strndup(&p->list->arena, name.s, name.len);
		if (!kept)
			return err_nomem(p->lex.err);
	}
	ret = parse_group_events(p);
	if (ret)
		return ret;
	for (i = first; i < p->list->specs.nr; i++) {
		struct ev_spec *s = &p->list->specs.v[i];

		s->group = p->list->nr_groups;
		s->leader = i == first;
		s->group_name = kept;
	}
	p->list->nr_groups++;
	if (!ev_lex_take(&p->lex, ':'))
		return 0;
	w = ev_lex_word(&p->lex);
	if (!w.len)
		return unexpected(p, "a modifier");
	return apply_modifiers(&p->lex, w, p->list->specs.v + first, p->list->specs.nr - first,
			       true);
}

static int parse_item(struct parser *p)
{
	struct ev_lex ahead = p->lex;
	struct ev_word name = ev_lex_word(&ahead);

	if (ev_lex_peek(&ahead) != '{')
		return parse_event(p);
	if (name.len && isdigit((u8)*name.s))
		return ev_lex_error(&p->lex, name.s,
				    "the name of a group must begin with a letter");
	p->lex = ahead;
	return parse_group(p, name);
}

static int parse_items(struct parser *p)
{
	int ret;

	do {
		ret = parse_item(p);
		if (ret)
			return ret;
	} while (ev_lex_take(&p->lex, ','));
	return ev_lex_peek(&p->lex) ? unexpected(p, "','") : 0;
}

int ev_parse(struct ev_list *list, const char *text, struct ev_env *env, struct err *err)
{
	struct parser p = {.list = list, .env = env};
	u32 first = list->specs.nr, groups = list->nr_groups;
	int ret;

	if (strlen(text) > INT32_MAX)
		return err_set(err, E2BIG, "the list of events is too long");
	p.lex.err = err;
	p.lex.text = p.lex.p = arena_strdup(&list->arena, text);
	if (!p.lex.text)
		return err_nomem(err);
	ret = parse_items(&p);
	vec_free(&p.terms);
	if (ret) {
		ev_suggest_program(text, err);
		list->specs.nr = first;
		list->nr_groups = groups;
		return ret;
	}
	list->last = first;
	return 0;
}
