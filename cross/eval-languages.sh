#!/usr/bin/env bash
# Measures whether it is known which language somebody speaks, where only English is understood: sentences of six languages by two voices
# each (perception/stt/train/languages.txt) are heard as reachy-sense hears them, with Whisper base. $1: the Go command.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/voices.sh"
voices
cd "$here/.."
"$1" run ./cmd/reachyctl models pull base-q8_0 --dir "$cache/models" >/dev/null
eval "$(cross/env.sh)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk -F ' *[|] *' '/^#/ || !NF {next} NF > 1 {l = $1; a = $2; b = $3; next} {print l "\t" a "\t" $0; print l "\t" b "\t" $0}' \
	perception/stt/train/languages.txt >"$dir/index.tsv"
cut -f 2- "$dir/index.tsv" | "$python" perception/stt/train/lines.py "$work/lines" "$dir"
REACHYD_LANGUAGES=$dir REACHYD_SPEECH_BASE=$cache/models/ggml-base-q8_0.bin "$1" test -tags "$(cross/tags.sh | tr '\n' ' ')" -run '^$' -bench KnownLanguages -benchtime 1x ${VERBOSE:+-v} ./cmd/reachy-sense
