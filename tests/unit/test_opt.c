// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/cli/opt.h"

/* What a table of its own fills in, as several commands have it. */
struct shared {
	bool deep;
	u64 pages;
};

struct values {
	bool all, graph, inherit, no_inherit;
	unsigned int verbose;
	const char *output, *separator;
	u64 freq, duration;
	char events[64];
	unsigned int calls;
	bool null_arg;
	struct shared first, second;
};

static int on_whole(void *value, const char *arg, struct err *err);

static int on_event(void *value, const char *arg, struct err *err)
{
	struct values *v = value;

	v->calls++;
	v->null_arg = !arg;
	if (arg && !strcmp(arg, "bad"))
		return err_set(err, ENOENT, "no event '%s'", arg);
	if (arg)
		strncat(v->events, arg, sizeof(v->events) - strlen(v->events) - 1);
	return 0;
}

#define NR_WORDS 16

struct line {
	struct values v;
	struct opt_rest rest;
	struct err err;
	char *argv[NR_WORDS];
	int ret;
};

#define OPT_STRUCT struct shared

OPT_ROWS(shared_opts, struct shared);
const struct opt shared_opts[] = {
	OPT_UINT('m', "mmap-pages", "N", pages, "pages"),
	OPT_FLAG(0, "deep", deep, NULL),
	OPT_END,
};

#undef OPT_STRUCT
#define OPT_STRUCT struct values

OPT_ROWS(second_opts, struct values);
const struct opt second_opts[] = {
	OPT_FLAG(0, "inherit", inherit, NULL),
	OPT_INCLUDE(shared_opts, second),
	OPT_END,
};

struct whole {
	char before;
	struct values v;
};

#undef OPT_STRUCT
#define OPT_STRUCT struct whole

static const struct opt all_opts[] = {
	OPT_GROUP("Target:"),
	OPT_FLAG('a', "all-cpus", v.all, "all"),
	OPT_FLAG('g', NULL, v.graph, "call graphs"),
	OPT_INCLUDE(second_opts, v),
	OPT_FLAG(0, "no-inherit", v.no_inherit, NULL),
	OPT_COUNT('v', "verbose", v.verbose, NULL),
	OPT_STRING('o', "output", "FILE", v.output, NULL),
	OPT_STRING('x', "field-separator", "SEP", v.separator, NULL, OPT_ARG_OPTIONAL),
	OPT_UINT('F', "freq", "HZ", v.freq, NULL),
	OPT_DURATION(0, "duration", "TIME", v.duration, NULL),
	OPT_DURATION('I', NULL, "TIME", v.duration, NULL, OPT_ZERO),
	OPT_CALL_ON('e', "event", "EVENT", v, on_event, NULL),
	OPT_CALL_ON(0, "events", "EVENT", v, on_event, NULL),
	OPT_CALL_ON('z', NULL, "N", v, on_event, NULL, OPT_ARG_OPTIONAL),
	OPT_CALL(0, "whole", NULL, on_whole, NULL),
	OPT_IGNORED('R', "raw-samples", NULL),
	OPT_NO_EFFECT(0, "aio", "N", OPT_ARG_OPTIONAL),
	OPT_NO_EFFECT('r', "realtime", "PRIO"),
	OPT_REFUSED('T', "transaction", "count -e tx-start"),
	OPT_REFUSED(0, "all-cpu-types", "name them"),
	OPT_END,
};

static void parse_with(struct line *l, int stop, ...)
{
	const struct opt_table t = {
		.command = "test", .summary = "a test", .opts = all_opts, .stop_at_operand = stop};
	struct whole whole = {0};
	va_list ap;
	int argc = 1;

	memset(l, 0, sizeof(*l));
	l->argv[0] = (char *)(uintptr_t) "test";
	va_start(ap, stop);
	while ((l->argv[argc] = va_arg(ap, char *)))
		assert_true(++argc < NR_WORDS);
	va_end(ap);
	l->ret = opt_parse(&t, &whole, argc, l->argv, &l->rest, &l->err);
	l->v = whole.v;
	assert_int_equal(whole.before, l->v.calls == 100 ? 'w' : 0);
}

static int on_whole(void *value, const char *arg, struct err *err)
{
	struct whole *w = value;

	(void)arg;
	(void)err;
	w->before = 'w';
	w->v.calls = 100;
	return 0;
}

#define parse(l, ...)  parse_with(l, false, ##__VA_ARGS__, (char *)NULL)
#define record(l, ...) parse_with(l, true, ##__VA_ARGS__, (char *)NULL)

