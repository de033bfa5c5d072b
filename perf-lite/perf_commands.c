// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/perf_commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/text.h"
#include "util/base/types.h"

#define DATA "-i perf-lite.data"

/* Those that a command here answers, with all that is typed behind them. */
static const struct {
	const char *command, *word, *words;
} answers[] = {
	{"sched", "record",
	 "record -a --include-self -e "
	 "sched:sched_switch,sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_waking"},
	{"sched", "latency", "latency run-queue " DATA},
	{"sched", "timehist", "latency off-cpu --split --trace --by comm,tid " DATA},
	{"sched", "script", "script " DATA},
	{"lock", "record", "record -a --include-self -e lock:contention_begin,lock:contention_end"},
	{"lock", "report", "latency locks " DATA},
	{"lock", "contention", "latency locks " DATA},
	{"lock", "con", "latency locks " DATA},
	{"lock", "script", "script " DATA},
	{"kwork", "record",
	 "record -a -e workqueue:workqueue_queue_work,workqueue:workqueue_execute_start,"
	 "workqueue:workqueue_execute_end,irq:irq_handler_entry,irq:irq_handler_exit,"
	 "irq:softirq_entry,irq:softirq_exit"},
	{"kwork", "report", "latency workqueue " DATA},
	{"kwork", "latency", "latency workqueue-wait " DATA},
	{"kwork", "timehist", "latency workqueue --trace " DATA},
};

