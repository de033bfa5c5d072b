// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_names.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/base/text.h"

static const struct ev_name hw_names[] = {
	{"cpu-cycles", "cycles", PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", NULL, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", NULL, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", NULL, PERF_COUNT_HW_CACHE_MISSES},
	{"branch-instructions", "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", NULL, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", NULL, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", "idle-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", NULL, PERF_COUNT_HW_REF_CPU_CYCLES},
};

static const struct ev_name sw_names[] = {
	{"cpu-clock", NULL, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", NULL, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", "faults", PERF_COUNT_SW_PAGE_FAULTS},
	{"context-switches", "cs", PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", "migrations", PERF_COUNT_SW_CPU_MIGRATIONS},
	{"minor-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", NULL, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"alignment-faults", NULL, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", NULL, PERF_COUNT_SW_EMULATION_FAULTS},
	{"dummy", NULL, PERF_COUNT_SW_DUMMY},
	{"bpf-output", NULL, PERF_COUNT_SW_BPF_OUTPUT},
	{"cgroup-switches", NULL, PERF_COUNT_SW_CGROUP_SWITCHES},
};

static const struct ev_name tool_names[] = {
	{"duration_time", NULL, PERF_COUNT_SW_DUMMY},
	{"user_time", NULL, PERF_COUNT_SW_DUMMY},
	{"system_time", NULL, PERF_COUNT_SW_DUMMY},
};

const struct ev_name *ev_names_table(enum ev_class class, u32 *nr)
{
	switch (class) {
	case EV_HW:
		*nr = ARRAY_SIZE(hw_names);
		return hw_names;
	case EV_SW:
		*nr = ARRAY_SIZE(sw_names);
		return sw_names;
	case EV_TOOL:
		*nr = ARRAY_SIZE(tool_names);
		return tool_names;
	default:
		*nr = 0;
		return NULL;
	}
}

static bool same(const char *name, const char *word, size_t len)
{
	return name && !strncmp(name, word, len) && !name[len];
}

const struct ev_name *ev_names_find(const char *word, size_t len, enum ev_class *class)
{
	static const enum ev_class classes[] = {EV_HW, EV_SW, EV_TOOL};
	const struct ev_name *t;
	u32 c, i, nr;

	for (c = 0; c < ARRAY_SIZE(classes); c++) {
		t = ev_names_table(classes[c], &nr);
		for (i = 0; i < nr; i++) {
			if (same(t[i].name, word, len) || same(t[i].alias, word, len)) {
				*class = classes[c];
				return &t[i];
			}
		}
	}
	return NULL;
}

u32 ev_names_type(enum ev_class class)
{
	switch (class) {
	case EV_HW:
		return PERF_TYPE_HARDWARE;
	case EV_SW:
	case EV_TOOL:
		return PERF_TYPE_SOFTWARE;
	case EV_CACHE:
		return PERF_TYPE_HW_CACHE;
	case EV_TRACEPOINT:
		return PERF_TYPE_TRACEPOINT;
	case EV_RAW:
		return PERF_TYPE_RAW;
	case EV_BP:
		return PERF_TYPE_BREAKPOINT;
	default:
		return ID_NONE;
	}
}

/* ---- cache events ---- */

#define NR_CACHES  PERF_COUNT_HW_CACHE_MAX
#define NR_OPS     PERF_COUNT_HW_CACHE_OP_MAX
#define NR_RESULTS PERF_COUNT_HW_CACHE_RESULT_MAX

/* The first of each is perf's spelling. */
static const char *const caches[NR_CACHES][5] = {
	[PERF_COUNT_HW_CACHE_L1D] = {"L1-dcache", "l1-d", "l1d", "L1-data"},
	[PERF_COUNT_HW_CACHE_L1I] = {"L1-icache", "l1-i", "l1i", "L1-instruction"},
	[PERF_COUNT_HW_CACHE_LL] = {"LLC", "L2"},
	[PERF_COUNT_HW_CACHE_DTLB] = {"dTLB", "d-tlb", "Data-TLB"},
	[PERF_COUNT_HW_CACHE_ITLB] = {"iTLB", "i-tlb", "Instruction-TLB"},
	[PERF_COUNT_HW_CACHE_BPU] = {"branch", "branches", "bpu", "btb", "bpc"},
	[PERF_COUNT_HW_CACHE_NODE] = {"node"},
};

static const char *const operations[NR_OPS][4] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = {"load", "loads", "read"},
	[PERF_COUNT_HW_CACHE_OP_WRITE] = {"store", "stores", "write"},
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = {"prefetch", "prefetches", "speculative-read",
					     "speculative-load"},
};

static const char *const results[NR_RESULTS][4] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = {"refs", "Reference", "ops", "access"},
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = {"misses", "miss"},
};

#define READ     (1u << PERF_COUNT_HW_CACHE_OP_READ)
#define WRITE    (1u << PERF_COUNT_HW_CACHE_OP_WRITE)
#define PREFETCH (1u << PERF_COUNT_HW_CACHE_OP_PREFETCH)

/* Nobody writes instructions, and branches are only looked up. */
static const u8 known_operations[NR_CACHES] = {
	[PERF_COUNT_HW_CACHE_L1D] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_L1I] = READ | PREFETCH,
	[PERF_COUNT_HW_CACHE_LL] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_DTLB] = READ | WRITE | PREFETCH,
	[PERF_COUNT_HW_CACHE_ITLB] = READ,
	[PERF_COUNT_HW_CACHE_BPU] = READ,
	[PERF_COUNT_HW_CACHE_NODE] = READ | WRITE | PREFETCH,
};

