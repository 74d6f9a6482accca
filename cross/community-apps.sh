#!/usr/bin/env bash
# Runs apps that the community wrote for the official daemon, unmodified, by `reachyctl app` against a simulated robot on port 8000, and
# prints a table: what each did, and pass, or the reason. usage: cross/community-apps.sh [NAME...]
# Each is fetched at a fixed commit or version, installed, started, used by its own page, ended by the emergency stop, started again, ended as
# the official dashboard does it, and removed. Moves stand in for the official libraries. One of them needs PortAudio (Debian: apt install
# libportaudio2).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/sdk-venv.sh")
. "$here/sdk-robot.sh"
export REACHYD_APPS=$dir/apps REACHYD_SDK_PYTHON=$python
"$python" "$here/community-apps.py" "$here" "$dir/sources" "$@"
