#!/usr/bin/env bash
# The official JavaScript SDK, unmodified, in Chromium on a page of another site, against a whole simulated robot.
# usage: cross/sdk-javascript.sh [DIRECTORY of ts]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ -n "$("$here/js-sdk.sh" --print)" ] || "$here/js-sdk.sh" "$@" >/dev/null || exit 0 # it has said that it cannot be had
python=$("$here/sdk-venv.sh")
read -r SDK_PORT port <<<"$("$python" -c 'import socket; s = [socket.create_server(("127.0.0.1", 0)) for _ in "ab"]; print(*[x.getsockname()[1] for x in s])')"
export OFFICIAL_PAGE=127.0.0.1:$port REACHYD_HTTP_ORIGINS="[http://127.0.0.1:$port]"
. "$here/sdk-robot.sh"
eval "$("$here/env.sh")"
cd "$here/.."
OFFICIAL_ROBOT=$dir OFFICIAL_PORT=$SDK_PORT "$("$here/go.sh")" test -count=1 -v -timeout 10m ./e2e/official
