// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that go and come back while their events are enabled, disabled, stopped, or cannot be opened; and what wakes the reader.
 * Which CPUs are online is said by a file of the test's own; the events are the running kernel's, of CPUs that stay.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/can.h"
#include "tests/unit/made.h"
#include "util/base/clock.h"
#include "util/capture/event_session.h"
#include "util/capture/shared_batches.h"
#include "util/event/ev_parse.h"
#include "util/event/ev_record.h"

static char dir[64];
static struct sysroot fake;

static void online(const char *list)
{
	int fd = openat(fake.fd, "sys/devices/system/cpu/online",
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, list, strlen(list)), 0);
	close(fd);
}

static int make_tree(void **state)
{
	char command[192];

	(void)state;
	made_folder(dir);
	snprintf(command, sizeof(command),
		 "mkdir -p %s/sys/devices/system/cpu && ln -s /proc %s/proc", dir, dir);
	return system(command) || sysroot_open(&fake, dir, NULL);
}

static int remove_tree(void **state)
{
	(void)state;
	sysroot_close(&fake);
	made_folder_gone(dir);
	return 0;
}

struct fixture {
	struct sysroot root;
	struct ev_env env;
	struct ev_list list;
	u32 cpu[2];
	struct cpus cpus;
	struct event_session_options options;
	struct event_session t;
	volatile sig_atomic_t stop;
	struct buf notes;
	struct err err;
};

static void begin_on(struct fixture *f, u32 nr_cpus, const struct targets_wanted *targets,
		     bool inherit, bool disabled)
{
	const struct ev_record_options plain = {.root_pid_namespace = true, .inherit = inherit};

	NEEDS("everybody");
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP_SINCE("no package brings it: a second CPU");
	memset(f, 0, sizeof(*f));
	assert_int_equal(sysroot_open(&f->root, "/", NULL), 0);
	f->env.root = &f->root;
	/* both count whatever the CPU does */
	if (ev_parse(&f->list, "cpu-clock,task-clock", &f->env, &f->err) ||
	    ev_record_configure(&f->list, &plain, &f->notes, &f->err))
		fail_msg("%s", f->err.msg);
	f->cpu[1] = 1;
	f->cpus = (struct cpus){.v = f->cpu, .nr = nr_cpus};
	f->options = (struct event_session_options){
		.cpus = &f->cpus,
		.targets = *targets,
		.rings = {.pages = 4, .keep_limits = true, .early = true},
		.disabled = disabled,
		.clockid = CLOCK_MONOTONIC,
		.stop = &f->stop,
	};
	online(nr_cpus == 2 ? "0-1\n" : "0\n");
	event_session_init(&f->t);
	if (event_session_open(&f->t, &f->options, &f->list, &fake, &f->notes, &f->err))
		fail_msg("%s", f->err.msg);
	event_session_enable_sideband(&f->t);
	if (event_session_start(&f->t, &f->err))
		fail_msg("%s", f->err.msg);
	/* the machine's own CPUs are not this test's */
	if (f->t.hotplug.events >= 0)
		close(f->t.hotplug.events);
	f->t.hotplug.events = -1;
}

/* Everybody's events of CPU 0 and 1, that are enabled unless `disabled`. */
static void begin(struct fixture *f, bool disabled)
{
	begin_on(f, 2, &(struct targets_wanted){.system_wide = true}, false, disabled);
}

static void end(struct fixture *f)
{
	event_session_close(&f->t, false);
	ev_list_free(&f->list);
	ev_env_close(&f->env);
	sysroot_close(&f->root);
	buf_free(&f->notes);
}

static int nothing_more(void *arg, u32 from, struct err *err)
{
	(void)err;
	*(u32 *)arg = from;
	return 0;
}

/* Look at the CPUs: the next that came, or false. */
static bool look(struct fixture *f, struct loss *loss)
{
	f->t.hotplug.checked = 0; /* it is always time */
	event_session_begin_round(&f->t, 0);
	return event_session_next_cpu(&f->t, loss);
}

/* CPU 1 was away, and is back. */
static int come_back(struct fixture *f)
{
	struct loss loss;
	u32 from;
	int ret;

	online("0\n");
	assert_false(look(f, &loss));
	online("0-1\n");
	assert_true(look(f, &loss));
	assert_int_equal(loss.cpu, 1);
	assert_int_equal(loss.cause, LOSS_OFFLINE);
	ret = event_session_return_cpu(&f->t, &loss, nothing_more, &from, &f->err);
	if (!ret && !f->t.stopped)
		assert_int_equal(from, f->t.rings.counters.nr - f->list.specs.nr);
	assert_false(event_session_next_cpu(&f->t, &loss));
	return ret;
}

