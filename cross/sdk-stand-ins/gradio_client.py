"""Stands in for a service on the Internet that makes a voice of a text: two seconds of a tone."""

import os

import numpy as np
import soundfile


def handle_file(path: str) -> str:
    return path


class Client:
    def __init__(self, space: str) -> None:
        pass

    def predict(self, **_: str) -> str:
        path = os.path.abspath("voice.wav")
        soundfile.write(path, 0.3 * np.sin(2 * np.pi * 660 * np.arange(32000) / 16000), 16000)
        return path
