// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/oom.h"
#include "util/event/ev_filter.h"
#include "util/event/ev_names.h"
#include "util/event/ev_parse.h"

struct fixture {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
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

static int teardown(void **state)
{
	struct fixture *f = *state;

	ev_list_free(&f->list);
	ev_env_close(&f->env);
	sysroot_close(&f->root);
	free(f);
	return 0;
}

/* Parse into an empty list. */
static int parse(struct fixture *f, const char *text)
{
	ev_list_free(&f->list);
	f->list = (struct ev_list){0};
	f->err = (struct err){0};
	return ev_parse(&f->list, text, &f->env, &f->err);
}

static struct ev_spec *one(struct fixture *f, const char *text)
{
	if (parse(f, text) || f->list.specs.nr != 1)
		fail_msg("'%s': %u events, %s", text, f->list.specs.nr, f->err.msg);
	return f->list.specs.v;
}

/* The names of all events, each with a blank behind it. */
static void check_names(struct fixture *f, const char *text, const char *want)
{
	struct buf b = {0};
	u32 i;

	if (parse(f, text))
		fail_msg("'%s': %s", text, f->err.msg);
	for (i = 0; i < f->list.specs.nr; i++)
		buf_addf(&b, "%s ", f->list.specs.v[i].name);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

static void test_plain(void **state)
{
	static const struct {
		const char *text, *name;
		enum ev_class class;
		u32 type;
		u64 config;
	} cases[] = {
		{"cs", "cs", EV_SW, 1, 3},
		{"context-switches", "context-switches", EV_SW, 1, 3},
		{"cycles", "cycles", EV_HW, 0, 0},
		{"branches", "branches", EV_HW, 0, 4},
		{"branch-misses", "branch-misses", EV_HW, 0, 5},
		{" cs\t", " cs\t", EV_SW, 1, 3},
		{"cs:", "cs:", EV_SW, 1, 3},
		{"cs//", "cs//", EV_SW, 1, 3},
		{"duration_time", "duration_time", EV_TOOL, 1, 9},
		{"LLC", "LLC", EV_CACHE, 3, 2},
		{"LLC-loads:u", "LLC-loads", EV_CACHE, 3, 2},
		{"L1-dcache-load-misses", "L1-dcache-load-misses", EV_CACHE, 3, 0x10000},
		{"dTLB-store-misses", "dTLB-store-misses", EV_CACHE, 3, 0x10103},
		{"LLC-misses-loads", "LLC-misses-loads", EV_CACHE, 3, 0x10002},
		{"LLC-speculative-read", "LLC-speculative-read", EV_CACHE, 3, 0x202},
		{"branch-loads", "branch-loads", EV_CACHE, 3, 5},
		{"LLC/config=7/", "LLC", EV_CACHE, 3, 7},
		{"r1a8", "r1a8", EV_RAW, 4, 0x1a8},
		{"r1a8:u", "r1a8:u", EV_RAW, 4, 0x1a8},
		{"rffffffffffffffff", "rffffffffffffffff", EV_RAW, 4, UINT64_MAX},
		{"1:0x2", "1:0x2", EV_RAW, 1, 2},
		{"0x4:10:k", "0x4:10:k", EV_RAW, 4, 10},
		{"cs/config=5/", "cs/config=5/", EV_SW, 1, 5},
		{"cs/r7/", "cs/r7/", EV_SW, 1, 7},
		{"cs/name=x.y/", "x.y", EV_SW, 1, 3},
		{"cs/name='my:name=x,y'/u", "my:name=x,y", EV_SW, 1, 3},
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ev_spec *s = one(f, cases[i].text);

		assert_string_equal(s->name, cases[i].name);
		assert_int_equal(s->class, cases[i].class);
		assert_int_equal(s->attr.type, cases[i].type);
		assert_int_equal(s->attr.config, cases[i].config);
		assert_int_equal(s->attr.size, sizeof(s->attr));
		assert_true(s->leader && s->group == ID_NONE);
	}
}

static void test_breakpoints(void **state)
{
	static const struct {
		const char *text, *name;
		u64 addr, len;
		u32 type;
	} cases[] = {
		{"mem:0x1000", "mem:0x1000", 0x1000, 4, 3},
		{"mem:1234:x", "mem:1234:x", 1234, sizeof(long), 4},
		{"mem:0x1000/8:w", "mem:0x1000", 0x1000, 8, 2},
		{"mem:0x1000/1", "mem:0x1000", 0x1000, 1, 3},
		{"mem:0x1000:wr:u", "mem:0x1000:wr:u", 0x1000, 4, 3},
		{"mem:0x1000:rwx", "mem:0x1000:rwx", 0x1000, 4, 7},
		{"mem:0x1000:u", "mem:0x1000:u", 0x1000, 4, 3},
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct ev_spec *s = one(f, cases[i].text);

		assert_string_equal(s->name, cases[i].name);
		assert_int_equal(s->class, EV_BP);
		assert_int_equal(s->attr.type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(s->attr.bp_addr, cases[i].addr);
		assert_int_equal(s->attr.bp_len, cases[i].len);
		assert_int_equal(s->attr.bp_type, cases[i].type);
	}
	assert_true(one(f, "mem:0x1000/8:w:k")->attr.exclude_user);
}

static void check_excluded(struct fixture *f, const char *text, const char *want)
{
	const struct perf_event_attr *a = &one(f, text)->attr;
	char got[7], *p = got;

	if (a->exclude_user)
		*p++ = 'u';
	if (a->exclude_kernel)
		*p++ = 'k';
	if (a->exclude_hv)
		*p++ = 'h';
	if (a->exclude_host)
		*p++ = 'H';
	if (a->exclude_guest)
		*p++ = 'G';
	if (a->exclude_idle)
		*p++ = 'I';
	*p = '\0';
	assert_string_equal(got, want);
}

static void test_modifiers(void **state)
{
	struct fixture *f = *state;

	check_excluded(f, "cs", "G");
	check_excluded(f, "cs:u", "khG");
	check_excluded(f, "cs:k", "uh");
	check_excluded(f, "cs:h", "uk");
	check_excluded(f, "cs:uk", "hG");
	check_excluded(f, "cs:ukh", "G");
	check_excluded(f, "cs:G", "H");
	check_excluded(f, "cs:H", "G");
	check_excluded(f, "dummy:HG", "");
	check_excluded(f, "cs:uG", "khH");
	check_excluded(f, "cs:I", "I");
	check_excluded(f, "cs:p", "G");
	check_excluded(f, "cs//u", "khG");
	check_excluded(f, "cs/period=1/k", "uh");
	check_excluded(f, "cs/period=1/:k", "uh");
	check_excluded(f, "cpu/event=1/u", "khG");
	check_excluded(f, "sched:sched_switch:u", "khG");
	assert_int_equal(one(f, "cs:ppp")->attr.precise_ip, 3);
	assert_true(one(f, "cs:P")->precise_max);
	assert_true(one(f, "cs:S")->sample_read);
	assert_true(one(f, "cs:D")->attr.pinned);
	assert_true(one(f, "cs:e")->attr.exclusive);
	assert_true(one(f, "cs:W")->weak);
	one(f, "cs:b"); /* perf stat reads it through BPF; no effect here */
}

static void test_groups(void **state)
{
	struct fixture *f = *state;
	struct ev_spec *s;

	check_names(f, "cs,{faults , cs:k}:uSD,pair{cs,dummy},dummy",
		    "cs faults   cs:k cs dummy dummy ");
	s = f->list.specs.v;
	assert_int_equal(f->list.nr_groups, 2);
	assert_int_equal(s[0].group, ID_NONE);
	assert_int_equal(s[1].group, 0);
	assert_true(s[1].leader && !s[2].leader && s[3].leader && !s[4].leader && s[5].leader);
	assert_ptr_equal(ev_leader(&f->list, 2), &s[1]);
	assert_ptr_equal(ev_leader(&f->list, 5), &s[5]);
	assert_int_equal(s[4].group, 1);
	assert_null(s[1].group_name);
	assert_string_equal(s[4].group_name, "pair");
	/* What the event said for itself stays, D is the leader's. */
	assert_true(s[1].attr.exclude_kernel && s[1].attr.exclude_hv && !s[1].attr.exclude_user);
	assert_true(!s[2].attr.exclude_kernel && s[2].attr.exclude_hv && !s[2].attr.exclude_user);
	assert_true(s[1].attr.pinned && !s[2].attr.pinned);
	assert_true(s[1].sample_read && s[2].sample_read && !s[3].sample_read);
	assert_int_equal(s[2].at, 12);
	assert_int_equal(s[2].len, 5);
	assert_int_equal(strncmp(s[2].text + s[2].at, " cs:k", 5), 0);
	check_names(f, "{sched:sched_w*,cs}", "sched:sched_wakeup sched:sched_waking cs ");
	assert_ptr_equal(ev_leader(&f->list, 2), &f->list.specs.v[0]);
}

static void test_tracepoints(void **state)
{
	struct fixture *f = *state;
	const struct ev_spec *s = one(f, "sched:sched_switch:u");

	assert_string_equal(s->name, "sched:sched_switch");
	assert_int_equal(s->class, EV_TRACEPOINT);
	assert_int_equal(s->attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(s->attr.config, 316);
	assert_string_equal(s->tp.system, "sched");
	assert_string_equal(s->tp.name, "sched_switch");
	assert_int_equal(strncmp(s->tp.format, "name: sched_switch\n", 19), 0);
	check_names(f, "sched:*",
		    "sched:sched_stat-wait sched:sched_switch sched:sched_wakeup "
		    "sched:sched_waking ");
	check_names(f, "s*:*_skb", "skb:consume_skb skb:kfree_skb ");
	check_names(f, "*:sched_switch", "sched:sched_switch ");
	check_names(f, "syscalls:sys_enter_[a-n]*", "syscalls:sys_enter_accept ");
	check_names(f, "syscalls:sys_enter_r?ad", "syscalls:sys_enter_read ");
	check_names(f, "irq-x:irq_entry", "irq-x:irq_entry ");
	check_names(f, "sched:sched_stat-wait", "sched:sched_stat-wait ");
	check_names(f, "sched:sched_switch,skb:*,sched:*switch",
		    "sched:sched_switch skb:consume_skb skb:kfree_skb sched:sched_switch ");
	assert_ptr_equal(f->list.specs.v[0].tp.format, f->list.specs.v[3].tp.format);
	assert_int_equal(f->list.tracepoints.nr, 3);
	s = one(f, "skb:kfree_skb/call-graph=fp,max-stack=9,nr=5,no-inherit/k");
	assert_int_equal(s->terms.has, EV_CALLGRAPH | EV_MAX_STACK | EV_NR | EV_INHERIT);
	assert_true(s->attr.exclude_user);
}

static void test_terms(void **state)
{
	struct fixture *f = *state;
	const struct ev_spec *s;

	s = one(f, "cs/freq=99,period=3/");
	assert_int_equal(s->terms.has, EV_PERIOD);
	assert_true(s->attr.sample_period == 3 && !s->attr.freq);
	s = one(f, "cs/period=3,freq=99/");
	assert_int_equal(s->terms.has, EV_FREQ);
	assert_true(s->attr.sample_freq == 99 && s->attr.freq);
	s = one(f, "cs/period/");
	assert_int_equal(s->attr.sample_period, 1);
	s = one(f, "cs/call-graph=dwarf,stack-size=1001,time=0,overwrite,percore,aux-output,"
		   "aux-sample-size=64,metric-id=m,branch_type=any_call/");
	assert_int_equal(s->terms.callgraph, EV_CALLGRAPH_DWARF);
	assert_int_equal(s->terms.stack_size, 1008);
	assert_true(s->terms.has & EV_TIME && !s->terms.time);
	assert_true(s->terms.overwrite);
	assert_true(s->terms.has & EV_PERCORE && s->terms.has & EV_AUX_OUTPUT);
	assert_true(s->terms.has & EV_AUX_SAMPLE);
	assert_int_equal(s->terms.branch, PERF_SAMPLE_BRANCH_ANY_CALL);
	s = one(f, "cs/inherit=0,no-overwrite=0,branch_type='u,k'/");
	assert_true(s->terms.has & EV_INHERIT && !s->terms.inherit);
	assert_true(s->terms.overwrite);
	assert_int_equal(s->terms.branch, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL |
						  PERF_SAMPLE_BRANCH_ANY);
}

static void check_config(struct fixture *f, const char *text, u64 config, u64 config1)
{
	const struct ev_spec *s = one(f, text);

	assert_int_equal(s->attr.config, config);
	assert_int_equal(s->attr.config1, config1);
}

static void test_pmus(void **state)
{
	struct fixture *f = *state;
	const struct ev_spec *s;

	s = one(f, "cpu/event=0x3c,umask=1/u");
	assert_string_equal(s->name, "cpu/event=0x3c,umask=1/u");
	assert_string_equal(s->pmu.name, "cpu");
	assert_int_equal(s->attr.type, 4);
	check_config(f, "cpu/event=0x3c,umask=1/", 0x13c, 0);
	check_config(f, "cpu/event=0xabc/", 0xa000000bcull, 0);
	check_config(f, "cpu/event=1,edge/", 0x40001, 0);
	check_config(f, "cpu/mem-loads/", 0x1cd, 3);
	check_config(f, "cpu/mem-loads,ldlat=30/", 0x1cd, 30);
	check_config(f, "cpu/instructions.retired/", 0xc0, 0);
	check_config(f, "cpu/cfg/", 0x5300c0, 0);
	check_config(f, "cpu/umask=2,config=0x50003c/", 0x50023c, 0);
	check_config(f, "cpu/r1a8/", 0x1a8, 0);
	check_config(f, "cpu/config1=7,config2=8/", 0, 7);
	check_config(f, "cpu//", 0, 0);
	check_config(f, "mem-loads:p", 0x1cd, 3);
	assert_string_equal(one(f, "cpu/mem-loads,name=ld,period=7/")->name, "ld");
	assert_int_equal(f->list.specs.v[0].attr.sample_period, 7);
	assert_string_equal(one(f, "tsc:u")->name, "tsc:u");
	assert_int_equal(f->list.specs.v[0].attr.type, 9);
	s = one(f, "power/energy-pkg/");
	assert_string_equal(s->pmu.unit, "Joules");
	assert_true(s->pmu.scale == 0x1p-32 && s->pmu.snapshot);
	assert_true(s->pmu.nr_cpus == 1 && s->pmu.cpus[0] == 0);
	check_names(f, "uncore_imc/data_reads/", "uncore_imc/data_reads/ uncore_imc/data_reads/ ");
	assert_string_equal(f->list.specs.v[1].pmu.name, "uncore_imc_1");
	check_names(f, "imc/event=1/k", "imc/event=1/k imc/event=1/k ");
	check_names(f, "data_reads", "data_reads data_reads ");
	check_names(f, "m*/tsc/", "m*/tsc/ ");
	check_config(f, "hv_24x7/PM_INST,core=3/", 0x30001, 0);
	check_config(f, "tracepoint/config=0x906/", 0x906, 0);
	check_config(f, "software/config=1/", 1, 0);
}

/* A tracepoint by its number has the format that its name would give it. */
static void test_tracepoint_numbers(void **state)
{
	struct fixture *f = *state;
	const struct ev_spec *s;

	s = one(f, "2:319");
	assert_string_equal(s->name, "2:319");
	assert_int_equal(s->class, EV_TRACEPOINT);
	assert_string_equal(s->tp.system, "sched");
	assert_string_equal(s->tp.name, "sched_waking");
	assert_non_null(strstr(s->tp.format, "name: sched_waking"));
	s = one(f, "tracepoint/config=319,name=wake/");
	assert_string_equal(s->name, "wake");
	assert_string_equal(s->tp.name, "sched_waking");
	s = one(f, "2:65535");
	assert_null(s->tp.format);
}

/* The message, and the column under which the arrow stands (counted from the text). */
static void check_error(struct fixture *f, const char *text, int at, const char *what,
			const char *hint)
{
	static const char head[] = "event syntax error: '";
	const char *second;

	if (!parse(f, text))
		fail_msg("'%s' is accepted", text);
	assert_int_equal(f->list.specs.nr, 0);
	assert_int_equal(f->list.nr_groups, 0);
	assert_int_equal(strncmp(f->err.msg, head, sizeof(head) - 1), 0);
	second = strchr(f->err.msg, '\n');
	assert_non_null(second);
	if ((int)strspn(second + 1, " ") - (int)(sizeof(head) - 1) != at ||
	    strcmp(second + 1 + strspn(second + 1, " ") + 5, what))
		fail_msg("'%s' gives:\n%s", text, f->err.msg);
	if (hint)
		assert_string_equal(f->err.hint, hint);
}

static void test_errors(void **state)
{
	struct fixture *f = *state;

	check_error(f, "", 0, "an event is expected here", NULL);
	check_error(f, "cs,nosuch", 3, "unknown event 'nosuch'",
		    "perf-lite list shows the events of this machine");
	check_error(f, "cs,", 3, "an event is expected here", NULL);
	check_error(f, ",cs", 0, "an event is expected here", NULL);
	check_error(f, "cs,,cs", 3, "an event is expected here", NULL);
	check_error(f, "cs;faults", 2, "',' is expected here", NULL);
	check_error(f, "cs faults", 3, "',' is expected here", NULL);
	check_error(f, "cs:u:k", 4, "',' is expected here", NULL);
	check_error(f, "cs:uu", 4, "bad modifier: 'u' twice", NULL);
	check_error(f, "cs:pppp", 6, "bad modifier: 'p' more than three times", NULL);
	check_error(f, "{cs:pp}:pp", 8, "bad modifier: 'p' more than three times with the event's",
		    NULL);
	check_error(f, "cs:z", 3, "unknown modifier 'z', not one of ukhGHIpPSDWeb", NULL);
	check_error(f, "{cs", 0, "this group is not closed", NULL);
	check_error(f, "{}", 1, "an event is expected here", NULL);
	check_error(f, "{cs,}", 4, "an event is expected here", NULL);
	check_error(f, "{cs,{faults}}", 4, "a group cannot hold a group", NULL);
	check_error(f, "cs}", 2, "',' is expected here", NULL);
	check_error(f, "{cs}u", 4, "',' is expected here", NULL);
	check_error(f, "{cs}:", 5, "a modifier is expected here", NULL);
	check_error(f, "1{cs}", 0, "the name of a group must begin with a letter", NULL);
	check_error(f, "1", 1, "a ':' and the config behind it is expected here", NULL);
	check_error(f, "1:x", 2, "a number is expected here", NULL);
	check_error(f, "99999999999:1", 0, "99999999999 is larger than 32 bits", NULL);
	check_error(f, "1:99999999999999999999", 2, "99999999999999999999 is larger than 64 bits",
		    NULL);
	check_error(f, "r12345678123456781", 0, "r12345678123456781 is larger than 64 bits", NULL);
	check_error(f, "mem:main", 4, "an address is expected here, such as 0x1000", NULL);
	check_error(f, "mem:0x10/3", 9, "the length must be 1, 2, 4 or 8 bytes", NULL);
	check_error(f, "mem:0x10:rr", 9, "unknown modifier 'r', not one of ukhGHIpPSDWeb", NULL);
	check_error(f, "L1-icache-stores", 0, "there is no such operation on this cache", NULL);
	check_error(f, "usdt:/a:b", 8, "a file, a provider and a name are expected here", NULL);
	check_error(f, "usdt:/a:b:c@x", 12, "an address is expected here, as in @0x1234", NULL);
	check_error(f, "cs,./prog.bpf.o", 3, "BPF programs are not supported", NULL);
	check_error(f, "sched:", 6, "the name of a tracepoint is expected here", NULL);
	check_error(f, "sched:nosuch*", 0, "no tracepoint matches 'sched:nosuch*'", NULL);
	check_error(f, "sched:no_id", 0, "unknown tracepoint 'sched:no_id'", NULL);
}

static void test_term_errors(void **state)
{
	struct fixture *f = *state;

	check_error(f, "cs/", 3, "a term is missing here", NULL);
	check_error(f, "cs/period", 9, "',' or '/' is expected here", NULL);
	check_error(f, "cs/period=/", 10, "the value of 'period' is missing", NULL);
	check_error(f, "cs/period=x/", 3, "the value of 'period' must be a number", NULL);
	check_error(f, "cs/period=0/", 3, "the value of 'period' must not be 0", NULL);
	check_error(f, "cs/time=2/", 3, "the value of 'time' is too big: 1 at most", NULL);
	check_error(f, "cs/name=1/", 3, "the value of 'name' must be a word", NULL);
	check_error(f, "cs/call-graph/", 3, "the value of 'call-graph' must be a word", NULL);
	check_error(f, "cs/call-graph=x/", 3, "call-graph must be fp, dwarf, lbr or no, not 'x'",
		    NULL);
	check_error(f, "cs/branch_type=x/", 3, "unknown branch type 'x'", NULL);
	check_error(f, "cs/name='x/", 8, "this quote is not closed", NULL);
	check_error(f, "cs/@x/", 3, "drivers cannot be configured with '@'", NULL);
	check_error(f, "cs/perod=1/", 3, "unknown term 'perod'", "did you mean 'period'?");
	check_error(f, "sched:sched_switch/period=2/", 19, "unknown term 'period'", NULL);
	check_error(f, "software/cpu-clock/", 9, "unknown term 'cpu-clock' for the PMU software",
		    NULL);
	check_error(f, "cpu/evnt=1/", 4, "unknown term 'evnt' for the PMU cpu",
		    "did you mean 'event'?");
	check_error(f, "cpu/event=0x1000/", 4, "the value of 'event' is too big: 4095 at most",
		    NULL);
	check_error(f, "cpu/event=x/", 4, "the value of 'event' must be a number", NULL);
	check_error(f, "cpu/torn/", 4,
		    "the driver describes cpu/torn/ as 'event=,', which is unclear", NULL);
	check_error(f, "hv_24x7/PM_INST/", 8, "this event needs a value for 'core'", NULL);
	check_error(f, "cpuu/event=1/", 0, "there is no PMU 'cpuu' on this machine",
		    "did you mean cpu/.../?");
	check_error(f, "cpu/event=1", 11, "',' or '/' is expected here", NULL);
}

static void test_suggestions(void **state)
{
	struct fixture *f = *state;

	check_error(f, "CS", 0, "unknown event 'CS'", "did you mean cs?");
	check_error(f, "cpu_clock", 0, "unknown event 'cpu_clock'", "did you mean cpu-clock?");
	check_error(f, "LLC-load-mises", 0, "unknown event 'LLC-load-mises'",
		    "did you mean LLC-load-misses?");
	check_error(f, "mem-load", 0, "unknown event 'mem-load'", "did you mean mem-loads?");
	check_error(f, "kfree_skb", 0, "unknown event 'kfree_skb'", "did you mean skb:kfree_skb?");
	check_error(f, "sched:sched_swich", 0, "unknown tracepoint 'sched:sched_swich'",
		    "did you mean sched:sched_switch?");
	check_error(f, "shed:sched_switch", 0, "unknown tracepoint 'shed:sched_switch'",
		    "did you mean sched:sched_switch?");
	check_error(f, "skb:sched_wakeup", 0, "unknown tracepoint 'skb:sched_wakeup'",
		    "did you mean sched:sched_wakeup?");
	check_error(f, "shed:*", 0, "no tracepoint matches 'shed:*'", "did you mean sched:*?");
	/* as others name probes */
	check_error(f, "u:/bin/bash:readline,cs", 2, "the name of a tracepoint is expected here",
		    "did you mean uprobe:/bin/bash:readline?");
	check_error(f, "r:/bin/bash:readline", 2, "the name of a tracepoint is expected here",
		    "did you mean uretprobe:/bin/bash:readline?");
	check_error(f, "p:/bin/bash", 2, "the name of a tracepoint is expected here",
		    "uprobe:/bin/bash:FUNCTION");
	check_error(f, "u:readline", 0, "unknown tracepoint 'u:readline'",
		    "did you mean uprobe:FILE:readline?");
	check_error(
		f, "kr:vfs_read", 0, "unknown tracepoint 'kr:vfs_read'",
		"this kernel has no probes in its own code (CONFIG_KPROBE_EVENTS), only tracepoints: "
		"perf-lite list '*vfs_read*'");
	check_error(f, "t:sched_switch", 0, "unknown tracepoint 't:sched_switch'",
		    "did you mean sched:sched_switch?");
	check_error(f, "tracepoint:xyzzy", 0, "unknown tracepoint 'tracepoint:xyzzy'",
		    "leave out 'tracepoint:'");
	check_error(f, "software:faults:100", 0, "unknown tracepoint 'software:faults'",
		    "leave out 'software:'; to sample every N of them: -c N");
	check_error(f, "profile:hz:99", 0, "unknown tracepoint 'profile:hz'",
		    "samples by time: -e cpu-clock -F HZ");
	check_error(f, "sched:sched_switch /pid == 1/", 25, "the value of 'pid' is missing",
		    "what is between slashes: --filter 'EXPR'");
	check_error(f, "sched:sched_switch { @ = count(); }", 19, "',' is expected here",
		    "no programs are run: perf-lite trace -e EVENT prints, perf-lite "
		    "count -e EVENT --filter EXPR --by KEY --of NUMBER adds up");
	check_error(f, "tracepoint:sched:xyzzy", 11, "unknown tracepoint 'sched:xyzzy'",
		    "perf-lite list 'sched:*' shows what there is");
	check_error(f, "sched:xyzzy", 0, "unknown tracepoint 'sched:xyzzy'",
		    "perf-lite list 'sched:*' shows what there is");
}

static void test_no_tracefs(void **state)
{
	struct fixture *f = *state;
	struct sysroot bare;
	struct ev_env env = {.root = &bare};

	assert_int_equal(sysroot_open(&bare, "tests/sysroot/bare", NULL), 0);
	assert_int_equal(ev_parse(&f->list, "cs,cs:u,r1", &env, &f->err), 0);
	assert_int_equal(ev_parse(&f->list, "sched:sched_switch", &env, &f->err), -ENODEV);
	assert_int_equal(strncmp(f->err.msg, "sched:sched_switch: ", 20), 0);
	assert_int_equal(ev_parse(&f->list, "cpu/event=1/", &env, &f->err), -EINVAL);
	assert_int_equal(ev_parse(&f->list, "nosuch", &env, NULL), -EINVAL);
	assert_int_equal(f->list.specs.nr, 3);
	ev_env_close(&env);
	sysroot_close(&bare);
}

/* Long texts are shown around the mistake, and bytes that are no letters take one column. */
static void test_long(void **state)
{
	struct fixture *f = *state;
	char *text = malloc(300001);
	u32 i;

	assert_non_null(text);
	memset(text, ',', 100000);
	text[100000] = '\0';
	check_error(f, text, 0, "an event is expected here", NULL);
	memset(text, '{', 100000);
	check_error(f, text, 1, "a group cannot hold a group", NULL);
	memset(text, 'a', 100000);
	assert_int_equal(parse(f, text), -EINVAL);
	for (i = 0; i < 60000; i++)
		memcpy(text + i * 3, "cs,", 3);
	text[60000 * 3 - 1] = '\0';
	assert_int_equal(parse(f, text), 0);
	assert_int_equal(f->list.specs.nr, 60000);
	text[60000 * 3 - 1] = ',';
	for (i = 0; i < 100000; i++)
		memcpy(text + i * 3, "cs,", 3);
	text[300000] = '\0';
	assert_int_equal(parse(f, text), -EINVAL);
	assert_non_null(strstr(f->err.msg, "more than 65536 events"));
	free(text);

	check_error(f, "cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,cs,nosuch", 42,
		    "unknown event 'nosuch'", NULL);
	assert_non_null(strstr(f->err.msg, "'.."));
	check_error(f, "cs\xc3\x9f\x1b,z", 2, "',' is expected here", NULL);
	assert_non_null(strstr(f->err.msg, "'cs???,z'"));
}

static void test_filters(void **state)
{
	struct fixture *f = *state;
	struct ev_list *l = &f->list;

	struct buf told = {0};
	u32 at = 0;

	assert_int_equal(ev_filter_add(l, "value == 1", &f->env, &f->err), -EINVAL);
	assert_int_equal(ev_parse(l, "skb:*", &f->env, &f->err), 0);
	assert_int_equal(ev_filter_add(l, "value == 1", &f->env, &f->err), 0);
	assert_int_equal(ev_parse(l, "sched:sched_switch", &f->env, &f->err), 0);
	assert_int_equal(ev_filter_add(l, "value > 2 && value != common_pid", &f->env, &f->err), 0);
	assert_int_equal(ev_filter_add(l, "value == -9 || value & 0x4", &f->env, &f->err), 0);
	assert_string_equal(l->specs.v[0].tp.filter, "value == 1");
	assert_string_equal(l->specs.v[1].tp.filter, "value == 1");
	assert_null(l->specs.v[1].tp.here);
	assert_string_equal(l->specs.v[2].tp.filter, "value > 2 && (value == -9 || value & 0x4)");
	assert_string_equal(l->specs.v[2].tp.here->here, "value != common_pid");
	/* what is the recorder's own is not told */
	assert_int_equal(ev_filter_spec(l, &l->specs.v[2], "common_pid != 1 || cpu == 2", &f->err),
			 0);
	assert_string_equal(l->specs.v[2].tp.filter, "value > 2 && (value == -9 || value & 0x4) && "
						     "(common_pid != 1 || cpu == 2)");
	assert_ptr_equal(ev_filter_tell(l, &at, &told), &l->specs.v[0]);
	assert_int_equal(at, 2);
	assert_string_equal(buf_str(&told), "skb:consume_skb: the kernel tested value == 1");
	buf_clear(&told);
	assert_ptr_equal(ev_filter_tell(l, &at, &told), &l->specs.v[2]);
	assert_string_equal(
		buf_str(&told),
		"sched:sched_switch: the kernel tested value > 2 && (value == -9 || value & 0x4), "
		"perf-lite value != common_pid");
	assert_null(ev_filter_tell(l, &at, &told));
	buf_free(&told);
	/* a mistake in one changes nothing */
	assert_int_equal(ev_filter_add(l, "valu == 1", &f->env, &f->err), -EINVAL);
	assert_string_equal(f->err.msg,
			    "filter of sched:sched_switch: 'valu == 1'\n"
			    "                               \\___ the event has no field 'valu'");
	assert_int_equal(ev_filter_add(l, " ", &f->env, &f->err), -EINVAL);
	/* One that cannot be filtered: none of that -e is. */
	assert_int_equal(ev_parse(l, "skb:kfree_skb,cs", &f->env, &f->err), 0);
	assert_int_equal(ev_filter_add(l, "x", &f->env, &f->err), -EINVAL);
	assert_string_equal(f->err.msg, "only tracepoints can be filtered, and cs is none");
	assert_null(l->specs.v[3].tp.filter);
}

static const char *cgroup(const struct fixture *f, u32 i)
{
	return f->list.specs.v[i].cgroup ? f->list.specs.v[i].cgroup : "-";
}

static void test_cgroups(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ev_filter_cgroups(&f->list, "a", &f->err), -EINVAL);
	assert_non_null(strstr(f->err.msg, "define events before cgroups"));
	/* One for all so far, then by position. */
	parse(f, "cs,faults");
	assert_int_equal(ev_filter_cgroups(&f->list, "a", &f->err), 0);
	assert_string_equal(cgroup(f, 0), "a");
	assert_string_equal(cgroup(f, 1), "a");
	parse(f, "cs");
	assert_int_equal(ev_filter_cgroups(&f->list, "a", &f->err), 0);
	assert_int_equal(ev_parse(&f->list, "faults", &f->env, &f->err), 0);
	assert_int_equal(ev_filter_cgroups(&f->list, "b", &f->err), 0);
	assert_string_equal(cgroup(f, 0), "a");
	assert_string_equal(cgroup(f, 1), "b");
	parse(f, "cs,faults,dummy");
	assert_int_equal(ev_filter_cgroups(&f->list, "a,,c/d", &f->err), 0);
	assert_string_equal(cgroup(f, 0), "a");
	assert_string_equal(cgroup(f, 1), "-");
	assert_string_equal(cgroup(f, 2), "c/d");
	assert_int_equal(ev_filter_cgroups(&f->list, "e", &f->err), -EINVAL);
	assert_string_equal(f->err.msg, "there is no event for the cgroup 'e'");
}

static void test_cache_names(void **state)
{
	char name[EV_CACHE_NAME_MAX];
	u64 config, parsed;
	u32 i;

	(void)state;
	for (i = 0; ev_names_cache_nth(i, name, &config); i++) {
		assert_int_equal(ev_names_cache(name, strlen(name), &parsed), 1);
		assert_int_equal(parsed, config);
	}
	assert_int_equal(i, 2 * (3 + 2 + 3 + 3 + 1 + 1 + 3));
	assert_int_equal(ev_names_cache("LLC-", 4, &config), 0);
	assert_int_equal(ev_names_cache("LLC-loads-loads", 15, &config), 0);
	assert_int_equal(ev_names_cache("llc", 3, &config), 0);
	assert_int_equal(ev_names_cache("", 0, &config), 0);
}

static void test_memory(void **state)
{
	static const char text[] = "cs,{skb:*,cpu/mem-loads,name='a'/}:u,g{LLC,mem:0x10/4:w},tsc";
	struct fixture *f = *state;
	unsigned int n;
	u32 nr;
	int ret;

	for (n = 0;; n++) {
		struct ev_env env = {.root = &f->root};

		ev_list_free(&f->list);
		f->list = (struct ev_list){0};
		oom_after(n);
		ret = ev_parse(&f->list, text, &env, &f->err);
		nr = f->list.specs.nr;
		if (!ret)
			ret = ev_filter_cgroups(&f->list, "a,b", &f->err);
		ev_env_close(&env);
		if (!oom_stop())
			break;
		assert_int_equal(ret, -ENOMEM);
		assert_true(nr == 0 || nr == 7);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(nr, 7);
}

#define WITH_FIXTURE(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(test_plain),       WITH_FIXTURE(test_breakpoints),
		WITH_FIXTURE(test_modifiers),   WITH_FIXTURE(test_groups),
		WITH_FIXTURE(test_tracepoints), WITH_FIXTURE(test_terms),
		WITH_FIXTURE(test_pmus),        WITH_FIXTURE(test_tracepoint_numbers),
		WITH_FIXTURE(test_errors),      WITH_FIXTURE(test_term_errors),
		WITH_FIXTURE(test_suggestions), WITH_FIXTURE(test_no_tracefs),
		WITH_FIXTURE(test_long),        WITH_FIXTURE(test_filters),
		WITH_FIXTURE(test_cgroups),     WITH_FIXTURE(test_cache_names),
		WITH_FIXTURE(test_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ev_parse", tests, NULL, NULL);
}
