// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - finds the command, runs it, prints its error, and turns its result into the exit code.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf-lite/cmd.h"
#include "perf-lite/perf_commands.h"
#include "util/base/text.h"
#include "util/cli/terminal.h"
#include "util/library/version.h"

static const struct command {
	const char *name, *summary;
	int (*run)(int argc, char **argv, struct err *err);
} commands[] = {
	{"record", "record events of a command, of processes or of the whole system", cmd_record},
	{"script", "print the samples of a recording", cmd_script},
	{"trace", "print events as they happen", cmd_trace},
	{"report", "show where time went: samples by function, file or any field", cmd_report},
	{"annotate", "show which instructions and lines of source time went to", cmd_annotate},
	{"stat", "count events of a command, of processes or of the whole system", cmd_stat},
	{"count", "count events, grouped by field, task or stack", cmd_count},
	{"latency", "show how long it takes from one event to another", cmd_latency},
	{"top", "show where CPU time goes now, function by function", cmd_top},
	{"drops", "show where packets are dropped, and why", cmd_drops},
	{"flamegraph", "draw a recording as a flame graph or a heat map over time", cmd_flamegraph},
	{"diff", "compare two recordings: what changed beyond noise", cmd_diff},
	{"evlist", "list the events of a recording", cmd_evlist},
	{"buildid-list", "list the build-ids of the files of a recording", cmd_buildid_list},
	{"verify", "check that a recording is complete", cmd_verify},
	{"convert", "write a recording in another format", cmd_convert},
	{"pack", "make a recording smaller", cmd_pack},
	{"push", "send recordings to a server of profiles", cmd_push},
	{"list", "list the events of this machine and their fields", cmd_list},
	{"check", "show what can be recorded here, and how to enable the rest", cmd_check},
};

struct main_options {
	bool version, completion;
};

/* --completion: put_help() lists the options for a shell. */
static bool completing;

bool cmd_is_completing(void)
{
	return completing;
}

int cmd_cannot_write(int code, struct err *err)
{
	err_set(err, code ? code : EIO, "cannot write to standard output%s%s", code ? ": " : "",
		code ? strerror(code) : "");
	if (code == ENOSPC)
		err_hint(err, "free some space, or write elsewhere");
	return CMD_PARTIAL;
}

int cmd_refused(int ret)
{
	return ret == -EACCES || ret == -EPERM || ret == -EMFILE ? CMD_NO_START : ret;
}

int cmd_write(struct buf *b, struct err *err)
{
	int ret = b->failed ? err_nomem(err) : CMD_OK;

	errno = 0;
	if (!ret && ((b->len && fwrite(b->data, 1, b->len, stdout) != b->len) || fflush(stdout)))
		ret = cmd_cannot_write(errno, err);
	buf_free(b);
	return ret;
}

int cmd_write_paged(int ret, struct buf *b, struct err *err)
{
	struct err unwritten = {0};
	struct pager pager = {0};
	int code = 0;

	if (ret >= 0 && (b->len || b->failed)) {
		pager_start(&pager, NULL);
		code = cmd_write(b, &unwritten);
		pager_finish(&pager);
	}
	buf_free(b);
	if (!code)
		return ret;
	*err = unwritten;
	return code;
}

void cmd_put_notes(const char *notes)
{
	struct buf b = {0};
	size_t len;

	for (; *notes; notes += len + (notes[len] == '\n')) {
		len = strcspn(notes, "\n");
		text_escape(&b, notes, len);
		buf_addc(&b, '\n');
	}
	fputs(buf_str(&b), stderr);
	buf_free(&b);
}

static int put_help(const struct opt_table *t, struct err *err)
{
	struct buf b = {0};

	if (completing)
		opt_completion(t, &b);
	else
		opt_help(t, &b);
	return cmd_write(&b, err);
}

int cmd_no_operand(const char *command, const struct opt_rest *rest, struct err *err)
{
	if (!rest->argc)
		return 0;
	err_set(err, EINVAL, "%s takes no '%s'", command, rest->argv[0]);
	err_hint(err, "to read a file: perf-lite %s -i %s", command, TEXT_SHELL(rest->argv[0]));
	return -EINVAL;
}

/* Of the command that runs. */
static const struct opt_table *option_table;

