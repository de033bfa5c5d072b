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
	{OPT_GROUP, 0, NULL, NULL, NULL, "What else of each sample", NULL, 0},                 \
		{OPT_FLAG, 'd', "data", NULL, &(o)->addresses, "with the address of the data", \
		 NULL,     0},                                                                 \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "phys-data",                                                                  \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "with its physical address",                                                  \
		 record_more_on_phys_data,                                                     \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "data-page-size",                                                             \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "with the size of its page",                                                  \
		 record_more_on_data_page_size,                                                \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "code-page-size",                                                             \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "with the size of the code's page",                                           \
		 record_more_on_code_page_size,                                                \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "sample-ip",                                                                  \
		 NULL,                                                                         \
		 &(o)->sample_ip,                                                              \
		 "with the address of each tracepoint (call chains begin with it)",            \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_CALL,                                                                     \
		 'I',                                                                          \
		 "intr-regs",                                                                  \
		 "REGS",                                                                       \
		 (o),                                                                          \
		 "with registers, all or AX,IP,...; --intr-regs=? names them",                 \
		 record_more_on_intr_regs,                                                     \
		 OPT_ARG_OPTIONAL},                                                            \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "user-regs",                                                                  \
		 "REGS",                                                                       \
		 (o),                                                                          \
		 "with those that the user's code had at its last entry into the kernel",      \
		 record_more_on_user_regs,                                                     \
		 OPT_ARG_OPTIONAL},                                                            \
		{OPT_CALL,                                                                     \
		 0,                                                                            \
		 "all-cgroups",                                                                \
		 NULL,                                                                         \
		 (o),                                                                          \
		 "with the control group of the task",                                         \
		 record_more_on_cgroups,                                                       \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "namespaces",                                                                 \
		 NULL,                                                                         \
		 &(o)->namespaces,                                                             \
		 "with every task's namespaces, apart",                                        \
		 NULL,                                                                         \
		 0},                                                                           \
		{OPT_FLAG,                                                                     \
		 0,                                                                            \
		 "text-poke",                                                                  \
		 NULL,                                                                         \
		 &(o)->text_poke,                                                              \
		 "with every change of the kernel's instructions, apart",                      \
		 NULL,                                                                         \
		 0},                                                                           \
	{                                                                                      \
		OPT_FLAG, 0, "switch-events", NULL, &(o)->switch_events,                       \
			"with every switch of task, apart", NULL, 0                            \
	}

#endif
