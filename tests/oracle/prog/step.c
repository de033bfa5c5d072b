// SPDX-License-Identifier: GPL-2.0
/*
 * step.c - executes a program instruction by instruction, knows its call chain at each, and asks
 * the engines of unwind.h for it from the registers and a copy of the stack.
 *
 *	step [-n EVERY] [-m MOST] [-e ENGINE,...] [-s] [-v] COMMAND...
 *
 * The fast engine is asked at every instruction, MOST at most, then the program is killed; the references, which take
 * much longer, at one of EVERY on average. A line for each engine: instructions checked, chains that are exact, chains that nobody could tell since
 * an exception was landing or a longjmp (shadow.h), and the share of the exact among the others;
 * below it where and how the rest differs. -s: the dynamic linker's start is run through, not
 * stepped. -v: each difference, with both chains. Exit status 0 whatever the engines say.
 *
 * The program's first thread is stepped, its other threads and its children run free. x86-64.
 */
#ifdef __x86_64__

#include "differences.h"
#include "tracee.h"

#define STACK_COPY 65528 /* what perf takes at most */

/* Instructions, at most, in which libgcc overwrites its frame and leaves it. */
#define LANDING 600
/* Instructions of longjmp, at most, whose unwind information is of where it jumps. */
#define JUMP 16

/* <asm/sigcontext.h>: bytes from the trampoline's address in a signal frame to the saved rip. */
#define SIGFRAME_IP 176

static u64 every = 1, most = UINT64_MAX, steps, checked;
static bool verbose;

static void print_chain(const char *name, const u64 *chain, u32 nr, const struct thread *t)
{
	u32 i;

	printf("    %s:\n", name);
	for (i = 0; i < nr; i++)
		printf("      %016llx %s\n", (unsigned long long)chain[i],
		       chain[i] == CHAIN_SIGNAL ? "signal"
						: function_at(&tracee.model, t, chain[i], true));
}

/* Of what is not excused, in percent. */
static double share(const struct engine *e)
{
	u64 counted = e->checked - e->landing;

	return counted ? 100.0 * (double)e->exact / (double)counted : 0;
}

/* A difference in the frames whose return addresses are entries [low, high] of the shadow. */
struct pending {
	struct engine *engine;
	u32 difference;
	u32 low, high;
	u64 step;
};

static VEC(struct pending) pending;
static u32 landing; /* instructions until an exception or a longjmp has landed */

static void settle_pending(u32 i, bool excused)
{
	struct pending *p = &pending.v[i];

	if (excused)
		p->engine->landing++;
	else
		p->engine->counts.v[p->difference]++;
	*p = pending.v[--pending.nr];
}

/* Called back by the shadow. */
static void note_dropped(const struct shadow_entry *e, u32 at, u64 ip)
{
	bool overwritten, jumped = ip != e->ra;
	u64 now;
	u32 i;

	overwritten = !e->signal && read_memory(e->slot, &now, sizeof(now)) && now != e->ra;
	/* the last two instructions of libgcc or longjmp, already on the stack where they land */
	if (overwritten || jumped)
		landing = 2;
	for (i = pending.nr; i--;) {
		struct pending *p = &pending.v[i];
		u64 ago = steps - p->step;

		if (at >= p->low && at <= p->high &&
		    ((overwritten && ago <= LANDING) || (jumped && ago <= JUMP)))
			settle_pending(i, true);
		else if (at <= p->low)
			settle_pending(i, false);
		else if (at <= p->high)
			p->high = at - 1;
	}
}

static void note_difference(struct engine *e, u32 difference, u32 at)
{
	struct pending *p = vec_push(&pending);
	u32 nr = tracee.shadow.entries.nr;

	if (!p)
		die("out of memory");
	/* frame n of the chain was read from the n-th entry from the top, or behind it (signals) */
	*p = (struct pending){
		.engine = e,
		.difference = difference,
		.low = nr > at ? nr - at : 0,
		.high = nr ? nr - 1 : 0,
		.step = steps,
	};
	if (landing || !nr)
		settle_pending(pending.nr - 1, landing > 0);
}

