// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/stat.h"

#include <errno.h>
#include <string.h>

#include "util/base/num.h"
#include "util/event/ev_filter.h"
#include "util/stat/stat_events.h"

#define NS_PER_MS 1000000ull

int stat_refuse(struct err *err, const char *message, const char *hint)
{
	err_set(err, EINVAL, "%s", message);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

int stat_on_event(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;
	u32 first = c->list.specs.nr;
	int ret = ev_parse(&c->list, arg, &c->env, err);

	return ret ? ret : stat_events_check(&c->list, first, err);
}

/* What the kernel cannot test is tested on samples, and counting makes none. */
static int needs_samples(const struct ev_spec *s, const char *filter, struct err *err)
{
	err_set(err, EINVAL, "%s: the kernel cannot test %.*s", s->name, 256, s->here->here);
	err_hint(err, "count the samples that pass: perf-lite count -e %s --filter '%.256s'",
		 s->name, filter);
	return -EINVAL;
}

int stat_on_filter(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;
	int ret;
	u32 i;

	if (!c->list.specs.nr) {
		err_set(err, EINVAL, "--filter must follow the event that it is for");
		err_hint(err, "perf-lite stat -e skb:kfree_skb --filter '%s'", arg);
		return -EINVAL;
	}
	ret = ev_filter_add(&c->list, arg, &c->env, err);
	for (i = c->list.last; !ret && i < c->list.specs.nr; i++)
		ret = c->list.specs.v[i].here ? needs_samples(&c->list.specs.v[i], arg, err) : 0;
	return ret;
}

int stat_on_cgroup(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	return ev_filter_cgroups(&c->list, arg, err);
}

int stat_on_pids(void *value, const char *arg, struct err *err)
{
	return id_list_add(&((struct stat_command *)value)->pids, arg, "process id", "", err);
}

int stat_on_tids(void *value, const char *arg, struct err *err)
{
	return id_list_add(&((struct stat_command *)value)->tids, arg, "thread id", "", err);
}

static bool milliseconds(const char *arg, u64 *ns)
{
	u64 ms;

	if (!num_u64(arg, &ms) || ms >= UINT64_MAX / NS_PER_MS / 1000)
		return false;
	*ns = ms * NS_PER_MS;
	return true;
}

static int no_time(const char *option, const char *arg, const char *hint, struct err *err)
{
	err_set(err, EINVAL, "%s: '%s' is not a number of milliseconds", option, arg);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

int stat_on_delay(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (!strcmp(arg, "-1")) {
		c->run.disabled = true;
		return 0;
	}
	return milliseconds(arg, &c->run.delay_ns)
		       ? 0
		       : no_time("-D", arg,
				 "-D 500 waits half a second before counting, -D -1 for --control",
				 err);
}

int stat_on_interval(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (milliseconds(arg, &c->run.interval_ns) && c->run.interval_ns)
		return 0;
	return no_time("-I", arg, "-I 1000 prints the counts of each second", err);
}

int stat_on_timeout(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (milliseconds(arg, &c->run.timeout_ns) && c->run.timeout_ns)
		return 0;
	return no_time("--timeout", arg, "--timeout 2000 counts for two seconds", err);
}

int stat_on_repeat(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	c->repeat_given = true;
	if (num_u64(arg, &c->repeat) && c->repeat <= UINT32_MAX)
		return 0;
	err_set(err, EINVAL, "-r: '%s' is not a number of runs", arg);
	err_hint(err, "-r 10 runs the command ten times, -r 0 until ^C");
	return -EINVAL;
}

int stat_on_json(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (!arg || !strcmp(arg, "v1")) {
		c->output.form = STAT_OUTPUT_JSON;
		return 0;
	}
	if (!strcmp(arg, "v2")) {
		c->output.form = STAT_OUTPUT_JSON_V2;
		return 0;
	}
	err_set(err, EINVAL, "--json: there is no form '%s'", arg);
	err_hint(err, "--json has the fields of perf stat -j; --json=v2 has numbers as numbers");
	return -EINVAL;
}

int stat_on_separator(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;

	if (!*arg) {
		err_set(err, EINVAL, "-x needs what stands between the fields");
		err_hint(err, "-x, or -x ';' or -x '\\t'");
		return -EINVAL;
	}
	c->output.form = STAT_OUTPUT_CSV;
	c->output.separator = !strcmp(arg, "\\t") ? "\t" : arg;
	return 0;
}

int stat_on_log_fd(void *value, const char *arg, struct err *err)
{
	struct stat_command *c = value;
	u64 fd;

	if (!num_u64(arg, &fd) || fd > INT32_MAX) {
		err_set(err, EINVAL, "--log-fd: '%s' is not a descriptor", arg);
		err_hint(err, "open it in the shell: perf-lite stat --log-fd 3 ... 3>counts");
		return -EINVAL;
	}
	c->output.log_fd = (int)fd;
	c->output.log_fd_given = true;
	return 0;
}
