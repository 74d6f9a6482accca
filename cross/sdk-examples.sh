#!/usr/bin/env bash
# Runs the examples of the official repository, unmodified, with the official SDK against a simulated robot on port 8000, where they
# look for it, and prints a table: pass, or the reason. usage: cross/sdk-examples.sh [DIRECTORY of examples]
# An example that never ends has passed when it runs for SECONDS_EACH (default 15) without an error. They see the simulated camera, hear a
# tone of 500 Hz, and what they play is written to a file; reachyd-media is in GStreamer's place. What they then have must be that.
# Examples with windows need Xvfb, and one PortAudio (Debian: apt install xvfb libportaudio2). sdk-stand-ins/ is in the place of a joystick and of
# a service on the Internet.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/sdk-venv.sh")
. "$here/sdk-robot.sh"
examples=${1:-}
[ -n "$examples" ] || examples=$("$here/official-tree.sh" "$dir/official" examples) || exit 0 # it has said that they cannot be had
"$python" -m pip install -q scipy opencv-python soundfile sounddevice 2>/dev/null # which some of them import
display=
if command -v Xvfb >/dev/null; then
	Xvfb -displayfd 3 -screen 0 1600x900x24 3>"$dir/display" >/dev/null 2>&1 &
	display=$! others=$!
	for _ in $(seq 100); do
		[ -s "$dir/display" ] && break
		sleep 0.1
	done
	DISPLAY=:$(cat "$dir/display")
	export DISPLAY
fi
mkdir "$dir/work"
cd "$dir/work"
failed=0
for file in "$examples"/*.py; do
	name=$(basename "$file")
	why= with= args= seconds=${SECONDS_EACH:-15} path=$here/../cmd/reachyctl/internal/apps/media
	case $name in
	look_at_image.py | mini_head_position_gui.py) [ -n "$display" ] || why="needs a window: Xvfb is not here" ;;
	custom_media_manager.py) "$python" -c 'import sounddevice' 2>/dev/null || why="needs PortAudio, which is not here" ;;
	sound_play.py) args=--live ;;
	sound_record.py | take_picture.py) seconds=60 ;; # they end by themselves
	sound_tts.py) with=", a stand-in for the service that makes the voice" path=$path:$here/sdk-stand-ins seconds=60 ;;
	joy_controller.py) with=", a stand-in for the joystick" path=$path:$here/sdk-stand-ins ;;
	reachy_compliant_demo.py) with=", but the head stays stiff: gravity compensation is refused" ;;
	rerun_viewer.py) why="needs a graphics processor for its viewer, and the packages rerun-sdk and placo (1.2 GB)" ;;
	esac
	if [ -n "$why" ]; then
		printf '%-36s not run: %s\n' "$name" "$why"
		continue
	fi
	code=0
	PYTHONPATH=$path PYTHONUNBUFFERED=1 "$python" "$here/sdk-examples.py" run "$seconds" "$dir/log" \
		"$python" "$file" $args >"$dir/example" 2>&1 </dev/null || code=$?
	wrong=
	case $code in
	0 | 124) wrong=$("$python" "$here/sdk-examples.py" judge "$name" "$dir/heard.wav" 2>&1 >/dev/null) || wrong=${wrong:-it left nothing} ;;
	esac
	if [ -n "$wrong" ]; then
		printf '%-36s FAIL: %s\n' "$name" "$(echo "$wrong" | tail -n 1)"
		failed=1
	elif [ "$code" = 0 ]; then
		printf '%-36s pass: ended by itself%s\n' "$name" "$with"
	elif [ "$code" = 124 ] && ! grep -q '^[A-Za-z.]*\(Error\|Exception\):' "$dir/example"; then
		printf '%-36s pass: ran for %s s%s\n' "$name" "$seconds" "$with"
	else
		printf '%-36s FAIL (%s): %s\n' "$name" "$code" "$(tail -n 1 "$dir/example")"
		failed=1
	fi
done
exit $failed
