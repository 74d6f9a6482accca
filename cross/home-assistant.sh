#!/usr/bin/env bash
# Puts the core of a real Home Assistant with its integrations of MQTT and OpenAI, from the Python registry, into an environment of its own
# in the user's cache, and runs home-assistant.py with it: usage: cross/home-assistant.sh [ARGUMENTS of home-assistant.py]
# Where it cannot be had (no Python 3.12 or newer, no registry) it says NOT TESTED and passes. bin/ must be built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/find-python.sh"
untested() { echo "home-assistant: NOT TESTED: $*" >&2; exit 0; }
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
python=$(find_python 12 13) || untested "Python 3.12 or 3.13 is needed"
case $("$python" -V) in # the newest that these take
*' 3.13.'*) version=2025.4.4 ;;
*) version=2025.1.4 ;;
esac
dir=$cache/home-assistant-$version-r2
if [ ! -f "$dir/complete" ]; then
	mkdir -p "$cache"
	exec 9>"$cache/home-assistant.lock" # one at a time
	flock 9
fi
if [ ! -f "$dir/complete" ]; then
	rm -rf "$dir"
	echo "home-assistant: fetching Home Assistant $version into $dir" >&2
	{
		"$python" -m venv "$dir" && "$dir/bin/pip" install -q uv &&
			"$dir/bin/uv" pip install -q --python "$dir/bin/python" --no-deps "homeassistant==$version" &&
			"$dir/bin/python" "$here/home-assistant.py" --requirements >"$dir/requirements.txt" &&
			"$dir/bin/uv" pip install -q --python "$dir/bin/python" -r "$dir/requirements.txt" \
				-c "$dir"/lib/python3.*/site-packages/homeassistant/package_constraints.txt
	} >&2 || { rm -rf "$dir"; untested "Home Assistant $version cannot be had"; }
	touch "$dir/complete"
fi
exec "$dir/bin/python" "$here/home-assistant.py" --bin "$here/../bin" "$@"
