#!/usr/bin/env bash
# Builds packaging/Containerfile with podman and uses the simulated robot in it: a sentence, a tool, the page by a token, a stop, another container
# on the same volume; the broker stays closed to others.
# As root; needs podman and a mirror. Usage: packaging/container.sh PACKAGES, as make packages leaves them on a Debian 12.
#
# The image that it begins from is a fresh tree by debootstrap under the name of the published one. Images and containers lie in a directory of
# their own, which goes. The container has a network of its own without a way out, so that no port of this host is taken.
set -eu
packages=$(realpath "${1:?PACKAGES}")
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "container.sh: root makes the tree" >&2; exit 1; }
command -v podman >/dev/null || { echo "container.sh: NOT TESTED: apt-get install podman"; exit 0; }
compgen -G "$packages/reachyd-sim_*+debian12_amd64.deb" >/dev/null || { echo "container.sh: NOT TESTED: make packages NATIVE=bookworm/amd64"; exit 0; }
[ -n "${REACHYD_UNSHARED:-}" ] || REACHYD_UNSHARED=1 exec unshare --mount "$PWD/packaging/container.sh" "$packages"
umount /sys/fs/cgroup/unified 2>/dev/null || true # crun knows one kind of control groups or the other; here, where only it looks, there is one
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd} image=docker.io/library/debian:bookworm-slim
work=$(mktemp -d) failed=
pod() { podman --root "$work/images" --runroot "$work/run" --storage-driver vfs --cgroup-manager cgroupfs "$@"; }
leave() { pod rm -fa >/dev/null 2>&1 || true; pod volume rm -fa >/dev/null 2>&1 || true; rm -rf --one-file-system "$work"; }
trap leave EXIT
trap 'exit 1' INT TERM
check() { local what=$1; shift; if "$@" >"$work/said" 2>&1; then echo "ok      $what"; else echo "FAILED  $what"; tail -3 "$work/said"; failed=1; fi; }
says() { local want=$1; shift; "$@" 2>&1 | tee "$work/text" | grep -qi -- "$want" || { tail -3 "$work/text"; return 1; }; }
not() { ! "$@"; }
until_true() { for _ in $(seq 240); do "$@" >/dev/null 2>&1 && return; sleep 0.5; done; return 1; }
here() { pod exec robot "$@"; }
page() { nsenter -t "$pid" -n curl -sk -m 60 -o /dev/null -w '%{http_code}\n' "$@"; }
start() { # options
	pod run -d --name robot --pull=never --cgroups=disabled --network=none --ulimit "nofile=$(ulimit -Hn):$(ulimit -Hn)" \
		--ulimit nproc=4096:4096 -v life:/var/lib/reachyd "$@" reachyd
}
why() { pod wait robot >/dev/null; pod logs robot; }
end() { pod stop -t 60 robot && [ "$(pod inspect -f '{{.State.ExitCode}}' robot)" = 0 ]; }

base=$cache/base-bookworm-amd64.tar
if [ ! -f "$base" ]; then
	base=$work/base.tar
	REACHYD_DEBS=$cache/debs packaging/debootstrap.sh bookworm "$work/tree" amd64 >"$work/log" 2>&1 || { echo "container.sh: NOT TESTED: its archive cannot be had"; exit 0; }
	tar -C "$work/tree" --numeric-owner -cf "$base" .
fi
pod import -q "$base" $image >/dev/null
check 'the container file is built' pod build --pull-never --isolation=chroot --network=host -t reachyd -f packaging/Containerfile "$packages"
check 'a container of it starts' start
check 'the simulated robot runs' until_true here reachyctl state
check 'it is no root' says '^reachyd$' here id -un
check 'a sentence' says left here reachyctl say 'look left'
check 'a tool' here sh -c 'cd /tmp && mkdir mine && cd mine && reachyctl tool new shake_it && reachyctl --timeout 20m tool add shake_it.py'
pid=$(pod inspect -f '{{.State.Pid}}' robot)
nsenter -t "$pid" -n ip address add 192.0.2.1/32 dev lo # as others come to it
check 'its page asks others for a token' says 401 page https://192.0.2.1:8000/
check 'nothing is told unencrypted' not says 200 page http://192.0.2.1:8000/
check 'a token' here sh -c 'reachyctl token add ada >/tmp/token'
check 'with it, the page' says 200 page -H "Authorization: Bearer $(here head -n 1 /tmp/token)" https://192.0.2.1:8000/
check 'it lies down and ends at a stop' end
pod rm robot >/dev/null
check 'another one on the same volume' start
check 'it runs' until_true here reachyctl state
check 'the tool is still there' says shake_it here reachyctl tool list
check 'and ends' end
pod rm robot >/dev/null
check 'a broker that everybody may use is refused' start -e REACHYD_MQTT_LISTEN=0.0.0.0:1883
check 'and it is said why' says 'allowed: .* mqtt.users' why
[ -z "$failed" ] || { echo "container.sh: FAILED"; exit 1; }
echo "container.sh: ok"
