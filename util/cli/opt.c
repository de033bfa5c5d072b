// SPDX-License-Identifier: GPL-2.0
#include "util/cli/opt.h"

#include <errno.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"
#include "util/cli/wrap.h"

#define HELP_COLUMN 30 /* where the explanations begin */

/* One option as it was typed. */
struct typed {
	const struct opt *o; /* NULL: the built-in help */
	char name[80];       /* "-F" or "--freq", for messages */
	const char *arg;     /* attached value; NULL if there is none */
	bool negated;
};

static bool can_negate(const struct opt *o)
{
	return o->type == OPT_FLAG || o->type == OPT_COUNT;
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

static const char *example_of(enum opt_type type)
{
	switch (type) {
	case OPT_UINT:
		return "a whole number";
	case OPT_SIZE:
		return "a size such as 512K or 64M";
	case OPT_DURATION:
		return "a duration such as 10s or 100ms";
	default:
		return "a value";
	}
}

static int bad_value(const struct typed *y, const char *arg, struct err *err)
{
	return err_set(err, EINVAL, "%s takes %s, not '%s'", y->name, example_of(y->o->type), arg);
}

/* Give the option its value; `arg` is NULL for an option that has none here. */
static int set_value(const struct typed *y, const char *arg, struct err *err)
{
	const struct opt *o = y->o;

	switch (o->type) {
	case OPT_FLAG:
		*(bool *)o->value = !y->negated;
		return 0;
	case OPT_COUNT:
		*(unsigned int *)o->value = y->negated ? 0 : *(unsigned int *)o->value + 1;
		return 0;
	case OPT_STRING:
		*(const char **)o->value = arg ? arg : "";
		return 0;
	case OPT_UINT:
		return !arg || num_u64(arg, o->value) ? 0 : bad_value(y, arg, err);
	case OPT_SIZE:
		return !arg || num_size(arg, o->value) ? 0 : bad_value(y, arg, err);
	case OPT_DURATION:
		if (!arg ||
		    (num_duration(arg, o->value) && (*(u64 *)o->value || o->flags & OPT_ZERO)))
			return 0;
		return bad_value(y, arg, err);
	case OPT_CALL:
		return o->call(o->value, arg, err);
	case OPT_IGNORED:
		if (o->value)
			buf_addf(o->value, "%s%s", ((struct buf *)o->value)->len ? ", " : "",
				 y->name);
		break;
	case OPT_GROUP:
	case OPT_REFUSED:
		break;
	}
	return 0;
}

static int refuse(const struct opt_table *t, const struct typed *y, struct err *err)
{
	err_set(err, EINVAL, "%s is an option of perf%s%s, and not of perf-lite%s%s", y->name,
		prefix_of(t), command_of(t), prefix_of(t), command_of(t));
	err_hint(err, "%s", y->o->help);
	return -EINVAL;
}

/* Find the value of a typed option, which may be the next word, and set it. */
static int apply(const struct opt_table *t, const struct typed *y, int argc, char **argv, int *at,
		 struct err *err)
{
	const struct opt *o = y->o;
	const char *arg = y->arg;

	if (o->type == OPT_REFUSED)
		return refuse(t, y, err);
	if (!o->arg || y->negated) {
		if (!arg)
			return set_value(y, NULL, err);
		err_set(err, EINVAL, "%s takes no value, but got '%s'", y->name, arg);
		hint_help(t, err);
		return -EINVAL;
	}
	if (!arg && !(o->flags & OPT_ARG_OPTIONAL)) {
		if (*at + 1 >= argc) {
			err_set(err, EINVAL, "%s needs a value", y->name);
			err_hint(err, "%s%s%s", y->name, y->name[1] == '-' ? "=" : " ", o->arg);
			return -EINVAL;
		}
		arg = argv[++*at];
	}
	return set_value(y, arg, err);
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
	const struct opt *o, *other; /* `other`: what else it may mean; NULL is "help" */
	bool negated, other_negated;
};

static void candidate(struct lookup *l, const struct opt *o, bool negated)
{
	if (l->match == MATCH_NONE) {
		*l = (struct lookup){.match = MATCH_ONE, .o = o, .negated = negated};
		return;
	}
	/* Two names of the same thing do not contradict each other. */
	if (o && l->o && o->value && o->value == l->o->value && o->type == l->o->type &&
	    o->call == l->o->call && negated == l->negated)
		return;
	l->match = MATCH_SEVERAL;
	l->other = o;
	l->other_negated = negated;
}

static bool is_help(const struct opt *o)
{
	return o->name && !strcmp(o->name, "help");
}

/* An exact name wins over an exact negation, and that over an unambiguous beginning. */
static struct lookup find_long(const struct opt_table *t, const char *word, size_t len)
{
	struct lookup l = {0};
	bool own_help = false;
	unsigned int pass, negated;
	u32 i;

	for (i = 0; i < t->nr; i++)
		own_help |= is_help(&t->opts[i]);
	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < t->nr; i++) {
			const struct opt *o = &t->opts[i];

			if (o->type == OPT_GROUP || !o->name ||
			    (o->type == OPT_REFUSED && pass == 2))
				continue;
			for (negated = 0; negated <= can_negate(o); negated++) {
				if (pass < 2 &&
				    (negated != pass || strlen(o->name) + 3 * negated != len))
					continue;
				if (begins(o->name, negated, word, len))
					candidate(&l, o, negated);
			}
		}
		if (!own_help && (pass == 2 || (pass == 0 && len == 4)) &&
		    begins("help", false, word, len))
			candidate(&l, NULL, false);
		if (l.match != MATCH_NONE)
			break;
	}
	return l;
}

