// SPDX-License-Identifier: GPL-2.0
#include "util/export/otlp_answer.h"

#include "util/base/cur.h"

enum { VARINT = 0, FIXED64 = 1, LENGTH = 2, FIXED32 = 5 };
enum { RESPONSE_PARTIAL_SUCCESS = 1 };
enum { PARTIAL_REJECTED = 1, PARTIAL_MESSAGE };
enum { STATUS_MESSAGE = 2 };

struct field {
	u32 number, wire;
	u64 value;
	struct cur bytes; /* of LENGTH */
};

/* False: there is none, or the message is broken (c->bad). */
static bool next_field(struct cur *c, struct field *f)
{
	u64 key;

	if (!cur_left(c))
		return false;
	key = cur_uleb(c);
	*f = (struct field){.number = (u32)(key >> 3), .wire = key & 7};
	switch (f->wire) {
	case VARINT:
		f->value = cur_uleb(c);
		break;
	case FIXED64:
		cur_sub(c, 8);
		break;
	case FIXED32:
		cur_sub(c, 4);
		break;
	case LENGTH:
		f->bytes = cur_sub(c, (size_t)cur_uleb(c));
		break;
	default:
		c->bad = true;
	}
	return !c->bad;
}

static void keep_message(struct otlp_answer *a, struct cur *text)
{
	a->len = cur_left(text);
	a->message = a->len ? (const char *)cur_bytes(text, a->len) : NULL;
}

static bool read_partial(struct cur c, struct otlp_answer *a)
{
	struct field f;

	while (next_field(&c, &f)) {
		if (f.number == PARTIAL_REJECTED && f.wire == VARINT)
			a->rejected = f.value;
		else if (f.number == PARTIAL_MESSAGE && f.wire == LENGTH)
			keep_message(a, &f.bytes);
	}
	return !c.bad;
}

bool otlp_answer_success(const void *body, size_t len, struct otlp_answer *a)
{
	struct cur c = cur_init(body, len);
	struct field f;

	*a = (struct otlp_answer){0};
	while (next_field(&c, &f))
		if (f.number == RESPONSE_PARTIAL_SUCCESS && f.wire == LENGTH &&
		    !read_partial(f.bytes, a))
			return false;
	return !c.bad;
}

bool otlp_answer_failure(const void *body, size_t len, struct otlp_answer *a)
{
	struct cur c = cur_init(body, len);
	struct field f;

	*a = (struct otlp_answer){0};
	while (next_field(&c, &f))
		if (f.number == STATUS_MESSAGE && f.wire == LENGTH)
			keep_message(a, &f.bytes);
	return !c.bad;
}
