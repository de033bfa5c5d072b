/* SPDX-License-Identifier: GPL-2.0 */
/*
 * idle_functions.h - where a CPU stands that has nothing to do.
 *
 * Source: the loops of kernel/sched/idle.c and what drivers of cpuidle(9) call; x86, arm64, ppc64, s390x.
 */
#ifndef PROFILE_IDLE_FUNCTIONS_H
#define PROFILE_IDLE_FUNCTIONS_H

#define IDLE_FUNCTIONS                                                                             \
	"do_idle,cpu_idle,cpu_idle_poll,poll_idle,default_idle,default_idle_call,arch_cpu_idle,"   \
	"native_safe_halt,pv_native_safe_halt,xen_safe_halt,kvm_safe_halt,default_enter_idle,"     \
	"mwait_idle,mwait_idle_with_hints,intel_idle,intel_idle_ibrs,intel_idle_irq,"              \
	"acpi_idle_do_entry,acpi_safe_halt,acpi_processor_ffh_cstate_enter,haltpoll_enter_idle,"   \
	"cpu_do_idle,psci_cpu_suspend_enter,psci_enter_idle_state,pseries_dedicated_idle_sleep,"   \
	"ppc64_runlatch_off,power7_idle_insn,power9_idle_type,psw_idle,psw_idle_exit"

#endif
