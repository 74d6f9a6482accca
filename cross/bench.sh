#!/usr/bin/env bash
# Shows the figures of the promises. $1: the Go command, $2: build tags, $3: how long each run of the control loop lasts.
# 1. Go benchmarks of the hot paths. 2. From MQTT to a servo's register. 3. The senses: what they cost and how late they are.
# 4. What every program costs at rest and in use, and reachyd after mixed use (cross/mixed-use.sh). 5. The 100 Hz loop over the socket
# bus against the simulated robot: idle, with every core busy, and with a training on every core that is killed and begun anew every
# five seconds. Figures of one run are comparable with each other, not with those of another machine.
set -eu
go=$1 tags=$2 each=$3

echo '== benchmarks'
"$go" test -run '^$' -bench . -benchmem -benchtime 200ms -tags "$tags" \
	./hal/... ./agents/... ./daemon/... 2>&1 | grep -E '^(Benchmark|ok|FAIL|---)' | grep -v 'no test files'

echo '== from MQTT to the register of a servo: a target, and the emergency stop'
"$go" test -run '^$' -bench ToBus -benchtime 20x ./e2e 2>&1 | grep -E '^(Benchmark|ok|FAIL|---)'

# The senses: packages, benchmarks and how often each runs; together less than three minutes on a host that does nothing else.
# The whole table of issue 3 (f16 and q8_0, 1 and 2 threads, 1, 3 and 6 s) takes ten:
#   go test -tags whisper -run '^$' -bench EndOfSpeech -benchtime 7x -timeout 30m ./perception/stt
senses() {
	"$go" test -run '^$' -bench "$2" -benchtime "$3" -timeout 10m -tags "$tags" "./$1" 2>&1 | grep -E '^(Benchmark|FAIL|---|panic)' || true
}
case " $tags " in
*whisper*)
	echo '== hearing: from the last word to its text (ms): whisper.cpp as it comes (default-), and as reachyd uses it; random weights as large as tiny.en'
	senses perception/stt EndOfSpeech/q8_0 3x
	echo '== hearing: the same of sentences in real time, with speculation and without; the turn is decided later than its text is there'
	senses perception/voice EndOfSpeech 1x
	echo '== hearing: what listening costs all the time (%core), by Silero and by loudness'
	senses perception/vad 'Silero|Energy' 500x
	echo '== hearing: from another voice to the word that silences the robot (ms), and from the word stop to a robot that has stopped'
	senses perception/voice BargeIn 1x
	senses cmd/reachy-sense StopWord 1x
	;;
esac
echo '== speaking: from a text to its first sound, and from hush to silence (ms)'
senses perception/tts 'FirstSound|SayToSink|Hush' 20x
case " $tags " in
*mujoco*)
	echo '== seeing: from a frame to its detections (ms), and looking at the things on the table with the real parts (s)'
	senses perception/vision 'Frame/all' 100x
	senses perception/vision LookAt 9x
	;;
esac

# What every program costs with a simulated robot: at rest, and while it is told something every second.
dir=$(mktemp -d)
pids=()
finish() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	for p in "${pids[@]}"; do wait "$p" 2>/dev/null || true; done
	rm -rf "$dir"
}
trap finish EXIT
# figures WHAT SECONDS: processor time (% of a core), how often a thread was woken up, garbage collections (meanwhile, and since
# the start) and resident memory of all programs of the running reachyd. reachyd counts its own; those of a worker are lines of the runtime's trace in reachyd's log.
# reachy-body has its collector switched off, unless its memory reaches a limit. Guests of the sandbox are not traced: "-".
hertz=$(getconf CLK_TCK)
ticks() { awk '{print $14 + $15}' "/proc/$1/stat"; }
switches() { cat "/proc/$1/task/"*/status 2>/dev/null | awk '/^voluntary_ctxt_switches:/{n += $2} END{print n + 0}'; }
collections() { # PID NAME
	case $1:$2 in
	"$daemon":*) curl -sf "$(cat "$dir/run/http")/metrics" | awk '/^go_gc_cycles_total_gc_cycles_total /{print $2}' ;;
	*:reachyd) echo - ;;
	*) grep -c "\"worker\":\"${2#reachy-}\".*\"gc [0-9]* @" "$dir/reachyd.log" || true ;;
	esac
}
figures() {
	local all=("$daemon" $(pgrep -P "$daemon")) before=() woken=() gc=() p name i now
	for p in "${all[@]}"; do
		before+=("$(ticks "$p")")
		woken+=("$(switches "$p")")
		gc+=("$(collections "$p" "$(cat "/proc/$p/comm")")")
	done
	sleep "$2"
	for i in "${!all[@]}"; do
		p=${all[$i]}
		name=$(cat "/proc/$p/comm")
		now=$(collections "$p" "$name")
		awk -v what="$1" -v name="$name" -v t="$(($(ticks "$p") - before[i]))" -v s="$2" -v hz="$hertz" -v gc="$now" -v was="${gc[$i]}" \
			-v woken="$(($(switches "$p") - woken[i]))" \
			'/^VmRSS:/{printf "%-8s %-14s %6.2f %%core %6.0f wake-ups/s %4s collections in %d s (%s since its start) %7.1f MB\n",
				what, name, 100 * t / hz / s, woken / s, gc == "-" ? gc : gc - was, s, gc, $2 / 1024}' "/proc/$p/status"
	done
}
echo '== what the programs cost at rest and in use'
GODEBUG=gctrace=1 REACHYD_DATA_DIR="$dir/data" REACHYD_RUN_DIR="$dir/run" REACHYD_MQTT_LISTEN=127.0.0.1:21883 \
	REACHYD_HTTP_LISTEN=127.0.0.1:21880 REACHYD_LOG_FORMAT=json bin/reachyd run --sim >"$dir/reachyd.out" 2>"$dir/reachyd.log" &
