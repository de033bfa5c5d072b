// SPDX-License-Identifier: GPL-2.0
#include "util/record/deferred.h"

#define CALLCHAIN_BIT 38u
#define OUTPUT_BIT    39u

/* Bit-fields begin at the other end of the word where bytes do. */
static u64 flag(u32 bit)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1ull << (63 - bit) : 1ull << bit;
}

/* The bit-fields are one word, the one behind read_format. */
static u8 *flags_of(const struct perf_event_attr *attr)
{
	return (u8 *)(uintptr_t)&attr->read_format + sizeof(attr->read_format);
}

static u64 get(const struct perf_event_attr *attr)
{
	u64 flags;

	memcpy(&flags, flags_of(attr), sizeof(flags));
	return flags;
}

static void set(struct perf_event_attr *attr, u64 flags)
{
	memcpy(flags_of(attr), &flags, sizeof(flags));
}

void deferred_ask(struct perf_event_attr *attr)
{
	set(attr, get(attr) | flag(CALLCHAIN_BIT));
}

bool deferred_is_asked(const struct perf_event_attr *attr)
{
	return get(attr) & flag(CALLCHAIN_BIT);
}

void deferred_tell(struct perf_event_attr *attr)
{
	set(attr, get(attr) | flag(OUTPUT_BIT));
}

bool deferred_is_told(const struct perf_event_attr *attr)
{
	return get(attr) & flag(OUTPUT_BIT);
}

void deferred_forget(struct perf_event_attr *attr)
{
	set(attr, get(attr) & ~(flag(CALLCHAIN_BIT) | flag(OUTPUT_BIT)));
}

bool deferred_read(const struct sample_layout *layout, const struct rec *rec, struct deferred *d)
{
	struct cur c = rec_body(rec);
	u64 nr;

	d->cookie = cur_u64(&c);
	nr = cur_u64(&c);
	if (c.bad || cur_left(&c) < layout->id_size || nr > (cur_left(&c) - layout->id_size) / 8)
		return false;
	/* records are 8-byte aligned and so is every array in them */
	d->chain = cur_bytes(&c, nr * 8);
	d->nr = (u32)nr;
	/* the kind of address needs no telling here, but a kernel may do so */
	if (d->nr && d->chain[0] == (u64)PERF_CONTEXT_USER) {
		d->chain++;
		d->nr--;
	}
	return true;
}
