#!/usr/bin/env bash
# Tries the packages in a fresh tree of a distribution: install, lintian, the simulated robot as the service's user, a sentence, a model
# of a member of the group, upgrade with data kept, remove, purge, nothing left. As root; needs debootstrap and a mirror.
# Usage: packaging/test.sh GO TAGS [SUITE...] (bookworm; trixie and noble for the packages without native parts)
set -eu
go=$1 tags=$2
shift 2
[ $# -gt 0 ] || set -- bookworm
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "test-packages: root makes the trees (sudo make test-packages)" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "test-packages: apt-get install debootstrap" >&2; exit 1; }
arch=$(dpkg --print-architecture) own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
work=$(mktemp -d)
tree=
leave() {
	[ -z "$tree" ] || for m in proc sys dev/pts dev; do mountpoint -q "$tree/$m" && umount -l "$tree/$m"; done
	rm -rf "$work"
}
trap leave EXIT
say() { printf '%-9s %s\n' "$suite" "$*"; }
fail() { echo "FAILED on $suite: $*" >&2; exit 1; }
in_tree() { chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }

# Two versions, the first twice: the same commit must give the same bytes.
export GOFLAGS=-trimpath
for n in 1 2; do REACHYD_VERSION=0.1+test1 REACHYD_PACKAGES=$work/one$n packaging/build.sh "$go" "$tags" "$arch" >/dev/null; done
diff -r "$work/one1" "$work/one2" || { echo "FAILED: two builds differ" >&2; exit 1; }
REACHYD_VERSION=0.1+test2 REACHYD_PACKAGES=$work/two packaging/build.sh "$go" "$tags" "$arch" >/dev/null
echo "two builds of the same commit have the same bytes: $(ls "$work/one1" | wc -l) files"
if command -v lintian >/dev/null; then
	lintian --fail-on error --suppress-tags-from-file packaging/lintian-suppressed "$work"/two/*.deb || { echo "FAILED: lintian" >&2; exit 1; }
	echo 'lintian: no errors'
fi

# serve runs a command line while the simulated robot runs as the service would run it.
service() { # seconds
	in_tree install -d -o reachyd -g reachyd -m 0710 /run/reachyd
	in_tree install -d -o reachyd -g reachyd /var/cache/reachyd
	in_tree setpriv --reuid reachyd --regid reachyd --init-groups env STATE_DIRECTORY=/var/lib/reachyd RUNTIME_DIRECTORY=/run/reachyd \
		CONFIGURATION_DIRECTORY=/etc/reachyd REACHYD_CACHE=/var/cache/reachyd REACHYD_SIM_ENABLED=true REACHYD_SENSE_RUN=never \
		/usr/lib/reachyd/reachyd run >"$work/log" 2>&1 &
	daemon=$!
	for _ in $(seq 300); do
		[ -e "$tree/run/reachyd/paths" ] && return
		kill -0 $daemon 2>/dev/null || break
		sleep 0.2
	done
	tail -5 "$work/log"
	fail "the service does not start"
}
end() {
	kill -TERM "$(cat "$tree/run/reachyd/lock")" 2>/dev/null || true
	wait $daemon || true
	rm -rf "$tree/run/reachyd"
}
# As a member of the group, who is not root and has no home.
member() { in_tree setpriv --reuid 4711 --regid 4711 --groups "$(in_tree getent group reachyd | cut -d: -f3)" env HOME=/nonexistent "$@"; }

for suite; do
	tree=$work/$suite
	mirror=
	case $suite in jammy | noble) mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} ;; esac
	debootstrap --variant=minbase --include=init-system-helpers,adduser,systemd,ca-certificates "$suite" "$tree" $mirror >"$work/debootstrap" 2>&1 ||
		{ tail -3 "$work/debootstrap"; fail "debootstrap"; }
	for m in proc sys dev; do mount --rbind "/$m" "$tree/$m" && mount --make-rslave "$tree/$m"; done
	[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
	cp -a /etc/apt/apt.conf.d/*proxy* "$tree/etc/apt/apt.conf.d/" 2>/dev/null || true
	printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d" && chmod +x "$tree/usr/sbin/policy-rc.d"
	set -- "reachyd_*_$arch.deb" "reachyd-python_*_all.deb"
	[ "$suite" != "$own" ] || set -- "$@" "reachyd-sim_*_$arch.deb"
	mkdir "$tree/debs"
	list() { (cd "$tree" && find etc usr var/lib var/cache -xdev \( -type f -o -type l -o -type d \) \
		-not -path 'var/lib/dpkg*' -not -path 'var/lib/apt*' -not -path 'var/cache/*' -not -path 'var/lib/systemd/*' -not -path '*/ld.so.cache' |
		sort; ls -d var/cache/reachyd 2>/dev/null || true); }
	install_from() {
		rm -f "$tree"/debs/*
		for p in "${wanted[@]}"; do cp "$work/$1"/$p "$tree/debs/" 2>/dev/null || fail "there is no $p"; done
		in_tree sh -c 'apt-get -qq -y --no-install-recommends install /debs/*.deb' >"$work/apt" 2>&1 || { tail -5 "$work/apt"; fail "install from $1"; }
	}
	wanted=("$@")
	# What the packages depend on stays: it is no trace of ours.
	if [ "$suite" = "$own" ]; then
		in_tree apt-get -qq update >/dev/null
		in_tree apt-get -qq -y --no-install-recommends install libmujoco2.2.2 >"$work/apt" 2>&1 || fail "libmujoco"
	fi
	list >"$work/before"
	install_from one1
	say "installed: $(in_tree dpkg-query -W -f '${Package} ' 'reachyd*')"
	in_tree reachyctl version | grep -q '0.1+test1' || fail "version"
	[ "$(stat -c '%a %U:%G' "$tree/var/lib/reachyd/models")" = "2775 $(in_tree id -u reachyd):$(in_tree id -g reachyd)" ] ||
		[ "$(in_tree stat -c '%a %U:%G' /var/lib/reachyd/models)" = '2775 reachyd:reachyd' ] || fail "the directory of models"
	if [ "$suite" = "$own" ]; then
		service
		member reachyctl say 'look left' | grep -qi 'left' || fail "a sentence"
		member reachyctl goto --z 0.01 --roll 10 | grep -q accepted || fail "goto"
		member sh -c 'umask 022; echo a model >/var/lib/reachyd/models/mine.bin' || fail "a member cannot put a model there"
		member reachyctl stop | grep -q 'the body, directly' || fail "stop by a member"
		in_tree setpriv --reuid 4712 --regid 4712 --clear-groups env HOME=/nonexistent ls /run/reachyd >/dev/null 2>&1 && fail "a stranger sees the run directory"
		in_tree setpriv --reuid 4712 --regid 4712 --clear-groups cat /var/lib/reachyd/models/mine.bin >/dev/null 2>&1 && fail "a stranger sees the data"
		member reachyctl doctor >"$work/doctor" || true
		grep -q '/var/lib/reachyd' "$work/doctor" || fail "the doctor of a member does not look at the service"
		say "the simulated robot ran as user reachyd; say, goto, stop, doctor by a member; a stranger is kept out"
		end
	fi
	echo '# my own setting' >>"$tree/etc/reachyd/reachyd.yaml"
	install_from two
	in_tree reachyctl version | grep -q '0.1+test2' || fail "version after the upgrade"
	grep -q 'my own setting' "$tree/etc/reachyd/reachyd.yaml" || fail "the upgrade lost the settings"
	if [ "$suite" = "$own" ]; then
		[ "$(cat "$tree/var/lib/reachyd/models/mine.bin")" = 'a model' ] || fail "the upgrade lost a model"
		service
		member reachyctl events --help >/dev/null
		member reachyctl reset >/dev/null || fail "reset after the upgrade"
		end
	fi
	say 'upgraded, settings and data kept'
	in_tree sh -c 'apt-get -qq -y remove "reachyd*"' >"$work/apt" 2>&1 || { tail -5 "$work/apt"; fail remove; }
	[ -e "$tree/etc/reachyd/reachyd.yaml" ] && [ -e "$tree/var/lib/reachyd" ] || fail "remove took settings or data"
	in_tree sh -c 'dpkg --purge reachyd reachyd-sim reachyd-python' >"$work/apt" 2>&1 || { tail -5 "$work/apt"; fail purge; }
	list >"$work/after"
	diff "$work/before" "$work/after" | grep -v '/etc/\(passwd\|group\|shadow\|gshadow\)' | grep '^>' && fail "purge left these"
	in_tree getent passwd reachyd && fail "purge left the user"
	say 'removed and purged: nothing is left'
	for m in proc sys dev/pts dev; do mountpoint -q "$tree/$m" && umount -l "$tree/$m"; done
	rm -rf "$tree"
	tree=
done
