// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "util/base/glob.h"
#include "util/base/text.h"
#include "util/event/ev_probe_internal.h"
#include "util/image/debug_file.h"
#include "util/image/image_symbols.h"
#include "util/kernel/traceable.h"
#include "util/probe/probe.h"

/* Each costs memory, and the kernel some time to be attached; far more of them make a machine crawl. */
#define FUNCTIONS_MAX 4096u

/* Of names in a format, which ends with TP_FORMAT_MAX. */
#define NAMES_MAX  (TP_FORMAT_MAX / 2)
#define NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$@"

/* --- one, by its type --- */

/* Those from number `from` on. */
static void suggest_functions(struct text_suggest *s, const struct btf *b, u32 from)
{
	struct btf_type t;
	u32 id;

	for (id = from; id <= btf_last(b); id++) {
		t = btf_type(b, id);
		if (t.kind == BTF_FUNC)
			text_suggest_add(s, t.name);
	}
}

static int no_function(struct ev_env *env, const struct ev_lex *l, const struct ev_probe_typed *p)
{
	const char *kind = p->at_return ? "fexit" : "fentry";
	const char *probe = p->at_return ? "kretprobe" : "kprobe";
	struct text_suggest s;
	bool found = false;
	u32 i;

	text_suggest_init(&s, p->function);
	if (!p->module)
		suggest_functions(&s, &env->btf, 1);
	for (i = 0; i < env->modules.v.nr; i++) {
		if (p->module && strcmp(p->module, env->modules.v.v[i].name) != 0)
			continue;
		found = true;
		suggest_functions(&s, &env->modules.v.v[i].types, btf_last(&env->btf) + 1);
	}
	if (p->module && !found)
		ev_lex_error(l, p->at.s, "there are no types of a module '%s'", p->module);
	else
		ev_lex_error(l, p->at.s, "the types of %s%s have no function '%s'",
			     p->module ? "the module " : "the kernel and its modules",
			     p->module ? p->module : "", p->function);
	/* what is a module elsewhere may be part of this kernel */
	if (p->module && btf_find(&env->btf, BTF_FUNC, p->function))
		err_hint(l->err, "the kernel itself has one: %s:%s", kind, p->function);
	else if (p->module && !found)
		err_hint(
			l->err,
			"those that are loaded and have some: ls /sys/kernel/btf; %s:%s does without",
			probe, p->function);
	else if (s.best)
		err_hint(l->err, "did you mean %s:%s%s%s?", kind, p->module ? p->module : "",
			 p->module ? ":" : "", s.best);
	else
		err_hint(l->err, "%s:%s needs no types", probe, p->function);
	return -EINVAL;
}

static int several_modules(const struct ev_lex *l, const struct ev_probe_typed *p,
			   const struct ev_env_function *of)
{
	ev_lex_error(l, p->at.s, "the modules %s and %s both have a function '%s'", of->module,
		     of->another, p->function);
	err_hint(l->err, "name one: %s:%s:%s", p->at_return ? "fexit" : "fentry", of->module,
		 p->function);
	return -EINVAL;
}

static int no_types(const struct ev_lex *l, struct ev_word kind, const struct ev_probe_typed *p)
{
	ev_lex_error(l, kind.s,
		     "this kernel has no types of its functions (CONFIG_DEBUG_INFO_BTF)");
	err_hint(l->err, "%s:%s needs none", p->at_return ? "kretprobe" : "kprobe", p->function);
	return -EINVAL;
}

static int add_one(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind,
		   const struct ev_probe_typed *p, const char *text)
{
	struct arguments arguments = {.arena = &list->arena};
	struct ev_expr_functions functions = {.first = p->function, .at_return = p->at_return};
	struct ev_expr_probe probe = {
		.function = p->function, .arguments = &arguments, .functions = &functions};
	struct ev_env_function of;
	u32 prototype;
	int ret = ev_env_function(env, p->module, p->function, &of, l->err);

	if (ret)
		return ret;
	if (!of.btf)
		return no_types(l, kind, p);
	if (!of.id)
		return no_function(env, l, p);
	if (of.another)
		return several_modules(l, p, &of);
	functions.btf_id = of.id;
	functions.module = of.module;
	probe.btf = of.btf;
	prototype = btf_resolve(of.btf, btf_type(of.btf, of.id).type).id;
	ret = arguments_words(&arguments, of.btf, prototype, p->at_return, l->err);
	if (!ret)
		ret = ev_probe_add_expressions(list, env, l, text, &probe);
	arguments_free(&arguments);
	return ret;
}

/* --- several, by a pattern --- */

