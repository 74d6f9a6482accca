"""Writes recordings to measure with: record.py PHRASE CALLS MINUTES FOLDER PEOPLE

By voices and of sentences that training never had (../../stt/train/evaluate.py's judges): CALLS times a voice the phrase, alone or before a
command, in four conditions; MINUTES of other speech of all voices together, one condition after the other; what is close to the robot's name, a third of it by each voice in each
condition; and people's recordings. FOLDER gets WAV files and index.tsv: file, voice, condition, kind (phrase, near, other), what is said."""

import glob
import os
import random
import sys
import wave

import numpy as np

import calls
import evaluate
import voices

SHARE = {"espeak": 4, "flite": 3, "festival": 3, "piper": 2, "kokoro": 1}  # of the minutes: the last are slow


def main():
    phrase, count, minutes, folder, people = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5]
    os.makedirs(folder, exist_ok=True)
    rng, pick = np.random.default_rng(11), random.Random("wake " + phrase)
    index = open(folder + "/index.tsv", "w")
    speaker, source = evaluate.Speaker(), calls.Calls("validation")
    # espeak-ng reads "reachy" as "reeky", festival "reechy" as "rechy".
    read = {v: phrase if v.startswith("festival") else phrase.replace("reachy", "reechy") for v in evaluate.VOICES["judge"]}
    commands = evaluate.sentences("judge", 10 ** 6)
    pick.shuffle(commands)
    babblers = [x for x in speaker.say("espeak en-gb+m3", evaluate.OTHERS) if x is not None]

    def put(x, voice, condition, kind, text):
        name = f"{put.n:05}.wav"
        put.n += 1
        with wave.open(f"{folder}/{name}", "wb") as w:
            w.setparams((1, 2, evaluate.RATE, 0, "NONE", ""))
            w.writeframes(np.clip(x * 32767, -32768, 32767).astype("<i2").tobytes())
        index.write("\t".join([name, voice, condition, kind, text]) + "\n")
    put.n = 0

    whole = sum(SHARE[v.split()[0]] for v in evaluate.VOICES["judge"])
    for v, voice in enumerate(evaluate.VOICES["judge"]):
        own = commands[v::len(evaluate.VOICES["judge"])]
        texts = [read[voice] if k % 3 == 0 else read[voice] + [", ", " ", "! "][k % 3] + own[k % len(own)] for k in range(count)]
        for text, x in zip(texts, speaker.say(voice, texts)):
            for c in evaluate.CONDITIONS if x is not None else []:
                put(evaluate.heard(rng, x, c, babblers), voice, c, "phrase", text)
        for text, x in zip(calls.NEAR[v::3], speaker.say(voice, calls.NEAR[v::3])):
            for c in evaluate.CONDITIONS if x is not None else []:
                put(evaluate.heard(rng, x, c, babblers), voice, c, "near", text)
        left, k = minutes * 60 * SHARE[voice.split()[0]] / whole, 0
        while left > 0:
            texts = [source.sentence(pick) for _ in range(20)]
            for text, x in zip(texts, speaker.say(voice, texts)):
                if x is not None and "reachy" not in text.lower():
                    left -= len(x) / evaluate.RATE
                    put(evaluate.heard(rng, x, evaluate.CONDITIONS[k % 3], babblers), voice, evaluate.CONDITIONS[k % 3], "other", text)
                    k += 1
    for path in sorted(glob.glob(people + "/*.wav")):
        x, rate = voices.parse_wav(open(path, "rb").read())
        put(voices.resample(x, rate), os.path.basename(path)[:-4], "clean", "other", "a reader")
    print(folder, put.n, "recordings")


if __name__ == "__main__":
    main()
