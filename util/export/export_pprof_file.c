// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <string.h>

#include "util/export/about.h"

/* Made in pieces of this size before they are compressed. */
#define PIECE (256u * 1024)

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE = 2,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT,
	PROFILE_DEFAULT_SAMPLE_TYPE
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM };

static u32 string(struct pprof_file *f, const char *s)
{
	return pprof_locations_string(&f->locations, s);
}

int pprof_file_init(struct pprof_file *f, struct session *s, struct err *err)
{
	int ret;

	f->session = s;
	ret = pprof_locations_init(&f->locations, PPROF_PROFILE, s->symboliser, err);
	return ret ? ret : gzip_init(&f->gzip, err);
}

void pprof_file_free(struct pprof_file *f)
{
	pprof_locations_free(&f->locations);
	gzip_free(&f->gzip);
	buf_free(&f->piece);
	buf_free(&f->message);
	buf_free(&f->inner);
	buf_free(&f->numbers);
}

static int flush(struct pprof_file *f, size_t most, struct buf *out, struct err *err)
{
	int ret = 0;

	if (f->piece.failed)
		return err_nomem(err);
	if (f->piece.len > most) {
		ret = gzip_add(&f->gzip, f->piece.data, f->piece.len, out, err);
		buf_clear(&f->piece);
	}
	return ret;
}

/* ---- what the profile is ---- */

void pprof_file_type(struct pprof_file *f, enum pprof_type what, const char *type, const char *unit)
{
	export_proto_integer(&f->message, TYPE_TYPE, string(f, type));
	export_proto_integer(&f->message, TYPE_UNIT, string(f, unit));
	export_proto_message(&f->piece, what, &f->message);
}

void pprof_file_default(struct pprof_file *f, const char *type, u64 period)
{
	export_proto_integer(&f->piece, PROFILE_PERIOD, period);
	export_proto_integer(&f->piece, PROFILE_DEFAULT_SAMPLE_TYPE, string(f, type));
}

static void put_comments(struct pprof_file *f)
{
	char *line, *next;
	struct buf b = {0};

	about_notes(f->session, &b);
	for (line = b.len ? b.data : NULL; line && *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		export_proto_integer(&f->piece, PROFILE_COMMENT, string(f, line));
	}
	f->piece.failed |= b.failed;
	buf_free(&b);
}

void pprof_file_about(struct pprof_file *f, bool any, u64 from, u64 to)
{
	u64 wall;

	if (any && about_wall_clock(f->session, from, &wall, &f->piece))
		export_proto_integer(&f->piece, PROFILE_TIME_NANOS, wall);
	export_proto_integer(&f->piece, PROFILE_DURATION_NANOS, to - from);
	put_comments(f);
}

/* ---- samples ---- */

static void put_packed(struct pprof_file *f, u32 field)
{
	export_proto_message(&f->message, field, &f->numbers);
}

bool pprof_file_stack(struct pprof_file *f, const struct stack_tree *stacks, u32 node)
{
	u32 id;

	do {
		id = pprof_locations_get(&f->locations, stacks, node);
		if (id == ID_NONE)
			return false;
		export_proto_varint(&f->numbers, id);
		node = node ? stacks->nodes.v[node].parent : 0;
	} while (node);
	put_packed(f, SAMPLE_LOCATION_ID);
	return true;
}

void pprof_file_values(struct pprof_file *f)
{
	put_packed(f, SAMPLE_VALUE);
}

void pprof_file_label(struct pprof_file *f, const char *key, u32 str, u64 num)
{
	export_proto_integer(&f->inner, LABEL_KEY, string(f, key));
	export_proto_integer(&f->inner, LABEL_STR, str);
	export_proto_integer(&f->inner, LABEL_NUM, num);
	export_proto_message(&f->message, SAMPLE_LABEL, &f->inner);
}

int pprof_file_sample(struct pprof_file *f, struct buf *out, struct err *err)
{
	export_proto_message(&f->piece, PROFILE_SAMPLE, &f->message);
	return flush(f, PIECE, out, err);
}

int pprof_file_end(struct pprof_file *f, struct buf *out, struct err *err)
{
	int ret;

	pprof_locations_put(&f->locations, &f->piece);
	if (f->locations.failed || f->message.failed)
		return err_nomem(err);
	ret = flush(f, 0, out, err);
	return ret ? ret : gzip_end(&f->gzip, out, err);
}
