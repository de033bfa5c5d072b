// SPDX-License-Identifier: GPL-2.0
#include "util/library/drops.h"

#include <string.h>

#include "util/base/text.h"
#include "util/btf/btf_modules.h"
#include "util/kernel/sysroot.h"

/* Modules whose types cannot be read have no names; their reasons are shown as numbers. */
static void read_modules(struct drop_reasons *r, const struct btf *kernel, int root)
{
	struct btf_modules modules = {0};
	u32 i;

	btf_modules_load(&modules, kernel, root);
	for (i = 0; i < modules.v.nr; i++)
		drop_reasons_add(r, &modules.v.v[i].types, NULL);
	btf_modules_free(&modules);
}

static void read_types(struct drop_reasons *r)
{
	struct sysroot root;
	struct btf kernel;

	if (sysroot_open(&root, "/", NULL))
		return;
	if (!btf_load(&kernel, NULL, root.fd, "sys/kernel/btf/vmlinux", NULL)) {
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
