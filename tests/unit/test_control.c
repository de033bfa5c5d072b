// SPDX-License-Identifier: GPL-2.0
/* Commands through pipes and FIFOs, whole and in pieces, from writers that come and go. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/capture/control.h"

struct ends {
	struct control c;
	int ctl[2], ack[2];
};

static void begin(struct ends *e)
{
	char text[64];

	assert_int_equal(pipe2(e->ctl, O_CLOEXEC), 0);
	assert_int_equal(pipe2(e->ack, O_CLOEXEC), 0);
	snprintf(text, sizeof(text), "fd:%d,%d", e->ctl[0], e->ack[1]);
	assert_int_equal(control_open(text, &e->c, NULL), 0);
	assert_int_equal(control_fd(&e->c), e->ctl[0]);
}

static void end(struct ends *e)
{
	int fds[] = {e->ctl[0], e->ctl[1], e->ack[0], e->ack[1]};
	size_t i;

	control_close(&e->c);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		if (fds[i] >= 0)
			assert_int_equal(close(fds[i]), 0); /* descriptors stay their owner's */
}

static void say(struct ends *e, const char *s, size_t len)
{
	assert_int_equal(io_write(e->ctl[1], s, len), 0);
}

static void expect(struct ends *e, enum control_kind kind, const char *text)
{
	struct control_command cmd;

	assert_int_equal(control_next(&e->c, &cmd), 1);
	assert_int_equal(cmd.kind, kind);
	if (text)
		assert_string_equal(cmd.text, text);
}

static void expect_none(struct ends *e)
{
	struct control_command cmd;

	assert_int_equal(control_next(&e->c, &cmd), 0);
	assert_int_equal(control_next(&e->c, &cmd), 0);
}

static void lines(void **state)
{
	static const char said[] =
		"enable\ndisable\nenable cpu-clock\ndisable  sched:sched_switch \n"
		"stop\r\nping\nsnapshot\n\n\nping\0stop\n";
	struct ends e;

	(void)state;
	begin(&e);
	expect_none(&e);
	say(&e, said, sizeof(said) - 1);
	expect(&e, CONTROL_ENABLE, "");
	expect(&e, CONTROL_DISABLE, "");
	expect(&e, CONTROL_ENABLE, "cpu-clock");
	expect(&e, CONTROL_DISABLE, "sched:sched_switch");
	expect(&e, CONTROL_STOP, NULL);
	expect(&e, CONTROL_PING, NULL);
	expect(&e, CONTROL_SNAPSHOT, NULL);
	expect(&e, CONTROL_PING, NULL);
	expect(&e, CONTROL_STOP, NULL);
	expect_none(&e);
	end(&e);
}

static void evlist(void **state)
{
	static const struct {
		const char *line;
		enum control_kind kind;
		bool v, f;
	} cases[] = {
		{"evlist", CONTROL_EVLIST, false, false},
		{"evlist -v", CONTROL_EVLIST, true, false},
		{"evlist  -g", CONTROL_EVLIST, false, false},
		{"evlist -F -v", CONTROL_EVLIST, true, true},
		{"evlist -x", CONTROL_UNKNOWN, false, false},
		{"evlist -vg", CONTROL_UNKNOWN, false, false},
		{"evlist v", CONTROL_UNKNOWN, false, false},
		{"evlists", CONTROL_UNKNOWN, false, false},
	};
	struct control_command cmd;
	struct ends e;
	size_t i;

	(void)state;
	begin(&e);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		say(&e, cases[i].line, strlen(cases[i].line));
		say(&e, "\n", 1);
		assert_int_equal(control_next(&e.c, &cmd), 1);
		assert_int_equal(cmd.kind, cases[i].kind);
		if (cmd.kind == CONTROL_UNKNOWN) {
			assert_string_equal(cmd.text, cases[i].line);
			continue;
		}
		assert_int_equal(cmd.verbose, cases[i].v);
		assert_int_equal(cmd.frequency, cases[i].f);
	}
	end(&e);
}

static void unknown(void **state)
{
	static const char *const bad[] = {"bogus", "enablex", "Stop", "stop now",
					  "pings", "-",       "\t"};
	struct ends e;
	size_t i;

	(void)state;
	begin(&e);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		say(&e, bad[i], strlen(bad[i]));
		say(&e, "\n", 1);
		expect(&e, CONTROL_UNKNOWN, bad[i]);
	}
	expect_none(&e);
	end(&e);
}

/* One byte at a time, as a slow writer has it. */
static void pieces(void **state)
{
	static const char said[] = "enable a-rather-long:event-name\nstop\n";
	struct ends e;
	size_t i;

	(void)state;
	begin(&e);
	for (i = 0; i < sizeof(said) - 1; i++) {
		say(&e, said + i, 1);
		if (said[i] != '\n')
			expect_none(&e);
		else if (i < sizeof(said) - 2)
			expect(&e, CONTROL_ENABLE, "a-rather-long:event-name");
	}
	expect(&e, CONTROL_STOP, NULL);
	end(&e);
}

