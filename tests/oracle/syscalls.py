# SPDX-License-Identifier: GPL-2.0
# syscalls.py strace|perf THEIRS OURS - lines of system calls of the same program, call by call: names,
# arguments, results. Prints what differs, and how many calls were alike.
import re
import sys

# of one run only
IDS = {"getpid", "gettid", "getppid", "set_tid_address", "wait4", "vfork", "clone", "clone3"}
# strace shows these otherwise: fewer arguments, by name, as what they point to
SHAPES = {"prctl", "clone", "clone3", "execve", "rt_sigaction", "rt_sigreturn", "arch_prctl", "wait4"}
PREFIX = re.compile(
    r"\b(POSIX_FADV|AT|O|PROT|MAP|MREMAP|MADV|SEEK|SIG|AF|SOCK|MSG|SHUT|CLONE|FUTEX|F|FD|FALLOC_FL|EPOLL_CTL|EPOLL|EFD|MFD|GRND|"
    r"CLOCK|TFD|IN|RLIMIT|STATX|WAIT|PR|ARCH|LOCK|IPPROTO|RENAME|RSEQ_FLAG|CLOSE_RANGE)_")


def split(text):
    """Arguments, at commas outside of quotes and brackets."""
    out, depth, quoted, at, i = [], 0, False, 0, 0
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif c in "{[(":
            depth += 1
        elif c in "}])":
            depth -= 1
        elif c == "," and not depth:
            out.append(text[at:i].strip())
            at = i + 1
        i += 1
    last = text[at:].strip()
    return out + [last] if last else out


def calls(path, pattern):
    for line in open(path, errors="replace"):
        m = re.search(pattern, line.rstrip("\n"))
        if m:
            yield m.group(1), split(re.sub(r"/\*.*?\*/", "", m.group(2))), m.group(3).strip()


def number(text):
    if re.fullmatch(r"0[0-7]+", text):
        return int(text, 8)
    try:
        return int(text, 0)
    except ValueError:
        return None


def words(text):
    text = re.sub(r"FUTEX_(\w+?)_PRIVATE\b", r"FUTEX_\1|PRIVATE_FLAG", text)
    text = re.sub(r"\b([RWXF])_OK\b", r"\1", text)
    text = text.replace("SIGCHLD", "CHLD").replace("SIG_", "").replace("AF_UNIX", "LOCAL")
    text = text.replace("AT_FDCWD", "CWD")
    # of no bits
    text = re.sub(r"\b(MAP_FILE|AT_STATX_SYNC_AS_STAT)\b\|?", "", text)
    text = re.sub(r"\bSIG([A-Z]+[0-9]?)\b", r"\1", PREFIX.sub("", text))
    return sorted(w for w in text.split("|") if w)


def same(theirs, ours, perf):
    theirs = re.sub(r"<.*>$", "", theirs) if perf else theirs
    if theirs.startswith('"') and ours.startswith('"'):
        return theirs == ours.rstrip("~")
    if ours.startswith('"') or theirs[:1] in '"{[&' or theirs.startswith("~"):
        return True
    a, b = number(theirs), number(ours)
    if ours == "NULL":
        return theirs in ("NULL", "0")
    if a is not None and b is not None:
        return a == b or (a > 0xffff and b > 0xffff) or (perf and a & 0xffffffff == b & 0xffffffff)
    # of some flags perf has no names, permissions it spells otherwise
    if perf and (a is not None or re.match(r"I[RWXS]", theirs)):
        return True
    # access: perf 6.12 writes RW
    if perf and re.match(r"[RWXF]+$", theirs):
        return theirs == ours.replace("|", "")
    return words(theirs) == words(ours) or (b == 0 and theirs == "0")


def result(text):
    text = re.sub(r" \(flags .*\)$", "", text)
    m = re.match(r"-1 (\w+) \((.*)\)", text)
    return m.groups() if m else number(text.split(" ")[0]) if text not in ("?", "") else "?"


def differs(kind, theirs, ours):
    name, args, end = theirs
    perf = kind == "perf"
    if name != ours[0]:
        return "another call"
    if perf:
        # without those that are 0
        mine = dict(a.split(": ", 1) for a in ours[1])
        for a in [a for a in args if ": " in a]:
            key, value = a.split(": ", 1)
            if key not in mine:
                return "no argument " + key
            if name != "fcntl" and not same(value, mine[key], True):
                return "another " + a
    elif name not in SHAPES:
        mine = [a.split(": ", 1)[1] for a in ours[1]]
        if len(args) != len(mine):
            return "%d arguments" % len(args)
        for a, b in zip(args, mine):
            if not same(a, b, False):
                return "another " + a
    a, b = result(end), result(ours[2])
    if name in IDS or (perf and name in ("fcntl", "umask")):
        return None
    if isinstance(a, int) and isinstance(b, int) and a > 0xffff and b > 0xffff:
        return None
    return None if a == b else "another result"


def main():
    kind = sys.argv[1]
    theirs = list(calls(sys.argv[2], r"^(\w+)\((.*)\)\s+= (.*)$" if kind == "strace"
                        else r"\): \S+/\d+ (\w+)\((.*)\)\s+= ?(.*)$"))
    ours = list(calls(sys.argv[3], r"\): \S+/\d+ (\w+)\((.*)\)\s+= (.*)$"))
    if kind == "strace":
        # begun before the first sample: an end alone
        theirs = [c for c in theirs if c[0] != "execve"]
    bad = 0
    for n, (a, b) in enumerate(zip(theirs, ours)):
        why = differs(kind, a, b)
        if why:
            bad += 1
            print("call %d: %s\n  %s\n  %s" % (n, why, a, b))
    if len(theirs) != len(ours):
        print("%d calls, and %d" % (len(theirs), len(ours)))
        bad += 1
    if not bad and theirs:
        print("%s calls alike" % ("many" if len(theirs) > 20 else len(theirs)))


main()
