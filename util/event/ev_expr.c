// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/base/glob.h"
#include "util/bpf/bpf_program.h"
#include "util/event/ev_expr_internal.h"
#include "util/event/ev_probe.h"
#include "util/kernel/cpus.h"
#include "util/kernel/limits.h"

#define THREADS_MAX 32768u
#define FIRST_ID    UINT16_MAX /* and down from there: tracefs counts from below */
#define WHO_MAY     "need root, or CAP_BPF and CAP_PERFMON, and a kernel that is not locked down"

/* Its hint is that of the expression, or none: which events there are is not the question. */
static int point_at(const struct ev_lex *l, const char *at, struct err *why)
{
	ev_lex_error(l, at, "%s", why->msg);
	err_hint(l->err, "%s", why->hint);
	return -EINVAL;
}

static int refuse_pattern(const struct ev_lex *l, const char *at)
{
	ev_lex_error(l, at, "expressions are of one tracepoint, and this is a pattern");
	err_hint(l->err, "give each tracepoint its own (...); all system calls are at "
			 "raw_syscalls:sys_enter(id, regs->di) and sys_exit(ret)");
	return -EINVAL;
}

/* The tracepoint's own format, for its names of values. */
static struct tp_format *own_format(const struct tracefs *t, const char *system, const char *name,
				    int *ret, struct err *err)
{
	struct buf text = {0};
	struct tp_format *f = NULL;

	*ret = tracefs_format(t, system, name, &text, err);
	if (!*ret)
		*ret = tracefs_is_dynamic(t, system, name, err);
	if (*ret > 0)
		*ret = err_set(err, ENOTSUP, "%s:%s was made by a user: it has no arguments",
			       system, name);
	if (!*ret)
		f = tp_format_parse(buf_str(&text), text.len, err);
	buf_free(&text);
	return f;
}

int ev_expr_fields(struct ev_env *env, const char *system, const char *name, struct arguments *l,
		   struct err *err)
{
	const struct btf *btf = ev_env_tracepoint(env, name, err);
	const struct tracefs *t = btf ? ev_env_tracefs(env, err) : NULL;
	struct tp_format *own;
	int ret;

	if (!t)
		return -ENOTSUP;
	own = own_format(t, system, name, &ret, err);
	if (own)
		ret = arguments_fields(l, btf, own, ev_raw_expressions(system, name), err);
	tp_format_free(own);
	return ret;
}

struct ev_expr *ev_expr_new(struct ev_list *list, const struct ev_env *env)
{
	struct ev_expr *x = calloc(1, sizeof(*x)), **slot = x ? vec_push(&list->exprs) : NULL;
	u32 i;

	if (!slot) {
		free(x);
		return NULL;
	}
	*slot = x;
	x->btf = &env->btf;
	x->root = env->root;
	x->limited = limits_in_pid_namespace(env->root);
	x->program = x->link = x->fault = -1;
	for (i = 0; i < ARRAY_SIZE(x->maps); i++)
		x->maps[i] = -1;
	x->probe.id = FIRST_ID + 1 - list->exprs.nr;
	return x;
}

int ev_expr_fill(struct ev_list *list, struct ev_spec *s, struct ev_expr *x, const char *system,
		 const char *name, struct err *err)
{
	struct buf format = {0};

	probe_format(&x->probe, &format);
	s->class = EV_TRACEPOINT;
	s->attr.type = PERF_TYPE_SOFTWARE;
	s->attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	s->attr.sample_period = 1;
	s->attr.exclude_guest = 0;
	s->tp.expr = x;
	s->tp.system = system;
	s->tp.name = name;
	s->tp.format =
		format.failed ? NULL : arena_strndup(&list->arena, buf_str(&format), format.len);
	s->name = arena_printf(&list->arena, "%s:%s", system, name);
	buf_free(&format);
	return s->name && s->tp.format ? 0 : err_nomem(err);
}

