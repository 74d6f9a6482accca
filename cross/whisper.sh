#!/usr/bin/env bash
# Builds whisper.cpp, by which the robot hears, as static libraries into the user's cache. Usage: cross/whisper.sh [--print-dir]
# The result lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/whisper-<version>-r<recipe>: include/ lib/ LICENSE.
# A second run finds it there and does nothing. The source comes from the cache, ../shared/data, npm or upstream; whichever it is,
# its checksum decides. WHISPER_CPP_DIR may name another source tree, which is built as it is, or a prefix with include/ and lib/
# (for example with a GPU backend; what such a library needs besides goes into CGO_LDFLAGS). WHISPER_FOR=arm64 builds by Debian's cross
# compiler for such a machine.
set -eu

version=1.9.1 # perception/internal/native names its series
recipe=1 # raise it when anything below changes what comes out
tree_sha=c3e2fec870a3ad04c7a16bef39ef75d69c292471a87fe75d753c49013d4ecb2c
package=nodejs-whisper@0.3.1 # carries the tree of v1.9.1 unchanged
upstream=https://github.com/ggml-org/whisper.cpp

here=$(cd "$(dirname "$0")" && pwd)
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
own=${WHISPER_CPP_DIR:-}
for=${WHISPER_FOR:-}
[ -z "$for" ] || [ "$for" = arm64 ] || { echo "whisper.sh: WHISPER_FOR=$for, allowed is arm64" >&2; exit 1; }
dest=$cache/whisper-$version-r$recipe${for:+-$for}
if [ -n "$own" ]; then
	if [ -f "$own/CMakeLists.txt" ]; then
		dest=$cache/whisper-own-$(realpath "$own" | sha256sum | cut -c 1-12)-r$recipe
	else
		dest=$own
	fi
fi
[ "${1:-}" = --print-dir ] && { echo "$dest"; exit 0; }

fail() { echo "whisper.sh: $*" >&2; exit 1; }
there() { [ -f "$dest/include/whisper.h" ] && compgen -G "$dest/lib/libwhisper.*" >/dev/null; }

there && { echo "$dest"; exit 0; }
[ "$dest" != "$own" ] || fail "WHISPER_CPP_DIR=$own is neither a source tree (CMakeLists.txt) nor a prefix with include/whisper.h and lib/libwhisper.*"
cross=${for:+aarch64-linux-gnu-}
for tool in cmake ${cross:-c}${cross:+g}++ make; do
	command -v $tool >/dev/null || fail "$tool is missing, so whisper.cpp cannot be built and the robot cannot hear; 'make setup' installs it"
done

mkdir -p "$cache"
exec 9>"$cache/whisper.lock" # one builder at a time
flock 9
there && { echo "$dest"; exit 0; }
work=$cache/whisper-build.$$
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$work"

# What is built, and nothing else, is what the checksum is about. Archives lose files whose names start with a dot.
tree_sum() {
	(cd "$1" 2>/dev/null && find CMakeLists.txt LICENSE cmake include src ggml/CMakeLists.txt ggml/cmake ggml/include ggml/src -type f ! -name '.*' 2>/dev/null |
		LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum | cut -d ' ' -f 1)
}
right() {
	[ -f "$1/CMakeLists.txt" ] || return 1
	[ "$(tree_sum "$1")" = $tree_sha ] && return 0
	echo "whisper.sh: what $2 gave is not whisper.cpp $version as this script knows it" >&2
	return 1
}
unpack() { # $1: an archive of npm's. Prints the tree inside it.
	tar -xzf "$1" -C "$work" 2>/dev/null && echo "$work/package/cpp/whisper.cpp"
}

source=
archive=nodejs-whisper-${package#*@}.tgz
if [ -n "$own" ]; then
	source=$own
else
	for f in "$cache/$archive" "$here/../../shared/data/$archive"; do
		[ -f "$f" ] && tree=$(unpack "$f") && right "$tree" "$f" && source=$tree && break
	done
	if [ -z "$source" ] && command -v npm >/dev/null && (cd "$work" && npm pack --silent $package >/dev/null 2>&1) &&
		tree=$(unpack "$work/$archive") && right "$tree" npm; then
		source=$tree
		mv "$work/$archive" "$cache/$archive"
	fi
	if [ -z "$source" ] && command -v git >/dev/null &&
		GIT_TERMINAL_PROMPT=0 git clone --quiet --depth 1 --branch v$version $upstream "$work/upstream" 2>/dev/null &&
		right "$work/upstream" upstream; then
		source=$work/upstream
	fi
	npm=npm
	command -v npm >/dev/null || npm="npm, which is not installed,"
	[ -n "$source" ] || fail "the source of whisper.cpp $version could not be had (neither from $npm nor from $upstream), so the robot cannot hear; set WHISPER_CPP_DIR to a copy of it"
fi

flags=(-DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DGGML_CCACHE=OFF
	-DGGML_OPENMP=OFF # its threads spin, and 2 of them on a busy machine are slower than 1
	-DGGML_NATIVE=OFF # gcc 12 breaks its AMX kernels: every q8_0 model dies of SIGILL
)
if [ -n "$for" ]; then # without an instruction set named: all of ARMv8, as on the Compute Module 4, which has no dot products
	flags+=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_C_COMPILER=${cross}gcc -DCMAKE_CXX_COMPILER=${cross}g++)
elif [ "$(uname -m)" = x86_64 ] && ! grep -qw avx2 /proc/cpuinfo; then
	flags+=(-DGGML_AVX=OFF -DGGML_AVX2=OFF -DGGML_FMA=OFF -DGGML_F16C=OFF -DGGML_BMI2=OFF)
fi
# As a subdirectory, because as the top project whisper.cpp writes into its own source tree.
cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(reachyd_whisper C CXX)
add_subdirectory("$(realpath "$source")" whisper EXCLUDE_FROM_ALL)
CMAKE
echo "whisper.sh: building whisper.cpp $([ -n "$own" ] && echo "of $own" || echo $version) (a minute or two, once)" >&2
log=$work/log
cmake -S "$work" -B "$work/build" "${flags[@]}" >"$log" 2>&1 && cmake --build "$work/build" --target whisper -j "$(nproc)" >>"$log" 2>&1 ||
	{ tail -n 20 "$log" >&2; fail "whisper.cpp could not be built, so the robot cannot hear"; }

new=$work/new
mkdir -p "$new/include" "$new/lib"
cp "$source/include/whisper.h" "$source"/ggml/include/*.h "$new/include/"
cp "$source/LICENSE" "$new/" 2>/dev/null || true
find "$work/build" -name 'lib*.a' -exec cp {} "$new/lib/" \;
rm -rf "$dest"
mv "$new" "$dest"
echo "$dest"
