// SPDX-License-Identifier: GPL-2.0
/* The memory of a flight recorder: what leaves it, what is known then, what a second process finds. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/base/hash.h"
#include "util/capture/flight_recorder.h"
#include "util/file/verify.h"
#include "util/record/rec_build.h"

#define WINDOW 1000u

struct fixture {
	struct event_set events;
	struct flight_recorder k;
	struct flight_recorder_shared shared;
	struct writer w;
};

static void set_up(struct fixture *t, u64 max_bytes, u64 window)
{
	static const u64 id = 7;

	*t = (struct fixture){0};
	made_events(&t->events, MADE_TYPE, &id, 1);
	assert_int_equal(flight_recorder_open(&t->k, &t->events.events.v[0].layout, window,
					      max_bytes, &t->shared, NULL),
			 0);
	assert_int_equal(writer_open_memory(&t->w, &t->k.keep, 1, NULL), 0);
}

static void tear_down(struct fixture *t)
{
	writer_close(&t->w, NULL);
	flight_recorder_free(&t->k);
	event_set_free(&t->events);
}

static void comm(const struct fixture *t, struct buf *b, u32 tid, u64 time, const char *name)
{
	struct rec_ids ids = {.id = 7, .pid = tid, .tid = tid, .time = time};

	rec_build_comm(b, &t->events.events.v[0].layout, &ids, 0, tid, tid, name);
}

/* A DATA block of those records. */
static void put(struct fixture *t, struct buf *records)
{
	struct columns_ring ring = {.number = 1, .cpu = 0, .sideband = true};
	struct buf payload = {0};
	struct writer_data d =
		made_data(&payload, &t->events, &ring, 0, records->data, records->len);

	assert_int_equal(writer_data(&t->w, &d, NULL), 0);
	buf_free(&payload);
	buf_clear(records);
}

static void named(const struct process_model *m, u32 tid, const char *want)
{
	const struct thread *t = process_find_thread(m, tid);
	const char *name;
	size_t len;

	if (!want) {
		assert_null(t);
		return;
	}
	assert_non_null(t);
	name = process_comm(m, t, &len);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(name, want, len);
}

/* Tasks are as of before the oldest block, whatever the order within those that left. */
static void tasks_of_what_left(void **state)
{
	struct process_model *m;
	struct buf b = {0};
	struct fixture t;

	(void)state;
	set_up(&t, 1 << 20, WINDOW);
	m = &t.k.tasks.model;
	comm(&t, &b, 1, 1200, "later");
	comm(&t, &b, 1, 1100, "first");
	put(&t, &b);
	comm(&t, &b, 1, 1500, "last");
	comm(&t, &b, 2, 1500, "another");
	put(&t, &b);
	flight_recorder_drop_old(&t.k, 1200 + WINDOW);
	named(m, 1, NULL);
	flight_recorder_drop_old(&t.k, 1201 + WINDOW);
	named(m, 1, "later");
	named(m, 2, NULL);
	flight_recorder_drop_all(&t.k);
	named(m, 1, "last");
	named(m, 2, "another");
	assert_int_equal(t.k.keep.bytes, 0);
	assert_int_equal(t.k.keep.window_ns, WINDOW);
	assert_false(t.k.failed);
	buf_free(&b);
	tear_down(&t);
}

/* Many more than the shared log of them holds: the dump of the model takes its place. */
static void long_log(void **state)
{
	struct flight_tasks tasks, other;
	struct fixture t;
	struct buf b = {0};
	struct rec rec;
	char name[16];
	u32 i;

	(void)state;
	set_up(&t, 1 << 20, 0);
	assert_int_equal(flight_tasks_open(&tasks, t.k.tasks.layout, 64 << 10, NULL), 0);
	for (i = 0; i < 20000; i++) {
		buf_clear(&b);
		snprintf(name, sizeof(name), "n%u", i);
		comm(&t, &b, 1 + i % 300, 1000 + i, name);
		assert_true(rec_view(&rec, b.data, b.len));
		flight_tasks_apply(&tasks, &rec);
		if (i % 997 && i != 19999)
			continue;
		assert_int_equal(flight_tasks_attach(&other, tasks.layout, tasks.memory, NULL), 0);
		named(&other.model, 1 + i % 300, name);
		other.memory = NULL;
		flight_tasks_free(&other);
	}
	assert_int_equal(flight_tasks_attach(&other, tasks.layout, tasks.memory, NULL), 0);
	for (i = 19700; i < 20000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		named(&other.model, 1 + i % 300, name);
	}
	other.memory = NULL;
	flight_tasks_free(&other);
	assert_false(tasks.failed);
	flight_tasks_free(&tasks);
	buf_free(&b);
	tear_down(&t);
}

