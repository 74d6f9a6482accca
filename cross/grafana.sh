#!/usr/bin/env bash
# Reads docs/grafana.json as Grafana's own library does, strictly (the server itself cannot be had from a package registry), then lets a
# real Prometheus scrape a simulated robot that is in use, and asks it every query of every panel. What cannot be had is NOT TESTED.
# usage: cross/grafana.sh GO   bin/ must be built
set -eu
here=$(cd "$(dirname "$0")" && pwd)
untested() { echo "grafana: NOT TESTED: $*" >&2; exit 0; }
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$here/grafana" && "$1" mod download >/dev/null 2>&1) || untested "Grafana's library cannot be had"
(cd "$here/grafana" && "$1" run . "$here/../docs/grafana.json") >"$work/queries.json"
prometheus=$(command -v prometheus || true)
if [ -z "$prometheus" ]; then
	dir=$cache/prometheus
	prometheus=$dir/usr/bin/prometheus
	if [ ! -x "$prometheus" ]; then # apt has checked its signature
		(cd "$work" && apt-get download -q prometheus >/dev/null 2>&1) || untested "Debian's package prometheus cannot be had (apt-get update?)"
		mkdir -p "$dir" && dpkg -x "$work"/prometheus_*.deb "$dir"
	fi
fi
python3 "$here/grafana.py" "$here/../bin" "$prometheus" "$work/queries.json"
