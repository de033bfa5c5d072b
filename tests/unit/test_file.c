// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/file/source.h"
#include "util/file/writer.h"

static char folder[64];

static int enter(void **state)
{
	(void)state;
	made_folder(folder);
	return chdir(folder);
}

static int leave(void **state)
{
	(void)state;
	if (chdir("/"))
		return -1;
	made_folder_gone(folder);
	return 0;
}

static void put(struct writer *w, enum block_type type, struct buf *payload)
{
	assert_int_equal(writer_block(w, type, payload->data, payload->len, NULL), 0);
	buf_clear(payload);
}

/* `nr` samples from time `first` on, 10 ns apart, that do not compress. */
static void samples(struct buf *b, u64 first, u32 nr)
{
	u64 chain[] = {(u64)PERF_CONTEXT_USER, 0x1234, 0x5678};
	struct made_sample m = {.id = 7, .ip = 0x1234, .pid = 1, .tid = 1, .chain = chain, .nr = 3};
	u32 i;

	for (i = 0; i < nr; i++) {
		m.time = first + 10 * i;
		chain[1] = m.ip = hash_u64(m.time);
		chain[2] = hash_u64(chain[1]);
		m.period = hash_u64(chain[2]);
		made_sample(b, &m);
	}
}

static int put_data(struct writer *w, const struct buf *records, u64 order, struct err *err)
{
	static const u64 ids[] = {7, 8};
	struct event_set events = {0};
	struct buf payload = {0};
	struct writer_data d;
	int ret;

	made_events(&events, MADE_TYPE, ids, 2);
	d = made_data(&payload, &events, NULL, w->compressor.level, records->data, records->len);
	d.order = order;
	ret = writer_data(w, &d, err);
	event_set_free(&events);
	buf_free(&payload);
	return ret;
}

