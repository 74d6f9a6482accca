#!/usr/bin/env bash
# Fuzzes every fuzz target for a while. $1: the Go command, $2: time each.
set -eu
go=$1 each=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
bad=0
while read -r dir target; do
	if "$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$each" -fuzzminimizetime 1s "./$dir" >"$log" 2>&1; then
		echo "ok    $dir $target: $(grep -o 'execs: [0-9]*' "$log" | tail -n 1)"
	# Go sometimes reports its own end of time as a failure; a real one names its input.
	elif grep -q 'context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then
		echo "ok    $dir $target: time is over"
	else
		echo "FAIL  $dir $target"
		cat "$log"
		bad=1
	fi
done < <(git grep -nE '^func Fuzz[A-Z]\w*\(' -- '*_test.go' | sed -E 's/^(.*)\/[^/]*:[0-9]+:func (Fuzz[A-Za-z0-9_]*).*/\1 \2/')
exit $bad
