"""The synthesisers: one function each, text in, mono float32 at 16 kHz out. None of them is part of what is shipped."""

import functools
import json
import os
import subprocess
import tempfile

import numpy as np

RATE = 16000
CACHE = os.environ.get("COMMAND_MODEL_CACHE", os.path.expanduser("~/.cache/reachyd/command-model"))

# Variants that whisper, croak or play robot: nobody sounds like them.
UNNATURAL = {"whisper", "whisperf", "croak", "klatt6", "fast", "Demonic", "UniRobot", "anikaRobot", "robosoft", "robosoft2", "robosoft3",
             "robosoft4", "robosoft5", "robosoft6", "robosoft7", "robosoft8", "Robert", "Mr_serious"}
ACCENTS = ["en-us", "en-us", "en-gb", "en-gb", "en-gb-x-rp", "en-gb-x-gbclan", "en-gb-x-gbcwmd", "en-029"]
# Kept from training. The validation voices choose the threshold and the checkpoint, the judges are listened to at the end only.
KOKORO_VALIDATION = ["af_sarah", "am_liam", "bm_lewis", "bf_lily"]
KOKORO_JUDGES = ["af_bella", "am_michael", "am_fenrir", "bf_emma", "bm_george", "af_nova"]


def resample(x, rate):
    """To 16 kHz, in the frequency domain (clips are short)."""
    if rate == RATE:
        return x.astype(np.float32)
    n = int(round(len(x) * RATE / rate))
    spectrum = np.fft.rfft(x)
    out = np.zeros(n // 2 + 1, dtype=complex)
    k = min(len(out), len(spectrum))
    out[:k] = spectrum[:k]
    return (np.fft.irfft(out, n) * n / len(x)).astype(np.float32)


def parse_wav(b):
    """Samples and rate of a 16-bit WAV whose length field may be wrong (a pipe's)."""
    rate = int.from_bytes(b[24:28], "little")
    at = b.find(b"data") + 8
    end = at + (len(b) - at) // 2 * 2
    return np.frombuffer(b[at:end], dtype="<i2").astype(np.float32) / 32768, rate


def trim(x):
    """Peak 0.5, silence cut to 50 ms before and 75 ms after."""
    peak = np.abs(x).max() if len(x) else 0
    if peak < 1e-4:
        raise ValueError("silence")
    x = x / peak * 0.5
    loud = np.where(np.abs(x) > 0.008)[0]
    return x[max(0, loud[0] - 800):loud[-1] + 1200].astype(np.float32)


@functools.lru_cache(1)
def espeak_variants():
    """(for training, for validation, for judging)"""
    lines = subprocess.run(["espeak-ng", "--voices=variant"], capture_output=True, text=True).stdout.splitlines()[1:]
    names = sorted({l.split()[4].removeprefix("!v/") for l in lines if l.split()[4].startswith("!v/")} - UNNATURAL)
    return ([n for i, n in enumerate(names) if i % 6 not in (0, 3)], names[3::12], names[::6])


def espeak(text, voice, speed=160, pitch=50):
    out = subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-p", str(pitch), "--stdout", text], capture_output=True).stdout
    return trim(resample(*parse_wav(out)))


def flite(text, voice, stretch=1.0, mean=None):
    with tempfile.NamedTemporaryFile(suffix=".wav") as f:
        tune = ["--setf", f"duration_stretch={stretch:.2f}"] + (["--setf", f"int_f0_target_mean={mean}"] if mean else [])
        subprocess.run(["flite", "-voice", voice, *tune, "-t", text, "-o", f.name], capture_output=True)
        return trim(resample(*parse_wav(open(f.name, "rb").read())))


def pico(text, voice, speed=100, pitch=100):
    """SVOX Pico (Apache-2.0, Debian's libttspico-utils)."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as f:
        subprocess.run(["pico2wave", "-l", voice, "-w", f.name, f'<speed level="{speed}"><pitch level="{pitch}">{text}</pitch></speed>'], capture_output=True)
        return trim(resample(*parse_wav(open(f.name, "rb").read())))


def festival(texts, voice, stretch=1.0):
    """Many at once: the start-up costs more than the speaking."""
    with tempfile.TemporaryDirectory() as d:
        lines = [f"(voice_{voice})", f"(Parameter.set 'Duration_Stretch {stretch:.2f})"]
        for i, t in enumerate(texts):
            lines.append(f'(utt.save.wave (utt.synth (Utterance Text "{t}")) "{d}/{i}.wav" \'riff)')
        with open(d + "/say.scm", "w") as f:
            f.write("\n".join(lines) + "\n")
        subprocess.run(["festival", "--batch", d + "/say.scm"], capture_output=True)
        out = []
        for i in range(len(texts)):
            try:
                out.append(trim(resample(*parse_wav(open(f"{d}/{i}.wav", "rb").read()))))
            except (OSError, ValueError):
                out.append(None)
        return out


@functools.lru_cache(20000)
def ipa(text, voice="en-us"):
    return " ".join(subprocess.run(["espeak-ng", "-q", "--ipa", "-v", voice, text], capture_output=True, text=True).stdout.split())


def session(path):
    import onnxruntime
    o = onnxruntime.SessionOptions()
    o.intra_op_num_threads = o.inter_op_num_threads = 1
    o.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, o, providers=["CPUExecutionProvider"])


class Kokoro:
    """Kokoro-82M (Apache-2.0), int8: a voice is a style vector, so voices can be mixed into new ones."""

    # espeak-ng writes sounds that Kokoro knows as one sign with two.
    SIGNS = [("tʃ", "ʧ"), ("dʒ", "ʤ"), ("eɪ", "A"), ("aɪ", "I"), ("oʊ", "O"), ("əʊ", "Q"), ("aʊ", "W"), ("ɔɪ", "Y"), ("ɝ", "ɜɹ"), ("ɚ", "əɹ"), ("r", "ɹ"), ("e", "A"), ("ɐ", "ə")]

    def __init__(self, folder=CACHE, open_net=session):
        self.net = open_net(folder + "/kokoro.onnx")
        self.signs = json.load(open(folder + "/vocab.json"))["vocab"]
        self.folder = folder + "/kokoro"
        self.names = sorted(f.removesuffix(".bin") for f in os.listdir(self.folder))

    @functools.lru_cache(64)
    def style(self, name):
        return np.fromfile(f"{self.folder}/{name}.bin", dtype="<f4").reshape(-1, 1, 256)

    def say(self, text, voices, weights=(1.0,), speed=1.0, language=None):
        p = ipa(text, language or ("en-gb" if voices[0][0] == "b" else "en-us"))
        for a, b in self.SIGNS:
            p = p.replace(a, b)
        tokens = [self.signs[c] for c in p if c in self.signs]
        style = sum(w * self.style(v)[len(tokens)] for v, w in zip(voices, weights))
        x = self.net.run(None, {"tokens": np.array([[0, *tokens, 0]], dtype=np.int64), "style": style.astype(np.float32),
                                "speed": np.array([speed], dtype=np.float32)})[0].ravel()
        return trim(resample(x, 24000))


class Piper:
    """A Piper voice (joe, CC0)."""

    def __init__(self, path=CACHE + "/en_US-joe-medium.onnx"):
        self.net = session(path)
        self.conf = json.load(open(path + ".json"))

    def say(self, text, speed=1.0):
        ids = [1]
        for c in ipa(text):
            ids += [0, *self.conf["phoneme_id_map"].get(c, [])]
        ids += [0, 2]
        x = self.net.run(None, {"input": np.array([ids], dtype=np.int64), "input_lengths": np.array([len(ids)], dtype=np.int64),
                                "scales": np.array([0.667, 1 / speed, 0.8], dtype=np.float32)})[0].ravel()
        return trim(resample(x, self.conf["audio"]["sample_rate"]))
