// SPDX-License-Identifier: GPL-2.0
/* Who has a socket open, in a /proc that is made here. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/made.h"
#include "util/kernel/socket_owners.h"

static void owners(void **state)
{
	struct socket_owner v[] = {{.inode = 77}, {.inode = 5}, {.inode = 78}, {.inode = 77}};
	char folder[64], cmd[1024];
	int proc;

	(void)state;
	made_folder(folder);
	snprintf(
		cmd, sizeof(cmd),
		"cd %s && mkdir -p 12/fd 12/task/12 9/fd 9/task/9 300/task/300 self 40/fd && "
		"echo shares >12/comm && echo shares >12/task/12/comm && echo first >9/comm && "
		"echo first >9/task/9/comm && ln -s 'socket:[77]' 12/fd/3 && ln -s 'socket:[77]' 9/fd/5 && "
		"ln -s 'socket:[78]' 12/fd/4 && ln -s /dev/null 9/fd/0 && ln -s 'socket:[' 40/fd/1 && "
		"ln -s 'socket:[x]' 40/fd/2 && ln -s 'pipe:[5]' 40/fd/3",
		folder);
	assert_int_equal(system(cmd), 0);
	proc = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(proc >= 0);
	assert_int_equal(socket_owners_find(proc, v, ARRAY_SIZE(v), NULL), 0);
	assert_int_equal(v[0].pid, 9);
	assert_string_equal(v[0].comm, "first");
	assert_int_equal(v[1].pid, 0);
	assert_string_equal(v[1].comm, "");
	assert_int_equal(v[2].pid, 12);
	assert_string_equal(v[2].comm, "shares");
	assert_int_equal(v[3].pid, 9);
	/* who has one keeps it */
	v[2].inode = 5;
	assert_int_equal(socket_owners_find(proc, v, ARRAY_SIZE(v), NULL), 0);
	assert_int_equal(v[2].pid, 12);
	close(proc);
	made_folder_gone(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(owners)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
