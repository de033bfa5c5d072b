/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf_commands.h - what perf's users type and perf-lite calls otherwise: what answers it here, and what to type instead.
 */
#ifndef PERF_LITE_PERF_COMMANDS_H
#define PERF_LITE_PERF_COMMANDS_H

#include <stdbool.h>

#include "util/base/err.h"

#define PERF_COMMANDS_WORDS 16 /* of an answer, at most */

/* A command line, its words ending with NULL. */
struct perf_commands_line {
	char **words;
	int nr;
	char *text; /* of the words that were put in */
};

/* argv as it is, or "sched latency ARGS" as "latency run-queue -i perf-lite.data ARGS". -ENOMEM. */
int perf_commands_translate(struct perf_commands_line *line, int argc, char **argv);
void perf_commands_free(struct perf_commands_line *line);

/* Is that a command of perf's of which some words are answered, and `word`, which may be NULL, none of them? Then err says so. */
bool perf_commands_lacks(const char *command, const char *word, struct err *err);
/* A hint for a command of perf's; NULL: it is none. */
const char *perf_commands_instead(const char *command);
/* For a program that perf script runs, by its name. */
const char *perf_commands_script_instead(const char *script);
/* For a word behind one of our commands that was taken for a command to run: "stat record". */
const char *perf_commands_word_instead(const char *command, const char *word);

#endif
