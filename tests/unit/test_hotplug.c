// SPDX-License-Identifier: GPL-2.0
/* CPUs that come and go in a tree of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/capture/event_session.h"

static char dir[] = "/tmp/test_hotplug.XXXXXX";
static struct sysroot root;
static u32 first[] = {0, 1, 3};
static const struct cpus known = {.v = first, .nr = 3};

static void online(const char *list)
{
	int fd = openat(root.fd, "sys/devices/system/cpu/online", O_WRONLY | O_CREAT | O_TRUNC,
			0644);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, list, strlen(list)), 0);
	close(fd);
}

static int setup(void **state)
{
	char command[96];

	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(command, sizeof(command), "mkdir -p %s/sys/devices/system/cpu", dir);
	return system(command) || sysroot_open(&root, dir, NULL);
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	sysroot_close(&root);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

/* Look again, and expect that CPU to have come, or none (ID_NONE). */
static void look(struct hotplug *h, u64 now, u32 cpu, u64 since)
{
	u64 got_since;
	u32 got;

	h->checked = 0; /* it is always time */
	if (!hotplug_check(h, now, now + 50)) {
		assert_int_equal(cpu, ID_NONE);
		return;
	}
	if (cpu != ID_NONE) {
		assert_true(hotplug_next(h, &got, &got_since));
		assert_int_equal(got, cpu);
		assert_int_equal(got_since, since);
	}
	assert_false(hotplug_next(h, &got, &got_since));
}

static void come_and_go(void **state)
{
	struct hotplug h;

	(void)state;
	online("0-1,3\n");
	assert_int_equal(hotplug_open(&h, &root, &known, NULL), 0);
	/* the machine's own CPUs are not this test's */
	if (h.events >= 0)
		close(h.events);
	h.events = -1;
	look(&h, 100, ID_NONE, 0);
	online("0,3\n");
	look(&h, 200, ID_NONE, 0);
	assert_int_equal(hotplug_away(&h, 1), 200);
	look(&h, 300, ID_NONE, 0);
	assert_int_equal(hotplug_away(&h, 1), 200);
	/* back, and since when it was away */
	online("0-1,3\n");
	look(&h, 400, 1, 200);
	assert_int_equal(hotplug_away(&h, 1), 0);
	look(&h, 500, ID_NONE, 0);
	/* one that was never there */
	online("0-3\n");
	look(&h, 600, 2, 0);
	/* from then on it is one of them */
	online("0-1,3\n");
	look(&h, 700, ID_NONE, 0);
	online("0-3\n");
	look(&h, 800, 2, 700);
	/* what cannot be read changes nothing */
	online("nonsense\n");
	look(&h, 900, ID_NONE, 0);
	assert_int_equal(hotplug_away(&h, 0), 0);
	assert_int_equal(hotplug_away(&h, 4000), 0);
	hotplug_close(&h);
}

static void not_always(void **state)
{
	struct hotplug h;
	u64 since;
	u32 cpu;

	(void)state;
	online("0-1,3\n");
	assert_int_equal(hotplug_open(&h, &root, &known, NULL), 0);
	if (h.events >= 0)
		close(h.events);
	h.events = -1;
	hotplug_check(&h, 100, 150);
	online("0\n");
	/* within the same moment it is not looked at again */
	assert_false(hotplug_check(&h, 200, 250));
	assert_int_equal(hotplug_away(&h, 1), 0);
	/* but one that is away may be back at any time, with events that nobody sees */
	look(&h, 300, ID_NONE, 0);
	assert_int_equal(hotplug_away(&h, 1), 300);
	online("0-1\n");
	assert_true(hotplug_check(&h, 400, 450));
	assert_true(hotplug_next(&h, &cpu, &since));
	assert_int_equal(cpu, 1);
	assert_int_equal(since, 300);
	hotplug_close(&h);
}

/* What happens on a CPU that is back, but not for us, is seen by nobody. */
static void unseen(void **state)
{
	struct hotplug h;

	(void)state;
	online("0-1,3\n");
	assert_int_equal(hotplug_open(&h, &root, &known, NULL), 0);
	if (h.events >= 0)
		close(h.events);
	h.events = -1;
	online("0,3\n");
	look(&h, 100, ID_NONE, 0);
	look(&h, 200, ID_NONE, 0);
	assert_int_equal(h.unseen, 0);
	/* the kernel said that it came and went since */
	h.away.v[1].back = true;
	look(&h, 300, ID_NONE, 0);
	assert_int_equal(h.unseen, 350);
	look(&h, 400, ID_NONE, 0);
	assert_int_equal(h.unseen, 350);
	/* it cannot be opened */
	online("0-1,3\n");
	look(&h, 500, 1, 100);
	assert_int_equal(h.unseen, 350);
	hotplug_fail(&h, 1, 100);
	look(&h, 600, ID_NONE, 0);
	assert_int_equal(h.unseen, 650);
	h.again = 1;
	look(&h, 700, 1, 100);
	assert_int_equal(h.unseen, 750);
	hotplug_succeed(&h, 1);
	look(&h, 800, ID_NONE, 0);
	assert_int_equal(h.unseen, 750);
	hotplug_close(&h);
}

static void no_memory(void **state)
{
	struct hotplug h;
	unsigned int n;

	(void)state;
	online("0-1,3\n");
	for (n = 0;; n++) {
		oom_after(n);
		hotplug_open(&h, &root, &known, NULL);
		if (!oom_stop())
			break;
		hotplug_close(&h);
	}
	assert_int_equal(h.known.nr, 3);
	hotplug_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(come_and_go),
		cmocka_unit_test(not_always),
		cmocka_unit_test(unseen),
		cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hotplug", tests, setup, teardown);
}
