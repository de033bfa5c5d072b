// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/annotate.h"
#include "perf-lite/flamegraph_request.h"
#include "util/base/io.h"
#include "util/base/num.h"
#include "util/base/text.h"

/* Functions in a row that cannot be shown have a line each, up to so many. */
#define MISSING_MAX 3
#define FLUSH_SIZE  (1u << 20)

/* An output while it is made. */
struct making {
	struct annotate *c;
	struct annotator annotator;
	struct source_text sources;
	VEC(struct code_samples) events;
	struct buf *out;
	struct buf notes; /* for standard error */
	struct annotation_html page;
	u64 first, last; /* times of samples, ns; first UINT64_MAX: none has a time */
	struct pager pager;
	struct output_file file;
	bool opened;
	bool written;         /* some of the output, to the file, or to the pager if there is one */
	int code;             /* of writing: CMD_OK, or another */
	struct err unwritten; /* and why */
	s64 recorded;     /* when the recording was written last, as io_modified(); 0: not known */
	VEC(u32) changed; /* DSOs of which a note says so */
	u32 found, shown, missing;
	struct err why;      /* of the first function that could not be shown, the hottest */
	struct err why_last; /* of the last one */
};

/* A large output is written while it is made. */
static void flush(struct making *m)
{
	const char *path = m->c->output;

	if (!m->written && path)
		m->code = output_file_open(&m->file, path, m->c->in.session.path, OUTPUT_PUBLIC,
					   &m->unwritten);
	else if (!m->written)
		pager_start(&m->pager, NULL);
	m->opened |= path && !m->code;
	m->written = true;
	if (!m->code)
		m->code = path ? output_file_write(&m->file, m->out, &m->unwritten)
			       : cmd_write(m->out, &m->unwritten);
	buf_clear(m->out);
}

static void flush_large(void *arg)
{
	struct making *m = arg;
	char last;

	if (m->out->len < FLUSH_SIZE)
		return;
	/* json.h sees by the last byte whether a comma is due */
	last = m->out->data[--m->out->len];
	flush(m);
	buf_addc(m->out, last);
}

static int count(struct making *m, struct err *err)
{
	struct session_sample s;
	int ret;

	while ((ret = reading_sample(&m->c->in, &s, err)) > 0) {
		while (m->events.nr <= s.event)
			if (!vec_push(&m->events))
				return err_nomem(err);
		ret = code_samples_count(&m->events.v[s.event], m->c->in.s->symboliser,
					 &m->c->places, &s, err);
		if (ret)
			return ret;
		if (s.sample->ids.time) {
			m->first = MIN(m->first, s.sample->ids.time);
			m->last = MAX(m->last, s.last);
		}
	}
	return ret;
}

static struct annotation_heading heading_of(const struct making *m, u32 event,
					    const struct code_function *f)
{
	const struct session *s = m->c->in.s;
	const struct code_samples *e = &m->events.v[event];

	return (struct annotation_heading){
		.event = s->source->recording->events.events.v[event].name,
		.dso = s->model.dsos.v[f->f.dso].name,
		.symbol = f->f.name,
		.samples = f->samples,
		.weight = f->weight,
		.all_samples = e->samples,
		.all_weight = e->weight,
	};
}

static void put_dso(struct making *m, u32 dso)
{
	const char *name = m->c->in.s->model.dsos.v[dso].name;

	text_escape(&m->notes, name, strlen(name));
}

/* Lines of a file that was written after its program are others than those that were compiled. */
static void check_source(struct making *m, u32 dso, const struct annotation *a)
{
	const struct source_text_file *f =
		m->c->text.sources ? source_text_file(&m->sources, a->file) : NULL;
	s64 modified = annotator_file_modified(&m->annotator, dso);

	if (!f || !modified || f->modified <= modified)
		return;
	text_escape(&m->notes, a->file, strlen(a->file));
	buf_adds(&m->notes, " is newer than ");
	put_dso(m, dso);
	buf_adds(&m->notes, ": its lines may not be those that were compiled\n");
}

/* Without a build-id, only its time says that a file was another one. */
static void check_file(struct making *m, u32 dso)
{
	const struct dso *d = &m->c->in.s->model.dsos.v[dso];
	s64 modified = annotator_file_modified(&m->annotator, dso);
	u32 i, *slot;

	if (d->kind != DSO_FILE || d->build_id_len || !m->recorded || modified <= m->recorded)
		return;
	for (i = 0; i < m->changed.nr; i++)
		if (m->changed.v[i] == dso)
			return;
	slot = vec_push(&m->changed);
	if (slot)
		*slot = dso;
	put_dso(m, dso);
	buf_adds(
		&m->notes,
		" was changed after the recording, and has no build-id: its instructions may not be those that ran\n");
}

