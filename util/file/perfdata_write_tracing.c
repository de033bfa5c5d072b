// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_write_internal.h"

#include <string.h>
#include <unistd.h>

#include "util/base/num.h"
#include "util/file/perfdata_abi.h"

/*
 * How the kernel's own trace buffer is laid out. A recording holds nothing of that buffer, but
 * readers want to see the texts: libtraceevent takes the size of a long from the first.
 */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n";
static const char header_event[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n"
				   "\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

static void put_string(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s) + 1);
}

static void put_sized(struct buf *b, const char *text, size_t len)
{
	buf_u64(b, len);
	buf_add(b, text, len);
}

static u32 long_size(const struct recording *r)
{
	const char *text = recording_fact(r, "long_size");
	u64 size;

	return text && num_u64(text, &size) && size == 4 ? 4 : 8;
}

static void put_header(const struct recording *r, struct buf *b)
{
	const u32 size = long_size(r), page = (u32)sysconf(_SC_PAGESIZE);
	const u16 one = 1;
	struct buf text = {0};

	buf_add(b, PERFDATA_TRACING_MAGIC, sizeof(PERFDATA_TRACING_MAGIC) - 1);
	put_string(b, PERFDATA_TRACING_VERSION);
	buf_u8(b, *(const u8 *)&one ? 0 : 1);
	buf_u8(b, (u8)size);
	buf_u32(b, page);
	put_string(b, "header_page");
	buf_addf(&text, header_page, size, 8 + size, page - 8 - size);
	put_sized(b, buf_str(&text), text.len);
	put_string(b, "header_event");
	put_sized(b, header_event, sizeof(header_event) - 1);
	buf_u32(b, 0); /* formats of ftrace's own events */
	b->failed |= text.failed;
	buf_free(&text);
}

/* Is it the first of its system? */
static bool begins_system(const struct recording *r, u32 i)
{
	u32 j;

	for (j = 0; j < i; j++)
		if (!strcmp(r->tracepoints.v[j].system, r->tracepoints.v[i].system))
			return false;
	return true;
}

/* Recorded twice is written once. */
static bool is_repeated(const struct recording *r, u32 i)
{
	u32 j;

	for (j = 0; j < i; j++)
		if (r->tracepoints.v[j].id == r->tracepoints.v[i].id)
			return true;
	return false;
}

static void put_system(const struct recording *r, u32 first, struct buf *b)
{
	const char *system = r->tracepoints.v[first].system;
	u32 nr = 0, i, pass;

	for (pass = 0; pass < 2; pass++) {
		if (pass) {
			put_string(b, system);
			buf_u32(b, nr);
		}
		for (i = first; i < r->tracepoints.nr; i++) {
			const struct tp_text *t = &r->tracepoints.v[i];

			if (strcmp(t->system, system) != 0 || is_repeated(r, i))
				continue;
			nr++;
			if (pass)
				put_sized(b, t->format, t->format_len);
		}
	}
}

bool perfdata_write_tracing_put(const struct recording *r, struct buf *b)
{
	const char *strings = recording_fact(r, "printk_formats");
	u32 i, systems = 0;

	if (!r->tracepoints.nr)
		return false;
	put_header(r, b);
	for (i = 0; i < r->tracepoints.nr; i++)
		systems += begins_system(r, i);
	buf_u32(b, systems);
	for (i = 0; i < r->tracepoints.nr; i++)
		if (begins_system(r, i))
			put_system(r, i, b);
	buf_u32(b, 0); /* kallsyms: perf has that elsewhere */
	buf_u32(b, strings ? (u32)strlen(strings) : 0);
	if (strings)
		buf_adds(b, strings);
	buf_u64(b, 0); /* names of tasks: likewise */
	return true;
}
