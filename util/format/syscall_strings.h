/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscall_strings.h - the texts that system calls name, read from the memory of their processes as
 * soon as the samples come out of the rings, and kept until their turn has come by time.
 *
 * Zero-initialised, it is empty and ready. Samples are asked for in the order of their times; what was not
 * asked for is forgotten when later ones are.
 */
#ifndef FORMAT_SYSCALL_STRINGS_H
#define FORMAT_SYSCALL_STRINGS_H

#include "util/base/buf.h"
#include "util/base/hash.h"
#include "util/base/vec.h"
#include "util/syscall/syscall_text.h"

/* Longer texts are cut. */
#define SYSCALL_STRING_MAX 4096

struct syscall_string_at {
	u64 time;
	u32 tid, arg;
	u32 at, len; /* in bytes of the table */
	bool cut;
};

struct syscall_strings {
	struct syscall_string_table {
		VEC(struct syscall_string_at) v;
		struct hmap index;
		struct buf bytes;
		u64 newest; /* time of any */
	} young, old;
};

/* Read what an argument of a call points to now. What cannot be read or kept is left out. */
void syscall_strings_read(struct syscall_strings *s, u32 tid, u64 time, u32 arg, u64 address);
/* The same of the bytes of a socket's address, which has a family at least. */
void syscall_strings_read_bytes(struct syscall_strings *s, u32 tid, u64 time, u32 arg, u64 address,
				u32 size);
/* The same of the file that the process is of, as execve(2) was told it. */
void syscall_strings_read_program(struct syscall_strings *s, u32 tid, u64 time, u32 arg);
/* What was read; s NULL if nothing was. It lives until the next call of either function. */
struct syscall_string syscall_strings_get(struct syscall_strings *s, u32 tid, u64 time, u32 arg);
void syscall_strings_free(struct syscall_strings *s);

#endif
