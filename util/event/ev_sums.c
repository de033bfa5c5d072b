// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/bpf/bpf_program.h"

/* All values of a map, on all CPUs, take so much; but there are so many keys. */
#define MAP_BYTES   (2u << 20)
#define ENTRIES_MIN 64u
#define ENTRIES_MAX 4096u

void ev_sums_init(struct ev_sums *h)
{
	*h = (struct ev_sums){.hashes = {-1, -1}};
}

void ev_sums_free(struct ev_sums *h)
{
	const u32 entries = h->entries;
	u32 i;

	for (i = 0; i < EV_SUMS_HASHES; i++)
		if (h->hashes[i] >= 0)
			close(h->hashes[i]);
	free(h->keys);
	free(h->values);
	free(h->buckets);
	ev_sums_init(h);
	h->entries = entries;
}

static size_t stride(const struct ev_sums *h)
{
	return (size_t)probe_sum_size(&h->what) * h->nr_cpus;
}

static bool make_room(struct ev_sums *h)
{
	h->keys = malloc((size_t)h->entries * h->key_size);
	h->values = malloc(h->entries * stride(h));
	h->buckets = calloc((size_t)probe_sum_buckets(&h->what) + 1, sizeof(*h->buckets));
	return h->keys && h->values && h->buckets;
}

int ev_sums_make(struct ev_sums *h, u32 nr_cpus, int *outer, int *zeros)
{
	const u32 size = probe_sum_size(&h->what);
	u32 i;

	h->nr_cpus = nr_cpus;
	h->enabled = false;
	if (!h->entries)
		h->entries = MAX((u32)MIN(MAP_BYTES / stride(h), (size_t)ENTRIES_MAX), ENTRIES_MIN);
	for (i = 0; i < EV_SUMS_HASHES; i++) {
		if (h->hashes[i] < 0)
			h->hashes[i] = bpf_map_new(BPF_MAP_TYPE_PERCPU_HASH, h->key_size, size,
						   h->entries);
		if (h->hashes[i] < 0)
			return h->hashes[i];
	}
	if (!h->keys && !make_room(h))
		return -ENOMEM;
	*outer = bpf_map_new_outer(h->hashes[0], 1);
	*zeros = bpf_map_new(BPF_MAP_TYPE_ARRAY, sizeof(u32), size, 1);
	return *outer < 0 ? *outer : MIN(*zeros, 0);
}

static int activate(struct ev_sums *h, int outer, u32 hash, struct err *err)
{
	const u32 key = 0;
	int ret = bpf_map_put(outer, &key, &h->hashes[hash]);

	return ret ? err_set(err, -ret, "%s: cannot count: %s", h->name, strerror(-ret)) : 0;
}

int ev_sums_enable(struct ev_sums *h, int outer, bool on, struct err *err)
{
	const u32 key = 0;

	if (h->enabled == on)
		return 0;
	h->enabled = on;
	if (on)
		return activate(h, outer, h->active, err);
	bpf_map_delete(outer, &key);
	return 0;
}

static bool is_below(const struct ev_sums *h, u64 a, u64 b)
{
	return h->what.is_signed ? (s64)a < (s64)b : a < b;
}

/* What one CPU has added up. */
static void add_value(struct ev_sums *h, const u64 *v, struct ev_sum *to)
{
	const struct probe_sum_value *value = (const void *)v;
	u64 least, most;
	u32 i;

	to->nr += v[0];
	if (!h->what.has_number || !value->with)
		return;
	least = probe_sum_least(&h->what, value);
	most = probe_sum_most(&h->what, value);
	to->least = !to->with || is_below(h, least, to->least) ? least : to->least;
	to->most = !to->with || is_below(h, to->most, most) ? most : to->most;
	to->with += value->with;
	to->sum += (__int128)((unsigned __int128)value->sum_high << 64 | value->sum_low);
	for (i = 0; i < to->nr_buckets; i++)
		h->buckets[i] += value->buckets[i];
}

static void add_values(struct ev_sums *h, const u8 *values, struct ev_sum *to)
{
	u32 cpu;

	*to = (struct ev_sum){.buckets = h->buckets, .nr_buckets = probe_sum_buckets(&h->what)};
	to->first_bucket = to->nr_buckets && h->what.is_signed ? -64 : 0;
	memset(h->buckets, 0, to->nr_buckets * sizeof(*h->buckets));
	for (cpu = 0; cpu < h->nr_cpus; cpu++)
		add_value(h, (const u64 *)(const void *)(values + cpu * probe_sum_size(&h->what)),
			  to);
}

int ev_sums_take(struct ev_sums *h, int outer,
		 int (*each)(void *arg, const u8 *key, const struct ev_sum *sum, struct err *err),
		 void *arg, struct err *err)
{
	const int hash = h->hashes[h->active];
	const u32 next = (h->active + 1) % EV_SUMS_HASHES;
	struct ev_sum sum;
	int taken = 0, ret = 0;
	u64 at = 0;
	u32 nr, i;

	if (hash < 0)
		return 0;
	if (h->enabled)
		ret = activate(h, outer, next, err);
	/* otherwise the old one is still added up in */
	if (!ret)
		h->active = next;
	while (!ret && !taken) {
		nr = h->entries;
		taken = bpf_map_take(hash, &at, h->keys, h->values, &nr);
		if (taken && taken != -ENOENT)
			return err_set(err, -taken, "%s: cannot read what was counted: %s", h->name,
				       strerror(-taken));
		for (i = 0; !ret && i < nr; i++) {
			add_values(h, h->values + i * stride(h), &sum);
			if (sum.nr)
				ret = each(arg, h->keys + (size_t)i * h->key_size, &sum, err);
		}
	}
	return ret;
}

struct ev_sum ev_sums_one(const struct probe_sum *what, bool is_there, u64 number)
{
	if (!is_there)
		return (struct ev_sum){.nr = 1};
	return (struct ev_sum){.nr = 1,
			       .with = 1,
			       .least = number,
			       .most = number,
			       .sum = what->is_signed ? (__int128)(s64)number : (__int128)number};
}
