// SPDX-License-Identifier: GPL-2.0
/* ev_probe_lines.c: probes at lines of source. */
#include <errno.h>
#include <string.h>

#include "util/event/ev_probe_internal.h"

/* A line that was found. */
struct line {
	struct debug_source source;
	struct debug_places places;
	struct traceables found; /* bytes of the file, and functions */
	u32 nr_refused;          /* places that are left out: the kernel puts no probe there */
};

static void free_line(struct line *x)
{
	debug_places_free(&x->places);
	debug_source_close(&x->source);
	traceable_free(&x->found);
}

/* Of places in one function, each has the offset in it, too. NULL: memory is out. */
static const char *name_place(struct line *x, u32 nr)
{
	const struct debug_place *v = x->places.v.v, *place = &v[nr];
	u32 i, same = 0;

	if (!place->name || !ev_probe_is_word(place->name))
		return arena_printf(&x->found.arena, "0x%llx", (unsigned long long)place->vaddr);
	for (i = 0; i < x->places.v.nr; i++)
		same += v[i].outer == place->outer;
	if (same == 1)
		return arena_strdup(&x->found.arena, place->name);
	return arena_printf(&x->found.arena, "%s+0x%llx", place->name,
			    (unsigned long long)(place->vaddr - debug_entry_begin(place->outer)));
}

static int refused_at_line(const struct ev_lex *l, const struct ev_probe_typed *p, u64 vaddr,
			   const char *what)
{
	ev_lex_error(l, p->at.s,
		     "the code of the line begins with %s, where the kernel puts no probe", what);
	err_hint(
		l->err,
		"probe the one behind it by its address, uprobe:%s:0xADDRESS; objdump -d --start-address=0x%llx %s shows it",
		p->file, (unsigned long long)vaddr, p->file);
	return -EINVAL;
}

/* Keep the places at which the kernel puts probes; an error if there is none. */
static int leave_refused_out(const struct ev_lex *l, const struct ev_probe_typed *p, struct line *x)
{
	const u64 vaddr = x->places.v.v[0].vaddr;
	struct debug_place *v = x->places.v.v;
	const char *what, *last = NULL;
	u32 i, nr = 0;
	u64 offset;

	for (i = 0; i < x->places.v.nr; i++) {
		what = image_offset(&x->source.image, v[i].vaddr, &offset)
			       ? ev_probe_no_place(&x->source.image, offset)
			       : NULL;
		if (what)
			last = what;
		else
			v[nr++] = v[i];
	}
	x->nr_refused = x->places.v.nr - nr;
	x->places.v.nr = nr;
	return nr ? 0 : refused_at_line(l, p, vaddr, last);
}

static int add_bytes(const struct ev_lex *l, const struct ev_probe_typed *p, struct line *x)
{
	const struct debug_place *place;
	struct traceable *to;
	u32 i;

	for (i = 0; i < x->places.v.nr; i++) {
		place = &x->places.v.v[i];
		to = vec_push(&x->found.v);
		if (!to)
			return err_nomem(l->err);
		to->name = name_place(x, i);
		if (!to->name)
			return err_nomem(l->err);
		if (!image_offset(&x->source.image, place->vaddr, &to->addr))
			return ev_lex_error(l, p->at.s, "%s has nothing at 0x%llx", p->file,
					    (unsigned long long)place->vaddr);
	}
	return 0;
}

/* free_line() it, whatever comes back. */
static int find_line(const struct ev_lex *l, struct ev_probe_typed *p, struct line *x)
{
	const struct debug_file_options o = {0};
	struct err why = {0};
	struct image img;
	int ret;

	*x = (struct line){0};
	x->source.image.fd = -1;
	ret = ev_probe_open(l, p->at, p->file, &img);
	if (ret)
		return ret;
	p->is_64_bit = img.ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	ret = debug_source_open(&x->source, &img, p->file, &o, &why);
	/* what is there and cannot be had is the reason */
	if (x->source.info || ret == -ENODATA)
		ret = debug_places_find(&x->places, &x->source, p->source, p->line, &why);
	if (ret == -ENOMEM)
		return err_nomem(l->err);
	if (ret) {
		ev_lex_error(l, p->at.s, "%s: %s", p->file, why.msg);
		err_hint(l->err, "%s", why.hint);
		return -EINVAL;
	}
	ret = leave_refused_out(l, p, x);
	if (ret)
		return ret;
	p->vaddr = x->places.v.v[0].vaddr;
	return add_bytes(l, p, x);
}

static bool is_beginning(const struct debug_place *place)
{
	return place->outer && place->outer == place->entry &&
	       debug_entry_begin(place->outer) == place->vaddr;
}

/* What was found, and the types of the variables there. `cookies`: of the places; NULL: there is one. */
static int find_variables(struct ev_env *env, const struct ev_probe_typed *p, struct line *x,
			  const struct arch_call *call, const u64 *cookies,
			  struct ev_probe_names *n, struct err *err)
{
	const struct btf *kernel = ev_env_btf(env, NULL);
	struct arguments_variables of = {.b = &n->own,
					 .v = &n->variables,
					 .places = x->places.v.v,
					 .cookies = cookies,
					 .nr = x->places.v.nr};
	int ret;

