// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_probe.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/base/glob.h"
#include "util/base/text.h"
#include "util/debuginfo/debug_types.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_probe_internal.h"
#include "util/image/debug_file.h"
#include "util/image/image_symbols.h"

static const struct {
	const char *name, *pmu;
	bool at_return;
} kinds[] = {
	{"kprobe", "kprobe", false},
	{"kretprobe", "kprobe", true},
	{"uprobe", "uprobe", false},
	{"uretprobe", "uprobe", true},
	/* programs at functions, without a PMU */
	{"fentry", NULL, false},
	{"fexit", NULL, true},
};

bool ev_probe_named(struct ev_word kind)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (ev_word_is(kind, kinds[i].name))
			return true;
	return false;
}

bool ev_probe_is(const struct ev_spec *s)
{
	return s->pmu.name && (!strcmp(s->pmu.name, "kprobe") || !strcmp(s->pmu.name, "uprobe"));
}

bool ev_probe_is_user(const struct ev_spec *s)
{
	return ev_expr_is_uprobe(s) || (s->pmu.name && !strcmp(s->pmu.name, "uprobe"));
}

void ev_probe_own(const struct ev_spec *s, struct perf_event_attr *a, struct buf *notes)
{
	if (!ev_probe_is(s) || !a->inherit)
		return;
	a->inherit = 0;
	buf_addf(
		notes,
		"%s: hits of threads and processes that the targets start are left out; with -a, or with an argument, as in %s(pid), they are not\n",
		s->name, s->name);
}

/* Of the name of a function. */
#define ENDS "+%:/,{}( \t\n"

static struct ev_word take_until(struct ev_lex *l, const char *ends)
{
	struct ev_word w = {l->p, strcspn(l->p, ends)};

	l->p += w.len;
	return w;
}

static int take_number(struct ev_lex *l, u64 *v)
{
	struct ev_word w = ev_lex_word(l);
	bool fits;

	if (!ev_word_number(w, v, &fits))
		return ev_lex_error(l, w.s, "a number is expected here");
	return fits ? 0 : ev_lex_error(l, w.s, "%.*s is larger than 64 bits", EV_WORD(w));
}

static int take_file(struct arena *a, struct ev_lex *l, struct ev_probe_typed *p)
{
	struct ev_word w = take_until(l, ":,{}");

	if (!w.len || *l->p != ':') {
		ev_lex_error(l, w.s, "a file and a function in it are expected here");
		err_hint(l->err, "uprobe:/bin/bash:readline");
		return -EINVAL;
	}
	l->p++;
	p->file = arena_strndup(a, w.s, w.len);
	return p->file ? 0 : err_nomem(l->err);
}

/* "source.c:123", which may have folders: 1; 0: it is none. */
static int take_line(struct arena *a, struct ev_lex *l, struct ev_probe_typed *p)
{
	const struct ev_word file = {l->p, strcspn(l->p, ":,{}( \t\n")};
	const char *digits = file.s + file.len + 1;
	struct ev_word line = {digits, 0};
	u64 v = 0;
	bool fits;

	if (!file.len || digits[-1] != ':')
		return 0;
	line.len = strspn(digits, "0123456789");
	if (!line.len || !strchr(":/,{}(+% \t\n", digits[line.len]))
		return 0;
	if (!ev_word_number(line, &v, &fits) || !fits || v > UINT32_MAX)
		return ev_lex_error(l, digits, "no file has a line %.*s", EV_WORD(line));
	p->source = arena_strndup(a, file.s, file.len);
	p->line = (u32)v;
	l->p = digits + line.len;
	return p->source ? 1 : err_nomem(l->err);
}

/* "MODULE:" before the name of a function, which a word of modifiers is not. */
static int take_module(struct arena *a, struct ev_lex *l, struct ev_probe_typed *p)
{
	const struct ev_word w = {l->p, strcspn(l->p, ENDS)};
	const struct ev_word next = {w.s + w.len + 1,
				     w.s[w.len] == ':' ? strcspn(w.s + w.len + 1, ENDS) : 0};

	if (!w.len || !next.len || ev_word_is_modifier(next))
		return 0;
	if (strcspn(w.s, "*?[") < w.len)
		return ev_lex_error(l, w.s, "the module must be a name, not a pattern");
	p->module = arena_strndup(a, w.s, w.len);
	l->p += w.len + 1;
	return p->module ? 0 : err_nomem(l->err);
}

