// SPDX-License-Identifier: GPL-2.0
/* Generic hardware events on machines with several sorts of cores. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_pmu.h"

struct machine {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
};

static void begin(struct machine *m, const char *path, const char *events)
{
	struct err err = {0};

	*m = (struct machine){0};
	assert_int_equal(sysroot_open(&m->root, path, NULL), 0);
	m->env.root = &m->root;
	assert_int_equal(ev_parse(&m->list, events, &m->env, &err), 0);
}

static void end(struct machine *m)
{
	ev_list_free(&m->list);
	ev_env_close(&m->env);
	sysroot_close(&m->root);
}

/* "NAME@CPUS+GROUP;" of all events. */
static void is_list(const char *path, const char *events, const char *want)
{
	const struct ev_spec *s;
	struct machine m;
	struct buf b = {0};
	u32 i;

	begin(&m, path, events);
	assert_int_equal(ev_cores_expand(&m.list, &m.env, NULL), 0);
	for (i = 0; i < m.list.specs.nr; i++) {
		s = &m.list.specs.v[i];
		buf_adds(&b, s->name);
		if (s->pmu.nr_cpus)
			buf_addf(&b, "@%u-%u", s->pmu.cpus[0], s->pmu.cpus[s->pmu.nr_cpus - 1]);
		if (s->group != ID_NONE)
			buf_addf(&b, "+%u", s->group);
		buf_addc(&b, ';');
	}
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
	end(&m);
}

#define HYBRID "tests/sysroot/hybrid"

static void hybrid(void **state)
{
	(void)state;
	is_list(HYBRID, "cycles,cs", "cpu_core/cycles/@0-3;cpu_atom/cycles/@4-7;cs;");
	is_list(HYBRID, "cs,instructions:u",
		"cs;cpu_core/instructions/u@0-3;cpu_atom/instructions/u@4-7;");
	is_list(HYBRID, "LLC-loads", "cpu_core/LLC-loads/@0-3;cpu_atom/LLC-loads/@4-7;");
	is_list(HYBRID, "{cycles,cs}", "cpu_core/cycles/@0-3+0;cs+0;cpu_atom/cycles/@4-7+1;cs+1;");
	is_list(HYBRID, "{cs,page-faults},{cycles}",
		"cs+0;page-faults+0;cpu_core/cycles/@0-3+1;cpu_atom/cycles/@4-7+2;");
	is_list(HYBRID, "cpu_core/event=1/", "cpu_core/event=1/@0-3;");
	is_list(HYBRID, "cpu_core/cycles/u", "cpu_core/cycles/u@0-3;");
	is_list(HYBRID, "cpu_*/event=1/", "cpu_atom/event=1/@4-7;cpu_core/event=1/@0-3;");
	is_list(HYBRID, "r1a8:k", "cpu_core/r1a8/k@0-3;cpu_atom/r1a8/k@4-7;");
	is_list(HYBRID, "4:0x1a8", "4:0x1a8;");
	is_list(HYBRID, "cs", "cs;");
}

static void big_little(void **state)
{
	(void)state;
	is_list("tests/sysroot/arm64", "cycles",
		"armv8_cortex_a53/cycles/@0-3;armv8_cortex_a72/cycles/@4-5;");
}

static void one_sort(void **state)
{
	(void)state;
	is_list("tests/sysroot/smt", "cycles,LLC-loads", "cycles;LLC-loads;");
	is_list("tests/sysroot/bare", "cycles,LLC-loads", "cycles;LLC-loads;");
}

static void attr(void **state)
{
	struct machine m;
	const struct ev_spec *s;

	(void)state;
	begin(&m, HYBRID, "instructions");
	assert_int_equal(ev_cores_expand(&m.list, &m.env, NULL), 0);
	s = &m.list.specs.v[1];
	assert_int_equal(s->attr.type, PERF_TYPE_HARDWARE);
	assert_true(s->attr.config == (10ull << 32 | PERF_COUNT_HW_INSTRUCTIONS));
	assert_string_equal(s->pmu.name, "cpu_atom");
	/* once is enough */
	assert_int_equal(ev_cores_expand(&m.list, &m.env, NULL), 0);
	assert_int_equal(m.list.specs.nr, 2);
	end(&m);
	begin(&m, HYBRID, "r1a8");
	assert_int_equal(ev_cores_expand(&m.list, &m.env, NULL), 0);
	assert_int_equal(m.list.specs.v[1].attr.type, 10);
	assert_int_equal(m.list.specs.v[1].attr.config, 0x1a8);
	end(&m);
}

/* What a PMU's own list does not name it may know as a generic event. */
static void between_slashes(void **state)
{
	struct err err = {0};
	struct machine m;

	(void)state;
	begin(&m, HYBRID, "cpu_atom/LLC-loads/,cpu_atom/instructions,period=100/");
	assert_int_equal(m.list.specs.v[0].attr.type, PERF_TYPE_HW_CACHE);
	assert_true(m.list.specs.v[0].attr.config == (10ull << 32 | 2));
	assert_int_equal(m.list.specs.v[1].attr.type, PERF_TYPE_HARDWARE);
	assert_true(m.list.specs.v[1].attr.config == (10ull << 32 | 1));
	assert_int_equal(m.list.specs.v[1].attr.sample_period, 100);
	assert_int_equal(ev_parse(&m.list, "cpu_atom/cs/", &m.env, &err), -EINVAL);
	end(&m);
	/* one sort of cores: its type is not said, which older kernels would not understand */
	begin(&m, "tests/sysroot/smt", "cpu/branch-misses/");
	assert_int_equal(m.list.specs.v[0].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(m.list.specs.v[0].attr.config, PERF_COUNT_HW_BRANCH_MISSES);
	assert_int_equal(ev_parse(&m.list, "uncore_imc_0/cycles/", &m.env, &err), -EINVAL);
	end(&m);
}

static void no_memory(void **state)
{
	struct machine m;
	u32 n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		begin(&m, HYBRID, "{cycles,cs},instructions");
		oom_after(n);
		ret = ev_cores_expand(&m.list, &m.env, NULL);
		if (!oom_stop())
			break;
		assert_true(ret < 0);
		assert_int_equal(m.list.specs.nr, 3);
		end(&m);
	}
	assert_int_equal(ret, 0);
	end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hybrid),          cmocka_unit_test(big_little),
		cmocka_unit_test(one_sort),        cmocka_unit_test(attr),
		cmocka_unit_test(between_slashes), cmocka_unit_test(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ev_cores", tests, NULL, NULL);
}
