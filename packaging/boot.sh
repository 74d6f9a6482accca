#!/usr/bin/env bash
# Boots a fresh tree of a distribution with systemd and holds the service's units to what they promise: they start with
# the machine, each sees what it needs, members of the group reach them, what dies is started again and the body outlives reachyd,
# what takes more memory than it may is ended and comes back, stop ends all, a tool runs and does after a reboot, removal and purge leave nothing.
# As root; needs debootstrap and a mirror. Usage: packaging/boot.sh PACKAGES [SUITE[/ARCH]], PACKAGES as make packages leaves them.
#
# This machine's architecture is booted by systemd-nspawn (systemd-container). Another (bookworm/arm64) by qemu, with the distribution's own
# kernel, two processors and the 2 GB of a wireless unit; qemu-user-static installs the packages. What it does is what such a robot does, not
# how long it takes: its time is counted in instructions, a thousand million a second, so that a busy host makes it slower, but not late.
# BOOT_PATIENCE is how many seconds a boot may take (1200; emulated 14400).
set -eu
packages=$(realpath "${1:?PACKAGES}") suite=${2:-bookworm}
cd "$(dirname "$0")/.."
own=$(dpkg --print-architecture) arch=$(dpkg --print-architecture)
case $suite in */*) arch=${suite#*/} suite=${suite%/*} ;; esac
lacks() { echo "boot.sh: NOT TESTED: $*"; exit 0; }
[ "$(id -u)" = 0 ] || { echo "boot.sh: root makes the tree" >&2; exit 1; }
need=(systemd-sysv dbus udev espeak-ng libegl1 libgl1-mesa-dri) console=/dev/null model=auto
case $own/$arch in
"$own/$own") command -v systemd-nspawn >/dev/null || lacks 'apt-get install systemd-container' ;;
*/arm64)
	command -v qemu-system-aarch64 >/dev/null || lacks 'apt-get install --no-install-recommends qemu-system-arm'
	grep -qs '^enabled' /proc/sys/fs/binfmt_misc/qemu-aarch64 || lacks "programs for $arch do not run here (apt-get install qemu-user-static binfmt-support)"
	case $suite in jammy | noble) lacks 'only Debian is emulated: the kernel of its package linux-image-cloud-arm64 finds a disk by itself' ;; esac
	console=/dev/ttyAMA0 model=simple # physics would take most of an emulated processor's time
	;;
*) echo "boot.sh: architecture $arch, allowed are $own and arm64" >&2; exit 1 ;;
esac
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
work=$(mktemp -d) tree=
booted=
leave() { [ -z "$booted" ] || kill "$booted" 2>/dev/null || true; wait; rm -rf --one-file-system "$work"; }
trap leave EXIT
trap 'exit 1' INT TERM
say() { printf '%5d s  %s\n' "$SECONDS" "$*"; }
tree=$work/tree
mkdir -p "$tree" "$cache/debs"
if [ -f "$cache/base-$suite-$arch.tar" ]; then
	tar -C "$tree" --numeric-owner -xpf "$cache/base-$suite-$arch.tar"
else
	REACHYD_DEBS=$cache/debs packaging/debootstrap.sh "$suite" "$tree" "$arch" init-system-helpers adduser systemd >"$work/log" 2>&1 ||
		lacks 'its archive cannot be had'
