// SPDX-License-Identifier: GPL-2.0
#include "util/report/span_presets.h"

#include <errno.h>
#include <string.h>

#include "util/base/cur.h"
#include "util/base/text.h"

struct parser {
	struct span_presets *presets;
	const char *file;
	u32 line;
	struct cur c; /* the rest of the line */
};

static const char *const options[] = {"--from",     "--then",   "--to",    "--until",
				      "--own-from", "--own-to", "--on",    "--by",
				      "--latest",   "--nested", "--whole", "--skip-missing"};

/* The error that was set is one of this line. */
static int in_line(const struct parser *p, struct err *err)
{
	err_prefix(err, "%s:%u", p->file, p->line);
	return -EINVAL;
}

static bool is_blank(u8 byte)
{
	return byte == ' ' || byte == '\t' || byte == '\r';
}

static void skip_blanks(struct cur *c)
{
	while (cur_left(c) && is_blank(*c->p))
		cur_skip(c, 1);
}

static struct cur take_line(struct cur *c)
{
	const size_t left = cur_left(c);
	const u8 *end = left ? memchr(c->p, '\n', left) : NULL;
	const size_t len = end ? (size_t)(end - c->p) : left;
	struct cur line = cur_init(cur_bytes(c, len), len);

	if (end)
		cur_skip(c, 1);
	return line;
}

/* The next `len` bytes of the line as a text. */
static int keep(struct parser *p, size_t len, const char **text, struct err *err)
{
	const char *at = cur_bytes(&p->c, len);

	if (!text_is_plain(at, len)) {
		err_set(err, EINVAL, "control characters, or no UTF-8");
		return in_line(p, err);
	}
	*text = arena_strndup(&p->presets->arena, at, len);
	return *text ? 0 : err_nomem(err);
}

static size_t until(const struct cur *c, const char *ends)
{
	size_t len = 0;

	while (len < cur_left(c) && !is_blank(c->p[len]) && !(c->p[len] && strchr(ends, c->p[len])))
		len++;
	return len;
}

static int no_value(const struct parser *p, const char *option, struct err *err)
{
	err_set(err, EINVAL, "%s has no value", option);
	return in_line(p, err);
}

/* What follows an option: a word, or what is in quotes. */
static int take_value(struct parser *p, const char *option, const char **value, struct err *err)
{
	const u8 *end;
	char quote;
	int ret;

	*value = "";
	if (cur_left(&p->c) && *p->c.p == '=')
		cur_skip(&p->c, 1);
	else
		skip_blanks(&p->c);
	quote = cur_left(&p->c) ? (char)*p->c.p : '\0';
	if (quote != '\'' && quote != '"') {
		ret = keep(p, until(&p->c, ""), value, err);
		return ret || **value ? ret : no_value(p, option, err);
	}
	cur_skip(&p->c, 1);
	end = cur_left(&p->c) ? memchr(p->c.p, quote, cur_left(&p->c)) : NULL;
	if (!end) {
		err_set(err, EINVAL, "the quotes of %s do not end", option);
		err_hint(err, "a value must be on one line");
		return in_line(p, err);
	}
	ret = keep(p, (size_t)(end - p->c.p), value, err);
	cur_skip(&p->c, 1);
	if (!ret && until(&p->c, "")) {
		err_set(err, EINVAL, "a blank is missing behind the quotes of %s", option);
		return in_line(p, err);
	}
	return ret || **value ? ret : no_value(p, option, err);
}

static int unknown_option(const struct parser *p, const char *word, struct err *err)
{
	struct text_suggest suggest;
	struct buf all = {0};
	size_t i;

	text_suggest_init(&suggest, word);
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		text_suggest_add(&suggest, options[i]);
		buf_addf(&all, "%s%s", i ? ", " : "", options[i]);
	}
	err_set(err, EINVAL, "'%s' is not part of a preset", word);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err, "parts are %s", buf_str(&all));
	buf_free(&all);
	return in_line(p, err);
}

