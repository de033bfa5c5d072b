// SPDX-License-Identifier: GPL-2.0
#include "util/file/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/base/hash.h"
#include "util/base/io.h"
#include "util/file/perfdata_write.h"

/* Names compress a sixth better than at the level of records, and there are few. */
#define BLOCK_LEVEL 6
/* Payloads smaller than this are stored as they are. */
#define COMPRESS_MIN 128
/* What is kept free for the end of the recording: of the free space an eighth, within these. */
#define RESERVE_MAX (1u << 20)
#define RESERVE_MIN (4u << 10)
/* A pipe without room for so long is one that nobody reads. */
#define PATIENCE_MS 1000
/* Of the name of a file that is not published. */
#define TEMP_END ".tmp"

static int write_error(struct writer *w, int code, struct err *err)
{
	const char *name = w->path ? w->path : "standard output";

	w->failed = true;
	err_set(err, code, "cannot write %s: %s", name,
		code == EINTR ? "interrupted while nobody read it" : strerror(code));
	if (code == ENOSPC || code == EDQUOT)
		err_hint(err, "free some space, or record elsewhere with -o FILE");
	else if (code == EFBIG)
		err_hint(err, "raise the limit with: ulimit -f unlimited");
	else if (code == EPIPE)
		err_hint(
			err,
			"the reader of the pipe exited; what it received can be read up to where it stopped");
	return -code;
}

/*
 * What it takes at once, having room: an empty pipe all that fits, so that a block is rarely torn if the recorder is killed,
 * else PIPE_BUF bytes (pipe(7)).
 */
static size_t piece(int fd)
{
	int size = fcntl(fd, F_GETPIPE_SZ), unread;

	return size > PIPE_BUF && !ioctl(fd, FIONREAD, &unread) && !unread ? (size_t)size
									   : PIPE_BUF;
}

/* Only for room is waited, which can be given up. */
static int put_stream(const struct writer *w, const u8 *p, size_t len)
{
	struct pollfd room = {.fd = w->fd, .events = POLLOUT};
	ssize_t n;
	int ready;

	while (len) {
		ready = poll(&room, 1, PATIENCE_MS);
		if (!ready && w->patience && w->patience->is_over &&
		    w->patience->is_over(w->patience->arg))
			return -EINTR;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready <= 0)
			continue;
		n = write(w->fd, p, MIN(len, piece(w->fd)));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		p += MAX(n, 0);
		len -= (size_t)MAX(n, 0);
	}
	return 0;
}

static int put(struct writer *w, const struct buf *out, struct err *err)
{
	int ret;

	if (out->failed)
		return err_nomem(err);
	ret = w->seekable ? io_write(w->fd, out->data, out->len)
			  : put_stream(w, (const u8 *)out->data, out->len);
	if (!ret) {
		w->bytes += out->len;
		return 0;
	}
	/* a torn block at the end would hide the blocks that a later, successful write appends */
	if (w->seekable &&
	    (ftruncate(w->fd, (off_t)w->bytes) || lseek(w->fd, (off_t)w->bytes, SEEK_SET) < 0))
		return write_error(w, errno, err);
	return write_error(w, -ret, err);
}

static void find_reserve(struct writer *w)
{
	struct statvfs fs;
	struct rlimit rl;
	u64 room = UINT64_MAX;

	w->limit = UINT64_MAX;
	if (!w->seekable)
		return;
	if (!getrlimit(RLIMIT_FSIZE, &rl) && rl.rlim_cur != RLIM_INFINITY)
		room = w->limit = rl.rlim_cur;
	if (!fstatvfs(w->fd, &fs))
		room = MIN(room, (u64)fs.f_bavail * fs.f_frsize);
	w->reserve = MAX(MIN(room / 8, (u64)RESERVE_MAX), (u64)RESERVE_MIN);
}

int writer_room(struct writer *w, size_t len, struct err *err)
{
	u64 want = BLOCK_HEADER_SIZE + ALIGN_UP(len, (size_t)8) + w->reserve;

	if (!w->seekable || w->keep)
		return 0;
	if (w->bytes + want > w->limit)
		return write_error(w, EFBIG, err);
	/* a file system that cannot reserve says so, and then writes what it can */
	if (fallocate(w->fd, FALLOC_FL_KEEP_SIZE, (off_t)w->bytes, (off_t)want) &&
	    (errno == ENOSPC || errno == EDQUOT))
		return write_error(w, errno, err);
	return 0;
}