static u64 count(const struct counter *c)
{
	u64 v[8];

	assert_true(read(c->fd, v, sizeof(v)) > 0);
	return v[0];
}

/* Do the open counters of that spec count on that CPU? */
static bool counts(const struct fixture *f, u32 spec, u32 cpu)
{
	const struct timespec a_while = {.tv_nsec = 3000000};
	const struct counters *all = &f->t.rings.counters;
	bool found = false, rises = false;
	u64 before;
	u32 i;

	for (i = 0; i < all->nr; i++) {
		if (all->v[i].spec != spec || all->v[i].cpu != cpu || all->v[i].fd < 0)
			continue;
		assert_false(found);
		found = true;
		before = count(&all->v[i]);
		nanosleep(&a_while, NULL);
		rises = count(&all->v[i]) > before;
	}
	assert_true(found);
	return rises;
}

static void returns_in_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, false);
	assert_int_equal(come_back(&f), 0);
	assert_true(counts(&f, 1, 0) && counts(&f, 2, 0));
	assert_true(counts(&f, 1, 1) && counts(&f, 2, 1));
	event_session_stop(&f.t);
	assert_false(counts(&f, 1, 0) || counts(&f, 2, 1));
	end(&f);
}

/* What was stopped stays so. */
static void returns_late(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, false);
	event_session_stop(&f.t);
	assert_int_equal(come_back(&f), 0);
	assert_false(counts(&f, 1, 0) || counts(&f, 2, 0));
	assert_false(counts(&f, 1, 1) || counts(&f, 2, 1));
	end(&f);
}

/* Some events are enabled, others are not. */
static void enabled_alone(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, true);
	assert_int_equal(event_session_enable(&f.t, true, 1, &f.err), 0);
	assert_int_equal(come_back(&f), 0);
	assert_true(counts(&f, 1, 0) && counts(&f, 1, 1));
	assert_false(counts(&f, 2, 0) || counts(&f, 2, 1));
	end(&f);
}

static void disabled_alone(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, false);
	assert_int_equal(event_session_enable(&f.t, false, 1, &f.err), 0);
	assert_int_equal(come_back(&f), 0);
	assert_false(counts(&f, 1, 0) || counts(&f, 1, 1));
	assert_true(counts(&f, 2, 0) && counts(&f, 2, 1));
	end(&f);
}

/* Does the guardian's table have that counter, and of how many does it say that they were closed? */
static bool is_shared(const struct shared_batches *h, s32 fd)
{
	u32 i;

	for (i = 0; i < h->nr_counters; i++)
		if (h->counters[i].fd == fd)
			return true;
	return false;
}

static u32 closed_of(const struct shared_batches *h, u32 spec)
{
	u32 i, nr = 0;

	for (i = 0; i < h->nr_counters; i++)
		nr += h->counters[i].fd < 0 && h->counters[i].spec == spec;
	return nr;
}

