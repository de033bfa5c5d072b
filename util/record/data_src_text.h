/* SPDX-License-Identifier: GPL-2.0 */
/*
 * data_src_text.h - where the data of a sampled memory access came from, in words:
 * "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A".
 *
 * Source: <linux/perf_event.h>, union perf_mem_data_src; the words are perf's.
 */
#ifndef RECORD_DATA_SRC_TEXT_H
#define RECORD_DATA_SRC_TEXT_H

#include "util/base/buf.h"

void data_src_text(u64 data_src, struct buf *out);
/* Its parts: "L1 or L1 hit", "None", "L1 or L2 hit", "No", " N/A". */
void data_src_text_level(u64 data_src, struct buf *out);
void data_src_text_snoop(u64 data_src, struct buf *out);
void data_src_text_tlb(u64 data_src, struct buf *out);
void data_src_text_lock(u64 data_src, struct buf *out);
void data_src_text_blocks(u64 data_src, struct buf *out);
/* The size of a page: "4K", "2M"; "N/A" of 0. */
void data_src_text_page_size(u64 size, struct buf *out);

#endif
