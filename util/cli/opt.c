// SPDX-License-Identifier: GPL-2.0
#include "util/cli/opt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/cli/terminal.h"

#define HELP_COLUMN 30 /* where the explanations begin */

/* A command line while it is parsed. */
struct parser {
	const struct opt_table *table;
	char *base;
	int argc, at;
	char **argv;
	struct opt_rest *rest;
	struct err *err;
};

/* A row, and where in the command's struct its value is. */
struct row {
	const struct opt *o; /* NULL: the built-in help */
	size_t offset;
};

/* All rows of a table, with those that it includes. */
struct rows {
	struct row at[OPT_DEPTH];
	u32 depth;
};

/* One option as it was typed. */
struct typed {
	struct row row;
	char name[80];   /* "-F" or "--freq", for messages */
	const char *arg; /* attached value; NULL if there is none */
	bool negated;
};

static struct rows rows_of(const struct opt_table *t)
{
	return (struct rows){.at[0].o = t->opts};
}

/* The next row; false: there is none. */
static bool next_row(struct rows *r, struct row *row)
{
	for (;;) {
		struct row *at = &r->at[r->depth];

		*row = *at;
		if (at->o->type == OPT_TYPE_END) {
			if (!r->depth)
				return false;
			r->depth--;
			continue;
		}
		at->o++;
		row->offset += row->o->offset;
		if (row->o->type != OPT_TYPE_INCLUDE)
			return true;
		if (r->depth + 1 < OPT_DEPTH)
			r->at[++r->depth] = (struct row){row->o->rows, row->offset};
	}
}

static bool can_negate(const struct opt *o)
{
	return o->type == OPT_TYPE_FLAG || o->type == OPT_TYPE_COUNT;
}

static const char *prefix_of(const struct opt_table *t)
{
	return t->command ? " " : "";
}

static const char *command_of(const struct opt_table *t)
{
	return t->command ? t->command : "";
}

static void hint_help(const struct opt_table *t, struct err *err)
{
	err_hint(err, "perf-lite%s%s --help lists the options", prefix_of(t), command_of(t));
}

static const char *example_of(const struct opt *o)
{
	switch (o->type) {
	case OPT_TYPE_UINT:
		return o->flags & OPT_POSITIVE ? "a whole number above 0" : "a whole number";
	case OPT_TYPE_DURATION:
		return "a duration such as 10s or 100ms";
	default:
		return "a value";
	}
}

static int bad_value(const struct typed *y, const char *arg, struct err *err)
{
	return err_set(err, EINVAL, "%s takes %s, not '%s'", y->name, example_of(y->row.o), arg);
}

static int set_number(const struct typed *y, u64 *value, const char *arg, struct err *err)
{
	const bool positive = y->row.o->flags & OPT_POSITIVE;
	const bool known = !arg || num_u64(arg, value);

	if (known && (!arg || *value || !positive))
		return 0;
	bad_value(y, arg, err);
	if (known)
		err_hint(err, "for all of them, leave it out");
	return -EINVAL;
}

static void note_no_effect(struct opt_rest *rest, const char *name)
{
	size_t len = strlen(rest->no_effect);

	snprintf(rest->no_effect + len, sizeof(rest->no_effect) - len, "%s%s", len ? ", " : "",
		 name);
}

/* Give the option its value; `arg` is NULL for an option that has none here. */
static int set_value(struct parser *p, const struct typed *y, const char *arg)
{
	const struct opt *o = y->row.o;
	void *value = p->base + y->row.offset;

	switch (o->type) {
	case OPT_TYPE_FLAG:
		*(bool *)value = !y->negated;
		return 0;
	case OPT_TYPE_COUNT:
		*(unsigned int *)value = y->negated ? 0 : *(unsigned int *)value + 1;
		return 0;
	case OPT_TYPE_BITS:
		*(u64 *)value |= o->bits;
		return 0;
	case OPT_TYPE_STRING:
		*(const char **)value = arg ? arg : "";
		return 0;
	case OPT_TYPE_UINT:
		return set_number(y, value, arg, p->err);
	case OPT_TYPE_DURATION:
		if (!arg || (num_duration(arg, value) && (*(u64 *)value || o->flags & OPT_ZERO)))
			return 0;
		return bad_value(y, arg, p->err);
	case OPT_TYPE_CALL:
		return o->call(value, arg, p->err);
	case OPT_TYPE_NO_EFFECT:
		note_no_effect(p->rest, y->name);
		return 0;
	default:
		return 0;
	}
}