int ev_expr_add(struct ev_list *list, struct ev_env *env, struct ev_lex *l, struct ev_word system,
		struct ev_word name)
{
	char *sys = arena_strndup(&list->arena, system.s, system.len);
	char *event = arena_strndup(&list->arena, name.s, name.len);
	const struct tracefs *t = ev_env_tracefs(env, l->err);
	const struct btf *btf = t && event ? ev_env_tracepoint(env, event, l->err) : NULL;
	struct probe_source from = {.btf = btf, .name = event, .arena = &list->arena};
	struct arguments of_call = {.arena = &list->arena};
	struct tp_format *own;
	struct err why = {0};
	struct ev_expr *x;
	struct ev_spec *s;
	const char *at;
	u32 id;
	int ret;

	if (!sys || !event)
		return err_nomem(l->err);
	if (!btf)
		return l->err ? -l->err->code : -ENODEV;
	if (glob_is_pattern(sys) || glob_is_pattern(event))
		return refuse_pattern(l, system.s);
	from.fields = ev_raw_expressions(sys, event);
	from.own = own = own_format(t, sys, event, &ret, &why);
	if (!own)
		return ret == -ENOENT ? ev_lex_error(l, system.s, "unknown tracepoint '%.*s:%.*s'",
						     EV_WORD(system), EV_WORD(name))
				      : point_at(l, system.s, &why);
	x = ev_expr_new(list, env);
	id = x ? x->probe.id : 0;
	at = ++l->p;
	ret = x ? 0 : err_nomem(l->err);
	if (!ret && !strcmp(sys, "syscalls")) {
		from.arguments = &of_call;
		ret = ev_expr_call(env, event, &of_call, &from.when, &x->tracepoint, &why);
	}
	if (!ret)
		ret = probe_parse(&x->probe, &from, &l->p, &at, &why);
	arguments_free(&of_call);
	tp_format_free(own);
	if (ret)
		return x && why.code != ENOMEM ? point_at(l, at, &why) : err_nomem(l->err);
	x->probe.id = id;
	s = ev_spec_add(list);
	return s ? ev_expr_fill(list, s, x, sys, event, l->err) : err_nomem(l->err);
}

/* What the spec was to be opened as becomes the place of the program. */
static void take_place(struct ev_expr *x, struct ev_spec *s)
{
	x->place = s->attr;
	x->place.size = sizeof(x->place);
	x->place.exclude_guest = 0;
	x->pmu = s->pmu.name;
	s->pmu.name = NULL;
	s->attr = (struct perf_event_attr){.size = s->attr.size};
}

int ev_expr_add_probe(struct ev_list *list, struct ev_env *env, struct ev_lex *l,
		      const struct ev_expr_probe *probe)
{
	struct probe_source from = {.btf = probe->btf ? probe->btf : &env->btf,
				    .name = probe->function,
				    .arena = &list->arena,
				    .arguments = probe->arguments,
				    .user = probe->user,
				    .several = probe->functions && !probe->functions->btf_id,
				    .names = probe->functions ? probe->functions->names : NULL};
	struct ev_spec *s =
		probe->functions ? ev_spec_add(list) : &list->specs.v[list->specs.nr - 1];
	const bool has_list = !probe->functions || ev_lex_peek(l) == '(';
	const char *none = NULL;
	struct err why = {0};
	struct ev_expr *x;
	const char *at;
	u32 id;
	int ret;

	/* where there are none, a program has types of its own */
	ev_env_btf(env, NULL);
	x = s ? ev_expr_new(list, env) : NULL;
	if (!x)
		return err_nomem(l->err);
	if (has_list)
		ev_lex_take(l, '(');
	id = x->probe.id;
	ret = probe_parse(&x->probe, &from, has_list ? &l->p : &none, &at, &why);
	if (ret)
		return why.code != ENOMEM ? point_at(l, at, &why) : err_nomem(l->err);
	x->probe.id = id;
	if (probe->functions) {
		x->functions = *probe->functions;
		s->at_return = x->functions.at_return && !x->functions.btf_id;
	} else {
		take_place(x, s);
	}
	return ev_expr_fill(list, s, x, probe->system, probe->name, l->err);
}

