#!/usr/bin/env bash
# Makes the weights anew by which words of praise and blame are judged (learner/reward): teachers, sentences that a language model writes
# after the people's, students, export.
# Usage: cross/reward-weights.sh [WRITER]   with the name of a writer's file (writer-1) nothing is made: it says how well that writer's
# sentences are judged by students that do not know them.
# With an NVIDIA GPU and a torch that uses it that takes SECONDS_OF_TRAINING (default 345). Without, the language model cannot be trained in
# reasonable time: then MiniLM is the only teacher, nothing is written after the people's sentences, and what comes out is worse.
# TRY=1 goes through all steps on any processor, in some minutes, with a few sentences: the weights are worth nothing and stay in the cache,
# and the program reads and uses them once.
# Needs two models (make models MODELS='minilm smollm2-135m'); a better judge may be named: JUDGE=FILE.gguf, of the llama family or Qwen 2.5
# (what is in git was judged by Qwen2.5-Coder-0.5B), RATE=4e-5. Everything lies in
# ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/reward and may be deleted afterwards (about 6 GB, mostly torch).
set -eu -o pipefail

part=reward packages=(tokenizers==0.23.3)
. "$(dirname "$0")/training.sh"
room=$here/learner/reward
go build -o "$work/words" ./learner/reward/train
flags=() out=$work/out
[ -z "${JUDGE:-}" ] || [ -f "$JUDGE" ] || fail "JUDGE names $JUDGE, and there is no such file"
if [ -n "${TRY:-}" ]; then
	out=$work/try
	flags=(--few 1 --passes 1 --many 8 --batch 8 --judges 1)
fi
if [ -n "${TRY:-}" ] || "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
	[ -f "$smollm" ] || fail "there is no $smollm: make models MODELS=smollm2-135m"
	flags+=(--smollm "$smollm" --seconds "${SECONDS_OF_TRAINING:-345}")
	[ -z "${JUDGE:-}" ] || flags+=(--judge "$JUDGE" --rate "${RATE:-4e-5}" --judges 2)
else
	echo "reward-weights.sh: there is no GPU: MiniLM alone is the teacher${JUDGE:+, and $JUDGE has no say}"
fi
SMOLLM=$here/perception/language/frames/train "$python" "$room/train/train.py" "$room"/sentences/*.jsonl --minilm "$minilm" --words "$work/words" \
	--out "$out" --hold "${1:-}" "${flags[@]}"
[ $# -eq 0 ] || exit 0
if [ -n "${TRY:-}" ]; then
	"$python" "$room/train/export.py" "$out/network.pt" "$out/layer.pt" "$out"
	printf '{"Replace":{"%s":"%s","%s":"%s"}}' "$room/network.bin" "$out/network.bin" "$room/layer.bin" "$out/layer.bin" >"$out/overlay.json"
	go run -overlay "$out/overlay.json" ./learner/reward/heldout
	exit
fi
"$python" "$room/train/export.py" "$out/network.pt" "$out/layer.pt" "$room"
go run ./learner/reward/train/fit "$room/linear.bin"
