/* SPDX-License-Identifier: GPL-2.0 */
/*
 * link_target.h - the file that a name stands for, where an output is made beside it and renamed.
 *
 * A symbolic link stands for the file that it names, whether that exists or not, as open(2) with O_CREAT has it; what
 * the kernel does not let us follow (fs.protected_symlinks, a circle) is not followed.
 */
#ifndef BASE_LINK_TARGET_H
#define BASE_LINK_TARGET_H

/* *file: the caller's to free; `path` itself where it is no link. 0 or -errno. */
int link_target(const char *path, char **file);

#endif
