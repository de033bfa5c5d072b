// SPDX-License-Identifier: GPL-2.0
/*
 * fakepmu - PMUs as a processor has them, for guests that have none.
 *
 * "cpu" (with hybrid=1 "cpu_core" of CPU 0 and "cpu_atom" of the others) has `counters` counters on each CPU, "uncore_fake_0" and
 * "uncore_fake_1" are boxes of CPU 0 that count for everybody. What they count is known:
 *
 *	time    cycles, instructions, ...: so many a nanosecond of the CPU's clock while the event is on a counter. The clock stands
 *	        still while counters are set up or a group is read, so counts of a group are exact multiples of each other. Half
 *	        of it is user mode's, half the kernel's. An overflow is a timer's.
 *	steps   events 0x77, mem-loads and mem-stores: what was written into the parameter `steps` by the
 *	        task or on the CPU that is counted. All of them are user mode's; an overflow comes at the
 *	        very step, with the writer's registers. The boxes count all steps, the second one twice.
 *
 * Samples have branch records, data sources and weights that follow from their number alone, see fill_branches(), fill_memory().
 * What is not exported to modules is found by its address: overflow=0x..., of perf_event_overflow in /proc/kallsyms.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/version.h>

#include <asm/irq_regs.h>

#define MAX_COUNTERS 16
#define NR_BOXES     2
#define NR_BRANCHES  8
#define EVENT_STEPS  0x77
#define EVENT_LOADS  0x1cd
#define EVENT_STORES 0x82d0

static unsigned int counters = 4;
module_param(counters, uint, 0444);
MODULE_PARM_DESC(counters, "counters of each CPU");

static bool hybrid;
module_param(hybrid, bool, 0444);
MODULE_PARM_DESC(hybrid, "two kinds of CPUs");

static unsigned long overflow;
module_param(overflow, ulong, 0400);
MODULE_PARM_DESC(overflow, "address of perf_event_overflow");

typedef int (*overflow_fn)(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs);

/* The counters of a CPU, and its clock for them. */
struct cpu_state {
	struct perf_event *events[MAX_COUNTERS];
	unsigned int nr;
	unsigned int frozen;
	u64 now;
	u64 steps;
};

static DEFINE_PER_CPU(struct cpu_state, cpu_states);
static atomic64_t all_steps;

/* ---- what there is to count ---- */

/* `num` / `den` of a nanosecond; events that are not here count nothing. */
static const struct rate {
	u32 code;
	u32 num, den;
} rates[] = {
	{0x003c, 2, 1},                                            /* cycles */
	{0x0300, 1, 1},                                            /* ref-cycles */
	{0x00c0, 3, 1},                                            /* instructions */
	{0x00c4, 1, 2},                                            /* branches */
	{0x00c5, 1, 100},                                          /* branch-misses */
	{0x4f2e, 1, 10},                                           /* cache-references */
	{0x412e, 1, 50},                                           /* cache-misses */
	{EVENT_LOADS, 1, 4}, {EVENT_STORES, 1, 8}, {0x0151, 1, 4}, /* L1-dcache-loads */
	{0x0851, 1, 40},                                           /* L1-dcache-load-misses */
};

static const u32 hardware_codes[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 0x003c,          [PERF_COUNT_HW_INSTRUCTIONS] = 0x00c0,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x4f2e,    [PERF_COUNT_HW_CACHE_MISSES] = 0x412e,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x00c4, [PERF_COUNT_HW_BRANCH_MISSES] = 0x00c5,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = 0x0300,
};

