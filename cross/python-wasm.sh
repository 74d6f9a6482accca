#!/bin/sh
# Builds the Python that runs self-made tools: CPython 3.13 for WebAssembly (wasip1 reactor), from Debian's own archive.
# usage: cross/python-wasm.sh [--print-dir]
# The result lies in ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}/python-<version>-r<recipe>:
#   python.wasm  the interpreter     lib/  its standard library     licences/  whose work it is     SHA256SUMS
# A second run finds it there and does nothing. It needs clang 19 (installed by apt when run as root), curl-less apt, make.
set -eu

version=3.13.5
recipe=1 # raise it when anything below, or python-reactor.c, changes what comes out
suite=trixie
source_sha=93e583f243454e6e9e4588ca2c2662206ad961659863277afcdb96801647d640
libc_version=0.0~git20241209.574b88d-2
libc_sha=b7716260051d289248b7667f81fa2792c125d888ff51da3fa09c6272cc0bd11d
llvm=19

here=$(cd "$(dirname "$0")" && pwd)
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dest=$cache/python-$version-r$recipe
[ "${1:-}" = --print-dir ] && { echo "$dest"; exit 0; }

fail() { echo "python-wasm.sh: $*" >&2; exit 1; }

# One builder at a time: test binaries of several packages may ask at once.
mkdir -p "$cache"
exec 9>"$cache/python.lock"
flock 9

if [ -f "$dest/SHA256SUMS" ]; then
  (cd "$dest" && sha256sum --quiet -c SHA256SUMS) && { echo "$dest"; exit 0; }
  echo "python-wasm.sh: $dest is damaged and is built again" >&2
fi

arch=$(dpkg --print-architecture 2>/dev/null) || fail "this is not a Debian system: there is no dpkg to build the lean Python with; cross/numpy-pack.sh fetches a larger one by pip, which runs all tools too"
gnu=$(dpkg-architecture -q DEB_HOST_MULTIARCH 2>/dev/null || echo "$(uname -m)-linux-gnu")

if ! command -v clang-$llvm >/dev/null || ! command -v wasm-ld-$llvm >/dev/null || ! command -v llvm-ar-$llvm >/dev/null ||
  ! dpkg -s libclang-rt-$llvm-dev-wasm32 >/dev/null 2>&1; then
  packages="clang-$llvm lld-$llvm llvm-$llvm libclang-rt-$llvm-dev-wasm32"
  [ "$(id -u)" = 0 ] || fail "the compiler is missing; run: sudo apt-get install --no-install-recommends $packages"
  apt-get install -y --no-install-recommends $packages >/dev/null || fail "could not install $packages"
fi

work=$cache/python-build.$$
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
mkdir -p "$work/apt/state/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/sources" "$work/fetch"

# The archive comes from the mirror this machine already uses, through an apt of its own so that nothing here changes.
mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -m1 '/debian/$') || fail "apt knows no Debian mirror (this is not Debian) to build the lean Python from; cross/numpy-pack.sh fetches a larger one by pip, which runs all tools too"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$mirror" $suite $keyring >"$work/apt/sources/$suite.sources"
: >"$work/apt/state/status"
cat >"$work/apt/apt.conf" <<CONF
Dir::State "$work/apt/state";
Dir::State::status "$work/apt/state/status";
Dir::Cache "$work/apt/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/apt/sources";
Acquire::Languages "none";
APT::Sandbox::User "root";
CONF
(
  export APT_CONFIG="$work/apt/apt.conf"
  cd "$work/fetch"
  apt-get update -qq || fail "could not read the index of $suite from $mirror"
  apt-get download -qq "wasi-libc=$libc_version" python3.13-minimal libpython3.13-minimal libpython3.13-stdlib \
    libc6 libexpat1 zlib1g libssl3t64 || fail "could not fetch wasi-libc $libc_version or Python 3.13 from $mirror"
  apt-get source -qq --download-only --only-source python3.13 >/dev/null || fail "could not fetch the source of Python 3.13 from $mirror"
)
cd "$work/fetch"
check() { echo "$1  $2" | sha256sum --quiet -c - || fail "$2 is not the file this script was written for"; }
check $source_sha python3.13_$version.orig.tar.xz
for f in wasi-libc_*.deb; do check $libc_sha "$f"; dpkg -x "$f" "$work/sysroot"; done