daemon=$!
pids+=("$daemon")
for _ in $(seq 600); do grep -q 'is ready' "$dir/reachyd.out" && break; sleep 0.1; done
sleep 5
figures 'at rest' 30
export XDG_RUNTIME_DIR=$dir
while sleep 1; do
	for text in 'look left' 'nod' 'wiggle your antennas' 'what time is it'; do
		curl -s -o /dev/null -H 'Content-Type: application/json' "$(cat "$dir/run/http")/api/cmd/chat" -d "{\"text\":\"$text\"}"
	done
done &
pids+=($!)
figures 'in use' 30
figures 'later' 30
kill "$!" "$daemon" 2>/dev/null || true
wait "$!" "$daemon" 2>/dev/null || true

echo '== what reachyd takes of memory and of the processor when it is used for everything, and afterwards'
cross/mixed-use.sh 200 3

bin/reachy-sim --model auto --bus "unix:$dir/bus.sock" --http "$dir/sim.sock" 2>"$dir/sim.log" &
pids+=($!)
for _ in $(seq 100); do [ -S "$dir/bus.sock" ] && break; sleep 0.1; done

echo "== control loop at 100 Hz over the socket bus, idle, $each"
bin/reachy-body --port "unix:$dir/bus.sock" --socket "$dir/body.sock" --bench "$each" 2>>"$dir/body.log"
hogs=()
for _ in $(seq "$(nproc)"); do
	sh -c 'while :; do :; done' &
	pids+=($!)
	hogs+=($!)
done
echo "== the same with every core busy, $each"
bin/reachy-body --port "unix:$dir/bus.sock" --socket "$dir/body.sock" --bench "$each" 2>>"$dir/body.log"
for p in "${hogs[@]}"; do kill "$p" 2>/dev/null || true; done

learn() { # trains in $dir/$1 until it is ended; killed every five seconds, and then goes on with its run by itself
	local trainer start='{"action":"start","task":"look_at_thing","episodes":1000000}'
	trap 'kill -9 "$trainer"; wait "$trainer"; exit' TERM
	while :; do
		rm -f "$dir/$1.sock"
		bin/reachy-learn -dir "$dir/$1" -socket "$dir/$1.sock" 2>>"$dir/learn.log" &
		trainer=$!
		for _ in $(seq 100); do [ -S "$dir/$1.sock" ] && break; sleep 0.1; done
		curl -s --unix-socket "$dir/$1.sock" -H 'Content-Type: application/json' -d "${start-}" http://learn/train |
			grep -Eq 'training|being trained' || echo 'bench: NOT MEASURED: a training does not begin' >&3
		sleep 5 &
		wait $! # a trap waits for a sleep otherwise
		kill -9 "$trainer"
		wait "$trainer"
	done
} 3>&2 2>/dev/null
learners=()
for n in $(seq "$(nproc)"); do
	learn "$n" &
	pids+=($!)
	learners+=($!)
done
sleep 2
echo "== the same with a training on every core, each killed and begun anew every five seconds, $each"
bin/reachy-body --port "unix:$dir/bus.sock" --socket "$dir/body.sock" --bench "$each" 2>>"$dir/body.log"
for p in "${learners[@]}"; do kill "$p" 2>/dev/null || true; done
