# SPDX-License-Identifier: GPL-2.0
"""
mutants.py FOLDER N [--seed N] [--tests N] [--make WORD...]

Do the tests see faults in the source? N small ones are put into it, one at a time: a condition turned, a comparison or a
number off by one, an error or a result swallowed, a call left out. Each is built in a copy of the tree (FOLDER/tree, made with
what is built in O), and tests are run until one fails: the unit tests that include the file's header, those of
tests/cli that are named after the command, all other unit tests, all golden files; --tests: no more than so many. What fails
without a fault, too, is left out.

A fault that no test sees survives; some change nothing that can be seen, and what only a recording shows (util/capture,
util/ring) is mostly seen by other tests of tests/cli, which are not run. FOLDER/results has a line for each, so a run
that was stopped goes on where it was (with the same seed). Prints the survivors, and one line that sums up; ends
with 0. Takes a minute or more for each fault; needs what make check needs.
"""
import argparse
import glob
import os
import random
import re
import shutil
import signal
import subprocess
import sys

CONDITION = re.compile(r"^(\s*(?:else )?(?:if|while) \()(.*)(\)(?: \{)?)$")
CALL = re.compile(r"^(\s+)([a-z]\w*\(.*\);)$")
# What is replaced, by what. All are in lines that are no comment and no string.
SWAPS = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" == ", " != "), (" != ", " == "),
         (" && ", " || "), (" || ", " && "), (" + 1", ""), (" - 1", ""), ("++;", ";"), (" += ", " = ")]
SWALLOWED = [(re.compile(r"return -E[A-Z]+;"), "return 0;"), (re.compile(r"return err_(set|nomem)\(.*\);"), "return 0;"),
             (re.compile(r"return ret;"), "return 0;"), (re.compile(r"return false;"), "return true;"),
             (re.compile(r"return true;"), "return false;"), (re.compile(r"\bret = (?=\w+\()"), ""),
             (re.compile(r"return ID_NONE;"), "return 0;"), (re.compile(r"return NULL;"), "return (void *)8;")]


def faults_of(line):
    """All faults of a line: what it becomes, and what that is called."""
    if '"' in line or "/*" in line or "//" in line or line.lstrip().startswith(("*", "#", "static const", "case ")):
        return
    m = CONDITION.match(line)
    if m and m[2].count("(") == m[2].count(")"):
        yield m[1] + "!(" + m[2] + ")" + m[3], "condition turned"
    for old, new in SWAPS:
        at = line.find(old)
        if at >= 0 and line.endswith((";", "{", ")")):
            yield line[:at] + new + line[at + len(old):], "'%s' is '%s'" % (old.strip(), new.strip())
    for pattern, new in SWALLOWED:
        if pattern.search(line):
            yield pattern.sub(new, line, count=1), "result swallowed"
    m = CALL.match(line)
    if m and not m[2].startswith(("return", "if", "for", "while", "switch", "sizeof")):
        yield m[1] + ";", "call left out"


def all_faults(tree):
    out = []
    for path in sorted(glob.glob("util/*/*.c", root_dir=tree) + glob.glob("perf-lite/*.c", root_dir=tree)):
        with open("%s/%s" % (tree, path)) as f:
            for i, line in enumerate(f.read().split("\n")):
                out += [(path, i, new, what) for new, what in faults_of(line)]
    return out


def copy_tree(tree, build):
    if os.path.exists(tree + "/copied"):
        return
    shutil.rmtree(tree, ignore_errors=True)
    for name in subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True).stdout.split("\n"):
        if name and os.path.exists(name):
            os.makedirs(os.path.dirname("%s/%s" % (tree, name)), exist_ok=True)
            shutil.copy2(name, "%s/%s" % (tree, name), follow_symlinks=False)
    # unit tests are one program with many names, which a copy would have many times
    shutil.copytree(build, tree + "/build", ignore=lambda folder, names: [n for n in names if n in ("san", "fuzz", "vm", "prove")
                                                                          or folder == build + "/tests/unit"])
    with open(tree + "/copied", "w"):
        pass


