"""Writes recordings with their sounds: speak.py PART SET COUNT SEED OUT.npz [SECONDS], as ../../stt/tuning/speak.py does, whose voices these are."""

import functools
import importlib.util
import os
import random
import subprocess
import sys
import time

import numpy as np

import calls

spec = importlib.util.spec_from_file_location("voices_of_the_tuning", os.path.join(calls.HERE, "../../stt/tuning/speak.py"))
speak = importlib.util.module_from_spec(spec)
spec.loader.exec_module(speak)


@functools.lru_cache(50000)
def sounds(text):
    """As espeak-ng writes them, whatever the voice is."""
    return "".join(subprocess.run(["espeak-ng", "-q", "--ipa", "-v", "en-us", text], capture_output=True, text=True).stdout.split())


def main():
    part, which, count, seed, out = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    seconds = float(sys.argv[6]) if len(sys.argv) > 6 else float("inf")
    rng = random.Random(f"wake {part} {which} {seed}")
    source = calls.Calls(which)
    said = [source.draw(rng) for _ in range(count)]
    clips = list(speak.festival(part.split(":")[1], said, rng) if part.startswith("festival") else speak.one_by_one(part, which, said, rng, seconds))
    pcm = [np.clip(x * 32767, -32768, 32767).astype(np.int16) for x, _, _ in clips]
    new = out.removesuffix(".npz") + ".tmp.npz"
    np.savez(new, pcm=np.concatenate(pcm), ends=np.cumsum([len(p) for p in pcm]), texts=np.array([t for _, t, _ in clips]),
             sounds=np.array([sounds(t) for _, t, _ in clips]), kinds=np.array([k for _, _, k in clips]))
    os.replace(new, out)
    print(out, len(clips), "clips, mean", round(np.mean([len(p) for p in pcm]) / 16000, 2), "s", round(time.time() - speak.BEGUN), "s", flush=True)


if __name__ == "__main__":
    main()
