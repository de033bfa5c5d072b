# SPDX-License-Identifier: GPL-2.0
#
# The commands of README.md's tour, in their order, in an empty folder: each succeeds, and prints something or makes a file.
. tests/lib.sh
need_root
need_event skb:kfree_skb
need_event syscalls:sys_enter_write
need everybody
for cmd in bash gzip seq jq; do
	need_cmd "$cmd"
done

# Four blanks before a command, a remark behind it.
sed -n '/^## A tour/,/^|/ { s/  *# [^#]*$//; s/^    //p }' README.md >"$TMP/commands"
ok "there are commands" test "$(wc -l <"$TMP/commands")" -gt 20
mkdir "$TMP/bin" "$TMP/tour"
ln -s "$PERF_LITE" "$TMP/bin/perf-lite"
cd "$TMP/tour" || exit 1
# as a fresh shell has it: no pager, no settings
unset PERF_LITE_PAGER PAGER
while read -r command; do
	# what programs read of a command: they see other numbers of threads
	case $command in
	*'('* | *' -y '*)
		can first-pids || { skip_without "$command" first-pids; continue; }
		;;
	esac
	touch "$TMP/before"
	rc=0
	PATH="$TMP/bin:$PATH" sh -c "$command" >"$TMP/out" 2>"$TMP/err" </dev/null || rc=$?
	rc_is 0 "$command"
	file=$(sed -n 's/.*\( -o\| >\) *\([a-z.]*\).*/\2/p' <<-END
		$command
	END
	)
	if [ -n "$file" ]; then
		ok "... makes $file" test -s "$file"
	else
		ok "... prints something" test -s "$TMP/out" -o -s "$TMP/err"
	fi
	unlike "... which is not nothing" "$TMP/out" '^null$'
	unlike "... and not an error" "$TMP/err" '^perf-lite: '
done <"$TMP/commands"
is "recordings are those that were named" "$(echo ./*.data)" "./after.data ./all.data ./before.data ./cpu.data ./perf-lite.data ./perf.data ./wall.data"
ok "nothing was overwritten" test ! -e perf-lite.data.old
done_testing
