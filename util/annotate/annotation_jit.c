// SPDX-License-Identifier: GPL-2.0
#include "util/annotate/annotation_internal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/base/buf.h"
#include "util/base/io.h"
#include "util/symbol/demangle.h"

/* Functions of one name at one address, of which the bytes are compared. */
#define SAME_MAX 64
#define CHUNK    4096

static int open_path(const char *symfs, const char *path)
{
	struct buf b = {0};
	int fd;

	buf_adds(&b, symfs ? symfs : "");
	buf_adds(&b, path);
	fd = b.failed ? -ENOMEM
		      : io_open(AT_FDCWD, buf_str(&b),
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	buf_free(&b);
	return fd;
}

static int cannot_read(const struct annotation_jit_file *f, const char *map, int error,
		       const char *why, struct err *err)
{
	err_set(err, error, "%s: the code is in the jitdump %s, which cannot be read: %s", map,
		f->path, why);
	err_hint(err, "bring the file back to where the process wrote it, or below --symfs DIR");
	return -error;
}

/* Nothing behind damage is read; what is before it counts. */
static int read_all(struct annotation_jit_file *f, const char *map, struct err *err)
{
	struct err why = {0};
	u64 at;
	int ret;

	do {
		at = f->dump.at;
		ret = jitdump_read(&f->dump, f->fd, &why);
	} while (!ret && f->dump.at != at);
	if (ret == -ENOMEM)
		return err_nomem(err);
	if (ret && !f->dump.codes.nr)
		return cannot_read(f, map, -ret, why.msg, err);
	return 0;
}

int annotation_jit_open(struct annotation_jit_file *f, const struct process_model *m, u32 dso,
			const char *symfs, struct err *err)
{
	const char *map = m->dsos.v[dso].name;
	u32 dump = jit_dump_dso(m, jit_pid(&m->dsos.v[dso]));
	int ret;

	*f = (struct annotation_jit_file){.fd = -1};
	if (dump == ID_NONE) {
		err_set(err, ENOENT,
			"%s: its process had no jitdump, so the code that it made at run time is in no file",
			map);
		err_hint(
			err,
			"have the compiler write one, as node --perf-prof does, and record it anew");
		return -ENOENT;
	}
	f->path = m->dsos.v[dump].name;
	f->fd = open_path(symfs, f->path);
	if (f->fd == -ENOMEM)
		return err_nomem(err);
	ret = f->fd < 0 ? cannot_read(f, map, -f->fd, strerror(-f->fd), err)
			: read_all(f, map, err);
	if (ret)
		annotation_jit_close(f);
	return ret;
}

void annotation_jit_close(struct annotation_jit_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	jitdump_free(&f->dump);
}

struct disassembler_code annotation_jit_machine(const struct annotation_jit_file *f, bool intel)
{
	const u32 machine = f->dump.machine;
	const bool here_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return (struct disassembler_code){
		.machine = (u16)machine,
		.bits64 = machine != EM_386 && machine != EM_ARM && machine != EM_PPC,
		.big_endian = here_big != f->dump.swap,
		.intel = intel,
	};
}

static bool is_named(const struct annotation_jit_file *f, const struct jitdump_code *code,
		     const char *name)
{
	const char *raw = strtab_get(&f->dump.names, code->name);
	struct buf b = {0};
	bool same;

	if (!strcmp(raw, name))
		return true;
	same = demangle(&b, raw, 0) && !b.failed && !strcmp(buf_str(&b), name);
	buf_free(&b);
	return same;
}

static bool same_bytes(const struct annotation_jit_file *f, const struct jitdump_code *a,
		       const struct jitdump_code *b)
{
	u64 at, size = MIN(a->end - a->start, (u64)1 << 20);
	u8 x[CHUNK], y[CHUNK];
	size_t n;

	if (a->end - a->start != b->end - b->start)
		return false;
	if (a->bytes == b->bytes)
		return true;
	for (at = 0; at < size; at += n) {
		n = (size_t)MIN(size - at, (u64)CHUNK);
		if (io_pread(f->fd, x, n, a->bytes + at) != (ssize_t)n ||
		    io_pread(f->fd, y, n, b->bytes + at) != (ssize_t)n || memcmp(x, y, n) != 0)
			return false;
	}
	return true;
}

int annotation_jit_find(struct annotation_jit_file *f, u64 start, const char *name,
			struct annotation_jit_code *out, struct err *err)
{
	const struct jitdump_code *code, *newest = NULL;
	u32 i, nr = 0;

	for (i = f->dump.codes.nr; i-- > 0 && nr < SAME_MAX;) {
		code = &f->dump.codes.v[i];
		if (code->start != start || !code->bytes || !is_named(f, code, name))
			continue;
		nr++;
		if (!newest)
			newest = code;
		if (same_bytes(f, newest, code))
			continue;
		err_set(err, ESTALE,
			"%s has several versions of %s at 0x%llx: it is not known which of them ran",
			f->path, name, (unsigned long long)start);
		err_hint(err, "record for a shorter time, once the program has warmed up");
		return -ESTALE;
	}
	if (!newest) {
		err_set(err, ENODATA, "%s has no code of %s at 0x%llx", f->path, name,
			(unsigned long long)start);
		err_hint(err, "see whether the file is whole, and of the recorded process");
		return -ENODATA;
	}
	*out = (struct annotation_jit_code){.size = newest->end - newest->start,
					    .at = newest->bytes};
	return 0;
}

int annotation_jit_read(const struct annotation_jit_file *f, const struct annotation_jit_code *code,
			u8 *bytes, size_t len, struct err *err)
{
	ssize_t got = io_pread(f->fd, bytes, len, code->at);

	if (got == (ssize_t)len)
		return 0;
	return err_set(err, got < 0 ? (int)-got : ENODATA, "%s cannot be read: %s", f->path,
		       got < 0 ? strerror((int)-got) : "it was cut short");
}

const char *annotation_jit_name(struct annotation_jit_file *f, u64 addr, u64 *offset)
{
	const struct jitdump_code *code = jitdump_find(&f->dump, addr, 0);

	if (!code)
		return NULL;
	*offset = addr - code->start;
	return strtab_get(&f->dump.names, code->name);
}
