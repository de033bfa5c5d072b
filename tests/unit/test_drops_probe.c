// SPDX-License-Identifier: GPL-2.0
/* The dynamic event of dropped packets, in a folder that stands for tracefs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "tests/unit/made.h"
#include "util/btf/btf.h"
#include "util/event/drops_probe.h"

#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* skb:kfree_skb of Linux 6.18, with fewer reasons. */
static const char packet[] =
	"name: kfree_skb\nID: 1500\nformat:\n" COMMON
	"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:void * location;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:void * rx_sk;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned short protocol;\toffset:32;\tsize:2;\tsigned:0;\n"
	"\tfield:enum skb_drop_reason reason;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\nprint fmt: \"skbaddr=%p rx_sk=%p protocol=%u location=%pS reason: %s\", REC->skbaddr, "
	"REC->rx_sk, REC->protocol, REC->location, __print_symbolic(REC->reason, { 2, "
	"\"NOT_SPECIFIED\" }, { 3, \"NO_SOCKET\" })\n";

/* What the kernel makes of the definition. */
static const char probe[] = "name: drops\nID: 1777\nformat:\n" COMMON
			    "\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
			    "\tfield:u64 skbaddr;\toffset:16;\tsize:8;\tsigned:0;\n"
			    "\tfield:u64 location;\toffset:24;\tsize:8;\tsigned:0;\n"
			    "\tfield:u64 rx_sk;\toffset:32;\tsize:8;\tsigned:0;\n"
			    "\tfield:s32 reason;\toffset:40;\tsize:4;\tsigned:1;\n"
			    "\tfield:__data_loc char[] dev;\toffset:44;\tsize:4;\tsigned:1;\n"
			    "\tfield:u32 netns;\toffset:48;\tsize:4;\tsigned:0;\n"
			    "\tfield:u8 protocol;\toffset:52;\tsize:1;\tsigned:0;\n"
			    "\tfield:u8 protocol_more;\toffset:53;\tsize:1;\tsigned:0;\n"
			    "\nprint fmt: \"(%lx)\", REC->__probe_ip\n";

struct place {
	char root[64];
	struct tracefs tracefs;
};

static void path_of(const struct place *p, const char *name, char path[static 256])
{
	snprintf(path, 256, "%s/%s", p->root, name);
}

