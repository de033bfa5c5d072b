// SPDX-License-Identifier: GPL-2.0
#include "util/base/errno_names.h"

#include <string.h>

/* clang-format off */
static const char *const names[] = {
	[1] = "EPERM", "ENOENT", "ESRCH", "EINTR", "EIO", "ENXIO", "E2BIG", "ENOEXEC", "EBADF",
	[10] = "ECHILD", "EAGAIN", "ENOMEM", "EACCES", "EFAULT", "ENOTBLK", "EBUSY", "EEXIST",
	[18] = "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE", "ENOTTY",
	[26] = "ETXTBSY", "EFBIG", "ENOSPC", "ESPIPE", "EROFS", "EMLINK", "EPIPE", "EDOM",
	[34] = "ERANGE", "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP",
	[42] = "ENOMSG", "EIDRM", "ECHRNG", "EL2NSYNC", "EL3HLT", "EL3RST", "ELNRNG", "EUNATCH",
	[50] = "ENOCSI", "EL2HLT", "EBADE", "EBADR", "EXFULL", "ENOANO", "EBADRQC", "EBADSLT",
	[59] = "EBFONT", "ENOSTR", "ENODATA", "ETIME", "ENOSR", "ENONET", "ENOPKG", "EREMOTE",
	[67] = "ENOLINK", "EADV", "ESRMNT", "ECOMM", "EPROTO", "EMULTIHOP", "EDOTDOT", "EBADMSG",
	[75] = "EOVERFLOW", "ENOTUNIQ", "EBADFD", "EREMCHG", "ELIBACC", "ELIBBAD", "ELIBSCN",
	[82] = "ELIBMAX", "ELIBEXEC", "EILSEQ", "ERESTART", "ESTRPIPE", "EUSERS", "ENOTSOCK",
	[89] = "EDESTADDRREQ", "EMSGSIZE", "EPROTOTYPE", "ENOPROTOOPT", "EPROTONOSUPPORT",
	[94] = "ESOCKTNOSUPPORT", "EOPNOTSUPP", "EPFNOSUPPORT", "EAFNOSUPPORT", "EADDRINUSE",
	[99] = "EADDRNOTAVAIL", "ENETDOWN", "ENETUNREACH", "ENETRESET", "ECONNABORTED",
	[104] = "ECONNRESET", "ENOBUFS", "EISCONN", "ENOTCONN", "ESHUTDOWN", "ETOOMANYREFS",
	[110] = "ETIMEDOUT", "ECONNREFUSED", "EHOSTDOWN", "EHOSTUNREACH", "EALREADY",
	[115] = "EINPROGRESS", "ESTALE", "EUCLEAN", "ENOTNAM", "ENAVAIL", "EISNAM", "EREMOTEIO",
	[122] = "EDQUOT", "ENOMEDIUM", "EMEDIUMTYPE", "ECANCELED", "ENOKEY", "EKEYEXPIRED",
	[128] = "EKEYREVOKED", "EKEYREJECTED", "EOWNERDEAD", "ENOTRECOVERABLE", "ERFKILL",
	[133] = "EHWPOISON",
};
/* clang-format on */

/* What only tracers see of calls that a signal interrupted: from ERESTARTSYS on. */
static const struct {
	const char *name, *text;
} restarts[] = {
	{"ERESTARTSYS", "To be restarted if SA_RESTART is set"},
	{"ERESTARTNOINTR", "To be restarted"},
	{"ERESTARTNOHAND", "To be restarted if no handler"},
	{"ENOIOCTLCMD", "No ioctl command"},
	{"ERESTART_RESTARTBLOCK", "Interrupted by signal"},
};

static const struct {
	const char *name;
	u32 value;
} others[] = {{"EWOULDBLOCK", 11}, {"EDEADLOCK", 35}, {"ENOTSUP", 95}};

#define FIRST_RESTART 512u

static bool is_restart(u32 value)
{
	return value >= FIRST_RESTART && value - FIRST_RESTART < ARRAY_SIZE(restarts);
}

const char *errno_name(u32 value)
{
	if (is_restart(value))
		return restarts[value - FIRST_RESTART].name;
	return value < ARRAY_SIZE(names) ? names[value] : NULL;
}

const char *errno_text(u32 value)
{
	if (is_restart(value))
		return restarts[value - FIRST_RESTART].text;
	return errno_name(value) ? strerror((int)value) : NULL;
}

u32 errno_value(const char *name, size_t len)
{
	const char *known;
	size_t i;
	u32 v;

	for (v = 1; v < FIRST_RESTART + ARRAY_SIZE(restarts); v++) {
		known = errno_name(v);
		if (known && strlen(known) == len && !memcmp(known, name, len))
			return v;
	}
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (strlen(others[i].name) == len && !memcmp(others[i].name, name, len))
			return others[i].value;
	return 0;
}
