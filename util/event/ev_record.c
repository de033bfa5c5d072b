// SPDX-License-Identifier: GPL-2.0
#include "util/event/ev_record.h"

#include <errno.h>
#include <string.h>

#include "util/event/ev_expr.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_probe.h"
#include "util/kernel/pmu.h"
#include "util/record/chain.h"
#include "util/record/deferred.h"

/* Of what a kernel puts into a sample: addresses, PERF_CONTEXT_*, bytes of a tracepoint, branches. */
#define MAX_STACK    127
#define MAX_CONTEXTS 8
#define MAX_RAW      8192
#define MAX_BRANCHES 64

enum ev_callgraph ev_chain_callgraph(const struct ev_spec *s, const struct ev_record_options *o)
{
	enum ev_callgraph how = s->terms.callgraph;

	if (!(s->terms.has & EV_CALLGRAPH))
		how = !o->call_chain  ? EV_CALLGRAPH_NO
		      : o->call_graph ? o->call_graph
				      : EV_CALLGRAPH_FP;
	/* a stack is for the user half alone */
	if ((o->no_user_chain || ev_function_is(s)) &&
	    (how == EV_CALLGRAPH_DWARF || how == EV_CALLGRAPH_AUTO))
		how = EV_CALLGRAPH_FP;
	return how;
}

u32 ev_chain_stack(const struct ev_spec *s, const struct ev_record_options *o)
{
	if (s->terms.has & EV_STACK_SIZE && s->terms.stack_size)
		return s->terms.stack_size;
	if (o->stack_size)
		return o->stack_size;
	return ev_chain_callgraph(s, o) == EV_CALLGRAPH_AUTO ? EV_CHAIN_STACK_AUTO : EV_CHAIN_STACK;
}

static bool is_of_syscalls(const struct ev_spec *s)
{
	return s->tp.system &&
	       (!strcmp(s->tp.system, "raw_syscalls") || !strcmp(s->tp.system, "syscalls"));
}

/* A thread whose next user code is another program's, or that has none: its stack is walked at once. */
static bool may_not_return(const struct ev_spec *s)
{
	static const struct {
		const char *system, *name;
	} last[] = {
		{"syscalls", "sys_enter_execve"}, {"syscalls", "sys_enter_execveat"},
		{"syscalls", "sys_enter_exit"},   {"syscalls", "sys_enter_exit_group"},
		{"sched", "sched_process_exec"},  {"sched", "sched_prepare_exec"},
		{"sched", "sched_process_exit"},
	};
	u32 i;

	for (i = 0; s->tp.system && i < ARRAY_SIZE(last); i++)
		if (!strcmp(s->tp.system, last[i].system) && !strcmp(s->tp.name, last[i].name))
			return true;
	return false;
}

/* What is read from a ring that is overwritten is not unwound. */
static bool has_return_address(const struct ev_spec *s, const struct ev_record_options *o)
{
	return ev_probe_is_user(s) && o->user_regs && !o->overwrite;
}

bool ev_chain_has_caller(const struct ev_spec *s, const struct ev_record_options *o)
{
	/* registers that are asked for by name are those and no other */
	return ev_chain_callgraph(s, o) == EV_CALLGRAPH_FP && !o->no_user_chain &&
	       !ev_function_is(s) && !(o->more & PERF_SAMPLE_REGS_USER) &&
	       (o->link_reg || has_return_address(s, o));
}

static void set_caller(struct ev_spec *s, const struct ev_record_options *o)
{
	struct perf_event_attr *a = &s->attr;

	a->sample_type |= PERF_SAMPLE_REGS_USER;
	a->sample_regs_user = o->link_reg;
	if (!has_return_address(s, o))
		return;
	a->sample_type |= PERF_SAMPLE_STACK_USER;
	a->sample_regs_user = o->user_regs;
	a->sample_stack_user = CHAIN_CALLER_STACK;
}

