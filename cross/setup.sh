#!/usr/bin/env bash
# Installs the Debian packages that are missing. Usage: setup.sh run|test|go
# What cannot be had is said in one line; only what nothing works without makes it fail.
set -eu

need_run=(git make gcc libc6-dev ca-certificates)            # nothing works without these
want_run=(libmujoco-dev libegl1 libegl-mesa0 libgl1-mesa-dri libegl-dev # physics and camera of the simulated robot
	g++ pkg-config libopencv-dev opencv-data                # sight
	cmake                                                   # whisper.cpp: hearing
	espeak-ng                                               # its voice
	libopus0)                                               # its ears as Opus, for browsers
want_test=(mosquitto mosquitto-clients                       # a real broker that is not ours
	flite pocketsphinx pocketsphinx-en-us sox)              # other voices, another recogniser
python3 -m pip --version >/dev/null 2>&1 || want_run+=(python3-pip) # by which models are fetched where their publisher is out of reach
command -v npm >/dev/null || want_run+=(npm)                         # by which the libraries of the page and JavaScript for tools are fetched
case "${1:-run}" in
go) need=(golang-go) want=() ;;
run) need=("${need_run[@]}") want=("${want_run[@]}") ;;
test) need=("${need_run[@]}" "${want_test[@]}") want=("${want_run[@]}") ;;
*) echo "usage: $0 run|test|go" >&2; exit 2 ;;
esac

installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

if ! command -v dpkg-query >/dev/null; then
	echo "setup: this is not a Debian-like system; please install by hand: ${need[*]} ${want[*]}" >&2
	exit 0
fi
missing=()
for p in "${need[@]}" "${want[@]}"; do
	installed "$p" || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null; then
		as_root=(sudo)
	else
		echo "setup: missing packages and no sudo; as root, run: apt-get install ${missing[*]}" >&2
		exit 1
	fi
fi
echo "setup: installing ${missing[*]} (silently, for some minutes; all of them together take 2.1 GB)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1; }
# A broker started by its package would take port 1883 from ours: install it without starting it.
policy=/usr/sbin/policy-rc.d
made_policy=
if [ ! -e "$policy" ]; then
	printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null && "${as_root[@]}" chmod +x "$policy" && made_policy=1
fi
cleanup() { rm -f "$log"; [ -z "$made_policy" ] || "${as_root[@]}" rm -f "$policy"; }
trap cleanup EXIT
apt update || true
if ! apt install -y --no-install-recommends "${missing[@]}"; then
	for p in "${missing[@]}"; do apt install -y --no-install-recommends "$p" || true; done
fi

fail=
for p in "${need[@]}"; do
	installed "$p" || { echo "setup: could not install $p, which is needed (apt-get said: $(grep -m1 '^E:' "$log" || echo nothing))" >&2; fail=1; }
done
for p in "${want[@]}"; do
	installed "$p" || echo "setup: could not install $p; going on without it"
done
[ -z "$fail" ]
