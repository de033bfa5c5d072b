/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bpf_program.h - maps and programs of the kernel, by bpf(2).
 *
 * Whatever is made is a descriptor, and gone when the last of these is closed: nothing stays behind a
 * process that was killed. Functions give a descriptor or 0, else -errno; they set no error, as only the caller knows
 * what cannot be done then.
 *
 * Source: bpf(2), <linux/bpf.h>.
 */
#ifndef BPF_BPF_PROGRAM_H
#define BPF_BPF_PROGRAM_H

#include "util/base/buf.h"
#include "util/bpf/bpf_code.h"

/* bpf(2). Clear all of `a` first: the kernel takes none whose unused bytes are not zeros. */
int bpf_call(enum bpf_cmd cmd, union bpf_attr *a);
/* entries: at most, and all have their memory at once: a program must not ask for any. */
int bpf_map_new(enum bpf_map_type type, u32 key, u32 value, u32 entries);
/*
 * An ARRAY_OF_MAPS, of maps like `inner`; its values are descriptors. Once bpf_map_put() or bpf_map_delete() has
 * returned, no program is at work on the map that was there.
 */
int bpf_map_new_outer(int inner, u32 entries);
int bpf_map_put(int map, const void *key, const void *value);
/* -EEXIST: the key has a value already, and keeps it. */
int bpf_map_add(int map, const void *key, const void *value);
int bpf_map_get(int map, const void *key, void *value);
int bpf_map_delete(int map, const void *key);
/*
 * Take all out of a hash, that has room for *nr, at most *nr at once, and no program is at work on: *nr is how many these are.
 * Values are as long as a multiple of 8, for each possible CPU. *at is 0 at first. -ENOENT: these were the last.
 */
int bpf_map_take(int map, u64 *at, void *keys, void *values, u32 *nr);
/* The same, and they stay; of what programs change meanwhile, some may be missed. */
int bpf_map_read(int map, u64 *at, void *keys, void *values, u32 *nr);

/* What a program is for. */
struct bpf_use {
	enum bpf_prog_type type;
	u32 at; /* enum bpf_attach_type of BPF_PROG_TYPE_TRACING, and at many functions; else 0 */
	u32 btf_id;         /* of BPF_PROG_TYPE_TRACING: the function, in these types: */
	const char *module; /* its, since Linux 5.11 and with CAP_SYS_ADMIN; NULL: the kernel's */
	bool sleeps; /* at a function of a program, one of BPF_PROG_TYPE_KPROBE may: since Linux 6.0 */
};

/*
 * Load a program that bpf_code_end() has closed; `maps` are the descriptors of its maps by number. If the verifier
 * refuses it, `log`, unless it is NULL, has why.
 */
int bpf_program_load(const struct bpf_code *c, const struct bpf_use *use, const int *maps,
		     struct buf *log);
/* One that does nothing: what is refused then is its use. */
int bpf_program_load_empty(const struct bpf_use *use, struct buf *log);
/* May this process load one? -EPERM, ... */
int bpf_program_allowed(void);
/* Run it at each hit of a raw tracepoint, or, NULL, of the function that it was loaded for, until the descriptor is closed. */
int bpf_program_at_tracepoint(int program, const char *name);
/* Likewise where these functions of the kernel begin, or return: one that was loaded at BPF_TRACE_KPROBE_MULTI. Since Linux 5.18. */
int bpf_program_at_functions(int program, const u64 *addresses, u32 nr, bool at_return);
/*
 * Likewise where functions of a file begin, or return, in any process: by bytes of the file, which the program asks for as its cookie.
 * One that was loaded at BPF_PROGRAM_AT_FILE. Since Linux 6.6.
 */
#define BPF_PROGRAM_AT_FILE 48 /* BPF_TRACE_UPROBE_MULTI, which older headers lack */
int bpf_program_at_file(int program, const char *path, const u64 *offsets, u32 nr, bool at_return);
/* Likewise at each hit of a perf event, which the descriptor holds. Since Linux 5.15. */
int bpf_program_at_event(int program, int event);
/* How often it did not run, because it was running on that CPU already. */
int bpf_program_missed(int program, u64 *missed);
/* Hits of such functions that came to no program: as descriptors of bpf_program_at_functions() and bpf_program_at_event() tell since Linux 6.7. */
int bpf_link_missed(int link, u64 *missed);

#endif
