// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/base/text.h"
#include "util/library/latency_internal.h"
#include "util/syscall/syscall.h"

/* prev_state is 0 or, since Linux 4.14, 256 of a thread that was preempted; 16 and 32 of one that has exited. */
static const struct span_preset built_in[] = {
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
		/* who stops again has run meanwhile, and nobody said so */
		.repeat = SPANS_LATEST,
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
		.thens = {"block:block_rq_issue:dev+sector"},
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
		.name = "files",
		.help = "how long read(2), write(2), their p and v forms and fsync(2) took, by file",
		.from = "syscalls:sys_enter_read(path(fd)):tid, syscalls:sys_enter_write(path(fd)):tid, "
			"syscalls:sys_enter_pread64(path(fd)):tid, syscalls:sys_enter_pwrite64(path(fd)):tid, "
			"syscalls:sys_enter_readv(path(fd)):tid, syscalls:sys_enter_writev(path(fd)):tid, "
			"syscalls:sys_enter_fsync(path(fd)):tid, syscalls:sys_enter_fdatasync(path(fd)):tid",
		.to = "syscalls:sys_exit_read(ret):tid, syscalls:sys_exit_write(ret):tid, "
		      "syscalls:sys_exit_pread64(ret):tid, syscalls:sys_exit_pwrite64(ret):tid, "
		      "syscalls:sys_exit_readv(ret):tid, syscalls:sys_exit_writev(ret):tid, "
		      "syscalls:sys_exit_fsync(ret):tid, syscalls:sys_exit_fdatasync(ret):tid",
		.until = "sched:sched_process_exit:tid",
		.by = "comm,path",
		.repeat = SPANS_LATEST,
	},
	{
		.name = "locks",
		.help = "how long threads waited for locks of the kernel",
		.from = "lock:contention_begin:tid+lock_addr",
		.to = "lock:contention_end:tid+lock_addr",
		.by = "comm,lock_addr",
		.nothing = "these are locks of the kernel; of programs: perf-lite latency futex, "
			   "or off-cpu --waker",
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
		.from = "sched:sched_process_exec:tgid",
		/* the first one of a process is an end without a begin; it ends with its last thread, or the first if that is not known */
		.to = "sched:sched_process_exec:tgid, "
		      "sched:sched_process_exit:tgid if group_dead != 0 else tid",
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
};

/* $XDG_CONFIG_HOME/perf-lite/latency, ~/.config by default. */
static void find_file(struct buf *path)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		buf_addf(path, "%s/perf-lite/latency", config);
	else if (home && *home == '/')
		buf_addf(path, "%s/.config/perf-lite/latency", home);
}

int latency_presets_read(struct latency_presets *p, struct err *err)
{
	struct buf text = {0};
	int ret;

	if (p->option)
		buf_adds(&p->path, p->option);
	else
		find_file(&p->path);
	if (p->path.failed)
		return err_nomem(err);
	if (p->option && !*p->option)
		return err_set(err, EINVAL, "--presets: no file is named");
	if (!p->path.len && !p->option)
		return 0;
	ret = io_read_file(AT_FDCWD, buf_str(&p->path), &text, SPAN_PRESETS_BYTES);
	/* nobody need have one */
	if (!p->option && (ret == -ENOENT || ret == -ENOTDIR || ret == -EACCES)) {
		buf_clear(&p->path);
		ret = 0;
	} else if (ret == -EFBIG) {
		ret = err_set(err, EFBIG, "%s: presets take 1 MiB at most", buf_str(&p->path));
	} else if (ret) {
		ret = err_set(err, -ret, "cannot read the presets of %s: %s", buf_str(&p->path),
			      strerror(-ret));
	} else {
		ret = span_presets_parse(&p->of_file, text.data, text.len, buf_str(&p->path), err);
	}
	if (ret && !p->option && err && !err->hint[0])
		err_hint(err, "--presets /dev/null does without the file");
	buf_free(&text);
	return ret;
}

static const struct span_preset *find_built_in(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(built_in); i++)
		if (!strcmp(built_in[i].name, name))
			return &built_in[i];
	return NULL;
}

const struct span_preset *latency_presets_find(const struct latency_presets *p, const char *name,
					       struct err *err)
{
	const struct span_preset *found = span_presets_find(&p->of_file, name);
	struct text_suggest suggest;
	size_t i;

	found = found ? found : find_built_in(name);
	if (found)
		return found;
	text_suggest_init(&suggest, name);
	for (i = 0; i < p->of_file.v.nr; i++)
		text_suggest_add(&suggest, p->of_file.v.v[i].name);
	for (i = 0; i < ARRAY_SIZE(built_in); i++)
		text_suggest_add(&suggest, built_in[i].name);
	err_set(err, EINVAL, "there is no preset '%s'", name);
	if (!strcmp(name, "page-faults"))
		err_hint(
			err,
			"the kernel has no event where a fault ends; of those that wait: perf-lite latency "
			"off-cpu -g --folded | grep handle_mm_fault");
	else if (syscall_signatures_find(name))
		err_hint(err,
			 "it is a system call: perf-lite latency syscalls --filter 'id == %s', or "
			 "trace -s -e %s",
			 name, name);
	else if (suggest.best)
		err_hint(err, "did you mean '%s'?", suggest.best);
	else if (!access(name, R_OK))
		err_hint(err,
			 "a recording is named with -i, a preset before it: perf-lite latency "
			 "off-cpu -i %s",
			 TEXT_SHELL(name));
	else
		err_hint(err, "perf-lite latency --list shows them; of your own: --from EVENT --to "
			      "EVENT --on KEY");
	return NULL;
}

void latency_presets_list(const struct latency_presets *p, struct buf *out)
{
	const char *sep = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(built_in); i++) {
		if (span_presets_find(&p->of_file, built_in[i].name))
			continue;
		buf_adds(out, sep);
		span_presets_put(&built_in[i], out);
		sep = "\n";
	}
	for (i = 0; i < p->of_file.v.nr; i++) {
		buf_addf(out, "%s# ", sep);
		text_escape(out, buf_str(&p->path), p->path.len);
		buf_addf(out, ":%u\n", p->of_file.v.v[i].line);
		span_presets_put(&p->of_file.v.v[i], out);
		sep = "\n";
	}
}

static void put_completion(const struct span_preset *p, struct buf *out)
{
	buf_addf(out, "%s\t\t%s\n", p->name, p->help);
}

void latency_presets_complete(struct latency_presets *p, struct buf *out)
{
	size_t i;

	if (latency_presets_read(p, NULL))
		span_presets_free(&p->of_file);
	for (i = 0; i < p->of_file.v.nr; i++)
		put_completion(&p->of_file.v.v[i], out);
	for (i = 0; i < ARRAY_SIZE(built_in); i++)
		if (!span_presets_find(&p->of_file, built_in[i].name))
			put_completion(&built_in[i], out);
}

int latency_presets_in_file(const struct latency_presets *p, const struct span_preset *preset,
			    int ret, struct err *err)
{
	if (ret && preset && preset->line)
		err_prefix(err, "%s:%u", buf_str(&p->path), preset->line);
	return ret;
}

void latency_presets_free(struct latency_presets *p)
{
	span_presets_free(&p->of_file);
	buf_free(&p->path);
}
