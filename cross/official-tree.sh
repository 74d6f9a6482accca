#!/usr/bin/env bash
# Fetches a folder of the official repository, at the commit that our checks were written for, and prints where it is.
# usage: cross/official-tree.sh DIRECTORY FOLDER   FOLDER of the repository comes to lie in DIRECTORY
set -eu
commit=70a7c0b12779d5bf5ee17568221f0cab6b2eda4d
git init -q "$1"
git -C "$1" fetch -q --depth 1 https://github.com/pollen-robotics/reachy_mini "$commit" || { echo "NOT TESTED: the official repository cannot be had" >&2; exit 1; }
git -C "$1" checkout -q FETCH_HEAD -- "$2"
echo "$1/$2"
