// SPDX-License-Identifier: GPL-2.0
#include "util/file/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/hash.h"
#include "util/base/io.h"

/* Payloads smaller than this are stored as they are. */
#define COMPRESS_MIN 128

static int write_error(struct writer *w, int code, struct err *err)
{
	const char *name = w->path ? w->path : "standard output";

	err_set(err, code, "cannot write %s: %s", name, strerror(code));
	if (code == ENOSPC || code == EDQUOT)
		err_hint(err, "free some space, or record elsewhere with -o FILE");
	else if (code == EFBIG)
		err_hint(err, "raise the limit with: ulimit -f unlimited");
	else if (code == EPIPE)
		err_hint(err, "who was to read it has ended; what it had read is whole");
	return -code;
}

static int put(struct writer *w, struct err *err)
{
	int ret;

	if (w->out.failed)
		return err_nomem(err);
	ret = io_write(w->fd, w->out.data, w->out.len);
	if (!ret) {
		w->bytes += w->out.len;
		return 0;
	}
	/* a torn block at the end would hide the blocks that a later, successful write appends */
	if (w->seekable &&
	    (ftruncate(w->fd, (off_t)w->bytes) || lseek(w->fd, (off_t)w->bytes, SEEK_SET) < 0))
		return write_error(w, errno, err);
	return write_error(w, -ret, err);
}

static int open_temp(struct writer *w, const char *path, struct err *err)
{
	int tries;

	w->path = strdup(path);
	if (!w->path)
		return err_nomem(err);
	for (tries = 0; tries < 100; tries++) {
		free(w->temp);
		if (asprintf(&w->temp, "%s.%d-%d.tmp", path, (int)getpid(), tries) < 0) {
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
	w->fd = io_open(AT_FDCWD, path, O_WRONLY);
	if (w->fd < 0)
		return err_set(err, -w->fd, "cannot open %s: %s", path, strerror(-w->fd));
	return 0;
}

int writer_open(struct writer *w, const char *path, int level, struct err *err)
{
	struct file_header h = {.major = FILE_MAJOR, .minor = FILE_MINOR};
	int ret;

	*w = (struct writer){.fd = -1};
	ret = data_encoder_init(&w->encoder, level, err);
	if (!ret)
		ret = open_output(w, path, err);
	if (!ret) {
		if (getrandom(h.session, sizeof(h.session), GRND_NONBLOCK) < 0)
			h.session[0] = (u64)getpid();
		block_put_file_header(&w->out, &h);
		ret = put(w, err);
	}
	if (ret)
		writer_close(w, NULL);
	return ret;
}

/* Write the block whose payload stands in w->payload. */
static int put_block(struct writer *w, struct block *k, struct err *err)
{
	int ret;

	if (w->payload.failed)
		return err_nomem(err);
	k->seq = w->seq;
	k->samples_before = w->samples;
	k->stored_size = (u32)w->payload.len;
	k->payload_hash = hash_bytes(w->payload.data, w->payload.len);
	buf_clear(&w->out);
	block_put_header(&w->out, k);
	buf_add(&w->out, w->payload.data, w->payload.len);
	buf_pad(&w->out, '\0', ALIGN_UP(w->out.len, (size_t)8) - w->out.len);
	ret = put(w, err);
	w->seq += !ret;
	return ret;
}

int writer_block(struct writer *w, enum block_type type, const void *payload, size_t len,
		 struct err *err)
{
	struct block k = {.type = (u16)type, .raw_size = (u32)len};
	int ret;

	if (len > BLOCK_SIZE_MAX)
		return err_set(err, EFBIG, "a block of %zu bytes is too large", len);
	buf_clear(&w->payload);
	if (len >= COMPRESS_MIN) {
		ret = data_compress(&w->encoder, payload, len, &w->payload, err);
		if (ret)
			return ret;
		k.flags = BLOCK_ZSTD;
	} else {
		buf_add(&w->payload, payload, len);
	}
	return put_block(w, &k, err);
}

int writer_data(struct writer *w, const struct writer_data *d, struct err *err)
{
	struct block k = {
		.type = BLOCK_DATA,
		.flags = BLOCK_CRITICAL,
		.records = d->nr,
		.raw_size = (u32)d->len,
		.time_min = d->time_min,
		.time_max = d->time_max,
		.order = d->order,
	};
	int ret;

	buf_clear(&w->payload);
	ret = data_encode(&w->encoder, d->records, d->len, &w->payload, err);
	if (!ret)
		ret = put_block(w, &k, err);
	if (!ret)
		w->samples += d->samples;
	return ret;
}

void writer_skip(struct writer *w, u32 samples)
{
	w->samples += samples;
	w->samples_skipped += samples;
}

int writer_publish(struct writer *w, struct err *err)
{
	char *old;
	bool moved;
	int code;

	if (!w->temp)
		return 0;
	if (asprintf(&old, "%s.old", w->path) < 0)
		return err_nomem(err);
	moved = !rename(w->path, old);
	if (!moved && errno != ENOENT) {
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
	return 0;
}

int writer_close(struct writer *w, struct err *err)
{
	int ret = 0;

	if (w->fd >= 0 && w->path && close(w->fd))
		ret = write_error(w, errno, err);
	w->fd = -1;
	if (w->temp)
		unlink(w->temp);
	free(w->temp);
	free(w->path);
	w->temp = w->path = NULL;
	data_encoder_free(&w->encoder);
	buf_free(&w->payload);
	buf_free(&w->out);
	return ret;
}
