// SPDX-License-Identifier: GPL-2.0
/*
 * bpf MS - that many milliseconds of CPU time, nearly all of it in a BPF program of the name "burn",
 * which filters the packets of a loopback socket.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_ATTACH_BPF
#define SO_ATTACH_BPF 50
#endif

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int load(void)
{
	static const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 0},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1},
		{.code = BPF_ALU64 | BPF_XOR | BPF_X, .dst_reg = 0, .src_reg = 1},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = 1},
		{.code = BPF_JMP | BPF_JLT | BPF_K, .dst_reg = 1, .imm = 20000, .off = -3},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uintptr_t) "GPL";
	strcpy(attr.prog_name, "burn");
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	socklen_t len = sizeof(to);
	long end = cpu_ms() + (argc > 1 ? atol(argv[1]) : 100);
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	int prog = load();

	if (prog < 0) {
		fprintf(stderr, "bpf: cannot load a program: %s\n", strerror(errno));
		return 77;
	}
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (in < 0 || out < 0 || bind(in, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(in, (struct sockaddr *)&to, &len) ||
	    setsockopt(in, SOL_SOCKET, SO_ATTACH_BPF, &prog, sizeof(prog))) {
		perror("bpf: socket");
		return 1;
	}
	while (cpu_ms() < end)
		if (sendto(out, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
			return 1;
	return 0;
}
