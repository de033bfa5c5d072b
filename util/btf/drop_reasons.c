// SPDX-License-Identifier: GPL-2.0
#include "util/btf/drop_reasons.h"

#include <string.h>

#define SUFFIX           "_drop_reason"
#define CORE_PREFIX      "SKB_DROP_REASON_"
#define SUBSYSTEM_PREFIX "SKB_DROP_REASON_SUBSYS_"
#define NAME_MAX_LEN     256
#define REASONS_MAX      65536

static const char *behind(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(s, prefix, len) ? s : s + len;
}

static bool ends_in(const char *s, const char *suffix)
{
	size_t len = strlen(s), tail = strlen(suffix);

	return len >= tail && !strcmp(s + len - tail, suffix);
}

/* Marks that are no reason: where an enum begins and ends. */
static bool is_mark(const char *name, u64 value, bool core)
{
	if (core)
		return !value || ends_in(name, "_MAX") || ends_in(name, "_MASK");
	return !(value >> DROP_REASONS_SUBSYSTEM_SHIFT) ||
	       !(value & ((1u << DROP_REASONS_SUBSYSTEM_SHIFT) - 1)) || ends_in(name, "_MAX");
}

static bool fill(struct drop_reasons *r, struct drop_reason *slot, const char *name, u64 value)
{
	if (!slot)
		return false;
	slot->value = (u32)value;
	slot->name = arena_strndup(&r->arena, name, strnlen(name, NAME_MAX_LEN));
	return slot->name != NULL;
}

static bool add_subsystems(struct drop_reasons *r, const struct btf *b, const struct btf_type *t)
{
	struct btf_enumerator e;
	u32 i;

	for (i = 0; i < t->vlen && r->subsystems.nr < REASONS_MAX; i++) {
		e = btf_enumerator(b, t, i);
		if (!e.value || e.value > UINT16_MAX || ends_in(e.name, "_NUM"))
			continue;
		if (!fill(r, vec_push(&r->subsystems), behind(e.name, SUBSYSTEM_PREFIX), e.value))
			return false;
	}
	return true;
}

static bool add_reasons(struct drop_reasons *r, const struct btf *b, const struct btf_type *t,
			bool core)
{
	struct btf_enumerator e;
	u32 i;

	for (i = 0; i < t->vlen && r->v.nr < REASONS_MAX; i++) {
		e = btf_enumerator(b, t, i);
		e.value &= UINT32_MAX;
		if (is_mark(e.name, e.value, core))
			continue;
		if (!fill(r, vec_push(&r->v), core ? behind(e.name, CORE_PREFIX) : e.name, e.value))
			return false;
	}
	return true;
}

int drop_reasons_add(struct drop_reasons *r, const struct btf *b, struct err *err)
{
	u32 id = b->base ? btf_last(b->base) + 1 : 1, last = btf_last(b);
	struct btf_type t;
	bool ok = true;

	for (; id <= last && ok; id++) {
		t = btf_type(b, id);
		if (t.kind != BTF_ENUM && t.kind != BTF_ENUM64)
			continue;
		if (!strcmp(t.name, "skb_drop_reason_subsys"))
			ok = add_subsystems(r, b, &t);
		else if (ends_in(t.name, SUFFIX))
			ok = add_reasons(r, b, &t, !strcmp(t.name, "skb" SUFFIX));
	}
	return ok ? 0 : err_nomem(err);
}

const char *drop_reasons_name(const struct drop_reasons *r, u64 reason)
{
	u32 i;

	for (i = 0; i < r->v.nr; i++)
		if (r->v.v[i].value == reason)
			return r->v.v[i].name;
	return NULL;
}

const char *drop_reasons_subsystem(const struct drop_reasons *r, u64 reason)
{
	u32 i;

	for (i = 0; i < r->subsystems.nr; i++)
		if (r->subsystems.v[i].value == reason >> DROP_REASONS_SUBSYSTEM_SHIFT)
			return r->subsystems.v[i].name;
	return NULL;
}

void drop_reasons_free(struct drop_reasons *r)
{
	vec_free(&r->v);
	vec_free(&r->subsystems);
	arena_free(&r->arena);
}
