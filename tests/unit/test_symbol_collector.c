// SPDX-License-Identifier: GPL-2.0
/* Which functions a recording's samples stand in: records go in, SYMS and DSO blocks come out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>
#include <zstd.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/base/clock.h"
#include "util/capture/symbol_collector_internal.h"
#include "util/image/debug_file.h"

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T startup_64\n"
			       "ffffffff81000110 T vfs_read\n"
			       "ffffffff81000200 T do_exit\n"
			       "ffffffff81000280 T after_exit\n"
			       "ffffffff81000300 T _etext\n"
			       "ffffffffc0000000 t nf_hook\t[nf_tables]\n"
			       "ffffffffc0000100 t nf_last\t[nf_tables]\n"
			       "ffffffffc0002000 t bpf_prog_old\t[bpf]\n";

#define BASE 0x10000000ull
#define VDSO 0x7ffd00000000ull

/* What the samples stand in. */
int test_collect_one(int x);
int test_collect_two(int x);

__attribute__((noinline, used)) int test_collect_one(int x)
{
	return x * 3 + 1;
}

__attribute__((noinline, used)) int test_collect_two(int x)
{
	return x * 5 + 2;
}

struct world {
	struct symbol_collector *s;
	u64 order;
	struct event_set events;
	struct sample_layout layout;
	struct writer w;
	struct buf records[4096]; /* live until the flush */
	u32 nr;
	char folder[64], file[96], programs[2][96];
	u64 inodes[2], one, two; /* file offsets of the functions */
	int proc;
	u64 read; /* bytes of the file that were looked at */
};

static u64 offset_of(const void *function)
{
	char *end;
	u64 start = 0, pgoff = 0, addr = (u64)(uintptr_t)function;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && fgets(line, sizeof(line), f)) {
		start = strtoull(line, &end, 16);
		if (addr < start || addr >= strtoull(end + 1, &end, 16))
			continue;
		pgoff = strtoull(end + 6, NULL, 16);
		break;
	}
	fclose(f);
	return addr - start + pgoff;
}

static void put_file(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, data, len), 0);
	close(fd);
}

/* Two copies of this program, which is large: each test has links to them. */
static char copies[64];

static int make_copies(void **state)
{
	struct buf b = {0};
	char path[96];
	int i;

	(void)state;
	made_folder(copies);
	assert_int_equal(io_read_file(AT_FDCWD, "/proc/self/exe", &b, 1 << 28), 0);
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%d", copies, i);
		put_file(path, b.data, b.len);
	}
	buf_free(&b);
	return 0;
}

static int remove_copies(void **state)
{
	(void)state;
	made_folder_gone(copies);
	return 0;
}

