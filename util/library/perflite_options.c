// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/cli/opt.h"
#include "util/library/perflite_internal.h"

#define OPT_STRUCT struct perflite

static const struct opt of_recordings[] = {
	OPT_INCLUDE(reading_sample_opts, watching.in),
	/* as it is called where the system is watched */
	OPT_CALL_ON(0, "comm", "NAME,...", watching.in, reading_on_comms, "the same as comms"),
	OPT_UINT(0, "max-stack", "N", watching.in.max_stack, "at most N frames of each stack"),
	OPT_FLAG(0, "no-stacks", no_stacks, "samples without call chains"),
	OPT_FLAG(0, "no-fields", no_fields, "samples without raw data"),
	OPT_INCLUDE(reading_name_opts, watching.in),
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
	OPT_UINT(0, "limit", "N", watching.in.select.limit, "only the first N samples"),
	OPT_UINT(0, "max-stack", "N", watching.in.max_stack, "at most N frames of each stack"),
	OPT_INCLUDE(reading_name_opts, watching.in),
	OPT_END,
};

/* Options keep their values as they are, so copies of them live as long as *p. */
int perflite_options_set(struct perflite *p, const char *const *words, struct err *err)
{
	const struct opt *rows = p->live ? of_system : of_recordings;
	char *name, *value;
	int ret = 0;

	for (; !ret && words && *words; words++) {
		name = arena_strdup(&p->arena, *words);
		if (!name)
			return err_nomem(err);
		value = strchr(name, '=');
		if (value)
			*value++ = '\0';
		ret = opt_set(rows, p, name, value, err);
	}
	return ret;
}
