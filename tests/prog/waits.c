// SPDX-License-Identifier: GPL-2.0
/*
 * waits - waits in known ways, and prints how long it waited by its own clock, CLOCK_MONOTONIC, in ns.
 *
 *	waits sleeps N MS           N times for a timer of MS ms. Prints WAITED SHORTEST LONGEST
 *	waits locks N MS            N times for a mutex that another thread holds for MS ms; likewise,
 *	                            but the longest may be a wait for that thread at a barrier
 *	waits crowd THREADS N MS    all threads at once, N times each: "sleep", then "futex", which nobody wakes, of MS ms
 *	waits reads N FILE          "read": N times 4 KiB past the page cache, one after the other
 *	waits levels DEPTH MS       a function, level(), that calls itself, and sleeps on each level: "outside" is around the
 *	                            call, "inside" in it. On the last one it forks: the child returns through all of them
 *	waits leaves MS             the first thread exits, and another one sleeps for MS ms. Prints nothing
 *	waits execs N               "exec": it executes itself N times, the last time from a second thread
 *	waits connects N            "connect": N TCP connections to itself, of which each second one has to send again after
 *	                            a second, and "life", until both ends are closed. First "port PORT 0 0"
 *	waits hogs THREADS MS       threads that never sleep, until MS ms are over. Prints "hog TID RUN DELAY", as
 *	                            /proc/self/task/TID/schedstat has them, "wall TID BEGIN END"; goes on, asleep, until the end
 *	                            of standard input
 *
 * Where no other form is said, each wait is a line "WHAT TID BEGIN END".
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef unsigned long long ns_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static long threads, times, ms;

static ns_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (ns_t)ts.tv_sec * 1000000000ull + (ns_t)ts.tv_nsec;
}

static int my_tid(void)
{
	return (int)syscall(SYS_gettid);
}

static void sleep_ms(void)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void failed(const char *what)
{
	perror(what);
	exit(1);
}

/* --- waits that are printed when all is over, since printing takes time, too --- */

struct wait {
	const char *what;
	int tid;
	ns_t begin, end;
};

static struct wait *waits;
static atomic_long nr_waits;

static void wait_room(long most)
{
	waits = calloc((size_t)most, sizeof(*waits));
	if (!waits)
		failed("calloc");
}

static void wait_over(const char *what, ns_t begin)
{
	ns_t end = now();

	waits[nr_waits++] = (struct wait){what, my_tid(), begin, end};
}

static void wait_print(void)
{
	long i;

	for (i = 0; i < nr_waits; i++)
		printf("%s %d %llu %llu\n", waits[i].what, waits[i].tid, waits[i].begin,
		       waits[i].end);
	fflush(stdout);
}

/* --- sleeps, locks --- */

/* Holds the mutex for ms once the other thread is about to take it. */
static void *hold(void *arg)
{
	long i;

	prctl(PR_SET_NAME, "holder");
	for (i = 0; i < times; i++) {
		pthread_mutex_lock(&mutex);
		pthread_barrier_wait(&held);
		sleep_ms();
		pthread_mutex_unlock(&mutex);
		pthread_barrier_wait(&held);
	}
	return arg;
}

/* The time since t, and the longest so far. */
static ns_t waited_since(ns_t t, ns_t *most)
{
	t = now() - t;
	*most = t > *most ? t : *most;
	return t;
}

static void wait_for_holder(ns_t *most)
{
	ns_t t = now();

	pthread_barrier_wait(&held);
	waited_since(t, most);
}

static void wait_in_turn(bool locks)
{
	ns_t sum = 0, least = ~0ull, most = 0, t;
	pthread_t holder;
	long i;

	pthread_barrier_init(&held, NULL, 2);
	if (locks && pthread_create(&holder, NULL, hold, NULL))
		failed("pthread_create");
	for (i = 0; i < times; i++) {
		if (locks)
			wait_for_holder(&most);
		t = now();
		if (locks)
			pthread_mutex_lock(&mutex);
		else
			sleep_ms();
		t = waited_since(t, &most);
		if (locks) {
			pthread_mutex_unlock(&mutex);
			wait_for_holder(&most);
		}
		sum += t;
		least = t < least ? t : least;
	}
	printf("%llu %llu %llu\n", sum, least, most);
}

/* --- threads --- */

static pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_attr_t small;
	pthread_t t;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	if (pthread_create(&t, &small, run, arg))
		failed("pthread_create");
	return t;
}

static void *wait_in_crowd(void *arg)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};
	int word = 0;
	ns_t t;
	long i;

	pthread_barrier_wait(&held);
	for (i = 0; i < times; i++) {
		t = now();
		sleep_ms();
		wait_over("sleep", t);
		t = now();
		/* not private, as those of the C library are */
		syscall(SYS_futex, &word, FUTEX_WAIT, 0, &ts, NULL, 0);
		wait_over("futex", t);
	}
	return arg;
}

static void crowd(void)
{
	pthread_t *t = calloc((size_t)threads, sizeof(*t));
	long i;

	pthread_barrier_init(&held, NULL, (unsigned int)threads);
	wait_room(threads * times * 2);
	for (i = 0; t && i < threads; i++)
		t[i] = start(wait_in_crowd, NULL);
	for (i = 0; t && i < threads; i++)
		pthread_join(t[i], NULL);
	wait_print();
}

static atomic_int *hog_tids;
static atomic_long hogs_ready, hogs_done;
static ns_t hogs_until;

static void *be_hog(void *arg)
{
	atomic_int *tid = arg;

	*tid = my_tid();
	hogs_ready++;
	while (now() < hogs_until)
		;
	hogs_done++;
	/* for ever */
	pthread_mutex_lock(&mutex);
	return arg;
}

