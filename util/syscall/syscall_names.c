// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall.h"

/* The bits of `mask` being `value` have this name. */
struct syscall_name {
	u32 mask, value;
	const char *name;
};

#define EXACT(value, name)                     \
	{                                      \
		UINT32_MAX, (u32)(value), name \
	}
#define FLAG(value, name)                        \
	{                                        \
		(u32)(value), (u32)(value), name \
	}
#define PART(mask, value, name)   \
	{                         \
		mask, value, name \
	}

/* Of names that share bits, the one with more of them comes first. */
static const struct syscall_name open_names[] = {
	PART(3, 0, "RDONLY"),       PART(3, 01, "WRONLY"),     PART(3, 02, "RDWR"),
	FLAG(020200000, "TMPFILE"), FLAG(0100, "CREAT"),       FLAG(0200, "EXCL"),
	FLAG(0400, "NOCTTY"),       FLAG(01000, "TRUNC"),      FLAG(02000, "APPEND"),
	FLAG(04000, "NONBLOCK"),    FLAG(04010000, "SYNC"),    FLAG(010000, "DSYNC"),
	FLAG(020000, "ASYNC"),      FLAG(040000, "DIRECT"),    FLAG(0100000, "LARGEFILE"),
	FLAG(0200000, "DIRECTORY"), FLAG(0400000, "NOFOLLOW"), FLAG(01000000, "NOATIME"),
	FLAG(02000000, "CLOEXEC"),  FLAG(010000000, "PATH"),
};

static const struct syscall_name open_arm64_names[] = {
	PART(3, 0, "RDONLY"),       PART(3, 01, "WRONLY"),     PART(3, 02, "RDWR"),
	FLAG(020040000, "TMPFILE"), FLAG(0100, "CREAT"),       FLAG(0200, "EXCL"),
	FLAG(0400, "NOCTTY"),       FLAG(01000, "TRUNC"),      FLAG(02000, "APPEND"),
	FLAG(04000, "NONBLOCK"),    FLAG(04010000, "SYNC"),    FLAG(010000, "DSYNC"),
	FLAG(020000, "ASYNC"),      FLAG(0200000, "DIRECT"),   FLAG(0400000, "LARGEFILE"),
	FLAG(040000, "DIRECTORY"),  FLAG(0100000, "NOFOLLOW"), FLAG(01000000, "NOATIME"),
	FLAG(02000000, "CLOEXEC"),  FLAG(010000000, "PATH"),
};

static const struct syscall_name access_names[] = {
	EXACT(0, "F"),
	FLAG(0x4, "R"),
	FLAG(0x2, "W"),
	FLAG(0x1, "X"),
};

static const struct syscall_name at_names[] = {
	FLAG(0x100, "SYMLINK_NOFOLLOW"),  FLAG(0x400, "SYMLINK_FOLLOW"),
	FLAG(0x800, "NO_AUTOMOUNT"),      FLAG(0x1000, "EMPTY_PATH"),
	FLAG(0x2000, "STATX_FORCE_SYNC"), FLAG(0x4000, "STATX_DONT_SYNC"),
	FLAG(0x8000, "RECURSIVE"),
};

static const struct syscall_name access_at_names[] = {
	FLAG(0x100, "SYMLINK_NOFOLLOW"),
	FLAG(0x200, "EACCESS"),
	FLAG(0x1000, "EMPTY_PATH"),
};

static const struct syscall_name unlink_at_names[] = {
	FLAG(0x200, "REMOVEDIR"),
};

static const struct syscall_name open_tree_names[] = {
	FLAG(0x1, "OPEN_TREE_CLONE"),       FLAG(0x80000, "OPEN_TREE_CLOEXEC"),
	FLAG(0x100, "AT_SYMLINK_NOFOLLOW"), FLAG(0x800, "AT_NO_AUTOMOUNT"),
	FLAG(0x1000, "AT_EMPTY_PATH"),      FLAG(0x8000, "AT_RECURSIVE"),
};

static const struct syscall_name statx_names[] = {
	FLAG(0xfff, "ALL"),
	FLAG(0x7ff, "BASIC_STATS"),
	FLAG(0x1, "TYPE"),
	FLAG(0x2, "MODE"),
	FLAG(0x4, "NLINK"),
	FLAG(0x8, "UID"),
	FLAG(0x10, "GID"),
	FLAG(0x20, "ATIME"),
	FLAG(0x40, "MTIME"),
	FLAG(0x80, "CTIME"),
	FLAG(0x100, "INO"),
	FLAG(0x200, "SIZE"),
	FLAG(0x400, "BLOCKS"),
	FLAG(0x800, "BTIME"),
	FLAG(0x1000, "MNT_ID"),
	FLAG(0x2000, "DIOALIGN"),
	FLAG(0x4000, "MNT_ID_UNIQUE"),
	FLAG(0x8000, "SUBVOL"),
	FLAG(0x10000, "WRITE_ATOMIC"),
};

static const struct syscall_name prot_names[] = {
	FLAG(0x1, "READ"), FLAG(0x2, "WRITE"),           FLAG(0x4, "EXEC"),
	FLAG(0x8, "SEM"),  FLAG(0x1000000, "GROWSDOWN"), FLAG(0x2000000, "GROWSUP"),
	EXACT(0, "NONE"),
};

static const struct syscall_name map_names[] = {
	PART(0xf, 1, "SHARED"),
	PART(0xf, 2, "PRIVATE"),
	PART(0xf, 3, "SHARED_VALIDATE"),
	FLAG(0x10, "FIXED"),
	FLAG(0x20, "ANONYMOUS"),
	FLAG(0x40, "32BIT"),
	FLAG(0x100, "GROWSDOWN"),
	FLAG(0x800, "DENYWRITE"),
	FLAG(0x1000, "EXECUTABLE"),
	FLAG(0x2000, "LOCKED"),
	FLAG(0x4000, "NORESERVE"),
	FLAG(0x8000, "POPULATE"),
	FLAG(0x10000, "NONBLOCK"),
	FLAG(0x20000, "STACK"),
	FLAG(0x40000, "HUGETLB"),
	FLAG(0x80000, "SYNC"),
	FLAG(0x100000, "FIXED_NOREPLACE"),
};

static const struct syscall_name mremap_names[] = {
	FLAG(0x1, "MAYMOVE"),
	FLAG(0x2, "FIXED"),
	FLAG(0x4, "DONTUNMAP"),
};

