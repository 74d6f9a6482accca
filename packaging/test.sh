#!/usr/bin/env bash
# Tries the packages in fresh trees of distributions: two builds give the same bytes, lintian, install, the simulated robot as the service's
# user, a sentence, a recording, a tool, a model of a member of the group, upgrade with data kept, remove, purge, nothing left; then the archive's
# install script in the same tree.
# As root; needs debootstrap and a mirror. Usage: packaging/test.sh GO TAGS [SUITE[/ARCH]...] (bookworm trixie noble); FROM=COMMIT upgrades from
# the packages of that commit.
#
# In a tree of another distribution than this machine's the simulated robot is the plain one, in Go, unless NATIVE names it (as for make
# packages). Trees of arm64 need qemu-user-static with binfmt_misc. What cannot be had is told as NOT TESTED. Downloaded packages stay in the
# cache (debs), as do the trees before anything of ours is in them (base-SUITE-ARCH.tar). BUILT=DIR tries DIR/one and DIR/two, which must be
# of versions 0.1+test1 and 0.1+test2, instead of building.
set -eu
go=$1 tags=$2
shift 2
[ $# -gt 0 ] || set -- bookworm trixie noble
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "test-packages: root makes the trees (sudo make test-packages)" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "test-packages: apt-get install debootstrap" >&2; exit 1; }
[ -n "${REACHYD_UNSHARED:-}" ] || REACHYD_UNSHARED=1 exec unshare --mount "$PWD/packaging/test.sh" "$go" "$tags" "$@" # nothing stays mounted
unset REACHYD_UNSHARED
own=$(dpkg --print-architecture)
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
mkdir -p "$cache/debs"
work=$(mktemp -d)
daemon= tree= name=build failed= untested=
leave() {
	[ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
	unmount
	git worktree remove --force "$work/source" 2>/dev/null || git worktree remove --force "$work/elsewhere" 2>/dev/null || true
	rm -rf "$work"
}
unmount() { for m in proc sys dev var/cache/apt/archives; do [ -z "$tree" ] || umount -Rl "$tree/$m" 2>/dev/null || true; done; }
trap leave EXIT
trap 'exit 1' INT TERM
say() { printf '%4d s  %-15s %s\n' "$SECONDS" "$name" "$*"; }
wrong() { say "FAILED: $*"; failed+=" $name"; return 1; }
in_tree() { timeout 1800 chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -5 "$work/log"; return 1; }; }

# One commit, built twice, from two directories; and FROM (or the same once more) as the version before it.
export GOFLAGS=-trimpath
archs=$own
for s; do [[ $s != */* || $s == */$own ]] || archs+=" ${s#*/}"; done
archs=$(tr ' ' '\n' <<<"$archs" | sort -u)
build() { # directory version out
	say "builds version $2 for $(echo $archs) in $1"
	(cd "$1" && REACHYD_VERSION=$2 REACHYD_PACKAGES=$work/$3 timeout 5400 packaging/build.sh "$go" "$tags" $archs >"$work/log" 2>&1) ||
		{ tail -5 "$work/log"; wrong "build"; exit 1; }
}
if [ -n "${BUILT:-}" ]; then
	cp -r "$BUILT/one" "$BUILT/two" "$work/"
	say "NOT TESTED: two builds; takes those of $BUILT"
else
	git worktree add -q --detach "$work/source" HEAD
	build "$work/source" 0.1+test2 two
	git worktree move "$work/source" "$work/elsewhere"
	build "$work/elsewhere" 0.1+test2 again
	diff -r "$work/two" "$work/again" || { wrong "two builds of $(git rev-parse --short HEAD) differ"; exit 1; }
	say "two builds of $(git rev-parse --short HEAD) have the same bytes: $(ls "$work/two" | wc -l) files"
	rm -r "$work/again"
	git -C "$work/elsewhere" checkout -q --force "${FROM:-HEAD}"
	say "the version before is $(git -C "$work/elsewhere" log -1 --format='%h of %cs')"
	build "$work/elsewhere" 0.1+test1 one
	git worktree remove --force "$work/elsewhere"
