// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of tracepoints: a format text, a byte 0, the filter, a byte 0, and the raw record. Whatever they
 * hold, what is parsed goes to the kernel and runs within its bounds, and what goes to the kernel can be
 * parsed again and all goes there again.
 */
#include <stdlib.h>
#include <string.h>

#include "util/tracepoint/tp_filter.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static int of_type(void *arg, const char *type, struct tp_name_list *list, struct err *err)
{
	struct tp_value_name *n = vec_push(&list->v);

	(void)arg;
	if (!n)
		return err_nomem(err);
	*n = (struct tp_value_name){strlen(type), type, strlen(type)};
	return 0;
}

static int function(void *arg, const char *name, u64 *start, u64 *end, const char **meant)
{
	(void)arg;
	*start = 0x1000;
	*end = 0x2000;
	*meant = NULL;
	return *name == 'f';
}

static bool symbol(void *arg, u64 addr, bool with_offset, struct buf *out)
{
	(void)arg;
	(void)with_offset;
	buf_adds(out, "f");
	return addr & 1;
}

static void run(const struct tp_format *f, const char *text, const struct tp_filter_opts *o,
		const void *raw, size_t len)
{
	const struct tp_filter_sample s = {
		.raw = raw, .len = len, .cpu = 1, .tid = 7, .comm = "sh", .symbol = symbol};
	struct tp_filter *filter, *again;
	struct err err = {0};

	filter = tp_filter_parse(f, text, o, &err);
	if (!filter) {
		if (!err.code || !err.msg[0])
			abort();
		return;
	}
	if ((o->here_only && filter->kernel) || !filter->here != !filter->rest ||
	    (!filter->here && !filter->kernel))
		abort();
	tp_filter_pass(filter, &s);
	if (filter->kernel) {
		if (strlen(filter->kernel) > 4000)
			abort();
		again = tp_filter_parse(f, filter->kernel, o, &err);
		if (!again || again->here)
			abort();
		tp_filter_free(again);
	}
	tp_filter_free(filter);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct tp_filter_names names = {.of_type = of_type, .function = function};
	const u8 *end = data + size;
	const u8 *nul = size ? memchr(data, 0, size) : NULL;
	const u8 *second = nul ? memchr(nul + 1, 0, (size_t)(end - nul) - 1) : NULL;
	struct tp_filter_opts o = {.system = "syscalls", .names = &names, .comm_known = true};
	struct tp_format *f;
	size_t len;
	u8 *raw;

	if (!second)
		return 0;
	f = tp_format_parse((const char *)data, (size_t)(nul - data), NULL);
	if (!f)
		return 0;
	len = (size_t)(end - second) - 1;
	raw = malloc(len ? len : 1);
	if (!raw)
		abort();
	memcpy(raw, second + 1, len);
	run(f, (const char *)nul + 1, &o, raw, len);
	o.here_only = true;
	run(f, (const char *)nul + 1, &o, raw, len);
	o = (struct tp_filter_opts){.no_functions = true, .own_tids = true};
	run(f, (const char *)nul + 1, &o, raw, len);
	free(raw);
	tp_format_free(f);
	return 0;
}