fi
version=$(. "$tree/etc/os-release" && echo "$ID$VERSION_ID")
mkdir "$tree/debs"
cp "$packages"/reachyd_*_"$arch".deb "$packages"/reachyd-python_*_all.deb "$packages"/reachyd-{sim,sense}_*+"${version}_$arch".deb "$tree/debs/"
cp -L /etc/resolv.conf "$tree/etc/" 2>/dev/null || true
cp -a /etc/apt/apt.conf.d/*proxy* "$tree/etc/apt/apt.conf.d/" 2>/dev/null || true
echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/throw-away" # no tree outlives this
say "installs the packages and what they need for $suite/$arch"
chroot "$tree" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive sh -c \
	'apt-get -qq update && apt-get -qq -y --no-install-recommends install "$@" /debs/*.deb' sh "${need[@]}" >"$work/log" 2>&1 || { tail -5 "$work/log"; exit 1; }
rm -f "$tree"/var/cache/apt/archives/*.deb
printf 'sim:\n  enabled: true\n  model: %s\n' "$model" >>"$tree/etc/reachyd/reachyd.yaml"
rm -f "$tree/usr/sbin/policy-rc.d"
mkdir -p "$tree/var/log/journal" # so that the second boot reads how the first ended
chroot "$tree" systemctl -q enable reachyd.service

cat >"$tree/root/try.sh" <<'TRY'
#!/bin/bash
# Runs in the booted tree; $1 is which boot it is.
export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin
units=(reachyd reachyd-body reachyd-sense)
pid() { systemctl show -p MainPID --value "$1"; }
check() { local what=$1; shift; if "$@"; then echo "ok      $what"; else echo "FAILED  $what"; fi; }
until_true() { for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; return 1; }
program() { for u in "${units[@]}"; do readlink "/proc/$(pid $u)/exe"; done | xargs -n1 basename | paste -sd' '; }
all_run() { [ "$(program 2>/dev/null)" = "reachyd reachy-body reachy-sense" ] && reachyctl state; }
none_run() { for u in "${units[@]}"; do [ "$(systemctl is-active $u)" = inactive ] || return 1; done; }
member() { setpriv --reuid 4711 --regid 4711 --groups "$(getent group reachyd | cut -d: -f3)" env HOME=/nonexistent "$@"; }
stranger() { setpriv --reuid 4712 --regid 4712 --clear-groups env HOME=/nonexistent "$@"; }
says() { local want=$1; shift; "$@" 2>&1 | tee /tmp/said | grep -qi -- "$want" || { tail -3 /tmp/said; return 1; }; }
not() { ! "$@" >/dev/null 2>&1; }
other() { until_true all_run && [ "$(pid "$1")" != "$2" ]; }
same() { [ "$(pid "$1")" = "$2" ]; }
namespace() { readlink "/proc/$(pid "$1")/ns/net"; }
devices() { nsenter -t "$1" -m stat -c %d /dev; }
# The kernel's bound of a unit's memory.
bound() { find /sys/fs/cgroup \( -path "*/$1.service/memory.max" -o -path "*/$1.service/memory.limit_in_bytes" \) -exec cat {} +; }
# Whether systemd has seen processes of a unit killed, since a time.
ended() { [ "$(journalctl -b --since "$2" -u "$1" --grep 'killed, status=9/KILL' -o cat --no-pager | wc -l)" -ge 3 ]; }
simulate() { sed -i "s/model: .*/$1/" /etc/reachyd/reachyd.yaml && systemctl restart reachyd && until_true all_run; }
# The official daemon's service, which here does nothing, and what its user has set and fetched.
official() {
	local set=/home/pollen/.cache/huggingface/hub/datasets--pollen-robotics--emotions
	mkdir -p /home/pollen/.config/reachy_mini $set/{refs,blobs,snapshots/abc}
	echo "{\"name\": \"Ada's robot\"}" >/home/pollen/.config/reachy_mini/robot_name.json
	printf abc >$set/refs/main
	echo '{"time":[0],"set_target_data":[{"head":[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]],"antennas":[0,0]}]}' >$set/blobs/1
	ln -s ../../blobs/1 $set/snapshots/abc/happy.json
	printf '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' >/etc/systemd/system/reachy-mini-daemon.service
	systemctl daemon-reload
	systemctl stop reachyd
	systemctl -q enable --now reachy-mini-daemon
}
# The moves of a dataset, as scripts ask for them.
listed() {
	exec 3<>/dev/tcp/127.0.0.1/8000
	printf 'GET /api/move/recorded-move-datasets/list/%s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$1" >&3
	cat <&3
	exec 3>&-
}
case $1 in
1)
	check 'the units start with the machine' until_true all_run
	check 'reachyd has the network of the machine' [ "$(namespace reachyd)" = "$(readlink /proc/1/ns/net)" ]
	check 'the body has none' [ "$(namespace reachyd-body)" != "$(readlink /proc/1/ns/net)" ]
	check 'it sees buttons, for the power key' says 'char-13 r' systemctl show -p DeviceAllow reachyd-body
	check 'the senses have none' [ "$(namespace reachyd-sense)" != "$(readlink /proc/1/ns/net)" ]
	check 'reachyd does not see the devices of the machine' [ "$(devices "$(pid reachyd)")" != "$(devices 1)" ]
	mkdir -p /home/owner && echo private >/home/owner/letter && chmod -R a+rX /home/owner
	for u in "${units[@]}"; do check "$u reads no home" not nsenter -t "$(pid $u)" -m cat /home/owner/letter; done
	check 'systemd finds nothing wrong with the units' not sh -c 'cd /usr/lib/systemd/system && systemd-analyze verify --man=no reachyd*.service reachyd*.path 2>&1 | grep reachyd'
	systemd-analyze security --no-pager | grep reachyd | tee /tmp/exposure
	check 'no unit is exposed by more than 2.0' awk '$2 > 2 { bad = 1 } END { exit bad || NR < 3 }' /tmp/exposure
	udevadm verify --help >/dev/null 2>&1 && check 'udev finds nothing wrong with the rules' udevadm verify --no-style /usr/lib/udev/rules.d/60-reachyd.rules
	check 'a sentence' says left reachyctl say 'look left'
	simulated=$(grep -o 'model: .*' /etc/reachyd/reachyd.yaml)
	[ "$simulated" = 'model: auto' ] || check 'it has a simulated eye' simulate 'model: auto'
	check 'it sees the table' says duck reachyctl --timeout 10m say 'what do you see'
	[ "$simulated" = 'model: auto' ] || check 'and none any more' simulate "$simulated"
	espeak-ng -w /tmp/left.wav 'look left' && chmod 644 /tmp/left.wav
	check 'a recording of a member' says left member reachyctl listen /tmp/left.wav
	check 'a tool of a member' member sh -c 'cd /tmp && mkdir -m 755 mine && cd mine && reachyctl tool new shake_it && reachyctl --timeout 20m tool add shake_it.py' >/tmp/tool 2>&1
	tail -1 /tmp/tool
	check 'it runs' says times member reachyctl --timeout 5m tool call shake_it times=1
	check 'a stop by a member' says 'the body, directly' member reachyctl stop
	reachyctl reset >/dev/null
	check 'a stranger is kept out' not stranger ls /run/reachyd
	check 'and told how to join' says 'usermod -aG reachyd' stranger reachyctl doctor
	check 'the doctor of root sees the body' says 'body.sock answers' reachyctl doctor
	check 'the doctor of a member sees the body' says 'body.sock answers' member reachyctl doctor
	check 'he sees what each process takes, against its budget' says 'of 100 MiB' member reachyctl doctor
	check 'it knows that it has no network' says 'not in any network' reachyctl say 'what is your address?'
	was=$(pid reachyd-body); kill -9 "$was"
	check 'a body that died is back' other reachyd-body "$was"
	body=$(pid reachyd-body) sense=$(pid reachyd-sense) was=$(pid reachyd); kill -9 "$was"
	check 'a reachyd that died is back' other reachyd "$was"
	check 'the journal knows what is a warning' says '"level":"warn"' journalctl -b -u reachyd -p warning -o cat --no-pager
	check 'and what is none' not sh -c 'journalctl -b -u "reachyd*" -p warning -o cat --no-pager | grep "\"level\":\"info\""'
	check 'its body lived on' same reachyd-body "$body"
	check 'its senses lived on' same reachyd-sense "$sense"
	kill -STOP "$sense"
	check 'senses that hung are back' until_true other reachyd-sense "$sense"
	body=$(pid reachyd-body); kill -STOP "$body"
	check 'a body that hung is back' until_true other reachyd-body "$body"
	was=$(pid reachyd); kill -STOP "$was"
	check 'a reachyd that hung is back' until_true other reachyd "$was"
	systemctl restart reachyd
	check 'all are back after a restart' until_true all_run
	official # the official daemon gets the robot back
	before=$(sha256sum </etc/reachyd/reachyd.yaml)
	check 'the doctor finds the official daemon' says 'reachy-mini-daemon begins with the machine' reachyctl doctor
	check 'a stranger takes nothing over' says 'sudo reachyctl doctor take-over daemon' stranger reachyctl doctor take-over --yes
	check 'what the official daemon left is taken over' reachyctl doctor take-over --yes >/tmp/take 2>&1
	cat /tmp/take
	check 'its service is stopped and begins no more' not sh -c 'systemctl is-active reachy-mini-daemon || systemctl is-enabled reachy-mini-daemon'
	check 'all of ours run then' until_true all_run
	check 'the robot has its name' says 'robot "Ada-s-robot": reachyd runs' reachyctl doctor
	check 'it knows the moves' says happy listed pollen-robotics/emotions
	check 'which are of the user of the service' [ "$(stat -c %U /var/lib/reachyd/moves/pollen-robotics/emotions/happy.json)" = reachyd ]
	check 'going back' reachyctl doctor go-back --yes >/tmp/back 2>&1
	cat /tmp/back
	check 'the official daemon runs and begins with the machine' sh -c 'systemctl is-active reachy-mini-daemon && systemctl is-enabled reachy-mini-daemon'
	check 'ours does neither' not sh -c 'systemctl is-active reachyd || systemctl is-enabled reachyd'
	check 'and the settings are what they were' [ "$before" = "$(sha256sum </etc/reachyd/reachyd.yaml)" ]
	check 'taken over again' reachyctl doctor take-over --yes daemon >/tmp/take 2>&1
	tail -1 /tmp/take
	rm -r /home/pollen /etc/systemd/system/reachy-mini-daemon.service
	systemctl daemon-reload
	check 'all of ours are back' until_true all_run
	# Where the machine has control groups of the first version nspawn shows them read-only, so that systemd bounds nothing.
	[ ! -d /sys/fs/cgroup/memory ] || { mount -o remount,rw,bind /sys/fs/cgroup/memory && systemctl daemon-reexec; }
	systemctl restart reachyd
	check 'all are back, their memory bounded' until_true all_run
	check 'the kernel has the bound of the body' [ "$(bound reachyd-body)" = $((128 << 20)) ]
	check 'and counts what it takes' grep -q ':\(memory\)\?:.*/reachyd-body.service' "/proc/$(pid reachyd-body)/cgroup"
	reachyd=$(pid reachyd) body=$(pid reachyd-body) since=$(date '+%F %T')
	systemctl set-property --runtime reachyd-sense MemoryMax=16M
	p=$(pid reachyd-sense) # control groups of the second version end those that run, of the first only the next ones meet the bound
	[ "$p" = 0 ] || kill -9 "$p" || true
	check 'senses that take more than their bound are ended, again and again' until_true ended reachyd-sense "$since"
	check 'reachyd tells it' until_true says '"worker":"sense","status":"restarting"' journalctl -b --since "$since" -u reachyd -o cat --no-pager
	check 'and so does the doctor' says 'no reachy-sense runs' reachyctl doctor
	check 'the robot moves without them' says left reachyctl say 'look left'
	check 'its body is the same' same reachyd-body "$body"
	check 'its reachyd, too' same reachyd "$reachyd"
	systemctl set-property --runtime reachyd-sense MemoryMax=
	check 'with enough memory they are back' until_true all_run
	check 'and hear' until_true says left member reachyctl listen /tmp/left.wav
	systemctl stop reachyd
	check 'stop ends all' until_true none_run
	systemctl start reachyd
	check 'all are back before power goes' until_true all_run
	;;
