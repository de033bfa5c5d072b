// SPDX-License-Identifier: GPL-2.0
/*
 * sealed [--seccomp] [--no-capabilities] [--] COMMAND... - runs a command with fewer rights, as in a container: a filter
 * refuses perf_event_open with EPERM, no capability is left.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int install_filter(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct none[2] = {{0}};
	int i;

	for (i = 0; i < 64; i++)
		prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	return (int)syscall(SYS_capset, &head, none);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--"))
			continue;
		if ((!strcmp(argv[i], "--seccomp") && !install_filter()) ||
		    (!strcmp(argv[i], "--no-capabilities") && !drop_capabilities()))
			continue;
		fprintf(stderr, "sealed: %s: %s\n", argv[i], strerror(errno));
		return 99;
	}
	if (i == argc)
		return 99;
	execvp(argv[i], argv + i);
	fprintf(stderr, "sealed: %s: %s\n", argv[i], strerror(errno));
	return 99;
}
