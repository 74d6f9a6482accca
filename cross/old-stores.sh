#!/usr/bin/env bash
# Writes what earlier versions kept, as data for tests: each COMMIT is built, drives a simulated robot for some seconds, is told and
# taught things, and ends; its data directory becomes DIR/COMMIT.tar.gz. Usage: cross/old-stores.sh GO DIR COMMIT...
set -eu
go=$1 dir=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.."
work=$(mktemp -d)
daemon=
leave() {
	[ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon"; } || true
	for c in "$work"/*/; do git worktree remove --force "$c/src" 2>/dev/null || true; done
	rm -rf "$work"
}
trap leave EXIT
port=$((20000 + $$ % 20000))

for commit; do
	here=$work/$commit
	git worktree add -q --detach "$here/src" "$commit"
	for p in reachyd reachyctl reachy-body reachy-sim; do (cd "$here/src" && CGO_ENABLED=0 "$go" build -trimpath -o "$here/bin/$p" "./cmd/$p"); done
	export REACHYD_DATA_DIR=$here/data REACHYD_RUN_DIR=$here/run REACHYD_MQTT_LISTEN=127.0.0.1:$port REACHYD_HTTP_LISTEN= REACHYD_SENSE_RUN=never
	ctl() { timeout 60 "$here/bin/reachyctl" --broker "mqtt://127.0.0.1:$port" "$@"; }
	"$here/bin/reachyd" run --sim >"$here/log" 2>&1 &
	daemon=$!
	for _ in $(seq 150); do ctl state >/dev/null 2>&1 && break; sleep 0.2; done
	for words in 'look left' 'remember that my name is Anna' 'remember that the tea is in the blue tin'; do ctl say "$words"; done
	printf '%s\n' 'def say_twice(word: str) -> str:' '    """Say a word twice.' '' '    Args:' '        word: what to say.' '' '    Returns:' \
		'        The word, twice.' '    """' '    return word + " " + word' >"$here/say_twice.py"
	echo '[{"name": "hi", "input": {"word": "hi"}, "expected": "hi hi"}]' >"$here/say_twice.cases.json"
	ctl tool add "$here/say_twice.py"
	kill -TERM "$daemon"
	wait "$daemon" || true
	daemon=
	# A log of badger's is made large and mapped; what follows its records is zero.
	find "$here/data" -name '*.sock' -delete
	tar -C "$here/data" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct "$commit")" \
		--exclude=interpreters --exclude=models -cf - . | gzip -9n >"$dir/$commit.tar.gz"
	ls -l "$dir/$commit.tar.gz"
done
