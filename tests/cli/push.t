# SPDX-License-Identifier: GPL-2.0
#
# perf-lite push to a server that does what it is made to (receiver.py): every sample arrives, once, as script --json has it, also
# if the server is slow, killed, busy or full, or two send at once; what is refused, kept and dropped is named.
. tests/lib.sh
need curl python3 jq

code=$PWD/tests/cli
golden=$PWD/tests/golden
python=$(command -v python3)
cp -R "$golden" "$TMP/golden"
cd "$TMP" || exit 1
for name in web drops group memory; do
	"$PROG/make_recording" golden/$name.rec . || exit 1
	"$PERF_LITE" script --json --time=utc -i $name.data >$name.json 2>/dev/null
done

# a server in srv/; url: where it is
serve()
{
	rm -f srv/port
	"$python" "$code/receiver.py" srv "$@" 2>srv/why &
	server=$!
	wait_for 20 test -s srv/port || diag_file srv/why
	url=http://127.0.0.1:$(cat srv/port)
}
stop_server() # SIGNAL
{
	kill "-${1:-TERM}" "$server"
	wait "$server" 2>/dev/null
	server=
}
serve_proxy() # [STATUS]
{
	rm -rf px
	mkdir px
	"$python" "$code/proxy.py" px "$@" 2>px/why &
	proxy=$!
	wait_for 20 test -s px/port || diag_file px/why
	proxy_url=http://127.0.0.1:$(cat px/port)
}
stop_proxy()
{
	kill "$proxy"
	wait "$proxy" 2>/dev/null
	proxy=
}
end_servers()
{
	[ -z "${server:-}" ] || kill -9 "$server"
	[ -z "${proxy:-}" ] || kill -9 "$proxy"
}
at_exit end_servers
plan() { printf '%s\n' "$@" >srv/plan; }
fresh() { rm -rf spool srv/*.body srv/log srv/plan srv/limit; }
asked() { cut -d' ' -f3 srv/log | tr '\n' ' '; }
kept() { find spool -name '*.otlp.gz' 2>/dev/null | wc -l; }
# arrived DESC FORMAT NAME...: the bodies hold the samples of these recordings, each once
arrived()
{
	arrived_desc=$1 arrived_form=$2
	shift 2
	for arrived_name; do cat "$arrived_name.json"; done >want.json
	"$python" "$code/profiles.py" "$arrived_form" want.json srv/*.body >holds 2>&1
	is "$arrived_desc: all arrived, once" "$(sed 's/,.*//' holds)" "$(grep -c '^{"event"' want.json) samples"
}
push() { run "$PERF_LITE" push "$@"; }

mkdir srv
serve

# Without trouble

push "$url" web.data drops.data
rc_is 0 "two recordings"
like "it says so" err '^perf-lite push: sent 2 profiles, '
arrived "otlp" otlp web drops
is "at the place of OTLP" "$(sort -u srv/log)" "POST /v1development/profiles 200"
fresh
push -q "$url/ingest" web.data drops.data
rc_is 0 "pprof"
arrived "pprof" pprof web drops
like "with what Pyroscope asks for" srv/log \
	'^POST /ingest\?name=perf-lite%7Bhost%3Dgolden%7D&from=17[0-9]*&until=17[0-9]*&format=pprof&spyName=perf-lite 200$'
is "quiet" "$(cat err)" ""
fresh
push -q "$url/ingest?name=mine" --service other web.data
like "a name of one's own" srv/log '^POST /ingest\?name=mine&from='
push -q "$url/ingest" --service 'a b{}' web.data
like "the name of a service" srv/log '^POST /ingest\?name=a%20b__%7Bhost%3Dgolden%7D&'
fresh
push -q --service shop "$url/other/place?x=1" web.data
like "any place" srv/log '^POST /other/place\?x=1 200$'
"$python" "$code/profiles.py" about srv/1.body >about
like "the service" about '^service.name shop$'
fresh
push -q --service "$(printf 'caf\303\251 \351\001')" "$url" web.data
"$python" "$code/profiles.py" about srv/1.body >about
like "a service of bytes that are no text" about '^service.name caf.* \\xe9\\x01$'
fresh
push -q --event cpu-clock "$url" web.data
"$python" "$code/profiles.py" about srv/1.body >about
is "one event" "$(grep -c '^type' about)" 1
# the samples that script shows with the same options, of each recording
for options in '--comms nginx' '--comms !nginx' '--cpu 1' '--time 0%-50%' '-S no_such' '--limit 2' '--tid 100' '--dsos [kernel.kallsyms]'; do
	fresh
	for name in web drops; do
		"$PERF_LITE" script --json --time=utc -i $name.data $options 2>/dev/null
	done >chosen.json
	push -q $options "$url" web.data drops.data
	rc_is 0 "$options"
	if grep -q '^{"event"' chosen.json; then
		arrived "$options" otlp chosen
	else
		is "$options: nothing to send" "$(find srv -name '*.body')" ""
	fi
done
fresh
"$PERF_LITE" script --json --time=utc -i drops.data --filter 'reason == NO_SOCKET' >chosen.json 2>/dev/null
push -q --filter 'reason == NO_SOCKET' "$url" drops.data
arrived "--filter" otlp chosen
fresh
push -q --time 0%-10% "$url/ingest" drops.data
whole=$(sed -n 's/.*until=\([0-9]*\).*/\1/p' srv/log)
push -q "$url/ingest" drops.data
ok "until when" test "$whole" -lt "$(sed -n '2s/.*until=\([0-9]*\).*/\1/p' srv/log)"
printf 'X-Scope-OrgID: me\n\n\r\n# no header\nAuthorization: Bearer secret\r\n' >secret
push -q -H 'X-One: 1' -H @secret "$url" web.data
like "a header" srv/headers '^X-One: 1'
like "headers of a file" srv/headers '^Authorization: Bearer secret'
like "another one" srv/headers '^X-Scope-OrgID: me'
push "$url" timeless.data web.data
rc_is 1 "a recording that is not there"
like "it is named" err 'timeless.data'
fresh
head -c 3000 web.data >cut.data
push "$url" cut.data
rc_is 3 "a damaged recording: what is whole of it is sent"

# perf notes the time of day only if it is asked to: that of the file is taken, for the end

mkdir dayless
sed '/^wall/d' golden/common.rec >dayless/common.rec
cp golden/web.rec golden/timeless.rec dayless
for name in web timeless; do
	"$PROG/make_recording" dayless/$name.rec dayless
	touch -d @1600000000.5 dayless/$name.data
done
span() { "$python" "$code/profiles.py" about srv/1.body | sed -n 's/^span //p'; }
fresh
push "$url" dayless/web.data
rc_is 0 "without the time of day"
span=53700000 # ns between the first sample and the last
is "it ends with the file" "$(span)" "$((1600000000500000000 - span)) $((span + 1))"
is "in one line" "$(grep -c '^the time of day was not recorded: the profile ends when the file was changed last; perf records' err)" 1
"$PERF_LITE" convert -q --to otlp -i dayless/web.data -o converted
gzip -dc srv/1.body >/dev/null 2>&1 || cp srv/1.body sent
is_file "as convert has it" converted sent
fresh
push -q "$url/ingest" dayless/web.data
like "pprof" srv/log '&from=1600000000&until=1600000001&'
is "quiet" "$(cat err)" ""
fresh
push -q "$url" dayless/timeless.data
is "without times, there is but the end" "$(span)" "1600000000500000000 0"
fresh
"$PERF_LITE" push "$url" - <dayless/web.data 2>err
is "standard input is a file" "$(span)" "$((1600000000500000000 - span)) $((span + 1))"
fresh
cat dayless/web.data | "$PERF_LITE" push "$url" - 2>err
is "a pipe has none" "$(span)" "0 $((span + 1))"
like "which a server may not know" err 'the profile has none, and a server may take the present'

# What was sent, for programs

fresh
plan 503 take '400 no'
push --json --spool spool "$url" web.data drops.data group.data
rc_is 1 "one is refused"
is "in numbers" "$(jq -c '[.url, .documents, .samples, .retries, .refused, .kept, .dropped]' out)" \
	"[\"$url/v1development/profiles\",2,$(cat web.json group.json | grep -c '^{"event"'),1,1,0,0]"
is "and names" "$(jq -r '.set_aside[]' out)" "$(echo spool/*.refused)"
is "no line of text" "$(grep -c '^perf-lite push: sent' err)" 0
push --json --retries 0 --spool spool http://127.0.0.1:1 web.data
rc_is 3 "away"
is "what is kept" "$(jq -c '[.documents, .samples, .kept, .kept_bytes]' out)" \
	"[0,0,1,$(find spool -name '*.gz' -printf '%s')]"
mv spool/*.otlp.gz "spool/00000000000000000001-1-0-0-host.otlp.gz"
push --json --spool spool "$url"
is "a name of an older version" "$(jq -c '[.documents, .samples, .kept]' out)" "[1,0,0]"

# A server that is not well

fresh
plan 503 '503 no room' drop 'slow 0.3'
push "$url" web.data
rc_is 0 "busy, then well"
arrived "busy" otlp web
is "as often as needed" "$(asked)" "503 503 drop 200 "
like "what it said" err 'answered 503: no room; again in .*, 2 of 4$'
fresh
plan flood
push --timeout 1s --retries 0 "$url" web.data
rc_is 0 "an answer without end"
arrived "flood" otlp web
# not before the time that the server says; a date has whole seconds: 2 is more than 1
for later in '429 2' '503 2' '429 +2' '503 +2' '413 2' '413 +2'; do
	fresh
	plan "later $later"
	begun=$(date +%s%N)
	push "$url" web.data
	rc_is 0 "Retry-After: $later"
	ok "Retry-After: $later: is kept to" test $(($(date +%s%N) - begun)) -ge 1000000000
	arrived "Retry-After: $later" otlp web
	case $later in
	413*) is "Retry-After: $later: in halves" "$(asked)" "413 200 200 " ;;
	*) is "Retry-After: $later: and no sooner" "$(asked)" "${later% *} 200 " ;;
	esac
done
like "what is waited for" err '^perf-lite push: the server wants nothing for [12].*s: waiting$'
fresh
plan "later 503 +-100"
push --retries 1 "$url" web.data
rc_is 0 "a date that has gone by"
fresh
plan 'later 429 2' take
begun=$(date +%s%N)
push -q --retries 0 "$url" web.data drops.data
rc_is 3 "not sent again"
ok "but the next one has to wait, too" test $(($(date +%s%N) - begun)) -ge 1000000000
arrived "not sent again" otlp drops
for later in '429 3600' '503 3600' '503 +3600' '413 3600'; do
	fresh
	plan "later $later"
	push "$url" web.data drops.data
	rc_is 3 "$later: nobody waits for an hour"
	is "$later: it is not asked again" "$(asked)" "${later% *} "
	like "$later: which is known" err '^perf-lite push: nor sent: 1 recording behind it$'
	like "$later: what to do" err '^hint: .*--spool'
	fresh
	plan "later $later"
	push --spool spool "$url" web.data drops.data
	rc_is 3 "$later: with a spool"
	cp err "err.${later%% *}"
	is "$later: it is not asked again, with a spool" "$(asked)" "${later% *} "
	push --spool spool "$url"
	arrived "$later: next time" otlp web drops
done
like "for how long" err.413 'wants nothing for another 3[56][0-9][0-9] s$'
fresh
plan 502 504 503 502
push -q --retries 3 "$url" web.data
rc_is 3 "as often as it may"
is "and not more often" "$(asked)" "502 504 503 502 "
fresh
plan 'partial 1 too old'
push "$url" web.data
rc_is 1 "profiles that were refused"
like "how many, and why" err 'did not take 1 profile: too old$'
is "it is not sent again" "$(asked)" "200 "
plan 'say be brief'
push "$url" web.data
rc_is 0 "a warning"
like "is shown" err 'says: be brief$'
for status in 400 404 401 409 414 415 418 431 500; do
	fresh
	plan "$status no, not that"
	push "$url" web.data
	case $status in
	400 | 409 | 418) rc_is 1 "$status: the recording is refused" ;;
	*) rc_is 3 "$status: all are" ;;
	esac
	like "$status: what it said" err "answered $status: no, not that\$"
	is "$status: once" "$(asked)" "$status "
done
for status in 400 500; do
	fresh
	plan take "$status no, not that" take
	push "$url" web.data drops.data group.data
	like "$status: which recording" err "^perf-lite: drops.data: $url/v1development/profiles answered $status: no, not that\$"
	like "$status: the others are sent" err '^perf-lite push: sent 2 profiles, '
done
fresh
plan 401
push "$url" web.data drops.data group.data
rc_is 3 "not allowed"
is "no other recording is tried" "$(asked)" "401 "
like "which is known" err '^perf-lite push: nor sent: 2 recordings behind it$'
fresh
plan "status it's broken"
push "$url" web.data
like "an answer of OTLP" err "answered 400: it's broken$"

# A server that is away

fresh
stop_server
push --retries 0 "$url" web.data
rc_is 3 "nobody is there"
like "it is named" err "^perf-lite: $url/v1development/profiles: .*onnect"
for name in web drops group; do
	push --retries 0 --spool spool "$url" $name.data
	rc_is 3 "$name is kept"
done
is "three files" "$(kept)" 3
is "for their owner alone" "$(stat -c %a spool) $(find spool -name '*.gz' -exec stat -c %a {} + | sort -u)" "700 600"
like "how many" err '^hint: 3 files \(.*\) are kept in spool: the next push sends them first$'
mkdir -p srv
serve
push --spool spool "$url" memory.data
rc_is 0 "it is back"
arrived "what was kept" otlp web drops group memory
is "the spool is empty" "$(kept)" 0
n=0
for name in web drops group memory; do
	n=$((n + 1))
	is "in order: $name" "$("$python" "$code/profiles.py" otlp $name.json srv/$n.body 2>&1 | sed 's/,.*//')" "$(grep -c '^{"event"' $name.json) samples"
done
push --spool spool "$url"
rc_is 0 "an empty spool"

# A server that is killed while it reads

fresh
plan 'slow 30'
"$PERF_LITE" push --retries 0 --spool spool "$url" web.data 2>err &
pid=$!
wait_for 10 test -s srv/headers
sleep 0.3
stop_server KILL
wait $pid
is "the server is killed" $? 3
is "it is kept" "$(kept)" 1
rm -f srv/plan
serve
push -q --spool spool "$url"
arrived "sent to the next" otlp web

# The sender is killed after the server has it: the same again, which its id says

fresh
rm -f srv/headers
plan 'slow 2'
"$PERF_LITE" push --spool spool "$url" web.data 2>err &
pid=$!
wait_for 10 test -s srv/headers
kill -9 $pid
wait $pid 2>/dev/null
wait_for 10 test -s srv/1.body
push -q --spool spool "$url"
for n in 1 2; do "$python" "$code/profiles.py" about srv/$n.body | grep '^ids' >ids.$n; done
is_file "twice, under the same id" ids.1 ids.2
cmp srv/1.body srv/2.body >/dev/null && rm -f srv/2.body
arrived "the same bytes" otlp web

# Two at once

fresh
plan 'slow 0.7' 'slow 0.2' 'slow 0.2' 'slow 0.2'
"$PERF_LITE" push --spool spool "$url" web.data drops.data 2>err.1 &
one=$!
"$PERF_LITE" push --spool spool "$url" group.data memory.data 2>err.2 &
wait $one
is "one" $? 0
wait $!
is "the other" $? 0
arrived "two at once" otlp web drops group memory
is "nothing is left" "$(kept)" 0
: >spool/.1-1.tmp
push -q --spool spool "$url"
ok "what a killed one left goes" not test -e spool/.1-1.tmp

# What is refused stays, and is not sent again; what is wrong with the server stops all

fresh
plan '400 bad' take
push --spool spool "$url" web.data drops.data
rc_is 1 "one is refused"
like "why" err 'answered 400: bad$'
arrived "the other one" otlp drops
is "it stays" "$(find spool -name '*.refused' | wc -l) $(kept)" "1 0"
like "under a name" err "^perf-lite push: set aside: spool/$(cd spool && echo *.refused)\$"
push -q --spool spool "$url"
is "it is not sent again" "$(asked)" "400 200 "
for status in 409 418 422; do
	fresh
	plan "$status" take
	push -q --spool spool "$url" web.data drops.data
	rc_is 1 "$status: one is refused"
	is "$status: and the next one is sent" "$(asked) $(kept)" "$status 200  0"
done
for status in 402 403 407 410 411 414 415 421 431 451 501 511 302; do
	fresh
	plan "$status" take
	push -q --spool spool "$url" web.data drops.data
	rc_is 3 "$status: not of this document"
	is "$status: all is kept" "$(asked) $(kept)" "$status  2"
done
fresh
plan '500 oops' take
push --spool spool "$url" web.data drops.data group.data
rc_is 1 "the server breaks by one document, and takes the next"
arrived "the others" otlp drops group
is "it is set aside" "$(asked) $(find spool -name '*.refused' | wc -l) $(kept)" "500 200 200  1 0"
like "and named" err '^perf-lite push: set aside: spool/.*\.refused$'
fresh
plan 500 500
push -q --spool spool "$url" web.data drops.data group.data
rc_is 3 "the server breaks by two"
is "all is kept" "$(asked) $(kept)" "500 500  3"
push -q --spool spool "$url"
arrived "until it is well" otlp web drops group
fresh
plan '401 who are you'
push --spool spool "$url" web.data drops.data
rc_is 3 "not allowed: all is kept"
is "and nothing else is tried" "$(asked) $(kept)" "401  2"
push -q --spool spool "$url/ingest"
rc_is 0 "another format"
is "is left alone" "$(kept)" 2
push -q --spool spool "$url"
arrived "with the right format" otlp web drops

# Documents that are too large for the server

limit() { echo "$*" >srv/limit; }
printf '%s\n' 'event page-faults type=software config=2' 'at 1' 'comm 1 made' 'sample page-faults pid=1 t=1' >small.rec
"$PROG/make_recording" small.rec .
# once DESC: no sample is in two documents, and no profile has the id of another
bodies() { find srv -name '*.body' | wc -l; }
unique_ids()
{
	for body in srv/*.body; do "$python" "$code/profiles.py" about "$body" | sed -n 's/^ids //p'; done | tr ' ' '\n' >ids
	is "$1: ids" "$(sort -u ids | wc -l)" "$(wc -l <ids)"
}
for spool in '' '--spool spool'; do
	fresh
	limit 1500
	push $spool "$url" web.data drops.data
	rc_is 0 "too large $spool"
	arrived "in parts $spool" otlp web drops
	ok "in several $spool" test "$(bodies)" -gt 3
	unique_ids "in parts $spool"
	like "why $spool" err 'sent in two halves: .* answered 413$'
	is "all is gone $spool" "$(find spool -name '*.gz*' 2>/dev/null | wc -l)" 0
	fresh
	limit 800 400 http: request body too large
	push -q $spool "$url/ingest" web.data drops.data
	rc_is 0 "pprof $spool"
	arrived "pprof in parts $spool" pprof web drops
	ok "pprof in several $spool" test "$(bodies)" -gt 2
	fresh
	push -q $spool --max-size 1500 "$url" web.data drops.data
	arrived "--max-size $spool" otlp web drops
	is "none is larger $spool" "$(find srv -name '*.body' -size +1500c)" ""
	fresh
	# a server that takes nothing, down to one sample, is not asked for each
	for answer in 413 '400 message too large'; do
		fresh
		limit 100 $answer
		push --json $spool "$url" web.data drops.data
		rc_is 3 "nothing is taken: $answer $spool"
		is "nothing is left out: $answer $spool" "$(jq -c '[.documents, .refused, .rest]' out)" "[0,0,[]]"
		ok "it is asked a few times: $answer $spool" test "$(asked | wc -w)" -le 8
		is "one line says so: $answer $spool" "$(grep -c '^perf-lite: ' err) $(grep -c 'left out\|set aside' err)" "1 0"
		like "and what to do: $answer $spool" err '^hint: it has taken nothing, not even one sample of [0-9]* bytes'
	done
	rm srv/limit
	[ -z "$spool" ] || {
		push -q $spool "$url"
		arrived "what was kept" otlp web drops
	}
	fresh
	limit 500
	push --json --limit 2 $spool "$url" small.data web.data
	rc_is 1 "one sample is too large $spool"
	is "each is left out $spool" "$(jq -c '[.documents, .divided, .refused]' out)" "[1,1,2]"
	is "once $spool" "$(asked)" "200 413 413 413 "
	like "which is said $spool" err 'cannot be divided: left out'
done
is "two are set aside" "$(jq '.set_aside | length' out) $(find spool -name '*.refused' | wc -l)" "2 2"
fresh
limit 1500
plan take 503
push -q --retries 0 --spool spool "$url" web.data drops.data
rc_is 3 "away after the first part"
is "one part is sent" "$(bodies)" 1
push -q --spool spool "$url"
arrived "and once" otlp web drops
fresh
# without a spool, what is sent is not sent again: --skip, as it was printed
for form in otlp pprof; do
	case $form in otlp) to=$url size=1500 smaller=1100 ;; pprof) to=$url/ingest size=600 smaller=500 ;; esac
	for later in 401 503 500; do
		fresh
		limit $size
		plan take "$later"
		push --json --retries 0 "$to" web.data
		rc_is 3 "$form, $later: away after the first part"
		skip=$(jq -r '.rest[].skip' out)
		is "$form, $later: of the recording" "$(jq -r '.rest[].file' out)" web.data
		like "$form, $later: it says how to go on" err \
			"^perf-lite push: web.data: sent up to sample ${skip%/*} of ${skip#*/}; the rest of it, alone: --skip $skip\$"
		plan 503
		push --json -q --retries 0 --skip "$skip" "$to" web.data
		is "$form, $later: nothing more was sent" "$(jq -r '.rest[].skip' out)" "$skip"
		plan take 503
		push --json -q --retries 0 --skip "$skip" --max-size $size "$to" web.data
		rc_is 3 "$form, $later: away again"
		ok "$form, $later: further on" test "$(jq -r '.rest[].skip' out | cut -d/ -f1)" -gt "${skip%/*}"
		push --json --skip "$(jq -r '.rest[].skip' out)" "$to" web.data
		rc_is 0 "$form, $later: the rest"
		arrived "$form, $later: with the rest" $form web
		is "$form, $later: nothing is left" "$(jq -c .rest out)" '[]'
	done
	unlike "$form: nothing is left, in words" err skip
	# halves that are divided again
	fresh
	limit $smaller
	plan take take take 503
	push --json --retries 0 "$to" web.data
	rc_is 3 "$form: away after some parts of parts"
	is "$form: three are there" "$(asked | grep -o 200 | wc -l)" 3
	push -q --skip "$(jq -r '.rest[].skip' out)" "$to" web.data
	rc_is 0 "$form: the rest of parts of parts"
	arrived "$form: parts of parts" $form web
	push --skip "${skip%/*}/99999" "$to" web.data
	rc_is 1 "$form: another recording"
	like "$form: is not sent" err "^perf-lite: web.data: --skip is of 99999 samples, and this is ${skip#*/}\$"
	fresh
	push --skip "$skip" "$to" web.data
	push --spool spool --skip "$skip" "$to" web.data
	is_file "$form: the same with a spool" srv/2.body srv/1.body
done
fresh
limit 1500
plan take 400 401
push "$url" web.data
rc_is 1 "refused, and then not allowed"
like "both are named: one" err 'answered 400'
like "both are named: the other" err 'answered 401'
# a sender that was killed while it divided: its halves do not count
fresh
push -q --spool spool --retries 0 http://127.0.0.1:1 web.data
for file in spool/*.gz; do
	cp "$file" "$(echo "$file" | sed 's/\(-[0-9]*\.\)[0-9]*-/\150.0-/')"
done
is "a half beside the whole" "$(kept)" 2
push --json --spool spool --retries 0 http://127.0.0.1:1
is "does not count" "$(jq -c .kept out)" 1
push -q --spool spool "$url"
arrived "killed while it divided" otlp web
is "it is gone" "$(kept)" 0
# a disk that is full while it divides: all is kept
if can strace; then
	push -q --spool spool --retries 0 http://127.0.0.1:1 web.data
	rm -f srv/*.body
	limit 1500
	strace -f -o /dev/null -e inject=fsync:error=ENOSPC "$PERF_LITE" push --spool spool "$url" >out 2>err
	is "a full disk" $? 3
	is "nothing is lost" "$(kept) $(bodies)" "1 0"
	push -q --spool spool "$url"
	arrived "with room again" otlp web
fi

# A full spool

fresh
push -q --spool spool --retries 0 http://127.0.0.1:1 web.data
size=$(find spool -name '*.gz' -printf '%s')
push -q --spool spool --retries 0 http://127.0.0.1:1 drops.data
limit=$(find spool -name '*.gz' -printf '%s\n' | awk '{ n += $1 } END { print n }')
push --spool spool --spool-limit $((limit + size - 1)) --retries 0 http://127.0.0.1:1 web.data
rc_is 3 "full"
like "what was dropped" err 'spool is full: dropped [0-9]*-.*-golden.otlp.gz \(.*, recorded 20[0-9-]*T.*Z to .*Z\)$'
is "the others are there" "$(kept)" 2
push -q --spool spool "$url"
arrived "they arrive" otlp drops web

# one that does not fit by itself does not take the others with it
fresh
push -q --spool spool --retries 0 http://127.0.0.1:1 drops.data
push -q --spool spool --spool-limit $((size - 1)) --retries 0 http://127.0.0.1:1 web.data
like "too large by itself" err 'spool is full: dropped [0-9]*-.*-golden.otlp.gz '
is "the older one is there" "$(kept)" 1
push -q --spool spool "$url"
arrived "it arrives" otlp drops

# A full disk below it: what is there is whole, and goes first; the recording stays where it is

if can mounts; then
	cat >full.sh <<-'EOF'
		mkdir -p spool
		mount -t tmpfs -o size=16k tmpfs spool || exit 1
		for name in web drops group memory web; do
			"$PERF_LITE" push --retries 0 --spool spool http://127.0.0.1:1 $name.data 2>err.full
			echo $?
		done
		ls -A spool | grep -c '^\.'
		find spool -name '*.gz' | wc -l
		"$PERF_LITE" push --spool spool "$1" web.data 2>err.room
		echo $?
		find spool -name '*.gz' | wc -l
		umount spool
	EOF
	fresh
	is "a full disk: kept four times, then not; nothing half; with a server, all" \
		"$(unshare -m sh full.sh "$url" | tr '\n' ' ')" "3 3 3 3 1 0 4 0 0 "
	like "a full disk is named" err.full 'web.data: cannot keep what is to be sent: No space left on device'
	arrived "a full disk" otlp web drops group memory web
else
	skip_without "a full disk below the spool" mounts
fi

# Somebody else sends, for long: the limit holds nevertheless

fresh
plan 'slow 30'
rm -f srv/headers
"$PERF_LITE" push --retries 0 --spool spool "$url" web.data 2>err.1 &
pid=$!
wait_for 10 test -s srv/headers
push --spool spool --spool-limit 1 --timeout 0.1s "$url" drops.data
rc_is 3 "another one sends"
like "that is known" err 'another perf-lite push sends from spool'
is "what is too much goes" "$(kept)" 0
kill $pid
wait $pid 2>/dev/null
stop_server KILL
serve

# A file that cannot be read does not keep those behind it

if can strace; then
	fresh
	for name in web drops; do
		push -q --spool spool --retries 0 http://127.0.0.1:1 $name.data
	done
	first=$(find spool -name '*.gz' -printf '%f\n' | sort | head -n 1)
	rc=0
	strace -f -o /dev/null -P "$first" -e inject=openat:error=EIO "$PERF_LITE" push --spool spool "$url" >out 2>err || rc=$?
	is "an error" $rc 1
	like "of that file" err "spool: $first: Input/output error"
	arrived "the other one" otlp drops
else
	skip_without "a file that cannot be read" strace
fi

# By record

if can own; then
	fresh
	LOG=$TMP/pushed
	export PERF_LITE LOG
	run "$PERF_LITE" record -q -e cpu-clock:u -c 500000 --switch-output=200K -o r.data \
		--on-file "\"\$PERF_LITE\" push -q --spool '$TMP/spool' $url {} && echo {} >>\"\$LOG\"" -- "$PROG/spin" 300
	rc_is 0 "record gives files to push"
	for f in r.data*; do "$PERF_LITE" script --json --time=utc -i "$f" 2>/dev/null; done >r.json
	arrived "of a recorder" otlp r
	# as the manual has it: what is in the spool is not kept as a recording, too
	fresh
	rm -f r.data*
	run "$PERF_LITE" record -q -e cpu-clock:u -c 500000 -o r.data --on-file "\"\$PERF_LITE\" push -q --retries 0 \
		--spool '$TMP/spool' http://127.0.0.1:1 {} || [ \$? -eq 3 ] && rm {}" -- "$PROG/spin" 100
	rc_is 0 "nobody is there: no failure of the command"
	is "the spool has it, and only the spool" "$(kept) $(find . -name 'r.data*' | wc -l)" "1 0"
else
	skip_without "by record" own
fi

# A proxy, as the environment has it

fresh
unset no_proxy NO_PROXY all_proxy ALL_PROXY https_proxy HTTPS_PROXY
serve_proxy
export http_proxy="http://me:secret@${proxy_url#http://}"
push -H 'X-One: 1' "$url" web.data drops.data
rc_is 0 "by a proxy"
arrived "by a proxy" otlp web drops
is "it has passed them on" "$(sort -u px/asked)" "POST $url/v1development/profiles"
like "with the proxy's password" px/headers '^Proxy-Authorization: Basic bWU6c2VjcmV0'
fresh
limit 1500
plan 503
push -q --spool spool "$url" web.data
rc_is 0 "busy, and in parts, by a proxy"
arrived "in parts, by a proxy" otlp web
fresh
: >px/asked
no_proxy=127.0.0.1 push "$url" web.data
arrived "no proxy for this server" otlp web
is "it was not asked" "$(cat px/asked)" ""
stop_proxy
fresh
push --retries 0 --spool spool "$url" web.data
rc_is 3 "the proxy is away"
unlike "the password is not shown" err secret
for status in 407 502; do
	serve_proxy $status
	export http_proxy=$proxy_url
	push --retries 1 --spool spool "$url"
	case $status in
	407)
		rc_is 3 "the proxy wants a password"
		like "which is said" err '^hint: the proxy asks for a password'
		is "once" "$(wc -l <px/asked)" 1
		;;
	502)
		rc_is 3 "the proxy does not reach the server"
		is "it is asked again" "$(wc -l <px/asked)" 2
		;;
	esac
	stop_proxy
done
unset http_proxy
push -q --spool spool "$url"
arrived "after the proxies" otlp web

# TLS

stop_server
if can openssl; then
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost,IP:127.0.0.1 2>/dev/null
	fresh
	serve cert.pem key.pem
	url=https://127.0.0.1:$(cat srv/port)
	push --cacert cert.pem "$url" web.data
	rc_is 0 "TLS"
	arrived "by TLS" otlp web
	fresh
	serve_proxy
	export https_proxy=$proxy_url
	push --cacert cert.pem -H 'Authorization: Bearer abc' "$url" web.data
	rc_is 0 "TLS through a proxy"
	arrived "TLS through a proxy" otlp web
	is "a tunnel" "$(cat px/asked)" "CONNECT ${url#https://}"
	unlike "the proxy does not get the server's token" px/headers Bearer
	like "but the server" srv/headers 'Bearer abc'
	stop_proxy
	for status in 407 403 503; do
		serve_proxy $status
		export https_proxy=$proxy_url
		push --retries 1 --cacert cert.pem "$url" web.data drops.data
		rc_is 3 "the proxy makes no tunnel: $status"
		like "the proxy makes no tunnel: $status: which is said" err "profiles: the proxy answered $status"
		case $status in
		503) is "it is asked again" "$(wc -l <px/asked)" 4 ;;
		*) is "$status: it is not asked again" "$(wc -l <px/asked)" 1 ;;
		esac
		[ $status != 407 ] || like "what it wants" err '^hint: it asks for a password: https_proxy='
		stop_proxy
	done
	unset https_proxy
	push --retries 3 "$url" web.data
	rc_is 3 "a certificate that nobody knows"
	unlike "is not tried again" err 'again in'
	like "how to trust it" err '^hint: .*--cacert FILE$'
	stop_server
	serve
	push --retries 0 "https://127.0.0.1:$(cat srv/port)" web.data
	rc_is 3 "a server without TLS"
	like "how to do without" err '^hint: .*http://'
	stop_server
else
	skip_without "TLS" openssl
fi

# A spool that others can write to, or that cannot be locked

mkdir theirs
head -c 3000 /dev/zero >theirs/00000000000000000001-1-9223372036854775807-9223372036854775807-h.otlp.gz
push --retries 0 --spool theirs --spool-limit 1 http://127.0.0.1:1 web.data
like "a name with a time that is none" err 'is full: dropped 0*1-1-9223372036854775807'
touch "theirs/1-1-0-0-$(printf '\033')[31m.otlp.gz"
head -c 3000 /dev/zero >theirs/00000000000000000002-1-0-0-h.otlp.gz
push --retries 0 --spool theirs --spool-limit 1 http://127.0.0.1:1
unlike "a name that a terminal obeys" err "$(printf '\033')"
if can strace; then
	mkdir unlocked
	rc=0
	timeout 20 strace -f -o /dev/null -e inject=flock:error=ENOLCK "$PERF_LITE" push --retries 0 --spool unlocked \
		http://127.0.0.1:1 web.data >out 2>err || rc=$?
	ok "no locks are an error" test $rc -ne 0 -a $rc -ne 124
	like "which is said" err 'cannot be locked|cannot lock'
	is "nothing is left" "$(find unlocked -name '*.tmp' | wc -l)" 0
else
	skip_without "no locks" strace
fi

# Usage

push
rc_is 1 "no server"
push http://localhost:1
rc_is 1 "no recording"
like "an example" err '^hint: perf-lite push http://localhost:4318 perf-lite.data$'
push localhost:4318 web.data
rc_is 1 "no URL"
push http://me:secret@localhost:1 web.data
rc_is 1 "a password in the URL"
like "where it belongs" err '^hint: .*-H @FILE'
evil=$(printf 'an\033[31m')
push http://localhost:1 "$evil-1" "$evil-2"
rc_is 1 "two that are not there, with names that a terminal obeys"
unlike "escaped" err "$(printf '\033')"
like "no option that push has not" err '^hint: record first: perf-lite record -o FILE -- COMMAND$'
is "each is named once" "$(grep -o 'x1b\[31m-[12]' err | sort | tr '\n' ' ')" 'x1b[31m-1 x1b[31m-2 '
push --to jfr http://localhost:1 web.data
rc_is 1 "a format that is none"
push -H nothing http://localhost:1 web.data
rc_is 1 "a header that is none"
unlike "is not repeated" err nothing
push -H @none http://localhost:1 web.data
rc_is 1 "headers of no file"
push --spool web.data http://localhost:1 web.data
rc_is 1 "a spool that is a file"
for skip in 5 0/5 5/5 5/4 /5 5/ x/5 5/6/7 -1/5; do
	push --skip "$skip" http://localhost:1 web.data
	rc_is 1 "--skip $skip"
	like "--skip $skip: is none" err "^perf-lite: --skip: '.*' is not how far a recording was sent\$"
done
push --skip 1/2 http://localhost:1 web.data drops.data
rc_is 1 "--skip of two"
push --max-size none http://localhost:1 web.data
rc_is 1 "a size that is none"
push --spool-limit none http://localhost:1 web.data
rc_is 1 "a limit that is none"
push --spool-limit 1G http://localhost:1 web.data
rc_is 1 "a limit without a spool"
like "a limit without a spool: is said" err "^perf-lite: --spool-limit is of a spool, and there is none\$"
done_testing