#define CACHE(id, op, result)                                          \
	(PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static u32 cache_code(u64 config)
{
	switch (config) {
	case CACHE(L1D, READ, ACCESS):
		return 0x0151;
	case CACHE(L1D, READ, MISS):
		return 0x0851;
	case CACHE(LL, READ, ACCESS):
		return 0x4f2e;
	case CACHE(LL, READ, MISS):
		return 0x412e;
	default:
		return 0;
	}
}

/* What an event of a CPU is here: perf_event.pmu_private. (Parts of perf_event.hw lie upon each other.) */
struct fake_event {
	struct perf_event *event;
	const struct rate *rate; /* NULL: not of time */
	u32 code;
	unsigned int counter;
	struct hrtimer timer;
};

static struct fake_event *fake_of(struct perf_event *event)
{
	return event->pmu_private;
}

static bool is_steps(struct perf_event *event)
{
	u32 code = fake_of(event)->code;

	return code == EVENT_STEPS || code == EVENT_LOADS || code == EVENT_STORES;
}

static const struct rate *find_rate(u32 code)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++)
		if (rates[i].code == code)
			return &rates[i];
	return NULL;
}

static void freeze(void)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpu_states);

	if (!cpu->frozen++)
		cpu->now = local_clock();
}

static void thaw(void)
{
	this_cpu_ptr(&cpu_states)->frozen--;
}

static u64 clock(void)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpu_states);

	return cpu->frozen ? cpu->now : local_clock();
}

/* Where the counter of the event would stand if it had run since boot, on this CPU. */
static u64 value_of(struct perf_event *event)
{
	const struct rate *rate = fake_of(event)->rate;
	u64 v;

	if (is_steps(event))
		return event->attr.exclude_user ? 0 : this_cpu_read(cpu_states.steps);
	if (!rate)
		return 0;
	v = clock() * rate->num / rate->den;
	return event->attr.exclude_kernel || event->attr.exclude_user ? v / 2 : v;
}

static void update(struct perf_event *event)
{
	u64 now = value_of(event);
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add(now - before, &event->count);
	local64_sub(now - before, &event->hw.period_left);
}

/* ---- samples ---- */

struct sample {
	struct perf_sample_data data;
	struct {
		struct perf_branch_stack head;
		struct perf_branch_entry entries[NR_BRANCHES];
	} branches;
};

/* Of an hrtimer, which is no context of its own: one for each CPU. */
static DEFINE_PER_CPU(struct sample, samples);
static DEFINE_PER_CPU(u32, sample_number);

/*
 * Branches within the code around the sample, the newest first: from 4 bytes before it, then each 16 bytes before the last one;
 * every third was mispredicted, and took as many cycles as its number. The last comes from the kernel, where kernels are asked for.
 */
static void fill_branches(struct sample *s, struct perf_event *event, u64 ip)
{
	u64 type = event->attr.branch_sample_type;
	unsigned int i, nr = 0;

	memset(&s->branches, 0, sizeof(s->branches));
	for (i = 0; i < NR_BRANCHES; i++) {
		struct perf_branch_entry *e = &s->branches.entries[nr];
		bool kernel = i == NR_BRANCHES - 1;

		if (!(type & (kernel ? PERF_SAMPLE_BRANCH_KERNEL : PERF_SAMPLE_BRANCH_USER)))
			continue;
		e->from = kernel ? (u64)overflow : ip - 4 - 16 * i;
		e->to = ip - 16 * i;
		if (!(type & PERF_SAMPLE_BRANCH_NO_FLAGS)) {
			e->mispred = i % 3 == 0;
			e->predicted = !e->mispred;
			e->in_tx = i == 4;
			e->abort = i == 5;
		}
		if (!(type & PERF_SAMPLE_BRANCH_NO_CYCLES))
			e->cycles = i;
		if (type & PERF_SAMPLE_BRANCH_TYPE_SAVE)
			e->type = PERF_BR_COND + i;
		nr++;
	}
	s->branches.head.nr = nr;
	s->branches.head.hw_idx = type & PERF_SAMPLE_BRANCH_HW_INDEX ? nr - 1 : -1ULL;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
	perf_sample_save_brstack(&s->data, event, &s->branches.head, NULL);
#else
	s->data.br_stack = &s->branches.head;
	s->data.sample_flags |= PERF_SAMPLE_BRANCH_STACK;
#endif
}

