// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "util/base/io.h"
#include "util/event/ev_expr.h"
#include "util/kernel/kallsyms.h"
#include "util/kernel/limits.h"

static struct btf_type find_enum(const struct btf *own, const char *name)
{
	u32 id = btf_find_own(own, BTF_ENUM, name);

	return btf_type(own, id ? id : btf_find_own(own, BTF_ENUM64, name));
}

/* Of two types, which need not have the same BTF. */
static bool same_values(const struct btf *a, const struct btf_type *ta, const struct btf *b,
			const struct btf_type *tb)
{
	struct btf_enumerator ea, eb;
	u32 i;

	for (i = 0; i < ta->vlen && ta->vlen == tb->vlen; i++) {
		ea = btf_enumerator(a, ta, i);
		eb = btf_enumerator(b, tb, i);
		if (ea.value != eb.value || strcmp(ea.name, eb.name) != 0)
			return false;
	}
	return ta->vlen == tb->vlen;
}

/* The kernel's type, else the one that all modules have which have any: *b is its BTF. Without an id: none. -ENOMEM. */
static int find_type(struct ev_env *env, const char *name, const struct btf **b,
		     struct btf_type *type, struct err *err)
{
	const struct btf_modules *m;
	struct btf_type another;
	u32 i;

	*b = ev_env_btf(env, NULL);
	if (*b)
		*type = find_enum(*b, name);
	if (!*b || type->id)
		return 0;
	m = ev_env_modules(env, err);
	for (i = 0; m && i < m->v.nr; i++) {
		another = find_enum(&m->v.v[i].types, name);
		if (another.id && type->id && !same_values(*b, type, &m->v.v[i].types, &another)) {
			*type = (struct btf_type){0};
			return 0;
		}
		if (another.id && !type->id) {
			*b = &m->v.v[i].types;
			*type = another;
		}
	}
	return m ? 0 : -ENOMEM;
}

int ev_type_names(struct ev_env *env, const char *type, struct tp_name_list *list, struct err *err)
{
	struct btf_type t = {0};
	struct btf_enumerator e;
	struct tp_value_name *name;
	const struct btf *b;
	int ret;
	u32 i;

	if (strncmp(type, "enum ", 5) != 0)
		return 0;
	ret = find_type(env, type + 5, &b, &t, err);
	if (ret || !t.id)
		return ret;
	list->whole = true;
	for (i = 0; i < t.vlen; i++) {
		e = btf_enumerator(b, &t, i);
		name = vec_push(&list->v);
		if (!name)
			return err_nomem(err);
		*name = (struct tp_value_name){e.value, e.name, strlen(e.name)};
	}
	return 0;
}

#define KALLSYMS_MAX (256u << 20)

static int of_type(void *arg, const char *type, struct tp_name_list *list, struct err *err)
{
	struct ev_filter_names *n = arg;

	return ev_type_names(n->env, type, list, err);
}

static int function(void *arg, const char *name, u64 *start, u64 *end, const char **meant)
{
	struct ev_filter_names *n = arg;

	if (!n->have_kallsyms)
		io_read_file(n->env->root->fd, "proc/kallsyms", &n->kallsyms, KALLSYMS_MAX);
	n->have_kallsyms = true;
	if (!n->kallsyms.len)
		return -ENOENT;
	return kallsyms_function(n->kallsyms.data, n->kallsyms.len, name, start, end, &n->arena,
				 meant);
}

void ev_filter_names_init(struct ev_filter_names *n, struct ev_env *env)
{
	*n = (struct ev_filter_names){
		.env = env,
		.names = {.arg = n, .of_type = of_type, .function = function},
	};
}

void ev_filter_names_free(struct ev_filter_names *n)
{
	buf_free(&n->kallsyms);
	arena_free(&n->arena);
}

/* Does the kernel take FIELD.function in filters? Linux 6.3 and later. */
static bool kernel_filters_functions(const struct sysroot *root)
{
	struct buf release = {0};
	unsigned int major = 0, minor = 0;
	bool known;

	known = !io_read_file(root->fd, "proc/sys/kernel/osrelease", &release, 256) &&
		sscanf(buf_str(&release), "%u.%u", &major, &minor) == 2;
	buf_free(&release);
	return !known || major > 6 || (major == 6 && minor >= 3);
}

#define EXAMPLE "ftrace:function --filter 'ip == kfree_skb || ip == napi_*'"

