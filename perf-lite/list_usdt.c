// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/list.h"

#include <errno.h>
#include <string.h>

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/event/ev_probe.h"

#define PREFIX "usdt:"

bool list_usdt_named(const char *word)
{
	return !strncmp(word, PREFIX, strlen(PREFIX));
}

static bool is_added(const struct list_usdt_probes *l, const char *word, size_t len)
{
	u32 i;

	for (i = 0; i < l->v.nr; i++)
		if (!strncmp(l->v.v[i].name, word, len) && l->v.v[i].name[len] == ':')
			return true;
	return false;
}

static int add_all(struct list_usdt_probes *l, const char *file, const struct image_usdt_list *of)
{
	struct list_usdt *u;
	u32 i;

	for (i = 0; i < of->probes.nr; i++) {
		u = vec_push(&l->v);
		if (!u)
			return -ENOMEM;
		u->probe = of->probes.v[i];
		u->probe.arguments = arena_strdup(l->arena, u->probe.arguments);
		u->name = ev_usdt_name(l->arena, file, of, &u->probe);
		u->probe.provider = u->probe.name = NULL;
		if (!u->name || !u->probe.arguments)
			return -ENOMEM;
	}
	return 0;
}

int list_usdt_add(struct list_usdt_probes *l, const char *word, struct err *err)
{
	struct image_usdt_list of = {0};
	struct image img;
	size_t len = strcspn(word + strlen(PREFIX), ":");
	const char *file;
	int ret;

	if (is_added(l, word, strlen(PREFIX) + len))
		return 0;
	file = arena_strndup(l->arena, word + strlen(PREFIX), len);
	if (!file)
		return err_nomem(err);
	ret = image_open(&img, file, err);
	if (ret)
		return ret;
	ret = image_usdt_load(&img, &of, err);
	if (!ret && !of.probes.nr) {
		ret = err_set(err, ENOENT, "%s has no static probes", file);
		err_hint(err, "functions can be probed: uprobe:%s:FUNCTION", file);
	} else if (!ret && add_all(l, file, &of)) {
		ret = err_nomem(err);
	}
	image_usdt_free(&of);
	image_close(&img);
	return ret;
}

void list_usdt_detail(const struct list_usdt *u, bool json, struct buf *out)
{
	const struct image_usdt_probe *p = &u->probe;

	if (json) {
		buf_addf(out, ", \"address\": \"0x%llx\", \"semaphore\": %s, \"arguments\": ",
			 (unsigned long long)p->vaddr, p->semaphore ? "true" : "false");
		json_string(out, p->arguments, strlen(p->arguments));
		return;
	}
	buf_addf(out, "  address 0x%llx%s\n", (unsigned long long)p->vaddr,
		 p->semaphore ? ", has a semaphore" : "");
	if (!p->arguments[0])
		return;
	buf_adds(out, "  arguments ");
	text_escape(out, p->arguments, strlen(p->arguments));
	buf_addc(out, '\n');
}
