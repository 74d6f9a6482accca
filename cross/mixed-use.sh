#!/usr/bin/env bash
# Shows what reachyd takes of memory when it is used for everything: an hour of mixed use in a few minutes, then rest.
# $1: turns (default 500), $2: minutes of rest (default 5), PACE: seconds between turns (default 0;
# 720 turns with PACE=5 are a real hour). Prints a line at each point: resident memory, what of it is reachyd's own (anonymous)
# and what pages of files, processor time, and garbage collections in a minute, in which unused memory is returned twice; then how late
# answers are.
set -eu
turns=${1:-500} rest=${2:-5} bin=${BIN:-bin} pace=${PACE:-0}
dir=$(mktemp -d)
daemon=
finish() {
	[ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null; } || true
	rm -rf "$dir"
}
trap finish EXIT
hertz=$(getconf CLK_TCK)
REACHYD_DATA_DIR="$dir/data" REACHYD_RUN_DIR="$dir/run" REACHYD_MQTT_LISTEN=127.0.0.1:0 REACHYD_HTTP_LISTEN=127.0.0.1:0 \
	"$bin/reachyd" run --sim >"$dir/out" 2>"$dir/log" &
daemon=$!
for _ in $(seq 600); do grep -q 'is ready' "$dir/out" && break; sleep 0.1; done
url=$(cat "$dir/run/http") broker=$(cat "$dir/run/broker")

ticks() { awk '{print $14 + $15}' "/proc/$daemon/stat"; }
collections() { curl -sf "$url/metrics" | awk '/^go_gc_cycles_total_gc_cycles_total /{print $2}'; }
# point WHAT: memory now, then a minute of rest.
point() {
	local before gc
	awk -v what="$1" '{n[$1] = $2} END{printf "%-22s %5.1f MB resident, %5.1f own, %5.1f of files", what, n["Rss:"]/1024, n["Anonymous:"]/1024, (n["Rss:"]-n["Anonymous:"])/1024}' \
		"/proc/$daemon/smaps_rollup"
	gc=$(collections) before=$(ticks)
	sleep 60
	awk -v t="$(($(ticks) - before))" -v hz="$hertz" 'BEGIN{printf "; a minute: %.2f %%core", t * 100 / hz / 60}'
	echo ", $(($(collections) - gc - 0)) collections"
}
say() { curl -s -m 60 -o /dev/null -w '%{time_total}\n' -H 'Content-Type: application/json' "$url/api/cmd/chat" -d "{\"text\":\"$1\",\"session\":\"$2\"}"; }
latency() { # WHAT: of sentences that a template, the networks, and the model of praise answer
	printf '%-22s' "$1"
	printf '%.0f ms a template, ' "$(say 'what time is it' home | awk '{print 1000 * $1}')"
	printf '%.0f ms a free wording, ' "$(say 'kindly disclose what you were christened' home | awk '{print 1000 * $1}')"
	printf '%.0f ms praise\n' "$(say 'that was rather splendid' home | awk '{print 1000 * $1}')"
}

# What people say: # is a number that is another one each time.
mapfile -t texts <<'SAID'
look left
what time is it
nod
tell me a joke
turn left # degrees quickly
a bit more
undo that
how far can you turn
be happy
good job
what is # times 17
remember that my keys are in drawer #
where are my keys
set a timer for # seconds
how are you
look straight ahead
that was too slow
could you perhaps swing your head a little to the right
wiggle your antennas
what did you just do
kindly tell me what you were christened
what do you see
who are you
no, I did not like that
how much is # percent of 4500
raise your left antenna by # degrees
I had a long day at work
what can you do
convert # miles to kilometres
which timers are running
cancel all timers
what day is it tomorrow
my name is Anna#
what is my name
tilt your head a bit
when I say banana#, nod
banana#
well done, that was lovely
stop dancing
is your head straight
SAID
written=(
	'write a tool that counts the vowels in a text'
	'write a tool that says whether a year is a leap year'
	'write a tool that reverses a text'
	'write a tool that converts celsius to fahrenheit'
)
sleep 20
point 'at rest'
latency 'first of all'
latency 'again'
start=$(date +%s) before=$(ticks)
for ((n = 0; n < turns; n++)); do
	text=${texts[n % ${#texts[@]}]}
	say "${text//#/$((3 + n * 7 % 50))}" "home$((n / 40 % 4))" >>"$dir/times"
	case $((n % 10)) in
	0) curl -s -o /dev/null "$url/" ;;
	2) curl -s -o /dev/null "$url/api/v1/robot/state" ;;
	4) curl -s -o /dev/null "$url/metrics" ;;
	6) curl -s -o /dev/null "$url/v1/models" ;;
	8) curl -s -o /dev/null "$url/api/v1/tools" ;;
	esac
	[ $((n % 50)) != 25 ] || timeout 60 "$bin/reachyctl" --broker "$broker" say 'nod twice' >/dev/null || true
	[ $((n % 125)) != 60 ] || say "${written[n / 125 % 4]}" home >/dev/null
	[ "$pace" = 0 ] || sleep "$pace"
done
awk -v n="$turns" -v s="$(($(date +%s) - start))" -v t="$(($(ticks) - before))" -v hz="$hertz" \
	'BEGIN{printf "%d turns in %d s: %.1f ms of the processor a turn\n", n, s, 1000 * t / hz / n}'
sort -n "$dir/times" | awk '{a[NR] = $1} END{printf "a turn takes %.0f ms (p50)\n", 1000 * a[int((NR + 1) / 2)]}'
[ -z "${AT_END:-}" ] || eval "$AT_END"
start=$(date +%s)
point 'directly after use'
for ((m = 2; m <= rest; m += 2)); do
	sleep $((start + 60 * m - $(date +%s)))
	point "$m min of rest"
done
latency 'first after rest'
latency 'again'
