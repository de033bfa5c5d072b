# SPDX-License-Identifier: GPL-2.0
#
# annotate beside perf annotate --stdio on the same samples: the same instructions have the same shares, and the hottest functions are
# the same. perf gets the recording as perf.data; it has lines without samples as 0.00, we leave the column empty.
. tests/lib.sh
need own perf-6.1 capstone
need_cmd objdump

cat >"$TMP/loops.c" <<'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline int mix(int a, int b)
{
	a ^= b << 3;
	return a * 31 + (b >> 2);
}

__attribute__((noinline)) long sum(const int *a, const int *b, int n)
{
	long s = 0;

	for (int i = 0; i < n; i++) {
		if (a[i] & 1)
			s += mix(a[i], b[i]);
		else
			s += b[i] / (a[i] + 3);
	}
	return s;
}

__attribute__((noinline)) void fill(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = i * 7 % 1001;
}

__attribute__((noinline)) double poly(double x, int n)
{
	double v = 0;

	while (n--)
		v = v * x + n;
	return v;
}

int main(void)
{
	enum { N = 4096 };
	static int a[N], b[N];
	double d = 0;
	long t = 0;
	struct timespec ts;

	do {
		fill(a, N);
		fill(b, N);
		for (int k = 0; k < 20; k++)
			t += sum(a, b, N);
		d += poly(0.5, 40000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	} while (!ts.tv_sec && ts.tv_nsec < 400000000);
	printf("%ld %f\n", t, d);
	return 0;
}
EOC

# percents of instructions: "ADDRESS PERCENT", those without samples left out
of_perf()
{
	sed -nE 's/^ +([0-9]+\.[0-9]+) : +([0-9a-f]+):.*/\2 \1/p' "$1" | grep -v ' 0\.00$'
}
of_ours()
{
	sed -nE 's/^ +([0-9]+\.[0-9]+) \| +([0-9a-f]+) .*/\2 \1/p' "$1" | grep -v ' 0\.00$'
}

compare() # DATA SYMBOL
{
	perf annotate --stdio -i "$1.perf" --symbol "$2" >"$TMP/perf.out" 2>"$TMP/perf.err"
	of_perf "$TMP/perf.out" >"$TMP/want"
	run_ok "annotate $2" "$PERF_LITE" annotate -i "$1" "$2"
	of_ours "$TMP/out" >"$TMP/got"
	ok "$2: perf has instructions" test -s "$TMP/want"
	is_file "$2: $(wc -l <"$TMP/want") instructions with the shares that perf has" "$TMP/got" "$TMP/want"
	run_ok "annotate --full $2" "$PERF_LITE" annotate --full --no-source -i "$1" "$2"
	sed -nE 's/^ +[0-9]+\.[0-9]+ : +([0-9a-f]+):.*/\1/p' "$TMP/perf.out" >"$TMP/want"
	sed -nE 's/^[ 0-9.]+\| +([0-9a-f]+) .*/\1/p' "$TMP/out" >"$TMP/got"
	is_file "$2: the same $(wc -l <"$TMP/want") addresses of instructions" "$TMP/got" "$TMP/want"
}

for flags in "-O2 -g" "-O0 -g" "-O2"; do
	name=loops$(echo "$flags" | tr -d ' ')
	# shellcheck disable=SC2086
	${CC:-cc} $flags -o "$TMP/$name" "$TMP/loops.c"
	run_ok "record, built with $flags" "$PERF_LITE" record -q -e cpu-clock:u -F 4000 -o "$TMP/$name.d" -- "$TMP/$name"
	run_ok "convert" "$PERF_LITE" convert --to perf.data -i "$TMP/$name.d" -o "$TMP/$name.d.perf"
	for symbol in sum fill poly; do
		compare "$TMP/$name.d" $symbol
	done
	# shares of perf's own reader of the file, and of ours, are of the same samples
	run_ok "annotate of perf.data" "$PERF_LITE" annotate -i "$TMP/$name.d.perf" sum
	of_ours "$TMP/out" >"$TMP/got"
	"$PERF_LITE" annotate -i "$TMP/$name.d" sum 2>"$TMP/err" >"$TMP/out"
	of_ours "$TMP/out" >"$TMP/want"
	is_file "the same of the converted recording" "$TMP/got" "$TMP/want"
done
done_testing
