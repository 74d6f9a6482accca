#!/usr/bin/env bash
# Builds the Debian packages, and an archive with an install script, into dist/packages. Usage: packaging/build.sh GO TAGS [ARCH...]
#
# The same commit gives the same bytes: paths are trimmed, times are the commit's (SOURCE_DATE_EPOCH), owners are root. The programs with
# native parts (reachyd-sense, reachyd-sim) are built for this machine's architecture and distribution, whose name is in their version:
# their libraries (OpenCV, MuJoCo) have other versions elsewhere. NATIVE='bookworm/arm64 trixie/amd64' builds them for others, too, in trees
# that packaging/native.sh makes (as root). REACHYD_VERSION sets the version; by default it counts commits.
set -eu
go=$1 tags=$(echo $2) # one line
shift 2
own=$(dpkg --print-architecture)
[ $# -gt 0 ] || set -- amd64 arm64
cd "$(dirname "$0")/.."
umask 022
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} LC_ALL=C TZ=UTC
version=${REACHYD_VERSION:-0.1+git$(git rev-list --count HEAD).$(git rev-parse --short=7 HEAD)}
ldflags="-s -w -buildid= -X github.com/reachyd/reachyd/daemon.Version=$version -X main.buildVersion=$version"
out=${REACHYD_PACKAGES:-$PWD/dist/packages}
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$out"

cross/web.sh >&2 # the libraries of the page are embedded
build() { "$go" build -trimpath -buildvcs=false -ldflags "$ldflags" "$@"; }
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)

# Help, completions and settings are the same for every architecture; they come from programs that run here.
tools=$stage/tools
mkdir -p "$tools"
for p in reachyd reachyctl; do CGO_ENABLED=0 build -o "$tools/$p" "./cmd/$p"; done
"$go" build -o "$stage/man" ./packaging/man
quiet() { env -i HOME=/nonexistent PATH="$PATH" "$@"; }

docs() { # root package version
	mkdir -p "$1/usr/share/doc/$2"
	cp packaging/files/copyright "$1/usr/share/doc/$2/"
	printf '%s (%s) unstable; urgency=medium\n\n  * As the history of the repository has it.\n\n -- The reachyd authors <reachyd@users.noreply.github.com>  %s\n' \
		"$2" "$3" "$(date -R -u -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$1/usr/share/doc/$2/changelog.gz"
}