/* Commands of perf, and others, that go by other names here: what to type instead. */
static const struct {
	const char *name, *instead;
} foreign[] = {
	{"archive", "nothing to do: the names are in the recording"},
	{"buildid-cache", "nothing to do: the names are in the recording"},
	{"bench", "nothing to compare machines by: perf-lite stat -r 5 COMMAND measures a program"},
	{"c2c",
	 "where the PMU can: perf-lite record -d -W -e cpu/mem-loads/P -a, then perf-lite report "
	 "--mem-mode -s mem,symbol,dcacheline"},
	{"config", "no file of settings: options alone, and variables of perf-lite(1)"},
	{"daemon", "perf-lite record -a --keep-last 60s, which writes at SIGUSR2"},
	{"data", "perf-lite convert --to FORMAT"},
	{"dropwatch", "perf-lite drops"},
	{"ftrace",
	 "events: perf-lite trace -e EVENT --ftrace; functions of the kernel: perf-lite trace "
	 "-e ftrace:function --filter 'ip == NAME'; how long they take: perf-lite latency --from "
	 "fentry:NAME --to fexit:NAME"},
	{"inject", "nothing to do: perf-lite report reads perf.data as it is, JIT code too"},
	{"iostat", "perf-lite count -e block:block_rq_issue --by dev --of bytes --sum -I 1"},
	{"kallsyms", "grep NAME /proc/kallsyms"},
	{"kmem", "perf-lite count -e kmem:kmalloc --by call_site --of bytes_alloc --sum"},
	{"kvm",
	 "perf-lite count -e kvm:kvm_exit --by exit_reason; how long exits took: perf-lite latency "
	 "--from kvm:kvm_exit --to kvm:kvm_entry --by exit_reason"},
	{"kwork",
	 "perf-lite latency softirq, irq, workqueue or workqueue-wait, live or with -i; as perf: "
	 "kwork record, report, latency and timehist"},
	{"lock",
	 "perf-lite latency locks, live or with -i of a recording; locks of programs: perf-lite "
	 "latency futex; as perf: lock record, report and contention"},
	{"mem",
	 "where the PMU can: perf-lite record -d -W -e cpu/mem-loads/P -a, then perf-lite report "
	 "--mem-mode"},
	{"probe", "probes need no setting up: perf-lite record -e kprobe:FUNCTION, or "
		  "uprobe:FILE:FUNCTION"},
	{"sched",
	 "perf-lite latency run-queue, off-cpu or states, live or with -i; as perf: sched record, "
	 "latency, timehist and script"},
	{"test", "perf-lite check says what works here"},
	{"timechart", "perf-lite record -a, then perf-lite flamegraph --timeline -o timeline.svg"},
	/* tools of bcc and bpftrace */
	{"argdist", "perf-lite count -e 'PROBE(EXPRESSION)' --by NAME, or --of NAME --hist"},
	{"bashreadline", "perf-lite trace -a -e 'uretprobe:/bin/bash:readline(str(retval))'"},
	{"bindsnoop", "perf-lite trace -a -e bind"},
	{"biolatency", "perf-lite latency block-io --hist"},
	{"biosnoop", "perf-lite latency block-io --trace"},
	{"biotop", "perf-lite count -e block:block_rq_issue --by comm,dev --of bytes --sum -I 1"},
	{"bitesize", "perf-lite count -e block:block_rq_issue --by comm --of bytes --hist"},
	{"btrfsdist", "perf-lite latency files --hist"},
	{"btrfsslower", "perf-lite latency files --min 10ms --trace"},
	{"cachestat",
	 "the misses: perf-lite count -e filemap:mm_filemap_add_to_page_cache --by comm -I 1"},
	{"capable", "perf-lite count -e capability:cap_capable --by comm,cap"},
	{"compactsnoop",
	 "perf-lite latency --from compaction:mm_compaction_begin --to compaction:mm_compaction_end --trace"},
	{"cpudist",
	 "perf-lite latency --from sched:sched_switch:next_pid --to sched:sched_switch:prev_pid --by next_comm --hist"},
	{"drsnoop",
	 "perf-lite latency --from vmscan:mm_vmscan_direct_reclaim_begin --to vmscan:mm_vmscan_direct_reclaim_end --trace"},
	{"execsnoop", "perf-lite trace -a -e sched:sched_process_exec"},
	{"exitsnoop", "perf-lite latency exec --trace"},
	{"ext4dist", "perf-lite latency files --hist"},
	{"ext4slower", "perf-lite latency files --min 10ms --trace"},
	{"f2fsdist", "perf-lite latency files --hist"},
	{"f2fsslower", "perf-lite latency files --min 10ms --trace"},
	{"fileslower", "perf-lite latency files --min 10ms --trace"},
	{"filetop",
	 "perf-lite count -e 'syscalls:sys_exit_read(path(fd), ret)' --filter 'ret > 0' --by comm,path --of ret -I 1"},
	{"funccount", "perf-lite count -e 'kprobe:NAME*' --by event, or 'uprobe:FILE:NAME*'"},
	{"funclatency",
	 "perf-lite latency --from fentry:NAME --to fexit:NAME --hist, or uprobe:FILE:NAME and uretprobe:FILE:NAME"},
	{"funcslower", "perf-lite latency --from fentry:NAME --to fexit:NAME --min 1ms --trace"},
	{"gethostlatency",
	 "perf-lite latency --from uprobe:LIBC:getaddrinfo --to uretprobe:LIBC:getaddrinfo --trace"},
	{"hardirqs", "perf-lite latency irq"},
	{"killsnoop", "perf-lite trace -a -e kill,tkill,tgkill"},
	{"klockstat", "perf-lite latency locks"},
	{"kvmexit", "perf-lite latency --from kvm:kvm_exit --to kvm:kvm_entry --by exit_reason"},
	{"llcstat", "perf-lite stat -a -e LLC-loads,LLC-load-misses"},
	{"memleak",
	 "perf-lite latency --from 'uretprobe:LIBC:malloc(p=retval):p' --to 'uprobe:LIBC:free(p=arg1):p' --open -g -p PID"},
	{"mountsnoop", "perf-lite trace -a -e mount,umount2"},
	{"naptime", "perf-lite trace -a -e '*nanosleep'"},
	{"nfsdist", "perf-lite latency files --hist"},
	{"nfsslower", "perf-lite latency files --min 10ms --trace"},
	{"offcputime", "perf-lite latency off-cpu -g"},
	{"offwaketime", "perf-lite latency off-cpu -g --waker"},
	{"oomkill", "perf-lite trace -a -e oom:mark_victim"},
	{"opensnoop", "perf-lite trace -a -e 'open*'"},
	{"pidpersec", "perf-lite count -e sched:sched_process_fork -I 1"},
	{"profile", "perf-lite record -F 99 -a -g, then perf-lite report or flamegraph"},
	{"runqlat", "perf-lite latency run-queue --hist"},
	{"runqlen", "perf-lite latency run-queue --by cpu"},
	{"runqslower", "perf-lite latency run-queue --min 10ms --trace"},
	{"setuids", "perf-lite trace -a -e 'set*uid,set*gid'"},
	{"shmsnoop", "perf-lite trace -a -e 'shm*'"},
	{"slabratetop",
	 "perf-lite count -e kmem:kmem_cache_alloc --by name --of bytes_alloc --sum -I 1"},
	{"softirqs", "perf-lite latency softirq"},
	{"solisten", "perf-lite trace -a -e listen"},
	{"sslsniff", "perf-lite trace -a -e 'uprobe:LIBSSL:SSL_write(str(arg2))'"},
	{"stackcount", "perf-lite count -e EVENT --by kstack"},
	{"statsnoop", "perf-lite trace -a -e '*stat*'"},
	{"syncsnoop", "perf-lite trace -a -e 'sync*,fsync,fdatasync'"},
	{"syscount", "perf-lite trace -a -s"},
	{"tcpaccept", "perf-lite trace -a -e 'accept*'"},
	{"tcpconnect", "perf-lite latency tcp-connect --trace"},
	{"tcpconnlat", "perf-lite latency tcp-connect"},
	{"tcpdrop", "perf-lite drops"},
	{"tcplife", "perf-lite latency tcp-life --trace"},
	{"tcpretrans", "perf-lite trace -a -e tcp:tcp_retransmit_skb"},
	{"tcprtt", "perf-lite count -e tcp:tcp_probe --by daddr --of srtt --hist"},
	{"tcpstates", "perf-lite trace -a -e sock:inet_sock_set_state"},
	{"tcptracer", "perf-lite trace -a -e sock:inet_sock_set_state"},
	{"threadsnoop", "perf-lite trace -a -e clone,clone3"},
	{"vfscount", "perf-lite count -e 'kprobe:vfs_*' --by event"},
	{"vfsstat", "perf-lite count -e 'kprobe:vfs_*' --by event -I 1"},
	{"wakeuptime", "perf-lite latency off-cpu --waker"},
	{"writeback", "perf-lite trace -a -e writeback:writeback_start"},
	{"xfsdist", "perf-lite latency files --hist"},
	{"xfsslower", "perf-lite latency files --min 10ms --trace"},
	{"zfsdist", "perf-lite latency files --hist"},
	{"zfsslower", "perf-lite latency files --min 10ms --trace"},
	/* and others */
	{"bpftrace",
	 "perf-lite trace -e EVENT prints events, count -e EVENT --by KEY adds them up, latency --from EVENT --to EVENT has times; docs/questions.md has its one-liners"},
	{"ltrace", "perf-lite trace -e 'uprobe:LIBRARY:FUNCTION*' COMMAND"},
	{"nstat", "perf-lite drops --counters"},
	{"pwru", "perf-lite drops: where packets are dropped; --filter 'dport == 80' chooses"},
	{"strace", "perf-lite trace COMMAND, or -p PID"},
	{"stream", "perf-lite trace -a -e EVENT --ftrace"},
	{"trace-cmd", "perf-lite record -e EVENT, trace, list or report, as they are"},
};