int ev_expr_at_probe(struct ev_list *list, struct ev_env *env, struct ev_spec *s)
{
	const char *name = strchr(s->name, ':');
	const char *system =
		name ? arena_strndup(&list->arena, s->name, (size_t)(name - s->name)) : NULL;
	struct ev_expr *x = ev_expr_new(list, env);

	if (!x || !system)
		return -ENOMEM;
	ev_env_btf(env, NULL);
	x->probe.tracepoint = s->name;
	x->probe.user = true;
	take_place(x, s);
	return ev_expr_fill(list, s, x, system, name + 1, NULL);
}

bool ev_expr_is_probe(const struct ev_spec *s)
{
	return s->tp.expr && (s->tp.expr->pmu || s->tp.expr->functions.nr);
}

bool ev_expr_is_uprobe(const struct ev_spec *s)
{
	const struct ev_expr *x = s->tp.expr;

	return x && (x->functions.file || (x->pmu && !strcmp(x->pmu, "uprobe")));
}

int ev_expr_configure(struct ev_spec *s, struct err *err)
{
	struct ev_expr *x = s->tp.expr;

	if (s->group != ID_NONE) {
		err_set(err, EINVAL, "%s: an event with expressions cannot be in a group", s->name);
		err_hint(err, "write it outside of the braces");
		return -EINVAL;
	}
	if (s->attr.exclude_kernel || s->attr.exclude_user) {
		err_set(err, EINVAL,
			"%s: an event with expressions is of the kernel and of user code", s->name);
		err_hint(err, "leave out --all-user, --all-kernel and modifiers behind it");
		return -EINVAL;
	}
	x->waits = s->attr.enable_on_exec;
	x->follows = s->attr.inherit;
	s->attr.enable_on_exec = 0;
	s->attr.inherit = 0;
	if (x->waits)
		s->attr.disabled = 0;
	return 0;
}

int ev_expr_leave_out(struct ev_spec *s, const u32 *selves, u32 nr, struct err *err)
{
	u32 *slot, i;

	for (i = 0; i < nr; i++) {
		slot = vec_push(&s->tp.expr->selves);
		if (!slot)
			return err_nomem(err);
		*slot = selves[i];
	}
	return 0;
}

u32 ev_expr_number(const struct ev_spec *s)
{
	return s->tp.expr ? s->tp.expr->probe.id : (u32)s->attr.config;
}

void ev_expr_stored(const struct ev_spec *s, struct perf_event_attr *attr)
{
	if (!s->tp.expr)
		return;
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = s->tp.expr->probe.id;
}

/* --- the programs --- */