class Tests:
    def __init__(self, tree):
        self.tree = tree
        self.env = dict(os.environ, O="build", PERF_LITE="build/perf-lite")
        self.unit = sorted(p[:-2].split("/")[-1] for p in glob.glob("tests/unit/test_*.c", root_dir=tree))
        self.golden = sorted(glob.glob("tests/golden/*.txt", root_dir=tree))
        self.broken, self.good = set(), set()

    def order(self, path):
        """The nearest first."""
        stem = path.split("/")[-1][:-2]
        near, far = [], []
        for name in self.unit:
            with open("%s/tests/unit/%s.c" % (self.tree, name)) as f:
                text = f.read()
            parts = [stem.rsplit("_", i)[0] for i in range(stem.count("_") + 1)]
            is_near = any('"%s/%s.h"' % (os.path.dirname(path), p) in text for p in parts)
            (near if is_near else far).append("build/tests/unit/" + name)
        command = re.sub(r"^cmd_", "", stem).split("_")[0]
        cli = sorted(glob.glob("tests/cli/%s*.t" % command, root_dir=self.tree)) if path.startswith("perf-lite/") else []
        return near + cli + (self.golden + far if path.startswith("perf-lite/") else far + self.golden)

    def passes(self, test):
        words = ["sh", test] if test.endswith(".t") else ["sh", "tests/golden/golden.sh", test] if test.endswith(".txt") else [test]
        p = subprocess.Popen(words, cwd=self.tree, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return p.wait(timeout=900) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            # a program with a fault may run for ever, and its test be gone
            try:
                os.killpg(p.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            p.wait()

    def seen_by(self, path, most):
        """The first that fails, or None."""
        for test in self.order(path)[:most]:
            if test not in self.broken and not self.passes(test):
                return test
        return None

    def is_good(self, test):
        """Does it pass without a fault? Asked once, of what has failed with one."""
        if test not in self.good | self.broken:
            (self.good if self.passes(test) else self.broken).add(test)
            if test in self.broken:
                print("mutants: fails without a fault, left out: " + test, flush=True)
        return test in self.good


def build(tree, make):
    return subprocess.run(make + ["-s", "O=build", "build/perf-lite", "unit-programs"], cwd=tree, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def try_fault(tree, tests, o, fault):
    path, i, new, _ = fault
    file = "%s/%s" % (tree, path)
    with open(file) as f:
        text = f.read()
    lines = text.split("\n")
    lines[i] = new
    try:
        with open(file, "w") as f:
            f.write("\n".join(lines))
        if not build(tree, o.make):
            return "not built", ""
        test = tests.seen_by(path, o.tests)
    finally:
        with open(file, "w") as f:
            f.write(text)
    if not test:
        return "survives", ""
    if test not in tests.good:
        build(tree, o.make)
        if not tests.is_good(test):
            return try_fault(tree, tests, o, fault)
    return "seen", test


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("number", type=int)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--tests", type=int)
    p.add_argument("--make", nargs="+", default=["make"])
    o = p.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    tree = os.path.abspath(o.folder) + "/tree"
    results = "%s/results" % o.folder
    copy_tree(tree, os.environ.get("O", "build"))
    if not build(tree, o.make + ["build/tests/prog/can"]):
        sys.exit("mutants: the copy of the tree cannot be built")
    # what may be done here, which make check asks once for all tests
    with open(tree + "/build/tests/can", "wb") as f:
        f.write(subprocess.run([tree + "/build/tests/prog/can"], capture_output=True, check=True).stdout)
    tests = Tests(tree)
    faults = all_faults(tree)
    random.Random(o.seed).shuffle(faults)
    done = {}
    if os.path.exists(results):
        with open(results) as f:
            done = {line.split("\t")[0]: line.rstrip("\n").split("\t") for line in f}
    verdicts = []
    for fault in faults:
        if len([v for v in verdicts if v != "not built"]) == o.number:
            break
        path, i, new, what = fault
        key = "%s:%d: %s" % (path, i + 1, what)
        if key not in done:
            done[key] = [key, *try_fault(tree, tests, o, fault)]
            with open(results, "a") as f:
                f.write("\t".join(done[key]) + "\n")
        verdicts.append(done[key][1])
        if done[key][1] == "survives":
            print("survives: %s: %s" % (key, new.strip()), flush=True)
    print("mutants: %d faults, %d seen, %d survive; %d more were not built (seed %d)" % (
        len([v for v in verdicts if v != "not built"]), verdicts.count("seen"), verdicts.count("survives"),
        verdicts.count("not built"), o.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