static u64 cache_config(u32 cache, u32 operation, u32 result)
{
	return cache | operation << 8 | result << 16;
}

/* Which row of the table begins the word, up to its end or a '-'? The longest spelling wins. */
static u32 match_part(const char *const *table, u32 rows, u32 columns, const char *word, size_t len,
		      size_t *used)
{
	u32 i, found = ID_NONE;
	size_t n;

	*used = 0;
	for (i = 0; i < rows * columns; i++) {
		if (!table[i])
			continue;
		n = strlen(table[i]);
		if (n > *used && n <= len && !memcmp(table[i], word, n) &&
		    (n == len || word[n] == '-')) {
			found = i / columns;
			*used = n;
		}
	}
	return found;
}

/* "-load-misses": each part at most once, in any order. */
static bool parse_parts(const char *word, size_t len, u32 *operation, u32 *result)
{
	size_t used;
	u32 v;

	while (len) {
		if (*word != '-')
			return false;
		word++;
		len--;
		v = match_part(operations[0], NR_OPS, 4, word, len, &used);
		if (v != ID_NONE && *operation == ID_NONE) {
			*operation = v;
		} else {
			v = match_part(results[0], NR_RESULTS, 4, word, len, &used);
			if (v == ID_NONE || *result != ID_NONE)
				return false;
			*result = v;
		}
		word += used;
		len -= used;
	}
	return true;
}

int ev_names_cache(const char *word, size_t len, u64 *config)
{
	u32 cache, operation = ID_NONE, result = ID_NONE;
	size_t used;

	cache = match_part(caches[0], NR_CACHES, 5, word, len, &used);
	if (cache == ID_NONE || !parse_parts(word + used, len - used, &operation, &result))
		return 0;
	if (operation == ID_NONE)
		operation = PERF_COUNT_HW_CACHE_OP_READ;
	if (result == ID_NONE)
		result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	if (!(known_operations[cache] & 1u << operation))
		return -EINVAL;
	*config = cache_config(cache, operation, result);
	return 1;
}

