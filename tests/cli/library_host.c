// SPDX-License-Identifier: GPL-2.0
/*
 * library_host CASE - a program that watches by libperflite and has children, signals and limits of its own, which must stay as
 * they are. Prints what is wrong, and nothing if all is well; hanging is wrong, too.
 */
#include <dirent.h>
#include <errno.h>
#include <perflite.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const clock_event[] = {"event=cpu-clock", NULL};
static const char *const short_watch[] = {"event=cpu-clock", "duration=50ms", NULL};
static const char *const command_true[] = {"true", NULL};
static const char *const command_sleep[] = {"sleep", "60", NULL};
static struct perflite_error error;

static struct perflite *watch(const char *const *command, const char *const *options)
{
	struct perflite *p = perflite_watch(command, options, &error);

	if (p)
		return p;
	printf("cannot watch: %s\n", error.text);
	exit(1);
}

static void read_all(struct perflite *p)
{
	while (perflite_next(p, &error))
		;
	if (error.code)
		printf("%s\n", error.text);
}

static int nr_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int nr = 0;

	while (d && readdir(d))
		nr++;
	closedir(d);
	return nr;
}

/* A command that waits has copies of what the others have open. */
static void two_at_once(void)
{
	struct perflite *a = watch(command_true, clock_event);
	struct perflite *b = watch(command_true, clock_event);

	perflite_close(a);
	read_all(b);
	perflite_close(b);
}

static void children_ignored(void)
{
	struct perflite *p;

	signal(SIGCHLD, SIG_IGN);
	p = watch(command_true, clock_event);
	read_all(p);
	perflite_close(p);
}

static void killed_before_start(void)
{
	struct perflite *p = watch(command_sleep, clock_event);
	char line[64];

	snprintf(line, sizeof(line), "pkill -9 -P %d sleep; sleep 0.2", (int)getpid());
	if (system(line))
		puts("pkill failed");
	perflite_next(p, &error);
	perflite_close(p);
}

/* Also the second call says what failed, and so does a table. */
static void fails_again(void)
{
	static const char *const command[] = {"./bad-interpreter", NULL};
	struct perflite *p = watch(command, clock_event);
	int i;

	for (i = 0; i < 2; i++)
		if (perflite_next(p, &error) || !error.code)
			puts("no error");
	if (perflite_samples(p, NULL, "comm", 0, &error) || !error.code)
		puts("no error of a table");
	perflite_close(p);
	if (waitpid(-1, NULL, WNOHANG) != -1)
		puts("a child is left");
}

static void keeps_limits(void)
{
	struct rlimit limit = {256, 4096}, after;
	int files = nr_files();
	struct perflite *p;

	setrlimit(RLIMIT_NOFILE, &limit);
	p = watch(NULL, short_watch);
	read_all(p);
	perflite_close(p);
	getrlimit(RLIMIT_NOFILE, &after);
	if (after.rlim_cur != limit.rlim_cur)
		printf("limit %lu\n", (unsigned long)after.rlim_cur);
	if (nr_files() != files)
		printf("%d files, not %d\n", nr_files(), files);
}

static void no_children_left(void)
{
	/* perf-lite itself leaves closing many tracepoints to a child; they take some rights */
	static const char *const options[] = {"event=sched:*", "duration=20ms", NULL};
	struct perflite *p = perflite_watch(NULL, options, NULL);

	if (p)
		read_all(p);
	perflite_close(p);
	p = watch(command_sleep, clock_event);
	perflite_next(p, &error);
	perflite_close(p);
	if (waitpid(-1, NULL, WNOHANG) != -1)
		puts("a child is left");
}

static void stopped_before_start(void)
{
	static const char *const command[] = {"touch", "started", NULL};
	struct perflite *p = watch(command, clock_event);

	perflite_stop(p);
	read_all(p);
	perflite_close(p);
	if (!access("started", F_OK))
		puts("the command ran");
}

static void nothing_named(void)
{
	struct perflite *p = watch(NULL, short_watch);

	if (perflite_samples(p, NULL, NULL, 0, &error) || perflite_count(p, NULL, NULL, &error))
		puts("no error");
	perflite_close(p);
	perflite_close(NULL);
	perflite_table_free(NULL);
}