static void put(const struct place *p, const char *name, const char *text)
{
	char path[256];
	int fd;

	path_of(p, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	close(fd);
}

static void get(const struct place *p, const char *name, struct buf *text)
{
	buf_clear(text);
	assert_int_equal(io_read_file(p->tracefs.fd, name, text, 1 << 20), 0);
}

static void begin(struct place *p, const char *format)
{
	static const char *const folders[] = {"events", "events/skb", "events/skb/kfree_skb",
					      "events/perf_lite", "events/perf_lite/drops"};
	char path[256];
	u32 i;

	made_folder(p->root);
	for (i = 0; i < ARRAY_SIZE(folders); i++) {
		path_of(p, folders[i], path);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	put(p, "events/skb/kfree_skb/format", format);
	put(p, "dynamic_events", "");
	p->tracefs.fd = open(p->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(p->tracefs.fd >= 0);
}

static void end(struct place *p)
{
	close(p->tracefs.fd);
	made_folder_gone(p->root);
}

/* The offset of the protocol in a packet comes from the types of the running kernel. */
static bool types_are_told(void)
{
	struct btf types;

	if (btf_load(&types, AT_FDCWD, "/sys/kernel/btf/vmlinux", NULL))
		return false;
	btf_free(&types);
	return true;
}

static void definition(void **state)
{
	struct drops_probe d = {0};
	unsigned int at, more;
	struct buf text = {0};
	struct place p;
	int n = 0;

	(void)state;
	NEEDS("btf");
	begin(&p, packet);
	assert_int_equal(drops_probe_make(&d, &p.tracefs, NULL), 0);
	assert_true(d.made);
	get(&p, "dynamic_events", &text);
	assert_int_equal(sscanf(buf_str(&text),
				"t:perf_lite/drops kfree_skb skbaddr=skb location=location:symbol "
				"rx_sk=rx_sk reason=reason dev=skb->dev->name:string "
				"netns=skb->dev->nd_net.net->ns.inum:u32 protocol=+%u(skb):u8 "
				"protocol_more=+%u(skb):u8%n",
				&at, &more, &n),
			 2);
	assert_int_equal(n, text.len);
	assert_true(at > 0 &&
		    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? at == more + 1 : more == at + 1));
	put(&p, "dynamic_events", "");
	drops_probe_remove(&d);
	assert_false(d.made);
	get(&p, "dynamic_events", &text);
	assert_string_equal(buf_str(&text), "-:perf_lite/drops");
	/* what was not made is not removed */
	put(&p, "dynamic_events", "");
	drops_probe_remove(&d);
	get(&p, "dynamic_events", &text);
	assert_string_equal(buf_str(&text), "");
	buf_free(&text);
	end(&p);
}

/* A kernel whose event has no rx_sk, as before Linux 6.11: it is not asked for. */
static void older_kernel(void **state)
{
	char older[sizeof(packet)], *from, *to;
	struct drops_probe d = {0};
	struct buf text = {0};
	struct place p;

	(void)state;
	NEEDS("btf");
	memcpy(older, packet, sizeof(packet));
	from = strstr(older, "\tfield:void * rx_sk");
	to = strchr(from, '\n') + 1;
	memmove(from, to, strlen(to) + 1);
	begin(&p, older);
	assert_int_equal(drops_probe_make(&d, &p.tracefs, NULL), 0);
	get(&p, "dynamic_events", &text);
	assert_null(strstr(buf_str(&text), "rx_sk"));
	assert_non_null(strstr(buf_str(&text), " reason=reason "));
	drops_probe_remove(&d);
	buf_free(&text);
	end(&p);
}

/* Another one uses it already: it is taken as it is. */
static void found_made(void **state)
{
	struct drops_probe d = {0};
	struct buf text = {0};
	struct place p;

	(void)state;
	NEEDS("btf");
	begin(&p, packet);
	put(&p, "events/perf_lite/drops/id", "1777\n");
	assert_int_equal(drops_probe_make(&d, &p.tracefs, NULL), 0);
	assert_true(d.made);
	get(&p, "dynamic_events", &text);
	assert_string_equal(buf_str(&text), "");
	drops_probe_remove(&d);
	buf_free(&text);
	end(&p);
}

static void refused(void **state)
{
	struct drops_probe d = {0};
	struct err err = {0};
	struct place p;
	char path[256];

	(void)state;
	begin(&p, packet);
	if (types_are_told()) {
		/* no dynamic events in this kernel */
		path_of(&p, "dynamic_events", path);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(drops_probe_make(&d, &p.tracefs, &err), -ENOTSUP);
		assert_non_null(strstr(err.msg, "no dynamic events"));
		assert_true(err.hint[0]);
		assert_false(d.made);
		drops_probe_remove(&d);
		d = (struct drops_probe){0};
	}
	/* nor the packet's own event */
	path_of(&p, "events/skb/kfree_skb/format", path);
	assert_int_equal(unlink(path), 0);
	assert_true(drops_probe_make(&d, &p.tracefs, &err) < 0);
	assert_false(d.made);
	drops_probe_remove(&d);
	end(&p);
}

static void expect_field(const struct tp_format *f, const char *type, const char *name, u32 offset,
			 u32 size)
{
	const struct tp_field *field = tp_format_field(f, name);

	assert_non_null(field);
	assert_string_equal(field->type, type);
	assert_int_equal(field->offset, offset);
	assert_int_equal(field->size, size);
}

/* Names and types of the packet's event, where the probe has them, and two more. */
static void format(void **state)
{
	struct drops_probe d = {0};
	struct tp_format *f;
	struct buf text = {0};
	struct place p;

	(void)state;
	begin(&p, packet);
	put(&p, "events/perf_lite/drops/format", probe);
	buf_adds(&d.packet, packet);
	assert_int_equal(drops_probe_format(&d, &p.tracefs, &text, NULL), 0);
	f = tp_format_parse(text.data, text.len, NULL);
	assert_non_null(f);
	assert_string_equal(f->name, "drops");
	assert_int_equal(f->id, 1777);
	assert_int_equal(f->nr_fields, 4 + 5 + 2);
	expect_field(f, "int", "common_pid", 4, 4);
	expect_field(f, "void *", "skbaddr", 16, 8);
	expect_field(f, "void *", "location", 24, 8);
	expect_field(f, "void *", "rx_sk", 32, 8);
	expect_field(f, "unsigned short", "protocol", 52, 2);
	expect_field(f, "enum skb_drop_reason", "reason", 40, 4);
	expect_field(f, "unsigned int", "netns", 48, 4);
	assert_int_equal(tp_format_field(f, "dev")->offset, 44);
	assert_null(tp_format_field(f, "protocol_more"));
	assert_non_null(strstr(f->print_fmt, "{ 3, \"NO_SOCKET\" }"));
	tp_format_free(f);
	buf_free(&text);
	buf_free(&d.packet);
	end(&p);
}

/* Formats that are not what they are known to be. */
static void other_formats(void **state)
{
	static const char *const lost[] = {"reason", "dev", "netns"};
	char other[sizeof(probe)], *at;
	struct drops_probe d = {0};
	struct buf text = {0};
	struct err err = {0};
	struct place p;
	u32 i;

	(void)state;
	begin(&p, packet);
	buf_adds(&d.packet, packet);
	assert_true(drops_probe_format(&d, &p.tracefs, &text, &err) < 0);
	put(&p, "events/perf_lite/drops/format", "name: drops\n");
	assert_int_equal(drops_probe_format(&d, &p.tracefs, &text, &err), -EINVAL);
	for (i = 0; i < ARRAY_SIZE(lost); i++) {
		char name[32];

		memcpy(other, probe, sizeof(probe));
		snprintf(name, sizeof(name), " %s;", lost[i]);
		at = strstr(other, name);
		assert_non_null(at);
		at[1] = 'x';
		put(&p, "events/perf_lite/drops/format", other);
		assert_int_equal(drops_probe_format(&d, &p.tracefs, &text, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "fields that are not known"));
	}
	buf_clear(&d.packet);
	buf_adds(&d.packet, "garbage");
	put(&p, "events/perf_lite/drops/format", probe);
	assert_int_equal(drops_probe_format(&d, &p.tracefs, &text, &err), -EINVAL);
	buf_free(&text);
	buf_free(&d.packet);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(definition), cmocka_unit_test(older_kernel),
		cmocka_unit_test(found_made), cmocka_unit_test(refused),
		cmocka_unit_test(format),     cmocka_unit_test(other_formats),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
