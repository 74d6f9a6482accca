#!/usr/bin/env bash
# Prints the newest Python of this host that is at least a version. usage: cross/python-since.sh 3.11
set -eu
for p in python3.13 python3.12 python3.11 python3.10 python3; do
	if "$p" -c "import sys; sys.exit(sys.version_info < tuple(map(int, '$1'.split('.'))))" 2>/dev/null; then
		echo "$p"
		exit 0
	fi
done
echo "Python $1 or newer is needed" >&2
exit 1