2)
	check 'the units start after a reboot' until_true all_run
	check 'the key may power it off' says 'powers the machine off' journalctl -b -1 -u reachyd-power-off.service --no-pager
	check 'the robot lay down before power went' says 'parking the robot' journalctl -b -1 -u reachyd --no-pager
	# In its last run: the one before was killed above.
	check 'and its body ended well' not sh -c "journalctl -b -1 -u reachyd-body --no-pager | tac | sed '/Started/q' | grep -iE 'timed out|killed|failed'"
	check 'a backup by root' says 'files of' sh -c 'systemctl stop reachyd && reachyctl backup /root/robot.tar.gz'
	reachyctl privacy delete --yes >/dev/null
	check 'what was deleted is gone' not sh -c 'ls /var/lib/reachyd | grep -v models'
	check 'a restore by root' says 'files are back' reachyctl restore /root/robot.tar.gz
	systemctl start reachyd
	check 'the service starts on it' until_true all_run
	check 'a member reads what is kept' says 'only root' member reachyctl privacy
	check 'a stranger does not' says 'members of the group' stranger reachyctl privacy
	check 'the tool is still there' says shake_it reachyctl tool list
	check 'and runs' says times member reachyctl --timeout 5m tool call shake_it times=1
	check 'the conversation is still there' says 'look left' reachyctl session list
	was=$(pid reachyd)
	check 'the packages are installed over themselves' dpkg -i /debs/*.deb >/tmp/again 2>&1
	tail -1 /tmp/again
	check 'which starts the service anew' other reachyd "$was"
	check 'and loses nothing' says shake_it reachyctl tool list
	check 'removed' dpkg -r reachyd-sense reachyd-sim reachyd-python reachyd >/tmp/removed 2>&1
	tail -1 /tmp/removed
	check 'nothing runs' not sh -c 'cat /proc/[0-9]*/comm 2>/dev/null | grep ^reachy'
	check 'no unit failed' not sh -c 'systemctl list-units --failed --no-legend | grep reachy'
	for u in $(systemctl list-units --failed --no-legend --plain | grep -o '^reachy[^ ]*'); do
		systemctl show -p Id,Result,ExecMainStatus "$u"
		journalctl -b -u "$u" -n 12 -o cat --no-pager
	done
	dpkg --purge reachyd >/tmp/purged 2>&1
	check 'nothing is left' not sh -c 'ls -d /etc/systemd/system/*/reachyd* /var/lib/reachyd /var/cache/reachyd /run/reachy* /tmp/reachymini* /etc/reachyd 2>/dev/null | grep . || getent passwd reachyd'
	;;