# CPython is cross-built with the help of a native CPython of the same version. Debian's is unpacked, with the C library
# it wants, instead of building one: that alone would take longer than everything else.
for f in python3.13-minimal_*.deb libpython3.13-*.deb libc6_*.deb libexpat1_*.deb zlib1g_*.deb libssl3t64_*.deb; do dpkg -x "$f" "$work/native"; done
loader=$(find "$work/native" -name 'ld-linux*' -type f | head -n1)
cat >"$work/python3.13" <<WRAPPER
#!/bin/sh
PYTHONHOME=$work/native/usr exec $loader --library-path $work/native/usr/lib/$gnu $work/native/usr/bin/python3.13 "\$@"
WRAPPER
chmod +x "$work/python3.13"
"$work/python3.13" -c '' || fail "Debian's native Python for $arch does not run here"

mkdir "$work/source" "$work/build"
tar -xf python3.13_$version.orig.tar.xz -C "$work/source" --strip-components=1
sysroot=$work/sysroot/usr
target="--target=wasm32-wasi --sysroot=$sysroot"
export CC="clang-$llvm $target" CXX="clang++-$llvm $target" CPP="clang-cpp-$llvm $target" AR=llvm-ar-$llvm RANLIB=llvm-ranlib-$llvm
export CONFIG_SITE="$work/source/Tools/wasm/config.site-wasm32-wasi" PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=/nonexistent
export OPT='-DNDEBUG -O3 -Wall' CFLAGS="-ffile-prefix-map=$work=." SOURCE_DATE_EPOCH=0 HOSTRUNNER=true
cd "$work/build"
log=$work/log
"$work/source/configure" -C --host=wasm32-unknown-wasip1 --build="$(uname -m)-linux-gnu" --with-build-python="$work/python3.13" \
  --without-ensurepip --disable-test-modules --without-doc-strings --prefix=/python >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "configure failed"; }
cat >reactor.mk <<'MAKE'
include Makefile
reactor.o: $(REACTOR)
	$(CC) -c $(PY_CORE_CFLAGS) -o $@ $<
reactor.wasm: reactor.o $(LINK_PYTHON_DEPS)
	$(CC) -mexec-model=reactor -Wl,-z,stack-size=8388608,--stack-first,--strip-all,--gc-sections -o $@ reactor.o $(LINK_PYTHON_OBJS) $(LIBS) $(MODLIBS) $(SYSLIBS)
MAKE
make -j"$(nproc)" -f reactor.mk REACTOR="$here/python-reactor.c" reactor.wasm >>"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "the build failed"; }

new=$cache/python-new.$$
rm -rf "$new"
mkdir -p "$new/licences"
cp reactor.wasm "$new/python.wasm"
cp -r "$work/source/Lib" "$new/lib"
(cd "$new/lib" && rm -rf test idlelib tkinter turtledemo ensurepip lib2to3 pydoc_data venv site-packages curses dbm sqlite3 multiprocessing msilib)
find "$new/lib" -type d \( -name test -o -name tests -o -name __pycache__ \) -prune -exec rm -rf {} +
find "$new/lib" -type f ! -name '*.py' -delete
cp "$work/source/LICENSE" "$new/licences/cpython"
cp "$sysroot/share/doc/wasi-libc/copyright" "$new/licences/wasi-libc"
cp "/usr/share/doc/libclang-rt-$llvm-dev-wasm32/copyright" "$new/licences/compiler-rt"
(cd "$new" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
rm -rf "$dest"
mv "$new" "$dest"
echo "$dest"
