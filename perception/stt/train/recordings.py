"""Writes recordings for Go (perception/stt/commandmodel/eval): recordings.py DATA OUT bin/reachyctl

OUT/weigh are those by which the weights of a candidate's features are chosen: the validation voices, every second recording of the
judging voices, and commands of the planner's corpus that the model does not know, by variants of espeak-ng and by flite. OUT/judge are the
other recordings of the judging voices. Each is there in quiet and with noise at 10 dB. bin/reachyctl tells which commands are the same.
"""

import json
import os
import random
import subprocess
import sys
import wave

import numpy as np

import augment
import data
import evaluate
import phrases
import voices

PAUSE = 4800  # samples before and behind, as a voice activity detector leaves
NOISE = 10  # dB


def kind(text):
    """command, near (a command of which one word is another, or is missing, or one is added), or other."""
    if data.label(text) != phrases.UNKNOWN:
        return "command"
    words = text.split()
    for command in data.CLASS:
        c = command.split()
        if abs(len(c) - len(words)) <= 1 and len(c) > 1:
            same = sum(a == b for a, b in zip(c, words)), sum(a == b for a, b in zip(c[::-1], words[::-1]))
            if max(same) >= max(len(c), len(words)) - 1 or sum(same) >= max(len(c), len(words)) - 1 and same[0] and same[1]:
                return "near"
    return "other"


def write(folder, clips, babble):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(5)
    with open(folder + "/index.tsv", "w") as index:
        for i, (pcm, text, voice) in enumerate(clips):
            quiet = np.zeros(len(pcm) + 2 * PAUSE, dtype=np.float32)
            quiet[PAUSE:PAUSE + len(pcm)] = pcm / 32768
            loud = augment.noise(rng, len(quiet), babble) * (pcm / 32768).std() * 10 ** (-NOISE / 20)
            said = data.label(text) if kind(text) == "command" else text
            for condition, x in (("clean", quiet), ("noise 10 dB", quiet + loud)):
                name = f"{i}-{condition.split()[0]}.wav"
                with wave.open(f"{folder}/{name}", "wb") as w:
                    w.setparams((1, 2, 16000, 0, "NONE", ""))
                    w.writeframes((np.clip(x, -1, 1) * 32767).astype("<i2").tobytes())
                index.write(f"{name}\t{voice}\t{condition}\t{kind(text)}\t{said}\n")


def strangers(reachyctl, count=400):
    """Recordings of commands that the model does not know: the planner makes of them what it makes of no sentence of the model."""
    def plan(text):
        steps = json.loads(subprocess.run([reachyctl, "plan", "--json", text], capture_output=True, text=True).stdout).get("steps")
        return json.dumps(steps, sort_keys=True)

    known = {plan(c) for c in data.CLASS}
    rng = random.Random("strangers")
    _, variants, _ = voices.espeak_variants()
    for text in evaluate.sentences("tune", count):
        if data.label(evaluate.plain(text)) != phrases.UNKNOWN or plan(text) in known:
            continue
        if rng.random() < 0.7:
            voice = rng.choice(voices.ACCENTS) + "+" + rng.choice(variants)
            x = voices.espeak(text, voice, rng.randint(130, 190), rng.randint(35, 65))
        else:
            voice = rng.choice(["slt", "rms"])
            x = voices.flite(text, voice, rng.uniform(0.9, 1.2))
        yield (x * 32767).astype("<i2"), evaluate.plain(text), "stranger"


def main():
    source, out, reachyctl = sys.argv[1:4]
    validation, judging = (data.load(f"{source}/{name}")[0] for name in ("validation", "judge"))
    write(out + "/weigh", validation + judging[::2] + list(strangers(reachyctl)), [c for c, _, _ in validation])
    write(out + "/judge", judging[1::2], [c for c, _, _ in validation])


if __name__ == "__main__":
    main()