static const struct syscall_name msync_names[] = {
	FLAG(0x1, "ASYNC"),
	FLAG(0x2, "INVALIDATE"),
	FLAG(0x4, "SYNC"),
};

static const struct syscall_name ms_names[] = {
	FLAG(0x1, "RDONLY"),         FLAG(0x2, "NOSUID"),         FLAG(0x4, "NODEV"),
	FLAG(0x8, "NOEXEC"),         FLAG(0x10, "SYNCHRONOUS"),   FLAG(0x20, "REMOUNT"),
	FLAG(0x40, "MANDLOCK"),      FLAG(0x80, "DIRSYNC"),       FLAG(0x100, "NOSYMFOLLOW"),
	FLAG(0x400, "NOATIME"),      FLAG(0x800, "NODIRATIME"),   FLAG(0x1000, "BIND"),
	FLAG(0x2000, "MOVE"),        FLAG(0x4000, "REC"),         FLAG(0x8000, "SILENT"),
	FLAG(0x10000, "POSIXACL"),   FLAG(0x20000, "UNBINDABLE"), FLAG(0x40000, "PRIVATE"),
	FLAG(0x80000, "SLAVE"),      FLAG(0x100000, "SHARED"),    FLAG(0x200000, "RELATIME"),
	FLAG(0x400000, "KERNMOUNT"), FLAG(0x800000, "I_VERSION"), FLAG(0x1000000, "STRICTATIME"),
	FLAG(0x2000000, "LAZYTIME"),
};

static const struct syscall_name umount_names[] = {
	FLAG(0x1, "MNT_FORCE"),
	FLAG(0x2, "MNT_DETACH"),
	FLAG(0x4, "MNT_EXPIRE"),
	FLAG(0x8, "UMOUNT_NOFOLLOW"),
};

static const struct syscall_name mlockall_names[] = {
	FLAG(0x1, "CURRENT"),
	FLAG(0x2, "FUTURE"),
	FLAG(0x4, "ONFAULT"),
};

static const struct syscall_name madvice_names[] = {
	EXACT(0, "NORMAL"),           EXACT(1, "RANDOM"),         EXACT(2, "SEQUENTIAL"),
	EXACT(3, "WILLNEED"),         EXACT(4, "DONTNEED"),       EXACT(8, "FREE"),
	EXACT(9, "REMOVE"),           EXACT(10, "DONTFORK"),      EXACT(11, "DOFORK"),
	EXACT(12, "MERGEABLE"),       EXACT(13, "UNMERGEABLE"),   EXACT(14, "HUGEPAGE"),
	EXACT(15, "NOHUGEPAGE"),      EXACT(16, "DONTDUMP"),      EXACT(17, "DODUMP"),
	EXACT(18, "WIPEONFORK"),      EXACT(19, "KEEPONFORK"),    EXACT(20, "COLD"),
	EXACT(21, "PAGEOUT"),         EXACT(22, "POPULATE_READ"), EXACT(23, "POPULATE_WRITE"),
	EXACT(24, "DONTNEED_LOCKED"), EXACT(25, "COLLAPSE"),      EXACT(100, "HWPOISON"),
	EXACT(102, "GUARD_INSTALL"),  EXACT(103, "GUARD_REMOVE"),
};

static const struct syscall_name seek_names[] = {
	EXACT(0, "SET"), EXACT(1, "CUR"), EXACT(2, "END"), EXACT(3, "DATA"), EXACT(4, "HOLE"),
};

static const struct syscall_name signal_names[] = {
	EXACT(1, "HUP"),   EXACT(2, "INT"),     EXACT(3, "QUIT"),  EXACT(4, "ILL"),
	EXACT(5, "TRAP"),  EXACT(6, "ABRT"),    EXACT(7, "BUS"),   EXACT(8, "FPE"),
	EXACT(9, "KILL"),  EXACT(10, "USR1"),   EXACT(11, "SEGV"), EXACT(12, "USR2"),
	EXACT(13, "PIPE"), EXACT(14, "ALRM"),   EXACT(15, "TERM"), EXACT(16, "STKFLT"),
	EXACT(17, "CHLD"), EXACT(18, "CONT"),   EXACT(19, "STOP"), EXACT(20, "TSTP"),
	EXACT(21, "TTIN"), EXACT(22, "TTOU"),   EXACT(23, "URG"),  EXACT(24, "XCPU"),
	EXACT(25, "XFSZ"), EXACT(26, "VTALRM"), EXACT(27, "PROF"), EXACT(28, "WINCH"),
	EXACT(29, "IO"),   EXACT(30, "PWR"),    EXACT(31, "SYS"),
};

static const struct syscall_name sig_how_names[] = {
	EXACT(0, "BLOCK"),
	EXACT(1, "UNBLOCK"),
	EXACT(2, "SETMASK"),
};

static const struct syscall_name family_names[] = {
	EXACT(0, "UNSPEC"),      EXACT(1, "LOCAL"),      EXACT(2, "INET"),
	EXACT(3, "AX25"),        EXACT(4, "IPX"),        EXACT(5, "APPLETALK"),
	EXACT(6, "NETROM"),      EXACT(7, "BRIDGE"),     EXACT(8, "ATMPVC"),
	EXACT(9, "X25"),         EXACT(10, "INET6"),     EXACT(11, "ROSE"),
	EXACT(12, "DECnet"),     EXACT(13, "NETBEUI"),   EXACT(14, "SECURITY"),
	EXACT(15, "KEY"),        EXACT(16, "NETLINK"),   EXACT(17, "PACKET"),
	EXACT(18, "ASH"),        EXACT(19, "ECONET"),    EXACT(20, "ATMSVC"),
	EXACT(21, "RDS"),        EXACT(22, "SNA"),       EXACT(23, "IRDA"),
	EXACT(24, "PPPOX"),      EXACT(25, "WANPIPE"),   EXACT(26, "LLC"),
	EXACT(27, "IB"),         EXACT(28, "MPLS"),      EXACT(29, "CAN"),
	EXACT(30, "TIPC"),       EXACT(31, "BLUETOOTH"), EXACT(32, "IUCV"),
	EXACT(33, "RXRPC"),      EXACT(34, "ISDN"),      EXACT(35, "PHONET"),
	EXACT(36, "IEEE802154"), EXACT(37, "CAIF"),      EXACT(38, "ALG"),
	EXACT(39, "NFC"),        EXACT(40, "VSOCK"),     EXACT(41, "KCM"),
	EXACT(42, "QIPCRTR"),    EXACT(43, "SMC"),       EXACT(44, "XDP"),
	EXACT(45, "MCTP"),
};

