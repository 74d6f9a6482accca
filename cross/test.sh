#!/usr/bin/env bash
# Runs every test. $1: the Go command, $2: build tags of this host.
set -eu
go=$1 tags=$2
hostile=${REACHYD_TEST_ALL_HOSTILE:-}
unset REACHYD_TEST_ALL_HOSTILE # all of them run once, below

case " $tags " in
*mujoco*) ;;
*) echo "test: libmujoco-dev is not here, so the physical simulation is not tested; 'make setup' installs it" ;;
esac
case " $tags " in
*whisper*) ;;
*) echo "test: whisper.cpp is not here, so hearing is not tested; 'make whisper' builds it" ;;
esac
here=$(dirname "$0")
echo "test: the looks of each page in a browser and its form of settings are not tested here; 'make test-page' does it"
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
failed=() unstable=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# run NAME COMMAND…: what fails is told at the end, and keeps nothing else from running.
run() {
	local name=$1
	shift
	"$@" || failed+=("$name")
}
# tests NAME PACKAGE…: tests that fail are run again, alone, up to twice; what passes then is told as unstable. A package that broke off,
# or did not build, has failed.
tests() {
	local name=$1 names packages again
	shift
	"$go" test -race -timeout 20m -tags "$tags" "$@" 2>&1 | tee "$log"
	[ "${PIPESTATUS[0]}" -ne 0 ] || return 0
	names=$(sed -n 's/^--- FAIL: \(Test[^ ]*\).*/\1/p' "$log" | sort -u)
	packages=$(sed -n 's/^FAIL\t\([^ \t]*\)\t[0-9.]*s$/\1/p' "$log" | sort -u)
	if [ -n "$names" ] && ! grep -qE '^(panic: |--- FAIL: [^T]|FAIL.*\[(build|setup) failed\]|WARNING: DATA RACE|goleak: |signal: )' "$log"; then
		for again in 1 2; do
			if "$go" test -race -count 1 -timeout 20m -tags "$tags" -run "^($(tr '\n' '|' <<<"$names" | sed 's/|$//'))\$" $packages; then
				unstable+=($names)
				return 0
			fi
		done
	fi
	failed+=("$name")
}
tests packages $("$go" list -tags "$tags" ./... | grep -v '/e2e$')
# Every hostile tool, without the race detector: it multiplies the start of a worker and sees nothing of the guests.
[ -z "$hostile" ] || run 'hostile tools' "$here/test-hostile.sh" "$go"
# Whole robots in real time want the processor for themselves.
tests e2e ./e2e
[ ${#unstable[@]} -eq 0 ] || echo "test: unstable (failed once, then passed alone): ${unstable[*]}"
if [ ${#failed[@]} -gt 0 ]; then
	printf 'test: failed: %s\n' "${failed[*]}"
	exit 1
fi
echo "test: all passed"
