#!/usr/bin/env bash
# Builds the Ollama server that the tests of the language-model client talk to, from the Go module that go.mod knows.
# usage: cross/ollama.sh [--print]      prints the path of the program
# The result is ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/ollama-<version>-r<recipe>-<level>/ollama; a
# second run finds it there and does nothing. The level is that of this host's vector instructions: without them a prompt is
# read at a third of the speed, and a server with instructions that the host lacks dies. It needs Go, g++ and, from
# Debian's archive, two packages of C++ headers (not installed when they are not: they are unpacked beside the source).
# About ten minutes of processor time.
set -eu

version=0.17.4 # as in go.mod; from 0.31 on the module no longer holds the C++ sources
recipe=2       # raise it when anything below changes what comes out
ollama_sum=h1:X3KNm9x4BlHqk/AXMGtC7pBAFd46nmJmy8yDaBZLo9s=
malgo_version=0.11.24
malgo_sum=h1:hHcIJVfzWcEDHFdPl5Dl/CUSOjzOleY0zzAV8Kx+imE=

here=$(cd "$(dirname "$0")" && pwd)
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}

# level prints the newest x86-64 level that this host has all of, or the machine's name where there is only one.
level() {
	local have each
	[ "$(uname -m)" = x86_64 ] || { uname -m; return; }
	have=" $(sed -n '/^flags/{s/.*: //p;q}' /proc/cpuinfo) "
	for each in avx2 fma f16c bmi1 bmi2 movbe abm; do
		case $have in *" $each "*) ;; *) echo x86-64; return ;; esac
	done
	echo x86-64-v3
}
level=$(level)
dest=$cache/ollama-$version-r$recipe-$level
[ "${1:-}" = --print ] && { echo "$dest/ollama"; exit 0; }

fail() { echo "ollama.sh: $*" >&2; exit 1; }
built() { [ -f "$dest/SHA256SUMS" ] && (cd "$dest" && sha256sum --quiet -c SHA256SUMS >/dev/null 2>&1); }

built && { echo "$dest/ollama"; exit 0; }
mkdir -p "$cache"
exec 9>"$cache/ollama.lock"
flock 9
built && { echo "$dest/ollama"; exit 0; } # somebody else was building it

go=$("$here/go.sh") || exit 1
command -v g++ >/dev/null || fail "there is no g++; 'make setup-test' installs it"

# The same path every time, so that Go's build cache continues a build that was broken off.
work=$cache/ollama-build
log=$cache/ollama-build.log
: >"$log"
mkdir -p "$work/headers"

# module MODULE VERSION SUM prints where Go keeps that module, of which the checksum must be SUM.
module() {
	local out
	out=$(cd / && GOWORK=off GOFLAGS=-mod=mod "$go" mod download -json "$1@v$2" 2>>"$log") || fail "could not get the Go module $1 v$2"
	[ "$(sed -n 's/^.*"Sum": "\(.*\)",*$/\1/p' <<<"$out")" = "$3" ] || fail "$1 v$2 is not the module this script was written for"
	sed -n 's/^.*"Dir": "\(.*\)",*$/\1/p' <<<"$out"
}
source=$(module github.com/ollama/ollama $version $ollama_sum)
malgo=$(module github.com/gen2brain/malgo $malgo_version $malgo_sum)

# headers PACKAGE FILE prints the include directory in which FILE lies: the system's, or of the unpacked Debian package.
headers() {
	if [ ! -f "/usr/include/$2" ] && [ ! -f "$work/headers/usr/include/$2" ]; then
		(cd "$work/headers" && apt-get download -qq "$1" >>"$log" 2>&1 && dpkg -x "$1"_*.deb .) || fail "could not get the headers of Debian's $1"
	fi
	if [ -f "/usr/include/$2" ]; then echo /usr/include; else echo "$work/headers/usr/include"; fi
}
json=$(headers nlohmann-json3-dev nlohmann/json.hpp)
stb=$(headers libstb-dev stb/stb_image.h)

# Go leaves every directory called vendor out of a module; llama.cpp keeps the headers of others in one.
if [ ! -f "$work/source/go.mod" ]; then
	rm -rf "$work/source.part"
	cp -r "$source" "$work/source.part"
	chmod -R u+w "$work/source.part"
	mv "$work/source.part" "$work/source"
fi
vendor=$work/source/llama/llama.cpp/vendor
mkdir -p "$vendor/miniaudio"
cp -rL "$json/nlohmann" "$stb/stb" "$vendor/"
cp "$malgo/miniaudio.h" "$vendor/miniaudio/"
chmod -R u+w "$vendor"

# Only what multiplies matrices is compiled for the level: the rest stays in Go's build cache, whatever the host.
case $level in
x86-64-v*)
	for part in ggml-cpu/cpu.go ggml-cpu/arch/x86/x86.go ggml-cpu/llamafile/llamafile.go; do
		file=$work/source/ml/backend/ggml/ggml/src/$part
		grep -q "march=" "$file" || sed -i "0,/^\/\/ #cgo/s//\/\/ #cgo CFLAGS: -O3 -march=$level\n\/\/ #cgo CXXFLAGS: -O3 -march=$level\n&/" "$file"
		grep -q "CXXFLAGS: -O3 -march=$level" "$file" || fail "$part does not say how it is compiled; see $work"
	done
	;;
esac

(cd "$work/source" && CGO_ENABLED=1 GOWORK=off GOFLAGS=-mod=readonly nice -n 19 "$go" build -trimpath -buildvcs=false \
	-ldflags "-s -w -X=github.com/ollama/ollama/version.Version=$version" -o "$work/ollama" .) >>"$log" 2>&1 ||
	fail "the build failed: $(grep -m1 -E 'error|cannot|fail' "$log" || echo "see $log")"

rm -rf "$dest"
mkdir -p "$dest.part"
mv "$work/ollama" "$dest.part/ollama"
cp "$source/LICENSE" "$dest.part/LICENSE"
(cd "$dest.part" && sha256sum ollama LICENSE >SHA256SUMS)
mv "$dest.part" "$dest"
chmod -R u+w "$work"
rm -rf "$work" "$log"
echo "$dest/ollama"
