// SPDX-License-Identifier: GPL-2.0
#include "util/capture/targets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base/num.h"
#include "util/kernel/proc.h"

/* A thread named twice is recorded once. */
static int add_target(struct targets *t, s32 tid, struct err *err)
{
	s32 *slot;

	if (hmap_get(&t->known, (u32)tid) != ID_NONE)
		return 0;
	slot = vec_push(t);
	if (!slot || !hmap_set(&t->known, (u32)tid, 1))
		return err_nomem(err);
	*slot = tid;
	return 0;
}

/* -ESRCH without a message if it has ended. */
static int add_threads(int proc, u32 pid, struct targets *t, struct err *err)
{
	struct proc_ids tids = {0};
	int ret = 0;
	u32 i;

	if (proc_tids(proc, pid, &tids, NULL) || !tids.nr)
		ret = -ESRCH;
	for (i = 0; !ret && i < tids.nr; i++)
		ret = add_target(t, (s32)tids.v[i], err);
	free(tids.v);
	return ret;
}

static int add_process(int proc, u32 pid, struct targets *t, struct err *err)
{
	int ret = add_threads(proc, pid, t, err);
	u32 *slot;

	if (ret)
		return ret;
	slot = vec_push(&t->processes);
	if (!slot)
		return err_nomem(err);
	*slot = pid;
	return 0;
}

static bool is_wanted(int proc, u32 pid, const struct targets_wanted *w)
{
	char comm[64];
	u32 user;

	return (w->comm && proc_comm(proc, pid, pid, comm) && !strcmp(comm, w->comm)) ||
	       (w->by_user && proc_user(proc, pid, &user) && user == w->user);
}

bool targets_any_named(int proc, const char *comm)
{
	const struct targets_wanted w = {.comm = comm};
	struct proc_ids pids = {0};
	bool any = false;
	u32 i;

	if (!proc_pids(proc, &pids, NULL))
		for (i = 0; i < pids.nr && !any; i++)
			any = is_wanted(proc, pids.v[i], &w);
	free(pids.v);
	return any;
}

/* Those that have the name, or are of the user. */
static int add_like(int proc, const struct targets_wanted *w, struct targets *t, struct err *err)
{
	struct proc_ids pids = {0};
	int ret = proc_pids(proc, &pids, err);
	u32 i;

	for (i = 0; !ret && i < pids.nr; i++) {
		if (!is_wanted(proc, pids.v[i], w))
			continue;
		/* one that ends at this moment is not missed */
		ret = add_process(proc, pids.v[i], t, err);
		if (ret == -ESRCH)
			ret = 0;
	}
	free(pids.v);
	if (ret || t->nr)
		return ret;
	if (w->comm) {
		err_set(err, ESRCH, "no process is named '%s'", w->comm);
		err_hint(err, "names are cut at 15 characters; see them with: ps -eo comm");
	} else {
		err_set(err, ESRCH, "user %u has no process", w->user);
		err_hint(err, "see whose there are: ps -eo user | sort | uniq -c");
	}
	return -ESRCH;
}

static int add_thread(int proc, u32 tid, struct targets *t, struct err *err)
{
	u32 pid, ppid;

	return proc_status(proc, tid, &pid, &ppid) ? add_target(t, (s32)tid, err) : -ESRCH;
}

/* Those who were named, one by one; the dead are noted. */
struct named {
	int (*add)(int proc, u32 id, struct targets *t, struct err *err);
	const u32 *ids;
	u32 nr;
	const char *what, *command;
};

static int add_named(int proc, const struct named *n, struct targets *t, struct buf *dead,
		     struct err *err)
{
	u32 i;
	int ret;

	for (i = 0; i < n->nr; i++) {
		ret = n->add(proc, n->ids[i], t, err);
		if (ret == -ESRCH) {
			buf_addf(dead, "there is no %s %u: it is left out\n", n->what, n->ids[i]);
			err_set(err, ESRCH, "there is no %s %u", n->what, n->ids[i]);
			err_hint(err, "see those that run with: %s", n->command);
		} else if (ret) {
			return ret;
		}
	}
	return 0;
}

int targets_find(int proc, const struct targets_wanted *w, struct targets *t, struct buf *notes,
		 struct err *err)
{
	const struct named processes = {add_process, w->pids, w->nr_pids, "process", "ps -e"};
	const struct named threads = {add_thread, w->tids, w->nr_tids, "thread", "ps -eL"};
	struct buf dead = {0};
	struct err why = {0};
	int ret = 0;

	if (w->system_wide)
		return add_target(t, -1, err);
	if (w->command)
		ret = add_target(t, (s32)w->command, &why);
	if (!ret)
		ret = add_named(proc, &processes, t, &dead, &why);
	if (!ret)
		ret = add_named(proc, &threads, t, &dead, &why);
	if (!ret && (w->comm || w->by_user))
		ret = add_like(proc, w, t, &why);
	if (!ret && !t->nr && why.code)
		ret = -why.code;
	if (ret && err)
		*err = why;
	else if (dead.len)
		buf_add(notes, dead.data, dead.len);
	buf_free(&dead);
	return ret;
}

int targets_new(int proc, struct targets *t, struct err *err)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < t->processes.nr; i++) {
		ret = add_threads(proc, t->processes.v[i], t, err);
		if (ret == -ESRCH)
			ret = 0;
	}
	return ret;
}

int targets_family(int proc, struct targets *t, struct err *err)
{
	struct proc_ids pids = {0};
	u32 i, pid, parent, before;
	int ret = proc_pids(proc, &pids, err);

	/* until no process has a parent that was not known yet */
	do {
		before = t->nr;
		for (i = 0; !ret && i < pids.nr; i++) {
			if (!proc_status(proc, pids.v[i], &pid, &parent) ||
			    (hmap_get(&t->known, pid) == ID_NONE &&
			     hmap_get(&t->known, parent) == ID_NONE))
				continue;
			ret = add_threads(proc, pid, t, err);
			if (ret == -ESRCH)
				ret = 0;
		}
	} while (!ret && t->nr != before);
	free(pids.v);
	return ret;
}

void targets_free(struct targets *t)
{
	vec_free(t);
	vec_free(&t->processes);
	hmap_free(&t->known);
}

int targets_ids_add(struct targets_ids *ids, const char *arg, const char *what, const char *hint,
		    struct err *err)
{
	char piece[16];
	size_t len;
	u64 id;

	for (;; arg += len + 1) {
		u32 *slot;

		len = strcspn(arg, ",");
		snprintf(piece, sizeof(piece), "%.*s", (int)MIN(len, sizeof(piece) - 1), arg);
		if (len >= sizeof(piece) || !num_u64(piece, &id) || !id || id > INT32_MAX) {
			err_set(err, EINVAL, "'%.*s' is not a %s", (int)len, arg, what);
			err_hint(err, "give numbers as ps shows them: 123,456%s", hint);
			return -EINVAL;
		}
		slot = vec_push(ids);
		if (!slot)
			return err_nomem(err);
		*slot = (u32)id;
		if (!arg[len])
			return 0;
	}
}
