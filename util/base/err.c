// SPDX-License-Identifier: GPL-2.0
#include "util/base/err.h"

#include <ctype.h>
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

int err_refuse(struct err *e, const char *message, const char *hint)
{
	err_set(e, EINVAL, "%s", message);
	err_hint(e, "%s", hint);
	return -EINVAL;
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

#define SHOWN  72 /* bytes of a long text around the place */
#define BEFORE 40

int err_place(struct err *e, const char *head, const char *text, const char *at, const char *fmt,
	      va_list ap)
{
	size_t pos = (size_t)(at - text);
	size_t from = pos > BEFORE + 2 ? pos - BEFORE : 0;
	size_t len = strnlen(text + from, SHOWN + 1);
	bool cut = len > SHOWN;
	char shown[SHOWN + 1], what[512];
	size_t i;

	/* One column each, or the arrow would point elsewhere. */
	len = MIN(len, (size_t)SHOWN);
	for (i = 0; i < len; i++)
		shown[i] = isprint((u8)text[from + i]) ? text[from + i] : '?';
	shown[len] = '\0';
	vsnprintf(what, sizeof(what), fmt, ap);
	return err_set(e, EINVAL, "%s'%s%s%s'\n%*s\\___ %s", head, from ? ".." : "", shown,
		       cut ? ".." : "", (int)(strlen(head) + 1 + (from ? 2 : 0) + pos - from), "",
		       what);
}