/* Put that into the event's attr. */
static void set_chain(struct ev_spec *s, const struct ev_record_options *o)
{
	enum ev_callgraph how = ev_chain_callgraph(s, o);
	struct perf_event_attr *a = &s->attr;

	if (how == EV_CALLGRAPH_NO)
		return;
	a->sample_type |= PERF_SAMPLE_CALLCHAIN;
	a->exclude_callchain_user = o->no_user_chain || ev_function_is(s);
	a->exclude_callchain_kernel =
		o->no_kernel_chain || (o->syscalls_user_chain && is_of_syscalls(s));
	a->sample_max_stack = s->terms.has & EV_MAX_STACK ? (u16)s->terms.max_stack : o->max_stack;
	if (how == EV_CALLGRAPH_FP) {
		if (a->exclude_callchain_user)
			return;
		if (o->defer && !may_not_return(s) && !has_return_address(s, o))
			deferred_ask(a);
		else if (ev_chain_has_caller(s, o))
			set_caller(s, o);
		return;
	}
	a->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	a->exclude_callchain_user = how == EV_CALLGRAPH_DWARF;
	a->sample_regs_user = o->user_regs;
	a->sample_stack_user = ev_chain_stack(s, o);
}

/* Bytes of a sample behind the copy of the stack. */
static u32 bytes_behind_stack(const struct perf_event_attr *a)
{
	const u64 words = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR |
			  PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |
			  PERF_SAMPLE_CODE_PAGE_SIZE;
	int n = __builtin_popcountll(a->sample_type & words);

	n += a->sample_type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT) ? 1 : 0;
	if (a->sample_type & PERF_SAMPLE_REGS_INTR)
		n += 1 + __builtin_popcountll(a->sample_regs_intr);
	return 8 * (u32)n;
}

/* Bytes before it at most. */
static u32 bytes_before_stack(const struct perf_event_attr *a, u32 nr_events)
{
	const u32 frames = a->sample_max_stack ? a->sample_max_stack : MAX_STACK;
	u32 bytes = sizeof(struct perf_event_header) + 9 * 8;

	if (a->sample_type & PERF_SAMPLE_READ)
		bytes += 8 * (3 + 3 * nr_events);
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN)
		bytes += 8 * (1 + frames + MAX_CONTEXTS);
	if (a->sample_type & PERF_SAMPLE_RAW)
		bytes += 8 + MAX_RAW;
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		bytes += 16 + MAX_BRANCHES * (u32)sizeof(struct perf_branch_entry);
	return bytes + 8 * (1 + (u32)__builtin_popcountll(a->sample_regs_user));
}

/*
 * Make the copy of the stack smaller where a sample would be too long, the attr being complete but for that:
 * the length of a record has 16 bits. The kernel cuts the copy so that all before it has room, but
 * what is behind makes the length wrap around.
 */
static void leave_room_for_stack(struct perf_event_attr *a, u32 nr_events)
{
	const u32 behind = bytes_behind_stack(a), before = bytes_before_stack(a, nr_events);
	const u32 max = UINT16_MAX - 8, used = MIN(before + behind + 16, max);

	if (a->sample_type & PERF_SAMPLE_STACK_USER && behind)
		a->sample_stack_user = MIN(a->sample_stack_user, (max - used) & ~7u);
}

/* What the side-band event's records say behind what they are about. */
#define SIDEBAND_TYPE                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static void set_common(struct perf_event_attr *a, const struct ev_record_options *o)
{
	a->size = sizeof(*a);
	a->disabled = 1;
	a->sample_id_all = 1;
	a->inherit = o->inherit;
	a->enable_on_exec = o->enable_on_exec;
	a->use_clockid = 1;
	a->clockid = o->clockid;
	a->watermark = 1; /* of the ring, in bytes: known when it is mapped */
}

/* `asked`: a user chose it. */
static int set_frequency(struct ev_spec *s, u64 frequency, bool asked,
			 const struct ev_record_options *o, struct buf *notes, struct err *err)
{
	if (o->max_frequency && frequency > o->max_frequency) {
		if (o->strict_frequency) {
			err_set(err, EPERM,
				"%s: %llu Hz is more than kernel.perf_event_max_sample_rate allows (%llu)",
				s->name, (unsigned long long)frequency,
				(unsigned long long)o->max_frequency);
			err_hint(err, "sudo sysctl kernel.perf_event_max_sample_rate=%llu",
				 (unsigned long long)frequency);
			return -EPERM;
		}
		if (asked)
			buf_addf(
				notes,
				"%s: sampling at %llu Hz, the most that kernel.perf_event_max_sample_rate allows\n",
				s->name, (unsigned long long)o->max_frequency);
		frequency = o->max_frequency;
	}
	s->attr.freq = 1;
	s->attr.sample_freq = frequency;
	return 0;
}