static const struct syscall_name sock_type_names[] = {
	PART(0xf, 1, "STREAM"),  PART(0xf, 2, "DGRAM"),     PART(0xf, 3, "RAW"),
	PART(0xf, 4, "RDM"),     PART(0xf, 5, "SEQPACKET"), PART(0xf, 6, "DCCP"),
	PART(0xf, 10, "PACKET"), FLAG(0x80000, "CLOEXEC"),  FLAG(0x800, "NONBLOCK"),
};

static const struct syscall_name sock_flags_names[] = {
	FLAG(0x80000, "CLOEXEC"),
	FLAG(0x800, "NONBLOCK"),
};

static const struct syscall_name sol_names[] = {
	EXACT(0, "IP"),    EXACT(1, "SOCKET"),   EXACT(6, "TCP"),       EXACT(17, "UDP"),
	EXACT(41, "IPV6"), EXACT(58, "ICMPV6"),  EXACT(132, "SCTP"),    EXACT(136, "UDPLITE"),
	EXACT(255, "RAW"), EXACT(263, "PACKET"), EXACT(270, "NETLINK"), EXACT(282, "TLS"),
	EXACT(283, "XDP"), EXACT(284, "MPTCP"),  EXACT(279, "ALG"),     EXACT(287, "VSOCK"),
};

static const struct syscall_name msg_names[] = {
	FLAG(0x1, "OOB"),
	FLAG(0x2, "PEEK"),
	FLAG(0x4, "DONTROUTE"),
	FLAG(0x8, "CTRUNC"),
	FLAG(0x10, "PROBE"),
	FLAG(0x20, "TRUNC"),
	FLAG(0x40, "DONTWAIT"),
	FLAG(0x80, "EOR"),
	FLAG(0x100, "WAITALL"),
	FLAG(0x200, "FIN"),
	FLAG(0x400, "SYN"),
	FLAG(0x800, "CONFIRM"),
	FLAG(0x1000, "RST"),
	FLAG(0x2000, "ERRQUEUE"),
	FLAG(0x4000, "NOSIGNAL"),
	FLAG(0x8000, "MORE"),
	FLAG(0x10000, "WAITFORONE"),
	FLAG(0x40000, "BATCH"),
	FLAG(0x4000000, "ZEROCOPY"),
	FLAG(0x20000000, "FASTOPEN"),
	FLAG(0x40000000, "CMSG_CLOEXEC"),
};

static const struct syscall_name ipproto_names[] = {
	EXACT(0, "IP"),      EXACT(1, "ICMP"),   EXACT(2, "IGMP"),      EXACT(6, "TCP"),
	EXACT(17, "UDP"),    EXACT(41, "IPV6"),  EXACT(47, "GRE"),      EXACT(50, "ESP"),
	EXACT(58, "ICMPV6"), EXACT(132, "SCTP"), EXACT(136, "UDPLITE"), EXACT(255, "RAW"),
	EXACT(262, "MPTCP"),
};

static const struct syscall_name shutdown_names[] = {
	EXACT(0, "RD"),
	EXACT(1, "WR"),
	EXACT(2, "RDWR"),
};

static const struct syscall_name clone_names[] = {
	PART(0x7f, 17, "SIGCHLD"),
	FLAG(0x80, "NEWTIME"),
	FLAG(0x100, "VM"),
	FLAG(0x200, "FS"),
	FLAG(0x400, "FILES"),
	FLAG(0x800, "SIGHAND"),
	FLAG(0x1000, "PIDFD"),
	FLAG(0x2000, "PTRACE"),
	FLAG(0x4000, "VFORK"),
	FLAG(0x8000, "PARENT"),
	FLAG(0x10000, "THREAD"),
	FLAG(0x20000, "NEWNS"),
	FLAG(0x40000, "SYSVSEM"),
	FLAG(0x80000, "SETTLS"),
	FLAG(0x100000, "PARENT_SETTID"),
	FLAG(0x200000, "CHILD_CLEARTID"),
	FLAG(0x400000, "DETACHED"),
	FLAG(0x800000, "UNTRACED"),
	FLAG(0x1000000, "CHILD_SETTID"),
	FLAG(0x2000000, "NEWCGROUP"),
	FLAG(0x4000000, "NEWUTS"),
	FLAG(0x8000000, "NEWIPC"),
	FLAG(0x10000000, "NEWUSER"),
	FLAG(0x20000000, "NEWPID"),
	FLAG(0x40000000, "NEWNET"),
	FLAG(0x80000000, "IO"),
};

static const struct syscall_name futex_names[] = {
	PART(0x7f, 0, "WAIT"),
	PART(0x7f, 1, "WAKE"),
	PART(0x7f, 2, "FD"),
	PART(0x7f, 3, "REQUEUE"),
	PART(0x7f, 4, "CMP_REQUEUE"),
	PART(0x7f, 5, "WAKE_OP"),
	PART(0x7f, 6, "LOCK_PI"),
	PART(0x7f, 7, "UNLOCK_PI"),
	PART(0x7f, 8, "TRYLOCK_PI"),
	PART(0x7f, 9, "WAIT_BITSET"),
	PART(0x7f, 10, "WAKE_BITSET"),
	PART(0x7f, 11, "WAIT_REQUEUE_PI"),
	PART(0x7f, 12, "CMP_REQUEUE_PI"),
	PART(0x7f, 13, "LOCK_PI2"),
	FLAG(0x80, "PRIVATE_FLAG"),
	FLAG(0x100, "CLOCK_REALTIME"),
};

static const struct syscall_name fcntl_names[] = {
	EXACT(0, "DUPFD"),
	EXACT(1, "GETFD"),
	EXACT(2, "SETFD"),
	EXACT(3, "GETFL"),
	EXACT(4, "SETFL"),
	EXACT(5, "GETLK"),
	EXACT(6, "SETLK"),
	EXACT(7, "SETLKW"),
	EXACT(8, "SETOWN"),
	EXACT(9, "GETOWN"),
	EXACT(10, "SETSIG"),
	EXACT(11, "GETSIG"),
	EXACT(15, "SETOWN_EX"),
	EXACT(16, "GETOWN_EX"),
	EXACT(17, "GETOWNER_UIDS"),
	EXACT(36, "OFD_GETLK"),
	EXACT(37, "OFD_SETLK"),
	EXACT(38, "OFD_SETLKW"),
	EXACT(1024, "SETLEASE"),
	EXACT(1025, "GETLEASE"),
	EXACT(1026, "NOTIFY"),
	EXACT(1027, "DUPFD_QUERY"),
	EXACT(1028, "CREATED_QUERY"),
	EXACT(1029, "CANCELLK"),
	EXACT(1030, "DUPFD_CLOEXEC"),
	EXACT(1031, "SETPIPE_SZ"),
	EXACT(1032, "GETPIPE_SZ"),
	EXACT(1033, "ADD_SEALS"),
	EXACT(1034, "GET_SEALS"),
	EXACT(1035, "GET_RW_HINT"),
	EXACT(1036, "SET_RW_HINT"),
	EXACT(1037, "GET_FILE_RW_HINT"),
	EXACT(1038, "SET_FILE_RW_HINT"),
};

