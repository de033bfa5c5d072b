/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall.h - system calls: the names of their arguments and of the values of these, where the records of a
 * tracepoint have them, and their text.
 */
#ifndef SYSCALL_SYSCALL_H
#define SYSCALL_SYSCALL_H

#include "arch/arch.h"
#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/tracepoint/tp_field.h"
#include "util/tracepoint/tp_names.h"

/*
 * syscall_names.c: what the arguments of system calls are, and the names of their values.
 *
 * Names are without their prefix (O_, PROT_, AF_), as perf trace prints them. They are the same on
 * every machine but for a few flags of open(2), which arm has otherwise.
 *
 * Source: the manual pages of the calls, section 2; <asm-generic/> and <linux/> of Linux 6.18.
 */

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
	SYSCALL_LANDLOCK,
	SYSCALL_FSCONFIG,
	SYSCALL_KEYCTL,
	SYSCALL_PERF_FLAG,
	SYSCALL_XATTR,
	SYSCALL_RWF,
	SYSCALL_IOCTL,
	SYSCALL_KINDS,
};

#define SYSCALL_FIRST_NAMED SYSCALL_OPEN

/* Is it the address of what is shown as a text? */
static inline bool syscall_is_text(enum syscall_kind kind)
{
	return kind == SYSCALL_STR || kind == SYSCALL_SOCKADDR;
}

static inline bool syscall_is_descriptor(enum syscall_kind kind)
{
	return kind == SYSCALL_FD || kind == SYSCALL_DIRFD;
}

/* Append "RDONLY|CLOEXEC", "SETFD"; what has no name as 0x40. Of the kinds from SYSCALL_FIRST_NAMED on. */
void syscall_names_put(enum syscall_kind kind, u64 value, bool arm, struct buf *out);
/* One name after the other, NULL after the last one: the bits of *mask being *value have it. */
const char *syscall_names_at(enum syscall_kind kind, bool arm, u32 i, u32 *mask, u32 *value);

/*
 * syscall_signatures.c: the arguments of the system calls that are known here, and what they return.
 *
 * Source: the formats of syscalls:sys_enter_* of Linux 6.18, whose names of arguments these are;
 * the manual pages of the calls.
 */

#define SYSCALL_ARGS 6

struct syscall_arg {
	const char *name; /* NULL: there is none */
	enum syscall_kind kind;
};

struct syscall {
	const char *name;         /* as in the manual */
	enum syscall_kind result; /* LONG: a number, and as every result perhaps -ERRNO */
	struct syscall_arg args[SYSCALL_ARGS];
};

/* NULL: not known. */
const struct syscall *syscall_signatures_find(const char *name);
/* All of them, up to the first NULL. */
const struct syscall *syscall_signatures_at(u32 i);

/* Has any of them an argument of this name? Those of calls that are not known are arg1 to arg6. */
bool syscall_signatures_has_arg(const char *name);
/* The same, and it is the address of a text in the memory of the process? */
bool syscall_signatures_has_text(const char *name);

/*
 * syscall_layout.c: where the records of a tracepoint have the system call: its number, arguments,
 * result.
 *
 *	raw_syscalls:sys_enter  sys_exit            of all calls, by number
 *	syscalls:sys_enter_X    syscalls:sys_exit_X of one; a field for each argument, and texts that
 *	                                            the kernel read itself as __data_loc __ARG_val
 *
 * The first of them may have expressions for fields (ev_expr.h): id, arg1 to arg6, and path.
 *
 * A call that is not known here (syscall_signatures.c) has the arguments of its format.
 *
 * Source: include/trace/events/syscalls.h, kernel/trace/trace_syscalls.c.
 */

enum syscall_side { SYSCALL_NEITHER, SYSCALL_ENTER, SYSCALL_EXIT };

struct syscall_layout {
	enum syscall_side side;
	const struct syscall *call; /* of events of one call; NULL: by its number */
	struct syscall own;         /* what `call` is where it is not known here */
	const struct tp_field *nr, *result;
	const struct tp_field *array;                /* of all arguments, NULL: they are fields */
	const struct tp_field *fields[SYSCALL_ARGS]; /* NULL: there is none */
	const struct tp_field *texts[SYSCALL_ARGS];  /* likewise */
	const struct tp_field
		*path; /* of the file behind the first of them; NULL: it is not there */
};

/* The format and the strings must outlive the layout; an event that is neither has NEITHER. */
void syscall_layout_init(struct syscall_layout *l, const char *system, const char *name,
			 const struct tp_format *format);

/* False: the record is too short. */
bool syscall_layout_nr(const struct syscall_layout *l, const void *raw, size_t len, u64 *nr);
bool syscall_layout_result(const struct syscall_layout *l, const void *raw, size_t len,
			   s64 *result);
/* Arguments that are not there are 0. */
bool syscall_layout_args(const struct syscall_layout *l, const void *raw, size_t len,
			 u64 args[static SYSCALL_ARGS]);

/*
 * syscall_text.c: the arguments and the result of one system call, as text and as JSON.
 *
 *	dfd: CWD, filename: "/etc/hosts"~, flags: RDONLY|CLOEXEC     -1 ENOENT (No such file or directory)
 *
 *	uservaddr: {family: INET, host: 127.0.0.1, port: 53}~
 *
 *	fd: 3</etc/hosts>	where the path of a descriptor is known
 *
 * A text that was read from the process later than the call was made is marked by ~. Arguments that
 * a call does not look at are left out: the mode of an open(2) that creates nothing.
 *
 * As JSON an argument is a number (an integer, a descriptor), {"value":524288,"name":"CLOEXEC"} where values have
 * names, or an address as a string; one that a text is known of is
 * {"address":"0x7f..","text":"/etc/hosts","late":true}, a descriptor whose path is known {"value":3,"file":"/etc/hosts"}, a socket's address
 * {"address":"0x7f..","family":"INET","host":"127.0.0.1","port":53,"late":true}.
 */

