// SPDX-License-Identifier: GPL-2.0
/* memfd FILE ARG... - runs a copy of a program that lies in memory alone, and has no path. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	int from = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	int to = memfd_create("copy", MFD_CLOEXEC);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) ||
	    sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size) {
		perror("memfd");
		return 1;
	}
	fexecve(to, argv + 1, environ);
	perror("memfd: fexecve");
	return 1;
}
