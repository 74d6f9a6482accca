#!/usr/bin/env bash
# Makes a small tree of a distribution. Usage: packaging/debootstrap.sh SUITE TREE [ARCH] [PACKAGE...]
# Debian's archive is DEBIAN_MIRROR, else the host's own, else debootstrap's; Ubuntu's is UBUNTU_MIRROR, and UBUNTU_PORTS for arm64.
set -eu
suite=$1 tree=$2 arch=${3:-$(dpkg --print-architecture)}
shift $(($# < 3 ? $# : 3))
include=$(IFS=, && echo "$*")
own=$(dpkg --print-architecture)
options=(--variant=minbase "--arch=$arch" "--include=ca-certificates${include:+,$include}")
[ -z "${REACHYD_DEBS:-}" ] || options+=("--cache-dir=$REACHYD_DEBS")
[ "$arch" = "$own" ] || options+=(--foreign)
# Debian has no package of the keys of Ubuntu's archive: they come from that archive, and the checksum says that they are the right ones
# (F6ECB3762474EDA9D21B7022871920D1991BC93C of 2018 and 790BC7277767219C42C86F933B4FE6ACC0B21F32 of 2012).
ubuntu_keys() {
	local dir=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/ubuntu-keys work
	local file=$dir/usr/share/keyrings/ubuntu-archive-keyring.gpg sum=80a36b0a6de2f69f49d2df75ef473ccde121e9e190b9ea01d20a4f63778d5c31
	if ! echo "$sum  $file" | sha256sum -c --status 2>/dev/null; then
		work=$(mktemp)
		curl -fsS -m 60 -o "$work" "$mirror/pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb" && dpkg -x "$work" "$dir" || true
		rm -f "$work"
		echo "$sum  $file" | sha256sum -c --status || { echo "debootstrap.sh: the keys of Ubuntu's archive cannot be had" >&2; exit 1; }
	fi
	echo "$file"
}

# debian_mirror prints the archive of a host that is a Debian.
debian_mirror() {
	[ "$(. /etc/os-release && echo "$ID")" != debian ] || apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/$' || true
}

case $suite in
jammy | noble)
	mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} ports=${UBUNTU_PORTS:-http://ports.ubuntu.com/ubuntu-ports}
	[ "$arch" != arm64 ] || mirror=$ports
	options+=(--components=main,universe)
	keys=/usr/share/keyrings/ubuntu-archive-keyring.gpg
	[ -f $keys ] || keys=$(ubuntu_keys)
	options+=("--keyring=$keys")
	script=gutsy
	;;
*) mirror=${DEBIAN_MIRROR:-$(debian_mirror)} script=sid ;;
esac
debootstrap "${options[@]}" "$suite" "$tree" ${mirror:+"$mirror" "/usr/share/debootstrap/scripts/$script"}
[ "$arch" = "$own" ] || chroot "$tree" /debootstrap/debootstrap --second-stage
case $suite in
jammy | noble)
	echo "deb [arch=$arch] $mirror $suite main universe" >"$tree/etc/apt/sources.list"
	[ "$arch" = arm64 ] || echo "deb [arch=arm64] $ports $suite main universe" >"$tree/etc/apt/ports.list"
	;;
esac
