// SPDX-License-Identifier: GPL-2.0
/* What the kernel says of CPUs among all else that it says of devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/kernel/cpus.h"

static bool parse(const char *text, u32 *cpu, bool *online)
{
	return cpus_events_parse(text, strlen(text) + 1, cpu, online);
}

static void messages(void **state)
{
	static const char *const others[] = {
		"",
		"add@/devices/virtual/block/loop0",
		"online@/devices/system/memory/memory1",
		"offline@/devices/system/cpu/cpu",
		"offline@/devices/system/cpu/cpufreq",
		"offline@/devices/system/cpu/cpu1x",
		"offline@/devices/system/cpu/cpu99999999",
		"change@/devices/system/cpu/cpu1",
		"offline/devices/system/cpu/cpu1",
		"offline@/devices/system/cpu/cpu00000000000000000000000000000000000000000000001",
	};
	static const char two[] = "offline@/devices/system/cpu/cpu12\0ACTION=offline";
	bool online;
	size_t i;
	u32 cpu;

	(void)state;
	assert_true(parse("online@/devices/system/cpu/cpu0", &cpu, &online));
	assert_int_equal(cpu, 0);
	assert_true(online);
	assert_true(cpus_events_parse(two, sizeof(two), &cpu, &online));
	assert_int_equal(cpu, 12);
	assert_false(online);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(parse(others[i], &cpu, &online));
	/* not ended by a NUL */
	assert_true(cpus_events_parse("offline@/devices/system/cpu/cpu34", 32, &cpu, &online));
	assert_int_equal(cpu, 3);
}

static void nothing_now(void **state)
{
	bool online;
	int fd = cpus_events_open();
	u32 cpu;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(cpus_events_next(fd, &cpu, &online), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages),
		cmocka_unit_test(nothing_now),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("cpu_events", tests, NULL, NULL);
}
