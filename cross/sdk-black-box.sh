#!/usr/bin/env bash
# Runs black-box tests of the official repository, unmodified, with the official SDK against reachyd, and prints a table: pass, or the
# reason. usage: cross/sdk-black-box.sh [DIRECTORY of tests/unit_tests]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/sdk-venv.sh")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tests=${1:-}
[ -n "$tests" ] || tests=$("$here/official-tree.sh" "$dir/official" tests)/unit_tests || exit 0 # it has said that they cannot be had
"$python" -m pip install -q scipy pytest pytest-asyncio 2>/dev/null # which they import
export TMPDIR=$dir HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../cmd/reachyctl/internal/apps/media
"$python" "$here/sdk-black-box.py" "$here/../bin" "$tests"
