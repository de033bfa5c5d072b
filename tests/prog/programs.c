// SPDX-License-Identifier: GPL-2.0
/*
 * programs ID... - how many of these BPF links the kernel has, which hold programs where these run. The numbers of a process's
 * links are in its /proc/PID/fdinfo; the kernel gives none twice.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	union bpf_attr a;
	int i, fd, nr = 0;

	for (i = 1; i < argc; i++) {
		memset(&a, 0, sizeof(a));
		a.link_id = (unsigned)strtoul(argv[i], NULL, 10);
		fd = (int)syscall(SYS_bpf, BPF_LINK_GET_FD_BY_ID, &a, sizeof(a));
		if (fd < 0)
			continue;
		nr++;
		close(fd);
	}
	printf("%d\n", nr);
	return 0;
}
