// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/event/ev_denied.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_record.h"
#include "util/event/ev_term.h"
#include "util/record/deferred.h"

#define IDENTIFIER PERF_SAMPLE_IDENTIFIER
#define IP         PERF_SAMPLE_IP
#define TID        PERF_SAMPLE_TID
#define TIME       PERF_SAMPLE_TIME
#define RAW        PERF_SAMPLE_RAW
#define PERIOD     PERF_SAMPLE_PERIOD
#define CHAIN      PERF_SAMPLE_CALLCHAIN
#define ADDR       PERF_SAMPLE_ADDR
#define READ       PERF_SAMPLE_READ
#define REGS       PERF_SAMPLE_REGS_USER
#define STACK      PERF_SAMPLE_STACK_USER

struct fixture {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	struct buf notes;
	struct err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	if (!f || sysroot_open(&f->root, "tests/sysroot/server", NULL))
		return -1;
	f->env.root = &f->root;
	return 0;
}

static void clear(struct fixture *f)
{
	ev_list_free(&f->list);
	f->list = (struct ev_list){0};
	f->err = (struct err){0};
	buf_free(&f->notes);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	clear(f);
	ev_env_close(&f->env);
	sysroot_close(&f->root);
	free(f);
	return 0;
}

/* What a root user records without options. */
static const struct ev_record_options plain = {.root_pid_namespace = true};

static void parse(struct fixture *f, const char *events)
{
	clear(f);
	if (ev_parse(&f->list, events, &f->env, &f->err))
		fail_msg("'%s': %s", events, f->err.msg);
}

static void configure(struct fixture *f, const struct ev_record_options *o)
{
	if (ev_record_configure(&f->list, o, &f->notes, &f->err))
		fail_msg("%s", f->err.msg);
}

/* The attr of an event; number 0 is the side-band's. */
static const struct perf_event_attr *attr(const struct fixture *f, u32 i)
{
	assert_true(i < f->list.specs.nr);
	return &f->list.specs.v[i].attr;
}

/* Every event but the side-band's carries exactly this. */
static void expect(struct fixture *f, const char *events, const struct ev_record_options *o,
		   u64 type)
{
	u32 i;

	parse(f, events);
	configure(f, o);
	for (i = 1; i < f->list.specs.nr; i++)
		if (attr(f, i)->sample_type != type)
			fail_msg("%s, %s: sample_type %llx, not %llx", events,
				 f->list.specs.v[i].name,
				 (unsigned long long)attr(f, i)->sample_type,
				 (unsigned long long)type);
}

static void expect_each(struct fixture *f, const char *events, const struct ev_record_options *o,
			u64 first, u64 second)
{
	parse(f, events);
	configure(f, o);
	assert_int_equal(f->list.specs.nr, 3);
	assert_int_equal(attr(f, 1)->sample_type, first);
	assert_int_equal(attr(f, 2)->sample_type, second);
}

static void tracepoints(void **state)
{
	const struct ev_record_options chains = {.root_pid_namespace = true, .call_chain = true};
	const struct ev_record_options data = {.root_pid_namespace = true, .addresses = true};
	const struct ev_record_options complete = {.root_pid_namespace = true, .complete = true};
	const struct ev_record_options inside = {0};
	const struct ev_record_options ips = {.root_pid_namespace = true, .sample_ip = true};
	const struct ev_record_options often = {.root_pid_namespace = true, .frequency = 99};
	struct fixture *f = *state;

	expect(f, "sched:sched_switch", &plain, TIME | RAW);
	expect(f, "sched:sched_switch,skb:kfree_skb", &plain, TIME | RAW);
	expect(f, "sched:sched_switch", &chains, TIME | RAW | CHAIN);
	expect(f, "sched:sched_switch,skb:kfree_skb", &chains, TIME | RAW | CHAIN);
	expect(f, "sched:sched_switch", &ips, TIME | RAW | IP);
	expect(f, "sched:sched_switch", &complete,
	       IDENTIFIER | IP | TID | TIME | PERF_SAMPLE_CPU | PERIOD | RAW);
	expect(f, "sched:sched_switch", &data, TIME | RAW | ADDR);
	expect(f, "sched:sched_switch,skb:kfree_skb", &inside, TIME | RAW | TID);
	expect(f, "sched:sched_switch", &often, TIME | RAW | PERIOD);
	assert_int_equal(attr(f, 1)->freq, 1);
	/* a tracepoint whose format is not known */
	parse(f, "sched:sched_switch");
	f->list.specs.v[0].tp.format = NULL;
	configure(f, &plain);
	assert_int_equal(attr(f, 1)->sample_type, TIME | RAW | TID);
}