static void put_preamble(struct writer *w)
{
	struct perf_event_attr attr = made_attr(MADE_TYPE);
	static const u64 ids[] = {7, 8};
	static const u64 sideband_id = 6;
	struct buf b = {0};
	char text[300];

	made_fact(&b, "hostname", "here");
	made_fact(&b, "hostname", "there");
	memset(text, 'k', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	made_fact(&b, text, "a key too long to be one");
	put(w, BLOCK_META, &b);
	made_event(&b, 1, &attr, "dummy:HG", &sideband_id, 1);
	made_event(&b, 0, &attr, "page-faults", ids, 2);
	put(w, BLOCK_ATTR, &b);
	buf_le32(&b, 1);
	buf_le32(&b, 1);
	buf_le64(&b, 99);
	put(w, BLOCK_IDS, &b);
	buf_le32(&b, 42);
	buf_lstr(&b, "skb", 3);
	buf_lstr(&b, "kfree_skb", 9);
	buf_lstr(&b, "name: kfree_skb\nID: 42\n", 23);
	put(w, BLOCK_TPFMT, &b);
	buf_free(&b);
}

static void put_symbols(struct writer *w)
{
	static const struct made_function two[] = {{0x100, 0x20, "main"},
						   {0x200, 0x10, "_ZN1a1bEv"}};
	struct buf b = {0};

	made_functions(&b, 1, 5, "/bin/cat", "build-id of cat", two, 2);
	put(w, BLOCK_SYMS, &b);
	made_dso(&b, 1, 5, "/bin/cat", "build-id of cat");
	buf_le32(&b, 2);
	buf_lstr(&b, "cat.c", 5);
	buf_lstr(&b, "inner", 5);
	buf_le64(&b, 0x108);
	buf_le32(&b, 2);
	made_frame(&b, 2, 1, 33);
	made_frame(&b, 0, 0, 0);
	buf_le64(&b, 0x208); /* nothing is known of it */
	buf_le32(&b, 0);
	put(w, BLOCK_FRAMES, &b);
	made_dso(&b, 1, 0, "[vdso]", "");
	buf_lstr(&b,
		 "\x7f"
		 "ELF",
		 4);
	put(w, BLOCK_DSO, &b);
	made_dso(&b, 1, 6, "/bin/cat", "another inode");
	buf_lstr(&b, "", 0);
	put(w, BLOCK_DSO, &b);
	buf_free(&b);
}

static void put_end(struct writer *w)
{
	struct buf b = {0};

	made_fact(&b, "exit_code", "3");
	put(w, BLOCK_END, &b);
	buf_free(&b);
}

static void check_recording(const struct recording *r)
{
	assert_string_equal(recording_fact(r, "hostname"), "there");
	assert_string_equal(recording_fact(r, "exit_code"), "3");
	assert_null(recording_fact(r, "host"));
	assert_int_equal(r->facts.nr, 3);
	assert_int_equal(r->events.events.nr, 2);
	assert_true(r->events.events.v[0].sideband);
	assert_false(r->events.events.v[1].sideband);
	assert_string_equal(r->events.events.v[1].name, "page-faults");
	assert_int_equal(hmap_get(&r->events.by_id, 8), 1);
	assert_int_equal(hmap_get(&r->events.by_id, 99), 1);
	assert_int_equal(r->tracepoints.nr, 1);
	assert_string_equal(recording_tracepoint(r, 42)->system, "skb");
	assert_string_equal(recording_tracepoint(r, 42)->name, "kfree_skb");
	assert_int_equal(recording_tracepoint(r, 42)->format_len, 23);
	assert_null(recording_tracepoint(r, 43));
	assert_int_equal(r->dsos.nr, 3);
	assert_string_equal(r->dsos.v[0].name, "/bin/cat");
	assert_int_equal(r->dsos.v[0].ino, 5);
	assert_int_equal(r->dsos.v[0].build_id_len, 15);
	assert_memory_equal(r->dsos.v[0].build_id, "build-id of cat", 15);
	assert_int_equal(r->dsos.v[1].image_len, 4);
	assert_memory_equal(r->dsos.v[1].image,
			    "\x7f"
			    "ELF",
			    4);
	assert_int_equal(r->dsos.v[2].ino, 6);
	assert_int_equal(r->syms.nr, 2);
	assert_int_equal(r->syms.v[0].dso, 0);
	assert_int_equal(r->syms.v[1].start, 0x200);
	assert_int_equal(r->syms.v[1].end, 0x210);
	assert_string_equal(r->syms.v[1].name, "_ZN1a1bEv");
	assert_int_equal(r->frames.nr, 2);
	assert_int_equal(r->frames.v[0].dso, 0);
	assert_int_equal(r->frames.v[0].addr, 0x108);
	assert_int_equal(r->frames.v[0].nr, 2);
	assert_string_equal(r->frames.v[0].v[0].function, "inner");
	assert_string_equal(r->frames.v[0].v[0].file, "cat.c");
	assert_int_equal(r->frames.v[0].v[0].line, 33);
	assert_null(r->frames.v[0].v[1].function);
	assert_null(r->frames.v[0].v[1].file);
	assert_int_equal(r->frames.v[0].v[1].line, 0);
	assert_int_equal(r->frames.v[1].nr, 0);
}

/* Read all of it; the records must be the bytes that were written. */
static void read_back(const char *path, const struct buf *want, u64 order)
{
	struct err err = {0};
	struct source *s = source_open(path, &err);
	struct buf got = {0};
	struct rec rec;
	int ret;

	assert_non_null(s);
	assert_false(s->recording->perfdata);
	assert_string_equal(s->recording->path, path);
	while ((ret = source_next(s, &rec, &err)) > 0)
		buf_add(&got, rec.data, rec.size);
	assert_int_equal(ret, 0);
	assert_int_equal(source_next(s, &rec, &err), 0);
	assert_int_equal(got.len, want->len);
	assert_memory_equal(got.data, want->data, want->len);
	assert_int_equal(s->recording->damage.blocks + s->recording->damage.samples +
				 s->recording->damage.cut_at,
			 0);
	assert_false(s->recording->damage.no_end);
	assert_true(s->order >= order);
	check_recording(s->recording);
	buf_free(&got);
	source_close(s);
}

static void round_trip(void **state)
{
	static const int levels[] = {0, 1, 3};
	struct buf one = {0}, two = {0};
	struct err err = {0};
	struct stat st;
	size_t i;

	(void)state;
	samples(&one, 1000, 50);
	samples(&two, 1005, 3);
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		struct writer w;
		struct buf all = {0};

		umask(0);
		assert_int_equal(writer_open(&w, "data", levels[i], &err), 0);
		put_preamble(&w);
		put_symbols(&w);
		assert_int_equal(writer_publish(&w, &err), 0);
		assert_int_equal(put_data(&w, &one, 990, &err), 0);
		assert_int_equal(put_data(&w, &two, 1004, &err), 0);
		put_end(&w);
		assert_int_equal(w.samples, 53);
		assert_int_equal(w.samples_skipped, 0);
		assert_int_equal(stat("data", &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(st.st_size, w.bytes);
		assert_int_equal(st.st_size % 8, 0);
		assert_int_equal(writer_close(&w, &err), 0);
		buf_add(&all, one.data, one.len);
		buf_add(&all, two.data, two.len);
		read_back("data", &all, 1004);
		buf_free(&all);
	}
	buf_free(&one);
	buf_free(&two);
}

static void put_text(const char *path, const char *text)
{
	int fd = io_open(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	close(fd);
}

static void expect_text(const char *path, const char *text)
{
	struct buf b = {0};

	assert_int_equal(io_read_file(AT_FDCWD, path, &b, 1000), 0);
	assert_string_equal(buf_str(&b), text);
	buf_free(&b);
}

static void expect_files(const char *want)
{
	struct buf b = {0};
	FILE *f = popen("ls -A | tr '\\n' ' '", "r");

	assert_non_null(f);
	assert_int_equal(io_read_fd(fileno(f), &b, 1000), 0);
	pclose(f);
	assert_string_equal(buf_str(&b), want);
	buf_free(&b);
}

/* Until it runs, a recording changes nothing; then the older one moves away. */
static void publish(void **state)
{
	struct err err = {0};
	struct writer w;
	struct stat st;

	(void)state;
	assert_int_equal(system("rm -rf ./*"), 0);
	put_text("data", "older");
	put_text("elsewhere", "not ours");
	assert_int_equal(writer_open(&w, "data", 1, &err), 0);
	put_preamble(&w);
	expect_text("data", "older");
	assert_int_equal(writer_close(&w, &err), 0);
	expect_files("data elsewhere ");
	expect_text("data", "older");

	assert_int_equal(writer_open(&w, "data", 1, &err), 0);
	assert_int_equal(writer_publish(&w, &err), 0);
	assert_int_equal(writer_publish(&w, &err), 0);
	assert_int_equal(writer_close(&w, &err), 0);
	expect_files("data data.old elsewhere ");
	expect_text("data.old", "older");

	/* a link is replaced, what it points to is left alone */
	assert_int_equal(unlink("data.old"), 0);
	assert_int_equal(unlink("data"), 0);
	assert_int_equal(symlink("elsewhere", "data"), 0);
	assert_int_equal(writer_open(&w, "data", 1, &err), 0);
	assert_int_equal(writer_publish(&w, &err), 0);
	assert_int_equal(writer_close(&w, &err), 0);
	expect_text("elsewhere", "not ours");
	assert_int_equal(lstat("data", &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(system("rm -rf ./*"), 0);
}

/* The new recording cannot take the name: the older one keeps it. */
static void publish_fails(void **state)
{
	struct err err = {0};
	struct writer w;

	(void)state;
	put_text("data", "older");
	assert_int_equal(writer_open(&w, "data", 1, &err), 0);
	assert_int_equal(unlink(w.temp), 0);
	assert_int_equal(writer_publish(&w, &err), -ENOENT);
	expect_text("data", "older");
	writer_close(&w, &err);
	/* the name for the older one is taken by a folder */
	assert_int_equal(mkdir("data.old", 0700), 0);
	assert_int_equal(writer_open(&w, "data", 1, &err), 0);
	assert_true(writer_publish(&w, &err) < 0);
	assert_non_null(strstr(err.msg, "data"));
	expect_text("data", "older");
	writer_close(&w, &err);
	expect_files("data data.old ");
	assert_int_equal(system("rm -rf ./*"), 0);
}

static void cannot_open(void **state)
{
	struct err err = {0};
	struct writer w;

	(void)state;
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(writer_open(&w, "folder", 1, &err), -EISDIR);
	assert_int_equal(writer_open(&w, "no/such/place", 1, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot create no/such/place: No such file or directory");
	assert_non_null(strstr(err.hint, "-o"));
	/* a device is written, not replaced */
	assert_int_equal(writer_open(&w, "/dev/full", 1, &err), -ENOSPC);
	assert_non_null(strstr(err.msg, "/dev/full"));
	assert_non_null(strstr(err.hint, "space"));
	assert_int_equal(writer_open(&w, "/dev/null", 1, &err), 0);
	assert_int_equal(writer_publish(&w, &err), 0);
	assert_int_equal(writer_close(&w, &err), 0);
	assert_int_equal(rmdir("folder"), 0);
	expect_files("");
	assert_null(source_open("no-such-file", &err));
	assert_non_null(strstr(err.hint, "perf-lite record"));
	put_text("empty", "");
	assert_null(source_open("empty", &err));
	assert_string_equal(err.msg, "empty is empty");
	put_text("short", "PER");
	assert_null(source_open("short", &err));
	assert_string_equal(err.msg, "short is neither a perf-lite recording nor a perf.data file");
	assert_null(source_open(".", &err));
	assert_string_equal(err.msg, ". is a directory, and there is no recording in it");
	assert_int_equal(system("rm -rf ./*"), 0);
}

static void limit_file_size(rlim_t max)
{
	struct rlimit l;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

/* The disk is full for a while: whole blocks are on it, and what is missing is told. */
static void full_disk(void **state)
{
	struct buf few = {0}, many = {0};
	struct err err = {0};
	struct source *s;
	struct writer w;
	struct stat st;
	struct rec rec;
	u32 nr = 0;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	samples(&few, 100, 2);
	samples(&many, 200, 300);
	assert_int_equal(writer_open(&w, "data", 0, &err), 0);
	put_preamble(&w);
	put_symbols(&w);
	assert_int_equal(writer_publish(&w, &err), 0);
	assert_int_equal(put_data(&w, &few, 0, &err), 0);
	limit_file_size(8192);
	assert_int_equal(put_data(&w, &many, 0, &err), -EFBIG);
	assert_non_null(strstr(err.hint, "ulimit"));
	assert_int_equal(w.samples, 2);
	writer_skip(&w, 300);
	assert_int_equal(w.samples_skipped, 300);
	assert_int_equal(put_data(&w, &few, 0, &err), 0);
	/* once more, and this hole is at the end: the last block tells of it */
	assert_int_equal(put_data(&w, &many, 0, &err), -EFBIG);
	writer_skip(&w, 300);
	assert_int_equal(stat("data", &st), 0);
	assert_int_equal(st.st_size, w.bytes);
	limit_file_size(RLIM_INFINITY);
	put_end(&w);
	assert_int_equal(w.samples, 604);
	assert_int_equal(writer_close(&w, &err), 0);
	s = source_open("data", &err);
	assert_non_null(s);
	while (source_next(s, &rec, &err) > 0)
		nr++;
	assert_int_equal(nr, 4);
	check_recording(s->recording);
	assert_int_equal(s->recording->damage.blocks, 0);
	assert_int_equal(s->recording->damage.cut_at, 0);
	assert_int_equal(s->recording->damage.samples, 600);
	source_close(s);
	buf_free(&few);
	buf_free(&many);
	assert_int_equal(system("rm -rf ./*"), 0);
}

static _Noreturn void write_pipe(int fd, const struct buf *records)
{
	struct buf part = {.data = records->data, .len = records->len / 10};
	struct err err = {0};
	struct writer w;
	bool ok;
	int i;

	dup2(fd, STDOUT_FILENO);
	ok = !writer_open(&w, "-", 0, &err);
	put_preamble(&w);
	put_symbols(&w);
	for (i = 0; i < 10; i++, part.data += part.len)
		ok = ok && !put_data(&w, &part, 10, &err);
	put_end(&w);
	ok = ok && !writer_publish(&w, &err) && !writer_close(&w, &err);
	_exit(!ok);
}

/* A pipe holds the same bytes, and can be read as they come: more than the reader's window. */
static void through_a_pipe(void **state)
{
	struct buf records = {0};
	char path[32];
	int fds[2], status;
	pid_t pid;

	(void)state;
	samples(&records, 100, 5000);
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		write_pipe(fds[1], &records);
	close(fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	read_back(path, &records, 10);
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	buf_free(&records);
}

static int write_small(struct err *err)
{
	static const u8 payload[300];
	struct writer_data d = {.payload = payload, .len = sizeof(payload), .records = 1};
	struct writer w;
	int ret;

	ret = writer_open(&w, "oom", 1, err);
	if (ret)
		return ret;
	ret = writer_data(&w, &d, err);
	if (!ret)
		ret = writer_block(&w, BLOCK_META, payload, sizeof(payload), err);
	if (!ret)
		ret = writer_publish(&w, err);
	writer_close(&w, NULL);
	return ret;
}

static void write_out_of_memory(void **state)
{
	unsigned int n;
	int ret;

	(void)state;
	for (n = 0;; n++) {
		struct err err = {0};

		oom_after(n);
		ret = write_small(&err);
		if (!oom_stop())
			break;
		assert_true(ret == -ENOMEM || ret == -EIO || ret == 0);
		unlink("oom");
		unlink("oom.old");
		expect_files("");
	}
	assert_true(n > 3);
	unlink("oom");
}

static void read_out_of_memory(void **state)
{
	struct buf records = {0};
	struct writer w;
	unsigned int n;
	bool failed;
	int ret;

	(void)state;
	samples(&records, 1, 10);
	assert_int_equal(writer_open(&w, "data", 1, NULL), 0);
	put_preamble(&w);
	put_symbols(&w);
	put_data(&w, &records, 0, NULL);
	put_end(&w);
	writer_publish(&w, NULL);
	writer_close(&w, NULL);
	for (n = 0;; n++) {
		struct err err = {0};
		struct source *s;
		struct rec rec;
		u32 nr = 0;

		oom_after(n);
		s = source_open("data", &err);
		ret = s ? 1 : -err.code;
		while (ret > 0 && (ret = source_next(s, &rec, &err)) > 0)
			nr++;
		failed = oom_stop();
		if (ret) {
			assert_true(failed);
			assert_int_equal(ret, -ENOMEM);
			assert_int_equal(err.code, ENOMEM);
		} else {
			/* what merely helps may do without memory */
			assert_int_equal(nr, 10);
		}
		source_close(s);
		if (!failed)
			break;
	}
	assert_true(n > 10);
	buf_free(&records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),          cmocka_unit_test(publish),
		cmocka_unit_test(publish_fails),       cmocka_unit_test(cannot_open),
		cmocka_unit_test(full_disk),           cmocka_unit_test(through_a_pipe),
		cmocka_unit_test(write_out_of_memory), cmocka_unit_test(read_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("file", tests, enter, leave);
}