bool ev_function_is(const struct ev_spec *s)
{
	return s->tp.system && !strcmp(s->tp.system, "ftrace") && !strcmp(s->tp.name, "function");
}

static bool is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.$*?[]:-", c));
}

static void skip_blanks(const char **p)
{
	*p += strspn(*p, " \t\n");
}

/* A word of the field's or a function's name, bare or in quotes; 0: there is none. */
static size_t take_word(const char **p, const char **word)
{
	const char quote = **p == '"' || **p == '\'' ? *(*p)++ : 0;
	size_t len = 0;

	while (is_name_byte((*p)[len]))
		len++;
	*word = *p;
	*p += len;
	if (quote && **p != quote)
		return 0;
	*p += quote != 0;
	return len;
}

/* ip == NAME, as the kernel writes it. False: it is something else. */
static bool take_test(const char **p, struct buf *out)
{
	const char *word, *how;
	size_t len = take_word(p, &word);

	if (len != 2 || memcmp(word, "ip", 2) != 0)
		return false;
	skip_blanks(p);
	how = *p;
	if (strncmp(how, "==", 2) == 0 || strncmp(how, "!=", 2) == 0)
		*p += 2;
	else if (*how == '~')
		*p += 1;
	else
		return false;
	skip_blanks(p);
	len = take_word(p, &word);
	buf_addf(out, "ip %s %.*s", *how == '!' ? "!=" : "==", (int)len, word);
	return len != 0;
}

/* Tests, with && and || between them, and brackets. */
static bool translate(const char *text, struct buf *out)
{
	u32 depth = 0;

	for (;;) {
		for (skip_blanks(&text); *text == '('; skip_blanks(&text)) {
			buf_addc(out, *text++);
			depth++;
		}
		if (!take_test(&text, out))
			return false;
		for (skip_blanks(&text); *text == ')' && depth; skip_blanks(&text)) {
			buf_addc(out, *text++);
			depth--;
		}
		if (!*text)
			return !depth;
		if (strncmp(text, "||", 2) != 0 && strncmp(text, "&&", 2) != 0)
			return false;
		buf_addf(out, " %.2s ", text);
		text += 2;
	}
}

/* The filter for the kernel; NULL: `text` does not name functions, or memory is out. */
static const char *kernel_text(struct ev_list *list, const char *text)
{
	struct buf b = {0};
	const char *kernel = NULL;

	if (translate(text, &b) && !b.failed)
		kernel = arena_strdup(&list->arena, buf_str(&b));
	buf_free(&b);
	return kernel;
}

int ev_function_filter(struct ev_list *list, struct ev_spec *s, const char *text, struct err *err)
{
	if (s->tp.filter) {
		err_set(err, EINVAL, "%s has a filter already", s->name);
		err_hint(err, "one filter names all functions: -e " EXAMPLE);
		return -EINVAL;
	}
	s->tp.typed_filter = arena_strdup(&list->arena, text);
	s->tp.filter = s->tp.kernel_filter = kernel_text(list, text);
	if (s->tp.filter)
		return s->tp.typed_filter ? 0 : err_nomem(err);
	err_set(err, EINVAL, "filter of %s: '%s' does not name functions by their ip", s->name,
		text);
	err_hint(err, "-e " EXAMPLE);
	return -EINVAL;
}

int ev_function_check(const struct ev_spec *s, struct err *err)
{
	if (s->tp.filter)
		return 0;
	err_set(err, EINVAL,
		"%s without a filter is every call of every function, those of the recording itself among them",
		s->name);
	err_hint(err, "name functions: -e " EXAMPLE "; to count all of them: perf-lite stat -e %s",
		 s->name);
	return -EINVAL;
}

int ev_function_refused(const struct ev_spec *s, int code, struct err *err)
{
	err_set(err, code, "%s: the kernel does not take the filter '%s' (%s)", s->name,
		s->tp.filter, strerror(code));
	err_hint(
		err,
		"it names functions of /sys/kernel/tracing/available_filter_functions; several by ||, "
		"all but some by !=");
	return -code;
}

/* Is there an || outside of brackets and quotes? Then && behind it would bind the last of it alone. */
static bool is_alternative(const char *text)
{
	u32 depth = 0;
	char quote = 0;

	for (; *text; text++) {
		if (quote)
			quote = *text == quote ? 0 : quote;
		else if (*text == '"' || *text == '\'')
			quote = *text;
		else if (*text == '(')
			depth++;
		else if (*text == ')')
			depth -= depth > 0;
		else if (!depth && text[0] == '|' && text[1] == '|')
			return true;
	}
	return false;
}

