#!/usr/bin/env bash
# What a machine with a GPU and without network needs to train the tuning, in two folders of about 40 MB: far/carry.sh OUT
# There, from the root of the repository, one after the other (results in $OUT/hear):
#   HEAR_SECONDS=60  python3 perception/stt/tuning/far/far.py OUT/speak speak     Kokoro on the GPU, espeak on the cores
#   HEAR_SECONDS=420 python3 perception/stt/tuning/far/far.py OUT/train train     flite and espeak for 40 s, then training
# Needs what cross/tuning.sh has fetched. PyTorch, numpy and onnx must be there on the other machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../../../cross/voices.sh"
out=$1 lib=/usr/lib/x86_64-linux-gnu
export PYTHONPATH=$here/..:$here/../../train:${PYTHONPATH:-} PYTHONDONTWRITEBYTECODE=1
mkdir -p "$out"/{speak,train}
tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT

mkdir -p "$tmp"/{espeak,flite}/{bin,lib} "$tmp"/espeak/espeak-ng-data/{voices,lang/gmw}
cp /usr/bin/espeak-ng "$tmp/espeak/bin"
cp -L $lib/lib{espeak-ng.so.1,sonic.so.0} "$tmp/espeak/lib"
(cd $lib/espeak-ng-data && cp en_dict phondata phonindex phontab intonations "$tmp/espeak/espeak-ng-data" &&
	cp -r 'voices/!v' "$tmp/espeak/espeak-ng-data/voices" && cp lang/gmw/en* "$tmp/espeak/espeak-ng-data/lang/gmw")
# Nothing is played there: the library for it, and flite's other voices, are stood in for.
nm -D --undefined-only $lib/libespeak-ng.so.1 | grep -oE '(create_audio|audio_object)\w*' | sed 's/.*/void *&(void) { return 0; }/' |
	gcc -x c -shared -fPIC -Wl,-soname,libpcaudio.so.0 -o "$tmp/espeak/lib/libpcaudio.so.0" -
cp /usr/bin/flite "$tmp/flite/bin"
cp -L $lib/libflite{,_cmu_us_rms,_cmu_us_slt,_usenglish,_cmu_indic_lang,_cmu_grapheme_lang,_cmulex,_cmu_indic_lex,_cmu_grapheme_lex}.so.1 $lib/libasound.so.2 "$tmp/flite/lib"
for v in cmu_time_awb cmu_us_kal cmu_us_kal16 cmu_us_awb; do
	echo "void *register_cmu_us_slt(const char *); void *register_$v(const char *a) { return register_cmu_us_slt(a); } void unregister_$v(void *v) {}" |
		gcc -x c -shared -fPIC -Wl,-soname,libflite_$v.so.1 -o "$tmp/flite/lib/libflite_$v.so.1" - -L"$tmp/flite/lib" -l:libflite_cmu_us_slt.so.1
done
tar cJf "$out/speak/espeak.tar.xz" -C "$tmp/espeak" .
tar cJf "$out/train/flite.tar.xz" -C "$tmp/flite" .
cp "$out/speak/espeak.tar.xz" "$out/train"
[ ! -d /usr/share/games/fortunes ] || tar cJhf "$out/speak/fortunes.tar.xz" -C /usr/share/games --exclude='*.dat' --exclude='*.u8' fortunes
[ ! -d /usr/share/games/fortunes ] || cp "$out/speak/fortunes.tar.xz" "$out/train"
"$python" "$here/pack.py" kokoro "$work/voices/kokoro.onnx" 2 "$out/speak/kokoro.bin"
"$python" "$here/pack.py" styles "$work/voices/kokoro" "$out/speak/styles.bin"
cp "$work/voices/vocab.json" "$out/speak"
[ ! -f "$cache/models/ggml-tiny.en.bin" ] || "$python" "$here/pack.py" whisper "$cache/models/ggml-tiny.en.bin" "$out/train/whisper.bin"
