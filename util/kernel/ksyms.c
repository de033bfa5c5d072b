// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/ksyms.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/io.h"
#include "util/base/num.h"
#include "util/bpf/bpf_program.h"
#include "util/kernel/kallsyms.h"

#define KALLSYMS_MAX (64u << 20)
#define SLOW_NS      500000 /* for a name */
#define NAME_SIZE    128 /* the kernel's KSYM_NAME_LEN was 128 when names could be looked up first */
#define TEXT_SIZE    640 /* KSYM_NAME_LEN is 512 now; the offset and the module come behind */

/* What the program works on: the value of an array map that is mapped here. */
struct ksyms_shared {
	u64 address;          /* in: 0: look the name up; out: what was found, 0: nothing */
	char name[NAME_SIZE]; /* in: all bytes behind it are zero */
	char text[TEXT_SIZE]; /* out: "name+0x5/0x110 [module]" */
};

struct ksyms_found {
	u64 start, end;
	u32 name, module; /* ids in names; name ID_NONE: nothing that has a name */
};

void ksyms_open(struct ksyms *k, int proc)
{
	*k = (struct ksyms){.proc = proc, .prog = -1};
}

static void close_program(struct ksyms *k)
{
	if (k->shared)
		munmap(k->shared, sizeof(*k->shared));
	if (k->prog >= 0)
		close(k->prog);
	k->shared = NULL;
	k->prog = -1;
}

void ksyms_close(struct ksyms *k)
{
	close_program(k);
	vec_free(&k->found);
	strtab_free(&k->names);
	symtab_free(&k->file);
}

static u64 ptr(const void *p)
{
	return (u64)(uintptr_t)p;
}

static int make_map(u32 value_size, u32 flags, const char *name)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY;
	a.key_size = sizeof(u32);
	a.value_size = value_size;
	a.max_entries = 1;
	a.map_flags = flags;
	memcpy(a.map_name, name, strlen(name));
	return bpf_call(BPF_MAP_CREATE, &a);
}

/* bpf_snprintf() takes its format only from memory that nobody can change any more. */
static int make_format(void)
{
	static const char format[8] = "%pS";
	u32 key = 0;
	int fd = make_map(sizeof(format), BPF_F_RDONLY_PROG, "ksyms_format");
	union bpf_attr put, freeze;

	if (fd < 0)
		return fd;
	memset(&put, 0, sizeof(put));
	memset(&freeze, 0, sizeof(freeze));
	put.key = ptr(&key);
	put.value = ptr(format);
	put.map_fd = freeze.map_fd = (u32)fd;
	if (bpf_call(BPF_MAP_UPDATE_ELEM, &put) || bpf_call(BPF_MAP_FREEZE, &freeze)) {
		close(fd);
		return -1;
	}
	return fd;
}

#define INSN(c, d, s, o, i)                                                         \
	(struct bpf_insn)                                                           \
	{                                                                           \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
	}
#define MOV(d, s)      INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define MOV_IMM(d, i)  INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define ADD_IMM(d, i)  INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o)  INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, o, s) INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define JNZ(d, o)      INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, 0)
#define CALL(f)        INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT           INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define VALUE(d, map) \
	INSN(BPF_LD | BPF_IMM | BPF_DW, d, BPF_PSEUDO_MAP_VALUE, 0, map), INSN(0, 0, 0, 0, 0)

static int load_program(int shared, int format)
{
	const struct bpf_insn program[] = {
		VALUE(6, shared), /* r6 = the struct ksyms_shared */
		LOAD(2, 6, offsetof(struct ksyms_shared, address)),
		STORE(10, -8, 2), /* a u64 on the stack: address, argument of "%pS" or result */
		JNZ(2, 11),
		/* bpf_kallsyms_lookup_name(name, sizeof(name), 0, &result) */
		MOV(1, 6),
		ADD_IMM(1, offsetof(struct ksyms_shared, name)),
		MOV_IMM(2, NAME_SIZE),
		MOV_IMM(3, 0),
		MOV(4, 10),
		ADD_IMM(4, -8),
		CALL(BPF_FUNC_kallsyms_lookup_name),
		LOAD(2, 10, -8),
		STORE(6, offsetof(struct ksyms_shared, address), 2),
		MOV_IMM(0, 0),
		EXIT,
		/* bpf_snprintf(text, sizeof(text), format, &address, 8) */
		MOV(1, 6),
		ADD_IMM(1, offsetof(struct ksyms_shared, text)),
		MOV_IMM(2, TEXT_SIZE),
		VALUE(3, format),
		MOV(4, 10),
		ADD_IMM(4, -8),
		MOV_IMM(5, 8),
		CALL(BPF_FUNC_snprintf),
		MOV_IMM(0, 0),
		EXIT,
	};
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SYSCALL;
	a.insns = ptr(program);
	a.insn_cnt = ARRAY_SIZE(program);
	a.license = ptr("GPL");
	a.prog_flags = BPF_F_SLEEPABLE;
	memcpy(a.prog_name, "ksyms", sizeof("ksyms"));
	return bpf_call(BPF_PROG_LOAD, &a);
}

