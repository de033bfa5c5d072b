// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/input.h"
#include "util/base/io.h"

/* Those that are sent to end the program, and do so by default. */
static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};

/* What they must remove, the file first; empty: nothing. Changed only while they are blocked. */
static char unfinished[PATH_MAX], unfinished_directory[PATH_MAX];

static void remove_unfinished(int sig)
{
	if (input_interrupt_is_spared(sig))
		return;
	if (unfinished[0])
		unlink(unfinished);
	/* a file that is whole keeps it */
	if (unfinished_directory[0])
		rmdir(unfinished_directory);
	signal(sig, SIG_DFL);
	raise(sig);
}

static sigset_t deadly_set(void)
{
	sigset_t set;
	u32 i;

	sigemptyset(&set);
	for (i = 0; i < ARRAY_SIZE(deadly); i++)
		sigaddset(&set, deadly[i]);
	return set;
}

/* While they are blocked. */
static void handle_deadly(const sigset_t *mask)
{
	struct sigaction act = {.sa_handler = unfinished[0] || unfinished_directory[0]
						      ? remove_unfinished
						      : SIG_DFL,
				.sa_mask = *mask,
				.sa_flags = SA_RESTART},
			 was;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(deadly); i++) {
		/* whoever starts us may have them ignored: nohup(1) */
		if (!sigaction(deadly[i], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaction(deadly[i], &act, NULL);
	}
}

/* "": nothing is left to remove. */
static void set_unfinished(const char *path)
{
	const sigset_t set = deadly_set();
	sigset_t before;

	pthread_sigmask(SIG_BLOCK, &set, &before);
	snprintf(unfinished, sizeof(unfinished), "%s", path);
	handle_deadly(&set);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int output_file_directory_make(const char *path)
{
	const sigset_t set = deadly_set();
	sigset_t before;
	int ret = -ENAMETOOLONG;

	if (strlen(path) >= sizeof(unfinished_directory))
		return ret;
	pthread_sigmask(SIG_BLOCK, &set, &before);
	ret = mkdir(path, 0700) ? -errno : 0;
	if (!ret) {
		snprintf(unfinished_directory, sizeof(unfinished_directory), "%s", path);
		handle_deadly(&set);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

void output_file_directory_end(int ret)
{
	const sigset_t set = deadly_set();
	sigset_t before;

	if (!unfinished_directory[0])
		return;
	pthread_sigmask(SIG_BLOCK, &set, &before);
	if (ret)
		rmdir(unfinished_directory);
	unfinished_directory[0] = '\0';
	handle_deadly(&set);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int cannot_name(const char *name, const char *what, int code, struct err *err)
{
	err_set(err, code, "cannot %s %s: %s", what, name, strerror(code));
	if (code == ENOSPC || code == EDQUOT)
		err_hint(err, "free some space, or write elsewhere");
	else if (!strcmp(what, "create"))
		err_hint(err, "choose a place that you may write to");
	return -code;
}

static int cannot(const struct output_file *o, const char *what, int code, struct err *err)
{
	return cannot_name(o->name, what, code, err);
}

static int unwritten(const struct output_file *o, int code, struct err *err)
{
	cannot(o, "write", code, err);
	return CMD_PARTIAL;
}

int output_file_follow(const char *path, char **file, struct err *err)
{
	int ret = io_link_target(path, file);

	return ret ? cannot_name(path, "create", -ret, err) : 0;
}

static int open_temp(struct output_file *o, struct err *err)
{
	if (asprintf(&o->temp, "%s.%d.tmp", o->target, (int)getpid()) < 0) {
		o->temp = NULL;
		return err_nomem(err);
	}
	o->fd = -ENAMETOOLONG;
	if (strlen(o->temp) < sizeof(unfinished)) {
		set_unfinished(o->temp);
		o->fd = io_open(AT_FDCWD, o->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
	}
	if (o->fd < 0) {
		/* if it is there, it is somebody else's */
		set_unfinished("");
		free(o->temp);
		o->temp = NULL;
		return cannot(o, "create", -o->fd, err);
	}
	io_give_to_sudo_user(o->fd, o->temp);
	return fchmod(o->fd, o->mode) ? cannot(o, "create", errno, err) : 0;
}

/* Would the output replace what is being read? */
static bool is_input(const struct stat *out, const char *input)
{
	struct stat in;

	return input && !(strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in)) &&
	       in.st_dev == out->st_dev && in.st_ino == out->st_ino;
}

static int refuse_input(const char *path, struct err *err)
{
	err_set(err, EINVAL, "%s is the recording that is to be read", path);
	err_hint(err, "give another name");
	return -EINVAL;
}

static int open_path(struct output_file *o, const char *path, const char *input, struct err *err)
{
	struct stat st;
	int ret;

	if (stat(path, &st)) {
		/* a new file */
	} else if (S_ISDIR(st.st_mode)) {
		return err_set(err, EISDIR, "cannot create %s: it is a directory", path);
	} else if (!S_ISREG(st.st_mode)) {
		o->fd = io_open(AT_FDCWD, path, O_WRONLY);
		return o->fd < 0 ? cannot(o, "create", -o->fd, err) : 0;
	} else if (is_input(&st, input)) {
		return refuse_input(path, err);
	} else {
		o->mode = st.st_mode & 07777;
	}
	ret = output_file_follow(path, &o->target, err);
	return ret ? ret : open_temp(o, err);
}

int output_file_grow(const char *path, const char *input, bool append, struct err *err)
{
	const int flags = O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC);
	struct stat st;
	int fd;

	if (!stat(path, &st) && is_input(&st, input))
		return refuse_input(path, err);
	fd = io_open(AT_FDCWD, path, flags | O_EXCL);
	if (fd >= 0)
		io_give_to_sudo_user(fd, path);
	else if (fd == -EEXIST)
		fd = io_open(AT_FDCWD, path, flags);
	if (fd < 0) {
		err_set(err, -fd, "cannot write to %s: %s", path, strerror(-fd));
		err_hint(err, "-o FILE, in a folder where you may write");
	}
	return fd;
}

/* What open(2) would make of a new file. */
static mode_t public_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

int output_file_open(struct output_file *o, const char *path, const char *input,
		     enum output_file_kind kind, struct err *err)
{
	int ret;

	*o = (struct output_file){
		.name = path, .fd = -1, .mode = kind == OUTPUT_PUBLIC ? public_mode() : 0600};
	/* a limit of file size is an error of write(2), reported as such */
	signal(SIGXFSZ, SIG_IGN);
	if (!strcmp(path, "-")) {
		o->name = "standard output";
		o->fd = STDOUT_FILENO;
		return 0;
	}
	ret = open_path(o, path, input, err);
	return ret ? output_file_close(o, ret, err) : 0;
}

int output_file_write(struct output_file *o, const struct buf *b, struct err *err)
{
	int ret;

	if (b->failed)
		return err_nomem(err);
	ret = io_write(o->fd, b->data, b->len);
	return ret ? unwritten(o, -ret, err) : 0;
}

int output_file_rewrite(struct output_file *o, const struct buf *b, struct err *err)
{
	ssize_t n;

	if (b->failed)
		return err_nomem(err);
	n = pwrite(o->fd, b->data, b->len, 0);
	return n == (ssize_t)b->len ? 0 : unwritten(o, n < 0 ? errno : EIO, err);
}

int output_file_close(struct output_file *o, int ret, struct err *err)
{
	if (o->fd > STDERR_FILENO && close(o->fd) && !ret)
		ret = unwritten(o, errno, err);
	o->fd = -1;
	if (o->temp && !ret && rename(o->temp, o->target))
		ret = cannot(o, "create", errno, err);
	if (o->temp && ret)
		unlink(o->temp);
	if (o->temp)
		set_unfinished("");
	free(o->temp);
	free(o->target);
	o->temp = o->target = NULL;
	return ret;
}

int output_file_put(const char *path, const struct buf *b, struct err *err)
{
	struct output_file o;
	int ret = output_file_open(&o, path ? path : "-", NULL, OUTPUT_PUBLIC, err);

	if (!ret)
		ret = output_file_close(&o, output_file_write(&o, b, err), err);
	return ret;
}
