// SPDX-License-Identifier: GPL-2.0
/* Where CPUs are, by perf's header and by our own fact; and namespaces of threads. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/base/buf.h"
#include "util/file/cpu_places.h"
#include "util/profile/task_names.h"

static void put_string(struct buf *b, const char *s)
{
	buf_u32(b, 8);
	buf_add(b, s, strlen(s));
	buf_pad(b, '\0', 8 - strlen(s));
}

/* Four CPUs, two sockets; with dies, CPU 3 is on the second. */
static void put_section(struct buf *b, bool dies)
{
	u32 i;

	buf_u32(b, 2);
	put_string(b, "0-1");
	put_string(b, "2-3");
	buf_u32(b, 1);
	put_string(b, "0-3");
	for (i = 0; i < 4; i++) {
		buf_u32(b, i % 2);
		buf_u32(b, i / 2);
	}
	if (!dies)
		return;
	buf_u32(b, 1);
	put_string(b, "0-3");
	for (i = 0; i < 4; i++)
		buf_u32(b, i == 3);
}

static void read_places(struct cpu_places *p, const void *section, size_t len, const char *fact)
{
	struct recording r = {0};

	*p = (struct cpu_places){0};
	assert_int_equal(recording_add_fact(&r, "nrcpus_avail", "4", 1), 0);
	if (section)
		assert_int_equal(recording_add_section(&r, 13, section, len), 0);
	if (fact)
		assert_int_equal(recording_add_fact(&r, "cpu_sockets", fact, strlen(fact)), 0);
	assert_int_equal(cpu_places_read(p, &r, NULL), 0);
	recording_free(&r);
}

static void sections(void **state)
{
	struct cpu_places p;
	struct buf b = {0};

	(void)state;
	put_section(&b, false);
	read_places(&p, b.data, b.len, "7,7,7,7");
	assert_int_equal(p.v.nr, 4);
	assert_false(p.dies);
	assert_int_equal(p.v.v[1].socket, 0);
	assert_int_equal(p.v.v[1].core, 1);
	assert_int_equal(p.v.v[2].socket, 1);
	assert_int_equal(p.v.v[2].die, ID_NONE);
	cpu_places_free(&p);
	buf_clear(&b);
	put_section(&b, true);
	read_places(&p, b.data, b.len, NULL);
	assert_true(p.dies);
	assert_int_equal(p.v.v[2].die, 0);
	assert_int_equal(p.v.v[3].die, 1);
	cpu_places_free(&p);
	buf_free(&b);
}

/* Each shorter one: what is told of a CPU is right, and no more is told. */
static void cut_sections(void **state)
{
	struct cpu_places p;
	struct buf b = {0};
	u8 *copy;
	size_t len;
	u32 i;

	(void)state;
	put_section(&b, true);
	for (len = 0; len < b.len; len++) {
		copy = malloc(len + 1); /* the end of it is watched by sanitizers */
		assert_non_null(copy);
		memcpy(copy, b.data, len);
		read_places(&p, copy, len, NULL);
		assert_true(p.v.nr <= 4);
		for (i = 0; i < p.v.nr; i++)
			assert_int_equal(p.v.v[i].socket, i / 2);
		cpu_places_free(&p);
		free(copy);
	}
	buf_free(&b);
}

static void facts(void **state)
{
	struct cpu_places p;

	(void)state;
	read_places(&p, NULL, 0, "0,1,,x,12345678901234567890,3");
	assert_int_equal(p.v.nr, 6);
	assert_int_equal(p.v.v[0].socket, 0);
	assert_int_equal(p.v.v[1].socket, 1);
	assert_int_equal(p.v.v[2].socket, ID_NONE);
	assert_int_equal(p.v.v[3].socket, ID_NONE);
	assert_int_equal(p.v.v[4].socket, ID_NONE);
	assert_int_equal(p.v.v[5].socket, 3);
	cpu_places_free(&p);
	read_places(&p, NULL, 0, "");
	assert_int_equal(p.v.nr, 0);
	cpu_places_free(&p);
	read_places(&p, NULL, 0, NULL);
	assert_int_equal(p.v.nr, 0);
	cpu_places_free(&p);
}

static void siblings(void **state)
{
	static const char *const sockets[] = {"0-1,4", "2"}, *const cores[] = {"0,4", "1", "2"};
	struct cpu_place places[] = {{0, 5, 0}, {0, 6, 0}, {1, 5, 0}, {ID_NONE, 5, 0}, {0, 5, 0}};
	const struct cpu_places p = {.v = {.v = places, .nr = ARRAY_SIZE(places)}};
	struct buf b = {0};
	u32 at = 0, nr;

	(void)state;
	for (nr = 0; cpu_places_siblings(&p, false, &at, &b); nr++, buf_clear(&b)) {
		assert_true(nr < ARRAY_SIZE(sockets));
		assert_string_equal(buf_str(&b), sockets[nr]);
	}
	assert_int_equal(nr, ARRAY_SIZE(sockets));
	at = 0;
	for (nr = 0; cpu_places_siblings(&p, true, &at, &b); nr++, buf_clear(&b)) {
		assert_true(nr < ARRAY_SIZE(cores));
		assert_string_equal(buf_str(&b), cores[nr]);
	}
	assert_int_equal(nr, ARRAY_SIZE(cores));
	buf_free(&b);
}

/* A record that says `nr`, and has as many namespaces as there are. */
static void apply(struct task_namespaces *n, u32 tid, u64 nr, u32 there, u64 ino)
{
	struct perf_event_header h = {.type = PERF_RECORD_NAMESPACES};
	struct rec rec = {.type = PERF_RECORD_NAMESPACES};
	struct buf b = {0};
	u32 i;

	buf_add(&b, &h, sizeof(h));
	buf_u32(&b, 1);
	buf_u32(&b, tid);
	buf_u64(&b, nr);
	for (i = 0; i < there; i++) {
		buf_u64(&b, i + 1);
		buf_u64(&b, ino + i);
	}
	rec.data = (const u8 *)b.data;
	rec.size = (u32)b.len;
	assert_true(task_namespaces_apply(n, &rec));
	buf_free(&b);
}

static void namespaces(void **state)
{
	struct task_namespaces n = {0};

	(void)state;
	assert_int_equal(task_namespaces_find(&n, 5).ino, 0);
	apply(&n, 5, 7, 7, 100);
	apply(&n, 6, 9, 9, 200);
	assert_int_equal(task_namespaces_find(&n, 5).dev, CGROUP_NS_INDEX + 1);
	assert_int_equal(task_namespaces_find(&n, 5).ino, 100 + CGROUP_NS_INDEX);
	assert_int_equal(task_namespaces_find(&n, 6).ino, 200 + CGROUP_NS_INDEX);
	apply(&n, 5, 7, 3, 300); /* cut: nothing is learnt */
	assert_int_equal(task_namespaces_find(&n, 5).ino, 100 + CGROUP_NS_INDEX);
	apply(&n, 5, 7, 7, 300);
	assert_int_equal(task_namespaces_find(&n, 5).ino, 300 + CGROUP_NS_INDEX);
	apply(&n, 5, 3, 3, 400); /* of a kernel without them */
	assert_int_equal(task_namespaces_find(&n, 5).ino, 0);
	task_namespaces_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections), cmocka_unit_test(cut_sections), cmocka_unit_test(facts),
		cmocka_unit_test(siblings), cmocka_unit_test(namespaces),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
