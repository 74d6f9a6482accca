#!/usr/bin/env bash
# Shows how the robot learns: a simulated robot practises looking at things, is told in words what people think of it, is tried
# on what it never saw, and draws its curves. Ten minutes at most. Usage: learn-demo.sh [PICTURE.png]
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
picture=${1:-$here/learn-demo.png}
dir=$(mktemp -d)
trap 'kill -TERM "$robot" 2>/dev/null || true; wait "$robot" 2>/dev/null || true; rm -rf "$dir"' EXIT
export XDG_RUNTIME_DIR=$dir REACHYD_SENSE_RUN=never REACHYD_HTTP_LISTEN='' REACHYD_DATA_DIR=$dir/data
"$here/bin/reachyd" --sim >"$dir/out" 2>"$dir/log" &
robot=$!
ctl() { "$here/bin/reachyctl" "$@"; }
say() { printf '\n== %s\n' "$*"; }
for _ in $(seq 600); do grep -q 'is ready' "$dir/out" && break; kill -0 "$robot" || { cat "$dir/log"; exit 1; }; sleep 0.1; done

say '1. The task: bring a thing into the middle of the picture, quickly. 1000 episodes, in simulation; a simulated person judges every third.'
ctl train start --task look_at_thing --episodes 1000 --person simulated --seed 1

say '2. Updates every 10 episodes, an evaluation every 50; the best policy is kept. The robot goes on as before meanwhile.'
ctl say 'look left, then nod' || true
told=0
for _ in $(seq 500); do
	state=$(ctl train status | head -n 1)
	case $state in training*|paused*) ;; *) break ;; esac
	n=$(ctl --json train status | sed 's/.*"episode":\([0-9]*\).*/\1/')
	if [ $((n / 100)) -gt $told ]; then
		told=$((n / 100))
		ctl train status | sed -n 2,3p
	fi
	sleep 1
done

say '3. What it learned, against what the robot does without, on things and places of training.'
ctl train status
ctl train evaluate --tries 300

say '4. The same on things and places that training never showed.'
ctl train evaluate --held-out --tries 300

cp "$dir"/data/learning/runs/look-at-thing-1/curves.png "$picture"
cp "$dir"/data/learning/runs/look-at-thing-1/curve.csv "${picture%.png}.csv"
say "The curves: $picture (and ${picture%.png}.csv)"
