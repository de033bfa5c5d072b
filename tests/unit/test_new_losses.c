// SPDX-License-Identifier: GPL-2.0
/* When who pairs samples hears of losses: of what was lost, and of what a CPU did that nobody looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/library/new_losses.h"

struct made {
	struct recording recording;
	struct source source;
	struct session session;
	struct live live;
	struct watching w;
	struct new_losses losses;
};

static void make(struct made *m)
{
	*m = (struct made){0};
	m->source.recording = &m->recording;
	m->session.source = &m->source;
	m->w.in.s = &m->session;
	m->w.live = &m->live;
	assert_int_equal(new_losses_init(&m->losses, &m->w, NULL), 0);
}

static void told_once(void **state)
{
	const struct loss offline = {.cause = LOSS_OFFLINE, .from = 100, .to = 900};
	struct made m;

	(void)state;
	make(&m);
	assert_int_equal(new_losses_until(&m.losses, &m.w, 50), 0);
	loss_account_loss(&m.live.loss_account, &offline);
	assert_int_equal(new_losses_until(&m.losses, &m.w, 200), 900);
	assert_int_equal(new_losses_until(&m.losses, &m.w, 300), 0);
	vec_free(&m.live.loss_account.losses);
	new_losses_free(&m.losses);
}

/* Before the CPU is seen again, and its loss told. */
static void unseen(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	m.live.event_session.hotplug.unseen = 400;
	assert_int_equal(new_losses_until(&m.losses, &m.w, 200), 400);
	assert_int_equal(new_losses_until(&m.losses, &m.w, 300), 0);
	m.live.event_session.hotplug.unseen = 500;
	assert_int_equal(new_losses_until(&m.losses, &m.w, 310), 500);
	new_losses_free(&m.losses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_once),
		cmocka_unit_test(unseen),
	};

	return cmocka_run_group_tests_name("new_losses", tests, NULL, NULL);
}
