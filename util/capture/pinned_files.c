// SPDX-License-Identifier: GPL-2.0
#include "util/capture/pinned_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/image/image.h"
#include "util/process/mapped_file.h"
#include "util/process/perf_map.h"

#define LOOK_NS 200000000ull
/* In the record: behind pid, tid, address, length, offset, device and inode. */
#define MMAP2_GENERATION 56
#define VERSION_GONE     UINT32_MAX

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
	memset(&h->versions, 0, sizeof(h->versions));
	h->by_file = (struct hmap){0};
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
	vec_free(&h->versions);
	hmap_free(&h->by_file);
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

/* A process that generates code is expected to write a map of it; the first ones are held. */
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
static const struct pinned_file *find_file(const struct pinned_files *h, const struct dso *d)
{
	const struct pinned_file *f;
	u32 i;

	for (i = h->nr; i-- > 0;) {
		f = &h->v[(h->first + i) % HELD_FILES_MAX];
		if (f->ino == d->ino && f->maj == d->maj && f->min == d->min &&
		    (!f->generation || !(u32)d->ino_generation ||
		     f->generation == (u32)d->ino_generation))
			return f;
	}
	return NULL;
}

int pinned_files_get(struct pinned_files *h, const struct dso *d)
{
	const struct pinned_file *f;
	int fd = -1;

	pthread_mutex_lock(&h->lock);
	f = d->ino ? find_file(h, d) : NULL;
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

static int pin_file(struct pinned_files *h, const struct mapping *m, u64 now)
{
	int fd = mapped_file_open(&m->dso, &m->map, m->pid, h->proc);

	if (fd < 0)
		return fd;
	pthread_mutex_lock(&h->lock);
	if (h->nr == HELD_FILES_MAX)
		drop_oldest(h);
	h->v[(h->first + h->nr++) % HELD_FILES_MAX] = (struct pinned_file){
		m->dso.maj, m->dso.min, m->dso.ino, (u32)m->dso.ino_generation, now, fd};
	pthread_mutex_unlock(&h->lock);
	return fd;
}

/* Its place; NULL: it has none. */
static struct file_version *find_version(struct pinned_files *h, const struct dso *d)
{
	const u64 key = hash_u64(hash_u64(d->ino) + ((u64)d->maj << 32 | d->min));
	u32 id = hmap_get(&h->by_file, key);
	struct file_version *v = id == ID_NONE ? NULL : &h->versions.v[id];

	if (v)
		return v->ino == d->ino && v->maj == d->maj && v->min == d->min ? v : NULL;
	v = h->versions.nr < FILE_VERSIONS_MAX ? vec_push(&h->versions) : NULL;
	if (!v || !hmap_set(&h->by_file, key, h->versions.nr - 1)) {
		h->versions.nr -= v != NULL;
		return NULL;
	}
	*v = (struct file_version){
		.maj = d->maj, .min = d->min, .ino = d->ino, .changed = INT64_MIN};
	return v;
}

/* The version that the open file is. `mapped`: a mapping shows it as it is now. 0: the first, or not known. */
static u32 version_of(struct pinned_files *h, const struct dso *d, int fd, bool mapped)
{
	const u32 generation = (u32)d->ino_generation;
	struct file_version *v = find_version(h, d);
	bool first, other_inode, other;
	struct stat st;

	if (!v || fstat(fd, &st))
		return 0;
	first = v->changed == INT64_MIN;
	other_inode = generation && v->generation && generation != v->generation;
	other = v->changed != io_modified(&st) || v->size != (u64)st.st_size;
	if (!first && !mapped && (other || other_inode))
		return VERSION_GONE;
	v->version = first || other_inode ? 0 : v->version + other;
	v->generation = generation ? generation : v->generation;
	v->changed = io_modified(&st);
	v->size = (u64)st.st_size;
	return v->version;
}

/* A mapping of what the file has become since the one before. */
static void note_version(struct pinned_files *h, const struct mapping *m, int fd, u8 *generation)
{
	u64 version, v;

	pthread_mutex_lock(&h->lock);
	version = version_of(h, &m->dso, fd, true);
	pthread_mutex_unlock(&h->lock);
	v = m->dso.ino_generation;
	if (!version || v >> 32)
		return;
	v |= version << 32;
	memcpy(generation, &v, sizeof(v));
}

void pinned_files_look(struct pinned_files *h, void *records, size_t len, u64 now)
{
	u8 *p = records, *end = p + len;
	const struct pinned_file *f;
	struct mapping m;
	struct rec rec;
	int fd;

	for (; rec_view(&rec, p, (size_t)(end - p)); p += rec.size) {
		if (!read_mapping(&rec, &m))
			continue;
		if (process_is_made_code(m.dso.name, strlen(m.dso.name))) {
			await_map(h, m.pid);
			continue;
		}
		if (m.dso.name[0] != '/' || !m.dso.ino)
			continue;
		/* nobody else puts files in or takes them out, so what is not held now is not when it is opened */
		pthread_mutex_lock(&h->lock);
		f = find_file(h, &m.dso);
		fd = f ? f->fd : -1;
		pthread_mutex_unlock(&h->lock);
		if (fd < 0)
			fd = pin_file(h, &m, now);
		if (fd >= 0)
			note_version(h, &m, fd, p + MMAP2_GENERATION);
	}
}

#define VDSO_MAX (256u << 10)
/* Our own vdso is that of a 64-bit process. */
#define ABOVE_32_BITS (1ull << 32)

/* A descriptor of a file in memory that holds a range of the process's memory. */
static int copy_memory(u32 pid, u64 start, u64 len, int proc)
{
	char path[32], page[4096];
	int from, to;
	u64 done;

	snprintf(path, sizeof(path), "%u/mem", pid);
	from = io_open(proc, path, O_RDONLY);
	if (from < 0)
		return from;
	to = memfd_create("perf-lite vdso", MFD_CLOEXEC);
	for (done = 0; to >= 0 && done < len; done += sizeof(page)) {
		if (pread(from, page, sizeof(page), (off_t)(start + done)) ==
			    (ssize_t)sizeof(page) &&
		    pwrite(to, page, sizeof(page), (off_t)done) == (ssize_t)sizeof(page))
			continue;
		close(to);
		to = -1;
	}
	close(from);
	return to < 0 ? -ENOENT : to;
}

static int open_vdso(const struct map *map, u32 pid, int proc, struct image *img)
{
	const void *own;
	size_t len;
	int fd;

	if (map->start >= ABOVE_32_BITS) {
		own = image_vdso(&len);
		return own ? image_open_memory(img, own, len, NULL) : -ENOENT;
	}
	if (map->end - map->start > VDSO_MAX)
		return -ENOENT;
	fd = copy_memory(pid, map->start, map->end - map->start, proc);
	return fd < 0 ? fd : image_open_fd(img, fd, NULL);
}

/* Is the open file the one that was mapped? */
static bool is_version(struct pinned_files *h, const struct dso *d, int fd)
{
	u32 version;

	if (!d->ino)
		return true;
	pthread_mutex_lock(&h->lock);
	version = version_of(h, d, fd, false);
	pthread_mutex_unlock(&h->lock);
	return version == d->ino_generation >> 32;
}

int pinned_files_open_image(struct pinned_files *held, const struct process_model *m, u32 map,
			    u32 pid, int proc, struct image *img)
{
	const struct map *at = &m->maps.v[map];
	const struct dso *d = &m->dsos.v[at->dso];
	int fd, ret;

	if (d->kind == DSO_VDSO)
		return open_vdso(at, pid, proc, img);
	if (!dso_has_image(d))
		return -ENOENT;
	/* it may be gone while it is held, or be there although it was not */
	fd = held ? pinned_files_get(held, d) : -1;
	if (fd < 0)
		fd = mapped_file_open(d, at, pid, proc);
	if (fd < 0)
		return fd;
	if (held && !is_version(held, d, fd)) {
		close(fd);
		return -ENOENT;
	}
	ret = image_open_fd(img, fd, NULL);
	/* what JIT compilers map twice has more holes than code */
	return ret == -EFBIG && d->kind == DSO_MEMFD ? -ENOEXEC : ret;
}
