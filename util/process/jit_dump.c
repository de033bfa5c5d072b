// SPDX-License-Identifier: GPL-2.0
#include "util/process/jit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/base/cur.h"
#include "util/base/io.h"
#include "util/process/jit_limits.h"

#define MAGIC   0x4a695444u /* "JiTD" */
#define VERSION 1u

#define FLAG_ARCH_TIMESTAMP 1u

#define FILE_HEADER   40
#define RECORD_HEADER 16
/* Of a record no more is looked at: its numbers and a name. */
#define RECORD_HEAD (RECORD_HEADER + 40 + 4096)
#define WINDOW      (256u << 10)
/* Of one call. */
#define RECORDS_MAX (1u << 18)
/* How many codes are searched for one that was there before. */
#define BEFORE_MAX (1u << 16)

enum record_type {
	JIT_CODE_LOAD,
	JIT_CODE_MOVE,
	JIT_CODE_DEBUG_INFO,
	JIT_CODE_CLOSE,
	JIT_CODE_UNWINDING_INFO,
};

/* A part of the file in memory. */
struct window {
	int fd;
	u8 *bytes;
	u64 at;
	size_t len;
	int error;
};

/* The bytes from `at` on, at most `want`; fewer only at the end of the file. */
static struct cur window_at(struct window *w, u64 at, size_t want, bool swap)
{
	struct cur c;
	ssize_t n;

	if (at < w->at || at + want > w->at + w->len) {
		n = io_pread(w->fd, w->bytes, WINDOW, at);
		w->error = n < 0 ? (int)n : 0;
		w->at = at;
		w->len = n < 0 ? 0 : (size_t)n;
	}
	c = cur_init(w->bytes + (at - w->at), MIN(w->len - (size_t)(at - w->at), want));
	c.swap = swap;
	return c;
}

/* False: there is no whole header. */
static bool read_header(struct jitdump *j, struct window *w)
{
	struct cur c = window_at(w, 0, FILE_HEADER, false);
	u32 magic, version, size;

	if (cur_left(&c) < FILE_HEADER)
		return false;
	magic = cur_u32(&c);
	j->swap = c.swap = magic == __builtin_bswap32(MAGIC);
	version = cur_u32(&c);
	size = cur_u32(&c);
	j->machine = cur_u32(&c);
	cur_skip(&c, 16); /* padding, pid, time */
	j->no_times = cur_u64(&c) & FLAG_ARCH_TIMESTAMP;
	j->bad = (magic != MAGIC && !j->swap) || version != VERSION || size < FILE_HEADER;
	j->at = size;
	return true;
}

static bool add_code(struct jitdump *j, u64 time, u64 start, u64 size, u32 name, u64 bytes)
{
	struct jitdump_code *code;

	if (!size)
		return true;
	code = vec_push(&j->codes);
	if (!code)
		return false;
	*code = (struct jitdump_code){.time = time,
				      .start = start,
				      .end = start + MIN(size, UINT64_MAX - start),
				      .name = name,
				      .bytes = bytes};
	return true;
}

/* `size` bytes of the file behind the cursor, which is in a record that begins at `begin` and ends at `end`. */
static u64 code_bytes(const struct jitdump *j, const struct cur *c, const u8 *begin, u64 end,
		      u64 size)
{
	u64 at = j->at + (u64)(c->p - begin);

	return at <= end && size <= end - at ? at : 0;
}

static bool take_load(struct jitdump *j, u64 time, struct cur *c, u32 record)
{
	const u8 *begin = c->p - RECORD_HEADER;
	const char *name;
	u64 addr, size, index;
	size_t len;
	u32 id;

	cur_skip(c, 16); /* pid, tid, vma */
	addr = cur_u64(c);
	size = cur_u64(c);
	index = cur_u64(c);
	name = cur_str(c, &len);
	if (!name || !len)
		return true;
	id = strtab_add(&j->names, name, len);
	return id != ID_NONE &&
	       add_code(j, time, addr, size, id, code_bytes(j, c, begin, j->at + record, size)) &&
	       hmap_set(&j->by_index, index, j->codes.nr - 1);
}