static const char **find_value(struct span_preset *s, const char *word)
{
	u32 i;

	if (!strcmp(word, "--then")) {
		for (i = 0; i < SPAN_PRESETS_THENS - 1 && s->thens[i]; i++)
			;
		return &s->thens[i];
	}
	return !strcmp(word, "--from")       ? &s->from
	       : !strcmp(word, "--to")       ? &s->to
	       : !strcmp(word, "--own-from") ? &s->own_from
	       : !strcmp(word, "--own-to")   ? &s->own_to
	       : !strcmp(word, "--until")    ? &s->until
	       : !strcmp(word, "--on")       ? &s->on
	       : !strcmp(word, "--by")       ? &s->by
					     : NULL;
}

/* 0: the word is no flag; 1: it is set. */
static int take_flag(struct parser *p, struct span_preset *s, const char *word, struct err *err)
{
	const enum spans_repeat repeat = !strcmp(word, "--latest")   ? SPANS_LATEST
					 : !strcmp(word, "--nested") ? SPANS_NESTED
								     : SPANS_FIRST;
	bool *flag = !strcmp(word, "--whole")          ? &s->whole
		     : !strcmp(word, "--skip-missing") ? &s->skips_missing
						       : NULL;

	if (!flag && repeat == SPANS_FIRST)
		return 0;
	if (cur_left(&p->c) && !is_blank(*p->c.p)) {
		err_set(err, EINVAL, "%s takes no value", word);
		return in_line(p, err);
	}
	if (flag) {
		*flag = true;
		return 1;
	}
	if (s->repeat != SPANS_FIRST && s->repeat != repeat) {
		err_set(err, EINVAL, "%s has both --latest and --nested", s->name);
		return in_line(p, err);
	}
	s->repeat = repeat;
	return 1;
}

static int take_option(struct parser *p, struct err *err)
{
	struct span_preset *s = &p->presets->v.v[p->presets->v.nr - 1];
	const char **value, *word;
	int ret = keep(p, until(&p->c, "="), &word, err);

	if (!ret)
		ret = take_flag(p, s, word, err);
	if (ret)
		return MIN(ret, 0);
	value = find_value(s, word);
	if (!value)
		return unknown_option(p, word, err);
	if (!*value)
		return take_value(p, word, value, err);
	if (strcmp(word, "--then") != 0)
		err_set(err, EINVAL, "%s is given twice", word);
	else
		err_set(err, EINVAL, "%s is given more than %d times", word, SPAN_PRESETS_THENS);
	return in_line(p, err);
}

/* Is the last one complete? Its errors are those of its first line. */
static int check_last(struct parser *p, struct err *err)
{
	const struct span_preset *s;

	if (!p->presets->v.nr)
		return 0;
	s = &p->presets->v.v[p->presets->v.nr - 1];
	if (!s->from || !s->to)
		err_set(err, EINVAL,
			s->from ? "%s has no --to: at which event do its spans end?"
				: "%s has no --from: at which event do its spans begin?",
			s->name);
	else if (!s->own_from != !s->own_to)
		err_set(err, EINVAL, "%s needs --own-from and --own-to, or none of them", s->name);
	else if (s->own_from && s->thens[0])
		err_set(err, EINVAL, "%s has stages: --own-from cannot be combined with --then",
			s->name);
	else
		return 0;
	p->line = s->line;
	return in_line(p, err);
}

static int begin_preset(struct parser *p, struct err *err)
{
	const u32 line = p->line;
	struct span_preset *s;
	const char *name, *help;
	size_t len;
	int ret = check_last(p, err);

	if (!ret)
		ret = keep(p, until(&p->c, ""), &name, err);
	if (ret)
		return ret;
	if (*name == '-') {
		err_set(err, EINVAL, "%s is at the start of the line, where names are", name);
		err_hint(err, "put a blank before it");
		return in_line(p, err);
	}
	if (span_presets_find(p->presets, name)) {
		err_set(err, EINVAL, "there is a preset '%s' already", name);
		return in_line(p, err);
	}
	skip_blanks(&p->c);
	len = cur_left(&p->c);
	while (len && is_blank(p->c.p[len - 1]))
		len--;
	help = name;
	if (len)
		ret = keep(p, len, &help, err);
	if (ret)
		return ret;
	s = vec_push(&p->presets->v);
	if (!s)
		return err_nomem(err);
	*s = (struct span_preset){.name = name, .help = help, .line = line};
	return 0;
}