/* perf says "loads" and "load-misses". */
bool ev_names_cache_nth(u32 i, char name[EV_CACHE_NAME_MAX], u64 *config)
{
	static const char *const plural[] = {"loads", "stores", "prefetches"};
	u32 cache, op, result;

	for (cache = 0; cache < NR_CACHES; cache++) {
		for (op = 0; op < NR_OPS; op++) {
			if (!(known_operations[cache] & 1u << op))
				continue;
			if (i >= NR_RESULTS) {
				i -= NR_RESULTS;
				continue;
			}
			result = i;
			snprintf(name, EV_CACHE_NAME_MAX, "%s-%s%s", caches[cache][0],
				 result ? operations[op][0] : plural[op], result ? "-misses" : "");
			*config = cache_config(cache, op, result);
			return true;
		}
	}
	return false;
}

static void add_table(struct text_suggest *s, enum ev_class class)
{
	const struct ev_name *t;
	u32 i, nr;

	t = ev_names_table(class, &nr);
	for (i = 0; i < nr; i++) {
		text_suggest_add(s, t[i].name);
		if (t[i].alias)
			text_suggest_add(s, t[i].alias);
	}
}

/* Names that are made on the fly: `kept` holds the best one. */
static void add_caches(struct text_suggest *s, char kept[EV_CACHE_NAME_MAX])
{
	char name[EV_CACHE_NAME_MAX];
	u64 config;
	u32 i;

	for (i = 0; ev_names_cache_nth(i, name, &config); i++) {
		text_suggest_add(s, name);
		if (s->best == name)
			s->best = strcpy(kept, name);
	}
}

static void add_aliases(struct text_suggest *s, struct ev_env *env)
{
	struct pmu_set *set = ev_env_load_pmus(env, NULL);
	u32 i, j;

	for (i = 0; set && i < set->pmus.nr; i++)
		for (j = 0; j < set->pmus.v[i].aliases.nr; j++)
			text_suggest_add(s, set->pmus.v[i].aliases.v[j].name);
}

static void all_tracepoints(struct ev_env *env, struct tracefs_events *all)
{
	const struct tracefs *t = ev_env_tracefs(env, NULL);

	if (t)
		tracefs_glob(t, "*", "*", all, NULL);
}

/* The event of that name, or the one most like it; of equal ones the first. */
static const struct tracefs_event *nearest_event(const struct tracefs_events *all,
						 const char *system, const char *name,
						 unsigned int *distance)
{
	const struct tracefs_event *best = NULL;
	struct text_suggest s;
	u32 i;

	text_suggest_init(&s, name);
	for (i = 0; i < all->events.nr; i++) {
		const struct tracefs_event *e = &all->events.v[i];
		const char *before = s.best;

		if (system && strcmp(e->system, system))
			continue;
		text_suggest_add(&s, e->name);
		if (s.best != before)
			best = e;
	}
	*distance = s.distance;
	return best;
}

/* The tracepoint at the beginning of the system call of that name, or of the one most like it. */
static const struct tracefs_event *nearest_call(const struct tracefs_events *all, const char *word,
						unsigned int *distance)
{
	const struct tracefs_event *e;
	char name[64];

	if (snprintf(name, sizeof(name), "sys_enter_%s", word) >= (int)sizeof(name))
		return NULL;
	e = nearest_event(all, "syscalls", name, distance);
	/* what is before it counts for nothing */
	return *distance <= strlen(word) / 3 ? e : NULL;
}

/* The first event that the pattern matches, of any system. */
static const struct tracefs_event *match_event(const struct tracefs_events *all,
					       const char *pattern)
{
	u32 i;

	for (i = 0; glob_is_pattern(pattern) && i < all->events.nr; i++)
		if (glob_match(pattern, all->events.v[i].name))
			return &all->events.v[i];
	return NULL;
}

static bool is_system(const struct tracefs_events *all, const char *word)
{
	u32 i;

	for (i = 0; i < all->events.nr; i++)
		if (!strcmp(all->events.v[i].system, word))
			return true;
	return false;
}

