#!/usr/bin/env bash
# Runs what owners' scripts do with the official SDK, right and wrong, against a whole simulated robot, and prints a table: pass, or the reason.
# usage: cross/sdk-owner.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/sdk-venv.sh")
export SDK_PORT=${SDK_PORT:-$("$python" -c 'import socket; print(socket.create_server(("127.0.0.1", 0)).getsockname()[1])')}
. "$here/sdk-robot.sh"
PYTHONPATH=$here/../cmd/reachyctl/internal/apps/media "$python" "$here/sdk-owner.py" "$SDK_PORT" "$dir/restart" &
others=$!
while kill -0 "$others" 2>/dev/null; do
	if [ -e "$dir/restart" ]; then
		kill "$robot"
		wait "$robot" || true
		start_robot
		rm "$dir/restart"
	fi
	sleep 0.1
done
code=0
wait "$others" || code=$?
others=
exit "$code"
