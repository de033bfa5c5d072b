// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/sampling.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/num.h"

int sampling_ids_add(struct sampling_ids *ids, const char *arg, const char *what, const char *hint,
		     struct err *err)
{
	char piece[16];
	size_t len;
	u64 id;

	for (;; arg += len + 1) {
		u32 *slot;

		len = strcspn(arg, ",");
		snprintf(piece, sizeof(piece), "%.*s", (int)MIN(len, sizeof(piece) - 1), arg);
		if (len >= sizeof(piece) || !num_u64(piece, &id) || !id || id > INT32_MAX) {
			err_set(err, EINVAL, "'%.*s' is not a %s", (int)len, arg, what);
			err_hint(err, "give numbers as ps shows them: 123,456%s", hint);
			return -EINVAL;
		}
		slot = vec_push(ids);
		if (!slot)
			return err_nomem(err);
		*slot = (u32)id;
		if (!arg[len])
			return 0;
	}
}
