// SPDX-License-Identifier: GPL-2.0
#include "util/draw/map_page.h"

#include <string.h>

#include "util/base/text.h"
#include "util/draw/include_text.h"

/* NUL-terminated, and free of "]]>", "</" and "<!--", so that it can be put into a document as it is. */
extern const char map_page_css[];
INCLUDE_TEXT("map_page_css", "util/draw/map_page.css");

#define NS_PER_S 1000000000ull

void map_page_open(const struct map_page *p, struct buf *out)
{
	if (p->html) {
		buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
			      "<meta charset=\"utf-8\">\n");
		if (p->fluid)
			buf_adds(out, "<meta name=\"viewport\" content=\"width=device-width\">\n");
		buf_adds(out, "<title>");
		text_xml(out, p->title, strlen(p->title));
		buf_addf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", map_page_css,
			 p->css);
	} else {
		buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	}
	buf_addf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\"",
		 p->width, p->height);
	if (!p->fluid)
		buf_addf(out, " viewBox=\"0 0 %u %u\"", p->width, p->height);
	buf_adds(out, ">\n<title>");
	text_xml(out, p->title, strlen(p->title));
	buf_adds(out, "</title>\n");
	if (!p->html)
		buf_addf(out, "<style>\n%s%s</style>\n", map_page_css, p->css);
	buf_adds(out, "<rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n");
}

void map_page_put_time(struct buf *b, u64 ns, u64 step)
{
	u32 decimals = 9;
	u64 fraction = ns % NS_PER_S;

	buf_dec(b, ns / NS_PER_S, 0);
	for (; decimals && step && step % 10 == 0; step /= 10, decimals--)
		fraction /= 10;
	if (!decimals)
		return;
	buf_addc(b, '.');
	buf_dec0(b, fraction, decimals);
}

void map_page_put_span(struct buf *b, u64 ns)
{
	static const struct {
		u64 ns;
		const char *name;
	} units[] = {{NS_PER_S, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	u32 i = 0;

	while (i + 1 < ARRAY_SIZE(units) && ns % units[i].ns)
		i++;
	buf_dec(b, ns / units[i].ns, 0);
	buf_addf(b, " %s", units[i].name);
}

u64 map_page_tick(u64 min)
{
	static const u64 digits[] = {1, 2, 5};
	u64 power = 1;
	u32 i;

	for (;; power *= 10) {
		for (i = 0; i < ARRAY_SIZE(digits); i++)
			if (digits[i] * power >= min)
				return digits[i] * power;
		if (power > UINT64_MAX / 100)
			return UINT64_MAX;
	}
}
