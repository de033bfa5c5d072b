// SPDX-License-Identifier: GPL-2.0
/* Running tasks as /proc tells them: a tree made here, and the real one. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "tests/unit/oom.h"
#include "util/capture/synth.h"
#include "util/kernel/proc.h"

static char folder[64];
static int proc;

static void put(const char *path, const char *text)
{
	char full[256], *slash;
	int fd;

	snprintf(full, sizeof(full), "%s/%s", folder, path);
	for (slash = strchr(full + strlen(folder) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(io_write(fd, text, strlen(text)), 0);
	close(fd);
}

static void put_task(u32 pid, u32 tid, const char *comm)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "%u/task/%u/comm", pid, tid);
	snprintf(text, sizeof(text), "%s\n", comm);
	put(path, text);
	snprintf(path, sizeof(path), "%u/status", tid);
	snprintf(text, sizeof(text), "Name:\t%s\nUmask:\t0022\nTgid:\t%u\nPid:\t%u\nPPid:\t%u\n",
		 comm, pid, tid, 1u);
	put(path, text);
}

static int make_tree(void **state)
{
	(void)state;
	made_folder(folder);
	proc = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(proc >= 0);
	put_task(1, 1, "init");
	put_task(300, 300, "server");
	put_task(300, 302, "worker two");
	put_task(300, 301, "worker\nwith a newline");
	put_task(42, 42, "server");
	put("uptime", "1 2\n");
	put("1x/comm", "no pid\n");
	put("4294967297/comm", "no pid\n");
	put("300/maps",
	    "55d0c0a00000-55d0c0a02000 r--p 00000000 08:01 1234                       /bin/server\n"
	    "55d0c0a02000-55d0c0a07000 r-xp 00002000 08:1f 1234                       /bin/server\n"
	    "55d0c1b00000-55d0c1b21000 rw-p 00000000 00:00 0                          [heap]\n"
	    "7f0000000000-7f0000001000 rwxs 00000000 00:00 0 \n"
	    "7f0000001000-7f0000002000 ---p 00000000 00:00 0\n"
	    "7f0000003000-7f0000004000 r-xp 00000000 fd:00 77 /a name/with (deleted)\n"
	    "no line of maps\n"
	    "7f00-\n"
	    "7f0000005000-7f0000006000 r-x\n"
	    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]");
	put("modules",
	    "nf_tables 311296 5 nft_ct, Live 0xffffffffc0a00000\n"
	    "hidden 4096 0 - Live 0x0000000000000000\n"
	    "tainted 8192 0 - Live 0xffffffffc0b00000 (OE)\n"
	    "cut 4096\n"
	    "popular 4096 300 "
	    "a_module_with_a_long_name,a_module_with_a_long_name,a_module_with_a_long_name,"
	    "a_module_with_a_long_name,a_module_with_a_long_name,a_module_with_a_long_name,"
	    "a_module_with_a_long_name,a_module_with_a_long_name,a_module_with_a_long_name,"
	    "a_module_with_a_long_name,a_module_with_a_long_name, Live 0xffffffffc0c00000\n");
	return 0;
}

static int remove_tree(void **state)
{
	(void)state;
	close(proc);
	made_folder_gone(folder);
	return 0;
}

static void ids(void **state)
{
	struct proc_ids l = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(proc_pids(proc, &l, &err), 0);
	/* the status files of threads make folders here that /proc hides, but opens */
	assert_int_equal(l.nr, 5);
	assert_int_equal(l.v[0], 1);
	assert_int_equal(l.v[1], 42);
	assert_int_equal(l.v[2], 300);
	l.nr = 0;
	assert_int_equal(proc_tids(proc, 300, &l, &err), 0);
	assert_int_equal(l.nr, 3);
	assert_int_equal(l.v[0], 300);
	assert_int_equal(l.v[1], 301);
	assert_int_equal(l.v[2], 302);
	assert_int_equal(proc_tids(proc, 7, &l, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/proc/7/task"));
	free(l.v);
}

static void status_and_comm(void **state)
{
	char comm[64], long_comm[100];
	u32 pid = 0, ppid = 0;

	(void)state;
	assert_true(proc_status(proc, 302, &pid, &ppid));
	assert_int_equal(pid, 300);
	assert_int_equal(ppid, 1);
	assert_false(proc_status(proc, 7, &pid, &ppid));
	put("8/status", "Name:\tx\nTgid:\t8\n");
	assert_false(proc_status(proc, 8, &pid, &ppid));
	put("8/status", "");
	assert_false(proc_status(proc, 8, &pid, &ppid));
	assert_true(proc_comm(proc, 300, 302, comm));
	assert_string_equal(comm, "worker two");
	assert_true(proc_comm(proc, 300, 301, comm));
	assert_string_equal(comm, "worker\nwith a newline");
	assert_false(proc_comm(proc, 300, 303, comm));
	/* kernel threads have long names */
	memset(long_comm, 'k', sizeof(long_comm) - 1);
	long_comm[sizeof(long_comm) - 1] = '\0';
	put("9/task/9/comm", long_comm);
	assert_true(proc_comm(proc, 9, 9, comm));
	assert_int_equal(strlen(comm), 63);
}

static void add_line(void *arg, const struct proc_mapping *m)
{
	buf_addf(arg, "%llx-%llx@%llx %x:%x %llu %u%s '%s'\n", (unsigned long long)m->start,
		 (unsigned long long)m->end, (unsigned long long)m->pgoff, m->maj, m->min,
		 (unsigned long long)m->ino, m->prot, m->flags == MAP_SHARED ? "s" : "", m->name);
}

static void maps(void **state)
{
	struct buf b = {0};

	(void)state;
	assert_true(proc_maps(proc, 300, add_line, &b));
	assert_string_equal(buf_str(&b),
			    "55d0c0a00000-55d0c0a02000@0 8:1 1234 1 '/bin/server'\n"
			    "55d0c0a02000-55d0c0a07000@2000 8:1f 1234 5 '/bin/server'\n"
			    "55d0c1b00000-55d0c1b21000@0 0:0 0 3 '[heap]'\n"
			    "7f0000000000-7f0000001000@0 0:0 0 7s ''\n"
			    "7f0000001000-7f0000002000@0 0:0 0 0 ''\n"
			    "7f0000003000-7f0000004000@0 fd:0 77 5 '/a name/with (deleted)'\n"
			    "ffffffffff600000-ffffffffff601000@0 0:0 0 4 '[vsyscall]'\n");
	assert_false(proc_maps(proc, 7, add_line, &b));
	buf_free(&b);
}

/* The records that stand for what ran before. */
static void show(const struct buf *records, struct buf *out)
{
	struct sample_layout p = made_layout(MADE_TYPE);
	struct rec_ids id;
	struct rec rec;
	size_t at;

	for (at = 0; at < records->len; at += rec.size) {
		struct cur c;
		u64 start, len;
		u32 pid, tid;

		assert_true(rec_view(&rec, records->data + at, records->len - at));
		assert_true(sample_layout_ids(&p, &rec, &id));
		assert_int_equal(id.time, 0);
		c = rec_body(&rec);
		pid = cur_u32(&c);
		tid = cur_u32(&c);
		if (rec.type == PERF_RECORD_COMM) {
			buf_addf(out, "COMM %u/%u %s\n", pid, tid, cur_str(&c, NULL));
			continue;
		}
		start = cur_u64(&c);
		len = cur_u64(&c);
		cur_skip(&c, rec.type == PERF_RECORD_MMAP2 ? 8 + 24 + 8 : 8);
		buf_addf(out, "%s %d/%u %llx+%llx %s%s\n", rec_type_name(rec.type), (int)pid, tid,
			 (unsigned long long)start, (unsigned long long)len, cur_str(&c, NULL),
			 rec.misc & PERF_RECORD_MISC_MMAP_DATA ? " data" : "");
	}
}

static void running_tasks(void **state)
{
	static const u32 tids[] = {301, 302, 7, 42};
	struct sample_layout p = made_layout(MADE_TYPE);
	struct buf records = {0}, text = {0};
	struct synth s = {.proc = proc, .layout = &p, .out = &records};
	struct err err = {0};

	(void)state;
	assert_int_equal(synth_threads(&s, tids, ARRAY_SIZE(tids), &err), 0);
	show(&records, &text);
	assert_string_equal(buf_str(&text),
			    "COMM 300/300 server\n"
			    "COMM 300/301 worker\nwith a newline\n"
			    "COMM 300/302 worker two\n"
			    "MMAP2 300/300 55d0c0a02000+5000 /bin/server\n"
			    "MMAP2 300/300 7f0000000000+1000 //anon\n"
			    "MMAP2 300/300 7f0000003000+1000 /a name/with (deleted)\n"
			    "MMAP2 300/300 ffffffffff600000+1000 [vsyscall]\n"
			    "COMM 42/42 server\n");
	assert_int_equal(s.records, 8);
	buf_clear(&records);
	buf_clear(&text);
	s.data_mappings = true;
	assert_int_equal(synth_threads(&s, tids, 1, &err), 0);
	show(&records, &text);
	assert_non_null(strstr(buf_str(&text), "55d0c1b00000+21000 [heap] data\n"));
	assert_null(strstr(buf_str(&text), "7f0000001000"));
	buf_clear(&records);
	buf_clear(&text);
	synth_modules(&s);
	show(&records, &text);
	assert_string_equal(buf_str(&text), "MMAP -1/0 ffffffffc0a00000+4c000 [nf_tables]\n"
					    "MMAP -1/0 ffffffffc0b00000+2000 [tainted]\n"
					    "MMAP -1/0 ffffffffc0c00000+1000 [popular]\n");
	buf_clear(&records);
	oom_after(0);
	buf_free(&records);
	assert_int_equal(synth_all(&s, &err), -ENOMEM);
	assert_true(oom_stop());
	buf_free(&records);
	buf_free(&text);
}

static void find_self(void *arg, const struct proc_mapping *m)
{
	const char *end = strrchr(m->name, '/');

	if (m->prot & PROT_EXEC && end && !strcmp(end, "/test_proc") &&
	    m->start <= (u64)(uintptr_t)find_self && (u64)(uintptr_t)find_self < m->end)
		*(bool *)arg = true;
}

static void *wait_here(void *arg)
{
	prctl(PR_SET_NAME, "a-thread");
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

static void myself(void **state)
{
	int real = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	u32 self = (u32)getpid(), pid, ppid, tid, i;
	pthread_barrier_t barrier;
	struct proc_ids l = {0};
	bool found = false;
	pthread_t thread;
	char comm[64];

	(void)state;
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_here, &barrier), 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(proc_tids(real, self, &l, NULL), 0);
	assert_int_equal(l.nr, 2);
	/* numbers begin anew where they end */
	tid = l.v[l.v[0] == self];
	assert_true(proc_comm(real, self, tid, comm));
	assert_string_equal(comm, "a-thread");
	assert_true(proc_status(real, tid, &pid, &ppid));
	assert_int_equal(pid, self);
	assert_int_equal(ppid, getppid());
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	assert_true(proc_maps(real, self, find_self, &found));
	assert_true(found);
	l.nr = 0;
	assert_int_equal(proc_pids(real, &l, NULL), 0);
	for (i = 0; i < l.nr && l.v[i] != self;)
		i++;
	assert_true(i < l.nr);
	free(l.v);
	close(real);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids),
		cmocka_unit_test(maps),
		cmocka_unit_test(running_tasks),
		cmocka_unit_test(myself),
		cmocka_unit_test(status_and_comm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("proc", tests, make_tree, remove_tree);
}
