// SPDX-License-Identifier: GPL-2.0
/* Events as the kernel records them and as they are stored: which call chains have marks of ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/capture/recorded_events.h"
#include "util/record/deferred.h"

#define CHAINS (PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)

enum { FRAME_POINTERS, STACK_COPY, DEFERRED, EVENTS };

static void make_list(struct ev_spec *specs, struct ev_list *list)
{
	u32 i;

	for (i = 0; i < EVENTS; i++) {
		specs[i].name = "made";
		specs[i].group = ID_NONE;
		specs[i].attr.size = sizeof(specs[i].attr);
		specs[i].attr.sample_type = CHAINS;
	}
	specs[STACK_COPY].attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	deferred_ask(&specs[DEFERRED].attr);
	list->specs.v = specs;
	list->specs.nr = list->specs.cap = EVENTS;
}

static void marks(void **state)
{
	struct ev_spec specs[EVENTS] = {0};
	const struct counters none = {0};
	struct ev_list list = {0};
	struct event_set set = {0};
	const struct event_desc *e;
	int keep;

	(void)state;
	make_list(specs, &list);
	for (keep = 0; keep < 2; keep++) {
		assert_int_equal(recorded_events_stored(&list, &none, keep, &set, NULL), 0);
		e = set.events.v;
		assert_true(e[FRAME_POINTERS].layout.kernel_chains);
		assert_false(e[STACK_COPY].layout.kernel_chains);
		assert_int_equal(!(e[STACK_COPY].attr.sample_type & PERF_SAMPLE_STACK_USER), !keep);
		assert_false(e[DEFERRED].layout.kernel_chains);
		event_set_free(&set);
	}
	/* the kernel has unwound nothing yet */
	assert_int_equal(recorded_events_live(&list, &none, &set, NULL), 0);
	e = set.events.v;
	assert_true(e[FRAME_POINTERS].layout.kernel_chains);
	assert_true(e[STACK_COPY].layout.kernel_chains);
	assert_false(e[DEFERRED].layout.kernel_chains);
	event_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("recorded_events", tests, NULL, NULL);
}