static int set_rate(struct ev_spec *s, const struct ev_record_options *o, struct buf *notes,
		    struct err *err)
{
	struct perf_event_attr *a = &s->attr;

	/* a term of the event itself (period=, freq=) has spoken already */
	if (a->sample_period)
		return a->freq ? set_frequency(s, a->sample_freq, true, o, notes, err) : 0;
	/* as in perf, every hit of a tracepoint is wanted, also beside events that are counted */
	if (s->tp.expr || ((a->type == PERF_TYPE_TRACEPOINT || ev_probe_is(s)) && !o->frequency)) {
		a->sample_period = 1;
		return 0;
	}
	if (o->period || (a->type == PERF_TYPE_BREAKPOINT && !o->frequency)) {
		a->sample_period = o->period ? o->period : 1;
		return 0;
	}
	/* events that happen one by one are all wanted */
	if (a->type == PERF_TYPE_SOFTWARE && !o->frequency &&
	    (a->config == PERF_COUNT_SW_DUMMY || a->config == PERF_COUNT_SW_BPF_OUTPUT)) {
		a->sample_period = 1;
		return 0;
	}
	return set_frequency(s, o->frequency ? o->frequency : EV_RECORD_FREQUENCY, o->frequency, o,
			     notes, err);
}

/* Members of a ":S" group are counted, and read with each sample of their leader. */
static void set_group(struct ev_list *list, u32 i, struct buf *notes)
{
	struct ev_spec *s = &list->specs.v[i];
	const struct ev_spec *leader = ev_leader(list, i);

	if (!leader->sample_read)
		return;
	s->attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	s->attr.sample_type |= PERF_SAMPLE_READ;
	/* the kernel knows no reads of inherited groups before 6.12 */
	if (s->leader && s->attr.inherit)
		buf_addf(
			notes,
			"%s: threads and processes that the targets start are left out of its group; with -a they are not\n",
			s->name);
	s->attr.inherit = 0;
	if (s->leader)
		return;
	s->attr.sample_period = 0;
	s->attr.freq = 0;
}

static bool is_tracepoint(const struct ev_spec *s)
{
	return ev_spec_traces(s);
}

static int leave_out(struct ev_list *list, struct ev_spec *s, const struct ev_record_options *o,
		     struct err *err)
{
	struct buf filter = {0};
	int ret;
	u32 i;

	if (s->tp.expr)
		return ev_expr_leave_out(s, o->selves, o->nr_selves, err);
	for (i = 0; i < o->nr_selves; i++)
		buf_addf(&filter, "%scommon_pid != %u", i ? " && " : "", o->selves[i]);
	ret = filter.failed ? err_nomem(err) : 0;
	if (!ret && is_tracepoint(s))
		ret = ev_filter_spec(list, s, buf_str(&filter), err);
	else if (!ret && !(s->tp.filter = arena_strdup(&list->arena, buf_str(&filter))))
		ret = err_nomem(err);
	buf_free(&filter);
	return ret;
}

const char *ev_record_unheeded(const struct ev_terms *t)
{
	static const struct {
		u32 has;
		const char *name;
	} terms[] = {{EV_NR, "nr"},
		     {EV_PERCORE, "percore"},
		     {EV_AUX_OUTPUT, "aux-output"},
		     {EV_AUX_SAMPLE, "aux-sample-size"}};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(terms); i++)
		if (t->has & terms[i].has)
			return terms[i].name;
	if (t->has & EV_TIME && !t->time)
		return "time=0";
	return t->overwrite ? "overwrite" : NULL;
}