static int refuse(const struct opt_table *t, const struct typed *y, struct err *err)
{
	err_set(err, EINVAL, "%s takes no %s", t->command ? t->command : "perf-lite", y->name);
	err_hint(err, "%s", y->row.o->help);
	return -EINVAL;
}

/* A letter whose value was refused: what it means elsewhere comes before the hint that there is. */
static void hint_mistaken(const struct opt_table *t, const struct typed *y, struct err *err)
{
	const struct opt_mistaken *m;
	char given[sizeof(err->hint)];

	if (!err)
		return;
	memcpy(given, err->hint, sizeof(given));
	for (m = t->mistaken; m && m->letter && y->name[1] != '-'; m++)
		if (m->letter == y->name[1])
			err_hint(err, *given ? "%s; %s" : "%s", m->hint, given);
}

/* Find the value of a typed option, which may be the next word, and set it. */
static int find_value(struct parser *p, const struct typed *y)
{
	const struct opt *o = y->row.o;
	const char *arg = y->arg;

	if (o->type == OPT_TYPE_REFUSED)
		return refuse(p->table, y, p->err);
	if (!o->arg || y->negated) {
		if (!arg)
			return set_value(p, y, NULL);
		err_set(p->err, EINVAL, "%s takes no value, but got '%s'", y->name, arg);
		hint_help(p->table, p->err);
		return -EINVAL;
	}
	if (!arg && !(o->flags & OPT_ARG_OPTIONAL)) {
		if (p->at + 1 >= p->argc) {
			err_set(p->err, EINVAL, "%s needs a value", y->name);
			err_hint(p->err, "%s%s%s", y->name, y->name[1] == '-' ? "=" : " ", o->arg);
			return -EINVAL;
		}
		arg = p->argv[++p->at];
	}
	return set_value(p, y, arg);
}

static int apply(struct parser *p, const struct typed *y)
{
	int ret = find_value(p, y);

	if (ret < 0)
		hint_mistaken(p->table, y, p->err);
	return ret;
}

/* True if the name (with "no-" before it where `negated`) begins with the len bytes of word. */
static bool begins(const char *name, bool negated, const char *word, size_t len)
{
	if (negated) {
		if (len < 4 || strncmp(word, "no-", 3))
			return false;
		word += 3;
		len -= 3;
	}
	return !strncmp(name, word, len);
}

/* The ways in which a word may name an option. */
enum match { MATCH_NONE, MATCH_ONE, MATCH_SEVERAL };

struct lookup {
	enum match match;
	struct row row, other; /* `other`: what else it may mean */
	bool negated, other_negated;
};

/* Two names of one thing do not contradict each other. */
static bool same_effect(const struct row *a, const struct row *b)
{
	return a->o && b->o && a->o->type == b->o->type && a->o->call == b->o->call &&
	       a->o->bits == b->o->bits && a->offset == b->offset &&
	       a->o->type != OPT_TYPE_IGNORED && a->o->type != OPT_TYPE_NO_EFFECT &&
	       a->o->type != OPT_TYPE_REFUSED;
}

static void add_candidate(struct lookup *l, const struct row *row, bool negated)
{
	if (l->match == MATCH_NONE) {
		*l = (struct lookup){.match = MATCH_ONE, .row = *row, .negated = negated};
		return;
	}
	if (same_effect(row, &l->row) && negated == l->negated)
		return;
	l->match = MATCH_SEVERAL;
	l->other = *row;
	l->other_negated = negated;
}