struct syscall_string {
	const char *s; /* NULL: not known */
	u32 len;
	bool late; /* read after the call was made */
	bool cut;  /* it goes on */
};

struct syscall_call {
	const struct syscall *what; /* NULL: not known */
	const char *name;           /* where its arguments are not known; NULL: it is not either */
	u64 nr;
	u64 args[SYSCALL_ARGS];
	struct syscall_string texts[SYSCALL_ARGS];
	u8 hidden; /* a bit for each argument that is left out of JSON */
	bool arm;  /* made on arm64 */
};

/* Append its name, or syscall_471. */
void syscall_text_name(const struct syscall_call *c, struct buf *out);
void syscall_text_args(const struct syscall_call *c, struct buf *out);
/* One of them: "dfd: CWD", and "CWD". */
void syscall_text_arg(const struct syscall_call *c, u32 arg, struct buf *out);
void syscall_text_value(const struct syscall_call *c, u32 arg, struct buf *out);
/* What the arguments are; of a call that is not known arg1 to arg6. */
const struct syscall_arg *syscall_text_args_of(const struct syscall_call *c);
/* Append "3", "0x7f1200000000", "-1 EBADF (Bad file descriptor)". */
void syscall_text_result(const struct syscall_call *c, s64 result, struct buf *out);
/* Append an object. */
void syscall_text_json(const struct syscall_call *c, struct buf *out);

/* Append "3", "EBADF". */
void syscall_text_outcome(const struct syscall_call *c, s64 result, struct buf *out);

/* The errno that a result is, 0: it is none. */
static inline u32 syscall_errno(s64 result)
{
	return result < 0 && result >= -4095 ? (u32)-result : 0;
}

/* How many arguments the call looks at. */
u32 syscall_text_nr_args(const struct syscall_call *c);

/*
 * syscall_file.c: append the file that a call is about, as it is: the one that it names, below its directory where both are
 * known, else that of the descriptor which is its first argument. False: there is none, or it is not known.
 */
bool syscall_file_put(const struct syscall_call *c, struct buf *out);

/*
 * The address of a socket, as a program gave it to the kernel of this machine: of any length, and
 * of no family that needs to exist.
 *
 *	{family: INET, host: 127.0.0.1, port: 53}	{family: LOCAL, path: "/run/nscd/socket"}
 *	{family: INET6, host: ::1, port: 53}		{family: NETLINK}
 *
 * A path that begins with NUL, in no file system, begins with @.
 */
void syscall_sockaddr_text(const void *bytes, size_t len, struct buf *out);
/* Append members to an object: "family":"INET","host":"127.0.0.1","port":53. */
void syscall_sockaddr_json(const void *bytes, size_t len, struct buf *out);

/*
 * syscall_filter.c: which calls are wanted: an expression of tp_filter.h over `syscall`, `ret`, `duration` (ns), `file` and the
 * arguments by name. A call without an argument that it names does not pass, nor one where what is not known of it
 * decides.
 *
 *	duration > 10ms && ret < 0	syscall == openat && filename ~ "*.conf"	fd == 3
 */
struct syscall_filter;

/* A call, as far as it is known. */
struct syscall_tested {
	const struct syscall_call *call;
	bool begun, ended; /* its arguments, its result are known */
	bool timed;   /* so is its duration: it began, ended, and nothing was lost in between */
	u64 duration; /* ns */
	s64 result;
	u32 cpu;
	s32 tid;
	const char *comm;
};

/* What `syscall` may be, besides what is known of any machine: a name that is none of these is a mistake. */
struct syscall_names {
	const struct arch_syscalls
		*table;          /* NULL: of a machine that is not known, any name may be one */
	const char *const *more; /* those of tracepoints */
	u32 nr;
	bool has_files; /* `file` is that of syscall_file_put() */
	bool arm;       /* the calls were made on arm64 */
};

/* syscall_filter_names.c: the type of an argument whose values have names, in the format that a filter sees, and these. */
void syscall_filter_put_type(struct buf *out, enum syscall_kind kind);
int syscall_filter_names(const char *type, bool arm, struct tp_name_list *list, struct err *err);

/* NULL: no call can pass, with the place and a hint. */
struct syscall_filter *syscall_filter_parse(const char *text, const struct syscall_names *names,
					    struct err *err);
/* Can it be one of some call; `every`: of all of them, since it names no arguments? 1, 0 or -ENOMEM. */
int syscall_filter_suits(const char *text, bool every);
/* Of one that suits: does it suit no call whose texts are not known? 1, 0 or -ENOMEM. */
int syscall_filter_needs_texts(const char *text);
/* May it name a text in the memory of processes? */
bool syscall_filter_asks_texts(const char *text);
/* 1, 0 or -ENOMEM. */
int syscall_filter_pass(struct syscall_filter *f, const struct syscall_tested *t, struct err *err);
/* Were there calls, and lacked all of them an argument that it names, so that none passed? NULL: no. */
bool syscall_filter_misses(const struct syscall_filter *f);
void syscall_filter_free(struct syscall_filter *f); /* NULL, too */

#endif
