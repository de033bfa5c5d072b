// SPDX-License-Identifier: GPL-2.0
#include "util/record/rec_build.h"

static size_t begin(struct buf *b, u32 type, u16 misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	size_t at = b->len;

	buf_add(b, &h, sizeof(h));
	return at;
}

static void add_name(struct buf *b, const char *name)
{
	size_t len = strlen(name) + 1;

	buf_add(b, name, len);
	buf_pad(b, '\0', ALIGN_UP(len, (size_t)8) - len);
}

static void finish(struct buf *b, size_t at, const struct sample_layout *layout,
		   const struct rec_ids *ids)
{
	static const struct rec_ids none;
	u64 type = layout->sample_type;
	struct perf_event_header h;

	if (!ids)
		ids = &none;
	if (layout->id_size) {
		if (type & PERF_SAMPLE_TID) {
			buf_u32(b, ids->pid);
			buf_u32(b, ids->tid);
		}
		if (type & PERF_SAMPLE_TIME)
			buf_u64(b, ids->time);
		if (type & PERF_SAMPLE_ID)
			buf_u64(b, ids->id);
		if (type & PERF_SAMPLE_STREAM_ID)
			buf_u64(b, ids->stream_id);
		if (type & PERF_SAMPLE_CPU) {
			buf_u32(b, ids->cpu == ID_NONE ? 0 : ids->cpu);
			buf_u32(b, 0);
		}
		if (type & PERF_SAMPLE_IDENTIFIER)
			buf_u64(b, ids->id);
	}
	if (b->failed)
		return;
	if (b->len - at > UINT16_MAX) {
		/* cannot be a record: names are at most PATH_MAX long */
		b->len = at;
		return;
	}
	memcpy(&h, b->data + at, sizeof(h));
	h.size = (u16)(b->len - at);
	memcpy(b->data + at, &h, sizeof(h));
}

void rec_build_comm(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		    u16 misc, u32 pid, u32 tid, const char *comm)
{
	size_t at = begin(b, PERF_RECORD_COMM, misc);

	buf_u32(b, pid);
	buf_u32(b, tid);
	add_name(b, comm);
	finish(b, at, layout, ids);
}

void rec_build_mmap2(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		     u16 misc, const struct rec_mmap2 *m)
{
	size_t at = begin(b, PERF_RECORD_MMAP2, misc);

	buf_u32(b, m->pid);
	buf_u32(b, m->tid);
	buf_u64(b, m->start);
	buf_u64(b, m->len);
	buf_u64(b, m->pgoff);
	buf_u32(b, m->maj);
	buf_u32(b, m->min);
	buf_u64(b, m->ino);
	buf_u64(b, m->ino_generation);
	buf_u32(b, m->prot);
	buf_u32(b, m->flags);
	add_name(b, m->name);
	finish(b, at, layout, ids);
}

void rec_build_mmap(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		    u16 misc, const struct rec_mmap2 *m)
{
	size_t at = begin(b, PERF_RECORD_MMAP, misc);

	buf_u32(b, m->pid);
	buf_u32(b, m->tid);
	buf_u64(b, m->start);
	buf_u64(b, m->len);
	buf_u64(b, m->pgoff);
	add_name(b, m->name);
	finish(b, at, layout, ids);
}

void rec_build_task(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		    u32 type, u32 pid, u32 ppid, u32 tid, u32 ptid, u64 time)
{
	size_t at = begin(b, type, 0);

	buf_u32(b, pid);
	buf_u32(b, ppid);
	buf_u32(b, tid);
	buf_u32(b, ptid);
	buf_u64(b, time);
	finish(b, at, layout, ids);
}

void rec_build_program(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		       u64 start, u32 len, const char *name)
{
	size_t at = begin(b, PERF_RECORD_KSYMBOL, 0);

	buf_u64(b, start);
	buf_u32(b, len);
	buf_u16(b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	buf_u16(b, 0);
	add_name(b, name);
	finish(b, at, layout, ids);
}

void rec_build_cgroup(struct buf *b, const struct sample_layout *layout, const struct rec_ids *ids,
		      u64 id, const char *path)
{
	size_t at = begin(b, PERF_RECORD_CGROUP, 0);

	buf_u64(b, id);
	add_name(b, path);
	finish(b, at, layout, ids);
}

void rec_build_namespaces(struct buf *b, const struct sample_layout *layout,
			  const struct rec_ids *ids, u32 pid, u32 tid,
			  const struct rec_namespace ns[static NR_NAMESPACES])
{
	size_t at = begin(b, PERF_RECORD_NAMESPACES, 0);
	u32 i;

	buf_u32(b, pid);
	buf_u32(b, tid);
	buf_u64(b, NR_NAMESPACES);
	for (i = 0; i < NR_NAMESPACES; i++) {
		buf_u64(b, ns[i].dev);
		buf_u64(b, ns[i].ino);
	}
	finish(b, at, layout, ids);
}
