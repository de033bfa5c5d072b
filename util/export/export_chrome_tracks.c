// SPDX-License-Identifier: GPL-2.0
#include "util/export/export_internal.h"

#include "util/base/json.h"
#include "util/base/text.h"
#include "util/process/process.h"

void export_chrome_time(u64 ns, struct buf *out)
{
	buf_dec(out, ns / 1000, 0);
	buf_addc(out, '.');
	buf_dec0(out, ns % 1000, 3);
}

void export_chrome_ids(u32 pid, u32 tid, struct buf *out)
{
	json_put_signed(out, "pid", (s32)pid);
	json_put_signed(out, "tid", (s32)tid);
}

void export_chrome_name(u32 pid, u32 tid, const char *what, const char *name, struct buf *out)
{
	buf_adds(out, "{\"ph\":\"M\"");
	export_chrome_ids(pid, tid, out);
	json_put_unsigned(out, "ts", 0);
	json_put_string(out, "name", what);
	json_put_open(out, "args", '{');
	json_put_string(out, "name", name);
	buf_adds(out, "}}");
}

static struct chrome_track *find_track(struct chrome_tracks *k, u32 pid, u32 tid)
{
	u64 key = (u64)pid << 32 | tid;
	u32 i = hmap_get(&k->track_of, key);
	struct chrome_track *t;

	if (i != ID_NONE)
		return &k->tracks.v[i];
	t = vec_push(&k->tracks);
	if (!t || !hmap_set(&k->track_of, key, k->tracks.nr - 1))
		return NULL;
	*t = (struct chrome_track){pid, tid, ID_NONE, ID_NONE};
	return t;
}

/* A process is called as its first thread; as any other that is known, until that is. */
static u32 process_name(struct chrome_tracks *k, u32 pid, const char *comm)
{
	const struct thread *t = process_find_thread(k->model, pid);
	const char *name;
	size_t len;

	name = t && t->pid == pid ? process_comm(k->model, t, &len) : NULL;
	return text_intern(&k->names, name ? name : comm);
}

bool chrome_tracks_see(struct chrome_tracks *k, u32 pid, u32 tid, const struct thread *thread,
		       const char *comm)
{
	struct chrome_track *t = find_track(k, pid, tid);
	u32 id = thread ? thread->comm : ID_NONE, process;

	if (!t)
		return false;
	if (t->name != ID_NONE && t->comm == id)
		return true;
	t->comm = id;
	t->name = text_intern(&k->names, comm);
	process = process_name(k, pid, comm);
	return t->name != ID_NONE && process != ID_NONE && hmap_set(&k->process_of, pid, process);
}

void chrome_tracks_put(struct chrome_tracks *k, struct buf *out)
{
	const struct chrome_track *t;
	u32 i, name;

	for (i = 0; i < k->tracks.nr; i++) {
		t = &k->tracks.v[i];
		name = hmap_get(&k->process_of, t->pid);
		if (name != ID_NONE) {
			buf_adds(out, ",\n");
			export_chrome_name(t->pid, t->tid, "process_name",
					   strtab_get(&k->names, name), out);
		}
		/* once for each process */
		hmap_set(&k->process_of, t->pid, ID_NONE);
		buf_adds(out, ",\n");
		export_chrome_name(t->pid, t->tid, "thread_name", strtab_get(&k->names, t->name),
				   out);
	}
}

void chrome_tracks_free(struct chrome_tracks *k)
{
	vec_free(&k->tracks);
	hmap_free(&k->track_of);
	hmap_free(&k->process_of);
	strtab_free(&k->names);
}