int cmd_options(const struct opt_table *t, void *base, int argc, char **argv, struct opt_rest *rest,
		struct err *err)
{
	int ret = opt_parse(t, base, argc, argv, rest, err);

	option_table = t;
	return !ret && rest->help ? put_help(t, err) : ret;
}

void cmd_note_no_effect(const struct opt_rest *rest, struct buf *notes)
{
	if (rest->no_effect[0])
		buf_addf(notes, "no effect in perf-lite: %s\n", rest->no_effect);
}

/* word: what follows the name, or NULL. */
static const struct command *find_command(const char *name, const char *word, struct err *err)
{
	struct text_suggest s;
	const char *instead;
	unsigned int i;

	text_suggest_init(&s, name);
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		text_suggest_add(&s, commands[i].name);
	}
	if (perf_commands_lacks(name, word, err))
		return NULL;
	text_suggest_add(&s, "help");
	text_suggest_add(&s, "version");
	err_set(err, EINVAL, "unknown command '%s'", name);
	instead = perf_commands_instead(name);
	if (instead)
		err_hint(err, "%s", instead);
	else if (s.best)
		err_hint(err, "did you mean perf-lite %s?", s.best);
	else
		err_hint(err, "perf-lite --help lists the commands");
	return NULL;
}

static void main_help(const struct opt_table *t, struct buf *b)
{
	unsigned int i;

	opt_help(t, b);
	buf_adds(b, "\nCommands:\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		buf_addf(b, "  %-12s %s\n", commands[i].name, commands[i].summary);
	buf_adds(b, "\nperf-lite help COMMAND shows the options of one. A first flame graph:\n\n"
		    "  perf-lite record -e skb:kfree_skb -ag --duration 10s\n"
		    "  perf-lite flamegraph -o drops.svg\n");
}

static void main_completion(const struct opt_table *t, struct buf *b)
{
	unsigned int i;

	opt_completion(t, b);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		buf_addf(b, "%s\t\t%s\n", commands[i].name, commands[i].summary);
	buf_adds(b, "help\t\tshow the options of a command\n");
}

/* "help", "help COMMAND": the same as --help and COMMAND --help; and for --completion. */
static int help(const struct opt_table *t, int argc, char **argv, struct err *err)
{
	char option[] = "--help", *words[] = {NULL, option, NULL};
	const struct command *c;
	struct buf b = {0};

	if (argc > 1) {
		err_set(err, EINVAL, "help takes one command");
		err_hint(err, "perf-lite help %s", argv[0]);
		return -EINVAL;
	}
	if (!argc || !strcmp(argv[0], "help")) {
		if (completing)
			main_completion(t, &b);
		else
			main_help(t, &b);
		return cmd_write(&b, err);
	}
	c = find_command(argv[0], NULL, err);
	if (!c)
		return -EINVAL;
	words[0] = argv[0];
	return c->run(2, words, err);
}

#define OPT_STRUCT struct main_options

static const struct opt opts[] = {
	OPT_FLAG('V', "version", version, "show the version"),
	OPT_FLAG('v', NULL, version, NULL, OPT_HIDDEN), /* as perf */
	OPT_FLAG(0, "completion", completion, NULL, OPT_HIDDEN),
	OPT_END,
};

static const struct opt_table table = {
	.summary = "record perf events and see what happened",
	.usage = {"COMMAND [options] [arguments]"},
	.opts = opts,
	.stop_at_operand = true,
};

static int run(int argc, char **argv, struct err *err)
{
	struct main_options o = {0};
	struct perf_commands_line line;
	const struct command *c;
	struct opt_rest rest;
	struct buf b = {0};
	int ret;

	ret = opt_parse(&table, &o, argc, argv, &rest, err);
	if (ret)
		return ret;
	if (rest.help)
		return help(&table, 0, NULL, err);
	/* a command of perf */
	if (o.version || (rest.argc && !strcmp(rest.argv[0], "version") && !o.completion)) {
		printf("perf-lite %s\n", version_string());
		return CMD_OK;
	}
	completing = o.completion;
	if (completing)
		return help(&table, rest.argc, rest.argv, err);
	if (!rest.argc) {
		main_help(&table, &b);
		fputs(buf_str(&b), stderr);
		buf_free(&b);
		return CMD_USAGE;
	}
	if (!strcmp(rest.argv[0], "help"))
		return help(&table, rest.argc - 1, rest.argv + 1, err);
	if (perf_commands_translate(&line, rest.argc, rest.argv))
		return err_nomem(err);
	c = find_command(line.words[0], line.words[1], err);
	ret = c ? c->run(line.nr, line.words, err) : -EINVAL;
	perf_commands_free(&line);
	return ret;
}

/* Messages may quote foreign names: line by line, no other control byte reaches the terminal. */
static void print_message(const char *label, const char *text)
{
	const char *nl = strchr(text, '\n');
	struct buf b = {0};

	buf_adds(&b, label);
	for (; nl; text = nl + 1, nl = strchr(text, '\n')) {
		text_escape(&b, text, (size_t)(nl - text));
		buf_addc(&b, '\n');
		buf_pad(&b, ' ', strlen(label)); /* a caret stays below its place */
	}
	text_escape(&b, text, strlen(text));
	buf_addc(&b, '\n');
	fputs(b.failed ? text : buf_str(&b), stderr);
	buf_free(&b);
}

/* A closed standard descriptor must not become the number of the next file that is opened. */
static void hold_standard_descriptors(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return;
}

/* The option before a number that is a word of its own, and was taken for a command: -z 19. NULL: there is none. */
static const char *option_before(char **words, const char *number)
{
	const char *option = NULL;
	int i;

	if (!*number || number[strspn(number, "0123456789")])
		return NULL;
	for (i = 1; words[i] && strcmp(words[i], "--") != 0; i++)
		if (words[i][0] == '-' && words[i + 1] && !strcmp(words[i + 1], number))
			option = words[i];
	return option;
}

/* A command that was to be run is not there: perhaps it was not meant as one. */
static void explain_missing(char **words, struct err *err)
{
	static const char said[] = "command not found: ";
	static const char *const readers[] = {"latency", "count", "trace", "drops"};
	const char *word = err->msg + sizeof(said) - 1;
	const char *option, *instead;
	size_t i;

	if (strncmp(err->msg, said, sizeof(said) - 1) != 0)
		return;
	instead = perf_commands_word_instead(words[1], word);
	if (instead) {
		err_hint(err, "%s", instead);
		return;
	}
	option = option_table ? option_before(words, word) : NULL;
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		if (!strcmp(words[1], readers[i]) && !access(word, R_OK))
			err_hint(err, "to read a recording: -i %s", TEXT_SHELL(word));
	if (option && opt_value(option_table, option) == OPT_VALUE_ATTACHED)
		err_hint(err, "a value of %s is attached: %s%s%s", option, option,
			 option[1] == '-' ? "=" : "", word);
	else if (option && opt_value(option_table, option) == OPT_VALUE_NONE)
		err_hint(err, "%s takes no value: perf-lite %s --help lists the options", option,
			 words[1]);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, word))
			err_hint(err, "%s is a command of its own: perf-lite %s", word, word);
}