static void close_one(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* What it can be done without. */
static const char *without(const struct ev_spec *s)
{
	return s->tp.of_calls ? "--paths" : "(...)";
}

int ev_expr_refuse(const struct ev_spec *s, int code, const struct buf *log, struct err *err)
{
	if (s->tp.expr->work) {
		err_set(err, code, "%s: the kernel refused the program: %s", s->name,
			strerror(code));
		err_hint(err, "--engine=perf reads samples instead%s%.200s",
			 log->len ? "; what the kernel says ends with: " : "",
			 log->len > 200 ? log->data + log->len - 200 : buf_str(log));
		return -code;
	}
	if (code == EPERM || (code == EACCES && !log->len)) {
		err_set(err, code, "%s: BPF programs may not be loaded here", s->name);
		err_hint(err, "%s " WHO_MAY "; without %s the event has its own fields",
			 s->tp.of_calls ? "paths" : "expressions", without(s));
		return -code;
	}
	err_set(err, code, "%s: the kernel refused the program of these expressions: %s", s->name,
		strerror(code));
	if (log->len)
		err_hint(err,
			 "this is a defect of perf-lite; what the kernel says ends with: %.300s",
			 log->len > 300 ? log->data + log->len - 300 : log->data);
	return -code;
}

static u32 count_cpus(const struct sysroot *root)
{
	struct cpus cpus = {0};
	u32 nr = cpus_possible(root, &cpus, NULL) || !cpus.nr ? 0 : cpus.v[cpus.nr - 1] + 1;

	cpus_free(&cpus);
	return nr;
}

/* by_thread: of threads in the map, or of everybody. */
static int make_map(enum probe_map map, const struct sysroot *root, bool by_thread, u32 records)
{
	const u32 threads = by_thread ? THREADS_MAX : 1;

	switch (map) {
	case PROBE_MAP_RINGS:
		return bpf_map_new(BPF_MAP_TYPE_PERF_EVENT_ARRAY, sizeof(u32), sizeof(u32),
				   MAX(count_cpus(root), 1u));
	case PROBE_MAP_RECORD:
		return bpf_map_new(BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(u32), PROBE_RECORD_SIZE,
				   records);
	default:
		return bpf_map_new(BPF_MAP_TYPE_HASH, sizeof(u32), sizeof(struct probe_thread),
				   threads);
	}
}

static int make_maps(struct ev_spec *s, bool by_thread, struct err *err)
{
	const struct buf none = {0};
	u32 i;

	for (i = 0; i < PROBE_MAPS; i++) {
		s->tp.expr->maps[i] = make_map((enum probe_map)i, s->tp.expr->root, by_thread,
					       probe_records(&s->tp.expr->probe));
		if (s->tp.expr->maps[i] < 0)
			return ev_expr_refuse(s, -s->tp.expr->maps[i], &none, err);
	}
	return 0;
}

int ev_expr_allowed(struct ev_env *env, bool everybody, struct err *err)
{
	int ret = 0, map;
	u32 i;

	if (!ev_env_btf(env, err))
		return -ENOTSUP;
	if (!everybody && limits_in_pid_namespace(env->root))
		return err_set(err, ENOTSUP,
			       "in a PID namespace, BPF programs do not tell processes apart");
	/* before Linux 5.11, memory that may be locked limits maps, for root, too */
	for (i = 0; !ret && i < PROBE_MAPS; i++) {
		map = make_map((enum probe_map)i, env->root, !everybody, 1);
		ret = MIN(map, 0);
		close_one(map);
	}
	if (!ret)
		ret = bpf_program_allowed();
	if (!ret)
		return 0;
	err_set(err, -ret, "BPF programs may not be loaded here: %s", strerror(-ret));
	err_hint(err, "they " WHO_MAY);
	return ret;
}

bool ev_expr_may_account(const struct sysroot *root, struct buf *why)
{
	struct utsname u;
	u32 major, minor;
	int ret;

	if (uname(&u) || sscanf(u.release, "%u.%u", &major, &minor) != 2 ||
	    major * 1000 + minor < 6001) {
		buf_addf(why, "Linux %s lets a program be interrupted by itself, 6.1 does not",
			 u.release);
		return false;
	}
	if (limits_in_pid_namespace(root)) {
		buf_adds(why, "in a PID namespace programs see other numbers of threads");
		return false;
	}
	ret = bpf_program_allowed();
	if (ret)
		buf_addf(why, "BPF programs may not be loaded here: %s", strerror(-ret));
	return !ret;
}

static int refuse_link(const struct ev_spec *s, int code, struct err *err)
{
	err_set(err, code, "%s: no program can be attached to this tracepoint: %s", s->name,
		strerror(code));
	if (s->tp.expr->work)
		err_hint(err, "--engine=perf reads samples instead");
	return -code;
}

/* Run the program wherever the probe is hit, on any CPU: a descriptor, or -errno. */
static int attach_to_probe(const struct ev_expr *x, int program, u32 cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, &x->place, -1, (int)cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);
	int ret = fd < 0 ? -errno : 0, link;

	/* a link, since Linux 5.15, tells what came to no program */
	link = ret || strcmp(x->pmu, "kprobe") != 0 ? -1 : bpf_program_at_event(program, fd);
	if (!ret && link < 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program))
		ret = -errno;
	/* a link holds the event */
	if (ret || link >= 0)
		close_one(fd);
	return ret ? ret : link >= 0 ? link : fd;
}

