// SPDX-License-Identifier: GPL-2.0
/*
 * ev_dump.c - what ev_parse() makes of its arguments, for comparison with perf.
 *
 * ev_dump TEXT [-f FILTER] [-G CGROUPS] [TEXT...], one line for each event:
 *
 *	NAME <tab> type=1 config=0x3 exclude_guest ...
 *
 * What is 0 is left out, except type and config. Exit code 1 and the message on standard
 * error if it is refused.
 */
#include <stdio.h>
#include <string.h>

#include "util/event/ev_filter.h"
#include "util/event/ev_parse.h"

static void dump(const struct ev_spec *s)
{
	const struct perf_event_attr *a = &s->attr;

	printf("%s\ttype=%u config=0x%llx", s->name, a->type, (unsigned long long)a->config);
	if (a->type == PERF_TYPE_BREAKPOINT)
		printf(" bp_type=%u bp_addr=0x%llx bp_len=0x%llx", a->bp_type,
		       (unsigned long long)a->bp_addr, (unsigned long long)a->bp_len);
	if (a->exclude_user)
		printf(" exclude_user");
	if (a->exclude_kernel)
		printf(" exclude_kernel");
	if (a->exclude_hv)
		printf(" exclude_hv");
	if (a->exclude_idle)
		printf(" exclude_idle");
	if (a->exclude_host)
		printf(" exclude_host");
	if (a->exclude_guest)
		printf(" exclude_guest");
	if (a->pinned)
		printf(" pinned");
	if (a->exclusive)
		printf(" exclusive");
	if (a->precise_ip)
		printf(" precise_ip=%u", a->precise_ip);
	if (s->terms.has & (EV_PERIOD | EV_FREQ))
		printf(" %s=%llu", a->freq ? "freq" : "period",
		       (unsigned long long)a->sample_period);
	if (s->tp.filter)
		printf(" filter=%s", s->tp.filter);
	if (s->cgroup)
		printf(" cgroup=%s", s->cgroup);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct ev_list list = {0};
	struct ev_env env = {0};
	struct sysroot root;
	struct err err = {0};
	int i, ret;
	u32 n;

	ret = sysroot_open(&root, "/", &err);
	env.root = &root;
	for (i = 1; !ret && i < argc; i++) {
		if (!strcmp(argv[i], "-f") && i + 1 < argc)
			ret = ev_filter_add(&list, argv[++i], &env, &err);
		else if (!strcmp(argv[i], "-G") && i + 1 < argc)
			ret = ev_filter_cgroups(&list, argv[++i], &err);
		else
			ret = ev_parse(&list, argv[i], &env, &err);
	}
	for (n = 0; !ret && n < list.specs.nr; n++)
		dump(&list.specs.v[n]);
	if (ret)
		fprintf(stderr, "%s\nhint: %s\n", err.msg, err.hint);
	ev_list_free(&list);
	ev_env_close(&env);
	sysroot_close(&root);
	return ret ? 1 : 0;
}