/* What can be asked for and not be recorded. */
static int check(const struct ev_spec *s, struct err *err)
{
	const char *term = ev_record_unheeded(&s->terms);

	if (s->class == EV_TOOL) {
		err_set(err, EINVAL, "%s can be counted, not recorded", s->name);
		err_hint(err, "times are in every recording: perf-lite script --header");
		return -EINVAL;
	}
	if (s->pmu.name && pmu_traces(s->pmu.name)) {
		err_set(err, EINVAL,
			"%s: %s writes %s into an area of its own (AUX), and no samples", s->name,
			s->pmu.name, pmu_traces(s->pmu.name));
		err_hint(err,
			 "perf-lite records samples: -e cycles -b has the last branches of each; "
			 "traces are recorded and decoded by: perf record -e %s//",
			 s->pmu.name);
		return -EINVAL;
	}
	if (s->terms.has & EV_CALLGRAPH && s->terms.callgraph == EV_CALLGRAPH_LBR) {
		err_set(err, EINVAL,
			"%s: call chains from a processor's branch records (lbr) cannot be recorded",
			s->name);
		err_hint(err, "use call-graph=dwarf, which needs no such hardware");
		return -EINVAL;
	}
	if (term) {
		err_set(err, EINVAL, "%s: perf-lite record has no '%s'", s->name, term);
		err_hint(err, "leave this term out; what record can do: perf-lite record --help");
		return -EINVAL;
	}
	return 0;
}

/* Does each call chain begin with the address of the sample, wherever that is? */
static bool chain_has_ip(const struct perf_event_attr *a)
{
	/* where a stack is copied the user half comes of that */
	return a->sample_type & PERF_SAMPLE_CALLCHAIN && !a->exclude_callchain_kernel &&
	       (!a->exclude_callchain_user || a->sample_type & PERF_SAMPLE_STACK_USER);
}

static bool is_hardware(const struct ev_spec *s)
{
	return s->attr.type != PERF_TYPE_SOFTWARE && s->attr.type != PERF_TYPE_TRACEPOINT &&
	       s->attr.type != PERF_TYPE_BREAKPOINT && !ev_probe_is(s);
}

/* What only a processor's own records contain. */
static void set_hardware(struct ev_spec *s, const struct ev_record_options *o)
{
	u64 branches = s->terms.has & EV_BRANCH ? s->terms.branch : o->branches;
	struct perf_event_attr *a = &s->attr;

	if (o->addresses)
		a->sample_type |= PERF_SAMPLE_DATA_SRC;
	if (o->weight)
		a->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	if (branches) {
		a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a->branch_sample_type = branches;
	}
}

/* The program, up to three functions that run it, and the traced one. */
#define PROGRAM_FRAMES 8

/* What samples of the event carry, its call chain being decided. */
static void set_sample_type(struct ev_spec *s, const struct ev_record_options *o)
{
	struct perf_event_attr *a = &s->attr;
	struct sample_layout_derive d;

	a->sample_type |= PERF_SAMPLE_TIME;
	if (is_tracepoint(s)) {
		a->sample_type |= PERF_SAMPLE_RAW;
		ev_record_derive(s, &d);
		if (d.period_at >= 0)
			a->sample_type |= PERF_SAMPLE_PERIOD;
		/* with call chains an ip is shown with each; without, only where it is asked for */
		if (!chain_has_ip(a) && (o->sample_ip || a->sample_type & PERF_SAMPLE_CALLCHAIN))
			a->sample_type |= PERF_SAMPLE_IP;
		if (!o->root_pid_namespace || d.tid_at < 0)
			a->sample_type |= PERF_SAMPLE_TID;
	} else {
		/* what a PMU found precisely is not where its call chain begins */
		a->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	}
	if (a->freq)
		a->sample_type |= PERF_SAMPLE_PERIOD;
	a->sample_type |= o->more;
	if (o->more & PERF_SAMPLE_REGS_USER)
		a->sample_regs_user |= o->more_user_regs;
	if (o->more & PERF_SAMPLE_REGS_INTR)
		a->sample_regs_intr = o->intr_regs;
	if (o->complete)
		a->sample_type |= SIDEBAND_TYPE;
	if (o->addresses || a->type == PERF_TYPE_BREAKPOINT)
		a->sample_type |= PERF_SAMPLE_ADDR;
	if (is_hardware(s))
		set_hardware(s, o);
	/* what is sampled is the program: who ran it is in the call chain (symboliser_drop_program()) */
	if (s->tp.expr && !ev_expr_is_probe(s) && o->sample_ip &&
	    !(a->sample_type & PERF_SAMPLE_CALLCHAIN)) {
		a->sample_type |= PERF_SAMPLE_CALLCHAIN;
		a->exclude_callchain_user = 1;
		a->sample_max_stack = PROGRAM_FRAMES;
	}
	/* the output of a program has none */
	if (s->tp.expr)
		a->sample_type &= ~(u64)PERF_SAMPLE_PERIOD;
}

