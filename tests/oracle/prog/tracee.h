/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracee.h - a program under ptrace: started, executed one instruction at a time, its registers,
 * memory and mappings read. x86-64.
 */
#ifndef ORACLE_TRACEE_H
#define ORACLE_TRACEE_H

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "engines.h"
#include "shadow.h"
#include "util/base/io.h"
#include "util/kernel/proc.h"
#include "util/record/rec_build.h"

#define PAGE  4096
#define PAGES 1024

/* A copy of a page of code. */
struct code_page {
	u64 at; /* 0: none */
	u8 bytes[PAGE];
};

static struct tracee {
	pid_t pid;
	struct user_regs_struct regs;
	struct process_model model; /* of its mappings */
	struct shadow shadow;
	struct code_page pages[PAGES];
	int proc;
	bool skip_start; /* run to a program's entry point first */
} tracee;

static void read_regs(void)
{
	if (ptrace(PTRACE_GETREGS, tracee.pid, NULL, &tracee.regs))
		die("ptrace(PTRACE_GETREGS) failed");
}

static bool read_memory(u64 addr, void *to, size_t len)
{
	struct iovec local = {to, len}, remote = {(void *)(uintptr_t)addr, len};

	return process_vm_readv(tracee.pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

static u8 code_byte(u64 addr)
{
	u64 at = addr & ~(u64)(PAGE - 1);
	struct code_page *p = &tracee.pages[at / PAGE % PAGES];

	if (p->at != at)
		p->at = read_memory(at, p->bytes, PAGE) ? at : 0;
	return p->at ? p->bytes[addr % PAGE] : 0;
}

enum instruction { OTHER, CALL, SYSCALL };

static enum instruction instruction_at(u64 addr)
{
	u8 b = code_byte(addr);
	u32 i;

	for (i = 0; i < 4; i++) {
		if ((b & 0xf0) != 0x40 && b != 0x66 && b != 0x67 && b != 0xf2 && b != 0xf3 &&
		    b != 0x3e && b != 0x2e && b != 0x64 && b != 0x65)
			break;
		b = code_byte(++addr);
	}
	if (b == 0xe8 || (b == 0xff && (code_byte(addr + 1) & 0x38) == 0x10))
		return CALL;
	return b == 0x0f && code_byte(addr + 1) == 0x05 ? SYSCALL : OTHER;
}

static bool already_mapped(const struct proc_mapping *g)
{
	const struct thread *t = process_find_thread(&tracee.model, (u32)tracee.pid);
	u32 id = t ? process_find_map(&tracee.model, t, g->start) : ID_NONE;
	const struct map *map = id == ID_NONE ? NULL : &tracee.model.maps.v[id];

	return map && map->start == g->start && map->end == g->end &&
	       (map->pgoff == g->pgoff || !g->ino) &&
	       (!*g->name || !strcmp(tracee.model.dsos.v[map->dso].name, g->name));
}

static void note_mapping(void *arg, const struct proc_mapping *g)
{
	u64 limit = 16u << 20;
	struct sample_layout layout = {0};
	struct buf b = {0};
	struct rec rec;

	(void)arg;
	if (!strcmp(g->name, "[stack]")) {
		tracee.shadow.main_high = g->end;
		tracee.shadow.main_low = g->end - limit;
	}
	if (!(g->prot & PROT_EXEC) || already_mapped(g))
		return;
	rec_build_mmap2(&b, &layout, NULL, PERF_RECORD_MISC_USER,
			&(struct rec_mmap2){.pid = (u32)tracee.pid,
					    .tid = (u32)tracee.pid,
					    .start = g->start,
					    .len = g->end - g->start,
					    .pgoff = g->pgoff,
					    .maj = g->maj,
					    .min = g->min,
					    .ino = g->ino,
					    .prot = g->prot,
					    .flags = g->flags,
					    .name = *g->name ? g->name : "//anon"});
	if (b.failed || !rec_view(&rec, b.data, b.len))
		die("out of memory");
	process_apply(&tracee.model, &rec);
	buf_free(&b);
}

static void read_maps(void)
{
	u32 i;

	for (i = 0; i < PAGES; i++)
		tracee.pages[i].at = 0;
	if (!proc_maps(tracee.proc, (u32)tracee.pid, note_mapping, NULL))
		die("cannot read the program's mappings");
}

/* Run to where the program proper begins. */
static void run_to_entry(void)
{
	struct buf auxv = {0};
	u64 type, value, entry = 0;
	char path[32];
	struct cur c;
	int status;
	long code;

	snprintf(path, sizeof(path), "%d/auxv", (int)tracee.pid);
	if (io_read_file(tracee.proc, path, &auxv, 1 << 16))
		die("cannot read the program's auxiliary vector");
	c = cur_init(auxv.data, auxv.len);
	while ((type = cur_u64(&c)) && !c.bad) {
		value = cur_u64(&c);
		if (type == AT_ENTRY)
			entry = value;
	}
	buf_free(&auxv);
	errno = 0;
	code = ptrace(PTRACE_PEEKTEXT, tracee.pid, (void *)(uintptr_t)entry, NULL);
	if (errno ||
	    ptrace(PTRACE_POKETEXT, tracee.pid, (void *)(uintptr_t)entry,
		   (void *)((code & ~0xffl) | 0xcc)) ||
	    ptrace(PTRACE_CONT, tracee.pid, NULL, NULL) ||
	    waitpid(tracee.pid, &status, __WALL) != tracee.pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_POKETEXT, tracee.pid, (void *)(uintptr_t)entry, (void *)code))
		die("the program does not reach its entry point");
	read_regs();
	tracee.regs.rip = entry;
	if (ptrace(PTRACE_SETREGS, tracee.pid, NULL, &tracee.regs))
		die("ptrace(PTRACE_SETREGS) failed");
}

/* A program begins: nothing of the one before is left. */
static void begin_program(void)
{
	struct sample_layout layout = {0};
	struct buf b = {0};
	struct rec rec;

	rec_build_comm(&b, &layout, NULL, PERF_RECORD_MISC_COMM_EXEC, (u32)tracee.pid,
		       (u32)tracee.pid, "stepped");
	if (b.failed || !rec_view(&rec, b.data, b.len))
		die("out of memory");
	process_apply(&tracee.model, &rec);
	buf_free(&b);
	tracee.shadow.entries.nr = 0;
	if (tracee.skip_start)
		run_to_entry();
	read_maps();
}

static u64 perf_regs(u64 *to)
{
	const struct user_regs_struct *r = &tracee.regs;
	const u64 low[] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp, r->rip};
	const u64 high[] = {r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

	memcpy(to, low, sizeof(low));
	memcpy(to + ARRAY_SIZE(low), high, sizeof(high));
	return 0xff01ff;
}

/* Does the program handle this signal? */
static bool is_caught(int sig)
{
	struct buf b = {0};
	char path[32];
	const char *line;
	u64 caught = 0;

	snprintf(path, sizeof(path), "%d/status", (int)tracee.pid);
	if (!io_read_file(tracee.proc, path, &b, 1 << 16) &&
	    (line = strstr(buf_str(&b), "SigCgt:")))
		caught = strtoull(line + 7, NULL, 16);
	buf_free(&b);
	return sig && sig < 64 && caught >> (sig - 1) & 1;
}

/* The system call at the instruction changes what is mapped. */
static bool changes_maps(void)
{
	switch (tracee.regs.rax) {
	case SYS_mmap:
	case SYS_mprotect:
		return tracee.regs.rdx & PROT_EXEC;
	case SYS_munmap:
	case SYS_mremap:
		return true;
	}
	return false;
}

/* One instruction, or the delivery of `sig`. Returns the wait status. */
static int resume(int sig)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, tracee.pid, NULL, (void *)(uintptr_t)sig))
		die("ptrace(PTRACE_SINGLESTEP) failed");
	if (waitpid(tracee.pid, &status, __WALL) != tracee.pid)
		die("waitpid failed");
	return status;
}

/* Both on one CPU: a step then is two switches and no interrupt between CPUs. */
static void share_cpu(void)
{
	cpu_set_t cpus;
	int cpu = sched_getcpu();

	CPU_ZERO(&cpus);
	CPU_SET(cpu < 0 ? 0 : cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void start(char **argv)
{
	int status;

	share_cpu();
	tracee.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tracee.pid = fork();
	if (!tracee.pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (tracee.pid < 0 || waitpid(tracee.pid, &status, __WALL) != tracee.pid ||
	    ptrace(PTRACE_SETOPTIONS, tracee.pid, NULL,
		   (void *)(uintptr_t)(PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)) ||
	    ptrace(PTRACE_CONT, tracee.pid, NULL, NULL) ||
	    waitpid(tracee.pid, &status, __WALL) != tracee.pid)
		die("the program cannot be traced");
	if (status >> 8 != (SIGTRAP | PTRACE_EVENT_EXEC << 8))
		die("the program cannot be executed");
	begin_program();
}

#endif
