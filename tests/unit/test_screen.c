// SPDX-License-Identifier: GPL-2.0
/*
 * What a terminal shows of texts that are drawn one over the other: a pseudo-terminal, and behind it
 * as much of a terminal as the sequences ask for.
 */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/cli/screen.h"

#define ROWS 12
#define COLS 40

struct terminal {
	int master, slave;
	u32 rows, cols, row, col;
	bool wraps;
	char cells[ROWS][COLS + 1];
	u32 unknown; /* sequences that it does not have */
	struct screen screen;
	struct buf in, body, foot;
};

static void resize(struct terminal *t, u32 rows, u32 cols)
{
	struct winsize ws = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	t->rows = rows;
	t->cols = cols;
	assert_int_equal(ioctl(t->slave, TIOCSWINSZ, &ws), 0);
}

static int open_terminal(void **state)
{
	struct terminal *t = calloc(1, sizeof(*t));

	if (!t)
		return -1;
	*state = t;
	t->wraps = true;
	t->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->master < 0 || grantpt(t->master) || unlockpt(t->master))
		return -1;
	t->slave = open(ptsname(t->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->slave < 0)
		return -1;
	memset(t->cells, ' ', sizeof(t->cells));
	resize(t, 6, 20);
	setenv("TERM", "xterm", 1);
	screen_init(&t->screen, t->slave);
	return 0;
}

static int close_terminal(void **state)
{
	struct terminal *t = *state;

	screen_end(&t->screen);
	buf_free(&t->in);
	buf_free(&t->body);
	buf_free(&t->foot);
	close(t->master);
	close(t->slave);
	free(t);
	return 0;
}

static void new_line(struct terminal *t)
{
	t->row++;
	if (t->row < t->rows)
		return;
	t->row--;
	memmove(t->cells[0], t->cells[1], (t->rows - 1) * sizeof(t->cells[0]));
	memset(t->cells[t->row], ' ', COLS);
}

static void put(struct terminal *t, char c)
{
	if (t->col == t->cols && t->wraps) {
		t->col = 0;
		new_line(t);
	}
	t->cells[t->row][MIN(t->col, t->cols - 1)] = c;
	t->col = MIN(t->col + 1, t->wraps ? t->cols : t->cols - 1);
}

static void obey(struct terminal *t, const char *arg, char what)
{
	u32 n = (u32)strtoul(arg, NULL, 10), row;

	switch (what) {
	case 'A':
		t->row -= MIN(t->row, n);
		break;
	case 'H':
		t->row = t->col = 0;
		break;
	case 'K':
		memset(t->cells[t->row] + t->col, ' ', COLS - t->col);
		break;
	case 'J':
		memset(t->cells[t->row] + t->col, ' ', COLS - t->col);
		for (row = t->row + 1; row < t->rows; row++)
			memset(t->cells[row], ' ', COLS);
		break;
	case 'l':
	case 'h':
		if (!strncmp(arg, "?7", 2))
			t->wraps = what == 'h';
		else
			t->unknown++;
		break;
	default:
		t->unknown++;
	}
}

/* One character, or one sequence that is all there; where it ends, NULL: it is not. */
static const char *take(struct terminal *t, const char *at)
{
	const char *end;

	if (*at == '\033') {
		end = strpbrk(at, "AHKJlhm");
		if (!end)
			return NULL;
		obey(t, at + 2, *end);
		return end + 1;
	}
	if (*at == '\r')
		t->col = 0;
	else if (*at == '\n')
		new_line(t);
	else
		put(t, *at);
	return at + 1;
}

/* Take in what came out. */
static void look(struct terminal *t)
{
	struct pollfd p = {.fd = t->master, .events = POLLIN};
	const char *at, *next;
	char bytes[4096];
	ssize_t n;

	while (poll(&p, 1, 50) > 0) {
		n = read(t->master, bytes, sizeof(bytes));
		assert_true(n > 0);
		buf_add(&t->in, bytes, (size_t)n);
	}
	for (at = buf_str(&t->in); *at; at = next) {
		next = take(t, at);
		if (!next)
			break;
	}
	if (!t->in.len)
		return;
	memmove(t->in.data, at, strlen(at) + 1);
	t->in.len = strlen(at);
	assert_int_equal(t->unknown, 0);
}

static void shows(struct terminal *t, const char *const *lines, u32 nr)
{
	char line[COLS + 1];
	u32 i, len;

	look(t);
	assert_true(t->wraps);
	for (i = 0; i < t->rows; i++) {
		memcpy(line, t->cells[i], COLS);
		for (len = t->cols; len && line[len - 1] == ' '; len--)
			;
		line[len] = '\0';
		assert_string_equal(line, i < nr ? lines[i] : "");
	}
}

