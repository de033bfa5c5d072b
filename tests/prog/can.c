// SPDX-License-Identifier: GPL-2.0
/*
 * can - finds out by trying what this process may do, and prints a line for each ability:
 *
 *	NAME yes
 *	NAME no WHAT (WHY)
 *
 * tests/lib.sh, tests/unit/can.h and tests/cli/zz-skips.t read the answers; docs/TESTING.md lists the names.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACEFS "/sys/kernel/tracing"
#define EVENTS  TRACEFS "/events/"

static char why[256];

__attribute__((format(printf, 1, 2))) static bool no(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return false;
}

static bool failed(const char *what)
{
	return no("%s: %s", what, strerror(errno));
}

static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
}

/* The limit on who records is the most usual reason, so it is named. */
static bool opens(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	char limit[16];

	if (open_event(attr, pid, cpu, 0) >= 0)
		return true;
	if (errno == EACCES &&
	    read_text("/proc/sys/kernel/perf_event_paranoid", limit, sizeof(limit)))
		return no("kernel.perf_event_paranoid is %d", atoi(limit));
	return failed("perf_event_open");
}

static bool new_linux(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname u;

	uname(&u);
	sscanf(u.release, "%u.%u", &major, &minor);
	return major > 5 || (major == 5 && minor >= 13) || no("this is %u.%u", major, minor);
}

static bool record_own(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .sample_period = 1,
				       .exclude_kernel = 1};

	return opens(&attr, 0, -1);
}

static bool record_everybody(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = 1000000};

	return opens(&attr, -1, 0);
}

static const char switch_id[] = EVENTS "sched/sched_switch/id";

static bool record_tracepoints(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .sample_period = 1, .sample_type = PERF_SAMPLE_RAW};
	char id[32];

	/* the installed perf and the tests look there; perf-lite itself needs no mount point */
	if (access(TRACEFS "/events", F_OK) && errno == ENOENT && access(TRACEFS, F_OK))
		return no("this kernel has no tracefs");
	if (access(TRACEFS "/events", F_OK) && errno == ENOENT &&
	    mount("tracefs", TRACEFS, "tracefs", 0, NULL))
		return failed("tracefs is not mounted, and mounting it");
	if (!read_text(switch_id, id, sizeof(id)))
		return failed(switch_id);
	attr.config = strtoull(id, NULL, 10);
	return opens(&attr, -1, 0);
}

/* Switches of the CPU that the filter leaves; -1: they cannot be counted. */
static int count_switches(int cpu, const char *filter)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT};
	char id[32];
	int fd;

	if (!read_text(switch_id, id, sizeof(id)))
		return -1;
	attr.config = strtoull(id, NULL, 10);
	fd = open_event(&attr, -1, cpu, 0);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		return -1;
	return fd;
}

/* Does the CPU that we run on tell of switches from its idle task? Where others are always running there are none to be seen. */
static bool sees_idle(int cpu)
{
	int to = count_switches(cpu, "next_pid == 0"), from = count_switches(cpu, "prev_pid == 0");
	uint64_t entered = 0, left = 0;
	int i;

	for (i = 0; i < 200 && !left && entered < 3; i++) {
		usleep(1000);
		if (read(to, &entered, sizeof(entered)) != sizeof(entered) ||
		    read(from, &left, sizeof(left)) != sizeof(left))
			break;
	}
	close(to);
	close(from);
	return left || entered < 3;
}

/* A Linux 6.18 was seen to lose all tracepoints of one CPU's idle task but those in its interrupts. lib.sh reads the answer. */
static bool record_idle(void)
{
	char list[512] = "";
	cpu_set_t all, one;
	size_t len = 0;
	bool some = false;
	int cpu;

	if (!record_tracepoints())
		return false;
	if (sched_getaffinity(0, sizeof(all), &all))
		return failed("sched_getaffinity");
	for (cpu = 0; cpu < CPU_SETSIZE && len < sizeof(list) - 16; cpu++) {
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (!CPU_ISSET(cpu, &all) || sched_setaffinity(0, sizeof(one), &one))
			continue;
		if (sees_idle(cpu))
			len += (size_t)sprintf(list + len, "%s%d", len ? "," : "", cpu);
		else
			some = true;
	}
	if (!some)
		return true;
	return len ? no("they come on CPU %s alone", list) : no("they come on no CPU");
}

