/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record_more.h - what else of the machine samples can carry: registers, pages, control groups.
 * Options of record alone; each on_X() is the call of an option in opt.h's table, whose value is a
 * struct ev_record_options.
 */
#ifndef PERF_LITE_RECORD_MORE_H
#define PERF_LITE_RECORD_MORE_H

#include "util/event/ev_record.h"

/* NULL or "": all that this machine has; "AX,ip": those; "?": -EINVAL, with the names as hint. */
int record_more_on_intr_regs(void *value, const char *arg, struct err *err);
int record_more_on_user_regs(void *value, const char *arg, struct err *err);
int record_more_on_phys_data(void *value, const char *arg, struct err *err);
int record_more_on_data_page_size(void *value, const char *arg, struct err *err);
int record_more_on_code_page_size(void *value, const char *arg, struct err *err);
int record_more_on_cgroups(void *value, const char *arg, struct err *err);

/* Registers of the user and copies of stacks that are unwound are one field. -EINVAL. */
int record_more_check(const struct ev_record_options *o, bool stacks, bool keep_stacks,
		      struct err *err);

/* Rows of a table of options; o: struct ev_record_options *. */
#define RECORD_MORE_OPTS(o)                                                                    \
	{OPT_GROUP, 0, NULL, NULL, NULL, "More data for each sample", NULL, 0},                \
		{OPT_FLAG,                                                                     \
		 'd',                                                                          \
		 "data",                                                                       \
		 NULL,                                                                         \
		 &(o)->addresses,                                                              \
		 "record the data address of "                                                 \
		 "memory accesses and page faults",                                            \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "phys-data",                                                                  \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the physical address of the data",                                    \
		 record_more_on_phys_data,                                                     \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "data-page-size",                                                             \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the page size of the data address",                                   \
		 record_more_on_data_page_size,                                                \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "code-page-size",                                                             \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the page size of the code address",                                   \
		 record_more_on_code_page_size,                                                \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "sample-ip",                                                                  \
		 NULL,                                                                         \
		 &(o)->sample_ip,                                                              \
		 "record the address of each tracepoint hit (call chains already include it)", \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 'I',                                                                          \
		 "intr-regs",                                                                  \
		 "REGS",                                                                       \
		 (o),                                                                          \
		 "record registers: all, or AX,IP,...; --intr-regs=? lists them",              \
		 record_more_on_intr_regs,                                                     \
		 OPT_ARG_OPTIONAL},                                                            \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "user-regs",                                                                  \
		 "REGS",                                                                       \
		 (o),                                                                          \
		 "record user registers, as of the last entry into the kernel",                \
		 record_more_on_user_regs,                                                     \
		 OPT_ARG_OPTIONAL},                                                            \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "all-cgroups",                                                                \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "record the control group of the task",                                       \
		 record_more_on_cgroups,                                                       \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "namespaces",                                                                 \
		 NULL,                                                                         \
		 &(o)->namespaces,                                                             \
		 "record the namespaces of every task",                                        \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "text-poke",                                                                  \
		 NULL,                                                                         \
		 &(o)->text_poke,                                                              \
		 "record every change the kernel makes to its own code",                       \
		 NULL,                                                                         \
		 0},                                                                           \
	{                                                                                      \
		OPT_FLAG, 0, "switch-events", NULL, &(o)->switch_events,                       \
			"record every context switch", NULL, 0                                 \
	}

#endif
