#!/usr/bin/env bash
# Puts a real Open WebUI, from the Python registry, into an environment of its own in the user's cache (2 GB; without what listens,
# reads and ranks documents itself, which brings torch along and is not used) and runs open-webui.py with it: its server talks to the
# simulated robot as to OpenAI. Where it cannot be had (no Python 3.11 or 3.12, no registry) it says NOT TESTED and passes. bin/ must be built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/find-python.sh"
untested() { echo "open-webui: NOT TESTED: $*" >&2; exit 0; }
version=0.12.4
sum=02e9caba96234db3fa17a92e56163b3f7f2b8ca8227fa886b85c178d696483f6
left_out='accelerate|einops|faster-whisper|opencv-python-headless|rapidocr|sentence-transformers|transformers'
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dir=$cache/open-webui-$version-r1
if [ ! -f "$dir/complete" ]; then
	mkdir -p "$cache"
	exec 9>"$cache/open-webui.lock" # one at a time
	flock 9
fi
if [ ! -f "$dir/complete" ]; then
	python=$(find_python 11 12) || untested "Python 3.11 or 3.12 is needed"
	rm -rf "$dir"
	echo "open-webui: fetching Open WebUI $version into $dir" >&2
	{
		"$python" -m venv "$dir" && "$dir/bin/pip" install -q uv &&
			"$dir/bin/pip" download -q --no-deps -d "$dir" "open-webui==$version" &&
			echo "$sum  $dir/open_webui-$version-py3-none-any.whl" | sha256sum --quiet -c - &&
			"$dir/bin/uv" pip install -q --no-cache --python "$dir/bin/python" --no-deps "$dir/open_webui-$version-py3-none-any.whl" &&
			rm "$dir/open_webui-$version-py3-none-any.whl" &&
			"$dir/bin/python" -c 'import importlib.metadata as m; print("\n".join(r for r in m.requires("open-webui") if "extra ==" not in r))' |
			grep -vE "^($left_out)\b" >"$dir/requirements.txt" &&
			"$dir/bin/uv" pip install -q --no-cache --python "$dir/bin/python" -r "$dir/requirements.txt"
	} >&2 || { rm -rf "$dir"; untested "Open WebUI $version cannot be had"; }
	touch "$dir/complete"
fi
[ "${1:-}" != --fetch ] || exit 0
exec "$dir/bin/python" "$here/open-webui.py" --bin "$here/../bin" "$@"
