/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oom.h - memory that runs out when a test says so.
 *
 * Every unit test is linked with malloc, calloc and realloc wrapped (tests/tests.mk). To try
 * every place where a function allocates:
 *
 *	for (n = 0;; n++) {
 *		oom_after(n);
 *		ret = function_under_test();
 *		if (!oom_stop())
 *			break;
 *		... ret must say that memory ran out, and all must still be consistent
 *	}
 */
#ifndef TESTS_UNIT_OOM_H
#define TESTS_UNIT_OOM_H

#include <stdbool.h>

/* Let `n` allocations succeed and every later one fail, until oom_stop(). */
void oom_after(unsigned int n);
/* Let only the one after them fail: what goes on in spite of it is not hidden by the next. */
void oom_only(unsigned int n);
/* Memory is plentiful again; true if an allocation was refused. */
bool oom_stop(void);

#endif