esac
echo "end of boot $1"
[ "$1" = 1 ] || exit 0
# As the body does for the power key, which ends this script. If nothing comes of it try.service powers off, and the second boot sees that.
systemctl -q enable --now reachyd-power-off.path
setpriv --reuid reachyd --regid reachyd --clear-groups touch /run/reachyd/power-off
sleep 60
TRY
chmod +x "$tree/root/try.sh"
cat >"$tree/etc/systemd/system/try.service" <<UNIT
[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash -c 'n=\$\$(cat /root/boot); echo \$\$((n + 1)) >/root/boot; /root/try.sh \$\$n 2>&1 | tee /root/log.\$\$n >$console'
ExecStopPost=systemctl --no-block poweroff
[Install]
WantedBy=default.target
UNIT
chroot "$tree" systemctl -q enable try.service
echo 1 >"$tree/root/boot"
if [ "$arch" != "$own" ]; then
	chroot "$tree" systemctl -q mask serial-getty@ttyAMA0.service # the console is for what try.sh says
	chroot "$tree" sh -c 'cd /tmp && apt-get -qq download "$(apt-cache depends linux-image-cloud-arm64 | grep -o "linux-image-[0-9].*")"' >"$work/log" 2>&1 ||
		{ tail -5 "$work/log"; exit 1; }
	dpkg-deb --fsys-tarfile "$tree"/tmp/linux-image-*.deb | tar -xO --wildcards './boot/vmlinuz-*' >"$work/vmlinuz"
	rm "$tree"/tmp/linux-image-*.deb
	truncate -s 6G "$work/disk"
	mke2fs -q -F -t ext4 -d "$tree" "$work/disk"
	rm -rf --one-file-system "$tree"
fi
# nspawn and emulate boot the machine in the background, as $booted, and print what try.sh says.
nspawn() {
	timeout "${BOOT_PATIENCE:-1200}" systemd-nspawn -q --register=no --keep-unit --private-network --console=pipe -M "reachyd$$" -b -D "$tree" \
		>"$work/console" 2>&1 </dev/null &
	booted=$!
	wait $booted || true
	cp "$tree/root/log.$1" "$work/said" || tail -5 "$work/console"
	sed "s/^/boot $1  /" "$work/said"
}
emulate() {
	: >"$work/said"
	timeout "${BOOT_PATIENCE:-14400}" qemu-system-aarch64 -M virt -cpu cortex-a72 -smp 2 -m 2048 -icount shift=0,sleep=off -nodefaults -display none -no-reboot \
		-kernel "$work/vmlinuz" -append "root=/dev/nvme0n1 rw console=${console#/dev/} quiet systemd.show_status=0 panic=-1" \
		-drive "file=$work/disk,format=raw,if=none,id=disk,cache=unsafe" -device nvme,drive=disk,serial=1 -serial "file:$work/said" </dev/null >"$work/console" 2>&1 &
	booted=$!
	tail -n +1 -f --pid=$booted "$work/said" | tr -d '\r' | while IFS= read -r line; do say "boot $1  $line"; done
	wait $booted || true
	cat "$work/console"
}
failed=
for boot in 1 2; do
	if [ "$arch" = "$own" ]; then nspawn $boot; else emulate $boot; fi
	booted=
	grep -q "end of boot $boot" "$work/said" && ! grep -q FAILED "$work/said" || failed=1
done
[ -z "$failed" ] || { echo "boot.sh: $suite/$arch: FAILED"; exit 1; }
echo "boot.sh: $suite/$arch: ok"