#define SRC(op, level, number, snooped, locked, tlb)                                \
	(PERF_MEM_S(OP, op) | PERF_MEM_S(LVL, level) | PERF_MEM_S(LVLNUM, number) | \
	 PERF_MEM_S(SNOOP, snooped) | PERF_MEM_S(LOCK, locked) | PERF_MEM_S(TLB, tlb))

/* Each sample takes the next of these; its weight is 10 times its number, its address lies in the stack pointer's page. */
static void fill_memory(struct sample *s, struct perf_event *event, u32 number)
{
	static const u64 loads[] = {
		SRC(LOAD, HIT, L1, NONE, NA, HIT) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(TLB, L1),
		SRC(LOAD, HIT, LFB, NONE, LOCKED, HIT) | PERF_MEM_S(LVL, LFB) | PERF_MEM_S(TLB, L2),
		SRC(LOAD, HIT, L3, HITM, NA, MISS) | PERF_MEM_S(LVL, L3) | PERF_MEM_S(TLB, L2),
		SRC(LOAD, MISS, RAM, MISS, NA, HIT) | PERF_MEM_S(LVL, LOC_RAM) |
			PERF_MEM_S(TLB, WK),
		SRC(LOAD, HIT, L4, HIT, NA, NA) | PERF_MEM_S(REMOTE, REMOTE) |
			PERF_MEM_S(LVL, REM_CCE1),
		SRC(NA, NA, NA, NA, NA, NA),
	};
	static const u64 stores[] = {
		SRC(STORE, HIT, L1, NA, NA, NA) | PERF_MEM_S(LVL, L1),
		SRC(STORE, MISS, NA, NA, LOCKED, NA) | PERF_MEM_S(LVL, L1),
	};
	bool load = fake_of(event)->code == EVENT_LOADS;

	s->data.data_src.val =
		load ? loads[number % ARRAY_SIZE(loads)] : stores[number % ARRAY_SIZE(stores)];
	s->data.weight.full = 0;
	if (event->attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT) {
		s->data.weight.var1_dw = 10 * number;
		s->data.weight.var2_w = number;
		s->data.weight.var3_w = number + 1;
	} else {
		s->data.weight.full = 10 * number;
	}
	s->data.sample_flags |= PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_TYPE;
}

/* True: the event shall stop for now. */
static bool take_sample(struct perf_event *event, struct pt_regs *regs)
{
	struct sample *s = this_cpu_ptr(&samples);
	u32 number = this_cpu_inc_return(sample_number) - 1;
	bool memory = fake_of(event)->code == EVENT_LOADS || fake_of(event)->code == EVENT_STORES;
	u64 addr = 0;

	if (!regs)
		return false;
	if (user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel)
		return false;
	if (memory && user_mode(regs))
		addr = (regs->sp & PAGE_MASK) + number % 512 * 8;
	perf_sample_data_init(&s->data, addr, event->hw.last_period);
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
		fill_branches(s, event, instruction_pointer(regs));
	if (memory)
		fill_memory(s, event, number);
	return ((overflow_fn)overflow)(event, &s->data, regs);
}

static u64 nanoseconds_to_overflow(struct perf_event *event)
{
	const struct rate *rate = fake_of(event)->rate;
	u64 left = max_t(s64, local64_read(&event->hw.period_left), 1);

	if (event->attr.exclude_kernel || event->attr.exclude_user)
		left *= 2;
	return max_t(u64, div_u64(left * rate->den, rate->num), 10000);
}

