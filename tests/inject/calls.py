# SPDX-License-Identifier: GPL-2.0
"""
calls.py PERF_LITE FOLDER EACH [--seed N] [--only WORD] [--some N] [--live]

Each system call that a command makes fails once, one in a run (strace injects it), up to EACH of every kind and command (0: all),
with each error that the call can have; reads also end early. FOLDER holds recordings, as recordings.sh makes them. --live: commands
that record and watch instead of those that read. --only: commands with that word in them; --some: so many commands, others for another seed.

Of what a command prints and writes as without the failure nothing may lack, or it says so on standard error, or ends with
another status; that goes without saying for live commands, whose results differ. It may not crash, run for more than 20 s,
end with a failure and no message, leave a process or another file, nor harm what was at its output's path before: that is
still there, or a new recording that can be read. Binaries and files of the system that are not there or may not be read are no
failure: their names are missing then. `check` prints what is missing and why where others print what they found. (A guardian
closes tracepoints in half a minute: recordings of those have none here.) Prints a line for each failure and each command, and one that sums up; ends with 1 if anything failed.
"""
import argparse
import collections
import ctypes
import hashlib
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import trial

# The errors of a call; others get EIO. "0": it returns that, which for reads is the end of the file.
ERRORS = {
    "openat": "EMFILE EACCES ENOENT", "open": "EMFILE EACCES ENOENT", "read": "EIO EINTR 0", "pread64": "EIO EINTR 0",
    "readv": "EIO 0", "write": "ENOSPC EINTR", "writev": "ENOSPC EINTR", "pwrite64": "ENOSPC EINTR",
    "mmap": "ENOMEM", "mremap": "ENOMEM", "mprotect": "ENOMEM", "clone": "EAGAIN", "clone3": "EAGAIN",
    "fork": "EAGAIN", "vfork": "EAGAIN", "pipe2": "EMFILE", "eventfd2": "EMFILE", "epoll_create1": "EMFILE",
    "memfd_create": "EMFILE", "socket": "EMFILE", "dup": "EMFILE", "dup2": "EMFILE", "dup3": "EMFILE", "poll": "EINTR",
    "ppoll": "EINTR", "epoll_wait": "EINTR", "epoll_pwait": "EINTR", "wait4": "EINTR", "waitid": "EINTR",
    "clock_nanosleep": "EINTR", "nanosleep": "EINTR", "newfstatat": "ENOENT EIO", "stat": "ENOENT", "statx": "ENOENT",
    "lstat": "ENOENT", "access": "EACCES", "readlink": "EACCES", "readlinkat": "EACCES",
    "rename": "EACCES EXDEV", "renameat": "EACCES", "renameat2": "EINVAL", "unlink": "EACCES", "unlinkat": "EACCES",
    "link": "EPERM", "linkat": "EPERM", "fchmod": "EPERM", "fchown": "EPERM", "ftruncate": "EIO ENOSPC", "fallocate": "ENOSPC EOPNOTSUPP",
    "fsync": "EIO", "fdatasync": "EIO", "perf_event_open": "EMFILE EACCES ENOMEM ENODEV", "bpf": "EPERM ENOMEM",
    "ioctl": "EINTR ENOTTY", "sched_setscheduler": "EPERM", "sched_setaffinity": "EPERM", "sched_getaffinity": "EPERM",
    "prlimit64": "EPERM", "setrlimit": "EPERM", "setpriority": "EPERM", "kill": "ESRCH", "mlock": "ENOMEM",
    "madvise": "EAGAIN", "getrandom": "EAGAIN", "fcntl": "EINVAL", "uname": "EFAULT", "sysinfo": "EFAULT",
    "prctl": "EINVAL",
}
# These are the program's end, libc's business, or cannot fail.
NEVER = """execve exit exit_group futex rt_sigreturn rt_sigaction rt_sigprocmask set_tid_address set_robust_list rseq arch_prctl
brk close munmap restart_syscall gettid getpid getppid getuid geteuid getgid getegid sched_yield umask alarm clock_gettime
lseek getpgid getpgrp setsid getsid sigaltstack""".split()