static int refuse_place(const struct ev_spec *s, int code, struct err *err)
{
	struct ev_spec plain = *s;
	struct limits l = {0};

	plain.pmu.name = s->tp.expr->pmu;
	if (!plain.pmu.name)
		return refuse_link(s, code, err);
	limits_read(s->tp.expr->root, &l, NULL);
	return ev_probe_refused(&plain, code, &l, err);
}

static bool is_at_functions(const struct ev_expr *x)
{
	return x->functions.btf_id || x->functions.nr;
}

/* The program of the event itself. */
static int attach(const struct ev_expr *x, int program, u32 cpu)
{
	if (x->functions.file)
		return bpf_program_at_file(program, x->functions.file, x->functions.addrs,
					   x->functions.nr, x->functions.at_return);
	if (x->functions.nr)
		return bpf_program_at_functions(program, x->functions.addrs, x->functions.nr,
						x->functions.at_return);
	if (x->pmu)
		return attach_to_probe(x, program, cpu);
	return bpf_program_at_tracepoint(program, x->functions.btf_id ? NULL
						  : x->tracepoint     ? x->tracepoint
								      : x->probe.tracepoint);
}

/* Load a program and attach it: to another tracepoint, or, NULL, where the event is. Its code is freed. */
static int start(const struct ev_spec *s, struct bpf_code *code, const char *tracepoint, u32 cpu,
		 int *program, int *link, struct err *err)
{
	const struct ev_expr *x = s->tp.expr;
	const struct bpf_use use = tracepoint
					   ? (struct bpf_use){.type = BPF_PROG_TYPE_RAW_TRACEPOINT}
					   : ev_expr_use(x);
	struct buf log = {0};
	int ret = 0;

	*link = -1;
	*program = bpf_program_load(code, &use, x->maps, &log);
	if (*program >= 0)
		*link = tracepoint ? bpf_program_at_tracepoint(*program, tracepoint)
				   : attach(x, *program, cpu);
	if (!tracepoint && is_at_functions(x) && (*program < 0 || *link < 0))
		ret = ev_expr_refuse_functions(s, -MIN(*program, *link), *program >= 0, &log, err);
	else if (*program < 0)
		ret = ev_expr_refuse(s, -*program, &log, err);
	else if (*link < 0)
		ret = refuse_place(s, -*link, err);
	bpf_code_free(code);
	buf_free(&log);
	return ret;
}

/* Before any thread is put into the map: none is missed. */
static int start_trackers(struct ev_spec *s, struct err *err)
{
	struct ev_expr *x = s->tp.expr;
	const bool ends = x->work && x->work->ends(s);
	const char *tracepoint;
	struct bpf_code code;
	int program = -1, ret = 0;
	u32 i;

	for (i = 0; !ret && (tracepoint = probe_threads_tracepoint(i)); i++) {
		if ((i == PROBE_THREADS_FORK && !x->follows) ||
		    i == (ends ? PROBE_THREADS_KNOW : PROBE_THREADS_EXIT))
			continue;
		ret = probe_threads_code(i, x->btf, &code, err);
		if (!ret)
			ret = start(s, &code, tracepoint, 0, &program, &x->trackers[x->nr_trackers],
				    err);
		/* the link holds it */
		close_one(program);
		x->nr_trackers += !ret;
	}
	return ret;
}

static int put_threads(struct ev_spec *s, const s32 *tids, u32 nr, struct err *err)
{
	const struct probe_thread thread = {.active = !s->tp.expr->waits};
	u32 i;
	int ret;

	for (i = 0; i < nr; i++) {
		ret = bpf_map_add(s->tp.expr->maps[PROBE_MAP_THREADS], &tids[i], &thread);
		if (ret && ret != -EEXIST)
			return err_set(err, -ret, "%s: more than %u threads", s->name, THREADS_MAX);
	}
	return 0;
}

