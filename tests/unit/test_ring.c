// SPDX-License-Identifier: GPL-2.0
/* A real ring of the kernel, on a software event of this process. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "tests/unit/made.h"
#include "util/ring/ring.h"

#define TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
/* header, identifier, tid, time, addr */
#define SAMPLE_SIZE 40

static int open_faults(bool backward)
{
	struct perf_event_attr attr = made_attr(TYPE);

	attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	attr.sample_period = 1;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	attr.comm = 1;
	attr.write_backward = backward;
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Touch `nr` fresh pages: as many page faults. */
static void fault(size_t nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *p = mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	madvise(p, nr * page, MADV_NOHUGEPAGE);
	for (i = 0; i < nr; i++)
		((volatile char *)p)[i * page] = 1;
	munmap(p, nr * page);
}

static int open_ring(struct ring *r, u32 pages, bool overwrite)
{
	struct err err = {0};
	int fd;

	NEEDS("own");
	fd = open_faults(overwrite);
	assert_true(fd >= 0);
	assert_int_equal(ring_open(r, fd, pages, overwrite, &err), 0);
	assert_int_equal(r->size, pages * (u64)sysconf(_SC_PAGESIZE));
	if (!overwrite)
		assert_int_equal(ring_begin(r), 0);
	return fd;
}

struct seen {
	u64 samples, lost, last_time;
};

static void read_records(const u8 *p, size_t len, struct seen *s)
{
	struct sample_layout layout = made_layout(TYPE);
	struct sample sample;
	struct rec rec;
	size_t at;

	for (at = 0; at < len; at += rec.size) {
		assert_true(rec_view(&rec, p + at, len - at));
		if (rec.type == PERF_RECORD_LOST) {
			struct cur c = rec_body(&rec);

			cur_u64(&c);
			s->lost += cur_u64(&c);
		}
		if (rec.type != PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(rec.size, SAMPLE_SIZE);
		assert_true(sample_layout_sample(&layout, &rec, &sample));
		assert_int_equal(sample.ids.pid, getpid());
		assert_true(sample.ids.time >= s->last_time);
		assert_int_not_equal(sample.addr, 0);
		s->last_time = sample.ids.time;
		s->samples++;
	}
}

/* Read all, at most `max` bytes at a time. */
static void read_ring(struct ring *r, size_t max, struct seen *s)
{
	static _Alignas(8) u8 data[1 << 16];
	u64 bytes = ring_begin(r), sum = 0;
	size_t n;

	assert_true(bytes <= r->size);
	while ((n = ring_copy(r, data, MIN(max, sizeof(data))))) {
		assert_true(n <= max);
		read_records(data, n, s);
		sum += n;
	}
	assert_int_equal(sum, bytes);
	assert_int_equal(r->bad, 0);
	ring_release(r);
	assert_int_equal(r->meta->data_tail, r->head);
}

/* A ring of one page, around and around: the records that cross its end come out whole. */
static void wraps_around(void **state)
{
	static const size_t sizes[] = {SAMPLE_SIZE, 100, 333, 4095};
	struct seen s = {0};
	struct ring r;
	int fd, i;

	(void)state;
	fd = open_ring(&r, 1, false);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 200; i++) {
		fault(10);
		/* in one piece, and in pieces that must be cut between two records */
		read_ring(&r, i % 2 ? sizes[i % ARRAY_SIZE(sizes)] : SIZE_MAX, &s);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read_ring(&r, SIZE_MAX, &s);
	assert_int_equal(s.lost, 0);
	assert_true(s.samples >= 2000);
	ring_close(&r);
	close(fd);
}

/* Nothing is overwritten before it is released; what did not fit is counted. */
static void overflows(void **state)
{
	struct seen s = {0};
	struct ring r;
	u64 counted = 0;
	int fd;

	(void)state;
	fd = open_ring(&r, 1, false);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fault(500);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	assert_int_equal(ring_begin(&r), ring_begin(&r));
	read_ring(&r, SIZE_MAX, &s);
	assert_in_range(s.samples, 80, r.size / SAMPLE_SIZE);
	/* the kernel tells of it when there is room again */
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fault(5);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	read_ring(&r, SIZE_MAX, &s);
	assert_int_equal(read(fd, &counted, sizeof(counted)), sizeof(counted));
	assert_int_equal(s.samples + s.lost, counted);
	ring_close(&r);
	close(fd);
}

/* Memory that no kernel writes: the ring is left to its head, not read past it. */
static void bad_records(void **state)
{
	static _Alignas(8) u8 data[64], to[64];
	struct perf_event_mmap_page meta = {.data_head = 64};
	static const u16 sizes[] = {0, 7, 12, 72, UINT16_MAX};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct ring r = {.meta = &meta, .data = data, .size = 64};

		memcpy(data + 6, &sizes[i], 2);
		assert_int_equal(ring_begin(&r), 64);
		/* a piece of it asks for the ends of records */
		assert_int_equal(ring_copy(&r, to, 63), 0);
		assert_int_equal(r.bad, 1);
		assert_int_equal(r.pos, 64);
		assert_int_equal(ring_copy(&r, to, 63), 0);
		assert_int_equal(r.bad, 1);
	}
	/* a head that is further than the ring is long */
	struct ring r = {.meta = &meta, .data = data, .size = 32};

	assert_int_equal(ring_begin(&r), 64);
	assert_int_equal(ring_copy(&r, to, sizeof(to)), 0);
	assert_int_equal(r.bad, 1);
}

/* The kernel overwrites the oldest: the newest are there, in order, and none is torn. */
static void overwrites(void **state)
{
	static _Alignas(8) u8 all[4096 * 4];
	struct seen s = {0};
	struct ring r;
	size_t len;
	int fd;

	(void)state;
	fd = open_ring(&r, 1, true);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	fault(20);
	ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
	len = ring_copy_newest(&r, all);
	read_records(all, len, &s);
	assert_in_range(s.samples, 20, 40);
	ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	fault(1000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	s = (struct seen){0};
	len = ring_copy_newest(&r, all);
	assert_in_range(len, r.size - 2 * SAMPLE_SIZE, r.size);
	read_records(all, len, &s);
	assert_int_equal(s.samples, len / SAMPLE_SIZE);
	assert_int_equal(s.lost, 0);
	ring_close(&r);
	close(fd);
}

static void cannot_map(void **state)
{
	struct err err = {0};
	struct ring r;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(ring_open(&r, fd, 1, false, &err), -ENODEV);
	assert_non_null(strstr(err.msg, "1 pages"));
	ring_close(&r);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps_around), cmocka_unit_test(overflows),
		cmocka_unit_test(bad_records),  cmocka_unit_test(overwrites),
		cmocka_unit_test(cannot_map),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
