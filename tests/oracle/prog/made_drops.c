// SPDX-License-Identifier: GPL-2.0
/*
 * made_drops - a recording of dropped packets that this machine cannot make: of devices, of subsystems, of older and of
 * newer kernels.
 *
 *	made_drops KIND FILE [BOOT_ID]
 *
 *	mixed	what Linux 6.18 has: 12 of a socket that is not there, 7 that a device dropped and 3 that it gave to the CPU, 5 without reason and
 *		protocol, 4 with reason 0x20007 (of openvswitch), 3 with one that nobody knows, 2 of protocol 0x88b5,
 *		1 that is no drop at all
 *	old	without a reason, as before 5.17: 6 of IPv4, 2 without a protocol
 *	probe	what a dynamic tracepoint drops:skb tells, with device and network namespace: 3 of eth0, 2 of lo; its protocol is
 *		as the packet has it, high byte first
 *
 * With BOOT_ID it is a recording of the kernel that runs under that id.
 */
#include <arpa/inet.h>

#include "tests/unit/made.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define SKB                                                          \
	"\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"   \
	"\tfield:void * location;\toffset:16;\tsize:8;\tsigned:0;\n" \
	"\tfield:unsigned short protocol;\toffset:24;\tsize:2;\tsigned:0;\n"

enum { SOFTWARE = 300, HARDWARE = 301 };

static const char new_format[] =
	"name: kfree_skb\nID: 300\n" COMMON SKB
	"\tfield:enum skb_drop_reason reason;\toffset:28;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"skbaddr=%p protocol=%u location=%pS reason: %s\", REC->skbaddr, REC->protocol, "
	"REC->location, __print_symbolic(REC->reason, { 1, \"CONSUMED\" }, { 2, \"NOT_SPECIFIED\" }, "
	"{ 3, \"NO_SOCKET\" }, { 74, \"UNHANDLED_PROTO\" })\n";
static const char old_format[] =
	"name: kfree_skb\nID: 300\n" COMMON SKB
	"\nprint fmt: \"skbaddr=%p protocol=%u location=%p\", REC->skbaddr, REC->protocol, REC->location\n";
static const char probe_format[] =
	"name: skb\nID: 300\n" COMMON
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:u64 location;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u16 protocol;\toffset:24;\tsize:2;\tsigned:0;\n"
	"\tfield:u32 reason;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:u32 netns;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] dev;\toffset:36;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"(%lx) location=%pS protocol=%u reason=%u netns=%u dev=\\\"%s\\\"\", REC->__probe_ip, "
	"(void *)REC->location, REC->protocol, REC->reason, REC->netns, __get_str(dev)\n";
static const char hardware_format[] =
	"name: devlink_trap_report\nID: 301\n" COMMON
	"\tfield:__data_loc char[] bus_name;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] dev_name;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] driver_name;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] trap_name;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] trap_group_name;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:char input_dev_name[16];\toffset:28;\tsize:16;\tsigned:0;\n\n"
	"print fmt: \"bus_name=%s dev_name=%s driver_name=%s trap_name=%s trap_group_name=%s input_dev_name=%s\", "
	"__get_str(bus_name), __get_str(dev_name), __get_str(driver_name), __get_str(trap_name), "
	"__get_str(trap_group_name), REC->input_dev_name\n";

struct made {
	struct event_set events;
	struct writer writer;
	struct buf attrs, records;
	u64 time;
};

static void check(int ret, const struct err *err)
{
	if (!ret)
		return;
	fprintf(stderr, "made_drops: %s\n", err->msg);
	exit(1);
}

static void put(struct made *m, enum block_type type, struct buf *b)
{
	struct err err = {0};

	check(writer_block(&m->writer, type, b->data, b->len, &err), &err);
	buf_free(b);
}

static void add_event(struct made *m, u32 id, const char *system, const char *name,
		      const char *format)
{
	struct perf_event_attr attr =
		made_attr(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW);
	const u64 ids[] = {id};
	char full[64];
	struct buf b = {0};

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.sample_period = 1;
	snprintf(full, sizeof(full), "%s:%s", system, name);
	if (event_set_add(&m->events, &attr, sizeof(attr), full, ids, 1, NULL) < 0)
		exit(1);
	made_event(&m->attrs, 0, &attr, full, ids, 1);
	buf_le32(&b, id);
	buf_lstr(&b, system, strlen(system));
	buf_lstr(&b, name, strlen(name));
	buf_lstr(&b, format, strlen(format));
	put(m, BLOCK_TPFMT, &b);
}