static void put_missing(struct making *m, const struct annotation_heading *h, u32 dso,
			const struct err *why)
{
	bool again = m->missing && !strcmp(why->msg, m->why_last.msg);

	m->missing++;
	m->why_last = *why;
	if (!m->why.code)
		m->why = *why;
	if (m->c->form == ANNOTATE_HTML)
		annotation_html_function(&m->page, h, &m->c->in.s->model.dsos.v[dso], NULL, why);
	else if (m->c->form != ANNOTATE_TEXT)
		annotation_export_put(&m->c->export, h, NULL, why, m->out);
	if (m->c->form != ANNOTATE_TEXT)
		return;
	if (m->missing > MISSING_MAX)
		return;
	annotation_text_heading(&m->c->text, h, m->out);
	if (!again) {
		buf_adds(m->out, "# ");
		text_escape(m->out, why->msg, strlen(why->msg));
		if (why->hint[0]) {
			buf_adds(m->out, "; ");
			text_escape(m->out, why->hint, strlen(why->hint));
		}
		buf_addc(m->out, '\n');
	}
	buf_addc(m->out, '\n');
}

static int put_function(struct making *m, u32 event, const struct code_function *f, struct err *err)
{
	const struct annotation_heading h = heading_of(m, event, f);
	struct annotation a;
	struct err why = {0};
	int ret = annotation_make(&a, &m->annotator, &f->f, &why);

	if (ret == -ENOMEM || ret == -ENOSYS) {
		*err = why;
		return ret;
	}
	if (ret) {
		put_missing(m, &h, f->f.dso, &why);
		return 0;
	}
	m->shown++;
	if (m->c->form == ANNOTATE_TEXT) {
		annotation_text_heading(&m->c->text, &h, m->out);
		annotation_text_put(&m->c->text, &a, m->out);
		buf_addc(m->out, '\n');
		flush_large(m);
	} else if (m->c->form == ANNOTATE_HTML) {
		annotation_html_function(&m->page, &h, &m->c->in.s->model.dsos.v[f->f.dso], &a,
					 NULL);
	} else {
		annotation_export_put(&m->c->export, &h, &a, NULL, m->out);
	}
	if (m->c->form == ANNOTATE_TEXT || m->c->form == ANNOTATE_HTML)
		check_source(m, f->f.dso, &a);
	check_file(m, f->f.dso);
	annotation_free(&a);
	return m->out->failed ? err_nomem(err) : 0;
}

/* What was not shown because nobody asked for it; `nr` were looked at. */
static void note_rest(struct making *m, u32 event, const struct code_functions *fs, u32 nr,
		      u32 before)
{
	const char *name = m->c->in.s->source->recording->events.events.v[event].name;
	double nameless = num_percent(fs->nameless, m->events.v[event].weight);
	struct buf escaped = {0};

	text_escape(&escaped, name, strlen(name));
	name = buf_str(&escaped);
	if (m->c->functions && m->shown - before >= m->c->functions && nr < fs->v.nr)
		buf_addf(&m->notes, "%s: %u more function%s samples; --functions 0 shows all\n",
			 name, fs->v.nr - nr, fs->v.nr - nr == 1 ? " has" : "s have");
	if (nameless >= 1)
		buf_addf(&m->notes, "%s: %.1f%% of it is in code of which no function is known\n",
			 name, nameless);
	m->notes.failed |= escaped.failed;
	buf_free(&escaped);
}

static int put_event(struct making *m, u32 event, struct err *err)
{
	const struct code_samples *e = &m->events.v[event];
	struct code_functions fs;
	u32 i, before = m->shown;
	int ret = code_samples_functions(e, &m->annotator, &m->c->places, &fs, err);

	m->missing = 0;
	m->found += fs.v.nr;
	for (i = 0; i < fs.v.nr && !ret; i++) {
		if (m->c->functions && m->shown - before >= m->c->functions)
			break;
		if (num_percent(fs.v.v[i].weight, e->weight) < m->c->percent_limit)
			break;
		ret = put_function(m, event, &fs.v.v[i], err);
	}
	if (!ret && m->missing > MISSING_MAX && m->c->form == ANNOTATE_TEXT)
		buf_addf(m->out, "# and %u more function%s that cannot be shown\n\n",
			 m->missing - MISSING_MAX, TEXT_PLURAL(m->missing - MISSING_MAX));
	if (!ret)
		note_rest(m, event, &fs, i, before);
	code_functions_free(&fs);
	return ret;
}