static u32 resident(const struct keep_memory *m)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = m->ring_size / page, i;
	unsigned char *in = malloc(nr);
	u32 n = 0;

	assert_non_null(in);
	assert_int_equal(mincore((u8 *)m + m->ring_at, m->ring_size, in), 0);
	for (i = 0; i < nr; i++)
		n += in[i] & 1;
	free(in);
	return (u32)(n * page);
}

/* Blocks of all sizes, many times round the ring: each as it was, and memory only for those. */
static void round_the_ring(void **state)
{
	enum { MAX_BYTES = 1 << 20, LARGE = 600 << 10 };
	static u8 payload[LARGE];
	const struct keep_block *b;
	struct keep k;
	u64 total = 0, taken = 0, size;
	u32 i, next = 0;

	(void)state;
	assert_int_equal(keep_open(&k, MAX_BYTES, 0, NULL), 0);
	for (i = 0; total < 2 * k.memory->ring_size; i++) {
		struct block head = {.type = i % 5 ? BLOCK_DATA : BLOCK_LOSS};

		size = hash_u64(i) % (i % 7 ? 5000 : LARGE);
		memset(payload, (int)i, size);
		head.stored_size = (u32)size;
		assert_int_equal(keep_add(&k, &head, i, payload, NULL), 0);
		total += size;
		while ((b = keep_oldest(&k, 0))) {
			if (b->head.type) {
				assert_int_equal(b->samples, next);
				assert_int_equal(b->head.stored_size,
						 hash_u64(next) % (next % 7 ? 5000 : LARGE));
				memset(payload, (int)next, b->head.stored_size);
				assert_memory_equal(b->payload, payload, b->head.stored_size);
				taken += b->samples;
				next++;
			}
			keep_drop(&k, 0);
		}
		assert_true(k.bytes <= MAX_BYTES);
		if (i % 500 == 0)
			assert_true(resident(k.memory) <= MAX_BYTES + LARGE + (512 << 10));
	}
	assert_int_equal(k.memory->dropped, taken);
	keep_free(&k);
}

/* The lowest first word of the kept blocks of a type, the highest + 1 in *end; *end 0: there are none. */
static u32 lowest_kept(const struct keep *k, u16 type, u32 *end)
{
	const struct keep_memory *m = k->memory;
	bool ring = type == BLOCK_DATA;
	const u8 *from = (const u8 *)m + (ring ? m->ring_at : m->others_at);
	u64 size = ring ? m->ring_size : m->others_size;
	u64 pos = ring ? m->begin : m->others_begin, to = ring ? k->end.ring : k->end.others;
	const struct keep_block *b;
	u32 lowest = UINT32_MAX, v;

	for (*end = 0; pos < to; pos += b->size) {
		b = (const struct keep_block *)(const void *)(from + pos % size);
		if (b->head.type != type)
			continue;
		memcpy(&v, b->payload, sizeof(v));
		lowest = MIN(lowest, v);
		*end = MAX(*end, v + 1);
	}
	return lowest;
}

