// SPDX-License-Identifier: GPL-2.0
#include "util/file/perfdata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/base/io.h"
#include "util/file/foreign_order.h"
#include "util/file/perfdata_abi.h"
#include "util/file/perfdata_internal.h"
#include "util/file/stream.h"

/*
 * records of perf's own that say of the recording what else its header says.
 *
 * Source: tools/lib/perf/include/perf/event.h of the kernel tree.
 */

/* The attr contains its own size; the ids follow it. */
static int add_event(struct recording *r, struct cur c, struct err *err)
{
	struct cur peek = c;
	const u8 *attr;
	u32 size;

	cur_u32(&peek); /* type */
	size = cur_u32(&peek);
	if (!size)
		size = PERF_ATTR_SIZE_VER0;
	attr = cur_bytes(&c, size);
	if (!attr || size < PERF_ATTR_SIZE_VER0)
		return -EBADMSG;
	return perfdata_event_load(r, attr, size, c, err);
}

/*
 * As perf wrote it until 2012: the number of a tracepoint, and its name. Too late once events have their names: to look for
 * those of the number each time would take as long as there are events.
 */
static int event_type(struct recording *r, struct perfdata_names *names, bool late, struct cur c)
{
	u64 id = cur_u64(&c);
	const char *name = (const char *)c.p;

	if (c.bad || late)
		return -EBADMSG;
	return perfdata_names_add(names, r, id, name, strnlen(name, cur_left(&c))) ? 0 : -ENOMEM;
}

static int event_update(struct recording *r, struct cur c)
{
	u64 what = cur_u64(&c), id = cur_u64(&c);
	u32 event = hmap_get(&r->events.by_id, id);
	const char *name = (const char *)c.p;

	if (c.bad)
		return -EBADMSG;
	if (what != PERFDATA_UPDATE_NAME || event == ID_NONE)
		return 0;
	return event_set_name(&r->events, event, name, strnlen(name, cur_left(&c)));
}

static int feature(struct recording *r, struct cur c)
{
	u64 id = cur_u64(&c);

	if (c.bad)
		return -EBADMSG;
	return id < PERFDATA_FEATURES ? perfdata_feature_load(r, (u32)id, c) : 0;
}

/*
 * a stream that cannot seek, made one that can: copied to a file without a name.
 */

#define PIECE (256 * 1024)