static void nothing(void **state)
{
	struct line l;

	(void)state;
	parse(&l);
	assert_int_equal(l.ret, 0);
	assert_int_equal(l.rest.argc, 0);
	assert_null(l.rest.argv[0]);
	assert_false(l.rest.help);
}

static void letters(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "-ag", "-vv", "-v");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.all && l.v.graph);
	assert_int_equal(l.v.verbose, 3);

	parse(&l, "-agF99");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.all && l.v.graph);
	assert_int_equal(l.v.freq, 99);

	parse(&l, "-agF", "99", "-o", "-a");
	assert_int_equal(l.ret, 0);
	assert_int_equal(l.v.freq, 99);
	assert_string_equal(l.v.output, "-a");
}

static void same_spellings(void **state)
{
	static const char *const how[][2] = {{"-F99"},         {"-F", "99"},   {"--freq=99"},
					     {"--freq", "99"}, {"--fr", "99"}, {"-F0x63"}};
	struct line l;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(how); i++) {
		parse(&l, how[i][0], how[i][1]);
		assert_int_equal(l.ret, 0);
		assert_int_equal(l.v.freq, 99);
		assert_int_equal(l.rest.argc, 0);
	}
}

static void values(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "--duration=1.5s", "-e", "a", "--event=b", "--whole");
	assert_int_equal(l.ret, 0);
	assert_int_equal(l.v.calls, 100);
	assert_int_equal(l.v.duration, 1500000000);
	assert_string_equal(l.v.events, "ab");

	parse(&l, "-F", "many");
	assert_int_equal(l.ret, -EINVAL);
	assert_string_equal(l.err.msg, "-F takes a whole number, not 'many'");
	parse(&l, "--freq=");
	assert_int_equal(l.ret, -EINVAL);
	parse(&l, "--duration", "0s");
	assert_int_equal(l.ret, -EINVAL);
	assert_non_null(strstr(l.err.msg, "--duration takes a duration"));
	parse(&l, "-I", "0");
	assert_int_equal(l.ret, 0);
	assert_int_equal(l.v.duration, 0);
	parse(&l, "--duration", "fast");
	assert_int_equal(l.ret, -EINVAL);
	parse(&l, "-e", "bad");
	assert_int_equal(l.ret, -ENOENT);
	assert_string_equal(l.err.msg, "no event 'bad'");
	parse(&l, "-a", "-F");
	assert_int_equal(l.ret, -EINVAL);
	assert_string_equal(l.err.msg, "-F needs a value");
	assert_string_equal(l.err.hint, "-F HZ");
	parse(&l, "--all-cpus=1");
	assert_int_equal(l.ret, -EINVAL);
}

static void optional_values(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "-x,", "word");
	assert_string_equal(l.v.separator, ",");
	assert_int_equal(l.rest.argc, 1);
	parse(&l, "-x", "word");
	assert_string_equal(l.v.separator, "");
	assert_string_equal(l.rest.argv[0], "word");
	parse(&l, "--field-separator=;");
	assert_string_equal(l.v.separator, ";");
	parse(&l, "-z");
	assert_true(l.v.calls == 1 && l.v.null_arg);
	parse(&l, "-z9");
	assert_true(l.v.calls == 1 && !l.v.null_arg);
	assert_string_equal(l.v.events, "9");
}

static void negation(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "-a", "--no-all-cpus", "-vv", "--no-verbose", "-v");
	assert_int_equal(l.ret, 0);
	assert_false(l.v.all);
	assert_int_equal(l.v.verbose, 1);
	/* A name that begins with "no-" is that option first, and may be taken back as well. */
	parse(&l, "--inherit", "--no-inherit");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.inherit && l.v.no_inherit);
	parse(&l, "--no-inherit", "--no-no-inherit");
	assert_int_equal(l.ret, 0);
	assert_false(l.v.no_inherit);
	parse(&l, "--no-output");
	assert_int_equal(l.ret, -EINVAL);
	parse(&l, "--no-all-cpus=1");
	assert_int_equal(l.ret, -EINVAL);
}

