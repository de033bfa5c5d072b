// SPDX-License-Identifier: GPL-2.0
#include "util/bpf/bpf_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOG_SIZE (256u * 1024)

static u64 address(const void *p)
{
	return (u64)(uintptr_t)p;
}

int bpf_call(enum bpf_cmd cmd, union bpf_attr *a)
{
	int ret;

	do {
		ret = (int)syscall(SYS_bpf, cmd, a, sizeof(*a));
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

/* Before Linux 5.11, what is made counts as locked memory, also that of root, who may have more of it than the limit. */
static int make(enum bpf_cmd cmd, union bpf_attr *a)
{
	const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit limit;
	int ret = bpf_call(cmd, a);

	if (ret != -EPERM || getrlimit(RLIMIT_MEMLOCK, &limit) || setrlimit(RLIMIT_MEMLOCK, &all))
		return ret;
	ret = bpf_call(cmd, a);
	setrlimit(RLIMIT_MEMLOCK, &limit);
	return ret;
}

int bpf_map_new(enum bpf_map_type type, u32 key, u32 value, u32 entries)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = type;
	a.key_size = key;
	a.value_size = value;
	a.max_entries = entries;
	return make(BPF_MAP_CREATE, &a);
}

int bpf_map_new_outer(int inner, u32 entries)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY_OF_MAPS;
	a.key_size = a.value_size = sizeof(u32);
	a.max_entries = entries;
	a.inner_map_fd = (u32)inner;
	return make(BPF_MAP_CREATE, &a);
}

static int put(int map, const void *key, const void *value, u64 flags)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (u32)map;
	a.key = address(key);
	a.value = address(value);
	a.flags = flags;
	return bpf_call(BPF_MAP_UPDATE_ELEM, &a);
}

int bpf_map_put(int map, const void *key, const void *value)
{
	return put(map, key, value, BPF_ANY);
}

int bpf_map_add(int map, const void *key, const void *value)
{
	return put(map, key, value, BPF_NOEXIST);
}

int bpf_map_get(int map, const void *key, void *value)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (u32)map;
	a.key = address(key);
	a.value = address(value);
	return bpf_call(BPF_MAP_LOOKUP_ELEM, &a);
}

int bpf_map_delete(int map, const void *key)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (u32)map;
	a.key = address(key);
	return bpf_call(BPF_MAP_DELETE_ELEM, &a);
}

static int batch(enum bpf_cmd cmd, int map, u64 *at, void *keys, void *values, u32 *nr)
{
	const u32 room = *nr;
	union bpf_attr a;
	int ret;

	memset(&a, 0, sizeof(a));
	a.batch.map_fd = (u32)map;
	/* of a hash, a u32 */
	a.batch.in_batch = *at ? address(at) : 0;
	a.batch.out_batch = address(at);
	a.batch.keys = address(keys);
	a.batch.values = address(values);
	a.batch.count = room;
	ret = bpf_call(cmd, &a);
	*nr = ret && ret != -ENOENT ? 0 : a.batch.count;
	return ret;
}

int bpf_map_take(int map, u64 *at, void *keys, void *values, u32 *nr)
{
	return batch(BPF_MAP_LOOKUP_AND_DELETE_BATCH, map, at, keys, values, nr);
}

int bpf_map_read(int map, u64 *at, void *keys, void *values, u32 *nr)
{
	return batch(BPF_MAP_LOOKUP_BATCH, map, at, keys, values, nr);
}

/* The numbers of maps become their descriptors. */
static struct bpf_insn *with_maps(const struct bpf_code *c, const int *maps)
{
	struct bpf_insn *v = malloc(c->insns.nr * sizeof(*v));
	u32 i;

	for (i = 0; v && i < c->insns.nr; i++) {
		v[i] = c->insns.v[i];
		if (v[i].code == (BPF_LD | BPF_IMM | BPF_DW) && v[i].src_reg == BPF_PSEUDO_MAP_FD)
			v[i].imm = maps[v[i].imm];
	}
	return v;
}

/* For the log: with each instruction, or, if that is too much, with the reason alone. */
static int load_again(union bpf_attr *a, struct buf *log)
{
	static const u32 levels[] = {1, 4};
	char *text = calloc(1, LOG_SIZE);
	int ret = -ENOMEM;
	u32 i;

	for (i = 0; text && i < ARRAY_SIZE(levels); i++) {
		a->log_buf = address(text);
		a->log_size = LOG_SIZE;
		a->log_level = levels[i];
		ret = make(BPF_PROG_LOAD, a);
		if (ret != -ENOSPC)
			break;
	}
	if (text && ret < 0)
		buf_add(log, text, strnlen(text, LOG_SIZE));
	free(text);
	return ret;
}

/* The types of a module, as the kernel holds them: a descriptor. */
static int open_types(const char *module)
{
	struct bpf_btf_info info;
	char name[64]; /* a module's name is shorter */
	union bpf_attr a;
	u32 id = 0;
	int fd, ret;

	for (;;) {
		memset(&a, 0, sizeof(a));
		a.start_id = id;
		ret = bpf_call(BPF_BTF_GET_NEXT_ID, &a);
		if (ret)
			return ret;
		id = a.next_id;
		memset(&a, 0, sizeof(a));
		a.btf_id = id;
		fd = bpf_call(BPF_BTF_GET_FD_BY_ID, &a);
		if (fd == -ENOENT)
			continue; /* they have just gone */
		if (fd < 0)
			return fd;
		memset(&info, 0, sizeof(info));
		memset(name, 0, sizeof(name));
		info.name = address(name);
		info.name_len = sizeof(name);
		memset(&a, 0, sizeof(a));
		a.info.bpf_fd = (u32)fd;
		a.info.info_len = sizeof(info);
		a.info.info = address(&info);
		ret = bpf_call(BPF_OBJ_GET_INFO_BY_FD, &a);
		if (!ret && info.kernel_btf && !strcmp(name, module)) {
			/* 0 would mean the kernel's own */
			ret = fcntl(fd, F_DUPFD_CLOEXEC, 1);
			ret = ret < 0 ? -errno : ret;
			close(fd);
			return ret;
		}
		close(fd);
	}
}

