#!/usr/bin/env bash
# Sets the clock of a virtual machine, in which a simulated robot is in use, to and fro: from 1970 to now, an hour and years ahead and
# back, over the edge of 2038. The machine is emulated by qemu and has a clock of its own; that of this host is never set.
# Usage: cross/clock.sh GO. Needs qemu-system-x86_64; fetches a kernel of Debian 12 once, into the user's cache.
set -eu -o pipefail
go=${1:?the Go command}
cd "$(dirname "$0")/.."
. cross/fetch.sh
command -v qemu-system-x86_64 >/dev/null || { echo "clock.sh: NOT TESTED: apt-get install --no-install-recommends qemu-system-x86 seabios"; exit 0; }
abi=6.1.0-56-cloud-amd64 version=6.1.192-2 kernel=$cache/kernel-6.1.192-2
if [ ! -f "$kernel/SHA256SUMS" ]; then
	(
		begin kernel kernel-$version
		deb=linux-image-${abi}_${version}_amd64.deb
		have "$deb" || (cd "$work" && apt-get download "linux-image-$abi=$version" >/dev/null 2>&1) || fail "NOT TESTED: $deb cannot be had from this host's mirror"
		check e7d02b943971edcb8790e256c02cfab3bca6c3d37c1bf25392a57c71300615ee "$deb"
		mkdir "$work/new"
		dpkg-deb --fsys-tarfile "$work/$deb" | tar -xO "./boot/vmlinuz-$abi" >"$work/new/vmlinuz"
		finish
	) >/dev/null
fi
machine=$(mktemp -d)
trap 'rm -rf "$machine"' EXIT
trap 'exit 1' INT TERM
for p in cmd/reachyd cmd/reachy-body cmd/reachy-sim cross/clock; do CGO_ENABLED=0 $go build -trimpath -ldflags '-s -w' -o "$machine/${p##*/}" "./$p"; done
"$machine/clock" pack "$machine/clock" "$machine"/reach* | gzip -1 >"$machine/initrd"
# With -icount the machine's time is what it has executed: a host that has little time for it makes it slower, not late.
timeout "${CLOCK_PATIENCE:-3600}" qemu-system-x86_64 -machine q35,accel=tcg -cpu max -m 1024 -icount shift=0,sleep=off -nographic -nodefaults -serial stdio \
	-no-reboot -kernel "$kernel/vmlinuz" -initrd "$machine/initrd" -append 'console=ttyS0 quiet panic=-1 random.trust_cpu=on' | tr -d '\r' | tee "$machine/said"
echo 'clock.sh: not shown: the hours after which retention looks, MQTT messages with a time to live, senses and self-made tools, which this machine has not'
grep -Eq '^clock: [1-9][0-9]* rows, 0 failed' "$machine/said"