static int put_rings(struct ev_spec *s, u32 spec, const struct counters *c, u32 from,
		     struct err *err)
{
	u32 i;
	int ret;

	for (i = from; i < c->nr; i++) {
		if (c->v[i].spec != spec)
			continue;
		ret = bpf_map_put(s->tp.expr->maps[PROBE_MAP_RINGS], &c->v[i].cpu, &c->v[i].fd);
		if (ret)
			return err_set(err, -ret, "%s: CPU %u: %s", s->name, c->v[i].cpu,
				       strerror(-ret));
	}
	return 0;
}

/* The program knows threads by the kernel's own numbers. */
static int refuse_namespace(const struct ev_spec *s, struct err *err)
{
	err_set(err, ENOTSUP, "%s: in a PID namespace, expressions are recorded of everybody only",
		s->name);
	err_hint(err,
		 "-a records everybody; without %s the event is recorded of processes and commands",
		 without(s));
	return -ENOTSUP;
}

/* Does this kernel let others run in the middle of a program at a function of a program? Its instruction is of 5.12. */
static bool is_preempted(void)
{
	struct utsname u;

	return uname(&u) || strtoul(u.release, NULL, 10) >= 6;
}

/* Without it, what is not in memory yet cannot be read. */
static void start_fault(struct ev_expr *x, const struct probe_program *how, u32 cpu)
{
	struct bpf_use use = ev_expr_use(x);
	struct bpf_code code;
	int program;

	if (!probe_fault_code(&x->probe, how, &code))
		return;
	use.sleeps = true;
	program = bpf_program_load(&code, &use, x->maps, NULL);
	if (program >= 0)
		x->fault = MAX(attach(x, program, cpu), -1);
	close_one(program);
	bpf_code_free(&code);
}

/* The program, for the CPUs of the counters from number `from` on, and with what it can test of the filter. */
static int make_code(struct ev_spec *s, const struct counters *c, u32 from,
		     const struct probe_program *run, struct bpf_code *code, struct err *err)
{
	struct ev_expr *x = s->tp.expr;
	struct probe_program how = *run;
	struct probe_test tests[PROBE_TESTS_MAX];
	struct buf why = {0};
	u64 *cpus = NULL;
	u32 i, words = 1;
	int ret;

	/* what its filter leaves out is no sample, if the program can tell; samples are tested again */
	x->tests = !x->work && s->tp.here && !x->probe.user &&
		   ev_raw_tests(s, s->tp.here, tests, &how.nr_tests, &why);
	how.tests = x->tests ? tests : NULL;
	how.nr_tests = x->tests ? how.nr_tests : 0;
	buf_free(&why);
	if (x->some_cpus) {
		for (i = from; i < c->nr; i++)
			words = MAX(words, c->v[i].cpu / 64 + 1);
		cpus = calloc(words, sizeof(*cpus));
		if (!cpus)
			return err_nomem(err);
		for (i = from; i < c->nr; i++)
			cpus[c->v[i].cpu / 64] |= 1ull << c->v[i].cpu % 64;
		how.nr_cpus = words;
	}
	how.cpus = cpus;
	ret = x->work ? x->work->code(s, &how, code, err)
		      : probe_code(&x->probe, x->btf, &how, code, err);
	free(cpus);
	return ret;
}

