#!/usr/bin/env bash
# Builds the programs with native parts (reachy-sense, reachy-sim) as a distribution and architecture have their libraries, in a tree of
# its own: Debian's and Ubuntu's compilers for arm64 run on a PC. As root; needs debootstrap and a mirror.
# Usage: packaging/native.sh GO SUITE ARCH OUT [TEST...]
#
# OUT gets reachy-sense, reachy-sim, and beside each NAME.depends, the packages whose libraries it needs. Each TEST is a package whose test
# program is built, too (OUT/perception-stt.test). The tree stays in the cache (tree-SUITE-ARCH, 2 GB) for the next time.
# LDFLAGS: those of the Go linker. UBUNTU_MIRROR, UBUNTU_PORTS: where Ubuntu's archives are.
set -eu
go=$1 suite=$2 arch=$3 out=$(realpath "$4")
shift 4
cd "$(dirname "$0")/.."
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
tree=$cache/tree-$suite-$arch
own=$(dpkg --print-architecture)
fail() { echo "native.sh: $suite/$arch: $*" >&2; exit 1; }
say() { echo "native.sh: $suite/$arch: $*" >&2; }
[ "$(id -u)" = 0 ] || fail "root makes the trees"
command -v debootstrap >/dev/null || fail "apt-get install debootstrap"
case $arch in arm64) triple=aarch64-linux-gnu ;; amd64) triple=x86_64-linux-gnu ;; *) fail "architecture $arch, allowed are amd64 and arm64" ;; esac

# In a mount namespace of its own, so that nothing stays mounted whatever ends this.
if [ -z "${REACHYD_UNSHARED:-}" ]; then
	out_goroot=$("$go" env GOROOT) out_modules=$("$go" env GOMODCACHE)
	REACHYD_UNSHARED=1 GOROOT_HERE=$out_goroot GOMODCACHE_HERE=$out_modules exec unshare --mount "$PWD/packaging/native.sh" "$go" "$suite" "$arch" "$out" "$@"
fi

mkdir -p "$cache"
exec 9>"$tree.lock"
flock 9
log=$tree.log
in_tree() {
	chroot "$tree" /usr/bin/env -i PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C TZ=UTC DEBIAN_FRONTEND=noninteractive "$@"
}
if [ ! -f "$tree/.complete" ]; then
	say "makes a tree with its compiler and libraries (once)"
	rm -rf "$tree"
	packaging/debootstrap.sh "$suite" "$tree" >"$log" 2>&1 || { tail -3 "$log" >&2; fail "debootstrap"; }
fi
mount -t proc proc "$tree/proc"
mount --rbind /dev "$tree/dev"
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
if [ ! -f "$tree/.complete" ]; then
	want=(libopencv-dev libmujoco-dev libegl-dev)
	compiler=(g++)
	if [ "$arch" != "$own" ]; then
		in_tree dpkg --add-architecture "$arch"
		compiler=("g++-$triple")
		want=("${want[@]/%/:$arch}")
		[ ! -f "$tree/etc/apt/ports.list" ] || mv "$tree/etc/apt/ports.list" "$tree/etc/apt/sources.list.d/"
	fi
	in_tree apt-get -qq update >>"$log" 2>&1 || { tail -3 "$log" >&2; fail "the archive for $arch cannot be had"; }
	in_tree apt-get -qq -y --no-install-recommends install "${compiler[@]}" pkg-config cmake make dpkg-dev ca-certificates "${want[@]}" >>"$log" 2>&1 ||
		{ tail -3 "$log" >&2; fail "its libraries cannot be had"; }
	in_tree apt-get clean
	touch "$tree/.complete"
fi

mkdir -p "$tree"/{src,out,cache,usr/local/go,gocache,modules} "$out"
mount --bind "$PWD" "$tree/src"
mount --bind "$GOROOT_HERE" "$tree/usr/local/go"
mount --bind "$GOMODCACHE_HERE" "$tree/modules"
mount --bind "$out" "$tree/out"
cp -u "$cache"/nodejs-whisper-*.tgz "$tree/cache/" 2>/dev/null || true
for=
[ "$arch" = "$own" ] || for=$arch
whisper=$(in_tree REACHYD_CACHE=/cache WHISPER_FOR=$for /src/cross/whisper.sh | tail -1)
[ -f "$tree$whisper/include/whisper.h" ] || fail "whisper.cpp"
here=(GOFLAGS=-trimpath GOCACHE=/gocache GOMODCACHE=/modules GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=1 GOARCH=$arch
	"CGO_CFLAGS=-O2 -g0 -I$whisper/include" "CGO_CXXFLAGS=-O2 -g0 -I$whisper/include" "CGO_LDFLAGS=-L$whisper/lib"
	CC=$triple-gcc CXX=$triple-g++ PKG_CONFIG=$triple-pkg-config "PKG_CONFIG_LIBDIR=/usr/lib/$triple/pkgconfig:/usr/share/pkgconfig")
in_tree sh -c "command -v $triple-pkg-config" >/dev/null || in_tree ln -s pkg-config "/usr/bin/$triple-pkg-config"
for p in reachy-sense reachy-sim; do
	say "builds $p"
	in_tree "${here[@]}" go -C /src build -buildvcs=false -tags 'mujoco opencv whisper' -ldflags "${LDFLAGS:--s -w -buildid=}" -o "/out/$p" "./cmd/$p" ||
		fail "$p"
	in_tree mkdir -p /shlibs/debian
	printf 'Source: reachyd\n\nPackage: reachyd\nArchitecture: any\n' >"$tree/shlibs/debian/control"
	in_tree sh -c "cd /shlibs && dpkg-architecture -a$arch -c dpkg-shlibdeps -O /out/$p" 2>>"$log" | sed -n 's/^shlibs:Depends=//p' >"$out/$p.depends"
	[ -s "$out/$p.depends" ] || fail "which packages $p needs is not known: $(tail -1 "$log")"
done
for t; do
	say "builds the tests of $t"
	in_tree "${here[@]}" go -C /src test -c -buildvcs=false -tags 'mujoco opencv whisper' -o "/out/$(tr / - <<<"${t#./}").test" "$t" || fail "tests of $t"
done
