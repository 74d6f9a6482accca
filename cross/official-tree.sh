#!/usr/bin/env bash
# Fetches a folder of the official repository, at the commit that our checks were written for, and prints where it is.
# usage: cross/official-tree.sh DIRECTORY FOLDER   FOLDER of the repository comes to lie in DIRECTORY
set -eu
exec "$(dirname "$0")/github-tree.sh" "$1" pollen-robotics/reachy_mini 70a7c0b12779d5bf5ee17568221f0cab6b2eda4d "$2"