static const struct opt *find_letter(const struct opt_table *t, char letter)
{
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (t->opts[i].type != OPT_GROUP && t->opts[i].letter == letter)
			return &t->opts[i];
	return NULL;
}

static int unknown_long(const struct opt_table *t, const char *word, size_t len, struct err *err)
{
	struct text_suggest s;
	char name[80];
	u32 i;

	len = MIN(len, sizeof(name) - 1);
	memcpy(name, word, len);
	name[len] = '\0';
	err_set(err, EINVAL, "unknown option '--%s'", name);
	text_suggest_init(&s, name);
	for (i = 0; i < t->nr; i++)
		if (t->opts[i].type != OPT_GROUP && t->opts[i].type != OPT_REFUSED &&
		    t->opts[i].name && !(t->opts[i].flags & OPT_HIDDEN))
			text_suggest_add(&s, t->opts[i].name);
	if (s.best)
		err_hint(err, "did you mean --%s?", s.best);
	else
		hint_help(t, err);
	return -EINVAL;
}

static const char *long_name(const struct opt *o)
{
	return o ? o->name : "help";
}

/* "--name", "--name=value", "--no-name". 1: it was --help. */
static int parse_long(const struct opt_table *t, int argc, char **argv, int *at, struct err *err)
{
	const char *word = argv[*at] + 2;
	size_t len = strcspn(word, "=");
	struct lookup l = find_long(t, word, len);
	struct typed y = {.o = l.o, .negated = l.negated};

	if (l.match == MATCH_NONE)
		return unknown_long(t, word, len, err);
	if (l.match == MATCH_SEVERAL) {
		err_set(err, EINVAL, "--%.*s is ambiguous", (int)MIN(len, (size_t)64), word);
		err_hint(err, "it may mean --%s%s or --%s%s", l.negated ? "no-" : "",
			 long_name(l.o), l.other_negated ? "no-" : "", long_name(l.other));
		return -EINVAL;
	}
	if (!l.o)
		return 1;
	strcpy(y.name, l.negated ? "--no-" : "--");
	strncat(y.name, l.o->name, sizeof(y.name) - 1 - strlen(y.name));
	y.arg = word[len] ? word + len + 1 : NULL;
	return apply(t, &y, argc, argv, at, err);
}

