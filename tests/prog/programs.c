// SPDX-License-Identifier: GPL-2.0
/*
 * programs - how many BPF programs the kernel has that run at raw tracepoints; with a NAME only those at the tracepoint NAME.
 */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(enum bpf_cmd cmd, union bpf_attr *a)
{
	return (int)syscall(SYS_bpf, cmd, a, sizeof(*a));
}

static int is_at(uint32_t id, const char *name)
{
	struct bpf_link_info info;
	union bpf_attr a;
	char at[128] = "";
	int fd, ret;

	memset(&a, 0, sizeof(a));
	a.link_id = id;
	fd = bpf(BPF_LINK_GET_FD_BY_ID, &a);
	if (fd < 0)
		return 0;
	memset(&info, 0, sizeof(info));
	info.raw_tracepoint.tp_name = (uintptr_t)at;
	info.raw_tracepoint.tp_name_len = sizeof(at);
	memset(&a, 0, sizeof(a));
	a.info.bpf_fd = (uint32_t)fd;
	a.info.info_len = sizeof(info);
	a.info.info = (uintptr_t)&info;
	ret = bpf(BPF_OBJ_GET_INFO_BY_FD, &a);
	close(fd);
	return !ret && info.type == BPF_LINK_TYPE_RAW_TRACEPOINT && (!name || !strcmp(at, name));
}

int main(int argc, char **argv)
{
	union bpf_attr a;
	uint32_t id = 0;
	int nr = 0;

	for (;;) {
		memset(&a, 0, sizeof(a));
		a.start_id = id;
		if (bpf(BPF_LINK_GET_NEXT_ID, &a))
			break;
		id = a.next_id;
		nr += is_at(id, argc > 1 ? argv[1] : NULL);
	}
	printf("%d\n", nr);
	return 0;
}
