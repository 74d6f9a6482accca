#!/usr/bin/env bash
# Makes the network anew that reads free wordings (perception/language/frames): vectors of words, sentences that a language model writes
# after the people's, training, export.
# Usage: cross/frames.sh [WRITER…]   with names of writers' files (writer-a) nothing is made: it says how well their sentences are read by
# a network that does not know them, and at which temperature it is as sure as it is right.
# With an NVIDIA GPU and a torch that uses it all is done in SECONDS_OF_GPU (default 400). Without, the language model cannot be trained
# in reasonable time: then the network learns from the people's sentences alone, in ROUNDS (default 20) of half a minute or more each.
# TEMPERATURE (default 1) is written into the network, as a run with writers has found it.
# Needs two models (make models MODELS='minilm smollm2-135m'). Everything lies in
# ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/frames and may be deleted afterwards (about 6 GB, mostly torch).
set -eu -o pipefail

part=frames packages=(wordfreq==3.1.1 tokenizers==0.23.3)
. "$(dirname "$0")/training.sh"
room=$here/perception/language/frames
go build -o "$work/train" ./perception/language/frames/train
train=$room/train
sentences=("$room/sentences" "$room/sentences/unlearned")
"$python" "$train/lines.py" "${sentences[@]}" | "$work/train" tokens >"$work/tokens.json"
"$python" "$train/words.py" "$work/tokens.json" "$work"
if ! cmp -s "$work/words.txt" "$work/words-of-vectors.txt"; then
	echo "frames.sh: vectors of $(wc -l <"$work/words.txt") words (a minute or two)"
	"$work/train" vectors "$minilm" <"$work/words.txt" >"$work/vectors.f32"
	"$python" "$train/press.py" "$work"
	cp "$work/words.txt" "$work/words-of-vectors.txt"
fi
made=()
if "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())'; then
	[ -f "$smollm" ] || fail "there is no $smollm: make models MODELS=smollm2-135m"
	"$python" "$train/teach.py" "$smollm" --sentences "${sentences[@]}" --foreign learner/reward/sentences/*.jsonl agents/rehearsal/testdata/talk.txt \
		--out "$work/made.tsv.gz" --hold "$@" --seconds $((${SECONDS_OF_GPU:-400} * 6 / 10))
	gunzip -c "$work/made.tsv.gz" | cut -f2 | "$work/train" tokens >"$work/made.json"
	made=(--made "$work/made.tsv.gz" "$work/made.json" --seconds $((${SECONDS_OF_GPU:-400} * 4 / 10)))
else
	echo 'frames.sh: there is no GPU: the network learns from the sentences of the writers alone'
fi
"$python" "$train/train.py" "$work/tokens.json" "$work" "$work/checkpoint.pt" --sentences "${sentences[@]}" --rounds "${ROUNDS:-20}" "${made[@]}" --hold "$@"
[ $# -gt 0 ] || "$python" "$train/export.py" "$work/checkpoint.pt" "$room/frames.bin" "${TEMPERATURE:-1}"