/* Names for days: the oldest go, and the records that need them before; ids of counters stay. */
static void names_without_end(void **state)
{
	enum { SIZE = 30000, ALL = 1 << 20 };
	static u8 payload[SIZE];
	struct block names = {.type = BLOCK_SYMS, .stored_size = SIZE};
	struct block ids = {.type = BLOCK_IDS, .stored_size = 100};
	struct block data = {.type = BLOCK_DATA, .stored_size = 100};
	struct fixture t;
	struct keep *k = &t.k.keep;
	u32 i, end, oldest = 0;

	(void)state;
	set_up(&t, 1 << 20, 0);
	k->memory->others_size = ALL;
	assert_int_equal(keep_add(k, &ids, 0, payload, NULL), 0);
	for (i = 0; i < 500; i++) {
		memcpy(payload, &i, sizeof(i));
		assert_int_equal(keep_add(k, &names, 0, payload, NULL), 0);
		assert_int_equal(keep_add(k, &data, 1, payload, NULL), 0);
		oldest = lowest_kept(k, BLOCK_DATA, &end);
		assert_int_equal(end, i + 1);
		assert_true(lowest_kept(k, BLOCK_SYMS, &end) <= oldest);
		assert_int_equal(end, i + 1);
		lowest_kept(k, BLOCK_IDS, &end);
		assert_int_equal(end, 1);
		if (keep_names_due(k))
			flight_recorder_renew_names(&t.k, i);
	}
	assert_in_range(oldest, 500 - ALL / SIZE, 500 - ALL / SIZE / 3);
	assert_int_equal(k->memory->dropped, oldest);
	/* nobody needs the older names any more */
	flight_recorder_drop_all(&t.k);
	assert_int_equal(k->memory->others_begin, k->memory->names);
	tear_down(&t);
}

/* What is larger than all of it is refused, and nothing else is lost by that. */
static void too_large(void **state)
{
	struct block head = {.type = BLOCK_DATA}, other = {.type = BLOCK_SYMS};
	u8 *payload = calloc(1, BLOCK_SIZE_MAX);
	struct err err = {0};
	struct keep k;
	u32 i;

	(void)state;
	assert_non_null(payload);
	assert_int_equal(keep_open(&k, 4096, 0, NULL), 0);
	head.stored_size = 100;
	assert_int_equal(keep_add(&k, &head, 1, payload, &err), 0);
	head.stored_size = BLOCK_SIZE_MAX;
	for (i = 0; i < 8 && !keep_add(&k, &head, 1, payload, &err);)
		i++;
	assert_in_range(i, 1, 7);
	assert_int_equal(err.code, ENOSPC);
	assert_string_not_equal(err.hint, "");
	assert_int_equal(keep_oldest(&k, 0)->head.stored_size, 100);
	other.stored_size = BLOCK_SIZE_MAX;
	for (i = 0; i < 8 && !keep_add(&k, &other, 1, payload, &err);)
		i++;
	assert_in_range(i, 0, 7);
	free(payload);
	keep_free(&k);
}

/* The ring is full all the time: what is given back of its pages holds nothing that is new. */
static void to_the_brim(void **state)
{
	enum { SIZE = 60000 };
	struct block head = {.type = BLOCK_DATA, .stored_size = SIZE};
	u8 *payload = malloc(SIZE);
	const struct keep_block *b;
	u32 added = 0, next = 0;
	struct keep k;

	(void)state;
	assert_non_null(payload);
	assert_int_equal(keep_open(&k, 4096, 0, NULL), 0);
	while (next < 2500) {
		memset(payload, (int)added, SIZE);
		while (!keep_add(&k, &head, added, payload, NULL))
			memset(payload, (int)++added, SIZE);
		b = keep_oldest(&k, 0);
		assert_non_null(b);
		if (b->head.type) {
			assert_int_equal(b->samples, next);
			memset(payload, (int)next, SIZE);
			assert_memory_equal(b->payload, payload, SIZE);
			next++;
		}
		keep_drop(&k, 0);
	}
	assert_true(added > next + 1000);
	free(payload);
	keep_free(&k);
}

struct agreed {
	struct keep_ends ends;
	u32 ready;
};

