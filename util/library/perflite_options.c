// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/cli/opt.h"
#include "util/library/perflite_internal.h"

#define OPT_STRUCT struct perflite

static const struct opt of_recordings[] = {
	OPT_INCLUDE(reading_sample_opts, watching.in),
	OPT_INCLUDE(reading_weight_opts, watching.in),
	/* as it is called where the system is watched */
	OPT_CALL_ON(0, "comm", "NAME,...", watching.in, reading_on_comms, "the same as comms"),
	OPT_UINT(0, "max-stack", "N", watching.in.max_stack, "at most N frames of each stack"),
	OPT_FLAG(0, "no-stacks", asked.no_stacks, "samples without call chains"),
	OPT_FLAG(0, "no-fields", asked.no_fields, "samples without raw data"),
	OPT_INCLUDE(reading_name_opts, watching.in),
	OPT_STRING(0, "drops", "KEY,...", asked.drops, "what drops by these keys need",
		   OPT_ARG_OPTIONAL),
	OPT_UINT(0, "jobs", "N", watching.in.session.want.threads, "read with N threads"),
	OPT_INCLUDE(reading_symbol_opts, watching.in.session),
	OPT_END,
};

static const struct opt of_system[] = {
	OPT_INCLUDE(sampling_event_opts, watching.what),
	OPT_INCLUDE(sampling_stack_opts, watching.what),
	OPT_INCLUDE(sampling_rate_opts, watching.what),
	OPT_INCLUDE(sampling_code_opts, watching.what),
	OPT_INCLUDE(sampling_buffer_opts, watching.what),
	OPT_INCLUDE(watching_target_opts, watching),
	OPT_STRING(0, "latency", "PRESET", asked.latency,
		   "the events of this time, instead of others"),
	OPT_STRING(0, "drops", "KEY,...", asked.drops,
		   "the events of drops by these keys, instead of others", OPT_ARG_OPTIONAL),
	OPT_UINT(0, "limit", "N", watching.in.select.limit, "only the first N samples",
		 OPT_POSITIVE),
	OPT_UINT(0, "max-stack", "N", watching.in.max_stack, "at most N frames of each stack"),
	OPT_INCLUDE(reading_name_opts, watching.in),
	OPT_END,
};

int perflite_options_put(const struct opt *rows, void *base, struct arena *arena,
			 const char *const *words, struct err *err)
{
	char *name, *value;
	int ret = 0;

	for (; !ret && words && *words; words++) {
		name = arena_strdup(arena, *words);
		if (!name)
			return err_nomem(err);
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		ret = opt_set(rows, base, name, value, err);
	}
	return ret;
}

int perflite_options_set(struct perflite *p, const char *const *words, struct err *err)
{
	return perflite_options_put(p->live ? of_system : of_recordings, p, &p->arena, words, err);
}
