// SPDX-License-Identifier: GPL-2.0
#include "util/format/syscall_sink_internal.h"

#include <sys/socket.h>

#include "util/process/user_text.h"

/* Texts in a table before it is given up for a new one. */
#define TABLE_SIZE 1024u

static u64 key_of(u32 tid, u64 time, u32 arg)
{
	return hash_u64(time) ^ ((u64)tid << 3 | arg);
}

/* What was put behind the bytes of the table is `len` long, or an error. */
static void add(struct syscall_strings *s, u32 tid, u64 time, u32 arg, int len, bool whole)
{
	struct syscall_string_table *t = &s->young;
	struct syscall_string_at *a;

	if (len < 0 || t->bytes.len + (u32)len > UINT32_MAX)
		return;
	a = vec_push(&t->v);
	if (!a)
		return;
	if (!hmap_set(&t->index, key_of(tid, time, arg), t->v.nr - 1)) {
		t->v.nr--;
		return;
	}
	*a = (struct syscall_string_at){.time = time,
					.tid = tid,
					.arg = arg,
					.at = (u32)t->bytes.len,
					.len = (u32)len,
					.cut = !whole};
	buf_wrote(&t->bytes, (size_t)len);
	t->newest = MAX(t->newest, time);
}

void syscall_strings_read(struct syscall_strings *s, u32 tid, u64 time, u32 arg, u64 address)
{
	char *to = buf_room(&s->young.bytes, SYSCALL_STRING_MAX);
	bool whole;
	int len;

	if (!to)
		return;
	len = user_text_read(tid, address, to, SYSCALL_STRING_MAX, &whole);
	add(s, tid, time, arg, len, whole);
}

void syscall_strings_read_bytes(struct syscall_strings *s, u32 tid, u64 time, u32 arg, u64 address,
				u32 size)
{
	char *to;

	if (size < sizeof(sa_family_t))
		return;
	size = MIN(size, (u32)sizeof(struct sockaddr_storage));
	to = buf_room(&s->young.bytes, size);
	if (to)
		add(s, tid, time, arg, user_bytes_read(tid, address, to, size), true);
}

void syscall_strings_read_program(struct syscall_strings *s, u32 tid, u64 time, u32 arg)
{
	u64 address = user_program_name(tid);

	if (address)
		syscall_strings_read(s, tid, time, arg, address);
}

static void empty(struct syscall_string_table *t)
{
	t->v.nr = 0;
	hmap_clear(&t->index);
	/* texts that had no room are missing, and those after them need not be */
	buf_reset(&t->bytes);
	t->newest = 0;
}

static bool find(const struct syscall_string_table *t, u32 tid, u64 time, u32 arg,
		 struct syscall_string *out)
{
	u32 i = hmap_get(&t->index, key_of(tid, time, arg));
	const struct syscall_string_at *a = i == ID_NONE ? NULL : &t->v.v[i];

	if (!a || a->tid != tid || a->time != time || a->arg != arg)
		return false;
	*out = (struct syscall_string){
		.s = t->bytes.data + a->at, .len = a->len, .late = true, .cut = a->cut};
	return true;
}

struct syscall_string syscall_strings_get(struct syscall_strings *s, u32 tid, u64 time, u32 arg)
{
	struct syscall_string found = {0};
	struct syscall_string_table t;

	if (time > s->old.newest && s->young.v.nr >= TABLE_SIZE) {
		empty(&s->old);
		t = s->old;
		s->old = s->young;
		s->young = t;
	}
	if (!find(&s->old, tid, time, arg, &found))
		find(&s->young, tid, time, arg, &found);
	return found;
}

static void drop(struct syscall_string_table *t)
{
	vec_free(&t->v);
	hmap_free(&t->index);
	buf_free(&t->bytes);
}

void syscall_strings_free(struct syscall_strings *s)
{
	drop(&s->young);
	drop(&s->old);
}
