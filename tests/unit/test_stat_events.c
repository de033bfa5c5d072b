// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/base/buf.h"
#include "util/stat/stat_events.h"

struct fixture {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	struct err err;
	struct buf names;
};

static void begin(struct fixture *f, const char *root)
{
	*f = (struct fixture){0};
	assert_int_equal(sysroot_open(&f->root, root, &f->err), 0);
	f->env.root = &f->root;
}

static void end(struct fixture *f)
{
	ev_list_free(&f->list);
	ev_env_close(&f->env);
	buf_free(&f->names);
	sysroot_close(&f->root);
}

static const char *names(struct fixture *f)
{
	const struct ev_spec *s;
	u32 i;

	buf_clear(&f->names);
	for (i = 0; i < f->list.specs.nr; i++) {
		s = &f->list.specs.v[i];
		buf_addf(&f->names, "%s%s%s%s", i ? " " : "", s->name, s->cgroup ? "@" : "",
			 s->cgroup ? s->cgroup : "");
	}
	return buf_str(&f->names);
}

static void each_cgroup(void **state)
{
	const struct ev_spec *s;
	struct fixture f;

	(void)state;
	begin(&f, "tests/sysroot/bare");
	assert_int_equal(ev_parse(&f.list, "{cs,faults},{migrations,cs},cs", &f.env, &f.err), 0);
	assert_int_equal(stat_events_each_cgroup(&f.list, ",a,b/c,", &f.err), 0);
	assert_string_equal(names(&f), "cs@a faults@a migrations@a cs@a cs@a "
				       "cs@b/c faults@b/c migrations@b/c cs@b/c cs@b/c");
	s = f.list.specs.v;
	assert_int_equal(s[0].group, s[1].group);
	assert_int_equal(s[5].group, s[6].group);
	assert_int_equal(s[7].group, s[8].group);
	assert_true(s[5].group != s[0].group && s[5].group != s[2].group);
	assert_true(s[5].group != s[7].group);
	assert_int_equal(s[9].group, ID_NONE);
	assert_ptr_equal(ev_leader(&f.list, 8), &s[7]);
	assert_int_equal(stat_events_each_cgroup(&f.list, ",", &f.err), -EINVAL);
	end(&f);
}

/* "NAME+GROUP" of all events; leaders with a '*'. */
static void is_split(const char *root, const char *events, const char *want, bool noted)
{
	struct fixture f;
	struct buf notes = {0};
	u32 i;

	begin(&f, root);
	assert_int_equal(ev_parse(&f.list, events, &f.env, &f.err), 0);
	assert_int_equal(stat_events_split_groups(&f.list, &notes, &f.err), 0);
	for (i = 0; i < f.list.specs.nr; i++) {
		const struct ev_spec *s = &f.list.specs.v[i];

		buf_addf(&f.names, "%s%s%s", i ? " " : "", s->pmu.name ? s->pmu.name : s->name,
			 s->leader ? "*" : "");
		if (s->group != ID_NONE)
			buf_addf(&f.names, "+%u", s->group);
	}
	assert_string_equal(buf_str(&f.names), want);
	assert_int_equal(notes.len > 0, noted);
	buf_free(&notes);
	end(&f);
}

static void groups_of_pmus(void **state)
{
	(void)state;
	is_split("tests/sysroot/server", "{cycles,cs,cpu/event=1/},cs", "cycles*+0 cs+0 cpu+0 cs*",
		 false);
	is_split("tests/sysroot/server", "{cs,uncore_imc_0/data_reads/}", "cs*+0 uncore_imc_0+0",
		 false);
	is_split("tests/sysroot/server", "{cs,cycles,uncore_imc_0/data_reads/,instructions},{cs}",
		 "cs*+0 cycles+0 instructions+0 uncore_imc_0*+2 cs*+1", true);
	is_split("tests/sysroot/server", "{uncore_imc/data_reads/,uncore_imc/event=1/}",
		 "uncore_imc_0*+0 uncore_imc_0+0 uncore_imc_1*+1 uncore_imc_1+1", false);
	is_split("tests/sysroot/hybrid", "{cpu_core/event=1/,cpu_atom/event=1/,cpu_core/event=2/}",
		 "cpu_core*+0 cpu_core+0 cpu_atom*+1", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_of_pmus),
		cmocka_unit_test(each_cgroup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stat_events", tests, NULL, NULL);
}
