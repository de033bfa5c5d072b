// SPDX-License-Identifier: GPL-2.0
/* A model made from another's dump knows the same. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/process/process_dump.h"

static const struct sample_layout bare; /* records without a trailer */

static void apply_all(struct process_model *m, const struct buf *b,
		      const struct sample_layout *layout)
{
	struct rec_ids ids;
	struct rec rec;
	size_t at;

	assert_false(b->failed);
	for (at = 0; at < b->len; at += rec.size) {
		assert_true(rec_view(&rec, b->data + at, b->len - at));
		assert_true(sample_layout_ids(layout, &rec, &ids));
		assert_int_equal(ids.time, 0);
		process_apply(m, &rec);
	}
}

static void apply(struct process_model *m, struct buf *b)
{
	struct rec rec;

	assert_true(rec_view(&rec, b->data, b->len));
	process_apply(m, &rec);
	buf_free(b);
}

static void map(struct process_model *m, u32 pid, u64 start, u64 end, u64 pgoff, u32 prot, u64 ino,
		const char *name)
{
	struct rec_mmap2 r = {.pid = pid,
			      .tid = pid,
			      .start = start,
			      .len = end - start,
			      .pgoff = pgoff,
			      .maj = 8,
			      .min = 1,
			      .ino = ino,
			      .ino_generation = ino * 3,
			      .prot = prot,
			      .flags = MAP_PRIVATE,
			      .name = name};
	struct buf b = {0};

	rec_build_mmap2(&b, &bare, NULL, PERF_RECORD_MISC_USER, &r);
	apply(m, &b);
}

static void kernel_map(struct process_model *m, u64 start, u64 end, u64 pgoff, const char *name)
{
	struct rec_mmap2 r = {.pid = UINT32_MAX,
			      .start = start,
			      .len = end - start,
			      .pgoff = pgoff,
			      .name = name};
	struct buf b = {0};

	rec_build_mmap(&b, &bare, NULL, PERF_RECORD_MISC_KERNEL, &r);
	apply(m, &b);
}