/* What the kernel asks of it (ev_filter.h). Its filter cannot leave the recorder out: samples carry the tid. */
static void set_function(struct ev_spec *s, struct buf *notes)
{
	s->attr.exclude_callchain_user = 1;
	s->attr.sample_type |= PERF_SAMPLE_TID;
	if (s->attr.inherit)
		buf_addf(
			notes,
			"%s: threads and processes that the targets start are left out; with -a they are not\n",
			s->name);
	s->attr.inherit = 0;
}

static int configure(struct ev_list *list, u32 i, const struct ev_record_options *o,
		     struct buf *notes, struct err *err)
{
	struct ev_spec *s = &list->specs.v[i];
	struct perf_event_attr *a = &s->attr;
	int ret = check(s, err);

	if (ret)
		return ret;
	set_common(a, o);
	a->write_backward = o->overwrite;
	a->read_format = PERF_FORMAT_LOST;
	if (s->terms.has & EV_INHERIT)
		a->inherit = s->terms.inherit;
	if (!s->leader) {
		/* a member counts from the moment its leader does */
		a->disabled = 0;
		a->enable_on_exec = 0;
	}
	if (s->precise_max)
		a->precise_ip = 3;
	if (o->all_user)
		a->exclude_kernel = 1;
	if (o->all_kernel)
		a->exclude_user = 1;
	/* sampling of guests is what only a host of virtual machines wants: it asks with :G */
	ret = set_rate(s, o, notes, err);
	if (ret)
		return ret;
	set_chain(s, o);
	set_group(list, i, notes);
	set_sample_type(s, o);
	leave_room_for_stack(a, list->specs.nr);
	if (s->tp.expr) {
		ret = ev_expr_configure(s, err);
		if (ret)
			return ret;
		ev_expr_note(s, notes);
	}
	ev_probe_own(s, a, notes);
	if (ev_function_is(s)) {
		set_function(s, notes);
		return ev_function_check(s, err);
	}
	return (is_tracepoint(s) || ev_probe_is(s)) && o->nr_selves ? leave_out(list, s, o, err)
								    : 0;
}

/*
 * Tracepoints that hit one by one may all carry their period: a word that costs no more than the
 * id would, and compresses to nothing.
 */
static void share_period(struct ev_list *list)
{
	u64 any = 0;
	u32 i;

	for (i = 1; i < list->specs.nr; i++) {
		const struct ev_spec *s = &list->specs.v[i];

		if (!is_tracepoint(s) || s->attr.freq || s->attr.sample_period != 1)
			return;
		any |= s->attr.sample_type & PERF_SAMPLE_PERIOD;
	}
	for (i = 1; i < list->specs.nr; i++)
		if (!list->specs.v[i].tp.expr)
			list->specs.v[i].attr.sample_type |= any;
}

/* Can a sample's event be known without an id in it? */
static bool identifies_event(const struct ev_list *list)
{
	const struct ev_spec *first = &list->specs.v[1];
	struct hmap types = {0};
	bool known = true;
	u32 i;

	for (i = 1; i < list->specs.nr && known; i++) {
		const struct ev_spec *s = &list->specs.v[i];

		known = !(s->attr.sample_type & PERF_SAMPLE_READ) &&
			(list->specs.nr == 2 ||
			 (is_tracepoint(s) && s->attr.sample_type == first->attr.sample_type &&
			  hmap_get(&types, ev_expr_number(s)) == ID_NONE &&
			  hmap_set(&types, ev_expr_number(s), i)));
	}
	hmap_free(&types);
	return known;
}

