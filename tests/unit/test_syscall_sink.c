// SPDX-License-Identifier: GPL-2.0
/* Samples of system calls -> lines, objects, tables: of a session without a file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/format/syscall_summary.h"
#include "util/tracepoint/tp_format.h"

enum { OTHER, ENTER, EXIT, EVENTS };

enum { READ = 0, WRITE = 1, OPEN = 2, CLOSE = 3, SIGRETURN = 15, CLONE = 56, EXIT_GROUP = 231 };

static const char *const formats[EVENTS] = {
	NULL,
	"name: sys_enter\nID: 443\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
	"print fmt: \"\"\n",
	"name: sys_exit\nID: 442\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"\"\n",
};

struct made {
	struct session s;
	struct source source;
	struct tp_format *formats[EVENTS];
	struct time_text time;
	struct syscall_sink k;
	struct buf out;
	u64 now;
	int failed; /* of any sample */
};

static int other_sample(struct sink *k, const struct session_sample *s, struct buf *out,
			struct err *err)
{
	(void)k;
	(void)s;
	(void)err;
	buf_adds(out, "other\n");
	return 0;
}

static int other_end(struct sink *k, struct buf *out, struct err *err)
{
	(void)k;
	(void)err;
	buf_adds(out, "end of others\n");
	return 0;
}

static const struct sink_ops other_ops = {.sample = other_sample, .end = other_end};
static struct sink other = {.ops = &other_ops};

static int begin(struct made *m, struct syscall_sink_options o)
{
	static const char *const names[] = {NULL, "sys_enter", "sys_exit"};
	struct recording *r = &m->source.recording;
	struct perf_event_attr a;
	u32 i;

	*m = (struct made){.now = 1000000000};
	m->s.source = &m->source;
	m->s.formats = m->formats;
	for (i = 0; i < EVENTS; i++) {
		a = made_attr(MADE_TYPE);
		a.type = i == OTHER ? PERF_TYPE_SOFTWARE : PERF_TYPE_TRACEPOINT;
		a.config = 444 - i;
		if (event_set_add(&r->events, &a, sizeof(a), "event", NULL, 0, NULL) < 0)
			exit(2);
		if (i == OTHER)
			continue;
		m->formats[i] = tp_format_parse(formats[i], strlen(formats[i]), NULL);
		if (!m->formats[i] ||
		    recording_add_tracepoint(r, 444 - i, "raw_syscalls", 12, names[i],
					     strlen(names[i]), "", 0) < 0)
			exit(2);
	}
	if (recording_add_fact(r, "arch", "x86_64", 6) || process_init(&m->s.model, NULL) ||
	    time_text_init(&m->time, TIME_FORM_RAW, false, r, NULL))
		exit(2);
	o.time = &m->time;
	return syscall_sink_init(&m->k, &o, &m->s, NULL);
}

static void end(struct made *m)
{
	u32 i;

	m->k.sink.ops->free(&m->k.sink);
	time_text_free(&m->time);
	process_free(&m->s.model);
	for (i = 0; i < EVENTS; i++)
		if (m->formats[i])
			tp_format_free(m->formats[i]);
	recording_free(&m->source.recording);
	buf_free(&m->out);
}

/* A sample of thread `tid`, so many microseconds after the one before. */
static void add(struct made *m, u32 event, u32 tid, u64 us, const void *raw, u32 size)
{
	struct sample sample = {.ids = {.pid = 7, .tid = tid, .cpu = 1, .has = PERF_SAMPLE_TIME},
				.raw = raw,
				.raw_size = size};
	struct session_sample s = {.sample = &sample, .event = event, .comm = "made"};

	m->now += us * 1000;
	sample.ids.time = m->now;
	s.desc = &m->source.recording.events.events.v[event];
	s.thread = process_thread(&m->s.model, 7, tid);
	if (!s.thread)
		m->failed = -ENOMEM;
	else if (!m->failed)
		m->failed = m->k.sink.ops->sample(&m->k.sink, &s, &m->out, NULL);
}

static void enters(struct made *m, u32 tid, u64 us, s64 nr, u64 arg0, u64 arg1)
{
	const struct {
		u16 type, pad;
		s32 pid;
		s64 id;
		u64 args[6];
	} raw = {.type = 443, .pid = (s32)tid, .id = nr, .args = {arg0, arg1}};

	add(m, ENTER, tid, us, &raw, sizeof(raw));
}

static void leaves(struct made *m, u32 tid, u64 us, s64 nr, s64 ret)
{
	const struct {
		u16 type, pad;
		s32 pid;
		s64 id, ret;
	} raw = {.type = 442, .pid = (s32)tid, .id = nr, .ret = ret};

	add(m, EXIT, tid, us, &raw, sizeof(raw));
}