/* Where the period has passed: the next begins, and there is a sample. */
static bool check_overflow(struct perf_event *event, struct pt_regs *regs)
{
	struct hw_perf_event *hw = &event->hw;
	bool stop = false;

	while (!stop && local64_read(&hw->period_left) <= 0) {
		hw->last_period = hw->sample_period;
		local64_add(hw->sample_period, &hw->period_left);
		stop = take_sample(event, regs);
	}
	return stop;
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct perf_event *event = container_of(timer, struct fake_event, timer)->event;

	if (event->state != PERF_EVENT_STATE_ACTIVE || event->hw.state & PERF_HES_STOPPED)
		return HRTIMER_NORESTART;
	update(event);
	/* A timer that was late is one overflow, as with a counter. */
	if (local64_read(&event->hw.period_left) < -(s64)event->hw.sample_period)
		local64_set(&event->hw.period_left, 0);
	if (check_overflow(event, get_irq_regs())) {
		event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(nanoseconds_to_overflow(event)));
	return HRTIMER_RESTART;
}

static int take_steps(const char *text, const struct kernel_param *param)
{
	struct cpu_state *cpu;
	unsigned long flags;
	unsigned int i;
	u64 amount;
	int ret = kstrtou64(text, 0, &amount);

	if (ret)
		return ret;
	atomic64_add(amount, &all_steps);
	local_irq_save(flags);
	cpu = this_cpu_ptr(&cpu_states);
	cpu->steps += amount;
	for (i = 0; i < MAX_COUNTERS; i++) {
		struct perf_event *event = cpu->events[i];

		if (!event || !is_steps(event) || event->hw.state & PERF_HES_STOPPED)
			continue;
		update(event);
		if (is_sampling_event(event) && check_overflow(event, task_pt_regs(current)))
			event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	}
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops steps_ops = {.set = take_steps};
module_param_cb(steps, &steps_ops, NULL, 0200);
MODULE_PARM_DESC(steps, "steps to take, when it is written");

/* ---- counters of CPUs ---- */

/* cpu: all; cpu_core: the first; cpu_atom: the others. */
struct cpu_pmu {
	struct pmu pmu;
	struct cpumask cpus;
	bool registered;
};

static struct cpu_pmu cpu_pmus[2];

static bool runs_here(struct perf_event *event, int cpu)
{
	return cpumask_test_cpu(cpu, &container_of(event->pmu, struct cpu_pmu, pmu)->cpus);
}

static void fake_start(struct perf_event *event, int flags)
{
	struct hw_perf_event *hw = &event->hw;

	hw->state = 0;
	local64_set(&hw->prev_count, value_of(event));
	if (!is_sampling_event(event))
		return;
	if (local64_read(&hw->period_left) <= 0 ||
	    local64_read(&hw->period_left) > (s64)hw->sample_period)
		local64_set(&hw->period_left, hw->sample_period);
	if (fake_of(event)->rate)
		hrtimer_start(&fake_of(event)->timer, ns_to_ktime(nanoseconds_to_overflow(event)),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

static void fake_stop(struct perf_event *event, int flags)
{
	/* Not hrtimer_cancel(): it may be the timer that found the event to be stopped. */
	if (is_sampling_event(event) && fake_of(event)->rate)
		hrtimer_try_to_cancel(&fake_of(event)->timer);
	if (!(event->hw.state & PERF_HES_STOPPED))
		update(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int fake_add(struct perf_event *event, int flags)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpu_states);
	unsigned int i;

	if (cpu->nr == counters)
		return -EAGAIN;
	for (i = 0; cpu->events[i]; i++)
		;
	cpu->events[i] = event;
	cpu->nr++;
	fake_of(event)->counter = i;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		fake_start(event, flags);
	return 0;
}

static void fake_del(struct perf_event *event, int flags)
{
	struct cpu_state *cpu = this_cpu_ptr(&cpu_states);

	fake_stop(event, PERF_EF_UPDATE);
	cpu->events[fake_of(event)->counter] = NULL;
	cpu->nr--;
}

static void fake_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		update(event);
}

static void fake_enable(struct pmu *pmu)
{
	thaw();
}

static void fake_disable(struct pmu *pmu)
{
	freeze();
}

static void fake_start_txn(struct pmu *pmu, unsigned int flags)
{
	freeze();
}

static int fake_commit_txn(struct pmu *pmu)
{
	thaw();
	return 0;
}

static void fake_cancel_txn(struct pmu *pmu)
{
	thaw();
}

/* As on processors: a group that cannot be counted at once is no group. */
static bool group_fits(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	unsigned int nr = 1;

	if (leader == event)
		return true;
	nr += leader->pmu == event->pmu;
	for_each_sibling_event(sibling, leader) nr += sibling->pmu == event->pmu;
	return nr <= counters;
}

/* The code of the event, 0 if it is none of this PMU's, -errno. */
static int code_of(struct perf_event *event)
{
	u64 config = event->attr.config;
	u32 type = event->attr.type, code = 0;

	if (type == event->pmu->type)
		return config & 0xffff;
	/* the kernel has taken the PMU from the upper half of config, if there was one */
	if (type != PERF_TYPE_HARDWARE && type != PERF_TYPE_HW_CACHE)
		return -ENOENT;
	if (type == PERF_TYPE_HW_CACHE)
		code = cache_code(config);
	else if (config < PERF_COUNT_HW_MAX)
		code = hardware_codes[config];
	return code ? code : -ENOENT;
}

static void fake_destroy(struct perf_event *event)
{
	struct fake_event *fake = fake_of(event);

	hrtimer_cancel(&fake->timer);
	kfree(fake);
}

static int fake_event_init(struct perf_event *event)
{
	struct hw_perf_event *hw = &event->hw;
	struct fake_event *fake;
	int code = code_of(event);

	if (code < 0)
		return code;
	if (event->cpu >= 0 && !runs_here(event, event->cpu))
		return -ENODEV;
	if (event->attr.exclude_user && event->attr.exclude_kernel)
		return -EINVAL;
	if (!group_fits(event))
		return -EINVAL;
	fake = kzalloc(sizeof(*fake), GFP_KERNEL);
	if (!fake)
		return -ENOMEM;
	fake->event = event;
	fake->code = code;
	fake->rate = find_rate(code);
	event->pmu_private = fake;
	event->destroy = fake_destroy;
	hw->state = PERF_HES_STOPPED;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&fake->timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&fake->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	fake->timer.function = on_timer;
#endif
	/* the kernel adapts it, but begins at a single event */
	if (event->attr.freq && event->attr.sample_freq) {
		hw->sample_period = 100000;
		hw->last_period = hw->sample_period;
		local64_set(&hw->period_left, hw->sample_period);
	}
	return 0;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
static bool fake_filter(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &container_of(pmu, struct cpu_pmu, pmu)->cpus);
}
#else
static int fake_filter_match(struct perf_event *event)
{
	return runs_here(event, smp_processor_id());
}
#endif

/* ---- what sysfs says ---- */

/* A file of one line, which stands in `group`. */
#define LINE(group, file, file_name, text)                                                      \
	static ssize_t group##_##file##_show(struct device *dev, struct device_attribute *attr, \
					     char *page)                                        \
	{                                                                                       \
		return sysfs_emit(page, "%s\n", text);                                          \
	}                                                                                       \
	static struct device_attribute group##_##file = {                                       \
		.attr = {.name = file_name, .mode = 0444}, .show = group##_##file##_show}

LINE(event, cycles, "cpu-cycles", "event=0x3c");
LINE(event, instructions, "instructions", "event=0xc0");
LINE(event, ref_cycles, "ref-cycles", "event=0x00,umask=0x03");
LINE(event, branches, "branch-instructions", "event=0xc4");
LINE(event, branch_misses, "branch-misses", "event=0xc5");
LINE(event, references, "cache-references", "event=0x2e,umask=0x4f");
LINE(event, misses, "cache-misses", "event=0x2e,umask=0x41");
LINE(event, loads, "mem-loads", "event=0xcd,umask=0x1,ldlat=3");
LINE(event, stores, "mem-stores", "event=0xd0,umask=0x82");
LINE(event, steps, "steps", "event=0x77");

static struct attribute *event_attrs[] = {
	&event_cycles.attr,
	&event_instructions.attr,
	&event_ref_cycles.attr,
	&event_branches.attr,
	&event_branch_misses.attr,
	&event_references.attr,
	&event_misses.attr,
	&event_loads.attr,
	&event_stores.attr,
	&event_steps.attr,
	NULL,
};

LINE(format, event, "event", "config:0-7,32-35");
LINE(format, umask, "umask", "config:8-15");
LINE(format, edge, "edge", "config:18");
LINE(format, inv, "inv", "config:23");
LINE(format, cmask, "cmask", "config:24-31");
LINE(format, ldlat, "ldlat", "config1:0-15");

static struct attribute *format_attrs[] = {
	&format_event.attr,
	&format_umask.attr,
	&format_edge.attr,
	&format_inv.attr,
	&format_cmask.attr,
	&format_ldlat.attr,
	NULL,
};

LINE(caps, branches, "branches", "8");
LINE(caps, name, "pmu_name", "fake");

static struct attribute *caps_attrs[] = {&caps_branches.attr, &caps_name.attr, NULL};

static const struct attribute_group event_group = {.name = "events", .attrs = event_attrs};
static const struct attribute_group format_group = {.name = "format", .attrs = format_attrs};
static const struct attribute_group caps_group = {.name = "caps", .attrs = caps_attrs};

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	struct pmu *pmu = dev_get_drvdata(dev);

	return cpumap_print_to_pagebuf(true, page, &container_of(pmu, struct cpu_pmu, pmu)->cpus);
}

