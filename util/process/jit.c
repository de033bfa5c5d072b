// SPDX-License-Identifier: GPL-2.0
#include "util/process/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/io.h"
#include "util/process/mapped_file.h"
#include "util/process/perf_map.h"

#define MAP_PREFIX "/tmp/perf-"

u32 jit_pid(const struct dso *d)
{
	return (u32)strtoul(d->name + strlen(MAP_PREFIX), NULL, 10);
}

/* ".../jit-PID.dump", whatever the process calls itself where it runs. */
static bool is_jitdump(const char *name)
{
	const char *base = strrchr(name, '/');
	size_t digits;

	if (!base || strncmp(base, "/jit-", 5) != 0)
		return false;
	digits = strspn(base + 5, "0123456789");
	return digits && !strcmp(base + 5 + digits, ".dump");
}

/* The process maps the file, so that whoever records knows of it. */
static const struct map *find_dump(const struct process_model *m, u32 pid)
{
	const struct thread *t = process_find_thread(m, pid);
	const struct process *p = t ? &m->processes.v[t->process] : NULL;
	const struct map *map;
	u32 i;

	for (i = 0; p && i < p->maps.nr; i++) {
		map = &m->maps.v[p->maps.v[i]];
		if (m->dsos.v[map->dso].kind == DSO_FILE && is_jitdump(m->dsos.v[map->dso].name))
			return map;
	}
	return NULL;
}

static int open_by_path(const char *symfs, const char *path)
{
	struct buf b = {0};
	int fd;

	buf_adds(&b, symfs ? symfs : "");
	buf_adds(&b, path);
	fd = b.failed ? -ENOMEM
		      : io_open(AT_FDCWD, b.data, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	buf_free(&b);
	return fd;
}

static void read_dump(struct jit *j, const struct process_model *m, const struct jit_options *o,
		      const struct map *map)
{
	const struct dso *d = &m->dsos.v[map->dso];
	int fd = -1;

	if (o->proc >= 0)
		fd = mapped_file_open(d, map, j->pid, o->proc);
	else if (o->map_by_path)
		fd = open_by_path(o->symfs, d->name);
	if (fd < 0)
		return;
	/* what is damaged has no more to say; what stands before it counts */
	jitdump_read(&j->dump, fd, NULL);
	close(fd);
}

static bool find_in_dump(struct jit *j, u64 addr, u64 time, struct jit_symbol *out)
{
	const struct jitdump_code *code = jitdump_find(&j->dump, addr, time);

	if (!code)
		return false;
	*out = (struct jit_symbol){strtab_get(&j->dump.names, code->name), code->start, code->end};
	return true;
}

static int open_map(const struct jit *j, const struct jit_options *o, struct err *err)
{
	struct buf path = {0};
	int fd = -ESRCH;

	if (o->proc >= 0)
		fd = perf_map_open_live(o->proc, j->pid, err);
	else
		err_set(err, ESRCH, "process %u has ended", j->pid);
	if (fd == -ESRCH && o->map_fd >= 0)
		fd = fcntl(o->map_fd, F_DUPFD_CLOEXEC, 0);
	/* it has ended: what it left behind */
	if (fd == -ESRCH && o->map_by_path) {
		buf_addf(&path, "%s" MAP_PREFIX "%u.map", o->symfs ? o->symfs : "", j->pid);
		fd = path.failed ? err_nomem(err) : perf_map_open(path.data, err);
		buf_free(&path);
	}
	return fd;
}

/* Read the map if it is another one than was read. */
static bool read_map(struct jit *j, const struct jit_options *o, struct err *err)
{
	struct symtab fresh = {0};
	struct stat st;
	int ret, fd = open_map(j, o, err);
	u64 size;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || (u64)st.st_size == j->map_size) {
		close(fd);
		return false;
	}
	ret = perf_map_read(&fresh, fd, o->view, &size, err);
	close(fd);
	if (ret) {
		symtab_free(&fresh);
		return false;
	}
	symtab_free(&j->map);
	j->map = fresh;
	j->map_size = size;
	return true;
}

static bool find_in_map(const struct jit *j, u64 addr, struct jit_symbol *out)
{
	const struct sym *sym = symtab_find(&j->map, addr);

	if (sym)
		*out = (struct jit_symbol){sym->name, sym->start, sym->end};
	return sym != NULL;
}

bool jit_find(struct jit *j, const struct process_model *m, const struct jit_options *o, u64 addr,
	      u64 time, struct jit_symbol *out, struct err *err)
{
	const struct map *dump = find_dump(m, j->pid);

	if (dump) {
		/* newer code may stand there by now */
		read_dump(j, m, o, dump);
		if (find_in_dump(j, addr, time, out))
			return true;
	}
	return find_in_map(j, addr, out) || (read_map(j, o, err) && find_in_map(j, addr, out));
}

void jit_free(struct jit *j)
{
	jitdump_free(&j->dump);
	symtab_free(&j->map);
}