/* A chain of one side alone may be empty: then nothing says where it was. */
static void half_chains(void **state)
{
	struct ev_record_options o = {
		.root_pid_namespace = true, .call_chain = true, .no_kernel_chain = true};
	struct fixture *f = *state;

	expect(f, "sched:sched_switch", &o, TIME | RAW | CHAIN | IP);
	o.no_kernel_chain = false;
	o.no_user_chain = true;
	expect(f, "sched:sched_switch", &o, TIME | RAW | CHAIN | IP);
}

static void other_events(void **state)
{
	const struct ev_record_options chains = {.call_chain = true};
	const struct ev_record_options fixed = {.period = 1000};
	struct fixture *f = *state;

	expect(f, "cpu-clock", &plain, IP | TID | TIME | PERIOD);
	expect(f, "cpu-clock", &fixed, IP | TID | TIME);
	assert_int_equal(attr(f, 1)->sample_period, 1000);
	expect(f, "cpu-clock", &chains, IP | TID | TIME | PERIOD | CHAIN);
	expect(f, "mem:0x1000", &plain, IP | TID | TIME | ADDR);
	/* a second event, and their ids tell them apart */
	expect(f, "cpu-clock,page-faults", &plain, IDENTIFIER | IP | TID | TIME | PERIOD);
	expect(f, "cpu-clock,page-faults", &fixed, IDENTIFIER | IP | TID | TIME);
}