pack() { # package arch root [distribution]
	local root=$3 size full=$version${4:++$4}
	docs "$root" "$1" "$full"
	mkdir -p "$root/DEBIAN"
	size=$((($(find "$root" -type f -printf '%s+')0) / 1024 + 1)) # a directory's own size is the file system's affair
	{
		printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: The reachyd authors <reachyd@users.noreply.github.com>\nPriority: optional\nInstalled-Size: %s\n' \
			"$1" "$full" "$2" "$size"
		sed -e "s/\${version}/$version/" -e "s/\${shlibs}/${shlibs:-}/" "packaging/control/$1"
	} >"$root/DEBIAN/control"
	(cd "$root" && find usr etc -type f 2>/dev/null | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
	find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	chmod -R go-w,a+rX "$root"
	dpkg-deb --root-owner-group -Zgzip -z9 --build "$root" "$out/$1_${full}_$2.deb" >/dev/null
	echo "$out/$1_${full}_$2.deb"
}

core() { # arch: the tree of package reachyd
	local root=$stage/reachyd-$1
	mkdir -p "$root"/usr/lib/{reachyd,systemd/system,sysusers.d,tmpfiles.d,udev/rules.d} "$root"/usr/bin "$root"/etc/reachyd \
		"$root"/usr/share/{man/man1,bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d,doc/reachyd/examples}
	for p in reachyd reachyctl reachy-body reachy-learn; do CGO_ENABLED=0 GOOS=linux GOARCH=$1 build -o "$root/usr/lib/reachyd/$p" "./cmd/$p"; done
	for p in reachyd reachyctl; do
		ln -s "../lib/reachyd/$p" "$root/usr/bin/$p"
		quiet "$stage/man" "$tools/$p" 1 "$date" | gzip -9n >"$root/usr/share/man/man1/$p.1.gz"
		quiet "$tools/$p" completion bash >"$root/usr/share/bash-completion/completions/$p"
		quiet "$tools/$p" completion zsh >"$root/usr/share/zsh/vendor-completions/_$p"
		quiet "$tools/$p" completion fish >"$root/usr/share/fish/vendor_completions.d/$p.fish"
	done
	cp -r systemd/* "$root/usr/lib/systemd/system/"
	cp packaging/files/sysusers.conf "$root/usr/lib/sysusers.d/reachyd.conf"
	cp packaging/files/tmpfiles.conf "$root/usr/lib/tmpfiles.d/reachyd.conf"
	cp packaging/files/udev.rules "$root/usr/lib/udev/rules.d/60-reachyd.rules"
	cp packaging/files/reachyd.yaml "$root/etc/reachyd/"
	cp daemon/config/reachyd.yaml "$root/usr/share/doc/reachyd/examples/"
	cp README.md docs/topics.md "$root/usr/share/doc/reachyd/"
	cp -r firmware-notes "$root/usr/share/doc/reachyd/"
}

archive() { # arch: for systems without dpkg, and for containers
	local name=reachyd-$version-linux-$1
	mkdir -p "$stage/$name/root"
	cp -a "$stage/reachyd-$1"/{usr,etc} "$stage/$name/root/"
	cp packaging/files/install.sh LICENSE "$stage/$name/"
	find "$stage/$name" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | zstd -q -9 -T1 -f -o "$out/$name.tar.zst"
	echo "$out/$name.tar.zst"
}

shlibdeps() { # binary: the packages whose libraries it needs
	local dir=$stage/shlibs
	mkdir -p "$dir/debian"
	printf 'Source: reachyd\n\nPackage: reachyd\nArchitecture: any\n' >"$dir/debian/control"
	(cd "$dir" && dpkg-shlibdeps -O "$1" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

for arch; do
	core "$arch"
	archive "$arch"
	root=$stage/reachyd-$arch
	mkdir -p "$root/DEBIAN"
	cp packaging/scripts/{postinst,prerm,postrm} "$root/DEBIAN/"
	echo /etc/reachyd/reachyd.yaml >"$root/DEBIAN/conffiles"
	pack reachyd "$arch" "$root"
done

native() { # package arch distribution binary
	local root=$stage/reachyd-$1-$2-$3
	mkdir -p "$root/usr/lib/reachyd"
	cp "$4" "$root/usr/lib/reachyd/reachy-$1"
	shlibs=$5 pack "reachyd-$1" "$2" "$root" "$3"
}
here=$(. /etc/os-release && echo "$ID$VERSION_ID")
[[ " $* " == *" $own "* ]] && for p in sense sim; do
	case $p in sense) need=whisper ;; sim) need=mujoco ;; esac
	[[ " $(echo $tags) " == *" $need "* ]] || { echo "reachyd-$p for $own: not built, this machine lacks $need" >&2; continue; }
	build -tags "$tags" -o "$stage/reachy-$p" "./cmd/reachy-$p"
	native $p "$own" "$here" "$stage/reachy-$p" "$(shlibdeps "$stage/reachy-$p")"
done
for other in ${NATIVE:-}; do
	suite=${other%/*} arch=${other#*/}
	case $suite in bookworm) name=debian12 ;; trixie) name=debian13 ;; jammy) name=ubuntu22.04 ;; noble) name=ubuntu24.04 ;; *) name=$suite ;; esac
	LDFLAGS=$ldflags packaging/native.sh "$go" "$suite" "$arch" "$stage/$suite-$arch" >&2 || { echo "reachyd-sense, reachyd-sim for $other: not built" >&2; continue; }
	for p in sense sim; do native $p "$arch" "$name" "$stage/$suite-$arch/reachy-$p" "$(cat "$stage/$suite-$arch/reachy-$p.depends")"; done
done

# The interpreters of self-made tools, as cross/python-wasm.sh and cross/quickjs-wasm.sh left them in the cache.
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
root=$stage/reachyd-python
found=
for script in python-wasm quickjs-wasm; do
	dir=$(grep -o '"[a-z0-9.-]*", "cross/'$script toolsandbox/guest/interpreters/interpreters.go | cut -d'"' -f2)
	[ -f "$cache/$dir/SHA256SUMS" ] || { echo "reachyd-python: without $dir, see cross/$script.sh" >&2; continue; }
	mkdir -p "$root/usr/lib/reachyd/interpreters"
	cp -r "$cache/$dir" "$root/usr/lib/reachyd/interpreters/"
	find "$root/usr/lib/reachyd/interpreters/$dir" -type f -exec chmod a-x {} + # no program of the system
	found=1
done
[ -z "$found" ] || pack reachyd-python all "$root"
