// SPDX-License-Identifier: GPL-2.0
#include "util/capture/seen_names.h"

#include <string.h>

#include "util/base/text.h"

size_t seen_names_length(const struct seen_names *n, const char *name)
{
	size_t max = n->long_bytes < SEEN_NAMES_LONG ? SYM_NAME_MAX : SEEN_NAME_SHORT;

	return text_cut(name, strlen(name), max);
}

void seen_names_add(struct seen_names *n, const char *name, size_t len)
{
	if (len > SEEN_NAME_SHORT)
		n->long_bytes += len;
	n->cut += name[len] != '\0';
}