static int take_place(struct arena *a, struct ev_lex *l, struct ev_probe_typed *p)
{
	struct ev_word w;
	bool fits;
	int ret = p->file ? take_line(a, l, p) : take_module(a, l, p);

	if (ret)
		return MIN(ret, 0);
	w = take_until(l, ENDS);
	if (!w.len)
		return ev_lex_error(l, w.s, "the name of a function is expected here");
	p->is_pattern = strcspn(w.s, "*?[") < w.len;
	if (p->is_pattern && p->by_type) {
		ev_lex_error(l, w.s, "a probe of this kind is of one function");
		err_hint(l->err,
			 "patterns are for kprobe, kretprobe, uprobe and uretprobe: kprobe:vfs_*");
		return -EINVAL;
	}
	if (p->file && ev_word_number(w, &p->address, &fits)) {
		p->has_address = true;
		return fits ? 0 : ev_lex_error(l, w.s, "%.*s is larger than 64 bits", EV_WORD(w));
	}
	p->function = arena_strndup(a, w.s, w.len);
	return p->function ? 0 : err_nomem(l->err);
}

static int take_rest(struct ev_lex *l, struct ev_probe_typed *p)
{
	struct ev_word w;
	int ret = 0;

	if (*l->p == '+') {
		l->p++;
		ret = take_number(l, &p->offset);
	}
	if (!ret && *l->p == '%') {
		l->p++;
		w = ev_lex_word(l);
		if (!ev_word_is(w, "return"))
			return ev_lex_error(l, w.s, "'return' is expected here");
		p->at_return = true;
	}
	if (!ret && p->source && (p->at_return || p->offset)) {
		ev_lex_error(l, p->at.s, "a line of source has no %s",
			     p->at_return ? "return" : "offset");
		err_hint(l->err, p->at_return ? "uretprobe:FILE:FUNCTION is at returns"
					      : "uprobe:FILE:0xADDRESS is at any instruction");
		return -EINVAL;
	}
	if (!ret && p->at_return && p->offset)
		return ev_lex_error(l, p->at.s, "a return has no offset");
	return ret;
}

/* A list of functions that were compiled while a program ran: perf-PID.map, jit-PID.dump. */
static bool lists_jit_code(const char *file)
{
	const char *name = strrchr(file, '/');
	const char *digits;

	name = name ? name + 1 : file;
	digits = !strncmp(name, "perf-", 5) ? name + 5 : !strncmp(name, "jit-", 4) ? name + 4 : "";
	return *digits >= '0' && *digits <= '9' &&
	       (!strcmp(digits + strspn(digits, "0123456789"), ".map") ||
		!strcmp(digits + strspn(digits, "0123456789"), ".dump"));
}

/* The ELF file of a probe, or the error, pointing at `at`. */
int ev_probe_open(const struct ev_lex *l, struct ev_word at, const char *file, struct image *img)
{
	struct err why = {0};

	if (!image_open(img, file, &why))
		return 0;
	if (lists_jit_code(file)) {
		ev_lex_error(l, at.s, "the functions in %s were compiled while the program ran",
			     file);
		err_hint(
			l->err,
			"the kernel probes code of files only; samples name such functions: perf-lite record -g -p PID");
		return -EINVAL;
	}
	ev_lex_error(l, at.s, "%s", why.msg);
	err_hint(l->err, "give the path of the program or library: command -v NAME, ldconfig -p");
	return -EINVAL;
}

static void no_function(const struct ev_lex *l, const struct ev_probe_typed *p,
			const struct image *img, const struct image *debug)
{
	struct text_suggest suggest;
	struct symtab st = {0};
	u32 i;

	ev_lex_error(l, p->at.s, "there is no function '%s' in %s", p->function, p->file);
	image_symbols_load(img, debug, &st, SYMTAB_NESTED, NULL);
	text_suggest_init(&suggest, p->function);
	for (i = 0; i < st.syms.nr; i++)
		text_suggest_add(&suggest, st.syms.v[i].name);
	if (suggest.best)
		err_hint(l->err, "did you mean uprobe:%s:%s?", p->file, suggest.best);
	else
		err_hint(l->err, "see what there is with: nm -C %s, nm -D %s", p->file, p->file);
	symtab_free(&st);
}

