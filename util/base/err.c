// SPDX-License-Identifier: GPL-2.0
#include "util/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What does not fit ends in "...". */
static void shorten(char *to, size_t size, int len)
{
	if (len >= 0 && (size_t)len >= size)
		memcpy(to + size - sizeof("..."), "...", sizeof("..."));
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (code <= 0)
		code = EINVAL;
	if (e) {
		e->code = code;
		e->hint[0] = '\0';
		va_start(ap, fmt);
		shorten(e->msg, sizeof(e->msg), vsnprintf(e->msg, sizeof(e->msg), fmt, ap));
		va_end(ap);
	}
	return -code;
}

void err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	shorten(e->hint, sizeof(e->hint), vsnprintf(e->hint, sizeof(e->hint), fmt, ap));
	va_end(ap);
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	size_t len;
	va_list ap;

	if (!e)
		return;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", old);
}

int err_nomem(struct err *e)
{
	return err_set(e, ENOMEM, "out of memory");
}
