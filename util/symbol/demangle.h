/* SPDX-License-Identifier: GPL-2.0 */
/*
 * demangle.h - C++ and Rust names as their programmers wrote them.
 *
 * "_ZN3foo3barEi" -> "foo::bar", or "foo::bar(int)" with DEMANGLE_PARAMS; Rust names, v0 and
 * legacy, without their hash. The work for a hostile name is bounded: names past DEMANGLE_IN_MAX
 * and results past DEMANGLE_OUT_MAX are given up.
 *
 * Source: Itanium C++ ABI, section 5.1; Rust RFC 2603. libiberty does the decoding.
 */
#ifndef SYMBOL_DEMANGLE_H
#define SYMBOL_DEMANGLE_H

#include "util/base/buf.h"

#define DEMANGLE_IN_MAX  2048
#define DEMANGLE_OUT_MAX 65536

#define DEMANGLE_PARAMS 0x1 /* parameters and qualifiers */

/* Append the plain name; false, with nothing appended, if the name is not a mangled one. */
bool demangle(struct buf *out, const char *name, unsigned int flags);

#endif