static int find_function(const struct ev_lex *l, const struct ev_probe_typed *p,
			 const struct image *img, u64 *vaddr)
{
	const struct debug_file_options o = {0};
	struct err ignored = {0};
	struct image debug;
	bool has_debug = !debug_file_has(img, DEBUG_FILE_SYMBOLS) &&
			 !debug_file_open(img, p->file, &o, DEBUG_FILE_SYMBOLS, &debug, &ignored);
	int ret = image_function_find(img, has_debug ? &debug : NULL, p->function, vaddr);

	if (ret && ret != -ENOTUNIQ && ret != -ENOTSUP && ret != -EIO)
		no_function(l, p, img, has_debug ? &debug : NULL);
	if (has_debug)
		image_close(&debug);
	if (ret == -ENOTUNIQ) {
		ev_lex_error(l, p->at.s, "several functions of %s are called '%s'", p->file,
			     p->function);
		err_hint(l->err, "give an address, as in uprobe:%s:0x%llx; nm %s lists them",
			 p->file, (unsigned long long)*vaddr, p->file);
		return -EINVAL;
	}
	if (ret == -ENOTSUP) {
		ev_lex_error(
			l, p->at.s,
			"'%s' of %s is called once, to choose one of several functions (IFUNC)",
			p->function, p->file);
		err_hint(
			l->err,
			"probe those: a debugger or perf-lite report names them, as __strlen_avx2; the one that chooses is uprobe:%s:0x%llx",
			p->file, (unsigned long long)*vaddr);
		return -EINVAL;
	}
	if (ret == -EIO)
		return ev_lex_error(l, p->at.s, "the symbols of %s cannot be read", p->file);
	return ret ? -EINVAL : 0;
}

const char *ev_probe_no_place(const struct image *img, u64 offset)
{
	struct utsname un;
	const struct arch *arch = uname(&un) ? NULL : arch_find(un.machine);
	u8 code[ARCH_NO_PROBE];
	ssize_t len = arch && arch->no_probe && img->fd >= 0
			      ? pread(img->fd, code, sizeof(code), (off_t)offset)
			      : 0;

	return len > 0 ? arch->no_probe(code, (u32)len, img->ehdr.e_ident[EI_CLASS] == ELFCLASS64)
		       : NULL;
}

/* The kernel would say it only of files that are mapped now, and put no probe there later. */
static int refused_in_file(const struct ev_lex *l, const struct ev_probe_typed *p, const char *what)
{
	ev_lex_error(l, p->at.s, "the kernel puts no probe at %s", what);
	err_hint(l->err, "probe the one behind it: +N, in bytes; objdump -d %s shows them",
		 p->file);
	return -EINVAL;
}

/* Where in the file the kernel puts the probe. */
static int find_offset(const struct ev_lex *l, struct ev_probe_typed *p, u64 *offset)
{
	struct image img;
	u64 vaddr = p->address;
	const char *what = NULL;
	int ret = ev_probe_open(l, p->at, p->file, &img);

	if (ret)
		return ret;
	if (!p->has_address)
		ret = find_function(l, p, &img, &vaddr);
	p->vaddr = vaddr;
	p->is_64_bit = img.ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	if (!ret && !image_offset(&img, vaddr + p->offset, offset))
		ret = ev_lex_error(l, p->at.s, "%s has nothing at 0x%llx", p->file,
				   (unsigned long long)(vaddr + p->offset));
	else if (!ret && (what = ev_probe_no_place(&img, *offset)))
		ret = refused_in_file(l, p, what);
	image_close(&img);
	return ret;
}

static struct pmu *find_pmu(struct pmu_set *set, const char *name)
{
	u32 i;

	for (i = 0; i < set->pmus.nr; i++)
		if (!strcmp(set->pmus.v[i].name, name))
			return &set->pmus.v[i];
	return NULL;
}