int ev_expr_attach(struct ev_spec *s, const struct counters *c, u32 from, const s32 *tids,
		   u32 nr_tids, struct err *err)
{
	struct ev_expr *x = s->tp.expr;
	const bool everybody = nr_tids == 1 && tids[0] == -1, first = x->program < 0;
	const struct probe_program how = {.preempted = x->probe.user && is_preempted(),
					  .by_thread = !everybody,
					  .selves = x->selves.v,
					  .nr_selves = x->selves.nr};
	const u32 cpu = from < c->nr ? c->v[from].cpu : 0;
	struct bpf_code code;
	int ret = everybody || !x->limited ? 0 : refuse_namespace(s, err);

	if (!ret && first)
		ret = make_maps(s, !everybody, err);
	if (!ret && first && x->work)
		ret = x->work->maps(s, c, from, err);
	if (!ret && from < c->nr)
		ret = put_rings(s, c->v[from].spec, c, from, err);
	if (!ret && !everybody && first)
		ret = start_trackers(s, err);
	if (!ret && !everybody)
		ret = put_threads(s, tids, nr_tids, err);
	if (ret || !first)
		return ret;
	ret = make_code(s, c, from, &how, &code, err);
	if (!ret)
		ret = start(s, &code, NULL, cpu, &x->program, &x->link, err);
	/* the one that comes last is run first */
	if (!ret && how.preempted)
		start_fault(x, &how, cpu);
	return ret;
}

void ev_expr_note(const struct ev_spec *s, struct buf *notes)
{
	const struct ev_expr *x = s->tp.expr;

	if (x->functions.left_out)
		buf_addf(notes, "%s: not in %s\n", s->name, x->functions.left_out);
	if (x->probe.cut)
		buf_addf(notes, "%s: %s\n", s->name, x->probe.cut);
	if (x->probe.renamed)
		buf_addf(
			notes,
			"%s: fields whose own names are taken, those of all events, or no words: %s\n",
			s->name, x->probe.renamed);
	if (x->probe.nr_left_out)
		buf_addf(
			notes,
			"%s: no room for %u of all that can be read, from '%s' on: name those that you want\n",
			s->name, x->probe.nr_left_out, x->probe.left_out);
}

int ev_expr_enable(struct ev_spec *s, bool on, struct err *err)
{
	const struct ev_expr *x = s->tp.expr;

	return x && x->work ? x->work->enable(s, on, err) : 0;
}

bool ev_expr_tests(const struct ev_spec *s)
{
	return s->tp.expr && s->tp.expr->tests;
}

u64 ev_expr_missed(const struct ev_spec *s)
{
	const struct ev_expr *x = s->tp.expr;
	const size_t stride = PROBE_RECORD_SIZE;
	u64 missed = 0, unseen = 0, lost;
	u32 nr, i, key;
	u8 *values;

	if (!x || x->program < 0)
		return 0;
	bpf_program_missed(x->program, &missed);
	if (x->functions.nr || x->pmu)
		bpf_link_missed(x->link, &unseen);
	missed += unseen;
	nr = count_cpus(x->root);
	values = nr ? calloc(nr, stride) : NULL;
	for (key = 0; values && key < probe_records(&x->probe); key++) {
		if (bpf_map_get(x->maps[PROBE_MAP_RECORD], &key, values))
			break;
		for (i = 0; i < nr; i++) {
			memcpy(&lost, values + i * stride, sizeof(lost));
			missed += lost;
		}
	}
	free(values);
	return missed;
}

void ev_expr_detach(struct ev_expr *x)
{
	u32 i;

	close_one(x->link);
	close_one(x->fault);
	for (i = 0; i < x->nr_trackers; i++)
		close_one(x->trackers[i]);
	close_one(x->program);
	x->program = x->link = x->fault = -1;
	x->nr_trackers = 0;
	for (i = 0; i < ARRAY_SIZE(x->maps); i++) {
		close_one(x->maps[i]);
		x->maps[i] = -1;
	}
}

int ev_expr_try(struct ev_spec *s, bool by_thread, struct err *err)
{
	static const s32 everybody = -1;
	const struct counters none = {0};
	struct ev_expr *x = s->tp.expr;
	const bool follows = x->follows;
	int ret;

	x->follows = by_thread;
	ret = ev_expr_attach(s, &none, 0, &everybody, by_thread ? 0 : 1, err);
	ev_expr_detach(x);
	x->follows = follows;
	return ret;
}

void ev_expr_free(struct ev_expr *x)
{
	ev_expr_detach(x);
	if (x->work)
		x->work->free(x->of);
	probe_free(&x->probe);
	vec_free(&x->selves);
	free(x);
}