static DEVICE_ATTR_RO(cpus);

static struct attribute *kind_attrs[] = {&dev_attr_cpus.attr, NULL};
static const struct attribute_group kind_group = {.attrs = kind_attrs};

static const struct attribute_group *cpu_groups[] = {&event_group, &format_group, &caps_group,
						     NULL};
static const struct attribute_group *kind_groups[] = {&event_group, &format_group, &caps_group,
						      &kind_group, NULL};

/* ---- boxes outside of the CPUs ---- */

struct box {
	struct pmu pmu;
	u32 number;
	bool registered;
};

static struct box boxes[NR_BOXES];

/* "transfers" are steps, "clockticks" a nanosecond each. */
static u64 box_value(struct perf_event *event)
{
	u32 number = container_of(event->pmu, struct box, pmu)->number;

	return event->hw.config == EVENT_STEPS ? (u64)atomic64_read(&all_steps) * (number + 1)
					       : local_clock();
}

static void box_read(struct perf_event *event)
{
	u64 now = box_value(event);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void box_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, box_value(event));
	event->hw.state = 0;
}

static void box_stop(struct perf_event *event, int flags)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		box_read(event);
	event->hw.state |= PERF_HES_STOPPED;
}

static int box_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		box_start(event, flags);
	return 0;
}

