/* SPDX-License-Identifier: GPL-2.0 */
/*
 * version.h - which perf-lite this is: "0.9", or of a git checkout "0.9-g1234567" or "0.9-g1234567-dirty".
 * The Makefile writes the function, by scripts/dev/version, so that a new commit compiles it alone.
 */
#ifndef LIBRARY_VERSION_H
#define LIBRARY_VERSION_H

const char *version_string(void);

#endif
