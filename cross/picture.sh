#!/usr/bin/env bash
# Renders the picture of the README: the simulated robot, awake at its table, from the studio camera.
set -eu
dir=$(mktemp -d)
trap 'kill "$sim" 2>/dev/null; wait "$sim" 2>/dev/null; rm -rf "$dir"' EXIT
bin/reachy-sim --model mujoco --bus "unix:$dir/bus.sock" --http "$dir/sim.sock" >"$dir/log" 2>&1 &
sim=$!
for _ in $(seq 100); do
	curl -sf --unix-socket "$dir/sim.sock" http://sim/healthz >/dev/null && break
	sleep 0.1
done
mkdir -p docs
curl -sf --unix-socket "$dir/sim.sock" -o docs/robot.jpg 'http://sim/frame.jpg?camera=studio_close&width=640&height=480'
echo "docs/robot.jpg: $(stat -c %s docs/robot.jpg) bytes"