int bpf_program_load(const struct bpf_code *c, const struct bpf_use *use, const int *maps,
		     struct buf *log)
{
	const int types = use->module ? open_types(use->module) : 0;
	struct bpf_insn *insns = types < 0 ? NULL : with_maps(c, maps);
	union bpf_attr a;
	int ret;

	if (types < 0)
		return types;
	memset(&a, 0, sizeof(a));
	a.prog_type = use->type;
	a.expected_attach_type = use->at;
	a.attach_btf_id = use->btf_id;
	a.attach_btf_obj_fd = (u32)types;
	a.prog_flags = use->sleeps ? BPF_F_SLEEPABLE : 0;
	a.insns = address(insns);
	a.insn_cnt = c->insns.nr;
	a.license = address("GPL");
	ret = insns ? make(BPF_PROG_LOAD, &a) : -ENOMEM;
	/* the log makes it slow: only for who must read it */
	if (log && (ret == -EACCES || ret == -EINVAL || ret == -E2BIG))
		ret = load_again(&a, log);
	if (use->module)
		close(types);
	free(insns);
	return ret;
}

int bpf_program_load_empty(const struct bpf_use *use, struct buf *log)
{
	struct bpf_code c = {0};
	int fd;

	bpf_code_number(&c, 0, 0);
	bpf_code_exit(&c);
	fd = bpf_code_end(&c) ? bpf_program_load(&c, use, NULL, log) : -ENOMEM;
	bpf_code_free(&c);
	return fd;
}

int bpf_program_allowed(void)
{
	const struct bpf_use use = {.type = BPF_PROG_TYPE_RAW_TRACEPOINT};
	int fd = bpf_program_load_empty(&use, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int bpf_program_at_functions(int program, const u64 *addresses, u32 nr, bool at_return)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = (u32)program;
	a.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	a.link_create.kprobe_multi.flags = at_return ? BPF_F_KPROBE_MULTI_RETURN : 0;
	a.link_create.kprobe_multi.cnt = nr;
	a.link_create.kprobe_multi.addrs = address(addresses);
	return bpf_call(BPF_LINK_CREATE, &a);
}

int bpf_program_at_file(int program, const char *path, const u64 *offsets, u32 nr, bool at_return)
{
	/* link_create of union bpf_attr, which older headers have without this */
	struct {
		u32 program, none, at, flags;
		u64 path, offsets, semaphores, cookies;
		u32 nr, at_return, pid, rest;
	} a;
	int ret;

	memset(&a, 0, sizeof(a));
	a.program = (u32)program;
	a.at = BPF_PROGRAM_AT_FILE;
	a.path = address(path);
	a.offsets = a.cookies = address(offsets);
	a.nr = nr;
	a.at_return = at_return;
	do {
		ret = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &a, sizeof(a));
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

int bpf_program_at_tracepoint(int program, const char *name)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.raw_tracepoint.name = address(name);
	a.raw_tracepoint.prog_fd = (u32)program;
	return bpf_call(BPF_RAW_TRACEPOINT_OPEN, &a);
}

int bpf_program_at_event(int program, int event)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.link_create.prog_fd = (u32)program;
	a.link_create.target_fd = (u32)event;
	a.link_create.attach_type = BPF_PERF_EVENT;
	return bpf_call(BPF_LINK_CREATE, &a);
}

int bpf_program_missed(int program, u64 *missed)
{
	struct bpf_prog_info info;
	union bpf_attr a;
	int ret;

	memset(&info, 0, sizeof(info));
	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = (u32)program;
	a.info.info_len = sizeof(info);
	a.info.info = address(&info);
	ret = bpf_call(BPF_OBJ_GET_INFO_BY_FD, &a);
	*missed = ret ? 0 : info.recursion_misses;
	return ret;
}

/* BPF_PERF_EVENT_KPROBE and so on, which older headers lack */
#define EVENT_KPROBE    3u
#define EVENT_KRETPROBE 4u

int bpf_link_missed(int link, u64 *missed)
{
	/* the first members of struct bpf_link_info, of which older headers have fewer */
	struct {
		u32 type, id, prog_id, none;
		union {
			struct {
				u64 addrs;
				u32 count, flags;
				u64 missed;
			} multi;
			struct {
				u32 type, none;
				u64 name;
				u32 name_len, offset;
				u64 addr, missed;
			} event;
		};
	} info;
	union bpf_attr a;
	int ret;

	memset(&info, 0, sizeof(info));
	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = (u32)link;
	a.info.info_len = sizeof(info);
	a.info.info = address(&info);
	ret = bpf_call(BPF_OBJ_GET_INFO_BY_FD, &a);
	*missed = 0;
	if (!ret && info.type == BPF_LINK_TYPE_KPROBE_MULTI)
		*missed = info.multi.missed;
	else if (!ret && info.type == BPF_LINK_TYPE_PERF_EVENT &&
		 (info.event.type == EVENT_KPROBE || info.event.type == EVENT_KRETPROBE))
		*missed = info.event.missed;
	return ret;
}