void ev_suggest_event(struct ev_env *env, const char *word, struct err *err)
{
	char cache[EV_CACHE_NAME_MAX];
	struct tracefs_events all = {0};
	const struct tracefs_event *e, *call, *match;
	unsigned int distance, call_distance = UINT_MAX;
	struct text_suggest s;

	text_suggest_init(&s, word);
	add_table(&s, EV_HW);
	add_table(&s, EV_SW);
	add_table(&s, EV_TOOL);
	add_caches(&s, cache);
	add_aliases(&s, env);

	all_tracepoints(env, &all);
	match = match_event(&all, word);
	call = nearest_call(&all, word, &call_distance);
	e = nearest_event(&all, NULL, word, &distance);
	if (match)
		err_hint(err, "did you mean %s:%s?", match->system, word);
	else if (call && !call_distance && !env->raw_syscalls)
		err_hint(
			err,
			"did you mean syscalls:%s? calls by arguments and results, with their times: "
			"perf-lite trace -s -e %s --by ret",
			call->name, word);
	else if (is_system(&all, word))
		err_hint(err, "did you mean '%s:*'?", word);
	else if (call && (!e || call_distance <= distance) &&
		 (!s.best || call_distance < s.distance))
		err_hint(err, "did you mean %s%s?", env->raw_syscalls ? "" : "syscalls:",
			 call->name + (env->raw_syscalls ? strlen("sys_enter_") : 0));
	else if (e && (!s.best || distance < s.distance))
		err_hint(err, "did you mean %s:%s?", e->system, e->name);
	else if (s.best)
		err_hint(err, "did you mean %s?", s.best);
	tracefs_events_free(&all);
}

/* The system most like the one typed; itself if it exists. */
static const char *nearest_system(const struct tracefs_events *all, const char *system)
{
	struct text_suggest s;
	u32 i;

	text_suggest_init(&s, system);
	for (i = 0; i < all->events.nr; i++)
		if (!i || strcmp(all->events.v[i].system, all->events.v[i - 1].system))
			text_suggest_add(&s, all->events.v[i].system);
	return s.best;
}

/* Words of bpftrace, perf probe and tracefs for kinds of probes: ours, of the kernel and of programs, or NULL. */
static const struct probe_word {
	const char *theirs, *kernel, *program;
} probe_words[] = {{"k", "kprobe", NULL},     {"kr", "kretprobe", NULL},
		   {"kfunc", "fentry", NULL}, {"kretfunc", "fexit", NULL},
		   {"u", NULL, "uprobe"},     {"ur", NULL, "uretprobe"},
		   {"p", "kprobe", "uprobe"}, {"r", "kretprobe", "uretprobe"},
		   {"U", NULL, "usdt"},       {"probe", "kprobe", "uprobe"}};

static const struct probe_word *probe_word(const char *system)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(probe_words); i++)
		if (!strcmp(probe_words[i].theirs, system))
			return &probe_words[i];
	return NULL;
}

/* Words that bpftrace has before names which need none here. */
static bool is_needless(const char *system)
{
	static const char *const words[] = {"t", "tracepoint", "s", "software", "h", "hardware"};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], system))
			return true;
	return false;
}

/* Probes of bpftrace that are options here; NULL: it is none. */
static const char *option_of(const char *system)
{
	if (!strcmp(system, "profile"))
		return "samples by time: -e cpu-clock -F HZ";
	if (!strcmp(system, "interval") || !strcmp(system, "i"))
		return "every SEC seconds: -I SEC";
	return NULL;
}

void ev_suggest_program(const char *text, struct err *err)
{
	static const char *const actions[] = {"count()", "hist(", "sum(", "printf("};
	const char *filter = strstr(text, " /");
	u32 i;

	if (filter && strchr(filter + 2, '/'))
		err_hint(err, "what is between slashes: --filter 'EXPR'");
	for (i = 0; i < ARRAY_SIZE(actions); i++)
		if (strchr(text, '{') && strstr(text, actions[i]))
			err_hint(err,
				 "no programs are run: perf-lite trace -e EVENT prints, perf-lite "
				 "count -e EVENT --filter EXPR --by KEY --of NUMBER adds up");
}