static int parse_line(struct parser *p, struct err *err)
{
	const bool indented = cur_left(&p->c) && is_blank(*p->c.p);
	int ret = 0;

	skip_blanks(&p->c);
	if (!cur_left(&p->c) || *p->c.p == '#')
		return 0;
	if (!indented)
		return begin_preset(p, err);
	if (!p->presets->v.nr) {
		err_set(err, EINVAL, "no name comes before this line");
		err_hint(err, "a name begins its line; blanks are before its points, below");
		return in_line(p, err);
	}
	while (!ret && cur_left(&p->c)) {
		ret = take_option(p, err);
		skip_blanks(&p->c);
	}
	return ret;
}

int span_presets_parse(struct span_presets *presets, const void *text, size_t len, const char *file,
		       struct err *err)
{
	struct parser p = {.presets = presets, .file = file};
	struct cur c = cur_init(text, len);
	int ret = 0;

	/* editors of some systems mark UTF-8 so */
	if (cur_left(&c) >= 3 && !memcmp(c.p, "\xef\xbb\xbf", 3))
		cur_skip(&c, 3);
	while (!ret && cur_left(&c)) {
		p.c = take_line(&c);
		p.line++;
		ret = parse_line(&p, err);
	}
	return ret ? ret : check_last(&p, err);
}

const struct span_preset *span_presets_find(const struct span_presets *p, const char *name)
{
	u32 i;

	for (i = 0; i < p->v.nr; i++)
		if (!strcmp(p->v.v[i].name, name))
			return &p->v.v[i];
	return NULL;
}

static void put_option(struct buf *out, const char *option, const char *value)
{
	/* with both in it the value was a word */
	const char *quote = !strchr(value, '\'') ? "'" : !strchr(value, '"') ? "\"" : "";

	buf_addf(out, "    %s %s%s%s\n", option, quote, value, quote);
}

/* Has it events that may be missing? */
static bool has_further_events(const struct span_preset *p)
{
	return p->until || p->thens[0] || strchr(p->from, ',') || strchr(p->to, ',');
}

static void put_flags(const struct span_preset *p, struct buf *out)
{
	static const char *const repeats[] = {
		[SPANS_FIRST] = "", [SPANS_LATEST] = " --latest", [SPANS_NESTED] = " --nested"};
	const bool is_word = p->by && !strpbrk(p->by, " \t'\"");
	const bool skips = p->skips_missing || (!p->line && has_further_events(p));

	if (p->by && !is_word)
		put_option(out, "--by", p->by);
	if (!is_word && p->repeat == SPANS_FIRST && !p->whole && !skips)
		return;
	buf_adds(out, "   ");
	if (is_word)
		buf_addf(out, " --by %s", p->by);
	buf_addf(out, "%s%s%s\n", repeats[p->repeat], p->whole ? " --whole" : "",
		 skips ? " --skip-missing" : "");
}

void span_presets_put(const struct span_preset *p, struct buf *out)
{
	u32 i;

	buf_addf(out, "%-15s %s\n", p->name, p->help);
	put_option(out, "--from", p->from);
	for (i = 0; i < SPAN_PRESETS_THENS && p->thens[i]; i++)
		put_option(out, "--then", p->thens[i]);
	put_option(out, "--to", p->to);
	if (p->own_from) {
		put_option(out, "--own-from", p->own_from);
		put_option(out, "--own-to", p->own_to);
	}
	if (p->until)
		put_option(out, "--until", p->until);
	if (p->on)
		put_option(out, "--on", p->on);
	put_flags(p, out);
}

void span_presets_free(struct span_presets *p)
{
	vec_free(&p->v);
	arena_free(&p->arena);
}