WRITERS = [line.split() for line in """
convert --to perf.data -o out -i @
convert --to pprof -o out -i @
convert --to otlp -o out -i @
convert --to csv --event=1 -o out -i @
flamegraph -o out -i @
pack -o out @
pack out
drops --pcapng out -i @
latency run-queue -g --timeline out -i @
latency run-queue --chrome out -i @
latency run-queue --pprof out -g -i @
""".strip().split("\n")]
LIVE = [line.split() for line in """
record -q -e cpu-clock:u -F 999 -o out -- SPIN 30
record -q -g --no-guardian -e cpu-clock:u -e context-switches:u -o out -- SPIN 30
record -q --call-graph dwarf --no-guardian -e cpu-clock:u -o out -- SPIN 30
record -q --format perf -e cpu-clock:u -o out -- SPIN 30
record -q --no-guardian --inline -a -e raw_syscalls:sys_enter --filter id==999 -o out -- SPIN 10
record -q --keep-last 5s --no-guardian -e cpu-clock:u -o out -- SPIN 30
stat -e cpu-clock:u,context-switches:u -- SPIN 10
trace -e sched:sched_process_exit -- SPIN 10
trace -s -- SPIN 10
count -e raw_syscalls:sys_enter --by id -- SPIN 10
count -e cpu-clock:u --by comm -- SPIN 10
latency syscalls -- SPIN 10
drops --by reason -- SPIN 10
top --once -d 0.1 -e cpu-clock
list
check
""".strip().split("\n")]

FAILED = re.compile(rb"(\w+)\((\d*).*\(INJECTED\)")
# A file that is not there or may not be read: not a failure, unless it is the recording or the output.
ABSENT = re.compile(rb'"([^"]*)".* = -1 (?:ENOENT|EACCES).*\(INJECTED\)')


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


