/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mapped_file.h - the file behind a mapping of a process that still runs, as that process sees it:
 * in another mount namespace, deleted, or replaced under the same name.
 *
 * Source: proc(5), /proc/PID/root and /proc/PID/map_files.
 */
#ifndef PROCESS_MAPPED_FILE_H
#define PROCESS_MAPPED_FILE_H

#include "util/process/process.h"

/*
 * A descriptor, which the caller closes. -ENOENT: it is not there any more, may not be looked at, or the file of that name
 * is another one by now; else why it cannot be opened. `proc` is a descriptor of /proc.
 */
int mapped_file_open(const struct dso *d, const struct map *map, u32 pid, int proc);

#endif