fi
if command -v lintian >/dev/null; then
	lintian --fail-on error --suppress-tags-from-file packaging/lintian-suppressed "$work"/two/*.deb || { wrong lintian; exit 1; }
	say 'lintian: no errors'
else
	say 'NOT TESTED: lintian is not installed'
fi

# The simulated robot runs as the service would run it, until end.
service() {
	in_tree install -d -o reachyd -g reachyd -m 0710 /run/reachyd
	in_tree install -d -o reachyd -g reachyd /var/cache/reachyd
	in_tree setpriv --reuid reachyd --regid reachyd --init-groups env STATE_DIRECTORY=/var/lib/reachyd RUNTIME_DIRECTORY=/run/reachyd \
		CONFIGURATION_DIRECTORY=/etc/reachyd REACHYD_CACHE=/var/cache/reachyd REACHYD_SIM_ENABLED=true \
		REACHYD_MQTT_LISTEN=127.0.0.1:0 REACHYD_HTTP_LISTEN=127.0.0.1:0 /usr/lib/reachyd/reachyd run >"$work/service" 2>&1 &
	daemon=$!
	for _ in $(seq 600); do
		[ -e "$tree/run/reachyd/paths" ] && member reachyctl state >/dev/null 2>&1 && return
		kill -0 $daemon 2>/dev/null || break
		sleep 0.5
	done
	tail -5 "$work/service"
	wrong "the service does not start"
}
end() {
	kill -TERM "$(cat "$tree/run/reachyd/lock")" 2>/dev/null || kill "$daemon" 2>/dev/null || true
	wait "$daemon" || true
	daemon=
	rm -rf "$tree/run/reachyd"
}
# As a member of the group, who is not root and has no home.
member() { in_tree setpriv --reuid 4711 --regid 4711 --groups "$(in_tree getent group reachyd | cut -d: -f3)" env HOME=/nonexistent "$@"; }
stranger() { in_tree setpriv --reuid 4712 --regid 4712 --clear-groups env HOME=/nonexistent "$@"; }
list() {
	(cd "$tree" && find etc usr var/lib var/cache -xdev \( -type f -o -type l -o -type d \) -not -path 'var/lib/dpkg*' -not -path 'var/lib/apt*' \
		-not -path 'var/cache/*' -not -path 'var/lib/systemd/*' -not -path '*/ld.so.cache' | sort
	ls -d var/cache/reachyd run/reachy* tmp/reachy* 2>/dev/null || true)
}
install_from() { # directory of packages
	rm -rf "$tree/debs" && mkdir "$tree/debs"
	for p in "${wanted[@]}"; do cp "$work/$1"/$p "$tree/debs/" || { wrong "there is no $p"; return 1; }; done
	quietly in_tree sh -c 'apt-get -qq -y --no-install-recommends install /debs/*.deb' || wrong "install from $1"
	[ -z "$plain" ] || cp "$work/reachy-sim-$arch" "$tree/usr/lib/reachyd/reachy-sim"
}
mount_all() {
	for m in proc sys dev; do mount --rbind "/$m" "$tree/$m" && mount --make-rslave "$tree/$m"; done
	mount --bind "$cache/debs" "$tree/var/cache/apt/archives"
	echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/throw-away" # no tree outlives this; a third of the time was spent on writing it down
	[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
	cp -a /etc/apt/apt.conf.d/*proxy* "$tree/etc/apt/apt.conf.d/" 2>/dev/null || true
	printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d" && chmod +x "$tree/usr/sbin/policy-rc.d"
}

# What the packages depend on is installed before the list is made: it is no trace of ours.
depend() {
	quietly in_tree apt-get -qq update || return 1
	local needs=(espeak-ng)
	for p in "$tree"/debs/*.deb; do
		while read -r one; do [ -z "$one" ] || needs+=("$one"); done < <(dpkg-deb -f "$p" Depends | tr ',' '\n' | sed 's/(.*//; s/|.*//; s/ //g' | grep -v '^reachyd')
	done
	say "installs what they depend on: $(in_tree apt-get -qq -s --no-install-recommends install "${needs[@]}" | grep -c ^Inst) packages"
	quietly in_tree apt-get -qq -y --no-install-recommends install "${needs[@]}"
}

try_robot() {
	service || return 1
	say 'the simulated robot runs'
	member reachyctl say 'look left' | grep -qi 'left' || wrong "a sentence" || return 1
	member reachyctl goto --z 0.01 --roll 10 | grep -q accepted || wrong "goto" || return 1
	if [ -e "$tree/usr/lib/reachyd/reachy-sense" ]; then
		in_tree sh -c 'umask 022; espeak-ng -w /tmp/left.wav "look left"' && member reachyctl listen /tmp/left.wav >"$work/log" 2>&1
		grep -qi 'left' "$work/log" || { cat "$work/log"; grep '"worker":"sense"' "$work/service" | tail -3; wrong "a recording"; return 1; }
		say "heard a recording: $(tail -1 "$work/log")"
	fi
	if [ -e "$tree/usr/lib/reachyd/interpreters" ]; then
		say 'adds tools'
		in_tree install -d -o 4711 -g 4711 /tmp/mine
		cat >"$tree/tmp/mine/double_it.js" <<-'JS'
			/**
			 * Doubles a number.
			 *
			 * @param {number} number - what is doubled
			 * @returns {number} twice as much
			 */
			export function double_it(number) {
			  return 2 * number;
			}
		JS
		if [ "$arch" != "$own" ]; then # qemu-user has no system call filters, and without them no tool may run
			! member sh -c 'cd /tmp/mine && reachyctl --timeout 20m tool add double_it.js' >"$work/log" 2>&1 && grep -q 'sandbox is not available' "$work/log" ||
				{ tail -5 "$work/log"; wrong "a tool without a sandbox"; return 1; }
			rm "$tree/tmp/mine/double_it.js"
			say "NOT TESTED: tools do not run here, for qemu has no system call filters (they are refused, and it is said why)"
		else
			member sh -c 'cd /tmp/mine && reachyctl --timeout 20m tool add double_it.js && reachyctl --timeout 5m tool call double_it number=21' >"$work/log" 2>&1 &&
				grep -q 42 "$work/log" || { tail -5 "$work/log"; tail -3 "$work/service"; wrong "a tool in JavaScript"; return 1; }
			member sh -c 'cd /tmp/mine && reachyctl tool new shake_it && reachyctl --timeout 20m tool add shake_it.py' >"$work/log" 2>&1 ||
				{ tail -5 "$work/log"; tail -3 "$work/service"; wrong "a tool of a member"; return 1; }
		fi
	fi
	member sh -c 'umask 022; echo a model >/var/lib/reachyd/models/mine.bin' || wrong "a member cannot put a model there" || return 1
	member reachyctl stop | grep -q 'the body, directly' || wrong "stop by a member" || return 1
	! stranger ls /run/reachyd >/dev/null 2>&1 || wrong "a stranger sees the run directory" || return 1
	! stranger cat /var/lib/reachyd/models/mine.bin >/dev/null 2>&1 || wrong "a stranger sees the data" || return 1
	member reachyctl doctor >"$work/doctor" || true
	grep -q '/var/lib/reachyd' "$work/doctor" || wrong "the doctor of a member does not look at the service" || return 1
	say "the simulated robot${plain:+ (plain)} ran as user reachyd: say, goto, stop, tool, doctor by a member; a stranger is kept out"
	end
}

try_again() { # after the upgrade
	[ "$(cat "$tree/var/lib/reachyd/models/mine.bin")" = 'a model' ] || wrong "the upgrade lost a model" || return 1
	service || return 1
	member reachyctl reset >/dev/null || wrong "reset after the upgrade" || return 1
	local tool
	for tool in "$tree"/tmp/mine/*.{js,py}; do
		[ ! -e "$tool" ] || member reachyctl tool list | grep -q "$(basename "${tool%.*}")" || wrong "the upgrade lost a tool" || return 1
	done
	member reachyctl session list | grep -q 'look left' || wrong "the upgrade lost a conversation" || return 1
	end
}

# What else the package has to have: an owner's manual pages, completions, units, rules and examples.
contents() {
	local f
	for f in bin/reachyd bin/reachyctl lib/reachyd/reachy-body lib/reachyd/reachy-learn share/man/man1/reachyd.1.gz share/man/man1/reachyctl.1.gz \
		share/bash-completion/completions/reachyctl share/zsh/vendor-completions/_reachyctl share/fish/vendor_completions.d/reachyctl.fish \
		lib/systemd/system/reachyd.service lib/systemd/system/reachyd-body.service lib/systemd/system/reachyd-sense.service \
		lib/udev/rules.d/60-reachyd.rules lib/sysusers.d/reachyd.conf lib/tmpfiles.d/reachyd.conf share/doc/reachyd/examples/reachyd.yaml \
		share/doc/reachyd/firmware-notes/README.md; do
		in_tree test -s "/usr/$f" || wrong "/usr/$f is missing" || return 1
	done
	in_tree sh -c 'gzip -dc /usr/share/man/man1/reachyctl.1.gz | grep -q "^\.TH"' || wrong "a manual page" || return 1
	in_tree bash -n /usr/share/bash-completion/completions/reachyctl || wrong "the completion of bash" || return 1
	in_tree /usr/lib/reachyd/reachyd check --config /usr/share/doc/reachyd/examples/reachyd.yaml >/dev/null || wrong "the example of the settings" || return 1
	[ ! -e "$tree/etc/logrotate.d/reachyd" ] || wrong "logs are the journal's" || return 1
	say 'manual pages, completions, units, rules and examples are there'
}

# The archive for systems without dpkg: its install script, an upgrade by the next one, --remove, --purge.
try_archive() {
	local script one=/archive/reachyd-0.1+test1-linux-$arch two=/archive/reachyd-0.1+test2-linux-$arch
	mkdir "$tree/archive"
	for script in one two; do tar -C "$tree/archive" --zstd -xf "$work/$script"/reachyd-*-linux-"$arch".tar.zst; done
	list >"$work/before"
	quietly in_tree $one/install.sh || wrong "the archive's install script" || return 1
	in_tree reachyctl version | grep -q '0.1+test1' || wrong "version by the archive" || return 1
	[ "$(in_tree stat -c '%a %U:%G' /var/lib/reachyd/models)" = '2775 reachyd:reachyd' ] || wrong "the directory of models by the archive" || return 1
	cp "$work/reachy-sim-$arch" "$tree/usr/lib/reachyd/reachy-sim"
	service || return 1
	member reachyctl say 'look left' | grep -qi 'left' || wrong "a sentence by the archive" || return 1
	end
	rm "$tree/usr/lib/reachyd/reachy-sim"
	echo '# my own setting' >>"$tree/etc/reachyd/reachyd.yaml"
	quietly in_tree $two/install.sh || wrong "the next archive's install script" || return 1
	in_tree reachyctl version | grep -q '0.1+test2' || wrong "version by the next archive" || return 1
	quietly in_tree $two/install.sh --remove || wrong "remove by the archive" || return 1
	[ ! -e "$tree/usr/bin/reachyctl" ] || wrong "the archive's remove left programs" || return 1
	grep -q 'my own setting' "$tree/etc/reachyd/reachyd.yaml" && [ -e "$tree/var/lib/reachyd" ] || wrong "the archive's remove took settings or data" || return 1
	quietly in_tree $two/install.sh --purge || wrong "purge by the archive" || return 1
	list >"$work/after"
	! diff "$work/before" "$work/after" | grep '^>' | grep -v '/etc/\(passwd\|group\|shadow\|gshadow\)' || wrong "the archive's purge left these" || return 1
	! in_tree getent passwd reachyd || wrong "the archive's purge left the user" || return 1
	! in_tree $two/install.sh --remove >/dev/null 2>&1 || wrong "what is not installed was removed" || return 1
	say 'the archive: installed, ran, upgraded with settings kept, removed, purged: nothing is left'
}

try() { # suite arch
	local suite=$1 version
	arch=$2 tree=$work/$suite-$arch plain=
	if [ "$arch" != "$own" ] && ! grep -qs '^enabled' "/proc/sys/fs/binfmt_misc/qemu-aarch64"; then
		say "NOT TESTED: programs for $arch do not run here (apt-get install qemu-user-static binfmt-support)"
		untested+=" $name"
		return
	fi
	local base=$cache/base-$suite-$arch.tar
	if [ -f "$base" ]; then
		mkdir "$tree"
		tar -C "$tree" --numeric-owner -xpf "$base"
	elif quietly env REACHYD_DEBS="$cache/debs" timeout 3600 packaging/debootstrap.sh "$suite" "$tree" "$arch" init-system-helpers adduser systemd; then
		tar -C "$tree" --numeric-owner -cf "$base.part" . && mv "$base.part" "$base"
	else
		say "NOT TESTED: its archive cannot be had"
		untested+=" $name"
		return
	fi
	version=$(. "$tree/etc/os-release" && echo "$ID$VERSION_ID")
	say "has a tree of $(. "$tree/etc/os-release" && echo "$PRETTY_NAME")"
	mount_all
	wanted=("reachyd_*_$arch.deb" "reachyd-python_*_all.deb")
	if compgen -G "$work/one/reachyd-sim_*+${version}_$arch.deb" >/dev/null; then
		wanted+=("reachyd-sim_*+${version}_$arch.deb" "reachyd-sense_*+${version}_$arch.deb")
	else
		plain=1
	fi
	CGO_ENABLED=0 GOARCH=$arch "$go" build -o "$work/reachy-sim-$arch" ./cmd/reachy-sim
	mkdir "$tree/debs"
	for p in "${wanted[@]}"; do cp "$work/one"/$p "$tree/debs/"; done
	depend || wrong "what the packages depend on" || return 0
	list >"$work/before"
	install_from one || return 0
	say "installed: $(in_tree dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' 'reachyd*' | sed -n 's/^ii *//p' | tr '\n' ' ')"
	in_tree reachyctl version | grep -q '0.1+test1' || wrong "version" || return 0
	[ "$(in_tree stat -c '%a %U:%G' /var/lib/reachyd/models)" = '2775 reachyd:reachyd' ] || wrong "the directory of models" || return 0
	contents || return 0
	try_robot || return 0
	echo '# my own setting' >>"$tree/etc/reachyd/reachyd.yaml"
	install_from two || return 0
	in_tree reachyctl version | grep -q '0.1+test2' || wrong "version after the upgrade" || return 0
	grep -q 'my own setting' "$tree/etc/reachyd/reachyd.yaml" || wrong "the upgrade lost the settings" || return 0
	try_again || return 0
	say 'upgraded; settings, conversations, tools and models kept'
	rm -f ${plain:+"$tree/usr/lib/reachyd/reachy-sim"}
	quietly in_tree sh -c 'apt-get -qq -y remove "reachyd*"' || wrong remove || return 0
	[ -e "$tree/etc/reachyd/reachyd.yaml" ] && [ -e "$tree/var/lib/reachyd" ] || wrong "remove took settings or data" || return 0
	quietly in_tree sh -c 'dpkg --purge reachyd reachyd-sim reachyd-sense reachyd-python' || wrong purge || return 0
	list >"$work/after"
	! diff "$work/before" "$work/after" | grep '^>' | grep -v '/etc/\(passwd\|group\|shadow\|gshadow\)' || wrong "purge left these" || return 0
	! in_tree getent passwd reachyd || wrong "purge left the user" || return 0
	say 'removed and purged: nothing is left'
	try_archive || return 0
}

for s; do
	case $s in */*) name=$s ;; *) name=$s/$own ;; esac
	try "${name%/*}" "${name#*/}"
	[ -z "$daemon" ] || end
	unmount
	rm -rf --one-file-system "$tree"
	tree=
done
name=all
[ -z "$untested" ] || say "NOT TESTED:$untested"
[ -z "$failed" ] || { say "FAILED:$failed"; exit 1; }
say 'ok'
