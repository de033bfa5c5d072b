// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_filter_names.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "util/base/io.h"
#include "util/event/ev_type_names.h"
#include "util/kernel/kallsyms.h"

#define KALLSYMS_MAX (256u << 20)

static int of_type(void *arg, const char *type, struct tp_name_list *list, struct err *err)
{
	struct ev_filter_names *n = arg;

	if (!n->have_btf && btf_load(&n->btf, n->root->fd, "sys/kernel/btf/vmlinux", NULL))
		n->btf = (struct btf){0}; /* without it there are the names of the formats */
	n->have_btf = true;
	return ev_type_names(&n->btf, type, list, err);
}

static int function(void *arg, const char *name, u64 *start, u64 *end, const char **meant)
{
	struct ev_filter_names *n = arg;

	if (!n->have_kallsyms)
		io_read_file(n->root->fd, "proc/kallsyms", &n->kallsyms, KALLSYMS_MAX);
	n->have_kallsyms = true;
	if (!n->kallsyms.len)
		return -ENOENT;
	return kallsyms_function(n->kallsyms.data, n->kallsyms.len, name, start, end, &n->arena,
				 meant);
}

void ev_filter_names_init(struct ev_filter_names *n, const struct sysroot *root)
{
	*n = (struct ev_filter_names){
		.root = root,
		.names = {.arg = n, .of_type = of_type, .function = function},
	};
}

void ev_filter_names_free(struct ev_filter_names *n)
{
	btf_free(&n->btf);
	buf_free(&n->kallsyms);
	arena_free(&n->arena);
}

bool ev_filter_names_functions(const struct sysroot *root)
{
	struct buf release = {0};
	unsigned int major = 0, minor = 0;
	bool known;

	known = !io_read_file(root->fd, "proc/sys/kernel/osrelease", &release, 256) &&
		sscanf(buf_str(&release), "%u.%u", &major, &minor) == 2;
	buf_free(&release);
	return !known || major > 6 || (major == 6 && minor >= 3);
}

bool ev_filter_names_tids(const struct sysroot *root)
{
	struct stat st;

	/* that of the kernel itself has a fixed number */
	return fstatat(root->fd, "proc/self/ns/pid", &st, 0) || st.st_ino == 0xeffffffcu;
}
