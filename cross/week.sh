#!/usr/bin/env bash
# Leaves a simulated robot alone: mixed use, while in turn the broker goes, the disk fills, the body freezes, the bus is unplugged or
# disturbed and reachyd is killed; every worker is killed each minute. Prints a row a minute and a verdict.
# $1: the Go command, $2: build tags, $3: hours, also as a fraction (0.25), $4: a folder that keeps what the robot has, or empty: the same
# folder again goes on, and adds up hours, facts and losses in its week.json. A piece that is broken off does not count.
set -eu -o pipefail
minutes=$(awk -v h="$3" 'BEGIN { m = int(h * 60); print (m < 6 ? 6 : m) }')
keep=${4:-}
[ -z "$keep" ] || { mkdir -p "$keep"; keep=$(realpath "$keep"); }
REACHYD_WEEK=${minutes}m REACHYD_WEEK_KEEP=$keep "$1" test -tags "$2" -count=1 -timeout "$((minutes * 3 + 60))m" -v -run '^TestAWeekAlone$' ./e2e |
	sed -u -E 's/^ +week_test.go:[0-9]+: //'