static int open_unnamed(const char *dir)
{
	char path[4096];
	int fd;

	fd = io_open(AT_FDCWD, dir, O_TMPFILE | O_RDWR);
	if (fd >= 0 || fd == -ENOENT || fd == -EACCES || fd == -EROFS)
		return fd;
	/* a file system that knows no such files */
	if ((size_t)snprintf(path, sizeof(path), "%s/perf-lite.XXXXXX", dir) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int copy(struct stream *s, int fd)
{
	const u8 *p;
	size_t got;
	int ret;

	do {
		p = stream_peek(s, PIECE, &got);
		ret = io_write(fd, p, got);
		stream_skip(s, got);
	} while (!ret && got == PIECE);
	return ret ? ret : s->error;
}

/*
 * Copy the rest of the stream to a file in TMPDIR (/var/tmp), and let the stream read that file, from
 * the same position. On failure the stream is as far as it came, and still the caller's.
 */
static int perfdata_spool(struct stream *s, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	struct stream spooled;
	int fd, ret;

	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open_unnamed(dir);
	ret = fd < 0 ? fd : copy(s, fd);
	if (!ret && lseek(fd, 0, SEEK_SET) < 0)
		ret = -errno;
	if (!ret)
		ret = stream_init(&spooled, fd);
	if (!ret) {
		stream_close(s);
		*s = spooled;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	err_set(err, -ret,
		"cannot copy the perf.data file from the pipe to a file in %s, to read its end first: %s",
		dir, strerror(-ret));
	err_hint(err, "give it by name (-i perf.data), or TMPDIR=DIR with room for it");
	return ret;
}

struct perfdata {
	struct source source;
	struct recording recording;
	VEC(struct perfdata_records *) files; /* one, but in directories */
	u32 now;                              /* the one that is read */
	u64 round_max, time_max; /* newest time before the last round's end; newest time so far */
	bool given;              /* a record: the events are settled */
	struct perfdata_names names;
	struct foreign_order foreign;
	u8 *copy; /* of the record given last, where it could not stay: 64 KiB, or NULL */
};

/* A round is over: nothing older than the end of the round before can follow. */
static void finish_round(struct perfdata *p)
{
	if (p->round_max + 1 > p->source.order)
		p->source.order = p->round_max + 1;
	p->round_max = p->time_max;
}

/* Which event it is of, and how far time has come. */
static void know_record(struct perfdata *p, struct rec *rec)
{
	const struct event_set *events = &p->recording.events;
	u64 time;

	/* a single event need not have an id, nor one that is in the file */
	rec->event = events->events.nr == 1 ? 0 : event_set_find(events, rec);
	if (rec->event == ID_NONE)
		return;
	time = sample_layout_time(&events->events.v[rec->event].layout, rec);
	if (time != UINT64_MAX && time > p->time_max)
		p->time_max = time;
}

/* A copy that may be changed, aligned as records are; NULL: out of memory. */
static u8 *copy_record(struct perfdata *p, const struct perf_event_header *h, const u8 *data)
{
	if (!p->copy)
		p->copy = malloc(UINT16_MAX + 1);
	if (p->copy) {
		memcpy(p->copy, data, h->size);
		memcpy(p->copy, h, sizeof(*h));
	}
	return p->copy;
}

/*
 * A record of the kernel in host order, and aligned: records of perf's own before it may be of any
 * length. 1; 0: it cannot be read; <0.
 */
static int kernel_record(struct perfdata *p, const struct perfdata_records *r,
			 const struct perf_event_header *h, const u8 *data, struct rec *rec,
			 struct err *err)
{
	int ret = 1;

	if (r->swap || (uintptr_t)data % 8) {
		data = copy_record(p, h, data);
		if (data && r->swap)
			ret = foreign_order_record(&p->foreign, &p->recording, p->copy, h->size,
						   ID_NONE);
		if (!data || ret < 0)
			return err_nomem(err);
	}
	return ret && rec_view(rec, data, h->size);
}

/* What the record holds is missing. */
static void count_section(struct perfdata *p, const struct perfdata_records *r)
{
	if (!p->recording.damage.sections++)
		p->recording.damage.section_at = r->at;
}

static int tracing_data(struct perfdata *p, struct perfdata_records *r, struct cur c,
			struct err *err)
{
	struct buf b = {0};
	bool swap = c.swap;
	int ret;

	ret = perfdata_records_payload(r, cur_u32(&c), &b, err);
	if (ret > 0) {
		c = cur_init(buf_str(&b), b.len);
		c.swap = swap;
		ret = perfdata_feature_load(&p->recording, PERFDATA_FEATURE_TRACING_DATA, c);
		if (ret == -EBADMSG)
			count_section(p, r);
		ret = ret == -ENOMEM ? err_nomem(err) : 0;
	}
	buf_free(&b);
	return ret;
}

static void aux_trace(struct perfdata *p, struct perfdata_records *r, struct cur c)
{
	u64 size = cur_u64(&c);

	if (!perfdata_records_skip(r, size))
		return;
	p->recording.perf.traces++;
	p->recording.perf.trace_bytes += size;
}

/* With data behind it in the file. perf compresses no such record, and zstd still has bytes of the file to read. */
static int followed_record(struct perfdata *p, struct perfdata_records *r, u32 type, struct cur c,
			   struct err *err)
{
	if (r->inflating) {
		count_section(p, r);
		return 0;
	}
	if (type == PERFDATA_HEADER_TRACING_DATA)
		return tracing_data(p, r, c, err);
	aux_trace(p, r, c);
	return 0;
}

/*
 * A record that perf made. SOURCE_WAIT; SOURCE_RECORD: there is more to read; <0. Types that say nothing needed are passed
 * over; events may be added until a record is given out.
 */
static int user_record(struct perfdata *p, struct perfdata_records *r,
		       const struct perf_event_header *h, const u8 *data, struct err *err)
{
	struct cur c = cur_init(data + sizeof(*h), h->size - sizeof(*h));
	int ret = 0;

	c.swap = r->swap;
	if (h->type - PERFDATA_TYPE_FIRST < RECORDING_USER_TYPES)
		p->recording.perf.user_types[h->type - PERFDATA_TYPE_FIRST]++;
	switch (h->type) {
	case PERFDATA_FINISHED_ROUND:
		/* the rounds of one file say nothing of another's */
		if (p->files.nr > 1)
			break;
		finish_round(p);
		return SOURCE_WAIT;
	case PERFDATA_AUXTRACE:
	case PERFDATA_HEADER_TRACING_DATA:
		ret = followed_record(p, r, h->type, c, err);
		return ret ? ret : SOURCE_RECORD;
	case PERFDATA_HEADER_ATTR:
		ret = p->given ? -EBADMSG : add_event(&p->recording, c, err);
		break;
	case PERFDATA_HEADER_EVENT_TYPE:
		ret = event_type(&p->recording, &p->names, p->given, c);
		break;
	case PERFDATA_HEADER_BUILD_ID:
		ret = perfdata_build_id_load(&p->recording, h->misc, c);
		break;
	case PERFDATA_EVENT_UPDATE:
		ret = event_update(&p->recording, c);
		break;
	case PERFDATA_HEADER_FEATURE:
		ret = feature(&p->recording, c);
		break;
	}
	if (ret == -EBADMSG)
		count_section(p, r);
	else if (ret)
		return err_nomem(err);
	return SOURCE_RECORD;
}

static void end_of_file(struct perfdata *p, const struct perfdata_records *r)
{
	struct recording_damage *d = &p->recording.damage;

	if (!d->part && (d->blocks || d->cut))
		d->part = r->name;
	p->now++;
}

/* Where the kernel is: perf records its mapping first. */
static u64 kernel_start(const struct rec *rec)
{
	struct cur c = rec_body(rec);
	u64 start;

	if (rec->type != PERF_RECORD_MMAP ||
	    (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL)
		return 0;
	cur_skip(&c, 8); /* pid, tid */
	start = cur_u64(&c);
	return c.bad ? 0 : start;
}

/* What is given out first; -ENOMEM. */
static int first_record(struct perfdata *p, const struct rec *rec, struct err *err)
{
	p->given = true;
	p->recording.perf.kernel_start = kernel_start(rec);
	return perfdata_names_give(&p->names, &p->recording) ? 0 : err_nomem(err);
}

static int perfdata_next(struct source *s, struct rec *rec, struct err *err)
{
	struct perfdata *p = (struct perfdata *)s;
	struct perfdata_records *r;
	struct perf_event_header h;
	const u8 *data;
	int ret;

	while (p->now < p->files.nr) {
		r = p->files.v[p->now];
		if (s->want.brief_waits && !perfdata_records_wait(r))
			return SOURCE_WAIT;
		ret = perfdata_records_next(r, &h, &data, err);
		if (ret < 0)
			return ret;
		if (!ret) {
			end_of_file(p, r);
			continue;
		}
		if (h.type < PERFDATA_TYPE_FIRST) {
			ret = kernel_record(p, r, &h, data, rec, err);
			if (ret < 0)
				return ret;
			if (!ret)
				continue;
			know_record(p, rec);
			p->recording.at = r->at;
			ret = p->given ? 0 : first_record(p, rec, err);
			return ret ? ret : SOURCE_RECORD;
		}
		ret = user_record(p, r, &h, data, err);
		if (ret != SOURCE_RECORD)
			return ret;
	}
	if (!p->given && !perfdata_names_give(&p->names, &p->recording))
		return err_nomem(err);
	s->order = UINT64_MAX;
	return SOURCE_END;
}

static void perfdata_close(struct source *s)
{
	struct perfdata *p = (struct perfdata *)s;
	u32 i;

	for (i = 0; i < p->files.nr; i++) {
		perfdata_records_close(p->files.v[i]);
		free(p->files.v[i]);
	}
	vec_free(&p->files);
	perfdata_names_free(&p->names);
	foreign_order_free(&p->foreign);
	free(p->copy);
}

static const struct source_ops perfdata_ops = {
	.next = perfdata_next,
	.close = perfdata_close,
};

/* The records of one file, which takes the stream over if there is memory. */
static struct perfdata_records *add_file(struct perfdata *p, struct stream *in, bool swap)
{
	struct perfdata_records *r = calloc(1, sizeof(*r)), **slot;

	slot = r ? vec_push(&p->files) : NULL;
	if (!slot) {
		free(r);
		return NULL;
	}
	r->in = *in;
	r->swap = swap;
	p->recording.foreign = swap;
	r->end = in->size;
	r->damage = &p->recording.damage;
	*slot = r;
	return r;
}

/* A file: its tables first, then its records. */
static int open_file(struct perfdata *p, struct stream *in, struct err *err)
{
	struct recording_damage *damage = &p->recording.damage;
	struct perfdata_header h;
	struct perfdata_records *r;
	const u8 *d;
	size_t got;
	int ret;

	ret = in->seekable ? 0 : perfdata_spool(in, err);
	if (ret)
		return ret;
	d = stream_peek(in, PERFDATA_HEADER_SIZE, &got);
	ret = perfdata_header_parse(&h, d, got, in->size, err);
	if (!ret)
		ret = perfdata_header_load(&h, in->fd, &p->recording, damage, err);
	if (!ret && !perfdata_names_give(&p->names, &p->recording))
		ret = err_nomem(err);
	if (ret)
		return ret;
	r = add_file(p, in, h.swap);
	if (!r)
		return err_nomem(err);
	if (perfdata_header_is_whole(&h))
		r->end = h.data.offset + h.data.size;
	else
		damage->no_end = damage->no_tables = true;
	stream_seek(&r->in, h.data.offset);
	return 0;
}

static int open_pipe(struct perfdata *p, struct stream *in, bool swap, struct err *err)
{
	struct perfdata_records *r = add_file(p, in, swap);

	if (!r)
		return err_nomem(err);
	p->recording.perf.stream = true;
	stream_skip(&r->in, PERFDATA_PIPE_HEADER_SIZE);
	return 0;
}

/* perf finishes its file when it has recorded: of its default recordings, this is all that is known of the time of day. */
static u64 modified(const struct stream *in)
{
	struct stat st;

	return in->seekable && !fstat(in->fd, &st) && S_ISREG(st.st_mode) && st.st_mtime > 0
		       ? (u64)io_modified(&st)
		       : 0;
}

struct source *perfdata_open(struct stream *in, struct err *err)
{
	struct perfdata *p = calloc(1, sizeof(*p));
	enum perfdata_mode mode;
	bool swap = false;
	const u8 *d;
	size_t got;
	int ret;

	if (!p) {
		err_nomem(err);
		return NULL;
	}
	p->source.ops = &perfdata_ops;
	p->source.recording = &p->recording;
	p->recording.perfdata = true;
	p->recording.perf.modified = modified(in);
	p->recording.events.kernel_chains = true;
	d = stream_peek(in, PERFDATA_PIPE_HEADER_SIZE, &got);
	mode = perfdata_header_mode(d, got, &swap);
	ret = mode == PERFDATA_PIPE ? open_pipe(p, in, swap, err) : open_file(p, in, err);
	if (!ret)
		return &p->source;
	perfdata_names_free(&p->names);
	recording_free(&p->recording);
	free(p);
	return NULL;
}

int perfdata_add(struct source *s, struct stream *in, const char *name, struct err *err)
{
	struct perfdata *p = (struct perfdata *)s;
	struct perfdata_records *r = add_file(p, in, p->files.v[0]->swap);

	if (!r) {
		stream_close(in);
		return err_nomem(err);
	}
	r->name = arena_strdup(&s->recording->arena, name);
	return r->name ? 0 : err_nomem(err);
}
