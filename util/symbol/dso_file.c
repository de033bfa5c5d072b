// SPDX-License-Identifier: GPL-2.0
#include "util/symbol/dso_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/io.h"
#include "util/image/debuginfod.h"
#include "util/image/image.h"
#include "util/process/mapped_file.h"

/* Lengths may differ: perf.data fills a short build-id up with zeros. */
static bool same_build_id(const struct dso *dso, const struct image *img)
{
	static const u8 zeros[BUILD_ID_MAX];
	u8 nr = MIN(dso->build_id_len, img->build_id_len);

	_Static_assert(IMAGE_BUILD_ID_MAX == BUILD_ID_MAX, "one length of build-ids");
	return nr && !memcmp(dso->build_id, img->build_id, nr) &&
	       !memcmp(dso->build_id + nr, zeros, (size_t)(dso->build_id_len - nr)) &&
	       !memcmp(img->build_id + nr, zeros, (size_t)(img->build_id_len - nr));
}

/* Keep an image that was opened if it is the recorded one. */
static int check(const struct dso *d, struct image *img, struct err *err)
{
	bool unread = img->unread;

	if (!d->build_id_len || same_build_id(d, img))
		return 0;
	image_close(img);
	if (unread)
		return err_set(err, EIO, "%s: its build-id cannot be read", d->name);
	return err_set(err, ESTALE, "%s: build-id differs from the recorded one; no symbols",
		       d->name);
}

static int open_path(const struct dso *d, const struct dso_file_options *o, struct image *img,
		     struct err *err)
{
	struct buf path = {0};
	int ret;

	if (o->symfs)
		buf_adds(&path, o->symfs);
	buf_adds(&path, d->name);
	ret = path.failed ? err_nomem(err) : image_open(img, path.data, err);
	buf_free(&path);
	return ret ? ret : check(d, img, err);
}

/* The copy that perf record made: CACHE/.build-id/ab/cdef.../elf. */
static int open_cached(const struct dso *d, const char *cache, struct image *img, struct err *err)
{
	struct buf path = {0};
	int ret;
	u8 i;

	buf_addf(&path, "%s/.build-id/%02x/", cache, d->build_id[0]);
	for (i = 1; i < d->build_id_len; i++)
		buf_addf(&path, "%02x", d->build_id[i]);
	buf_adds(&path, d->kind == DSO_VDSO ? "/vdso" : "/elf");
	ret = path.failed ? err_nomem(err) : image_open(img, path.data, err);
	buf_free(&path);
	return ret ? ret : check(d, img, err);
}

/* Deleted, replaced, or in another mount namespace: as long as a process has it mapped. */
static int open_live(const struct process_model *m, u32 dso, struct image *img)
{
	const struct dso *d = &m->dsos.v[dso];
	int proc = io_open(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY), fd = -1;
	const struct process *p;
	const struct map *map;
	u32 i, j;

	if (proc < 0)
		return proc;
	for (i = 0; fd < 0 && i < m->processes.nr; i++) {
		p = &m->processes.v[i];
		for (j = 0; fd < 0 && p->running && j < p->maps.nr; j++) {
			map = &m->maps.v[p->maps.v[j]];
			if (map->dso != dso)
				continue;
			fd = mapped_file_open(d, map, p->pid, proc);
			break;
		}
	}
	close(proc);
	if (fd < 0)
		return fd;
	return image_open_fd(img, fd, NULL) ? -ENOEXEC : check(d, img, NULL);
}

/* Is the file of that name the one that was mapped? */
static bool is_here(const struct dso *d)
{
	struct stat st;

	return d->ino && !stat(d->name, &st) && st.st_ino == d->ino;
}

static int fetch(const struct dso *d, struct debuginfod *server, struct image *img)
{
	int fd = debuginfod_find(server, d->build_id, d->build_id_len, DEBUGINFOD_EXECUTABLE, NULL);

	if (fd < 0)
		return fd;
	return image_open_fd(img, fd, NULL) ? -ENOEXEC : check(d, img, NULL);
}

/*
 * Only what has a build-id can be known to be the recorded one. -ENOENT: it is nowhere, or what lives may not be looked at; else why
 * a file that is there cannot be read.
 */
static int open_elsewhere(const struct process_model *m, u32 dso, const struct dso_file_options *o,
			  struct image *img, struct err *err)
{
	const struct dso *d = &m->dsos.v[dso];
	int ret = -ENOENT, why = -ENOENT;

	if (!d->build_id_len)
		return ret;
	if (o->cache)
		why = ret = open_cached(d, o->cache, img, err);
	if (ret && !o->symfs && !o->as_perf)
		ret = open_live(m, dso, img);
	if (ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM)
		why = err_set(err, -ret, "%s: %s", d->name, strerror(-ret));
	if (ret && o->debuginfod)
		ret = fetch(d, o->debuginfod, img);
	if (!ret)
		return 0;
	return why == -ENOTDIR || why == -ESTALE ? -ENOENT : why;
}

static int open_vdso(const struct dso *d, const struct dso_file_options *o, struct image *img,
		     struct err *err)
{
	bool own = !strcmp(d->name, VDSO_NAME);
	const void *bytes = d->image;
	size_t len = d->image_len;
	int ret;

	if (!bytes && d->build_id_len && o->cache && !open_cached(d, o->cache, img, NULL))
		return 0;
	if (!bytes) {
		bytes = own ? image_vdso(&len) : NULL;
		/* without a build-id, the same kernel is proof enough */
		if (!bytes || (!d->build_id_len && !o->same_kernel))
			return err_set(err, ENOENT, "%s: not that of this kernel; no symbols",
				       d->name);
	}
	ret = image_open_memory(img, bytes, len, err);
	if (ret) {
		err_prefix(err, "%s", d->name);
		return ret;
	}
	return check(d, img, err);
}

static bool is_text_to_perf(const char *name)
{
	static const char jit_map[] = "/tmp/perf-";

	return !strncmp(name, jit_map, sizeof(jit_map) - 1);
}

int dso_file_open(const struct process_model *m, u32 dso, const struct dso_file_options *o,
		  struct image *img, struct err *err)
{
	const struct dso *d = &m->dsos.v[dso];
	struct err why = {0};
	int ret, other;

	if (d->kind == DSO_VDSO)
		return open_vdso(d, o, img, err);
	if (!dso_has_image(d) || d->name[0] != '/' || (o->as_perf && is_text_to_perf(d->name)))
		return err_set(err, ENOENT, "%s: no file", d->name);
	if (o->running && !o->symfs && !o->as_perf && !is_here(d) && !open_live(m, dso, img))
		return 0;
	ret = open_path(d, o, img, err);
	if (!ret)
		return 0;
	other = open_elsewhere(m, dso, o, img, &why);
	if (!other || other == -ENOENT || (ret != -ENOENT && ret != -ENOTDIR))
		return other ? ret : 0;
	if (err)
		*err = why;
	return other;
}