/* "-a", "-ag", "-F99", "-agF 99". 1: it held -h. */
static int parse_letters(const struct opt_table *t, int argc, char **argv, int *at, struct err *err)
{
	const char *word = argv[*at], *p;
	int ret;

	for (p = word + 1; *p; p++) {
		struct typed y = {.o = find_letter(t, *p), .name = {'-', *p}};

		if (!y.o && *p == 'h')
			return 1;
		if (!y.o) {
			struct lookup l = find_long(t, word + 1, strcspn(word + 1, "="));

			err_set(err, EINVAL, "unknown option '-%c'%s%s%s", *p,
				word[2] ? " in '" : "", word[2] ? word : "", word[2] ? "'" : "");
			if (word[2] && l.match == MATCH_ONE)
				err_hint(err, "did you mean -%s?", word);
			else
				hint_help(t, err);
			return -EINVAL;
		}
		if (y.o->arg) {
			y.arg = p[1] ? p + 1 : NULL;
			return apply(t, &y, argc, argv, at, err);
		}
		ret = apply(t, &y, argc, argv, at, err);
		if (ret)
			return ret;
	}
	return 0;
}

int opt_parse(const struct opt_table *t, int argc, char **argv, struct opt_rest *rest,
	      struct err *err)
{
	bool ended = false;
	int at, ret;

	*rest = (struct opt_rest){.argv = argv + MIN(argc, 1)};
	for (at = 1; at < argc; at++) {
		char *word = argv[at];

		if (ended || word[0] != '-' || !word[1]) {
			argv[1 + rest->argc++] = word;
			ended |= t->stop_at_operand;
			continue;
		}
		if (!strcmp(word, "--")) {
			ended = true;
			continue;
		}
		ret = word[1] == '-' ? parse_long(t, argc, argv, &at, err)
				     : parse_letters(t, argc, argv, &at, err);
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
	wrap_put(out, o->help ? o->help : "", HELP_COLUMN, HELP_COLUMN, WRAP_WIDTH);
}

static const struct opt help = {.letter = 'h', .name = "help", .help = "show this text"};

static bool in_help(const struct opt *o)
{
	return !(o->flags & OPT_HIDDEN) && o->type != OPT_REFUSED &&
	       (o->type != OPT_IGNORED || o->help);
}

void opt_help(const struct opt_table *t, struct buf *out)
{
	bool own_help = false;
	size_t n;
	u32 i;

	buf_addf(out, "perf-lite%s%s - %s\n\n", prefix_of(t), command_of(t), t->summary);
	for (i = 0; i < ARRAY_SIZE(t->usage) && t->usage[i]; i++) {
		n = out->len;
		buf_addf(out, "%s perf-lite%s%s", i ? "   or:" : "usage:", prefix_of(t),
			 command_of(t));
		n = out->len - n;
		buf_addc(out, ' ');
		wrap_put(out, t->usage[i], n + 1, n + 1, WRAP_WIDTH);
	}
	if (!t->nr || t->opts[0].type != OPT_GROUP)
		buf_addc(out, '\n');
	for (i = 0; i < t->nr; i++) {
		const struct opt *o = &t->opts[i];

		own_help |= is_help(o);
		if (!in_help(o))
			continue;
		if (o->type == OPT_GROUP)
			buf_addf(out, "\n%s\n", o->help);
		else
			help_option(o, out);
	}
	if (!own_help)
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
	bool own_help = false;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		own_help |= is_help(&t->opts[i]);
		if (in_help(&t->opts[i]) && t->opts[i].type != OPT_GROUP)
			complete_option(&t->opts[i], out);
	}
	if (!own_help)
		complete_option(&help, out);
	if (t->stop_at_operand)
		buf_adds(out, "--\tCOMMAND\tend the options\n");
}
