#!/usr/bin/env bash
# Makes the network anew that guesses kinds of small talk (agents/smalltalk/guess), five minutes of a core, after perception/language/frames.
# Usage: cross/kinds.sh [WRITER…]   with names of writers' files (writer-a) nothing is made: it says how well their sentences are guessed
# by a network that does not know them, and how many of its answers are right at which threshold.
# The environment of Python is that of cross/frames.sh, in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/frames.
set -eu -o pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
work=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/frames
fail() { echo "kinds.sh: $*" >&2; exit 1; }

mkdir -p "$work"
exec 9>"$work/lock"
flock 9
python=$work/venv/bin/python
[ -x "$python" ] || python3 -m venv "$work/venv" || fail "python3 has no venv (apt-get install python3-venv)"
"$python" -c 'import torch, numpy' 2>/dev/null || "$work/venv/bin/pip" install -q torch==2.15.0 numpy || fail "pip could not install torch and numpy"

cd "$here"
room=agents/smalltalk/guess
go build -o "$work/tokenizer" "./$room/train"
"$python" "$room/train/train.py" . "$work/tokenizer" "$work/guess.bin" --hold "$@"
[ $# -gt 0 ] || cp "$work/guess.bin" "$room/guess.bin"
