#!/usr/bin/env bash
# Plays every move of our own in the simulation and looks at it: a contact sheet of pictures, and a table of what the joints did.
# usage: cross/moves-sheet.sh DIRECTORY [MOVE...]   the sheets come into DIRECTORY; without MOVE all are played
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
python=$("$here/sdk-venv.sh") # any Python with numpy does; this one is there
"$python" -m pip install -q opencv-python 2>/dev/null
dir=$(mktemp -d)
robot=
finish() {
	[ -z "$robot" ] || { kill "$robot" 2>/dev/null; wait "$robot" || true; }
	rm -rf "$dir"
}
trap finish EXIT
export XDG_RUNTIME_DIR=$dir REACHYD_DATA_DIR=$dir/data REACHYD_MQTT_LISTEN=127.0.0.1:0 REACHYD_HTTP_LISTEN=127.0.0.1:0 REACHYD_IDLE=off
export REACHYD_SENSE_RUN=never PYTHONDONTWRITEBYTECODE=1
"$here/../bin/reachyd" run --sim >"$dir/out" 2>"$dir/log" &
robot=$!
for _ in $(seq 600); do
	grep -q 'is ready' "$dir/out" && break
	sleep 0.1
done
url=$(grep -o '127\.0\.0\.1:[0-9]*$' "$dir/out" | tail -n 1)
[ -n "$url" ] || { echo "moves-sheet: reachyd does not come: $(tail -n 1 "$dir/out" "$dir/log")" >&2; exit 1; }
"$python" "$here/moves-sheet.py" "http://$url" "$dir/reachyd/sim.sock" "$here/../bin/reachyctl" "$out" "$@"
