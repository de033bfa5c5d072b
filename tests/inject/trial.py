# SPDX-License-Identifier: GPL-2.0
"""
trial.py - the commands that read recordings, and how damage.py and calls.py try them: in a folder of their own, within
limits, and with all that they leave looked at.
"""
import hashlib
import os
import resource
import select
import signal
import subprocess

MIB = 1 << 20

# What is asked of a recording: "@" is its name, "=" that of another one, which is whole.
READERS = [line.split() for line in """
script -i @
script --json -i @
script --folded -i @
script -F +cpu,+period,+bpf-output,+sym,+srcline -i @
script --show-task-events --show-mmap-events -i @
script --header-only -i @
report --stdio -i @
report --stdio -g -s comm,dso,sym -i @
report --json -i @
flamegraph -i @
flamegraph --by cpu --event=1 -i @
flamegraph --timeline -i @
flamegraph -i @ --diff =
count -i @
count --by comm,kstack --json -i @
count --by comm,pid --csv -i @
trace -i @
trace -s -i @
trace --json -i @
verify @
verify -v @
evlist -v -i @
buildid-list -i @
convert --to perf.data -o - -i @
convert --to folded -o - -i @
convert --to json -o - -i @
convert --to csv --event=1 -o - -i @
convert --to parquet -o - -i @
convert --to chrome -o - -i @
convert --to pprof -o - -i @
convert --to otlp -o - -i @
convert --to speedscope -o - -i @
convert --to gecko -o - -i @
pack -o - @
pack --force -o - @
drops -i @
drops --json --by reason,flow,dev,netns -i @
drops --explain -g -i @
drops --pcapng - -i @
latency run-queue -i @
latency off-cpu --by comm --trace -i @
latency syscalls --json -i @
latency syscalls --slowest 3 --hist -i @
latency run-queue --chrome - -i @
latency run-queue --pprof - -g -i @
diff = @
diff --stacks --json @ =
""".strip().split("\n")]


def arguments(command, name, other):
    return [name if w == "@" else other if w == "=" else w for w in command]


class Result:
    """rc: the exit status, negative for a signal, None if it ran for too long. out: a digest of what was printed."""

    def __init__(self, rc, out, err, kib, seconds):
        self.rc, self.out, self.err, self.kib, self.seconds = rc, out, err, kib, seconds

    def crashed(self):
        return self.rc is not None and (self.rc < 0 or 128 < self.rc < 160) or b"Sanitizer" in self.err or \
            b"runtime error:" in self.err


def environment(folder):
    env = {k: v for k, v in os.environ.items() if k in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH")}
    env.update(HOME=folder, LC_ALL="C", TZ="UTC", TERM="dumb", COLUMNS="100")
    return env


def run(words, folder, stdin=None, cpu=0, wall=60, env=None):
    """
    One run in `folder`. cpu: seconds of a CPU that it may take (0: any), counted however busy the machine is; wall:
    seconds until it counts as hanging.
    """
    def limit():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (512 * MIB, 512 * MIB))
        if cpu:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))

    out = os.memfd_create("out")
    err = os.memfd_create("err")
    into = os.open(stdin or "/dev/null", os.O_RDONLY)
    p = subprocess.Popen(words, cwd=folder, stdin=into, stdout=out, stderr=err, preexec_fn=limit,
                         env=env or environment(folder))
    pidfd = os.pidfd_open(p.pid)
    ended = select.select([pidfd], [], [], wall)[0]
    if not ended:
        os.killpg(p.pid, signal.SIGKILL)
    _, status, usage = os.wait4(p.pid, 0)
    rc = p.returncode = os.waitstatus_to_exitcode(status)
    if not ended or rc == -signal.SIGXCPU:
        rc = None
    # this process stays small: what its children take is counted from what it has
    os.lseek(out, 0, os.SEEK_SET)
    with open(out, "rb") as f:
        digest = hashlib.file_digest(f, "sha256").hexdigest()
    said = os.pread(err, 1 << 16, 0)
    for fd in (err, into, pidfd):
        os.close(fd)
    return Result(rc, digest, said, usage.ru_maxrss, usage.ru_utime + usage.ru_stime)
