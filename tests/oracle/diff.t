# SPDX-License-Identifier: GPL-2.0
#
# perf-lite diff beside perf diff: the shares and the changes of all functions, of recordings of
# both kinds of perf, by several keys, and of chosen samples.
. tests/lib.sh
need_root
need_perf
need_cmd python3
# perf's cache of binaries is not looked into
HOME=$TMP
export HOME
cd "$TMP" || exit 1

# perf's lines as "OLD|CHANGE|KEYS...", '-' for what it leaves empty
theirs()
{
	perf diff -q -c delta -t '|' "$@" 2>/dev/null | awk -F '|' '
		/^#/ || NF < 3 { next }
		{
			for (i = 1; i <= NF; i++)
				gsub(/^ +| +$/, "", $i)
			line = ""
			for (i = 3; i <= NF; i++) {
				sub(/^\[[^]]*\] /, "", $i)
				line = line "|" $i
			}
			sub(/%/, "", $1)
			sub(/%/, "", $2)
			print ($1 == "" ? "-" : $1) "|" ($2 == "" ? "-" : $2) line
		}' | sort -t '|' -k 3
}

# Of ours, all digits, with the columns of the keys given, as perf orders them.
ours()
{
	keys=$1
	shift
	"$PERF_LITE" diff --csv --no-inline "$@" | python3 -c '
import csv, sys
keys = sys.argv[1].split(",")
for r in csv.DictReader(sys.stdin):
    print("|".join([r["old"] if r["old_samples"] != "0" else "-",
                    r["change"] if r["new_samples"] != "0" else "-"] + [r[k] for k in keys]))' \
		"$keys" | sort -t '|' -k 3
}

# The same rows, to perf's two digits. Perf prints no change of what NEW has no samples of. Names that
# differ for the same code are added up for each file: addresses that have none (in no file, too: of a process that is being started), entries of the
# PLT (perf 6.12 names its first one), aliases of the kernel.
same()
{
	python3 - got want <<'END'
import collections, re, sys

def plain(name):
    return re.sub(r"^__(pi_)?_*", "", name)

def aliases():
    at, places = collections.defaultdict(set), collections.Counter()
    for l in open("/proc/kallsyms"):
        address, _, name = l.split()[:3]
        if int(address, 16) and plain(name) not in at[address]:
            at[address].add(plain(name))
            places[plain(name)] += 1
    return {n: min(names) for names in at.values() if len(names) > 1 for n in names if places[n] == 1}

same_code = aliases()

def table(path):
    t = {}
    for l in open(path):
        old, change, *keys = l.rstrip("\n").split("|")
        old = 0 if old == "-" else float(old)
        new = 0 if change == "-" else old + float(change)
        name = plain(keys[-1])
        name = same_code.get(name, name)
        # of a BPF program that has ended, perf has no name, or not that
        if name.startswith("bpf_prog_"):
            name, keys[-2:-1] = "-", ["[unknown]"][:len(keys) - 1]
        if re.match(r"\[(?!vdso|vsys|kernel|unknown)|0x|_init$|.*@plt|\.plt", name) or keys[:-1] and (name == "[vdso]" or keys[-2] == "[unknown]"):
            name = "-"
        e = t.setdefault(tuple(keys[:-1] + [name]), [0, 0, 0])
        for i, v in enumerate((old, new, 1)):
            e[i] += v
    return t

got, want = table(sys.argv[1]), table(sys.argv[2])
bad = [("only one has", k) for k in set(got) ^ set(want)]
for k in set(got) & set(want):
    slack = 0.0101 * max(got[k][2], want[k][2])
    if any(abs(a - b) > slack for a, b in zip(got[k][:2], want[k][:2])):
        bad.append((k, got[k], want[k]))
for b in bad[:10]:
    print(b)
print(len(got), "rows")
sys.exit(bool(bad) or not got)
END
}

compare()
{
	desc=$1 keys=$2 perf_options=$3
	shift 3
	# shellcheck disable=SC2086
	theirs $perf_options old new >want
	ours "$keys" "$@" old new >got
	ok "$desc" same
}

record()
{
	out=$1
	shift
	for try in 1 2 3 4 5; do
		perf record -q -o "$out" "$@" >record.out 2>&1 || diag_file record.out
		# not with a BPF program of somebody's that ran meanwhile: it may be gone when its name is looked for
		perf report -q --stdio -g none -s dso,sym -i "$out" 2>/dev/null | grep -q -e bpf_prog_ -e '\[k\] 0x' || return
	done
}

record old -F 999 -e cpu-clock:u -- "$PROG/parts" 200 200 200 0
record new -F 999 -e cpu-clock:u -- "$PROG/parts" 200 400 10 100
compare "user code, by file and function" file,function "" --by dso,sym
compare "by function" function "-s sym" --by sym
compare "by file" file "-s dso" --by dso
compare "by command, file and function" command,file,function "-s comm,dso,sym" --by comm,dso,sym

cat >load <<END
#!/bin/sh
"$PROG/parts" \$1 \$2 50 0
"$PROG/forks" \$3
"$PROG/faults" \$4
ls -lR /usr/include >/dev/null
END
chmod +x load
record old -F 1999 -e cpu-clock -g -- ./load 200 100 100 10000
record new -F 1999 -e cpu-clock -g -- ./load 100 200 50 20000
compare "several programs and the kernel, with stacks" file,function "" --by dso,sym
compare "by command and file" command,file "-s comm,dso" --by comm,dso
# perf puts samples of other commands into rows that both have, unless the command is a key
compare "of two commands" command,file,function "-s comm,dso,sym -C parts,faults --percentage relative" \
	--by comm,dso,sym -c parts,faults

record old -e page-faults -c 3 -- ./load 20 10 10 3000
record new -e page-faults -c 1 -- ./load 10 20 5 5000
compare "another period" file,function "" --by dso,sym

record old -F 999 -e cpu-clock:u,page-faults:u -- "$PROG/parts" 100 100 100 0
record new -F 999 -e cpu-clock:u,page-faults:u -- "$PROG/parts" 100 200 10 100
perf diff -c delta old new 2>/dev/null | sed -n "s/^# Event '\(.*\)'/\1/p" | sort >want
"$PERF_LITE" diff --csv old new | sed 1d | cut -d , -f 1 | sort -u >got
is_file "the same events" got want
done_testing