/* The function whose name ends with "::" and the word: "process" of "company::X<long>::process"; *nr: how many there are. */
static const char *ends_with(const struct symboliser *r, const char *word, u32 *nr)
{
	const char *symbol, *found = NULL;
	size_t len = strlen(word), at;
	u32 i;

	for (i = 0, *nr = 0; i < r->frames.nr; i++) {
		symbol = r->frames.v[i].symbol;
		at = symbol ? strlen(symbol) : 0;
		if (at < len + 2 || strcmp(symbol + at - len, word) != 0 ||
		    memcmp(symbol + at - len - 2, "::", 2) != 0 ||
		    (found && !strcmp(symbol, found)))
			continue;
		found = found ? found : symbol;
		++*nr;
	}
	return found;
}

static void hint_function(const struct annotate *c, const char *word, struct err *err)
{
	const struct symboliser *r = c->in.s->symboliser;
	struct text_suggest suggest;
	struct buf pattern = {0}, name = {0};
	const char *ends;
	u32 i, nr;

	text_suggest_init(&suggest, word);
	for (i = 0; i < r->frames.nr; i++)
		if (r->frames.v[i].symbol)
			text_suggest_add(&suggest, r->frames.v[i].symbol);
	ends = ends_with(r, word, &nr);
	if (ends) {
		buf_addf(&pattern, "*::%s", word);
		text_shorten(&name, ends, strlen(ends), 200);
		err_hint(err, "did you mean %s? It matches %s%s", TEXT_SHELL(buf_str(&pattern)),
			 buf_str(&name), nr > 1 ? " and others" : "");
	} else if (suggest.best) {
		err_hint(err, "did you mean %s?", TEXT_SHELL(suggest.best));
	} else if (!access(word, F_OK)) {
		err_hint(err, "to read a file: perf-lite annotate -i %s", TEXT_SHELL(word));
	} else {
		err_hint(err, "what has samples: perf-lite report -s dso,sym -i %s",
			 TEXT_SHELL(c->in.session.path));
	}
	buf_free(&pattern);
	buf_free(&name);
}

/* Nothing has samples: names like those that were asked for, if there are such. */
static int none_found(struct making *m, struct err *err)
{
	const struct annotate *c = m->c;

	if (reading_is_empty(&c->in)) {
		err_set(err, ENODATA, "%s has no samples", c->in.session.path);
		return -ENODATA;
	}
	if (c->places.symbols.nr != 1 || c->places.symbols.except) {
		err_set(err, ENODATA, "no function of %s has samples of those that were asked for",
			c->in.session.path);
		err_hint(err, "what has samples: perf-lite report -s dso,sym -i %s",
			 TEXT_SHELL(c->in.session.path));
		return -ENODATA;
	}
	err_set(err, ENODATA, "no sample is in a function '%s'", c->places.symbols.v[0]);
	hint_function(c, c->places.symbols.v[0], err);
	return -ENODATA;
}

static bool is_export(const struct making *m)
{
	return m->c->form == ANNOTATE_JSON || m->c->form == ANNOTATE_CSV;
}

/* The page, of functions that were added to it. `damage`: what the verdict on the recording says; NULL: it is sound. */
static int put_page(struct making *m, const char *damage, struct err *err)
{
	struct flamegraph_head head = {0};
	struct buf warning = {0};
	const char *notes[2];
	struct annotation_html_head page = {.notes = notes};
	int ret = flamegraph_head_make(&head, &m->c->in, 0, m->first, m->last, err);

	if (ret)
		goto out;
	flamegraph_picture_warning(&m->c->in, damage, &warning);
	page.title = head.title.len ? buf_str(&head.title) : "Annotated functions";
	if (head.origin.len)
		notes[page.nr_notes++] = buf_str(&head.origin);
	page.warning = warning.len ? buf_str(&warning) : NULL;
	annotation_html_page(&m->page, &page, m->out);
	if (warning.failed || m->out->failed)
		ret = err_nomem(err);
out:
	flamegraph_head_free(&head);
	buf_free(&warning);
	return ret;
}

