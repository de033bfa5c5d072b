// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata_internal.h"

#include <errno.h>
#include <stdio.h>

#include "util/base/buf.h"
#include "util/file/foreign_order.h"
#include "util/file/perfdata_abi.h"
#include "util/record/attr_text.h"

/* A u32 length and that many bytes, NUL-padded: the string in it. */
static const char *get_string(struct cur *c, size_t *len)
{
	u32 n = cur_u32(c);
	const char *s = cur_bytes(c, n);

	*len = s ? strnlen(s, n) : 0;
	return s;
}

static int add_string_fact(struct recording *r, const char *key, struct cur c)
{
	size_t len;
	const char *s = get_string(&c, &len);

	return s ? recording_add_fact(r, key, s, len) : -EBADMSG;
}

static int add_number_fact(struct recording *r, const char *key, u64 v)
{
	char text[24];

	return recording_add_fact(
		r, key, text, (size_t)snprintf(text, sizeof(text), "%llu", (unsigned long long)v));
}

static int load_cmdline(struct recording *r, struct cur c)
{
	u32 nr = cur_u32(&c);
	struct buf args = {0};
	const char *s;
	size_t len;
	int ret;

	while (nr-- && (s = get_string(&c, &len))) {
		buf_add(&args, s, len);
		buf_addc(&args, '\0');
	}
	ret = args.failed ? -ENOMEM : recording_add_fact(r, "cmdline", buf_str(&args), args.len);
	buf_free(&args);
	return ret;
}

/* No tracepoint has a longer name, and all that is printed of an event begins with it. */
#define NAME_LENGTH 1024

bool perfdata_names_add(struct perfdata_names *n, struct recording *r, u64 type, const char *name,
			size_t len)
{
	const char *copy = arena_strndup(&r->events.arena, name, MIN(len, (size_t)NAME_LENGTH));
	const char **to;
	u32 known = hmap_get(&n->by_type, type);

	if (copy && known != ID_NONE) {
		n->names.v[known] = copy;
		return true;
	}
	to = copy ? vec_push(&n->names) : NULL;
	if (!to)
		return false;
	*to = copy;
	return hmap_set(&n->by_type, type, n->names.nr - 1);
}

/* By its format, if there is one: pipes need not have EVENT_DESC. */
static bool add_format_name(struct perfdata_names *n, struct recording *r, u64 type)
{
	const struct tp_text *t = recording_tracepoint(r, type);
	struct buf name = {0};
	bool ok = true;

	if (!t || hmap_get(&n->by_type, type) != ID_NONE)
		return true;
	buf_addf(&name, "%s:%s", t->system, t->name);
	ok = !name.failed && perfdata_names_add(n, r, type, buf_str(&name), name.len);
	buf_free(&name);
	return ok;
}