class Sweep:
    def __init__(self, options, folder):
        self.o, self.folder = options, folder
        self.count = collections.Counter()
        self.log = folder + ".log"
        self.old = None
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: what is left by a child is ours

    def prepare(self, command, source):
        for name in os.listdir(self.folder):
            if name not in ("case", "whole"):
                path = os.path.join(self.folder, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        if "out" in command:
            in_place = command[0] == "pack" and "-o" not in command
            shutil.copyfile(source if in_place else self.folder + "/whole", self.folder + "/out")
            self.old = digest(self.folder + "/out")

    def run(self, command, source, inject):
        """One run: its result, a line of what is left, and where the output stands."""
        self.prepare(command, source)
        words = trial.arguments([self.o.perf_lite] + command, "case", "whole")
        r = trial.run(["strace", "-f", "-qq", "-o", self.log] + inject + words, self.folder, wall=60)
        self.slow = r.rc is None
        left = self.reap()
        names = [n for n in os.listdir(self.folder) if n not in ("case", "whole", "out", "out.old")]
        if names:
            left.append("files " + " ".join(sorted(names)))
        path = self.folder + "/out"
        r.file = digest(path) if os.path.exists(path) else None
        return r, left

    def reap(self):
        """Children that the command left, after a moment."""
        for _ in range(60):
            try:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return []
            time.sleep(0.05)
        with open("/proc/self/task/%d/children" % os.getpid()) as f:
            pids = f.read().split()
        for pid in pids:
            os.kill(int(pid), signal.SIGKILL)
            os.waitpid(int(pid), 0)
        return ["processes " + " ".join(pids)]

    def calls(self, command, source):
        """How often each call is made, by the thread that makes most, and what all prints without a failure."""
        self.prepare(command, source)
        first, _ = self.run(command, source, [])
        made = collections.Counter()
        self.loader = None
        with open(self.log, "rb") as f:
            for line in f:
                m = re.match(rb"(\d+) +(\w+)\(", line)
                if m:
                    made[m[1], m[2].decode()] += 1
                if not self.loader and b"set_tid_address" in line:
                    self.loader = collections.Counter({name: n for (_, name), n in made.items()})
        most = collections.Counter()
        for (_, name), n in made.items():
            most[name] = max(most[name], n)
        second, _ = self.run(command, source, [])
        self.whole = first
        self.same = first.out == second.out and first.file == second.file
        return {name: n for name, n in most.items() if name not in NEVER}

    def wrong(self, command, inject, why, r):
        self.count["wrong"] += 1
        print("%s: %s: %s" % (" ".join(command), inject, why))
        for line in r.err.decode("utf-8", "replace").split("\n")[:2]:
            if line:
                print("    " + line)
        sys.stdout.flush()

    def harmed(self, command, r):
        if r.file in (self.old, self.whole.file):
            return None
        if r.file is None:
            return "what was at its output's path is gone"
        kept = self.folder + "/out.old"
        if os.path.exists(kept) and digest(kept) == self.old or r.rc == 0:
            return None
        if r.rc == 3 and not {"pack", "record", "perf.data"} & set(command):
            return None  # a picture or table of what could be read
        whole = trial.run([self.o.perf_lite, "script", "-q", "-i", "out"], self.folder)
        return None if whole.rc in (0, 3) else "its output cannot be read, and what was there is gone"

    def judge(self, command, inject, r, left):
        with open(self.log, "rb") as f:
            log = f.read()
        failed = FAILED.findall(log)
        absent = [n for n in ABSENT.findall(log) if n.split(b"/")[-1] not in (b"case", b"whole", b"out")]
        if not failed:
            self.count["not made"] += 1
            return
        self.count["runs"] += 1
        if any(name.startswith(b"unlink") for name, _ in failed):
            left = [what for what in left if not what.startswith("files")]
        mute = any(name.startswith(b"write") and fd == b"2" for name, fd in failed)
        silent = r.err == self.whole.err and not mute
        harm = self.harmed(command, r) if "out" in command else None
        if r.rc is None:
            self.wrong(command, inject, "hangs", r)
        elif r.crashed():
            self.wrong(command, inject, "crashes (%d)" % r.rc, r)
        elif left:
            self.wrong(command, inject, "leaves " + ", ".join(left), r)
        elif harm:
            self.wrong(command, inject, harm, r)
        elif r.rc not in (0, self.whole.rc) and not r.err and not mute and command[0] != "verify":
            self.wrong(command, inject, "ends with %d and says nothing" % r.rc, r)
        elif r.rc == self.whole.rc and silent and self.same and not absent and command[0] != "check" and \
                (r.out, r.file) != (self.whole.out, self.whole.file):
            self.wrong(command, inject, "prints or writes something else, and does not say why", r)
        elif r.rc == self.whole.rc and (r.out, r.file) == (self.whole.out, self.whole.file):
            self.count["same"] += 1
        else:
            self.count["told"] += 1

    def command(self, rnd, command, source):
        if source:
            shutil.copyfile(source, self.folder + "/case")
        made = self.calls(command, source)
        if self.whole.rc is None or self.whole.crashed():
            return self.wrong(command, "nothing fails", "ends with %s" % self.whole.rc, self.whole)
        before = self.count.copy()
        for name in sorted(made):
            first = self.loader[name]  # the dynamic loader's come before
            step = -(-(made[name] - first) // self.o.each) if self.o.each else 1
            for k in range(first + 1 + rnd.randrange(max(step, 1)), made[name] + 1, max(step, 1)):
                for error in ERRORS.get(name, "EIO").split():
                    how = "retval=0" if error == "0" else "error=" + error
                    what = ["-e", "trace=" + name, "-e", "inject=%s:%s:when=%d" % (name, how, k)]
                    r, left = self.run(command, source, what)
                    self.judge(command, "%s %d of %d, %s" % (name, k, made[name], error), r, left)
        c = self.count - before
        print("calls: %s: %d runs: %d same, %d told, %d wrong" % (
            " ".join(command), c["runs"], c["same"], c["told"], c["wrong"]), flush=True)


def source_of(command, files):
    """A recording that has something for it."""
    for words, name in (("drops", "packets.own"), ("latency", "tracepoints.own"), ("trace", "tracepoints.own"),
                        ("drops", "drops.perf"), ("latency", "states.perf"), ("trace", "syscalls.perf"), ("", "plain.own"), ("", "web.perf")):
        path = os.path.join(files, name)
        if command[0].startswith(words) and os.path.exists(path):
            return path
    sys.exit("calls: no recordings in " + files)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("perf_lite")
    p.add_argument("files")
    p.add_argument("each", type=int)
    p.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    p.add_argument("--only", default="")
    p.add_argument("--spin", default="build/tests/prog/spin")
    p.add_argument("--some", type=int, default=1000)
    p.add_argument("--live", action="store_true")
    o = p.parse_args()
    o.perf_lite = os.path.abspath(o.perf_lite)
    spin = os.path.abspath(o.spin)
    print("calls: seed %d" % o.seed, flush=True)
    with tempfile.TemporaryDirectory() as top:
        folder = top + "/work"
        os.mkdir(folder)
        sweep = Sweep(o, folder)
        shutil.copyfile(source_of([""], o.files), folder + "/whole")
        commands = [c for c in (LIVE if o.live else trial.READERS + WRITERS) if o.only in " ".join(c)]
        chosen = random.Random(o.seed).sample(commands, min(o.some, len(commands)))
        for command in commands:
            if command in chosen:
                command = [spin if w == "SPIN" else w for w in command]
                sweep.command(random.Random("%d %s" % (o.seed, command)), command, None if o.live else source_of(command, o.files))
    c = sweep.count
    print("calls: %d runs, %d same, %d told, %d wrong (seed %d)" % (c["runs"], c["same"], c["told"], c["wrong"], o.seed))
    return c["wrong"] != 0


if __name__ == "__main__":
    sys.exit(main())
