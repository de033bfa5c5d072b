/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_names.h - what the arguments of system calls are, and the names of their values.
 *
 * Names are without their prefix (O_, PROT_, AF_), as perf trace prints them. They are the same on
 * every machine but for a few flags of open(2), which arm has otherwise.
 *
 * Source: the manual pages of the calls, section 2; <asm-generic/> and <linux/> of Linux 6.18.
 */
#ifndef SYSCALL_SYSCALL_NAMES_H
#define SYSCALL_SYSCALL_NAMES_H

#include "util/base/buf.h"

enum syscall_kind {
	/* Numbers: of 32 bits with and without a sign, of 64 bits, and in hexadecimal. */
	SYSCALL_INT,
	SYSCALL_UINT,
	SYSCALL_LONG,
	SYSCALL_ULONG,
	SYSCALL_HEX32,
	SYSCALL_HEX,
	SYSCALL_PTR,
	SYSCALL_STR,      /* the address of a text that ends with NUL */
	SYSCALL_SOCKADDR, /* the address of a socket's address, whose length is the next argument */
	SYSCALL_FD,       /* a descriptor; of a directory: or the current one */
	SYSCALL_DIRFD,
	SYSCALL_MODE,      /* permissions, in octal */
	SYSCALL_UID,       /* 32 bits without a sign, or -1 */
	SYSCALL_DEV,       /* MAJOR:MINOR */
	SYSCALL_FCNTL_ARG, /* what the command says */
	SYSCALL_PROTOCOL,  /* of a socket: what its family says */
	SYSCALL_NONE,      /* results: it does not return */
	/* Names. */
	SYSCALL_OPEN,
	SYSCALL_ACCESS,
	SYSCALL_AT,
	SYSCALL_ACCESS_AT,
	SYSCALL_UNLINK_AT,
	SYSCALL_OPEN_TREE,
	SYSCALL_STATX,
	SYSCALL_PROT,
	SYSCALL_MAP,
	SYSCALL_MREMAP,
	SYSCALL_MSYNC,
	SYSCALL_MS,
	SYSCALL_UMOUNT,
	SYSCALL_MLOCKALL,
	SYSCALL_MADVICE,
	SYSCALL_SEEK,
	SYSCALL_SIGNAL,
	SYSCALL_SIG_HOW,
	SYSCALL_FAMILY,
	SYSCALL_SOCK_TYPE,
	SYSCALL_SOCK_FLAGS,
	SYSCALL_SOL,
	SYSCALL_MSG,
	SYSCALL_IPPROTO,
	SYSCALL_SHUTDOWN,
	SYSCALL_CLONE,
	SYSCALL_FUTEX,
	SYSCALL_FCNTL,
	SYSCALL_FD_OPEN,
	SYSCALL_FD_FLAGS,
	SYSCALL_FLOCK,
	SYSCALL_FALLOC,
	SYSCALL_FADVICE,
	SYSCALL_EPOLL,
	SYSCALL_EPOLL_CTL,
	SYSCALL_EFD,
	SYSCALL_MFD,
	SYSCALL_GRND,
	SYSCALL_CLOCK,
	SYSCALL_TIMER,
	SYSCALL_TFD,
	SYSCALL_ITIMER,
	SYSCALL_WAIT,
	SYSCALL_P_ID,
	SYSCALL_RUSAGE,
	SYSCALL_RLIMIT,
	SYSCALL_PRIO,
	SYSCALL_PRCTL,
	SYSCALL_ARCH_PRCTL,
	SYSCALL_PTRACE,
	SYSCALL_SECCOMP,
	SYSCALL_BPF,
	SYSCALL_SCHED,
	SYSCALL_KCMP,
	SYSCALL_RENAME,
	SYSCALL_CLOSE_RANGE,
	SYSCALL_SPLICE,
	SYSCALL_INOTIFY,
	SYSCALL_MEMBARRIER,
	SYSCALL_PERF_FLAG,
	SYSCALL_XATTR,
	SYSCALL_RWF,
	SYSCALL_IOCTL,
	SYSCALL_KINDS,
};

#define SYSCALL_FIRST_NAMED SYSCALL_OPEN

/* Append "RDONLY|CLOEXEC", "SETFD"; what has no name as 0x40. Of the kinds from SYSCALL_FIRST_NAMED on. */
void syscall_names_put(enum syscall_kind kind, u64 value, bool arm, struct buf *out);

#endif
