"""Writes recordings: speak.py PART SET COUNT SEED OUT.npz [SECONDS], for example: speak.py espeak train 2000 1 data/espeak-1.npz

PART is a synthesiser, SET train, validation or judge; the sets share no voice, and no voice of evaluate.py's judge and exam is trained on
or chooses anything. After SECONDS no other is begun. Kokoro speaks on a GPU if there is one."""

import importlib.util
import os
import random
import sys
import time

import numpy as np

import phrases
import sounds
import voices

BEGUN = time.time()


def tuning():
    """Those who speak for the tuning of Whisper."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tuning")
    spec = importlib.util.spec_from_file_location("voices_of_the_tuning", folder + "/speak.py")
    m = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(m)
    return m


def espeak(rng):
    if rng.random() < 0.5:
        accent, variants, kind = "en-gb-scotland", [None] + voices.espeak_variants()[0][::5], "espeak Scottish"
    else:
        accent, variants, kind = rng.choice(voices.ACCENTS), voices.espeak_variants()[2], "espeak variants"
    v = rng.choice(variants)
    name = accent + ("+" + v if v else "")
    speed, pitch = rng.randint(125, 195), rng.randint(30, 70)
    return kind, lambda text: voices.espeak(text, name, speed, pitch)


def flite(rng):
    stretch = rng.uniform(0.9, 1.2)
    return "flite awb", lambda text: voices.flite(text, "awb", stretch)


def kokoro(rng, net=[]):
    if not net:
        net.append(voices.Kokoro())
    v, speed = rng.choice(voices.KOKORO_JUDGES), rng.uniform(0.9, 1.2)
    return "kokoro unheard", lambda text: net[0].say(text, (v,), (1.0,), speed)


def piper(rng, net=[]):
    if not net:
        net.append(voices.Piper())
    speed = rng.uniform(0.9, 1.15)
    return "piper joe", lambda text: net[0].say(text, speed)


def pico(part, rng):
    v = rng.choice(["en-US", "en-GB"])
    speed, pitch = rng.randint(75, 135), rng.randint(70, 135)
    return "pico " + v, lambda text: voices.pico(text, v, speed, pitch)


def main():
    part, which, count, seed, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    seconds = float(sys.argv[6]) if len(sys.argv) > 6 else float("inf")
    rng = random.Random(f"{part} {which} {seed}")
    clips, texts, kinds = [], [], []
    source = phrases.Said(which)
    if part.startswith("festival"):
        for _ in range(0, count, 50):
            batch = [source.draw(rng) for _ in range(50)]
            for t, x in zip(batch, voices.festival(batch, part.split(":")[1], rng.uniform(0.85, 1.25))):
                if x is not None:
                    clips.append(x), texts.append(t), kinds.append(part)
    else:
        if which == "judge":
            voice = globals()[part]
        else:
            make = pico if part == "pico" else getattr(tuning(), part)
            voice = lambda r: make(which, r)
        for _ in range(count):
            if time.time() - BEGUN > seconds:
                break
            t = source.draw(rng)
            kind, say = voice(rng)
            try:
                clips.append(say(t)), texts.append(t), kinds.append(kind)
            except (ValueError, IndexError) as e:
                print("left out:", kind, t, e, file=sys.stderr)
    pcm = [np.clip(x * 32767, -32768, 32767).astype(np.int16) for x in clips]
    new = out.removesuffix(".npz") + ".tmp.npz"
    np.savez(new, pcm=np.concatenate(pcm), ends=np.cumsum([len(p) for p in pcm]), texts=np.array(texts), kinds=np.array(kinds),
             sounds=np.array([" ".join(map(str, sounds.phones(t))) for t in texts]))
    os.replace(new, out)
    print(out, len(clips), "clips, mean", round(np.mean([len(p) for p in pcm]) / 16000, 2), "s")


if __name__ == "__main__":
    main()