static void no_pmu(const struct ev_lex *l, struct ev_word kind, const char *name)
{
	bool kernel = name[0] == 'k';

	ev_lex_error(l, kind.s, "this kernel has no probes in %s (CONFIG_%cPROBE_EVENTS)",
		     kernel ? "its own code" : "programs", kernel ? 'K' : 'U');
	err_hint(l->err, "tracepoints need none: perf-lite list tracepoint");
}

struct pmu *ev_probe_pmu(struct ev_env *env, const struct ev_lex *l, struct ev_word kind,
			 const char *name)
{
	struct pmu_set *set = ev_env_pmus(env, l->err);
	struct pmu *pmu = set ? find_pmu(set, name) : NULL;

	if (set && !pmu)
		no_pmu(l, kind, name);
	return pmu && !pmu_load(set, pmu, l->err) ? pmu : NULL;
}

int ev_probe_add_place(struct ev_list *list, const struct pmu *pmu,
		       const struct ev_probe_place *place, struct err *err)
{
	const struct pmu_format *at_return = pmu_format_find(pmu, "retprobe");
	const struct pmu_format *semaphore = pmu_format_find(pmu, "ref_ctr_offset");
	struct ev_spec *s = ev_spec_add(list);

	if (!s)
		return err_nomem(err);
	s->name = place->name;
	s->class = EV_PMU;
	s->pmu.name = arena_strdup(&list->arena, pmu->name);
	s->attr.type = pmu->type;
	s->attr.config1 = (u64)(uintptr_t)place->target;
	s->attr.config2 = place->offset;
	s->at_return = place->at_return;
	if (place->at_return && (!at_return || pmu_format_set(at_return, &s->attr, 1)))
		s->attr.config |= 1;
	if (place->semaphore &&
	    (!semaphore || pmu_format_set(semaphore, &s->attr, place->semaphore)))
		return err_set(err, EOVERFLOW, "%s: the kernel takes no semaphore at byte %llu",
			       place->target, (unsigned long long)place->semaphore);
	return s->pmu.name ? 0 : err_nomem(err);
}

/* The registers of calls here; NULL and the error: they are not known. */
const struct arch_call *ev_probe_call(const struct ev_lex *l, const char *at, bool is_64_bit)
{
	struct utsname un;
	const struct arch *arch = uname(&un) ? NULL : arch_find(un.machine);

	if (arch && arch->call && is_64_bit)
		return arch->call;
	ev_lex_error(l, at, "where arguments are is known of 64-bit programs alone");
	err_hint(l->err, "without (...) each hit is recorded");
	return NULL;
}

void ev_probe_names_free(struct ev_probe_names *n)
{
	arguments_free(&n->arguments);
	debug_types_free(&n->types);
	debug_variables_free(&n->variables);
	btf_free(&n->own);
}

/* In formats, names are words: "f.isra.0" is none. NULL: memory is out. */
static const char *word_of(struct arena *a, const char *name)
{
	char *word = arena_strdup(a, name), *p;

	for (p = word; p && *p; p++)
		if (!isalnum((u8)*p))
			*p = '_';
	return word;
}

int ev_probe_add_expressions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			     const char *text, struct ev_expr_probe *probe)
{
	const size_t len = strcspn(text, ":");

	probe->system = arena_strndup(&list->arena, text, len);
	probe->name = text + len + (text[len] == ':');
	probe->function = word_of(&list->arena, probe->function);
	return probe->system && probe->function ? ev_expr_add_probe(list, env, l, probe)
						: err_nomem(l->err);
}

/* The last spec is a probe, of which `text` is what was typed: read the expressions. */
static int add_expressions(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			   const char *text, const char *function, bool user,
			   const struct ev_probe_names *names)
{
	struct ev_expr_probe probe = {
		.function = function,
		.arguments = &names->arguments,
		.btf = names->btf,
		.user = user,
	};

	return ev_probe_add_expressions(list, env, l, text, &probe);
}

