// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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