static void check(struct made *m, const char *want)
{
	assert_int_equal(m->failed, 0);
	assert_string_equal(buf_str(&m->out), want);
	buf_clear(&m->out);
}

static void finish(struct made *m)
{
	assert_int_equal(m->k.sink.ops->end(&m->k.sink, &m->out, NULL), 0);
}

static void test_lines(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(begin(&m, (struct syscall_sink_options){.lines = true, .other = &other}),
			 0);
	enters(&m, 9, 0, CLOSE, 3, 0);
	check(&m, "");
	leaves(&m, 9, 12, CLOSE, 0);
	check(&m, "    1.000000 ( 0.012 ms): made/9 close(fd: 3)"
		  "                                                          = 0\n");
	enters(&m, 9, 1, CLOSE, 4, 0);
	leaves(&m, 9, 2345, CLOSE, -9);
	check(&m, "    1.000013 ( 2.345 ms): made/9 close(fd: 4)"
		  "                                                          = -1 EBADF (Bad file "
		  "descriptor)\n");
	/* another thread, another event and the end of the first come between */
	enters(&m, 9, 1, CLOSE, 5, 0);
	enters(&m, 10, 1, CLOSE, 6, 0);
	check(&m, "    1.002359 (         ): made/9 close(fd: 5)"
		  "                                                          ...\n");
	add(&m, OTHER, 10, 0, NULL, 0);
	check(&m, "    1.002360 (         ): made/10 close(fd: 6)"
		  "                                                          ...\nother\n");
	leaves(&m, 9, 1, CLOSE, 0);
	leaves(&m, 10, 1, CLOSE, 0);
	check(&m, "    1.002361 ( 0.002 ms): made/9  ... [continued]: close() = 0\n"
		  "    1.002362 ( 0.002 ms): made/10  ... [continued]: close() = 0\n");
	/* it does not return */
	enters(&m, 9, 1, EXIT_GROUP, 3, 0);
	check(&m, "    1.002363 (         ): made/9 exit_group(error_code: 3)"
		  "                                             = ?\n");
	finish(&m);
	check(&m, "end of others\n");
	assert_int_equal(m.k.account.calls, 5);
	end(&m);
}

static void test_halves(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(begin(&m, (struct syscall_sink_options){.lines = true, .stats = true}), 0);
	/* begun before; a new thread; its end is lost; its beginning is lost; without a number */
	leaves(&m, 9, 0, READ, 5);
	leaves(&m, 10, 0, CLONE, 0);
	enters(&m, 9, 1, CLOSE, 3, 0);
	enters(&m, 9, 1, CLOSE, 4, 0);
	leaves(&m, 9, 1, CLOSE, 0);
	leaves(&m, 9, 1, WRITE, 5);
	enters(&m, 9, 1, SIGRETURN, 0, 0);
	leaves(&m, 9, 1, -1, 77);
	enters(&m, 10, 1, CLOSE, 3, 0);
	leaves(&m, 10, 1, READ, 1);
	enters(&m, 10, 1, 4711, 1, 2);
	finish(&m);
	check(&m, "    1.000000 (         ): made/9  ... [continued]: read() = 5\n"
		  "    1.000000 (         ): made/10  ... [continued]: clone() = 0\n"
		  "    1.000001 (         ): made/9 close(fd: 3)"
		  "                                                          ...\n"
		  "    1.000002 ( 0.001 ms): made/9 close(fd: 4)"
		  "                                                          = 0\n"
		  "    1.000004 (         ): made/9  ... [continued]: write() = 5\n"
		  "    1.000005 ( 0.001 ms): made/9 rt_sigreturn()"
		  "                                                        = 77\n"
		  "    1.000007 (         ): made/10 close(fd: 3)"
		  "                                                          ...\n"
		  "    1.000008 (         ): made/10  ... [continued]: read() = 1\n"
		  "    1.000009 (         ): made/10 syscall_4711(arg1: 0x1, arg2: 0x2, arg3: 0x0, "
		  "arg4: 0x0, arg5: 0x0, arg6: 0x0) ...\n");
	assert_int_equal(m.k.account.before, 1);
	assert_int_equal(m.k.account.no_exit, 2);
	assert_int_equal(m.k.account.no_enter, 2);
	assert_int_equal(m.k.account.unfinished, 1);
	assert_int_equal(m.k.account.calls, 8);
	end(&m);
}

