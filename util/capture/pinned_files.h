/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pinned_files.h - the files of what was mapped lately, held open until their functions are looked up.
 *
 * That is done when a block is written, seconds later: a short-lived process has ended by then, and
 * its program may be deleted. The reader of the rings hands in side-band records as they come; who
 * looks functions up asks for the file. Both may at the same time.
 *
 * The same goes for what a JIT compiler writes of its code (perf-PID.map): it is held for as long as
 * its process runs, since in a container it goes with the process, and its file is written on.
 *
 * No other file is held for more than HELD_FILES_NS, since it keeps its file system from being unmounted,
 * and never more than HELD_FILES_MAX of them: the oldest goes first.
 */
#ifndef CAPTURE_PINNED_FILES_H
#define CAPTURE_PINNED_FILES_H

#include <pthread.h>

#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/image/image.h"
#include "util/process/process.h"

#define HELD_FILES_MAX 64
#define HELD_FILES_NS  8000000000ull
#define HELD_MAPS_MAX  32

struct pinned_file {
	u32 maj, min;
	u64 ino, generation;
	u64 since; /* CLOCK_MONOTONIC */
	int fd;
};

/*
 * A file that is written anew in its place has the inode that it had, and other functions. Each mapping of it that finds other
 * contents than the one before, by time of change and size, is made one of another generation: the number of such changes is
 * added to the inode's generation in its record, above the 32 bits that the kernel has. To all who read the records these are
 * two files, and a file of an older version is not opened any more.
 */
#define FILE_VERSIONS_MAX (256u << 10) /* of more files only the first version is known */

struct file_version {
	u32 maj, min, generation, version;
	u64 ino, size;
	s64 changed; /* its contents; its inode changes also when the file is deleted */
};

struct held_map {
	u32 pid;
	int fd;   /* -1: the process has made code, and no file yet */
	u64 gone; /* when the process was seen to have ended; 0: it runs */
};

struct pinned_files {
	pthread_mutex_t lock;
	int proc; /* descriptor of /proc */
	struct held_map maps[HELD_MAPS_MAX];
	u32 nr_maps;
	u64 looked; /* when the processes of the maps were looked at */
	VEC(struct file_version) versions;
	struct hmap by_file; /* in versions, by a hash of device and inode */
	struct pinned_file v[HELD_FILES_MAX];
	u32 first, nr; /* the oldest; they follow each other round the array */
};

void pinned_files_init(struct pinned_files *h, int proc);
void pinned_files_free(struct pinned_files *h);

/* Whole records of a side-band ring, which were read at `now`. Generations of files that were written anew are changed. */
void pinned_files_look(struct pinned_files *h, void *records, size_t len, u64 now);

/* Let go of what was held for long enough. */
void pinned_files_expire(struct pinned_files *h, u64 now);

/* A descriptor of the file of a DSO, which the caller closes; -1: it is not held. */
int pinned_files_get(struct pinned_files *h, const struct dso *d);
/* Likewise of the perf-PID.map of a process. */
int pinned_files_get_map(struct pinned_files *h, u32 pid);

/*
 * The image of mapping `map` of a process that may still run, its file or the vdso that it has;
 * image_close() after success. `proc` is a descriptor of /proc, `held` may be NULL. -ENOENT: it is not there, may not be
 * looked at, was written anew since, or the mapping shows none; -ENOEXEC: it is no image; else why it cannot be read.
 */
int pinned_files_open_image(struct pinned_files *held, const struct process_model *m, u32 map,
			    u32 pid, int proc, struct image *img);

#endif
