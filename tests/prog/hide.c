// SPDX-License-Identifier: GPL-2.0
/*
 * hide TRACEPOINT-ID [all | none | some] - until its standard input ends, a BPF program stands before the tracepoint and
 * keeps all of its hits from all perf events, or none; with `some` it keeps none, either, but its code does not show that.
 * "ready" is printed when it does. Exit status 77: BPF is not to be had.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "all";
	/* some: r0 = get_smp_processor_id(); r0 |= 1; all, none: r0 = 0 or 1; then exit */
	const struct bpf_insn program[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_smp_processor_id},
		{.code = BPF_ALU64 | (!strcmp(what, "some") ? BPF_OR : BPF_MOV) | BPF_K,
		 .imm = strcmp(what, "all") != 0},
		{.code = BPF_JMP | BPF_EXIT}};
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .config = argc > 1 ? strtoull(argv[1], NULL, 0) : 0};
	union bpf_attr load = {.prog_type = BPF_PROG_TYPE_TRACEPOINT,
			       .insn_cnt = sizeof(program) / sizeof(*program),
			       .insns = (uint64_t)(uintptr_t)program,
			       .license = (uint64_t)(uintptr_t) "GPL",
			       .prog_name = "hides"};
	int prog, event;
	char c;

	prog = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (prog < 0 || event < 0 || ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(event, PERF_EVENT_IOC_ENABLE, 0)) {
		fprintf(stderr, "hide: %s\n", strerror(errno));
		return 77;
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	return 0;
}
