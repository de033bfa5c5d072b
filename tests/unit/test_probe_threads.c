// SPDX-License-Identifier: GPL-2.0
/* The programs that keep up the threads of targets, in the running kernel. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "util/bpf/bpf_program.h"
#include "util/kernel/cpus.h"
#include "util/kernel/sysroot.h"
#include "util/probe/probe.h"

#define THREADS 3

static pthread_barrier_t all_there;

static void *wait_for_all(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&all_there);
	return NULL;
}

/* What the program counts in the first record, on all CPUs. */
static u64 lost(const struct sysroot *root, int map)
{
	const u32 key = 0;
	struct cpus cpus = {0};
	u64 sum = 0, one;
	u8 *values;
	u32 i, nr;

	assert_int_equal(cpus_possible(root, &cpus, NULL), 0);
	nr = cpus.v[cpus.nr - 1] + 1;
	cpus_free(&cpus);
	values = calloc(nr, PROBE_RECORD_SIZE);
	assert_non_null(values);
	assert_int_equal(bpf_map_get(map, &key, values), 0);
	for (i = 0; i < nr; i++) {
		memcpy(&one, values + (size_t)i * PROBE_RECORD_SIZE, sizeof(one));
		sum += one;
	}
	free(values);
	return sum;
}

/* The map has room for this thread alone; it starts others. */
static void no_room(void **state)
{
	const struct bpf_use use = {.type = BPF_PROG_TYPE_RAW_TRACEPOINT};
	const struct probe_thread thread = {.active = 1};
	const s32 tid = (s32)syscall(SYS_gettid);
	int maps[PROBE_MAPS] = {-1, -1, -1}, program, link;
	pthread_t threads[THREADS];
	struct sysroot root;
	struct bpf_code code;
	struct btf b = {0};
	u32 i;

	(void)state;
	NEEDS("bpf");
	NEEDS("btf");
	NEEDS("first-pids");
	assert_int_equal(sysroot_open(&root, "/", NULL), 0);
	assert_int_equal(btf_load(&b, NULL, root.fd, "sys/kernel/btf/vmlinux", NULL), 0);
	maps[PROBE_MAP_RECORD] =
		bpf_map_new(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), PROBE_RECORD_SIZE, 1);
	maps[PROBE_MAP_THREADS] =
		bpf_map_new(BPF_MAP_TYPE_HASH, sizeof(u32), sizeof(struct probe_thread), 1);
	assert_true(maps[PROBE_MAP_RECORD] >= 0 && maps[PROBE_MAP_THREADS] >= 0);
	assert_int_equal(bpf_map_add(maps[PROBE_MAP_THREADS], &tid, &thread), 0);
	assert_int_equal(probe_threads_code(PROBE_THREADS_FORK, &b, &code, NULL), 0);
	program = bpf_program_load(&code, &use, maps, NULL);
	assert_true(program >= 0);
	link = bpf_program_at_tracepoint(program, probe_threads_tracepoint(PROBE_THREADS_FORK));
	assert_true(link >= 0);
	pthread_barrier_init(&all_there, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for_all, NULL), 0);
	assert_int_equal(lost(&root, maps[PROBE_MAP_RECORD]), THREADS);
	pthread_barrier_wait(&all_there);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&all_there);
	close(link);
	close(program);
	close(maps[PROBE_MAP_RECORD]);
	close(maps[PROBE_MAP_THREADS]);
	bpf_code_free(&code);
	btf_free(&b);
	sysroot_close(&root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_room),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
