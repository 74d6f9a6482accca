#!/usr/bin/env bash
# Runs every test. $1: the Go command, $2: build tags of this host.
set -eu
go=$1 tags=$2

case " $tags " in
*mujoco*) ;;
*) echo "test: libmujoco-dev is not here, so the physical simulation is not tested; 'make setup' installs it" ;;
esac
case " $tags " in
*whisper*) ;;
*) echo "test: whisper.cpp is not here, so hearing is not tested; 'make whisper' builds it" ;;
esac
here=$(dirname "$0")
"$here/python-for-tests.sh"
if [ ! -x "$("$here/ollama.sh" --print)" ]; then
	echo "test: building the Ollama server that the language-model client is tested against (ten minutes, once)"
	"$here/ollama.sh" >/dev/null || echo "test: there is no Ollama server, so the tests that need one are skipped; 'make ollama' tries again"
fi
# The pure Go programs must build without a C compiler, also for the robot.
CGO_ENABLED=0 GOOS=linux GOARCH=arm64 "$go" build -o /dev/null ./cmd/reachyd
CGO_ENABLED=0 GOOS=linux GOARCH=arm64 "$go" build -o /dev/null ./cmd/reachyctl
CGO_ENABLED=0 GOOS=linux GOARCH=arm64 "$go" build -o /dev/null ./cmd/reachy-body
CGO_ENABLED=0 "$go" build -o /dev/null ./cmd/reachy-sim
failed=()
# run NAME COMMAND…: what fails is told at the end, and keeps nothing else from running.
run() {
	local name=$1
	shift
	"$@" || failed+=("$name")
}
run packages "$go" test -race -timeout 20m -tags "$tags" $("$go" list -tags "$tags" ./... | grep -v '/e2e$')
# Every hostile tool, without the race detector: it multiplies the start of a worker and sees nothing of the guests.
[ -z "${REACHYD_TEST_ALL_HOSTILE:-}" ] || run 'hostile tools' "$here/test-hostile.sh" "$go"
# Whole robots in real time want the processor for themselves.
run e2e "$go" test -race -timeout 20m -tags "$tags" ./e2e
if [ ${#failed[@]} -gt 0 ]; then
	printf 'test: failed: %s\n' "${failed[*]}"
	exit 1
fi
echo "test: all passed"
