// SPDX-License-Identifier: GPL-2.0
#include "util/capture/pinned_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/process/mapped_file.h"
#include "util/process/perf_map.h"

#define LOOK_NS 200000000ull

/* perf's flag in header.misc of an MMAP2 whose device and inode are replaced by a build-id. */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

struct mapping {
	u32 pid;
	struct map map;
	struct dso dso;
};

void pinned_files_init(struct pinned_files *h, int proc)
{
	pthread_mutex_init(&h->lock, NULL);
	h->proc = proc;
	h->first = h->nr = h->nr_maps = 0;
	h->looked = 0;
}

static void drop_oldest(struct pinned_files *h)
{
	close(h->v[h->first].fd);
	h->first = (h->first + 1) % HELD_FILES_MAX;
	h->nr--;
}

static void drop_map(struct pinned_files *h, u32 i)
{
	if (h->maps[i].fd >= 0)
		close(h->maps[i].fd);
	h->maps[i] = h->maps[--h->nr_maps];
}

void pinned_files_free(struct pinned_files *h)
{
	while (h->nr)
		drop_oldest(h);
	while (h->nr_maps)
		drop_map(h, 0);
	pthread_mutex_destroy(&h->lock);
}

/* False: there is nothing more to hope for. */
static bool look_at_map(struct pinned_files *h, struct held_map *map, u64 now)
{
	char path[16];

	if (map->fd < 0)
		map->fd = perf_map_open_live(h->proc, map->pid, NULL);
	if (map->fd < 0)
		return map->fd == -ENOENT;
	snprintf(path, sizeof(path), "%u", map->pid);
	if (!map->gone && faccessat(h->proc, path, F_OK, 0))
		map->gone = now;
	return !map->gone || now - map->gone < HELD_FILES_NS;
}

void pinned_files_expire(struct pinned_files *h, u64 now)
{
	u32 i;

	pthread_mutex_lock(&h->lock);
	while (h->nr && now - h->v[h->first].since >= HELD_FILES_NS)
		drop_oldest(h);
	if (now - h->looked >= LOOK_NS) {
		h->looked = now;
		for (i = h->nr_maps; i-- > 0;)
			if (!look_at_map(h, &h->maps[i], now))
				drop_map(h, i);
	}
	pthread_mutex_unlock(&h->lock);
}

static struct held_map *find_map(struct pinned_files *h, u32 pid)
{
	u32 i;

	for (i = 0; i < h->nr_maps; i++)
		if (h->maps[i].pid == pid)
			return &h->maps[i];
	return NULL;
}

/* A process that makes code will tell of it; the first to come are the first to be held. */
static void await_map(struct pinned_files *h, u32 pid)
{
	pthread_mutex_lock(&h->lock);
	if (h->nr_maps < HELD_MAPS_MAX && !find_map(h, pid))
		h->maps[h->nr_maps++] = (struct held_map){.pid = pid, .fd = -1};
	pthread_mutex_unlock(&h->lock);
}

int pinned_files_get_map(struct pinned_files *h, u32 pid)
{
	const struct held_map *map;
	int fd = -1;

	pthread_mutex_lock(&h->lock);
	map = find_map(h, pid);
	if (map && map->fd >= 0)
		fd = fcntl(map->fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&h->lock);
	return fd;
}

/* The newest one of that file, or NULL. */
static const struct pinned_file *find(const struct pinned_files *h, const struct dso *d)
{
	const struct pinned_file *f;
	u32 i;

	for (i = h->nr; i-- > 0;) {
		f = &h->v[(h->first + i) % HELD_FILES_MAX];
		if (f->ino == d->ino && f->maj == d->maj && f->min == d->min &&
		    (!f->generation || !d->ino_generation || f->generation == d->ino_generation))
			return f;
	}
	return NULL;
}

int pinned_files_get(struct pinned_files *h, const struct dso *d)
{
	const struct pinned_file *f;
	int fd = -1;

	pthread_mutex_lock(&h->lock);
	f = d->ino ? find(h, d) : NULL;
	if (f)
		fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_unlock(&h->lock);
	return fd;
}

/* False: it maps no code. */
static bool read_mapping(const struct rec *rec, struct mapping *m)
{
	struct cur c = rec_body(rec);
	size_t len;

	if (rec->type != PERF_RECORD_MMAP2 ||
	    rec->misc & (PERF_RECORD_MISC_MMAP_DATA | PERF_RECORD_MISC_MMAP_BUILD_ID))
		return false;
	*m = (struct mapping){.dso.kind = DSO_FILE};
	m->pid = cur_u32(&c);
	cur_u32(&c); /* tid */
	m->map.start = cur_u64(&c);
	m->map.end = m->map.start + cur_u64(&c);
	m->map.pgoff = cur_u64(&c);
	m->dso.maj = cur_u32(&c);
	m->dso.min = cur_u32(&c);
	m->dso.ino = cur_u64(&c);
	m->dso.ino_generation = cur_u64(&c);
	cur_skip(&c, 8); /* prot, flags */
	m->dso.name = cur_str(&c, &len);
	return m->dso.name != NULL;
}

static void hold(struct pinned_files *h, const struct mapping *m, u64 now)
{
	int fd = mapped_file_open(&m->dso, &m->map, m->pid, h->proc);

	if (fd < 0)
		return;
	pthread_mutex_lock(&h->lock);
	if (h->nr == HELD_FILES_MAX)
		drop_oldest(h);
	h->v[(h->first + h->nr++) % HELD_FILES_MAX] = (struct pinned_file){
		m->dso.maj, m->dso.min, m->dso.ino, m->dso.ino_generation, now, fd};
	pthread_mutex_unlock(&h->lock);
}

void pinned_files_look(struct pinned_files *h, const void *records, size_t len, u64 now)
{
	const u8 *p = records, *end = p + len;
	struct mapping m;
	struct rec rec;
	bool held;

	for (; rec_view(&rec, p, (size_t)(end - p)); p += rec.size) {
		if (!read_mapping(&rec, &m))
			continue;
		if (!strcmp(m.dso.name, "//anon"))
			await_map(h, m.pid);
		if (m.dso.name[0] != '/' || !m.dso.ino)
			continue;
		/* nobody else puts files in, so what is not held now is not when it is opened */
		pthread_mutex_lock(&h->lock);
		held = find(h, &m.dso) != NULL;
		pthread_mutex_unlock(&h->lock);
		if (!held)
			hold(h, &m, now);
	}
}
