// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

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