static int wrong_number(const struct ev_lex *l, const struct ev_probe_typed *p, u32 nr)
{
	if (nr) {
		ev_lex_error(l, p->at.s, "%u functions match '%s', more than %u", nr, p->function,
			     FUNCTIONS_MAX);
		err_hint(l->err, "a narrower pattern, as in tcp_v4_*");
	} else if (p->file) {
		ev_lex_error(l, p->at.s, "no function of %s matches '%s'", p->file, p->function);
		err_hint(l->err, "see what there is with: nm -C %s, nm -D %s", p->file, p->file);
	} else {
		ev_lex_error(l, p->at.s, "no function%s%s that can be traced matches '%s'",
			     p->module ? " of the module " : "", p->module ? p->module : "",
			     p->function);
		err_hint(l->err, "those that can: sudo cat "
				 "/sys/kernel/tracing/available_filter_functions");
	}
	return -EINVAL;
}

/* Addresses, and the first name, into the list's arena. */
static int take_functions(struct ev_list *list, const struct traceables *found,
			  struct ev_expr_functions *functions, struct err *err)
{
	u64 *addrs = arena_alloc(&list->arena, found->v.nr * sizeof(*addrs));
	u32 i;

	functions->first = arena_strdup(&list->arena, found->v.v[0].name);
	if (!addrs || !functions->first)
		return err_nomem(err);
	for (i = 0; i < found->v.nr; i++)
		addrs[i] = found->v.v[i].addr;
	functions->addrs = addrs;
	functions->nr = found->v.nr;
	return 0;
}

static int find_in_kernel(struct ev_env *env, const struct ev_lex *l,
			  const struct ev_probe_typed *p, struct traceables *found)
{
	const struct tracefs *t = ev_env_tracefs(env, l->err);

	return t ? traceable_find(env->root, t, p->module, p->function, found, l->err)
		 : -l->err->code;
}

bool ev_probe_is_word(const char *name)
{
	return !name[strspn(name, NAME_CHARS)];
}

static bool is_function(const struct sym *s)
{
	return !(s->flags & (SYM_NOSIZE | SYM_DATA | SYM_MARKER | SYM_PLT)) &&
	       ev_probe_is_word(s->name);
}

/* Functions that match, and are not probed. */
struct left_out {
	const struct image *img;
	struct hmap indirect;
	u32 nr_indirect, nr_refused;
	const char *name; /* the first, and where it is */
	u64 at;
};

static bool leave_out(struct left_out *out, const struct sym *s)
{
	bool indirect = hmap_get(&out->indirect, s->start) != ID_NONE;

	if (!indirect && !ev_probe_no_place(out->img, s->start))
		return false;
	/* one with several names is one */
	if (out->name && out->at == s->start)
		return true;
	out->nr_indirect += indirect;
	out->nr_refused += !indirect;
	out->name = s->name;
	out->at = s->start;
	return true;
}

/* "strlen, which is only ...", "2, each of which is only ..." */
static int tell_left_out(struct ev_list *list, const struct left_out *out,
			 struct ev_expr_functions *functions, struct err *err)
{
	static const char indirect[] = "only called once, to choose another function (IFUNC)";
	static const char refused[] =
		"no place for a probe: the kernel refuses its first instruction";
	struct buf text = {0};

	if (!out->name)
		return 0;
	if (out->nr_indirect + out->nr_refused == 1) {
		buf_addf(&text, "%s, which is %s", out->name,
			 out->nr_indirect ? indirect : refused);
	} else {
		if (out->nr_indirect)
			buf_addf(&text, "%u, each of which is %s", out->nr_indirect, indirect);
		if (out->nr_refused)
			buf_addf(&text, "%s%u, each of which is %s", text.len ? "; nor in " : "",
				 out->nr_refused, refused);
	}
	functions->left_out =
		text.failed ? NULL : arena_strndup(&list->arena, buf_str(&text), text.len);
	buf_free(&text);
	return functions->left_out ? 0 : err_nomem(err);
}

static int add_symbols(const struct symtab *st, const char *pattern, struct left_out *out,
		       struct traceables *found)
{
	const struct sym *s;
	struct traceable *f;
	u32 i;

	for (i = 0; i < st->syms.nr; i++) {
		s = &st->syms.v[i];
		if (!is_function(s) || !glob_match(pattern, s->name) || leave_out(out, s))
			continue;
		/* of several names of a function, opendir rather than __opendir */
		f = found->v.nr ? &found->v.v[found->v.nr - 1] : NULL;
		if (f && f->addr == s->start && strspn(f->name, "_") <= strspn(s->name, "_"))
			continue;
		if (!f || f->addr != s->start)
			f = vec_push(&found->v);
		if (!f || !(f->name = arena_strdup(&found->arena, s->name)))
			return -ENOMEM;
		f->addr = s->start;
	}
	return 0;
}

static int find_in_file(struct ev_list *list, const struct ev_lex *l, struct ev_probe_typed *p,
			struct ev_expr_functions *functions, struct traceables *found)
{
	const struct debug_file_options o = {0};
	struct err ignored = {0};
	struct symtab st = {0};
	struct left_out out = {0};
	struct image img, debug;
	bool has_debug;
	int ret = ev_probe_open(l, p->at, p->file, &img);