static void too_long(void **state)
{
	static char name[3 * CONTROL_LINE_MAX];
	struct control_command cmd;
	struct ends e;

	(void)state;
	memset(name, 'x', sizeof(name));
	begin(&e);
	say(&e, "enable ", 7);
	say(&e, name, sizeof(name));
	assert_int_equal(control_next(&e.c, &cmd), 1);
	assert_int_equal(cmd.kind, CONTROL_UNKNOWN);
	assert_true(strlen(cmd.text) < 100 && !strncmp(cmd.text, "enable xxx", 10));
	expect_none(&e);
	say(&e, name, sizeof(name));
	expect_none(&e);
	say(&e, "stop\nping\n", 10); /* the first ends the long line */
	expect(&e, CONTROL_PING, NULL);
	expect_none(&e);
	/* the longest that fits */
	memcpy(name, "enable ", 7);
	name[CONTROL_LINE_MAX - 2] = '\n';
	say(&e, name, CONTROL_LINE_MAX - 1);
	assert_int_equal(control_next(&e.c, &cmd), 1);
	assert_int_equal(cmd.kind, CONTROL_ENABLE);
	assert_int_equal(strlen(cmd.text), CONTROL_LINE_MAX - 2 - 7);
	expect_none(&e);
	end(&e);
}

/* The writer has gone: what it said last counts, ended or not, and then there is nothing more. */
static void writer_ends(void **state)
{
	struct ends e;

	(void)state;
	begin(&e);
	say(&e, "ping\nstop", 9);
	close(e.ctl[1]);
	e.ctl[1] = -1;
	expect(&e, CONTROL_PING, NULL);
	expect(&e, CONTROL_STOP, NULL);
	expect_none(&e);
	assert_int_equal(control_fd(&e.c), -1);
	end(&e);
}

static void acknowledged(void **state)
{
	struct control c;
	char text[32];
	struct ends e;
	int i, n;

	(void)state;
	begin(&e);
	control_ack(&e.c);
	control_ack(&e.c);
	assert_int_equal(read(e.ack[0], text, sizeof(text)), 8);
	assert_memory_equal(text, "ack\nack\n", 8);
	/* nobody reads: it neither blocks nor breaks */
	for (i = 0; i < 100000; i++)
		control_ack(&e.c);
	/* nobody can read: SIGPIPE kills no one */
	close(e.ack[0]);
	e.ack[0] = -1;
	control_ack(&e.c);
	say(&e, "ping\n", 5);
	expect(&e, CONTROL_PING, NULL);
	n = e.ctl[0];
	end(&e);
	/* none was asked for */
	assert_int_equal(pipe2(e.ctl, O_CLOEXEC), 0);
	assert_int_equal(n, e.ctl[0]);
	snprintf(text, sizeof(text), "fd:%d", e.ctl[0]);
	assert_int_equal(control_open(text, &c, NULL), 0);
	assert_true(fcntl(e.ctl[0], F_GETFL) & O_NONBLOCK);
	control_ack(&c);
	control_close(&c);
	assert_false(fcntl(e.ctl[0], F_GETFL) & O_NONBLOCK);
	close(e.ctl[0]);
	close(e.ctl[1]);
}

static void fifos(void **state)
{
	char folder[64], text[200], path[96], ack[96];
	struct control_command cmd;
	struct control c;
	struct pollfd p;
	struct err err;
	char got[8];
	int w, r;

	(void)state;
	made_folder(folder);
	snprintf(path, sizeof(path), "%s/ctl", folder);
	snprintf(ack, sizeof(ack), "%s/ack", folder);
	snprintf(text, sizeof(text), "fifo:%s,%s", path, ack);
	assert_int_equal(control_open(text, &c, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "mkfifo"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(control_open(text, &c, &err), -ENOENT);
	assert_non_null(strstr(err.msg, ack));
	close(open(ack, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	assert_int_equal(control_open(text, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no FIFO"));
	unlink(ack);
	assert_int_equal(mkfifo(ack, 0600), 0);
	assert_int_equal(control_open(text, &c, &err), 0);
	p = (struct pollfd){.fd = control_fd(&c), .events = POLLIN};
	/* writers come and go; between them the FIFO is not at its end */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(poll(&p, 1, 0), 0);
		w = open(path, O_WRONLY | O_CLOEXEC);
		assert_int_equal(io_write(w, "ping\n", 5), 0);
		close(w);
		assert_int_equal(poll(&p, 1, 0), 1);
		assert_int_equal(p.revents, POLLIN);
		assert_int_equal(control_next(&c, &cmd), 1);
		assert_int_equal(cmd.kind, CONTROL_PING);
		assert_int_equal(control_next(&c, &cmd), 0);
	}
	r = open(ack, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	control_ack(&c);
	assert_int_equal(read(r, got, sizeof(got)), 4);
	close(r);
	control_ack(&c);
	control_close(&c);
	assert_int_equal(control_fd(&c), -1);
	made_folder_gone(folder);
}

static void bad_texts(void **state)
{
	static const char *const bad[] = {
		"",       "fifo",          "fifo:",          "fd:",    "fd:,3",   "fd:x",
		"fd:-1",  "fd:0x",         "fd:99999999999", "pipe:3", "fifo:,x", "fd:0,y",
		"fd:987", "fifo:/dev/null"};
	struct control c;
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		err.code = 0;
		assert_true(control_open(bad[i], &c, &err) < 0);
		assert_true(err.code > 0 && strstr(err.msg, "--control"));
		assert_int_equal(control_fd(&c), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),        cmocka_unit_test(evlist),
		cmocka_unit_test(unknown),      cmocka_unit_test(pieces),
		cmocka_unit_test(too_long),     cmocka_unit_test(writer_ends),
		cmocka_unit_test(acknowledged), cmocka_unit_test(fifos),
		cmocka_unit_test(bad_texts),
	};

	signal(SIGPIPE, SIG_DFL);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