#define SHOWS(t, ...)                                     \
	do {                                              \
		const char *const want[] = {__VA_ARGS__}; \
		shows(t, want, ARRAY_SIZE(want));         \
	} while (0)

static void draw(struct terminal *t, const char *body, const char *foot)
{
	buf_clear(&t->body);
	buf_clear(&t->foot);
	buf_adds(&t->body, body);
	buf_adds(&t->foot, foot);
	screen_draw(&t->screen, &t->body, &t->foot, "ask");
}

static void stays_in_its_place(void **state)
{
	struct terminal *t = *state;

	draw(t, "one\ntwo\n", "foot\n");
	SHOWS(t, "one", "two", "foot");
	draw(t, "1\n", "2\n");
	SHOWS(t, "1", "2");
	draw(t, "a\nb\nc\nd\n", "e\n");
	SHOWS(t, "a", "b", "c", "d", "e");
	draw(t, "A\nB\n", "");
	SHOWS(t, "A", "B");
	screen_erase(&t->screen);
	SHOWS(t, "");
	draw(t, "again\n", "");
	SHOWS(t, "again");
}

static void begins_where_the_cursor_is(void **state)
{
	struct terminal *t = *state;

	assert_int_equal(write(t->slave, "$ cmd\n", 6), 6);
	draw(t, "one\ntwo\n", "foot\n");
	SHOWS(t, "$ cmd", "one", "two", "foot");
	/* what stood there moves up and is kept */
	draw(t, "1\n2\n3\n4\n", "5\n");
	SHOWS(t, "1", "2", "3", "4", "5");
	draw(t, "1\n", "5\n");
	SHOWS(t, "1", "5");
	/* ^C is echoed behind it, and gone with it */
	assert_int_equal(write(t->slave, "^C", 2), 2);
	screen_erase(&t->screen);
	SHOWS(t, "");
}

static void what_does_not_fit(void **state)
{
	struct terminal *t = *state;

	draw(t, "1\n2\n3\n4\n5\n6\n7\n", "foot\n");
	SHOWS(t, "1", "2", "3", "... 4 more lines: ak", "foot");
	draw(t, "1\n2\n3\n4\n", "foot\n");
	SHOWS(t, "1", "2", "3", "4", "foot");
	draw(t, "a line that is longer than that\nx\n", "");
	SHOWS(t, "a line that is longt", "x");
	draw(t, "1\n2\n", "f1\nf2\nf3\nf4\n");
	SHOWS(t, "... 2 more lines: ak", "f1", "f2", "f3", "f4");
}

static void of_another_size(void **state)
{
	struct terminal *t = *state;

	assert_int_equal(write(t->slave, "$ cmd\n", 6), 6);
	draw(t, "1\n2\n", "foot\n");
	SHOWS(t, "$ cmd", "1", "2", "foot");
	resize(t, 10, 30);
	draw(t, "1\n2\n3\n4\n5\n6\n7\n", "foot\n");
	SHOWS(t, "1", "2", "3", "4", "5", "6", "7", "foot");
}

/* ^S: nobody waits for it, and what is drawn afterwards stands in its place. */
static void a_terminal_that_stands_still(void **state)
{
	struct terminal *t = *state;
	int flow;

	draw(t, "1\n", "");
	SHOWS(t, "1");
	for (flow = 0; flow < 2000; flow++)
		draw(t, "a line of some length\nanother\n", "");
	look(t);
	/* the rest of what was being drawn comes first */
	draw(t, "2\n", "");
	SHOWS(t, "2");
}

static void needs_a_terminal(void **state)
{
	struct screen s;
	struct buf text = {0};
	int fds[2];
	char c;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	screen_init(&s, fds[1]);
	assert_false(s.on);
	buf_adds(&text, "text\n");
	screen_draw(&s, &text, &text, "");
	screen_end(&s);
	close(fds[1]);
	assert_int_equal(read(fds[0], &c, 1), 0);
	close(fds[0]);
	buf_free(&text);
}

static void knows_dumb_terminals(void **state)
{
	struct terminal *t = *state;
	struct screen s;

	setenv("TERM", "dumb", 1);
	screen_init(&s, t->slave);
	assert_false(s.on);
	unsetenv("TERM");
	screen_init(&s, t->slave);
	assert_false(s.on);
}

#define ON_TERMINAL(test) cmocka_unit_test_setup_teardown(test, open_terminal, close_terminal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TERMINAL(stays_in_its_place),
		ON_TERMINAL(begins_where_the_cursor_is),
		ON_TERMINAL(what_does_not_fit),
		ON_TERMINAL(of_another_size),
		ON_TERMINAL(a_terminal_that_stands_still),
		cmocka_unit_test(needs_a_terminal),
		ON_TERMINAL(knows_dumb_terminals),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}