/* A function of the kernel or of a module has the names of its prototype, if that is known. */
static int add_kernel_names(struct ev_env *env, const struct ev_probe_typed *p,
			    const struct arch_call *call, struct ev_probe_names *n, struct err *err)
{
	struct arguments_function f = {0};
	struct ev_env_function of;
	struct btf_type proto;
	const struct btf *b;
	int ret = ev_env_function(env, p->module, p->function, &of, err);

	b = n->btf = of.btf ? of.btf : &env->btf;
	if (ret)
		return ret;
	proto = btf_resolve(b, btf_type(b, of.id).type);
	f.b = b;
	f.id = proto.id;
	if (of.another) {
		n->arguments.missing = "several modules have a function of this name";
		return 0;
	}
	if (of.id && proto.kind == BTF_FUNC_PROTO) {
		n->function = proto.id;
		return p->by_type ? arguments_words(&n->arguments, b, proto.id, p->at_return, err)
				  : arguments_typed(&n->arguments, call, &f, p->at_return, err);
	}
	n->arguments.missing = "the running kernel has no types of this function";
	return 0;
}

/* Likewise one of a program by its debug information. */
static int add_program_names(const struct btf *kernel, const struct ev_probe_typed *p,
			     const struct arch_call *call, struct ev_probe_names *n,
			     struct err *err)
{
	const struct debug_file_options o = {0};
	struct arguments_function f = {.b = &n->own};
	struct debug_source source;
	struct image img;
	u32 i;
	int ret = image_open(&img, p->file, err);

	n->btf = kernel;
	if (ret)
		return ret;
	debug_source_open(&source, &img, p->file, &o, NULL);
	ret = debug_types_make(&n->types, &source, p->vaddr, kernel, p->expressions, err);
	if (ret == -ENODATA)
		n->arguments.missing =
			source.info
				? "the debug information of the file does not have this function"
				: "the file has no debug information, which would say more";
	debug_source_close(&source);
	if (ret == -ENODATA && err)
		*err = (struct err){0};
	if (ret)
		return ret == -ENODATA ? 0 : ret;
	ret = btf_init(&n->own, kernel, n->types.data.data, n->types.data.len, err);
	if (ret)
		return ret;
	n->btf = &n->own;
	n->function = n->types.function;
	/* a part or a clone of a function, "f.isra.0", is not called as the function is */
	for (i = 0; p->function && strchr(p->function, '.') && i < n->types.parameters.nr; i++)
		if (n->types.parameters.v[i].where == DEBUG_BY_RULE)
			n->types.parameters.v[i].where = DEBUG_NOWHERE;
	f.id = n->types.function;
	f.where = n->types.parameters.v;
	f.hides_result = n->types.hides_result;
	f.result_align = n->types.result_align;
	if (!p->at_return && !p->source)
		n->arguments.missing =
			"variables are read at lines, uprobe:FILE:SOURCE.c:LINE(...)";
	return arguments_typed(&n->arguments, call, &f, p->at_return, err);
}

#define BEGINNING "arguments are where they are at the beginning of a function"

int ev_probe_find_names(struct ev_env *env, const struct ev_probe_typed *p,
			const struct arch_call *call, struct ev_probe_names *n, struct err *err)
{
	const struct btf *b = ev_env_btf(env, NULL);
	int ret;

	/* without the kernel's types there are those of the program */
	ret = p->file ? add_program_names(b ? b : &env->btf, p, call, n, err)
		      : add_kernel_names(env, p, call, n, err);
	if (ret || p->by_type)
		return ret;
	if (!p->offset)
		return arguments_registers(&n->arguments, call, p->at_return, err);
	/* the types are of use, but not where its arguments were */
	n->arguments.v.nr = 0;
	n->arguments.registers = call;
	n->arguments.missing = BEGINNING "; elsewhere there are registers, as %NAME";
	return 0;
}

static int add_arguments(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			 struct ev_word kind, const struct ev_probe_typed *p)
{
	const char *text = arena_strndup(&list->arena, kind.s, (size_t)(l->p - kind.s));
	const struct arch_call *call = ev_probe_call(l, l->p, !p->file || p->is_64_bit);
	struct ev_probe_names n = {.arguments = {.arena = &list->arena}};
	int ret;

	if (!call)
		return -EINVAL;
	ret = text ? ev_probe_find_names(env, p, call, &n, l->err) : err_nomem(l->err);
	if (!ret)
		ret = add_expressions(list, env, l, text, p->function ? p->function : "address",
				      p->file, &n);
	ev_probe_names_free(&n);
	return ret;
}

