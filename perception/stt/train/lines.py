"""Writes what is said in a conversation: lines.py FOLDER OUT < lines, each "voice<TAB>text", as make eval-conversation has them.

Line by line OUT gets 0000.pcm and so on: 16 bits, 16 kHz, mono. FOLDER keeps what was spoken before.
"""

import hashlib
import os
import shutil
import sys

import numpy as np

import evaluate


def main():
    folder, out = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    os.makedirs(out, exist_ok=True)
    speaker = evaluate.Speaker()
    for i, line in enumerate(sys.stdin.read().splitlines()):
        voice, text = line.split("\t")
        kept = f"{folder}/{hashlib.sha256(line.encode()).hexdigest()[:16]}.pcm"
        if not os.path.exists(kept):
            (x,) = speaker.say(voice, [text])
            if x is None:
                sys.exit(f"{voice} cannot say {text!r}")
            np.clip(x * 32767, -32768, 32767).astype("<i2").tofile(kept + ".new")
            os.rename(kept + ".new", kept)
        shutil.copy(kept, f"{out}/{i:04}.pcm")


if __name__ == "__main__":
    main()
