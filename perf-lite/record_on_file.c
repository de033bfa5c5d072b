// SPDX-License-Identifier: GPL-2.0
#include "perf-lite/record.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/base/clock.h"
#include "util/base/text.h"
#include "util/base/thread.h"

/*
 * --on-file: a thread of its own runs the commands, since even a fork and an exec may wait for a disk, which neither
 * who reads the rings nor who writes the file should. Paths wait in a queue without a limit: they are small.
 */

#define VARIABLE "PERF_LITE_FILE"
/* The shell sees the variable, not the bytes of the path: any name is one word, in a script within the script, too. */
#define WORD "\"$" VARIABLE "\""

#define SLICE_NS   100000000ull
#define PATIENT_NS 1000000000ull /* a wait that is longer than this deserves a line */
#define GRACE_NS   2000000000ull /* from SIGTERM to SIGKILL */

int record_on_file_check(const struct on_file *o, const char *output, struct err *err)
{
	if (!o->command)
		return 0;
	if (!o->command[strspn(o->command, " \t\n")]) {
		err_set(err, EINVAL, "--on-file needs a command");
		err_hint(err, "--on-file 'gzip {}'");
		return -EINVAL;
	}
	if (record_is_file(output))
		return 0;
	err_set(err, EINVAL, "--on-file: %s is no file that a command could be given",
		strcmp(output, "-") ? output : "standard output");
	err_hint(err, "name a file with -o FILE");
	return -EINVAL;
}

/* {} is the path; "{}" means the same; without either it comes last, unless the command has the variable. */
static int make_script(struct on_file *o, struct err *err)
{
	const char *at, *braces;
	struct buf b = {0};
	bool quoted;

	for (at = o->command; (braces = strstr(at, "{}")); at = braces + 2 + quoted) {
		quoted = braces > at && braces[-1] == '"' && braces[2] == '"';
		buf_add(&b, at, (size_t)(braces - at) - quoted);
		buf_adds(&b, WORD);
	}
	buf_adds(&b, at);
	if (at == o->command && !strstr(at, VARIABLE))
		buf_adds(&b, " " WORD);
	o->script = b.failed ? NULL : strdup(buf_str(&b));
	buf_free(&b);
	return o->script ? 0 : err_nomem(err);
}

/* The environment of commands, whose first entry is set for each of them. */
static int make_environment(struct on_file *o, struct err *err)
{
	size_t nr = 0, i, n = 1;

	while (environ[nr])
		nr++;
	o->environment = calloc(nr + 2, sizeof(*o->environment));
	if (!o->environment)
		return err_nomem(err);
	for (i = 0; i < nr; i++)
		if (strncmp(environ[i], VARIABLE "=", sizeof(VARIABLE)) != 0)
			o->environment[n++] = environ[i];
	return 0;
}

/* A command may go elsewhere, and a name that begins with - is no option: NULL: out of memory. */
static char *absolute(const struct on_file *o, const char *path)
{
	char *full;

	if (path[0] == '/')
		return strdup(path);
	return asprintf(&full, "%s/%s", o->folder ? o->folder : ".", path) < 0 ? NULL : full;
}

/*
 * In the child, which shares our memory until its exec: the handlers go first, or a signal would be taken for one to us.
 * A session of its own: Ctrl-C is for the recorder, and nothing that asks on a terminal stops there. Returns errno.
 */
