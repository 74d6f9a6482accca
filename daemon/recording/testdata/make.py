#!/usr/bin/env python3
"""Makes the recordings beside it with libsndfile (pip install numpy soundfile): half a second of 440 Hz at 0.4 of full scale; of two
channels the right one is half as loud."""
import os

import numpy as np
import soundfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = [  # name, samples a second, channels, format, subtype
    ("tone.flac", 16000, 1, "FLAC", "PCM_16"),
    ("stereo24.flac", 22050, 2, "FLAC", "PCM_24"),
    ("tone.mp3", 22050, 1, "MP3", None),
    ("stereo.mp3", 44100, 2, "MP3", None),
    ("tone.opus", 48000, 1, "OGG", "OPUS"),
    ("stereo.opus", 48000, 2, "OGG", "OPUS"),
    ("tone16.opus", 16000, 1, "OGG", "OPUS"),
    ("vorbis.ogg", 16000, 1, "OGG", "VORBIS"),
]

for name, rate, channels, kind, subtype in FILES:
    t = np.arange(rate // 2) / rate
    left = 0.4 * np.sin(2 * np.pi * 440 * t) * np.minimum(1, np.minimum(t, 0.5 - t) * 40)
    sound = left if channels == 1 else np.stack([left, 0.5 * left], 1)
    soundfile.write(os.path.join(HERE, name), sound, rate, format=kind, subtype=subtype)
