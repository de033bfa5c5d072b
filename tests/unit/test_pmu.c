// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/kernel/pmu.h"

struct fixture {
	struct sysroot root;
	struct pmu_set set;
	struct err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	return !f || sysroot_open(&f->root, "tests/sysroot/server", NULL) ||
	       pmu_scan(&f->root, &f->set, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	pmu_set_free(&f->set);
	sysroot_close(&f->root);
	free(f);
	return 0;
}

static struct pmu *find(struct fixture *f, const char *name)
{
	u32 i;

	for (i = 0; i < f->set.pmus.nr; i++)
		if (!strcmp(f->set.pmus.v[i].name, name)) {
			assert_int_equal(pmu_load(&f->set, &f->set.pmus.v[i], &f->err), 0);
			return &f->set.pmus.v[i];
		}
	return NULL;
}

static void test_scan(void **state)
{
	struct fixture *f = *state;
	struct pmu *cpu = find(f, "cpu"), *power = find(f, "power");
	struct pmu_set none;
	struct sysroot bare;

	assert_non_null(cpu);
	assert_int_equal(cpu->type, 4);
	assert_int_equal(cpu->cpus.nr, 0);
	assert_int_equal(power->cpus.nr, 1);
	assert_int_equal(find(f, "uncore_imc_0")->cpus.v[1], 8);
	assert_null(find(f, "notype"));
	assert_string_equal(f->set.pmus.v[0].name, "breakpoint"); /* sorted */

	assert_int_equal(sysroot_open(&bare, "tests/sysroot/bare", NULL), 0);
	assert_int_equal(pmu_scan(&bare, &none, &f->err), 0);
	assert_int_equal(none.pmus.nr, 0);
	pmu_set_free(&none);
	sysroot_close(&bare);
}

static void test_formats(void **state)
{
	struct fixture *f = *state;
	const struct pmu *cpu = find(f, "cpu");
	const struct pmu_format *event = pmu_format_find(cpu, "event");
	struct perf_event_attr a = {0};

	assert_int_equal(event->mask, 0xf000000ffull);
	assert_int_equal(pmu_format_max(event), 0xfff);
	assert_int_equal(pmu_format_set(event, &a, 0xabc), 0);
	assert_int_equal(a.config, 0xa000000bcull);
	assert_int_equal(pmu_format_set(event, &a, 0x1), 0);
	assert_int_equal(a.config, 0x1);
	assert_int_equal(pmu_format_set(event, &a, 0x1000), -ERANGE);
	assert_int_equal(pmu_format_set(pmu_format_find(cpu, "umask"), &a, 0xff), 0);
	assert_int_equal(a.config, 0xff01);
	assert_int_equal(pmu_format_set(pmu_format_find(cpu, "edge"), &a, 1), 0);
	assert_int_equal(a.config, 0x4ff01);
	assert_int_equal(pmu_format_max(pmu_format_find(cpu, "offcore_rsp")), UINT64_MAX);
	assert_int_equal(pmu_format_set(pmu_format_find(cpu, "offcore_rsp"), &a, UINT64_MAX), 0);
	assert_int_equal(a.config1, UINT64_MAX);
	assert_int_equal(pmu_format_find(cpu, "third")->word, 3);
	/* Words of newer kernels, and nonsense, are passed over. */
	assert_null(pmu_format_find(cpu, "future"));
	assert_null(pmu_format_find(cpu, "broken"));
	assert_null(pmu_format_find(cpu, "broken2"));
	assert_null(pmu_format_find(cpu, "broken3"));
	assert_null(pmu_attr_word(&a, 4));
}

static void test_aliases(void **state)
{
	struct fixture *f = *state;
	const struct pmu_alias *a;

	a = pmu_alias_find(find(f, "cpu"), "mem-loads");
	assert_string_equal(a->terms, "event=0xcd,umask=0x1,ldlat=3");
	assert_string_equal(a->unit, "");
	assert_true(a->scale == 1.0 && !a->snapshot);
	a = pmu_alias_find(find(f, "power"), "energy-pkg");
	assert_string_equal(a->unit, "Joules");
	assert_true(a->scale == 0x1p-32);
	assert_true(a->snapshot);
	assert_null(pmu_alias_find(find(f, "power"), "energy-pkg.scale"));
	assert_null(pmu_alias_find(find(f, "software"), "cpu-clock"));
}

static void test_names(void **state)
{
	struct fixture *f = *state;
	const struct pmu *cpu = find(f, "cpu"), *imc = find(f, "uncore_imc_0");
	const struct pmu *free_running = find(f, "uncore_imc_free_running");

	assert_true(pmu_matches(cpu, "cpu"));
	assert_true(pmu_matches(cpu, "c*"));
	assert_false(pmu_matches(cpu, "cp"));
	assert_true(pmu_matches(imc, "uncore_imc_0"));
	assert_true(pmu_matches(imc, "uncore_imc"));
	assert_true(pmu_matches(imc, "imc"));
	assert_true(pmu_matches(imc, "imc_*"));
	assert_false(pmu_matches(imc, "uncore_imc_"));
	assert_false(pmu_matches(imc, "uncore"));
	assert_false(pmu_matches(free_running, "uncore_imc"));
	assert_false(pmu_matches(cpu, ""));
}

static void test_memory(void **state)
{
	struct fixture *f = *state;
	struct pmu_set set;
	unsigned int n;
	u32 i;
	int ret;

	for (n = 0;; n++) {
		oom_after(n);
		ret = pmu_scan(&f->root, &set, &f->err);
		for (i = 0; !ret && i < set.pmus.nr; i++)
			ret = pmu_load(&set, &set.pmus.v[i], &f->err);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		pmu_set_free(&set);
	}
	assert_int_equal(ret, 0);
	pmu_set_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_scan, setup, teardown),
		cmocka_unit_test_setup_teardown(test_formats, setup, teardown),
		cmocka_unit_test_setup_teardown(test_aliases, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pmu", tests, NULL, NULL);
}
