# To be sourced, with $here (cross) and $python (that has the SDK): starts a simulated robot on port $SDK_PORT, else 8000, where programs of the official SDK
# look for it, in the new directory $dir, and waits until its senses are there. It sees the simulated camera, hears a tone of 500 Hz, and
# what it plays is written to $dir/heard.wav. All ends with the script that sourced this.
# SDK_KEEP=DIRECTORY keeps the log of reachyd and what it played.
dir=$(mktemp -d)
robot= others=
finish() {
	for p in $others $robot; do
		kill "$p" 2>/dev/null || true
	done
	[ -z "$robot" ] || wait "$robot" || true
	[ -z "${SDK_KEEP:-}" ] || cp "$dir/log" "$dir/heard.wav" "$SDK_KEEP"
	rm -rf "$dir"
}
trap finish EXIT
export HF_HOME=$dir/hf HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1
"$python" "$here/stand-in-moves.py" "$HF_HOME" sway simple_nod
export XDG_RUNTIME_DIR=$dir REACHYD_DATA_DIR=$dir/data REACHYD_MQTT_LISTEN=127.0.0.1:0 REACHYD_HTTP_LISTEN=127.0.0.1:${SDK_PORT:=8000} REACHYD_IDLE=off
export REACHYD_SENSE_MICROPHONE=$dir/tone.wav REACHYD_SENSE_SPEAKER=$dir/heard.wav
"$python" "$here/sdk-examples.py" tone "$dir/tone.wav"
start_robot() {
	"$here/../bin/reachyd" run --sim >"$dir/out" 2>"$dir/log" &
	robot=$!
	for _ in $(seq 600); do
		grep -q 'is ready' "$dir/out" && break
		sleep 0.1
	done
	if ! grep -q "127.0.0.1:$SDK_PORT\$" "$dir/out"; then
		echo "$(basename "$0" .sh): reachyd does not come to port $SDK_PORT: $(tail -n 1 "$dir/out" "$dir/log")" >&2
		exit 1
	fi
	# The senses come some seconds later; the simulation, which says that it serves, is there before them.
	for _ in $(seq 600); do
		grep -q '"worker":"sense","status":"running"' "$dir/log" && break
		sleep 0.1
	done
}
start_robot
