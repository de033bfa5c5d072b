// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "perf-lite/cmd.h"
#include "perf-lite/input.h"
#include "util/library/reading.h"

int input_damage_report(const struct recording *r, u64 misfits, bool quiet, struct err *err)
{
	struct buf lines = {0};
	bool damaged = reading_damage_lines(r, misfits, &lines, err);

	if (!quiet)
		fputs(buf_str(&lines), stderr);
	buf_free(&lines);
	return damaged ? CMD_PARTIAL : CMD_OK;
}
