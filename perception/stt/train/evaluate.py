"""Writes the recordings of make eval-voice: evaluate.py SET COUNT FOLDER RECORDINGS

SET is tune, calibrate, judge, exam, exam-2 or exam-3: calibrate has voices that Whisper was not tuned on, for what says how sure it is; judge and exam have
voices and sentences that nothing was ever tuned on. COUNT is the number of sentences, which
python picks from the planner's corpus; those of exam are exam.txt, which was written before any result was looked at. RECORDINGS is a
folder of people's recordings (models.Recordings), each as NAME.wav. FOLDER gets WAV files and index.tsv: file, voice, condition, kind
(command, stop, other, nothing, reader) and what is said.
"""

import glob
import json
import os
import random
import re
import sys
import wave

import numpy as np

import augment
import voices

RATE = 16000
CORPUS = os.path.join(os.path.dirname(__file__), "../../../agents/planner/testdata")
FILES = "motion gestures_and_emotions looking_and_waiting speech_and_senses repetition sequences questions politeness negation".split()
STOPS = ["stop", "please stop", "stop it now", "robot stop", "halt", "freeze", "stop right now", "stop stop stop"]
NO_STOPS = ["stop following me", "stop dancing and look at me", "stop tracking my face", "stop the music"]
OTHERS = ["the weather will be nice at the weekend", "I left my keys on the kitchen table", "did you see the game last night",
          "my sister is looking for a new job", "we turned right at the old church", "she said the shop closes at six"]
ASIDES = ["we had dinner with my parents on sunday", "the train to the airport leaves at nine", "he told me that the film was far too long",
          "my neighbour has bought a bigger car", "the children are playing in the garden", "she left the umbrella on the bus",
          "I turned the offer down last year", "our meeting was moved to thursday", "the dog never stops barking at night"]
VOICES = {
    "tune": ["espeak en-us", "espeak en-gb+f3", "flite slt", "flite rms", "festival ked_diphone", "kokoro af_heart", "kokoro am_michael"],
    "calibrate": ["espeak en-029+f2", "espeak en-us+m6", "espeak en-gb+rob", "kokoro af_sarah", "kokoro am_liam", "kokoro bf_lily",
                  "kokoro am_michael", "kokoro af_nova"],
    "judge": ["espeak en-gb-scotland", "flite awb", "festival kal_diphone", "kokoro bf_emma", "kokoro bm_george", "piper joe"],
    "exam": ["espeak en-gb-x-rp", "espeak en-us-nyc+f4", "flite awb", "festival kal_diphone", "kokoro af_bella", "kokoro am_onyx",
             "kokoro am_fenrir", "kokoro bf_isabella", "kokoro bm_lewis", "piper joe"],
}
VOICES["exam-2"] = VOICES["exam"][::-1]
VOICES["exam-3"] = VOICES["exam"]
EXAMS = ["exam", "exam-2", "exam-3"]
CONDITIONS = ["clean", "noise 10 dB", "room 0.5 s", "babble 5 dB"]


def plain(text):
    """The words as they are said, or None where writing says more than speech."""
    if re.search(r"[0-9°%+/\\()\"]", text) or not 1 <= len(text.split()) <= 12 or text.upper() == text:
        return None
    return re.sub(r"[^a-z' ]", "", text.lower().replace("-", " ")).strip()


def sentences(which, count):
    """Sentences that make the robot do something, as they are written: a comma can tell what is meant. The sets share none."""
    if which in EXAMS:
        return open(os.path.join(os.path.dirname(__file__), which + ".txt")).read().splitlines()[:count]
    found = {}
    for f in FILES:
        for line in open(f"{CORPUS}/{f}.jsonl"):
            row = json.loads(line)
            if row["outcome"] == "plan" and plain(row["text"]):
                found[plain(row["text"])] = min(row["text"], found.get(plain(row["text"]), row["text"]), key=lambda t: (t != plain(t), t))
    spoken = sorted(set(found) - set(STOPS))
    random.Random("eval-voice").shuffle(spoken)
    half = {"tune": spoken[::2], "calibrate": spoken[::2][::-1], "judge": spoken[1::2]}[which]
    return [found[t] for t in half[:count]]