static void test_waiting(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(begin(&m, (struct syscall_sink_options){.lines = true}), 0);
	enters(&m, 9, 0, CLOSE, 3, 0);
	syscall_sink_wait(&m.k, m.now - 5, &m.out);
	syscall_sink_wait(&m.k, m.now + 50000000, &m.out);
	check(&m, "");
	syscall_sink_wait(&m.k, m.now + 150000000, &m.out);
	check(&m, "    1.000000 (         ): made/9 close(fd: 3)"
		  "                                                          ...\n");
	syscall_sink_wait(&m.k, m.now + 250000000, &m.out);
	check(&m, "");
	end(&m);
}

static void test_objects(void **state)
{
	struct made m;

	(void)state;
	assert_int_equal(begin(&m, (struct syscall_sink_options){.lines = true, .json = true}), 0);
	enters(&m, 9, 0, CLOSE, 3, 0);
	enters(&m, 10, 1, CLOSE, 4, 0);
	leaves(&m, 9, 1, CLOSE, -9);
	leaves(&m, 9, 1, WRITE, 5);
	finish(&m);
	check(&m,
	      "{\"time\":1000000000,\"comm\":\"made\",\"pid\":7,\"tid\":9,\"cpu\":1,\"duration\":2000,"
	      "\"syscall\":\"close\",\"nr\":3,\"args\":{\"fd\":3},\"ret\":-9,\"error\":\"EBADF\"}\n"
	      "{\"time\":1000003000,\"comm\":\"made\",\"pid\":7,\"tid\":9,\"cpu\":1,"
	      "\"syscall\":\"write\",\"nr\":1,\"ret\":5}\n"
	      "{\"time\":1000001000,\"comm\":\":10\",\"pid\":7,\"tid\":10,\"cpu\":1,"
	      "\"syscall\":\"close\",\"nr\":3,\"args\":{\"fd\":4}}\n");
	end(&m);
}

/* A record that is cut short is passed over. */
static void test_short_records(void **state)
{
	u8 raw[80] = {0};
	struct made m;
	u32 size;

	(void)state;
	assert_int_equal(begin(&m, (struct syscall_sink_options){.lines = true, .stats = true}), 0);
	for (size = 0; size < sizeof(raw); size++) {
		add(&m, ENTER, 9, 1, raw, size);
		add(&m, EXIT, 10, 1, raw, size);
	}
	add(&m, ENTER, 9, 1, NULL, 0);
	assert_int_equal(m.failed, 0);
	end(&m);
}

static void make_calls(struct made *m)
{
	u32 i;

	for (i = 0; i < 10; i++) {
		enters(m, 9, 1, READ, 0, 0);
		leaves(m, 9, 100, READ, i % 5 ? 1 : -11);
	}
	enters(m, 9, 1, CLOSE, 0, 0);
	leaves(m, 9, 2000, CLOSE, -9);
	enters(m, 10, 1, READ, 0, 0);
	leaves(m, 10, 300, READ, -4);
}

static void test_tables(void **state)
{
	struct syscall_summary_options o = {.errors = true};
	struct made m;

	(void)state;
	assert_int_equal(begin(&m, (struct syscall_sink_options){.stats = true, .json = true}), 0);
	make_calls(&m);
	finish(&m);
	check(&m, "");
	assert_int_equal(syscall_summary_text(&m.k, &o, &m.out, NULL), 0);
	check(&m,
	      "\n Summary of system calls:\n\n"
	      " :9 (9), 11 calls, 91.7%\n\n"
	      "   syscall            calls  errors     total       min       avg       max   stddev\n"
	      "                                       (msec)    (msec)    (msec)    (msec)      (%)\n"
	      "   --------------- --------  ------ --------- --------- --------- ---------   ------\n"
	      "   close                  1       1     2.000     2.000     2.000     2.000    0.00%\n"
	      "                                 1  EBADF\n"
	      "   read                  10       2     1.000     0.100     0.100     0.100    0.00%\n"
	      "                                 2  EAGAIN\n\n"
	      " :10 (10), 1 calls, 8.3%\n\n"
	      "   syscall            calls  errors     total       min       avg       max   stddev\n"
	      "                                       (msec)    (msec)    (msec)    (msec)      (%)\n"
	      "   --------------- --------  ------ --------- --------- --------- ---------   ------\n"
	      "   read                   1       1     0.300     0.300     0.300     0.300    0.00%\n"
	      "                                 1  EINTR\n\n"
	      " total, 12 calls, 100.0%\n\n"
	      "   syscall            calls  errors     total       min       avg       max   stddev\n"
	      "                                       (msec)    (msec)    (msec)    (msec)      (%)\n"
	      "   --------------- --------  ------ --------- --------- --------- ---------   ------\n"
	      "   close                  1       1     2.000     2.000     2.000     2.000    0.00%\n"
	      "                                 1  EBADF\n"
	      "   read                  11       3     1.300     0.100     0.118     0.300   15.38%\n"
	      "                                 1  EINTR\n"
	      "                                 2  EAGAIN\n\n");
	o = (struct syscall_summary_options){
		.mode = SYSCALL_SUMMARY_PROCESSES,
		.lost = {.samples = 8, .enters = 5, .exits = 3, .sides = true}};
	assert_int_equal(syscall_summary_json(&m.k, &o, &m.out, NULL), 0);
	check(&m,
	      "{\"comm\":\":9\",\"pid\":7,\"syscall\":\"close\",\"calls\":1,\"errors\":1,\"timed\":1,"
	      "\"total\":2000000,\"min\":2000000,\"avg\":2000000.0,\"max\":2000000,"
	      "\"stddev_percent\":0.00}\n"
	      "{\"comm\":\":9\",\"pid\":7,\"syscall\":\"read\",\"calls\":11,\"errors\":3,\"timed\":11,"
	      "\"total\":1300000,\"min\":100000,\"avg\":118181.8,\"max\":300000,"
	      "\"stddev_percent\":15.38}\n"
	      "{\"calls\":17,\"seen\":12,\"lost\":5,\"without_end\":0,\"without_beginning\":0,"
	      "\"begun_before\":0,\"unfinished\":0}\n");
	end(&m);
}

