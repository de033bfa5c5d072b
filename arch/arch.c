// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

#include <linux/perf_event.h>
#include <string.h>

static const struct arch *const arches[] = {
	&arch_x86_64, &arch_arm64, &arch_riscv64, &arch_s390x, &arch_ppc64le,
};

static bool in_list(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (!strcmp(*list, name))
			return true;
	return false;
}

bool arch_call_register(const struct arch_call *c, u64 dwarf, u32 *at)
{
	if (dwarf >= c->nr_registers)
		return false;
	*at = c->registers ? c->registers[dwarf] : (u32)(c->first + 8 * dwarf);
	return true;
}

/* The place of a word among those, which blanks divide; ID_NONE: it is none of them. */
static u32 word_at(const char *words, const char *s, size_t len)
{
	size_t n;
	u32 i;

	for (i = 0; *words; i++, words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == len && !memcmp(words, s, n))
			return i;
	}
	return ID_NONE;
}

bool arch_call_named(const struct arch_call *c, const char *name, size_t len, u32 *dwarf, u32 *size)
{
	u32 i, at;

	for (i = 0; i < c->nr_registers; i++) {
		at = word_at(c->names[i], name, len);
		if (at == ID_NONE)
			continue;
		*dwarf = i;
		*size = c->narrower ? 8u >> at : 8;
		return true;
	}
	return false;
}

const struct arch *arch_find(const char *machine)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(arches); i++)
		if (!strcmp(arches[i]->name, machine) || in_list(arches[i]->aliases, machine))
			return arches[i];
	return NULL;
}

bool arch_is_interrupt_frame(const struct arch *a, const char *symbol)
{
	const char *const *p;

	for (p = a->interrupt_frames; *p; p++)
		if (!strncmp(symbol, *p, strlen(*p)))
			return true;
	return false;
}

bool arch_is_signal_frame(const struct arch *a, const char *symbol)
{
	return in_list(a->signal_frames, symbol);
}

const struct arch_unwind *arch_unwind_find(const struct arch *a, u64 abi)
{
	static const struct {
		const struct arch *arch;
		u64 abi;
		const struct arch_unwind *unwind;
	} tables[] = {
		{&arch_x86_64, PERF_SAMPLE_REGS_ABI_64, &arch_unwind_x86_64},
		{&arch_x86_64, PERF_SAMPLE_REGS_ABI_32, &arch_unwind_i386},
		{&arch_arm64, PERF_SAMPLE_REGS_ABI_64, &arch_unwind_arm64},
		{&arch_riscv64, PERF_SAMPLE_REGS_ABI_64, &arch_unwind_riscv64},
		{&arch_s390x, PERF_SAMPLE_REGS_ABI_64, &arch_unwind_s390x},
		{&arch_ppc64le, PERF_SAMPLE_REGS_ABI_64, &arch_unwind_ppc64},
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (tables[i].arch == a && tables[i].abi == abi)
			return tables[i].unwind;
	return NULL;
}

u32 arch_unwind_register(const struct arch_unwind *a, u64 dwarf)
{
	const struct arch_dwarf_number *o;

	for (o = a->others; o && o->dwarf; o++)
		if (o->dwarf == dwarf)
			return o->reg;
	return dwarf < (a->others ? a->others->reg : a->nr) ? (u32)dwarf : ARCH_UNWIND_NONE;
}

u32 arch_unwind_dwarf(const struct arch_unwind *a, u32 reg)
{
	const struct arch_dwarf_number *o;

	for (o = a->others; o && o->dwarf; o++)
		if (o->reg == reg)
			return o->dwarf;
	return reg;
}

static const struct {
	const char *machine;
	const struct arch_syscalls *table;
} machines[] = {
	{"x86_64", &arch_syscalls_x86_64},       {"aarch64", &arch_syscalls_generic},
	{"arm64", &arch_syscalls_generic},       {"riscv64", &arch_syscalls_generic},
	{"loongarch64", &arch_syscalls_generic}, {"s390x", &arch_syscalls_s390},
	{"ppc64le", &arch_syscalls_powerpc},     {"ppc64", &arch_syscalls_powerpc},
};

static const struct {
	const char *name, *tracepoint;
} renamed[] = {
	{"fstat", "newfstat"}, {"lstat", "newlstat"},      {"stat", "newstat"},
	{"uname", "newuname"}, {"sendfile", "sendfile64"}, {"umount2", "umount"},
};

/* Calls since Linux 5.1 have the same number everywhere. */
#define COMMON_FIRST 424
static const char *const common_syscalls[] = {
	"pidfd_send_signal",
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"open_tree",
	"move_mount",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"pidfd_open",
	"clone3",
	"close_range",
	"openat2",
	"pidfd_getfd",
	"faccessat2",
	"process_madvise",
	"epoll_pwait2",
	"mount_setattr",
	"quotactl_fd",
	"landlock_create_ruleset",
	"landlock_add_rule",
	"landlock_restrict_self",
	"memfd_secret",
	"process_mrelease",
	"futex_waitv",
	"set_mempolicy_home_node",
	"cachestat",
	"fchmodat2",
	"map_shadow_stack",
	"futex_wake",
	"futex_wait",
	"futex_requeue",
	"statmount",
	"listmount",
	"lsm_get_self_attr",
	"lsm_set_self_attr",
	"lsm_list_modules",
	"mseal",
	"setxattrat",
	"getxattrat",
	"listxattrat",
	"removexattrat",
	"open_tree_attr",
	"file_getattr",
	"file_setattr",
};

const struct arch_syscalls *arch_syscalls_find(const char *machine)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(machines); i++)
		if (!strcmp(machines[i].machine, machine))
			return machines[i].table;
	return NULL;
}

const char *arch_syscalls_name(const struct arch_syscalls *t, u64 nr)
{
	if (nr < t->nr)
		return t->names[nr];
	return nr >= COMMON_FIRST && nr - COMMON_FIRST < ARRAY_SIZE(common_syscalls)
		       ? common_syscalls[nr - COMMON_FIRST]
		       : NULL;
}

u32 arch_syscalls_number(const struct arch_syscalls *t, const char *name)
{
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (t->names[i] && !strcmp(t->names[i], name))
			return i;
	for (i = 0; i < ARRAY_SIZE(common_syscalls); i++)
		if (!strcmp(common_syscalls[i], name))
			return COMMON_FIRST + i;
	return ID_NONE;
}

const char *arch_syscalls_of_tracepoint(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(renamed[i].tracepoint, name))
			return renamed[i].name;
	return name;
}

u32 arch_syscalls_of(const struct arch_syscalls *t, const char *name)
{
	const struct arch_syscall_name *r;

	for (r = t->renamed; r && r->tracepoint; r++)
		if (!strcmp(r->tracepoint, name))
			return arch_syscalls_number(t, r->name);
	return arch_syscalls_number(t, arch_syscalls_of_tracepoint(name));
}
