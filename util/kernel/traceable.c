// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/traceable.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/base/cur.h"
#include "util/base/glob.h"
#include "util/base/hash.h"
#include "util/base/io.h"
#include "util/base/num.h"
#include "util/kernel/kallsyms.h"

#define TEXT_MAX (256u << 20)

static int cannot_read(int code, const char *what, struct err *err)
{
	if (code == ENOENT) {
		err_set(err, ENOTSUP, "this kernel traces no functions (CONFIG_FUNCTION_TRACER)");
		err_hint(err, "name a function: kprobe:FUNCTION");
		return -ENOTSUP;
	}
	err_set(err, code, "cannot read %s: %s", what, strerror(code));
	if (code == EACCES || code == EPERM)
		err_hint(err,
			 "patterns of functions need root, and a kernel that is not locked down");
	return -code;
}

static int add(struct traceables *found, const char *name, size_t len, u64 addr, struct err *err)
{
	struct traceable *f = vec_push(&found->v);
	char *copy = f ? arena_strndup(&found->arena, name, len) : NULL;

	if (!copy)
		return err_nomem(err);
	*f = (struct traceable){copy, addr};
	return 0;
}

/* How long the word is that a line begins with. */
static size_t word(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] != ' ' && s[n] != '\t')
		n++;
	return n;
}

struct wanted {
	const char *module; /* NULL: of any, or none */
	const char *pattern;
};

/* " [nf_tables]" */
static bool is_of(const char *module, const char *s, size_t len)
{
	const size_t n = strlen(module);

	return len == n + 3 && !memcmp(s, " [", 2) && !memcmp(s + 2, module, n) && s[n + 2] == ']';
}

/* A line, from the name on. Code that is gone has a name of its own. */
static bool matches(const struct wanted *w, const char *s, size_t len)
{
	static const char gone[] = "__ftrace_invalid_address__";
	const size_t n = word(s, len);

	return glob_match_n(w->pattern, s, n) && (!w->module || is_of(w->module, s + n, len - n)) &&
	       !(n >= strlen(gone) && !memcmp(s, gone, strlen(gone)));
}

/* "ffffffff81234560 tcp_sendmsg", "ffffffffc0123450 nf_hook [nf_tables]" */
static int read_addresses(const struct buf *text, const struct wanted *w, struct traceables *found,
			  struct err *err)
{
	struct cur c = cur_init(text->data, text->len);
	const char *s, *name;
	size_t len, digits;
	u64 addr;
	int ret = 0;

	while (!ret && cur_line(&c, &s, &len)) {
		digits = word(s, len);
		if (digits + 1 >= len || !num_hex(s, digits, &addr))
			continue;
		name = s + digits + 1;
		len -= digits + 1;
		if (matches(w, name, len))
			ret = add(found, name, word(name, len), addr, err);
	}
	return ret;
}

/* Names with their modules, and how often they are there. */
struct names {
	struct strtab names;
	VEC(u32) traceable, all; /* by name */
	struct traceables like;  /* what kallsyms has */
	VEC(u32) name_of;        /* each of these */
};

static void free_names(struct names *n)
{
	strtab_free(&n->names);
	vec_free(&n->traceable);
	vec_free(&n->all);
	vec_free(&n->name_of);
	traceable_free(&n->like);
}

static int count_traceable(struct names *n, const struct buf *text, const struct wanted *w,
			   struct err *err)
{
	struct cur c = cur_init(text->data, text->len);
	const char *s;
	size_t len;
	u32 id;

	while (cur_line(&c, &s, &len)) {
		if (!matches(w, s, len))
			continue;
		id = strtab_add(&n->names, s, len);
		while (id != ID_NONE && n->traceable.nr <= id)
			if (!vec_push(&n->traceable) || !vec_push(&n->all))
				id = ID_NONE;
		if (id == ID_NONE)
			return err_nomem(err);
		n->traceable.v[id]++;
	}
	return 0;
}

static int find_addresses(struct names *n, const struct buf *text, const char *pattern,
			  struct err *err)
{
	struct cur c = cur_init(text->data, text->len);
	struct kallsyms_function f;
	char key[512];
	u32 id, *slot;
	int len;

	while (kallsyms_next(&c, &f)) {
		if (!glob_match_n(pattern, f.name, f.name_len))
			continue;
		/* as tracefs has it */
		len = snprintf(key, sizeof(key), "%.*s%s%.*s", (int)f.name_len, f.name,
			       f.module_len ? " " : "", (int)f.module_len,
			       f.module_len ? f.module : "");
		id = len < (int)sizeof(key) ? strtab_find(&n->names, key, (size_t)len) : ID_NONE;
		if (id == ID_NONE)
			continue;
		if (!f.addr) {
			err_set(err, EPERM, "the kernel hides its addresses: they are all zero");
			kallsyms_hidden(err);
			return -EPERM;
		}
		n->all.v[id]++;
		slot = vec_push(&n->name_of);
		if (!slot || add(&n->like, f.name, f.name_len, f.addr, err))
			return err_nomem(err);
		*slot = id;
	}
	return 0;
}

static int join_kallsyms(const struct sysroot *root, const struct buf *text, const struct wanted *w,
			 struct traceables *found, struct err *err)
{
	struct names n = {0};
	struct buf kallsyms = {0};
	const struct traceable *f;
	int ret = count_traceable(&n, text, w, err);
	u32 i;

	if (!ret && n.names.nr) {
		ret = io_read_file(root->fd, "proc/kallsyms", &kallsyms, TEXT_MAX);
		ret = ret ? cannot_read(-ret, "/proc/kallsyms", err)
			  : find_addresses(&n, &kallsyms, w->pattern, err);
	}
	for (i = 0; !ret && i < n.like.v.nr; i++) {
		f = &n.like.v.v[i];
		if (n.all.v[n.name_of.v[i]] == n.traceable.v[n.name_of.v[i]])
			ret = add(found, f->name, strlen(f->name), f->addr, err);
	}
	buf_free(&kallsyms);
	free_names(&n);
	return ret;
}

int traceable_find(const struct sysroot *root, const struct tracefs *t, const char *module,
		   const char *pattern, struct traceables *found, struct err *err)
{
	const struct wanted wanted = {module, pattern};
	static const char plain[] = "available_filter_functions",
			  with[] = "available_filter_functions_addrs";
	struct buf text = {0};
	const char *file = with;
	int ret = io_read_file(t->fd, file, &text, TEXT_MAX);

	if (ret == -ENOENT)
		ret = io_read_file(t->fd, file = plain, &text, TEXT_MAX);
	if (ret)
		ret = cannot_read(-ret, file, err);
	else if (file == with)
		ret = read_addresses(&text, &wanted, found, err);
	else
		ret = join_kallsyms(root, &text, &wanted, found, err);
	buf_free(&text);
	return ret;
}

void traceable_free(struct traceables *found)
{
	vec_free(&found->v);
	arena_free(&found->arena);
}
