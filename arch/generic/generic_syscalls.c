// SPDX-License-Identifier: GPL-2.0
#include "arch/arch.h"

/*
 * What arm64 and riscv64 have in common, and what one of them adds: renameat is not of riscv64,
 * riscv_* not of arm64.
 */
/* clang-format off */
static const char *const names[] = {
	[0] = "io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "setxattr",
	[6] = "lsetxattr", "fsetxattr", "getxattr", "lgetxattr", "fgetxattr", "listxattr",
	[12] = "llistxattr", "flistxattr", "removexattr", "lremovexattr", "fremovexattr", "getcwd",
	[18] = "lookup_dcookie", "eventfd2", "epoll_create1", "epoll_ctl", "epoll_pwait", "dup",
	[24] = "dup3", "fcntl", "inotify_init1", "inotify_add_watch", "inotify_rm_watch", "ioctl",
	[30] = "ioprio_set", "ioprio_get", "flock", "mknodat", "mkdirat", "unlinkat", "symlinkat",
	[37] = "linkat", "renameat", "umount2", "mount", "pivot_root", "nfsservctl", "statfs",
	[44] = "fstatfs", "truncate", "ftruncate", "fallocate", "faccessat", "chdir", "fchdir",
	[51] = "chroot", "fchmod", "fchmodat", "fchownat", "fchown", "openat", "close", "vhangup",
	[59] = "pipe2", "quotactl", "getdents64", "lseek", "read", "write", "readv", "writev",
	[67] = "pread64", "pwrite64", "preadv", "pwritev", "sendfile", "pselect6", "ppoll",
	[74] = "signalfd4", "vmsplice", "splice", "tee", "readlinkat", "newfstatat", "fstat",
	[81] = "sync", "fsync", "fdatasync", "sync_file_range", "timerfd_create",
	[86] = "timerfd_settime", "timerfd_gettime", "utimensat", "acct", "capget", "capset",
	[92] = "personality", "exit", "exit_group", "waitid", "set_tid_address", "unshare",
	[98] = "futex", "set_robust_list", "get_robust_list", "nanosleep", "getitimer",
	[103] = "setitimer", "kexec_load", "init_module", "delete_module", "timer_create",
	[108] = "timer_gettime", "timer_getoverrun", "timer_settime", "timer_delete",
	[112] = "clock_settime", "clock_gettime", "clock_getres", "clock_nanosleep", "syslog",
	[117] = "ptrace", "sched_setparam", "sched_setscheduler", "sched_getscheduler",
	[121] = "sched_getparam", "sched_setaffinity", "sched_getaffinity", "sched_yield",
	[125] = "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval",
	[128] = "restart_syscall", "kill", "tkill", "tgkill", "sigaltstack", "rt_sigsuspend",
	[134] = "rt_sigaction", "rt_sigprocmask", "rt_sigpending", "rt_sigtimedwait",
	[138] = "rt_sigqueueinfo", "rt_sigreturn", "setpriority", "getpriority", "reboot",
	[143] = "setregid", "setgid", "setreuid", "setuid", "setresuid", "getresuid", "setresgid",
	[150] = "getresgid", "setfsuid", "setfsgid", "times", "setpgid", "getpgid", "getsid",
	[157] = "setsid", "getgroups", "setgroups", "uname", "sethostname", "setdomainname",
	[163] = "getrlimit", "setrlimit", "getrusage", "umask", "prctl", "getcpu", "gettimeofday",
	[170] = "settimeofday", "adjtimex", "getpid", "getppid", "getuid", "geteuid", "getgid",
	[177] = "getegid", "gettid", "sysinfo", "mq_open", "mq_unlink", "mq_timedsend",
	[183] = "mq_timedreceive", "mq_notify", "mq_getsetattr", "msgget", "msgctl", "msgrcv",
	[189] = "msgsnd", "semget", "semctl", "semtimedop", "semop", "shmget", "shmctl", "shmat",
	[197] = "shmdt", "socket", "socketpair", "bind", "listen", "accept", "connect",
	[204] = "getsockname", "getpeername", "sendto", "recvfrom", "setsockopt", "getsockopt",
	[210] = "shutdown", "sendmsg", "recvmsg", "readahead", "brk", "munmap", "mremap",
	[217] = "add_key", "request_key", "keyctl", "clone", "execve", "mmap", "fadvise64",
	[224] = "swapon", "swapoff", "mprotect", "msync", "mlock", "munlock", "mlockall",
	[231] = "munlockall", "mincore", "madvise", "remap_file_pages", "mbind", "get_mempolicy",
	[237] = "set_mempolicy", "migrate_pages", "move_pages", "rt_tgsigqueueinfo",
	[241] = "perf_event_open", "accept4", "recvmmsg",
	[258] = "riscv_hwprobe", "riscv_flush_icache", "wait4", "prlimit64", "fanotify_init",
	[263] = "fanotify_mark",
	[266] = "clock_adjtime", "syncfs", "setns", "sendmmsg", "process_vm_readv",
	[271] = "process_vm_writev", "kcmp", "finit_module", "sched_setattr", "sched_getattr",
	[276] = "renameat2", "seccomp", "getrandom", "memfd_create", "bpf", "execveat",
	[282] = "userfaultfd", "membarrier", "mlock2", "copy_file_range", "preadv2", "pwritev2",
	[288] = "pkey_mprotect", "pkey_alloc", "pkey_free", "statx", "io_pgetevents", "rseq",
	[294] = "kexec_file_load",
};
/* clang-format on */

/* scripts/syscall.tbl, arch/arm64/kernel/sys.c */
static const struct arch_syscall_name renamed[] = {
	{"fadvise64_64", "fadvise64"},
	{"arm64_personality", "personality"},
	{NULL, NULL},
};

const struct arch_syscalls arch_syscalls_generic = {
	.names = names, .nr = ARRAY_SIZE(names), .renamed = renamed};
