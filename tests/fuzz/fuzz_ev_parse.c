// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_ev_parse.c - lines of -e, of --filter (behind an 'f') and of -G (behind a 'g'), on the
 * machine of tests/sysroot/server.
 */
#include <stdlib.h>
#include <string.h>

#include "util/event/ev_filter.h"
#include "util/event/ev_parse.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check(const struct ev_list *list)
{
	u32 i;

	for (i = 0; i < list->specs.nr; i++) {
		const struct ev_spec *s = &list->specs.v[i];

		if (!s->name || !s->pmu.unit || s->at + s->len > strlen(s->text) ||
		    ev_leader(list, i)->group != s->group || (s->tp.system && !s->tp.format))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct ev_list list = {0};
	struct sysroot root;
	struct ev_env env = {.root = &root};
	char *text, *line, *save;
	struct err err;

	if (sysroot_open(&root, "tests/sysroot/server", NULL))
		abort();
	text = strndup((const char *)data, size);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		u32 before = list.specs.nr;
		int ret;

		if (*line == 'f' && line[1] == ' ') {
			ev_filter_add(&list, line + 2, &env, &err);
		} else if (*line == 'g' && line[1] == ' ') {
			ev_filter_cgroups(&list, line + 2, &err);
		} else {
			ret = ev_parse(&list, line, &env, &err);
			if (ret ? ret != -err.code || list.specs.nr != before
				: list.specs.nr == before)
				abort();
		}
	}
	check(&list);
	free(text);
	ev_list_free(&list);
	ev_env_close(&env);
	sysroot_close(&root);
	return 0;
}
