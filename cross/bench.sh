#!/usr/bin/env bash
# Shows the figures of the promises. $1: the Go command, $2: build tags, $3: how long each run of the control loop lasts.
# 1. Go benchmarks of the hot paths. 2. From MQTT to a servo's register. 3. Hearing: what it costs and how late it is. 4. The 100 Hz loop over the socket
# bus against the simulated robot: idle, and with every core busy. Figures of one run are comparable with each other, not with those of another machine.
set -eu
go=$1 tags=$2 each=$3

echo '== benchmarks'
"$go" test -run '^$' -bench . -benchmem -benchtime 200ms -tags "$tags" \
	./hal/... ./agents/... ./daemon/... 2>&1 | grep -E '^(Benchmark|ok|FAIL|---)' | grep -v 'no test files'

echo '== from MQTT to the register of a servo: a target, and the emergency stop'
"$go" test -run '^$' -bench ToBus -benchtime 20x ./e2e 2>&1 | grep -E '^(Benchmark|ok|FAIL|---)'

case " $tags " in
*whisper*)
	echo '== from the last word to its text (ms): whisper.cpp as it comes, and as reachyd uses it; random weights as large as tiny.en'
	"$go" test -run '^$' -bench 'EndOfSpeech|Prompt' -benchtime 7x -timeout 30m -tags "$tags" ./perception/stt 2>&1 | grep -E '^(Benchmark|ok|FAIL|---)'
	echo '== voice activity: cost, and sentences found in noise'
	"$go" test -run '^$' -bench 'Silero|Energy' -tags "$tags" ./perception/vad 2>&1 | grep -E '^(Benchmark|ok|FAIL|---)'
	"$go" test -run '^$' -bench InNoise -benchtime 1x -tags "$tags" ./perception/vad 2>&1 | grep -E '^(Benchmark|ok|FAIL|---)'
	;;
esac

dir=$(mktemp -d)
pids=()
finish() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	for p in "${pids[@]}"; do wait "$p" 2>/dev/null || true; done
	rm -rf "$dir"
}
trap finish EXIT
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
