// SPDX-License-Identifier: GPL-2.0
#include "util/capture/preamble.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/event/ev_expr.h"
#include "util/file/late_names.h"
#include "util/file/recording.h"
#include "util/kernel/limits.h"
#include "util/kernel/tracefs.h"

/* Of a block of entries. */
#define BLOCK_BYTES     (1u << 20)
#define LISTED_CPUS_MAX 8192u

static void put_fact(struct buf *b, const char *key, const void *value, size_t len)
{
	buf_lstr(b, key, strlen(key));
	buf_lstr(b, value, len);
}

static void put_text(struct buf *b, const char *key, const char *text)
{
	put_fact(b, key, text, strlen(text));
}

static void put_number(struct buf *b, const char *key, u64 v)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	put_text(b, key, text);
}

/* The first line of a file, as a fact. */
static void put_file(struct buf *b, const char *key, const struct sysroot *root, const char *path)
{
	struct buf text = {0};

	if (!io_read_file(root->fd, path, &text, 1 << 16))
		put_fact(b, key, buf_str(&text), strcspn(buf_str(&text), "\n"));
	buf_free(&text);
}

/* The number behind the colon of a line; ID_NONE: it is none. */
static u32 number_of(const char *line)
{
	const char *colon = memchr(line, ':', strcspn(line, "\n"));
	char *end;
	unsigned long v = colon ? strtoul(colon + 1, &end, 10) : 0;

	return colon && end > colon + 2 && v < ID_NONE ? (u32)v : ID_NONE;
}

/*
 * What cpuinfo says of each CPU in the line that begins with `word`: "0,0,1,1", nothing for a CPU that is offline. Sockets
 * and cores are known only on x86.
 */
static void put_by_cpu(struct buf *b, const char *key, const char *cpuinfo, const char *word)
{
	u32 cpu = ID_NONE, next = 0, v;
	struct buf list = {0};
	const char *line = cpuinfo;

	for (; *line; line = strchrnul(line, '\n'), line += *line == '\n') {
		if (!strncmp(line, "processor", 9))
			cpu = number_of(line);
		if (strncmp(line, word, strlen(word)) != 0)
			continue;
		v = number_of(line);
		if (cpu == ID_NONE || cpu < next || cpu - next > LISTED_CPUS_MAX || v == ID_NONE)
			continue;
		buf_pad(&list, ',', next ? cpu - next + 1 : cpu);
		buf_addf(&list, "%u", v);
		next = cpu + 1;
	}
	if (next)
		put_fact(b, key, buf_str(&list), list.len);
	b->failed |= list.failed;
	buf_free(&list);
}

/* What is behind the colon of the first line that begins with `word` and a blank; NULL: there is none. */
static const char *value_of(const char *cpuinfo, const char *word, size_t *len)
{
	const char *line = cpuinfo, *value;
	size_t n = strlen(word);

	for (; *line; line = strchrnul(line, '\n'), line += *line == '\n') {
		if (strncmp(line, word, n) != 0 || !strchr(" \t", line[n]))
			continue;
		value = memchr(line, ':', strcspn(line, "\n"));
		if (!value)
			continue;
		value += 1 + (value[1] == ' ');
		*len = strcspn(value, "\n");
		return value;
	}
	return NULL;
}

/* Which model it is, as perf has it: on x86 "GenuineIntel,6,79,0", on arm64 the register MIDR. */
static void put_cpuid(struct buf *b, const struct sysroot *root, const char *cpuinfo)
{
	static const char *const words[] = {"vendor_id", "cpu family", "model", "stepping"};
	struct buf text = {0};
	const char *value;
	size_t len;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		value = value_of(cpuinfo, words[i], &len);
		if (!value)
			break;
		buf_adds(&text, i ? "," : "");
		buf_add(&text, value, len);
	}
	if (i == ARRAY_SIZE(words))
		put_fact(b, "cpuid", buf_str(&text), text.len);
	else
		put_file(b, "cpuid", root,
			 "sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
	b->failed |= text.failed;
	buf_free(&text);
}