static int put_events(struct making *m, struct err *err)
{
	int ret = 0;
	u32 i;

	if (is_export(m))
		annotation_export_begin(&m->c->export, m->out);
	for (i = 0; i < m->events.nr && !ret; i++)
		if (m->events.v[i].weights.v.nr)
			ret = put_event(m, i, err);
	if (ret)
		return ret;
	if (is_export(m))
		annotation_export_end(&m->c->export, m->out);
	if (!m->found)
		return none_found(m, err);
	if (m->shown)
		return 0;
	if (m->why.code) {
		*err = m->why;
	} else {
		err_set(err, ENODATA, "no function has so many samples");
		err_hint(err, "all of them: --percent-limit 0");
	}
	return err->code ? -err->code : -ENODATA;
}

/* A file that is not whole does not get its name; one of a damaged recording does. */
static int close_file(struct making *m, int ret, struct err *err)
{
	int closed;

	if (!m->opened)
		return ret;
	closed =
		output_file_close(&m->file, ret < 0 ? ret : m->code, ret < 0 ? err : &m->unwritten);
	if (ret >= 0)
		m->code = closed;
	return ret;
}

static int make_output(struct annotate *c, struct buf *out, struct err *err)
{
	struct making m = {.c = c,
			   .out = out,
			   .sources.root = c->in.session.symfs,
			   .page.text = &c->text,
			   .first = UINT64_MAX};
	struct stat st;
	int ret;
	u32 i;

	if (!stat(c->in.session.path, &st))
		m.recorded = io_modified(&st);
	c->export.flush = flush_large;
	c->export.arg = &m;

	c->code.running =
		!c->in.session.symfs && session_is_running_kernel(c->in.s->source->recording);
	annotator_init(&m.annotator, c->in.s->symboliser, &c->code);
	c->text.sources = c->export.sources = c->no_source ? NULL : &m.sources;
	ret = count(&m, err);
	if (!ret)
		ret = put_events(&m, err);
	if (!ret)
		ret = reading_verdict(&c->in, &m.notes, err);
	if (ret >= 0 && c->form == ANNOTATE_HTML && put_page(&m, ret ? err->msg : NULL, err))
		ret = -ENOMEM;
	if (m.written || (ret >= 0 && (out->len || out->failed)))
		flush(&m);
	if (m.written && c->output)
		ret = close_file(&m, ret, err);
	else if (m.written)
		pager_finish(&m.pager);
	if (ret >= 0 && m.code) {
		*err = m.unwritten;
		ret = m.code;
	}
	for (i = 0; i < m.events.nr; i++)
		code_samples_free(&m.events.v[i]);
	vec_free(&m.events);
	annotator_free(&m.annotator);
	source_text_free(&m.sources);
	buf_free(&m.notes);
	annotation_html_free(&m.page);
	vec_free(&m.changed);
	return ret;
}

static void choose_colours(struct annotate *c)
{
	bool wanted = !c->output && terminal_has_colour((enum colour_when)c->colour, STDOUT_FILENO);

	c->text.colours = (struct annotation_colours){
		.high = terminal_colour(wanted, COLOUR_RED),
		.middle = terminal_colour(wanted, COLOUR_GREEN),
		.dim = terminal_colour(wanted, COLOUR_DIM),
		.bold = terminal_colour(wanted, COLOUR_BOLD),
		.off = terminal_colour(wanted, COLOUR_OFF),
	};
}

static int run(struct annotate *c, struct buf *out, struct err *err)
{
	int ret = disassembler_check(err);

	if (ret)
		return ret;
	choose_colours(c);
	c->in.row_places = &c->places;
	c->in.session.want.no_raw = true;
	c->in.session.want.grouped = true;
	c->in.session.want.addresses = true;
	ret = reading_open(&c->in, err);
	if (!ret)
		ret = reading_choose_event(&c->in, false, "--event", err);
	if (ret)
		return ret;
	c->in.s->options.no_stacks = true;
	return make_output(c, out, err);
}

int cmd_annotate(int argc, char **argv, struct err *err)
{
	struct opt_rest rest = {0};
	struct buf out = {0};
	struct annotate c;
	int ret;

	ret = annotate_options(&c, argc, argv, &rest, err);
	if (!ret && !rest.help)
		ret = run(&c, &out, err);
	buf_free(&out);
	annotate_options_free(&c);
	reading_end(&c.in);
	return ret;
}
