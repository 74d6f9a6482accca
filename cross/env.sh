#!/usr/bin/env bash
# Prints the environment in which go finds the native libraries of the cache, for work without make: eval "$(cross/env.sh)"
set -eu
dir=$("$(dirname "$0")/whisper.sh" --print-dir)
echo "export C_INCLUDE_PATH='$dir/include${C_INCLUDE_PATH:+:$C_INCLUDE_PATH}' LIBRARY_PATH='$dir/lib${LIBRARY_PATH:+:$LIBRARY_PATH}'"