/* What the tests ask for by name; need_event skips where a kernel lacks one. */
static bool usual_events(void)
{
	static const char *const events[] = {"raw_syscalls/sys_enter", "sched/sched_switch",
					     "skb/kfree_skb", "syscalls/sys_enter_openat"};
	char path[128];
	size_t i;

	if (!record_tracepoints())
		return false;
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		snprintf(path, sizeof(path), EVENTS "%s/id", events[i]);
		if (access(path, F_OK))
			return no("this kernel has no %s", events[i]);
	}
	return true;
}

/* An instance has a buffer and options of its own. Its format is the running kernel's. */
static bool ftrace_instances(void)
{
	char path[128];

	if (!record_tracepoints())
		return false;
	snprintf(path, sizeof(path), TRACEFS "/instances/can-%d", (int)getpid());
	if (mkdir(path, 0700))
		return failed(TRACEFS "/instances");
	rmdir(path);
	return true;
}

static volatile long watched;

__attribute__((noinline)) static void touch(void)
{
	watched++;
}

/* Where in its file the code at that address is, 0: unknown. */
static uint64_t file_offset(uintptr_t addr)
{
	unsigned long from, to, offset;
	FILE *f = fopen("/proc/self/maps", "re");
	uint64_t found = 0;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && addr >= from &&
		    addr < to)
			found = offset + (addr - from);
	if (f)
		fclose(f);
	return found;
}

static bool probe_programs(void)
{
	struct perf_event_attr attr = {.config1 = (uintptr_t) "/proc/self/exe"};
	char type[32];

	if (!read_text("/sys/bus/event_source/devices/uprobe/type", type, sizeof(type)))
		return failed("/sys/bus/event_source/devices/uprobe/type");
	attr.type = (uint32_t)atoi(type);
	attr.config2 = file_offset((uintptr_t)touch);
	return opens(&attr, -1, 0);
}

static bool breakpoint_hits(uint32_t type, uintptr_t addr)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .bp_type = type,
				       .bp_addr = addr,
				       .bp_len = sizeof(long),
				       .sample_period = 1,
				       .exclude_kernel = 1};
	int fd = open_event(&attr, 0, -1, 0);
	uint64_t hits = 0;

	if (fd < 0)
		return opens(&attr, 0, -1);
	touch();
	if (read(fd, &hits, sizeof(hits)) != sizeof(hits))
		return failed("read");
	close(fd);
	return hits || no("none is ever hit here");
}

/* Some hypervisors take them and never tell. */
static bool watch_memory(void)
{
	return breakpoint_hits(HW_BREAKPOINT_W, (uintptr_t)&watched) &&
	       breakpoint_hits(HW_BREAKPOINT_X, (uintptr_t)touch);
}

static bool load_bpf(void)
{
	/* r0 = 0; exit */
	static const struct bpf_insn program[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
						  {.code = BPF_JMP | BPF_EXIT}};
	union bpf_attr load = {.prog_type = BPF_PROG_TYPE_TRACEPOINT,
			       .insn_cnt = 2,
			       .insns = (uintptr_t)program,
			       .license = (uintptr_t) "GPL"};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load)) >= 0 || failed("bpf");
}

static bool kernel_types(void)
{
	char c[8];

	return read_text("/sys/kernel/btf/vmlinux", c, sizeof(c)) ||
	       failed("/sys/kernel/btf/vmlinux");
}

static bool kernel_symbols(void)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];

	if (!f)
		return failed("/proc/kallsyms");
	while (fgets(line, sizeof(line), f))
		if (strtoull(line, NULL, 16))
			return true;
	return no("/proc/kallsyms has only zeros");
}

static bool new_network(void)
{
	return !unshare(CLONE_NEWNET) || failed("unshare");
}

static bool new_mounts(void)
{
	char path[] = "/tmp/can.XXXXXX";
	bool mounted;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return failed("unshare");
	if (!mkdtemp(path))
		return failed("/tmp");
	mounted = !mount("can", path, "tmpfs", 0, NULL) || failed("mount");
	umount(path);
	rmdir(path);
	return mounted;
}

static bool new_pids(void)
{
	return !unshare(CLONE_NEWPID) || failed("unshare");
}

