// SPDX-License-Identifier: GPL-2.0
/*
 * machine_rings.c - the rings of machine.c: samples that a test lists.
 *
 *	SAMPLES=TEXT    "MS/EVENT@CPU=PID,ADDRESS[>CALLER...][*NUMBER]" with blanks or newlines between, in order of time
 *
 * MS ms after the counters were opened, this task is sampled so many times on that CPU, at this address, in hexadecimal, with these
 * callers; those above 2^63 are the kernel's. Take PIDs that no task can have: commands leave out their own.
 * "MS/lost@CPU=N": the ring of the CPU had no room for N samples.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHAIN_MAX 16

struct sample {
	uint64_t time;
	unsigned int cpu, pid;
	uint64_t chain[CHAIN_MAX];
	unsigned int nr;
};

struct record {
	struct perf_event_header header;
	uint64_t words[64];
	unsigned int nr;
};

static uint64_t began;
static const char *next;

static void put(struct record *r, uint64_t word)
{
	r->words[r->nr++] = word;
}

static uint64_t halves(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static void write_record(struct perf_event_mmap_page *ring, struct record *r)
{
	const uint64_t size = ring->data_size, len = sizeof(r->header) + r->nr * sizeof(*r->words);
	char *data = (char *)ring + ring->data_offset;
	uint64_t i;

	r->header.size = (uint16_t)len;
	if (ring->data_head + len - ring->data_tail > size)
		abort();
	for (i = 0; i < len; i++)
		data[(ring->data_head + i) % size] =
			i < sizeof(r->header) ? ((char *)&r->header)[i]
					      : ((char *)r->words)[i - sizeof(r->header)];
	__atomic_store_n(&ring->data_head, ring->data_head + len, __ATOMIC_RELEASE);
}

static bool is_of_kernel(uint64_t address)
{
	return address >> 63;
}

static void put_chain(struct record *r, const struct sample *s)
{
	const unsigned int at = r->nr;
	unsigned int i;

	put(r, 0);
	for (i = 0; i < s->nr; i++) {
		if (!i || is_of_kernel(s->chain[i]) != is_of_kernel(s->chain[i - 1]))
			put(r, is_of_kernel(s->chain[i]) ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
		put(r, s->chain[i]);
	}
	r->words[at] = r->nr - at - 1;
}

/* perf_event_open(2), PERF_RECORD_SAMPLE: what the attr asks for, in this order. */
static void put_sample(int fd, const struct sample *s)
{
	const struct counter *c = &counters[fd];
	const uint64_t what = c->attr.sample_type;
	struct record r = {.header = {.type = PERF_RECORD_SAMPLE,
				      .misc = is_of_kernel(s->chain[0]) ? PERF_RECORD_MISC_KERNEL
									: PERF_RECORD_MISC_USER}};
	const uint64_t known = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

	if (what & ~known) {
		fprintf(stderr, "machine_rings.c: samples of type %llx are not made here\n",
			(unsigned long long)(what & ~known));
		abort();
	}
	if (what & PERF_SAMPLE_IDENTIFIER)
		put(&r, (uint64_t)fd);
	if (what & PERF_SAMPLE_IP)
		put(&r, s->chain[0]);
	if (what & PERF_SAMPLE_TID)
		put(&r, halves(s->pid, s->pid));
	if (what & PERF_SAMPLE_TIME)
		put(&r, s->time);
	if (what & PERF_SAMPLE_ID)
		put(&r, (uint64_t)fd);
	if (what & PERF_SAMPLE_CPU)
		put(&r, s->cpu);
	if (what & PERF_SAMPLE_PERIOD)
		put(&r, c->attr.freq ? NS_PER_S / c->attr.sample_freq : c->attr.sample_period);
	if (what & PERF_SAMPLE_CALLCHAIN)
		put_chain(&r, s);
	write_record(counters[c->output].ring, &r);
}

/* PERF_RECORD_LOST, with what follows where sample_id_all is set. */
static void put_lost(int fd, const struct sample *s, uint64_t nr)
{
	const struct counter *c = &counters[fd];
	const uint64_t what = c->attr.sample_id_all ? c->attr.sample_type : 0;
	struct record r = {.header.type = PERF_RECORD_LOST};

	put(&r, (uint64_t)fd);
	put(&r, nr);
	if (what & PERF_SAMPLE_TID)
		put(&r, halves(0, 0));
	if (what & PERF_SAMPLE_TIME)
		put(&r, s->time);
	if (what & PERF_SAMPLE_ID)
		put(&r, (uint64_t)fd);
	if (what & PERF_SAMPLE_CPU)
		put(&r, s->cpu);
	if (what & PERF_SAMPLE_IDENTIFIER)
		put(&r, (uint64_t)fd);
	write_record(counters[c->output].ring, &r);
}

/* The counter of that event there: one whose samples are read. */
static int find_counter(const char *name, size_t len, unsigned int cpu)
{
	int fd;

	for (fd = 0; fd < MAX_FD; fd++)
		if (counters[fd].used && counters[counters[fd].output].ring &&
		    (counters[fd].cpu < 0 || (unsigned int)counters[fd].cpu == cpu) &&
		    counters[fd].attr.sample_type && is_event(name, len, &counters[fd].attr))
			return fd;
	fprintf(stderr, "machine_rings.c: nobody reads %.*s of CPU %u\n", (int)len, name, cpu);
	abort();
}

/* One of SAMPLES, from after its time on; what follows it. */
static const char *fill_one(const char *text, uint64_t time)
{
	const size_t len = strcspn(text, "@");
	struct sample s = {.time = time};
	unsigned long number;
	char *end;
	int fd;

	s.cpu = (unsigned int)strtoul(text + len + 1, &end, 10);
	number = strtoul(end + 1, &end, 10);
	if (len == strlen("lost") && !strncmp(text, "lost", len)) {
		put_lost(find_counter("*", 1, s.cpu), &s, number);
		return end;
	}
	fd = find_counter(text, len, s.cpu);
	s.pid = (unsigned int)number;
	do {
		s.chain[s.nr++] = strtoull(end + 1, &end, 16);
	} while (*end == '>' && s.nr < CHAIN_MAX);
	for (number = *end == '*' ? strtoul(end + 1, &end, 10) : 1; number; number--) {
		put_sample(fd, &s);
		s.time++;
	}
	return end;
}

void rings_fill(void)
{
	const char *all = getenv("SAMPLES");
	uint64_t time;
	char *text;

	if (!all || !began)
		return;
	for (next = next ? next : all; *(next += strspn(next, " \n\t"));
	     next = fill_one(text + 1, time)) {
		time = began + strtoull(next, &text, 10) * NS_PER_MS;
		if (time > now)
			break;
	}
}

void *mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	struct perf_event_mmap_page *ring;

	if (fd < 0 || fd >= MAX_FD || !counters[fd].used)
		return REAL(mmap64)(addr, len, prot, flags, fd, offset);
	ring = REAL(mmap64)(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
		return ring;
	ring->data_offset = (uint64_t)sysconf(_SC_PAGESIZE);
	ring->data_size = len - ring->data_offset;
	counters[fd].ring = ring;
	began = began ? began : now;
	return ring;
}
