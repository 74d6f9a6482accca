#!/usr/bin/env bash
# Prints the build tags that this host can compile: mujoco, opencv and whisper where their headers, libraries and a compiler are there.
set -eu
if command -v cc >/dev/null && printf '#include <mujoco/mujoco.h>\nint main(void){return mj_version()==0;}\n' |
	cc -x c -o /dev/null - -lmujoco 2>/dev/null; then
	echo mujoco
fi
if command -v c++ >/dev/null && pkg-config --exists opencv4 2>/dev/null; then
	echo opencv
fi
if command -v c++ >/dev/null && whisper=$("$(dirname "$0")/whisper.sh" --print-dir) && [ -f "$whisper/include/whisper.h" ]; then
	echo whisper
fi
