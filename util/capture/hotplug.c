// SPDX-License-Identifier: GPL-2.0
#include "util/capture/hotplug.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"

#define CHECK_NS 400000000ull /* between two looks at the list */

int hotplug_open(struct hotplug *h, const struct sysroot *root, const struct cpus *known,
		 struct err *err)
{
	u32 *slot, i;

	*h = (struct hotplug){.events = -1};
	for (i = 0; i < known->nr; i++) {
		slot = vec_push(&h->known);
		if (!slot)
			return err_nomem(err);
		*slot = known->v[i];
	}
	h->open = !cpus_watch_open(&h->online, root, NULL);
	h->events = cpu_events_open();
	if (h->events < 0)
		h->events = -1;
	return 0;
}

void hotplug_close(struct hotplug *h)
{
	if (h->open)
		cpus_watch_close(&h->online);
	if (h->events >= 0)
		close(h->events);
	cpus_free(&h->known);
	vec_free(&h->away);
	*h = (struct hotplug){.events = -1};
}

static u64 *away(struct hotplug *h, u32 cpu)
{
	while (h->away.nr <= cpu)
		if (!vec_push(&h->away))
			return NULL;
	return &h->away.v[cpu];
}

static void left(struct hotplug *h, u32 cpu, u64 now)
{
	u64 *since = cpus_has(&h->known, cpu) ? away(h, cpu) : NULL;

	if (since && !*since)
		*since = now;
}

bool hotplug_check(struct hotplug *h, u64 now)
{
	u64 clock = clock_ns(CLOCK_MONOTONIC);
	bool told = false, online;
	u32 i, cpu;

	while (h->events >= 0 && cpu_events_next(h->events, &cpu, &online)) {
		if (!online)
			left(h, cpu, now);
		told = true;
	}
	if (!h->open || (!told && clock - h->checked < CHECK_NS))
		return false;
	h->checked = clock;
	h->next = 0;
	if (cpus_watch_read(&h->online) <= 0 && !told)
		return false;
	for (i = 0; i < h->known.nr; i++)
		if (!cpus_has(&h->online.online, h->known.v[i]))
			left(h, h->known.v[i], now);
	return true;
}

u64 hotplug_away(const struct hotplug *h, u32 cpu)
{
	return cpu < h->away.nr ? h->away.v[cpu] : 0;
}

/* Keep the list sorted. */
static bool learn(struct hotplug *h, u32 cpu)
{
	u32 *slot = vec_push(&h->known), i;

	if (!slot)
		return false;
	for (i = h->known.nr - 1; i && h->known.v[i - 1] > cpu; i--)
		h->known.v[i] = h->known.v[i - 1];
	h->known.v[i] = cpu;
	return true;
}

bool hotplug_next(struct hotplug *h, u32 *cpu, u64 *since)
{
	while (h->next < h->online.online.nr) {
		*cpu = h->online.online.v[h->next++];
		*since = hotplug_away(h, *cpu);
		if (*since)
			h->away.v[*cpu] = 0;
		else if (cpus_has(&h->known, *cpu) || !learn(h, *cpu))
			continue;
		return true;
	}
	return false;
}
