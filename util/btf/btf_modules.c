// SPDX-License-Identifier: GPL-2.0
#include "util/btf/btf_modules.h"

#include <errno.h>
#include <string.h>

#define FOLDER "sys/kernel/btf"

static int load(struct btf_modules *m, const struct btf *kernel, int root, const char *name)
{
	struct btf_module *module;
	struct buf path = {0};
	struct btf types;
	int ret;

	buf_addf(&path, FOLDER "/%s", name);
	ret = path.failed ? -ENOMEM : btf_load(&types, kernel, root, path.data, NULL);
	buf_free(&path);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	module = vec_push(&m->v);
	if (!module) {
		btf_free(&types);
		return -ENOMEM;
	}
	*module = (struct btf_module){name, types};
	return kernel->names.nr && !btf_index(&module->types) ? -ENOMEM : 0;
}

int btf_modules_load(struct btf_modules *m, const struct btf *kernel, int root)
{
	int ret = sysroot_list(root, FOLDER, &m->names);
	u32 i;

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	for (i = 0; !ret && i < m->names.names.nr; i++)
		if (strcmp(m->names.names.v[i], "vmlinux") != 0)
			ret = load(m, kernel, root, m->names.names.v[i]);
	return ret;
}

void btf_modules_free(struct btf_modules *m)
{
	u32 i;

	for (i = 0; i < m->v.nr; i++)
		btf_free(&m->v.v[i].types);
	vec_free(&m->v);
	sysroot_names_free(&m->names);
}