/* Are there probes in the kernel's own code? */
static bool has_kprobes(struct ev_env *env)
{
	struct pmu_set *set = ev_env_pmus(env, NULL);
	u32 i;

	for (i = 0; set && i < set->pmus.nr; i++)
		if (!strcmp(set->pmus.v[i].name, "kprobe"))
			return true;
	return false;
}

static void suggest_probe(struct ev_env *env, const struct probe_word *word, const char *name,
			  struct err *err)
{
	if (!word->kernel)
		err_hint(err, "did you mean %s:FILE:%s?", word->program, name);
	else if (has_kprobes(env))
		err_hint(err, "did you mean %s:%s?", word->kernel, name);
	else
		err_hint(err,
			 "this kernel has no probes in its own code (CONFIG_KPROBE_EVENTS), only "
			 "tracepoints: perf-lite list '*%s*'",
			 name);
}

/* "t:NAME" without the system; else what is in front is too much. */
static void suggest_without(struct ev_env *env, const char *system, const char *name,
			    struct err *err)
{
	struct tracefs_events all = {0};
	const struct tracefs_event *e;
	unsigned int distance;

	all_tracepoints(env, &all);
	e = *system == 't' ? nearest_event(&all, NULL, name, &distance) : NULL;
	if (e && !distance)
		err_hint(err, "did you mean %s:%s?", e->system, e->name);
	else
		err_hint(err,
			 *system == 't' ? "leave out '%s:'"
					: "leave out '%s:'; to sample every N of them: -c N",
			 system);
	tracefs_events_free(&all);
}

void ev_suggest_file_probe(const char *system, const char *place, struct err *err)
{
	const struct probe_word *word = probe_word(system);
	size_t len = strcspn(place, ",{}");

	if (!word || !word->program)
		return;
	if (memchr(place, ':', len))
		err_hint(err, "did you mean %s:%.*s?", word->program, (int)MIN(len, 200u), place);
	else
		err_hint(err, "%s:%.*s:FUNCTION", word->program, (int)MIN(len, 200u), place);
}

void ev_suggest_tracepoint(struct ev_env *env, const char *system, const char *name,
			   struct err *err)
{
	const struct tracefs_event *e = NULL;
	struct tracefs_events all = {0};
	unsigned int distance;
	const struct probe_word *probe = probe_word(system);
	const char *near;

	if (probe) {
		suggest_probe(env, probe, name, err);
		return;
	}
	if (option_of(system)) {
		err_hint(err, "%s", option_of(system));
		return;
	}
	if (is_needless(system)) {
		suggest_without(env, system, name, err);
		return;
	}
	if (!strncmp(system, "probe_", 6) || !strncmp(system, "sdt_", 4)) {
		err_hint(err, "probes need no setting up: %s:FILE:%s",
			 *system == 's' ? "usdt" : "uprobe", name);
		return;
	}
	all_tracepoints(env, &all);
	near = nearest_system(&all, system);
	if (near && glob_is_pattern(name)) {
		if (strcmp(near, system))
			err_hint(err, "did you mean %s:%s?", near, name);
	} else {
		if (near)
			e = nearest_event(&all, near, name, &distance);
		if (!e)
			e = nearest_event(&all, NULL, name, &distance);
		if (e)
			err_hint(err, "did you mean %s:%s?", e->system, e->name);
		else if (near && !strcmp(near, system))
			err_hint(err, "perf-lite list '%s:*' shows what there is", system);
	}
	tracefs_events_free(&all);
}

void ev_suggest_pmu(struct ev_env *env, const char *name, struct err *err)
{
	struct pmu_set *set = ev_env_pmus(env, NULL);
	struct text_suggest s;
	u32 i;

	text_suggest_init(&s, name);
	for (i = 0; set && i < set->pmus.nr; i++)
		text_suggest_add(&s, set->pmus.v[i].name);
	if (s.best)
		err_hint(err, "did you mean %s/.../?", s.best);
}