static const struct syscall_name fd_open_names[] = {
	FLAG(04000, "NONBLOCK"),
	FLAG(040000, "DIRECT"),
	FLAG(02000000, "CLOEXEC"),
};

static const struct syscall_name fd_flags_names[] = {
	FLAG(0x1, "CLOEXEC"),
};

static const struct syscall_name flock_names[] = {
	FLAG(0x1, "SH"),    FLAG(0x2, "EX"),    FLAG(0x4, "NB"),     FLAG(0x8, "UN"),
	FLAG(0x20, "MAND"), FLAG(0x40, "READ"), FLAG(0x80, "WRITE"),
};

static const struct syscall_name falloc_names[] = {
	FLAG(0x1, "KEEP_SIZE"),      FLAG(0x2, "PUNCH_HOLE"),  FLAG(0x4, "NO_HIDE_STALE"),
	FLAG(0x8, "COLLAPSE_RANGE"), FLAG(0x10, "ZERO_RANGE"), FLAG(0x20, "INSERT_RANGE"),
	FLAG(0x40, "UNSHARE_RANGE"),
};

static const struct syscall_name fadvice_names[] = {
	EXACT(0, "NORMAL"),   EXACT(1, "RANDOM"),   EXACT(2, "SEQUENTIAL"),
	EXACT(3, "WILLNEED"), EXACT(4, "DONTNEED"), EXACT(5, "NOREUSE"),
};

static const struct syscall_name epoll_names[] = {
	FLAG(0x80000, "CLOEXEC"),
};

static const struct syscall_name epoll_ctl_names[] = {
	EXACT(1, "ADD"),
	EXACT(2, "DEL"),
	EXACT(3, "MOD"),
};

static const struct syscall_name efd_names[] = {
	FLAG(0x1, "SEMAPHORE"),
	FLAG(0x80000, "CLOEXEC"),
	FLAG(0x800, "NONBLOCK"),
};

static const struct syscall_name mfd_names[] = {
	FLAG(0x1, "CLOEXEC"),     FLAG(0x2, "ALLOW_SEALING"), FLAG(0x4, "HUGETLB"),
	FLAG(0x8, "NOEXEC_SEAL"), FLAG(0x10, "EXEC"),
};

static const struct syscall_name grnd_names[] = {
	FLAG(0x1, "NONBLOCK"),
	FLAG(0x2, "RANDOM"),
	FLAG(0x4, "INSECURE"),
};

static const struct syscall_name clock_names[] = {
	EXACT(0, "REALTIME"),          EXACT(1, "MONOTONIC"),     EXACT(2, "PROCESS_CPUTIME_ID"),
	EXACT(3, "THREAD_CPUTIME_ID"), EXACT(4, "MONOTONIC_RAW"), EXACT(5, "REALTIME_COARSE"),
	EXACT(6, "MONOTONIC_COARSE"),  EXACT(7, "BOOTTIME"),      EXACT(8, "REALTIME_ALARM"),
	EXACT(9, "BOOTTIME_ALARM"),    EXACT(11, "TAI"),
};

static const struct syscall_name timer_names[] = {
	FLAG(0x1, "ABSTIME"),
};

static const struct syscall_name tfd_names[] = {
	FLAG(0x1, "ABSTIME"),
	FLAG(0x2, "CANCEL_ON_SET"),
};

static const struct syscall_name itimer_names[] = {
	EXACT(0, "REAL"),
	EXACT(1, "VIRTUAL"),
	EXACT(2, "PROF"),
};

static const struct syscall_name wait_names[] = {
	FLAG(0x1, "NOHANG"),     FLAG(0x2, "UNTRACED"),     FLAG(0x4, "EXITED"),
	FLAG(0x8, "CONTINUED"),  FLAG(0x1000000, "NOWAIT"), FLAG(0x20000000, "NOTHREAD"),
	FLAG(0x40000000, "ALL"), FLAG(0x80000000, "CLONE"),
};

static const struct syscall_name p_id_names[] = {
	EXACT(0, "ALL"),
	EXACT(1, "PID"),
	EXACT(2, "PGID"),
	EXACT(3, "PIDFD"),
};

static const struct syscall_name rusage_names[] = {
	EXACT(0, "SELF"),
	EXACT(0xffffffff, "CHILDREN"),
	EXACT(1, "THREAD"),
};

static const struct syscall_name rlimit_names[] = {
	EXACT(0, "CPU"),       EXACT(1, "FSIZE"), EXACT(2, "DATA"),    EXACT(3, "STACK"),
	EXACT(4, "CORE"),      EXACT(5, "RSS"),   EXACT(6, "NPROC"),   EXACT(7, "NOFILE"),
	EXACT(8, "MEMLOCK"),   EXACT(9, "AS"),    EXACT(10, "LOCKS"),  EXACT(11, "SIGPENDING"),
	EXACT(12, "MSGQUEUE"), EXACT(13, "NICE"), EXACT(14, "RTPRIO"), EXACT(15, "RTTIME"),
};

static const struct syscall_name prio_names[] = {
	EXACT(0, "PROCESS"),
	EXACT(1, "PGRP"),
	EXACT(2, "USER"),
};