static u64 inode(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct perf_event_attr attr = made_attr(MADE_TYPE), raw;
	u64 ids[] = {1, 2};
	char path[96];
	int i;

	made_folder(w->folder);
	snprintf(path, sizeof(path), "%s/kallsyms", w->folder);
	put_file(path, kallsyms, strlen(kallsyms));
	for (i = 0; i < 2; i++) {
		snprintf(w->programs[i], sizeof(w->programs[i]), "%s/program%d", w->folder, i);
		snprintf(path, sizeof(path), "%s/%d", copies, i);
		assert_int_equal(link(path, w->programs[i]), 0);
		w->inodes[i] = inode(w->programs[i]);
	}
	w->one = offset_of(test_collect_one);
	w->two = offset_of(test_collect_two);
	w->proc = open(w->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(event_set_add(&w->events, &attr, sizeof(attr), "side", ids, 1, NULL), 0);
	raw = made_attr(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_RAW);
	assert_int_equal(event_set_add(&w->events, &raw, sizeof(raw), "raw", ids + 1, 1, NULL), 1);
	raw = made_attr(PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	assert_int_equal(event_set_add(&w->events, &raw, sizeof(raw), "lean", NULL, 0, NULL), 2);
	w->events.events.v[2].layout.derive.tid_at = 4;
	raw = made_attr(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ |
			PERF_SAMPLE_CALLCHAIN);
	raw.read_format = PERF_FORMAT_GROUP;
	assert_int_equal(event_set_add(&w->events, &raw, sizeof(raw), "counts", NULL, 0, NULL), 3);
	w->layout = w->events.events.v[0].layout;
	w->s = symbol_collector_new(&w->events, &(struct symbol_collector_options){.proc = w->proc},
				    NULL);
	assert_non_null(w->s);
	snprintf(w->file, sizeof(w->file), "%s/out", w->folder);
	assert_int_equal(writer_open(&w->w, w->file, 0, NULL), 0);
	assert_int_equal(writer_publish(&w->w, NULL), 0);
	w->read = FILE_HEADER_SIZE;
	*state = w;
	return 0;
}

static void forget_records(struct world *w)
{
	while (w->nr)
		buf_free(&w->records[--w->nr]);
}

static int end(void **state)
{
	struct world *w = *state;

	forget_records(w);
	symbol_collector_free(w->s);
	event_set_free(&w->events);
	writer_close(&w->w, NULL);
	close(w->proc);
	made_folder_gone(w->folder);
	free(w);
	return 0;
}

static struct buf *next_record(struct world *w)
{
	assert_true(w->nr < ARRAY_SIZE(w->records));
	w->records[w->nr] = (struct buf){0};
	return &w->records[w->nr++];
}

static void give(struct world *w, const struct buf *b, u32 event,
		 const struct columns_stacks *stacks)
{
	struct rec rec;

	assert_true(!b->failed && rec_view(&rec, b->data, b->len));
	symbol_collector_record(w->s, &rec, event, stacks);
}

static void map_file(struct world *w, u64 time, u32 pid, u64 at, const char *name, u64 ino)
{
	struct rec_ids ids = {.time = time};
	struct rec_mmap2 m = {.pid = pid,
			      .tid = pid,
			      .start = at,
			      .len = 64 << 20,
			      .ino = ino,
			      .prot = PROT_READ | PROT_EXEC,
			      .name = name};
	struct buf *b = next_record(w);

	rec_build_mmap2(b, &w->layout, &ids, PERF_RECORD_MISC_USER, &m);
	give(w, b, 0, NULL);
}

static void map(struct world *w, u64 time, u32 pid, int program)
{
	map_file(w, time, pid, BASE, w->programs[program], w->inodes[program]);
}

static void comm(struct world *w, u64 time, u32 pid, bool exec)
{
	struct rec_ids ids = {.time = time};
	struct buf *b = next_record(w);

	rec_build_comm(b, &w->layout, &ids, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, pid, pid, "x");
	give(w, b, 0, NULL);
}

static void task(struct world *w, u64 time, u32 type, u32 pid, u32 ppid, u32 tid, u32 ptid)
{
	struct rec_ids ids = {.time = time};
	struct buf *b = next_record(w);

	rec_build_task(b, &w->layout, &ids, type, pid, ppid, tid, ptid, time);
	give(w, b, 0, NULL);
}

/* A sample's bytes are not needed behind the call. */
static void sample(struct world *w, u64 time, u32 pid, u32 tid, u64 ip, const u64 *chain, u32 nr,
		   const struct columns_stacks *stacks)
{
	struct made_sample m = {
		.id = 1, .ip = ip, .time = time, .pid = pid, .tid = tid, .chain = chain, .nr = nr};
	struct buf b = {0};

	made_sample(&b, &m);
	give(w, &b, 0, stacks);
	memset(b.data, 0xff, b.len);
	buf_free(&b);
}

static void user_sample(struct world *w, u64 time, u32 pid, u64 ip)
{
	sample(w, time, pid, pid, ip, NULL, 0, NULL);
}

static void raw_sample(struct world *w, u64 time, const u64 *words, u32 nr)
{
	struct buf b = {0};
	size_t at = made_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	buf_u64(&b, 2);
	buf_u32(&b, 10);
	buf_u32(&b, 10);
	buf_u64(&b, time);
	buf_u32(&b, nr * 8 + 4);
	buf_add(&b, words, nr * 8);
	buf_u32(&b, 0);
	made_end(&b, at);
	give(w, &b, 1, NULL);
	buf_free(&b);
}

/* A DSO's head as "SYMS 1 NAME:", with the folder left out of the name. */
static void show_head(const struct world *w, const char *type, struct cur *c, struct buf *out)
{
	struct dso_head h;
	size_t folder = strlen(w->folder);

	assert_true(dso_head_get(c, &h));
	if (h.name_len > folder && !memcmp(h.name, w->folder, folder)) {
		h.name += folder + 1;
		h.name_len -= folder + 1;
	}
	buf_addf(out, "%s %u %.*s:", type, h.class, (int)h.name_len, h.name);
}

static void show_dsos(const struct world *w, struct cur c, struct buf *out)
{
	size_t len;

	while (cur_left(&c)) {
		show_head(w, "DSO", &c, out);
		cur_lstr(&c, &len);
		buf_addf(out, " %s\n", len ? "image" : "file");
	}
	assert_false(c.bad);
}

static void show_functions(const struct world *w, struct cur c, struct buf *out)
{
	struct functions f = {0};
	const struct function *k;
	u32 i, n;

	assert_int_equal(functions_get(&f, c), 0);
	k = f.list.v;
	for (i = 0; i < f.dsos.nr; i++) {
		c = cur_init_le(f.heads.data + f.dsos.v[i].head, f.dsos.v[i].head_len);
		show_head(w, "SYMS", &c, out);
		for (n = 0; n < f.dsos.v[i].nr; n++, k++)
			buf_addf(out, " %s", f.names.data + k->name);
		buf_addc(out, '\n');
	}
	functions_free(&f);
}

/* What a FRAMES block says of each address: "FUNCTION@FILE" of its outermost frame. */
static void show_frames(struct cur *c, struct buf *out)
{
	const char *strings[64];
	u32 lens[ARRAY_SIZE(strings)], nr = cur_u32(c), i, function = 0, file = 0;
	u32 at;

	assert_in_range(nr, 1, ARRAY_SIZE(strings));
	for (i = 0; i < nr; i++) {
		lens[i] = cur_u32(c);
		strings[i] = cur_bytes(c, lens[i]);
		assert_non_null(strings[i]);
	}
	while (cur_left(c)) {
		cur_skip(c, 8);
		for (i = cur_u32(c); i; i--) {
			function = cur_u32(c);
			file = cur_u32(c);
			assert_int_not_equal(cur_u32(c), 0);
		}
		assert_in_range(function, 1, nr);
		assert_in_range(file, 1, nr);
		for (at = lens[file - 1]; at && strings[file - 1][at - 1] != '/';)
			at--;
		buf_addf(out, " %.*s@%.*s", (int)lens[function - 1], strings[function - 1],
			 (int)(lens[file - 1] - at), strings[file - 1] + at);
	}
}

/* A line for each DSO of a SYMS, DSO or FRAMES block. */
static void show_block(const struct world *w, const struct block *k, const u8 *p, struct buf *out)
{
	u8 *raw = malloc(k->raw_size);
	struct cur c = cur_init_le(raw, k->raw_size);

	if (k->flags & BLOCK_ZSTD)
		assert_int_equal(ZSTD_decompress(raw, k->raw_size, p, k->stored_size), k->raw_size);
	else
		memcpy(raw, p, k->raw_size);
	if (k->type == BLOCK_DSO) {
		show_dsos(w, c, out);
	} else if (k->type == BLOCK_SYMS) {
		show_functions(w, c, out);
	} else {
		show_head(w, "FRAMES", &c, out);
		show_frames(&c, out);
		assert_false(c.bad);
		buf_addc(out, '\n');
	}
	free(raw);
}

/* Blocks written since the last look. */
static void written(struct world *w, struct buf *out)
{
	struct buf b = {0};
	struct block k;

	assert_int_equal(io_read_file(AT_FDCWD, w->file, &b, 1 << 28), 0);
	while (w->read < b.len) {
		assert_true(block_get_header((u8 *)b.data + w->read, &k));
		show_block(w, &k, (u8 *)b.data + w->read + BLOCK_HEADER_SIZE, out);
		w->read += BLOCK_HEADER_SIZE + ALIGN_UP(k.stored_size, 8u);
	}
	buf_free(&b);
}

static void expect_head(struct world *w, const char *want, u32 want_head)
{
	struct buf head = {0}, got = {0};
	u32 nr = 77;

	assert_int_equal(symbol_collector_flush(w->s, w->order, &head, &nr, &w->w, NULL), 0);
	assert_int_equal(nr, want_head);
	assert_int_equal(head.len != 0, want_head != 0);
	forget_records(w);
	written(w, &got);
	assert_string_equal(buf_str(&got), want);
	buf_free(&head);
	buf_free(&got);
}

static void expect(struct world *w, const char *want)
{
	expect_head(w, want, 0);
}

/* Does it give a reason why the kernel's functions have no names? */
static void expect_notes(const struct world *w, bool want)
{
	struct buf notes = {0};

	symbol_collector_notes(w->s, &notes);
	assert_int_equal(!strncmp(buf_str(&notes), "kernel functions have no names: ", 32), want);
	buf_free(&notes);
}

/* Only where the program itself has DWARF. */
static void lines(void **state)
{
	struct world *w = *state;
	struct image img;
	bool has;

	assert_int_equal(image_open(&img, "/proc/self/exe", NULL), 0);
	has = debug_file_has(&img, DEBUG_FILE_DWARF);
	image_close(&img);
	if (!has)
		skip();
	w->s->options.inlines = true;
	map(w, 0, 10, 0);
	user_sample(w, 5, 10, BASE + w->one);
	expect(w, "DSO 1 program0: file\n"
		  "SYMS 1 program0: test_collect_one\n"
		  "FRAMES 1 program0: test_collect_one@test_symbol_collector.c\n");
	/* known by now: nothing more is said of it */
	user_sample(w, 7, 10, BASE + w->one);
	user_sample(w, 8, 10, BASE + w->two);
	expect(w, "SYMS 1 program0: test_collect_two\n"
		  "FRAMES 1 program0: test_collect_two@test_symbol_collector.c\n");
	/* into another file, what is seen from now on */
	symbol_collector_forget_written(w->s);
	user_sample(w, 10, 10, BASE + w->two);
	expect(w, "DSO 1 program0: file\n"
		  "SYMS 1 program0: test_collect_two\n"
		  "FRAMES 1 program0: test_collect_two@test_symbol_collector.c\n");
}

static void once(void **state)
{
	struct world *w = *state;

	map(w, 0, 10, 0);
	user_sample(w, 5, 10, BASE + w->one);
	user_sample(w, 6, 10, BASE + w->one + 1);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one\n");
	user_sample(w, 7, 10, BASE + w->one);
	user_sample(w, 8, 10, BASE + w->two);
	expect(w, "SYMS 1 program0: test_collect_two\n");
	/* nothing is mapped there; nobody knows that process */
	user_sample(w, 9, 10, 0x1000);
	user_sample(w, 9, 11, BASE + w->two);
	expect(w, "");
	assert_false(w->s->ksyms.opened);
}

/* Records come ring by ring: what counts is their time. */
static void as_of_its_moment(void **state)
{
	struct world *w = *state;

	map(w, 100, 10, 1);
	map(w, 0, 10, 0);
	user_sample(w, 150, 10, BASE + w->two);
	user_sample(w, 50, 10, BASE + w->one);
	expect(w, "DSO 1 program0: file\n"
		  "DSO 1 program1: file\n"
		  "SYMS 1 program0: test_collect_one\n"
		  "SYMS 1 program1: test_collect_two\n");
}

/* An address that is known is another function behind an exec or a new mapping. */
static void changed_spaces(void **state)
{
	struct world *w = *state;

	map(w, 0, 10, 0);
	user_sample(w, 5, 10, BASE + w->one);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one\n");
	comm(w, 10, 10, true);
	map(w, 11, 10, 1);
	user_sample(w, 15, 10, BASE + w->one);
	expect(w, "DSO 1 program1: file\nSYMS 1 program1: test_collect_one\n");
	/* the number of a process that has ended, used again */
	task(w, 20, PERF_RECORD_EXIT, 10, 1, 10, 1);
	task(w, 30, PERF_RECORD_FORK, 10, 1, 10, 1);
	comm(w, 30, 10, true);
	map(w, 31, 10, 0);
	user_sample(w, 35, 10, BASE + w->two);
	user_sample(w, 35, 10, BASE + w->one);
	expect(w, "SYMS 1 program0: test_collect_two\n");
}

static void halves(void **state)
{
	struct world *w = *state;
	u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000115, 0xffffffff81000200,
		       (u64)PERF_CONTEXT_USER,   BASE + w->one,      BASE + w->two + 1};
	struct columns_stacks first = {.kernel_new = true, .user_new = true}, again = {0};
	struct columns_stacks lies = {.kernel = 1, .user = 1};

	map(w, 0, 10, 0);
	map(w, 0, 20, 1);
	/* halves that are not new are not looked at, but for a process that has not had them */
	sample(w, 4, 10, 10, 0, chain, 6, &lies);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one test_collect_two\n");
	sample(w, 5, 10, 10, 0, chain, 6, &first);
	sample(w, 6, 20, 20, 0, chain, 6, &again);
	sample(w, 6, 20, 20, 0, chain, 6, &again);
	assert_int_equal(w->s->addresses.v.nr,
			 4); /* two of each half: those of process 10 are known */
	/* a caller is looked up at its own byte, and at the one before */
	expect_head(w,
		    "DSO 1 program1: file\nSYMS 1 program1: test_collect_one test_collect_two\n"
		    "SYMS 0 [kernel.kallsyms]: vfs_read do_exit\n",
		    1);
	sample(w, 7, 10, 10, 0, NULL, 0,
	       &(struct columns_stacks){.kernel = ID_NONE, .user = ID_NONE});
	assert_int_equal(w->s->addresses.v.nr, 0);
}

/* Of a half that is new, what lies on a path that the process has had before is not looked at. */
static void paths(void **state)
{
	struct world *w = *state;
	u64 two = BASE + w->two + 1, one = BASE + w->one + 1;
	u64 first[] = {(u64)PERF_CONTEXT_USER, one, two};
	u64 deeper[] = {(u64)PERF_CONTEXT_USER, one + 2, one, two};
	u64 other[] = {(u64)PERF_CONTEXT_USER, one + 1, one + 2, one, two};
	struct columns_stacks s = {
		.kernel = ID_NONE, .user = 1, .user_new = true, .user_first = 1, .user_nodes = 3};

	map(w, 0, 10, 0);
	map(w, 0, 20, 1);
	sample(w, 4, 10, 10, 0, first, 3, &s);
	assert_int_equal(w->s->addresses.v.nr, 2);
	/* even if it fell out of the cache of addresses; but the one below was no caller then */
	symbol_collector_forget_written(w->s);
	s.user = 2;
	s.user_from = 2;
	s.user_first = 4;
	s.user_nodes = 2;
	sample(w, 5, 10, 10, 0, deeper, 4, &s);
	assert_int_equal(w->s->addresses.v.nr, 4);
	/* the same path in another process */
	s.user = 3;
	s.user_from = 4;
	s.user_first = 6;
	sample(w, 6, 20, 20, 0, other, 5, &s);
	assert_int_equal(w->s->addresses.v.nr, 8);
	expect(w, "DSO 1 program0: file\nDSO 1 program1: file\n"
		  "SYMS 1 program0: test_collect_one test_collect_two\n"
		  "SYMS 1 program1: test_collect_one test_collect_two\n");
}

/* Its record, with a name of 12 letters. */
static void bpf_program(struct world *w, u64 time, u16 flags, const char *name)
{
	struct buf *b = next_record(w);
	size_t at = made_begin(b, PERF_RECORD_KSYMBOL, 0), tid;

	buf_u64(b, 0xffffffffc0002000);
	buf_u32(b, 0x100);
	buf_u16(b, PERF_RECORD_KSYMBOL_TYPE_BPF);
	buf_u16(b, flags);
	buf_add(b, name, 12);
	tid = w->layout.sample_type & PERF_SAMPLE_TID ? 8 : 0;
	buf_pad(b, '\0', 4 + tid);
	buf_u64(b, time);
	buf_pad(b, '\0', w->layout.id_size - tid - 8);
	made_end(b, at);
	give(w, b, 0, NULL);
}

static void the_kernel(void **state)
{
	struct world *w = *state;
	u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000200, 0xffffffffc0000005,
		       0xffffffffc0002005};
	struct buf head = {0};
	struct rec rec = {0};
	struct cur c;
	u32 nr;

	/* a bpf program is known by its record, whatever kallsyms says of its place */
	bpf_program(w, 0, 0, "bpf_prog_new");
	sample(w, 5, 10, 10, 0, chain, 4, NULL);
	assert_int_equal(symbol_collector_flush(w->s, w->order, &head, &nr, &w->w, NULL), 0);
	assert_int_equal(nr, 1);
	assert_true(rec_view(&rec, head.data, head.len));
	assert_int_equal(rec.size, head.len);
	assert_int_equal(rec.type, PERF_RECORD_MMAP);
	c = rec_body(&rec);
	cur_skip(&c, 8);
	assert_true(cur_u64(&c) == 0xffffffff81000000 && cur_u64(&c) == 0x300);
	buf_clear(&head);
	written(w, &head);
	assert_non_null(strstr(head.data, "SYMS 0 bpf_prog_new: bpf_prog_new\n"));
	assert_non_null(strstr(head.data, "SYMS 0 [kernel.kallsyms]: do_exit\n"));
	assert_non_null(strstr(head.data, "SYMS 0 [nf_tables]: nf_hook\n"));
	assert_null(strstr(head.data, "bpf_prog_old"));
	buf_free(&head);
	forget_records(w);
	expect_notes(w, false);
	/* told once */
	chain[1] = 0xffffffff81000281;
	sample(w, 6, 10, 10, 0, chain, 2, NULL);
	expect(w, "SYMS 0 [kernel.kallsyms]: after_exit\n");
	/* other bpf programs at the place of the one before, also within one block */
	chain[1] = 0xffffffffc0002005;
	bpf_program(w, 7, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog_new");
	bpf_program(w, 8, 0, "bpf_prog_two");
	sample(w, 9, 10, 10, 0, chain, 2, NULL);
	bpf_program(w, 10, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog_two");
	bpf_program(w, 11, 0, "bpf_prog_six");
	sample(w, 12, 10, 10, 0, chain, 2, NULL);
	expect(w, "SYMS 0 bpf_prog_two: bpf_prog_two\nSYMS 0 bpf_prog_six: bpf_prog_six\n");
}

/* Words of raw data that lie in code; others do not even ask where code is. */
static void raw_words(void **state)
{
	struct world *w = *state;
	u64 words[] = {1, 0x7fff00000000, 0, 0};
	struct rec_mmap2 m = {.pid = UINT32_MAX,
			      .start = 0xffffffffc0000000,
			      .len = 0x200,
			      .name = "[nf_tables]"};
	struct buf *b = next_record(w);

	raw_sample(w, 5, words, 4);
	assert_false(w->s->ksyms.opened);
	words[2] = 0xffff888012345678;
	words[3] = 0xffffffff81000110;
	raw_sample(w, 5, words, 4);
	assert_int_equal(w->s->addresses.v.nr, 1);
	rec_build_mmap(b, &w->layout, NULL, PERF_RECORD_MISC_KERNEL, &m);
	give(w, b, 0, NULL);
	expect_head(w, "SYMS 0 [kernel.kallsyms]: vfs_read\n", 1);
	words[2] = 0xffffffffc0000100;
	words[3] = 0xffffffffc0001000; /* of no module */
	raw_sample(w, 6, words, 4);
	words[3] = UINT64_MAX;
	raw_sample(w, 6, words, 4);
	expect(w, "SYMS 0 [nf_tables]: nf_last\n");
}

static void other_files(void **state)
{
	struct world *w = *state;

	map(w, 0, 10, 0);
	map(w, 0, 20, 1);
	user_sample(w, 5, 10, BASE + w->one);
	user_sample(w, 5, 20, BASE + w->one);
	expect(w, "DSO 1 program0: file\n"
		  "DSO 1 program1: file\n"
		  "SYMS 1 program0: test_collect_one\n"
		  "SYMS 1 program1: test_collect_one\n");
	/* the next file has only what its own samples need */
	symbol_collector_forget_written(w->s);
	user_sample(w, 6, 10, BASE + w->two);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_two\n");
	user_sample(w, 6, 20, BASE + w->one);
	expect(w, "DSO 1 program1: file\nSYMS 1 program1: test_collect_one\n");
}

/* Long names are kept whole until there are many of them. */
static void long_names(void **state)
{
	struct symbol_names n = {0};
	char *name = malloc(SYM_NAME_MAX + 2);
	size_t len;
	u32 i;

	(void)state;
	memset(name, 'n', SYM_NAME_MAX + 1);
	name[SYM_NAME_MAX + 1] = '\0';
	memcpy(name + SYMBOL_NAME_SHORT - 2, "\xe2\x82\xac", 3);
	assert_int_equal(symbol_names_length(&n, "f"), 1);
	for (i = 0; i < SYMBOL_NAMES_LONG / SYM_NAME_MAX; i++) {
		len = symbol_names_length(&n, name);
		assert_int_equal(len, SYM_NAME_MAX);
		symbol_names_add(&n, name, len);
		symbol_names_add(&n, "f", 1);
	}
	assert_int_equal(n.cut, i);
	/* no character is cut in two */
	assert_int_equal(symbol_names_length(&n, name), SYMBOL_NAME_SHORT - 2);
	assert_int_equal(symbol_names_length(&n, "f"), 1);
	free(name);
}

static void without_a_writer(void **state)
{
	struct world *w = *state;
	struct buf head = {0};
	u32 nr;

	map(w, 0, 10, 0);
	user_sample(w, 5, 10, BASE + w->one);
	assert_int_equal(symbol_collector_flush(w->s, w->order, &head, &nr, NULL, NULL), 0);
	user_sample(w, 5, 10, BASE + w->two);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one test_collect_two\n");
}

/* Files that are gone, are others by now, are no ELF files, or are FIFOs. */
static void bad_files(void **state)
{
	struct world *w = *state;
	char path[128];

	map_file(w, 0, 10, BASE, "/no/such/file", 5);
	user_sample(w, 5, 10, BASE + 5);
	expect(w, "DSO 1 /no/such/file: file\n");
	map_file(w, 6, 10, BASE, w->programs[0], w->inodes[0] + 1);
	user_sample(w, 7, 10, BASE + w->one);
	expect(w, "DSO 1 program0: file\n");
	snprintf(path, sizeof(path), "%s/kallsyms", w->folder);
	map_file(w, 8, 10, BASE, path, inode(path));
	user_sample(w, 9, 10, BASE + 5);
	expect(w, "DSO 1 kallsyms: file\n");
	snprintf(path, sizeof(path), "%s/fifo", w->folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	map_file(w, 10, 10, BASE, path, inode(path));
	user_sample(w, 11, 10, BASE + 5);
	expect(w, "DSO 1 fifo: file\n");
	map_file(w, 12, 10, BASE, "[vdso]", 0);
	user_sample(w, 13, 10, BASE + 0xfffff0);
	expect(w, "DSO 1 [vdso32]: file\n");
	map_file(w, 14, 10, VDSO, "[vdso]", 0);
	user_sample(w, 15, 10, VDSO + 0xfffff0);
	expect(w, "DSO 1 [vdso]: file\n");
}

/* Who unwinds the file's copies of stacks needs the vdso as it was. */
static void vdso_for_stacks(void **state)
{
	struct perf_event_attr attr =
		made_attr(PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	struct world *w = *state;

	assert_int_equal(event_set_add(&w->events, &attr, sizeof(attr), "deep", NULL, 0, NULL), 4);
	map_file(w, 0, 10, VDSO, "[vdso]", 0);
	user_sample(w, 5, 10, VDSO + 0xfffff0);
	expect(w, "DSO 1 [vdso]: image\n");
}

static void threads(void **state)
{
	struct world *w = *state;

	map(w, 0, 10, 0);
	/* a thread that no record told of shares its leader's mappings */
	sample(w, 5, 10, 12, BASE + w->one, NULL, 0, NULL);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one\n");
	assert_null(process_find_thread(&w->s->model, 12));
}

/* Stacks are unwound a while after the end of their process was read, perhaps for the next block. */
static void late_samples(void **state)
{
	struct world *w = *state;
	struct process *p;

	map(w, 0, 10, 0);
	task(w, 6, PERF_RECORD_EXIT, 10, 1, 10, 1);
	expect(w, "");
	user_sample(w, 5, 10, BASE + w->one);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one\n");
	/* not for ever */
	map(w, 1000000000, 11, 1);
	expect(w, "");
	p = &w->s->model.processes.v[process_find_thread(&w->s->model, 10)->process];
	assert_true(p->maps.nr && w->s->ended.nr == 1);
	map(w, 3000000000, 12, 1);
	expect(w, "");
	p = &w->s->model.processes.v[process_find_thread(&w->s->model, 10)->process];
	assert_true(!p->maps.nr && !w->s->ended.nr);
}

/* A sample that says whose it is in its raw data only. */
static void lean_sample(struct world *w, u64 time, u32 tid, u64 ip, u32 cut_off)
{
	struct buf b = {0};
	size_t at = made_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	buf_u64(&b, time);
	buf_u64(&b, 2);
	buf_u64(&b, (u64)PERF_CONTEXT_USER);
	buf_u64(&b, ip);
	buf_u32(&b, 12);
	buf_u32(&b, 0);
	buf_u32(&b, tid);
	buf_u32(&b, 0);
	b.len -= cut_off;
	made_end(&b, at);
	give(w, &b, 2, NULL);
	buf_free(&b);
}

static void lean(void **state)
{
	struct world *w = *state;
	u32 cut;

	map(w, 0, 10, 0);
	map(w, 0, 20, 1);
	task(w, 1, PERF_RECORD_FORK, 20, 20, 21, 20);
	lean_sample(w, 5, 10, BASE + w->one, 0);
	lean_sample(w, 5, 21, BASE + w->two, 0);
	lean_sample(w, 5, 99, BASE + w->two, 0); /* of a thread that nobody knows */
	expect(w, "DSO 1 program0: file\n"
		  "DSO 1 program1: file\n"
		  "SYMS 1 program0: test_collect_one\n"
		  "SYMS 1 program1: test_collect_two\n");
	/* samples that are cut short, as no kernel makes them */
	for (cut = 5; cut <= 48; cut++)
		lean_sample(w, 6, 10, BASE + w->two, cut);
	assert_int_equal(w->s->addresses.v.nr, 0);
	expect(w, "");
}

/* Counter values of any number stand before the call chain. */
static void counts(void **state)
{
	struct world *w = *state;
	struct buf b = {0};
	size_t at = made_begin(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	map(w, 0, 10, 0);
	buf_u32(&b, 10);
	buf_u32(&b, 10);
	buf_u64(&b, 5);
	buf_u64(&b, 3);
	buf_pad(&b, 'x', 24);
	buf_u64(&b, 2);
	buf_u64(&b, (u64)PERF_CONTEXT_USER);
	buf_u64(&b, BASE + w->one);
	made_end(&b, at);
	give(w, &b, 3, NULL);
	buf_free(&b);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one\n");
}

static void why_not(void **state)
{
	struct world *w = *state;
	u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000200};
	char path[96];

	snprintf(path, sizeof(path), "%s/kallsyms", w->folder);
	unlink(path);
	expect_notes(w, false);
	sample(w, 5, 10, 10, 0, chain, 2, NULL);
	expect(w, "");
	expect_notes(w, true);
}

/* Millions of addresses and processes take no more room than a few. */
static void bounds(void **state)
{
	struct world *w = *state;
	u64 chain[513];
	u32 i, j, nr;
	struct buf head = {0};

	map(w, 0, 10, 0);
	chain[0] = (u64)PERF_CONTEXT_USER;
	for (i = 0; i < 2000; i++) {
		for (j = 1; j <= 512; j++)
			chain[j] = 0x7f0000000000 + i * 512 + j;
		sample(w, 5, 10, 10, 0, chain, 513, NULL);
	}
	assert_true(w->s->addresses.v.nr > 400000 && w->s->addresses.v.cap <= 1 << 19);
	user_sample(w, 6, 10, BASE + w->one); /* no room for it now */
	expect(w, "");
	user_sample(w, 7, 10, BASE + w->one);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one\n");
	for (i = 0; i < 200000; i++) {
		task(w, 10 + i, PERF_RECORD_FORK, 50, 1, 50, 1);
		comm(w, 10 + i, 50, true);
		map(w, 10 + i, 50, 0);
		task(w, 10 + i, PERF_RECORD_EXIT, 50, 1, 50, 1);
		if (i % 1000)
			continue;
		assert_int_equal(symbol_collector_flush(w->s, w->order, &head, &nr, NULL, NULL), 0);
		forget_records(w);
	}
	assert_int_equal(symbol_collector_flush(w->s, w->order, &head, &nr, NULL, NULL), 0);
	forget_records(w);
	assert_true(w->s->model.maps.nr < 150000 && w->s->model.threads.nr < 150000);
	/* what was known before is still known */
	user_sample(w, 300000, 10, BASE + w->two);
	expect(w, "SYMS 1 program0: test_collect_two\n");
}

/* Symbols of files that nobody has asked for lately are dropped, and read again; first those of files that are not mapped. */
static void tables(void **state)
{
	struct world *w = *state;
	u64 bytes;

	map(w, 0, 10, 0);
	map(w, 0, 11, 1);
	user_sample(w, 5, 10, BASE + w->one);
	expect(w, "DSO 1 program0: file\nSYMS 1 program0: test_collect_one\n");
	bytes = symtab_bytes(&w->s->dsos.v[0].symtab);
	assert_true(bytes > 0);
	w->s->options.table_bytes = bytes;
	user_sample(w, 6, 11, BASE + w->one);
	expect(w, "DSO 1 program1: file\nSYMS 1 program1: test_collect_one\n");
	assert_int_equal(symtab_bytes(&w->s->dsos.v[0].symtab), bytes);
	task(w, 7, PERF_RECORD_EXIT, 10, 1, 10, 1);
	user_sample(w, 8, 11, BASE + w->two);
	expect(w, "SYMS 1 program1: test_collect_two\n");
	assert_int_equal(symtab_bytes(&w->s->dsos.v[0].symtab), 0);
	assert_int_equal(symtab_bytes(&w->s->dsos.v[1].symtab), bytes);
	w->s->options.table_bytes = 1;
	map(w, 9, 12, 0);
	user_sample(w, 10, 12, BASE + w->two);
	expect(w, "SYMS 1 program0: test_collect_two\n");
	assert_int_equal(symtab_bytes(&w->s->dsos.v[0].symtab), bytes);
	assert_int_equal(symtab_bytes(&w->s->dsos.v[1].symtab), 0);
	/* names that are in the file are not kept beside it */
	assert_int_equal(w->s->dsos.v[0].symbols.len, 0);
}

static void memory(void **state)
{
	struct world *w = *state;
	u64 chain[] = {(u64)PERF_CONTEXT_KERNEL, 0xffffffff81000200, (u64)PERF_CONTEXT_USER,
		       BASE + w->one};
	struct buf head = {0};
	struct symbol_collector_options o = {.proc = w->proc};
	struct symbol_collector *s;
	struct rec rec;
	unsigned int n;
	struct made_sample m = {.id = 1, .time = 5, .pid = 10, .tid = 10, .chain = chain, .nr = 4};
	struct buf sampled = {0};
	u32 nr;
	int ret;

	map(w, 0, 10, 0);
	made_sample(&sampled, &m);
	for (n = 0;; n++) {
		oom_after(n);
		s = symbol_collector_new(&w->events, &o, NULL);
		ret = s ? 0 : -ENOMEM;
		if (s) {
			rec_view(&rec, w->records[0].data, w->records[0].len);
			symbol_collector_record(s, &rec, 0, NULL);
			rec_view(&rec, sampled.data, sampled.len);
			symbol_collector_record(s, &rec, 0, NULL);
			ret = symbol_collector_flush(s, 0, &head, &nr, NULL, NULL);
			symbol_collector_free(s);
		}
		buf_free(&head);
		if (!oom_stop())
			break;
		/* symbols of a file that could not be read for lack of memory are left out */
		assert_true(!ret || ret == -ENOMEM);
	}
	assert_int_equal(ret, 0);
	buf_free(&sampled);
}

static void write_jit_map(const struct world *w, const char *text, const char *mode)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/10", w->folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/10/root", w->folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/10/root/tmp", w->folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", w->folder);
	f = fopen(path, mode);
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Reads of the map that take no time may follow each other at once. */
static void expect_made(struct world *w, const char *want, const char *want_maps)
{
	struct buf head = {0}, got = {0}, maps = {0};
	struct rec rec;
	u32 nr = 0, i;
	size_t at;

	for (i = 0; i < w->s->jit.processes.nr; i++)
		w->s->jit.processes.v[i].jit.map_took = 0;
	assert_int_equal(symbol_collector_flush(w->s, w->order, &head, &nr, &w->w, NULL), 0);
	for (at = 0; at < head.len; at += rec.size) {
		assert_true(rec_view(&rec, head.data + at, head.len - at));
		assert_int_equal(rec.type, PERF_RECORD_MMAP2);
		struct cur c = rec_body(&rec);
		u64 start, len;

		cur_skip(&c, 8);
		start = cur_u64(&c);
		len = cur_u64(&c);
		assert_int_equal(cur_u64(&c), start);
		cur_skip(&c, 8);
		buf_addf(&maps, "%x+%x layer %u\n", (u32)start, (u32)len, (u32)cur_u64(&c));
		assert_true(sample_layout_time(&w->layout, &rec) >= w->order);
		nr--;
	}
	assert_int_equal(nr, 0);
	forget_records(w);
	written(w, &got);
	assert_string_equal(buf_str(&got), want);
	assert_string_equal(buf_str(&maps), want_maps);
	buf_free(&head);
	buf_free(&got);
	buf_free(&maps);
}

/* Code over code: known by what was told in between, whether or not a sample stands in it again. */
static void made_again(void **state)
{
	struct world *w = *state;
	char path[128];
	u64 i;

	w->order = clock_ns(CLOCK_MONOTONIC);
	map_file(w, 0, 10, BASE, "//anon", 0);
	write_jit_map(w, "10001000 100 one\n10002000 100 two\n", "w");
	user_sample(w, 5, 10, BASE + 0x1010);
	expect_made(w, "DSO 1 /tmp/perf-10.map: file\nSYMS 1 /tmp/perf-10.map: one\n", "");
	/* over what nobody has seen: no news */
	write_jit_map(w, "10002000 80 again two\n", "a");
	expect_made(w, "", "");
	write_jit_map(w, "10001000 80 three\n", "a");
	expect_made(w, "DSO 1 /tmp/perf-10.map: file\nSYMS 1 /tmp/perf-10.map: three\n",
		    "10001000+80 layer 1\n");
	expect_made(w, "", "");
	/* mapped anew, as by mprotect(2), it is still there; what sticks out is what it was */
	map_file(w, 6, 10, BASE, "//anon", 0);
	user_sample(w, 7, 10, BASE + 0x1010);
	user_sample(w, 8, 10, BASE + 0x10f0);
	expect_made(w, "", "");
	i = process_find_map(&w->s->model, process_find_thread(&w->s->model, 10), BASE + 0x1010);
	assert_int_equal(w->s->model.dsos.v[w->s->model.maps.v[i].dso].ino, 1);
	i = process_find_map(&w->s->model, process_find_thread(&w->s->model, 10), BASE + 0x10f0);
	assert_int_equal(w->s->model.dsos.v[w->s->model.maps.v[i].dso].ino, 0);
	/* the map is written anew, by another file */
	snprintf(path, sizeof(path), "%s/10/root/tmp/perf-10.map", w->folder);
	rename(path, w->programs[1]);
	write_jit_map(w, "10001040 100 four\n", "w");
	expect_made(w, "DSO 1 /tmp/perf-10.map: file\nSYMS 1 /tmp/perf-10.map: four\n",
		    "10001040+100 layer 2\n");
	/* another program: nothing of the old one is there */
	comm(w, 20, 10, true);
	map_file(w, 21, 10, BASE, "//anon", 0);
	user_sample(w, 22, 10, BASE + 0x1050);
	expect_made(w, "DSO 1 /tmp/perf-10.map: file\nSYMS 1 /tmp/perf-10.map: four\n",
		    "10001040+100 layer 3\n");
	/* into another file: what was seen of each layer, when it is seen again */
	symbol_collector_forget_written(w->s);
	user_sample(w, 23, 10, BASE + 0x1050);
	expect_made(w, "DSO 1 /tmp/perf-10.map: file\nSYMS 1 /tmp/perf-10.map: four\n", "");
}

#define IN_A_WORLD(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_WORLD(lines),
		IN_A_WORLD(once),
		IN_A_WORLD(as_of_its_moment),
		IN_A_WORLD(changed_spaces),
		IN_A_WORLD(halves),
		IN_A_WORLD(paths),
		IN_A_WORLD(the_kernel),
		IN_A_WORLD(raw_words),
		IN_A_WORLD(other_files),
		cmocka_unit_test(long_names),
		IN_A_WORLD(without_a_writer),
		IN_A_WORLD(bad_files),
		IN_A_WORLD(vdso_for_stacks),
		IN_A_WORLD(threads),
		IN_A_WORLD(late_samples),
		IN_A_WORLD(why_not),
		IN_A_WORLD(bounds),
		IN_A_WORLD(tables),
		IN_A_WORLD(memory),
		IN_A_WORLD(lean),
		IN_A_WORLD(counts),
		IN_A_WORLD(made_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("symbol_collector", tests, make_copies, remove_copies);
}
