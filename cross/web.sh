#!/usr/bin/env bash
# Fetches the libraries of the page at / with npm, each as daemon/gateway/web/libs/package-lock.json has its checksum, bundles them into the
# user's cache and puts them where reachyd embeds them. Without npm or a registry reachyd is built without them, and its page says so.
#   cross/web.sh              fetch what is missing; says what it did
#   cross/web.sh --print-dir  print where the bundles are kept
set -eu
cd "$(dirname "$0")/.."
here=daemon/gateway/web
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
key=$(cat $here/libs/* cross/web.sh | sha256sum | cut -c1-16)
dir=$cache/web-$key
[ "${1:-}" = --print-dir ] && { echo "$dir"; exit 0; }
put() {
	for f in "$dir"/*.gz; do
		cmp -s "$f" "$here/vendor/${f##*/}" || cp "$f" "$here/vendor/"
	done
}
if [ ! -f "$dir/axe.js" ]; then
	command -v npm >/dev/null || { echo "web.sh: there is no npm; the page at / will lack its drawing, its curves and its editor" >&2; exit 0; }
	mkdir -p "$cache"
	exec 9>"$cache/web.lock" # one at a time
	flock 9
	work=$(mktemp -d "$cache/web-new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	cp $here/libs/* "$work/"
	(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) ||
		{ echo "web.sh: the libraries of the page cannot be had; the page at / will lack its drawing, its curves and its editor" >&2; exit 0; }
	mkdir "$work/out"
	for entry in three chart editor; do
		(cd "$work" && node node_modules/esbuild/bin/esbuild $entry.js --bundle --minify --format=esm --target=es2022 --legal-comments=eof \
			--log-level=error --outfile=out/$entry.js)
	done
	cp "$work/node_modules/uplot/dist/uPlot.min.css" "$work/out/chart.css"
	for f in "$work"/out/*; do gzip -9n "$f"; done
	cp "$work/node_modules/axe-core/axe.min.js" "$work/out/axe.js" # for tests
	rm -rf "$dir"
	mv "$work/out" "$dir"
fi
put