static void test_lost(void **state)
{
	struct syscall_account a = {.no_enter = 2, .no_exit = 3};
	struct syscall_loss lost = {.samples = 25};

	(void)state;
	/* five halves are missing with their other halves there, ten calls as a whole */
	assert_int_equal(syscall_summary_lost(&a, &lost), 10);
	lost.samples = 3;
	assert_int_equal(syscall_summary_lost(&a, &lost), 0);
	lost = (struct syscall_loss){.samples = 25, .enters = 12, .exits = 13, .sides = true};
	assert_int_equal(syscall_summary_lost(&a, &lost), 10);
	lost = (struct syscall_loss){.samples = 13, .exits = 13, .sides = true};
	assert_int_equal(syscall_summary_lost(&a, &lost), 10);
	lost = (struct syscall_loss){.samples = 1, .enters = 1, .sides = true};
	assert_int_equal(syscall_summary_lost(&a, &lost), 0);
}

static int run_all(struct made *m, bool json)
{
	const struct syscall_summary_options o = {.errors = true};
	int ret =
		begin(m, (struct syscall_sink_options){.lines = true, .json = json, .stats = true});

	if (ret)
		return ret;
	make_calls(m);
	ret = m->failed ? m->failed : m->k.sink.ops->end(&m->k.sink, &m->out, NULL);
	if (!ret)
		ret = json ? syscall_summary_json(&m->k, &o, &m->out, NULL)
			   : syscall_summary_text(&m->k, &o, &m->out, NULL);
	return ret ? ret : m->out.failed ? -ENOMEM : 0;
}

/* Out of memory anywhere is said, or nothing differs. begin() itself needs memory that it must have. */
static void out_of_memory(bool json)
{
	struct buf want = {0};
	struct made m;
	bool refused = true;
	unsigned int n;
	int ret;

	assert_int_equal(run_all(&m, json), 0);
	buf_add(&want, m.out.data, m.out.len);
	end(&m);
	for (n = 0; refused; n++) {
		assert_int_equal(begin(&m, (struct syscall_sink_options){.lines = true,
									 .json = json,
									 .stats = true}),
				 0);
		oom_after(n);
		make_calls(&m);
		ret = m.failed ? m.failed : m.k.sink.ops->end(&m.k.sink, &m.out, NULL);
		refused = oom_stop();
		if (!ret && m.out.failed)
			ret = -ENOMEM;
		assert_int_equal(ret, refused ? -ENOMEM : 0);
		end(&m);
	}
	assert_true(n > 3);
	buf_free(&want);
}

static void test_out_of_memory(void **state)
{
	(void)state;
	out_of_memory(false);
	out_of_memory(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),         cmocka_unit_test(test_halves),
		cmocka_unit_test(test_waiting),       cmocka_unit_test(test_objects),
		cmocka_unit_test(test_short_records), cmocka_unit_test(test_tables),
		cmocka_unit_test(test_lost),          cmocka_unit_test(test_out_of_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("syscall_sink", tests, NULL, NULL);
}
