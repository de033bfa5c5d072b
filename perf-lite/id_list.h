/* SPDX-License-Identifier: GPL-2.0 */
/*
 * id_list.h - the numbers of processes and threads behind -p and -t: "123,456".
 */
#ifndef PERF_LITE_ID_LIST_H
#define PERF_LITE_ID_LIST_H

#include "util/base/err.h"
#include "util/base/vec.h"

struct id_list {
	u32 *v;
	u32 nr, cap;
};

/* `what` they are, for the message; `hint` how else to name them. */
int id_list_add(struct id_list *ids, const char *arg, const char *what, const char *hint,
		struct err *err);

#endif
