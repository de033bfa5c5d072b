// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include <string.h>

#include "util/base/text.h"
#include "util/export/about.h"

/* Fields of the messages. */
enum { ANY_STRING = 1, ANY_INT = 3, ANY_ARRAY = 5 };
enum { ARRAY_VALUES = 1 };
enum { KEY_VALUE_KEY = 1, KEY_VALUE_VALUE };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE_NAME = 1, SCOPE_VERSION };

/* ---- large messages ---- */

void otlp_message_add(struct otlp_message *m, struct buf *fields)
{
	buf_add(&m->bytes.tail, buf_str(fields), fields->len);
	m->bytes.failed |= fields->failed;
	m->len += fields->len;
	buf_clear(fields);
	spool_settle(&m->bytes);
}

void otlp_message_nest(struct otlp_message *m, u32 field, struct otlp_message *inner)
{
	struct buf head = {0};

	export_proto_head(&head, field, inner->len);
	otlp_message_add(m, &head);
	spool_join(&m->bytes, &inner->bytes);
	m->len += inner->len;
	inner->len = 0;
	buf_free(&head);
}

void otlp_message_free(struct otlp_message *m)
{
	spool_free(&m->bytes);
}

/* ---- values ---- */

void export_otlp_text(struct buf *value, const char *text)
{
	export_proto_bytes(value, ANY_STRING, text, strlen(text));
}

void export_otlp_number(struct buf *value, s64 number)
{
	/* a value of 0 must be there: it says which kind it is of */
	export_proto_varint(value, ANY_INT << 3);
	export_proto_varint(value, (u64)number);
}

void export_otlp_lines(struct buf *value, const char *text)
{
	struct buf line = {0}, array = {0};
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		export_proto_bytes(&line, ANY_STRING, text, (size_t)(end - text));
		export_proto_message(&array, ARRAY_VALUES, &line);
	}
	export_proto_message(value, ANY_ARRAY, &array);
	buf_free(&line);
	buf_free(&array);
}

/* ---- where they come from ---- */

/* The names of machines in the semantic conventions; others are called as uname calls them. */
static const char *machine_name(const char *uname)
{
	static const char *const names[][2] = {
		{"x86_64", "amd64"},  {"aarch64", "arm64"}, {"armv7l", "arm32"},
		{"armv8l", "arm32"},  {"i686", "x86"},      {"i386", "x86"},
		{"ppc64le", "ppc64"}, {"ppc", "ppc32"},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i][0], uname))
			return names[i][1];
	return uname;
}

static void put_attribute(struct buf *out, const char *key, const char *text)
{
	struct buf pair = {0}, value = {0};

	if (*text) {
		export_proto_bytes(&pair, KEY_VALUE_KEY, key, strlen(key));
		export_otlp_text(&value, text);
		export_proto_message(&pair, KEY_VALUE_VALUE, &value);
		export_proto_message(out, RESOURCE_ATTRIBUTES, &pair);
	}
	buf_free(&pair);
	buf_free(&value);
}

void export_otlp_resource(const struct session *s, const char *service, struct buf *out)
{
	struct buf text = {0};

	about_fact(s, "hostname", &text);
	put_attribute(out, "host.name", buf_str(&text));
	buf_clear(&text);
	about_fact(s, "arch", &text);
	put_attribute(out, "host.arch", machine_name(buf_str(&text)));
	put_attribute(out, "os.type", "linux");
	buf_clear(&text);
	about_fact(s, "release", &text);
	if (text.len) {
		buf_clear(&text);
		buf_adds(&text, "Linux ");
		about_fact(s, "release", &text);
	}
	put_attribute(out, "os.description", buf_str(&text));
	buf_clear(&text);
	/* from the command line: a string must be UTF-8 */
	text_escape(&text, service, strlen(service));
	put_attribute(out, "service.name", buf_str(&text));
	out->failed |= text.failed;
	buf_free(&text);
}

void export_otlp_scope(const struct session *s, struct buf *out)
{
	struct buf text = {0};

	export_proto_bytes(out, SCOPE_NAME, "perf-lite", strlen("perf-lite"));
	about_fact(s, "version", &text);
	if (text.len)
		export_proto_bytes(out, SCOPE_VERSION, buf_str(&text), text.len);
	out->failed |= text.failed;
	buf_free(&text);
}
