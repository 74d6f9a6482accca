#!/usr/bin/env bash
# Shows the figures of the promises. $1: the Go command, $2: build tags, $3: how long each run of the control loop lasts.
# 1. Go benchmarks of the hot paths. 2. From MQTT to a servo's register. 3. The senses: what they cost and how late they are. 4. The 100 Hz loop
# over the socket bus against the simulated robot: idle, and with every core busy. Figures of one run are comparable with each other, not with those
# of another machine.
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
