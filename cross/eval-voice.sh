#!/usr/bin/env bash
# Measures hearing with real weights: writes sentences with five synthesisers (espeak-ng, flite, festival, Kokoro, Piper), clean, in noise,
# in a room and in babble, adds recordings of people, and has bin/reachy-sense hear all of it. $1: the Go command. SET=judge (default) has
# voices and sentences that nothing was tuned on, SET=exam more of them (150 sentences of their own), SET=exam-2 142 others by another writer,
# SET=exam-3 a third writer's, SET=tune the others,
# SET=calibrate voices that the tuning of Whisper has not heard; COUNT sentences, EVERY: only every so many recordings, THREADS; ONLY=babble,stop: only
# recordings of these kinds and conditions.
# MINUTES (15) after which no other recording is begun: they come in an order of which any part is a fair sample. SPEECH=built-in: that model alone. UNTUNED=1: tiny.en as published.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/voices.sh"
voices
go=$1 set=${SET:-judge} count=${COUNT:-$([[ "${SET:-}" = exam* ]] && echo 150 || echo 60)}
"$go" run ./cmd/reachyctl models pull tiny.en-q8_0 --dir "$cache/models" >/dev/null
"$go" run ./cmd/reachyctl models pull silero-v6.2.0 --dir "$cache/models" >/dev/null
people=$work/people
mkdir -p "$people"
for r in jfk two_cities beckett; do
	[ -f "$people/$r.wav" ] || cp "$here/../../shared/data/$r.wav" "$people/" 2>/dev/null || "$go" run ./agents/eval/hearing -fetch "$r" -data "$people" || echo "eval-voice: without the recording $r"
done
data=$work/eval-$set-$count
[ -f "$data/index.tsv" ] || (cd "$here/../perception/stt/train" && "$python" evaluate.py "$set" "$count" "$data.new" "$people" && mv "$data.new" "$data")
"$go" run ./agents/eval/hearing -data "$data" -threads "${THREADS:-2}" -every "${EVERY:-1}" -budget "${MINUTES:-15}m" \
	-only "${ONLY:-}" -speech "${SPEECH:-}" ${UNTUNED:+-untuned} ${VERBOSE:+-v}
