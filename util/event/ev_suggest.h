/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ev_suggest.h - what a name that does not exist may have been meant for.
 *
 * Each looks through all that exists here and, if something is near enough, makes it the hint of
 * the error that has been set; else the hint stays as it is.
 */
#ifndef EVENT_EV_SUGGEST_H
#define EVENT_EV_SUGGEST_H

#include "util/event/ev_env.h"

/* A word on its own: hardware, software and cache events, aliases, tracepoints without system. */
void ev_suggest_event(struct ev_env *env, const char *word, struct err *err);
void ev_suggest_tracepoint(struct ev_env *env, const char *system, const char *name,
			   struct err *err);
/* "u:/bin/bash:readline": a word before a file is meant for a kind of probes. */
void ev_suggest_file_probe(const char *system, const char *place, struct err *err);
void ev_suggest_pmu(struct ev_env *env, const char *name, struct err *err);

#endif
