"""Writes recordings: speak.py PART SET COUNT SEED OUT.npz, for example: speak.py espeak train 2000 1 data/espeak-1.npz

PART is a synthesiser, SET train, validation or judge; the sets share no voice."""

import random
import sys

import numpy as np

import phrases
import voices


def espeak(part, rng):
    train, validation, judge = voices.espeak_variants()
    if part == "judge" and rng.random() < 0.5:
        accent, variants, kind = "en-gb-scotland", [None] + train[::5], "espeak Scottish"
    else:
        accent, variants, kind = rng.choice(voices.ACCENTS), dict(train=train, validation=validation, judge=judge)[part], "espeak variants"
    v = rng.choice(variants)
    name = accent + ("+" + v if v else "")
    wide = part == "train"
    speed, pitch = (rng.randint(115, 220), rng.randint(10, 90)) if wide else (rng.randint(125, 195), rng.randint(30, 70))
    return kind, lambda text: voices.espeak(text, name, speed, pitch)


def flite(part, rng):
    if part == "judge":
        stretch = rng.uniform(0.9, 1.2)
        return "flite awb", lambda text: voices.flite(text, "awb", stretch)
    v = rng.choice(voices.FLITE)
    stretch = rng.uniform(0.75, 1.4)
    mean = rng.choice([85, 95, 105, 120, 140, 160, 180, 200]) if v == "kal16" else rng.choice([None, 90, 110, 130, 150, 170, 190, 210])
    return "flite " + v, lambda text: voices.flite(text, v, stretch, mean)


def pico(part, rng):
    v = rng.choice(["en-US", "en-GB"])
    speed, pitch = rng.randint(75, 135), rng.randint(70, 135)
    return "pico " + v, lambda text: voices.pico(text, v, speed, pitch)


def kokoro(part, rng, net=[]):
    if not net:
        net.append(voices.Kokoro())
    k = net[0]
    kept = set(voices.KOKORO_VALIDATION + voices.KOKORO_JUDGES)
    if part == "train":
        english = [v for v in k.names if v not in kept and v[0] in "ab"]
        foreign = [v for v in k.names if v[0] not in "ab"]
        first = rng.choice(english if rng.random() < 0.75 else foreign)
        second = rng.choice(english if rng.random() < 0.6 else foreign)
        w = rng.choice([0.0, 0.3, 0.5])
        speed = rng.uniform(0.8, 1.35)
        return "kokoro", lambda text: k.say(text, (first, second), (1 - w, w), speed)
    v = rng.choice(voices.KOKORO_VALIDATION if part == "validation" else voices.KOKORO_JUDGES)
    speed = rng.uniform(0.9, 1.2)
    return "kokoro unheard", lambda text: k.say(text, (v,), (1.0,), speed)


def piper(part, rng, net=[]):
    if not net:
        net.append(voices.Piper())
    speed = rng.uniform(0.9, 1.15)
    return "piper joe", lambda text: net[0].say(text, speed)


def main():
    part, which, count, seed, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    rng = random.Random(f"{part} {which} {seed}")
    clips, texts, kinds = [], [], []
    unknown = 0.27 if which == "train" else 0.35

    def text():
        return phrases.other(rng) if rng.random() < unknown else phrases.command(rng)

    if part.startswith("festival"):
        for _ in range(0, count, 50):
            batch = [text() for _ in range(50)]
            for t, x in zip(batch, voices.festival(batch, part.split(":")[1], rng.uniform(0.85, 1.25))):
                if x is not None:
                    clips.append(x), texts.append(t), kinds.append(part)
    else:
        voice = globals()[part]
        for _ in range(count):
            t = text()
            kind, say = voice(which, rng)
            try:
                clips.append(say(t)), texts.append(t), kinds.append(kind)
            except (ValueError, IndexError) as e:
                print("left out:", kind, t, e, file=sys.stderr)
    pcm = [np.clip(x * 32767, -32768, 32767).astype(np.int16) for x in clips]
    np.savez(out + ".tmp.npz", pcm=np.concatenate(pcm), ends=np.cumsum([len(p) for p in pcm]), texts=np.array(texts), kinds=np.array(kinds))
    import os
    os.replace(out + ".tmp.npz", out)
    print(out, len(clips), "clips, mean", round(np.mean([len(p) for p in pcm]) / 16000, 2), "s")


if __name__ == "__main__":
    main()