bool perfdata_names_give(struct perfdata_names *n, struct recording *r)
{
	char number[ATTR_NAME_MAX];
	struct event_desc *e;
	u32 i, name;

	for (i = 0; i < r->events.events.nr; i++) {
		e = &r->events.events.v[i];
		if (e->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		attr_text_name(&e->attr, number);
		if (strcmp(e->name, number))
			continue;
		if (!add_format_name(n, r, e->attr.config))
			return false;
		name = hmap_get(&n->by_type, e->attr.config);
		if (name != ID_NONE)
			e->name = n->names.v[name];
	}
	return true;
}

void perfdata_names_free(struct perfdata_names *n)
{
	hmap_free(&n->by_type);
	vec_free(&n->names);
}

static int load_event_names(struct recording *r, struct cur c)
{
	u32 nr = cur_u32(&c), attr_size = cur_u32(&c), nr_ids, i;
	const char *name;
	size_t len;

	for (i = 0; i < nr && i < r->events.events.nr; i++) {
		cur_skip(&c, attr_size);
		nr_ids = cur_u32(&c);
		name = get_string(&c, &len);
		cur_skip(&c, (size_t)nr_ids * 8);
		if (c.bad)
			return -EBADMSG;
		if (event_set_name(&r->events, i, name, len))
			return -ENOMEM;
	}
	return 0;
}

int perfdata_build_id_load(struct recording *r, u16 misc, struct cur body)
{
	u16 cpumode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct dso_head d = {.build_id_len = 20};
	u8 id[24];

	cur_skip(&body, 4); /* pid */
	if (!cur_copy(&body, id, sizeof(id)))
		return -EBADMSG;
	d.build_id = id;
	d.name = (const char *)body.p;
	d.name_len = strnlen(d.name, cur_left(&body));
	d.class = cpumode == PERF_RECORD_MISC_KERNEL ? DSO_CLASS_KERNEL : DSO_CLASS_USER;
	if (misc & PERFDATA_MISC_BUILD_ID_SIZE && id[20] <= 20)
		d.build_id_len = id[20];
	return recording_add_dso(r, &d, NULL, 0) < 0 ? -ENOMEM : 0;
}

/* Each entry is a record: header, pid, 24 bytes of build-id, the file's name. */
static int load_build_ids(struct recording *r, struct cur c)
{
	struct cur body;
	u16 misc, size;
	int ret = 0;

	while (!ret && cur_left(&c)) {
		cur_u32(&c);
		misc = cur_u16(&c);
		size = cur_u16(&c);
		if (size < sizeof(struct perf_event_header))
			return -EBADMSG;
		body = cur_sub(&c, size - sizeof(struct perf_event_header));
		ret = body.bad ? -EBADMSG : perfdata_build_id_load(r, misc, body);
	}
	return ret;
}

/* "name: X" and "ID: N" of a format file. */
static bool format_identity(struct cur text, const char **name, size_t *name_len, u32 *id)
{
	const char *line;
	size_t len;
	bool have_id = false;

	*name = NULL;
	while (cur_line(&text, &line, &len) && !(*name && have_id)) {
		if (len > 6 && !memcmp(line, "name: ", 6)) {
			*name = line + 6;
			*name_len = len - 6;
		} else if (len > 4 && !memcmp(line, "ID: ", 4)) {
			size_t i;

			*id = 0;
			for (i = 4; i < len && line[i] >= '0' && line[i] <= '9'; i++)
				*id = *id * 10 + (u32)(line[i] - '0');
			have_id = i > 4;
		}
	}
	return *name && have_id;
}

static int add_format(struct recording *r, const char *system, size_t system_len, struct cur text)
{
	const char *name;
	size_t name_len = 0;
	u32 id = 0;

	if (!format_identity(text, &name, &name_len, &id))
		return 0;
	return recording_add_tracepoint(r, id, system, system_len, name, name_len,
					(const char *)text.p, cur_left(&text));
}

/* The texts of string constants, behind the formats and a place for kallsyms. */
static int load_strings(struct recording *r, struct cur *c)
{
	const char *text;
	u32 len;

	cur_skip(c, cur_u32(c));
	len = cur_u32(c);
	text = cur_bytes(c, len);
	return text && len ? recording_add_fact(r, "printk_formats", text, len) : 0;
}

/* Formats of tracepoints, and the texts of their string constants. */
static int perfdata_tracing_load(struct recording *r, struct cur c)
{
	static const char magic[] = PERFDATA_TRACING_MAGIC;
	const char *system;
	size_t len;
	u32 nr, count;
	int ret;

	if (cur_left(&c) < sizeof(magic) - 1 ||
	    memcmp(cur_bytes(&c, sizeof(magic) - 1), magic, sizeof(magic) - 1))
		return -EBADMSG;
	cur_str(&c, NULL); /* version */
	c.swap = cur_u8(&c) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	ret = add_number_fact(r, "long_size", cur_u8(&c));
	cur_u32(&c);       /* page size */
	cur_str(&c, NULL); /* "header_page" */
	cur_skip(&c, cur_u64(&c));
	cur_str(&c, NULL); /* "header_event" */
	cur_skip(&c, cur_u64(&c));
	for (nr = cur_u32(&c); nr && !c.bad; nr--) /* ftrace's own events */
		cur_skip(&c, cur_u64(&c));
	for (nr = cur_u32(&c); nr && !c.bad && !ret; nr--) {
		system = cur_str(&c, &len);
		for (count = cur_u32(&c); count && !c.bad && !ret; count--) {
			struct cur text = cur_sub(&c, cur_u64(&c));

			if (!c.bad)
				ret = add_format(r, system, len, text);
		}
	}
	if (ret || c.bad)
		return ret ? ret : -EBADMSG;
	return load_strings(r, &c);
}

/* Both clocks at one moment. */
static int load_clock(struct recording *r, struct cur c)
{
	int ret;

	cur_skip(&c, 8); /* version, which clock */
	ret = add_number_fact(r, "wall_clock_ns", cur_u64(&c));
	return ret ? ret : add_number_fact(r, "clock_ns", cur_u64(&c));
}

/* Groups by the place of their leader, and how many they are. */
static int load_groups(struct recording *r, struct cur c)
{
	u32 nr = cur_u32(&c), leader, members, i;
	const char *name;
	size_t len;

	for (; nr && !c.bad; nr--) {
		name = get_string(&c, &len);
		leader = cur_u32(&c);
		/* one without a name is "{anon_group}" */
		if (name && len && name[0] != '{' && leader < r->events.events.nr &&
		    !(r->events.events.v[leader].group_name =
			      arena_strndup(&r->events.arena, name, len)))
			return -ENOMEM;
		members = cur_u32(&c);
		/* no event is in two groups: what damaged ones share is gone through once */
		for (i = leader + 1; !c.bad && i > leader && i - leader < members &&
				     i < r->events.events.nr && !r->events.events.v[i].in_group;
		     i++)
			r->events.events.v[i].in_group = true;
	}
	return c.bad ? -EBADMSG : 0;
}

static int load_known(struct recording *r, u32 feature, struct cur c)
{
	int ret;

	switch (feature) {
	case PERFDATA_FEATURE_TRACING_DATA:
		return perfdata_tracing_load(r, c);
	case PERFDATA_FEATURE_BUILD_ID:
		return load_build_ids(r, c);
	case PERFDATA_FEATURE_HOSTNAME:
		return add_string_fact(r, "hostname", c);
	case PERFDATA_FEATURE_OSRELEASE:
		return add_string_fact(r, "release", c);
	case PERFDATA_FEATURE_VERSION:
		return add_string_fact(r, "version", c);
	case PERFDATA_FEATURE_ARCH:
		return add_string_fact(r, "arch", c);
	case PERFDATA_FEATURE_CPUDESC:
		return add_string_fact(r, "cpudesc", c);
	case PERFDATA_FEATURE_CPUID:
		return add_string_fact(r, "cpuid", c);
	case PERFDATA_FEATURE_NRCPUS:
		ret = add_number_fact(r, "nrcpus_avail", cur_u32(&c));
		return ret ? ret : add_number_fact(r, "nrcpus_online", cur_u32(&c));
	case PERFDATA_FEATURE_TOTAL_MEM:
		return add_number_fact(r, "total_memory_kb", cur_u64(&c));
	case PERFDATA_FEATURE_CMDLINE:
		return load_cmdline(r, c);
	case PERFDATA_FEATURE_EVENT_DESC:
		return load_event_names(r, c);
	case PERFDATA_FEATURE_GROUP_DESC:
		return load_groups(r, c);
	case PERFDATA_FEATURE_CLOCK_DATA:
		return load_clock(r, c);
	case PERFDATA_FEATURE_SAMPLE_TIME:
		ret = add_number_fact(r, "time_first", cur_u64(&c));
		return ret ? ret : add_number_fact(r, "time_last", cur_u64(&c));
	default:
		return 0;
	}
}

int perfdata_feature_load(struct recording *r, u32 feature, struct cur c)
{
	int ret = load_known(r, feature, c);

	/* one in the other byte order cannot be handed on as it is */
	return ret || c.swap ? ret : recording_add_section(r, feature, c.p, cur_left(&c));
}

int perfdata_event_load(struct recording *r, const u8 *attr, size_t size, struct cur ids,
			struct err *err)
{
	struct perf_event_attr a = {0};
	char name[ATTR_NAME_MAX];
	struct buf b = {0};
	int event = -ENOMEM;

	memcpy(&a, attr, MIN(size, sizeof(a)));
	if (ids.swap)
		foreign_order_attr(&a);
	while (cur_left(&ids) >= 8)
		buf_u64(&b, cur_u64(&ids));
	attr_text_name(&a, name);
	if (!b.failed)
		event = event_set_add(&r->events, &a, sizeof(a), name,
				      (const u64 *)(const void *)b.data, (u32)(b.len / 8), err);
	buf_free(&b);
	if (event < 0)
		return err_nomem(err);
	return 0;
}
