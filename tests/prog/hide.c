// SPDX-License-Identifier: GPL-2.0
/*
 * hide TRACEPOINT-ID - until its standard input ends, a BPF program stands before the tracepoint and keeps its hits
 * from all perf events. "ready" is printed when it does. Exit status 77: BPF is not to be had.
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
	/* r0 = 0; exit */
	static const struct bpf_insn program[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
						  {.code = BPF_JMP | BPF_EXIT}};
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .config = argc > 1 ? strtoull(argv[1], NULL, 0) : 0};
	union bpf_attr load = {.prog_type = BPF_PROG_TYPE_TRACEPOINT,
			       .insn_cnt = 2,
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