/* A child that forgets what its parent has opened changes nothing of it. */
static void forked(void)
{
	static const char *const options[] = {"event=cpu-clock", "duration=500ms", NULL};
	struct perflite *p = watch(NULL, options);
	const struct perflite_frame *frames;
	const struct perflite_item *item = NULL;
	uint64_t at, last = 0, value;
	int pid, status = 0, period = perflite_field(p, "period", &error);

	do
		item = perflite_next(p, &error);
	while (item && item->kind != PERFLITE_SAMPLE);
	if (!item)
		puts("no sample");
	at = item ? item->time : 0;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (perflite_number(p, period, &value) || perflite_frames(p, &frames, &error))
			puts("the child has its parent's sample");
		if (perflite_next(p, &error) || error.code != EPERM ||
		    perflite_samples(p, NULL, "comm", 0, &error) || error.code != EPERM)
			puts("the child reads");
		perflite_stop(p);
		perflite_close(p);
		exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		printf("the child ended with %d\n", status);
	while ((item = perflite_next(p, &error)))
		if (item->kind == PERFLITE_SAMPLE)
			last = item->time;
	if (last < at + 300000000)
		printf("no samples after %d ms\n", (int)((last - at) / 1000000));
	perflite_close(p);
}

static int naps(void)
{
	int pid;

	prctl(PR_SET_NAME, "naps");
	pid = fork();
	if (pid) {
		prctl(PR_SET_NAME, "host");
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		usleep(1000);
}

/* What is watched has spans, and nobody else has any. */
static void only_spans_of(struct perflite *p, const char *names)
{
	static const char *const by_comm[] = {"by=comm", NULL};
	struct perflite_table *t = perflite_latency(p, NULL, by_comm, &error);
	const struct perflite_column *comm = t ? perflite_table_column(t, 0) : NULL;
	uint32_t i;

	if (!comm || !comm->nr_texts)
		printf("no spans %s\n", error.text);
	for (i = 0; comm && i < comm->nr_texts; i++)
		if (!strstr(names, comm->texts[i]))
			printf("spans of %s\n", comm->texts[i]);
	perflite_table_free(t);
	perflite_close(p);
}

/* A table that is refused, also more than once, changes nothing of the next one. */
static void refused_before(void)
{
	static const char *const command[] = {"sh", "-c", "sleep 0.1; sleep 0.1", NULL};
	static const struct {
		const char *preset, *options[2];
	} bad[] = {
		{NULL, {"min=abc"}},   /* no option */
		{"nosuch", {NULL}},    /* before it is known whose spans they are */
		{NULL, {"by=nosuch"}}, /* after that */
		{NULL, {"filter=nosuch == 1"}},
	};
	char pid[32];
	const char *const of_command[] = {"latency=off-cpu", NULL};
	const char *const of_pid[] = {"latency=off-cpu", "duration=100ms", pid, NULL};
	const char *const not_enough[] = {"event=sched:sched_switch", pid, NULL};
	const int child = naps();
	struct perflite *p;
	int i;

	snprintf(pid, sizeof(pid), "pid=%d", child);
	for (i = 0; i < 8; i++) {
		p = watch(i % 2 ? command : NULL, i % 2 ? of_command : of_pid);
		if (perflite_latency(p, bad[i / 2].preset, bad[i / 2].options, &error) ||
		    perflite_latency(p, bad[i / 2].preset, bad[i / 2].options, &error))
			puts("no error");
		only_spans_of(p, i % 2 ? "sh sleep" : "naps");
	}
	p = watch(NULL, not_enough);
	for (i = 0; i < 2; i++)
		if (perflite_latency(p, "off-cpu", NULL, &error))
			puts("no error");
	perflite_close(p);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Where a text or a struct is missing, an error says so. */
static void missing_arguments(void)
{
	struct perflite *p = perflite_open("drops/drops.data", NULL, &error);

	if (!p || perflite_field(p, NULL, &error) != -EINVAL || !*error.text)
		puts("a field without a name");
	if (perflite_fact(p, NULL))
		puts("a fact without a name");
	if (perflite_samples(p, NULL, NULL, 0, &error) || error.code != EINVAL)
		puts("a table of no fields");
	if (perflite_count(p, NULL, NULL, &error) || error.code != EINVAL)
		puts("a count by nothing");
	perflite_close(p);
	if (perflite_open(NULL, NULL, &error) || error.code != EINVAL || !*error.text)
		puts("a recording without a name");
	perflite_stop(NULL);
	perflite_close(NULL);
	perflite_table_free(NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"two-at-once", two_at_once},
		{"children-ignored", children_ignored},
		{"killed-before-start", killed_before_start},
		{"fails-again", fails_again},
		{"keeps-limits", keeps_limits},
		{"no-children-left", no_children_left},
		{"stopped-before-start", stopped_before_start},
		{"nothing-named", nothing_named},
		{"forked", forked},
		{"refused-before", refused_before},
		{"missing-arguments", missing_arguments},
	};
	size_t i;

	alarm(30);
	for (i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, argv[1]))
			cases[i].run();
	return 0;
}