/* What only a processor tells is asked of it alone; the rest of all events. */
static void hardware(void **state)
{
	const u64 base = IP | TID | TIME, memory = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_STRUCT;
	struct ev_record_options o = {
		.root_pid_namespace = true, .period = 1000, .addresses = true, .weight = true};
	struct fixture *f = *state;

	expect(f, "cycles", &o, base | ADDR | memory);
	expect(f, "r1a8", &o, base | ADDR | memory);
	expect(f, "cpu/event=1/", &o, base | ADDR | memory);
	expect(f, "cpu-clock", &o, base | ADDR);
	o = (struct ev_record_options){
		.root_pid_namespace = true, .period = 1000, .branches = PERF_SAMPLE_BRANCH_ANY};
	expect_each(f, "cycles,cpu-clock", &o, IDENTIFIER | base | PERF_SAMPLE_BRANCH_STACK,
		    IDENTIFIER | base);
	assert_int_equal(attr(f, 1)->branch_sample_type, PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(attr(f, 2)->branch_sample_type, 0);
	/* a term of the event stands above the option */
	expect(f, "cycles/branch_type='any_call,u'/", &o, base | PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(attr(f, 1)->branch_sample_type,
			 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	parse(f, "cpu-clock,cs");
	assert_int_equal(ev_record_configure(&f->list, &o, &f->notes, &f->err), -EINVAL);
	assert_non_null(strstr(f->err.hint, "cycles"));
}

static void branch_words(void **state)
{
	const char *unknown;
	u64 bits;

	(void)state;
	assert_int_equal(ev_branch_parse("u", &bits, &unknown), 0);
	assert_int_equal(bits, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(ev_branch_parse("any_ret,save_type,k", &bits, &unknown), 0);
	assert_int_equal(bits, PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_TYPE_SAVE |
				       PERF_SAMPLE_BRANCH_KERNEL);
	assert_int_equal(ev_branch_parse("any,", &bits, &unknown), -EINVAL);
	assert_int_equal(ev_branch_parse("any,anything,u", &bits, &unknown), -EINVAL);
	assert_string_equal(unknown, "anything,u");
}

/* Where layouts differ, or one tracepoint is there twice. */
static void identifiers(void **state)
{
	const struct ev_record_options inside = {0};
	const struct ev_record_options chains = {.root_pid_namespace = true, .call_chain = true};
	const struct ev_record_options fixed = {.root_pid_namespace = true, .period = 1000};
	struct fixture *f = *state;

	expect_each(f, "sched:sched_switch,cpu-clock", &plain, IDENTIFIER | TIME | RAW,
		    IDENTIFIER | IP | TID | TIME | PERIOD);
	expect_each(f, "sched:sched_switch,cpu-clock", &inside, IDENTIFIER | TIME | RAW | TID,
		    IDENTIFIER | IP | TID | TIME | PERIOD);
	/* a period is for what is counted; a tracepoint's hits are all recorded, as by perf */
	expect_each(f, "sched:sched_switch,cpu-clock", &fixed, IDENTIFIER | TIME | RAW,
		    IDENTIFIER | IP | TID | TIME);
	assert_int_equal(attr(f, 1)->sample_period, 1);
	assert_int_equal(attr(f, 2)->sample_period, 1000);
	expect_each(f, "sched:sched_switch,sched:sched_switch", &plain, IDENTIFIER | TIME | RAW,
		    IDENTIFIER | TIME | RAW);
	expect_each(f, "sched:sched_switch,sched:sched_waking/call-graph=no/", &chains,
		    IDENTIFIER | TIME | RAW | CHAIN, IDENTIFIER | TIME | RAW);
	expect_each(f, "sched:sched_switch/call-graph=fp/,sched:sched_waking", &plain,
		    IDENTIFIER | TIME | RAW | CHAIN, IDENTIFIER | TIME | RAW);
	/* a term that changes no layout */
	expect_each(f, "sched:sched_switch,sched:sched_waking/max-stack=7/", &chains,
		    TIME | RAW | CHAIN, TIME | RAW | CHAIN);
}

/* Without PERIOD in its samples the kernel would make thousands of one hit of such a tracepoint. */
static void counted_by_a_field(void **state)
{
	static const char format[] =
		"name: sched_stat_runtime\nID: 319\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:u64 runtime;\toffset:16;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"\"\n";
	struct fixture *f = *state;
	struct sample_layout_derive d;

	parse(f, "sched:sched_switch,sched:sched_waking");
	f->list.specs.v[1].tp.format = format;
	configure(f, &plain);
	/* all of one layout then */
	assert_int_equal(attr(f, 1)->sample_type, TIME | RAW | PERIOD);
	assert_int_equal(attr(f, 2)->sample_type, TIME | RAW | PERIOD);
	ev_record_derive(&f->list.specs.v[2], &d);
	assert_int_equal(d.tid_at, 4);
	assert_int_equal(d.period_at, 16);

	parse(f, "cpu-clock,sched:sched_waking,sched:sched_switch");
	f->list.specs.v[1].tp.format = format;
	configure(f, &plain);
	assert_int_equal(attr(f, 2)->sample_type, IDENTIFIER | TIME | RAW | PERIOD);
	assert_int_equal(attr(f, 3)->sample_type, IDENTIFIER | TIME | RAW);
}

static void groups(void **state)
{
	struct fixture *f = *state;
	u32 i;

	/* only the leader makes samples */
	expect_each(f, "{cpu-clock,page-faults}:S", &plain,
		    IDENTIFIER | IP | TID | TIME | READ | PERIOD,
		    IDENTIFIER | IP | TID | TIME | READ);
	assert_int_equal(attr(f, 2)->sample_period, 0);
	for (i = 1; i < 3; i++)
		assert_int_equal(attr(f, i)->read_format, PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	expect_each(f, "{sched:sched_switch,sched:sched_waking}:S", &plain,
		    IDENTIFIER | TIME | RAW | READ, IDENTIFIER | TIME | RAW | READ);
	/* a group that is not read by its leader is as many events */
	expect(f, "{sched:sched_switch,sched:sched_waking}", &plain, TIME | RAW);
	assert_int_equal(attr(f, 2)->read_format, PERF_FORMAT_LOST);
}

static void side_band(void **state)
{
	struct ev_record_options o = {.root_pid_namespace = true, .overwrite = true};
	struct fixture *f = *state;
	const struct perf_event_attr *a;

	parse(f, "sched:sched_switch");
	configure(f, &plain);
	a = attr(f, 0);
	assert_true(f->list.specs.v[0].sideband);
	assert_int_equal(a->sample_type, IDENTIFIER | IP | TID | TIME | PERF_SAMPLE_CPU | PERIOD);
	assert_true(a->mmap && a->mmap2 && a->comm && a->comm_exec && a->task && a->ksymbol);
	assert_int_equal(a->read_format, 0);
	assert_int_equal(a->write_backward, 0);
	a = attr(f, 1);
	assert_false(f->list.specs.v[1].sideband);
	assert_false(a->mmap || a->mmap2 || a->comm || a->comm_exec || a->task || a->ksymbol);
	assert_int_equal(a->read_format, PERF_FORMAT_LOST);
	assert_int_equal(a->write_backward, 0);
	/* what ran must be known however old it is: only samples are overwritten */
	parse(f, "sched:sched_switch");
	configure(f, &o);
	assert_int_equal(attr(f, 0)->write_backward, 0);
	assert_int_equal(attr(f, 1)->write_backward, 1);
	/* nothing to sample */
	clear(f);
	configure(f, &plain);
	assert_int_equal(f->list.specs.nr, 1);
}

/* Records of switches are side-band, unless switches are sampled. */
static void switches(void **state)
{
	const struct ev_record_options o = {.root_pid_namespace = true, .switch_events = true};
	struct fixture *f = *state;

	parse(f, "sched:sched_switch");
	configure(f, &o);
	assert_true(attr(f, 0)->context_switch);
	assert_false(attr(f, 1)->context_switch);
	parse(f, "cpu-clock,context-switches,cs");
	configure(f, &o);
	assert_false(attr(f, 0)->context_switch || attr(f, 1)->context_switch);
	assert_true(attr(f, 2)->context_switch);
	assert_false(attr(f, 3)->context_switch);
	parse(f, "context-switches");
	configure(f, &plain);
	assert_false(attr(f, 1)->context_switch);
}

static void selves(void **state)
{
	static const u32 tasks[] = {7, 4000000000u, 9};
	struct ev_record_options o = {.root_pid_namespace = true, .selves = tasks, .nr_selves = 1};
	struct fixture *f = *state;

	parse(f, "sched:sched_switch,cpu-clock");
	f->list.specs.v[0].tp.filter = "value > 1";
	configure(f, &o);
	assert_string_equal(f->list.specs.v[1].tp.filter, "value > 1 && common_pid != 7");
	assert_null(f->list.specs.v[2].tp.filter);
	assert_null(f->list.specs.v[0].tp.filter);
	/* && binds more than || */
	parse(f, "sched:sched_switch");
	f->list.specs.v[0].tp.filter = "value > 1 || (value < 0 || value == 7)";
	configure(f, &o);
	assert_string_equal(f->list.specs.v[1].tp.filter,
			    "(value > 1 || (value < 0 || value == 7)) && common_pid != 7");
	o.nr_selves = 3;
	parse(f, "sched:sched_switch");
	configure(f, &o);
	assert_string_equal(f->list.specs.v[1].tp.filter,
			    "common_pid != 7 && common_pid != 4000000000 && common_pid != 9");
	o.nr_selves = 0;
	parse(f, "sched:sched_switch");
	configure(f, &o);
	assert_null(f->list.specs.v[1].tp.filter);
}

static void fields(void **state)
{
	struct fixture *f = *state;
	struct raw_fields out = {0};
	struct sample_layout_derive d = {.tid_at = 1, .period_at = 1};

	parse(f, "sched:sched_switch,cpu-clock");
	assert_int_equal(ev_record_fields(&f->list.specs.v[1], &out), 0);
	assert_int_equal(out.nr, 0);
	ev_record_derive(&f->list.specs.v[1], &d);
	assert_int_equal(d.tid_at, -1);
	assert_int_equal(d.period_at, -1);
	assert_int_equal(ev_record_fields(&f->list.specs.v[0], &out), 0);
	assert_int_equal(out.nr, 5);
	assert_int_equal(out.v[4].at, 8);
	ev_record_derive(&f->list.specs.v[0], &d);
	assert_int_equal(d.tid_at, 4);
	assert_int_equal(d.period_at, -1);
	vec_free(&out);
}

/* Whatever fails, a layout that is decided on tells its events. */
static void out_of_memory(void **state)
{
	struct fixture *f = *state;
	unsigned int n;
	bool refused;
	int ret;

	for (n = 0;; n++) {
		parse(f, "sched:sched_switch,sched:sched_waking,sched:sched_switch");
		oom_after(n);
		ret = ev_record_configure(&f->list, &plain, &f->notes, &f->err);
		refused = oom_stop();
		if (!ret)
			assert_true(attr(f, 1)->sample_type & IDENTIFIER);
		else
			assert_int_equal(ret, -ENOMEM);
		if (!refused)
			break;
	}
	assert_true(n > 3);
}

/* Call chains that are to be unwound: registers and a stack, and the kernel's half. */
static void stacks(void **state)
{
	const struct ev_record_options dwarf = {.root_pid_namespace = true,
						.call_chain = true,
						.call_graph = EV_CALLGRAPH_DWARF,
						.user_regs = 0xff0fff};
	struct ev_record_options o = dwarf;
	struct fixture *f = *state;

	expect(f, "cpu-clock", &dwarf, IP | TID | TIME | PERIOD | CHAIN | REGS | STACK);
	assert_int_equal(attr(f, 1)->sample_stack_user, 65528);
	assert_int_equal(attr(f, 1)->sample_regs_user, 0xff0fff);
	assert_int_equal(attr(f, 1)->exclude_callchain_user, 1);
	assert_int_equal(attr(f, 1)->exclude_callchain_kernel, 0);
	/* a chain that is unwound begins with the sample's address, too */
	expect(f, "sched:sched_switch", &dwarf, TIME | RAW | CHAIN | REGS | STACK);
	o.call_graph = EV_CALLGRAPH_AUTO;
	expect(f, "cpu-clock", &o, IP | TID | TIME | PERIOD | CHAIN | REGS | STACK);
	assert_int_equal(attr(f, 1)->sample_stack_user, 16384);
	assert_int_equal(attr(f, 1)->exclude_callchain_user, 0);
	o.stack_size = 4096;
	expect(f, "cpu-clock", &o, IP | TID | TIME | PERIOD | CHAIN | REGS | STACK);
	assert_int_equal(attr(f, 1)->sample_stack_user, 4096);
	/* for the kernel's half alone there is nothing to unwind */
	o.no_user_chain = true;
	expect(f, "cpu-clock", &o, IP | TID | TIME | PERIOD | CHAIN);
	assert_int_equal(attr(f, 1)->exclude_callchain_user, 1);
	o.no_user_chain = false;
	o.no_kernel_chain = true;
	expect(f, "sched:sched_switch", &o, TIME | RAW | IP | CHAIN | REGS | STACK);
	assert_int_equal(attr(f, 1)->exclude_callchain_kernel, 1);
	/* of one event, by its terms */
	o = plain;
	o.user_regs = 7;
	expect_each(f, "cs/call-graph=dwarf,stack-size=1001/,cs", &o,
		    IDENTIFIER | IP | TID | TIME | PERIOD | CHAIN | REGS | STACK,
		    IDENTIFIER | IP | TID | TIME | PERIOD);
	assert_int_equal(attr(f, 1)->sample_stack_user, 1008);
	expect_each(f, "cs/call-graph=fp/,cs/call-graph=auto/", &dwarf,
		    IDENTIFIER | IP | TID | TIME | PERIOD | CHAIN,
		    IDENTIFIER | IP | TID | TIME | PERIOD | CHAIN | REGS | STACK);
	parse(f, "cs/call-graph=lbr/");
	assert_int_equal(ev_record_configure(&f->list, &plain, &f->notes, &f->err), -EINVAL);
	assert_non_null(strstr(f->err.hint, "call-graph=dwarf"));
}

/* Where the caller of a function without a frame is in a register, that is asked for beside frame pointers alone. */
static void link_register(void **state)
{
	const u64 link = 1ull << 30;
	struct ev_record_options o = {
		.root_pid_namespace = true, .call_chain = true, .link_reg = link};
	struct fixture *f = *state;

	expect(f, "cpu-clock", &o, IP | TID | TIME | PERIOD | CHAIN | REGS);
	assert_int_equal(attr(f, 1)->sample_regs_user, link);
	expect(f, "skb:kfree_skb", &o, TIME | RAW | CHAIN | REGS);
	expect_each(f, "cs/call-graph=fp/,cs/call-graph=no/", &o,
		    IDENTIFIER | IP | TID | TIME | PERIOD | CHAIN | REGS,
		    IDENTIFIER | IP | TID | TIME | PERIOD);
	o.defer = true;
	parse(f, "cpu-clock");
	configure(f, &o);
	assert_int_equal(attr(f, 1)->sample_type & (CHAIN | REGS), CHAIN);
	o.defer = false;
	o.no_user_chain = true;
	expect(f, "cpu-clock", &o, IP | TID | TIME | PERIOD | CHAIN);
	o.no_user_chain = false;
	o.user_regs = 7;
	o.call_graph = EV_CALLGRAPH_DWARF;
	expect(f, "cpu-clock", &o, IP | TID | TIME | PERIOD | CHAIN | REGS | STACK);
	assert_int_equal(attr(f, 1)->sample_regs_user, 7);
	/* those that are asked for by name are all */
	o.call_graph = EV_CALLGRAPH_FP;
	o.more = REGS;
	o.more_user_regs = 3;
	expect(f, "cpu-clock", &o, IP | TID | TIME | PERIOD | CHAIN | REGS);
	assert_int_equal(attr(f, 1)->sample_regs_user, 3);
}

static void asked_for_by_name(void **state)
{
	struct fixture *f = *state;
	struct ev_record_options o = {
		.root_pid_namespace = true,
		.more = REGS | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_PHYS_ADDR,
		.more_user_regs = 0x80,
		.intr_regs = 0x101,
		.cgroups = true,
		.namespaces = true,
	};

	expect_each(f, "cs,skb:kfree_skb", &o, IDENTIFIER | IP | TID | TIME | PERIOD | o.more,
		    IDENTIFIER | TIME | RAW | o.more);
	assert_int_equal(attr(f, 1)->sample_regs_user, 0x80);
	assert_int_equal(attr(f, 2)->sample_regs_intr, 0x101);
	assert_int_equal(attr(f, 0)->cgroup, 1);
	assert_int_equal(attr(f, 0)->namespaces, 1);
	assert_int_equal(attr(f, 1)->cgroup, 0);
	/* beside those that unwinding needs */
	o.call_chain = true;
	o.call_graph = EV_CALLGRAPH_DWARF;
	o.user_regs = 7;
	parse(f, "cs");
	configure(f, &o);
	assert_int_equal(attr(f, 1)->sample_regs_user, 0x87);
}

/* What leads to a system call in the kernel is left out where that is asked for, of no other event. */
static void chains_of_syscalls(void **state)
{
	const struct ev_record_options o = {.call_chain = true, .syscalls_user_chain = true};
	struct fixture *f = *state;

	parse(f, "syscalls:sys_enter_read,skb:kfree_skb,cpu-clock");
	configure(f, &o);
	assert_true(attr(f, 1)->exclude_callchain_kernel);
	assert_false(attr(f, 1)->exclude_callchain_user);
	assert_false(attr(f, 2)->exclude_callchain_kernel);
	assert_false(attr(f, 3)->exclude_callchain_kernel);
	clear(f);
}

/* Their user halves come by one more event, in the rings of the samples and with their trailer. */
static void deferred_chains(void **state)
{
	const struct ev_record_options o = {
		.call_chain = true, .defer = true, .inherit = true, .enable_on_exec = true};
	struct ev_record_options off = o;
	struct fixture *f = *state;
	const struct ev_spec *last;

	parse(f, "cpu-clock,sched:sched_switch,cs/call-graph=no/");
	assert_int_equal(ev_record_configure(&f->list, &o, &f->notes, &f->err), 0);
	assert_int_equal(f->list.specs.nr, 5);
	assert_true(deferred_is_asked(attr(f, 1)) && deferred_is_asked(attr(f, 2)));
	assert_false(deferred_is_asked(attr(f, 3)) || deferred_is_told(attr(f, 1)));
	last = &f->list.specs.v[4];
	assert_true(last->sideband && deferred_is_told(&last->attr) && last->attr.inherit);
	assert_false(deferred_is_asked(&last->attr) || last->attr.enable_on_exec);
	/* without this the kernel gives it none */
	assert_true(last->attr.comm_exec && !last->attr.comm && !last->attr.task);
	assert_int_equal(last->attr.sample_type, IDENTIFIER | TID | TIME);
	clear(f);
	/* one event needs no id, and needs none beside this */
	parse(f, "sched:sched_switch");
	assert_int_equal(ev_record_configure(&f->list, &o, &f->notes, &f->err), 0);
	assert_int_equal(f->list.specs.nr, 3);
	assert_false(attr(f, 1)->sample_type & IDENTIFIER);
	assert_int_equal(attr(f, 2)->sample_type, TID | TIME);
	/* who ends does not come back: beside others it is walked at once, and alone nothing is deferred */
	parse(f, "sched:sched_switch,sched:sched_waking");
	f->list.specs.v[0].tp.name = "sched_process_exit";
	configure(f, &o);
	assert_false(deferred_is_asked(attr(f, 1)));
	assert_true(deferred_is_asked(attr(f, 2)));
	assert_int_equal(attr(f, 1)->sample_type, attr(f, 2)->sample_type);
	assert_int_equal(f->list.specs.nr, 4);
	parse(f, "sched:sched_switch");
	f->list.specs.v[0].tp.name = "sched_process_exec";
	configure(f, &o);
	assert_int_equal(f->list.specs.nr, 2);
	clear(f);
	off.no_user_chain = true;
	parse(f, "sched:sched_switch");
	assert_int_equal(ev_record_configure(&f->list, &off, &f->notes, &f->err), 0);
	assert_int_equal(f->list.specs.nr, 2);
	clear(f);
}

/* The length of a record has 16 bits, whatever stands behind the copy of the stack. */
static void room_for_all(void **state)
{
	struct ev_record_options o = {.call_chain = true,
				      .call_graph = EV_CALLGRAPH_DWARF,
				      .stack_size = EV_CHAIN_STACK_MAX,
				      .user_regs = 0xffffff};
	struct fixture *f = *state;

	parse(f, "cpu-clock");
	configure(f, &o);
	/* the kernel leaves room for what stands before */
	assert_int_equal(attr(f, 1)->sample_stack_user, EV_CHAIN_STACK_MAX);
	o.more = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR;
	o.intr_regs = 0xffffff;
	parse(f, "cpu-clock,sched:sched_switch");
	configure(f, &o);
	/* header, ids, chain, registers twice, sizes of the stack, the address */
	assert_in_range(attr(f, 1)->sample_stack_user, 60000,
			65535 - 8 - 72 - 8 * 136 - 200 - 16 - 200 - 8);
	assert_int_equal(attr(f, 1)->sample_stack_user % 8, 0);
	/* and a tracepoint's own data */
	assert_in_range(attr(f, 2)->sample_stack_user, 50000, attr(f, 1)->sample_stack_user - 8192);
	o.stack_size = 1024;
	parse(f, "cpu-clock");
	configure(f, &o);
	assert_int_equal(attr(f, 1)->sample_stack_user, 1024);
}

/* What is advised where there is no such counter can do what was asked. */
static void no_counter(void **state)
{
	struct ev_record_options o = {.branches = PERF_SAMPLE_BRANCH_ANY};
	struct fixture *f = *state;
	struct limits none = {0};

	parse(f, "cycles");
	configure(f, &(struct ev_record_options){0});
	ev_denied(&f->list.specs.v[1], ENOENT, ID_NONE, 0, &none, &f->err);
	assert_non_null(strstr(f->err.hint, "try cpu-clock;"));
	parse(f, "cycles");
	configure(f, &o);
	ev_denied(&f->list.specs.v[1], ENOENT, ID_NONE, 0, &none, &f->err);
	assert_null(strstr(f->err.hint, "try cpu-clock;"));
	assert_non_null(strstr(f->err.hint, "only processors record branches"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tracepoints),
		cmocka_unit_test(half_chains),
		cmocka_unit_test(stacks),
		cmocka_unit_test(link_register),
		cmocka_unit_test(other_events),
		cmocka_unit_test(identifiers),
		cmocka_unit_test(counted_by_a_field),
		cmocka_unit_test(groups),
		cmocka_unit_test(side_band),
		cmocka_unit_test(switches),
		cmocka_unit_test(selves),
		cmocka_unit_test(fields),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(asked_for_by_name),
		cmocka_unit_test(hardware),
		cmocka_unit_test(branch_words),
		cmocka_unit_test(chains_of_syscalls),
		cmocka_unit_test(deferred_chains),
		cmocka_unit_test(room_for_all),
		cmocka_unit_test(no_counter),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ev_record", tests, setup, teardown);
}
