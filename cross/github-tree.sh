#!/usr/bin/env bash
# Fetches a folder of a repository on GitHub at a commit, and prints where it is.
# usage: cross/github-tree.sh DIRECTORY OWNER/NAME COMMIT FOLDER   FOLDER (. for all of it) comes to lie in DIRECTORY
# GITHUB_MIRROR names another place that has repositories by OWNER/NAME, such as a copy on a host without network: file:///srv/git
set -eu
git init -q "$1"
git -C "$1" remote add origin "${GITHUB_MIRROR:-https://github.com}/$2"
# Only the files of that folder: some repositories have large ones elsewhere.
git -C "$1" fetch -q --depth 1 --filter=blob:none origin "$3" 2>/dev/null || { echo "NOT TESTED: $2 cannot be had" >&2; exit 1; }
git -C "$1" checkout -q FETCH_HEAD -- "$4"
echo "$1/$4"