/* Programs that perf script runs. */
static const struct {
	const char *name, *instead;
} scripts[] = {
	{"export-to-postgresql", "perf-lite convert --to parquet, or csv"},
	{"export-to-sqlite", "perf-lite convert --to parquet, or csv"},
	{"failed-syscalls", "perf-lite trace -a -s --errno-summary"},
	{"failed-syscalls-by-pid", "perf-lite trace -a -s --errno-summary --by comm,pid"},
	{"flamegraph", "perf-lite record -F 99 -a -g, then perf-lite flamegraph -o flame.svg"},
	{"futex-contention", "perf-lite latency futex"},
	{"gecko", "perf-lite convert --to gecko"},
	{"net_dropmonitor", "perf-lite drops"},
	{"rw-by-file", "perf-lite latency files"},
	{"rw-by-pid", "perf-lite latency files --by comm,pid"},
	{"rwtop", "perf-lite latency files -I 1"},
	{"sched-migration",
	 "perf-lite count -e sched:sched_migrate_task --by comm,orig_cpu,dest_cpu"},
	{"sctop", "perf-lite trace -a -s"},
	{"stackcollapse", "perf-lite script --folded"},
	{"syscall-counts", "perf-lite trace -a -s"},
	{"syscall-counts-by-pid", "perf-lite trace -a -s --by comm,pid"},
	{"task-analyzer", "perf-lite latency states"},
	{"wakeup-latency", "perf-lite latency run-queue"},
	{"workqueue-stats", "perf-lite latency workqueue"},
};