static void box_del(struct perf_event *event, int flags)
{
	box_stop(event, flags);
}

static int box_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	if (event->attr.config != EVENT_STEPS && event->attr.config != 1)
		return -EINVAL;
	event->hw.config = event->attr.config;
	event->cpu = 0;
	return 0;
}

LINE(box, transfers, "transfers", "event=0x77");
LINE(box, transfers_scale, "transfers.scale", "6.103515625e-5");
LINE(box, transfers_unit, "transfers.unit", "MiB");
LINE(box, clockticks, "clockticks", "event=0x1");
LINE(box, format_event, "event", "config:0-7");
LINE(box, cpumask, "cpumask", "0");

static struct attribute *box_event_attrs[] = {
	&box_transfers.attr,
	&box_transfers_scale.attr,
	&box_transfers_unit.attr,
	&box_clockticks.attr,
	NULL,
};
static struct attribute *box_format_attrs[] = {&box_format_event.attr, NULL};
static struct attribute *box_attrs[] = {&box_cpumask.attr, NULL};
static const struct attribute_group box_event_group = {.name = "events", .attrs = box_event_attrs};
static const struct attribute_group box_format_group = {.name = "format",
							.attrs = box_format_attrs};
static const struct attribute_group box_group = {.attrs = box_attrs};
static const struct attribute_group *box_groups[] = {&box_event_group, &box_format_group,
						     &box_group, NULL};