/* What the CPUs are, and where. */
static void put_cpu(struct buf *b, const struct sysroot *root)
{
	struct buf text = {0};
	const char *name;
	size_t len;

	if (!io_read_file(root->fd, "proc/cpuinfo", &text, 16 << 20)) {
		put_by_cpu(b, "cpu_sockets", buf_str(&text), "physical id");
		put_by_cpu(b, "cpu_cores", buf_str(&text), "core id");
		name = value_of(buf_str(&text), "model name", &len);
		if (name)
			put_fact(b, "cpudesc", name, len);
		put_cpuid(b, root, buf_str(&text));
	}
	buf_free(&text);
}

static void put_clocks(struct buf *b, const struct clock_pair *p)
{
	struct buf text = {0};

	clock_pair_text(p, &text);
	put_fact(b, CLOCK_PAIR_KEY, buf_str(&text), text.len);
	b->failed |= text.failed;
	buf_free(&text);
}

static void put_clock(struct buf *b, int clockid)
{
	const char *name = clock_name(clockid);
	struct clock_pair now;

	clock_pair_read(&now, clockid);
	put_text(b, "clockid", name ? name : "unknown");
	put_number(b, "clock_ns", now.own);
	put_number(b, "wall_clock_ns", now.at[CLOCK_PAIR_REAL]);
	put_clocks(b, &now);
}

/* CONFIG_HZ, without which a tracepoint's jiffies are no time. */
static void put_hz(struct buf *b, const struct sysroot *root, const char *release)
{
	static const char key[] = "\nCONFIG_HZ=";
	struct buf text = {0};
	char path[128];
	const char *at;

	snprintf(path, sizeof(path), "boot/config-%s", release);
	if (!io_read_file(root->fd, path, &text, 4 << 20)) {
		at = strstr(buf_str(&text), key);
		if (at) {
			at += sizeof(key) - 1;
			put_fact(b, "hz", at, strspn(at, "0123456789"));
		}
	}
	buf_free(&text);
}

/* The texts of string constants, where an event records no more of one than its address. */
static void put_strings(struct buf *b, const struct ev_list *list, const struct sysroot *root)
{
	struct err ignored = {0};
	struct buf text = {0};
	struct tracefs t;
	bool wanted = false;
	u32 i;

	for (i = 0; i < list->specs.nr && !wanted; i++)
		wanted = list->specs.v[i].tp.format &&
			 strstr(list->specs.v[i].tp.format, "field:const char *");
	if (!wanted || tracefs_open(root, &t, &ignored))
		return;
	if (!io_read_file(t.fd, "printk_formats", &text, 16 << 20) && text.len)
		put_fact(b, "printk_formats", text.data, text.len);
	buf_free(&text);
	tracefs_close(&t);
}

/* What those who read samples must know of the machine. */
void preamble_facts(const struct preamble *p, const struct ev_list *list,
		    const struct sysroot *root, struct buf *b)
{
	struct utsname un;

	put_text(b, "version", p->version);
	if (p->call_graph)
		put_text(b, "call_graph", p->call_graph);
	if (p->late_names)
		put_text(b, LATE_NAMES, "1");
	if (!uname(&un)) {
		put_text(b, "hostname", un.nodename);
		put_text(b, "release", un.release);
		put_text(b, "kernel_version", un.version);
		put_text(b, "arch", un.machine);
		put_hz(b, root, un.release);
	}
	put_text(b, "byte_order", BYTE_ORDER == BIG_ENDIAN ? "big" : "little");
	put_number(b, "long_size", sizeof(long));
	if (limits_in_pid_namespace(root))
		put_text(b, RECORDING_PID_NAMESPACE, "1");
	put_clock(b, p->clockid);
	put_file(b, "boot_id", root, "proc/sys/kernel/random/boot_id");
	put_strings(b, list, root);
	if (p->cpu_places)
		put_cpu(b, root);
}