/* From the most to the least exact. */
enum exactness { EXACT_NAME, EXACT_NEGATION, BEGINNING, EXACTNESSES };

static bool is_meant(const struct row *row, bool negated, enum exactness how, const char *word,
		     size_t len)
{
	const struct opt *o = row->o;

	if (!o->name || (o->type == OPT_TYPE_REFUSED && how == BEGINNING))
		return false;
	if (how != BEGINNING &&
	    (negated != (how == EXACT_NEGATION) || strlen(o->name) + 3 * negated != len))
		return false;
	return begins(o->name, negated, word, len);
}

/* An exact name wins over an exact negation, and that over an unambiguous beginning. */
static struct lookup find_long(const struct opt_table *t, const char *word, size_t len)
{
	static const struct row help = {0};
	struct lookup l = {0};
	struct row row;
	u32 how;

	for (how = EXACT_NAME; how < EXACTNESSES && l.match == MATCH_NONE; how++) {
		struct rows rows = rows_of(t);

		while (next_row(&rows, &row)) {
			if (is_meant(&row, false, how, word, len))
				add_candidate(&l, &row, false);
			if (can_negate(row.o) && is_meant(&row, true, how, word, len))
				add_candidate(&l, &row, true);
		}
		if ((how == BEGINNING || (how == EXACT_NAME && len == 4)) &&
		    begins("help", false, word, len))
			add_candidate(&l, &help, false);
	}
	return l;
}

static bool find_letter(const struct opt_table *t, char letter, struct row *row)
{
	struct rows rows = rows_of(t);

	while (next_row(&rows, row))
		if (row->o->letter == letter)
			return true;
	return false;
}

/* The longest name that the word goes on from: "freq" of --freqency. */
static const char *begun_name(const struct opt_table *t, const char *word)
{
	struct rows rows = rows_of(t);
	const char *best = NULL;
	size_t len, longest = 3;
	struct row row;

	while (next_row(&rows, &row)) {
		if (!row.o->name || row.o->type == OPT_TYPE_REFUSED || row.o->flags & OPT_HIDDEN)
			continue;
		len = strlen(row.o->name);
		if (len > longest && !strncmp(row.o->name, word, len) && word[len] != '-') {
			best = row.o->name;
			longest = len;
		}
	}
	return best;
}

static int unknown_long(const struct opt_table *t, const char *word, size_t len, struct err *err)
{
	struct rows rows = rows_of(t);
	struct text_suggest s;
	struct row row;
	char name[80];

	len = MIN(len, sizeof(name) - 1);
	memcpy(name, word, len);
	name[len] = '\0';
	err_set(err, EINVAL, "unknown option '--%s'", name);
	text_suggest_init(&s, name);
	while (next_row(&rows, &row))
		if (row.o->name && row.o->type != OPT_TYPE_REFUSED && !(row.o->flags & OPT_HIDDEN))
			text_suggest_add(&s, row.o->name);
	if (!s.best)
		s.best = begun_name(t, name);
	if (s.best)
		err_hint(err, "did you mean --%s?", s.best);
	else
		hint_help(t, err);
	return -EINVAL;
}

static const char *long_name(const struct row *row)
{
	return row->o ? row->o->name : "help";
}

/* "--name", "--name=value", "--no-name". 1: it was --help. */
static int parse_long(struct parser *p)
{
	const char *word = p->argv[p->at] + 2;
	size_t len = strcspn(word, "=");
	struct lookup l = find_long(p->table, word, len);
	struct typed y = {.row = l.row, .negated = l.negated};

	if (l.match == MATCH_NONE)
		return unknown_long(p->table, word, len, p->err);
	if (l.match == MATCH_SEVERAL) {
		err_set(p->err, EINVAL, "--%.*s is ambiguous", (int)MIN(len, (size_t)64), word);
		err_hint(p->err, "it may mean --%s%s or --%s%s", l.negated ? "no-" : "",
			 long_name(&l.row), l.other_negated ? "no-" : "", long_name(&l.other));
		return -EINVAL;
	}
	if (!l.row.o)
		return 1;
	strcpy(y.name, l.negated ? "--no-" : "--");
	strncat(y.name, l.row.o->name, sizeof(y.name) - 1 - strlen(y.name));
	y.arg = word[len] ? word + len + 1 : NULL;
	return apply(p, &y);
}