static void sample(struct made *m, u32 id, const void *raw, u32 len)
{
	size_t at = made_begin(&m->records, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	u32 size = ALIGN_UP(len + 4, 8u) - 4;

	buf_u64(&m->records, id);
	buf_u64(&m->records, m->time += 1000);
	buf_u32(&m->records, size);
	buf_add(&m->records, raw, len);
	buf_pad(&m->records, '\0', size - len);
	made_end(&m->records, at);
}

/* Drops of the kernel, at an address that no function has. */
static void software(struct made *m, u32 nr, u16 protocol, u32 reason, const char *dev)
{
	struct {
		u16 type;
		u8 flags, preempt;
		s32 pid;
		u64 skbaddr, location;
		u16 protocol, pad;
		u32 reason, netns, dev;
		char text[16];
	} raw = {.type = SOFTWARE,
		 .pid = 7,
		 .skbaddr = 0xffff888000000100,
		 .location = 0x1000 + reason,
		 .protocol = protocol,
		 .reason = reason,
		 .netns = 4026532160u};

	raw.dev = (u32)offsetof(__typeof__(raw), text) | (u32)(strlen(dev) + 1) << 16;
	snprintf(raw.text, sizeof(raw.text), "%s", dev);
	while (nr--)
		sample(m, SOFTWARE, &raw, sizeof(raw));
}

static u32 text_at(char *all, u32 *used, u32 before, const char *s)
{
	u32 at = before + *used, len = (u32)strlen(s) + 1;

	memcpy(all + *used, s, len);
	*used += len;
	return at | len << 16;
}

static void hardware(struct made *m, u32 nr, const char *trap, const char *group)
{
	struct {
		u16 type;
		u8 flags, preempt;
		s32 pid;
		u32 bus, device, driver, trap, group;
		char input[16], text[100];
	} raw = {.type = HARDWARE, .pid = 7, .input = "eth4"};
	const u32 before = offsetof(__typeof__(raw), text);
	u32 used = 0;

	raw.bus = text_at(raw.text, &used, before, "netdevsim");
	raw.device = text_at(raw.text, &used, before, "netdevsim10");
	raw.driver = text_at(raw.text, &used, before, "netdevsim");
	raw.trap = text_at(raw.text, &used, before, trap);
	raw.group = text_at(raw.text, &used, before, group);
	while (nr--)
		sample(m, HARDWARE, &raw, sizeof(raw));
}

static void make_mixed(struct made *m)
{
	add_event(m, SOFTWARE, "skb", "kfree_skb", new_format);
	add_event(m, HARDWARE, "devlink", "devlink_trap_report", hardware_format);
	software(m, 12, 0x0800, 3, "");
	hardware(m, 7, "blackhole_route", "l3_drops");
	hardware(m, 3, "stp", "stp");
	software(m, 5, 0, 2, "");
	software(m, 4, 0x0806, 0x20007, "");
	software(m, 3, 0x86dd, 0x7fff0001, "");
	software(m, 2, 0x88b5, 74, "");
	software(m, 1, 0x0800, 1, "");
}

static void make_old(struct made *m)
{
	add_event(m, SOFTWARE, "skb", "kfree_skb", old_format);
	software(m, 6, 0x0800, 0, "");
	software(m, 2, 0, 0, "");
}

static void make_probe(struct made *m)
{
	add_event(m, SOFTWARE, "drops", "skb", probe_format);
	software(m, 3, htons(0x0800), 3, "eth0");
	software(m, 2, htons(0x86dd), 3, "lo");
}

static const struct {
	const char *name;
	void (*make)(struct made *m);
} kinds[] = {{"mixed", make_mixed}, {"old", make_old}, {"probe", make_probe}};

static void write_file(struct made *m, const char *path, const char *boot_id,
		       void (*make)(struct made *m))
{
	static const struct columns_ring ring = {.cpu = 1};
	struct writer_data d;
	struct buf b = {0};
	struct err err = {0};

	check(writer_open(&m->writer, path, 1, &err), &err);
	made_fact(&b, "release", "made");
	made_fact(&b, "boot_id", boot_id);
	put(m, BLOCK_META, &b);
	make(m);
	put(m, BLOCK_ATTR, &m->attrs);
	d = made_data(&b, &m->events, &ring, 1, m->records.data, m->records.len);
	check(writer_data(&m->writer, &d, &err), &err);
	buf_free(&b);
	made_fact(&b, "exit_code", "0");
	put(m, BLOCK_END, &b);
	check(writer_publish(&m->writer, &err), &err);
	check(writer_close(&m->writer, &err), &err);
}

int main(int argc, char **argv)
{
	struct made m = {.time = 1000000000};
	size_t i;

	for (i = 0; argc > 2 && i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) != 0)
			continue;
		write_file(&m, argv[2], argc > 3 ? argv[3] : "of another machine", kinds[i].make);
		event_set_free(&m.events);
		buf_free(&m.records);
		return 0;
	}
	fprintf(stderr, "usage: made_drops mixed|old|probe FILE [BOOT_ID]\n");
	return 2;
}
