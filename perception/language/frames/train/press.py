"""Presses the vectors of words into the few numbers that the network takes: press.py FOLDER (words.txt, vectors.f32 → vectors.f16)."""

import pathlib
import sys

import numpy as np

WIDTH = 64

folder = pathlib.Path(sys.argv[1])
count = len((folder / "words.txt").read_text().split("\n")) - 1
v = np.fromfile(folder / "vectors.f32", np.float32).reshape(count, -1)
v = v - v.mean(0)
_, axes = np.linalg.eigh(v.T @ v)
v = v @ axes[:, ::-1][:, :WIDTH]
(v / (np.abs(v).std() * 3)).astype(np.float16).tofile(folder / "vectors.f16")