static void set_identifier(struct ev_list *list)
{
	u32 i;

	if (list->specs.nr < 2 || identifies_event(list))
		return;
	for (i = 1; i < list->specs.nr; i++)
		list->specs.v[i].attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
}

/* The event of context switches, that of each if there is one; NULL: none is asked for. */
static struct ev_spec *find_switches(struct ev_list *list)
{
	struct ev_spec *found = NULL, *s;

	for (s = list->specs.v; s < list->specs.v + list->specs.nr; s++) {
		if (s->attr.type != PERF_TYPE_SOFTWARE ||
		    s->attr.config != PERF_COUNT_SW_CONTEXT_SWITCHES)
			continue;
		found = found ? found : s;
		if (!s->attr.freq && s->attr.sample_period == 1 && !s->attr.exclude_kernel)
			return s;
	}
	return found;
}

static int add_sideband(struct ev_list *list, const struct ev_record_options *o, struct err *err)
{
	struct ev_spec s;

	if (!ev_spec_add(list))
		return err_nomem(err);
	s = list->specs.v[list->specs.nr - 1];
	memmove(list->specs.v + 1, list->specs.v, (list->specs.nr - 1) * sizeof(*list->specs.v));
	s.name = "dummy:HG"; /* as perf has it */
	s.class = EV_SW;
	s.sideband = true;
	s.attr.type = PERF_TYPE_SOFTWARE;
	s.attr.config = PERF_COUNT_SW_DUMMY;
	s.attr.sample_type = SIDEBAND_TYPE;
	s.attr.sample_period = 1;
	set_common(&s.attr, o);
	s.attr.mmap = s.attr.mmap2 = s.attr.comm = s.attr.comm_exec = s.attr.task = 1;
	s.attr.ksymbol = s.attr.bpf_event = 1;
	s.attr.context_switch = o->switch_events && !find_switches(list);
	s.attr.cgroup = o->cgroups;
	s.attr.namespaces = o->namespaces;
	s.attr.text_poke = o->text_poke;
	s.attr.mmap_data = o->addresses;
	list->specs.v[0] = s;
	return 0;
}

/*
 * The event whose records are the user halves of deferred chains. The kernel gives them only to
 * events that it takes for side-band of tasks or mappings: comm_exec makes it one, and brings
 * no records. They begin before the first sample and end after the last.
 */
static int add_deferred(struct ev_list *list, const struct ev_record_options *o, struct err *err)
{
	const u64 shared = list->specs.v[1].attr.sample_type & SIDEBAND_TYPE;
	struct ev_spec *s = ev_spec_add(list);

	if (!s)
		return err_nomem(err);
	s->name = "dummy:deferred";
	s->class = EV_SW;
	s->sideband = true;
	s->attr.type = PERF_TYPE_SOFTWARE;
	s->attr.config = PERF_COUNT_SW_DUMMY;
	/* what other records of the ring end in, too, lies where theirs does */
	s->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			      (shared & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU));
	s->attr.sample_period = 1;
	set_common(&s->attr, o);
	s->attr.enable_on_exec = 0;
	s->attr.write_backward = o->overwrite;
	s->attr.comm_exec = 1;
	s->attr.read_format = PERF_FORMAT_LOST;
	deferred_tell(&s->attr);
	return 0;
}

static bool any_deferred(const struct ev_list *list)
{
	u32 i;

	for (i = 1; i < list->specs.nr; i++)
		if (deferred_is_asked(&list->specs.v[i].attr))
			return true;
	return false;
}