static int become_command(const struct on_file *o, bool realtime)
{
	char *const argv[] = {(char *)"sh", (char *)"-c", o->script, NULL};
	const struct sched_param none = {0};
	struct sigaction sa;
	sigset_t all;
	int sig;

	setsid();
	if (realtime)
		sched_setscheduler(0, SCHED_OTHER, &none);
	for (sig = 1; sig < NSIG; sig++)
		if (!sigaction(sig, NULL, &sa) &&
		    (sa.sa_handler != SIG_IGN || sig == SIGPIPE || sig == SIGXFSZ))
			signal(sig, SIG_DFL);
	if (dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		close(STDOUT_FILENO);
	/* ours are closed by the exec; this is for those that we were started with, too */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
	close(STDIN_FILENO);
	open("/dev/null", O_RDONLY);
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	execve("/bin/sh", argv, o->environment);
	return errno;
}

/* vfork(2): the memory of a recorder is large, and copying its tables would hold up the other threads. */
static pid_t spawn_command(const struct on_file *o, volatile int *error)
{
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	bool realtime = policy == SCHED_FIFO || policy == SCHED_RR;
	pid_t pid = vfork();

	if (!pid) {
		*error = become_command(o, realtime);
		_exit(127);
	}
	if (pid < 0)
		*error = errno;
	return pid;
}

/* The process stays until its number is no longer one to send signals to. */
static void wait_for_command(struct on_file *o, pid_t pid, siginfo_t *how)
{
	pthread_mutex_lock(&o->mutex);
	o->pid = pid;
	pthread_mutex_unlock(&o->mutex);
	while (waitid(P_PID, (id_t)pid, how, WEXITED | WNOWAIT) && errno == EINTR)
		;
	pthread_mutex_lock(&o->mutex);
	waitpid(pid, NULL, 0);
	o->pid = 0;
	pthread_mutex_unlock(&o->mutex);
}

/* why: in what way it failed; empty: it did not. */
static void run_command(struct on_file *o, const char *path, char *why, size_t size)
{
	siginfo_t how = {0};
	volatile int error = 0;
	pid_t pid;

	why[0] = '\0';
	if (asprintf(&o->environment[0], VARIABLE "=%s", path) < 0) {
		o->environment[0] = NULL;
		snprintf(why, size, "out of memory");
		return;
	}
	pid = spawn_command(o, &error);
	if (pid > 0)
		wait_for_command(o, pid, &how);
	if (error)
		snprintf(why, size, "cannot run /bin/sh: %s", strerror(error));
	else if (how.si_code == CLD_EXITED && how.si_status)
		snprintf(why, size, "exit status %d", how.si_status);
	else if (how.si_code != CLD_EXITED)
		snprintf(why, size, "killed by signal %d", how.si_status);
	free(o->environment[0]);
	o->environment[0] = NULL;
}

static bool take_next(struct on_file *o)
{
	while (!o->waiting.nr && !o->closed)
		pthread_cond_wait(&o->wake, &o->mutex);
	if (!o->waiting.nr)
		return false;
	o->current = o->waiting.v[0];
	o->waiting.nr--;
	memmove(o->waiting.v, o->waiting.v + 1, o->waiting.nr * sizeof(*o->waiting.v));
	return true;
}

/* Frees the path, or keeps it: that of the first failure, true. */
static bool note_result(struct on_file *o, const char *why)
{
	struct on_file_results *r = &o->results;
	char *path = o->current;

	o->current = NULL;
	r->run++;
	if (why[0] && o->stopped) {
		r->interrupted++;
	} else if (why[0] && !r->failed++) {
		snprintf(r->why, sizeof(r->why), "%s", why);
		r->first = path;
		return true;
	}
	free(path);
	return false;
}

/* A recording may go on for weeks: do not leave the user in the dark so long. */
static void report_first(const struct on_file_results *r)
{
	struct buf name = {0};

	text_escape(&name, r->first, strlen(r->first));
	fprintf(stderr, "perf-lite record: --on-file: the command failed for %s: %s\n",
		buf_str(&name), r->why);
	buf_free(&name);
}

static void *run_commands(void *arg)
{
	struct on_file *o = arg;
	char why[sizeof(o->results.why)];

	pthread_mutex_lock(&o->mutex);
	o->tid = (u32)gettid();
	pthread_cond_broadcast(&o->wake);
	while (take_next(o)) {
		pthread_mutex_unlock(&o->mutex);
		run_command(o, o->current, why, sizeof(why));
		pthread_mutex_lock(&o->mutex);
		/* whoever adds files must not wait for standard error */
		if (note_result(o, why) && !o->closed) {
			pthread_mutex_unlock(&o->mutex);
			report_first(&o->results);
			pthread_mutex_lock(&o->mutex);
		}
	}
	o->ended = true;
	pthread_cond_broadcast(&o->wake);
	pthread_mutex_unlock(&o->mutex);
	return NULL;
}

/* A file has got its name. */
static void add_file(void *arg, const char *path)
{
	struct on_file *o = arg;
	char *full = absolute(o, path), **slot;

	pthread_mutex_lock(&o->mutex);
	slot = full ? vec_push(&o->waiting) : NULL;
	if (slot) {
		*slot = full;
		o->results.backlog = MAX(o->results.backlog, o->waiting.nr);
		pthread_cond_broadcast(&o->wake);
	} else {
		free(full);
		o->results.forgotten++;
	}
	pthread_mutex_unlock(&o->mutex);
}

/* The limit of files holds for those that wait, or a command that hangs would fill the disk. */
static bool may_delete_file(void *arg, const char *path)
{
	struct on_file *o = arg;
	char *full = absolute(o, path);
	bool in_use;
	u32 i;

	pthread_mutex_lock(&o->mutex);
	in_use = full && o->current && !strcmp(o->current, full);
	for (i = 0; full && !in_use && i < o->waiting.nr; i++) {
		if (strcmp(o->waiting.v[i], full) != 0)
			continue;
		free(o->waiting.v[i]);
		o->waiting.nr--;
		memmove(o->waiting.v + i, o->waiting.v + i + 1,
			(o->waiting.nr - i) * sizeof(*o->waiting.v));
		o->results.deleted++;
		break;
	}
	pthread_mutex_unlock(&o->mutex);
	free(full);
	return !in_use;
}

static int start_thread(struct on_file *o, struct err *err)
{
	int ret;

	pthread_mutex_init(&o->mutex, NULL);
	thread_condition_init(&o->wake);
	ret = thread_start(&o->thread, run_commands, o, err);
	if (ret)
		return ret;
	pthread_mutex_lock(&o->mutex);
	while (!o->tid)
		pthread_cond_wait(&o->wake, &o->mutex);
	pthread_mutex_unlock(&o->mutex);
	return 0;
}

int record_on_file_start(struct on_file *o, struct err *err)
{
	int ret;

	if (!o->command)
		return 0;
	o->listener = (struct block_writer_listener){add_file, may_delete_file, o};
	o->folder = getcwd(NULL, 0);
	ret = make_script(o, err);
	if (!ret)
		ret = make_environment(o, err);
	return ret ? ret : start_thread(o, err);
}

/* Nothing is run any more; what runs is asked to end. */
static void stop_commands(struct on_file *o)
{
	u32 i;

	o->stopped = true;
	o->results.interrupted = o->waiting.nr;
	for (i = 0; i < o->waiting.nr; i++)
		free(o->waiting.v[i]);
	o->waiting.nr = 0;
}

/* Once, as soon as there is one. *sent: the signal that it got before. */
static void signal_command(const struct on_file *o, int sig, int *sent)
{
	if (!o->pid || *sent == sig)
		return;
	kill(-o->pid, sig);
	kill(-o->pid, SIGCONT);
	*sent = sig;
}

static void wait_slice(struct on_file *o)
{
	u64 until = clock_ns(CLOCK_MONOTONIC) + SLICE_NS;
	struct timespec ts = {.tv_sec = (time_t)(until / 1000000000),
			      .tv_nsec = (long)(until % 1000000000)};

	pthread_cond_timedwait(&o->wake, &o->mutex, &ts);
}

/* Until all commands have ended; *stop: and no longer. Holds the mutex. */
static void wait_for_all(struct on_file *o, volatile sig_atomic_t *stop, bool quiet)
{
	u64 begun = clock_ns(CLOCK_MONOTONIC), now, stopped = 0;
	bool asked = false;
	int sent = 0;

	while (!o->ended) {
		wait_slice(o);
		now = clock_ns(CLOCK_MONOTONIC);
		if (!asked && !quiet && !o->ended && now - begun > PATIENT_NS) {
			fprintf(stderr,
				"perf-lite record: --on-file: waiting for the command, %u more file%s wait%s; press Ctrl-C to end it\n",
				o->waiting.nr, TEXT_PLURAL(o->waiting.nr),
				o->waiting.nr == 1 ? "s" : "");
			asked = true;
		}
		if (*stop && !o->stopped) {
			stop_commands(o);
			stopped = now;
		}
		if (o->stopped && !o->ended)
			signal_command(o, now - stopped < GRACE_NS ? SIGTERM : SIGKILL, &sent);
	}
}

static void report_failures(const struct on_file *o, struct err *err)
{
	const struct on_file_results *r = &o->results;
	struct err mine = {0};
	struct buf name = {0};

	if (!r->failed)
		return;
	text_escape(&name, r->first, strlen(r->first));
	err_set(&mine, ECHILD,
		"--on-file: the command failed for %u of %u file%s, first for %s: %s", r->failed,
		r->run, TEXT_PLURAL(r->run), buf_str(&name), r->why);
	err_hint(&mine, "to try it again: " VARIABLE "=%s sh -c %s", TEXT_SHELL(r->first),
		 TEXT_SHELL(o->script));
	buf_free(&name);
	if (err->code)
		fprintf(stderr, "perf-lite record: %s\n", mine.msg);
	else
		*err = mine;
}

/* How many files were not given to the command. */
static u32 report_missed(const struct on_file_results *r)
{
	if (r->interrupted)
		fprintf(stderr,
			"perf-lite record: --on-file: interrupted: the command was not run for %u file%s, or not to its end\n",
			r->interrupted, TEXT_PLURAL(r->interrupted));
	if (r->deleted)
		fprintf(stderr,
			"perf-lite record: --on-file: %u file%s deleted before the command was given them: it was busy, and --switch-max-files keeps no more\n",
			r->deleted, r->deleted == 1 ? " was" : "s were");
	if (r->forgotten)
		fprintf(stderr,
			"perf-lite record: --on-file: %u file%s not given to the command: out of memory\n",
			r->forgotten, r->forgotten == 1 ? " was" : "s were");
	return r->interrupted + r->deleted + r->forgotten;
}

bool record_on_file_end(struct on_file *o, const char *last, volatile sig_atomic_t *stop,
			bool quiet, struct err *err)
{
	const struct on_file_results *r = &o->results;

	if (!o->tid)
		return true;
	*stop = 0;
	if (last)
		add_file(o, last);
	pthread_mutex_lock(&o->mutex);
	o->closed = true;
	pthread_cond_broadcast(&o->wake);
	wait_for_all(o, stop, quiet);
	pthread_mutex_unlock(&o->mutex);
	/* that one waits when the last one follows is nothing to speak of */
	if (!quiet && r->backlog > 2)
		fprintf(stderr,
			"perf-lite record: --on-file: the command was slower than the recording: up to %u files waited for it\n",
			r->backlog);
	report_failures(o, err);
	return !report_missed(r) && !r->failed;
}

void record_on_file_free(struct on_file *o)
{
	volatile sig_atomic_t stop = 1;

	if (o->tid) {
		pthread_mutex_lock(&o->mutex);
		o->closed = true;
		pthread_cond_broadcast(&o->wake);
		wait_for_all(o, &stop, true);
		pthread_mutex_unlock(&o->mutex);
		pthread_join(o->thread, NULL);
	}
	vec_free(&o->waiting);
	free(o->results.first);
	free(o->environment);
	free(o->script);
	free(o->folder);
}
