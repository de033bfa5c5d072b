/* SPDX-License-Identifier: GPL-2.0 */
/*
 * made_stat.h - counts that tests make by hand: add events and places, begin, then set counts.
 * After made_stat_begin() every count is there, and 0.
 */
#ifndef TESTS_UNIT_MADE_STAT_H
#define TESTS_UNIT_MADE_STAT_H

#include <stdio.h>

#include "util/stat/stat_reading.h"
#include "util/stat/topology.h"

struct made_stat {
	struct stat_event events[24];
	struct stat_place places[24];
	struct stat_shape shape;
	struct stat_reading reading;
	struct sysroot root;
	struct stat_topology topology;
};

static inline struct stat_event *made_stat_event(struct made_stat *m, const char *name, u32 type,
						 u64 config)
{
	u32 i = m->shape.nr_events++;
	struct stat_event *e = &m->events[i];

	*e = (struct stat_event){
		.name = name, .unit = "", .scale = 1, .group = ID_NONE, .leader = i};
	e->attr.type = type;
	e->attr.config = config;
	return e;
}

static inline struct stat_event *made_stat_clock(struct made_stat *m)
{
	struct stat_event *e =
		made_stat_event(m, "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);

	e->unit = "msec";
	e->scale = 1e-6;
	return e;
}

static inline struct stat_event *made_stat_switches(struct made_stat *m)
{
	return made_stat_event(m, "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
}

/* An event that the kernel refused. */
static inline struct stat_event *made_stat_unsupported(struct made_stat *m, const char *name,
						       u64 config)
{
	struct stat_event *e = made_stat_event(m, name, PERF_TYPE_HARDWARE, config);

	e->state = STAT_NOT_SUPPORTED;
	e->code = 2;
	snprintf(e->reason, sizeof(e->reason), "this machine has no counter for it");
	return e;
}

static inline void made_stat_place(struct made_stat *m, u32 cpu, s32 tid, const char *comm)
{
	struct stat_place *p = &m->places[m->shape.nr_places++];

	*p = (struct stat_place){.cpu = cpu, .tid = tid};
	snprintf(p->comm, sizeof(p->comm), "%s", comm);
}

static inline void made_stat_command(struct made_stat *m)
{
	made_stat_place(m, ID_NONE, -1, "");
}

/* Every CPU that is online in tests/sysroot/NAME; false: the tree is not there. */
static inline bool made_stat_machine(struct made_stat *m, const char *name)
{
	char path[64];
	u32 i;

	snprintf(path, sizeof(path), "tests/sysroot/%s", name);
	if (sysroot_open(&m->root, path, NULL) || stat_topology_read(&m->topology, &m->root, NULL))
		return false;
	for (i = 0; i < m->topology.cpus.nr; i++)
		made_stat_place(m, m->topology.cpus.v[i].cpu, -1, "");
	return true;
}

/* Half a second from 100 s on. */
static inline bool made_stat_begin(struct made_stat *m)
{
	u32 e, p;

	m->shape.events = m->events;
	m->shape.places = m->places;
	if (stat_reading_init(&m->reading, &m->shape, NULL))
		return false;
	m->reading.origin_ns = m->reading.start_ns = 100000000000;
	m->reading.end_ns = 100500000000;
	for (e = 0; e < m->shape.nr_events; e++)
		for (p = 0; p < m->shape.nr_places; p++)
			m->reading.valid[stat_index(&m->shape, e, p)] =
				m->events[e].state == STAT_COUNTED;
	return true;
}

static inline void made_stat_count(struct made_stat *m, u32 event, u32 place, u64 value,
				   u64 enabled, u64 running)
{
	m->reading.counts[stat_index(&m->shape, event, place)] =
		(struct stat_count){.value = value, .enabled = enabled, .running = running};
}

static inline void made_stat_free(struct made_stat *m)
{
	stat_reading_free(&m->reading);
	stat_topology_free(&m->topology);
	if (m->root.fd > 0)
		sysroot_close(&m->root);
}

#endif