static int write_facts(struct writer *w, const struct preamble *p, const struct ev_list *list,
		       const struct sysroot *root, struct err *err)
{
	struct buf b = {0}, args = {0};
	struct sysinfo si;
	int i, ret;

	for (i = 0; i < p->argc; i++)
		buf_add(&args, p->argv[i], strlen(p->argv[i]) + 1);
	put_fact(&b, "cmdline", buf_str(&args), args.len);
	preamble_facts(p, list, root, &b);
	put_number(&b, "nrcpus_online", (u64)sysconf(_SC_NPROCESSORS_ONLN));
	put_number(&b, "nrcpus_avail", (u64)sysconf(_SC_NPROCESSORS_CONF));
	if (!sysinfo(&si))
		put_number(&b, "total_memory_kb", (u64)si.totalram * si.mem_unit / 1024);
	put_cpu(&b, root);
	put_file(&b, "perf_event_paranoid", root, "proc/sys/kernel/perf_event_paranoid");
	ret = b.failed || args.failed ? err_nomem(err)
				      : writer_block(w, BLOCK_META, b.data, b.len, err);
	buf_free(&args);
	buf_free(&b);
	return ret;
}

/* Entries of one type are gathered, lest thousands of tracepoints be thousands of blocks. */
static int gather(struct writer *w, enum block_type type, struct buf *b, bool last, struct err *err)
{
	int ret = 0;

	if (b->failed)
		return err_nomem(err);
	if (b->len && (last || b->len >= BLOCK_BYTES)) {
		ret = writer_block(w, type, b->data, b->len, err);
		buf_reset(b);
	}
	return ret;
}

static void put_event(struct buf *b, const struct event_desc *e)
{
	u32 i;

	buf_le32(b, (e->sideband ? ATTR_SIDEBAND : 0) | (e->in_group ? ATTR_IN_GROUP : 0) |
			    (e->layout.kernel_chains ? ATTR_KERNEL_CHAINS : 0));
	buf_lstr(b, (const char *)&e->attr, sizeof(e->attr));
	buf_lstr(b, e->name, strlen(e->name));
	buf_le32(b, e->nr_ids);
	for (i = 0; i < e->nr_ids; i++)
		buf_le64(b, e->ids[i]);
}

static void put_format(struct buf *b, const struct ev_spec *spec)
{
	buf_le32(b, ev_expr_number(spec));
	buf_lstr(b, spec->tp.system, strlen(spec->tp.system));
	buf_lstr(b, spec->tp.name, strlen(spec->tp.name));
	buf_lstr(b, spec->tp.format, strlen(spec->tp.format));
}

int preamble_write(struct writer *w, const struct preamble *p, const struct ev_list *list,
		   const struct event_set *events, const struct sysroot *root, struct err *err)
{
	int ret = write_facts(w, p, list, root, err);
	struct buf b = {0};
	u32 i;

	for (i = 0; i < events->events.nr && !ret; i++) {
		put_event(&b, &events->events.v[i]);
		ret = gather(w, BLOCK_ATTR, &b, i + 1 == events->events.nr, err);
	}
	for (i = 0; i < list->specs.nr && !ret; i++) {
		if (list->specs.v[i].tp.format)
			put_format(&b, &list->specs.v[i]);
		ret = gather(w, BLOCK_TPFMT, &b, i + 1 == list->specs.nr, err);
	}
	buf_free(&b);
	return ret;
}

int preamble_clocks(struct writer *w, const struct clock_pair *p, struct err *err)
{
	struct buf b = {0};
	int ret;

	put_clocks(&b, p);
	ret = b.failed ? err_nomem(err) : writer_block(w, BLOCK_META, b.data, b.len, err);
	buf_free(&b);
	return ret;
}

int preamble_end(struct writer *w, const struct preamble_totals *t, struct err *err)
{
	struct clock_pair now;
	struct buf b = {0};
	int ret;

	put_number(&b, "samples", t->samples);
	put_number(&b, "lost", t->lost);
	put_number(&b, "unwritten", t->unwritten);
	put_number(&b, "time_end_ns", t->time_end_ns);
	if (t->exit_code >= 0)
		put_number(&b, "exit_code", (u64)t->exit_code);
	if (t->notes && *t->notes)
		put_text(&b, "notes", t->notes);
	clock_pair_read(&now, t->clockid);
	put_clocks(&b, &now);
	ret = b.failed ? err_nomem(err) : writer_block(w, BLOCK_END, b.data, b.len, err);
	buf_free(&b);
	return ret;
}