static bool make_program(struct ksyms *k)
{
	int format = make_format(), shared;
	void *p;

	if (format < 0)
		return false;
	shared = make_map(sizeof(*k->shared), BPF_F_MMAPABLE, "ksyms_shared");
	if (shared >= 0) {
		p = mmap(NULL, sizeof(*k->shared), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
		if (p != MAP_FAILED) {
			k->shared = p;
			k->prog = load_program(shared, format);
		}
		close(shared);
	}
	close(format);
	return k->prog >= 0;
}

static bool run(struct ksyms *k)
{
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.test.prog_fd = (u32)k->prog;
	return !bpf_call(BPF_PROG_TEST_RUN, &a);
}

/* The address of a symbol, 0 if there is none. */
static u64 address_of(struct ksyms *k, const char *name)
{
	struct ksyms_shared *s = k->shared;

	s->address = 0;
	memset(s->name, 0, sizeof(s->name));
	memcpy(s->name, name, MIN(strlen(name), sizeof(s->name) - 1));
	return run(k) ? s->address : 0;
}

/* "name+0x5/0x110 [module]" */
static bool parse_text(char *text, u64 ip, struct ksym *out)
{
	u64 offset, size;
	char *plus, *slash, *blank;

	blank = strchr(text, ' ');
	if (blank)
		*blank = '\0';
	slash = strrchr(text, '/');
	plus = slash ? memrchr(text, '+', (size_t)(slash - text)) : NULL;
	if (!plus || plus == text || strncmp(plus, "+0x", 3) || strncmp(slash, "/0x", 3) ||
	    !num_hex(plus + 3, (size_t)(slash - plus - 3), &offset) ||
	    !num_hex(slash + 3, strlen(slash + 3), &size) || offset > ip)
		return false;
	*plus = '\0';
	*out = (struct ksym){.start = ip - offset, .name = text};
	out->end = out->start + MIN(size, UINT64_MAX - out->start);
	out->module = blank && blank[1] == '[' ? blank + 1 : "";
	return true;
}

/* All entry points of a system call without arguments may be one function. */
static void prefer_syscall(struct ksyms *k, struct ksym *sym, char better[static NAME_SIZE])
{
	const char *call = strstr(sym->name, "_sys_"), *prefix;
	u32 i;

	if (!call || sym->name[0] != '_' || sym->module[0] || k->names_are_slow)
		return;
	for (i = 0; (prefix = kallsyms_syscall_prefix(i)); i++) {
		snprintf(better, NAME_SIZE, "%s%s", prefix, call + 5);
		if (!strcmp(sym->name, better))
			return;
	}
	for (i = 0; (prefix = kallsyms_syscall_prefix(i)); i++) {
		snprintf(better, NAME_SIZE, "%s%s", prefix, call + 5);
		if (address_of(k, better) == sym->start) {
			sym->name = better;
			return;
		}
	}
}

/* The first entry that ends above addr. */
static u32 first_above(const struct ksyms *k, u64 addr)
{
	u32 lo = 0, hi = k->found.nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (k->found.v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Take away what is known of [start, end); the place where it was. */
static u32 cut(struct ksyms *k, u64 start, u64 end)
{
	u32 at = first_above(k, start), behind = at;

	while (behind < k->found.nr && k->found.v[behind].start < end)
		behind++;
	if (behind > at)
		memmove(k->found.v + at, k->found.v + behind,
			(k->found.nr - behind) * sizeof(*k->found.v));
	k->found.nr -= behind - at;
	return at;
}

static bool remember(struct ksyms *k, const struct ksym *sym, bool named)
{
	struct ksyms_found f = {.start = sym->start, .end = sym->end, .name = ID_NONE};
	u32 at;

	if (named) {
		f.name = strtab_add(&k->names, sym->name, strlen(sym->name));
		f.module = strtab_add(&k->names, sym->module, strlen(sym->module));
		if (f.name == ID_NONE || f.module == ID_NONE)
			return false;
	}
	at = cut(k, f.start, f.end);
	if (!vec_push(&k->found))
		return false;
	memmove(k->found.v + at + 1, k->found.v + at, (k->found.nr - 1 - at) * sizeof(f));
	k->found.v[at] = f;
	return true;
}

static bool known(const struct ksyms *k, u64 ip, const struct ksyms_found **f)
{
	u32 at = first_above(k, ip);

	*f = at < k->found.nr ? &k->found.v[at] : NULL;
	return *f && (*f)->start <= ip;
}

static bool ask_kernel(struct ksyms *k, u64 ip)
{
	char better[NAME_SIZE];
	struct ksym sym;
	bool named;

	k->shared->address = ip;
	if (!ip || !run(k))
		return false;
	k->shared->text[TEXT_SIZE - 1] = '\0';
	if (!parse_text(k->shared->text, ip, &sym) || ip >= sym.end)
		return false;
	/* the kernel says whose a module's function is, but not that of a bpf program */
	if (!sym.module[0] && (sym.start < k->start || sym.start >= k->end))
		sym.module = "[bpf]";
	named = !kallsyms_is_marker(sym.name, strlen(sym.name));
	if (named)
		prefer_syscall(k, &sym, better);
	return remember(k, &sym, named);
}

static void set_range(struct ksyms *k, u64 start, u64 text_end)
{
	k->start = start;
	k->text_end = MAX(start, text_end);
}

/* An address, and how long it took at least: other load on the machine does not decide which names are given. */
static u64 time_address_of(struct ksyms *k, const char *name, u64 *least)
{
	u64 begun = clock_ns(CLOCK_THREAD_CPUTIME_ID), address = address_of(k, name);

	*least = MIN(*least, clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun);
	return address;
}

static bool open_kernel(struct ksyms *k)
{
	u64 start, end, least = UINT64_MAX;
	struct statfs fs;

	/* another tree in place of /proc means another kernel */
	if (k->file_only || fstatfs(k->proc, &fs) || fs.f_type != PROC_SUPER_MAGIC)
		return false;
	if (make_program(k)) {
		start = time_address_of(k, "_text", &least);
		end = time_address_of(k, "_etext", &least);
		set_range(k, start, end);
		k->names_are_slow = least > SLOW_NS;
		if (!k->start)
			set_range(k, address_of(k, "_stext"), k->text_end);
		/* kernels that list functions only do not list _end */
		k->end = address_of(k, "_end");
		if (!k->end)
			k->end = address_of(k, "_einittext");
		k->end = MAX(k->end, k->text_end);
		/* kernel.kptr_restrict hides them */
		if (k->start && k->text_end > k->start)
			return true;
	}
	close_program(k);
	return false;
}

static void open_file(struct ksyms *k)
{
	struct buf text = {0};
	int ret = io_read_file(k->proc, "kallsyms", &text, KALLSYMS_MAX);
	u64 start, end;

	if (ret) {
		err_set(&k->error, -ret, "cannot read /proc/kallsyms: %s", strerror(-ret));
		buf_free(&text);
		return;
	}
	start = kallsyms_address(buf_str(&text), text.len, "_text");
	if (!start)
		start = kallsyms_address(buf_str(&text), text.len, "_stext");
	end = kallsyms_address(buf_str(&text), text.len, "_etext");
	ret = kallsyms_take(&k->file, &text, SYMTAB_NESTED, &k->error);
	if (!ret)
		set_range(k, start, end);
	else if (ret == -EPERM)
		kallsyms_hidden(&k->error);
}

static void open_lazily(struct ksyms *k)
{
	if (k->opened)
		return;
	k->opened = true;
	k->by_kernel = open_kernel(k);
	if (!k->by_kernel)
		open_file(k);
}

static bool find_in_file(const struct ksyms *k, u64 ip, struct ksym *out)
{
	const struct sym *sym = symtab_find(&k->file, ip);

	if (!sym || sym->flags & SYM_MARKER)
		return false;
	*out = (struct ksym){sym->start, sym->end, sym->name, symtab_module(sym)};
	return true;
}

bool ksyms_find(struct ksyms *k, u64 ip, struct ksym *out)
{
	const struct ksyms_found *f;

	open_lazily(k);
	if (!k->by_kernel)
		return find_in_file(k, ip, out);
	if (!known(k, ip, &f) && (!ask_kernel(k, ip) || !known(k, ip, &f)))
		return false;
	if (f->name == ID_NONE)
		return false;
	*out = (struct ksym){f->start, f->end, strtab_get(&k->names, f->name),
			     strtab_get(&k->names, f->module)};
	return true;
}

bool ksyms_range(struct ksyms *k, u64 *start, u64 *len)
{
	open_lazily(k);
	*start = k->start;
	*len = k->text_end - k->start;
	return *start && *len;
}

void ksyms_forget(struct ksyms *k, u64 start, u64 len)
{
	cut(k, start, start + MIN(len, UINT64_MAX - start));
}
