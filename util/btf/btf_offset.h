/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btf_offset.h - where a member lies in a struct, also one of anonymous structs and unions in it.
 */
#ifndef BTF_BTF_OFFSET_H
#define BTF_BTF_OFFSET_H

#include "util/btf/btf.h"

/* In bytes from the beginning of the struct. False: there is none, or it is a bit-field. */
bool btf_offset(const struct btf *b, const char *of_struct, const char *member, u32 *offset);

#endif
