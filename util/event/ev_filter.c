// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_filter.h"

#include <errno.h>
#include <string.h>

#include "util/event/ev_filter_names.h"
#include "util/event/ev_function.h"

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
	const char *old = s->filter, *both;

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
	s->filter = both;
	return 0;
}

static struct tp_format *format_of(struct ev_list *list, const struct ev_spec *s, struct err *err)
{
	struct tp_format *f = tp_format_parse(s->tp_format, strlen(s->tp_format), err);
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
	of_event.system = s->tp_system;
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
	if (s->typed_filter) {
		text = arena_printf(&list->arena, "(%s) && (%s)", s->typed_filter, text);
		filter = text ? parse(list, s, f, text, o, err) : NULL;
	} else {
		text = arena_strdup(&list->arena, text);
	}
	if (!text)
		return err_nomem(err);
	if (!filter)
		return -EINVAL;
	s->typed_filter = text;
	s->kernel_filter = filter->kernel;
	s->here = filter->rest ? filter : NULL;
	return kernel ? ev_filter_spec(list, s, kernel, err) : 0;
}

static int check(const struct ev_list *list, const char *filter, struct err *err)
{
	u32 i;

	if (list->last >= list->specs.nr) {
		err_set(err, EINVAL, "--filter stands before any -e");
		err_hint(err, "-e skb:kfree_skb --filter '%s'", filter);
		return -EINVAL;
	}
	if (!filter[strspn(filter, " \t\n")]) {
		err_set(err, EINVAL, "the filter is empty");
		err_hint(err, "as in --filter 'prev_pid > 0'");
		return -EINVAL;
	}
	for (i = list->last; i < list->specs.nr; i++) {
		if (list->specs.v[i].class == EV_TRACEPOINT && list->specs.v[i].tp_format)
			continue;
		err_set(err, EINVAL, "only tracepoints can be filtered, and %s is none",
			list->specs.v[i].name);
		err_hint(err, "put --filter behind the -e of the tracepoint");
		return -EINVAL;
	}
	return 0;
}

int ev_filter_add(struct ev_list *list, const char *filter, struct ev_env *env, struct err *err)
{
	struct tp_filter_opts o = {
		.print = {.long_size = sizeof(long)},
		.here_only = env->filters_here,
		.comm_known = env->comms_known,
		.own_tids = !ev_filter_names_tids(env->root),
		.no_functions = !ev_filter_names_functions(env->root),
	};
	int ret = check(list, filter, err);
	struct ev_filter_names names;
	u32 i;

	if (ret)
		return ret;
	ev_filter_names_init(&names, env->root);
	o.names = &names.names;
	for (i = list->last; !ret && i < list->specs.nr; i++)
		ret = ev_function_is(&list->specs.v[i])
			      ? ev_function_filter(list, &list->specs.v[i], filter, err)
			      : filter_one(list, &list->specs.v[i], filter, &o, err);
	ev_filter_names_free(&names);
	return ret;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static const char *here_text(const struct ev_spec *s)
{
	return s->here ? s->here->here : NULL;
}

const struct ev_spec *ev_filter_tell(const struct ev_list *list, u32 *spec, struct buf *out)
{
	const struct ev_spec *s, *end = list->specs.v + list->specs.nr;
	u32 others = 0, i;

	for (s = list->specs.v + *spec; s < end && !s->typed_filter; s++)
		;
	if (s == end)
		return NULL;
	for (*spec = (u32)(s - list->specs.v) + 1; *spec < list->specs.nr; ++*spec)
		if (!same_text(list->specs.v[*spec].kernel_filter, s->kernel_filter) ||
		    !same_text(here_text(&list->specs.v[*spec]), here_text(s)))
			break;
	for (i = 0; i < list->specs.nr; i++)
		others += !list->specs.v[i].sideband;
	if (others > 1)
		buf_addf(out, "%s: ", s->name);
	if (s->kernel_filter)
		buf_addf(out, "the kernel tested %s", s->kernel_filter);
	while (out->len && out->data[out->len - 1] == ' ' && s->kernel_filter)
		out->len--;
	if (s->here)
		buf_addf(out, "%sperf-lite %s%s", s->kernel_filter ? ", " : "",
			 s->kernel_filter ? "" : "tested ", s->here->here);
	return s;
}

int ev_filter_cgroups(struct ev_list *list, const char *text, struct err *err)
{
	const char *name = NULL;
	u32 i, at = list->nr_cgroups;
	size_t len;

	if (!list->specs.nr) {
		err_set(err, EINVAL, "-G stands before any -e: define events before cgroups");
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
