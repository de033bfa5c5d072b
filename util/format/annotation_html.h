/* SPDX-License-Identifier: GPL-2.0 */
/*
 * annotation_html.h - annotated functions in HTML: the text of annotation_text.h with colours, and bars behind the shares.
 *
 * A function is a section of a document:
 *
 *	<section data-function="NAME" data-file="FILE"><h2>SHARE NAME</h2><p>...</p><pre>...</pre></section>
 *
 * NAME and FILE are those of its frame in a flame graph (stack_frames.h), by which that one's script finds it. A page of its own
 * lists them at its top, and needs no script:
 *
 *	annotation_html_function(), for each -> annotation_html_page()
 *
 * Names and lines of source are foreign: they only ever become text.
 */
#ifndef FORMAT_ANNOTATION_HTML_H
#define FORMAT_ANNOTATION_HTML_H

#include "util/format/annotation_text.h"
#include "util/process/process.h"

/* What a page has unless somebody asks for more: so many functions of an event, and none that nobody would look at. */
#define ANNOTATION_HTML_FUNCTIONS 20
#define ANNOTATION_HTML_PERCENT   0.5

/* Zero-initialise it, but for `text`, whose colours are not used. */
struct annotation_html {
	const struct annotation_text *text;
	struct buf list;     /* a line for each function */
	struct buf sections; /* the functions */
	u32 nr;
};

/* Add a function, of a file of the process model. `a` NULL: its instructions cannot be shown, since `why`. */
void annotation_html_function(struct annotation_html *x, const struct annotation_heading *h,
			      const struct dso *dso, const struct annotation *a,
			      const struct err *why);

/* What is above the functions of a page. */
struct annotation_html_head {
	const char *title;
	const char *const *notes; /* lines below it */
	u32 nr_notes;
	const char *warning; /* lines in a striking colour; NULL: none */
};

/* Append the document. x->list or x->sections may have failed: then so has `out`. */
void annotation_html_page(const struct annotation_html *x, const struct annotation_html_head *head,
			  struct buf *out);
/* Append the rules of the style sheet that sections need. */
void annotation_html_style(struct buf *out);
void annotation_html_free(struct annotation_html *x);

#endif
