#!/usr/bin/env bash
# Runs the tests of what the robot's arm64 processor runs differently, in qemu-user on another machine. Usage: cross/test-arm64.sh GO
# What it says is about results only: processor time under emulation means nothing, so that tests of time and of kernel walls (Landlock,
# seccomp, memory locks) are not among them. Tests with native parts run where packaging/native.sh has built them (root, once).
# ARM64_PATIENCE is how many seconds a package may take (1800): a busy machine needs more. ARM64_ONLY names the packages that are to run (all).
set -eu
go=$1
cd "$(dirname "$0")/.."
qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || { echo "test-arm64: NOT TESTED: apt-get install qemu-user-static"; exit 0; }
export GOFLAGS=-trimpath
patience=${ARM64_PATIENCE:-1800} failed=
try() { # name command…
	local name=$1 begin=$SECONDS said
	shift
	[[ " ${ARM64_ONLY:-$name} " == *" $name "* ]] || return 0
	if said=$("$@" 2>&1); then
		printf '%4d s  ok      %s\n' $((SECONDS - begin)) "$name"
	else
		printf '%4d s  FAILED  %s\n' $((SECONDS - begin)) "$name"
		tail -n 20 <<<"$said"
		failed+=" $name"
	fi
}
pure() { # package pattern
	try "$1" env GOARCH=arm64 CGO_ENABLED=0 timeout "$((patience + 60))" "$go" test -count=1 -timeout "${patience}s" -exec "$qemu" \
		-run "${2:-.}" ${3:+-skip "$3"} "$1"
}
pure ./hal/kinematics
pure ./hal/dynamixel . TestSerialSettings # qemu-user does not pass on the speed of a line
pure ./hal/motion
pure ./agents/planner
pure ./learner/nn
pure ./perception/weights
pure ./toolsandbox/guest 'Remainder'

# Native parts: the test programs come from a tree of the distribution, whose libraries qemu uses.
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
tree=$cache/tree-bookworm-arm64 # QEMU_LD_PREFIX says so to what the tests start
# What alternatives would name in a tree that was configured.
libraries=/usr/lib/aarch64-linux-gnu/lapack:/usr/lib/aarch64-linux-gnu/blas
natives=(perception/stt perception/vad perception/vision hal/mujoco)
if [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
	if packaging/native.sh "$go" bookworm arm64 "$out" "${natives[@]/#/./}"; then
		for p in "${natives[@]}"; do
			try "./$p" env -C "$p" QEMU_LD_PREFIX="$tree" LD_LIBRARY_PATH=$libraries timeout "$((patience + 60))" "$qemu" -L "$tree" "$out/$(tr / - <<<"$p").test" -test.timeout "${patience}s"
		done
	else
		failed+=" native"
	fi
else
	echo "test-arm64: NOT TESTED: ${natives[*]} (as root, with debootstrap)"
fi
[ -z "$failed" ] || { echo "test-arm64: failed:$failed"; exit 1; }
echo "test-arm64: ok"
