#!/usr/bin/env bash
# Prints the Go command to build with: the one on PATH if it is new enough to fetch the version that go.mod names
# (1.21 or later does), else the pinned toolchain, fetched once through the module mechanism of the distribution's Go.
set -eu
cd "$(dirname "$0")/.."
want=$(awk '$1=="go"{print $2}' go.mod)
cache="${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/go-$want"

new_enough() { # $1: a go command
	local v
	v=$("$1" env GOVERSION 2>/dev/null) || return 1
	v=${v#go}
	[ "$(printf '%s\n1.21\n' "$v" | sort -V | head -n 1)" = 1.21 ]
}

for go in "$(command -v go || true)" /usr/local/go/bin/go "$cache/bin/go"; do
	if [ -n "$go" ] && [ -x "$go" ] && new_enough "$go"; then
		echo "$go"
		exit 0
	fi
done

# Debian 12 ships Go 1.19, which cannot switch toolchains by itself but can fetch the toolchain as a module.
old=$(command -v go || true)
if [ -z "$old" ]; then
	"$(dirname "$0")/setup.sh" go >&2 || true
	old=$(command -v go || true)
	if [ -n "$old" ] && new_enough "$old"; then
		echo "$old"
		exit 0
	fi
fi
if [ -z "$old" ]; then
	echo "reachyd: no Go compiler here and none could be installed; install Go $want and try again" >&2
	exit 1
fi
case "$(uname -m)" in
x86_64) arch=amd64 ;;
aarch64) arch=arm64 ;;
*) echo "reachyd: no pinned Go for $(uname -m); install Go $want yourself" >&2; exit 1 ;;
esac
echo "reachyd: fetching Go $want" >&2
dir=$(cd / && GOFLAGS=-mod=mod "$old" mod download -json "golang.org/toolchain@v0.0.1-go$want.linux-$arch" | sed -n 's/^.*"Dir": "\(.*\)".*$/\1/p')
if [ -z "$dir" ]; then
	echo "reachyd: Go $want could not be fetched (no network?); install it and try again" >&2
	exit 1
fi
mkdir -p "$cache.part"
cp -r "$dir/." "$cache.part/"
chmod -R u+w "$cache.part"
chmod +x "$cache.part"/bin/* "$cache.part"/pkg/tool/*/* 2>/dev/null || true
rm -rf "$cache"
mv "$cache.part" "$cache"
echo "$cache/bin/go"
