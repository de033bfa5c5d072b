// SPDX-License-Identifier: GPL-2.0
#include "arch/arch_syscalls.h"

#include <string.h>

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
	return nr < t->nr ? t->names[nr] : NULL;
}

u32 arch_syscalls_number(const struct arch_syscalls *t, const char *name)
{
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (t->names[i] && !strcmp(t->names[i], name))
			return i;
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