static int add_probe(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		     struct ev_word kind, struct ev_probe_typed *p, const char *name)
{
	struct pmu *pmu = ev_probe_pmu(env, l, kind, name);
	struct ev_probe_place place = {
		.target = p->file     ? p->file
			  : p->module ? arena_printf(&list->arena, "%s:%s", p->module, p->function)
				      : p->function,
		.offset = p->offset,
		.at_return = p->at_return,
	};
	int ret;

	if (!pmu)
		return -l->err->code;
	if (!place.target)
		return err_nomem(l->err);
	ret = p->file ? find_offset(l, p, &place.offset) : 0;
	if (!ret)
		ret = ev_probe_add_place(list, pmu, &place, l->err);
	return ret || *l->p != '(' ? ret : add_arguments(list, env, l, kind, p);
}

/* Read the one after the colon; its PMU, and what was typed. */
static int parse_probe(struct arena *a, struct ev_lex *l, struct ev_word kind,
		       struct ev_probe_typed *p, const char **pmu)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds) - 1 && !ev_word_is(kind, kinds[i].name);)
		i++;
	ev_lex_take(l, ':');
	p->at.s = l->p;
	p->at_return = kinds[i].at_return;
	p->by_type = !kinds[i].pmu;
	*pmu = kinds[i].pmu;
	if (kinds[i].pmu && kinds[i].pmu[0] == 'u')
		ret = take_file(a, l, p);
	if (!ret)
		ret = take_place(a, l, p);
	if (!ret)
		ret = take_rest(l, p);
	p->expressions = !ret && *l->p == '(' ? l->p : NULL;
	return ret;
}

int ev_probe_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind)
{
	struct ev_probe_typed p = {0};
	const char *pmu;
	int ret = parse_probe(&list->arena, l, kind, &p, &pmu);

	if (ret)
		return ret;
	if (p.source)
		return ev_probe_add_line(list, env, l, kind, &p);
	return p.by_type || p.is_pattern ? ev_probe_add_functions(list, env, l, kind, &p)
					 : add_probe(list, env, l, kind, &p, pmu);
}

/* Of a function of the kernel without types: is there one of that name, or is that not known? */
static int check_in_kernel(struct ev_env *env, const struct ev_lex *l,
			   const struct ev_probe_typed *p)
{
	struct ev_filter_names n;
	const char *meant = NULL;
	u64 start, end;
	int found;

	ev_filter_names_init(&n, env);
	found = n.names.function(n.names.arg, p->function, &start, &end, &meant);
	if (!found) {
		ev_lex_error(l, p->at.s, "the kernel has no function '%s'", p->function);
		if (meant)
			err_hint(l->err, "did you mean '%s'?", meant);
	}
	ev_filter_names_free(&n);
	return found ? 0 : -EINVAL;
}

int ev_probe_names_find(struct ev_probe_names *n, struct ev_env *env, struct ev_lex *l,
			struct ev_word kind)
{
	struct ev_probe_typed p = {0};
	const struct arch_call *call;
	const char *pmu;
	u64 offset;
	int ret = parse_probe(n->arguments.arena, l, kind, &p, &pmu);

	if (!ret && p.is_pattern) {
		ev_lex_error(l, p.at.s, "each of several functions has its own arguments");
		err_hint(l->err, "name one of them");
		return -EINVAL;
	}
	if (!ret && p.source)
		return ev_probe_line_names(n, env, l, &p);
	if (!ret && p.file)
		ret = find_offset(l, &p, &offset);
	if (!ret && p.offset)
		ret = ev_lex_error(l, l->p, BEGINNING);
	if (ret)
		return ret;
	call = ev_probe_call(l, l->p, !p.file || p.is_64_bit);
	n->user = p.file;
	n->name = p.function;
	ret = call ? ev_probe_find_names(env, &p, call, n, l->err) : -EINVAL;
	return ret || p.file || p.module || n->function ? ret : check_in_kernel(env, l, &p);
}