static void check(bool references)
{
	const struct thread *t = process_find_thread(&tracee.model, (u32)tracee.pid);
	static u64 truth[UNWIND_MAX];
	static u8 stack[STACK_COPY];
	struct iovec local = {stack, sizeof(stack)};
	struct iovec remote = {(void *)(uintptr_t)tracee.regs.rsp, sizeof(stack)};
	ssize_t got = process_vm_readv(tracee.pid, &local, 1, &remote, 1, 0);
	struct unwind_input in = {.abi = PERF_SAMPLE_REGS_ABI_64, .stack = stack};
	const char *how;
	u64 regs[17];
	u32 nr, at, id, i;

	in.mask = perf_regs(regs);
	in.regs = regs;
	in.size = got > 0 ? (size_t)got : 0;
	in.cut = in.size == sizeof(stack);
	nr = shadow_chain(&tracee.shadow, tracee.regs.rip, tracee.regs.rsp - 128,
			  tracee.regs.rsp + in.size, truth, ARRAY_SIZE(truth));
	checked++;
	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		struct engine *e = &engines[i];

		if (!e->u || (e->kind != UNWIND_FAST && !references))
			continue;
		engine_unwind(e, &tracee.model, t, &in);
		how = difference(e, truth, nr, &at);
		e->checked++;
		e->exact += !*how;
		if (!*how)
			continue;
		id = engine_difference(e, function_at(&tracee.model, t, tracee.regs.rip, true),
				       how);
		note_difference(e, id, at);
		if (verbose) {
			printf("step %llu, %s: %s, %s\n", (unsigned long long)steps, e->name, how,
			       chain_end_text(e->end));
			print_chain("true", truth, nr, t);
			print_chain(e->name, e->chain, e->nr, t);
		}
	}
}

static void note_call(void)
{
	u64 ra;

	if (!read_memory(tracee.regs.rsp, &ra, sizeof(ra)) ||
	    !shadow_push(&tracee.shadow, tracee.regs.rsp, ra))
		die("a call without a return address");
}

static void note_signal(void)
{
	u64 restorer, interrupted;

	if (!read_memory(tracee.regs.rsp, &restorer, sizeof(restorer)) ||
	    !read_memory(tracee.regs.rsp + SIGFRAME_IP, &interrupted, sizeof(interrupted)) ||
	    !shadow_push_signal(&tracee.shadow, tracee.regs.rsp, restorer, interrupted))
		die("no signal frame");
}

/* Gaps of 1 to 2 * every - 1 steps, the same ones in every run. */
static u64 next_gap(void)
{
	static u64 state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return 1 + state % (2 * every - 1);
}

static void run(void)
{
	enum instruction what;
	u64 sp, wait = next_gap();
	int status, sig = 0;
	bool maps;

	while (checked < most) {
		read_regs();
		shadow_settle(&tracee.shadow, tracee.regs.rip, tracee.regs.rsp);
		if (!sig) {
			check(!--wait);
			wait = wait ? wait : next_gap();
		}
		if (landing)
			landing--;
		what = instruction_at(tracee.regs.rip);
		sp = tracee.regs.rsp;
		maps = what == SYSCALL && changes_maps();
		steps++;
		if (sig) {
			what = is_caught(sig) ? SYSCALL : OTHER;
			status = resume(sig);
		} else {
			status = resume(0);
		}
		if (WIFEXITED(status) || WIFSIGNALED(status))
			return;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
			begin_program();
			sig = 0;
			continue;
		}
		if (maps)
			read_maps();
		if (sig && what == SYSCALL) {
			read_regs();
			note_signal();
		}
		sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (what == CALL && !sig) {
			read_regs();
			if (tracee.regs.rsp == sp - 8)
				note_call();
		}
	}
	kill(tracee.pid, SIGKILL);
	waitpid(tracee.pid, &status, __WALL);
}

static void report(struct engine *e)
{
	printf("%s: %llu checked, %llu exact, %llu landing, %.4f %%\n", e->name,
	       (unsigned long long)e->checked, (unsigned long long)e->exact,
	       (unsigned long long)e->landing, share(e));
	engine_differences(e);
}

int main(int argc, char **argv)
{
	const char *names = NULL;
	struct err err = {0};
	int opt;
	u32 i;

	program_name = "step";
	while ((opt = getopt(argc, argv, "+n:m:e:sv")) != -1) {
		switch (opt) {
		case 'n':
			every = strtoull(optarg, NULL, 10);
			break;
		case 'm':
			most = strtoull(optarg, NULL, 10);
			break;
		case 'e':
			names = optarg;
			break;
		case 's':
			tracee.skip_start = true;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			return 2;
		}
	}
	if (optind == argc || !every || every > UINT32_MAX)
		die("usage: step [-n EVERY] [-m MOST] [-e ENGINE,...] [-s] [-v] COMMAND...");
	if (process_init(&tracee.model, &err))
		die(err.msg);
	tracee.shadow.dropped = note_dropped;
	engines_open(names, &arch_x86_64);
	start(argv + optind);
	run();
	while (pending.nr)
		settle_pending(pending.nr - 1, false);
	printf("steps: %llu\n", (unsigned long long)steps);
	for (i = 0; i < ARRAY_SIZE(engines); i++)
		if (engines[i].u)
			report(&engines[i]);
	engines_close();
	process_free(&tracee.model);
	vec_free(&tracee.shadow.entries);
	vec_free(&pending);
	return 0;
}

#else

#include <stdio.h>

int main(void)
{
	fprintf(stderr, "step: steps x86-64 programs, on x86-64\n");
	return 2;
}

#endif