	if (ret)
		return ret;
	p->is_64_bit = img.ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	has_debug = !debug_file_has(&img, DEBUG_FILE_SYMBOLS) &&
		    !debug_file_open(&img, p->file, &o, DEBUG_FILE_SYMBOLS, &debug, &ignored);
	/* any of the names of a function may be meant */
	ret = image_symbols_load(&img, has_debug ? &debug : NULL, &st, SYMTAB_NEWEST, l->err);
	out.img = &img;
	if (!ret)
		ret = image_indirect_functions(&img, has_debug ? &debug : NULL, &out.indirect);
	if (ret == -EIO)
		ev_lex_error(l, p->at.s, "the symbols of %s cannot be read", p->file);
	else if (ret)
		err_nomem(l->err);
	if (!ret && add_symbols(&st, p->function, &out, found))
		ret = err_nomem(l->err);
	if (!ret)
		ret = tell_left_out(list, &out, functions, l->err);
	hmap_free(&out.indirect);
	symtab_free(&st);
	if (has_debug)
		image_close(&debug);
	image_close(&img);
	return ret;
}

/* "__print_symbolic(REC->function, { 0x1139, "main" })": readers of a recording have no need of the file. */
static int name_functions(struct ev_list *list, const struct ev_lex *l,
			  const struct ev_probe_typed *p, const struct traceables *found,
			  struct ev_expr_functions *functions)
{
	struct buf text = {0};
	u32 i;

	buf_adds(&text, "__print_symbolic(REC->function");
	for (i = 0; i < found->v.nr && text.len <= NAMES_MAX; i++) {
		if (!probe_may_quote(found->v.v[i].name))
			continue;
		buf_addf(&text, ", { 0x%llx, \"%s\" }", (unsigned long long)found->v.v[i].addr,
			 found->v.v[i].name);
	}
	buf_addc(&text, ')');
	functions->file = p->file;
	functions->names =
		text.failed ? NULL : arena_strndup(&list->arena, buf_str(&text), text.len);
	buf_free(&text);
	if (!functions->names)
		return err_nomem(l->err);
	return i == found->v.nr ? 0
				: ev_lex_error(l, p->at.s, "the names of %u functions are too long",
					       found->v.nr);
}

int ev_probe_take_functions(struct ev_list *list, const struct ev_lex *l,
			    const struct ev_probe_typed *p, const struct traceables *found,
			    struct ev_expr_functions *functions)
{
	int ret = take_functions(list, found, functions, l->err);

	return ret || !p->file ? ret : name_functions(list, l, p, found, functions);
}

static int find_functions(struct ev_list *list, struct ev_env *env, const struct ev_lex *l,
			  struct ev_probe_typed *p, struct ev_expr_functions *functions)
{
	struct traceables found = {0};
	int ret = p->file ? find_in_file(list, l, p, functions, &found)
			  : find_in_kernel(env, l, p, &found);

	if (!ret && !found.v.nr && functions->left_out)
		ret = ev_lex_error(l, p->at.s, "nothing that matches '%s' can be probed: not %s",
				   p->function, functions->left_out);
	else if (!ret && (!found.v.nr || found.v.nr > FUNCTIONS_MAX))
		ret = wrong_number(l, p, found.v.nr);
	else if (!ret)
		ret = ev_probe_take_functions(list, l, p, &found, functions);
	traceable_free(&found);
	return ret;
}

static int add_several(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		       struct ev_probe_typed *p, const char *text)
{
	struct arguments arguments = {.arena = &list->arena,
				      .missing = "functions of a pattern differ in theirs"};
	struct ev_expr_functions functions = {.at_return = p->at_return};
	struct ev_expr_probe probe = {.function = "functions",
				      .arguments = &arguments,
				      .functions = &functions,
				      .user = p->file};
	const struct arch_call *call = NULL;
	int ret = find_functions(list, env, l, p, &functions);

	if (!ret && *l->p == '(') {
		call = ev_probe_call(l, l->p, !p->file || p->is_64_bit);
		ret = call ? arguments_registers(&arguments, call, p->at_return, l->err) : -EINVAL;
	}
	if (!ret)
		ret = ev_probe_add_expressions(list, env, l, text, &probe);
	arguments_free(&arguments);
	return ret;
}

int ev_probe_add_functions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			   struct ev_word kind, struct ev_probe_typed *p)
{
	const char *text = arena_strndup(&list->arena, kind.s, (size_t)(l->p - kind.s));

	if (!text)
		return err_nomem(l->err);
	if (p->offset)
		return ev_lex_error(
			l, p->at.s,
			p->is_pattern
				? "a pattern has no offset"
				: "a program is at the beginning of a function, or at its end");
	return p->is_pattern ? add_several(list, env, l, p, text)
			     : add_one(list, env, l, kind, p, text);
}
