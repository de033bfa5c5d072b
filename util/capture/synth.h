/* SPDX-License-Identifier: GPL-2.0 */
/*
 * synth.h - the side-band records of what ran before the recording began: a COMM for every thread
 * and an MMAP2 for every executable mapping, from /proc; an MMAP for every kernel module;
 * a KSYMBOL for every BPF program's function, which may be gone when its name is wanted.
 *
 * A CGROUP for every control group and the NAMESPACES of every thread where they are asked for.
 *
 * Their times are 0: they hold from the beginning.
 */
#ifndef CAPTURE_SYNTH_H
#define CAPTURE_SYNTH_H

#include "util/base/buf.h"
#include "util/base/err.h"
#include "util/kernel/sysroot.h"
#include "util/record/sample_layout.h"

struct synth {
	int proc;                           /* descriptor of /proc */
	const struct sample_layout *layout; /* shape of the trailers */
	bool no_mappings;                   /* the tasks alone */
	bool data_mappings;                 /* also the mappings that are not executable */
	bool namespaces;                    /* those of each thread */
	bool kernel_names; /* workers of the kernel have the names of its own records, without what they are working on */
	struct buf *out; /* records are appended here */
	u32 records;
};

/* Every process, or only those of the threads in tids[0..nr). What is gone is left out. */
int synth_all(struct synth *s, struct err *err);
int synth_threads(struct synth *s, const u32 *tids, u32 nr, struct err *err);

/* Modules of /proc/modules; none on a kernel without them. */
void synth_modules(struct synth *s);

/* The BPF programs that are loaded, as far as the caller may ask for them. */
void synth_programs(struct synth *s);

/* All control groups. */
void synth_cgroups(struct synth *s, const struct sysroot *root);

/* An MMAP of the kernel's own code. */
void synth_kernel(struct synth *s, u64 start, u64 len);

/* All of this but the kernel, of the threads of targets.h: -1 alone is every process. */
int synth_targets(struct synth *s, const s32 *tids, u32 nr, struct err *err);

#endif