static void beginnings(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "--all", "--no-verb", "--dur=2s");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.all);
	assert_int_equal(l.v.duration, 2000000000);
	/* Two names of one thing; an exact name that is the beginning of another. */
	parse(&l, "--even=x", "--event=y");
	assert_int_equal(l.ret, 0);
	assert_string_equal(l.v.events, "xy");
	parse(&l, "--r=1");
	assert_int_equal(l.ret, -EINVAL);
	assert_string_equal(l.err.msg, "--r is ambiguous");
	assert_string_equal(l.err.hint, "it may mean --raw-samples or --realtime");
	/* "group" is a heading, no option. */
	parse(&l, "--group");
	assert_int_equal(l.ret, -EINVAL);
}

static void unknown(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "--mmap-page_=1");
	assert_string_equal(l.err.hint, "did you mean --mmap-pages?");
	parse(&l, "--ouput=x");
	assert_int_equal(l.ret, -EINVAL);
	assert_string_equal(l.err.msg, "unknown option '--ouput'");
	assert_string_equal(l.err.hint, "did you mean --output?");
	parse(&l, "--zzzzzz");
	assert_string_equal(l.err.hint, "perf-lite test --help lists the options");
	parse(&l, "-aq");
	assert_int_equal(l.ret, -EINVAL);
	assert_string_equal(l.err.msg, "unknown option '-q' in '-aq'");
	parse(&l, "-duration=1s");
	assert_int_equal(l.ret, -EINVAL);
	assert_string_equal(l.err.hint, "did you mean --duration=1s?");
}

/* A table in a table in a table: values are where the structs are. */
static void included(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "-m", "7", "--deep", "--inh", "--no-inherit");
	assert_int_equal(l.ret, 0);
	assert_int_equal(l.v.second.pages, 7);
	assert_true(l.v.second.deep && l.v.inherit && l.v.no_inherit);
	assert_true(!l.v.first.pages && !l.v.first.deep);
	parse(&l, "--deep", "--no-deep");
	assert_false(l.v.second.deep);
	parse(&l, "--mmap-pages=x");
	assert_string_equal(l.err.msg, "--mmap-pages takes a whole number, not 'x'");
}

static void ignored(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "-R", "-a", "x");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.all);
	assert_string_equal(l.rest.no_effect, "");
	parse(&l, "-R", "--aio", "--aio=3", "-r", "1", "-a", "x");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.all);
	assert_int_equal(l.rest.argc, 1);
	assert_string_equal(l.rest.no_effect, "--aio, --aio, -r");
}

/* However many there are, names do not go beyond their room. */
static void much_ignored(void **state)
{
	static char aio[] = "--aio";
	const struct opt_table t = {.opts = all_opts};
	struct opt_rest rest;
	struct whole whole;
	char *argv[101];
	struct err err;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(argv); i++)
		argv[i] = aio;
	assert_int_equal(opt_parse(&t, &whole, ARRAY_SIZE(argv), argv, &rest, &err), 0);
	assert_int_equal(strlen(rest.no_effect), sizeof(rest.no_effect) - 1);
}

static void operands(void **state)
{
	struct line l;

	(void)state;
	parse(&l, "one", "-a", "-", "--", "-g", "--", "two");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.all);
	assert_false(l.v.graph);
	assert_int_equal(l.rest.argc, 5);
	assert_string_equal(l.rest.argv[0], "one");
	assert_string_equal(l.rest.argv[1], "-");
	assert_string_equal(l.rest.argv[2], "-g");
	assert_string_equal(l.rest.argv[3], "--");
	assert_string_equal(l.rest.argv[4], "two");
	assert_null(l.rest.argv[5]);
}

static void command_line(void **state)
{
	struct line l;

	(void)state;
	record(&l, "-a", "ls", "-g", "--nonsense", "--");
	assert_int_equal(l.ret, 0);
	assert_false(l.v.graph);
	assert_int_equal(l.rest.argc, 4);
	assert_string_equal(l.rest.argv[0], "ls");
	assert_string_equal(l.rest.argv[3], "--");
	assert_null(l.rest.argv[4]);
	record(&l, "-a", "--", "-ls", "-g");
	assert_int_equal(l.ret, 0);
	assert_int_equal(l.rest.argc, 2);
	assert_string_equal(l.rest.argv[0], "-ls");
}

static void help_asked(void **state)
{
	static const char *const how[] = {"-h", "-ah", "--help", "--hel"};
	struct line l;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(how); i++) {
		parse(&l, how[i], "--nonsense");
		assert_int_equal(l.ret, 0);
		assert_true(l.rest.help);
	}
	parse(&l, "--", "--help");
	assert_false(l.rest.help);
}

