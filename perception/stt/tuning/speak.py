"""Writes recordings: speak.py PART SET COUNT SEED OUT.npz [SECONDS], for example: speak.py espeak train 350 1 data/train/espeak-1.npz

PART is a synthesiser, SET train or validation. No voice of evaluate.py's judge and exam is ever used. After SECONDS no other is begun.
Kokoro speaks on a GPU if there is one."""

import os
import random
import sys
import time

import numpy as np

import evaluate
import texts
import voices

JUDGES = {v for s in ("judge", "exam") for v in evaluate.VOICES[s]}
KEPT = set(voices.KOKORO_VALIDATION + voices.KOKORO_JUDGES) | {v.split()[1] for v in JUDGES if v.startswith("kokoro ")}
HEARD = [v for v in voices.KOKORO_VALIDATION if "kokoro " + v not in JUDGES]
ACCENTS = [a for a in voices.ACCENTS if "espeak " + a not in JUDGES]
BEGUN = time.time()
FLITE = ["slt", "rms"]  # kal16 is the speaker of festival's kal_diphone, a judge


def espeak(part, rng):
    train, validation, _ = voices.espeak_variants()
    variants = train if part == "train" else validation
    name = rng.choice(ACCENTS) + "+" + rng.choice([v for v in variants if v != "f4"])
    speed, pitch = (rng.randint(115, 220), rng.randint(10, 90)) if part == "train" else (rng.randint(125, 195), rng.randint(30, 70))
    return "espeak", lambda text: voices.espeak(text, name, speed, pitch)


def flite(part, rng):
    v, stretch, mean = rng.choice(FLITE), rng.uniform(0.75, 1.3), rng.choice([None, 90, 110, 130, 150, 170, 190, 210])
    return "flite " + v, lambda text: voices.flite(text, v, stretch, mean)


def kokoro(part, rng, net=[]):
    if not net:
        import graph
        net.append(voices.Kokoro(open_net=graph.opened))
    k = net[0]
    if part != "train":
        v, speed = rng.choice(HEARD), rng.uniform(0.9, 1.2)
        return "kokoro", lambda text: k.say(text, (v,), (1.0,), speed)
    english, foreign = ([v for v in k.names if v not in KEPT and (v[0] in "ab") == e] for e in (True, False))
    first = rng.choice(english if rng.random() < 0.8 else foreign)
    second = rng.choice(english if rng.random() < 0.6 else foreign)
    w, speed = rng.choice([0.0, 0.3, 0.5]), rng.uniform(0.8, 1.3)
    return "kokoro", lambda text: k.say(text, (first, second), (1 - w, w), speed)


def festival(voice, said, rng):
    for i in range(0, len(said), 50):
        part = said[i:i + 50]
        for (kind, text), x in zip(part, voices.festival([t for _, t in part], voice, rng.uniform(0.85, 1.25))):
            if x is not None:
                yield x, text, kind + " festival " + voice


def one_by_one(part, which, said, rng, seconds):
    for kind, text in said:
        if time.time() - BEGUN > seconds:
            break
        name, say = globals()[part](which, rng)
        try:
            yield say(text), text, kind + " " + name
        except (ValueError, IndexError) as e:
            print("left out:", name, text, e, file=sys.stderr)


def main():
    part, which, count, seed, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    seconds = float(sys.argv[6]) if len(sys.argv) > 6 else float("inf")
    rng = random.Random(f"tuning {part} {which} {seed}")
    source = texts.Texts(which)
    said = [source.draw(rng) for _ in range(count)]
    clips = list(festival(part.split(":")[1], said, rng) if part.startswith("festival") else one_by_one(part, which, said, rng, seconds))
    pcm = [np.clip(x * 32767, -32768, 32767).astype(np.int16) for x, _, _ in clips]
    new = out.removesuffix(".npz") + ".tmp.npz"
    np.savez(new, pcm=np.concatenate(pcm), ends=np.cumsum([len(p) for p in pcm]), texts=np.array([texts.written(t) for _, t, _ in clips]),
             kinds=np.array([k for _, _, k in clips]))
    os.replace(new, out)
    print(out, len(clips), "clips, mean", round(np.mean([len(p) for p in pcm]) / 16000, 2), "s", flush=True)


if __name__ == "__main__":
    main()