/* The kernel's texts have the numbers of its first namespace, whose inode is known (PROC_PID_INIT_INO). */
static bool first_pids(void)
{
	struct stat s;

	return (!stat("/proc/self/ns/pid", &s) && s.st_ino == 0xEFFFFFFCU) ||
	       no("this is a PID namespace");
}

/* In a chroot the kernel's paths have its folder before them, and no mount that is listed is "/" (proc_pid_mountinfo(5)). */
static bool first_root(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[4096], point[3];
	bool found = !f;

	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %*s %*s %*s %2s", point) == 1 && !strcmp(point, "/");
	if (f)
		fclose(f);
	return found || no("this is a chroot");
}

/* unshare -U maps the caller as well, which some systems refuse, and all of them to a root without CAP_SETFCAP. */
static bool new_users(void)
{
	char map[32];
	int fd, len = snprintf(map, sizeof(map), "0 %u 1", geteuid());

	if (unshare(CLONE_NEWUSER))
		return failed("unshare");
	fd = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "deny", 4) != 4)
		return failed("/proc/self/setgroups");
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	return (fd >= 0 && write(fd, map, (size_t)len) == len) || failed("/proc/self/uid_map");
}

static bool other_user(void)
{
	return (!setgid(65534) && !setuid(65534)) || failed("setuid");
}

/* A group of the unified hierarchy, wherever that is mounted, that perf can watch. */
static bool control_groups(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK};
	char line[512], root[256], type[32], path[320];
	FILE *f = fopen("/proc/mounts", "re");
	bool found = false;
	int fd, event;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %255s %31s", root, type) == 2 && !strcmp(type, "cgroup2");
	if (!found)
		return no("no cgroup2 is mounted");
	snprintf(path, sizeof(path), "%s/can-%d", root, (int)getpid());
	if (mkdir(path, 0700))
		return failed(root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	event = fd < 0 ? -1 : open_event(&attr, fd, 0, PERF_FLAG_PID_CGROUP);
	if (event < 0)
		failed("perf_event_open");
	rmdir(path);
	return event >= 0;
}

/* Writing what is there takes the right to change it, and changes nothing. */
static bool cpu_hotplug(void)
{
	static const char file[] = "/sys/devices/system/cpu/cpu1/online";
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	char now[8];

	if (fd < 0)
		return failed(file);
	if (!read_text(file, now, sizeof(now)) || now[0] != '1')
		return no("CPU 1 is offline");
	return write(fd, "1", 1) == 1 || failed(file);
}

static bool change_sysctl(void)
{
	static const char file[] = "/proc/sys/kernel/perf_event_paranoid";
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	return fd >= 0 || failed(file);
}

static bool debugger(void)
{
	pid_t child = fork();
	int status;
	bool seized;

	if (!child) {
		pause();
		_exit(0);
	}
	seized = !ptrace(PTRACE_SEIZE, child, 0, 0) || failed("ptrace");
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return seized;
}

/* The numbers of its version, "" if it does not run. */
static void perf_version(char *version, size_t size)
{
	FILE *f = popen("perf --version 2>/dev/null", "re");
	char line[256];

	*version = '\0';
	if (f && fgets(line, sizeof(line), f) && !strncmp(line, "perf version ", 13)) {
		line[strcspn(line, "\n")] = '\0';
		snprintf(version, size, "%s", line + 13);
	}
	if (f)
		pclose(f);
}

static bool any_perf(void)
{
	char version[64];

	perf_version(version, sizeof(version));
	return *version || no("none runs here");
}

/* Those whose texts the tests of tests/oracle compare with. */
static bool perf_is(bool or_6_12)
{
	char version[64];

	perf_version(version, sizeof(version));
	return !strncmp(version, "6.1.", 4) || (or_6_12 && !strncmp(version, "6.12.", 5)) ||
	       (*version ? no("this is %s", version) : no("none runs here"));
}

static bool perf_6_1(void)
{
	return perf_is(false);
}

static bool perf_known(void)
{
	return perf_is(true);
}

