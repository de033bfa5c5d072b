// SPDX-License-Identifier: GPL-2.0
#include "arch/arch_unwind.h"

#include <linux/perf_event.h>

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