int ev_filter_spec(struct ev_list *list, struct ev_spec *s, const char *filter, struct err *err)
{
	const char *old = s->tp.filter, *both;

	if (old) {
		old = arena_printf(&list->arena, is_alternative(old) ? "(%s) && " : "%s && ", old);
		both = old ? arena_printf(&list->arena, is_alternative(filter) ? "%s(%s)" : "%s%s",
					  old, filter)
			   : NULL;
	} else {
		both = arena_strdup(&list->arena, filter);
	}
	if (!both)
		return err_nomem(err);
	s->tp.filter = both;
	return 0;
}

static struct tp_format *format_of(struct ev_list *list, const struct ev_spec *s, struct err *err)
{
	struct tp_format *f = tp_format_parse(s->tp.format, strlen(s->tp.format), err);
	struct tp_format **slot = f ? vec_push(&list->formats) : NULL;

	if (slot) {
		*slot = f;
		return f;
	}
	if (f) {
		err_nomem(err);
		tp_format_free(f);
	}
	return NULL;
}

static struct tp_filter *parse(struct ev_list *list, const struct ev_spec *s,
			       const struct tp_format *f, const char *text,
			       const struct tp_filter_opts *o, struct err *err)
{
	struct tp_filter_opts of_event = *o;
	struct tp_filter **slot = vec_push(&list->filters);

	if (!slot) {
		err_nomem(err);
		return NULL;
	}
	of_event.system = s->tp.system;
	of_event.here_only |= s->tp.expr != NULL;
	*slot = tp_filter_parse(f, text, &of_event, err);
	return *slot;
}

/* What is given already and this must both hold; what is wrong in it is shown in it alone. */
static int filter_one(struct ev_list *list, struct ev_spec *s, const char *text,
		      const struct tp_filter_opts *o, struct err *err)
{
	const struct tp_format *f = format_of(list, s, err);
	const struct tp_filter *filter = f ? parse(list, s, f, text, o, err) : NULL;
	const char *kernel = filter ? filter->kernel : NULL;

	if (!filter)
		return -EINVAL;
	text = tp_filter_join(&list->arena, s->tp.typed_filter, "&&", text);
	if (!text)
		return err_nomem(err);
	if (s->tp.typed_filter)
		filter = parse(list, s, f, text, o, err);
	if (!filter)
		return -EINVAL;
	s->tp.typed_filter = text;
	s->tp.kernel_filter = filter->kernel;
	s->tp.here = filter->rest ? filter : NULL;
	return kernel ? ev_filter_spec(list, s, kernel, err) : 0;
}

/* Has every event what the filter names? */
static int check_fields(struct ev_list *list, const char *text, const struct tp_filter_opts *o,
			struct err *err)
{
	const struct tp_format *f;
	u32 i;

	for (i = list->last; i < list->specs.nr; i++) {
		if (list->specs.v[i].tp.of_calls || ev_function_is(&list->specs.v[i]))
			continue;
		f = format_of(list, &list->specs.v[i], err);
		if (!f || !parse(list, &list->specs.v[i], f, text, o, err))
			return -EINVAL;
	}
	return 0;
}

static bool has_tracepoint(const struct ev_list *list)
{
	u32 i;

	for (i = 0; i < list->specs.nr; i++)
		if (list->specs.v[i].class == EV_TRACEPOINT)
			return true;
	return false;
}

static int check(const struct ev_list *list, const char *filter, struct err *err)
{
	u32 i;

	if (list->last >= list->specs.nr) {
		err_set(err, EINVAL, "--filter comes before any -e");
		err_hint(err, "-e skb:kfree_skb --filter '%s'", filter);
		return -EINVAL;
	}
	if (!filter[strspn(filter, " \t\n")]) {
		err_set(err, EINVAL, "the filter is empty");
		err_hint(err, "as in --filter 'prev_pid > 0'");
		return -EINVAL;
	}
	for (i = list->last; i < list->specs.nr; i++) {
		if (list->specs.v[i].tp.of_calls ||
		    (list->specs.v[i].class == EV_TRACEPOINT && list->specs.v[i].tp.format))
			continue;
		err_set(err, ENOENT, "only tracepoints can be filtered, and %s is none",
			list->specs.v[i].name);
		if (has_tracepoint(list))
			err_hint(err, "put --filter behind the -e of the tracepoint");
		else
			err_hint(
				err,
				"of other events, samples are chosen when they are read: perf-lite report "
				"--comms, --pid, --cpu, --symbols");
		return -EINVAL;
	}
	return 0;
}

