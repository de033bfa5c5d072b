// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/latency.h"

#include <errno.h>
#include <string.h>

#include "util/base/text.h"

/* prev_state is 0 or, since Linux 4.14, 256 of a thread that was preempted; 16 and 32 of one that has exited. */
const struct latency_preset latency_presets[] = {
	{
		.name = "run-queue",
		.help = "how long threads that could run waited for a CPU",
		.from = "sched:sched_wakeup:pid, sched:sched_wakeup_new:pid, "
			"sched:sched_switch:prev_pid if prev_pid != 0 && (prev_state == 0 || prev_state >= 256)",
		.to = "sched:sched_switch:next_pid if next_pid != 0",
		.until = "sched:sched_switch:prev_pid",
		.by = "comm",
	},
	{
		.name = "off-cpu",
		.help = "how long threads did not run, and where they stopped",
		.from = "sched:sched_switch:prev_pid if prev_pid != 0 && !(prev_state & 48)",
		.to = "sched:sched_switch:next_pid if next_pid != 0",
		.own_from = "context-switches, switch-out",
		.own_to = "switch-in",
		.by = "comm",
	},
	{
		.name = "states",
		.help = "how long threads ran, could have run, and slept",
		.from = "sched:sched_switch:next_pid if next_pid != 0, "
			"sched:sched_switch:prev_pid if prev_pid != 0 && !(prev_state & 48), "
			"sched:sched_wakeup:pid, sched:sched_wakeup_new:pid",
		.to = "sched:sched_switch:prev_pid if prev_state & 48",
		.by = "comm,tid",
		.whole = true,
	},
	{
		.name = "block-io",
		.help = "how long disks took for requests",
		.from = "block:block_rq_issue:dev+sector",
		.to = "block:block_rq_complete:dev+sector",
		.until = "block:block_rq_requeue:dev+sector",
		.by = "rwbs,comm",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "block-stages",
		.help = "how long requests waited in queues, and how long disks took then",
		.from = "block:block_io_start:dev+sector",
		.then = "block:block_rq_issue:dev+sector",
		.to = "block:block_rq_complete:dev+sector",
		.by = "rwbs",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "syscalls",
		.help = "how long system calls took, by name",
		.from = "raw_syscalls:sys_enter:tid",
		.to = "raw_syscalls:sys_exit:tid",
		.until = "sched:sched_process_exit:tid",
		.by = "comm,id",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "locks",
		.help = "how long threads waited for locks of the kernel",
		.from = "lock:contention_begin:tid+lock_addr",
		.to = "lock:contention_end:tid+lock_addr",
		.by = "comm,lock_addr",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "futex",
		.help = "how long calls of futex(2) took: waits for locks of programs",
		.from = "syscalls:sys_enter_futex:tid",
		.to = "syscalls:sys_exit_futex:tid",
		.until = "sched:sched_process_exit:tid",
		.by = "comm,op",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "irq",
		.help = "how long handlers of interrupts ran",
		.from = "irq:irq_handler_entry:cpu+irq",
		.to = "irq:irq_handler_exit:cpu+irq",
		.by = "irq,name",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "softirq",
		.help = "how long soft interrupts ran",
		.from = "irq:softirq_entry:cpu+vec",
		.to = "irq:softirq_exit:cpu+vec",
		.by = "vec",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "workqueue",
		.help = "how long work of the kernel's queues ran",
		.from = "workqueue:workqueue_execute_start:work",
		.to = "workqueue:workqueue_execute_end:work",
		.by = "function.function",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "workqueue-wait",
		.help = "how long it waited before it ran",
		.from = "workqueue:workqueue_queue_work:work",
		.to = "workqueue:workqueue_execute_start:work",
		.by = "function.function",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "tcp-connect",
		.help = "how long TCP connections took to be established",
		.from = "sock:inet_sock_set_state:skaddr if newstate == 2",
		.to = "sock:inet_sock_set_state:skaddr if oldstate == 2 && newstate == 1",
		.until = "sock:inet_sock_set_state:skaddr if oldstate == 2 && newstate == 7",
		.by = "comm,dport",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "tcp-life",
		.help = "how long TCP connections lasted",
		.from = "sock:inet_sock_set_state:skaddr if newstate == 1",
		.to = "sock:inet_sock_set_state:skaddr if newstate == 7",
		.by = "sport,dport",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "exec",
		.help = "how long programs ran",
		.from = "sched:sched_process_exec:pid",
		.to = "sched:sched_process_exit:pid",
		.by = "comm",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "packets",
		.help = "how long packets waited in the queues of devices",
		.from = "net:net_dev_queue:skbaddr",
		.to = "net:net_dev_start_xmit:skbaddr",
		.until = "skb:kfree_skb:skbaddr",
		.by = "name",
		.repeat = SPANS_LATEST,
	},
	{.name = NULL},
};

const struct latency_preset *latency_presets_find(const char *name, struct err *err)
{
	const struct latency_preset *p;
	struct text_suggest suggest;

	text_suggest_init(&suggest, name);
	for (p = latency_presets; p->name; p++) {
		if (!strcmp(p->name, name))
			return p;
		text_suggest_add(&suggest, p->name);
	}
	err_set(err, EINVAL, "there is no preset '%s'", name);
	if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else
		err_hint(err, "perf-lite latency --list shows them; of your own: --from EVENT --to "
			      "EVENT --on KEY");
	return NULL;
}

void latency_presets_list(struct buf *out)
{
	static const char *const repeats[] = {
		[SPANS_FIRST] = "", [SPANS_LATEST] = " --latest", [SPANS_NESTED] = " --nested"};
	const struct latency_preset *p;

	for (p = latency_presets; p->name; p++) {
		buf_addf(out, "%s%-15s %s\n", p == latency_presets ? "" : "\n", p->name, p->help);
		buf_addf(out, "    --from '%s'\n", p->from);
		if (p->then)
			buf_addf(out, "    --then '%s'\n", p->then);
		buf_addf(out, "    --to '%s'\n", p->to);
		if (p->own_from)
			buf_addf(out, "    of own threads: --from '%s' --to '%s'\n", p->own_from,
				 p->own_to);
		if (p->until)
			buf_addf(out, "    --until '%s'\n", p->until);
		buf_addf(out, "    --by %s%s\n", p->by, repeats[p->repeat]);
		if (p->whole)
			buf_adds(out, "    --split, and what is open ends with the table\n");
	}
}
