// SPDX-License-Identifier: GPL-2.0
#include "util/btf/btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"

#define MAGIC      0xeb9f
#define HEADER_LEN 24
#define FILE_MAX   (256u << 20)
/* Types that refer to each other are followed so far. */
#define DEPTH_MAX 32

static const char *string_at(const struct btf *b, u32 off)
{
	if (b->base) {
		if (off < b->base->strings_len)
			return b->base->strings + off;
		off -= b->base->strings_len;
	}
	return off < b->strings_len ? b->strings + off : "";
}

/* The id before its own first one. */
static u32 before(const struct btf *b)
{
	return b->base ? b->base->at.nr : 0;
}

/* Bytes behind the 12 that all types have, -1: no such kind. */
static s64 rest_len(u32 kind, u32 vlen)
{
	switch (kind) {
	case BTF_INT:
	case BTF_VAR:
	case BTF_DECL_TAG:
		return 4;
	case BTF_ARRAY:
		return 12;
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_DATASEC:
	case BTF_ENUM64:
		return 12 * (s64)vlen;
	case BTF_ENUM:
	case BTF_FUNC_PROTO:
		return 8 * (s64)vlen;
	case BTF_PTR:
	case BTF_FWD:
	case BTF_TYPEDEF:
	case BTF_VOLATILE:
	case BTF_CONST:
	case BTF_RESTRICT:
	case BTF_FUNC:
	case BTF_FLOAT:
	case BTF_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

static bool has_size(enum btf_kind kind)
{
	return kind == BTF_INT || kind == BTF_STRUCT || kind == BTF_UNION || kind == BTF_ENUM ||
	       kind == BTF_ENUM64 || kind == BTF_FLOAT || kind == BTF_DATASEC;
}

/* Read one type; false if it is none or not whole. */
static bool read_type(const struct btf *b, struct cur *c, struct btf_type *t)
{
	u32 name = cur_u32(c), info = cur_u32(c), word = cur_u32(c), kind = info >> 24 & 0x1f;
	s64 len;

	*t = (struct btf_type){.name = string_at(b, name), .vlen = info & 0xffff};
	len = rest_len(kind, t->vlen);
	if (c->bad || len < 0)
		return false;
	t->kind = (enum btf_kind)kind;
	t->flag = info >> 31;
	t->size = has_size(t->kind) ? word : 0;
	t->type = has_size(t->kind) ? 0 : word;
	t->rest = cur_sub(c, (size_t)len);
	return !c->bad;
}

static int index_types(struct btf *b, struct err *err)
{
	struct cur c = b->types;
	struct btf_type t;
	u32 *at;

	while (cur_left(&c)) {
		at = vec_push(&b->at);
		if (!at)
			return err_nomem(err);
		*at = (u32)(c.p - b->types.p);
		if (!read_type(b, &c, &t))
			return err_set(err, EINVAL,
				       "BTF: type %u is damaged, or of a kind that is not known",
				       b->at.nr);
	}
	return 0;
}

static struct cur section(struct cur all, u32 off, u32 len)
{
	cur_skip(&all, off);
	return cur_sub(&all, len);
}

int btf_init(struct btf *b, const struct btf *base, const void *data, size_t len, struct err *err)
{
	struct cur c = cur_init(data, len), all, strings;
	u32 header_len, type_off, type_len, string_off, string_len;
	u16 magic;
	int ret;

	*b = (struct btf){.base = base};
	magic = cur_u16(&c);
	c.swap = magic == __builtin_bswap16(MAGIC);
	cur_skip(&c, 2); /* version, flags */
	header_len = cur_u32(&c);
	type_off = cur_u32(&c);
	type_len = cur_u32(&c);
	string_off = cur_u32(&c);
	string_len = cur_u32(&c);
	if (c.bad || (magic != MAGIC && !c.swap) || header_len < HEADER_LEN)
		return err_set(err, EINVAL, "no BTF: it does not begin as such");
	all = cur_init(data, len);
	all.swap = c.swap;
	cur_skip(&all, header_len);
	b->types = section(all, type_off, type_len);
	strings = section(all, string_off, string_len);
	/* a module may have no string of its own */
	if (b->types.bad || strings.bad || (!string_len && !base) ||
	    (string_len && strings.end[-1]))
		return err_set(err, EINVAL, "BTF: its sections are cut off");
	b->strings = (const char *)strings.p;
	b->strings_len = string_len;
	ret = index_types(b, err);
	if (ret)
		btf_free(b);
	return ret;
}

/*
 * sysfs gives one page to a read. Since Linux 6.16 it maps the types of the kernel itself, which are never cut short, as another
 * file may be. Nothing: they must be read.
 */
static struct cur map_file(int dirfd, const char *path)
{
	int fd = io_open(dirfd, path, O_RDONLY);
	void *data = MAP_FAILED;
	struct statfs fs;
	struct stat st;

	if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == SYSFS_MAGIC && !fstat(fd, &st) &&
	    st.st_size > 0 && st.st_size <= FILE_MAX)
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	return data == MAP_FAILED ? (struct cur){0} : cur_init(data, (size_t)st.st_size);
}

static void unmap(struct cur mapped)
{
	if (mapped.p)
		munmap((void *)(uintptr_t)mapped.p, cur_left(&mapped));
}

int btf_load(struct btf *b, const struct btf *base, int dirfd, const char *path, struct err *err)
{
	struct cur data = map_file(dirfd, path), mapped = data;
	struct buf file = {0};
	int ret = data.p ? 0 : io_read_file(dirfd, path, &file, FILE_MAX);

	*b = (struct btf){0};
	if (ret) {
		buf_free(&file);
		return err_set(err, -ret, "cannot read /%s: %s", path, strerror(-ret));
	}
	if (!data.p)
		data = cur_init(file.data, file.len);
	ret = btf_init(b, base, data.p, cur_left(&data), err);
	if (ret) {
		buf_free(&file);
		unmap(mapped);
	} else {
		b->file = file;
		b->mapped = mapped;
	}
	return ret;
}

void btf_free(struct btf *b)
{
	vec_free(&b->at);
	hmap_free(&b->names);
	buf_free(&b->file);
	unmap(b->mapped);
}

u32 btf_last(const struct btf *b)
{
	return before(b) + b->at.nr;
}

struct btf_type btf_type(const struct btf *b, u32 id)
{
	struct btf_type t = {.name = ""};
	struct cur c = b->types;

	if (b->base && id <= b->base->at.nr)
		return btf_type(b->base, id);
	if (!id || id > btf_last(b))
		return t;
	cur_skip(&c, b->at.v[id - before(b) - 1]);
	read_type(b, &c, &t);
	t.id = id;
	return t;
}

static u64 name_key(enum btf_kind kind, const char *name)
{
	return hash_bytes(name, strlen(name)) + kind;
}

bool btf_index(struct btf *b)
{
	struct cur c = b->types;
	struct btf_type t;
	u32 id;
	u64 key;

	for (id = before(b) + 1; id <= btf_last(b) && read_type(b, &c, &t); id++) {
		key = name_key(t.kind, t.name);
		if (*t.name && hmap_get(&b->names, key) == ID_NONE &&
		    !hmap_set(&b->names, key, id)) {
			hmap_free(&b->names);
			return false;
		}
	}
	return true;
}

/* Of most types, no more than the kind is looked at. */
static u32 find_in(const struct btf *b, enum btf_kind kind, const char *name)
{
	struct cur c;
	u32 i, at;

	for (i = 0; i < b->at.nr; i++) {
		c = b->types;
		cur_skip(&c, b->at.v[i]);
		at = cur_u32(&c);
		if ((cur_u32(&c) >> 24 & 0x1f) == kind && !strcmp(string_at(b, at), name))
			return before(b) + 1 + i;
	}
	return 0;
}

u32 btf_find_own(const struct btf *b, enum btf_kind kind, const char *name)
{
	struct btf_type t;
	u32 id;

	if (b->names.nr) {
		id = hmap_get(&b->names, name_key(kind, name));
		if (id == ID_NONE)
			return 0;
		t = btf_type(b, id);
		if (t.kind == kind && !strcmp(t.name, name))
			return id;
	}
	/* not remembered, or two names of one hash */
	return find_in(b, kind, name);
}

u32 btf_find(const struct btf *b, enum btf_kind kind, const char *name)
{
	u32 id = btf_find_own(b, kind, name);

	return !id && b->base ? btf_find(b->base, kind, name) : id;
}

const char *btf_suggest(const struct btf *b, enum btf_kind kind, enum btf_kind another,
			const char *name)
{
	struct text_suggest suggest;
	struct btf_type t;
	u32 id;

	text_suggest_init(&suggest, name);
	for (id = 1; id <= btf_last(b); id++) {
		t = btf_type(b, id);
		if (*t.name && (t.kind == kind || t.kind == another))
			text_suggest_add(&suggest, t.name);
	}
	return suggest.best;
}

static struct cur element(const struct btf_type *t, u32 i, u32 size)
{
	struct cur c = t->rest;

	cur_skip(&c, (size_t)i * size);
	return c;
}

struct btf_member btf_member(const struct btf *b, const struct btf_type *t, u32 i)
{
	struct cur c = element(t, i, 12);
	u32 name = cur_u32(&c), type = cur_u32(&c), offset = cur_u32(&c);

	return (struct btf_member){
		.name = string_at(b, name),
		.type = type,
		.bit_offset = t->flag ? offset & 0xffffff : offset,
		.bit_size = t->flag ? offset >> 24 : 0,
	};
}

struct btf_param btf_param(const struct btf *b, const struct btf_type *t, u32 i)
{
	struct cur c = element(t, i, 8);
	u32 name = cur_u32(&c), type = cur_u32(&c);

	return (struct btf_param){.name = string_at(b, name), .type = type};
}

struct btf_enumerator btf_enumerator(const struct btf *b, const struct btf_type *t, u32 i)
{
	struct cur c = element(t, i, t->kind == BTF_ENUM64 ? 12 : 8);
	u32 name = cur_u32(&c), low = cur_u32(&c);
	u64 value = low;

	if (t->kind == BTF_ENUM64)
		value |= (u64)cur_u32(&c) << 32;
	else if (t->flag)
		value = (u64)(s64)(s32)low;
	return (struct btf_enumerator){.name = string_at(b, name), .value = value};
}

struct btf_array btf_array(const struct btf *b, const struct btf_type *t)
{
	struct cur c = t->rest;
	u32 type = cur_u32(&c);

	(void)b;
	cur_skip(&c, 4); /* the type of its index */
	return (struct btf_array){.type = type, .nr = cur_u32(&c)};
}

static bool is_around(enum btf_kind kind)
{
	return kind == BTF_TYPEDEF || kind == BTF_CONST || kind == BTF_VOLATILE ||
	       kind == BTF_RESTRICT || kind == BTF_TYPE_TAG;
}

struct btf_type btf_resolve(const struct btf *b, u32 id)
{
	struct btf_type t = btf_type(b, id);
	u32 depth;

	for (depth = 0; is_around(t.kind); depth++)
		t = btf_type(b, depth < DEPTH_MAX ? t.type : 0);
	return t;
}

bool btf_is_typedef(const struct btf *b, u32 id, const char *name)
{
	struct btf_type t = btf_type(b, id);
	u32 depth;

	for (depth = 0; is_around(t.kind) && depth < DEPTH_MAX; depth++) {
		if (t.kind == BTF_TYPEDEF && !strcmp(t.name, name))
			return true;
		t = btf_type(b, t.type);
	}
	return false;
}

u64 btf_size(const struct btf *b, u32 id)
{
	struct btf_type t = btf_resolve(b, id);
	struct btf_array a;
	u64 nr = 1;
	u32 depth;

	for (depth = 0; t.kind == BTF_ARRAY && depth < DEPTH_MAX; depth++) {
		a = btf_array(b, &t);
		if (a.nr && nr > UINT32_MAX / a.nr)
			return 0;
		nr *= a.nr;
		t = btf_resolve(b, a.type);
	}
	/* BTF has no size of pointers: those of the running kernel are as ours */
	return nr * (t.kind == BTF_PTR ? sizeof(void *) : t.size);
}

/* Damaged types may contain themselves. */
#define NESTING_MAX 16
#define MEMBERS_MAX 100000u

struct search {
	const struct btf *b;
	const char *name;
	u32 depth, members; /* looked at */
	struct btf_member found;
};

static bool find(struct search *s, struct btf_type t, u64 bits)
{
	struct btf_member m;
	bool found = false;
	u32 i;

	if ((t.kind != BTF_STRUCT && t.kind != BTF_UNION) || s->depth == NESTING_MAX)
		return false;
	s->depth++;
	for (i = 0; i < t.vlen && !found && s->members < MEMBERS_MAX; i++) {
		s->members++;
		m = btf_member(s->b, &t, i);
		if (!*m.name) {
			found = find(s, btf_resolve(s->b, m.type), bits + m.bit_offset);
		} else if (!strcmp(m.name, s->name) && bits + m.bit_offset <= UINT32_MAX) {
			m.bit_offset += (u32)bits;
			s->found = m;
			found = true;
		}
	}
	s->depth--;
	return found;
}

bool btf_find_member(const struct btf *b, u32 of, const char *name, struct btf_member *m)
{
	struct search s = {.b = b, .name = name};

	if (!find(&s, btf_resolve(b, of), 0))
		return false;
	*m = s.found;
	return true;
}

bool btf_offset(const struct btf *b, const char *of_struct, const char *member, u32 *offset)
{
	u32 id = btf_find(b, BTF_STRUCT, of_struct);
	struct btf_member m;

	if (!id || !btf_find_member(b, id, member, &m) || m.bit_size || m.bit_offset % 8)
		return false;
	*offset = m.bit_offset / 8;
	return true;
}

bool btf_is_signed(const struct btf *b, const struct btf_type *t)
{
	struct cur c = t->rest;

	(void)b;
	return t->kind == BTF_INT ? cur_u32(&c) & 1u << 24 : t->flag;
}

static u32 with_prefix(const struct btf *b, enum btf_kind kind, const char *prefix,
		       const char *name)
{
	char full[256];
	int len = snprintf(full, sizeof(full), "%s%s", prefix, name);

	return len < (int)sizeof(full) ? btf_find_own(b, kind, full) : 0;
}

static struct btf_type prototype(const struct btf *b, u32 id)
{
	struct btf_type t = btf_resolve(b, id);

	if (t.kind == BTF_PTR || t.kind == BTF_FUNC)
		t = btf_resolve(b, t.type);
	return t.kind == BTF_FUNC_PROTO ? t : btf_type(b, 0);
}

struct btf_type btf_tracepoint_own(const struct btf *b, const char *name)
{
	/* include/linux/tracepoint.h: what calls the probes, which names its parameters; their type, which does not */
	struct btf_type t = prototype(b, with_prefix(b, BTF_FUNC, "__traceiter_", name));

	return t.kind == BTF_FUNC_PROTO
		       ? t
		       : prototype(b, with_prefix(b, BTF_TYPEDEF, "btf_trace_", name));
}

struct btf_type btf_tracepoint(const struct btf *b, const char *name)
{
	struct btf_type t = btf_tracepoint_own(b, name);

	return t.kind != BTF_FUNC_PROTO && b->base ? btf_tracepoint(b->base, name) : t;
}
