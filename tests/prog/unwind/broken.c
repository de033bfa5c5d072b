// SPDX-License-Identifier: GPL-2.0
/*
 * broken WHAT - burns 200 ms of CPU time where a stack cannot be told to its end. x86-64.
 *
 *	cfi     below a function whose unwind information has an instruction that does not exist
 *	stack   below one whose unwind information leads down the stack instead of up
 *	jump    in the handler of the fault of a jump to where nothing is mapped
 *	deep    below 300 frames
 *	kernel  in system calls
 *
 * What calls stands above a KiB of zeros, so that no caller can be guessed either.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

/* A call that is the last thing in a function would be a jump. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

#define CPU_MS 200

static volatile unsigned long sink;
static jmp_buf above;

static long cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

NOINLINE void burn(void)
{
	unsigned int i;

	while (cpu_ms() < CPU_MS)
		for (i = 0; i < 2000000; i++)
			sink += i;
}

void below_bad_cfi(void (*run)(void));
void below_bad_stack(void (*run)(void));
void jump_astray(void);

/* A frame of a KiB and 8 bytes, zeroed, and no frame pointer; %rax is what is run below it. */
#define EMPTY_FRAME                      \
	"	push %rbp\n"                   \
	"	.cfi_adjust_cfa_offset 8\n"    \
	"	sub $1024, %rsp\n"             \
	"	.cfi_adjust_cfa_offset 1024\n" \
	"	mov %rdi, %rdx\n"              \
	"	mov %rsp, %rdi\n"              \
	"	mov $128, %ecx\n"              \
	"	xor %eax, %eax\n"              \
	"	xor %ebp, %ebp\n"              \
	"	rep stosq\n"

#define LEAVE                \
	"	add $1024, %rsp\n" \
	"	pop %rbp\n"        \
	"	ret\n"

#define FUNCTION(name, ...)                                             \
	__asm__(".text\n"                                               \
		".type " #name ", @function\n"                          \
		".globl " #name "\n" #name ":\n"                        \
		"	.cfi_startproc\n" __VA_ARGS__ "	.cfi_endproc\n" \
		".size " #name ", . - " #name "\n")

FUNCTION(below_bad_cfi, EMPTY_FRAME ".cfi_escape 0x3f\n"
				    "	call *%rdx\n" LEAVE);
FUNCTION(below_bad_stack, EMPTY_FRAME ".cfi_def_cfa rsp, -4096\n"
				      "	call *%rdx\n" LEAVE);
FUNCTION(jump_astray, EMPTY_FRAME "	mov $0x10000, %eax\n"
				  "	jmp *%rax\n");

static void handler(int sig)
{
	(void)sig;
	burn();
	siglongjmp(above, 1);
}

static void astray(void)
{
	struct sigaction sa = {.sa_handler = handler};

	if (sigaction(SIGSEGV, &sa, NULL))
		exit(1);
	if (!sigsetjmp(above, 1))
		jump_astray();
}

NOINLINE static void down(int depth)
{
	if (depth)
		down(depth - 1);
	else
		burn();
	sink++;
}

NOINLINE static void calls(void)
{
	static char block[1 << 16];
	int null = fileno(stdin);

	while (cpu_ms() < CPU_MS)
		if (syscall(SYS_read, null, block, sizeof(block)) < 0)
			exit(1);
	NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "cfi")) {
		below_bad_cfi(burn);
	} else if (!strcmp(what, "stack")) {
		below_bad_stack(burn);
	} else if (!strcmp(what, "jump")) {
		astray();
	} else if (!strcmp(what, "deep")) {
		down(300);
	} else if (!strcmp(what, "kernel")) {
		calls();
	} else {
		fprintf(stderr, "broken: what?\n");
		return 2;
	}
	return 0;
}
