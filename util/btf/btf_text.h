/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btf_text.h - types of a kernel as C.
 */
#ifndef BTF_BTF_TEXT_H
#define BTF_BTF_TEXT_H

#include "util/btf/btf.h"

/* "struct sk_buff *skb", "char comm[16]", "int (*fn)(void *)"; name "": the type alone. */
void btf_text_declare(const struct btf *b, u32 id, const char *name, struct buf *out);

/*
 * A struct, union, enum, typedef or function on lines of its own. Members have their offset and size in bytes
 * before them, bit-fields as BYTE:BIT and bits; members of anonymous structs and unions are told
 * where they stand in the whole.
 */
void btf_text_define(const struct btf *b, u32 id, struct buf *out);

/*
 * "name(struct sk_buff *skb, int reason)" of what a tracepoint hands to its probes; false, with nothing appended, if
 * the kernel does not tell it.
 */
bool btf_text_tracepoint(const struct btf *b, const char *name, struct buf *out);

#endif
