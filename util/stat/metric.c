// SPDX-License-Identifier: GPL-2.0
#include "util/stat/metric.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/text.h"
#include "util/event/ev_parse.h"
#include "util/stat/stat_open.h"

static const struct stat_metric metrics[] = {
	{"cpus",
	 "CPUs utilized",
	 "CPUs busy with it, on average",
	 {"task-clock", "duration_time"},
	 1,
	 false},
	{"switch-rate",
	 "switches per CPU second",
	 "context switches per second of CPU time",
	 {"context-switches", "task-clock"},
	 1e9,
	 false},
	{"migration-rate",
	 "migrations per CPU second",
	 "moves to another CPU per second of CPU time",
	 {"cpu-migrations", "task-clock"},
	 1e9,
	 false},
	{"fault-rate",
	 "faults per CPU second",
	 "page faults per second of CPU time",
	 {"page-faults", "task-clock"},
	 1e9,
	 false},
	{"major-faults",
	 "of all page faults",
	 "page faults that waited for a disk",
	 {"major-faults", "page-faults"},
	 100,
	 true},
	{"ghz", "GHz", "cycles per ns of CPU time", {"cycles", "task-clock"}, 1, false},
	{"ipc", "insn per cycle", "instructions per cycle", {"instructions", "cycles"}, 1, false},
	{"branch-miss",
	 "of all branches",
	 "branches predicted wrongly",
	 {"branch-misses", "branches"},
	 100,
	 true},
	{"branch-mpki",
	 "branch misses per 1000 insn",
	 "branch misses per 1000 instructions",
	 {"branch-misses", "instructions"},
	 1000,
	 false},
	{"cache-miss",
	 "of all cache refs",
	 "references that the last cache did not hold",
	 {"cache-misses", "cache-references"},
	 100,
	 true},
	{"cache-mpki",
	 "cache misses per 1000 insn",
	 "misses of the last cache per 1000 instructions",
	 {"cache-misses", "instructions"},
	 1000,
	 false},
	{"l1d-miss",
	 "of all L1-dcache accesses",
	 "loads that the first data cache did not hold",
	 {"L1-dcache-load-misses", "L1-dcache-loads"},
	 100,
	 true},
	{"tlb-mpki",
	 "TLB misses per 1000 insn",
	 "misses of both TLBs, loads and fetches, per 1000 instructions",
	 {"dTLB-load-misses", "iTLB-load-misses", "instructions"},
	 1000,
	 false},
	{"dtlb-mpki",
	 "dTLB misses per 1000 insn",
	 "misses of the data TLB per 1000 instructions",
	 {"dTLB-load-misses", "instructions"},
	 1000,
	 false},
	{"frontend-bound",
	 "frontend cycles idle",
	 "cycles that waited for instructions",
	 {"stalled-cycles-frontend", "cycles"},
	 100,
	 true},
	{"backend-bound",
	 "backend cycles idle",
	 "cycles that waited for data or units",
	 {"stalled-cycles-backend", "cycles"},
	 100,
	 true},
};

const struct stat_metric *stat_metric_nth(u32 i)
{
	return i < ARRAY_SIZE(metrics) ? &metrics[i] : NULL;
}

const struct stat_metric *stat_metric_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		if (strlen(metrics[i].name) == len && !memcmp(metrics[i].name, name, len))
			return &metrics[i];
	return NULL;
}

/* What is forbidden is there: counting it will say what to do. */
static bool can_open(const struct ev_spec *spec, const struct sysroot *root)
{
	static const struct stat_place this_thread = {.cpu = ID_NONE, .tid = 0};
	struct stat_event e = {.name = spec->name, .class = spec->class, .attr = spec->attr};
	struct arena arena = {0};
	struct buf notes = {0};
	struct stat_opener o = {
		.calls = &stat_calls_kernel, .root = root, .arena = &arena, .notes = &notes};
	int fd;

	e.attr.size = sizeof(e.attr);
	e.attr.disabled = 1;
	fd = stat_open(&o, &e, spec, &this_thread, -1, -1, false, NULL);
	if (fd >= 0)
		close(fd);
	arena_free(&arena);
	buf_free(&notes);
	return fd != STAT_OPEN_NOT_HERE;
}

/* Every spec that a name stands for: a machine with two sorts of cores has two. */
static bool can_count(const char *event, struct ev_env *env)
{
	struct ev_list list = {0};
	bool can = !ev_parse(&list, event, env, NULL);
	u32 i;

	for (i = 0; can && i < list.specs.nr; i++)
		if (list.specs.v[i].class != EV_TOOL)
			can = can_open(&list.specs.v[i], env->root);
	ev_list_free(&list);
	return can;
}

bool stat_metric_measurable(const struct stat_metric *m, struct ev_env *env, const char **missing)
{
	u32 i;

	for (i = 0; i < STAT_METRIC_EVENTS && m->events[i]; i++) {
		if (can_count(m->events[i], env))
			continue;
		*missing = m->events[i];
		return false;
	}
	return true;
}

static int no_such_metric(const char *name, size_t len, struct err *err)
{
	char word[64] = "";
	struct text_suggest s;
	size_t i;

	memcpy(word, name, MIN(len, sizeof(word) - 1));
	text_suggest_init(&s, word);
	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		text_suggest_add(&s, metrics[i].name);
	err_set(err, EINVAL, "there is no metric '%s'", word);
	if (s.best)
		err_hint(err, "did you mean '%s'? --metric list shows all that this machine has",
			 s.best);
	else
		err_hint(err, "--metric list shows all that this machine has");
	return -EINVAL;
}

int stat_metric_parse(const char *text, struct ev_env *env, const struct stat_metric **out, u32 max,
		      struct err *err)
{
	const struct stat_metric *m;
	const char *missing = NULL;
	size_t len;
	u32 nr = 0;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		m = stat_metric_find(text, len);
		if (!m)
			return no_such_metric(text, len, err);
		if (!stat_metric_measurable(m, env, &missing)) {
			err_set(err, ENOTSUP,
				"the metric '%s' cannot be measured here: there is no counter for %s",
				m->name, missing);
			err_hint(err, "--metric list shows what this machine can measure");
			return -ENOTSUP;
		}
		if (nr == max)
			return err_set(err, E2BIG, "more than %u metrics", max);
		out[nr++] = m;
		if (!text[len])
			return (int)nr;
	}
}
