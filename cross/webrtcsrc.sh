#!/usr/bin/env bash
# Builds GStreamer's webrtcsrc, by which the official Python SDK streams and which Debian does not have, for tests of that way.
# usage: cross/webrtcsrc.sh [--print]   prints the folder for GST_PLUGIN_PATH; --print only if it is there already, else nothing
# It needs cargo and Debian's libgstreamer-plugins-bad1.0-dev; some minutes of processor time.
set -eu
version=0.13.7 # of the crate gst-plugin-webrtc, which is content with GStreamer 1.22
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dir=$cache/webrtcsrc-$version-r1
if [ -f "$dir/libgstrswebrtc.so" ]; then
	echo "$dir"
	exit 0
fi
[ "${1:-}" != --print ] || exit 0
work=$cache/webrtcsrc-build # the same every time, so that a build that was broken off goes on
mkdir -p "$work/ask/src"
touch "$work/ask/src/lib.rs"
cat >"$work/ask/Cargo.toml" <<EOF
[package]
name = "ask"
version = "0.0.0"
edition = "2021"
[dependencies]
gst-plugin-webrtc = { version = "=$version", default-features = false }
EOF
{
	if [ ! -d "$work/plugin" ]; then
		at=$(cd "$work/ask" && cargo metadata --quiet --format-version 1 |
			python3 -c 'import json, os, sys; print(*[os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == "gst-plugin-webrtc"])')
		cp -r "$at" "$work/plugin"
	fi
	cd "$work/plugin"
	nice -n 10 cargo build --quiet --release --lib --no-default-features --features v1_22
	mkdir -p "$dir"
	cp target/release/libgstrswebrtc.so "$dir/"
} >&2
echo "$dir"
