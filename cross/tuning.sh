#!/usr/bin/env bash
# Tunes Whisper tiny.en to what is said to the robot in noise and in rooms: recordings, training, export into perception/stt/tuning.
# Usage: cross/tuning.sh [speak|train|export]   (all of them without an argument; each goes on where it was stopped)
# MINUTES is the time for training: 90 on one core, 7 on a GPU (CUDA), where Kokoro speaks as well. JOBS: how many synthesisers speak at
# once (1), MORE: times as many recordings (1). Debian's package fortunes, if it is there, gives more sentences to read. Everything lies in
# ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/command-model and may be deleted afterwards. The synthesisers are those of
# cross/command-model.sh; nothing of them is in the file or in git.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../perception/stt/tuning
. "$here/voices.sh"
data=$work/tuning
export PYTHONPATH=$here/../perception/stt/train PYTHONDONTWRITEBYTECODE=1

mkdir -p "$work"/{voices/kokoro,fetch} "$data"/{train,validation,run}
exec 9>"$data/lock"
flock 9

prepare() {
	voices
	torch
	minutes=${MINUTES:-$("$python" -c 'import torch; print(7 if torch.cuda.is_available() else 90)')}
	[ -f "$cache/models/ggml-tiny.en.bin" ] || (cd "$here/.." && go run ./cmd/reachyctl models pull tiny.en --dir "$cache/models")
}

# part PART SET COUNT FILES: as many files of so many recordings, those that are not there yet.
part() {
	for i in $(seq "$4"); do
		local out=$data/$2/${1//[^a-z]/-}-$i.npz
		[ -f "$out" ] || printf '%s\0' "$1" "$2" "$3" "$i" "$out"
	done | (cd "$scripts" && xargs -0 -r -n 5 -P "${JOBS:-1}" "$python" speak.py)
}

speak() {
	part espeak validation 60 1
	part kokoro validation 60 1
	local more=${MORE:-1}
	part espeak train 350 $((20 * more))
	part flite train 200 $((16 * more))
	part festival:ked_diphone train 200 3
	part festival:cmu_us_slt_arctic_hts train 200 3
	part kokoro train 100 $((12 * more))
}

train() { (cd "$scripts" && "$python" tune.py --base "$cache/models/ggml-tiny.en.bin" --data "$data" --out "$data/run" --minutes "$minutes"); }
export_() { (cd "$scripts" && "$python" export.py "$cache/models/ggml-tiny.en.bin" whisper-tuning.bin.gz "$data/run/checkpoint.pt"); }

prepare
case "${1:-all}" in
speak | train) "$1" ;;
export) export_ ;;
all) speak && train && export_ ;;
*) fail "usage: $0 [speak|train|export]" ;;
esac
