// SPDX-License-Identifier: GPL-2.0
/*
 * consumed.cc - stacks whose names are hard on programs that parse text: an unnamed namespace,
 * operators, code in a file of memory whose name holds blanks and parentheses, under names of
 * commands that look like other parts of a line. Each command works for some milliseconds, calls
 * getppid(2) and sends a datagram to nobody's port, all from the innermost of these functions.
 */
#include <arpa/inet.h>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const commands[] = {
	"a",
	"7",
	"two words",
	"thread (x) 1",
	"12345",
	"w0rk3r/7:9",
	"#hash;semi",
	"{brace",
	" 1/2 [000] ",
	"x 1.000001:",
	"\xc3\xa9t\xc3\xa9",
	"a\xc2\xa0"
	"b",
	"",
	"-1",
};

static int out;
static struct sockaddr_in nobody;

static void work()
{
	for (volatile int i = 0; i < 3000000; i++)
		;
	getppid();
	sendto(out, "x", 1, 0, (struct sockaddr *)&nobody, sizeof(nobody));
}

namespace
{
struct pointer {
	pointer *operator->()
	{
		work();
		return this;
	}
	void nothing()
	{
	}
};

pointer operator+(pointer p, int)
{
	p->nothing();
	return p;
}

template <class T> void spin(T p, void (*made)(void (*)()))
{
	p + 1;
	made(work);
}
} // namespace

#if defined(__x86_64__)
/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
#elif defined(__aarch64__)
/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const unsigned char code[] = {0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x00, 0x00,
				     0x3f, 0xd6, 0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6};
#else
#error "code for this machine is missing"
#endif

int main()
{
	int fd = memfd_create("jit code (x)", 0);
	void *p;

	if (fd < 0 || write(fd, code, sizeof(code)) != (ssize_t)sizeof(code))
		return 1;
	p = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	out = socket(AF_INET, SOCK_DGRAM, 0);
	nobody.sin_family = AF_INET;
	nobody.sin_port = htons(9);
	nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (const char *command : commands) {
		prctl(PR_SET_NAME, command);
		spin(pointer(), (void (*)(void (*)()))p);
	}
	return 0;
}
