#!/usr/bin/env bash
# Bundles the official JavaScript SDK of the Reachy Mini, unmodified, into one module for tests in a browser, and prints where it is.
# usage: cross/js-sdk.sh [--print | DIRECTORY of ts]   --print only if it is there already, else nothing
# Its library for signing in at Hugging Face, which a robot that is reached directly does not ask for, is left out.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
commit=$(sed -n 's/^exec .* \([0-9a-f]\{12\}\)[0-9a-f]\{28\} .*/\1/p' "$root/cross/official-tree.sh")
out=$cache/js-sdk-${commit:?is not in official-tree.sh}-r1.js
if [ "${1:-}" = --print ]; then
	[ ! -f "$out" ] || echo "$out"
	exit 0
fi
if [ ! -f "$out" ] || [ -n "${1:-}" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	ts=${1:-}
	[ -n "$ts" ] || ts=$("$root/cross/official-tree.sh" "$work/official" ts)
	cp "$root"/daemon/gateway/web/libs/package*.json "$work/"
	(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
	echo 'const none = () => { throw new Error("nobody signs in here"); }; export { none as oauthLoginUrl, none as oauthHandleRedirectIfPresent };' >"$work/hub.js"
	node "$work/node_modules/esbuild/bin/esbuild" "$ts/reachy-mini-sdk.ts" --bundle --format=esm --target=es2022 --log-level=error \
		--alias:@huggingface/hub="$work/hub.js" --outfile="$work/sdk.js"
	mkdir -p "$cache"
	mv "$work/sdk.js" "$out"
fi
echo "$out"
