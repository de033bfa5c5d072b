/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debuginfod.h - files by build-id from the servers that DEBUGINFOD_URLS names.
 *
 * The library is opened when it is asked for, and never otherwise: nothing goes over a network that
 * nobody asked for. It keeps what it has downloaded in its own cache. One owner, no locks.
 *
 * Source: debuginfod_find_debuginfo(3).
 */
#ifndef IMAGE_DEBUGINFOD_H
#define IMAGE_DEBUGINFOD_H

#include <signal.h>

#include "util/image/image.h"

struct debuginfod;

/* NULL: there is no library or no server. */
struct debuginfod *debuginfod_open(struct err *err);
void debuginfod_close(struct debuginfod *d);

/* When *stop is no longer 0, a download that goes on is given up. NULL: none is. */
void debuginfod_watch(struct debuginfod *d, const volatile sig_atomic_t *stop);

enum debuginfod_kind {
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_DEBUGINFO,
};

/* A descriptor, which the caller closes, or -errno. Takes as long as a server takes. */
int debuginfod_find(struct debuginfod *d, const u8 *build_id, u8 len, enum debuginfod_kind kind,
		    struct err *err);

#endif