static bool is_asleep(int tid)
{
	char path[64], line[512] = "", *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "re");
	state = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (f)
		fclose(f);
	return state && state[2] == 'S';
}

static void hogs(void)
{
	ns_t begin = now(), run, delay;
	char path[64], c;
	FILE *f;
	long i;

	hog_tids = calloc((size_t)threads, sizeof(*hog_tids));
	if (!hog_tids)
		failed("calloc");
	pthread_mutex_lock(&mutex);
	hogs_until = begin + (ns_t)ms * 1000000;
	for (i = 0; i < threads; i++)
		start(be_hog, &hog_tids[i]);
	for (i = 0; i < threads; i++)
		while (hogs_done < threads || !is_asleep(hog_tids[i]))
			usleep(10000);
	for (i = 0; i < threads; i++) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", hog_tids[i]);
		f = fopen(path, "re");
		if (!f || fscanf(f, "%llu %llu", &run, &delay) != 2)
			failed(path);
		fclose(f);
		printf("hog %d %llu %llu\n", hog_tids[i], run, delay);
	}
	printf("wall %d %llu %llu\n", my_tid(), begin, now());
	fflush(stdout);
	if (read(STDIN_FILENO, &c, 1) < 0)
		failed("standard input");
}

/* --- reads --- */

static void reads(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *page = aligned_alloc(4096, 4096);
	ns_t t;
	long i;

	if (fd < 0 || !page)
		failed(path);
	wait_room(times);
	for (i = 0; i < times; i++) {
		t = now();
		if (pread(fd, page, 4096, i * 4096) != 4096)
			failed(path);
		wait_over("read", t);
	}
	wait_print();
}

/* --- levels --- */

static bool is_child;

__attribute__((noinline)) void level(long depth)
{
	ns_t inside = now(), outside;
	pid_t child;

	sleep_ms();
	if (depth > 1) {
		outside = now();
		level(depth - 1);
		wait_over("outside", outside);
	} else {
		child = fork();
		is_child = !child;
		if (!is_child)
			waitpid(child, NULL, 0);
	}
	wait_over("inside", inside);
}

static void levels(void)
{
	ns_t t;

	wait_room(times * 2);
	t = now();
	level(times);
	wait_over("outside", t);
	if (!is_child)
		wait_print();
}

/* --- execs --- */

static char *exec_args[4];

static void *execute(void *arg)
{
	static char begin[32];

	snprintf(begin, sizeof(begin), "%llu", now());
	exec_args[3] = begin;
	execve("/proc/self/exe", (char *[]){"waits", "execs", exec_args[2], begin, NULL}, environ);
	failed("execve");
	return arg;
}

/* begin: of the one before, NULL: this is the first */
static void execs(const char *begin)
{
	char left[32];

	if (begin) {
		printf("exec %d %s %llu\n", my_tid(), begin, now());
		fflush(stdout);
	}
	if (!times)
		return;
	snprintf(left, sizeof(left), "%ld", times - 1);
	exec_args[2] = left;
	if (times > 1)
		execute(NULL);
	else
		pthread_join(start(execute, NULL), NULL);
}

/* --- leaves --- */

static void *stay(void *arg)
{
	sleep_ms();
	exit(0);
	return arg;
}

/* --- connects --- */

static int listener(struct sockaddr_in *addr)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*addr = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	/* room for a single connection that is not accepted yet: others are not answered */
	if (fd < 0 || bind(fd, (struct sockaddr *)addr, len) || listen(fd, 0) ||
	    getsockname(fd, (struct sockaddr *)addr, &len))
		failed("listen");
	return fd;
}

static void *connect_to(void *arg)
{
	const struct sockaddr_in *addr = arg;
	ns_t t = now();
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		failed("connect");
	wait_over("connect", t);
	return (void *)(long)fd;
}

/* The first fills the queue, so the second waits until it is asked again; meanwhile the first is accepted. */
static void connects(void)
{
	struct sockaddr_in addr;
	int fd = listener(&addr), accepted;
	void *first, *second;
	pthread_t late;
	ns_t t;
	long i;

	wait_room(times * 2);
	printf("port %d 0 0\n", ntohs(addr.sin_port));
	for (i = 0; i + 1 < times; i += 2) {
		t = now();
		first = connect_to(&addr);
		late = start(connect_to, &addr);
		usleep(300000);
		accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		close((int)(long)first);
		close(accepted);
		wait_over("life", t);
		pthread_join(late, &second);
		accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
		close((int)(long)second);
		close(accepted);
		wait_over("life", t);
	}
	wait_print();
}

static long number(const char *text)
{
	return text ? atol(text) : 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	const char *last = argc > 3 ? argv[3] : NULL;

	times = number(argc > 2 ? argv[2] : NULL);
	ms = number(last);
	if ((!strcmp(what, "sleeps") || !strcmp(what, "locks")) && last) {
		wait_in_turn(!strcmp(what, "locks"));
	} else if (!strcmp(what, "crowd") && argc > 4) {
		threads = times;
		times = ms;
		ms = number(argv[4]);
		crowd();
	} else if (!strcmp(what, "hogs") && last) {
		threads = times;
		hogs();
	} else if (!strcmp(what, "reads") && last) {
		reads(last);
	} else if (!strcmp(what, "levels") && last) {
		levels();
	} else if (!strcmp(what, "execs")) {
		execs(last);
	} else if (!strcmp(what, "leaves")) {
		ms = times;
		start(stay, NULL);
		pthread_exit(NULL);
	} else if (!strcmp(what, "connects")) {
		connects();
	} else {
		return 2;
	}
	return 0;
}
