# Sourced by scripts that fetch an interpreter of self-made tools into the user's cache:
#	. "$(dirname "$0")/fetch.sh"
#	begin NAME FOLDER "$@"   prints FOLDER's place and ends the script when it is there already, or for --print-dir; else $work is empty
#	have FILE                whether FILE was put into the cache or ../shared/data; it lies in $work then
#	check SUM FILE           FILE in $work is the one that the script was written for, or the script fails
#	finish                   $work/new becomes FOLDER, with the checksums of all its files in SHA256SUMS
# shellcheck shell=sh

cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}

fail() { echo "${0##*/}: $*" >&2; exit 1; }

begin() {
	dest=$cache/$2
	[ "${3:-}" = --print-dir ] && { echo "$dest"; exit 0; }
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock" # one at a time
	flock 9
	[ -f "$dest/SHA256SUMS" ] && (cd "$dest" && sha256sum --quiet -c SHA256SUMS) && { echo "$dest"; exit 0; }
	work=$(mktemp -d "$cache/$1-new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
}

have() {
	for place in "$cache" "$(dirname "$0")/../../shared/data"; do
		[ -f "$place/$1" ] && cp "$place/$1" "$work/" && return
	done
	return 1
}

check() {
	echo "$1  $work/$2" | sha256sum --quiet -c - || fail "$2 is not the file this script was written for"
}

finish() {
	(cd "$work/new" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
	rm -rf "$dest"
	mv "$work/new" "$dest"
	echo "$dest"
}
