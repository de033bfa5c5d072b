// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/bpf_programs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/num.h"
#include "util/base/text.h"
#include "util/bpf/bpf_program.h"
#include "util/kernel/proc.h"

#define QUERY_MAX 64

/* An exit behind "r0 = CONSTANT". */
static bool returns_constant(const struct bpf_insn *v, u32 exit)
{
	const struct bpf_insn *set = exit ? &v[exit - 1] : NULL;

	return set && !set->dst_reg &&
	       (set->code == (BPF_ALU64 | BPF_MOV | BPF_K) ||
		set->code == (BPF_ALU | BPF_MOV | BPF_K));
}

/* Whatever comes there has another value. */
static bool jumps_to_exit(const struct bpf_insn *v, u32 nr, u32 at)
{
	const u8 class = BPF_CLASS(v[at].code), op = BPF_OP(v[at].code);
	s64 to = (s64)at + 1 + v[at].off;

	if ((class != BPF_JMP && class != BPF_JMP32) || op == BPF_CALL || op == BPF_EXIT)
		return false;
	if (v[at].code == (BPF_JMP | BPF_JA | BPF_X)) /* to where a register says */
		return true;
	if (v[at].code == (BPF_JMP32 | BPF_JA))
		to = (s64)at + 1 + v[at].imm;
	return to >= 0 && to < nr && v[to].code == (BPF_JMP | BPF_EXIT);
}

static bool is_tail_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && !i->src_reg && i->imm == BPF_FUNC_tail_call;
}

enum bpf_program_hides bpf_program_hides_by(const struct bpf_insn *v, u32 nr)
{
	bool all = true, none = true;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (jumps_to_exit(v, nr, i) || is_tail_call(&v[i]))
			return BPF_PROGRAM_HIDES_SOME;
		if (v[i].code != (BPF_JMP | BPF_EXIT))
			continue;
		if (!returns_constant(v, i))
			return BPF_PROGRAM_HIDES_SOME;
		all = all && !(v[i - 1].imm & 1);
		none = none && v[i - 1].imm & 1;
	}
	if (all == none) /* both, if there is no exit */
		return BPF_PROGRAM_HIDES_SOME;
	return all ? BPF_PROGRAM_HIDES_ALL : BPF_PROGRAM_HIDES_NONE;
}

static bool get_info(int fd, struct bpf_prog_info *info)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (u32)fd;
	attr.info.info_len = sizeof(*info);
	attr.info.info = (u64)(uintptr_t)info;
	return !bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static enum bpf_program_hides look_at_code(int fd, u32 bytes)
{
	struct bpf_prog_info info = {.xlated_prog_len = bytes};
	enum bpf_program_hides hides = BPF_PROGRAM_HIDES_SOME;
	struct bpf_insn *v = bytes ? malloc(bytes) : NULL;

	info.xlated_prog_insns = (u64)(uintptr_t)v;
	/* the kernel clears the address where it does not show the code */
	if (v && get_info(fd, &info) && info.xlated_prog_insns && info.xlated_prog_len == bytes)
		hides = bpf_program_hides_by(v, (u32)(bytes / sizeof(*v)));
	free(v);
	return hides;
}

static void look_at_program(struct bpf_program *p)
{
	struct bpf_prog_info info = {0};
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = p->id;
	fd = bpf_call(BPF_PROG_GET_FD_BY_ID, &attr);
	p->name[0] = '\0';
	p->hides = BPF_PROGRAM_HIDES_SOME;
	if (fd < 0)
		return;
	if (get_info((int)fd, &info)) {
		snprintf(p->name, sizeof(p->name), "%s", info.name);
		p->hides = look_at_code((int)fd, info.xlated_prog_len);
	}
	close((int)fd);
}

/* What descriptor `fd` of a process holds; 1, 0: no program that hides hits of a tracepoint, or -errno. */
static int query(u32 pid, u32 fd, struct bpf_holder *h)
{
	union bpf_attr attr;
	long ret;

	memset(&attr, 0, sizeof(attr));
	attr.task_fd_query.pid = pid;
	attr.task_fd_query.fd = fd;
	attr.task_fd_query.buf_len = sizeof(h->tracepoint);
	attr.task_fd_query.buf = (u64)(uintptr_t)h->tracepoint;
	ret = bpf_call(BPF_TASK_FD_QUERY, &attr);
	if (ret)
		return ret == -EPERM || ret == -ENOSYS ? (int)ret : 0;
	if (attr.task_fd_query.fd_type != BPF_FD_TYPE_TRACEPOINT)
		return 0;
	h->tracepoint[sizeof(h->tracepoint) - 1] = '\0';
	h->pid = pid;
	h->program.id = attr.task_fd_query.prog_id;
	look_at_program(&h->program);
	return h->program.hides != BPF_PROGRAM_HIDES_NONE;
}

