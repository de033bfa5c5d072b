// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include "perf-lite/count.h"

int cmd_count(int argc, char **argv, struct err *err)
{
	struct count_request q = {0};
	struct opt_rest rest = {0};
	int ret;

	ret = watching_init(&q.w, "count", err) ? CMD_NO_START : 0;
	if (!ret)
		ret = cmd_refused(count_options(&q, argc, argv, &rest, err));
	if (!ret && !rest.help)
		ret = cmd_refused(watching_find_comm(&q.w, rest.argc, err));
	if (!ret && !rest.help)
		ret = count_counters_can(&q) ? count_counters(&q, err)
					     : count_samples(&q, &rest, err);
	count_options_free(&q);
	watching_end(&q.w);
	return ret;
}
