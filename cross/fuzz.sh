#!/usr/bin/env bash
# Fuzzes every fuzz target for a while. $1: the Go command, $2: time each.
set -eu
go=$1 each=$2
git grep -nE '^func Fuzz[A-Z]\w*\(' -- '*_test.go' | sed -E 's/^(.*)\/[^/]*:[0-9]+:func (Fuzz[A-Za-z0-9_]*).*/\1 \2/' | while read -r dir target; do
	echo "fuzz $dir $target"
	"$go" test -run '^$' -fuzz "^$target\$" -fuzztime "$each" "./$dir"
done
