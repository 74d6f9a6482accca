#!/usr/bin/env bash
# Runs black-box tests of the official repository, unmodified, with the official SDK against reachyd, and prints a table: pass, or the
# reason. usage: cross/sdk-black-box.sh [DIRECTORY of tests/unit_tests]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
commit=70a7c0b12779d5bf5ee17568221f0cab6b2eda4d
python=$("$here/sdk-venv.sh")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tests=${1:-}
if [ -z "$tests" ]; then
	git init -q "$dir/official"
	git -C "$dir/official" fetch -q --depth 1 https://github.com/pollen-robotics/reachy_mini "$commit" || { echo "sdk-black-box: NOT TESTED: the official repository cannot be had" >&2; exit 1; }
	git -C "$dir/official" checkout -q FETCH_HEAD -- tests
	tests=$dir/official/tests/unit_tests
fi
"$python" -m pip install -q scipy pytest pytest-asyncio 2>/dev/null # which they import
export TMPDIR=$dir HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../cmd/reachyctl/internal/apps/media
"$python" "$here/sdk-black-box.py" "$here/../bin" "$tests"
