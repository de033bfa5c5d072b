/* SPDX-License-Identifier: GPL-2.0 */
/* count_down.h - machine code that programs copy to where they run it, as JIT compilers do; one byte: none is known. */
#ifndef TESTS_PROG_COUNT_DOWN_H
#define TESTS_PROG_COUNT_DOWN_H

/* void f(long n): counts n down to 0 */
#if defined(__x86_64__)
static const unsigned char count_down[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined(__aarch64__)
static const unsigned char count_down[] = {0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
					   0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6};
#else
static const unsigned char count_down[] = {0};
#endif

#endif
