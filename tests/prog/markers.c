// SPDX-License-Identifier: GPL-2.0
/*
 * markers - a program with static probes (USDT), whose notes are made by hand: SystemTap's header is not needed.
 *
 *	markers N
 *
 * Passes N times each of markers:round (its arguments: the round, a string), markers:twice at two places, and
 * other:last; markers:watched only while its semaphore says that somebody watches. Prints how often that was so:
 * watched=N.
 */
#include <stdio.h>
#include <stdlib.h>

#if __SIZEOF_POINTER__ == 8
#define ADDRESS ".8byte "
#else
#define ADDRESS ".4byte "
#endif

/* The note of a probe at the nop, as <sys/sdt.h> makes it. */
#define NOTE(provider, name, semaphore, arguments)                                 \
	"990: nop\n"                                                               \
	".pushsection .note.stapsdt, \"\", \"note\"\n"                             \
	".balign 4\n"                                                              \
	".4byte 992f - 991f, 994f - 993f, 3\n"                                     \
	"991: .asciz \"stapsdt\"\n"                                                \
	"992: .balign 4\n"                                                         \
	"993: " ADDRESS "990b\n" ADDRESS "_.stapsdt.base\n" ADDRESS semaphore "\n" \
	".asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" arguments "\"\n" \
	"994: .balign 4\n"                                                         \
	".popsection\n"

__asm__(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n"
	".hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n"
	".size _.stapsdt.base, 1\n"
	".popsection\n");

__attribute__((section(".probes"), used)) volatile unsigned short markers_watched_semaphore;

static __attribute__((noinline)) void pass(int round, const char *text)
{
	__asm__ volatile(NOTE("markers", "round", "0", "-4@%0 8@%1") : : "nor"(round), "nor"(text));
	__asm__ volatile(NOTE("markers", "twice", "0", ""));
	__asm__ volatile(NOTE("markers", "twice", "0", ""));
	__asm__ volatile(NOTE("other", "last", "0", "") : : : "memory");
}

static __attribute__((noinline)) void watched(void)
{
	__asm__ volatile(NOTE("markers", "watched", "markers_watched_semaphore", "")
			 :
			 :
			 : "memory");
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, seen = 0, i;

	for (i = 0; i < n; i++) {
		pass(i, "text");
		if (markers_watched_semaphore) {
			watched();
			seen++;
		}
	}
	printf("watched=%d\n", seen);
	return 0;
}