int main(int argc, char **argv)
{
	/* as they were typed: operands move to the front */
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	struct err err = {0};
	int ret;

	hold_standard_descriptors();
	/* `perf-lite script | head` ends without a word, even where SIGPIPE came to us ignored. */
	signal(SIGPIPE, SIG_DFL);
	/* who ignores SIGCHLD never gets the status of a child */
	signal(SIGCHLD, SIG_DFL);
	if (words)
		memcpy(words, argv, (size_t)argc * sizeof(*words));
	ret = run(argc, argv, &err);
	if (ret == CMD_NOT_FOUND && words)
		explain_missing(words, &err);
	if (ret < 0 && !err.msg[0])
		err_set(&err, -ret, "%s", strerror(-ret));
	errno = 0;
	if (fflush(stdout) || ferror(stdout)) {
		if (!err.msg[0])
			cmd_cannot_write(errno, &err);
		if (ret == CMD_OK)
			ret = CMD_PARTIAL;
	}
	if (err.msg[0])
		print_message("perf-lite: ", err.msg);
	if (err.code == EMFILE && !strstr(err.hint, "ulimit"))
		err_hint(&err, "raise the limit of open files with: ulimit -n 65536");
	if (err.hint[0])
		print_message("hint: ", err.hint);
	free(words);
	return ret < 0 ? CMD_USAGE : ret;
}
