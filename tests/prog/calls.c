// SPDX-License-Identifier: GPL-2.0
/*
 * calls FILE N - makes known system calls, one of each sort, and N of getppid(2); ends with 7.
 *
 * FILE is made and removed. The first of them is a close(2) of descriptor -77, the last before the exit one of -78.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void files(const char *path)
{
	char text[8] = "sample";
	long fd;

	syscall(SYS_openat, AT_FDCWD, "/no/such/\"file\\", O_RDONLY | O_CLOEXEC);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_RDWR | O_TRUNC, 0640);
	syscall(SYS_write, fd, text, 6);
	syscall(SYS_lseek, fd, -1l, SEEK_END);
	syscall(SYS_pread64, fd, text, 4, 2l);
	syscall(SYS_fcntl, fd, F_SETFD, FD_CLOEXEC);
	syscall(SYS_fcntl, fd, F_GETFL);
	syscall(SYS_fcntl, fd, F_SETFL, O_APPEND | O_NONBLOCK);
	syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 10);
	syscall(SYS_ioctl, fd, TCGETS, text);
	syscall(SYS_fallocate, fd, FALLOC_FL_KEEP_SIZE, 0l, 4096l);
	syscall(SYS_ftruncate, fd, 3l);
	syscall(SYS_dup3, fd, 20, O_CLOEXEC);
	syscall(SYS_fchown, fd, -1, -1);
	syscall(SYS_fchmod, fd, 0600);
	syscall(SYS_faccessat, AT_FDCWD, path, R_OK | W_OK);
	syscall(SYS_mkdirat, -1, "relative", 0755);
	syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
	syscall(SYS_umask, 027);
	syscall(SYS_close, fd);
}

static void memory(void)
{
	long at = syscall(SYS_mmap, 0l, 8192l, (long)PROT_READ | PROT_WRITE,
			  (long)MAP_PRIVATE | MAP_ANONYMOUS, -1l, 0l);

	syscall(SYS_mprotect, at, 4096l, (long)PROT_READ);
	syscall(SYS_madvise, at, 4096l, MADV_DONTNEED);
	syscall(SYS_munmap, at, 8192l);
	syscall(SYS_mmap, 0l, 0l, 0l, (long)MAP_SHARED, -1l, 0l);
}

static void tasks(void)
{
	const struct timespec moment = {0, 1000000};
	u_int32_t word = 1;
	sigset_t set;

	sigemptyset(&set);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 8l);
	syscall(SYS_kill, 0x7ffffff0, SIGTERM);
	syscall(SYS_tgkill, -1, -1, SIGUSR1);
	syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
	syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, NULL);
	syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, NULL);
	syscall(SYS_prctl, PR_SET_DUMPABLE, 1l, 0l, 0l, 0l);
	syscall(SYS_unshare, CLONE_FS | CLONE_FILES);
}

static void descriptors(void)
{
	char random[4];
	int pair[2];

	syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 17);
	syscall(SYS_socket, 999, SOCK_RAW, 0);
	syscall(SYS_sendto, -1, random, 4l, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	syscall(SYS_shutdown, -1, SHUT_RDWR);
	syscall(SYS_epoll_create1, EPOLL_CLOEXEC);
	syscall(SYS_epoll_ctl, -1, EPOLL_CTL_DEL, -1, NULL);
	syscall(SYS_eventfd2, 7, EFD_NONBLOCK);
	syscall(SYS_pipe2, pair, O_CLOEXEC | O_NONBLOCK);
	syscall(SYS_getrandom, random, 4l, GRND_NONBLOCK);
	syscall(SYS_timerfd_create, CLOCK_BOOTTIME, O_CLOEXEC);
}

int main(int argc, char **argv)
{
	long i, n = argc > 2 ? atol(argv[2]) : 0;

	if (argc < 2)
		return 1;
	syscall(SYS_close, -77);
	files(argv[1]);
	memory();
	tasks();
	descriptors();
	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	syscall(SYS_close, -78);
	syscall(SYS_exit_group, 7);
}
