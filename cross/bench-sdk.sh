#!/usr/bin/env bash
# The official daemon and reachyd side by side, in one run on one host: the same script with the official SDK, the same simulated servos
# behind a serial line. Prints a table. usage: cross/bench-sdk.sh [DIRECTORY of the built programs]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "${1:-$here/../bin}" && pwd)
python=$("$here/sdk-venv.sh")
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../cmd/reachyctl/internal/apps/media
exec "$python" "$here/bench-sdk.py" "$bin"