/* A 32-bit program that does nothing but exit(0): some x86-64 kernels and hypervisors run none. */
static bool run_32_bit(void)
{
#ifdef __x86_64__
	static const struct {
		Elf32_Ehdr head;
		Elf32_Phdr load;
		unsigned char code[7];
	} program = {
		.head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_EXEC,
			 .e_machine = EM_386,
			 .e_version = EV_CURRENT,
			 .e_entry = 0x8048000 + sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr),
			 .e_phoff = sizeof(Elf32_Ehdr),
			 .e_ehsize = sizeof(Elf32_Ehdr),
			 .e_phentsize = sizeof(Elf32_Phdr),
			 .e_phnum = 1},
		.load = {.p_type = PT_LOAD,
			 .p_vaddr = 0x8048000,
			 .p_filesz = sizeof(program),
			 .p_memsz = sizeof(program),
			 .p_flags = PF_R | PF_X,
			 .p_align = 0x1000},
		/* xor %ebx, %ebx; xor %eax, %eax; inc %eax; int $0x80 */
		.code = {0x31, 0xdb, 0x31, 0xc0, 0x40, 0xcd, 0x80},
	};
	char *const none[] = {NULL};
	int fd = memfd_create("can-32-bit", MFD_CLOEXEC);

	if (fd < 0 || write(fd, &program, sizeof(program)) != sizeof(program))
		return failed("memfd_create");
	fexecve(fd, none, none);
	return failed("execve");
#else
	return no("not x86-64");
#endif
}

static bool decodes_instructions(void)
{
#if __has_include(<capstone/capstone.h>)
	/* the header, which says which of them it is of, has a bpf_insn of its own */
	if (dlopen("libcapstone.so.5", RTLD_NOW) || dlopen("libcapstone.so.4", RTLD_NOW))
		return true;
	return no("libcapstone is not installed");
#else
	return no("libcapstone-dev is not installed");
#endif
}

static bool sends(void)
{
#if __has_include(<curl/curl.h>)
	void *library = dlopen("libcurl.so.4", RTLD_NOW);

	return library ? true : no("libcurl4 is not installed");
#else
	return no("libcurl4-openssl-dev is not installed");
#endif
}

static const struct ability {
	const char *name, *what;
	bool (*try)(void);
} abilities[] = {
	{"linux-5.13", "Linux 5.13", new_linux},
	{"own", "recording", record_own},
	{"everybody", "recording everybody", record_everybody},
	{"tracepoints", "tracepoints", record_tracepoints},
	{"events", "the usual tracepoints", usual_events},
	{"idle-tasks", "events of idle tasks", record_idle},
	{"ftrace", "instances of ftrace", ftrace_instances},
	{"uprobes", "probes in programs", probe_programs},
	{"breakpoints", "breakpoints", watch_memory},
	{"bpf", "BPF programs", load_bpf},
	{"btf", "types of the kernel", kernel_types},
	{"kallsyms", "addresses of the kernel", kernel_symbols},
	{"netns", "network namespaces", new_network},
	{"mounts", "mount namespaces", new_mounts},
	{"pidns", "PID namespaces", new_pids},
	{"first-pids", "process numbers of the kernel", first_pids},
	{"first-root", "paths of the kernel", first_root},
	{"userns", "user namespaces", new_users},
	{"users", "running as another user", other_user},
	{"cgroups", "control groups", control_groups},
	{"hotplug", "CPU hotplug", cpu_hotplug},
	{"sysctl", "changing kernel settings", change_sysctl},
	{"debugger", "ptrace", debugger},
	{"32-bit", "32-bit programs", run_32_bit},
	{"capstone", "decoding instructions", decodes_instructions},
	{"curl", "sending by HTTP", sends},
	{"perf", "perf", any_perf},
	{"perf-6.1", "perf 6.1", perf_6_1},
	{"perf-known", "perf 6.1 or 6.12", perf_known},
};

/* In a process of its own, since some give up what others need. */
static void answer(const struct ability *a)
{
	int fds[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) || (pid = fork()) < 0) {
		perror("can");
		exit(1);
	}
	if (!pid) {
		alarm(20);
		if (a->try())
			_exit(0);
		_exit(write(fds[1], why, strlen(why)) < 0 ? 2 : 1);
	}
	close(fds[1]);
	n = read(fds[0], why, sizeof(why) - 1);
	why[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	waitpid(pid, &status, 0);
	if (!status)
		printf("%s yes\n", a->name);
	else
		printf("%s no %s (%s)\n", a->name, a->what,
		       WIFEXITED(status) ? why : strsignal(WTERMSIG(status)));
}

int main(void)
{
	size_t i;

	/* a child must not print again what waits here */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(abilities) / sizeof(*abilities); i++)
		answer(&abilities[i]);
	return 0;
}
