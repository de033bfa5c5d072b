/* SPDX-License-Identifier: GPL-2.0 */
/*
 * include_text.h - a file of the tree as a constant string, NUL-terminated.
 *
 *	extern const char NAME[];                       (in a header)
 *	INCLUDE_TEXT("NAME", "util/draw/file.js");
 *
 * The assembler reads the file, by its path from the top of the tree. The compiler does not know of that:
 * the Makefile says which object depends on it.
 */
#ifndef DRAW_INCLUDE_TEXT_H
#define DRAW_INCLUDE_TEXT_H

#define INCLUDE_TEXT(name, path)                       \
	__asm__(".section .rodata\n"                   \
		".globl " name "\n"                    \
		".type " name ", %object\n" name ":\n" \
		".incbin \"" path "\"\n"               \
		".byte 0\n"                            \
		".size " name ", . - " name "\n"       \
		".previous\n")

#endif