static bool any_branches(const struct ev_list *list)
{
	u32 i;

	for (i = 1; i < list->specs.nr; i++)
		if (list->specs.v[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

/* Tracepoints of which not every hit is wanted, only because other events are to be sampled so often. */
static bool any_thinned(const struct ev_list *list, const struct ev_record_options *o)
{
	u32 i;

	for (i = 1; i < list->specs.nr; i++)
		if (is_tracepoint(&list->specs.v[i]) && list->specs.v[i].attr.freq && o->frequency)
			return true;
	return false;
}

/* What -c or -F was asked for and does not change. */
static void note_rates(const struct ev_list *list, const struct ev_record_options *o,
		       struct buf *notes)
{
	const struct ev_spec *s, *all = NULL;
	bool hits = true;

	for (s = list->specs.v + 1; s < list->specs.v + list->specs.nr; s++) {
		hits &= is_tracepoint(s) || ev_probe_is(s);
		if (s->tp.expr && !all)
			all = s;
	}
	if (o->period > 1 && hits && list->specs.nr > 1)
		buf_adds(
			notes,
			"-c does not apply to tracepoints and probes: each hit is recorded; -F N takes N samples a second\n");
	else if (o->frequency && all)
		buf_addf(notes,
			 "%s: -F does not apply to events with expressions: each hit is recorded\n",
			 all->name);
}

static bool any_chains(const struct ev_list *list, const struct ev_record_options *o)
{
	u32 i;

	for (i = 1; i < list->specs.nr; i++)
		if (ev_chain_callgraph(&list->specs.v[i], o) != EV_CALLGRAPH_NO)
			return true;
	return false;
}

static int check_parts(const struct ev_list *list, const struct ev_record_options *o,
		       struct buf *notes, struct err *err)
{
	if (o->all_user && o->all_kernel) {
		err_set(err, EINVAL, "user code only and the kernel only leaves nothing");
		err_hint(err, "leave out --all-user or --all-kernel");
		return -EINVAL;
	}
	if (!o->no_kernel_chain && !o->no_user_chain)
		return 0;
	if (!any_chains(list, o)) {
		buf_addf(notes,
			 "--%s-callchains does nothing: no call chains are recorded; add -g\n",
			 o->no_kernel_chain ? "user" : "kernel");
	} else if (o->no_kernel_chain && o->no_user_chain) {
		err_set(err, EINVAL,
			"call chains of user code only and of the kernel only leave nothing");
		err_hint(err, "leave out --user-callchains or --kernel-callchains");
		return -EINVAL;
	}
	return 0;
}

int ev_record_configure(struct ev_list *list, const struct ev_record_options *o, struct buf *notes,
			struct err *err)
{
	struct ev_spec *switches;
	u32 i;
	int ret;

	ret = add_sideband(list, o, err);
	if (!ret)
		ret = check_parts(list, o, notes, err);
	for (i = 1; i < list->specs.nr && !ret; i++)
		ret = configure(list, i, o, notes, err);
	if (ret)
		return ret;
	switches = find_switches(list);
	if (switches)
		switches->attr.context_switch = o->switch_events;
	if (o->branches && !any_branches(list)) {
		err_set(err, EINVAL,
			"branches are recorded with events of a processor, and there is none");
		err_hint(err, "-e cycles -b");
		return -EINVAL;
	}
	if (any_thinned(list, o))
		buf_addf(
			notes,
			"tracepoints are sampled %llu times a second, too (-F): not every hit is recorded\n",
			(unsigned long long)o->frequency);
	note_rates(list, o, notes);
	ev_probe_note_misses(list, notes);
	share_period(list);
	set_identifier(list);
	return any_deferred(list) ? add_deferred(list, o, err) : 0;
}

static struct tp_format *parse_format(const struct ev_spec *s)
{
	struct err ignored = {0};

	/* the kernel's own text; one that cannot be read is only stored */
	return s->tp.format ? tp_format_parse(s->tp.format, strlen(s->tp.format), &ignored) : NULL;
}

void ev_record_derive(const struct ev_spec *s, struct sample_layout_derive *d)
{
	struct tp_format *f = parse_format(s);

	*d = (struct sample_layout_derive){.tid_at = -1, .period_at = -1};
	if (f) {
		raw_layout_derive(f, d);
		tp_format_free(f);
	}
}

int ev_record_fields(const struct ev_spec *s, struct raw_fields *out)
{
	struct tp_format *f = parse_format(s);
	int ret = f ? raw_layout_fields(f, out) : 0;

	if (f)
		tp_format_free(f);
	return ret;
}