	if (!kernel)
		kernel = &env->btf;
	n->places = of.nr;
	n->arguments.missing = "names are those that are in scope at the line";
	n->arguments.registers = call;
	ret = debug_variables_find(&n->variables, &x->source, &x->places, err);
	if (!ret)
		ret = debug_types_make_of(&n->types, &n->variables, kernel, p->expressions, err);
	if (!ret)
		ret = btf_init(&n->own, kernel, n->types.data.data, n->types.data.len, err);
	if (ret)
		return ret;
	n->btf = &n->own;
	n->function = of.id = n->types.function;
	return arguments_variables(&n->arguments, call, &of, err);
}

/* Where a function begins, its parameters are where its callers put them. */
static int find_names(struct ev_env *env, const struct ev_probe_typed *p, struct line *x,
		      const struct arch_call *call, const u64 *cookies, struct ev_probe_names *n,
		      struct err *err)
{
	return x->places.v.nr == 1 && is_beginning(&x->places.v.v[0])
		       ? ev_probe_find_names(env, p, call, n, err)
		       : find_variables(env, p, x, call, cookies, n, err);
}

/* `functions`: NULL: the last spec is the probe. */
static int add_line_expressions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
				const char *text, const struct ev_probe_typed *p, struct line *x,
				const struct ev_expr_functions *functions)
{
	struct ev_probe_names n = {.arguments = {.arena = &list->arena}};
	struct ev_expr_probe probe = {.function = "line",
				      .arguments = &n.arguments,
				      .user = true,
				      .functions = functions};
	const struct arch_call *call;
	int ret = 0;

	if (*l->p == '(') {
		call = ev_probe_call(l, l->p, p->is_64_bit);
		ret = call ? find_names(env, p, x, call, functions ? functions->addrs : NULL, &n,
					l->err)
			   : -EINVAL;
	}
	probe.btf = n.btf == &n.own ? n.btf : NULL;
	if (!ret)
		ret = ev_probe_add_expressions(list, env, l, text, &probe);
	ev_probe_names_free(&n);
	return ret;
}

static int add_one_place(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			 struct ev_word kind, const char *text, const struct ev_probe_typed *p,
			 struct line *x)
{
	const struct pmu *pmu = ev_probe_pmu(env, l, kind, "uprobe");
	const struct ev_probe_place place = {.target = p->file, .offset = x->found.v.v[0].addr};
	int ret = pmu ? ev_probe_add_place(list, pmu, &place, l->err) : -l->err->code;

	return ret || *l->p != '(' ? ret : add_line_expressions(list, env, l, text, p, x, NULL);
}

static int add_places(struct ev_list *list, struct ev_env *env, struct ev_lex *l, const char *text,
		      const struct ev_probe_typed *p, struct line *x)
{
	struct ev_expr_functions functions = {0};
	int ret = ev_probe_take_functions(list, l, p, &x->found, &functions);

	if (ret)
		return ret;
	functions.first = arena_printf(&list->arena, "0x%llx", (unsigned long long)p->vaddr);
	if (x->nr_refused)
		functions.left_out = arena_printf(
			&list->arena,
			"%u of the line's %u places: the kernel refuses the instruction there",
			x->nr_refused, x->nr_refused + x->places.v.nr);
	return functions.first && (functions.left_out || !x->nr_refused)
		       ? add_line_expressions(list, env, l, text, p, x, &functions)
		       : err_nomem(l->err);
}

int ev_probe_add_line(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		      struct ev_word kind, struct ev_probe_typed *p)
{
	const char *text = arena_strndup(&list->arena, kind.s, (size_t)(l->p - kind.s));
	struct line x;
	int ret;

	if (!text)
		return err_nomem(l->err);
	ret = find_line(l, p, &x);
	if (!ret)
		ret = x.places.v.nr == 1 && !x.nr_refused
			      ? add_one_place(list, env, l, kind, text, p, &x)
			      : add_places(list, env, l, text, p, &x);
	free_line(&x);
	return ret;
}

int ev_probe_line_names(struct ev_probe_names *n, struct ev_env *env, struct ev_lex *l,
			struct ev_probe_typed *p)
{
	struct arena *a = n->arguments.arena;
	const struct arch_call *call;
	u64 *cookies;
	struct line x;
	u32 i;
	int ret = find_line(l, p, &x);

	call = ret ? NULL : ev_probe_call(l, l->p, p->is_64_bit);
	n->user = true;
	n->name = call ? arena_strdup(a, x.found.v.v[0].name) : NULL;
	cookies = call ? arena_alloc(a, x.found.v.nr * sizeof(*cookies)) : NULL;
	for (i = 0; cookies && i < x.found.v.nr; i++)
		cookies[i] = x.found.v.v[i].addr;
	if (call)
		ret = n->name && cookies ? find_names(env, p, &x, call, cookies, n, l->err)
					 : err_nomem(l->err);
	else if (!ret)
		ret = -EINVAL;
	free_line(&x);
	return ret;
}
