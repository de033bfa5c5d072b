// SPDX-License-Identifier: GPL-2.0
#include "util/format/openmetrics.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "util/format/count_bars.h"

#define NS_PER_SECOND 1000000000

void openmetrics_name(struct buf *out, const char *name)
{
	const size_t before = out->len;

	for (; *name; name++)
		if (isalnum((unsigned char)*name) && (out->len > before || !isdigit(*name)))
			buf_addc(out, *name);
		else if (out->len > before)
			buf_addc(out, '_');
	if (out->len == before)
		buf_addc(out, 'x');
}

void openmetrics_family(struct buf *out, const char *name, const char *type, const char *unit,
			const char *help)
{
	buf_addf(out, "# TYPE %s %s\n", name, type);
	if (unit)
		buf_addf(out, "# UNIT %s %s\n", name, unit);
	buf_addf(out, "# HELP %s %s\n", name, help);
}

void openmetrics_labels_clear(struct openmetrics_labels *l)
{
	buf_clear(&l->text);
}

static void put_label(struct buf *b, const char *name, const char *after, const char *text,
		      size_t len)
{
	size_t i;

	buf_adds(b, b->len ? "," : "");
	openmetrics_name(b, name);
	buf_addf(b, "%s=\"", after);
	for (i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			buf_addc(b, '\\');
		buf_addc(b, text[i]);
	}
	buf_addc(b, '"');
}

void openmetrics_label(struct openmetrics_labels *l, const char *name, const char *text, size_t len)
{
	put_label(&l->text, name, "", text, len);
}

void openmetrics_key(struct openmetrics_labels *l, const char *name, const char *text, size_t len)
{
	static const char *const own[] = {"le", "quantile", "nr", "others", "hardware"};
	const char *after = "";
	u32 i;

	for (i = 0; i < ARRAY_SIZE(own); i++)
		if (!strcmp(name, own[i]))
			after = "_";
	put_label(&l->text, name, after, text, len);
}

int openmetrics_labels_distinct(struct openmetrics_labels *l, struct err *err)
{
	char number[16];
	u32 at, *times;

	if (l->text.failed)
		return err_nomem(err);
	at = strtab_add(&l->seen, buf_str(&l->text), l->text.len);
	if (at == ID_NONE)
		return err_nomem(err);
	if (at == l->times.nr) {
		times = vec_push(&l->times);
		if (!times)
			return err_nomem(err);
		*times = 0;
	}
	if (++l->times.v[at] == 1)
		return 0;
	snprintf(number, sizeof(number), "%u", l->times.v[at]);
	openmetrics_label(l, "nr", number, strlen(number));
	return l->text.failed ? err_nomem(err) : 0;
}

void openmetrics_labels_free(struct openmetrics_labels *l)
{
	buf_free(&l->text);
	strtab_free(&l->seen);
	vec_free(&l->times);
}

void openmetrics_sample(struct buf *out, const char *name, const char *suffix,
			const struct openmetrics_labels *l, const char *more)
{
	const bool own = l && l->text.len, any = own || more;

	buf_addf(out, "%s%s%s", name, suffix, any ? "{" : "");
	buf_adds(out, own ? buf_str(&l->text) : "");
	buf_addf(out, "%s%s%s ", own && more ? "," : "", more ? more : "", any ? "}" : "");
}

void openmetrics_number(struct buf *out, __int128 v, bool scaled)
{
	const __int128 size = v < 0 ? -v : v;

	if (scaled) {
		buf_adds(out, v < 0 ? "-" : "");
		count_bars_wide(size / NS_PER_SECOND, out);
		buf_addf(out, ".%09u", (u32)(size % NS_PER_SECOND));
	} else {
		count_bars_wide(v, out);
	}
	buf_addc(out, '\n');
}

void openmetrics_end(struct buf *out)
{
	buf_adds(out, "# EOF\n");
}