static int open_temp(struct writer *w, const char *path, struct err *err)
{
	int tries;

	w->path = strdup(path);
	if (!w->path)
		return err_nomem(err);
	for (tries = 0; tries < 100; tries++) {
		free(w->temp);
		if (asprintf(&w->temp, "%s.%d-%d" TEMP_END, path, (int)getpid(), tries) < 0) {
			w->temp = NULL;
			return err_nomem(err);
		}
		w->fd = io_open(AT_FDCWD, w->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
		if (w->fd != -EEXIST)
			break;
	}
	if (w->fd < 0) {
		free(w->temp);
		w->temp = NULL;
		err_set(err, -w->fd, "cannot create %s: %s", path, strerror(-w->fd));
		err_hint(err, "choose a place that you may write to with -o FILE");
		return w->fd;
	}
	io_give_to_sudo_user(w->fd, path);
	w->seekable = true;
	return 0;
}

static int open_output(struct writer *w, const char *path, struct err *err)
{
	struct stat st;
	int flags;

	if (!strcmp(path, "-")) {
		w->fd = STDOUT_FILENO;
		flags = fcntl(STDOUT_FILENO, F_GETFL);
		if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
			return 0;
		err_set(err, EBADF, "standard output is closed");
		err_hint(err, "record to a file with -o FILE, or into a pipe");
		return -EBADF;
	}
	if (stat(path, &st) || S_ISREG(st.st_mode))
		return open_temp(w, path, err);
	if (S_ISDIR(st.st_mode)) {
		err_set(err, EISDIR, "cannot create %s: it is a directory", path);
		err_hint(err, "give a file name with -o FILE");
		return -EISDIR;
	}
	/* a device or a fifo is written, never replaced */
	w->path = strdup(path);
	if (!w->path)
		return err_nomem(err);
	/* of a fifo it waits for a reader, until a signal ends that */
	w->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (w->fd >= 0)
		return 0;
	return err_set(err, errno, "cannot open %s: %s", path,
		       errno == EINTR ? "stopped before somebody read it" : strerror(errno));
}

/* Whatever has the name by now: only a file that we made is given away. */
static int open_replacement(struct writer *w, const char *path, const struct stat *old,
			    struct err *err)
{
	int ret = open_temp(w, path, err);

	if (ret)
		return ret;
	w->replaces = true;
	/* only root can, and for others there is nothing to change */
	if (fchown(w->fd, old->st_uid, old->st_gid))
		errno = 0;
	return fchmod(w->fd, old->st_mode & 0777) ? write_error(w, errno, err) : 0;
}

/* old: of the file that is replaced, or NULL */
static int open_writer(struct writer *w, const char *path, const struct stat *old, int level,
		       struct err *err)
{
	int ret;

	*w = (struct writer){.fd = -1};
	ret = compress_init(&w->compressor, MAX(level, BLOCK_LEVEL), err);
	if (!ret)
		ret = old ? open_replacement(w, path, old, err) : open_output(w, path, err);
	if (!ret)
		find_reserve(w);
	return ret;
}

static int open_native(struct writer *w, const char *path, const struct stat *old, int level,
		       struct err *err)
{
	struct file_header h = {.major = FILE_MAJOR, .minor = FILE_MINOR};
	int ret = open_writer(w, path, old, level, err);

	if (!ret) {
		if (getrandom(h.session, sizeof(h.session), GRND_NONBLOCK) < 0)
			h.session[0] = (u64)getpid();
		w->session = block_session(&h);
		block_put_file_header(&w->out, &h);
		ret = put(w, &w->out, err);
	}
	if (ret)
		writer_close(w, NULL);
	return ret;
}

int writer_open(struct writer *w, const char *path, int level, struct err *err)
{
	return open_native(w, path, NULL, level, err);
}

int writer_open_replacement(struct writer *w, const char *path, const struct stat *old, int level,
			    struct err *err)
{
	return open_native(w, path, old, level, err);
}

int writer_open_perfdata(struct writer *w, const char *path, struct err *err)
{
	int ret = open_writer(w, path, NULL, 0, err);

	if (!ret) {
		w->perfdata = perfdata_write_blocks_new(!w->seekable, err);
		ret = w->perfdata ? 0 : -ENOMEM;
	}
	if (ret)
		writer_close(w, NULL);
	return ret;
}

int writer_open_memory(struct writer *w, struct keep *keep, int level, struct err *err)
{
	*w = (struct writer){.fd = -1, .keep = keep};
	return compress_init(&w->compressor, MAX(level, BLOCK_LEVEL), err);
}

struct writer_state writer_state(const struct writer *w)
{
	return (struct writer_state){w->bytes, w->seq, w->samples, w->samples_skipped, w->session};
}

/* The path that the file has now. Returns its length. */
static size_t path_now(const struct writer *w, char path[static PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", w->fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[MAX(n, 0)] = 0;
	return strlen(path);
}

/* A file that was not published yet is still found under the name that it was made with. */
static int find_temp(struct writer *w, struct err *err)
{
	const char *slash = strrchr(w->path, '/'), *base = slash ? slash + 1 : w->path, *file;
	char name[PATH_MAX];
	size_t n = path_now(w, name);

	file = strrchr(name, '/');
	if (!file || strncmp(file + 1, base, strlen(base)) || file[1 + strlen(base)] != '.' ||
	    n < strlen(TEMP_END) || strcmp(name + n - strlen(TEMP_END), TEMP_END))
		return 0;
	w->temp = strdup(name);
	return w->temp ? 0 : err_nomem(err);
}

int writer_resume(struct writer *w, int fd, const char *path, const struct writer_state *state,
		  int level, struct err *err)
{
	struct stat st;

	*w = (struct writer){.fd = fd,
			     .bytes = state->bytes,
			     .seq = state->seq,
			     .samples = state->samples,
			     .samples_skipped = state->samples_skipped,
			     .session = state->session};
	if (path) {
		w->path = strdup(path);
		if (!w->path)
			return err_nomem(err);
		if (find_temp(w, err))
			return -ENOMEM;
	}
	/* standard output may be a file too, but then others may have written to it as well */
	w->seekable = path && !fstat(fd, &st) && S_ISREG(st.st_mode);
	find_reserve(w);
	if (w->seekable &&
	    (ftruncate(fd, (off_t)w->bytes) || lseek(fd, (off_t)w->bytes, SEEK_SET) < 0))
		return write_error(w, errno, err);
	return compress_init(&w->compressor, MAX(level, BLOCK_LEVEL), err);
}

int writer_resume_perfdata(struct writer *w, int fd, const char *path,
			   const struct writer_state *state, struct err *err)
{
	int ret = writer_resume(w, fd, path, state, 0, err);

	if (ret)
		return ret;
	if (!w->seekable)
		return err_set(err, EPIPE, "perf.data in a pipe cannot be gone on with");
	w->perfdata = perfdata_write_blocks_new(false, err);
	if (!w->perfdata)
		return -ENOMEM;
	perfdata_write_blocks_resume(w->perfdata, state->bytes);
	return 0;
}

/* In the end it is known where everything lies. */
static int put_perfdata_header(struct writer *w, struct err *err)
{
	struct buf header = {0};
	int ret = 0;

	if (perfdata_write_blocks_header(w->perfdata, &header) &&
	    (header.failed || pwrite(w->fd, header.data, header.len, 0) != (ssize_t)header.len))
		ret = write_error(w, header.failed ? ENOMEM : errno, err);
	buf_free(&header);
	return ret;
}

/* What becomes of a block in perf.data: all of it, or nothing. */
static int put_perfdata(struct writer *w, const struct block *k, const void *payload,
			struct err *err)
{
	struct buf *out;
	int ret = perfdata_write_blocks_take(w->perfdata, k, payload, &out, err);

	w->reserve = MAX(w->reserve, perfdata_write_blocks_reserve(w->perfdata));
	if (!ret && k->type == BLOCK_DATA)
		ret = writer_room(w, out->len, err);
	if (!ret && out->len)
		ret = put(w, out, err);
	if (ret)
		perfdata_write_blocks_dropped(w->perfdata);
	else
		perfdata_write_blocks_written(w->perfdata);
	return ret ? ret : put_perfdata_header(w, err);
}

/* Write a block whose head has all but what depends on the file. */
static int put_block(struct writer *w, struct block *k, u32 samples, const void *payload,
		     struct err *err)
{
	int ret;

	if (w->keep)
		return keep_add(w->keep, k, samples, payload, err);
	k->session = w->session;
	k->seq = w->seq;
	k->samples_before = w->samples;
	k->payload_hash = hash_bytes(payload, k->stored_size);
	if (w->perfdata) {
		ret = put_perfdata(w, k, payload, err);
	} else {
		buf_reset(&w->out);
		block_put_header(&w->out, k);
		buf_add(&w->out, payload, k->stored_size);
		buf_pad(&w->out, '\0', ALIGN_UP(w->out.len, (size_t)8) - w->out.len);
		ret = put(w, &w->out, err);
	}
	if (ret)
		return ret;
	w->seq++;
	w->samples += samples;
	return 0;
}

int writer_block(struct writer *w, enum block_type type, const void *payload, size_t len,
		 struct err *err)
{
	struct block k = {.type = (u16)type, .raw_size = (u32)len};
	int ret;

	if (len > BLOCK_SIZE_MAX)
		return err_set(err, EFBIG, "a block of %zu bytes is too large", len);
	k.stored_size = k.raw_size;
	if (len < COMPRESS_MIN || w->perfdata)
		return put_block(w, &k, 0, payload, err);
	buf_reset(&w->payload);
	ret = compress_frame(&w->compressor, payload, len, &w->payload, err);
	if (ret)
		return ret;
	k.flags = BLOCK_ZSTD;
	k.stored_size = (u32)w->payload.len;
	return put_block(w, &k, 0, w->payload.data, err);
}

int writer_data(struct writer *w, const struct writer_data *d, struct err *err)
{
	struct block k = {
		.type = BLOCK_DATA,
		.flags = BLOCK_CRITICAL,
		.records = d->records,
		.stored_size = (u32)d->len,
		.raw_size = (u32)d->raw_size,
		.time_min = d->time_min,
		.time_max = d->time_max,
		.order = d->order,
	};
	int ret = writer_room(w, d->len, err);

	return ret ? ret : put_block(w, &k, d->samples, d->payload, err);
}

int writer_kept(struct writer *w, const struct keep_block *b, struct err *err)
{
	struct block k = b->head;
	int ret = k.type == BLOCK_DATA ? writer_room(w, k.stored_size, err) : 0;

	return ret ? ret : put_block(w, &k, b->samples, b->payload, err);
}

void writer_skip(struct writer *w, u64 samples)
{
	w->samples += samples;
	w->samples_skipped += samples;
}

/* Give back what was reserved. */
static int trim(struct writer *w, struct err *err)
{
	if (w->fd >= 0 && w->seekable && ftruncate(w->fd, (off_t)w->bytes))
		return write_error(w, errno, err);
	return 0;
}

static bool has_name(const struct writer *w, const struct stat *own)
{
	struct stat named;

	return !lstat(w->path, &named) && named.st_dev == own->st_dev &&
	       named.st_ino == own->st_ino;
}

int writer_publish(struct writer *w, struct err *err)
{
	struct stat own;
	char *old;
	bool moved;
	int code, ret;

	if (!w->temp)
		return 0;
	/* what may fail, before the old file is gone */
	ret = w->replaces ? trim(w, err) : 0;
	if (ret)
		return ret;
	if (asprintf(&old, "%s.old", w->path) < 0)
		return err_nomem(err);
	moved = !w->replaces && !rename(w->path, old);
	if (!w->replaces && !moved && errno != ENOENT) {
		code = errno;
		free(old);
		return err_set(err, code, "cannot move the older %s away: %s", w->path,
			       strerror(code));
	}
	if (rename(w->temp, w->path)) {
		code = errno;
		if (moved)
			rename(old, w->path);
		free(old);
		return err_set(err, code, "cannot name the file %s: %s", w->path, strerror(code));
	}
	free(old);
	free(w->temp);
	w->temp = NULL;
	w->no_inode = fstat(w->fd, &own) || !has_name(w, &own);
	return 0;
}

void writer_leave(struct writer *w, struct err *err)
{
	if (w->temp)
		err_hint(err, "what was recorded is in %s", w->temp);
	free(w->temp);
	w->temp = NULL;
}

int writer_find(const struct writer *w, char **elsewhere, struct err *err)
{
	char path[PATH_MAX];
	struct stat own;

	*elsewhere = NULL;
	if (!w->seekable || w->no_inode || fstat(w->fd, &own))
		return 0;
	if (!own.st_nlink)
		return err_set(err, ENOENT, "%s was deleted while it was written", w->path);
	if (has_name(w, &own))
		return 0;
	if (path_now(w, path))
		*elsewhere = strdup(path);
	return *elsewhere ? 0 : err_nomem(err);
}

int writer_close(struct writer *w, struct err *err)
{
	int ret = trim(w, err);

	if (w->fd >= 0 && w->path && close(w->fd))
		ret = write_error(w, errno, err);
	w->fd = -1;
	if (w->temp)
		unlink(w->temp);
	free(w->temp);
	free(w->path);
	w->temp = w->path = NULL;
	compress_free(&w->compressor);
	perfdata_write_blocks_free(w->perfdata);
	w->perfdata = NULL;
	buf_free(&w->payload);
	buf_free(&w->out);
	return ret;
}

void writer_discard(int fd, const char *path)
{
	struct writer w = {.fd = fd, .path = strdup(path)};

	if (w.path)
		find_temp(&w, NULL);
	writer_close(&w, NULL);
}