static void ksymbol(struct process_model *m, u64 start, u32 len, const char *name)
{
	struct buf b = {0};
	size_t at = made_begin(&b, PERF_RECORD_KSYMBOL, 0);

	buf_u64(&b, start);
	buf_u32(&b, len);
	buf_u32(&b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	buf_add(&b, name, strlen(name) + 1);
	buf_pad(&b, '\0', ALIGN_UP(b.len, (size_t)8) - b.len);
	made_end(&b, at);
	apply(m, &b);
}

static void task(struct process_model *m, u32 type, u32 pid, u32 ppid, u32 tid, u32 ptid)
{
	struct buf b = {0};

	rec_build_task(&b, &bare, NULL, type, pid, ppid, tid, ptid, 0);
	apply(m, &b);
}

static void comm(struct process_model *m, u32 pid, u32 tid, const char *name, bool exec)
{
	struct buf b = {0};

	rec_build_comm(&b, &bare, NULL, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, pid, tid, name);
	apply(m, &b);
}

static void show_map(const struct process_model *m, u32 id, struct buf *b)
{
	const struct map *map = &m->maps.v[id];
	const struct dso *d = &m->dsos.v[map->dso];

	buf_addf(b, "  %llx-%llx@%llx %u/%u %s %u %u:%u %llu/%llu\n",
		 (unsigned long long)map->start, (unsigned long long)map->end,
		 (unsigned long long)map->pgoff, map->prot, map->flags, d->name, d->kind, d->maj,
		 d->min, (unsigned long long)d->ino, (unsigned long long)d->ino_generation);
}

/* All that a model knows of what is alive, by tid and by address. */
static void show(const struct process_model *m, struct buf *b)
{
	const struct thread *t;
	const char *name;
	u32 tid, i;
	size_t len;

	for (tid = 0; tid < 1000; tid++) {
		t = process_find_thread(m, tid);
		if (!t || t->exited)
			continue;
		name = process_comm(m, t, &len);
		buf_addf(b, "%u/%u %s%s\n", t->pid, t->tid, name ? name : "(no name)",
			 m->processes.v[t->process].execed ? " execed" : "");
		for (i = 0; i < m->processes.v[t->process].maps.nr; i++)
			show_map(m, m->processes.v[t->process].maps.v[i], b);
	}
	buf_adds(b, "kernel\n");
	for (i = 0; i < m->kernel.maps.nr; i++)
		show_map(m, m->kernel.maps.v[i], b);
	if (m->kernel_map != ID_NONE) {
		buf_addf(b, "ref %s\n", strtab_get(&m->names, m->kernel_ref));
		show_map(m, m->kernel_map, b);
	}
}

static void expect_same(const struct process_model *m, const struct sample_layout *layout)
{
	struct buf records = {0}, want = {0}, got = {0};
	struct process_model other;
	u32 nr = 5, i;
	struct rec rec = {0};
	size_t at;

	assert_int_equal(process_dump(m, layout, &records, &nr), 0);
	for (at = 0, i = 5; at < records.len; at += rec.size, i++)
		assert_true(rec_view(&rec, records.data + at, records.len - at));
	assert_int_equal(i, nr);
	assert_int_equal(process_init(&other, NULL), 0);
	apply_all(&other, &records, layout);
	show(m, &want);
	show(&other, &got);
	assert_string_equal(buf_str(&got), buf_str(&want));
	process_free(&other);
	buf_free(&records);
	buf_free(&want);
	buf_free(&got);
}

static void fill(struct process_model *m)
{
	kernel_map(m, 0xffffffff81000000, 0xffffffff82000000, 0xffffffff81000000,
		   "[kernel.kallsyms]_text");
	kernel_map(m, 0xffffffffc0a00000, 0xffffffffc0b00000, 0, "[nf_tables]");
	kernel_map(m, 0xffffffff81800000, 0xffffffff81801000, 0, "[inside]");
	ksymbol(m, 0xffffffffc0200000, 0x80, "bpf_prog_0123456789abcdef_f");
	/* a plain process with threads, one of them without a name */
	comm(m, 100, 100, "server", false);
	map(m, 100, 0x400000, 0x402000, 0x1000, PROT_READ | PROT_EXEC, 11, "/bin/server");
	map(m, 100, 0x500000, 0x510000, 0, PROT_READ | PROT_EXEC, 12, "/lib/libc.so");
	map(m, 100, 0x504000, 0x506000, 0x9000, PROT_READ | PROT_EXEC, 13, "/lib/cuts it");
	map(m, 100, 0x600000, 0x601000, 0, PROT_READ, 14, "/data");
	map(m, 100, 0x700000, 0x701000, 0, PROT_READ | PROT_EXEC, 0, "//anon");
	map(m, 100, 0x710000, 0x711000, 0, PROT_READ | PROT_WRITE, 0, "[heap]");
	map(m, 100, 0x720000, 0x721000, 0, PROT_READ | PROT_EXEC, 0, "[vdso]");
	task(m, PERF_RECORD_FORK, 100, 100, 101, 100);
	comm(m, 100, 101, "worker", false);
	process_thread(m, 100, 102);
	/* a child that shows what its parent's JIT made */
	task(m, PERF_RECORD_FORK, 200, 100, 200, 100);
	/* a program that has begun, but mapped nothing yet */
	task(m, PERF_RECORD_FORK, 300, 100, 300, 100);
	comm(m, 300, 300, "new", true);
	/* a leader that its threads outlive */
	comm(m, 400, 400, "gone", false);
	map(m, 400, 0x400000, 0x401000, 0, PROT_READ | PROT_EXEC, 15, "/bin/x");
	task(m, PERF_RECORD_FORK, 400, 400, 401, 400);
	task(m, PERF_RECORD_EXIT, 400, 400, 400, 400);
	/* ended: not in the dump */
	comm(m, 500, 500, "dead", false);
	map(m, 500, 0x400000, 0x401000, 0, PROT_READ | PROT_EXEC, 16, "/bin/dead");
	task(m, PERF_RECORD_EXIT, 500, 500, 500, 500);
	/* a tid that is used again */
	comm(m, 600, 600, "first", false);
	map(m, 600, 0x400000, 0x401000, 0, PROT_READ | PROT_EXEC, 17, "/bin/first");
	task(m, PERF_RECORD_FORK, 600, 100, 600, 100);
	/* threads whose leader never was seen by name */
	process_thread(m, 700, 701);
	assert_false(m->failed);
}

static void same(void **state)
{
	struct sample_layout made = made_layout(MADE_TYPE);
	struct process_model m;
	struct buf b = {0};

	(void)state;
	assert_int_equal(process_init(&m, NULL), 0);
	fill(&m);
	show(&m, &b);
	/* the test is about something */
	assert_non_null(strstr(b.data, "300/300 new execed\n"));
	assert_non_null(strstr(b.data, "100/102 (no name)\n"));
	assert_non_null(strstr(b.data, "400/401 gone\n"));
	assert_null(strstr(b.data, "400/400"));
	assert_non_null(strstr(b.data, "/tmp/perf-100.map 5"));
	buf_free(&b);
	expect_same(&m, &bare);
	expect_same(&m, &made);
	process_free(&m);
}

static void empty(void **state)
{
	struct process_model m;
	struct buf b = {0};
	u32 nr = 0;

	(void)state;
	assert_int_equal(process_init(&m, NULL), 0);
	assert_int_equal(process_dump(&m, &bare, &b, &nr), 0);
	assert_int_equal(nr, 0);
	assert_int_equal(b.len, 0);
	process_free(&m);
}

static void left_out(void **state)
{
	struct process_model m;
	struct buf b = {0};

	(void)state;
	assert_int_equal(process_init(&m, NULL), 0);
	fill(&m);
	assert_int_equal(process_dump(&m, &bare, &b, NULL), 0);
	assert_null(memmem(b.data, b.len, "/bin/dead", 9));
	assert_null(memmem(b.data, b.len, "/bin/first", 10));
	assert_non_null(memmem(b.data, b.len, "/bin/x", 6));
	buf_free(&b);
	process_free(&m);
}

static void compacted(void **state)
{
	struct buf before = {0}, after = {0};
	struct process_model m;
	VEC(const char *) names = {0};
	u32 i, nr;

	(void)state;
	assert_int_equal(process_init(&m, NULL), 0);
	m.forget_exited = true;
	fill(&m);
	for (i = 0; i < 10000; i++) {
		task(&m, PERF_RECORD_FORK, 900, 100, 900, 100);
		comm(&m, 900, 900, "short", true);
		map(&m, 900, 0x400000, 0x401000, 0, PROT_READ | PROT_EXEC, 18, "/bin/short");
		task(&m, PERF_RECORD_EXIT, 900, 100, 900, 100);
	}
	assert_true(m.maps.nr > 10000 && m.threads.nr > 10000);
	show(&m, &before);
	nr = m.dsos.nr;
	for (i = 0; i < nr; i++)
		*vec_push(&names) = strdup(m.dsos.v[i].name);
	assert_int_equal(process_compact(&m, NULL), 0);
	show(&m, &after);
	assert_string_equal(buf_str(&after), buf_str(&before));
	assert_true(m.maps.nr < 100 && m.threads.nr < 100 && m.processes.nr < 100);
	assert_true(m.forget_exited);
	assert_int_equal(m.dsos.nr, nr);
	for (i = 0; i < nr; i++) {
		assert_string_equal(m.dsos.v[i].name, names.v[i]);
		free((char *)names.v[i]);
	}
	vec_free(&names);
	buf_free(&before);
	buf_free(&after);
	process_free(&m);
}

static void memory(void **state)
{
	struct buf want = {0}, got = {0};
	struct process_model m;
	unsigned int n;
	int ret;

	(void)state;
	assert_int_equal(process_init(&m, NULL), 0);
	fill(&m);
	show(&m, &want);
	for (n = 0;; n++) {
		oom_after(n);
		ret = process_compact(&m, NULL);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		buf_clear(&got);
		show(&m, &got);
		assert_string_equal(buf_str(&got), buf_str(&want));
	}
	assert_int_equal(ret, 0);
	assert_int_equal(n, 4);
	buf_free(&want);
	buf_free(&got);
	process_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same),      cmocka_unit_test(empty),  cmocka_unit_test(left_out),
		cmocka_unit_test(compacted), cmocka_unit_test(memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("process dump", tests, NULL, NULL);
}
