#!/usr/bin/env bash
# Runs the examples of the official repository, unmodified, with the official SDK against a simulated robot on port 8000, where they
# look for it, and prints a table: pass, or the reason. usage: cross/sdk-examples.sh [DIRECTORY of examples]
# An example that never ends has passed when it runs for SECONDS (default 15) without an error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
commit=70a7c0b12779d5bf5ee17568221f0cab6b2eda4d
python=$("$here/sdk-venv.sh")
dir=$(mktemp -d)
robot=
trap '[ -z "$robot" ] || { kill "$robot"; wait "$robot" || true; }; rm -rf "$dir"' EXIT
examples=${1:-}
if [ -z "$examples" ]; then
	git init -q "$dir/official"
	git -C "$dir/official" fetch -q --depth 1 https://github.com/pollen-robotics/reachy_mini "$commit" || { echo "sdk-examples: NOT TESTED: the official repository cannot be had" >&2; exit 1; }
	git -C "$dir/official" checkout -q FETCH_HEAD -- examples
	examples=$dir/official/examples
fi
"$python" -m pip install -q scipy 2>/dev/null # which some of them import
# Two moves stand in for the official libraries, which come from elsewhere; they lie where Hugging Face's programs keep such.
export HF_HOME=$dir/hf HF_HUB_OFFLINE=1
"$python" - <<-'EOF'
	import json, math, os
	for name in ("emotions", "dances"):
	    repo = os.path.join(os.environ["HF_HOME"], "hub", f"datasets--pollen-robotics--reachy-mini-{name}-library")
	    os.makedirs(os.path.join(repo, "refs"))
	    os.makedirs(os.path.join(repo, "snapshots", "0" * 40))
	    open(os.path.join(repo, "refs", "main"), "w").write("0" * 40)
	    time = [i * 0.02 for i in range(100)]
	    def frame(t):
	        s, c = math.sin(0.3 * math.sin(math.pi * t)), math.cos(0.3 * math.sin(math.pi * t))
	        return {"head": [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]], "antennas": [s, -s], "body_yaw": 0.0, "check_collision": False}
	    move = {"description": "sways", "time": time, "set_target_data": [frame(t) for t in time]}
	    json.dump(move, open(os.path.join(repo, "snapshots", "0" * 40, "sway.json"), "w"))
EOF
export XDG_RUNTIME_DIR=$dir REACHYD_DATA_DIR=$dir/data REACHYD_MQTT_LISTEN=127.0.0.1:0 REACHYD_HTTP_LISTEN=127.0.0.1:8000 REACHYD_SENSE_RUN=never REACHYD_IDLE=off
bin/reachyd run --sim >"$dir/out" 2>"$dir/log" &
robot=$!
for _ in $(seq 300); do
	grep -q 'is ready' "$dir/out" && break
	sleep 0.1
done
grep -q '127.0.0.1:8000$' "$dir/out" || { echo "sdk-examples: port 8000 is taken by another program" >&2; exit 1; }
failed=0
for file in "$examples"/*.py; do
	name=$(basename "$file")
	case $name in
	look_at_image.py | sound_play.py | sound_record.py | take_picture.py) why="needs camera or sound through GStreamer 1.24 and PyGObject" ;;
	custom_media_manager.py) why="opens camera and sound card by itself (OpenCV, sounddevice), beside the SDK" ;;
	sound_tts.py) why="asks a service on the Internet for a voice and needs GStreamer" ;;
	joy_controller.py) why="needs a joystick (pygame)" ;;
	mini_head_position_gui.py) why="needs a window (tkinter)" ;;
	rerun_viewer.py) why="needs the program rerun and downloads meshes" ;;
	*) why= ;;
	esac
	if [ -n "$why" ]; then
		printf '%-36s not run: %s\n' "$name" "$why"
		continue
	fi
	code=0
	PYTHONPATH=$here/../cmd/reachyctl/internal/apps/media PYTHONUNBUFFERED=1 timeout -s INT "${SECONDS_EACH:-15}" "$python" "$file" >"$dir/example" 2>&1 </dev/null || code=$?
	if [ "$code" = 0 ]; then
		printf '%-36s pass: ended by itself\n' "$name"
	elif [ "$code" = 124 ] && ! grep -q '^[A-Za-z.]*\(Error\|Exception\):' "$dir/example"; then
		printf '%-36s pass: ran for %s s\n' "$name" "${SECONDS_EACH:-15}"
	else
		printf '%-36s FAIL (%s): %s\n' "$name" "$code" "$(tail -n 1 "$dir/example")"
		failed=1
	fi
done
exit $failed
