/* SPDX-License-Identifier: GPL-2.0 */
/*
 * native.h - reads a native file (docs/FORMAT.md) as a source, from a file or a pipe.
 *
 * A damaged block is passed over: the reader goes on at the next block header whose hash is right,
 * and what was lost is counted in source.damage. A file that ends early (a killed recorder, a full
 * disk) is read to its last whole block.
 */
#ifndef FILE_NATIVE_H
#define FILE_NATIVE_H

#include "util/file/source.h"
#include "util/file/stream.h"

/* Takes over the stream, which is positioned at the file header. */
struct source *native_open(struct stream *in, struct err *err);

#endif
