#!/usr/bin/env bash
# The network of the wake phrase: cross/wake.sh speak|train|export|record|eval
#   speak, train, export   make it anew (perception/wake/train/README.md): recordings, MINUTES of training (30; 7 on a GPU), perception/wake/wake.bin.gz
#   eval                   measure it: voices that training never had say PHRASE ("hey reachy") CALLS times each (24) in quiet, noise, a room and babble,
#                          MINUTES (60) of their other speech, people who read; GO is the Go command
# Everything lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/command-model and may be deleted afterwards.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../perception/wake/train
. "$here/voices.sh"
voices
data=$work/wake
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$data"/{train,validation,run}

# part PART SET COUNT FILES: as many files of so many recordings, those that are not there yet.
part() {
	for i in $(seq "$4"); do
		local out=$data/$2/${1//[^a-z]/-}-$i.npz
		[ -f "$out" ] || printf '%s\0' "$1" "$2" "$3" "$i" "$out"
	done | (cd "$scripts" && xargs -0 -r -n 5 -P "${JOBS:-1}" "$python" speak.py)
}

case "${1:-}" in
speak)
	torch
	part espeak validation 400 1
	part kokoro validation 100 1
	part espeak train 900 20
	part flite train 600 15
	part kokoro train 100 12
	;;
train)
	torch
	minutes=${MINUTES:-$("$python" -c 'import torch; print(7 if torch.cuda.is_available() else 30)')}
	few=$("$python" -c 'import torch; print("" if torch.cuda.is_available() else "--batch 32 --reuse 5")')
	(cd "$scripts" && "$python" train.py --data "$data" --out "$data/run" --minutes "$minutes" $few ${START:+--start "$START"} && "$python" judge.py "$data/run/net.pt" "$data/validation" "$data/run/judge.npz")
	;;
export)
	torch
	(cd "$scripts" && "$python" export.py "${NET:-$data/run/net.pt}" ../wake.bin.gz ../testdata/example.json)
	;;
eval)
	go=${GO:-go} phrase=${PHRASE:-hey reachy} calls=${CALLS:-24} minutes=${MINUTES:-60} people=$work/people
	mkdir -p "$people"
	for r in jfk two_cities beckett; do
		[ -f "$people/$r.wav" ] || cp "$here/../../shared/data/$r.wav" "$people/" 2>/dev/null || "$go" run ./agents/eval/hearing -fetch "$r" -data "$people" || echo "eval-wake: without the recording $r"
	done
	set=$data/eval-${phrase// /-}-$calls-$minutes
	if [ ! -f "$set/index.tsv" ]; then
		echo "eval-wake: the voices speak; an hour of it takes about half an hour"
		(cd "$scripts" && "$python" record.py "$phrase" "$calls" "$minutes" "$set.new" "$people" && mv "$set.new" "$set")
	fi
	"$go" run ./perception/wake/eval -phrase "$phrase" ${VERBOSE:+-v} "$set"
	;;
*) fail "usage: $0 speak|train|export|eval" ;;
esac
