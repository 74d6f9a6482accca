#!/usr/bin/env bash
# Makes the network anew that reads free wordings (perception/language/frames): vectors of words, training, export.
# Usage: cross/frames.sh [WRITER]   with the name of a writer's file (writer-a) nothing is made: it says how well that writer's sentences
# are read by a network that does not know them. ROUNDS (default 20) is the time for training, about half a minute each.
# Needs the model of sentences (make models MODELS=minilm). Everything lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/frames
# and may be deleted afterwards (about 6 GB, mostly torch).
set -eu -o pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
room=$here/perception/language/frames
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
work=$cache/frames
model=$cache/models/all-minilm-l6-v2-int8.safetensors
fail() { echo "frames.sh: $*" >&2; exit 1; }

[ -f "$model" ] || fail "there is no $model: make models MODELS=minilm"
mkdir -p "$work"
exec 9>"$work/lock"
flock 9
python=$work/venv/bin/python
[ -x "$python" ] || python3 -m venv "$work/venv" || fail "python3 has no venv (apt-get install python3-venv)"
"$python" -c 'import torch, numpy, wordfreq' 2>/dev/null ||
	"$work/venv/bin/pip" install -q torch==2.15.0 numpy wordfreq==3.1.1 || fail "pip could not install torch, numpy and wordfreq"

cd "$here"
go build -o "$work/train" ./perception/language/frames/train
cat "$room"/sentences/writer-*.txt | sed 's/ => [^=]*$//' | "$work/train" tokens >"$work/tokens.json"
"$python" "$room/train/words.py" "$work/tokens.json" >"$work/words.txt"
if ! cmp -s "$work/words.txt" "$work/words-of-vectors.txt"; then
	echo "frames.sh: vectors of $(wc -l <"$work/words.txt") words (a minute)"
	"$work/train" vectors "$model" <"$work/words.txt" >"$work/vectors.f32"
	cp "$work/words.txt" "$work/words-of-vectors.txt"
fi
set -- ${1:+--hold "$1"}
"$python" "$room/train/train.py" "$room/sentences" "$work/tokens.json" "$work" "$work/checkpoint.pt" --rounds "${ROUNDS:-20}" "$@"
[ $# -gt 0 ] || "$python" "$room/train/export.py" "$work/checkpoint.pt" "$room/frames.bin.gz"
