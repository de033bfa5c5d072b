// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <string.h>

#include "util/base/text.h"
#include "util/kernel/sysroot.h"

#define TYPES "sys/kernel/btf"

/* Modules whose types cannot be read have no names; their reasons are shown as numbers. */
static void read_modules(struct drop_reasons *r, const struct btf *kernel, int root)
{
	struct sysroot_names modules = {0};
	struct buf path = {0};
	struct btf module;
	u32 i;

	sysroot_list(root, TYPES, &modules);
	for (i = 0; i < modules.names.nr; i++) {
		if (!strcmp(modules.names.v[i], "vmlinux"))
			continue;
		buf_reset(&path);
		buf_addf(&path, TYPES "/%s", modules.names.v[i]);
		if (path.failed || btf_load_module(&module, kernel, root, path.data, NULL))
			continue;
		drop_reasons_add(r, &module, NULL);
		btf_free(&module);
	}
	sysroot_names_free(&modules);
	buf_free(&path);
}

static void read_types(struct drop_reasons *r)
{
	struct sysroot root;
	struct btf kernel;

	if (sysroot_open(&root, "/", NULL))
		return;
	if (!btf_load(&kernel, root.fd, TYPES "/vmlinux", NULL)) {
		drop_reasons_add(r, &kernel, NULL);
		read_modules(r, &kernel, root.fd);
		btf_free(&kernel);
	}
	sysroot_close(&root);
}

const char *drops_names_reason(struct drops_names *n, u64 reason)
{
	if (!n->read && n->use_types) {
		n->read = true;
		read_types(&n->reasons);
	}
	return drop_reasons_name(&n->reasons, reason);
}

void drops_names_put(struct drops_names *n, u64 reason, struct buf *out)
{
	const char *name = drops_names_reason(n, reason);

	if (name) {
		text_escape(out, name, strlen(name));
		return;
	}
	name = drop_reasons_subsystem(&n->reasons, reason);
	if (name) {
		text_escape(out, name, strlen(name));
		buf_addf(out, ":%u", (u32)(reason & UINT16_MAX));
	} else {
		buf_addf(out, "0x%llx", (unsigned long long)reason);
	}
}

void drops_names_free(struct drops_names *n)
{
	drop_reasons_free(&n->reasons);
}