/* An event's descriptor, or the link that holds one. */
static bool may_hold(int dir, const char *fd)
{
	char link[64];
	ssize_t n = readlinkat(dir, fd, link, sizeof(link) - 1);

	if (n < 0)
		return false;
	link[n] = '\0';
	return !strcmp(link, "anon_inode:[perf_event]") || !strcmp(link, "anon_inode:bpf_link");
}

static int look_at_process(int proc, u32 pid, struct bpf_holders *out, struct err *err)
{
	struct bpf_holder h, *new;
	char path[40];
	struct dirent *d;
	int ret = 0;
	u64 number;
	DIR *dir;

	snprintf(path, sizeof(path), "%u/fd", pid);
	if (io_opendir(proc, path, &dir))
		return 0;
	while (ret >= 0 && (d = readdir(dir))) {
		if (!num_u64(d->d_name, &number) || !may_hold(dirfd(dir), d->d_name))
			continue;
		h = (struct bpf_holder){0};
		ret = query(pid, (u32)number, &h);
		if (ret <= 0)
			continue;
		proc_comm(proc, h.pid, h.pid, h.comm);
		new = vec_push(&out->v);
		if (!new) {
			closedir(dir);
			return err_nomem(err);
		}
		*new = h;
	}
	closedir(dir);
	if (ret == -EPERM)
		return err_set(err, EPERM,
			       "to ask for the BPF programs of others takes CAP_SYS_ADMIN");
	return ret < 0 ? err_set(err, -ret, "the kernel has no bpf(2)") : 0;
}

int bpf_programs_held(const struct sysroot *root, struct bpf_holders *out, struct err *err)
{
	struct dirent *d;
	DIR *dir;
	int ret = io_opendir(root->fd, "proc", &dir);
	u64 pid;

	if (ret)
		return err_set(err, -ret, "cannot read /proc: %s", strerror(-ret));
	while (!ret && (d = readdir(dir)))
		if (num_u64(d->d_name, &pid) && pid <= INT32_MAX)
			ret = look_at_process(dirfd(dir), (u32)pid, out, err);
	closedir(dir);
	return ret;
}

int bpf_programs_before(int perf_fd, struct bpf_program *v, u32 max)
{
	/* a struct perf_event_query_bpf: the room for ids, how many there are, the ids */
	u32 q[2 + QUERY_MAX] = {QUERY_MAX};
	u32 i, nr;

	if (ioctl(perf_fd, PERF_EVENT_IOC_QUERY_BPF, q))
		return -errno;
	for (i = nr = 0; i < MIN(q[1], (u32)QUERY_MAX) && nr < max; i++) {
		v[nr].id = q[2 + i];
		look_at_program(&v[nr]);
		nr += v[nr].hides != BPF_PROGRAM_HIDES_NONE;
	}
	return (int)nr;
}

void bpf_program_put(const struct bpf_program *p, struct buf *out)
{
	buf_addc(out, '\'');
	text_escape(out, p->name, strnlen(p->name, sizeof(p->name)));
	buf_addf(out, "%s' (id %u)", *p->name ? "" : "?", p->id);
}

/* Itself, and those that it calls. */
static void each_function(int fd, void (*each)(void *arg, u64 start), void *arg)
{
	struct bpf_prog_info info = {0};
	u64 *starts;
	u32 nr, i;

	/* what is not compiled has the address of the interpreter */
	if (!get_info(fd, &info) || !info.jited_prog_len)
		return;
	nr = info.nr_jited_ksyms;
	starts = calloc(nr, sizeof(*starts));
	info = (struct bpf_prog_info){.nr_jited_ksyms = nr, .jited_ksyms = (u64)(uintptr_t)starts};
	/* the kernel clears the pointer where it does not show addresses */
	if (starts && get_info(fd, &info) && info.jited_ksyms)
		for (i = 0; i < MIN(nr, info.nr_jited_ksyms); i++)
			each(arg, starts[i]);
	free(starts);
}

void bpf_programs_functions(void (*each)(void *arg, u64 start), void *arg)
{
	union bpf_attr attr;
	u32 id = 0;
	long fd;

	for (;;) {
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (bpf_call(BPF_PROG_GET_NEXT_ID, &attr))
			return;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = bpf_call(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue; /* it has just gone */
		each_function((int)fd, each, arg);
		close((int)fd);
	}
}
