#!/usr/bin/env bash
# Runs every hostile tool in every sandbox: Python, Python with the real numpy where its pack is installed, JavaScript. $1: the Go command.
# make test runs one in ten of those in Python, because the race detector multiplies the time that starting a worker takes.
set -eu -o pipefail
REACHYD_TEST_ALL_HOSTILE=1 "$1" test -count=1 -timeout 30m -v -run Hostile ./toolsandbox/guest | grep -E '^(---|===.*FAIL|\s+\S+_test.go|ok|FAIL|PASS|panic)'