static int add(struct ev_list *list, const char *filter, struct ev_env *env, bool check_only,
	       struct err *err)
{
	struct tp_filter_opts o = {
		.print = {.long_size = sizeof(long)},
		.comm_known = env->comms_known,
		.own_tids = limits_in_pid_namespace(env->root),
		.no_functions = !kernel_filters_functions(env->root),
	};
	int ret = check(list, filter, err);
	struct ev_filter_names names;
	struct utsname here;
	u32 i;

	if (ret)
		return ret;
	ev_filter_names_init(&names, env);
	o.names = &names.names;
	if (!uname(&here))
		o.print.calls = arch_syscalls_find(here.machine);
	ret = check_fields(list, filter, &o, err);
	for (i = list->last; !ret && !check_only && i < list->specs.nr; i++) {
		if (list->specs.v[i].tp.of_calls)
			continue;
		ret = ev_function_is(&list->specs.v[i])
			      ? ev_function_filter(list, &list->specs.v[i], filter, err)
			      : filter_one(list, &list->specs.v[i], filter, &o, err);
	}
	ev_filter_names_free(&names);
	return ret;
}

int ev_filter_add(struct ev_list *list, const char *filter, struct ev_env *env, struct err *err)
{
	return add(list, filter, env, false, err);
}

int ev_filter_check(struct ev_list *list, const char *filter, struct ev_env *env, struct err *err)
{
	return add(list, filter, env, true, err);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static const char *here_text(const struct ev_spec *s)
{
	return s->tp.here ? s->tp.here->here : NULL;
}

const struct ev_spec *ev_filter_tell(const struct ev_list *list, u32 *spec, struct buf *out)
{
	const struct ev_spec *s, *end = list->specs.v + list->specs.nr;
	u32 others = 0, i;

	for (s = list->specs.v + *spec; s < end && !s->tp.typed_filter; s++)
		;
	if (s == end)
		return NULL;
	for (*spec = (u32)(s - list->specs.v) + 1; *spec < list->specs.nr; ++*spec)
		if (!same_text(list->specs.v[*spec].tp.kernel_filter, s->tp.kernel_filter) ||
		    !same_text(here_text(&list->specs.v[*spec]), here_text(s)))
			break;
	for (i = 0; i < list->specs.nr; i++)
		others += !list->specs.v[i].sideband;
	if (others > 1)
		buf_addf(out, "%s: ", s->name);
	if (s->tp.kernel_filter)
		buf_addf(out, "the kernel tested %s", s->tp.kernel_filter);
	while (out->len && out->data[out->len - 1] == ' ' && s->tp.kernel_filter)
		out->len--;
	if (s->tp.here && ev_expr_tests(s))
		buf_addf(out, "the event's program tested %s", s->tp.here->here);
	else if (s->tp.here)
		buf_addf(out, "%sperf-lite %s%s", s->tp.kernel_filter ? ", " : "",
			 s->tp.kernel_filter ? "" : "tested ", s->tp.here->here);
	return s;
}

int ev_filter_cgroups(struct ev_list *list, const char *text, struct err *err)
{
	const char *name = NULL;
	u32 i, at = list->nr_cgroups;
	size_t len;

	if (!list->specs.nr) {
		err_set(err, EINVAL, "-G comes before any -e: define events before cgroups");
		err_hint(err, "-e cs -G %s", text);
		return -EINVAL;
	}
	for (;; text += len + 1, at++) {
		len = strcspn(text, ",");
		if (len && at >= list->specs.nr) {
			err_set(err, EINVAL, "there is no event for the cgroup '%.*s'",
				(int)MIN(len, (size_t)256), text);
			err_hint(err,
				 "-G names one cgroup for each event before it, or one for all");
			return -EINVAL;
		}
		if (len) {
			name = arena_strndup(&list->arena, text, len);
			if (!name)
				return err_nomem(err);
			list->specs.v[at].cgroup = name;
		}
		if (!text[len])
			break;
	}
	list->nr_cgroups = at + 1;
	for (i = 0; list->nr_cgroups == 1 && i < list->specs.nr; i++)
		list->specs.v[i].cgroup = name;
	return 0;
}
