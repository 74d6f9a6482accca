#!/bin/sh
# Runs Eclipse Paho's interoperability suite against the broker inside reachyd and against mosquitto, and prints what passed.
# usage: cross/mqtt-suite.sh
# The suite (EPL/EDL, not part of reachyd) is fetched once into ${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}.
set -eu

commit=9d7bb80bb8b9d9cfc0b52f8cb4c1916401281103
source=${PAHO_SOURCE:-https://github.com/eclipse/paho.mqtt.testing.git}

fail() { echo "mqtt-suite.sh: $*" >&2; exit 1; }
cd "$(dirname "$0")/.."
cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
dest=$cache/paho-testing-$commit
command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ] || fail "there is no mosquitto; run make setup-test"
if [ ! -d "$dest" ]; then
	mkdir -p "$cache"
	work=$(mktemp -d "$cache/paho-new.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	git clone --quiet --bare "$source" "$work/git" || fail "cannot fetch the suite; set PAHO_SOURCE to a clone of $source"
	mkdir "$work/suite"
	git --git-dir "$work/git" archive "$commit" interoperability | tar -x -C "$work/suite"
	mv "$work/suite" "$dest"
fi
eval "$(cross/env.sh)"
PAHO_SUITE=$dest/interoperability go test -count=1 -v -timeout 20m -tags mqttsuite -run TestInteroperability ./daemon/gateway/mqtt
