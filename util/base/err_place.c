// SPDX-License-Identifier: GPL-2.0
#include "util/base/err_place.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

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
