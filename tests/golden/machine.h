/* SPDX-License-Identifier: GPL-2.0 */
/* machine.h - what the pages of machine.c share. */
#ifndef TESTS_GOLDEN_MACHINE_H
#define TESTS_GOLDEN_MACHINE_H

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MAX_FD     1024
#define NS_PER_MS  1000000ull
#define NS_PER_S   1000000000ull

struct counter {
	bool used;
	const char *values; /* "VALUE,...": as in COUNTS */
	uint64_t opened;    /* the clock then */
	uint32_t waits;     /* how often time had passed */
	bool grouped;
	int members[64], nr; /* of a group, after the leader */
	int number;          /* in the order of opening */
	struct perf_event_attr attr;
	int cpu;
	int output; /* whose ring its samples go to: itself, or another counter */
	struct perf_event_mmap_page *ring;
};

extern struct counter counters[MAX_FD];
/* The clock, in ns. */
extern uint64_t now;

/* Is the event with this attr the one of that name? */
bool is_event(const char *text, size_t len, const struct perf_event_attr *attr);

/* machine_rings.c: the samples up to now, into the rings. */
void rings_fill(void);

#endif