/* ---- the module ---- */

static int register_cpus(struct cpu_pmu *c, const char *name, int type)
{
	int ret;

	c->pmu = (struct pmu)
	{
		.module = THIS_MODULE, .task_ctx_nr = perf_hw_context,
		.attr_groups = hybrid ? kind_groups : cpu_groups, .event_init = fake_event_init,
		.add = fake_add, .del = fake_del, .start = fake_start, .stop = fake_stop,
		.read = fake_read, .pmu_enable = fake_enable, .pmu_disable = fake_disable,
		.start_txn = fake_start_txn, .commit_txn = fake_commit_txn,
		.cancel_txn = fake_cancel_txn,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
		.filter = fake_filter,
#else
		.filter_match = fake_filter_match,
#endif
		.capabilities = hybrid ? PERF_PMU_CAP_EXTENDED_HW_TYPE : 0,
	};
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
	/* and the second time that this is loaded it is the second of its context */
	c->pmu.capabilities |= PERF_PMU_CAP_HETEROGENEOUS_CPUS;
#endif
	ret = perf_pmu_register(&c->pmu, name, type);
	c->registered = !ret;
	return ret;
}

static int register_box(struct box *b, u32 number)
{
	static const char *const names[NR_BOXES] = {"uncore_fake_0", "uncore_fake_1"};
	int ret;

	b->number = number;
	b->pmu = (struct pmu){
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.attr_groups = box_groups,
		.event_init = box_event_init,
		.add = box_add,
		.del = box_del,
		.start = box_start,
		.stop = box_stop,
		.read = box_read,
		.capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_NO_EXCLUDE,
	};
	ret = perf_pmu_register(&b->pmu, names[number], -1);
	b->registered = !ret;
	return ret;
}

static void fakepmu_exit(void)
{
	unsigned int i;

	for (i = 0; i < NR_BOXES; i++)
		if (boxes[i].registered)
			perf_pmu_unregister(&boxes[i].pmu);
	for (i = 0; i < ARRAY_SIZE(cpu_pmus); i++)
		if (cpu_pmus[i].registered)
			perf_pmu_unregister(&cpu_pmus[i].pmu);
}

static int __init fakepmu_init(void)
{
	unsigned int i;
	int ret;

	if (!overflow || !counters || counters > MAX_COUNTERS)
		return -EINVAL;
	cpumask_copy(&cpu_pmus[0].cpus, hybrid ? cpumask_of(0) : cpu_possible_mask);
	ret = register_cpus(&cpu_pmus[0], hybrid ? "cpu_core" : "cpu", PERF_TYPE_RAW);
	if (!ret && hybrid) {
		cpumask_andnot(&cpu_pmus[1].cpus, cpu_possible_mask, cpumask_of(0));
		ret = register_cpus(&cpu_pmus[1], "cpu_atom", -1);
	}
	for (i = 0; !ret && i < NR_BOXES; i++)
		ret = register_box(&boxes[i], i);
	if (ret)
		fakepmu_exit();
	return ret;
}

module_init(fakepmu_init);
module_exit(fakepmu_exit);
MODULE_DESCRIPTION("PMUs whose counts are known");
MODULE_LICENSE("GPL");