/* "kprobe:MODULE:FUNCTION" */
static bool names_module(const struct ev_spec *s)
{
	const char *place = strchr(s->name, ':');

	return place && place[1 + strcspn(place + 1, ":(")] == ':';
}

static int refused_in_kernel(const struct ev_spec *s, int code, struct err *err)
{
	switch (code) {
	case ENOENT:
		err_set(err, code, "%s: the kernel has no such function", s->name);
		err_hint(err, "its functions: sudo cat /proc/kallsyms%s",
			 names_module(s) ? "; some kernels take no module here, only the function"
					 : "");
		break;
	case EADDRNOTAVAIL:
		err_set(err, code, "%s: the kernel has several functions of this name", s->name);
		err_hint(err, "take one that calls it, or that it calls");
		break;
	default:
		err_set(err, code, "%s: the kernel allows no probe there (%s)", s->name,
			strerror(code));
		err_hint(
			err,
			"it must be the beginning of an instruction, and not in code that probes need themselves: sudo cat /sys/kernel/debug/kprobes/blacklist");
	}
	return -code;
}

int ev_probe_refused(const struct ev_spec *s, int code, const struct limits *l, struct err *err)
{
	if ((code == EACCES || code == EPERM) && !limits_privileged(l)) {
		err_set(err, code,
			"Access to performance monitoring and observability operations is limited. %s: probes need CAP_PERFMON",
			s->name);
		limits_hint(l, err, "PERFMON", NULL);
		return -code;
	}
	if (s->pmu.name[0] == 'k')
		return refused_in_kernel(s, code, err);
	if (code == EV_KERNEL_ENOTSUPP) {
		err_set(err, code, "%s: the kernel puts no probe at this instruction", s->name);
		err_hint(err, "probe the one behind it, by its address: uprobe:FILE:0xADDRESS; "
			      "objdump -d FILE shows them");
		return -code;
	}
	err_set(err, code, "%s: the kernel allows no probe there (%s)", s->name, strerror(code));
	err_hint(
		err,
		"it must be the beginning of an instruction, in a file of a file system that can be mapped");
	return -code;
}

/* What was typed. */
struct wanted {
	struct ev_word at; /* all of it, for messages */
	const char *file;
	const char *provider, *name; /* globs */
	u64 address;                 /* of the probe; 0: any */
};

bool ev_usdt_named(struct ev_word kind)
{
	return ev_word_is(kind, "usdt");
}

static int take(struct ev_list *list, struct ev_lex *l, const char *ends, bool colon,
		const char **text)
{
	struct ev_word w = {l->p, strcspn(l->p, ends)};

	l->p += w.len;
	if (!w.len || (colon && *l->p != ':')) {
		ev_lex_error(l, w.s, "a file, a provider and a name are expected here");
		err_hint(
			l->err,
			"usdt:/usr/bin/python3:python:function__entry; perf-lite list usdt:FILE shows those of a file");
		return -EINVAL;
	}
	l->p += colon;
	*text = arena_strndup(&list->arena, w.s, w.len);
	return *text ? 0 : err_nomem(l->err);
}

static int take_address(struct ev_lex *l, u64 *address)
{
	struct ev_word w;
	bool fits;

	if (*l->p != '@')
		return 0;
	l->p++;
	w = ev_lex_word(l);
	if (!ev_word_number(w, address, &fits) || !fits || !*address)
		return ev_lex_error(l, w.s, "an address is expected here, as in @0x1234");
	return 0;
}

static int parse(struct ev_list *list, struct ev_lex *l, struct wanted *w)
{
	int ret;

	ev_lex_take(l, ':');
	w->at.s = l->p;
	ret = take(list, l, ":,{}", true, &w->file);
	if (!ret)
		ret = take(list, l, ":,{}/ \t\n", true, &w->provider);
	if (!ret)
		ret = take(list, l, ":,{}/@( \t\n", false, &w->name);
	return ret ? ret : take_address(l, &w->address);
}

static bool same_name(const struct image_usdt_probe *a, const struct image_usdt_probe *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->provider, b->provider);
}