static bool take_move(struct jitdump *j, u64 time, struct cur *c)
{
	u64 from, to, size, index;
	u32 none, old, name;
	u64 bytes;

	cur_skip(c, 16); /* pid, tid, vma */
	from = cur_u64(c);
	to = cur_u64(c);
	size = cur_u64(c);
	index = cur_u64(c);
	old = c->bad ? ID_NONE : hmap_get(&j->by_index, index);
	if (old >= j->codes.nr)
		return true;
	name = j->codes.v[old].name;
	bytes = size == j->codes.v[old].end - j->codes.v[old].start ? j->codes.v[old].bytes : 0;
	none = strtab_add(&j->names, "", 0);
	return none != ID_NONE && add_code(j, time, from, size, none, 0) &&
	       add_code(j, time, to, size, name, bytes) &&
	       hmap_set(&j->by_index, index, j->codes.nr - 1);
}

/* One whole record; false: there is none, or memory is out. */
static bool read_record(struct jitdump *j, struct window *w, u64 file_size, bool *nomem)
{
	struct cur c = window_at(w, j->at, RECORD_HEAD, j->swap);
	u32 type, size;
	u64 time;

	if (cur_left(&c) < RECORD_HEADER)
		return false;
	type = cur_u32(&c);
	size = cur_u32(&c);
	time = cur_u64(&c);
	if (size < RECORD_HEADER) {
		j->bad = true;
		return false;
	}
	if (size > file_size - j->at)
		return false;
	if (j->codes.nr + 2 > JIT_FUNCTIONS_MAX || j->names.arena.total > JIT_NAMES_MAX) {
		j->full = true;
		return false;
	}
	c.end = MIN(c.end, c.p + (size - RECORD_HEADER));
	*nomem = (type == JIT_CODE_LOAD && !take_load(j, time, &c, size)) ||
		 (type == JIT_CODE_MOVE && !take_move(j, time, &c));
	if (*nomem)
		return false;
	j->at += size;
	return true;
}

int jitdump_read(struct jitdump *j, int fd, struct err *err)
{
	struct window w = {.fd = fd};
	bool nomem = false;
	struct stat st;
	u32 i;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "not a regular file");
	if (j->bad || j->full || st.st_size <= 0 || (u64)st.st_size <= j->at)
		return 0;
	w.bytes = malloc(WINDOW);
	if (!w.bytes)
		return err_nomem(err);
	if (j->at || read_header(j, &w))
		for (i = 0; i < RECORDS_MAX && !j->bad && j->at < (u64)st.st_size; i++)
			if (!read_record(j, &w, (u64)st.st_size, &nomem))
				break;
	free(w.bytes);
	if (nomem)
		return err_nomem(err);
	if (w.error)
		return err_set(err, -w.error, "%s", strerror(-w.error));
	return j->bad ? err_set(err, EBADMSG, "no jitdump, or a damaged one") : 0;
}

/* One table of all codes, the newer ones above the older ones. */
static bool sort_codes(struct jitdump *j)
{
	const struct jitdump_code *code;
	u32 i;

	symtab_free(&j->newest);
	j->nr_sorted = 0;
	for (i = 0; i < j->codes.nr; i++) {
		code = &j->codes.v[i];
		if (!symtab_add(&j->newest, code->start, code->end, "", 0, 0))
			return false;
	}
	if (symtab_finish(&j->newest, SYMTAB_NEWEST))
		return false;
	j->nr_sorted = j->codes.nr;
	return true;
}

static const struct jitdump_code *named(const struct jitdump *j, const struct jitdump_code *code)
{
	return *strtab_get(&j->names, code->name) ? code : NULL;
}

const struct jitdump_code *jitdump_find(struct jitdump *j, u64 addr, u64 time)
{
	const struct jitdump_code *code;
	const struct sym *sym;
	u32 i;

	if (j->nr_sorted != j->codes.nr && !sort_codes(j))
		return NULL;
	sym = symtab_find(&j->newest, addr);
	if (!sym)
		return NULL;
	code = &j->codes.v[sym->order];
	if (!time || j->no_times || code->time <= time)
		return named(j, code);
	/* made after that moment: what was there before? */
	for (i = sym->order; i-- > 0 && sym->order - i <= BEFORE_MAX;) {
		code = &j->codes.v[i];
		if (code->time <= time && addr - code->start < code->end - code->start)
			return named(j, code);
	}
	return NULL;
}

void jitdump_free(struct jitdump *j)
{
	strtab_free(&j->names);
	hmap_free(&j->by_index);
	vec_free(&j->codes);
	symtab_free(&j->newest);
	*j = (struct jitdump){0};
}
