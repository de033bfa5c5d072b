// SPDX-License-Identifier: GPL-2.0
#include "util/profile/session_internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/kernel/ksyms.h"
#include "util/kernel/tracefs.h"

/* Kernels are moved about by no less than this. */
#define KASLR_STEP 0x200000u

/* Was the file written since the machine was booted? */
static bool since_boot(const char *path)
{
	struct timespec up, now;
	struct stat st;

	if (strcmp(path, "-") != 0 ? stat(path, &st) : fstat(STDIN_FILENO, &st))
		return false;
	return !S_ISFIFO(st.st_mode) && !clock_gettime(CLOCK_BOOTTIME, &up) &&
	       !clock_gettime(CLOCK_REALTIME, &now) && st.st_mtime > now.tv_sec - up.tv_sec;
}

/* False if the kernel is at another address now; true if it is not, or that is not known. */
static bool same_place(u64 recorded)
{
	int proc = io_open(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY);
	u64 start, len;
	struct ksyms k;
	bool same = true;

	if (proc < 0)
		return true;
	ksyms_open(&k, proc);
	if (recorded && ksyms_range(&k, &start, &len))
		same = recorded - start + KASLR_STEP / 2 < KASLR_STEP;
	ksyms_close(&k);
	close(proc);
	return same;
}

static bool lacks_format(const struct recording *r, const struct event_desc *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT && !recording_tracepoint(r, e->attr.config);
}

static bool lacks_formats(const struct recording *r)
{
	u32 i;

	for (i = 0; i < r->events.events.nr; i++)
		if (lacks_format(r, &r->events.events.v[i]))
			return true;
	return false;
}

/* What the tracepoint is called, for all its events. */
static bool name_events(struct recording *r, u32 id, const struct tracefs_event *t)
{
	struct buf name = {0};
	bool ok = true;
	u32 i;

	buf_addf(&name, "%s:%s", t->system, t->name);
	for (i = 0; i < r->events.events.nr && ok && !name.failed; i++) {
		const struct perf_event_attr *a = &r->events.events.v[i].attr;

		if (a->type == PERF_TYPE_TRACEPOINT && a->config == id)
			ok = !event_set_name(&r->events, i, name.data, name.len);
	}
	ok &= !name.failed;
	buf_free(&name);
	return ok;
}

static bool add_format(struct recording *r, const struct tracefs *fs, u32 id,
		       const struct tracefs_event *t)
{
	struct buf format = {0};
	bool ok;

	ok = !tracefs_format(fs, t->system, t->name, &format, NULL) &&
	     !recording_add_tracepoint(r, id, t->system, strlen(t->system), t->name,
				       strlen(t->name), format.data, format.len) &&
	     name_events(r, id, t);
	buf_free(&format);
	return ok;
}

/* Returns how many formats were found: the id of an event is in a file of its own. */
static u32 find_formats(struct recording *r, const struct tracefs *fs)
{
	struct tracefs_events all = {0};
	u32 i, id, event, nr = 0;

	if (!tracefs_glob(fs, "*", "*", &all, NULL)) {
		for (i = 0; i < all.events.nr && lacks_formats(r); i++) {
			const struct tracefs_event *t = &all.events.v[i];

			if (tracefs_id(fs, t->system, t->name, &id, NULL))
				continue;
			event = hmap_get(&r->events.by_type, id);
			if (event != ID_NONE && lacks_format(r, &r->events.events.v[event]))
				nr += add_format(r, fs, id, t);
		}
	}
	tracefs_events_free(&all);
	return nr;
}

static u32 add_formats(struct recording *r)
{
	struct sysroot root;
	struct tracefs fs;
	u32 nr = 0;

	if (!lacks_formats(r) || sysroot_open(&root, "/", NULL))
		return 0;
	if (!tracefs_open(&root, &fs, NULL)) {
		nr = find_formats(r, &fs);
		tracefs_close(&fs);
	}
	sysroot_close(&root);
	return nr;
}

bool session_kernel_fill(struct recording *r, const char *path, struct buf *notes)
{
	struct buf boot = {0};
	size_t len;

	if (recording_fact(r, "boot_id") || recording_fact(r, "release") || !since_boot(path) ||
	    !same_place(r->perf.kernel_start))
		return false;
	if (!io_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &boot, 256)) {
		len = strcspn(boot.data, "\n");
		recording_add_fact(r, "boot_id", boot.data, len);
	}
	buf_free(&boot);
	if (add_formats(r))
		buf_adds(
			notes,
			"the recording has no formats of tracepoints; those of the running kernel are used\n");
	return true;
}
