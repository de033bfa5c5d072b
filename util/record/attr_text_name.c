// SPDX-License-Identifier: GPL-2.0
#include "util/record/attr_text.h"

#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>

static const char *hardware(u64 config)
{
	static const char *const names[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};

	return config < ARRAY_SIZE(names) ? names[config] : "unknown-hardware";
}

static const char *software(u64 config)
{
	static const char *const names[] = {
		"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
	};

	return config < ARRAY_SIZE(names) ? names[config] : "unknown-software";
}

static int cache(u64 config, char *name, size_t size)
{
	static const char *const caches[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
					     "iTLB",      "branch",    "node"};
	static const char *const one[] = {"load", "store", "prefetch"};
	static const char *const many[] = {"loads", "stores", "prefetches"};
	u64 type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (type >= ARRAY_SIZE(caches) || op >= ARRAY_SIZE(one) || result > 1 || config >> 24)
		return snprintf(name, size, "invalid-cache");
	if (result)
		return snprintf(name, size, "%s-%s-misses", caches[type], one[op]);
	return snprintf(name, size, "%s-%s", caches[type], many[op]);
}

/* Whom it counts, where that is not everybody. */
static void modifiers(const struct perf_event_attr *a, char *to)
{
	const char *start = to++;
	bool usual = a->precise_ip; /* what perf takes for the usual exclude_guest */
	int i;

	if (a->exclude_kernel || a->exclude_user || a->exclude_hv) {
		usual = true;
		if (!a->exclude_kernel)
			*to++ = 'k';
		if (!a->exclude_user)
			*to++ = 'u';
		if (!a->exclude_hv)
			*to++ = 'h';
	}
	for (i = 0; i < a->precise_ip; i++)
		*to++ = 'p';
	if (a->exclude_host || a->exclude_guest == usual) {
		if (!a->exclude_host)
			*to++ = 'H';
		if (!a->exclude_guest)
			*to++ = 'G';
	}
	*to = '\0';
	if (to == start + 1)
		to[-1] = '\0';
}

void attr_text_name(const struct perf_event_attr *a, char name[static ATTR_NAME_MAX])
{
	char more[16] = ":";

	modifiers(a, more);
	switch (a->type) {
	case PERF_TYPE_HARDWARE:
		snprintf(name, ATTR_NAME_MAX, "%s%s", hardware(a->config & UINT32_MAX), more);
		return;
	case PERF_TYPE_SOFTWARE:
		snprintf(name, ATTR_NAME_MAX, "%s%s", software(a->config), more);
		return;
	case PERF_TYPE_HW_CACHE:
		cache(a->config & UINT32_MAX, name, ATTR_NAME_MAX);
		strncat(name, more, ATTR_NAME_MAX - strlen(name) - 1);
		return;
	case PERF_TYPE_RAW:
		snprintf(name, ATTR_NAME_MAX, "raw 0x%llx%s", (unsigned long long)a->config, more);
		return;
	case PERF_TYPE_TRACEPOINT:
		snprintf(name, ATTR_NAME_MAX, "tracepoint %llu", (unsigned long long)a->config);
		return;
	case PERF_TYPE_BREAKPOINT:
		snprintf(name, ATTR_NAME_MAX, "mem:0x%llx:%s%s%s%s", (unsigned long long)a->bp_addr,
			 a->bp_type & HW_BREAKPOINT_R ? "r" : "",
			 a->bp_type & HW_BREAKPOINT_W ? "w" : "",
			 a->bp_type & HW_BREAKPOINT_X ? "x" : "", more);
		return;
	default:
		snprintf(name, ATTR_NAME_MAX, "event type %u config 0x%llx", a->type,
			 (unsigned long long)a->config);
	}
}