class Speaker:
    """All voices by name."""

    def __init__(self):
        self.kokoro = self.piper = None

    def say(self, voice, texts):
        engine, name = voice.split(" ", 1)
        if engine == "festival":
            return voices.festival(texts, name)
        if engine == "kokoro":
            self.kokoro = self.kokoro or voices.Kokoro()
            name, _, language = name.partition(" ")  # "kokoro if_sara it"
            return [self.kokoro.say(t, (name,), language=language) for t in texts]
        if engine == "piper":
            self.piper = self.piper or voices.Piper()
            return [self.piper.say(t) for t in texts]
        return [getattr(voices, engine)(t, name) for t in texts]


def room(rng, x, decay=0.5):
    """A room in which sound takes decay seconds to fall by 60 dB; the voice is about as loud as its echoes."""
    n = int(decay * RATE)
    h = rng.standard_normal(n) * 10 ** (-3 * np.arange(n) / n) * np.clip(np.arange(n) / 80, 0, 1)
    h *= 1 / np.sqrt((h ** 2).sum())
    h[0] = 1
    m = augment.fast(len(x) + n)
    return np.fft.irfft(np.fft.rfft(x, m) * np.fft.rfft(h, m), m)[:len(x) + n]


def babble(rng, others, n):
    x = np.zeros(n)
    for k in rng.choice(len(others), 4, replace=False):
        y = others[k]
        x += augment.unit(np.resize(np.roll(y, rng.integers(len(y))), n))
    return augment.unit(x)


def noise(rng, n):
    kinds = [lambda: augment.white(rng, n), lambda: augment.coloured(rng, n, 0.5), lambda: augment.hum(rng, n), lambda: augment.servo(rng, n)]
    return augment.unit(kinds[rng.integers(len(kinds))]())


def heard(rng, x, condition, others):
    """As the microphone has it, with a second of the room before and after."""
    loud = x[np.abs(x) > 0.01].std()
    x = np.concatenate([np.zeros(RATE * 6 // 10), x, np.zeros(RATE)])
    if condition.startswith("noise"):
        x = x + noise(rng, len(x)) * loud * 10 ** (-10 / 20)
    elif condition.startswith("room"):
        x = room(rng, x)
    elif condition.startswith("babble"):
        x = x + babble(rng, others, len(x)) * loud * 10 ** (-5 / 20)
    x = x + 1e-4 * rng.standard_normal(len(x))
    return x * 0.5 / np.abs(x).max()


def main():
    which, count, folder, recordings = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng({"tune": 7, "judge": 8, "exam": 9, "calibrate": 10, "exam-2": 11, "exam-3": 12}[which])
    others = ASIDES if which in EXAMS else OTHERS
    index = open(folder + "/index.tsv", "w")

    def put(x, voice, condition, kind, text):
        name = f"{put.n:04}.wav"
        put.n += 1
        with wave.open(f"{folder}/{name}", "wb") as w:
            w.setparams((1, 2, RATE, 0, "NONE", ""))
            w.writeframes(np.clip(x * 32767, -32768, 32767).astype("<i2").tobytes())
        index.write("\t".join([name, voice, condition, kind, text]) + "\n")
    put.n = 0

    speaker = Speaker()
    commands = sentences(which, count)
    names = VOICES[which]
    babblers = [x for x in speaker.say("espeak en-us+f2" if which in ("tune", "calibrate") else "espeak en-gb+m3", others) if x is not None]
    for v, name in enumerate(names):
        texts = [("command", t) for t in commands[v::len(names)]] + [("stop", t) for t in STOPS] + [("other", t) for t in others[v % 3::3]]
        texts += [("command", t) for t in NO_STOPS[v % 2::2]]
        for (kind, text), x in zip(texts, speaker.say(name, [t for _, t in texts])):
            if x is None:
                continue
            for c in CONDITIONS:
                if kind == "command" or c in CONDITIONS[:2]:
                    put(heard(rng, x, c, babblers), name, c, kind, text)
    n = 8 * RATE
    for what, x in [("silence", np.zeros(n)), ("white noise", augment.white(rng, n)), ("hum", augment.hum(rng, n)), ("servo", augment.servo(rng, n)), ("music", augment.music(rng, n))]:
        x = augment.unit(x) * 0.05 if x.any() else x
        put(x + 1e-4 * rng.standard_normal(n), what, "clean", "nothing", "")
    for path in sorted(glob.glob(recordings + "/*.wav")):
        x, rate = voices.parse_wav(open(path, "rb").read())
        put(voices.resample(x, rate), os.path.basename(path)[:-4], "clean", "reader", "")
    print(folder, put.n, "recordings")


if __name__ == "__main__":
    main()
