// SPDX-License-Identifier: GPL-2.0
#include "util/kernel/cpu_events.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "util/base/num.h"

int cpu_events_open(void)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	int code;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&kernel, sizeof(kernel)))
		return fd;
	code = errno;
	close(fd);
	return -code;
}

bool cpu_events_parse(const char *text, size_t len, u32 *cpu, bool *online)
{
	static const char path[] = "@/devices/system/cpu/cpu";
	char word[64];
	const char *at;
	u64 n;

	/* the first of several strings, each ended by a NUL */
	len = strnlen(text, len);
	if (len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	at = strchr(word, '@');
	if (!at || strncmp(at, path, sizeof(path) - 1) || !num_u64(at + sizeof(path) - 1, &n) ||
	    n > UINT16_MAX)
		return false;
	*online = !strncmp(word, "online@", 7);
	*cpu = (u32)n;
	return *online || !strncmp(word, "offline@", 8);
}

int cpu_events_next(int fd, u32 *cpu, bool *online)
{
	struct sockaddr_nl from = {0};
	char text[4096];
	socklen_t from_len;
	ssize_t n;

	for (;;) {
		from_len = sizeof(from);
		n = recvfrom(fd, text, sizeof(text), 0, (struct sockaddr *)&from, &from_len);
		/* ENOBUFS: some were missed, those behind them are still there */
		if (n < 0 && (errno == EINTR || errno == ENOBUFS))
			continue;
		if (n <= 0)
			return 0;
		/* anybody may send to the group; only the kernel is nobody */
		if (!from.nl_pid && cpu_events_parse(text, (size_t)n, cpu, online))
			return 1;
	}
}