static const struct syscall_name prctl_names[] = {
	EXACT(1, "SET_PDEATHSIG"),
	EXACT(2, "GET_PDEATHSIG"),
	EXACT(3, "GET_DUMPABLE"),
	EXACT(4, "SET_DUMPABLE"),
	EXACT(5, "GET_UNALIGN"),
	EXACT(6, "SET_UNALIGN"),
	EXACT(7, "GET_KEEPCAPS"),
	EXACT(8, "SET_KEEPCAPS"),
	EXACT(9, "GET_FPEMU"),
	EXACT(10, "SET_FPEMU"),
	EXACT(11, "GET_FPEXC"),
	EXACT(12, "SET_FPEXC"),
	EXACT(13, "GET_TIMING"),
	EXACT(14, "SET_TIMING"),
	EXACT(15, "SET_NAME"),
	EXACT(16, "GET_NAME"),
	EXACT(19, "GET_ENDIAN"),
	EXACT(20, "SET_ENDIAN"),
	EXACT(21, "GET_SECCOMP"),
	EXACT(22, "SET_SECCOMP"),
	EXACT(23, "CAPBSET_READ"),
	EXACT(24, "CAPBSET_DROP"),
	EXACT(25, "GET_TSC"),
	EXACT(26, "SET_TSC"),
	EXACT(27, "GET_SECUREBITS"),
	EXACT(28, "SET_SECUREBITS"),
	EXACT(29, "SET_TIMERSLACK"),
	EXACT(30, "GET_TIMERSLACK"),
	EXACT(31, "TASK_PERF_EVENTS_DISABLE"),
	EXACT(32, "TASK_PERF_EVENTS_ENABLE"),
	EXACT(33, "MCE_KILL"),
	EXACT(34, "MCE_KILL_GET"),
	EXACT(35, "SET_MM"),
	EXACT(36, "SET_CHILD_SUBREAPER"),
	EXACT(37, "GET_CHILD_SUBREAPER"),
	EXACT(38, "SET_NO_NEW_PRIVS"),
	EXACT(39, "GET_NO_NEW_PRIVS"),
	EXACT(40, "GET_TID_ADDRESS"),
	EXACT(41, "SET_THP_DISABLE"),
	EXACT(42, "GET_THP_DISABLE"),
	EXACT(45, "SET_FP_MODE"),
	EXACT(46, "GET_FP_MODE"),
	EXACT(47, "CAP_AMBIENT"),
	EXACT(50, "SVE_SET_VL"),
	EXACT(51, "SVE_GET_VL"),
	EXACT(52, "GET_SPECULATION_CTRL"),
	EXACT(53, "SET_SPECULATION_CTRL"),
	EXACT(54, "PAC_RESET_KEYS"),
	EXACT(55, "SET_TAGGED_ADDR_CTRL"),
	EXACT(56, "GET_TAGGED_ADDR_CTRL"),
	EXACT(57, "SET_IO_FLUSHER"),
	EXACT(58, "GET_IO_FLUSHER"),
	EXACT(59, "SET_SYSCALL_USER_DISPATCH"),
	EXACT(60, "PAC_SET_ENABLED_KEYS"),
	EXACT(61, "PAC_GET_ENABLED_KEYS"),
	EXACT(62, "SCHED_CORE"),
	EXACT(63, "SME_SET_VL"),
	EXACT(64, "SME_GET_VL"),
	EXACT(65, "SET_MDWE"),
	EXACT(66, "GET_MDWE"),
	EXACT(67, "SET_MEMORY_MERGE"),
	EXACT(68, "GET_MEMORY_MERGE"),
	EXACT(0x53564d41, "SET_VMA"),
	EXACT(0x59616d61, "SET_PTRACER"),
};

static const struct syscall_name arch_prctl_names[] = {
	EXACT(0x1001, "SET_GS"),
	EXACT(0x1002, "SET_FS"),
	EXACT(0x1003, "GET_FS"),
	EXACT(0x1004, "GET_GS"),
	EXACT(0x1011, "GET_CPUID"),
	EXACT(0x1012, "SET_CPUID"),
	EXACT(0x1021, "GET_XCOMP_SUPP"),
	EXACT(0x1022, "GET_XCOMP_PERM"),
	EXACT(0x1023, "REQ_XCOMP_PERM"),
	EXACT(0x1024, "GET_XCOMP_GUEST_PERM"),
	EXACT(0x1025, "REQ_XCOMP_GUEST_PERM"),
	EXACT(0x2001, "MAP_VDSO_X32"),
	EXACT(0x2002, "MAP_VDSO_32"),
	EXACT(0x2003, "MAP_VDSO_64"),
	EXACT(0x5001, "SHSTK_ENABLE"),
	EXACT(0x5002, "SHSTK_DISABLE"),
	EXACT(0x5003, "SHSTK_LOCK"),
	EXACT(0x5004, "SHSTK_UNLOCK"),
	EXACT(0x5005, "SHSTK_STATUS"),
};

static const struct syscall_name ptrace_names[] = {
	EXACT(0, "TRACEME"),
	EXACT(1, "PEEKTEXT"),
	EXACT(2, "PEEKDATA"),
	EXACT(3, "PEEKUSR"),
	EXACT(4, "POKETEXT"),
	EXACT(5, "POKEDATA"),
	EXACT(6, "POKEUSR"),
	EXACT(7, "CONT"),
	EXACT(8, "KILL"),
	EXACT(9, "SINGLESTEP"),
	EXACT(12, "GETREGS"),
	EXACT(13, "SETREGS"),
	EXACT(14, "GETFPREGS"),
	EXACT(15, "SETFPREGS"),
	EXACT(16, "ATTACH"),
	EXACT(17, "DETACH"),
	EXACT(24, "SYSCALL"),
	EXACT(0x4200, "SETOPTIONS"),
	EXACT(0x4201, "GETEVENTMSG"),
	EXACT(0x4202, "GETSIGINFO"),
	EXACT(0x4203, "SETSIGINFO"),
	EXACT(0x4204, "GETREGSET"),
	EXACT(0x4205, "SETREGSET"),
	EXACT(0x4206, "SEIZE"),
	EXACT(0x4207, "INTERRUPT"),
	EXACT(0x4208, "LISTEN"),
	EXACT(0x4209, "PEEKSIGINFO"),
	EXACT(0x420a, "GETSIGMASK"),
	EXACT(0x420b, "SETSIGMASK"),
	EXACT(0x420c, "SECCOMP_GET_FILTER"),
	EXACT(0x420d, "SECCOMP_GET_METADATA"),
	EXACT(0x420e, "GET_SYSCALL_INFO"),
	EXACT(0x420f, "GET_RSEQ_CONFIGURATION"),
};

static const struct syscall_name seccomp_names[] = {
	EXACT(0, "SET_MODE_STRICT"),
	EXACT(1, "SET_MODE_FILTER"),
	EXACT(2, "GET_ACTION_AVAIL"),
	EXACT(3, "GET_NOTIF_SIZES"),
};

