#!/usr/bin/env bash
# Puts Stable-Baselines3, from the Python registry, into a virtual environment of its own (some 5 GB in the user's cache, for torch
# brings CUDA along, which is not used) and lets it learn CartPole and Pendulum beside reachy-learn: the same steps, seeds, networks
# and numbers of environments, one after the other on one core each.
# usage: cross/stable-baselines.sh [--fetch] [SEEDS]   --fetch only fetches. Where it cannot be had it says NOT TESTED and succeeds.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
version=2.9.2
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dir=$cache/stable-baselines3-$version-r1

fetch() {
	python=$("$here/cross/python-since.sh" 3.10) || return 1
	rm -rf "$dir"
	mkdir -p "$cache"
	"$python" -m venv "$dir" &&
		"$dir/bin/pip" install -q --no-compile --no-cache-dir "stable-baselines3==$version" torch==2.15.0 gymnasium==1.4.0 &&
		"$dir/bin/python" -c 'import stable_baselines3' && touch "$dir/complete"
}

if [ ! -f "$dir/complete" ]; then
	echo "fetching Stable-Baselines3 $version into $dir" >&2
	fetch || { rm -rf "$dir"; echo 'NOT TESTED: Stable-Baselines3 could not be had'; exit 0; }
fi
[ "${1:-}" != --fetch ] || exit 0

seeds=${1:-3}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 GOMAXPROCS=1
for only in CartPole-v1 Pendulum-v1; do
	"$here/bin/reachy-learn" classic -seeds "$seeds" -only "$only" -curve "$out/ours-$only.csv" >&2 || true # what is reached, the table says
	"$dir/bin/python" "$here/cross/stable-baselines.py" "$only" "$seeds" >"$out/theirs-$only.csv"
done
"$dir/bin/python" "$here/cross/stable-baselines.py" table "$out"/*.csv
