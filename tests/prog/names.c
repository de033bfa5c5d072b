// SPDX-License-Identifier: GPL-2.0
/*
 * names - works under names that no output may show as they are: control bytes, a line feed, broken
 * UTF-8, separators of formats, nothing at all. Code that it makes itself is named likewise in
 * /tmp/perf-PID.map, which stays. Prints the PID.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "perf_map.h"

static const char *const names[] = {"new\nline",
				    "\033[31mred",
				    "bel\a",
				    "\xff\xfe\x80",
				    "semi;colon",
				    "#hash",
				    "<&>\"'",
				    "tab\tx",
				    "",
				    "a",
				    "two words",
				    "(paren)",
				    "\xc3\xa9t\xc3\xa9"};

#if defined(__x86_64__)
/* push %rbp; mov %rsp,%rbp; mov $0x800000,%ecx; 1: dec %ecx; jnz 1b; pop %rbp; ret: some milliseconds */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xb9, 0x00, 0x00, 0x80,
				     0x00, 0xff, 0xc9, 0x75, 0xfc, 0x5d, 0xc3};
#elif defined(__aarch64__)
/* mov w0, #0x800000; 1: subs w0, w0, #1; b.ne 1b; ret */
static const unsigned char code[] = {0x00, 0x10, 0xa0, 0x52, 0x00, 0x04, 0x00, 0x71,
				     0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#else
#error "code for this machine is missing"
#endif

int main(void)
{
	char path[64];
	size_t i;
	FILE *f;
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	f = open_perf_map(path, sizeof(path));
	if (p == MAP_FAILED || !f)
		return 1;
	memcpy(p, code, sizeof(code));
	memcpy(p + 256, code, sizeof(code));
	__builtin___clear_cache(p, p + 512);
	fprintf(f, "%lx 40 bad\033[31m \xff\xc3;\n", (unsigned long)p);
	fprintf(f, "%lx 40 tab\there <b>&\"\a\177\r\n", (unsigned long)p + 256);
	fclose(f);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		prctl(PR_SET_NAME, names[i]);
		((void (*)(void))p)();
		((void (*)(void))(p + 256))();
	}
	printf("%d\n", getpid());
	return 0;
}
