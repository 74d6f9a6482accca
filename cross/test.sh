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
"$go" test -race -timeout 20m -tags "$tags" $("$go" list -tags "$tags" ./... | grep -v '/e2e$')
# Whole robots in real time want the processor for themselves.
"$go" test -race -timeout 20m -tags "$tags" ./e2e
echo "test: all passed"
