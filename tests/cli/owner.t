# SPDX-License-Identifier: GPL-2.0
#
# Who owns the files that commands write: under sudo, the user who ran sudo.
. tests/lib.sh
need_root
need_cmd setpriv

user=65533 group=65532
chmod 755 "$TMP"
mkdir -m 755 "$TMP/his" "$TMP/roots"
mkdir -m 1777 "$TMP/shared"
chown $user:$group "$TMP/his"

under_sudo()
{
	env SUDO_UID=$user SUDO_GID=$group SUDO_USER=somebody "$@"
}

# owner_is DESC FILE UID:GID
owner_is()
{
	is "$1" "$(stat -c %u:%g "$2" 2>&1)" "$3"
}

for folder in his shared; do
	f=$TMP/$folder
	run_ok "record, $folder" under_sudo "$PERF_LITE" record -q -o "$f/data" -e cpu-clock -- "$PROG/spin" 50
	owner_is "is the caller's" "$f/data" $user:$group
	is "and only he may read it" "$(stat -c %a "$f/data")" 600
	under_sudo "$PERF_LITE" record -q -o "$f/perf" --format=perf -e cpu-clock -- "$PROG/spin" 50
	owner_is "record --format=perf, $folder" "$f/perf" $user:$group
	under_sudo "$PERF_LITE" convert -q --to csv -i "$f/data" -o "$f/csv"
	owner_is "convert, $folder" "$f/csv" $user:$group
	under_sudo "$PERF_LITE" convert -q --to perf.data -i "$f/data" -o "$f/perf2"
	owner_is "convert --to perf.data, $folder" "$f/perf2" $user:$group
	under_sudo "$PERF_LITE" flamegraph -i "$f/data" -o "$f/svg" 2>/dev/null
	owner_is "flamegraph, $folder" "$f/svg" $user:$group
	under_sudo "$PERF_LITE" pack -q "$f/data" -o "$f/packed"
	owner_is "pack, $folder" "$f/packed" $user:$group
	under_sudo "$PERF_LITE" stat -o "$f/stat" -e page-faults -- true
	owner_is "stat, $folder" "$f/stat" $user:$group
done

run_ok "he reads it without sudo" setpriv --reuid $user --regid $group --clear-groups \
	"$PERF_LITE" report -q -i "$TMP/his/data"

# What is not his to write stays root's: a root shell that sudo started has SUDO_UID, too
under_sudo "$PERF_LITE" record -q -o "$TMP/roots/data" -e cpu-clock -- "$PROG/spin" 50
owner_is "in root's folder" "$TMP/roots/data" 0:0
"$PERF_LITE" record -q -o "$TMP/shared/plain" -e cpu-clock -- "$PROG/spin" 50
owner_is "without sudo" "$TMP/shared/plain" 0:0
echo 0 >"$TMP/shared/old"
under_sudo "$PERF_LITE" stat -o "$TMP/shared/old" -e page-faults -- true
owner_is "a file that was there, which stat writes in place" "$TMP/shared/old" 0:0
env SUDO_UID=1x SUDO_GID=$group "$PERF_LITE" record -q -o "$TMP/shared/odd" -e cpu-clock -- "$PROG/spin" 50
owner_is "SUDO_UID that is no number" "$TMP/shared/odd" 0:0

# pack in place keeps the owner
chown 1234:1234 "$TMP/shared/data"
run_ok "pack in place" under_sudo "$PERF_LITE" pack -q -z 19 "$TMP/shared/data"
owner_is "keeps the owner" "$TMP/shared/data" 1234:1234

# A recording of somebody else
cp "$TMP/roots/data" "$TMP/shared/theirs"
chmod 600 "$TMP/shared/theirs"
run setpriv --reuid $user --regid $group --clear-groups "$PERF_LITE" report -i "$TMP/shared/theirs"
rc_is 1 "root's file"
like "has a remedy" "$TMP/err" "recorded by root: sudo chown $user .*theirs, or run this command with sudo"
chown 1234 "$TMP/shared/theirs"
run setpriv --reuid $user --regid $group --clear-groups "$PERF_LITE" report -i "$TMP/shared/theirs"
like "of another user" "$TMP/err" "belongs to another user: sudo chown $user "

done_testing
