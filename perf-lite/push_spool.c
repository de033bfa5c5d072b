// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/push_spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"

/*
 * SEQUENCE-PID.SAMPLES[.PARTS]-FROM-UNTIL-HOST.ENDING: files are sent by the order of their names. The sequence is the time of day in
 * ns, and higher than those that are there. Older versions had no SAMPLES. A document
 * that was divided is two files with the same sequence and PID, whose PARTS are longer by 0 and 1: they count when the file
 * itself is no more. What is being written begins with a dot, and is locked by its writer: nobody else's is left.
 */
#define REFUSED ".refused"
#define LOCK    "lock"
#define SLICE   50000000 /* ns between two looks at a lock */

static const char *const endings[] = {[PUSH_OTLP] = ".otlp.gz", [PUSH_PPROF] = ".pb.gz"};

static int report(const struct push_spool *s, const char *what, int code, struct err *err)
{
	err_set(err, code, "--spool: %s: %s: %s", s->path, what, strerror(code));
	if (code == ENOSPC || code == EDQUOT)
		err_hint(err, "free some space, or take another folder");
	return -code;
}

int push_spool_open(struct push_spool *s, const char *path, struct err *err)
{
	*s = (struct push_spool){.path = path, .dir = -1, .lock = -1};
	if (mkdir(path, 0700) && errno != EEXIST)
		return report(s, "cannot make the folder", errno, err);
	s->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->dir < 0 ? report(s, "cannot be opened", errno, err) : 0;
}

void push_spool_close(struct push_spool *s)
{
	if (s->lock >= 0)
		close(s->lock);
	if (s->dir >= 0)
		close(s->dir);
	s->lock = s->dir = -1;
}

/* ---- names ---- */

static bool parse_number(const char **at, char end, u64 *n)
{
	char *behind;

	if (!isdigit((u8) * *at))
		return false;
	errno = 0;
	*n = strtoull(*at, &behind, 10);
	if (errno || *behind != end)
		return false;
	*at = behind + 1;
	return true;
}

/* ".SAMPLES" and ".SAMPLES.PARTS", behind the PID. */
static bool parse_samples(const char **at, struct push_spooled *f)
{
	size_t len;

	if (parse_number(at, '-', &f->samples))
		return true;
	if (!parse_number(at, '.', &f->samples))
		return false;
	len = strspn(*at, "01");
	if (!len || (*at)[len] != '-' || len >= sizeof(f->parts))
		return false;
	memcpy(f->parts, *at, len);
	*at += len + 1;
	return true;
}

static bool ends_with(const char *name, size_t len, const char *ending)
{
	size_t n = strlen(ending);

	return len >= n && !strncmp(name + len - n, ending, n);
}

/* False: it is not ours. */
static bool parse_name(const char *name, struct push_spooled *f)
{
	size_t len = strlen(name);
	const char *at = name;
	u32 i;

	*f = (struct push_spooled){.form = NR_PUSH_FORMS};
	if (len >= sizeof(f->name))
		return false;
	memcpy(f->name, name, len + 1);
	f->refused = ends_with(name, len, REFUSED);
	if (f->refused)
		len -= strlen(REFUSED);
	for (i = 0; i < NR_PUSH_FORMS && f->form == NR_PUSH_FORMS; i++)
		if (ends_with(name, len, endings[i]))
			f->form = i;
	if (f->form == NR_PUSH_FORMS || !parse_number(&at, '-', &f->sequence) ||
	    !(parse_number(&at, '-', &f->pid) ||
	      (parse_number(&at, '.', &f->pid) && parse_samples(&at, f))) ||
	    !parse_number(&at, '-', &f->from) || !parse_number(&at, '-', &f->until))
		return false;
	len -= strlen(endings[f->form]);
	if ((size_t)(at - name) > len || len - (size_t)(at - name) >= sizeof(f->host))
		return false;
	memcpy(f->host, at, len - (size_t)(at - name));
	return true;
}