const char *ev_usdt_name(struct arena *a, const char *file, const struct image_usdt_list *of,
			 const struct image_usdt_probe *p)
{
	u32 i, nr = 0;

	for (i = 0; i < of->probes.nr && nr < 2; i++)
		nr += same_name(&of->probes.v[i], p);
	if (nr < 2)
		return arena_printf(a, "usdt:%s:%s:%s", file, p->provider, p->name);
	return arena_printf(a, "usdt:%s:%s:%s@0x%llx", file, p->provider, p->name,
			    (unsigned long long)p->vaddr);
}

static bool is_wanted(const struct wanted *w, const struct image_usdt_probe *p)
{
	return glob_match(w->provider, p->provider) && glob_match(w->name, p->name) &&
	       (!w->address || w->address == p->vaddr);
}

static int add_usdt_arguments(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
			      const struct image *img, const char *text,
			      const struct image_usdt_probe *p)
{
	const struct arch_call *call =
		ev_probe_call(l, l->p, img->ehdr.e_ident[EI_CLASS] == ELFCLASS64);
	struct ev_probe_names n = {.arguments = {.arena = &list->arena}};
	const char *name = arena_strdup(&list->arena, p->name);
	int ret;

	if (!call)
		return -EINVAL;
	ret = name ? arguments_usdt(&n.arguments, call, p->arguments, l->err) : err_nomem(l->err);
	if (!ret)
		ret = add_expressions(list, env, l, text, name, true, &n);
	ev_probe_names_free(&n);
	return ret;
}

/* What was typed, and where it is found. */
struct looked_at {
	const struct wanted *w;
	const struct pmu *pmu;
	const struct image *img;
	struct image_usdt_list of;
};

static int add_one(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		   const struct looked_at *x, const struct image_usdt_probe *p)
{
	const struct wanted *w = x->w;
	struct ev_probe_place place = {.target = w->file};
	int ret;

	if (!image_offset(x->img, p->vaddr, &place.offset) ||
	    (p->semaphore && !image_offset(x->img, p->semaphore, &place.semaphore)))
		return ev_lex_error(l, w->at.s,
				    "%s: the note of %s:%s has an address that is not in the file",
				    w->file, p->provider, p->name);
	place.name = ev_usdt_name(&list->arena, w->file, &x->of, p);
	ret = place.name ? ev_probe_add_place(list, x->pmu, &place, l->err) : err_nomem(l->err);
	return ret || *l->p != '(' ? ret : add_usdt_arguments(list, env, l, x->img, place.name, p);
}

static int none(const struct ev_lex *l, const struct wanted *w, const struct image_usdt_list *of)
{
	if (!of->probes.nr) {
		ev_lex_error(l, w->at.s, "%s has no static probes", w->file);
		err_hint(l->err, "functions can be probed: uprobe:%s:FUNCTION", w->file);
	} else {
		ev_lex_error(l, w->at.s, "%s has no such probe", w->file);
		err_hint(l->err, "see what it has: perf-lite list usdt:%s", TEXT_SHELL(w->file));
	}
	return -EINVAL;
}

static int add_wanted(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		      struct looked_at *x)
{
	u32 i, before = list->specs.nr;
	int ret = image_usdt_load(x->img, &x->of, l->err);
	struct ev_lex next, end = *l;

	for (i = 0; !ret && i < x->of.probes.nr; i++) {
		if (!is_wanted(x->w, &x->of.probes.v[i]))
			continue;
		/* each reads the same expressions */
		next = *l;
		ret = add_one(list, env, &next, x, &x->of.probes.v[i]);
		end = next;
	}
	if (!ret && list->specs.nr == before)
		ret = none(l, x->w, &x->of);
	*l = end;
	image_usdt_free(&x->of);
	return ret;
}

int ev_usdt_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word kind)
{
	struct wanted w = {0};
	struct pmu *pmu;
	struct image img;
	int ret = parse(list, l, &w);

	if (ret)
		return ret;
	pmu = ev_probe_pmu(env, l, kind, "uprobe");
	if (!pmu)
		return -l->err->code;
	ret = ev_probe_open(l, w.at, w.file, &img);
	if (ret)
		return ret;
	ret = add_wanted(list, env, l, &(struct looked_at){.w = &w, .pmu = pmu, .img = &img});
	image_close(&img);
	return ret;
}