static const struct syscall_name landlock_names[] = {
	EXACT(1, "PATH_BENEATH"),
	EXACT(2, "NET_PORT"),
};

static const struct syscall_name fsconfig_names[] = {
	EXACT(0, "SET_FLAG"),   EXACT(1, "SET_STRING"),      EXACT(2, "SET_BINARY"),
	EXACT(3, "SET_PATH"),   EXACT(4, "SET_PATH_EMPTY"),  EXACT(5, "SET_FD"),
	EXACT(6, "CMD_CREATE"), EXACT(7, "CMD_RECONFIGURE"), EXACT(8, "CMD_CREATE_EXCL"),
};

static const struct syscall_name keyctl_names[] = {
	EXACT(0, "GET_KEYRING_ID"),
	EXACT(1, "JOIN_SESSION_KEYRING"),
	EXACT(2, "UPDATE"),
	EXACT(3, "REVOKE"),
	EXACT(4, "CHOWN"),
	EXACT(5, "SETPERM"),
	EXACT(6, "DESCRIBE"),
	EXACT(7, "CLEAR"),
	EXACT(8, "LINK"),
	EXACT(9, "UNLINK"),
	EXACT(10, "SEARCH"),
	EXACT(11, "READ"),
	EXACT(12, "INSTANTIATE"),
	EXACT(13, "NEGATE"),
	EXACT(14, "SET_REQKEY_KEYRING"),
	EXACT(15, "SET_TIMEOUT"),
	EXACT(16, "ASSUME_AUTHORITY"),
	EXACT(17, "GET_SECURITY"),
	EXACT(18, "SESSION_TO_PARENT"),
	EXACT(19, "REJECT"),
	EXACT(20, "INSTANTIATE_IOV"),
	EXACT(21, "INVALIDATE"),
	EXACT(22, "GET_PERSISTENT"),
	EXACT(23, "DH_COMPUTE"),
	EXACT(24, "PKEY_QUERY"),
	EXACT(25, "PKEY_ENCRYPT"),
	EXACT(26, "PKEY_DECRYPT"),
	EXACT(27, "PKEY_SIGN"),
	EXACT(28, "PKEY_VERIFY"),
	EXACT(29, "RESTRICT_KEYRING"),
	EXACT(30, "MOVE"),
	EXACT(31, "CAPABILITIES"),
	EXACT(32, "WATCH_KEY"),
};

static const struct syscall_name bpf_names[] = {
	EXACT(0, "MAP_CREATE"),
	EXACT(1, "MAP_LOOKUP_ELEM"),
	EXACT(2, "MAP_UPDATE_ELEM"),
	EXACT(3, "MAP_DELETE_ELEM"),
	EXACT(4, "MAP_GET_NEXT_KEY"),
	EXACT(5, "PROG_LOAD"),
	EXACT(6, "OBJ_PIN"),
	EXACT(7, "OBJ_GET"),
	EXACT(8, "PROG_ATTACH"),
	EXACT(9, "PROG_DETACH"),
	EXACT(10, "PROG_TEST_RUN"),
	EXACT(11, "PROG_GET_NEXT_ID"),
	EXACT(12, "MAP_GET_NEXT_ID"),
	EXACT(13, "PROG_GET_FD_BY_ID"),
	EXACT(14, "MAP_GET_FD_BY_ID"),
	EXACT(15, "OBJ_GET_INFO_BY_FD"),
	EXACT(16, "PROG_QUERY"),
	EXACT(17, "RAW_TRACEPOINT_OPEN"),
	EXACT(18, "BTF_LOAD"),
	EXACT(19, "BTF_GET_FD_BY_ID"),
	EXACT(20, "TASK_FD_QUERY"),
	EXACT(21, "MAP_LOOKUP_AND_DELETE_ELEM"),
	EXACT(22, "MAP_FREEZE"),
	EXACT(23, "BTF_GET_NEXT_ID"),
	EXACT(24, "MAP_LOOKUP_BATCH"),
	EXACT(25, "MAP_LOOKUP_AND_DELETE_BATCH"),
	EXACT(26, "MAP_UPDATE_BATCH"),
	EXACT(27, "MAP_DELETE_BATCH"),
	EXACT(28, "LINK_CREATE"),
	EXACT(29, "LINK_UPDATE"),
	EXACT(30, "LINK_GET_FD_BY_ID"),
	EXACT(31, "LINK_GET_NEXT_ID"),
	EXACT(32, "ENABLE_STATS"),
	EXACT(33, "ITER_CREATE"),
	EXACT(34, "LINK_DETACH"),
	EXACT(35, "PROG_BIND_MAP"),
	EXACT(36, "TOKEN_CREATE"),
};

static const struct syscall_name sched_names[] = {
	PART(0xffff, 0, "NORMAL"), PART(0xffff, 1, "FIFO"),           PART(0xffff, 2, "RR"),
	PART(0xffff, 3, "BATCH"),  PART(0xffff, 5, "IDLE"),           PART(0xffff, 6, "DEADLINE"),
	PART(0xffff, 7, "EXT"),    FLAG(0x40000000, "RESET_ON_FORK"),
};

static const struct syscall_name kcmp_names[] = {
	EXACT(0, "FILE"),    EXACT(1, "VM"), EXACT(2, "FILES"),   EXACT(3, "FS"),
	EXACT(4, "SIGHAND"), EXACT(5, "IO"), EXACT(6, "SYSVSEM"), EXACT(7, "EPOLL_TFD"),
};

static const struct syscall_name rename_names[] = {
	FLAG(0x1, "NOREPLACE"),
	FLAG(0x2, "EXCHANGE"),
	FLAG(0x4, "WHITEOUT"),
};

static const struct syscall_name close_range_names[] = {
	FLAG(0x2, "UNSHARE"),
	FLAG(0x4, "CLOEXEC"),
};

static const struct syscall_name splice_names[] = {
	FLAG(0x1, "MOVE"),
	FLAG(0x2, "NONBLOCK"),
	FLAG(0x4, "MORE"),
	FLAG(0x8, "GIFT"),
};

