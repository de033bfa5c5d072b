// SPDX-License-Identifier: GPL-2.0
#include "util/process/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/process/jit_limits.h"
#include "util/process/mapped_file.h"
#include "util/process/perf_map.h"

#define MAP_PREFIX "/tmp/perf-"

/* A map that grows is read again once this many times as long has passed as reading takes. */
#define READ_SHARE 50

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

u32 jit_dump_dso(const struct process_model *m, u32 pid)
{
	const struct map *map = find_dump(m, pid);

	return map ? map->dso : ID_NONE;
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

/* Reading takes the time of who records, and processes decide how often there is something new. */
static bool may_read(struct jit *j)
{
	u64 now = clock_ns(CLOCK_MONOTONIC);

	if (!j->begun)
		j->begun = now;
	if (j->read_ns <= JIT_READ_NS + (now - j->begun) / JIT_READ_SHARE)
		return true;
	j->limit = "it grows faster than it can be read";
	return false;
}

static void read_dump(struct jit *j, const struct process_model *m, const struct jit_options *o,
		      const struct map *map)
{
	const struct dso *d = &m->dsos.v[map->dso];
	u64 begun, at;
	int fd = -1;

	/* the process runs another program by now */
	if (j->dump_dso && j->dump_dso != map->dso + 1) {
		jitdump_free(&j->dump);
		j->nr_listed = 0;
	}
	j->dump_dso = map->dso + 1;
	if (j->dump.full || !may_read(j))
		return;
	begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (o->proc >= 0)
		fd = mapped_file_open(d, map, j->pid, o->proc);
	else if (o->map_by_path)
		fd = open_by_path(o->symfs, d->name);
	if (fd < 0)
		return;
	/* nothing after damage is used; everything before it counts */
	do {
		at = j->dump.at;
		jitdump_read(&j->dump, fd, NULL);
		j->read_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
		begun = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (j->dump.at != at && may_read(j));
	close(fd);
	if (j->dump.full)
		j->limit = "only its first 1,048,576 functions are read";
}

static struct jit_symbol of_dump(const struct jit *j, const struct jitdump_code *code)
{
	return (struct jit_symbol){strtab_get(&j->dump.names, code->name), code->start, code->end,
				   j->dump.no_times ? 0 : code->time};
}

static bool find_in_dump(struct jit *j, u64 addr, u64 time, struct jit_symbol *out)
{
	const struct jitdump_code *code = jitdump_find(&j->dump, addr, time);

	if (code)
		*out = of_dump(j, code);
	return code != NULL;
}

static u64 file_time(const struct stat *st)
{
	return (u64)st->st_mtim.tv_sec * 1000000000u + (u64)st->st_mtim.tv_nsec;
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

/* The lines behind those that were there are new; all of them, if the file is not the one that grew. */
static bool date_lines(struct jit *j, const struct file_state *now, u32 nr_before)
{
	struct jit_lines *lines;
	s64 to_monotonic = (s64)(clock_ns(CLOCK_MONOTONIC) - clock_ns(CLOCK_REALTIME));

	if (now->ino != j->map_state.ino || now->size < j->map_state.size)
		j->lines.nr = nr_before = 0;
	lines = vec_push(&j->lines);
	if (lines)
		*lines = (struct jit_lines){nr_before, now->time + (u64)to_monotonic};
	return lines != NULL;
}

static bool same_file(const struct file_state *a, const struct file_state *b)
{
	/* behind the limit nothing is new */
	return a->size == b->size && a->ino == b->ino &&
	       (a->time == b->time || a->size == JIT_MAP_MAX);
}

/* Read the map if it is another one than was read. */
static bool read_map(struct jit *j, const struct jit_options *o, struct err *err)
{
	u64 begun = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct file_state now = {0};
	struct symtab fresh = {0};
	const char *limit;
	struct stat st;
	int ret, fd = open_map(j, o, err);

	if (fd < 0)
		return false;
	if (!fstat(fd, &st))
		now = (struct file_state){MIN((u64)st.st_size, (u64)JIT_MAP_MAX), st.st_ino,
					  file_time(&st)};
	if ((same_file(&now, &j->map_state) && !j->map_dropped) || !may_read(j)) {
		close(fd);
		return false;
	}
	ret = perf_map_read(&fresh, fd, o->view, &now.size, &limit, err);
	close(fd);
	j->read_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	if (!ret && !date_lines(j, &now, j->map_lines))
		ret = err_nomem(err);
	if (ret) {
		symtab_free(&fresh);
		return false;
	}
	if (limit)
		j->limit = limit;
	j->map_dropped = false;
	j->map_lines = fresh.syms.nr;
	symtab_free(&j->map);
	j->map = fresh;
	j->map_state = now;
	j->map_read = clock_ns(CLOCK_MONOTONIC);
	j->map_took = j->map_read - begun;
	j->map_listed = false;
	return true;
}

static struct jit_symbol of_map(const struct jit *j, const struct sym *sym)
{
	u32 i = j->lines.nr;

	while (i > 1 && j->lines.v[i - 1].first > sym->order)
		i--;
	return (struct jit_symbol){sym->name, sym->start, sym->end, j->lines.v[i - 1].time};
}

static bool find_in_map(const struct jit *j, u64 addr, struct jit_symbol *out)
{
	const struct sym *sym = symtab_find(&j->map, addr);

	if (sym)
		*out = of_map(j, sym);
	return sym != NULL;
}

bool jit_find(struct jit *j, const struct process_model *m, const struct jit_options *o, u64 addr,
	      u64 time, struct jit_symbol *out, struct err *err)
{
	const struct map *dump = find_dump(m, j->pid);

	if (dump) {
		/* newer code may be there by now */
		read_dump(j, m, o, dump);
		if (find_in_dump(j, addr, time, out))
			return true;
	}
	return find_in_map(j, addr, out) || (read_map(j, o, err) && find_in_map(j, addr, out));
}

bool jit_find_before(struct jit *j, u64 addr, u64 from, struct jit_symbol *out)
{
	return !j->dump.no_times && from > 1 && find_in_dump(j, addr, from - 1, out);
}

/* A table of a thousand functions at each look is nothing, one of a million would be. */
static bool may_read_map(const struct jit *j)
{
	return clock_ns(CLOCK_MONOTONIC) - j->map_read >= READ_SHARE * j->map_took;
}

void jit_news(struct jit *j, const struct process_model *m, const struct jit_options *o,
	      void (*code)(void *arg, const struct jit_symbol *sym), void *arg)
{
	const struct map *dump = find_dump(m, j->pid);
	struct jit_symbol sym;
	u32 i;

	if (dump)
		read_dump(j, m, o, dump);
	for (; j->nr_listed < j->dump.codes.nr; j->nr_listed++) {
		sym = of_dump(j, &j->dump.codes.v[j->nr_listed]);
		if (*sym.name)
			code(arg, &sym);
	}
	if (!dump && !j->map_dropped && may_read_map(j))
		read_map(j, o, NULL);
	if (dump || j->map_listed)
		return;
	j->map_listed = true;
	for (i = 0; i < j->map.syms.nr; i++) {
		if (symtab_find(&j->map, j->map.syms.v[i].start) != &j->map.syms.v[i])
			continue;
		sym = of_map(j, &j->map.syms.v[i]);
		code(arg, &sym);
	}
}

u64 jit_bytes(const struct jit *j)
{
	return symtab_bytes(&j->map) + symtab_bytes(&j->dump.newest) + j->dump.names.arena.total +
	       (u64)j->dump.codes.cap * sizeof(*j->dump.codes.v);
}

void jit_drop_map(struct jit *j)
{
	symtab_free(&j->map);
	j->map_dropped = true;
}

void jit_free(struct jit *j)
{
	vec_free(&j->lines);
	jitdump_free(&j->dump);
	symtab_free(&j->map);
}