static void refused(void **state)
{
	static const char *const words[] = {"-T", "-aT", "-Tx", "--transaction", "--transaction=x"};
	struct line l;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		parse(&l, words[i]);
		assert_int_equal(l.ret, -EINVAL);
		assert_non_null(strstr(l.err.msg, i < 3 ? "-T is an option of perf test, and not"
							: "--transaction is an option of"));
		assert_string_equal(l.err.hint, "count -e tx-start");
	}
	/* it does not stand in the way of beginnings, and is not meant by one */
	parse(&l, "--all-cpu");
	assert_int_equal(l.ret, 0);
	assert_true(l.v.all);
	parse(&l, "--transact");
	assert_int_equal(l.ret, -EINVAL);
	assert_non_null(strstr(l.err.msg, "unknown option"));
}

#undef OPT_STRUCT
#define OPT_STRUCT struct values

static const struct opt help_opts[] = {
	OPT_GROUP("Things:"),
	OPT_FLAG('a', "all", all, "all of it"),
	OPT_FLAG('b', NULL, graph, "letter only"),
	OPT_STRING(0, "out", "FILE", output, "name only"),
	OPT_STRING('x', "sep", "S", separator, "optional", OPT_ARG_OPTIONAL),
	OPT_INCLUDE(shared_opts, first),
	OPT_FLAG(0, "secret", all, "hidden", OPT_HIDDEN),
	OPT_IGNORED('i', "ignored", NULL),
	OPT_NO_EFFECT(0, "aio", "N"),
	OPT_REFUSED(0, "refused", "use another"),
	OPT_FLAG(0, "a-name-that-is-longer-than-the-column", all,
		 "words words words words words words words words words words words words "
		 "words words words words"),
	OPT_END,
};

static void help_text(void **state)
{
	const struct opt_table t = {.command = "test",
				    .summary = "a test",
				    .usage = {"[options]", "[options] -- COMMAND"},
				    .opts = help_opts,
				    .notes = "Note."};
	static const char want[] =
		"perf-lite test - a test\n"
		"\n"
		"usage: perf-lite test [options]\n"
		"   or: perf-lite test [options] -- COMMAND\n"
		"\n"
		"Things:\n"
		"  -a, --all                   all of it\n"
		"  -b                          letter only\n"
		"      --out=FILE              name only\n"
		"  -x, --sep[=S]               optional\n"
		"  -m, --mmap-pages=N          pages\n"
		"      --deep                  \n"
		"      --a-name-that-is-longer-than-the-column\n"
		"                              words words words words words words words words words"
		" words words\n"
		"                              words words words words words\n"
		"  -h, --help                  show this text\n"
		"\n"
		"Note.\n";
	struct buf b = {0};

	(void)state;
	opt_help(&t, &b);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void completion(void **state)
{
	struct opt_table t = {.opts = help_opts};
	static const char want[] =
		"--all\t\tall of it\n"
		"-a\t\tall of it\n"
		"-b\t\tletter only\n"
		"--out\tFILE\tname only\n"
		"--sep\t[S]\toptional\n"
		"-x\t[S]\toptional\n"
		"--mmap-pages\tN\tpages\n"
		"-m\tN\tpages\n"
		"--deep\t\t\n"
		"--a-name-that-is-longer-than-the-column\t\t"
		"words words words words words words words words words words words words "
		"words words words words\n"
		"--help\t\tshow this text\n"
		"-h\t\tshow this text\n";
	static const char rest[] = "--\tCOMMAND\tend the options\n";
	struct buf b = {0};

	(void)state;
	opt_completion(&t, &b);
	assert_string_equal(buf_str(&b), want);
	t.stop_at_operand = true;
	opt_completion(&t, &b);
	assert_memory_equal(buf_str(&b) + strlen(want), want, strlen(want));
	assert_string_equal(buf_str(&b) + 2 * strlen(want), rest);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing),         cmocka_unit_test(letters),
		cmocka_unit_test(same_spellings),  cmocka_unit_test(values),
		cmocka_unit_test(optional_values), cmocka_unit_test(negation),
		cmocka_unit_test(beginnings),      cmocka_unit_test(unknown),
		cmocka_unit_test(included),        cmocka_unit_test(ignored),
		cmocka_unit_test(much_ignored),    cmocka_unit_test(operands),
		cmocka_unit_test(command_line),    cmocka_unit_test(help_asked),
		cmocka_unit_test(refused),         cmocka_unit_test(help_text),
		cmocka_unit_test(completion),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
