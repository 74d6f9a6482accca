#!/usr/bin/env bash
# Puts the official SDK of the Reachy Mini, from the Python registry, into a virtual environment of its own, for tests and comparisons.
# usage: cross/sdk-venv.sh [--print]   prints the Python of that environment; --print only if it is there already, else nothing
# PyGObject, which needs GStreamer's headers and serves media only, is left out: PYTHONPATH=cmd/reachyctl/internal/apps/media stands in for it.
set -eu
version=1.13.0
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dir=$cache/official-sdk-$version-r1
if [ -f "$dir/complete" ]; then
	echo "$dir/bin/python"
	exit 0
fi
[ "${1:-}" != --print ] || exit 0
python=$("$(dirname "$0")/python-since.sh" 3.11)
mkdir -p "$cache"
exec 9>"$cache/official-sdk.lock"
flock 9
if [ -f "$dir/complete" ]; then # somebody else was fetching it
	echo "$dir/bin/python"
	exit 0
fi
rm -rf "$dir"
trap '[ -f "$dir/complete" ] || rm -rf "$dir"' EXIT
{
	"$python" -m venv "$dir"
	"$dir/bin/pip" install -q --no-deps "reachy-mini==$version"
	"$dir/bin/python" "$(dirname "$0")/../cmd/reachyctl/internal/apps/requirements.py" >"$dir/requirements.txt"
	"$dir/bin/pip" install -q -r "$dir/requirements.txt"
} >&2
touch "$dir/complete"
echo "$dir/bin/python"
