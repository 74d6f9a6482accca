#!/usr/bin/env bash
# Builds the Python interpreter of self-made tools when it is missing, for the tests. What hinders that is said in a sentence.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$("$here/python-wasm.sh" --print-dir)
[ -f "$dir/SHA256SUMS" ] && exit 0
echo "test: building the Python interpreter that self-made tools run in (minutes, once)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! nice -n 19 "$here/python-wasm.sh" >"$log" 2>&1; then
	echo "test: the Python interpreter could not be built, so the tests of self-made tools will fail; 'make python' tries again ($(tail -n 1 "$log"))"
fi