static const struct syscall_name inotify_names[] = {
	FLAG(0x1, "ACCESS"),
	FLAG(0x2, "MODIFY"),
	FLAG(0x4, "ATTRIB"),
	FLAG(0x8, "CLOSE_WRITE"),
	FLAG(0x10, "CLOSE_NOWRITE"),
	FLAG(0x20, "OPEN"),
	FLAG(0x40, "MOVED_FROM"),
	FLAG(0x80, "MOVED_TO"),
	FLAG(0x100, "CREATE"),
	FLAG(0x200, "DELETE"),
	FLAG(0x400, "DELETE_SELF"),
	FLAG(0x800, "MOVE_SELF"),
	FLAG(0x1000000, "ONLYDIR"),
	FLAG(0x2000000, "DONT_FOLLOW"),
	FLAG(0x4000000, "EXCL_UNLINK"),
	FLAG(0x10000000, "MASK_CREATE"),
	FLAG(0x20000000, "MASK_ADD"),
	FLAG(0x40000000, "ISDIR"),
	FLAG(0x80000000, "ONESHOT"),
};

static const struct syscall_name membarrier_names[] = {
	EXACT(0, "QUERY"),
	EXACT(1, "GLOBAL"),
	EXACT(2, "GLOBAL_EXPEDITED"),
	EXACT(4, "REGISTER_GLOBAL_EXPEDITED"),
	EXACT(8, "PRIVATE_EXPEDITED"),
	EXACT(16, "REGISTER_PRIVATE_EXPEDITED"),
	EXACT(32, "PRIVATE_EXPEDITED_SYNC_CORE"),
	EXACT(64, "REGISTER_PRIVATE_EXPEDITED_SYNC_CORE"),
	EXACT(128, "PRIVATE_EXPEDITED_RSEQ"),
	EXACT(256, "REGISTER_PRIVATE_EXPEDITED_RSEQ"),
	EXACT(512, "GET_REGISTRATIONS"),
};

static const struct syscall_name perf_flag_names[] = {
	FLAG(0x1, "FD_NO_GROUP"),
	FLAG(0x2, "FD_OUTPUT"),
	FLAG(0x4, "PID_CGROUP"),
	FLAG(0x8, "FD_CLOEXEC"),
};

static const struct syscall_name xattr_names[] = {
	FLAG(0x1, "CREATE"),
	FLAG(0x2, "REPLACE"),
};

static const struct syscall_name rwf_names[] = {
	FLAG(0x1, "HIPRI"),   FLAG(0x2, "DSYNC"),     FLAG(0x4, "SYNC"),    FLAG(0x8, "NOWAIT"),
	FLAG(0x10, "APPEND"), FLAG(0x20, "NOAPPEND"), FLAG(0x40, "ATOMIC"), FLAG(0x80, "DONTCACHE"),
};

static const struct syscall_name ioctl_names[] = {
	EXACT(0x5401, "TCGETS"),
	EXACT(0x5402, "TCSETS"),
	EXACT(0x5403, "TCSETSW"),
	EXACT(0x5404, "TCSETSF"),
	EXACT(0x5413, "TIOCGWINSZ"),
	EXACT(0x5414, "TIOCSWINSZ"),
	EXACT(0x540f, "TIOCGPGRP"),
	EXACT(0x5410, "TIOCSPGRP"),
	EXACT(0x540e, "TIOCSCTTY"),
	EXACT(0x5422, "TIOCNOTTY"),
	EXACT(0x80045430, "TIOCGPTN"),
	EXACT(0x40045431, "TIOCSPTLCK"),
	EXACT(0x5441, "TIOCGPTPEER"),
	EXACT(0x5411, "TIOCOUTQ"),
	EXACT(0x541b, "FIONREAD"),
	EXACT(0x5421, "FIONBIO"),
	EXACT(0x5452, "FIOASYNC"),
	EXACT(0x5451, "FIOCLEX"),
	EXACT(0x5450, "FIONCLEX"),
	EXACT(0x8912, "SIOCGIFCONF"),
	EXACT(0x8910, "SIOCGIFNAME"),
	EXACT(0x8933, "SIOCGIFINDEX"),
	EXACT(0x8913, "SIOCGIFFLAGS"),
	EXACT(0x8914, "SIOCSIFFLAGS"),
	EXACT(0x8915, "SIOCGIFADDR"),
	EXACT(0x8927, "SIOCGIFHWADDR"),
	EXACT(0x8921, "SIOCGIFMTU"),
	EXACT(0x8946, "SIOCETHTOOL"),
	EXACT(0x5411, "SIOCOUTQ"),
	EXACT(0x40049409, "FICLONE"),
	EXACT(0x4020940d, "FICLONERANGE"),
	EXACT(0x80086601, "FS_IOC_GETFLAGS"),
	EXACT(0x40086602, "FS_IOC_SETFLAGS"),
	EXACT(0xc020660b, "FIEMAP"),
	EXACT(0x2400, "PERF_EVENT_IOC_ENABLE"),
	EXACT(0x2401, "PERF_EVENT_IOC_DISABLE"),
	EXACT(0x2402, "PERF_EVENT_IOC_REFRESH"),
	EXACT(0x2403, "PERF_EVENT_IOC_RESET"),
	EXACT(0x40082404, "PERF_EVENT_IOC_PERIOD"),
	EXACT(0x2405, "PERF_EVENT_IOC_SET_OUTPUT"),
	EXACT(0x40082406, "PERF_EVENT_IOC_SET_FILTER"),
	EXACT(0x80082407, "PERF_EVENT_IOC_ID"),
	EXACT(0x40042408, "PERF_EVENT_IOC_SET_BPF"),
	EXACT(0x40042409, "PERF_EVENT_IOC_PAUSE_OUTPUT"),
	EXACT(0xc008240a, "PERF_EVENT_IOC_QUERY_BPF"),
	EXACT(0x4008240b, "PERF_EVENT_IOC_MODIFY_ATTRIBUTES"),
	EXACT(0x80081272, "BLKGETSIZE64"),
	EXACT(0x1268, "BLKSSZGET"),
	EXACT(0x1277, "BLKDISCARD"),
	EXACT(0x400454ca, "TUNSETIFF"),
	EXACT(0x800454d2, "TUNGETIFF"),
	EXACT(0xae80, "KVM_RUN"),
	EXACT(0xae01, "KVM_CREATE_VM"),
	EXACT(0xae41, "KVM_CREATE_VCPU"),
	EXACT(0x80247009, "RTC_RD_TIME"),
	EXACT(0x4c00, "LOOP_SET_FD"),
	EXACT(0x4c01, "LOOP_CLR_FD"),
	EXACT(0x4c82, "LOOP_CTL_GET_FREE"),
};

struct syscall_name_list {
	const struct syscall_name *v;
	size_t nr;
};