static int unknown_letter(const struct opt_table *t, const char *word, char letter, struct err *err)
{
	struct lookup l = find_long(t, word + 1, strcspn(word + 1, "="));

	err_set(err, EINVAL, "unknown option '-%c'%s%s%s", letter, word[2] ? " in '" : "",
		word[2] ? word : "", word[2] ? "'" : "");
	if (word[2] && l.match == MATCH_ONE)
		err_hint(err, "did you mean -%s?", word);
	else
		hint_help(t, err);
	return -EINVAL;
}

/* "-a", "-ag", "-F99", "-agF 99". 1: it held -h. */
static int parse_letters(struct parser *p)
{
	const char *word = p->argv[p->at], *at;
	int ret;

	for (at = word + 1; *at; at++) {
		struct typed y = {.name = {'-', *at}};

		if (!find_letter(p->table, *at, &y.row))
			return *at == 'h' ? 1 : unknown_letter(p->table, word, *at, p->err);
		if (y.row.o->arg) {
			y.arg = at[1] ? at + 1 : NULL;
			return apply(p, &y);
		}
		ret = apply(p, &y);
		if (ret)
			return ret;
	}
	return 0;
}

enum opt_value opt_value(const struct opt_table *t, const char *word)
{
	struct lookup l = {0};
	bool found;

	if (!strncmp(word, "--", 2)) {
		l = find_long(t, word + 2, strlen(word + 2));
		found = l.match == MATCH_ONE && l.row.o;
	} else {
		found = find_letter(t, word[strlen(word) - 1], &l.row);
	}
	if (!found || !l.row.o->arg)
		return OPT_VALUE_NONE;
	return l.row.o->flags & OPT_ARG_OPTIONAL ? OPT_VALUE_ATTACHED : OPT_VALUE_NEXT;
}

int opt_parse(const struct opt_table *t, void *base, int argc, char **argv, struct opt_rest *rest,
	      struct err *err)
{
	struct parser p = {
		.table = t, .base = base, .argc = argc, .argv = argv, .rest = rest, .err = err};
	bool ended = false;
	int ret;

	*rest = (struct opt_rest){.argv = argv + MIN(argc, 1)};
	for (p.at = 1; p.at < argc; p.at++) {
		char *word = argv[p.at];

		if (ended || word[0] != '-' || !word[1]) {
			argv[1 + rest->argc++] = word;
			ended |= t->stop_at_operand;
			continue;
		}
		if (!strcmp(word, "--")) {
			ended = true;
			continue;
		}
		ret = word[1] == '-' ? parse_long(&p) : parse_letters(&p);
		if (ret < 0)
			return ret;
		if (ret > 0) {
			rest->help = true;
			break;
		}
	}
	if (argc > 0 && 1 + rest->argc < argc)
		argv[1 + rest->argc] = NULL;
	return 0;
}

int opt_set(const struct opt *rows, void *base, const char *name, const char *value,
	    struct err *err)
{
	const struct opt_table t = {.opts = rows};
	struct opt_rest rest = {0};
	struct parser p = {.table = &t, .base = base, .rest = &rest, .err = err};
	struct rows all = rows_of(&t);
	struct text_suggest suggest;
	struct typed y = {0};

	text_suggest_init(&suggest, name);
	while (next_row(&all, &y.row)) {
		if (!y.row.o->name || y.row.o->type >= OPT_TYPE_IGNORED)
			continue;
		text_suggest_add(&suggest, y.row.o->name);
		if (strcmp(y.row.o->name, name) != 0)
			continue;
		snprintf(y.name, sizeof(y.name), "%s", name);
		if (value ? y.row.o->arg != NULL
			  : !y.row.o->arg || y.row.o->flags & OPT_ARG_OPTIONAL)
			return set_value(&p, &y, value);
		return err_set(err, EINVAL, value ? "%s takes no value" : "%s needs a value", name);
	}
	err_set(err, EINVAL, "there is no option '%.64s'", name);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	return -EINVAL;
}