/* Of words that perf takes behind these commands, and that are taken for a command to run. */
static const struct {
	const char *command, *word, *instead;
} subcommands[] = {
	{"stat", "record",
	 "counts are not kept in a file: perf-lite stat --json -o FILE COMMAND; samples: "
	 "perf-lite record COMMAND"},
	{"stat", "report", "counts are not kept in a file; of samples: perf-lite report"},
	{"trace", "record",
	 "perf-lite record -e 'raw_syscalls:*' COMMAND, then perf-lite trace -i perf-lite.data"},
	{"trace", "report", "perf-lite trace -i perf-lite.data -s"},
};

const char *perf_commands_instead(const char *command)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign); i++)
		if (!strcmp(foreign[i].name, command))
			return foreign[i].instead;
	return NULL;
}

const char *perf_commands_word_instead(const char *command, const char *word)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(subcommands[i].command, command) && !strcmp(subcommands[i].word, word))
			return subcommands[i].instead;
	return NULL;
}

const char *perf_commands_script_instead(const char *script)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scripts); i++)
		if (!strcmp(scripts[i].name, script))
			return scripts[i].instead;
	return NULL;
}

bool perf_commands_lacks(const char *command, const char *word, struct err *err)
{
	struct text_suggest suggest;
	bool lacks = false;
	size_t i;

	if (!word || !*word || *word == '-')
		return false;
	text_suggest_init(&suggest, word);
	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		if (strcmp(answers[i].command, command) != 0)
			continue;
		lacks = true;
		text_suggest_add(&suggest, answers[i].word);
	}
	if (!lacks)
		return false;
	err_set(err, EINVAL, "there is no perf-lite %s %s", command, word);
	if (suggest.best)
		err_hint(err, "did you mean perf-lite %s %s?", command, suggest.best);
	else
		err_hint(err, "%s", perf_commands_instead(command));
	return true;
}

static const char *answer_of(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(answers); i++)
		if (!strcmp(answers[i].command, argv[0]) && !strcmp(answers[i].word, argv[1]))
			return answers[i].words;
	return NULL;
}

/* Words with which perf measures the running system instead of reading a recording, and what they are here; NULL: it is none. */
static const char *live_word(const char *word)
{
	static const struct {
		const char *word, *here;
	} live[] = {{"-b", ""}, {"--use-bpf", ""}, {"-ab", "-a"}, {"-ba", "-a"}};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(live); i++)
		if (!strcmp(live[i].word, word))
			return live[i].here;
	return NULL;
}

/* Copy what is behind the answered words; those of a command that is run stay as they are. */
static bool add_rest(struct perf_commands_line *line, char **argv, int argc, int i, bool answered)
{
	bool options = answered, live = false;
	const char *here;

	for (; i < argc; i++) {
		options &= argv[i][0] == '-' && strcmp(argv[i], "--") != 0;
		here = options ? live_word(argv[i]) : NULL;
		live |= here != NULL;
		if (!here)
			line->words[line->nr++] = argv[i];
		else if (*here)
			line->words[line->nr++] = (char *)here;
	}
	return live;
}

int perf_commands_translate(struct perf_commands_line *line, int argc, char **argv)
{
	const char *answer = answer_of(argc, argv);
	char *word, *data;
	int first;

	*line = (struct perf_commands_line){
		.words = calloc((size_t)argc + PERF_COMMANDS_WORDS + 1, sizeof(*line->words))};
	if (answer)
		line->text = strdup(answer);
	if (!line->words || (answer && !line->text)) {
		perf_commands_free(line);
		return -ENOMEM;
	}
	for (word = line->text; word; word = strchr(word, ' ')) {
		if (line->nr)
			*word++ = '\0';
		line->words[line->nr++] = word;
	}
	first = line->nr;
	if (!add_rest(line, argv, argc, answer ? 2 : 0, answer != NULL))
		return 0;
	data = first > 2 ? line->words[first - 1] : NULL;
	if (data && !strcmp(line->words[first - 2], "-i")) {
		memmove(line->words + first - 2, line->words + first,
			(size_t)(line->nr - first + 1) * sizeof(*line->words));
		line->nr -= 2;
	}
	return 0;
}

void perf_commands_free(struct perf_commands_line *line)
{
	free(line->words);
	free(line->text);
	*line = (struct perf_commands_line){0};
}
