/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracefs.h - the kernel's tracepoints: which there are, their ids and formats.
 *
 * Where tracefs is mounted it is used from there; else it is opened without being mounted for
 * anybody (fsopen(2), fsmount(2)), which needs root.
 *
 * An event is a folder events/SYSTEM/NAME with a file "id": without that file perf_event_open(2)
 * has no number to open it by, and it is passed over.
 *
 * Source: Documentation/trace/events.rst; mount_setattr(2) and fsopen(2) for the detached mount.
 */
#ifndef KERNEL_TRACEFS_H
#define KERNEL_TRACEFS_H

#include "util/base/arena.h"
#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/base/vec.h"
#include "util/kernel/sysroot.h"

struct tracefs {
	int fd;        /* its top directory */
	bool detached; /* nobody else sees this mount; it goes with the descriptor */
};

/* 0 or -errno: -ENODEV the kernel has no tracepoints, -EACCES or -EPERM this user may not see them.
 */
int tracefs_open(const struct sysroot *root, struct tracefs *t, struct err *err);
void tracefs_close(struct tracefs *t);

/* -ENOENT: there is no such event. */
int tracefs_id(const struct tracefs *t, const char *system, const char *name, u32 *id,
	       struct err *err);
/* Append the text of the file "format". */
int tracefs_format(const struct tracefs *t, const char *system, const char *name, struct buf *b,
		   struct err *err);
/*
 * Was it made by a user, of a probe or another event? Then a tracepoint of that name is another one. 1, 0, or -errno: the
 * kernel does not tell.
 */
int tracefs_is_dynamic(const struct tracefs *t, const char *system, const char *name,
		       struct err *err);

struct tracefs_event {
	const char *system, *name;
};

struct tracefs_events {
	VEC(struct tracefs_event) events;
	struct arena arena;
};

/* Append the events that match both patterns (glob.h), sorted by system and name. May be none. */
int tracefs_glob(const struct tracefs *t, const char *system, const char *name,
		 struct tracefs_events *found, struct err *err);
void tracefs_events_free(struct tracefs_events *events);

#endif