static void help_option(const struct opt *o, struct buf *out)
{
	bool optional = o->flags & OPT_ARG_OPTIONAL;
	size_t start = out->len, used;

	if (o->letter)
		buf_addf(out, "  -%c%s", o->letter, o->name ? ", " : "");
	else
		buf_adds(out, "      ");
	if (o->name)
		buf_addf(out, "--%s", o->name);
	if (o->arg)
		buf_addf(out, optional ? "[%s%s]" : "%s%s",
			 o->name    ? "="
			 : optional ? ""
				    : " ",
			 o->arg);
	used = out->len - start;
	if (used + 2 > HELP_COLUMN) {
		buf_addc(out, '\n');
		used = 0;
	}
	buf_pad(out, ' ', HELP_COLUMN - used);
	terminal_wrap(out, o->help ? o->help : "", HELP_COLUMN, HELP_COLUMN, TERMINAL_WIDTH_MAX);
}

static const struct opt help = {.letter = 'h', .name = "help", .help = "show this text"};

static bool in_help(const struct opt *o)
{
	return !(o->flags & OPT_HIDDEN) && o->type != OPT_TYPE_REFUSED &&
	       o->type != OPT_TYPE_NO_EFFECT && (o->type != OPT_TYPE_IGNORED || o->help);
}

void opt_help(const struct opt_table *t, struct buf *out)
{
	struct rows rows = rows_of(t);
	struct row row;
	size_t n;
	u32 i;

	buf_addf(out, "perf-lite%s%s - %s\n\n", prefix_of(t), command_of(t), t->summary);
	for (i = 0; i < ARRAY_SIZE(t->usage) && t->usage[i]; i++) {
		n = out->len;
		buf_addf(out, "%s perf-lite%s%s", i ? "   or:" : "usage:", prefix_of(t),
			 command_of(t));
		n = out->len - n;
		buf_addc(out, ' ');
		terminal_wrap(out, t->usage[i], n + 1, n + 1, TERMINAL_WIDTH_MAX);
	}
	n = out->len;
	while (next_row(&rows, &row)) {
		if (!in_help(row.o))
			continue;
		if (row.o->type == OPT_TYPE_GROUP) {
			buf_addf(out, "\n%s\n", row.o->help);
			continue;
		}
		if (out->len == n)
			buf_addc(out, '\n');
		help_option(row.o, out);
	}
	if (out->len == n)
		buf_addc(out, '\n');
	help_option(&help, out);
	if (t->notes)
		buf_addf(out, "\n%s%s", t->notes,
			 *t->notes && t->notes[strlen(t->notes) - 1] == '\n' ? "" : "\n");
}

static void complete_option(const struct opt *o, struct buf *out)
{
	const char *arg = o->arg ? o->arg : "", *text = o->help ? o->help : "";
	bool optional = o->arg && o->flags & OPT_ARG_OPTIONAL;

	if (o->name) {
		buf_addf(out, "--%s", o->name);
		buf_addf(out, optional ? "\t[%s]\t%s\n" : "\t%s\t%s\n", arg, text);
	}
	if (o->letter) {
		buf_addf(out, "-%c", o->letter);
		buf_addf(out, optional ? "\t[%s]\t%s\n" : "\t%s\t%s\n", arg, text);
	}
}

void opt_completion(const struct opt_table *t, struct buf *out)
{
	struct rows rows = rows_of(t);
	struct row row;

	while (next_row(&rows, &row))
		if (in_help(row.o) && row.o->type != OPT_TYPE_GROUP)
			complete_option(row.o, out);
	complete_option(&help, out);
	if (t->stop_at_operand)
		buf_adds(out, "--\tCOMMAND\tend the options\n");
}
