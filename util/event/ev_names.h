/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_names.h - the events that have a name of their own, wherever they exist.
 *
 * Names are case-sensitive and spelled as perf spells them. Cache events are put together:
 * CACHE[-OPERATION][-RESULT], as in LLC-load-misses.
 *
 * Source: <linux/perf_event.h>, enum perf_hw_id, perf_sw_ids, perf_hw_cache_id; perf-list(1).
 */
#ifndef EVENT_EV_NAMES_H
#define EVENT_EV_NAMES_H

#include "util/event/ev_env.h"
#include "util/event/ev_spec.h"

struct ev_name {
	const char *name;
	const char *alias; /* or NULL */
	u64 config;
};

/* The table of EV_HW, EV_SW or EV_TOOL; NULL for other classes. */
const struct ev_name *ev_names_table(enum ev_class class, u32 *nr);

/* Look `len` bytes up in these tables. */
const struct ev_name *ev_names_find(const char *word, size_t len, enum ev_class *class);
/* perf_event_attr.type for events of a class; ID_NONE for those that have none of their own. */
u32 ev_names_type(enum ev_class class);

/*
 * A cache event: 1 and its config; 0 if the word is none at all; -EINVAL if it is one, but the
 * cache knows no such operation.
 */
int ev_names_cache(const char *word, size_t len, u64 *config);

#define EV_CACHE_NAME_MAX 32
/* Number `i` of the cache events in perf's spelling; false past the last. */
bool ev_names_cache_nth(u32 i, char name[EV_CACHE_NAME_MAX], u64 *config);

/*
 * Did you mean? Each looks through all names of a kind on this machine and, if one is near enough, makes it the hint of
 * the error that has been set. ev_suggest_event(): hardware, software and cache events, aliases, tracepoints without system.
 */
void ev_suggest_event(struct ev_env *env, const char *word, struct err *err);
void ev_suggest_tracepoint(struct ev_env *env, const char *system, const char *name,
			   struct err *err);
/* "EVENT /FILTER/ { ACTION }": a program of bpftrace. */
void ev_suggest_program(const char *text, struct err *err);
/* "u:/bin/bash:readline": a word before a file is meant for a kind of probes. */
void ev_suggest_file_probe(const char *system, const char *place, struct err *err);
void ev_suggest_pmu(struct ev_env *env, const char *name, struct err *err);

#endif
