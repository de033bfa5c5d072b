/* SPDX-License-Identifier: GPL-2.0 */
/*
 * process_dump.h - the state of a process model as side-band records, such that a model which they
 * are applied to knows the same: who lives, under which name, with what mapped.
 *
 * The records have time 0: they hold from the beginning. COMM for each thread that has not ended,
 * FORK for threads without a name, MMAP2 for mappings, MMAP for the kernel and its modules, KSYMBOL
 * for bpf programs. Dead processes are left out.
 */
#ifndef PROCESS_PROCESS_DUMP_H
#define PROCESS_PROCESS_DUMP_H

#include "util/base/buf.h"
#include "util/process/process.h"
#include "util/record/sample_layout.h"

/*
 * Append the records to `out`, with trailers of the layout's shape, and add their number to *records
 * (may be NULL). Returns 0 or -ENOMEM.
 */
int process_dump(const struct process_model *m, const struct sample_layout *layout, struct buf *out,
		 u32 *records);

#endif
