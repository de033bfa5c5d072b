// SPDX-License-Identifier: GPL-2.0
#include "util/report/call_graph_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/base/text.h"

struct call_graph_options call_graph_options_default(void)
{
	return (struct call_graph_options){.type = CALL_GRAPH_ABSOLUTE, .threshold = 0.5};
}

enum word_kind { WORD_TYPE, WORD_ORDER, WORD_KEY, WORD_VALUE };

struct word {
	const char *name;
	enum word_kind kind;
	u32 value;
};

/* A word that was cut short is the first of these that begins so, as in perf. */
static const struct word words[] = {
	{"none", WORD_TYPE, CALL_GRAPH_NONE},
	{"graph", WORD_TYPE, CALL_GRAPH_ABSOLUTE},
	{"flat", WORD_TYPE, CALL_GRAPH_FLAT},
	{"fractal", WORD_TYPE, CALL_GRAPH_FRACTAL},
	{"folded", WORD_TYPE, CALL_GRAPH_FOLDED},
	{"caller", WORD_ORDER, true},
	{"callee", WORD_ORDER, false},
	{"function", WORD_KEY, CALL_GRAPH_FUNCTION},
	{"address", WORD_KEY, CALL_GRAPH_ADDRESS},
	{"srcline", WORD_KEY, CALL_GRAPH_SRCLINE},
	{"percent", WORD_VALUE, CALL_GRAPH_PERCENT},
	{"period", WORD_VALUE, CALL_GRAPH_PERIOD},
	{"count", WORD_VALUE, CALL_GRAPH_COUNT},
};

static const struct word *find_word(const char *s)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strncmp(words[i].name, s, strlen(s)))
			return &words[i];
	return NULL;
}

static void take_word(struct call_graph_options *o, const struct word *w)
{
	switch (w->kind) {
	case WORD_TYPE:
		o->type = (enum call_graph_type)w->value;
		break;
	case WORD_ORDER:
		o->caller = w->value;
		o->order_given = true;
		break;
	case WORD_KEY:
		o->key = (enum call_graph_key)w->value;
		break;
	case WORD_VALUE:
		o->value = (enum call_graph_value)w->value;
		break;
	}
}

static int unknown_word(const char *s, struct err *err)
{
	struct text_suggest suggest;
	size_t i;

	err_set(err, EINVAL, "'%s' says nothing of how a call graph is to look", s);
	text_suggest_init(&suggest, s);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		text_suggest_add(&suggest, words[i].name);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(
			err,
			"graph, fractal, flat, folded or none; THRESHOLD[,LIMIT]; caller or callee; "
			"function, address or srcline; percent, period or count");
	return -EINVAL;
}

static int take_number(struct call_graph_options *o, const char *s, u32 *nr, struct err *err)
{
	double percent;
	char *end;
	u64 limit;

	if (*nr == 0) {
		percent = strtod(s, &end);
		if (*end == '%')
			end++;
		if (*end || !isfinite(percent) || percent < 0 || percent > 100)
			return err_set(err, EINVAL,
				       "the threshold of a call graph is a percentage, not '%s'",
				       s);
		o->threshold = percent;
	} else if (*nr == 1 && num_u64(s, &limit) && limit <= UINT32_MAX) {
		o->limit = (u32)limit;
	} else {
		return err_set(err, EINVAL,
			       "a call graph has a threshold and a limit, what is '%s'?", s);
	}
	++*nr;
	return 0;
}

int call_graph_options_parse(struct call_graph_options *o, const char *list, struct err *err)
{
	char *copy = strdup(list), *at, *s;
	const struct word *w;
	u32 numbers = 0;
	int ret = 0;

	if (!copy)
		return err_nomem(err);
	for (s = strtok_r(copy, ",", &at); s && !ret; s = strtok_r(NULL, ",", &at)) {
		w = find_word(s);
		if (w)
			take_word(o, w);
		else if (strchr("0123456789.-+", *s))
			ret = take_number(o, s, &numbers, err);
		else
			ret = unknown_word(s, err);
	}
	free(copy);
	return ret;
}
