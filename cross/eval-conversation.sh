#!/usr/bin/env bash
# Holds ten minutes of conversation with a simulated robot and all its processes, aloud: synthesisers that no tuning used speak into its
# microphone (a named pipe), Whisper tiny.en q8_0 hears, a language model of a local Ollama server answers, its loudspeaker is a WAV file.
# $1: the Go command. MODEL: qwen2.5-coder-1.5b (default), qwen2.5-coder-0.5b, or none; KEEP: directory for transcript, sound and log
# (conversation); LINES_FILE: one in place of agents/eval/spoken/lines.txt; COUNT: only so many lines; PATIENCE (90s), SETTLE (60s): for an
# answer, and for the model to be read before the first line; THREADS of the model (2).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/voices.sh"
go=$1 model=${MODEL:-qwen2.5-coder-1.5b} keep=${KEEP:-conversation}
[ -x "$here/../bin/reachy-sense" ] || fail "bin/reachy-sense is not built: make build"
voices
dir=$(mktemp -d) # short: the paths of sockets are limited
server=
finish() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
	rm -rf "$dir"
}
trap finish EXIT
mkdir -p "$keep" "$dir/bin"
for m in tiny.en-q8_0 silero-v6.2.0; do
	"$here/../bin/reachyctl" models pull "$m" --dir "$cache/models" >/dev/null
done
"$go" build -o "$dir/bin/spoken" ./agents/eval/spoken
lines=()
[ -z "${LINES_FILE:-}" ] || lines=(-lines "$LINES_FILE")
"$dir/bin/spoken" -list "${lines[@]}" >"$dir/lines"
"$python" "$here/../perception/stt/train/lines.py" "$work/lines" "$dir/speech" <"$dir/lines"

export REACHYD_LLM_URL= REACHYD_IDLE=${REACHYD_IDLE:-off} REACHYD_SENSE_MODELS=$cache/models
name="without a model"
if [ "$model" != none ]; then
	"$here/../bin/reachyctl" models pull "$model" --dir "$cache/models" >/dev/null
	file=$("$here/../bin/reachyctl" models list --json | sed -n "s/.*\"name\": *\"$model\".*\"path\": *\"\([^\"]*\)\".*/\1/p")
	[ -n "$file" ] || file=$(ls "$cache"/models/"$model"-*.gguf)
	ollama=$("$here/ollama.sh")
	mkdir "$dir/ollama"
	HOME=$dir/ollama OLLAMA_MODELS=$dir/ollama/models OLLAMA_HOST=127.0.0.1:0 OLLAMA_NOHISTORY=1 OLLAMA_NO_CLOUD=1 "$ollama" serve >"$keep/ollama.log" 2>&1 &
	server=$!
	port=
	for _ in $(seq 600); do
		port=$(sed -n 's/.*Listening on 127\.0\.0\.1:\([0-9]*\).*/\1/p' "$keep/ollama.log")
		[ -z "$port" ] || break
		sleep 0.1
	done
	[ -n "$port" ] || fail "the Ollama server does not listen: $(tail -n 1 "$keep/ollama.log")"
	printf 'FROM %s\nTEMPLATE """%s"""\nPARAMETER stop <|im_end|>\nPARAMETER stop <|im_start|>\n' "$file" \
		'{{ range .Messages }}<|im_start|>{{ .Role }}
{{ .Content }}<|im_end|>
{{ end }}<|im_start|>assistant
' >"$dir/modelfile"
	HOME=$dir/ollama OLLAMA_HOST=127.0.0.1:$port "$ollama" create "$model" -f "$dir/modelfile" >/dev/null 2>"$keep/create.log" || fail "the server does not take $model: $(tail -n 1 "$keep/create.log")"
	export REACHYD_LLM_URL=http://127.0.0.1:$port REACHYD_LLM_THREADS=${THREADS:-2}
	name=$model
fi
echo "eval-conversation: $(wc -l <"$dir/lines") lines, $name, load $(cut -d' ' -f1-3 /proc/loadavg); all of it will be in $keep" >&2
"$dir/bin/spoken" "${lines[@]}" -reachyd "$here/../bin/reachyd" -speech "$dir/speech" -dir "$dir" -keep "$keep" -name "$name" \
	-patience "${PATIENCE:-90s}" -settle "${SETTLE:-60s}" -count "${COUNT:-0}" | tee "$keep/table.txt"
echo "load $(cut -d' ' -f1-3 /proc/loadavg)" | tee -a "$keep/table.txt"
