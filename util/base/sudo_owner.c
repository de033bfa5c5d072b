// SPDX-License-Identifier: GPL-2.0
#include "util/base/sudo_owner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/base/num.h"
#include "util/base/types.h"

static bool id_of(const char *variable, u64 *id)
{
	const char *text = getenv(variable);

	return text && num_u64(text, id) && *id < UINT32_MAX;
}

static int stat_folder(const char *path, struct stat *st)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	size_t len;

	if (!slash)
		return stat(".", st);
	len = (size_t)(slash - path) + (slash == path);
	if (len >= sizeof(folder))
		return -1;
	memcpy(folder, path, len);
	folder[len] = '\0';
	return stat(folder, st);
}

/* A root shell inherits SUDO_UID, too; what it writes to /root is nobody else's. */
static bool may_write(const struct stat *folder, uid_t uid, gid_t gid)
{
	mode_t bit = folder->st_uid == uid ? S_IWUSR : folder->st_gid == gid ? S_IWGRP : S_IWOTH;

	return folder->st_mode & bit;
}

void sudo_owner_give(int fd, const char *path)
{
	struct stat folder;
	u64 uid, gid;

	if (geteuid() || !id_of("SUDO_UID", &uid) || !id_of("SUDO_GID", &gid) || !uid)
		return;
	if (stat_folder(path, &folder) || !may_write(&folder, (uid_t)uid, (gid_t)gid))
		return;
	/* a file system without owners (FAT, some network mounts) refuses: the file is written nevertheless */
	if (fchown(fd, (uid_t)uid, (gid_t)gid))
		return;
}