#define NAMES(list)                    \
	{                              \
		list, ARRAY_SIZE(list) \
	}

static const struct syscall_name_list lists[SYSCALL_KINDS] = {
	[SYSCALL_OPEN] = NAMES(open_names),
	[SYSCALL_ACCESS] = NAMES(access_names),
	[SYSCALL_AT] = NAMES(at_names),
	[SYSCALL_ACCESS_AT] = NAMES(access_at_names),
	[SYSCALL_UNLINK_AT] = NAMES(unlink_at_names),
	[SYSCALL_OPEN_TREE] = NAMES(open_tree_names),
	[SYSCALL_STATX] = NAMES(statx_names),
	[SYSCALL_PROT] = NAMES(prot_names),
	[SYSCALL_MAP] = NAMES(map_names),
	[SYSCALL_MREMAP] = NAMES(mremap_names),
	[SYSCALL_MSYNC] = NAMES(msync_names),
	[SYSCALL_MS] = NAMES(ms_names),
	[SYSCALL_UMOUNT] = NAMES(umount_names),
	[SYSCALL_MLOCKALL] = NAMES(mlockall_names),
	[SYSCALL_MADVICE] = NAMES(madvice_names),
	[SYSCALL_SEEK] = NAMES(seek_names),
	[SYSCALL_SIGNAL] = NAMES(signal_names),
	[SYSCALL_SIG_HOW] = NAMES(sig_how_names),
	[SYSCALL_FAMILY] = NAMES(family_names),
	[SYSCALL_SOCK_TYPE] = NAMES(sock_type_names),
	[SYSCALL_SOCK_FLAGS] = NAMES(sock_flags_names),
	[SYSCALL_SOL] = NAMES(sol_names),
	[SYSCALL_MSG] = NAMES(msg_names),
	[SYSCALL_IPPROTO] = NAMES(ipproto_names),
	[SYSCALL_SHUTDOWN] = NAMES(shutdown_names),
	[SYSCALL_CLONE] = NAMES(clone_names),
	[SYSCALL_FUTEX] = NAMES(futex_names),
	[SYSCALL_FCNTL] = NAMES(fcntl_names),
	[SYSCALL_FD_OPEN] = NAMES(fd_open_names),
	[SYSCALL_FD_FLAGS] = NAMES(fd_flags_names),
	[SYSCALL_FLOCK] = NAMES(flock_names),
	[SYSCALL_FALLOC] = NAMES(falloc_names),
	[SYSCALL_FADVICE] = NAMES(fadvice_names),
	[SYSCALL_EPOLL] = NAMES(epoll_names),
	[SYSCALL_EPOLL_CTL] = NAMES(epoll_ctl_names),
	[SYSCALL_EFD] = NAMES(efd_names),
	[SYSCALL_MFD] = NAMES(mfd_names),
	[SYSCALL_GRND] = NAMES(grnd_names),
	[SYSCALL_CLOCK] = NAMES(clock_names),
	[SYSCALL_TIMER] = NAMES(timer_names),
	[SYSCALL_TFD] = NAMES(tfd_names),
	[SYSCALL_ITIMER] = NAMES(itimer_names),
	[SYSCALL_WAIT] = NAMES(wait_names),
	[SYSCALL_P_ID] = NAMES(p_id_names),
	[SYSCALL_RUSAGE] = NAMES(rusage_names),
	[SYSCALL_RLIMIT] = NAMES(rlimit_names),
	[SYSCALL_PRIO] = NAMES(prio_names),
	[SYSCALL_PRCTL] = NAMES(prctl_names),
	[SYSCALL_ARCH_PRCTL] = NAMES(arch_prctl_names),
	[SYSCALL_PTRACE] = NAMES(ptrace_names),
	[SYSCALL_SECCOMP] = NAMES(seccomp_names),
	[SYSCALL_BPF] = NAMES(bpf_names),
	[SYSCALL_SCHED] = NAMES(sched_names),
	[SYSCALL_KCMP] = NAMES(kcmp_names),
	[SYSCALL_RENAME] = NAMES(rename_names),
	[SYSCALL_CLOSE_RANGE] = NAMES(close_range_names),
	[SYSCALL_SPLICE] = NAMES(splice_names),
	[SYSCALL_INOTIFY] = NAMES(inotify_names),
	[SYSCALL_MEMBARRIER] = NAMES(membarrier_names),
	[SYSCALL_LANDLOCK] = NAMES(landlock_names),
	[SYSCALL_FSCONFIG] = NAMES(fsconfig_names),
	[SYSCALL_KEYCTL] = NAMES(keyctl_names),
	[SYSCALL_PERF_FLAG] = NAMES(perf_flag_names),
	[SYSCALL_XATTR] = NAMES(xattr_names),
	[SYSCALL_RWF] = NAMES(rwf_names),
	[SYSCALL_IOCTL] = NAMES(ioctl_names),
};

static const struct syscall_name_list open_of_arm = NAMES(open_arm64_names);

static const struct syscall_name_list *list_of(enum syscall_kind kind, bool arm)
{
	return kind == SYSCALL_OPEN && arm ? &open_of_arm : &lists[kind];
}

const char *syscall_names_at(enum syscall_kind kind, bool arm, u32 i, u32 *mask, u32 *value)
{
	const struct syscall_name_list *list = list_of(kind, arm);

	if (i >= list->nr)
		return NULL;
	*mask = list->v[i].mask;
	*value = list->v[i].value;
	return list->v[i].name;
}

#define FIRST_REALTIME 32u
#define LAST_REALTIME  64u

void syscall_names_put(enum syscall_kind kind, u64 value, bool arm, struct buf *out)
{
	const struct syscall_name_list *list = list_of(kind, arm);
	const struct syscall_name *n;
	u32 left = (u32)value, done = 0;
	bool any = false;

	if (kind == SYSCALL_SIGNAL && left >= FIRST_REALTIME && left <= LAST_REALTIME) {
		buf_adds(out, "RT_");
		buf_dec(out, left - FIRST_REALTIME, 0);
		return;
	}
	for (n = list->v; n < list->v + list->nr; n++) {
		if (((u32)value & n->mask) != n->value || (done & n->mask))
			continue;
		if (any)
			buf_addc(out, '|');
		buf_adds(out, n->name);
		any = true;
		done |= n->mask;
	}
	left &= ~done;
	if (any && !left)
		return;
	if (any)
		buf_addc(out, '|');
	if (left)
		buf_adds(out, "0x");
	buf_hex(out, left, 0);
}
