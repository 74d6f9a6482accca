"""Camera, microphone and loudspeaker with the official SDK. usage: media.py SOCKET DIRECTORY"""

import os
import sys
import threading
import time
import wave
from urllib.parse import urlsplit

socket, directory = sys.argv[1:]

import reachy_mini.daemon.utils as utils

utils.CAMERA_SOCKET_PATH = socket  # of this test, in place of the one in /tmp

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.media.audio_utils import save_audio_to_wav
from reachy_mini.media.gstreamer_utils import audio_duration_seconds, is_valid_audio_file
from reachy_mini.media.media_manager import MediaBackend

PATIENCE = 60


def soon(what, get):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = get()
        if value is not None and value is not False:
            return value
        time.sleep(0.005)
    sys.exit(f"{what} does not come")


def check(ok, what):
    if not ok:
        sys.exit(f"FAIL: {what}")
    print("pass:", what)


with ReachyMini(port=urlsplit(os.environ["REACHYD_URL"]).port, connection_mode="localhost_only", timeout=PATIENCE) as mini:
    check(mini.media.backend is MediaBackend.LOCAL, "the SDK finds media")
    frame = soon("a picture", mini.media.get_frame)
    check(frame.shape == (720, 1280, 3) and abs(frame[300, 700].astype(int) - [50, 100, 200]).max() < 7, "pictures are BGR, 1280 × 720")
    data = soon("a picture as JPEG", mini.media.get_frame_jpeg)
    check(data[:2] == b"\xff\xd8", "a picture as JPEG")
    check(mini.media.camera.K is not None and mini.media.camera.camera_specs.name == "wireless", "the lens is known")

    mini.media.start_recording()
    sound = [soon("sound", mini.media.get_audio_sample)]
    while sum(map(len, sound)) < 16000:
        sound.append(soon("more sound", mini.media.get_audio_sample))
    mini.media.stop_recording()
    sound = np.concatenate(sound)
    spectrum = np.abs(np.fft.rfft(sound[:16000, 0]))
    check(sound.shape[1] == 2 and spectrum.argmax() == 500 and abs(sound.max() - 8000 / 32768) < 0.01, "the microphone hears the tone")
    path = os.path.join(directory, "tone.wav")
    save_audio_to_wav(sound[:2400], 8000, path)
    with wave.open(path) as f:
        check((f.getnframes(), f.getnchannels(), f.getframerate()) == (2400, 2, 8000), "what was heard is a WAV file")
    check(abs(audio_duration_seconds(path) - 0.3) < 0.001 and is_valid_audio_file(path), "its length is known")
    check(not is_valid_audio_file(__file__), "a text is no sound")

    moved = threading.Event()
    mini.media.enable_wobbling(lambda offsets: any(offsets) and moved.set())
    mini.media.start_playing()
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(1600) / 16000).astype(np.float32)
    for _ in range(5):
        mini.media.push_audio_sample(tone)
    speaker = sys.modules["reachyd_media.robot"].speaker
    soon("the end of what was pushed", lambda: not speaker.busy())
    check(moved.wait(PATIENCE), "the head moves with the sound")
    mini.media.play_sound(path)
    soon("the beginning of the file", speaker.busy)
    soon("the end of the file", lambda: not speaker.busy())
    mini.media.stop_playing()
    try:
        mini.media.play_sound("nothing.wav")
        sys.exit("FAIL: a file that is not there is played")
    except FileNotFoundError:
        pass
    mini.look_at_image(900, 300, duration=0.3)
    print("all passed")
