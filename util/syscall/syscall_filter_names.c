// SPDX-License-Identifier: GPL-2.0
#include "util/syscall/syscall.h"

#include <string.h>

#include "util/base/num.h"

#define TYPE "enum syscall_kind_"

/* What the names have in front in programs. */
static const char *const prefixes[SYSCALL_KINDS] = {
	[SYSCALL_OPEN] = "O_",
	[SYSCALL_AT] = "AT_",
	[SYSCALL_ACCESS_AT] = "AT_",
	[SYSCALL_UNLINK_AT] = "AT_",
	[SYSCALL_STATX] = "STATX_",
	[SYSCALL_PROT] = "PROT_",
	[SYSCALL_MAP] = "MAP_",
	[SYSCALL_MREMAP] = "MREMAP_",
	[SYSCALL_MSYNC] = "MS_",
	[SYSCALL_MS] = "MS_",
	[SYSCALL_UMOUNT] = "MNT_",
	[SYSCALL_MLOCKALL] = "MCL_",
	[SYSCALL_MADVICE] = "MADV_",
	[SYSCALL_SEEK] = "SEEK_",
	[SYSCALL_SIGNAL] = "SIG",
	[SYSCALL_SIG_HOW] = "SIG_",
	[SYSCALL_FAMILY] = "AF_",
	[SYSCALL_SOCK_TYPE] = "SOCK_",
	[SYSCALL_SOCK_FLAGS] = "SOCK_",
	[SYSCALL_SOL] = "SOL_",
	[SYSCALL_MSG] = "MSG_",
	[SYSCALL_IPPROTO] = "IPPROTO_",
	[SYSCALL_SHUTDOWN] = "SHUT_",
	[SYSCALL_CLONE] = "CLONE_",
	[SYSCALL_FUTEX] = "FUTEX_",
	[SYSCALL_FCNTL] = "F_",
	[SYSCALL_FD_OPEN] = "O_",
	[SYSCALL_FD_FLAGS] = "FD_",
	[SYSCALL_FLOCK] = "LOCK_",
	[SYSCALL_FALLOC] = "FALLOC_FL_",
	[SYSCALL_FADVICE] = "POSIX_FADV_",
	[SYSCALL_EPOLL] = "EPOLL_",
	[SYSCALL_EPOLL_CTL] = "EPOLL_CTL_",
	[SYSCALL_EFD] = "EFD_",
	[SYSCALL_MFD] = "MFD_",
	[SYSCALL_GRND] = "GRND_",
	[SYSCALL_CLOCK] = "CLOCK_",
	[SYSCALL_TIMER] = "TIMER_",
	[SYSCALL_TFD] = "TFD_",
	[SYSCALL_ITIMER] = "ITIMER_",
	[SYSCALL_P_ID] = "P_",
	[SYSCALL_RUSAGE] = "RUSAGE_",
	[SYSCALL_RLIMIT] = "RLIMIT_",
	[SYSCALL_PRIO] = "PRIO_",
	[SYSCALL_PRCTL] = "PR_",
	[SYSCALL_ARCH_PRCTL] = "ARCH_",
	[SYSCALL_PTRACE] = "PTRACE_",
	[SYSCALL_SECCOMP] = "SECCOMP_",
	[SYSCALL_BPF] = "BPF_",
	[SYSCALL_SCHED] = "SCHED_",
	[SYSCALL_KCMP] = "KCMP_",
	[SYSCALL_RENAME] = "RENAME_",
	[SYSCALL_CLOSE_RANGE] = "CLOSE_RANGE_",
	[SYSCALL_SPLICE] = "SPLICE_F_",
	[SYSCALL_INOTIFY] = "IN_",
	[SYSCALL_MEMBARRIER] = "MEMBARRIER_CMD_",
	[SYSCALL_FSCONFIG] = "FSCONFIG_",
	[SYSCALL_KEYCTL] = "KEYCTL_",
	[SYSCALL_PERF_FLAG] = "PERF_FLAG_",
	[SYSCALL_XATTR] = "XATTR_",
	[SYSCALL_RWF] = "RWF_",
};

void syscall_filter_put_type(struct buf *out, enum syscall_kind kind)
{
	u32 mask, value;

	if (kind == SYSCALL_DIRFD || syscall_names_at(kind, false, 0, &mask, &value))
		buf_addf(out, TYPE "%u", (unsigned int)kind);
	else
		buf_adds(out, "long");
}

static bool add_name(struct tp_name_list *list, const char *prefix, const char *name, u64 value)
{
	struct tp_value_name *n = vec_push(&list->v);
	const char *text = arena_printf(&list->arena, "%s%s", prefix, name);

	if (!n || !text)
		return false;
	*n = (struct tp_value_name){value, text, strlen(text)};
	return true;
}

int syscall_filter_names(const char *type, bool arm, struct tp_name_list *list, struct err *err)
{
	const char *name, *prefix;
	enum syscall_kind kind;
	u32 mask, value, i, with;
	bool ok = true;
	u64 number;

	if (strncmp(type, TYPE, strlen(TYPE)) != 0 || !num_u64(type + strlen(TYPE), &number) ||
	    number >= SYSCALL_KINDS)
		return 0;
	kind = (enum syscall_kind)number;
	prefix = prefixes[kind];
	if (kind == SYSCALL_DIRFD)
		ok = add_name(list, "", "CWD", (u64)-100) &&
		     add_name(list, "", "AT_FDCWD", (u64)-100);
	/* those with their prefixes are behind all others, which is how values are printed */
	for (with = 0; with < (prefix ? 2 : 1); with++)
		for (i = 0; ok && (name = syscall_names_at(kind, arm, i, &mask, &value)); i++) {
			ok = add_name(list, with ? prefix : "", name, value);
			list->flags |= mask != UINT32_MAX;
		}
	list->whole = true;
	return ok ? 0 : err_nomem(err);
}