static int by_name(const void *a, const void *b)
{
	const struct push_spooled *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int read_folder(struct push_spool *s, DIR *dir, struct push_spooled_list *list, u64 *last,
		       struct err *err)
{
	struct push_spooled f, *slot;
	struct dirent *e;
	struct stat st;

	for (errno = 0; (e = readdir(dir)); errno = 0) {
		/* what went meanwhile is no error: somebody else has sent it */
		if (!parse_name(e->d_name, &f) ||
		    fstatat(s->dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		f.size = (u64)st.st_size;
		*last = MAX(*last, f.sequence);
		slot = vec_push(list);
		if (!slot)
			return err_nomem(err);
		*slot = f;
	}
	return errno ? report(s, "cannot be read", errno, err) : 0;
}

/* Is it a half of a file that is still there? */
static bool is_early(const struct push_spooled_list *list, const struct push_spooled *f)
{
	size_t len = strlen(f->parts);
	const struct push_spooled *o;
	u32 i;

	for (i = 0; len && i < list->nr; i++) {
		o = &list->v[i];
		if (o->sequence == f->sequence && o->pid == f->pid && o->form == f->form &&
		    strlen(o->parts) == len - 1 && !strncmp(o->parts, f->parts, len - 1))
			return true;
	}
	return false;
}

/* Halves that were made before their maker was killed do not count; whoever sends removes them, before the whole is sent. */
static void leave_out_early(struct push_spool *s, struct push_spooled_list *list)
{
	struct push_spooled_list whole = *list;
	u32 i, nr = 0;
	bool *early = calloc(list->nr + 1, sizeof(*early));

	for (i = 0; early && i < list->nr; i++)
		early[i] = is_early(&whole, &list->v[i]);
	for (i = 0; early && i < list->nr; i++) {
		if (early[i] && s->lock >= 0)
			unlinkat(s->dir, list->v[i].name, 0);
		if (!early[i])
			list->v[nr++] = list->v[i];
	}
	if (early)
		list->nr = nr;
	free(early);
}

static int list_files(struct push_spool *s, struct push_spooled_list *list, u64 *last,
		      struct err *err)
{
	int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	*list = (struct push_spooled_list){0};
	*last = 0;
	if (!dir) {
		ret = report(s, "cannot be read", errno, err);
		if (fd >= 0)
			close(fd);
		return ret;
	}
	ret = read_folder(s, dir, list, last, err);
	closedir(dir);
	leave_out_early(s, list);
	if (list->nr)
		qsort(list->v, list->nr, sizeof(*list->v), by_name);
	return ret;
}

int push_spool_list(struct push_spool *s, struct push_spooled_list *list, struct err *err)
{
	u64 last;

	return list_files(s, list, &last, err);
}

/* ---- new files ---- */

int push_spool_create(struct push_spool *s, char temp[static 64], struct err *err)
{
	struct stat st;
	int fd, code;

	while (true) {
		snprintf(temp, 64, ".%llu-%d.tmp", (unsigned long long)clock_ns(CLOCK_REALTIME),
			 (int)getpid());
		fd = openat(s->dir, temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return report(s, "cannot make a file", errno, err);
		if (fd < 0)
			continue;
		code = flock(fd, LOCK_EX) || fstat(fd, &st) ? errno : 0;
		if (!code && st.st_nlink)
			return fd;
		close(fd);
		if (code) {
			unlinkat(s->dir, temp, 0);
			return report(s, "cannot lock a file", code, err);
		}
		/* before the lock, it looked like one that was left, and was removed */
	}
}

void push_spool_forget(struct push_spool *s, const char *temp)
{
	unlinkat(s->dir, temp, 0);
}

static void put_name(char name[static PUSH_NAME], const struct push_spooled *f, u64 sequence,
		     u64 pid)
{
	snprintf(name, PUSH_NAME, "%020llu-%llu.%llu%s%s-%llu-%llu-%s%s",
		 (unsigned long long)sequence, (unsigned long long)pid,
		 (unsigned long long)f->samples, f->parts[0] ? "." : "", f->parts,
		 (unsigned long long)f->from, (unsigned long long)f->until, f->host,
		 endings[f->form]);
}

int push_spool_commit(struct push_spool *s, const char *temp, enum push_form form,
		      struct push_item *item, struct err *err)
{
	struct push_spooled_list list;
	struct push_spooled f;
	u64 last;
	int ret = list_files(s, &list, &last, err);

	vec_free(&list);
	if (ret)
		return ret;
	f = (struct push_spooled){
		.form = form, .samples = item->samples, .from = item->from, .until = item->until};
	memcpy(f.host, item->host, sizeof(f.host));
	put_name(item->name, &f, MAX(clock_ns(CLOCK_REALTIME), last + 1), (u64)getpid());
	if (fsync(item->fd) || renameat(s->dir, temp, s->dir, item->name) || fsync(s->dir)) {
		item->name[0] = '\0';
		return report(s, "cannot keep a file", errno, err);
	}
	return 0;
}

int push_spool_part(struct push_spool *s, const struct push_spooled *of, int which,
		    const struct buf *bytes, u64 samples, struct push_spooled *part,
		    struct err *err)
{
	char temp[64];
	int fd, ret = 0;

	*part = *of;
	part->size = bytes->len;
	part->samples = samples;
	if (snprintf(part->parts, sizeof(part->parts), "%s%d", of->parts, which) >=
	    (int)sizeof(part->parts))
		return report(s, "cannot divide a file", ENAMETOOLONG, err);
	put_name(part->name, part, of->sequence, of->pid);
	fd = push_spool_create(s, temp, err);
	if (fd < 0)
		return fd;
	ret = io_write(fd, buf_str(bytes), bytes->len);
	if (!ret && (fsync(fd) || renameat(s->dir, temp, s->dir, part->name) || fsync(s->dir)))
		ret = -errno;
	if (ret)
		push_spool_forget(s, temp);
	close(fd);
	return ret ? report(s, "cannot keep a file", -ret, err) : 0;
}

/* ---- who sends ---- */

/* What writers left that were killed. */
static void remove_rests(struct push_spool *s)
{
	int fd = openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), file;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(dir))) {
		if (e->d_name[0] != '.' || !ends_with(e->d_name, strlen(e->d_name), ".tmp"))
			continue;
		file = openat(s->dir, e->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file < 0)
			continue;
		if (!flock(file, LOCK_EX | LOCK_NB))
			unlinkat(s->dir, e->d_name, 0);
		close(file);
	}
	closedir(dir);
}

int push_spool_lock(struct push_spool *s, u64 patience, struct err *err)
{
	const struct timespec slice = {.tv_nsec = SLICE};
	u64 begun = clock_ns(CLOCK_MONOTONIC);

	if (s->lock >= 0)
		return 0;
	s->lock = openat(s->dir, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->lock < 0)
		return report(s, "cannot be locked", errno, err);
	while (flock(s->lock, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return report(s, "cannot be locked", errno, err);
		if (clock_ns(CLOCK_MONOTONIC) - begun > patience) {
			close(s->lock);
			s->lock = -1;
			return err_set(err, EAGAIN, "another perf-lite push sends from %s",
				       s->path);
		}
		nanosleep(&slice, NULL);
	}
	remove_rests(s);
	return 0;
}

/* ---- files that are there ---- */

int push_spool_get(struct push_spool *s, const struct push_spooled *f, struct push_item *item,
		   struct err *err)
{
	struct stat st;

	*item = (struct push_item){.samples = f->samples, .from = f->from, .until = f->until};
	memcpy(item->host, f->host, sizeof(item->host));
	memcpy(item->name, f->name, sizeof(item->name));
	item->fd = openat(s->dir, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (item->fd < 0 || fstat(item->fd, &st)) {
		push_item_free(item);
		return report(s, f->name, errno, err);
	}
	item->size = (u64)st.st_size;
	return 0;
}

int push_spool_remove(struct push_spool *s, const char *name, struct err *err)
{
	return unlinkat(s->dir, name, 0) && errno != ENOENT ? report(s, name, errno, err) : 0;
}

int push_spool_refuse(struct push_spool *s, const char *name, struct err *err)
{
	char to[sizeof(((struct push_spooled *)0)->name) + sizeof(REFUSED)];

	snprintf(to, sizeof(to), "%s%s", name, REFUSED);
	if (!renameat(s->dir, name, s->dir, to))
		return 1;
	return errno != ENOENT ? report(s, name, errno, err) : 0;
}

/* In which order they go: those that can never fit would take all others with them. */
static int trim_pass(const struct push_spooled *f, u64 limit)
{
	if (f->size > limit)
		return 0;
	return f->refused ? 1 : 2;
}

int push_spool_trim(struct push_spool *s, u64 limit, struct push_spooled_list *dropped,
		    struct err *err)
{
	struct push_spooled_list list;
	struct push_spooled *slot;
	int ret = push_spool_list(s, &list, err), pass;
	u64 size = 0;
	u32 i;

	*dropped = (struct push_spooled_list){0};
	for (i = 0; i < list.nr; i++)
		size += list.v[i].size;
	for (pass = 0; pass < 3; pass++)
		for (i = 0; !ret && i < list.nr && size > limit; i++) {
			if (trim_pass(&list.v[i], limit) != pass)
				continue;
			slot = vec_push(dropped);
			if (!slot) {
				ret = err_nomem(err);
				break;
			}
			*slot = list.v[i];
			ret = push_spool_remove(s, list.v[i].name, err);
			dropped->nr -= ret != 0;
			size -= list.v[i].size;
		}
	vec_free(&list);
	return ret;
}
