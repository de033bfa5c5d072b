/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sudo_owner.h - files that a command creates under sudo(8) belong to the user who ran sudo.
 */
#ifndef BASE_SUDO_OWNER_H
#define BASE_SUDO_OWNER_H

/*
 * `fd` is a file that this process has just created, `path` its name. Give it to SUDO_UID and SUDO_GID if this process
 * is root and that user may write to the folder. Otherwise, or if it fails, the file stays root's.
 */
void sudo_owner_give(int fd, const char *path);

#endif
