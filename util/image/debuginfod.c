// SPDX-License-Identifier: GPL-2.0
#include "util/image/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/shared_object.h"

#define LIBRARY "libdebuginfod.so.1"

typedef void *client_begin_fn(void);
typedef void client_end_fn(void *client);
typedef int client_progress_fn(void *client, long done, long all);
typedef void client_set_progress_fn(void *client, client_progress_fn *progress);
typedef void client_set_data_fn(void *client, void *data);
typedef void *client_get_data_fn(void *client);
typedef int client_find_fn(void *client, const unsigned char *build_id, int len, char **path);

struct debuginfod {
	void *library, *client;
	client_end_fn *end;
	client_find_fn *find[2]; /* by kind */
	const volatile sig_atomic_t *stop;
};

static bool begin_client(struct debuginfod *d)
{
	client_begin_fn *begin;

	if (!shared_object_function(d->library, "debuginfod_begin", &begin) ||
	    !shared_object_function(d->library, "debuginfod_end", &d->end) ||
	    !shared_object_function(d->library, "debuginfod_find_executable",
				    &d->find[DEBUGINFOD_EXECUTABLE]) ||
	    !shared_object_function(d->library, "debuginfod_find_debuginfo",
				    &d->find[DEBUGINFOD_DEBUGINFO]))
		return false;
	d->client = begin();
	return d->client != NULL;
}

/* The library passes only the client to a callback; it alone can be asked for what was tied to it. */
static int go_on(void *client, long done, long all)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	const struct debuginfod *d = NULL;
	client_get_data_fn *get;

	(void)done;
	(void)all;
	if (!library)
		return 0;
	if (shared_object_function(library, "debuginfod_get_user_data", &get))
		d = get(client);
	dlclose(library);
	return d && d->stop && *d->stop;
}

void debuginfod_watch(struct debuginfod *d, const volatile sig_atomic_t *stop)
{
	client_set_progress_fn *set_progress;
	client_set_data_fn *set_data;

	d->stop = stop;
	if (!shared_object_function(d->library, "debuginfod_set_progressfn", &set_progress) ||
	    !shared_object_function(d->library, "debuginfod_set_user_data", &set_data))
		return;
	set_data(d->client, d);
	set_progress(d->client, go_on);
}

struct debuginfod *debuginfod_open(struct err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	const char *const name = LIBRARY;
	struct debuginfod *d;
	char why[128];

	if (!urls || !urls[strspn(urls, " ")]) {
		err_set(err, EDESTADDRREQ, "debuginfod: no server is named");
		err_hint(err,
			 "set DEBUGINFOD_URLS, for example to https://debuginfod.elfutils.org/");
		return NULL;
	}
	d = calloc(1, sizeof(*d));
	if (!d) {
		err_nomem(err);
		return NULL;
	}
	d->library = shared_object_load(&name, 1, why, sizeof(why));
	if (d->library && begin_client(d))
		return d;
	err_set(err, ENOSYS, "debuginfod: %s",
		d->library ? "the library cannot be used" : LIBRARY " is not installed");
	if (!d->library)
		err_hint(err,
			 "install libdebuginfod1 (Debian) or elfutils-debuginfod-client (Fedora); "
			 "a static perf-lite cannot load it");
	debuginfod_close(d);
	return NULL;
}

void debuginfod_close(struct debuginfod *d)
{
	if (!d)
		return;
	if (d->client)
		d->end(d->client);
	/* the library stays: others that it has brought along do not like to be unloaded */
	free(d);
}

int debuginfod_find(struct debuginfod *d, const u8 *build_id, u8 len, enum debuginfod_kind kind,
		    struct err *err)
{
	int fd, flags;

	if (!len)
		return err_set(err, ENOENT, "debuginfod: no build-id to ask for");
	fd = d->find[kind](d->client, build_id, len, NULL);
	if (fd < 0)
		return err_set(err, -fd, "debuginfod: %s", strerror(-fd));
	flags = fcntl(fd, F_GETFD);
	if (flags >= 0)
		fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
	return fd;
}