/* However often it came back, the guardian knows the counters that are open, and that others were. */
static void returns_often(void **state)
{
	struct shared_batches *h;
	struct fixture f;
	u32 i;

	(void)state;
	begin(&f, false);
	/* room for two generations of a CPU's */
	assert_int_equal(shared_batches_new(&h, 8, 12, 3, NULL), 0);
	rings_share(&f.t.rings, h);
	assert_int_equal(h->nr_counters, 6);
	assert_int_equal(closed_of(h, 1) + closed_of(h, 2), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(come_back(&f), 0);
	for (i = 0; i < f.t.rings.counters.nr; i++)
		if (f.t.rings.counters.v[i].fd >= 0)
			assert_true(is_shared(h, f.t.rings.counters.v[i].fd));
	assert_int_equal(h->nr_counters, 12);
	assert_true(closed_of(h, 1) && closed_of(h, 2));
	/* and what was closed is forgotten at last */
	for (i = 0; i < 700; i++)
		assert_int_equal(come_back(&f), 0);
	assert_true(f.t.rings.counters.nr < 1200);
	assert_true(counts(&f, 1, 1));
	end(&f);
	shared_batches_free(h);
}

/* What cannot be opened goes on to be lost, and is tried again. */
static void returns_in_vain(void **state)
{
	struct rlimit all, none;
	struct loss loss, last;
	struct fixture f;
	u32 from, i, cpu = 0, nr, alive;

	(void)state;
	begin(&f, false);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = all;
	online("0\n");
	assert_false(look(&f, &loss));
	online("0-1\n");
	assert_true(look(&f, &loss));
	assert_int_equal(loss.cpu, 1);
	/* there is room for the first of its three */
	for (i = 0; i < f.t.rings.counters.nr; i++)
		if (f.t.rings.counters.v[i].cpu == 1 && f.t.rings.counters.v[i].spec == 1)
			none.rlim_cur = (rlim_t)f.t.rings.counters.v[i].fd;
	alive = f.t.alive;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(event_session_return_cpu(&f.t, &loss, nothing_more, &from, &f.err),
			 -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
	assert_false(event_session_next_cpu(&f.t, &last));
	assert_int_equal(f.t.alive, alive);
	assert_true(hotplug_failed(&f.t.hotplug, 1));
	/* side-band alone is open, and were it over now the loss would be told */
	for (i = 0, nr = 0; i < f.t.rings.counters.nr; i++) {
		if (f.t.rings.counters.v[i].cpu != 1 || f.t.rings.counters.v[i].fd < 0)
			continue;
		assert_int_equal(f.t.rings.counters.v[i].spec, 0);
		nr++;
	}
	assert_int_equal(nr, 1);
	assert_true(event_session_away(&f.t, &cpu, &last));
	assert_int_equal(cpu, 1);
	assert_int_equal(last.from, loss.from);
	/* not at once, but after a while */
	assert_false(look(&f, &last));
	f.t.hotplug.again = 1;
	assert_true(look(&f, &last));
	assert_int_equal(last.cpu, 1);
	assert_int_equal(last.from, loss.from);
	assert_int_equal(event_session_return_cpu(&f.t, &last, nothing_more, &from, &f.err), 0);
	assert_true(last.to > last.from);
	assert_false(hotplug_failed(&f.t.hotplug, 1));
	assert_int_equal(f.t.hotplug.again, 0);
	cpu = 0;
	assert_false(event_session_away(&f.t, &cpu, &last));
	assert_true(counts(&f, 1, 1) && counts(&f, 2, 1));
	end(&f);
}

/* Is a child of this process recorded on a CPU that comes later? */
static bool takes_child(bool inherit)
{
	u32 self = (u32)getpid(), from, i;
	struct fixture f;
	struct loss loss;
	bool taken = false;
	int go[2];
	pid_t pid;
	char c;

	begin_on(&f, 1, &(struct targets_wanted){.pids = &self, .nr_pids = 1}, inherit, false);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		close(go[1]);
		_exit(read(go[0], &c, 1) != 0);
	}
	assert_true(pid > 0);
	online("0-1\n");
	assert_true(look(&f, &loss));
	assert_int_equal(event_session_return_cpu(&f.t, &loss, nothing_more, &from, &f.err), 0);
	assert_true(from < f.t.rings.counters.nr);
	for (i = from; i < f.t.rings.counters.nr; i++) {
		assert_int_equal(f.t.rings.counters.v[i].cpu, 1);
		taken |= f.t.rings.counters.v[i].tid == pid;
	}
	close(go[0]);
	close(go[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	end(&f);
	return taken;
}

static void children(void **state)
{
	(void)state;
	assert_true(takes_child(true));
	assert_false(takes_child(false));
}

static void read_rings(struct fixture *f)
{
	struct ring *r;
	u32 i;

	for (i = 0; i < f->t.rings.v.nr; i++) {
		r = &f->t.rings.v.v[i].ring;
		ring_begin(r);
		r->pos = r->head;
		ring_release(r);
	}
}

/* A record of side-band that came before side-band may wake again is not slept over. */
static void wakes_for_unread(void **state)
{
	const struct timespec a_while = {.tv_nsec = 30000000};
	u32 self = (u32)getpid();
	struct fixture f;
	u64 since;

	(void)state;
	begin_on(&f, 2, &(struct targets_wanted){.pids = &self, .nr_pids = 1}, false, true);
	assert_int_equal(prctl(PR_SET_NAME, "one"), 0);
	event_session_sleep(&f.t, 20000);
	assert_true(f.t.wake.woken);
	read_rings(&f);
	assert_int_equal(prctl(PR_SET_NAME, "two"), 0);
	nanosleep(&a_while, NULL);
	since = clock_ns(CLOCK_MONOTONIC);
	event_session_sleep(&f.t, 20000);
	assert_true(clock_ns(CLOCK_MONOTONIC) - since < 10000000000ull);
	end(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_in_time), cmocka_unit_test(returns_late),
		cmocka_unit_test(enabled_alone),   cmocka_unit_test(disabled_alone),
		cmocka_unit_test(returns_often),   cmocka_unit_test(returns_in_vain),
		cmocka_unit_test(children),        cmocka_unit_test(wakes_for_unread),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("event_session", tests, make_tree, remove_tree);
}
