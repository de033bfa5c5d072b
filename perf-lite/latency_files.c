// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency_request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-lite/flamegraph_request.h"

static const char *const options[LATENCY_FILES] = {[LATENCY_CHROME] = "--chrome",
						   [LATENCY_GECKO] = "--gecko",
						   [LATENCY_PPROF] = "--pprof",
						   [LATENCY_FLAMEGRAPH] = "--flamegraph",
						   [LATENCY_TIMELINE] = "--timeline"};

static bool is_stdout(const char *name)
{
	return name && !strcmp(name, "-");
}

bool latency_files_on_stdout(const struct latency_request *req)
{
	u32 i;

	for (i = 0; i < LATENCY_FILES; i++)
		if (is_stdout(req->files[i]))
			return true;
	return false;
}

/* What is measured should not be lost since there is no such folder. */
static int check_place(const char *name, struct err *err)
{
	char folder[PATH_MAX] = ".";
	const char *slash = strrchr(name, '/');
	struct stat st;

	if (is_stdout(name))
		return 0;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name + 1), name);
	if (*name && !stat(name, &st) && S_ISDIR(st.st_mode))
		errno = EISDIR;
	else if (*name && !access(folder, W_OK | X_OK))
		return 0;
	err_set(err, EINVAL, "cannot create '%s': %s", name,
		*name ? strerror(errno) : "it is no name");
	err_hint(err, "choose a place that you may write to");
	return -EINVAL;
}

/* Would both be written to the same place? */
static int check_pair(const char *a, const char *a_option, const char *b, const char *b_option,
		      struct err *err)
{
	if (!a || !b || strcmp(a, b) != 0)
		return 0;
	err_set(err, EINVAL, "%s and %s would both be %s", a_option, b_option,
		is_stdout(a) ? "standard output" : "one file");
	err_hint(err, "give them two names");
	return -EINVAL;
}

static int check_names(const struct latency_request *req, struct err *err)
{
	const char *metrics = req->q.metrics;
	int ret = 0;
	u32 i, k;

	for (i = 0; i < LATENCY_FILES && !ret; i++) {
		for (k = 0; k < i && !ret; k++)
			ret = check_pair(req->files[k], options[k], req->files[i], options[i], err);
		if (!ret)
			ret = check_pair(req->files[i], options[i], metrics, "--openmetrics", err);
	}
	return ret;
}

static int refuse(enum latency_file file, const char *message, const char *hint, struct err *err)
{
	err_set(err, EINVAL, "%s %s", options[file], message);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

/* Does this one go with the other options? */
static int check_file(const struct latency_request *req, enum latency_file file, struct err *err)
{
	const struct count_request *q = &req->q;
	const bool once = file != LATENCY_CHROME && file != LATENCY_GECKO;
	const bool often = q->interval_ns || q->form == COUNT_FORM_METRICS;

	if (file == LATENCY_FLAMEGRAPH && (often || req->l.asked.trace))
		return refuse(file, "is one picture of the whole time",
			      "leave out -I, --openmetrics and --trace", err);
	if (file != LATENCY_FLAMEGRAPH && req->l.whole)
		return refuse(file, "is of spans that ended",
			      "the spans of this preset end with the table", err);
	if (file != LATENCY_FLAMEGRAPH && req->l.asked.open)
		return refuse(file, "is of spans that ended", "leave out --open", err);
	if (once && often)
		return refuse(file, "is of the whole time", "leave out -I and --openmetrics", err);
	if (is_stdout(req->files[file]) && (req->l.asked.trace || q->form != COUNT_FORM_TEXT ||
					    q->interval_ns || isatty(STDOUT_FILENO)))
		return refuse(file, "-: it would be among other output",
			      "give a file in place of -", err);
	return 0;
}

int latency_files_check(const struct latency_request *req, struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < LATENCY_FILES && !ret; i++)
		if (req->files[i])
			ret = check_place(req->files[i], err);
	if (!ret)
		ret = check_names(req, err);
	for (i = 0; i < LATENCY_FILES && !ret; i++)
		if (req->files[i])
			ret = check_file(req, i, err);
	if (!ret)
		ret = flamegraph_picture_check(req->files[LATENCY_FLAMEGRAPH], err);
	if (!ret)
		ret = flamegraph_picture_check(req->files[LATENCY_TIMELINE], err);
	return ret;
}
