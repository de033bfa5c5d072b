// SPDX-License-Identifier: GPL-2.0
#include "util/format/annotation_html.h"

#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/draw/include_text.h"
#include "util/format/stack_frames.h"

/* NUL-terminated, and free of "</", so that they can be put into a document as they are. */
extern const char annotation_css[], annotation_page_css[];
INCLUDE_TEXT("annotation_css", "util/format/annotation.css");
INCLUDE_TEXT("annotation_page_css", "util/format/annotation_page.css");

/* The colours of the text, as bytes that no name and no line of source has left (text_escape()). */
static const struct annotation_colours marks = {
	.high = "\1", .middle = "\2", .dim = "\3", .bold = "", .off = "\4"};

/* A share in the text, which ends at the next mark. */
static void put_share(struct buf *out, const char *class, const char *s)
{
	s += strspn(s, " ");
	buf_addf(out, "<b class=\"%s\" style=\"--share:", class);
	buf_add(out, s, strspn(s, "0123456789."));
	buf_adds(out, "\">");
}

/* Lines of the text. The '#' in front of those that are no instructions is for readers of text. */
static void put_text(struct buf *out, const char *s)
{
	const char *end = "";
	size_t plain;

	for (; *s; s++) {
		if (*s == '#')
			s += s[1] == ' ' && s[2] != ' ' ? 2 : 1;
		for (; *s && *s != '\n'; s++) {
			plain = strcspn(s, "\n\1\2\3\4");
			text_xml(out, s, plain);
			s += plain;
			if (!*s || *s == '\n')
				break;
			if (*s == marks.off[0]) {
				buf_adds(out, end);
			} else if (*s == marks.dim[0]) {
				buf_adds(out, "<i>");
				end = "</i>";
			} else {
				put_share(out, *s == marks.high[0] ? "high" : "middle", s + 1);
				end = "</b>";
			}
		}
		if (!*s)
			return;
		buf_addc(out, '\n');
	}
}

static void put_escaped(struct buf *out, const char *s)
{
	text_xml(out, s, strlen(s));
}

/* Those without a name are called by their address. */
static bool has_name(const struct annotation_heading *h)
{
	return h->symbol && strncmp(h->symbol, "0x", 2) != 0;
}

static void put_name(struct buf *out, const struct annotation_heading *h)
{
	if (!has_name(h))
		buf_adds(out, h->symbol ? "the function at " : "");
	put_escaped(out, h->symbol ? h->symbol : "[unknown]");
}

/* By what the script of a flame graph finds the function: its frame's name and file. */
static void put_frame(struct buf *out, const struct annotation_heading *h, const struct dso *dso)
{
	const struct frame frame = {.symbol = has_name(h) ? h->symbol : NULL};
	struct buf name = {0};

	stack_frames_name(&frame, dso, &name);
	buf_adds(out, " data-function=\"");
	put_escaped(out, buf_str(&name));
	buf_adds(out, "\" data-file=\"");
	put_escaped(out, text_base_name(dso->name));
	buf_addc(out, '"');
	out->failed |= name.failed;
	buf_free(&name);
}

static void put_why(struct buf *out, const struct err *why)
{
	buf_adds(out, "<p>");
	put_escaped(out, why->msg);
	if (why->hint[0]) {
		buf_adds(out, "; ");
		put_escaped(out, why->hint);
	}
	buf_adds(out, "</p>");
}

static void put_code(struct annotation_html *x, const struct annotation *a)
{
	struct annotation_text text = *x->text;
	struct buf lines = {0};

	text.colours = marks;
	annotation_text_put(&text, a, &lines);
	buf_adds(&x->sections, "<pre>");
	put_text(&x->sections, buf_str(&lines));
	buf_adds(&x->sections, "</pre>");
	x->sections.failed |= lines.failed;
	buf_free(&lines);
}

static void put_list_line(struct annotation_html *x, const struct annotation_heading *h,
			  bool has_code)
{
	struct buf *out = &x->list;

	buf_addf(out, "<tr><td>%.2f%%</td><td>", num_percent(h->weight, h->all_weight));
	buf_addf(out, "<a href=\"#function-%u\">", x->nr);
	put_name(out, h);
	buf_adds(out, has_code ? "</a></td><td>" : "</a> (no instructions)</td><td>");
	put_escaped(out, h->dso);
	buf_adds(out, "</td></tr>\n");
}

void annotation_html_function(struct annotation_html *x, const struct annotation_heading *h,
			      const struct dso *dso, const struct annotation *a,
			      const struct err *why)
{
	struct buf *out = &x->sections;

	x->nr++;
	put_list_line(x, h, a);
	buf_addf(out, "<section id=\"function-%u\"", x->nr);
	put_frame(out, h, dso);
	buf_addf(out, ">\n<h2>%.2f%% ", num_percent(h->weight, h->all_weight));
	put_name(out, h);
	buf_adds(out, "</h2>\n<p>");
	put_escaped(out, h->event);
	buf_addf(out, ": %llu of %llu sample%s, in ", (unsigned long long)h->samples,
		 (unsigned long long)h->all_samples, TEXT_PLURAL(h->all_samples));
	put_escaped(out, h->dso);
	buf_adds(out, "</p>\n");
	if (a)
		put_code(x, a);
	else
		put_why(out, why);
	buf_adds(out, "\n</section>\n");
}

static void put_head(const struct annotation_html_head *head, struct buf *out)
{
	const char *line;
	size_t len;
	u32 i;

	buf_adds(out, "<header>\n<h1>");
	put_escaped(out, head->title);
	buf_adds(out, "</h1>\n");
	for (i = 0; i < head->nr_notes; i++) {
		buf_adds(out, "<p>");
		put_escaped(out, head->notes[i]);
		buf_adds(out, "</p>\n");
	}
	for (line = head->warning; line && *line; line += len + !!line[len]) {
		len = strcspn(line, "\n");
		buf_adds(out, "<p class=\"warning\">");
		text_xml(out, line, len);
		buf_adds(out, "</p>\n");
	}
	buf_adds(out, "</header>\n");
}

void annotation_html_style(struct buf *out)
{
	buf_adds(out, annotation_css);
}

void annotation_html_page(const struct annotation_html *x, const struct annotation_html_head *head,
			  struct buf *out)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	put_escaped(out, head->title);
	buf_addf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", annotation_css,
		 annotation_page_css);
	put_head(head, out);
	buf_adds(out, "<table>\n");
	buf_add(out, x->list.data, x->list.len);
	buf_adds(out, "</table>\n");
	buf_add(out, x->sections.data, x->sections.len);
	buf_adds(out, "</body>\n</html>\n");
	out->failed |= x->list.failed || x->sections.failed;
}

void annotation_html_free(struct annotation_html *x)
{
	buf_free(&x->list);
	buf_free(&x->sections);
}