/* Adds blocks of one name and one sample each, tells of most of them, and waits to be killed. */
static void record_until_killed(struct fixture *t, struct agreed *agreed)
{
	struct made_sample s = {.id = 7, .pid = 1, .tid = 1, .ip = 5, .period = 1};
	struct buf b = {0};
	char name[16];
	u32 i;

	for (i = 1; i <= 100; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		comm(t, &b, i, i * 100, name);
		s.time = i * 100;
		made_sample(&b, &s);
		put(t, &b);
		flight_recorder_drop_old(&t->k, i * 100);
		if (i <= 90)
			agreed->ends = t->k.keep.end;
	}
	__atomic_store_n(&agreed->ready, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static u32 samples_of(const struct flight_recorder *k, u64 *first, u64 *last)
{
	char path[] = "/tmp/kept-XXXXXX", old[sizeof(path) + 4];
	struct blocks_item it;
	struct verify v;
	struct writer w;
	u32 samples;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(writer_open(&w, path, 1, NULL), 0);
	assert_int_equal(keep_write(&k->keep, &w, NULL), 0);
	assert_int_equal(writer_publish(&w, NULL), 0);
	assert_int_equal(writer_close(&w, NULL), 0);
	assert_int_equal(verify_open(&v, path, NULL), 0);
	*first = *last = 0;
	while (verify_next(&v, &it, NULL) > 0) {
		assert_int_equal(it.kind, BLOCKS_WHOLE);
		if (it.head.type != BLOCK_DATA)
			continue;
		*first = *first ? *first : it.head.time_min;
		*last = it.head.time_max;
	}
	samples = (u32)v.samples;
	verify_free(&v);
	unlink(path);
	snprintf(old, sizeof(old), "%s.old", path);
	unlink(old);
	return samples;
}

static void goes_on_for_the_killed(void **state)
{
	struct agreed *agreed = mmap(NULL, sizeof(*agreed), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct flight_recorder k;
	struct buf b = {0};
	struct fixture t;
	u64 first, last;
	int status;
	pid_t pid;

	(void)state;
	assert_true(agreed != MAP_FAILED);
	set_up(&t, 1 << 20, WINDOW);
	pid = fork();
	if (!pid)
		record_until_killed(&t, agreed);
	while (!__atomic_load_n(&agreed->ready, __ATOMIC_ACQUIRE))
		usleep(1000);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);

	assert_int_equal(flight_recorder_attach(&k, t.k.tasks.layout, WINDOW, 1 << 20, &t.shared,
						&agreed->ends, NULL),
			 0);
	/* the window's, but for what had not been agreed on */
	assert_int_equal(samples_of(&k, &first, &last), 1);
	assert_int_equal(first, 9000);
	assert_int_equal(last, 9000);
	named(&k.tasks.model, 89, "n89");
	named(&k.tasks.model, 90, NULL);
	/* and it can go on */
	writer_close(&t.w, NULL);
	assert_int_equal(writer_open_memory(&t.w, &k.keep, 1, NULL), 0);
	comm(&t, &b, 200, 9500, "on");
	put(&t, &b);
	samples_of(&k, &first, &last);
	assert_int_equal(last, 9500);
	t.k.keep.memory = NULL;
	t.k.tasks.memory = NULL;
	flight_recorder_free(&k);
	buf_free(&b);
	tear_down(&t);
	munmap(agreed, sizeof(*agreed));
}

static void without_memory(void **state)
{
	struct flight_recorder_shared shared;
	struct flight_recorder k;
	struct fixture t;
	unsigned int n;
	int ret;

	(void)state;
	set_up(&t, 1 << 20, WINDOW);
	for (n = 0;; n++) {
		oom_after(n);
		ret = flight_recorder_open(&k, t.k.tasks.layout, WINDOW, 1 << 20, &shared, NULL);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		flight_recorder_free(&k);
	}
	assert_int_equal(ret, 0);
	assert_true(n > 0);
	flight_recorder_free(&k);
	tear_down(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_what_left),     cmocka_unit_test(long_log),
		cmocka_unit_test(round_the_ring),         cmocka_unit_test(too_large),
		cmocka_unit_test(names_without_end),      cmocka_unit_test(to_the_brim),
		cmocka_unit_test(goes_on_for_the_killed), cmocka_unit_test(without_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("flight_recorder", tests, NULL, NULL);
}
