/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btf_modules.h - the types of the modules that a kernel has loaded: /sys/kernel/btf/MODULE.
 *
 * Modules that have none, or of which they cannot be read, are left out.
 */
#ifndef BTF_BTF_MODULES_H
#define BTF_BTF_MODULES_H

#include "util/btf/btf.h"
#include "util/kernel/sysroot.h"

struct btf_module {
	const char *name;
	struct btf types; /* they go on from the kernel's */
};

struct btf_modules {
	VEC(struct btf_module) v; /* by name */
	struct sysroot_names names;
};

/*
 * Those below the directory that is "/"; the kernel's own types must outlive them. Names are remembered (btf_index()) if those are.
 * Zero-initialise *m. -ENOMEM.
 */
int btf_modules_load(struct btf_modules *m, const struct btf *kernel, int root);
void btf_modules_free(struct btf_modules *m);

#endif
