#!/usr/bin/env bash
# Renders the picture of the README: the simulated robot, awake at its table, from the studio camera.
set -eu
dir=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; rm -rf "$dir"' EXIT
export XDG_RUNTIME_DIR=$dir REACHYD_DATA_DIR=$dir/data REACHYD_MQTT_LISTEN=127.0.0.1:0 REACHYD_HTTP_LISTEN=
bin/reachyd run --sim >"$dir/out" 2>"$dir/log" &
pid=$!
for _ in $(seq 300); do
	grep -q 'is ready' "$dir/out" && break
	sleep 0.1
done
bin/reachyctl wake
bin/reachyctl tool call move_head yaw=20 pitch=5 roll=-8
bin/reachyctl tool call set_antennas left=35 right=-15
mkdir -p docs
bin/reachyctl sim picture docs/robot.jpg
