// SPDX-License-Identifier: GPL-2.0
#include "util/capture/targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/kernel/proc.h"

/* A thread named twice is recorded once. */
static int add(struct targets *t, s32 tid, struct err *err)
{
	s32 *slot;
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (t->v[i] == tid)
			return 0;
	slot = vec_push(t);
	if (!slot)
		return err_nomem(err);
	*slot = tid;
	return 0;
}

static int not_there(const char *what, const char *command, u32 id, struct err *err)
{
	err_set(err, ESRCH, "there is no %s %u", what, id);
	err_hint(err, "see those that run with: %s", command);
	return -ESRCH;
}

static int add_process(int proc, u32 pid, struct targets *t, struct err *err)
{
	struct proc_ids tids = {0};
	int ret = 0;
	u32 i;

	if (proc_tids(proc, pid, &tids, NULL) || !tids.nr)
		ret = not_there("process", "ps -e", pid, err);
	for (i = 0; !ret && i < tids.nr; i++)
		ret = add(t, (s32)tids.v[i], err);
	free(tids.v);
	return ret;
}

static int add_by_name(int proc, const char *name, struct targets *t, struct err *err)
{
	struct proc_ids pids = {0};
	char comm[64];
	int ret = proc_pids(proc, &pids, err);
	u32 i;

	for (i = 0; !ret && i < pids.nr; i++) {
		if (!proc_comm(proc, pids.v[i], pids.v[i], comm) || strcmp(comm, name))
			continue;
		/* one that ends at this moment is not missed */
		ret = add_process(proc, pids.v[i], t, err);
		if (ret == -ESRCH)
			ret = 0;
	}
	free(pids.v);
	if (ret || t->nr)
		return ret;
	err_set(err, ESRCH, "no process is named '%s'", name);
	err_hint(err, "names are cut at 15 characters; see them with: ps -eo comm");
	return -ESRCH;
}

int targets_find(int proc, const struct targets_wanted *w, struct targets *t, struct err *err)
{
	u32 i, pid, ppid;
	int ret = 0;

	if (w->system_wide)
		return add(t, -1, err);
	if (w->command)
		ret = add(t, (s32)w->command, err);
	for (i = 0; !ret && i < w->nr_pids; i++)
		ret = add_process(proc, w->pids[i], t, err);
	for (i = 0; !ret && i < w->nr_tids; i++) {
		if (proc_status(proc, w->tids[i], &pid, &ppid))
			ret = add(t, (s32)w->tids[i], err);
		else
			ret = not_there("thread", "ps -eL", w->tids[i], err);
	}
	if (!ret && w->comm)
		ret = add_by_name(proc, w->comm, t, err);
	return ret;
}
