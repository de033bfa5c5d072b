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
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tables); i++)
		if (tables[i].arch == a && tables[i].abi == abi)
			return tables[i].unwind;
	return NULL;
}
