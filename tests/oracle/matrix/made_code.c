// SPDX-License-Identifier: GPL-2.0
/*
 * made_code DIR - runs the same x86-64 code where no file that has a name holds it: anonymous memory, private and
 * shared, of large pages too, the heap, a memfd, /dev/zero, a file in DIR that is deleted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE  4096ul
#define LARGE (2ul << 20)

/* push %rbp; mov %rsp,%rbp; mov $0x1000000,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x00, 0x00, 0x00,
				     0x01, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};

static void *map(size_t size, int prot, int flags, int fd)
{
	void *p = mmap(NULL, size, prot, flags, fd, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static void run(void *p)
{
	((void (*)(void))p)();
}

static void run_copy(void *p)
{
	memcpy(p, code, sizeof(code));
	run(p);
}

static void run_file(int fd)
{
	if (fd < 0 || write(fd, code, sizeof(code)) != sizeof(code)) {
		perror("file");
		exit(1);
	}
	run(map(PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd));
}

int main(int argc, char **argv)
{
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
	char path[4096], *p;
	int fd;

	run_copy(map(PAGE, all, MAP_PRIVATE | MAP_ANONYMOUS, -1));
	run_copy(map(PAGE, all, MAP_SHARED | MAP_ANONYMOUS, -1));
	p = map(2 * LARGE, all, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	madvise(p, 2 * LARGE, MADV_HUGEPAGE);
	run_copy(p + LARGE);
	p = malloc(2 * PAGE);
	p += -(unsigned long)p % PAGE;
	mprotect(p, PAGE, all);
	run_copy(p);
	run_copy(map(PAGE, all, MAP_PRIVATE, open("/dev/zero", O_RDWR)));
	run_file(memfd_create("made here", 0));
	snprintf(path, sizeof(path), "%s/deleted-XXXXXX", argc > 1 ? argv[1] : "/var/tmp");
	fd = mkstemp(path);
	unlink(path);
	run_file(fd);
	return 0;
}
